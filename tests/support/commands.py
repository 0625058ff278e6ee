"""The command line called in this process, and what it said."""

import contextlib
import io
import json
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest
from places import ROOT

from sonlearn.cli import main

#: The command line in a process of its own.
PROGRAM = [sys.executable, "-m", "sonlearn"]
#: Lines of output that differ from run to run.
TIMING = ("elapsed time", "examples a second", "compiling kernels")


class Done(NamedTuple):
    """What a command returned and printed; errors without the lines on compilation and the newline at the end."""

    status: int
    out: str
    err: str


class CommandLine:
    """Call the command line, with words, or with one text that is a whole line.

    Parameters
    ----------
    capture : pytest's ``capsysbinary``
    """

    def __init__(self, capture):
        self._capture = capture

    def __call__(self, *words):
        """Status, standard output, standard error; bytes that are no UTF-8 are kept as Python keeps those of names."""
        if len(words) == 1 and isinstance(words[0], str):
            words = words[0].split()
        self._capture.readouterr()
        status = main([str(word) for word in words])
        out, err = (text.decode("utf-8", "surrogateescape") for text in self._capture.readouterr())
        err = "\n".join(line for line in err.split("\n") if "compiling kernels" not in line)
        return Done(status, out, err.rstrip("\n"))

    def out(self, *words):
        """Standard output of a command that succeeds."""
        return self.both(*words)[0]

    def err(self, *words):
        """Standard error of a command that succeeds."""
        return self.both(*words)[1]

    def both(self, *words):
        """(standard output, standard error) of a command that succeeds."""
        done = self(*words)
        assert done.status == 0, done.err
        return done.out, done.err

    def error(self, *words):
        """The error of a command that fails, as `one_line` takes it."""
        return one_line(self(*words))


def one_line(done):
    """The error of a failed command, which is one line and no bug, without the program's name."""
    assert (done.status, len(done.err.splitlines())) == (1, 1), done.err
    assert "this is a bug" not in done.err
    assert done.err.startswith("sonlearn: ")
    return done.err.removeprefix("sonlearn: ")


def in_this_process(words, given=""):
    """What a command line returns and prints, which is `given` a standard input."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        status = main(words)
    return Done(status, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def names():
    """Names of what is in the current folder."""
    return sorted(path.name for path in Path().iterdir())


def start(*arguments, **pipes):
    """The command line under way in a process of its own."""
    return subprocess.Popen([*PROGRAM, *map(str, arguments)], **pipes)


def summary(error, name):
    """A value of the summary of a run."""
    return re.search(rf"^{name} = (\S+)", error, re.MULTILINE)[1]


@contextlib.contextmanager
def serving(*arguments):
    """(process, its ports, the lines that it said before) of ``sonlearn serve`` under way."""
    with start("serve", "--port", "0", *arguments, stderr=subprocess.PIPE, text=True) as process:
        try:
            lines, ports = [], []
            while not ports and (line := process.stderr.readline()):
                lines.append(line)
                ports = re.findall(r"127\.0\.0\.1:(\d+)", line)
            yield process, ports, lines
        finally:
            if process.poll() is None:
                process.kill()


def post(port, path, body, media="text/plain"):
    """The answer to a request."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, {"content-type": media})
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read().decode()


def post_json(port, path, value):
    """The decoded answer to a request of JSON."""
    return json.loads(post(port, path, json.dumps(value).encode(), "application/json"))


def of_the_page(pattern, at_least):
    """What is like `pattern` in docs/serve.md, whose commands need curl; a test that has none of these skips."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    found = re.findall(pattern, (ROOT / "docs" / "serve.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) >= at_least
    return found


def asked_by_shell(command, port):
    """What a command of that page prints when it asks this port."""
    assert ":8080/" in command
    command = command.replace(":8080/", f":{port}/")
    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True).stdout


def tokens(line: str) -> list[float | str]:
    """The words of a line, numbers as such, with or without a comma behind."""

    def value(token: str) -> float | str:
        try:
            return float(token.rstrip(","))
        except ValueError:
            return token

    return [value(token) for token in line.split()]
