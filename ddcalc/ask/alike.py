"""Questions that are stated alike: the same names, choices and presets, and other numbers.

All that becomes of them is compiled to one function of the numbers: the quantities, the answers by
the other readings, and what their sentences rest on. Where a question needs more, such as a reason
why there is no answer, the function fails and the question is worked out by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ddcalc.ask.solve import Derivation
from ddcalc.errors import BadEquation
from ddcalc.formula.coherence import dimension_of, may_round
from ddcalc.formula.evaluation import compiled
from ddcalc.formula.expression import Expr, Fun, Number, Sym, substitute
from ddcalc.numbers.amounts import seconds_in_sentence
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import quotient
from ddcalc.numbers.units import Dimension, Unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.sentences import First, Said, Sentence, capital
from ddcalc.problem.speaker import ABOUT, Speaker, assembled, in_seconds, parsed

KINDS = 64  # of units in which questions that are alike state their givens, as far as remembered


class Unlike(Exception):
    """Questions of this kind have to be worked out one by one."""


class Figure(NamedTuple):
    """A number: its *place* among all of them, and the power of a time that it measures."""

    place: int
    power: int


class Other(NamedTuple):
    """The *answer* with one choice read differently, if the *tests* hold."""

    choice: str
    option: str
    answer: Figure
    tests: tuple[int, ...]


Manner = Callable[[Number], str]


class Gap(NamedTuple):
    """What stands behind *words*: the number *figure* of *what*, with its *noun* or as *one* word
    or *several*."""

    words: str
    figure: Figure
    what: Expr
    noun: str | None
    one: str
    several: str | None

    def manner(self, speaker: Speaker) -> Manner:
        """How it is shown by that *speaker*."""
        one, several = self.one, self.several
        if several is None:
            return speaker.manner(self.what, self.noun)
        return lambda value: one if value == 1 else several


class Template(NamedTuple):
    """A sentence that is said if the *tests* hold."""

    tests: tuple[int, ...]
    gaps: tuple[Gap, ...]
    rest: str


Numbers = Sequence[Any]  # scaled numbers, or whether a test holds


class Alike:
    """The questions that are stated as that of *derivation*, their *answers* alone or all.

    Raises Unlike where such questions are not numbers in equations only.
    """

    def __init__(self, derivation: Derivation, answers: bool) -> None:
        plan, shape = derivation.working.plan, derivation.stated.shape
        if plan is None or shape.lengths or shape.words or shape.wanted or shape.spared:
            raise Unlike
        if any(remark.noted for remark in derivation.unused):
            raise Unlike  # which is said of each
        self.derivation, self.problem, self.plan = derivation, plan.problem, plan
        self._dimensions: dict[str, Dimension] = dict(plan.dimensions)
        self._rules: dict[str, Expr] = {}  # by letter, in the order in which they are worked out
        self._letters: dict[Expr, str] = {}  # of the rules
        for line in plan.lines:
            self._rules[line.symbol] = line.formula
            self._letters.setdefault(line.formula, line.symbol)
        self._places = {letter: i for i, letter in enumerate([*plan.givens, *self._rules])}
        self.tests = [self._place(test.relation) for test in plan.conditions]
        self.derived = [self._figure(Sym(line.symbol)) for line in plan.lines]
        self.answer = self._figure(Sym(self.problem.answered.letter))
        self.others = [] if answers else [*self._others()]
        self.templates = [[*self._templates(said)] for said in self._conclusion()]
        self._words: dict[tuple[Unit, ...], _Words] = {}
        rules = [*self._rules.items()]
        self.function = compiled(plan.givens, rules)
        self.powers = [self._power(Sym(letter)) for letter in plan.givens]
        self.is_scaled = not any(may_round(rule) or self._rounds_times(rule) for _, rule in rules)

    def numbers(self, values: Sequence[Number], parts: int) -> Numbers | None:
        """All numbers of the question with those *values*, times in *parts* of a second, of which
        each of them is a whole number; None where it has to be worked out by itself."""
        if parts != 1:
            values = [
                value.numerator * (parts // value.denominator)
                if power == 1
                else unscaled(value, parts, -power)
                if power
                else value
                for value, power in zip(values, self.powers, strict=True)
            ]
        try:
            numbers = (*values, *self.function(*values))
        except (ArithmeticError, TypeError):  # a division by zero, or a number that does not exist
            return None
        if None in numbers:
            return None
        for test in self.tests:
            if not numbers[test]:
                return None
        return numbers

    def said(self, numbers: Numbers, parts: int, units: tuple[Unit, ...]) -> str:
        """The answer in words, where givens are stated in these *units*; "" where the question has
        to be worked out by itself."""
        words = self._words.get(units)
        if words is None:
            if len(self._words) >= KINDS:
                self._words.clear()
            named = dict(zip(self.plan.givens, units, strict=True))
            words = self._words[units] = _Words(self, named)
        return words.said(numbers, parts)

    # What is worked out

    def _others(self) -> Iterator[Other]:
        held = {test.relation for test in self.plan.conditions}
        letter = self.problem.answered.letter
        for choice, option, other in self.plan.neighbours:
            if other.givens != self.plan.givens:
                raise Unlike
            tests = [test.relation for test in other.conditions if test.relation not in held]
            places = tuple(map(self._place, tests))
            answer = self._figure(Sym(self._renamed(other, letter, f"{choice}={option}")))
            yield Other(choice, option, answer, places)

    def _renamed(self, other: EquationPlan, wanted: str, reading: str) -> str:
        """The letter of what is *wanted* by an *other* reading; what is alike is shared."""
        renamed: dict[str, Expr] = {}
        for line in other.needed(wanted):
            formula = substitute(line.formula, renamed) if renamed else line.formula
            letter = self._letters.get(formula)
            if letter is None:
                letter = f"{line.symbol} {reading}"
                self._dimensions[letter] = other.dimensions[line.symbol]
                self._add(letter, formula)
            if letter != line.symbol:
                renamed[line.symbol] = Sym(letter)
        new = renamed.get(wanted, Sym(wanted))
        assert isinstance(new, Sym)
        return new.name

    def _add(self, letter: str, rule: Expr) -> None:
        self._rules[letter] = rule
        self._letters[rule] = letter
        self._places[letter] = len(self._places)

    def _place(self, expr: Expr) -> int:
        """Where *expr* stands among the numbers."""
        if isinstance(expr, Sym):
            if expr.name not in self._places:
                raise Unlike
            return self._places[expr.name]
        if expr not in self._letters:
            letter = f"rule {len(self._rules)}"
            self._dimensions[letter] = self._dimension(expr)
            self._add(letter, expr)
        return self._places[self._letters[expr]]

    def _figure(self, expr: Expr) -> Figure:
        return Figure(self._place(expr), self._power(expr))

    def _dimension(self, expr: Expr) -> Dimension:
        try:
            return dimension_of(expr, self._dimensions)
        except BadEquation:
            raise Unlike from None

    def _power(self, expr: Expr) -> int:
        """The power of a time that *expr* measures."""
        power = self._dimension(expr).time
        if power.denominator != 1:
            raise Unlike
        return int(power)

    def _rounds_times(self, expr: Expr) -> bool:
        """Whether *expr* makes a whole number of seconds, which parts of seconds do not."""
        if isinstance(expr, Fun) and self._dimension(expr).time:
            return expr.name not in ("max", "min")
        return any(map(self._rounds_times, expr.parts()))

    # What is said

    def _conclusion(self) -> Iterator[Said]:
        """What the type declares, and as a last resort the answer by its name."""
        declared = self.problem.sentences("conclusion")
        plainly = Sentence(f"{capital(self.problem.answered.called)}: {{answer}}.",
                           answer=Sym(self.problem.answered.letter))  # fmt: skip
        yield from declared or (plainly,)

    def _templates(self, said: Said) -> Iterator[Template]:
        """The alternatives of *said*, of which the first that holds is said."""
        if isinstance(said, First):
            for one in said.alternatives:
                yield from self._templates(one)
            return
        sentence = Sentence(said) if isinstance(said, str) else said
        if any(self._is_missing(side) for test in sentence.when for side in test.parts()):
            return  # it is never said
        parts, rest = parsed(sentence.text)
        gaps, words = [], ""
        for before, name, noun, single, several in parts:
            words += before
            what = self.speaker({}).meant(sentence, name)
            if isinstance(what, str):
                words += what
                continue
            if not isinstance(what, Expr):
                raise Unlike  # a list, or an answer after a change
            if self._is_missing(what):
                return
            gaps.append(Gap(words, self._figure(what), what, noun, single or "", several))
            words = ""
        yield Template(tuple(map(self._place, sentence.when)), tuple(gaps), words + rest)

    def _is_missing(self, expr: Expr) -> bool:
        """Whether *expr* is a quantity that is neither stated nor derived."""
        return isinstance(expr, Sym) and expr.name not in self._places

    def speaker(self, units: Mapping[str, Unit]) -> Speaker:
        """Who says it, where givens are stated in those *units*, by letter."""
        return Speaker(self.problem, {}, stated=units)


class _Spoken(NamedTuple):
    """A sentence of questions that are stated in the same units: *words* with a place for each of
    the *figures*, which are shown in their manners."""

    tests: tuple[int, ...]
    words: str
    figures: tuple[tuple[int, int, Manner], ...]
    template: Template

    def said(self, numbers: Numbers, parts: int) -> str:
        """The sentence with these *numbers*."""
        shown = [
            _shown(numbers[place], parts, power, manner) for place, power, manner in self.figures
        ]
        text = self.words % tuple(shown)
        if ABOUT not in text:
            return text
        filled = ((gap.words, (one,)) for gap, one in zip(self.template.gaps, shown, strict=True))
        return " ".join(map(str, assembled(filled, self.template.rest)))


class _Words:
    """The sentences of questions that are *alike*, whose givens are stated in the same *units*."""

    def __init__(self, alike: Alike, units: Mapping[str, Unit]) -> None:
        speaker = alike.speaker(units)
        self.sentences = [
            [self._spoken(one, speaker) for one in templates] for templates in alike.templates
        ]

    def said(self, numbers: Numbers, parts: int) -> str:
        """The sentences in which these *numbers* are said; "" for none."""
        said: list[str] = []
        for sentences in self.sentences:
            for one in sentences:
                if all(map(numbers.__getitem__, one.tests)):
                    said.append(one.said(numbers, parts))
                    break
        return " ".join(said)

    def _spoken(self, template: Template, speaker: Speaker) -> _Spoken:
        words = "".join(f"{_literal(gap.words)}%s" for gap in template.gaps)
        figures = tuple((*gap.figure, gap.manner(speaker)) for gap in template.gaps)
        return _Spoken(template.tests, words + _literal(template.rest), figures, template)


def _literal(words: str) -> str:
    """The *words* as a part of a format."""
    return words.replace("%", "%%")


def _shown(value: Number, parts: int, power: int, manner: Manner) -> str:
    """What measures a *power* of seconds, in *parts* of them, in its *manner*; a time in a sentence
    without Fractions, if it can be."""
    if power == 1 and manner is in_seconds and type(value) is not Approximate:
        text = seconds_in_sentence(value.numerator, value.denominator * parts)
        if text:
            return text
    return _remembered(unscaled(value, parts, power) if power else value, manner)


@lru_cache(maxsize=1 << 12, typed=True)  # the same counts come again and again
def _remembered(value: Number, manner: Manner) -> str:
    return manner(value)


def _scaled(value: Number, parts: int, power: int) -> Number:
    """What measures a *power* of seconds in *parts* of them."""
    if power > 0:
        return quotient(value.numerator * parts**power, value.denominator)
    return quotient(value.numerator, value.denominator * parts**-power)


def unscaled(value: Number, parts: int, power: int) -> Number:
    """The number that is *value* in *parts* of a second."""
    return value if parts == 1 or not power else _scaled(value, parts, -power)
