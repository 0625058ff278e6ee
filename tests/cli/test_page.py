"""The page about a run: its numbers are the log's, nothing is fetched, and a browser shows it as it is meant."""

import io
import json
import random
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from places import sample

from sonlearn.cli import main
from sonlearn.options.members import CLASS_METHODS
from sonlearn.options.views import VIEWS
from sonlearn.report.html import model
from sonlearn.report.html.charts import Scale, format_number, short_number
from sonlearn.report.html.page import page
from sonlearn.report.runlog import read_run, run_of
from sonlearn.report.series import curves, interval, speeds, thinned

#: Elements without an end.
VOID = {"meta", "link", "input", "br"}


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A folder with the logs two.jsonl, passes.jsonl, classes.jsonl, values.jsonl and killed.jsonl."""
    folder = tmp_path_factory.mktemp("logs")
    (folder / "a.svm").write_text(sample("sample.svm", stop=400), encoding="utf-8")
    rng = random.Random(1)
    rows = [f"{k} |w {' '.join(rng.choices('abcdefgh'[k : k + 4], k=3))}\n" for k in rng.choices(range(1, 5), k=300)]
    (folder / "c.vw").write_text("".join(rows), encoding="utf-8")
    (folder / "v.svm").write_text("".join(f"{rng.gauss(3, 2)} 1:{rng.random()}\n" for _ in range(200)))
    runs = {
        "two": ["--members", "nag,drfd:lunit,arow", "a.svm"],
        "passes": ["--sketch", "rfd", "-m", "5", "--passes", "3", "a.svm"],
        "classes": ["--members", "nag,arow-precision:lunit", "--oaa", "4", "--names", "c.vw"],
        "values": ["--method", "nag", "--loss", "squared", "v.svm"],
    }
    for name, (*options, data) in runs.items():
        command = ["train", "--quiet", *options, "--log-json", str(folder / f"{name}.jsonl"), str(folder / data)]
        assert main(command) == 0
    (folder / "killed.jsonl").write_bytes((folder / "two.jsonl").read_bytes()[:-2000])
    return folder


class Outline(HTMLParser):
    """A page as (tag, attributes, text) of its elements, all of which have to be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append([tag, dict(attrs), ""])
        if tag not in VOID:
            self.open.append((tag, self.found[-1]))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, entry in self.open:
            entry[2] += data

    def of(self, tag, **attributes):
        """[(attributes, text)] of the elements of that tag, and class or id."""
        return [
            (attrs, text) for found, attrs, text in self.found
            if found == tag and all(value in (attrs.get(name) or "").split() for name, value in attributes.items())
        ]  # fmt: skip


