"""A question on rounds with stragglers: the workers and a round's cost, or why it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ddcalc.display import number_text
from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.number import Number
from ddcalc.schedule.givens import Played, one, several, whole

WORKERS = 1_024  # whose waits are told one by one
CREWS = 4_096  # sets of workers that are told apart: those of twelve workers without like means


@dataclass(frozen=True, slots=True)
class Question:
    """Workers with these *means* (s), of whom a round waits for *wait_for*; *fixed* (s) besides."""

    means: tuple[Number, ...]
    wait_for: int
    fixed: Number


def question(given: Played) -> Question:
    """What the *given* numbers state; BadValue or OverLimit where that is no question for us."""
    means = _means(several(given, "means"), whole(given, "workers"))
    wait_for = whole(given, "wait_for") or len(means)
    if wait_for > len(means):
        only = f"{len(means)} worker{'' if len(means) == 1 else 's'}"
        raise _wrong("wait_for", wait_for, f"is more than the {only} there are")
    return Question(means, wait_for, one(given, "fixed") or 0)


def _means(listed: tuple[Number, ...], workers: int | None) -> tuple[Number, ...]:
    """The mean of each worker."""
    if workers is None or workers == len(listed):
        return _counted(listed, "means")
    if len(listed) > 1:
        raise _wrong("workers", workers, f"does not fit means, which lists {len(listed)}")
    if workers > WORKERS:
        raise _too_many(workers, "workers")
    return _counted(listed * workers, "workers")


def _counted(means: tuple[Number, ...], parameter: str) -> tuple[Number, ...]:
    """The *means*, if there are not too many of them to be exact."""
    if len(means) > WORKERS:
        raise _too_many(len(means), parameter)
    unlike = set(means)
    if prod(means.count(mean) + 1 for mean in unlike) > CREWS:
        reason = (
            f"{len(means)} workers with {len(unlike)} different means make too many sets of workers"
            f" that may be left; at most {number_text(CREWS)[0]} are added up, as many as 12"
            " workers make if no two are alike"
        )
        raise OverLimit(reason).about(parameter)
    return means


def _too_many(workers: int, parameter: str) -> DdcalcError:
    asked, limit = number_text(workers)[0], number_text(WORKERS)[0]
    return OverLimit(f"{asked} workers are too many; at most {limit} are possible").about(parameter)


def _wrong(parameter: str, value: int, problem: str) -> DdcalcError:
    return BadValue(str(value), problem).about(parameter)
