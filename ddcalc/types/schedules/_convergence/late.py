"""What becomes of late gradients: dropped, their data never count; reused, they count.

Worker i has the loss (w − c_i)^2/2, so its gradient is w − c_i, and all losses together are least
at the mean of the c_i. The server waits for the first few; the others are late in every update.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ddcalc.formula.expression import Num
from ddcalc.numbers.display import rounded
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Step, Table
from ddcalc.types.schedules._convergence.run import places

TARGETS = (0, 0, 3)  # the last one's worker is late
PUNCTUAL = 2
STEP = Fraction(1, 2)
UPDATES = 20


def dropped() -> list[Fraction]:
    """w after 0, 1, … updates with the punctual gradients' mean alone, from 3 on."""
    found = [Fraction(3)]
    for _ in range(UPDATES):
        gradients = [found[-1] - target for target in TARGETS[:PUNCTUAL]]
        found.append(found[-1] - STEP * sum(gradients) / PUNCTUAL)
    return found


def reused() -> list[Fraction]:
    """The same where a late gradient joins the next update; all workers count the same."""
    found = [Fraction(3)]
    late = [Fraction(0)] * (len(TARGETS) - PUNCTUAL)
    for _ in range(UPDATES):
        w = found[-1]
        gradients = [w - target for target in TARGETS[:PUNCTUAL]]
        found.append(w - STEP * (sum(gradients) + sum(late)) / len(TARGETS))
        late = [w - target for target in TARGETS[PUNCTUAL:]]
    return found


def steps(declared: Mapping[str, Derived]) -> Iterator[Step]:
    """Where each way leads."""
    why = (
        "three workers with losses (w − c)^2/2 and c = 0, 0, 3, the last of which is late in every"
        " update; the step is 1/2, over the mean of the gradients"
    )
    runs = dropped(), reused()
    rows = tuple((Num(t), *(Num(rounded(run[t], 6)) for run in runs)) for t in places(UPDATES))
    yield Table("Late gradients", why, ("update", "dropped", "reused an update later"), rows)
    why = "the mean of the punctual workers' c: what the late one knows is lost"
    yield defined(declared["dropped_end"], 0, why=why)
    why = "the mean of all c, as with a server that waits for everybody"
    yield defined(declared["reused_end"], 1, why=why)
