"""Work that must end after some seconds of the processor, in whichever thread it is done.

A thread that watches lets an exception come up in the one that works. Seconds of the processor,
unlike those of a clock, are as many on a busy machine. What cannot be interrupted, a single very
long operation of a library in C, ends a worker's process instead.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable
from functools import cache
from time import clock_gettime, pthread_getcpuclockid, sleep, thread_time
from typing import Final, TypeVar

from ddcalc.errors import OutOfTime

R = TypeVar("R")

PAUSE: Final = 0.02  # seconds between two looks
OUT_OF_TIME: Final = -signal.SIGPROF  # exit code of such a process
AGAIN: Final = 0.5  # seconds until what goes on is struck once more
GRACE: Final = 1.0  # seconds after twice the time, until a worker's process ends that goes on


class _Struck(BaseException):
    """Comes up in the midst of work that takes too long; no ``except Exception`` holds it up."""


_ends: dict[int, float] = {}  # of work, by its thread: at so many seconds of that
_looking = threading.Lock()  # held while something is looked at, or begins or ends


@cache
def _begin_watching() -> None:
    """From now on a thread looks at all work again and again. Work that goes on is struck once more
    after a while, as Python drops an exception that comes up where an object is cleared away."""

    def watch() -> None:
        while True:
            sleep(PAUSE)
            with _looking:
                for thread, end in _ends.items():
                    if (now := clock_gettime(pthread_getcpuclockid(thread))) >= end:
                        _ends[thread] = now + AGAIN
                        _raise(thread, _Struck)

    threading.Thread(target=watch, daemon=True).start()


def within(seconds: float, work: Callable[..., R], *arguments: object) -> R:
    """What *work* returns; OutOfTime after so many *seconds* of the processor; 0: without an end.

    What the work has done by then stays done. A thread does one such work at a time. A worker's
    process ends when it goes on for twice as long and some more.
    """
    if not seconds:
        return work(*arguments)
    _begin_watching()
    if _serving:
        signal.setitimer(signal.ITIMER_PROF, 2 * seconds + GRACE)
    thread, end = threading.get_ident(), thread_time() + seconds

    def finish() -> None:
        # what was to come up is taken back, but only that: Python goes on looking for it ever
        # after, at each call, which makes all that follows slower
        with _looking:
            if _ends.pop(thread, end) > end:
                _raise(thread, None)
        if _serving:
            signal.setitimer(signal.ITIMER_PROF, 0)

    try:
        try:
            with _looking:
                _ends[thread] = end
            return work(*arguments)
        finally:
            finish()
    except _Struck:
        finish()  # which the exception may have held up
        raise OutOfTime(seconds) from None


_serving = False  # whether this process is there for pieces of work only


def begin_serving() -> None:
    """From now on this process is a worker's."""
    global _serving
    _serving = True


def _raise(thread: int, error: type[BaseException] | None) -> None:
    """Let *error* come up in another *thread*, or what has not come up yet be forgotten."""
    raised = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
