"""What an experiment has found, in words and tables: also that something was not to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.ask.report import Report
from ddcalc.ask.solve import givens
from ddcalc.display import number_text, quantity_text
from ddcalc.experiment import curves, standing
from ddcalc.experiment.estimate import Estimate, plain
from ddcalc.experiment.standing import Measure, Results, Standing, difference, ratio
from ddcalc.experiment.tuning import Tuning
from ddcalc.stated import Stated
from ddcalc.steps import State, Step, Table
from ddcalc.units import PERCENT

NONE = "—"
EFFECTS: tuple[tuple[str, Measure, int], ...] = (  # a measure, and whether less (−1) is better
    ("time to the target [s]", standing.time, -1),
    ("updates to the target", standing.updates, -1),
    ("loss at the end", standing.loss, -1),
    ("accuracy at the end [%]", standing.accuracy, 1),
)


def report(results: Results, stated: Stated, tuning: Tuning | None) -> Report:
    """The findings page of *results*, whose step sizes are stated or come from a *tuning*."""
    setting = results.setting
    steps: list[Step] = [*_givens(stated, tuning)]
    steps += [] if tuning is None else [_sizes(tuning)]
    steps += [_to_target(results), _speed_up(results), _at_the_end(results), _gradients(results)]
    steps += [_differences(results), *_reuse(results), curves.table(results)]
    count = len(results.standings)
    title = f"Which of {count} schemes comes first to {_target(results)} on {results.data.name}?"
    edge = [("Edge", _edge(tuning))] if tuning is not None and tuning.at_the_edge else []
    remarks = (*_notes(results), *edge, ("Model", _model(results)), ("Data", _data(results)))
    remarks += (("Readings", _readings(setting.reading)),)
    return Report(title, tuple(steps), answer(results), remarks)


def answer(results: Results) -> str:
    """Who came first, and whether that is more than chance."""
    target, seeds = _target(results), _seeds(results)
    whole = [each for each in results.standings if each.hits == len(each.runs)]
    if not whole:
        told = f"no scheme reached {target} with every seed within the passes over the data"
        best = max(results.standings, key=lambda each: max(_rights(each)))
        most = plain(100 * max(_rights(best)) / best.tests)
        return f"{told}; the best accuracy was {most} % ({best.contender.name})"
    first, *others = sorted(whole, key=_mean_time)
    told = f"{first.contender.name} came first to {target}, after {plain(_mean_time(first))} s"
    near = [each for each in others if not _shown(each, first)]
    if not near:
        return f"{told} on average of {seeds}"
    return f"{told} on average of {seeds}; no difference could be shown from: {_joined(near)}"


def _givens(stated: Stated, tuning: Tuning | None) -> Iterator[State]:
    """What is stated; the step size by the sizes it is chosen of."""
    for step in givens(stated):
        if tuning is None or step.name != "step_size":
            yield step
            continue
        sizes = ", ".join(number_text(size)[0] for size in tuning.sizes)
        title = f"{step.title}, chosen for each scheme"
        yield State(step.name, step.symbol, title, step.unit, None, word=sizes)


def _sizes(tuning: Tuning) -> Table:
    """How each scheme fares with each step size."""
    header = ("scheme", *(f"η = {number_text(size)[0]}" for size in tuning.sizes), "chosen")
    why = (
        "mean time to the target in seconds (in brackets: how many seeds of those tried reached"
        f" it, where not all); {len(tuning.tried[0][0].runs)} seeds that are not compared below"
    )
    rows = tuple(
        (chosen.name, *map(_try, tried), number_text(chosen.step or 0)[0])
        for chosen, tried in zip(tuning.chosen, tuning.tried, strict=True)
    )
    return Table("Step sizes", why, header, rows)


def _try(each: Standing) -> str:
    found = each.of(standing.time)
    told = NONE if found is None else plain(found.mean)
    return told if each.hits == len(each.runs) else f"{told} ({each.hits})"


def _edge(tuning: Tuning) -> str:
    """Whose best step size is the first or the last one tried."""
    told = "; ".join(
        f"{each.name} (η = {number_text(each.step or 0)[0]})" for each in tuning.at_the_edge
    )
    return f"best with the least or largest size tried, so others may be better still: {told}"


def _to_target(results: Results) -> Table:
    header = ("scheme", "reached", "time [s]", "updates")
    why = "mean ± standard deviation over the runs that reached it"
    rows = tuple(
        (
            each.contender.name,
            f"{each.hits} of {len(each.runs)}",
            _mean(each.of(standing.time)),
            _mean(each.of(standing.updates)),
        )
        for each in results.standings
    )
    return Table(f"Time and updates to {_target(results)}", why, header, rows)


def _speed_up(results: Results) -> Table:
    header = ("scheme", "than one worker", "than sync")
    why = "time to the target: mean ± standard deviation of the seeds' ratios"
    rows = tuple(
        (
            each.contender.name,
            *(_mean(ratio(base, each, standing.time)) for base in (results.alone, results.sync)),
        )
        for each in results.standings
    )
    return Table("How many times faster", why, header, rows)


def _at_the_end(results: Results) -> Table:
    header = ("scheme", "time [s]", "loss", "accuracy [%]")
    passes = number_text(results.setting.whole("epochs"))[0]
    why = f"after gradients of {passes} passes over the data: mean ± standard deviation"
    measures = (standing.ended, standing.loss, standing.accuracy)
    rows = tuple(
        (each.contender.name, *(_mean(each.of(measure)) for measure in measures))
        for each in results.standings
    )
    return Table("At the end", why, header, rows)


def _gradients(results: Results) -> Table:
    header = ("scheme", "mean staleness", "largest", "lost [%]")
    why = (
        "staleness: the updates between the parameters of a gradient and its own update; lost are"
        " gradients in no update"
    )
    rows = []
    for each in results.standings:
        mean, lost = each.of(standing.staleness), each.of(standing.lost)
        largest = max(run.stalest for run in each.runs.values())
        told = (NONE if found is None else plain(found.mean) for found in (mean, lost))
        cells = [each.contender.name, *told]
        rows.append((*cells[:2], number_text(largest)[0], cells[2]))
    return Table("Gradients", why, header, tuple(rows))


def _differences(results: Results) -> Table:
    header = ("scheme", "seeds", "difference [s]", "finding")
    why = (
        "time to the target minus that of sync, seed by seed: the mean ± its standard error; a"
        " difference is shown where 0 is outside of its 95 % interval (Student's t); others may be"
        " there, but so many seeds cannot show them"
    )
    rows = []
    for each in results.standings:
        if each is not results.sync:
            found = difference(each, results.sync, standing.time)
            rows.append((each.contender.name, *_shows(found, -1, len(each.runs))))
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


def _shows(found: Estimate | None, better: int, seeds: int) -> tuple[str, str, str]:
    """The cells of a difference; *better* is the sign of one that is good."""
    if found is None:
        return "0", NONE, "no seed reached it with both"
    words = {better: "better", -better: "worse", 0: "no difference shown"}
    told = words[found.shown] if found.count > 1 else "one seed has no spread"
    if found.count < seeds:
        told += f" ({seeds - found.count} missing)"
    return str(found.count), found.told_with_error, told


def _notes(results: Results) -> Iterator[tuple[str, str]]:
    """What is to be said of the findings."""
    for one, other in results.reused:
        yield "Reuse", _reuse_told(one, other)
    yield from _failed(results)
    batches = results.setting.interval(results.data)
    every = "every global batch" if batches == 1 else f"every {batches} global batches"
    yield "Looks", f"the accuracy is looked at after {every}; the target counts from the look on"
    yield "Chance", "of twenty comparisons of what does not differ, about one shows a difference"
    partial = [each for each in results.standings if each.contender.kind in ("drop", "cancel")]
    if partial and results.setting.reading["step_for"] == "gradient":
        told = "an update of K gradients makes K/n of a step; a whole one: --step-for update"
        yield "Steps", f"{_joined(partial)}: {told}"
    small = [each for each in results.standings if each.contender.compression is not None]
    if small and not results.setting.given.get("upload"):
        told = "smaller messages save no time where sending takes none; state it: --upload"
        yield "Messages", f"{_joined(small)}: {told}"


def _failed(results: Results) -> Iterator[tuple[str, str]]:
    """Which runs diverged, and which did not reach the target."""
    diverged, missed = [], []
    for each in results.standings:
        lost = sum(run.diverged for run in each.runs.values())
        late = len(each.runs) - each.hits - lost
        of_all = f"of {len(each.runs)} ({each.contender.name})"
        diverged += [f"{lost} {of_all}"] if lost else []
        missed += [f"{late} {of_all}"] if late > 0 else []
    if diverged:
        yield "Diverged", f"runs that ended so: {'; '.join(diverged)}; a smaller step helps"
    if missed:
        told = f"runs that did not reach {_target(results)}: {'; '.join(missed)}"
        yield "Missed", f"{told}; longer runs: --epochs"


def _reuse_told(one: Standing, other: Standing) -> str:
    """Whether reuse has helped, with the numbers."""
    found = difference(one, other, standing.time)
    names = f"{one.contender.name} against {other.contender.name}"
    if found is None or found.count < 2:
        return f"{names}: too few runs reached the target with both to tell"
    interval = f"{found.told_with_error} s over {found.count} seeds (mean ± standard error)"
    if found.shown < 0:
        return f"reusing late gradients helps here: {names} {interval}"
    if found.shown > 0:
        return f"reusing late gradients does harm here: {names} {interval}"
    told = f"no difference that {found.count} seeds could show"
    return f"reusing late gradients does not visibly help here: {names} {interval}, {told}"


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
    train, test = (number_text(len(each))[0] for each in (data.labels, data.test_labels))
    return f"{data.name}: {train} samples to train with, {test} to test"


def _readings(reading: dict[str, str]) -> str:
    from ddcalc.experiment.setting import Experiment

    told = (Experiment.choices[name].options[option] for name, option in reading.items())
    return "; ".join(told)


def _target(results: Results) -> str:
    return f"{quantity_text(results.setting.number('target'), PERCENT)} accuracy"


def _seeds(results: Results) -> str:
    count = len(results.setting.seeds)
    return "1 seed" if count == 1 else f"{count} seeds"


def _joined(standings: Sequence[Standing]) -> str:
    """The names of *standings*; some have commas."""
    return "; ".join(each.contender.name for each in standings)


def _mean(found: Estimate | None) -> str:
    return NONE if found is None else found.told


def _mean_time(each: Standing) -> float:
    found = each.of(standing.time)
    assert found is not None
    return found.mean


def _shown(each: Standing, first: Standing) -> bool:
    found = difference(each, first, standing.time)
    return found is not None and found.shown > 0


def _rights(each: Standing) -> list[int]:
    return [point.right for run in each.runs.values() for point in run.points]
