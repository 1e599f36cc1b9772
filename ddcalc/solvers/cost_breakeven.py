"""From how much use on does the second offer cost less?"""

from ddcalc.algebra import NOTHING, Expr, cases
from ddcalc.problem import Equations, Problem
from ddcalc.quantity import count, derived, money, number
from ddcalc.units import USD


class CostBreakeven(Problem):
    """From how much use on does the second offer cost less?

    Each offer costs something once, and something for every unit of use: training a model and
    serving its tokens, buying a machine and running it for an hour. The second one is dearer at
    first and cheaper to use; beyond some amount of use it has made up for that.

    Prices for use may be stated for many units at once, for example for a million tokens. Part of
    a unit costs its part, and money is worth the same whenever it is spent.
    """

    answer = "balance"
    terms = ("break-even",)
    source = (
        "two straight lines cross; an exercise of The Algebra of Distributed Training (ttsugriy),"
        " chapter on Chinchilla optimality, asks for served tokens"
    )

    first_once = money("F_1", "first offer, once", example="10000000 USD")
    first_use = money("u_1", "first offer, for use", example="0.001 USD")
    second_once = money("F_2", "second offer, once", example="15000000 USD")
    second_use = money("u_2", "second offer, for use", example="0.0001 USD")
    per = count("N", "units of use that these prices are for", default="1", example="1M")
    use = number("n", "units of use to compare at", least=0, optional=True)

    dearer = derived("D", "What the second costs more at first", "negative: less", USD)
    saves = derived("s", "What each unit saves with the second", "negative: it costs more", USD)
    balance = derived("n_eq", "Both cost the same at", "the units that make up for it")
    first_cost = derived("C_1", "First offer at the stated use", "once, and for use", USD)
    second_cost = derived("C_2", "Second offer at the stated use", "once, and for use", USD)
    saved = derived("G", "Saved by the second", "negative: it costs more", USD)

    def equations(self) -> Equations:
        yield self.dearer, self.second_once - self.first_once
        yield self.saves, (self.first_use - self.second_use) / self.per
        never = "never: the second is no cheaper to use"
        start = "from the start: the second is no dearer at first, and cheaper to use"
        yield (
            self.balance,
            cases(
                (NOTHING, self.saves <= 0, never),
                (0, self.dearer <= 0, start),
                otherwise=self.dearer / self.saves,
            ),
        )
        if self.states("use"):
            yield self.first_cost, self._cost(self.first_once, self.first_use)
            yield self.second_cost, self._cost(self.second_once, self.second_use)
            yield self.saved, self.first_cost - self.second_cost

    def _cost(self, once: Expr, use: Expr) -> Expr:
        return once + use * self.use / self.per  # type: ignore[no-any-return]
