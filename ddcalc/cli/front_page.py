"""The front page: what ddcalc does and where to start, on one screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from ddcalc.cli.app import VERBS
from ddcalc.cli.session import USUAL, width
from ddcalc.problem.catalog import GROUPS

STARTS: Final = {
    'ddcalc ask "time of 10 epochs on 6 machines"': "which problem type that is",
    "ddcalc epoch-time -h": "what it needs",
}
PURPOSES: Final = {  # what begins with a verb, and those after it
    "ask": "find",
    "solve": "answer",
    "sweep": "vary",
    "variants": "teach",
    "experiment": "try",
    "new": "write",
}
MARGIN: Final = 22


def front_page() -> str:
    """What ``ddcalc`` and ``ddcalc -h`` print."""
    return "".join(f"{line}\n" for line in _lines(min(width(), USUAL)))


def _lines(columns: int) -> Iterator[str]:
    says = "Cost problems of distributed training, solved exactly and explained."
    yield from textwrap.wrap(says, columns)
    yield ""
    room = max(map(len, STARTS))
    for command, does in STARTS.items():
        beside = f"{command:<{room}}  {does}"
        yield from [beside] if len(beside) <= columns else [command, f"    {does}"]
    yield ""
    for verb, summary in VERBS.items():
        yield from _row(f"{PURPOSES.get(verb, ''):<7}{verb}", summary, columns)
    yield ""
    subjects = ", ".join(GROUPS.values())
    yield from _row("subjects", f"{subjects} (ddcalc list communication)", columns)
    yield from _row("options", "-h behind any command (or ddcalc help COMMAND), --version", columns)


def _row(head: str, says: str, columns: int) -> list[str]:
    """*says* beside its *head*, and on as many lines as it takes."""
    return textwrap.wrap(
        says,
        columns,
        initial_indent=f"{head:<{MARGIN}}",
        subsequent_indent=" " * MARGIN,
        break_on_hyphens=False,
    )
