"""How large a model on how many tokens for a budget of compute?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import same, sqrt
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, derived, number


class ComputeOptimal(Problem):
    """How large a model on how many tokens for a budget of compute?

    Training a dense transformer of N parameters on D tokens takes about C = 6·N·D floating-point
    operations: two for each parameter and token forward, four backward. Given C, the loss is least
    if model and data grow alike, with about 20 tokens for each parameter. So N = √(C/(6·20)).

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

    used = derived("C_used", "Operations of that training", "each token passes each parameter")
    affordable_tokens = derived("D_C", "Tokens that the compute allows", "for the stated model")
    affordable_parameters = derived(
        "N_C", "Parameters that the compute allows", "for the stated tokens"
    )
    best_parameters = derived("N_opt", "Parameters of the best model", "both grow alike", least=0)
    best_tokens = derived(
        "D_opt", "Tokens of the best training", "the stated number per parameter", least=0
    )
    best_compute = derived("C_opt", "Operations of the best training", "of this model and tokens")
    oversize = derived("k", "Size of the stated model", "in multiples of the best one", least=0)

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
            yield self.best_parameters, self.tokens / self.ratio, "as many as suit the tokens"
        yield self.best_tokens, self.ratio * self.best_parameters
        yield self.best_compute, self.operations * self.best_parameters * self.best_tokens
        if self.states("parameters"):
            yield self.oversize, self.parameters / self.best_parameters

    def laws(self) -> Iterator[Law]:
        if self.states("compute"):
            yield Rises("best_parameters", "compute", "more compute trains a larger model")
            yield Rises("best_tokens", "compute", "and on more tokens")
            yield Holds(same(self.best_compute, self.compute), "all of it is spent")
        elif self.states("tokens"):
            yield Rises("best_parameters", "tokens", "more tokens suit a larger model")

    def _beside(self, run: bool) -> Equations:
        """What the stated model or tokens make of the compute."""
        if run and not self.states("compute"):
            yield self.used, self.operations * self.parameters * self.tokens
        elif not run and self.states("parameters"):
            yield self.affordable_tokens, self.compute / (self.operations * self.parameters)
        elif not run and self.states("tokens"):
            yield self.affordable_parameters, self.compute / (self.operations * self.tokens)
