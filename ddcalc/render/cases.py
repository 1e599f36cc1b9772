"""Several cases of a part in few words: in which of them a limit is met, and which one is best."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount, together
from ddcalc.numbers.units import MONEY, TIME, Unit
from ddcalc.problem.sentences import capital, inside, series
from ddcalc.render import story
from ddcalc.render.sides import Pieces, symbol

if TYPE_CHECKING:
    from ddcalc.ask.solve import Derivation
    from ddcalc.files.batch import Solved

_NO_COST: Final = re.compile(r"\b(?:between|intervals?|periods?|mean time)\b")  # such a time
FEW: Final = 4  # cases that are put in their order
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
        called = part.cases[0].problem.quantities[every[0].name].called
        of = f"{capital(called)}: " if len(checks[0]) > 1 else ""
        for agrees in (True, False):
            places = [i for i, one in enumerate(every) if one.agrees == agrees]
            said, whole = ("Met", "all cases") if agrees else ("Not met", "any case")
            those = joined([heads[i] for i in places])
            said += f" with {those}" if len(places) < len(heads) else f" in {whole}"
            values = ((i, getattr(every[i].derived, "value", None)) for i in places)
            worth = {i: Fraction(value) for i, value in values if isinstance(value, Number)}
            is_told = worth and (not agrees or len(places) in (1, len(heads)))
            if is_told and len({every[i].stated for i in places}) == 1:
                least = every[0].stated.startswith(("<", "≤")) != agrees
                near = (min if least else max)(worth, key=worth.__getitem__)
                says = every[near].says.partition(": ")[2]
                said += f"; nearest with {heads[near]}" * (len(places) > 1) + f": {says}"
            if places:
                yield f"{of}{said if not of else inside(said)}."
                of = ""


def admitted(part: Solved) -> Sequence[int]:
    """The cases of *part*, from 0, in which its limits are met; all, if there are none."""
    every = range(len(part.cases))
    return [*filter(part.meets, every)] or every


class Leading(NamedTuple):
    """In which cases the quantity that is *called* so has its values: the least first, and how many
    percent *more* each has."""

    called: str
    order: Sequence[int]
    more: Sequence[str]


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
        if is_cost and len(order) > 1 and worth[order[0]] < worth[order[1]]:
            more = [story.difference(worth[i], worth[order[0]]).lstrip("+") for i in order]
            yield Leading(called, order, more)


def best(found: Collection[Leading], heads: Sequence[str], told: Told) -> Iterator[str]:
    """Which case is best, in a sentence for each quantity that was *found* least, and which come
    next."""
    for one in found:
        first, *others = one.order[: FEW if len(one.order) <= FEW else 2]
        called = re.sub("^(?:an?|the) ", "", inside(one.called))
        both = zip(others, one.more[1:], strict=False)
        more = series([f"{x} more with {heads[i]}" for i, x in both if x])
        value = told[first][one.called] + f" ({more})" * bool(more)
        yield f"Least {called} with {heads[first]}: {value}."


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
            for at, more in zip(least[name].order[:FEW], least[name].more[:FEW], strict=True):
                marks[at] += f", {more} more" if more else ""
            marks[least[name].order[0]] = f"{heads[least[name].order[0]]}, the least"
        shown = [f"{one[name]} ({mark})" for one, mark in zip(told, marks, strict=True)]
        is_one = len({one[name] for one in told}) == 1
        said.append(f"{name}: {first[name] if is_one else ', '.join(shown)}.")
    return " ".join(said)


def others(part: Solved, heads: Sequence[str], told: Told, found: Collection[Leading]) -> str:
    """What is *told* of the cases that are admitted, but for what was *found* least."""
    names, places = {one.called for one in found}, admitted(part)
    if len(places) == 1:  # of which the verdict has told how far it is from its limits
        quantities = part.cases[0].problem.quantities
        names |= {capital(quantities[limit.name].called) for limit in part.limits}
    rest = [{name: x for name, x in told[i].items() if name not in names} for i in places]
    return in_one([heads[i] for i in places], rest, ())


def found(cases: Sequence[Derivation]) -> tuple[Pieces, ...]:
    """What is found in each of the *cases*, as a row of their table."""
    results = [case.answer for case in cases]
    row = cells([result.value for result in results], results[0].unit)
    called = cases[0].problem.quantities[results[0].name].called
    row = (cell if any(cell) else ("none",) for cell in row)
    return symbol(results[0].symbol), (called,) * (called != results[0].symbol), *row


def cells(numbers: Sequence[object], unit: Unit) -> Iterator[Pieces]:
    """The values of a quantity in each case, in one *unit*."""
    known = [value for value in numbers if isinstance(value, Number)]
    is_money = unit.dimension == MONEY  # which has the digits that the answer has
    shown = iter([amount(x, unit) for x in known] if is_money else together(known, unit))
    for value in numbers:
        yield (next(shown).marked if isinstance(value, Number) else "",)
