"""Options of a multiple-choice question: the right answer among those that slips lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from ddcalc.ask.mark import readings
from ddcalc.ask.mark.otherwise import member
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.search import suspects
from ddcalc.ask.mark.slip import Kind, Pieces, Suspect
from ddcalc.ask.mark.written import half_up
from ddcalc.ask.solve import Derivation
from ddcalc.ask.variants.clean import places
from ddcalc.ask.variants.draw import pick, shuffled
from ddcalc.formula.expression import Expr, Mul, Num, Number, Sym
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value

DIGITS = 4  # significant ones of an answer that does not end
FARTHEST = 1000  # times that a wrong option is larger or smaller than the right one, at most

# The slips that make the best wrong options, then those that serve if there are too few.
_FIRST: frozenset[Kind] = frozenset(
    ("term", "factor", "rounding", "strict", "reading", "case", "count", "extreme")
)
_LAST: frozenset[Kind] = frozenset(
    ("power of ten", "digits", "sign", "upside down", "clock", "algebra")
)


@dataclass(frozen=True, slots=True)
class Option:
    """What may be ticked: a *value* as it is shown in *unit*, and the *deed* that leads to it;
    nothing leads to the *right* one."""

    value: Value
    unit: Unit
    deed: Pieces = ()

    @property
    def right(self) -> bool:
        """Whether it is the answer."""
        return not self.deed


def options(solved: Derivation, count: int, seed: str) -> tuple[Option, ...]:
    """Up to *count* options for the answer of *solved*, all different as they are shown.

    The place of the right one follows from *seed*, as does the choice among the slips.
    """
    random = Random(seed)  # noqa: S311
    shown, unit = _shown(solved), solved.answer.unit
    right = Option(shown(solved.answer.value), unit)
    found: dict[Value, Option] = {right.value: right}
    for value, deed in _wrong(solved, random):
        if len(found) >= count:
            break
        option = Option(shown(value), unit, deed)
        if option.value not in found and _is_like(option.value, right.value):
            found[option.value] = option
    _, *wrong = found.values()
    at = pick(random, len(wrong) + 1)
    return (*wrong[:at], right, *wrong[at:])


def _shown(solved: Derivation) -> Callable[[Value], Value]:
    """How options are rounded: to the digits behind the point that the right one has."""
    unit = solved.answer.unit
    ends = places(solved.answer.value, unit)

    def shown(value: Value) -> Value:
        if value is None or isinstance(value, Expr):
            return value
        told = in_units(value, unit.worth)
        told = rounded(told, DIGITS) if ends is None else half_up(told, -ends)
        return product(told, unit.worth)

    return shown


def _is_like(value: Value, right: Value) -> bool:
    """Whether *value* does not give itself away by its size or sign."""
    if right is None or value is None or isinstance(value, Expr) or isinstance(right, Expr):
        return True
    if right == 0:
        return value >= 0
    return right / FARTHEST <= value <= right * FARTHEST if right > 0 else value < 0


def _wrong(solved: Derivation, random: Random) -> Iterator[tuple[Value, Pieces]]:
    """What slips lead to, with what was done: good ones first, each kind once before it recurs."""
    question, answer = Question(solved), solved.answer
    if answer.value is None or isinstance(answer.value, Expr):
        yield from _read_otherwise(question, answer.name)
        if isinstance(answer.value, Expr):
            yield from _other_numbers(answer.value, random)
        return
    target = Target(solved.problem.quantities[answer.name], answer.symbol, plain(answer.value))
    whole = places(answer.value, answer.unit) == 0 and not answer.unit.name
    for suspect in _ordered(suspects(question, target), random):
        slip = suspect.slip()
        if slip is not None and (not whole or slip.value.denominator == 1):
            yield slip.value, slip.deed


def _ordered(found: list[Suspect], random: Random) -> Iterator[Suspect]:
    mixed = [found[i] for i in shuffled(random, len(found))]
    for rank in (0, 1, 2):
        by_kind: dict[Kind, list[Suspect]] = {}
        for suspect in mixed:
            if _rank(suspect.kind) == rank:
                by_kind.setdefault(suspect.kind, []).append(suspect)
        while by_kind:
            for kind in list(by_kind):
                yield by_kind[kind].pop()
                if not by_kind[kind]:
                    del by_kind[kind]


def _rank(kind: Kind) -> int:
    return 0 if kind in _FIRST else 2 if kind in _LAST else 1


def _read_otherwise(question: Question, name: str) -> Iterator[tuple[Value, Pieces]]:
    """The answers of other readings."""
    for other in question.otherwise:
        value = member(other.values.get(name), None)
        if not isinstance(value, Approximate):
            yield value, readings.deed(question, other)


def _other_numbers(value: Expr, random: Random) -> Iterator[tuple[Value, Pieces]]:
    """*value* with another number before its letters: somewhat too much or too little counted."""
    number, rest = _factors(value)
    if not all(isinstance(part, Sym) for part in rest):
        return
    changes = [1, -1, 2, -2, 3, -3]
    for i in shuffled(random, len(changes)):
        other: Number = number + changes[i]
        if other > 0:
            much = "much" if changes[i] > 0 else "little"
            deed: Pieces = (f"counting too {much}: ", Num(other), " instead of ", Num(number))
            yield (Mul((Num(other), *rest)) if other != 1 else _joined(rest)), deed


def _factors(value: Expr) -> tuple[Number, tuple[Expr, ...]]:
    """The number before a product, and its other factors."""
    match value:
        case Mul((Num(number), *others)):
            return number, tuple(others)
        case Mul(factors):
            return 1, factors
    return 1, (value,)


def _joined(parts: tuple[Expr, ...]) -> Expr:
    return parts[0] if len(parts) == 1 else Mul(parts)
