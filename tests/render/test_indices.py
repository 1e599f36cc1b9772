"""Letters with indices, and sums, in every notation."""

from __future__ import annotations

import pytest

from ddcalc.boundary.output import ascii_only
from ddcalc.formula.expression import Expr, Fun, Operand, Sym, wrap
from ddcalc.render.notation import unbroken, written
from ddcalc.render.notation.mathml import MathML
from ddcalc.render.notation.plain import code, text
from ddcalc.render.notation.tex import latex

j, k, c, s, n, eta = map(Sym, ("j", "k", "c", "s", "n", "eta"))


def g(*indices: Operand) -> Expr:
    return Fun("indexed", (Sym("G"), *map(wrap, indices)))


def total(body: Expr, index: Sym, first: Operand, last: Operand) -> Expr:
    return Fun("sum", (body, index, wrap(first), wrap(last)))


LUCKY = Fun("sum_over", (g(j, k), Sym("S_2"), j, k))


@pytest.mark.parametrize(
    ("expr", "shown", "plain", "tex", "spelt"),
    [
        (g(2, 13), "G₂,₁₃", "G_{2,13}", "G_{2,13}", "G(2, 13)"),
        (g(j, k), "G_{j,k}", "G_{j,k}", "G_{j,k}", "G(j, k)"),
        (g(j), "G_j", "G_j", "G_{j}", "G(j)"),
        (g(1, 10**6), "G₁,₁₀₀₀₀₀₀", "G_{1,1000000}", r"G_{1,1\,000\,000}", "G(1, 1000000)"),
        (
            total(total(g(j, k), j, 1, n), k, 1, c - s - 1),
            "∑_{k=1}^{c−s−1} ∑_{j=1}^{n} G_{j,k}",
            "sum_{k=1}^{c-s-1} sum_{j=1}^{n} G_{j,k}",
            r"\sum_{k=1}^{c - s - 1} \sum_{j=1}^{n} G_{j,k}",
            "Sum(Sum(G(j, k), (j, 1, n)), (k, 1, c - s - 1))",
        ),
        (
            LUCKY,
            "∑_{(j,k) ∈ S₂} G_{j,k}",
            "sum_{(j,k) in S_2} G_{j,k}",
            r"\sum_{(j,k) \in S_{2}} G_{j,k}",
            "SumOver(G(j, k), S_2)",
        ),
        (
            Fun("sum_over", (g(k), Sym("A"), k)),
            "∑_{k ∈ A} G_k",
            "sum_{k in A} G_k",
            r"\sum_{k \in A} G_{k}",
            "SumOver(G(k), A)",
        ),
        (
            total(g(j, k) - g(1, k), k, 1, 2),
            "∑_{k=1}^{2} (G_{j,k} − G_{1,k})",
            "sum_{k=1}^{2} (G_{j,k} - G_{1,k})",
            r"\sum_{k=1}^{2} (G_{j,k} - G_{1,k})",
            "Sum((G(j, k) - G(1, k)), (k, 1, 2))",
        ),
        (
            1 - eta * (LUCKY + g(1, 1)),
            "1 − η(∑_{(j,k) ∈ S₂} G_{j,k} + G₁,₁)",
            "1 - eta*(sum_{(j,k) in S_2} G_{j,k} + G_{1,1})",
            r"1 - \eta \bigl( \sum_{(j,k) \in S_{2}} G_{j,k} + G_{1,1} \bigr)",
            "1 - eta*(SumOver(G(j, k), S_2) + G(1, 1))",
        ),
        (
            eta * total(g(1, k), k, 1, 2),
            "η·∑_{k=1}^{2} G_{1,k}",
            "eta*sum_{k=1}^{2} G_{1,k}",
            r"\eta \sum_{k=1}^{2} G_{1,k}",
            "eta*Sum(G(1, k), (k, 1, 2))",
        ),
    ],
)
def test_in_every_notation(expr: Expr, shown: str, plain: str, tex: str, spelt: str) -> None:
    assert unbroken(text(expr)) == shown
    assert ascii_only(unbroken(text(expr))) == plain
    assert latex(expr) == tex
    assert code(expr) == spelt


def test_sympy_reads_what_is_spelt() -> None:
    import sympy

    expr = sympy.sympify(code(total(total(g(j, k), j, 1, 2), k, 1, 2)))
    names = sympy.Function("G")
    assert expr.doit() == sum(names(a, b) for a in (1, 2) for b in (1, 2))


def test_mathml() -> None:
    assert written(g(2, 3), MathML()) == (
        "<msub><mi>G</mi><mrow><mn>2</mn><mo>,</mo><mn>3</mn></mrow></msub>"
    )
    data = written(total(g(1, k), k, 1, c), MathML())
    assert data.startswith("<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow>")
    assert "<munder><mo>∑</mo>" in written(LUCKY, MathML())
    assert "<mo>∈</mo>" in written(LUCKY, MathML())
    assert "stretchy='true'" in written(eta * (LUCKY + g(1, 1)), MathML())
