"""The keys to the problems of a sheet by the names that answers are stated under, and what one
student has handed in, which they read and mark; of an exam in versions those of a version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ddcalc.ask.mark.grading import Answer, Mark
from ddcalc.ask.mark.written import Allowed
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.nodes import Node, Scalar, place
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadNumber, BadSheet, DdcalcError, Place, Repeated, UnknownName, quote
from ddcalc.files.answer_key import Key, Unread
from ddcalc.numbers.display import counted

MOST_STUDENTS = 1_000_000  # of whom it is checked that they hand in once
MOST_WARM = 100  # problems of which is kept what was searched for slips
BLANK = ("", "-", "–", "—")  # learning platforms write a dash where nothing was answered
SEPARATORS = ".: /"  # between a problem and its quantity in one name

_PART = re.compile(r"(?:^|; )(?:part|Teil) \d{1,5}:(?: |$)")  # before one of several in a cell
_NUMBER_AT_END = re.compile(r"(?<=.)-\d{1,9}$")  # of an id: the version

Meant = tuple[Key, str]  # a problem, and one of its quantities


@dataclass(slots=True)
class Paper:
    """What one *student* hands in, to a *version* of an exam where there are several: each answer
    as it was *stated*, not read yet, and in between what is wrong beside the answers."""

    student: str
    stated: list[tuple[Meant, Node] | DdcalcError] = field(default_factory=list)
    email: str = ""
    version: int | None = None


@dataclass(slots=True)
class Submission:
    """The answers of one *student* by problem; *errors* say what could not be read.

    What was left blank is an answer too: None.
    """

    student: str
    answers: dict[str, dict[str, tuple[Answer, Allowed] | Unread | None]] = field(
        default_factory=dict
    )
    errors: list[DdcalcError] = field(default_factory=list)


class Names:
    """The students so far, each of whom hands in once; packed, for there may be many."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    def again(self, name: Scalar, file: str) -> Repeated | None:
        """The error that a student called *name* came before; None for a new one."""
        text = name.text.strip()
        if text in self._lines:
            return Repeated(text, Place(file, self._lines[text]))
        if len(self._lines) < MOST_STUDENTS:
            self._lines[text] = name.line
        return None


