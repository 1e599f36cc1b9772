"""Several cases of a part in few words: in which of them a limit is met, and which one is best."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.powers import as_formula, powers
from ddcalc.ask.solve import formula_in, named_in
from ddcalc.formula.expression import Number
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import ROUNDED, amount, together
from ddcalc.numbers.display import ABOUT, equal, in_full
from ddcalc.numbers.units import MONEY, TIME, Dimension, Unit
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.sentences import capital, inside, series
from ddcalc.problem.stated_formulas import conclusions, is_side
from ddcalc.problem.steps import Define, Table
from ddcalc.render import blocks, stages, story
from ddcalc.render.sides import Pieces, ShownFormula, Sides, again, in_numbers, length, symbol

if TYPE_CHECKING:
    from ddcalc.ask.solve import Derivation
    from ddcalc.files.batch import Solved

_NO_COST: Final = re.compile(r"\b(?:between|intervals?|periods?|mean time)\b")  # such a time
_COMPARES: Final = re.compile(  # in the words of an author
    r"\b(?:which|best|better|least|most|compar\w*|rank\w*|recommend\w*|pays?|worth|wins?|beats?|"
    r"(?:cheap|fast|quick|short|long|small|low|soon|larg|great|slow|dear)(?:er|est))\b",
    re.IGNORECASE,
)
_TWICE = re.compile(r"(?:= |\babout )(≈ )")  # E = ≈ 8.9
_ROUNDED = re.compile(r"(?<=^≈ )[\d.]+(?!\S| \d)")
FEW: Final = 4  # cases that are put in their order
LINE: Final = 72  # characters, more than which no example has
Told = Sequence[Mapping[str, str]]
"""What each case comes to, in words, by what the quantities are called."""


def concluded(every: Sequence[Derivation]) -> Iterator[str]:
    """What the question that has *every* case concludes itself from what it asks for, behind the
    words of its own steps, with values for the ``{names}``."""
    if not (said := [x for case in every[:1] for x in conclusions(case.problem.own_steps)]):
        return
    one_each = (x for case in every for x in case.givens if len(x.written or ()) == 1)
    stated: dict[object, str] = {
        (x.symbol, x.written[0].value): story.given_text(x).rpartition(" = ")[2]
        for x in one_each if x.written
    }  # fmt: skip
    for _, words, names in said:
        for name in (one for one in names if one[3]):
            made = in_numbers(*formula_in(every, name))
            words = words.replace(name[0], f"{made.sign} {made.what}".removeprefix("= "))
        names = [one for one in names if not one[3]]
        known = [named_in(every, name) for name in names]
        for name, results in zip(names, known, strict=True):
            both = ((x, stated.get((x.symbol, x.value))) for x in results)
            texts = [text or story.value_text(x.value, x.unit) for x, text in both]
            values = [x.value for x in results if isinstance(x.value, Number)]
            if len({*texts}) > 1 and len(values) == len(results):
                texts = [one.marked for one in together(values, results[0].unit)]
            texts = [_ROUNDED.sub(lambda x: in_full(x[0], ROUNDED), one) for one in texts]
            words = words.replace(name[0], series(texts if len({*texts}) > 1 else texts[:1]))
        words = _TWICE.sub(r"\1", words)
        if not known or any(one.value is not None for results in known for one in results):
            yield f"{capital(words)}."


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


def verdicts(part: Solved, heads: Sequence[str], later: Set[str]) -> Iterator[str]:
    """In which cases of *part*, by their *heads*, each of its limits is met; where not, how far the
    nearest one is from it, unless the author tells its numbers *later*."""
    checks = [part.of_case(i, part.limits) for i in range(len(heads))]
    for every in zip(*checks, strict=True):
        called = part.cases[0].problem.quantities[every[0].name].called
        of = f"{capital(called)}: " if len(checks[0]) > 1 else ""
        alike = every[0].stated if len({one.stated for one in every}) == 1 else ""
        for agrees in (True, False):
            places = [i for i, one in enumerate(every) if one.agrees == agrees]
            said, whole = ("Met", "all cases") if agrees else ("Not met", "any case")
            those = joined([heads[i] for i in places])
            said += f" with {those}" if len(places) < len(heads) else f" in {whole}"
            values = ((i, getattr(every[i].derived, "value", None)) for i in places)
            worth = {i: Fraction(value) for i, value in values if isinstance(value, Number)}
            is_told = worth and (not agrees or len(places) in (1, len(heads)))
            is_told = is_told and every[0].name not in later
            if is_told and len({every[i].stated for i in places}) == 1:
                least = every[0].stated.startswith(("<", "≤")) != agrees
                near = (min if least else max)(worth, key=worth.__getitem__)
                says = every[near].says.partition(": ")[2]
                said += f"; nearest with {heads[near]}" * (len({*worth.values()}) > 1) + f": {says}"
            elif alike and not of:  # of what it is met
                said = re.sub("^(?:Not m|M)et", rf"\g<0> ({inside(called)} {alike})", said)
                alike = ""
            if places:
                yield f"{of}{said if not of else inside(said)}."
                of = ""


def admitted(part: Solved) -> Sequence[int]:
    """The cases of *part*, from 0, in which its limits are met; all, if there are none."""
    every = range(len(part.cases))
    return [*filter(part.meets, every)] or every


class Leading(NamedTuple):
    """In which cases what is *called* so has its values: the least first, and how much *more*."""

    called: str
    order: Sequence[int]
    more: Sequence[str]


def ranked(part: Solved, told: Told) -> Iterator[tuple[Quantity, Mapping[int, Number]]]:
    """What *part* asks for, where it has different values in those of its cases, from 0, in which
    its limits are met, if there are such: those values, the least first."""
    first = part.cases[0]
    for name in first.stated.shape.wanted or (first.answer.name,):
        quantity = first.problem.quantities[name]
        values = {i: getattr(part.cases[i].quantities.get(name), "value", None)
                  for i in admitted(part) if capital(quantity.called) in told[i]}  # fmt: skip
        worth = {i: value for i, value in values.items() if isinstance(value, Number)}
        order = sorted(worth, key=lambda i: Fraction(worth[i]))
        if len({*worth.values()}) > 1:
            yield quantity, {i: worth[i] for i in order}


def leading(part: Solved) -> int:
    """The case, from 0, in which the last time or money asked for is least; else the first."""
    told = [{capital(x.called): "" for x in part.cases[0].problem.quantities.values()}]
    ordered = ranked(part, told * len(part.cases))
    costs = [[*order] for what, order in ordered if what.unit.dimension in (TIME, MONEY)]
    return costs[-1][0] if costs else 0


def least(part: Solved, told: Told) -> Iterator[Leading]:
    """The last time, and the last money, that *part* asks for, if it is least in one case alone;
    where the words of its author compare nothing, and nothing is to be met, none."""
    if part.question.text and not (part.limits or _COMPARES.search(part.question.text)):
        return
    last: dict[Dimension, tuple[Quantity, Mapping[int, Number]]] = {}
    for quantity, worth in ranked(part, told):
        if quantity.unit.dimension in (TIME, MONEY) and not _NO_COST.search(quantity.called):
            last[quantity.unit.dimension] = quantity, worth
    for quantity, worth in last.values():
        first, second, *_ = worth.values()
        if 0 < first < second:
            more = [story.difference(one, first).lstrip("+") for one in worth.values()]
            yield Leading(capital(quantity.called), [*worth], more)


def best(found: Collection[Leading], heads: Sequence[str], told: Told) -> Iterator[str]:
    """Which case is best, a sentence for each quantity *found* least, and which come next."""
    for one in found:
        first, *others = one.order[: FEW if len(one.order) <= FEW else 2]
        worth, more = told[first][one.called], one.more[1:]
        if len(heads) == 2:
            other = f"{told[others[0]][one.called]} with {heads[others[0]]}"
            apart = f" ({more[0]} more)" * bool(more[0])
            yield f"{one.called}: {worth} with {heads[first]}, {other}{apart}."
            continue
        called = re.sub("^(?:an?|the) ", "", inside(one.called))
        both = zip(others, more, strict=False)
        apart = series([f"{x} more with {heads[i]}" for i, x in both if x])
        yield f"Least {called} with {heads[first]}: {worth}" + f" ({apart})" * bool(apart) + "."


def others(part: Solved, heads: Sequence[str], told: Told, said: Set[str], later: Set[str]) -> str:
    """What is *told* of the cases that are admitted, but for what is *said* already and what comes
    *later*: with *heads* behind the values, of many the least and the greatest, of one nothing."""
    places = admitted(part) if len(heads) > 2 else range(len(heads))
    quantities = part.cases[0].problem.quantities
    said |= {capital(quantities[name].called) for name in later if name in quantities}
    if len(places) == 1:  # of which the verdict has told how far it is from its limits
        said |= {capital(quantities[limit.name].called) for limit in part.limits}
    many = ranked(part, told) if len(places) > FEW else ()
    ends = {capital(one.called): [*worth] for one, worth in many}
    sentences: list[str] = []
    for name in (one for one in told[0] if one not in said):
        shown = [f"{told[i][name]} ({heads[i]})" for i in ends.get(name, places)]
        values = ", ".join(shown) if name not in ends else f"from {shown[0]} to {shown[-1]}"
        is_one = len(places) > 1 and len({told[i][name] for i in places}) == 1
        sentences.append(f"{name}: {told[places[0]][name] if is_one else values}.")
    return " ".join(sentences)


def table(
    cases: Sequence[Derivation], heads: Sequence[str], rows: Sequence[tuple[Pieces, ...]]
) -> Iterator[blocks.Block]:
    """What the *cases* find, and come to in *rows*, a column each; of options a table each."""
    searches = [case for case in cases if isinstance(case, Inversion)]
    is_number = searches and isinstance(searches[0].question.unknown, Given)
    next_to = beside(searches) if is_number else ()
    rows = [*([found(searches)] if searches else ()), *next_to, *rows]
    if rows:
        titled = any(title for _, title, *_ in rows)
        shown = tuple((one[0], *one[1 if titled else 2 :]) for one in rows)
        yield blocks.TextTable(("", *[""] * titled, *heads), shown)
    for head, case in zip(heads, [] if is_number else searches, strict=False):
        for step in (one for one in case.steps if isinstance(one, Table)):
            yield from (blocks.Paragraph((f"{head}:",)), *stages.step_blocks(step))


def found(cases: Sequence[Derivation]) -> tuple[Pieces, ...]:
    """What is found in each of the *cases*, as a row of their table."""
    results = [case.answer for case in cases]
    row = cells([result.value for result in results], results[0].unit)
    called = cases[0].problem.quantities[results[0].name].called
    row = (cell if any(cell) else ("none",) for cell in row)
    return symbol(results[0].symbol), (called,) * (called != results[0].symbol), *row


def beside(cases: Sequence[Inversion]) -> Iterator[tuple[Pieces, ...]]:
    """What is compared next to what is found in each of the *cases*, as rows of their table: at
    both neighbours of a whole number that is best; at one that fails."""
    extreme, sign = cases[0].question.extreme, letter(cases[0].answer.symbol)
    if extreme is None and any(row := [(x.outcome.solutions and _failing(x)) or "" for x in cases]):
        yield ("fails at",), (), *((cell,) for cell in row)
    for label, step in (("smaller", -1), ("larger", 1)) if extreme else ():
        row = list[str]()
        for case in cases:
            at = case.answer.value + step if isinstance(case.answer.value, int) else None
            worth = None if at is None else _compared(case, at)
            unit = case.question.compared[extreme.name].unit if extreme else case.answer.unit
            shown = amount(worth, unit).marked if isinstance(worth, Number) else worth
            row.append(f"{at}: {shown}" if shown else "")
        if any(row):
            yield (f"{label} {sign}",), (), *((cell,) for cell in row)


def _compared(case: Inversion, at: int) -> Number | str | None:
    """What is to be best in *case* if *at* is put in: its value, that something else fails, or
    nothing where that is not known."""
    pieces = case.outcome.admitted
    is_admitted = not pieces or any(at in piece for piece in pieces)
    extreme, known = case.question.extreme, case.outcome.compared(at) if is_admitted else {}
    if known and not all(one.holds_among(known) for one in case.question.bounds):
        return "fails"
    return known.get(extreme.name) if extreme else None


def _failing(case: Inversion) -> str:
    """What fails next to the range that is found, at each end: ``26: 8.127 h``."""
    low, high = case.outcome.solutions[0].low, case.outcome.solutions[-1].high
    after = (high + 1,) if isinstance(high, int) and isinstance(low, int) else ()
    failing = dict[Number, str]()
    for x in (*case.outcome.beside, *after):
        values = case.outcome.compared(x)
        for relation in case.question.bounds:
            left, _ = relation.sides(values)
            is_own = relation.name == case.question.unknown.name
            if left is not None and not (is_own or relation.holds_among(values)):
                unit = case.question.compared[relation.name].unit
                failing.setdefault(x, f"{amount(x, case.answer.unit)}: {amount(left, unit).marked}")
    return ", ".join(failing.values())


def row(
    cases: Sequence[Derivation], step: Define, alone: Sequence[Define | None], titled: bool
) -> tuple[Pieces, ...]:
    """What *step* comes to in each of the *cases* that has an answer, by its letter, and its title
    if it is to be *titled*; *alone* are the steps of the single cases, as far as they have it."""
    both = zip(alone, cases, strict=True)
    worth = [(mine or x.at.quantities.get(step.name)) if x.at else None for mine, x in both]
    numbers = [getattr(one, "value", None) for one in worth]
    titled = titled and step.title.lower() != step.symbol.lower()
    sign, values = _sign_of([*cells(numbers, step.unit)])
    return (*symbol(step.symbol), *sign), (inside(step.title),) * titled, *values


def met(part: Solved) -> Iterator[tuple[Pieces, ...]]:
    """Whether each case of *part* meets its limits, a row for each of these."""
    for every in zip(*(part.of_case(i, part.limits) for i in range(len(part.cases))), strict=True):
        quantity = part.cases[0].problem.quantities[every[0].name]
        if len({one.stated for one in every}) == 1 and not is_side(quantity.name):
            answers = ("yes" if one.agrees else "no" for one in every)
            yield (*symbol(quantity.letter), f" {every[0].stated}"), (), *((x,) for x in answers)


def _sign_of(row: Sequence[Pieces]) -> tuple[Pieces, Sequence[Pieces]]:
    """The sign that all cells of a *row* have alike, as they are rounded, and these without it."""
    said = [str(piece) for cell in row for piece in cell if piece]
    if len(said) > 1 and all(one.startswith(ABOUT) for one in said):
        return (f" {ABOUT.strip()}",), [(str(cell[0]).removeprefix(ABOUT),) for cell in row]
    return (), row


def in_varied(cases: Sequence[Derivation], step: Define, name: str) -> Sides:
    """What *step* is as a sum of powers of the given that is called *name*, if that is all that is
    different in the *cases*; nothing where it is no such sum."""
    given = cases[0].problem.givens.get(name)
    if given is None or any(isinstance(case, Inversion) for case in cases):
        return ()
    terms = powers(step.symbol, given.letter, [case.working for case in cases])
    if terms is None or len(terms) > FEW:
        return ()
    made = in_numbers(*as_formula(terms, given.letter, step.unit, given.unit))
    return (made,) if str(made.what) != str(ShownFormula(step.applied)) else ()


def worked(case: Derivation, name: str, head: str) -> Iterator[blocks.Items]:
    """What is called *name* with the numbers of a *case* put in, behind the *head* of that and what
    is found there; spare if it is not what is asked for."""
    steps = case.at.steps if case.at else ()
    step = next((x for x in steps if isinstance(x, Define) and x.name == name), None)
    if step is None or step.open or not step.numbers:
        return
    first, *others = again(step)[1:]
    asked = [*(case.stated.shape.wanted or (case.answer.name,))]
    if isinstance(case, Inversion):
        [(value,)] = cells([case.answer.value], case.answer.unit)
        head = f"{head}, {equal(case.answer.symbol, str(value))}"
        asked += [getattr(case.question.extreme, "name", "")]
    sides = (replace(first, sign=""), *others)
    is_long = len(head) + length(sides) > LINE
    yield blocks.Items(((sides,),), (f"{head}:",), is_long or name not in asked)


def cells(numbers: Sequence[object], unit: Unit) -> Iterator[Pieces]:
    """The values of a quantity in each case, in one *unit*."""
    known = [value for value in numbers if isinstance(value, Number)]
    is_money = unit.dimension == MONEY  # which has the digits that the answer has
    shown = iter([amount(x, unit) for x in known] if is_money else together(known, unit))
    for value in numbers:
        yield (next(shown).marked if isinstance(value, Number) else "",)
