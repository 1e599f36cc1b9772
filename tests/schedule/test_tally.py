"""What a run comes to, against plain counting in the complete list of its gradients.

The list is played far beyond the end, and every span of time is cut off there by the overlap of
two intervals: nothing is counted while playing, and no state of the engine is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, takewhile

from hypothesis import given
from hypothesis import settings as running
from hypothesis import strategies as st
from playing import machine, of_setting, scheme, settings
from witness_schemes import Setting

from ddcalc.schedule.engine import Engine, engine
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient, Time
from ddcalc.schedule.tally import KEPT, Day, tally

FAR = 400  # by then all that is begun before the end of a run is written


@dataclass(frozen=True)
class Account:
    """All *gradients* of a run, and the *past* ones: those written or dropped by its *end*.

    What happens exactly at the end counts; where the run ends with update *nth*, without the reads
    that see it.
    """

    setting: Setting
    gradients: Sequence[Gradient]
    past: Sequence[Gradient]
    end: Time
    nth: int | None = None

    def day(self, worker: int) -> Day:
        """What *worker* has done by the end."""
        own = [each for each in self.gradients if each.worker == worker]
        past = [each for each in self.past if each.worker == worker]
        later = [each for each in own if each not in past]
        sent = [each for each in past if each.update != INTERRUPTED]
        held = sum(self._held(each) for each in own)
        return Day(
            clocks=_steps(sent)
            + sum(each.end < each.written for each in past if each.update == INTERRUPTED)
            + sum(end <= self.end for each in later for end in _ends(each)),
            computes=sum(self._until_end(each.start, each.end) for each in own),
            wasted=sum(each.end - each.start for each in past if each.update <= 0),
            moves=sum(self._until_end(each.released, each.start) for each in own)
            + sum(self._until_end(each.end, each.arrived) for each in own),
            held=held,
            served=sum(self._until_end(each.requested, each.released) for each in own) - held,
            downloads=len(past) + sum(self._by_end(each, each.start) for each in later),
            uploads=len(sent) + sum(each.arrived <= self.end for each in later),
            last=max((each.data for each in past), default=0),
            waits=self._waits(own),
        )

    def _until_end(self, start: Time, end: Time) -> Time:
        """How much of the time from *start* to *end* overlaps with the run."""
        return max(min(end, self.end) - start, 0)

    def _held(self, gradient: Gradient) -> Time:
        return self._until_end(gradient.hold.start, gradient.hold.end) if gradient.hold else 0

    def _waits(self, own: Sequence[Gradient]) -> dict[int, Time]:
        """The time held by each worker; 0 where it is not known by the end which one it is."""
        waits: Counter[int] = Counter()
        for each in own:
            if each.hold:
                waits[each.hold.by if each.hold.end <= self.end else 0] += int(self._held(each))
        return dict(+waits)

    def counts(self) -> dict[str, object]:
        """What does not belong to one worker."""
        used = [each for each in self.past if each.update > 0]
        return {
            "end": self.end,
            "updates": len({each.update for each in used}),
            "used": _steps(used),
            "dropped": _steps(each for each in self.past if each.update == DROPPED),
            "interrupted": _steps(each for each in self.past if each.update == INTERRUPTED),
            "staleness": Counter(each.update - each.seen - 1 for each in used for _ in _ends(each)),
            "ahead": Counter(each.ahead for each in self.gradients if self._is_read(each)),
            "begun": sum(each in self.past or start < self.end for each, start in self._starts()),
            "first": list(self.past[:KEPT]),
        }

    def _is_read(self, gradient: Gradient) -> bool:
        """Whether its parameters were read by the end."""
        read = gradient.start if self.setting.read == "start" else gradient.released
        return gradient in self.past or self._by_end(gradient, read)

    def _by_end(self, gradient: Gradient, time: Time) -> bool:
        return time <= self.end and (self.nth is None or gradient.seen < self.nth)

    def _starts(self) -> Iterator[tuple[Gradient, Time]]:
        """All computations, by their gradient and when they begin."""
        for each in self.gradients:
            yield from ((each, start) for start in (each.start, *each.ends[:-1]))

    def written(self, update: int) -> Time | None:
        """When *update* was made, if by the end."""
        return next((each.written for each in self.past if each.update == update), None)

    def reached(self, goal: int) -> Time | None:
        """When *goal* gradients were in the parameters, if by the end."""
        times = [each.written for each in self.past if each.update > 0 for _ in _ends(each)]
        return times[goal - 1] if len(times) >= goal else None


def _ends(gradient: Gradient) -> tuple[Time, ...]:
    return gradient.ends or (gradient.end,)


def _steps(gradients: Iterable[Gradient]) -> int:
    return sum(len(_ends(each)) for each in gradients)


def _compare(setting: Setting, account: Account, horizon: int | None, nth: int, goal: int) -> None:
    """Compare all fields of a tally with the *account* of the same run."""
    found = tally(_engine(setting), horizon, nth, goal)
    counts = account.counts()
    assert {name: getattr(found, name) for name in counts} == counts
    expected = [account.day(i) for i in range(1, len(setting.starts) + 1)]
    for day in (*found.days, *expected):
        day.waits = {by: time for by, time in day.waits.items() if time}
        if horizon is None:  # what happens after the n-th update at its instant is not known
            day.waits = {0: sum(day.waits.values())}
    assert found.days == expected
    assert found.nth == account.written(nth)
    assert found.reached == account.reached(goal)


def _engine(setting: Setting) -> Engine:
    return engine(scheme(setting), machine(setting), [cycle(own) for own in setting.times])


@running(max_examples=500, deadline=None)
@given(settings(), st.integers(0, 50), st.integers(1, 8), st.integers(1, 30))
def test_everything_until_the_horizon(setting: Setting, horizon: int, nth: int, goal: int) -> None:
    every = of_setting(setting, horizon + FAR)
    past = [each for each in every if each.written <= horizon]
    _compare(setting, Account(setting, every, past, horizon), horizon, nth, goal)


@running(max_examples=500, deadline=None)
@given(settings(), st.integers(1, 8), st.integers(1, 30))
def test_everything_until_the_nth_update(setting: Setting, nth: int, goal: int) -> None:
    every = of_setting(setting, 2 * FAR)
    end = next(each.written for each in every if each.update == nth)
    past = list(takewhile(lambda each: each.written <= end and each.update <= nth, every))
    _compare(setting, Account(setting, every, past, end, nth), None, nth, goal)