def entries(logs, name):
    return [json.loads(line) for line in (logs / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def page_of(lines):
    return page(run_of([json.dumps(line).encode() + b"\n" for line in lines], "log")).decode()


SECTIONS = {
    "two": ["progress", "ranking", "calibration", "confusion", "weights", "members", "stream", "spectrum", "settings"],
    "passes": ["progress", "ranking", "calibration", "confusion", "weights", "spectrum", "settings"],
    "classes": ["progress", "weights", "calibration", "confusion", "members", "stream", "settings"],
    "values": ["progress", "values", "weights", "settings"],
    "killed": ["progress", "settings"],
}
TILES = {"two": 7, "classes": 6}


@pytest.mark.parametrize("name", SECTIONS)
def test_the_parts_of_a_page(logs, name):
    text = page(read_run(logs / f"{name}.jsonl")).decode()
    seen = Outline(text)
    assert [attrs["id"] for attrs, _ in seen.of("section") if attrs["id"] != "speed"] == SECTIONS[name]
    ids = [attrs["id"] for _, attrs, _ in seen.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {attrs["for"] for attrs, _ in seen.of("label")} <= set(ids)
    # nothing to fetch, nothing to run
    assert not seen.of("script")
    assert not seen.of("img")
    assert [attrs["href"] for _, attrs, _ in seen.found if "href" in attrs] == ["data:,"]
    assert not any(name in ("src", "srcset") or name.startswith("on") for _, attrs, _ in seen.found for name in attrs)
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r'="[^"]*\bnan\b', text)
    assert all("aria-label" in attrs for attrs, _ in seen.of("svg", **{"class": "chart"}))


def transform(texts, horizontal):
    """position -> value, from the numbers at an axis of a chart: what a reader would do with a ruler."""
    spots = sorted((float(a["x" if horizontal else "y"]) - (0 if horizontal else 4), number(text)) for a, text in texts)
    (p, v), (q, w) = spots[0], spots[-1]
    return lambda at: v + (at - p) * (w - v) / (q - p)


def number(text):
    units = {"k": 1e3, "M": 1e6}
    text = text.replace("\u2212", "-")
    return float(text[:-1]) * units[text[-1]] if text[-1] in units else float(text)


def chart_of(text, label):
    """The first chart whose label begins so, as an outline."""
    return Outline(re.search(rf'<svg [^>]*aria-label="{label}.*?</svg>.*?</svg>', text, re.DOTALL)[0])


def ticks(chart):
    """(x texts, y texts) beside the axes."""
    texts = [entry for entry in chart.of("text") if "class" not in entry[0]]
    return [t for t in texts if t[0]["text-anchor"] == "middle"], [t for t in texts if t[0]["text-anchor"] == "end"]


def drawn(chart, tag, name):
    """The spots of a chart's dots ("circle") or of its line ("path"), in the units of its axes."""
    x, y = (transform(part, i == 0) for i, part in enumerate(ticks(chart)))
    frame, found = chart.of("svg", **{"class": "plot"})[0][0], [a for a, _ in chart.of(tag, **{"class": name})]
    spots = [(float(a["cx"]), float(a["cy"])) for a in found if tag == "circle"]
    if tag == "path":
        (line,) = found
        spots = [tuple(map(float, spot.split())) for spot in line["d"].removeprefix("M").split("L")]
    return [(x(a + float(frame["x"])), y(b + float(frame["y"]))) for a, b in spots]


def test_curves_are_where_their_axes_say(logs):
    run = read_run(logs / "two.jsonl")
    text = page(run).decode().split('class="pane pair"')[2]  # on a linear scale
    for what in ("error", "loss"):
        spots = drawn(chart_of(text, f"Average {what}"), "path", "average")
        rows = {row["examples"]: row[what] for row in run.rows}
        assert len(spots) > 20
        for n, value in spots:
            assert value == pytest.approx(rows[min(rows, key=lambda m: abs(m - n))], rel=0.02, abs=0.004)
        assert spots[-1][0] == pytest.approx(run.rows[-1]["examples"], abs=1)


def test_dots_of_the_calibration_are_its_bins(logs):
    run = read_run(logs / "two.jsonl")
    dots = drawn(chart_of(page(run).decode(), "Calibration"), "circle", "average")
    bins = [(b["predicted"], b["happened"]) for b in run.end["calibration"]["bins"] if b["examples"] >= 5]
    assert len(bins) > 5
    assert np.array(dots) == pytest.approx(np.array(bins), abs=2e-3)


def test_bars_and_tables_have_the_logs_numbers(logs):
    run = read_run(logs / "two.jsonl")
    text = page(run).decode()
    seen = Outline(text)
    members = re.search(r'<section id="members".*?</section>', text, re.DOTALL)[0]
    shown = dict(re.findall(r'<th scope="row" title="([^"]*)">.*?</td><td>([^<]*)</td>', members))
    weight_of = {m["name"]: m["weight"] for m in run.end["members"] if m["weight"] is not None}
    figures = {name: f"{w:.4f}".replace("-", "\u2212") for name, w in weight_of.items()}
    assert shown == figures
    starts = [float(v) for v in re.findall(r"--start:([\d.]+);", members)]
    shares = [float(v) for v in re.findall(r"--share:([\d.]+)", members)]
    weights = sorted(weight_of.values(), key=lambda w: -abs(w))
    span = max(0.0, *weights) - min(0.0, *weights)
    assert shares == pytest.approx([abs(w) / span for w in weights], abs=1e-4)
    zero = -min(0.0, *weights) / span
    for start, share, weight in zip(starts, shares, weights, strict=True):
        assert start + share * (weight < 0) == pytest.approx(zero, abs=2e-4)
    counts = [int(text) for attrs, text in seen.of("td") if attrs.get("class") in ("right", "wrong") and text]
    assert counts == [round(h) for row in run.end["confusion"]["counts"] for h in row if h]
    tiles = [text for _, text in seen.of("div", **{"class": "tile"})]
    assert f"{100 * run.end['error']:.3g} %" in tiles[0]
    assert format_number(run.end["loss"]) in tiles[1]


def test_every_view_of_a_member_is_explained():
    assert all(model.member_words(f"nag:{view}").endswith(f"; {entry.about}") for view, entry in VIEWS.items())
    assert model.member_words("nag:odds").endswith("; words weighted by class odds")
    assert model.member_words("no:such") == ""
    assert all(model.member_words(f"{method}:raw") for method in CLASS_METHODS)
    for name in ("nag~0.1", "shares~0.1", "arow:zs~0.1"):
        assert model.member_words(name).startswith(model.member_words(name.removesuffix("~0.1")) + "; ")
        assert model.member_words(name).endswith("forgets the share 0.1 of what it has seen with each row")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--loss", "squared"], "of labels in standard deviations"),
        (["--loss", "squared", "--label_delay", "20"],
         "of labels in standard deviations, without the first and the last 20 examples"),
        (["--label_delay", "20"], "without the last 20 examples"),
    ],
)  # fmt: skip
def test_what_losses_along_a_stream_are_is_said(tmp_path, given, said, capsys):
    log, data = tmp_path / "log.jsonl", tmp_path / "a.svm"
    data.write_text("".join(f"{1 if i // 40 % 2 else -1} 1:{i % 7}\n" for i in range(300)))
    assert main(["train", "--members", "nag,ewma~0.3", *given, "--log-json", str(log), str(data)]) == 0
    assert f"({said})\nwithout = " in capsys.readouterr().err
    assert f"Losses and errors are {said}." in page(read_run(log)).decode()


