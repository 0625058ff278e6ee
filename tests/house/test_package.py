"""What is handed out: the wheel and the source archive, the site of the pages, the changelog, the versions."""

import email
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

import pytest
from places import PACKAGE, ROOT

import sonlearn

#: What stands in a folder at work and is no part of the project.
LEFT_OUT = (".git", ".venv", "__pycache__", "build", "dist", "site", "out", "*.egg-info", ".*_cache")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(wheel, source archive), built from a copy of the project with what is installed: nothing is fetched."""
    pytest.importorskip("build", reason="archives are built by build (extra `release`)")
    tools = pytest.importorskip("setuptools", reason="build needs setuptools here (extra `release`)")
    if int(tools.__version__.split(".")[0]) < 77:
        pytest.skip("setuptools before 77 does not know this form of licence")
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, folder / "project", ignore=shutil.ignore_patterns(*LEFT_OUT))
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(folder / "project")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


def test_the_wheel_has_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built[0]) as wheel:
        names = set(wheel.namelist())
        about = email.message_from_bytes(wheel.read(f"sonlearn-{sonlearn.__version__}.dist-info/METADATA"))
    ours = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == ours
    assert {"sonlearn/py.typed", "sonlearn/NOTATION.md"} <= names
    assert f"sonlearn-{sonlearn.__version__}.dist-info/licenses/LICENSE" in names
    assert (about["Version"], about["License-Expression"]) == (sonlearn.__version__, "MIT")


def test_the_source_archive_has_what_the_tests_need(built):
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("sonlearn", "tests", "docs", "data", "bench"):
        ours = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and not {"__pycache__", "out", "large"} & set(path.parts)
        }
        assert ours <= names, ours - names
    assert {"LICENSE", "CHANGELOG.md", "DEVELOPERS.md", "README.md", "mkdocs.yml", "pyproject.toml"} <= names


def test_the_package_runs_from_the_wheel(built, tmp_path):
    """Unpacked elsewhere, as an installer does it."""
    zipfile.ZipFile(built[0]).extractall(tmp_path)
    text = "import sonlearn.cli as c, sys; print(c.__file__); sys.exit(c.main(['--version']))"
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)
    place, version = done.stdout.splitlines()
    assert place.startswith(str(tmp_path.resolve()))
    assert version == f"sonlearn {sonlearn.__version__}"


def test_the_version_stands_in_four_places():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert stated == sonlearn.__version__
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(stated)}\] - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE)
    assert f"\nversion: {stated}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_groups_of_developers_and_extras_of_the_same_name_agree():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras, groups = about["project"]["optional-dependencies"], about["dependency-groups"]
    assert extras.keys() & groups.keys() == groups.keys() - {"dev"}
    assert all(groups[name] == extras[name] for name in groups.keys() - {"dev"})


def test_the_reference_has_what_is_public():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = set(re.findall("^::: (\\S+)$", text, re.MULTILINE))
    for name, module in ((name, f"sonlearn.{home}") for home, names in sonlearn._HOME.items() for name in names):
        assert {f"{module}.{name}", module} & named, name


def test_the_first_page_and_the_index_for_language_models_name_every_page():
    first, index = ((ROOT / name).read_text(encoding="utf-8") for name in ("docs/index.md", "llms.txt"))
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT / "docs").as_posix()
        assert f"/docs/{name})" in index, name
        assert name == "index.md" or f"({name})" in first, f"docs/index.md has no link to {name}"


# ------------------------------------------------------------------------------------------------- the site


class Links(HTMLParser):
    """What a page asks for: {attribute of a tag: values}, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.links, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag in ("script", "img", "link", "iframe"):
            self.loaded += [values[name] for name in ("src", "href") if values.get(name)]
        elif tag == "a" and values.get("href"):
            self.links.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="the site is built by mkdocs (extra `docs`)")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]  # with -q no warning would count
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_all_pages_are_there_and_their_links_lead_somewhere(site):
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert {path.stem for path in (ROOT / "docs").rglob("*.md")} <= {path.stem for path in pages}
    for path, page in pages.items():
        for link in page.links + page.loaded:
            file, anchor = urldefrag(link)
            if re.match("[a-z]+:|//", link) or path.name == "404.html":
                continue
            target = (path.parent / unquote(file)).resolve() if file else path
            assert target.exists(), (path.name, link)
            if anchor and target in pages:
                assert anchor in pages[target].anchors, (path.name, link)


def test_a_reader_of_the_site_fetches_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        for link in Links(path.read_text(encoding="utf-8")).loaded:
            assert not re.match("https?:|//", link), (path.name, link)


def test_floors_are_of_releases_that_go_with_our_numpy():
    """The first releases that were built for numpy 2: an older one is never what an installer finds."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    floors = dict(re.findall(r"([\w-]+)>=([\d.]+)", " ".join(line for extra in extras.values() for line in extra)))
    for name, first in {"pyarrow": (16,), "matplotlib": (3, 8, 4), "scikit-learn": (1, 4, 2)}.items():
        assert tuple(map(int, floors[name].split("."))) >= first, name
