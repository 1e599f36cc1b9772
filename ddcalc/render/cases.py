"""Several cases of a part in few words: in which of them a limit is met, and which one is best."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount, together
from ddcalc.numbers.units import MONEY, TIME, Unit
from ddcalc.problem.sentences import capital, inside, series
from ddcalc.render import blocks, story
from ddcalc.render.blocks import Pieces

if TYPE_CHECKING:
    from ddcalc.ask.solve import Derivation
    from ddcalc.files.batch import Solved

_NO_COST: Final = re.compile(r"\b(?:between|intervals?|periods?|mean time)\b")  # such a time
_SENTENCE: Final = re.compile(r"(?<=\.) (?=[^\W\d_])")
Told = Sequence[Mapping[str, str]]
"""What the answer to each case says, by the names of quantities; of other sentences nothing."""


def told(answers: Sequence[Pieces]) -> Told:
    """The *answers* to several cases as names with values."""
    texts = ["".join(one if isinstance(one, str) else ". " for one in pieces) for pieces in answers]
    parted = ([one.partition(": ")[::2] for one in _SENTENCE.split(text)] for text in texts)
    return [{name: value.removesuffix(".") for name, value in pairs} for pairs in parted]


def called(what: Sequence[str | None], columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """In which cases each thing of *what* stands, a thing for each case: by the first of *columns*
    that tells this, or by all of them."""
    alike = {one: [i for i, x in enumerate(what) if x == one] for one in what if one}
    every = [*columns.values(), [", ".join(row) for row in zip(*columns.values(), strict=True)]]
    for column in every:
        named = {one: dict.fromkeys(column[i] for i in places) for one, places in alike.items()}
        if sum(map(len, named.values())) == len({column[i] for x in alike.values() for i in x}):
            break
    return {one: joined([*names]) for one, names in named.items()}


def joined(heads: Sequence[str]) -> str:
    """The *heads* of some cases in words."""
    return "; ".join(heads) if any(", " in one for one in heads) else series(heads)


def verdicts(part: Solved, heads: Sequence[str]) -> Iterator[str]:
    """In which cases of *part*, by their *heads*, each of its limits is met; where not, how far the
    nearest one is from it."""
    checks = [part.of_case(i, part.limits) for i in range(len(heads))]
    for every in zip(*checks, strict=True):
        both = [*zip(heads, every, strict=True)]
        for agrees in (True, False):
            those = [(head, one) for head, one in both if one.agrees == agrees]
            if not those:
                continue
            said = "Met" if agrees else "Not met"
            names = joined([head for head, _ in those])
            said += f" with {names}" if len(those) < len(both) else " in all cases" * agrees
            said += "" if agrees or len(those) < len(both) else " in any case"
            is_told = not agrees or len(those) in (1, len(both))
            if is_told and len({one.stated for _, one in those}) == 1:
                least = those[0][1].stated.startswith(("<", "≤")) != agrees
                order = min if least else max
                head, near = order(those, key=lambda one: _number(one[1].derived))
                says = near.says.partition(": ")[2]
                said += f": {says}" if len(those) == 1 else f"; nearest with {head}: {says}"
            yield f"{said}."


def _number(derived: object) -> Fraction:
    value = getattr(derived, "value", None)
    return Fraction(value) if isinstance(value, Number) else Fraction(0)


def admitted(part: Solved) -> Sequence[int]:
    """The cases of *part*, from 0, in which its limits are met; all, if there are none."""
    every = range(len(part.cases))
    return [i for i in every if all(one.agrees for one in part.of_case(i, part.limits))] or every


@dataclass(frozen=True)
class Leading:
    """In which cases the quantity that is *called* so has its values: the least first, as far as
    those *in* percent more are told."""

    called: str
    order: Sequence[int]
    more: str


def least(part: Solved, told: Told) -> Iterator[Leading]:
    """The times, and the money, that *part* asks for and that are least in one of the cases alone:
    of those in which its limits are met, if there are such."""
    first = part.cases[0]
    for name in first.stated.shape.wanted or (first.answer.name,):
        quantity = first.problem.quantities[name]
        called, worth = capital(quantity.called), dict[int, Number]()
        for i in admitted(part):
            value = getattr(part.cases[i].quantities.get(name), "value", None)
            if isinstance(value, Number) and called in told[i]:
                worth[i] = value
        order = sorted(worth, key=lambda i: Fraction(worth[i]))
        is_cost = quantity.unit.dimension in (TIME, MONEY) and not _NO_COST.search(quantity.called)
        if is_cost and len(order) > 1:
            best, second = (worth[i] for i in order[:2])
            if best < second:
                yield Leading(called, order, story.difference(second, best).lstrip("+"))


def best(found: Collection[Leading], heads: Sequence[str], told: Told) -> Iterator[str]:
    """Which case is best, in a sentence for each quantity that was *found* least."""
    for one in found:
        first, second, *_ = one.order
        more = f" ({one.more} more with {heads[second]})" if one.more else ""
        called = re.sub("^(?:an?|the) ", "", inside(one.called))
        yield f"Least {called} with {heads[first]}: {told[first][one.called]}{more}."


def in_one(heads: Sequence[str], told: Told, found: Collection[Leading]) -> str:
    """The answers *told* in several cases as one, with their *heads* behind their values, but for
    values that all share, and which is least; empty where they are more than names and values."""
    first, least = told[0], {one.called: one for one in found}
    if any(one.keys() != first.keys() or not all(one.values()) for one in told):
        return ""
    said: list[str] = []
    for name in first:
        marks = [*heads]
        if name in least:
            at, after, *_ = least[name].order
            marks[at] += ", the least"
            marks[after] += f", {least[name].more} more" if least[name].more else ""
        shown = [f"{one[name]} ({mark})" for one, mark in zip(told, marks, strict=True)]
        is_one = len({one[name] for one in told}) == 1
        said.append(f"{name}: {first[name] if is_one else ', '.join(shown)}.")
    return " ".join(said)


def others(part: Solved, heads: Sequence[str], told: Told, found: Collection[Leading]) -> str:
    """What is *told* of the cases that are admitted, but for what was *found* least."""
    names, places = {one.called for one in found}, admitted(part)
    rest = [{name: x for name, x in told[i].items() if name not in names} for i in places]
    return in_one([heads[i] for i in places], rest, ())


def found(cases: Sequence[Derivation]) -> tuple[Pieces, ...]:
    """What is found in each of the *cases*, as a row of their table."""
    results = [case.answer for case in cases]
    row = cells([result.value for result in results], results[0].unit)
    called = cases[0].problem.quantities[results[0].name].called
    row = (cell if any(cell) else ("none",) for cell in row)
    return blocks.symbol(results[0].symbol), (called,), *row


def cells(numbers: Sequence[object], unit: Unit) -> Iterator[Pieces]:
    """The values of a quantity in each case, in one *unit*."""
    known = [value for value in numbers if isinstance(value, Number)]
    is_money = unit.dimension == MONEY  # which has the digits that the answer has
    shown = iter([amount(x, unit) for x in known] if is_money else together(known, unit))
    for value in numbers:
        yield (next(shown).marked if isinstance(value, Number) else "",)
