"""The one walk over an expression; what each part looks like is the business of a notation.

Order of operations, brackets, signs, the shortening of long lists and the places where a line may
break are decided here, once for all outputs; how functions are written, by their rows in
:mod:`ddcalc.formula.algebra`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, TypeVar

from ddcalc.formula import expression
from ddcalc.formula.algebra import FUNCTIONS, PRINTED
from ddcalc.formula.evaluation import spelt_out
from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Number, Pow, Sym, letter
from ddcalc.numbers.amounts import LOW, Amount, amount
from ddcalc.numbers.display import ABOUT, MINUS, fraction_text, number_text
from ddcalc.numbers.irrational import DOUBLING, Approximate
from ddcalc.numbers.units import Unit

BREAK = "\v"  # before the space at which a line may break
INNER = "\f"  # the same inside of brackets, one for each level

RELATION, SUM, QUOTIENT, PRODUCT, POWER, ATOM = range(6)  # how tightly a part holds together

HEAD = 4  # members of a long sum, maximum or minimum that are shown before its last one

_MARKS = re.compile(f"{BREAK}|{INNER}+")
_Member = TypeVar("_Member")
Look = Literal["letter", "number", "fence", "amount", ""]
Numbers = Mapping[str, Amount | Number]


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


class Notation:
    """A way to write formulas, as text in Unicode where another one does not say otherwise."""

    column: ClassVar[Literal["text", "latex", "code"]]  # of the table of functions
    longest: ClassVar[int] = 12  # members of a list up to which all are shown
    dots: ClassVar[str] = "…"
    nothing: ClassVar[str] = "no value"
    minus: ClassVar[str] = "-"
    times: ClassVar[str] = "*"
    apart: ClassVar[str] = "*"  # between factors of which one has a unit or a power of ten
    beside: ClassVar[str] = ""  # in place of a sign between factors that need none
    comma: ClassVar[str] = f",{BREAK} "  # between arguments
    between: ClassVar[str] = ","  # indices
    sums: ClassVar[Look] = "fence"  # what the sign of a sum is to a letter before it
    fraction: ClassVar[int] = POWER  # how tightly a written fraction holds together
    raised: ClassVar[str] = "{}^{}"
    signs: ClassVar[Mapping[expression.Operator, str]] = expression.SIGNS

    def number(self, value: Number) -> Part:
        """A number without a unit."""
        shown, exact = number_text(value)
        if not exact and type(value) is not Approximate:  # else the side says "about"
            shown = fraction_text(value)
        return Part(self.numeral(shown), level_of(value, shown))

    def numeral(self, shown: str) -> str:
        """A number as :mod:`ddcalc.numbers.display` writes it."""
        return shown

    def letter(self, name: str) -> str:
        """The letter of a quantity."""
        return letter(name)

    def inside(self, part: Part) -> str:
        """What stands in a place of its own: an exponent, or what a root is taken of."""
        return unbroken(part.text)

    def power(self, base: str, exponent: Part) -> str:
        """A power."""
        return self.raised.format(base, self.inside(exponent))

    def relation(self, op: expression.Operator, left: str, right: str) -> str:
        """A comparison."""
        return f"{left}{BREAK} {self.signs[op]} {right}"

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        """A distinction, by pairs of a value and when it applies."""
        return "".join(f"{value} if {test},{BREAK} " for value, test in pairs) + f"else {otherwise}"

    def measured(self, number: str, unit: str) -> str:
        """A number with its unit."""
        return f"{number} {unit}" if unit else number

    def amount(self, amount: Amount) -> Part:
        """A number with its unit, as a part."""
        level = PRODUCT if amount.unit or "×" in amount.number else ATOM
        if amount.number.startswith(MINUS):
            level = SUM
        elif "/" in amount.unit:
            level = QUOTIENT
        shown = self.measured(amount.number, amount.unit)
        return Part(shown, level, "amount" if level < ATOM else "")

    def fenced(self, left: str, right: str, inner: str) -> str:
        """*inner* between fences."""
        return f"{left}{inner}{right}"

    def bracket(self, inner: str) -> str:
        """*inner* in brackets."""
        return self.fenced("(", ")", inner)

    def index(self, shown: str) -> str:
        """An index, or several, that are written behind a letter."""
        return shown

    def tight(self, text: str) -> str:
        """*text* for an index or a bound."""
        return unbroken(text)

    def named(self, name: str, inner: str) -> str:
        """A function of what is *inner*, by its name as it is written."""
        return name + self.bracket(inner)

    def sign(self, negative: bool, term: str) -> str:
        """*term* with its sign as a further member of a sum, after the space before it."""
        return f"{self.minus if negative else '+'} {term}"

    def negative(self, term: str) -> str:
        """*term* with the other sign."""
        return f"{self.minus}{term}"

    def quotient(self, top: Part, bottom: Part) -> Part:
        """*top* over *bottom*."""
        over = self.at_least(top, PRODUCT)
        return Part(f"{over}/{self.at_least(bottom, POWER)}", QUOTIENT)

    def at_least(self, part: Part, level: int) -> str:
        """*part*, in brackets where it holds together less than *level*."""
        return part.text if part.level >= level else self.bracket(part.text)


def unbroken(text: str) -> str:
    """*text* without the marks where a line may break."""
    return text.replace(BREAK, "").replace(INNER, "")


def pieces(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """*text* cut at its outermost marks, and so again each piece that does not *fit*."""
    marks = _MARKS.findall(text)
    outer = min(marks, key=lambda mark: mark != BREAK and len(mark), default="")
    for piece in re.split(f"(?<!{INNER}){outer}(?!{INNER})", text) if marks else ():
        yield from [unbroken(piece)] if fits(piece) else pieces(piece, fits)
    if not marks:
        yield text


def in_rows(
    sides: Iterable[str], room: int, width: Callable[[str], int], indent: str
) -> Iterator[str]:
    """The *sides* of an equation, with their signs, in rows so wide: beside the one before if there
    is *room*, else below; what is too long goes on at its marks, behind an *indent*."""
    row = ""
    for side in sides:
        if row and width(unbroken(f"{row} {side}")) <= room:
            row = unbroken(f"{row} {side}")
            continue
        if row:
            yield row
        row, *more = pieces(side, lambda x: width(f"{indent}{unbroken(x).strip()}") <= room)
        for piece in more:
            if width(row + piece) <= room:
                row += piece
            else:
                yield row
                row = f"{indent}{piece.lstrip()}"
    yield row


def shown(members: Sequence[_Member], most: int = Notation.longest) -> list[_Member | None]:
    """The members of a list that are shown: all if there are *most*, else the first and the last
    ones; None stands for those left out."""
    if len(members) <= most:
        return list(members)
    return [*members[: min(HEAD, most // 2)], None, members[-1]]


class Numeral(NamedTuple):
    """A number as :mod:`ddcalc.numbers.display` writes it, in its parts (empty: it has none)."""

    about: bool
    negative: bool
    top: str
    bottom: str
    power: str  # of ten

    @classmethod
    def of(cls, shown: str) -> Numeral:
        """The parts of the number that is *shown*.

        >>> Numeral.of("≈ −76 800/7")
        Numeral(about=True, negative=True, top='76 800', bottom='7', power='')
        """
        number = shown.removeprefix(ABOUT)
        digits, _, power = number.removeprefix(MINUS).partition("×10")
        top, _, bottom = digits.partition("/")
        power = power.removeprefix("^").translate(LOW).replace(MINUS, "-")
        return cls(number != shown, number.startswith(MINUS), top, bottom, power)


def written(expr: Expr, notation: Notation, numbers: Numbers | None = None) -> str:
    """*expr* in *notation*, with the letters in *numbers* replaced, and with BREAK marks."""
    return _Walk(notation, numbers).part(expr).text if numbers else _with_letters(expr, notation)


@lru_cache(maxsize=1 << 11)  # of the formulas of a shape, which the next question has too
def _with_letters(expr: Expr, notation: Notation) -> str:
    return _Walk(notation, {}).part(expr).text


class _Walk:
    def __init__(self, notation: Notation, numbers: Numbers) -> None:
        self.notation, self.numbers = notation, numbers

    def part(self, expr: Expr) -> Part:
        to = self.notation
        match expr:
            case expression.Sized(value, unit=Unit() as unit):
                return self._number(amount(value, unit, stated=True))
            case expression.Num(value):
                return self._number(value)
            case Sym(name) if name in self.numbers:
                return self._number(self.numbers[name])
            case Sym(name) | expression.Index(name):
                return Part(to.letter(name), ATOM, "letter" if name in expression.GREEK else "")
            case expression.Nothing():
                return Part(to.nothing, ATOM)
            case Add(args):
                return Part(self._sum(args), SUM)
            case Neg(arg):
                return Part(to.negative(self._at_least(arg, QUOTIENT)), SUM)
            case Mul(args):
                return Part(self._product([self._factor(arg) for arg in args]), PRODUCT)
            case Div(top, bottom):
                return to.quotient(self._inner(top), self._inner(bottom))
            case Pow(base, exponent):
                low = self._inner(base)
                shape: Look = "fence" if low.level < ATOM or low.look == "fence" else ""
                raised = to.power(to.at_least(low, ATOM), self._inner(exponent))
                return Part(raised, POWER, shape)
            case Fun(name, args):
                return self._call(name, args)
            case expression.Rel(op, left, right):
                return Part(to.relation(op, self.part(left).text, self.part(right).text), RELATION)
            case expression.Cases(cases, otherwise):
                pairs = [(self._inner(x.value).text, self._inner(x.test).text) for x in cases]
                return Part(to.cases(pairs, self._inner(otherwise).text), RELATION)
        raise TypeError(f"{expr!r} is written in no way")

    def _number(self, value: Amount | Number) -> Part:
        to = self.notation
        part = to.amount(value) if isinstance(value, Amount) else to.number(value)
        if part.level == QUOTIENT and not isinstance(value, Amount):
            return part._replace(level=to.fraction)
        return Part(part.text, ATOM, "number") if part.level == ATOM else part

    def _inner(self, expr: Expr) -> Part:
        """A part inside of another one, where as a rule no line may break."""
        part = self.part(expr)
        return part._replace(text=_MARKS.sub(lambda x: INNER + x[0].replace(BREAK, ""), part.text))

    def _at_least(self, expr: Expr, level: int) -> str:
        return self.notation.at_least(self._inner(expr), level)

    def _sum(self, terms: Sequence[Expr]) -> str:
        first, *others = shown(terms, self.notation.longest)
        text = "" if first is None else self._at_least(first, SUM)
        for term in others:
            negative = isinstance(term, Neg)
            bare = term.arg if isinstance(term, Neg) else term
            written = self.notation.dots if bare is None else self._at_least(bare, QUOTIENT)
            text += f"{BREAK} {self.notation.sign(negative, written)}"
        return text

    def _factor(self, expr: Expr) -> Part:
        part = self._inner(expr)
        if part.level >= PRODUCT:
            return part
        return Part(self.notation.bracket(part.text), ATOM, "fence")

    def _product(self, factors: Sequence[Part]) -> str:
        """*factors* with signs between them where these are needed."""
        to, text = self.notation, factors[0].text
        times = to.apart if any(factor.look == "amount" for factor in factors) else to.times
        for left, right in pairwise(factors):
            text += (to.beside if left.touches(right) else times) + right.text
        return text

    def _call(self, name: str, args: tuple[Expr, ...]) -> Part:
        """A function of *args*; some are written as others."""
        to = self.notation
        match name, args:
            case "sum", (_, expression.Index(), *_) if self.numbers:
                both = self.numbers.items()
                worth = {n: x.value if isinstance(x, Amount) else x for n, x in both}
                made = spelt_out(Fun(name, args), worth, most=Notation.longest)
                if not isinstance(made, Fun):
                    return self.part(made)
            case _, (arg,) if name in DOUBLING:
                rounding = "ceiling" if name == "ceiling_log2" else "floor"
                return self.part(Fun(rounding, (Fun("log2", (arg,)),)))
        row = FUNCTIONS.get(name) or PRINTED.get(name)
        template: str = getattr(row, to.column, "")
        if name in ("sqrt", "exp"):
            under = self._inner(args[0])
            is_open = name == "sqrt" and " " in under.text  # √ has no line over what it is of
            under = under._replace(level=RELATION) if is_open else under
            return Part(template.format(to.inside(under)), POWER)
        if name in ("sum", "sum_over", "indexed", "grad"):
            return self._indexed(name, template, *args)
        members: Sequence[Expr | None] = args
        if name in ("max", "min", "argmax"):
            members = shown(args, to.longest)
        if not args:
            return Part(template, ATOM)
        level = ATOM if name in ("log2", "factorial") else RELATION
        inside = [to.dots if x is None else self._at_least(x, level) for x in members]
        inner = to.comma.join(inside)
        look: Look = "fence" if row and row.fence else ""
        if "{}" not in template:
            return Part(to.named(template or name, inner), ATOM, look)
        if row and row.fence:
            left, right = template.split("{}")
            return Part(to.fenced(left, right, inner), ATOM, look)
        level = POWER if name == "factorial" else ATOM
        return Part(template.format(*inside).replace("₂ (", "₂("), level)  # a bracket stands close

    def _indexed(self, name: str, template: str, first: Expr, *others: Expr) -> Part:
        """A function of a letter or a term with indices, limits or members."""
        to = self.notation
        places = [to.tight(self.part(expr).text) for expr in others]
        match name:
            case "indexed":
                base = to.tight(self.part(first).text)
                return Part(template.format(base, to.index(to.between.join(places))), ATOM)
            case "grad":
                low, point = to.index(to.tight(self.part(first).text)), self._inner(others[0]).text
                return Part(template.format(low, point, to.bracket(point)), ATOM, "fence")
            case "sum_over" if to.column != "code":
                group, *names = places
                joined = to.between.join(names)
                places = [group, joined if len(names) == 1 else to.bracket(joined)]
        return Part(template.format(self._at_least(first, PRODUCT), *places), PRODUCT, to.sums)
