"""How a run may end early: Ctrl-C and SIGTERM as exceptions, re-raised, or delayed."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

MOMENT: Final = 0.01  # seconds

_Handler = Callable[[int, FrameType | None], object]


class Terminated(BaseException):
    """The process was asked to end (SIGTERM); like KeyboardInterrupt no ``Exception``."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt inside, and SIGTERM Terminated, once, so that finished
    results can still be written.

    An interruption in a place whose errors Python ignores (a callback, a destructor) comes once
    more a moment later.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {signal.SIGTERM: signal.signal(signal.SIGTERM, _terminate)}
    if callable(signal.getsignal(signal.SIGINT)):
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    usual, sys.unraisablehook = sys.unraisablehook, _raising_again(sys.unraisablehook)
    try:
        yield
    finally:
        sys.unraisablehook = usual
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _raising_again(
    usual: Callable[[sys.UnraisableHookArgs], None],
) -> Callable[[sys.UnraisableHookArgs], None]:
    """What raises interruptions once more that Python has ignored, and does what is *usual* with
    other errors."""

    def hook(ignored: sys.UnraisableHookArgs) -> None:
        kind = ignored.exc_type
        if not issubclass(kind, KeyboardInterrupt | Terminated):
            usual(ignored)
            return

        def raise_again(_number: int, _frame: FrameType | None) -> NoReturn:
            raise kind

        signal.signal(signal.SIGALRM, raise_again)
        signal.setitimer(signal.ITIMER_REAL, MOMENT)

    return hook


@contextmanager
def reraise_signals() -> Iterator[None]:
    """Re-raise an interruption (Ctrl-C, SIGTERM) that a library has wrapped in an error of another
    kind, as NumPy does where it compares arrays."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: list[BaseException] = []
    placed: dict[int, tuple[_Handler, _Handler]] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler):
            noting = _noting(handler, seen)
            placed[number] = noting, handler
            signal.signal(number, noting)
    try:
        yield
    except Exception as error:
        if seen:
            raise seen[0] from error
        raise
    finally:
        for placed_for, (noting, usual) in placed.items():
            if signal.getsignal(placed_for) is noting:  # else it is to be ignored from now on
                signal.signal(placed_for, usual)


def _noting(handler: _Handler, seen: list[BaseException]) -> _Handler:
    """*handler*, which puts what it raises into *seen* as well."""

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            seen.append(error)
            raise

    return handle


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


@contextmanager
def delay_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until what is done inside is done, whichever thread they reach.

    To block them in this thread would not do: libraries have threads of their own.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is ever interrupted
        return
    waiting: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in handlers.items() if handler is not None}
    try:
        for number in before:
            signal.signal(number, lambda number, _: waiting.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for held in waiting:
            signal.raise_signal(held)
