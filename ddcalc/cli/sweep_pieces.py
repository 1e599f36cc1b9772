"""A sweep in pieces, which are shared out: what is asked as data, the work on some blocks, and what
it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ddcalc.boundary.processes import all_in_order
from ddcalc.errors import DdcalcError
from ddcalc.numbers.units import unit_named
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts

if TYPE_CHECKING:
    from ddcalc.ask.sweep.best import Survey, Sweep
    from ddcalc.ask.sweep.column import Floats

# Blocks of a piece. The pieces are the same whoever works on them, and so is what comes of them.
COMPARED: Final = 4  # where only the best is sought
WRITTEN: Final = 1  # whose lines are sent back


@dataclass(frozen=True)
class SweepRequest:
    """What is asked of a sweep, as data.

    The *form* is ``csv`` or ``ndjson`` where its points are written as lines, else empty; whether
    *turns* are counted; of *part* (3, 16) it is the third of sixteen.
    """

    problem: str
    texts: Texts
    vary: Sequence[Sequence[str]]
    quantities: Sequence[str]
    minimize: Sequence[str]
    maximize: Sequence[str]
    unit: str | None = None
    form: str = ""
    turns: bool = False
    part: Sequence[int] = (1, 1)

    def sweep(self, most: int | None = None) -> Sweep:
        """The sweep, of *most* points; raises a DdcalcError for whatever is wrong with it."""
        from ddcalc.ask.sweep.best import Sweep, goals
        from ddcalc.ask.sweep.grid import question

        unit = None
        if self.unit is not None:
            try:
                unit = unit_named(self.unit)
            except DdcalcError as error:
                raise error.about("unit") from None
        made = question(
            problem_named(self.problem),
            self.texts,
            [(name, values) for name, values in self.vary],
            self.quantities,
            [*self.minimize, *self.maximize],
            unit,
        )
        number, parts = self.part
        sought = goals(made, self.minimize, self.maximize)
        return Sweep(made, sought, most=most, turns=self.turns, part=(number, parts))


class Stretch(NamedTuple):
    """The blocks from *first* on, before *stop*; whether their lines are *written*, and whether
    their values are *drawn*."""

    first: int
    stop: int
    written: bool
    drawn: bool


class Yield(NamedTuple):
    """What a stretch comes to: how many points it has and what is known of them, their lines, and
    their values of the quantity that is drawn."""

    points: int
    survey: Survey
    lines: bytes
    drawn: Sequence[Floats]


def results(
    sweep: Sweep,
    request: SweepRequest,
    executor: Executor | None,
    step: Callable[[int], None],
    *,
    drawn: bool = False,
    behind: int = 0,
) -> Iterator[Yield]:
    """What the stretches of *sweep*, which is that of *request*, come to, in order, worked out by
    the *executor*; they are included in what is known of it, and how many are done is told to
    *step*: points that are played here one by one.

    Lines are made from block number *behind* on; played points before are not played again.
    """
    from ddcalc.ask.sweep.engines import Points

    stretches = _stretches(sweep, bool(request.form), drawn, behind)
    singly = sweep.engine if executor is None and isinstance(sweep.engine, Points) else None
    if singly is not None:
        singly.step = step
    if executor is None:
        made: Iterator[Yield] = (worked_out(sweep, request, one) for one in stretches)
    else:
        data = asdict(request)
        made = all_in_order(executor, work, ((data, tuple(one)) for one in stretches))
    for result in made:
        sweep.survey.include(result.survey)
        if singly is None:
            step(result.points)
        yield result


def _stretches(sweep: Sweep, written: bool, drawn: bool, behind: int) -> Iterator[Stretch]:
    first, stop = sweep.numbers.start, sweep.numbers.stop
    played = sweep.question.equations is None
    first = max(first, behind) if played else first
    while first < stop:
        lines = written and first >= behind
        end = first + (WRITTEN if lines or played else COMPARED)
        end = min(end, behind if first < behind else stop, stop)
        yield Stretch(first, end, lines, drawn)
        first = end


_latest: tuple[Mapping[str, Any], Sweep] | None = None


def work(piece: tuple[Mapping[str, Any], Sequence[Any]]) -> Yield:
    """What a piece comes to: the data of a request, and of a stretch."""
    global _latest
    data, stretch = piece
    request = SweepRequest(**data)
    if _latest is None or _latest[0] != data:
        _latest = data, request.sweep()
    return worked_out(_latest[1], request, Stretch(*stretch))


def worked_out(sweep: Sweep, request: SweepRequest, stretch: Stretch) -> Yield:
    """What *stretch* of *sweep* comes to."""
    from ddcalc.ask.sweep.best import Survey
    from ddcalc.ask.sweep.views import drawn
    from ddcalc.render import point_lines

    survey = Survey(sweep.goals, request.turns, most=float("inf"))
    points, lines, values = 0, [], []
    for number in range(stretch.first, stretch.stop):
        block, patches = sweep.block(number, survey)
        points += block.size
        if stretch.written:
            form = point_lines.FORMS[request.form](sweep.question)
            lines.append(point_lines.lines(sweep.question, form, block, patches))
        if stretch.drawn:
            values.append(drawn(sweep.question, block, patches))
    return Yield(points, survey, b"".join(lines), values)
