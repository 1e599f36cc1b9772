"""What the verbs come to as plain data, ready for JSON; numbers as in :mod:`ddcalc.render.json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ddcalc.ask.solve import Result, first, singles
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.stated import filled_in
from ddcalc.problem.steps import Report, Value
from ddcalc.render.json import derivation, dumped, result
from ddcalc.render.json.step_data import Data, step

if TYPE_CHECKING:
    from ddcalc.ask.compare import Comparison, QuantityPair
    from ddcalc.ask.mark.grading import ClassTally, Count, Mark, StudentMarks
    from ddcalc.ask.sensitivity import Sensitivity
    from ddcalc.ask.sensitivity.effects import Effect
    from ddcalc.ask.sensitivity.range import RangeEnd
    from ddcalc.ask.sweep.axes import Axis
    from ddcalc.ask.sweep.best import Sweep
    from ddcalc.ask.variants.versions import ExamItem, Version
    from ddcalc.experiment.findings import Results, Standing
    from ddcalc.problem.terms import Term
    from ddcalc.problem.topics import Topic


def report(made: Report, steps: bool) -> Data:
    """The *report* of a verb, beside which stands what the verb adds."""
    data: Data = {"title": made.title, "text": made.answer}
    if made.remarks:
        data["remarks"] = [{"label": label, "text": words} for label, words in made.remarks]
    if steps:
        data["steps"] = [*map(step, (*made.steps, *made.results))]
    return data


def _fraction(number: Number) -> float:
    return number.numerator / number.denominator


def _fields(thing: object, names: str) -> Data:
    """The attributes of *thing* that *names* lists, those called ``key=name`` under that key."""
    pairs = (word.partition("=") for word in names.split())
    return {key: getattr(thing, name or key) for key, _, name in pairs}


# Comparisons


def compared(comparisons: Sequence[Comparison]) -> Data:
    """The object of *comparisons* with one first question."""
    return {"status": "solved", "comparisons": [*map(_comparison, comparisons)]}


def _comparison(comparison: Comparison) -> Data:
    sides = zip(comparison.names, (comparison.first, comparison.second), strict=True)
    return {
        "sides": [
            {"name": clean(name), "problem": side.problem.slug, "answer": result(side.answer)}
            for name, side in sides
        ],
        "difference": _difference(comparison.answer),
        "ratio": _ratio(comparison.answer.ratio),
        "changes": [
            {"names": list(one.names), "before": clean(one.before), "after": clean(one.after)}
            for one in comparison.changes
        ],
        "quantities": [
            {
                "name": row.first.name,
                "first": result(row.first),
                "second": result(row.second),
                "difference": _difference(row),
                "ratio": _ratio(row.ratio),
            }
            for row in comparison.rows
        ],
        "attribution": _attribution(comparison),
    }


def _attribution(comparison: Comparison) -> Data | None:
    made = comparison.attribution
    if made is None:
        return None
    return {
        "method": "mean over every order (Shapley)" if made.averaged else "one after the other",
        "parts": [
            {
                "names": [name for change in part.changes for name in change.names],
                "effect": _of(part.effect, comparison.answer),
            }
            for part in made.parts
        ],
    }


def _difference(row: QuantityPair) -> Data | None:
    return None if row.difference is None else _of(row.difference, row)


def _of(value: Number, row: QuantityPair) -> Data:
    """*value*, a difference of the quantity of *row*; without an exact text where it is rounded."""
    data = result(Result(row.first.name, row.first.symbol, row.first.unit, value))
    if any(isinstance(side.value, Approximate) for side in (row.first, row.second)):
        data["exact"] = None
    return data


def _ratio(value: Number | None) -> str | None:
    return None if value is None or isinstance(value, Approximate) else str(value)


# Sensitivity


def sensitivity(made: Sensitivity) -> Data:
    """The object of a sensitivity; derivatives are in base units, exact ones as texts."""
    return {
        "problem": made.point.solved.problem.slug,
        "status": "solved",
        "answer": result(made.point.result),
        "sensitivities": [_effect(made, effect) for effect in made.effects],
        "swings": [
            {
                "name": swing.lever.name,
                "low": str(swing.low),
                "high": str(swing.high),
                "below": _moved(made, swing.below),
                "above": _moved(made, swing.above),
            }
            for swing in made.swings
        ],
        "range": _range(made),
    }


def _effect(made: Sensitivity, effect: Effect) -> Data:
    lever, elasticity = effect.lever, effect.elasticity(made.point.value)
    whole = lever.given.whole
    sides = ("one_less", "one_more") if whole else ("from_below", "from_above")
    slopes = zip(sides, (effect.down, effect.up), strict=True)
    is_exact = effect.digits is None and not made.point.rounded
    as_text = str if is_exact else float  # an exact text only of what is exact
    kind = "difference quotient" if made.point.solved.working.dear else "derivative"
    jumps = not whole and None in (effect.down, effect.up)
    return {
        "name": lever.name,
        "symbol": lever.symbol,
        "at": str(lever.value),
        "kind": "difference" if whole else kind,
        **{side: None if slope is None else as_text(slope) for side, slope in slopes},
        "elasticity": None if elasticity is None else float(elasticity),
        "why": "jumps here, or has no answer beside it" if jumps else None,
    }


def _moved(made: Sensitivity, value: Number | None) -> Data | None:
    """The answer where it is *value*."""
    if value is None:
        return None
    at = made.point.result
    data = result(Result(at.name, at.symbol, at.unit, value))
    return data | {"exact": None} if made.point.rounded else data


def _range(made: Sensitivity) -> Data | None:
    if made.range is None:
        return None
    return {
        "inputs": [{"name": one.key, "stated": clean(one.text)} for one in made.spreads],
        "everywhere": made.range.everywhere,
        "low": _end(made, made.range.low),
        "high": _end(made, made.range.high),
    }


def _end(made: Sensitivity, end: RangeEnd) -> Data:
    return {
        "reached": _moved(made, end.attained),
        "at": {name: str(value) for name, value in end.at.items()},
        "proved": _moved(made, end.bound),
        "exact": end.exact,
    }


# Sweeps


def sweep(made: Sweep) -> Data:
    """The points of a finished sweep, the best of them, and why some have no value."""
    from ddcalc.ask.sweep.account import notes

    question = made.question
    rows = []
    for i in range(question.size):
        values = made.points.at(question.place(i))
        amounts = (_value(q, values.get(q.name)) for q in question.quantities)
        rows.append([*_at(made, i).values(), *amounts])
    return {
        "problem": question.problem.slug,
        "status": "solved",
        "points": question.size,
        "varied": [*map(_varied, question.axes)],
        "quantities": [
            {"name": q.name, "symbol": q.letter, "unit": q.unit.name, "title": q.title}
            for q in question.quantities
        ],
        "rows": rows,
        "optimum": [*_best(made)],
        "front": _front(made),
        "without_value": [
            {"points": note.points, "first": note.at, "text": clean(note.says)}
            for note in notes(made)
        ],
    }


def _varied(axis: Axis) -> Data:
    from ddcalc.ask.sweep.axes import Numeric

    if isinstance(axis, Numeric):
        symbol, unit, title = axis.given.letter, axis.unit.name, axis.given.title
    else:
        symbol, unit, title = "", "", axis.declared.title
    return {"name": axis.name, "symbol": symbol, "unit": unit, "title": title, "values": axis.size}


def _at(made: Sweep, number: int) -> dict[str, float | str | None]:
    """Where a point lies, by name of axis."""
    from ddcalc.ask.sweep.axes import Named

    at: dict[str, float | str | None] = {}
    for axis, i in zip(made.question.axes, made.question.place(number), strict=True):
        if isinstance(axis, Named):
            at[axis.name] = clean(axis.texts[i])
        else:
            value = Result(axis.name, axis.given.letter, axis.unit, axis.numbers[i])
            at[axis.name] = result(value)["value"]
    return at


def _value(quantity: Quantity, value: Value) -> float | str | None:
    """A value as a float in the quantity's unit; in letters where it has some."""
    data = result(Result(quantity.name, quantity.letter, quantity.unit, value))
    number: float | str | None = data["value"]
    return data["exact"] if number is None else number


