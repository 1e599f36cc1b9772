"""The rules of the schemes in words and formulas, and the steps that explain one read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from ddcalc.formula.algebra import floor, largest
from ddcalc.formula.expression import Add, Expr, Neg, Num, Operand, Sym, substitute
from ddcalc.numbers.amounts import amount_text, count_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.plan import Values
from ddcalc.problem.play import defined, outline
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Bound, Cells, Define, Link, Step, Table
from ddcalc.types.schedules.update_rule.model import (
    ETA,
    GAP,
    LUCK,
    READER,
    UPDATE,
    UPDATES,
    W_0,
    WRITTEN,
    Arrived,
    C,
    Contents,
    Counted,
    Group,
    H,
    J,
    K,
    N,
    Q,
    Run,
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

LISTED = 12  # terms up to which all gradients are named where they are written out
HEAD = 3  # those of everybody, and own ones, that are named before a gap, if there are more
STRETCHES = 3  # of a worker's clocks that are shown

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
    "cancel": "late workers stop and start again on the new weights, so clock and update agree",
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
        """The clock up to which everybody's gradients are in."""

    def own_ones(self) -> Counted:
        """The worker's own gradients that are in."""
        why = "a worker always has its own gradients"
        return Counted(self.read.before, C - 1, {"c": self.read.clock}, why)

    def guaranteed(self) -> Counted:
        """The gradients that are in whatever the order of events."""
        common, read = self.contents.common, self.read
        numbers = {"n": read.workers, "K": common, "c": read.clock}
        why = "K of every worker, and the worker's own after clock K"
        return Counted(self.contents.certain, N * K + (C - 1 - K), numbers, why)

    @abstractmethod
    def further(self) -> Counted:
        """The further gradients that may be in, at other reads than the first."""

    def possible(self) -> Counted:
        """The further gradients that may be in."""
        if self.read.clock == 1 and self.scheme:
            return nothing("all workers start together, so nothing is written yet")
        return self.further()

    whose: ClassVar[tuple[str, str]] = ("whose", "clocks")  # what the rows of the table are of
    certain: ClassVar[str] = "this follows from the rule alone, whatever the speeds are"

    def rows(self) -> Iterator[Cells]:
        """Those of the table."""
        read, inside, sure = self.read, self.contents, "for certain"
        first, mine = inside.common + 1, read.before - inside.common
        if inside.common:
            whose = "everybody" if read.workers > 1 else f"worker {read.worker}"
            how = "for certain, averaged" if inside.averaged else sure
            yield whose, clocks(1, inside.common), how, Num(read.workers * inside.common)
        if mine > 0:
            yield f"worker {read.worker}", clocks(first, read.before), sure, Num(mine)
        if inside.reach is None:
            yield "the others", f"from {first} on", "perhaps", "no limit"
        elif inside.possible:
            yield "the others", clocks(first, inside.reach), "perhaps", Num(inside.possible)
        elif not inside.certain:
            yield "nobody", "none", sure, Num(0)

    def table(self) -> Table:
        """Which gradients are in the weights, and how certainly."""
        why, possible = self.certain, self.possible()
        if possible.value is None:
            why += f"; {possible.why}"
        header = (*self.whose, "in the weights", "how many")
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
    says = "all gradients of every clock before"

    def formula(self) -> Expr:
        return W_0 - ETA * of_all_up_to(N, C - 1)

    def update(self) -> Iterator[Step]:
        value = weights(C) - ETA * of_all(N, C)
        why = "the gradients of one clock, all taken at the same weights"
        yield _update("One update", why, weights(C + 1), value, "the same weights for every worker")

    def common(self) -> Counted:
        why = "nobody goes on before the gradients of all are in; one straggler delays everyone"
        return Counted(self.contents.common, C - 1, {"c": self.read.clock}, why)

    def guaranteed(self) -> Counted:
        numbers = {"n": self.read.workers, "K": self.contents.common}
        return Counted(self.contents.certain, N * K, numbers, "K of every worker")

    def further(self) -> Counted:
        return nothing("nobody starts a clock before all have finished the one before")


class StaleSynchronous(Rule):
    """Nobody is further ahead of the slowest than the bound (Ho et al., NIPS 2013)."""

    name = "the stale-synchronous rule"
    says = (
        "everybody's gradients up to clock K, the worker's own later ones, and a set S of others'"
        " later ones that happen to have arrived"
    )

    def formula(self) -> Expr:
        everybody, mine = of_all_up_to(N, K), of_one(READER, K + 1, C - 1)
        return W_0 - ETA * (everybody + mine + of_set(LUCK))

    def common(self) -> Counted:
        why = "worker i may start clock c only when all have finished clock c − s − 1"
        if self.contents.common == 0:
            why += "; the slowest need not have finished any, so nothing of the others is certain"
        numbers = {"c": self.read.clock, "s": self.number}
        return Counted(self.contents.common, largest(0, C - S - 1), numbers, why)

    def further(self) -> Counted:
        why = (
            "others may be ahead; while worker i computed clock c − 1, nobody could start a clock"
            " later than c + s − 1"
        )
        numbers = {"c": self.read.clock, "s": self.number}
        numbers |= {"n": self.read.workers, "K": self.contents.common}
        return Counted(self.contents.possible, (N - 1) * (C + S - 1 - K), numbers, why)

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
        header = ("whose", "clocks", "the printed rule counts", "right is")
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
        why = "the finished rounds, of H clocks each"
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
            "cancel": "one update for each clock before, of q gradients each",
            "drop": "at least one update for each clock before, of q gradients each",
            "reuse": "at least one update for each clock before, of at least q gradients each",
        }
        why = f"{made[self.ruled.late]}; which gradients, only the order says"
        numbers = {"q": self.number, "c": self.read.clock}
        return Counted(self.number * self.read.before, Q * (C - 1), numbers, why)

    def further(self) -> Counted:
        if self.ruled.late == "cancel":
            return nothing("no update has more, and there is one for each clock")
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
    """The clocks from *first* to *last* in words."""
    start, end = count_text(first), count_text(last)
    return start if first == last else f"{start} to {end}"