def test_a_page_about_a_test_does_not_say_that_anything_was_learned(logs):
    lines = entries(logs, "two")
    lines[0]["verb"] = "test"
    text = page_of(lines)
    assert "Nothing was learned" in text
    assert "before it was learned from" not in text
    assert "before it was learned from" in page(read_run(logs / "two.jsonl")).decode()


def test_curves_of_two_classes_are_the_logs(logs):
    run = read_run(logs / "two.jsonl")
    metrics, text = run.end["metrics"], page(run).decode()
    ranking = re.search(r'<section id="ranking".*?</section>', text, re.DOTALL)[0]
    for title, x_name, y_name in (("ROC", "false_share", "recall"), ("Precision", "recall", "precision")):
        spots = drawn(chart_of(ranking, title), "path", "average")
        expected = [(0.0, 0.0)] * (title == "ROC")
        expected += [(cut[x_name], cut[y_name]) for cut in metrics["curve"] if title == "ROC" or cut["recall"] > 0]
        assert np.array(spots) == pytest.approx(np.array(expected), abs=2e-3)
    rows = Outline(ranking).of("tr")
    assert len(rows) == 1 + 2 + len(metrics["thresholds"])
    assert f"{metrics['best_f1']['f1']:.3f}" in rows[2][1]
    assert f"{metrics['auc']:.4f}" in text


def test_dots_of_values_are_the_sample(logs):
    run = read_run(logs / "values.jsonl")
    dots = drawn(chart_of(page(run).decode(), "Predicted against"), "circle", "cloud")
    assert np.array(dots) == pytest.approx(np.array(run.end["metrics"]["sample"]), abs=0.05)
    assert len(dots) == 199  # not the one that was predicted before any label had come


def test_what_many_labels_have_in_common_is_neither_right_nor_wrong(logs):
    lines = entries(logs, "classes")
    counts = (1 + np.arange(14 * 14).reshape(14, 14) % 5).tolist()
    lines[-1]["confusion"] = {"labels": [*map(str, range(13)), "9 others"], "counts": counts, "others": 9}
    text = page_of(lines)
    table = Outline(re.search('<table class="confusion dense">.*?</table>', text, re.DOTALL)[0])
    assert len(table.of("td", **{"class": "right"})) == 13
    assert len(table.of("td", **{"class": "wrong"})) == 14 * 14 - 14
    margins = [text for _, text in table.of("td", **{"class": "margin"})]
    assert len(margins) == 28
    assert (margins[13], margins[27]) == ("\u2013", "\u2013")
    assert margins[1] == f"{100 * counts[1][1] / sum(counts[1]):.0f} %"
    assert margins[14] == f"{100 * counts[0][0] / sum(row[0] for row in counts):.0f} %"


