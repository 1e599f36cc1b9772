"""At how many tokens, requests or hours do two options cost the same?"""

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

ORDERS = ((0, 1), (1, 0))
MILLION = Num(10**6)
FIXED = "the option with a fixed cost"


class CostBreakeven(Problem):
    """At how many tokens, requests or hours do two options cost the same?

    A fixed cost is paid once, however much is used; a price is paid for every token, request or
    hour. If the option with the higher fixed cost has the lower price, it earns a little back each
    time, until at some use both have cost the same; from there on it is ahead.

    Such options are an API that charges for tokens and a model of one's own, or a machine that is
    bought and one that is rented by the hour. Prices may be stated for many at once; prices for a
    million are taken for those of tokens, and the answer then speaks of tokens, and of an API where
    one of the two options has no fixed cost. Part of a unit costs its part, and money is worth the
    same whenever it is spent.
    """

    answer = "balance"
    keywords = "cloud or on-prem; rent or buy; API or own GPUs; fixed and running cost; payback"
    terms = ("break-even",)
    source = (
        "two straight lines cross; exercises of The Algebra of Distributed Training (ttsugriy) ask"
        " for served tokens (chapter on Chinchilla optimality) and for hours of a machine (chapter"
        " on the economics of compute)"
    )

    first_once = money("F_1", "fixed cost of the first option", example="0 USD")
    first_use = money("u_1", "price for use of the first option", example="4 USD")
    second_once = money("F_2", "fixed cost of the second option", example="30000 USD")
    second_use = money("u_2", "price for use of the second option", example="1 USD")
    per = count("N", "how many the prices are for (a million: tokens)", default="1")
    use = amount("n", "tokens, requests or hours expected", least=0, optional=True)

    dearer = derived("D", "By how much the second option's fixed cost is higher", "", USD)
    saves = derived("s", "What the second option saves with each unit", "", USD)
    balance = derived(
        "n_eq", "Use at which both cost the same", "",
        noun="use at which both cost the same", least=0,
    )  # fmt: skip
    beyond = derived("j", "Option that costs less for much use", "its price is lower")
    first_cost = derived(
        "C_1", "Cost of the first option at the expected use", "", USD, least=0, better="less"
    )
    second_cost = derived(
        "C_2", "Cost of the second option at the expected use", "", USD, least=0, better="less"
    )
    saved = derived("G", "Saved by the second option at the expected use", "", USD)

    @property
    def _higher(self) -> Expr:
        """By how much the second fixed cost is higher."""
        return self.second_once - self.first_once

    @property
    def _lower(self) -> Expr:
        """By how much the second price is lower, as stated: for so many at once."""
        return self.first_use - self.second_use

    def _named(self) -> Iterator[tuple[tuple[Rel, ...], str, tuple[str, str]]]:
        """What is counted and what both options are called, under which conditions."""
        tokens, once = same(self.per, MILLION), (self.first_once, self.second_once)
        for counted, unit, free in (
            ((tokens,), "token", "the API"),
            ((), "unit", "paying by use alone"),
        ):
            for none, some in ORDERS:
                names = (free, FIXED) if none == 0 else (FIXED, free)
                yield (*counted, same(once[none], 0), once[some] > 0), unit, names
            yield counted, unit, ("the first option", "the second option")

    def conclusion(self) -> Iterator[Said]:
        yield First(
            *(
                said
                for when, unit, names in self._named()
                for said in (
                    *self._never(when, names),
                    *(self._crossing(dear, when, unit, names) for dear in (0, 1)),
                )
            )
        )
        if self.states("use"):
            yield First(*(said for named in self._named() for said in self._verdicts(*named)))

    def _never(self, also: tuple[Rel, ...], names: tuple[str, str]) -> Iterator[Sentence]:
        """Why there is no use, or no use but none at all, at which both cost the same."""
        equal, alike = same(self._higher, 0), same(self._lower, 0)
        yield Sentence(
            "It never matters: both options cost the same at any use.", (*also, equal, alike)
        )
        signs = (self._higher, self._lower), (-self._higher, -self._lower)
        for (gap, less), cheap in zip(signs, names, strict=True):
            yield Sentence(
                f"At no use: the prices for use are equal, so {cheap} always stays {{gap}}"
                " cheaper.",
                (*also, alike, gap > 0),
                gap=gap,
            )
            yield Sentence(
                f"At no use: {cheap} has both the lower fixed cost and the lower price for use.",
                (*also, less < 0, gap > 0),
            )
        for less, cheap in ((self._lower, names[1]), (-self._lower, names[0])):
            yield Sentence(
                f"Only before any use: the fixed costs are equal, and {cheap} has the lower price"
                " for use.",
                (*also, equal, less > 0),
            )

    def _crossing(
        self, dear: int, also: tuple[Rel, ...], unit: str, names: tuple[str, str]
    ) -> Sentence:
        """Where the lines cross, if it is the option number *dear* that has the higher price."""
        return Sentence(
            f"Both cost the same, {{both}}, at {{balance {unit}}}: with fewer"
            f" {names[dear]} is cheaper, with more {names[1 - dear]}.",
            (*also, self._lower > 0 if dear == 0 else self._lower < 0),
            both=self._costs(self.balance)[0],
        )

    def _verdicts(
        self, also: tuple[Rel, ...], unit: str, names: tuple[str, str]
    ) -> Iterator[Sentence]:
        """Whether the higher fixed cost is worth it at the expected use."""
        costs = self.first_cost, self.second_cost
        yield Sentence(
            f"At {{use {unit}}} both cost {{cost}}.",
            (*also, same(costs[0], costs[1])),
            cost=costs[0],
        )
        for low, high in ORDERS:
            gap = self._higher if high else -self._higher
            less = self._lower if high else -self._lower
            slots = {"cost": costs[high], "other": costs[low]}
            part = "" if unit == "unit" else " of tokens"
            no, yes = self._whether(unit, names[low], names[high])
            more, fewer = costs[high] - costs[low], costs[low] - costs[high]
            for percent in (" ({part %})", ""):
                known = {"part": more / costs[low]} if percent else {}
                when = (*also, gap > 0, more > 0) + ((more < 10 * costs[low],) if percent else ())
                yield Sentence(
                    f"{no}, {{more}}{percent} more, as the lower price{part} saves only"
                    " {earned} of the {gap} that it costs more at first.",
                    (*when, less > 0, self.use > 0, 1000 * more > gap),
                    more=more, gap=gap, earned=self._one_unit(self.use * less), **known, **slots,
                )  # fmt: skip
                yield Sentence(f"{no}, {{more}}{percent} more.", when, more=more, **known, **slots)
            yield Sentence(
                f"{yes}, {{fewer}} ({{part %}}) less.",
                (*also, gap > 0, fewer > 0),
                fewer=fewer, part=fewer / costs[low], **slots,
            )  # fmt: skip
            yield Sentence(
                f"At {{use {unit}}} {names[high]} costs {{cost}} and {names[low]} {{other}}:"
                f" {names[high]} is {{fewer}} cheaper.",
                (*also, same(gap, 0), fewer > 0),
                fewer=fewer, **slots,
            )  # fmt: skip

    def _whether(self, unit: str, low: str, high: str) -> tuple[str, str]:
        """That *high* is not worth it beside *low*, and that it is."""
        beside = "" if low.startswith("paying") else f" with {low}"
        no, yes = (
            f"{so} worth it at {{use {unit}}}: {{cost}} against {{other}}{beside}"
            for so in (f"No, {high} is not", f"Yes, {high} is")
        )
        return no, yes

    def insights(self) -> Iterator[Said]:
        if self.states("use"):
            yield First(*(said for named in self._named() for said in self._even(*named)))
            yield First(*(said for named in self._named() for said in self._free(*named)))
        yield First(*(said for named in self._named() for said in self._lowered(*named)))

    def _even(self, also: tuple[Rel, ...], unit: str, names: tuple[str, str]) -> Iterator[Sentence]:
        """What would make both cost the same at the expected use."""
        once, prices = (self.first_once, self.second_once), (self.first_use, self.second_use)
        costs = self.first_cost, self.second_cost
        for low, high in ORDERS:
            gap = once[high] - once[low]
            less = prices[low] - prices[high]
            yield Sentence(
                f"At {{use {unit}}} both would cost the same if the fixed cost of {{once}} were"
                " {even}, or the price of {price} were {raised}"
                + (" for a million." if unit == "token" else "."),
                (*also, gap > 0, less > 0, self.use > 0, *self._differ(once[high], prices[low])),
                once=once[high],
                even=costs[low] - self._one_unit(self.use * prices[high]),
                price=prices[low],
                raised=(costs[high] - once[low]) * self.per / self.use,
            )

    def _differ(self, once: Expr, price: Expr) -> tuple[Rel, Rel]:
        """Whether the costs differ by a hundredth of both, so that rounded numbers show it."""
        apart, used = (self.first_cost - self.second_cost) ** 2, self._one_unit(self.use * price)
        return 10**4 * apart > once**2, 10**4 * apart > used**2

    def _free(self, also: tuple[Rel, ...], unit: str, names: tuple[str, str]) -> Iterator[Sentence]:
        """That no price would be low enough."""
        once, prices = (self.first_once, self.second_once), (self.first_use, self.second_use)
        costs = self.first_cost, self.second_cost
        for low, high in ORDERS:
            yield Sentence(
                f"Even without any price for use, {names[high]} would not be worth it at"
                f" {{use {unit}}}: its fixed cost of {{once}} is more than {{other}}.",
                (*also, once[high] > costs[low], self.use > 0, prices[low] > prices[high]),
                once=once[high],
                other=costs[low],
            )

    def _lowered(
        self, also: tuple[Rel, ...], unit: str, names: tuple[str, str]
    ) -> Iterator[Sentence]:
        """What a lower price of the option with the higher one would do."""
        lower = Num(9) / 10
        prices, key = (self.first_use, self.second_use), ("first_use", "second_use")
        for low, high in ORDERS:
            gap = self._higher if high else -self._higher
            cut = lower * prices[low]
            yield Sentence(
                "If the price of {price} fell by 10 %, to {cut}, both would cost the same only at"
                f" {{later {unit}}}.",
                (*also, gap > 0, cut > prices[high]),
                cut=cut,
                price=prices[low],
                later=After(self.balance, **{key[low]: cut}),
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        first, second = self._costs(self.balance)
        yield Crosscheck("the second option costs as much there", same(second, first))

    def premises(self) -> Iterator[Premise]:
        yield Premise("both options serve equally well")
        yield Premise("the fixed cost is paid once only")
        yield Premise("prices stay the same, with much use as with little")

    def arguments(self) -> Iterator[Argument]:
        earned = same(self._one_unit(self.balance * self._lower), self._higher)
        yield Equated(self.balance, earned, "the lower price has earned back the fixed cost")

    def equations(self) -> Equations:
        yield self.dearer, self._higher
        yield self.saves, self._one_unit(self._lower)
        higher, lower = self._higher, self._lower
        equal = same(higher * higher + lower * lower, 0)
        alike = same(lower, 0)
        always = "both cost the same always"
        never = (NOTHING, alike, "never: prices are equal, and one fixed cost is lower")
        apart = (NOTHING, higher * lower < 0, "never: one has the lower fixed cost and price")
        meet = higher * self.per / lower
        yield self.balance, cases((NOTHING, equal, always), never, apart, otherwise=meet)
        at_first = position_of_largest(self.second_once, self.first_once)
        in_use = position_of_largest(self.second_use, self.first_use)
        by_start = (at_first, alike, "the prices are equal, and its fixed cost is lower")
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
