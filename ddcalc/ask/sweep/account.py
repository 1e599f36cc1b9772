"""What a sweep shows: its points, the best of them worked out, why some have no value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ddcalc.ask.compare import Comparison, answer, terms_table
from ddcalc.ask.solve import Derivation, givens
from ddcalc.ask.sweep.points import RANKS, Sweep
from ddcalc.ask.unused import Unused, idle, unused
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import equal
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.quantity import Quantity, spoken
from ddcalc.problem.said.sentences import capital, series
from ddcalc.problem.said.steps import Cells, Report, State, Step, Table, Value

HEAD, TAIL = 12, 4  # rows of a long table that are shown, besides the best ones
FEW = 12  # values of an axis that are shown
NO_VALUE = "no value"
NO_BEST = "No best point is sought; --best, --minimize or --maximize NAME says what it is."


@dataclass(frozen=True, slots=True)
class Note:
    """That so many *points* lack a value; the first of them lies *at* some place, and why."""

    points: int
    at: str
    says: str

    def __str__(self) -> str:
        where = "at" if self.points == 1 else f"at {count_text(self.points)} points, first at"
        return f"{where} {self.at}: {self.says}"


def report(sweep: Sweep, *, everything: bool = False, working: bool = True) -> Report:
    """What the finished *sweep* shows: with *working* how the best point, or the first, is worked
    out, and all points in the table if *everything* is wanted."""
    question, point = sweep.question, ""
    steps: list[Step] = [*_givens(sweep)]
    number = next((goal.best.number for goal in sweep.goals if goal.best), 0)
    if working and sweep.at(number):
        solved = Derivation(question.point(number))
        steps += [step for step in solved.working.steps() if not isinstance(step, State)]
        point = f"Worked out at {question.spot(number)}:"
    varied = series([spoken(axis.name) for axis in question.axes])
    shown = series([spoken(quantity.name) for quantity in question.quantities])
    sought = f"{capital(shown)} for {count_text(question.size)} points of {varied}"
    best = "; ".join(best_words(sweep)) or NO_BEST
    title = f"{question.problem.question()} {sought}"
    results = (_table(sweep, everything), *_why_next_loses(sweep))
    return Report(title, tuple(steps), best, tuple(_remarks(sweep)), point, results=results)


def notes(sweep: Sweep) -> Iterator[Note]:
    """That points have no value, if some have none, and why the first has none."""
    if sweep.without:
        yield Note(sweep.without, sweep.question.spot(sweep.first), _why(sweep, sweep.first))


def _why(sweep: Sweep, number: int) -> str:
    """Why the point of that *number* lacks a value: what is wrong with it, or with a quantity."""
    try:
        values = sweep.values(number)
        solved = Derivation(sweep.question.point(number))
    except DdcalcError as error:
        return str(error)
    name = next(one.name for one in sweep.question.quantities if values.get(one.name) is None)
    if name not in solved.values:
        return f"{name} does not follow from what is stated"
    whys = (getattr(step, "why", "") for step in solved.steps if getattr(step, "name", "") == name)
    return next(whys, "") or f"{name} has none"


def best_words(sweep: Sweep) -> Iterator[str]:
    """The best points in words: ``smallest total = 530.2 s at workers = 12``."""
    question = sweep.question
    for goal in sweep.goals:
        if goal.best is None:
            yield f"no point has a {goal.name} to compare"
        else:
            [amount] = question.amounts([goal.best.value], question.quantity(goal.name))
            yield f"{equal(goal.words, amount)} at {question.spot(goal.best.number)}"


def _givens(sweep: Sweep) -> Iterator[State]:
    """What is stated, with the values of what is varied."""
    question = sweep.question
    varied = {axis.name: axis for axis in question.axes}
    stated = question.first
    readings, noted, left = question.readings, tuple[Unused, ...](), set[str]()
    if not any(one.is_played for one in readings):
        noted = () if question.by_name else unused(stated)
        left = set.intersection(*map(idle, readings)) - {*varied}
    for step in givens(stated, noted, left):
        axis, filling = varied.get(step.name), stated.filled.get(step.name)
        if filling is not None and filling.slot in varied:
            word = f"that of each {filling.slot.replace('_', ' ')}"
            yield State(step.name, step.symbol, step.title, step.unit, None, word=word)
            continue
        if axis is None:
            yield step
            continue
        title = f"{step.title}, {axis.size} values"
        if axis.names:
            yield State(step.name, step.symbol, title, step.unit, None, word=", ".join(axis.names))
        else:
            positions = range(axis.size) if axis.size <= FEW else [*range(FEW), axis.size - 1]
            yield State(
                step.name, step.symbol, title, step.unit, tuple(map(axis.measured, positions)),
                many=True, unused=step.unused,
            )  # fmt: skip


def _table(sweep: Sweep, everything: bool) -> Table:
    """The points, the best ones marked; of many the first, the last and the best."""
    question, size = sweep.question, sweep.question.size
    marks = {one.number: f"next {goal.words}" for goal in sweep.goals for one in goal.found[1:]}
    marks |= {goal.best.number: goal.words for goal in sweep.goals if goal.best}
    numbers: Sequence[int] = range(size)
    if not everything and size > HEAD + TAIL:
        numbers = sorted({*range(HEAD), *range(size - TAIL, size), *marks})
    points = [sweep.at(number) for number in numbers]
    columns = [_column(sweep, q, [x.get(q.name) for x in points]) for q in question.quantities]
    rows: list[Cells] = []
    before = -1
    for number, *amounts in zip(numbers, *columns, strict=True):
        if number > before + 1:
            rows.append(("…",) * (len(question.columns) + 1))
        rows.append((*question.at(question.place(number)), *amounts, marks.get(number, "")))
        before = number
    every = count_text(size)
    why = f"all {every}" if len(numbers) == size else f"{len(numbers)} of {every} are shown"
    return Table("The points", why, (*question.columns, ""), tuple(rows))


def _why_next_loses(sweep: Sweep) -> Iterator[Table]:
    """The terms that the next best point of each goal has more of, or less, than the best."""
    question = sweep.question
    for goal in sweep.goals:
        if len(goal.found) < RANKS or sweep.is_played:
            continue
        points = (question.point(one.number) for one in goal.found)
        asked = (replace(x, shape=x.shape._replace(wanted=(goal.name,))) for x in points)
        first, second = map(Derivation, asked)
        compared = Comparison(first, second, ("the best", "the next best"))
        if compared.terms:
            title = f"Why the next {goal.words} loses"
            why = f"{answer(compared)}, at {question.spot(goal.found[1].number)}"
            yield terms_table(compared, title, why, compared.names)


def _column(sweep: Sweep, quantity: Quantity, values: Sequence[Value]) -> list[str | Expr]:
    """Values under each other, in one unit where that is readable."""
    known = [value for value in values if isinstance(value, Number)]
    shown = iter(sweep.question.amounts(known, quantity))
    return [NO_VALUE if x is None else x if isinstance(x, Expr) else next(shown) for x in values]


def _remarks(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """How the best was found, and what is left out."""
    all_of = f"all {count_text(sweep.question.size)} points"
    if says := _assumed(sweep):
        yield "Assumes", " · ".join(says)
    best = [(goal, goal.best) for goal in sweep.goals if goal.best]
    rounded = any(type(one.value) is Approximate for _, one in best)
    compared = [f"{all_of}, {'to 45 digits' if rounded else 'exactly'}"]
    if sweep.without:
        compared.append(f"{count_text(sweep.question.size - sweep.without)} have a value")
    for goal, one in best:
        if one.points > 1:
            compared.append(f"{count_text(one.points)} points tie for the {goal.words}")
    if sweep.goals:
        yield "Compared", "; ".join(compared)
    yield from (("No value", str(note)) for note in notes(sweep))


def _assumed(sweep: Sweep) -> list[str]:
    """What the choices say that shape the equations, or that the question makes itself."""
    question = sweep.question
    stated, made = question.first, question.equations
    shaping = {*stated.said}
    if made is not None:
        letters = [quantity.letter for quantity in question.quantities]
        mine = [(line.symbol, line.formula) for line in made.needed(*letters)]
        for name, _, other in made.neighbours:
            its = [(line.symbol, line.formula) for line in other.needed(*letters)]
            shaping |= {name} if its != mine else set()
    shaping -= {axis.name for axis in question.axes}
    choices = question.problem.choices
    return [*dict.fromkeys(choices[n].options[o] for n, o in stated.shape.reading if n in shaping)]
