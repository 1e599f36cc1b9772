"""Which number of workers is best, and why, as steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ddcalc.formula.expression import Expr, Num, Pow, Sym
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import HOUR
from ddcalc.problem.play import decimal, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.batch.batch_workers.plans import Plan, Training

B, N, C = Sym("B"), Sym("n"), Sym("B_crit")
FIXED, EACH, GROWS = Sym("a"), Sym("b"), Sym("g")


@dataclass(frozen=True)
class Choosing:
    """The best of *plans*, those for 1, 2, … workers: the least cost if *by_cost*, else the least
    time; none that takes longer than the *deadline* (s). *declared* is what the steps define."""

    training: Training
    plans: Sequence[Plan]
    by_cost: bool
    deadline: Number | None
    declared: Mapping[str, Derived]

    @cached_property
    def best(self) -> Plan | None:
        """The first of the best plans; None where every one takes too long."""
        if self.deadline is None:
            return min(self.plans, key=self._rank)
        soon = [plan for plan in self.plans if plan.time <= self.deadline]
        return min(soon, key=self._rank, default=None)

    @property
    def fastest(self) -> Plan:
        """The plan with the least time."""
        return min(self.plans, key=lambda plan: plan.time)

    def _rank(self, plan: Plan) -> Number:
        return plan.cost if self.by_cost else plan.time

    def values(self) -> dict[str, Number | None]:
        """The derived quantities by name."""
        best, training = self.best, self.training
        found: dict[str, Number | None] = {"best_workers": None if best is None else best.workers}
        for name, value in (("balance", training.balance), ("cheapest", self._cheapest)):
            if value is not None:
                found[name] = value
        if best is None:
            return found
        if best is not self.fastest:
            found["fastest_time"] = self.fastest.time
        found |= {"batch": best.batch, "steps": best.steps, "step_time": best.step_time}
        found |= {"time": best.time, "speedup": ratio(self.plans[0].time, best.time)}
        return found | ({"cost": best.cost} if self._paid else {})

    @property
    def _paid(self) -> bool:
        return bool(self.training.price or self.training.waiting)

    @property
    def _cheapest(self) -> Number | None:
        return self.training.cheapest if self.by_cost else None

    def steps(self) -> Iterator[Step]:
        """From the optimum in parts of a worker to the best whole numbers."""
        yield from self._continuous()
        yield self._table()
        yield self._best()
        if self.best is not None:
            yield from self._of(self.best)

    def _continuous(self) -> Iterator[Define]:
        """What setting derivatives to 0 says."""
        training = self.training
        if training.balance is not None:
            why = (
                "with a batch and workers in parts the time is least where b·B = g·n = z, with"
                " z^3 = b·g·B_crit·(z + a); so n is about z/g, and B about z/b"
            )
            yield defined(self.declared["balance"], training.balance, why=why)
        if self._cheapest is not None:
            ratio = Pow(Sym("w") / Sym("p"), Num(2)) * EACH * C / FIXED
            numbers = {**self._hourly, "b": training.per_sample}
            numbers |= {"B_crit": training.critical_batch, "a": training.fixed}
            formula = Pow(ratio, Num(1) / Num(3))
            yield defined(self.declared["cheapest"], self._cheapest, formula, numbers)

    @property
    def _hourly(self) -> dict[str, Number]:
        """The prices by their letters (USD/h)."""
        training = self.training
        return {"w": training.waiting * HOUR.worth, "p": training.price * HOUR.worth}

    def _table(self) -> Table:
        best = self.best or self.fastest

        def row(n: int | None) -> Cells:
            if n is None:
                return ("…",) * len(header)
            plan = self.plans[n - 1]
            told = [number_text(plan.batch)[0], decimal(plan.steps), decimal(plan.time)]
            if self._paid:
                told.append(decimal(plan.cost))
            return Num(n), *told, "best" if plan is self.best else ""

        money = ("cost (USD)",) if self._paid else ()
        header = ("workers", "batch each", "steps", "time (s)", *money, "")
        rows = tuple(map(row, outlined(len(self.plans), best.workers)))
        why = (
            "every number is tried, each with its best batch: the first with b·n·B(B + 1) ≥ (a +"
            " g·n)·B_crit, or the largest that fits"
        )
        return Table("Each number of workers", why, header, rows)

    def _best(self) -> Define:
        quantity, most = self.declared["best_workers"], number_text(len(self.plans))[0]
        if self.best is None:
            why = f"none of 1 to {most} meets the deadline; {decimal(self.fastest.time)} s is least"
            return defined(quantity, None, why=why)
        least = "the least cost" if self.by_cost else "the least time"
        within = "" if self.deadline is None else " of those within the deadline"
        return defined(quantity, self.best.workers, why=f"{least}{within}, of 1 to {most} workers")

    def _of(self, plan: Plan) -> Iterator[Define]:
        """What the best plan comes to."""
        training, declared = self.training, self.declared
        yield defined(declared["batch"], plan.batch, why="the best one for so many workers")
        together = {"n": plan.workers, "B": plan.batch}
        known = {"S_min": training.least_steps, "B_crit": training.critical_batch, **together}
        steps: Expr = Sym("S_min") * (1 + C / (N * B))
        yield defined(declared["steps"], plan.steps, steps, known)
        parts = {"a": training.fixed, "b": training.per_sample, **together}
        step: Expr = FIXED + EACH * B
        if training.per_worker:
            step, parts["g"] = step + GROWS * N, training.per_worker
        yield defined(declared["step_time"], plan.step_time, step, parts)
        numbers = {"S": plan.steps, "t_step": plan.step_time}
        yield defined(declared["time"], plan.time, Sym("S") * Sym("t_step"), numbers)
        if self._paid:
            money: Expr = N * Sym("p") + Sym("w") if training.waiting else N * Sym("p")
            hours = ratio(plan.time, HOUR.worth)
            numbers = {"n": plan.workers, "T": hours, **self._hourly}
            why = f"{declared['cost'].why}, by the hour"
            yield defined(declared["cost"], plan.cost, money * Sym("T"), numbers, why)
        yield from self._beside(plan)

    def _beside(self, plan: Plan) -> Iterator[Define]:
        """The best plan beside one worker, and beside the fastest of all."""
        alone = {"T_1": self.plans[0].time, "T": plan.time}
        faster = ratio(self.plans[0].time, plan.time)
        yield defined(self.declared["speedup"], faster, Sym("T_1") / Sym("T"), alone)
        if plan is not self.fastest:
            why = f"with {number_text(self.fastest.workers)[0]} workers, whatever it costs"
            yield defined(self.declared["fastest_time"], self.fastest.time, why=why)
