"""Machine code that is loaded without LLVM is what LLVM loads, and whatever is not known is left to LLVM."""

import os
import struct
import subprocess
import sys

import pytest
from places import PACKAGE

from sonlearn.jit import linking, stored
from sonlearn.jit.linking import LinkError, load

PROGRAM = """
import sys
import numpy as np
from sonlearn.jit import linking, without_numba
def refuse(code, address_of):
    raise linking.LinkError("not here")
if "llvm" in sys.argv:
    linking.load = refuse
without_numba()
from sonlearn.learn.losses import losses, loss_of
from sonlearn.options import LearnOptions
from sonlearn.text.hashing import hash_bytes
r = np.random.default_rng(1)
p, y, out = r.normal(size=1000), np.sign(r.normal(size=1000)), np.empty(1000)
for loss in ("logistic", "squared_hinge", "poisson"):
    losses(loss_of(LearnOptions(loss=loss)), p, np.abs(y), out)
    print(loss, hash_bytes(out.tobytes()))
print("imported", "numba" in sys.modules, "llvmlite.binding" in sys.modules)
"""

linux_on_x86 = pytest.mark.skipif(
    not stored.is_possible() or os.uname().machine != "x86_64", reason="LLVM loads kernels here"
)


@linux_on_x86
def test_kernels_loaded_here_give_the_bits_of_those_that_llvm_loads(tmp_path):
    environment = os.environ | {
        "PYTHONPATH": str(PACKAGE.parent), "NUMBA_DISABLE_JIT": "0", "SONLEARN_CACHE_DIR": str(tmp_path),
    }  # fmt: skip
    outputs = []
    for how in ("compiled", "here", "llvm"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, how], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.splitlines())
    assert outputs[0][:-1] == outputs[1][:-1] == outputs[2][:-1]
    assert [lines[-1] for lines in outputs[1:]] == ["imported False False", "imported False True"]
    path = min(tmp_path.rglob("*.code"))
    check_damage(stored.read_code(str(path)).code)


def check_damage(code):
    """What is damaged, or of another kind, is refused before it is run."""
    nowhere = {"memcpy": 8}

    def address_of(name):
        return nowhere.setdefault(name, 1 << 20)

    symbols = load(code, address_of)
    assert any(name.startswith("_ZN7cpython") for name in symbols)

    def missing(name):
        raise LinkError(f"no {name}")

    for wrong in (
        b"",
        b"\x7fELF",
        code[:1000],
        code[:18] + struct.pack("<H", 183) + code[20:],
        code[:4] + b"\1" + code[5:],
    ):
        with pytest.raises(LinkError):
            load(wrong, address_of)
    with pytest.raises(LinkError, match="no "):
        load(code, missing)
    # R_X86_64_PC32 in the place of R_X86_64_64
    _, _, _, _, _, _, start, *_, number, _ = linking._HEADER.unpack_from(code)
    for i in range(number):
        _, kind, _, _, offset, size, _, target, *_ = linking._SECTION.unpack_from(
            code, start + i * linking._SECTION.size
        )
        if kind == linking._RELA and size and target == 4:
            wrong = code[: offset + 8] + struct.pack("<I", 2) + code[offset + 12 :]
            with pytest.raises(LinkError, match="another kind"):
                load(wrong, address_of)
