"""The runs of an experiment, in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process

from ddcalc.errors import OverLimit
from ddcalc.experiment.contender import Contender
from ddcalc.experiment.data import Data
from ddcalc.experiment.setting import Setting
from ddcalc.experiment.training import Run, Training

Job = tuple[Contender, int]
_own: list[tuple[Setting, Data]] = []  # of this process, if it was started for runs


def trained(
    setting: Setting, data: Data, jobs: Iterable[Job], processes: int
) -> Generator[tuple[Job, Run], None, None]:
    """Each of the *jobs* (a contender and a seed) with its run, as they are done.

    With several *processes* the runs are the same: each depends on its seed alone.
    """
    waiting = list(jobs)
    if processes == 1 or len(waiting) < 2:
        for contender, seed in waiting:
            yield (contender, seed), Training(setting, data, contender, seed).train()
        return
    pool = ProcessPoolExecutor(
        min(processes, len(waiting)), get_context("spawn"), _begin, (setting, data)
    )
    try:
        yield from _done(pool, waiting)
    except BrokenProcessPool:
        told = "a process that trains was ended from outside; finished runs are kept in --state"
        raise OverLimit(f"{told}, and --jobs 1 needs less memory").about("--jobs") from None
    except BaseException:  # the caller has had enough, or was interrupted: nothing is waited for
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.terminate()
        raise
    pool.shutdown()


def _done(pool: Executor, jobs: list[Job]) -> Iterator[tuple[Job, Run]]:
    futures: dict[Future[Run], Job] = {pool.submit(_train, job): job for job in jobs}
    for future in as_completed(futures):
        yield futures[future], future.result()


def _begin(setting: Setting, data: Data) -> None:
    """Prepare a process for runs: Ctrl-C is the caller's, without whom it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_caller, daemon=True).start()
    _own.append((setting, data))


def _end_with_caller() -> None:
    caller = parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)


def _train(job: Job) -> Run:
    setting, data = _own[-1]
    return Training(setting, data, *job).train()
