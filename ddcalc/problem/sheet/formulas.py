"""Formulas of a sheet: Python's own grammar of expressions, of which a list is allowed; nothing of
it is ever run. What depends on the shape of a question alone is decided, the rest is kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any, Final, Protocol

from ddcalc.errors import BadFile, DdcalcError, suggestion
from ddcalc.formula.algebra import (
    FUNCTIONS,
    NOTHING,
    Boundary,
    Eq,
    Least,
    cases,
    elementwise,
    least_with_product,
    same,
    total,
)
from ddcalc.formula.expression import BITS_PER_BYTE, Expr, Mul, Num, Rel, wrap
from ddcalc.problem.sentences import After
from ddcalc.problem.sheet.text import Text

CONSTANTS: Final = {"nothing": NOTHING, "never": False, "bits_per_byte": BITS_PER_BYTE}
SHAPED: Final = ("stated", "many", "one")  # what a quantity can be, beside its words
DEEP, BITS = 50, 400  # how deep a formula goes; how long a number of it may be
_WITH_UNIT: Final = re.compile(r"(?<![\w.])[\d.]+ ?(?!(?:if|else|and|or|is|in|for)\b)[^\W\d]\w*")
_NO_UNITS: Final = "has a unit, as no number in a formula has: make it a given with a default"
_FLIPPED: Final[Mapping[str, Any]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_COMPARE: Final[Mapping[type, tuple[Any, Callable[[Any, Any], bool]]]] = {
    ast.Lt: ("<", lt), ast.LtE: ("<=", le), ast.Gt: (">", gt), ast.GtE: (">=", ge),
    ast.Eq: ("==", eq), ast.NotEq: ("!=", ne),
}  # fmt: skip
_ALLOWED: Final = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Constant,
    ast.Subscript, ast.Tuple, ast.Starred, ast.keyword, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop, ast.expr_context,
)  # fmt: skip


class All(tuple[Rel, ...]):
    """Several relations that hold together."""


class InRows(list[Any]):
    """The members of a list, so many in a row; what is added up, or compared, is a column."""

    def columns(self, of: Callable[..., Any]) -> list[Any]:
        """What *of* makes of each column."""
        return [of(*column) for column in zip(*self, strict=True)]


class Scope(Protocol):
    """What gives names their meaning."""

    def value(self, name: str) -> Any: ...
    def call(self, name: str, args: list[Any]) -> Any: ...
    def chosen(self, name: str) -> str | None: ...
    def shaped(self, name: str, how: str) -> bool: ...
    def words(self, text: Text) -> str: ...


class Formula:
    """A formula as written; it is parsed when it is first needed."""

    def __init__(self, text: Text, parameters: tuple[str, ...] = ()) -> None:
        self.text, self.parameters = text, parameters
        self._numbers: dict[ast.Constant, int | Fraction] = {}

    @cached_property
    def tree(self) -> ast.expr:
        """The tree of the formula; BadFile where it is none, or not one of a sheet."""
        try:
            tree = ast.parse(f"({self.text.words})", mode="eval").body
        except SyntaxError as error:
            if unit := _WITH_UNIT.search(self.text.words):
                raise self.text.wrong(_NO_UNITS, unit.start(), len(unit[0])) from None
            at = min(max((error.offset or 1) - 2, 0), max(len(self.text.words) - 1, 0))
            raise self.text.wrong(f"is no formula: {error.msg}", at, 1) from None
        except (RecursionError, MemoryError, ValueError):
            raise self.text.wrong("is no formula: it goes too deep") from None
        for node, depth in _walk(tree):
            if depth > DEEP:
                raise self.text.wrong(f"goes deeper than {DEEP} levels; give a part of it a name")
            if not isinstance(node, _ALLOWED):
                at_node = node if isinstance(node, ast.expr) else tree
                raise self.wrong(f"{type(node).__name__} is not part of formulas", at_node)
            if isinstance(node, ast.Constant) and type(node.value) not in (int, float, str):
                raise self.wrong("is no number", node)
            if isinstance(node, ast.Call) and not isinstance(node.func, ast.Name):
                raise self.wrong("only functions are called", node)
        return tree

    def wrong(self, reason: str, at: ast.expr | None = None) -> BadFile:
        """What is wrong with the part *at*, as an error to raise."""
        at = at or self.tree
        start, end = (
            len(self._source.encode()[:column].decode(errors="ignore")) - 1
            for column in (at.col_offset, at.end_col_offset or 0)
        )
        return self.text.wrong(reason, max(start, 0), end - start)

    @property
    def _source(self) -> str:
        return f"({self.text.words})"

    def number(self, node: ast.Constant) -> int | Fraction:
        """The exact value of a number in it."""
        if node not in self._numbers:
            self._numbers[node] = _exact(ast.get_source_segment(self._source, node) or "")
        return self._numbers[node]

    def names(self) -> Iterator[tuple[str, ast.expr]]:
        """The names that stand for a value, and those that are called."""
        skipped: set[ast.AST] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
                skipped |= {node.left, *node.comparators}
            if isinstance(node, ast.Call):
                skipped |= {one.value for one in node.keywords if isinstance(one.value, ast.Name)}
            if isinstance(node, ast.Name) and node not in skipped:
                yield node.id, node

    def questions(self) -> Iterator[tuple[str, str, ast.expr]]:
        """What is asked with ``is``, and the word behind it."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
                left, right = node.left, node.comparators[0]
                if not (isinstance(left, ast.Name) and isinstance(right, ast.Name)):
                    raise self.wrong("`is` stands between a choice and one of its options", node)
                yield left.id, right.id, node

    def evaluate(self, scope: Scope) -> Any:
        """What it comes to in *scope*: a number, a formula, relations, True or False, a list."""
        try:
            return _Evaluation(self, scope).value(self.tree)
        except BadFile:
            raise
        except (DdcalcError, ArithmeticError, TypeError, ValueError, LookupError) as error:
            raise self.wrong(str(error) or "has no value") from error


