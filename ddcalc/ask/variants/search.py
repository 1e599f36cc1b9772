"""The search for variants: numbers are drawn until they are clean and lead into the same cases.

It is one stream of draws, so variant i is the same however many are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product, zip_longest
from math import prod
from numbers import Rational
from random import Random
from typing import NamedTuple

from ddcalc.ask.solve import Text, texts_of
from ddcalc.ask.variants.draw import Dial, Dials, dials, pick, shuffled
from ddcalc.ask.working import Working, working
from ddcalc.errors import BadValue, DdcalcError, Missing, UnknownName
from ddcalc.formula.expression import Expr, Num
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import decimals, number_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.plan import Values, read_for
from ddcalc.problem.problem import Problem
from ddcalc.problem.sheet.modelled import cases
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Value

ALL = 4_000  # combinations up to which every one is tried
DRAWS = {False: 10_000, True: 600}  # for one variant, by whether a draw is dear
BOLD = 4  # of these draws one in four changes every given, the others only some
STRICT = 2  # one in two wants results on the way that are as clean as those of the base
ALIKE = 4  # variants passed over because their answer is that of another one
SOLVED = {False: 30_000, True: 2_000}  # draws worked out for all variants of one question
COMPUTED = 300_000_000  # computations played in all of them
KEPT = 20_000  # dear draws of which it is known what they came to
EXHAUSTED = "no other numbers of this kind are as clean and lead into the same cases"
GIVEN_UP = "the search found no more that are as clean and lead into the same cases"
PLAYED_OUT = (
    f"no more came of playing {count_text(COMPUTED)} computations; a shorter run has the same rates"
)
IDLE = 100  # variants that change no answer, after which it is taken that none does
FURTHER = 10  # times that an answer may be larger or smaller than that of the base
PLAYED = 4  # times that any result may be, where working it out is dear
COUNTED = 2  # times that it may be if it counts what happens: that makes a schedule long


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
class Variants:
    """The variants of a *base*, as *questions*, and *why* there are no more (empty: none were
    wanted). Where none changes the answer, the result *changing* is to be asked for too."""

    base: Stated
    questions: list[Stated] = field(default_factory=list)
    why: str = ""
    changing: tuple[str, ...] = ()


def varied(stated: Stated, wanted: VariantsWanted) -> list[str]:
    """The names of the givens that may change, in the order of declaration.

    Raises UnknownName for what is not a given, BadValue for what the question does not state.
    """
    for option, names in (("keep", wanted.keep), ("vary", wanted.vary)):
        for name in names:
            if name not in stated.problem.givens:
                known = [*stated.problem.givens]
                raise UnknownName("given", name, known).about(option)
            if name not in stated.measured or name not in stated.said:
                raise BadValue(name, "is not stated as a number in the question").about(option)
    if both := [name for name in wanted.vary if name in wanted.keep]:
        raise BadValue(both[0], "is both kept and varied").about("keep")
    mine = wanted.vary or [name for name in stated.measured if name in stated.said]
    return [name for name in stated.measured if name in mine and name not in wanted.keep]


def most_tries(base: Stated) -> int:
    """How many draws are worked out for the variants of *base*, at most."""
    return SOLVED[base.is_played]


def variants(
    base: Stated, wanted: VariantsWanted, step: Callable[[], None] = lambda: None
) -> Variants:
    """Up to as many variants of *base* as are *wanted*; *step* is called for each draw that is
    worked out.

    Raises what :func:`varied` does, and Missing where no given is left to vary.
    """
    names = varied(base, wanted)
    free = [dial for dial in dials(base, names) if isinstance(dial, Dials) or dial.texts]
    if not free:
        raise Missing(["a given to vary"])
    made = _VariantSearch(base, wanted, free, step).run()
    if made.changing:
        also = replace(wanted, results=made.changing)
        return _VariantSearch(base, also, free, step).run(made.changing)
    return made


QuestionKey = tuple[str | tuple[str, ...], ...]


class QuestionTemplate:
    """The *base* with other texts of what it states; each text is read once."""

    def __init__(self, base: Stated) -> None:
        self.base = base
        self._values: dict[tuple[str, str], tuple[Measured, str]] = {}  # by given and its text

    def stated(self, texts: Mapping[str, Text]) -> Stated:
        """What is read of the texts of the base with these *texts* instead; of givens that are
        stated there, so that only values change."""
        base, measured = self._base_read, dict(self._base_read.measured)
        for name, text in texts.items():
            if isinstance(text, str):
                measured[name] = self._value(name, text)[0]
            else:
                measured[name] = tuple([self._value(name, one)[0] for one in text])
        return Stated(base.problem, base.shape, measured, base.said, base.presets, base.filled)

    def key(self, texts: Mapping[str, Text]) -> QuestionKey:
        """The values of the same question, equal where they are."""
        values = dict(self._base_key)
        for name, text in texts.items():
            if isinstance(text, str):
                values[name] = self._value(name, text)[1]
            else:
                values[name] = tuple([self._value(name, one)[1] for one in text])
        return tuple(values.values())

    @cached_property
    def _base_read(self) -> Stated:
        return read_for(self.base.problem, texts_of(self.base), self.base.shape.wanted)

    @cached_property
    def _base_key(self) -> Mapping[str, str | tuple[str, ...]]:
        return {
            name: tuple([str(one.value) for one in measured])
            if isinstance(measured, tuple)
            else str(measured.value)
            for name, measured in self._base_read.measured.items()
        }

    def _value(self, name: str, text: str) -> tuple[Measured, str]:
        """What *text* states, and its value as a text, which is compared more quickly."""
        known = self._values.get((name, text))
        if known is None:
            measured = self.base.problem.givens[name].read(text)
            known = self._values[name, text] = measured, str(measured.value)
        return known


class _Variant(NamedTuple):
    """What is *stated* instead of the base, its *key*, and its *results* that count."""

    stated: Stated
    key: QuestionKey
    results: tuple[str, ...]


class _Tried(NamedTuple):
    """What a draw came to: whether it was *worked out*, whether it *fits* where all results are to
    be clean and where they need not be, and its *results* that count."""

    worked_out: bool = False
    fits: Mapping[bool, bool] = {}
    results: tuple[str, ...] = ()


class _VariantSearch:
    def __init__(
        self,
        base: Stated,
        wanted: VariantsWanted,
        free: Sequence[Dial | Dials],
        step: Callable[[], None],
    ) -> None:
        self.base, self.wanted, self.free, self.step = base, wanted, free, step
        self.template = QuestionTemplate(base)
        self.tried: dict[QuestionKey, _Tried] = {}  # what dear draws came to
        self.worked = working(base)
        self.cases = tuple(cases(base))  # by its type, if that names them
        self.signature = () if self.cases else tuple(self.worked.cases())
        self.clean = Cleanness(base.problem, self.worked, wanted.digits)
        self.random = Random(f"{wanted.seed} {base.problem.slug}")  # noqa: S311
        self.seen = {self.template.key({})}
        values, answer = self.worked.values, self.worked.answer
        others = (name for name in wanted.results if name in values and name != answer)
        self.names = (answer, *others)  # of the results that count
        self.results = self._results(self.worked)
        self.answers = {self.results}
        self.since = 0  # draws since the last variant
        self.solved = 0  # draws worked out
        self.computed = 0  # computations played for them
        self.alike: list[_Variant] = []  # passed over since then, or before
        self.idle: list[Stated] = []  # those that change no answer

    def run(self, changing: tuple[str, ...] = ()) -> Variants:
        """The variants, in the order in which they are found; *changing* is asked for too."""
        done = Variants(self.base, changing=changing)
        passed = 0
        for texts, strict in self._stream():
            if len(done.questions) >= self.wanted.count:
                return done
            if why := self._given_up():
                done.why = why
                break
            admitted = self._admitted(texts, strict)
            if admitted is None:
                continue
            if admitted.results == self.results:
                self.idle.append(admitted.stated)
                self.seen.add(admitted.key)
                if len(self.idle) == IDLE and not done.questions:
                    break
            elif admitted.results in self.answers and passed < ALIKE:
                self.alike.append(admitted)
                passed += 1
            else:
                self._take(done, admitted)
                self.since = passed = 0
        for variant in self.alike:
            if len(done.questions) < self.wanted.count and variant.key not in self.seen:
                self._take(done, variant)
        changed = len(done.questions)
        done.questions += self.idle[: self.wanted.count - changed]
        if done.questions and not changed:
            done.changing = self._changing()
            done.why = self._says_idle()
            return done
        if len(done.questions) == self.wanted.count:
            done.why = ""
        elif not done.why:
            done.why = EXHAUSTED if self._every is not None else GIVEN_UP
        return done

    def _given_up(self) -> str:
        """Why no more draws are worked out, where these are enough."""
        most = SOLVED[self.worked.dear]
        if self.solved >= most:
            return f"no more came of {most} tries"
        return PLAYED_OUT if self.computed >= COMPUTED else ""

    def _changing(self) -> tuple[str, ...]:
        """The result nearest to the answer that is another in every variant, if there is one."""
        others = [working(stated).values for stated in self.idle]
        for name, value in reversed([*self.worked.values.items()]):
            if all(str(values[name]) != str(value) for values in others):
                return (name,)
        return ()

    def _says_idle(self) -> str:
        """That nothing varied changes what is asked."""
        declared = self.base.problem.quantities
        answers = ", ".join(declared[name].called for name in self.names)
        return f"none of the numbers tried changes what is asked ({answers})"

    def _results(self, worked: Working) -> tuple[str, ...]:
        """The results that count, as texts; equal ones are equal."""
        return tuple(str(worked.values.get(name)) for name in self.names)

    def _take(self, done: Variants, variant: _Variant) -> None:
        done.questions.append(variant.stated)
        self.seen.add(variant.key)
        self.answers.add(variant.results)

    @cached_property
    def _every(self) -> list[tuple[str, ...]] | None:
        """All combinations of values, where there are not too many."""
        single = [dial.texts for dial in self.free if isinstance(dial, Dial)]
        if len(single) < len(self.free) or prod(map(len, single)) > ALL:
            return None
        return list(product(*single))

    def _stream(self) -> Iterator[tuple[dict[str, Text] | None, bool]]:
        """Texts for the givens that change, and whether all results have to be clean."""
        if self._every is not None:
            for strict in (True, False):
                for i in shuffled(self.random, len(self._every)):
                    names = (dial.name for dial in self.free)
                    yield dict(zip(names, self._every[i], strict=True)), strict
            return
        dear = self.worked.dear  # then timid draws, which hit more often, are better
        limit = DRAWS[dear]
        while self.since < limit:
            self.since += 1
            bold = self.since * BOLD <= limit and (not dear or self.since % 2 == 1)
            yield (self._bold() if bold else self._timid()), self.since * STRICT <= limit

    def _bold(self) -> dict[str, Text] | None:
        """Every given changed."""
        drawn = [(dial.name, dial.drawn(self.random)) for dial in self.free]
        texts = {name: text for name, text in drawn if text is not None}
        return texts if len(texts) == len(drawn) else None

    def _timid(self) -> dict[str, Text]:
        """One or some of the givens changed, of a list one member."""
        sure = pick(self.random, len(self.free))
        chosen = [
            dial for i, dial in enumerate(self.free) if i == sure or pick(self.random, 3) == 0
        ]
        return {
            dial.name: dial.drawn(self.random)
            if isinstance(dial, Dial)
            else dial.nudged(self.random)
            for dial in chosen
        }

    def _admitted(self, texts: dict[str, Text] | None, strict: bool) -> _Variant | None:
        """The question of these *texts*, if it is a variant."""
        if texts is None:
            return None
        try:
            key = self.template.key(texts)
        except DdcalcError:
            return None
        if key in self.seen:
            return None
        stated = self.template.stated(texts)
        dear = self.worked.dear
        tried = self.tried.get(key) if dear else None
        if tried is None:
            tried = self._tried(stated, (True, False) if dear else (strict,))
            if dear and len(self.tried) < KEPT:
                self.tried[key] = tried
        if tried.worked_out:
            self.solved += 1
            self.step()
        return _Variant(stated, key, tried.results) if tried.fits.get(strict) else None

    def _tried(self, stated: Stated, demands: Sequence[bool]) -> _Tried:
        """What *stated* comes to, if all results have to be clean and if not, as is demanded."""
        try:
            if not self._leads_alike(stated):
                return _Tried()
        except DdcalcError:
            return _Tried()
        try:
            worked = working(stated)
        except DdcalcError:
            return _Tried(worked_out=True)
        self.computed += worked.work
        fits = {strict: self._fits(worked, strict) for strict in demands}
        return _Tried(True, fits, self._results(worked) if any(fits.values()) else ())

    def _fits(self, worked: Working, strict: bool) -> bool:
        """Whether what is *worked* out is like the base, and as clean."""
        values, base = worked.values, self.worked
        if values.keys() != base.values.keys() or worked.answer != base.answer:
            return False
        if not self.clean.of_answer(values) or (strict and not self.clean.of_all(values)):
            return False
        return self._is_as_hard(worked, strict)

    def _leads_alike(self, stated: Stated) -> bool:
        """Whether it leads into the cases that its type names, if it names them."""
        pairs = zip_longest(self.cases, cases(stated) if self.cases else ())
        return all(mine == its for mine, its in pairs)

    def _is_as_hard(self, worked: Working, strict: bool) -> bool:
        if self.cases:
            return True
        if worked.dear and not as_large(self.worked, worked, strict):
            return False
        return tuple(worked.cases()) == self.signature


# How like a question another one is: its results end as soon, and are about as large. Digits behind
# the point are counted in the unit in which a quantity is shown. A result that never ends, or that
# has no exact value, has no such number, and then none is asked of a variant.


def places(value: Value, unit: Unit) -> int | None:
    """The digits behind the point of *value* in *unit*, or of the numbers in a formula.

    None where they do not end, are too many to be shown, or there is no exact value.
    """
    if value is None or isinstance(value, Approximate):
        return None
    if isinstance(value, Num):
        return decimals(value.value)
    if isinstance(value, Expr):
        return _most([places(part, COUNT) for part in value.parts()], 0)
    number = in_units(value, unit.worth)
    ends = decimals(number)  # which is quickly known of those that do not end
    return None if ends is None or not number_text(number)[1] else ends


def _most(counts: list[int | None], least: int) -> int | None:
    ends = [count for count in counts if count is not None]
    return max(ends, default=least) if len(ends) == len(counts) else None


def _places(values: Value | tuple[Value, ...], unit: Unit) -> int | None:
    """The most digits behind the point of *values*; None where one has no such number."""
    if not isinstance(values, tuple):
        return places(values, unit)
    return _most([places(value, unit) for value in values], -1)


class Cleanness:
    """What is wanted of the results of variants of the question *worked* out: as few digits behind
    the point as it has itself; of the answer at most *digits* if that is said, and of other results
    no fewer than that. The answer is to be about as large."""

    def __init__(self, problem: type[Problem], worked: Working, digits: int | None) -> None:
        self.problem, self.answer = problem, worked.answer
        self.most: dict[str, int] = {}
        for name, value in worked.values.items():
            ends = _places(value, problem.quantities[name].unit)
            if ends is not None and ends >= 0:
                self.most[name] = max(ends, digits or 0)
        self.about = worked.values[worked.answer]
        if digits is not None and not isinstance(self.about, Approximate | None):
            self.most[worked.answer] = digits

    def of_answer(self, values: Values) -> bool:
        """Whether the answer is clean, and of a sensible size."""
        return self._ends(self.answer, values) and is_near(self.about, values[self.answer], FURTHER)

    def of_all(self, values: Values) -> bool:
        """Whether every result is clean."""
        return all(self._ends(name, values) for name in self.most if name in values)

    def _ends(self, name: str, values: Values) -> bool:
        if name not in self.most:
            return True
        ends = _places(values[name], self.problem.quantities[name].unit)
        return ends is not None and ends <= self.most[name]


def is_near(
    base: Value | tuple[Value, ...] | None, value: Value | tuple[Value, ...] | None, times: int
) -> bool:
    """Whether *value* is at most *times* times larger or smaller than *base*, if both are
    numbers other than 0."""
    if not (isinstance(base, Rational) and isinstance(value, Rational) and base and value):
        return True
    return bool(abs(base) <= abs(value) * times and abs(value) <= abs(base) * times)


def as_large(base: Working, other: Working, strict: bool) -> bool:
    """Whether all results are about as large as those of *base*; counts are closer if it is
    *strict*."""
    counted = COUNTED if strict else PLAYED
    pairs = ((value, other.values.get(name)) for name, value in base.values.items())
    return all(is_near(v, its, counted if isinstance(v, int) else PLAYED) for v, its in pairs)
