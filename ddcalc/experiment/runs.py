"""The runs of an experiment: made in this process or in several, and kept in a file.

Finished runs are a line each in a file, so that no run is made twice. A run is recognised by all
that it depends on; other runs in the file stay: an experiment may be widened by schemes, seeds and
targets without a run being repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import asdict, astuple, fields
from functools import partial
from os.path import lexists
from typing import Any, NoReturn

from ddcalc.boundary import files
from ddcalc.boundary.processes import Lost, as_done, open_executor, report
from ddcalc.boundary.source import Source, numbered
from ddcalc.errors import BadFile, OverLimit, Place
from ddcalc.experiment.samples import Data
from ddcalc.experiment.setting import READ, Contender, Setting
from ddcalc.experiment.training import Measurement, Run, Training
from ddcalc.numbers.number import spelt

Job = tuple[Contender, int]
Progress = Callable[[Job, float], None]  # is called with the share of a run that is done


def trained(
    setting: Setting, data: Data, jobs: Iterable[Job], processes: int, progress: Progress
) -> Generator[tuple[Job, Run], None, None]:
    """Each of the *jobs* (a contender and a seed) with its run, as they are done.

    With several *processes* the runs are the same: each depends on its seed alone. *progress* is
    called with how far each is. Raises OverLimit where processes were ended from outside. Close the
    generator to end the processes.
    """
    waiting = list(jobs)
    work = partial(_trained, setting, data)
    with open_executor(min(processes, len(waiting)) or 1) as executor:
        for job, run in as_done(executor, work, waiting, progress):
            if isinstance(run, Lost):
                reason = "a process that trains was ended from outside, and so was the next one"
                kept = "finished runs are kept in --state, and fewer --jobs need less memory"
                raise OverLimit(f"{reason}; {kept}").about("--jobs")
            yield job, run


def _trained(setting: Setting, data: Data, job: Job) -> Run:
    return Training(setting, data, *job).train(report)


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
