"""What is said of a read under a rule: how the scheme works, what is in, and what that means."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence
from ddcalc.types.schedules.update_rule.account import Rule, clocks
from ddcalc.types.schedules.update_rule.model import Arrived

NOTATION = (
    " G₂,₃ is the gradient of worker 2 at its clock 3, w₀ the first weights, η the step size."
)
HAPPENS = {  # by scheme
    "sync": (
        "Everybody computes a gradient on the same weights; the server adds them all, and only then"
        " does anybody go on. So a worker reads everybody's gradients of all clocks before its own,"
        " and no others."
    ),
    "ssp": (
        "Every gradient is added as it arrives. A worker starts clock c only when everybody has"
        " finished clock c − s − 1: those gradients and its own are in for certain. Which later"
        " ones are in depends on the speeds."
    ),
    "async": (
        "Every gradient is added as it arrives, and its worker reads again at once. Its own"
        " gradients are in for certain; which of the others' are in depends on the speeds."
    ),
    "local_sgd": (
        "Each worker makes H steps on a copy of its own; then the copies are averaged, and all go"
        " on from the mean. So everybody's finished rounds are in, each gradient divided by the"
        " number of workers, and the worker's own steps since."
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
        happens = ALONE if self.read.workers == 1 else HAPPENS[self.scheme]
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
            yield Sentence(f"W{who[1:]} reads {{weights}}.")
        else:
            moment = Num(self.arrived.when) / Num(self.arrived.periods[0]) * Sym("t_comp_1")
            many = "{actual gradient} {actual|is|are} in"
            yield First(
                Sentence(
                    f"On this schedule {who} reads at {{moment}}, when {many}: {{weights}}.",
                    moment=moment,
                ),
                Sentence(f"On this schedule {many} when {who} reads: {{weights}}."),
            )
        yield self._which()

    def _which(self) -> Said:
        inside, before = self.inside, self.read.before
        if self.scheme == "k_of_n":
            return self._how_many()
        parts = []
        if inside.common:
            averaged = ", averaged" if inside.averaged else ""
            whose = "everybody's" if self.read.workers > 1 else "its own"
            noun = "gradient" if self.read.workers == inside.common == 1 else "gradients"
            parts.append(f"{whose} {noun} of {_clocks(1, inside.common)}{averaged}")
        if self.mine:
            noun = "" if parts else f"gradient{'s' * (self.mine != 1)} "
            parts.append(f"its own {noun}of {_clocks(inside.common + 1, before)}")
        certain = (", and " if inside.averaged else " and ").join(parts)
        total = ", {guaranteed} in all" * (inside.certain > 1)
        if inside.possible == 0:
            return Sentence(f"These weights contain {certain}{total}, and no others.")
        sure = f"{total}, are certain to be in" if total else " is certain to be in"
        if inside.possible is None:
            return Sentence(
                f"By the rule alone, only {certain}{sure}; any number of the others'"
                " may be in as well (the set S).",
            )
        assert inside.reach is not None
        later = _clocks(inside.common + 1, inside.reach)
        return Sentence(
            f"By the rule alone, {certain}{sure}; of the others' of {later} up"
            " to {possible} may be in as well (the set S).",
        )

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
        if read.workers == 1 or read.clock == 1:
            return
        if self.scheme == "sync":
            yield Sentence(
                "All {n worker} read the same weights: the run is plain SGD whose every step adds"
                " {n gradient}.", n=Num(read.workers),
            )  # fmt: skip
        elif self.scheme == "ssp" and number:
            yield Sentence(
                "The uncertainty does not grow with the clock: at any clock at most {most gradient}"
                " of the others {most|is|are} in doubt, 2s = {width} of each other worker.",
                most=Num(2 * number * (read.workers - 1)), width=Num(2 * number),
            )  # fmt: skip
        elif self.scheme == "local_sgd" and self.mine:
            yield Sentence(
                "{mine step} {mine|is|are} its own alone; other workers see {mine|it|them} only in"
                " the average after clock {next}.",
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
            goes_on = ", and who may go on reads at once" if self.scheme == "ssp" else ""
            yield Premise(f"all workers start together{goes_on}")
        if self.scheme != "local_sgd" and self.read.workers > 1:
            whom = "q" if self.scheme == "k_of_n" else "n"
            yield Premise(f"gradients are added; for their mean divide η by {whom}")
        if self.arrived is not None:
            yield Premise("sending and adding take no time", "timeline")


def _clocks(first: int, last: int) -> str:
    """clock 3; clocks 1 to 3."""
    if last == first + 1:
        return f"clocks {first} and {last}"
    return f"clock{'s' * (first != last)} {clocks(first, last)}"
