"""How many workers before communication takes longer than computation?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Boundary, Expr, Least, Num, Rel, floor, same
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import choice, derived, duration
from ddcalc.problem.sentences import After, First, Premise, Said, Sentence

CLOSE = 2000  # of a computation, one part or less apart: times so near may be rounded alike


class Breakeven(Problem):
    """How many workers before communication takes longer than computation?

    What the workers do side by side takes as long for any number of them; what the server does for
    each of them adds up. In a round all workers download, compute and upload at the same time, so
    these count once. Then the server adds the gradients one after the other: only that grows with
    the workers.

    Sending the model and the gradients and adding one gradient after the other counts as
    communication; what a worker computes does not grow with the workers. Where all share the
    server's link, they share it fairly: m transfers at the same time take m times as long each, and
    no computation overlaps with any of them. That communication lasts longer does not make the
    server the bottleneck: it is that only where adding the gradients outlasts what a worker does in
    a round.
    """

    keywords = (
        "communication takes longer than computation; communication bottleneck; network becomes"
        " the bottleneck; communication-bound from how many workers; largest useful number of"
        " workers"
    )
    terms = ("parameter server", "data parallelism", "ring all-reduce")
    source = (
        "a worked exam sheet on a parameter server; communication grows linearly with the workers,"
        " so one division solves it"
    )

    download = duration("t_down", "model, server to worker", example="1.5 s")
    compute = duration("t_comp", "gradient of one mini-batch", example="4 s")
    upload = duration("t_up", "gradient, worker to server", example="1.5 s")
    aggregate = duration("t_agg", "aggregation of one gradient", example="15 ms")

    server_link = choice(
        "the links between the server and the workers",
        one_each="each worker has its own link to the server",
        shared="all workers share the server's link",
    )
    relation = choice(
        "what overtaking means",
        exceeds="communication must exceed computation",
        reaches="communication must reach computation",
    )

    balance = derived(
        "m_eq", "Communication overtakes computation when", "",
        noun="workers at which both last equally long",
    )  # fmt: skip
    workers = derived(
        "m", "Workers come in whole numbers", "the first one beyond the boundary",
        noun="the least number of workers", least=1,
    )  # fmt: skip

    def laws(self) -> Iterator[Law]:
        yield Rises("workers", "compute", "it takes more to outlast a longer computation")
        for name in ("download", "upload", "aggregate"):
            yield Falls("workers", name, "more communication overtakes computation sooner")
        bounds = self.workers >= self.balance, self.workers - 1 <= self.balance
        yield Holds(bounds[0], "with fewer workers than at the balance computation lasts longer")
        yield Holds(bounds[1], "one worker fewer is not enough", when=self.workers > 1)

    def mechanism(self) -> str:
        if self.server_link == "one_each":
            return super().mechanism()
        return (
            "Computation takes equally long for any number of workers, as they compute side by"
            " side. But the server's link serves them all: m transfers at the same time take m"
            " times as long each. And the server adds their gradients one after the other. So all"
            " communication grows in proportion to m."
        )

    def conclusion(self) -> Iterator[Said]:
        shared = self.server_link == "shared"
        idle = "neither sending nor adding takes time" if shared else "adding takes no time"
        verb = "takes longer than" if self.relation == "exceeds" else "takes at least as long as"
        yield First(
            Sentence(
                f"With any number of workers communication {verb} computation, even with one:"
                " {one} against {compute}.",
                same(self.workers, 1),
                one=self._communication(Num(1)),
            ),
            *self._overtaken(verb),
            Sentence(
                "However many workers there are, communication never"
                f" {verb} computation: {idle}, so nothing grows with them.",
            ),
        )

    def _overtaken(self, verb: str) -> Iterator[Sentence]:
        """From how many workers on, with times whose digits tell them apart."""
        there, less = (self._communication(m) for m in (self.workers, self.workers - 1))
        over, under = there - self.compute, self.compute - less
        from_here = f"From {{workers worker}} on, communication {verb} computation"
        slots = {"over": over, "under": under, "there": there, "less": less}
        for side in (over, under):
            near = side > 0, CLOSE * side < self.compute
            for tests, ends in (
                ((*near, same(under, 0)), ": with one fewer it takes as long."),
                ((*near, same(over, 0)), ": with one fewer it takes {under} less."),
                (near, ", by {over}; with one fewer it takes {under} less."),
            ):
                yield Sentence(f"{from_here}{ends}", tests, **slots)
        yield Sentence(
            f"{from_here}: {{there}} against {{compute}}; with {{before worker}} it takes"
            " {less}.",
            None,
            before=self.workers - 1,
            **slots,
        )

    def insights(self) -> Iterator[Said]:
        apiece, grows = self.aggregate, self._communication(self.workers)
        if self.server_link == "shared":
            apiece = self.download + self.upload + self.aggregate
        round_time = self.compute + grows
        yield Sentence(
            "With {workers worker} a round of {round_time} yields {rate gradient} per second; each"
            " further worker makes it {apiece} longer, so that {most gradient} per second is the"
            " limit.",
            (apiece > 0, self.workers > 1),
            round_time=round_time,
            rate=self.workers / round_time,
            apiece=apiece,
            most=Num(1) / apiece,
        )
        if self.server_link == "one_each":
            adding = self.workers * self.aggregate
            yield Sentence(
                "The server is not the bottleneck yet: it adds for {adding}, while a worker's"
                " download, computation and upload take {alone}. Only from {many worker} on does"
                " adding take longer.",
                (self.aggregate > 0, self.workers > 1, adding < self._trip),
                adding=adding,
                alone=self._trip,
                many=floor(self._trip / self.aggregate) + 1,
            )
        yield self._faster()

    def _faster(self) -> Said:
        """What workers that compute faster would change."""
        verb = "take longer" if self.relation == "exceeds" else "take at least as long"
        sooner, faster = After(self.workers, compute=self.compute / 2), "compute twice as fast"
        alone = self._communication(Num(1))
        early = alone > self.compute / 2
        if self.relation == "reaches":
            early = alone >= self.compute / 2
        return First(
            Sentence(
                f"With workers that {faster}, communication would {verb} even with one.",
                (self.workers > 1, early),
            ),
            Sentence(
                f"With workers that {faster}, communication would {verb} from {{sooner worker}}"
                " on.",
                self.workers > 1,
                sooner=sooner,
            ),
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("nothing overlaps: the server adds after the last upload")
        yield Premise("all workers are equally fast", "sync-step")
        yield Premise("the server adds one gradient at a time")

    @property
    def _trip(self) -> Expr:
        return self.download + self.compute + self.upload

    def equations(self) -> Equations:
        overtakes, shared = self._overtakes(), self.server_link == "shared"
        why = "transfers and aggregation grow with m" if shared else "only aggregation grows with m"
        idle = "transfers and aggregation take" if shared else "aggregation takes"
        yield self.balance, Boundary(self.workers, overtakes), why
        first = "one worker is enough"
        never = f"no worker count does it: {idle} no time, so nothing grows"
        yield self.workers, Least(overtakes, self.balance, first=first, never=never)

    def _communication(self, workers: Expr) -> Expr:
        """What sending and adding take in a round of that many *workers*."""
        if self.server_link == "shared":
            return workers * (self.download + self.upload + self.aggregate)
        return self.download + self.upload + workers * self.aggregate

    def _overtakes(self) -> Rel:
        communication = self._communication(self.workers)
        if self.relation == "exceeds":
            return communication > self.compute
        return communication >= self.compute
