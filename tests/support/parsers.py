"""Oracle of the text kernels: one line at a time, with regular expressions and Python's own float."""

import math
import re
from typing import NamedTuple

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
CONSTANT = -1
VW_CONSTANT = 11650396


class Malformed(ValueError):  # noqa: N818
    """The oracle refuses the line."""


class Example(NamedTuple):
    y: float
    weight: float
    base: float
    tag: str
    features: list[tuple[int, float]]


def number(text: bytes) -> float:
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise Malformed(text)
    return float(text)


def svmlight_line(line: bytes, constant: bool = True) -> Example | None:
    if 0 in line:
        raise Malformed(line)
    words = line.split(b"#")[0].split()
    if not words:
        return None
    features = []
    for word in words[1:]:
        if re.fullmatch(rb"qid:[+-]?\d+", word):
            continue
        index, colon, value = word.partition(b":")
        if not colon or not re.fullmatch(rb"\d+(\.0*)?", index) or int(float(index)) > 2**63:
            raise Malformed(word)
        if int(index.split(b".")[0]) >= 2**63:
            raise Malformed(word)
        features.append((int(index.split(b".")[0]), number(value)))
    return Example(number(words[0]), 1.0, 0.0, "", features + [(CONSTANT, 1.0)] * constant)


def murmur3(data: bytes, seed: int) -> int:
    """MurmurHash3_x86_32, straight from its definition."""

    def rotate(x: int, r: int) -> int:
        return (x << r | x >> (32 - r)) % 2**32

    def scramble(k: int) -> int:
        return rotate(k * 0xCC9E2D51 % 2**32, 15) * 0x1B873593 % 2**32

    h = seed % 2**32
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h = (rotate(h ^ scramble(int.from_bytes(data[i : i + 4], "little")), 13) * 5 + 0xE6546B64) % 2**32
    h ^= scramble(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B % 2**32
    h = (h ^ h >> 13) * 0xC2B2AE35 % 2**32
    return h ^ h >> 16


def vw_hash(name: bytes, seed: int, hash_all: bool = False) -> int:
    if hash_all:
        return murmur3(name, seed)
    name = name.strip(bytes(range(33)))
    if re.fullmatch(rb"\d*", name):
        return int(name or b"0") + seed
    return murmur3(name, seed)


def slot_of(name: str, space: str = "") -> int:
    """The slot, of 2^18, of a feature of a namespace."""
    return vw_hash(name.encode(), vw_hash(space.encode(), 0)) % 2**18


def vw_line(
    line: bytes, bits: int = 18, constant: bool = True, hash_all: bool = False, seed: int = 0
) -> Example | None:
    if 0 in line:
        raise Malformed(line)
    line = line.removesuffix(b"\r")
    if not line.strip(b" \t"):
        return None
    before, bar, after = line.partition(b"|")
    if not bar or b"\r" in before:
        raise Malformed(line)
    y, weight, base, tag = _before_bar(before)
    features = []
    *parts, last = after.split(b"|")
    for part in parts:
        features += _namespace(part + b"|", hash_all, seed)
    features += _namespace(last, hash_all, seed)
    features = [(slot % 2**bits, value) for slot, value in features if value != 0]
    return Example(y, weight, base, tag, features + [(VW_CONSTANT % 2**bits, 1.0)] * constant)


def _before_bar(before: bytes) -> tuple[float, float, float, str]:
    words = [word for word in re.split(rb"[ \t]+", before) if word]
    tag = b""
    if words and (words[-1].startswith(b"'") or not before.endswith((b" ", b"\t"))):
        tag = words.pop().removeprefix(b"'")
    if len(words) > 3:
        raise Malformed(before)
    numbers = [number(word) for word in words]
    y, weight, base = (numbers + [math.nan, 1.0, 0.0][len(numbers) :])[:3]
    if weight < 0:
        raise Malformed(before)
    return y, weight, base, tag.decode("utf-8", "surrogateescape")


def _namespace(part: bytes, hash_all: bool, seed: int) -> list[tuple[int, float]]:
    if b"\r" in part:
        raise Malformed(part)
    words = re.split(rb"[ \t]", part.removesuffix(b"|"))
    name, colon, weight = words[0].partition(b":")
    if colon and not name:
        raise Malformed(part)
    scale = number(weight) if colon else 1.0
    ns = vw_hash(name, seed, hash_all) if name else (vw_hash(b"", seed, True) if seed else 0)
    features, anonymous = [], 0
    for i, word in enumerate(words):
        if i == 0 or not word:
            continue
        name, colon, value = word.partition(b":")
        if not colon:
            features.append((vw_hash(name, ns, hash_all), scale))
        elif NUMBER.fullmatch(value):
            x = scale * number(value)
            if not math.isfinite(x):
                raise Malformed(word)
            features.append((vw_hash(name, ns, hash_all) if name else ns + anonymous, x))
            anonymous += not name
        elif not value or re.match(rb"[+-]?\.?\d", value) or re.fullmatch(rb"(?i)[+-]?(inf|infinity|nan)", value):
            raise Malformed(word)
        elif i == len(words) - 1 and part.endswith(b"|"):
            raise Malformed(part)  # does the bar belong to the text?
        else:
            features.append((vw_hash(value, vw_hash(name, ns, hash_all), hash_all), 1.0))
    return features


def parse(text: bytes, format: str, **options) -> tuple[list[tuple[int, Example]], int | None]:
    """(line number, example) of all lines before the first malformed one, and that one's number."""
    line_parser = vw_line if format == "vw" else svmlight_line
    text = text.removeprefix(b"\xef\xbb\xbf")
    examples = []
    for i, line in enumerate(text.split(b"\n"), 1):
        try:
            example = line_parser(line, **options)
        except Malformed:
            return examples, i
        if example is not None:
            examples.append((i, example))
    return examples, None
