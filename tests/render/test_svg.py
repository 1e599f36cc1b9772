"""Pictures of schedules: well-formed, complete, inside their frame, legible, and safe."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from schedules import CASES, FIRST_OF_MANY, MIXED, PERIODS, STRAGGLER, timeline, timelines

from ddcalc.boundary.cleaning import html as escaped
from ddcalc.problem.steps import Bar, Lane, Timeline
from ddcalc.render.pictures import canvas
from ddcalc.render.pictures import timeline as svg
from ddcalc.render.pictures.timeline import WORDS, marks

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'/><script>alert(1)</script>]]>& \x1b[31m\u202e\ufffe"
SIZE = 12  # pixels of a letter
Matrix = tuple[tuple[float, float, float], ...]
Three = tuple[float, float, float]


def _parsed(told: str) -> ET.Element:
    return ET.fromstring(told.encode())


def _named(root: ET.Element, tag: str, look: str = "") -> list[ET.Element]:
    found = root.iter(f"{NAMESPACE}{tag}")
    return [each for each in found if not look or look in each.get("class", "").split()]


def _bars(root: ET.Element) -> list[ET.Element]:
    """The groups that are bars: those with a tooltip."""
    return [each for each in _named(root, "g") if each.find(f"{NAMESPACE}title") is not None]


def _said(element: ET.Element | None) -> str:
    assert element is not None
    return element.text or ""


def _columns(shape: ET.Element) -> Iterator[float]:
    """The x of every point of *shape*."""
    if "points" in shape.attrib:
        yield from (float(point.split(",")[0]) for point in shape.attrib["points"].split())
    elif "d" in shape.attrib:
        yield from (float(x) for x in re.findall(r"[MLH]([0-9.]+)", shape.attrib["d"]))
    else:
        yield (start := float(shape.attrib["x"]))
        yield start + float(shape.get("width", 0))


@pytest.mark.parametrize("name", CASES)
def test_a_picture_stands_alone_and_tells_itself(name: str) -> None:
    step = CASES[name]
    told = svg.picture(step)
    root = _parsed(told)
    assert told.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    assert (root.tag, root.get("role")) == (f"{NAMESPACE}svg", "img")
    assert [each.tag.removeprefix(NAMESPACE) for each in root[:2]] == ["title", "desc"]
    assert _said(root[0]) == "Schedule"
    assert all(f" {lane.label}: " in _said(root[1]) for lane in step.lanes)
    assert not re.search(r"<script|href|src=|url\(|@import|\son\w+=|\sid=", told)
    assert "inf" not in re.sub(r"<title>.*?</title>", "", told)
    assert "nan" not in told


def test_the_description_adds_up() -> None:
    assert _said(_parsed(svg.picture(MIXED))[1]) == (
        "Who works when, until the horizon at 10 s. worker 1: downloads once, 1 s in all; computes "
        "once, 2 s in all; uploads once, 1 s in all; at the server once, 1 s in all; waits once, "
        "3 s in all; 1 not done. worker 2: downloads once, 1 s in all; sends once, "
        "1 s in all; 1 dropped; 1 interrupted."
    )
    assert _said(_parsed(svg.picture(PERIODS))[1]).endswith(
        "worker 3: computes 6 times, 24 s in all."
    )
    assert _said(_parsed(svg.picture(FIRST_OF_MANY))[1]).endswith("900 more are not drawn.")


def test_tooltips_are_the_notes_or_tell_the_times() -> None:
    tooltips = [_said(each[0]) for each in _bars(_parsed(svg.inline(MIXED)))]
    assert tooltips[:2] == [
        "worker 1: downloads, from 0 s to 1 s",
        "worker 1 computes gradient 1 from 1 s to 3 s",
    ]
    assert tooltips[7] == "worker 2: dropped, from 1 s to 7 s"
    (alone,) = _bars(_parsed(svg.inline(timeline({"a": [Bar(0, 1, "7")]}, 1))))
    assert _said(alone[0]) == "a: computes 7, from 0 s to 1 s"


def _inside(step: Timeline) -> None:
    root = _parsed(svg.picture(step))
    left, _, width, _ = map(float, root.attrib["viewBox"].split())
    bars = _bars(root)
    assert len(bars) == sum(len(lane.bars) for lane in step.lanes)
    for bar in bars:
        assert _said(bar[0])
        places = [x for shape in bar[1:] for x in _columns(shape)]
        assert left < min(places)
        assert max(places) <= left + width - canvas.EDGE
        assert max(places) - min(places) > 1, "too short to see"


@pytest.mark.parametrize("name", CASES)
def test_every_bar_lies_inside(name: str) -> None:
    _inside(CASES[name])


@given(timelines())
@settings(max_examples=40)
def test_every_schedule_has_a_picture(step: Timeline) -> None:
    _inside(step)
    _legible(step)


def test_bars_stand_at_their_times() -> None:
    """Computations of one length are equally long, and those that start together stand together."""
    shapes = _named(_parsed(svg.inline(PERIODS)), "rect", "compute")
    lefts = [float(each.attrib["x"]) for each in shapes]
    first, second, third = lefts[:24], lefts[24:36], lefts[36:]
    assert (second, third) == (first[::2], first[::4])
    steps = [right - left for left, right in pairwise(first)]
    assert max(steps) - min(steps) < 0.21, "more than two roundings to a tenth"


def _advance(words: str) -> float:
    """The width of *words* in DejaVu Sans, a wide font: advances in units of 2048 an em."""
    wide = {" ": 651, ".": 651, "1": 1303, "×": 1716, "^": 1716, "−": 1716, "≈": 1716}
    return sum(wide.get(letter, 1303) for letter in words) / 2048 * SIZE


def _legible(step: Timeline) -> None:
    root = _parsed(svg.inline(step))
    numbers = _named(root, "text", "soft")[1:]
    assert _said(numbers[0]) == "0"
    middles = [(float(each.attrib["x"]), _advance(_said(each)) / 2) for each in numbers]
    for (left, half), (right, other) in pairwise(middles):
        assert left + half < right - other
    assert middles[-1][0] + middles[-1][1] <= canvas.WIDE


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_of_the_axis_keep_apart(name: str) -> None:
    _legible(CASES[name])


def test_labels_stay_inside_their_bars() -> None:
    for step in (MIXED, PERIODS):
        for bar in _bars(_parsed(svg.inline(step))):
            for text in bar.findall(f"{NAMESPACE}text"):
                places = list(_columns(bar[1]))
                half = _advance(_said(text)) / 2
                assert min(places) <= float(text.attrib["x"]) - half
                assert float(text.attrib["x"]) + half <= max(places)


def test_the_horizon_is_marked() -> None:
    root = _parsed(svg.inline(STRAGGLER))
    (line,) = _named(root, "path", "horizon")
    (beyond,) = _named(root, "rect", "beyond")
    assert next(_columns(line)) == float(beyond.attrib["x"])
    assert "horizon 2 s" in svg.inline(STRAGGLER)
    assert "horizon 1 000 s →" in svg.inline(FIRST_OF_MANY)
    assert not _named(_parsed(svg.inline(FIRST_OF_MANY)), "path", "horizon")


def test_the_legend_names_what_occurs() -> None:
    def legend(step: Timeline) -> list[str]:
        words = [_said(each) for each in _named(_parsed(svg.inline(step)), "text")]
        return words[words.index(next(each for each in words if "horizon" in each)) :]

    known = set(WORDS.values())
    occur = [WORDS[each] for each in marks(MIXED)]
    assert [word for word in legend(MIXED) if word in known][-len(occur) :] == occur
    assert [word for word in legend(PERIODS) if word in known] == []
    assert [word for word in legend(STRAGGLER) if word in known][-2:] == ["computes", "not done"]


def test_hostile_texts_are_shown() -> None:
    bar = Bar(0, 1, HOSTILE, note=HOSTILE)
    step = Timeline(HOSTILE, HOSTILE, (Lane(HOSTILE, (bar,)),), 1)
    for told in (svg.picture(step), svg.inline(step)):
        root = _parsed(told)
        assert not _named(root, "script")
        assert f"<title>{escaped(HOSTILE)}</title>" in told
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ufffe]", told)


def test_pictures_are_small() -> None:
    assert len(svg.picture(PERIODS)) < 12_000
    assert not re.search(
        r"\d\.\d\d", re.sub(r"<(title|desc|style)>.*?</\1>", "", svg.picture(PERIODS))
    )


# Colours: contrast as WCAG 2.2 defines it; colour blindness after Machado, Oliveira and Fernandes,
# "A physiologically-based model for simulation of color vision deficiency" (2009), severity 1.

KINDS = ("compute", "down", "up", "server", "wait", "lost")
SIGHT: dict[str, Matrix] = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
TO_XYZ: Matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def _linear(colour: str) -> Three:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return _curve(red), _curve(green), _curve(blue)


def _curve(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _times(matrix: Matrix, light: Three) -> Three:
    x, y, z = (sum(a * b for a, b in zip(row, light, strict=True)) for row in matrix)
    return x, y, z


def _contrast(one: str, other: str) -> float:
    dark, bright = sorted(_times(TO_XYZ, _linear(each))[1] for each in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def _lab(light: Three) -> Three:
    """CIE L*a*b* under D65."""
    red, green, blue = light
    inside = (max(0, min(1, red)), max(0, min(1, green)), max(0, min(1, blue)))
    white = (0.9505, 1, 1.089)
    shares = [part / whole for part, whole in zip(_times(TO_XYZ, inside), white, strict=True)]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("palette", [canvas.LIGHT, canvas.DARK], ids=["light", "dark"])
def test_everything_can_be_read(palette: dict[str, str]) -> None:
    for paper in ("paper", "beyond"):
        for text in ("ink", "soft"):
            assert _contrast(palette[text], palette[paper]) >= 4.5
        for kind in KINDS:
            assert _contrast(palette[kind], palette[paper]) >= 3
    assert _contrast(palette["on"], palette["compute"]) >= 4.5


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("palette", [canvas.LIGHT, canvas.DARK], ids=["light", "dark"])
def test_kinds_keep_apart_for_every_eye(palette: dict[str, str], sight: str) -> None:
    """A difference of 2.3 can just be seen; ours are ten times that."""
    for one, other in combinations(KINDS, 2):
        seen = [_lab(_times(SIGHT[sight], _linear(palette[kind]))) for kind in (one, other)]
        apart = sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5
        assert apart >= 23, (one, other)
