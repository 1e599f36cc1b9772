"""Work that is shared out: in this process, in several, or on the machines of a Dask cluster.

Whoever works is an Executor. Work is a function of a module that turns one piece of data into
another; what it returns is the same whoever does it, and comes back in the order of the pieces.

Each process of ours has a pipe to a thread here and one piece at a time. They share no lock, so
that one that is ended at any moment holds up nobody; a ProcessPoolExecutor waits for ever now and
then, and is of no more use when one of its processes was ended.
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
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from time import monotonic
from types import ModuleType
from typing import Any, Final, Generic, TypeVar

from ddcalc.boundary.timeout import OUT_OF_TIME, begin_serving
from ddcalc.errors import BadValue, DdcalcError, OverLimit

P = TypeVar("P")
R = TypeVar("R")

AHEAD: Final = 3  # pieces a worker that are under way, or done and not yet taken
PATIENCE: Final = 10  # seconds until a cluster answers
PAUSE: Final = 0.5  # seconds between two reports on a piece
SAFE_PATH: Final = "PYTHONSAFEPATH"
SPARE: Final = 8  # files that this process can open beside its workers


class WorkerEnded(BrokenExecutor):
    """A worker came to its end in the middle of a piece; its *exit code* says how."""

    def __init__(self, exit_code: int | None = None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Lost(Generic[P]):
    """Stands for the result of a *piece* on which a worker ended twice, or because it took too
    long; the last time with *exit_code*, where that is known."""

    piece: P
    exit_code: int | None = None


class Crew(Executor):
    """An executor that knows how many *jobs* it does at once."""

    jobs: int


@contextmanager
def open_executor(
    jobs: int, engine: str = "processes", address: str = ""
) -> Iterator[Executor | None]:
    """Whoever does *jobs* at once, None where that is this process alone.

    The *engine* is ``processes`` or ``dask``: a cluster whose scheduler has the *address*, without
    one a cluster of *jobs* processes on this machine. What is under way at the end is given up.
    """
    if engine == "dask":
        with _cluster(jobs, address) as cluster:
            yield cluster
    elif jobs == 1:
        yield None
    else:
        crew = Processes(jobs)
        try:
            yield crew
        finally:
            crew.end()


def in_order(
    executor: Executor | None,
    work: Callable[[P], R],
    pieces: Iterable[P],
    here: Callable[[P], bool] = lambda piece: False,
) -> Iterator[R | Lost[P]]:
    """What *work* makes of each of the *pieces*, in their order.

    The pieces are taken as they are needed. One whose worker ended is tried once more, unless it
    took too long; ``Lost`` stands for the result of one that fails again. What is to be done *here*
    is done in this process when its turn comes.
    """
    if executor is None:
        yield from map(work, pieces)
        return
    most = AHEAD * getattr(executor, "jobs", 1) + 1
    under_way: deque[tuple[P, Future[R] | None]] = deque()

    def next_result() -> R | Lost[P]:
        piece, future = under_way.popleft()
        if future is None:
            return work(piece)
        return _result(executor, work, piece, future)

    for piece in pieces:
        under_way.append((piece, None if here(piece) else executor.submit(work, piece)))
        while under_way and (len(under_way) >= most or _is_done(under_way[0][1])):
            yield next_result()
    while under_way:
        yield next_result()


def as_done(
    executor: Executor | None,
    work: Callable[[P], R],
    pieces: Iterable[P],
    reported: Callable[[P, Any], None] = lambda piece, report: None,
) -> Iterator[tuple[P, R | Lost[P]]]:
    """Each of the *pieces* and what *work* makes of it, as they are done, otherwise ``in_order``.

    What the work reports on a piece meanwhile is *reported*.
    """
    if executor is None:
        for piece in pieces:
            with _reporting(partial(reported, piece)):
                result: R | Lost[P] = work(piece)
            yield piece, result
        return
    waiting = iter(pieces)
    under_way: dict[Future[R], P] = {}
    while True:
        for piece in islice(waiting, getattr(executor, "jobs", 1) - len(under_way)):
            under_way[executor.submit(work, piece)] = piece
        if not under_way:
            return
        done, _ = wait(under_way, PAUSE, FIRST_COMPLETED)
        for future, piece in [*under_way.items()]:
            if future in done:
                del under_way[future]
                result = _result(executor, work, piece, future)
                yield piece, result
            elif (report := getattr(future, "report", None)) is not None:
                reported(piece, report)


def _is_done(future: Future[R] | None) -> bool:
    return future is None or future.done()


def _result(executor: Executor, work: Callable[[P], R], piece: P, future: Future[R]) -> R | Lost[P]:
    try:
        return future.result()
    except WorkerEnded as ended:
        if ended.exit_code == OUT_OF_TIME:  # and would once more
            return Lost(piece, ended.exit_code)
    try:
        return executor.submit(work, piece).result()
    except WorkerEnded as ended:
        return Lost(piece, ended.exit_code)


_report: Callable[[Any], None] | None = None


def report(value: Any) -> None:
    """Let whoever waits for the piece that is worked on here know how far it is."""
    if _report is not None:
        _report(value)


@contextmanager
def _reporting(to: Callable[[Any], None]) -> Iterator[None]:
    global _report
    before, _report = _report, to
    try:
        yield
    finally:
        _report = before


@contextmanager
def _cluster(jobs: int, address: str) -> Iterator[Crew]:
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
            stack.enter_context(_safe_path())  # to the end: workers that end begin once more
            with _main_left_alone():
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


class _Cluster(Crew):
    """The workers that a *client* of Dask knows."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self.jobs = sum(client.nthreads().values())
        from importlib.metadata import version

        self._version = here = version("ddcalc")
        for worker, there in client.run(version, "ddcalc", on_error="return").items():
            if there != here:
                says = "has no ddcalc" if isinstance(there, Exception) else f"has ddcalc {there}"
                reason = f"has a worker, {worker}, that {says}; here is {here}"
                raise BadValue(address or "dask", reason).about("--address")

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, to come, of *work*, a function of a module; all else is plain data."""
        future: Future[Any] = Future()
        try:
            named_work = partial(work, **named)
            sent = self._executor.submit(_on_cluster, self._version, named_work, arguments)
        except RuntimeError:  # the client has lost its scheduler
            future.set_exception(WorkerEnded())
            return future
        sent.add_done_callback(partial(_passed_on, future))
        return future


def _passed_on(future: Future[Any], sent: Future[Any]) -> None:
    """Give *future* the result of what was *sent* to a cluster."""
    error = CancelledError() if sent.cancelled() else sent.exception()
    if error is None:
        future.set_result(sent.result())
    elif isinstance(error, CancelledError) or type(error).__name__ == "KilledWorker":
        future.set_exception(WorkerEnded())  # Dask has tried it several times
    else:
        future.set_exception(error)


_turn = threading.Lock()  # libraries keep settings for a whole process


def _on_cluster(wanted: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Do *work* on a worker of a cluster, which must have the *wanted* version of ddcalc."""
    from importlib.metadata import version

    if version("ddcalc") != wanted:
        reason = f"a worker that came later has ddcalc {version('ddcalc')}; {wanted} is wanted"
        raise OverLimit(reason)
    with _turn:
        return work(*arguments)


