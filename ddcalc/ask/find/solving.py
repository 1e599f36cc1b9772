"""An inequality in one unknown, solved by hand: a line for each move, with its reason.

All known numbers are put in first, so that what is compared is a formula of the unknown alone.
SymPy brings it into one of a few forms, each of which has its moves. Where none fits, SymPy solves
the formula in letters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from ddcalc.ask.find.inverse import Relation
from ddcalc.formula.algebra import has_form
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import (
    Cases,
    Div,
    Expr,
    Fun,
    Known,
    Mul,
    Nothing,
    Num,
    Number,
    Operator,
    Pow,
    Rel,
    Sym,
    nodes,
    substitute,
    symbols,
)
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.amounts import amount, apart
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, TIME, Dimension, Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.putting import put_in
from ddcalc.problem.quantity import Given
from ddcalc.problem.speaker import hedged
from ddcalc.problem.steps import BOUND, NUMBER, PutIn, Reasoned, Solve

CLOSE: Final = 2**40  # parts of a distance, one of which is close to an end
LETTERS: Final = 9  # of a formula that is shown before the numbers are put in
_ROUNDED: Final = ("floor", "ceiling")  # begin the names of what rounds
TURNED: Final[Mapping[Operator, Operator]] = {
    "<": ">", "<=": ">=", "==": "==", ">=": "<=", ">": "<",
}  # fmt: skip
_READABLE: Final = (ONE, TIME, Dimension(data=1), Dimension(money=1), Dimension(work=1))
_RATES: Final = tuple(one / TIME for one in _READABLE if one != TIME)
Coefficients: TypeAlias = tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """The *lines* to ``unknown op formula``, which is worth *value* with its *numbers*.

    *compared* is what is compared, in the unknown alone. *impossible* says why no value of the
    unknown does it: then there is no formula.
    """

    compared: Expr
    numbers: Mapping[str, PutIn]
    lines: tuple[Reasoned, ...]
    op: Operator
    formula: Expr
    value: Number
    impossible: str = ""


@dataclass
class _Paper:
    """Where lines are written: every number in them stands for a letter of its own."""

    numbers: dict[str, PutIn] = field(default_factory=dict)
    lines: list[Reasoned] = field(default_factory=list)

    def put(self, value: Number, unit: Unit) -> Sym:
        """A *value* in *unit*, as a letter."""
        shown = amount(value, unit)
        name = next((n for n, one in self.numbers.items() if one == shown), None)
        name = name or f"{NUMBER}{len(self.numbers) + 1}"
        self.numbers[name] = shown
        return Sym(name)

    def write(self, op: Operator, left: Expr, right: Expr, reason: str) -> None:
        """A line."""
        self.lines.append(Reasoned(Rel(op, left, right), reason, dict(self.numbers)))


def solved(
    written: Expr,
    known: Known,
    relation: Relation,
    compared: tuple[str, Unit],
    unknown: Given,
    at: Number | None,
) -> Way | None:
    """How *relation*, whose left side is *written* out, is solved for the *unknown*.

    What is *compared* has a name and a unit. Of two ends the one next to *at* is meant. None where
    the formula has no form that is solved by hand.
    """
    form = _form(written, known, unknown.letter)
    return None if form is None else _Hand(written, relation, compared, unknown, at).way(*form)


def _form(written: Expr, known: Known, letter: str) -> tuple[Coefficients, Coefficients] | None:
    """*written* as a quotient of two polynomials in its *letter*: their coefficients, from the
    highest power on, without common factors."""
    from ddcalc.formula.cas import quotient_in

    numbers: dict[str, Expr] = {}
    for name in symbols(written):
        value = known.get(name)
        if name != letter:
            if value is None or type(value) is Approximate:
                return None
            numbers[name] = Num(value)
    undecided = any(isinstance(part, Cases | Nothing) for part in nodes(written))
    if undecided or not has_form(written):
        return None
    return quotient_in(letter, substitute(written, numbers))


@dataclass
class _Hand:
    """Solves one relation."""

    written: Expr
    relation: Relation
    compared: tuple[str, Unit]
    unknown: Given
    at: Number | None
    paper: _Paper = field(default_factory=_Paper)

    def way(self, over: Coefficients, under: Coefficients) -> Way | None:
        """The lines for a quotient of polynomials."""
        lead = Fraction(under[0])
        top = tuple(plain(Fraction(one) / lead) for one in over)
        bottom = tuple(plain(Fraction(one) / lead) for one in under)
        powers = len(bottom) - 1
        if not any(bottom[1:]):  # a polynomial over a power of the unknown
            terms = {len(top) - 1 - i - powers: x for i, x in enumerate(top) if x}
            return self._terms(terms)
        if powers == 1 and len(top) <= 2 and bottom[1] > 0:
            a, b = top if len(top) == 2 else (0, top[0])
            return self._ratio(a, b, bottom[1])
        return None

    # Forms

    def _terms(self, terms: Mapping[int, Number]) -> Way | None:
        """A sum of powers of the unknown, each with its coefficient."""
        powers = {*terms} - {0}
        if len(powers) == 1:
            [power] = powers
            if abs(power) <= 2:
                return self._single(terms.get(0, 0), terms[power], power)
        if powers in ({1, -1}, {1, 2}) and self._dimension == ONE:
            return self._square(terms)
        return None

    def _single(self, rest: Number, factor: Number, power: int) -> Way | None:
        """``rest + factor · unknown^power``."""
        size = factor if factor > 0 else -factor
        part = self._power(size, power)
        if part is None:
            return None
        unit, bound = self.compared[1], self.relation.bound.value
        alone = self.paper.put(rest, unit) if rest > 0 else None
        if factor > 0:
            left = part if alone is None else alone + part
            if rest < 0:
                left = part - self.paper.put(-rest, unit)
        elif alone is not None:
            left = alone - part
        else:
            return None
        self._begin(left)
        op, over = (self.op, bound - rest) if factor > 0 else (TURNED[self.op], rest - bound)
        if over <= 0:
            return self._impossible(left, rest, factor, op)
        right = self.paper.put(over, unit)
        if rest:
            self.paper.write(op, part, right, self._moved(rest, factor))
        turned = op if power > 0 else TURNED[op]
        ratio = Fraction(over) / Fraction(size)
        worth = ratio if power > 0 else 1 / ratio
        formula = self._quotient(size, power, right)
        if abs(power) == 2:
            root = evaluate(Fun("sqrt", (Num(plain(worth)),)), {})
            return self._done(left, turned, Fun("sqrt", (formula,)), root)
        return self._done(left, turned, formula, plain(worth))

    def _ratio(self, a: Number, b: Number, e: Number) -> Way | None:
        """``(a·unknown + b)/(unknown + e)``, where e is positive."""
        unit, bound = self.compared[1], self.relation.bound.value
        usual, letter = self._unit, Sym(self.unknown.letter)
        mixed = self._mixed(unit.dimension * self._dimension)
        if mixed is None or bound <= 0:
            return None
        e_put = self.paper.put(e, usual)
        times_a = letter if a == 1 else self.paper.put(a, _plain(unit)) * letter
        if a and b:
            over = times_a + self.paper.put(b, mixed) if b > 0 else None
        else:
            over = times_a if a else self.paper.put(b, mixed)
        if over is None:
            return None
        left = Div(over, letter + e_put)
        self._begin(left)
        c = self.paper.put(bound, _plain(unit))
        below = f"{letter_of(self.unknown.letter)} + {amount(e, usual)}"
        self.paper.write(self.op, over, c * (letter + e_put), f"times {below}, which is positive")
        slope, rest = Fraction(a - bound), Fraction(bound * e - b)
        op = self.op
        if slope < 0:
            slope, rest, op = -slope, -rest, TURNED[op]
        if slope == 0 or rest <= 0:
            return None
        right = self.paper.put(plain(rest), mixed)
        factor = self.paper.put(plain(slope), _plain(unit))
        name = letter_of(self.unknown.letter)
        if slope == 1:
            return self._done(left, op, right, plain(rest))
        self.paper.write(op, factor * letter, right, f"all that has {name} to one side")
        return self._done(left, op, Div(right, factor), plain(rest / slope))

    def _square(self, terms: Mapping[int, Number]) -> Way | None:
        """``rest + b·unknown + c·unknown²``, or with ``c/unknown`` instead."""
        unit = self.compared[1]
        if any(x < 0 for x in terms.values()) or self.at is None:
            return None
        parts = [self._power(terms[k], k) for k in (1, 2, -1) if k in terms]
        shown = [part for part in parts if part is not None]
        left: Expr = shown[0] + shown[1]
        if terms.get(0):
            left = self.paper.put(terms[0], unit) + left
        self._begin(left)
        p, q = self._normal(terms)
        return self._roots(left, p, q)

    def _normal(self, terms: Mapping[int, Number]) -> tuple[Number, Number]:
        """``unknown² + p·unknown + q``, compared with 0, is written: p and q."""
        unit, bound = self.compared[1], self.relation.bound.value
        letter = Sym(self.unknown.letter)
        rest = Fraction(terms.get(0, 0) - bound)
        if -1 in terms:  # times the unknown
            high, middle, low = Fraction(terms[1]), rest, Fraction(terms[-1])
        else:
            high, middle, low = Fraction(terms[2]), Fraction(terms[1]), rest
        p, q = plain(middle / high), plain(low / high)
        side: Expr = Pow(letter, Num(2))
        for x, part in ((p, letter), (q, None)):
            if not x:
                continue
            put: Expr = self.paper.put(size_of(x), COUNT)
            if part is not None:
                put = part if size_of(x) == 1 else put * part
            side = side + put if x > 0 else side - put
        name = letter_of(self.unknown.letter)
        times = f"times {name}, " if -1 in terms else ""
        over = amount(plain(high), unit)
        self.paper.write(self.op, side, Num(0), f"{times}divided by {over}, all on one side")
        return p, q

    def _roots(self, left: Expr, p: Number, q: Number) -> Way | None:
        """Where ``unknown² + p·unknown + q`` is 0."""
        half = Fraction(p) / 2
        under = half * half - Fraction(q)
        if under < 0:
            return None
        root = evaluate(Fun("sqrt", (Num(plain(under)),)), {})
        ends = (plain(Fraction(-half - root)), plain(Fraction(-half + root)))
        assert self.at is not None
        upper = size_of(ends[1] - self.at) <= size_of(ends[0] - self.at)
        radical = Fun("sqrt", (self.paper.put(plain(under), COUNT),))
        formula: Expr = radical
        if half < 0:
            middle_put = self.paper.put(plain(-half), COUNT)
            formula = middle_put + radical if upper else middle_put - radical
        elif half > 0:
            formula = radical - self.paper.put(plain(half), COUNT)
        inner: Operator = self.op if upper else TURNED[self.op]
        value = plain(-half) + root if upper else plain(-half) - root
        return self._done(left, inner, formula, value)

    # Moves

    @property
    def op(self) -> Operator:
        """The sign of the relation."""
        return self.relation.op

    @property
    def _from_zero(self) -> bool:
        """Whether the unknown may be 0."""
        return self.unknown.least == 0 or (
            self.unknown.least is None and self.unknown.above is None
        )

    @property
    def _unit(self) -> Unit:
        return self.unknown.unit

    @property
    def _dimension(self) -> Dimension:
        return self._unit.dimension

    def _begin(self, left: Expr) -> None:
        """The relation in letters, and with the numbers put in."""
        bound = self.paper.put(self.relation.bound.value, self.compared[1])
        letters = [*symbols(self.written)]
        plainly = self.relation.letter == letters[0] if len(letters) == 1 else False
        if not plainly and len(letters) <= LETTERS:
            self.paper.write(self.op, self.written, bound, self.compared[0])
        self.paper.write(self.op, left, bound, "with the numbers put in")

    def _moved(self, rest: Number, factor: Number) -> str:
        """What was done with the part without the unknown."""
        shown = amount(size_of(rest), self.compared[1])
        if factor < 0:
            return "the two sides changed over"
        return f"{shown} {'subtracted from' if rest > 0 else 'added to'} both sides"

    def _impossible(self, left: Expr, rest: Number, factor: Number, op: Operator) -> Way | None:
        """Nothing positive is 0 or less."""
        if op not in ("<", "<=", "==") or factor < 0 or not rest:
            return None
        bound, unit = self.relation.bound.value, self.compared[1]
        if rest < bound or (rest == bound and self._from_zero):
            return None
        name, most = letter_of(self.unknown.letter), apart(rest, bound, unit)
        says = f"{hedged(most[0])} of it does not depend on {name}"
        says += ", and the rest is never 0" if rest == bound else f", more than {most[1]}"
        return Way(left, self.paper.numbers, tuple(self.paper.lines), op, Num(0), 0, says)

    def _power(self, factor: Number, power: int) -> Expr | None:
        """``factor · unknown^power``, as a product or a quotient, whose unit can be read."""
        letter = Sym(self.unknown.letter)
        raised: Expr = letter if abs(power) == 1 else Pow(letter, Num(2))
        size = self.compared[1].dimension / self._dimension**power
        if power < 0:
            mixed = self._mixed(size)
            return None if mixed is None else Div(self.paper.put(factor, mixed), raised)
        if factor == 1 and size == ONE:
            return raised
        if size == ONE or self._dimension == ONE:
            return Mul((self.paper.put(factor, self._mixed(size) or COUNT), raised))
        if (rate := ONE / size) in _RATES or rate in _READABLE:
            return Div(raised, self.paper.put(plain(1 / Fraction(factor)), base_unit(rate)))
        if size in _RATES:
            return Mul((self.paper.put(factor, base_unit(size)), raised))
        return None

    def _quotient(self, factor: Number, power: int, right: Expr) -> Expr:
        """*right* without the factor that :meth:`_power` gave the unknown."""
        size = self.compared[1].dimension / self._dimension**power
        if power < 0:
            return Div(self.paper.put(factor, self._mixed(size) or COUNT), right)
        if factor == 1 and size == ONE:
            return right
        if size == ONE or self._dimension == ONE or (
            size in _RATES and ONE / size not in (*_RATES, *_READABLE)
        ):  # fmt: skip
            return Div(right, self.paper.put(factor, self._mixed(size) or COUNT))
        return right * self.paper.put(plain(1 / Fraction(factor)), base_unit(ONE / size))

    def _mixed(self, size: Dimension) -> Unit | None:
        """A unit in which an amount of that *size* is written; None where nobody reads it."""
        if size == self.compared[1].dimension:
            return _plain(self.compared[1])
        if size == self._dimension:
            return self._unit
        return base_unit(size) if size in (*_READABLE, *_RATES) else None

    def _done(self, left: Expr, op: Operator, formula: Expr, value: Number) -> Way:
        lines = self.paper.lines
        if lines[-1].formula == Rel(op, Sym(self.unknown.letter), formula):
            del lines[-1]
        return Way(left, self.paper.numbers, tuple(lines), op, formula, value)


def size_of(x: Number) -> Number:
    """*x* without its sign."""
    return x if x >= 0 else -x


def _plain(unit: Unit) -> Unit:
    """The unit of a factor: a share is a number like others there."""
    return COUNT if unit.dimension == ONE else unit


# In letters


@dataclass(frozen=True)
class LetterSolver:
    """Solves relations for the *unknown* in letters, by SymPy, where it allows that.

    *near* are the values of all letters just inside the end that is solved for: they decide
    distinctions and maxima.
    """

    plan: EquationPlan
    unknown: Given
    live: Collection[str]
    near: Known

    def solved(self, relation: Relation, op: Operator, at: Number) -> Solve | None:
        """How *relation* comes to ``unknown op at``; None where no formula in letters says so."""
        from ddcalc.formula.cas import solution_of

        written = self.written(relation.letter)
        right: Expr | None = Sym(BOUND)
        if relation.other is not None:
            right = self.written(relation.other.letter)
        if written is None or right is None or not (has_form(written) and has_form(right)):
            return None
        letter = self.unknown.letter
        amounts = {name for name, size in self.plan.dimensions.items() if size.time}
        formula = solution_of(letter, written, right, self.plan.rank, amounts)
        known = {**self.near, BOUND: relation.bound.value}
        if formula is None or letter in symbols(formula) or _value(formula, known) != at:
            return None
        if not self._says(Rel(relation.op, written, right), known, op, at):
            return None
        compared_in = self.plan.problem.quantities[relation.name].unit
        unit = self.unknown.unit
        units = {name: quantity.unit for name, (quantity, _) in self.plan.problem.origin.items()}
        numbers = put_in(formula, known, {**units, BOUND: compared_in})
        end = {"<": "_max", "<=": "_max", ">": "_min", ">=": "_min", "==": ""}[op]
        return Solve(
            name=self.unknown.name,
            symbol=letter + end if letter + end not in self.plan.problem.origin else letter,
            title=f"Solved for {letter_of(letter)}",
            why="all else is known",
            unit=unit,
            relation=Rel(relation.op, written, right),
            unknown=letter,
            op=op,
            formula=formula,
            numbers=numbers,
            value=at,
        )

    def _says(self, relation: Rel, known: Known, op: Operator, at: Number) -> bool:
        """Whether close to *at* the *relation*, with all that is *known*, holds where
        ``unknown op at``, and only there."""
        if relation.op == "==":
            return True
        step = abs(Fraction(at)) / CLOSE or Fraction(1, CLOSE)
        letter = self.unknown.letter
        sides = (_value(relation, {**known, letter: x}) for x in (at - step, at + step))
        return tuple(map(bool, sides)) == ("<" in op, ">" in op)

    def written(self, letter: str) -> Expr | None:
        """What *letter* is in the unknown; None where that stands in something rounded."""
        written = self._written_out(letter)
        return None if self._rounds(written) else written

    def rounds(self, letter: str) -> bool:
        """Whether the unknown stands in something rounded in what *letter* is."""
        parts = nodes(self._written_out(letter))
        rounded = (one for one in parts if isinstance(one, Fun) and one.name.startswith(_ROUNDED))
        return any(map(self._is_live, rounded))

    def _written_out(self, letter: str) -> Expr:
        """The formula of *letter* in the unknown and in letters that do not rest on it."""
        written: Expr = Sym(letter)
        for line in reversed(self.plan.lines):
            if line.symbol in self.live:
                formula = rewritten(line.formula, self._decided)
                written = substitute(written, {line.symbol: formula})
        return written

    def _decided(self, part: Expr) -> Expr | None:
        """The branch of a distinction, and the member of a maximum, that applies."""
        match part:
            case Cases():
                return rewritten(applying(part, self.near)[0], self._decided)
            case Fun("max" | "min" as name, args) if self._is_live(part):
                extreme_of = max if name == "max" else min
                best = extreme_of(args, key=lambda arg: evaluate(arg, self.near))
                return rewritten(best, self._decided)
        return None

    def _is_live(self, part: Expr) -> bool:
        return any(letter in self.live for letter in symbols(part))

    def _rounds(self, expr: Expr) -> bool:
        """Whether the unknown stands in something that is rounded."""
        if isinstance(expr, Fun) and self._is_live(expr):
            return True
        return any(map(self._rounds, expr.parts()))


def _value(formula: Expr, known: Known) -> Number | None:
    try:
        value: Number | None = evaluate(formula, known)
    except ArithmeticError:
        return None
    return value