def test_what_stands_in_the_input_is_text(logs):
    lines, evil = entries(logs, "classes"), '<script>alert("1")</script>&amp;\udcff\x00\x1b]'
    lines[0]["data"], lines[-1]["warnings"] = [evil], [evil]
    lines[0]["learn"][evil] = evil
    lines[-1]["contributions"][0]["features"][0]["name"] = evil
    lines[-1]["contributions"][0]["label"] = lines[-1]["classes"][0]["label"] = evil
    lines[-1]["confusion"]["labels"][0] = evil
    text = page_of(lines)
    seen = Outline(text)
    assert not seen.of("script")
    shown = '<script>alert("1")</script>&amp;\\xff\\x00\\x1b]'
    assert seen.of("h1")[0][1] == f"Learning from {shown.rsplit('/', 1)[1]}"  # a name without its folder
    assert sum(shown in text for _, text in seen.of("th")) >= 3
    assert not re.search("[\x00-\x08\x0b-\x1f]", text)


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("most", [1000, 25, 7])
def test_thinned_curves_lose_no_example(log, most):
    rng = np.random.default_rng(5)
    rows, n, loss = [], 0, 0.0
    for i in range(200):
        since, own = int(rng.integers(10, 40)), float(rng.random())
        n, loss = n + since, loss + since * own
        rows.append({"examples": n, "weight": n, "since": since, "since_loss": own, "loss": loss / n, "held": i >= 150})
        if i == 149:
            n_held = n
    average, since = curves(rows, "loss", log, most)
    assert len(average) == len(since) == 2
    for piece, part in zip(since, (rows[:150], rows[150:]), strict=True):
        assert len(piece) <= 150
        ends = [n for n, _ in piece]
        begin, total = 0, 0.0
        for end, value in piece:
            inside = [row for row in part if begin < row["examples"] <= end]
            total += value * sum(row["since"] for row in inside)
            losses, of = zip(*((row["since_loss"], row["since"]) for row in inside), strict=True)
            assert value == pytest.approx(np.average(losses, weights=of))
            begin = end
    assert ends[-1] == n  # of the last piece nothing is left out
    assert total == pytest.approx(sum(row["since"] * row["since_loss"] for row in part))
    assert sum(map(len, average)) <= 1.3 * most + 2
    assert average[1][-1] == (n, rows[-1]["loss"])
    assert n_held < average[1][0][0]
    assert len(thinned(rows)) <= 33
    assert thinned(rows)[-1] is rows[-1]


