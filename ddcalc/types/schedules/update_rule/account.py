"""What a read comes to, and the steps that explain it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ddcalc.formula.expression import Add, Num, substitute
from ddcalc.numbers.amounts import amount, amount_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.plan import Values
from ddcalc.problem.play import defined, outline
from ddcalc.problem.quantity import Derived
from ddcalc.problem.speaker import hedged
from ddcalc.problem.steps import Bound, Cells, Define, Link, Step, Table
from ddcalc.types.schedules.update_rule.model import (
    READER,
    W_0,
    Arrived,
    C,
    Counted,
    Run,
    weights,
)
from ddcalc.types.schedules.update_rule.rules import LISTED, Rule, clocks

STRETCHES = 3  # of a worker's clocks that are shown


class ReadAccount:
    """The values and steps of a read under its *rule*, with what has *arrived* on a schedule if one
    is played; they define what is *declared*. *turns* has what happens at one instant, by order."""

    def __init__(
        self,
        rule: Rule,
        arrived: Arrived | None,
        declared: Mapping[str, Derived],
        turns: Mapping[str, str],
    ) -> None:
        self.rule, self.arrived, self.declared, self.turns = rule, arrived, declared, turns
        self.answer = arrived.weights() if arrived and rule.scheme else rule.weights()

    @property
    def asides(self) -> list[str]:
        """Steps that are shown on demand only: other forms of the rule, and what is nothing."""
        asides, rule = ["own", "update", "average", "printed", "right", "slip"], self.rule
        asides += ["contents"] * (self.arrived is not None and rule.scheme is not None)
        asides += ["common"] * (not rule.common().formula.parts())
        asides += [] if rule.choices else ["rule"]  # it stands in the last step
        return asides + ["possible"] * (rule.possible().value == 0)

    @property
    def named(self) -> list[str]:
        """The choices that shape the answer."""
        order = ["order"] if self.arrived and self.rule.scheme else []
        return ["scheme", *self.rule.choices, *order]

    def values(self) -> Values:
        """The derived quantities by name."""
        rule = self.rule
        values: Values = {
            "common": rule.common().value,
            "own": rule.own_ones().value,
            "guaranteed": rule.guaranteed().value,
            "possible": rule.possible().value,
            "weights": self.answer,
        }
        return {**values, "actual": self.arrived.count} if self.arrived else values

    def steps(self) -> Iterator[Step]:
        """From the rule in letters to the weights of this read."""
        rule, arrived = self.rule, self.arrived
        value = rule.formula()
        title = rule.name[0].upper() + rule.name[1:]
        link = Link("=", value, "the indices of G are its worker and its iteration")
        yield Bound("rule", "w", title, rule.why, weights(READER, C), (link,), value)
        yield from rule.update()
        yield self._counted("common", rule.common())
        yield rule.table()
        yield self._counted("own", rule.own_ones())
        yield self._counted("guaranteed", rule.guaranteed())
        if rule.possible().value is not None:
            yield self._counted("possible", rule.possible())
        if arrived:
            yield self._arrivals(arrived)
            counts = Add(tuple(Num(arrived.of_worker(worker)) for worker in arrived.runs))
            yield defined(self.declared["actual"], arrived.count, counts)
        yield self._weights(self.declared["weights"])
        yield from rule.slip()

    def _counted(self, name: str, count: Counted) -> Define:
        workers = {"n": Num(self.rule.read.workers)} if self.arrived else {}  # the times say it
        formula = substitute(count.formula, workers)
        return defined(self.declared[name], count.value, formula, count.numbers, count.why)

    def _arrivals(self, arrived: Arrived) -> Table:
        """Whose gradients are in on a schedule."""
        rule, perhaps = self.rule, self.rule.possible().value != 0 and not self.rule.choices
        common = rule.common().value or 0

        def row(worker: int | None) -> Cells:
            if worker is None:
                return ("…",) * len(header)
            runs, takes = arrived.runs[worker], arrived.periods[worker - 1]
            count = Num(arrived.of_worker(worker))
            cells: Cells = (Num(worker), amount_text(takes, SECOND), _stretches(runs), count)
            if not perhaps:
                return cells
            later = [(max(first, common + 1), last) for first, last in runs if last > common]
            return *cells, "–" if worker == rule.read.worker else _stretches(later)

        header: tuple[str, ...] = (
            "worker",
            "a gradient takes",
            "iterations that are in",
            "how many",
        )
        header = (*header, "in the set S") if perhaps else header
        rows = tuple(map(row, outline(1, rule.read.workers)))
        return Table("What has arrived on this schedule", self._moment(arrived), header, rows)

    def _moment(self, arrived: Arrived) -> str:
        """When the worker reads, and why not before."""
        why = f"worker {arrived.read.worker} reads at {hedged(amount(arrived.when, SECOND))}"
        if arrived.hold:
            since, other = arrived.hold
            why += f", after it has waited for worker {other} since {hedged(amount(since, SECOND))}"
        return f"{why}; {self.turns[arrived.order]}" if arrived.order else why

    def _weights(self, quantity: Derived) -> Bound:
        """The weights of this worker and iteration."""
        rule, value = self.rule, self.answer
        subject = weights(rule.read.worker, rule.read.clock)
        played = self.arrived is not None and value != rule.weights()
        links = [] if rule.choices or value == W_0 else [Link("=", rule.formula(), rule.says)]
        links += [] if played else [Link("=", rule.sums(), "with these numbers")]
        named_all = rule.guaranteed().value or 0
        if rule.written_out() != rule.sums() and not played and named_all <= LISTED:
            links.append(Link("=", rule.written_out(), "written out"))
        if value not in (link.expr for link in links):
            links.append(Link("=", value, "on this schedule"))
        why = "" if rule.read.before else "nothing is in yet"
        named = quantity.name, quantity.letter, quantity.title
        return Bound(*named, why, subject, tuple(links), value)


def _stretches(runs: Sequence[Run]) -> str:
    places = outline(0, len(runs) - 1, STRETCHES)
    texts = ("…" if place is None else clocks(*runs[place]) for place in places)
    return ", ".join(texts) or "none"
