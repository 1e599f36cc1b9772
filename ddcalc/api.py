"""The Python face of ddcalc: solve, find, mark, compare, sensitivity, sweep and variants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ddcalc.ask import find as search
from ddcalc.ask.compare import Comparison
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.sensitivity import TEN_PER_CENT, Sensitivity
from ddcalc.ask.sensitivity import sensitivity as of_texts
from ddcalc.ask.solve import Derivation
from ddcalc.errors import DdcalcError, raise_all
from ddcalc.formula.expression import Number
from ddcalc.numbers.units import unit_named
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.plan import read_for
from ddcalc.problem.problem import Problem as Problem
from ddcalc.problem.stated import Plain, Stating, text_of, texts_of

if TYPE_CHECKING:
    from ddcalc.ask.sweep.views import Columns
    from ddcalc.render.blocks import Block


class Paged:
    """What notebooks show as a page, with its pictures, or as Markdown."""

    def _page(self) -> Iterable[Block]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from ddcalc.render.markup import html

        return f"<div>{html.part(self._page())}</div>"

    def _repr_markdown_(self) -> str:
        from ddcalc.render.markup import markdown

        return markdown.part(self._page())


class Shown(Paged, Derivation):
    """What notebooks show as a formula, too."""

    def _page(self) -> Iterable[Block]:
        from ddcalc.render import pages

        return pages.derivation(self)

    def _repr_latex_(self) -> str:
        from ddcalc.render.markup import latex

        return latex.fragment(self)


class Solution(Shown):
    """A question worked out, with every step."""

    def __repr__(self) -> str:
        from ddcalc.render.story import answer_text

        return f"<{self.problem.slug}: {self.answer.name} = {answer_text(self)}>"


class Found(Shown, search.Inversion):
    """A question of which one given was the unknown: its value, all solutions, and every step."""

    def __repr__(self) -> str:
        return f"<{self.problem.slug}: {self.says()}>"


class Marks(tuple[Mark, ...], Paged):
    """The marks of one student's answers to a question, in the order of the derivation."""

    @property
    def credit(self) -> Number:
        """The answers that are credited, in parts too."""
        return sum(one.credit for one in self)

    def _page(self) -> Iterable[Block]:
        from ddcalc.ask.mark.grading import StudentMarks
        from ddcalc.render import marks, pages

        return pages.report(marks.report(StudentMarks("", [("", mark) for mark in self])))

    def __repr__(self) -> str:
        from ddcalc.render import marks

        return marks.alone(self)


def solve(problem: str, /, *, quantity: str | Sequence[str] = (), **given: Stating) -> Solution:
    """The solution of the problem type called *problem* (``"epoch-time"``).

    Givens and choices go by their names in problem files. Values are texts with units
    (``"1.5 s"``), or plain numbers where a unit may be left out; a float counts as the decimal
    that it prints as. Lists are sequences. A *quantity*, or a list of them, is asked for instead of
    the type's answer: then only what it rests on must be given. Raises DdcalcError (``Several`` for
    more than one).

    >>> solve("sync-step", finish=["0.15 s", "0.5 s"], aggregate=0.3, update=Fraction(1, 4))
    <sync-step: total = 1.05 s>
    """
    wanted = [quantity] if isinstance(quantity, str) else quantity
    return Solution(read_for(problem_named(problem), texts_of(given), wanted))


def find(problem: str, unknown: str, /, *, where: str | Sequence[str], **given: Stating) -> Found:
    """Which values of the *unknown*, a given or choice, make all that *where* says hold.

    A relation is a name, one of ``< <= = >= >`` and a quantity. The others are *given* as for
    :func:`solve`. The result's ``answer`` is the unknown's value (None where none does it), its
    ``outcome.solutions`` all ranges of values. Raises DdcalcError.

    >>> find("sync-step", "update", where="total <= 1 s", finish=["0.5 s"], aggregate="0.3 s")
    <sync-step: t_upd = 200 ms  (solutions: 0 ms ≤ t_upd ≤ 200 ms)>
    """
    relations = [where] if isinstance(where, str) else list(where)
    done = search.find(problem_named(problem), unknown, relations, texts_of(given))
    return Found(done.question, done.outcome, done.at)


def mark(
    problem: str,
    /,
    *,
    answers: Mapping[str, Plain | Sequence[Plain]],
    marking: Mapping[str, Any] | None = None,
    **given: Stating,
) -> Marks:
    """The marks of a student's *answers* by name of quantity, each with the slip that leads there.

    *marking* asks for ``digits``, a tolerance ``within`` or a ``unit``, of all answers or of one by
    name, as in problem files. Raises DdcalcError (``Several`` for more than one).

    >>> mark("sync-step", answers={"slowest": "0.5 s", "total": "1.15 min"},
    ...      finish=["0.15 s", "0.5 s"], aggregate="0.3 s", update="0.35 s")
    slowest = 0.5 s   ✓
    total = 1.15 min  (✓)  (1.15 s) right value, wrong unit: right in s, not in min
    """
    from ddcalc.files.answer_key import key, node

    answer_key = key(Derivation(read_for(problem_named(problem), texts_of(given))), marking or {})
    stated, wrong = {}, []
    for name, text in texts_of(answers).items():
        try:
            quantity = answer_key.quantity(name)
            stated[quantity] = answer_key.answer(quantity, node(text))
        except DdcalcError as error:
            wrong.append(error.about(name))
    raise_all(wrong)
    return Marks(answer_key.marks(stated))