def test_speeds_are_over_time_that_has_passed():
    rows = [{"read": 100 * (i // 3 + 1), "seconds": 0.5 * (i // 3 + 1), "examples": i} for i in range(30)]
    assert speeds(rows) == [(100.0 * k, pytest.approx(200.0)) for k in range(1, 11)]
    assert speeds([]) == []
    assert len(speeds([{"read": i, "seconds": i / 100} for i in range(1, 5000)])) <= 60


def test_axes_have_round_numbers():
    rng = np.random.default_rng(6)
    for _ in range(500):
        span = float(10 ** rng.uniform(-6, 6))
        low = float(rng.choice([0.0, span * rng.normal() * 10 ** rng.uniform(-2, 4)]))
        one = Scale(low, low + span)
        values = one.ticks()
        assert 2 <= len(values) <= 9, one
        assert all(-1e-9 <= one.share(value) <= 1 + 1e-9 for value in values)
        step = values[1] - values[0]
        assert step / 10.0 ** np.floor(np.log10(step) + 1e-6) == pytest.approx(
            min((1, 2, 5), key=lambda m: abs(m - step / 10.0 ** np.floor(np.log10(step) + 1e-6))), rel=1e-6
        )  # fmt: skip
        low = float(10 ** rng.uniform(-8, 8))
        one = Scale(low, low * float(10 ** rng.uniform(0.01, 12)), True)
        values = one.ticks()
        assert 2 <= len(values) <= 10
        assert all(-0.01 <= one.share(value) <= 1.01 for value in values)
        assert values == sorted(values)
    assert [short_number(v) for v in (0, 0.05, 2000, 20_000, 3_000_000, -0.5, 1e-6, 1e-7)] == [
        "0", "0.05", "2000", "20k", "3M", "\u22120.5", "1e\u22126", "1e\u22127"
    ]  # fmt: skip
    assert [format_number(v) for v in (1234567, 0.123456, 12345.6, 1e9, -3.5)] == [
        "1,234,567", "0.1235", "12,346", "1,000,000,000", "\u22123.5"
    ]  # fmt: skip


@pytest.mark.parametrize(("k", "n"), [(0, 1), (3, 10), (10, 10), (499, 1000)])
def test_intervals_are_wilsons(k, n):
    from scipy.stats import binomtest  # which takes as long to import as all else

    expected = binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert interval(k / n, n) == pytest.approx((expected.low, expected.high), abs=1e-4)


# ------------------------------------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def browser():
    """Chromium without a window, and without a network."""
    pytest.importorskip("PIL", reason="Pillow is not installed: nothing can be said of screenshots")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: no page in a browser")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("no browser: neither chromium nor chrome with its chromedriver is installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    flags = ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars",
             "force-device-scale-factor=1", "disable-background-networking", "disable-component-update")  # fmt: skip
    for flag in flags:
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    shown = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield shown
    shown.quit()


def show(browser, logs, name, width=1280, scheme="light"):
    """Load the page of a log, in a window as tall as it is."""
    path = logs / f"{name}.html"
    path.write_bytes(page(read_run(logs / f"{name}.jsonl")))
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    sizes = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)
    browser.get(path.as_uri())
    sizes["height"] = browser.execute_script("return document.documentElement.scrollHeight")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)


