"""The log of events: decisions and their rewards in a database of SQLite, on the disk before they are answered.

A decision is a row: its id, its line of dsjson without a cost, and the reward when it has come. Decisions are numbered
as they are made, rewards as they come. A model keeps how many of both it has seen (`EventLog.mark`). Of a model of rows
the log has the rows that were predicted, as JSON, in the place of decisions, and their labels in the place of rewards.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

from sonlearn.errors import ModelFileError, OutputError, SonlearnError, shorten

#: What a log may be of; says what kind of database this is: `PRAGMA application_id`.
_KINDS = {"decisions": 0x736F6E6C, "rows": 0x736F6E6D}
#: What events are called, and what comes late.
_NAMES = {"decisions": ("event", "reward"), "rows": ("id", "label")}
_TABLES = (
    "create table events (number integer primary key, id text not null unique, made real not null, "
    "line text not null, reward real, rewarded integer unique)",
    "create table counts (log text not null, decisions integer not null, rewards integer not null)",
)
#: What SQLite says of a file of another kind.
_OTHER = "file is not a database"


class UnknownEventError(SonlearnError):
    """No event has this id."""

    status = 404


class KnownEventError(SonlearnError):
    """The event has its reward or its label, or another row has its id."""

    status = 409


class Event(NamedTuple):
    """A decision, a line of dsjson without a cost, and its reward; or a row as JSON, and the member of its label.

    Without a reward or label yet: None.
    """

    line: str
    reward: float | str | None

    @property
    def text(self) -> str:
        """The line, with the cost if there is a reward, or with the label as the last member, which counts."""
        if isinstance(self.reward, str):
            return f"{self.line[:-1]},{self.reward}}}"
        return self.line if self.reward is None else f'{{"_label_cost":{json.dumps(0 - self.reward)},{self.line[1:]}'


class EventLog:
    """Events in a database.

    Parameters
    ----------
    path : str
        It is made if it is not there.
    of : str
        ``decisions`` or ``rows``; empty: of what it is of.

    Attributes
    ----------
    pending : int
        Events without a reward.
    names : tuple of str
        What an event is called, and what comes late.

    Raises
    ------
    ModelFileError
        The file is something else.
    OutputError
        It cannot be written.
    """

    def __init__(self, path: str, of: str = "decisions"):
        self.path, self.of = path, of
        with _reported(path, "opened"):
            self._database = sqlite3.connect(os.path.abspath(path), isolation_level=None, check_same_thread=False)
            try:
                self._open()
            except BaseException:
                self._database.close()
                raise

    def mark(self) -> dict[str, Any]:
        """Return what a model keeps of the log that it learned from: its name, and how many events there have been."""
        return dict(zip(("log", "decisions", "rewards"), self._counts, strict=True))

    def find(self, event: str) -> Event | None:
        """The event with this id; None: there is none. Raises OutputError where the log is not to be read."""
        found = self._read("select line, reward from events where id = ?", _escaped(event))
        return next(itertools.starmap(Event, found), None)

    def pending_event(self, event: str, now: Container[str]) -> Event:
        """The event with this id, which waits for its reward or label; `now`: those whose own comes just now.

        Raises
        ------
        UnknownEventError, KnownEventError
            There is none, or it does not wait.
        """
        (name, late), found = self.names, self.find(event)
        if found is None:
            raise UnknownEventError(f"{name} {shorten(event)}: no such {name}, or one that was removed")
        if event in now or found.reward is not None:
            raise KnownEventError(f"{name} {shorten(event)}: it has its {late}; nothing was changed")
        return found

    def append(self, decisions: list[tuple[str, str]], rewards: Sequence[tuple[str, float | str]]) -> None:
        """Append decisions, (id, line) each, and rewards, (id, reward) each; they are on the disk afterwards.

        Raises OutputError: then none of them is in the log.
        """
        log, decided, rewarded = self._counts
        made = [(decided + i, _escaped(event), line, time.time()) for i, (event, line) in enumerate(decisions, 1)]
        come = [(reward, rewarded + i, _escaped(event)) for i, (event, reward) in enumerate(rewards, 1)]
        counts = log, decided + len(made), rewarded + len(come)
        with self._writing() as database:
            database.executemany("insert into events (number, id, line, made) values (?, ?, ?, ?)", made)
            for each in come:
                if not database.execute("update events set reward = ?, rewarded = ? where id = ?", each).rowcount:
                    raise sqlite3.OperationalError("an event was removed that has a reward")
            database.execute("update counts set decisions = ?, rewards = ?", counts[1:])
        self._counts = counts
        self.pending += len(made) - len(come)
        self._refresh_pending()

    def covers(self, mark: dict[str, Any] | None) -> bool:
        """Return whether a model with this `mark` has learned from this log.

        Raises ModelFileError where it has learned from more than there is, or where some of what follows was removed.
        """
        if mark is None or mark.get("log") != self._counts[0]:
            return False
        for what, name in zip(("decisions", "rewards"), (self.of, f"{self.names[1]}s"), strict=True):
            has, seen = self.mark()[what], mark[what]
            if has < seen:
                raise ModelFileError(
                    f"{self.path}: found {has} {name}, and the model has seen {seen}; give the whole log"
                )
        ((there,),) = self._read("select count(*) from events where rewarded > ?", mark["rewards"])
        if removed := self._counts[2] - mark["rewards"] - there:
            found = f"{removed} {name} that the model has not learned were removed"
            raise ModelFileError(f"{self.path}: {found}; give a model that was saved later, or a new log")
        return True

    def rewarded(self, after: int) -> Iterator[Event]:
        """The events that have a reward, in the order of the rewards, without the first `after` rewards."""
        query = "select line, reward from events where rewarded > ? order by rewarded"
        return itertools.starmap(Event, self._read(query, after))

    def saved(self, mark: dict[str, Any]) -> None:
        """Note that a model with this `mark` was saved; any thread may. What is not noted is not removed."""
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(self.path)) as database:
            database.execute(f"pragma user_version = {mark['rewards'] + 1}")

    def older(self, made: float, removable: bool = False) -> Iterator[Event]:
        """Events `made` at that time (in seconds since 1970) or before, as they were when the log was opened.

        Those with a reward come first, in the order of the rewards; if `removable`, without those whose reward the
        saved model has not learned: it would be lost.
        """
        _, decided, rewarded = self._counts
        select = "select line, reward from events where made <= ? and "
        most = self._removable if removable else rewarded
        yield from itertools.starmap(Event, self._read(select + "rewarded <= ? order by rewarded", made, most))
        others = "number <= ? and (rewarded is null or rewarded > ?) order by number"
        for line, _ in self._read(select + others, made, decided, rewarded):
            yield Event(line, None)

    def remove(self, made: float) -> None:
        """Remove what `older` gives if `removable`, but for events whose reward has come since. Raises OutputError."""
        older = "made <= ? and number <= ? and (rewarded is null or rewarded <= ?)"
        with self._writing() as database:
            database.execute(f"delete from events where {older}", (made, self._counts[1], self._removable))

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _open(self) -> None:
        execute = self._database.execute
        (kind,), (tables,) = (
            execute(query).fetchone() for query in ("pragma application_id", "select count(*) from sqlite_master")
        )
        of = next((name for name, number in _KINDS.items() if number == kind), "") if tables else self.of
        if not of:
            raise sqlite3.DatabaseError(_OTHER)
        if of != (self.of or of):
            raise ModelFileError(f"{self.path}: found a log of {of}, expected one of {self.of}; give another file")
        self.of, self.names = of, _NAMES[of]
        execute("pragma journal_mode = wal")  # a log that is written to can be read
        execute("pragma synchronous = full")
        if not tables:
            with self._writing():
                for statement in (*_TABLES, f"pragma application_id = {_KINDS[of]}"):
                    execute(statement)
                execute("insert into counts values (?, 0, 0)", (secrets.token_hex(16),))
        self._counts = execute("select log, decisions, rewards from counts").fetchone() or (None,)
        if None in self._counts:
            raise sqlite3.DatabaseError("its counts are missing")
        (saved,) = execute("pragma user_version").fetchone()  # 0: by no server that learns
        self._removable = min(saved - 1, self._counts[2]) if saved else self._counts[2]
        self._version = None
        self._refresh_pending()

    def _refresh_pending(self) -> None:
        """Count the events without a reward, if another process has removed some."""
        before, self._version = self._version, self._database.execute("pragma data_version").fetchone()
        if self._version != before:
            ((self.pending,),) = self._read("select count(*) from events where rewarded is null")

    def _read(self, query: str, *values: Any) -> Iterator[Any]:
        """Yield the rows that a query finds. Raises OutputError where the database is damaged."""
        with _reported(self.path, "read"):
            yield from self._database.execute(query, values)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, on the disk at the end of the block. Raises OutputError: then nothing was changed."""
        with _reported(self.path, "written"), self._database:  # which commits it, or rolls it back
            self._database.execute("begin immediate")
            yield self._database


def _escaped(event: str) -> str:
    """An id as the database takes it: half of a surrogate pair has no UTF-8."""
    return event.encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def _reported(path: str, what: str) -> Iterator[None]:
    """Raise what SQLite raises as errors of ours, where a database cannot be `what`."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a message quotes what is damaged
        if str(error) == _OTHER:
            raise ModelFileError(f"{path}: expected a log of events, as serve makes it; give another file") from None
        raise OutputError(f"{path}: cannot be {what}: {error}") from error