class _Task(Future[Any]):
    """Work to be done, and the last report on it."""

    def __init__(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        super().__init__()
        self.work, self.arguments = work, arguments
        self.report: Any = None


class Processes(Crew):
    """*jobs* processes of this machine, begun when there is something to do; as many of them as
    the machine can have. Where it can have none a task fails with OverLimit."""

    def __init__(self, jobs: int) -> None:
        with _startable(), _safe_path():
            resource_tracker.ensure_running()  # by itself it would begin in the midst of a worker
        self.jobs = jobs
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()  # held while one of the workers leaves
        self._present = 0

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, to come, of *work*; all of it must be such that it can be sent."""
        if len(self._workers) < self.jobs:
            self._hire()
        task = _Task(partial(work, **named) if named else work, arguments)
        self._tasks.put(task)
        return task

    def _hire(self) -> None:
        """Have one more worker, if there can be one."""
        with _uninterrupted(), self._lock, _startable():
            try:
                self._workers.append(_Worker(self._tasks, self._may_leave))
            except OSError:
                if not self._present:
                    raise
                self.jobs = len(self._workers)
            else:
                self._present += 1

    def _may_leave(self) -> bool:
        """Whether a worker that cannot work may leave its task to others."""
        with self._lock:
            if self._present < 2:
                return False
            self._present -= 1
            return True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when everything is done, or what has begun."""
        while cancel_futures and not self._tasks.empty():
            if (task := self._tasks.get()) is not None:
                task.cancel()
        for _ in self._workers:
            self._tasks.put(None)
        for worker in self._workers if wait else ():
            worker.join()

    def end(self) -> None:
        """End the processes, whatever they are doing."""
        for worker in self._workers:
            worker.end()
        self.shutdown(cancel_futures=True)


@contextmanager
def _startable() -> Iterator[None]:
    """That the machine cannot start a process inside is OverLimit."""
    try:
        yield
    except OSError as error:
        reason = f"no process can be started: {error.strerror or error}; fewer need less"
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
def _spare_files() -> Iterator[None]:
    """OSError where what is begun inside would leave this process few files to open."""
    with ExitStack() as stack:
        for _ in range(SPARE):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        yield


_starting = threading.Lock()


@contextmanager
def _main_left_alone() -> Iterator[None]:
    """Processes that begin inside do not run this one's main module once more: no work is from
    there, and a script without a guard would call everything again."""
    with _starting:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


class _SafePath:
    """PYTHONSAFEPATH in the environment of this process: set while somebody needs it."""

    def __init__(self) -> None:
        self._lock, self._needs = threading.Lock(), 0
        self._was: str | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Interpreters that begin inside import nothing from the current folder; by themselves they
        would, until they have the path of this one."""
        with self._lock:
            if not self._needs:
                self._was = os.environ.get(SAFE_PATH)
                os.environ[SAFE_PATH] = "1"
            self._needs += 1
        try:
            yield
        finally:
            with self._lock:
                self._needs -= 1
                if not self._needs and self._was is None:
                    os.environ.pop(SAFE_PATH, None)
                elif not self._needs:
                    os.environ[SAFE_PATH] = self._was or ""


_safe_path: Final = _SafePath()


class _Worker(threading.Thread):
    """The thread that passes tasks to one process after the other, and their results back."""

    def __init__(self, tasks: SimpleQueue[_Task | None], may_leave: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self._tasks, self._may_leave = tasks, may_leave
        self._lock = threading.Lock()  # held while a process begins or is ended
        self._ended = False
        self._process: BaseProcess | None = None
        self._pipe: Connection[Any, Any] | None = None
        self._known: object = None  # the work that the process was sent last
        try:
            self.start()
        except RuntimeError as error:
            raise OSError(str(error)) from error

    def run(self) -> None:
        """Do tasks until there are no more, or there can be no process for them."""
        while (task := self._tasks.get()) is not None:
            failure: Exception | None = None
            try:
                with _startable():
                    self._begin()
            except OverLimit as error:
                failure = error
                if self._may_leave():
                    self._tasks.put(task)
                    break
            if not task.set_running_or_notify_cancel():
                continue
            if failure is None:
                self._do(task)
            else:
                task.set_exception(failure)
        self.end()
        self._leave()

    def end(self) -> None:
        """End the process for good, whatever it is doing."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def _do(self, task: _Task) -> None:
        pipe = self._pipe
        try:
            if pipe is None:
                raise EOFError
            pipe.send((None if task.work is self._known else task.work, task.arguments))
            self._known = task.work
            while True:
                is_result, value = pipe.recv()
                if is_result:
                    break
                task.report = value
        except (EOFError, OSError):
            task.set_exception(WorkerEnded(self._leave()))
        except Exception as error:  # it cannot be sent
            task.set_exception(error)
        else:
            if isinstance(value, BaseException):
                task.set_exception(value)
            else:
                task.set_result(value)

    def _begin(self) -> None:
        """Let the process begin where there is none, unless all of them are to end; one at a time,
        as each needs more files at first."""
        with self._lock:
            if self._ended or self._pipe is not None:
                return
            context = get_context("spawn")
            with _main_left_alone(), _safe_path(), _spare_files():
                ours, theirs = context.Pipe()
                try:
                    process = context.Process(target=_serve, args=(theirs,), daemon=True)
                    process.start()
                except OSError:
                    ours.close()
                    raise
                finally:
                    theirs.close()
            self._process, self._pipe = process, ours

    def _leave(self) -> int | None:
        """The exit code of the process, which has ended or does so."""
        with self._lock:
            process, pipe = self._process, self._pipe
            self._process = self._pipe = self._known = None
        if pipe is not None:
            pipe.close()
        if process is None:
            return None
        process.join()
        return process.exitcode


def _serve(pipe: Connection[Any, Any]) -> None:
    """Do what comes through the *pipe* as long as there is somebody at its other end."""
    begin_serving()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    gc.set_threshold(100_000, 20, 20)  # imports make many objects, and all of them stay
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work: Callable[..., Any] | None = None
    with _reporting(_Sender(pipe)):
        while True:
            try:
                following, arguments = pipe.recv()
            except (EOFError, OSError):
                return
            work = following or work
            assert work is not None
            try:
                pipe.send((True, work(*arguments)))
            except OSError:
                return
            except Exception as error:
                pipe.send((True, error))


class _Sender:
    """Sends reports through a *pipe*, now and then."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe, self._next = pipe, monotonic() + PAUSE

    def __call__(self, value: Any) -> None:
        now = monotonic()
        if now >= self._next:
            self._next = now + PAUSE
            self._pipe.send((False, value))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
