"""What a verb is about: a type with its givens as options, or problems of files by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter
from os.path import exists
from typing import TYPE_CHECKING, Any, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.cli.documents import PAGES, Format, Page, Target
from ddcalc.cli.options import OWN, delivery, own_steps, taking
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.errors import BadValue, DdcalcError, Several, UnknownName, raise_all
from ddcalc.problem.known.catalog import catalog, entry_named, is_sheet, problem_named

if TYPE_CHECKING:
    from ddcalc.files.solved import Solved
    from ddcalc.problem.problem import Problem
    from ddcalc.problem.stated import Texts

LIKE_FILES = {".", "/", "\\", ":"}  # what stands in names of files, not in those of types

GivenTexts = dict[str, list[str] | None]  # the texts of a type's options
Verb = Callable[[Session, Sequence[str]], Callable[..., None]]  # a command, by the call's words


class Subject(NamedTuple):
    """A question by its *name*: a type, what is stated for it, and what must hold."""

    name: str
    problem: type[Problem]
    texts: Texts
    where: Sequence[str] = ()


def type_named_in(arguments: Sequence[str]) -> type[Problem] | None:
    """The type that a call of a verb names in its first word, if it names one.

    Raises UnknownName for what can be neither a type nor a file: its options would be unknown too.
    """
    words = [word for word in arguments[1:2] if not word.startswith("-")]
    if words and is_sheet(words[0]):
        return problem_named(words[0])
    if not words or exists(words[0]):
        return None
    slug = words[0].replace("_", "-")
    if (entry := entry_named(slug)) is not None:
        return entry.load()
    if not LIKE_FILES & {*slug}:
        raise UnknownName("problem type or file", words[0], catalog())
    return None


def stated(problem: type[Problem], given: GivenTexts) -> Subject:
    """What the options state for *problem*; raises a DdcalcError."""
    from ddcalc.cli.type_options import texts
    from ddcalc.files.filed_problem import stated_here
    from ddcalc.files.parts import asked_by

    read, errors = texts(problem, {n: one for n, one in given.items() if n != OWN})
    raise_all(errors)
    kind, left, _ = asked_by(stated_here(problem, read, given.get(OWN) or ()))
    return Subject("as stated", kind, left)


@dataclass
class Call:
    """A call of a verb: where it writes, and what it is about, a *problem* type with what is
    *given* as options, or what its *words* name."""

    session: Session
    target: Target
    problem: type[Problem] | None
    words: Sequence[str]
    given: GivenTexts

    @property
    def files(self) -> Sequence[str]:
        """The file that its words name, if they name one."""
        return self.words[:1] if self.problem is None else ()

    def subjects(self, moved: bool = False) -> list[Subject]:
        """The questions it is about, of which numbers are *moved*, but none that was found; nothing
        is left to say where one of them is wrong."""
        if self.problem is not None:
            if len(self.words) > 1:
                reason = "stands behind a type; its givens are options (see -h)"
                raise BadValue(self.words[1], reason)
            return [stated(self.problem, self.given)]
        from ddcalc.ask.solve import texts_of, told_apart
        from ddcalc.files.parts import taken_together
        from ddcalc.problem.said.sentences import series

        subjects = list[Subject]()
        for name, done in answered_in(self.words, self.session):
            is_part = name.endswith(f".{done.question.id}")  # and its cases are asked one by one
            if not (done.is_plain or is_part):
                cases = {part.question.id or "": part.cases for part in done.each}
                whole, together, left = taken_together(done.question, cases)
                subjects.append(Subject(name, whole, together))
                if left:
                    why = "played, found by a search, or resting on such a part or on a list"
                    self.session.note(name, f"without {series(left)}: {why}")
                continue
            for case, apart in zip(done.cases, told_apart(done.cases), strict=True):
                kind, texts = case.problem, texts_of(case.stated)
                if done.question.find is not None and case.answer.value is None:
                    texts.pop(case.answer.name, None)
                elif done.question.find is not None and moved:
                    self.session.note(name, f"{case.answer.name} stays {case.answer}, as found")
                if done.question.wanted:  # which it is about, then
                    sheet = replace(kind.sheet, answer=None)
                    target = kind.target_in(case.stated.shape)
                    asks = {"answer": target, "answers": {}, "sheet": sheet}
                    kind = type(kind.__name__, (kind,), asks)
                subjects.append(Subject(f"{name}, {apart}" if apart else name, kind, texts))
        if self.session.code:
            raise Several([])
        return subjects

    def one(self, where: Sequence[str] = ()) -> Subject:
        """The one question that it is about, of which the verb says that so much must hold."""
        from ddcalc.files.filed_problem import stated_here
        from ddcalc.files.parts import asked_by

        subjects = self.subjects(moved=True)
        if len(subjects) != 1:
            which = "the whole question, and a case in --of: b_2.total"
            which = which if self.words[1:] else "one by its id"
            raise BadValue(self.words[-1], f"holds {len(subjects)} problems; name {which}")
        name, kind, texts, _ = subjects[0]
        kind, _, relations = asked_by(stated_here(kind, {}, where=where))
        return Subject(name, kind, texts, relations)


def verb(
    options: Sequence[Parameter],
    formats: Sequence[Format] = PAGES,
    of_type: Callable[[Sequence[str]], type[Problem] | None] = lambda arguments: None,
    *,
    ways: Sequence[Parameter] = (),
) -> Callable[[Callable[..., None]], Verb]:
    """Makes a verb of what runs with a :class:`Call` and its *options*, those for the *ways* in
    which it writes in one of *formats*, and the givens of the type that it is of, by the words of
    the call; what is wrong is refused.

    An option of the verb goes before one of the type's.
    """
    options = [*options, *(ways or delivery(formats))]
    names = {option.name for option in options}

    def command(
        run: Callable[..., None], session: Session, arguments: Sequence[str]
    ) -> Callable[..., None]:
        problem, givens = of_type(arguments), []
        if problem is not None:
            from ddcalc.cli.type_options import parameters

            givens = [one for one in parameters(problem) if one.name not in names]
            givens.append(own_steps(problem))

        def called(format: Format | None, output: str | None, force: bool, **written: Any) -> None:
            given = {option.name: written.pop(option.name) for option in givens}
            target = Target(session, formats, format, output, force)
            call = Call(session, target, problem, written.pop("words", None) or (), given)
            try:
                run(call, **written)
            except DdcalcError as error:
                target.refuse(error, problem)

        return taking(called, [*options, *givens])

    return lambda run: partial(command, run)


def showing(word: Parameter) -> Callable[[Callable[..., Page]], Verb]:
    """Makes a verb of a page: what is shown of its *word*, or words."""

    def run(page: Callable[..., Page], call: Call) -> None:
        call.target.check()
        call.target.deliver(page(call.words))

    return lambda page: verb([word])(partial(run, page))


def answered_in(words: Sequence[str], session: Session) -> Iterator[tuple[str, Solved]]:
    """The problems that *words* name, a file and ids in it, or ids of parts (``q3.a``); all of a
    file without ids. What is wrong with one that has no answer is refused.

    Raises BadFile or UnknownName.
    """
    from ddcalc.boundary.source import Source
    from ddcalc.files.batch import chosen, worked_out

    source, ids = Source(words[0]), words[1:]
    whole: dict[str, Solved] = {}
    solved: dict[str, Solved] = {}  # and their parts
    for i, one in enumerate(chosen(source, ids), 1):
        name = one.name or f"problem {i}"
        whole[name] = done = worked_out(one)
        solved |= {name: done, **{f"{name}.{part.question.id}": part for part in done.parts}}
    for name in ids or whole:
        done = solved.get(name) or whole[name.rpartition(".")[0]]  # which knows no such part
        if done.answered:
            yield name, done
        else:
            session.refuse(done.errors, source.line_text)


def tell_differing(done: Solved, session: Session) -> None:
    """Say what of a problem is not as its file expects."""
    checks = (check for one in (done, *done.parts) for check in one.checks)
    if names := dict.fromkeys(check.name for check in checks if check.differs):
        where = clean(done.question.id or done.question.file)
        session.happened(DIFFERS)
        session.say(f"note: {where}: {', '.join(names)} differs from what the sheet expects\n")
