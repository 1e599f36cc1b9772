"""What a question states: texts read into exact numbers, lists, words and choices.

All that is wrong with the texts is found at once and raised together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from numbers import Real
from typing import TypeAlias

from ddcalc.errors import BadNumber, BadValue, DdcalcError, Missing, UnknownName, raise_all
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import in_groups, in_rows, in_units, range_text, row_text, rows_of
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.known.presets import Filling
from ddcalc.problem.naming import LOOKED_UP, Naming
from ddcalc.problem.naming import Texts as Texts
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Choice, Given

MOST = 10_000  # values in a list
LONG = 8  # letters of a word by which a given is recognized


@dataclass(slots=True)  # not frozen: a batch makes very many
class Stated:
    """A question that can be solved: a problem type, a shape, and the numbers.

    *measured* holds what each given states, in the order of declaration, one value or those of a
    list, whose length is in the shape; *said* names what the question itself states, as opposed to
    usual values. *presets* are those that it names, by the option for it, and *filled* holds what
    they state of each given.
    """

    problem: type[Problem]
    shape: Shape
    measured: Mapping[str, tuple[Measured, ...]]
    said: frozenset[str]
    presets: Mapping[str, str] = field(default_factory=dict)
    filled: Mapping[str, Filling] = field(default_factory=dict)

    @property
    def is_played(self) -> bool:
        """Whether it is worked out by playing, so that equations do not say all."""
        return self.problem.is_played(self.shape)

    @property
    def lists(self) -> set[str]:
        """The givens that it states as lists."""
        return {name for name, _ in self.shape.lengths}

    def alone(self, name: str) -> Measured | None:
        """The one value that it states of the given *name*; None where there is none, or a list."""
        return None if name in self.lists else self.measured.get(name, (None,))[0]

    def numbers(self) -> list[Number]:
        """The values of the givens, lists flattened, in the order of declaration."""
        return [x.value for every in self.measured.values() for x in every]

    @property
    def values(self) -> dict[str, Number | tuple[Number, ...]]:
        """The values of the givens by name, in base units; a tuple for a list."""
        lists, values = self.lists, dict[str, Number | tuple[Number, ...]]()
        for name, every in self.measured.items():
            values[name] = tuple(x.value for x in every) if name in lists else every[0].value
        return values


def read(problem: type[Problem], texts: Texts, wanted: Sequence[str] = ()) -> Stated:
    """What *texts*, by name of given or choice, state for *problem*; where quantities are *wanted*
    instead of its answer, without all that the type needs, which the shape then has as spared.

    Raises a DdcalcError, Several where more than one thing is wrong.
    """
    return _Reading(problem, texts).stated(tuple(wanted))


def filled_in(
    problem: type[Problem], texts: Texts, sought: str = ""
) -> tuple[dict[str, str | Sequence[str]], Mapping[str, Filling]]:
    """*texts* with the values that its presets state instead of their names, and which these are;
    the given that is *sought* is left out.

    Raises what is wrong with the names.
    """
    unknown = sought.replace("-", "_")
    reading = _Reading(problem, {**texts, unknown: ""} if unknown in problem.givens else texts)
    raise_all(reading.errors)
    given = {n: text for n, text in texts.items() if n.replace("-", "_") not in reading.presets}
    given |= {name: filling.fact.text for name, filling in reading.filled.items()}
    return given, reading.filled


class _Reading(Naming):
    def __init__(self, problem: type[Problem], texts: Texts) -> None:
        super().__init__(problem, texts)
        self.rows: dict[str, list[int]] = {}  # of each value of a list that is written in rows
        self._in_rows()
        self.measured: dict[str, tuple[Measured, ...]] = {}
        self.words: list[tuple[str, str]] = []
        self.lengths: list[tuple[str, int]] = []

    def stated(self, wanted: tuple[str, ...]) -> Stated:
        """All that is stated, or everything that is wrong with it."""
        texts, problem = self.texts, self.problem
        givens, choices = problem.givens.items(), problem.choices.items()
        for name, given in givens:
            self._given(name, given)
        self._unlike_lists()
        reading = tuple((n, self._choice(n, x) if n in texts else x.default) for n, x in choices)
        optional = tuple(n for n, x in givens if (x.optional or x.free) and n in texts)
        shape = Shape(reading, tuple(self.lengths), optional, tuple(self.words), wanted)
        missing = self._missing(shape)
        if wanted and not self.errors:
            shape, missing = shape._replace(spared=tuple(missing)), []
        if missing and self.errors:
            unknown = (error for error in self.errors if isinstance(error, UnknownName))
            meant = {error.near for error in islice(unknown, LOOKED_UP)}
            meant |= {error.parameter for error in self.errors}
            meant.update(*(problem.slots[slot] for slot in self.unread))
            missing = [name for name in missing if meant.isdisjoint(name.split(" or "))]
        raise_all([*self.errors, *([Missing(missing)] if missing else ())])
        said = frozenset(texts.keys() - self.filled.keys())
        return Stated(problem, shape, self.measured, said, self.presets, self.filled)

    def _in_rows(self) -> None:
        """Lists that are written in rows become plain ones, and state how many rows there are."""
        for name, given in self.problem.givens.items():
            if not given.rows or (text := self.texts.get(name)) is None or not in_rows(text):
                continue
            rows = rows_of(text)
            for i, row in enumerate(rows, 1):
                if len(row) != len(rows[0]):
                    reason = f"is a row of {len(row)}; the first row has {len(rows[0])}"
                    text = ", ".join(row[:8]) + (", …" if len(row) > 8 else "")
                    self.errors.append(BadValue(text, reason).about(f"{name}[{i}]"))
            of, count = given.rows, len(rows)
            stated = self.texts.setdefault(of, str(count))
            with suppress(BadNumber):  # it is refused where it is read
                if isinstance(stated, str) and self.problem.givens[of].read(stated).value != count:
                    error = BadValue(stated, f"does not fit {name}, which has {count} rows")
                    self.errors.append(error.about(of))
            self.texts[name] = [value for row in rows for value in row]
            self.rows[name] = [i for i, row in enumerate(rows, 1) for _ in row]

    def _given(self, name: str, given: Given) -> None:
        text = self.texts.get(name, given.default)
        if text is None:
            return
        if given.many != "one" and name in self.texts and self._is_open(name, given, text):
            return
        if not isinstance(text, str):
            self._list(name, given, text)
        elif text in given.words:
            self.words.append((name, text))
        elif given.many == "list":
            self._list(name, given, [text])
        elif (measured := self._measured(given, text, name)) is not None:
            self.measured[name] = (measured,)

    def _is_open(self, name: str, given: Given, text: str | Sequence[str]) -> bool:
        """Whether *text* could be one number or several, as 100 200 could, which is refused."""
        alone = text if isinstance(text, str) else text[0] if len(text) == 1 else ""
        if not in_groups(alone):
            return False
        reason = "could be one number or several; write commas between them, or no blanks"
        reason += "; values of a row end with a semicolon" if given.rows else ""
        self.errors.append(BadNumber(alone, reason).about(name))
        return True

    def _list(self, name: str, given: Given, texts: Sequence[str]) -> None:
        problem = ""
        if given.many == "one":
            problem = "is a list; one value is wanted"
        elif not texts:
            problem = "is an empty list; at least one value is wanted"
        elif len(texts) > MOST:
            problem = f"is a list of {len(texts)} values; at most {MOST} are allowed"
        if problem:
            shown = ", ".join(texts[:8]) + (", …" if len(texts) > 8 else "")
            self.errors.append(BadValue(f"[{shown}]", problem).about(name))
            return
        places = self.rows.get(name) or range(1, len(texts) + 1)
        pairs = zip(texts, places, strict=True)
        members = (self._measured(given, text, f"{name}[{i}]") for text, i in pairs)
        self.measured[name] = tuple(member for member in members if member is not None)
        self.lengths.append((name, len(texts)))

    def _unlike_lists(self) -> None:
        """Lists with one value each of the same things are equally long."""
        seen: dict[str, tuple[str, int]] = {}
        for name, length in self.lengths:
            of = self.problem.givens[name].of
            first, before = seen.setdefault(of, (name, length))
            if of and length != before:
                reason = f"does not fit {first}, which lists {before}; one value for each {of}"
                self.errors.append(BadValue(f"a list of {length}", reason).about(name))

    def _measured(self, given: Given, text: str, parameter: str) -> Measured | None:
        try:
            return given.read(text)
        except BadNumber as wrong:
            error = wrong
            if (axis := range_text(text)) and (given.whole or axis == text):
                command = f"ddcalc sweep {self.problem.slug} … --vary {given.flag}={axis}"
                error = BadNumber(text, f"is a range; write one number, or {command}")
            if given.rows and len(text.split()) > 1:
                error.reason += "; values of a row end with a semicolon"
            if given.words:
                error.reason += f"; the word {' or '.join(given.words)} is possible too"
            self.errors.append(error.about(parameter))
            return None

    def _choice(self, name: str, choice: Choice) -> str:
        text = self.texts[name]
        try:
            if not isinstance(text, str):
                raise BadValue(", ".join(text), "is a list; one option is wanted")
            return choice.read(text)
        except DdcalcError as error:
            self.errors.append(error.about(name))
            if isinstance(error, UnknownName):  # of a choice that another option makes
                said = {word for word in error.name.split("-") if len(word) >= LONG}
                every = (x for x in self.problem.givens.values() if {*x.title.split()} & said)
                error.why = "".join(f", which {x.flag} states ({x.title})" for x in every)
            return choice.default

    def _missing(self, shape: Shape) -> list[str]:
        """What *shape* leaves out; of several, one of which is enough: ``a or b``."""
        givens = self.problem.givens
        missing = [name for name, x in givens.items() if name not in self.texts and x.required]
        spoken = {name for given in givens.values() for name in given.speaks_of} & givens.keys()
        left = sorted(spoken - {*missing, *self.texts})
        missing += [name for name in left if givens[name].default is None]
        groups, stated = self.problem.groups_needed(shape), self.texts.keys()
        return missing + [" or ".join(group) for group in groups if stated.isdisjoint(group)]


def restated(stated: Stated, values: Mapping[str, Number]) -> Stated:
    """*stated* with other *values* (base units) of givens, or of members of lists (``finish[2]``).

    The shape stays; a given that the question leaves out cannot be stated here.
    Raises BadValue where a given does not admit its value, as reading its text would.
    """
    measured = dict(stated.measured)
    for key, value in values.items():
        name, _, index = key.partition("[")
        before, place = measured.get(name, ()), int(index[:-1]) - 1 if index else 0
        if not before or (name in stated.lists and not index):
            raise BadValue(name, "is not stated as one value").about(name)
        unit = before[place].unit
        text = quantity_text(in_units(value, unit.worth), None)
        stated.problem.givens[name].check(text, value)
        changed = replace(before[place], value=value, text=f"{text} {unit.name}".strip())
        measured[name] = (*before[:place], changed, *before[place + 1 :])
    names = {key.partition("[")[0] for key in values}
    filled = {name: one for name, one in stated.filled.items() if name not in names}
    return replace(stated, measured=measured, said=stated.said | names, filled=filled)


# Texts of other things: of Python values, and of the example that a type declares
Plain: TypeAlias = str | int | float | Fraction | Decimal | Real
Stating: TypeAlias = Plain | Sequence[Plain] | Sequence[Sequence[Plain]]
"""One value (numbers of NumPy are ``Real``), a list of them, or a list of rows."""


def texts_of(given: Mapping[str, Stating]) -> Texts:
    """Every value, member of a list, or row as its text; floats as the decimal they print as."""
    return {
        name: text_of(one)
        if isinstance(one, Plain | None)
        else [text_of(x) if isinstance(x, Plain | None) else row_text(map(text_of, x)) for x in one]
        for name, one in given.items()
    }


def text_of(value: Plain | None) -> str:
    """The text of *value*; BadValue for a truth value and for None."""
    if value is None:
        raise BadValue("None", "is not a value; leave out what is not stated")
    if isinstance(value, bool):
        raise BadValue(str(value), "is a truth value, not a number")
    return value if isinstance(value, str) else str(value)


def example_texts(problem: type[Problem]) -> dict[str, str | list[str]]:
    """The texts of the example of *problem* by name of given, a list where it takes one."""
    texts: dict[str, str | list[str]] = {}
    for name, given in problem.givens.items():
        parts = [part.strip() for part in given.example.split(",")]
        if given.example:
            texts[name] = parts if given.many == "list" or len(parts) > 1 else given.example
    return texts


def usually(number: int, stated: Stated) -> frozenset[str]:
    """The letters of givens that are that *number* as usual, 1 only of counts, which the question
    does not state."""
    usual = ((n, stated.alone(n)) for n in stated.measured.keys() - stated.said)
    return frozenset(
        stated.problem.givens[name].letter
        for name, one in usual
        if one and one.value == number and (one.unit == COUNT or not number)
    )


def stated_units(stated: Stated) -> dict[str, Unit]:
    """The units in which givens are stated, by letter."""
    units: dict[str, Unit] = {}
    for name, measured in stated.measured.items():
        given = stated.problem.givens[name]
        if not given.source:  # else it is what an earlier part comes to
            letters = given.lettered(len(measured))
            units |= {letter: one.unit for letter, one in zip(letters, measured, strict=True)}
    return units
