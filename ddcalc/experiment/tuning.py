"""The step size of each scheme, chosen by runs from seeds of their own.

A scheme may need smaller steps than another (stale gradients do) or bear larger ones; with one size
for all the comparison would be about that size. The seeds of the choice are none of those that the
schemes are compared by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ddcalc.experiment import standing
from ddcalc.experiment.contender import Contender
from ddcalc.experiment.data import Data
from ddcalc.experiment.setting import Setting
from ddcalc.experiment.standing import Standing, standings
from ddcalc.experiment.training import Run
from ddcalc.numbers.number import Number

TRIED = 3  # seeds


@dataclass(frozen=True, slots=True)
class Tuning:
    """How each contender of a setting stands with each of the *sizes*."""

    sizes: Sequence[Number]
    tried: Sequence[Sequence[Standing]]

    @property
    def chosen(self) -> tuple[Contender, ...]:
        """The contenders with the sizes that serve them best."""
        return tuple(min(each, key=_merit).contender for each in self.tried)

    @property
    def at_the_edge(self) -> list[Contender]:
        """Those whose size is the least or the largest one tried, so that another may be better."""
        edge = (min(self.sizes), max(self.sizes))
        return [each for each in self.chosen if each.step in edge]


def trials(setting: Setting, sizes: Sequence[Number]) -> Setting:
    """The experiment that tries all *sizes* with each contender of *setting*, on other seeds."""
    after = setting.seeds.stop
    tried = [replace(each, step=size) for each in setting.contenders for size in sizes]
    given = {**setting.given, "seed": after, "seeds": TRIED}
    return replace(setting, given=given, contenders=tuple(tried))


def tuning(
    tried: Setting, data: Data, sizes: Sequence[Number], runs: Mapping[tuple[Contender, int], Run]
) -> Tuning:
    """What the *runs* of trials have come to."""
    found = standings(tried, data, runs)
    count = len(sizes)
    return Tuning(sizes, [found[i : i + count] for i in range(0, len(found), count)])


def _merit(each: Standing) -> tuple[float, ...]:
    """The smaller the better: seeds that miss the target, time to it, those that diverge, loss."""
    diverged = sum(run.diverged for run in each.runs.values())
    time, loss = each.of(standing.time), each.of(standing.loss)
    return (
        -each.hits,
        0 if time is None else time.mean,
        diverged,
        0 if loss is None else loss.mean,
    )
