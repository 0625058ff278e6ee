"""Names of features: every slot that a kernel finds is named, and by what stands in the text."""

import dataclasses
import io
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from fuzz_text import line as fuzzed_line
from parsers import Malformed, vw_line
from vw_peer import CASES, random_line

from sonlearn.options import TextOptions
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.hashing import hash_bytes
from sonlearn.text.interact import Interactions
from sonlearn.text.names import MADE as GENERATED
from sonlearn.text.names import MOST_NAMES, LineNames, NameTable, generated_features
from sonlearn.text.read import Reader
from sonlearn.text.rows import STATE_SIZE, make_rows
from sonlearn.text.vw import make_names, parse_vw

pytestmark = pytest.mark.interpreted
OPTIONS = [
    TextOptions(format="vw", names=True), TextOptions(format="vw", names=True, hash="all", bits=40),
    TextOptions(format="vw", names=True, hash_seed=7, constant=False),
    TextOptions(format="vw", names=True, ignore=("b", " ")),
    TextOptions(format="vw", names=True, keep=("a",), hash_seed=3),
]  # fmt: skip


def lines_of_all_kinds(count: int) -> list[bytes]:
    r = random.Random(7)
    lines = [random_line(r).encode() for _ in range(count)] + [text.encode() for _, case in CASES for text in case]
    for _ in range(count):
        text = fuzzed_line(r, "vw")
        try:
            if vw_line(text) is not None:
                lines.append(text)
        except Malformed:
            continue
    return lines


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_names_of_lines_of_all_kinds_stand_there_and_are_hashed_to_their_slots(options):
    lines = lines_of_all_kinds(200 if numba.config.DISABLE_JIT else 2000)
    n = 0
    for batch in Reader(io.BytesIO(b"\n".join(lines)), options, chunk_bytes=3000):
        n += batch.n
    assert n >= len(lines) - 5
    for line in lines[:: 1 if numba.config.DISABLE_JIT else 8]:
        chunk = np.frombuffer(bytearray(line + b"\n"), np.uint8)
        parsed = ChunkParser(options).parse(chunk, "vw", "")
        for batch in parsed.batches:
            known = dict.fromkeys(parsed.names)
            assert {slot for slot, _, _ in known} == set(batch.indices.tolist()), line
            for slot, name, _ in known:
                assert name == "Constant" or slot in slots_of(name, options), (line, name)


def slots_of(name: str, options: TextOptions) -> set[int]:
    """Slots that a name could be of, with or without a namespace; it may have circumflexes of its own."""
    raw, found = name.encode("utf-8", "surrogateescape"), set()

    def hashed(text: bytes, seed: int) -> int:
        return hash_bytes(text, seed, hash_all=options.hash == "all")

    def add(text: bytes, seed: int) -> None:
        anonymous = re.fullmatch(rb"\[(\d+)\]", text)
        found.add(hashed(text, seed))
        if anonymous:
            found.add(seed + int(anonymous[1]))
        for at in (i for i, byte in enumerate(text) if byte == ord("^")):
            found.add(hashed(text[at + 1 :], hashed(text[:at], seed)))

    add(raw, hash_bytes(b"", options.hash_seed, hash_all=True) if options.hash_seed else 0)
    for at in (i for i, byte in enumerate(raw) if byte == ord("^")):
        if at:
            add(raw[at + 1 :], hashed(raw[:at], options.hash_seed))
    return {slot & ((1 << options.bits) - 1) for slot in found}


@pytest.mark.parametrize("made", [{}, {"bits": 8, "quadratic": ("ab",), "ngram": ("2",)}], ids=["plain", "made"])
@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("chunk_bytes", [1, 300, 1 << 20])
def test_every_slot_has_a_name_that_is_hashed_to_it(threads, chunk_bytes, made):
    """With collisions, and the same names however the text is read."""
    options = TextOptions(**({"names": True, "bits": 12, "format": "vw"} | made))
    lines = b"\n".join(random_line(random.Random(i)).encode() for i in range(40 if made else 300))
    reader = Reader(io.BytesIO(lines), options, chunk_bytes=chunk_bytes, threads=threads)
    seen = {int(slot) for batch in reader for slot in batch.indices}
    assert set(reader.names.known) == seen
    for slot, names in reader.names.known.items():
        assert len(names) == len(set(names)) <= MOST_NAMES
        assert made or all(name == "Constant" or slot in slots_of(name, options) for name in names)
    again = Reader(io.BytesIO(lines), options)
    list(again)
    assert again.names.known == reader.names.known
    assert list(again.names.known) == list(reader.names.known)


