"""Write the sample files of this folder. Deterministic: the same bytes on every machine.

    python data/make.py [FOLDER]

Only `random.Random.random` is drawn from (its sequence is promised to stay), and numbers are rounded before they are
written, so that neither a numpy version nor the last bit of a logarithm shows.
"""

from __future__ import annotations

import bisect
import datetime
import itertools
import math
import random
import sys
from pathlib import Path

HERE = Path(__file__).parent


class Words:
    """Draw word numbers 1..d by a Zipf law; every class has its own liking for a part of them."""

    def __init__(self, rng: random.Random, d: int, lean: float):
        self.rng = rng
        taste = [math.exp(lean * (2 * rng.random() - 1)) for _ in range(d)]
        self.table = {
            side: list(itertools.accumulate(taste[j] ** side / (j + 4) for j in range(d))) for side in (-1, 1)
        }

    def draw(self, side: int) -> int:
        table = self.table[side]
        return 1 + bisect.bisect_right(table, self.rng.random() * table[-1], hi=len(table) - 1)

    def counts(self, side: int, length: int) -> dict[int, int]:
        """Word number to count, for a text of `length` words, increasing."""
        drawn = sorted(self.draw(side) for _ in range(length))
        return {word: len(list(group)) for word, group in itertools.groupby(drawn)}


def svm_lines(n: int = 2000, d: int = 3000, seed: int = 1) -> list[str]:
    """Two classes of short texts: log(1 + count) of a word, rare ones weigh more, rows of unit length."""
    rng = random.Random(seed)
    words, lines = Words(rng, d, lean=1.2), []
    for _ in range(n):
        side = 1 if rng.random() < 0.4 else -1
        counts = words.counts(side, 6 + int(12 * rng.random()))
        values = {word: math.log(1 + count) * math.log(2 + word) for word, count in counts.items()}
        norm = math.sqrt(sum(value * value for value in values.values()))
        label = side if rng.random() >= 0.03 else -side
        lines.append(f"{label:+d} " + " ".join(f"{word}:{value / norm:.3g}" for word, value in values.items()))
    return lines


