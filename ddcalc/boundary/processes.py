"""Work that is shared out: in this process, in several, or on the machines of a Dask cluster.

Whoever works is an Executor. Work is a function of a module that turns one piece of data into
another; what it returns is the same whoever does it, and comes back in the order of the pieces.

Each process of ours has a pipe to itself, and one piece at a time: one that is ended at any moment
holds up nobody. All processes of a ProcessPoolExecutor write into one pipe, whose reader waits for
ever when one of them is ended in the midst of a result.
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
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar

from ddcalc.boundary.timeout import OUT_OF_TIME, begin_serving
from ddcalc.errors import BadValue, DdcalcError, OverLimit

P = TypeVar("P")
R = TypeVar("R")

AHEAD: Final = 3  # pieces a worker that are under way, or done and not yet taken
PATIENCE: Final = 10  # seconds until a cluster answers
SAFE_PATH: Final = "PYTHONSAFEPATH"
SPARE: Final = 8  # files that this process can open beside its workers


class WorkerEnded(BrokenExecutor):
    """A worker came to its end in the middle of a piece; its *exit code* says how, if known."""

    def __init__(self, exit_code: int | None = None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


@contextmanager
def open_executor(jobs: int, engine: str = "processes", address: str = "") -> Iterator[Executor]:
    """Whoever does *jobs* at once. What is under way at the end is given up.

    The *engine* is ``processes`` or ``dask``: a cluster whose scheduler has the *address*, without
    one a cluster of *jobs* processes on this machine.
    """
    if engine == "dask":
        with _cluster(jobs, address) as cluster:
            yield cluster
        return
    processes = Processes(jobs)
    try:
        yield processes
    finally:
        processes.end()


def in_order(
    executor: Executor | None, work: Callable[[P], R], pieces: Iterable[P | None]
) -> Iterator[R | WorkerEnded | None]:
    """What *work* makes of each of the *pieces*, in their order; by this process without an
    *executor*. None among them keeps its place.

    The pieces are taken as they are needed. One whose worker ended is tried once more, unless it
    took too long; how the worker ended stands for the result of one that fails again.
    """
    if executor is None:
        yield from (None if piece is None else work(piece) for piece in pieces)
        return
    most = AHEAD * getattr(executor, "jobs", 1) + 1
    under_way: deque[tuple[P | None, Future[R] | None]] = deque()

    def next_result() -> R | WorkerEnded | None:
        piece, future = under_way.popleft()
        if piece is None or future is None:
            return None
        result = _result(future)
        if isinstance(result, WorkerEnded) and result.exit_code != OUT_OF_TIME:
            return _result(executor.submit(work, piece))
        return result

    for piece in pieces:
        under_way.append((piece, None if piece is None else executor.submit(work, piece)))
        while under_way and (len(under_way) >= most or _is_done(under_way[0][1])):
            yield next_result()
    while under_way:
        yield next_result()


def _is_done(future: Future[R] | None) -> bool:
    return future is None or future.done()


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


class _Worker(NamedTuple):
    """A process that works, and this end of the pipe to it."""

    process: BaseProcess
    pipe: Connection[Any, Any]


class Processes(ThreadPoolExecutor):
    """*jobs* threads, each of which has its work done by a process of this machine: as many of them
    as it can have. Where it can have none, the work fails with OverLimit."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        with _startable(), _apart():
            resource_tracker.ensure_running()  # by itself it would begin in the midst of a worker
        self.jobs = jobs
        self._free: SimpleQueue[_Worker | None] = SimpleQueue()  # None: one that may be begun
        for _ in range(jobs):
            self._free.put(None)
        self._lock = threading.Lock()  # held while a process begins, or comes to its end
        self._present: set[_Worker] = set()
        self._ended = False

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, to come, of *work*; all of it must be such that it can be sent."""
        with _uninterrupted(), _startable():
            return super().submit(self._done, work, arguments, named)

    def _done(self, *task: Any) -> Any:
        """What a process makes of a *task*."""
        worker = self._taken()
        left: _Worker | None = worker
        try:
            worker.pipe.send(task)
            result, error = worker.pipe.recv()
        except (EOFError, OSError):
            left = None
            raise WorkerEnded(self._exit_code(worker)) from None
        finally:
            self._free.put(left)
        if error is not None:
            raise error
        return result

    def _taken(self) -> _Worker:
        """A free process, or a new one; where none can begin, one that others have now."""
        while (worker := self._free.get()) is None:
            with self._lock:
                try:
                    if self._ended:
                        raise WorkerEnded
                    with _startable():
                        worker = _begun()
                except (WorkerEnded, OverLimit):
                    if self._ended or not self._present:
                        self._free.put(None)
                        raise
                    continue
                self._present.add(worker)
                break
        return worker

    def _exit_code(self, worker: _Worker) -> int | None:
        """How a *worker* ended, or does so now."""
        with self._lock:
            self._present.discard(worker)
        worker.pipe.close()
        worker.process.join()
        return worker.process.exitcode

    def end(self) -> None:
        """End the processes, whatever they are doing."""
        with _uninterrupted(), self._lock:
            self._ended = True
            for worker in self._present:
                worker.process.kill()
        self.shutdown(cancel_futures=True)
        for worker in [*self._present]:
            self._exit_code(worker)


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
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits; threads and processes that begin inside never hear of it.

    A terminal's Ctrl-C reaches all processes: it is this one's to end the others.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


def _begun() -> _Worker:
    """A process that waits for work; OSError where there can be none, or where it would leave this
    one few files to open."""
    context = get_context("spawn")
    with _apart(), ExitStack() as stack:
        for _ in range(SPARE):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        ours, theirs = context.Pipe()
        stack.callback(theirs.close)
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            process.start()
        except OSError:
            ours.close()
            raise
    return _Worker(process, ours)


def _serve(pipe: Connection[Any, Any]) -> None:
    """Do what comes through the *pipe* as long as there is somebody at its other end."""
    begin_serving()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    gc.set_threshold(100_000, 20, 20)  # imports make many objects, and all of them stay
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            work, arguments, named = pipe.recv()
            result, failure = None, None
            try:
                result = work(*arguments, **named)
            except Exception as error:
                failure = error
            pipe.send((result, failure))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _cluster(jobs: int, address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster: of the scheduler at *address*, or *jobs* of our own."""
    try:
        import distributed
    except ImportError:
        needs = "needs the extra dask: python3 -m pip install 'ddcalc[dask]'"
        raise BadValue("dask", needs).about("--engine") from None
    logging.disable(logging.CRITICAL)  # what its loggers say of workers that end
    with ExitStack() as stack, warnings.catch_warnings():
        stack.callback(logging.disable, logging.NOTSET)
        warnings.simplefilter("ignore")
        place: Any = address
        if address:
            _check_listens(address)
        else:
            stack.enter_context(_apart())  # to the end: workers that end begin once more
            place = distributed.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(place)
        try:
            client = stack.enter_context(distributed.Client(place, timeout=PATIENCE))
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            raise _no_cluster(address, error) from None
        yield _Cluster(client, address)


