"""What came of a search: all solutions, which end of them is the answer, and steps that show it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal

from ddcalc.ask.find.branching import Extreme, Search
from ddcalc.ask.find.inverse import InverseQuestion, Relation, number
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.solve import Derivation
from ddcalc.ask.working import Working
from ddcalc.errors import UNANSWERED, BadValue, DdcalcError, Missing
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Known, Num, Number, Rel, Sym, letter
from ddcalc.numbers.amounts import STATED, amount, count_text, in_unit, together
from ddcalc.numbers.display import equal, grouped
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, PERCENT, TIME, Unit
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Choice, Given, spoken
from ddcalc.problem.said.sentences import series
from ddcalc.problem.said.steps import BOUND, Compare, Define, Reasoned, Step, Table
from ddcalc.problem.stated_formulas import is_side

DIGITS: Final = 20  # of an irrational end, more than a text has
RIGHT: Final = 50  # of one from which other numbers follow
RANGES, FEW = 6, 3  # ranges that are written in one line; of more than that the first few
POINTS: Final = 12  # single numbers that are listed
EQUAL: Final = Fraction(1, 10**6)  # of a bound: values in a narrow gap that are so near are equal
NEXT: Final = 2  # numbers on each side of what is least that its table shows

SIDES: Final[Mapping[str, Sequence[int]]] = {"only": (-1, 1), "least": (-1,), "greatest": (1,)}
Kind = Literal["none", "only", "least", "greatest", "always"]


class Outcome(Working):
    """What came of a *question*: its working is that at the answer, reached by a search.
    *solutions* are in order, those of a choice *options*; there are no others where they are
    *complete*, else none up to *last*. The answer is the *end* of them that *kind* names, not
    *reached* if it just is no solution. Other values than those *admitted* are no question of the
    type; nothing is known beyond the least and the largest that were *tried*, if some were."""

    dear = True
    equations: EquationPlan | None = None
    """The equations that were searched."""
    live: Set[str] = frozenset()
    """The quantities that rest on the unknown by these."""
    proof = ""
    """Why there are no others, or how far that is known."""
    is_cut = False  # whether what is least is so of positive values alone
    other_end: Number | None = None
    """The upper end of a range whose lower one is the answer."""
    nearest: Extreme | None = None
    """What comes nearest where there is no solution, if that is known."""

    def __init__(self, question: InverseQuestion) -> None:
        self.question, self.unknown = question, question.unknown
        self.answer, self.sides_of = self.unknown.name, [*question.compared]
        self.solutions: tuple[Piece, ...] = ()
        self.admitted: tuple[Piece, ...] = ()
        self.possible: tuple[Piece, ...] = ()  # whatever is said of the unknown alone
        self.options: tuple[str, ...] = ()
        self.tried: tuple[Number, Number] | None = None
        self.kind: Kind = "none"
        self.end: Edge | None = None
        self.complete, self.reached = True, False
        self.last: Edge | None = None
        self.compared_at: dict[Any, Known] = {}
        self.refused: dict[Any, DdcalcError] = {}

    def choose(self) -> None:
        """Take the end that is asked for; else the least one, unless it is the least that is
        admitted at all: then the greatest. The greatest too where there is no least one but a
        greatest one. Raises BadValue where there is no such end as is asked for."""
        if not self.solutions:
            return
        asked, first, last = self.question.end, self.solutions[0], self.solutions[-1]
        if self.question.extreme and self.equations is None:
            asked = "least"
        start, end = self.admitted[0], self.admitted[-1]
        low_in = first.low is not None and first.low_in
        high_in = last.high is not None and last.high_in
        is_first = first.low == start.low
        is_last = (last.high, last.high_in) == (end.high, end.high_in)
        ends_above = self.complete and not is_last and (is_first or (high_in and not low_in))
        self.kind, self.end, self.reached = "least", first.low, low_in
        if len(self.solutions) == 1 and first.is_point and self.complete:
            self.kind = "only"
        elif not asked and self.solutions == self.admitted:
            self.kind = "always"
        elif asked == "greatest" or (not asked and ends_above):
            self.kind, self.end, self.reached = "greatest", last.high, high_in
        if self.question.end and self.end is None:
            reason = "holds nowhere: there is always a better one"
            raise BadValue(f"{self.answer} is {asked}", reason).about("where")

    @property
    def number(self) -> Number | None:
        """The end as a number, rounded where it is irrational; None where there is none."""
        if isinstance(self.end, Root):
            return Approximate(close_to(self.end, RIGHT), 10.0 ** (1 - RIGHT))
        return None if self.end is None else plain(self.end)

    @property
    def near(self) -> Number | None:
        """The same, if it is the answer."""
        return self.number if self.reached else None

    @property
    def value(self) -> Number | None:
        """The answer as a number; None where there is none, or it is irrational."""
        return None if isinstance(self.end, Root) else self.near

    def span(self, unit: Unit) -> str:
        """The least and the largest number that was tried."""
        assert self.tried is not None
        least, most = (str(amount(end, unit)) for end in self.tried)
        return f"from {least} to {most}" if least != most else least

    def solved(self, x: Any) -> Derivation:
        """The question with the number or option *x* put in; raises what it is refused with."""
        stated = self.question.stated
        if not isinstance(x, str):
            return Derivation(with_moved(stated, {self.answer: x}))
        shape = stated.shape.with_choice(self.answer, x)
        if unmet := stated.problem.unmet(shape):
            raise Missing(" or ".join(group) for group in unmet)
        return Derivation(replace(stated, shape=shape))

    def compared(self, x: Any) -> Known:
        """What is asked and compared at *x*, by name; nothing where the question refuses it."""
        if x not in self.compared_at:
            question, known = self.question, dict[str, Any]()
            try:
                solved = self.solved(x)
                every = ((n, solved.value(n)) for n in question.stated.shape.wanted)
                known = {n: one for n, one in every if not isinstance(one, tuple)}
                known |= {n: number(n, solved.value(n)) for n in self.sides_of}
            except (*UNANSWERED, Missing) as error:
                if error.parameter == "where":
                    raise
                self.refused[x], known = error, {}
            self.compared_at[x] = known
        return self.compared_at[x]

    @cached_property
    def spare(self) -> Sequence[Relation]:
        """The bounds without all of which the same is least or greatest, as far as is known."""
        spare = [one for one in self.question.bounds if self.is_same_without([one])]
        return spare if not spare[1:] or self.is_same_without(spare) else []

    def is_same_without(self, bounds: Sequence[Relation]) -> bool:
        """Whether it is known that without these *bounds* the same is least or greatest."""
        return False

    def is_about(self, left: Number, right: Number) -> bool:
        """Whether the sides of a relation are equal but for the gap in which a number was tried."""
        is_tried = self.equations is None and not self.question.given.whole
        return is_tried and left != right and nearly(left, right)

    def _at(self, x: Any) -> Derivation | None:
        return None if x is None or not self.compared(x) else self.solved(x)

    @cached_property
    def at(self) -> Derivation | None:
        """What follows at the answer."""
        return self._at(self.options[0] if len(self.options) == 1 else self.near)

    @cached_property
    def shown(self) -> Any:
        """The number or option at which the relations are shown, whether they hold there or not."""
        if len(self.options) == 1:
            return self.options[0]
        if self.kind == "none":
            return self.nearest and self.nearest.at
        return self.number if isinstance(self.end, Root) else self.end

    @property
    def values(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {} if self.at is None else self.at.values

    @property
    def read(self) -> Collection[str] | None:  # type: ignore[override]
        """The givens that a play read; all where it is not known what it would read."""
        if self.at is not None:
            return self.at.working.read
        return self.question.stated.measured if self.question.stated.is_played else None

    @property
    def idle(self) -> Collection[str]:  # type: ignore[override]
        return () if self.at is None else self.at.working.idle

    @property
    def named(self) -> Collection[str]:
        """The choices that shape what follows at the answer; all where there is none."""
        if (at := self.at or self._at(self.shown)) is None:
            return self.question.stated.problem.choices
        return [assumption.choice for assumption in at.assumptions]

    def steps(self) -> Iterator[Step]:
        """What does not rest on the unknown; how that is found; what follows from it; and both
        sides of the relations there and beside it."""
        is_rounded = isinstance(self.end, Root)  # where it may be no solution
        question, found = self.question, [*self.found_by()]
        at = self._at(self.near if is_rounded else self.shown)
        if at is None:
            yield from (*self.fixed(), *found)
            return
        kept = at.commentary().basis(names={*question.compared, *question.stated.shape.wanted})
        kept, is_aside = kept & self.live if self.equations else kept, at.commentary().is_aside
        every = ((step, getattr(step, "name", "")) for step in at.working.steps())
        followed = [x for x, n in every if n in kept or not (self.equations or is_aside(x))]
        before, behind = self.parted(followed)
        is_near = isinstance(self.shown, Approximate)  # too near to be compared
        yield from (*self.fixed(), *before, *found, *behind)
        is_near |= self.nearest is not None and not self.nearest.is_reached
        yield from () if is_near or any(type(x) is Table for x in found) else self._comparisons()

    def fixed(self, also: Collection[str] = ()) -> Iterable[Step]:
        """What does not rest on the unknown, as far as that is known: of what is asked, compared,
        and *also* wanted."""
        return ()

    def parted(self, followed: Sequence[Step]) -> tuple[Iterable[Step], Iterable[Step]]:
        """What *followed* from the answer, before and behind how that is found."""
        return (), followed

    def found_by(self) -> Iterator[Step]:
        """How the unknown was found."""
        if isinstance(self.unknown, Choice):
            several = "Every option", "tried one by one"
            is_one = len(self.compared_at) == 1
            yield self._table(self.compared_at, *(("The only option", "") if is_one else several))
        elif self.value is not None and (extreme := self.question.extreme):
            what = self.question.compared[extreme.name]
            called = what.title if is_side(what.name) else spoken(what.name)
            tried = ", tried one by one" * (self.equations is None)
            why = f"where {called} is {extreme.extreme}{tried}"
            why += f": {self.derived[1]}" * bool(self.derived[1])
            known = {x: self.compared(x) for x in self.around() if self.compared(x)}
            table = self._table(known, self.unknown.heading, why)
            yield replace(table, argument=(*self.derived[0],))

    @property
    def listed(self) -> Sequence[Number]:
        """The values that the question states for the unknown, in order, if it states any."""
        return sorted(self.question.stated.problem.candidates.get(self.answer, ()))

    def around(self) -> Sequence[Number]:
        """The answer and the numbers next to it, in order; all that are stated, if some are."""
        assert self.value is not None
        return self.listed or sorted({self.value, *self.neighbours(self.value, (-1, 1), NEXT)})

    derived: tuple[Sequence[Reasoned], str] = ((), "")
    """The lines that lead to the answer from a formula of the unknown alone, and why it is that."""

    def _table(self, values: Mapping[Any, Known], title: str, why: str) -> Table:
        """What is asked and compared at numbers or options of the unknown, and what will do."""
        question, unknown = self.question, self.unknown
        quantities = question.stated.problem.quantities
        wanted = (x for x in question.stated.shape.wanted if not self.live or x in self.live)
        names = (*wanted, *question.compared)
        listed = [quantities[name] for name in dict.fromkeys(names) if name != unknown.name]
        if isinstance(unknown, Choice):
            head, places = unknown.name, [*map(unknown.written, values)]
            called, best = [one.name for one in listed], self.options
        else:
            head, places = letter(unknown.letter), _column([*values], unknown.unit)
            called = [one.title if is_side(one.name) else letter(one.letter) for one in listed]
            best = (self.value,)  # type: ignore[assignment]
        columns = [places]
        for one in listed:
            cells = iter(_column([x.get(one.name) for x in values.values() if x], one.unit))
            columns.append([next(cells) if there else "" for there in values.values()])
        marks = question.marks(values, best)
        marks |= {x: f"not possible: {why}" for x, why in self.refused.items()}
        rows = tuple(zip(*columns, (marks[x] for x in values), strict=True))
        name = unknown.name if isinstance(unknown, Given) else None
        return Table(title, why, (head, *called, ""), rows, name=name, abreast=bool(name))

    def at_neighbours(self, steps: Sequence[Define]) -> Iterator[Table]:
        """What *steps* come to at the whole number that is found, and at those beside it."""
        given, places = self.question.given, sorted({*self.beside})
        if steps and given.whole:
            known = [dict[str, Any](self.solved(x).values) for x in places]
            columns = [_column([one.get(x.symbol) for one in known], x.unit) for x in steps]
            rows = zip(_column(places, given.unit), *columns, [""] * len(places), strict=True)
            header = (letter(given.letter), *(letter(x.symbol) for x in steps), "")
            yield Table("", "", header, tuple(rows), abreast=True, proves=True)

    def neighbours(self, x: Number, sides: Sequence[int], count: int = 1) -> Sequence[Number]:
        """The numbers next to *x*, a *count* on each of these *sides* of it."""
        return ()

    @property
    def beside(self) -> Iterator[Any]:
        """The answer, the other end of a range, and numbers next to them at which something fails;
        what is least is shown in a table of its own."""
        is_shown = self.shown is not None and (not self.question.extreme or self.kind == "none")
        for end, sides in ((self.shown, SIDES.get(self.kind, ())), (self.other_end, (1,))):
            if end is not None:
                yield end
                yield from self.neighbours(end, sides) if is_shown else ()

    def _comparisons(self) -> Iterator[Compare]:
        given, places = self.question.given, [*dict.fromkeys(self.beside)]
        for x, called in zip(places, together(places, given.unit), strict=True):
            values, is_count = self.compared(x), given.unit == COUNT and isinstance(x, int)
            shown = grouped(Decimal(x)) if is_count else called.marked
            for relation in self.question.relations:
                left, right = relation.sides(values)
                if left is None or right is None or relation.extreme or relation.name == given.name:
                    continue
                holds = relation.holds_among(values)
                is_here = x in (self.shown, self.other_end)
                is_told = is_here and self.kind != "none" and self.is_about(left, right)
                if is_told or (holds != is_here and self.kind != "none"):
                    continue
                what, of = self.question.compared[relation.name], relation.bound.unit
                stated = relation.other is None and (of.dimension == TIME or of == PERCENT)
                unit = of if stated else what.unit
                is_plain = is_side(what.name) or (self.equations and len(self.question.bounds) == 1)
                side = Num(left) if is_plain else Sym(relation.letter)
                yield Compare(
                    equal(letter(given.letter), shown), Rel(relation.op, side, Sym(BOUND)),
                    symbol=given.letter, at=x, left=left, right=right, unit=unit, holds=holds,
                    numbers={BOUND: amount(right, unit, stated=stated)},
                )  # fmt: skip


def nearly(left: Any, right: Any) -> bool:
    """Whether both sides of a relation are equal, as far as a narrow gap tells."""
    is_known = isinstance(left, Number) and isinstance(right, Number)
    return is_known and abs(Fraction(left) - Fraction(right)) <= EQUAL * abs(Fraction(right))


def left_open(unknown: Given, sought: Search) -> str:
    """How far a search came, and what it leaves open."""
    left, pieces = ranges(sought.open, unknown, unknown.unit), count_text(sought.examined)
    return f"after {pieces} intervals; not decided: {left}"


def _column(values: Sequence[Number | None], unit: Unit) -> list[str]:
    shown = iter(together([value for value in values if value is not None], unit))
    return ["no value" if value is None else next(shown).marked for value in values]


# Numbers and ranges in words


def ranges(pieces: Sequence[Piece], unknown: Given, unit: Unit) -> str:
    """The *pieces* of the number line, the first of many, and how many there are."""
    if 1 < len(pieces) <= POINTS and all(piece.is_point for piece in pieces):
        points = series([edge_text(piece.low or 0, unit) for piece in pieces])
        return f"{letter(unknown.letter)} = {points}"
    shown = pieces if len(pieces) <= RANGES else pieces[:FEW]
    texts = [piece_text(piece, letter(unknown.letter), unit) for piece in shown]
    if len(shown) < len(pieces):
        return f"{', '.join(texts)}, … ({count_text(len(pieces))} ranges)"
    return " or ".join(texts) or "none"


def edge_text(x: Edge, unit: Unit) -> str:
    """*x* (base units) as a number of *unit*: exact if that is short, else about."""
    made = in_unit(close_to(x, DIGITS), unit, exact=STATED)
    return str(made) if made.exact and not isinstance(x, Root) else f"about {made}"


def piece_text(piece: Piece, sign: str, unit: Unit) -> str:
    """``m ≥ 13``, ``0 s ≤ t < 2 s``."""
    low, high = piece.low, piece.high
    if low is not None and piece.is_point:
        return f"{sign} = {edge_text(low, unit)}"
    above = "" if high is None else f" {'≤' if piece.high_in else '<'} {edge_text(high, unit)}"
    above += f" in multiples of {piece.whole}" * (piece.whole > 1)
    if low is None:
        return f"{sign}{above}" if above else f"every {sign}"
    if high is None:
        return f"{sign} {'≥' if piece.low_in else '>'} {edge_text(low, unit)}{above}"
    return f"{edge_text(low, unit)} {'≤' if piece.low_in else '<'} {sign}{above}"
