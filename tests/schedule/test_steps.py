"""What a schedule's explanation shows, as data: pictures, tables and what is left out."""

from fractions import Fraction

from ddcalc.formula.expression import Add, Fun, Mul, Neg, Num, Sym
from ddcalc.problem.play import outline
from ddcalc.problem.steps import Link, Timeline
from ddcalc.types.schedules._lanes import DRAWN, ROWS
from ddcalc.types.schedules.divergence import Divergence
from ddcalc.types.schedules.divergence.account import (
    GAP,
    Proof,
    Schedules,
    cost_table,
    gradient,
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
