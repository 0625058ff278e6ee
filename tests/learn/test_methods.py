"""The table of methods: every entry can be made, says what it is, and has a twin."""

import dataclasses
import re

import numpy as np
import pytest
from first_order_twin import TWINS as FIRST_ORDER
from for_all import for_all
from places import ROOT
from streams import rows_of, zipf
from twins import TWINS

from sonlearn import Learner, LearnOptions, OptionError, TextOptions
from sonlearn.options.learning import ALL_TAKE
from sonlearn.options.losses import LOSSES
from sonlearn.options.methods import METHODS, PAPERS, listing
from sonlearn.options.spec import check_field, number, parser_of

every = for_all("name", METHODS)
#: An engine of engines: its own tests have its twin.
ENGINES_OF_ENGINES = {"committee"}


def test_every_method_has_a_twin_and_every_twin_a_method():
    assert TWINS.keys() | ENGINES_OF_ENGINES == METHODS.keys()


@for_all(
    "name, loss",
    [(name, loss) for name in TWINS.keys() - FIRST_ORDER.keys() for loss in METHODS[name].losses or LOSSES],
)
def test_a_twin_says_what_its_method_says(name, loss):
    """Every method with every loss, and its own defaults; `test_first_order` has those of first-order methods."""
    batch, options = zipf(n=60, d=25), LearnOptions(method=name, loss=loss)
    if loss == "poisson":
        batch = batch._replace(y=1.0 + np.arange(batch.n) % 3)
    expected = TWINS[name](options, batch)
    np.testing.assert_allclose(Learner(options).partial_fit(batch).raw, expected, rtol=0, atol=1e-9)
    assert np.std(expected) > 0


@every
def test_an_entry_says_what_it_is(name):
    method, text = METHODS[name], "\n".join(listing())
    assert all((method.about, method.source, method.cost, method.when))
    assert f"\n{name}" in text
    assert method.about in text
    for key in re.findall(r"\[(\w+)\]", method.source):
        assert key in PAPERS, key


@every
def test_options_that_an_entry_names_exist(name):
    method, names = METHODS[name], LearnOptions.__dataclass_fields__
    assert set(method.takes) <= set(names) - set(ALL_TAKE)
    assert set(method.defaults) <= {*method.takes, "loss"}
    options = LearnOptions(method=name)
    for field, value in method.defaults.items():
        assert getattr(options, field) == value


@every
def test_options_of_other_methods_are_refused(name):
    values = {"learning_rate": 0.25, "l1": 0.5, "arow_r": 2.0, "oja_step": "1/t", "rescale": "before"}
    for field, value in values.items():
        if field in METHODS[name].takes:
            assert getattr(LearnOptions(method=name, **{field: value}), field) == value
        else:
            with pytest.raises(OptionError, match=f"--method {name} does not take it"):
                LearnOptions(method=name, **{field: value})


def test_every_paper_is_cited():
    cited = {key for method in METHODS.values() for key in re.findall(r"\[(\w+)\]", method.source)}
    assert cited == set(PAPERS)


@for_all("field", [f for f in dataclasses.fields(LearnOptions) if parser_of(f) in (int, number)])
def test_numbers_are_numbers_in_python_too(field):
    """A text that would be a number in a command line, a boolean, and a fraction of a row are none."""
    parse = parser_of(field)
    for value in {int: ["3", 2.5, True, [1]], number: ["0.1", True, [0.1]]}[parse]:
        with pytest.raises(OptionError, match=r"expected a (whole )?number"):
            check_field(field, value)
    in_range = field.metadata.get("low", field.metadata.get("above", 0) + 0.5)
    for make in {int: [int, np.int64], number: [float, np.float32]}[parse]:
        check_field(field, make(in_range))


def test_a_text_for_a_number_is_refused_where_it_is_given():
    with pytest.raises(OptionError, match=r"--learning_rate '0.1': expected a number"):
        LearnOptions(method="nag", learning_rate="0.1")
    with pytest.raises(OptionError, match=r"--bit_precision '18': expected a whole number"):
        TextOptions(bits="18")


#: Of docs/methods.md, "Importance weights": how far predictions may be apart where rows come h times for weights h.
EXACT, NEAR = ("nlms", "arow-full", "bayes", "multinomial-bayes"), ("drfd", "arow", "arow-precision", "nag")


def apart(method):
    """Mean difference of predictions over their deviation: weights 1 to 3 against the same rows so many times."""
    batch, probe = zipf(n=300, d=40), zipf(n=200, d=40, seed=5)
    times = np.random.default_rng(0).choice([1, 2, 3], batch.n)
    weighted = batch._replace(weight=times.astype(float))
    repeated = rows_of(batch, np.repeat(np.arange(batch.n), times))
    predictions = []
    for rows in (weighted, repeated):
        learner = Learner(LearnOptions(method=method))
        learner.partial_fit(rows)
        predictions.append(learner.predict(probe).raw)
    return np.abs(predictions[0] - predictions[1]).mean() / predictions[1].std()


@for_all("name", [name for name in METHODS if name not in ENGINES_OF_ENGINES])
def test_importance_2_is_the_row_twice_where_the_page_says_so(name):
    page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    page = page.partition("## Importance weights")[2].partition("\n## ")[0]
    exact, near = (line for line in page.splitlines() if line.startswith(("| `nlms`", "| `drfd`")))
    found = apart(name)
    assert (f"`{name}`" in exact) == (name in EXACT) == (found < 1e-9)
    assert name not in NEAR or found < 0.065
    assert f"`{name}`" in near or name not in NEAR or name == "nag"
