"""Clients of `sonlearn.Learner` for other libraries: `sklearn`, `river`, `transformers`, `torch`, on `base`.

Users import them as ``sonlearn.sklearn``, ``sonlearn.river`` and ``sonlearn.torch``.
"""
