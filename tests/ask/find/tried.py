"""A witness for searches: every number is put into the compiled equations, and compared by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ddcalc.ask.find import InverseQuestion, inverse_question
from ddcalc.ask.find.branching import SearchModel, model
from ddcalc.ask.find.number_line import Piece
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.expression import Number
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts, restated

NEAR = Fraction(1, 10**12)


def holds(question: InverseQuestion, x: Number) -> bool | None:
    """Whether all relations hold where the unknown is *x*; None where a number
    is rounded, or too large, to tell."""
    stated = question.stated
    made = plan(stated.problem, stated.shape)
    try:
        put_in = restated(stated, {question.unknown.name: x})
        values = made.values(put_in, put_in.numbers())
    except (BadValue, NoAnswer) as error:
        out_of_reach = "of more than" in str(error) or "to be sure of" in str(error)
        return None if out_of_reach else False
    for relation in question.relations:
        if relation.name in values:
            value = values[relation.name]
        else:
            measured = put_in.measured[relation.name]
            assert not isinstance(measured, tuple)
            value = measured.value
        if value is None:
            return False
        assert isinstance(value, int | Fraction)
        difference = Fraction(value) - relation.bound.value
        if isinstance(value, Approximate) and abs(difference) <= abs(Fraction(value)) * NEAR:
            return None
        if not _agrees(relation.op, difference):
            return False
    return True


def _agrees(op: str, difference: Fraction) -> bool:
    if difference == 0:
        return op in ("<=", "==", ">=")
    return op in ("<", "<=") if difference < 0 else op in (">", ">=")


def inside(pieces: Sequence[Piece], x: Number) -> bool:
    """Whether *x* is in one of *pieces*, by its ends alone."""
    return any(_above(piece, x) and _below(piece, x) for piece in pieces)


def _above(piece: Piece, x: Number) -> bool:
    if piece.low is None or isinstance(piece.low, Root):
        return piece.low is None or piece.low < x
    return x > piece.low or (x == piece.low and piece.low_in)


def _below(piece: Piece, x: Number) -> bool:
    if piece.high is None or isinstance(piece.high, Root):
        return piece.high is None or piece.high > x
    return x < piece.high or (x == piece.high and piece.high_in)


def tried(pieces: Sequence[Piece], whole: bool) -> Iterator[Number]:
    """Every end of *pieces* and its nearest neighbours."""
    for piece in pieces:
        for end in (piece.low, piece.high):
            if end is not None:
                yield from _around(end, whole)


def _around(end: Edge, whole: bool) -> Iterator[Number]:
    if isinstance(end, Root):
        while end.high - end.low > NEAR:
            end.refine()
        yield from (end.low, end.high)
    else:
        step = 1 if whole else NEAR
        yield from (end - step, end, end + step)


def question(problem: type[Problem], unknown: str, where: str, texts: Texts) -> InverseQuestion:
    """*texts* without the unknown, which is to be found."""
    others = {name: text for name, text in texts.items() if name != unknown}
    return inverse_question(problem, unknown, [where], others)


def searched(question: InverseQuestion) -> SearchModel:
    """What is searched for *question*."""
    return model(question, plan(question.stated.problem, question.stated.shape))
