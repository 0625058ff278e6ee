"""Keywords of Python: the written types are those of the options, signatures and docstrings show all of them."""

import dataclasses
import inspect

import pytest

from sonlearn import InputError, Learner, LearnOptions, OptionError, TextOptions, read_batches
from sonlearn.options.python import in_keywords, parameters_of


def test_the_written_types_are_those_of_the_options():
    pytest.importorskip("sklearn", reason="needs the extra sklearn")
    pytest.importorskip("river", reason="needs the extra river")
    from write_keywords import FILE, text

    assert FILE.read_text(encoding="utf-8") == text(), "run tests/support/write_keywords.py"


def test_a_learner_takes_options_by_name():
    names = [field.name for field in dataclasses.fields(LearnOptions)]
    shown = inspect.signature(Learner).parameters
    assert list(shown) == ["options", "text", "threads", *names]
    assert all(shown[name].default == getattr(LearnOptions, name) for name in names)
    assert Learner(method="rfd-son", sketch_size=20).options == LearnOptions(method="rfd-son", sketch_size=20)
    assert repr(Learner()) == "Learner(method='committee')"
    made = Learner(method="rfd-son", sketch_size=20, loss="hinge")
    assert repr(made).startswith("Learner(method='rfd-son', sketch_size=20, loss='hinge'")
    assert eval(repr(made)).options == made.options
    with pytest.raises(TypeError, match=r"Learner\(\).*'metod'; did you mean method"):
        Learner(metod="nag")
    with pytest.raises(OptionError, match=r"^Learner: sketch_size -1: expected at least 0"):
        Learner(sketch_size=-1)
    with pytest.raises(OptionError, match="both options and l2"):
        Learner(LearnOptions(), l2=1.0)


@pytest.mark.parametrize("library", ["sklearn", "river"])
def test_every_parameter_is_in_signature_and_docstring(library):
    module = pytest.importorskip(f"sonlearn.{library}", reason=f"needs the extra {library}")
    for cls in (module.SonlearnClassifier, module.SonlearnRegressor):
        shown, text = inspect.signature(cls).parameters, inspect.getdoc(cls)
        assert list(shown) == list(cls.PARAMETERS)
        assert all(each.kind is each.KEYWORD_ONLY for each in shown.values())
        for name, each in cls.PARAMETERS.items():
            assert f"\n{name} : " in text
            assert f"default {each.default!r}" in text
            assert each.help
        assert " --" not in text.split("Attributes")[0], "flags of the command line are no parameters"


def test_what_python_calls_says_keywords_and_no_flags():
    rows = [{"_label": 1, "a": 1}]
    with pytest.raises(OptionError, match=r"^read_batches: quadratic: expected VW text"):
        next(read_batches(b"1 1:1\n2 2:1\n".splitlines(), TextOptions(format="svmlight", quadratic=("ab",))))
    with pytest.raises(OptionError, match=r"^read_batches: format csv: dicts are read as json"):
        read_batches(rows, TextOptions(format="csv"))
    with pytest.raises(InputError) as caught:
        list(read_batches([{"b": "x"}, {"a": 1}], TextOptions(format="json", label="b")))
    assert "--" not in str(caught.value)
    learner = Learner(method="nag")
    for batch in read_batches(rows * 2):
        learner.partial_fit(batch)
    with pytest.raises(OptionError, match=r"^Learner: threshold best-f1: the model has kept no scores"):
        learner.set_output(threshold="best-f1")
    with pytest.raises(OptionError, match=r"^Learner: binary with link logistic"):
        learner.set_output(binary=True, link="logistic")


def test_messages_about_flags_become_messages_about_keywords():
    text = "--no-prune with -m 3: give --learning_rate, or --sketch rfd (see --help)"
    assert in_keywords(text) == "--no-prune with sketch_size 3: give learning_rate, or sketch rfd (see --help)"
    assert set(parameters_of(LearnOptions)) == {field.name for field in dataclasses.fields(LearnOptions)}
