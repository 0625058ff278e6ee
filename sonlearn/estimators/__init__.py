"""What clients of other libraries are made of: `base`, `transformers`, `bandit`.

The clients are `sonlearn.sklearn`, `sonlearn.river` and `sonlearn.torch`.
"""
