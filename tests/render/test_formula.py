"""Formulas in every notation, and equations as sides."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ddcalc.ask.solve import solve
from ddcalc.formula.algebra import (
    ceiling_log2,
    exp,
    floor_log2,
    floor_power2,
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
from ddcalc.numbers.irrational import exp as exp_of
from ddcalc.numbers.irrational import sqrt as sqrt_of
from ddcalc.numbers.units import HOUR
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Compare, Define, Solve
from ddcalc.render import story
from ddcalc.render.notation import BREAK, INNER, unbroken, written
from ddcalc.render.notation.mathml import MathML
from ddcalc.render.notation.plain import code, text
from ddcalc.render.notation.tex import latex
from ddcalc.render.story import Sides, comparison, equation, solution

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
        (Fun("floor", (m,)) + 1, "⌊m⌋ + 1", r"\lfloor m \rfloor + 1"),
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
        (a - b - c, "a − b − c", "a - b - c"),
        ((a + b) * c, "(a + b)·c", r"(a + b) \cdot c"),
        (a / b / c, "(a/b)/c", r"\frac{\frac{a}{b}}{c}"),
        (a / (b * c), "a/(b·c)", r"\frac{a}{b \cdot c}"),
        (a * b / c, "a·b/c", r"\frac{a \cdot b}{c}"),
        (a * (b / c), "a·(b/c)", r"a \cdot \frac{b}{c}"),
        (Neg(a) * b, "(−a)·b", r"(-a) \cdot b"),
        (Neg(a + b), "−(a + b)", "-(a + b)"),
        (Pow(a, Num(2)) * b, "a^2·b", r"a^{2} \cdot b"),
        (Pow(a / b, c + 1), "(a/b)^(c + 1)", r"\left( \frac{a}{b} \right)^{c + 1}"),
        (Fun("max", (a, b)), "max(a, b)", r"\max(a, b)"),
        (Fun("argmax", (a, b)), "position of max(a, b)", r"\text{position of } \max(a, b)"),
        (sqrt(a), "√a", r"\sqrt{a}"),
        (sqrt(a / b) * c, "√(a/b)·c", r"\sqrt{\frac{a}{b}} \cdot c"),
        (sqrt(a) ** 2, "(√a)^2", r"(\sqrt{a})^{2}"),
        (1 / sqrt(a + b), "1/√(a + b)", r"\frac{1}{\sqrt{a + b}}"),
        (sqrt(sqrt(a)), "√(√a)", r"\sqrt{\sqrt{a}}"),
        (exp(a), "e^a", r"\mathrm{e}^{a}"),
        (b * exp(-(a * m)), "b·e^(−a·m)", r"b \cdot \mathrm{e}^{-a \cdot m}"),
        (exp(a) ** b, "(e^a)^b", r"(\mathrm{e}^{a})^{b}"),
        (log(a / b), "ln(a/b)", r"\ln\left( \frac{a}{b} \right)"),
        (log(a) * 2, "ln(a)·2", r"\ln(a) \cdot 2"),
        (lambert(a) * 2, "W(a)·2", r"W(a) \cdot 2"),
        (
            harmonic(m + 1, b) / a,
            "(∑_{k=1}^{m+1} (1/k^b))/a",
            r"\frac{\sum_{k=1}^{m + 1} \frac{1}{k^{b}}}{a}",
        ),
        (ceiling_log2(m) * a, "⌈log₂ m⌉·a", r"\lceil \log_2 m \rceil \cdot a"),
        (floor_log2(m / 2), "⌊log₂(m/2)⌋", None),
        (a / floor_power2(m), "a/2^⌊log₂ m⌋", r"\frac{a}{2^{\lfloor \log_2 m \rfloor}}"),
        (Nothing(), "no value", r"\text{no value}"),
        (Rel("==", a, b), "a = b", "a = b"),
        (Rel("<=", a, b), "a ≤ b", r"a \le b"),
        (Num(Fraction(200, 3)) * a, "(200/3)·a", r"\frac{200}{3} \cdot a"),
        (Num(Fraction(-1, 4)), "−0.25", "-0.25"),
        (Num(76800), "76 800", r"76\,800"),
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
        (a * b, {"a": -2, "b": -3}, "(−2)·(−3)"),
        (a / b, {"b": Fraction(200, 3)}, "a/(200/3)"),
        (a * b, {"b": Fraction(200, 3)}, "a·(200/3)"),
        (Pow(a, b), {"a": -2, "b": Fraction(1, 3)}, "(−2)^(1/3)"),
        (Fun("floor", (a / b,)), {"a": 1500, "b": 6}, "⌊1 500/6⌋"),
        (a + b, {"a": 10**40 + Fraction(1, 3)}, "(≈ 1×10^40) + b"),
        (a / b, {"b": 2**60}, "a/1 152 921 504 606 846 976"),
        (Fun("sqrt", (a,)), {"a": 76800}, "√(76 800)"),
        (Fun("sqrt", (a,)), {"a": Fraction(1, 3)}, "√(1/3)"),
        (Fun("exp", (a,)), {"a": -2}, "e^(−2)"),
        (a / b, {"b": sqrt_of(50)}, "a/7.07107"),
        (a - b, {"b": -sqrt_of(50)}, "a − (−7.07107)"),
        (a * b, {"b": exp_of(-99)}, "a·1.01122×10^−43"),
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
        (Neg(eta) * delta, "-Delta*eta"),
        (a / (b / c), "a*c/b"),
        (Num(Fraction(1191, 2)), "1191/2"),
        ((a + b) * 3, "3*(a + b)"),
        (Pow(a, Num(2)) * b, "a**2*b"),
        (Fun("ceiling", (Sym("N") / Sym("B"),)), "ceiling(N/B)"),
        (eta * Fun("norm", (grad(1, "x_0"),)), "eta*norm(grad(1, x_0))"),
        (1 / a, "1/a"),
        (Fun("max", MANY[:14]), f"Max({', '.join(f'f_{i}' for i in range(1, 15))})"),
    ],
)
def test_code_is_spelled_as_sympy_spells(expr: Expr, spelled: str) -> None:
    assert code(expr) == spelled


def test_code_agrees_with_sympy() -> None:
    from ddcalc.formula.cas import to_sympy

    for expr in (4 * eta * delta, 2 * delta / 5, Fun("min", (Num(2), 3 * eta)), delta / (5 * m)):
        assert code(expr) == str(to_sympy(expr, {}))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("eta", "η"),
        ("Delta", "Δ"),
        ("x_0", "x₀"),
        ("w_12", "w₁₂"),
        ("x_1_2", "x₁,₂"),
        ("t_agg", "t_agg"),
        ("t_comp_3", "t_comp₃"),
        ("T", "T"),
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


def test_mathml() -> None:
    shape = written(4 * eta / Sym("t_agg"), MathML(), {"t_agg": Fraction(-1, 3)})
    assert shape.startswith("<mfrac><mrow><mn>4</mn>")
    assert "<mo form='prefix'>−</mo><mfrac><mrow><mn>1</mn></mrow><mrow><mn>3</mn>" in shape


def line(sides: Sides) -> str:
    return " ".join(f"{side.sign} {side.what}".strip() for side in sides)


def lines(slug: str, texts: dict[str, str | list[str]]) -> list[str]:
    written = []
    for step in solve(problem_named(slug), texts).steps:
        if isinstance(step, Define):
            written.append(line(equation(step)))
        elif isinstance(step, Solve):
            written.append(line(solution(step)))
        elif isinstance(step, Compare):
            written.append(line(comparison(step)))
    return written


EPOCHS: dict[str, str | list[str]] = {
    "samples": "76800",
    "batch": "1536",
    "epochs": "10",
    "workers": "6",
    "download": "1.5 s",
    "compute": "4 s",
    "upload": "1.5 s",
    "aggregate": "15 ms",
}


def test_equations_of_epoch_time() -> None:
    assert lines("epoch-time", EPOCHS | {"price": "0.5 USD/h"}) == [
        "b = ⌈N/B⌉ = ⌈76 800/1 536⌉ = 50",
        "K = E·b = 10·50 = 500",
        "R = ⌊K/m⌋ = ⌊500/6⌋ = 83",
        "r = K − R·m = 500 − 83·6 = 2",
        "t_full = t_down + t_comp + t_up + m·t_agg = 1.5 + 4 + 1.5 + 6·0.015 = 7.09 s",
        "t_last = t_down + t_comp + t_up + r·t_agg = 1.5 + 4 + 1.5 + 2·0.015 = 7.03 s",
        "T = R·t_full + t_last = 83·7.09 + 7.03 = 595.5 s",
        "W = m·T = 6·595.5 = 3 573 s = 0.9925 h",
        "C = W·p = 0.9925·0.5 = 0.49625 USD",
    ]


def test_repeated_sides_are_left_out() -> None:
    written = lines("epoch-time", EPOCHS | {"workers": "5"})
    assert written[3] == "r = K − R·m = 500 − 100·5 = 0"
    assert written[5] == "t_last = 0 s"


def test_an_inequality_and_its_proof() -> None:
    times: dict[str, str | list[str]] = {
        "download": "1.5 s",
        "compute": "4 s",
        "upload": "1.5 s",
        "aggregate": "15 ms",
    }
    assert lines("breakeven", times) == [
        "m > m_eq = (t_comp − t_down − t_up)/t_agg = (4 − 1.5 − 1.5)/0.015 = 200/3 ≈ 66.6667",
        "m = ⌊m_eq⌋ + 1 = ⌊200/3⌋ + 1 = 67",
        "1.5 + 1.5 + 67·0.015 = 4.005 s > 4 s",
        "1.5 + 1.5 + 66·0.015 = 3.99 s > 4 s",
    ]


def test_the_story_of_epoch_time() -> None:
    solved = solve(problem_named("epoch-time"), EPOCHS)
    answer = story.answer(solved)
    assert (line(answer.sides), answer.second) == ("T = 595.5 s", "9 min 55.5 s")
    assert line(story.answer(solved, HOUR).sides).startswith("T = 397/2 400 h ≈ 0.165")
    assert story.read_as(solved)[0] == "batches of all epochs stand in one queue"
    assert [(item.value, item.difference) for item in story.otherwise(solved)] == [
        ("637.5 s", "+7.1 %"),
        ("588.47 s", "−1.2 %"),
        ("595.56 s", "+0.01 %"),
        ("1 843.5 s", "+210 %"),
    ]
    assert story.shares(solved) == [
        ("computation", "56.4 %"),
        ("transfer", "42.3 %"),
        ("aggregation", "1.3 %"),
    ]


def test_givens_are_told_as_written() -> None:
    stated = EPOCHS | {"samples": "8*9600", "batch": "1_536", "compute": "1/3 s", "upload": "2 sec"}
    written = {
        step.name: story.given_text(step)
        for step in story.givens(solve(problem_named("epoch-time"), stated))
    }
    assert written["samples"] == "8*9600 = 76 800"
    assert written["batch"] == "1 536"
    assert written["compute"] == "1/3 s ≈ 0.333333 s"
    assert written["upload"] == "2 s"
    assert written["aggregate"] == "15 ms"


@pytest.mark.parametrize(
    ("value", "base", "shown"),
    [
        (110, 100, "+10 %"),
        (Fraction(2, 3), 1, "−33 %"),
        (1000, 7, "+14 186 %"),
        (5, 0, ""),
        (None, 5, ""),
        (eta, 5, ""),
        (-1, -2, "+50 %"),
    ],
)
def test_differences(value: Number | None, base: Number, shown: str) -> None:
    assert story.difference(value, base) == shown