def test_forms_of_names():
    options = TextOptions(names=True, format="vw", bits=30)
    reader = Reader(io.BytesIO(b"1 |ns a b:2 c:red :3 z:0 \xff | d 5 c:x\n"), options)
    list(reader)
    known = {name: slot for slot, names in reader.names.known.items() for name in names}
    assert list(known) == ["Constant", "ns^a", "ns^b", "ns^c^red", "ns^[0]", "ns^\udcff", "d", "5", "c^x"]
    ns = hash_bytes(b"ns")
    assert known["ns^c^red"] == hash_bytes(b"red", hash_bytes(b"c", ns)) & 2**30 - 1
    assert known["ns^[0]"] == ns & 2**30 - 1
    assert known["5"] == 5


MADE = [
    {"quadratic": ("ab",)}, {"quadratic": ("aa", "::")}, {"cubic": ("aab",)}, {"ngram": ("3",), "skips": ("1",)},
    {"ngram": ("a2",), "quadratic": ("ab", "bb")}, {"interactions": ("baba",), "hash": "all", "hash_seed": 3},
]  # fmt: skip


@pytest.mark.parametrize("made", MADE, ids=str)
def test_features_are_made_as_by_the_kernel(made):
    plain = TextOptions(format="vw", names=True, bits=22, constant=False)
    options = dataclasses.replace(plain, **made)
    plain, n = dataclasses.replace(plain, hash=options.hash, hash_seed=options.hash_seed), 0
    lines = [random_line(random.Random(i)).encode() for i in range(10 if numba.config.DISABLE_JIT else 60)]
    lines.append(b"1 |a x y:2 z c:red |b u:3 v :4 |apple w | d")
    for line in lines:
        (batch,) = Reader(io.BytesIO(line), options)  # line by line: wildcards stand for the namespaces seen
        chunk = np.frombuffer(bytearray(line + b"\n"), np.uint8)
        rows, state = make_rows(len(chunk), named=True), np.zeros(STATE_SIZE, np.int64)
        parse_vw(chunk, make_names(plain), rows, state)
        parts = list(LineNames(plain).parts(chunk.tobytes(), rows, 0, []))
        interactions = Interactions(options)
        interactions.observe(np.array([part.byte for part in parts], dtype=np.uint8))
        ours = [slot for slot, _ in generated_features(interactions.plan, 2**22 - 1, parts)]
        assert [part.slot for part in parts] + ours == batch.indices.tolist(), line
        n += len(ours)
    assert n >= 8


def test_what_is_too_much_to_be_made_has_no_names():
    options = TextOptions(format="vw", names=True, quadratic=("ab",))
    lines = b"1 |a x |b y\n1 |a" + b" p" * 9 + b" |b" + b" q" * 9 + b"\n1 |a z |b y\n"
    parser = ChunkParser(options, stops=False, most_features=50)
    found = parser.parse(np.frombuffer(lines, np.uint8).copy(), "vw", "")
    assert [error.line for error in found.errors] == [2]
    assert [name for _, name, times in found.names if times == GENERATED] == ["a^x*b^y", "a^z*b^y"]


def test_forms_of_made_names():
    """As in Vowpal Wabbit's --audit."""
    options = TextOptions(format="vw", names=True, quadratic=("ab",), ngram=("a2",), bits=30, constant=False)
    reader = Reader(io.BytesIO(b"1 |a x c:red :2 |b p |  d\n"), options)
    list(reader)
    names = [name for known in reader.names.known.values() for name in known]
    assert names[:5] == ["a^x", "a^c^red", "a^[0]", "b^p", "d"]
    assert names[5:] == ["a^x^c^red", "a^c^red^[0]", "a^x*b^p", "a^c^red*b^p", "a^[0]*b^p", "a^x^c^red*b^p",
                         "a^c^red^[0]*b^p"]  # fmt: skip


