"""At how much use do two offers cost the same?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, position_of_largest, same
from ddcalc.numbers.units import USD
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, money
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence


class CostBreakeven(Problem):
    """At how much use do two offers cost the same?

    Each offer costs something once, and something more for every unit of use: training a model and
    serving its tokens, buying a machine and running it. The one that is dearer at first may be
    cheaper to use; then every unit wins back a little of the difference, until it is made up for.

    Prices for use may be stated for many units at once, for example for a million tokens. Part of
    a unit costs its part, and money is worth the same whenever it is spent.
    """

    answer = "balance"
    terms = ("break-even",)
    source = (
        "two straight lines cross; exercises of The Algebra of Distributed Training (ttsugriy) ask"
        " for served tokens (chapter on Chinchilla optimality) and for hours of a machine (chapter"
        " on the economics of compute)"
    )

    first_once = money("F_1", "first offer, once", example="0 USD")
    first_use = money("u_1", "first offer, for use", example="4 USD")
    second_once = money("F_2", "second offer, once", example="30000 USD")
    second_use = money("u_2", "second offer, for use", example="1 USD")
    per = count("N", "units of use that these prices are for", default="1")
    use = amount("n", "units of use to compare at", least=0, optional=True)

    dearer = derived("D", "What the second costs more at first", "below 0: less", USD)
    saves = derived("s", "What each unit saves with the second", "below 0: it costs more", USD)
    balance = derived(
        "n_eq", "Both cost the same at",
        "each unit wins back a little of what one costs more at first",
        noun="use at which both cost the same", least=0,
    )  # fmt: skip
    beyond = derived("j", "Offer that costs less for much use", "")
    first_cost = derived("C_1", "First offer at the stated use", "", USD, least=0, better="less")
    second_cost = derived("C_2", "Second offer at the stated use", "", USD, least=0, better="less")
    saved = derived("G", "Saved by the second", "below 0: it costs more", USD)

    def equations(self) -> Equations:
        yield self.dearer, self.second_once - self.first_once
        yield self.saves, (self.first_use - self.second_use) / self.per
        equal = same(self.dearer * self.dearer + self.saves * self.saves, 0)
        alike = same(self.saves, 0)
        always = "both cost the same always"
        never = (NOTHING, alike, "use costs the same, and one is cheaper at first")
        apart = (NOTHING, self.dearer * self.saves < 0, "one is cheaper at first and to use")
        meet = self.dearer / self.saves
        yield self.balance, cases((NOTHING, equal, always), never, apart, otherwise=meet)
        at_first = position_of_largest(self.second_once, self.first_once)
        in_use = position_of_largest(self.second_use, self.first_use)
        first = (at_first, alike, "use costs the same, and it is cheaper at first")
        yield self.beyond, cases((NOTHING, equal, always), first, otherwise=in_use)
        if self.states("use"):
            yield self.first_cost, self._cost(self.first_once, self.first_use)
            yield self.second_cost, self._cost(self.second_once, self.second_use)
            yield self.saved, self.first_cost - self.second_cost

    def laws(self) -> Iterator[Law]:
        second, first = self.beyond > 1, self.beyond < 2
        yield Holds(self.second_use <= self.first_use, "use of the second is no dearer", second)
        yield Holds(self.first_use <= self.second_use, "use of the first is no dearer", first)
        if self.states("use"):
            far = self.use >= self.balance
            no_more = (self.second_cost - self.first_cost) * (2 * self.beyond - 3) <= 0
            beyond = "beyond the use at which both cost the same, that offer costs no more"
            yield Holds(no_more, beyond, far)

    def conclusion(self) -> Iterator[Said]:
        start, saves = self.dearer, self.saves
        meet = "Both cost the same at {balance unit} of use; beyond that, the"
        yield First(
            Sentence(
                "Both always cost the same: at first and for use.", (same(start, 0), same(saves, 0))
            ),
            Sentence(
                "Never: use costs the same, and the second costs {start} more at first.",
                (same(saves, 0), start > 0),
                start=start,
            ),
            Sentence(
                "Never: use costs the same, and the first costs {start} more at first.",
                same(saves, 0),
                start=-start,
            ),
            Sentence(
                "Only without any use: they cost the same at first, and the second is cheaper to"
                " use.",
                (same(start, 0), saves > 0),
            ),
            Sentence(
                "Only without any use: they cost the same at first, and the first is cheaper to"
                " use.",
                same(start, 0),
            ),
            Sentence("Never: the first is cheaper at first and to use.", (start > 0, saves < 0)),
            Sentence("Never: the second is cheaper at first and to use.", (start < 0, saves > 0)),
            Sentence(f"{meet} second costs less.", saves > 0),
            Sentence(f"{meet} first costs less."),
        )
        if self.states("use"):
            costs = "For {use unit}, the first costs {first_cost}, the second {second_cost}"
            yield First(
                Sentence(f"{costs}: {{saved}} less.", self.saved > 0),
                Sentence(f"{costs}: {{more}} more.", self.saved < 0, more=-self.saved),
                Sentence("For {use unit}, both cost {first_cost}."),
            )

    def insights(self) -> Iterator[Said]:
        start, first, second = self.dearer, self.first_use, self.second_use
        nearer = start * self.per / (first - second / 2)
        yield Sentence(
            "At half the price for using the second, it would be {nearer unit}; if"
            " that were free, {least unit}.",
            (start > 0, self.saves > 0, second > 0),
            nearer=nearer,
            least=start * self.per / first,
        )
        yield Sentence(
            "At half the price for using the first, it would be {nearer unit}; if"
            " that were free, {least unit}.",
            (start < 0, self.saves < 0, first > 0),
            nearer=-start * self.per / (second - first / 2),
            least=-start * self.per / second,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        first, second = (
            once + use * self.balance / self.per
            for once, use in (
                (self.first_once, self.first_use), (self.second_once, self.second_use),
            )
        )  # fmt: skip
        text = "with that use, the first offer costs as much as the second"
        yield Crosscheck(text, same(first, second), self.balance > 0)

    def premises(self) -> Iterator[Premise]:
        yield Premise("use costs the same for every unit, however many there are")
        yield Premise("part of a unit costs its part")
        yield Premise("money is worth the same whenever it is spent")

    def _cost(self, once: Expr, use: Expr) -> Expr:
        return once + use * self.use / self.per
