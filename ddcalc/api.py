"""The Python face of ddcalc: solve, find, mark, compare, sensitivity, sweep, variants and load."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from ddcalc.ask import sensitivity as moved
from ddcalc.ask.compare import Comparison, against
from ddcalc.ask.compare import answer as what_moved
from ddcalc.ask.compare import report as side_by_side
from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.grading import Mark, StudentMarks
from ddcalc.ask.solve import Derivation, Results
from ddcalc.boundary.nodes import Scalar, node_of
from ddcalc.boundary.source import Source
from ddcalc.errors import DdcalcError as DdcalcError
from ddcalc.errors import UnknownName, raise_all
from ddcalc.files.answers import Check
from ddcalc.files.batch import solved, worked
from ddcalc.files.drawn import DrawnQuestion, VariantsWanted, of_stated
from ddcalc.files.filed_problem import FiledProblem, stated_here
from ddcalc.files.keys import Keys, Paper, PaperEntry, keys_of, keys_to
from ddcalc.files.parts import asked_by
from ddcalc.files.solved import Solved
from ddcalc.formula.expression import Number
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.problem import Problem as Problem
from ddcalc.problem.stated import Plain, Stating, text_of, texts_of
from ddcalc.render import pages
from ddcalc.render.markup import html
from ddcalc.render.papers import marks
from ddcalc.render.parts import few_words, question
from ddcalc.render.whole import Look

if TYPE_CHECKING:
    from ddcalc.ask.sweep.views import Columns
    from ddcalc.render.blocks import Block


class Paged:
    """What notebooks show as a page, with its pictures."""

    def _page(self) -> Iterable[Block]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return f"<div>{html.part(self._page())}</div>"


class Shown(Paged, Derivation):
    """A derivation with the checks of its *limits*.

    Each quantity is an item by its name, and an attribute where nothing else is called so.
    """

    limits: Sequence[Check] = ()

    def __getitem__(self, name: str) -> Results:
        if name not in self.quantities:
            raise UnknownName("quantity", name, self.quantities)
        return self.quantities[name]

    def __getattr__(self, name: str) -> Results:
        if "problem" not in vars(self) or name not in self.problem.quantities:
            raise AttributeError(f"no quantity is called {name}")
        return self[name]

    def _page(self) -> Iterable[Block]:
        return pages.derivation(self, limits=self.limits)


class Solution(Shown):
    """A question worked out, with every step."""

    def __repr__(self) -> str:
        return f"<{self.problem.slug}: {self.answer.name} = {self.answer}>"


class Found(Shown, Inversion):
    """A question of which one given was the unknown: its value, all solutions, and every step."""

    def __repr__(self) -> str:
        return f"<{self.problem.slug}: {self.says()}>"


class Marks(tuple[Mark, ...], Paged):
    """The marks of one student's answers to a question, in the order of the derivation; to parts,
    those of *problems* by name."""

    problems: Sequence[str] = ()

    @property
    def credit(self) -> Number:
        """The answers that are credited, in parts too."""
        return sum(one.credit for one in self)

    def _page(self) -> Iterable[Block]:
        named = [*zip(self.problems or [""] * len(self), self, strict=True)]
        return marks.page(StudentMarks("", named))

    def __repr__(self) -> str:
        from ddcalc.render.terminal import screen  # which brings Rich

        return screen.page(self._page(), Look()).rstrip()


def solve(
    problem: str,
    /,
    *,
    quantity: str | Sequence[str] = (),
    steps: Mapping[str, str] | None = None,
    limit: str | Sequence[str] = (),
    **given: Stating,
) -> Solution:
    """The solution of the problem type called *problem* (``"epoch-time"``).

    Givens and choices go by their names in problem files. Values are texts with units
    (``"1.5 s"``), or plain numbers where a unit may be left out; a float counts as the decimal
    that it prints as. Lists are sequences; a text may be a formula over the other givens. *steps*
    are formulas of your own, by name. A *quantity*, or a list of them, is asked for instead of the
    type's answer: then only what it rests on must be given. Whether each *limit* is met stands in
    ``limits``. Raises DdcalcError (``Several`` for more than one).

    >>> solve("sync-step", finish=["0.15 s", "0.5 s"], aggregate=0.3, update=Fraction(1, 4))
    <sync-step: total = 1.05 s>
    >>> step = solve("sync-step", finish="0.5 s", aggregate="update + 50 ms", update="0.25 s",
    ...              steps={"paid": "4*total"}, limit="paid <= 5 s")
    >>> step.paid, step.limits[0].agrees
    (<paid = 4.2 s>, True)
    """
    asked = _stated(problem, given, steps, quantity=_listed(quantity), limit=_listed(limit))
    return cast(Solution, _shown(*_worked(asked)))


def _listed(texts: str | Sequence[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts)


def _stated(
    problem: str, given: Mapping[str, Stating], steps: Mapping[str, str] | None, **asks: Any
) -> FiledProblem:
    """The question of the type called *problem*, with *steps* of its own, that *asks* so."""
    own = [f"{name} = {formula}" for name, formula in (steps or {}).items()]
    return stated_here(problem_named(problem), texts_of(given), own, **asks)


def _worked(question: FiledProblem) -> tuple[Derivation, Sequence[Check]]:
    """What a *question* comes to, and the checks of its limits; raises what is wrong with it."""
    done = worked(question)
    raise_all(done.errors)
    return done.cases[0], done.limits


def find(
    problem: str,
    unknown: str,
    /,
    *,
    where: str | Sequence[str],
    steps: Mapping[str, str] | None = None,
    **given: Stating,
) -> Found:
    """Which values of the *unknown*, a given or choice, make all that *where* says hold.

    A relation is a name or formula, one of ``< <= = >= >`` and another one, or a quantity. The
    others are *given* as for :func:`solve`. The result's ``answer`` is the unknown's value (None
    where none does it), its ``outcome.solutions`` all ranges of values. Raises DdcalcError.

    >>> find("sync-step", "update", where="total <= 1 s", finish=["0.5 s"], aggregate="0.3 s")
    <sync-step: The update of the model must be at most 200 ms: then the whole step is 1 s.>
    """
    question = _stated(problem, given, steps, find=unknown, where=_listed(where))
    return cast(Found, _shown(*_worked(question)))


@dataclass(frozen=True)
class Loaded:
    """A problem *file*."""

    file: str

    def solve(self) -> Answers:
        """All its problems, in order; raises BadFile where it cannot be read."""
        return Answers(solved(Source(self.file)))

    def mark(self, answers: Mapping[str, Plain | Sequence[Plain]]) -> Marks:
        """The marks of a student's *answers* by name of problem, part or quantity (``q3.b``,
        ``q3.b.total``), with what follows from his own earlier ones.

        Raises DdcalcError (``Several`` for more than one).
        """
        keys = Keys({n: k for x in solved(Source(self.file)) for n, k in keys_of(x).items()}, "")
        return _marked(keys, answers)


def load(file: str | os.PathLike[str]) -> Loaded:
    """A problem *file* (YAML, JSON or ndjson), of which ``solve()`` gives the answers.

    >>> exam = load("problems/exam.yaml").solve()
    >>> exam["ps-epochs"].total
    <total = 595.5 s>
    """
    return Loaded(os.fspath(file))


class Answers(Paged):
    """What problems of a file, or parts of a question, come to: items by id, or by number where
    there is none, and attributes where that is a name.

    It is a :class:`Solution` or :class:`Found`, a tuple of them for several values side by side, or
    the answers of parts. What is wrong stands in ``errors``, and is raised where it is looked up.
    """

    def __init__(self, done: Iterable[Solved], question: Solved | None = None) -> None:
        self._done = {one.question.id or str(i): one for i, one in enumerate(done, 1)}
        self._shown = [question] if question else [*self._done.values()]
        self.errors = [error for one in self._done.values() for error in one.errors]

    def __iter__(self) -> Iterator[str]:
        return iter(self._done)

    def __getitem__(self, name: str) -> Any:
        if name not in self._done:
            raise UnknownName("id", name, self._done)
        done = self._done[name]
        if done.parts:
            return Answers(done.parts, done)
        raise_all(done.errors)
        first, *others = (_shown(case, done.of_case(i, done.limits))
                          for i, case in enumerate(done.cases))  # fmt: skip
        return (first, *others) if others else first

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._done:
            raise AttributeError(f"no problem or part is called {name}")
        return self[name]

    def _page(self) -> Iterable[Block]:
        return chain.from_iterable(map(question.problem, self._shown))

    def __repr__(self) -> str:
        says = {name: " ".join(few_words.says(one)) for name, one in self._done.items()}
        return "\n".join(f"{name}: {words or 'Not solved.'}" for name, words in says.items())


def _shown(case: Derivation, limits: Sequence[Check]) -> Solution | Found:
    """What a problem of a file comes to, as what is asked here does."""
    shown: Solution | Found = Solution(case.stated, case.working)
    if isinstance(case, Inversion):
        shown = Found(case.question, case.outcome)
    shown.limits = limits
    return shown


def mark(
    problem: str,
    /,
    *,
    answers: Mapping[str, Plain | Sequence[Plain]],
    marking: Mapping[str, Any] | None = None,
    steps: Mapping[str, str] | None = None,
    **given: Stating,
) -> Marks:
    """The marks of a student's *answers* by name of quantity, each with the slip that leads there.

    *marking* asks for ``digits``, a tolerance ``within`` or a ``unit``, of all answers or of one by
    name, as in problem files. Raises DdcalcError (``Several`` for more than one).

    >>> mark("sync-step", answers={"slowest": "0.5 s", "total": "1.15 min"},
    ...      finish=["0.15 s", "0.5 s"], aggregate="0.3 s", update="0.35 s")
    ✓ slowest = 0.5 s
    (✓) total = 1.15 min (1.15 s) right value, wrong unit: right in s, not in min
    <BLANKLINE>
    credit 1.5 of 2
    """
    solved, _ = _worked(_stated(problem, given, steps))
    return Marks(_marked(keys_to(solved, marking or {}), answers))  # without the type's name


def _marked(keys: Keys, answers: Mapping[str, Plain | Sequence[Plain]]) -> Marks:
    """The marks of *answers* by name of problem, part or quantity; raises what is wrong."""
    stated = texts_of(answers).items()
    entries = [PaperEntry(name, Scalar(name), Scalar(""), node_of(text)) for name, text in stated]
    handed, errors = keys.marked(Paper("", [*entries]))
    raise_all(errors)
    made = Marks(handed.marks)
    made.problems = [name for name, _ in handed.marked]
    return made


class Compared(Paged, Comparison):
    """Two solutions side by side: ``changes``, ``rows``, ``difference``."""

    @property
    def difference(self) -> Number | None:
        """The second answer less the first, in base units; None unless both are numbers."""
        return self.answer.difference

    def _page(self) -> Iterable[Block]:
        return pages.report(side_by_side([self]))

    def __repr__(self) -> str:
        return f"<{what_moved(self)}>"


def compare(first: Solution, second: Solution | Mapping[str, Stating]) -> Compared:
    """The *second* solution, or *first* with other givens, compared with the *first*.

    Raises DdcalcError, for example where the answers do not measure the same.

    >>> exam = solve("sync-step", finish=["0.15 s", "0.5 s"], aggregate="0.3 s", update="0.25 s")
    >>> compare(exam, {"finish": ["0.4 s", "0.2 s"], "update": "0.3 s"})
    <T = 1.05 s → 1 s: 0.05 s less, × 0.9524>
    """
    other = against(first, texts_of(second)) if isinstance(second, Mapping) else second
    return Compared(first, other, ("first", "second"))


class Sensitive(Paged, moved.Sensitivity):
    """What moves an answer: ``swings``."""

    def _page(self) -> Iterable[Block]:
        return pages.report(moved.report(self))

    def __repr__(self) -> str:
        return f"<{moved.summary(self)}>"


def sensitivity(
    problem: str,
    /,
    *,
    by: Fraction = moved.TEN_PER_CENT,
    steps: Mapping[str, str] | None = None,
    **given: Stating,
) -> Sensitive:
    """What moves the answer of *problem*, given as for :func:`solve`.

    *by* is the share by which each given is moved for ``swings``. Raises DdcalcError.

    >>> step = sensitivity("sync-step", finish="0.5 s", aggregate="0.3 s", update="0.25 s")
    >>> [(swing.lever.name, swing.above) for swing in step.swings]
    [('finish[1]', Fraction(11, 10)), ('aggregate', Fraction(27, 25)), ('update', Fraction(43, 40))]
    """
    kind, texts, _ = asked_by(_stated(problem, given, steps))
    return Sensitive(**vars(moved.sensitivity(kind, texts, by)))


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
    wanted = VariantsWanted(count, seed, digits, keep, vary)
    drawn = DrawnQuestion(base.problem.slug, of_stated(base.stated), wanted).drawn()
    return [Solution(drawn.version(place).cases[0].stated) for place in range(len(drawn))]


class Swept(Paged):
    """A finished sweep, which notebooks show as a page with its charts: see ``columns``.

    ``columns.arrays`` are NumPy arrays by name, ``columns.exact(name)`` the exact values,
    ``columns.best`` the best points.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    def _page(self) -> Iterable[Block]:
        from ddcalc.ask.sweep.account import report
        from ddcalc.ask.sweep.views import curves

        sweep = self.columns.sweep
        drawn = filter(None, [curves(sweep)])
        return pages.report(report(sweep, working=False), charts=[*drawn])

    def __repr__(self) -> str:
        return repr(self.columns)


