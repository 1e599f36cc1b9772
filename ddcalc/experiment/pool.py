"""The runs of an experiment, in this process or in several.

Each process has a pipe of its own and one job at a time: no lock is shared, so that one that is
ended at any moment holds up nobody (a ProcessPoolExecutor waits for ever now and then).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from ddcalc.errors import DdcalcError, OverLimit
from ddcalc.experiment.contender import Contender
from ddcalc.experiment.data import Data
from ddcalc.experiment.setting import Setting
from ddcalc.experiment.training import Run, Training

Job = tuple[Contender, int]


def trained(
    setting: Setting, data: Data, jobs: Iterable[Job], processes: int
) -> Generator[tuple[Job, Run], None, None]:
    """Each of the *jobs* (a contender and a seed) with its run, as they are done.

    With several *processes* the runs are the same: each depends on its seed alone. Raises OverLimit
    where a process was ended from outside. Close the generator to end the processes.
    """
    waiting = list(jobs)
    if processes == 1 or len(waiting) < 2:
        for contender, seed in waiting:
            yield (contender, seed), Training(setting, data, contender, seed).train()
        return
    crew = [_Worker(setting, data) for _ in range(min(processes, len(waiting)))]
    try:
        yield from _shared(crew, waiting)
    finally:
        for worker in crew:
            worker.end()


def _shared(crew: list[_Worker], jobs: list[Job]) -> Iterator[tuple[Job, Run]]:
    """Give the *jobs* in turn to whoever of the *crew* is free."""
    busy = {worker.pipe: (worker, job) for worker, job in zip(crew, jobs, strict=False)}
    left = iter(jobs[len(crew) :])
    for worker, job in busy.values():
        worker.give(job)
    while busy:
        for pipe in wait(list(busy)):
            assert isinstance(pipe, Connection)
            worker, job = busy.pop(pipe)
            run = worker.run()
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

    def run(self) -> Run:
        """The run of the job that it was given last."""
        try:
            found = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise _ended() from None
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Run)
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
        contender, seed = pipe.recv()
        try:
            pipe.send(Training(setting, data, contender, seed).train())
        except Exception as error:
            pipe.send(error)


def _end_with_caller() -> None:
    caller = parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)
