"""How large a model on how many tokens for a budget of compute?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, same, sqrt
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, derived, number
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)


class ComputeOptimal(Problem):
    """How large a model on how many tokens for a budget of compute?

    Every token passes every parameter, usually with 6 operations: 2 forward, 4 backward. So a given
    compute buys either a larger model or more tokens. Too large a model sees too little, too small
    a one cannot use what it sees; in between, the loss is least.

    Training a dense transformer of N parameters on D tokens takes about C = 6·N·D floating-point
    operations. Given C, the loss is least if model and data grow alike, with about 20 tokens for
    each parameter. So N = √(C/(6·20)).

    State the compute, or a model and its tokens, whose compute is then spent best; or the tokens
    alone, for the model that suits them. Both constants are rules of thumb, and can be stated.
    """

    answer = "best_parameters"
    terms = ("batch size",)
    source = (
        "C = 6·N·D: Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361; about"
        " 20 tokens a parameter: Hoffmann et al., Training Compute-Optimal Large Language Models,"
        " arXiv:2203.15556"
    )

    compute = amount(
        "C", "floating-point operations of the training", above=0, optional=True, example="1e22"
    )
    parameters = amount("N", "parameters of a model", above=0, optional=True)
    tokens = amount("D", "tokens of its training", above=0, optional=True)
    ratio = number("rho", "tokens for each parameter", above=0, default="20")
    operations = number("f", "operations for each parameter and token", above=0, default="6")

    used = derived("C_used", "Operations of that training", "")
    affordable_tokens = derived("D_C", "Tokens that the compute allows the stated model", "")
    affordable_parameters = derived(
        "N_C", "Parameters that the compute allows for the stated tokens", ""
    )
    best_parameters = derived("N_opt", "Parameters of the best model", "", least=0)
    best_tokens = derived("D_opt", "Tokens of the best training", "", least=0)
    best_compute = derived("C_opt", "Operations of the best training", "")
    oversize = derived("k", "Size of the stated model, in best ones", "", least=0)

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "compute", "tokens"

    def conditions(self) -> Iterator[Condition]:
        if self.states("compute", "parameters", "tokens"):
            made = self.operations * self.parameters * self.tokens
            for given in (self.compute <= made, self.compute >= made):
                message = "is not that of the model and tokens; leave it out"
                yield Condition(given, "compute", message)

    def equations(self) -> Equations:
        run = self.states("parameters", "tokens")
        if self.states("compute") or run:
            budget = self.compute if self.states("compute") else self.used
            yield from self._beside(run)
            yield self.best_parameters, sqrt(budget / (self.operations * self.ratio))
        else:
            yield self.best_parameters, self.tokens / self.ratio
        yield self.best_tokens, self.ratio * self.best_parameters
        tokens = self.best_tokens if self._has_budget else self.tokens
        yield self.best_compute, self.operations * self.best_parameters * tokens
        if self.states("parameters"):
            yield self.oversize, self.parameters / self.best_parameters

    def laws(self) -> Iterator[Law]:
        if self.states("compute"):
            yield Rises("best_parameters", "compute", "more compute trains a larger model")
            yield Rises("best_tokens", "compute", "and on more tokens")
            yield Holds(same(self.best_compute, self.compute), "all of it is spent")
        elif self.states("tokens"):
            yield Rises("best_parameters", "tokens", "more tokens suit a larger model")

    @property
    def _has_budget(self) -> bool:
        return self.states("compute") or self.states("parameters", "tokens")

    def mechanism(self) -> str:
        if self._has_budget:
            return super().mechanism()
        return (
            "Every token passes every parameter, forward and backward. Too large a model for these"
            " tokens sees too few for each parameter, too small a one cannot use them all: the loss"
            " for the compute is least where model and tokens grow alike."
        )

    def conclusion(self) -> Iterator[Said]:
        if not self._has_budget:
            yield Sentence(
                "A model of {best_parameters parameter} suits {tokens token};"
                " its training takes {best_compute operation}."
            )
            return
        yield Sentence("Train a model of {best_parameters parameter} on {best_tokens token}.")

    def insights(self) -> Iterator[Said]:
        if self.states("parameters") and self._has_budget:
            part = self.best_parameters / self.parameters
            yield First(
                Sentence("The stated model is the best one.", same(self.oversize, 1)),
                Sentence(
                    "The stated model is {oversize} times as large as the best one, so the same"
                    " compute takes it through only {part %} of the best number of tokens.",
                    self.oversize > 1,
                    part=part,
                ),
                Sentence(
                    "The stated model has {oversize %} of the best size; for the same compute it"
                    " sees {part} times the best number of tokens, and costs less to serve.",
                    part=part,
                ),
            )
        elif self.states("compute", "tokens"):
            yield Sentence(
                "With the stated {tokens token}, the same compute would train"
                " {affordable_parameters parameter}, {part %} of the best number.",
                part=self.affordable_parameters / self.best_parameters,
            )
        if self._has_budget:
            yield Sentence(
                "Model and tokens grow with the root of the compute: four times as much only"
                " doubles both, to {more parameter} and {longer token}.",
                more=2 * self.best_parameters,
                longer=2 * self.best_tokens,
            )
            yield Sentence(
                "With {low token} for each parameter instead of {ratio} the model would have"
                " {large parameter}, with {high}, {small}.",
                low=self.ratio / 2,
                high=2 * self.ratio,
                large=self._for_ratio(self.ratio / 2),
                small=self._for_ratio(2 * self.ratio),
            )
        else:
            yield Sentence(
                "Twice the tokens suit a model twice as large, and take four times the compute:"
                " {more operation}.",
                more=4 * self.best_compute,
            )

    def _for_ratio(self, ratio: Expr) -> Expr:
        """The parameters of the best model with another *ratio* of tokens to them."""
        return sqrt(self._budget / (self.operations * ratio))

    @property
    def _budget(self) -> Expr:
        return self.compute if self.states("compute") else self.used

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self._has_budget:
            made = self.operations * self.best_parameters * self.best_tokens
            yield Crosscheck("all of the compute is spent", same(made, self._budget))

    def premises(self) -> Iterator[Premise]:
        yield Premise("the ratio of tokens to parameters is a rule of thumb", "ratio")
        yield Premise("a dense transformer, and the scores of attention are left out")
        yield Premise("every token is a new one")
        yield Premise("only the training counts, not serving the model", "cost-breakeven")

    def arguments(self) -> Iterator[Argument]:
        if self._has_budget:
            best = self.best_parameters
            spent = same(self._budget, self.operations * best * (self.ratio * best))
            why = "operations times parameters times tokens, which are ρ for each parameter"
            yield Equated(best, spent, why, "Hoffmann et al. 2022: both grow alike")

    def _beside(self, run: bool) -> Equations:
        """What the stated model or tokens make of the compute."""
        if run and not self.states("compute"):
            yield self.used, self.operations * self.parameters * self.tokens
        elif not run and self.states("parameters"):
            yield self.affordable_tokens, self.compute / (self.operations * self.parameters)
        elif not run and self.states("tokens"):
            yield self.affordable_parameters, self.compute / (self.operations * self.tokens)
