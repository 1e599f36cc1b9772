"""A sweep: a question at very many points, what is best among them, and what has no value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ddcalc.ask.sweep.best import Front, Goal, Optimum
from ddcalc.ask.sweep.engines import Arrays, Engine, Points, Turns
from ddcalc.ask.sweep.points import Block, Piece, Reason, Tally
from ddcalc.ask.sweep.question import Question
from ddcalc.errors import BadValue, OverLimit, Repeated
from ddcalc.numbers.display import number_text
from ddcalc.numbers.units import MONEY, TIME

MOST = 100_000_000  # points
PLAYED = 100_000  # points that are played one by one


class Sweep:
    """The points of *question*, of which the best for each of the *goals* are found.

    With *turns* it is counted too where the equations turn. Raises OverLimit for more points than
    *most*.
    """

    def __init__(
        self, question: Question, goals: Sequence[Goal], *, most: int = MOST, turns: bool = False
    ) -> None:
        self.question, self.goals = question, goals
        self.tally: Tally[Reason] = Tally()
        self.turns: Turns = Tally()
        played = question.is_played
        _check(question, min(most, PLAYED) if played else most)
        self.engine: Engine = Points(question, self.tally) if played else self._arrays(turns)
        self.optima = [Optimum(goal) for goal in goals]
        self.fronts = [Front((goals[0], goals[1]))] if len(goals) == 2 else []
        self.done = 0

    def _arrays(self, turns: bool) -> Arrays:
        return Arrays(self.question, self.tally, self.turns if turns else None)

    @property
    def size(self) -> int:
        """How many points there are."""
        return self.question.grid.size

    def blocks(self) -> Iterator[tuple[Block, list[Piece]]]:
        """All points in order, block by block, as they are worked out and compared."""
        for block in self.question.grid.blocks(self.engine.most):
            pieces = list(self.engine.pieces(block))
            for piece in pieces:
                for optimum in self.optima:
                    optimum.see(piece)
                for front in self.fronts:
                    front.see(piece)
            self.done = block.start + block.size
            yield block, pieces

    @cached_property
    def finished(self) -> Sweep:
        """This sweep, with all points worked out."""
        for _ in self.blocks():
            pass
        return self


def usual_goals(question: Question) -> list[Goal]:
    """What is sought where nothing is said: the least time, the least money."""
    first = question.quantities[0]
    return [Goal(first.name, True)] if first.unit.dimension in (TIME, MONEY) else []


def goals(question: Question, minimize: Sequence[str], maximize: Sequence[str]) -> list[Goal]:
    """What is sought: each quantity once, two at most; the usual goals if none is named."""
    names = [*minimize, *maximize]
    known = {quantity.name for quantity in question.quantities}
    chosen = [Goal(name.replace("-", "_"), i < len(minimize)) for i, name in enumerate(names)]
    if len(chosen) > 2:
        raise OverLimit("at most two quantities can be optimised at once").about("minimize")
    if len(chosen) == 2 and chosen[0].name == chosen[1].name:
        if chosen[0].smallest == chosen[1].smallest:
            raise Repeated(names[1]).about("minimize" if chosen[0].smallest else "maximize")
        raise BadValue(names[1], "is to be smallest and largest").about("maximize")
    assert {goal.name for goal in chosen} <= known
    return chosen or usual_goals(question)


def _check(question: Question, most: int) -> None:
    """OverLimit where there are too many points."""
    size = question.grid.size
    if size > most:
        axes = " × ".join(f"{number_text(axis.size)[0]} {axis.name}" for axis in question.axes)
        much = (
            f"{number_text(size)[0]} points ({axes}); at most {number_text(most)[0]} are possible"
        )
        lines = question.problem.symbolic and most < MOST
        more = f" here, {number_text(MOST)[0]} in .csv and .ndjson" if lines else " here"
        raise OverLimit(much + more).about("vary")
