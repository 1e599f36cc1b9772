"""Sweeps: what varies, blocks, optimum against brute force, what has no value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from exam import EXAM
from questions import Kind, Texts
from random_sweeps import by_itself

from ddcalc.ask.sweep.axes import Numeric, axis, written
from ddcalc.ask.sweep.best import Goal, Sweep
from ddcalc.ask.sweep.grid import SweepQuestion, question
from ddcalc.formula.expression import Number
from ddcalc.problem.catalog import problem_named

EPOCH_TIME = problem_named("epoch-time")
BREAKEVEN = problem_named("breakeven")


def without(texts: Texts, *names: str) -> Texts:
    return {name: text for name, text in texts.items() if name not in names}


def sweep_of(
    problem: Kind, texts: Texts, *vary: str, shown: Sequence[str] = (), sought: Sequence[str] = ()
) -> SweepQuestion:
    pairs = [written(text) for text in vary]
    stated = without(texts, *(name.replace("-", "_") for name, _ in pairs))
    return question(problem, stated, pairs, shown, sought)


def finished(sweep: Sweep) -> Sweep:
    """The *sweep* with all points worked out."""
    for _ in sweep.blocks():
        pass
    return sweep


# What varies


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("workers", "1..10:4", [1, 5, 9]),
        ("workers", "1..3, 8,16..32:8", [1, 2, 3, 8, 16, 24, 32]),
        ("workers", "1..100:x4", [1, 4, 16, 64]),
        ("compute", "1s..3s:0.5s", [1, Fraction(3, 2), 2, Fraction(5, 2), 3]),
        ("compute", "1/3s..1s:1/3s", [Fraction(1, 3), Fraction(2, 3), 1]),
        ("compute", "1s..4s:x3/2", [1, Fraction(3, 2), Fraction(9, 4), Fraction(27, 8)]),
        ("price", "1USD/h..2USD/h:1USD/h", [Fraction(1, 3600), Fraction(1, 1800)]),
    ],
)
def test_values(name: str, text: str, values: list[Number]) -> None:
    made = axis(EPOCH_TIME, name, text)
    assert isinstance(made, Numeric)
    assert [made.numbers[i] for i in range(made.size)] == values


@pytest.mark.parametrize("most", [1, 5, 1000])
def test_every_point_comes_once_in_order(most: int) -> None:
    vary = ["workers=1..4", "last_round=pad,drop", "price=0USD/h..2USD/h:1USD/h"]
    asking = sweep_of(EPOCH_TIME, EXAM, *vary)
    sweep = Sweep(asking, [])
    sweep.points.most = most
    numbers = [number for results in sweep.blocks() for number in results.numbers]
    assert numbers == [*range(24)]
    assert [*map(asking.place, numbers)] == [*product(range(4), range(2), range(3))]


# The best


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_brute_force(seed: int) -> None:
    random = Random(seed)
    vary = [
        f"workers=1..{random.randrange(2, 12)}",
        f"batch=1..{random.randrange(60000, 90000)}:{random.randrange(9000, 20000)}",
        "price=0USD/h..3USD/h:0.7USD/h",
        "last_round=pad,drop",
    ]
    random.shuffle(vary)
    texts = EXAM | {"aggregate": random.choice(["0", "15ms", "1/3 s"])}
    asking = sweep_of(EPOCH_TIME, texts, *vary, shown=["total", "cost"])
    sought = (Goal("total", random.random() < 0.5), Goal("cost", random.random() < 0.5))
    sweep = Sweep(asking, sought)
    sweep.points.most = random.choice([3, 50, 10_000])
    finished(sweep)
    points = [(i, by_itself(asking, i)) for i in range(asking.size)]
    rows = [
        (*(goal.sign * Fraction(values[goal.name]) for goal in sought), i)  # type: ignore[arg-type]
        for i, values in points
        if values
    ]
    for k, found in enumerate(sweep.found):
        for best, least in zip(found, sorted({row[k] for row in rows})[:2], strict=True):
            numbers = [row[2] for row in rows if row[k] == least]
            assert best.value * sought[k].sign == least
            assert (best.number, best.points) == (min(numbers), len(numbers))


@pytest.mark.parametrize(("name", "value"), [("balance", 3), ("workers", 4)])
def test_ties_of_quotients_are_exact(name: str, value: int) -> None:
    """Floats of m_eq = 1/t_agg cannot tell 1/3 + tiny from 1/3; exact numbers can, and what is
    rounded of them, too."""
    texts = {"download": "0", "upload": "0", "compute": "1 s"}
    tiny = Fraction(1, 10**17)
    specs = ",".join(f"{Fraction(1, 3) + k * tiny} s" for k in (2, 0, 1, 0))
    asking = sweep_of(BREAKEVEN, texts, f"aggregate={specs}", shown=[name])
    best = finished(Sweep(asking, [Goal(name, False)])).optima[0]
    assert best is not None
    assert (best.value, best.number, best.points) == (value, 1, 2)
