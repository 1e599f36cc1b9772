"""The rules of the schemes, in words and in formulas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from typing import ClassVar

from ddcalc.formula.algebra import floor, largest
from ddcalc.formula.expression import Add, Expr, Neg, Num, Operand, Sym
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import grouped
from ddcalc.problem.steps import Bound, Cells, Link, Step, Table
from ddcalc.types.schedules.update_rule.model import (
    ETA,
    GAP,
    LUCK,
    READER,
    UPDATE,
    UPDATES,
    W_0,
    WRITTEN,
    C,
    Contents,
    Counted,
    Group,
    H,
    J,
    K,
    N,
    Q,
    S,
    contents,
    gradient,
    indexed,
    nothing,
    of_all,
    of_all_up_to,
    of_one,
    of_set,
    played_scheme,
    stepped,
    summed,
    weights,
)
from ddcalc.types.schedules.update_rule.question import RuledRead

LISTED = 15  # terms up to which all gradients are named where they are written out
HEAD = 3  # those of everybody, and own ones, that are named before a gap, if there are more

TITLE = "Where a printed rule goes wrong"
RIGHT = "every worker goes on from the same mean"

LIMITS = {
    "alone": "one worker alone has nobody to wait for: this is sequential SGD",
    "unbounded": "a staleness bound of infinity holds nobody back",
    "nobody late": "an update that waits for all leaves nobody late",
    "synchronous": "with s = 0 this is exactly the synchronous rule",
    "averaging": "with H = 1 this is synchronous SGD that averages",
}
FATES = {
    "drop": "late gradients are dropped when they arrive, so their work is lost",
    "reuse": "late gradients, the set L, join the next update beside its own",
    "cancel": "late workers stop and start again on the new weights, so iteration and update agree",
}


class Rule(ABC):
    """What the weights are at a read, by the rule of its scheme: the *name* of the rule, and what
    it says. Most guarantee everybody's gradients up to a clock and the worker's own later ones."""

    name: ClassVar[str]
    says: ClassVar[str]
    choices: ClassVar[tuple[str, ...]] = ()  # the readings that shape it, beside the scheme

    def __init__(self, ruled: RuledRead) -> None:
        self.ruled, self.read, self.number = ruled, ruled.read, ruled.number
        self.scheme = played_scheme(ruled)
        self.others = of_set(Sym(f"S_{self.read.worker}"))  # of the others, those that may be in

    @cached_property
    def contents(self) -> Contents:
        """What is in by the clocks."""
        return contents(self.ruled)

    @property
    def why(self) -> str:
        """The rule in words."""
        return "; ".join(filter(None, [self.says, LIMITS.get(self.ruled.limit)]))

    @abstractmethod
    def formula(self) -> Expr:
        """The weights in letters."""

    def update(self) -> Iterator[Step]:
        """The rule one step at a time, where it has such a form."""
        return iter(())

    @abstractmethod
    def common(self) -> Counted:
        """The iteration up to which everybody's gradients are in."""

    def own_ones(self) -> Counted:
        """The worker's own gradients that are in."""
        why = "a worker always has its own gradients"
        return Counted(self.read.before, C - 1, {"c": self.read.clock}, why)

    def guaranteed(self) -> Counted:
        """The gradients that are in whatever the order of events."""
        common, read = self.contents.common, self.read
        numbers = {"n": read.workers, "K": common, "c": read.clock}
        why = "K of every worker, and the worker's own after iteration K"
        if not common:
            return Counted(self.contents.certain, C - 1, numbers, "the worker's own")
        return Counted(self.contents.certain, N * K + (C - 1 - K), numbers, why)

    @abstractmethod
    def further(self) -> Counted:
        """The further gradients that may be in, at other reads than the first."""

    def possible(self) -> Counted:
        """The further gradients that may be in."""
        if self.read.clock == 1 and self.scheme:
            return nothing("all workers start together, so nothing is written yet")
        return self.further()

    whose: ClassVar[tuple[str, str]] = ("whose", "iterations")  # what the rows of the table are of
    certain: ClassVar[str] = "this follows from the rule alone, whatever the speeds are"
    whatever_the_speeds: ClassVar[bool] = False  # whether no others can be in

    def _how(self, everybody: bool) -> str | Expr:
        """How certainly gradients are in; where nothing is uncertain, with which factor."""
        if not self.whatever_the_speeds:
            return "for certain"
        divided = everybody and self.contents.averaged and self.read.workers > 1
        return ETA / self.read.workers if divided else ETA

    def rows(self) -> Iterator[Cells]:
        """Those of the table."""
        read, inside = self.read, self.contents
        first, mine = inside.common + 1, read.before - inside.common
        if inside.common:
            whose = "everybody" if read.workers > 1 else f"worker {read.worker}"
            every = Num(read.workers * inside.common)
            yield whose, clocks(1, inside.common), self._how(everybody=True), every
        if mine > 0:
            how = self._how(everybody=False)
            yield f"worker {read.worker}", clocks(first, read.before), how, Num(mine)
        if inside.reach is None:
            yield self._others, f"from {first} on", "perhaps", "no limit"
        elif inside.possible:
            yield self._others, clocks(first, inside.reach), "perhaps", Num(inside.possible)
        elif not inside.certain:
            yield "nobody", "none", "for certain", Num(0)

    @property
    def _others(self) -> str:
        return "the other" if self.read.workers == 2 else "the others"

    def table(self) -> Table:
        """Which gradients are in the weights, and how certainly."""
        why, possible = self.certain, self.possible()
        if possible.value is None:
            why += f"; {possible.why}"
        how = "factor" if self.whatever_the_speeds else "in the weights"
        header = (*self.whose, how, "how many")
        title = "Which gradients are in the weights"
        return Table(title, why, header, tuple(self.rows()), "contents")

    def sums(self) -> Expr:
        """The weights as sums, with numbers."""
        read, common = self.read, self.contents.common
        everybody = [of_all_up_to(read.workers, common)] if common else []
        mine = [of_one(read.worker, common + 1, read.before)] if read.before > common else []
        return self._stepped(everybody, mine)

    def written_out(self) -> Expr:
        """The weights with as many gradients by name as there is room for."""
        read, inside = self.read, self.contents
        whole = inside.certain + (inside.possible != 0) <= LISTED
        everybody = [
            GAP if place is None else gradient(place % read.workers + 1, place // read.workers + 1)
            for place in _outline(read.workers * inside.common, whole)
        ]
        mine = [
            GAP if place is None else gradient(read.worker, inside.common + place + 1)
            for place in _outline(read.before - inside.common, whole)
        ]
        return self._stepped(everybody, mine)

    def _stepped(self, everybody: list[Expr], mine: list[Expr]) -> Expr:
        others = [] if self.contents.possible == 0 else [self.others]
        groups: list[Group] = [(ETA, [*everybody, *mine, *others])]
        if self.contents.averaged:
            groups = [(ETA / self.read.workers, everybody), (ETA, mine)]
        return stepped(*groups)

    def weights(self) -> Expr:
        """The weights as the answer has them."""
        if self.read.clock == 1:
            return W_0
        count = self.guaranteed().value
        assert count is not None
        return self.written_out() if count <= WRITTEN else self.sums()

    def slip(self) -> Iterator[Step]:
        """Where a printed form of the rule goes wrong."""
        return iter(())


class Synchronous(Rule):
    """Every worker waits until the gradients of all are added."""

    name = "the synchronous rule"
    whatever_the_speeds = True
    says = "all gradients of every iteration before"

    def formula(self) -> Expr:
        return W_0 - ETA * of_all_up_to(N, C - 1)

    def update(self) -> Iterator[Step]:
        value = weights(C) - ETA * of_all(N, C)
        why = "the gradients of one iteration, all taken at the same weights"
        yield _update("One update", why, weights(C + 1), value, "the same weights for every worker")

    def common(self) -> Counted:
        why = "nobody goes on before the gradients of all are in; one straggler delays everyone"
        return Counted(self.contents.common, C - 1, {"c": self.read.clock}, why)

    def guaranteed(self) -> Counted:
        numbers = {"n": self.read.workers, "K": self.contents.common}
        return Counted(self.contents.certain, N * K, numbers, "K of every worker")

    def further(self) -> Counted:
        return nothing("nobody starts an iteration before all have finished the one before")


class StaleSynchronous(Rule):
    """Nobody is further ahead of the slowest than the bound (Ho et al., NIPS 2013)."""

    name = "the stale-synchronous rule"
    says = (
        "gradients of everybody up to iteration K, the worker's own later ones, and a set S of"
        " others' later"
        " ones that have arrived"
    )

    def formula(self) -> Expr:
        if not self.number:
            return W_0 - ETA * of_all_up_to(N, K)
        if not self.contents.common:
            return W_0 - ETA * (of_one(READER, 1, C - 1) + of_set(LUCK))
        everybody, mine = of_all_up_to(N, K), of_one(READER, K + 1, C - 1)
        return W_0 - ETA * (everybody + mine + of_set(LUCK))

    def common(self) -> Counted:
        why = "a worker may begin iteration c only when all have finished iteration c − s − 1"
        if self.contents.common == 0:
            why += "; the slowest need not have finished any, so nothing of the others is certain"
        numbers = {"c": self.read.clock, "s": self.number}
        formula = C - S - 1
        if self.read.before < self.number:
            formula = largest(0, formula)
        return Counted(self.contents.common, formula, numbers, why)

    def further(self) -> Counted:
        read, last = self.read, self.read.before
        why = (
            f"while worker {read.worker} computed its iteration {count_text(last)}, it had finished"
            f" {f'only {count_text(last - 1)}' if last > 1 else 'none'}, so nobody could begin"
            " one after"
            f" {count_text(last + self.number)}"
        )
        numbers = {"c": read.clock, "s": self.number}
        numbers |= {"n": read.workers, "K": self.contents.common}
        return Counted(self.contents.possible, (N - 1) * (C + S - 1 - K), numbers, why)

    @property
    def held(self) -> int | None:
        """The further gradients that may be in after the worker was held up: then the last one has
        only just finished iteration K, and nobody else one after c − 1. None: it never is."""
        if not self.contents.common or not self.number:
            return None
        return (self.read.workers - 2) * self.number

    @property
    def certain(self) -> str:  # type: ignore[override]
        """Why the rows are what they are."""
        if self.held is None:
            return super().certain
        read, common = self.read, self.contents.common
        return (
            f"if worker {read.worker} was held up until now, the last worker has only just finished"
            f" iteration {count_text(common)}, so it has no later one in, and nobody has finished"
            f" iteration {count_text(read.clock)}"
        )

    def rows(self) -> Iterator[Cells]:
        held, (*sure, perhaps) = self.held, super().rows()
        yield from sure
        if held is None:
            yield perhaps
            return
        whose, which, _, most = perhaps
        who, common = f"worker {self.read.worker}", self.contents.common
        if held:
            later = clocks(common + 1, self.read.before)
            yield whose, later, f"perhaps, if {who} was held up", Num(held)
        else:
            yield "the other", "no later one", f"if {who} was held up", Num(0)
        yield whose, which, "perhaps, if it was not", most

    def slip(self) -> Iterator[Step]:
        """The rule with t for K and an own sum from t − s on, where t = c − 1."""
        read, common = self.read, self.contents.common
        if read.clock == 1:
            return
        first = max(1, read.before - self.number)
        everybody = of_all_up_to(read.workers, read.before)
        mine = of_one(read.worker, first, read.before)
        printed = W_0 - ETA * (
            of_all_up_to(N, UPDATE) + of_one(READER, UPDATE - S, UPDATE) + of_set(LUCK)
        )
        value = stepped((ETA, [everybody, mine, self.others]))
        why = (
            "some sheets print t for K, and t − s as the start of the own sum, where t is c − 1;"
            " the two sums then share gradients, even for s = 0"
        )
        here = f"here t is {count_text(read.before)}"
        links = (Link("=", printed, "as printed"), Link("=", value, here))
        yield Bound("printed", "w", TITLE, why, weights(read.worker, UPDATE + 1), links, value)
        rows: list[Cells] = [(f"worker {read.worker}", clocks(first, read.before), "twice", "once")]
        if read.before > common:
            late = clocks(common + 1, read.before)
            rows.append(("the others", late, "once, and again if arrived", "once, if arrived"))
        header = ("whose", "iterations", "the printed rule counts", "right is")
        why = "the own sum begins in the first, and the first takes as certain what may be late"
        yield Table("What it counts wrongly", why, header, tuple(rows), "slip")


class Asynchronous(Rule):
    """Every gradient is added as it arrives, and its worker goes on at once."""

    name = "the asynchronous rule"
    says = (
        "the worker's own gradients, and a set S of others' that happen to have arrived; each is"
        " added as it arrives"
    )

    def formula(self) -> Expr:
        return W_0 - ETA * (of_one(READER, 1, C - 1) + of_set(LUCK))

    def update(self) -> Iterator[Step]:
        value = weights(UPDATE) - ETA * summed(gradient(J, UPDATE - Sym("tau_j")), J, 1, N)
        why = (
            "the server's view: t counts its updates, and the gradient of worker j was taken at"
            " weights that are τ updates old"
        )
        reason = "over the workers whose gradient has arrived"
        yield _update("One update", why, weights(UPDATE + 1), value, reason)

    def common(self) -> Counted:
        return nothing("nobody is waited for, so nothing of the others is certain")

    def guaranteed(self) -> Counted:
        why = "a worker always has its own; nobody is waited for, so no others are certain"
        return Counted(self.read.before, C - 1, {"c": self.read.clock}, why)

    def further(self) -> Counted:
        return Counted(None, Num(0), {}, "nobody is held back, so there is no limit")


class LocalSGD(Rule):
    """After some steps of their own the workers average their models (Stich 2019)."""

    name = "the rule of local SGD"
    whatever_the_speeds = True
    certain = "the speeds do not matter"
    says = (
        "the steps of all finished rounds, averaged over the workers, and the worker's own steps"
        " since; models are averaged, so a gradient of a finished round counts η/n"
    )

    def formula(self) -> Expr:
        rounds = (ETA / N) * of_all_up_to(N, K)
        return W_0 - rounds - ETA * of_one(READER, K + 1, C - 1)

    def update(self) -> Iterator[Step]:
        step = weights(READER, C) - ETA * gradient(READER, C)
        mean = (1 / N) * summed(weights(J, C) - ETA * gradient(J, C), J, 1, N)
        after = weights(READER, C + 1)
        why = "a step on the worker's own gradient"
        yield _update("A step within a round", why, after, step, "if H does not divide c")
        why = "the mean of all models after their step, so all replicas are equal again"
        yield _update("The last step of a round", why, after, mean, "if H divides c", "average")

    def common(self) -> Counted:
        why = "the finished rounds, of H iterations each"
        if 0 < self.contents.common == self.read.before:
            why += "; the read is right after an average, so all replicas are equal"
        numbers = {"H": self.number, "c": self.read.clock}
        return Counted(self.contents.common, H * floor((C - 1) / H), numbers, why)

    def further(self) -> Counted:
        return nothing("between two averages a worker sees nobody else's gradients")

    def slip(self) -> Iterator[Step]:
        """The average as w − (η/n)·(sum of gradients), which averages no models."""
        if self.number == 1:
            return
        read, steps = self.read, self.number
        one, other = read.worker, 2 if read.worker == 1 else 1
        apart = weights(one, steps + 1) - weights(other, steps + 1)
        why = (
            "at the end of a round some sheets print a worker's own model minus η times the mean of"
            " all gradients; then all subtract the same, and what sets two replicas apart stays for"
            " ever"
        )
        mean = (ETA / read.workers) * of_all(read.workers, steps)
        mine, theirs = weights(one, steps), weights(other, steps)
        before = of_one(other, 1, steps - 1) - of_one(one, 1, steps - 1)
        links = (
            Link("=", Add((mine, Neg(mean), Neg(theirs - mean))), "as printed"),
            Link("=", mine - theirs, "the same is subtracted from both"),
            Link("=", ETA * before, "their own steps before"),
        )
        yield Bound("printed", "w", TITLE, why, apart, links, links[-1].expr)
        step = weights(J, steps) - ETA * gradient(J, steps)
        average = (Num(1) / read.workers) * summed(step, J, 1, read.workers)
        right = (
            Link("=", average - average, "the mean of the models after their step"),
            Link("=", Num(0), "it is the same for everybody"),
        )
        yield Bound("right", "w", "The right average makes replicas equal", RIGHT, apart, right, 0)


class KofN(Rule):
    """An update is made of the first few gradients taken at the weights as they are.

    Fewer than all. What happens to others is a choice: dropped (the backup workers of Chen et al.
    2016), used in the next update, or interrupted.
    """

    name = "the rule of k of n"
    choices = ("late",)
    whose = ("update", "gradients")
    certain = "how many an update has is certain, whose they are is not"

    @property
    def why(self) -> str:
        last = "" if self.ruled.late == "cancel" else "; v counts the updates before the read"
        return (
            "of every update A holds the first q gradients that were taken at the newest weights;"
            f" {FATES[self.ruled.late]}{last}"
        )

    def formula(self) -> Expr:
        last = C - 1 if self.ruled.late == "cancel" else UPDATES
        return W_0 - ETA * summed(self._one_update(), UPDATE, 1, last)

    def update(self) -> Iterator[Step]:
        value = weights(UPDATE - 1) - ETA * self._one_update()
        why = "the server adds them as soon as it has enough"
        yield _update("One update", why, weights(UPDATE), value, "w, by the number of updates")

    def common(self) -> Counted:
        return nothing("everybody may be late in every update")

    def own_ones(self) -> Counted:
        if self.ruled.late != "reuse":
            return nothing("the worker may be late every time")
        value = max(0, self.read.clock - 2)
        why = "its newest gradient may be late, and is then in the update after the read"
        return Counted(value, largest(0, C - 2), {"c": self.read.clock}, why)

    def guaranteed(self) -> Counted:
        made = {
            "cancel": "one update for each iteration before, of q gradients each",
            "drop": "at least one update for each iteration before, of q gradients each",
            "reuse": "at least one update for each iteration before, of at least q gradients each",
        }
        why = f"{made[self.ruled.late]}; which gradients, only the order says"
        numbers = {"q": self.number, "c": self.read.clock}
        return Counted(self.number * self.read.before, Q * (C - 1), numbers, why)

    def further(self) -> Counted:
        if self.ruled.late == "cancel":
            return nothing("no update has more, and there is one for each iteration")
        why = "while this worker computes, others may make any number of updates"
        return Counted(None, Num(0), {}, why)

    def sums(self) -> Expr:
        if self.read.clock == 1:
            return W_0
        last: Operand = self.read.before if self.ruled.late == "cancel" else UPDATES
        return W_0 - ETA * summed(self._one_update(), UPDATE, 1, last)

    def written_out(self) -> Expr:
        return self.sums()

    def _one_update(self) -> Expr:
        timely = of_set(indexed("A", UPDATE))
        late = of_set(indexed("L", UPDATE))
        return Add((timely, late)) if self.ruled.late == "reuse" else timely

    def rows(self) -> Iterator[Cells]:
        first = f"the first {count_text(self.number)} of {count_text(self.read.workers)}"
        if self.read.clock == 1:
            yield "none", "none", "for certain", Num(0)
            return
        many = Num(self.number * self.read.before)
        yield clocks(1, self.read.before), first, "for certain", many
        if self.ruled.late == "reuse":
            yield "all", "those late for the one before", "perhaps", "not known"
        if self.ruled.late != "cancel":
            yield f"from {count_text(self.read.clock)} on", first, "perhaps", "no limit"


def rule_of(ruled: RuledRead) -> Rule:
    """The rule of a read."""
    rules: dict[str, type[Rule]] = {"sync": Synchronous, "ssp": StaleSynchronous}
    rules |= {"async": Asynchronous, "local_sgd": LocalSGD, "k_of_n": KofN}
    return rules[ruled.scheme](ruled)


def _update(
    title: str, why: str, after: Expr, value: Expr, reason: str, name: str = "update"
) -> Bound:
    return Bound(name, "w", title, why, after, (Link("=", value, reason),), value)


def clocks(first: int, last: int) -> str:
    """The iterations from *first* to *last* in words."""
    start, end = (grouped(Decimal(clock)) for clock in (first, last))
    return start if first == last else f"{start} to {end}"


def _outline(count: int, whole: bool) -> list[int | None]:
    """The places from 0 to *count* − 1: all of them, or a few, None for a gap, and the last."""
    if whole or count <= HEAD + 2:
        return list(range(count))
    return [*range(HEAD), None, count - 1]
