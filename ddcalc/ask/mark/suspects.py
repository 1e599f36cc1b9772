"""All that a wrong answer may come from, one slip at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.chain import ResultChain
from ddcalc.ask.mark.exercise import AnsweredQuantity, Exercise, ReadingOfExercise, member
from ddcalc.ask.mark.slip import SIMPLE, MeasuredValue, Pieces, Put, Slip, near, sentence
from ddcalc.ask.mark.slips import WrongLine, wrong_lines
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Derivation, singles
from ddcalc.ask.working import equations
from ddcalc.formula.evaluation import decided
from ddcalc.formula.expression import Expr, Known, Number, Sym, symbols
from ddcalc.numbers.amounts import STATED, amount, count_text, in_unit
from ddcalc.numbers.display import half_up, rounded
from ddcalc.numbers.number import in_units, magnitude, plain, product
from ddcalc.numbers.units import ONE, UNITS, Measured, Unit
from ddcalc.problem.plan import Line, Values
from ddcalc.problem.putting import put_in
from ddcalc.problem.quantity import Derived

LOOSE = Fraction(1, 10**9)  # by which floats may be off, relative
LONGEST = 12  # members of a list that are looked at
POWERS = (1, 2, 3)  # of ten by which a point is shifted
DIGITS = (2, 3)  # to which results on the way are rounded

Words = tuple[Pieces, Pieces]


def suspects(exercise: Exercise, target: AnsweredQuantity) -> list[Slip]:
    """Every single slip that may lead to a wrong value of *target*."""
    key = target.letter
    if key not in exercise.slips:
        exercise.slips[key] = [
            *_other_results(exercise, target),
            *other_readings(exercise, target),
            *_scales(exercise, target),
            *(in_equations(exercise, target, exercise.chain) if exercise.chain else ()),
        ]
    return exercise.slips[key]


def hits(among: Iterable[Slip], stated: Written, unit: Unit) -> list[Slip]:
    """The slips that lead to what is *stated* in *unit*, the simplest first."""
    value = product(stated.number, unit.worth)
    room: Number = magnitude(value) * LOOSE  # of floats, which only preselect
    if stated.place is not None:
        room += product(Fraction(10) ** stated.place, unit.worth)
    low, high = near(value - room), near(value + room)
    close = (slip for slip in among if low <= slip.near <= high)
    fitting = [slip for slip in close if stated.fits(slip.value, unit.worth)]
    return sorted(fitting, key=lambda slip: SIMPLE[slip.kind])


# In what the target is derived from: a formula changed, a given misread, a result rounded early


def in_equations(
    exercise: Exercise, target: AnsweredQuantity, chain: ResultChain
) -> Iterator[Slip]:
    """Every single slip in what *target* is derived from, on the numbers of *chain*."""
    needed = chain.rests_on(target.letter)
    stated = exercise.solved.stated
    for wrong in wrong_lines(exercise.problem, stated.shape):
        if needed.isdisjoint(wrong.rules) or not chain.formulas.keys() >= wrong.rules.keys():
            continue
        right = chain.known[wrong.line.symbol]
        if wrong.change.kind == "count" and (right is None or right.denominator != 1):
            continue
        made = chain.again(wrong.rules, needed)
        if made is not None and not _is_unbelievable(made, chain, wrong.line, target):
            yield from _changed(exercise, target, chain, made, wrong)
    yield from _misread(exercise, target, chain)
    plan = equations(stated)
    for line in plan.lines if plan else ():
        if line.symbol in needed - {target.letter} and line.symbol in chain.formulas:
            yield from _rounded_early(exercise, target, chain, line)


def _is_unbelievable(
    made: ResultChain, chain: ResultChain, line: Line, target: AnsweredQuantity
) -> bool:
    """Whether a step on the way gives a negative number, which anybody would notice."""
    changed, right = made.known[line.symbol], chain.known[line.symbol]
    on_the_way = line.symbol != target.letter
    return on_the_way and changed is not None and right is not None and changed < 0 <= right


def _changed(
    exercise: Exercise,
    target: AnsweredQuantity,
    chain: ResultChain,
    made: ResultChain,
    wrong: WrongLine,
) -> Iterator[Slip]:
    """A formula is changed, of which the numbers in *made* come."""
    line, change = wrong.line, wrong.change
    value = made.known[target.letter]
    if value is None:
        return
    step = exercise.number(line.quantity.name)
    deed = change.deed
    if change.gone is not None and deed[-1] == change.gone:
        deed = (*deed[:-1], *exercise.named(change.gone))

    def shown(expr: Expr, known: Known) -> Pieces:
        """``symbol = formula = numbers = value``, the last unless it is the student's answer."""
        expr, value = decided(expr, known), known[line.symbol]
        words: Pieces = (Sym(line.symbol), " = ", expr)
        if any(symbols(expr)) and not isinstance(expr, Sym):
            units = {k: one.unit for k, one in exercise.letters.items()}
            words = (*words, " = ", Put(expr, put_in(expr, known, units)))
        if line.quantity.name != target.name and value is not None:
            words = (*words, " = ", MeasuredValue(value, line.quantity.unit))
        return words

    def words() -> Words:
        right = shown(line.formula, chain.known)
        if line.quantity.name == target.name:  # its numbers stand beside the right value already
            right = (Sym(line.symbol), " = ", decided(line.formula, chain.known))
        reason = exercise.counts(change.gone) or (exercise.reason(line.quantity.name),)
        because = (". ", *sentence(reason)) if any(reason) else ()
        return shown(change.expr, made.known), ("instead: ", *right, *because)

    yield Slip(change.kind, value, (*deed, _in_step(step)), step, words)


