"""The command line called in this process, and what it said."""

from __future__ import annotations

import re

from sonlearn.cli import main


def caller(capture):
    """A function that calls the command line: (status, stdout, stderr but for what tells of compilation).

    `capture` is pytest's `capsys`, or `capsysbinary`: then stdout is bytes. Standard error has no newline at its end.
    """

    def call(*arguments):
        capture.readouterr()
        status = main([str(a) for a in arguments])
        out, err = capture.readouterr()
        text = err.decode() if isinstance(err, bytes) else err
        return status, out, "\n".join(line for line in text.splitlines() if "compiling kernels" not in line)

    return call


def run(capsys, *arguments):
    """(status, standard error) of a command."""
    capsys.readouterr()
    status = main([str(a) for a in arguments])
    return status, capsys.readouterr().err


def one_line(result):
    """The error of a failed call, which is one line, without the program's name."""
    status, _, err = result
    assert (status, len(err.splitlines())) == (1, 1), err
    assert err.startswith("sonlearn: ")
    return err.removeprefix("sonlearn: ").rstrip("\n")


def summary(error, name):
    """A value of the summary of a run."""
    return re.search(rf"^{name} = (\S+)", error, re.MULTILINE)[1]
