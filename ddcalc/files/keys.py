"""The keys to the problems of a sheet by the names that answers are stated under; of an exam in
versions those of one version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.grading import AS_USUAL, VERSION, Mark, StudentMarks, without_version
from ddcalc.ask.mark.judge import StatedAnswer
from ddcalc.ask.solve import Derivation
from ddcalc.boundary.nodes import Node, Scalar, entries_of, place
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, BadValue, DdcalcError, Repeated, UnknownName, quote, raise_all
from ddcalc.files.answer_key import Key, called
from ddcalc.files.drawn import DrawnQuestion
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.part_cases import of_case
from ddcalc.files.solved import Solved
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import counted

BLANK = ("", "-", "–", "—")  # nothing was answered
LONGEST: Final = 64  # characters of an id
SEPARATORS = ".: /"  # between a problem and its quantity in one name

_NAME: Final = r"\s*[^\W\d][\w-]*\s*=(?!=)"  # before an answer
_NEXT: Final = re.compile(f",(?={_NAME})")
_NAMED: Final = re.compile(r"\s*([^\W\d][\w-]*)\s*=(?!=)(.*)", re.DOTALL)

Meant = tuple[tuple[Key, ...], str]  # a problem, or the cases of one, and one of its quantities


class PaperEntry(NamedTuple):
    """An *answer* to a *quantity* (empty: the one asked) of the problem called *name*, as it stands
    at *problem*."""

    name: str
    problem: Scalar
    quantity: Scalar
    answer: Node


@dataclass(slots=True)
class Paper:
    """What one *student* hands in, to a *version* of an exam where there are several: what is
    *stated*, not read yet, and in between what is wrong beside the answers. What has no meaning is
    wrong *about* the student, or a header."""

    student: str
    stated: list[PaperEntry | DdcalcError] = field(default_factory=list)
    version: int | None = None
    about: str = ""

    def refuse(self, error: DdcalcError, file: str, node: Node) -> None:
        """Note that something is wrong at *node*."""
        self.stated.append(error.about(self.student, place(file, node)))


Named = Mapping[str, tuple[Key, ...]]
"""Keys by names without regard to case: a problem, a part (``q3.b``) with all its cases, each of
these (``q3.b_1``); none of what is not solved, so that it cannot be marked."""


class Keys:
    """The problems of a *file*, as they are *named*, in its order.

    Of one *version* of an exam, problems are called by what stands before its number as well; of
    all of them *having* says who has which.
    """

    def __init__(self, named: Named, file: str, version: int | None = None) -> None:
        self.named, self.file, self.version = {**named}, file, version
        self.keys = [*dict.fromkeys(key for its in named.values() for key in its)]
        heads = ((key.head or key.source).versions for key in self.keys)
        self.having = {} if version else next(filter(None, heads), {})
        head = next(iter(named), "").rpartition(".")[0] if self.keys and self.keys[0].head else ""
        if head and all(f"{name}.".startswith(f"{head}.") for name in named):  # the only question
            self.named = {name.removeprefix(f"{head}."): its for name, its in named.items()}
            self.named |= named

    @property
    def is_one(self) -> bool:
        """Whether there is only one thing to be marked."""
        return len(self.keys) == 1 and all(self.named.values())

    @property
    def names(self) -> list[str]:
        """The problems that are solved, as the sheet calls them."""
        return [key.name for key in self.keys]

    @cached_property
    def versions(self) -> dict[int, Keys]:
        """The problems of each version: those whose ids end in its number, as ``variants`` writes
        them."""
        made: dict[int, dict[str, tuple[Key, ...]]] = {}
        for name, its in self.named.items():
            if end := VERSION.search(name):
                made.setdefault(int(end[1]), {})[without_version(name)] = its
        return {one: Keys(made[one], self.file, one) for one in sorted(made)}

    def of_version(self, text: str) -> Keys:
        """The problems of the version that *text* names (``2``, ``version 2``).

        Raises BadSheet where there are none.
        """
        ends = re.fullmatch(r"\D*0*(\d{1,9})", text.strip())
        version, known = int(ends[1]) if ends else 0, [*self.versions]
        if not known:
            raise BadSheet("the sheet has no versions: ids that end in a number, such as q1-2")
        if version not in known:
            listed = f"{known[0]} to {known[-1]}" if len(known) > 1 else f"{known[0]} only"
            raise BadSheet(f"unknown version {quote(text)}; the sheet has {listed}")
        return self.versions[version]

    def version_of(self, student: str) -> int | None:
        """Which version the file says that a *student* has; None where it says nothing of anybody.

        Raises BadSheet where it names others only, and as :meth:`of_version` does.
        """
        if not self.having:
            return None
        if (version := self.having.get(" ".join(student.split()))) is None:
            which = "a column named version says which one"
            raise BadSheet(f"has no version: `names` of the exam lists others; {which}")
        return self.of_version(version).version

    def meant(self, name: str, quantity: str = "") -> Meant:
        """The problem and quantity that *name* means: ``problem``, ``problem.quantity``, or a
        quantity alone where there is only one problem. The cases of a part are meant together.

        Raises UnknownName, or BadSheet for a problem that is not solved.
        """
        name = name.strip()
        full = f"{name}.{quantity}" if quantity else name
        ends = [i for i, mark in enumerate(full) if mark in SEPARATORS]
        for at in (len(full), *reversed(ends)):
            problem = full[:at].strip()
            if (found := self._found(problem)) is not None:
                if not found:
                    raise BadSheet(f"problem {problem} is not solved, so it is not marked")
                return found, found[0].quantity(full[at + 1 :])
        if self.is_one and not (name and quantity):
            return (self.keys[0],), self.keys[0].quantity(name or quantity)
        base = re.split(f"[{SEPARATORS}]", name)[0].lower()
        versions = self.versions.values() if self.version is None else ()
        if sum(any(f"{n}.".startswith(f"{base}.") for n in one.named) for one in versions) > 1:
            which = "a column named version says which one"
            raise BadSheet(f"{base} has several versions; {which}")
        is_head = any(one.startswith(f"{name.lower()}.") for one in self.named)
        raise UnknownName("problem", full if is_head else name, self.names)

    def is_part(self, name: str) -> bool:
        """Whether *name* is that of a part, or of its cases."""
        return any(key.head is not None for key in self._found(name) or ())

    def _found(self, name: str) -> tuple[Key, ...] | None:
        """The key to the problem that is called *name*, with the number of the version or not, or
        those to the cases of the part, none where it is not solved; None for another name."""
        name = name.strip().lower()
        end = VERSION.search(name)
        if name not in self.named and end and end[1] == str(self.version):
            name = without_version(name)
        return self.named.get(name)

    def marked(self, paper: Paper) -> tuple[StudentMarks, list[DdcalcError]]:
        """The marks of a *paper*, in the order of the sheet, and what is wrong with it."""
        if paper.version is not None and self.version is None:
            return self.of_version(str(paper.version)).marked(paper)
        handed, errors = StudentMarks(paper.student, [], self.version), list[DdcalcError]()
        read = dict[Key, dict[str, StatedAnswer | Mark]]()
        for one in paper.stated:
            errors += [one] if isinstance(one, DdcalcError) else self._read(one, paper, read)
        # of parts with what follows from earlier ones, answered or not
        following = {id(key.head): Following() for key in read if key.head}
        for key in self.keys:
            theirs = following.get(id(key.head))
            if key in read or theirs is not None:
                mine = read.get(key, {})
                stated = {name: one for name, one in mine.items() if isinstance(one, tuple)}
                made = {mark.name: mark for mark in key.marks(stated, theirs)}
                made.update((name, one) for name, one in mine.items() if isinstance(one, Mark))
                handed.marked += ((key.name, made[name]) for name in key.results if name in made)
        return handed, errors

    def _read(
        self, entry: PaperEntry, paper: Paper, read: dict[Key, dict[str, StatedAnswer | Mark]]
    ) -> Iterator[DdcalcError]:
        """Read an *entry* of a *paper* into what is *read* of it so far; what is wrong with it."""
        node = entry.answer
        try:
            keys, name = self.meant(entry.name, entry.quantity.text.strip())
            if name in read.get(keys[0], ()):
                raise Repeated(entry.quantity.text or entry.name)
        except DdcalcError as error:
            is_result = isinstance(error, UnknownName) and error.what == "result"
            is_quantity = is_result and entry.quantity.text
            where = place(self.file, entry.quantity if is_quantity else entry.problem)
            if not (paper.student or paper.about):
                error.problem = entry.name
            yield error.about(paper.about or paper.student or entry.quantity.text, where)
            return
        for key, part in zip(keys, _of_each(keys, node), strict=True):
            try:
                if isinstance(part, DdcalcError):
                    raise part
                answer = key.unmarked(name) if _is_blank(part) else key.answer(name, part)
                read.setdefault(key, {})[name] = answer
            except DdcalcError as error:
                text = node.text if isinstance(node, Scalar) else "…"
                read.setdefault(key, {})[name] = key.unmarked(name, text, error)
                if key is keys[0] or not isinstance(part, DdcalcError):
                    error.problem = error.problem or (key.name if self.file else None)
                    about = f"{paper.student}, {name}" if paper.student else paper.about or name
                    yield error.about(about, place(self.file, node))

    def claims(self) -> Paper:
        """What the problems claim themselves."""
        paper = Paper("")
        for key in self.keys:
            for spelt, node in key.source.claimed.values():
                node = of_case(node, spelt.text, key.part.cases, key.case)
                paper.stated.append(PaperEntry(key.name, spelt, spelt, node))
        return paper


def keys_in(done: Solved) -> list[tuple[Key, ...]]:
    """The keys to each part of a question, or to itself, one for each case; none to what is not
    solved."""
    head = done.question if done.parts else None
    return [
        tuple(Key(part, i, head) for i in range(len(part.cases) if part.derivation else 0))
        for part in done.each
    ]


def keys_of(done: Solved) -> dict[str, tuple[Key, ...]]:
    """The keys to a problem, or to the parts of a question, and to their cases."""
    named, whole = dict[str, tuple[Key, ...]](), called(done.question).lower()
    for part, keys in zip(done.each, keys_in(done), strict=True):
        named[f"{whole}.{part.question.id or ''}".lower() if done.parts else whole] = keys
        named |= {key.name.lower(): (key,) for key in keys}
    if len(done.parts) == 1 and keys:
        named[whole] = keys
    return named


def keys_to(solved: Derivation, marking: Mapping[str, Any]) -> Keys:
    """The key to a question in no file; *marking* says what is required of answers to it."""
    slug = solved.problem.slug
    question = FiledProblem("", 0, title=slug, marking=entries_of(marking))
    made = Key(Solved(question, solved, [solved]))
    raise_all(made.requirements.wrong)
    return Keys({slug: (made,)}, "")


def answers_in(text: str) -> Paper:
    """The answers in the *text* of ``--mine``: ``total = 588.47 s, full_rounds = 83``, or one that
    is not named."""
    paper = Paper("", about="mine")
    for part in _NEXT.split(text):
        name, answer = assigned.groups() if (assigned := _NAMED.fullmatch(part)) else ("", part)
        if answer.strip():
            paper.stated.append(PaperEntry(name, Scalar(name), Scalar(""), Scalar(answer.strip())))
        else:
            error = BadValue(part, "states no answer; write for example total=595.5s")
            paper.stated.append(error.about(paper.about))
    return paper


def _of_each(keys: Sequence[Key], node: Node) -> Sequence[Node | DdcalcError]:
    """What *node* states for each of the cases, or what is wrong with it."""
    if len(keys) == 1 or _is_blank(node):
        return [node] * len(keys)
    listed = node.items if isinstance(node, Listed) else []
    if isinstance(node, Scalar):
        listed = [Scalar(text, node.line, node.column) for text in keys[0].listed(node.text)]
    if len(listed) == len(keys):
        return listed
    return [BadSheet(f"lists {counted(len(listed), 'value')}; {len(keys)} are asked")] * len(keys)


def _is_blank(node: Node) -> bool:
    nodes = node.items if isinstance(node, Listed) else [node]
    return all(isinstance(one, Scalar) and one.text.strip() in BLANK for one in nodes)


# The exams that are made of a sheet


@dataclass(frozen=True)
class ExamItem:
    """A variant in an exam: its *base*, the number of its *version*, and itself *done*."""

    base: DrawnQuestion
    version: int
    done: Solved

    @property
    def id(self) -> str:
        """A name that no other item has, made from that of the base."""
        end = f"-{self.version}"
        return self.base.name[: LONGEST - len(end)] + end

    @cached_property
    def parts(self) -> list[tuple[Key, ...]]:
        """The keys to its parts, or to itself, one for each case."""
        return keys_in(self.done)

    @cached_property
    def ways(self) -> dict[str, set[str]]:
        """In which ways its parts, and their cases, read each choice."""
        ways: dict[str, set[str]] = {}
        for one in (x for keys in self.parts for key in keys for x in key.solved.assumptions):
            ways.setdefault(one.choice, set()).add(one.says)
        return ways

    @property
    def points(self) -> Number | None:
        """What it is worth, where that is stated."""
        worth = [point for key, *_ in self.parts for point in key.worth]
        return None if all(one == AS_USUAL.points for one in worth) else sum(worth)


Version = tuple[ExamItem, ...]


def versions(bases: Sequence[DrawnQuestion]) -> Iterator[Version]:
    """As many versions as the base with the fewest variants has, each with all questions; each is
    made when it is asked for, so that what its pages need does not stay."""
    for number in range(min(map(len, bases), default=0)):
        yield tuple(ExamItem(base, number + 1, base.version(number)) for base in bases)
