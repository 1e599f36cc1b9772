"""What continuous integration reads of solved problem files: JUnit's XML, a test case for each
problem, and annotations of GitHub's workflows, a line for each thing that is wrong.

JUnit's elements and attributes: the schema of Jenkins' xUnit plugin (junit-10.xsd), with the
``file`` and ``line`` that PHPUnit writes. Annotations: GitHub Docs, "Workflow commands for GitHub
Actions"; how they are escaped: actions/toolkit, packages/core/src/command.ts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.nodes import Scalar, place
from ddcalc.errors import DdcalcError, Place
from ddcalc.files.answers import Check
from ddcalc.files.batch import Solved
from ddcalc.render.pages import stated, verdict

_SPECIAL = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = str.maketrans(_SPECIAL | {":": "%3A", ",": "%2C"})
_DATA = str.maketrans(_SPECIAL)


def workflow_commands(done: Solved) -> str:
    """An ``::error`` command for each answer that is not as the file expects, each limit that is
    not met, and each error."""
    lines: list[str] = []
    for name, one, errors in _told(done):
        lines += [_command(place, name, words) for place, words, _ in _differences(one)]
        lines += [_command(_place(error, one), name, _says(error)) for error in errors]
    return "".join(f"{line}\n" for line in lines)


class TestCase(NamedTuple):
    """A test case: a problem, or a part of a *file* that is wrong, and what is wrong with it: each
    an element's tag, message, type and text."""

    name: str
    file: str
    line: int
    faults: list[tuple[str, str, str, str]]


def cases(done: Solved) -> Iterator[TestCase]:
    """What JUnit's report says of a problem, or of each of its parts."""
    for name, one, errors in _told(done):
        faults = [
            ("error", _says(error), error.kind, _located(_place(error, one), _says(error)))
            for error in errors
        ]
        faults += [
            ("failure", words, kind, _located(place, words))
            for place, words, kind in _differences(one)
        ]
        yield TestCase(name, clean(one.question.file), one.question.line, faults)


@dataclass
class TestReport:
    """JUnit's report on the problems that were added, a suite for each file.

    It has the counts at its beginning, so it is written when all are known.
    """

    suites: dict[str, Element] = field(default_factory=dict)

    def add(self, case: TestCase) -> None:
        """Add a problem, or a part of a file that is wrong."""
        suite = self.suites.setdefault(case.file, Element("testsuite", name=case.file))
        names = {"name": case.name, "classname": case.file, "file": case.file}
        made = SubElement(suite, "testcase", names)
        if case.line:
            made.set("line", str(case.line))
        for tag, message, kind, text in case.faults:
            SubElement(made, tag, message=message, type=kind).text = text

    def text(self) -> str:
        """The report as XML."""
        root = Element("testsuites", name="ddcalc")
        root.extend(self.suites.values())
        for element in (*self.suites.values(), root):
            for name, path in (
                ("tests", ".//testcase"),
                ("failures", ".//testcase[failure]"),
                ("errors", ".//testcase[error]"),
            ):
                element.set(name, str(len(element.findall(path))))
        indent(root)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _told(done: Solved) -> Iterator[tuple[str, Solved, list[DdcalcError]]]:
    """What is told apart, by name and with its errors: a problem, or each of its parts, and the
    question itself where more is wrong with it."""
    name = _name(done)
    of_parts = {id(error) for part in done.parts for error in part.errors}
    left = [error for error in done.errors if id(error) not in of_parts]
    if left or not done.parts:
        yield name, done, left
    for part in done.parts:
        yield f"{name}.{part.question.id}", part, part.errors


def _differences(done: Solved) -> Iterator[tuple[Place, str, str]]:
    """Where an answer stands that the file promises and is not the derived one, or a limit that is
    not met; what it is, and by which key it was stated."""
    for check in done.checks:
        if check.differs:
            words = f"{stated(check)}: {verdict(check).removeprefix('✗  ')}"
            yield _stated_at(check, done), words, "expect"
    for limit in done.limits:
        if not limit.agrees:
            at = done.question.limit or Scalar("", done.question.line)
            words = f"limit {limit.name} {clean(limit.stated)} {clean(limit.says)}"
            yield place(done.question.file, at), words, "limit"


def _stated_at(check: Check, done: Solved) -> Place:
    """Where the answer that *check* is about is stated, else where its problem begins."""
    question = done.question
    for name, (key, _) in question.expect.items():
        if name.replace("-", "_") == check.name and key.line:
            return Place(question.file, key.line, key.column)
    return Place(question.file, question.line)


def _place(error: DdcalcError, done: Solved) -> Place:
    return error.place or Place(done.question.file, done.question.line)


def _says(error: DdcalcError) -> str:
    words = clean(str(error))
    return f"{clean(error.parameter)}: {words}" if error.parameter else words


def _name(done: Solved) -> str:
    line = done.question.line
    return done.question.id or (f"line {line}" if line else "file")


def _located(place: Place, words: str) -> str:
    numbers = [str(number) for number in (place.line, place.column) if number]
    return f"{':'.join([clean(place.file), *numbers])}: {words}"


def _command(place: Place, title: str, words: str) -> str:
    """A workflow command, its texts escaped."""
    properties = {"file": clean(place.file), "line": place.line, "col": place.column}
    properties["title"] = f"ddcalc: {title}"
    written = (f"{name}={str(x).translate(_PROPERTY)}" for name, x in properties.items() if x)
    return f"::error {','.join(written)}::{words.translate(_DATA)}"