def _misread(exercise: Exercise, target: AnsweredQuantity, chain: ResultChain) -> Iterator[Slip]:
    """Bits are taken as bytes, milliseconds as seconds, kB as KiB."""
    needed = chain.rests_on(target.letter)
    for name, given in exercise.problem.givens.items():
        measured = exercise.solved.stated.measured.get(name)
        if given.letter not in needed or not isinstance(measured, Measured) or measured.bare:
            continue
        number, letter = in_units(measured.value, measured.unit.worth), Sym(given.letter)
        for unit in _mistaken(measured.unit, given.unit) if measured.value else ():
            taken = product(number, unit.worth)
            made = chain.again({given.letter: taken}, needed)
            if made is None or (value := made.known[target.letter]) is None:
                continue
            stated = amount(measured.value, measured.unit, stated=True).marked
            deed = (f"taking {stated} as {in_unit(taken, unit).marked} for ", letter)
            why = exercise.named(letter)[1:]
            yield Slip("unit", value, deed, words=partial(_words, why=why))


_ALIKE = [(f"{prefix}B", f"{prefix}iB".replace("k", "K")) for prefix in "kMGT"]
_ALIKE += [(f"{prefix}B", f"{prefix}bit") for prefix in ("", *"kMGT")]


def _mistaken(unit: Unit, usual: Unit) -> Iterator[Unit]:
    """The units that *unit* is mistaken for; a quotient in its first one."""
    over, slash, under = unit.name.partition("/")
    for name in [b for a, b in _ALIKE if a == over] + [a for a, b in _ALIKE if b == over]:
        yield UNITS[name].per(UNITS[under]) if slash else UNITS[name]
    if unit.worth != usual.worth:
        yield usual


def _rounded_early(
    exercise: Exercise, target: AnsweredQuantity, chain: ResultChain, line: Line
) -> Iterator[Slip]:
    """The result of *line* is rounded before the next step uses it."""
    right, unit = chain.known[line.symbol], line.quantity.unit
    if not right or (number := in_units(right, unit.worth)).denominator == 1:
        return
    step = exercise.number(line.quantity.name)
    why = ("It is ", MeasuredValue(right, unit), "; round at the end only")
    for early in {half_up(number, 0), *(rounded(Fraction(number), digits) for digits in DIGITS)}:
        wrong = product(early, unit.worth)
        made = chain.again({line.symbol: wrong}, chain.rests_on(target.letter))
        if early in (0, number) or made is None or (value := made.known[target.letter]) is None:
            continue
        deed: Pieces = ("rounding ", Sym(line.symbol), " to ", MeasuredValue(wrong, unit))
        yield Slip("early", value, (*deed, _in_step(step)), step, partial(_words, why=why))


def _in_step(number: int | None) -> str:
    return f" in step {number}" if number else ""


def _words(shown: Pieces = (), why: Pieces = ()) -> Words:
    return shown, why


# Of reading: the question answered as another choice, one at a time, would have it


def other_readings(exercise: Exercise, target: AnsweredQuantity) -> Iterator[Slip]:
    """The value of *target* under every other reading."""
    solved, others = exercise.solved, [*exercise.otherwise]
    if isinstance(solved, Inversion) and solved.answer.name == target.name:
        for one in solved.readings:
            values: Values = {target.name: one.answer.value}
            others.append(ReadingOfExercise(solved.stated, one.choice, one.option, values))
    for other in others:
        value = member(other.values.get(target.name), target.at)
        if value is not None and not isinstance(value, Expr):
            yield reread(exercise, other, value, target)


