"""What a search is for: which given is the unknown, and what must hold (``total <= 300 s``)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from ddcalc.errors import BadNumber, BadValue, DdcalcError, Missing, UnknownName, blaming, raise_all
from ddcalc.formula.evaluation import compared
from ddcalc.formula.expression import SIGNS, Expr, Known, Num, Number, Operator, Rel, Sym, letter
from ddcalc.numbers.amounts import amount
from ddcalc.numbers.display import equal
from ddcalc.numbers.irrational import OutOfReach
from ddcalc.numbers.number import parse, split
from ddcalc.numbers.units import Measured, Unit, base_unit, shown_in
from ddcalc.problem.plan import read_for
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given, Quantity, letters, named
from ddcalc.problem.stated import Stated, Texts, read
from ddcalc.problem.stated_formulas import Sense, is_side, sides_of, units_in

WITHIN: Mapping[Sense, Operator] = {"least": "<=", "greatest": ">="}  # the best value, and it alone
WAYS: Final = {"ceiling": (1, "up"), "floor": (-1, "down")}  # where a rounding leads to
LIST = "is a list here; something that is one value can be compared"


@dataclass(frozen=True, slots=True)
class Relation:
    """Quantity *name*, whose letter is *letter*, must be in relation *op* to *bound*, or to the
    *other* quantity; then their difference is in that relation to the bound, which is 0. A bound is
    *made* by a formula of letters, if any: ``T_a/2``."""

    name: str
    letter: str
    op: Operator
    bound: Measured
    other: Quantity | None = None
    extreme: Sense | Literal[""] = ""  # then the bound is what is to be found, too
    made: str = ""

    @property
    def formula(self) -> Rel:
        """The relation between its letter and a number in base units, or the other letter."""
        right = Num(self.bound.value) if self.other is None else Sym(self.other.letter)
        return Rel(self.op, Sym(self.letter), right)

    @property
    def names(self) -> tuple[str, ...]:
        """What is compared."""
        return (self.name,) if self.other is None else (self.name, self.other.name)

    @property
    def written(self) -> str:
        """The relation as it is read: ``total <= 300 s``."""
        if self.extreme:
            return f"{self.name} is {self.extreme}"
        return f"{self.name} {self.op.replace('==', '=')} {self.bound.text.strip()}"

    def briefly(self, compared: Mapping[str, Quantity]) -> str:
        """The relation in letters, or formulas of what is *compared*: ``T ≤ T_a/2 = 300 s``."""
        every = filter(None, (compared[self.name], self.other))
        sides = [one.title if is_side(one.name) else letter(one.letter) for one in every]
        worth = amount(self.bound.value, self.bound.unit, stated=True)
        sides.append(equal(self.made, worth.marked) if self.made else str(worth))
        return f"{sides[0]} {SIGNS[self.op]} {sides[1]}"

    def told_in(self, stated: Stated) -> Unit | None:
        """The unit in which both sides are told, if any is said: that of the bound; else in which a
        side is asked for, or *stated*, or a number in its formula is."""
        if self.other is None and (self.bound.value or split(self.bound.text)[1]):
            return self.bound.unit
        formulas = {name: words for name, words, _ in stated.problem.own_steps}
        for name in reversed(self.names):
            unit, measured = stated.problem.quantities[name].unit, stated.alone(name)
            written = [measured.unit] if measured else []
            asked = [unit] if unit != base_unit(unit.dimension) else []
            for one in (*asked, *written, *units_in(formulas.get(name, ""))):
                if one.dimension == unit.dimension:
                    return one
        return None

    def sides(self, values: Known) -> tuple[Number | None, Number | None]:
        """Both sides, of *values* by name."""
        right = self.bound.value if self.other is None else values.get(self.other.name)
        return values.get(self.name), right

    def holds_among(self, values: Known) -> bool:
        """Whether it holds for *values* by name; see :func:`holds`."""
        return holds(self.op, *self.sides(values))


def number(name: str, value: object) -> Number | None:
    """The *value* of the quantity *name*, if it is one number or none; else BadValue."""
    if isinstance(value, tuple):
        raise BadValue(name, LIST).about("where")
    if isinstance(value, Expr):
        reason = "is a formula here; state the letters in it to compare it with a number"
        raise BadValue(name, reason).about("where")
    assert value is None or isinstance(value, Number)
    return value


def holds(op: Operator, left: Number | None, right: Number | None) -> bool:
    """Whether the relation between two numbers holds; no value is in no relation. Raises BadValue
    where *left* is rounded, and too near to *right* to be sure."""
    if left is None or right is None:
        return False
    try:
        return compared(op, left, right)
    except OutOfReach:
        reason = "agrees with the value to forty digits; that has more, so which is larger is open"
        raise BadValue(str(right), reason).about("where") from None


def relations_of(
    texts: Sequence[str], known: Mapping[str, Quantity], parameter: str = "where"
) -> tuple[Relation, ...]:
    """What *texts* say about the *known* quantities; raises a DdcalcError about *parameter*."""
    wanted: list[Relation] = []
    for i, text in enumerate(texts, 1):
        with blaming(f"{parameter}[{i}]" if len(texts) > 1 else parameter):
            wanted.append(_relation(text, known))
    return tuple(wanted)


def _relation(text: str, known: Mapping[str, Quantity]) -> Relation:
    name, op, bound = sides_of(text)
    quantity, word = _named(name, known), bound.strip(" ")
    if op == "least" or op == "greatest":
        nothing = Measured(0, quantity.unit, False, "")
        return Relation(quantity.name, quantity.letter, WITHIN[op], nothing, None, op)
    other = _named(word, known) if word.isidentifier() else known.get(named(word, known))
    if other is quantity:
        raise BadValue(text, "compares a quantity with itself")
    if other is not None:
        sizes = [one.unit.dimension for one in (quantity, other)]
        if sizes[0] != sizes[1]:
            reason = f"compares {sizes[0]} with {sizes[1]}; both must measure the same"
            raise BadValue(text, reason)
        nothing = Measured(0, quantity.unit, False, other.name)
        return Relation(quantity.name, quantity.letter, op, nothing, other)
    needs_unit = True
    with suppress(BadNumber):
        needs_unit = bool(parse(bound))  # 0 needs none, whatever is compared with it
    measured = quantity.measured(bound) if needs_unit else shown_in(quantity.unit, bound)
    return Relation(quantity.name, quantity.letter, op, measured)


def _named(name: str, known: Mapping[str, Quantity]) -> Quantity:
    if (spelling := named(name, known)) not in known:
        raise UnknownName("quantity", name, known, letters=letters(known.values()))
    return known[spelling]


@dataclass(frozen=True, slots=True)
class InverseQuestion:
    """For which values of the *unknown* do all *relations* hold? In *stated* something stands in
    for it."""

    stated: Stated
    unknown: Given | Choice
    relations: tuple[Relation, ...]

    @property
    def given(self) -> Given:
        """The unknown, where it is a number."""
        assert isinstance(self.unknown, Given)
        return self.unknown

    @property
    def extreme(self) -> Relation | None:
        """What is to be least or greatest, if anything but the unknown itself is."""
        return next((one for one in self.relations if one.extreme and not self.end), None)

    @property
    def end(self) -> Sense | Literal[""]:
        """The end of the solutions that is asked for, where one is."""
        asked = (one.extreme for one in self.relations if one.name == self.unknown.name)
        return next(filter(None, asked), "") if self.bounds else ""

    @property
    def bounds(self) -> tuple[Relation, ...]:
        """What must hold besides."""
        return tuple(one for one in self.relations if not one.extreme)

    @property
    def compared(self) -> dict[str, Quantity]:
        """All that is compared, by name."""
        names = (name for relation in self.relations for name in relation.names)
        return {name: self.stated.problem.quantities[name] for name in names}

    def marks(self, values: Mapping[Any, Known], best: Collection[Any] = ()) -> dict[Any, str]:
        """What a table of *values* says of each number or option: that it is among the *best*, or
        what does not hold; only whether it will do, if nothing is to be least or greatest."""
        failing = {
            x: [letter(one.letter) for one in self.bounds if not one.holds_among(known)]
            for x, known in values.items()
        }
        if (extreme := self.extreme) is None:
            return {x: "no" if fails else "yes" for x, fails in failing.items()}
        marks = {x: f"{' and '.join(one)} not allowed" if one else "" for x, one in failing.items()}
        return marks | dict.fromkeys(best, extreme.extreme)


def inverse_question(
    problem: type[Problem], unknown: str, where: Sequence[str], texts: Texts
) -> InverseQuestion:
    """The question for *unknown*, so that what *where* says holds, with *texts* for the others.
    Raises a DdcalcError, Several where more than one thing is wrong."""
    sought = _unknown(problem, unknown)
    for key, text in texts.items():
        if key.replace("-", "_") == sought.name:
            reason = "is given, but it is also what to find; leave one of them out"
            raise BadValue(text if isinstance(text, str) else ", ".join(text), reason).about(key)
    if isinstance(sought, Given):
        worth = Fraction(sought.stand_in) / sought.unit.worth
        stand_in = f"{worth} {sought.unit.name}".rstrip()
    else:
        stand_in = sought.default
    errors: list[DdcalcError] = [] if where else [Missing(["where"])]
    relations: tuple[Relation, ...] = ()
    try:
        relations = relations_of(where, problem.quantities)
        if len(extremes := [one.written for one in relations if one.extreme]) > 1:
            reason = "is one too many: one thing can be least or greatest"
            errors.append(BadValue(extremes[1], reason).about("where"))
    except DdcalcError as error:
        errors.append(error)
    try:
        stated = _stated(problem, {**texts, sought.name: stand_in}, relations)
    except DdcalcError as error:
        errors.append(error)
    raise_all(errors)
    return InverseQuestion(stated, sought, relations)


def _stated(problem: type[Problem], texts: Texts, relations: Sequence[Relation]) -> Stated:
    """What *texts* state; where the type needs more, only what the *relations* rest on is needed.
    Raises what :func:`inverse_question` does."""
    try:
        return read(problem, texts)
    except DdcalcError as error:
        compared = (name for relation in relations for name in relation.names)
        names = [name for name in compared if name not in problem.givens]
        if not names or not all(isinstance(one, Missing) for one in error.singles()):
            raise
    return read_for(problem, texts, names)


def _unknown(problem: type[Problem], name: str) -> Given | Choice:
    known: Mapping[str, Given | Choice] = {**problem.givens, **problem.choices}
    if (spelling := named(name, problem.quantities)) not in known:
        if spelling in problem.quantities:
            reason = "follows from the givens; leave --find away to work it out"
            raise BadValue(name, reason).about("find")
        raise UnknownName("given", name, known, letters=letters(known.values())).about("find")
    unknown = known[spelling]
    if isinstance(unknown, Given) and unknown.many == "list":
        raise BadValue(name, "is a list; only a given with one value is found").about("find")
    return unknown
