"""Problem files solved one problem after the other, in flat memory; an error stops nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Mapped
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.nodes import Mapping, Node, Scalar, id_in, place
from ddcalc.boundary.source import Source
from ddcalc.errors import BadSheet, BadValue, Bug, DdcalcError, Place, Repeated, UnknownName
from ddcalc.files.answer_key import Key
from ddcalc.files.answers import asserted, checked, requirements
from ddcalc.files.defaults import HEADS, Defaults
from ddcalc.files.filed_problem import FiledProblem, understood
from ddcalc.files.part_cases import of_case, put_in, result_of, worked_cases
from ddcalc.files.parts import parts_in, steps_of, untold
from ddcalc.files.solved import Solved
from ddcalc.problem.stated_formulas import conclusions

VERDICTS: Final = ("met", "not met")  # what may be expected of a limit
MOST: Final = 1_000_000  # ids of a file that are compared
IDS_SHOWN: Final = 20  # where another one is asked for
Earlier = dict[str, Sequence[Derivation]]  # parts by name, with their cases


@dataclass(slots=True)
class Unsolved:
    """A problem as it stands in a *file*, under its *defaults*; or, where *node* is None, a part of
    the file that is no problem but wrong. It is plain data, which other processes can solve.

    What is wrong with it beside what it says are *errors*, where it is not to be solved, and what
    it has *repeated*, its id.
    """

    file: str
    node: Node | None
    defaults: Defaults
    errors: list[DdcalcError]
    repeated: DdcalcError | None = None
    note: str = ""  # what is to be said besides
    only: list[str] = field(default_factory=list)  # the parts that are asked for, if not all

    @property
    def name(self) -> str | None:
        """Its id, if it has one that can be one."""
        node = id_in(self.node)
        return None if node is None else node.text


def solved(source: Source) -> Iterator[Solved]:
    """Everything in *source*, in order: one for each problem, and one for each part of the file
    that is no problem but wrong."""
    return map(worked_out, unsolved(source))


def unsolved(source: Source) -> Iterator[Unsolved]:
    """Everything in *source*, as :func:`solved`, before it is solved."""
    from ddcalc.boundary.tree import read  # which brings YAML

    file, ids, above = source.name, Ids(source.name), None
    stated: dict[str, Node] = {}  # heads
    defaults = Defaults(file)
    for item in read(source):
        head, beside = item.head, list[DdcalcError]()
        if item.is_problem and head is not above:
            above, now = head, {name: head[name][1] for name in HEADS if head and name in head}
            if any(now.get(name) is not stated.get(name) for name in HEADS):
                stated, defaults = now, Defaults(file, now)
                beside, defaults.errors = defaults.errors, []  # told once
        elif not item.is_problem:  # the end of a document, or what is wrong there
            beside += item.errors
            for name, (key, node) in (head or {}).items():
                at = place(file, key)
                if name not in (*HEADS, "title"):
                    known, meant = ("problems", "title", *HEADS), {"given": "shared"}.get(name, "")
                    unknown = UnknownName("key beside problems", name, known, meant=meant)
                    beside.append(unknown.about(name, at))
                elif name in HEADS and stated.get(name) is not node:
                    beside.append(BadSheet(f"{name} must stand above the problems").about(name, at))
        if beside:
            yield Unsolved(file, None, defaults, beside)
        if item.is_problem:
            one, node_id = Unsolved(file, item.node, defaults, item.errors), id_in(item.node)
            if node_id and (first := ids.first(node_id.text.lower(), node_id.line, node_id.column)):
                one.repeated = Repeated(node_id.text, first).about("id", place(file, node_id))
                one.repeated.problem = node_id.text
            one.note, ids.remark = ids.remark, ""
            yield one


def chosen(source: Source, ids: Sequence[str]) -> Iterator[Unsolved]:
    """Those of everything in *source* that *ids* name, or of which they name parts; all without
    ids. Raises UnknownName."""
    left, names, wrong = {*ids}, list[str](), list[DdcalcError]()
    for one in unsolved(source):
        if not ids:
            yield one
            continue
        name = one.name or ""
        names += [name] * bool(name)
        has_parts = isinstance(one.node, Mapping) and "parts" in one.node.entries
        mine = [x for x in ids if x == name or (has_parts and x.startswith(f"{name}."))]
        left -= {*mine}
        if mine:
            one.only = [] if name in mine else [x.removeprefix(f"{name}.") for x in mine]
            yield one
        wrong += one.errors if one.node is None else []
        if not left:
            return
    for wanted in sorted(left):
        unknown = UnknownName("id", wanted, names[:IDS_SHOWN]).about("id", Place(source.name))
        raise wrong[0] if wrong else unknown


class Ids:
    """The ids of *file* so far, or the names in it, and where each of them stood first; beyond MOST
    no more of them are compared, which *remark* says."""

    def __init__(self, file: str) -> None:
        self.file, self.remark = file, ""
        self._known: dict[str, tuple[int, int]] = {}

    def first(self, name: str, line: int, column: int = 0) -> Place | None:
        """Where the id *name* stood before; None where it is new, and stands here."""
        if before := self._known.get(name):
            return Place(self.file, *before)
        if len(self._known) < MOST:
            self._known[name] = line, column
            if len(self._known) == MOST:
                self.remark = f"ids are not checked to be unique beyond {MOST}"
        return None


def worked_out(one: Unsolved) -> Solved:
    """What comes of a problem of a file; nothing about it raises an error."""
    file, node = one.file, one.node
    if isinstance(node, Mapping):
        question = understood(node, one.defaults, file)
        if one.errors:
            for error in one.errors:
                error.problem = question.id
            question.errors = one.errors
            done = Solved(question, errors=question.errors)
        elif "parts" not in node.entries:
            done = worked(question)
        else:
            done, head = Solved(question, errors=question.errors), question.id
            parts = () if done.errors else parts_in(question, node, one.defaults)
            for part in _in_order(parts):
                done.parts.append(part)
                question.parts.append(part.question)
            ids = [part.question.id or "" for part in done.parts]
            for x in {*one.only} - {*ids}:
                question.refuse(UnknownName("id", f"{head}.{x}", [f"{head}.{y}" for y in ids]))
            done.ending = None if one.only else ending(question, done.parts)
            done.parts = [x for x in done.parts if not one.only or x.question.id in one.only]
            for part in done.parts:
                _take_errors(done, part, ids)
            _check_marking(question, done.parts)
    else:
        errors = one.errors or [BadSheet("a problem is a mapping with a type and givens")]
        if node is not None and errors[0].place is None:
            errors[0].place = place(file, node)
        done = Solved(FiledProblem(file, 0), errors=errors)
    if one.repeated is not None:
        done.errors.append(one.repeated)
    if node is not None:
        done.errors.sort(key=lambda e: (e.place.line, e.place.column) if e.place else (0, 0))
    return done


def _take_errors(done: Solved, part: Solved, ids: Sequence[str]) -> None:
    """Note the errors of a *part* of *done*, which has parts *ids*, each once, and say of which."""
    head, own = done.question.id, part.question.id or ""
    told = {(str(error), error.place) for error in done.errors}
    for error in part.errors:
        error.problem = f"{head}.{own}" if head else own
        if isinstance(error, UnknownName) and error.what == "earlier part" and error.name in ids:
            error.why = " (this part itself)" if error.name == own else ", which comes later"
        done.errors += [error] * ((str(error), error.place) not in told)


def refused(one: Unsolved, error: DdcalcError) -> Solved:
    """A problem of a file that is not solved because of an *error*."""
    if not isinstance(one.node, Mapping):
        return worked_out(one)
    question = understood(one.node, one.defaults, one.file)
    question.refuse(error, one.node)
    return Solved(question, errors=question.errors)


def _check_marking(question: FiledProblem, parts: Sequence[Solved]) -> None:
    """Refuse what a *question* requires of no result of its *parts*."""
    if not question.marking:
        return
    keys = [Key(part) for part in parts if part.derivation]
    results = {name: result for key in keys for name, result in key.results.items()}
    for error in requirements(question, results).wrong if results else ():
        question.refuse(error)


def _in_order(parts: Iterable[FiledProblem]) -> Iterator[Solved]:
    """Each of the *parts* solved, when it is asked for; it may stand on those before it."""
    known: Earlier = {}
    for part in parts:
        solved = worked(part, known)
        known[part.id or ""] = [] if solved.errors else solved.cases
        yield solved


def ending(question: FiledProblem, parts: Sequence[Solved]) -> Solved | None:
    """What is said of all *parts* of a *question*, which has what is wrong with that."""
    if question.ending is None:
        return None
    said = worked(question.ending, {x.question.id or "": x.cases for x in parts})
    for error in said.errors:
        if isinstance(error, UnknownName) or all(part.cases for part in parts):
            error.problem = question.id
            question.errors.append(error)
    return said


def solved_again(done: Solved, instead: Mapped[int, tuple[Scalar, Node]]) -> Iterator[Solved]:
    """The parts of a question, or itself if it has none, with other entries *instead* of those that
    are given, each solved when it is asked for."""
    again = (part.question.restated(instead) for part in done.each)
    yield from _in_order(again) if done.parts else map(worked, again)


def worked(question: FiledProblem, earlier: Earlier | None = None) -> Solved:
    """A question solved, or a part, which may stand on *earlier* ones."""
    done = Solved(question, errors=question.errors)
    for error in untold(question):
        question.refuse(error, question.words)
    if question.problem is not None:
        try:
            steps, relations = steps_of(question, earlier or {})
            if question.errors and not (steps or question.problem.answer):  # of which none is one
                return done
            results = None if earlier is None else partial(result_of, parts=earlier)
            done.cases = worked_cases(question, steps, relations, results)
            told = [(n, x, _told(says, done.cases)) for n, x, says in steps]
            if told != steps:
                done.cases = worked_cases(question, told, relations, results)
            for _, words, _ in conclusions(steps):
                put_in(words, done.cases)
            done.derivation = done.cases[0]
        except DdcalcError as error:
            before = f"({question.goes_on}), which is not solved"
            fails = question.goes_on and not (earlier or {}).get(question.goes_on)
            for single in [BadSheet(f"goes on with {before}")] if fails else error.singles():
                question.locate(single)
        except Exception as error:  # our own mistake must not cost the other problems
            question.refuse(Bug(error))
    if done.derivation is not None and not question.errors:
        for number in range(len(done.cases)):
            _check(done, number, relations)
        _check_marking(question, [done])
    return done


def _told(says: str, cases: Sequence[Derivation]) -> str:
    """What a step *says*, with values for the ``{names}`` but in what is concluded from it."""
    first, arrow, then = says.partition(" => ")
    return f"{put_in(first, cases) or first}{arrow}{then}"


def _check(done: Solved, number: int, relations: Mapped[str, list[str]]) -> None:
    """Compare what the question states, *relations* too, with the case of that *number*; a list of
    answers states one for each case."""
    question, derivation = done.question, done.cases[number]
    try:
        words = [put_in(text, done.cases) or text for text in relations["limit"]]
        limits = asserted(derivation, words, "limit")
        done.checks += asserted(derivation, relations["assert"])
        _, node = question.expect.get("limit", (None, None))
        verdict = None if node is None else of_case(node, "limit", done.cases, number)
        is_unmet = isinstance(verdict, Scalar) and verdict.text == VERDICTS[1]
        fails = not all(one.agrees for one in limits)  # of which one is enough
        expected = (not is_unmet or (fails and one.agrees) for one in limits)
        done.limits += [replace(x, expected=e) for x, e in zip(limits, expected, strict=True)]
    except DdcalcError as unmet:
        question.locate(unmet)
    for ours, stated in ((True, question.expect), (False, question.claimed)):
        for name, (key, node) in stated.items():
            node = of_case(node, name, done.cases, number)
            if ours and name == "limit" and relations["limit"]:
                text = node.text if isinstance(node, Scalar) else ""
                if text not in VERDICTS and (text or not number):  # a list that fits no cases once
                    several = f", for {len(done.cases)} cases a list of them" * bool(done.cases[1:])
                    reason = f"is no verdict; write {' or '.join(VERDICTS)}{several}"
                    question.refuse(BadValue(text or "a list", reason).about("limit"), node)
                continue
            try:
                done.checks.append(checked(derivation, name, node, ours))
            except DdcalcError as error:
                if number and isinstance(error, UnknownName):
                    continue  # said of the first case
                question.refuse(error.about(name), key if isinstance(error, UnknownName) else node)
                if not ours:
                    done.of_claims.append(error)
            except Exception as error:  # as above
                question.refuse(Bug(error).about(name), node)
