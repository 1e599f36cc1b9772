"""What a part of a question states and comes to, in few words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, givens
from ddcalc.formula.expression import Num, Number
from ddcalc.formula.expression import letters as letters_in
from ddcalc.numbers.display import equal, exact_text
from ddcalc.numbers.units import COUNT, MONEY, TIME, Measured
from ddcalc.problem.quantity import StatedBound
from ddcalc.problem.sentences import capital, inside, listed
from ddcalc.problem.steps import Define, Exchange, Plot, Solve, State, Step, Table, Timeline
from ddcalc.render import blocks, story
from ddcalc.render.blocks import Pieces

if TYPE_CHECKING:
    from ddcalc.files.batch import Solved

_SENTENCE: Final = re.compile(r"(?<=\.) (?=[^\W\d_])")


def headings(part: Solved) -> list[str]:
    """What is different in each case of *part*: ``12 workers``, ``S = 4 MB``."""
    stated = [{one.name: one for one in givens(case.stated)} for case in part.cases]
    first, texts = part.cases[0], [{n: story.given_text(x) for n, x in m.items()} for m in stated]
    apart = [n for n in stated[0] if len({text.get(n) for text in texts}) > 1]
    lettered = any(len(worth(one[n])) > 1 for one in stated for n in apart if n in one)
    apart = [n for n in apart if n not in {first.answer.name, *first.problem.following()}]
    names = [n for n in apart if n in {state.name for state in first.givens}] or apart
    read = [{**dict(x.stated.shape.reading), **x.problem.stated_so} for x in part.cases]
    differ = [n for n in read[0] if any(read[0][n] != one.get(n) for one in read)]
    heads = (", ".join(_words(worth(x[n], lettered)) for n in names if n in x) for x in stated)
    options = (", ".join(x[n].replace("_", "-") for n in differ if n in x) for x in read)
    return [head or option for head, option in zip(heads, options, strict=True)]


def varied(cases: Iterable[Derivation]) -> set[str]:
    """The choices that questions of one type, among *cases*, read in several ways."""
    options: dict[tuple[str, str], set[str]] = {}
    for case in cases:
        for name, option in case.stated.shape.reading:
            options.setdefault((case.problem.slug, name), set()).add(option)
    return {name for (_, name), read in options.items() if len(read) > 1}


def answers(part: Solved, everything: bool = False) -> Iterator[Pieces]:
    """First whether what was to be met is; then, if more is asked or *everything* is wanted, the
    answer of *part* in a sentence; that of each of its cases, unless all say the same."""
    said: list[Pieces] = []
    for i, case in enumerate(part.cases):
        met = [story.met(one, part.question.text) for one in part.of_case(i, part.limits)]
        pieces: list[blocks.Piece] = [" ".join(met)] if met else []
        if everything or not met or case.stated.shape.wanted:
            short = is_brief(case, part) and not everything
            filled = (story.headline if short else story.conclusion)(case)
            if met and not isinstance(case, Inversion):
                filled = case.commentary().concluded([limit.name for limit in part.limits])
            pieces += [" "] * bool(met and filled) + [*blocks.said(filled)]
        said.append(tuple(pieces))
    if len({*map(repr, said)}) < 2:
        yield from said[:1]
        return
    heads = headings(part)
    together = in_one(heads, said, _least(part))
    each = ((f"{head}: ", *answer) for head, answer in zip(heads, said, strict=True))
    yield from [(together,)] if together else each


def says(done: Solved) -> Iterator[str]:
    """All that a problem of a file answers: every part under its id."""
    for part in done.parts:
        yield f"({part.question.id}) {' '.join(map(_words, answers(part))) or 'Not solved.'}"
    if not done.parts and done.answered:
        yield from map(_words, answers(done, everything=len(done.cases) == 1))


def _least(part: Solved) -> dict[str, int]:
    """By its title, in which of three or more cases a time, or money, asked for is least."""
    least: dict[str, int] = {}
    for name in part.cases[0].stated.shape.wanted if len(part.cases) > 2 else ():
        quantity = part.cases[0].problem.quantities[name]
        every = [getattr(case.quantities.get(name), "value", None) for case in part.cases]
        known = [value for value in every if isinstance(value, Number)]
        is_cost = quantity.unit.dimension in (TIME, MONEY) and len(known) == len(every)
        if is_cost and known.count(min(known)) == 1:
            least[capital(quantity.called)] = known.index(min(known))
    return least


def in_one(heads: Sequence[str], answers: Sequence[Pieces], least: Mapping[str, int]) -> str:
    """The *answers* to several cases as one, with their *heads* behind their values, but for values
    that all share, and which is *least*; empty where they are more than names and values."""
    texts = ["".join(one if isinstance(one, str) else ". " for one in pieces) for pieces in answers]
    told = [dict(one.partition(": ")[::2] for one in _SENTENCE.split(text)) for text in texts]
    first = told[0]
    if any(one.keys() != first.keys() or not all(one.values()) for one in told):
        return ""
    said: list[str] = []
    for name in first:
        values = [one[name].removesuffix(".") for one in told]
        marks = [
            f"{head}, the least" if i == least.get(name) else head for i, head in enumerate(heads)
        ]
        shown = (f"{value} ({mark})" for value, mark in zip(values, marks, strict=True))
        is_one = len({*values}) == 1
        said.append(f"{name}: {values[0] if is_one else ', '.join(shown)}.")
    return " ".join(said)


def steps_of(case: Derivation, part: Solved, everything: bool = False) -> Iterator[Step]:
    """The steps of a *case* of *part* on which its answer rests, unless *everything* is wanted, but
    for those that are but stated; tables and pictures only where a play is asked for as a whole, or
    of a search."""
    every = _steps_of(case, part, everything)
    return (step for step in every if not _is_stated(step, case))


def _steps_of(case: Derivation, part: Solved, everything: bool) -> Iterator[Step]:
    if everything or (at := answered(case)) is None:
        yield from case.shown_steps(everything)
        return
    is_found, wanted = isinstance(case, Inversion), case.stated.shape.wanted
    names = [limit.name for limit in part.limits]
    compared = case.question.compared if isinstance(case, Inversion) else {}
    names += [name for name, one in compared.items() if not isinstance(one, StatedBound)]
    basis = at.commentary().basis(is_brief(case, part), () if is_found or wanted else names)
    basis |= at.commentary().basis(names=names) if names else basis
    steps, origin, is_solved = [*case.shown_steps()], at.commentary().problem.origin, False
    told = {*wanted, *(names if len(part.cases) > 1 else ())}  # whatever a proof has said
    needs = (x for x in steps if isinstance(x, Define) and x.name in told)
    told |= {letter for one in needs for letter in letters_in(one.applied)}
    for step in steps:
        name = getattr(step, "name", None)
        if is_solved and isinstance(step, Define) and not {name, step.symbol} & told:
            continue  # what the proof has said
        is_solved = is_solved or (is_found and isinstance(step, Solve) and bool(step.argument))
        if isinstance(step, Table | Timeline | Exchange | Plot):
            lists = {origin[one][0].name for one in getattr(step, "letters", ())}
            kept = is_found or not (wanted or names or at.working.plan or lists - basis)
        else:
            kept = name in basis or name not in at.problem.quantities
        if kept:
            yield step


def merged(sides: Iterable[Sequence[Step]]) -> list[Step]:
    """The steps of all *sides* in their order, those of one name once."""
    steps, names = dict[str, Step](), list[str]()
    for side in sides:
        place = 0
        for step in side:
            name = getattr(step, "name", step.title)
            if name not in steps:
                names.insert(place, name)
            steps.setdefault(name, step)
            place = names.index(name) + 1
    return [steps[name] for name in names]


def stated(case: Derivation) -> list[State]:
    """What the question states: its givens, and its own steps that are nothing but a number."""
    made = [*case.givens]
    for one in case.shown_steps():
        if _is_stated(one, case) and isinstance(one, Define) and isinstance(one.formula, Num):
            value, unit = one.formula.value, getattr(one.formula, "unit", None) or one.unit
            written = Measured(value, unit, False, exact_text(value, unit))
            made.append(State(one.name, one.symbol, inside(one.title), one.unit, (written,)))
    return made


def _is_stated(step: Step, case: Derivation) -> bool:
    own = {name for name, _, _ in case.problem.own_steps}
    return isinstance(step, Define) and isinstance(step.formula, Num) and step.name in own


def asked(part: Solved) -> set[str]:
    """The names of what *part* asks for, and of what is to be met."""
    cases = filter(None, map(answered, part.cases))
    names = {name for case in cases for name in case.stated.shape.wanted or (case.answer.name,)}
    return names | {limit.name for limit in part.limits}


def is_brief(case: Derivation, part: Solved) -> bool:
    """Whether the first sentence of the answer to *case* is enough: of something that was found,
    and beside other cases."""
    return isinstance(case, Inversion) or len(part.cases) > 1


def answered(case: Derivation) -> Derivation | None:
    """The question itself at what was found for it; None where nothing was."""
    return case.at if isinstance(case, Inversion) else case


def letters(steps: Iterable[Step]) -> set[str]:
    """The letters whose numbers are put in."""
    rows = (row for step in steps for row in getattr(step, "rows", ()) or (step,))
    return {letter for row in rows for letter in getattr(row, "numbers", ())}


def results(case: Derivation, part: Solved, known: Collection[str]) -> Iterator[Pieces]:
    """The letters of what is taken over from earlier parts, as far as it is used, not *known*."""
    used = letters(steps_of(case, part)) - {*known}
    taken = [one for one in case.givens if "." in one.name and one.symbol in used]
    for origin in dict.fromkeys(one.preset for one in taken):
        symbols = [blocks.symbol(one.symbol) for one in taken if one.preset == origin]
        yield (*series_of(symbols), f" {origin}")


def explained(state: State, worked: bool = False) -> Pieces:
    """A given with its value, and what it is; first the formula where it was *worked* out."""
    shown = worth(state)
    title = state.title.partition(" (")[0]
    if worked and state.preset:
        shown = (*blocks.symbol(state.symbol), f" = {state.preset} = {story.given_text(state)}")
    is_plain = len(shown) == 1 or story.is_named(state)
    return shown if is_plain else (*shown, f" ({title})")


def worked(part: Solved) -> Iterator[tuple[Pieces, ...]]:
    """The givens that formulas state differently in each case of *part*, and that are worked out
    before a play, as rows of a table."""
    rest = part.cases[0].problem.following()
    for state in part.cases[0].givens:
        if state.name in rest and state.preset and varies(state, part):
            title = f"{state.title.partition(' (')[0]}, {state.preset}"
            every = (one for case in part.cases for one in case.givens if one.name == state.name)
            yield blocks.symbol(state.symbol), (title,), *((story.given_text(x),) for x in every)


def series_of(parts: Sequence[Pieces]) -> Iterator[blocks.Piece]:
    """Some things in words: a, b and c."""
    for part in listed(parts):
        yield from (part,) if isinstance(part, str) else part


def varies(state: State, part: Solved) -> bool:
    """Whether the cases of *part* state it with several values."""
    every = (one for case in part.cases for one in givens(case.stated) if one.name == state.name)
    return len({*map(story.given_text, every)}) > 1


def worth(state: State, lettered: bool = False) -> Pieces:
    """A given with its value, by what is counted, or by its letter."""
    value, title = story.given_text(state), state.title.partition(" (")[0]
    noun = re.split(" in |,", title)[0]
    is_noun = noun.endswith("s") and " of " not in noun and not lettered
    if state.unit == COUNT and is_noun and value != "1":
        return (f"{value} {noun}",)
    return (*blocks.symbol(state.symbol), equal("", value))


def _words(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(str(side.what) for side in piece)
        for piece in pieces
    )
