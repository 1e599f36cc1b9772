"""What comes nearest, what is least or greatest, and givens of schedules that are found by trying,
beside all numbers there are; questions whose answers are known stand in ``calls/found.txt``."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import ceil
from random import Random

import pytest
from exam import EXAM

from ddcalc.ask.find import Inversion, find
from ddcalc.ask.solve import solve
from ddcalc.problem.asking import asked, with_own
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.own import FORMULA, with_numbers
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Table
from ddcalc.render.story import spoken

PAID = {**EXAM, "price": "2 USD/h"}


def _find(slug: str, texts: Texts, unknown: str, *where: str) -> Inversion:
    """The answer for *unknown*, whatever *texts* state of it."""
    others = {name: text for name, text in texts.items() if name != unknown}
    return find(problem_named(slug), unknown, where, others)


@pytest.mark.parametrize(
    ("where", "name", "sense", "at", "admits"),
    [
        (["total < 10 s"], "total", "least", 500, lambda m, values: True),
        (["total >= 1 h"], "total", "greatest", 1, lambda m, values: True),
        (["total <= 300 s", "cost < 1 USD"], "cost", "least", 14, None),
        (["total <= 300 s", "workers < 10"], "total", "least", 9, lambda m, values: m < 10),
    ],
)
def test_the_nearest_where_there_is_none(
    where: list[str], name: str, sense: str, at: int, admits: Callable[..., bool] | None
) -> None:
    """As all numbers up to a thousand say; beyond it nothing gets quicker, and all dearer."""
    near = _find("epoch-time", PAID, "workers", *where).outcome.nearest()
    assert near is not None
    assert (near.name, near.sense, near.at) == (name, sense, at)
    kind, texts = problem_named("epoch-time"), dict(PAID)
    tried = {m: solve(kind, texts | {"workers": str(m)}).values for m in range(1, 1001)}
    admits = admits or (lambda m, values: values["total"] <= 300)
    known = [values[name] for m, values in tried.items() if admits(m, values)]
    assert near.value == (min if sense == "least" else max)(known)  # type: ignore[type-var]


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


@pytest.mark.parametrize("bound", [Fraction(tenths, 10) for tenths in (1, 10, 29)])
def test_the_page_is_about_the_most_that_does_it(bound: Fraction) -> None:
    """The k fastest of ten take 1/10 + 1/9 + … on average; more take longer."""
    means = [*accumulate(Fraction(1, 11 - i) for i in range(1, 11))]
    most = sum(mean <= bound for mean in means)
    given: Texts = {"means": "1 s", "workers": "10"}
    solved = _find("backup-workers", given, "wait_for", f"wait <= {bound} s")
    assert solved.answer.value == most
    assert solved.quantities["wait"].value == means[most - 1]  # type: ignore[union-attr]
    said = spoken(solved.sentence())
    assert said.startswith(f"At most {most} workers" if most > 1 else "Exactly 1 worker ")
    assert f"; with {most + 1} it would be" in said
    assert "begun" not in said or f"Of 10 gradients that are begun {10 - most} " in said


@pytest.mark.parametrize("fixed", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 2)])
def test_the_best_of_what_is_played_is_that_of_all_that_were_find(fixed: Fraction) -> None:
    """Backups that make a step cheapest: 20 of n exponential delays, each wait by 1/k."""
    texts = {
        "distribution": "shifted-exponential", "means": f"{fixed + 1} s", "shift": f"{fixed} s",
        "wait_for": "20",
    }  # fmt: skip
    paid = {
        n: n * (fixed + sum(Fraction(1, k) for k in range(n - 19, n + 1))) for n in range(20, 201)
    }
    kind = problem_named("backup-workers")
    for allowed in (200, 22):
        where = "worker_seconds is least", f"workers <= {allowed}"
        found = find(kind, "workers", where, texts)
        assert found.answer.value == min(range(20, allowed + 1), key=paid.__getitem__)
        assert "tried" in _beside(found).why


OWN = [("16 h", "2*t <= -1 h", None), ("-16 h", "2*t <= -1 h", -1800), ("5", "t*t <= 25", 5),
       ("0.5", "t*t <= 25", -5), ("3 USD", "t/(1 USD) - 3 <= -4", None)]  # fmt: skip


@pytest.mark.parametrize(("stated", "where", "value"), OWN)
def test_what_is_counted_or_lasts_is_not_searched_below_0(
    stated: str, where: str, value: int | None
) -> None:
    kind = with_numbers(FORMULA, [where], {"t": [stated]})
    kind, left, named = with_own(kind, {}, ["made = 2*t"], where=[where])
    assert find(kind, "t", named["where"], left).answer.value == value
