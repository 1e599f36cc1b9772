"""Puts the numbers of a question into the sentences that its type declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from ddcalc.errors import BadEquation, DdcalcError
from ddcalc.formula.algebra import multiplied
from ddcalc.formula.evaluation import COMPARE, evaluate
from ddcalc.formula.expression import Expr, Fun, Number, Rel, Sym, letters
from ddcalc.numbers import amounts
from ddcalc.numbers.amounts import Amount, amount, count_in_sentence, in_unit, like_stated, per_cent
from ddcalc.numbers.irrational import agree
from ddcalc.numbers.units import COUNT, ONE, UNITS, Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.said.explanation import BYTE_RATE, WHOLE, unit_of, units_of
from ddcalc.problem.said.sentences import After, Blank, Said, Sentence, joined, listed, plural

Value: TypeAlias = Number | Expr | None
Filled: TypeAlias = tuple[str | Expr, ...]
"""A sentence with its numbers: words, and formulas where the question left symbols open."""

ABOUT: Final = "about "


class _Unsaid(Exception):
    """A number that a sentence needs does not exist here."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A second way to what the answer rests on: *words*, and the *relation* that holds with the
    values of its letters."""

    words: Filled
    relation: Rel


class Speaker:
    """Puts the numbers of one question into sentences.

    *known* are the values by letter (base units), *again* answers the question with some givens or
    choices changed: the value of the quantity of that name, by letter or choice what is different.
    Quantities are shown in the *chosen* units, by name, givens in those in which they are *stated*.
    """

    def __init__(
        self,
        problem: Problem,
        known: Mapping[str, Value],
        again: Callable[[str, Mapping[str, Number | str]], Value] | None = None,
        chosen: Mapping[str, Unit] | None = None,
        stated: Mapping[str, Unit] | None = None,
    ) -> None:
        self.problem, self.known, self.again, self.chosen = problem, known, again, chosen or {}
        self.stated = stated or {}
        self._rate = like_stated(BYTE_RATE, self.stated.values())  # that of rates here
        self.value = cache(self._value)  # what sentences share is worked out once
        self.filled = cache(self._filled)

    @property
    def units(self) -> Mapping[str, Unit]:
        """The units of all letters."""
        return units_of(self.problem, self._rate)

    def unit_of(self, what: Expr) -> Unit:
        """The unit of what *what* comes to."""
        return unit_of(self.problem, self._rate, what)

    def all(self, sentences: Iterable[Said]) -> list[Filled]:
        """Those of the *sentences* that can be said here."""
        spoken = (self.spoken(said) for said in sentences)
        return [words for one in spoken if one and (words := self.filled(one)) is not None]

    def paragraph(self, sentences: Iterable[Said]) -> Filled:
        """Those of the *sentences* that can be said here, one after the other."""
        pieces: list[str | Expr] = []
        for filled in self.all(sentences):
            pieces += [" ", *filled] if pieces else filled
        return tuple(pieces)

    def spoken(self, said: Said) -> Sentence | None:
        """The first of the alternatives that can be said here."""
        return next((one for one in said if self.filled(one) is not None), None)

    def checked(self, check: Said) -> Checked | None:
        """*check*, which holds; None where it says nothing. BadEquation where it fails: a bug."""
        spoken = self.spoken(check)
        words = self.filled(spoken) if spoken else None
        if spoken is None or words is None or spoken.relation is None:
            return None
        if any(self.known.get(one) is None for one in letters(spoken.relation)):
            return None
        if not self.holds(spoken.relation):
            raise BadEquation(self.problem.slug, f"a check fails: {spoken.relation!r}")
        return Checked(words, spoken.relation)

    def holds(self, test: Rel) -> bool:
        """Whether *test* is true here; where it has a rounded number, about."""
        left, right = (self.value(side) for side in (test.left, test.right))
        if left is None or right is None or isinstance(left, Expr) or isinstance(right, Expr):
            raise _Unsaid
        return agree(left, right) if test.op == "==" else COMPARE[test.op](left, right)

    def _value(self, what: Expr | After) -> Value:
        """What an expression, or an answer after a change, is worth here."""
        if isinstance(what, After):
            if self.again is None or what.changed.keys() & self.problem.stated_so.keys():
                raise _Unsaid
            pairs = what.changed.items()
            changed: Any = {n: self.value(x) if isinstance(x, Expr) else x for n, x in pairs}
            if any(x is None or isinstance(x, Expr) for x in changed.values()):
                raise _Unsaid
            assert isinstance(what.quantity, Sym)
            return self.again(self.problem.origin[what.quantity.name][0].name, changed)
        if isinstance(what, Sym):
            return self.known.get(what.name)
        with suppress(TypeError, KeyError, AttributeError):  # a letter in it has no value
            value: Value = evaluate(what, self.known)  # type: ignore[arg-type]
            return multiplied(value) if isinstance(value, Expr) else value
        raise _Unsaid

    def _filled(self, sentence: Sentence) -> Filled | None:
        """*sentence* with its numbers; None where it does not hold or a number does not exist."""
        pieces: list[str | Expr] = []
        about = False  # is said once
        try:
            if not all(map(self.holds, sentence.when)):
                return None
            for part in sentence.parts:
                for piece in [part] if isinstance(part, str) else self._blank(part):
                    if isinstance(part, Blank) and isinstance(piece, str):
                        shown = piece.removeprefix(ABOUT) if about else piece
                        about, piece = about or piece.startswith(ABOUT), shown
                    pieces.append(piece)
        except BadEquation:
            raise
        except (_Unsaid, ArithmeticError, DdcalcError):
            return None
        first, *others = joined(pieces)
        if isinstance(first, str) and first.startswith(ABOUT) and str(pieces[-1]).endswith("."):
            first = ABOUT.capitalize() + first.removeprefix(ABOUT)
        return first, *others

    def _blank(self, blank: Blank) -> Sequence[str | Expr]:
        if isinstance(blank.what, tuple):
            return [*listed([self._amount(one, "", self.value(one)) for one in blank.what])]
        value = self.value(blank.what)
        if value is None:
            raise _Unsaid
        if blank.how.startswith("|"):
            one, several = blank.how[1:].split("|")
            return (one if value == 1 else several,)
        return (self._amount(blank.what, blank.how.strip(), value),)

    def _amount(self, what: Expr | After, noun: str, value: Value) -> str | Expr:
        if value is None:
            raise _Unsaid
        if isinstance(value, Expr):
            return value
        shown = self._shown(what, noun)
        amount = shown(value)
        if shown is count_in_sentence and noun:
            return f"{hedged(amount)} {noun if str(amount) == '1' else plural(noun)}"
        return hedged(amount)

    def _shown(self, what: Expr | After, noun: str) -> Callable[[Number], Amount]:
        """How numbers of *what* are shown, with its *noun*."""
        quantity = self._quantity(what)
        chosen = self.chosen.get(quantity.name) if quantity else None
        if noun == "%" and not chosen:
            return per_cent
        of = what.quantity if isinstance(what, After) else what
        unit = like_stated(quantity.unit, (self._rate,)) if quantity else self.unit_of(of)
        if chosen or (noun in UNITS and UNITS[noun].dimension == unit.dimension != ONE):
            return lambda value: in_unit(value, chosen or UNITS[noun])
        if not noun and isinstance(what, Sym) and what.name in self.stated and unit != COUNT:
            stated = self.stated[what.name]
            return lambda value: amount(value, stated, stated=True)
        return count_in_sentence if noun else lambda value: amounts.in_sentence(value, unit)

    def numbers(self, said: Said) -> Iterator[tuple[str, Number]]:
        """The numbers that are *said* here, each with the letter of what it is of: a quantity, or
        one that is rounded to a whole number."""
        sentence = self.spoken(said)
        for blank in sentence.blanks if sentence else ():
            for one in blank.what if isinstance(blank.what, tuple) else (blank.what,):
                of = one.args[0] if isinstance(one, Fun) and one.name in WHOLE else one
                if blank.how[:1] != "|" and isinstance(of, Sym) and of.name in self.problem.origin:
                    value = self.value(one)
                    if isinstance(value, Number):
                        yield of.name, self._shown(one, blank.how.strip())(value).near

    def _quantity(self, what: Expr | After) -> Quantity | None:
        letter = what.quantity if isinstance(what, After) else what
        if isinstance(letter, Sym) and letter.name in self.problem.origin:
            return self.problem.origin[letter.name][0]
        return None


def hedged(shown: Amount) -> str:
    """An amount in a sentence, with a word where it is rounded."""
    return str(shown) if shown.exact else f"{ABOUT}{shown}"
