"""How long do the epochs take on a synchronous parameter server?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, Rel, cases, ceiling, floor, same
from ddcalc.numbers.units import HOUR, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import choice, count, derived, duration, elapsed, price
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence


class EpochTime(Problem):
    """How long do the epochs take on a synchronous parameter server?

    Workers download, compute and upload side by side, so that takes time only once in a round; the
    server then adds their gradients one after the other.

    The batch is what one worker takes. Where it is the global batch, one round takes one batch:
    each worker computes the gradient of its part, in the time stated, and the server adds as many
    gradients as there are workers. An incomplete batch that is kept takes as long as a full one.

    A transfer is stated as one worker alone would see it. Where all share the server's link, they
    share it fairly: the m models of a round travel at the same time and each takes m times as long,
    so that all workers start to compute together; then the m gradients, likewise. In a round with
    fewer mini-batches than workers, the others wait.
    """

    answer = "total"
    keywords = (
        "training time on a parameter server; time of an epoch; rounds of mini-batches; total"
        " time of synchronous SGD; push and pull of gradients"
    )
    terms = ("parameter server", "synchronous", "data parallelism", "batch size", "epoch")
    source = (
        "a worked exam sheet on parameter-server timing; the architecture is that of Li et al.,"
        " Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014"
    )

    samples = count("N", "training samples", example="76800")
    batch = count("B", "samples in a mini-batch", example="1536")
    epochs = count("E", "epochs", default="1", example="10")
    workers = count("m", "workers", example="6")
    download = duration("t_down", "model, server to worker", group="transfer", example="1.5 s")
    compute = duration("t_comp", "computation of one gradient", group="computation", example="4 s")
    upload = duration("t_up", "gradient, worker to server", group="transfer", example="1.5 s")
    aggregate = duration(
        "t_agg", "aggregation of one gradient", default="0 s", group="aggregation", example="15 ms"
    )
    price = price("p", "price of one worker", optional=True)

    queue = choice(
        "how the epochs follow each other",
        carry="rounds may mix epochs",
        per_epoch="each epoch begins with a new round",
    )
    last_batch = choice(
        "a last batch that the samples do not fill",
        keep="an incomplete last mini-batch takes as long as a full one",
        drop="an incomplete last mini-batch is dropped",
    )
    round_choice = choice(
        "a last round that the batches do not fill",
        name="last_round",
        partial="a last round may be small",
        drop="a small last round is dropped",
        pad="a small last round is padded to full",
    )

    server_link = choice(
        "the links between the server and the workers",
        one_each="each worker has its own link",
        shared="all workers share the server's link",
    )
    batch_for = choice(
        "whose the stated batch is",
        worker="a mini-batch is one worker's",
        all_workers="a mini-batch is global: all workers share it",
    )

    batches_per_epoch = derived("b", "Mini-batches per epoch", "every sample is used once", least=1)
    batches = derived("K", "Mini-batches in all", "", least=1)
    full_rounds = derived("R", "Full rounds", "every worker has a mini-batch", least=0)
    last_workers = derived("r", "Mini-batches left over for a last round", "", least=0)
    trip = elapsed("t_trip", "Download, compute, upload", "")
    share = elapsed("t_share", "Transfers and adding for one worker", "")
    full_round = elapsed("t_full", "A full round", "")
    last_round = elapsed("t_last", "The last round", "not every worker has a batch")
    epoch = elapsed("T_E", "One epoch", "")
    total = elapsed("T", "Total", "rounds follow one another")
    worker_hours = derived(
        "W",
        "Worker-hours",
        "every worker is paid from start to end, also while it waits",
        HOUR,
        least=0,
        better="less",
    )
    cost = derived(
        "C",
        "Cost",
        "every worker is paid from start to end; the server is not",
        USD,
        least=0,
        better="less",
    )

    def conditions(self) -> Iterator[Condition]:
        message = "is a batch larger than the data ({samples sample})"
        yield Condition(self.batch <= self.samples, "batch", message)
        if self._shares_batches:
            message = "are more than the samples of the batch that they share ({batch})"
            yield Condition(self.workers <= self.batch, "workers", message)

    @property
    def _shares_batches(self) -> bool:
        """Whether all workers share each batch."""
        return self.batch_for == "all_workers"

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """Rounds that share a batch are all full, so that nothing about others matters."""
        shares = ("batch_for", "all_workers") in shape.reading
        for name, option, other in super().neighbours(shape):
            if not shares or name not in {"queue", "last_round"}:
                yield name, option, other

    def laws(self) -> Iterator[Law]:
        yield Holds(self.last_workers < self.workers, "else another full round would be made")
        if self._shares_batches:
            yield Rises("total", "workers", "each adds a gradient to every round")
        elif self.round_choice != "drop":
            enough = self.total * self.workers >= self.batches * self.compute
            yield Holds(enough, "no worker computes two batches at once")
        if self.round_choice == "partial" and not self._shares_batches:
            because = "fewer rounds wait for a computation, and each gradient is still added once"
            yield Falls("total", "workers", because)
        for name in ("download", "compute", "upload", "aggregate", "epochs"):
            dropped = self.round_choice == "drop" and not self._shares_batches
            if name != "epochs" or not dropped or self.queue == "per_epoch":
                yield Rises("total", name, "every round takes as long or longer")

    def mechanism(self) -> str:
        if self._shares_batches:
            begins = "In each round all workers share one mini-batch: each computes its part"
            if self.server_link == "one_each":
                return (
                    f"{begins}. They download, compute and upload side by side, so that takes time"
                    " only once; the server then adds their gradients one after the other, which"
                    " takes time for each worker."
                )
            return (
                f"{begins}, all at the same time, so that takes time only once. But they share the"
                " server's link, so transfers count once per worker, and so does adding, which the"
                " server does one gradient after the other."
            )
        if self.server_link == "one_each":
            return super().mechanism()
        return (
            "Time is rounds times the time of a round: all workers compute side by side, so that"
            " counts once; but they share the server's link, so transfers count once per worker,"
            " and so does adding, which the server does one gradient after the other."
        )

    def conclusion(self) -> Iterator[Said]:
        begin = "{epochs epoch} {epochs|takes|take} {total}"
        if self.states("price"):
            begin += " and {epochs|costs|cost} {cost}"
        apart = ". Each takes {epoch}: " if self.queue == "per_epoch" else ": "
        single, several = f"{begin}: ", begin + apart
        yield First(*self._rounds(several, self.epochs > 1), *self._rounds(single, None))

    def _rounds(self, begin: str, when: Rel | None) -> Iterator[Sentence]:
        """How the rounds make up the time that the sentence *begins* with."""
        held = () if when is None else (when,)
        if self._shares_batches:
            yield Sentence(f"{begin}{{full_rounds round}} of {{full_round}}.", held)
            return
        no_rest, no_full = same(self.last_workers, 0), same(self.full_rounds, 0)
        full = "{full_rounds full round} of {full_round}"
        if self.round_choice == "drop":
            left = "{last_workers mini-batch} {last_workers|does|do} not fill a round"
            end = "" if when is None else self._often
            yield Sentence(
                f"Nothing is computed: {left} of {{workers worker}}, and such a round is dropped.",
                (no_full,),
            )
            yield Sentence(f"{begin}{full}.", (*held, no_rest))
            yield Sentence(
                f"{begin}{full}; {{last_workers mini-batch}} that {{last_workers|does|do}} not fill"
                f" a round {{last_workers|is|are}} dropped{end}.",
                held,
            )
            return
        padded = "" if self.round_choice == "partial" else ", padded to {workers}"
        left = "{last_workers mini-batch}"
        yield Sentence(f"{begin}{full}.", (*held, no_rest))
        yield Sentence(f"{begin}one round of {{last_round}} with {left}{padded}.", (*held, no_full))
        yield Sentence(f"{begin}{full} and one of {{last_round}} with {left}{padded}.", held)

    def insights(self) -> Iterator[Said]:
        if self._shares_batches:
            yield self._of_smaller_parts()
            return
        if self.round_choice == "partial" and self.server_link == "one_each":
            yield from self._of_workers()
        if self.round_choice != "drop" and self.states("price"):
            yield from self._of_one()
        if self.server_link == "shared":
            sent = self.download + self.upload
            yield Sentence(
                "With more than {most worker}, a round sends longer than it computes.",
                (sent > 0, self.compute > 0, self.compute >= sent),
                most=floor(self.compute / sent),
            )
            yield Sentence(
                "Even with one worker, a round sends longer than it computes.",
                (sent > self.compute,),
            )
        elif self.round_choice == "drop":
            yield Sentence(
                f"A round for the dropped ones would take {{more}}{self._often}.",
                self.last_workers > 0,
                more=self._round(self.last_workers),
            )
        elif self.round_choice == "pad":
            yield Sentence(
                "With twice as many workers it would take {then}.",
                self.workers < self._dealt,
                then=After(self.total, workers=2 * self.workers),
            )

    def _of_smaller_parts(self) -> Said:
        """What more workers would change, where all share a batch."""
        return Sentence(
            "If each of twice as many workers computed half as long, for half the part, it would"
            " take {then}.",
            (self.compute > 0, 2 * self.workers <= self.batch),
            then=After(self.total, workers=2 * self.workers, compute=self.compute / 2),
        )

    def _of_workers(self) -> Iterator[Said]:
        """What fewer and more workers would change, where each has a link."""
        dealt, rounds, once = self._dealt, self._rounds_dealt, self._once
        fewest, next_one = ceiling(dealt / rounds), ceiling(dealt / (rounds - 1))
        yield First(
            Sentence(
                "{fewest worker} would be as fast: {fewest|it|they} too {fewest|needs|need}"
                f" {{rounds round}}{self._often}.",
                fewest < self.workers,
                fewest=fewest,
                rounds=rounds,
            ),
            Sentence(
                "More workers gain nothing before there are {next}: only then is one of the"
                f" {{rounds}} rounds{self._often} saved.",
                (rounds > 1, next_one > self.workers + 1, self.trip > 0),
                next=next_one,
                rounds=rounds,
            ),
        )
        adding = once * dealt * self.aggregate
        if self.states("price"):
            return
        yield Sentence(
            "More workers cannot beat {bound}: {once round} of {trip}, {adding} of adding.",
            (self.workers < dealt, self.aggregate > 0),
            once=once,
            bound=once * self.trip + adding,
            adding=adding,
        )

    def _of_one(self) -> Iterator[Said]:
        """What one worker alone would take."""
        once = self.compute + self.share if self.server_link == "shared" else self.trip
        if self.server_link == "one_each":
            once = once + self.aggregate
        alone = self._once * self._dealt * once
        yield Sentence(
            "One worker alone takes {alone}, for {less}.",
            (self.workers > 1, self.total > 0),
            alone=alone,
            less=alone * self.price,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        rounds = self.full_rounds if self.round_choice == "drop" else self._rounds_dealt
        gradients = self._dealt if self.round_choice == "partial" else rounds * self.workers
        if self._shares_batches:
            rounds, gradients = self._dealt, self._dealt * self.workers
        if self.queue == "per_epoch":
            rounds, gradients = self._once * rounds, self._once * gradients
        if self.server_link == "one_each" and not self.states("price"):
            made = rounds * self.trip + gradients * self.aggregate
            text = "{rounds round} of {trip}, and {gradients gradient} to add"
            slots = {"rounds": rounds, "gradients": gradients}
            yield Crosscheck(text, same(made, self.total), self.total > 0, **slots)

    @property
    def _often(self) -> str:
        return " in each epoch" if self.queue == "per_epoch" else ""

    @property
    def _once(self) -> Expr:
        """How often the rounds are dealt out."""
        return self.epochs if self.queue == "per_epoch" else Num(1)

    def premises(self) -> Iterator[Premise]:
        yield Premise("adding comes last")
        if self._shares_batches:
            yield Premise("all parts of a mini-batch are equal")
        yield Premise("workers are alike")

    @property
    def _dealt(self) -> Expr:
        """The mini-batches that are dealt out together: of an epoch, or of all."""
        return self.batches_per_epoch if self.queue == "per_epoch" else self.batches

    @property
    def _rounds_dealt(self) -> Expr:
        """The rounds that these take, with one that is not full."""
        return ceiling(self._dealt / self.workers)

    def equations(self) -> Equations:
        barrier = self.queue == "per_epoch"
        yield self._batches_per_epoch()
        every = self.epochs * floor(self.samples / self.batch)
        if self.last_batch == "keep":
            every = self.epochs * ceiling(self.samples / self.batch)
        yield self.batches, every, self._batches_per_epoch()[2]

        dealt = self._dealt
        if self._shares_batches:
            yield self.full_rounds, dealt, "each takes one mini-batch, which all workers share"
            yield self.last_workers, Num(0)
        else:
            yield self.full_rounds, floor(dealt / self.workers)
            yield self.last_workers, dealt - self.full_rounds * self.workers

        if self.server_link == "shared":
            yield self.share, self.download + self.upload + self.aggregate
            why = "computing counts once, transfers and adding once per worker"
        else:
            yield self.trip, self.download + self.compute + self.upload
            why = "side by side; then one gradient for each worker is added"
        yield self.full_round, self._round(self.workers), why
        yield self.last_round, Num(0) if self._shares_batches else self._last_round()

        rounds: Expr = cases(
            (self.full_rounds * self.full_round, same(self.last_workers, 0)),
            otherwise=self.full_rounds * self.full_round + self.last_round,
        )
        if self.round_choice == "drop" or self._shares_batches:
            rounds = self.full_rounds * self.full_round
        if barrier:
            yield self.epoch, rounds
            yield self.total, self.epochs * self.epoch, "epochs follow one another"
        else:
            yield self.total, rounds
        if self.states("price"):
            yield self.worker_hours, self.workers * self.total
            yield self.cost, self.workers * self.total * self.price

    def _batches_per_epoch(self) -> tuple[Expr, Expr, str]:
        quotient = self.samples / self.batch
        if self.last_batch == "keep":
            why = "the incomplete last one of an epoch counts too"
            return self.batches_per_epoch, ceiling(quotient), why
        return self.batches_per_epoch, floor(quotient), "an incomplete last one is dropped"

    def _round(self, workers: Expr) -> Expr:
        """The time of a round of that many *workers*."""
        if self.server_link == "shared":
            return self.compute + workers * self.share
        return self.trip + workers * self.aggregate

    def _last_round(self) -> Expr:
        last: Expr | int
        if self.round_choice == "drop":
            last, why = 0, "dropped, and {last_workers batch} with it"
        elif self.round_choice == "pad":
            last, why = self.full_round, "padded to a full round of {workers worker}"
        else:
            last = self._round(self.last_workers)
            why = "as long, but with fewer gradients to add"
            if self.server_link == "shared":
                why = "with {last_workers worker}"
        return cases((last, self.last_workers > 0, why), otherwise=0, why="no batch is left over")
