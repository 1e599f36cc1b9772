"""Asynchronous against sequential SGD: the exam sheet, its explanation, and refusals."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from ddcalc.ask.solve import Derivation, solve
from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Num, Sym
from ddcalc.problem.steps import Bound, Step, Timeline
from ddcalc.types.schedules.divergence import Divergence
from ddcalc.types.schedules.divergence.account import gradient

ETA, DELTA = Sym("eta"), Sym("Delta")
SHEET: dict[str, str | Sequence[str]] = {
    "starts": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"],
    "update": "0.2 s",
    "horizon": "0.6 s",
}
X = [Sym(f"x_{i}") for i in range(4)]


def _solved(**more: str | Sequence[str]) -> Derivation:
    return solve(Divergence, {**SHEET, **more})


def _steps(derivation: Derivation, kind: type[Step]) -> list[Step]:
    return [step for step in derivation.steps if isinstance(step, kind)]


def _norm(inside: Expr) -> Expr:
    return Fun("norm", (inside,))


@pytest.mark.parametrize(
    ("more", "bound"),
    [
        ({"eta": "0.1"}, Num(Fraction(2, 5)) * DELTA),
        ({"delta": "2.5"}, Num(10) * ETA),
        ({"operations": "5"}, Num(8) * ETA * DELTA),
        ({"lipschitz": "0.5", "eta": "1"}, Num(Fraction(3, 2)) * DELTA),
    ],
)
def test_bounds(more: dict[str, str | Sequence[str]], bound: object) -> None:
    assert _solved(**more).answer.value == bound


def test_an_open_step_size_keeps_the_minimum() -> None:
    two = Fun("min", (Num(2), Num(Fraction(1, 2)) * ETA))
    three = Fun("min", (Num(2), ETA))
    assert _solved(lipschitz="0.5").answer.value == ETA * DELTA * Add((two, three))


@pytest.mark.parametrize(
    "more",
    [{}, {"compare": "same-time"}, {"operations": "2"}, {"operations": "8"}, {"starts": ["2 s"]}],
)
def test_what_ends_in_time_is_not_drawn_as_not_done(more: dict[str, str | Sequence[str]]) -> None:
    """An update that ends by the end of the picture is done; it may only not be counted."""
    (timeline,) = _steps(_solved(**more), Timeline)
    assert isinstance(timeline, Timeline)
    assert timeline.name == ("end" if {*more} & {"operations", "starts"} else "horizon")
    for lane in timeline.lanes:
        for bar, behind in pairwise((*lane.bars, None)):
            assert bar is not None
            assert bar.end > timeline.horizon or bar.label != "not done"
            assert bar.end <= timeline.horizon or bar.label in ("not done", "not counted")
            assert behind is None or bar.end == behind.start  # a core starts again at once


def test_the_proof_one_reason_a_line() -> None:
    proof = _steps(_solved(), Bound)[-1]
    assert isinstance(proof, Bound)
    assert proof.subject == _norm(Sym("x_async") - Sym("x_seq"))
    second = (gradient(2, X[1]), gradient(2, X[0]))
    third = (gradient(3, X[2]), gradient(3, X[0]))
    differences = [ETA * (a - b) for a, b in (second, third)]
    lengths = [ETA * _norm(a - b) for a, b in (second, third)]
    c = Sym("c")
    assert [(link.op, link.expr, link.reason) for link in proof.links] == [
        ("=", _norm(Add(tuple(differences))), "∇f₁(x₀) is in both and cancels"),
        ("≤", Add(tuple(lengths)), "triangle inequality"),
        ("≤", Mul((ETA, Add(tuple(map(_norm, second + third))))), "triangle inequality, twice"),
        ("≤", ETA * Add((DELTA,) * 4), "every gradient is at most Δ"),
        (
            "=",
            Mul((ETA, DELTA, Sym("n_a") + Sym("n_s") - 2 * c)),
            "what each run does beyond the shared gradients",
        ),
        ("=", Num(4) * ETA * DELTA, "n_a = 3, n_s = 3, c = 1"),
    ]
    assert proof.value == proof.links[-1].expr


def test_a_lipschitz_constant_is_used_pair_by_pair() -> None:
    derivation = _solved(compare="same-time", eta="1", lipschitz="1")
    proof = _steps(derivation, Bound)[-1]
    assert isinstance(proof, Bound)
    assert proof.why.endswith("without L it would be 6ηΔ")
    assert proof.links[2].expr == ETA * Add((DELTA, Num(2) * DELTA, DELTA, DELTA))
    assert proof.links[-1].expr == Num(5) * DELTA


@pytest.mark.parametrize(
    ("more", "error", "parameter", "message"),
    [
        ({"operations": "3", "compare": "same-time"}, BadValue, "operations", "leave it out"),
        ({"horizon": "1e30 s"}, OverLimit, "horizon", "at most 100 000 are played"),
        ({"operations": "1e9"}, OverLimit, "operations", "at most 100 000 are played"),
        ({"horizon": "9 s", "lipschitz": "1"}, OverLimit, "eta", "state eta"),
    ],
)
def test_refusals(
    more: dict[str, str | Sequence[str]], error: type[DdcalcError], parameter: str, message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        _solved(**more)
    assert caught.value.parameter == parameter


def test_a_long_run_with_a_lipschitz_constant_stays_short() -> None:
    value = _solved(horizon="200 s", eta="0.01", delta="1", lipschitz="0.5").answer.value
    assert isinstance(value, Fraction)
    assert value.denominator < 10**120
