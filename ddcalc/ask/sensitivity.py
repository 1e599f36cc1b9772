"""Sensitivity: how far the answer of a question goes when each given alone is moved by a share of
itself. All of it is the exact difference of two answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.solve import Derivation, Result, solve
from ddcalc.errors import UNANSWERED, BadValue
from ddcalc.formula.expression import Expr, Number, Sym, letter
from ddcalc.numbers.amounts import amount_text, fitting, signed
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.said.sentences import series
from ddcalc.problem.said.steps import Cells, Report, Table
from ddcalc.problem.stated import Stated, Texts
from ddcalc.schedule.watching import tell

TEN_PER_CENT = Fraction(1, 10)
MOST = 24  # members of a list up to which each is a lever; those of longer ones stay
SHOWN = 12  # givens in the table
NAMED = 3  # of levers that move the answer alike, where there are more


@dataclass(frozen=True, slots=True)
class Lever:
    """A *given*, or a member of a list (its *name* has the place: ``finish[2]``), as *stated*."""

    given: Given
    name: str
    symbol: str
    stated: Measured

    def amount(self, value: Number) -> str:
        """A *value* of it as a text."""
        return amount_text(value, self.stated.unit)


@dataclass(frozen=True, slots=True)
class Swing:
    """The answers *below* and *above* with the lever at *low* and *high*; None: not admitted."""

    lever: Lever
    low: Number
    high: Number
    below: Number | None
    above: Number | None

    def span(self, answer: Number) -> Number:
        """From the least to the largest answer, with the stated one among them."""
        known = [end for end in (self.below, answer, self.above) if end is not None]
        return max(known) - min(known)


@dataclass(frozen=True)
class Sensitivity:
    """What moves the answer of the question *solved*, its *value*: what the share *by* of each
    given does, the widest swing first and without those that do nothing."""

    solved: Derivation
    value: Number
    by: Fraction
    swings: tuple[Swing, ...]

    @property
    def result(self) -> Result:
        """The answer."""
        return self.solved.answer

    @property
    def unit(self) -> Unit:
        """The unit in which answers are shown: GB for very many bytes."""
        return fitting(self.value, self.result.unit)


def sensitivity(
    problem: type[Problem], texts: Texts, by: Fraction = TEN_PER_CENT, wanted: Sequence[str] = ()
) -> Sensitivity:
    """The sensitivity of *problem* for *texts*: of its answer, or of the quantity *wanted*.

    Raises DdcalcError (Several, where more than one thing is wrong; BadValue where the answer is no
    number).
    """
    solved = solve(problem, texts, wanted)
    if wanted and solved.answer.name not in solved.stated.shape.wanted:
        raise BadValue(wanted[0], "is no result that is one number").about("quantity")
    value = solved.answer.value
    if value is None or isinstance(value, Expr):
        free = [given.name for given in solved.problem.givens.values() if given.free]
        left = [name for name in free if name not in solved.stated.measured]
        reason = "has no value here" if value is None else "is a formula here"
        reason += f"; state {' and '.join(left)}" if left and value is not None else ""
        raise BadValue(solved.answer.name, f"{reason}; sensitivity needs a number")
    swings = [_swing(solved, lever, by) for lever in _levers(solved.stated) if lever.stated.value]
    spans = [(swing.span(plain(value)), swing) for swing in swings]
    spans.sort(key=lambda pair: pair[0], reverse=True)
    return Sensitivity(solved, plain(value), by, tuple(swing for span, swing in spans if span))


def _levers(stated: Stated) -> Iterator[Lever]:
    """Every number that can be moved, in the order of declaration."""
    short = ((name, every) for name, every in stated.measured.items() if len(every) <= MOST)
    for name, measured in short:
        given = stated.problem.givens[name]
        letters = given.lettered(len(measured))
        for i, (symbol, member) in enumerate(zip(letters, measured, strict=True), 1):
            key = f"{name}[{i}]" if name in stated.lists else name
            yield Lever(given, key, symbol, member)


def _swing(solved: Derivation, lever: Lever, by: Fraction) -> Swing:
    """How far *lever* swings the answer, moved by the share *by* of itself; counts are moved to the
    nearest whole number, by one at least."""
    value = lever.stated.value
    step: Number = plain(value * by)
    if lever.given.whole:
        step = max(1, (2 * step.numerator + step.denominator) // (2 * step.denominator))
    low, high = (plain(value + change) for change in (-step, step))
    return Swing(lever, low, high, _at(solved, lever, low), _at(solved, lever, high))


def _at(solved: Derivation, lever: Lever, value: Number) -> Number | None:
    """The answer with *lever* at *value*; None where that is not admitted."""
    tell("question")
    try:
        answer = Derivation(with_moved(solved.stated, {lever.name: value})).answer
    except UNANSWERED:
        return None
    if answer.name != solved.answer.name or not isinstance(answer.value, Number):
        return None
    return plain(answer.value)


# The page


def report(moves: Sensitivity) -> Report:
    """What *moves* the answer."""
    name = moves.solved.problem.quantities[moves.result.name].called
    title = f"What moves {letter(moves.result.symbol)}: {name}"
    if not moves.swings:
        return Report(title, (), summary(moves))
    why = "each given alone, the widest swing first; counts by whole numbers"
    header = ("", "", "less", "changes by", "more", "changes by")
    rows = tuple(_row(moves, swing) for swing in moves.swings[:SHOWN])
    share = f"{amount_text(moves.by * 100, None)} %"
    table = Table(f"For {share} less and {share} more", why, header, rows)
    return Report(title, (table,), summary(moves))


def _row(moves: Sensitivity, swing: Swing) -> Cells:
    """What a given is made, and by how much the answer then changes, on both sides."""
    lever = swing.lever
    ends = ((swing.low, swing.below), (swing.high, swing.above))
    sides = ((lever.amount(at), _changed(moves, end)) for at, end in ends)
    named = lever.name.replace("_", " ")
    return Sym(lever.symbol), named, *(cell for side in sides for cell in side)


def _changed(moves: Sensitivity, end: Number | None) -> str:
    return "no answer" if end is None else signed(end - moves.value, moves.unit)


def summary(moves: Sensitivity) -> str:
    """The answer, and what moves it most, in one line."""
    said = equal(letter(moves.result.symbol), amount_text(moves.value, moves.unit))
    if not moves.swings:
        return said
    first = moves.swings[0]
    alike = [x.lever for x in moves.swings if (x.below, x.above) == (first.below, first.above)]
    symbols = [letter(lever.symbol) for lever in alike]
    if len(symbols) > NAMED:
        symbols = [*symbols[:NAMED], f"{len(symbols) - NAMED} others"]
    both = ((first.low, first.below), (first.high, first.above))
    ends = [(at, _changed(moves, end)) for at, end in both if end is not None]
    changes = [f"{end}{f' at {first.lever.amount(at)}' * (len(alike) == 1)}" for at, end in ends]
    return f"{said}; {series(symbols, 'or')} moves it most, by {' and '.join(changes)}"
