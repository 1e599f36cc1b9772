"""Answers that sheets state, exact or within something, and those that students hand in."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from time import process_time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import rows

from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.nodes import Mapping, Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadNumber, DdcalcError
from ddcalc.files.answers import checked
from ddcalc.formula.expression import Expr
from ddcalc.formula.stated_terms import PRIME, is_rule, states
from ddcalc.problem.catalog import problem_named
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text

HERE = Path(__file__).parent
STATED = yaml.load((HERE / "stated.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)

Plain = str | list[str] | dict[str, str | list[str]]


@cache
def question(name: str) -> Derivation:
    slug, stated = STATED[name]
    return solve(problem_named(slug), stated)


def node(plain: Plain) -> Node:
    """*plain* as a file would hold it."""
    if isinstance(plain, dict):
        return Mapping({name: (Scalar(name), node(value)) for name, value in plain.items()})
    if isinstance(plain, list):
        return Listed([Scalar(text) for text in plain])
    return Scalar(plain)


def agreed(name: str, quantity: str, plain: Plain) -> bool:
    return checked(question(name), quantity, node(plain), ours=True).agrees


def refused(name: str, quantity: str, plain: Plain) -> tuple[str, str]:
    """The kind and text of the refusal."""
    with pytest.raises(DdcalcError) as caught:
        checked(question(name), quantity, node(plain), ours=True)
    return caught.value.kind, str(caught.value)


@pytest.mark.parametrize(("asked", "stated", "right"), rows(HERE / "agrees.tsv"))
def test_whether_it_agrees(asked: str, stated: str, right: str) -> None:
    plain = yaml.load(stated, Loader=yaml.BaseLoader)  # which leaves all values as texts
    assert agreed(*asked.split("."), plain) is (right == "yes")


@settings(max_examples=50, deadline=None)
@given(value=st.fractions(Fraction(1, 1000), 10**6, max_denominator=1000), digits=st.integers(1, 8))
def test_digits_as_people_round(value: Fraction, digits: int) -> None:
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
        stated = node({"value": f"{located} s", "digits": str(digits)})
        assert checked(solved, "total", stated, ours=False).agrees is (located in nearest)


@pytest.mark.parametrize("plain", [{"value": "7.07"}, "7.0710678118654752440084436"])
def test_a_rounded_value_is_never_exact(plain: Plain) -> None:
    kind, located = refused("rounded", "optimum", plain)
    assert kind == "value"
    assert located.endswith(
        "is stated as exact, but the value is rounded; write {value: …, digits: 3} or within"
    )


# Weights: sums of gradients


def weights(**stated: str) -> Expr:
    value = solve(
        problem_named("update-rule"), {"workers": "3", "clock": "3", **stated}
    ).answer.value
    assert isinstance(value, Expr)
    return value


SYNC = weights(scheme="sync")
LOCAL = weights(scheme="local-sgd", local_steps="2", clock="4")
SSP = weights(staleness="1", clock="4", worker="2")
FORMS = [
    SYNC,
    LOCAL,
    SSP,
    weights(scheme="async"),
    weights(scheme="sync", clock="4"),
    weights(staleness="5", clock="1e9"),
    weights(scheme="k-of-n", wait_for="2"),
    weights(scheme="k-of-n", wait_for="2", late="reuse"),
    weights(scheme="k-of-n", wait_for="2", late="cancel"),
]


@pytest.mark.parametrize("value", FORMS, ids=map(code, FORMS))
def test_what_is_told_can_be_stated(value: Expr) -> None:
    assert is_rule(value)
    assert states(code(value), value)
    if "∑" not in text(value):
        assert states(unbroken(text(value)), value)
    assert not any(states(code(value), other) for other in FORMS if other is not value)


WEIGHTS = {"sync": SYNC, "local": LOCAL, "others": SYNC, "none": SYNC}
WEIGHED = [*rows(HERE / "weights.tsv"), ["", "none"], [f"w_0/{PRIME}", "none"]]


@pytest.mark.parametrize(("stated", "which"), WEIGHED)
def test_weights_in_any_form(stated: str, which: str) -> None:
    began = process_time()
    if which == "none":
        with pytest.raises(BadNumber, match="is not a sum of gradients such as w_0 - eta"):
            states(stated, SYNC)
    else:
        assert states(stated, WEIGHTS[which]) is (which != "others")
    assert process_time() - began < 5  # work without a bound takes far more
