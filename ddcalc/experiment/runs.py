"""The runs of an experiment: made in this process or in several, and kept in a file.

Each process has a pipe to the caller and one job at a time: no lock is shared, so that one that is
ended at any moment holds up nobody (a ProcessPoolExecutor waits for ever now and then). Finished
runs are a line each in a file, so that no run is made twice. A run is recognised by all that it
depends on; other runs in the file stay: an experiment may be widened by schemes, seeds and targets
without a run being repeated.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import asdict, astuple, fields
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from os.path import lexists
from time import monotonic
from typing import Any, NoReturn

from ddcalc.boundary import files
from ddcalc.boundary.source import Source, numbered
from ddcalc.errors import BadFile, DdcalcError, OverLimit, Place
from ddcalc.experiment.samples import Data
from ddcalc.experiment.setting import READ, Contender, Setting
from ddcalc.experiment.training import Measurement, Run, Training
from ddcalc.numbers.number import spelt

Job = tuple[Contender, int]
Progress = Callable[[Job, float], None]  # is called with the share of a run that is done
PAUSE = 0.5  # seconds between two reports of another process


def trained(
    setting: Setting, data: Data, jobs: Iterable[Job], processes: int, progress: Progress
) -> Generator[tuple[Job, Run], None, None]:
    """Each of the *jobs* (a contender and a seed) with its run, as they are done.

    With several *processes* the runs are the same: each depends on its seed alone. *progress* is
    called with how far each is. Raises OverLimit where a process was ended from outside. Close the
    generator to end the processes.
    """
    waiting = list(jobs)
    if processes == 1 or len(waiting) < 2:
        for job in waiting:
            yield job, Training(setting, data, *job).train(partial(progress, job))
        return
    crew = [_Worker(setting, data) for _ in range(min(processes, len(waiting)))]
    try:
        yield from _shared(crew, waiting, progress)
    finally:
        for worker in crew:
            worker.end()


def _shared(crew: list[_Worker], jobs: list[Job], progress: Progress) -> Iterator[tuple[Job, Run]]:
    """Give the *jobs* in turn to whoever of the *crew* is free."""
    busy = {worker.pipe: (worker, job) for worker, job in zip(crew, jobs, strict=False)}
    left = iter(jobs[len(crew) :])
    for worker, job in busy.values():
        worker.give(job)
    while busy:
        for pipe in wait(list(busy)):
            assert isinstance(pipe, Connection)
            worker, job = busy[pipe]
            run = worker.answer()
            if isinstance(run, float):
                progress(job, run)
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

    def answer(self) -> Run | float:
        """The run of the job that it was given last, or the share of it that is done."""
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise _ended() from None
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Run | float)
        return answer

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _ended() -> DdcalcError:
    reason = "a process that trains was ended from outside; finished runs are kept in --state"
    return OverLimit(f"{reason}, and fewer --jobs need less memory").about("--jobs")


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


FORM = 1  # of the lines; counts up when they, or the numbers in them, mean something else
APART = ("target", "seeds", "seed", "step_size")  # stated elsewhere in the line, or of no effect
KEY = ("form", "setting", "scheme", "step", "seed")


class Kept:
    """The finished runs of *setting* on *data*, and those that the file *name* holds besides."""

    def __init__(self, setting: Setting, data: Data, name: str | None) -> None:
        self._name = name
        self._setting = setting
        self._stated = _stated(setting, data)
        self._lines: dict[str, dict[str, Any]] = {}
        if name is not None and lexists(name):
            self._lines = {_key(line): line for line in _read(name)}
        elif name is not None:
            files.check(name)

    def get(self, contender: Contender, seed: int) -> Run | None:
        """The finished run of *contender* from that *seed*, if there is one."""
        line = self._lines.get(_key(self._line(contender, seed)))
        return None if line is None else _run(line)

    def add(self, contender: Contender, seed: int, run: Run) -> None:
        """Keep a finished *run*; OutputFailed where the file cannot be written."""
        line = self._line(contender, seed)
        counts = {name: value for name, value in asdict(run).items() if name != "points"}
        line |= counts | {"points": [astuple(point) for point in run.points]}
        self._lines[_key(line)] = line
        if self._name is not None:
            text = "".join(f"{_dumped(line)}\n" for line in self._lines.values())
            files.write(self._name, text, force=True)

    def _line(self, contender: Contender, seed: int) -> dict[str, Any]:
        step = spelt(self._setting.step(contender))
        run = {"form": FORM, "setting": self._stated, "scheme": contender.key}
        return {**run, "step": step, "seed": seed}


def _stated(setting: Setting, data: Data) -> dict[str, Any]:
    """All that a run of *setting* depends on but its scheme, its step size and its seed."""
    stated: dict[str, Any] = {}
    for name, value in setting.given.items():
        if name not in APART:
            several = value if isinstance(value, tuple) else (value,)
            stated[name] = " ".join(map(spelt, several))
    stated["interval"] = str(setting.interval(data))
    if setting.given.get("download"):
        stated["read"] = READ  # runs with a download and no such word read what was not yet sent
    if setting.model != "dense":
        stated["model"] = [setting.model, *(data.image or ())]
    return {**stated, **setting.reading, "hidden": list(setting.hidden), "data": data.mark}


def _key(line: dict[str, Any]) -> str:
    return _dumped({name: line[name] for name in KEY})


def _dumped(line: dict[str, Any]) -> str:
    return json.dumps(line, allow_nan=False, sort_keys=True)


def _read(name: str) -> Iterator[dict[str, Any]]:
    """The lines of the file *name*; BadFile where one is not as they are written here."""
    for number, text in numbered(Source(name).chunks()):
        try:
            line = json.loads(text or "", parse_constant=_refused)
            _key(line)
            _run(line)
        except (ValueError, TypeError, KeyError, RecursionError):
            reason = "is no finished run; name a file that an experiment has made, or a new one"
            raise BadFile(reason, Place(files.shown(name), number)) from None
        yield line


def _run(line: dict[str, Any]) -> Run:
    """The run of a *line*; ValueError, TypeError or KeyError where it is none."""
    points = [Measurement(*map(_number, values)) for values in line["points"]]  # type: ignore[arg-type]
    counts = {field.name: line[field.name] for field in fields(Run) if field.name != "points"}
    if not points or not all(isinstance(value, int) for value in counts.values()):
        raise ValueError
    return Run(points, **counts)


def _number(value: object) -> int | float:
    if not isinstance(value, int | float):
        raise TypeError
    return value


def _refused(text: str) -> NoReturn:
    raise ValueError(text)
