"""What an iteration comes to, in words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.expression import Expr, Num
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Premise, Said, Sentence
from ddcalc.types.epochs.data_parallel.model import Iteration, Vector

WRITTEN = 4  # weights up to which all are named

PREMISES = (
    Premise("all workers begin with the same weights"),
    Premise("plain gradient descent, without momentum"),
    Premise("the server waits for every gradient", "backup-workers"),
    Premise("gradients arrive unrounded", "quantize"),
)


def said_of(done: Iteration) -> Says:
    """Whether it was the same step, why, and what that means."""
    return Says(
        conclusion=tuple(_conclusion(done)), insights=tuple(_insights(done)), premises=PREMISES
    )


def _conclusion(done: Iteration) -> Iterator[Said]:
    workers, slots = _weights(done.new_weights, "w")
    if done.gap:
        machine, others = _weights(done.single_weights, "o")
        if not workers:
            yield Sentence(
                "No: the weights of the workers differ from those of one machine by up to {gap}.",
                None,
                gap=Num(done.gap),
            )
            return
        beyond = ", a difference of {gap}." if len(slots) == 1 else ", up to {gap} apart."
        yield Sentence(
            f"No: the workers arrive at {workers}, one machine at {machine}{beyond}",
            None,
            gap=Num(done.gap),
            **slots,
            **others,
        )
        return
    at = workers or "the same weights"
    if len(done.shards) == 1:
        why = "the only worker has all rows"
    elif done.are_equal:
        why = "the shards are equal, so the average of the workers is the gradient of all rows"
    elif done.by_rows:
        why = "an average that counts rows is the gradient of all rows"
    else:
        yield Sentence(
            "Yes, but only by chance: shards that are not equal need an average that counts rows;"
            f" with these numbers the plain one is the same. Both arrive at {at}.",
            None,
            **slots,
        )
        return
    yield Sentence(f"Yes: {why}, and both arrive at {at}.", None, **slots)


def _insights(done: Iteration) -> Iterator[Said]:
    if len(done.shards) == 1:
        return
    largest, least = max(done.shards), min(done.shards)
    if done.are_equal:
        yield (
            "With equal shards both averages are the same; with others the plain one would count a"
            " row of a small shard for more than a row of a large one."
        )
        return
    if done.by_rows:
        plain = done.averaged(by_rows=False)
        pairs = zip(plain, done.gradient, strict=True)
        off = max(abs(Fraction(ours - right)) for ours, right in pairs) * done.eta
        if off:
            yield Sentence(
                "A plain average, in which every worker counts the same, would be off by"
                f" {'up to ' if len(plain) > 1 else ''}{{off}} in the new weight"
                f"{'s' if len(plain) > 1 else ''}.",
                None,
                off=Num(off),
            )
        yield (
            "It does not matter how the rows are split, as every row counts the same in the end;"
            " only the time of the step depends on that."
        )
        return
    yield Sentence(
        "In the plain average a row of the smallest shard counts {ratio} times as much as a row of"
        " the largest.",
        None,
        ratio=Num(largest) / Num(least),
    )
    if done.gap:
        yield Sentence(
            "The difference grows with the step size: twice the step size would make it {twice}.",
            None,
            twice=Num(2 * done.gap),
        )


def _weights(vector: Vector, letter: str) -> tuple[str, dict[str, Expr]]:
    """The weights of *vector* as a template and its slots; none if they are too many."""
    names = [f"{letter}{k}" for k in range(len(vector))]
    if len(names) > WRITTEN:
        return "", {}
    slots: dict[str, Expr] = {name: Num(value) for name, value in zip(names, vector, strict=True)}
    slotted = [f"{{{name}}}" for name in names]
    if len(slotted) == 1:
        return f"the weight {slotted[0]}", slots
    return f"the weights {', '.join(slotted[:-1])} and {slotted[-1]}", slots
