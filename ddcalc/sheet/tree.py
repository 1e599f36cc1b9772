"""Answers in YAML or JSON: ``students: {ann: {ps-epochs: {total: 588.47 s}}}``, or one student a
document or line: ``{student: ann, answers: {ps-epochs: 588.47 s}}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ddcalc.boundary.nodes import Entries, Item, Mapping, Node, Scalar, place
from ddcalc.errors import BadSheet, DdcalcError, Missing, UnknownName
from ddcalc.sheet.submissions import Keys, Names, Submission

_SHAPE = "answers are `students:` with answers by problem, or `student:` and `answers:`"
_ALONE = ("student", "answers")


def submissions(items: Iterable[Item], keys: Keys) -> Iterator[Submission]:
    """The submissions in the documents or lines of a file, in order."""
    names = Names()
    for item in items:
        if item.errors:
            yield Submission("", errors=[_placed(keys, each, item.node) for each in item.errors])
        elif isinstance(item.node, Mapping):
            yield from _document(item.node, keys, names)
        else:
            yield Submission("", errors=[_placed(keys, BadSheet(_SHAPE), item.node)])


def _document(node: Mapping, keys: Keys, names: Names) -> Iterator[Submission]:
    """The students of one document."""
    entries = node.entries
    if "students" in entries:
        yield from _wrong_keys(entries, ("students",), keys)
        students = entries["students"][1]
        if not isinstance(students, Mapping):
            yield Submission("", errors=[_placed(keys, BadSheet(_SHAPE), students)])
            return
        for key, answers in students.entries.values():
            yield _submission(key, answers, keys, names)
    elif "student" in entries:
        yield from _wrong_keys(entries, _ALONE, keys)
        name = entries["student"][1]
        if not isinstance(name, Scalar) or "answers" not in entries:
            wrong: DdcalcError = (
                Missing(["answers"]) if isinstance(name, Scalar) else BadSheet(_SHAPE)
            )
            yield Submission("", errors=[_placed(keys, wrong, node)])
            return
        yield _submission(name, entries["answers"][1], keys, names)
    else:
        yield Submission("", errors=[_placed(keys, BadSheet(_SHAPE), node)])


def _wrong_keys(entries: Entries, known: tuple[str, ...], keys: Keys) -> Iterator[Submission]:
    for name, (key, _) in entries.items():
        if name not in known:
            error = UnknownName("key of answers", name, known)
            yield Submission("", errors=[_placed(keys, error, key)])


def _submission(name: Scalar, answers: Node, keys: Keys, names: Names) -> Submission:
    """What one student has answered."""
    handed = Submission(name.text)
    if (repeated := names.again(name, keys.file)) is not None:
        keys.refuse(handed, repeated, name)
    elif not isinstance(answers, Mapping):
        keys.refuse(handed, BadSheet(_SHAPE), answers)
    else:
        for problem, (key, node) in answers.entries.items():
            _problem(handed, problem, key, node, keys)
    return handed


def _problem(handed: Submission, name: str, key: Scalar, node: Node, keys: Keys) -> None:
    """The answers to a problem: its quantities by name, or the one asked for."""
    several = node.entries if isinstance(node, Mapping) else {"": (key, node)}
    for quantity, (spelt, answer) in several.items():
        try:
            found = keys.found(name, quantity)
        except DdcalcError as error:
            keys.refuse(
                handed,
                error,
                spelt if isinstance(error, UnknownName) and error.what == "result" else key,
            )
            continue
        if isinstance(answer, Mapping):
            keys.refuse(handed, BadSheet("an answer is a value, or a list of values"), answer)
        else:
            keys.add(handed, found, answer)


def _placed(keys: Keys, error: DdcalcError, node: Node | None) -> DdcalcError:
    if error.place is None and node is not None:
        error.place = place(keys.file, node)
    return error
