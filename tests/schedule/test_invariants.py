"""What holds in every run: who waits for whom, what reads see, what updates are made of."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from playing import of_setting, per_worker, settings
from witness_schemes import Setting

from ddcalc.schedule.gradient import Gradient

HORIZON = 60

bounds = st.integers(0, 4)


@given(settings(["ssp"]), bounds)
def test_ssp_guarantees(setting: Setting, bound: int) -> None:
    """A read at clock c has everybody's clocks to c - s - 1 and all own ones (Ho et al. 2013)."""
    written = of_setting(replace(setting, number=bound), HORIZON)
    when = {(g.worker, g.clock): g.written for g in written}
    everybody = range(1, len(setting.starts) + 1)
    for g in written:
        read = {(other.worker, other.clock) for other in written[: g.seen]}
        certain = range(1, g.clock - bound)
        assert read >= {(worker, clock) for worker in everybody for clock in certain}
        assert read >= {(g.worker, clock) for clock in range(1, g.clock)}
        assert all(when[worker, k] <= g.released for worker in everybody for k in certain)
        assert g.ahead <= bound


@given(settings(["ssp"]), bounds)
def test_ssp_holds_nobody_without_need(setting: Setting, bound: int) -> None:
    """A hold ends when the last worker finishes the clock c - 1 - s that was waited for."""
    written = of_setting(replace(setting, number=bound), HORIZON)
    when = {(g.worker, g.clock): g.written for g in written}
    for g in written:
        if g.hold is None:
            continue
        assert (g.hold.start, g.hold.end) == (when[g.worker, g.clock - 1], g.released)
        awaited = {
            worker: at for (worker, clock), at in when.items() if clock == g.clock - 1 - bound
        }
        assert max(awaited.values()) == awaited[g.hold.by] == g.hold.end > g.hold.start


@given(settings(["ssp"]), bounds)
def test_a_larger_bound_makes_no_clock_later(setting: Setting, bound: int) -> None:
    """Nor do random times change that, where the server takes one at once."""
    setting = replace(setting, serial=False, number=bound)
    strict = {(g.worker, g.clock): g.written for g in of_setting(setting, HORIZON)}
    loose = of_setting(replace(setting, number=bound + 1), HORIZON)
    sooner = {(g.worker, g.clock): g.written for g in loose}
    assert all(sooner[key] <= written for key, written in strict.items())


@given(settings())
def test_no_time_of_a_worker_is_lost(setting: Setting) -> None:
    gradients = of_setting(setting, HORIZON)
    for own in per_worker(gradients):
        assert own[0].requested == setting.starts[own[0].worker - 1]
        assert all(after.requested == before.arrived for before, after in pairwise(own))
        assert [g.clock for g in own] == [setting.steps * turn for turn in range(1, len(own) + 1)]
    for g in gradients:
        waits = [g.requested, *(g.hold[:2] if g.hold else ()), g.released]
        assert waits == sorted(waits)
        assert (g.ends[-1:] or (g.end,)) == (g.end,)
        assert g.start <= g.end <= g.arrived <= g.written
        if g.update >= 0:
            times = setting.times[g.worker - 1]
            clocks = range(g.clock - setting.steps, g.clock)
            assert g.start - g.released == setting.down
            assert g.end - g.start == sum(times[clock % len(times)] for clock in clocks)
            assert g.arrived - g.end == setting.up


@given(settings())
def test_reads_see_the_updates_before_them(setting: Setting) -> None:
    """All of the same instant, too, if all write first."""
    gradients = of_setting(setting, HORIZON)
    made = {g.update: g.written for g in gradients if g.update > 0}
    for g in gradients:
        read = g.released if setting.read == "arrival" else g.start
        if g.update < 0 and setting.read == "start":
            read = g.released + setting.down
        before = sum(written < read for written in made.values())
        until = sum(written <= read for written in made.values())
        assert before <= g.seen <= until
        assert setting.order == "in_turn" or g.seen == until


@given(settings(["sync", "local_sgd", "drop", "reuse", "cancel"]))
def test_what_updates_are_made_of(setting: Setting) -> None:
    gradients = of_setting(setting, HORIZON)
    updates: dict[int, list[Gradient]] = defaultdict(list)
    for g in gradients:
        updates[g.update].append(g)
    dropped, interrupted = updates.pop(0, []), updates.pop(-1, [])
    assert sorted(updates) == list(range(1, len(updates) + 1))
    for number, made in updates.items():
        timely = [g.worker for g in made if g.seen == number - 1]
        assert len(timely) == len(set(timely)) == setting.wait_for
        assert setting.scheme == "reuse" or len(timely) == len(made)
        assert len({g.written for g in made}) == 1
    assert setting.scheme in ("drop", "cancel") or not dropped
    assert setting.scheme == "cancel" or not interrupted
    assert all(g.written == g.arrived for g in [*dropped, *interrupted])


@given(settings())
def test_gradients_come_once_and_in_order(setting: Setting) -> None:
    """Data numbers that are missing are under way: of a worker two at most, one handed in late."""
    gradients = of_setting(setting, HORIZON)
    written = [g.written for g in gradients]
    assert written == sorted(written)
    numbers = {g.data for g in gradients}
    assert len(numbers) == len(gradients)
    assert max(numbers, default=0) - len(numbers) <= 2 * len(setting.starts)
