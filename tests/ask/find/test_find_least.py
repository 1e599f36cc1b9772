"""For which value something is least or greatest: beside every value, tried one by one."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from random import Random

import pytest

from ddcalc.ask.find import find
from ddcalc.errors import DdcalcError
from ddcalc.formula.evaluation import evaluate
from ddcalc.numbers.amounts import Amount
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.own import asked
from ddcalc.problem.steps import BOUND, Define

RANDOM = Random(7)
DRAWN = [(RANDOM.randint(5, 80), RANDOM.randint(20, 600), RANDOM.randint(1, 12)) for _ in range(12)]


def rounds_of(fixed: int, more: int, paid: int, epochs: int) -> int:
    """Seconds of ``fixed + more/E`` rounds, rounded up, of *paid* seconds and one an epoch."""
    return ceil(fixed + more / epochs) * (paid + epochs)


@pytest.mark.parametrize(("fixed", "more", "paid"), DRAWN)
def test_the_best_whole_number_is_that_of_all(fixed: int, more: int, paid: int) -> None:
    texts = {
        "samples": "10", "devices": "1", "batch": "10", "compute": "1 s",
        "download": f"{paid} s", "upload": "0 s", "rounds": f"ceil({fixed} + {more}/local_epochs)",
    }  # fmt: skip
    kind, left = asked(problem_named("federated"), texts)
    found = find(kind, "local_epochs", ["total is least"], left)
    costs = {epochs: rounds_of(fixed, more, paid, epochs) for epochs in range(1, 400)}
    least = min(costs.values())
    assert found.at is not None
    assert found.at.quantities["total"].value == least  # type: ignore[union-attr]
    assert costs[int(found.answer.value)] == least  # type: ignore[call-overload]
    within = find(kind, "local_epochs", ["total is least", "local_time <= 3 s"], left)
    best = min(costs[epochs] for epochs in (1, 2, 3))
    assert within.at is not None
    assert within.at.quantities["total"].value == best  # type: ignore[union-attr]


def test_a_slope_of_zero_and_one_that_is_not_found() -> None:
    """x + 9/x is least at 3; that of e^((tau + C)/M)/tau SymPy does not solve for tau."""
    kind, left = asked(problem_named("transfer"), {"size": "1 MB", "latency": "0 s"}, [])
    kind, left = asked(kind, left, [("cost", "time + 9 s*(1 s)/time", "")])
    found = find(kind, "bandwidth", ["cost is least"], left)
    assert float(found.answer.value) == pytest.approx(1e6 / 3, rel=1e-12)  # type: ignore[arg-type]
    texts = {"write": "120 s", "failures": "90000 s", "restart": "0 s", "work": "1 d"}
    with pytest.raises(DdcalcError, match="not found; a sweep compares"):
        find(problem_named("checkpoint-interval"), "compared", ["compared_total is least"], texts)


@pytest.mark.parametrize(("fixed", "more", "paid"), DRAWN[:4])
@pytest.mark.parametrize("power", [2, 3])
def test_the_lines_that_derive_the_least_are_true(
    power: int, fixed: int, more: int, paid: int
) -> None:
    """Where it is no plain sum: the formula is least where the last line says, beside it larger."""
    texts = {
        "samples": "10", "devices": "1", "batch": "10", "compute": "1 s", "upload": "0 s",
        "download": f"{paid} s", "rounds": f"ceil({fixed} + {more}/local_epochs^{power})",
    }  # fmt: skip
    kind, left = asked(problem_named("federated"), texts)
    found = find(kind, "local_epochs", ["total is least"], left)
    step = next(one for one in found.steps if getattr(one, "argument", ()))
    assert isinstance(step, Define)
    formula, flat, solved = step.argument
    assert found.at is not None
    at, known = solved.numbers[BOUND], found.at.working.letters
    assert isinstance(at, Amount)
    cost = [
        float(evaluate(formula.formula, {**known, "E": Fraction(at.value) * x / 100}))
        for x in (90, 100, 110)
    ]
    assert cost[1] == min(cost)
    assert cost[1] == pytest.approx(
        (fixed + more / float(at.value) ** power) * (paid + float(at.value)), rel=1e-9
    )
    slope = evaluate(flat.formula.parts()[0], {**known, "E": Fraction(at.value)})
    assert abs(float(slope)) < 1e-6 * cost[1]


@pytest.mark.parametrize("where", ["total is least", "workers is least"])
def test_what_has_no_least_value_is_refused(where: str) -> None:
    texts = {"samples": "10", "devices": "1", "batch": "10", "compute": "1 s", "download": "1 s"}
    with pytest.raises(DdcalcError):
        find(problem_named("federated"), "upload", [where, "upload > 0 s"], texts)
