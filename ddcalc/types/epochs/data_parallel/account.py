"""The account of an iteration: every number with its formula and its reason, as steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from ddcalc.formula.algebra import largest, total
from ddcalc.formula.expression import Expr, Fun, Num, Sym, symbols
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT
from ddcalc.problem.play import Says, defined, outline
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Premise, Said, Sentence
from ddcalc.problem.steps import Cells, Define, DefineEach, Step, Table
from ddcalc.types.epochs.data_parallel.model import Iteration, Vector

ETA = Sym("eta")
Line = tuple[Sym, Expr]  # a letter and its formula
WRITTEN = 4  # weights up to which all are named

PREMISES = (
    Premise("all workers begin with the same weights"),
    Premise("plain gradient descent, without momentum"),
    Premise("the server waits for every gradient", "backup-workers"),
    Premise("gradients arrive unrounded", "quantize"),
)


class Account:
    """The steps of *iteration*; *declared* are the quantities that they come to, by name."""

    def __init__(self, iteration: Iteration, declared: Mapping[str, Derived]) -> None:
        self.done, self.declared = iteration, declared
        self.components = range(1, len(iteration.weights) + 1)
        self.workers = range(1, len(iteration.shards) + 1)
        self.rows = range(1, len(iteration.targets) + 1)

    def steps(self, dealt: str, begin: str) -> Iterator[Step]:
        """From the shards to the comparison with one machine.

        *dealt* says how rows came to workers, *begin* what weights the replicas begin with (empty
        where the question states them).
        """
        yield self._shards(dealt)
        if begin:
            start = Derived("w", "Weights before the step", COUNT, begin, name="weights")
            zero = ((self._of("w", k), Num(0)) for k in self.components)
            yield self._listed(start, zero, begin)
        yield self._residuals()
        yield self._local_gradients()
        yield self._average()
        yield self._quantity("new_weights", self._stepped("w_new", "g"))
        whole = (
            (self._of("g_one", k), self._mean(self.rows, k, Num(len(self.rows))))
            for k in self.components
        )
        yield self._quantity("single_gradient", whole)
        yield self._quantity("single_weights", self._stepped("w_one", "g_one"))
        if not self.done.are_equal:
            if self.done.by_rows:
                yield self._plain_average()
            else:
                yield self._what_rows_count()
        yield self._gap()

    # The steps one by one

    def _shards(self, dealt: str) -> Table:
        def shard(j: int) -> Cells:
            rows = self.done.owners[j - 1]
            return _stretch(rows), Num(len(rows))

        why = f"{dealt}, {counted(len(self.rows), 'row')} in all"
        header = ("worker", "its rows", "how many")
        return Table(self.declared["rows_per_worker"].title, why, header, self._by_worker(shard))

    def _residuals(self) -> DefineEach:
        predicted = (
            total(self._of("w", k) * self._input(i, k) for k in self.components) for i in self.rows
        )
        lines = ((Sym(f"r_{i}"), w_x - Sym(f"y_{i}")) for i, w_x in enumerate(predicted, 1))
        return self._quantity("residuals", lines)

    def _local_gradients(self) -> DefineEach:
        lines = (
            (
                self._of(f"G_{j}", k),
                self._mean(self.done.owners[j - 1], k, Num(self.done.shards[j - 1])),
            )
            for j in self.workers
            for k in self.components
        )
        loss = "half the mean square" if self.done.scale == 1 else "the mean square"
        return self._quantity("local_gradients", lines, f"its loss is {loss} of its residuals")

    def _average(self) -> DefineEach:
        if len(self.workers) == 1:
            why = "the only worker has all rows"
        elif self.done.are_equal:
            why = "all shards are equal, so this is the mean over all rows"
        elif self.done.by_rows:
            why = "a mean times its rows is their sum, so this is the mean over all rows"
        else:
            why = "every worker counts the same, however few rows it has"
        by_rows = self.done.by_rows and not self.done.are_equal
        return self._quantity("gradient", self._averaged("g", by_rows), why)

    def _what_rows_count(self) -> Table:
        def counts(j: int) -> Cells:
            rows = self.done.shards[j - 1]
            return Num(rows), Num(1) / len(self.rows), Num(1) / (len(self.workers) * rows)

        why = "a plain average weighs workers alike, so a row of a small shard counts for more"
        header = ("worker", "rows", "a row should count", "in a plain average it counts")
        return Table("What a row counts for", why, header, self._by_worker(counts))

    def _plain_average(self) -> DefineEach:
        """What the server does better not to do."""
        if self.done.averaged(by_rows=False) == self.done.gradient:
            why = "the same with these numbers, but only by chance"
        else:
            why = "not the gradient of all rows"
        title = "A plain average would be"
        plain = Derived("g_plain", title, COUNT, why, name="plain_gradient")
        return self._listed(plain, self._averaged(plain.letter, by_rows=False), why)

    def _gap(self) -> Define:
        of, gap = self._of, self.declared["gap"]
        parts = [Fun("norm", (of("w_new", k) - of("w_one", k),)) for k in self.components]
        if self.done.gap:
            why = "the plain average is not the gradient of all rows"
        elif self.done.by_rows or self.done.are_equal:
            why = "both took the same step"
        else:
            why = "the same with these numbers, but only by chance"
        formula = largest(*parts) if len(parts) > 1 else parts[0]
        return self._define(gap, (Sym(gap.letter), formula), why)

    # Formulas

    def _mean(self, rows: Iterable[int], k: int, count: Expr) -> Expr:
        """Component *k* of the gradient on *rows*, *count* of them."""
        added = total(Sym(f"r_{i}") * self._input(i, k) for i in rows)
        scaled = added if self.done.scale == 1 else self.done.scale * added
        return scaled if count == Num(1) else scaled / count

    def _averaged(self, letter: str, by_rows: bool) -> Iterator[Line]:
        for k in self.components:
            terms: Iterable[Expr] = [self._of(f"G_{j}", k) for j in self.workers]
            if by_rows:
                counts = zip(self.done.shards, terms, strict=True)
                terms = [term if m == 1 else Num(m) * term for m, term in counts]
            count = len(self.rows if by_rows else self.workers)
            yield self._of(letter, k), total(terms) / count if count > 1 else total(terms)

    def _stepped(self, letter: str, gradient: str) -> Iterator[Line]:
        of = self._of
        return ((of(letter, k), of("w", k) - ETA * of(gradient, k)) for k in self.components)

    def _input(self, i: int, k: int) -> Sym:
        """The letter of input *k* of row *i*, as the question lists them row after row."""
        return Sym(f"x_{(i - 1) * len(self.components) + k}")

    def _of(self, vector: str, k: int) -> Sym:
        """The letter of component *k* of a *vector*: w_2, x_1_2; one alone goes without."""
        return Sym(vector if len(self.components) == 1 else f"{vector}_{k}")

    @cached_property
    def known(self) -> dict[str, Number]:
        """The number behind every letter."""
        done = self.done
        known: dict[str, Number] = {ETA.name: done.eta, "D": done.gap}
        for letter, values in (("y", done.targets), ("r", done.residuals)):
            known |= {f"{letter}_{i}": value for i, value in enumerate(values, 1)}
        known |= {
            self._input(i, k).name: x
            for i, row in enumerate(done.inputs, 1)
            for k, x in enumerate(row, 1)
        }
        vectors: dict[str, Vector] = {}
        vectors |= {f"G_{j}": gradient for j, gradient in enumerate(done.local, 1)}
        vectors |= {"w": done.weights, "g": done.gradient, "g_plain": done.averaged(by_rows=False)}
        vectors |= {"w_new": done.new_weights}
        vectors |= {"g_one": done.single_gradient, "w_one": done.single_weights}
        for letter, vector in vectors.items():
            known |= {self._of(letter, k).name: value for k, value in enumerate(vector, 1)}
        return known

    # Their form

    def _by_worker(self, cells: Callable[[int], Cells]) -> tuple[Cells, ...]:
        """A row of *cells* for each worker, or for the first ones and the last."""
        width = 1 + len(cells(1))
        shown = outline(1, len(self.workers))
        return tuple(("…",) * width if j is None else (Num(j), *cells(j)) for j in shown)

    def _quantity(self, name: str, lines: Iterable[Line], more: str = "") -> DefineEach:
        quantity = self.declared[name]
        return self._listed(quantity, lines, "; ".join(filter(None, (quantity.why, more))))

    def _listed(self, quantity: Derived, lines: Iterable[Line], why: str) -> DefineEach:
        rows = tuple(self._define(quantity, line, why) for line in lines)
        return DefineEach(quantity.name, quantity.title, why, rows)

    def _define(self, quantity: Derived, line: Line, why: str) -> Define:
        (symbol, formula), known = line, self.known
        numbers = {letter: known[letter] for letter in symbols(formula)}
        return defined(quantity, known[symbol.name], formula, numbers, why, symbol.name)


def _stretch(rows: range) -> str:
    return f"{rows[0]}–{rows[-1]}" if len(rows) > 1 else str(rows[0])


def said_of(done: Iteration) -> Says:
    """Whether it was the same step, why, and what that means."""
    return Says(
        conclusion=tuple(_conclusion(done)), insights=tuple(_insights(done)), premises=PREMISES
    )


def _conclusion(done: Iteration) -> Iterator[Said]:
    if done.gap:
        yield from _difference(done)
        return
    workers, slots = _weights(done.new_weights, "w")
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


def _difference(done: Iteration) -> Iterator[Said]:
    """How far the workers and one machine are apart, and why."""
    workers, slots = _weights(done.new_weights, "w")
    machine, others = _weights(done.single_weights, "o")
    text = "No: the weights of the workers differ from those of one machine by up to {gap}."
    if workers:
        beyond = "a difference of {gap}." if len(slots) == 1 else "up to {gap} apart."
        text = f"No: the workers arrive at {workers}, one machine at {machine}, {beyond}"
    yield Sentence(text, None, gap=Num(done.gap), **slots, **others)
    yield Sentence(
        "The plain average is to blame: a row of the smallest shard counts {ratio} times as much in"
        " it as a row of the largest.",
        None,
        ratio=Num(max(done.shards)) / Num(min(done.shards)),
    )


def _insights(done: Iteration) -> Iterator[Said]:
    if len(done.shards) == 1:
        return
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
    if done.gap:
        yield (
            "If every worker counted as much as it has rows, the average would be the gradient of"
            " all rows, and both would arrive at the same weights."
        )

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
