"""What the verbs come to as plain data, ready for JSON; numbers as in :mod:`ddcalc.render.json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ddcalc.ask.solve import Result, first, texts_of
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.said.steps import Report
from ddcalc.problem.stated import filled_in
from ddcalc.render.json import derivation
from ddcalc.render.json.step_data import Data, amount, fields, plain, result, step

if TYPE_CHECKING:
    from ddcalc.ask.compare import Comparison, QuantityPair
    from ddcalc.ask.mark.grading import ClassTally, Count, Mark, StudentMarks
    from ddcalc.ask.sensitivity import Sensitivity
    from ddcalc.ask.sweep.points import Sweep
    from ddcalc.files.answer_key import Key
    from ddcalc.files.keys import ExamItem, Version
    from ddcalc.files.submissions import Student


def report(made: Report, steps: bool) -> Data:
    """The *report* of a verb, beside which stands what the verb adds."""
    data: Data = {"title": made.title, "text": made.answer}
    if made.remarks:
        data["remarks"] = [{"label": label, "text": words} for label, words in made.remarks]
    if steps:
        data["steps"] = [*map(step, (*made.steps, *made.results))]
    return data


# Comparisons


def compared(comparisons: Sequence[Comparison]) -> Data:
    """The object of *comparisons* with one first question."""
    return {"status": "solved", "comparisons": [*map(_comparison, comparisons)]}


def _comparison(comparison: Comparison) -> Data:
    answer = comparison.answer
    sides = zip(comparison.names, (comparison.first, comparison.second), strict=True)
    return {
        "sides": [
            {"name": clean(name), "problem": side.problem.slug, "answer": result(side.answer)}
            for name, side in sides
        ],
        **_difference(answer),
        "changes": [{"names": [x.name]} | fields(x, "before after") for x in comparison.changes],
        "quantities": [
            {"name": row.first.name} | fields(row, "first second") | _difference(row)
            for row in comparison.rows
        ],
    }


def _difference(row: QuantityPair) -> Data:
    """How the second value differs from the first; a ratio only of what is exact."""
    has_ratio = row.ratio is not None and not isinstance(row.ratio, Approximate)
    ratio = str(row.ratio) if has_ratio else None
    rounded = any(isinstance(side.value, Approximate) for side in (row.first, row.second))
    return {"difference": _worth(row.difference, row.first, rounded), "ratio": ratio}


def _worth(value: Number | None, like: Result, rounded: bool) -> Data | None:
    """*value* of a quantity *like* another one, without an exact text where it is *rounded*."""
    if value is None:
        return None
    data = result(replace(like, value=value))
    return data | {"exact": None} if rounded else data


# Sensitivity


def sensitivity(made: Sensitivity) -> Data:
    """The object of a sensitivity."""

    is_rounded = isinstance(made.result.value, Approximate)
    return {
        "problem": made.solved.problem.slug,
        "status": "solved",
        "answer": result(made.result),
        "swings": [
            fields(swing, "name=lever.name low! high!")
            | {side: _worth(getattr(swing, side), made.result, is_rounded)
               for side in ("below", "above")}
            for swing in made.swings
        ],
    }  # fmt: skip


# Sweeps


def sweep(made: Sweep) -> Data:
    """The points of a finished sweep, the best of them, and why some have no value."""
    from ddcalc.ask.sweep.account import notes

    question = made.question
    numeric = "name symbol=declared.letter unit=unit.name title=declared.title values=size"
    varied = [
        {"symbol": "", "unit": ""} | fields(axis, "name title=declared.title values=size")
        if axis.names else fields(axis, numeric)
        for axis in question.axes
    ]  # fmt: skip
    rows = []
    for i in range(question.size):
        values = made.at(i)
        amounts = [amount(values.get(q.name), q.unit) for q in question.quantities]
        floats = (x["exact"] if x["value"] is None else x["value"] for x in amounts)  # of letters
        rows.append([*_at(made, i).values(), *floats])
    return {
        "problem": question.problem.slug,
        "status": "solved",
        "points": question.size,
        "varied": varied,
        "quantities": [
            fields(q, "name symbol=letter unit=unit.name title") for q in question.quantities
        ],
        "rows": rows,
        "optimum": [*_best(made)],
        "without_value": plain([*notes(made)]),
    }


def _at(made: Sweep, number: int) -> dict[str, float | str | None]:
    """Where a point lies, by name of axis."""
    axes = zip(made.question.axes, made.question.place(number), strict=True)
    return {
        x.name: clean(x.names[i]) if x.names else amount(x.numbers[i], x.unit)["value"]
        for x, i in axes
    }


def _best(made: Sweep) -> Iterator[Data]:
    for goal in made.goals:
        quantity, best = made.question.quantity(goal.name), goal.best
        value = None if best is None else best.value
        data = result(Result(goal.name, quantity.letter, quantity.unit, value))
        data["sought"] = "least" if goal.smallest else "largest"
        if best is not None:
            data |= {"at": _at(made, best.number), "points": best.points}
        yield data


# Marks and exams


def student_marks(handed: StudentMarks) -> Data:
    """The marks of a student."""
    known = "student version" if handed.version is not None else "student"
    return fields(handed, known) | credited(handed)


def credited(handed: StudentMarks) -> Data:
    """The marks alone, and what they are worth."""
    return {
        "credit": float(sum(mark.credit for mark in handed.marks)),
        "of": float(sum(mark.points for mark in handed.marks)),
        "unread": sum(mark.verdict == "unread" for mark in handed.marks),
        "marks": [{"problem": clean(problem), **_mark(mark)} for problem, mark in handed.marked],
    }


def class_marks(tally: ClassTally) -> Data:
    """What became of a class."""
    whole = tally.whole
    questions = [
        {"problem": clean(problem), "quantity": name, **fields(count, "answers verdicts")}
        | _counted(count)
        for (problem, name), count in tally.by_question.items()
    ]
    about = fields(tally, "students answers=whole.answers") | {"unread": whole.verdicts["unread"]}
    return {**about, **_counted(whole), "questions": questions}


def _counted(count: Count) -> Data:
    from ddcalc.render.papers.marks import text

    slips = [{"says": text(what), "times": times} for what, times in count.slips.most_common()]
    return {"credit": float(count.mean), "slips": slips}


def _mark(mark: Mark) -> Data:
    from ddcalc.ask.mark.grading import sentences
    from ddcalc.render.papers.marks import right_text, text

    return {
        **fields(mark, "quantity=name answer=stated verdict right sure"),
        "credit": float(mark.credit),
        "of": float(mark.points),
        "right_text": right_text(mark),
        "remark": text(mark.brief),
        "slips": [
            {
                "kind": slip.kind,
                "says": text(slip.deed),
                "step": slip.step or None,
                **dict(zip(("shown", "why"), map(text, slip.words()), strict=True)),
            }
            for slip in mark.slips
        ],
        "text": text(sentences(mark)),
    }


def exam_version(version: Version, students: Iterable[Student] = (), *, steps: bool) -> Data:
    """A *version* of an exam, which *students* have it, and the working if *steps* are wanted."""
    questions = [_item(item, steps) for item in version]
    who = {"students": named} if (named := plain([*students])) else {}
    return {"version": version[0].version, **who, "questions": questions}


def _item(item: ExamItem, steps: bool) -> Data:
    names = {"id": item.id, "base": item.base.name}
    if not item.done.parts:
        return _part(item.parts[0], steps) | names
    from ddcalc.render.story import text_of

    written = {"title": item.done.question.title or None, "text": text_of(item.done) or None}
    parts = [_part(keys, steps) | {"id": keys[0].source.id} for keys in item.parts]
    return {**names, **written, "parts": parts}


def _part(keys: Sequence[Key], steps: bool) -> Data:
    one, *others = keys
    data = derivation(one.solved, steps)
    data["quantities"] |= {first(x).name: plain(x) for x in one.asked}
    cases = [derivation(key.solved, steps) for key in keys] if others else []
    return data | {
        "given": filled_in(one.solved.problem, texts_of(one.solved.stated))[0],
        "asked": [first(x).name for x in one.asked],
        **({"cases": cases} if cases else {}),
    }
