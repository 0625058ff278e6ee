"""ADA-GP as an optimiser for PyTorch (extra ``torch``): full-matrix AdaGrad by random projection, layer by layer.

[ADA] Algorithm 1 (Wan, Zhang 2019), as used for convolutional nets in section 4.2. For a tensor with gradient g,
flattened to d numbers, S (tau x d) takes the memory of tau gradients:

    S += r g'                           r: tau normals of variance 1/tau, new ones each step
    w -= lr (delta I + (S'S)^(1/2))^-1 g

With K = S S' = U diag(s^2) U' and y = S g the step is (g - S'U diag(1/(s (delta + s))) U'y)/delta, the paper's by its
Woodbury formula without its V. K is updated from y and g'g alone, and recomputed from S every tau steps to limit
rounding errors: O(d tau + tau^3) a step, where an SVD of S takes O(d tau^2). S is on the tensor's device, K on the CPU.
Both are float64 for any dtype of the tensor: delta may be 10^6 times smaller than s, and in float32 the rounding error
of a large gradient, divided by delta, would dominate the step.

Other tensors use ADA-DIAG, w -= lr g/(eps + (sum of g^2)^(1/2)), as in the paper, which projects convolutions only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sonlearn.data.mixing import draw, position_of
from sonlearn.errors import DivergedError, OptionError
from sonlearn.learn.tolerances import RANK

#: Tensors with at least so many axes are convolutions: out, in / groups, and the kernel's.
CONVOLUTION = 3
#: Larger tensors are projected only if their group requests it: S takes 8 sketch_size bytes for each number.
MAX_ELEMENTS = 1 << 20


class AdaGP(torch.optim.Optimizer):
    """ADA-GP ([ADA] Algorithm 1) for each convolution, ADA-DIAG for all other tensors.

    A group of parameters may have its own options.

    Parameters
    ----------
    params : tensors, (name, tensor) pairs, or groups of them, as for any optimiser of PyTorch
        of float16, bfloat16, float32 or float64, on the CPU or on CUDA. Sketches are float64, sums of ADA-DIAG are the
        tensor's dtype, at least float32.
    lr : float >= 0; eta of the paper
    per_coordinate : bool
        Whether `lr` is a length for each coordinate of a projected tensor of d numbers, too, as it is for all others:
        its eta is lr sqrt(d), so that one lr suits both kinds. False: eta is lr, the length of the first steps in all.
    sketch_size : int > 0; tau, the numbers kept for each number of a projected tensor
    delta : float > 0; sigma of the paper. A part of a gradient outside of the sketch steps by lr/delta
    eps : float > 0; delta of ADA-DIAG
    weight_decay : float >= 0; times the tensor is added to its gradient
    project : None, True or False
        None: tensors of 3 or more axes are projected, if they have more than `sketch_size` and at most `MAX_ELEMENTS`
        numbers. True: all with more than `sketch_size` (with fewer the sketch is larger than the matrix). False: none.
    seed : int >= 0
        The first tensor to be projected (in the order of their first gradients) has the rows of
        ``numpy.random.default_rng(seed).standard_normal((steps, sketch_size)) / sqrt(sketch_size)``, as a learner with
        ``method="ada-gp"`` has; the k-th after it has those of ``SeedSequence(seed, spawn_key=(k,))``.

    Raises
    ------
    OptionError
        (a ValueError) An option is out of its range, a tensor is complex or its gradient sparse, a state to be loaded
        belongs to tensors of other sizes.
    DivergedError
        A gradient is not finite, or too large to be squared; that step has changed nothing of any tensor, or nothing of
        this tensor and those after it.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 0.01,
        *,
        per_coordinate: bool = True,
        sketch_size: int = 20,
        delta: float = 1.0,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        project: bool | None = None,
        seed: int = 0,
    ):
        options = {
            "lr": lr, "sketch_size": sketch_size, "delta": delta, "eps": eps, "weight_decay": weight_decay,
            "project": project, "seed": seed, "per_coordinate": per_coordinate,
        }  # fmt: skip
        _check(options)  # super would call a bad one good where each group has its own
        super().__init__(params, options)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Another group of tensors, with what it says of the options. Raises OptionError."""
        _check(self.defaults | param_group)
        super().add_param_group(param_group)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step along the gradients; returns what the closure, where there is one, has returned."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        todo = [
            (p, group, f"tensor {i} of group {at}, of shape {tuple(p.shape)}")
            for at, group in enumerate(self.param_groups) for i, p in enumerate(group["params"]) if p.grad is not None
        ]  # fmt: skip
        for p, _, name in todo:
            _check_gradient(p.grad, name)
        for p, group, name in todo:
            state = self.state[p] or self._begin(p, group)
            g = p.grad.to(state["S" if "S" in state else "sum"].dtype)  # float64, or at least float32
            if group["weight_decay"]:
                g = g.add(p, alpha=group["weight_decay"])
            if "S" in state:
                change = _projected(state, g.reshape(-1), group["delta"], name).view_as(p)
                if group.get("per_coordinate", False):  # groups saved by an earlier sonlearn have none
                    change *= math.sqrt(p.numel())
            else:
                state["sum"].addcmul_(g, g)
                change = g / state["sum"].sqrt().add_(group["eps"])
            state["step"] += 1
            p.add_(change.to(p.dtype), alpha=-group["lr"])
        return loss

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a `state_dict()`: the next steps are those that would have followed it, bit for bit.

        The tensors' values are the model's to load. Raises OptionError where the state is of other tensors.
        """
        before = self.state, self.param_groups
        super().load_state_dict(state_dict)
        kept = [i for group in state_dict["param_groups"] for i in group["params"]]
        tensors = [p for group in self.param_groups for p in group["params"]]
        for i, p in zip(kept, tensors, strict=True):
            state = state_dict["state"].get(i, {})
            if state and p.numel() != (state["S"].shape[1] if "S" in state else state["sum"].numel()):
                self.state, self.param_groups = before
                raise OptionError(f"state of tensor {i}: it is of another size than the tensor, {tuple(p.shape)}")
            # super has cast to the tensor's dtype and device: what stood there comes back, in memory of its own.
            for key, value in state.items():
                if isinstance(value, Tensor):
                    self.state[p][key] = value.detach().to("cpu" if key == "K" else p.device, copy=True)

    def _begin(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """State of a tensor that has had no gradient."""
        state, tau = self.state[p], group["sketch_size"]
        state["step"] = 0
        if not is_projected(p, tau, group["project"]):
            state["sum"] = torch.zeros_like(p, dtype=torch.promote_types(p.dtype, torch.float32))
            return state
        k = sum("S" in other for other in self.state.values())
        bits = np.random.SeedSequence(group["seed"], spawn_key=(k,) if k else ())
        state["S"] = torch.zeros((tau, p.numel()), dtype=torch.float64, device=p.device)
        state["K"] = torch.zeros((tau, tau), dtype=torch.float64)
        state["position"] = tuple(int(word) for word in position_of(bits))
        return state


def is_projected(p: Tensor, sketch_size: int, project: bool | None = None) -> bool:
    """Return whether a tensor has ADA-GP; else it has ADA-DIAG."""
    by_rule = p.dim() >= CONVOLUTION and p.numel() <= MAX_ELEMENTS
    return p.numel() > sketch_size and (by_rule if project is None else project)


def _projected(state: dict[str, Any], g: Tensor, delta: float, name: str) -> Tensor:
    """(delta I + (S'S)^(1/2))^-1 g after S += r g'; g: float64[d]."""
    S, K, tau = state["S"], state["K"], len(state["S"])
    block, position = draw(np.array(state["position"], dtype=np.uint64), 1, tau)
    r = torch.from_numpy(block[0])
    y = (S @ g).cpu()
    gg = float(torch.linalg.vector_norm(g)) ** 2
    across = torch.outer(r, y)
    after = K + across + across.T + gg * torch.outer(r, r)
    if not torch.isfinite(after).all():
        raise DivergedError(f"{name}: its gradient is too large to be squared; try a smaller lr, or clip gradients")
    S.addr_(r.to(S), g)
    state["position"] = tuple(int(word) for word in position)
    K.copy_(after if (state["step"] + 1) % tau else (S @ S.T).cpu())
    a = _along(K, y + gg * r, delta)
    return (g - S.T @ a.to(S)).div_(delta)


def _along(K: Tensor, y: Tensor, delta: float) -> Tensor:
    """U diag(1/(s (delta + s))) U'y of K = U diag(s^2) U'.

    s^2 at most `RANK` times the largest is rounding of K: its direction is not in S, as in `sonlearn.learn.projected`.
    """
    lam, U = torch.linalg.eigh(K)
    there = lam > RANK * lam[-1]
    s, U = lam[there].sqrt(), U[:, there]
    return U @ ((U.T @ y) / (s * (delta + s)))


def _check(options: dict[str, Any]) -> None:
    """Raises OptionError for an option out of its range."""
    for name in ("lr", "delta", "eps", "weight_decay"):
        value, zero = options[name], name in ("lr", "weight_decay")
        if not (isinstance(value, int | float) and (value > 0 or (zero and value == 0)) and value < float("inf")):
            raise OptionError(f"{name} {value!r}: expected a number {'>= 0' if zero else '> 0'}")
    for name, least in (("sketch_size", 1), ("seed", 0)):
        if not isinstance(options[name], int) or options[name] < least:
            raise OptionError(f"{name} {options[name]!r}: expected a whole number >= {least}")
    if not isinstance(options["per_coordinate"], bool):
        raise OptionError(f"per_coordinate {options['per_coordinate']!r}: expected True or False")
    if options["project"] not in (None, True, False):
        raise OptionError(f"project {options['project']!r}: expected None, True or False")


def _check_gradient(g: Tensor, name: str) -> None:
    """Raises OptionError for a gradient of a kind that is not served, DivergedError for one that is not finite."""
    if g.layout != torch.strided:
        raise OptionError(f"{name}: its gradient is sparse, expected a dense one (Embedding(..., sparse=False))")
    if g.is_complex():
        raise OptionError(f"{name}: it is complex, expected real numbers (torch.view_as_real)")
    if not torch.isfinite(g).all():
        raise DivergedError(f"{name}: its gradient is not finite; try a smaller lr, or clip gradients")


__all__ = ["AdaGP", "is_projected"]
