"""How long do the epochs take on a synchronous parameter server?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, cases, ceiling, floor
from ddcalc.numbers.units import HOUR, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, elapsed, price


class EpochTime(Problem):
    """How long do the epochs take on a synchronous parameter server?

    In each round every worker fetches the model, computes the gradient of one mini-batch and sends
    it back; the server then adds the gradients one by one. The next round begins when the last
    gradient is in. A round with fewer mini-batches than workers still takes a whole trip.

    A transfer is stated as one worker alone would see it. Where all share the server's link, they
    share it fairly: the m models of a round travel at the same time and each takes m times as long,
    so that all workers start to compute together; then the m gradients, likewise.
    """

    answer = "total"
    terms = ("parameter server", "synchronous", "data parallelism", "batch size")
    source = (
        "a worked exam sheet on parameter-server timing; the architecture is that of Li et al.,"
        " Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014"
    )

    samples = count("N", "training samples", example="76800")
    batch = count("B", "samples in a mini-batch", example="1536")
    epochs = count("E", "epochs", default="1", example="10")
    workers = count("m", "workers", example="6")
    download = duration("t_down", "model, server to worker", group="transfer", example="1.5 s")
    compute = duration("t_comp", "gradient of one mini-batch", group="computation", example="4 s")
    upload = duration("t_up", "gradient, worker to server", group="transfer", example="1.5 s")
    aggregate = duration(
        "t_agg", "aggregation of one gradient", default="0 s", group="aggregation", example="15 ms"
    )
    price = price("p", "price of one worker", optional=True)

    queue = choice(
        "how the epochs follow each other",
        carry="batches of all epochs stand in one queue",
        per_epoch="a barrier at each epoch",
    )
    last_batch = choice(
        "a last batch that the samples do not fill",
        keep="the last batch of an epoch may be small",
        drop="small last batch dropped",
    )
    round_choice = choice(
        "a last round that the batches do not fill",
        name="last_round",
        partial="the last round runs with the workers it has",
        drop="last round dropped",
        pad="last round padded",
    )

    server_link = choice(
        "the links between the server and the workers",
        one_each="each worker has its own link to the server",
        shared="all workers share the server's link",
    )

    batches_per_epoch = derived("b", "Batches per epoch", "every sample is used once", least=1)
    batches = derived("K", "Batches in all", "every epoch has as many", least=1)
    full_rounds = derived("R", "Full rounds", "every worker has a batch", least=0)
    last_workers = derived("r", "Workers in the last round", "what is left over", least=0)
    full_round = elapsed("t_full", "A full round", "workers compute side by side")
    last_round = elapsed("t_last", "The last round", "not every worker has a batch")
    epoch = elapsed("T_epoch", "One epoch", "its full rounds, then the last one")
    total = elapsed("T", "Total", "all full rounds, then the last one")
    worker_hours = derived(
        "W", "Worker-hours", "every worker is paid from start to end", HOUR, least=0, better="less"
    )
    cost = derived("C", "Cost", "worker-hours times the price of one", USD, least=0, better="less")

    def conditions(self) -> Iterator[Condition]:
        message = "is a batch larger than the data ({samples sample})"
        yield Condition(self.batch <= self.samples, "batch", message)

    def laws(self) -> Iterator[Law]:
        yield Holds(self.last_workers < self.workers, "else another full round would be made")
        if self.round_choice != "drop":
            enough = self.total * self.workers >= self.batches * self.compute
            yield Holds(enough, "no worker computes two batches at once")
        if self.round_choice == "partial":
            because = "fewer rounds wait for a computation, and each gradient is still added once"
            yield Falls("total", "workers", because)
        for name in ("download", "compute", "upload", "aggregate", "epochs"):
            if name != "epochs" or self.round_choice != "drop" or self.queue == "per_epoch":
                yield Rises("total", name, "every round takes as long or longer")

    def equations(self) -> Equations:
        barrier = self.queue == "per_epoch"
        yield self._batches_per_epoch()
        yield self.batches, self.epochs * self.batches_per_epoch

        dealt = self.batches_per_epoch if barrier else self.batches
        yield self.full_rounds, floor(dealt / self.workers)
        yield self.last_workers, dealt - self.full_rounds * self.workers

        why = "workers compute side by side, the server adds one by one"
        if self.server_link == "shared":
            why += "; on the shared link each transfer takes m times as long"
        yield self.full_round, self._round(self.workers), why
        yield self.last_round, self._last_round()

        rounds = self.full_rounds * self.full_round + self.last_round
        if barrier:
            yield self.epoch, rounds
            yield self.total, self.epochs * self.epoch, "the server waits at the end of each epoch"
        else:
            yield self.total, rounds
        if self.states("price"):
            yield self.worker_hours, self.workers * self.total
            yield self.cost, self.worker_hours * self.price

    def _batches_per_epoch(self) -> tuple[Expr, Expr, str]:
        quotient = self.samples / self.batch
        if self.last_batch == "keep":
            why = "a small last batch costs as much as a whole one"
            return self.batches_per_epoch, ceiling(quotient), why
        return self.batches_per_epoch, floor(quotient), "a small last batch is dropped"

    def _round(self, workers: Expr) -> Expr:
        """The time of a round of that many *workers*."""
        down, up = self.download, self.upload
        if self.server_link == "shared":
            down, up = workers * down, workers * up
        return down + self.compute + up + workers * self.aggregate

    def _last_round(self) -> Expr:
        last: Expr | int
        if self.round_choice == "drop":
            last, why = 0, "dropped, and {last_workers batch} with it"
        elif self.round_choice == "pad":
            last, why = self.full_round, "padded to a full round of {workers worker}"
        else:
            last = self._round(self.last_workers)
            why = "a whole trip, but only {last_workers gradient} to add"
            if self.server_link == "shared":
                why = "only {last_workers worker} on the link, and as many gradients to add"
        return cases((last, self.last_workers > 0, why), otherwise=0, why="no batch is left over")
