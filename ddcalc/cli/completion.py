"""What a shell offers at the cursor. Typer asks each option and speaks with the shell.

Only the type or verb that stands in the line is imported, and nothing is ever wrong: where a line
makes no sense, nothing is offered.
"""

from __future__ import annotations

import os

from ddcalc.cli.app import application
from ddcalc.cli.session import Session
from ddcalc.errors import DdcalcError


def complete(session: Session) -> int:
    """Print what continues the line that the shell has in its environment; the exit code is
    Typer's, which says whether anything does."""
    try:
        app = application(_finished_words(), session)
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
