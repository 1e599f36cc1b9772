"""The keys to the problems of a sheet by the names that answers are stated under; of an exam in
versions those of one version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ddcalc.ask.mark.grading import Mark
from ddcalc.boundary.nodes import Node, Scalar, place
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, DdcalcError, Repeated, UnknownName, quote
from ddcalc.files.answer_key import Key, StatedAnswer

MOST_WARM = 100  # problems of which is kept what was searched for slips
BLANK = ("", "-", "–", "—")  # nothing was answered
SEPARATORS = ".: /"  # between a problem and its quantity in one name

_VERSION = re.compile(r"(?<=.)-(\d{1,9})$")  # at the end of an id

Meant = tuple[Key, str]  # a problem, and one of its quantities


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
    """The problems of a *file* by id, without regard to case, in its order; None stands for one
    that is not solved, so that it cannot be marked.

    Of one *version* of an exam, problems are called by what stands before its number as well.
    """

    def __init__(
        self, keys: Mapping[str, Key | None], file: str, version: int | None = None
    ) -> None:
        self.keys, self.file, self.version = keys, file, version
        self._versions: dict[int, Keys] = {}
        self._warm: dict[str, Key] = {}  # those that hold what was searched, the oldest first

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
        if self.version is not None and version != self.version:
            stated = version if ends else quote(text)
            raise BadSheet(f"is of version {stated}; all are said to be of {self.version}")
        if self.version is not None:
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
            self._versions[version] = Keys(mine, self.file, version)
        return self._versions[version]

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

    def _key(self, name: str) -> Key | None:
        """The key to the problem that is called *name*, with the number of the version or not."""
        name = name.strip().lower()
        if self.version is not None and name not in self.keys:
            name = name.removesuffix(f"-{self.version}")
        if name in self.keys and self.keys[name] is None:
            raise BadSheet(f"problem {name} is not solved, so it is not marked")
        return self.keys.get(name)

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
                if name in mine:
                    raise Repeated(f"{paper.student}, {key.name}, {name}")
                blank = _is_blank(node)
                mine[name] = key.unanswered(name) if blank else key.answer(name, node)
            except DdcalcError as error:
                text = node.text if isinstance(node, Scalar) else "…"
                mine.setdefault(name, key.unread(name, text, error))
                error.problem = error.problem or key.name
                yield error.about(f"{paper.student}, {name}", place(self.file, node))
        for key in filter(None, self.keys.values()):
            if key in read:
                self._keep_warm(key)
                stated = {name: x for name, x in read[key].items() if isinstance(x, tuple)}
                made = {mark.name: mark for mark in key.marks(stated)}
                made.update((name, x) for name, x in read[key].items() if isinstance(x, Mark))
                yield from ((key, made[name]) for name in key.results if name in made)

    def _keep_warm(self, key: Key) -> None:
        """Keep what is searched for *key*, and give up what was searched longest ago."""
        self._warm.pop(key.name, None)
        self._warm[key.name] = key
        if len(self._warm) > MOST_WARM:
            self._warm.pop(next(iter(self._warm))).question.forget()


def _is_blank(node: Node) -> bool:
    nodes = node.items if isinstance(node, Listed) else [node]
    return all(isinstance(one, Scalar) and one.text.strip() in BLANK for one in nodes)


def without_version(name: str) -> str:
    """The *name* of a problem without the number of its version: ``ps-epochs`` of ``ps-epochs-2``.

    >>> without_version("ps-epochs-2"), without_version("sync-step")
    ('ps-epochs', 'sync-step')
    """
    return _VERSION.sub("", name)
