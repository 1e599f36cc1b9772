"""At how much use do two offers cost the same?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, Num, Rel, cases, position_of_largest, same
from ddcalc.numbers.units import USD
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, money
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)

ORDINALS = ("first", "second")


class CostBreakeven(Problem):
    """At how much use do two offers cost the same?

    Each offer costs something once, however much it is used, and something for every unit of use.
    If the one that is dearer at the start is cheaper to use, it catches up a little with every
    unit, until at some use both have cost the same; from there on it is ahead.

    Such offers are training a model and serving its tokens, or buying a machine and running it for
    an hour. Prices for use may be stated for many units at once, for example for a million tokens.
    Part of a unit costs its part, and money is worth the same whenever it is spent.
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

    dearer = derived(
        "D", "What the second costs more at the start", "below 0 the first costs more", USD
    )
    saves = derived(
        "s", "What each unit of use saves with the second",
        "below 0 the second is dearer to use", USD,
    )  # fmt: skip
    balance = derived(
        "n_eq", "Use at which both cost the same", "",
        noun="use at which both cost the same", least=0,
    )  # fmt: skip
    beyond = derived("j", "Offer that costs less for much use", "it is cheaper to use")
    first_cost = derived("C_1", "First offer at the stated use", "", USD, least=0, better="less")
    second_cost = derived("C_2", "Second offer at the stated use", "", USD, least=0, better="less")
    saved = derived("G", "Saved by the second at the stated use", "below 0 it costs more", USD)

    def conclusion(self) -> Iterator[Said]:
        yield First(
            *self._never(),
            self._crossing(0, self.saves > 0),
            self._crossing(1, self.saves < 0),
        )
        if self.states("use"):
            costs = "At {use unit} of use the first offer costs {first_cost} and the second"
            yield First(
                Sentence(
                    f"{costs} {{second_cost}}: the second is {{saved}} cheaper.", self.saved > 0
                ),
                Sentence(
                    f"{costs} {{second_cost}}: the first is {{less}} cheaper.",
                    self.saved < 0,
                    less=-self.saved,
                ),
                Sentence(f"{costs} as much.", same(self.saved, 0)),
            )

    def _never(self) -> tuple[Sentence, ...]:
        """Why there is no use, or no use but none at all, at which both cost the same."""
        equal, alike = same(self.dearer, 0), same(self.saves, 0)
        return (
            Sentence("It never matters: both offers cost the same at any use.", (equal, alike)),
            Sentence(
                "At no use: both cost the same to use, so the first offer always stays {dearer}"
                " cheaper.",
                (alike, self.dearer > 0),
            ),
            Sentence(
                "At no use: both cost the same to use, so the second offer always stays {less}"
                " cheaper.",
                alike,
                less=-self.dearer,
            ),
            Sentence(
                "Only before any use: both cost the same at the start, and the second offer saves"
                " {saves} with every unit.",
                (equal, self.saves > 0),
            ),
            Sentence(
                "Only before any use: both cost the same at the start, and the first offer saves"
                " {less} with every unit.",
                equal,
                less=-self.saves,
            ),
            Sentence(
                "At no use: the second offer is cheaper both at the start and in use.",
                (self.saves > 0, self.dearer < 0),
            ),
            Sentence(
                "At no use: the first offer is cheaper both at the start and in use.",
                (self.saves < 0, self.dearer > 0),
            ),
        )

    def _crossing(self, dear: int, when: Rel) -> Sentence:
        """Where the lines cross, if it is the offer at *dear* that is dearer to use."""
        cheap = ORDINALS[1 - dear]
        return Sentence(
            f"Both cost the same, {{both}}, at {{balance unit}} of use: with less the"
            f" {ORDINALS[dear]} offer is cheaper, with more the {cheap}.",
            when,
            both=self._costs(self.balance)[0],
        )

    def insights(self) -> Iterator[Said]:
        pairs = (self.dearer, self.saves > 0), (-self.dearer, self.saves < 0)
        for (gap, when), cheap in zip(pairs, reversed(ORDINALS), strict=True):
            yield Sentence(
                f"At {{twice unit}} of use the {cheap} offer is {{gap}} ahead, as much as it costs"
                " more at the start.",
                (when, gap > 0),
                gap=gap,
                twice=2 * self.balance,
            )
        lower = Num(9) / 10
        for price, when, dear in (
            ("first_use", self.saves > 0, ORDINALS[0]),
            ("second_use", self.saves < 0, ORDINALS[1]),
        ):
            changed = {price: lower * getattr(self, price)}
            later = After(self.balance, **changed)
            yield Sentence(
                f"If the {dear} offer became 10 % cheaper to use, both would cost the same only at"
                " {later unit}.",
                (when, self.balance > 0),
                later=later,
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        first, second = self._costs(self.balance)
        yield Crosscheck("the second offer costs as much there", same(second, first))

    def premises(self) -> Iterator[Premise]:
        yield Premise("each unit of use costs the same, however many there are")
        yield Premise("part of a unit costs that part of its price")
        yield Premise("money is worth the same whenever it is spent")

    def arguments(self) -> Iterator[Argument]:
        made_up = same(self.balance * self.saves, self.dearer)
        yield Equated(self.balance, made_up, "use has saved what the start cost more")

    def equations(self) -> Equations:
        yield self.dearer, self.second_once - self.first_once
        yield self.saves, self._one_unit(self.first_use - self.second_use)
        equal = same(self.dearer * self.dearer + self.saves * self.saves, 0)
        alike = same(self.saves, 0)
        always = "both cost the same always"
        never = (NOTHING, alike, "never: use costs the same, and one is cheaper at first")
        apart = (NOTHING, self.dearer * self.saves < 0, "never: one is cheaper at first and to use")
        meet = self.dearer / self.saves
        yield self.balance, cases((NOTHING, equal, always), never, apart, otherwise=meet)
        at_first = position_of_largest(self.second_once, self.first_once)
        in_use = position_of_largest(self.second_use, self.first_use)
        by_start = (at_first, alike, "use costs the same, and it is cheaper at first")
        yield self.beyond, cases((NOTHING, equal, always), by_start, otherwise=in_use)
        if self.states("use"):
            first, second = self._costs(self.use)
            yield self.first_cost, first
            yield self.second_cost, second
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

    def _costs(self, use: Expr) -> tuple[Expr, Expr]:
        """What each offer costs with so much *use*."""
        return (
            self.first_once + self._one_unit(use * self.first_use),
            self.second_once + self._one_unit(use * self.second_use),
        )

    def _one_unit(self, price: Expr) -> Expr:
        """A *price* for so many units as a price for one."""
        return price / self.per
