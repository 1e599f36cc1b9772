"""The key to a problem: what can be answered to it, and how a stated answer is read and marked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.exercise import MET, Exercise
from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import StatedAnswers
from ddcalc.ask.mark.written import Allowed, Answer, Spelt, Written, readings, right, said, written
from ddcalc.ask.solve import Derivation, Result, Results, first, singles
from ddcalc.boundary.nodes import Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadNumber, BadSheet, BadValue, DdcalcError, UnknownName
from ddcalc.files.answers import (
    NONE,
    Check,
    Requirements,
    agreeing,
    asks_whether,
    requirements,
    value_in,
)
from ddcalc.files.defaults import words_in
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.formula.expression import Expr, Number, Sym, letter
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import BARE, COUNT, PERCENT, SHARE, Unit
from ddcalc.problem.quantity import Choice, Derived, named
from ddcalc.problem.said.steps import Value

if TYPE_CHECKING:
    from ddcalc.files.solved import Solved

VERDICTS: Final = {"yes": ("yes", "y", "true", "met"), "no": ("no", "n", "false", "not met")}
MOST: Final[int] = 10**35  # parts of a number that can be read again with all its decimals
_BETWEEN: Final = re.compile("[;,]")  # members of a list
_BETWEEN_COMMAS: Final = re.compile(r";|,(?=\s)")  # the same, where they have decimal commas


@dataclass(eq=False)
class Key:
    """A problem of a sheet, or a *part* of the question *head*, in one of its cases (its number
    from 0), solved: what is asked there, and against what answers are marked.

    Each of several cases is worth as much. Whether limits are met may be asked, too. Answers have
    decimal commas, as in ``1.234,5 s``, where the sheet has.
    """

    part: Solved
    case: int = 0
    head: FiledProblem | None = None

    @property
    def source(self) -> FiledProblem:
        """The question."""
        return self.part.question

    @property
    def solved(self) -> Derivation:
        """What it comes to."""
        return self.part.cases[self.case]

    @cached_property
    def limits(self) -> Sequence[Check]:
        """What is to be met."""
        return self.part.of_case(self.case, self.part.limits)

    @property
    def decimal_comma(self) -> bool:
        """Whether answers have decimal commas."""
        return self.source.paper.get("decimal") == "comma"

    @property
    def label(self) -> str:
        """Which part it is, and which of several cases: ``b_2``."""
        end = f"_{self.case + 1}" if len(self.part.cases) > 1 else ""
        return f"{self.source.id or ''}{end}" if self.head else end

    @property
    def name(self) -> str:
        """The name under which answers speak of it."""
        whole = f"{called(self.head)}." if self.head else called(self.source)
        return f"{whole}{self.label}"

    @cached_property
    def question(self) -> Exercise:
        """The question that is marked."""
        return Exercise(self.solved, [one.relation for one in self.limits if one.relation])

    @cached_property
    def results(self) -> dict[str, Results]:
        """What can be answered, by name: what is derived, a given that is found, as the end of its
        solutions, and whether limits are met."""
        answers, declared = {self.solved.answer.name, MET}, self.solved.problem.quantities
        results = self.question.results.items()
        return {n: x for n, x in results if n in answers or isinstance(declared[n], Derived)}

    @cached_property
    def requirements(self) -> Requirements:
        """What the sheet requires of answers."""
        return requirements(self.source, self.results, self.head)

    @cached_property
    def asked(self) -> list[Results]:
        """What is asked for, in the order of derivation; last whether limits are met."""
        verdict = [self.results[MET]] if self.limits else []
        if asks_whether(self.solved, self.limits):
            return verdict
        if isinstance(self.solved, Inversion):
            return [self.solved.answer, *verdict]
        names = {*self.solved.stated.shape.wanted} or {self.solved.answer.name}
        return [*self._derived(names), *verdict]

    @property
    def expected(self) -> Iterator[Results]:
        """What is asked for and what else the sheet expects, in the order of derivation; what is
        too long to be read from a file is left out."""
        asked = [one for one in self.asked if first(one).name != MET]
        names = {first(result).name for result in asked}
        more = {key.replace("-", "_") for key in self.source.expect} - names
        is_found = isinstance(self.solved, Inversion)
        every = (*asked, *self._derived(more)) if is_found else self._derived(names | more)
        yield from (one for one in every if all(_is_short(x.value) for x in singles(one)))

    def _derived(self, names: Collection[str]) -> Iterator[Results]:
        known = self.solved.quantities
        return (known[name] for name in self.solved.values if name in names and name in known)

    def allowed(self, result: Results) -> Allowed:
        """How far *result* may be off, and what it is worth."""
        return self.requirements.allowed.get(first(result).name, Allowed())

    @property
    def worth(self) -> list[Number]:
        """What each of the results that are asked for is worth."""
        return [self.allowed(result).credit.points for result in self.asked]

    def unit(self, result: Results) -> Unit:
        """The unit in which *result* is asked for: that of the sheet, or the usual one; where a
        number without a unit would say nothing, the one in which it is shown."""
        usual, value = first(result).unit, first(result).value
        if (wanted := self.allowed(result).unit) is not None:
            return wanted
        if usual == SHARE:
            return PERCENT
        if not isinstance(result, Result) or value is None or isinstance(value, Expr):
            return usual
        return usual if usual.dimension in BARE else fitting(value, usual)

    def quantity(self, name: str) -> str:
        """The quantity called *name* (small or large; ``-``, ``_`` and blanks are alike), or by its
        letter; "" is the one asked.
        """
        asked = MET if asks_whether(self.solved, self.limits) else self.solved.answer.name
        spelt = "_".join(name.lower().split()).replace("-", "_") or asked
        if spelt not in self.results:
            by_letter = named(name.strip(), self.solved.problem.quantities)
            spelt = by_letter if by_letter in self.results else spelt
        if spelt not in self.results and spelt in self.solved.problem.givens:
            known = ", ".join(sorted(self.results))
            raise BadSheet(f"{spelt} is given, so it is not an answer; answers are: {known}")
        if spelt not in self.results:
            raise UnknownName("result", name, self.results)
        return spelt

    def answer(self, name: str, node: Node) -> tuple[Answer, Allowed]:
        """The answer that *node* states for quantity *name*, and what is required of it.

        Raises BadNumber (BadUnit) or BadSheet for what states no answer.
        """
        result, allowed = self.results[name], self.requirements.allowed[name]
        node, allowed = value_in(node, allowed, first(result).unit)
        return self._answer(name, node, allowed), allowed

    def _answer(self, name: str, node: Node, allowed: Allowed) -> Answer:
        """What *node* states for quantity *name*: the option that does it, a number, a formula,
        none, or a list of numbers, or of formulas that agree or do not; of a verdict yes or no."""
        result, solved = self.results[name], self.solved
        if name == MET:
            [text] = _texts(node) if isinstance(node, Scalar) else [""]
            verdict = self._verdict(text)
            return Spelt(text, lambda value: value == Sym(verdict))
        if isinstance(solved, Inversion) and name == solved.answer.name:
            unknown = solved.question.unknown
            if isinstance(unknown, Choice) and isinstance(node, Scalar) and node.text not in NONE:
                option = unknown.read(node.text)
                return Spelt(node.text, lambda x: isinstance(x, Sym) and x.name == option)
        texts = _texts(node)
        if isinstance(result, tuple):
            if len(texts) == 1:
                texts = self.listed(texts[0])
            if not any(isinstance(one.value, Expr) for one in result):
                meant = [*result, *[result[-1]] * len(texts)]
                return tuple(map(self._number, texts, meant, repeat(allowed)))
            agree = [*map(agreeing, texts, result)]  # what is no formula is refused
            all_agree = len(texts) == len(result) and all(agree)
            return Spelt(", ".join(texts), lambda _: all_agree)
        if isinstance(node, Listed):
            raise BadSheet("is a list; one value is wanted")
        [text] = texts
        if text in NONE:
            return Spelt(text or "none", lambda value: value is None)
        if isinstance(result.value, Expr):
            formula = self._said(text, result)
            agreeing(formula, result)  # what is no formula is refused now
            return Spelt(text, lambda value: agreeing(formula, replace(result, value=value)))
        return self._number(text, result, allowed)

    def _verdict(self, text: str) -> str:
        """The verdict that *text* states, in English or in the words of the paper."""
        said = " ".join(text.lower().split()).strip(".!")
        for verdict, words in VERDICTS.items():
            if said in (*words, self._in_words(verdict)):
                return verdict
        raise BadValue(text, "is neither yes nor no")

    def _in_words(self, verdict: str) -> str:
        """The *verdict* in the words of the paper."""
        language = self.source.paper.get("words")
        return (words_in(language) if language else {}).get(verdict, verdict).lower()

    def listed(self, text: str) -> list[str]:
        """The members of the list that *text* is."""
        between = _BETWEEN_COMMAS if self.decimal_comma else _BETWEEN
        return [part.strip() for part in between.split(text)]

    def _number(self, text: str, result: Result, allowed: Allowed) -> Written:
        """The number that *text* states. A point beside decimal commas that can be read in two ways
        is what makes it right, else it groups thousands; so does a comma beside decimal points, in
        counts and where that makes it right, and else it is refused."""
        quantity, value = self.solved.problem.quantities[result.name], result.value
        possible = [
            replace(written(quantity.without_noun(meant), result.unit), text=text)
            for meant in readings(self._said(text, result), decimal_comma=self.decimal_comma)
        ]
        if len(possible) == 1 or not isinstance(value, Number):
            return possible[0]
        for one in possible if self.decimal_comma else possible[:1]:
            if right(one, value, one.unit or result.unit, allowed) is not None:
                return one
        if self.decimal_comma or (result.unit == COUNT and isinstance(value, int)):
            return possible[0]
        return written(text, result.unit)  # which says what is wrong with it

    def _said(self, text: str, result: Result) -> str:
        """*text* without the name of the *result* before it."""
        end = self.solved.outcome.kind if isinstance(self.solved, Inversion) else "least"
        names = {result.name, result.name.replace("_", " "), result.symbol, letter(result.symbol)}
        word, _, number = text.partition(" ")
        if word.lower() in {one.of for one in self.solved.problem.givens.values() if one.of}:
            text = number  # worker 4
        return said(text, names, end)

    def marks(self, stated: StatedAnswers, following: Following | None = None) -> Iterator[Mark]:
        """The marks of answers by name of quantity, in the order of the derivation; of a part with
        what is *following* from the student's answers to earlier ones."""
        made = (following or Following()).marks(self.question, stated, self.label)
        yield from map(self._credited, made)

    def unmarked(self, name: str, text: str = "", error: DdcalcError | None = None) -> Mark:
        """The mark of quantity *name* where nothing was answered, or *text* that was not read."""
        if error is None:
            return self._credited(Mark(name, "", self.results[name], "none"))
        why = error.reason if isinstance(error, BadNumber) else str(error)
        return self._credited(Mark(name, text, self.results[name], "unread", (f"not read: {why}",)))

    def _credited(self, mark: Mark) -> Mark:
        steps = len(self.question.steps_to(mark.name))
        credit, why = self.requirements.allowed[mark.name].credit, [x.says for x in self.limits]
        if mark.name == MET and mark.verdict == "wrong" and not mark.brief:
            mark = replace(mark, brief=("; ".join(why),))
        if mark.name == MET:
            verdict = Sym(self._in_words(repr(first(mark.right).value)))
            mark = replace(mark, right=replace(first(mark.right), value=verdict))
        points = plain(Fraction(credit.points) / len(self.part.cases))
        return replace(mark, points=points, part=credit.part(mark, steps))


def called(question: FiledProblem) -> str:
    """The name under which answers speak of a *question*."""
    return question.id or question.title or f"line {question.line}"


def _is_short(value: Value) -> bool:
    if value is None or isinstance(value, Expr | Approximate):
        return True
    return max(abs(value.numerator), value.denominator) < MOST


def _texts(node: Node) -> list[str]:
    items = node.items if isinstance(node, Listed) else [node]
    if not all(isinstance(item, Scalar) for item in items):
        raise BadSheet("a stated answer is a value, or a list of values")
    return [item.text.strip() for item in items if isinstance(item, Scalar)]
