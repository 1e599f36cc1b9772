"""What a shell offers at the cursor: types, options, and the words that an option can be.

Typer asks for it and speaks with the shell. Only the type or verb that stands in the line is
imported, and nothing is ever wrong: where a line makes no sense, nothing is offered.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from inspect import signature

from ddcalc.cli.app import application
from ddcalc.cli.session import Session
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import catalog

Offers = list[tuple[str, str]]  # words with what they mean


def complete(session: Session) -> int:
    """Print what continues the line that the shell has in its environment; the exit code is
    Typer's, which says whether anything does."""
    words = _finished_words()
    try:
        app = application(words, session)
        for command in app.registered_commands:
            if words and command.name == words[0] and command.callback is not None:
                for parameter in signature(command.callback).parameters.values():
                    info = parameter.annotation.__metadata__[0]
                    if offers := _offers(info.metavar or "", is_first=len(words) == 1):
                        info.autocompletion = _always(offers)
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


def _always(offers: Offers) -> Callable[[], Offers]:
    """What Typer calls; it chooses those that begin like the word at the cursor."""
    return lambda: offers


def _offers(metavar: str, *, is_first: bool) -> Offers:
    """The words that a parameter can be, as its *metavar* says: ``carry|per-epoch`` or ``TYPE``."""
    if "TYPE" in metavar:
        return [(one.slug, one.summary()) for one in catalog().values()] if is_first else []
    return [(word, "") for word in metavar.split("|") if word.islower() and "|" in metavar]
