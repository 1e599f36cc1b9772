"""One run of ddcalc: where it writes, how far it has come, its errors, and the exit code."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import Token
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from ddcalc.boundary.cleaning import clean, located
from ddcalc.boundary.output import ClosedPipe, Output
from ddcalc.errors import BadEquation, Bug, DdcalcError, OutputFailed
from ddcalc.schedule.watching import Watch, watch

NARROWEST, WIDEST = 40, 100

DIFFERS, BAD_INPUT, NOT_WRITTEN, BUG = 1, 2, 3, 70
_GRAVITY = (0, DIFFERS, BAD_INPUT, NOT_WRITTEN, BUG)

ERROR = "error:"
SHOWN = 50  # errors written out; the rest is counted
LINE = 100  # characters of a source line

PATIENCE: Final = 1.0  # seconds before anything is shown
PAUSE: Final = 0.2  # seconds between updates
WIPED: Final = "\r\x1b[K"

Lines = Callable[[int], str | None]


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

    def refuse(self, errors: Iterable[DdcalcError], lines: Lines = lambda number: None) -> None:
        """Show *errors* on standard error, up to a limit, quoting *lines* of their source; the
        gravest becomes the exit code."""
        for error in errors:
            self.happened(gravity(error.kind))
            self.refused += 1
            if self.refused <= SHOWN:
                self.say(diagnostic(error, lines, self.short))
                if self.debug and error.__cause__ is not None:
                    from traceback import format_exception

                    trace = "".join(format_exception(error.__cause__)).splitlines()
                    self.say("".join(f"{clean(line)}\n" for line in trace))

    def note(self, *words: str) -> None:
        """Say on standard error what is worth knowing but not wrong, up to a limit."""
        self.noted += 1
        if self.noted <= SHOWN:
            self.say(f"note: {': '.join(map(clean, words))}\n")

    def say(self, text: str) -> None:
        """Write *text* to standard error; that it cannot be written changes nothing."""
        if self.err.colour and text.startswith(ERROR):
            text = f"\x1b[31m{ERROR}\x1b[0m{text.removeprefix(ERROR)}"  # red
        with suppress(OutputFailed, ClosedPipe):
            self.err.write(text)

    def finish(self) -> None:
        """Say how many errors and notes were not shown."""
        for count, what in ((self.refused, "error"), (self.noted, "note")):
            if left := max(0, count - SHOWN):
                self.say(f"and {left} more {what}{'' if left == 1 else 's'}\n")


def diagnostic(error: DdcalcError, lines: Lines, short: bool) -> str:
    """The *error*, where it is, and its line of the source with a mark under what is wrong;
    ``file:line:column: message (problem, parameter)`` where it is to be *short*."""
    place, says = error.place, clean(str(error))
    where = located(place) if place and place.file else ""
    problem = f"problem {clean(error.problem)}" if error.problem else ""
    parameter = clean(error.parameter, 80) if error.parameter else ""
    about = ", ".join(filter(None, (problem, parameter)))
    if short:
        return f"{where or 'error'}: {says}{f' ({about})' if about else ''}\n"
    text = f"{ERROR} {says}\n"
    if where or about:
        text += f" --> {'  '.join(filter(None, (where, about)))}\n"
    if place is None or not place.column:
        return text
    source = lines(place.line) if place.file else error.formula
    if not source:
        return text
    first = place.column - 1
    start = max(0, first - LINE // 2) if place.column > LINE - 20 else 0
    before, behind = clean(source[start:first]), first + place.length
    marked = clean(source[first : min(behind, start + LINE)])
    after = clean(source[behind : start + LINE])
    number = str(place.line) if place.file else ""
    gutter = " " * len(number)
    text += f"{gutter} |\n{number} | {before}{marked}{after}\n"
    return f"{text}{gutter} | {' ' * len(before)}{'^' * max(1, len(marked))}\n"


def gravity(kind: str) -> int:
    """The exit code that an error of this *kind* alone leads to."""
    if kind in (Bug.kind, BadEquation.kind):
        return BUG
    return NOT_WRITTEN if kind == OutputFailed.kind else BAD_INPUT


def width() -> int:
    """The columns to print in, from the terminal or COLUMNS, within what can be read."""
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


class Waiting:
    """How far a long call has come: a plain line on standard error, where somebody watches, that
    counts what those who work tell; it is wiped at the end, and before anything else is written
    there.

    Where results come *among* it, on a screen or in a pipe that may lead to one, nothing is shown.
    """

    def __init__(self, session: Session, *, among: bool = False) -> None:
        self.err, self.counts = session.err, Counter[str]()
        is_mixed = among and (session.out.interactive or session.out.piped)
        shown = self.err.interactive and not is_mixed and os.environ.get("TERM") != "dumb"
        self._next = monotonic() + PATIENCE if shown else float("inf")
        self._is_shown = False
        self._token: Token[Watch | None] | None = None

    def done(self, noun: str, more: int = 1) -> None:
        """So many *more* of what *noun* says are done."""
        self.counts[noun] += more
        if (now := monotonic()) < self._next:
            return
        self._next = now + PAUSE
        from ddcalc.numbers.display import counted

        self._write(WIPED + ", ".join(counted(count, what) for what, count in self.counts.items()))
        self._is_shown = True

    def __enter__(self) -> None:
        self._token = watch.set(self)
        self.err.before = self._wipe

    def __exit__(self, *_error: object) -> None:
        self._wipe()
        self.err.before = None
        if self._token is not None:
            watch.reset(self._token)

    def _wipe(self) -> None:
        if self._is_shown:
            self._write(WIPED)

    def _write(self, text: str) -> None:
        """Write *text*; that it cannot be written changes nothing."""
        self._is_shown = False  # or writing would wipe it once more
        with suppress(OutputFailed, ClosedPipe):
            self.err.write(text)