def _best(made: Sweep) -> Iterator[Data]:
    for goal, best in zip(made.goals, made.optima, strict=True):
        quantity = made.question.quantity(goal.name)
        value = None if best is None else best.value
        data = result(Result(goal.name, quantity.letter, quantity.unit, value))
        data["sought"] = "least" if goal.smallest else "largest"
        if best is not None:
            data |= {"at": _at(made, best.number), "points": best.points}
        yield data


def _front(made: Sweep) -> list[Data] | None:
    """The points of the front; None where there is none, or they are too many."""
    if made.front is None:
        return None
    quantities = [made.question.quantity(goal.name) for goal in made.goals]
    return [
        _at(made, point.number)
        | {q.name: _value(q, value) for q, value in zip(quantities, point.values, strict=True)}
        for point in made.front
    ]


# Experiments


def experiment_rows(results: Results) -> str:
    """The runs of an experiment as CSV."""
    from ddcalc.boundary import table

    runs = [_run(results, *job) for job in _jobs(results)]
    cells = [list(runs[0]), *(list(run.values()) for run in runs)]
    return "".join(table.csv_line("" if cell is None else cell for cell in row) for row in cells)


def experiment_lines(results: Results) -> str:
    """The runs of an experiment with their curves, an object a line."""
    return "".join(f"{dumped(run)}\n" for run in _with_curves(results))


def experiment(results: Results) -> Data:
    """The runs of an experiment with their curves."""
    return {
        "problem": "experiment",
        "status": "solved",
        "target": results.standings[0].wanted / results.standings[0].tests,
        "tests": results.standings[0].tests,
        "runs": [*_with_curves(results)],
    }