def reread(
    exercise: Exercise,
    other: ReadingOfExercise,
    value: Number = 0,
    target: AnsweredQuantity | None = None,
) -> Slip:
    """The slip of another reading, which leads to *value*, the number of a *target* if it is
    one."""

    def words() -> Words:
        solved = exercise.solved
        option = dict(solved.stated.shape.reading)[other.choice]
        says = exercise.problem.choices[other.choice].options[option]
        stated = other.choice in solved.stated.said
        shown: Pieces = ()
        if target is not None and not isinstance(solved, Inversion):
            line = Exercise(Derivation(other.stated)).last_line(target.name, target.at)
            shown = () if line is None else (Sym(target.letter), " = ", line.expr, " = ", line)
        return shown, (f"{'The question says' if stated else 'Taken here'}: {says}",)

    says = exercise.problem.choices[other.choice].options[other.option]
    return Slip("reading", value, (f"reading otherwise: {says}",), words=words)


# At the end: another result of the same question is answered, a wrong power of ten, or one device
# instead of all


def _other_results(exercise: Exercise, target: AnsweredQuantity) -> Iterator[Slip]:
    """The values of all other derived quantities, members of lists last."""
    quantities, last = exercise.solved.quantities, exercise.number(target.name)
    why = (f"Asked is {target.quantity.called}", f" (step {last})" if last else "")
    for name in sorted(quantities, key=lambda name: isinstance(quantities[name], tuple)):
        quantity, number = exercise.problem.quantities[name], exercise.number(name)
        for result in singles(quantities[name])[:LONGEST] if isinstance(quantity, Derived) else ():
            value = result.value
            if result.symbol == target.letter or value is None or isinstance(value, Expr):
                continue
            if quantity.unit.dimension != target.unit.dimension:  # its number, in the other unit
                value = product(in_units(value, quantity.unit.worth), target.unit.worth)
            of = f" of step {number}" if number else ""
            deed: Pieces = (f"giving {quantity.called} (", Sym(result.symbol), f"){of}")
            yield Slip("result", plain(value), deed, words=partial(_words, why=why))


def _scales(exercise: Exercise, target: AnsweredQuantity) -> Iterator[Slip]:
    """The right value many times, or a fraction of it."""
    value = target.value
    for power in POWERS:
        off = f"shifting the point: it is {count_text(10**power)} times too"
        yield Slip("power of ten", value * 10**power, (f"{off} large",))
        yield Slip("power of ten", Fraction(value, 10**power), (f"{off} small",))
    for name, given in exercise.problem.givens.items():
        measured = exercise.solved.stated.measured.get(name)
        if given.whole and isinstance(measured, Measured) and measured.value > 1:
            count = int(measured.value)
            once: Pieces = (Sym(given.letter), f" = {count_text(count)} ({given.title})")
            yield Slip("share", value * count, ("multiplying by ", *once))
            yield Slip("share", Fraction(value, count), ("dividing by ", *once))
    if target.unit.dimension == ONE and 0 < value < 1:
        yield Slip("result", 1 - value, ("giving what is left to 100 %",))


# Of the pen: two digits swapped, or one typed twice


def slips_of_the_pen(stated: Written, value: Number, unit: Unit) -> Iterator[Slip]:
    """What turns *stated*, in *unit*, into the right *value*."""
    if stated.place is None or not stated.number:
        return
    one = Fraction(10) ** stated.place
    size = stated.number / one
    text, sign = str(magnitude(size)), 1 if size > 0 else -1
    for i in range(len(text) - 1):
        before, first, second, behind = text[:i], text[i], text[i + 1], text[i + 2 :]
        is_twice = first == second
        meant = f"{before}{first if is_twice else second + first}{behind}"
        number = plain(sign * int(meant) * one)
        if replace(stated, number=number).fits(value, unit.worth):
            wrong = product(stated.number, unit.worth)
            taken, right = (
                in_unit(x, unit, exact=STATED).marked for x in (wrong, product(number, unit.worth))
            )
            deed = "typing a digit twice" if is_twice else "swapping two digits"
            shown = (f"{taken} for {right}",)
            yield Slip("digits", wrong, (deed,), words=partial(_words, shown))
            return
