"""``python -m sonlearn``."""

from sonlearn.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
