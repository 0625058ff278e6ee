"""The progress bar: on a terminal only, where the length of the input is known, and never in the way of the rest."""

import gzip
import importlib.util
import os
import select
import subprocess
import threading
from pathlib import Path

import pytest
from commands import PROGRAM
from places import ROOT

from sonlearn.options import TextOptions
from sonlearn.text.cache import CachedReader
from sonlearn.text.read import Reader
from sonlearn.text.source import Meter

SAMPLE = ROOT / "data" / "sample.svm"


def shares(reader):
    """How much of the input had been read after each batch."""
    reader.meter = Meter()
    return [reader.meter.share for _ in reader]


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = SAMPLE.read_bytes()
    Path("a.svm").write_bytes(text)
    Path("a.svm.gz").write_bytes(gzip.compress(text))
    rows = "".join(f"{i % 2},{i},{'ab'[i % 2]}\n" for i in range(9000))
    Path("a.csv").write_text("y,x,z\n" + rows)


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("name", ["a.svm", "a.svm.gz"])
def test_what_has_been_read_grows_to_all_of_it(places, name, threads):
    seen = shares(Reader(name, chunk_bytes=20_000, threads=threads))
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert (0 < seen[0] < 0.9, seen[-1]) == (True, 1.0)


def test_several_files_tables_and_caches(places):
    seen = shares(Reader(["a.svm", "a.svm"], chunk_bytes=20_000))
    assert seen[len(seen) // 2 - 1] == pytest.approx(0.5, abs=0.1)
    assert seen[-1] == 1.0
    seen = shares(Reader("a.csv", TextOptions(label="y"), chunk_bytes=10_000))
    assert seen == sorted(seen)
    assert len(seen) > 3
    assert (0 < seen[0] < 0.5, seen[-1]) == (True, 1.0)
    reader = CachedReader("a.svm", path="cache", chunk_bytes=20_000)
    text, cached = shares(reader), shares(reader)
    assert reader.reason is None
    assert text[-1] == 1.0
    assert cached == sorted(cached)
    assert 0.9 < cached[-1] <= 1.0  # but for what stands at the end of a cache


def test_parquet(places, pyarrow, parquet):
    table = pyarrow.table({"y": [0.0, 1.0] * 20_000, "x": list(range(40_000))})
    parquet.write_table(table, "a.parquet", row_group_size=5000)

    seen = shares(Reader("a.parquet", TextOptions(label="y")))
    assert seen == sorted(seen)
    assert seen[-1] > 0.8


def test_the_length_of_a_stream_is_not_known(places):
    with open("a.svm", "rb", buffering=0) as file:
        assert set(shares(Reader(file))) == {None}


# ------------------------------------------------------------------------------------------------- the command line


def on_a_terminal(*arguments, stdin=None):
    """Run the command with standard error on a terminal of 100 columns; (status, what it shows)."""
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    fcntl, pty, termios = map(pytest.importorskip, ("fcntl", "pty", "termios"))  # terminals of Unix
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, b"\x28\0\x64\0\0\0\0\0")
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command, given = [*PROGRAM, *arguments], stdin or subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=given, stderr=theirs, env=environment)
    os.close(theirs)
    shown, timer = bytearray(), threading.Timer(60, process.kill)
    timer.start()
    while True:
        try:
            select.select([ours], [], [])
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    timer.cancel()
    os.close(ours)
    return process.wait(), shown.decode()


@pytest.mark.parametrize("passes", [1, 3])
def test_a_bar_takes_the_place_of_the_rows(places, passes):
    status, shown = on_a_terminal("train", "--method", "nag", "--passes", str(passes), "--progress-bar", "a.svm")
    assert status == 0
    assert "100% |" in shown
    assert (" 33% |" in shown) == (passes == 3)  # one batch is a whole pass
    assert "examples/s, loss 0." in shown
    assert ", ," not in shown
    assert "error 0." in shown
    assert "since" not in shown
    assert "\r\n\r\nfinished run\r\n" in shown  # the summary begins on a line of its own
    assert "average loss = 0." in shown


def test_a_bar_while_settings_are_tried(places):
    status, shown = on_a_terminal(
        "tune", "--grid", "method=nag,ogd learning-rate=.5,1e200", "--loss", "squared", "--progress-bar", "a.svm"
    )
    assert status == 0
    assert "100% |" in shown
    assert "since" not in shown
    lines = shown.replace("\r\n", "\n").split("\n")
    assert any(line.startswith("sonlearn: warning: method=ogd learning-rate=1e+200: a.svm:") for line in lines)
    assert "best setting = --loss squared --method " in shown


@pytest.mark.parametrize("arguments", [["-"], ["--quiet", "a.svm"]])
def test_no_bar_where_the_length_is_not_known_or_nothing_is_to_be_said(places, arguments):
    with subprocess.Popen(["cat", "a.svm"], stdout=subprocess.PIPE) as cat:
        status, shown = on_a_terminal("train", "--method", "nag", "--progress-bar", *arguments, stdin=cat.stdout)
    assert status == 0
    assert "%" not in shown
    assert ("average  since" in shown) == (arguments == ["-"])
    assert (shown == "") == ("--quiet" in arguments)


def test_no_bar_where_there_is_no_terminal(places, cli, tqdm):
    texts = []
    for flags in ([], ["--progress-bar"]):
        err = cli.err("train", "--method", "nag", *flags, "a.svm")
        texts.append([line for line in err.split("\n") if "second" not in line and "time" not in line])
    assert texts[0] == texts[1]
    assert "\r" not in "".join(texts[0])


def test_without_tqdm_one_line_says_so(places, cli, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "tqdm" else find(name, *a))
    line = cli.error("train --method nag --progress-bar -f model a.svm")
    assert line == "--progress-bar: tqdm is not installed; pip install tqdm, or leave the flag out"
    assert not Path("model").exists()
