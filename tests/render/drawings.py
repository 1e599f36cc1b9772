"""Things to draw: timelines, sweeps, rings, and a reader of SVG."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, get_args

import yaml
from hypothesis import strategies as st
from questions import EXAM

from ddcalc.ask.solve import solve
from ddcalc.ask.sweep.axes import written
from ddcalc.ask.sweep.grid import question
from ddcalc.ask.sweep.points import Sweep, goals
from ddcalc.ask.sweep.views import curves
from ddcalc.formula.expression import Number
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.said.steps import Bar, Chart, Drawn, Exchange, Kind, Lane, Timeline
from ddcalc.problem.stated import texts_of

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
DATA = yaml.safe_load(Path(__file__).with_name("drawings.yaml").read_text("utf-8"))
CHARTS: dict[str, list[str]] = DATA["charts"]
RINGS: dict[str, dict[str, Any]] = DATA["rings"]
MIXED = timeline({name: [Bar(**bar) for bar in bars] for name, bars in DATA["mixed"].items()}, 10)
# three asynchronous workers, as in the course
PERIODS = {f"worker {i}": computed(*range(0, 25, each)) for i, each in enumerate((1, 2, 4), 1)}
TIMELINES = {
    "mixed": MIXED,
    "periods": timeline(PERIODS, 24),
    "straggler": timeline({"a": computed(0, 1, 2), "b": [Bar(0, 900, "not done", done=False)]}, 2),
    "first-of-many": timeline({"a": computed(0, 1, 2, 3), "b": computed(0, 2, 4)}, 1000, shown=900),
    "tiny": timeline({"a": computed(*(_F(i, 10**9) for i in range(5)))}, _F(4, 10**9)),
    "huge": timeline({"a": computed(*(i * 10**40 + _F(1, 3) for i in range(5)))}, 4 * 10**40),
    "nothing": timeline({"a": [], "b": [Bar(0, 0, "1")]}, 0),
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
    scaled = [[replace(bar, start=bar.start * scale, end=bar.end * scale) for bar in lane]
              for lane in lanes]  # fmt: skip
    data = tuple(Lane(f"worker {i}", tuple(lane)) for i, lane in enumerate(scaled, 1))
    horizon = draw(_LENGTHS) * scale
    return Timeline("Schedule", "", data, horizon, draw(st.sampled_from([0, 7])))


NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"'/><script>alert(1)</script>]]>& \x1b[31m\u202e\ufffe"


def swept(name: str) -> Chart:
    """The chart of a sweep."""
    pairs = [written(text) for text in CHARTS[name]]
    texts = {key: text for key, text in EXAM.items() if key not in dict(pairs)}
    request = question(problem_named("epoch-time"), texts, pairs, {})
    sweep = Sweep(request, goals(request, {}))
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
        yield f"chart {name}", swept(name)


def texts(picture: bytes | str) -> list[str]:
    """What is written in a *picture*."""
    root = ET.fromstring(picture)
    return ["".join(one.itertext()) for one in root.iter(f"{NAMESPACE}text")]
