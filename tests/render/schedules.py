"""Timelines to draw: written out, and drawn at random."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from typing import get_args

from hypothesis import strategies as st

from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Bar, Kind, Lane, Timeline

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
CASES = {
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