class _Evaluation:
    def __init__(self, formula: Formula, scope: Scope) -> None:
        self.formula, self.scope = formula, scope

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(str()):
                return self.scope.words(self.quoted(node))
            case ast.Constant():
                return self.formula.number(node)
            case ast.Name(name):
                return CONSTANTS[name] if name in CONSTANTS else self.scope.value(name)
            case ast.Tuple(members):
                return [x for member in members for x in self.listed(member)]
            case ast.Subscript(of, place):
                at = int(self.value(place))
                return self.value(of)[at - 1 if at > 0 else at]
            case ast.UnaryOp(ast.USub(), part):
                return _by_member(lambda x: -x, self.value(part))
            case ast.UnaryOp(ast.Not(), part):
                return self.opposite(self.value(part), node)
            case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
                return _by_member(_ARITHMETIC[type(op)], self.value(left), self.value(right))
            case ast.BoolOp(op, parts):
                return self.joined(isinstance(op, ast.And), parts, node)
            case ast.Compare():
                return self.compared(node)
            case ast.IfExp(test, body, orelse):
                held = self.value(test)
                if isinstance(held, bool):
                    return self.value(body if held else orelse)
                return self.distinguished(held, self.value(body), self.value(orelse), test)
            case ast.Call(ast.Name("after"), [of], changed):
                changes = {one.arg or "": self.changed(one) for one in changed}
                return After(self.value(of), **changes)
            case ast.Call(ast.Name(name), args):
                return self.called(name, [self.value(arg) for arg in args])
        raise self.formula.wrong("is not part of formulas", node)

    def listed(self, member: ast.expr) -> list[Any]:
        """A member of a list, or those of the list that is starred."""
        if not isinstance(member, ast.Starred):
            return [self.value(member)]
        held = self.value(member.value)
        return [*held] if _listed(held) else [held]

    def distinguished(self, held: Any, value: Any, otherwise: Any, test: ast.expr) -> Any:
        """*value* where the comparison *held* holds, else *otherwise*; of lists each member."""
        if lists := [x for x in (value, otherwise) if _listed(x)]:
            tests = held if isinstance(held, All) else [held] * len(lists[0])
            values, others = (x if _listed(x) else [x] * len(lists[0]) for x in (value, otherwise))
            rows = zip(tests, values, others, strict=True)
            return [cases((x, rel), otherwise=y) for rel, x, y in rows]
        if not isinstance(held, Rel):
            raise self.formula.wrong("a distinction by numbers takes one comparison", test)
        return cases((value, held), otherwise=otherwise)

    def quoted(self, node: ast.expr) -> Text:
        """The text between the quotes."""
        start = len(self.formula._source.encode()[: node.col_offset].decode()) - 1
        end = len(self.formula._source.encode()[: node.end_col_offset].decode()) - 1
        return self.formula.text.cut(start + 1, end - 1)

    def changed(self, keyword: ast.keyword) -> Any:
        """What a given or a choice is changed to."""
        if isinstance(keyword.value, ast.Name) and self.scope.chosen(keyword.arg or "") is not None:
            return keyword.value.id
        return wrap(self.value(keyword.value))

    def opposite(self, held: Any, node: ast.expr) -> Any:
        if isinstance(held, bool):
            return not held
        if isinstance(held, Rel) and held.op in _FLIPPED:
            return Rel(_FLIPPED[held.op], held.left, held.right)
        raise self.formula.wrong("`not` takes a choice or one inequality", node)

    def joined(self, every: bool, parts: list[ast.expr], node: ast.expr) -> Any:
        kept: list[Any] = []
        for part in parts:
            held = self.value(part)
            if held is (not every):
                return held
            if not isinstance(held, bool):
                kept.append(held)
        if len(kept) < 2:
            return kept[0] if kept else every
        if not every:
            raise self.formula.wrong("`or` between numbers: write two rules instead", node)
        return All(rel for one in kept for rel in relations_of(one) or ())

    def compared(self, node: ast.Compare) -> Any:
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            return self.is_so(node) is isinstance(node.ops[0], ast.Is)
        sides = [self.value(side) for side in (node.left, *node.comparators)]
        relations: list[Rel] = []
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            sign, holds = _COMPARE[type(op)]
            for x, y in _pairs(left, right):
                if not (isinstance(x, Expr) or isinstance(y, Expr)):
                    if not holds(x, y):
                        return False
                elif sign == "!=":
                    raise self.formula.wrong("numbers are compared with <, <=, ==, >=, >", node)
                else:
                    relations.append(Rel(sign, wrap(x), wrap(y)))
        if len(relations) == 1:
            return relations[0]
        return All(relations) if relations else True

    def is_so(self, node: ast.Compare) -> bool:
        left, right = node.left, node.comparators[0]
        assert isinstance(left, ast.Name)
        assert isinstance(right, ast.Name)
        chosen = None if right.id in SHAPED else self.scope.chosen(left.id)
        return self.scope.shaped(left.id, right.id) if chosen is None else chosen == right.id

    def called(self, name: str, args: list[Any]) -> Any:
        if name in SPECIAL:
            return SPECIAL[name](*args)
        if name not in FUNCTIONS:
            return self.scope.call(name, args)
        if FUNCTIONS[name].decides is None and name in ("max", "min", "argmax"):
            if len(args) == 1 and isinstance(args[0], InRows):
                return args[0].columns(lambda *xs: FUNCTIONS[name](*xs) if xs[1:] else xs[0])
            return FUNCTIONS[name](*_spread(args))
        return _by_member(FUNCTIONS[name], *args)


