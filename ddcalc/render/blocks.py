"""What stands on a page before it has a format: headings, paragraphs, tables, formulas, pictures.

A page is a series of blocks. Some say what they are for (givens, steps, the answer): a terminal
lays these out in its own way; Markdown, LaTeX and HTML write simple ones instead. Words are
plain text that is neither cleaned nor escaped: a format does that to all of them. A page makes very
many blocks: frozen ones would take twice as long to make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:  # a page of words alone needs neither
    from ddcalc.problem.said.steps import Drawn, State
    from ddcalc.render.sides import Pieces, Sides

ANSWER, GIVEN = "Answer", "Given"  # the labels of what a page comes to, and of what it rests on

_AMOUNT: Final = re.compile(
    r"(?:≈ |~ )?[+−-]?[0-9][0-9  ]*(?:\.[0-9]+)?(?:×10[⁻⁰¹²³⁴-⁹]+)?(?: [^\d\s]+)?"
)
_NONE: Final = ("", "…", "...", "–", "no value")  # cells of such a column without a number


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; *level* 1 is the page's own. A terminal leaves an *optional* one out."""

    words: str
    level: int = 1
    optional: bool = False


@dataclass(slots=True)
class Paragraph:
    """Words and formulas, after a bold *label* (may be empty)."""

    pieces: Pieces
    label: str = ""


@dataclass(slots=True)
class TextTable:
    """A table under a *header*, whose words may be empty."""

    header: tuple[str, ...]
    rows: tuple[tuple[Pieces, ...], ...]


@dataclass(slots=True)
class Items:
    """A list, bullets *marks* if there are any; one that *flows* takes a line if it fits."""

    rows: tuple[Pieces, ...]
    marks: tuple[str, ...] = ()
    flows: bool = False


@dataclass(slots=True)
class Display:
    """Equations on lines of their own, aligned, or None for some left out. Where they *flow*, short
    ones share a line of a terminal, the first that of the words that *lead* to it."""

    equations: tuple[Sides | None, ...]
    flows: bool = False
    lead: Pieces = ()


@dataclass(slots=True)
class Chain:
    """Equalities and estimates, or what derives a formula, a line each, with a reason each."""

    sides: Sides


@dataclass(slots=True)
class Code:
    """Lines to type, or a file: unbroken, unless they are *read* only, as formulas are."""

    text: str
    read: bool = False


@dataclass(slots=True)
class Picture:
    """A timeline, which can be drawn in characters everywhere, or curves."""

    step: Drawn


@dataclass(slots=True)
class Givens:
    """What the question states: numbers, and in words their sources, and how it is *read*."""

    states: Sequence[State]
    read: Sequence[Pieces] = ()


@dataclass(slots=True)
class Stage:
    """A step of the working, under its *title* and *number* (0: none); in brief its *body*."""

    body: tuple[Block, ...]
    title: str = ""
    why: str = ""
    number: int | None = None


@dataclass(slots=True)
class Remark:
    """The answer, or what is to be said after it, under its *label*."""

    label: str
    body: tuple[Block, ...]


@dataclass(slots=True)
class Asked:
    """A part of a question: its *name*, its *words*, and what it comes to."""

    name: str
    words: str
    body: tuple[Block, ...]


Plain = Heading | Paragraph | TextTable | Items | Display | Chain | Code | Picture
Meant: TypeAlias = Givens | Stage | Remark | Asked
Block: TypeAlias = Plain | Meant


def are_amounts(cells: Iterable[Pieces]) -> bool:
    """Whether a column has several amounts and nothing else."""
    texts = ["".join(p if isinstance(p, str) else "=" for p in cell).strip() for cell in cells]
    matches = [_AMOUNT.fullmatch(text) for text in texts if text not in _NONE]
    return len(matches) > 1 and all(matches)


def words_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> TextTable:
    """A table of words, without formulas."""
    return TextTable((*header,), tuple(tuple((words,) for words in row) for row in rows))


def lines(label: str, said: Iterable[Pieces]) -> Iterator[Remark]:
    """A remark with a paragraph for each of what is *said*, if there is anything."""
    if paragraphs := tuple(map(Paragraph, said)):
        yield Remark(label, paragraphs)


def joined(one: Asked, then: Asked) -> Asked:
    """The part *one* with what *then* adds to it, and both answers first."""
    every = (*one.body, *then.body)
    answers = [x for x in every if isinstance(x, Remark) and x.label == ANSWER]
    said = tuple(paragraph for answer in answers for paragraph in answer.body)
    working = (x for x in every if x not in answers)
    return replace(one, body=(*[Remark(ANSWER, said)] * bool(said), *working))
