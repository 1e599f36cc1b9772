"""The keys to the problems of a sheet by the names that answers are stated under; of an exam in
versions those of one version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from ddcalc.ask.mark.grading import Mark
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.nodes import Node, Scalar, place
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, DdcalcError, Repeated, UnknownName, quote
from ddcalc.files.answer_key import Key, StatedAnswer
from ddcalc.numbers.display import counted

MOST_WARM = 100  # problems of which is kept what was searched for slips
BLANK = ("", "-", "–", "—")  # learning platforms write a dash where nothing was answered
SEPARATORS = ".: /"  # between a problem and its quantity in one name

_PART = re.compile(r"(?:^|; )(?:part|Teil) \d{1,5}:(?: |$)")  # before one of several in a cell
_VERSION = re.compile(r"(?<=.)-(\d{1,9})$")  # at the end of an id

Meant = tuple[Key, str]  # a problem, and one of its quantities


@dataclass(slots=True)
class Paper:
    """What one *student* hands in, to a *version* of an exam where there are several: each answer
    as it was *stated*, not read yet, and in between what is wrong beside the answers."""

    student: str
    stated: list[tuple[Meant, Node] | DdcalcError] = field(default_factory=list)
    email: str = ""
    version: int | None = None

    def refuse(self, error: DdcalcError, file: str, node: Node) -> None:
        """Note that something is wrong at *node*."""
        self.stated.append(error.about(self.student, place(file, node)))


class Keys:
    """The problems of a *file* by id, without regard to case, in its order; None stands for one
    that is not solved, so that it cannot be marked.

    Of one *version* of an exam, problems are called by what stands before its number as well;
    *exam* are those of all versions.
    """

    def __init__(
        self,
        keys: Mapping[str, Key | None],
        file: str,
        version: int | None = None,
        exam: Keys | None = None,
    ) -> None:
        self.keys, self.file, self.version, self.exam = keys, file, version, exam
        self._versions: dict[int, Keys] = {}
        self._warm: dict[str, Key] = {}  # those that hold what was searched, the oldest first
        self.last = 0  # the largest number by which a problem was meant

    @property
    def names(self) -> list[str]:
        """The problems that are solved, as the sheet calls them."""
        return [key.name for key in self.keys.values() if key is not None]

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
            known = sorted({int(end[1]) for name in self.keys if (end := _VERSION.search(name))})
            if not known:
                raise BadSheet("the sheet has no versions: ids that end in a number, such as q1-2")
            if version not in known:
                listed = f"{known[0]} to {known[-1]}" if len(known) > 1 else f"{known[0]} only"
                raise BadSheet(f"unknown version {quote(text)}; the sheet has {listed}")
            last = f"-{version}"
            mine = {n.removesuffix(last): key for n, key in self.keys.items() if n.endswith(last)}
            self._versions[version] = Keys(mine, self.file, version, self)
        return self._versions[version]

    def is_of_another(self, name: str) -> bool:
        """Whether *name* means a problem of the exam that is of another version."""
        if self.exam is None:
            return False
        try:
            key, _ = self.exam.meant(name)
        except DdcalcError:
            return False
        end = _VERSION.search(key.name)
        return end is None or int(end[1]) != self.version

    def meant(self, name: str, quantity: str = "") -> Meant:
        """The problem and quantity that *name* means: ``problem``, ``problem.quantity``, or a
        quantity alone where there is only one problem.

        Raises UnknownName, or BadSheet for a problem that is not solved.
        """
        name = name.strip()
        ends = [i for i, mark in enumerate(name) if mark in SEPARATORS and not quantity]
        for at in (len(name), *ends):
            if (key := self._key(name[:at].strip())) is not None:
                return key, key.quantity(quantity or name[at + 1 :])
        keys = [*self.keys.values()]
        if len(keys) == 1 and keys[0] is not None and not (name and quantity):
            return keys[0], keys[0].quantity(name or quantity)
        base = re.split(f"[{SEPARATORS}]", name)[0].lower()
        if self.version is None and [*map(without_version, self.keys)].count(base) > 1:
            which = "a column named version, or --variant, says which one"
            raise BadSheet(f"{base} has several versions; {which}")
        raise UnknownName("problem", name, self.names)

    def numbered(self, number: int, name: str) -> Meant:
        """What is asked in problem *number* of the sheet, which a file calls *name*."""
        if not 1 <= number <= len(self.keys):
            raise UnknownName("problem", name, self.names)
        key = [*self.keys.values()][number - 1]
        if key is None:
            raise BadSheet(f"problem {number} is not solved, so it is not marked")
        self.last = max(self.last, number)
        return key, key.quantity("")

    @property
    def is_guessed(self) -> bool:
        """Whether problems were meant by their numbers, but not as many as there are, and some of
        them are the same in other versions."""
        bases = {without_version(name) for name in self.keys}
        return self.version is None and 0 < self.last < len(self.keys) > len(bases)

    def is_problem(self, name: str) -> bool:
        """Whether a problem is called *name*."""
        return self._spelt(name) in self.keys

    def _key(self, name: str) -> Key | None:
        name = self._spelt(name)
        if name in self.keys and self.keys[name] is None:
            raise BadSheet(f"problem {name} is not solved, so it is not marked")
        return self.keys.get(name)

    def _spelt(self, name: str) -> str:
        """*name* as the problems are called here, without the number of the version."""
        name = name.strip().lower()
        is_known = self.version is None or name in self.keys
        return name if is_known else name.removesuffix(f"-{self.version}")

    def marks(self, paper: Paper) -> Iterator[tuple[Key, Mark] | DdcalcError]:
        """What is wrong with a *paper*, then the marks of its answers as the sheet has them."""
        read: dict[Key, dict[str, StatedAnswer | Mark]] = {}
        for one in paper.stated:
            if isinstance(one, DdcalcError):
                yield one
                continue
            (key, name), node = one
            mine = read.setdefault(key, {})
            try:
                for quantity, part in _in_parts(key, name, node):
                    if (error := _read(mine, paper, key, quantity, part)) is not None:
                        yield self._placed(error, paper, key, part, quantity)
            except DdcalcError as error:
                mine.setdefault(name, key.unread(name, _text(node), error))
                yield self._placed(error, paper, key, node)
        for key in filter(None, self.keys.values()):
            if key in read:
                self._keep_warm(key)
                stated = {name: x for name, x in read[key].items() if isinstance(x, tuple)}
                made = {mark.name: mark for mark in key.marks(stated)}
                made.update((name, x) for name, x in read[key].items() if isinstance(x, Mark))
                yield from ((key, made[name]) for name in key.results if name in made)

    def _placed(
        self, error: DdcalcError, paper: Paper, key: Key, node: Node, quantity: str = ""
    ) -> DdcalcError:
        """*error*, which is about an answer in *node*."""
        error.problem = error.problem or key.name
        about = ", ".join(part for part in (paper.student, quantity) if part)
        return error.about(about, place(self.file, node))

    def _keep_warm(self, key: Key) -> None:
        """Keep what is searched for *key*, and give up what was searched longest ago."""
        self._warm.pop(key.name, None)
        self._warm[key.name] = key
        if len(self._warm) > MOST_WARM:
            self._warm.pop(next(iter(self._warm))).question.forget()


def _read(
    mine: dict[str, StatedAnswer | Mark], paper: Paper, key: Key, quantity: str, node: Node
) -> DdcalcError | None:
    """Read the answer in *node* among *mine*; what is wrong with it, if anything is."""
    if quantity in mine:
        return Repeated(f"{paper.student}, {key.name}, {quantity}")
    nodes = node.items if isinstance(node, Listed) else [node]
    try:
        if all(isinstance(one, Scalar) and one.text.strip() in BLANK for one in nodes):
            mine[quantity] = key.unanswered(quantity)
        else:
            mine[quantity] = key.answer(quantity, node)
    except DdcalcError as error:
        mine[quantity] = key.unread(quantity, _text(node), error)
        return error
    return None


def _in_parts(key: Key, quantity: str, node: Node) -> Iterator[tuple[str, Node]]:
    """The answers in *node* by quantity: one, or several (``part 1: 50; part 2: 500``), which are
    those that the sheet expects, or those of which it says what points they are worth, in order,
    with a part for each member of a list.

    Raises BadSheet where there are more or fewer.
    """
    first, *texts = _PART.split(node.text.strip()) if isinstance(node, Scalar) else [""]
    if first or not texts or not isinstance(node, Scalar):
        yield quantity, node
        return
    expected = [name.replace("-", "_") for name in key.source.expect]
    worth = {
        name.replace("-", "_")
        for name, (_, entry) in key.source.marking.items()
        if isinstance(entry, Named) and "points" in entry.entries
    }
    sizes = {n: len(one) if isinstance(one, tuple) else 0 for n, one in key.results.items()}
    for names in (expected, [name for name in sizes if name in worth]):
        if len(texts) == sum(sizes.get(name, len(texts)) or 1 for name in names):
            rest: Iterator[Node] = (Scalar(text, node.line, node.column) for text in texts)
            for name in names:
                members = [*islice(rest, sizes[name] or 1)]
                yield name, Listed(members) if sizes[name] else members[0]
            return
    raise BadSheet(f"answers {counted(len(texts), 'part')}; the sheet expects {len(expected)}")


def _text(node: Node) -> str:
    """The text of an answer that cannot be read."""
    return "; ".join(filter(None, _PART.split(node.text))) if isinstance(node, Scalar) else "…"


def without_version(name: str) -> str:
    """The *name* of a problem without the number of its version: ``ps-epochs`` of ``ps-epochs-2``.

    >>> without_version("ps-epochs-2"), without_version("sync-step")
    ('ps-epochs', 'sync-step')
    """
    return _VERSION.sub("", name)
