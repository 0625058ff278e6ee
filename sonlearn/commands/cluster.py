"""``--cluster``: sketch, train, tune and predict on a Dask cluster. What a verb refuses and reports is as without."""

from __future__ import annotations

import contextlib
import logging
import os
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.commands import train as one
from sonlearn.commands import tune as table
from sonlearn.commands.checks import STDIN, check_run, flags_given
from sonlearn.commands.line import Line
from sonlearn.commands.messages import refused_warning, require_extra, show_notes, skipped_warning, to_stderr, warn
from sonlearn.commands.models import run_model, save_model, settings_text
from sonlearn.commands.passes import FINISHED
from sonlearn.commands.sketch import check_outputs, finish
from sonlearn.commands.sketch import options_of as sketch_options_of
from sonlearn.data.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.interrupts import Interrupts
from sonlearn.learn.predicted import Predicted, chosen_of
from sonlearn.options.run import ClusterOptions, RunOptions
from sonlearn.report.facts import members_at_work
from sonlearn.report.labels import six_digits
from sonlearn.text.columns import MULTICLASS_NOTE, Labelling
from sonlearn.text.malformed import SHOWN_ERRORS
from sonlearn.text.read import Reader, expand_globs
from sonlearn.text.source import is_arrow, is_regular, read_chunks, source_name
from sonlearn.text.suspicions import with_encoding_notes
from sonlearn.tuning.search import criterion, labelling

#: Seconds to wait for a scheduler to answer.
WAIT_SECONDS = 10
#: How long a worker of a local cluster may take to start again after its death. Dask gives up after 15 seconds.
RESTART = "5 minutes"
#: Workers of a local cluster up to which they are threads of this process, which saves their start and what they send
#: each other. A tenth of a learner's time is Python's, where threads wait for each other; more workers are processes.
THREADS = 4
#: What cannot be shared out, by field of `RunOptions`, and why.
_ALONE = {
    "predictions": "what learners of partitions predict is not what the model predicts; predict afterwards",
    "raw_predictions": "what learners of partitions predict is not what the model predicts; predict afterwards",
    "save_per_pass": "the model is there at the end", "checkpoint": "the model is there at the end",
    "checkpoint_minutes": "the model is there at the end", "resume": "the model is there at the end",
    "audit": "examples are explained in one process; leave --cluster out",
    "join": "each worker reads its own files", "examples": "workers read their own partitions of the data, to the end",
    "invert_hash": "the model is there at the end; sonlearn inspect MODEL shows weights",
    "log_json": "learners of partitions do not learn one after the other", "report": "it is of a run in one process",
    "progress_bar": "a row for each learner is printed at the end",
    "cache": "each worker reads its own files", "cache_file": "each worker reads its own files",
}  # fmt: skip


@contextlib.contextmanager
def connected(where: ClusterOptions) -> Iterator[Any]:
    """A client of the cluster; what was started here ends with the block. Raises OptionError."""
    import dask.config
    from distributed import Client, LocalCluster

    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")
        address: Any = where.cluster
        if address == "local":
            count = where.workers or os.cpu_count() or 1
            stack.enter_context(dask.config.set(local_settings(dask.config.get("distributed.nanny.pre-spawn-environ"))))
            apart: dict[str, Any] = {"host": "127.0.0.1", "preload": "sonlearn.cluster.tasks"}
            address = stack.enter_context(
                LocalCluster(
                    n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL,
                    **({"processes": False, "memory_limit": 0} if count <= THREADS else apart | {"processes": True}),
                )
            )  # fmt: skip
        try:
            client = stack.enter_context(Client(address, timeout=WAIT_SECONDS, set_as_default=False))
        except (OSError, ValueError) as error:
            raise OptionError(f"--cluster {where.cluster}: no Dask scheduler answers there") from error
        if not client.nthreads():  # an adaptive cluster starts workers when it is asked to work
            with contextlib.suppress(TimeoutError):
                client.submit(os.getpid, pure=False).result(timeout=WAIT_SECONDS)
        if not client.nthreads():
            raise OptionError(f"--cluster {where.cluster}: the scheduler has had no workers for {WAIT_SECONDS} seconds")
        yield client


def local_settings(environment: dict[str, Any]) -> dict[str, Any]:
    """Dask's configuration for workers of this machine, whose `environment` it would set otherwise.

    Nobody looks at the profiles that it takes of them. With its limit for free memory, all arrays of more than 128 KB
    are asked of the system, and given back, one by one: a quarter of all processor time.
    """
    found = {"distributed.deploy.lost-worker-timeout": RESTART, "distributed.worker.profile.enabled": False}
    found |= {"distributed.admin.tick.interval": "500ms", "distributed.worker.memory.monitor-interval": "500ms"}
    watch = {"interval": "10s", "disk": False, "gil.enabled": False}
    found |= {f"distributed.admin.system-monitor.{name}": value for name, value in watch.items()}
    found["distributed.nanny.pre-spawn-environ"] = environment | {"MALLOC_TRIM_THRESHOLD_": None}
    return found


