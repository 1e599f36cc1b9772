"""Options to tick: the right answer among wrong ones that slips and other readings lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from random import Random

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Kind, Pieces, Slip
from ddcalc.ask.mark.suspects import suspects
from ddcalc.ask.solve import Derivation
from ddcalc.ask.variants.draw import pick, shuffled
from ddcalc.ask.variants.search import places
from ddcalc.formula.algebra import multiplied
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, symbols
from ddcalc.formula.stated_terms import is_rule
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.display import half_up, rounded
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value

SHOWN = 4  # significant digits of an answer that does not end
FARTHEST = 1000  # times that a wrong option is larger or smaller than the right one, at most

# The slips that make the best wrong options, then those that serve if there are too few.
_FIRST: frozenset[Kind] = frozenset(
    ("term", "factor", "rounding", "strict", "reading", "case", "count", "extreme")
)
_LAST: frozenset[Kind] = frozenset(("power of ten", "sign", "upside down", "algebra"))


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
    random, unit = Random(seed), solved.answer.unit  # noqa: S311
    ends = places(solved.answer.value, unit)

    def shown(value: Value) -> Value:
        """*value* to as many digits behind the point as the right one has."""
        if value is None or isinstance(value, Expr):
            return value
        number = in_units(value, unit.worth)
        number = rounded(number, SHOWN) if ends is None else half_up(number, -ends)
        return product(number, unit.worth)

    right = Option(shown(solved.answer.value), unit)
    wrong: dict[Value, Option] = {}
    texts = {_text(right)}
    for value, deed in _wrong(solved, random):
        if len(wrong) >= count - 1:
            break
        option = Option(shown(value), unit, deed)
        if _text(option) not in texts and _is_like(option.value, right.value):
            texts.add(_text(option))
            wrong[option.value] = option
    at = pick(random, len(wrong) + 1)
    listed = list(wrong.values())
    return (*listed[:at], right, *listed[at:])


def _text(option: Option) -> str:
    """An option as it is told from others."""
    value = option.value
    return amount_text(value, option.unit) if isinstance(value, Number) else repr(value)


def _is_like(value: Value, right: Value) -> bool:
    """Whether *value* does not give itself away by its size or sign."""
    if right is None or value is None or isinstance(value, Expr) or isinstance(right, Expr):
        return True
    if right == 0:
        return value >= 0
    return right / FARTHEST <= value <= right * FARTHEST if right > 0 else value < 0


def _wrong(solved: Derivation, random: Random) -> Iterator[tuple[Value, Pieces]]:
    """What slips lead to, with what was done: good ones first, each kind once before it recurs."""
    answer = solved.answer
    if answer.value is None or isinstance(answer.value, Expr):
        for other in solved.readings:
            if not isinstance(other.answer.value, Approximate):
                yield other.answer.value, (f"reading otherwise: {other.says}",)
        if isinstance(answer.value, Expr):
            yield from _other_numbers(answer.value, random)
        return
    whole = places(answer.value, answer.unit) == 0 and not answer.unit.name
    for suspect in _ordered(suspects(Exercise(solved), answer.name), random):
        if not whole or suspect.value.denominator == 1:
            yield suspect.value, suspect.deed


def _ordered(slips: list[Slip], random: Random) -> Iterator[Slip]:
    ranks: list[dict[Kind, list[Slip]]] = [{}, {}, {}]
    for i in shuffled(random, len(slips)):
        kind = slips[i].kind
        rank = 0 if kind in _FIRST else 2 if kind in _LAST else 1
        ranks[rank].setdefault(kind, []).append(slips[i])
    for by_kind in ranks:
        for round_of_kinds in zip_longest(*map(reversed, by_kind.values())):
            yield from filter(None, round_of_kinds)


def _other_numbers(value: Expr, random: Random) -> Iterator[tuple[Value, Pieces]]:
    """A product with another number before its letters: somewhat too much or too little counted."""
    if is_rule(value):
        return
    number = evaluate(value, dict.fromkeys(symbols(value), 1))
    changes = [1, -1, 2, -2, 3, -3]
    for i in shuffled(random, len(changes)):
        other = number + changes[i]
        if other > 0:
            much = "much" if changes[i] > 0 else "little"
            deed = f"counting too {much}: {other} instead of {number}"
            yield multiplied(value * plain(Fraction(other) / number)), (deed,)
