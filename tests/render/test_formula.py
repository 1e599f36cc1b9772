"""Formulas in every notation: brackets, signs, numbers put in, indices, and where lines break."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ddcalc.boundary.output import ascii_only
from ddcalc.formula.algebra import FUNCTIONS, exp, floor_log2, harmonic, sqrt
from ddcalc.formula.expression import (
    Case,
    Cases,
    Expr,
    Fun,
    Neg,
    Nothing,
    Num,
    Number,
    Operand,
    Rel,
    Sym,
    wrap,
)
from ddcalc.numbers.irrational import sqrt as sqrt_of
from ddcalc.render.notation import BREAK, INNER, unbroken, written
from ddcalc.render.notation.mathml import MathML
from ddcalc.render.notation.plain import code, text
from ddcalc.render.notation.tex import latex

a, b, c, m, eta, delta = map(Sym, ("a", "b", "c", "m", "eta", "Delta"))
j, k, s, n = map(Sym, "jksn")


def grad(data: int, point: str) -> Expr:
    return Fun("grad", (Num(data), Sym(point)))


def g(*indices: Operand) -> Expr:
    return Fun("indexed", (Sym("G"), *map(wrap, indices)))


def total(body: Expr, index: Sym, first: Operand, last: Operand) -> Expr:
    return Fun("sum", (body, index, wrap(first), wrap(last)))


LUCKY = Fun("sum_over", (g(j, k), Sym("S_2"), j, k))


@pytest.mark.parametrize(
    ("expr", "shown", "tex"),
    [
        (Fun("ceiling", (Sym("N") / b,)), "⌈N/b⌉", r"\left\lceil \frac{N}{b} \right\rceil"),
        (m * Sym("t_agg") + m * eta, "m·t_agg + m·η", None),
        (
            4 * delta * eta * (grad(2, "x_1") - grad(12, "x_0")),
            "4Δη(∇f₂(x₁) − ∇f₁₂(x₀))",
            r"4 \Delta \eta (\nabla f_{2}(x_{1}) - \nabla f_{12}(x_{0}))",
        ),
        (
            Fun("norm", (Sym("x_async") - Sym("x_seq"),)),
            "‖x_async − x_seq‖",
            r"\lVert x_{\mathrm{async}} - x_{\mathrm{seq}} \rVert",
        ),
        (a - (b - c), "a − (b − c)", "a - (b - c)"),
        (Neg(a + b) * c, "(−(a + b))·c", r"(-(a + b)) \cdot c"),
        (a / b / c, "(a/b)/c", r"\frac{\frac{a}{b}}{c}"),
        ((a / b) ** (c + 1), "(a/b)^(c + 1)", r"\left( \frac{a}{b} \right)^{c + 1}"),
        (sqrt(a / b) * c, "√(a/b)·c", r"\sqrt{\frac{a}{b}} \cdot c"),
        (b * exp(-(a * m)), "b·e^(−a·m)", r"b \cdot \mathrm{e}^{-a \cdot m}"),
        (
            harmonic(m + 1, b) / a,
            "(∑_{k=1}^{m+1} (1/k^b))/a",
            r"\frac{\sum_{k=1}^{m + 1} \frac{1}{k^{b}}}{a}",
        ),
        (FUNCTIONS["ceiling_log2"](m), "⌈log₂ m⌉", r"\lceil \log_2 m \rceil"),
        (floor_log2(m / 2), "⌊log₂(m/2)⌋", None),
        (
            a / FUNCTIONS["floor_power2"](m),
            "a/2^⌊log₂ m⌋",
            r"\frac{a}{2^{\lfloor \log_2 m \rfloor}}",
        ),
        (Rel("<=", a, Num(Fraction(-1, 4))), "a ≤ −0.25", r"a \le -0.25"),
        (Num(Fraction(200, 3)) * a, "(200/3)·a", r"\frac{200}{3} \cdot a"),
        (Num(15 * 10**20), "1.5×10^21", r"1.5 \times 10^{21}"),
        (Sym("…") + eta, "… + η", r"\dots + \eta"),
        (
            Cases((Case(a, m > 2), Case(Nothing(), Rel("==", m, Num(1)))), b / 2),
            "a if m > 2, no value if m = 1, else b/2",
            r"\begin{cases} a & \text{if } m > 2 \\ \text{no value} & \text{if } m = 1 \\ "
            r"\frac{b}{2} & \text{else} \end{cases}",
        ),
    ],
)
def test_formulas(expr: Expr, shown: str, tex: str | None) -> None:
    assert unbroken(text(expr)) == shown
    assert tex is None or latex(expr) == tex


@pytest.mark.parametrize(
    ("expr", "numbers", "shown"),
    [
        (a + m * b, {"a": Fraction(3, 2), "m": 6, "b": Fraction(15, 1000)}, "1.5 + 6·0.015"),
        (a - b, {"a": -2, "b": -3}, "−2 − (−3)"),
        (a**b, {"a": -2, "b": Fraction(1, 3)}, "(−2)^(1/3)"),
        (a + b, {"a": 10**40 + Fraction(1, 3)}, "(≈ 1×10^40) + b"),
        (Fun("sqrt", (a,)), {"a": 76800}, "√(76 800)"),
        (a / b, {"b": sqrt_of(50)}, "a/7.07107"),
        (a - b, {"b": -sqrt_of(50)}, "a − (−7.07107)"),
    ],
)
def test_numbers_are_put_in(expr: Expr, numbers: dict[str, Number], shown: str) -> None:
    assert unbroken(text(expr, numbers)) == shown


@pytest.mark.parametrize(
    ("expr", "shown", "plain", "tex", "spelt"),
    [
        (g(2, 13), "G₂,₁₃", "G_{2,13}", "G_{2,13}", "G(2, 13)"),
        (g(1, 10**6), "G₁,₁₀₀₀₀₀₀", "G_{1,1000000}", r"G_{1,1\,000\,000}", "G(1, 1000000)"),
        (
            total(total(g(j, k), j, 1, n), k, 1, c - s - 1),
            "∑_{k=1}^{c−s−1} ∑_{j=1}^{n} G_{j,k}",
            "sum_{k=1}^{c-s-1} sum_{j=1}^{n} G_{j,k}",
            r"\sum_{k=1}^{c - s - 1} \sum_{j=1}^{n} G_{j,k}",
            "Sum(Sum(G(j, k), (j, 1, n)), (k, 1, c - s - 1))",
        ),
        (
            Fun("sum_over", (g(k), Sym("A"), k)),
            "∑_{k ∈ A} G_k",
            "sum_{k in A} G_k",
            r"\sum_{k \in A} G_{k}",
            "SumOver(G(k), A)",
        ),
        (
            1 - eta * (LUCKY + g(1, 1)),
            "1 − η(∑_{(j,k) ∈ S₂} G_{j,k} + G₁,₁)",
            "1 - eta*(sum_{(j,k) in S_2} G_{j,k} + G_{1,1})",
            r"1 - \eta \bigl( \sum_{(j,k) \in S_{2}} G_{j,k} + G_{1,1} \bigr)",
            "1 - eta*(SumOver(G(j, k), S_2) + G(1, 1))",
        ),
        (
            eta * total(g(1, k) - g(j, k), k, 1, 2),
            "η·∑_{k=1}^{2} (G_{1,k} − G_{j,k})",
            "eta*sum_{k=1}^{2} (G_{1,k} - G_{j,k})",
            r"\eta \sum_{k=1}^{2} (G_{1,k} - G_{j,k})",
            "eta*Sum((G(1, k) - G(j, k)), (k, 1, 2))",
        ),
    ],
)
def test_indices(expr: Expr, shown: str, plain: str, tex: str, spelt: str) -> None:
    assert unbroken(text(expr)) == shown
    assert ascii_only(unbroken(text(expr))) == plain
    assert latex(expr) == tex
    assert code(expr) == spelt


def test_mathml() -> None:
    assert written(g(2, 3), MathML()) == (
        "<msub><mi>G</mi><mrow><mn>2</mn><mo>,</mo><mn>3</mn></mrow></msub>"
    )
    data = written(total(g(1, k), k, 1, c), MathML())
    assert data.startswith("<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow>")
    assert "<mo>∈</mo>" in written(LUCKY, MathML())
    assert "stretchy='true'" in written(eta * (LUCKY + g(1, 1)), MathML())


def test_where_lines_may_break() -> None:
    """A mark for each bracket that the place is inside of: the outermost places come first."""
    one, two, three = INNER, INNER * 2, INNER * 3
    assert text(a + b - c * (a + b)) == f"a{BREAK} + b{BREAK} − c{one}·(a{two} + b)"
    assert text(Fun("max", (a + b, c))) == f"max(a{one} + b,{BREAK} c)"
    assert text(Fun("norm", (a + c * (a + b),))) == f"‖a{one} + c{two}·(a{three} + b)‖"
    assert text(a + b > c) == f"a{BREAK} + b{BREAK} > c"
