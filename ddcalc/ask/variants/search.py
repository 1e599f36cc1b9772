"""The search for variants: numbers are drawn until they are clean and lead into the same cases.

It is one stream of draws, so variant i is the same however many are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product, zip_longest
from math import prod
from random import Random
from time import monotonic

from ddcalc.ask.variants.clean import cleanness
from ddcalc.ask.variants.draw import Dial, Dials, Text, base_texts, dials, pick, shuffled
from ddcalc.ask.variants.signature import as_large, signature
from ddcalc.ask.variants.wanted import Wanted
from ddcalc.ask.working import Working, working
from ddcalc.errors import BadValue, DdcalcError, Missing, UnknownName
from ddcalc.problem.play import cases
from ddcalc.problem.stated import Stated, read

ALL = 4_000  # combinations up to which every one is tried
DRAWS = {True: 10_000, False: 600}  # for one variant, by whether equations tell all
BOLD = 4  # of these draws one part in so many changes every given, the others only some
STRICT = 2  # one part in so many wants results on the way that are as clean as the base's
ALIKE = 4  # variants passed over because their answer is that of another one
SECONDS = 10.0  # for all variants of one question
EXHAUSTED = "no other numbers of this kind are as clean and lead into the same cases"
GIVEN_UP = "the search found no more that are as clean and lead into the same cases"
IDLE = 100  # variants that change nothing asked, before it is settled that none does


@dataclass
class Variants:
    """The variants *found* of a *base*, and *why* there are no more (empty: none were wanted)."""

    base: Stated
    found: list[Stated] = field(default_factory=list)
    why: str = ""


def varied(stated: Stated, wanted: Wanted) -> list[str]:
    """The names of the givens that may change, in the order of declaration.

    Raises UnknownName for what is no given, BadValue for what the question does not state.
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


def variants(base: Stated, wanted: Wanted) -> Variants:
    """Up to as many variants of *base* as are *wanted*.

    Raises what :func:`varied` does, and Missing where no given is left to vary.
    """
    names = varied(base, wanted)
    free = [dial for dial in dials(base, names) if isinstance(dial, Dials) or dial.texts]
    if not free:
        raise Missing(["a given to vary"])
    return _Search(base, wanted, free).run()


class _Search:
    def __init__(self, base: Stated, wanted: Wanted, free: Sequence[Dial | Dials]) -> None:
        self.base, self.wanted, self.free = base, wanted, free
        self.texts = base_texts(base)
        self.worked = working(base)
        self.cases = tuple(cases(base))
        self.signature = () if self.cases else signature(base, self.worked)
        values, asked = self.worked.values, self.worked.answer
        self.clean = cleanness(base.problem, values, asked, wanted.digits)
        self.random = Random(f"{wanted.seed} {base.problem.slug}")  # noqa: S311
        self.seen = {tuple(base.numbers())}
        self.asked = (asked, *(name for name in wanted.asked if name in values and name != asked))
        self.results = self._results(self.worked)
        self.answers = {self.results}
        self.since = 0  # draws since the last variant
        self.alike: list[Stated] = []  # passed over since then, or before
        self.idle: list[Stated] = []  # those that change nothing that is asked

    def run(self) -> Variants:
        """The variants, in the order in which they are found."""
        done = Variants(self.base)
        until, passed = monotonic() + SECONDS, 0
        for texts, strict in self._stream():
            if len(done.found) >= self.wanted.count:
                return done
            if monotonic() > until:
                done.why = f"no more were found in {SECONDS:g} s"
                break
            found = self._admitted(texts, strict)
            if found is None:
                continue
            stated, answer = found
            if answer == self.results:
                self.idle.append(stated)
                self.seen.add(tuple(stated.numbers()))
                if len(self.idle) == IDLE and not done.found:
                    break
            elif answer in self.answers and passed < ALIKE:
                self.alike.append(stated)
                passed += 1
            else:
                self._take(done, stated, answer)
                self.since = passed = 0
        for stated in self.alike:
            if len(done.found) < self.wanted.count and tuple(stated.numbers()) not in self.seen:
                self._take(done, stated, ())
        changing = len(done.found)
        done.found += self.idle[: self.wanted.count - changing]
        if done.found and not changing:
            done.why = self._says_idle()
            return done
        if len(done.found) == self.wanted.count:
            done.why = ""
        elif not done.why:
            done.why = EXHAUSTED if self._every is not None else GIVEN_UP
        return done

    def _says_idle(self) -> str:
        """That nothing varied changes what is asked."""
        declared = self.base.problem.quantities
        told = ", ".join(declared[name].called for name in self.asked)
        return f"none of the numbers tried changes what is asked ({told})"

    def _results(self, worked: Working) -> tuple[str, ...]:
        """What is asked, as texts; equal ones are equal."""
        return tuple(str(worked.values.get(name)) for name in self.asked)

    def _take(self, done: Variants, stated: Stated, answer: tuple[str, ...]) -> None:
        done.found.append(stated)
        self.seen.add(tuple(stated.numbers()))
        self.answers.add(answer)

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
        symbolic = not self.base.is_played  # else draws are dear, and timid ones hit more often
        limit = DRAWS[symbolic]
        while self.since < limit:
            self.since += 1
            bold = self.since * BOLD <= limit and (symbolic or self.since % 2 == 1)
            yield (self._bold() if bold else self._timid()), self.since * STRICT <= limit

    def _bold(self) -> dict[str, Text] | None:
        """Every given changed."""
        drawn = [(dial.name, dial.drawn(self.random)) for dial in self.free]
        told = {name: text for name, text in drawn if text is not None}
        return told if len(told) == len(drawn) else None

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

    def _admitted(
        self, texts: dict[str, Text] | None, strict: bool
    ) -> tuple[Stated, tuple[str, ...]] | None:
        """The question of these *texts* with its answer, if it is a variant."""
        if texts is None:
            return None
        try:
            stated = read(self.base.problem, self.texts | texts)
            if tuple(stated.numbers()) in self.seen or not self._leads_alike(stated):
                return None
            worked = working(stated)
        except DdcalcError:
            return None
        if worked.values.keys() != self.worked.values.keys() or worked.answer != self.worked.answer:
            return None
        if not self.clean.answer(worked.values) or (strict and not self.clean.all(worked.values)):
            return None
        if not self._is_as_hard(stated, worked, strict):
            return None
        return stated, self._results(worked)

    def _leads_alike(self, stated: Stated) -> bool:
        """Whether it leads into the cases that its type tells, if it tells them."""
        pairs = zip_longest(self.cases, cases(stated) if self.cases else ())
        return all(mine == its for mine, its in pairs)

    def _is_as_hard(self, stated: Stated, worked: Working, strict: bool) -> bool:
        if self.cases:
            return True
        if self.base.is_played and not as_large(self.worked, worked, strict):
            return False
        return signature(stated, worked) == self.signature
