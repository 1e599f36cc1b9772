"""Work that is shared out: in this process, in several, or on the machines of a Dask cluster.

Whoever works is an Executor. Work is a function that turns one piece of data into another; what it
returns is the same whoever does it, and comes back in the order of the pieces.

Each process of ours has a pipe to itself, and is asked one thing at a time: one that is ended at
any moment holds up nobody. All processes of a ProcessPoolExecutor write into one pipe, whose reader
waits for ever when one of them is ended in the midst of a result.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Final, TypeVar

from ddcalc.boundary.timeout import OUT_OF_TIME, begin_serving
from ddcalc.errors import BadValue, OverLimit

K = TypeVar("K")
P = TypeVar("P")
R = TypeVar("R")

AHEAD: Final = 3  # batches a worker that are under way, or done and not yet taken
LARGEST: Final = 16  # pieces of a batch; the first ones are smaller, so that results come soon
PATIENCE: Final = 10  # seconds until a cluster answers
SAFE_PATH: Final = "PYTHONSAFEPATH"


class WorkerEnded(BrokenExecutor):
    """A worker came to its end in the midst of its work; its *exit code* says how, if known."""

    def __init__(self, exit_code: int | None = None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


@contextmanager
def open_executor(
    jobs: int, engine: str = "processes", address: str = ""
) -> Iterator[Executor | None]:
    """Whoever does *jobs* at once, None for this process alone. What is under way at the end is
    given up.

    The *engine* is ``processes`` or ``dask``: a cluster whose scheduler has the *address*, without
    one a cluster of *jobs* processes on this machine.
    """
    if jobs == 1 and engine != "dask":
        yield None
        return
    # to the end: workers that end begin once more
    with _apart(), _cluster(jobs, address) if engine == "dask" else _Processes(jobs) as executor:
        yield executor


def in_order(
    executor: Executor | None, work: Callable[[P], R], pieces: Iterable[tuple[K, P]]
) -> Iterator[tuple[K, R | WorkerEnded]]:
    """What *work* makes of each of the *pieces*, in their order; by this process without an
    *executor*. What stands before a piece stays here.

    The pieces are taken as they are needed. Those of a batch whose worker ended are tried by
    themselves; how the worker ended stands for the result of one that fails again.
    """
    if executor is None:
        yield from ((key, work(piece)) for key, piece in pieces)
        return

    def results(batch: Sequence[tuple[K, P]], future: Future[list[R]]) -> Iterator[R | WorkerEnded]:
        together = _result(future)
        if not isinstance(together, WorkerEnded):
            yield from together
            return
        for _, piece in batch:
            alone = _result(executor.submit(work, piece))
            if isinstance(alone, WorkerEnded) and alone.exit_code != OUT_OF_TIME:
                alone = _result(executor.submit(work, piece))
            yield alone

    most = AHEAD * getattr(executor, "jobs", 1) + 1
    coming, size = iter(pieces), 1
    under_way: deque[tuple[list[tuple[K, P]], Future[list[R]]]] = deque()
    while under_way or size:
        if batch := list(islice(coming, size)):
            sent = [piece for _, piece in batch]
            under_way.append((batch, executor.submit(_batch_done, work, sent)))
        size = min(size + 1, LARGEST) if batch else 0
        while under_way and (not size or len(under_way) >= most or under_way[0][1].done()):
            batch, future = under_way.popleft()
            yield from zip((key for key, _ in batch), results(batch, future), strict=True)


def _batch_done(work: Callable[[P], R], pieces: Sequence[P]) -> list[R]:
    return [work(piece) for piece in pieces]


def _result(future: Future[R]) -> R | WorkerEnded:
    try:
        return future.result()
    except WorkerEnded as ended:
        return ended
    except CancelledError:  # by a cluster that has lost its scheduler
        return WorkerEnded()
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # Dask has tried it several times
            raise
        return WorkerEnded()


# Processes of this machine


class _Processes(ThreadPoolExecutor):
    """*jobs* threads, each of which has its work done by a process of its own."""

    def __init__(self, jobs: int) -> None:
        # a signal is for the main thread, which ends the others; none of them hears of Ctrl-C
        numbers = {signal.SIGINT, signal.SIGTERM}
        super().__init__(jobs, "", signal.pthread_sigmask, (signal.SIG_BLOCK, numbers))
        with _startable():
            resource_tracker.ensure_running()  # in a thread it would let signals reach that
        self.jobs = jobs
        self._mine = threading.local()
        self._lock = threading.Lock()  # held while a process begins, or comes to its end
        self._present: set[BaseProcess] = set()
        self._ended = False

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, to come, of *work*; all of it must be such that it can be sent."""
        with _startable():
            return super().submit(self._done, work, arguments, named)

    def _done(self, *task: Any) -> Any:
        """What the process of this thread makes of a *task*; WorkerEnded where it ends."""
        process = getattr(self._mine, "process", None)
        if process is None or not process.is_alive():  # one that ended idle costs no task a try
            self._forget(process)
            with self._lock:
                if self._ended:
                    raise WorkerEnded
                context = get_context("spawn")
                with _startable():
                    self._mine.pipe, theirs = context.Pipe()
                    with theirs:
                        process = context.Process(target=_serve, args=(theirs,), daemon=True)
                        process.start()
                self._mine.process = process
                self._present.add(process)
        try:
            self._mine.pipe.send(task)
            result, error = self._mine.pipe.recv()
        except (EOFError, OSError):
            self._forget(process)
            raise WorkerEnded(process.exitcode) from None
        if error is not None:
            raise error
        return result

    def _forget(self, process: BaseProcess | None) -> None:
        """A *process* of this thread that has come to its end."""
        if process is not None:
            self._mine.pipe.close()
            process.join()
            self._mine.process = None
            with self._lock:
                self._present.discard(process)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End the processes, whatever they are doing."""
        with self._lock:
            self._ended = True
            present = [*self._present]
            for process in present:
                process.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)
        for process in present:
            process.join()


@contextmanager
def _startable() -> Iterator[None]:
    """That the machine cannot start a process or thread inside is OverLimit."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        says = getattr(error, "strerror", None) or error
        reason = f"no process can be started: {says}; fewer need less"
        raise OverLimit(reason).about("--jobs") from error


