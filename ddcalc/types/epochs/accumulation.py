"""How long is a step that gathers several small batches?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, ceiling, floor, same
from ddcalc.numbers.units import PER_SECOND, PERCENT, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, elapsed, share
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence


class Accumulation(Problem):
    """How long is a step that gathers several small batches?

    The exchange counts once per step, however many passes there are. A batch that does not fit the
    memory is computed in several passes, one after the other, by all workers side by side; each
    pass adds its gradients to those before it. Only after the last one are the gradients exchanged
    and the model changed.

    Where part of the exchange is hidden behind the backward pass (PyTorch's
    DistributedDataParallel does so), state what is left of it.

    State the batch that is wanted, or the number of passes. Passes are whole, so the batch of a
    step may become larger than wanted.
    """

    answer = "step_time"
    keywords = (
        "gradient accumulation; effective batch size; several passes before a step; no_sync;"
        " batch that does not fit memory"
    )
    terms = ("batch size", "data parallelism", "ring all-reduce", "gradient accumulation")
    source = (
        "PyTorch, DistributedDataParallel.no_sync (without it gradients are exchanged in every"
        " backward pass); the exercises of The Algebra of Distributed Training (ttsugriy)"
    )

    workers = count("n", "workers", default="1", example="8")
    small_batch = count("b", "samples of a worker in one pass", example="32")
    target = count("B", "samples wanted in a step", optional=True, example="2048")
    passes = count("A", "passes before a step", optional=True)
    pass_time = duration(
        "t_pass", "one pass, forward and backward", above=0, group="computation", example="100 ms"
    )
    exchange = duration(
        "t_comm",
        "exchanging the gradients once",
        default="0 s",
        group="communication",
        example="20 ms",
    )

    exchanged = choice(
        "when gradients are exchanged",
        last="gradients are exchanged once, after the last pass",
        each="gradients are exchanged after every pass",
    )

    needed = derived(
        "A_min",
        "Passes before a step",
        "samples wanted over those of a pass, rounded up",
    )
    batch = derived(
        "B_step", "Samples in a step", "every worker computes a small batch in every pass"
    )
    computing = derived("t_comp", "Computing", "pass after pass; workers side by side", SECOND)
    sending = derived("t_send", "Exchanging gradients", "nothing is computed meanwhile", SECOND)
    step_time = elapsed("t_step", "Time of a step", "nothing is computed during an exchange")
    rate = derived("r", "Samples per second", "", PER_SECOND, better="more")
    part = share(
        "p", "Share of the exchange", "", unit=PERCENT, better="less",
        name="share",
    )  # fmt: skip

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "target", "passes"

    def conditions(self) -> Iterator[Condition]:
        if self.states("target", "passes"):
            enough = self.passes * self.workers * self.small_batch >= self.target
            message = "are too few for a target of {target}; leave one of the two out"
            yield Condition(enough, "passes", message)

    def laws(self) -> Iterator[Law]:
        yield Rises("step_time", "exchange", "what is sent takes longer")
        if not self.states("passes"):
            yield Holds(self.batch >= self.target, "the batch of a step is the wanted one or more")
            yield Falls("step_time", "workers", "more of them need no more passes")
            yield Falls("step_time", "small_batch", "larger ones need no more passes")
            yield Rises("step_time", "target", "more samples need no fewer passes")
        else:
            yield Rises("rate", "workers", "more of them compute side by side")

    def mechanism(self) -> str:
        if self.exchanged == "last":
            return super().mechanism()
        return (
            "The exchange counts once per pass: the workers exchange their gradients after every"
            " pass, although the model changes only after the last one. The passes of a batch that"
            " does not fit the memory come one after the other; all workers compute side by side."
        )

    def conclusion(self) -> Iterator[Said]:
        begin = "A step takes {step_time}: {passes pass} of {pass_time}"
        sent = ", each with an exchange of" if self.exchanged == "each" else ", then an exchange of"
        passes, whole = self._passes, "together " if self.exchanged == "each" else ""
        slots = {"passes": passes, "part": self._sent / self.step_time}
        yield First(
            Sentence(f"{begin}, and nothing to exchange.", same(self.exchange, 0), **slots),
            Sentence(
                f"{begin}, then an exchange of {{exchange}} ({{part %}} of the step).",
                same(passes, 1),
                **slots,
            ),
            Sentence(f"{begin}{sent} {{exchange}} ({whole}{{part %}} of the step).", None, **slots),
        )
        if self.states("target"):
            yield First(
                Sentence("It uses {batch sample}.", same(self.batch, self.target)),
                "As passes are whole, it uses {batch sample}, more than the {target} wanted.",
            )
        else:
            yield "It uses {batch sample}."
        yield self._otherwise()

    def _otherwise(self) -> Sentence:
        """What exchanging once, or after every pass, would do instead."""
        others, several = self._passes - 1, (self._passes > 1, self.exchange > 0)
        between = others * self.exchange
        slots = {"others": others, "between": between}
        if self.exchanged == "last":
            return Sentence(
                "With an exchange after every pass it would take {then}: {others more exchange},"
                " {between} longer.",
                several,
                then=self.step_time + between,
                **slots,
            )
        return Sentence(
            "With one exchange after the last pass it would take {then}: {others exchange} fewer,"
            " {between} less.",
            several,
            then=self.step_time - between,
            **slots,
        )

    def insights(self) -> Iterator[Said]:
        pass_samples = self.workers * self.small_batch
        speed = {
            "rate": self.batch / self.step_time,
            "most": pass_samples / self.pass_time,
            "pass_samples": pass_samples,
        }
        begin = "That is {rate sample} per second"
        once = self.exchanged == "last"
        more = ", however many passes there are" if once else ""
        yield First(
            Sentence(f"{begin}.", 100 * self._sent < self.step_time, **speed),
            Sentence(
                f"{begin}; without any exchange it would be {{most sample}}"
                f" ({{pass_samples}} in {{pass_time}}){more}.",
                None,
                **speed,
            ),
        )
        enough = floor(19 * self.exchange / self.pass_time) + 1
        if once:
            yield Sentence(
                "From {enough pass} on, the exchange would be less than 5 % of a step.",
                (self.exchange > 0, self._passes < enough),
                enough=enough,
            )
        if not self.states("passes"):
            yield self._smaller()

    def _smaller(self) -> Said:
        """With how few samples of a worker as many passes would do."""
        small = ceiling(self.target / (self._passes * self.workers))
        fewer, slots = small < self.small_batch, {"passes": self._passes, "small": small}
        return First(
            Sentence(
                "One pass would do with {small sample} of a worker instead of {small_batch}.",
                (fewer, same(self._passes, 1)),
                **slots,
            ),
            Sentence(
                "The same {passes pass} would do with {small sample} of a worker in each instead of"
                " {small_batch}.",
                fewer,
                **slots,
            ),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if not self.states("passes"):
            fewer = self.needed - 1
            yield Crosscheck(
                "{fewer pass} would not be enough",
                fewer * self.workers * self.small_batch < self.target,
                self.needed > 1,
                fewer=fewer,
            )

    def premises(self) -> Iterator[Premise]:
        yield Premise("no part of the exchange runs during a pass", "overlap")
        yield Premise("adding up gradients and changing the model take no time")
        yield Premise("all workers are equally fast", "sync-step")

    @property
    def _sent(self) -> Expr:
        """The time that the exchanges of a step take."""
        return self.exchange if self.exchanged == "last" else self.sending

    @property
    def _passes(self) -> Expr:
        return self.passes if self.states("passes") else self.needed

    def equations(self) -> Equations:
        passes = self._passes
        if not self.states("passes"):
            yield self.needed, ceiling(self.target / (self.workers * self.small_batch))
        yield self.batch, passes * self.workers * self.small_batch
        yield self.computing, passes * self.pass_time
        sent, when = passes * self.exchange, "once after every pass"
        if self.exchanged == "last":
            sent, when = self.exchange, "once, however many passes there are"
        yield self.sending, sent, when
        yield self.step_time, self.computing + self._sent
        yield self.rate, self.batch / self.step_time
        yield self.part, self._sent / self.step_time
