"""Stated answers: exact, within, to some digits, null, lists, products of letters, and refused."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.nodes import Mapping, Node, Scalar, Sequence
from ddcalc.errors import BadNumber, DdcalcError
from ddcalc.files.answers import checked
from ddcalc.formula.expression import Expr
from ddcalc.formula.stated_terms import PRIME, is_rule, states
from ddcalc.problem.catalog import problem_named
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text

STARTS = ["0.15 s", "0.2 s", "0.25 s", "0.5 s"]
QUESTIONS: dict[str, tuple[str, dict[str, str | list[str]]]] = {
    "epochs": (
        "epoch-time",
        {
            "samples": "76800", "batch": "1536", "epochs": "10", "workers": "6",
            "download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms",
            "price": "2.5 USD/h",
        },
    ),
    "breakeven": (
        "breakeven",
        {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"},
    ),
    "never": (
        "breakeven",
        {"download": "1 s", "compute": "4 s", "upload": "1 s", "aggregate": "0 s"},
    ),
    "rounded": (
        "sync-interval",
        {"communication": "50 ms", "drift": "0.001", "weight": "1000 ms", "interval": "20"},
    ),
    "squares": (
        "staleness-penalty",
        {"staleness": "8", "penalty": "polynomial", "strength": "0.5", "counts": ["1", "1", "1"]},
    ),
    "step": ("sync-step", {"finish": STARTS, "aggregate": "0.3 s", "update": "0.25 s"}),
    "async": ("divergence", {"starts": STARTS, "update": "0.2 s", "horizon": "0.6 s"}),
    "open": (
        "divergence",
        {"starts": STARTS, "update": "0.2 s", "horizon": "0.6 s", "lipschitz": "2"},
    ),
}  # fmt: skip

Plain = str | list[str] | dict[str, str | list[str]]


@cache
def question(name: str) -> Derivation:
    slug, stated = QUESTIONS[name]
    return solve(problem_named(slug), stated)


def node(plain: Plain) -> Node:
    """*plain* as a file would hold it."""
    if isinstance(plain, dict):
        return Mapping({name: (Scalar(name), node(value)) for name, value in plain.items()})
    if isinstance(plain, list):
        return Sequence([Scalar(text) for text in plain])
    return Scalar(plain)


def agrees(name: str, quantity: str, plain: Plain) -> bool:
    return checked(question(name), quantity, node(plain), ours=True).agrees


def refused(name: str, quantity: str, plain: Plain) -> tuple[str, str]:
    """The kind and text of the refusal."""
    with pytest.raises(DdcalcError) as caught:
        checked(question(name), quantity, node(plain), ours=True)
    return caught.value.kind, str(caught.value)


AGREES: list[tuple[str, Plain, bool]] = [
    ("epochs.total", "595.5", True),  # a bare time is in the quantity's unit, seconds
    ("epochs.total", "595500 ms", True),
    ("epochs.total", "595.50000000000000000000000000001 s", False),
    ("epochs.full-rounds", "83", True),
    ("epochs.worker_hours", "0.9925", True),  # bare: hours, its unit
    ("breakeven.balance", "200/3", True),
    ("breakeven.balance", "66.67", False),
    ("epochs.total", {"value": "596 s", "within": "0.5 s"}, True),  # the edge belongs to it
    ("epochs.total", {"value": "596.001 s", "within": "0.5 s"}, False),
    ("epochs.total", {"value": "601.455 s", "within": "1 %"}, True),  # of the derived value
    ("epochs.total", {"value": "596 s", "digits": "3"}, True),  # 595.5 is rounded half up
    ("epochs.total", {"value": "595 s", "digits": "3"}, False),  # cut off
    ("epochs.total", {"value": "595.5 s", "digits": "3"}, False),  # more digits than it says
    ("epochs.total", {"value": "9.93 min", "digits": "3"}, True),  # 9.925 min, half up in minutes
    ("epochs.total", {"value": "9.92 min", "digits": "3"}, True),  # and half to even
    ("epochs.total", {"value": "9.91 min", "digits": "3"}, False),
    ("step.idle", ["0.35 s", "0.3 s", "0.25 s", "0 s"], True),
    ("step.idle", ["350 ms", "0.3", "1/4 s", "0"], True),
    ("step.idle", ["0.35 s", "0.3 s", "0.25 s"], False),
    ("step.idle", ["0.3 s", "0.35 s", "0.25 s", "0 s"], False),
    ("step.idle", {"value": ["0.4 s", "0.3 s", "0.2 s", "0 s"], "within": "0.05 s"}, True),
    ("step.idle", {"value": ["0.4 s", "0.3 s", "0.2 s", "0 s"], "within": "0.04 s"}, False),
    ("async.bound", "4*eta*Delta", True),
    ("async.bound", "4 η Δ", True),
    ("async.bound", "6*eta*Delta", False),
    ("async.bound", "4*eta*eta*Delta", False),
    ("rounded.optimum", {"value": "7.07", "digits": "3"}, True),
    ("rounded.optimum", {"value": "7.1", "digits": "3"}, False),
    ("rounded.optimum", {"value": "7", "within": "1 %"}, False),
    ("rounded.optimum", {"value": "7.07", "within": "0.02 %"}, True),
    ("rounded.optimum", "null", False),
]


@pytest.mark.parametrize(("asked", "stated", "right"), AGREES)
def test_whether_it_agrees(asked: str, stated: Plain, right: bool) -> None:
    assert agrees(*asked.split("."), stated) is right


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


RIGHT = [
    ("w_0 - eta*(G(3,2)+G(2,1)+G(3,1)+G(1,2)+G(2,2)+G(1,1))", SYNC),
    ("w_0 - eta*Sum(Sum(G(j,k),(j,1,3)),(k,1,2))", SYNC),
    ("w_0 - eta*Sum(G(1,k) + G(2,k) + G(3,k), (k,1,2))", SYNC),
    ("-eta*G_{1,1} - eta*(G₂,₁ + G(3,1)) + w₀ - 2*eta*Sum(G(j,2)/2,(j,1,3))", SYNC),
    ("w_0 − η(G₁,₁ + G₂,₁ + G₃,₁ + G₁,₂ + G₂,₂ + G₃,₂)", SYNC),
    ("w_0 - 1/3*eta*Sum(Sum(G(j,k),(j,1,3)),(k,1,2)) - eta*G(1,3)", LOCAL),
]
WRONG = [
    "w_0 - eta*(G(1,1)+G(2,1)+G(3,1)+G(1,2)+G(2,2))",
    "w_0 - eta*(G(1,1)+G(2,1)+G(3,1)+G(1,2)+G(2,2)+G(3,2)+G(3,2))",
    "w_0 + eta*(G(1,1)+G(2,1)+G(3,1)+G(1,2)+G(2,2)+G(3,2))",
    "w_0 - eta/3*Sum(Sum(G(j,k),(j,1,3)),(k,1,2))",
    "eta*Sum(Sum(Sum(G(a,b),(a,1,9999)),(b,1,9999)),(c,1,9999))",
    "Sum(G(1,k),(k,1,3/2))",
    "G(G(1,2),3)",
    "*".join(["(a+b+c+d+e)"] * 300),
    "(a*b*c*d + e)" + "*(a*b*c*d + e*f)" * 230,
]


@pytest.mark.parametrize(
    ("stated", "value", "right"),
    [*((*pair, True) for pair in RIGHT), *((stated, SYNC, False) for stated in WRONG)],
)
def test_weights_in_any_form(stated: str, value: Expr, right: bool) -> None:
    began = process_time()
    assert states(stated, value) is right
    assert process_time() - began < 5  # work without a bound takes far more


@pytest.mark.parametrize(
    "stated",
    [
        *("", "(", "w_0 -", "w_0)", "w_0**2", "9/0", "9/(1-1)", "1/G(1,2)", "import os", "G()"),
        *("Sum(1)", "Sum(G(1,k), k)", "SumOver(G(j,k))", "(j, 1, 2)", "∑_{k=1}^{2} G_{1,k}"),
        *("(" * 21 + "w_0" + ")" * 21, "(" * 4000, f"w_0/{PRIME}"),
        "Sum(Sum(G(j,k),(j,1,k)),(k,1,9999))",
        "Sum(G(1,k),(k,1,9999))" + "*1" * 1500,
        *("+".join(["Sum(0*a,(k,1,9999))"] * 150), f"Sum(G({'j,' * 1500}j),(j,1,9999))"),
        *("*".join(["a"] * 1500), "-" * 3000 + "w_0"),
        *("a" + " " * 100_000 + "!", "a*" * 50_000 + "a"),
    ],
)
def test_what_states_no_weights_is_refused(stated: str) -> None:
    began = process_time()
    with pytest.raises(BadNumber, match="is not a sum of gradients such as w_0 - eta"):
        states(stated, SYNC)
    assert process_time() - began < 5  # work without a bound takes far more
