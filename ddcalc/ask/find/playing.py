"""Find where schedules are played: whole numbers one by one, from the least that there can be.

Nothing is known of numbers that were not tried, and nothing is assumed about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from ddcalc.ask.find.answer import Sought, answer
from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.compare import comparison, letter_side
from ddcalc.ask.find.found import Found, Outcome
from ddcalc.ask.find.model import domain
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.relation import Relation, holds
from ddcalc.ask.find.tables import ranges
from ddcalc.ask.find.words import full_amount, pieces_text
from ddcalc.ask.restate import restated
from ddcalc.ask.solve import Derivation
from ddcalc.errors import BadValue, DdcalcError, NoAnswer, OverLimit
from ddcalc.formula.expression import Expr, Number
from ddcalc.formula.letters import letter
from ddcalc.numbers.units import Unit
from ddcalc.problem.play import played
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import State, Step, Table, Value

TRIED = 200  # numbers, at most
LONG = 5  # long runs among them, at most
ROWS = 10  # of a table of what was tried

Values = Mapping[str, Number | None]


def find(asked: Asked) -> Found:
    """The whole numbers, among those that are tried, for which the relations hold.

    Raises what every number is refused with.
    """
    unknown = asked.unknown
    assert isinstance(unknown, Given)
    trial = _Trial(asked, unknown)
    trial.run()
    answered = answer(trial.sought, [domain(unknown)])
    value = answered.value
    at = None if value is None else Derivation(restated(asked.stated, {unknown.name: value}))
    outcome = Outcome(
        value=value,
        says=trial.says,
        proof=trial.proof(),
        steps=lambda: trial.steps(at, value),
        solutions=trial.sought.solutions,
        kind=answered.kind,
        end=answered.end,
        complete=trial.sought.complete,
    )
    return Found(asked, outcome, at)


@dataclass
class _Trial:
    """Numbers tried for the *unknown*, and the *values* of those that the question admits."""

    asked: Asked
    unknown: Given
    values: dict[int, Values] = field(default_factory=dict)
    tried: int = 0
    long: int = 0

    def run(self) -> None:
        """Try one number after the other."""
        refusal: DdcalcError | None = None
        for number in self._numbers():
            self.tried += 1
            try:
                self.values[number], long = at(self.asked, number)
                self.long += long
            except (BadValue, NoAnswer, OverLimit) as error:
                if error.parameter == "where":
                    raise
                refusal = refusal or error
        if refusal is not None and not self.values:
            raise refusal

    @property
    def first(self) -> int:
        """The least number."""
        low = domain(self.unknown).low
        return 1 if low is None else int(low)  # type: ignore[arg-type]

    @property
    def sought(self) -> Sought:
        """What was found, as of a search."""
        right = [number for number, values in self.values.items() if right_at(self.asked, values)]
        found = [Piece(number, number, whole=True) for number in right]
        most, beyond = domain(self.unknown).high, self.first + self.tried
        left = () if most is not None and beyond > most else (Piece(beyond, most, whole=True),)
        return Sought(merged(found), self.tried, left)

    def says(self, unit: Unit) -> str:
        """The answer, and all solutions among the numbers that were tried."""
        shown, sought = letter(self.unknown.letter), self.sought
        if not sought.solutions:
            return f"no {shown} {self._span()} does it"
        told = pieces_text(sought.solutions, shown, unit)
        value = answer(sought, [domain(self.unknown)]).value
        return f"{shown} = {value}  (tried {self._span()}: {told})"

    def proof(self) -> str:
        """What was tried."""
        refused = self.tried - len(self.values)
        told = f"every {letter(self.unknown.letter)} {self._span()}, one by one"
        if refused:
            told += f", of which the question does not admit {refused}"
        return told if self.sought.complete else f"{told}; larger ones were not tried"

    def steps(self, at: Derivation | None, value: Value) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        if at is not None and isinstance(value, int):
            yield from (step for step in at.steps if not isinstance(step, State))
            for number in (value, value - 1):
                values = self.values.get(number, {})
                yield from compared(self.asked, number, values, only_failing=number != value)
        if not self.sought.solutions:
            yield self._tried()
        elif len(self.sought.solutions) > 1:
            yield ranges(self.sought.solutions, self.unknown)

    def _tried(self) -> Table:
        """What is compared, for the first numbers."""
        quantities = self.asked.stated.problem.quantities
        units = {each.name: quantities[each.name].unit for each in self.asked.relations}
        rows = [
            (str(number), *(_told(values[name], unit) for name, unit in units.items()))
            for number, values in islice(self.values.items(), ROWS)
        ]
        return Table("Tried", "the first ones", (letter(self.unknown.letter), *units), tuple(rows))

    def _span(self) -> str:
        return f"from {self.first} to {self.first + self.tried - 1}"

    def _numbers(self) -> Iterator[int]:
        most = domain(self.unknown).high
        number = self.first
        while self.tried < TRIED and self.long < LONG and (most is None or number <= most):
            yield number
            number += 1


def at(asked: Asked, number: Number) -> tuple[Values, bool]:
    """What is compared where the unknown is *number*, and whether that was long to play."""
    stated = restated(asked.stated, {asked.unknown.name: number})
    outcome = played(stated)
    known: dict[str, object] = dict(outcome.values)
    for name, told in stated.measured.items():
        known[name] = told if isinstance(told, tuple) else told.value
    values = {each.name: _number(each, known.get(each.name)) for each in asked.relations}
    return values, outcome.long


def right_at(asked: Asked, values: Values) -> bool:
    """Whether all relations hold for these *values*."""
    return all(holds(each.op, values[each.name], each.bound.value) for each in asked.relations)


def compared(asked: Asked, number: Number, values: Values, *, only_failing: bool) -> Iterator[Step]:
    """The relations with the *values* where the unknown is *number*."""
    assert isinstance(asked.unknown, Given)
    for relation in asked.relations:
        left = values.get(relation.name)
        if left is not None:
            side = letter_side(relation, asked.stated.problem.quantities[relation.name].unit)
            step = comparison(relation, asked.unknown, number, left, side)
            if not (only_failing and step.holds):
                yield step


def _told(value: Number | None, unit: Unit) -> str:
    return "no value" if value is None else full_amount(value, unit)


def _number(relation: Relation, value: object) -> Number | None:
    reason = ""
    if isinstance(value, tuple):
        reason = "is a list here; something that is one value can be compared"
    elif isinstance(value, Expr):
        reason = "is a formula here; state the letters in it to compare it with a number"
    if reason:
        raise BadValue(relation.name, reason).about("where")
    assert value is None or isinstance(value, Number)
    return value
