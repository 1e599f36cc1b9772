"""Things to draw: timelines, sweeps, rings, and a reader of SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, get_args

from exam import EXAM
from hypothesis import strategies as st

from ddcalc.ask.solve import solve
from ddcalc.ask.sweep.axes import written
from ddcalc.ask.sweep.best import Sweep, goals
from ddcalc.ask.sweep.grid import question
from ddcalc.ask.sweep.views import curves
from ddcalc.formula.expression import Number
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import texts_of
from ddcalc.problem.steps import Bar, Chart, Exchange, Kind, Lane, Plot, Timeline
from ddcalc.render.blocks import Drawn

KINDS: tuple[Kind, ...] = get_args(Kind)
UNDONE = ("not done", "not counted", "dropped", "interrupted")


def timeline(lanes: dict[str, list[Bar]], horizon: Number, shown: int = 0) -> Timeline:
    """A timeline of *lanes*."""
    data = tuple(Lane(name, tuple(bars)) for name, bars in lanes.items())
    return Timeline("Schedule", "nobody waits", data, horizon, shown)


def computed(*times: Number, label: str = "") -> list[Bar]:
    """Computations from each of *times* to the next one, numbered or with the same *label*."""
    pairs = pairwise(times)
    return [Bar(start, end, label or str(i)) for i, (start, end) in enumerate(pairs, 1)]


_F = Fraction
MIXED = timeline(
    {
        "worker 1": [
            Bar(0, 1, "", kind="down"),
            Bar(1, 3, "1", note="worker 1 computes gradient 1 from 1 s to 3 s"),
            Bar(3, 4, "", kind="up"),
            Bar(4, 7, "", kind="wait"),
            Bar(7, 8, "", kind="server"),
            Bar(8, 11, "not done", done=False),
        ],
        "worker 2": [
            Bar(0, 1, "", kind="down"),
            Bar(1, 7, "dropped", done=False),
            Bar(7, 8, "2", kind="send"),
            Bar(8, 10, "interrupted", done=False),
        ],
    },
    10,
)
PERIODS = timeline(  # three asynchronous workers, as in the course
    {f"worker {i}": computed(*range(0, 25, item)) for i, item in enumerate((1, 2, 4), 1)}, 24
)
STRAGGLER = timeline({"a": computed(0, 1, 2), "b": [Bar(0, 900, "not done", done=False)]}, 2)
FIRST_OF_MANY = timeline({"a": computed(0, 1, 2, 3), "b": computed(0, 2, 4)}, 1000, shown=900)
TINY = timeline({"a": computed(*(_F(i, 10**9) for i in range(5)))}, _F(4, 10**9))
HUGE = timeline({"a": computed(*(i * 10**40 + _F(1, 3) for i in range(5)))}, 4 * 10**40)
NOTHING = timeline({"a": [], "b": [Bar(0, 0, "1")]}, 0)
TIMELINES = {
    "mixed": MIXED,
    "periods": PERIODS,
    "straggler": STRAGGLER,
    "first-of-many": FIRST_OF_MANY,
    "tiny": TINY,
    "huge": HUGE,
    "nothing": NOTHING,
    "no-lanes": timeline({}, 5),
}

_LENGTHS = st.sampled_from([_F(0), _F(1, 10**6), _F(1, 7), _F(1), _F(2), _F(30), _F(10**5)])


@st.composite
def bars(draw: st.DrawFn, only: tuple[Kind, ...] = KINDS) -> tuple[Bar, ...]:
    """Bars one behind the other, some with gaps between them, computations numbered."""
    lengths = draw(st.lists(_LENGTHS, min_size=2, max_size=80))
    times = list(accumulate(lengths))
    data = []
    for i, (start, end) in enumerate(zip(times[::2], times[1::2], strict=False), 1):
        kind = draw(st.sampled_from(only))
        why = draw(st.sampled_from(("", "", *UNDONE))) if kind == "compute" else ""
        data.append(Bar(start, end, why or str(i), done=not why, kind=kind))
    return tuple(data)


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Timelines of all sizes, in seconds, nanoseconds or ages."""
    scale = draw(st.sampled_from([_F(1), _F(1, 10**9), _F(10**30, 3)]))
    lanes = draw(st.lists(bars(), min_size=1, max_size=12))
    data = tuple(
        Lane(f"worker {i}", tuple(_scaled(bar, scale) for bar in lane))
        for i, lane in enumerate(lanes, 1)
    )
    horizon = draw(_LENGTHS) * scale
    return Timeline("Schedule", "", data, horizon, draw(st.sampled_from([0, 7])))


def _scaled(bar: Bar, scale: Fraction) -> Bar:
    return Bar(bar.start * scale, bar.end * scale, bar.label, bar.done, bar.kind)


NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'/><script>alert(1)</script>]]>& \x1b[31m\u202e\ufffe"
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


def texts(picture: bytes | str) -> list[str]:
    """What is written in a *picture*."""
    root = ET.fromstring(picture)
    return ["".join(one.itertext()) for one in root.iter(f"{NAMESPACE}text")]
