"""The account of a ring all-reduce: every exchange, then what it comes to against the formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from ddcalc.formula.algebra import ceiling, largest
from ddcalc.formula.expression import Expr, Num, Sym, symbols
from ddcalc.numbers.display import counted, number_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Define, DefineEach, Exchange, Sent, Step, Table
from ddcalc.types.communication.ring_trace import words
from ddcalc.types.communication.ring_trace.account import Found
from ddcalc.types.communication.ring_trace.costs import Count, count
from ddcalc.types.communication.ring_trace.question import Question
from ddcalc.types.communication.ring_trace.ring import Ring
from ddcalc.types.communication.ring_trace.route import Round

ALL: Final = (
    8  # processes up to which every step is told; else the first two of a phase and its last
)
FIRST: Final = 2
LISTED: Final = 12  # chunks whose lengths are listed

P, N = Sym("p"), Sym("n")


class Story:
    """The steps of *question*, which came to *values*; *declared* are its quantities by name."""

    def __init__(self, question: Question, values: Found, declared: Mapping[str, Derived]) -> None:
        self.question, self.values, self.declared = question, values, declared
        self.route, self.processes = question.route, question.route.processes
        self.counted = count(question.route)

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
        totals = {"reduce": self.counted.reduce, "share": self.counted.share}
        for each, sent in ring.play():
            last = totals[each.phase]
            if self.processes > ALL and FIRST < each.step < last:
                continue
            why = words.why(self.route, each.phase, self.question.op, again=each.step > 1)
            if self.processes > ALL and each.step == last:
                why = f"after {counted(last - FIRST - 1, 'step')} that are not shown; {why}"
            yield self._told(each, last, why, ring, sent)

    def _told(self, each: Round, last: int, why: str, ring: Ring, sent: Sequence[Sent]) -> Exchange:
        phase = words.PHASES[each.phase]
        title = f"{phase.capitalize()}, {words.ordinal(each.step, last)} step"
        how = "reduced" if each.phase == "reduce" else "received"
        return self._exchange(title, why, ring, sent, how, phase, f"{each.step} of {last}")

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
        quantity, op = self.declared["reduced"], self.question.op
        values = self.values["reduced"]
        assert isinstance(values, tuple)
        rows = []
        for k, value in enumerate(values):
            numbers = {f"v_{i}_{k + 1}": v[k] for i, v in enumerate(self.question.vectors, 1)}
            formula = words.joined(op, [Sym(name) for name in numbers])
            rows.append(defined(quantity, value, formula, numbers, symbol=f"r_{k + 1}"))
        return DefineEach(quantity.name, quantity.title, quantity.why, tuple(rows))

    def _counts(self) -> Iterator[Step]:
        one = self.processes == 1
        yield self._define("reduce_steps", P - 1)
        share = Num(0) if self.route.way == "whole" else P - 1
        nothing = "everybody has everything already" if self.route.way == "whole" else ""
        yield self._define("share_steps", share, nothing)
        yield self._define("steps", Sym("K_r") + Sym("K_s"))
        yield self._sent()
        yield self._define("sent_mean", self._mean(), "" if one else self._against())
        letters = [*map(Sym, self._letters())]
        yield self._define("sent_most", letters[0] if one else largest(*letters))
        longest: Expr = N if self.route.way != "chunks" else ceiling(N / P)
        yield self._define("waited", Sym("K") * longest)

    def _mean(self) -> Expr:
        return (P - 1) * N if self.route.way == "whole" else 2 * (P - 1) / P * N

    def _against(self) -> str:
        """How what was counted lies to the formula."""
        sent = self.counted.sent
        if self.route.way == "whole":
            return "all vectors but the next one's own pass through everybody"
        if len(set(sent)) == 1:
            return "each process sends exactly this"
        return f"{number_text(sum(sent))[0]} values in all, however the vector is cut"

    def _sent(self) -> DefineEach:
        quantity, why = self.declared["sent"], self._unsent()
        told = zip(self._letters(), self.counted.sent, self._formulas(), strict=True)
        rows = [
            self._counted(quantity, value, formula, why, letter) for letter, value, formula in told
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
                times = sum(hop.sender == j for each in self.route.rounds() for hop in each.hops)
                yield times * N
            else:
                left = [(j + self.route.first + k - 1) % self.processes + 1 for k in (1, 2)]
                yield 2 * N - Sym(f"m_{left[0]}") - Sym(f"m_{left[1]}")

    def _bytes(self) -> Iterator[Define]:
        yield self._define("size", N * Sym("e"))
        mean = (P - 1) * Sym("S") if self.route.way == "whole" else 2 * (P - 1) / P * Sym("S")
        yield self._define("bytes_mean", mean)
        yield self._define("bytes_most", Sym("V_max") * Sym("e"))
        yield self._define("bytes_waited", Sym("V_wait") * Sym("e"))

    def _beside(self) -> Table:
        def row(name: str, told: Count) -> tuple[str, ...]:
            cells = (told.steps, told.messages, told.mean, max(told.sent), told.waited)
            return (name, *map(_shown, cells))

        rows = [row(words.WAYS[way.way], count(way)) for way in self.question.alternatives]
        header = ("vectors go", "steps", "messages", "sent by each", "at most", "to wait for")
        why = (
            "values that a process sends on average, and at most; the longest message of each step"
        )
        return Table("Side by side", why, header, tuple(rows))

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


def _lengths(lengths: Sequence[int]) -> str:
    """The lengths of chunks one by one, or how many have each."""
    if len(lengths) <= LISTED:
        return f" of {', '.join(map(str, lengths))} values"
    kinds = sorted({*lengths}, reverse=True)
    return ": " + ", ".join(f"{lengths.count(each)} of {counted(each, 'value')}" for each in kinds)


def _shown(value: Number) -> str:
    return number_text(value)[0]
