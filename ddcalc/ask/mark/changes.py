"""What students do to a formula: one thing left out, exchanged or turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ddcalc.ask.mark.slip import Kind
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
    Operator,
    Pow,
    Rel,
)
from ddcalc.formula.expression import replace as swapped

IsCount = Callable[[Expr], bool]
Deed = tuple[str | Expr, ...]

_STRICT: dict[Operator, Operator] = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_OTHER = {"floor": "ceiling", "ceiling": "floor", "max": "min", "min": "max"}
_SAYS = {
    "floor": "rounding down",
    "ceiling": "rounding up",
    "max": "the largest",
    "min": "the smallest",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A formula changed to *expr*; *deed* says what was done, *gone* what is missing."""

    kind: Kind
    expr: Expr
    deed: Deed
    gone: Expr | None = None


def changes(expr: Expr, is_count: IsCount) -> list[Change]:
    """*expr* with one thing changed, in every way and at every place; each outcome once.

    Only what *is_count* says counts things is rounded where nothing was.
    """
    found: dict[Expr, Change] = {}
    for change in _changes(expr, is_count, rounded=False):
        found.setdefault(change.expr, change)
    found.pop(expr, None)
    return list(found.values())


def loosened(expr: Expr, relation: Rel) -> Change | None:
    """The least whole number, *expr*, for *relation* with its tie counted instead of not, or not
    instead of counted."""
    other = _STRICT.get(relation.op)
    if other is None:
        return None

    def change(part: Expr) -> Expr | None:
        match part:
            case Add((Fun("floor", (inner,)), Num(1))):
                return Fun("ceiling", (inner,))
            case Fun("ceiling", (inner,)):
                return Add((Fun("floor", (inner,)), Num(1)))
        return None

    new = Rel(other, relation.left, relation.right)
    return Change("strict", swapped(expr, change), ("taking ", new, " for ", relation))


def _changes(expr: Expr, is_count: IsCount, rounded: bool) -> Iterator[Change]:
    """The changes of *expr* itself, then those of its parts; *rounded*: whether it is already."""
    yield from _own(expr, is_count, rounded)
    parts = expr.parts()
    rounds = isinstance(expr, Fun) and expr.name in ("floor", "ceiling")
    for i, part in enumerate(parts):
        inner = _strictness(part) if isinstance(part, Rel) else _changes(part, is_count, rounds)
        for change in inner:
            whole = expr.rebuilt((*parts[:i], change.expr, *parts[i + 1 :]))
            yield replace(change, expr=whole)


def _own(expr: Expr, is_count: IsCount, rounded: bool) -> Iterator[Change]:
    match expr:
        case Add(args):
            yield from _sum(args)
        case Mul(args):
            for i, gone in enumerate(args):
                rest = _joined(Mul, _without(args, i))
                yield Change("factor", rest, ("leaving out the factor ", gone), gone)
        case Div(top, bottom):
            yield Change("factor", top, ("not dividing by ", bottom), bottom)
            if not rounded and is_count(expr):
                for name in ("floor", "ceiling"):
                    yield Change("rounding", Fun(name, (expr,)), (_SAYS[name],))
            yield Change("upside down", Div(bottom, top), ("dividing the wrong way round",))
        case Fun(("floor" | "ceiling") as name, (arg,)):
            yield from _rounding(name, arg)
        case Fun(("max" | "min") as name, args) if len(args) > 1:
            other = _OTHER[name]
            deed = (f"taking {_SAYS[other]} instead of {_SAYS[name]}",)
            yield Change("extreme", Fun(other, args), deed)
            deed = (f"adding all up instead of taking {_SAYS[name]}",)
            yield Change("extreme", Add(args), deed)
        case Fun("floor_log2", (arg,)):
            yield Change("rounding", Fun("ceiling_log2", (arg,)), ("rounding the logarithm up",))
        case Fun("ceiling_log2", (arg,)):
            yield Change("rounding", Fun("floor_log2", (arg,)), ("rounding the logarithm down",))
        case Fun("sqrt", (arg,)):
            yield Change("factor", arg, ("not taking the root",))
        case Pow(base, Num()):
            yield Change("factor", base, ("leaving out the power in ", expr))
        case Cases(cases, otherwise):
            yield from _branches(cases, otherwise)


def _sum(args: tuple[Expr, ...]) -> Iterator[Change]:
    for i, gone in enumerate(args):
        bare = gone.arg if isinstance(gone, Neg) else gone
        rest = _joined(Add, _without(args, i))
        yield Change("term", rest, ("leaving out ", bare), bare)
    for i, term in enumerate(args):
        if isinstance(term, Neg):
            new, deed = term.arg, ("adding ", term.arg, " instead of subtracting it")
        else:
            new, deed = Neg(term), ("subtracting ", term, " instead of adding it")
        yield Change("sign", Add((*args[:i], new, *args[i + 1 :])), deed)


def _rounding(name: str, arg: Expr) -> Iterator[Change]:
    other = Fun(_OTHER[name], (arg,))
    yield Change("rounding", other, (f"{_SAYS[other.name]} instead of {_SAYS[name][9:]}",))
    yield Change("rounding", arg, (f"not {_SAYS[name]}",))


def _branches(cases: tuple[Case, ...], otherwise: Expr) -> Iterator[Change]:
    """Each branch taken whatever the case."""
    for case in cases:
        if not isinstance(case.value, Nothing):
            yield Change("case", case.value, ("not asking whether ", case.test))
    if not isinstance(otherwise, Nothing):
        yield Change("case", otherwise, ("overlooking the case ", cases[0].test))


def _strictness(test: Rel) -> Iterator[Change]:
    other = _STRICT.get(test.op)
    if other:
        new = Rel(other, test.left, test.right)
        yield Change("strict", new, ("taking ", new, " for ", test))


def _without(args: tuple[Expr, ...], i: int) -> tuple[Expr, ...]:
    return args[:i] + args[i + 1 :]


def _joined(kind: type[Add] | type[Mul], args: tuple[Expr, ...]) -> Expr:
    return args[0] if len(args) == 1 else kind(args)
