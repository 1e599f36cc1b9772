"""A sheet that uses others: no step is written twice, and every verb sees one type."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ddcalc

HEAD = """What do several trainings take?

They follow one another.

use training-time as run
{bound}
given
  runs r [count]: runs
{given}
steps
  all A [time]: All runs
    = runs*run.time

conclude
  They take {{all}}.
"""
GIVEN = ["--parameters", "7B", "--tokens", "1T", "--utilization", "1/2", "--runs", "4"]
PEAK = ["--peak", "312 TFLOP/s"]


def sheet(folder: Path, bound: str = "", given: str = "", name: str = "campaign") -> str:
    path = folder / f"{name}.sheet"
    path.write_text(HEAD.format(bound=bound, given=given), "utf-8")
    return str(path)


def test_what_it_says_nothing_of_is_given_for_the_other(tmp_path: Path) -> None:
    """6·7e9·1e12 operations, on 64·156e12 a second, four times."""
    name = sheet(tmp_path)
    assert ddcalc("check", name).code == 0
    ran = ddcalc(name, *GIVEN, *PEAK, "--devices", "64", "--bare")
    assert float(ran.out) == pytest.approx(4 * 6 * 7e9 * 1e12 / (64 * 156e12))
    least = ddcalc(name, *GIVEN, *PEAK, "--find", "devices", "--where", "all <= 100 d")
    assert "at least 125" in least.out  # 1.0769e9 s / (86400·100) = 124.6


def test_a_given_of_the_other_may_be_called_otherwise_or_be_a_formula(tmp_path: Path) -> None:
    given = "  nodes k [count]: nodes of eight devices\n"
    name = sheet(tmp_path, "  devices = 8*nodes\n", given)
    ran = ddcalc(name, *GIVEN, *PEAK, "--nodes", "8", "--bare")
    assert float(ran.out) == pytest.approx(4 * 6 * 7e9 * 1e12 / (64 * 156e12))
    assert ddcalc(name, *GIVEN, *PEAK, "--devices", "64").code == 2
    plain = sheet(tmp_path, "  devices = nodes\n  device_hours = hours\n", given, "plain")
    assert ddcalc(plain, *GIVEN, *PEAK, "--nodes", "64", "--bare").out == ran.out
    assert "Any number" in ddcalc(plain, *GIVEN, *PEAK, "--find=k", "--where=hours >= 1").out


@pytest.mark.parametrize(
    ("bound", "mistake"),
    [
        ("  devcies = runs\n", "nothing is called devcies; did you mean devices?"),
        ("  devices = nods\n", "nothing is called nods"),
        ("  communication = runs\n", "runs is a plain number, not time, as communication is"),
        ("  scores = some\n", "unknown choice 'some'"),
        ("use campaign as more\n", "goes round in a circle"),
        ("use nosuch as more\n", "unknown problem type 'nosuch'"),
        ("use staleness as more\n", "is played"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, bound: str, mistake: str) -> None:
    ran = ddcalc("check", sheet(tmp_path, bound))
    assert ran.code == 2
    assert mistake in ran.err
    assert "campaign.sheet:6:" in ran.err