def _check_listens(address: str) -> None:
    """Refuse an *address* where nobody listens; Dask would wait for somebody."""
    from distributed.comm.addressing import get_address_host_port

    try:
        socket.create_connection(get_address_host_port(address), PATIENCE).close()
    except (OSError, OverflowError, ValueError) as error:
        raise _no_cluster(address, error) from None


def _no_cluster(address: str, error: Exception) -> DdcalcError:
    reason = f"is not the address of a Dask scheduler with workers: {error}"
    return BadValue(address or "dask", reason).about("--address")


class _Cluster(Executor):
    """The workers that a *client* of Dask knows."""

    def __init__(self, client: Any, address: str) -> None:
        self._executor = client.get_executor(pure=False)
        self.jobs = sum(client.nthreads().values())
        self._version = here = version("ddcalc")
        for worker, there in client.run(version, "ddcalc", on_error="return").items():
            if there != here:
                says = "has no ddcalc" if isinstance(there, Exception) else f"has ddcalc {there}"
                reason = f"has a worker, {worker}, that {says}; here is {here}"
                raise BadValue(address or "dask", reason).about("--address")

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, to come, of *work*, a function of a module; all else is plain data."""
        task = self._version, work, arguments, named
        try:
            sent: Future[Any] = self._executor.submit(_on_cluster, *task)
        except RuntimeError:  # the client has lost its scheduler
            sent = Future()
            sent.set_exception(WorkerEnded())
        return sent


_turn = threading.Lock()  # libraries keep settings for a whole process


def _on_cluster(
    wanted: str, work: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Do *work* on a worker of a cluster, which must have the *wanted* version of ddcalc."""
    if (here := version("ddcalc")) != wanted:
        raise OverLimit(f"a worker that came later has ddcalc {here}; {wanted} is wanted")
    with _turn:
        return work(*arguments, **named)
