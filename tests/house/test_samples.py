"""The committed samples are what their generator writes, and what data/README.md says."""

import csv
import hashlib
import importlib.util
import re

import numpy as np
import pytest
from places import ROOT
from streams import read_svmlight

from sonlearn import TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.text.decisions import DecisionReader

DATA = ROOT / "data"
SAMPLES = ("sample.svm", "sample.vw", "customers.csv", "messages.csv", "offers.vw")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("make", DATA / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    folder = tmp_path_factory.mktemp("samples")
    make.main(folder)
    return folder


@pytest.mark.parametrize("name", SAMPLES)
def test_generator_reproduces_the_sample(name, written):
    assert (written / name).read_bytes() == (DATA / name).read_bytes()


@pytest.mark.parametrize("name", SAMPLES)
def test_readme_states_the_checksum(name):
    stated = re.search(rf"`{re.escape(name)}`.*`([0-9a-f]{{64}})`", (DATA / "README.md").read_text()).group(1)
    content = (DATA / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == stated
    assert len(content) < 250_000


def test_svm_sample_is_as_described():
    batch = read_svmlight(DATA / "sample.svm", seed=None)
    assert batch.n == 2000
    assert set(batch.y) == {-1.0, 1.0}
    assert 0.40 < np.mean(batch.y > 0) < 0.42
    assert 1 <= batch.indices.min() < batch.indices.max() <= 3000
    norms = np.sqrt(np.add.reduceat(batch.values**2, batch.indptr[:-1]))
    np.testing.assert_allclose(norms, 1, atol=0.01)


def test_vw_sample_is_as_described():
    lines = (DATA / "sample.vw").read_text().splitlines()
    head = re.compile(r"-?1( (2|0\.5|1\.5))? ('letter\d+)?\|subject [a-z ]+ \|body [a-z0-9: ]+")
    assert len(lines) == 1000
    assert all(head.fullmatch(line) for line in lines)
    assert 150 < sum("'letter" in line for line in lines) < 250
    assert 70 < sum(bool(re.match(r"-?1 [0-9]", line)) for line in lines) < 130


def test_customers_are_as_described():
    with open(DATA / "customers.csv", newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1200
    assert len({row["customer"] for row in rows}) == 1200
    assert 0.3 < sum(row["churned"] == "yes" for row in rows) / 1200 < 0.5
    assert all((row["closed"] == "") == (row["churned"] == "no") for row in rows)
    assert 0.08 < sum(row["age"] == "" for row in rows) / 1200 < 0.16


def test_offers_are_as_described():
    (decisions,) = DecisionReader(DATA / "offers.vw", TextOptions(), BanditOptions(cb_explore_adf=True))
    assert decisions.n == 600
    assert set(np.diff(decisions.first)) == {4}
    assert set(decisions.cost) == {-1.0, 0.0}
    np.testing.assert_array_equal(decisions.probability, np.where(decisions.action == 0, 0.4, 0.2))
    assert 0.35 < np.mean(decisions.action == 0) < 0.45
