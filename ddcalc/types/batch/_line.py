"""A line through measured points by exact least squares."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.formula.algebra import Expr, total


def mean(xs: Sequence[Expr]) -> Expr:
    """The mean of *xs*."""
    return total(xs) / len(xs)


def slope(xs: Sequence[Expr], ys: Sequence[Expr]) -> Expr:
    """The slope of the line of least squares; of one point, of the line from the origin."""
    if len(xs) == 1:
        return ys[0] / xs[0]
    if len(xs) == 2:
        return (ys[1] - ys[0]) / (xs[1] - xs[0])
    moments = total(x * y for x, y in zip(xs, ys, strict=True))
    squares = total(x**2 for x in xs)
    return (len(xs) * moments - total(xs) * total(ys)) / (len(xs) * squares - total(xs) ** 2)


def intercept(xs: Sequence[Expr], ys: Sequence[Expr], steep: Expr) -> Expr:
    """Where the line of least squares, which is as *steep*, begins."""
    if len(xs) <= 2:
        return ys[0] - steep * xs[0]
    return (total(ys) - steep * total(xs)) / len(xs)


def bent(xs: Sequence[Expr], ys: Sequence[Expr]) -> Expr:
    """0 if and only if all points lie on the line of the first two, which differ."""
    wide, high = xs[1] - xs[0], ys[1] - ys[0]
    off = [(y - ys[0]) * wide - high * (x - xs[0]) for x, y in zip(xs[2:], ys[2:], strict=True)]
    return total([one**2 for one in off])


def scatter(xs: Sequence[Expr]) -> Expr:
    """More than 0 if and only if the *xs* differ: n·Σx² − (Σx)²."""
    return len(xs) * total(x**2 for x in xs) - total(xs) ** 2


def signs(xs: Sequence[Expr], ys: Sequence[Expr]) -> tuple[Expr, Expr]:
    """What has the sign of the slope, and of the intercept, where the *xs* differ."""
    products = total(x * y for x, y in zip(xs, ys, strict=True))
    rises = len(xs) * products - total(xs) * total(ys)
    begins = total(ys) * total(x**2 for x in xs) - total(xs) * products
    return rises, begins
