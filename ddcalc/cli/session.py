"""One run of ddcalc: where it writes, how it reports errors, and the exit code it comes to."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.output import Output
from ddcalc.errors import BadEquation, Bug, DdcalcError, OutputFailed
from ddcalc.render import diagnostic

NARROWEST, USUAL, WIDEST = 40, 80, 200

DIFFERS, BAD_INPUT, NOT_WRITTEN, BUG = 1, 2, 3, 70
_GRAVITY = (0, DIFFERS, BAD_INPUT, NOT_WRITTEN, BUG)

Lines = Callable[[int], str | None]


def no_lines(_number: int) -> str | None:
    """There is no source to quote from."""
    return None


@dataclass(slots=True)
class Session:
    """The standard streams of a run, and the gravest thing that has happened so far."""

    out: Output = field(default_factory=Output)
    err: Output = field(default_factory=lambda: Output(sys.stderr, "standard error"))
    short: bool = False
    debug: bool = False
    code: int = 0
    refused: int = 0
    noted: int = 0

    def happened(self, code: int) -> None:
        """Note an outcome; the gravest one becomes the exit code."""
        self.code = max(self.code, code, key=_GRAVITY.index)

    def refuse(self, errors: Iterable[DdcalcError], lines: Lines = no_lines) -> None:
        """Show *errors* on standard error, up to a limit, quoting *lines* of their source."""
        for error in errors:
            self.happened(gravity(error))
            self.refused += 1
            if self.refused <= diagnostic.SHOWN:
                self.say(diagnostic.short(error) if self.short else diagnostic.full(error, lines))
                self._trace(error)

    def note(self, *words: str) -> None:
        """Say on standard error what is worth knowing but not wrong, up to a limit."""
        self.noted += 1
        if self.noted <= diagnostic.SHOWN:
            self.say(f"note: {': '.join(map(clean, words))}\n")

    def say(self, text: str) -> None:
        """Write *text* to standard error; that it cannot be written changes nothing."""
        with suppress(OutputFailed):
            self.err.write(text)

    def finish(self) -> None:
        """Say how many errors and notes were not shown."""
        for count, what in ((self.refused, "error"), (self.noted, "note")):
            if left := max(0, count - diagnostic.SHOWN):
                self.say(f"and {left} more {what}{'' if left == 1 else 's'}\n")

    def _trace(self, error: DdcalcError) -> None:
        if self.debug and error.__cause__ is not None:
            from traceback import format_exception

            for line in "".join(format_exception(error.__cause__)).splitlines():
                self.say(f"{clean(line)}\n")


def gravity(error: DdcalcError) -> int:
    """The exit code that *error* alone leads to."""
    if isinstance(error, Bug | BadEquation):
        return BUG
    return NOT_WRITTEN if isinstance(error, OutputFailed) else BAD_INPUT


def width() -> int:
    """The columns to print in, from the terminal or COLUMNS, within what can be read."""
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


def _within(stated: str) -> int:
    """The width nearest to the *stated* one that can be read; the usual one if it is no number."""
    if not stated.isdecimal() or not int(stated[:9]):
        return USUAL
    return min(max(int(stated[:9]), NARROWEST), WIDEST)


def settle_width() -> None:
    """Keep libraries from a width at which they would print nothing."""
    stated = os.environ.get("COLUMNS", "")
    sensible = stated.isdecimal() and len(stated) < 5 and NARROWEST <= int(stated) <= WIDEST
    if stated and not sensible:
        os.environ["COLUMNS"] = str(_within(stated))
