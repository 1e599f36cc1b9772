"""Lists side by side: a row for each alternative, the best one marked, instead of formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number, letter, symbols
from ddcalc.numbers.amounts import common, count_text, in_sentence, in_unit, reads_well
from ddcalc.numbers.display import rounded
from ddcalc.numbers.units import COUNT, PER_SECOND, SHARE, Unit
from ddcalc.problem.play import outlined
from ddcalc.problem.said.sentences import Alternatives
from ddcalc.problem.said.speaker import Speaker
from ddcalc.problem.said.steps import Cells, Define, DefineEach, State, Step, Table, Timeline
from ddcalc.problem.sheet.meaning import listed

DIGITS, FIRST = 3, 3  # of each of several values in a cell; how many of them are shown, or all
WIDE: Final = 22  # where they are no wider


def side_by_side(steps: Iterable[Step], says: Speaker, everything: bool) -> Iterator[Step]:
    """*steps* with the alternatives that the type of the question that *says* declares, each in a
    table.

    Their lists may be worked out in one row only, and what a mark says has no step of its own.
    Those that are asides are shown with *everything* only.
    """
    tables = [beside for beside in says.problem.tables() if everything or not beside.aside]
    for beside in reversed(tables):  # the first is the nearest to its step
        shown = _Rows(beside, says)
        steps = _with_table([*steps], shown) if shown.complete else steps
    yield from steps


def _with_table(steps: Sequence[Step], shown: _Rows) -> Iterator[Step]:
    """*steps* with the rows that are *shown*: behind those that derive columns, else marks, else
    behind the step that is named; columns of a model before the first step that uses one."""
    beside, behind = shown.beside, -1
    names = ["" if isinstance(step, State) else getattr(step, "name", "") for step in steps]
    for wanted in (beside.columns, listed(beside.hides), (beside.behind,)):
        if behind < 0:
            behind = max((i for i, name in enumerate(names) if name and name in wanted), default=-1)
    if behind < 0:
        columns = {letter for letters in shown.letters.values() for letter in letters}
        for i, step in enumerate(steps):
            if isinstance(step, Define) and not columns.isdisjoint(_used_in(step)):
                behind = i - 1
                break
            behind = i if isinstance(step, State | Timeline) else behind
    for i, (name, step) in enumerate(zip(names, steps, strict=True)):
        if isinstance(step, DefineEach) and name in beside.columns:
            yield replace(step, worked=shown.worked)
        elif name not in listed(beside.hides):
            yield step
        if i == behind:
            yield shown.table({letter for other in steps for letter in _used_in(other)})


def _used_in(step: Step) -> set[str]:
    """The letters in the formulas of *step*."""
    lines = step.rows if isinstance(step, DefineEach) else (step,)
    return {x for line in lines if isinstance(line, Define) for x in symbols(line.formula)}


class _Rows:
    """The rows of *beside* in the question that *says* things."""

    def __init__(self, beside: Alternatives, says: Speaker) -> None:
        self.beside, self.says, self.problem = beside, says, says.problem
        origin = self.problem.origin.items()
        self.letters = {n: [x for x, (q, _) in origin if q.name == n] for n in beside.columns}
        self.known = {letter: x for letter, x in says.known.items() if isinstance(x, Number)}
        self.count = max(map(len, self.letters.values()), default=0)
        if beside.rows is not None:
            self.count = int(evaluate(beside.rows, self.known))

    @property
    def complete(self) -> bool:
        """Whether there are several rows, all with their numbers."""
        used = [letter for letters in self.letters.values() for letter in letters]
        if self.beside.rows is None:
            fits = self.count > 1 and all(len(x) == self.count for x in self.letters.values())
        else:
            fits = not any(len(x) % self.count for x in self.letters.values())
        return fits and all(letter in self.known for letter in used)

    @property
    def worked(self) -> int | None:
        """The place of the row whose formulas are shown, if not those of all rows are."""
        if self.beside.worked is None:
            return None
        return int(evaluate(self.beside.worked, self.known)) - 1

    def table(self, used: Set[str]) -> Table:
        """All rows, or the first and last ones and those around marks; heads show letters that
        are *used* in formulas."""
        results = self.letters.keys() & self.problem.sheet.results
        lettered = {name for name in results if not used.isdisjoint(self.letters[name])}
        words = self.beside.marks.items()
        every = ([x for x, tests in words if evaluate(tests[i], self.known)]
                 for i in range(self.count))  # fmt: skip
        marks = [*map(", ".join, every)]
        around = [i for i, mark in enumerate(marks, 1) if mark][:2]
        outline = outlined(self.count, *around)
        places = [i - 1 for i in outline if i is not None]
        columns = [self._column(name, places, name in lettered) for name in self.beside.columns]
        names, start = listed(self.beside.names), self.beside.first
        begin = 1 if start is None else evaluate(start, {})
        first = [names[i] if names else count_text(begin + i) for i in places]
        marked = [marks[i] for i in places]
        cells = zip(first, *(cells for _, cells in columns), marked, strict=True)
        header = (self.beside.what, *(head for head, _ in columns), "")
        gap = ("…",) * len(header)
        rows: list[Cells] = [gap if i is None else next(cells) for i in outline]
        if not any(marks):
            header, rows = header[:-1], [row[:-1] for row in rows]
        shown = frozenset(one for name in lettered for one in self.letters[name])
        return Table(self.beside.title, self.beside.why, header, tuple(rows), letters=shown)

    def _column(
        self, name: str, places: Sequence[int], lettered: bool
    ) -> tuple[str, Sequence[str]]:
        """The head of a list with its unit, and its numbers at *places*, all in one unit if that
        can be; of one with several values for each row, as many in a cell."""
        head, unit = self.beside.columns[name], self._unit(name)
        if lettered:
            head = f"{head}, {letter(self.problem.quantities[name].letter)}"
        if (width := len(self.letters[name]) // self.count) > 1:
            every = self._values(name, range(len(self.letters[name])))
            return head, [_vector(every[i * width : (i + 1) * width]) for i in places]
        values = self._values(name, places)
        alike = [other for other in self.beside.columns if self._unit(other) == unit]
        every = [value for other in alike for value in self._values(other, places)]
        shown_in = self._stated(every, alike) or common(every, unit) or common(values, unit)
        if shown_in is None:
            return head, [in_sentence(value, unit).marked for value in values]
        numbers = [in_unit(value, shown_in) for value in values]
        named = shown_in.name and shown_in != PER_SECOND
        return f"{head} ({shown_in.name})" if named else head, [
            number.number if number.exact else f"≈ {number.number}" for number in numbers
        ]

    def _stated(self, values: Sequence[Number], names: Sequence[str]) -> Unit | None:
        """The unit in which the lists called *names* are stated, if all *values* read well so."""
        units = self.says.stated
        stated = {units[x] for name in names for x in self.letters[name] if x in units}
        only = stated.pop() if len(stated) == 1 else COUNT
        return only if only.name and all(reads_well(x, only) for x in values if x) else None

    def _values(self, name: str, places: Iterable[int]) -> list[Number]:
        return [self.known[self.letters[name][i]] for i in places]

    def _unit(self, name: str) -> Unit:
        """The unit of a list; factors are told as plain numbers."""
        unit = self.says.units[self.letters[name][0]]
        return COUNT if unit == SHARE else unit


def _vector(values: Sequence[Number]) -> str:
    """The first of *values* in few digits, or all where they are short."""
    texts = [count_text(rounded(value, DIGITS)) for value in values]
    if len(", ".join(texts)) <= WIDE:
        return ", ".join(texts)
    return ", ".join([*texts[:FIRST], "…"] if len(texts) > FIRST else texts)
