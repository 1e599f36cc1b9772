"""How long until all gradients are computed and sent in buckets?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ddcalc.formula.algebra import (
    NEVER,
    NOTHING,
    Expr,
    Num,
    cases,
    ceiling,
    floor,
    largest,
    same,
    smallest,
    sqrt,
)
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.display import counted
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import LESS, count, data, derived, duration, facts, rate, share
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence
from ddcalc.problem.steps import Bar, Lane, Step, Timeline

MOST = 10_000  # buckets that are played for a picture
BARS = 40  # buckets that are drawn


class Buckets(Problem):
    """How long until all gradients are computed and sent in buckets?

    The last bucket is complete only when nothing is left to compute, so it is always sent after the
    backward pass. Gradients are computed layer by layer, the last layer's first, and fill one
    bucket after the other; as soon as one is full the link sends it, while the next ones are
    computed.

    Small buckets start sending early, but each of them costs the latency. Where computing a bucket
    takes longer than sending it, only the last bucket is exposed. Where sending takes longer, the
    link never rests after the first bucket, and n equal buckets take t_comp/n + n·alpha + t_comm:
    the best n is then the root of t_comp/alpha, as with ``ddcalc split-batch``.

    Gradients are taken to be computed at an even pace: as much data in each second. State the
    bytes of a bucket, or the number of equal buckets. What one worker sends for a bucket is its
    bytes over the bandwidth; for a ring, state the bytes that a worker really sends, or the time.
    """

    answer = "total"
    sequential = False
    keywords = (
        "gradient buckets; bucket size; DDP bucket_cap_mb; wait-free backpropagation; tensor fusion"
    )
    terms = ("overlap",)
    source = (
        "Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB"
        " 2020, arXiv:2006.15704 (gradient buckets, sent during the backward pass; PyTorch's code,"
        " reducer.hpp, has buckets of 25 MiB after a first one of 1 MiB); the times are those of a"
        " pipeline of two stages"
    )

    compute = duration(
        "t_comp", "backward pass on its own", above=0, group="computation", example="50 ms"
    )
    before = duration(
        "t_fwd", "computation before the first gradient", default="0 s", group="computation"
    )
    communication = duration(
        "t_comm", "sending all gradients, without latency", optional=True, group="communication"
    )  # fmt: skip
    volume = data("V", "gradients that are sent", above=0, optional=True, example="100 MB")
    bandwidth = rate(
        "b", "bandwidth of the link", optional=True, group="communication", example="25 Gbit/s",
        filled_by=facts("link.bandwidth", unless=["communication"]),
    )  # fmt: skip
    latency = duration(
        "alpha", "what each bucket takes besides", default="0 s", group="latency", example="0.1 ms",
        filled_by=facts("link.latency"),
    )  # fmt: skip
    bucket = data("B", "gradients in a bucket", above=0, optional=True, example="25 MB")
    parts = count("N", "equal buckets", optional=True)

    transfer = derived("t_all", "Sending all gradients", "without any latency", SECOND)
    full = derived("B_f", "A full bucket", "no bucket holds more than there is", BYTE)
    buckets = derived("n", "Buckets", "the last may be smaller")
    last = derived("B_last", "The last bucket", "what is left over", BYTE)
    filling = derived("x", "Computing a bucket", "gradients come at an even pace", SECOND)
    sending = derived("y", "Sending a bucket", "its latency, and its part of the data", SECOND)
    last_sending = derived("y_last", "Sending the last bucket", "", SECOND)
    backward = derived("T_b", "From the first gradient to the last one sent", "", SECOND)
    total = derived("T", "Until all gradients are sent", "", SECOND, better="less")
    messages = derived("t_sum", "Communication", "every bucket costs the latency", SECOND)
    exposed = derived("w", "Not hidden", "sent when all is computed", SECOND, **LESS)
    hidden = share("phi", "Part of the communication that is hidden", "", better="more")
    single = derived(
        "T_one", "With all gradients in one bucket", "sent when all are computed", SECOND
    )
    speedup = derived("S", "Speed-up", "over one bucket, without overlap", better="more")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "bucket", "parts"
        yield "volume", "communication"
        if self.states("bucket"):
            yield ("volume",)
        if self.states("volume"):
            yield "bandwidth", "communication"
        if self.states("bandwidth"):
            yield ("volume",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("bucket") and self.states("parts"):
            yield Condition(NEVER, "parts", "is stated beside the size of a bucket; state one")
        if self.states("bandwidth") and self.states("communication"):
            yield Condition(
                same(self.communication * self.bandwidth, self.volume),
                "communication",
                "is not the time that the data take at this bandwidth; state one of the two",
            )

    def laws(self) -> Iterator[Law]:
        both = self.before + self.compute + self.messages
        yield Holds(self.total >= self.before + self.compute, "all gradients must be computed")
        yield Holds(self.total >= self.before + self.messages, "all buckets must be sent")
        yield Holds(self.total <= both, "side by side takes no longer than in turn")
        for name in ("latency", "communication", "before", "compute"):
            yield Rises("total", name, "nothing ends sooner if a part takes longer")
        yield Falls("total", "bandwidth", "every bucket is sent sooner")

    # In words

    def conclusion(self) -> Iterator[Said]:
        done = "It takes {total} until all gradients are computed and sent"
        lead = "{before} before the first gradient, {compute} of backward pass"
        ahead, sends = self.before > 0, self.messages > 0
        yield First(
            Sentence(f"{done}: nothing takes time on the link.", same(self.messages, 0)),
            Sentence(f"{done}: {lead}, and then {{exposed}} of nothing but sending.", ahead),
            f"{done}: {{compute}} of backward pass, and then {{exposed}} of nothing but sending.",
        )
        yield First(
            Sentence(
                "A single bucket is sent when all is computed, so nothing is hidden.",
                (sends, same(self.buckets, 1)),
            ),
            Sentence(
                "Hardly anything of the communication ({messages}) is hidden.",
                (sends, 1000 * (self.messages - self.exposed) < self.messages),
            ),
            Sentence(
                "{part %} of the communication ({messages}) is hidden.",
                sends,
                part=1 - self.exposed / self.messages,
            ),
        )
        yield from self._alone()

    def _alone(self) -> Iterator[Said]:
        """What a single bucket would take."""
        ready, whole = self.before + self.compute, self.latency + self._all()
        several, difference = self.buckets > 1, ready + whole - self.total
        begin = "A single bucket, sent when all is computed, would take {ready} + {whole} = {alone}"
        slots = {"ready": ready, "whole": whole, "alone": ready + whole}
        yield First(
            Sentence(
                f"{begin}, {{longer}} longer.",
                (several, difference > 0),
                **slots,
                longer=difference,
            ),
            Sentence(
                f"{begin}, {{shorter}} less.",
                (several, difference < 0),
                **slots,
                shorter=-difference,
            ),
            Sentence(f"{begin}, just as long.", (several, self.messages > 0), **slots),
        )

    def insights(self) -> Iterator[Said]:
        several, n = self.buckets > 1, self.parts if self.states("parts") else self.buckets
        yield First(
            Sentence(
                "The link sets the pace: sending a bucket ({sending}) takes longer than computing"
                " one ({filling}).",
                (several, self.sending > self.filling),
            ),
            Sentence(
                "Computing sets the pace: the link has sent a bucket ({sending}) before the next"
                " one is full ({filling}), and waits.",
                (n > 2, self.sending > 0, self.sending < self.filling),
            ),
        )
        if self.states("parts"):
            yield Sentence(
                "With two buckets it would take {two}: one is sent while the other is computed.",
                (same(self.parts, 1), self.messages > 0),
                two=After(self.total, parts=Num(2)),
            )
        best = floor(sqrt(self.compute / self.latency) + Num(1) / 2)
        then = self.before + self.compute / best + best * self.latency + self._all()
        slow = self._all() >= self.compute
        yield Sentence(
            "With {best} equal buckets (the root of {compute} over {latency}, rounded) it would"
            " take {then}: fewer start sending later, more add latency.",
            (self.latency > 0, slow, self.compute >= 4 * self.latency, then < self.total),
            best=best,
            then=then,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states("bucket"):
            earlier = self.buckets - 1
            yield Crosscheck(
                "{earlier bucket} of {sending} and one of {last_sending}",
                same(earlier * self.sending + self.last_sending, self.messages),
                self.last_sending < self.sending,
                earlier=earlier,
            )

    def premises(self) -> Iterator[Premise]:
        yield Premise("gradients are computed at an even pace")
        yield Premise("sending does not slow the computation down")
        yield Premise("all workers fill a bucket at the same time", "sync-step")
        if self.states("bandwidth"):
            ring = "a worker sends each byte once (in a ring up to twice)"
            yield Premise(ring, "allreduce")

    def equations(self) -> Equations:
        if self.states("bandwidth"):
            yield self.transfer, self.volume / self.bandwidth
        yield from self._sized() if self.states("bucket") else self._equal()
        yield (
            self.total,
            cases(
                (self.backward, same(self.before, 0), "when the last bucket has been sent"),
                otherwise=self.before + self.backward,
                why="the computation before the first gradient comes first",
            ),
        )
        yield self.exposed, self.backward - self.compute
        nothing = (NOTHING, same(self.messages, 0), "nothing takes time on the link")
        yield self.hidden, cases(nothing, otherwise=1 - self.exposed / self.messages)
        yield self.single, self.before + self.compute + self.latency + self._all()
        yield self.speedup, self.single / self.total

    def pictures(self, values: Mapping[str, Number]) -> Iterator[Step]:
        if values["buckets"] <= MOST:
            yield pipeline(values)

    def _all(self) -> Expr:
        """The time that all gradients take on the link, without latency."""
        return self.transfer if self.states("bandwidth") else self.communication

    def _equal(self) -> Equations:
        """Equal buckets: a pipeline of two stages."""
        yield self.buckets, self.parts, "as stated"
        yield self.filling, self.compute / self.parts
        yield self.sending, self.latency + self._all() / self.parts
        yield self._messages()
        slower = largest(self.filling, self.sending)
        yield (
            self.backward,
            self.filling + (self.parts - 1) * slower + self.sending,
            "the first is computed, the slower of both sets the pace, the last is sent",
        )

    def _sized(self) -> Equations:
        """Buckets of a size, the last one smaller."""
        yield self.full, smallest(self.bucket, self.volume)
        full = cases((self.bucket, self.bucket <= self.volume), otherwise=self.volume)
        yield self.buckets, ceiling(self.volume / full)
        yield self.last, self.volume - (self.buckets - 1) * full
        yield self.filling, self.compute * (full / self.volume)
        yield self.sending, self.latency + self._all() * (full / self.volume)
        left = self.latency + self._all() * (self.last / self.volume)
        alike = self.sending, same(self.buckets * full, self.volume), "as large as the others"
        yield self.last_sending, cases(alike, otherwise=left, why="it is smaller")
        yield self._messages()
        yield self.backward, self._pipelined()

    def _messages(self) -> tuple[Expr, Expr]:
        count = self.buckets if self.states("bucket") else self.parts
        return self.messages, count * self.latency + self._all()

    def _pipelined(self) -> Expr:
        """When the last bucket is sent: the link may have waited last for the first bucket, for
        the one before the last, or for the last, as all between them are alike."""
        one = self.compute + self.last_sending
        busy = self.filling + self.messages
        last_but_one = (self.buckets - 1) * self.filling + self.sending + self.last_sending
        return cases(
            (one, self.buckets <= 1, "a single bucket is sent when all is computed"),
            (one, one >= largest(busy, last_but_one), "the last one waits until all is computed"),
            (
                busy,
                busy >= last_but_one,
                "each bucket is ready when the one before it is sent, so the link never rests",
            ),
            otherwise=last_but_one,
            why="the last but one is sent when computed, then the last, the smaller one",
        )


def pipeline(values: Mapping[str, Number]) -> Timeline:
    """What is computed and what is sent, when; of many buckets the first ones.

    A link sends each bucket as soon as it is complete and the link is free; the last one may be
    smaller.
    """
    count, filling, sending = int(values["buckets"]), values["filling"], values["sending"]
    ready = free = before = values["before"]
    computed, sent = [], []
    for i in range(1, count + 1):
        if i == count:
            filling = values["compute"] - (count - 1) * filling
            sending = values.get("last_sending", sending)
        start, ready = ready, ready + filling
        computed.append(Bar(start, ready, str(i)))
        begin = max(ready, free)
        free = begin + sending
        sent.append(Bar(begin, free, str(i), kind="send"))
    shown = min(count, BARS)
    ahead = [Bar(0, before, "before")] if before else []
    lanes = (Lane("worker", (*ahead, *computed[:shown])), Lane("link", tuple(sent[:shown])))
    why = "the link sends each as soon as it is computed and the one before is sent"
    if left := count - shown:
        why += f"; {counted(left, 'more bucket')} not drawn"
    else:
        why += f"; from {amount_text(ready, SECOND)} on nothing is hidden"
    return Timeline("The buckets on their way", why, lanes, free, 2 * left, "end")
