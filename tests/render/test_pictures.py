"""What holds for every picture: it stands alone, says in words what it shows, and is safe."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest
from drawings import HOSTILE, MIXED, NAMESPACE, steps, texts, timeline
from running import ddcalc

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadTarget
from ddcalc.problem.steps import Bar, Chart, Curve, Dot, Lane, Plot, Scale, Timeline
from ddcalc.render import pictures
from ddcalc.render.blocks import Drawn, Picture
from ddcalc.render.markup import html

STEPS = dict(steps())
CORES = ["--starts", "0.15s,0.2s", "--update", "0.2s", "--horizon", "0.6s"]


@cache
def inline(name: str) -> str:
    """The picture of a step, drawn once."""
    return pictures.inline(STEPS[name])


@pytest.fixture
def plotted() -> None:
    pytest.importorskip("matplotlib")


@pytest.mark.usefixtures("plotted")
@pytest.mark.parametrize("name", STEPS)
def test_a_picture_stands_alone(name: str) -> None:
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


@pytest.mark.usefixtures("plotted")
def test_pictures_of_a_page_share_no_id() -> None:
    page = "".join(map(inline, STEPS))
    named = re.findall(r' id="([^"]*)"', page)
    assert len(named) == len(set(named)) > 0
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(named)


@pytest.mark.usefixtures("plotted")
def test_hostile_texts_are_shown() -> None:
    words = f"$\\frac{{ {HOSTILE}"
    bar = Bar(0, 1, words)
    curve = Curve(words, (Dot(0, 0, words), Dot(1, 1, words)))
    chart = Chart(words, Scale(words, words), Scale(words, ""), (curve,), curve.dots[0], 3)
    every: list[Drawn] = [Timeline(words, words, (Lane(words, (bar,)),), 1), Plot(words, "", chart)]
    for step in every:
        drawn = pictures.inline(step)
        assert ET.fromstring(drawn)[0].text == clean(words, pictures.TITLE)
        assert "<script" not in drawn
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ufffe]", drawn)


@pytest.mark.usefixtures("plotted")
def test_what_no_scale_holds_is_told_in_words() -> None:
    huge = timeline({"a": [Bar(0, 10**400, "1")]}, 10**400)
    assert pictures.inline(huge) == ""
    with pytest.raises(BadTarget, match="too large to draw"):
        pictures.of(huge, "png")


@pytest.mark.usefixtures("plotted")
@pytest.mark.parametrize(
    ("suffix", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_files_of_pictures(suffix: str, begins: bytes, tmp_path: Path) -> None:
    file, again = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for one in (file, again):
        assert ddcalc("divergence", *CORES, "--output", one).code == 0
    assert file.read_bytes().startswith(begins)
    assert file.read_bytes() == again.read_bytes()
    if suffix != "svg":
        ran = ddcalc("divergence", *CORES, "--format", suffix)
        assert (ran.code, ran.out) == (2, "")
        assert f"goes into a file: --output FILE.{suffix}" in ran.err


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page has its tables; a picture says in a line what to install."""
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    ran = ddcalc("divergence", *CORES, "--format", "svg")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {pictures.MISSING}\n --> --format\n"
    page = html.part([Picture(MIXED, None)])
    assert "<svg" not in page
    assert "<details" not in ddcalc("divergence", *CORES, "--format", "html").out
