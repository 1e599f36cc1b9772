"""What a verb is asked about: a type with its givens as options, or problems of files by id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from operator import attrgetter
from os.path import exists
from typing import Any

from ddcalc.boundary.source import Source
from ddcalc.cli.options import parameters, texts
from ddcalc.cli.session import Session
from ddcalc.errors import BadFile, DdcalcError, Missing, Place, Several, UnknownName
from ddcalc.problem.catalog import catalog, refuse_former
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.question import Question

_LIKE_FILES = {".", "/", "\\", ":"}  # what stands in names of files, not in those of types
_TOLD = 20  # ids that are told where another one is asked for


@dataclass(frozen=True, slots=True)
class Asked:
    """A question by its *name*: a type and what is stated for it."""

    name: str
    problem: type[Problem]
    texts: Texts


def type_named_in(arguments: Sequence[str]) -> type[Problem] | None:
    """The type that a call of a verb names in its first word, if it names one.

    Raises UnknownName for what can be neither a type nor a file: its options would be unknown too.
    """
    words = [word for word in arguments[1:2] if not word.startswith("-")]
    if not words or exists(words[0]):
        return None
    slug = words[0].replace("_", "-")
    if slug in catalog():
        return catalog()[slug].load()
    refuse_former(slug)
    if not _LIKE_FILES & {*slug}:
        raise UnknownName("problem type or file", words[0], catalog())
    return None


def with_givens(
    run: Callable[..., None], own: Sequence[Parameter], problem: type[Problem] | None
) -> Callable[..., None]:
    """*run* with the options *own*, and behind them those of *problem*.

    It gets the latter as ``given``; an option of its own goes before one of the type's.
    """
    names = {each.name for each in own}
    of_type = [each for each in parameters(problem) if each.name not in names] if problem else []

    def called(**written: Any) -> None:
        given = {each.name: written.pop(each.name) for each in of_type}
        run(given=given, **written)

    everything = [*own, *of_type]
    called.__signature__ = Signature(everything)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in everything}
    called.__doc__ = run.__doc__
    return called


def stated(problem: type[Problem], given: dict[str, list[str] | None]) -> Asked:
    """What the options state for *problem*; raises a DdcalcError that names the options."""
    found, errors = texts(problem, given)
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    return Asked("as stated", problem, found)


def from_files(
    words: Sequence[str],
    session: Session,
    usable: Callable[[Solved], bool] = attrgetter("answered"),
) -> list[Asked]:
    """The problems that *words* name: ``FILE ID ID`` or ``FILE:ID``; all of a file without ids.

    What is wrong with those that are not *usable* is refused; raises BadFile or UnknownName.
    """
    file, ids = words[0], list(words[1:])
    if exists(file) or ":" not in file:
        return _of_file(file, ids, session, usable)
    found = []
    for word in words:
        name, colon, wanted = word.rpartition(":")
        if not colon:
            raise BadFile("is neither a type nor FILE:ID", Place(word))
        found += _of_file(name, [wanted], session, usable)
    return found


def _of_file(
    file: str, ids: Sequence[str], session: Session, usable: Callable[[Solved], bool]
) -> list[Asked]:
    source = Source(file)
    seen: dict[str, Solved] = {}
    whole: list[DdcalcError] = []
    for i, done in enumerate(solved(source), 1):
        if done.question.problem is None and done.question.id is None and done.errors:
            whole += done.errors
        seen[done.question.id or f"problem {i}"] = done
        if ids and all(each in seen for each in ids):
            break
    for wanted in ids:
        if wanted not in seen:
            session.refuse(whole, source.line_text)
            raise UnknownName("id", wanted, list(seen)[:_TOLD]).about("id", Place(file))
    found = []
    for name in ids or seen:
        done = seen[name]
        if usable(done):
            found.append(_asked(name, done.question))
        else:
            session.refuse(done.errors, source.line_text)
    return found


def _asked(name: str, question: Question) -> Asked:
    assert question.problem is not None
    return Asked(name, question.problem, question.texts)


def named_as_options(problem: type[Problem], error: DdcalcError) -> DdcalcError:
    """*error* with its parameters named as options of the command line."""
    for single in error.each():
        name = (single.parameter or "").partition("[")[0]
        if name in {*problem.givens, *problem.choices}:
            single.parameter = f"--{single.parameter}".replace("_", "-")
        if isinstance(single, Missing):
            single.names = [f"--{each.replace('_', '-')}" for each in single.names]
            single.names = [each.replace(" or ", " or --") for each in single.names]
    return error
