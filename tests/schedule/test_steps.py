"""What a schedule's explanation shows, as data: pictures, tables and what is left out."""

from fractions import Fraction

import pytest

from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Num, Rel, Sym
from ddcalc.problem.cells import outline
from ddcalc.problem.steps import Link, Timeline
from ddcalc.types.schedules._lanes import DRAWN, ROWS
from ddcalc.types.schedules.divergence import Divergence
from ddcalc.types.schedules.divergence.account import (
    GAP,
    Proof,
    Schedules,
    cost_table,
    gradient,
    points,
    reads,
    written_out,
)
from ddcalc.types.schedules.divergence.model import DELTA, ETA, Sizes
from ddcalc.types.schedules.divergence.question import Comparison

OPEN = Sizes(ETA, DELTA, None)


def _timeline(question: Comparison) -> Timeline:
    return Schedules(question, question.runs()).timeline()


def test_outlines_keep_the_last() -> None:
    assert outline(1, 9) == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert outline(1, 10) == [1, 2, 3, 4, 5, 6, 7, 8, None, 10]
    assert outline(1, 0) == []


def test_a_small_timeline_is_whole() -> None:
    timeline = _timeline(Comparison([0, 1], 2, 5, equal_counts=False))
    assert timeline.shown == 0
    assert timeline.horizon == 5
    assert [lane.label for lane in timeline.lanes] == ["core 1", "core 2", "alone"]
    assert [(bar.start, bar.end, bar.done) for bar in timeline.lanes[0].bars] == [
        (0, 2, True),
        (2, 4, True),
        (4, 6, False),
    ]
    assert [bar.label for bar in timeline.lanes[1].bars] == [
        gradient(2, Sym("x_0")),
        gradient(4, Sym("y_2")),
    ]


def test_a_large_timeline_says_what_it_leaves_out() -> None:
    timeline = _timeline(Comparison([20 - i for i in range(20)], 2, 30, equal_counts=False))
    assert [lane.label for lane in timeline.lanes[:-1]] == [f"core {i}" for i in range(10, 21)]
    assert len(timeline.lanes) == ROWS
    assert sum(len(lane.bars) for lane in timeline.lanes) == DRAWN
    played = sum((30 - start) // 2 + (start % 2) for start in range(1, 21)) + 15
    assert timeline.shown == played - DRAWN
    assert timeline.why.endswith(f"{timeline.shown} more are not drawn here")


@pytest.mark.parametrize(
    ("question", "stop"),
    [
        (Comparison([0], 2, 5, equal_counts=False), "ends exactly at the horizon of 5 s counts"),
        (Comparison([0], 2, 5, equal_counts=True), "only 2 updates of each run count, as many as"),
        (Comparison([3], 2, 5, equal_counts=True), "needs until 7 s for them, longer than"),
        (
            Comparison([3], 2, 5, equal_counts=True, count=1),
            "only 1 update of each run counts, as asked",
        ),
    ],
)
def test_the_reason_says_where_the_runs_stop(question: Comparison, stop: str) -> None:
    assert stop in _timeline(question).why


def test_late_cores_are_counted_out() -> None:
    question = Comparison([0, 9], 2, 5, equal_counts=False)
    formula, numbers, why = Schedules(question, question.runs()).asynchronous()
    assert formula == Fun("floor", (((Sym("H") - Sym("s_1")) / Sym("u")),))
    assert numbers == {"H": 5, "u": 2, "s_1": 0}
    assert why.endswith("1 core would start after it")


def test_long_runs_are_written_with_a_gap() -> None:
    runs = Comparison([0, 0], 1, 20, equal_counts=False).runs()
    asynchronous, sequential = written_out(runs)
    for bound, last in ((asynchronous, 40), (sequential, 20)):
        assert isinstance(bound.value, Add)
        assert len(bound.value.args) == 11
        assert bound.value.args[9] == Neg(GAP)
        ending = bound.value.args[10]
        assert isinstance(ending, Neg)
        assert isinstance(ending.arg, Mul)
        assert ending.arg.args[1].parts()[0] == Num(last)
    assert len(reads(runs).rows) == 10


def test_points_are_told_one_step_at_a_time() -> None:
    table = points(Comparison([0, 0], 1, 2, equal_counts=False).runs())
    assert table is not None
    x_0, x_1 = Sym("x_0"), Sym("x_1")
    first, second = gradient(1, x_0), gradient(2, x_0)
    assert table.rows == (
        (x_1, Add((x_0, Neg(ETA * first)))),
        (Sym("y_2"), Add((x_1, Neg(ETA * second)))),
    )
    assert points(Comparison([0], 1, 1, equal_counts=False).runs()) is None


def test_proof_with_one_run_idle() -> None:
    runs = Comparison([9], 2, 5, equal_counts=False).runs()
    links = Proof(runs, OPEN).bound(Divergence.bound).links
    assert [link.op for link in links] == ["=", "≤", "≤", "=", "="]
    assert links[0].reason == "one run has done nothing, so nothing cancels"
    assert links[2] == Link("≤", ETA * Add((DELTA, DELTA)), "every gradient is at most Δ")


def test_proof_with_a_single_gradient_left() -> None:
    runs = Comparison([2], 2, 5, equal_counts=False).runs()
    links = Proof(runs, OPEN).bound(Divergence.bound).links
    left = ETA * gradient(2, Sym("x_1"))
    assert links[0].expr == Fun("norm", (left,))
    assert links[1].op == "="
    assert links[1].reason == "η is positive"
    assert links[-1].expr == ETA * DELTA


def test_proof_of_equal_runs() -> None:
    runs = Comparison([1], 2, 5, equal_counts=True).runs()
    bound = Proof(runs, Sizes(Fraction(1, 2), DELTA, 3)).bound(Divergence.bound)
    reason = "every gradient is in both runs and cancels"
    assert bound.links == (Link("=", Num(0), reason),)
    assert bound.value == 0


def test_costs_say_which_limit_binds() -> None:
    runs = Comparison([0, 0, 0], 1, 4, equal_counts=True).runs()
    table = cost_table(runs, Sizes(1, DELTA, 1))
    assert table is not None
    x = [Sym(f"x_{i}") for i in range(4)]
    assert table.rows == (
        (Num(2), x[0], x[1], Num(1), Num(1), "Lipschitz", Num(1)),
        (Num(3), x[0], x[2], Num(2), Num(2), "both alike", Num(2)),
        (Num(4), Sym("y_3"), x[3], Num(3), Num(3), "2Δ", Num(2)),
    )
    assert cost_table(runs, OPEN) is None


def _cost(data: int, limit: Expr) -> Rel:
    return Rel("==", Sym(f"p_{data}"), Fun("min", (Num(2), limit)))


def test_costs_with_an_open_step_size_have_names() -> None:
    runs = Comparison([0, 0], 1, 3, equal_counts=True).runs()
    table = cost_table(runs, Sizes(ETA, DELTA, 2))
    assert table is not None
    assert [row[3:] for row in table.rows] == [
        (Num(1), Num(2) * ETA, "Lipschitz up to η = 1", _cost(2, Num(2) * ETA)),
        (
            Sym("p_2"),
            Num(2) * ETA * Sym("p_2"),
            "depends on η",
            _cost(3, Num(2) * ETA * Sym("p_2")),
        ),
    ]