def _jobs(results: Results) -> Iterator[tuple[Standing, int]]:
    return ((standing, seed) for standing in results.standings for seed in standing.runs)


def _run(results: Results, standing: Standing, seed: int) -> Data:
    size = results.setting.number("step_size")
    run, hit = standing.runs[seed], standing.hit(seed)
    last = run.points[-1]
    return {
        "scheme": standing.contender.key,
        "name": standing.contender.name,
        "seed": seed,
        "step_size": _fraction(size),
        "target_time": None if hit is None else hit.time,
        "target_updates": None if hit is None else hit.updates,
        "target_gradients": None if hit is None else hit.used,
        **_fields(last, "end_time=time updates loss"),
        "accuracy": last.right / standing.tests,
        **_fields(run, "gradients=used dropped interrupted"),
        "mean_staleness": run.staleness / run.used if run.used else None,
        **_fields(run, "max_staleness=stalest diverged"),
    }


def _with_curves(results: Results) -> Iterator[Data]:
    for standing, seed in _jobs(results):
        points = [
            _fields(point, "time updates gradients=used loss")
            | {"accuracy": point.right / standing.tests}
            for point in standing.runs[seed].points
        ]
        yield {**_run(results, standing, seed), "points": points}


# Marks and exams


def student_marks(handed: StudentMarks) -> Data:
    """The marks of a student."""
    data: Data = {"student": clean(handed.student)}
    if handed.email:
        data["email"] = clean(handed.email)
    if handed.version is not None:
        data["version"] = handed.version
    return data | credited(handed)


def credited(handed: StudentMarks) -> Data:
    """The marks alone, and what they are worth."""
    return {
        "credit": _fraction(sum(mark.credit for mark in handed.marks)),
        "of": _fraction(sum(mark.points for mark in handed.marks)),
        "unread": sum(mark.verdict == "unread" for mark in handed.marks),
        "marks": [{"problem": clean(problem), **_mark(mark)} for problem, mark in handed.marked],
    }


def class_marks(tally: ClassTally) -> Data:
    """What became of a class."""
    whole = tally.whole
    return {
        "students": tally.students,
        "answers": whole.answers,
        "credit": _fraction(whole.mean),
        "unread": whole.verdicts["unread"],
        "slips": _slips(whole),
        "questions": [
            {
                "problem": clean(problem),
                "quantity": name,
                "answers": count.answers,
                "verdicts": dict(count.verdicts),
                "credit": _fraction(count.mean),
                "slips": _slips(count),
            }
            for (problem, name), count in tally.by_question.items()
        ],
    }


def _slips(count: Count) -> list[Data]:
    return [{"says": what, "times": times} for what, times in count.slips.most_common()]


def _mark(mark: Mark) -> Data:
    from ddcalc.ask.mark.grading import sentences
    from ddcalc.render.marks import right_text, text

    right = mark.right
    return {
        "quantity": mark.name,
        "answer": clean(mark.stated),
        "verdict": mark.verdict,
        "credit": _fraction(mark.credit),
        "of": _fraction(mark.points),
        "right": [*map(result, right)] if isinstance(right, tuple) else result(right),
        "right_text": right_text(mark),
        "remark": text(mark.brief),
        "sure": mark.sure,
        "slips": [
            {
                "kind": slip.kind,
                "says": text(slip.deed),
                "step": slip.step or None,
                "shown": text(slip.shown),
                "why": text(slip.why),
            }
            for slip in mark.slips
        ],
        "text": text(sentences(mark)),
    }


def exam_version(version: Version, *, steps: bool) -> Data:
    """A *version* of an exam, with the working if *steps* are wanted."""
    return {
        "version": version[0].version,
        "questions": [_item(item, steps) for item in version],
    }


def _item(item: ExamItem, steps: bool) -> Data:
    from ddcalc.render.marks import text
    from ddcalc.render.story import value_text

    data = derivation(item.solved, steps)
    for wanted in item.results:
        values = [*map(result, singles(wanted))]
        data["quantities"][first(wanted).name] = values if isinstance(wanted, tuple) else values[0]
    return data | {
        "id": item.id,
        "base": item.base.name,
        "given": filled_in(item.solved.problem, item.texts)[0],
        "asked": [first(result).name for result in item.results],
        "options": [
            {
                "letter": letter,
                "text": value_text(option.value, option.unit),
                "right": option.right,
                "slip": text(option.deed) or None,
            }
            for letter, option in item.lettered
        ],
    }


# The glossary


def term(entry: Term, types: Sequence[str]) -> Data:
    """A term of the glossary, and the problem *types* that name it."""
    return {
        **_fields(entry, "name aliases summary words helps hurts formula letters"),
        "try": [_fields(trial, "command shows") for trial in entry.trials],
        "types": types,
        **_fields(entry, "see source"),
    }


def topic(entry: Topic) -> Data:
    """A page of the manual, as the Markdown that it is written in."""
    return _fields(entry, "slug title summary text")
