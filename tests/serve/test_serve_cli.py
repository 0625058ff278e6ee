"""``sonlearn serve`` as a command: its flags, its end, what it saves. And the page about it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import asked_by_shell, names, of_the_page, post, serving
from places import ROOT

from sonlearn.cli import main

SAMPLE = ROOT / "data" / "sample.vw"
pytestmark = pytest.mark.limit(120)
SERVER = ("uvicorn", "starlette", "httptools", "prometheus_client")


def needs_server():
    for name in SERVER:
        pytest.importorskip(name, reason="the extra serve is not installed")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    Path("first.vw").write_bytes(b"".join(lines[:100]))
    Path("then.vw").write_bytes(b"".join(lines[100:150]))
    assert main(["train", "--quiet", "--method", "nag", "-f", "model", "first.vw"]) == 0
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_predicts_as_predict_does_and_ends_at_a_signal(number, cli):
    needs_server()
    expected = cli.out("predict --quiet -i model then.vw")
    with serving("-i", "model", "--tcp", "0") as (process, (http, tcp), _):
        assert post(http, "/predict", Path("then.vw").read_bytes()) == expected
        with socket.create_connection(("127.0.0.1", int(tcp)), timeout=60) as client, client.makefile("rb") as answers:
            for line, prediction in zip(Path("then.vw").read_bytes().splitlines(), expected.splitlines(), strict=True):
                client.sendall(line + b"\n")
                assert answers.readline().decode().rstrip("\n") == prediction
        before = Path("model").read_bytes()
        process.send_signal(number)
        assert (process.wait(20), process.stderr.read()) == (0, "")
    assert Path("model").read_bytes() == before
    assert names() == ["first.vw", "model", "then.vw"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_what_it_has_learned_is_saved_as_train_would_have(cli):
    needs_server()
    cli.out("train --quiet -i model -f expected then.vw")
    lines = Path("then.vw").read_bytes().splitlines(keepends=True)
    learning = ("-i", "model", "--tcp", "0", "--learn", "-f", "learned", "--checkpoint", "10")
    with serving(*learning) as (process, (http, tcp), _):
        for i in range(0, 40, 10):
            post(http, "/learn", b"".join(lines[i : i + 10]))
        for _ in range(500):
            if Path("learned").exists():
                break
            time.sleep(0.01)
        cli.out("inspect learned")  # whole, while it is being learned on
        with socket.create_connection(("127.0.0.1", int(tcp)), timeout=60) as client:
            client.sendall(b"".join(lines[40:]))
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass
        process.send_signal(signal.SIGTERM)
        assert (process.wait(20), process.stderr.read()) == (0, "")
    assert Path("learned").read_bytes() == Path("expected").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_model_that_takes_the_place_of_the_served_one_is_not_overwritten(cli):
    needs_server()
    cli.out("train --quiet -i model -f expected then.vw")
    cli.out("train --quiet --method nag -f new then.vw")
    new = Path("new").read_bytes()
    with serving("-i", "model", "--learn", "-f", "model") as (process, (http,), _):
        post(http, "/learn", Path("then.vw").read_bytes())
        os.replace("new", "model")
        process.send_signal(signal.SIGTERM)
        line = "another file has taken its place, and stays; what this server learns goes to model.learned\n"
        assert (process.wait(20), process.stderr.read()) == (0, f"sonlearn: warning: model: {line}")
    assert Path("model").read_bytes() == new
    assert Path("model.learned").read_bytes() == Path("expected").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "serve needs a model; give -i MODEL"),
        (["-i", "model", "then.vw"], "serve takes no files, 'then.vw' given; rows come over the network"),
        (["-i", "model", "--learn"], "--learn: what is learned has to be saved; give -f MODEL (it may be"),
        (["-i", "model", "-f", "x"], "-f, --checkpoint and --checkpoint-minutes are for a server that"),
        (["-i", "model", "--port", "none"], "serve: there is nothing to listen on; give --port PORT or --tcp PORT"),
        (["-i", "model", "--port", "x"], "--port x: expected a port from 0 to 65535, or none"),
        (["-i", "model", "--tcp", "65536"], "--tcp 65536: expected at most 65535"),
        (["-i", "model", "--learn", "-f", "no/such"], "no/such: cannot be written: there is no folder"),
        (["-i", "model", "--learn", "-f", "-"], "-f -: a model is a binary file; give it a name"),
        (["-i", "first.vw", "--port", "0"], "first.vw: no model"),
        (["-i", "model", "--passes", "2"], "--passes: sonlearn serve has no such flag, but sonlearn train has"),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, line, cli):
    if "first.vw" in arguments:
        needs_server()
        assert "first.vw: " in cli.error("serve", *arguments)
        return
    assert cli.error("serve", *arguments).startswith(line)


def test_a_port_that_is_taken(cli):
    needs_server()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = cli.error("serve", "-i", "model", "--port", port)
        assert line == f"--port {port}: cannot listen on 127.0.0.1: address already in use; give another port"
        assert cli.error("serve", "-i", "model", "--port", "none", "--tcp", port).startswith(f"--tcp {port}: cannot")


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_a_model_that_a_server_writes_is_no_other_servers(cli):
    needs_server()
    os.symlink("learned", "link")
    for _ in range(2):  # the first is killed, and leaves its lock to be taken
        with serving("-i", "model", "--learn", "-f", "learned") as (process, (http,), _):
            error = cli.error("serve -i model --port 0 --learn -f link")
            assert error == "link: another process writes to it; end that one, or give another name"
            cli.out("train --quiet -i model -f other then.vw")  # tidies the folder
            for other in ("serve -i model --port 0 --learn", "train then.vw", "tune --grid method=nag then.vw"):
                assert "learned: another process writes to it" in cli.error(f"{other} -f learned")
            post(http, "/learn", Path("then.vw").read_bytes())
            process.kill()
    with serving("-i", "model", "--learn", "-f", "learned") as (process, _, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert names() == ["first.vw", "learned", "link", "model", "other", "then.vw"]


def test_without_the_extra():
    """All packages that are missing are named at once."""
    program = (
        f"import sys; sys.modules |= dict.fromkeys({SERVER}); import sonlearn.cli as c; sys.exit(c.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "serve", "-i", "model", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    packages = "starlette, uvicorn, httptools and prometheus_client are not installed"
    assert done.stderr == f"sonlearn: serve: {packages}; in a copy of the source: pip install '.[serve]'\n"


@pytest.mark.skipif(os.name != "posix", reason="commands for a POSIX shell")
def test_the_page_of_the_server(monkeypatch):
    """The commands of docs/serve.md, one after the other, with their answers."""
    needs_server()
    commands = of_the_page(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", 5)
    assert main(["train", "--quiet", "-f", "model", str(SAMPLE)]) == 0
    with serving("-i", "model", "--learn", "-f", "model") as (_, (http,), _):
        for command, expected in commands:
            found, expected = asked_by_shell(command, http).splitlines(), [line[4:] for line in expected.splitlines()]
            assert len(found) == len(expected), (command, found)
            for ours, theirs in zip(found, expected, strict=True):
                assert close(ours, theirs), (ours, theirs)


def close(ours, theirs):
    """Whether two lines are the same but for the last digits of numbers."""
    number = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
    pairs = zip(number.findall(ours), number.findall(theirs), strict=False)
    return number.sub("#", ours) == number.sub("#", theirs) and all(
        abs(float(a) - float(b)) <= 2e-4 * max(1, abs(float(b))) for a, b in pairs
    )  # fmt: skip


def test_json_is_a_format_of_all_verbs(cli):
    record = {"_label": 1, "a": {"x": 1.5, "colour": "red"}}
    Path("rows.json").write_text("".join(json.dumps(record | {"_label": (-1) ** i}) + "\n" for i in range(20)))
    Path("bad.json").write_text('{"_label": 1}\n{"a": }\n')
    cli.out("train --quiet --method nag --json -f m rows.json")
    Path("same.vw").write_text("1 |a x:1.5 colourred\n" * 20)
    rest = ("rows.json", "--json rows.json", "--format json rows.json", "same.vw")
    assert len({line for files in rest for line in cli.out(f"predict --quiet -i m {files}").splitlines()}) == 1
    cli.out("sketch --quiet -o s rows.json")
    cli.out("convert --to vw -o out.vw rows.json")
    assert Path("out.vw").read_text().count("\n") == 20
    told = "bad.json:2:7: found '}', expected a value; --on-error skip leaves such lines out"
    assert cli.error("train", "--quiet", "-f", "none", "bad.json") == told
    assert not Path("none").exists()
    err = cli.err("train --quiet --method nag --cache --passes 2 -f n rows.json")
    assert "rows.json is asked for" not in err
