"""What a type says beside its equations: refusals, its answer, what it means, checks, tables.

Sentences say nothing about how numbers look: :mod:`ddcalc.problem.said.speaker` puts them in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

from ddcalc.formula.expression import Expr, Rel

T = TypeVar("T")
_CHIPS = re.compile(r"^[cgt]pu(?=s?\b)")
_AFTER = re.compile("a (?:at|by|for|from|in|of|on|per|to|with)\\b")  # no article, but a letter


class After:
    """What *quantity* would be if the *changed* givens and choices were other ones; only types
    whose equations say everything can be asked that."""

    __slots__ = ("changed", "quantity")

    def __init__(self, quantity: Expr, **changed: Expr | str | int) -> None:
        self.quantity, self.changed = quantity, changed


class Blank(NamedTuple):
    """The place of a number in a sentence: *what* it is of (of a list each member), and *how* it is
    said: in the unit that fits, as " worker" (1 worker, 6 workers), " %", in a unit (" h"), or by
    the word that fits one or several ("|waits|wait")."""

    what: Expr | After | tuple[Expr, ...]
    how: str


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """Words and blanks, said *when* these relations hold and every number in it exists.

    A crosscheck is a sentence on a second way to what the answer rests on: its *relation* must
    hold, and is printed behind it. Where it fails, that is a bug.
    """

    parts: tuple[str | Blank, ...]
    when: tuple[Rel, ...] = ()
    relation: Rel | None = None

    @property
    def blanks(self) -> tuple[Blank, ...]:
        """Its blanks, in their order."""
        return tuple(part for part in self.parts if isinstance(part, Blank))


Said: TypeAlias = tuple[Sentence, ...]
"""Alternatives, of which the first that can be said is said."""


@dataclass(frozen=True, slots=True)
class Premise:
    """What the model takes for granted, and the choice, given or type that *lifts* it (by name).

    ``Premise("each worker has a link of its own to the server", lifts="server_link")``
    """

    says: str
    lifts: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """*relation* must hold, or *parameter* is refused with *message*.

    ``{name}`` in the message quotes a value.
    """

    relation: Rel
    parameter: str
    message: str


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Lists to show side by side under a *title*, by name with the head of their column.

    A row is one of *what*, counted from *first* or 1. A word of *marks* stands in the rows whose
    relation holds; the steps of the quantities that it *hides* say no more than it does. If it is
    stated, only the row of number *worked* (from 1) is worked out. There are as many *rows* as
    that comes to, where a cell shows several values; else a row for each value. What no step works
    out stands *behind* the step of that name.
    An *aside* is shown on demand. Rows that have *names* are called so instead of counted.
    """

    title: str
    what: str
    columns: Mapping[str, str]
    marks: Mapping[str, Sequence[Rel]]
    hides: str = ""
    worked: Expr | None = None
    first: Expr | None = None
    rows: Expr | None = None
    why: str = ""
    behind: str = ""
    aside: str = ""
    names: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """Why *of* is what it is: *lines*, each with its reason, and the *law* that it is, if any.

    By its *form* the first line is a formula that *of* equals, and so every next one (``=``); what
    it solves (``from``); or a cost, which is least where the letter *of* is worth that (``least``).
    SymPy makes sure of it. It is shown only where the letters in *values* are worth that, and holds
    for these: ``{"f": 6}``.
    """

    form: str
    of: Expr
    lines: tuple[tuple[Expr, str], ...]
    law: str = ""
    values: Mapping[str, int] = field(default_factory=dict)


def plural(noun: str) -> str:
    """More than one of a thing: workers, batches."""
    if " of " in noun:
        first, rest = noun.split(" of ", 1)
        return f"{plural(first)} of {rest}"
    hissed = noun.endswith(("ch", "s", "x")) and not noun.endswith("epoch")
    return noun + ("es" if hissed else "s")


def capital(words: str) -> str:
    """The same *words* with a capital letter in front, unless they begin with, or are, a letter
    that stands for a number: k-th, a in (not: a step); GPUs, as they are written."""
    words = _CHIPS.sub(lambda chip: chip[0].upper(), words)
    is_letter = not words[1:2].isalpha() and (words[:2] != "a " or _AFTER.match(words))
    return words if is_letter else words[:1].upper() + words[1:]


def inside(title: str) -> str:
    """What a *title* is inside of a sentence: the last round; GPUs and ZeRO stay such."""
    word = title.partition(" ")[0]
    is_word = (word[1:2].islower() and word[1:].islower()) or word == "A"
    return title[:1].lower() + title[1:] if is_word else title


def series(parts: Sequence[str], last: str = "and") -> str:
    """Some things in words: a, b and c."""
    return "".join(listed(parts, last))


def listed(parts: Sequence[T], last: str = "and") -> Iterator[T | str]:
    """Some things, with what stands between them: a, b and c."""
    for i, part in enumerate(parts):
        if i:
            yield f" {last} " if i == len(parts) - 1 else ", "
        yield part


def joined(pieces: Iterable[str | T]) -> list[str | T]:
    """*pieces* with neighbouring words in one."""
    made: list[str | T] = []
    for piece in pieces:
        if made and isinstance(piece, str) and isinstance(before := made[-1], str):
            made[-1] = before + piece
        elif piece != "":
            made.append(piece)
    return made
