"""What is said of two runs: how far apart they end, what that means, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Expr, Num, Sym, wrap
from ddcalc.numbers.number import Number, product
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Premise, Said, Sentence
from ddcalc.types.schedules.divergence.model import (
    Runs,
    coefficient,
    plain,
    same_operations,
    updates_until,
)
from ddcalc.types.schedules.divergence.question import Comparison

PLAYED = 2000  # updates up to which runs are played once more for a sentence

WRITTEN = 2  # pairs whose costs are written out in a sentence
LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Words:
    """The sentences on the *runs* of *question*."""

    def __init__(self, question: Comparison, runs: Runs) -> None:
        self.question, self.runs, self.sizes = question, runs, question.sizes
        self.ours, self.theirs = len(runs.asynchronous), len(runs.sequential)
        self.differing = runs.matched - runs.shared  # pairs on the same data

    def says(self) -> Says:
        """All of them."""
        return Says(
            conclusion=tuple(self._conclusion()),
            insights=tuple(self._insights()),
            premises=tuple(self._premises()),
        )

    def _bound(self, gradients: Number | Expr) -> Expr:
        """So many times η·Δ."""
        return wrap(self.sizes.value(gradients))

    # The answer

    def _conclusion(self) -> Iterator[Said]:
        when = "After {n_s update} of each run"
        if not self.question.equal_counts:
            when = "At {horizon}, after {n_a} asynchronous and {n_s} sequential updates,"
        ours, theirs = Num(self.ours), Num(self.theirs)
        if not self.runs.longest:
            yield "Both runs are still at the same point: neither has finished an update."
        elif not plain(self.runs):
            why = "each gradient was taken at the same point in both"
            yield Sentence(f"{when} both are at the same point: {why}.", n_a=ours, n_s=theirs)
        elif coefficient(self.runs, self.sizes) == 0:
            why = "with a Lipschitz constant of 0, gradients are the same everywhere"
            yield Sentence(f"{when} both are at the same point: {why}.", n_a=ours, n_s=theirs)
        elif self.sizes.lipschitz is None or not self.differing:
            reasons = " and ".join(", ".join(self._reasons()).rsplit(", ", 1))
            yield Sentence(
                f"{when} the two are at most {{bound}} apart: {reasons}.",
                n_a=ours,
                n_s=theirs,
                shared=Num(self.runs.shared),
                pairs=Num(self.differing),
                alone=Num(self.runs.unmatched),
                one=self._bound(1),
                two=self._bound(2),
            )
        else:
            yield Sentence(
                f"{when} the two are at most {self._limit()} apart.",
                n_a=ours,
                n_s=theirs,
                one=self._bound(1),
            )
            without = plain(self.runs)
            if coefficient(self.runs, self.sizes) == without:
                yield "The Lipschitz constant does not help: 2Δ limits every pair as closely."
            else:
                text = "Without the Lipschitz constant it would be at most {without}."
                yield Sentence(text, without=self._bound(without))

    def _limit(self) -> str:
        """The bound with a Lipschitz constant, by the costs of the table where η is open."""
        if self.sizes.slope is not None or self.differing <= WRITTEN:
            return "{bound}"
        costs = [f"p{str(i).translate(LOW)}" for i in (self.runs.shared + 1, self.runs.matched)]
        alone = f" + {self.runs.unmatched}" if self.runs.unmatched else ""
        return f"{{one}}·({costs[0]} + … + {costs[1]}{alone})"

    def _reasons(self) -> Iterator[str]:
        """What adds up to the bound, without a Lipschitz constant."""
        shared, alone = self.runs.shared, self.runs.unmatched
        if shared == 1:
            yield "the first gradient is the same in both"
        elif shared:
            yield "the first {shared} gradients are the same in both"
        if self.differing == 1:
            yield "the next pair of gradients adds at most {two}"
        elif self.differing:
            yield "the next {pairs} pairs of gradients add at most {two} each"
        run = "asynchronous" if self.ours > self.theirs else "sequential"
        if alone == 1:
            yield f"the one that only the {run} run has made adds at most {{one}}"
        elif alone:
            yield f"the {{alone}} that only the {run} run has made add at most {{one}} each"

    # What it means

    def _insights(self) -> Iterator[Said]:
        if not plain(self.runs):
            return
        yield from self._longer()
        if self.sizes.lipschitz is None:
            yield from self._smooth()
        if self.sizes.lipschitz is None and self.differing and self.runs.unmatched:
            run = "asynchronous" if self.ours > self.theirs else "sequential"
            yield Sentence(
                "Of this bound {stale} come from gradients taken at other points, {more} from the"
                f" {'one' if self.runs.unmatched == 1 else '{alone}'} further"
                f" update{'s' * (self.runs.unmatched != 1)} of the {run} run.",
                stale=self._bound(2 * self.differing),
                more=self._bound(self.runs.unmatched),
                alone=Num(self.runs.unmatched),
            )
        elif self.runs.shared:
            text = "If the two runs used different data, nothing would cancel: at most {all}."
            yield Sentence(text, all=self._bound(self.ours + self.theirs))
        if self.sizes.lipschitz is None and self.differing:
            yield (
                "No better bound holds for all losses: gradients of length Δ that are opposite in"
                " the two runs reach it."
            )

    def _longer(self) -> Iterator[Said]:
        """What all updates give that the asynchronous run has finished at the horizon."""
        question = self.question
        if not question.equal_counts or question.count is not None:
            return
        by_then = updates_until(question.starts, question.update, question.horizon)
        is_open = self.sizes.lipschitz is not None and self.sizes.slope is None
        if not self.ours < by_then <= PLAYED or is_open:
            return
        runs = same_operations(question.starts, question.update, by_then)
        if not coefficient(runs, self.sizes):
            return
        yield Sentence(
            "By {horizon} the asynchronous run has finished {many update}; after as many of each"
            " run, which the sequential one makes by {end}, the two are at most {more} apart.",
            many=Num(by_then),
            end=Num(by_then) * Sym("u"),
            more=self._bound(coefficient(runs, self.sizes)),
        )

    def _smooth(self) -> Iterator[Said]:
        """The bound with a Lipschitz constant, where it is a product."""
        runs, sizes = self.runs, self.sizes
        seen = [
            runs.asynchronous[data - 1].seen for data in range(runs.shared + 1, runs.matched + 1)
        ]
        if runs.unmatched or any(point > runs.shared for point in seen):
            return
        steps: Number = sum(runs.shared + i - point for i, point in enumerate(seen))
        letters = "L·η²·Δ"
        if not isinstance(sizes.eta, Sym) and not isinstance(sizes.delta, Sym):
            steps, letters = (
                product(product(steps, sizes.delta), product(sizes.eta, sizes.eta)),
                "L",
            )
        limit = letters if steps == 1 else f"{{steps}}·{letters}"
        yield Sentence(
            f"If the gradients have a Lipschitz constant L, the two are also at most {limit} apart,"
            " which falls with the square of the step size.",
            steps=Num(steps),
        )

    def _premises(self) -> Iterator[Premise]:
        yield Premise("both runs start at the same x₀ and use the same data, in the same order")
        yield Premise("x is read and written whole", "update-rule")
        yield Premise("all updates take equally long", "timeline")
        if self.question.count is None:
            yield Premise("an update that ends at the horizon counts")
        if self.sizes.lipschitz is None:
            yield Premise("gradients are limited in length only", "lipschitz")