@require_extra("--cluster", "dask")
def sketch(line: Line, where: ClusterOptions) -> int:
    """Do ``sonlearn sketch --cluster``; return the exit status. Raises SonlearnError, and then nothing was saved."""
    options, text, run, report = sketch_options_of(line)
    if report.merge or report.error:
        flag = "--merge" if report.merge else "--error"
        raise OptionError(f"{flag} with --cluster: that is done in one process; leave --cluster out")
    sources, _ = _files(run)
    check_outputs(report, sources, run.quiet)
    from sonlearn.cluster import dask

    reading = dask.Reading(text, run.on_error, run.max_errors)
    with Interrupts(at_once=True), connected(where) as client:
        done = dask.sketched(sources, options, reading, report.zero_based, client)
    finish(done.sketch, report, _sayer(run))
    warn(*skipped_warning(done.skipped, done.errors))
    return 0


@require_extra("--cluster", "dask")
def train(line: Line, where: ClusterOptions) -> int:
    """Do ``train`` or ``predict --cluster``; return the exit status. Raises SonlearnError; then nothing was saved."""
    options, bandit = one.options_of(line)
    if one.of_decisions(options, bandit):
        raise OptionError("--cluster: decisions are learned in one process; leave it out")
    given = line.given
    if options.testonly:
        return predict(given, options, where)
    _check_alone(options)
    if options.passes > 1:
        raise OptionError(f"--passes {options.passes} with --cluster: one pass; go on with train -i without --cluster")
    check_run(options)
    (sources, warned), say, started = _files(options), _sayer(options), time.perf_counter()
    model, learn, text = run_model(options, given)
    from sonlearn.cluster import dask

    reading = dask.Reading(text, options.on_error, options.max_errors, Labelling.of(learn))
    with Interrupts(at_once=True), connected(where) as client:
        trained = dask.trained(
            sources, learn, reading, learners=where.workers, rounds=where.rounds, client=client, start=model.learner
        )
    model.names.join(trained.names.known)
    if options.final_regressor is not None:
        save_model(options.final_regressor, trained.learner, None, model.names)
    say(*[MULTICLASS_NOTE] * (trained.learner.options.classes != learn.classes))
    say(*_report(trained, sources, options, time.perf_counter() - started))
    warn(*skipped_warning(trained.skipped, trained.errors))
    show_notes((text for text in trained.notes if text not in warned), say)
    warn(*refused_warning(trained.refused, trained.first_refused))
    if trained.merge is not None and not trained.merge.examples:
        warn("the last part has no examples: nothing tells how well the merged learner predicts")
    elif trained.merge is not None and trained.merge.of_one_class:
        warn(
            "the last part's labels are all alike: the averages are of that class alone, and the merged "
            "learner has settled on it; give files or rows in an order that does not matter"
        )
    return 0


@require_extra("--cluster", "dask")
def tune(line: Line, where: ClusterOptions) -> int:
    """Do ``sonlearn tune --cluster``; return the exit status. Raises SonlearnError, and then nothing was saved."""
    settings, text, options, choice = table.options_of(line)
    _check_alone(options)
    for flag, is_given, why in (
        (f"--passes {options.passes}", options.passes > 1, "one pass; leave --cluster out"),
        ("--halving", choice.halving, "it compares all settings at one row; leave --cluster out"),
        (f"--rounds {where.rounds}", where.rounds is not None, "settings are not merged"),
    ):
        if is_given:
            raise OptionError(f"{flag} with --cluster: {why}")
    check_run(options, choice.table)
    (sources, _), say, started = _files(options), _sayer(options), time.perf_counter()
    from sonlearn.cluster import dask, tuning

    by = criterion([setting.options for setting in settings.settings], choice.by)
    reading = dask.Reading(text, options.on_error, options.max_errors, labelling(settings.settings))
    with Interrupts(at_once=True), connected(where) as client:
        found = tuning.tuned(settings.settings, sources, reading, by, workers=where.workers, client=client)
    if options.final_regressor is not None:
        save_model(options.final_regressor, found.learner, None, found.names)
    best, seconds = found.results[0], time.perf_counter() - started
    if choice.table is not None:
        table.write_table(choice.table, found.results)
    say(
        *[MULTICLASS_NOTE] * (found.learner.options.classes != settings.settings[0].options.classes),
        f"data = {' '.join(sources)}", *table.setup_lines(settings, by, choice),
        *_ending(best.examples, best.loss, best.error, found.learner), f"best setting = {best.setting.flags}",
        f"elapsed time = {seconds:.3f} s", "", *table.results_table(found.results),
    )  # fmt: skip
    warn(*skipped_warning(found.skipped, found.errors))
    return 0


