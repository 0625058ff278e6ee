"""[ADA] section 4.2, a small convolutional net trained by ADA-GP and others: ``python bench/papers/nets.py [set ...]``.

The net is that of Keras' mnist_cnn.py, which the paper names: convolutions 32 and 64 of 3 x 3, maximum over 2 x 2,
dropout 1/4, 128 hidden, dropout 1/2, 10 classes; batches of 128. The paper trains it on MNIST, CIFAR10 and SVHN. Sets
are LIBSVM text in the data folder: ``classes/mnist``, ``svm/usps``, and ``classes/cifar10`` and ``classes/svhn``
(channel after channel) where they are; ``digits`` comes with scikit-learn. What is absent is skipped, and said so.

ADA-GP projects the convolutions and has ADA-DIAG elsewhere, as the paper does; tau = 20. "One step" is the same lr for
both, as the paper's text reads; else what is projected has an lr of its own, and the rest 0.01 ("all": the hidden layer
is projected as well). Each optimiser has the values of its grid that have the least training loss in the last epoch
with seed 0; then further seeds, and their means. Training loss and test error are as in the paper's Figure 4, seconds
are those of training. Uses a GPU where there is one.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit("PyTorch is not installed: nothing to compare (pip install '.[torch]')")
import numpy as np

from bench.rows import DATA, read, shuffled
from bench.table import Table
from sonlearn.torch import AdaGP

BATCH = 128
#: name: (file in the data folder, channels, side, what values are divided by)
FILES = {
    "mnist": ("classes/mnist", 1, 28, 255.0),
    "usps": ("svm/usps", 1, 16, 1.0),
    "cifar10": ("classes/cifar10", 3, 32, 255.0),
    "svhn": ("classes/svhn", 3, 32, 255.0),
}
STEPS = (1e-3, 1e-2, 1e-1)
OWN_STEPS = (1e-1, 1.0, 10.0)
DELTAS = (1e-2, 1e-1, 1.0)


class Images(NamedTuple):
    """x: float32[n, channels, side, side]; y: int64[n]; the first `train` are learned from."""

    x: torch.Tensor
    y: torch.Tensor
    train: int


def images_of(name: str, limit: int, device: str) -> Images | None:
    """At most `limit` images to learn from, and half as many to test on; None, and the reason printed, without data."""
    if name == "digits":
        try:
            from sklearn.datasets import load_digits
        except ImportError:
            print("digits: scikit-learn is not installed, skipped")
            return None
        found = load_digits()
        order = np.random.default_rng(0).permutation(len(found.target))
        X, y, channels, side, largest = found.data[order], found.target[order], 1, 8, 16.0
    else:
        stem, channels, side, largest = FILES[name]
        path = DATA / f"{stem}.svm.gz"
        if not path.exists():
            print(f"{name}: no {stem}.svm.gz in the data folder, skipped")
            return None
        X, y = shuffled(*read(path), limit + limit // 2)
        X.resize((X.shape[0], channels * side * side))
        X = X.toarray()
    n = min(len(y), limit + limit // 2)
    x = torch.tensor(X[:n] / largest, dtype=torch.float32).view(n, channels, side, side)
    y = torch.tensor(np.unique(y[:n], return_inverse=True)[1])
    return Images(x.to(device), y.to(device), 2 * n // 3)


def net_of(images: Images) -> nn.Sequential:
    """The net of Keras' examples/mnist_cnn.py."""
    channels, side = images.x.shape[1:3]
    flat = 64 * ((side - 4) // 2) ** 2
    return nn.Sequential(
        nn.Conv2d(channels, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
        nn.Flatten(), nn.Linear(flat, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10),
    )  # fmt: skip


def ada_gp(net: nn.Module, axes: int, lr: float, delta: float, rest: float) -> AdaGP:
    """ADA-GP for tensors with that many axes, ADA-DIAG with the step `rest` for others."""
    whole, others = ([p for p in net.parameters() if (p.dim() >= axes) == kind] for kind in (True, False))
    groups = [{"params": whole, "lr": lr, "project": True}, {"params": others, "lr": rest, "project": False}]
    return AdaGP(groups, delta=delta, per_coordinate=False)


#: name: (maker, names of the grid's axes)
OPTIMISERS: dict[str, tuple[Callable[..., torch.optim.Optimizer], dict[str, tuple[float, ...]]]] = {
    "AdaGP, one step": (lambda net, lr, delta: ada_gp(net, 3, lr, delta, lr), {"lr": STEPS, "delta": DELTAS}),
    "AdaGP": (lambda net, lr, delta: ada_gp(net, 3, lr, delta, 1e-2), {"lr": OWN_STEPS, "delta": DELTAS}),
    "AdaGP, all": (lambda net, lr, delta: ada_gp(net, 2, lr, delta, 1e-2), {"lr": OWN_STEPS, "delta": DELTAS}),
    "Adagrad": (lambda net, lr: torch.optim.Adagrad(net.parameters(), lr, eps=1e-8), {"lr": STEPS}),
    "Adam": (lambda net, lr: torch.optim.Adam(net.parameters(), lr), {"lr": (1e-4, *STEPS)}),
    "SGD": (lambda net, lr: torch.optim.SGD(net.parameters(), lr), {"lr": (*STEPS, 1.0)}),
}


def batches(images: Images, epochs: int) -> Iterator[torch.Tensor]:
    """Numbers of images, batch by batch, in a new order each epoch."""
    for _ in range(epochs):
        yield from torch.randperm(images.train).split(BATCH)


def trained(images: Images, make: Callable[..., Any], values: dict[str, float], epochs: int, seed: int) -> np.ndarray:
    """(training loss over the last epoch, test error, seconds); loss inf where training diverged."""
    torch.manual_seed(seed)
    net = net_of(images).to(images.x.device)
    optimiser, losses, begun = make(net, **values), [], time.perf_counter()
    for numbers in batches(images, epochs):
        rows = numbers.to(images.x.device)
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(net(images.x[rows]), images.y[rows])
        losses.append(loss.item())
        if not np.isfinite(losses[-1]):
            return np.array([np.inf, 1.0, np.nan])
        loss.backward()
        optimiser.step()
    seconds = time.perf_counter() - begun
    net.eval()
    with torch.no_grad():
        guesses = torch.cat([net(part).argmax(1) for part in images.x[images.train :].split(1000)])
    wrong = (guesses != images.y[images.train :]).double().mean().item()
    return np.array([np.mean(losses[-len(losses) // epochs :]), wrong, seconds])


def compare(name: str, images: Images, epochs: int, seeds: int) -> None:
    """Print the table of one set."""
    title = f"{name}: {images.train} images, {len(images.y) - images.train} to test on, {epochs} epochs, {seeds} seeds"
    table = Table(title, ["", "training loss", "test error", "seconds", "best of the grid"])
    for title, (make, grid) in OPTIMISERS.items():
        points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
        tried = [trained(images, make, point, epochs, 0) for point in points]
        at = int(np.argmin([loss for loss, _, _ in tried]))
        runs = np.array([tried[at], *(trained(images, make, points[at], epochs, seed) for seed in range(1, seeds))])
        (loss, error, seconds), (loss_sd, error_sd, _) = runs.mean(axis=0), runs.std(axis=0)
        best = ", ".join(f"{key} {value:g}" for key, value in points[at].items())
        table.row(title, f"{loss:.4f} +- {loss_sd:.4f}", f"{error:.4f} +- {error_sd:.4f}", f"{seconds:.1f}", best)


def main() -> None:
    """Train and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=["digits", *FILES], help="digits, " + ", ".join(FILES))
    parser.add_argument("--images", type=int, default=2000, help="learned from, at most; half as many are tests (2000)")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for name in options.sets:
        if name != "digits" and name not in FILES:
            parser.error(f"{name}: expected digits, {', '.join(FILES)}")
        images = images_of(name, options.images, device)
        if images is not None:
            compare(name, images, options.epochs, options.seeds)


if __name__ == "__main__":
    main()
