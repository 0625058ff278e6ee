"""The committed samples are what their generator writes, and what data/README.md says."""

import hashlib
import importlib.util
import re

import pytest
from places import ROOT

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
def test_a_sample_is_the_generators_and_has_the_checksum_of_the_readme(name, written):
    content = (DATA / name).read_bytes()
    assert (written / name).read_bytes() == content
    stated = re.search(rf"`{re.escape(name)}`.*`([0-9a-f]{{64}})`", (DATA / "README.md").read_text()).group(1)
    assert hashlib.sha256(content).hexdigest() == stated
    assert len(content) < 250_000
