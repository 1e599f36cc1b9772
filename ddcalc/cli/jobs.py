"""How many work at once, where, and for how long: options of ``solve``, which shares out work."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from ddcalc.cli.options import one_of, stated
from ddcalc.errors import BadValue, blaming
from ddcalc.numbers.units import SECOND, TIME, measure

MOST: Final = 256
AUTO: Final = "auto"
LONGEST: Final = 10**6  # seconds
_COUNT: Final = re.compile("[0-9]{1,3}")
_PART: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")

OPTIONS: Final = (
    stated("--jobs", "COUNT|auto", "Processes at work; auto: one for each core. (default: 1)"),
    one_of(
        ("processes", "dask"),
        "--engine",
        "Processes of this machine, or a Dask cluster (extra dask). (default: processes)",
        "processes",
    ),
    stated(
        "--address",
        "ADDRESS",
        "The scheduler of the Dask cluster, as tcp://HOST:8786. (default: a cluster here)",
    ),
    stated("--part", "I/N", "Only this part of the work, for job arrays: 3/16 is the third of 16."),
    stated("--timeout", "TIME", "Processor time for a problem. (default: 10 s for one of several)"),
)


class Jobs(NamedTuple):
    """How the work of a call is shared out: to a *number* of workers of an *engine*; which of how
    many parts of it is this call's; and how many *seconds* of the processor a problem may take, if
    that is said."""

    number: int
    engine: str
    address: str
    part: int
    parts: int
    seconds: float | None


def shared(
    jobs: str | None, engine: str, address: str | None, part: str | None, timeout: str | None
) -> Jobs:
    """What the options say; BadNumber where that makes no sense."""
    if address is not None and engine != "dask":
        raise BadValue(address, "goes with --engine dask").about("--address")
    cores = min(MOST, len(os.sched_getaffinity(0)))
    number = cores if engine == "dask" and address is None else 1
    if jobs is not None:
        if jobs != AUTO and not (_COUNT.fullmatch(jobs) and 1 <= int(jobs) <= MOST):
            reason = f"must be a whole number from 1 to {MOST}, or {AUTO}"
            raise BadValue(jobs, reason).about("--jobs")
        number = cores if jobs == AUTO else int(jobs)
    said = _PART.fullmatch(part := part or "1/1")
    if said is None or not 1 <= int(said[1]) <= int(said[2]):
        reason = "must say which of how many parts, from the first on: 1/16 to 16/16"
        raise BadValue(part, reason).about("--part")
    seconds = None
    if timeout is not None:
        with blaming("--timeout"):
            seconds = float(measure(timeout, TIME, bare_unit=SECOND).value)
        if not 0 < seconds <= LONGEST:
            reason = f"must be above 0 s and at most {LONGEST} s"
            raise BadValue(timeout, reason).about("--timeout")
    return Jobs(number, engine, address or "", int(said[1]), int(said[2]), seconds)
