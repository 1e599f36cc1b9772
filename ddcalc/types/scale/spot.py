"""Is a spot machine worth its losses, and up to how many?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, same
from ddcalc.numbers.units import HOUR, USD_PER_HOUR
from ddcalc.problem.laws import Falls, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, derived, given, number, price
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)


class Spot(Problem):
    """Is a spot machine worth its losses, and up to how many?

    A spot machine costs less by the hour, but not every hour that is paid for is work. Checkpoints
    take time all along; after each loss the training waits for another machine, restarts and does
    again what the last checkpoint does not hold. So from some rate of losses on, the same work
    costs less on demand.

    Losses come at a steady rate, per hour on average. Usually they come at any time, also
    while lost work is done again: then of each hour that is paid for, the rate times the time lost
    is in vain. The simpler count takes losses during the work alone.
    """

    answer = "rate"
    keywords = "preemptible instances; spot price against on demand; interruptions"
    terms = ("break-even", "checkpoint", "MTBF")
    source = (
        "an exercise of The Algebra of Distributed Training (ttsugriy), chapter on the economics of"
        " compute; its worked answer counts losses at any time"
    )

    spot = price("p_spot", "price of a spot machine", above=0, example="1.5 USD/h")
    on_demand = price("p_dem", "price of a machine on demand", above=0, example="4 USD/h")
    overhead = number(
        "o", "time that checkpoints take, as part of the work", least=0, default="0", example="0.05"
    )
    lost = given("L", "time that each loss costs", HOUR, above=0, example="0.5 h")
    apart = given("t", "mean time between losses, to compare", HOUR, above=0, optional=True)
    span = given("H", "time in which losses are counted", HOUR, above=0, default="1 h")

    strikes = choice(
        "when losses come",
        always="losses come at any time",
        working="losses come only while new work is done",
    )

    undisturbed = derived(
        "c_0", "An hour of work, nothing lost", "the time of checkpoints is paid for too",
        USD_PER_HOUR, better="less",
    )  # fmt: skip
    rate = derived("r_eq", "Losses in this time at which both cost the same", "", least=0)
    between = derived("t_eq", "Mean time between losses at that rate", "", HOUR, least=0)
    effective = derived(
        "c_r", "An hour of work with losses at the stated times", "", USD_PER_HOUR, better="less"
    )
    saved = derived(
        "s", "Saved by spot, as part of the price on demand", "below 0 it costs more",
        most=1, better="more",
    )  # fmt: skip

    def conclusion(self) -> Iterator[Said]:
        always = self.strikes == "always"
        where, apart = ("", "between") if always else (" of work", "of work between")
        if self.states("apart"):
            yield from self._verdict()
        yield First(
            Sentence(
                "Spot is never worth it: even if nothing is lost, an hour of work costs more,"
                " {undisturbed} against {on_demand}.",
                self.undisturbed > self.on_demand,
            ),
            Sentence(
                "Spot is never worth it: if nothing is lost, an hour of work costs the same, and"
                " any loss makes the spot machine dearer.",
                same(self.undisturbed, self.on_demand),
            ),
            f"Spot is worth it below {{rate}} {{rate|loss|losses}} in {{span}}{where} on average,"
            f" {{between}} {apart} losses; at that rate both cost the same.",
        )

    def _verdict(self) -> Iterator[Said]:
        """Whether spot is worth it with the stated losses."""
        hour = "with {apart} between losses, useful work costs {effective}"
        yield First(
            Sentence(
                f"Yes, it is worth it: {hour} instead of {{on_demand}}, {{less %}} less.",
                self.effective < self.on_demand,
                less=1 - self.effective / self.on_demand,
            ),
            Sentence(f"It makes no difference: {hour}, as much as on demand.", same(self.saved, 0)),
            Sentence(
                f"No, it is not worth it: {hour} instead of {{on_demand}}, {{more %}} more.",
                more=self.effective / self.on_demand - 1,
            ),
        )

    def insights(self) -> Iterator[Said]:
        cheaper = self.undisturbed < self.on_demand
        if self.states("apart"):
            yield Sentence(
                "An hour of useful work takes {paid} hours that are paid for, so the training takes"
                " {longer %} longer than on machines that are never lost.",
                self.effective > self.spot,
                paid=self.effective / self.spot,
                longer=self.effective / self.spot - 1,
            )
        if self.strikes == "always":
            yield Sentence(
                "Without a loss spot would save {part %}: as large a part of the hours paid for may"
                " be lost. At {all} losses in {span} nothing would get done at all.",
                cheaper,
                part=1 - self.undisturbed / self.on_demand,
                all=self.span / self.lost,
            )
        else:
            yield Sentence(
                "Without a loss spot would save {part %}; at the rate above {again hour}"
                " {again|is|are} lost for each hour of work.",
                cheaper,
                part=1 - self.undisturbed / self.on_demand,
                again=self.on_demand / self.undisturbed - 1,
            )
        if not self.states("apart"):
            yield Sentence(
                "If a loss cost half the time, twice as many would be made up for:"
                " {twice} in {span}.",
                cheaper,
                twice=2 * self.rate,
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        part = self.rate * self.lost / self.span
        costs = self.undisturbed * (1 + part)
        if self.strikes == "always":
            costs = self.undisturbed / (1 - part)
        text = "an hour of work on spot at that rate costs as much as on demand"
        cheaper = self.undisturbed < self.on_demand
        yield Crosscheck(text, same(costs, self.on_demand), cheaper)

    def premises(self) -> Iterator[Premise]:
        yield Premise("each loss costs the same time, all of it paid for, waiting too")
        yield Premise("the price of spot stays the same")
        yield Premise("a machine on demand is never lost and writes no checkpoints")

    def arguments(self) -> Iterator[Argument]:
        part = self.rate * self.lost / self.span
        if self.strikes == "always":
            balance = same(self.undisturbed, self.on_demand * (1 - part))
            says = "of each hour paid for only the part that is not lost is work"
        else:
            balance = same(self.undisturbed * (1 + part), self.on_demand)
            says = "for each hour of work, what its losses cost is paid for too"
        yield Equated(self.rate, balance, says)

    def conditions(self) -> Iterator[Condition]:
        if self.states("apart") and self.strikes == "always":
            message = "is no longer than what each loss costs, so nothing gets finished"
            yield Condition(self.apart > self.lost, "apart", message)

    def equations(self) -> Equations:
        yield self.undisturbed, self.spot * (1 + self.overhead)
        yield self.rate, self._boundary()
        never = (NOTHING, self.undisturbed > self.on_demand, "there is no such rate")
        none = (NOTHING, same(self.undisturbed, self.on_demand), "nothing may be lost at all")
        mean = "the time over the losses in it"
        yield self.between, cases(never, none, otherwise=self.span / self.rate, why=mean)
        if self.states("apart"):
            yield self.effective, *self._effective()
            yield self.saved, 1 - self.effective / self.on_demand

    def laws(self) -> Iterator[Law]:
        yield Falls("rate", "spot", "the dearer spot is, the less may be lost")
        yield Falls("rate", "lost", "the more a loss costs, the fewer are made up for")
        yield Rises("rate", "on_demand", "against a dearer machine more may be lost")
        if self.states("apart"):
            yield Falls("effective", "apart", "rare losses cost less")

    def _boundary(self) -> Expr:
        why = "spot costs more even if nothing is ever lost"
        never = (NOTHING, self.undisturbed > self.on_demand, why)
        part = self.on_demand / self.undisturbed - 1
        if self.strikes == "always":
            part = 1 - self.undisturbed / self.on_demand
        return cases(never, otherwise=self.span * part / self.lost)

    def _effective(self) -> tuple[Expr, str]:
        if self.strikes == "always":
            why = "only the time that is not lost is work"
            return self.undisturbed / (1 - self.lost / self.apart), why
        return self.undisturbed * (1 + self.lost / self.apart), "what is lost comes on top"
