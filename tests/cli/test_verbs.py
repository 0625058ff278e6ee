"""``train --cache``, ``convert`` and ``sketch`` through the command line."""

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import PROGRAM, names, start
from places import sample

from sonlearn import TextOptions, read_batches
from sonlearn.files import storage
from sonlearn.sketch import load


@pytest.fixture(autouse=True)
def files(tmp_path):
    """Small inputs."""
    for name, of, stop in (("a.svm", "sample.svm", 120), ("b.svm", "sample.svm", 50), ("a.vw", "sample.vw", 80)):
        (tmp_path / name).write_text(sample(of, stop=stop), encoding="utf-8")


# ------------------------------------------------------------------------------------------------- cache


def cache_lines(result):
    status, _, err = result
    assert status == 0, err
    return re.findall("^cache_file = .*", err, re.MULTILINE)


def test_a_second_run_reads_the_cache_and_a_changed_file_makes_it_anew(cli):
    assert cache_lines(cli("train", "-c", "a.svm")) == ["cache_file = a.svm.cache, made anew: found no cache"]
    written = os.stat("a.svm.cache").st_mtime_ns
    assert cache_lines(cli("train", "--cache", "a.svm")) == ["cache_file = a.svm.cache"]
    assert cache_lines(cli("train", "--cache_file", "a.svm.cache", "a.svm")) == ["cache_file = a.svm.cache"]
    assert os.stat("a.svm.cache").st_mtime_ns == written
    with Path("a.svm").open("a") as file:
        file.write("1 1:2\n")
    result = cli("train", "-c", "a.svm")
    assert cache_lines(result) == ["cache_file = a.svm.cache, made anew: found a cache older than a.svm"]
    assert "number of examples = 121" in result[2]
    (line,) = cache_lines(cli("train", "-c", "--noconstant", "a.svm"))
    assert line.endswith("made anew: found a cache made with other options")
    assert cli("train", "-c", "--quiet", "a.svm") == (0, "", "")


def test_later_passes_read_the_cache(cli, monkeypatch):
    from sonlearn.text import cache

    opened = []
    original = cache.Reader.__iter__
    monkeypatch.setattr(cache.Reader, "__iter__", lambda self: (opened.append(1), original(self))[1])
    cli("train", "--passes", "4", "-c", "a.svm")
    assert len(opened) == 1
    cli("train", "--passes", "2", "-c", "a.svm")
    assert len(opened) == 1
    cli("train", "--passes", "2", "a.svm")
    assert len(opened) == 3


def test_several_files_and_standard_input_need_a_name(cli):
    assert cache_lines(cli("train", "--cache_file", "c", "a.svm", "b.svm"))
    result = cli("train", "--cache_file", "c", "a.svm", "b.svm")
    assert cache_lines(result) == ["cache_file = c"]
    assert "number of examples = 170" in result[2]
    assert cli("train", "--quiet", "--passes", "2", "-f", "m1", "a.svm")[0] == 0
    done = subprocess.run(
        [*PROGRAM, "train", "--quiet", "--passes", "2", "--cache_file", "c2", "-f", "m2"],
        input=Path("a.svm").read_bytes(), check=False, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert Path("m1").read_bytes() == Path("m2").read_bytes()


# ------------------------------------------------------------------------------------------------- convert


def test_convert_reads_standard_input_and_several_files(cli, monkeypatch):
    status, out, err = cli("convert", "--to", "vw", "a.svm", "-d", "b.svm")
    assert (status, len(out.splitlines()), err) == (0, 170, "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y;x\n1;2\n")))
    out = cli.out("convert", "--to", "svmlight", "-b", "4", "--label", "y", "--delimiter", ";")
    assert re.fullmatch(r"1 \d+:2\n", out)


def test_convert_fails_whole(cli):
    Path("bad").write_text("1 1:1\n2 1:x\n")
    Path("old").write_text("precious")
    before = names()
    for target in ("old", "new"):
        done = cli("convert", "--to", "vw", "-o", target, "bad")
        assert (done.status, done.out) == (1, "")
        assert re.fullmatch(r"sonlearn: bad:2:5: found 'x'.*, expected .*", done.err)
    assert Path("old").read_text() == "precious"
    assert names() == before
    status, out, err = cli("convert", "--to", "vw", "--on-error", "skip", "bad")
    assert (status, out) == (0, "1 | 1\n")
    assert err.startswith("sonlearn: warning: malformed lines left out: 1, the first: bad:2:5")
    err = cli.error("convert", "--to", "vw", "--on-error", "skip", "--max-errors", "0", "-o", "new", "bad")
    assert names() == before


