"""For which value something is least or greatest: beside every value, tried one by one."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil
from random import Random

import pytest

from ddcalc.ask.find import Inversion, find
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.own import asked
from ddcalc.problem.steps import Table

RANDOM = Random(7)
DRAWN = [
    tuple(RANDOM.randint(*ends) for ends in ((5, 80), (20, 600), (0, 6), (1, 12), (1, 3)))
    for _ in range(12)
]


LEAST = "total is least"


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
    return find(kind, "local_epochs", where or [LEAST], left), costs


def _beside(found: Inversion) -> Table:
    return next(step for step in found.steps if isinstance(step, Table))


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_best_is_that_of_all_and_what_is_better_does_not_fit(drawn: tuple[int, ...]) -> None:
    found, costs = _found(drawn)
    assert costs[int(found.answer.value)] == min(costs[1:])  # type: ignore[call-overload]
    found, costs = _found(drawn, LEAST, "local_time <= 3 s")
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
    said = (
        _beside(found).why
        if not at_most
        else next(step.why for step in found.steps if getattr(step, "name", "") == "local_epochs")
    )
    why = said.translate({0x2212: "-", 0xB7: "*", ord("^"): "**"})
    formula, _, places = re.split(", (whose slope is 0|which is [^=]*?) at E ", why)
    made = re.sub(r"(?<=\d)\s(?=\d)", "", re.split(" [=≈] ", formula)[1])
    made = re.sub(r"([\d.]+) (s|min|h|d)\b", r"\1*\2", made)
    names = {"s": 1, "min": 60, "h": 3600, "d": 86400}
    for x in (1, 2, 5.5, 30):
        assert eval(made, {"E": x, **names}) == pytest.approx(ours(x), rel=2e-3)
    for at in map(float, re.findall(r"[\d.]+", places.partition(";")[0])):
        if at_most:
            assert ours(at) == pytest.approx(float(costs[at_most]), rel=2e-3)
        else:
            assert ours(at) <= min(ours(at * 0.99), ours(at * 1.01))


STEPS = {  # of a transfer of 1 MB in T: what it costs, and the bandwidths at which that is least
    "time + 9 s*(1 s)/time": (["333333.3333"], []),
    "max(time, 9 s*(1 s)/time)": (["333333.3333"], []),  # where it bends
    "time": (["2000000"], ["bandwidth <= 2 MB/s"]),  # at the end
    "ceil(time/(1 s)) + ceil(4 s/time)": (
        ["500000"],
        ["bandwidth >= 10 kB/s", "bandwidth <= 10 MB/s"],
    ),
    "floor(time/(4 s))": (["250000.0000"], ["bandwidth >= 10 kB/s"]),  # on a whole range
}


@pytest.mark.parametrize("cost", STEPS)
def test_other_numbers_are_compared_at_ends_and_where_it_turns(cost: str) -> None:
    kind, left = asked(problem_named("transfer"), {"size": "1 MB", "latency": "0 s"})
    kind, left = asked(kind, left, [("cost", cost, "")])
    [place], where = STEPS[cost]
    found = find(kind, "bandwidth", ["cost is least", *where], left)
    assert float(found.end.value) == pytest.approx(float(place), rel=1e-9)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slug", "unknown", "where", "said"),
    [
        ("transfer", "bandwidth", ["time is least"], "holds nowhere"),
        ("transfer", "bandwidth", ["time is least", "bandwidth < 2 MB/s"], "holds nowhere"),
        ("transfer", "hops", ["time is least", "time is greatest"], "one too many"),
        ("transfer", "hops", ["transfer is least"], "does not depend on hops"),
        ("transfer", "hops", ["time is greatest"], "not decided is x ≥"),
        ("checkpoint-interval", "compared", ["compared_total is least"], "a sweep compares"),
        ("timeline", "workers", ["gradients is greatest"], "still gets better at"),
    ],
)
def test_what_has_no_least_value_is_refused(
    slug: str, unknown: str, where: list[str], said: str
) -> None:
    texts = {
        "transfer": {"size": "1 MB", "latency": "1 s", "hops": "2", "bandwidth": "1 MB/s"},
        "timeline": {"periods": "1 s", "horizon": "6 s"},
        "checkpoint-interval": {
            "write": "120 s", "failures": "90000 s", "restart": "0 s", "work": "1 d",
        },
    }[slug]  # fmt: skip
    with pytest.raises(DdcalcError, match=said):
        find(problem_named(slug), unknown, where, {n: x for n, x in texts.items() if n != unknown})


@pytest.mark.parametrize("fixed", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 2)])
def test_the_best_of_what_is_played_is_that_of_all_that_were_tried(fixed: Fraction) -> None:
    """Backups that make a step cheapest: 20 of n exponential delays, each wait by 1/k."""
    texts = {
        "distribution": "shifted-exponential", "means": f"{fixed + 1} s", "shift": f"{fixed} s",
        "wait_for": "20",
    }  # fmt: skip
    paid = {
        n: n * (fixed + sum(Fraction(1, k) for k in range(n - 19, n + 1))) for n in range(20, 201)
    }
    kind = problem_named("backup-workers")
    for where, allowed in (([], 200), (["workers <= 22"], 22)):
        found = find(kind, "workers", ["worker_seconds is least", *where], texts)
        assert found.answer.value == min(range(20, allowed + 1), key=paid.__getitem__)
        assert "tried" in _beside(found).why
