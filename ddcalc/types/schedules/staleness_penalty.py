"""How much smaller is the learning rate for a stale gradient?"""

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.algebra import Expr, Num, Sym, exp, harmonic, largest, log, same, total
from ddcalc.problem.laws import Falls, Holds, Law
from ddcalc.problem.problem import Alternatives, Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, number, share
from ddcalc.problem.sentences import Argument, First, Premise, Said, Sentence, Summed

STEEP = 10  # a strength beyond which next to nothing is left


class StalenessPenalty(Problem):
    """How much smaller is the learning rate for a stale gradient?

    While a worker computes a gradient, others change the weights: when it arrives, it is stale by
    as many updates as were written since the worker read them. The server still applies it, but
    the staler it is, the lower is its learning rate, since it was computed for other weights.

    The learning rate is multiplied by a factor f that falls with the staleness: exponentially (one
    extra update always costs the same part), inversely (it is divided by the staleness; a fresh
    gradient keeps it), by a power of 1 + staleness, or linearly (it is divided by 1 + a times
    the staleness). Instead of one staleness an average may be stated, which need not be whole.

    The mean factor says what is left of the learning rate on average: with every staleness from 0
    to a largest one equally often, or over counted gradients, as `timeline` counts them. A higher
    rate that makes up for it is too high for the fresh gradients.
    """

    answer = "factor"
    keywords = (
        "staleness-aware learning rate; down-weight old gradients; polynomial or exponential"
        " penalty; FedAsync"
    )
    terms = ("staleness", "asynchronous", "learning rate")
    source = (
        "Zhang et al., Staleness-aware Async-SGD, IJCAI 2016, arXiv:1511.05950 (inverse, and"
        " section 1 on an exponential penalty); Xie et al., Asynchronous Federated Optimization,"
        " arXiv:1903.03934 (polynomial, and hinge, which is linear from some staleness on)"
    )

    strength = number(
        "a", "how strongly staleness counts", default="1", above=0,
        example="0.1",
    )  # fmt: skip
    staleness = count(
        "tau", "updates written since the weights were read", least=0, optional=True, example="15"
    )
    average = number("tau_avg", "average staleness, instead", least=0, optional=True)
    step = number("eta", "learning rate of a fresh gradient", above=0, optional=True)
    oldest = count(
        "tau_max", "largest staleness, if all up to it come equally often", least=0, optional=True
    )
    counts = count(
        "n", "gradients of staleness 0, 1, 2 and so on", least=0, many="list", of="staleness",
        optional=True, first=0,
    )  # fmt: skip

    penalty = choice(
        "how the learning rate falls",
        exponential="each update of staleness takes the same share of the learning rate",
        inverse="the learning rate is divided by the staleness",
        polynomial="the learning rate is divided by a power of 1 + staleness",
        linear="the learning rate is divided by 1 + a times the staleness",
    )

    factor = share("f", "Factor on the learning rate", "")
    stale_step = derived("eta_tau", "Learning rate for this gradient", "", least=0)
    mean = share(
        "f_mean", "Mean factor", "the factors at 0, 1, … τ_max, each as often as the others"
    )
    factors = share("w", "Factor at each staleness, from 0 on", "", many="counts", first=0)
    counted_mean = share("f_n", "Mean factor of the counted gradients", "weighted by the counts")

    def laws(self) -> Iterator[Law]:
        for name, by in (("factor", "staleness"), ("factor", "average"), ("mean", "oldest")):
            yield Falls(name, by, "an older gradient counts less")
        if self.penalty != "inverse":
            yield Falls("factor", "strength", "staleness counts more")
        if self.states("oldest") and self.states("staleness"):
            last = "the oldest counts least"
            yield Holds(self.factor <= self.mean, last, when=self.staleness >= self.oldest)

    def conclusion(self) -> Iterator[Said]:
        stale = self.staleness if self.states("staleness") else self.average
        aged = "A gradient of the average staleness {average}"
        if self.states("staleness"):
            aged = "A gradient that is {staleness update} stale"
        size = " of {step}" if self.states("step") else ""
        sizes = ": {stale_step} instead of {step}" if self.states("step") else ""
        yield First(
            Sentence(f"A fresh gradient keeps the whole learning rate{size}.", same(stale, 0)),
            Sentence(f"{aged} keeps the whole learning rate{size}.", same(self.factor, 1)),
            Sentence(
                f"{aged} has next to nothing of the learning rate of a fresh one{sizes}.",
                self.factor * 10**9 < 1,
            ),
            Sentence(f"{aged} has {{factor %}} of the learning rate of a fresh one{sizes}."),
        )
        yield Sentence(
            "Where each staleness from 0 to {oldest} is equally frequent, {mean %} of the learning"
            " rate is left on average.",
            self.oldest > 0,
        )
        if self.states("counts"):
            yield First(
                Sentence(
                    "The mean factor on the learning rate of the {all} counted gradients is"
                    " {factor_left}.",
                    total(self.counts) > 1,
                    all=total(self.counts),
                    factor_left=1 * self.counted_mean,
                ),
                Sentence(
                    "The factor on the learning rate of the counted gradient is {factor_left}.",
                    factor_left=1 * self.counted_mean,
                ),
            )

    def insights(self) -> Iterator[Said]:
        if self.penalty == "exponential":
            yield self._decay()
        elif self.penalty == "inverse":
            yield (
                "Twice the staleness halves the learning rate, from a staleness of 1 on, which"
                " still counts like a fresh gradient."
            )
        elif self.penalty == "linear":
            yield Sentence(
                "Half of the rate is left at a staleness of {half}, a third at {third}.",
                self.strength <= 1,
                half=1 / self.strength,
                third=2 / self.strength,
            )
        else:
            yield Sentence(
                "Half of the rate is left at a staleness of {half}.",
                (self.strength >= Num(Fraction(1, 16)), self.strength <= 1),
                half=Num(2) ** (1 / self.strength) - 1,
            )
        yield Sentence(
            "A base learning rate {times} times as high would make up for it, but fresh gradients"
            " would be applied with that higher rate too.",
            (self.factor <= Num(Fraction(19, 20)), self.factor >= Num(Fraction(1, 1000))),
            times=1 / self.factor,
        )
        if not self.states("staleness") and self.penalty != "inverse":
            yield Sentence(
                "If the staleness varies about that average, more of the rate is left on average:"
                " fresher gradients gain more than staler ones lose.",
                self.average > 0,
            )

    def _decay(self) -> Said:
        """What each further update takes, and after how many half is left."""
        takes, half = "Each further update of staleness takes {part %}", log(2) / self.strength
        takes += " of what is left of the rate"
        part = 1 - exp(-self.strength)
        return First(
            Sentence(
                f"{takes}; half of it is left at a staleness of {{half}}.",
                half >= 1,
                part=part,
                half=half,
            ),
            Sentence(f"{takes}.", self.strength <= STEEP, part=part),
        )

    def alternatives(self) -> Alternatives | None:
        if not self.states("counts"):
            return None
        return Alternatives(
            "All counted gradients",
            "staleness",
            {"counts": "gradients", "factors": "factor"},
            Num(len(self.counts)),
            first=0,
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("staleness counts the updates of all workers", "timeline")
        yield Premise("the gradient itself is not changed, only its learning rate")

    def arguments(self) -> Iterator[Argument]:
        if not self.states("oldest") or self.penalty != "exponential":
            return
        age = Sym("t")
        term = self._factor(age) / (self.oldest + 1)
        says = "each staleness t from 0 on is one part in τ_max + 1"
        yield Summed(self.mean, term, age, Num(0), self.oldest, says)

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "staleness", "average"

    def conditions(self) -> Iterator[Condition]:
        if self.states("staleness") and self.states("average"):
            misfit = "is not the staleness; state one of the two"
            yield Condition(same(self.average, self.staleness), "average", misfit)

    def equations(self) -> Equations:
        stale = self.staleness if self.states("staleness") else self.average
        yield self.factor, self._factor(stale)
        if self.states("step"):
            yield self.stale_step, self.step * self.factor
        if self.states("oldest") and self.penalty != "linear":  # whose sum has no closed form
            yield self.mean, self._mean(self.oldest + 1)
        if self.states("counts"):
            yield self.factors, [self._factor(Num(age)) for age in range(len(self.counts))]
            weighed = [n * f for n, f in zip(self.counts, self.factors, strict=True)]
            yield self.counted_mean, total(weighed) / total(self.counts)

    def _factor(self, staleness: Expr) -> Expr:
        if self.penalty == "exponential":
            return exp(-(self.strength * staleness))
        if self.penalty == "inverse":
            if isinstance(staleness, Num) and staleness.value:
                return 1 / staleness
            return 1 / largest(staleness, 1)
        if self.penalty == "linear":
            return 1 / (1 + self.strength * staleness)
        return 1 / (1 + staleness) ** self.strength

    def _mean(self, ages: Expr) -> Expr:
        """The mean factor of that many *ages*, from 0 on."""
        if self.penalty == "exponential":  # a geometric series
            return (1 - exp(-(self.strength * ages))) / (ages * (1 - exp(-self.strength)))
        if self.penalty == "inverse":
            return (1 + harmonic(self.oldest)) / ages
        return harmonic(ages, self.strength) / ages
