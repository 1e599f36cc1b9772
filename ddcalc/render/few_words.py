"""What a part of a question states and comes to, in few words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, Result, singles
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import in_sentence
from ddcalc.numbers.units import COUNT
from ddcalc.problem.steps import Define, Exchange, Plot, Solve, State, Step, Table, Timeline
from ddcalc.render import blocks, story
from ddcalc.render.blocks import Pieces

if TYPE_CHECKING:
    from ddcalc.files.batch import Solved


def short(part: Solved) -> str:
    """The values that *part* asks for, alone."""
    if not part.cases or part.question.errors:
        return "not solved"
    values = ", ".join(map(_value, part.cases))
    if not part.limits:
        return values
    whether = story.asks_whether(part.question.text)
    verdicts = ("no", "yes") if whether else ("not met", "met")
    return f"{values} ({verdicts[all(one.agrees for one in part.limits)]})"


def heading(case: Derivation, part: Solved) -> str:
    """What is different in one *case* of *part*: ``12 workers``, ``S = 4 MB``."""
    varied = [state for state in case.givens if varies(state, part)]
    every = [state for one in part.cases for state in one.givens if varies(state, part)]
    lettered = any(len(worth(state)) > 1 for state in every)
    words = [_words(worth(state, lettered)) for state in varied]
    mine, *readings = (dict(one.stated.shape.reading) for one in (case, *part.cases))
    differ = (name for name in mine if any(mine[name] != one.get(name) for one in readings))
    return ", ".join(words or (mine[name].replace("_", "-") for name in differ))


def _value(case: Derivation) -> str:
    names, found = [*case.stated.shape.wanted], list[Result]()
    if isinstance(case, Inversion):
        found = [case.answer]
        names += [one.name for one in case.question.relations if one.extreme]
    known = (case.quantities[name] for name in dict.fromkeys(names) if name in case.quantities)
    wanted = [*found, *(one for results in known for one in singles(results))]
    return ", ".join(_said(case, one) for one in wanted or [case.answer])


def _said(case: Derivation, one: Result) -> str:
    """A result in short, as one would say it."""
    if not isinstance(one.value, Number):
        return story.value_text(one.value, one.unit)
    shown = in_sentence(one.value, story.shown_unit(case, one)).marked.partition(" (")[0]
    noun = case.problem.quantities[one.name].called.split(" ")[0].rstrip(",")
    return f"{shown} {noun}" if one.unit == COUNT and _is_noun(noun, shown) else shown


def steps_of(case: Derivation, part: Solved, everything: bool = False) -> Iterator[Step]:
    """The steps of a *case* of *part* on which its answer rests, unless *everything* is wanted;
    tables and pictures only where a play is asked for as a whole, or of a search."""
    if everything or (at := answered(case)) is None:
        yield from case.shown_steps(everything)
        return
    is_found, wanted = isinstance(case, Inversion), case.stated.shape.wanted
    names = [limit.name for limit in part.limits if not wanted]
    names += [one.name for one in case.question.relations] if isinstance(case, Inversion) else []
    basis = at.commentary().basis(is_brief(case, part), () if is_found else names)
    basis |= at.commentary().basis(names=names) if names else basis
    steps = [*case.shown_steps()]
    is_solved = is_found and any(isinstance(step, Solve) and step.argument for step in steps)
    for step in steps:
        name = getattr(step, "name", None)
        if is_solved and isinstance(step, Define) and name in names:
            continue  # its number is that of the proof
        if isinstance(step, Table | Timeline | Exchange | Plot):
            lists = {
                at.commentary().problem.origin[one][0].name for one in getattr(step, "letters", ())
            }
            kept = is_found or not (wanted or names or at.working.plan or lists - basis)
        else:
            kept = name in basis or name not in at.problem.quantities
        if kept:
            yield step


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


def _is_noun(word: str, number: str) -> bool:
    """Whether *word* is what so many are counted of."""
    return word.endswith("s") and number != "1"


def results(case: Derivation, part: Solved, known: Collection[str]) -> Iterator[Pieces]:
    """The letters of what is taken over from earlier parts, as far as it is used, not *known*."""
    used = letters(steps_of(case, part)) - {*known}
    taken = [one for one in case.givens if "." in one.name and one.symbol in used]
    for origin in dict.fromkeys(one.preset for one in taken):
        symbols = [blocks.symbol(one.symbol) for one in taken if one.preset == origin]
        yield (*series_of(symbols), f" {origin}")


def explained(state: State) -> Pieces:
    """A given with its value, and what it is."""
    shown = worth(state)
    title = state.title.partition(" (")[0]
    return shown if len(shown) == 1 else (*shown, f" ({title})")


def series_of(parts: Sequence[Pieces]) -> Iterator[blocks.Piece]:
    """Some things in words: a, b and c."""
    for i, part in enumerate(parts):
        if i:
            yield " and " if i == len(parts) - 1 else ", "
        yield from part


def is_result(state: State) -> bool:
    """Whether it is what an earlier part comes to."""
    return state.preset.startswith("from (")


def stated(state: State) -> str:
    """What the question states, of an earlier result the value alone."""
    text = story.given_text(state)
    return text.rpartition(" = ")[2] if is_result(state) else text


def varies(state: State, part: Solved) -> bool:
    """Whether the cases of *part* state it with several values."""
    if len(part.cases) == 1:
        return False
    texts = [stated(one) for case in part.cases for one in case.givens if one.name == state.name]
    return len(set(texts)) > 1


def worth(state: State, lettered: bool = False) -> Pieces:
    """A given with its value, by what is counted, or by its letter."""
    value, title = stated(state), state.title.partition(" (")[0]
    noun = re.split(" (?:of|in) |,", title)[0]
    if state.unit == COUNT and _is_noun(noun, value) and not lettered:
        return (f"{value} {noun}",)
    return (*blocks.symbol(state.symbol), f" = {value}")


def _words(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(str(side.what) for side in piece)
        for piece in pieces
    )
