"""The command of a problem type with its options, made from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from types import SimpleNamespace
from typing import Any, Final

from ddcalc.cli.formats import DRAWN, Format, Target, of_suffix
from ddcalc.cli.givens import parameters
from ddcalc.cli.options import (
    FORCE,
    HELP_ALL,
    flag_name,
    form,
    option,
    own_steps,
    several,
    stated,
    steps,
    switch,
    taking,
)
from ddcalc.cli.session import Session
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived, letters

RESULTS: Final = 3  # that the help of --where names

FIND: Final = stated("--find", "NAME", "The given to find, by name or letter.")
USUAL: Final = (
    steps(),
    form(DRAWN),
    stated("--output", "FILE", "Write into FILE: .svg, .png, .pdf a picture, .yaml the question."),
    HELP_ALL,
)
HINT: Final = "Only the next step (or N): the idea and its formula."
OTHERS: Final = (
    switch("--as-yaml", "Print this command as a problem file."),
    option("--hint", int | None, HINT, min=1, metavar="[N]"),
    stated("--unit", "UNIT", "Unit of the answer, for example h."),
    stated("--mine", "[NAME=]ANSWER", "Mark your answer: 595.5s, or total=595.5s."),
    switch("--all", "Steps and readings that nobody asked for, too.", "everything"),
    switch("--exact", "The exact values of what is rounded, too."),
    several(
        "--quantity", "What is asked for: plain values, unless --steps are wanted.", "NAME[,NAME]"
    ),
    switch("--bare", "Only the value, without its unit, for scripts."),
    several(
        "--limit", "What is to be met, which the answer says; else exit 1.", "RELATION", "limits"
    ),
    several("--assert", "What must hold, else exit 1; as for --where.", "RELATION", "claims"),
    FORCE,
)


def command(problem: type[Problem], session: Session) -> Callable[..., None]:
    """A typer command whose options are the givens and choices of *problem*."""

    of_type = parameters(problem)
    options = (FIND, _where(problem), *USUAL, own_steps(problem), *OTHERS)

    def run(format: Format | None, output: str | None, force: bool, **written: Any) -> None:
        from ddcalc.cli.type_command import TypeCall

        given = {one.name: written.pop(one.name) for one in of_type}
        wanted = SimpleNamespace(**written)
        wanted.as_yaml = wanted.as_yaml or of_suffix(output) is Format.yaml
        formats = (Format.yaml,) if wanted.as_yaml else DRAWN
        target = Target(session, formats, format, output, force)
        TypeCall(session, problem, target, wanted).run(given, map(flag_name, options))

    run.__doc__ = "\n\n".join(problem.about.split("\n\n")[:2])  # the rest is in its manual
    return taking(run, [*of_type, *options])


def _where(problem: type[Problem]) -> Parameter:
    """What is compared by name or letter: a result, such as the answer, or a given."""
    results = [q for q in problem.quantities.values() if isinstance(q, Derived)]
    results.sort(key=lambda quantity: quantity.name != problem.answer)
    shown = [f"{name} ({letter})" for name, letter in letters(results[:RESULTS]).items()]
    more = f", … (ddcalc show {problem.slug})" if len(results) > RESULTS else ""
    says = f"What must hold, as 'NAME <= VALUE'; results: {', '.join(shown)}{more}"
    return several("--where", says, "RELATION")
