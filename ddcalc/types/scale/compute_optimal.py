"""How large a model, on how many tokens, is best for a compute budget?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, same, sqrt
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, derived, facts, number
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Rewritten,
    Said,
    Sentence,
)

USUAL = {"f": 6}
PASSES = (
    "forward a multiplication and an addition (2), backward twice that, for the gradients of inputs"
    " and of weights (4)"
)


class ComputeOptimal(Problem):
    """How large a model, on how many tokens, is best for a compute budget?

    Every token passes every parameter, so a budget of operations pays for a large model that sees
    few tokens, or for a small one that sees many. Too large a model learns from too few tokens, too
    small a one cannot use more of them. In measurements the loss was least in between, where twice
    the parameters went with twice the tokens.

    Training a dense transformer of N parameters on D tokens takes about C = 6·N·D floating-point
    operations: two for each parameter and token forward, four backward. Given C, the loss is least
    with about 20 tokens for each parameter. So N = √(C/(6·20)).

    State the compute, or a model and its tokens, whose compute is then spent best; or the tokens
    alone, for the model that suits them. Both constants are rules of thumb, and can be stated.
    """

    answer = "best_parameters"
    keywords = (
        "Chinchilla; scaling laws; tokens per parameter; best model for a FLOP budget; size of"
        " the training set"
    )
    terms = ("batch size", "FLOPs")
    source = (
        "C = 6·N·D: Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361; about"
        " 20 tokens a parameter: Hoffmann et al., Training Compute-Optimal Large Language Models,"
        " arXiv:2203.15556"
    )

    compute = amount(
        "C", "floating-point operations of the training", above=0, optional=True, example="1e22"
    )
    parameters = amount(
        "N", "parameters of a model", above=0, optional=True,
        filled_by=facts("model.active_parameters", "model.parameters"),
    )  # fmt: skip
    tokens = amount(
        "D", "tokens of the training", above=0, optional=True,
        filled_by=facts("model.tokens", unless=["compute"]),
    )  # fmt: skip
    ratio = number("rho", "tokens for each parameter", above=0, default="20")
    operations = number("f", "operations for each parameter and token", above=0, default="6")

    used = derived("C_used", "Operations of that training", "")
    affordable_tokens = derived("D_C", "Tokens that the compute allows the stated model", "")
    affordable_parameters = derived(
        "N_C", "Parameters that the compute allows on the stated tokens", ""
    )
    best_parameters = derived("N_opt", "Parameters of the best model", "", least=0)
    best_tokens = derived("D_opt", "Tokens of the best training", "", least=0)
    best_compute = derived("C_opt", "Operations of the best training", "")
    oversize = derived("k", "Size of the stated model, in multiples of the best one", "", least=0)

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
        if self._has_budget:
            if run and not self.states("compute"):
                yield self.used, self.operations * self.parameters * self.tokens
            yield self.best_parameters, sqrt(self._budget / (self.operations * self.ratio))
        else:
            yield self.best_parameters, self.tokens / self.ratio
        yield self.best_tokens, self.ratio * self.best_parameters
        tokens = self.best_tokens if self._has_budget else self.tokens
        yield self.best_compute, self.operations * self.best_parameters * tokens
        if not run and self.states("compute"):
            yield from self._beside()
        if self.states("parameters"):
            yield self.oversize, self.parameters / self.best_parameters

    # What is said of it

    @property
    def _has_budget(self) -> bool:
        """Whether the compute is known, by itself or by a model and its tokens."""
        return self.states("compute") or self.states("parameters", "tokens")

    @property
    def _budget(self) -> Expr:
        return self.compute if self.states("compute") else self.used

    def mechanism(self) -> str:
        if self._has_budget:
            return super().mechanism()
        return (
            "A model that is large for its tokens learns from too little; one that is small for"
            " them cannot hold more. In measurements, compute was best spent where model and tokens"
            " grew in step: so each number of tokens suits one size of model."
        )

    def conclusion(self) -> Iterator[Said]:
        if not self._has_budget:
            yield (
                "{tokens token} {tokens|suits|suit} a model of {best_parameters parameter}; the"
                " training takes {best_compute operation}."
            )
            return
        if self.states("compute"):
            yield (
                "{compute operation} {compute|is|are} best spent on a model of"
                " {best_parameters parameter}, trained on {best_tokens token}."
            )
        else:
            yield (
                "This training takes {used operation}, best spent on a model of"
                " {best_parameters parameter}, trained on {best_tokens token}."
            )
        if self.states("parameters"):
            yield self._of_stated_model()
        elif self.states("tokens"):
            apiece = self.tokens / self.affordable_parameters
            yield First(
                Sentence("The stated tokens are just these.", same(apiece, self.ratio)),
                Sentence(
                    "On the stated tokens it allows {affordable_parameters parameter}, with"
                    " {apiece token} for each instead of {ratio}.",
                    apiece=apiece,
                ),
            )

    def _of_stated_model(self) -> Said:
        """How the stated model compares with the best one."""
        allowed, tokens = "", self.tokens
        if not self.states("tokens"):
            tokens = self.affordable_tokens
            allowed = ": the compute allows it {affordable_tokens token}"
        apiece = tokens / self.parameters
        end = f"{allowed}, {{apiece}} for each parameter instead of {{ratio}}."
        if self.states("tokens"):
            end = ", with {apiece token} for each parameter instead of {ratio}."
        return First(
            Sentence("The stated model is just that.", same(self.oversize, 1)),
            Sentence(
                f"The stated model is too small, {{oversize}} times that size{end}",
                self.oversize < 1,
                apiece=apiece,
            ),
            Sentence(
                f"The stated model is too large, {{oversize}} times that size{end}", apiece=apiece
            ),
        )

    def insights(self) -> Iterator[Said]:
        best, rule = self.best_parameters, self.operations * self.ratio
        if not self._has_budget:
            yield Sentence(
                "Twice the tokens suit a model twice as large, and so take four times the compute:"
                " {fourfold operation}.",
                fourfold=4 * self.best_compute,
            )
        elif self.states("parameters"):
            yield from self._on_stated_model()
        else:
            days = self._budget / (400 * 10**12 * 24 * 3600)
            yield Sentence(
                "A device that achieves 400 TFLOP/s would be busy with that for {days day}.",
                days > 1,
                days=days,
            )
            yield Sentence(
                "A model twice as large, of {double parameter}, would need four times the compute:"
                " it takes twice the tokens too.",
                double=2 * best,
            )
        yield Sentence(
            "The rule of thumb is rough, but the best size follows its root only: with {more token}"
            " for each parameter it would be {smaller parameter}.",
            more=2 * self.ratio,
            smaller=sqrt(self._budget / (2 * rule)),
        )

    def _on_stated_model(self) -> Iterator[Said]:
        """What the stated model would need, or what it is good for."""
        needed = self.operations * self.ratio * self.parameters * self.parameters
        yield Sentence(
            "The rule would give the stated model {tokens token}. That takes"
            " {needed operation}: {times} times as many, as they grow with the square of the"
            " size.",
            self.oversize > 1,
            tokens=self.ratio * self.parameters,
            needed=needed,
            times=needed / self._budget,
        )
        yield Sentence(
            "The stated model would be best for a budget of {needed operation}, {part %} of this"
            " one, and {tokens token}. In use it is cheaper than the best one: {oversize %} of its"
            " operations for each token.",
            self.oversize < 1,
            needed=needed,
            part=needed / self._budget,
            tokens=self.ratio * self.parameters,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self._has_budget:
            spent = self.operations * self.best_parameters * self.best_tokens
            yield Crosscheck("this model on these tokens spends it all", same(spent, self._budget))

    def premises(self) -> Iterator[Premise]:
        yield Premise(
            "a dense transformer; the operations of attention scores are left out", "training-time"
        )
        yield Premise("the tokens for each parameter are a rule of thumb", "ratio")
        yield Premise("no token is used twice")
        yield Premise("the loss of the training counts alone, not what the model costs in use")

    def arguments(self) -> Iterator[Argument]:
        best, parameters, tokens = self.best_parameters, self.parameters, self.tokens
        if not self._has_budget:
            passes = (2 * best + 4 * best) * tokens
            yield Rewritten(self.best_compute, ((passes, PASSES),), "", USUAL)
            return
        if not self.states("compute"):
            passes = (2 * parameters + 4 * parameters) * tokens
            yield Rewritten(self.used, ((passes, PASSES),), "", USUAL)
        tokens = self.ratio * best
        says = "ρ tokens for each parameter, and every one passes every parameter"
        if self.states("compute"):
            six = same(self._budget, (2 * best + 4 * best) * tokens)
            yield Equated(best, six, f"{says}: {PASSES}", "", USUAL)
        yield Equated(best, same(self._budget, self.operations * best * tokens), says)

    def laws(self) -> Iterator[Law]:
        if self.states("compute"):
            yield Rises("best_parameters", "compute", "more compute trains a larger model")
            yield Rises("best_tokens", "compute", "and on more tokens")
            yield Holds(same(self.best_compute, self.compute), "all of it is spent")
        elif self.states("tokens"):
            yield Rises("best_parameters", "tokens", "more tokens suit a larger model")

    def _beside(self) -> Equations:
        """What the compute allows the stated model, or on the stated tokens."""
        if self.states("parameters"):
            yield self.affordable_tokens, self.compute / (self.operations * self.parameters)
        elif self.states("tokens"):
            yield self.affordable_parameters, self.compute / (self.operations * self.tokens)
