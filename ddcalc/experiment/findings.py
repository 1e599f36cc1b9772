"""What an experiment has found, in words and tables: also that something was not to be seen."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.ask.solve import givens
from ddcalc.experiment import curves, standing
from ddcalc.experiment.estimate import Estimate, plain
from ddcalc.experiment.remarks import joined, remarks, target
from ddcalc.experiment.standing import Measure, Results, Standing, difference, ratio
from ddcalc.experiment.tuning import Tuning
from ddcalc.numbers.display import number_text
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Report, State, Step, Table

NONE = "—"
EFFECTS: tuple[tuple[str, Measure, int], ...] = (  # a measure, and whether less (−1) is better
    ("time to the target [s]", standing.time, -1),
    ("updates to the target", standing.updates, -1),
    ("loss at the end", standing.loss, -1),
    ("accuracy at the end [%]", standing.accuracy, 1),
)


def report(results: Results, stated: Stated, tuning: Tuning | None) -> Report:
    """The findings page of *results*, whose step sizes are stated or come from a *tuning*."""
    steps: list[Step] = [*_givens(stated, tuning)]
    steps += [] if tuning is None else [_sizes(tuning)]
    steps += [_to_target(results), _speed_up(results), _at_the_end(results), _gradients(results)]
    steps += [_differences(results), *_reuse(results), curves.table(results)]
    count = len(results.standings)
    title = f"Which of {count} schemes comes first to {target(results)} on {results.data.name}?"
    return Report(title, tuple(steps), answer(results), tuple(remarks(results, tuning)))


def answer(results: Results) -> str:
    """Who came first, and whether that is more than chance."""
    wanted, seeds = target(results), _seeds(results)
    whole = [each for each in results.standings if each.hits == len(each.runs)]
    if not whole:
        told = f"no scheme reached {wanted} with every seed within the passes over the data"
        best = max(results.standings, key=lambda each: max(_rights(each)))
        most = plain(100 * max(_rights(best)) / best.tests)
        return f"{told}; the best accuracy was {most} % ({best.contender.name})"
    first, *others = sorted(whole, key=_mean_time)
    told = f"{first.contender.name} came first to {wanted}, after {plain(_mean_time(first))} s"
    near = [each for each in others if not _shown(each, first)]
    if len(results.setting.seeds) == 1:
        return f"{told} with the only seed, which can show no difference"
    if not near:
        return f"{told} on average of {seeds}"
    return f"{told} on average of {seeds}; no difference could be shown from: {joined(near)}"


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
    return Table(f"Time and updates to {target(results)}", why, header, rows)


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


def _seeds(results: Results) -> str:
    count = len(results.setting.seeds)
    return "1 seed" if count == 1 else f"{count} seeds"


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
