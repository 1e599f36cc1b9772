"""Formulas of a sheet: Python's own grammar of expressions, of which a list is allowed; nothing of
it is ever run. What depends on the shape of a question alone is decided, the rest is kept."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from keyword import iskeyword
from typing import Any, Final, Protocol

from ddcalc.errors import BadFile, BadNumber, DdcalcError, suggestion
from ddcalc.formula.algebra import FUNCTIONS, NOTHING, Index, added_up, cases, factorial, pi
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import BITS_PER_BYTE, Expr, Num, Number, Rel, Sized, Sym, nodes, wrap
from ddcalc.numbers.number import parse
from ddcalc.problem.said.sentences import After
from ddcalc.problem.sheet import functions
from ddcalc.problem.sheet.functions import LISTS, All, NoValue, by_member, is_list, side_by_side
from ddcalc.problem.sheet.text import Text

CONSTANTS: Final = {
    "nothing": NOTHING, "never": False, "bits_per_byte": BITS_PER_BYTE,
    "factorial": factorial, "pi": pi,
}  # fmt: skip
ALL_FUNCTIONS: Final = "ddcalc explain formulas lists them all"
DEEP, LONG, POWER = 50, 40, 10_000  # how deep a formula goes, how long a number is
DIGITS: Final = 0x5000  # the letters that stand for digits with which words begin
_WORDS: Final = ("if", "else", "and", "or", "not", "is", "in", "for", "from", "to")  # of formulas
_WITH_UNIT: Final = re.compile(rf"(?<![\w.])[\d.]+ ?(?!(?:{'|'.join(_WORDS)})\b)[^\W\d]\w*")
_FLIPPED: Final[Mapping[str, Any]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_COMPARE: Final[Mapping[type, tuple[Any, Callable[[Any, Any], bool]]]] = {
    ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge), ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne),
}  # fmt: skip
_ALLOWED: Final = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Constant,
    ast.Subscript, ast.Tuple, ast.Starred, ast.Attribute, ast.keyword, ast.operator, ast.unaryop,
    ast.boolop, ast.cmpop, ast.expr_context, ast.GeneratorExp, ast.comprehension,
)  # fmt: skip


def _is(x: Any, number: int) -> bool:
    value = x.value if isinstance(x, Num) and not (number and isinstance(x, Sized)) else x
    return isinstance(value, int | Fraction) and value == number


def _over(x: Any, y: Any) -> Any:
    if _is(y, 1):
        return x
    return x / y if isinstance(x, Expr) or isinstance(y, Expr) else Fraction(x) / Fraction(y)


def _power(x: Any, y: Any) -> Any:
    if y is factorial:  # as x! is read
        return factorial(x)
    base, exponent = _number(x), _number(y)
    if not (isinstance(base, Expr) or isinstance(exponent, Expr)):
        size = max(map(int.bit_length, Fraction(base).as_integer_ratio()))
        if abs(exponent) * size > POWER:
            raise NoValue("is too large a power")
    if isinstance(x, Expr) or isinstance(y, Expr):
        return wrap(x) ** y
    return Fraction(x) ** y if y < 0 else x**y


ARITHMETIC: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    ast.Add: lambda x, y: y if _is(x, 0) else x if _is(y, 0) else x + y,
    ast.Sub: lambda x, y: x if _is(y, 0) else x - y,
    ast.Mult: lambda x, y: y if _is(x, 1) else x if _is(y, 1) else x * y,
    ast.Div: _over,
    ast.Pow: _power,
}
"""Parts that a shape lacks may be 0, factors that it lacks 1: they leave nothing behind."""


class Scope(Protocol):
    """What gives names, formulas and texts their meaning: the shape of a question."""

    symbols: Mapping[str, Any]

    def value(self, name: str) -> Any: ...
    def call(self, name: str, args: list[Any]) -> Any: ...
    def chosen(self, name: str) -> str | None: ...
    def changes(self, name: str) -> bool: ...
    def shaped(self, name: str, how: str) -> bool: ...
    def words(self, text: Text) -> str: ...
    def at(self, formula: Formula) -> Any: ...
    def named(self, name: str) -> Any: ...


class Formula:
    """A formula as written; it is parsed when it is first needed."""

    def __init__(self, text: Text, parameters: tuple[str, ...] = ()) -> None:
        self.text, self.parameters = text, parameters
        self.words = text.words
        self.sizes: Mapping[str, Any] = {}  # what some names stand for: numbers with units, too
        self.meant: Mapping[str, Sequence[str]] = {}  # the quantities for which others do
        self.no_units = "has a unit, as no number in a formula has: make it a given with a default"
        self.as_written = False  # whether 2 + 12/8 stays such, and is not made 3.5
        self.deep = DEEP

    @cached_property
    def tree(self) -> ast.expr:
        """The tree of the formula, its numbers exact; BadFile where it is none of a sheet."""
        words = self.words
        spelt = words.replace(" from ", " in   ").replace(" to ", " |  ")  # of a sum
        try:
            tree = ast.parse(f"({spelt or '='})", mode="eval").body
        except SyntaxError as error:
            if unit := _WITH_UNIT.search(words):
                raise self.text.wrong(self.no_units, unit.start(), len(unit[0])) from None
            for word in re.finditer(r"[a-z]+", words):
                if iskeyword(word[0]) and word[0] not in _WORDS:
                    reason = f"{word[0]} is no name that formulas may have; choose another one"
                    raise self.text.wrong(reason, word.start(), len(word[0])) from None
            if words.count("(") != words.count(")"):  # of a list in YAML, which commas part
                reason = "is no formula: brackets do not pair; quote what has commas"
                raise self.text.wrong(reason, 0, len(words)) from None
            at = min(max((error.offset or 1) - 2, 0), max(len(words) - 1, 0))
            reason = f"is no formula: {error.msg} (ddcalc explain formulas)"
            raise self.text.wrong(reason, at, 1) from None
        except (RecursionError, MemoryError, ValueError):
            raise self.text.wrong("is no formula: it goes too deep") from None
        waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
        while waiting:
            node, depth = waiting.pop()
            if depth > self.deep:
                reason = f"goes deeper than {self.deep} levels; give a part of it a name"
                raise self.text.wrong(reason)
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
        try:
            return parse(words if len(words) <= LONG else "")
        except BadNumber:
            raise self.wrong("is too long a number", node) from None

    def _span(self, node: ast.expr) -> tuple[int, int]:
        """Where *node* begins and ends."""
        source = f"({self.words})".encode()
        columns = (node.col_offset, node.end_col_offset or 0)
        start, end = (len(source[:one].decode(errors="ignore")) - 1 for one in columns)
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
                case ast.Compare(
                    ast.Name(name) as it, [ast.Is() | ast.IsNot()], [ast.Name() as to]
                ):
                    skipped |= {it, to}
                    yield name, _word(to), node
                case ast.Compare(_, ops) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                    reason = "`is` stands between a choice and an option of it, _ for - and blanks"
                    raise self.wrong(reason, node)
                case ast.GeneratorExp(_, [ast.comprehension(ast.Name(index))]):
                    inside = (x for x in ast.walk(node) if isinstance(x, ast.Name))
                    skipped |= {x for x in inside if x.id == index}
                case ast.Call(_, _, changed):
                    skipped |= {one.value for one in changed if isinstance(one.value, ast.Name)}
                case ast.Name() | ast.Attribute() if node not in skipped:
                    skipped |= {*ast.walk(node)}
                    if (name := ast.unparse(node)) not in {*self.sizes, *self.meant}:
                        yield name, "", node

    def evaluate(self, scope: Scope, part: ast.expr | None = None) -> Any:
        """What it, or a *part* of it, comes to in *scope*: a number, a formula, relations, True or
        False, a list; BadFile at the innermost part that has no value."""
        node = part or self.tree
        try:
            return self._value(node, scope, partial(self.evaluate, scope))
        except BadFile:
            raise
        except RecursionError:
            raise self.text.wrong("goes too deep, with all names put in") from None
        except (NoValue, DdcalcError) as error:
            raise self.wrong(str(error), node) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.wrong("has no value: its parts do not fit", node) from error

    @property
    def quoted(self) -> Text:
        """The text between quotes that it is; BadFile where it is none."""
        match self.tree:
            case ast.Constant(Text() as text):
                return text
        raise self.wrong("is no text")

    def name_in(self, scope: Scope | None) -> str:
        """The name that it comes to in *scope*, or usually; "" if none."""
        tree = self.tree
        while isinstance(tree, ast.IfExp):
            held = scope is None or self.evaluate(scope, tree.test)
            if not isinstance(held, bool):
                raise self.wrong("depends on numbers, but not what is asked", tree.test)
            tree = tree.body if held else tree.orelse
        return tree.id if isinstance(tree, ast.Name) else ""

    def _computed(self, op: ast.operator, x: Any, y: Any) -> Any:
        """What *op* makes of *x* and *y*, numbers or formulas."""
        if self.as_written and isinstance(x, Number) and isinstance(y, Number):
            x = wrap(x)
        return ARITHMETIC[type(op)](x, y)

    def _sum(self, term: ast.expr, counting: ast.comprehension, value: Callable[..., Any]) -> Expr:
        """The sum of *term* while a letter is *counting* from one number to another."""
        match counting:
            case ast.comprehension(ast.Name(name), ast.BinOp(first, ast.BitOr(), last), []):
                ends, before = (value(first), value(last)), self.sizes
                self.sizes = {**before, name: (index := Index(name))}
                made = added_up(value(term), index, *ends)
                self.sizes = before
                return made
        raise NoValue("is written sum(1/k for k from 1 to n)")

    def _named(self, name: str, scope: Scope) -> Any:
        if every := [scope.symbols[one] for one in self.meant.get(name, ())]:
            return every if len(every) > 1 else every[0]
        known = self.sizes if name in self.sizes else CONSTANTS
        return known[name] if name in known else scope.value(name)

    def _value(self, node: ast.expr, scope: Scope, value: Callable[[ast.expr], Any]) -> Any:
        match node:
            case ast.Constant(constant):
                return scope.words(constant) if isinstance(constant, Text) else constant
            case ast.Name(name):
                return self._named(name, scope)
            case ast.Attribute():
                return self._named(ast.unparse(node), scope)
            case ast.Tuple(members):
                lists = [
                    value(x.value) if isinstance(x, ast.Starred) else [value(x)] for x in members
                ]
                return [x for held in lists for x in (held if is_list(held) else [held])]
            case ast.Subscript(of, place):
                return _member(value(of), int(_number(value(place))))
            case ast.UnaryOp(ast.USub(), part):
                return by_member(operator.neg, value(part))
            case ast.UnaryOp(ast.Not(), part):
                return _opposite(value(part))
            case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
                return by_member(partial(self._computed, op), value(left), value(right))
            case ast.BoolOp(op, parts):
                return _joined(isinstance(op, ast.And), map(value, parts))
            case ast.Compare(ast.Name(name), [op], [ast.Name() as word]) if _asks(op, name, scope):
                return scope.shaped(name, _word(word)) is isinstance(op, ast.Is | ast.Eq)
            case ast.Compare(left, ops, rest):
                return _compared(ops, [_number(value(side)) for side in (left, *rest)])
            case ast.IfExp(test, body, orelse):
                held = value(test)
                if isinstance(held, bool):
                    return value(body if held else orelse)
                return _distinguished(held, value(body), value(orelse))
            case ast.Call(ast.Name("after"), [of], changed):
                return After(value(of), **{x.arg or "": _changed(x, scope, value) for x in changed})
            case ast.Call(ast.Name("sum"), [ast.GeneratorExp(term, [counting])]):
                return self._sum(term, counting, value)
            case ast.Call(ast.Name(name), parts):
                return _called(name, list(map(value, parts)), scope)
        raise self.wrong("is not part of formulas", node)


def _word(name: ast.Name) -> str:
    """The word that *name* is, which may begin with a digit: 1F1B."""
    first = ord(name.id[0]) - DIGITS
    return f"{first}{name.id[1:]}" if 0 <= first < 10 else name.id


def _asks(op: ast.cmpop, name: str, scope: Scope) -> bool:
    """Whether *op* asks which option the choice called *name* is."""
    is_choice = isinstance(op, ast.Eq | ast.NotEq) and scope.chosen(name) is not None
    return is_choice or isinstance(op, ast.Is | ast.IsNot)


def _number(value: Any) -> Any:
    """The number that an expression without letters comes to; anything else as it is."""
    is_open = not isinstance(value, Expr) or {Sym, Index} & {*map(type, nodes(value))}
    return value if is_open else evaluate(value, {})


def _member(members: Any, at: int) -> Any:
    """The member of a list *at* a place, counted from 1, or from its end."""
    if not is_list(members):
        raise NoValue("is one value in each case, or a list of its type; the next part has lists")
    if not 0 < abs(at) <= len(members):
        raise NoValue(f"has members 1 to {len(members)}, and no {at}")
    return members[at - 1 if at > 0 else at]


def _changed(one: ast.keyword, scope: Scope, value: Callable[[ast.expr], Any]) -> Any:
    """What a given or a choice is changed to."""
    if not scope.changes(name := one.arg or ""):
        raise NoValue(f"after changes givens and choices; {name} is none")
    if isinstance(one.value, ast.Name) and scope.chosen(name) is not None:
        return one.value.id
    return wrap(value(one.value))


def _called(name: str, args: list[Any], scope: Scope) -> Any:
    """What the function of that *name* comes to: one of the program's, or of the sheet."""
    if name not in LISTS and name not in FUNCTIONS:
        return scope.call(name, args)
    if not functions.takes(name, len(args)):
        raise NoValue(f"{name} does not take {len(args)} values")
    return LISTS[name](*args) if name in LISTS else by_member(FUNCTIONS[name], *args)


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
    return All(relation for one in kept for relation in functions.relations_of(one) or ())


def _distinguished(held: Any, value: Any, other: Any) -> Any:
    """*value* where the comparison *held* holds, else the *other*; of lists each member."""
    if is_list(value) or is_list(other):
        rows = side_by_side(value, held, other)
        return [cases((x, relation), otherwise=y) for x, relation, y in rows]
    if isinstance(held, tuple):  # all of them
        for one in held[::-1]:
            value = cases((value, one), otherwise=other)
        return value
    if not isinstance(held, Rel):
        raise NoValue("a distinction by numbers takes comparisons")
    return cases((value, held), otherwise=other)


def _compared(ops: list[ast.cmpop], sides: list[Any]) -> Any:
    """What is left of comparisons between the *sides* where the shape decides the others."""
    relations: list[Rel] = []
    for op, (left, right) in zip(ops, pairwise(sides), strict=True):
        sign, holds = _COMPARE[type(op)]
        for x, y in side_by_side(left, right):
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


def unknown(name: str, known: Iterable[str]) -> str:
    """That nothing is called *name*, and what was probably meant."""
    near = suggestion(name, sorted(known))
    return f"nothing is called {name}" + (f"; did you mean {near}?" if near else "")
