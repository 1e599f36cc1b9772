"""A ring all-reduce in words: what happens, what everybody holds in the end, what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ddcalc.formula.algebra import Expr, Num, Sym, largest, same, smallest, total
from ddcalc.numbers.number import Number
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
from ddcalc.types.communication.ring_trace.model import Op, Way, count
from ddcalc.types.communication.ring_trace.question import RingQuestion

WRITTEN: Final = 8  # values of a vector that are written out; else the first ones and the last
ADDED: Final = 9  # values that are added up in a line

HAPPENS: Final[Mapping[Way, str]] = {
    "chunks": (
        "Each vector is cut into a chunk for each process. In a step every process sends one chunk"
        " to the next one in the ring, all at the same time: first to be reduced on the way, until"
        " each process has a complete chunk (reduce-scatter), then to hand these round"
        " (all-gather)."
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
        yield Sentence(f"Each one sends {{each value}}{mean} in all.", each=Num(done.sent[0]))
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
        yield Sentence(
            "Chunks keep what a process sends below twice its vector: here {ratio} times.",
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
                "The chunks differ, and a step lasts as long as its longest message: the steps wait"
                " for {waited value} in all, not for {mean}.",
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
        yield Premise("nothing is rounded on the way")
    yield Premise("messages take no time", "allreduce")


def _vector(values: Sequence[Number]) -> tuple[str, dict[str, Expr]]:
    """A vector as a template, and the slots in it."""
    shown = {f"r{k}": value for k, value in enumerate(values, 1)}
    names = [*shown]
    if len(names) > WRITTEN:
        names = [*names[: WRITTEN - 2], "", names[-1]]
    spelt = ", ".join(f"{{{name}}}" if name else "…" for name in names)
    return f"({spelt})", {name: Num(shown[name]) for name in names if name}
