"""What a shell offers at the cursor: types, names of quantities, options of choices, units.

Typer asks for it and speaks with the shell. Only the type or verb that stands in the line is
imported, and nothing is ever wrong: where a line makes no sense, nothing is offered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from inspect import signature

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
from ddcalc.problem.terms import Term, terms
from ddcalc.problem.topics import Topic, topics

Offers = Iterable[tuple[str, str]]  # words with what they mean


def complete(session: Session) -> int:
    """Print what continues the line that the shell has in its environment; the exit code is
    Typer's, which says whether anything does."""
    words = _finished_words()
    try:
        app = application(words, session)
        for command in app.registered_commands:
            if words and command.name == words[0] and command.callback is not None:
                entry = entry_named(words[0])
                problem = type_named_in(words) if entry is None else entry.load()
                for name, parameter in signature(command.callback).parameters.items():
                    info = parameter.annotation.__metadata__[0]
                    offers = [*_offers(name, info.metavar or "", problem, words)]
                    info.autocompletion = _always(offers) if offers else None
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


def _always(offers: list[tuple[str, str]]) -> Callable[[], list[tuple[str, str]]]:
    """What Typer calls; it chooses those that begin like the word at the cursor."""
    return lambda: offers


def _offers(name: str, metavar: str, problem: type[Problem] | None, words: Sequence[str]) -> Offers:
    """What the parameter called *name* can be behind *words*, in a line about *problem*."""
    if "TYPE" in metavar:
        return ((x.slug, x.summary()) for x in catalog().values()) if len(words) == 1 else ()
    if "TERM" in metavar:
        pages: list[Term | Topic] = [*topics().values(), *terms().values()]
        return ((one.slug, one.summary) for one in pages)
    if problem is None:
        return ()
    if name in problem.choices:
        options = problem.choices[name].options
        return ((option.replace("_", "-"), says) for option, says in options.items())
    if name in problem.slots:
        return ((one.name, one.title) for one in presets()[SLOTS[name]].values())
    declared: dict[str, Given | Choice] = {**problem.givens, **problem.choices}
    results = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
    match name:
        case "find" | "keep":
            return ((name, one.title) for name, one in declared.items())
        case "vary" | "against":
            return ((f"{name}=", one.title) for name, one in declared.items())
        case "quantity" | "minimize" | "maximize" | "where":
            return ((name, one.title) for name, one in results.items())
        case "unit":
            measured = {one.unit.dimension for one in results.values()}
            units = (one for name, one in UNITS.items() if name == one.name)
            return ((one.name, one.title) for one in units if one.dimension in measured)
    return ()
