"""What rows of 10 to 1,000,000 entries cost: every stage has to take time in proportion to the entries.

    python bench/long_rows.py [--method committee] [--most 1000000]

For each length: microseconds an entry of reading VW text, of learning, and of predicting when all words are known; the
last column is the time of the whole row. First with tables of the views that have room, then with full ones (rows of
300,000 different words fill that of `neighbours`). A figure that grows with the length is a cost that is not linear;
some growth is the cache's, as what a row touches leaves it.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sonlearn import Batch, Learner, LearnOptions, TextOptions, read_batches

LENGTHS = (10, 100, 1000, 10_000, 100_000, 1_000_000)


def text_of(lengths: list[int], words: int, seed: int = 0) -> bytes:
    """VW text of rows with so many different words each, of `words`."""
    rng, lines = np.random.default_rng(seed), []
    for i, length in enumerate(lengths):
        chosen = rng.choice(words, length, replace=False)
        lines.append(f"{'+-'[i % 2]}1 |w " + " ".join(f"w{word}" for word in chosen.tolist()))
    return ("\n".join(lines) + "\n").encode()


def batches_of(text: bytes, options: TextOptions) -> list[Batch]:
    """The rows of a text."""
    return list(read_batches(io.BytesIO(text), options))


def seconds(run) -> float:
    """Time of a call."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="committee", metavar="NAME")
    parser.add_argument("--most", type=int, default=LENGTHS[-1], metavar="N", help="length of the longest row")
    given = parser.parse_args()
    options = TextOptions(format="vw", bits=24)
    learner = Learner(LearnOptions(method=given.method), options)
    for batch in batches_of(text_of([20] * 50, 1000), options):  # kernels
        learner.partial_fit(batch)
        learner.predict(batch)
    measure(learner, options, given.most)
    for batch in batches_of(text_of([300_000] * 3, 1_000_000), options):
        learner.partial_fit(batch)
    print("\nwith full tables")
    measure(learner, options, given.most)


def measure(learner: Learner, options: TextOptions, most: int) -> None:
    """Print the table for rows of up to `most` entries."""
    print(f"{'entries':>9} {'read':>9} {'learn':>9} {'predict':>9}  us an entry {'row':>9} s")
    for length in (n for n in LENGTHS if n <= most):
        rows = max(1, min(200, 200_000 // length))
        text, batches = text_of([length] * rows, 2 * length, length), []
        read = seconds(lambda text=text, batches=batches: batches.extend(batches_of(text, options)))
        learn = seconds(lambda batches=batches: [learner.partial_fit(batch) for batch in batches])
        predict = seconds(lambda batches=batches: [learner.predict(batch) for batch in batches])
        each = [1e6 * t / (rows * length) for t in (read, learn, predict)]
        print(
            f"{length:>9} {each[0]:>9.3f} {each[1]:>9.3f} {each[2]:>9.3f} {'':>13}{(learn + read) / rows:>9.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
