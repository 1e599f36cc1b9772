"""Questions of a batch as lines of JSON, written at once where they are stated alike.

A line is, byte for byte, what :func:`ddcalc.render.json.solved_problem` makes of the question when
it is worked out by itself. Whatever is unusual about a question has no line here: an error, stated
answers, what is required of them, a list, a play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring_ascii as quoted
from math import lcm
from typing import Any, Final, NamedTuple

from ddcalc.ask.alike import Alike, Figure, Numbers, Unlike, unscaled
from ddcalc.ask.solve import solve
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.boundary.nodes import Scalar
from ddcalc.errors import DdcalcError
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import Number, in_groups
from ddcalc.numbers.units import Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.slots import SLOTS
from ddcalc.render.json import amount, derivation, dumped, exact_texts

FEW: Final = (
    8  # questions of a kind, and of a call, worked out by themselves before others are alike
)
KINDS: Final = 512  # of questions, and
TEXTS: Final = 2048  # texts of each given, that are remembered
LONGEST: Final = 64  # bits of the number of parts of a second in which times are counted

Kind = tuple[Any, ...]  # a type, the names that a question states, and its options and presets


class Stating(NamedTuple):
    """What a text states of a given: its *value*, the parts of a second that it takes, the *unit*,
    and its object."""

    value: Number
    parts: int
    unit: Unit
    text: str


Statings = dict[str, Stating]


class Lines:
    """The lines of the questions of one call, *answers* alone or whole objects."""

    def __init__(self, answers: bool = False) -> None:
        self._answers = answers
        self._decisive: dict[Kind, list[tuple[str, Sequence[str]]]] = {}
        self._seen: Counter[Kind] = Counter()
        self._writers: dict[Kind, _Writer | None] = {}

    def __call__(self, question: FiledProblem) -> str:
        """The line of *question*; "" where it has to be worked out by itself."""
        problem, given = question.problem, question.given
        if problem is None or question.expect or question.claimed or question.marking:
            return ""
        if question.find or question.where or question.quantity:
            return ""
        texts = {name: node.text for name, (_, node) in given.items() if type(node) is Scalar}
        if len(texts) < len(given):
            return ""
        writer = self._writer(problem, texts, question)
        return writer.line(question, texts) if writer else ""

    def _writer(
        self, problem: type[Problem], texts: dict[str, str], question: FiledProblem
    ) -> _Writer | None:
        kind: Kind = (problem, *texts)
        if (decisive := self._decisive.get(kind)) is None:
            decisive = self._decisive[kind] = [*_decisive(problem, texts)]
        if decisive:
            stated = ((texts[name], words) for name, words in decisive)
            kind += tuple(text if not words or text in words else "" for text, words in stated)
        if kind not in self._writers:
            self._seen[kind] += 1
            if self._seen[kind] <= FEW:
                return None
            if len(self._seen) > KINDS:
                self._seen.clear()
                self._decisive.clear()
                self._writers.clear()
            try:
                alike = Alike(solve(problem, question.texts), self._answers)
                self._writers[kind] = _Writer(alike, texts, self._answers)
            except DdcalcError:
                return None  # another one may have an answer
            except Unlike:
                self._writers[kind] = None
        return self._writers[kind]


def _decisive(problem: type[Problem], given: Iterable[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Those of the names *given* by whose texts questions differ: choices, presets, and givens for
    which one of some words may stand."""
    for name in given:
        declared = problem.givens.get(name.replace("-", "_"))
        if declared is None or declared.name in SLOTS:
            yield name, ()
        elif declared.words:
            yield name, declared.words


