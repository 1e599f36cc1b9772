"""What a part of a question states and comes to, in few words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, Result, singles
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import in_sentence
from ddcalc.numbers.units import COUNT
from ddcalc.problem.steps import Exchange, Plot, State, Step, Table, Timeline
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
    words = [_words(worth(state)) for state in varied]
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


def steps_of(case: Derivation, everything: bool = False) -> Iterator[Step]:
    """The steps of *case*; tables and pictures only where the type asks, not the question."""
    asks = bool(case.stated.shape.wanted) and not everything
    for step in case.shown_steps(everything):
        if not (asks and isinstance(step, Table | Timeline | Exchange | Plot)):
            yield step


def _is_noun(word: str, number: str) -> bool:
    """Whether *word* is what so many are counted of."""
    return word.endswith("s") and number != "1"


def results(case: Derivation) -> Iterator[Pieces]:
    """The letters of what is taken over from earlier parts, as far as it is used."""
    used = {letter for step in steps_of(case) for letter in getattr(step, "numbers", ())}
    taken = [one for one in case.givens if "." in one.name and one.symbol in used]
    for origin in dict.fromkeys(one.preset for one in taken):
        letters = [blocks.symbol(one.symbol) for one in taken if one.preset == origin]
        yield (*series_of(letters), f" {origin}")


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


def worth(state: State) -> Pieces:
    """A given with its value, by what is counted or by its letter."""
    value, title = stated(state), state.title.partition(" (")[0]
    noun = re.split(" (?:of|in) |,", title)[0]
    if state.unit == COUNT and _is_noun(noun, value):
        return (f"{value} {noun}",)
    return (*blocks.symbol(state.symbol), f" = {value}")


def _words(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(str(side.what) for side in piece)
        for piece in pieces
    )