def pixels(browser):
    """The screenshot as float64[height, width, 3], from 0 to 1."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")) / 255.0


def boxes(browser, selector):
    """(left, top, right, bottom) of the elements that are shown."""
    script = """return [...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect())
        .filter(b => b.width && b.height).map(b => [b.left, b.top, b.right, b.bottom])"""
    return browser.execute_script(script, selector)


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", ["two", "classes"])
def test_nothing_overlaps_or_sticks_out(browser, logs, name, width):
    show(browser, logs, name, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    cards = boxes(browser, "section, .tile, h1, footer")
    assert len(cards) == len(SECTIONS[name]) + TILES[name] + 2
    for i, (left, top, right, bottom) in enumerate(cards):
        assert 0 <= left < right <= width
        for other in cards[:i]:
            apart = right <= other[0] + 1 or other[2] <= left + 1 or bottom <= other[1] + 1 or other[3] <= top + 1
            assert apart, (cards[i], other)
    # what stands at an axis is within the card, and no number covers another one
    script = """const shown = e => e.getBoundingClientRect().width
        return [...document.querySelectorAll('svg.chart')].filter(shown).map(s => {
        const card = s.closest('section').getBoundingClientRect()
        return [[card.left, card.right], [...s.querySelectorAll('text')].map(t => t.getBoundingClientRect())
            .map(b => [b.left, b.top, b.right, b.bottom])] })"""
    charts = browser.execute_script(script)
    assert len(charts) >= 4
    assert all(texts for _, texts in charts)
    for (left, right), texts in charts:
        for i, text in enumerate(texts):
            assert left <= text[0]
            assert text[2] <= right
            for other in texts[:i]:
                assert text[2] <= other[0] or other[2] <= text[0] or text[3] <= other[1] + 2 or other[3] <= text[1] + 2


def test_nothing_is_fetched(browser, logs):
    browser.get_log("performance")
    show(browser, logs, "two")
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith("data:")] == [(logs / "two.html").as_uri()]
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []


def test_the_axis_can_be_switched(browser, logs):
    show(browser, logs, "two")
    script = "return [...document.querySelectorAll('#progress .pane')].map(e => getComputedStyle(e).display)"
    assert browser.execute_script(script) == ["grid", "none"]
    browser.find_element("css selector", "label[for=axis-1]").click()
    assert browser.execute_script(script) == ["none", "grid"]


def luminance(text):
    r, g, b = (float(v) / 255 for v in re.findall(r"[\d.]+", text)[:3])
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (r, g, b))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(browser, logs, scheme):
    show(browser, logs, "classes", scheme=scheme)
    script = """const shown = e => e.getBoundingClientRect().width
        return [...document.querySelectorAll(arguments[0])].filter(shown).map(e => {
        const card = e.closest('section, .tile') || document.body
        const s = getComputedStyle(e), own = e.tagName == 'text' ? s.fill : s.color
        return [own, getComputedStyle(card).backgroundColor] })"""
    pairs = browser.execute_script(script, "h1, h1 em, h2, .lead, .tile *, td, th, svg text, .legend span, footer p")
    assert len(pairs) > 100
    for ink, paper in pairs:
        a, b = sorted((luminance(ink), luminance(paper)))
        assert (b + 0.05) / (a + 0.05) >= 4.5, (ink, paper)
        assert (luminance(paper) < 0.1) == (scheme == "dark")


def structure(image, rows=120, columns=80):
    """Where there is something: mean change from pixel to pixel in the cells of a grid, bool[rows, columns]."""
    gray = image.mean(axis=2)
    change = np.abs(np.diff(gray, axis=0))[:, 1:] + np.abs(np.diff(gray, axis=1))[1:, :]
    height, width = (change.shape[0] // rows) * rows, (change.shape[1] // columns) * columns
    cells = change[:height, :width].reshape(rows, height // rows, columns, width // columns)
    return cells.mean(axis=(1, 3)) > 0.004


def test_light_and_dark_show_the_same_things(browser, logs):
    seen = {}
    for scheme in ("light", "dark"):
        show(browser, logs, "two", scheme=scheme)
        seen[scheme] = pixels(browser)
        for left, top, right, bottom in boxes(browser, "svg.chart, .bars, .confusion"):
            part = seen[scheme][int(top) : int(bottom), int(left) : int(right)]
            spread = part.max(axis=(0, 1)) - part.min(axis=(0, 1))
            assert spread.max() > 0.4, "a picture without ink"
    light, dark = seen["light"], seen["dark"]
    assert light.shape == dark.shape
    assert light.mean() > 0.8
    assert dark.mean() < 0.3
    a, b = structure(light), structure(dark)
    assert 0.1 < a.mean() < 0.9
    assert (a == b).mean() > 0.93


def test_the_curve_on_the_screen_is_the_logs(browser, logs):
    """The blue line of the error, column by column of pixels, against the rows."""
    show(browser, logs, "two")
    browser.find_element("css selector", "label[for=axis-1]").click()
    image = pixels(browser)
    script = """const s = [...document.querySelectorAll('svg.plot')].find(e => e.getBoundingClientRect().width)
        const b = s.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]"""
    left, top, right, bottom = map(round, browser.execute_script(script))
    part = image[top:bottom, left:right]
    blue = (part[..., 2] - part[..., 0] > 0.5) & (part[..., 2] > 0.7)
    rows = read_run(logs / "two.jsonl").rows
    # two columns give the scale of the axis; the others have to follow it
    drawn, errors = [], []
    for row in rows[len(rows) // 2 : -1]:
        column = round(row["examples"] / rows[-1]["examples"] * (right - left))
        spots = np.flatnonzero(blue[:, column])
        assert len(spots), row
        drawn.append(spots.mean())
        errors.append(row["error"])
    slope, offset = np.polyfit(errors, drawn, 1)
    assert slope < 0
    apart = np.abs(np.polyval([slope, offset], errors) - drawn)
    assert (np.median(apart) < 1, apart.max() < 5) == (True, True)  # where it is steep, a column has more of the line
    assert offset == pytest.approx(bottom - top, abs=3)  # an error of 0 is the axis


def test_the_page_is_one_file(logs):
    """Its looks come with the package, and nothing else is beside it."""
    target = logs / "alone" / "page.html"
    target.parent.mkdir()
    assert main(["report", str(logs / "two.jsonl"), "-o", str(target)]) == 0
    assert [p.name for p in target.parent.iterdir()] == ["page.html"]
    assert 20_000 < target.stat().st_size < 200_000
    assert Path(target).read_bytes().startswith(b"<!DOCTYPE html>")
