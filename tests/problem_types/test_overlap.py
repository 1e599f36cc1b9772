"""overlap with compressed messages; the picture of buckets; what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import refusals, results, times

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Timeline

# Compression


def test_signs_of_many_workers_are_slower() -> None:
    """32 times fewer bytes, but 95 messages: 1.5 times the exchange of whole gradients."""
    stated: dict[str, Any] = {"compute": "100 ms", "communication": "1.98 s", "compression": 32}
    answers: Any = results("overlap", workers=96, overlapped=0, **stated)
    assert answers["compressed"] == Fraction("2.97")
    assert answers["gain"] < 1
    added = results("overlap", workers=96, aggregation="added", **stated)
    assert added["compressed"] == results("overlap", **stated)["compressed"] == Fraction("0.061875")


def test_latency_is_not_divided() -> None:
    stated: dict[str, Any] = {"compute": 1, "communication": 1, "latency": "100 ms"}
    tiny: Any = results("overlap", compression=10**9, **stated)["compressed"]
    assert Fraction("0.1") < tiny < Fraction("0.100001")
    gathered: Any = results("overlap", compression=10**9, workers=2, **stated)["compressed"]
    assert Fraction("0.05") < gathered < Fraction("0.050001")


@pytest.mark.parametrize("overlapped", [0, 1])
def test_nothing_to_compute_leaves_a_step_to_speed_up(overlapped: int) -> None:
    answers = results(
        "overlap", compute=0, communication="315 ms", compression=10, overlapped=overlapped
    )
    assert (answers["gain"], answers["limit"], answers["ratio"]) == (10, None, None)


# Buckets


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


def test_of_many_buckets_the_first_ones_are_drawn() -> None:
    computed, _ = pictured("buckets", compute="5 s", communication="3 s", parts="100")
    assert len(computed) == 40
    solved = solve(problem_named("buckets"), {"compute": "5", "communication": "3", "parts": "1M"})
    assert not [step for step in solved.steps if isinstance(step, Timeline)]


def test_a_picture_changes_nothing_else(tmp_path: Path) -> None:
    call = ("buckets", "--compute", "5s", "--communication", "3s", "--parts", "4")
    ran = ddcalc(*call, "--output", tmp_path / "buckets.svg")
    assert ran.code == 0
    assert "link: sends 4 times, 3 s in all" in (tmp_path / "buckets.svg").read_text("utf-8")
    assert "├" not in ddcalc(*call, "--steps", "brief").out


SENT = {"compute": "1 s", "volume": "1 GB", "bandwidth": "1 GB/s"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("overlap", {"compute": "0", "communication": "0"}, "compute", "a step of no time"),
        ("overlap", SENT | {"workers": "2"}, None, "compression"),
        ("overlap", {"compute": "1 s"}, None, "communication or volume"),
        ("overlap", {"compute": "1 s", "volume": "1 GB"}, None, "bandwidth or communication"),
        ("overlap", {"compute": "1 s", "bandwidth": "1 GB/s"}, None, "volume"),
        ("overlap", SENT | {"bandwidth": "1 gb/s"}, "bandwidth", "Gbit"),
        ("overlap", SENT | {"communication": "2 s"}, "communication", "state one of the two"),
        ("buckets", SENT, None, "bucket or parts"),
        ("buckets", SENT | {"bucket": "1 MB", "parts": "3"}, "parts", "state one"),
        ("buckets", {"compute": "1 s", "communication": "1 s", "bucket": "1 MB"}, None, "volume"),
        ("buckets", SENT | {"parts": "2", "communication": "2 s"}, "communication", "state one"),
    ],
)
def test_refused(slug: str, given: dict[str, str], parameter: str | None, message: str) -> None:
    answers = refusals(slug, **given)
    assert any(parameter in (name, None) and message in text for name, text in answers), answers
