"""The account of a ring all-reduce: every exchange, then what it comes to against the formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from ddcalc.formula.algebra import ceiling, largest, smallest, total
from ddcalc.formula.expression import Expr, Mul, Num, Sym, symbols
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Define, DefineEach, Exchange, Sent, Step, Table
from ddcalc.types.communication.ring_trace.model import (
    Op,
    Phase,
    Ring,
    Round,
    Route,
    Way,
    count,
    reduced,
)
from ddcalc.types.communication.ring_trace.question import RingQuestion

ALL: Final = 8  # processes up to which every step is shown; else a phase's first two and its last
FIRST: Final = 2
LISTED: Final = 12  # chunks whose lengths are listed

TAKES: Final[Mapping[Op, str]] = {
    "sum": "adds it to its own",
    "max": "keeps the larger of it and its own, value by value",
    "min": "keeps the smaller of it and its own, value by value",
    "prod": "multiplies its own by it, value by value",
    "mean": "adds it to its own; a complete sum is divided by the number of processes",
}
DONE: Final[Mapping[Op, str]] = {
    "sum": "sums",
    "max": "maxima",
    "min": "minima",
    "prod": "products",
    "mean": "means",
}
WAYS: Final[Mapping[Way, str]] = {
    "chunks": "in chunks",
    "whole": "whole vectors",
    "relay": "one after the other",
}
PHASES: Final[Mapping[Way, Mapping[Phase, str]]] = {
    "chunks": {"reduce": "reduce-scatter", "share": "all-gather"},
    "whole": {"reduce": "pass on and reduce"},
    "relay": {"reduce": "reduce", "share": "broadcast"},
}
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")

P, N = Sym("p"), Sym("n")


class Account:
    """The *values* of a ring all-reduce by name, and the steps that lead there; *declared* are its
    quantities by name."""

    def __init__(self, question: RingQuestion, declared: Mapping[str, Derived]) -> None:
        self.question, self.declared = question, declared
        self.route, self.processes = question.route, question.route.processes
        self.counted = count(question.route)
        self.reduced = reduced(question.vectors, question.route, question.op)
        self.values = self._values()

    def _values(self) -> dict[str, Number | tuple[Number, ...]]:
        """The reduced vector, and the counts; in bytes only where the size of a value is stated."""
        done, length, element = self.counted, self.question.length, self.question.element
        values: dict[str, Number | tuple[Number, ...]] = {
            "length": length,
            "lengths": tuple(self.route.lengths),
            "reduced": self.reduced,
            "reduce_steps": done.reduce,
            "share_steps": done.share,
            "sent": done.sent,
            "sent_mean": done.mean,
            "sent_most": max(done.sent),
            "waited": done.waited,
            "steps": done.steps,
        }
        if element is not None:
            values["size"] = length * element
            values["bytes_mean"] = done.mean * element
            values["bytes_most"] = max(done.sent) * element
            values["bytes_waited"] = done.waited * element
        return values

    def steps(self) -> Iterator[Step]:
        """What everybody has, every exchange, the reduced vector, and the counts."""
        yield from self._exchanges()
        yield self._reduced()
        yield from self._counts()
        if self.question.element is not None:
            yield from self._bytes()
        if self.processes > 1:
            yield self._beside()

    # The exchanges

    def _exchanges(self) -> Iterator[Exchange]:
        ring = Ring(self.question.vectors, self.route, self.question.op)
        yield self._exchange("At the start", self._start(), ring, (), "", "at the start")
        for step, sent in ring.play():
            last = self.counted.reduce if step.phase == "reduce" else self.counted.share
            if self.processes <= ALL or step.step <= FIRST or step.step == last:
                yield self._step(step, last, ring, sent)

    def _step(self, step: Round, last: int, ring: Ring, sent: Sequence[Sent]) -> Exchange:
        why = _why(self.route, step.phase, self.question.op, again=step.step > 1)
        if self.processes > ALL and step.step == last:
            why = f"after {counted(last - FIRST - 1, 'step')} that are not shown; {why}"
        phase = PHASES[self.route.way][step.phase]
        title = f"{phase.capitalize()}, {_ordinal(step.step, last)} step"
        how = "reduced" if step.phase == "reduce" else "received"
        return self._exchange(title, why, ring, sent, how, phase, f"{step.step} of {last}")

    def _exchange(
        self, title: str, why: str, ring: Ring, sent: Sequence[Sent], how: str, phase: str,
        place: str = "",
    ) -> Exchange:  # fmt: skip
        chunks = self.route.way == "chunks"
        parts = tuple(f"chunk {k}" for k in range(1, self.processes + 1))
        return Exchange(
            title,
            why,
            "chunk" if chunks else "vector",
            parts if chunks else ("holds",),
            ring.rows(sent),
            tuple(sent),
            how,
            phase,
            place,
        )

    def _start(self) -> str:
        values = counted(self.question.length, "value")
        if self.processes == 1:
            return f"one process with {values}; there is nobody to send to"
        if self.route.way != "chunks":
            return f"vectors of {values} stay whole"
        lengths = self.route.lengths
        if len(set(lengths)) == 1:
            cut = f"{self.processes} chunks of {counted(lengths[0], 'value')}"
        else:
            cut = f"{self.processes} chunks{_lengths(lengths)}"
        empty = "; empty ones are not sent" if 0 in lengths else ""
        return f"each vector of {values} is cut into {cut}{empty}"

    # What it comes to

    def _reduced(self) -> DefineEach:
        quantity = self.declared["reduced"]
        rows = []
        for k, value in enumerate(self.reduced):
            numbers = {f"v_{i}_{k + 1}": v[k] for i, v in enumerate(self.question.vectors, 1)}
            formula = _joined(self.question.op, [Sym(name) for name in numbers])
            rows.append(defined(quantity, value, formula, numbers, symbol=f"r_{k + 1}"))
        return DefineEach(quantity.name, quantity.title, quantity.why, tuple(rows))

    def _counts(self) -> Iterator[Step]:
        whole = self.route.way == "whole"
        yield self._define("reduce_steps", P - 1)
        nothing = "everybody has everything already" if whole else ""
        yield self._define("share_steps", Num(0) if whole else P - 1, nothing)
        yield self._define("steps", Sym("K_r") + Sym("K_s"))
        yield self._sent()
        yield self._define("sent_mean", self._mean(N), "" if self.processes == 1 else self._beat())
        letters = [*map(Sym, self._letters())]
        yield self._define("sent_most", largest(*letters) if letters[1:] else letters[0])
        longest: Expr = N if self.route.way != "chunks" else ceiling(N / P)
        yield self._define("waited", Sym("K") * longest)

    def _mean(self, size: Expr) -> Expr:
        return (P - 1) * size if self.route.way == "whole" else 2 * (P - 1) / P * size

    def _beat(self) -> str:
        """How what was counted compares with the formula."""
        sent = self.counted.sent
        if self.route.way == "whole":
            return "all vectors but the next one's own pass through everybody"
        if len(set(sent)) == 1:
            return "each process sends exactly this"
        return f"{count_text(sum(sent))} values in all, however the vector is cut"

    def _sent(self) -> DefineEach:
        quantity, why = self.declared["sent"], self._unsent()
        lines = zip(self._letters(), self.counted.sent, self._formulas(), strict=True)
        rows = [
            self._counted(quantity, value, formula, why, letter) for letter, value, formula in lines
        ]
        return DefineEach(quantity.name, quantity.title, why, tuple(rows))

    def _unsent(self) -> str:
        if self.processes == 1:
            return "there is nobody to send to"
        if self.route.way == "chunks":
            return "all chunks but the one it completes, then but the one that the next completed"
        if self.route.way == "whole":
            return "its own vector and all that come in but the last"
        return "all but the last two of the ring send in both phases"

    def _letters(self) -> list[str]:
        return [f"V_{j}" for j in range(1, self.processes + 1)]

    def _formulas(self) -> Iterator[Expr]:
        """What each process sends, from what it leaves out."""
        for j in range(1, self.processes + 1):
            if self.route.way == "whole":
                yield (P - 1) * N
            elif self.route.way == "relay":
                times = sum(hop.sender == j for step in self.route.rounds() for hop in step.hops)
                yield times * N
            else:
                left = [(j + self.route.first + k - 1) % self.processes + 1 for k in (1, 2)]
                yield 2 * N - Sym(f"m_{left[0]}") - Sym(f"m_{left[1]}")

    def _bytes(self) -> Iterator[Define]:
        yield self._define("size", N * Sym("e"))
        yield self._define("bytes_mean", self._mean(Sym("S")))
        yield self._define("bytes_most", Sym("V_max") * Sym("e"))
        yield self._define("bytes_waited", Sym("V_wait") * Sym("e"))

    def _beside(self) -> Table:
        def row(route: Route) -> tuple[str, ...]:
            done = count(route)
            cells = (done.steps, done.messages, done.mean, max(done.sent), done.waited)
            return (WAYS[route.way], *(count_text(cell) for cell in cells))

        header = ("vectors go", "steps", "messages", "sent by each", "at most", "to wait for")
        why = (
            "values that a process sends on average, and at most; the longest message of each step"
        )
        return Table("Side by side", why, header, tuple(map(row, self.question.alternatives)))

    # Their form

    def _define(self, name: str, formula: Expr, why: str = "") -> Define:
        quantity, value = self.declared[name], self.values[name]
        assert not isinstance(value, tuple)
        return self._counted(quantity, value, formula, why)

    def _counted(
        self, quantity: Derived, value: Number, formula: Expr, why: str, letter: str = ""
    ) -> Define:
        numbers = {name: self._known[name] for name in symbols(formula)}
        return defined(quantity, value, formula, numbers, why, letter)

    @cached_property
    def _known(self) -> dict[str, Number]:
        """The number behind every letter."""
        known: dict[str, Number] = {"p": self.processes, "n": self.question.length}
        known |= {f"m_{k}": length for k, length in enumerate(self.route.lengths, 1)}
        known |= zip(self._letters(), self.counted.sent, strict=True)
        if self.question.element is not None:
            known["e"] = self.question.element
        for name, value in self.values.items():
            if not isinstance(value, tuple):
                known[self.declared[name].letter] = value
        return known


def _why(route: Route, phase: Phase, op: Op, again: bool) -> str:
    """What happens in each step of *phase*, in short where it happens *again*."""
    if route.way == "relay":
        if phase == "share":
            return f"the complete {DONE[op]} go round"
        return f"one process sends all it has so far; the next one {TAKES[op]}"
    what = "vector" if route.way == "whole" else "chunk"
    if again:
        return f"everybody passes on the {what} that has just come in"
    if phase == "share":
        return "each process passes on its complete chunk, which replaces the next one's own"
    return f"each process sends a {what} to the next one, which {TAKES[op]}"


def _ordinal(step: int, last: int) -> str:
    """Which of the steps of a phase it is; the first seven and the last one have a word."""
    if last == 1:
        return "only"
    return "last" if step == last else ORDINALS[step - 1]


def _joined(op: Op, values: list[Expr]) -> Expr:
    """The formula of a reduced value."""
    if len(values) == 1:
        return values[0]
    if op in ("max", "min"):
        return (largest if op == "max" else smallest)(*values)
    if op == "prod":
        return Mul(tuple(values))
    return total(values) / len(values) if op == "mean" else total(values)


def _lengths(lengths: Sequence[int]) -> str:
    """The lengths of chunks one by one, or how many have each."""
    if len(lengths) <= LISTED:
        return f" of {', '.join(map(str, lengths))} values"
    kinds = sorted({*lengths}, reverse=True)
    return ": " + ", ".join(f"{lengths.count(kind)} of {counted(kind, 'value')}" for kind in kinds)