def predict(given: dict[str, Any], options: RunOptions, where: ClusterOptions) -> int:
    """Predict what one process would; return the exit status."""
    _check_alone(options, ("audit", "join"))
    _files(options)
    check_run(options)
    session = _ClusterSession(given, options)
    with Interrupts(at_once=True), connected(where) as session.client:
        return session.run()


class _ClusterSession(one.TrainingSession):
    """A session whose predictions come from a cluster."""

    client: Any

    def make_reader(self) -> Reader:
        """Return what keeps account of malformed lines; workers read."""
        return Reader(self.sources, self.read_as, on_error="skip")

    def batches(self, rows: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the cluster's batches, which are without features; `predicted_there` is of the last one."""
        from sonlearn.cluster import dask

        client, options, reader = self.client, self.options, self.reader
        self.features_unknown = False  # batches come back without their features, so nobody here knows
        reading = dask.Reading(self.read_as, options.on_error, options.max_errors, self.labelling)
        parts, reading = dask.with_format(client, self.sources, reading)
        reader.format, malformed, empty = reading.text.format, reader.malformed, True
        for answered in dask.predicted_parts(self.learner, parts, reading, client):
            malformed.count += answered.skipped
            malformed.errors += answered.errors[: SHOWN_ERRORS - len(malformed.errors)]
            reader.notes += answered.notes
            for batch, self.predicted_there in answered.batches:
                before, malformed.tags = [(0, tag) for tag in malformed.tags], []
                empty = False
                yield batch._replace(skipped=[*before, *(batch.skipped or ())] or None)
            malformed.tags += answered.left
            malformed.fatal = answered.problem if answered.malformed else None
            if answered.problem is not None:
                raise answered.problem
        if empty:
            raise dask.empty_error(parts, malformed.count, malformed.errors)

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Predicted:
        """Return what the cluster predicts of the batch, of which --examples may have left only the first rows."""
        predicted: Predicted = chosen_of(self.predicted_there, slice(batch.n))
        return predicted


def _check_alone(options: RunOptions, names: Collection[str] = _ALONE) -> None:
    """Raise OptionError for what cannot be shared out."""
    for flag, name, _ in flags_given(options, names):
        raise OptionError(f"{flag} with --cluster: {_ALONE[name]}")


def _files(options: RunOptions) -> tuple[list[str], list[str]]:
    """The data; workers read them, so they have to be files. And what was said of their bytes."""
    sources = list(options.data)
    if not sources or any(source in STDIN for source in sources):
        raise OptionError("--cluster: workers cannot read standard input; give files")
    notes: list[str] = []
    for source in filter(is_regular, expand_globs(sources)):
        if not is_arrow(source):
            next(with_encoding_notes(read_chunks(source), source_name(source), notes), None)
    warn(*notes)
    return sources, notes


def _sayer(options: RunOptions) -> Callable[..., None]:
    return (lambda *lines: None) if options.quiet else to_stderr


def _report(trained: Any, sources: list[str], options: RunOptions, seconds: float) -> list[str]:
    """Return what was learned from, how each learner did on its own parts, and the combiner on the further ones."""
    learner = trained.learner
    lines = [f"data = {' '.join(sources)}"]
    if options.final_regressor is not None:
        lines.append(f"final_regressor = {options.final_regressor}")
    lines += [settings_text(learner.options), settings_text(learner.text, keep=("format",)), ""]
    lines.append(f"{'learner':<10} {'parts':>12} {'examples':>12} {'average loss':>14} {'average error':>14}")
    plan = trained.plan
    rows = [(str(g + 1), plan.of(g), progress) for g, progress in enumerate(trained.each)]
    if trained.merge is not None:
        rows.append(("merged", [plan.rounds[-1][-1][-1:]], trained.merge))
    for name, parts, progress in rows:
        spans = [f"{own.start + 1}-{own.stop}" if len(own) > 1 else f"{own.start + 1}" for own in parts]
        span = ",".join(spans) if len(spans) < 3 else f"{spans[0]},..,{spans[-1]}"
        loss, error = map(six_digits, (progress.result.average_loss, progress.result.average_error))
        lines.append(f"{name:<10} {span:>12} {progress.examples:>12} {loss:>14} {error:>14}")
    examples, last = sum(progress.examples for _, _, progress in rows), rows[-1][2].result
    return [
        *lines, *_ending(examples, last.average_loss, last.average_error, learner), f"elapsed time = {seconds:.3f} s",
        f"examples a second = {examples / max(seconds, 1e-9):.0f}",
    ]  # fmt: skip


def _ending(examples: int, loss: float | None, error: float | None, learner: Any) -> list[str]:
    """Begin the summary, as one process does."""
    return [
        "", FINISHED, f"number of examples = {examples}", f"average loss = {six_digits(loss)}",
        f"average error = {six_digits(error)}", *members_at_work(learner),
    ]  # fmt: skip
