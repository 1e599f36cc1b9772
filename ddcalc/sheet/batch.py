"""Problem files solved one problem after the other, in flat memory; an error stops nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from ddcalc.ask.solve import Derivation, solve
from ddcalc.boundary.nodes import Item, Mapping, place
from ddcalc.boundary.reader import read, relocate
from ddcalc.boundary.source import Source
from ddcalc.errors import BadSheet, Bug, DdcalcError, Place, Repeated, UnknownName
from ddcalc.sheet.answers import Check, checked
from ddcalc.sheet.question import KEYS, Question, refused_defaults, understood

MOST_IDS = 1_000_000  # ids whose uniqueness is checked in one file


@dataclass(slots=True)
class Solved:
    """A question, and either its derivation and checks or the errors that prevented them."""

    question: Question
    derivation: Derivation | None = None
    checks: list[Check] = field(default_factory=list)
    errors: list[DdcalcError] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether an answer that the file promises is not the derived one."""
        return any(check.ours and not check.agrees for check in self.checks)


def solved(source: Source) -> Iterator[Solved]:
    """Everything in *source*, in order: one for each problem, and one for each part of the file
    that is no problem but wrong."""
    ids: dict[str, tuple[int, int]] = {}
    delay = float(os.environ.get("DDCALC_TEST_DELAY", "0"))
    for item in read(source):
        if delay and item.index:
            time.sleep(delay)
        yield from _item(item, source, ids)


def _item(item: Item, source: Source, ids: dict[str, tuple[int, int]]) -> Iterator[Solved]:
    if item.index == 0:
        errors = [*item.errors, *_head_errors(item, source)]
        if errors:
            yield Solved(Question(source.name, 0), errors=errors)
        return
    done = _problem(item, source)
    if done.errors and not item.positioned:
        done = _problem(relocate(item, source), source)
    _refuse_repeated(done, item.index, ids)
    yield done


def _problem(item: Item, source: Source) -> Solved:
    if not isinstance(item.node, Mapping):
        errors = item.errors or [BadSheet("a problem is a mapping with a type and givens")]
        if item.node is not None and errors[0].place is None:
            errors[0].place = place(source.name, item.node)
        return Solved(Question(source.name, 0), errors=errors)
    defaults = item.head["defaults"][1] if item.head and "defaults" in item.head else None
    question = understood(item.node, defaults, source.name)
    if item.errors:
        for error in item.errors:
            error.problem = question.id
        return Solved(question, errors=item.errors)
    return _solve(question)


def _solve(question: Question) -> Solved:
    derivation = None
    if question.problem is not None:
        try:
            derivation = solve(question.problem, question.texts)
        except DdcalcError as error:
            for single in error.each():
                question.locate(single)
        except Exception as error:  # our own mistake must not cost the other problems
            question.refuse(Bug(error))
    done = Solved(question, derivation, errors=question.errors)
    if derivation is not None and not question.errors:
        _check(done, derivation)
    return done


def _check(done: Solved, derivation: Derivation) -> None:
    question = done.question
    for ours, stated in ((True, question.expect), (False, question.claimed)):
        for name, (key, node) in stated.items():
            try:
                done.checks.append(checked(derivation, name, node, ours))
            except DdcalcError as error:
                wrong = key if isinstance(error, UnknownName) else node
                question.refuse(error.about(name), wrong)


def _head_errors(item: Item, source: Source) -> list[DdcalcError]:
    """What is wrong beside ``problems``."""
    errors: list[DdcalcError] = []
    for name, (key, node) in (item.head or {}).items():
        if name == "defaults":
            errors += refused_defaults(node, source.name)
        else:
            known = KEYS if name in KEYS else ("problems", "defaults")
            error = UnknownName("key beside problems", name, known)
            errors.append(error.about(name, place(source.name, key)))
    return errors


def _refuse_repeated(done: Solved, index: int, ids: dict[str, tuple[int, int]]) -> None:
    name, line, file = done.question.id, done.question.line, done.question.file
    if name is None or len(ids) >= MOST_IDS:
        return
    first, at = ids.setdefault(name.lower(), (index, line))
    if first != index:
        error = Repeated(name, Place(file, at, 1)).about("id", Place(file, line, 1))
        error.problem = name
        done.errors.append(error)


