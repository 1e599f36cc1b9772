"""Formulas of a sheet: Python's own grammar of expressions, of which a list is allowed; nothing of
it is ever run. What depends on the shape of a question alone is decided, the rest is kept."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, cached_property
from inspect import signature
from itertools import accumulate, combinations, pairwise
from typing import Any, Final, Protocol

from ddcalc.errors import BadFile, DdcalcError, suggestion
from ddcalc.formula.algebra import (
    FUNCTIONS,
    NOTHING,
    Boundary,
    Eq,
    Least,
    cases,
    least_with_product,
    same,
    total,
)
from ddcalc.formula.expression import BITS_PER_BYTE, Expr, Mul, Num, Rel, wrap
from ddcalc.problem.sentences import After
from ddcalc.problem.sheet.text import Text

CONSTANTS: Final = {"nothing": NOTHING, "never": False, "bits_per_byte": BITS_PER_BYTE}
DEEP, BITS, DIGITS = 50, 400, 40  # how deep a formula goes; how long a number of it may be
_WITH_UNIT: Final = re.compile(r"(?<![\w.])[\d.]+ ?(?!(?:if|else|and|or|is|in|for)\b)[^\W\d]\w*")
_NO_UNITS: Final = "has a unit, as no number in a formula has: make it a given with a default"
_FLIPPED: Final[Mapping[str, Any]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_COMPARE: Final[Mapping[type, tuple[Any, Callable[[Any, Any], bool]]]] = {
    ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge), ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne),
}  # fmt: skip
_ALLOWED: Final = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Constant,
    ast.Subscript, ast.Tuple, ast.Starred, ast.keyword, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop, ast.expr_context,
)  # fmt: skip


class NoValue(ValueError):
    """Why a part of a formula has no value, in words for who wrote it."""


class All(tuple[Rel, ...]):
    """Several relations that hold together."""


class InRows(list[Any]):
    """The members of a list, so many in a row; what is added up, or compared, is a column."""

    def columns(self) -> Iterator[tuple[Any, ...]]:
        """The columns."""
        return zip(*self, strict=True)


class Scope(Protocol):
    """What gives names their meaning: the shape of a question."""

    def value(self, name: str) -> Any: ...
    def call(self, name: str, args: list[Any]) -> Any: ...
    def chosen(self, name: str) -> str | None: ...
    def shaped(self, name: str, how: str) -> bool: ...
    def words(self, text: Text) -> str: ...


class Formula:
    """A formula as written; it is parsed when it is first needed."""

    def __init__(self, text: Text, parameters: tuple[str, ...] = ()) -> None:
        self.text, self.parameters = text, parameters

    @cached_property
    def tree(self) -> ast.expr:
        """The tree of the formula, its numbers exact; BadFile where it is none of a sheet."""
        words = self.text.words
        try:
            tree = ast.parse(f"({words or '='})", mode="eval").body
        except SyntaxError as error:
            if unit := _WITH_UNIT.search(words):
                raise self.text.wrong(_NO_UNITS, unit.start(), len(unit[0])) from None
            at = min(max((error.offset or 1) - 2, 0), max(len(words) - 1, 0))
            raise self.text.wrong(f"is no formula: {error.msg}", at, 1) from None
        except (RecursionError, MemoryError, ValueError):
            raise self.text.wrong("is no formula: it goes too deep") from None
        waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
        while waiting:
            node, depth = waiting.pop()
            if depth > DEEP:
                raise self.text.wrong(f"goes deeper than {DEEP} levels; give a part of it a name")
            if isinstance(node, ast.Constant):
                node.value = self._constant(node)
            elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Name):
                raise self.wrong("only functions are called", node)
            elif not isinstance(node, _ALLOWED):
                at_node = node if isinstance(node, ast.expr) else tree
                raise self.wrong(f"{type(node).__name__} is not part of formulas", at_node)
            waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
        return tree

    def _constant(self, node: ast.Constant) -> Any:
        """The exact value of a number, or the text between quotes."""
        start, end = self._span(node)
        if isinstance(node.value, str):
            return self.text.cut(start + 1, end - 1)
        if type(node.value) not in (int, float):
            raise self.wrong("is no number", node)
        words = self.text.words[start:end].replace("_", "")
        value = Fraction(words if len(words) <= DIGITS else 0)
        if len(words) > DIGITS or max(value.as_integer_ratio()).bit_length() > BITS:
            raise self.wrong("is too long a number", node)
        return int(value) if value.denominator == 1 else value

    def _span(self, node: ast.expr) -> tuple[int, int]:
        """Where *node* begins and ends."""
        source = f"({self.text.words})".encode()
        start, end = (
            len(source[:column].decode(errors="ignore")) - 1
            for column in (node.col_offset, node.end_col_offset or 0)
        )
        return max(start, 0), end

    def wrong(self, reason: str, at: ast.expr | None = None) -> BadFile:
        """What is wrong with the part *at*, as an error to raise."""
        start, end = self._span(at or self.tree)
        return self.text.wrong(reason, start, end - start)

    def names(self) -> Iterator[tuple[str, str, ast.expr]]:
        """The names in it; with the word behind it what is asked with ``is``; else with ""."""
        skipped: set[ast.AST] = set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Compare(ast.Name(name) as left, [ast.Is() | ast.IsNot()], [right]) if (
                    isinstance(right, ast.Name)
                ):
                    skipped |= {left, right}
                    yield name, right.id, node
                case ast.Compare(_, ops) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                    raise self.wrong("`is` stands between a choice and one of its options", node)
                case ast.Call(_, _, changed):
                    skipped |= {one.value for one in changed if isinstance(one.value, ast.Name)}
                case ast.Name(name) if node not in skipped:
                    yield name, "", node

    def evaluate(self, scope: Scope, part: ast.expr | None = None) -> Any:
        """What it, or a *part* of it, comes to in *scope*: a number, a formula, relations, True or
        False, a list; BadFile at the innermost part that has no value."""
        node = part or self.tree
        try:
            return self._value(node, scope, lambda part: self.evaluate(scope, part))
        except BadFile:
            raise
        except RecursionError:
            raise self.text.wrong("goes too deep, with all names put in") from None
        except (NoValue, DdcalcError) as error:
            raise self.wrong(str(error), node) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.wrong("has no value: its parts do not fit", node) from error

    def _value(self, node: ast.expr, scope: Scope, value: Callable[[ast.expr], Any]) -> Any:
        match node:
            case ast.Constant(constant):
                return scope.words(constant) if isinstance(constant, Text) else constant
            case ast.Name(name):
                return CONSTANTS[name] if name in CONSTANTS else scope.value(name)
            case ast.Tuple(members):
                lists = [
                    value(x.value) if isinstance(x, ast.Starred) else [value(x)] for x in members
                ]
                return [x for held in lists for x in (held if is_list(held) else [held])]
            case ast.Subscript(of, place):
                at = int(value(place))
                return value(of)[at - 1 if at > 0 else at]
            case ast.UnaryOp(ast.USub(), part):
                return by_member(operator.neg, value(part))
            case ast.UnaryOp(ast.Not(), part):
                return _opposite(value(part))
            case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
                return by_member(ARITHMETIC[type(op)], value(left), value(right))
            case ast.BoolOp(op, parts):
                return _joined(isinstance(op, ast.And), map(value, parts))
            case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as op], [ast.Name(word)]):
                return scope.shaped(name, word) is isinstance(op, ast.Is)
            case ast.Compare(left, ops, rest):
                return _compared(ops, list(map(value, (left, *rest))))
            case ast.IfExp(test, body, orelse):
                held = value(test)
                if isinstance(held, bool):
                    return value(body if held else orelse)
                return _distinguished(held, value(body), value(orelse))
            case ast.Call(ast.Name("after"), [of], changed):
                return After(value(of), **{
                    one.arg or "": one.value.id
                    if isinstance(one.value, ast.Name) and scope.chosen(one.arg or "") is not None
                    else wrap(value(one.value))
                    for one in changed
                })  # fmt: skip
            case ast.Call(ast.Name(name), parts):
                args = list(map(value, parts))
                if name in FUNCTIONS and name not in LISTS and not _takes(name, len(args)):
                    raise NoValue(f"{name} does not take {len(args)} values")
                function = LISTS.get(name) or FUNCTIONS.get(name)
                if function is None:
                    return scope.call(name, args)
                return function(*args) if name in LISTS else by_member(function, *args)
        raise self.wrong("is not part of formulas", node)


@cache
def _takes(name: str, count: int) -> bool:
    """Whether the function of that *name* takes so many values."""
    try:
        signature(FUNCTIONS[name].value).bind(*range(count))
    except TypeError:
        return False
    return True


def _opposite(held: Any) -> Any:
    if isinstance(held, bool):
        return not held
    if isinstance(held, Rel) and held.op in _FLIPPED:
        return Rel(_FLIPPED[held.op], held.left, held.right)
    raise NoValue("`not` takes a choice or one inequality")


def _joined(every: bool, parts: Iterable[Any]) -> Any:
    """What is left of conditions of which *every* one, or any, must hold."""
    kept: list[Any] = []
    for held in parts:
        if held is (not every):
            return held
        kept += [] if isinstance(held, bool) else [held]
    if len(kept) < 2:
        return kept[0] if kept else every
    if not every:
        raise NoValue("`or` between numbers: write two rules instead")
    return All(relation for one in kept for relation in relations_of(one) or ())


def _distinguished(held: Any, value: Any, other: Any) -> Any:
    """*value* where the comparison *held* holds, else the *other*; of lists each member."""
    if is_list(value) or is_list(other):
        rows = _rows(value, held, other)
        return [cases((x, relation), otherwise=y) for x, relation, y in rows]
    if not isinstance(held, Rel):
        raise NoValue("a distinction by numbers takes one comparison")
    return cases((value, held), otherwise=other)


def _compared(ops: list[ast.cmpop], sides: list[Any]) -> Any:
    """What is left of comparisons between the *sides* where the shape decides the others."""
    relations: list[Rel] = []
    for op, (left, right) in zip(ops, pairwise(sides), strict=True):
        sign, holds = _COMPARE[type(op)]
        for x, y in _rows(left, right):
            if not (isinstance(x, Expr) or isinstance(y, Expr)):
                if not holds(x, y):
                    return False
            elif sign == "!=":
                raise NoValue("numbers are compared with <, <=, ==, >=, >")
            else:
                relations.append(Rel(sign, wrap(x), wrap(y)))
    if len(relations) == 1:
        return relations[0]
    return All(relations) if relations else True


def relations_of(held: Any) -> tuple[Rel, ...] | None:
    """The relations that a condition leaves open; None where it does not hold."""
    if isinstance(held, bool):
        return () if held else None
    if isinstance(held, Rel):
        return (held,)
    if not isinstance(held, All):
        raise NoValue("is no condition: it compares nothing")
    return tuple(held)


def unknown(name: str, known: Iterable[str]) -> str:
    """That nothing is called *name*, and what was probably meant."""
    near = suggestion(name, sorted(known))
    return f"nothing is called {name}" + (f"; did you mean {near}?" if near else "")


def is_list(value: Any) -> bool:
    """Whether *value* has members."""
    return isinstance(value, list | tuple)


def _rows(*args: Any, kind: Any = (list, tuple)) -> Iterator[tuple[Any, ...]]:
    """The members of lists of that *kind* side by side; what is none stands in every row."""
    count = next((len(x) for x in args if isinstance(x, kind)), 1)
    return zip(*(x if isinstance(x, kind) else [x] * count for x in args), strict=True)


def by_member(function: Callable[..., Any], *args: Any) -> Any:
    """*function* of *args*, member by member where one of them is a list."""
    if any(isinstance(x, InRows) for x in args):
        return InRows(by_member(function, *row) for row in _rows(*args, kind=InRows))
    if any(map(is_list, args)):
        return [wrap(function(*map(wrap, row))) for row in _rows(*args)]
    return function(*args)


# What signs and functions come to


def _is(x: Any, number: int) -> bool:
    value = x.value if isinstance(x, Num) else x
    return isinstance(value, int | Fraction) and value == number


def _over(x: Any, y: Any) -> Any:
    if _is(y, 1):
        return x
    return x / y if isinstance(x, Expr) or isinstance(y, Expr) else Fraction(x) / Fraction(y)


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, Expr) or isinstance(y, Expr):
        return wrap(x) ** y
    size = max(Fraction(x).numerator.bit_length(), Fraction(x).denominator.bit_length())
    if abs(y) * size > BITS:
        raise NoValue("is too large a power")
    return Fraction(x) ** y if y < 0 else x**y


ARITHMETIC: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    ast.Add: lambda x, y: y if _is(x, 0) else x if _is(y, 0) else x + y,
    ast.Sub: lambda x, y: x if _is(y, 0) else x - y,
    ast.Mult: lambda x, y: y if _is(x, 1) else x if _is(y, 1) else x * y,
    ast.Div: _over,
    ast.Pow: _power,
}
"""Parts that a shape lacks may be 0, factors that it lacks 1: they leave nothing behind."""


def _down(of: Callable[..., Any]) -> Callable[..., Any]:
    """*of* all members of lists; of rows, of each column."""

    def down(*args: Any) -> Any:
        if not args:
            raise NoValue("a list is needed")
        if len(args) == 1 and isinstance(args[0], InRows):
            return [of(*column) if column[1:] else column[0] for column in args[0].columns()]
        return of(*(x for arg in args for x in (arg if is_list(arg) else [arg])))

    return down


def _sum(*xs: Any) -> Expr:
    return total(list(map(wrap, xs)))


def _product(*xs: Any) -> Expr:
    return Mul(tuple(map(wrap, xs))) if xs[1:] else wrap(xs[0])


def _turned(xs: Any) -> InRows:
    if not isinstance(xs, InRows):
        raise NoValue("only rows are turned")
    return InRows([*column] for column in xs.columns())


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
    "sum": _down(_sum),
    "product": _down(_product),
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
    "solve": lambda relation: Eq(relation.left, relation.right),
    "boundary": lambda x, relation: Boundary(x, *relations_of(relation) or ()),
    "least": lambda relation, at, *texts: Least(relation, wrap(at), *texts),
    "least_with_product": least_with_product,
}
"""Functions of lists, and the rules that solve; those of numbers are the program's own."""
