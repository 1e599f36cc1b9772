"""What must hold: ``total <= 300 s``, the name of a quantity, a sign, and an amount."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.errors import BadNumber, BadValue, DdcalcError, UnknownName
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Num, Number, Operator, Rel, Sym
from ddcalc.formula.letters import SIGNS
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.number import parse
from ddcalc.numbers.units import Measured, told_in
from ddcalc.problem.quantity import Quantity

LENGTH = 300  # characters of a relation

_MARGIN = Fraction(1, 10**40)  # of a rounded value

_FORM = re.compile(r" *([A-Za-z_][A-Za-z0-9_-]*) *([<>=!~≤≥≠]+) *(.*)", re.DOTALL)
_SIGNS: Mapping[str, Operator] = {"<": "<", "<=": "<=", "=": "==", ">=": ">=", ">": ">"}
_MEANT = {"==": "=", "=<": "<=", "=>": ">=", "≤": "<=", "≥": ">="}
_EXAMPLE = "for example total <= 300 s"


@dataclass(frozen=True, slots=True)
class Relation:
    """Quantity *name*, whose letter is *letter*, must be in relation *op* to *bound*."""

    name: str
    letter: str
    op: Operator
    bound: Measured

    @property
    def formula(self) -> Rel:
        """The relation between its letter and a number in base units."""
        return Rel(self.op, Sym(self.letter), Num(self.bound.value))

    @property
    def text(self) -> str:
        """The relation as it is told: ``total ≤ 300 s``."""
        return self._with(SIGNS[self.op])

    @property
    def written(self) -> str:
        """The relation as it is read: ``total <= 300 s``."""
        return self._with("=" if self.op == "==" else self.op)

    def _with(self, sign: str) -> str:
        return f"{self.name} {sign} {self.bound.text.strip()}"


def holds(op: Operator, left: Number | None, right: Number) -> bool:
    """Whether the relation between two numbers holds; no value is in no relation.

    Raises BadValue where *left* is rounded, and too near to *right* for that to be sure.
    """
    if left is None:
        return False
    if isinstance(left, Approximate) and abs(Fraction(left) - right) <= abs(left) * _MARGIN:
        told = "agrees with the value to forty digits; that has more, so which is larger is open"
        raise BadValue(str(right), told).about("where")
    return bool(evaluate(Rel(op, Num(left), Num(right)), {}))


def relations(texts: Sequence[str], known: Mapping[str, Quantity]) -> tuple[Relation, ...]:
    """What *texts* say about the *known* quantities; raises a DdcalcError about ``where``."""
    found = []
    for i, text in enumerate(texts, 1):
        try:
            found.append(_relation(text, known))
        except DdcalcError as error:
            raise error.about(f"where[{i}]" if len(texts) > 1 else "where") from None
    return tuple(found)


def _relation(text: str, known: Mapping[str, Quantity]) -> Relation:
    parts = _FORM.fullmatch(text) if len(text) <= LENGTH else None
    if parts is None:
        reason = f"is longer than {LENGTH} characters" if len(text) > LENGTH else "is no relation"
        raise BadValue(text, f"{reason}; write a name, a sign and a quantity, {_EXAMPLE}")
    name, sign, told = parts.groups()
    if sign not in _SIGNS:
        meant = f"write {_MEANT[sign]}" if sign in _MEANT else "the signs are < <= = >= >"
        raise BadValue(text, f"has the sign {sign}; {meant}")
    spelling = name.replace("-", "_")
    if spelling not in known:
        refuse_letter(name, known.values())
        raise UnknownName("quantity", name, known)
    quantity = known[spelling]
    if told.strip(" ").replace("-", "_") in known:
        raise BadValue(text, f"compares two quantities; write a number behind the sign, {_EXAMPLE}")
    return Relation(spelling, quantity.letter, _SIGNS[sign], _bound(told, quantity))


def refuse_letter(name: str, known: Iterable[Quantity]) -> None:
    """Raise BadValue if *name* is the letter of one of the *known* quantities."""
    for each in known:
        if name == each.letter:
            raise BadValue(name, f"is a letter; write the name: {each.name}")


def _bound(text: str, quantity: Quantity) -> Measured:
    if not text.strip(" "):
        raise BadNumber(text, f"is empty; write what {quantity.name} is compared with")
    return told_in(quantity.unit, text) if _is_zero(text) else quantity.measured(text)


def _is_zero(text: str) -> bool:
    """Whether *text* is 0, which needs no unit, whatever is compared with it."""
    try:
        return not parse(text)
    except BadNumber:
        return False
