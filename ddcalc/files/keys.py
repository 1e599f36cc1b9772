"""The keys to the problems of a sheet by the names that answers are stated under; of an exam in
versions those of one version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.grading import VERSION, Mark, without_version
from ddcalc.ask.mark.judge import StatedAnswer
from ddcalc.boundary.nodes import Node, Scalar, place
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, DdcalcError, Repeated, UnknownName, quote
from ddcalc.files.answer_key import Key, Within, called
from ddcalc.files.batch import Solved
from ddcalc.numbers.display import counted

BLANK = ("", "-", "–", "—")  # nothing was answered
SEPARATORS = ".: /"  # between a problem and its quantity in one name

Meant = tuple[tuple[Key, ...], str]  # a problem, or the cases of one, and one of its quantities


@dataclass(slots=True)
class Paper:
    """What one *student* hands in, to a *version* of an exam where there are several: each answer
    as it was *stated*, not read yet, and in between what is wrong beside the answers."""

    student: str
    stated: list[tuple[Meant, Node] | DdcalcError] = field(default_factory=list)
    version: int | None = None

    def refuse(self, error: DdcalcError, file: str, node: Node) -> None:
        """Note that something is wrong at *node*."""
        self.stated.append(error.about(self.student, place(file, node)))


class Keys:
    """The problems of a *file* by id, without regard to case, in its order, and the parts of
    questions (``q3.a``); None stands for one that is not solved, so that it cannot be marked.

    Of one *version* of an exam, problems are called by what stands before its number as well.
    """

    def __init__(
        self, keys: Mapping[str, Key | None], file: str, version: int | None = None
    ) -> None:
        self.keys, self.file, self.version = keys, file, version
        self._versions: dict[int, Keys] = {}
        self._together: dict[str, list[Key]] = {}  # the cases of a part
        heads: dict[str, set[str]] = {}
        for name, key in keys.items():
            if key is not None and key.within is not None:
                ending = f"_{key.within.case + 1}" if len(key.within.cases) > 1 else ""
                part = name.removesuffix(ending)
                self._together.setdefault(part, []).append(key)
                heads.setdefault(name.rpartition(".")[0], set()).add(part)
        for head, parts in heads.items():
            unsolved = (name for name, key in keys.items() if key is None)
            if len(parts) == 1 and not any(name.startswith(f"{head}.") for name in unsolved):
                self._together.setdefault(head, self._together[min(parts)])
        only = next(iter(heads), "")  # the question, where the sheet has no other one
        self._only = f"{only}." if all(name.startswith(f"{only}.") for name in keys) else ""

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
        if self.version is not None:
            if version == self.version:
                return self
            stated = version if ends else quote(text)
            raise BadSheet(f"is of version {stated}; all are said to be of {self.version}")
        if version not in self._versions:
            known = sorted({int(end[1]) for name in self.keys if (end := VERSION.search(name))})
            if not known:
                raise BadSheet("the sheet has no versions: ids that end in a number, such as q1-2")
            if version not in known:
                listed = f"{known[0]} to {known[-1]}" if len(known) > 1 else f"{known[0]} only"
                raise BadSheet(f"unknown version {quote(text)}; the sheet has {listed}")
            mine = {
                without_version(name): key
                for name, key in self.keys.items()
                if (end := VERSION.search(name)) and end[1] == str(version)
            }
            self._versions[version] = Keys(mine, self.file, version)
        return self._versions[version]

    def meant(self, name: str, quantity: str = "") -> Meant:
        """The problem and quantity that *name* means: ``problem``, ``problem.quantity``, or a
        quantity alone where there is only one problem. The cases of a part are meant together.

        Raises UnknownName, or BadSheet for a problem that is not solved.
        """
        name = name.strip()
        full = f"{name}.{quantity}" if quantity else name
        ends = [i for i, mark in enumerate(full) if mark in SEPARATORS]
        for at in (len(full), *reversed(ends)):
            if found := self._called(full[:at].strip()):
                return found, found[0].quantity(full[at + 1 :])
        keys = [*self.keys.values()]
        if len(keys) == 1 and keys[0] is not None and not (name and quantity):
            return (keys[0],), keys[0].quantity(name or quantity)
        base = re.split(f"[{SEPARATORS}]", name)[0].lower()
        ends_of = [x for x in map(VERSION.search, self.keys) if x and x.string[: x.start()] == base]
        if self.version is None and len({end[1] for end in ends_of}) > 1:
            which = "a column named version, or --variant, says which one"
            raise BadSheet(f"{base} has several versions; {which}")
        is_head = any(one.startswith(f"{name.lower()}.") for one in self.keys)
        raise UnknownName("problem", full if is_head else name, self.names)

    def is_part(self, name: str) -> bool:
        """Whether *name* is that of a part, or of its cases."""
        return any(key.within is not None for key in self._called(name))

    def _called(self, name: str) -> tuple[Key, ...]:
        """The key to the problem that is called *name*, with the number of the version or not, or
        those to the cases of the part."""
        name = name.strip().lower()
        if self.version is not None and name not in self.keys:
            end = VERSION.search(name)
            name = without_version(name) if end and end[1] == str(self.version) else name
        for full in (name, self._only + name):
            if full in self.keys:
                if (key := self.keys[full]) is None:
                    raise BadSheet(f"problem {full} is not solved, so it is not marked")
                return (key,)
            if full in self._together:
                return tuple(self._together[full])
        return ()

    def marks(self, paper: Paper) -> Iterator[tuple[Key, Mark] | DdcalcError]:
        """What is wrong with a *paper*, then the marks of its answers as the sheet has them."""
        read: dict[Key, dict[str, StatedAnswer | Mark]] = {}
        for one in paper.stated:
            if isinstance(one, DdcalcError):
                yield one
                continue
            (keys, name), node = one
            for key, part in zip(keys, _of_each(keys, node), strict=True):
                mine = read.setdefault(key, {})
                try:
                    if name in mine:
                        raise Repeated(f"{paper.student}, {key.name}, {name}")
                    if isinstance(part, DdcalcError):
                        raise part
                    mine[name] = key.unanswered(name) if _is_blank(part) else key.answer(name, part)
                except DdcalcError as error:
                    text = node.text if isinstance(node, Scalar) else "…"
                    mine.setdefault(name, key.unread(name, text, error))
                    if key is keys[0] or not isinstance(part, DdcalcError):
                        error.problem = error.problem or key.name
                        yield error.about(f"{paper.student}, {name}", place(self.file, node))
        yield from marked(filter(None, self.keys.values()), read)


def keys_of(done: Solved, *, decimal_comma: bool = False) -> dict[str, Key | None]:
    """The keys to a problem, or to the parts of a question and their cases, by name; None where
    there is no answer. Decimal commas are those of answers, or of the file."""
    head, keys = done.question, dict[str, Key | None]()
    decimal_comma = decimal_comma or head.paper.get("decimal") == "comma"
    for part in done.parts:
        cases = part.cases if part.derivation else []
        if not cases:
            keys[f"{called(head)}.{part.question.id}".lower()] = None
        for i, solved in enumerate(cases):
            name = f"{part.question.id}_{i + 1}" if len(cases) > 1 else part.question.id or ""
            within = Within(head, name, cases, i)
            key = Key(part.question, solved, decimal_comma=decimal_comma, within=within)
            keys[key.name.lower()] = key
    if not done.parts:
        alone = done.derivation
        made = None if alone is None else Key(head, alone, decimal_comma=decimal_comma)
        keys[called(head).lower()] = made
    return keys


def marked(
    keys: Iterable[Key], read: Mapping[Key, Mapping[str, StatedAnswer | Mark]]
) -> Iterator[tuple[Key, Mark]]:
    """The marks of what was *read* of a student, in the order of the *keys*: of the parts of a
    question with what follows from earlier ones, answered or not."""
    following = {id(key.within.head): Following() for key in read if key.within}
    for key in keys:
        theirs = following.get(id(key.within.head)) if key.within else None
        if key in read or theirs is not None:
            mine = read.get(key, {})
            stated = {name: one for name, one in mine.items() if isinstance(one, tuple)}
            made = {mark.name: mark for mark in key.marks(stated, theirs)}
            made.update((name, one) for name, one in mine.items() if isinstance(one, Mark))
            yield from ((key, made[name]) for name in key.results if name in made)


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
