"""What a sweep shows: the equations, where they turn, the points, the best of them, and why some
have no value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from ddcalc.ask.solve import Derivation, givens
from ddcalc.ask.sweep.axes import Named
from ddcalc.ask.sweep.best import Chosen, Goal, Optimum, Sweep
from ddcalc.ask.sweep.engines import EquationReading, Turn
from ddcalc.ask.sweep.grid import Position, Reason, SweepQuestion
from ddcalc.ask.unused import idle, unused
from ddcalc.errors import DdcalcError
from ddcalc.formula.evaluation import decided, evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Rel, Sym, substitute, symbols
from ddcalc.numbers.amounts import count_text, in_unit, together
from ddcalc.numbers.display import ABOUT
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import Line, filled
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.sentences import capital, series
from ddcalc.problem.steps import Bound, Cells, Link, Report, State, Step, Table, Value

HEAD, TAIL = 12, 4  # rows of a long table that are shown, besides the best ones
FEW = 12  # values of an axis that are shown
FRONT = 20  # points of a front that are shown
NO_VALUE = "no value"
ROWS = 5  # of a list of formulas


@dataclass(frozen=True, slots=True)
class Note:
    """Why *points* have no value of a quantity; the first of them lies *at* some place."""

    reason: Reason
    points: int
    at: str
    says: str


def report(sweep: Sweep, *, everything: bool = False, formulas: bool = True) -> Report:
    """What the finished *sweep* shows: with *formulas* how a point is worked out, and all points
    in the table if *everything* is wanted."""
    question = sweep.question
    steps: list[Step] = [*_givens(sweep)]
    if formulas:
        explanation = SweepExplanation(sweep.reading) if sweep.reading is not None else None
        steps += explanation.lines_explained() if explanation else ()
        steps += _turns(sweep, explanation.known if explanation else ())
    varied = series([axis.name.replace("_", " ") for axis in question.axes])
    shown = series([quantity.name.replace("_", " ") for quantity in question.quantities])
    size = count_text(sweep.size)
    sought = f"{capital(shown)} for {size} points of {varied}"
    answer = "; ".join(best_of(sweep, optimum) for optimum in sweep.optima)
    title = f"{question.problem.question()} {sought}"
    results = (*_fronts(sweep), _table(sweep, everything))
    return Report(title, tuple(steps), answer, tuple(_remarks(sweep)), results=results)


def notes(sweep: Sweep) -> Iterator[Note]:
    """Why points have no value, as each reason came up."""
    for reason, points in sweep.tally.counts.items():
        place = sweep.question.grid.place(sweep.tally.first[reason])
        yield Note(reason, points, spot(sweep, place), _why(sweep, reason, place))


def spot(sweep: Sweep, place: Position) -> str:
    """A place in words: ``workers = 12, batch = 1 024``."""
    names = (axis.name for axis in sweep.question.axes)
    return ", ".join(map(" = ".join, zip(names, _at(sweep, place), strict=True)))


def _at(sweep: Sweep, place: Position) -> list[str]:
    return [axis.text(i) for axis, i in zip(sweep.question.axes, place, strict=True)]


def best_of(sweep: Sweep, optimum: Optimum) -> str:
    """The best point in words: ``least total = 530.2 s at workers = 12``."""
    goal, best = optimum.goal, optimum.best
    if best is None:
        return f"no point has a {goal.name} to compare"
    value = sweep.question.amount_text(best.value, goal.name)
    sign = "" if value.startswith(ABOUT) else "= "
    best_value = f"{_extreme(goal)} {goal.name} {sign}{value}"
    return f"{best_value} at {spot(sweep, sweep.question.grid.place(best.number))}"


def _extreme(goal: Goal) -> str:
    return "smallest" if goal.smallest else "largest"


def _givens(sweep: Sweep) -> Iterator[State]:
    """What is stated, with the values of what is varied."""
    question = sweep.question
    varied = {axis.name: axis for axis in question.axes}
    stated = question.stated(question.readable)
    known = not question.named and question.equations is not None
    noted, left = (unused(stated), idle(stated) - {*varied}) if known else ((), set[str]())
    for step in givens(stated, noted, left):
        axis = varied.get(step.name)
        filling = stated.filled.get(step.name)
        if filling is not None and filling.slot in varied:
            word = f"that of each {filling.slot.replace('_', ' ')}"
            yield State(step.name, step.symbol, step.title, step.unit, None, word=word)
            continue
        if axis is None:
            yield step
            continue
        title = f"{step.title}, {axis.size} values"
        if isinstance(axis, Named):
            yield State(step.name, step.symbol, title, step.unit, None, word=", ".join(axis.texts))
        else:
            positions = range(axis.size) if axis.size <= FEW else [*range(FEW), axis.size - 1]
            written = tuple(map(axis.stated, positions))
            state = State(step.name, step.symbol, title, step.unit, written, many=True)
            yield replace(state, unused=step.unused)


def _turns(sweep: Sweep, known: Collection[str]) -> Iterator[Step]:
    """Which way the equations go, and how often, where they go more than one."""
    ways: dict[Turn, list[int]] = {}
    for turn, way in sorted(sweep.turns.counts, key=lambda key: key[1]):
        ways.setdefault(turn, []).append(way)
    rows: list[Cells] = []
    for turn, taken in ways.items():
        for way in taken if len(taken) > 1 else ():
            first = sweep.question.grid.place(sweep.turns.first[turn, way])
            count = count_text(sweep.turns.counts[turn, way])
            rows.append((Sym(turn.symbol), _way_out(turn, way, known), count, spot(sweep, first)))
    if rows:
        why = "how many points fall into each"
        yield Table("Cases", why, ("", "where", "points", "first at"), tuple(rows))


def _way_out(turn: Turn, way: int, known: Collection[str]) -> str | Expr:
    """A way out of a decision; a test of what is *known* anyway says nothing."""
    match turn.decision:
        case Cases(cases, _):
            if way == len(cases) or (way and {*symbols(cases[way].test)} <= {*known}):
                return "otherwise"
            return cases[way].test
        case Fun(_, args):
            return Rel("==", turn.decision, args[way])


def _table(sweep: Sweep, everything: bool) -> Table:
    """The points, the best ones marked; of many the first, the last and the best."""
    question = sweep.question
    marks = {o.best.number: f"{_extreme(o.goal)} {o.goal.name}" for o in sweep.optima if o.best}
    numbers: Sequence[int] = range(sweep.size)
    if not everything and sweep.size > HEAD + TAIL:
        numbers = sorted({*range(HEAD), *range(sweep.size - TAIL, sweep.size), *marks})
    rows: list[Cells] = []
    before = -1
    results = dict(zip(numbers, _results(sweep, numbers), strict=True))
    for number in numbers:
        if number > before + 1:
            rows.append(("…",) * (len(question.columns) + 1))
        at = _at(sweep, sweep.question.grid.place(number))
        rows.append(
            (
                *at,
                *results[number],
                marks.get(number, ""),
            )
        )
        before = number
    size = count_text(sweep.size)
    why = f"{len(numbers)} of {size} are shown" if len(numbers) < sweep.size else f"all {size}"
    return Table("The points", why, (*question.columns, ""), tuple(rows))


def _results(sweep: Sweep, numbers: Sequence[int]) -> Iterator[tuple[str | Expr, ...]]:
    """The values at the points of those numbers."""
    question = sweep.question
    points = [sweep.engine.at(question.grid.place(number)) for number in numbers]
    columns = (
        _column([point.get(q.name) for point in points], q, question) for q in question.quantities
    )
    return zip(*columns, strict=True) if question.quantities else iter([()] * len(numbers))


def _column(
    values: Sequence[Value], quantity: Quantity, question: SweepQuestion
) -> list[str | Expr]:
    """Values under each other, in one unit where that is readable."""
    known = [value for value in values if isinstance(value, Number)]
    if question.keeps_unit(quantity):
        shown = iter([in_unit(value, quantity.unit) for value in known])
    else:
        shown = iter(together(known, quantity.unit))
    return [
        NO_VALUE if value is None else value if isinstance(value, Expr) else next(shown).marked
        for value in values
    ]


def _fronts(sweep: Sweep) -> Iterator[Step]:
    """The points of which none is better in both goals."""
    for front in sweep.fronts:
        if not front.points:
            continue
        quantities = [sweep.question.quantity(goal.name) for goal in front.goals]
        header = (
            *(axis.name for axis in sweep.question.axes),
            *(quantity.name for quantity in quantities),
        )
        rows: list[Cells] = []
        points = list(_shortened(front.points))
        values = zip(*(point.values for point in points if point is not None), strict=True)
        columns = (
            _column(one, q, sweep.question) for one, q in zip(values, quantities, strict=True)
        )
        amounts = zip(*columns, strict=True)
        for point in points:
            if point is None:
                rows.append(("…",) * len(header))
                continue
            at = _at(sweep, sweep.question.grid.place(point.number))
            rows.append((*at, *next(amounts)))
        sought = " and ".join(f"{_extreme(goal)} {goal.name}" for goal in front.goals)
        why = f"for {sought}: no other point is better in one and not worse in the other"
        yield Table("The Pareto front", why, header, tuple(rows))


def _shortened(points: Sequence[Chosen]) -> list[Chosen | None]:
    if len(points) <= FRONT:
        return list(points)
    return [*points[: FRONT - 1], None, points[-1]]


def _remarks(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """How the best was found, and what is left out."""
    yield from _read_as(sweep)
    all_of = f"all {count_text(sweep.size)} points"
    rounds = sweep.reading is not None and sweep.reading.rounds
    if sweep.optima:
        compared = f"{all_of}, {'to 45 digits' if rounds else 'exactly'}"
        yield "Compared", "; ".join([compared, *_ties(sweep)])
    else:
        yield "The best", "not sought; --minimize NAME or --maximize NAME says what it is"
    for front in sweep.fronts:
        if front.points is None:
            yield "Pareto front", "too many points to show; vary less"
        else:
            yield "Pareto front", f"{count_text(len(front.points))} of {all_of}"
    for note in notes(sweep):
        count = count_text(note.points)
        where = "at" if note.points == 1 else f"at {count} points, first at"
        yield "No value", f"{where} {note.at}: {note.says}"
    if sweep.question.named and sweep.reading is not None:
        at = sweep.question.readable
        axes = zip(sweep.question.named.values(), at, strict=True)
        names = (f"{axis.name} = {axis.text(i)}" for axis, i in axes)
        yield "Equations", f"those for {', '.join(names)}"


def _read_as(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """What the choices say that shape the equations, or that the question makes itself."""
    question = sweep.question
    stated = question.stated(question.readable)
    shaping = set(stated.said)
    if sweep.reading is not None:
        shaping |= sweep.reading.shaping
    shaping -= {axis.name for axis in question.axes}
    choices = question.problem.choices
    says = [choices[n].options[option] for n, option in stated.shape.reading if n in shaping]
    if says:
        yield "Assumes", " · ".join(says)


def _ties(sweep: Sweep) -> Iterator[str]:
    for optimum in sweep.optima:
        if optimum.best is not None and optimum.best.points > 1:
            points = count_text(optimum.best.points)
            yield f"{points} points tie for the {_extreme(optimum.goal)} {optimum.goal.name}"


def _why(sweep: Sweep, reason: Reason, place: Position) -> str:
    """What a question of its own says at *place*."""
    if reason.kind == "not derived":
        return f"{reason.about} does not follow from what is stated"
    try:
        solved = Derivation(sweep.question.point(place))
    except DdcalcError as error:
        return str(error)
    whys = (getattr(s, "why", "") for s in solved.steps if getattr(s, "name", "") == reason.about)
    return next(whys, "") or f"{reason.about} has none"


# The equations: worked out as far as nothing varies, in letters beyond


class _Still(dict[str, Number | None]):
    """The letters that do not vary; others are worth nothing in particular."""

    def __missing__(self, letter: str) -> None:
        return None


class SweepExplanation(Explanation):
    """Makes the steps of the lines that a sweep's quantities rest on."""

    def __init__(self, reading: EquationReading) -> None:
        self.lines = reading.lines
        varied = {axis.name for axis in reading.question.axes}
        origin = reading.plan.problem.origin
        still = {n: v for n, v in reading.still.items() if origin[n][0].name not in varied}
        super().__init__(reading.plan, _known(still, reading.lines))

    def lines_explained(self) -> Iterator[Step]:
        """One step for each quantity, with its value where that does not vary."""
        for _, group in groupby(self.lines, attrgetter("quantity")):
            lines = list(group)
            if all(line.symbol in self.known for line in lines):
                yield from self._of_quantity(lines)
            elif lines[0].index is None:
                yield self._chain(lines[0])
            else:
                yield self._table(lines)

    def _chain(self, line: Line) -> Bound:
        """The formula, and the formula with the numbers that do not vary."""
        formula = decided(line.formula, self.known)
        put_in = self._put_in(line, formula)
        forms = [formula] if put_in == formula else [formula, put_in]
        return Bound(
            name=line.quantity.name,
            symbol=line.symbol,
            title=line.quantity.title,
            why=self._why(line),
            subject=Sym(line.symbol),
            links=tuple(Link("=", form, "") for form in forms),
            value=put_in,
        )

    def _table(self, lines: Sequence[Line]) -> Table:
        rows: list[Cells] = [
            (Sym(line.symbol), self._put_in(line, line.formula)) for line in lines[:ROWS]
        ]
        if len(lines) > ROWS:
            rows.append(("…", f"{len(lines)} in all"))
        return Table(lines[0].quantity.title, self._why(lines[0]), ("", "is"), tuple(rows))

    def _put_in(self, line: Line, formula: Expr) -> Expr:
        """*formula* with the numbers in base units: letters that vary stand beside them."""
        numbers = {letter: self.known.get(letter) for letter in symbols(formula)}
        known = {letter: Num(value) for letter, value in numbers.items() if value is not None}
        return substitute(formula, known)

    def _why(self, line: Line) -> str:
        return filled(line.why, self.plan.problem, self.known)


def _known(still: Mapping[str, Number], lines: Sequence[Line]) -> _Still:
    """What does not vary: givens, and what follows from them alone."""
    known = _Still(still)
    for line in lines:
        if all(letter in known for letter in symbols(line.formula)):
            try:
                known[line.symbol] = evaluate(line.formula, known)
            except ArithmeticError:
                continue  # it has no value at any point
    return known
