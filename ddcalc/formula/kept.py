"""What SymPy came to, kept by what it was asked: equal questions get the same answer without it.

The answers to questions of our own types come with the package, in ``kept.txt`` beside this file;
``tests/kept_forms.py`` writes it, and a test makes all of them anew. Others are kept in the user's
cache folder, a file each. A question is asked in whole formulas, so an answer fits whatever type
asks it, and a type that changes asks another question.

An answer is data: formulas in the letters of the question, of functions that we know. Where one
cannot be read, or is wrong at a point where that can be seen, SymPy is asked again.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS, NOTHING, cases
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Add,
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Nothing,
    Num,
    Number,
    Pow,
    Rel,
    Sym,
    symbols,
)
from ddcalc.numbers.irrational import Approximate

Rank = Mapping[str, int]
Data = Any  # what JSON holds: lists, texts, whole numbers, true and false, null
Answer = Any  # formulas, and lists of them

SHIPPED: Final = Path(__file__).with_name("kept.txt")
MAKERS: Final = ("cas.py", "kept.py", "../ask/closed.py")  # what an answer is made by
MOST: Final = 4096  # answers in the user's folder
LARGEST: Final = 1 << 16  # bytes of one
DEEPEST: Final = 60  # brackets in brackets in one
POINTS: Final = 3  # at which an answer is looked at
PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)

_KINDS: Final[Mapping[str, Callable[..., Expr]]] = {
    "+": lambda *parts: Add(parts),
    "*": lambda *parts: Mul(parts),
    "-": Neg,
    "/": Div,
    "^": Pow,
}
_SIGNS: Final[Mapping[type[Expr], str]] = {Add: "+", Mul: "*", Neg: "-", Div: "/", Pow: "^"}


def kept(
    question: Sequence[Data],
    letters: Iterable[str],
    ask: Callable[[], Answer],
    holds: Callable[[Answer], bool],
) -> Answer:
    """The answer to a *question* with those *letters*: one that is kept and *holds*, else what
    SymPy says when we *ask* it."""
    digest = _digest(repr(question).encode())
    recalled = _shipped(digest) or _of_user(digest)
    if recalled is not None:
        with suppress(ArithmeticError, KeyError, TypeError, ValueError, RecursionError):
            answer = _InLetters({*letters}).read(json.loads(recalled))
            if holds(answer):
                return answer
    answer = ask()
    text = json.dumps(written(answer), allow_nan=False, separators=(",", ":"))
    if text != recalled:
        _remember(digest, text)
    return answer


# The questions


def solved_for(unknown: str, left: Expr, right: Expr, rank: Rank) -> tuple[Expr, Expr]:
    """*left* = *right*, linear in *unknown*, as (the unknown's value, its coefficient); see
    :func:`ddcalc.formula.cas.solved_for`."""

    def ask() -> Answer:
        from ddcalc.formula import cas

        return [*cas.solved_for(unknown, left, right, rank)]

    def holds(answer: Answer) -> bool:
        value, slope = answer
        points = _points({*symbols(left), *symbols(right)} - {unknown})
        return all(_is_linear(left - right, unknown, value, slope, point) for point in points)

    question = ["solved for", unknown, written(left), written(right)]
    value, slope = kept(*_ordered(question, (left, right), rank), ask, holds)
    return value, slope


def _is_linear(
    difference: Expr, unknown: str, value: Expr, slope: Expr, point: Mapping[str, Number]
) -> bool:
    """Whether a *difference* rises by the *slope* everywhere, and is 0 at the *value*."""
    places = (1, 2, 3, evaluate(value, point))
    one, two, three, last = (evaluate(difference, {**point, unknown: place}) for place in places)
    return bool(two - one == evaluate(slope, point) == three - two and last == 0)


def solution(owner: str, unknown: str, relation: Rel, rank: Rank) -> Expr:
    """Where both sides of *relation* are equal; nothing where the *unknown* has no effect.

    Raises BadEquation, which names the *owner*, unless it is linear in the unknown. Letters are
    written in the order of their *rank*.
    """
    try:
        value, slope = solved_for(unknown, relation.left, relation.right, rank)
    except ValueError as error:
        raise BadEquation(owner, str(error)) from None
    if isinstance(slope, Num):
        return value
    return cases((NOTHING, Rel("==", slope, Num(0))), otherwise=value)


def slope(formula: Expr, at: Sym, rank: Rank) -> Expr:
    """The derivative of *formula* by the letter *at*, its letters in the order of their *rank*."""

    def ask() -> Answer:
        from ddcalc.formula import cas

        return cas.slope(formula, at, rank)

    def holds(answer: Answer) -> bool:
        from ddcalc.formula.slopes import Differential

        return all(
            agree(
                evaluate(answer, point),
                Differential(point, {at.name: {"": 1}}).of(formula).slopes.get("", 0),
            )
            for point in _points({*symbols(formula)})
        )

    question = ["slope", at.name, written(formula)]
    made: Expr = kept(*_ordered(question, (formula,), rank), ask, holds)
    return made


def is_least(formula: Expr, at: Sym, place: Expr) -> bool:
    """Whether *formula* has no slope in the letter *at* at *place*, and curves up there."""

    def ask() -> Answer:
        from ddcalc.formula import cas

        return cas.is_least(formula, at, place)

    return _is_so(["is least", at.name, written(formula), written(place)], ask)


def sums_to(term: Expr, index: Sym, limits: tuple[Expr, Expr], worth: Expr) -> bool:
    """Whether *term*, for the letter *index* between the *limits*, adds up to *worth*."""

    def ask() -> Answer:
        from ddcalc.formula import cas

        return cas.sums_to(term, index, limits, worth)

    question = ["sums to", index.name, *map(written, (term, *limits, worth))]
    return _is_so(question, ask)


def alike(one: Expr, other: Expr) -> bool:
    """Whether two formulas have the same value for all positive numbers."""

    def ask() -> Answer:
        from ddcalc.formula import cas

        return cas.alike(one, other)

    return one == other or _is_so(["alike", written(one), written(other)], ask)


def _is_so(question: Sequence[Data], ask: Callable[[], Answer]) -> bool:
    """What SymPy has to say about a statement; that it is so is all there is to keep."""
    return bool(kept(question, (), ask, lambda answer: isinstance(answer, bool)))


def _ordered(
    question: Sequence[Data], formulas: Iterable[Expr], rank: Rank
) -> tuple[Sequence[Data], set[str]]:
    """*question* with its letters in the order in which they are to be written, and these."""
    letters = {letter for formula in formulas for letter in symbols(formula)}
    return [*question, in_order(letters, rank)], letters


def in_order(letters: Iterable[str], rank: Rank) -> list[str]:
    """*letters* by their *rank*, with a mark before those that have none."""
    ranked = [*letters, ""]
    return sorted(ranked, key=lambda letter: (rank.get(letter, len(rank)), letter))


# Where an answer is looked at


def _points(letters: Iterable[str]) -> Iterator[Mapping[str, Number]]:
    """Some numbers for the *letters*, of which none has anything to do with another."""
    names = sorted(letters)
    for shift in range(1, POINTS + 1):
        yield {
            name: Fraction(PRIMES[i % len(PRIMES)] + i, 3 + shift) + shift
            for i, name in enumerate(names)
        }


def agree(one: Number, other: Number) -> bool:
    """Whether two values are equal, to forty digits where they are not rational."""
    if Approximate not in (type(one), type(other)):
        return one == other
    return abs(Fraction(one) - Fraction(other)) * 10**40 <= abs(Fraction(other))


# Formulas as data


def written(answer: Answer) -> Data:
    """Formulas as JSON holds them; what is no formula stays what it is."""
    match answer:
        case Sym(name):
            return name
        case Num(value):
            whole = value.denominator == 1
            return int(value) if whole else ["number", value.numerator, value.denominator]
        case Nothing():
            return ["nothing"]
        case Fun(name, args):
            return ["function", name, *map(written, args)]
        case Rel(op, left, right):
            return ["relation", op, written(left), written(right)]
        case Cases(branches, otherwise):
            pairs = [[written(one.value), written(one.test)] for one in branches]
            return ["cases", pairs, written(otherwise)]
        case Expr():
            return [_SIGNS[type(answer)], *map(written, answer.parts())]
        case list():
            return ["list", *map(written, answer)]
    return answer


class _InLetters:
    """Reads answers that are written in some *letters*."""

    def __init__(self, letters: set[str]) -> None:
        self.letters = letters

    def read(self, data: Data, depth: int = 0) -> Answer:
        """The formulas in *data*; ValueError or TypeError where it holds anything else."""
        if depth > DEEPEST:
            raise ValueError("too deep")
        match data:
            case None | bool():
                return data
            case int():
                return Num(data)
            case str() if data in self.letters:
                return Sym(data)
            case ["number", int(top), int(bottom)]:
                return Num(Fraction(top, bottom))
            case ["function", str(name), *parts] if name in FUNCTIONS:
                return Fun(name, tuple(self._formulas(parts, depth)))
            case ["list", *parts]:
                return [self.read(part, depth + 1) for part in parts]
            case [str(sign), *parts] if sign in _KINDS:
                return _KINDS[sign](*self._formulas(parts, depth))
        raise ValueError("no formula")

    def _formulas(self, parts: Sequence[Data], depth: int) -> Iterator[Expr]:
        for part in parts:
            formula = self.read(part, depth + 1)
            if not isinstance(formula, Expr):
                raise TypeError("no formula")
            yield formula


# The files


def _digest(data: bytes) -> str:
    from hashlib import blake2b  # its library takes milliseconds to load

    return blake2b(data, digest_size=16).hexdigest()


def line(digest: str, text: str) -> str:
    """A line of a file: what an answer is kept under, a check of the line, and its *text*."""
    return f"{digest} {_digest(f'{digest} {text}'.encode())[:8]} {text}\n"


@cache
def _lines() -> str:
    try:
        return "\n" + SHIPPED.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _shipped(digest: str) -> str | None:
    """The answer under *digest* that comes with the package."""
    lines = _lines()
    start = lines.find(f"\n{digest} ") + 1
    return _checked(lines[start : lines.find("\n", start)], digest) if start else None


def _of_user(digest: str) -> str | None:
    """The answer under *digest* in the user's folder."""
    with suppress(OSError, ValueError):
        name = os.path.join(_folder(), digest)
        if stat.S_ISREG(os.stat(name).st_mode):
            with open(name, encoding="utf-8") as file:
                return _checked(file.read(LARGEST).rstrip("\n"), digest)
    return None


def _checked(text: str, digest: str) -> str | None:
    """The answer in a line, if it is whole and under that *digest*."""
    under, _, answer = text.partition(" ")
    check, _, answer = answer.partition(" ")
    fits = under == digest and check == _digest(f"{digest} {answer}".encode())[:8]
    return answer if fits else None


def _remember(digest: str, text: str) -> None:
    from ddcalc.boundary.files import keep

    if len(text) < LARGEST // 2:
        with suppress(OSError):
            keep(_folder(), digest, line(digest, text), MOST)


@cache
def _folder() -> str:
    """The user's folder for answers that are made by just this code and this SymPy."""
    from importlib.metadata import version

    usual = os.path.join(os.path.expanduser("~"), ".cache")
    base = os.environ.get("XDG_CACHE_HOME", "")
    here = os.path.dirname(__file__)
    made_by = version("sympy").encode()
    for name in MAKERS:
        with open(os.path.join(here, name), "rb") as file:
            made_by += file.read()
    return os.path.join(base if os.path.isabs(base) else usual, "ddcalc", _digest(made_by))
