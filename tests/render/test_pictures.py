"""What holds for every picture: it stands alone, says what it shows, stays inside its frame, can be
read in every light and by every eye, and is safe."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from drawings import HOSTILE, NAMESPACE, named, parsed, pictures, words

from ddcalc.boundary.cleaning import html as escaped
from ddcalc.problem.steps import Bar, Chart, Curve, Dot, Lane, Plot, Scale, Timeline
from ddcalc.render import pictures as drawing
from ddcalc.render.pictures.canvas import DARK, LIGHT
from ddcalc.render.terminal import plot
from ddcalc.render.whole import Look

PICTURES = dict(pictures())
of_pictures = pytest.mark.parametrize("name", PICTURES)
of_palettes = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
Matrix = tuple[tuple[float, float, float], ...]
Three = tuple[float, float, float]


@of_pictures
def test_a_picture_stands_alone_and_says_what_it_shows(name: str) -> None:
    picture = PICTURES[name]
    root = parsed(picture)
    if not name.endswith("last"):
        assert picture.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    assert (root.tag, root.get("role")) == (f"{NAMESPACE}svg", "img")
    heads = [item.tag.removeprefix(NAMESPACE) for item in root]
    assert heads[: heads.index("style")] == ["title", *(["desc"] * (name != "tornado"))]
    assert all(words(item) for item in root[: heads.index("style")])
    assert not re.search(r"<script|href|src=|url\(|@import|\son\w+=|\sid=", picture)
    shapes = re.sub(r"<(title|desc|style|text).*?</\1>", "", picture, flags=re.DOTALL)
    assert not re.search(r"nan|inf|\d\.\d\d", shapes)


@of_pictures
def test_everything_lies_inside(name: str) -> None:
    root = parsed(PICTURES[name])
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for path in named(root, "path"):
        for x, y in re.findall(r"[ML]([-0-9.]+) ([-0-9.]+)", path.attrib["d"]):
            assert left <= float(x) <= left + width
            assert top <= float(y) <= top + height
    for item in named(root, "rect"):
        assert left <= float(item.get("x", "0"))
        assert float(item.get("x", "0")) + float(item.attrib["width"]) <= left + width
    for item in named(root, "circle"):
        assert left <= float(item.attrib["cx"]) <= left + width
        assert top <= float(item.attrib["cy"]) <= top + height
    for item in named(root, "text"):
        at, long = float(item.attrib["x"]), len(words(item)) * 7.0
        look = item.get("class", "").split()
        start = at - long / 2 if "middle" in look else at - long if "end" in look else at
        assert start >= left - 1, words(item)
        assert "heading" in look or start + long <= left + width + 1, words(item)
        assert float(item.attrib["y"]) <= top + height


def test_hostile_texts_are_shown() -> None:
    bar = Bar(0, 1, HOSTILE, note=HOSTILE)
    curve = Curve(HOSTILE, (Dot(0, 0, HOSTILE), Dot(1, 1, HOSTILE)))
    chart = Chart(HOSTILE, Scale(HOSTILE, HOSTILE), Scale(HOSTILE, ""), (curve,), curve.dots[0], 3)
    for step in (
        Timeline(HOSTILE, HOSTILE, (Lane(HOSTILE, (bar,)),), 1),
        Plot(HOSTILE, "", chart),
    ):
        for picture in (drawing.document([step]), drawing.inline(step)):
            assert not named(parsed(picture), "script")
            assert f"<title>{escaped(HOSTILE)}</title>" in picture
            assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ufffe]", picture)
    pytest.importorskip("plotille")
    assert not any("\x1b" in line for line in plot.lines(chart, Look()))


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
    dark, bright = sorted(_times(TO_XYZ, _linear(item))[1] for item in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def _lab(light: Three) -> Three:
    """CIE L*a*b* under D65."""
    red, green, blue = light
    inside = (max(0, min(1, red)), max(0, min(1, green)), max(0, min(1, blue)))
    white = (0.9505, 1, 1.089)
    shares = [part / whole for part, whole in zip(_times(TO_XYZ, inside), white, strict=True)]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@of_palettes
def test_everything_can_be_read(palette: dict[str, str]) -> None:
    for paper in ("paper", "beyond"):
        for text in ("ink", "soft"):
            assert _contrast(palette[text], palette[paper]) >= 4.5
        for kind in KINDS:
            assert _contrast(palette[kind], palette[paper]) >= 3
    assert _contrast(palette["on"], palette["compute"]) >= 4.5


@pytest.mark.parametrize("sight", SIGHT)
@of_palettes
def test_kinds_keep_apart_for_every_eye(palette: dict[str, str], sight: str) -> None:
    """A difference of 2.3 can just be seen; ours are ten times that."""
    for one, other in combinations(KINDS, 2):
        seen = [_lab(_times(SIGHT[sight], _linear(palette[kind]))) for kind in (one, other)]
        apart = sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5
        assert apart >= 23, (one, other)
