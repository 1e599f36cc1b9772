"""overlap and overlap-fraction against clocks that tick, and intervals that are laid side by side;
buckets against events on one link; bucket-size by what its message achieves."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import readings, readings_by_hand, refusals, results, times

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Timeline

TICKS = st.integers(1, 30)


def ticked(compute: int, communicate: int, allowed: int) -> int:
    """How long a step takes of which *allowed* ticks of communication may run beside computation;
    what may not, or does not find any, runs afterwards."""
    passed = 0
    while compute or communicate:
        passed += 1
        if compute:
            compute -= 1
            if allowed and communicate:
                allowed -= 1
                communicate -= 1
        else:
            communicate -= 1
    return passed


@settings(max_examples=300, deadline=None)
@given(compute=TICKS, communicate=st.integers(0, 30), tenths=st.integers(0, 10))
def test_a_step_by_ticks(compute: int, communicate: int, tenths: int) -> None:
    stated: dict[str, Any] = {"compute": f"{10 * compute} s", "overlapped": Fraction(tenths, 10)}
    stated["communication"] = f"{10 * communicate} s"
    found: dict[str, Any] = results("overlap", **stated)
    assert found["step"] == ticked(10 * compute, 10 * communicate, tenths * communicate)
    assert max(compute, communicate) * 10 == found["least"] <= found["step"] <= found["serial"]
    assert found["speedup"] * found["step"] == 10 * (compute + communicate)
    shorter = results("overlap", **stated, part_of="shorter")
    allowed = tenths * min(compute, communicate)
    assert shorter["step"] == ticked(10 * compute, 10 * communicate, allowed)
    assert readings("overlap", **stated) == readings_by_hand("overlap", **stated)


@settings(max_examples=100, deadline=None)
@given(
    compute=times(1),
    volume=st.integers(1, 10**6),
    bandwidth=st.integers(1, 10**6),
    compression=st.fractions(1, 100, max_denominator=9),
)
def test_data_over_bandwidth_is_a_time(
    compute: Fraction, volume: int, bandwidth: int, compression: Fraction
) -> None:
    stated: dict[str, Any] = {"compute": f"{compute} s", "compression": compression}
    by_data = results("overlap", **stated, volume=f"{volume} B", bandwidth=f"{bandwidth} B/s")
    by_time = results("overlap", **stated, communication=f"{Fraction(volume, bandwidth)} s")
    assert by_data["uncompressed"] == Fraction(volume, bandwidth)
    for name in ("step", "exposed", "speedup", "ratio", "least"):
        assert by_data[name] == by_time[name]
    enough = by_data["enough"]
    fast: Any = results("overlap", **stated, volume=f"{volume} B", bandwidth=f"{enough} B/s")
    assert fast["step"] == compute == fast["compressed"]


@settings(max_examples=100, deadline=None)
@given(compute=TICKS, communicate=TICKS, tenths=st.integers(0, 10), part_of=st.booleans())
def test_what_is_predicted_is_measured(
    compute: int, communicate: int, tenths: int, part_of: bool
) -> None:
    stated = {"compute": f"{compute} s", "communication": f"{communicate} s"}
    stated["part_of"] = "shorter" if part_of else "communication"
    whole = min(compute, communicate) if part_of else communicate
    most = Fraction(min(compute, communicate), whole)
    step = results("overlap", **stated, overlapped=Fraction(tenths, 10))["step"]
    found = results("overlap-fraction", **stated, step=f"{step} s")
    assert found["fraction"] == min(Fraction(tenths, 10), most)


# Buckets


def sent(
    sizes: list[Fraction], compute: Fraction, latency: Fraction, transfer: Fraction
) -> Fraction:
    """When the last of buckets of these *sizes* is sent: each is ready when its gradients are
    computed, and the link takes them one after the other."""
    everything, computed, free = sum(sizes), Fraction(0), Fraction(0)
    for size in sizes:
        computed += compute * size / everything
        free = max(free, computed) + latency + transfer * size / everything
    return free


def pictured(kind: str, **stated: Any) -> list[list[tuple[Fraction, Fraction]]]:
    """The times at which each bucket is computed and sent, in the picture of an explanation."""
    solved = solve(problem_named(kind), stated)
    (picture,) = (step for step in solved.steps if isinstance(step, Timeline))
    assert picture.horizon == solved.values["total"]
    assert [lane.label for lane in picture.lanes] == ["worker", "link"]
    drawn = [[bar for bar in lane.bars if bar.label != "before"] for lane in picture.lanes]
    assert [bar.label for bar in drawn[0]] == [bar.label for bar in drawn[1]]
    return [[(Fraction(bar.start), Fraction(bar.end)) for bar in bars] for bars in drawn]


@settings(max_examples=100, deadline=None)
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
    assert "In one formula" in ddcalc(*call).out
    assert "├" not in ddcalc(*call, "--steps", "brief").out


@settings(max_examples=50, deadline=None)
@given(latency=times(1, 100), root=st.integers(2, 12), slower=st.integers(1, 5))
def test_the_best_number_on_a_slow_link(latency: Fraction, root: int, slower: int) -> None:
    """The manual: where the link never rests, the root of compute over latency."""
    compute = root**2 * latency
    stated: dict[str, str] = {"compute": f"{compute} s", "latency": f"{latency} s"}
    stated["communication"] = f"{slower * compute} s"
    split: Any = results("split-batch", compute=f"{compute} s", aggregate=f"{latency} s")
    found = {n: results("buckets", **stated, parts=n)["total"] for n in range(1, 3 * root)}
    assert min(found, key=lambda n: (found[n], n)) == split["workers"] == root


def test_the_cases_as_published() -> None:
    found = results("buckets", compute="50 ms", communication="30 ms", parts=5)
    assert (found["total"], found["hidden"]) == (Fraction(56, 1000), Fraction(4, 5))
    found = results("bucket-size", latency="100 us", bandwidth="100 Gbit/s", volume="1 GB")
    assert (found["size"], found["messages"]) == (11_250_000, 89)
    measured = {"compute": "80 ms", "communication": "120 ms", "step": "140 ms"}
    assert results("overlap-fraction", **measured)["fraction"] == Fraction(1, 2)
    assert readings("overlap-fraction", **measured) == {("part_of", "shorter"): Fraction(3, 4)}


STEP = {"compute": "80 ms", "communication": "120 ms", "step": "140 ms"}
SENT = {"compute": "1 s", "volume": "1 GB", "bandwidth": "1 GB/s"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "told"),
    [
        ("overlap-fraction", STEP | {"step": "119 ms"}, "step", "shorter than"),
        ("overlap-fraction", STEP | {"communication": "0 s"}, "communication", "more than 0"),
        ("overlap", {"compute": "1 s"}, None, "communication or volume"),
        ("overlap", {"compute": "1 s", "volume": "1 GB"}, None, "bandwidth or communication"),
        ("overlap", {"compute": "1 s", "bandwidth": "1 GB/s"}, None, "volume"),
        ("overlap", SENT | {"bandwidth": "1 Gb/s"}, "bandwidth", "Gbit"),
        ("overlap", SENT | {"volume": "1"}, "volume", "needs a unit"),
        ("overlap", SENT | {"overlapped": "1.1"}, "overlapped", "at most 1"),
        ("overlap", SENT | {"compression": "0.5"}, "compression", "at least 1"),
        ("overlap", SENT | {"communication": "2 s"}, "communication", "state one of the two"),
        ("buckets", SENT, None, "bucket or parts"),
        ("buckets", SENT | {"bucket": "0 B"}, "bucket", "more than 0"),
        ("buckets", SENT | {"bucket": "1 MB", "parts": "3"}, "parts", "state one"),
        ("buckets", SENT | {"parts": "0"}, "parts", "at least 1"),
        ("buckets", {"compute": "1 s", "communication": "1 s", "bucket": "1 MB"}, None, "volume"),
        ("buckets", SENT | {"parts": "2", "communication": "2 s"}, "communication", "state one"),
        (
            "bucket-size",
            {"latency": "1 us", "bandwidth": "1 GB/s", "part": "100 %"},
            "part",
            "less than 1",
        ),
        ("bucket-size", {"latency": "0 s", "bandwidth": "1 GB/s"}, "latency", "more than 0"),
    ],
)
def test_refused(slug: str, given: dict[str, str], parameter: str | None, told: str) -> None:
    found = refusals(slug, **given)
    assert any(parameter in (name, None) and told in text for name, text in found), found
