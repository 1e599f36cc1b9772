"""What continuous integration reads of solved problem files: JUnit's XML, a test case for each
problem, and annotations of GitHub's workflows, a line for each thing that is wrong.

Elements: junit-10.xsd of Jenkins' xUnit plugin, with PHPUnit's ``file`` and ``line``. Annotations:
GitHub Docs, "Workflow commands"; how they are escaped: actions/toolkit, core/src/command.ts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ddcalc.boundary.cleaning import clean, located
from ddcalc.boundary.nodes import place
from ddcalc.errors import DdcalcError, Place
from ddcalc.files.solved import Solved
from ddcalc.render.pages import stated, verdict

_SPECIAL = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = str.maketrans(_SPECIAL | {":": "%3A", ",": "%2C"})
_DATA = str.maketrans(_SPECIAL)


class Fault(NamedTuple):
    """What is wrong, in which *words*, and where: an ``error`` of a *kind*, or a ``failure`` of
    what the file has under the key that is its *kind*."""

    tag: str
    kind: str
    place: Place
    words: str


def workflow_commands(done: Solved) -> str:
    """An ``::error`` command for each error, unexpected answer, and limit that is not met."""
    told = ((name, fault) for name, one, errors in _told(done) for fault in _faults(one, errors))
    return "".join(_command(fault, name) for name, fault in told)


def frame(_title: str) -> tuple[str, str]:
    """What stands before JUnit's suites, and behind them."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="ddcalc">\n', "</testsuites>\n"


def test_suite(done: Solved) -> str:
    """JUnit's suite of a problem, called as its file: a test case for it, or for each part."""
    file = clean(done.question.file)
    suite = Element("testsuite", name=file)
    for name, one, errors in _told(done):
        names = {"name": name, "classname": file, "file": file}
        line = {"line": str(one.question.line)} if one.question.line else {}
        made = SubElement(suite, "testcase", names | line)
        for fault in _faults(one, errors):
            wrong = SubElement(made, fault.tag, message=fault.words, type=fault.kind)
            wrong.text = f"{located(fault.place)}: {fault.words}"
    for name, having in ("tests", ""), ("failures", "[failure]"), ("errors", "[error]"):
        suite.set(name, str(len(suite.findall(f"testcase{having}"))))
    indent(suite)
    return f"{tostring(suite, encoding='unicode')}\n"


def _told(done: Solved) -> Iterator[tuple[str, Solved, list[DdcalcError]]]:
    """What is told apart, by name and with its errors: a problem, or each of its parts, and the
    question itself where more is wrong with it."""
    line = done.question.line
    name = done.question.id or (f"line {line}" if line else "file")
    of_parts = {id(error) for part in done.parts for error in part.errors}
    left = [error for error in done.errors if id(error) not in of_parts]
    if left or not done.parts:
        yield name, done, left
    for part in done.parts:
        yield f"{name}.{part.question.id}", part, part.errors


def _faults(done: Solved, errors: Iterable[DdcalcError]) -> Iterator[Fault]:
    """The *errors*, the promised answers that are not the derived ones, and limits not met."""
    question = done.question
    begins = Place(question.file, question.line)
    for error in errors:
        about = f"{clean(error.parameter)}: " if error.parameter else ""
        yield Fault("error", error.kind, error.place or begins, about + clean(str(error)))
    keys = {name.replace("-", "_"): key for name, (key, _) in question.expect.items()}
    for check in done.checks:
        if check.differs:
            key = keys.get(check.name)
            at = place(question.file, key) if key and key.line else begins
            words = f"{stated(check)}: {verdict(check).removeprefix('✗  ')}"
            yield Fault("failure", "expect", at, words)
    for limit in done.limits:
        if not limit.agrees:
            at = place(question.file, question.limit) if question.limit else begins
            words = f"limit {limit.name} {clean(limit.stated)} {clean(limit.says)}"
            yield Fault("failure", "limit", at, words)


def _command(fault: Fault, title: str) -> str:
    """A workflow command, its texts escaped."""
    at = fault.place
    properties = {"file": clean(at.file), "line": at.line, "col": at.column}
    properties["title"] = f"ddcalc: {title}"
    written = (f"{name}={str(x).translate(_PROPERTY)}" for name, x in properties.items() if x)
    return f"::error {','.join(written)}::{fault.words.translate(_DATA)}\n"
