"""Several cases of a part: in few words in which of them a limit is met, and which one is best; and
as they are worked, a few in their own numbers, many in a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.wording import RELATED, the
from ddcalc.files.part_cases import put_in
from ddcalc.formula.expression import Expr, Num, Number
from ddcalc.numbers.amounts import amount, in_sentence, together
from ddcalc.numbers.display import equal
from ddcalc.numbers.units import COUNT, MONEY, TIME, Dimension, Unit
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.said.sentences import capital, inside, series
from ddcalc.problem.said.speaker import ABOUT, hedged
from ddcalc.problem.said.steps import HERE, Define, Step
from ddcalc.problem.stated_formulas import ASIDE, NAME, NOTED, conclusions, typeset
from ddcalc.render import blocks, stages, story
from ddcalc.render.parts import by_hand
from ddcalc.render.sides import Pieces, letter, symbol

if TYPE_CHECKING:
    from ddcalc.ask.solve import Derivation
    from ddcalc.files.solved import Solved

_NO_COST: Final = re.compile(r"\b(?:between|intervals?|periods?|mean time)\b")  # such a time
_COMPARES: Final = re.compile(  # in the words of an author
    r"\b(?:which|best|better|least|most|compar\w*|rank\w*|recommend\w*|pays?|worth|wins?|beats?|"
    r"(?:cheap|fast|quick|short|long|small|low|soon|larg|great|slow|dear)(?:er|est))\b",
    re.IGNORECASE,
)
FEW: Final = 4  # cases that are put in their order
HEAD: Final = 40  # characters of a title, more than which do not head a column
Row = tuple[Pieces, ...]  # a sign, a title, and a value for each case
Told = Sequence[Mapping[str, str]]
"""What each case comes to, in words, by what the quantities are called."""
Marks = Mapping[int, str]  # of cases, from 0, the least first: least, 3 % more


def concluded(every: Sequence[Derivation], key: str = "") -> Iterator[str]:
    """What the question that has *every* case concludes itself from what it asks for, behind the
    words of its own steps, with values for the ``{names}``; or what it has under the *key* of what
    ends the page."""
    said = (x for case in every[:1] for x in conclusions(case.problem.own_steps))
    said = (x for x in said if (x[0] == NOTED[key] if key else x[0] not in ASIDE))
    letters = {n: str(letter(n)) for case in every[:1] for n in case.problem.quantities}
    for words in filter(None, (typeset(put_in(words, every)) for _, words, _ in said)):
        words = NAME.sub(lambda x: letters.get(x[0], x[0]), words)  # eta
        is_plain = key == "assumes"
        yield words if is_plain else f"{capital(words)}{'.' * (not words.endswith('.)'))}"


def joined(heads: Sequence[str]) -> str:
    """The *heads* of some cases in words."""
    return "; ".join(heads) if any(", " in one for one in heads) else series(heads)


def verdicts(part: Solved, heads: Sequence[str], later: Set[str]) -> Iterator[str]:
    """In which cases of *part* each limit is met, and how nearly unless that is told *later*."""
    checks = [part.of_case(i, part.limits) for i in range(len(heads))]
    for every in zip(*checks, strict=True):
        one, quantity = every[0], part.cases[0].problem.quantities[every[0].name]
        op, bound = one.relation and one.relation.op, one.stated.partition(" ")[2]
        is_alike = not one.title and len({x.stated for x in every}) == 1
        other = one.relation and one.relation.other
        bound = bound if is_alike or not other else the(other)
        claim = f"{RELATED[op] if op else ''} {bound}".strip()
        claim, said = one.title or f"{the(quantity)} is {claim}", dict[bool, str]()
        for agrees in (True, False):
            places = [i for i, x in enumerate(every) if x.agrees == agrees]
            words = f"with {joined([heads[i] for i in places])}"
            if len(places) == len(heads) and (len(heads) > 2 or not agrees):
                words = "in all cases" if agrees else "in no case"
            values = ((i, getattr(every[i].derived, "value", None)) for i in places)
            worth = {i: Fraction(value) for i, value in values if isinstance(value, Number)}
            if worth and (not agrees or len(places) in (1, len(heads))):
                is_least = (op or "<").startswith("<") != agrees
                near = (min if is_least else max)(worth, key=worth.__getitem__)
                beside = every[near].compared
                told = f"{beside.value if is_alike else beside}{beside.far}"
                told = beside.far[2:] if capital(quantity.called) in later else told
                where = f"nearest with {heads[near]}: " * (len({*worth.values()}) > 1)
                words += f" ({where}{told})" * bool(told)
            said |= {agrees: words} if places else {}
        yield f"{capital(claim)} {', but not '.join(said.values())}."


def stated(step: Step) -> str:
    """The number that *step* states as it stands in a head: ``m = 1``; empty for other steps."""
    if not isinstance(step, Define) or not isinstance(step.applied, Num):
        return ""
    return f"{letter(step.symbol)}{equal('', story.value_text(step.value, step.unit))}"


def admitted(part: Solved) -> Sequence[int]:
    """The cases of *part*, from 0, in which its limits are met; all, if there are none."""
    return [*filter(part.meets, range(len(part.cases)))] or range(len(part.cases))


def asked(part: Solved) -> Iterator[tuple[Quantity, Mapping[int, Number]]]:
    """What *part* asks for, and its numbers, each by its case, from 0."""
    first = part.cases[0]
    for name in first.stated.shape.wanted or (first.answer.name,):
        values = (getattr(case.quantities.get(name), "value", None) for case in part.cases)
        worth = {i: value for i, value in enumerate(values) if isinstance(value, Number)}
        yield first.problem.quantities[name], worth


def ranked(part: Solved) -> Iterator[tuple[Quantity, Mapping[int, Number]]]:
    """What *part* asks for, where it has different values in those of its cases, from 0, in which
    its limits are met, if there are such: those values, the least first."""
    for quantity, known in asked(part):
        worth = {i: known[i] for i in admitted(part) if i in known}
        if len({*worth.values()}) > 1:
            yield quantity, {i: worth[i] for i in sorted(worth, key=lambda i: Fraction(worth[i]))}


def leading(found: Mapping[str, Marks]) -> tuple[int | None, str]:
    """The case, from 0, that is *found* to be least, and how that is marked."""
    return next((one for marks in found.values() for one in marks.items()), (None, ""))


def least(part: Solved) -> Mapping[str, Marks]:
    """The last time, and the last money, that *part* asks for, if it is least in one case alone, by
    what it is called: how each case is marked, the least first; where the words of its author
    compare nothing, and nothing is to be met, none."""
    words = part.question.text
    if part.question.is_silent or (words and not (part.limits or _COMPARES.search(words))):
        return {}
    last: dict[Dimension, tuple[Quantity, Mapping[int, Number]]] = {}
    for quantity, worth in ranked(part):
        if quantity.unit.dimension in (TIME, MONEY) and not _NO_COST.search(quantity.called):
            last[quantity.unit.dimension] = quantity, worth
    every, found = dict(asked(part)), dict[str, Marks]()
    for quantity, worth in last.values():
        place, first = next(iter(worth.items()))
        if first > 0 and [*worth.values()].count(first) == 1:
            is_alone = sum(one <= first for one in every[quantity].values()) == 1
            more = {i: story.difference(x, first).lstrip("+") for i, x in worth.items()}
            marks = {i: f"{far} more" * bool(far) for i, far in more.items()}
            marks[place] = "least" if is_alone else "least within the limit"
            found[capital(quantity.called)] = marks
    return found


def others(
    part: Solved, heads: Sequence[str], told: Told, found: Mapping[str, Marks], said: Set[str]
) -> Iterator[str]:
    """What is *told* and not *said*, with *heads* behind the values and *found* marks: of a few
    cases all; of many that are admitted which is least and what is next, or the least and the
    greatest; of one nothing that its verdict has told."""
    is_few, apart = len(heads) <= FEW, "; " if any(", " in one for one in heads) else ", "
    places = range(len(heads)) if is_few else admitted(part)
    quantities, met = part.cases[0].problem.quantities, part.limits if len(places) == 1 else ()
    said = {*said, *(capital(quantities[limit.name].called) for limit in met)}
    many = ranked(part) if len(places) > FEW else ()
    ends = {capital(one.called): [*worth] for one, worth in many}
    known = {capital(one.called): (one.unit, [*worth.values()]) for one, worth in asked(part)}
    for name in (x for x in told[0] if x not in said):
        values, (unit, worth) = [one[name] for one in told], known.get(name, (COUNT, []))
        if unit.dimension == TIME and values == [hedged(in_sentence(x, unit)) for x in worth]:
            values = [*map(hedged, together(worth, unit))]  # with no minutes beside seconds
        among, marks = ends.get(name, places), found.get(name, {})
        if marks and not is_few:
            yield best(name, marks, heads, values)
            continue
        if all(values[i].startswith(ABOUT) for i in among):  # which is said once
            values = [x.removeprefix(ABOUT * (i != among[0])) for i, x in enumerate(values)]
        words = [apart.join(filter(None, (one, marks.get(i)))) for i, one in enumerate(heads)]
        shown = [f"{values[i]} ({words[i]})" for i in among]
        every = f"from {shown[0]} to {shown[-1]}" if name in ends else ", ".join(shown)
        is_one = len(places) > 1 and len({told[i][name] for i in places}) == 1
        yield f"{name}: {told[places[0]][name] if is_one else every}."


def best(called: str, marks: Marks, heads: Sequence[str], values: Sequence[str]) -> str:
    """Which of many cases is best in what is *called* so, by their *marks*, and what is next."""
    first, *others = [*marks][: FEW if len(marks) <= FEW else 2]
    apart = series([f"{marks[i]} with {heads[i]}" for i in others if marks[i]])
    said = f"{re.sub('^(?:an?|the) ', '', inside(called))} with {heads[first]}"
    return f"Least {said}: {values[first]}" + f" ({apart})" * bool(apart) + "."


def table(part: Solved, heads: Sequence[str], rows: Sequence[Row]) -> blocks.TextTable:
    """What the cases of *part* come to in *rows*, as columns of a table that marks the case which
    costs least, right beside that."""
    letters, found = {head.rpartition(" = ")[0] for head in heads}, least(part)
    best, mark = leading(found)
    costs = [symbol(x.letter) for x, _ in asked(part) if capital(x.called) in found]
    letter = letters.pop() if len(letters) == 1 else ""
    header: list[str] = [letter]
    body: list[list[Pieces]] = [[(head.removeprefix(f"{letter} = "),)] for head in heads]
    for sign, title, *values in rows:
        said = "".join(str(x[0].what) for x in sign if not isinstance(x, str))
        head, *texts = stages.about([said, *(str(*cell) for cell in values)])
        header.append(", ".join(filter(None, (str(head), *map(str, title)))))
        body = [[*one, (str(text),)] for one, text in zip(body, texts, strict=True)]
    is_told = rows[-1][0] in costs[:1]
    marked = ((*one, (mark * (is_told and i == best),)) for i, one in enumerate(body))
    return blocks.TextTable((*header, ""), (*marked,))


def found(cases: Sequence[Derivation]) -> Iterator[Row]:
    """The number that is found in each of the *cases*, if these are searches."""
    answers = [case.answer for case in cases if isinstance(case, Inversion)]
    if any(isinstance(one.value, Number) for one in answers):
        values = [one.value for one in answers]
        yield symbol(answers[0].symbol), (), *cells(values, answers[0].unit)


def worth(
    cases: Sequence[Derivation], steps: Sequence[Mapping[str, Define]], name: str
) -> Sequence[object]:
    """The value of what is called *name* in each of the *cases* that has an answer, of which the
    *steps* are known by name."""
    both = zip(cases, steps, strict=True)
    every = (case.at and case.at.quantities.get(name, mine.get(name)) for case, mine in both)
    return [getattr(one, "value", None) for one in every]


def row(step: Define, values: Sequence[object], titled: bool) -> Row:
    """What *step* comes to in each case, by its letter, and its title if it is to be *titled*."""
    titled = titled and step.title.lower() != step.symbol.lower() and len(step.title) <= HEAD
    title = (inside(step.title.partition(HERE)[0]),)
    return symbol(step.symbol), title * titled, *cells(values, step.unit)


def worked(part: Solved, sides: Sequence[Sequence[Step]]) -> Sequence[int]:
    """The cases of *part*, from 0, that are worked by themselves: all of a few; of many one for
    each set of formulas in their steps, the *sides*: the one of which the author speaks first, else
    the best, else one in which the limits are met."""
    every = range(len(sides))
    is_found = isinstance(part.cases[0], Inversion) and len(sides) < FEW
    if is_found or by_hand.are_few(part):
        return every
    names = (x for _, _, said in conclusions(part.cases[0].problem.own_steps) for x in said)
    told = [int(one[2]) - 1 for one in names if one[2] and "." not in one[1]]
    best, _ = leading(least(part))
    chosen: dict[frozenset[tuple[str, Expr]], int] = {}
    best_first = (*told, *([] if best is None else [best]), *admitted(part), *every)
    for i in filter(every.__contains__, best_first):
        steps = (x for x in sides[i] if isinstance(x, Define) and not isinstance(x.formula, Num))
        chosen.setdefault(frozenset((x.name, x.formula) for x in steps), i)
    return sorted(chosen.values())


def cells(numbers: Sequence[object], unit: Unit) -> Iterator[Pieces]:
    """The values of a quantity in each case, in one *unit*."""
    known = [value for value in numbers if isinstance(value, Number)]
    is_money = unit.dimension == MONEY  # which has the digits that the answer has
    shown = iter([amount(x, unit) for x in known] if is_money else together(known, unit))
    for value in numbers:
        yield (next(shown).marked if isinstance(value, Number) else stages.EMPTY,)