@contextmanager
def _apart() -> Iterator[None]:
    """Processes that begin inside import nothing from the current folder, as they would until they
    have the path of this one; nor do they run its main module once more: no work is from there,
    and a script without a guard would call everything again."""
    main, path = sys.modules["__main__"], os.environ.get(SAFE_PATH)
    sys.modules["__main__"] = ModuleType("__main__")
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        if path is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = path


def _serve(pipe: Connection[Any, Any]) -> None:
    """Do what comes through the *pipe* as long as there is somebody at its other end."""
    begin_serving()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    gc.set_threshold(100_000, 20, 20)  # imports make many objects, and all of them stay

    def end_with_parent() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            work, arguments, named = pipe.recv()
            result, failure = None, None
            try:
                result = work(*arguments, **named)
            except Exception as error:
                failure = error
            pipe.send((result, failure))


# A cluster


@contextmanager
def _cluster(jobs: int, address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster: of the scheduler at *address*, or *jobs* of our own."""
    try:
        import distributed
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        needs = "needs the extra dask: python3 -m pip install 'ddcalc[dask]'"
        raise BadValue("dask", needs).about("--engine") from None
    logging.disable(logging.CRITICAL)  # what its loggers say of workers that end
    with ExitStack() as stack, warnings.catch_warnings():
        stack.callback(logging.disable, logging.NOTSET)
        warnings.simplefilter("ignore")
        try:
            place: Any = address
            if address:  # Dask would wait for somebody where nobody listens
                socket.create_connection(get_address_host_port(address), PATIENCE).close()
            else:
                place = distributed.LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
                stack.enter_context(place)
            client = stack.enter_context(distributed.Client(place, timeout=PATIENCE))
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, OverflowError, ValueError) as error:
            reason = f"is not the address of a Dask scheduler with workers: {error}"
            raise BadValue(address or "dask", reason).about("--address") from None
        yield _Cluster(client, address)


class _Cluster(Executor):
    """The workers that a *client* of Dask knows."""

    def __init__(self, client: Any, address: str) -> None:
        self._executor = client.get_executor(pure=False)
        self.jobs = sum(client.nthreads().values())
        here = version("ddcalc")
        for worker, there in client.run(version, "ddcalc", on_error="return").items():
            if there != here:
                says = "has no ddcalc" if isinstance(there, Exception) else f"has ddcalc {there}"
                reason = f"has a worker, {worker}, that {says}; here is {here}"
                raise BadValue(address or "dask", reason).about("--address")

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, to come, of *work*."""
        try:
            sent: Future[Any] = self._executor.submit(_alone, work, arguments, named)
        except RuntimeError:  # the client has lost its scheduler
            sent = Future()
            sent.set_exception(WorkerEnded())
        return sent


_turn = threading.Lock()  # libraries keep settings for a whole process


def _alone(work: Callable[..., Any], arguments: Any, named: Mapping[str, Any]) -> Any:
    """Do *work* while no other thread of this process works."""
    with _turn:
        return work(*arguments, **named)
