"""All that a wrong answer may come from, one slip at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial

from ddcalc.ask.mark.exercise import Exercise, worth
from ddcalc.ask.mark.grading import SIMPLE, Pieces, Put, Slip, sentence
from ddcalc.ask.mark.slips import WrongLine, wrong_lines
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Derivation, Result, singles
from ddcalc.formula.evaluation import decided
from ddcalc.formula.expression import Expr, Known, Number, Sym, symbols
from ddcalc.numbers.amounts import amount, count_text, in_unit
from ddcalc.numbers.display import equal, half_up, rounded
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import ONE, UNITS, Unit
from ddcalc.problem.quantity import Derived
from ddcalc.problem.said.arguments import Line
from ddcalc.problem.said.explanation import put_in
from ddcalc.problem.said.steps import Value

KEPT = 200  # quantities of which it is kept what was searched
LONGEST = 12  # members of a list that are looked at
POWERS = (1, 2, 3)  # of ten by which a point is shifted
DIGITS = (2, 3)  # to which results on the way are rounded


@lru_cache(maxsize=KEPT)
def suspects(exercise: Exercise, name: str, letter: str) -> list[Slip]:
    """Every single slip that may lead to a wrong value of a quantity, or of the member of a list
    that has this *letter*; kept for other students."""
    asked = next(one for one in singles(exercise.result(name)) if one.symbol == letter)
    read = other_readings(exercise, asked)
    return [
        *_other_results(exercise, asked),
        *(replace(slip, value=plain(x)) for slip, x in read if isinstance(x, Number)),
        *_scales(exercise, asked),
        *_on_the_way(exercise, asked),
    ]


def hits(among: Iterable[Slip], stated: Written, unit: Unit) -> list[Slip]:
    """The slips that lead to what is *stated* in *unit*, the simplest first, each deed once."""
    fitting = [slip for slip in among if stated.fits(slip.value, unit.worth)]
    different: dict[Pieces, Slip] = {}
    for slip in sorted(fitting, key=lambda slip: SIMPLE[slip.kind]):
        different.setdefault(slip.deed, slip)
    return [*different.values()]


# At the end: another result of the same question is answered, a wrong power of ten, or one device
# instead of all


def _other_results(exercise: Exercise, asked: Result) -> Iterator[Slip]:
    """The values of all other derived quantities, members of lists last; of those that measure
    something else their numbers, where a number without a unit is asked."""
    declared, quantities = exercise.problem.quantities, exercise.solved.quantities
    why: Pieces = ("asked is ", Sym(asked.symbol), f" ({declared[asked.name].called})")
    for name in sorted(quantities, key=lambda name: isinstance(quantities[name], tuple)):
        quantity = declared[name]
        for result in singles(quantities[name])[:LONGEST] if isinstance(quantity, Derived) else ():
            value = result.value
            if result.symbol == asked.symbol or not isinstance(value, Number):
                continue
            if quantity.unit.dimension != asked.unit.dimension:
                if asked.unit.dimension != ONE:
                    continue
                value = product(in_units(value, quantity.unit.worth), asked.unit.worth)
            deed: Pieces = ("giving ", Sym(result.symbol), f" ({quantity.called})")
            yield Slip("result", deed, plain(value), words=lambda: ((), why))


def _scales(exercise: Exercise, asked: Result) -> Iterator[Slip]:
    """The right value many times, or a fraction of it."""
    assert isinstance(asked.value, Number)
    value = plain(asked.value)
    for power in POWERS:
        off = f"shifting the point: it is {count_text(10**power)} times too"
        yield Slip("power of ten", (f"{off} large",), value * 10**power)
        yield Slip("power of ten", (f"{off} small",), Fraction(value, 10**power))
    for name, given in exercise.problem.givens.items():
        measured = exercise.solved.stated.alone(name)
        if given.whole and measured and measured.value > 1:
            count = int(measured.value)
            once: Pieces = (Sym(given.letter), f" = {count_text(count)} ({given.title})")
            yield Slip("share", ("multiplying by ", *once), value * count)
            yield Slip("share", ("dividing by ", *once), Fraction(value, count))
    if asked.unit.dimension == ONE and 0 < value < 1:
        yield Slip("result", ("giving what is left to 100 %",), 1 - value)


# Of reading: the question answered as another choice, one at a time, would have it


def other_readings(exercise: Exercise, asked: Result) -> Iterator[tuple[Slip, Value]]:
    """The slip of each other reading, and what is *asked* by that."""
    declared, stated = exercise.problem.quantities, exercise.solved.stated
    for name, option, other in exercise.otherwise:
        options = exercise.problem.choices[name].options
        mine = options[dict(stated.shape.reading)[name]]
        why = f"{'The question says' if name in stated.said else 'Taken here'}: {mine}"

        def words(other: Derivation = other, why: str = why) -> tuple[Pieces, Pieces]:
            line = Exercise(other).last_line(asked.name, asked.symbol)
            return (Sym(asked.symbol), " = ", line.expr, " = ", line) if line else (), (why,)

        deed = (f"reading otherwise: {options[option]}",)
        numbers = ((declared[n].letter, x) for n, x in other.values.items())
        instead = {letter: x for letter, x in numbers if isinstance(x, Number)}
        slip = Slip("reading", deed, words=words, wrong=(name, option), instead=instead)
        yield slip, worth(other.quantities.get(asked.name, ()), asked.symbol)


# On the way: a formula changed, a given misread, a result rounded early


def _on_the_way(exercise: Exercise, asked: Result) -> Iterator[Slip]:
    """Every single slip in what is *asked*, or in what that is derived from."""
    plan, letter = exercise.plan, asked.symbol
    lines = plan.needed(letter) if plan else []
    if plan is None or (known := exercise.worked(lines)) is None:
        return
    needed, every = plan.rests_on(letter), wrong_lines(exercise.problem, plan.problem.shape)
    changed = (one for one in every if not needed.isdisjoint(one.rules))
    made = (_changed(exercise, asked, one, lines, known) for one in changed)
    for slip in (*made, *_misread(exercise), *_rounded_early(exercise, asked, lines, known)):
        if needed.isdisjoint(slip.instead) or exercise.instead.keys() & slip.instead.keys():
            continue
        theirs = exercise.worked(lines, slip.instead)
        if theirs is None or (value := theirs[letter]) is None:
            continue
        for one in slip.instead:
            right, wrong = known.get(one), theirs.get(one)
            if right is None or wrong is None:
                continue
            if slip.kind == "count" and right.denominator != 1:
                break
            if letter not in slip.instead and wrong < 0 <= right:
                break  # a negative number on the way, which anybody would notice
        else:
            yield replace(slip, value=value)


def _changed(
    exercise: Exercise, asked: Result, wrong: WrongLine, lines: Sequence[Line], known: Known
) -> Slip:
    """A formula is changed."""
    line, change = wrong.line, wrong.change
    name, is_last = line.quantity.name, line.quantity.name == asked.name

    def shown(expr: Expr, known: Known, *, briefly: bool = False) -> Pieces:
        """``symbol = formula = numbers = value``, the last unless it is the answer."""
        expr, value = decided(expr, known), known[line.symbol]
        words: Pieces = (Sym(line.symbol), " = ", expr)
        if any(symbols(expr)) and not isinstance(expr, Sym) and not briefly:
            units = {letter: one.unit for letter, one in exercise.letters.items()}
            words = (*words, " = ", Put(expr, put_in(expr, known, units)))
        if not is_last and value is not None:
            words = (*words, equal("", in_unit(value, line.quantity.unit).marked))
        return words

    def words() -> tuple[Pieces, Pieces]:
        right = shown(line.formula, known, briefly=is_last)  # beside the right value
        reason = exercise.counts(change.gone, known) or (exercise.reason(name),)
        because = (". ", *sentence(reason)) if any(reason) else ()
        theirs = exercise.worked(lines, wrong.rules) or known
        return shown(change.expr, theirs), ("instead: ", *right, *because)

    deed = change.deed
    if change.gone is not None and deed[-1] == change.gone:
        deed = (*deed[:-1], *exercise.named(change.gone))
    deed, step = (*deed, " in ", Sym(line.symbol)), exercise.steps_to(asked.name).index(name) + 1
    return Slip(change.kind, deed, 0, step, words, (name, *change.deed), wrong.rules)


def _misread(exercise: Exercise) -> Iterator[Slip]:
    """Bits are taken as bytes, milliseconds as seconds, kB as KiB."""
    for name, given in exercise.problem.givens.items():
        measured = exercise.solved.stated.alone(name)
        if measured is None or measured.bare or not measured.value:
            continue
        letter, unit = Sym(given.letter), measured.unit
        number, its = in_units(measured.value, unit.worth), exercise.named(letter)
        stated = amount(measured.value, unit, stated=True).marked
        for other in _mistaken(unit, given.unit):
            taken = product(number, other.worth)
            deed = (f"taking {stated} as {in_unit(taken, other).marked} for ", *its)
            wrong, instead = (name, other.name), {given.letter: taken}
            yield Slip("unit", deed, wrong=wrong, instead=instead)


def _rounded_early(
    exercise: Exercise, asked: Result, lines: Sequence[Line], known: Known
) -> Iterator[Slip]:
    """A result is rounded before the next step uses it."""
    for line in lines:
        right, unit = known[line.symbol], line.quantity.unit
        if not right or line.symbol == asked.symbol:
            continue
        number, name = in_units(right, unit.worth), line.quantity.name
        why = (f"It is {in_unit(right, unit).marked}; round at the end only",)
        coarse = {half_up(number, 0), *(rounded(Fraction(number), n) for n in DIGITS)}
        for early in coarse - {0, number} if number.denominator != 1 else ():
            wrong = product(early, unit.worth)
            deed: Pieces = ("rounding ", Sym(line.symbol), f" to {in_unit(wrong, unit).marked}")
            step, instead = exercise.steps_to(asked.name).index(name) + 1, {line.symbol: wrong}
            yield Slip("early", deed, 0, step, partial(lambda x: ((), x), why), instead=instead)


_ALIKE = [(f"{prefix}B", f"{prefix}iB".replace("k", "K")) for prefix in "kMGT"]
_ALIKE += [(f"{prefix}B", f"{prefix}bit") for prefix in ("", *"kMGT")]


def _mistaken(unit: Unit, usual: Unit) -> Iterator[Unit]:
    """The units that *unit* is mistaken for; a quotient in its first one."""
    over, slash, under = unit.name.partition("/")
    for name in [b for a, b in _ALIKE if a == over] + [a for a, b in _ALIKE if b == over]:
        yield UNITS[name].per(UNITS[under]) if slash else UNITS[name]
    if unit.worth != usual.worth:
        yield usual
