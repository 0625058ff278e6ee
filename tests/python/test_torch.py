"""ADA-GP for PyTorch: the paper's formulas in numpy, our own learner, what it must equal, and the second run."""

import copy
import doctest
import io
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra torch")

import torch
from places import ROOT

import sonlearn.torch
from sonlearn import DivergedError, Learner, LearnOptions, OptionError, from_scipy
from sonlearn.torch import AdaGP, is_projected

torch.set_num_threads(1)
DOUBLE = torch.float64


def tensor(*shape, seed=0, dtype=DOUBLE):
    return torch.nn.Parameter(torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).to(dtype))


def gradients(shape, steps, seed=1):
    """Of falling sizes along few directions, as nets have them, so that rounding shows."""
    rng = np.random.default_rng(seed)
    d = int(np.prod(shape))
    directions = rng.standard_normal((6, d)) * 10.0 ** -np.arange(6.0)[:, None]
    return [(rng.standard_normal(6) @ directions + 1e-3 * rng.standard_normal(d)).reshape(shape) for _ in range(steps)]


def run(optimiser, p, sequence):
    """The tensor's values after each gradient."""
    seen = []
    for g in sequence:
        p.grad = torch.from_numpy(np.array(g)).to(p)
        optimiser.step()
        seen.append(p.detach().cpu().to(DOUBLE).numpy().copy())
    return seen


def twin(start, sequence, normals, lr, delta):
    """[ADA] Algorithm 1 with whole matrices: H = delta I + (S'S)^(1/2), through the SVD of S."""
    w, S, seen = start.copy(), 0.0, []
    for g, r in zip(sequence, normals, strict=True):
        S = S + np.outer(r, g.ravel())
        _, sig, V = np.linalg.svd(S, full_matrices=False)
        H = delta * np.eye(g.size) + V.T @ np.diag(sig) @ V
        w = w - lr * np.linalg.solve(H, g.ravel()).reshape(g.shape)
        seen.append(w.copy())
    return seen


def normals(steps, tau, seed=0):
    return np.random.default_rng(seed).standard_normal((steps, tau)) / np.sqrt(tau)


@pytest.mark.parametrize(("tau", "delta"), [(1, 0.1), (5, 0.01), (5, 10.0), (23, 0.5)])
def test_the_steps_are_the_papers(tau, delta):
    """Before and after S has tau rows, and over several times that K is computed anew."""
    p = tensor(4, 3, 2)
    sequence = gradients(p.shape, 60)
    theirs = twin(p.detach().numpy(), sequence, normals(60, tau, seed=3), 0.3, delta)
    ours = run(AdaGP([p], lr=0.3, sketch_size=tau, delta=delta, seed=3, per_coordinate=False), p, sequence)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert np.abs(ours[-1] - ours[0]).max() > 0.01


def test_one_lr_suits_both_kinds_of_tensors():
    """By default the first steps of a projected tensor are as long as ADA-DIAG's, whose coordinates step by lr each."""
    p, q, plain = (tensor(6, 5, 4) for _ in range(3))
    sequence = [1e3 * g for g in gradients(p.shape, 12)]
    ours = run(AdaGP([p], lr=0.1), p, sequence)
    own = run(AdaGP([q], lr=0.1 * np.sqrt(120), per_coordinate=False), q, sequence)
    np.testing.assert_allclose(ours, own, rtol=1e-12)
    diagonal = run(AdaGP([plain], lr=0.1, project=False), plain, sequence[:1])
    start = tensor(6, 5, 4).detach().numpy()
    assert 0.3 < np.linalg.norm(ours[0] - start) / np.linalg.norm(diagonal[0] - start) < 3.0
    optimiser = AdaGP([tensor(6, 5, 4)])
    saved = optimiser.state_dict()
    del saved["param_groups"][0]["per_coordinate"]  # as of an earlier sonlearn
    optimiser.load_state_dict(saved)
    run(optimiser, optimiser.param_groups[0]["params"][0], sequence[:2])
    with pytest.raises(OptionError, match="per_coordinate 3: expected True or False"):
        AdaGP([tensor(3)], per_coordinate=3)


