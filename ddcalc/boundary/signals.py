"""How a run may end early: Ctrl-C and SIGTERM as exceptions, re-raised, or delayed."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

MOMENT: Final = 0.01  # seconds


class Terminated(BaseException):
    """The process was asked to end (SIGTERM); like KeyboardInterrupt no ``Exception``."""


_ENDS: Final[dict[int, type[BaseException]]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
}
_seen: list[type[BaseException]] = []  # since the run has begun


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt inside, and SIGTERM Terminated, once, so that finished
    results can still be written.

    One in a place whose errors Python ignores (a callback, a destructor) comes once more a moment
    later.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _seen.clear()

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        _seen.append(_ENDS[number])
        if number == signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)
        raise _ENDS[number]

    def hook(ignored: sys.UnraisableHookArgs) -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt | Terminated):
            usual(ignored)
            return

        def again(_number: int, _frame: FrameType | None) -> NoReturn:
            raise ignored.exc_type

        signal.signal(signal.SIGALRM, again)
        signal.setitimer(signal.ITIMER_REAL, MOMENT)

    handlers = {signal.SIGTERM: signal.signal(signal.SIGTERM, end)}
    if callable(signal.getsignal(signal.SIGINT)):  # else it is ignored
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, end)
    usual, sys.unraisablehook = sys.unraisablehook, hook
    try:
        with reraise_signals():
            yield
    finally:
        sys.unraisablehook = usual
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def reraise_signals() -> Iterator[None]:
    """Re-raise an interruption that a library has wrapped in an error of another kind, as NumPy
    does where it compares arrays."""
    try:
        yield
    except Exception as error:
        if _seen:
            raise _seen[-1] from error
        raise


@contextmanager
def delay_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until what is done inside is done, whichever thread they reach.

    To block them in this thread would not do: libraries have threads of their own.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is ever interrupted
        return
    waiting: list[int] = []
    before = {number: signal.getsignal(number) for number in _ENDS}
    try:
        for number in before:
            signal.signal(number, lambda number, _: waiting.append(number))
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        for held in waiting:
            signal.raise_signal(held)
