"""The operations that a transformer's training makes for each token."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, same
from ddcalc.numbers.units import FLOP, unit_named
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, choice, count, derived, given

TFLOP_PER_SECOND = unit_named("TFLOP/s")

MFU_OR_HFU = "achieved over peak: the MFU, or the HFU if f counts what is computed again"
AGAIN = "f_r on top of f: 6 and 2 for example, not 8 and 2"
MODEL_ALONE = "without f_r, over peak: the MFU, if f is what the model needs alone"
WHICH_PEAK = "is the peak that of the number format in use, dense or with sparsity"
ASK = f"{WHICH_PEAK}, are all devices counted, and is N what one token passes?"


class Transformer(Problem):
    """Types that count the operations of a transformer.

    For each token they are f·N + 2·f·L·h·q·s: with f = 6 the 6N + 12LHQT of Chowdhery et al.,
    PaLM, arXiv:2204.02311, appendix B, with the 8 of full recomputation 8N + 16LHQT. The second
    term is left out where the shape is not stated.
    """

    parameters = amount(
        "N", "parameters that a token passes", above=0, optional=True, example="70B"
    )
    tokens = amount("D", "tokens of the training", above=0, optional=True)
    operations = given(
        "f", "operations for each parameter and token", FLOP, above=0, bare=True, default="6 FLOP"
    )
    recomputed = given(
        "f_r", "operations that are made again, for each parameter and token", FLOP, least=0,
        bare=True, optional=True,
    )  # fmt: skip
    layers = count("L", "layers, to count attention", optional=True, group="attention")
    heads = count("h", "attention heads of a layer", optional=True, group="attention")
    head_size = count("q", "size of a head", optional=True, group="attention")
    width = count(
        "d", "width of attention, heads times their size", optional=True, group="attention"
    )
    sequence = count("s", "tokens of a sequence", optional=True, group="attention")
    devices = count("n", "devices (GPUs, TPUs)", default="1", example="1024")

    scores = choice(
        "which scores of attention count",
        all="the scores of all pairs of tokens count (PaLM)",
        causal="half of the scores count, about those of tokens up to its own",
    )

    attention = derived(
        "F_a", "Operations of attention for each token", "scores and weighted sums", FLOP
    )

    @property
    def shaped(self) -> bool:
        """Whether attention is counted."""
        return self.states("sequence")

    def needs(self) -> Iterator[tuple[str, ...]]:
        """A shape is stated as a whole or not at all."""
        if any(map(self.states, ("layers", "heads", "head_size", "width", "sequence"))):
            yield ("layers",)
            yield ("sequence",)
            yield "width", "heads"
            yield "width", "head_size"

    def conditions(self) -> Iterator[Condition]:
        """Width and heads are the same."""
        if all(map(self.states, ("heads", "head_size", "width"))):
            yield Condition(
                same(self.heads * self.head_size, self.width), "width",
                "is not {heads} heads times {head_size}; state one of the two",
            )  # fmt: skip

    def in_attention(self) -> Expr:
        """The operations of attention for each token, by the givens alone."""
        wide = self.width if self.states("width") else self.heads * self.head_size
        twice = 2 if self.scores == "all" else 1
        return twice * self.operations * self.layers * wide * self.sequence

    def for_a_token(self) -> Expr:
        """The operations for each token, by the givens alone."""
        passed = self.operations * self.parameters
        return passed + self.in_attention() if self.shaped else passed

    def more(self) -> Expr:
        """How many times the model's operations are made, if some are made again."""
        return (self.operations + self.recomputed) / self.operations

    def attending(self) -> Equations:
        """What attention adds, if it is counted."""
        if self.shaped:
            yield self.attention, self.in_attention()

    def counted_why(self) -> str:
        """What is counted of a token."""
        if self.shaped:
            return "each token passes each parameter and attends to its sequence"
        return "each token passes each parameter; attention is left out"
