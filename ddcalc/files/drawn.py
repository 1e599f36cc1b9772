"""A question of a file in other numbers: what several parts share is drawn once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, texts_of
from ddcalc.ask.variants.draw import Dial, Drawn
from ddcalc.ask.variants.search import Likeness, Tried, VariantSearch, VariantsWanted, places
from ddcalc.boundary.nodes import Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadValue
from ddcalc.files.answer_key import node
from ddcalc.files.batch import Solved, solved_again
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import Measured
from ddcalc.problem.earlier import FromPart
from ddcalc.problem.stated import Stated, filled_in

DRAWS: Final = 80  # for one version
SOLVED: Final = 30_000  # cases worked out for all of them
SURELY: Final = 2  # draws that a version takes, at the least
Entry = tuple[Scalar, Node]
Numbers = Mapping[int, Entry]  # entries instead of those that are given, by their identity


class DrawnQuestion(VariantSearch[Numbers]):
    """The question that is *solved*, whose numbers may change: each that is given once, however
    many parts have it. A draw serves if every part is answered; those as clean as the base, in the
    same cases, go first.

    Raises UnknownName for what is no given, BadValue where so many are surely too many.
    """

    def __init__(self, done: Solved, wanted: VariantsWanted) -> None:
        super().__init__(wanted)
        self.done, self.name, self.most = done, done.question.id or "", (DRAWS, SOLVED)
        self.parts = done.parts or [done]
        cases = sum(len(part.cases) for part in self.parts)
        if wanted.count * cases * SURELY > SOLVED:
            most = SOLVED // (cases * SURELY)
            reason = f"versions of {cases} answers are too many; at most {most} are drawn"
            raise BadValue(str(wanted.count), reason).about("count")
        stated = {id(entry): (entry, dial) for part in self.parts for entry, dial in dials(part)}
        entries = {dial: entry for entry, dial in stated.values()}
        self.free = self.chosen([*entries], {dial.given.name for dial in entries})
        self.entries = [entries[dial] for dial in self.free]
        self.like = [[_Like(case, wanted) for case in part.cases] for part in self.parts]
        self.verdicts = [[limit.agrees for limit in part.limits] for part in self.parts]
        self.called = [one.called for row in self.like for one in row]
        self.mine = tuple(str(case.answer.value) for part in self.parts for case in part.cases)

    def drawn(self, values: Mapping[int, Drawn]) -> tuple[Numbers, Hashable]:
        numbers, key = dict[int, Entry](), list[Number]()
        for i, (dial, entry) in enumerate(zip(self.free, self.entries, strict=True)):
            now, at = values.get(i, dial.measured), entry[1]
            its = (now,) if isinstance(now, Measured) else now
            written = [Scalar(one.text, at.line, at.column) for one in its]
            is_one = isinstance(now, Measured)
            stands: Node = written[0] if is_one else Listed([*written], at.line, at.column)
            numbers[id(entry)] = entry[0], stands
            key += [one.value for one in its]
        return numbers, tuple(key)

    def outcome(self, question: Numbers) -> Tried:
        results, is_strict = list[str](), True
        again = solved_again(self.done, question)
        for part, row, verdicts in zip(again, self.like, self.verdicts, strict=True):
            if not part.answered or len(part.cases) != len(row):
                return (), False
            for case, like in zip(part.cases, row, strict=True):
                if (case.answer.value is None) != like.is_none:
                    return (), False
                is_strict = is_strict and like.is_alike(case)
                results.append(str(case.answer.value))
            is_strict = is_strict and verdicts == [limit.agrees for limit in part.limits]
        alike = [*map(results.index, results)] == [*map(self.mine.index, self.mine)]
        return (tuple(results), is_strict) if alike else ((), False)

    def made(self, question: Numbers) -> Solved:
        """The question in the numbers that were drawn."""
        parts = [*solved_again(self.done, question)]
        if not self.done.parts:
            return parts[0]
        head = self.done.question.restated(question)
        head.parts = [part.question for part in parts]
        return Solved(head, parts=parts)


class _Like:
    """Whether another case is like *case*."""

    def __init__(self, case: Derivation, wanted: VariantsWanted) -> None:
        answer = case.answer
        self.is_none, self.most = answer.value is None, places(answer.value, answer.unit)
        self.called = case.problem.quantities[answer.name].called
        self.like: Likeness | None = None
        if not isinstance(case, Inversion):
            self.like = Likeness(case.working, case.stated, replace(wanted, results=()))

    def is_alike(self, case: Derivation) -> bool:
        if self.like is not None:
            tried = self.like.outcome(case.working)
            return tried is not None and bool(tried[0])
        ends = places(case.answer.value, case.answer.unit)
        return self.most is None or (ends is not None and ends <= self.most)


def dials(part: Solved) -> list[tuple[Entry, Dial]]:
    """The entries of a *part* that state numbers, with what these may become; a given with a value
    for each case changes like a list."""
    free = []
    for key, entry in part.question.given.items():
        name, texts = key.replace("-", "_"), entry[1]
        stated = [case.stated.measured.get(name) for case in part.cases]
        given, find = part.cases[0].problem.givens.get(name), part.question.find
        if find is not None and find.text.replace("-", "_") == name:
            continue  # it is sought
        if given is None or isinstance(given, FromPart):
            continue
        if isinstance(texts, Listed) and not all(isinstance(x, Scalar) for x in texts.items):
            continue  # rows of numbers stay
        measured = stated[0]
        if isinstance(texts, Listed) and isinstance(measured, Measured):
            measured = tuple(one for one in stated if isinstance(one, Measured))
        if measured is None:
            continue
        dial = Dial(given, measured)
        if dial.is_free:
            free.append((entry, dial))
    return free


def varying(done: Solved) -> list[str]:
    """The names of the givens that may change."""
    if done.derivation is not None and not is_own(done):
        stated = done.derivation.stated
        return [name for name in stated.measured if name in stated.said]
    return [dial.given.name for part in done.parts or [done] for _, dial in dials(part)]


def is_own(done: Solved) -> bool:
    """Whether a problem asks more than its type: something sought, a limit, steps or formulas."""
    solved, question = done.derivation, done.question
    sought = question.find is not None or question.limit is not None
    return sought or solved is None or solved.problem is not question.problem


def in_numbers(base: Solved, stated: Stated) -> Solved:
    """A problem, with what it adds to its type in a call, as it is *stated* in other numbers."""
    texts, _ = filled_in(stated.problem, texts_of(stated))
    stands = {**texts, **stated.problem.stated_so}
    given = {name: (Scalar(name), node(text)) for name, text in stands.items()}
    own = stated.problem.own_steps
    steps = {f"{name} = {rule}": (Scalar(name), node(why)) for name, rule, why in own}
    solved, question = Derivation(stated), replace(base.question, given=given, steps=steps)
    question.expect, question.claimed, question.marking = {}, {}, {}
    question.title = question.title if question.text else ""
    question.quantity = node([*stated.shape.wanted]) if stated.shape.wanted else None
    return Solved(question, solved, [solved])
