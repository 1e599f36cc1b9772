"""A question in other numbers, which are drawn until it is as clean and leads into the same cases;
what several parts share is drawn once.

It is one stream of draws, so variant i is the same however many are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Final

from ddcalc.ask.draw import Dial, Drawn, pick
from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, texts_of
from ddcalc.boundary.nodes import Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadValue, Missing, UnknownName
from ddcalc.files.batch import ending, solved_again, worked
from ddcalc.files.filed_problem import stated_here
from ddcalc.files.solved import Solved
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import decimals, number_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, magnitude
from ddcalc.numbers.units import Unit
from ddcalc.problem.earlier import FromPart
from ddcalc.problem.problem import Problem
from ddcalc.problem.said.steps import Value
from ddcalc.problem.stated import Stated, filled_in
from ddcalc.schedule.watching import tell

DRAWS: Final = 4_000  # for one variant of a question that equations, or a play, answer
FEW: Final = 80  # for one of a search, or of parts, of which all count
SOLVED: Final = 30_000  # cases worked out for all variants of one question
DEAR: Final = 10  # cases that cost as much as one that is played
COMPUTED: Final = 300_000_000  # computations played in all of them
SURELY: Final = 2  # draws that a variant takes, at the least
BOLD: Final = 4  # of the draws one in four changes every given, the others only some
STRICT: Final = 2  # one in two wants results on the way that are as clean as those of the base
IDLE: Final = 100  # draws that change no answer, after which it is taken that none does
ROUGH: Final = "not all are as clean as wanted, in the same cases"
EXHAUSTED: Final = "no more numbers were found that are as clean and lead into the same cases"
TOLD: Final = "a given to vary, {named} in the text, which keeps a number that it tells"
ELSEWHERE: Final = "has nothing that is to vary; name the ids of the others"
WORDS: Final = dict(zip(["one", "two", "three", "four", "five", "six"], "123456", strict=True))
NUMBER: Final = re.compile(rf"(?<!\w)(?:\d+(?:[.,]\d+)*|(?:{'|'.join(WORDS)})\b)")
SAME: Final = "none of the numbers tried changes what is asked"

FURTHER: Final = 10  # times that an answer may be larger or smaller than that of the base
PLAYED: Final = 4  # times more or less that a play may count of what happens: that makes it long
COUNTED: Final = 2  # times that a draw like the base may
BEHIND: Final = re.compile(r"\.([0-9]+)")

Results = Mapping[str, Value | tuple[Value, ...]]
Entry = tuple[Scalar, Node]
Numbers = Mapping[int, Entry]  # entries instead of those that are given, by their identity
Tried = tuple[tuple[str, ...], bool]
"""What a draw came to: the results that count (none unless it is a variant), and whether those on
the way are as clean, too."""


@dataclass(frozen=True, slots=True)
class VariantsWanted:
    """What is wanted: *count* variants by a *seed*, answers of at most *digits* digits behind the
    point (None: as the base's); givens to *keep*, or the only ones to *vary* (none: all whose
    number does not stand in the question's own words), which may be those of others *beside*."""

    count: int = 10
    seed: int = 0
    digits: int | None = None
    keep: Sequence[str] = ()
    vary: Sequence[str] = ()
    beside: Collection[str] = ()


class DrawnQuestion:
    """The question called *name*, solved in its own numbers (the *base*), which may change: each
    that is given once, however many parts have it. A draw serves if every part is answered, and a
    single one is as clean as the base, in the same cases; where all are, too, and so are results on
    the way, it goes first. The numbers of variants are *found* when they are drawn; *why* says why
    there are no more, or all have one answer (empty: as many as were wanted).

    Raises UnknownName for what is no given, BadValue for what is not stated as a number, or where
    so many variants are surely too many.
    """

    def __init__(self, name: str, base: Solved, wanted: VariantsWanted) -> None:
        self.name, self.base, self.wanted = name, base, wanted
        self.parts, self.found, self.why = base.each, list[Numbers](), ""
        every = [case for part in self.parts for case in part.cases]
        equations = (case for case in every if not isinstance(case, Inversion))
        self.like = {one: Likeness(one, wanted.digits) for one in equations}
        self.dear = any(one.worked.dear for one in self.like.values())
        self.is_single, cost = len(every) == 1, len(every) * (DEAR if self.dear else 1)
        self.draws = DRAWS // cost if self.is_single and self.like else FEW
        self.most = SOLVED // cost
        if wanted.count * SURELY > self.most:
            reason = f"versions of {len(every)} answers are too many; at most {self.most // SURELY}"
            raise BadValue(str(wanted.count), f"{reason} are drawn").about("count")
        stated = {id(entry): (entry, dial) for part in self.parts for entry, dial in dials(part)}
        free = self._chosen([dial for _, dial in stated.values()])
        self.free = [(dial, entry) for entry, dial in stated.values() if dial in free]
        self.mine, self.tried = self._results(every), dict[Hashable, Tried]()
        # draws since the last variant; all that are worked out, and what is computed in them
        self.since = self.solved = self.computed = 0

    def _chosen(self, stated: Sequence[Dial]) -> list[Dial]:
        """Those of the *stated* numbers that may change."""
        keep, vary, names = self.wanted.keep, self.wanted.vary, [one.given.name for one in stated]
        known = {name for one in self.parts for x in one.cases for name in x.problem.givens}
        for option, listed in (("keep", keep), ("vary", vary)):
            for name in listed:
                if name in self.wanted.beside and name not in names:
                    continue
                if name not in known:
                    raise UnknownName("given", name, known).about(option)
                if name not in names:
                    raise BadValue(name, "is not stated as a number in the question").about(option)
                if name in keep and name in vary:
                    raise BadValue(name, "is both kept and varied").about("keep")
        words = " ".join(one.question.text for one in (self.base, *self.base.parts)).lower()
        told = {WORDS.get(one, one) for one in NUMBER.findall(words)}

        def varies(dial: Dial) -> bool:
            first = {found[0] for one in dial.written if (found := NUMBER.match(one.text))}
            return dial.given.name in vary if vary else told.isdisjoint(first)

        return [x for x in stated if x.is_free and varies(x) and x.given.name not in keep]

    def __len__(self) -> int:
        return len(self.found)

    def drawn(self) -> DrawnQuestion:
        """This, with its variants in the order in which they were taken. Raises Missing where
        nothing is free to change."""
        if not self.free:
            lacks = Missing([TOLD if self.base.question.text else "a given to vary"])
            raise BadValue(self.name, ELSEWHERE) if self.wanted.beside else lacks
        question = self.base.question
        name = (question.kind if self.base.is_plain else question.id) or ""
        self.random = Random(f"{self.wanted.seed} {name}")  # noqa: S311
        seen, idle = {self._numbers({})[1]}, list[Numbers]()  # those that change no result
        rough = 0  # how many are not as clean as wanted
        for drawn, strict in self._draws():
            enough = self.solved >= self.most or self.computed >= COMPUTED
            if len(self.found) >= self.wanted.count or enough:
                break
            numbers, key = self._numbers(drawn)
            results = () if key in seen else self._tried(numbers, key, strict)
            if not results:
                continue
            seen.add(key)
            if results != self.mine:
                self.found.append(numbers)
                self.since, rough = 0, rough + (not self.tried[key][1])
                continue
            idle.append(numbers)
            if len(idle) == IDLE and not self.found:
                break
        is_rough = rough and self.wanted.digits is not None and not self.is_single
        self.why = SAME if idle and not self.found else ROUGH * bool(is_rough)
        self.found = [*self.found, *idle][: self.wanted.count]
        if len(self.found) < self.wanted.count:
            self.why = self.why or EXHAUSTED
        return self

    def _results(self, cases: Sequence[Derivation]) -> tuple[str, ...]:
        """The results of *cases* that count, as texts, of which equal ones are equal: the answer;
        of a question without parts what else it expects, too."""
        expected = self.base.question.expect if self.base.is_plain else ()
        more = [name.replace("-", "_") for name in expected]
        return tuple(
            str(case.answer.value if name == case.answer.name else case.values[name])
            for case in cases
            for name in dict.fromkeys((case.answer.name, *filter(case.values.__contains__, more)))
        )

    def _tried(self, numbers: Numbers, key: Hashable, strict: bool) -> tuple[str, ...]:
        """The results of a variant; none where it is none, or is not as clean as wanted."""
        if key not in self.tried:
            self.tried[key] = self._outcome(numbers)
        self.solved += 1
        tell("draw")
        results, is_strict = self.tried[key]
        return results if is_strict or not strict else ()

    def _draws(self) -> Iterator[tuple[dict[int, Drawn], bool]]:
        """Values for what changes, and whether all results must come out clean, for as long as
        draws lead to variants."""
        limit, free = self.draws, [*enumerate(dial for dial, _ in self.free)]
        while self.since < limit:
            self.since += 1
            some = free
            if self.since * BOLD > limit or (self.dear and self.since % 2 == 0):
                sure = pick(self.random, len(free))  # one or some of the givens, which hits more
                some = [(i, one) for i, one in free if i == sure or not pick(self.random, 3)]
            drawn = {i: dial.drawn(self.random) for i, dial in some}
            taken = {i: value for i, value in drawn.items() if value is not None}
            if len(taken) == len(drawn):
                yield taken, self.since * STRICT <= limit

    def _numbers(self, values: Mapping[int, Drawn]) -> tuple[Numbers, Hashable]:
        """The entries with other *values* of what is free, and their numbers."""
        numbers, key = dict[int, Entry](), list[Number]()
        for i, (dial, entry) in enumerate(self.free):
            name, at = entry
            its = values.get(i, dial.written)
            written: list[Node] = [Scalar(one.text, at.line, at.column) for one in its]
            listed = Listed(written, at.line, at.column)
            numbers[id(entry)] = name, listed if dial.is_list else written[0]
            key += [one.value for one in its]
        return numbers, tuple(key)

    def _outcome(self, numbers: Numbers) -> Tried:
        """What the question comes to in other *numbers*."""
        cases, is_strict = list[Derivation](), True
        for part, base in zip(solved_again(self.base, numbers), self.parts, strict=True):
            if not part.answered or len(part.cases) != len(base.cases):
                return (), False
            for case, mine in zip(part.cases, base.cases, strict=True):
                is_alike, is_clean = self._is_like(case, mine)
                if (case.answer.value is None) != (mine.answer.value is None):
                    return (), False
                is_strict = is_strict and (is_clean if self.is_single else is_alike)
                if self.is_single and not is_alike:
                    return (), False
            met, to_meet = ([limit.agrees for limit in one.limits] for one in (part, base))
            is_strict = is_strict and met == to_meet
            cases += part.cases
        results = self._results(cases)
        alike = [*map(results.index, results)] == [*map(self.mine.index, self.mine)]
        return (results, is_strict) if alike else ((), False)

    def _is_like(self, case: Derivation, mine: Derivation) -> tuple[bool, bool]:
        """Whether a *case* is like *mine*, and whether it is as clean on the way, too."""
        if mine in self.like:
            self.computed += case.working.work
            return self.like[mine].of(case)
        ends, most = (places(one.answer.value, one.answer.unit) for one in (case, mine))
        is_clean = most is None or (ends is not None and ends <= most)
        return is_clean or self.is_single, is_clean

    def version(self, place: int) -> Solved:
        """Its variant at a *place*, from 0, of which the same is expected and required."""
        numbers = self.found[place]
        parts = [*solved_again(self.base, numbers)]
        for new, old in ((x.question, y.question) for x, y in zip(parts, self.parts, strict=True)):
            new.expect, new.marking = old.expect, old.marking
        if self.base.parts:
            head = self.base.question.restated(numbers)
            head.parts, head.marking = [x.question for x in parts], self.base.question.marking
            return Solved(head, parts=parts, ending=ending(head, parts))
        question = parts[0].question
        question.title = question.title if question.text or not self.base.is_plain else ""
        return parts[0]


def dials(part: Solved) -> list[tuple[Entry, Dial]]:
    """The entries of a *part* that state numbers, with what these may become; a given with a value
    for each case changes like a list."""
    free = []
    for key, entry in part.question.given.items():
        name, texts = key.replace("-", "_"), entry[1]
        stated = [case.stated.measured.get(name, ()) for case in part.cases]
        given, find = part.cases[0].problem.givens.get(name), part.question.find
        if find is not None and find.text.replace("-", "_") == name:
            continue  # it is sought
        if given is None or isinstance(given, FromPart):
            continue
        if isinstance(texts, Listed) and not all(isinstance(x, Scalar) for x in texts.items):
            continue  # rows of numbers stay
        is_list = name in part.cases[0].stated.lists
        written = stated[0] if is_list or isinstance(texts, Scalar) else tuple(chain(*stated))
        if stated[0]:
            free.append((entry, Dial(given, written, is_list or isinstance(texts, Listed))))
    return free


def of_stated(base: Stated) -> Solved:
    """The question that no file states, but *base*, with what it adds to its type."""
    kind, own = base.problem, base.problem.own_steps
    plain = next(x for x in kind.__mro__ if issubclass(x, Problem) and not x.formulas())
    texts, _ = filled_in(kind, texts_of(base))
    steps, asked = {f"{name} = {rule}": why for name, rule, why in own}, [*base.shape.wanted]
    return worked(stated_here(plain, {**texts, **kind.stated_so}, steps, quantity=asked))


def varying(base: Solved) -> list[str]:
    """The names of the givens that may change."""
    return [dial.given.name for part in base.each for _, dial in dials(part)]


# How alike two questions are in other numbers: as clean, about as large, in the same cases


class Likeness:
    """How alike a question is to *mine*, whose answer has at most so many *digits* behind the point
    (None: as many as that of *mine*): as clean and large, the same cases."""

    def __init__(self, mine: Derivation, digits: int | None = None) -> None:
        self.worked, self.quantities = mine.working, mine.problem.quantities
        self.digits = digits
        self.cases = [*self.worked.cases()]
        self.most = self._most_places()

    def of(self, solved: Derivation) -> tuple[bool, bool]:
        """Whether what is *solved* is alike, and whether results on the way are as clean, too."""
        base, worked, values = self.worked, solved.working, solved.values
        is_alike = (
            values.keys() == base.values.keys()
            and worked.answer == base.answer
            and self._is_clean(values, [base.answer])
            and is_near(base.values[base.answer], values[base.answer], FURTHER)
            and self._is_as_long(values, PLAYED)
            and [*worked.cases()] == self.cases
        )
        is_strict = is_alike and self._is_clean(values, [*self.most])
        return is_alike, is_strict and self._is_as_long(values, COUNTED)

    def _is_as_long(self, values: Results, times: int) -> bool:
        """Whether what a play counts is at most so many *times* more or less than in the base."""
        base = self.worked.values.items() if self.worked.dear else ()
        return all(is_near(x, values[name], times) for name, x in base if isinstance(x, int))

    # How clean a question is: its results end as soon. Digits behind the point are counted in the
    # unit in which a quantity is shown. A result that never ends has no such number, and then none
    # is asked of a variant.

    def _most_places(self) -> dict[str, int]:
        """The digits behind the point that results may have: of the answer as many as are wanted,
        else those of the base, of other results no fewer than what is wanted."""
        most, digits, answer = {}, self.digits, self.worked.answer
        for name, value in self.worked.values.items():
            ends = self._places(name, value)
            if ends is not None and ends >= 0:
                most[name] = max(ends, digits or 0)
        if digits is not None and not isinstance(self.worked.values[answer], Approximate | None):
            most[answer] = digits
        return most

    def _is_clean(self, values: Results, names: Sequence[str]) -> bool:
        """Whether those of *values* called *names* end soon enough."""
        of = [name for name in names if name in self.most and name in values]
        ends = ((self._places(name, values[name]), self.most[name]) for name in of)
        return all(count is not None and count <= most for count, most in ends)

    def _places(self, name: str, values: Value | tuple[Value, ...]) -> int | None:
        """The most digits behind the point of *values*; None where one has no such number."""
        unit = self.quantities[name].unit
        members = values if isinstance(values, tuple) else (values,)
        counts = [places(value, unit) for value in members]
        return None if None in counts else max((c for c in counts if c is not None), default=-1)


def places(value: Value, unit: Unit) -> int | None:
    """The digits behind the point of *value* in *unit*, or of the numbers in a formula.

    None where they do not end, are too many to be shown, or there is no exact value.
    """
    if value is None or isinstance(value, Approximate):
        return None
    if isinstance(value, Expr):
        return max(map(len, BEHIND.findall(str(value))), default=0)
    number = in_units(value, unit.worth)
    ends = decimals(number)  # which is quickly known of those that do not end
    return None if ends is None or not number_text(number)[1] else ends


def is_near(base: Value | tuple[Value, ...], value: Value | tuple[Value, ...], times: int) -> bool:
    """Whether *value* is within *times* times *base*, or a part, both numbers other than 0."""
    if isinstance(base, Number) and isinstance(value, Number) and base and value:
        mine, its = magnitude(base), magnitude(value)
        return mine <= its * times and its <= mine * times
    return True
