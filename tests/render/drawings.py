"""Every kind of picture, drawn from many data, and readers of SVG for tests of pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from schedules import CASES as TIMELINES

from ddcalc.ask.solve import solve
from ddcalc.ask.sweep.axes import written
from ddcalc.ask.sweep.best import Sweep, goals
from ddcalc.ask.sweep.grid import question
from ddcalc.ask.sweep.views import Curves
from ddcalc.numbers.units import SECOND
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import texts_of
from ddcalc.problem.steps import Chart, Exchange, Swung, Tornado
from ddcalc.render.pictures import exchange, line_chart, timeline, tornado

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'/><script>alert(1)</script>]]>& \x1b[31m\u202e\ufffe"
EXAM = {
    "samples": "76800",
    "batch": "1536",
    "epochs": "10",
    "workers": "6",
    "download": "1.5 s",
    "compute": "4 s",
    "upload": "1.5 s",
    "aggregate": "15 ms",
}
CHARTS = {
    "curves": ["workers=1..60", "batch=256,512,1024"],
    "one curve": ["workers=1..20"],
    "many curves": ["workers=1..30", "batch=100..2000:100"],
    "choices": ["queue=carry,per-epoch", "workers=1..12"],
    "factors": ["workers=1..4096:x2"],
    "gaps": ["batch=76780..76820", "workers=3,6"],
    "long": ["workers=1..5000"],
    "flat": ["download=1s..3s:1s", "compute=1s"],
    "two points": ["workers=1,1000000"],
    "large": ["samples=1e20..9e20:1e20"],
}
SHEET = [1, 5, 2, 8, 3, 1, 9, 4, 7, 6, 2, 3, 4, 8, 5, 1]
RINGS: dict[str, dict[str, Any]] = {
    "sheet": {"vectors": SHEET, "processes": 4},
    "whole": {"vectors": SHEET, "processes": 4, "way": "whole"},
    "relay": {"vectors": SHEET, "processes": 4, "way": "relay"},
    "alone": {"vectors": [1, 2], "processes": 1},
    "two": {"vectors": [1, 2], "processes": 2},
    "short": {"vectors": list(range(10)), "processes": 5},
    "long": {"vectors": [Fraction(i, 7) for i in range(120)], "processes": 3, "op": "mean"},
    "eight": {"vectors": list(range(64)), "processes": 8, "op": "prod"},
    "one-value": {"vectors": [1, 2, 3], "processes": 3, "way": "whole"},
    "twelve": {"vectors": list(range(24)), "processes": 12},
}
SWINGS = (
    Swung("a", ("1 s", 90), ("2 s", 120)),  # rises
    Swung("b", ("5", 130), ("7", 80)),  # falls
    Swung("c", ("1", 110), ("3", 105)),  # more either way
    Swung("d", ("1", None), ("3", 70)),
    Swung("e", ("1", None), ("3", 140)),
    Swung("f", ("1", 60), ("3", None)),
)
TORNADO = Tornado("Tornado", "each alone", "T", 100, SECOND, SWINGS)


def swept(name: str) -> Chart:
    """The chart of a sweep."""
    pairs = [written(text) for text in CHARTS[name]]
    texts = {key: text for key, text in EXAM.items() if key not in dict(pairs)}
    request = question(problem_named("epoch-time"), texts, pairs, [], [])
    sweep = Sweep(request, goals(request, [], []))
    curves = Curves(sweep)
    for results in sweep.blocks():
        curves.see(results)
    return curves.chart()


def exchanges(name: str) -> list[Exchange]:
    """The exchanges of a ring."""
    steps = solve(problem_named("ring-trace"), texts_of(RINGS[name])).steps
    return [step for step in steps if isinstance(step, Exchange)]


def pictures() -> Iterator[tuple[str, str]]:
    """All pictures, as documents, by name."""
    for name, step in TIMELINES.items():
        yield f"timeline {name}", timeline.picture(step)
    for name in CHARTS:
        yield f"chart {name}", line_chart.picture(swept(name))
    for name in RINGS:
        yield f"exchange {name}", exchange.picture(exchanges(name))
        yield f"exchange {name}, last", exchange.inline(exchanges(name)[-1])
    yield "tornado", tornado.picture(TORNADO)


def parsed(picture: str) -> ET.Element:
    """The root of a *picture*."""
    return ET.fromstring(picture.encode())


def named(root: ET.Element, tag: str, look: str = "") -> list[ET.Element]:
    """The elements of a *tag*, of the class *look*."""
    elements = root.iter(f"{NAMESPACE}{tag}")
    return [item for item in elements if not look or look in item.get("class", "").split()]


def explained(root: ET.Element) -> list[ET.Element]:
    """The groups with a tooltip."""
    return [group for group in named(root, "g") if group.find(f"{NAMESPACE}title") is not None]


def words(element: ET.Element | None) -> str:
    """What stands in *element*."""
    assert element is not None
    return element.text or ""
