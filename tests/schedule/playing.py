"""Runs of the engine for tests: from a setting of the witness, or in a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, takewhile
from typing import cast

from hypothesis import strategies as st
from witness_schemes import Setting

from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Gradient, Machine, Order, Read
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync


def of_setting(setting: Setting, horizon: int) -> list[Gradient]:
    """What the engine makes of a *setting* of the witness, until the *horizon*, which counts."""
    run = engine(scheme(setting), machine(setting), [cycle(row) for row in setting.times])
    return list(takewhile(lambda gradient: gradient.written <= horizon, run.gradients()))


def machine(setting: Setting) -> Machine:
    """The machine of a *setting*."""
    return Machine(
        setting.starts,
        setting.down,
        setting.up,
        setting.aggregate,
        setting.update,
        setting.serial,
        cast(Order, setting.order),
        cast(Read, setting.read),
    )


def scheme(setting: Setting) -> Scheme:
    """The scheme that a *setting* names."""
    workers, number = len(setting.starts), setting.number
    match setting.scheme:
        case "sync":
            return sync(workers)
        case "async":
            return asynchronous()
        case "ssp":
            return ssp(number)
        case "local_sgd":
            return local_sgd(workers, number or 1)
        case late:
            return k_of_n(number or workers, cast(Late, late))


SCHEMES = ("sync", "async", "ssp", "local_sgd", "drop", "reuse", "cancel")


@st.composite
def settings(
    draw: st.DrawFn, schemes: Sequence[str] = SCHEMES, least: int = 1, most: int = 5
) -> Setting:
    """Settings in which much happens at one instant: up to *most* workers and short times.

    Computations take *least* ticks or more.
    """
    workers = draw(st.integers(1, most))
    name = draw(st.sampled_from(schemes))
    short = st.integers(0, 3)
    rows = st.lists(st.integers(least, 6), min_size=1, max_size=4)
    return Setting(
        name,
        draw(_numbers(name, workers)),
        draw(st.lists(st.integers(0, workers), min_size=workers, max_size=workers)),
        draw(st.lists(rows, min_size=workers, max_size=workers)),
        draw(short),
        draw(short),
        draw(short),
        draw(short),
        draw(st.booleans()),
        draw(st.sampled_from(["in_turn", "writes_first"])),
        draw(st.sampled_from(["start", "arrival"])),
    )


def _numbers(name: str, workers: int) -> st.SearchStrategy[int | None]:
    if name == "ssp":
        return st.none() | st.integers(0, 3)
    if name == "local_sgd":
        return st.integers(1, 3)
    return st.integers(1, workers)
