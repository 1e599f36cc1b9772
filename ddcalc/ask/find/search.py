"""All values of the unknown for which everything holds: branch and bound, so proved.

A piece of the number line is decided where interval arithmetic shows that the goals hold, or fail,
everywhere in it; else where all formulas are quotients of polynomials in it; else it is split at
the places where that changes. Nothing is assumed about what grows with what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction
from time import process_time

from ddcalc.ask.find.answer import Sought
from ddcalc.ask.find.model import Model
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.quotients import NoQuotient, Quotients, Undecided, Undefined
from ddcalc.ask.find.relation import holds
from ddcalc.errors import BadValue
from ddcalc.formula.algebraic import Edge, Root, floor_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number, Rel, Sym
from ddcalc.formula.intervals import Bounds, enclosed, truth
from ddcalc.numbers.approximate import OutOfReach

MOST = 10_000  # pieces that are looked at; one with an irrational end counts as IRRATIONAL
IRRATIONAL = 20
MOST_FOUND = 1_000  # pieces that are found, before neighbours are put together
MOST_TIMES = 200  # that a piece without end is gone on with; each time it is about half as long
SECONDS = 10  # that a search takes at most, where single pieces take long
_UNSOLVED = "is not found here: SymPy does not solve these formulas for it; try values with sweep"


def search(model: Model, most: int = MOST, seconds: float = SECONDS) -> Sought:
    """All solutions of *model*; what is left open after *most* pieces, or *seconds*, is told.

    Raises BadValue where the unknown is no whole number and the formulas are not solved for it.
    """
    return _Search(model, seconds).run(most)


class _Search:
    def __init__(self, model: Model, seconds: float) -> None:
        self.model = model
        self.rules = {line.letter: line.formula for line in model.lines}
        self.waiting = [model.domain]  # the next one last
        self.endless: deque[Piece] = deque()  # pieces that may be split for ever: after the others
        self.found: list[Piece] = []
        self.left: list[Piece] = []  # points whose numbers are out of reach
        self.examined = 0
        self.effort = 0
        self.times = 0
        self.end = process_time() + seconds

    def run(self, most: int) -> Sought:
        while self.waiting or self.endless:
            if self._is_enough(most):
                break
            self.times += not self.waiting
            piece = self.waiting.pop() if self.waiting else self.endless.popleft()
            self.examined += 1
            ends = isinstance(piece.low, Root) + isinstance(piece.high, Root)
            self.effort += IRRATIONAL * ends or 1
            holds = self._decided(piece)
            if holds:
                self.found.append(piece)
        left = merged([*self.left, *self.waiting, *self.endless])
        return Sought(merged(self.found), self.examined, left)

    def _is_enough(self, most: int) -> bool:
        return (
            self.effort >= most
            or len(self.found) >= MOST_FOUND
            or self.times >= MOST_TIMES
            or process_time() > self.end
        )

    def _decided(self, piece: Piece) -> bool:
        """Whether everything holds in *piece*; False too where it had to be split."""
        if piece.is_point and not isinstance(piece.low, Root):
            assert piece.low is not None
            try:
                return self._holds_at(piece.low)
            except OutOfReach:
                self.left.append(piece)
                return False
        known = self._bounds(piece)
        verdict = self._bounded(known)
        if verdict is None:
            try:
                return self._exactly(piece, known)
            except Undecided as undecided:
                self._split(piece, undecided.at, undecided.endless)
            except Undefined:
                return False
            except NoQuotient:
                self._halve(piece)
        return bool(verdict)

    def _holds_at(self, x: Number) -> bool:
        """Whether everything holds at *x*, by plain evaluation."""
        known: dict[str, Number | None] = {self.model.letter: x}
        try:
            if not all(evaluate(condition, known) for condition in self.model.conditions):
                return False
            for line in self.model.lines:
                known[line.letter] = evaluate(line.formula, known)
            return all(self._surely(goal, known) for goal in self.model.goals)
        except OutOfReach:
            raise
        except ArithmeticError:
            return False

    @staticmethod
    def _surely(goal: Rel, known: Mapping[str, Number | None]) -> bool:
        left, right = (evaluate(side, known) for side in goal.parts())
        return holds(goal.op, left, right)

    def _bounds(self, piece: Piece) -> dict[str, Bounds]:
        known = {self.model.letter: piece.bounds()}
        for line in self.model.lines:
            known[line.letter] = enclosed(line.formula, known)
        return known

    def _bounded(self, known: Mapping[str, Bounds]) -> bool | None:
        """Whether everything holds within bounds, as far as they can tell."""
        verdicts = [truth(each, known) for each in (*self.model.conditions, *self.model.goals)]
        if not all(may for _, may in verdicts):
            return False
        defined = not any(bounds.fails for bounds in known.values())
        return True if defined and all(sure for sure, _ in verdicts) else None

    def _exactly(self, piece: Piece, known: Mapping[str, Bounds]) -> bool:
        """Whether everything holds in *piece*, where all that matters is a quotient in it."""
        quotients = Quotients(piece, self.model.letter, self.rules)
        if not all(quotients.holds(condition) for condition in self.model.conditions):
            return False
        for letter, bounds in known.items():
            if bounds.fails:
                quotients.check(Sym(letter))
        return all(quotients.holds(goal) for goal in self.model.goals)

    def _split(self, piece: Piece, at: Sequence[Edge], endless: int) -> None:
        """Put the parts of *piece* in the queue, the lowest first."""
        parts = list(piece.split(at))
        if endless:
            self.endless.append(parts.pop(0 if endless < 0 else -1))
        self.waiting += reversed(parts)

    def _halve(self, piece: Piece) -> None:
        """Split a piece of whole numbers in the middle, or at twice its end where it has one."""
        if not piece.whole:
            raise BadValue(self.model.name, _UNSOLVED).about("find")
        low, high = piece.low, piece.high
        if high is None:
            middle = 1 if low is None or low < 1 else 2 * floor_of(low)
        elif low is None:
            middle = 2 * floor_of(high) - 1 if high < 1 else -1
        else:
            middle = (floor_of(low) + floor_of(high)) // 2
        endless = 1 if high is None else -1 if low is None else 0
        self._split(piece, [Fraction(2 * middle + 1, 2)], endless)
