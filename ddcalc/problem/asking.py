"""The type that a question asks: formulas among what it states are told from numbers, and names of
results of earlier parts from these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ddcalc.errors import BadValue, DdcalcError, UnknownName, raise_all
from ddcalc.numbers.number import split
from ddcalc.numbers.units import Unit
from ddcalc.problem import stated_formulas
from ddcalc.problem.earlier import Earlier, Results, comes_to
from ddcalc.problem.own import FORMULA, Own, extended
from ddcalc.problem.problem import Problem
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.problem.stated import Texts, read
from ddcalc.problem.stated_formulas import dotted, formula_of, is_made, told_in, without_sizes


def asked(
    kind: type[Problem],
    texts: Texts,
    steps: Sequence[tuple[str, str, str]] = (),
    results: Results | None = None,
    units: Sequence[tuple[str, Unit | None]] = (),
) -> tuple[type[Problem], Texts]:
    """The type *kind* with *steps* and formulas among *texts*, over *results* of earlier parts, and
    quantities in own *units*; and the other texts. Raises DdcalcErrors with places in formulas."""
    own = {name: words for name, words, _ in steps}
    numbers, formulas, members = _parted(kind, texts, own)
    if not (formulas or members or steps or units):
        return kind, numbers
    worked, errors = _Worked(kind, numbers, {**formulas, **own}, results), dict[Any, DdcalcError]()
    found: dict[tuple[str, int], Earlier] = {}  # by given, and place in its list, if it has one
    told = [(name, 0, one) for name, _, says in steps for one in told_in(says)]
    for name, place, words in (*members, *((n, 0, x) for n, x in worked.formulas.items()), *told):
        try:
            if several := worked.members(name, words):
                formulas.pop(name, "")
                numbers[name] = [one.name for one in several]
                found |= {(name, i): one for i, one in enumerate(several, 1)}
            elif place or (name in formulas and dotted(words) == [words.strip()]):
                found[name, place] = worked.out(name, words.strip())
            else:
                others = (n for n in dotted(words) if n not in kind.quantities)
                found |= {(x.name, 0): x for n in others for x in worked.results_of(n)}
        except DdcalcError as error:
            error.parameter, error.formula = f"{name}[{place}]" if place else name, words
            errors.setdefault((error.parameter, getattr(error, "reason", error)), error)
    raise_all([*errors.values()])
    if issubclass(kind, ModelledProblem):  # which plays numbers
        found |= {(n, 0): worked.out(n, x) for n, x in formulas.items() if (n, 0) not in found}
    more = Own(
        tuple((name, words) for name, words in formulas.items() if (name, 0) not in found),
        tuple(steps),
        tuple((name, one, place > 0) for (name, place), one in found.items()),
        tuple((name, unit) for name, unit in units if unit is not None),
    )
    return extended(kind, more), numbers


def _parted(
    kind: type[Problem], texts: Texts, steps: Mapping[str, str]
) -> tuple[dict[str, str | Sequence[str]], dict[str, str], list[tuple[str, int, str]]]:
    """The *texts* of numbers, words and choices; the formulas among them by given; and those that
    are members of lists, with the given and their place. They may speak of own *steps*, too."""
    numbers, formulas, members = dict(texts), dict[str, str](), list[tuple[str, int, str]]()
    known, has_rate = {*kind.quantities, *steps}, "exchange" in texts
    for key, text in texts.items():
        if (given := kind.givens.get(key.replace("-", "_"))) is None:
            continue
        listed = text
        if isinstance(text, str):
            if not (has_rate or "," in text or is_made(text, known, given)):
                continue  # a number, most of all
            if has_rate and split(text)[1].startswith(("EUR", "€")):
                text = " ".join(split(text)).replace("€", "EUR") + "*exchange"
            listed = [text] if given.many == "one" else re.split(r",(?![^(]*\))", text)
        found = [(given.name, i, x) for i, x in enumerate(listed, 1) if is_made(x, known, given)]
        if found and isinstance(text, str) and given.many != "list":
            formulas[given.name] = text
            del numbers[key]
        elif found:
            numbers[key] = listed
            members += found
    return numbers, formulas, members


@dataclass(frozen=True)
class _Worked:
    """What formulas come to before a question of that *kind* is solved: over the *numbers* that it
    states, other *formulas* of its own, by name, and *results* of earlier parts."""

    kind: type[Problem]
    numbers: Texts
    formulas: Mapping[str, str]
    results: Results | None

    def results_of(self, name: str) -> Sequence[Earlier]:
        """The earlier result of that *name*, in each of its cases."""
        if self.results is None:
            if any("." in one for one in self.kind.quantities):
                raise UnknownName("quantity", name, self.kind.quantities)
            reason = "is a result of an earlier part, which only parts of a question have"
            raise BadValue(name, reason)
        return self.results(name)

    def members(self, name: str, words: str) -> Sequence[Earlier]:
        """The members of an earlier result that is the whole list which the given *name* takes."""
        given, stated = self.kind.givens.get(name), self.numbers.get(name, ())
        is_one = given is None or given.many == "one" or (len(stated) > 1 and stated != words)
        several = () if is_one or dotted(words) != [words] else self.results_of(words)
        return several if len(several) > 1 else ()

    def out(self, name: str, words: str) -> Earlier:
        """What the formula *words* comes to, which stands for the given, or the step, *name*; or
        the earlier result that it is."""
        if dotted(words) == [words]:
            result, *others = self.results_of(words)
            if others:
                says = f"{words}[1] is the first, min({words}) the least"
                raise BadValue(words, f"has {len(others) + 1} values; {says}")
            return result
        step = f"{name}_worth"
        steps, known, waiting = {step: words}, dict[str, Earlier](), [words]
        while waiting:
            for one in stated_formulas.NAME.findall(without_sizes(waiting.pop())):
                given = self.kind.givens.get(one)
                if "." in one:
                    known |= {case.name: case for case in self.results_of(one)}
                elif one in self.formulas and one not in steps:
                    steps[one] = self.formulas[one]
                    waiting.append(steps[one])
                elif given is None and one in self.kind.quantities:
                    what = formula_of(words)
                    at = next((at for used, _, at in what.names() if used == one), None)
                    reason = f"{one} is a result; here givens and earlier parts make a given"
                    raise what.wrong(reason, at).about(name)
                elif given is not None and one not in steps:
                    text = self.numbers.get(one, self.numbers.get(given.flag, given.default))
                    if text is None or isinstance(text, str):
                        value = given.stand_in if text is None else given.read(text).value
                        known[one] = Earlier(one, given.letter, "", given.unit, value, "")
        try:
            own = tuple((name, words, "") for name, words in steps.items())
            spoken = tuple((one.name, one, False) for one in known.values())
            made = extended(FORMULA, Own(steps=own, results=spoken))
            worth = comes_to(read(made, {}), step)
        except DdcalcError as error:
            error.parameter = name
            raise
        return Earlier(words, name, name, made.quantities[step].unit, worth, "", made)
