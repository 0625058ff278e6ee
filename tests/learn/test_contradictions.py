"""Options of learning that contradict each other, or that nothing can be learned with, are refused in a line."""

import pytest
from for_all import for_all

from sonlearn import LearnOptions, OptionError

pytestmark = pytest.mark.interpreted

#: Options, and what is said of them.
REFUSED = [
    ({"method": "arow", "loss": "poisson"}, "poisson: --method arow learns squared_hinge, logistic, hinge, squared"),
    ({"method": "bayes", "loss": "squared"}, "--loss squared: --method bayes learns logistic, hinge"),
    ({"method": "multinomial-bayes", "loss": "absolute"}, "--method multinomial-bayes learns logistic, hinge"),
    ({"method": "drfd", "loss": "absolute"}, "--loss absolute: --method drfd learns squared, logistic, hinge"),
    ({"method": "drfd", "clip": 2.0}, "--clip: --method drfd does not take it"),
    ({"oaa": 3, "clip": "labels"}, "--clip labels is for --method committee, nag, .*, values or two classes"),
    ({"method": "drfd", "arow_r": 0.0}, "--arow-r 0"),
    ({"method": "ada-fd", "sketch_size": 0}, "--sketch-size 0: --method ada-fd needs a row at least"),
    ({"method": "s-adagrad", "sketch_size": 0}, "--sketch-size 0: --method s-adagrad needs a row at least"),
    ({"method": "metagrad-fd", "sketch_size": 0}, "needs a row at least"),
    ({"method": "rp-son", "alpha": 0}, "--alpha 0: --method rp-son"),
    ({"method": "ada-gp", "delta": 0}, "--delta 0: --method ada-gp"),
    ({"method": "radagrad", "sketch_size": 0}, "--sketch-size 0: --method radagrad"),
    ({"method": "mixture", "members": "nag:tfidf"}, "--members nag:tfidf: --method mixture has members that are meth"),
    ({"method": "mixture", "members": "mixture"}, "--members mixture: --method mixture has members that are methods"),
    ({"sketch": "rfd", "scale": "unit", "diagonal": True}, r"diagonal is --scale \w+, not --scale"),
    ({"sketch": "rfd", "scale": "gradients", "diagonal": False}, r"diagonal is --scale \w+, not --scale"),
    ({"sketch": "rfd", "scale": "none", "diagonal": True}, r"diagonal is --scale \w+, not --scale"),
    ({"sketch": "rfd", "sketch_size": 0, "decay": 0.01}, "--sketch-size 0"),
    ({"sketch": "fd", "decay": 0.01, "scale": "gradients"}, "--scale gradients"),
    ({"method": "ada-diag", "update": "dual", "decay": 0.01}, "--update dual"),
    ({"method": "ada-diag", "update": "dual", "l2": 0.01}, "--update dual"),
    ({"method": "nag", "decay": 1.0}, "at most"),
    ({"members": "nag:nowhere"}, "no view"),
    ({"members": "nobody"}, "no method"),
    ({"members": "nga"}, "~RATE, of nag, "),
    ({"members": "committee"}, "no method"),
    ({"budget": 2.0, "prune": False}, "--budget 2 with --no-prune: .*leave out --no-prune"),
    ({"budget": "cheap", "members": ("nag",)}, "--budget cheap with --members: .*give one of them"),
    ({"method": "nag", "threshold": 1.0}, "^--threshold 1: .* between 0 and 1, best-f1, fpr:SHARE, or cost:FN/FP"),
    *(
        ({"method": "nag", "threshold": text}, f"^--threshold {text}: expected a probability between 0 and 1, best-f1")
        for text in ("cost:1", "fpr:2", "x", "2")
    ),
    ({"method": "nag", "threshold": ".2"}, r"^--threshold '\.2': expected the number 0\.2, not a text; or a prob"),
    ({"method": "nag", "threshold": 0.2, "loss": "hinge"}, "^--threshold 0.2 with --loss hinge: it tells no prob"),
    ({"method": "nag", "threshold": 0.2, "oaa": 3}, "^--threshold 0.2 with --oaa: of several classes the predic"),
    ({"method": "nag", "threshold": "best-f1", "loss": "poisson"}, "^--threshold best-f1 with --loss poisson"),
    ({"min_prediction": 1.0, "max_prediction": 0.5}, "from 1 to 0.5"),
    ({"clip": 1.0, "min_prediction": 2.0, "method": "nag"}, "--clip 1"),
    ({"binary": True, "link": "logistic"}, "--binary with --link logistic"),
    ({"binary": True, "loss": "poisson"}, "--loss poisson"),
    ({"binary": True, "oaa": 3}, "--probabilities"),
    ({"link": "logistic", "classes": "auto"}, "--classes"),
    ({"max_prediction": 3.0, "oaa": 3}, "--max_prediction with --oaa"),
    ({"link": "probit"}, "expected one of"),
    ({"coverage": 0.0}, "--coverage"),
    ({"coverage": 1.0}, "--coverage"),
    ({"oaa": 1}, "--oaa 1: expected at least 2"),
    ({"oaa": 3, "classes": "auto"}, "give one of them"),
    ({"oaa": 3, "method": "nag", "loss": "quantile"}, "--oaa with --loss quantile: expected one of logistic"),
    ({"classes": "all"}, "--classes all: expected one of auto"),
    ({"oaa": 3, "loss": "squared"}, "the committee learns logistic"),
    ({"oaa": 3, "loss": "hinge"}, "the committee learns logistic"),
    ({"oaa": 3, "l2": 0.1}, "--l2 0.1 with several classes: the committee does not take it"),
    ({"oaa": 3, "clip": 1.0}, "--clip 1 with several classes"),
    ({"oaa": 3, "members": "drfd"}, "--members drfd: there is no 'drfd' of several classes.*--oaa K --method drfd"),
    ({"oaa": 3, "members": "nag:odds"}, "there is no view 'odds' of several classes"),
    ({"oaa": 3, "members": "rls:fourier~0.1"}, "rls cannot forget; without ~0.1, or of arow-precision, mul.*, shares"),
    ({"oaa": 3, "sketch_size": 5}, "--sketch-size 5 with several classes: the committee does not take it"),
    ({"oaa": 3, "members": "nag~2"}, "found the rate '2' behind ~"),
    ({"oaa": 3, "members": "shares"}, "found the rate '' behind ~"),
    ({"multinomial": 3, "oaa": 3}, "--oaa 3 with --multinomial 3: give one of them"),
    ({"multinomial": 1}, "--multinomial 1: expected at least 2"),
    ({"multinomial": 3, "method": "arow"}, "--multinomial 3: --method arow has no metric.*--oaa 3 takes"),
    ({"multinomial": 3, "sketch": "drfd"}, "--multinomial 3: --method drfd has no metric.* --method .*rfd-son"),
    ({"multinomial": 3, "method": "nag", "loss": "squared"}, "--multinomial 3 with --loss squared: its loss is"),
    ({"multinomial": 3, "method": "fd-son", "decay": 0.1}, "--multinomial 3 with --decay 0.1: .*; --oaa 3 does"),
    ({"multinomial": 3, "method": "nag", "l2": 0.1}, "--multinomial 3 with --l2 0.1: .*; --oaa 3 does"),
    ({"multinomial": 3, "binary": True}, "--binary with --multinomial: of several classes"),
    ({"multinomial": 3, "sketch": "rfd", "alpha": 0.0}, "--multinomial 3 with --alpha 0: nothing would bound"),
]


@for_all("given, found", REFUSED)
def test_what_contradicts_itself_is_refused(given, found):
    with pytest.raises(OptionError, match=found):
        LearnOptions(**given)
