"""The search for variants: numbers are drawn until they are clean and lead into the same cases.

It is one stream of draws, so variant i is the same however many are wanted.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Generic, TypeVar

from ddcalc.ask.variants.draw import Dial, Drawn, pick
from ddcalc.ask.working import Working, working
from ddcalc.errors import BadValue, DdcalcError, Missing, UnknownName
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import decimals, number_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, magnitude
from ddcalc.numbers.units import Unit
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Value

DRAWS = {False: 10_000, True: 600}  # for one variant, by whether a draw is dear
BOLD = 4  # of these draws one in four changes every given, the others only some
STRICT = 2  # one in two wants results on the way that are as clean as those of the base
ALIKE = 4  # variants passed over because their answer is that of another one
SOLVED = {False: 30_000, True: 2_000}  # draws worked out for all variants of one question
COMPUTED = 300_000_000  # computations played in all of them
IDLE = 100  # variants that change no answer, after which it is taken that none does
EXHAUSTED = "no more numbers were found that are as clean and lead into the same cases"
SAME = "none of the numbers tried changes what is asked"
FURTHER = 10  # times that an answer may be larger or smaller than that of the base
PLAYED = 4  # times more or less that a play may count of what happens: that makes it long
COUNTED = 2  # times that a draw like the base may
Results = Mapping[str, Value | tuple[Value, ...]]
Question = TypeVar("Question")

_BEHIND = re.compile(r"\.([0-9]+)")


@dataclass(frozen=True, slots=True)
class VariantsWanted:
    """What is wanted: *count* variants by a *seed*, answers of at most *digits* digits behind the
    point (None: as the base's); givens to *keep*, or the only ones to *vary* (none: all). Besides
    the answer these *results* count: what varies is to change one of them."""

    count: int = 10
    seed: int = 0
    digits: int | None = None
    keep: Sequence[str] = ()
    vary: Sequence[str] = ()
    results: Sequence[str] = ()


@dataclass
class Variants(Generic[Question]):
    """Variants as *questions*, and *why* there are no more, or all have one answer (empty: as many
    as were wanted)."""

    questions: list[Question] = field(default_factory=list)
    why: str = ""


def variants(
    base: Stated, wanted: VariantsWanted, step: Callable[[], None] = lambda: None
) -> Variants[Stated]:
    """Up to as many variants of *base* as are *wanted*; *step* is called for each draw that is
    worked out.

    Raises UnknownName or BadValue for what is not to be kept or varied, and Missing where no given
    is left to vary.
    """
    return OfStated(base, wanted).run(step)


Tried = tuple[tuple[str, ...], bool]
"""What a draw came to: the results that count (none unless it is a variant), and whether those on
the way are as clean, too."""


class VariantSearch(ABC, Generic[Question]):
    """Draws of what is *free* to change in a question called *name*, in which the results that
    count are called *called*, and are *mine*; whether a draw is *dear*, and how many serve for one
    variant and for all of them (*most*)."""

    name: str
    free: Sequence[Dial]
    called: Sequence[str]
    mine: tuple[str, ...]
    dear = True
    most: tuple[int, int]

    def __init__(self, wanted: VariantsWanted) -> None:
        self.wanted = wanted
        self.tried: dict[Hashable, Tried] = {}
        # draws since the last variant; all that are worked out, and what is computed in them
        self.since = self.solved = self.computed = 0

    def chosen(self, stated: Sequence[Dial], known: Collection[str]) -> list[Dial]:
        """Those of the *stated* numbers that may change. Raises UnknownName for what is not *known*
        as a given, BadValue for what the question does not state."""
        keep, vary, names = self.wanted.keep, self.wanted.vary, [one.given.name for one in stated]
        for option, listed in (("keep", keep), ("vary", vary)):
            for name in listed:
                if name not in known:
                    raise UnknownName("given", name, known).about(option)
                if name not in names:
                    raise BadValue(name, "is not stated as a number in the question").about(option)
                if name in keep and name in vary:
                    raise BadValue(name, "is both kept and varied").about("keep")
        mine = {*(vary or names)} - {*keep}
        return [dial for dial in stated if dial.given.name in mine and dial.is_free]

    @abstractmethod
    def drawn(self, values: Mapping[int, Drawn]) -> tuple[Question, Hashable]:
        """The question with other *values* of what is free, and its numbers."""

    @abstractmethod
    def outcome(self, question: Question) -> Tried:
        """What *question* comes to."""

    def run(self, step: Callable[[], None] = lambda: None) -> Variants[Question]:
        """The variants, in the order in which they are taken; *step* is called for each draw that
        is worked out. Raises Missing where nothing is free to change."""
        if not self.free:
            raise Missing(["a given to vary"])
        self.random = Random(f"{self.wanted.seed} {self.name}")  # noqa: S311
        done, mine = Variants[Question](), self.mine
        seen, answers = {self.drawn({})[1]}, {mine}
        idle: list[Question] = []  # those that change no result
        alike = dict[Hashable, Question]()  # passed over for their answer
        passed = 0
        for drawn, strict in self._draws():
            enough = self.solved >= self.most[1] or self.computed >= COMPUTED
            if len(done.questions) >= self.wanted.count or enough:
                break
            question, key = self.drawn(drawn)
            results = () if key in seen else self._results(question, key, strict, step)
            if not results:
                continue
            if results == mine:
                idle.append(question)
                seen.add(key)
                if len(idle) == IDLE and not done.questions:
                    break
            elif results in answers and passed < ALIKE:
                alike.setdefault(key, question)
                passed += 1
            else:
                done.questions.append(question)
                seen.add(key)
                answers.add(results)
                self.since = passed = 0
        done.questions += [question for key, question in alike.items() if key not in seen]
        if not done.questions and idle:
            done.why = f"{SAME} ({', '.join(self.called)})"
        done.questions = [*done.questions, *idle][: self.wanted.count]
        if len(done.questions) < self.wanted.count:
            done.why = done.why or EXHAUSTED
        return done

    def _results(
        self, question: Question, key: Hashable, strict: bool, step: Callable[[], None]
    ) -> tuple[str, ...]:
        """The results of a variant; none where *question* is none, or is not as clean as wanted."""
        if key not in self.tried:
            self.tried[key] = self.outcome(question)
        self.solved += 1
        step()
        results, is_strict = self.tried[key]
        return results if is_strict or not strict else ()

    def _draws(self) -> Iterator[tuple[dict[int, Drawn], bool]]:
        """Values for what changes, and whether all results must come out clean, for as long as
        draws lead to variants."""
        free, limit = [*enumerate(self.free)], self.most[0]
        while self.since < limit:
            self.since += 1
            bold = self.since * BOLD <= limit and (not self.dear or self.since % 2 == 1)
            if bold:  # else timid: one or some of the givens, which hits more often
                drawn = {i: dial.drawn(self.random) for i, dial in free}
            else:
                sure = pick(self.random, len(free))
                some = [(i, one) for i, one in free if i == sure or not pick(self.random, 3)]
                drawn = {i: dial.nudged(self.random) for i, dial in some}
            taken = {i: value for i, value in drawn.items() if value is not None}
            if len(taken) == len(drawn):
                yield taken, self.since * STRICT <= limit


class OfStated(VariantSearch[Stated]):
    """The search for variants of a question of one type."""

    def __init__(self, base: Stated, wanted: VariantsWanted) -> None:
        super().__init__(wanted)
        self.base, self.name = base, base.problem.slug
        givens, said = base.problem.givens, base.said
        stated = [Dial(givens[n], one) for n, one in base.measured.items() if n in said]
        self.free = self.chosen(stated, givens)
        self.like = Likeness(working(base), base, wanted)
        self.mine, self.called = self.like.results(self.like.worked), self.like.called
        self.dear = self.like.worked.dear
        self.most = DRAWS[self.dear], SOLVED[self.dear]

    def drawn(self, values: Mapping[int, Drawn]) -> tuple[Stated, Hashable]:
        drawn = {self.free[i].given.name: value for i, value in values.items()}
        stated = replace(self.base, measured={**self.base.measured, **drawn})
        return stated, tuple(stated.numbers())

    def outcome(self, question: Stated) -> Tried:
        try:
            worked = working(question)
        except DdcalcError:
            return (), False
        self.computed += worked.work
        return self.like.outcome(worked)


class Likeness:
    """How alike a question is to one *worked* out, *stated* so: as clean and large, same cases."""

    def __init__(self, worked: Working, stated: Stated, wanted: VariantsWanted) -> None:
        self.worked, self.quantities = worked, stated.problem.quantities
        self.digits = wanted.digits
        values, answer = worked.values, worked.answer
        self.cases = [*worked.cases()]
        self.most = self._most_places()
        self.names = (answer, *(one for one in wanted.results if one in values and one != answer))
        self.called = [self.quantities[name].called for name in self.names]

    def outcome(self, worked: Working) -> Tried:
        """What a question that is *worked* out comes to."""
        base, values = self.worked, worked.values
        is_variant = (
            values.keys() == base.values.keys()
            and worked.answer == base.answer
            and self._is_clean(values, [base.answer])
            and is_near(base.values[base.answer], values[base.answer], FURTHER)
            and self._is_as_long(values, PLAYED)
            and [*worked.cases()] == self.cases
        )
        if not is_variant:
            return (), False
        is_strict = self._is_clean(values, [*self.most]) and self._is_as_long(values, COUNTED)
        return self.results(worked), is_strict

    def results(self, worked: Working) -> tuple[str, ...]:
        """The results that count, as texts; equal ones are equal."""
        return tuple(str(worked.values.get(name)) for name in self.names)

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
        return max(map(len, _BEHIND.findall(str(value))), default=0)
    number = in_units(value, unit.worth)
    ends = decimals(number)  # which is quickly known of those that do not end
    return None if ends is None or not number_text(number)[1] else ends


def is_near(base: Value | tuple[Value, ...], value: Value | tuple[Value, ...], times: int) -> bool:
    """Whether *value* is within *times* times *base*, or a part, both numbers other than 0."""
    if isinstance(base, Number) and isinstance(value, Number) and base and value:
        mine, its = magnitude(base), magnitude(value)
        return mine <= its * times and its <= mine * times
    return True
