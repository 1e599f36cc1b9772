"""Why theorem 4 needs a constant Hessian: a loss on which the mean does not go to the minimum.

The gradient is w left of 0 and 2·w right of it, the noise +1 or −1, k = 1 and α = 1/2. From the
right every step leads to ±1/2. From the left, w, it leads to w/2 ± 1/2. So the run lives on 1/2 and
on −1 + 2^−j and 2^−(j+1) for j = 1, 2, …, and its long-run probabilities are those of the table:
each is half of what leads there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random

from ddcalc.formula.expression import Num
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Step, Table
from ddcalc.types.schedules._convergence.noise import measured
from ddcalc.types.schedules._convergence.question import Noise

MEAN = Fraction(-1, 6)
_SHOWN = 3  # positions on each branch
_UPDATES = 60  # after which the start is forgotten: it halves in each


def positions(branch: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Where the run is, and how often in the long run, up to the *branch*-th place of each kind."""
    yield Fraction(1, 2), Fraction(1, 4)
    for j in range(1, branch + 1):
        yield Fraction(1, 2 ** (j + 1)), Fraction(1, 2 ** (j + 2))
        yield Fraction(1, 2**j) - 1, Fraction(1, 2 ** (j + 1))


def steps(noise: Noise, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The loss, where its run is in the long run, and a run beside."""
    rows: list[Cells] = [
        (Num(w), Num(w if w < 0 else 2 * w), Num(share))
        for w, share in sorted(positions(_SHOWN), key=lambda pair: -pair[1])
    ]
    why = (
        "slopes 1 left and 2 right of 0, noise ±1, k = 1, α = 1/2; from the right it goes to ±1/2,"
        " from the left to w/2 ± 1/2"
    )
    header = ("w", "gradient", "share of the time")
    rows.append(("…", "…", "…"))
    yield Table("A loss with two slopes", why, header, tuple(rows))
    why = (
        "1/2 · 1/4, the places 2^−(j+1) at 2^−(j+2) each, and −1 + 2^−j at 2^−(j+1) each add up to"
        " it; the mean gradient is 0 there, but it is not the gradient at the mean"
    )
    yield defined(declared["kinked_mean"], MEAN, why=why)
    ends = [_end(Random(noise.seed + run)) for run in range(noise.runs)]  # noqa: S311
    why = f"of w after {_UPDATES} updates over {noise.runs} runs, beside −1/6"
    header = ("mean", "standard error", "exact mean")
    yield Table("The same, played", why, header, ((*measured(ends), Num(MEAN)),))


def _end(random: Random) -> float:
    w = 0.0
    for _ in range(_UPDATES):
        noise = 1 - 2 * random.getrandbits(1)
        w -= ((w if w < 0 else 2 * w) + noise) / 2
    return w