def relations_of(held: Any) -> tuple[Rel, ...] | None:
    """The relations that a condition leaves open; None where it does not hold."""
    if isinstance(held, bool):
        return () if held else None
    return tuple(held) if isinstance(held, All) else (held,)


def unknown(name: str, known: Iterable[str]) -> str:
    """That nothing is called *name*, and what was probably meant."""
    near = suggestion(name, sorted(known))
    return f"nothing is called {name}" + (f"; did you mean {near}?" if near else "")


def _walk(tree: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    waiting = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


def _exact(number: str) -> int | Fraction:
    value = Fraction(number.replace("_", "")) if len(number) <= 40 else Fraction(0)
    if len(number) > 40 or max(value.numerator, value.denominator).bit_length() > BITS:
        raise ValueError("is too long a number")
    return int(value) if value.denominator == 1 else value


def _listed(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _by_member(function: Callable[..., Any], *args: Any) -> Any:
    """*function* of *args*, member by member where one of them is a list."""
    if rows := [x for x in args if isinstance(x, InRows)]:
        table = zip(
            *(x if isinstance(x, InRows) else [x] * len(rows[0]) for x in args), strict=True
        )
        return InRows(_by_member(function, *row) for row in table)
    if any(map(_listed, args)):
        wrapped = [list(map(wrap, x)) if _listed(x) else wrap(x) for x in args]
        return elementwise(lambda *xs: wrap(function(*xs)), *wrapped)
    return function(*args)


def _pairs(left: Any, right: Any) -> list[tuple[Any, Any]]:
    if not (_listed(left) or _listed(right)):
        return [(left, right)]
    count = len(left) if _listed(left) else len(right)
    lefts, rights = (x if _listed(x) else [x] * count for x in (left, right))
    return list(zip(lefts, rights, strict=True))


def _spread(args: Iterable[Any]) -> list[Any]:
    return [x for arg in args for x in (arg if _listed(arg) else [arg])]


def _is(x: Any, number: int) -> bool:
    value = x.value if isinstance(x, Num) else x
    return isinstance(value, int | Fraction) and value == number


def _over(x: Any, y: Any) -> Any:
    if _is(y, 1):
        return x
    return x / y if isinstance(x, Expr) or isinstance(y, Expr) else Fraction(x) / Fraction(y)


def _sum(*xs: Any) -> Expr:
    return total(list(map(wrap, xs)))


def _turned(xs: Any) -> InRows:
    """The columns of *xs* as rows."""
    if not isinstance(xs, InRows):
        raise ValueError("only rows are turned")
    return InRows(xs.columns(lambda *column: [*column]))


def _product(*xs: Any) -> Expr:
    return Mul(tuple(map(wrap, xs))) if xs[1:] else wrap(xs[0])


def _sums(xs: Any, lengths: Iterable[int]) -> Any:
    """The sums of so many members of *xs*, one stretch after the other; of rows in each."""
    if isinstance(xs, InRows):
        return InRows(_sums(row, lengths) for row in xs)
    ends = list(accumulate(lengths, initial=0))
    return [_sum(*xs[i:j]) for i, j in pairwise(ends)]


def _lookup(key: Any, keys: Any, values: Any) -> Expr:
    """The first of *values* whose key is *key*, which is among the *keys*."""
    *others, last = zip(values, keys, strict=True)
    tests = [(one, same(of, key) if isinstance(of, Expr) else same(key, of)) for one, of in others]
    return cases(*tests, otherwise=last[0]) if tests else wrap(last[0])


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, Expr) or isinstance(y, Expr):
        return wrap(x) ** y
    size = max(Fraction(x).numerator.bit_length(), Fraction(x).denominator.bit_length())
    if abs(y) * size > BITS:
        raise ValueError("is too large a power")
    return Fraction(x) ** y if y < 0 else x**y


def _first(xs: Any, held: Any) -> Any:
    """The first of *xs* whose relation *held*, else the last one, which needs none."""
    *others, last = xs
    tests = relations_of(held) or ()
    if len(tests) < len(others):
        raise ValueError("takes a relation between numbers for each member of a list")
    return cases(*zip(others, tests, strict=False), otherwise=last) if others else last


_ARITHMETIC: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    ast.Add: lambda x, y: y if _is(x, 0) else x if _is(y, 0) else add(x, y),
    ast.Sub: lambda x, y: x if _is(y, 0) else sub(x, y),
    ast.Mult: lambda x, y: y if _is(x, 1) else x if _is(y, 1) else mul(x, y),
    ast.Div: _over,
    ast.Pow: _power,
}
"""Parts that a shape lacks may be 0, factors that it lacks 1: they leave nothing behind."""