def sweep(
    problem: str,
    /,
    *,
    vary: Mapping[str, str | range | Sequence[Plain]],
    quantities: Sequence[str] = (),
    best: Sequence[str] = (),
    minimize: Sequence[str] = (),
    maximize: Sequence[str] = (),
    where: str | Sequence[str] = (),
    unit: str | None = None,
    steps: Mapping[str, str] | None = None,
    **given: Stating,
) -> Swept:
    """The problem at all points of what varies: ranges, lists, or texts as for ``--vary``.

    *quantities* are shown (default: the answer); the best points are found of those to be *best*
    (costs least, rates greatest), *minimize* and *maximize*, where all of *where* holds.

    >>> done = sweep("sync-step", vary={"update": "1s..2s:0.5s"}, finish=["1 s"], aggregate="1 s")
    >>> done
    <sync-step: 3 points of update; smallest total = 3 s at update = 1 s>
    >>> done.columns.arrays["total"].tolist(), list(done.columns.exact("total"))
    ([3.0, 3.5, 4.0], [3, Fraction(7, 2), 4])
    """
    from ddcalc.ask.sweep import grid, points, views

    spelt = {n: v if isinstance(v, str | range) else list(map(text_of, v)) for n, v in vary.items()}
    declared, stated, asked = asked_by(_stated(problem, given, steps, where=_listed(where)))
    sought = {"quantity": quantities, "best": best, "minimize": minimize, "maximize": maximize}
    made = grid.question(declared, stated, [*spelt.items()], sought, unit, asked)
    return Swept(views.Columns(made, points.goals(made, sought)))