def _outline(count: int, whole: bool) -> list[int | None]:
    """The places from 0 to *count* − 1: all of them, or a few, None for a gap, and the last."""
    if whole or count <= HEAD + 2:
        return list(range(count))
    return [*range(HEAD), None, count - 1]


class ReadAccount:
    """The values and steps of a read under its *rule*, with what has *arrived* on a schedule if one
    is played; they define what is *declared*. *turns* has what happens at one instant, by order."""

    def __init__(
        self,
        rule: Rule,
        arrived: Arrived | None,
        declared: Mapping[str, Derived],
        turns: Mapping[str, str],
    ) -> None:
        self.rule, self.arrived, self.declared, self.turns = rule, arrived, declared, turns
        self.answer = arrived.weights() if arrived and rule.scheme else rule.weights()

    @property
    def asides(self) -> list[str]:
        """Steps that are shown on demand only: other forms of the rule, and what is nothing."""
        asides, rule = ["own", "update", "average", "printed", "right", "slip"], self.rule
        asides += ["contents"] * (self.arrived is not None and rule.scheme is not None)
        asides += ["common"] * (not rule.common().formula.parts())
        return asides + ["possible"] * (rule.possible().value == 0)

    @property
    def named(self) -> list[str]:
        """The choices that shape the answer."""
        order = ["order"] if self.arrived and self.rule.scheme else []
        return ["scheme", *self.rule.choices, *order]

    def values(self) -> Values:
        """The derived quantities by name."""
        rule = self.rule
        values: Values = {
            "common": rule.common().value,
            "own": rule.own_ones().value,
            "guaranteed": rule.guaranteed().value,
            "possible": rule.possible().value,
            "weights": self.answer,
        }
        return {**values, "actual": self.arrived.count} if self.arrived else values

    def steps(self) -> Iterator[Step]:
        """From the rule in letters to the weights of this read."""
        rule, arrived = self.rule, self.arrived
        value = rule.formula()
        title = rule.name[0].upper() + rule.name[1:]
        link = Link("=", value, "the indices of G are its worker and its clock")
        yield Bound("rule", "w", title, rule.why, weights(READER, C), (link,), value)
        yield from rule.update()
        yield self._counted("common", rule.common())
        yield rule.table()
        yield self._counted("own", rule.own_ones())
        yield self._counted("guaranteed", rule.guaranteed())
        if rule.possible().value is not None:
            yield self._counted("possible", rule.possible())
        if arrived:
            yield self._arrivals(arrived)
            counts = Add(tuple(Num(arrived.of_worker(worker)) for worker in arrived.runs))
            yield defined(self.declared["actual"], arrived.count, counts)
        yield self._weights(self.declared["weights"])
        yield from rule.slip()

    def _counted(self, name: str, count: Counted) -> Define:
        workers = {"n": Num(self.rule.read.workers)} if self.arrived else {}  # the times say it
        formula = substitute(count.formula, workers)
        return defined(self.declared[name], count.value, formula, count.numbers, count.why)

    def _arrivals(self, arrived: Arrived) -> Table:
        """Whose gradients are in on a schedule."""
        rule, perhaps = self.rule, self.rule.possible().value != 0 and not self.rule.choices
        common = rule.common().value or 0

        def row(worker: int | None) -> Cells:
            if worker is None:
                return ("…",) * len(header)
            runs, takes = arrived.runs[worker], arrived.periods[worker - 1]
            count = Num(arrived.of_worker(worker))
            cells: Cells = (Num(worker), amount_text(takes, SECOND), _stretches(runs), count)
            if not perhaps:
                return cells
            later = [(max(first, common + 1), last) for first, last in runs if last > common]
            return *cells, "–" if worker == rule.read.worker else _stretches(later)

        header: tuple[str, ...] = ("worker", "a gradient takes", "clocks that are in", "how many")
        header = (*header, "in the set S") if perhaps else header
        rows = tuple(map(row, outline(1, rule.read.workers)))
        return Table("What has arrived on this schedule", self._moment(arrived), header, rows)

    def _moment(self, arrived: Arrived) -> str:
        """When the worker reads, and why not before."""
        why = f"worker {arrived.read.worker} reads at {amount_text(arrived.when, SECOND)}"
        if arrived.hold:
            since, other = arrived.hold
            why += f", after it has waited for worker {other} since {amount_text(since, SECOND)}"
        return f"{why}; {self.turns[arrived.order]}" if arrived.order else why

    def _weights(self, quantity: Derived) -> Bound:
        """The weights of this worker and clock."""
        rule, value = self.rule, self.answer
        subject = weights(rule.read.worker, rule.read.clock)
        played = self.arrived is not None and value != rule.weights()
        links = [] if played else [Link("=", rule.sums(), "with these numbers")]
        if rule.written_out() != rule.sums() and not played:
            links.append(Link("=", rule.written_out(), "written out"))
        if value not in (link.expr for link in links):
            links.append(Link("=", value, "on this schedule"))
        why = "the rule for this worker and clock" if rule.read.before else "nothing is in yet"
        named = quantity.name, quantity.letter, quantity.title
        return Bound(*named, why, subject, tuple(links), value)


def _stretches(runs: Sequence[Run]) -> str:
    places = outline(0, len(runs) - 1, STRETCHES)
    texts = ("…" if place is None else clocks(*runs[place]) for place in places)
    return ", ".join(texts) or "none"
