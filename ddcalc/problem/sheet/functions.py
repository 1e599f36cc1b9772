"""What functions of a sheet's formulas come to, of numbers, formulas and lists."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from inspect import signature
from itertools import accumulate, combinations, pairwise
from typing import Any, Final

from ddcalc.formula.algebra import FUNCTIONS, Boundary, Least, cases, same, total
from ddcalc.formula.expression import Expr, Mul, Rel, wrap


class NoValue(ValueError):
    """Why a part of a formula has no value, in words for who wrote it."""


class All(tuple[Rel, ...]):
    """Several relations that hold together."""


class InRows(list[Any]):
    """The members of a list, so many in a row; what is added up, or compared, is a column."""


def relations_of(held: Any) -> tuple[Rel, ...] | None:
    """The relations that a condition leaves open; None where it does not hold."""
    if isinstance(held, bool):
        return () if held else None
    if isinstance(held, Rel):
        return (held,)
    if not isinstance(held, All):
        raise NoValue("is no condition: it compares nothing")
    return tuple(held)


def is_list(value: Any) -> bool:
    """Whether *value* has members."""
    return isinstance(value, list | tuple)


def side_by_side(*args: Any, kind: Any = (list, tuple)) -> Iterator[tuple[Any, ...]]:
    """The members of lists of that *kind* side by side; what is none stands in every row."""
    count = next((len(x) for x in args if isinstance(x, kind)), 1)
    return zip(*(x if isinstance(x, kind) else [x] * count for x in args), strict=True)


def by_member(function: Callable[..., Any], *args: Any) -> Any:
    """*function* of *args*, member by member where one of them is a list."""
    if any(isinstance(x, InRows) for x in args):
        return InRows(by_member(function, *row) for row in side_by_side(*args, kind=InRows))
    if any(map(is_list, args)):
        return [wrap(function(*map(wrap, row))) for row in side_by_side(*args)]
    return function(*args)


def _down(of: Callable[..., Any]) -> Callable[..., Any]:
    """*of* all members of lists; of rows, of each column."""

    def down(xs: Any, *more: Any) -> Any:
        if not more and isinstance(xs, InRows):
            return [of(*column) if column[1:] else column[0] for column in zip(*xs, strict=True)]
        return of(*(x for arg in (xs, *more) for x in (arg if is_list(arg) else [arg])))

    return down


def _sum(*xs: Any) -> Expr:
    return total(list(map(wrap, xs)))


def _turned(xs: Any) -> InRows:
    if not isinstance(xs, InRows):
        raise NoValue("only rows are turned")
    return InRows([*column] for column in zip(*xs, strict=True))


def _sums(xs: Any, lengths: Iterable[int]) -> Any:
    if isinstance(xs, InRows):
        return InRows(_sums(row, lengths) for row in xs)
    return [_sum(*xs[i:j]) for i, j in pairwise(accumulate(lengths, initial=0))]


def _lookup(key: Any, keys: Any, values: Any) -> Expr:
    *others, last = zip(values, keys, strict=True)
    tests = [(one, same(of, key) if isinstance(of, Expr) else same(key, of)) for one, of in others]
    return cases(*tests, otherwise=last[0]) if tests else wrap(last[0])


def _first(xs: Any, held: Any) -> Any:
    """The first of *xs* whose relation *held*, else the last one, which needs none."""
    *others, last = xs
    tests = relations_of(held) or ()
    if len(tests) < len(others):
        raise NoValue("takes a relation between numbers for each member of a list")
    return cases(*zip(others, tests, strict=False), otherwise=last) if others else last


LISTS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: _down(FUNCTIONS[name]) for name in ("max", "min", "argmax")},
    "argmin": lambda *xs: LISTS["argmax"](*(by_member(operator.neg, x) for x in xs)),
    "sum": _down(_sum),
    "product": _down(lambda *xs: Mul(tuple(map(wrap, xs))) if xs[1:] else wrap(xs[0])),
    "len": len,
    "ones": lambda xs: [1 for _ in xs] if is_list(xs) else 1,
    "numbers": lambda xs: list(range(1, len(xs) + 1)),
    "later": lambda xs: list(xs[1:]),
    "earlier": lambda xs: list(xs[:-1]),
    "before": lambda xs: [_sum(*xs[:i]) if i else 0 for i in range(len(xs))],
    "positive": lambda xs: by_member(lambda x: FUNCTIONS["max"](0, x), xs),
    "rows": lambda xs, n: InRows(list(xs[i : i + int(n)]) for i in range(0, len(xs), int(n))),
    "turned": _turned,
    "sums": _sums,
    "first": _first,
    "second": lambda xs: FUNCTIONS["max"](*(FUNCTIONS["min"](*xy) for xy in combinations(xs, 2))),
    "lookup": _lookup,
    "solve": lambda of: Boundary(None, Rel(of.op, of.left, of.right)),
    "boundary": lambda x, relation: Boundary(x, *relations_of(relation) or ()),
    "least": lambda relation, at, *texts: Least(relation, wrap(at), *texts),
}
"""Functions of lists, and the rules that solve; those of numbers are the program's own."""


@cache
def takes(name: str, count: int) -> bool:
    """Whether the function of that *name* takes so many values."""
    try:
        signature(LISTS.get(name) or FUNCTIONS[name].value).bind(*range(count))
    except TypeError:
        return False
    return True