@pytest.mark.skipif(os.name != "posix", reason="modes and devices of POSIX")
def test_convert_writes_into_pipes(cli):
    assert cli("convert", "--to", "vw", "-o", "x.vw", "a.svm")[0] == 0
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE)
    assert cli("convert", "--to", "vw", "-o", "pipe", "a.svm")[0] == 0
    assert reader.communicate()[0] == Path("x.vw").read_bytes()
    assert Path("pipe").is_fifo()


# ------------------------------------------------------------------------------------------------- sketch


def test_sketch_measures_and_draws(cli):
    err = cli.err("sketch", "-l", "8", "a.svm", "--error", "--k", "3", "--plot", "-")
    assert re.search(r"^covariance error = \d", err, re.MULTILINE)
    assert "projection error at k = 3: squared = 1." in err
    assert len(re.findall(r"^ +\d+ +[\d.e-]+  #+$", err, re.MULTILINE)) == 7
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert cli("sketch", "--quiet", "-l", "8", "a.svm", "--plot", "s.svg") == (0, "", "")
    assert "<svg" in Path("s.svg").read_text()


def test_a_picture_needs_matplotlib(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    err = cli.err("sketch", "-l", "4", "a.svm", "--plot", "s.png")
    assert "matplotlib is not installed, s.png was not written; pip install matplotlib. As text instead" in err
    assert "#" * 50 in err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused = cli.error("sketch", "-l", "4", "--quiet", "a.svm", "--plot", "s.png")
    assert refused == "--plot s.png: matplotlib is not installed; pip install matplotlib"
    assert not Path("s.png").exists()


@pytest.mark.parametrize("verb", [("train",), ("tune", "--grid", "l2=0,1e-6"), ("sketch",)], ids=lambda verb: verb[0])
def test_a_cluster_needs_dask(cli, monkeypatch, verb):
    monkeypatch.setitem(sys.modules, "dask", None)
    for name in [name for name in sys.modules if name.startswith("sonlearn.cluster.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("sonlearn.cluster.dask", raising=False)
    line = cli.error(*verb, "--cluster", "local", "a.svm")
    assert line == "--cluster: dask is not installed; in a copy of the source: pip install '.[dask]'"


def test_indices_from_zero(cli):
    Path("z.svm").write_text("1\n1 0:3 2:4\n1\n")
    err = cli.error("sketch", "--quiet", "z.svm", "-o", "s.npz")
    assert err == "z.svm:2: found feature 0, expected 1 or more (see --zero-based)"
    assert not Path("s.npz").exists()
    assert cli("sketch", "--quiet", "--zero-based", "--method", "fd", "z.svm", "-o", "s.npz") == (0, "", "")
    assert abs(load("s.npz").matrix().toarray()).max(axis=0) == pytest.approx([3, 0, 4])


def test_columns_of_csv_are_slots(cli):
    Path("t.csv").write_text("x,y\n3,1\n4,0\n")
    assert cli("sketch", "--quiet", "--method", "fd", "--label", "y", "t.csv", "-o", "s.npz")[0] == 0
    (batch,) = read_batches("t.csv", TextOptions(label="y", constant=False))
    assert load("s.npz").matrix().indices.tolist() == [batch.indices[0]]


@pytest.mark.parametrize(("rows", "last"), [(b"1 1:1\n-1 2:1\n1 3:1\n", b"3"), (b"", b"rows")])
def test_an_interrupted_sketch_is_of_what_was_read(cli, rows, last):
    """One of nothing is not saved."""
    process = start("sketch", "-l", "3", "-o", "s.npz", "--error", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(rows)
    process.stdin.flush()
    for line in process.stderr:  # when it comes, the reader waits or will before long
        if line.split()[:1] == [last]:
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err
    if rows:
        assert b"interrupted (SIGINT)" in err
        assert load("s.npz").n_seen == 3
    else:
        assert err == b"sonlearn: interrupted: nothing was saved\n"
        assert not Path("s.npz").exists()


# ------------------------------------------------------------------------------------------------- models


def test_a_model_whose_content_does_not_fit_is_named(cli):
    cli("train", "--quiet", "-m", "3", "-f", "model", "a.svm")
    header, arrays = storage.read("model")
    lost = next(name for name in arrays if name.startswith("state."))
    storage.write("model", header, {name: array for name, array in arrays.items() if name != lost})
    for command in ("inspect model", "train -i model a.svm", "predict -i model a.svm"):
        assert cli.error(*command.split()).startswith("model: the model's content does not fit together")
