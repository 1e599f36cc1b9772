"""What students do to a formula: one part left out, exchanged, turned round or rounded.

A slip is a function from a part of a formula to what becomes of that part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ddcalc.ask.mark.grading import Kind, Pieces
from ddcalc.errors import BadEquation
from ddcalc.formula import expression
from ddcalc.formula.algebra import floor
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.expression import Add, Div, Expr, Fun, Neg, Nothing, Num, Operator, Rel, symbols
from ddcalc.memory import remembered
from ddcalc.numbers.units import ONE
from ddcalc.problem.plan import EquationPlan, plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.said.arguments import Line, look_alike


class Change(NamedTuple):
    """A formula changed to *expr*; *deed* says what was done, *gone* what is missing."""

    kind: Kind
    expr: Expr
    deed: Pieces
    gone: Expr | None = None


_STRICT: dict[Operator, Operator] = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_OTHER = {
    "floor": ("ceiling", "rounding up instead of down", "not rounding down"),
    "ceiling": ("floor", "rounding down instead of up", "not rounding up"),
    "max": ("min", "taking the smallest instead of the largest", "taking the largest"),
    "min": ("max", "taking the largest instead of the smallest", "taking the smallest"),
    "floor_log2": ("ceiling_log2", "rounding the logarithm up", ""),
    "ceiling_log2": ("floor_log2", "rounding the logarithm down", ""),
}


def left_out(part: Expr) -> Iterator[Change]:
    """A term, a factor, a divisor, a root or a power is forgotten."""
    match part:
        case Add(args) | expression.Mul(args):
            for i, one in enumerate(args):
                gone = one.arg if isinstance(one, Neg) else one
                others = (*args[:i], *args[i + 1 :])
                rest = others[0] if len(others) == 1 else type(part)(others)
                if isinstance(part, Add):
                    yield Change("term", rest, ("leaving out ", gone), gone)
                else:
                    yield Change("factor", rest, ("leaving out the factor ", one), one)
        case Div(top, bottom):
            yield Change("factor", top, ("not dividing by ", bottom), bottom)
        case Fun("sqrt", (arg,)):
            yield Change("factor", arg, ("not taking the root",))
        case expression.Pow(base, Num()):
            yield Change("factor", base, ("leaving out the power in ", part))


def turned(part: Expr) -> Iterator[Change]:
    """Added instead of subtracted, or the other way round; divided the wrong way round."""
    match part:
        case Add(args):
            for i, term in enumerate(args):
                if isinstance(term, Neg):
                    new, deed = term.arg, ("adding ", term.arg, " instead of subtracting it")
                else:
                    new, deed = Neg(term), ("subtracting ", term, " instead of adding it")
                yield Change("sign", Add((*args[:i], new, *args[i + 1 :])), deed)
        case Div(top, bottom):
            yield Change("upside down", Div(bottom, top), ("dividing the wrong way round",))


def exchanged(part: Expr) -> Iterator[Change]:
    """Rounded the other way, or not at all, or what is whole to the next whole number; the largest
    taken for the smallest, or for the sum."""
    match part:
        case Fun(name, args) if name in _OTHER and (len(args) > 1 or name not in ("max", "min")):
            other, deed, not_done = _OTHER[name]
            kind: Kind = "extreme" if name in ("max", "min") else "rounding"
            yield Change(kind, Fun(other, args), (deed,))
            if kind == "extreme":
                yield Change(kind, Add(args), (f"adding all up instead of {not_done}",))
            elif not_done:
                yield Change(kind, args[0], (not_done,))
            if name == "ceiling":
                above = floor(args[0]) + 1
                yield Change("strict", above, ("taking the next number of what is whole",))
        case Add((Fun("floor", args), Num(1))):
            yield Change("strict", Fun("ceiling", args), ("stopping where both are equal",))


def not_asked(part: Expr) -> Iterator[Change]:
    """A branch is taken whatever the case; a tie counts that does not, or the other way round."""
    match part:
        case expression.Cases(cases, otherwise):
            for case in cases:
                if not isinstance(case.value, Nothing):
                    yield Change("case", case.value, ("not asking whether ", case.test))
            if not isinstance(otherwise, Nothing):
                yield Change("case", otherwise, ("overlooking the case ", cases[0].test))
        case Rel(op, left, right) if op in _STRICT:
            new = Rel(_STRICT[op], left, right)
            yield Change("strict", new, ("taking ", new, " for ", part))


def changes(
    expr: Expr, is_count: Callable[[Expr], bool], *, rounded: bool = False
) -> Iterator[Change]:
    """*expr* with one thing changed, in every way and at every place: itself, then its parts.

    Only a quotient that *is_count* says counts things is rounded where nothing was; *rounded*:
    whether *expr* is already.
    """
    for slip in (left_out, turned, exchanged, not_asked):
        yield from slip(expr)
    if isinstance(expr, Div) and not rounded and is_count(expr):
        yield Change("rounding", Fun("floor", (expr,)), ("rounding down",))
        yield Change("rounding", Fun("ceiling", (expr,)), ("rounding up",))
    rounds = isinstance(expr, Fun) and expr.name in ("floor", "ceiling")
    parts = () if isinstance(expr, Rel) else expr.parts()  # nobody changes a test but by its tie
    for i, part in enumerate(parts):
        for change in changes(part, is_count, rounded=rounds):
            whole = expr.rebuilt((*parts[:i], change.expr, *parts[i + 1 :]))
            yield change._replace(expr=whole)


# In the equations of a question


class WrongLine(NamedTuple):
    """One slip in the equations: the *change* of a *line*, and in each member of a list the same.

    *rules* are the changed formulas by letter, which take base units.
    """

    line: Line
    change: Change
    rules: Mapping[str, Expr]


@remembered
def wrong_lines(problem: type[Problem], shape: Shape) -> tuple[WrongLine, ...]:
    """Every equation of a shape with one thing changed, the last equations first; the members of a
    list suffer the same change together, or none."""
    made, wrong = plan(problem, shape), list[WrongLine]()
    for _, group in groupby(made.lines, attrgetter("quantity")):
        lines = [*group]
        by_line = [_of_line(made, line) for line in lines]
        if len({tuple(change.kind for change in of_line) for of_line in by_line}) > 1:
            continue
        for row in zip(*by_line, strict=True):
            rules = {line.symbol: one.expr for line, one in zip(lines, row, strict=True)}
            for line in lines:  # without the factor USD/h, students take hours for dollars
                if look_alike(line.formula, in_own_units(made, line, line.formula)):
                    rules[line.symbol] = in_own_units(made, line, rules[line.symbol])
            wrong.append(WrongLine(lines[0], row[0], rules))
    return tuple(reversed(wrong))


def _of_line(made: EquationPlan, line: Line) -> list[Change]:
    """What is done to the formula of a *line*, each outcome once."""

    def is_count(expr: Expr) -> bool:
        try:
            return dimension_of(expr, made.dimensions) == ONE
        except BadEquation:
            return False

    formula, found = line.formula, dict[Expr, Change]()
    for change in changes(formula, is_count):
        found.setdefault(change.expr, change)
    found.pop(formula, None)
    counted = [
        Change("count", formula + 1, ("counting one too many",)),
        Change("count", formula - 1, ("counting one too few",)),
    ]
    return [*found.values(), *(counted if line.quantity.unit.dimension == ONE else ())]


def in_own_units(made: EquationPlan, line: Line, expr: Expr) -> Expr:
    """What *expr* in place of the formula of *line* comes to, in the units of its quantities."""
    worths = {letter: made.problem.origin[letter][0].unit.worth for letter in symbols(line.formula)}
    unit = line.quantity.unit.worth
    sizes = ((name, Num(worth)) for name, worth in worths.items() if worth != 1)
    scaled = expression.substitute(expr, {name: expression.Sym(name) / one for name, one in sizes})
    return scaled if unit == 1 else scaled * Num(unit)
