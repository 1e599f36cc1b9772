"""The account of a ring all-reduce: every exchange, then what it comes to against the formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from ddcalc.formula.algebra import ceiling, largest, same, smallest, total
from ddcalc.formula.expression import Expr, Mul, Num, Sym, symbols
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.problem.play import Says, defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
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

ALL: Final = 8  # processes up to which every step is played out; else a phase's first two and last
FIRST: Final = 2
SHORT: Final = 4  # processes up to which every step is shown unasked; else a phase's first and last
ASIDE: Final = "aside"  # the name of steps that are shown on demand
LISTED: Final = 12  # chunks whose lengths are listed

TAKES: Final[Mapping[Op, str]] = {
    "sum": "adds it to its own",
    "max": "keeps the larger values",
    "min": "keeps the smaller values",
    "prod": "multiplies its own by it",
    "mean": "adds it to its own; complete sums are divided",
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
        why = _why(self.route, step.phase, self.question.op, step.step)
        if self.processes > ALL and step.step == last:
            why = f"after {counted(last - FIRST - 1, 'step')} of the same kind"
        elif self.processes > SHORT and step.step == last and self.route.way != "relay":
            why = "each has passed on what came in, step by step"
        phase = PHASES[self.route.way][step.phase]
        title = f"{phase.capitalize()}, {_ordinal(step.step, last)} step"
        how = "reduced" if step.phase == "reduce" else "received"
        made = self._exchange(title, why, ring, sent, how, phase, f"{step.step} of {last}")
        aside = self.processes > SHORT and step.step not in (1, last)
        return replace(made, name=ASIDE) if aside else made

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
        rows = tuple(map(row, self.question.alternatives))
        return Table("Side by side", why, header, rows, ASIDE)

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


def _why(route: Route, phase: Phase, op: Op, step: int) -> str:
    """What happens in that *step* of *phase*, where it is not what happened in the one before."""
    if route.way == "relay":
        if phase == "share":
            return f"the complete {DONE[op]} go round" if step == 1 else ""
        return f"one process sends all it has so far; the next one {TAKES[op]}" if step == 1 else ""
    what = "vector" if route.way == "whole" else "chunk"
    if step > 1:
        passed = f"each passes on the {what} that has just come in"
        return passed if step == 2 and phase == "reduce" else ""
    if phase == "share":
        return "complete chunks replace those of the next one"
    if what == "vector":
        return f"each process sends its vector to the next one, which {TAKES[op]}"
    return f"each sends a chunk; the next one {TAKES[op]}"


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


# In words

NAMED: Final = 6  # processes that are listed by number
WRITTEN: Final = 8  # values of a vector that are written out; else the first ones and the last
ADDED: Final = 9  # values that are added up in a line

HAPPENS: Final[Mapping[Way, str]] = {
    "chunks": (
        "Each vector is cut into a chunk for each process. In a step every process sends one chunk"
        " to the next one in the ring, all at the same time, and in the next step the one that has"
        " come in. It is first reduced with the receiver's own, and, once complete, replaces that."
    ),
    "whole": (
        "The processes stand in a ring. In a step each process sends a whole vector to the next"
        " one, all at the same time: first its own, then the one that has just come in. Each of"
        " them reduces all the vectors that pass, so nothing has to be handed round afterwards."
    ),
    "relay": (
        "The processes stand in a ring. One after the other reduces what comes in with its own"
        " vector and sends it on; what the last one then holds is complete and goes round once"
        " more. Only one process sends at a time, and all others wait."
    ),
}
RESULTS: Final[Mapping[Op, str]] = {
    "sum": "the element-wise sums",
    "max": "the element-wise maxima",
    "min": "the element-wise minima",
    "prod": "the element-wise products",
    "mean": "the element-wise means",
}


def words(question: RingQuestion, result: Sequence[Number]) -> Says:
    """What is said of *question*, whose reduced vector is *result*."""
    return Says(
        HAPPENS[question.route.way],
        tuple(_conclusion(question, result)),
        tuple(_insights(question)),
        tuple(_crosschecks(question, result)),
        tuple(_premises(question)),
    )


def _conclusion(question: RingQuestion, result: Sequence[Number]) -> Iterator[Said]:
    route = question.route
    done = count(route)
    vector, slots = _vector(result)
    if route.processes == 1:
        alone = f"A single process has nobody to send to: it holds {vector} already."
        yield Sentence(alone, None, **slots)
        return
    phases = {
        "chunks": ", {reducing} to reduce-scatter and {sharing} to all-gather",
        "relay": ", {reducing} to reduce and {sharing} to hand the result round",
        "whole": "",
    }[route.way]
    yield Sentence(
        f"After {{taken step}}{phases}, every process holds {vector}, {RESULTS[question.op]}.",
        None,
        taken=Num(done.steps),
        reducing=Num(done.reduce),
        sharing=Num(done.share),
        **slots,
    )
    sized = question.element is not None
    mean, most = (" ({bytes_mean})", " ({bytes_most})") if sized else ("", "")
    if len({*done.sent}) == 1:
        yield Sentence(
            f"All send the same amount: {{each value}}{mean} each.", each=Num(done.sent[0])
        )
    elif route.way == "chunks" and len({*done.sent}) == 2:
        yield _shares(done.sent, most)
    else:
        yield Sentence(
            f"A process sends {{mean value}}{mean} on average, {{most}}{most} at most.",
            mean=Num(done.mean),
            most=Num(max(done.sent)),
        )


def _insights(question: RingQuestion) -> Iterator[Said]:
    route, p = question.route, question.route.processes
    if p == 1:
        return
    done = count(route)
    chunks, whole, _ = map(count, question.alternatives)
    length = question.length
    if route.way == "chunks":
        if len({*done.sent}) > 1:
            yield from _unequal(route, done.sent)
        else:
            yield Sentence(
                "That is {ratio} times its vector; with more processes it would be more on average,"
                " but never twice.",
                Num(p) > 2,
                ratio=Num(done.mean) / Num(length),
            )
        if p > 2 and done.waited == done.mean:
            yield Sentence(
                "Whole vectors would take {fewer step} instead of {taken}, but {more value} from"
                " each process instead of {mean}.",
                fewer=Num(whole.steps),
                taken=Num(done.steps),
                more=Num(whole.mean),
                mean=Num(done.mean),
            )
        if done.waited > done.mean:
            yield Sentence(
                "A step lasts as long as its longest message: {waited value} in all, not {mean}.",
                waited=Num(done.waited),
                mean=Num(done.mean),
            )
        return
    yield Sentence(
        "Chunks would take {taken step}, but wait for {less value} in all instead of {waited}.",
        Num(chunks.waited) < Num(done.waited),
        taken=Num(chunks.steps),
        less=Num(chunks.waited),
        waited=Num(done.waited),
    )


def _shares(sent: Sequence[int], most: str) -> Sentence:
    """Which processes send how much, where there are two amounts."""
    kinds = sorted({*sent}, reverse=True)
    groups = [[j for j, count in enumerate(sent, 1) if count == kind] for kind in kinds]
    if max(map(len, groups)) > NAMED:
        groups = []
    text = f"The amounts sent differ: {{k0 value}}{most} or {{k1}}."
    if groups:
        whose = "; ".join(_who(group, f"k{i}") for i, group in enumerate(groups))
        text = f"The amounts sent differ: {whose}; {{all}} in all."
    slots = {"k0": Num(kinds[0]), "k1": Num(kinds[1]), "all": Num(sum(sent))}
    return Sentence(text, None, **slots)


def _unequal(route: Route, sent: Sequence[int]) -> Iterator[Said]:
    """Why one process sends less than another."""

    def left(j: int) -> list[int]:
        return [(j + route.first + k - 1) % route.processes + 1 for k in (1, 2)]

    low, high = sent.index(min(sent)) + 1, sent.index(max(sent)) + 1
    few, many = left(low), left(high)
    slots = {
        "low": Num(low),
        "high": Num(high),
        "kept": Num(sum(route.lengths[k - 1] for k in few)),
        "spared": Num(sum(route.lengths[k - 1] for k in many)),
        **{f"a{i}": Num(k) for i, k in enumerate(few)},
        **{f"b{i}": Num(k) for i, k in enumerate(many)},
    }
    yield Sentence(
        "In each phase a process sends all chunks but one: process {low} omits chunks {a0} and {a1}"
        " ({kept value}), process {high} {b0} and {b1} ({spared}).",
        None,
        **slots,
    )


def _who(group: Sequence[int], slot: str) -> str:
    """Which processes send as many values as the *slot* says."""
    if len(group) == 1:
        return f"process {group[0]} sends {{{slot} value}}"
    some = f"{', '.join(map(str, group[:-1]))} and {group[-1]}"
    return f"processes {some} send {{{slot} value}} each"


def _crosschecks(question: RingQuestion, result: Sequence[Number]) -> Iterator[Crosscheck]:
    route, p = question.route, question.route.processes
    sent = sum(count(route).sent)
    if p > 1 and route.way == "chunks":
        n = Sym("n")
        yield Crosscheck(
            "all values sent, p − 1 times in each of both phases",
            same(2 * (Sym("p") - 1) * n, Num(sent)),
        )
    values = [Num(value) for vector in question.vectors for value in vector]
    if p == 1 or len(values) > ADDED or len(values) <= 1:
        return
    reduced: list[Expr] = [Num(value) for value in result]
    if question.op in ("max", "min"):
        most, what = (largest, "largest") if question.op == "max" else (smallest, "smallest")
        one = most(*reduced) if len(reduced) > 1 else reduced[0]
        yield Crosscheck(f"the {what} value of all is in the result", same(most(*values), one))
    elif question.op == "sum":
        yield Crosscheck(
            "all values of all vectors are as much as the result",
            same(total(values), total(reduced)),
        )


def _premises(question: RingQuestion) -> Iterator[Premise]:
    if question.route.processes > 1:
        yield Premise("a process sends and receives at the same time")
    if question.op in ("sum", "mean", "prod"):
        yield Premise("nothing is rounded")
    if not question.length % question.route.processes or question.route.processes == 1:
        yield Premise("messages take no time", "allreduce")


def _vector(values: Sequence[Number]) -> tuple[str, dict[str, Expr]]:
    """A vector as a template, and the slots in it."""
    shown = {f"r{k}": value for k, value in enumerate(values, 1)}
    names = [*shown]
    if len(names) > WRITTEN:
        names = [*names[: WRITTEN - 2], "", names[-1]]
    spelt = ", ".join(f"{{{name}}}" if name else "…" for name in names)
    return f"({spelt})", {name: Num(shown[name]) for name in names if name}