def names(rng: random.Random, n: int) -> list[str]:
    """n distinct words of two or three invented syllables, short ones first."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or")]
    made: dict[str, None] = {}
    while len(made) < n:
        parts = 2 if len(made) < n // 4 else 3
        made["".join(syllables[int(len(syllables) * rng.random())] for _ in range(parts))] = None
    return list(made)


def vw_lines(n: int = 1000, d: int = 1500, seed: int = 2) -> list[str]:
    """Letters, wanted (1) or not (-1): namespaces `subject` and `body` with counts, some tags and importances."""
    rng = random.Random(seed)
    words, vocabulary, lines = Words(rng, d, lean=1.5), names(rng, d), []
    for i in range(1, n + 1):
        side = 1 if rng.random() < 0.5 else -1
        label = side if rng.random() >= 0.03 else -side
        subject = words.counts(side, 2 + int(3 * rng.random()))
        body = words.counts(side, 8 + int(16 * rng.random()))
        importance = (" 2", " 0.5", " 1.5")[int(3 * rng.random())] if rng.random() < 0.1 else ""
        tag = f" 'letter{i}" if rng.random() < 0.2 else " "
        text = " ".join(vocabulary[word - 1] for word in subject)
        counted = " ".join(vocabulary[word - 1] + (f":{count}" if count > 1 else "") for word, count in body.items())
        lines.append(f"{label}{importance}{tag}|subject {text} |body {counted}")
    return lines


#: What customers say: (how much it speaks for leaving, sentences).
NOTES = (
    (1.6, ("Much too expensive, I want to cancel.", "The line drops every evening; cancel it!")),
    (0.3, ("Asked about the bill.", "Moved house, needs a new router.", "Called about roaming.")),
    (-1.2, ("Very happy, thanks!", "Great support and friendly people.", "All works well.")),
)


def customer_lines(n: int = 1200, seed: int = 3) -> list[str]:
    """Customers of a telephone company, and whether they left: numbers, categories, a text, dates, missing values.

    `customer` is an id, `zip` a code that looks like a number, `closed` a leak: it is filled in after somebody left.
    """
    rng = random.Random(seed)
    start, lines = datetime.date(2015, 1, 1), ["customer,age,plan,zip,monthly,since,last_call,note,closed,churned"]
    for i in range(n):
        age, plan = 18 + int(65 * rng.random()), ("basic", "plus", "family")[int(3 * rng.random())]
        monthly = round({"basic": 12, "plus": 25, "family": 45}[plan] * (0.7 + 0.6 * rng.random()), 2)
        joined = start + datetime.timedelta(int(3000 * rng.random()))
        hour, mood = 8 + int(12 * rng.random()), NOTES[int(3 * rng.random())]
        note = mood[1][int(len(mood[1]) * rng.random())] + f" Ticket {10000 + int(90000 * rng.random())}."
        z = mood[0] + 0.04 * (monthly - 25) + (0.9 if plan == "basic" else -0.4) + (joined.year - 2019) * 0.25 - 0.9
        left = rng.random() < 1 / (1 + math.exp(-z))
        zip_code = ("01010", "01020", "02020", "04600", "08010")[int(5 * rng.random())]
        day = f"2023-{1 + int(12 * rng.random()):02d}-{1 + int(28 * rng.random()):02d}"
        called = f"{day} {hour:02d}:{int(60 * rng.random()):02d}"
        missing = rng.random(), rng.random()
        fields = (
            f"C{i + 1:05d}", "" if missing[0] < 0.12 else str(age), plan, zip_code, f"{monthly:.2f}", str(joined),
            "" if missing[1] < 0.2 else called, f'"{note}"', f"2024-0{1 + int(6 * rng.random())}-01" if left else "",
            "yes" if left else "no",
        )  # fmt: skip
        lines.append(",".join(fields))
    return lines


#: How much more likely an offer is bought at a time of the day.
TASTES = {
    "morning": {"coffee": 0.5, "tea": 0.25}, "noon": {"soup": 0.5, "tea": 0.15}, "evening": {"wine": 0.55, "soup": 0.2}
}  # fmt: skip


def offer_lines(n: int = 600, seed: int = 4) -> list[str]:
    """Decisions of a shop, in blocks: the offer was drawn by chance, coffee with probability .4, the others with .2.

    A sale is a cost of -1. Which offer is bought depends on the time of the day.
    """
    rng, lines = random.Random(seed), []
    shares = {"coffee": 0.4, "soup": 0.2, "tea": 0.2, "wine": 0.2}
    for i in range(1, n + 1):
        time = tuple(TASTES)[int(3 * rng.random())]
        shown = bisect.bisect_right((0.4, 0.6, 0.8), rng.random())
        bought = rng.random() < 0.05 + TASTES[time].get(tuple(shares)[shown], 0.0)
        lines.append(f"shared 'visit{i} |visit {time}")
        for k, (offer, p) in enumerate(shares.items()):
            lines.append((f"{k}:{-int(bought)}:{p} " if k == shown else "") + f"|offer {offer}")
        lines.append("")
    return lines


#: Sentences of messages, {} a word of the list below: ordinary ones, then those of spam. Some words stand in both.
ORDINARY = (
    "Are you free for {} on {}?", "Running late, be there at {} o'clock.", "Can you bring the {} to the {}?",
    "Happy birthday! Hope you had a nice {}.", "The {} is ready, call me when you want to pick it up.",
    "Did you win the {} game on {}?", "Thanks for the {}, the kids loved it.", "Meeting moved to {}, same room.",
    "Your account of the {} was so funny!", "Please reply about the {} before {}.", "I left the {} at the office.",
    "Claim the {} before somebody else does :)", "Shall we go to the {} this {}?", "Text me the {} please.",
)  # fmt: skip
SPAM = (
    "Congratulations, you win a free {}! Reply to claim.", "URGENT: your account is locked, call {} now.",
    "Free {} prize this {}! Text WIN to {}.", "Claim your {} voucher before {}, call {}.",
    "Last chance: cheap {} offer, click the link now.", "You have been selected for a {} prize, reply YES.",
    "Hi, about the {}: my new number is {}, call me please.",
)  # fmt: skip
SLOTS = (
    "dinner", "Monday", "Friday", "weekend", "holiday", "phone", "ticket", "cake", "book", "train", "cinema", "garden",
    "keys", "football", "music", "report", "bike", "camera", "coffee", "concert", "six", "seven", "lunch", "Tuesday",
)  # fmt: skip


def message_lines(n: int = 3000, seed: int = 4) -> list[str]:
    """Short messages as people write them, about one in a hundred of them spam: an id, the message, the label."""
    rng = random.Random(seed)
    lines = ["id,message,label"]

    def sentence(kind: tuple[str, ...]) -> str:
        pattern = kind[int(len(kind) * rng.random())]
        fill = [SLOTS[int(len(SLOTS) * rng.random())] for _ in range(pattern.count("{}"))]
        if kind is SPAM and "call {}" in pattern:
            fill[-1] = f"0800{int(1e6 * rng.random()):06d}"
        return pattern.format(*fill)

    for i in range(1, n + 1):
        spam = rng.random() < 0.01
        sentences = [sentence(SPAM if spam else ORDINARY)]
        while rng.random() < 0.4:
            sentences.append(sentence(ORDINARY))
        lines.append(f'm{i},"{" ".join(sentences)}",{"spam" if spam else "ham"}')
    return lines


def main(folder: Path = HERE) -> None:
    samples = (
        ("sample.svm", svm_lines()),
        ("sample.vw", vw_lines()),
        ("customers.csv", customer_lines()),
        ("messages.csv", message_lines()),
        ("offers.vw", offer_lines()),
    )
    for name, lines in samples:
        (folder / name).write_bytes(("\n".join(lines) + "\n").encode("ascii"))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
