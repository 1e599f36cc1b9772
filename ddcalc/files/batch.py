"""Problem files solved one problem after the other, in flat memory; an error stops nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.nodes import Item, Mapping, Node, place
from ddcalc.boundary.reader import read, relocate
from ddcalc.boundary.source import Source
from ddcalc.boundary.timeout import within
from ddcalc.errors import BadSheet, Bug, DdcalcError, OutOfTime, Repeated, UnknownName
from ddcalc.files.answers import Check, checked
from ddcalc.files.filed_problem import KEYS, Defaults, FiledProblem, named, understood
from ddcalc.files.ids import Ids
from ddcalc.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Finished:
    """What is known of a problem that an earlier run has finished: its *name*, the *kind* of the
    error that it has instead of an answer, and how many stated answers are *wrong*, ours among
    them where it *differs*."""

    name: str | None
    kind: str = ""
    wrong: int = 0
    differs: bool = False


class Earlier:
    """What an earlier run has finished, in order: as many problems come first here, too."""

    def __init__(self, finished: Iterable[Finished] = ()) -> None:
        self._finished = iter(finished)
        self._ahead: deque[Finished] = deque()
        self._more = True

    def coming(self, after: int = 0) -> Finished | None:
        """The next one *after* so many others; None where there are no more."""
        if self._more:
            self._ahead.extend(islice(self._finished, max(0, after + 1 - len(self._ahead))))
            self._more = after < len(self._ahead)
        return self._ahead[after] if after < len(self._ahead) else None

    def take(self) -> Finished | None:
        """The next one, for the problem that comes now."""
        return None if self.coming() is None else self._ahead.popleft()


@dataclass(slots=True)
class Solved:
    """A question, and either its derivation and checks or the errors that prevented them, those of
    what it claims once more by themselves.

    Of what an earlier run has *finished* the name alone is known.
    """

    question: FiledProblem
    derivation: Derivation | None = None
    checks: list[Check] = field(default_factory=list)
    errors: list[DdcalcError] = field(default_factory=list)
    of_claims: list[DdcalcError] = field(default_factory=list)
    note: str = ""  # what is to be said besides
    finished: Finished | None = None

    @property
    def answered(self) -> bool:
        """Whether there is a derivation, and nothing wrong with the problem."""
        return self.derivation is not None and not self.errors

    @property
    def differs(self) -> bool:
        """Whether an answer that the file promises is not the derived one."""
        return any(check.ours and not check.agrees for check in self.checks)


def solved(source: Source) -> Iterator[Solved]:
    """Everything in *source*, in order: one for each problem, and one for each part of the file
    that is no problem but wrong."""
    sheet = ProblemFile(source.name)
    for item in read(source):
        yield from sheet.solved(item)


class ProblemFile:
    """What is remembered from one item of a file to the next.

    Each problem may take so many *seconds* of the processor; 0: as many as it takes. Those that
    are known from *earlier* are not worked out.
    """

    def __init__(
        self,
        file: str,
        seconds: float = 0,
        earlier: Earlier | None = None,
    ) -> None:
        self.file, self.seconds = file, seconds
        self.earlier = earlier or Earlier()
        self.ids = Ids(file)
        self.stated: Node | None = None  # the defaults block of the document
        self.defaults = Defaults(None, file)

    def solved(self, item: Item, ahead: int = 0) -> list[Solved]:
        """What comes of an *item*: its problem, after what is wrong beside it. So many *ahead* of
        it have not been taken from what is known from earlier."""
        errors = list(item.errors) if item.index == 0 else []
        if item.index:
            errors += self._new_defaults(item)
        else:
            errors += self._head_errors(item)
        done = [Solved(FiledProblem(self.file, 0), errors=errors)] if errors else []
        if item.index:
            finished = self.earlier.coming(ahead + len(done))
            done.append(self._passed(item, finished) if finished else self._problem(item))
        return done

    def _passed(self, item: Item, finished: Finished) -> Solved:
        """A problem that is not worked out, whose id is taken all the same."""
        if finished.kind and not item.positioned:
            item = relocate(item, self.file)
        done = Solved(named(item.node, self.file), finished=finished)
        self._check_id(done)
        return done

    def refused(self, item: Item, error: DdcalcError) -> Solved:
        """The problem of an *item*, which is not solved because of an *error*."""
        if not isinstance(item.node, Mapping):
            return self._solved(item)
        question = understood(item.node, self.defaults, self.file)
        question.refuse(error, item.node)
        return Solved(question, errors=question.errors)

    def _new_defaults(self, item: Item) -> list[DdcalcError]:
        """The defaults that hold from here on; what is wrong with them is told once."""
        stated = item.head["defaults"][1] if item.head and "defaults" in item.head else None
        if stated is self.stated:
            return []
        self.stated, self.defaults = stated, Defaults(stated, self.file)
        return self.defaults.errors

    def _head_errors(self, item: Item) -> list[DdcalcError]:
        """What is wrong beside ``problems``, at the end of a document."""
        errors: list[DdcalcError] = []
        for name, (key, node) in (item.head or {}).items():
            at = place(self.file, key)
            if name != "defaults":
                known = KEYS if name in KEYS else ("problems", "defaults")
                errors.append(UnknownName("key beside problems", name, known).about(name, at))
            elif node is not self.stated:
                errors.append(BadSheet("defaults must stand above the problems", at).about(name))
        return errors

    def _problem(self, item: Item) -> Solved:
        try:
            seconds = self.seconds if isinstance(item.node, Mapping) else 0  # else there is no work
            done = within(seconds, self._placed, item)
        except OutOfTime as error:
            done = self.refused(item, error)
        self._check_id(done)
        done.errors.sort(key=_where)
        return done

    def _check_id(self, done: Solved) -> None:
        """Note an error where the id of *done* was given before in this file."""
        name, node = done.question.id, done.question.id_node
        if name is None or node is None:
            return
        if first := self.ids.first(name, node.line, node.column):
            error = Repeated(name, first)
            error.about("id", place(self.file, node)).problem = name
            done.errors.append(error)
        done.note, self.ids.remark = self.ids.remark, ""

    def _placed(self, item: Item) -> Solved:
        done = self._solved(item)
        if done.errors and not item.positioned:
            done = self._solved(relocate(item, self.file))
        return done

    def _solved(self, item: Item) -> Solved:
        file = self.file
        if not isinstance(item.node, Mapping):
            errors = item.errors or [BadSheet("a problem is a mapping with a type and givens")]
            if item.node is not None and errors[0].place is None:
                errors[0].place = place(file, item.node)
            return Solved(FiledProblem(file, 0), errors=errors)
        question = understood(item.node, self.defaults, file)
        if item.errors:
            for error in item.errors:
                error.problem = question.id
            return Solved(question, errors=item.errors)
        return _solve(question)


def _where(error: DdcalcError) -> tuple[int, int]:
    return (error.place.line, error.place.column) if error.place else (0, 0)


def _solve(question: FiledProblem) -> Solved:
    derivation = None
    if question.problem is not None:
        try:
            derivation = _answered(question.problem, question)
        except DdcalcError as error:
            for single in error.singles():
                question.locate(single)
        except Exception as error:  # our own mistake must not cost the other problems
            question.refuse(Bug(error))
    done = Solved(question, derivation, errors=question.errors)
    if derivation is not None and not question.errors:
        _check(done, derivation)
    return done


def _answered(problem: type[Problem], question: FiledProblem) -> Derivation:
    """The question worked out, or its unknown found."""
    if question.find is None or question.where is None:
        return solve(problem, question.texts, question.wanted)
    from ddcalc.ask.find import find

    return find(problem, question.find.text, question.relations, question.texts)


def _check(done: Solved, derivation: Derivation) -> None:
    question = done.question
    if question.marking:
        from ddcalc.files.answer_key import Key  # which few files need

        for error in Key(question, derivation).requirements.wrong:
            question.refuse(error)
    for ours, stated in ((True, question.expect), (False, question.claimed)):
        for name, (key, node) in stated.items():
            try:
                done.checks.append(checked(derivation, name, node, ours))
            except DdcalcError as error:
                wrong = key if isinstance(error, UnknownName) else node
                question.refuse(error.about(name), wrong)
                if not ours:
                    done.of_claims.append(error)
            except Exception as error:  # as above
                question.refuse(Bug(error).about(name), node)
