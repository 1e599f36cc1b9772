"""Pictures for LaTeX: the SVG of :mod:`ddcalc.render.pictures` as TikZ, in its light colours.

It knows the shapes and rules that those pictures have: rectangles, polygons, circles, straight
paths, words and shifted groups, styled by elements and classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Final
from xml.etree import ElementTree

WIDE: Final = 450  # points of a line of text, which no picture exceeds
SCALE: Final = 0.625  # points of a unit of a drawing
SVG: Final = "{http://www.w3.org/2000/svg}"
UNSEEN: Final = {"paper", "hit"}  # classes of what is not to be seen on paper
_RULE: Final = re.compile(r"([^{}\n]+)\{([^{}]*)\}")
_MOVE: Final = re.compile(r"([MLHVhZ])([^MLHVhZ]*)")
_ANCHORS: Final = {"middle": "base", "end": "base east"}

Look = Mapping[str, str]  # properties by name, as in a style sheet


def drawing(svg: str, texts: Callable[[str], str]) -> str:
    """The picture *svg* as TikZ; *texts* escapes words for LaTeX's text."""
    root = ElementTree.fromstring(svg)  # noqa: S314 it was drawn here
    wide = float(root.attrib["viewBox"].split()[2])
    sheet = (root.findtext(f"{SVG}style") or "").partition("@media")[0]
    picture = _Picture(_rules(sheet), min(SCALE, WIDE / wide), texts)
    lines = [*picture.group(root, 0, 0)]
    colours = "".join(
        f"\\definecolor{{c{name}}}{{HTML}}{{{name.upper()}}}\n"
        for name in sorted(set(re.findall(r"=c([0-9a-f]{6})", "".join(lines))))
    )
    unit = f"{picture.scale:.4f}pt"
    body = "".join(lines)
    return f"{colours}\\begin{{tikzpicture}}[x={unit},y=-{unit}]\n{body}\\end{{tikzpicture}}"


def _rules(sheet: str) -> list[tuple[str, frozenset[str], Look]]:
    """The element (may be empty), the classes and the properties of each rule, stronger ones later;
    what stands before a blank is the class of the whole picture."""
    rules = []
    for heads, body in _RULE.findall(sheet):
        look = dict(part.split(":", 1) for part in body.split(";") if ":" in part)
        for head in heads.split(","):
            element, *classes = head.strip().rpartition(" ")[2].split(".")
            rules.append((element, frozenset(classes), look))
    return sorted(rules, key=lambda rule: (len(rule[1]), bool(rule[0])))


@dataclass(frozen=True, slots=True)
class _Picture:
    """How shapes look, and how large they are drawn."""

    rules: list[tuple[str, frozenset[str], Look]]
    scale: float
    texts: Callable[[str], str]

    def group(self, group: ElementTree.Element, x: float, y: float) -> Iterator[str]:
        """The shapes in *group*, which is shifted by *x* and *y*."""
        for shape in group:
            classes = {*shape.get("class", "").split()}
            if classes & UNSEEN:
                continue
            tag = shape.tag.removeprefix(SVG)
            look = self._look(tag, classes)
            if tag == "g":
                shift = re.findall(r"[-.0-9]+", shape.get("transform", "0 0"))
                yield from self.group(shape, x + float(shift[0]), y + float(shift[1]))
            elif tag == "text":
                yield self._words(shape, look, x, y)
            elif tag in ("rect", "polygon", "circle", "path"):
                yield f"\\path[{self._options(look)}] {_outline(tag, shape, x, y)};\n"

    def _look(self, tag: str, classes: set[str]) -> Look:
        look: dict[str, str] = {}
        for element, needed, properties in self.rules:
            if element in ("", tag) and needed <= classes:
                look |= properties
        return look

    def _options(self, look: Look) -> str:
        """The colours and lines of a shape."""
        inks = (("fill", look.get("fill", "none")), ("draw", look.get("stroke", "none")))
        options = [f"{key}={_colour(ink)}" for key, ink in inks if ink != "none"]
        if "stroke-width" in look:
            options.append(f"line width={self._points(look['stroke-width'])}")
        if "stroke-dasharray" in look:
            lengths = map(self._points, look["stroke-dasharray"].split())
            dashes = " ".join(map("{} {}".format, cycle(("on", "off")), lengths))
            options.append(f"dash pattern={dashes}")
        if look.get("stroke-linecap") == "round":
            options.append("line cap=round")
        return ",".join(options)

    def _points(self, size: str) -> str:
        return f"{float(size) * self.scale:.2f}pt"

    def _words(self, shape: ElementTree.Element, look: Look, x: float, y: float) -> str:
        size = re.search(r"([0-9]+)px", look.get("font-size", look.get("font", "12px")))
        assert size is not None
        points = float(size[1]) * self.scale
        bold = "\\bfseries " if look.get("font-weight") == "bold" else ""
        anchor = _ANCHORS.get(look.get("text-anchor", ""), "base west")
        place = _spot(x + float(shape.get("x", 0)), y + float(shape.get("y", 0)))
        font = f"\\fontsize{{{points:.1f}}}{{{points:.1f}}}\\selectfont {bold}"
        options = f"anchor={anchor},inner sep=0pt,text={_colour(look['fill'])}"
        return f"\\node[{options}] at {place} {{{font}{self.texts(shape.text or '')}}};\n"


def _colour(value: str) -> str:
    return f"c{value.removeprefix('#')}"


def _spot(x: float, y: float) -> str:
    return f"({x:.1f},{y:.1f})"


def _outline(tag: str, shape: ElementTree.Element, x: float, y: float) -> str:
    """The line round *shape*, shifted by *x* and *y*."""
    if tag == "path":
        return _path(shape.attrib["d"], x, y)
    if tag == "polygon":
        points = (point.split(",") for point in shape.attrib["points"].split())
        return " -- ".join([*(_spot(x + float(a), y + float(b)) for a, b in points), "cycle"])
    if tag == "circle":
        middle = _spot(x + float(shape.attrib["cx"]), y + float(shape.attrib["cy"]))
        return f"{middle} circle[radius={shape.attrib['r']}]"
    left, top = x + float(shape.get("x", 0)), y + float(shape.get("y", 0))
    wide, tall = float(shape.attrib["width"]), float(shape.attrib["height"])
    return f"{_spot(left, top)} rectangle {_spot(left + wide, top + tall)}"


def _path(moves: str, x: float, y: float) -> str:
    """The lines of a path, shifted by *x* and *y*."""
    drawn, at, to = "", x, y
    for kind, numbers in _MOVE.findall(moves):
        parts = [float(number) for number in re.findall(r"[-.0-9]+", numbers)]
        match kind:
            case "Z":
                drawn += " -- cycle"
                continue
            case "H":
                at = x + parts[0]
            case "h":
                at += parts[0]
            case "V":
                to = y + parts[0]
            case _:
                at, to = x + parts[0], y + parts[1]
        drawn += f"{' ' if kind == 'M' else ' -- '}{_spot(at, to)}"
    return drawn.strip()
