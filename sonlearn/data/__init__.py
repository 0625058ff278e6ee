"""Data between reading and learning: `batch` (examples), `rows` (examples with numbered features), `arrays`."""
