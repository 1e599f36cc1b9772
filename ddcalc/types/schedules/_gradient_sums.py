"""The formulas of update rules: G_{j,k} is the gradient that worker j computes at its clock k."""

from __future__ import annotations

from collections.abc import Sequence
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Add
from ddcalc.formula.expression import Expr
from ddcalc.formula.expression import Fun
from ddcalc.formula.expression import Mul
from ddcalc.formula.expression import Neg
from ddcalc.formula.expression import Operand
from ddcalc.formula.expression import Sym
from ddcalc.formula.expression import substitute
from ddcalc.formula.expression import wrap


W_0, ETA = Sym("w_0"), Sym("eta")


N, READER, C, S, H, Q = (Sym(letter) for letter in ("n", "i", "c", "s", "H", "q"))  # given


K, OWN = Sym("K"), Sym("o")  # derived


J, CLOCK, UPDATE, UPDATES = (Sym(letter) for letter in ("j", "k", "t", "v"))


LUCK = Sym("S_i")  # the gradients of others that worker i happens to read


GAP = Sym("…")


Group = tuple[Expr, Sequence[Expr]]  # what a step is multiplied by, and the gradients in it


def gradient(worker: Operand, clock: Operand) -> Expr:
    """G_{worker,clock}."""
    return indexed("G", worker, clock)


def weights(*indices: Operand) -> Expr:
    """w_{worker,clock}: what a worker reads before that clock; w_clock if all read the same."""
    return indexed("w", *indices)


def indexed(letter: str, *indices: Operand) -> Expr:
    """A *letter* with *indices*."""
    return Fun("indexed", (Sym(letter), *map(wrap, indices)))


def summed(body: Expr, index: Sym, first: Operand, last: Operand) -> Expr:
    """The sum of *body* over *index* from *first* to *last*; *body* itself for a single one."""
    if wrap(first) == wrap(last):
        return substitute(body, {index.name: wrap(first)})
    return Fun("sum", (body, index, wrap(first), wrap(last)))


def of_all(workers: Operand, clock: Operand) -> Expr:
    """The sum of the gradients of all *workers* at *clock*."""
    return summed(gradient(J, clock), J, 1, workers)


def of_all_up_to(workers: Operand, last: Operand) -> Expr:
    """The sum of the gradients of all *workers* at the clocks from 1 to *last*."""
    return summed(of_all(workers, CLOCK), CLOCK, 1, last)


def of_one(worker: Operand, first: Operand, last: Operand) -> Expr:
    """The sum of the gradients of *worker* at the clocks from *first* to *last*."""
    return summed(gradient(worker, CLOCK), CLOCK, first, last)


def of_set(members: Expr) -> Expr:
    """The sum of the gradients in the set *members*."""
    return Fun("sum_over", (gradient(J, CLOCK), members, J, CLOCK))


def stepped(*groups: Group) -> Expr:
    """w_0 minus, for each group, what it is multiplied by times the sum of its gradients."""
    steps = [Neg(Mul((factor, total(terms)))) for factor, terms in groups if terms]
    return Add((W_0, *steps)) if steps else W_0
