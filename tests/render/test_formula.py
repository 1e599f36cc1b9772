"""Formulas in every notation, and equations as sides."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ddcalc.formula.algebra import (
    FUNCTIONS,
    exp,
    floor_log2,
    harmonic,
    lambert,
    log,
    sqrt,
)
from ddcalc.formula.expression import (
    Case,
    Cases,
    Expr,
    Fun,
    Neg,
    Nothing,
    Num,
    Number,
    Pow,
    Rel,
    Sym,
)
from ddcalc.formula.letters import letter
from ddcalc.numbers.irrational import sqrt as sqrt_of
from ddcalc.render.notation import BREAK, INNER, unbroken
from ddcalc.render.notation.plain import code, text
from ddcalc.render.notation.tex import latex

a, b, c, m, eta, delta = map(Sym, ("a", "b", "c", "m", "eta", "Delta"))
TRIP = Sym("t_down") + Sym("t_comp") + Sym("t_up") + m * Sym("t_agg")
TIMES: dict[str, Number] = {
    "t_down": Fraction(3, 2),
    "t_comp": 4,
    "t_up": Fraction(3, 2),
    "m": 6,
    "t_agg": Fraction(15, 1000),
}
MANY = tuple(Sym(f"f_{i}") for i in range(1, 20))


def grad(data: int, point: str) -> Expr:
    return Fun("grad", (Num(data), Sym(point)))


@pytest.mark.parametrize(
    ("expr", "shown", "tex"),
    [
        (Fun("ceiling", (Sym("N") / Sym("B"),)), "⌈N/B⌉", r"\left\lceil \frac{N}{B} \right\rceil"),
        (TRIP, "t_down + t_comp + t_up + m·t_agg", None),
        (4 * eta * delta, "4ηΔ", r"4 \eta \Delta"),
        (m * eta, "m·η", r"m \cdot \eta"),
        (
            eta * (grad(2, "x_1") - grad(12, "x_0")),
            "η(∇f₂(x₁) − ∇f₁₂(x₀))",
            r"\eta (\nabla f_{2}(x_{1}) - \nabla f_{12}(x_{0}))",
        ),
        (
            Fun("norm", (Sym("x_async") - Sym("x_seq"),)),
            "‖x_async − x_seq‖",
            r"\lVert x_{\mathrm{async}} - x_{\mathrm{seq}} \rVert",
        ),
        (a - (b - c), "a − (b − c)", "a - (b - c)"),
        ((a + b) * c, "(a + b)·c", r"(a + b) \cdot c"),
        (a / b / c, "(a/b)/c", r"\frac{\frac{a}{b}}{c}"),
        (a / (b * c), "a/(b·c)", r"\frac{a}{b \cdot c}"),
        (a * (b / c), "a·(b/c)", r"a \cdot \frac{b}{c}"),
        (Neg(a) * b, "(−a)·b", r"(-a) \cdot b"),
        (Neg(a + b), "−(a + b)", "-(a + b)"),
        (Pow(a / b, c + 1), "(a/b)^(c + 1)", r"\left( \frac{a}{b} \right)^{c + 1}"),
        (Fun("max", (a, b)), "max(a, b)", r"\max(a, b)"),
        (Fun("argmax", (a, b)), "position of max(a, b)", r"\text{position of } \max(a, b)"),
        (sqrt(a / b) * c, "√(a/b)·c", r"\sqrt{\frac{a}{b}} \cdot c"),
        (sqrt(a) ** 2, "(√a)^2", r"(\sqrt{a})^{2}"),
        (1 / sqrt(a + b), "1/√(a + b)", r"\frac{1}{\sqrt{a + b}}"),
        (exp(a), "e^a", r"\mathrm{e}^{a}"),
        (b * exp(-(a * m)), "b·e^(−a·m)", r"b \cdot \mathrm{e}^{-a \cdot m}"),
        (exp(a) ** b, "(e^a)^b", r"(\mathrm{e}^{a})^{b}"),
        (log(a / b), "ln(a/b)", r"\ln\left( \frac{a}{b} \right)"),
        (lambert(a) * 2, "W(a)·2", r"W(a) \cdot 2"),
        (
            harmonic(m + 1, b) / a,
            "(∑_{k=1}^{m+1} (1/k^b))/a",
            r"\frac{\sum_{k=1}^{m + 1} \frac{1}{k^{b}}}{a}",
        ),
        (FUNCTIONS["ceiling_log2"](m) * a, "⌈log₂ m⌉·a", r"\lceil \log_2 m \rceil \cdot a"),
        (floor_log2(m / 2), "⌊log₂(m/2)⌋", None),
        (
            a / FUNCTIONS["floor_power2"](m),
            "a/2^⌊log₂ m⌋",
            r"\frac{a}{2^{\lfloor \log_2 m \rfloor}}",
        ),
        (Nothing(), "no value", r"\text{no value}"),
        (Rel("==", a, b), "a = b", "a = b"),
        (Rel("<=", a, b), "a ≤ b", r"a \le b"),
        (Num(Fraction(200, 3)) * a, "(200/3)·a", r"\frac{200}{3} \cdot a"),
        (Num(Fraction(-1, 4)), "−0.25", "-0.25"),
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
        (TRIP, TIMES, "1.5 + 4 + 1.5 + 6·0.015"),
        (a - b, {"a": -2, "b": -3}, "−2 − (−3)"),
        (a * b, {"b": Fraction(200, 3)}, "a·(200/3)"),
        (Pow(a, b), {"a": -2, "b": Fraction(1, 3)}, "(−2)^(1/3)"),
        (Fun("floor", (a / b,)), {"a": 1500, "b": 6}, "⌊1 500/6⌋"),
        (a + b, {"a": 10**40 + Fraction(1, 3)}, "(≈ 1×10^40) + b"),
        (a / b, {"b": 2**60}, "a/1 152 921 504 606 846 976"),
        (Fun("sqrt", (a,)), {"a": 76800}, "√(76 800)"),
        (Fun("exp", (a,)), {"a": -2}, "e^(−2)"),
        (a / b, {"b": sqrt_of(50)}, "a/7.07107"),
        (a - b, {"b": -sqrt_of(50)}, "a − (−7.07107)"),
    ],
)
def test_numbers_are_put_in(expr: Expr, numbers: dict[str, Number], shown: str) -> None:
    assert unbroken(text(expr, numbers)) == shown


@pytest.mark.parametrize(
    ("expr", "spelled"),
    [
        (4 * eta * delta, "4*Delta*eta"),
        (2 * delta / 5, "2*Delta/5"),
        (Fun("min", (Num(2), 3 * eta)), "Min(2, 3*eta)"),
        (eta * 2 * delta / (m * 5) - eta * Num(Fraction(1, 3)), "2*Delta*eta/(5*m) - eta/3"),
        (a / (b / c), "a*c/b"),
        ((a + b) * 3, "3*(a + b)"),
        (Pow(a, Num(2)) * b, "a**2*b"),
        (Fun("ceiling", (Sym("N") / Sym("B"),)), "ceiling(N/B)"),
        (eta * Fun("norm", (grad(1, "x_0"),)), "eta*norm(grad(1, x_0))"),
        (Fun("max", MANY[:14]), f"Max({', '.join(f'f_{i}' for i in range(1, 15))})"),
    ],
)
def test_code_is_spelled_as_sympy_spells(expr: Expr, spelled: str) -> None:
    assert code(expr) == spelled


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("eta", "η"),
        ("x_0", "x₀"),
        ("x_1_2", "x₁,₂"),
        ("t_agg", "t_agg"),
        ("t_comp_3", "t_comp₃"),
        ("eta_max", "η_max"),
    ],
)
def test_letters(name: str, shown: str) -> None:
    assert letter(name) == shown


def test_long_lists_are_shortened() -> None:
    assert unbroken(text(Fun("max", MANY))) == "max(f₁, f₂, f₃, f₄, …, f₁₉)"
    assert unbroken(text(sum(MANY[1:], MANY[0]))) == "f₁ + f₂ + f₃ + f₄ + … + f₁₉"
    assert "…" not in text(Fun("max", MANY[:12]))


def test_where_lines_may_break() -> None:
    """A mark for each bracket that the place is inside of: the outermost places come first."""
    one, two, three = INNER, INNER * 2, INNER * 3
    assert text(a + b - c * (a + b)) == f"a{BREAK} + b{BREAK} − c{one}·(a{two} + b)"
    assert text(Fun("max", (a + b, c))) == f"max(a{one} + b,{BREAK} c)"
    assert text(c * Fun("max", (a, b))) == f"c{BREAK}·max(a,{one} b)"
    assert text(Fun("norm", (a + c * (a + b),))) == f"‖a{one} + c{two}·(a{three} + b)‖"
    assert text(a + b > c) == f"a{BREAK} + b{BREAK} > c"