class Keys:
    """The problems of a sheet by id, without regard to case; *unsolved* ones cannot be marked.

    *order* are the ids as the sheet has them, "" for a problem without one that is not solved. Of
    one *version* of an exam, its problems are called by what stands before its number as well;
    *exam* are those of all versions.
    """

    def __init__(
        self,
        keys: Mapping[str, Key],
        unsolved: frozenset[str],
        file: str,
        order: Sequence[str] = (),
        version: int | None = None,
        exam: Keys | None = None,
    ) -> None:
        self.keys, self.unsolved, self.file = keys, unsolved, file
        self.order = order or tuple(keys)
        self.version, self.exam = version, exam
        self._warm: dict[str, Key] = {}  # those that hold what was searched, the oldest first
        self._versions: dict[int, Keys] = {}
        self.last = 0  # the largest number by which a problem was meant

    def of_version(self, text: str) -> Keys:
        """The problems of the version that *text* names (``2``, ``version 2``): those whose ids end
        in its number, as ``variants`` writes them.

        Raises BadSheet where there are none.
        """
        ends = re.fullmatch(r"\D*0*(\d{1,9})", text.strip())
        version = int(ends[1]) if ends else 0
        if self.exam is not None and version != self.version:
            stated = version if ends else quote(text)
            raise BadSheet(f"is of version {stated}; all are said to be of {self.version}")
        if self.exam is not None:
            return self
        if version not in self._versions:
            order = [name for name in self.order if _NUMBER_AT_END.search(name)]
            end = f"-{version}"
            if not order:
                raise BadSheet("the sheet has no versions: ids that end in a number, such as q1-2")
            if not any(name.endswith(end) for name in order):
                known = sorted({int(name.rpartition("-")[2]) for name in order})
                listed = f"{known[0]} to {known[-1]}" if len(known) > 1 else f"{known[0]} only"
                raise BadSheet(f"unknown version {quote(text)}; the sheet has {listed}")
            mine = [name for name in order if name.endswith(end)]
            self._versions[version] = Keys(
                {name.removesuffix(end): self.keys[name] for name in mine if name in self.keys},
                frozenset(name.removesuffix(end) for name in mine if name in self.unsolved),
                self.file,
                [name.removesuffix(end) for name in mine],
                version,
                self,
            )
        return self._versions[version]

    def of_exam(self, name: str) -> int | None:
        """The version of the problem that *name* means among those of all versions, 0 for a problem
        of none; None where it means no problem."""
        try:
            key, _ = (self.exam or self).meant(name)
        except DdcalcError:
            return None
        ends = _NUMBER_AT_END.search(key.name)
        return -int(ends[0]) if ends else 0

    def meant(self, name: str, quantity: str = "") -> Meant:
        """The problem and quantity that *name* means: ``problem``, ``problem.quantity``, or a
        quantity alone where there is only one problem.

        Raises UnknownName, or BadSheet for a problem that is not solved.
        """
        name = name.strip()
        if (key := self._key(name)) is not None:
            return key, key.quantity(quantity)
        if not quantity:
            for at in (i for i, mark in enumerate(name) if mark in SEPARATORS):
                if (key := self._key(name[:at].strip())) is not None:
                    return key, key.quantity(name[at + 1 :])
        if len(self.keys) == 1 and not self.unsolved and not (name and quantity):
            [key] = self.keys.values()
            return key, key.quantity(name or quantity)
        base = re.split(f"[{SEPARATORS}]", name)[0].lower()
        if self.version is None and [without_version(one) for one in self.order].count(base) > 1:
            which = "a column named version, or --variant, says which one"
            raise BadSheet(f"{base} has several versions; {which}")
        raise UnknownName("problem", name, [key.name for key in self.keys.values()])

    def numbered(self, number: int, name: str) -> Meant:
        """What is asked in problem *number* of the sheet, which a file calls *name*."""
        if not 1 <= number <= len(self.order):
            raise UnknownName("problem", name, [key.name for key in self.keys.values()])
        key = self._key(self.order[number - 1])
        if key is None:
            raise BadSheet(f"problem {number} is not solved, so it is not marked")
        self.last = max(self.last, number)
        return key, key.quantity("")

    @property
    def is_guessed(self) -> bool:
        """Whether problems were meant by their numbers, but not as many as there are, and some of
        them are the same in other versions."""
        bases = {without_version(name) for name in self.order}
        return self.version is None and 0 < self.last < len(self.order) > len(bases)

    def is_problem(self, name: str) -> bool:
        """Whether a problem is called *name*."""
        name = self._spelt(name)
        return name in self.keys or name in self.unsolved

    def _key(self, name: str) -> Key | None:
        name = self._spelt(name)
        if name in self.unsolved:
            raise BadSheet(f"problem {name} is not solved, so it is not marked")
        return self.keys.get(name)

    def _spelt(self, name: str) -> str:
        """*name* as the problems are called here, without the number of the version."""
        name = name.strip().lower()
        if self.version is None or name in self.keys or name in self.unsolved:
            return name
        return name.removesuffix(f"-{self.version}")

    def marks(self, handed: Submission) -> Iterator[tuple[Key, Mark]]:
        """The marks of a submission, problem by problem as the sheet has them."""
        for key in self.keys.values():
            name = key.name.lower()
            stated = handed.answers.get(name)
            if stated is None:
                continue
            self._warmed(name, key)
            given = {q: answer for q, answer in stated.items() if isinstance(answer, tuple)}
            done = {mark.name: mark for mark in key.marks(given)}
            for quantity, answer in stated.items():
                if not isinstance(answer, tuple):
                    done[quantity] = key.unmarked(quantity, answer)
            yield from ((key, done[quantity]) for quantity in key.results if quantity in done)

    def _warmed(self, name: str, key: Key) -> None:
        """Keep what is searched for *key*, and give up what was searched longest ago."""
        self._warm.pop(name, None)
        self._warm[name] = key
        if len(self._warm) > MOST_WARM:
            oldest = next(iter(self._warm))
            self._warm.pop(oldest).question.forget()

    def add(self, handed: Submission, meant: Meant, node: Node) -> None:
        """Read the answer in *node* into *handed*, or several (``part 1: 50; part 2: 500``)."""
        key, quantity = meant
        first, *texts = _PART.split(node.text.strip()) if isinstance(node, Scalar) else [""]
        if first or not texts:
            self._add(handed, key, quantity, node)
            return
        parts = [Scalar(text, node.line, node.column) for text in texts]
        try:
            for name, part in _in_parts(key, parts):
                self._add(handed, key, name, part)
        except DdcalcError as error:
            answers = handed.answers.setdefault(key.name.lower(), {})
            answers.setdefault(quantity, Unread("; ".join(part.text for part in parts), why(error)))
            self._refuse(handed, error, node, key.name)

    def _add(self, handed: Submission, key: Key, quantity: str, node: Node) -> None:
        answers = handed.answers.setdefault(key.name.lower(), {})
        if quantity in answers:
            repeated = Repeated(f"{handed.student}, {key.name}, {quantity}")
            self._refuse(handed, repeated, node, key.name, quantity)
            return
        try:
            nodes = node.items if isinstance(node, Listed) else [node]
            blank = all(isinstance(one, Scalar) and one.text.strip() in BLANK for one in nodes)
            answers[quantity] = None if blank else key.answer(quantity, node)
        except DdcalcError as error:
            answers[quantity] = Unread(node.text if isinstance(node, Scalar) else "…", why(error))
            self._refuse(handed, error, node, key.name, quantity)

    def _refuse(
        self, handed: Submission, error: DdcalcError, node: Node, problem: str, name: str = ""
    ) -> None:
        """Note that an answer of *handed* is wrong at *node*."""
        error.problem = error.problem or problem
        about = ", ".join(part for part in (handed.student, name) if part)
        handed.errors.append(error.about(about, place(self.file, node)))

    def refuse(self, paper: Paper, error: DdcalcError, node: Node) -> None:
        """Note that something of a *paper* is wrong at *node*."""
        paper.stated.append(error.about(paper.student, place(self.file, node)))


