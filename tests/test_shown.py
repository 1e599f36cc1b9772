"""Every formula and number that a derivation shows is worth the value beside it."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
from questions import Kind, answered, letters, of_types, single, solved_variants

from ddcalc.ask.solve import Derivation
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Number, replace, symbols
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.said.steps import Bound, Compare, Define, PutIn, Step, Table
from ddcalc.render.sides import Side, Sides, chain, comparison, equation

RANDOM = 6  # random questions beside the variants of a type


@remembered
def derivations(problem: Kind) -> list[Derivation]:
    made = [solved for _, _, solved in solved_variants(problem)]
    return made + answered(problem, "shown", RANDOM)


def same(left: Number | None, right: Number | None) -> bool:
    if left is None or right is None:
        return left is right
    if Approximate in (type(left), type(right)):
        return abs(Fraction(left) - Fraction(right)) <= abs(Fraction(right)) / 10**30
    return left == right


# Formulas, as data


@of_types
def test_formulas_yield_the_values_beside_them(problem):
    for solved in derivations(problem):
        known = letters(solved)
        for step in single(solved.steps):
            match step:
                case Define():
                    yields_its_value(step, known)
                case Compare(relation=relation, numbers=numbers):
                    values = plain(numbers)
                    assert bool(evaluate(relation, values)) == step.holds, step
                    assert evaluate(relation.left, values) == step.left, step
                    assert evaluate(relation.right, values) == step.right, step


def yields_its_value(step: Define, known: dict[str, Number]) -> None:
    """The formula, with the numbers that are put into it, and with those that the letters have; an
    equation that is solved for it holds."""
    if {*symbols(step.applied)} <= step.numbers.keys():
        assert same(worth(step.applied, plain(step.numbers)), step.value), step
    if {*symbols(step.formula)} <= known.keys():
        assert same(worth(step.formula, known), step.value), step
    for line in step.argument[:1]:
        worked = known | {step.symbol: step.value}
        if getattr(line.formula, "op", "") == "==" and {*symbols(line.formula)} <= worked.keys():
            assert same(*(evaluate(x, worked) for x in line.formula.parts())), step


def plain(numbers: Mapping[str, PutIn]) -> dict[str, Number]:
    """The values of what is put in, in base units."""
    return {name: put.value if isinstance(put, Amount) else put for name, put in numbers.items()}


def worth(formula: Expr, numbers: Mapping[str, Number]) -> Number | None:
    """The value of *formula*, in which the norm of a number is its size."""

    def size(part: Expr) -> Expr | None:
        match part:
            case Fun("norm", (inner,)):
                return Fun("max", (replace(inner, size), -replace(inner, size)))
        return None

    written: Number | None = evaluate(replace(formula, size), numbers)
    return written


# Formulas, as they are printed


@of_types
def test_printed_calculations_come_to_what_is_printed(problem):
    for solved in derivations(problem):
        for step in single(solved.steps):
            for sides in printed(step):
                agree(sides)


def printed(step: Step) -> Iterator[Sides]:
    """Sides that are one value, but for those of a comparison."""
    match step:
        case Define():
            yield equation(step)
        case Compare():
            sides = comparison(step)
            signs = (i for i, side in enumerate(sides) if side.sign not in ("", "=", "≈"))
            middle = next(signs, 0)  # 0 where both sides are equal, which is not enough
            yield from (sides[:middle], sides[middle:])
        case Bound():
            yield from pairwise(chain(step))


def agree(sides: Sides) -> None:
    """Hold the sides that are calculations with numbers alone against the first of them."""
    exact, start = None, Fraction(0)
    written = f"{[f'{side.sign} {side.what}' for side in sides]}"
    for i, side in enumerate(sides):
        try:
            value, off = in_base_units(side, sides[i + 1 :])
        except Unreadable:
            continue
        if exact is None or side.sign != "=":
            if exact is not None:
                assert abs(value - exact) <= start + off, written
            about = "≈" in [side.sign, *(other.sign for other in sides[i + 1 : i + 2])]
            exact, start = value, off if about else Fraction(0)
        else:
            assert abs(value - exact) <= FINE * abs(exact) + start, written


FINE = Fraction(1, 10**9)


UNSCALED = ("", "%", "token", "sample", "image", "kB", "MB", "GB", "TB", "PB")  # numbers, bytes


def in_base_units(side: Side, others: Sides) -> tuple[Fraction, Fraction]:
    """What *side* comes to, and how far it may be off; plain numbers are in the unit that follows
    them, unless they count things or bytes."""
    text = str(side.what)
    if "…" in text or "≈" in text:
        raise Unreadable(text)
    made = calculated(text)
    follows = next((s.what.unit for s in others if isinstance(s.what, Amount)), "")
    if any(match[2] for match in _NUMBER.finditer(text)) or follows in UNSCALED:
        return made.value, made.off
    scale = calculated(f"1 {follows}").value
    return made.value * scale, made.off * scale


# Calculations in sentences, cells and notes

_CALCULATION = r"[0-9(⌈⌊√][^=≈;:,a-zA-Z]*?"
_RESULT = r"[0-9](?:[0-9 .]*[0-9])?(?![\w·/×^.])"
_EQUATION = re.compile(rf"(?<![\w)\]+−·/] )(?<![^\s(])({_CALCULATION}) = ({_RESULT})")


@of_types
def test_calculations_in_sentences_are_right(problem):
    for solved in derivations(problem):
        for text in sentences(solved):
            for match in _EQUATION.finditer(text):
                try:
                    left, right = calculated(match[1]), calculated(match[2])
                except Unreadable:
                    continue
                assert left.value == right.value, (text, match[0])


def sentences(solved: Derivation) -> Iterator[str]:
    for step in solved.steps:
        yield step.title
        yield step.why
        if isinstance(step, Table):
            yield from (cell for row in step.rows for cell in row if isinstance(cell, str))


# Formulas as they are printed, read and calculated independently: no code is shared. A printed
# number is what it says; one that is marked as rounded (``≈``) may be half a unit of its last digit
# off, and what is calculated from it as much as that makes.


_WORTH: dict[str, Fraction | int] = {
    "ns": Fraction(1, 10**9), "µs": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": 1, "min": 60,
    "h": 3600, "d": 86400, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "PB": 10**15, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "bit": Fraction(1, 8),
    "kbit": 125, "Mbit": 125000, "Gbit": 125 * 10**6, "Tbit": 125 * 10**9, "USD": 1,
    "%": Fraction(1, 100), "token": 1, "sample": 1, "image": 1, "FLOP": 1, "MFLOP": 10**6,
    "GFLOP": 10**9, "TFLOP": 10**12, "PFLOP": 10**15, "EFLOP": 10**18,
}  # fmt: skip
_UNIT = "|".join(sorted(_WORTH, key=len, reverse=True))
_HIGH = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_DIGITS = r"[0-9]+(?: [0-9]{3})*(?:\.[0-9]+)?(?:×10(?:\^−?[0-9]+|[⁻⁰¹²³⁴-⁹]+))?"
_NUMBER = re.compile(rf"({_DIGITS})(?: ((?:{_UNIT})(?:/(?:{_UNIT})(?!\w))?(?:\^2)?|/s)(?![\w^]))?")
_WORDS = {"max": "max_", "min": "min_", "ln": "log_", "e": "e_"}
_FINE = Fraction(1, 10**12)  # what a root or an exponential may be off, relative to it


class Unreadable(ValueError):
    """A text that is no calculation with numbers alone."""


class Calculated(NamedTuple):
    """The *value* of a text, and how far it may be *off* if its numbers are rounded ones."""

    value: Fraction
    off: Fraction


def calculated(text: str) -> Calculated:
    """What *text* comes to: ``2·(8 − 1)/8``, ``⌈76 800/1 536⌉``, ``e^(−0.1·15)``."""
    numbers: list[str] = []

    def noted(match: re.Match[str]) -> str:
        numbers.append(match[0])
        return f" x[{len(numbers) - 1}] "

    program = _program(_NUMBER.sub(noted, text.strip()))
    values, halves = zip(*map(_number, numbers), strict=True) if numbers else ((), ())
    value = program(values)
    off = abs(value) * _FINE
    for i, half in enumerate(halves):
        ways = [0 * value]
        for step in (-half, half):
            with suppress(ZeroDivisionError, ValueError):
                moved = [number + step * (i == j) for j, number in enumerate(values)]
                ways.append(abs(program(moved) - value))
        off += max(ways)
    return Calculated(value, off)


def _number(text: str) -> tuple[Fraction, Fraction]:
    """What a number is worth in base units, and half a unit of the last digit that is printed."""
    match = _NUMBER.fullmatch(text)
    assert match
    mantissa, _, power = match[1].replace(" ", "").partition("×10")
    power = power.removeprefix("^").translate(_HIGH).replace("−", "-")
    base, _, square = (match[2] or "").partition("^")
    over, _, under = base.partition("/")
    worth = Fraction(_WORTH[over] if over else 1) / (_WORTH[under] if under else 1)
    scale = Fraction(10) ** int(power or 0) * worth ** int(square or 1)
    return Fraction(mantissa) * scale, scale / 10 ** len(mantissa.partition(".")[2]) / 2


_SPELT = {
    "·": "*", "−": "-", "^": "**", "position of max": "argmax_", "log₂": "log2_", "⌈": "ceil_(",
    "⌊": "floor_(", "⌉": ")", "⌋": ")",
}  # fmt: skip


def _program(source: str) -> Callable[[Sequence[Fraction]], Fraction]:
    """A function of the numbers in *source*, in which each is written ``x[i]``."""
    python = source
    for sign, word in _SPELT.items():
        python = python.replace(sign, word)
    python = re.sub(r"√\s*(x\[[0-9]+\]|(?=\())", r"root_(\1)", python).replace("root_()(", "root_(")
    python = re.sub(r"log2_\s+(x\[[0-9]+\])", r"log2_(\1)", python)
    python = re.sub(r"\b(max|min|ln|e)\b", lambda match: _WORDS[match.group()], python)
    left = re.sub(rf"x\[[0-9]+\]|\b(?:{'|'.join(_FUNCTIONS)})", "", python)
    if re.search(r"e_(?! *\*\*)", python):  # a letter
        raise Unreadable(source)
    if not python.strip() or re.search(r"[^-+*/(), ]", left):
        raise Unreadable(source)
    try:
        code = compile(python.strip(), "<printed>", "eval")
    except SyntaxError:
        raise Unreadable(source) from None

    def program(x: Sequence[Fraction]) -> Fraction:
        value = eval(code, {"__builtins__": {}}, {**_FUNCTIONS, "x": x})
        if not isinstance(value, int | Fraction):
            raise Unreadable(source)
        return Fraction(value)

    return program


class _Euler:
    """The base of exponentials."""

    def __pow__(self, exponent: Fraction) -> Fraction:
        man, power = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator).man_exp
        return Fraction(int(man)) * Fraction(2) ** int(power)


_FUNCTIONS: dict[str, Any] = {
    "max_": lambda *xs: max(xs),
    "min_": lambda *xs: min(xs),
    "argmax_": lambda *xs: xs.index(max(xs)) + 1,
    "ceil_": math.ceil,
    "floor_": math.floor,
    "root_": lambda x: Fraction(math.sqrt(x)),
    "log_": lambda x: Fraction(math.log(x)),
    "log2_": lambda x: Fraction(math.log2(x)),
    "e_": _Euler(),
}
