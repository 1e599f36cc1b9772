"""What a schedule's explanation shows, as data: pictures, tables and what is left out."""

from ddcalc.formula.expression import Add, Fun, Mul, Neg, Num, Sym
from ddcalc.problem.steps import Timeline
from ddcalc.types.schedules._lanes import DRAWN, ROWS
from ddcalc.types.schedules.divergence import Divergence
from ddcalc.types.schedules.divergence.account import (
    GAP,
    Proof,
    Schedules,
    gradient,
    reads,
    written_out,
)
from ddcalc.types.schedules.divergence.model import DELTA, ETA, Sizes
from ddcalc.types.schedules.divergence.question import Comparison

OPEN = Sizes(ETA, DELTA, None)


def _timeline(question: Comparison) -> Timeline:
    return Schedules(question, question.runs()).timeline()


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
        assert len(bound.value.args) == 9
        assert bound.value.args[7] == Neg(GAP)
        ending = bound.value.args[8]
        assert isinstance(ending, Neg)
        assert isinstance(ending.arg, Mul)
        assert ending.arg.args[1].parts()[0] == Num(last)
    assert len(reads(runs).rows) == 8


def test_proof_with_a_single_gradient_left() -> None:
    runs = Comparison([2], 2, 5, equal_counts=False).runs()
    links = Proof(runs, OPEN).bound(Divergence.bound).links
    left = ETA * gradient(2, Sym("x_1"))
    assert links[0].expr == Fun("norm", (left,))
    assert links[1].op == "="
    assert links[1].reason == "η is positive"
    assert links[-1].expr == ETA * DELTA
