"""Finished runs in a file: a line each, so that no run is made twice.

A run is known again by all that it depends on. Other runs in the file stay: an experiment may be
widened by schemes, seeds and targets without a run being repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, astuple, fields
from os.path import lexists
from typing import Any, NoReturn

from ddcalc.boundary import files
from ddcalc.boundary.lines import numbered
from ddcalc.boundary.source import Source
from ddcalc.errors import BadFile, Place
from ddcalc.experiment.contender import Contender
from ddcalc.experiment.data import Data
from ddcalc.experiment.setting import READ, Setting
from ddcalc.experiment.training import Point, Run
from ddcalc.numbers.number import spelt

FORM = 1  # of the lines; counts up when they, or the numbers in them, mean something else
APART = ("target", "seeds", "seed", "step_size")  # told apart, or nothing a run depends on
KEY = ("form", "setting", "scheme", "step", "seed")


class Kept:
    """The finished runs of *setting* on *data*, and those that the file *name* holds besides."""

    def __init__(self, setting: Setting, data: Data, name: str | None) -> None:
        self._name = name
        self._setting = setting
        self._told = _told(setting, data)
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
            told = "".join(f"{_dumped(each)}\n" for each in self._lines.values())
            files.write(self._name, told, force=True)

    def _line(self, contender: Contender, seed: int) -> dict[str, Any]:
        step = spelt(self._setting.step(contender))
        told = {"form": FORM, "setting": self._told, "scheme": contender.key}
        return {**told, "step": step, "seed": seed}


def _told(setting: Setting, data: Data) -> dict[str, Any]:
    """All that a run of *setting* depends on but its scheme, its step size and its seed."""
    told: dict[str, Any] = {}
    for name, value in setting.given.items():
        if name not in APART:
            several = value if isinstance(value, tuple) else (value,)
            told[name] = " ".join(map(spelt, several))
    told["interval"] = str(setting.interval(data))
    if setting.given.get("download"):
        told["read"] = READ  # runs with a download and no such word read what was not yet sent
    if setting.model != "dense":
        told["model"] = [setting.model, *(data.image or ())]
    return {**told, **setting.reading, "hidden": list(setting.hidden), "data": data.mark}


def _key(line: dict[str, Any]) -> str:
    return _dumped({name: line[name] for name in KEY})


def _dumped(told: dict[str, Any]) -> str:
    return json.dumps(told, allow_nan=False, sort_keys=True)


def _read(name: str) -> Iterator[dict[str, Any]]:
    """The lines of the file *name*; BadFile where one is not as they are written here."""
    for number, text in numbered(Source(name).chunks()):
        try:
            line = json.loads(text or "", parse_constant=_refused)
            _key(line)
            _run(line)
        except (ValueError, TypeError, KeyError, RecursionError):
            told = "is no finished run; name a file that an experiment has made, or a new one"
            raise BadFile(told, Place(files.shown(name), number)) from None
        yield line


def _run(line: dict[str, Any]) -> Run:
    """The run that *line* tells; ValueError, TypeError or KeyError where it tells none."""
    points = [Point(*map(_number, values)) for values in line["points"]]  # type: ignore[arg-type]
    counts = {each.name: line[each.name] for each in fields(Run) if each.name != "points"}
    if not points or not all(isinstance(value, int) for value in counts.values()):
        raise ValueError
    return Run(points, **counts)


def _number(value: object) -> int | float:
    if not isinstance(value, int | float):
        raise TypeError
    return value


def _refused(text: str) -> NoReturn:
    raise ValueError(text)
