"""How many work at once, and where: the options of ``solve``, which shares out its work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, Final, NamedTuple

from ddcalc.cli.options import option
from ddcalc.errors import BadNumber, BadValue
from ddcalc.numbers.number import parse

MOST: Final = 256
AUTO: Final = "auto"
DIGITS: Final = 6  # of the number of parts


class WorkEngine(StrEnum):
    """Who works."""

    processes = "processes"
    dask = "dask"


OPTIONS: Final = (
    option(
        "--jobs",
        str | None,
        "Processes that work at once; auto: one for each core. (default: 1)",
        metavar="COUNT|auto",
    ),
    option(
        "--engine",
        WorkEngine,
        "Processes of this machine, or a Dask cluster (extra dask). (default: processes)",
        WorkEngine.processes,
        metavar="|".join(WorkEngine),
    ),
    option(
        "--address",
        str | None,
        "The scheduler of the Dask cluster, as tcp://HOST:8786. (default: a cluster here)",
        metavar="ADDRESS",
    ),
    option(
        "--part",
        str | None,
        "Only this part of the work, for job arrays: 3/16 is the third of 16.",
        metavar="I/N",
    ),
)


class Jobs(NamedTuple):
    """How the work of a call is shared out."""

    number: int = 1
    engine: str = WorkEngine.processes.value
    address: str = ""

    @property
    def are_shared(self) -> bool:
        """Whether anybody but this process works."""
        return self.number > 1 or self.engine == WorkEngine.dask

    @contextmanager
    def opened(self) -> Iterator[Executor | None]:
        """Whoever works, None where that is this process alone."""
        if not self.are_shared:
            yield None
            return
        from ddcalc.boundary.processes import open_executor

        with open_executor(self.number, self.engine, self.address) as executor:
            yield executor


def jobs(options: dict[str, Any]) -> Jobs:
    """What the *options* say, which are taken out of them; BadValue where that makes no sense."""
    count, engine = options.pop("jobs"), options.pop("engine")
    address = options.pop("address")
    if address is not None and engine is not WorkEngine.dask:
        raise BadValue(address, "goes with --engine dask").about("--address")
    usual = cores() if engine is WorkEngine.dask and address is None else 1
    return Jobs(usual if count is None else _count(count), engine.value, address or "")


class WorkShare(NamedTuple):
    """The part of a work that one of so many *parts* does."""

    number: int
    parts: int

    def has(self, position: int, total: int) -> bool:
        """Whether what begins at a *position* below *total* belongs to it."""
        return position * self.parts // max(1, total) == self.number - 1


def share(text: str) -> WorkShare:
    """What ``3/16`` says; BadValue where it says nothing."""
    number, _, count = text.partition("/")
    if text.isascii() and number.isdecimal() and count.isdecimal() and len(count) <= DIGITS:
        made = WorkShare(int(number[: DIGITS + 1]), int(count))
        if 1 <= made.number <= made.parts:
            return made
    reason = "must say which of how many parts, from the first on: 1/16 to 16/16"
    raise BadValue(text, reason).about("--part")


def cores() -> int:
    """The cores that this process may use."""
    return min(MOST, len(os.sched_getaffinity(0)))


def _count(text: str) -> int:
    if text.strip().lower() == AUTO:
        return cores()
    reason = f"must be a whole number from 1 to {MOST}, or {AUTO}"
    try:
        value = parse(text)
    except BadNumber:
        raise BadValue(text, reason).about("--jobs") from None
    if value.denominator != 1 or not 1 <= value <= MOST:
        raise BadValue(text, reason).about("--jobs")
    return int(value)
