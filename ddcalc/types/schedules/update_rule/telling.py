"""The steps that explain the weights of one read."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.formula.expression import Expr, Num
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.play import outline
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Bound, Cells, Link, Table
from ddcalc.types.schedules.update_rule.arrived import Arrived, Run
from ddcalc.types.schedules.update_rule.contents import clocks
from ddcalc.types.schedules.update_rule.letters import READER, C, weights
from ddcalc.types.schedules.update_rule.rule import Rule

RUNS = 3  # stretches of a worker's clocks that are told


def in_letters(rule: Rule) -> Bound:
    """The rule for any worker and clock."""
    value = rule.formula()
    link = Link("=", value, "the indices of G are its worker and its clock")
    title = rule.name[0].upper() + rule.name[1:]
    return Bound("rule", "w", title, rule.why, weights(READER, C), (link,), value)


def arrivals(rule: Rule, arrived: Arrived) -> Table:
    """Whose gradients are in on a schedule."""
    perhaps = rule.possible().value != 0 and not rule.choices
    header: tuple[str, ...] = ("worker", "a gradient takes", "clocks that are in", "how many")
    if perhaps:
        header += ("in the set S",)
    rows = (_arrivals(rule, arrived, worker, perhaps) for worker in outline(1, rule.read.workers))
    return Table("What has arrived on this schedule", _moment(arrived), header, tuple(rows))


def _moment(arrived: Arrived) -> str:
    """When the worker reads, and why not before."""
    why = f"worker {arrived.read.worker} reads at {quantity_text(arrived.when, SECOND)}"
    if arrived.hold:
        since, other = arrived.hold
        why += f", after it has waited for worker {other} since {quantity_text(since, SECOND)}"
    return f"{why}; {arrived.turns}" if arrived.turns else why


def _arrivals(rule: Rule, arrived: Arrived, worker: int | None, perhaps: bool) -> Cells:
    if worker is None:
        return ("…",) * (4 + perhaps)
    takes = quantity_text(arrived.periods[worker - 1], SECOND)
    runs = arrived.runs[worker]
    told: Cells = (Num(worker), takes, _clocks(runs), Num(arrived.of_worker(worker)))
    if not perhaps:
        return told
    common = rule.common().value or 0
    later = [(max(first, common + 1), last) for first, last in runs if last > common]
    return *told, "–" if worker == rule.read.worker else _clocks(later)


def _clocks(runs: Sequence[Run]) -> str:
    places = outline(0, len(runs) - 1, RUNS)
    told = ("…" if place is None else clocks(*runs[place]) for place in places)
    return ", ".join(told) or "none"


def what_is_read(quantity: Derived, rule: Rule, arrived: Arrived | None) -> Bound:
    """The weights of this worker and clock."""
    subject = weights(rule.read.worker, rule.read.clock)
    value = answer(rule, arrived)
    links = [Link("=", rule.sums(), "with these numbers")]
    if rule.written_out() != rule.sums():
        links.append(Link("=", rule.written_out(), "written out"))
    if value not in (link.expr for link in links):
        links.append(Link("=", value, "on this schedule"))
    why = "the rule with the numbers put in" if rule.read.before else "nothing is in yet"
    return Bound(quantity.name, quantity.letter, quantity.title, why, subject, tuple(links), value)


def answer(rule: Rule, arrived: Arrived | None) -> Expr:
    """The weights, on a schedule if there is one that changes anything."""
    return arrived.weights() if arrived and rule.scheme() else rule.weights()
