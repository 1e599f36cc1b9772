"""What a question calls the things that it states: givens, choices, and presets that state some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ddcalc.errors import BadValue, DdcalcError, Repeated, UnknownName
from ddcalc.problem.known.presets import SLOTS, Filling, Preset, preset_named
from ddcalc.problem.problem import Problem

Texts = Mapping[str, str | Sequence[str]]
LOOKED_UP: Final = 50  # unknown names of which it is found out what was meant


class Naming:
    """*texts* by name of given or choice of a *problem*, with those that are *filled* by *presets*,
    which are named by slot; *errors* are what is wrong with the names, and *unread* the slots of
    what names no preset."""

    def __init__(self, problem: type[Problem], texts: Texts) -> None:
        self.problem = problem
        self.errors: list[DdcalcError] = []
        self.presets: dict[str, str] = {}
        self.unread: set[str] = set()
        self.texts = self._named(texts)
        self.filled = self._fillings() if self.presets else {}
        self.texts.update((name, filling.fact.text) for name, filling in self.filled.items())

    def _named(self, texts: Texts) -> dict[str, str | Sequence[str]]:
        known = {*self.problem.givens, *self.problem.choices}
        named: dict[str, str | Sequence[str]] = {}
        for key, text in texts.items():
            name = key.replace("-", "_")
            is_name = name in self.problem.slots and isinstance(text, str) and text[:1].isalpha()
            if name in SLOTS and (name not in known or is_name):
                self._named_preset(name, text)
            elif name not in known:
                self.errors.append(self._unknown(key, len(self.errors) < LOOKED_UP).about(key))
            elif name in named:
                self.errors.append(Repeated(name).about(key))
            else:
                named[name] = text
        return named

    def _named_preset(self, slot: str, text: str | Sequence[str]) -> None:
        error: DdcalcError
        if not isinstance(text, str):
            error = BadValue(", ".join(text), "is a list; the name of one preset is wanted")
        elif slot in self.presets:
            error = Repeated(slot)
        elif slot not in self.problem.slots:
            reason = f"states nothing that {self.problem.slug} asks for, which is: "
            error = BadValue(text, reason + _options(self.problem.givens))
        else:
            self.presets[slot] = text
            return
        self.unread |= {slot} & self.problem.slots.keys()
        self.errors.append(error.about(slot))

    def _fillings(self) -> dict[str, Filling]:
        """What the presets state of givens that the question does not state itself."""
        named: dict[str, Preset] = {}
        for slot, text in self.presets.items():
            try:
                named[slot] = preset_named(slot, text)
            except DdcalcError as error:
                self.errors.append(error.about(slot))
                self.unread.add(slot)
        fillings: dict[str, Filling] = {}
        for name, given in self.problem.givens.items():
            facts = ((fact, fact.partition(".")[0]) for fact in given.filled_by.facts)
            known = (named[slot].filling(slot, fact) for fact, slot in facts if slot in named)
            if (filling := next(filter(None, known), None)) is not None:
                fillings[name] = filling
        for slot in named.keys() - {filling.slot for filling in fillings.values()}:
            reason = f"states nothing that {self.problem.slug} asks of it, which is: "
            reason += _options(self.problem.slots[slot])
            self.errors.append(BadValue(self.presets[slot], reason).about(slot))
        stated, left = self.texts.keys(), dict[str, Filling]()
        for name, filling in fillings.items():
            by = self.problem.givens[name].filled_by
            beside = not by.beside or not stated.isdisjoint(by.beside)
            if beside and stated.isdisjoint({name, *by.unless}):
                left[name] = filling
        return left

    def _unknown(self, key: str, is_looked_up: bool) -> UnknownName:
        """The error that there is no *key*; it may be another word for a given or choice."""
        from ddcalc.problem.known.index import meanings

        titles = {name: given.title for name, given in self.problem.givens.items()}
        titles |= {name: choice.title for name, choice in self.problem.choices.items()}
        meant = meanings(key, titles, 1) if is_looked_up else ()
        return UnknownName("given", key, titles, meant="".join(meant))


def _options(names: Iterable[str]) -> str:
    return ", ".join(name.replace("_", "-") for name in names)
