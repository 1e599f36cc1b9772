"""What is to be said of the findings of an experiment, besides their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.experiment import standing
from ddcalc.experiment.setting import READ, Experiment, Setting
from ddcalc.experiment.standing import Results, Standing, difference
from ddcalc.experiment.tuning import Tuning
from ddcalc.numbers.display import number_text, quantity_text
from ddcalc.numbers.units import PERCENT
from ddcalc.types.schedules.timeline import Timeline


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
    return f"{quantity_text(results.setting.number('target'), PERCENT)} accuracy"


def joined(standings: Sequence[Standing]) -> str:
    """The names of *standings*; some have commas."""
    return "; ".join(each.contender.name for each in standings)


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
        yield "Steps", f"{joined(partial)}: {told}"
    yield from _longer(results)
    small = [each for each in results.standings if each.contender.compression is not None]
    if small and not results.setting.given.get("upload"):
        told = "smaller messages save no time where sending takes none; state it: --upload"
        yield "Messages", f"{joined(small)}: {told}"


def _longer(results: Results) -> Iterator[tuple[str, str]]:
    """Whose runs are longer than those of the others, since they end with an average."""
    samples = len(results.data.labels) * results.setting.whole("epochs")
    steps = -(-samples // results.setting.whole("batch"))
    for each in results.standings:
        local = each.contender.scheme.local_steps
        if more := -steps % local:
            told = (
                f"{each.contender.name}: a run ends with an average, so after"
                f" {number_text(steps + more)[0]} steps of each worker instead of"
                f" {number_text(steps)[0]}; what it has at the end took that much more training"
            )
            yield "Longer", told


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
        told = f"runs that did not reach {target(results)}: {'; '.join(missed)}"
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


def _readings(setting: Setting) -> str:
    told = [Experiment.choices[name].options[option] for name, option in setting.reading.items()]
    if setting.given.get("download"):
        told.append(Timeline.read.options[READ])
    return "; ".join(told)


def _edge(tuning: Tuning) -> str:
    """Whose best step size is the first or the last one tried."""
    told = "; ".join(
        f"{each.name} (η = {number_text(each.step or 0)[0]})" for each in tuning.at_the_edge
    )
    return f"best with the least or largest size tried, so others may be better still: {told}"
