"""What students have answered: YAML, JSON lines or tables, student by student."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ddcalc.ask.mark.grading import Answer, Mark
from ddcalc.ask.mark.written import Allowed
from ddcalc.boundary.nodes import Node, Scalar, place
from ddcalc.errors import BadNumber, BadSheet, DdcalcError, Place, Repeated, UnknownName
from ddcalc.sheet.marking import Key, Unread

MOST_STUDENTS = 1_000_000  # of whom it is checked that they hand in once
MOST_WARM = 100  # problems of which is kept what was searched for slips
BLANK = ("", "-", "–", "—")  # learning platforms write a dash where nothing was answered
SEPARATORS = ".: /"  # between a problem and its quantity in one name

Found = tuple[Key, str]


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

    *order* are the ids as the sheet has them, "" for a problem without one that is not solved.
    """

    def __init__(
        self,
        keys: Mapping[str, Key],
        unsolved: frozenset[str],
        file: str,
        order: Sequence[str] = (),
    ) -> None:
        self.keys, self.unsolved, self.file = keys, unsolved, file
        self.order = order or tuple(keys)
        self._warm: dict[str, Key] = {}  # those that hold what was searched, the oldest first

    def found(self, name: str, quantity: str = "") -> Found:
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
        raise UnknownName("problem", name, [key.name for key in self.keys.values()])

    def numbered(self, number: int, name: str) -> Found:
        """What is asked in problem *number* of the sheet, which a file calls *name*."""
        if not 1 <= number <= len(self.order):
            raise UnknownName("problem", name, [key.name for key in self.keys.values()])
        key = self._key(self.order[number - 1])
        if key is None:
            raise BadSheet(f"problem {number} is not solved, so it is not marked")
        return key, key.quantity("")

    def is_problem(self, name: str) -> bool:
        """Whether a problem is called *name*."""
        return name.strip().lower() in {*self.keys, *self.unsolved}

    def _key(self, name: str) -> Key | None:
        if name.lower() in self.unsolved:
            raise BadSheet(f"problem {name} is not solved, so it is not marked")
        return self.keys.get(name.lower())

    def marks(self, handed: Submission) -> Iterator[tuple[Key, Mark]]:
        """The marks of a submission, problem by problem as the sheet has them."""
        for name, key in self.keys.items():
            stated = handed.answers.get(name)
            if stated is None:
                continue
            self._warmed(name, key)
            given = {q: told for q, told in stated.items() if isinstance(told, tuple)}
            done = {mark.name: mark for mark in key.marks(given)}
            for quantity, told in stated.items():
                if not isinstance(told, tuple):
                    done[quantity] = key.unmarked(quantity, told)
            yield from ((key, done[quantity]) for quantity in key.results if quantity in done)

    def _warmed(self, name: str, key: Key) -> None:
        """Keep what is searched for *key*, and give up what was searched longest ago."""
        self._warm.pop(name, None)
        self._warm[name] = key
        if len(self._warm) > MOST_WARM:
            oldest = next(iter(self._warm))
            self._warm.pop(oldest).question.forget()

    def add(self, handed: Submission, found: Found, node: Node) -> None:
        """Read the answer in *node* into *handed*."""
        key, quantity = found
        answers = handed.answers.setdefault(key.name.lower(), {})
        if quantity in answers:
            repeated = Repeated(f"{handed.student}, {key.name}, {quantity}")
            self.refuse(handed, repeated, node, key.name, quantity)
            return
        try:
            blank = isinstance(node, Scalar) and node.text.strip() in BLANK
            answers[quantity] = None if blank else key.answer(quantity, node)
        except DdcalcError as error:
            answers[quantity] = Unread(node.text if isinstance(node, Scalar) else "…", why(error))
            self.refuse(handed, error, node, key.name, quantity)

    def refuse(
        self, handed: Submission, error: DdcalcError, node: Node, problem: str = "", name: str = ""
    ) -> None:
        """Note that something of *handed* is wrong at *node*."""
        error.problem = error.problem or problem or None
        error.about(", ".join(part for part in (handed.student, name) if part))
        error.place = error.place or place(self.file, node)
        handed.errors.append(error)


def why(error: DdcalcError) -> str:
    """What *error* says, without the answer that it is about."""
    return error.reason if isinstance(error, BadNumber) else str(error)