def test_the_random_numbers_of_further_tensors_are_others():
    first, second = tensor(3, 3, 3), tensor(3, 3, 3)
    sequence = gradients(first.shape, 8)
    optimiser = AdaGP([first, second], sketch_size=4, delta=0.1, per_coordinate=False)
    for g in sequence:
        first.grad, second.grad = (torch.from_numpy(g.copy()) for _ in range(2))
        optimiser.step()
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(1,)))
    for p, r in ((first, normals(8, 4)), (second, rng.standard_normal((8, 4)) / 2)):
        expected = twin(tensor(3, 3, 3).detach().numpy(), sequence, r, 0.01, 0.1)
        np.testing.assert_allclose(p.detach().numpy(), expected[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_linear_model_learns_what_the_learner_learns(loss):
    """The same random numbers, so the same predictions, row by row; a gradient of 0 is a round as well."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 7))
    X[11] = 0.0
    y = np.sign(X @ rng.standard_normal(7) + 0.1)
    options = LearnOptions(method="ada-gp", loss=loss, sketch_size=3, delta=0.2, learning_rate=0.01, seed=9, clip=1e6)
    theirs = Learner(options).partial_fit(from_scipy(X, y=y, constant=False)).raw
    w = torch.nn.Parameter(torch.zeros(7, dtype=DOUBLE))
    optimiser, ours = AdaGP([w], lr=0.01, sketch_size=3, delta=0.2, project=True, seed=9, per_coordinate=False), []
    for x, label in zip(torch.from_numpy(X), y, strict=True):
        optimiser.zero_grad()
        u = w @ x
        (torch.nn.functional.softplus(-label * u) if loss == "logistic" else (u - label) ** 2).backward()
        ours.append(u.item())
        optimiser.step()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_orthonormal_projections_give_the_full_matrix(monkeypatch):
    """R'R = I makes S'S = G: ADA-FULL, for as many steps as there are rows. Of normals that holds only on average."""
    at = iter(range(12))
    monkeypatch.setattr(sonlearn.torch, "draw", lambda position, n, tau: (np.eye(tau)[next(at)][None], position))
    p, sequence = tensor(2, 3, 4), gradients((2, 3, 4), 12)
    w, G, theirs = p.detach().numpy().copy(), 0.0, []
    for g in sequence:
        G = G + np.outer(g.ravel(), g.ravel())
        lam, V = np.linalg.eigh(G)
        H = 0.5 * np.eye(24) + V @ np.diag(np.sqrt(np.maximum(lam, 0.0))) @ V.T
        w = w - 0.1 * np.linalg.solve(H, g.ravel()).reshape(g.shape)
        theirs.append(w)
    np.testing.assert_allclose(
        run(AdaGP([p], 0.1, sketch_size=12, delta=0.5, per_coordinate=False), p, sequence), theirs, rtol=0, atol=1e-7
    )


def test_what_is_not_projected_has_adagrad():
    p, q, sequence = tensor(6, 5), tensor(6, 5), gradients((6, 5), 10)
    ours = run(AdaGP([p], lr=0.2, project=False, eps=1e-8, weight_decay=0.1), p, sequence)
    theirs = run(torch.optim.Adagrad([q], lr=0.2, eps=1e-8, weight_decay=0.1), q, sequence)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_which_tensors_are_projected(monkeypatch):
    assert is_projected(tensor(4, 3, 3, 3), 20)
    assert is_projected(tensor(4, 3, 3), 20)
    assert not is_projected(tensor(5, 4, 1), 20)
    assert not is_projected(tensor(50, 40), 20)
    assert is_projected(tensor(50, 40), 20, True)
    assert not is_projected(tensor(20), 20, True)
    assert not is_projected(tensor(4, 3, 3, 3), 20, False)
    monkeypatch.setattr(sonlearn.torch, "MAX_ELEMENTS", 100)
    assert not is_projected(tensor(4, 3, 3, 3), 20)
    assert is_projected(tensor(4, 3, 3, 3), 20, True)
    small, large = tensor(2, 2, 2), tensor(4, 4, 4)
    optimiser = AdaGP([small, large])
    small.grad, large.grad = torch.ones(2, 2, 2, dtype=DOUBLE), torch.ones(4, 4, 4, dtype=DOUBLE)
    optimiser.step()
    assert {"sum", "step"} == set(optimiser.state[small])
    assert optimiser.state[large]["S"].shape == (20, 64)


def test_float32_steps_are_those_of_float64():
    """Also where delta is 10^6 times smaller than the sketch's largest singular value: no rounding is divided by it."""
    for delta in (1e-4, 0.1):
        p, q, sequence = tensor(8, 4, 3, dtype=torch.float32), tensor(8, 4, 3), gradients((8, 4, 3), 200)
        q.data = p.data.to(DOUBLE)
        ours = run(AdaGP([p], lr=1e-2, sketch_size=10, delta=delta, per_coordinate=False), p, sequence)
        exact = run(
            AdaGP([q], lr=1e-2, sketch_size=10, delta=delta, per_coordinate=False), q, [np.float32(g) for g in sequence]
        )
        np.testing.assert_allclose(ours, exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_keeps_more_in_its_state(dtype):
    p, flat = tensor(4, 3, 3, dtype=dtype), tensor(4, dtype=dtype)
    optimiser = AdaGP([p, flat])
    p.grad, flat.grad = torch.ones_like(p), torch.ones_like(flat)
    optimiser.step()
    assert (optimiser.state[p]["S"].dtype, optimiser.state[flat]["sum"].dtype) == (DOUBLE, torch.float32)
    assert p.dtype == flat.dtype == dtype
    again = AdaGP([p, flat])
    again.load_state_dict(optimiser.state_dict())
    for w, name in ((p, "S"), (p, "K"), (flat, "sum")):
        assert again.state[w][name].dtype == optimiser.state[w][name].dtype
        assert torch.equal(again.state[w][name], optimiser.state[w][name])


def net(dtype=torch.float32):
    torch.manual_seed(0)
    layers = torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 16, 3)
    return torch.nn.Sequential(*layers).to(dtype)


def batches(n, dtype=torch.float32):
    maker = torch.Generator().manual_seed(1)
    made = [torch.randn(16, 1, 6, 6, generator=maker).to(dtype) for _ in range(5)]
    return [(x, (x.sum((1, 2, 3)) > 0).long() + (x[:, 0, 0, 0] > 1).long()) for x in made * (n // 5)]


def optimiser_of(model):
    weights, biases = ([p for p in model.parameters() if (p.dim() > 1) == whole] for whole in (True, False))
    groups = [{"params": weights, "project": True, "sketch_size": 5}, {"params": biases, "lr": 0.02}]
    return AdaGP(groups, lr=0.1, delta=0.1, weight_decay=1e-3, per_coordinate=False)


def train(model, optimiser, pairs):
    losses = []
    for x, y in pairs:

        def closure(x=x, y=y):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            return loss

        losses.append(optimiser.step(closure).item())
    return losses


@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_a_run_that_goes_on_is_one_long_run(dtype):
    """Through torch.save with weights_only; stopped between two steps at which K is computed anew."""
    whole = net(dtype)
    losses = train(whole, optimiser_of(whole), batches(30, dtype))
    first, pairs = net(dtype), batches(30, dtype)
    optimiser, file = optimiser_of(first), io.BytesIO()
    early = train(first, optimiser, pairs[:13])
    torch.save({"model": first.state_dict(), "optimiser": optimiser.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    second = net(dtype)
    second.load_state_dict(saved["model"])
    resumed = AdaGP([{"params": group["params"]} for group in optimiser_of(second).param_groups])
    resumed.load_state_dict(saved["optimiser"])
    assert early + train(second, resumed, pairs[13:]) == losses
    for ours, theirs in zip(second.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    assert resumed.param_groups[0]["sketch_size"] == 5


def test_a_loaded_state_is_a_copy():
    model = net()
    optimiser, other = optimiser_of(model), optimiser_of(model)
    train(model, optimiser, batches(5))
    other.load_state_dict(optimiser.state_dict())
    before = [w.clone() for state in optimiser.state.values() for w in state.values() if isinstance(w, torch.Tensor)]
    train(model, other, batches(5))
    after = [w for state in optimiser.state.values() for w in state.values() if isinstance(w, torch.Tensor)]
    assert len(before) == 6
    assert all(torch.equal(*pair) for pair in zip(before, after, strict=True))


def test_copies_go_their_own_way():
    model = net()
    train(model, optimiser_of(model), batches(5))
    optimiser = optimiser_of(model)
    train(model, optimiser, batches(5))
    both = copy.deepcopy((model, optimiser))
    assert train(model, optimiser, batches(5)) == train(*both, batches(5))


def test_a_state_of_other_tensors_is_refused():
    one, two = tensor(4, 3, 3), tensor(4, 3, 4)
    optimiser, other = AdaGP([one]), AdaGP([two])
    run(optimiser, one, gradients(one.shape, 2))
    with pytest.raises(OptionError, match=r"state of tensor 0: .*another size than the tensor, \(4, 3, 4\)"):
        other.load_state_dict(optimiser.state_dict())
    assert not other.state
    run(other, two, gradients(two.shape, 2))


def test_schedules_groups_added_later_and_tensors_without_gradient():
    p, q, idle = tensor(3, 3, 3), tensor(3, 3, 3, seed=4), tensor(3, 3, 3)
    optimiser = AdaGP([p, idle], lr=1.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda epoch: float(epoch > 0))
    assert np.array_equal(run(optimiser, p, gradients(p.shape, 1))[0], tensor(3, 3, 3).detach().numpy())
    schedule.step()
    optimiser.add_param_group({"params": [q], "project": False})
    assert optimiser.param_groups[0]["lr"] == 1.0
    run(optimiser, q, gradients(q.shape, 1))
    assert set(optimiser.state[q]) == {"sum", "step"}
    assert idle not in optimiser.state
    assert torch.equal(idle.data, tensor(3, 3, 3).data)


def test_gradients_laid_out_otherwise():
    """channels_last: the flattened order is that of the axes, whatever the memory's."""
    p, q = tensor(4, 3, 2, 2), tensor(4, 3, 2, 2)
    q.data = q.data.to(memory_format=torch.channels_last)
    for g in gradients(p.shape, 7):
        p.grad = torch.from_numpy(g)
        q.grad = torch.from_numpy(g).to(memory_format=torch.channels_last)
        for w in (p, q):
            w.optimiser = getattr(w, "optimiser", None) or AdaGP([w])
            w.optimiser.step()
    np.testing.assert_allclose(q.detach().numpy(), p.detach().numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"lr": -1.0}, r"lr -1.0: expected a number >= 0"), ({"lr": float("nan")}, "lr nan"),
        ({"delta": 0.0}, "delta 0.0: expected a number > 0"), ({"delta": float("inf")}, "delta inf"),
        ({"eps": 0}, "eps 0"), ({"eps": "x"}, "eps 'x'"), ({"weight_decay": -1}, "weight_decay -1: expected .* >= 0"),
        ({"sketch_size": 0}, "sketch_size 0: expected a whole number >= 1"), ({"sketch_size": 2.0}, "sketch_size 2.0"),
        ({"seed": -1}, "seed -1"), ({"project": "all"}, "project 'all': expected None, True or False"),
    ],
)  # fmt: skip
def test_options_out_of_range(option, message):
    with pytest.raises(OptionError, match=message):
        AdaGP([tensor(3)], **option)
    with pytest.raises(OptionError, match=message):
        AdaGP([{"params": [tensor(3)], **option}])


def test_gradients_that_are_refused_change_nothing():
    good, table = tensor(3, 3, 3), torch.nn.Embedding(5, 2, sparse=True)
    optimiser = AdaGP([{"params": [good]}, {"params": table.parameters()}])
    good.grad = torch.ones_like(good)
    table(torch.tensor([1, 2])).sum().backward()
    with pytest.raises(OptionError, match=r"^tensor 0 of group 1, of shape \(5, 2\): its gradient is sparse") as caught:
        optimiser.step()
    assert "\n" not in str(caught.value)
    table.weight.grad = torch.full((5, 2), float("nan"))
    with pytest.raises(DivergedError, match=r"tensor 0 of group 1.* not finite"):
        optimiser.step()
    assert not optimiser.state
    assert torch.equal(good.data, tensor(3, 3, 3).data)
    wave = torch.nn.Parameter(torch.zeros(3, dtype=torch.complex64))
    wave.grad = torch.ones_like(wave)
    with pytest.raises(OptionError, match="complex"):
        AdaGP([wave]).step()
    huge = tensor(3, 3, 3)
    optimiser = AdaGP([huge])
    huge.grad = torch.full_like(huge, 1e200)
    with pytest.raises(DivergedError, match="too large to be squared"):
        optimiser.step()
    assert not optimiser.state[huge]["S"].any()


def test_gradients_of_zero_are_steps():
    p = tensor(3, 3, 3)
    optimiser = AdaGP([p])
    assert np.array_equal(run(optimiser, p, [np.zeros(p.shape)] * 25)[-1], tensor(3, 3, 3).detach().numpy())
    assert optimiser.state[p]["step"] == 25


def test_the_memory_is_the_sketch():
    p = tensor(64, 16, 3, 3, dtype=torch.float32)
    optimiser = AdaGP([p], sketch_size=7)
    run(optimiser, p, gradients(p.shape, 2))
    held = [value.numel() for value in optimiser.state[p].values() if isinstance(value, torch.Tensor)]
    assert sum(held) == 7 * p.numel() + 7 * 7


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_what_the_cpu_gives():
    p, sequence = tensor(8, 4, 3, 3), gradients((8, 4, 3, 3), 40)
    q = torch.nn.Parameter(p.detach().cuda())
    ours, there = AdaGP([p], sketch_size=6), AdaGP([q], sketch_size=6)
    np.testing.assert_allclose(run(ours, p, sequence), run(there, q, sequence), atol=1e-9)


def test_what_an_import_loads():
    code = "import sys, sonlearn; print('torch' in sys.modules); import sonlearn.torch; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\nFalse\n"


def test_the_examples_of_the_page():
    found = doctest.testfile(str(ROOT / "docs" / "torch.md"), module_relative=False)
    assert found.attempted >= 10
    assert found.failed == 0