SPECIAL: Final[Mapping[str, Callable[..., Any]]] = {
    "sum": lambda xs: xs.columns(_sum) if isinstance(xs, InRows) else _sum(*_spread([xs])),
    "len": len,
    "ones": lambda xs: [1 for _ in xs] if _listed(xs) else 1,
    "later": lambda xs: list(xs[1:]),
    "positive": lambda xs: _by_member(lambda x: FUNCTIONS["max"](0, x), xs),
    "earlier": lambda xs: list(xs[:-1]),
    "before": lambda xs: [_sum(*xs[:i]) if i else 0 for i in range(len(xs))],
    "rows": lambda xs, n: InRows(list(xs[i : i + int(n)]) for i in range(0, len(xs), int(n))),
    "turned": _turned,
    "sums": _sums,
    "product": lambda xs: xs.columns(_product) if isinstance(xs, InRows) else _product(*xs),
    "numbers": lambda xs: list(range(1, len(xs) + 1)),
    "first": _first,
    "second": lambda xs: FUNCTIONS["max"](
        *(FUNCTIONS["min"](x, y) for x, y in combinations(xs, 2))
    ),
    "lookup": _lookup,
    "solve": lambda relation: Eq(relation.left, relation.right),
    "boundary": Boundary,
    "least": lambda relation, at, *texts: Least(relation, wrap(at), *texts),
    "least_with_product": least_with_product,
}
"""Functions of lists, and the rules that solve; those of numbers are the program's own."""