class Compared(Paged, Comparison):
    """Two solutions side by side: ``changes``, ``rows``, ``difference``."""

    @property
    def difference(self) -> Number | None:
        """The second answer less the first, in base units; None unless both are numbers."""
        return self.answer.difference

    def _page(self) -> Iterable[Block]:
        from ddcalc.ask.compare import report
        from ddcalc.render import pages

        return pages.report(report([self]))

    def __repr__(self) -> str:
        from ddcalc.ask.compare import answer

        return f"<{answer(self)}>"


def compare(first: Solution, second: Solution | Mapping[str, Stating]) -> Compared:
    """The *second* solution, or *first* with other givens, compared with the *first*.

    Raises DdcalcError, for example where the answers do not measure the same.

    >>> exam = solve("sync-step", finish=["0.15 s", "0.5 s"], aggregate="0.3 s", update="0.25 s")
    >>> compare(exam, {"finish": ["0.4 s", "0.2 s"], "update": "0.3 s"})
    <T = 1.05 s → 1 s: 0.05 s less, × 0.9524>
    """
    from ddcalc.ask.compare import against

    other = against(first, texts_of(second)) if isinstance(second, Mapping) else second
    return Compared(first, other, ("first", "second"))


class Sensitive(Paged, Sensitivity):
    """What moves an answer: ``effects``, ``swings``."""

    def _page(self) -> Iterable[Block]:
        from ddcalc.ask.sensitivity.summary import report
        from ddcalc.render import pages

        return pages.report(report(self))

    def __repr__(self) -> str:
        from ddcalc.ask.sensitivity.summary import summary

        return f"<{summary(self)}>"


def sensitivity(
    problem: str,
    /,
    *,
    by: Fraction = TEN_PER_CENT,
    **given: Stating,
) -> Sensitive:
    """What moves the answer of *problem*, given as for :func:`solve`.

    *by* is the share by which each given is moved for ``swings``. Raises DdcalcError.

    >>> step = sensitivity("sync-step", finish="0.5 s", aggregate="0.3 s", update="0.25 s")
    >>> [(effect.lever.name, effect.smooth) for effect in step.effects]
    [('finish[1]', 1), ('aggregate', 1), ('update', 1)]
    """
    return Sensitive(**vars(of_texts(problem_named(problem), texts_of(given), by)))


def variants(
    base: Derivation,
    /,
    *,
    count: int = 10,
    seed: int = 0,
    digits: int | None = None,
    keep: Sequence[str] = (),
    vary: Sequence[str] = (),
) -> list[Solution]:
    """Up to *count* questions like *base* with other numbers, as clean, that take the same steps.

    Answers have at most *digits* decimal places (as many as that of *base*, if none are
    given); givens to *keep* do not change, nor do others than those to *vary*. Variant i of a
    *seed* is the same whatever the count. Raises DdcalcError.

    >>> base = solve("sync-step", finish=["0.15 s", "0.5 s"], aggregate=0.3, update="0.25 s")
    >>> variants(base, count=2, seed=7)
    [<sync-step: total = 1.84 s>, <sync-step: total = 3.19 s>]
    """
    from ddcalc.ask.variants.search import VariantsWanted
    from ddcalc.ask.variants.search import variants as search_variants

    done = search_variants(base.stated, VariantsWanted(count, seed, digits, keep, vary))
    return [Solution(stated) for stated in done.questions]


class Swept(Paged):
    """A finished sweep, which notebooks show as a page with its charts: see ``columns``.

    ``columns.arrays`` are NumPy arrays by name, ``columns.exact(name)`` the exact values,
    ``columns.best`` the best points.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    def _page(self) -> Iterable[Block]:
        from ddcalc.ask.sweep.account import report
        from ddcalc.ask.sweep.views import drawings
        from ddcalc.render import pages

        sweep = self.columns.sweep
        drawn = drawings(sweep)
        return pages.report(report(sweep, working=False), charts=drawn)

    def __repr__(self) -> str:
        return repr(self.columns)


def sweep(
    problem: str,
    /,
    *,
    vary: Mapping[str, str | range | Sequence[Plain]],
    quantities: Sequence[str] = (),
    minimize: Sequence[str] = (),
    maximize: Sequence[str] = (),
    unit: str | None = None,
    **given: Stating,
) -> Swept:
    """The problem at all points of what varies: ranges, lists, or texts as for ``--vary``.

    *quantities* are shown (default: the answer); of those to *minimize* and *maximize*, at most
    two, the best points are found. Those that the *unit* measures are in it. Raises DdcalcError.

    >>> done = sweep("sync-step", vary={"update": "1s..2s:0.5s"}, finish=["1 s"], aggregate="1 s")
    >>> done
    <sync-step: 3 points of update; smallest total = 3 s at update = 1 s>
    >>> done.columns.arrays["total"].tolist(), list(done.columns.exact("total"))
    ([3.0, 3.5, 4.0], [3, Fraction(7, 2), 4])
    """
    from ddcalc.ask.sweep.views import columns

    spelt = {n: v if isinstance(v, str | range) else list(map(text_of, v)) for n, v in vary.items()}
    goals = list(minimize), list(maximize)
    wanted = None if unit is None else unit_named(unit)
    declared, stated = problem_named(problem), texts_of(given)
    return Swept(columns(declared, stated, spelt, quantities, *goals, wanted))
