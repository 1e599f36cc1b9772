"""The runs of an experiment, in this process or in several.

Each process has a pipe of its own and one job at a time: no lock is shared, so that one that is
ended at any moment holds up nobody (a ProcessPoolExecutor waits for ever now and then).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from ddcalc.errors import DdcalcError, OverLimit
from ddcalc.experiment.contender import Contender
from ddcalc.experiment.data import Data
from ddcalc.experiment.setting import Setting
from ddcalc.experiment.training import Run, Training

Job = tuple[Contender, int]
Heard = Callable[[Job, float], None]  # is called with the share of a run that is done
PAUSE = 0.5  # seconds between two tidings of another process


def trained(
    setting: Setting, data: Data, jobs: Iterable[Job], processes: int, heard: Heard
) -> Generator[tuple[Job, Run], None, None]:
    """Each of the *jobs* (a contender and a seed) with its run, as they are done.

    With several *processes* the runs are the same: each depends on its seed alone. *heard* is told
    how far each is. Raises OverLimit
    where a process was ended from outside. Close the generator to end the processes.
    """
    waiting = list(jobs)
    if processes == 1 or len(waiting) < 2:
        for job in waiting:
            yield job, Training(setting, data, *job).train(partial(heard, job))
        return
    crew = [_Worker(setting, data) for _ in range(min(processes, len(waiting)))]
    try:
        yield from _shared(crew, waiting, heard)
    finally:
        for worker in crew:
            worker.end()


def _shared(crew: list[_Worker], jobs: list[Job], heard: Heard) -> Iterator[tuple[Job, Run]]:
    """Give the *jobs* in turn to whoever of the *crew* is free."""
    busy = {worker.pipe: (worker, job) for worker, job in zip(crew, jobs, strict=False)}
    left = iter(jobs[len(crew) :])
    for worker, job in busy.values():
        worker.give(job)
    while busy:
        for pipe in wait(list(busy)):
            assert isinstance(pipe, Connection)
            worker, job = busy[pipe]
            run = worker.told()
            if isinstance(run, float):
                heard(job, run)
                continue
            del busy[pipe]
            if (following := next(left, None)) is not None:
                worker.give(following)
                busy[pipe] = worker, following
            yield job, run


class _Worker:
    """A process that trains, and the pipe to it."""

    def __init__(self, setting: Setting, data: Data) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, setting, data), daemon=True)
        # Ctrl-C reaches all processes of a terminal; it is the caller's alone
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def give(self, job: Job) -> None:
        """Let it train, when it is free."""
        try:
            self.pipe.send(job)
        except ConnectionError:
            raise _ended() from None

    def told(self) -> Run | float:
        """The run of the job that it was given last, or the share of it that is done."""
        try:
            found = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise _ended() from None
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Run | float)
        return found

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _ended() -> DdcalcError:
    told = "a process that trains was ended from outside; finished runs are kept in --state"
    return OverLimit(f"{told}, and fewer --jobs need less memory").about("--jobs")


def _serve(pipe: Connection[Any, Any], setting: Setting, data: Data) -> None:
    """Train what comes through the *pipe* as long as there is a caller."""
    threading.Thread(target=_end_with_caller, daemon=True).start()
    while True:
        job = pipe.recv()
        try:
            pipe.send(Training(setting, data, *job).train(_Sender(pipe)))
        except Exception as error:
            pipe.send(error)


class _Sender:
    """Sends the share that is done, now and then."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe, self._next = pipe, monotonic() + PAUSE

    def __call__(self, share: float) -> None:
        now = monotonic()
        if now >= self._next:
            self._next = now + PAUSE
            self._pipe.send(share)


def _end_with_caller() -> None:
    caller = parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)
