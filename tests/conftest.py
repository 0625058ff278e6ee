"""Settings for all tests: sibling modules (`oracle`, `streams`) importable, one thread for small dense matrices."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
