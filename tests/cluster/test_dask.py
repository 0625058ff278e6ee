"""A cluster of two processes over eight files sketches, learns and predicts exactly as one process does."""

import concurrent.futures
import csv
import gzip
import itertools
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from commands import PROGRAM, in_this_process
from states import same_state
from streams import entries, zipf

pytest.importorskip("dask", reason="needs the extra dask")
pytest.importorskip("distributed", reason="needs the extra dask")

import dask
import distributed

import sonlearn.dask
from sonlearn import DivergedError, InputError, Learner, LearnOptions, OptionError, TextOptions, read_batches
from sonlearn.cluster import dask as cluster
from sonlearn.cluster import tasks
from sonlearn.cluster.partitions import COPY_EVERY
from sonlearn.commands.cluster import RESTART, local_settings
from sonlearn.data.matrices import to_csr
from sonlearn.jit.decorators import COMPILING
from sonlearn.sketch import load, make_sketch
from sonlearn.sketch.rules import SketchOptions

pytestmark = pytest.mark.filterwarnings("default")
FILES, ROWS = 8, 250
#: Learners that cannot be merged.
OPTIONS = LearnOptions(method="rfd-son", loss="logistic", sketch_size=5)
#: Of learners that cannot be merged.
RANDOM = LearnOptions(method="rp-son", loss="logistic", sketch_size=5)


@pytest.fixture(scope="module")
def here():
    """A client of a cluster of two processes."""
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": RESTART}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
            silence_logs=60,
        ) as workers,
        distributed.Client(workers) as client,
    ):  # fmt: skip
        yield client


