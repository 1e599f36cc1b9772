"""The picture of buckets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from stating import times

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Timeline


def pictured(kind: str, **stated: Any) -> list[list[tuple[Fraction, Fraction]]]:
    """The times at which each bucket is computed and sent, in the picture of an explanation."""
    solved = solve(problem_named(kind), stated)
    (picture,) = (step for step in solved.steps if isinstance(step, Timeline))
    assert picture.horizon == solved.values["total"]
    assert [lane.label for lane in picture.lanes] == ["worker", "link"]
    drawn = [[bar for bar in lane.bars if bar.label != "before"] for lane in picture.lanes]
    assert [bar.label for bar in drawn[0]] == [bar.label for bar in drawn[1]]
    return [[(Fraction(bar.start), Fraction(bar.end)) for bar in bars] for bars in drawn]


@settings(max_examples=30, deadline=None)
@given(
    compute=times(1),
    volume=st.integers(1, 30),
    bucket=st.integers(1, 40),
    latency=times(0, 50),
    before=times(0, 50),
)
def test_the_picture_ends_when_the_equations_say(
    compute: Fraction, volume: int, bucket: int, latency: Fraction, before: Fraction
) -> None:
    computed, link = pictured(
        "buckets",
        compute=f"{compute} s",
        before=f"{before} s",
        volume=f"{volume} B",
        bucket=f"{bucket} B",
        bandwidth="3 B/s",
        latency=f"{latency} s",
    )
    sizes = [min(bucket, volume - start) for start in range(0, volume, bucket)]
    assert [end - start for start, end in computed] == [compute * b / volume for b in sizes]
    assert [end - start for start, end in link] == [latency + Fraction(b, 3) for b in sizes]
    assert computed[0][0] == before
    assert computed[-1][1] == before + compute
    for i, (start, _) in enumerate(link):
        assert start == max(computed[i][1], link[i - 1][1] if i else before)
