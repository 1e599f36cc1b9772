"""What an experiment has found, in words, tables and a chart: also that something was not seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import attrgetter
from statistics import fmean

from ddcalc.ask.solve import givens
from ddcalc.ask.sweep.views import LINES
from ddcalc.experiment.setting import READ, TIMELINE, Experiment, Setting
from ddcalc.experiment.standings import (
    Estimate,
    Measure,
    Results,
    Standing,
    Tuning,
    difference,
    plain,
    ratio,
)
from ddcalc.numbers.amounts import amount_text, count_text
from ddcalc.numbers.display import counted
from ddcalc.numbers.units import PERCENT
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Chart, Curve, Dot, Report, Scale, State, Step, Table

PLACES = 100  # on the scale of time
TIMES = 5  # in the table
HIGH = 1.2  # times the loss at the start: what is above would press all else to the ground
NONE = "—"
_time = attrgetter("time")
Cells = Callable[[Standing], Sequence[str]]
EFFECTS: tuple[tuple[str, Measure, int], ...] = (  # a measure, and whether less (−1) is better
    ("time to the target [s]", Standing.time, -1),
    ("updates to the target", Standing.updates, -1),
    ("loss at the end", Standing.loss, -1),
    ("accuracy at the end [%]", Standing.accuracy, 1),
)


def report(results: Results, stated: Stated, tuning: Tuning | None) -> Report:
    """The findings page of *results*, whose step sizes are stated or come from a *tuning*."""
    steps: list[Step] = [*_givens(stated, tuning)]
    steps += [] if tuning is None else [_sizes(tuning)]
    steps += [*_tables(results), _differences(results), *_reuse(results), _losses(results)]
    count = len(results.standings)
    title = f"Which of {count} schemes comes first to {target(results)} on {results.data.name}?"
    return Report(title, tuple(steps), answer(results), tuple(remarks(results, tuning)))


def answer(results: Results) -> str:
    """Who came first, and whether that is more than chance."""
    wanted, seeds = target(results), counted(len(results.setting.seeds), "seed")
    whole = [standing for standing in results.standings if standing.hits == len(standing.runs)]
    if not whole:
        missed = f"no scheme reached {wanted} with every seed within the passes over the data"
        best = max(results.standings, key=lambda standing: max(_rights(standing)))
        most = plain(100 * max(_rights(best)) / best.tests)
        return f"{missed}; the best accuracy was {most} % ({best.contender.name})"
    first, *others = sorted(whole, key=_mean_time)
    winner = f"{first.contender.name} came first to {wanted}, after {plain(_mean_time(first))} s"
    near = [standing for standing in others if not _shown(standing, first)]
    if len(results.setting.seeds) == 1:
        return f"{winner} with the only seed, which can show no difference"
    if not near:
        return f"{winner} on average of {seeds}"
    return f"{winner} on average of {seeds}; no difference could be shown from: {joined(near)}"


def _givens(stated: Stated, tuning: Tuning | None) -> Iterator[State]:
    """What is stated; the step size by the sizes it is chosen of."""
    for step in givens(stated):
        if tuning is None or step.name != "step_size":
            yield step
            continue
        sizes = ", ".join(count_text(size) for size in tuning.sizes)
        title = f"{step.title}, chosen for each scheme"
        yield State(step.name, step.symbol, title, step.unit, None, word=sizes)


def _sizes(tuning: Tuning) -> Table:
    """How each scheme fares with each step size."""
    header = ("scheme", *(f"η = {count_text(size)}" for size in tuning.sizes), "chosen")
    why = (
        "mean time to the target in seconds (in brackets: how many seeds of those tried reached"
        f" it, where not all); {len(tuning.tried[0][0].runs)} seeds that are not compared below"
    )
    rows = tuple(
        (chosen.name, *map(_try, tried), count_text(chosen.step or 0))
        for chosen, tried in zip(tuning.chosen, tuning.tried, strict=True)
    )
    return Table("Step sizes", why, header, rows)


def _try(standing: Standing) -> str:
    time = standing.of(Standing.time)
    mean = _cell(time)
    return mean if standing.hits == len(standing.runs) else f"{mean} ({standing.hits})"


def _table(
    results: Results,
    title: str,
    why: str,
    header: Sequence[str],
    cells: Cells,
) -> Table:
    """A table with a row for each scheme."""
    rows = tuple((one.contender.name, *cells(one)) for one in results.standings)
    return Table(title, why, ("scheme", *header), rows)


def _tables(results: Results) -> Iterator[Table]:
    yield _table(
        results,
        f"Time and updates to {target(results)}",
        "mean ± standard deviation over the runs that reached it",
        ("reached", "time [s]", "updates"),
        lambda one: (
            f"{one.hits} of {len(one.runs)}",
            *(_mean(one.of(measure)) for measure in (Standing.time, Standing.updates)),
        ),
    )
    bases = (results.alone, results.sync)
    yield _table(
        results,
        "How many times faster",
        "time to the target: mean ± standard deviation of the seeds' ratios",
        ("than one worker", "than sync"),
        lambda one: [_mean(ratio(base, one, Standing.time)) for base in bases],
    )
    passes = count_text(results.setting.whole("epochs"))
    measures = (Standing.ended, Standing.loss, Standing.accuracy)
    yield _table(
        results,
        "At the end",
        f"after gradients of {passes} passes over the data: mean ± standard deviation",
        ("time [s]", "loss", "accuracy [%]"),
        lambda one: [_mean(one.of(measure)) for measure in measures],
    )
    yield _table(
        results,
        "Gradients",
        "staleness: the updates between the parameters of a gradient and its own update; lost are"
        " gradients in no update",
        ("mean staleness", "largest", "lost [%]"),
        lambda one: (
            _cell(one.of(Standing.staleness)),
            count_text(max(run.stalest for run in one.runs.values())),
            _cell(one.of(Standing.lost)),
        ),
    )


def _differences(results: Results) -> Table:
    header = ("scheme", "seeds", "difference [s]", "finding")
    why = (
        "time to the target minus that of sync, seed by seed: the mean ± its standard error; a"
        " difference is shown where 0 is outside of its 95 % interval (Student's t); others may be"
        " there, but so many seeds cannot show them"
    )
    rows = []
    for standing in results.standings:
        if standing is not results.sync:
            gain = difference(standing, results.sync, Standing.time)
            rows.append((standing.contender.name, *_shows(gain, -1, len(standing.runs))))
    return Table("Against sync, seed by seed", why, header, tuple(rows))


def _reuse(results: Results) -> Iterator[Table]:
    header = ("measure", "seeds", "difference", "finding")
    for one, other in results.reused:
        names = f"{one.contender.name} against {other.contender.name}"
        why = "what using late gradients instead of dropping them changes, seed by seed"
        rows = tuple(
            (name, *_shows(difference(one, other, measure), sign, len(one.runs)))
            for name, measure, sign in EFFECTS
        )
        yield Table(f"Reuse: {names}", why, header, rows)


def _shows(difference: Estimate | None, better: int, seeds: int) -> tuple[str, str, str]:
    """The cells of a *difference*; *better* is the sign of one that is good."""
    if difference is None:
        return "0", NONE, "no seed reached it with both"
    words = {better: "better", -better: "worse", 0: "no difference shown"}
    count = difference.count
    finding = words[difference.shown] if count > 1 else "one seed has no spread"
    if count < seeds:
        finding += f" ({seeds - count} missing)"
    return str(count), difference.with_error, finding


def _mean(estimate: Estimate | None) -> str:
    return NONE if estimate is None else estimate.with_deviation


def _mean_time(standing: Standing) -> float:
    time = standing.of(Standing.time)
    assert time is not None
    return time.mean


def _shown(standing: Standing, first: Standing) -> bool:
    behind = difference(standing, first, Standing.time)
    return behind is not None and behind.shown > 0


def _rights(standing: Standing) -> list[int]:
    return [point.right for run in standing.runs.values() for point in run.points]


def chart(results: Results) -> Chart:
    """The mean loss of each scheme by time; one worker, who takes longest, is left out first.

    Losses far above the one at the start are left out, too, and the scale says so.
    """
    drawn = [standing for standing in results.standings if standing is not results.alone][:LINES]
    start = fmean(run.points[0].loss for run in results.sync.runs.values())  # of all schemes alike
    last, most = _last(results), HIGH * start
    dots = [tuple(_dots(standing, last)) for standing in drawn]
    low = [tuple(dot if dot and dot.y <= most else None for dot in row) for row in dots]
    names = (standing.contender.name for standing in drawn)
    curves = tuple(map(Curve, names, low))
    scale = Scale("loss" if low == dots else f"loss (above {plain(most)} not drawn)", "")
    left = len(results.standings) - 1 - len(drawn)
    title = f"Loss by virtual time: {results.data.name}, {len(results.setting.seeds)} seeds"
    return Chart(title, Scale("time", "s"), scale, curves, None, left)


def _losses(results: Results) -> Table:
    """The mean loss of each scheme at some times."""
    last = _last(results)
    times = [last * i / TIMES for i in range(1, TIMES + 1)]
    return _table(
        results,
        "Loss on training samples by virtual time",
        "mean over the seeds, at the last look by each time; a run that has ended keeps its last",
        [f"{plain(time)} s" for time in times],
        lambda one: [_cell(loss_at(one, time)) for time in times],
    )


def loss_at(standing: Standing, time: float) -> float | None:
    """The mean loss at the last look before a *time*; None where a run has ended or diverged."""
    losses = []
    for run in standing.runs.values():
        at = bisect_right(run.points, time, key=_time) - 1
        if run.points[-1].time < time and run.diverged:
            return None
        losses.append(run.points[at].loss)
    return fmean(losses)


def _last(results: Results) -> float:
    """The time (s) up to which losses are shown: the mean end of sync."""
    end = results.sync.of(Standing.ended)
    assert end is not None
    return end.mean


def _dots(standing: Standing, last: float) -> Iterator[Dot | None]:
    ends = max(run.points[-1].time for run in standing.runs.values())
    for i in range(PLACES + 1):
        time = last * i / PLACES
        if time > ends and last * (i - 1) / PLACES > ends:
            return
        loss = loss_at(standing, time)
        if loss is None:
            yield None
            continue
        words = f"{standing.contender.name}, {plain(time)} s: loss {plain(loss)}"
        yield Dot(Fraction(time), Fraction(loss), words)


def _cell(value: Estimate | float | None) -> str:
    """*value*, or the mean of an estimate, in three digits."""
    if value is None:
        return NONE
    return plain(value.mean if isinstance(value, Estimate) else value)


def remarks(results: Results, tuning: Tuning | None) -> Iterator[tuple[str, str]]:
    """Whether reuse helped, which runs failed, how it was measured, on what; each with a label."""
    yield from _notes(results)
    if tuning is None:
        yield "Sizes", "all have the same step size; each may do better with its own: --tune"
    elif tuning.at_the_edge:
        yield "Edge", _edge(tuning)
    yield "Model", _model(results)
    yield "Data", _data(results)
    yield "Readings", _readings(results.setting)


def target(results: Results) -> str:
    """The accuracy to reach."""
    return f"{amount_text(results.setting.number('target'), PERCENT)} accuracy"


def joined(standings: Sequence[Standing]) -> str:
    """The names of *standings*; some have commas."""
    return "; ".join(standing.contender.name for standing in standings)


def _notes(results: Results) -> Iterator[tuple[str, str]]:
    """Remarks on the findings."""
    for one, other in results.reused:
        yield "Reuse", _reuse_remark(one, other)
    yield from _failed(results)
    batches = results.setting.interval(results.data)
    every = "every global batch" if batches == 1 else f"every {batches} global batches"
    yield "Looks", f"accuracy is evaluated after {every}, and the target counts from then"
    yield "Chance", "about 1 in 20 comparisons shows a difference by chance alone"
    partial = [
        standing for standing in results.standings if standing.contender.kind in ("drop", "cancel")
    ]
    if partial and results.setting.reading["step_for"] == "gradient":
        steps = "an update of K gradients makes K/n of a step; a whole one: --step-for update"
        yield "Steps", f"{joined(partial)}: {steps}"
    yield from _longer(results)
    small = [
        standing for standing in results.standings if standing.contender.compression is not None
    ]
    if small and not results.setting.given.get("upload"):
        free = "smaller messages save no time where sending takes none; state it: --upload"
        yield "Messages", f"{joined(small)}: {free}"


def _longer(results: Results) -> Iterator[tuple[str, str]]:
    """Whose runs are longer than those of the others, since they end with an average."""
    samples = len(results.data.labels) * results.setting.whole("epochs")
    steps = -(-samples // results.setting.whole("batch"))
    for standing in results.standings:
        local = standing.contender.scheme.local_steps
        if more := -steps % local:
            longer = (
                f"{standing.contender.name}: a run ends with an average, so after"
                f" {count_text(steps + more)} steps of each worker instead of"
                f" {count_text(steps)}; what it has at the end took that much more training"
            )
            yield "Longer", longer


def _failed(results: Results) -> Iterator[tuple[str, str]]:
    """Which runs diverged, and which did not reach the target."""
    diverged, missed = [], []
    for standing in results.standings:
        lost = sum(run.diverged for run in standing.runs.values())
        late = len(standing.runs) - standing.hits - lost
        of_all = f"of {len(standing.runs)} ({standing.contender.name})"
        diverged += [f"{lost} {of_all}"] if lost else []
        missed += [f"{late} {of_all}"] if late > 0 else []
    if diverged:
        yield "Diverged", f"runs that ended so: {'; '.join(diverged)}; a smaller step helps"
    if missed:
        runs = f"runs that did not reach {target(results)}: {'; '.join(missed)}"
        yield "Missed", f"{runs}; longer runs: --epochs"


def _reuse_remark(one: Standing, other: Standing) -> str:
    """Whether reuse has helped, with the numbers."""
    gain = difference(one, other, Standing.time)
    names = f"{one.contender.name} against {other.contender.name}"
    if gain is None or gain.count < 2:
        return f"{names}: too few runs reached the target with both to tell"
    interval = f"{gain.with_error} s over {gain.count} seeds (mean ± standard error)"
    if gain.shown < 0:
        return f"reusing late gradients helps here: {names} {interval}"
    if gain.shown > 0:
        return f"reusing late gradients does harm here: {names} {interval}"
    chance = f"no difference that {gain.count} seeds could show"
    return f"reusing late gradients does not visibly help here: {names} {interval}, {chance}"


def _model(results: Results) -> str:
    hidden, classes = results.setting.hidden, results.data.classes
    if results.setting.model == "lenet":
        return (
            "LeNet-5 (PyTorch): 6 and 16 filters of 5 x 5, each with means of 2 x 2 behind, then"
            f" 120, 84 and {classes} units; images are enlarged by a whole factor and framed with"
            " zeros to 32 x 32 pixels"
        )
    if not hidden:
        return f"softmax regression, {results.data.features} inputs and {classes} classes"
    layers = "-".join(map(str, (*hidden, classes)))
    return f"fully connected network with layers of {layers} units, {results.data.features} inputs"


def _data(results: Results) -> str:
    data = results.data
    train, test = (count_text(len(standing)) for standing in (data.labels, data.test_labels))
    return f"{data.name}: {train} samples to train with, {test} to test"


def _readings(setting: Setting) -> str:
    words = [Experiment.choices[name].options[option] for name, option in setting.reading.items()]
    if setting.given.get("download"):
        words.append(TIMELINE.choices["read"].options[READ])
    return "; ".join(words)


def _edge(tuning: Tuning) -> str:
    """Whose best step size is the first or the last one tried."""
    names = "; ".join(
        f"{standing.name} (η = {count_text(standing.step or 0)})" for standing in tuning.at_the_edge
    )
    return f"best with the least or largest size tried, so others may be better still: {names}"