@pytest.fixture(autouse=True)
def _first_half(monkeypatch):
    """One learner learns the first half of the files alone, and two share the other half."""
    monkeypatch.setattr(cluster, "FIRST_ROWS", FILES // 2 * ROWS)


@pytest.fixture(autouse=True)
def _both_workers(here):
    """A worker that a test has killed is there again for the next one."""
    yield
    here.wait_for_workers(2, timeout=300)


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """Names of eight compressed files, and the text of each."""
    folder, batch = tmp_path_factory.mktemp("days"), zipf(n=FILES * ROWS, d=400, s=12)
    names, texts = [], []
    for day in range(FILES):
        lines = []
        part = batch.part(day * ROWS, (day + 1) * ROWS)
        for y, row in zip(part.y, entries(part), strict=True):
            lines.append(f"{y:g} " + " ".join(f"{j}:{x:.6g}" for j, x in sorted(row)) + "\n")
        names.append(str(folder / f"day{day + 1}.svm.gz"))
        texts.append("".join(lines))
        with gzip.open(names[-1], "wt") as file:
            file.write(texts[-1])
    return names, texts


def run(*arguments):
    """(status, standard output, standard error) of a command; what a first run says of kernels is left out."""
    done = in_this_process(list(map(str, arguments)))
    return done._replace(err=done.err.replace(f"{COMPILING}\n", ""))


def dying(lines, flag):
    """`lines`; the worker that is asked for them first dies instead."""
    if not os.path.exists(flag):
        with open(flag, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return lines


def parts_with_a_death(texts, flag):
    """The files' lines as delayed parts, the sixth of which kills a worker once."""
    lines = [text.splitlines() for text in texts]
    return [dask.delayed(dying)(part, flag) if i == 5 else dask.delayed(part) for i, part in enumerate(lines)]


def merged_in_one_process(names, options, rounds):
    """Two learners, which are merged after each round and begin with the first rows; those of the last file at the end.

    Half the files have fewer rows than are learned first, and the last one has fewer than are learned last.
    """
    base, previous = Learner(options, TextOptions(format="svmlight")), None
    for batch in read_batches(names[: FILES // 2]):
        base.partial_fit(batch)
    for spans in rounds:
        learners = []
        for a, b in spans:
            learners.append(base.copy())
            for name in names[max(a, FILES // 2) : min(b, FILES - 1)]:
                for batch in read_batches([name]):
                    learners[-1].partial_fit(batch)
        merged = Learner.merge(learners, base)
        if previous is not None:
            merged.carry_on(base, previous)
        base, previous = merged, base
    return base, [base.partial_fit(batch) for batch in read_batches(names[-1:])]


# ------------------------------------------------------------------------------------------------------- sketches


def test_a_sketch_is_the_tree_of_merges(here, days, tmp_path):
    names, texts = days
    with_death = cluster.sketch(parts_with_a_death(texts, str(tmp_path / "died")), "rfd", 10, client=here)
    assert (tmp_path / "died").exists()
    how = tasks.Reading(TextOptions(format="svmlight", constant=False)), SketchOptions(size=10), False, 1
    each = [tasks.sketch_partition(*how, text.splitlines()).sketch for text in texts]
    while len(each) > 1:
        each = [one.merge(other) for one, other in zip(each[::2], each[1::2], strict=True)]
    one, out = make_sketch("rfd", 10), tmp_path / "all.sketch"
    for batch in read_batches(names[:1]):
        one.update(to_csr(batch, 1), grow=True)
    status, _, err = run("sketch", "--cluster", here.scheduler.address, "-l", 10, "-o", out, *names)
    assert (status, f"rows = {FILES * ROWS}\n" in err) == (0, True)
    for found in (with_death, cluster.sketch(names, "rfd", 10, client=here), load(out)):
        assert found.n_seen == FILES * ROWS
        np.testing.assert_array_equal(found.matrix().toarray(), each[0].matrix().toarray())
        assert found.alpha == each[0].alpha
    alone = cluster.sketch(names[0], "rfd", 10, client=here)
    np.testing.assert_array_equal(alone.matrix().toarray(), one.matrix().toarray())
    random = cluster.sketch(names, "gauss", 10, client=here)
    assert random.frobenius == pytest.approx(alone.frobenius * FILES, rel=0.2)
    with pytest.raises(OptionError, match="Oja sketches cannot be merged"):
        cluster.sketch(names, "oja", 10, client=here)


# ------------------------------------------------------------------------------------------------------- learners


def test_one_learner_is_that_of_one_process_also_when_a_worker_dies(here, days, tmp_path):
    """Of learners that cannot be merged there is one, or they are refused."""
    names, texts = days
    expected = Learner(RANDOM, TextOptions(format="svmlight"))
    for batch in read_batches(names):
        expected.partial_fit(batch)
    found = cluster.train(names, RANDOM, learners=1, client=here)
    died = cluster.train(parts_with_a_death(texts, str(tmp_path / "died")), RANDOM, learners=1, client=here)
    assert (tmp_path / "died").exists()
    same_state(found, expected)
    same_state(found, died)
    same_state(cluster.train(names[0], RANDOM, learners=2, client=here), cluster.train(names[0], RANDOM, client=here))
    for options, why in (
        (RANDOM, "--method rp-son: learners of this method cannot be merged"),
        (LearnOptions(method="nag", label_delay=3), "--label-delay: rows wait for their labels"),
        (LearnOptions(method="rp-son", oaa=3), "--method rp-son: learners of this method cannot be merged"),
    ):
        with pytest.raises(OptionError, match=f"{why}.*; on a cluster, have one learner learn them"):
            cluster.train(names, options, learners=2, client=here)


@pytest.mark.parametrize(
    "options",
    [
        LearnOptions(method="committee", members=("nag", "multinomial-bayes:log", "nag:pairs")),
        LearnOptions(method="rfd-son", sketch_size=5),
    ],
)
def test_merged_learners_are_those_of_one_process_also_when_a_worker_dies(here, days, tmp_path, options):
    names, texts = days
    spans = [[(0, 2), (2, 4)], [(4, 6), (6, 8)]]  # half of the files are learned first, by one learner
    expected, predicted = merged_in_one_process(names, options, spans)
    how = {"learners": 2, "rounds": 2, "client": here}
    found = cluster.trained(names, options, tasks.Reading(TextOptions()), **how)
    same_state(found.learner, expected)
    assert found.learner.examples == FILES * ROWS
    assert [progress.examples for progress in found.each] == [6 * ROWS, ROWS]
    loss = found.merge.result.loss / found.merge.result.weight
    assert loss == pytest.approx(np.concatenate([each.loss for each in predicted]).mean(), rel=1e-9)
    died = cluster.train(parts_with_a_death(texts, str(tmp_path / "died")), options, **how)
    assert (tmp_path / "died").exists()
    same_state(found.learner, died)
    # a model of one process is where learners may begin, and a merged one goes on anywhere
    more = cluster.trained(names, options, tasks.Reading(TextOptions()), start=found.learner, **how)
    assert more.learner.examples == 2 * FILES * ROWS


class Watched:
    """Lines of a part. Who reads them writes its number to a file; the first reader of part `fatal` dies."""

    def __init__(self, lines, number, log, fatal=-1):
        self.lines, self.number, self.log, self.fatal = lines, number, log, fatal

    def __iter__(self):
        with open(self.log, "a") as file:
            file.write(f"{self.number}\n")
        if self.number == self.fatal:
            dying((), self.log + ".died")
        return iter(self.lines)


def in_memory(dask_scheduler, keys):
    """Those of `keys` whose results a worker holds."""
    return [key for key in keys if (task := dask_scheduler.tasks.get(key)) and task.who_has]


def test_a_death_costs_no_more_than_the_parts_since_the_last_copy(here, days, tmp_path, monkeypatch):
    """Of sixteen parts for two learners in one round, the sixth of the second one kills its worker."""
    monkeypatch.setattr(cluster, "FIRST_ROWS", 1)
    lines = [line for text in days[1] for line in text.splitlines()]
    parts = [lines[i::16] for i in range(16)]
    options, text = LearnOptions(method="nag"), TextOptions(format="svmlight")
    found, counts, copied = [], [], []
    computed = cluster._computed

    def copying(client, delayed, workers=cluster.REPLICAS):
        """Notes what has been copied; what was before the last copy is in no worker's memory any more."""
        futures = computed(client, delayed, workers)
        deadline = time.monotonic() + 60
        while here.run_on_scheduler(in_memory, keys=list(itertools.chain.from_iterable(copied[1:-1]))):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        copied.append([future.key for future in futures])
        return futures

    monkeypatch.setattr(cluster, "_computed", copying)
    for name, fatal in (("calm", -1), ("death", 13)):
        log = str(tmp_path / name)
        watched = [Watched(part, i, log, fatal) for i, part in enumerate(parts)]
        copied.clear()
        found.append(cluster.train(watched, options, text, learners=2, rounds=1, client=here))
        read = pathlib.Path(log).read_text().split()
        counts.append(np.bincount([int(number) for number in read], minlength=16))
        assert [len(keys) for keys in copied] == [2, 2, 2, 2, 3]  # the first rows, three times two learners, the merged
    same_state(*found)
    assert counts[0].tolist() == [2, *[1] * 14, 2]  # the first and the last rows are learned before and after
    again = counts[1] - counts[0]
    assert os.path.exists(log + ".died")
    assert again[13] == 1
    assert again[8:].sum() <= COPY_EVERY
    assert again[:8].sum() <= COPY_EVERY


def test_bags_paths_and_tables_are_data(here, days, pyarrow):
    names, paths = days[0], [pathlib.Path(name) for name in days[0]]
    make, expected = pytest.importorskip("dask.bag"), None
    for data in (names, paths, make.read_text(names)):
        found = cluster.train(data, OPTIONS, learners=2, client=here)
        same_state(found, expected or found)
        expected = found
    rows = [{"_label": i % 2, "size": i % 7, "kind": "xyz"[i % 3]} for i in range(60)]
    bags = [make.from_sequence(part, npartitions=2) for part in (rows, map(json.dumps, rows))]
    same_state(*(cluster.train(each, LearnOptions(method="nag"), learners=2, client=here) for each in bags))
    of_numpy = make.from_sequence([{**row, "size": np.int64(row["size"])} for row in rows], npartitions=2)
    same_state(*(cluster.train(each, LearnOptions(method="nag"), client=here) for each in (bags[0], of_numpy)))
    wrong = make.from_sequence([(2.5, 1), (0.5, -1)], npartitions=1)
    with pytest.raises(InputError, match=r"<partition 1>:1: found '\(2.5, 1\)' in a bag, expected lines or dicts"):
        cluster.train(wrong, LearnOptions(method="nag"), client=here)
    same_state(cluster.train(paths[0], OPTIONS, client=here), cluster.train(names[0], OPTIONS, client=here))
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame({"y": rng.choice([-1, 1], 60), "a": rng.normal(size=60), "b": ["x", "y", "z"] * 20})
    text = TextOptions(label="y")
    objects = make.from_sequence(table.to_dict("records"), npartitions=3)
    assert cluster.train(objects, LearnOptions(method="nag"), text, client=here).examples == 60
    parts = frames.from_pandas(table, npartitions=3)
    found = cluster.train(parts, LearnOptions(method="nag"), text, learners=2, client=here)
    assert found.examples == 60
    for whole in (frames.from_pandas(table, npartitions=4), table):  # a table in memory is one partition
        assert sum(len(each.raw) for each in cluster.predict(found, whole, client=here)) == 60


@pytest.mark.parametrize("kind", ["text", "table"])
def test_names_of_classes_are_labels(here, tmp_path, kind):
    rng = np.random.default_rng(0)
    names, values = rng.choice(["tea", "cup", "pot"], 240), rng.normal(size=240)
    values += [{"tea": -1, "cup": 0, "pot": 1}[name] for name in names]
    options, text = LearnOptions(method="nag", classes="auto"), TextOptions(format="vw")
    if kind == "text":
        data = [tmp_path / f"{i}.vw" for i in range(4)]
        for i, path in enumerate(data):
            rows = zip(names[i::4], values[i::4], strict=True)
            path.write_text("".join(f"{name} | a:{x:.6f} b:{i}\n" for name, x in rows))
    else:
        pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
        pytest.importorskip("pyarrow")
        data = frames.from_pandas(pandas.DataFrame({"y": names, "a": values}), npartitions=4)
        text = TextOptions(format="csv", label="y")
    found = cluster.train(data, options, text, learners=2, client=here)
    assert found.examples == 240
    assert sorted(found.classes) == ["cup", "pot", "tea"]
    predicted = list(cluster.predict(found, data, client=here))
    labels = np.array(found.classes)[np.concatenate([each.scores.argmax(axis=1) for each in predicted])]
    truth = names if kind == "table" else np.concatenate([names[i::4] for i in range(4)])
    assert np.mean(labels == truth) > 0.5


def test_a_table_without_a_label_is_refused(here, pyarrow):
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    table = frames.from_pandas(pandas.DataFrame({"y": [1, -1] * 20, "a": range(40)}), npartitions=2)
    for text in (None, TextOptions(format="csv")):
        with pytest.raises(InputError, match=r"found a table, expected the name of its column of labels"):
            cluster.train(table, LearnOptions(method="nag"), text, client=here)


def test_arrays_are_data(here):
    """Chunks of rows are the parts, whatever the chunks of columns and labels."""
    arrays = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 7))
    y, weight = np.where(X @ rng.normal(size=7) > 0, 1.0, -1.0), rng.integers(1, 3, 90).astype(float)
    options, cuts = LearnOptions(method="nag"), (30, 40, 20)
    edges = np.cumsum([0, *cuts])
    parts = [(X[a:b], y[a:b], weight[a:b]) for a, b in itertools.pairwise(edges)]
    expect = cluster.train([dask.delayed(part) for part in parts], options, learners=2, client=here)
    rows = arrays.from_array(X, chunks=(cuts, (3, 4)))
    for labels in (arrays.from_array(y, chunks=45), y):
        found = cluster.train((rows, labels, arrays.from_array(weight, chunks=10)), options, learners=2, client=here)
        same_state(found, expect)
    unknown = rows[arrays.from_array(np.ones(90, bool), chunks=(cuts,))]  # chunks of sizes that are not known
    chosen = arrays.from_array(y, chunks=(cuts,))
    same_state(
        cluster.train((unknown, chosen), options, learners=2, client=here),
        cluster.train([dask.delayed(part[:2]) for part in parts], options, learners=2, client=here),
    )
    predicted = np.concatenate([each.raw for each in cluster.predict(expect, rows, client=here)])
    whole = np.concatenate([each.raw for each in cluster.predict(expect, [(X, None)], client=here)])
    np.testing.assert_array_equal(predicted, whole)
    assert cluster.sketch(rows, "fd", 4, client=here).n_seen == 90
    for wrong, why in (
        ((rows, y[:-1]), "one each for 90 rows"), ((rows,), "without labels"), (rows, "without labels"),
        ((unknown, arrays.from_array(y, chunks=90)), "as many chunks as of rows, 3"),
        (arrays.from_array(y, chunks=30), "rows and columns"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why):
            cluster.train(wrong, options, client=here)


def test_estimators_learn_collections_and_predict_lazily(here):
    """What is learned is `train`'s, and each chunk's predictions are those of scikit-learn's estimator."""
    pytest.importorskip("sklearn")
    arrays = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X, names = rng.normal(size=(300, 4)), np.array(["cup", "pot", "tea"])
    score = X @ rng.normal(size=4)
    rows = arrays.from_array(X, chunks=(75, 3))
    with here.as_current():
        for y in (np.where(score > 0, "yes", "no"), names[(score > -0.5).astype(int) + (score > 0.5)]):
            one = sonlearn.dask.SonlearnClassifier(method="nag")
            assert one.fit_future(rows, arrays.from_array(y, chunks=100)).result(timeout=100) is one
            assert one.classes_.tolist() == sorted(set(y))
            assert one.learner_.examples == 300
            predicted = one.predict(rows)
            assert dask.is_dask_collection(predicted)
            plain = one.predict(X)
            np.testing.assert_array_equal(predicted.compute(), plain)
            assert np.mean(plain == y) > 0.75
            assert one.score(rows, arrays.from_array(y, chunks=100)) == one.score(X, y) == np.mean(plain == y)
            p = one.predict_proba(rows)
            assert p.shape == (300, len(one.classes_))
            np.testing.assert_array_equal(p.compute(), one.predict_proba(X))
            np.testing.assert_array_equal(one.decision_function(rows).compute(), one.decision_function(X))
        pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
        table = frames.from_pandas(pandas.DataFrame(X, columns=list("abcd")).assign(y=score), npartitions=3)
        values = sonlearn.dask.SonlearnRegressor(method="nag").fit(table[list("abcd")], table["y"])
        predicted = values.predict(table[list("abcd")]).compute()
        np.testing.assert_array_equal(predicted, values.predict(table[list("abcd")].compute()))
        assert np.mean((predicted - score) ** 2) < 0.5 * score.var()
        found = values.score(table[list("abcd")], table["y"], table["a"] ** 2)
        assert found == pytest.approx(values.score(pandas.DataFrame(X, columns=list("abcd")), score, X[:, 0] ** 2))
        with pytest.raises(InputError, match=r"columns of other kinds: 'a', expected numbers; of others dask.train\("):
            values.fit(table.astype({"a": str}), table["y"])
        rows_of_bag = pytest.importorskip("dask.bag").from_sequence([{"a": 1}])
        with pytest.raises(
            InputError, match=r"X: found a Bag, expected dask.array or dask.dataframe; dask.train takes"
        ):
            values.fit(rows_of_bag, table["y"])
        for columns in ("dcba", "abcy"):
            with pytest.raises(ValueError, match="feature names should match"):
                values.predict(table[list(columns)])
        with pytest.raises(AttributeError, match=r"keeps no rows to ask about: see importances\(X\)"):
            _ = values.feature_importances_
        values.partial_fit(table[list("abcd")].compute(), score)
        assert (values.learner_.examples, values.feature_importances_.shape) == (600, (4,))
        for estimator in (one, values):
            with pytest.raises(ValueError, match="y contains NaN"):
                estimator.fit(rows, arrays.from_array(np.where(score > 1, np.nan, score > 0), chunks=75))
        with pytest.warns(UserWarning, match="nearly each chunk has labels of one class"):
            one.fit(rows, arrays.from_array(np.sort(y), chunks=75))
        with pytest.raises(OptionError, match="passes on a cluster"):
            sonlearn.dask.SonlearnRegressor(passes=2).fit(rows, arrays.from_array(score, chunks=75))


@pytest.mark.parametrize("number", [-1, 0, 1.5, "2", True])
@pytest.mark.parametrize("what", ["learners", "rounds"])
def test_how_many_is_a_whole_number(here, days, what, number):
    with pytest.raises(OptionError, match=rf"{what} .*expected a whole number from 1 on"):
        cluster.train(days[0], OPTIONS, client=here, **{what: number})


# ------------------------------------------------------------------------------------------------------- commands


def test_the_command_learns_and_the_model_is_a_model(here, days, tmp_path):
    names, _ = days
    model, on = str(tmp_path / "model"), ("--cluster", here.scheduler.address)
    arguments = ("--method", "rfd-son", "--loss", "logistic", "-m", 5)
    status, _, err = run("train", *on, *arguments, "-f", model, *names)
    assert status == 0
    _, predicted = merged_in_one_process(names, OPTIONS, [[(i, i + 1), (i + 1, i + 2)] for i in range(0, 8, 2)])
    assert f"average loss = {np.concatenate([each.loss for each in predicted]).mean():.6f}\n" in err
    assert f"number of examples = {FILES * ROWS}\n" in err
    assert [line.split()[:3] for line in err.splitlines() if line.startswith(("1 ", "2 ", "merged "))] == [
        ["1", "1,..,7", "1500"], ["2", "2,..,8", "250"], ["merged", "8", "250"],
    ]  # fmt: skip
    # predict on the cluster and in this process, progress and all
    outputs = []
    for where in (on, ()):
        status, out, err = run("predict", *where, "-i", model, *names)
        assert status == 0
        outputs.append((out, [line for line in err.splitlines() if not line.startswith(("elapsed", "examples a"))]))
    assert outputs[0] == outputs[1]
    assert len(outputs[0][0].splitlines()) == FILES * ROWS
    # what is said of predictions is the same too
    more = ("--quiet", "-i", model, "--link", "logistic", "--max_prediction", 0.1, "--examples", ROWS + 7, *names)
    outputs = [run("predict", *where, *more) for where in (on, ())]
    assert outputs[0] == outputs[1]
    assert len(outputs[0][1].splitlines()) == ROWS + 7
    # it goes on learning
    assert run("train", "--quiet", "-i", model, "-f", tmp_path / "more", *names)[0] == 0
    assert Learner.load(tmp_path / "more").examples == 2 * FILES * ROWS
    assert run("train", "--quiet", *on, "-i", model, "-f", tmp_path / "on", *names)[0] == 0
    assert Learner.load(tmp_path / "on").examples == 2 * FILES * ROWS
    # a model of one process is where learners may begin
    assert run("train", "--quiet", *arguments, "-f", tmp_path / "one", *names)[0] == 0
    assert run("train", "--quiet", *on, "-i", tmp_path / "one", "-f", tmp_path / "both", *names)[0] == 0
    assert Learner.load(tmp_path / "both").examples == 2 * FILES * ROWS


def test_a_last_part_that_tells_nothing_warns(here, days, tmp_path):
    _, texts = days
    lines = [text.splitlines(keepends=True)[:40] for text in texts]
    names = [str(tmp_path / f"{day}.svm") for day in range(len(lines))]
    on = ("train", "--quiet", "--cluster", here.scheduler.address, "--method", "nag")
    for last, why in (
        ([line for line in lines[-1] if line.startswith("-1")], "labels are all alike"), ([], "has no examples"),
        (lines[-1], ""),
    ):  # fmt: skip
        for name, own in zip(names, [*lines[:-1], last], strict=True):
            pathlib.Path(name).write_text("".join(own))
        status, _, err = run(*on, *names)
        assert (status, err.count("\n")) == (0, 1 if why else 0)
        assert err.startswith("sonlearn: warning: the last part" if why else "")
        assert why in err


def test_columns_that_look_like_something_else_are_named(here, tmp_path):
    """As by one process, each once."""
    names = [str(tmp_path / f"{i}.csv") for i in range(2)]
    rows = "".join(f"{i % 2},2024.03.{1 + i % 28:02d},\xe9\n" for i in range(1200))
    for name in names:
        pathlib.Path(name).write_text(f"y,since,place\n{rows}", encoding="latin-1")
    ours = run("train", "--quiet", "--cluster", here.scheduler.address, "--method", "nag", "--label", "y", *names)
    one = run("train", "--quiet", "--method", "nag", "--label", "y", *names)
    told = [
        sorted(line for line in err.splitlines() if "column" in line or "UTF-8" in line) for err in (ours.err, one.err)
    ]
    assert told[0] == told[1]
    assert sum("the column 'since' has dates that are not read as such" in line for line in told[0]) == 1


def test_decimal_commas_are_a_remark(here, tmp_path):
    """As in one process."""
    names, remark = [str(tmp_path / f"{i}.csv") for i in range(2)], "commas are decimal in numbers as '0,5' (--decimal"
    for name in names:
        pathlib.Path(name).write_text("y;x\n" + "".join(f"{i % 2};{i % 7},5\n" for i in range(1200)))
    on = ("--cluster", here.scheduler.address, "--method", "nag", "--label", "y")
    status, _, err = run("train", *on, *names)
    assert (status, "warning" in err) == (0, False)
    assert [line for line in err.splitlines() if remark in line] == [f"{name}: {remark} ,)" for name in names]
    assert run("train", "--quiet", *on, *names) == (0, "", "")


def test_labels_of_three_names_are_several_classes(here, tmp_path):
    """As in one process."""
    names = [str(tmp_path / f"{i}.csv") for i in range(2)]
    rows = "".join(f"{'abc'[i % 3]}{i % 3},{(i * 7) % 5}\n" for i in range(600))
    for name in names:
        pathlib.Path(name).write_text(f"y,x\n{rows}")
    on, told = ("--cluster", here.scheduler.address), "labels are three names or more: several classes are learned"
    for verb in (("train", "--method", "nag"), ("tune", "--grid", "method=nag learning-rate=.1,1")):
        for number, flags in enumerate(((), ("--classes", "auto"))):
            model = str(tmp_path / str(number))
            status, _, err = run(*verb, *on, *flags, "--label", "y", "-f", model, *names)
            assert (status, told in err) == (0, not number)
        assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_settings_are_shared_out(here, days, tmp_path):
    """The table and the model are those of one process but for the seconds."""
    names, _ = days
    grid = ("--grid", "alpha=.1,10 sketch-size=2,5 method=rfd-son,nag", "--grid", "method=sgd learning-rate=1e300")
    rows, tables = [], []
    for where in (("--cluster", here.scheduler.address), ()):
        path = tmp_path / f"table{len(where)}.csv"
        status, out, err = run("tune", *where, *grid, "--loss", "logistic", "--table", path, "-f",
                               tmp_path / f"model{len(where)}", *names)  # fmt: skip
        assert (status, out) == (0, "")
        rows.append([line for line in err.splitlines() if line.startswith(("best setting", "number", "average l"))])
        with open(path) as file:
            tables.append([{**row, "seconds": ""} for row in csv.DictReader(file)])
    assert tables[0] == tables[1]
    assert rows[0] == rows[1]
    assert len(tables[0]) == 6
    one, other = (Learner.load(tmp_path / f"model{n}") for n in (0, 2))
    same_state(one, other)
    found = sonlearn.dask.tune({"method": ["nag", "arow"]}, names, client=here)
    assert [result.examples for result in found.results] == [FILES * ROWS] * 2
    assert found.learner.options.method == found.results[0].setting.given["method"]
    with pytest.raises(DivergedError, match="has diverged"):
        sonlearn.dask.tune({"method": ["sgd"], "learning_rate": [1e300, 1e301]}, names, client=here)
    for more, why in ((("--halving",), "at one row"), (("--passes", 2), "one pass"), (("--rounds", 2), "not merged")):
        status, _, err = run("tune", "--cluster", here.scheduler.address, *grid, *more, *names)
        assert (status, err.count("\n")) == (1, 1)
        assert why in err


def test_several_classes(here, tmp_path, monkeypatch):
    """The first half has classes 1 and 2, the second 2 and 3, and in the last file there is a fourth one."""
    monkeypatch.setattr(cluster, "FIRST_ROWS", 4 * 60)
    data, rng = [str(tmp_path / f"{day}.svm") for day in range(8)], np.random.default_rng(0)
    for day, name in enumerate(data):
        classes = rng.integers(1, 3, 60) + (day > 3) + (day > 6) * (np.arange(60) > 30)
        lines = [f"{k} {k}:1 {rng.integers(5, 9)}:1 9:{rng.integers(7)}\n" for k in classes]
        with open(name, "w") as file:
            file.writelines(lines)
    on, model = ("--quiet", "--cluster", here.scheduler.address), str(tmp_path / "model")
    arguments = ("--method", "nag", "--classes", "auto")
    assert run("train", *on, *arguments, "--workers", 2, "-f", model, *data) == (0, "", "")
    found = Learner.load(model)
    rounds = [[(i, i + 1), (i + 1, i + 2)] for i in range(0, 8, 2)]  # as many as there are partitions for
    expected, _ = merged_in_one_process(data, LearnOptions(method="nag", classes="auto"), rounds)
    assert sorted(found.classes) == [1, 2, 3, 4]
    assert found.facts() == expected.facts()
    for batch in read_batches(data):
        np.testing.assert_array_equal(found.predict(batch).scores, expected.predict(batch).scores)
    for more in ((), ("--probabilities",), ("-r", "-", "-p", tmp_path / "labels")):
        ours = run("predict", *on, *more, "-i", model, *data)
        assert ours == run("predict", "--quiet", *more, "-i", model, *data)
        assert len(ours[1].splitlines()) == 480


def test_predictions_when_a_worker_dies(here, days, tmp_path):
    names, texts = days
    learner = cluster.train(names, LearnOptions(method="nag"), learners=1, client=here)
    parts = parts_with_a_death(texts, str(tmp_path / "died"))
    found = np.concatenate([each.raw for each in cluster.predict(learner, parts, client=here)])
    assert (tmp_path / "died").exists()
    np.testing.assert_array_equal(found, np.concatenate([learner.predict(b).raw for b in read_batches(names)]))


def test_what_is_wrong_in_a_part_is_one_line(here, days, tmp_path):
    names, texts = days
    bad, model = tmp_path / "bad.svm", str(tmp_path / "model")
    bad.write_text("".join(texts[2].splitlines(keepends=True)[:100]) + "1 3:x\n" + texts[3])
    data = [*names[:2], str(bad), *names[3:]]
    line = f"sonlearn: {bad}:101:5: found 'x', expected a finite number as value of the feature\n"
    on = ("--quiet", "--cluster", here.scheduler.address)
    assert run("train", *on, "--method", "nag", "-f", model, *data) == (1, "", line)
    assert run("sketch", *on, "-o", model, *data) == (1, "", line)
    assert not os.path.exists(model)
    assert run("train", "--quiet", "--method", "nag", "-f", model, *names)[0] == 0
    ours, theirs = run("predict", *on, "-i", model, *data), run("predict", "--quiet", "-i", model, *data)
    assert ours == theirs
    assert ours[0] == 1
    assert ours[2] == f"{line[:-1]}; --on-error skip leaves such lines out\n"
    cut = tmp_path / "cut.svm.gz"
    cut.write_bytes(gzip.compress(texts[3].encode())[:-20])
    ours = run("predict", *on, "-i", model, names[0], str(cut))
    assert ours == run("predict", "--quiet", "-i", model, names[0], str(cut))
    assert ours[2].endswith("the end of truncated gzip data, expected a whole gzip stream\n")
    skip = ("--on-error", "skip")
    for more in ((), ("--max-errors", "0"), ("--max-errors", "1")):
        ours = run("predict", *on, *skip, *more, "-i", model, *data, str(bad))
        assert ours == run("predict", "--quiet", *skip, *more, "-i", model, *data, str(bad))
    assert run("train", *on, *skip, "--max-errors", 0, "--method", "nag", *data) == (1, "", line)
    status, _, err = run("train", *on, *skip, "--method", "nag", *data)
    assert (status, err.count("\n")) == (0, 1)
    assert "warning: malformed lines left out: 1" in err
    bad.write_text(texts[5] + "7 1:1\n")
    refused = f"could not be learned from: 1, the first: {bad}:{texts[5].count(chr(10)) + 1}: found label 7"
    for more in ((*skip, "--max-errors", "0"), skip, ()):
        if more:
            status, _, err = run("train", *on, *more, "--method", "nag", *names[:5], bad)
            assert (status, err.count("\n")) == (0, 1)
            assert refused in err
        ours = run("predict", *on, *more, "-i", model, *names[:5], bad)
        assert ours == run("predict", "--quiet", *more, "-i", model, *names[:5], bad)
        assert ours[0] == 0
        assert "labels that the model has not learned: 1;" in ours[2]
    zeros = tmp_path / "zeros.svm"
    zeros.write_text(texts[5].replace("-1 ", "0 "))
    status, _, err = run("train", *on, "--method", "nag", *names[:5], zeros, zeros, zeros)
    assert (status, err.count("\n")) == (1, 1)
    assert "0 and 1" in err or "-1 or +1" in err


def test_what_a_cluster_cannot_do_is_said_at_once(here, days, tmp_path):
    on, (names, _) = ("--quiet", "--cluster", here.scheduler.address), days
    for arguments, why in (
        (("train", *on), "cannot read standard input"),
        (("train", *on, names[0], "--passes", 2), "--passes 2 with --cluster"),
        (("train", *on, names[0], "-p", "-"), "predict afterwards"),
        (("train", *on, names[0], "--examples", 9), "--examples with --cluster"),
        (("predict", *on, names[0], "-i", tmp_path / "model", "--audit"), "--audit with --cluster"),
        (("train", *on, "none.svm"), "none.svm: found no such file"),
        (("train", "--workers", 2, names[0]), "--workers 2: nothing is shared out"),
        (("train", "--rounds", 2, names[0]), "--rounds 2: nothing is shared out"),
        (("train", "--cluster", "here", names[0]), "--cluster here: expected local, or a scheduler's address"),
        (("train", "--cluster", "tcp://127.0.0.1:9", names[0]), "no Dask scheduler answers there"),
        (("sketch", *on, "--error", names[0]), "--error with --cluster"),
        (("train", *on, "--method", "ada-gp", *names), "cannot be merged; on a cluster, have one learner learn them"),
    ):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (1, "", 1), err
        assert why in err
    with pytest.raises(InputError, match="no parts"):
        cluster.train([], client=here)
    empty = tmp_path / "empty.svm"
    empty.write_text("\n")
    assert run("train", *on, empty, empty)[2] == run("train", "--quiet", empty)[2]


def test_few_rows_are_learned_by_one_learner(here, days, monkeypatch):
    """Where there are fewer than are learned first: all but the last partition."""
    monkeypatch.setattr(cluster, "FIRST_ROWS", FILES * ROWS)
    (names, _), one = days, Learner(method="nag")
    for batch in read_batches(names):
        one.partial_fit(batch)
    trained = cluster.trained(names, one.options, tasks.Reading(TextOptions()), learners=2, client=here)
    assert trained.learner.examples == one.examples == FILES * ROWS
    for batch in read_batches(names):
        np.testing.assert_allclose(trained.learner.predict(batch).raw, one.predict(batch).raw, rtol=1e-12)


def test_local_workers_are_threads_or_processes(days, tmp_path, monkeypatch):
    """The model is the same; processes are not asked to give memory back at once."""
    names, models = days[0], [str(tmp_path / name) for name in ("threads", "processes")]
    for most, model in zip((2, 1), models, strict=True):
        monkeypatch.setattr("sonlearn.commands.cluster.THREADS", most)
        on = ("--quiet", "--cluster", "local", "--workers", 2)
        assert run("train", *on, "--method", "nag", "-f", model, *names) == (0, "", "")
    same_state(*map(Learner.load, models))
    environment = {"MALLOC_TRIM_THRESHOLD_": 65536, "OMP_NUM_THREADS": 1}
    found = local_settings(environment)["distributed.nanny.pre-spawn-environ"]
    assert found == {"MALLOC_TRIM_THRESHOLD_": None, "OMP_NUM_THREADS": 1}


def test_local_is_a_cluster_here(days, tmp_path):
    names, _ = days
    command = [*PROGRAM, "train", "--cluster", "local", "--workers", "2", "--method", "nag", "-f", "model", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "merged " in done.stderr
    assert "Traceback" not in done.stderr
    assert Learner.load(tmp_path / "model").examples == FILES * ROWS


@pytest.mark.parametrize("slow", ["rows", "labels"])
def test_a_fit_that_is_not_waited_for_can_be_cancelled(slow, here, tmp_path):
    """Its tasks end, the cluster is free, and the estimator is as if it had not been fitted."""
    pytest.importorskip("sklearn")
    arrays = pytest.importorskip("dask.array")
    begun = tmp_path / "begun"

    def slowly(block):
        begun.touch()
        time.sleep(0.2)
        return block

    rows, y = np.random.default_rng(0).normal(size=(2000, 4)), np.arange(2000) % 3
    data = {"rows": arrays.from_array(rows, chunks=(5, 4)), "labels": arrays.from_array(y, chunks=5)}
    data[slow] = data[slow].map_blocks(slowly, dtype=data[slow].dtype, meta=data[slow]._meta)
    with here.as_current():
        one = sonlearn.dask.SonlearnClassifier(method="nag")
        future = one.fit_future(data["rows"], data["labels"])
        (thread,) = (each for each in threading.enumerate() if each.name == "sonlearn-fit")
        assert future.running()
        while not begun.exists():
            time.sleep(0.01)
        assert future.cancel()
        assert (future.cancelled(), future.running()) == (True, False)
        with pytest.raises(concurrent.futures.CancelledError):
            future.result(timeout=10)
        deadline = time.monotonic() + 15
        while any(here.processing().values()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        thread.join(60)  # which learns later than the cluster that it was cancelled
        assert not hasattr(one, "learner_")
        done = one.fit_future(arrays.from_array(rows, chunks=(1000, 4)), arrays.from_array(y, chunks=1000))
        assert done.result().learner_.examples == 2000
        assert not done.cancel()
