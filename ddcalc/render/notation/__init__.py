"""The one walk over an expression; what each part looks like is the business of a notation.

Order of operations, brackets, signs, the shortening of long lists and the places where a line may
break are decided here, once for all outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, TypeVar

from ddcalc.formula.expression import (
    Add,
    Case,
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Nothing,
    Num,
    Number,
    Operator,
    Pow,
    Rel,
    Sym,
    nodes,
    symbols,
)
from ddcalc.formula.letters import GREEK
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.display import ABOUT, MINUS
from ddcalc.numbers.irrational import DOUBLING

BREAK = "\v"  # before the space at which a line may break
INNER = "\f"  # the same inside of brackets, in the notations that break there; one for each level

RELATION, SUM, QUOTIENT, PRODUCT, POWER, ATOM = range(6)  # how tightly a part holds together

FENCED = ("floor", "ceiling", "norm", "grad")  # functions that begin with a fence or a nabla
LOOKING = ("grad", "indexed", "sum", "sum_over", "log2", "sqrt")  # at the text of what is in them
MOST_HOLES = 24  # numbers in a formula whose text is remembered
MOST_KINDS = 64  # of the numbers of one formula, likewise
_HOLES = tuple(map(chr, range(0xE100, 0xE100 + MOST_HOLES)))  # cleaned texts have none of these

HEAD = 4  # members of a long sum, maximum or minimum that are shown before its last one


_Member = TypeVar("_Member")
Look = Literal["letter", "number", "fence", "amount", ""]


class Part(NamedTuple):
    """A written part of a formula, how tightly it holds together, and what it *is* to its
    neighbours: a Greek letter, a plain number, or something between fences."""

    text: str
    level: int
    look: Look = ""

    def touches(self, right: Part) -> bool:
        """Whether no sign is needed between this factor and the next, as in 4ηΔ and η(x − y)."""
        if right.look == "letter":
            return self.look in ("letter", "number")
        return self.look == "letter" and right.look == "fence"


def level_of(value: Number, shown: str) -> int:
    """How tightly the number *shown* holds together."""
    if shown.startswith(ABOUT):
        return RELATION
    if value < 0:
        return SUM
    if "/" in shown:
        return QUOTIENT
    return PRODUCT if "×" in shown else ATOM


def amount_level(amount: Amount) -> int:
    """How tightly a written amount holds together."""
    if amount.number.startswith(MINUS):
        return SUM
    if "/" in amount.unit:
        return QUOTIENT
    return PRODUCT if amount.unit or "×" in amount.number else ATOM


class Notation(ABC):
    """A way to write formulas. Every method gets parts that are written already."""

    longest: ClassVar[int] = 12  # members of a list up to which all are shown
    dots: ClassVar[str] = "…"
    nothing: ClassVar[str] = "no value"
    minus: ClassVar[str] = "-"
    times: ClassVar[str] = "*"
    apart: ClassVar[str] = "*"  # between factors of which one has a unit or a power of ten
    beside: ClassVar[str] = ""  # in place of a sign between factors that need none
    euler: ClassVar[str] = "e"
    sums: ClassVar[Look] = "fence"  # what the sign of a sum is to a letter before it

    @abstractmethod
    def number(self, value: Number) -> Part: ...
    def amount(self, amount: Amount) -> Part:
        """A number with its unit."""
        return self.number(amount.value)

    def hole(self, mark: str, number: str) -> str:
        """A text of *mark* alone that the rules below treat like *number*."""
        return mark

    @abstractmethod
    def letter(self, name: str) -> str: ...
    @abstractmethod
    def power(self, base: str, exponent: Part) -> str: ...
    @abstractmethod
    def root(self, inner: Part) -> str: ...
    @abstractmethod
    def call(self, name: str, arguments: Sequence[str]) -> str:
        """A function of *arguments*. These are special: ``grad`` of f_i (the index i, the point),
        ``indexed`` (a letter, its indices), ``sum`` (what, its index, from, to), ``sum_over``
        (what, the set, the members' names) and ``log2``."""

    @abstractmethod
    def relation(self, op: Operator, left: str, right: str) -> str: ...
    @abstractmethod
    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str: ...

    def bracket(self, inner: str) -> str:
        """*inner* in brackets."""
        return f"({inner})"

    def sign(self, negative: bool, term: str) -> str:
        """*term* with its sign as a further member of a sum, after the space before it."""
        return f"{self.minus if negative else '+'} {term}"

    def negative(self, term: str) -> str:
        """*term* with the other sign."""
        return f"{self.minus}{term}"

    def product(self, factors: Sequence[Part]) -> str:
        """*factors* with signs between them where these are needed."""
        shown = factors[0].text
        times = self.apart if any(factor.look == "amount" for factor in factors) else self.times
        for left, right in pairwise(factors):
            shown += (self.beside if left.touches(right) else times) + right.text
        return shown

    def quotient(self, top: Part, bottom: Part) -> Part:
        """*top* over *bottom*."""
        over = self.at_least(top, PRODUCT)
        return Part(f"{over}/{self.at_least(bottom, POWER)}", QUOTIENT)

    def exponential(self, exponent: Part) -> str:
        """Euler's number to the power of *exponent*."""
        return self.power(self.euler, exponent)

    def inner(self, text: str) -> str:
        """*text* as a part of something else, where as a rule no line may break."""
        return unbroken(text)

    def at_least(self, part: Part, level: int) -> str:
        """*part*, in brackets where it holds together less than *level*."""
        return part.text if part.level >= level else self.bracket(part.text)


def unbroken(text: str) -> str:
    """*text* without the marks where a line may break."""
    return text.replace(BREAK, "").replace(INNER, "")


def shown(members: Sequence[_Member], most: int = Notation.longest) -> list[_Member | None]:
    """The members of a list that are shown: all if there are *most*, else the first and the last
    ones; None stands for those left out."""
    if len(members) <= most:
        return list(members)
    return [*members[: min(HEAD, most // 2)], None, members[-1]]


def written(
    expr: Expr, notation: Notation, numbers: Mapping[str, Amount | Number] | None = None
) -> str:
    """*expr* in *notation*, with the letters in *numbers* replaced, and with BREAK marks."""
    return _written_formula(expr, notation).text(numbers or {})


@lru_cache(maxsize=1 << 11)  # of the formulas of a shape, which the next question has too
def _written_formula(expr: Expr, notation: Notation) -> _WrittenFormula:
    return _WrittenFormula(expr, notation)


class _WrittenFormula:
    """A formula in a notation: its text with holes for numbers, one for each kind of them."""

    def __init__(self, expr: Expr, notation: Notation) -> None:
        self.expr, self.notation = expr, notation
        self.letters = tuple(dict.fromkeys(symbols(expr)))
        looks = any(isinstance(part, Fun) and part.name in LOOKING for part in nodes(expr))
        self.most = 0 if looks else MOST_HOLES
        self.texts: dict[tuple[tuple[str, Part], ...], str] = {}

    def text(self, numbers: Mapping[str, Amount | Number]) -> str:
        """The text with *numbers* for some letters."""
        put = [name for name in self.letters if name in numbers] if numbers else []
        if not put:
            return self.without_numbers
        parts = [_number(numbers[name], self.notation) for name in put]
        if len(put) > self.most:
            return self.made(zip(put, parts, strict=True))
        holes = [
            Part(self.notation.hole(mark, part.text), part.level, part.look)
            for mark, part in zip(_HOLES, parts, strict=False)
        ]
        kind = tuple(zip(put, holes, strict=True))
        text = self.texts.get(kind)
        if text is None:
            text = self.made(kind)
            if len(self.texts) < MOST_KINDS:
                self.texts[kind] = text
        for hole, part in zip(holes, parts, strict=True):
            text = text.replace(hole.text, part.text)
        return text

    @cached_property
    def without_numbers(self) -> str:
        """The text with all letters."""
        return self.made(())

    def made(self, parts: Iterable[tuple[str, Part]]) -> str:
        """The text with *parts* for some letters, written anew."""
        return _Walk(self.notation, dict(parts)).part(self.expr).text


def _number(value: Amount | Number, notation: Notation) -> Part:
    part = notation.amount(value) if isinstance(value, Amount) else notation.number(value)
    return Part(part.text, ATOM, "number") if part.level == ATOM else part


def _as_sum(last: Expr, exponent: Expr) -> Expr:
    """A generalised harmonic number, written out."""
    k = Sym("k")
    term = Num(1) / (k if exponent == Num(1) else k**exponent)
    return Fun("sum", (term, k, Num(1), last))


def _rounded_log2(name: str, arg: Expr) -> Expr:
    """A function that changes at powers of two, written out."""
    rounded = Fun("ceiling" if name == "ceiling_log2" else "floor", (Fun("log2", (arg,)),))
    return Num(2) ** rounded if name == "floor_power2" else rounded


class _Walk:
    def __init__(self, notation: Notation, numbers: Mapping[str, Part]) -> None:
        self.notation, self.numbers = notation, numbers

    def part(self, expr: Expr) -> Part:
        to = self.notation
        match expr:
            case Num(value):
                return _number(value, to)
            case Sym(name) if name in self.numbers:
                return self.numbers[name]
            case Sym(name):
                return Part(to.letter(name), ATOM, "letter" if name in GREEK else "")
            case Nothing():
                return Part(to.nothing, ATOM)
            case Add(args):
                return Part(self._sum(args), SUM)
            case Neg(arg):
                return Part(to.negative(self._at_least(arg, QUOTIENT)), SUM)
            case Mul(args):
                return Part(to.product([self._factor(arg) for arg in args]), PRODUCT)
            case Div(top, bottom):
                return to.quotient(self._inner(top), self._inner(bottom))
            case Pow(base, exponent):
                low = self._inner(base)
                shape: Look = "fence" if low.level < ATOM or low.look == "fence" else ""
                raised = to.power(to.at_least(low, ATOM), self._inner(exponent))
                return Part(raised, POWER, shape)
            case Fun(name, args):
                return self._call(name, args)
            case Rel(op, left, right):
                return Part(to.relation(op, self.part(left).text, self.part(right).text), RELATION)
            case Cases(cases, otherwise):
                pairs = [self._case(case) for case in cases]
                return Part(to.cases(pairs, self._inner(otherwise).text), RELATION)
        raise TypeError(f"{expr!r} is written in no way")

    def _call(self, name: str, args: tuple[Expr, ...]) -> Part:
        """A function of *args*."""
        to = self.notation
        if name in ("sum", "sum_over"):
            parts = [self._at_least(args[0], PRODUCT), *(self._inner(arg).text for arg in args[1:])]
            return Part(to.call(name, parts), PRODUCT, to.sums)
        if name == "harmonic":
            return Part(self.part(_as_sum(*args)).text, QUOTIENT)
        if name == "sqrt":
            return Part(to.root(self._inner(args[0])), POWER)
        if name == "exp":
            return Part(to.exponential(self._inner(args[0])), POWER)
        if name in DOUBLING:
            return self.part(_rounded_log2(name, args[0]))
        look: Look = "fence" if name in FENCED else ""
        return Part(to.call(name, self._listed(name, args)), ATOM, look)

    def _inner(self, expr: Expr) -> Part:
        """A part inside of another one."""
        part = self.part(expr)
        return part._replace(text=self.notation.inner(part.text))

    def _at_least(self, expr: Expr, level: int) -> str:
        return self.notation.at_least(self._inner(expr), level)

    def _factor(self, expr: Expr) -> Part:
        part = self._inner(expr)
        return (
            part if part.level >= PRODUCT else Part(self.notation.bracket(part.text), ATOM, "fence")
        )

    def _sum(self, terms: Sequence[Expr]) -> str:
        first, *others = shown(terms, self.notation.longest)
        text = "" if first is None else self._at_least(first, SUM)
        for term in others:
            negative = isinstance(term, Neg)
            bare = term.arg if isinstance(term, Neg) else term
            written = self.notation.dots if bare is None else self._at_least(bare, QUOTIENT)
            text += f"{BREAK} {self.notation.sign(negative, written)}"
        return text

    def _listed(self, name: str, args: Sequence[Expr]) -> list[str]:
        if name == "log2":
            return [self._at_least(arg, ATOM) for arg in args]
        members = shown(args, self.notation.longest) if name in ("max", "min", "argmax") else args
        return [self.notation.dots if arg is None else self._inner(arg).text for arg in members]

    def _case(self, case: Case) -> tuple[str, str]:
        return self._inner(case.value).text, self._inner(case.test).text
