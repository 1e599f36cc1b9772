"""Pages: no number is torn and no word lost at any width; parts, web pages, LaTeX, Markdown; every
picture stands alone, says in words what it shows, and is safe."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from types import ModuleType

import pytest
from drawings import HOSTILE, MIXED, NAMESPACE, steps, texts, timeline
from hypothesis import given
from hypothesis import strategies as st
from questions import command, example, of_types
from rich.cells import cell_len
from running import ROOT, ddcalc
from tables import rows

from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadTarget
from ddcalc.numbers.units import UNITS
from ddcalc.problem.known.catalog import catalog, problem_named
from ddcalc.problem.said.steps import Bar, Chart, Curve, Dot, Drawn, Lane, Scale, Timeline
from ddcalc.render import pictures
from ddcalc.render.blocks import Items, Paragraph, Picture, Remark, TextTable
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.pages import Detail, derivation
from ddcalc.render.terminal.screen import page
from ddcalc.render.whole import SOLID, Look, loose, whole, wrapped

plotted = pytest.mark.skipif(find_spec("matplotlib") is None, reason="it is an extra")
NAMES = "|".join(re.escape(name) for name in {"/s", *(unit.name for unit in UNITS.values())} - {""})


@pytest.mark.parametrize(("shown", "kept"), rows("render/kept.tsv"))
def test_what_is_kept_together(shown, kept):
    assert whole(shown, "_").replace("_5_000", " 5_000") == kept
    assert loose(whole(shown)) == shown
    assert SOLID not in "".join(wrapped(shown, 10))


def torn(shown: str) -> list[tuple[str, str]]:
    """Lines that begin with a unit or three digits, behind a line that had to end before them."""
    lines = [line for line in shown.splitlines() if "│" not in line and "├" not in line]
    return [
        (before, line)
        for before, line in pairwise(lines)
        if (re.match(rf" +(?:{NAMES})(?:[,;.)]|$| +[^ =])", line) and re.search(r"[0-9]$", before))
        or (re.match(r" +[0-9]{3}(?: |$)", line) and re.search(r"[^0-9.][0-9]{1,3}$", before))
    ]


WIDE = ("divergence", "ring-trace", "quantize", "timeline")  # also at other widths


@of_types
def test_no_width_loses_anything(problem):
    """Narrow screens wrap; they never tear or cut a number or a name, nor exceed their width; in
    ASCII all is spelt out. What wraps is indented: no term may go on at the edge."""
    cuts = len(re.findall(r"\S…", ddcalc(*command(problem), columns=200).out))
    widths = (40, 60, 79, 120, 200) if problem.slug in WIDE else (40,)
    for columns in widths:
        screen = ddcalc(*command(problem), columns=columns).out
        assert len(re.findall(r"\S…", screen)) == cuts
        _fits(screen, columns)
    narrow = ddcalc(*command(problem), encoding="ascii")
    assert narrow.code == 0
    assert narrow.out.isascii()
    assert not re.search(r"\\[ux]", narrow.out)
    assert not re.search(r"(\d|eta|Delta)(eta|Delta|grad)", narrow.out)
    _fits(narrow.out, 80)


def _fits(screen: str, columns: int) -> None:
    assert torn(screen) == []
    for line in screen.splitlines():
        assert len(line) <= columns, line
        assert line == line.rstrip()
    body = re.split(r"\n(?:Check|It means|Assumes|Unused)\b", screen.partition("\nGiven")[2])[0]
    given, _, rest = body.partition("\n\n")
    model, steps = re.split(r"\n+(?=1  )", rest, maxsplit=1)
    assert not re.search("^ ", model, re.MULTILINE), "what happens is a paragraph at the edge"
    for line in f"{given}\n{steps}".splitlines()[1:]:
        assert re.match(r"  |\d+ |$", line), line


WORD = st.text("ab⌈≈é漢🙂", min_size=1, max_size=9)
WORDS = st.lists(WORD, min_size=1, max_size=9).map(" ".join)


def letters(text: str) -> list[str]:
    return sorted(re.sub(r"\s", "", text))


@given(WORDS, st.integers(20, 60))
def test_words_are_cut_between_and_never_lost(words, width):
    said = Paragraph((words,))
    for block, before in ((said, ""), (Items(((words,),)), "-"), (Remark("so", (said,)), "so")):
        lines = page([block], Look(width)).splitlines()
        assert all(cell_len(line) <= width for line in lines)
        assert letters(before + words) == letters("".join(lines))
        if "🙂" not in words and "漢" not in words:
            assert all(word in "\n".join(lines) for word in words.split())


@given(st.lists(st.tuples(WORD, WORDS, WORDS), min_size=1, max_size=4), st.integers(24, 90))
def test_no_cell_of_a_table_is_lost(rows, width):
    cells = tuple(tuple((words,) for words in row) for row in rows)
    shown = page([TextTable(("", "", ""), cells)], Look(width))
    assert not Counter(letters("".join(map("".join, rows)))) - Counter(letters(shown))


# Questions of parts


EXAM = ROOT / "tests" / "golden" / "files" / "parts.yaml"


def test_a_web_page_leads_to_the_parts_that_it_names():
    web = ddcalc("solve", EXAM, "--format", "html").out
    led = {*re.findall(r'href="#([^"]+)"', web)}
    assert led
    assert [web.count(f'id="{place}"') for place in led] == [1] * len(led)


# Marked up pages


WRITTEN = r"\input{/etc/passwd} \write18{id} $x$ {} % # & _ ^ ~ \end{document} 日 ₂ \x1b"


@cache
def solved(slug: str) -> Derivation:
    """The example of the type *slug*, solved."""
    problem = problem_named(slug)
    return solve(problem, example(problem))


def section(form: ModuleType, slug: str, title: str = "") -> str:
    """The page of an example in the format of a module of ``markup``."""
    return str(form.part(derivation(solved(slug), Detail("full", None), title=title)))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_documents_compile_and_fit(tmp_path):
    sections = [section(latex, slug, f"{slug} {WRITTEN}") for slug in catalog()]
    assert not any(one in "".join(sections) for one in (r"\input", r"\write18", r"\end{document}"))
    document = "\n".join(sections).join(latex.frame(""))
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run([*command, "all.tex"], cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
    assert re.findall(r"Overfull \\hbox \(\d{2,}\..*", log) == []


def test_tables_have_one_width():
    for slug in catalog():
        for table in re.findall(r"(?:^\|.*\n)+", section(markdown, slug), re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, (slug, table)


@plotted
def test_schedules_are_pictures_with_a_text():
    root = ET.fromstring(section(html, "divergence").replace("<wbr>", "<wbr/>"))
    assert len(root.findall("div[@class='picture']/{*}svg[@role='img']")) == 1
    (text,) = root.findall("details/pre")
    assert text.text.count("\n") > 5


# Pictures


STEPS = dict(steps())
CORES = ["--starts", "0.15s,0.2s", "--update", "0.2s", "--horizon", "0.6s"]


@cache
def inline(name: str) -> str:
    """The picture of a step, drawn once."""
    return pictures.inline(STEPS[name])


@plotted
@pytest.mark.parametrize("name", STEPS)
def test_a_picture_stands_alone(name):
    step = STEPS[name]
    drawn = inline(name)
    root = ET.fromstring(drawn)
    assert (root.tag, root.get("role")) == (f"{NAMESPACE}svg", "img")
    assert root[0].tag == f"{NAMESPACE}title"
    assert root[0].text == step.title
    assert not re.search(r"<script|href=\"[^#]|src=|@import|\son\w+=|<metadata|NaN", drawn)
    whole = pictures.of(step, "svg").decode()
    assert whole.startswith("<?xml ")
    assert len(texts(whole)) > len(texts(drawn))  # its title


@plotted
def test_pictures_of_a_page_share_no_id():
    page = "".join(map(inline, STEPS))
    named = re.findall(r' id="([^"]*)"', page)
    assert len(named) == len(set(named)) > 0
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(named)


@plotted
def test_hostile_texts_are_shown():
    words = f"$\\frac{{ {HOSTILE}"
    bar = Bar(0, 1, words)
    curve = Curve(words, (Dot(0, 0, words), Dot(1, 1, words)))
    chart = Chart(words, Scale(words, words), Scale(words, ""), (curve,), curve.dots[0], 3)
    every: list[Drawn] = [Timeline(words, words, (Lane(words, (bar,)),), 1), chart]
    for step in every:
        drawn = pictures.inline(step)
        assert ET.fromstring(drawn)[0].text == clean(words, pictures.TITLE)
        assert "<script" not in drawn
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ufffe]", drawn)


@plotted
def test_what_no_scale_holds_is_told_in_words():
    huge = timeline({"a": [Bar(0, 10**400, "1")]}, 10**400)
    assert pictures.inline(huge) == ""
    with pytest.raises(BadTarget, match="too large to draw"):
        pictures.of(huge, "png")


BEGINS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


@plotted
@pytest.mark.parametrize("suffix", BEGINS)
def test_files_of_pictures(suffix, tmp_path):
    file, again = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for one in (file, again):
        assert ddcalc("divergence", *CORES, "--output", one).code == 0
    assert file.read_bytes().startswith(BEGINS[suffix])
    assert file.read_bytes() == again.read_bytes()
    if suffix != "svg":
        ran = ddcalc("divergence", *CORES, "--format", suffix)
        assert (ran.code, ran.out) == (2, "")
        assert f"goes into a file: --output FILE.{suffix}" in ran.err


def test_without_matplotlib(monkeypatch):
    """A page has its tables; a picture says in a line what to install."""
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    ran = ddcalc("divergence", *CORES, "--format", "svg")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {pictures.MISSING}\n --> --format\n"
    page = html.part([Picture(MIXED)])
    assert "<svg" not in page
    assert "<details" not in ddcalc("divergence", *CORES, "--format", "html").out