def test_vw_gives_made_features_the_same_names(tmp_path, vowpalwabbit):
    line = "1 |a x y:2 z |b p q"
    (tmp_path / "t").write_text(line + "\n")
    command = [sys.executable, "-m", "vowpalwabbit", "-d", str(tmp_path / "t"), "--audit", "--quiet", "-q", "ab"]
    command += ["--cubic", "aab", "--ngram", "a2"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = {int(slot): name for name, slot in reversed(re.findall(r"\t([^\t:]+):(\d+):", out))}
    options = TextOptions(format="vw", names=True, quadratic=("ab",), cubic=("aab",), ngram=("a2",))
    reader = Reader(io.BytesIO(line.encode()), options)
    list(reader)
    assert len(theirs) > 40
    assert {slot: names[0] for slot, names in reader.names.known.items()} == theirs


def test_names_of_collisions_are_all_kept_up_to_three():
    table = NameTable()
    table.add([(1, "a", 0), (2, "x", 0), (1, "b", 2), (1, "a", 0), (1, "c", 0), (1, "d", 1), (2, "y", GENERATED)])
    assert table.known == {1: ["a", "b", "c"], 2: ["x"]}
    assert table.counts == {1: [0, 2, 0]}


def test_without_names_nothing_is_kept():
    reader = Reader(io.BytesIO(b"1 |a b\n"), TextOptions(format="vw"))
    list(reader)
    assert reader.names.known == {}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_names_of_tables(tmp_path, kind):
    text = "y,age,city\n1,3,Paris\n0,,Rome\n1,4,5\n"
    (tmp_path / "t.csv").write_text(text)
    if kind == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        import pyarrow.csv
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.csv.read_csv(tmp_path / "t.csv"), tmp_path / "t.parquet")
    reader = Reader(str(tmp_path / f"t.{kind}"), TextOptions(label="y", names=True))
    slots = {int(slot) for batch in reader for slot in batch.indices}
    names = {name for names in reader.names.known.values() for name in names}
    assert names - {"y"} == {"age", "age=", "city", "city=Paris", "city=Rome", "Constant"}
    assert slots <= set(reader.names.known)


# ------------------------------------------------------------------------------------------------- in a model


@pytest.fixture
def out(cli):
    """The output of a command."""
    Path("a.vw").write_text("1 |u good x\n-1 |u bad x\n" * 20)
    Path("b.vw").write_text("1 |u good new\n" * 3)
    return cli.out


def test_a_model_keeps_names_and_inspect_prints_them(out):
    out("train", "--quiet", "--sketch", "rfd", "--names", "-f", "m", "a.vw")
    weights = {line.split()[-1]: float(line.split()[1]) for line in out("inspect", "m").splitlines()[-4:]}
    assert weights["u^good"] > 0 > weights["u^bad"]
    assert {"u^x"} < set(weights)
    out("train", "--quiet", "-i", "m", "-f", "m", "b.vw")
    data = json.loads(out("inspect", "--json", "m"))
    assert {entry["names"][0] for entry in data["weights"]} == {"u^good", "u^bad", "u^x", "u^new", "Constant"}
    assert (data["examples"], data["features"], data["learn"]["clip"]) == (43, 5, "inf")
    assert data["text"]["names"] is True
    sizes = [abs(entry["weight"]) for entry in data["weights"]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(json.loads(out("inspect", "--json", "--top", "2", "m"))["weights"]) == 2


@pytest.mark.parametrize("passes", [[], ["--passes", "2"]])
@pytest.mark.parametrize("how", [["-c"], ["--threads", "2"], ["--threads", "0"]])
def test_names_do_not_depend_on_how_the_text_was_read(out, how, passes):
    command = ["train", "--quiet", "--sketch", "rfd", "--names", "a.vw", *passes]
    out(*command, "-f", "plain")
    for _ in range(2):
        out(*command, *how, "-f", "m")
        assert Path("m").read_bytes() == Path("plain").read_bytes()
    names = {name for entry in json.loads(out("inspect", "--json", "m"))["weights"] for name in entry["names"]}
    assert names == {"u^good", "u^bad", "u^x", "Constant"}
