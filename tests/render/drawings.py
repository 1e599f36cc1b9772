"""Things to draw: sweeps, rings, a tornado, and a reader of SVG."""

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
from ddcalc.ask.sweep.views import curves
from ddcalc.numbers.units import SECOND
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import texts_of
from ddcalc.problem.steps import Chart, Exchange, Plot, Swung, Tornado
from ddcalc.render.blocks import Drawn

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'/><script>alert(1)</script>]]>& \x1b[31m\u202e\ufffe"
EXAM = {
    "samples": "76800", "batch": "1536", "epochs": "10", "workers": "6", "download": "1.5 s",
    "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip
CHARTS = {
    "curves": ["workers=1..60", "batch=256,512,1024"],
    "one curve": ["workers=1..20"],
    "many curves": ["workers=1..30", "batch=100..2000:100"],
    "choices": ["queue=carry,per-epoch", "workers=1..12"],
    "factors": ["workers=1..4096:x2"],
    "gaps": ["workers=1..9", "batch=1536,100000"],
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
    for _ in sweep.blocks():
        pass
    chart = curves(sweep)
    assert chart is not None
    return chart


def exchanges(name: str) -> list[Exchange]:
    """The exchanges of a ring."""
    steps = solve(problem_named("ring-trace"), texts_of(RINGS[name])).steps
    return [step for step in steps if isinstance(step, Exchange)]


def steps() -> Iterator[tuple[str, Drawn]]:
    """A step of every kind that is drawn, by name."""
    for name, schedule in TIMELINES.items():
        yield f"timeline {name}", schedule
    for name in CHARTS:
        yield f"chart {name}", Plot("A chart", "", swept(name))
    yield "tornado", TORNADO


def texts(picture: bytes | str) -> list[str]:
    """What is written in a *picture*."""
    root = ET.fromstring(picture)
    return ["".join(one.itertext()) for one in root.iter(f"{NAMESPACE}text")]
