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
from ddcalc.errors import DdcalcError, Place
from ddcalc.files.answers import Check
from ddcalc.files.batch import Solved
from ddcalc.render.pages import stated, verdict

_SPECIAL = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = str.maketrans(_SPECIAL | {":": "%3A", ",": "%2C"})
_DATA = str.maketrans(_SPECIAL)


def workflow_commands(done: Solved) -> str:
    """An ``::error`` command for each answer that is not as the file expects, and each error."""
    lines = [_command(place, _name(done), words) for place, words in _differences(done)]
    lines += [_command(_place(error, done), _name(done), _says(error)) for error in done.errors]
    return "".join(f"{line}\n" for line in lines)


class TestCase(NamedTuple):
    """A test case: a problem, or a part of a *file* that is wrong, and what is wrong with it: each
    an element's tag, message, type and text."""

    name: str
    file: str
    line: int
    faults: list[tuple[str, str, str, str]]


def case(done: Solved) -> TestCase:
    """What JUnit's report says of a problem."""
    errors = [
        ("error", _says(error), error.kind, _located(_place(error, done), _says(error)))
        for error in done.errors
    ]
    failures = [
        ("failure", words, "expect", _located(place, words)) for place, words in _differences(done)
    ]
    question = done.question
    return TestCase(_name(done), clean(question.file), question.line, [*errors, *failures])


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


def _differences(done: Solved) -> Iterator[tuple[Place, str]]:
    """Where an answer stands that the file promises, and is not the derived one; and what it is."""
    for check in done.checks:
        if check.ours and not check.agrees:
            yield _stated_at(check, done), f"{stated(check)}: {verdict(check).removeprefix('✗  ')}"


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
    question = done.question
    if question.id:
        return question.id
    return f"line {question.line}" if question.line else "file"


def _located(place: Place, words: str) -> str:
    numbers = [str(number) for number in (place.line, place.column) if number]
    return f"{':'.join([clean(place.file), *numbers])}: {words}"


def _command(place: Place, title: str, words: str) -> str:
    """A workflow command, its texts escaped."""
    properties = {"file": clean(place.file), "line": place.line, "col": place.column}
    properties["title"] = f"ddcalc: {title}"
    written = (f"{name}={str(x).translate(_PROPERTY)}" for name, x in properties.items() if x)
    return f"::error {','.join(written)}::{words.translate(_DATA)}"
