"""Options that contradict each other: what no field can tell by itself.

`o` is a `LearnOptions` or a `TextOptions`; their modules import this one, which imports tables only.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.losses import LOSS_OPTIONS, OF_CLASSES, PROBABILISTIC
from sonlearn.options.members import member
from sonlearn.options.methods import METHODS
from sonlearn.options.spec import flags, gram_size, nearest, raw

#: Methods that take --clip labels.
CLIPPED_TO_LABELS = ("committee", "nag", "adagrad", "sgd", "ftrl", "coin")
#: Classes that --classes auto takes, unless told.
MOST_CLASSES = 10_000


def check_conflicts(o: Any) -> None:
    """Raise OptionError at the first contradiction among options of learning."""
    for field in dataclasses.fields(o):
        if getattr(o, field.name) == math.inf and field.name not in ("clip", "huber_k"):
            raise OptionError(f"{flags(field)[-1]} inf: expected a finite number")
        loss = LOSS_OPTIONS.get(field.name, o.loss)
        if loss != o.loss and getattr(o, field.name) != field.default:
            raise OptionError(f"{flags(field)[-1]} is for --loss {loss}, and the loss is {o.loss}")
    can = METHODS[o.method].losses
    if can and o.loss not in can:
        raise OptionError(f"--loss {o.loss}: --method {o.method} learns {', '.join(can)}")
    _check_classes(o)
    several_in_one = o.kind == "classes" and o.method == "committee"
    if o.kind == "classes" and o.loss not in OF_CLASSES:
        raise OptionError(f"{_of_classes(o)} with --loss {o.loss}: expected one of {', '.join(OF_CLASSES)}")
    _check_output(o)
    if several_in_one:
        _check_class_committee(o)
    _check_forgetting(o)
    _check_budget(o)
    for name in o.members:
        chosen = member(name, o.loss, several_in_one)
        if o.method == "mixture" and (chosen.view != "raw" or METHODS[chosen.method].engine == "mixture"):
            raise OptionError(f"--members {name}: --method mixture has members that are methods, without a view")
    if {"seed", "buffer"} & set(METHODS[o.method].takes) or o.method == "metagrad-fd":
        _check_projection(o)
    if o.alpha == 0 and o.effective_sketch in ("oja", "none"):
        raise OptionError(
            f"--alpha 0 with --sketch {o.effective_sketch}: the step 1/alpha would be infinite; "
            "give --alpha a positive value, or use --sketch rfd, which needs none"
        )
    if o.project == "after" and (o.sketch_size == 0 or o.multinomial is not None):
        raise OptionError("--project after: expected a sketch, of one class; leave out --sketch-size 0, --multinomial")
    if o.alpha == 0 and o.project == "after" and o.method != "rfd-son":
        raise OptionError(
            f"--alpha 0 with --project after: --method {o.method} never raises alpha, and a row may lie where A is 0; "
            "give --alpha a positive value, or use --sketch rfd"
        )
    if "beta" in METHODS[o.method].takes and math.floor(o.beta * o.sketch_size * (1 + 1e-12)) < 1 <= o.sketch_size:
        raise OptionError(
            f"--sketch-size {o.sketch_size} with --beta {o.beta:g}: a shrink would lower no direction; expected B * M "
            f"of at least 1: give -m {math.ceil(1 / o.beta)}, or --beta 1"
        )
    if o.eta == 0 and o.resolved_sigma == 0 and o.effective_sketch not in (None, "none"):
        raise OptionError("--sigma 0 with --eta 0: the sketch would stay empty; give --eta 1/t, or --sketch none")


def _check_budget(o: Any) -> None:
    """Check what goes together of the options that say what a committee may take."""
    if not o.prune and not isinstance(o.budget, str):
        raise OptionError(
            f"--budget {o.budget:g} with --no-prune: a budget in microseconds is kept by retiring members; leave out "
            "--no-prune, or name few --members"
        )
    if o.members and o.budget == "cheap":
        raise OptionError(
            "--budget cheap with --members: both say which members there are; give one of them, or --budget "
            "MICROSECONDS, which chooses among them"
        )


def _check_classes(o: Any) -> None:
    """Check what goes together of the options of classes."""
    if o.positive and o.kind != "two":
        other = _of_classes(o) or f"--loss {o.loss}"
        raise OptionError(f"--positive {o.positive} with {other}: it is for two classes; leave it out")
    if o.oaa is not None and (o.classes is not None or o.multinomial is not None):
        other = f"--classes {o.classes}" if o.multinomial is None else f"--multinomial {o.multinomial}"
        raise OptionError(f"--oaa {o.oaa} with {other}: give one of them")
    if o.classes is None and o.max_classes != MOST_CLASSES:
        raise OptionError(
            f"--max-classes {o.max_classes}: expected --classes auto, whose classes are not counted before"
        )
    if o.multinomial is None or o.method == "committee":
        return
    named = f"--multinomial {o.multinomial}"
    if METHODS[o.method].shared is None:
        able = nearest(o.method, [name for name, method in METHODS.items() if method.shared is not None], 4)
        raise OptionError(
            f"{named}: --method {o.method} has no metric that classes can share; --oaa {o.multinomial} takes it, and "
            f"{named} takes --method {able}"
        )
    if o.loss != "logistic":
        raise OptionError(f"{named} with --loss {o.loss}: its loss is softmax's log loss (--loss logistic)")
    if o.alpha == 0:
        raise OptionError(f"{named} with --alpha 0: nothing would bound the first steps; give --alpha a positive value")
    for name in ("decay", "l2"):
        if getattr(o, name):
            raise OptionError(
                f"{named} with --{name} {getattr(o, name):g}: classes that share a metric do not take it; "
                f"--oaa {o.multinomial} does"
            )


def _check_class_committee(o: Any) -> None:
    """Refuse what the committee of several classes does not take."""
    if o.loss != "logistic":
        raise OptionError(
            f"--loss {o.loss} with several classes: the committee learns logistic (softmax's log loss); a learner a "
            f"class takes it: --oaa K --method nag"
        )
    sketch_size = METHODS["committee"].defaults["sketch_size"]
    for name, nothing, able in (("l2", 0.0, "nag"), ("clip", math.inf, "nag"), ("sketch_size", sketch_size, "rfd-son")):
        if getattr(o, name) != nothing:
            raise OptionError(
                f"--{name.replace('_', '-')} {getattr(o, name):g} with several classes: the committee does not take "
                f"it; --oaa K --method {able} does"
            )


def _check_forgetting(o: Any) -> None:
    """Refuse what --decay and --l2 cannot do."""
    if o.decay and o.scale in ("gradients", "all-gradients") and "scale" in METHODS[o.method].takes:
        raise OptionError(
            f"--decay {o.decay:g} with --scale gradients: features divided by sums that only grow would not forget; "
            "give --scale unit, maximum or none"
        )
    if o.decay and o.effective_sketch == "none" and METHODS[o.method].engine == "sketched":
        raise OptionError(f"--decay {o.decay:g} with --sketch-size 0: there is no sketch that could forget; give -m M")
    for name in ("decay", "l2"):
        if getattr(o, name) and o.update == "dual":
            raise OptionError(
                f"--{name} {getattr(o, name):g} with --update dual: weights that follow from the sum of all gradients "
                "remember them; give --update mirror"
            )


def _check_output(o: Any) -> None:
    """Check what is made of a prediction before it is said."""
    low, high = o.bounds
    unbounded = o.loss in ("logistic", "poisson")  # what is predicted is a logarithm
    if o.clip == "labels" and (o.method not in CLIPPED_TO_LABELS or o.kind == "classes" or unbounded):
        raise OptionError(
            f"--clip labels is for --method {', '.join(CLIPPED_TO_LABELS)}, values or two classes, and a loss of "
            "labels, as --loss squared or hinge"
        )
    if not low < high:
        given = {"--min_prediction": o.min_prediction, "--max_prediction": o.max_prediction, "--clip": o.clip}
        shown = [f"{flag} {value:g}" for flag, value in given.items() if value not in (None, math.inf, "labels")]
        raise OptionError(f"{' with '.join(shown)}: predictions would be from {low:g} to {high:g}; expected a range")
    if o.binary and (o.link != "identity" or o.loss == "poisson"):
        other = f"--link {o.link}" if o.link != "identity" else "--loss poisson"
        raise OptionError(f"--binary with {other}: the one says classes, the other values; give one of them")
    if isinstance(o.threshold, float | int) and not 0 < o.threshold < 1:
        raise OptionError(
            f"--threshold {o.threshold:g}: expected a probability between 0 and 1, best-f1, fpr:SHARE, or cost:FN/FP"
        )
    if o.threshold is not None and not o.learns_threshold and o.loss not in PROBABILISTIC:
        raise OptionError(
            f"--threshold {o.threshold} with --loss {o.loss}: it tells no probability; give --threshold best-f1, or "
            f"one of --loss {', '.join(PROBABILISTIC)}"
        )
    if o.threshold is not None and o.loss == "poisson":
        raise OptionError(f"--threshold {o.threshold} with --loss poisson: labels are counts, not classes")
    named = [flag for flag, on in (
        ("--min_prediction", o.min_prediction is not None), ("--max_prediction", o.max_prediction is not None),
        (f"--link {o.link}", o.link != "identity"), ("--binary", o.binary),
        (f"--threshold {o.threshold}", o.threshold is not None),
    ) if on]  # fmt: skip
    if o.kind == "classes" and named:
        raise OptionError(
            f"{named[0]} with {_of_classes(o)}: of several classes "
            "the prediction is a label; give --probabilities for the probability of each"
        )


def _of_classes(o: Any) -> str:
    """Return which flag says that there are several classes; empty: none."""
    return next((f"--{name}" for name in ("oaa", "classes", "multinomial") if getattr(o, name) is not None), "")


def _check_projection(o: Any) -> None:
    if o.sketch_size == 0:
        raise OptionError(f"--sketch-size 0: --method {o.method} needs a row at least")
    for name in {"alpha", "delta"} & set(() if METHODS[o.method].engine != "projected" else METHODS[o.method].takes):
        if getattr(o, name) == 0:
            raise OptionError(
                f"--{name} 0: --method {o.method} would have steps of any length where it has no projection; "
                f"give --{name} a positive value"
            )


def check_label(o: Any) -> None:
    """The column of the label is no feature, no weight and no id."""
    for name, values in (("weight", (o.weight,)), ("id", (o.id,)), ("text", o.text), ("categorical", o.categorical)):
        if o.label and o.label in values:
            remedy = "leave it out" if name in ("weight", "id") else "leave it out (names of classes: --classes auto)"
            raise OptionError(f"--{name} {o.label}: that is the column of the label (--label); {remedy}")


def check_namespaces(o: Any) -> None:
    """Lengths of what is given by first bytes of namespaces."""
    for name, values, low, high in (
        ("-q", o.quadratic, 2, 2), ("--cubic", o.cubic, 3, 3), ("--interactions", o.interactions, 2, 16),
        ("--ignore", o.ignore, 1, 255), ("--keep", o.keep, 1, 255),
    ):  # fmt: skip
        for value in values:
            if not low <= len(raw(value)) <= high:
                wanted = f"{low} bytes" if low == high else f"{low} to {high} bytes"
                raise OptionError(f"{name} {value}: expected the first bytes of namespaces, {wanted}")
    for name, values in (("--ngram", o.ngram), ("--skips", o.skips)):
        for value in values:
            gram_size(name, value)
    if o.skips and not o.ngram:
        raise OptionError("--skips without --ngram: expected --ngram N with N at least 2")
