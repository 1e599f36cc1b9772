"""Everything that can be wrong with a request.

An error that somebody looks into carries data, and its text is made in ``__str__``; others are
their text. ``place``, ``problem`` and ``parameter`` are filled in by whoever knows them while the
error travels up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

QUOTED = 80  # characters of foreign text in a message


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: *line* and *column* count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0
    length: int = 1


class DdcalcError(Exception):
    """Base of all errors that ddcalc raises on purpose."""

    kind: ClassVar[str] = "error"
    place: Place | None = None
    problem: str | None = None
    parameter: str | None = None
    formula: str = ""  # in which its place is, where that is in no file

    def __reduce__(self) -> tuple[object, ...]:
        """How processes send it to one another; what led to it stays behind."""
        return _sent, (type(self), self.args, self.__dict__)

    def about(self, parameter: str, place: Place | None = None) -> DdcalcError:
        """This error, which learns the *parameter* that it is about; returns itself."""
        self.parameter = self.parameter or parameter
        self.place = self.place or place
        return self

    def singles(self) -> Sequence[DdcalcError]:
        """The single errors this one stands for."""
        return (self,)


@contextmanager
def blaming(parameter: str) -> Iterator[None]:
    """What is wrong inside is about the *parameter*."""
    try:
        yield
    except DdcalcError as error:
        for single in error.singles():
            single.about(parameter)
        raise


def _sent(kind: type[DdcalcError], args: tuple[object, ...], its: dict[str, object]) -> DdcalcError:
    """An error as another process has sent it."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(its)
    return error


class BadNumber(DdcalcError):
    """*text* does not follow the number grammar; *reason* continues the sentence."""

    kind = "number"

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text, reason)
        self.text, self.reason = text, reason

    def __str__(self) -> str:
        return f"{quote(self.text)} {self.reason}"


class BadUnit(BadNumber):
    """*text* has a wrong or missing unit."""

    kind = "unit"


class BadValue(BadNumber):
    """*text* is a number, but not one that this quantity can take."""

    kind = "value"


class UnknownName(DdcalcError):
    """*name* is no *what* (for example ``"quantity"``); *known* are the names there are.

    A *command* lists them, where they are too many for a line; some may be known by *letters*, too.
    One may be *meant* though it is spelt otherwise. *why* goes on from the name.
    """

    kind = "unknown"

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        command: str = "",
        letters: Mapping[str, str] | None = None,
        meant: str = "",
        why: str = "",
    ) -> None:
        super().__init__(what, name)
        self.why = why
        self.what, self.name, self.known, self.command = what, name, sorted(known), command
        self.letters, self.meant = letters or {}, meant

    @property
    def near(self) -> str | None:
        """The known name that was probably meant."""
        return self.meant or suggestion(self.name, self.known)

    def __str__(self) -> str:
        listed = ", ".join(known + self._letter(known) for known in self.known)
        known = f"known: {listed or 'none'}"
        hint = f"'{self.command}' lists them" if self.command else known
        if self.near:
            hint = f"did you mean '{self.near}'{self._letter(self.near)}?"
        return f"unknown {self.what} {quote(self.name)}{self.why}; {hint}"

    def _letter(self, known: str) -> str:
        return f" ({self.letters[known]})" if known in self.letters else ""


class Missing(DdcalcError):
    """Required quantities *names* are not given."""

    kind = "missing"

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        super().__init__(self.names)

    def __str__(self) -> str:
        return f"missing: {', '.join(self.names)}"


class Repeated(DdcalcError):
    """*name* is said more than once; *first* is where it stood before."""

    kind = "repeated"

    def __init__(self, name: str, first: Place | None = None) -> None:
        super().__init__(name)
        self.name, self.first = name, first

    def __str__(self) -> str:
        again = f"{quote(self.name)} is given more than once"
        if self.first is None or not self.first.line:
            return again
        column = f", column {self.first.column}" if self.first.column else ""
        return f"{again}; first in line {self.first.line}{column}"


