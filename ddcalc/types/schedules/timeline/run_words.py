"""What is said of a timeline: how the scheme works, what came out, and what that means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from ddcalc.formula.algebra import same
from ddcalc.formula.expression import Add, Expr, Mul, Num, Sym
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Time
from ddcalc.schedule.scheme import Scheme
from ddcalc.types.schedules._tables import (
    contributions,
    is_steady,
    is_whole,
    spacing,
    workers_of,
)
from ddcalc.types.schedules._workload import Run
from ddcalc.types.schedules.timeline.question import Question

WHOM = 3  # workers waited for that are named
NAMED = 6  # workers up to which each is named
DURATION = Sym("D")
LATE = {
    "drop": "A gradient that comes later is dropped.",
    "reuse": "A gradient that comes later joins the next update.",
    "cancel": "Whoever is not done by then is interrupted and starts again.",
}


def mechanism(run: Run) -> str:
    """What happens physically under the scheme of *run*."""
    scheme, workers = run.scheme, run.workload.workers
    others = "the other one waits" if workers == 2 else "the others wait"
    if workers == 1:
        return (
            "A single worker computes one gradient after another, and a server adds them to the"
            " parameters. There is nobody else to wait for, and nobody else changes the parameters"
            " while it computes."
        )
    if scheme.short == "local":
        return (
            f"Each worker makes {counted(scheme.local_steps, 'step')} on a copy of its own. Then"
            " all send their copies, a server averages them, and everybody goes on from the"
            f" average. A round lasts until its slowest worker is done; {others} for it."
        )
    if scheme.wait_for == workers:
        return (
            "Each worker computes one gradient on the same parameters. Only when the gradients of"
            " all have arrived does the server update the parameters, and only then does anybody go"
            f" on: a round lasts until its slowest worker is done, and {others} for it."
        )
    if scheme.rounds:
        return _of_the_first(scheme, workers)
    if scheme.bound is not None:
        lead = f"at most {counted(scheme.bound, 'gradient')} more" if scheme.bound else "no more"
        return (
            "The server adds every gradient to the parameters as soon as it arrives. Its worker"
            f" goes on at once, but only while it has finished {lead} than the slowest worker;"
            " otherwise it waits until the slowest has caught up."
        )
    return (
        "The server adds every gradient to the parameters as soon as it arrives, and its worker"
        " reads them and goes on at once. Nobody waits for another worker; but while one computes,"
        " another may change the parameters, so its gradient may be stale when it arrives."
    )


def _of_the_first(scheme: Scheme, workers: int) -> str:
    """What happens where an update waits for the first few of the *workers*."""
    wanted = "the first gradient" if scheme.wait_for == 1 else f"{scheme.wait_for} gradients"
    have = "has" if scheme.wait_for == 1 else "have"
    slow = workers - scheme.wait_for
    late = "one slow worker holds" if slow == 1 else f"up to {slow} slow workers hold"
    return (
        f"All workers compute at the same time. As soon as {wanted} taken at the newest"
        f" parameters {have} arrived, the server updates them, so {late} nobody up."
        f" {LATE[scheme.late]}"
    )


class RunWords:
    """What is said of *run*; beside it are the *waiting* and the *free* run of the same workload
    (synchronous and asynchronous), if they were played."""

    def __init__(self, question: Question, run: Run, waiting: Run | None, free: Run | None) -> None:
        self.question, self.run = question, run
        self.waiting, self.free = waiting, free
        self.workers = run.workload.workers
        self.days = run.counted.days
        self.clocks = [day.clocks for day in self.days]

    def says(self) -> Says:
        """All of it."""
        return Says(
            mechanism=mechanism(self.run),
            conclusion=tuple(self.conclusion()),
            insights=tuple(self.insights()),
            crosschecks=tuple(self.crosschecks()),
            premises=tuple(premises(self.run)),
        )

    def lasting(self, time: Time) -> Expr:
        """A *time* of the run as an amount with a unit."""
        return Num(self.run.share(time)) * DURATION

    # The answer

    def conclusion(self) -> Iterator[Said]:
        """How many updates and gradients, who waits for whom and how long, and how stale."""
        yield from self._nth()
        if not any(self.clocks):
            what = "step" if self.run.scheme.local_steps > 1 else "gradient"
            yield Sentence(f"In {{ended}} nobody finishes a {what}.")
        elif self.run.scheme.rounds and self.workers > 1 and self.run.counted.updates:
            yield from self._updates()
            if sum(self.clocks) != self.run.counted.used or len(set(self.clocks)) > 1:
                yield self._finished(leads=False)
        else:
            yield self._finished()
            yield from self._used()
        if self.workers > 1 and any(self.clocks):
            yield self._waits()
            yield from self._stale()
            if self.run.scheme.bound is not None:
                yield from self._others()
        if self.question.averages:
            runs = "runs" if self.question.within is None else "runs_played"
            yield Sentence(
                f"Over {{{runs} run}}, with one seed after the other,"
                " {mean_gradients gradient} are used on average."
            )

    def _updates(self) -> Iterator[Said]:
        """How many updates there are and how often, what they use, and what is thrown away."""
        run, tally, gap = self.run, self.run.counted, spacing(self.run)
        what = "step" if run.scheme.local_steps > 1 else "gradient"
        average = run.scheme.short == "local"
        made = "models are averaged {made time}" if average else "the server makes {made update}"
        when = "By then" if self.question.horizon is None else "In {ended}"
        made = made.replace("makes", "has made") if self.question.horizon is None else made
        slots: dict[str, Expr] = {"made": Num(tally.updates), "used": Num(tally.used)}
        often = ""
        if gap is not None and tally.updates > 1 and run.duration:
            often, slots["gap"] = (
                ", once every {gap}" if average else ", one every {gap}",
                Num(gap / Fraction(run.duration)) * DURATION,
            )
        uses = f" and uses {{used {what}}}"
        if self.question.horizon is None:
            uses = uses.replace("uses", "used")
        if average:
            uses = f" and {{used {what}}} {{used|is|are}} in the averages"
        lost = run.unused
        if lost:
            slots["lost"] = Num(lost)
            away = "{lost} {lost|is|are} thrown away"
            if tally.interrupted and tally.dropped:
                away = "{lost} {lost|is|are} thrown away or interrupted"
            elif tally.interrupted:
                away = "{lost} {lost|is|are} interrupted"
            whose = {g.worker for g in tally.first if g.update in (DROPPED, INTERRUPTED)}
            if is_whole(run) and len(whose) == 1 and tally.dropped == lost:
                away += f", all of worker {min(whose)}" if lost > 1 else f", of worker {min(whose)}"
            uses += f"; {away}"
        comma = "," if often else ""
        yield Sentence(f"{when} {made}{often}{comma}{uses}.", None, **slots)

    def _nth(self) -> Iterator[Said]:
        if self.question.nth is None:
            return
        if self.run.nth_time is None:
            yield Sentence("Update {nth_update} is not made by the end.")
        else:
            yield Sentence("Update {nth_update} is made at {nth_time}.")

    def _finished(self, *, leads: bool = True) -> Said:
        clocks, unit = self.clocks, "step" if self.run.scheme.local_steps > 1 else "gradient"
        stopped = self.question.horizon is None
        by, one, many = (
            ("By then, ", "has finished", "have finished")
            if stopped
            else ("In {ended}, ", "finishes", "finish")
        )
        by = by if leads else ""
        if self.workers == 1:
            return Sentence(f"{by}the worker {one} {{f {unit}}}.", f=Num(clocks[0]))
        if len(set(clocks)) == 1:
            words = f"{by}each of the {{n worker}} {one} {{f {unit}}}, {{all}} in all."
            return Sentence(
                capital(words), n=Num(self.workers), f=Num(clocks[0]), all=Num(sum(clocks))
            )
        if self.workers <= NAMED:
            slots: dict[str, Expr] = {f"f{i}": Num(clock) for i, clock in enumerate(clocks, 1)}
            whose = workers_of(range(1, self.workers + 1))
            counts = listed([f"{{{slot}}}" for slot in slots])
            words = f"{by}{whose} {many} {counts} {unit}s: {{all}} in all."
            return Sentence(capital(words), None, **slots, all=Num(sum(clocks)))
        words = (
            f"{by}the {{n worker}} {many} {{all {unit}}}: from {{least}} (worker {{slow}})"
            " to {most} (worker {fast})."
        )
        least, most = min(clocks), max(clocks)
        return Sentence(
            capital(words),
            n=Num(self.workers), all=Num(sum(clocks)), least=Num(least), most=Num(most),
            slow=Num(clocks.index(least) + 1), fast=Num(clocks.index(most) + 1),
        )  # fmt: skip

    def _used(self) -> Iterator[Said]:
        tally, finished = self.run.counted, sum(self.clocks)
        what = "step" if self.run.scheme.local_steps > 1 else "gradient"
        if not finished:
            return
        if not tally.used:
            yield "None of them is used: no update is made by the end."
        elif tally.used < finished:
            yield Sentence(
                "{used} of them {used|is|are} used, in {made update}.",
                used=Num(tally.used), made=Num(tally.updates),
            )  # fmt: skip
        elif self.run.scheme.rounds and self.workers > 1:
            portion = self.run.scheme.wait_for * self.run.scheme.local_steps
            alike = tally.updates * portion == tally.used
            yield Sentence(
                f"They are used in {{made update}} of {{portion {what}}}."
                if alike
                else "All are used, in {made update}.",
                made=Num(tally.updates), portion=Num(portion),
            )  # fmt: skip

    @cached_property
    def waits(self) -> dict[int, list[tuple[int | None, Time]]]:
        """For each worker that waits: for whom (0: nobody certain yet, None: the server), and how
        long."""
        waits: dict[int, list[tuple[int | None, Time]]] = {}
        for worker, day in enumerate(self.days, 1):
            mine: list[tuple[int | None, Time]] = [(by, t) for by, t in day.waits.items() if t]
            if day.served:
                mine.append((None, day.served))
            if mine:
                waits[worker] = sorted(mine, key=lambda wait: -wait[1])
        return waits

    def _waits(self) -> Said:
        waits = self.waits
        if not waits:
            return "Nobody waits."
        if len(waits) > NAMED or self.workers > 2 * NAMED:
            times = {i: sum(time for _, time in mine) for i, mine in waits.items()}
            most = max(times.values())
            longest = [i for i, time in times.items() if time == most]
            whose = f"worker {longest[0]} waits the longest, {{time}}"
            if len(longest) > 1:
                whose = "none waits longer than {time}"
            return Sentence(
                f"A worker waits for {{mean_idle %}} of the time on average; {whose}.",
                time=self.lasting(most),
            )
        targets = {by for mine in waits.values() for by, _ in mine}
        target = next(iter(targets)) if len(targets) == 1 else None
        return self._waits_for(target) if target else self._waits_for_several()

    def _share(self, worker: int) -> Expr:
        """The share of its time that *worker* waits."""
        return Num(self.run.share(sum(time for _, time in self.waits[worker])))

    @property
    def _idle(self) -> str:
        """Who never waits, as a last clause."""
        idle = [i for i in range(1, self.workers + 1) if i not in self.waits]
        if not idle:
            return ""
        return f"; {workers_of(idle)} never {'waits' if len(idle) == 1 else 'wait'}"

    def _waits_for(self, target: int) -> Said:
        """Who waits how long, all of them for one worker, the *target*."""
        slots: dict[str, Expr] = {}
        parts: list[str] = []
        for worker, mine in self.waits.items():
            slots[f"t{worker}"], slots[f"s{worker}"] = self.lasting(mine[0][1]), self._share(worker)
            of_time = "" if parts else " of the time"
            clause = f"{{s{worker} %}}{of_time} ({{t{worker}}})"
            parts.append(f"worker {worker}{'' if parts else ' waits'} {clause}")
        together = {1: "", 2: ", both"}.get(len(parts), ", all")
        alone = len(parts) == self.workers - 1
        idle = ", which never waits" if alone and target not in self.waits else self._idle
        words = f"{listed(parts)}{together} for worker {target}{idle}."
        return Sentence(capital(words), None, **slots)

    def _waits_for_several(self) -> Said:
        """Who waits how long for whom; those that do the same in one clause."""
        slots: dict[str, Expr] = {}
        clauses: list[str] = []
        alike: dict[tuple[tuple[int | None, Time], ...], list[int]] = {}
        for worker, mine in self.waits.items():
            alike.setdefault(tuple(mine), []).append(worker)
        for signature, whose in alike.items():
            shown = []
            for place, (by, time) in enumerate(signature[:WHOM]):
                slots[f"t{whose[0]}_{place}"] = self.lasting(time)
                whom = "at the end" if by == 0 else f"for worker {by}" if by else "for the server"
                shown.append(f"{{t{whose[0]}_{place}}} {whom}")
            if rest := sum(time for _, time in signature[WHOM:]):
                slots[f"r{whose[0]}"] = self.lasting(rest)
                shown.append(f"{{r{whose[0]}}} besides")
            wait = "waits" if len(whose) == 1 else "each wait"
            slots[f"s{whose[0]}"] = self._share(whose[0])
            of_time = "" if clauses else " of the time"
            clauses.append(
                f"{workers_of(whose)} {wait} {listed(shown)} ({{s{whose[0]} %}}{of_time})"
            )
        return Sentence(capital(f"{'; '.join(clauses)}{self._idle}."), None, **slots)

    def _stale(self) -> Iterator[Said]:
        if self.run.stalest == 0:
            yield "No gradient is stale."
        elif self.run.stalest:
            yield Sentence(
                "A gradient is {mean_staleness update} stale on average, {max_staleness} at most."
            )

    def _others(self) -> Iterator[Said]:
        if self.waiting and self.free:
            yield Sentence(
                "In the same time synchronous workers would use {waiting gradient}, asynchronous"
                " ones {free}.",
                waiting=Num(self.waiting.counted.used), free=Num(self.free.counted.used),
            )  # fmt: skip

    # What it means

    def insights(self) -> Iterator[Said]:
        """At most three."""
        scheme, tally = self.run.scheme, self.run.counted
        if self.workers == 1 or not tally.used:
            return
        if scheme.bound is not None:
            yield from self._head_start()
        elif not scheme.rounds:
            yield from self._leaning()
            yield from self._limit()
        else:
            yield from self._in_vain()
            yield from self._paced()

    def _head_start(self) -> Iterator[Said]:
        """What a bound on staleness gains, and for how long."""
        run, workload, waiting = self.run, self.run.workload, self.waiting
        bound = run.scheme.bound
        assert bound is not None
        if not any(day.held for day in self.days):
            free, what = self.free, "makes anybody wait here"
            if free and (free.staleness, free.counted.used) == (run.staleness, run.counted.used):
                what = "holds anybody up here: without it the same would happen"
            yield f"The bound never {what}."  # a wait of no time may let others write first
            return
        plain = is_steady(workload.times) and not workload.queues and not any(workload.starts)
        if waiting is None or not plain or len(set(workload.times.means)) == 1:
            yield from self._kept()
            return
        gain = run.counted.used - waiting.counted.used
        yield Sentence(
            "Where the same workers are always the slowest, a bound gains only a head start, once:"
            " {gain gradient} more than synchronous here, and never more than {most}, however long"
            " the run.",
            gain=Num(gain), most=Num((self.workers - 1) * (bound + 1)),
        ) if gain > 0 else Sentence(
            "The bound gains nothing over synchronous workers here; however long the run, it never"
            " gains more than a head start of {most gradient}.",
            most=Num((self.workers - 1) * (bound + 1)),
        )  # fmt: skip
        yield (
            "A bound can pay where slowness moves from worker to worker: whoever is ahead works on"
            " while another one catches up."
        )

    def _kept(self) -> Iterator[Said]:
        """How much of the asynchronous speed a bound keeps, and for what staleness."""
        run, free = self.run, self.free
        if free and run.staleness is not None and free.staleness is not None:
            share = Fraction(run.counted.used, free.counted.used or 1)
            if share < 1 and run.staleness < free.staleness:
                yield Sentence(
                    "The bound keeps {share %} of the asynchronous gradients, and the mean"
                    " staleness at {mine} instead of {theirs}.",
                    share=Num(share), mine=Num(run.staleness), theirs=Num(free.staleness),
                )  # fmt: skip

    def _leaning(self) -> Iterator[Said]:
        """Whose work an asynchronous run mostly is."""
        clocks, all_of_them = self.clocks, sum(self.clocks)
        fast = max(range(self.workers), key=clocks.__getitem__)
        alone = clocks.count(clocks[fast]) == 1 and clocks[fast] < all_of_them
        if alone and 2 * clocks[fast] * self.workers > 3 * all_of_them:
            yield Sentence(
                "{many} of the {all gradient} finished come from worker {fast}: where workers hold"
                " different data, its data count most.",
                many=Num(clocks[fast]), all=Num(all_of_them), fast=Num(fast + 1),
            )  # fmt: skip

    def _limit(self) -> Iterator[Said]:
        """Where the mean staleness of asynchronous workers goes."""
        workload = self.run.workload
        behind = workload.down and workload.read == "start"
        if workload.order != "in_turn" or behind or workload.aggregate or workload.update:
            return
        yield Sentence(
            "In a long run the mean staleness tends to {others}, whatever the speeds:"
            " every update falls between read and write of one gradient of each other"
            " worker.",
            others=Num(self.workers - 1),
        )

    def _in_vain(self) -> Iterator[Said]:
        """What part of the workers' time counts, and who never contributes."""
        run, tally = self.run, self.run.counted
        if not is_whole(run) or not tally.end:
            return
        counts = sum(g.end - g.start for g in tally.first if g.update > 0)
        if run.unused:
            share = Fraction(run.share(counts)) / self.workers
            yield Sentence(
                "Only {counts} of the {whole} of all workers together ({share %}) are spent on"
                " gradients that are used.",
                counts=self.lasting(counts), whole=self.workers * DURATION, share=Num(share),
            )  # fmt: skip
        never = [i for i, used in enumerate(contributions(run), 1) if not used]
        if never and len(never) <= NAMED:
            plural = len(never) > 1
            idle = [i for i in never if i in self.waits]
            busy = "" if idle else f" {'compute' if plural else 'computes'} all the time, but"
            busy = (
                ""
                if any(day.moves or day.served for day in self.days) or any(run.workload.starts)
                else busy
            )
            yield capital(
                f"{workers_of(never)}{busy} {'get' if plural else 'gets'} no gradient into the"
                f" parameters: so far {'their' if plural else 'its'} data count for nothing."
            )

    def _paced(self) -> Iterator[Said]:
        """What the slowest worker costs."""
        free, scheme, all_of_them = self.free, self.run.scheme, self.waiting
        if free and free.counted.used > self.run.counted.used:
            partly = scheme.wait_for < self.workers and all_of_them
            yield Sentence(
                "In the same time a server that waits for all would use {all gradient}, one that"
                " waits for nobody {free}, up to {stale update} stale."
                if partly
                else "Without waiting (async) the same workers would use {free gradient} in that"
                " time, up to {stale update} stale.",
                free=Num(free.counted.used), stale=Num(free.stalest or 0),
                all=Num(all_of_them.counted.used if all_of_them else 0),
            )  # fmt: skip
        steady = is_steady(self.run.workload.times)
        uneven = len(set(self.run.workload.times.means)) > 1 and any(day.held for day in self.days)
        if scheme.local_steps > 1 and steady and uneven:
            yield Sentence(
                "Averaging only after every {steps step} saves messages, not waiting: the slowest"
                " worker is the same in every step.", steps=Num(scheme.local_steps),
            )  # fmt: skip

    # A second way

    def crosschecks(self) -> Iterator[Crosscheck]:
        """Computing and waiting fill the time of all workers, where nothing else takes any."""
        run, workload = self.run, self.run.workload
        moving = workload.down or workload.up or any(workload.starts)
        if moving or not is_steady(workload.times) or self.workers > NAMED:
            return
        end = run.counted.end
        under_way = any(g.data and g.start < end < g.end for g in run.counted.pending)
        stopped = any(g.update == INTERRUPTED for g in run.counted.first)
        if under_way or stopped or run.counted.interrupted or not any(self.clocks):
            return
        whole = self.workers * Fraction(run.duration)
        times = map(Fraction, workload.times.means)
        terms: list[Expr] = [
            Mul((Num(clock), Num(_plain(time))))
            for clock, time in zip(self.clocks, times, strict=True)
            if clock
        ]
        waited = run.seconds(sum(day.held + day.served for day in self.days))
        if not waited:
            return
        sum_of = Add((*terms, Num(waited)))
        n = f"all {self.workers} workers" if self.workers > 1 else "the worker"
        yield Crosscheck(
            f"computing and waiting fill the time of {n}, in seconds",
            same(sum_of, Num(_plain(whole))),
        )


def premises(run: Run) -> Iterator[Premise]:
    """What is taken for granted in *run*."""
    workload = run.workload
    adds = workload.aggregate or workload.update
    if workload.down or workload.up:
        yield Premise("each worker has a link of its own to the server")
    elif not adds:
        yield Premise("sending and adding take no time", "download")
    else:
        yield Premise("sending takes no time", "download")
    if not adds and (workload.down or workload.up):
        yield Premise("the server adds gradients in no time", "aggregation")
    if is_steady(workload.times):
        yield Premise("a worker always takes the same time for a gradient", "distribution")
    if workload.horizon is not None:
        gap = spacing(run) if run.scheme.rounds else None
        last = gap is not None and gap * run.counted.updates == run.duration
        fewer = " (else there is one update fewer)" if last else ""
        yield Premise(f"what ends exactly when the run ends counts{fewer}")


def _plain(value: Fraction) -> Number:
    return int(value) if value.denominator == 1 else value


def listed(parts: Sequence[str]) -> str:
    """a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def capital(words: str) -> str:
    """The same *words* with a capital letter in front."""
    return words[:1].upper() + words[1:]
