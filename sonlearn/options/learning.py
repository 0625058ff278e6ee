"""Options of learning: every setting once, with its default, range, help text and paper symbol.

Command-line flags, Python keywords and the model file's header derive from this dataclass and from
`sonlearn.options.text.TextOptions`, so nothing else states a default. Both are part of a model. Options of one run are
in `sonlearn.options.run`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.conflicts import MOST_CLASSES, check_conflicts
from sonlearn.options.losses import CLASSIFICATION, LOSS_OPTIONS, LOSSES
from sonlearn.options.methods import DEFAULT, METHODS, SKETCHES, THIN, ZERO_ALPHA
from sonlearn.options.spec import check_fields, flags, names, number_or, option, threshold

#: Options of learning that every method takes.
ALL_TAKE = (
    "method", "sketch", "loss", "oaa", "classes", "max_classes", "multinomial", *LOSS_OPTIONS,
    "min_prediction", "max_prediction", "link", "binary", "label_delay", "positive", "threshold", "coverage",
)  # fmt: skip
#: Options of how a prediction is written. (Shown only where they are given.)
OUTPUT_OPTIONS = ("min_prediction", "max_prediction", "link", "binary", "threshold")
#: What a prediction becomes where it is said, as VW has it.
LINKS = ("identity", "logistic", "glf1", "poisson")
#: What features are divided by (`sonlearn.learn.newton.rescale`).
SCALES = ("none", "gradients", "all-gradients", "maximum", "unit")


@dataclasses.dataclass(frozen=True)
class LearnOptions:
    """How to learn. Frozen; checked on construction, when options that are None take their method's default.

    Raises
    ------
    OptionError
        A value is out of range, or two options contradict each other.
    """

    method: str = option(
        None, "how to learn: see sonlearn methods", choices=tuple(METHODS), general=DEFAULT, metavar="NAME"
    )
    sketch: str | None = option(None, "short for a Newton method: rfd is rfd-son", choices=tuple(SKETCHES))
    sketch_size: int = option(
        None, "rows m of the sketch; 0: no sketch", flags=("-m", "--sketch-size"), low=0, high=4096, general=10,
        metavar="M",
    )  # fmt: skip
    loss: str = option(None, "loss function", flags=("--loss", "--loss_function"), choices=LOSSES, general="logistic")
    oaa: int | None = option(
        None, "K classes, labelled 1 to K or 0 to K-1: one committee of all; with --method a learner a class", low=2,
        high=1_000_000, metavar="K",
    )  # fmt: skip
    classes: str | None = option(
        None, "auto: any number of classes as they occur, whole numbers or names", choices=("auto",)
    )
    max_classes: int = option(
        MOST_CLASSES, "with --classes auto: more classes than this end the run", low=2, high=1_000_000, metavar="N",
        rare=True,
    )  # fmt: skip
    multinomial: int | None = option(
        None, "K classes; with --method one softmax learner for all of them, without it as --oaa K", low=2,
        high=1_000_000, metavar="K",
    )  # fmt: skip
    positive: str = option(
        "", "which of two labels is positive (default: 1; of two words yes, spam, ..., else the second)",
        metavar="LABEL", rare=True,
    )  # fmt: skip
    quantile_tau: float = option(
        0.5, "the quantile that --loss quantile predicts", low=0.0, high=1.0, metavar="Q", rare=True
    )
    huber_k: float = option(1.0, "--loss huber is linear for errors beyond K", above=0.0, metavar="K", rare=True)
    clip: float | str = option(
        None, "predictions are cut to [-C, C]; labels: to those so far and 0 (not all methods)",
        parse=number_or("labels"), above=0.0, metavar="C", general=math.inf,
    )  # fmt: skip
    min_prediction: float | None = option(None, "predictions below this are this", metavar="P")
    max_prediction: float | None = option(None, "predictions above this are this", metavar="P")
    link: str = option(
        "identity", "how a prediction p is written: p itself, 1/(1 + exp(-p)), 2/(1 + exp(-p)) - 1, or exp(p)",
        choices=LINKS,
    )  # fmt: skip
    binary: bool = option(False, "predict the class, -1 or +1; the loss is the share of errors")
    threshold: float | str | None = option(
        None, "P, best-f1, fpr:SHARE or cost:FN/FP: of two classes, predict +1 where its probability exceeds P (.5)",
        parse=threshold, metavar="T",
    )  # fmt: skip
    coverage: float | None = option(
        None, "add to each prediction an interval or set that contains this share of labels", above=0.0, high=0.999,
        metavar="SHARE",
    )  # fmt: skip
    alpha: float = option(
        None, "alpha_0, the initial multiple of the identity in A; 1/alpha is the first step", low=0.0, metavar="A",
        general=1.0,
    )  # fmt: skip
    sigma: float | str = option(
        None, "weight of a gradient in the sketch: a number, or auto: 1/(8 C^2) for squared loss, else 0",
        parse=number_or("auto"), low=0.0, metavar="S", general="auto",
    )  # fmt: skip
    eta: float | str = option(
        None, "added to sigma: 1/t, 1/sqrt(t) or a number", parse=number_or("1/t", "1/sqrt(t)"), low=0.0, metavar="E",
        general="1/t",
    )  # fmt: skip
    project: str = option(
        "before", "onto [-C, C]: the weights for a row before it is learned ([SON]), or after their step for that row "
        "([RFD] Alg. 6), whose gradient then is that of w'x itself", choices=("before", "after"),
    )  # fmt: skip
    members: tuple[str, ...] = option(
        (), "members of the committee, METHOD, METHOD:VIEW or METHOD:VIEW~RATE each", parse=names, metavar="LIST"
    )
    prune: bool = option(True, "drop members of the committee that do not pay for their time")
    budget: float | str = option(
        "normal", "the committee's time for a row: cheap, normal, rich, or microseconds",
        parse=number_or("cheap", "normal", "rich"), above=0.0, metavar="B",
    )  # fmt: skip
    thin: float = option(
        None, "insert a row into the sketch when the squared lengths since the last one add up to about this share of "
        "alpha; 0, the default with --alpha 0 or --scale none: insert every row", low=0.0, high=1.0, general=THIN,
        metavar="SHARE", rare=True,
    )  # fmt: skip
    beta: float = option(
        None, "share of the m directions that a shrink lowers, the last of them (pfd)", above=0.0, high=1.0,
        general=1.0, metavar="B",
    )  # fmt: skip
    oja_step: str = option("adaptive", "step of Oja's rule: paper's 1/t, or scale-free", choices=("1/t", "adaptive"))
    scale: str = option(
        None, "divide features by nothing, by the root of their summed squared gradients (all-gradients: the row's own "
        "among them), or by their largest size so far; unit: by that, and then rows by their length", choices=SCALES,
        general="gradients",
    )  # fmt: skip
    diagonal: bool | None = option(None, "on: --scale gradients, off: --scale none", switch=True)
    learning_rate: float = option(
        None, "factor of every step (ogd: 1)", flags=("-l", "--learning_rate"), above=0.0, general=0.5, metavar="L"
    )
    power_t: float = option(
        None, "steps fall as t^-P (sgd, ogd), as the P-th power of the summed squared gradients (adagrad, nag)",
        low=0.0, high=1.0, general=0.5, metavar="P",
    )  # fmt: skip
    invariant: bool = option(True, "follow the loss along a step, so that no importance makes it overshoot")
    rescale: str = option(
        "after", "a feature of a size never seen rescales its weight after the prediction (VW) or before it ([NAG])",
        choices=("after", "before"),
    )  # fmt: skip
    l1: float = option(0.0, "weights within this of 0 are 0", low=0.0, metavar="L")
    l2: float = option(0.0, "L2 penalty: each step of length e multiplies the weights by 1 - L e", low=0.0, metavar="L")
    decay: float = option(
        0.0, "share of its second-order matrix, or of its sums of squares, that a learner forgets with each example",
        low=0.0, high=0.99, metavar="RATE",
    )  # fmt: skip
    label_delay: int = option(
        0, "use a label only after N further rows were predicted, as if labels came late", low=0,
        high=1_000_000, metavar="N",
    )  # fmt: skip
    ftrl_alpha: float = option(
        None, "factor of every step (coin: 4, what is bet at first)", above=0.0, general=0.5, metavar="A"
    )
    ftrl_beta: float = option(
        None, "added to the root of summed squared gradients (coin: 1, the least bound of a slope)", low=0.0,
        general=0.1, metavar="B",
    )  # fmt: skip
    delta: float = option(
        1.0, "delta, added to roots of sums of squared gradients: how long the first steps are (ada-...)", low=0.0,
        metavar="D",
    )  # fmt: skip
    update: str = option(
        "mirror", "steps one after the other (mirror), or the weights from the sum of gradients (dual) (ada-...)",
        choices=("mirror", "dual"),
    )  # fmt: skip
    buffer: str = option(
        "doubled", "frequent directions shrink when 2m rows are there (doubled), or in every round (ada-fd, s-adagrad)",
        choices=("doubled", "every"),
    )  # fmt: skip
    seed: int = option(0, "seed of random numbers", low=0, high=2**63 - 1, metavar="S")
    arow_r: float = option(
        1.0, "r, the assumed noise of a label: the larger, the smaller the steps", above=0.0, metavar="R"
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if isinstance(self.members, str | list):  # as Python or a file's header has them
            self._set("members", names(self.members) if isinstance(self.members, str) else tuple(self.members))
        named = SKETCHES.get(self.sketch or "")
        method = self.method or named or DEFAULT
        if named not in (None, method):
            raise OptionError(f"--sketch {self.sketch} is --method {named}, not --method {method}: give one of them")
        self._set("method", method)
        self._set("sketch", METHODS[method].sketch or None)
        self._set("scale", _scale_of(self.scale, self.diagonal))
        defaults = self._defaults()
        if "thin" in METHODS[method].takes:  # none in the papers' settings
            scale = self.scale or defaults.get("scale", "gradients")
            defaults.setdefault("thin", 0.0 if scale == "none" or self.alpha == 0 else THIN)
        for field in dataclasses.fields(self):
            self._resolve(field, defaults)
        if "scale" in METHODS[method].takes:
            self._set("diagonal", {"gradients": True, "none": False}.get(self.scale))
        check_conflicts(self)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _defaults(self) -> dict[str, Any]:
        """Return what the method says of options that are not given."""
        method = METHODS[self.method]
        if self.multinomial is not None and method.shared is not None:
            return {**method.defaults, "loss": "logistic", **(method.shared or {})}
        if self.alpha == 0 and "alpha" in method.takes:
            zero = {name: value for name, value in ZERO_ALPHA.items() if name in (*ALL_TAKE, *method.takes)}
            return {**method.defaults, **zero}
        setting = method.setting
        if self.sketch_size == 0 or any(
            getattr(self, name) not in (None, setting.get(name)) for name in ("loss", "scale")
        ):
            setting = {}
        if self.decay and "scale" in method.takes:  # sums of squares that grow would be remembered
            setting = {"scale": "unit", **setting}
        return {**method.defaults, **setting}

    def _resolve(self, field: dataclasses.Field[Any], defaults: dict[str, Any]) -> None:
        """Put the default where no value was given; refuse another value of an option that it does not take."""
        method, name = METHODS[self.method], field.name
        general = field.metadata.get("general", field.default)
        if name in ("method", "sketch"):
            return
        if getattr(self, name) is None:
            self._set(name, defaults.get(name, general))
        elif name not in (*ALL_TAKE, *method.takes) and getattr(self, name) != general:
            able = [other for other, entry in METHODS.items() if name in entry.takes]
            some = ", ".join(able) if len(able) <= 4 else f"{', '.join(able[:3])} and {len(able) - 3} more"
            others = f"{some} {'does' if len(able) == 1 else 'do'}"
            raise OptionError(f"{flags(field)[-1]}: --method {self.method} does not take it; --method {others}")

    @property
    def several(self) -> bool:
        """Return whether labels are classes, of which there may be more than two."""
        return self.oaa is not None or self.classes is not None or self.multinomial is not None

    @property
    def kind(self) -> str:
        """Return what labels are: ``classes``, of which there may be more than two; ``two`` classes; or ``values``."""
        return "classes" if self.several else "two" if self.binary or self.loss in CLASSIFICATION else "values"

    @property
    def softmax(self) -> bool:
        """Return whether scores are logarithms of probabilities of several classes."""
        return self.several and (self.multinomial is not None or self.method == "committee")

    @property
    def takes_words(self) -> bool:
        """Return whether labels may be words: of classes of any names, or of two classes."""
        return self.kind == "two" or self.classes is not None

    @property
    def of_one_class(self) -> LearnOptions:
        """The options of the learner of one class."""
        return dataclasses.replace(self, oaa=None, classes=None, max_classes=MOST_CLASSES)

    @property
    def numbered(self) -> int | None:
        """Return how many classes there can be, where they are numbered from 0 or 1 on."""
        return (self.oaa or self.multinomial) if self.classes is None else None

    @property
    def resolved_sigma(self) -> float:
        """sigma as a number ([SON] Assumption 2: 1/(8 C^2) for squared loss with predictions and labels in [-C, C])."""
        if not isinstance(self.sigma, str):
            return self.sigma
        C = max(map(abs, self.bounds))
        return 1 / (8 * C**2) if self.loss == "squared" else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Return what predictions are kept within: clip, min_prediction and max_prediction together."""
        so_far = 1.0 if self.loss in CLASSIFICATION else math.inf  # labels of two classes are -1 and +1
        clip = so_far if isinstance(self.clip, str) else self.clip
        low = -clip if self.min_prediction is None else max(-clip, self.min_prediction)
        high = clip if self.max_prediction is None else min(clip, self.max_prediction)
        return float(low), float(high)

    @property
    def learns_threshold(self) -> bool:
        """Return whether the threshold follows from scores and labels."""
        return isinstance(self.threshold, str) and not self.threshold.startswith("cost:")

    @property
    def threshold_at(self) -> float:
        """The probability of +1 above which a row is +1, where the threshold is a probability or follows from costs."""
        if isinstance(self.threshold, str):
            missed, false = (float(part) for part in self.threshold.removeprefix("cost:").split("/"))
            return false / (missed + false)
        return 0.5 if self.threshold is None else self.threshold

    @property
    def shown(self) -> dict[str, Any]:
        """{name: value} of the options that matter here: those of the method, and of the loss."""
        names = {"method", "loss", *METHODS[self.method].takes, *(("sketch",) if self.sketch else ())}
        names -= {"diagonal"}  # a spelling of scale
        names |= {name for name, loss in LOSS_OPTIONS.items() if loss == self.loss}
        fields = dataclasses.fields(self)
        given = {field.name for field in fields if getattr(self, field.name) != field.default}
        optional = {*ALL_TAKE} - {"method", "sketch", "loss", *LOSS_OPTIONS}
        hidden = {*optional, "decay", *(("l2",) if self.method != "ftrl" else ())} - given
        return {field.name: getattr(self, field.name) for field in fields if field.name in (names | optional) - hidden}

    @property
    def effective_sketch(self) -> str | None:
        """Of the Newton family, ``none`` when there are no rows to keep; None for other methods."""
        return "none" if self.sketch is not None and self.sketch_size == 0 else self.sketch


def _scale_of(scale: str | None, diagonal: bool | None) -> str | None:
    """`--diagonal` and `--no-diagonal` are spellings of two scales."""
    if diagonal is None:
        return scale
    meant = "gradients" if diagonal else "none"
    if scale not in (None, meant):
        raise OptionError(f"--{'' if diagonal else 'no-'}diagonal is --scale {meant}, not --scale {scale}: give one")
    return meant