class Because(DdcalcError):
    """Something is wrong with *name*, for a *reason*; *says* puts both into words."""

    says: ClassVar[str] = "{0}: {1}"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def __str__(self) -> str:
        return self.says.format(self.name, self.reason)


class NoAnswer(Because):
    """The formula of quantity *name* has no finite value for these numbers."""

    kind = "no-answer"
    says = "{0} has no value: {1}"

    @classmethod
    def where(cls, name: str, error: ArithmeticError) -> NoAnswer:
        """That these numbers lead to such an *error* where *name* is worked out."""
        is_zero = isinstance(error, ZeroDivisionError)
        to = "make its formula divide by zero" if is_zero else f"lead to {error}"
        return cls(name, f"these numbers {to}")


class BadFile(DdcalcError):
    """A file that cannot be opened, decoded or parsed, and why."""

    kind = "file"

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place

    def __str__(self) -> str:
        return self.reason


class OverLimit(BadFile):
    """Input beyond a stated limit; the reason names the limit."""

    kind = "limit"


class OutOfTime(DdcalcError):
    """Work that took more *seconds* of the processor than it may."""

    kind = "time"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"out of time: more than {seconds:g} s; --timeout allows more")


class WorkerLost(DdcalcError):
    """A problem on which a worker ended, and the next one too, with *exit_code* if it is known."""

    kind = "worker"

    def __init__(self, exit_code: int | None) -> None:
        how = "" if exit_code is None else f" (exit code {exit_code})"
        reason = "the process that worked on it ended without an answer, and so did the next one"
        super().__init__(f"not solved: {reason}{how}; fewer --jobs need less memory")


UNANSWERED = (BadValue, NoAnswer, OverLimit)  # what other numbers, or another reading, may raise


class BadSheet(BadFile):
    """A problem file that is well-formed but not structured as one."""

    kind = "sheet"


class BadTarget(BadFile):
    """A file that results are not written into, and why: it exists, it is a folder."""

    kind = "target"


class OutputFailed(Because):
    """Results could not be written to a target, the *name* of a file or stream."""

    kind = "output"
    says = "cannot write {0}: {1}"


class Several(DdcalcError):
    """Several errors found at once, in the order of the input."""

    kind = "several"

    def __init__(self, errors: Sequence[DdcalcError]) -> None:
        super().__init__(*errors)
        self.errors = [single for error in errors for single in error.singles()]

    def __str__(self) -> str:
        return "; ".join(map(str, self.errors))

    def singles(self) -> Sequence[DdcalcError]:
        return self.errors


def raise_all(errors: Sequence[DdcalcError]) -> None:
    """Raise *errors*, several as one; nothing where there are none."""
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]


class BrokenType(DdcalcError):
    """The problem type *slug*, which a sheet of anybody declares, cannot be loaded."""

    kind = "type"

    def __init__(self, slug: str, cause: DdcalcError) -> None:
        super().__init__(f"problem type '{slug}' cannot be loaded: {cause}")
        self.__cause__ = cause


class BadEquation(Because):
    """A solver file is wrong where *name* says: a bug, never the user's doing."""

    kind = "equation"


class Bug(DdcalcError):
    """A mistake of ours: the *cause* should never have come up."""

    kind = "bug"

    def __init__(self, cause: BaseException) -> None:
        why = f"{type(cause).__name__}: {cause}"
        super().__init__(f"a bug in ddcalc, please report it: {why}")
        self.__cause__ = cause


def quote(text: str) -> str:
    """Foreign *text* in quotes, unprintable characters escaped, cut to ``QUOTED`` characters.

    >>> quote("a\\x1b[31mb")
    "'a\\\\x1b[31mb'"
    """
    shown = repr(text[: QUOTED + 1])
    return shown if len(shown) <= QUOTED + 2 else f"{shown[:QUOTED]}…'"


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """The one of *known* that *name* was probably meant to be, if any.

    >>> suggestion("workrs", ["samples", "workers"])
    'workers'
    """
    names = {candidate.lower(): candidate for candidate in known}
    near = get_close_matches(name[:QUOTED].lower(), names, n=1)
    return names[near[0]] if near else None
