"""How often may a spot machine be lost and still cost less?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, same
from ddcalc.numbers.units import HOUR, USD_PER_HOUR
from ddcalc.problem.laws import Falls, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, derived, given, number, price


class Spot(Problem):
    """How often may a spot machine be lost and still cost less?

    A spot machine costs less by the hour, but it may be taken away at any time. Against that one
    writes checkpoints, which take a part more time all along, and each loss costs the work since
    the last checkpoint, the restart and the wait for another machine. At some rate of losses the
    hour of work costs as much as on demand.

    Losses come at a steady rate, per hour on average. Usually they come at any time, also
    while lost work is done again: then of each hour that is paid for, the rate times the time lost
    is in vain. The simpler count takes losses during the work alone.
    """

    answer = "rate"
    terms = ("break-even",)
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
        working="losses come during the work, not while it is done again",
    )

    undisturbed = derived(
        "c_0", "An hour of work, nothing lost", "price, and checkpoints", USD_PER_HOUR,
        better="less",
    )  # fmt: skip
    rate = derived("r_eq", "Losses in this time at which both cost the same", "", least=0)
    between = derived("t_eq", "Mean time between losses at that rate", "", HOUR, least=0)
    effective = derived(
        "c_r", "An hour of work with losses at the stated times",
        "what is lost is paid for too", USD_PER_HOUR, better="less",
    )  # fmt: skip
    saved = derived(
        "s", "Saved by spot, as part of the price on demand", "negative: it costs more",
        most=1, better="more",
    )  # fmt: skip

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
            yield self.effective, self._effective()
            yield self.saved, 1 - self.effective / self.on_demand

    def laws(self) -> Iterator[Law]:
        yield Falls("rate", "spot", "the dearer spot is, the less may be lost")
        yield Falls("rate", "lost", "the more a loss costs, the fewer are made up for")
        yield Rises("rate", "on_demand", "against a dearer machine more may be lost")
        if self.states("apart"):
            yield Falls("effective", "apart", "seldom losses cost less")

    def _boundary(self) -> Expr:
        why = "spot costs more even if nothing is ever lost"
        never = (NOTHING, self.undisturbed > self.on_demand, why)
        part, spare = self.on_demand / self.undisturbed - 1, "work that may be done twice"
        if self.strikes == "always":
            part, spare = 1 - self.undisturbed / self.on_demand, "time that may be wasted"
        by_loss = f"{spare}, divided by the time of a loss"
        return cases(never, otherwise=self.span * part / self.lost, why=by_loss)

    def _effective(self) -> Expr:
        if self.strikes == "always":
            return self.undisturbed / (1 - self.lost / self.apart)
        return self.undisturbed * (1 + self.lost / self.apart)
