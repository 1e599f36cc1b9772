"""Which number of workers is best, and why, as steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter

from ddcalc.formula.algebra import sqrt
from ddcalc.formula.expression import Expr, Num, Pow, Sym
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import Number
from ddcalc.problem.play import brief, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Stationary
from ddcalc.problem.steps import Cells, Define, Reasoned, Step, Table
from ddcalc.types.batch.batch_workers.model import Plan, Plans

B, N, C = Sym("B"), Sym("n"), Sym("B_crit")
FIXED, EACH, GROWS = Sym("a"), Sym("b"), Sym("g")


class Account:
    """The best of *plans* by name of quantity, and why it is the best, as steps; *declared* is what
    the steps define."""

    def __init__(self, plans: Plans, declared: Mapping[str, Derived]) -> None:
        self.plans, self.training, self.declared = plans, plans.training, declared

    def values(self) -> dict[str, Number | None]:
        """The derived quantities by name."""
        best, plans = self.plans.best, self.plans
        values: dict[str, Number | None] = {"best_workers": None if best is None else best.workers}
        for name, value in (("balance", self.training.balance), ("cheapest", plans.cheapest)):
            if value is not None:
                values[name] = value
        if best is None:
            return values
        if best is not plans.fastest:
            values["fastest_time"] = plans.fastest.time
        values |= {"batch": best.batch, "steps": best.steps, "step_time": best.step_time}
        values |= {"time": best.time, "speedup": ratio(plans.all[0].time, best.time)}
        return values | ({"cost": best.cost} if plans.paid else {})

    def steps(self) -> Iterator[Step]:
        """From the optimum in parts of a worker to the best whole numbers."""
        yield from self._continuous()
        yield self._table()
        yield self._best()
        if self.plans.best is not None:
            yield from self._of(self.plans.best)

    def _continuous(self) -> Iterator[Define]:
        """What setting derivatives to 0 says."""
        training = self.training
        if training.balance is not None:
            why = (
                "steps depend on n·B alone, and of all n and B with one product b·B + g·n is least"
                " where both are equal, z; the slope of (1 + b·g·B_crit/z^2)·(a + 2·z) is 0 at z^3"
                " = b·g·B_crit·(z + a)"
            )
            yield defined(self.declared["balance"], training.balance, why=why)
        if self.plans.cheapest is not None:
            ratio = Pow(Sym("w") / Sym("p"), Num(2)) * EACH * C / FIXED
            numbers = {**self._prices, "b": training.per_sample}
            numbers |= {"B_crit": training.critical_batch, "a": training.overhead}
            formula = Pow(ratio, Num(1) / Num(3))
            step = defined(self.declared["cheapest"], self.plans.cheapest, formula, numbers)
            yield replace(step, argument=self._argument(formula))

    def _argument(self, formula: Expr) -> tuple[Reasoned, ...]:
        """Why *formula* is the number of workers with the least cost."""
        from ddcalc.problem.arguments import argued

        workers = Sym("n_opt")
        time = (sqrt(FIXED) + sqrt(EACH * C / workers)) ** 2
        paid = workers * Sym("p") + Sym("w")
        says = (
            "what is paid for each of the fewest steps: the prices, times the time"
            " (1 + B_crit/(n·B))·(a + b·B) with its best B, the root of a·B_crit/(b·n)"
        )
        letters = ("w", "p", "a", "b", "B_crit", "n_opt")
        rank = {letter: i for i, letter in enumerate(letters)}
        return argued(
            Stationary(workers, paid * time, workers, says), formula, rank, "BatchWorkers"
        )

    @property
    def _prices(self) -> dict[str, Number]:
        """The prices by their letters (USD/s)."""
        return {"w": self.training.waiting, "p": self.training.price}

    def _table(self) -> Table:
        plans, paid = self.plans, self.plans.paid

        def row(n: int | None) -> Cells:
            if n is None:
                return ("…",) * len(header)
            plan = plans.all[n - 1]
            cells = [count_text(plan.batch), brief(plan.steps), brief(plan.time)]
            if paid:
                cells.append(brief(plan.cost))
            return Num(n), *cells, mark(plan)

        def mark(plan: Plan) -> str:
            if plan is plans.best:
                return "best"
            if plans.too_slow(plan):
                return "too slow"
            return "fastest" if plan is plans.fastest else ""

        money = ("cost (USD)",) if paid else ()
        header = ("workers", "batch each", "steps", "time (s)", *money, "")
        best = plans.best or plans.fastest
        cheap = min(plans.all, key=attrgetter("cost")) if plans.by_cost else best
        around = (best.workers, cheap.workers, plans.fastest.workers)
        rows = tuple(map(row, outlined(plans.most, *around)))
        fixed = "a + g·n" if self.training.per_worker else "a"
        product = f"({fixed})·B_crit/(n·B)" if self.training.per_worker else "a·B_crit/(n·B)"
        why = (
            f"each with its best batch: of the time, b·B grows with B and {product} falls; their"
            " product is fixed, so their sum is least where they are equal"
        )
        if self.training.largest_batch is not None:
            why += "; no batch is larger than fits"
        return Table("Each number of workers", why, header, rows)

    def _best(self) -> Define:
        plans, quantity = self.plans, self.declared["best_workers"]
        most = count_text(plans.most)
        if plans.best is None:
            least = brief(plans.fastest.time)
            why = f"none of 1 to {most} meets the deadline; {least} s is least"
            return defined(quantity, None, why=why)
        least = "the least cost" if plans.by_cost else "the least time"
        within = "" if plans.deadline is None else " of those within the deadline"
        why = (
            "it is the only one" if plans.most == 1 else f"{least}{within}, of 1 to {most} workers"
        )
        return defined(quantity, plans.best.workers, why=why)

    def _of(self, plan: Plan) -> Iterator[Define]:
        """What the best plan comes to."""
        training, declared = self.training, self.declared
        yield defined(declared["batch"], plan.batch, why="the best one for this number")
        together = {"n": plan.workers, "B": plan.batch}
        known = {"S_min": training.least_steps, "B_crit": training.critical_batch, **together}
        steps: Expr = Sym("S_min") * (1 + C / (N * B))
        yield defined(declared["steps"], plan.steps, steps, known)
        parts = {"a": training.overhead, "b": training.per_sample, **together}
        step: Expr = FIXED + EACH * B
        if training.per_worker:
            step, parts["g"] = step + GROWS * N, training.per_worker
        yield defined(declared["step_time"], plan.step_time, step, parts)
        numbers = {"S": plan.steps, "t_step": plan.step_time}
        yield defined(declared["time"], plan.time, Sym("S") * Sym("t_step"), numbers)
        if self.plans.paid:
            money: Expr = N * Sym("p") + Sym("w") if training.waiting else N * Sym("p")
            numbers = {"n": plan.workers, "T": plan.time, **self._prices}
            yield defined(declared["cost"], plan.cost, money * Sym("T"), numbers)
        yield from self._beside(plan)

    def _beside(self, plan: Plan) -> Iterator[Define]:
        """The best plan beside one worker, and beside the fastest of all."""
        single, fastest = self.plans.all[0], self.plans.fastest
        faster = ratio(single.time, plan.time)
        yield defined(self.declared["speedup"], faster, why="the first time in the table, over T")
        if plan is not fastest:
            why = f"with {count_text(fastest.workers)} workers, whatever it costs"
            yield defined(self.declared["fastest_time"], fastest.time, why=why)
