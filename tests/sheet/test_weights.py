"""Stated weights: the same gradients in any form, others, and what is refused, quickly."""

from __future__ import annotations

from time import process_time

import pytest

from ddcalc.ask.solve import solve
from ddcalc.errors import BadNumber
from ddcalc.formula.expression import Expr
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import code, text
from ddcalc.sheet.answers import is_rule
from ddcalc.sheet.answers import states as same_weights
from ddcalc.types.schedules.update_rule import UpdateRule


def weights(**stated: str) -> Expr:
    value = solve(UpdateRule, {"workers": "3", "clock": "3", **stated}).answer.value
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
    assert same_weights(code(value), value)
    if "∑" not in text(value):
        assert same_weights(unbroken(text(value)), value)
    assert not any(same_weights(code(value), other) for other in FORMS if other is not value)


@pytest.mark.parametrize(
    ("stated", "value"),
    [
        ("w_0 - eta*(G(3,2)+G(2,1)+G(3,1)+G(1,2)+G(2,2)+G(1,1))", SYNC),
        ("w_0 - eta*Sum(Sum(G(j,k),(j,1,3)),(k,1,2))", SYNC),
        ("w_0 - eta*Sum(Sum(G(a,b), (b, 1, 2)), (a, 1, 3))", SYNC),
        ("w_0 - eta*Sum(G(1,k) + G(2,k) + G(3,k), (k,1,2))", SYNC),
        ("-eta*G_{1,1} - eta*(G₂,₁ + G(3,1)) + w₀ - 2*eta*Sum(G(j,2)/2,(j,1,3))", SYNC),
        ("w_0 − η(G₁,₁ + G₂,₁ + G₃,₁ + G₁,₂ + G₂,₂ + G₃,₂)", SYNC),
        ("w_0 - 1/3*eta*Sum(Sum(G(j,k),(j,1,3)),(k,1,2)) - eta*G(1,3)", LOCAL),
    ],
)
def test_right_in_any_form(stated: str, value: Expr) -> None:
    assert same_weights(stated, value)


@pytest.mark.parametrize(
    "stated",
    [
        "w_0",
        "0",
        "w_0 - eta*(G(1,1)+G(2,1)+G(3,1)+G(1,2)+G(2,2))",
        "w_0 - eta*(G(1,1)+G(2,1)+G(3,1)+G(1,2)+G(2,2)+G(3,2)+G(3,2))",
        "w_0 + eta*(G(1,1)+G(2,1)+G(3,1)+G(1,2)+G(2,2)+G(3,2))",
        "w_0 - eta*(G(1,1)+G(1,2)+G(1,3)+G(2,1)+G(2,2)+G(2,3))",
        "w_0 - eta/3*Sum(Sum(G(j,k),(j,1,3)),(k,1,2))",
        "w_0 - eta*Sum(Sum(G(j,k),(j,1,3)),(k,1,3))",
        "eta*Sum(Sum(Sum(G(a,b),(a,1,9999)),(b,1,9999)),(c,1,9999))",
        "Sum(G(1,k),(k,1,3/2))",
        "G(G(1,2),3)",
        "*".join(["a"] * 1500),
        "-" * 3000 + "w_0",
    ],
)
def test_other_weights_differ(stated: str) -> None:
    began = process_time()
    assert not same_weights(stated, SYNC)
    assert process_time() - began < 1


@pytest.mark.parametrize(
    "stated",
    [
        "",
        "(",
        "w_0 -",
        "w_0)",
        "w_0**2",
        "9/0",
        "9/(1-1)",
        "1/G(1,2)",
        "import os",
        "G(",
        "G()",
        "Sum(1)",
        "Sum(G(1,k), k)",
        "SumOver(G(j,k))",
        "(j, 1, 2)",
        "w_0; w_0",
        "∑_{k=1}^{2} G_{1,k}",
        "(" * 21 + "w_0" + ")" * 21,
        "(" * 4000,
        "Sum(Sum(G(j,k),(j,1,k)),(k,1,9999))",
        "*".join(["(a+b+c+d+e)"] * 300),
    ],
)
def test_what_states_no_weights_is_refused(stated: str) -> None:
    began = process_time()
    with pytest.raises(BadNumber, match="is no sum of gradients such as w_0 - eta"):
        same_weights(stated, SYNC)
    assert process_time() - began < 1


def test_twenty_brackets_are_read() -> None:
    assert not same_weights("(" * 20 + "w_0" + ")" * 20, SYNC)
