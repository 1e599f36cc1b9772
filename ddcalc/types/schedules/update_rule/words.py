"""What is said of a read under a rule: how the scheme works, what is in, and what that means."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence
from ddcalc.types.schedules.update_rule.model import Arrived
from ddcalc.types.schedules.update_rule.rules import Rule, StaleSynchronous, clocks

NOTATION = (
    " G₂,₃ is the gradient of worker 2 in its iteration 3, w₀ the first weights, η the step size."
)
HAPPENS = {  # by scheme
    "sync": (
        "Everybody computes a gradient on the same weights; the server adds them all, and only then"
        " does anybody go on. So a worker reads everybody's gradients of all iterations before"
        " its own,"
        " and no others."
    ),
    "ssp": (
        "The rule fixes what must be in: all gradients up to iteration c − s − 1, and the worker's"
        " own. It also limits how far the others can be ahead, and so what may be in."
    ),
    "async": (
        "Every gradient is added as it arrives, and its worker reads again at once. Its own"
        " gradients are in for certain; which of the others' are in depends on the speeds."
    ),
    "local_sgd": (
        "Each worker makes H steps on a copy of its own; then the copies are averaged, and all go"
        " on from the mean. So a worker's model holds the gradients of all workers from finished"
        " rounds, each divided by the number of workers, and its own gradients since, undivided."
    ),
    "k_of_n": (
        "The server makes an update as soon as the first q gradients taken at the newest weights"
        " have arrived; it waits for nobody else. So the rule says how many gradients are in at"
        " least, and the speeds say whose they are."
    ),
}
ALONE = (
    "One worker alone computes one gradient after another, and each is added before it reads again:"
    " this is sequential SGD."
)
PAIR = 2
SAME = {"sync", "local_sgd"}  # schemes under which the speeds do not matter


class ReadWords:
    """What is said of the read of *rule*, with what has *arrived* if a schedule is played."""

    def __init__(self, rule: Rule, arrived: Arrived | None) -> None:
        self.rule, self.arrived, self.read = rule, arrived, rule.read
        self.scheme = rule.ruled.scheme
        self.inside = rule.contents
        self.mine = self.read.before - self.inside.common

    def says(self) -> Says:
        """All of it."""
        plain = self.scheme == "ssp" and not self.rule.number
        happens = HAPPENS["sync" if plain else self.scheme]
        happens = ALONE if self.read.workers == 1 else happens
        return Says(
            mechanism=happens + NOTATION,
            conclusion=tuple(self.conclusion()),
            insights=tuple(self.insights()),
            crosschecks=tuple(self.crosschecks()),
            premises=tuple(self.premises()),
        )

    def conclusion(self) -> Iterator[Said]:
        """The weights, and whose gradients are in them, for certain and perhaps."""
        who = f"worker {self.read.worker}"
        if self.read.clock == 1:
            yield f"W{who[1:]} reads the first weights, w₀: nobody has computed anything before."
            return
        if self.arrived is None:
            yield from self._which()
            arrived = ""
            if self.inside.possible != 0 and self.scheme != "k_of_n":
                arrived = f", where S{_low(self.read.worker)} has the others' that have arrived"
            has = "has the weights" if self.scheme == "local_sgd" else "reads"
            yield Sentence(f"W{who[1:]} {has} {{weights}}{arrived}.")
            return
        moment = Num(self.arrived.when) / Num(self.arrived.periods[0]) * Sym("t_comp_1")
        many = "{actual gradient} {actual|is|are} in"
        yield First(
            Sentence(
                f"On this schedule {who} reads at {{moment}}, when {many}: {{weights}}.",
                moment=moment,
            ),
            Sentence(f"On this schedule {many} when {who} reads: {{weights}}."),
        )
        if self.inside.possible == 0 or self.scheme == "k_of_n":
            yield from self._which()
        else:
            yield Sentence("Of these {guaranteed} would be in whatever the speeds.")

    def _which(self) -> Iterator[Said]:
        inside = self.inside
        if self.scheme == "k_of_n":
            yield self._how_many()
            return
        certain = self._certain()
        total = ", {guaranteed} in all" * (inside.certain > 1)
        if inside.possible == 0:
            yield Sentence(f"The weights hold {certain}{total}, and no others.")
            return
        yield Sentence(f"Whatever the speeds, the weights hold {certain}{total}.")
        others = "the other's" if self.read.workers == PAIR else "the others'"
        if inside.possible is None:
            yield f"Any number of {others} may be in as well."
            return
        assert inside.reach is not None
        later = f"of {others} {_clocks(inside.common + 1, inside.reach)}"
        held = self.rule.held if isinstance(self.rule, StaleSynchronous) else None
        if held is None:
            yield Sentence(f"Perhaps in as well: {later}, up to {{possible gradient}}.")
            return
        yield self._held_up(held, others, later)

    def _held_up(self, held: int, others: str, later: str) -> Said:
        inside, before = self.inside, self.read.before
        who = f"worker {self.read.worker}"
        soon, finished = _clocks(inside.common + 1, before), _clocks(inside.common, inside.common)
        return Sentence(
            f"Perhaps in as well, if {who} was held up until now: "
            + (
                f"of {others} {soon}, up to {{held gradient}}, for the last worker has only just"
                f" finished {finished}"
                if held
                else f"nothing else, for the other has only just finished {finished}"
            )
            + f"; if it was not: {later}, up to {{possible}}.",
            held=Num(held),
        )

    def _certain(self) -> str:
        """The gradients that are in whatever the speeds are."""
        inside, parts = self.inside, []
        if inside.common:
            averaged = f", each with the factor η/{self.read.workers}" if self._divides else ""
            whose = "everybody's" if self.read.workers > 1 else "worker 1's own"
            noun = "gradient" if self.read.workers == inside.common == 1 else "gradients"
            parts.append(f"{whose} {noun} of {_clocks(1, inside.common)}{averaged}")
        if self.mine:
            noun = "" if parts else f"gradient{'s' * (self.mine != 1)} "
            whose = f"worker {self.read.worker}'s own"
            factor = " with η" if self._divides else ""
            which = _clocks(inside.common + 1, self.read.before)
            parts.append(f"{whose} {noun}of {which}{factor}")
        return (", and " if inside.averaged else " and ").join(parts)

    @property
    def _divides(self) -> bool:
        """Whether gradients of finished rounds count less than others."""
        return self.inside.averaged and self.read.workers > 1

    def _how_many(self) -> Said:
        least = "exactly" if self.rule.ruled.late == "cancel" else "at least"
        updates = "" if self.rule.ruled.late == "cancel" else "at least "
        late = ", and those that were late for the one before" * (self.rule.ruled.late == "reuse")
        return Sentence(
            f"By the rule alone, {least} {{guaranteed gradient}} {{guaranteed|is|are}} in:"
            f" {updates}{{made update}} of {{q gradient}} each (the sets A){late}. Whose they are,"
            " only the speeds decide.",
            made=Num(self.read.before), q=Num(self.rule.number),
        )  # fmt: skip

    def insights(self) -> Iterator[Said]:
        """What the read means."""
        read, inside, number = self.read, self.inside, self.rule.number
        if read.workers == 1 or read.clock == 1 or (self.arrived and self.scheme == "ssp"):
            return
        if self.scheme == "sync":
            yield Sentence(
                "All {n worker} read the same weights: the run is plain SGD whose every step adds"
                " {n gradient}.", n=Num(read.workers),
            )  # fmt: skip
        elif self.scheme == "ssp" and number:
            yield Sentence(
                "A synchronous worker would read {all gradient} here, those of all earlier"
                " iterations. At most {missing} of them {missing|is|are} missing, and at most"
                " {extra} later {extra|one|ones} may be in.",
                all=Num(read.workers * read.before),
                missing=Num(read.workers * read.before - inside.certain),
                extra=Num(number * (read.workers - 1)),
            )
            yield (
                "Of each other worker gradients come in order: one of a later iteration is in only"
                " if all its earlier ones are."
            )
        elif self.scheme == "local_sgd" and self.mine:
            yield Sentence(
                "{mine step} of its own {mine|is|are} in no other model yet, but will be with"
                " the average after iteration {next}.",
                mine=Num(self.mine), next=Num(inside.common + number),
            )  # fmt: skip
        elif self.scheme == "local_sgd":
            yield "The read comes right after an average: all workers hold equal models."
        elif self.scheme == "k_of_n" and self.rule.ruled.late == "cancel":
            begun = read.workers * read.before
            yield Sentence(
                "Of {begun gradient} begun by then, {guaranteed} {guaranteed|counts|count}: the"
                " others were interrupted.", begun=Num(begun),
            )  # fmt: skip

    def crosschecks(self) -> Iterator[Crosscheck]:
        """On a schedule no fewer are in than are certain, and no more than may be."""
        if self.arrived is not None and self.rule.scheme is not None and self.read.clock > 1:
            certain, actual = Sym("g"), Sym("a")
            yield Crosscheck("at least what is certain is in", actual >= certain)
            most: Expr = certain + Sym("p")
            yield Crosscheck("and no more than may be", actual <= most)

    def premises(self) -> Iterator[Premise]:
        """What is taken for granted."""
        if self.read.workers > 1:
            at_once = (
                ", and a worker reads as soon as it may go on"
                if self.scheme == "ssp" and self.rule.number
                else ""
            )
            if self.scheme == "local_sgd":
                yield Premise("all models start equal and count equally in the average")
            else:
                yield Premise(f"all workers start together{at_once}")
        yield Premise("plain SGD: a constant step size η, without momentum")
        if self.scheme in ("ssp", "async") and self.read.workers > 1:
            yield Premise("an iteration is finished once its gradient has been added in")
        if self.scheme != "local_sgd" and self.read.workers > 1:
            whom = "q" if self.scheme == "k_of_n" else "n"
            yield Premise(f"gradients are added up; if they are averaged, η becomes η/{whom}")
        if self.arrived is not None:
            yield Premise("sending and adding take no time", "timeline")


def _low(number: int) -> str:
    """*number* as an index."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _clocks(first: int, last: int) -> str:
    """iteration 3; iterations 1 to 3."""
    if last == first + 1:
        return f"iterations {clocks(first, first)} and {clocks(last, last)}"
    return f"iteration{'s' * (first != last)} {clocks(first, last)}"
