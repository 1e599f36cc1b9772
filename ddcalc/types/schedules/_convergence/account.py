"""What a question about stale gradients comes to: its values, and its steps by part."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from ddcalc.numbers.approximate import ratio
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Step, Value
from ddcalc.types.schedules._convergence import kinked, late, momentum, noise, printed
from ddcalc.types.schedules._convergence.conditions import Conditions, exact
from ddcalc.types.schedules._convergence.question import Noise, Question
from ddcalc.types.schedules._convergence.roots import Roots
from ddcalc.types.schedules._convergence.run import errors, run

EVERYTHING = "everything"


def values(asked: Question) -> dict[str, Value | tuple[Value, ...]]:
    """All derived quantities by name."""
    conditions, quadratic = Conditions(asked), asked.quadratic
    times = ratio(quadratic.curvature_limit, asked.high)
    return {
        "smallest": conditions.smallest,
        "step_allowed": conditions.step_allowed,
        "step_margin": conditions.step_margin,
        "stale_sum": conditions.stale_sum,
        "stale_allowed": conditions.stale_allowed,
        "stale_margin": conditions.stale_margin,
        "guaranteed": conditions.guaranteed,
        "beta_allowed": conditions.beta_allowed,
        "broken": printed.broken_after(asked),
        "radius_low": quadratic.radii[0],
        "radius_high": quadratic.radii[1],
        "rate": quadratic.rate,
        "curvature_limit": quadratic.curvature_limit,
        "step_limit": exact(times * asked.fresh),
        "stale_limit": quadratic.stale_limit,
        "error_low": errors(asked.coefficients, asked.low, asked.updates)[-1],
        "momentum": momentum.factor(asked),
        "momentum_gap": momentum.gap(asked),
        "variance": noise.variance(asked, asked.low),
        "kinked_mean": kinked.MEAN,
        "dropped_end": 0,
        "reused_end": 1,
        "error_high": errors(asked.coefficients, asked.high, asked.updates)[-1],
    }


def cases(asked: Question) -> Iterator[Hashable]:
    """What makes *asked* as difficult as another question: which conditions hold, and how the
    quadratic is decided."""
    conditions = Conditions(asked)
    for margin in (conditions.step_margin, conditions.stale_margin):
        yield None if margin is None else (margin > 0, margin < 0)
    yield conditions.guaranteed < 1, bool(asked.stale), asked.low == asked.high
    yield asked.quadratic.converges
    yield asked.quadratic.stale_limit is None
    yield asked.quadratic.is_worst_at_an_end


def steps(
    asked: Question, noisy: Noise, part: str, declared: Mapping[str, Derived]
) -> Iterator[Step]:
    """What is told of *asked* under *part*."""
    if part in ("conditions", EVERYTHING):
        yield from Conditions(asked).steps(declared)
        if asked.stale:
            yield printed.as_printed(asked)
        yield from Roots(asked, declared).steps()
        yield from run(asked)
    if part in ("momentum", EVERYTHING):
        yield from momentum.steps(asked, declared)
    if part in ("noise", EVERYTHING):
        yield from noise.steps(asked, noisy, declared)
        yield from kinked.steps(noisy, declared)
    if part in ("late", EVERYTHING):
        yield from late.steps(declared)
