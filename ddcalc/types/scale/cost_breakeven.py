"""At how much use do two offers cost the same?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, position_of_largest, same
from ddcalc.numbers.units import USD
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, money


class CostBreakeven(Problem):
    """At how much use do two offers cost the same?

    Each offer costs something once, and something for every unit of use: training a model and
    serving its tokens, buying a machine and running it for an hour. The one that is dearer at
    first may be cheaper to use; beyond some amount of use it has made up for that.

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

    dearer = derived("D", "What the second costs more at first", "negative: less", USD)
    saves = derived("s", "What each unit saves with the second", "negative: it costs more", USD)
    balance = derived(
        "n_eq", "Both cost the same at", "what use saves makes up for the dearer start",
        noun="use at which both cost the same", least=0,
    )  # fmt: skip
    beyond = derived("j", "Offer that costs less for much use", "it is cheaper to use")
    first_cost = derived(
        "C_1", "First offer at the stated use", "once, and for use", USD, least=0, better="less"
    )
    second_cost = derived(
        "C_2", "Second offer at the stated use", "once, and for use", USD, least=0, better="less"
    )
    saved = derived("G", "Saved by the second", "negative: it costs more", USD)

    def equations(self) -> Equations:
        yield self.dearer, self.second_once - self.first_once
        yield self.saves, (self.first_use - self.second_use) / self.per
        equal = same(self.dearer * self.dearer + self.saves * self.saves, 0)
        alike = same(self.saves, 0)
        always = "both cost the same always"
        never = (NOTHING, alike, "never: use costs the same, and one is cheaper at first")
        apart = (NOTHING, self.dearer * self.saves < 0, "never: one is cheaper at first and to use")
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

    def _cost(self, once: Expr, use: Expr) -> Expr:
        return once + use * self.use / self.per
