"""What a shell offers at the cursor: types, names of quantities, options of choices, units.

Typer asks for it and speaks with the shell. Only the type or verb that stands in the line is
imported, and nothing is ever wrong: where a line makes no sense, nothing is offered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import signature
from typing import Final

from ddcalc.cli.app import application
from ddcalc.cli.session import Session
from ddcalc.cli.subject import type_named_in
from ddcalc.errors import DdcalcError
from ddcalc.numbers.units import UNITS
from ddcalc.problem.catalog import catalog, entry_named
from ddcalc.problem.presets import presets
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.slots import SLOTS
from ddcalc.problem.terms import terms
from ddcalc.problem.topics import topics

Offers = Iterable[tuple[str, str]]  # words with what they mean


def complete(session: Session) -> int:
    """Print what continues the line that the shell has in its environment; the exit code is
    Typer's, which says whether anything does."""
    words = _finished_words()
    try:
        app = application(words, session)
        for command in app.registered_commands:
            if words and command.name == words[0] and command.callback is not None:
                _offer(command.callback, words)
        app(args=[], standalone_mode=False, prog_name="ddcalc")
    except (DdcalcError, ValueError):  # a shell that numbers its words wrongly
        return 1
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _finished_words() -> list[str]:
    """The words behind ``ddcalc`` and before the one at the cursor; quotes do not matter here."""
    bash = os.environ.get("COMP_WORDS")
    if bash is not None:
        return bash.split()[1 : int(os.environ.get("COMP_CWORD") or 1)]
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()
    return words[1:] if line.endswith(" ") else words[1:-1]


def _problem(words: list[str]) -> type[Problem] | None:
    """The type that the line is about, whether it is the command or stands behind a verb."""
    entry = entry_named(words[0])
    return type_named_in(words) if entry is None else entry.load()


def _offer(command: Callable[..., object], words: list[str]) -> None:
    """Tell Typer what each parameter of *command* offers behind *words*."""
    problem = _problem(words)
    for name, parameter in signature(command).parameters.items():
        info = parameter.annotation.__metadata__[0]
        metavar = info.metavar or ""
        if "TYPE" in metavar:
            offers = _types() if len(words) == 1 else ()
        elif "TERM" in metavar:
            offers = _pages()
        else:
            offers = () if problem is None else _offers(name, problem)
        info.autocompletion = _always(offers) if offers else None


def _always(offers: Offers) -> Callable[[], Offers]:
    """What Typer calls; it chooses those that begin like the word at the cursor."""
    return lambda: offers


def _offers(name: str, problem: type[Problem]) -> Offers:
    """What the parameter called *name* can be."""
    if name in problem.choices:
        options = problem.choices[name].options
        return ((option.replace("_", "-"), says) for option, says in options.items())
    if name in problem.slots:
        return _presets(SLOTS[name])
    if name in problem.givens:
        return ((word, "") for word in problem.givens[name].words)
    return OFFERS[name](problem) if name in OFFERS else ()


def _types() -> Offers:
    return ((entry.slug, entry.summary()) for entry in catalog().values())


def _pages() -> Offers:
    """What there is to explain."""
    yield from ((one.slug, one.summary) for one in topics().values())
    yield from ((one.slug, one.summary) for one in terms().values())


def _presets(kind: str) -> Offers:
    yield from ((one.name, one.title) for one in presets()[kind].values())


def _givens(problem: type[Problem]) -> Offers:
    """What is stated: numbers and choices."""
    declared: list[Given | Choice] = [*problem.givens.values(), *problem.choices.values()]
    return ((one.name, one.title) for one in declared)


def _assignments(problem: type[Problem]) -> Offers:
    return ((f"{name}=", title) for name, title in _givens(problem))


def _results(problem: type[Problem]) -> Offers:
    """What follows."""
    return (
        (name, one.title) for name, one in problem.quantities.items() if name not in problem.givens
    )


def _units(problem: type[Problem]) -> Iterator[tuple[str, str]]:
    """Units of what follows."""
    dimensions = {problem.quantities[name].unit.dimension for name, _ in _results(problem)}
    return (
        (name, unit.title)
        for name, unit in UNITS.items()
        if name == unit.name and unit.dimension in dimensions
    )


def _scales(_problem: type[Problem]) -> Offers:
    return (("x", "along"), ("y", "upwards"), ("x,y", "both"), ("none", "neither"))


OFFERS: Final[Mapping[str, Callable[[type[Problem]], Offers]]] = {  # by the name of a parameter
    "find": _givens,
    "keep": _givens,
    "vary": _assignments,
    "against": _assignments,
    "quantity": _results,
    "minimize": _results,
    "maximize": _results,
    "where": _results,
    "unit": _units,
    "log": _scales,
}
