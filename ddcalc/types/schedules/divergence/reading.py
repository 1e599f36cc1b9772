"""Which x each gradient is taken at, and where those points are: tables for an explanation."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Num, Sym
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.problem.play import outline
from ddcalc.problem.steps import Cells, Table
from ddcalc.types.schedules.divergence.bound import ETA
from ddcalc.types.schedules.divergence.runs import Operation, Runs

GAP = Sym("…")


def gradient(data: int, point: Expr) -> Expr:
    """∇f_data at *point*."""
    return Fun("grad", (Num(data), point))


def taken(runs: Runs, data: int) -> Expr:
    """The asynchronous gradient on *data*."""
    return gradient(data, runs.point(runs.asynchronous[data - 1].seen))


def taken_alone(data: int) -> Expr:
    """The sequential gradient on *data*."""
    return gradient(data, Sym(f"x_{data - 1}"))


def reads(runs: Runs) -> Table:
    """The point of each gradient in both runs."""
    why = "each gradient is taken at the x that the updates before its start have left"
    if runs.asynchronous and runs.asynchronous[-1].seen > runs.shared:
        why += "; y_k is the asynchronous x after k updates, which the sequential run never has"
    header = ("data", "core", "from–to", "taken at", "alone from–to", "taken at", "gradients")
    rows = [_read(runs, data) for data in outline(1, runs.longest)]
    return Table("Where each gradient is taken (times in s)", why, header, tuple(rows))


def _read(runs: Runs, data: int | None) -> Cells:
    if data is None:
        return ("…",) * 7
    ours: Cells = ("–", "–", "–")
    theirs: Cells = ("–", "–")
    if data <= len(runs.asynchronous):
        op = runs.asynchronous[data - 1]
        ours = (Num(op.worker), _interval(op), runs.point(op.seen))
    if data <= len(runs.sequential):
        op = runs.sequential[data - 1]
        theirs = (_interval(op), Sym(f"x_{op.seen}"))
    return (Num(data), *ours, *theirs, _verdict(runs, data))


def _verdict(runs: Runs, data: int) -> str:
    if data <= runs.shared:
        return "the same"
    return "differ" if data <= runs.matched else "only one"


def _interval(operation: Operation) -> str:
    return f"{decimal_or_fraction(operation.start)}–{decimal_or_fraction(operation.end)}"


def points(runs: Runs) -> Table | None:
    """How the points other than x_0 come about; None if there are none."""
    rows = (*_sequential_points(runs), *_asynchronous_points(runs))
    if not rows:
        return None
    why = "each update goes one step down its gradient from where x was before"
    return Table("The points in between", why, ("point", "is"), rows)


def _sequential_points(runs: Runs) -> Iterator[Cells]:
    seen = runs.asynchronous[-1].seen if runs.asynchronous else 0
    for k in outline(1, max(len(runs.sequential) - 1, min(seen, runs.shared))):
        yield _point(Sym(f"x_{k}"), Sym(f"x_{k - 1}"), taken_alone(k)) if k else ("…", "…")


def _asynchronous_points(runs: Runs) -> Iterator[Cells]:
    seen = runs.asynchronous[-1].seen if runs.asynchronous else 0
    for k in outline(runs.shared + 1, seen):
        yield _point(runs.point(k), runs.point(k - 1), taken(runs, k)) if k else ("…", "…")


def _point(point: Expr, before: Expr, gradient: Expr) -> Cells:
    return point, Add((before, Neg(Mul((ETA, gradient)))))
