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
from time import clock_gettime, pthread_getcpuclockid
from typing import Final, TypeVar

from ddcalc.errors import OutOfTime

R = TypeVar("R")

PAUSE: Final = 0.02  # seconds between two looks, at least
OUT_OF_TIME: Final = -signal.SIGPROF  # exit code of such a process
AGAIN: Final = 0.5  # seconds until what goes on is struck once more
GRACE: Final = 1.0  # seconds after which a process ends that could not be interrupted


class _Struck(BaseException):
    """Comes up in the midst of work that takes too long; no ``except Exception`` holds it up."""


class _Watch(threading.Thread):
    """Watches work of the thread that makes it, which may take so many *seconds*."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self._watched = threading.get_ident()
        self._clock = pthread_getcpuclockid(self._watched)
        self._end = clock_gettime(self._clock) + seconds
        self._over = threading.Condition()
        self._is_over = self._is_struck = False

    def run(self) -> None:
        """Let the exception come up where the work has taken its time; and again after a while, as
        Python drops one that comes up where an object is cleared away."""
        with self._over:
            while not self._is_over:
                left = self._end - clock_gettime(self._clock)  # a clock is never slower than this
                if left <= 0:
                    self._is_struck, left = True, AGAIN
                    _raise(self._watched, _Struck)
                self._over.wait(max(left, PAUSE))

    def end(self) -> None:
        """The work is done; nothing comes up from now on.

        Only what was to come up is taken back: Python goes on looking for it ever after, at each
        call, which makes all that follows slower.
        """
        with self._over:
            self._is_over = True
            if self._is_struck:
                _raise(self._watched, None)
            self._over.notify()


def within(seconds: float, work: Callable[..., R], *arguments: object) -> R:
    """What *work* returns; OutOfTime after so many *seconds* of the processor; 0: without an end.

    What the work has done by then stays done.
    """
    if not seconds:
        return work(*arguments)
    watch = _Watch(seconds)
    try:
        watch.start()
        try:
            return work(*arguments)
        finally:
            watch.end()
    except _Struck:
        watch.end()  # which the exception may have held up
        raise OutOfTime(seconds) from None


def _raise(thread: int, error: type[BaseException] | None) -> None:
    """Let *error* come up in another *thread*, or what has not come up yet be forgotten."""
    raised = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


_serving = False  # whether this process is there for pieces of work only


def begin_serving() -> None:
    """From now on this process is a worker's."""
    global _serving
    _serving = True


def end_worker_after(seconds: float) -> None:
    """Let this process, if it is a worker's, end when it goes on for so many *seconds* of the
    processor and some more; 0: let it live."""
    if _serving:
        signal.setitimer(signal.ITIMER_PROF, seconds and seconds + GRACE)
