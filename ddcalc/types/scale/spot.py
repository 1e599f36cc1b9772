"""How often can a spot machine be lost before it stops being cheaper?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, same
from ddcalc.numbers.units import HOUR, USD_PER_HOUR
from ddcalc.problem.laws import Falls, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, derived, given, number, price
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence


class Spot(Problem):
    """How often can a spot machine be lost before it stops being cheaper?

    A spot machine costs less by the hour, but may be taken away at any time. Each loss costs the
    work since the last checkpoint, the restart and the wait for another machine, and checkpoints
    take time all along. All of it is paid for: with enough losses, an hour of work costs as much as
    on demand.

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
        "c_0", "An hour of work, nothing lost", "", USD_PER_HOUR,
        better="less",
    )  # fmt: skip
    rate = derived("r_eq", "Losses in this time at which both cost the same", "", least=0)
    between = derived("t_eq", "Mean time between losses at that rate", "", HOUR, least=0)
    effective = derived(
        "c_r", "An hour of work with losses at the stated times",
        "what is lost is paid for, too", USD_PER_HOUR, better="less",
    )  # fmt: skip
    saved = derived(
        "s", "Saved by spot, as part of the price on demand", "below 0: it costs more",
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
        yield self.between, cases(never, none, otherwise=self.span / self.rate)
        if self.states("apart"):
            yield self.effective, self._effective()
            yield self.saved, 1 - self.effective / self.on_demand

    def laws(self) -> Iterator[Law]:
        yield Falls("rate", "spot", "the dearer spot is, the less may be lost")
        yield Falls("rate", "lost", "the more a loss costs, the fewer are made up for")
        yield Rises("rate", "on_demand", "against a dearer machine more may be lost")
        if self.states("apart"):
            yield Falls("effective", "apart", "seldom losses cost less")

    def conclusion(self) -> Iterator[Said]:
        yield First(
            Sentence(
                "Never: even if nothing is ever lost, an hour of work costs {undisturbed} with spot"
                " machines, against {on_demand}.",
                self.undisturbed > self.on_demand,
            ),
            Sentence(
                "It may never be lost: even then an hour of work costs as much as on demand.",
                same(self.undisturbed, self.on_demand),
            ),
            Sentence(
                "Spot costs less as long as the machine is lost fewer than {rate time} in {span} on"
                " average: less often than once in {between}."
            ),
        )
        if self.states("apart"):
            yield First(
                Sentence(
                    "Lost once in {apart}, an hour of work costs {effective} and saves {saved %}.",
                    self.saved > 0,
                ),
                Sentence(
                    "Lost once in {apart}, it costs as much as on demand.", same(self.saved, 0)
                ),
                Sentence(
                    "Lost once in {apart}, an hour of work costs {effective}, {more %} more than on"
                    " demand.",
                    more=-self.saved,
                ),
            )

    def insights(self) -> Iterator[Said]:
        least = 1 - self.undisturbed / self.on_demand
        yield Sentence(
            "If nothing were lost, spot would save {most %}; half as many losses as at the balance"
            " still leave {left %}.",
            self.undisturbed < self.on_demand,
            most=least,
            left=self._saved_at_half(),
        )
        yield Sentence(
            "If a loss cost half the time, twice as many could be borne: {more time} in {span}.",
            self.undisturbed < self.on_demand,
            more=2 * self.rate,
        )

    def _saved_at_half(self) -> Expr:
        """What spot saves with half the losses of the balance, as part of the price on demand."""
        lost = self.rate * self.lost / (2 * self.span)
        times = 1 / (1 - lost) if self.strikes == "always" else 1 + lost
        return 1 - self.undisturbed * times / self.on_demand

    def crosschecks(self) -> Iterator[Crosscheck]:
        lost = self.lost / self.between
        times = 1 / (1 - lost) if self.strikes == "always" else 1 + lost
        text = "an hour of work with one loss in {between} costs as much as on demand"
        yield Crosscheck(text, same(self.undisturbed * times, self.on_demand))

    def premises(self) -> Iterator[Premise]:
        yield Premise("losses come at a steady rate, and each costs the same on average")
        yield Premise("the time that a loss costs is paid for")
        yield Premise("that the work ends later costs nothing")

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
