"""Sweeps: what varies, blocks, optimum and front against brute force, what has no value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from questions import Kind, Texts
from random_sweeps import by_itself

from ddcalc.ask.sweep.account import notes, report
from ddcalc.ask.sweep.axes import Named, Numeric, axis, written
from ddcalc.ask.sweep.best import FRONT, Goal, Sweep, goals
from ddcalc.ask.sweep.grid import SweepQuestion, blocks, place, question
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.formula.expression import Number
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import State, Table

EPOCH_TIME = problem_named("epoch-time")
BREAKEVEN = problem_named("breakeven")
EXAM: Texts = {
    "samples": "76800", "batch": "1536", "epochs": "10", "workers": "6",
    "download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip


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
        ("workers", "2^4..2*10", [16, 17, 18, 19, 20]),
        ("compute", "1s..3s:0.5s", [1, Fraction(3, 2), 2, Fraction(5, 2), 3]),
        ("compute", "1s,500ms", [1, Fraction(1, 2)]),
        ("compute", "1/3s..1s:1/3s", [Fraction(1, 3), Fraction(2, 3), 1]),
        ("compute", "1s..4s:x3/2", [1, Fraction(3, 2), Fraction(9, 4), Fraction(27, 8)]),
        ("price", "1USD/h..2USD/h:1USD/h", [Fraction(1, 3600), Fraction(1, 1800)]),
    ],
)
def test_values(name: str, text: str, values: list[Number]) -> None:
    made = axis(EPOCH_TIME, name, text)
    assert isinstance(made, Numeric)
    assert [made.numbers[i] for i in range(made.size)] == values


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("workers", "5..1", "ends before it begins"),
        ("workers", "1..", "not written as FIRST..LAST"),
        ("workers", "1..5:-1", "leads nowhere"),
        ("workers", "1..5:x1", "factor above 1"),
        ("workers", "0..5:x2", "beginning above 0"),
        ("workers", "1,,2", "is empty"),
        ("workers", "1 s..5 s", "has letters|count"),
        ("compute", "1s..5s", "needs a step, for example 1s..5s:1s"),
        ("compute", "1,5s", "'1' has no unit"),
        ("compute", "1..1.1:x1.0000001", "more than 400 bits|100000 values"),
        ("price", "1..5:1", "needs a unit"),
        ("workers", "-3..0", "too small"),
        ("workers", "0..2", "'0' is too small"),
        ("workers", "1..2:0.5", "'1.5' is not a whole number"),
        ("queue", "carry,nonsense", "unknown choice"),
        ("nonsense", "1..2", "unknown parameter"),
        ("total", "1..2", "unknown parameter"),
    ],
)
def test_what_cannot_vary(name: str, text: str, reason: str) -> None:
    with pytest.raises(DdcalcError, match=reason) as caught:
        axis(EPOCH_TIME, name, text)
    unknown = name in ("nonsense", "total")
    assert caught.value.parameter == ("vary" if unknown else f"vary {name}")


def test_values_in_python_and_by_name() -> None:
    made = axis(EPOCH_TIME, "workers", range(2, 9, 3))
    assert isinstance(made, Numeric)
    assert [made.numbers[i] for i in range(made.size)] == [2, 5, 8]
    for values in (range(0), range(5, 1, -1)):
        with pytest.raises(DdcalcError):
            axis(EPOCH_TIME, "workers", values)
    for slug, name, text, texts in (
        ("federated", "batch", "1,2,all", ("1", "2", "all")),
        ("epoch-time", "queue", "per-epoch,carry", ("per_epoch", "carry")),
    ):
        by_name = axis(problem_named(slug), name, text)
        assert isinstance(by_name, Named)
        assert by_name.texts == texts
    with pytest.raises(BadValue, match="takes a list"):
        axis(problem_named("sync-step"), "finish", "1s..2s:1s")


@pytest.mark.parametrize("most", [1, 5, 12, 1000])
@pytest.mark.parametrize("shape", [(1, 1), (4, 3, 2), (24, 1), (7,)])
def test_blocks_hold_every_point_once(shape: tuple[int, ...], most: int) -> None:
    seen = []
    for block in blocks(shape, most):
        assert block.start == len(seen)
        assert 0 < block.size <= most
        seen += [block.place(local) for local in range(block.size)]
    assert seen == [place(i, shape) for i in range(len(seen))] == [*product(*map(range, shape))]


# The best


@pytest.mark.parametrize("seed", range(5))
def test_optimum_and_front_are_those_of_brute_force(seed: int) -> None:
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
    for k, best in enumerate(sweep.optima):
        least = min(row[k] for row in rows)
        numbers = [row[2] for row in rows if row[k] == least]
        assert best is not None
        assert best.value * sought[k].sign == least
        assert (best.number, best.points) == (min(numbers), len(numbers))
    assert sweep.front is not None
    front = {
        (one.values[0] * sought[0].sign, one.values[1] * sought[1].sign): one.number
        for one in sweep.front
    }
    pairs = {row[:2] for row in rows}
    assert {*front} == {p for p in pairs if not any(_beats(q, p) for q in pairs)}
    for pair, number in front.items():
        assert number == min(row[2] for row in rows if row[:2] == pair)


def _beats(q: tuple[object, ...], p: tuple[object, ...]) -> bool:
    return q != p and q[0] <= p[0] and q[1] <= p[1]  # type: ignore[operator]


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


def test_a_front_that_is_too_long_is_not_told() -> None:
    """The longer the computation, the larger both: where one is better, the other is worse."""
    vary = f"compute=1ms..{FRONT + 5}ms:1ms"
    asking = sweep_of(EPOCH_TIME, EXAM, vary, shown=["total", "full_round"])
    sweep = finished(Sweep(asking, [Goal("total", False), Goal("full_round", True)]))
    assert sweep.front is None
    assert ("Pareto front", "too many points to show; vary less") in report(sweep).remarks
    assert sweep.optima[0] is not None


@pytest.mark.parametrize(
    ("least", "largest", "names"),
    [
        ([], [], [("total", True)]),
        (["cost"], [], [("cost", True)]),
        ([], ["full-rounds"], [("full_rounds", False)]),
        (["total", "cost"], [], [("total", True), ("cost", True)]),
        (["cost"], ["total"], [("cost", True), ("total", False)]),
    ],
)
def test_goals(least: list[str], largest: list[str], names: list[tuple[str, bool]]) -> None:
    asking = sweep_of(
        EPOCH_TIME, EXAM | {"price": "1 USD/h"}, "workers=1..3", sought=[*least, *largest]
    )
    assert [(goal.name, goal.smallest) for goal in goals(asking, least, largest)] == names


# What has no value


def test_reasons_are_counted_and_told() -> None:
    asking = sweep_of(EPOCH_TIME, EXAM, "workers=1..3", "batch=1536,100k")
    [note] = notes(finished(Sweep(asking, [])))
    assert (note.points, note.at) == (3, "workers = 1, batch = 100 000")
    assert note.says == "'100 000' is a batch larger than the data (76 800 samples)"


def test_a_reading_that_makes_no_question() -> None:
    problem = problem_named("timeline")
    texts = {"periods": ["1 s", "2 s"], "horizon": "6 s"}
    asking = sweep_of(problem, texts, "scheme=sync,ssp,async", shown=["gradients"])
    sweep = finished(Sweep(asking, []))
    [note] = notes(sweep)
    assert (note.points, note.at) == (1, "scheme = ssp")
    assert "staleness" in note.says


@pytest.mark.parametrize(
    ("vary", "shown", "reason"),
    [
        (["workers=1..3", "workers=4"], [], "more than once"),
        ([], [], "missing: vary"),
        (["workers=1..3"], ["nonsense"], "unknown quantity"),
        (["workers=1..3"], ["cost"], "does not follow"),
        (["workers=1..3"], ["batch"], "unknown quantity"),
    ],
)
def test_what_is_refused(vary: list[str], shown: list[str], reason: str) -> None:
    with pytest.raises(DdcalcError, match=reason):
        Sweep(sweep_of(EPOCH_TIME, EXAM, *vary, shown=shown), [])


def test_lists_are_not_told() -> None:
    texts: Texts = {"finish": ["1 s", "2 s"], "aggregate": "1 s"}
    with pytest.raises(BadValue, match="is a list"):
        sweep_of(problem_named("sync-step"), texts, "update=1s,2s", shown=["idle"])


def test_the_size_of_blocks_changes_nothing() -> None:
    """The best, the front, and why points have no value."""
    vary = ["workers=1..60", "batch=76770..76830", "queue=carry,per-epoch"]
    asking = sweep_of(EPOCH_TIME, {**EXAM, "price": "2 USD/h"}, *vary, shown=["total", "cost"])
    sought = [Goal("total", True), Goal("cost", True)]
    whole, small = (Sweep(asking, sought) for _ in range(2))
    small.points.most = 100
    finished(whole), finished(small)
    assert (whole.optima, whole.front) == (small.optima, small.front)
    assert whole.points.counts == small.points.counts
    assert whole.points.first == small.points.first


def test_the_account() -> None:
    asking = sweep_of(EPOCH_TIME, EXAM, "workers=1..128", "batch=256,512,1024")
    sweep = finished(Sweep(asking, goals(asking, [], [])))
    made = report(sweep)
    assert [type(step) for step in made.steps].count(State) == 8
    assert made.answer == "smallest total = 53.25 s at workers = 125, batch = 1 024"
    assert getattr(made.steps[-1], "name", "") == "total"  # of the best point
    assert made.mechanism == "Worked out at workers = 125, batch = 1 024:"
    table = made.results[-1]
    assert isinstance(table, Table)
    assert table.header == ("workers", "batch", "total", "")
    assert ("125", "1 024", "53.25 s", "smallest total") in table.rows
    everything = report(sweep, everything=True).results[-1]
    assert isinstance(everything, Table)
    assert len(everything.rows) == 384
