"""How long is a step that hides communication, or compresses it?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, largest, same, smallest
from ddcalc.numbers.units import BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import (
    LESS,
    choice,
    count,
    data,
    derived,
    duration,
    facts,
    number,
    rate,
)
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence

ENOUGH = "sending takes as long as computing"
GATHERING = "p − 1 messages are gathered: p/2 times the bytes of a ring that adds them"


class Overlap(Problem):
    """How long is a step that hides communication, or compresses it?

    Only exposed communication lengthens a step: the device computes, and its links send
    at the same time, as far as what is sent is ready and there is still something to compute. What
    is sent during the computation costs no time.

    Without overlap a step takes the sum of both; with perfect overlap, the longer of the two. No
    step takes less, whatever part of the communication is said to be hidden: what is longer than
    the computation is exposed. What part was hidden in a step that was measured is found by
    ``--find overlapped --where "step = 140 ms"``.

    Communication is stated as a time, or as the data sent and the bandwidth; latency comes besides.
    Compression divides the time of the data, not the latency, and the device encodes and decodes.
    So even gradients of no bytes at all make a step faster by a limited factor only (Amdahl's law).
    The speed-up compares with the same step without overlap and without compression.

    That holds for one message, and where compressed gradients are added on the way as whole ones
    are (PowerSGD). Signs, top-k and QSGD do not add up: with ``--workers`` every worker gathers the
    messages of all others, p − 1 whole ones, where a ring all-reduce passes 2(p − 1) parts of p.
    That is p/2 times the bytes of a ring that adds them, in half as many rounds; with many workers
    it takes longer than without compression. Whole gradients are taken to pass such a ring. What a
    compressed step is worth is not said here; see `quantize` and `sparsify` for the error.
    """

    answer = "step"
    sequential = False
    keywords = (
        "hide communication behind computation; overlap backward pass and all-reduce; exposed"
        " communication; does compression pay"
    )
    terms = ("overlap", "quantization", "sparsification")
    source = (
        "the longer of the two and their sum as bounds: Austin et al., How to Scale Your Model"
        " (Google DeepMind), 2025, chapter on rooflines; the part of the communication that is"
        " hidden: The Algebra of Distributed Training (ttsugriy), chapter on overlapping"
        " communication; compression that does not pay: Agarwal et al., On the Utility of Gradient"
        " Compression, MLSys 2022, arXiv:2103.00543; ring all-reduce: Patarasuk and Yuan, JPDC"
        " 69(2), 2009"
    )

    compute = duration("t_comp", "computation of a step", group="computation", example="2000 ms")
    communication = duration(
        "t_comm", "communication of a step", optional=True, group="communication",
        example="600 ms",
    )  # fmt: skip
    volume = data("V", "data that a process sends in a step", optional=True)
    bandwidth = rate(
        "b", "bandwidth", optional=True, group="communication",
        filled_by=facts("link.bandwidth", unless=["communication"]),
    )  # fmt: skip
    latency = duration(
        "t_lat", "latency of the communication, besides", optional=True, group="communication"
    )
    compression = number(
        "k", "how many times less is sent when compressed", above=0, optional=True
    )  # fmt: skip
    encoding = duration("t_code", "time to encode and decode", optional=True, group="encoding")
    workers = count("p", "workers that exchange compressed gradients", least=2, optional=True)
    overlapped = number(
        "phi", "part that can be hidden", least=0, most=1, default="1", example="0.8"
    )

    part_of = choice(
        "what is hidden is part of",
        communication="the part that is hidden is one of the communication",
        shorter="the part that is hidden is one of the shorter, communication or computation",
    )
    aggregation = choice(
        "how the compressed gradients of the workers come together",
        gathered="every worker gathers the messages of all others",
        added="compressed gradients are added on the way, as whole ones are",
    )

    uncompressed = derived("t_0", "Communication", "", SECOND)
    compressed = derived("t_k", "Communication when compressed", "", SECOND)
    ratio = derived(
        "R", "Communication over computation", "uncompressed; above 1, that is too long to hide"
    )
    serial = derived("T_sum", "One after the other", "nothing hidden", SECOND)
    least = derived("T_min", "The shortest step", "the longer of the two takes its time", SECOND)
    exposed = derived("w", "Not hidden", "", SECOND, **LESS)
    step = derived("T", "The step", "computation, and what is exposed", SECOND, better="less")
    speedup = derived("S", "Speed-up", "over one after the other", least=0, better="more")
    before = derived("T_before", "The step without compression", "as much overlap", SECOND)
    saved = derived(
        "T_saved", "Time saved by compression", "it pays if this is more than 0", SECOND,
        better="more",
    )  # fmt: skip
    gain = derived(
        "x", "Speed-up by compression", "the step before over the step after", least=0,
        better="more",
    )  # fmt: skip
    limit = derived("x_max", "Speed-up if nothing were sent", "computation and encoding are left")
    enough = derived(
        "b_min", "Bandwidth from which all can be hidden", ENOUGH, BYTE_PER_SECOND,
    )  # fmt: skip

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "communication", "volume"
        if self.states("volume"):
            yield "bandwidth", "communication"
        if self.states("bandwidth"):
            yield ("volume",)
        if self.states("encoding") or self.states("workers"):
            yield ("compression",)

    def conditions(self) -> Iterator[Condition]:
        if all(map(self.states, ("communication", "volume", "bandwidth"))):
            yield Condition(
                same(self.communication * self.bandwidth, self.volume),
                "communication",
                "is not the time that the data take at this bandwidth; state one of the two",
            )
        stated = self.states("bandwidth")
        whole = self._whole(self.volume / self.bandwidth if stated else self.communication)
        yield Condition(
            self._busy + whole > 0, "compute", "leaves a step of no time; state what takes some"
        )

    def laws(self) -> Iterator[Law]:
        yield Holds(self.least <= self.step, "the longer of the two takes its time")
        yield Falls("step", "overlapped", "more is hidden")
        yield Falls("step", "bandwidth", "the data are sent sooner")
        yield Falls("step", "compression", "less is sent")
        yield Rises("step", "communication", "more has to be hidden, or is exposed")
        yield Rises("step", "encoding", "it takes its time")
        if not self.states("compression"):
            yield Holds(self.step <= self.serial, "side by side takes no longer than in turn")
        elif self._gathers:
            yield Rises("step", "workers", "each worker gathers one message more")
        if self.states("volume") and self.states("bandwidth"):
            fast = self.bandwidth >= self.enough
            yield Holds(same(self.step, self._busy), "all is hidden", fast)

    # In words

    def heading(self) -> str:
        if self.states("compression"):
            return "Does compression pay, and how long is a step that hides communication?"
        return "How long is a step that hides communication?"

    def mechanism(self) -> str:
        if self._gathers:
            return (
                "Compressed gradients cannot be added on the way, so every worker gathers the whole"
                " messages of all others. The device computes and encodes while the links send, as"
                " far as that overlaps; what is left over follows after it."
            )
        if self.states("compression"):
            return (
                "Only the communication that cannot be hidden behind computing lengthens a step. So"
                " compression saves that much at most, and pays for it with the time to encode: the"
                " device computes and encodes, while its links send fewer bytes, as far as that"
                " overlaps."
            )
        return super().mechanism()

    def conclusion(self) -> Iterator[Said]:
        sent = self.compressed if self.states("compression") else self._sent
        if self.states("compression"):
            yield from self._compared()
            yield from self._compressed_in_words()
            return
        first = "The step takes {step}"
        busy = "computation and encoding" if self.states("encoding") else "the computation"
        yield First(
            Sentence(f"{first}; there is nothing to send.", same(sent, 0)),
            Sentence(
                f"{first}: all of the communication ({{sent}}) is hidden behind {busy}.",
                same(self.exposed, 0),
                sent=sent,
            ),
            Sentence(
                f"{first}: nothing of the communication ({{sent}}) is hidden.",
                same(self.exposed, sent),
                sent=sent,
            ),
            Sentence(
                f"{first}: of {{sent}} of communication {{kept}} is hidden, and {{exposed}} is"
                " exposed.",
                sent=sent,
                kept=sent - self.exposed,
            ),
        )
        yield from self._compared()

    def _compressed_in_words(self) -> Iterator[Said]:
        """What of a compressed step is hidden, and what is left if nothing were sent."""
        sent = self.compressed
        yield First(
            Sentence("All of its communication is hidden.", same(self.exposed, 0)),
            Sentence(
                "Nothing of its communication ({sent}) is hidden.",
                same(self.exposed, sent),
                sent=sent,
            ),
            Sentence(
                "Of its {sent} of communication {kept} is hidden, and {exposed} is exposed.",
                sent=sent,
                kept=sent - self.exposed,
            ),
        )
        yield First(
            Sentence(
                "With nothing left to send it would take {busy}, {limit} times as fast as"
                " without compression.",
                (self._busy > 0, self.exposed > 0, 100 * self.limit > 101),
                busy=self._busy,
            ),
            Sentence(
                "Even with nothing left to send it would take {busy}.",
                (self._busy > 0, self.exposed > 0),
                busy=self._busy,
            ),
        )

    def _compared(self) -> Iterator[Said]:
        """What overlap gains, or compression."""
        if not self.states("compression"):
            yield First(
                Sentence(
                    "That is {speedup} times as fast as one after the other ({serial}).",
                    100 * self.speedup > 101,
                ),
                Sentence(
                    "That is hardly faster than one after the other ({serial}).",
                    self.step < self.serial,
                ),
            )
            yield from self._hiding_all()
            return
        yield First(
            Sentence(
                "Yes, compression pays: the step takes {step} instead of {before}, {gain} times as"
                " fast.",
                (self.saved > 0, self.step > 0, 100 * self.gain > 101),
            ),
            Sentence(
                "Compression hardly pays: the step takes {step}, only {saved} less than without.",
                (self.saved > 0, self.step > 0),
            ),
            Sentence(
                "Yes, compression pays: without it the step takes {before}, with it no time.",
                self.saved > 0,
            ),
            Sentence(
                "Compression changes nothing: with it or without it, the step takes {step}.",
                same(self.saved, 0),
            ),
            Sentence(
                "No, compression does not pay: the step takes {step}, without compression only"
                " {before}.",
            ),
        )

    def _hiding_all(self) -> Iterator[Said]:
        """What is left to gain, where not all that could be hidden is."""
        left, sent = self.step - self.least, self._sent
        much = (self.least > 0, 100 * self.step > 101 * self.least)
        slots = {"left": left, "times": self.step / self.least}
        sentences = []
        for what, fitting in (
            ("Hiding everything", (sent <= self._busy,)),
            ("Hiding as much as the computation allows", ()),
        ):
            first, more = (*fitting, same(self.exposed, sent)), (*fitting, left > 0)
            sentences += [
                Sentence(
                    f"{what} would save {{left}}: {{least}}, {{times}} times as fast.",
                    (*much, *first),
                    **slots,
                ),
                Sentence(
                    f"{what} would save another {{left}}: {{least}}, {{times}} times as fast"
                    " again.",
                    (*much, *more),
                    **slots,
                ),
                Sentence(f"{what} would save only {{left}}: {{least}}.", more, left=left),
            ]
        yield First(*sentences)

    @property
    def _sent(self) -> Expr:
        """All communication without compression, in letters."""
        return self._whole(self.uncompressed if self.states("bandwidth") else self.communication)

    def insights(self) -> Iterator[Said]:
        sent = self.compressed if self.states("compression") else self._sent
        outlasts = sent > self._busy
        left = self.compute / 2 + (self._busy - self.compute)
        if self.states("compression"):
            yield from self._of_compression()
            return
        yield First(
            Sentence(
                "Communication outlasts the computation, so no overlap makes the step shorter than"
                " {sent}: only sending less, or faster, does.",
                (outlasts, self.compute > 0),
                sent=sent,
            ),
            Sentence(
                "With a device that computes twice as fast not all of it would be hidden any more:"
                " the step would take {faster}.",
                (self.compute > 0, sent > left, same(self.exposed, 0)),
                faster=After(self.step, compute=self.compute / 2),
            ),
            Sentence(
                "Communication stays hidden as long as it takes no more than {busy}.",
                (sent > 0, same(self.exposed, 0)),
                busy=self._busy,
            ),
            Sentence(
                "Computing twice as fast would make the step {faster}, sending twice as fast"
                " {sooner}.",
                (self.exposed > 0, sent <= left, self.compute > 0),
                faster=After(self.step, compute=self.compute / 2),
                sooner=self._busy + self._exposed(sent / 2, self._busy),
            ),
        )
        yield from self._worth()

    def _of_compression(self) -> Iterator[Said]:
        """How little a step gains from it, and how long encoding may take."""
        whole, sent, apart = self._sent, self.compressed, self.part_of == "communication"
        yield Sentence(
            "Communication becomes {times} times shorter ({whole} before), the step only {gain}"
            " times: most of it is computing.",
            (self.saved > 0, sent > 0, 2 * self.compute > self.before),
            times=whole / sent,
            whole=whole,
        )
        if apart:
            most = self.before - self.compute - self.exposed
            yield Sentence(
                "Encoding may take up to {most} before compression stops paying: what is exposed"
                " without it ({out}) less what still does.",
                (self.saved > 0, same(self.exposed, sent - self.overlapped * sent)),
                most=most,
                out=self.before - self.compute,
            )
        yield from self._worth()

    def _worth(self) -> Iterator[Said]:
        """What bandwidth would do, and what compression can at most."""
        if self.states("volume"):
            enough = "All of it can be hidden from a bandwidth of {enough} on."
            yield Sentence(enough, self.exposed > 0)
        if self.states("encoding"):
            out = self.before - self.compute
            yield First(
                Sentence(
                    "Without compression nothing is exposed, so that the time to encode is lost.",
                    (same(out, 0), self.saved < 0),
                ),
                Sentence(
                    "Without compression {out} is exposed, less than encoding takes.",
                    (out < self.encoding, self.saved < 0),
                    out=out,
                ),
            )
        if self._gathers:
            yield Sentence(
                "With more than {many worker}, twice the compression, gathering sends more than a"
                " ring sends of whole gradients.",
                many=2 * self.compression,
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if not self.states("compression"):
            kept = self._sent - self.exposed
            both = "computation plus communication, less what goes on during both"
            yield Crosscheck(both, same(self.serial - kept, self.step), kept > 0)

    def premises(self) -> Iterator[Premise]:
        yield Premise("sending does not slow the device down")
        yield Premise("what is hidden can be sent while anything is computed", "buckets")
        yield Premise("all workers are equally fast", "sync-step")

    def equations(self) -> Equations:
        full: Expr = self.communication
        if self.states("bandwidth"):
            yield self.uncompressed, self.volume / self.bandwidth
            full = self.uncompressed
        sent = whole = self._whole(full)
        of_compute = (whole / self.compute, self.compute > 0, type(self).ratio.why)
        yield self.ratio, cases(of_compute, otherwise=NOTHING, why="nothing is computed")
        if self.states("compression"):
            yield self.serial, self.compute + whole, "nothing hidden, nothing compressed"
        else:
            yield self.serial, self.compute + whole
        if self.states("compression"):
            yield self._compressed(full)
            sent = self.compressed
        yield self.least, largest(self._busy, sent)
        yield self.exposed, self._exposed(sent, self._busy)
        encodes = "the device encodes, too; " if self.states("encoding") else ""
        yield self.step, self._busy + self.exposed, f"{encodes}{type(self).step.why}"
        yield self.speedup, self.serial / self.step
        if self.states("compression"):
            yield from self._gained(whole)
        if self.states("volume"):
            yield self.enough, self._enough()

    def _gained(self, whole: Expr) -> Equations:
        """What compression does for the same step."""
        yield self.before, self.compute + self._exposed(whole, self.compute)
        yield self.saved, self.before - self.step
        yield self.gain, self.before / self.step
        free = "nothing is computed or encoded"
        busy = self._busy
        yield self.limit, cases((self.before / busy, busy > 0), otherwise=NOTHING, why=free)

    @property
    def _busy(self) -> Expr:
        """What the device computes, and encodes."""
        return self.compute + self.encoding if self.states("encoding") else self.compute

    @property
    def _gathers(self) -> bool:
        return self.states("workers") and self.aggregation == "gathered"

    def _whole(self, full: Expr) -> Expr:
        """The communication without compression, whose data take the time *full*."""
        return self.latency + full if self.states("latency") else full

    def _smaller(self, full: Expr) -> Expr:
        """What is left of all data, or of their time, when compressed."""
        if self._gathers:
            return self.workers * full / (2 * self.compression)
        return full / self.compression if self.states("compression") else full

    def _compressed(self, full: Expr) -> tuple[Expr, Expr, str]:
        time, why = self._smaller(full), GATHERING if self._gathers else ""
        if self.states("latency"):
            time = self._rounds_latency + time
            why += ", in half the rounds" if self._gathers else "the latency is not compressed"
        return self.compressed, time, why

    @property
    def _rounds_latency(self) -> Expr:
        """The latency that is left: gathering takes half of the rounds."""
        return self.latency / 2 if self._gathers else self.latency

    def _exposed(self, sent: Expr, busy: Expr) -> Expr:
        """What is not hidden; at least what is longer than the computation."""
        if self.part_of == "shorter":
            return largest(sent - self.overlapped * smallest(busy, sent), sent - busy)
        return cases(
            ((1 - self.overlapped) * sent, self.overlapped * sent <= busy, "what cannot overlap"),
            otherwise=sent - busy,
            why="what outlasts the computation",
        )

    def _enough(self) -> Expr:
        room = self._busy - self._rounds_latency if self.states("latency") else self._busy
        hidden = (NOTHING, self.overlapped < 1, "not all of it can be hidden")
        return cases(
            hidden,
            (self._smaller(self.volume) / room, room > 0, ENOUGH),
            otherwise=NOTHING,
            why="there is no time to hide it in",
        )
