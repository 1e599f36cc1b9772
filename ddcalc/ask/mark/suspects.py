"""All that a wrong answer may come from, one slip at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.exercise import (
    Exercise,
    ReadingOfExercise,
    ResultChain,
    member,
)
from ddcalc.ask.mark.slip import SIMPLE, MeasuredValue, Pieces, Put, Slip, sentence
from ddcalc.ask.mark.slips import WrongLine, wrong_lines
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Derivation, singles
from ddcalc.ask.working import equations
from ddcalc.formula.evaluation import decided
from ddcalc.formula.expression import Expr, Known, Number, Sym, symbols
from ddcalc.numbers.amounts import amount, count_text, in_unit
from ddcalc.numbers.display import half_up, rounded
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import ONE, UNITS, Measured, Unit
from ddcalc.problem.plan import Values
from ddcalc.problem.putting import put_in
from ddcalc.problem.quantity import Derived

KEPT = 200  # quantities of which it is kept what was searched
LONGEST = 12  # members of a list that are looked at
POWERS = (1, 2, 3)  # of ten by which a point is shifted
DIGITS = (2, 3)  # to which results on the way are rounded

Words = tuple[Pieces, Pieces]


@lru_cache(maxsize=KEPT)
def suspects(exercise: Exercise, name: str, at: int | None = None) -> list[Slip]:
    """Every single slip that may lead to a wrong value of a quantity, or of its member *at* (from
    1) where it is a list; kept for other students."""
    return [*Answerable(exercise, name, at).slips()]


def hits(among: Iterable[Slip], stated: Written, unit: Unit) -> list[Slip]:
    """The slips that lead to what is *stated* in *unit*, the simplest first, each deed once."""
    fitting = [slip for slip in among if stated.fits(slip.value, unit.worth)]
    different: dict[Pieces, Slip] = {}
    for slip in sorted(fitting, key=lambda slip: SIMPLE[slip.kind]):
        different.setdefault(slip.deed, slip)
    return [*different.values()]


class Answerable:
    """What is to be answered: the quantity called *name*, or its member *at*, whose right *value*
    is a number (base units); and all that a wrong one may come from."""

    def __init__(self, exercise: Exercise, name: str, at: int | None) -> None:
        one = singles(exercise.results[name])[(at or 1) - 1]
        assert isinstance(one.value, Number)
        self.exercise, self.name, self.at = exercise, name, at
        self.letter, self.unit, self.value = one.symbol, one.unit, plain(one.value)

    def slips(self) -> Iterator[Slip]:
        """Every single slip."""
        yield from self._other_results()
        yield from self.other_readings()
        yield from self._scales()
        if (chain := self.exercise.chain) is not None:
            yield from self._in_equations(chain)

    # At the end: another result of the same question is answered, a wrong power of ten, or one
    # device instead of all

    def _other_results(self) -> Iterator[Slip]:
        """The values of all other derived quantities, members of lists last."""
        exercise = self.exercise
        quantities, last = exercise.solved.quantities, exercise.number(self.name)
        asked = exercise.problem.quantities[self.name].called
        why = (f"Asked is {asked}", f" (step {last})" if last else "")
        for name in sorted(quantities, key=lambda name: isinstance(quantities[name], tuple)):
            quantity, number = exercise.problem.quantities[name], exercise.number(name)
            if not isinstance(quantity, Derived):
                continue
            for result in singles(quantities[name])[:LONGEST]:
                value = result.value
                if result.symbol == self.letter or value is None or isinstance(value, Expr):
                    continue
                if quantity.unit.dimension != self.unit.dimension:  # its number alone
                    value = product(in_units(value, quantity.unit.worth), self.unit.worth)
                of = f" of step {number}" if number else ""
                deed: Pieces = (f"giving {quantity.called} (", Sym(result.symbol), f"){of}")
                yield Slip("result", plain(value), deed, words=partial(_words, why=why))

    def _scales(self) -> Iterator[Slip]:
        """The right value many times, or a fraction of it."""
        value, stated = self.value, self.exercise.solved.stated
        for power in POWERS:
            off = f"shifting the point: it is {count_text(10**power)} times too"
            yield Slip("power of ten", value * 10**power, (f"{off} large",))
            yield Slip("power of ten", Fraction(value, 10**power), (f"{off} small",))
        for name, given in self.exercise.problem.givens.items():
            measured = stated.measured.get(name)
            if given.whole and isinstance(measured, Measured) and measured.value > 1:
                count = int(measured.value)
                once: Pieces = (Sym(given.letter), f" = {count_text(count)} ({given.title})")
                yield Slip("share", value * count, ("multiplying by ", *once))
                yield Slip("share", Fraction(value, count), ("dividing by ", *once))
        if self.unit.dimension == ONE and 0 < value < 1:
            yield Slip("result", 1 - value, ("giving what is left to 100 %",))

    # Of reading: the question answered as another choice, one at a time, would have it

    def other_readings(self) -> Iterator[Slip]:
        """The value under every other reading."""
        solved, others = self.exercise.solved, [*self.exercise.otherwise]
        if isinstance(solved, Inversion) and solved.answer.name == self.name:
            for one in solved.readings:
                values: Values = {self.name: one.answer.value}
                others.append(ReadingOfExercise(solved.stated, one.choice, one.option, values))
        for other in others:
            value = member(other.values.get(self.name), self.at)
            if value is not None and not isinstance(value, Expr):
                yield reread(self.exercise, other, value, self)

    # In what the target is derived from: a formula changed, a given misread, a result rounded early

    @cached_property
    def _units(self) -> dict[str, Unit]:
        return {letter: one.unit for letter, one in self.exercise.letters.items()}

    def _in_equations(self, chain: ResultChain) -> Iterator[Slip]:
        """Every single slip in what the value is derived from."""
        stated, letter = self.exercise.solved.stated, self.letter
        needed = chain.rests_on(letter)
        for wrong in wrong_lines(self.exercise.problem, stated.shape):
            if needed.isdisjoint(wrong.rules) or not chain.formulas.keys() >= wrong.rules.keys():
                continue
            symbol = wrong.line.symbol
            right = chain.known[symbol]
            if wrong.change.kind == "count" and (right is None or right.denominator != 1):
                continue
            made = chain.again(wrong.rules, needed)
            value = None if made is None else made.known[letter]
            if made is None or value is None:
                continue
            changed, on_the_way = made.known[symbol], symbol != letter
            if on_the_way and changed is not None and right is not None and changed < 0 <= right:
                continue  # a negative number, which anybody would notice
            yield self._changed(wrong, chain, made, value)
        for slip in (*self._misread(), *self._rounded_early(chain)):
            if slip.instead.keys() <= needed - {letter}:
                made = chain.again(slip.instead, needed)
                if made is not None and (value := made.known[letter]) is not None:
                    yield replace(slip, value=value)

    def _changed(
        self, wrong: WrongLine, chain: ResultChain, made: ResultChain, value: Number
    ) -> Slip:
        """A formula is changed, of which the numbers in *made* come."""
        exercise, line, change = self.exercise, wrong.line, wrong.change
        is_last = line.quantity.name == self.name

        def shown(expr: Expr, known: Known) -> Pieces:
            """``symbol = formula = numbers = value``, the last unless it is the answer."""
            expr, value = decided(expr, known), known[line.symbol]
            words: Pieces = (Sym(line.symbol), " = ", expr)
            if any(symbols(expr)) and not isinstance(expr, Sym):
                words = (*words, " = ", Put(expr, put_in(expr, known, self._units)))
            if not is_last and value is not None:
                words = (*words, " = ", MeasuredValue(value, line.quantity.unit))
            return words

        def words() -> Words:
            right = shown(line.formula, chain.known)
            if is_last:  # its numbers stand beside the right value already
                right = (Sym(line.symbol), " = ", decided(line.formula, chain.known))
            reason = exercise.counts(change.gone) or (exercise.reason(line.quantity.name),)
            because = (". ", *sentence(reason)) if any(reason) else ()
            return shown(change.expr, made.known), ("instead: ", *right, *because)

        deed, step = change.deed, exercise.number(line.quantity.name)
        if change.gone is not None and deed[-1] == change.gone:
            deed = (*deed[:-1], *exercise.named(change.gone))
        same = (line.quantity.name, *change.deed)
        return Slip(change.kind, value, (*deed, _in_step(step)), step, words, same, wrong.rules)

    def _misread(self) -> Iterator[Slip]:
        """Bits are taken as bytes, milliseconds as seconds, kB as KiB."""
        for name, given in self.exercise.problem.givens.items():
            measured = self.exercise.solved.stated.measured.get(name)
            if not isinstance(measured, Measured) or measured.bare or not measured.value:
                continue
            letter, unit = Sym(given.letter), measured.unit
            number, why = in_units(measured.value, unit.worth), self.exercise.named(letter)[1:]
            stated = amount(measured.value, unit, stated=True).marked
            for other in _mistaken(unit, given.unit):
                taken = product(number, other.worth)
                deed = (f"taking {stated} as {in_unit(taken, other).marked} for ", letter)
                words, same = partial(_words, why=why), (name, other.name)
                yield Slip("unit", 0, deed, None, words, same, {given.letter: taken})

    def _rounded_early(self, chain: ResultChain) -> Iterator[Slip]:
        """A result is rounded before the next step uses it."""
        made = equations(self.exercise.solved.stated)
        for line in made.lines if made else ():
            right, unit = chain.known[line.symbol], line.quantity.unit
            if not right or line.symbol not in chain.formulas:
                continue
            number, step = in_units(right, unit.worth), self.exercise.number(line.quantity.name)
            why = ("It is ", MeasuredValue(right, unit), "; round at the end only")
            coarse = {half_up(number, 0), *(rounded(Fraction(number), n) for n in DIGITS)}
            for early in coarse - {0, number} if number.denominator != 1 else ():
                wrong = product(early, unit.worth)
                deed: Pieces = ("rounding ", Sym(line.symbol), " to ", MeasuredValue(wrong, unit))
                words, deed = partial(_words, why=why), (*deed, _in_step(step))
                yield Slip("early", 0, deed, step, words, (), {line.symbol: wrong})


def reread(
    exercise: Exercise,
    other: ReadingOfExercise,
    value: Number = 0,
    target: Answerable | None = None,
) -> Slip:
    """The slip of another reading, which leads to *value*, the number of a *target* if it is
    one."""
    solved, choice = exercise.solved, exercise.problem.choices[other.choice]

    def words() -> Words:
        says = choice.options[dict(solved.stated.shape.reading)[other.choice]]
        stated = other.choice in solved.stated.said
        shown: Pieces = ()
        if target is not None and not isinstance(solved, Inversion):
            line = Exercise(Derivation(other.stated)).last_line(target.name, target.at)
            shown = () if line is None else (Sym(target.letter), " = ", line.expr, " = ", line)
        return shown, (f"{'The question says' if stated else 'Taken here'}: {says}",)

    deed = (f"reading otherwise: {choice.options[other.option]}",)
    quantities = exercise.problem.quantities
    instead = {quantities[n].letter: x for n, x in other.values.items() if isinstance(x, Number)}
    return Slip("reading", value, deed, None, words, (other.choice, other.option), instead)


_ALIKE = [(f"{prefix}B", f"{prefix}iB".replace("k", "K")) for prefix in "kMGT"]
_ALIKE += [(f"{prefix}B", f"{prefix}bit") for prefix in ("", *"kMGT")]


def _mistaken(unit: Unit, usual: Unit) -> Iterator[Unit]:
    """The units that *unit* is mistaken for; a quotient in its first one."""
    over, slash, under = unit.name.partition("/")
    for name in [b for a, b in _ALIKE if a == over] + [a for a, b in _ALIKE if b == over]:
        yield UNITS[name].per(UNITS[under]) if slash else UNITS[name]
    if unit.worth != usual.worth:
        yield usual


def _in_step(number: int | None) -> str:
    return f" in step {number}" if number else ""


def _words(shown: Pieces = (), why: Pieces = ()) -> Words:
    return shown, why
