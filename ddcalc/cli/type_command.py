"""The command of a problem type, made from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature
from typing import Annotated, Any

import typer

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.output import Output
from ddcalc.cli.asking import Asking, asking
from ddcalc.cli.delivery import delivery, option
from ddcalc.cli.options import TABLE, parameters, texts
from ddcalc.cli.output import Wanted, picture
from ddcalc.cli.present import JSON, Format, is_told, look, presented
from ddcalc.cli.session import Session, width
from ddcalc.errors import BadUnit, DdcalcError, Missing, Several
from ddcalc.numbers.units import Unit, unit_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.steps import Compare, State
from ddcalc.render.terminal.layout import Look
from ddcalc.render.whole import wrapped

Stated = dict[str, str | list[str]]

_OWN: dict[str, tuple[Any, Any]] = {
    "find": (
        Annotated[
            str | None,
            typer.Option("--find", metavar="NAME", help="The given to find, left out above."),
        ],
        None,
    ),
    "where": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--where", metavar="RELATION", help="What must hold, for example 'total <= 300 s'."
            ),
        ],
        None,
    ),
    "as_yaml": (
        Annotated[bool, typer.Option("--as-yaml", help="Print this command as a problem file.")],
        False,
    ),
    "hint": (
        Annotated[
            int | None,
            typer.Option(
                "--hint", min=1, metavar="[N]", help="Only the next step (or N): what, and why."
            ),
        ],
        None,
    ),
    "unit": (
        Annotated[
            str | None,
            typer.Option("--unit", metavar="UNIT", help="Unit of the answer, for example h."),
        ],
        None,
    ),
}


def command(problem: type[Problem], session: Session) -> Callable[..., None]:
    """A typer command whose options are the givens and choices of *problem*."""

    own = [option(name, annotation, usual) for name, (annotation, usual) in _OWN.items()]
    own += delivery(into="Write into FILE, as its suffix says; .svg is a picture.")

    def run(**written: Any) -> None:
        wanted = Wanted(**{each.name: written.pop(each.name) for each in own})
        try:
            stated, misused = texts(problem, written)
            solved = _solved(asking(problem, wanted), stated, [*misused, *wanted.errors()])
            told = _told(solved, stated, wanted, session.out)
        except DdcalcError as error:
            _refuse(session, problem, error, wanted)
        else:
            wanted.deliver(told, session)
            _note(session, solved, wanted)

    options = [*parameters(problem), *own]
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    run.__doc__ = problem.about()
    return run


def _told(solved: Derivation, stated: Stated, wanted: Wanted, out: Output) -> str:
    """What is *wanted* of the solution."""
    unit = _unit(solved, wanted.unit)
    if wanted.as_yaml:
        from ddcalc.render.problem_file import problem_file

        return problem_file(solved.problem, stated, wanted.find, wanted.where or ())
    if wanted.hint is not None:
        return _hints(solved, wanted.hint)
    if wanted.picture:
        return picture(solved)
    seen = look(out) if wanted.output is None else Look()
    return presented(solved, wanted.form, wanted.steps, seen, unit)


def _solved(asking: Asking, stated: Stated, misused: list[DdcalcError]) -> Derivation:
    """The solution; everything that is wrong at once where there is none."""
    try:
        if not misused:
            return asking.answer(stated)
        asking.check(stated)
    except DdcalcError as error:
        told = {name for single in misused for name in _stated_by(single, asking.problem)}
        others = [single for single in error.each() if single.parameter not in told]
        for single in others:
            if isinstance(single, Missing):
                single.names = [name for name in single.names if not told & {*name.split(" or ")}]
        empty = [single for single in others if isinstance(single, Missing) and not single.names]
        raise Several([*misused, *(other for other in others if other not in empty)]) from None
    raise Several(misused)


def _stated_by(wrong: DdcalcError, problem: type[Problem]) -> tuple[str, ...]:
    """The givens that what is *wrong* was to state."""
    return problem.table if wrong.parameter == TABLE else (wrong.parameter or "",)


def _note(session: Session, solved: Derivation, wanted: Wanted) -> None:
    """Say what is stated without effect, where what is told does not."""
    if wanted.as_yaml or wanted.hint is not None:
        return
    if wanted.picture or not is_told(wanted.form, wanted.steps):
        for each in solved.unused:
            if each.noted:
                session.note(f"--{each.name}".replace("_", "-"), each.says)


def _unit(solved: Derivation, name: str | None) -> Unit | None:
    if name is None:
        return None
    try:
        unit = unit_named(name)
    except DdcalcError as error:
        raise error.about("unit") from None
    if unit.dimension != solved.answer.unit.dimension:
        told = f"measures {unit.dimension}; the answer is {solved.answer.unit.dimension}"
        raise BadUnit(name, told).about("unit")
    return unit


def _hints(solved: Derivation, wanted: int) -> str:
    """The titles and reasons of the first steps, without what they come to."""
    from ddcalc.render.story import hint

    steps = [step for step in solved.steps if not isinstance(step, State | Compare)]
    margin = " " * 3
    lines = [
        line
        for i, step in enumerate(steps[:wanted], 1)
        for line in wrapped(
            hint(step, solved.problem), width(), initial_indent=f"{i:<3}", subsequent_indent=margin
        )
    ]
    return "".join(f"{line}\n" for line in lines)


def _refuse(session: Session, problem: type[Problem], error: DdcalcError, wanted: Wanted) -> None:
    told = None
    if wanted.output is None and wanted.form in JSON:
        from ddcalc.render import json as data

        indent = 2 if wanted.form is Format.json else None
        told = data.dumped(data.failed([error], problem.slug), indent) + "\n"
    for single in error.each():
        name = (single.parameter or "").partition("[")[0]
        if name in {*problem.givens, *problem.choices, "find", "force", "output", "unit", "where"}:
            single.parameter = f"--{single.parameter}".replace("_", "-")
        if isinstance(single, Missing):
            single.names = [f"--{name.replace('_', '-')}" for name in single.names]
            single.names = [name.replace(" or ", " or --") for name in single.names]
    session.refuse(error.each())
    if any(isinstance(single, Missing) for single in error.each()):
        session.tell(f"an example: ddcalc show {problem.slug}\n")
    if told:
        session.out.write(told)
