"""Numbers rounded as people do, and sums of gradients in any form; what sheets state and students
hand in stands in ``calls/handed.txt``."""

from fractions import Fraction
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import asked
from tables import rows

from ddcalc.ask.solve import solve
from ddcalc.boundary.nodes import Mapping, Scalar
from ddcalc.errors import BadNumber
from ddcalc.files.answers import checked
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.stated_terms import is_rule, states
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text


@settings(max_examples=50, deadline=None)
@given(value=st.fractions(Fraction(1, 1000), 10**6, max_denominator=1000), digits=st.integers(1, 8))
def test_digits_as_people_round(value, digits):
    """To the nearest; of two that are as near up, or to the even one."""
    step = Fraction(10) ** -digits
    while value >= step * 10**digits:
        step *= 10
    while value < step * 10 ** (digits - 1):
        step /= 10
    below = value // step * step
    nearest = {below + step if value - below >= step / 2 else below}
    if value - below == step / 2:
        nearest |= {one for one in (below, below + step) if one / step % 2 == 0}
    times: dict[str, str | list[str]] = {"finish": f"{value} s", "aggregate": "0", "update": "0"}
    solved = solve(problem_named("sync-step"), times)
    for located in (below, below + step):
        parts = {"value": f"{located} s", "digits": str(digits)}.items()
        stated = Mapping({name: (Scalar(name), Scalar(text)) for name, text in parts})
        assert checked(solved, "total", stated, ours=False).agrees is (located in nearest)


# Weights: sums of gradients


def weights(**stated: object) -> Any:
    return asked("update-rule", **{"workers": 3, "clock": 3, **stated}).answer.value


SYNC = weights(scheme="sync")
LOCAL = weights(scheme="local-sgd", local_steps=2, clock=4)
FORMS = [SYNC, LOCAL, weights(scheme="async"), weights(scheme="sync", clock=4)]
FORMS += [weights(staleness=1, clock=4, worker=2), weights(staleness=5, clock="1e9")]
FORMS += [weights(scheme="k-of-n", wait_for=2, late=late) for late in ("drop", "reuse", "cancel")]


@pytest.mark.parametrize("value", FORMS, ids=map(code, FORMS))
def test_what_is_told_can_be_stated(value):
    assert is_rule(value)
    assert states(code(value), value)
    if "∑" not in text(value):
        assert states(unbroken(text(value)), value)
    assert not any(states(code(value), other) for other in FORMS if other is not value)


WEIGHTS = {"sync": SYNC, "local": LOCAL, "others": SYNC, "none": SYNC}
WEIGHED = [*rows("files/weights.tsv"), ["", "none"]]


@pytest.mark.parametrize(("stated", "which"), WEIGHED)
def test_weights_in_any_form(stated, which):
    began = process_time()
    if which == "none":
        with pytest.raises(BadNumber, match="is not a sum of gradients such as w_0 - eta"):
            states(stated, SYNC)
    else:
        assert states(stated, WEIGHTS[which]) is (which != "others")
    assert process_time() - began < 5  # work without a bound takes far more