class _Writer:
    """The lines of questions that are *alike*; they state the names of *texts*."""

    def __init__(self, alike: Alike, texts: Iterable[str], answers: bool) -> None:
        self.alike, self.answers, solved = alike, answers, alike.derivation
        self.stated = stated = solved.stated
        names = {name.replace("-", "_"): name for name in texts}
        self.givens = [
            (names.get(name, ""), stated.problem.givens[name], power, Statings())
            for name, power in zip(stated.measured, alike.powers, strict=True)
        ]
        for (key, given, power, known), one in zip(
            self.givens, stated.measured.values(), strict=True
        ):
            if not key:  # the usual value, or that of a preset
                known[""] = self._stating(given, power, one)
        self.slug, answer = stated.problem.slug, alike.problem.answered
        self.unit, self.answer = answer.unit, _head(answer)
        self.derived = [
            (f', "{line.quantity.name}": {_head(line.quantity)}', figure, line.quantity.unit)
            for line, figure in zip(alike.plan.lines, alike.derived, strict=True)
        ]
        self.readings = [
            f'{{"choice": "{one.choice}", "value": "{one.option}", "answer": {self.answer}'
            for one in alike.others
        ]
        data = derivation(solved, steps=False)
        self.unused = dumped(data["unused"])
        presets = data.get("presets")
        self.presets = f', "presets": {dumped(presets)}' if presets else ""
        self._assumptions: dict[tuple[str, ...], str] = {}
        self._file = ("", "")

    def line(self, question: FiledProblem, texts: Mapping[str, str]) -> str:
        """The line of *question*, whose *texts* are by name; "" where it has none."""
        statings = [
            known.get(text := texts.get(key, "")) or self._read(known, given, power, text)
            for key, given, power, known in self.givens
        ]
        if None in statings:
            return ""
        values, needed, units, objects = zip(*statings, strict=True)
        parts = lcm(*needed)
        if parts.bit_length() > LONGEST:
            parts = 1
        numbers = self.alike.numbers(values, parts)
        if numbers is None:
            return ""
        says = self.alike.said(numbers, parts, units)
        if not says:
            return ""
        answer = _members(numbers, self.alike.answer, parts, self.unit)
        name = "null" if question.id is None else f'"{question.id}"'
        answer = f'{self.answer}{answer}, "says": {quoted(says)}}}'
        if self.answers:  # nothing else is written
            return f'{{"id": {name}, "status": "solved", "answer": {answer}}}\n'
        quantities = ", ".join(objects)
        quantities += "".join(
            [
                f"{head}{_members(numbers, figure, parts, unit)}}}"
                for head, figure, unit in self.derived
            ]
        )
        readings, assumptions = self._readings(numbers, parts)
        return (
            f'{{"problem": "{self.slug}", "id": {name}, "file": {self._named(question.file)}, '
            f'"status": "solved", "answer": {answer}, "quantities": {{{quantities}}}, '
            f'"assumptions": {assumptions}, "readings": [{readings}], "unused": {self.unused}, '
            f'"checks": []{self.presets}{_beside(question)}}}\n'
        )

    def _read(self, known: Statings, given: Given, power: int, text: str) -> Stating | None:
        """What *text* states, which is remembered; None where that is unusual or wrong."""
        if given.rows or text in given.words or (given.many != "one" and in_groups(text)):
            return None
        try:
            measured = given.read(text)
        except DdcalcError:
            return None
        if len(known) >= TEXTS:
            known.clear()
        stating = known[text] = self._stating(given, power, measured)
        return stating

    def _stating(self, given: Given, power: int, measured: Any) -> Stating:
        value = measured.value
        parts = value.denominator if power == 1 and self.alike.is_scaled else 1
        text = ""
        if not self.answers:
            members = _number(value.numerator, value.denominator, given.unit)
            text = f'"{given.name}": {_head(given)}{members}}}'
        return Stating(value, parts, measured.unit, text)

    def _readings(self, numbers: Numbers, parts: int) -> tuple[str, str]:
        """The readings with another answer, and the choices by which it is shaped."""
        shaping, readings = [], []
        mine = numbers[self.alike.answer.place]
        for other, head in zip(self.alike.others, self.readings, strict=True):
            if numbers[other.answer.place] != mine and all(map(numbers.__getitem__, other.tests)):
                shaping.append(other.choice)
                members = _members(numbers, other.answer, parts, self.unit)
                readings.append(f"{head}{members}}}}}")
        names = tuple(shaping)
        if names not in self._assumptions:
            self._assumptions[names] = self._assumed({*names} | self.stated.said)
        return ", ".join(readings), self._assumptions[names]

    def _assumed(self, named: Container[str]) -> str:
        choices, reading = self.stated.problem.choices, self.stated.shape.reading
        parts = (
            dumped({"choice": name, "value": option, "says": choices[name].options[option]})
            for name, option in reading
            if name in named
        )
        return f"[{', '.join(parts)}]"

    def _named(self, file: str) -> str:
        """A *file*'s name, which is that of the question before, too."""
        if self._file[0] != file:
            self._file = file, quoted(clean(file))
        return self._file[1]


def _head(quantity: Quantity) -> str:
    """The beginning of the object of a quantity."""
    return f'{{"name": "{quantity.name}", "symbol": {quoted(quantity.letter)}, '


def _beside(question: FiledProblem) -> str:
    """What a file says of a problem for people."""
    title = f', "title": {quoted(clean(question.title, TITLE))}' if question.title else ""
    return f'{title}, "source": {quoted(clean(question.source))}' if question.source else title


def _members(numbers: Numbers, figure: Figure, parts: int, unit: Unit) -> str:
    """What an object says of a number, counted in *parts* of a second."""
    place, power = figure
    value = numbers[place]
    if power == 1 and type(value) is not Approximate:
        return _number(value.numerator, value.denominator * parts, unit)
    value = unscaled(value, parts, power)
    if type(value) is Approximate:
        return dumped(amount(value, unit))[1:-1]
    return _number(value.numerator, value.denominator, unit)


def _number(top: int, bottom: int, unit: Unit) -> str:
    """What an object says of the number *top* over *bottom*."""
    number, exact, text = exact_texts(top, bottom, unit.worth, unit.name)
    value = "null" if number is None else repr(number)
    said = f'"value": {value}, "exact": "{exact}", "unit": {quoted(unit.name)}'
    return f'{said}, "text": {quoted(text)}'
