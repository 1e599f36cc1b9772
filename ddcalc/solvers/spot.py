"""How often may a spot machine be lost and still cost less?"""

from collections.abc import Iterator

from ddcalc.algebra import NOTHING, Expr, cases
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import Given, choice, derived, number, price
from ddcalc.units import HOUR, USD_PER_HOUR


class Spot(Problem):
    """How often may a spot machine be lost and still cost less?

    A spot machine costs less by the hour, but it may be taken away at any time. Against that one
    writes checkpoints, which take a part more time all along, and each loss costs the work since
    the last checkpoint, the restart and the wait for another machine. At some rate of losses the
    hour of work costs as much as on demand.

    Losses come at a steady rate, on average so many an hour. Usually they come at any time, also
    while lost work is done again: then of each hour that is paid for, the rate times the time lost
    is in vain. The simpler count takes losses during the work alone.
    """

    answer = "rate"
    group = "scaling and cost"
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
    lost = Given("L", "time that each loss costs", HOUR, above=0, example="0.5 h")
    apart = Given("t", "mean time between losses, to compare", HOUR, above=0, optional=True)
    span = Given("H", "time in which losses are counted", HOUR, above=0, default="1 h")

    strikes = choice(
        "when losses come",
        always="losses come at any time",
        working="losses come during the work, not while it is done again",
    )

    undisturbed = derived(
        "c_0", "An hour of work, nothing lost", "price, and checkpoints", USD_PER_HOUR
    )
    rate = derived("r_eq", "Losses in this time at which both cost the same", "what may be in vain")
    between = derived("t_eq", "Time between two such losses", "on average", HOUR)
    effective = derived(
        "c_r",
        "An hour of work with losses so far apart",
        "what is lost is paid for too",
        USD_PER_HOUR,
    )
    saved = derived("s", "Saved by spot, as part of the price on demand", "negative: it costs more")

    def conditions(self) -> Iterator[Condition]:
        if self.states("apart") and self.strikes == "always":
            yield Condition(
                self.apart > self.lost,
                "apart",
                "is no longer than what each loss costs, so nothing gets finished",
            )

    def equations(self) -> Equations:
        yield self.undisturbed, self.spot * (1 + self.overhead)
        yield self.rate, self._boundary()
        never = (NOTHING, self.undisturbed >= self.on_demand, "there is no such rate")
        yield self.between, cases(never, otherwise=self.span / self.rate)
        if self.states("apart"):
            yield self.effective, self._effective()
            yield self.saved, 1 - self.effective / self.on_demand

    def _boundary(self) -> Expr:
        why = "spot costs more even if nothing is ever lost"
        never = (NOTHING, self.undisturbed >= self.on_demand, why)
        if self.strikes == "always":
            rate = self.span * (1 - self.undisturbed / self.on_demand) / self.lost
            return cases(never, otherwise=rate, why="so much of the time may be in vain")
        rate = self.span * (self.on_demand / self.undisturbed - 1) / self.lost
        return cases(never, otherwise=rate, why="so much may be done twice")

    def _effective(self) -> Expr:
        if self.strikes == "always":
            return self.undisturbed / (1 - self.lost / self.apart)  # type: ignore[no-any-return]
        return self.undisturbed * (1 + self.lost / self.apart)  # type: ignore[no-any-return]
