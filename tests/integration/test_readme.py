"""README.md fits two screens, its figures and formats are those of the pages that it links to, and docs/README.md lists every page."""

import re

import pytest

from support.server import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#]+)(#[^)]*)?\)")
LINES_MAX = 110


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def links_of(path):
    return [(path.parent / target).resolve() for target, _ in LINK.findall(path.read_text(encoding="utf-8")) if "://" not in target]


def test_it_is_short():
    assert len(README.splitlines()) <= LINES_MAX


@pytest.mark.parametrize("path", [ROOT / "README.md", DOCS / "README.md", DOCS / "tutorials" / "README.md"], ids=lambda path: path.parent.name)
def test_every_link_leads_somewhere(path):
    assert [target for target in links_of(path) if not target.exists()] == []


def test_every_page_is_listed():
    listed = {target for target in links_of(DOCS / "README.md") if target.suffix == ".md" and DOCS in target.parents}
    assert listed == {*DOCS.glob("*.md"), *DOCS.glob("tutorials/*.md"), DOCS / "design" / "README.md"} - {DOCS / "README.md"}


def test_every_tutorial_is_in_their_list():
    listed = {target for target in links_of(DOCS / "tutorials" / "README.md") if target.parent.name == "tutorials"}
    assert listed == set(DOCS.glob("tutorials/*.md")) - {DOCS / "tutorials" / "README.md"}


def row(wire, connections):
    """The cells of the model simple in the table of figures: requests per second ... CPU time in microseconds."""
    line = re.search(rf"^simple +{wire} +{connections} +(.*)$", page("performance.md"), re.MULTILINE)[1]
    return re.split(r"  +", line.strip())


def test_its_figures_are_those_of_the_page_on_performance():
    cpu = {wire: row(wire, 4)[4] for wire in ("JSON", "binary", "gRPC")}
    assert cpu == {"JSON": "14.9", "binary": "15.5", "gRPC": "19.0"}
    performance = " ".join(page("performance.md").split())
    assert "Triton costs 65 us per JSON and 73 us per binary request of this model at 4 connections" in performance
    assert "Triton costs 127, 93 and 89 us per call at 1, 4 and 16 connections" in performance
    assert f"| {cpu['gRPC']} µs | 93 µs |" in README
    assert f"| {row('binary', 16)[0]} |" in README
    assert "28 MB resident then" in performance and "| 28 MB |" in README
    assert "with nothing else running, 2026-11-21" in performance and "2026-11-21" in README


def test_its_picture_shows_those_figures():
    picture = page("images/cost.svg")
    shown = dict(zip(("JSON", "binary", "gRPC"), zip(re.findall(r">inferd ([\d.]+)<", picture), re.findall(r">Triton ([\d.]+)<", picture))))
    assert shown == {"JSON": (row("JSON", 4)[4], "65"), "binary": (row("binary", 4)[4], "73"), "gRPC": (row("gRPC", 4)[4], "93")}
    widths = [float(width) for width in re.findall(r'<rect x="146" y="\d+" width="([\d.]+)"', picture)]
    assert widths == [5 * float(figure) for figures in zip(*shown.values()) for figure in figures]


def test_its_second_table_has_the_figures_of_the_page_on_other_servers():
    measured = page("servers-compared.md")
    heading, _, *rows = re.search(r"^\| CPU time of a request \| inferd(?:\n?.+)+", README, re.MULTILINE)[0].splitlines()
    servers = [cell.strip() for cell in heading.split("|")[2:-1]]
    tables = [re.findall(r"^\| ([^|]+) \| (.*) \|$", part, re.MULTILINE) for part in re.split(r"^### ", measured, flags=re.MULTILINE)[1:1 + len(rows)]]
    for row, table in zip(rows, tables, strict=True):
        cells = [cell.strip() for cell in row.split("|")[2:-1]]
        figures = {name: figures.split(" | ") for name, figures in table}
        assert cells == [name if (name := figures[server][0]) == "not measured" else figures[server][1] for server in servers]


FORMATS = {"TensorFlow SavedModel": "TensorFlow", "TensorFlow GraphDef": "TensorFlow", "TensorRT plan": "TensorRT", "AOTInductor package": "AOTInductor",
           "treelite checkpoint": "treelite", "Python model": "Python", "Python pickle": "scikit-learn", "Caffe2 NetDef": "Caffe2"}


def test_its_formats_are_those_of_the_engines():
    table = re.findall(r"^\| ([^|]+) \| `[^|]*\| `\w+` \|", page("engines.md"), re.MULTILINE)
    named = re.search(r"^\*\*Formats\*\*.*?: (.*)\.$", README, re.MULTILINE)[1].split(", ")
    assert {FORMATS.get(each, each) for each in table} == set(named)
