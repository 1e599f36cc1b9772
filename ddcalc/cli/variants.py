"""The verb ``variants``: other numbers for a question, as an exam with its key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Any

import typer

from ddcalc.ask.variants.search import VariantsWanted
from ddcalc.cli.asked import type_named_in, with_givens
from ddcalc.cli.delivery import file, form, replace
from ddcalc.cli.exams import ExamFormat, Target
from ddcalc.cli.session import Session
from ddcalc.errors import DdcalcError, UnknownName
from ddcalc.problem.problem import Problem

NAME = "variants"
MOST = 1000

_HELP = """Variants of a question: other numbers, as clean, that take the same steps.

Of FILE every question, or those called ID; or of a TYPE with its givens as options. Numbers stay
within a quarter and four times the question's own and about as round. An answer has no more digits
behind the point than the question's own, nor have results on the way where that can be. The same
cases and ties come up, and quotients are whole where they are in the question.

Variant i of a seed is the same however many are wanted.
"""


def _option(flag: str, kind: Any, told: str, default: Any = None, **more: Any) -> tuple[Any, Any]:
    return Annotated[kind, typer.Option(flag, help=told, show_default=False, **more)], default


_OWN: dict[str, tuple[Any, Any]] = {
    "count": _option("--count", int, "How many. (default: 10)", 10, min=1, max=MOST),
    "seed": _option("--seed", int, "Which ones are drawn. (default: 0)", 0, min=0),
    "digits": _option(
        "--digits", int | None, "Digits behind the point of an answer, at most.", min=0, max=15
    ),
    "keep": _option("--keep", list[str] | None, "A given that stays as it is.", metavar="NAME"),
    "vary": _option("--vary", list[str] | None, "Only these givens change.", metavar="NAME"),
    "choices": _option(
        "--choices", int | None, "Multiple choice: so many options from slips.", min=2, max=8
    ),
    "format": (Annotated[ExamFormat | None, form(ExamFormat, "yaml")], None),
    "output": (Annotated[str | None, file("Write the exam into FILE, as its suffix says.")], None),
    "key": _option(
        "--key", str | None, "Write the key, with full working, into FILE.", metavar="FILE"
    ),
    "force": (Annotated[bool, replace("Let --output and --key replace files.")], False),
}


_ARGUMENTS: dict[str, tuple[Any, Any]] = {
    "words": (
        Annotated[
            list[str],
            typer.Argument(
                metavar="FILE [ID]... | TYPE", help="A problem file and ids, -, or a problem type."
            ),
        ],
        Parameter.empty,
    ),
}


def add(app: typer.Typer, session: Session, arguments: Sequence[str]) -> None:
    """Add the verb to *app*; *arguments* say whether it is about a type or a file."""
    problem = type_named_in(arguments) if arguments[:1] == [NAME] else None

    def run(*, given: dict[str, list[str] | None], words: list[str], **own: Any) -> None:
        try:
            _run(session, _wanted(own), _Call(problem, words, given), own)
        except DdcalcError as error:
            for single in error.each():
                if single.parameter in ("keep", "vary", "output", "key", "force"):
                    single.parameter = f"--{single.parameter}"
            session.refuse(error.each())

    run.__doc__ = _HELP
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in (_ARGUMENTS | _OWN).items()
    ]
    app.command(NAME)(with_givens(run, options, problem))


@dataclass(frozen=True, slots=True)
class _Call:
    """What a call is about: a *problem* type with what is *given*, or else a file, and ids."""

    problem: type[Problem] | None
    words: list[str]
    given: dict[str, list[str] | None]


def _run(session: Session, wanted: VariantsWanted, call: _Call, own: dict[str, Any]) -> None:
    from ddcalc.ask.variants.versions import versions
    from ddcalc.cli import bases
    from ddcalc.cli.present import look

    target = Target(own["format"], own["output"], own["key"], own["force"])
    target.check([] if call.problem else call.words[:1])
    if call.problem is None:
        questions = bases.of_file(call.words, session)
    elif len(call.words) > 1:
        raise UnknownName("argument", call.words[1], ("--keep", "--vary")).about(call.words[0])
    else:
        questions = bases.of_type(call.problem, call.given)
    found = list(bases.bases(questions, wanted, session))
    told = versions(found, own["choices"] or 0, wanted.seed)
    if told:
        target.deliver(told, wanted.seed, look(session.out), session)


def _wanted(own: dict[str, Any]) -> VariantsWanted:
    keep, vary = _names(own["keep"]), _names(own["vary"])
    return VariantsWanted(own["count"], own["seed"], own["digits"], keep, vary)


def _names(written: Sequence[str] | None) -> tuple[str, ...]:
    """Names of givens, apart or with commas between them, in either spelling."""
    parts = (part for text in written or () for part in text.split(","))
    return tuple(part.strip().replace("-", "_") for part in parts)
