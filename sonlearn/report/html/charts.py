"""Charts as SVG: scales, axes with ticks, and lines in a frame. Colours come from the page's style, by class."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from sonlearn.report.html.markup import Element, element

#: Size of a chart, and of the margins about its frame, in units of the picture.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 300, 66, 14, 12, 40

Points = Sequence[tuple[float, float]]


class Scale(NamedTuple):
    """Values from `low` to `high` on an axis, linear or logarithmic."""

    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Return where `value` stands, from 0 to 1 within the scale."""
        if self.log:
            return math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 6) -> list[float]:
        """Round values within the scale, not many more than `most`."""
        return _decades(self, most) if self.log else _steps(self.low, self.high, most)


class Series(NamedTuple):
    """What is drawn: lines through `points` (each piece on its own), and dots on them."""

    name: str
    class_: str
    pieces: Sequence[Points]
    dots: bool = False


def scale(values: Sequence[float], log: bool = False, zero: bool = True) -> Scale:
    """A scale over the finite `values`; linear ones begin at 0 unless `zero` is False or a value is below."""
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = min(finite, default=1.0 if log else 0.0), max(finite, default=1.0)
    if log:
        return Scale(low, high, True) if high > low else Scale(low / 2, high * 2, True)
    low = min(low, 0.0) if zero else low
    return Scale(low, high) if high > low else Scale(low - (low != 0), low + 1)


def chart(x: Scale, y: Scale, series: Sequence[Series], **axes: str) -> Element:
    """A chart.

    Parameters
    ----------
    x, y : Scale
    series : sequence of Series
        Drawn in this order, clipped to the frame.
    axes : str
        `title` says what is to be seen, for those who cannot see it; `below` and `beside` name the axes.
    """
    grid = element("g", *_grid(x, y), class_="grid")
    inner = element(
        "svg", *(part for one in series for part in _drawn(one, x, y)), x=LEFT, y=TOP, class_="plot",
        width=WIDTH - LEFT - RIGHT, height=HEIGHT - TOP - BOTTOM,
    )  # fmt: skip
    centre, turned = (LEFT + WIDTH - RIGHT) / 2, f"translate(13 {(TOP + HEIGHT - BOTTOM) / 2:g}) rotate(-90)"
    below = element("text", axes["below"], x=centre, y=HEIGHT - 5, class_="name", text_anchor="middle")
    beside = element("text", axes["beside"], transform=turned, class_="name", text_anchor="middle")
    return element(
        "svg", grid, inner, below, beside, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=axes["title"],
        class_="chart",
    )  # fmt: skip


def legend(series: Sequence[Series]) -> Element:
    """Return which line is which."""
    return element(
        "p", *(element("span", element("i", class_=f"key {one.class_}"), one.name) for one in series), class_="legend"
    )


def figure(x: Scale, y: Scale, series: Sequence[Series], caption: str = "", **axes: str) -> Element:
    """A chart under its caption and the legend, which names what is drawn last first; see `chart`."""
    about = element("figcaption", caption) if caption else None
    return element("figure", about, legend(series[::-1]), chart(x, y, series, **axes))


def place(x: Scale, y: Scale, point: tuple[float, float]) -> tuple[float, float]:
    """Return where a point stands within the frame."""
    return x.share(point[0]) * (WIDTH - LEFT - RIGHT), (1 - y.share(point[1])) * (HEIGHT - TOP - BOTTOM)


def format_number(value: float) -> str:
    """A number for people: four digits, thousands apart."""
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return with_minus_sign(f"{int(value):,}")
    if abs(value) < 1000:
        return with_minus_sign(f"{value:.4g}")
    return with_minus_sign(f"{value:,.0f}" if abs(value) < 1e7 else f"{value:.3g}")


def short_number(value: float) -> str:
    """The same for the ticks of an axis: 20k, 1M."""
    for least, unit, name in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if least <= abs(value) < 1e12:
            return with_minus_sign(f"{value / unit:.4g}{name}")
    if value and not 1e-4 <= abs(value) < 1e6:
        return with_minus_sign(f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e"))
    return with_minus_sign(f"{value:.6g}")


def with_minus_sign(text: str) -> str:
    """A number with a minus that is as wide as a digit."""
    return text.replace("-", "\u2212")


def _drawn(one: Series, x: Scale, y: Scale) -> list[Element]:
    parts = []
    for piece in one.pieces:
        spots = [place(x, y, point) for point in piece]
        if len(spots) > 1:
            d = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in map(_within, spots))
            parts.append(element("path", d=d, class_=f"line {one.class_}"))
        if one.dots or len(spots) == 1:
            for (a, b), point in zip(spots, piece, strict=True):
                tip = element("title", f"{one.name}: {format_number(point[0])}, {format_number(point[1])}")
                parts.append(element("circle", tip, cx=a, cy=b, r=3.0, class_=f"dot {one.class_}"))
    return parts


def _within(spot: tuple[float, float]) -> tuple[float, float]:
    """Far outside the frame is as good as just outside, and keeps numbers short."""
    return min(max(spot[0], -1e4), 1e4), min(max(spot[1], -1e4), 1e4)


def _grid(x: Scale, y: Scale) -> list[Element]:
    parts, below, right = [], HEIGHT - BOTTOM, WIDTH - RIGHT
    for value in y.ticks(5):
        at = TOP + (1 - y.share(value)) * (below - TOP)
        parts.append(element("path", d=f"M{LEFT} {at:.1f}H{right}"))
        parts.append(element("text", short_number(value), x=LEFT - 7.0, y=at + 4, text_anchor="end"))
    for value in x.ticks(6):
        at = LEFT + x.share(value) * (right - LEFT)
        parts.append(element("path", d=f"M{at:.1f} {below}v5", class_="tick"))
        parts.append(element("text", short_number(value), x=at, y=below + 18.0, text_anchor="middle"))
    parts.append(element("path", d=f"M{LEFT} {below}H{right}", class_="axis"))
    return parts


def _steps(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next((m * power for m in (1, 2, 5) if m * power >= raw), 10 * power)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, first + 2 * most + 2) if step * i <= high + 1e-9 * step]


def _decades(one: Scale, most: int) -> list[float]:
    """Powers of ten; also 2 and 5 times those where there are few, every n-th where there are many."""
    first, last = math.floor(math.log10(one.low)), math.ceil(math.log10(one.high))
    inside = [
        10.0**k for k in range(first, last + 1) if one.low <= 10.0**k * (1 + 1e-9) and 10.0**k <= one.high * 1.001
    ]
    if len(inside) >= 3:
        every = -(-len(inside) // (most + 1))
        return inside[::every]
    finer = [m * 10.0**k for k, m in itertools.product(range(first, last + 1), (1, 2, 5))]
    finer = [value for value in finer if one.low <= value * (1 + 1e-9) and value <= one.high * 1.001]
    return finer if len(finer) >= 2 else [one.low, one.high]
