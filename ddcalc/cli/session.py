"""One run of ddcalc: where it writes, how it reports errors, and the exit code it comes to."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from ddcalc.boundary.cleaning import clean, located
from ddcalc.boundary.output import ClosedPipe, Output, styled
from ddcalc.errors import BadEquation, Bug, DdcalcError, OutputFailed

NARROWEST, WIDEST = 40, 100

DIFFERS, BAD_INPUT, NOT_WRITTEN, BUG = 1, 2, 3, 70
_GRAVITY = (0, DIFFERS, BAD_INPUT, NOT_WRITTEN, BUG)

ERROR = "error:"
SHOWN = 50  # errors written out; the rest is counted
LINE = 100  # characters of a source line

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
                self.say(self._diagnostic(error, lines))
                if self.debug and error.__cause__ is not None:
                    from traceback import format_exception

                    trace = "".join(format_exception(error.__cause__)).splitlines()
                    self.say("".join(f"{clean(line)}\n" for line in trace))

    def _diagnostic(self, error: DdcalcError, lines: Lines) -> str:
        """The *error*, where it is, and its line of the source with a mark under what is wrong;
        ``file:line:column: message (problem, parameter)`` where it is to be *short*."""
        place, says = error.place, clean(str(error))
        where = located(place) if place and place.file else ""
        problem = f"problem {clean(error.problem)}" if error.problem else ""
        parameter = clean(error.parameter, 80) if error.parameter else ""
        about = ", ".join(filter(None, (problem, parameter)))
        if self.short:
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

    def note(self, *words: str) -> None:
        """Say on standard error what is worth knowing but not wrong, up to a limit."""
        self.noted += 1
        if self.noted <= SHOWN:
            self.say(f"note: {': '.join(map(clean, words))}\n")

    def say(self, text: str) -> None:
        """Write *text* to standard error; that it cannot be written changes nothing."""
        if self.err.colour and text.startswith(ERROR):
            text = styled(ERROR, "red") + text.removeprefix(ERROR)
        with suppress(OutputFailed, ClosedPipe):
            self.err.write(text)

    def finish(self) -> None:
        """Say how many errors and notes were not shown."""
        for count, what in ((self.refused, "error"), (self.noted, "note")):
            if left := max(0, count - SHOWN):
                self.say(f"and {left} more {what}{'' if left == 1 else 's'}\n")


def gravity(kind: str) -> int:
    """The exit code that an error of this *kind* alone leads to."""
    if kind in (Bug.kind, BadEquation.kind):
        return BUG
    return NOT_WRITTEN if kind == OutputFailed.kind else BAD_INPUT


def width() -> int:
    """The columns to print in, from the terminal or COLUMNS, within what can be read."""
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