def _in_parts(key: Key, parts: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    """The answers in *parts* by quantity: those that the sheet expects, or those of which it says
    what points they are worth, in order, with a part for each member of a list.

    Raises BadSheet where there are more or fewer.
    """
    expected = [name.replace("-", "_") for name in key.source.expect]
    worth = {
        name.replace("-", "_")
        for name, (_, entry) in key.source.marking.items()
        if isinstance(entry, Named) and "points" in entry.entries
    }
    sizes = {
        name: len(result) if isinstance(result, tuple) else 0
        for name, result in key.results.items()
    }
    for names in (expected, [name for name in key.results if name in worth]):
        if all(name in sizes for name in names) and len(parts) == sum(
            sizes[name] or 1 for name in names
        ):
            rest = iter(parts)
            for name in names:
                members = list(islice(rest, sizes[name] or 1))
                yield name, Listed(members) if sizes[name] else members[0]
            return
    raise BadSheet(f"answers {counted(len(parts), 'part')}; the sheet expects {len(expected)}")


def without_version(name: str) -> str:
    """The *name* of a problem without the number of its version: ``ps-epochs`` of ``ps-epochs-2``.

    >>> without_version("ps-epochs-2"), without_version("sync-step")
    ('ps-epochs', 'sync-step')
    """
    return _NUMBER_AT_END.sub("", name)


def why(error: DdcalcError) -> str:
    """What *error* says, without the answer that it is about."""
    return error.reason if isinstance(error, BadNumber) else str(error)
