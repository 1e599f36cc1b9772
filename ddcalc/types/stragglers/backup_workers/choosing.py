"""How many gradients a second rounds yield, and for how many workers to wait, as steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.numbers.number import Number
from ddcalc.problem.play import decimal, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.stragglers.backup_workers.rounds import Rounds


def choosing(
    rounds: Rounds, wait_for: int, declared: Mapping[str, Derived], *, memoryless: bool
) -> Iterator[Step]:
    """The steps from the wait for *wait_for* workers to the best k; they define what *declared*
    names. Exponential times are *memoryless*."""
    numbers: dict[str, Number] = {"E_k": rounds.waits[wait_for - 1]}
    length: Expr = Sym("E_k")
    if rounds.fixed:
        numbers["c"] = rounds.fixed
        yield defined(declared["round_time"], rounds.length(wait_for), Sym("c") + length, numbers)
        numbers, length = {"T": rounds.length(wait_for)}, Sym("T")
    rate = rounds.rates[wait_for - 1]
    numbers["k"] = wait_for
    yield defined(declared["gradient_rate"], rate, Sym("k") / length, numbers)
    yield _table(rounds, wait_for)
    yield _best(rounds, declared["best_wait_for"], memoryless)


def _table(rounds: Rounds, wait_for: int) -> Table:
    def row(k: int | None) -> Cells:
        if k is None:
            return ("…",) * len(header)
        told = [decimal(rounds.waits[k - 1])]
        if rounds.fixed:
            told.append(decimal(rounds.length(k)))
        marks = [mark for mark, at in (("best", rounds.best), ("asked", [wait_for])) if k in at]
        return Num(k), *told, decimal(rounds.rates[k - 1]), ", ".join(marks)

    with_fixed = ("a round (s)",) if rounds.fixed else ()
    header = ("k", "wait for k (s)", *with_fixed, "gradients a second", "")
    rows = tuple(map(row, outlined(len(rounds.waits), wait_for, *rounds.best)))
    return Table("For how many to wait", "every k is tried", header, rows)


def _best(rounds: Rounds, quantity: Derived, memoryless: bool) -> Define:
    best, *others = rounds.best
    if len(rounds.waits) == 1:
        why = "there is one worker alone"
    elif rounds.fixed or not memoryless:
        paid = "T/k" if rounds.fixed else "E_k/k"
        why = (
            f"one more pays while the wait for it is shorter than {paid}, what a gradient has cost"
            " so far"
        )
    else:
        why = (
            "always the fastest alone, since each further wait is longer, unless a round has a"
            " fixed cost"
        )
    why = "; ".join([f"{quantity.why}; {why}", *(f"k = {k} yields as many" for k in others)])
    return defined(quantity, best, why=why)
