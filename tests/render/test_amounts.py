"""Wherever JSON tells an amount, its value, exact text, unit and text are the same number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from questions import TYPES, Kind, command, example, units_like
from running import ddcalc

from ddcalc.ask.solve import solve
from ddcalc.numbers.display import ABOUT, MINUS, exact_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import Unit

SOME = TYPES[::4]  # one way leads from a number to JSON, so some types tell about all

of_types = pytest.mark.parametrize("problem", SOME, ids=lambda problem: problem.slug)


def amounts(data: Any) -> Iterator[dict[str, Any]]:
    """Every amount in *data*, however deep."""
    if isinstance(data, dict):
        if {"value", "exact", "unit", "text"} <= data.keys():
            yield data
        data = list(data.values())
    for one in data if isinstance(data, list) else ():
        yield from amounts(one)


def agree(data: dict[str, Any]) -> None:
    """The float and the text are the exact number, rounded."""
    if data["exact"] is None or data["value"] is None:
        return
    exact = Fraction(data["exact"])
    assert data["value"] == float(exact), data
    number = data["text"].removeprefix("about ").removeprefix(ABOUT)
    assert number.endswith(data["unit"]), data
    number = number.removesuffix(data["unit"]).replace(" ", "").replace(MINUS, "-")
    shown = Fraction(number.replace("×10^", "e"))
    close = abs(exact) / 10**5
    assert abs(shown - exact) <= (close if data["text"][:1] in "≈a" else 0), data


def printed(*call: str) -> dict[str, Any]:
    ran = ddcalc(*call, "--format", "json")
    assert ran.code in (0, 2), ran.err
    data: dict[str, Any] = json.loads(ran.out)
    return data


def in_units(unit: Unit) -> list[Unit]:
    """The units in which an amount in *unit* can be asked for; of a plain number none but %."""
    return [one for one in units_like(unit) if one.name]


@of_types
def test_other_verbs(problem: Kind, tmp_path: Path) -> None:
    """What is found, swept, compared, and moved, and a batch."""
    texts, solved = example(problem), solve(problem, example(problem))
    answer, calls = solved.answer, [("sensitivity", *command(problem))]
    for name, measured in solved.stated.measured.items():
        if isinstance(measured, tuple) or name not in texts:
            continue
        given, shown = problem.givens[name], str(texts[name])
        less = {one: text for one, text in texts.items() if one != name}
        calls.append(("sweep", *command(problem, less), "--vary", f"{name}={shown}"))
        if isinstance(answer.value, int | Fraction) and not isinstance(answer.value, Approximate):
            where = f"{answer.name} >= {exact_text(answer.value, answer.unit)}"
            calls += [
                (*command(problem, less), "--find", name, "--where", where, "--unit", unit.name)
                for unit in in_units(given.unit)[:2]
            ]
        break
    file = tmp_path / "asked.yaml"
    file.write_text(json.dumps({"type": problem.slug, "given": texts}), encoding="utf-8")
    for call in (*calls, ("solve", str(file))):
        for one in amounts(printed(*call)):
            agree(one)
