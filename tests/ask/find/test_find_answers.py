"""What is least, beside all numbers there are, and its formula that is drawn without rounding;
questions whose answers are known stand in ``calls/found.txt``."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from math import ceil
from random import Random

import pytest

from ddcalc.ask.find import Inversion, find
from ddcalc.problem.asking import asked
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Table

RANDOM, ENDS = Random(7), ((5, 80), (20, 600), (0, 6), (1, 12), (1, 3))
DRAWN = [tuple(RANDOM.randint(*ends) for ends in ENDS) for _ in range(12)]


def _found(drawn: tuple[int, ...], *where: str) -> tuple[Inversion, list[Fraction]]:
    """The best number of local epochs of rounds that first fall and then rise, rounded up; and
    what each number of them costs, by hand."""
    fixed, more, rising, paid, power = drawn
    texts = {
        "samples": "10", "devices": "1", "batch": "10", "compute": "1 s", "upload": "0 s",
        "download": f"{paid} s",
        "rounds": f"ceil({fixed} + {more}/local_epochs^{power} + {rising}*local_epochs)",
    }  # fmt: skip
    kind, left = asked(problem_named("federated"), texts)
    rounds = (ceil(fixed + Fraction(more, e**power) + rising * e) for e in range(1, 400))
    costs = [Fraction(0), *(r * (paid + e) for e, r in enumerate(rounds, 1))]
    return find(kind, "local_epochs", where or ["total is least"], left), costs


def _beside(found: Inversion) -> Table:
    return next(step for step in found.steps if isinstance(step, Table))


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_best_is_that_of_all_and_what_is_better_does_not_fit(drawn: tuple[int, ...]) -> None:
    found, costs = _found(drawn)
    assert costs[int(found.answer.value)] == min(costs[1:])  # type: ignore[call-overload]
    found, costs = _found(drawn, "total is least", "local_time <= 3 s")
    at = int(found.answer.value)  # type: ignore[call-overload]
    assert costs[at] == min(costs[1:4])
    table = _beside(found)
    assert {row[0] for row in table.rows if row[-1].endswith("not allowed")} <= {"4"}
    ranges = re.findall(r"(\d+) ≤ E ≤ (\d+)|E = (\d+)", table.why.partition("not allowed: ")[2])
    said = {x for low, high, one in ranges for x in range(int(low or one), int(high or one) + 1)}
    assert said == {x for x in range(1, 400) if costs[x] < costs[at]}


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("at_most", [0, 9])
def test_the_formula_without_rounding_is_ours(drawn: tuple[int, ...], at_most: int) -> None:
    """At every number; its slope is 0 where it is least, or it meets its bound, that of 9 epochs,
    where that is said."""
    fixed, more, rising, paid, power = drawn

    def ours(x: float) -> float:
        return (fixed + more / x**power + rising * x) * (paid + x)

    found, costs = _found(drawn)
    if at_most:
        found, _ = _found(drawn, f"total <= {costs[at_most]} s")
    said = next(step.why for step in found.steps if getattr(step, "name", "") == "local_epochs")
    why = said.translate({0x2212: "-", 0xB7: "*", ord("^"): "**"})
    formula, _, places = re.split(", (whose slope is 0|which is [^=]*?) at E ", why)
    names = {"s": 1, "min": 60, "h": 3600, "d": 86400, "sqrt": math.sqrt}

    def python(words: str) -> str:
        made = re.sub(r"(?<=\d)\s(?=\d)", "", words)
        return re.sub(r"([\d.]+) (s|min|h|d)\b", r"\1*\2", made)

    made = python(re.split(" [=≈] ", formula)[1])
    if root := re.match(r"= √(\(.*\)) (?=[=≈])", places):
        places = places[root.end() :]
        assert eval(f"sqrt{python(root[1])}", names) == pytest.approx(
            float(places.partition(";")[0][2:]), rel=2e-3
        )
    for x in (1, 2, 5.5, 30):
        assert eval(made, {"E": x, **names}) == pytest.approx(ours(x), rel=2e-3)
    for at in map(float, re.findall(r"[\d.]+", places.partition(";")[0])):
        if at_most:
            assert ours(at) == pytest.approx(float(costs[at_most]), rel=2e-3)
        else:
            assert ours(at) <= min(ours(at * 0.99), ours(at * 1.01))
