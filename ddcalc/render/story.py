"""What every output says of a derivation: its order, values, verdicts, percentages.

Nothing here has a look. Texts are Unicode and, where they quote a question, neither cleaned nor
escaped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.wording import RELATED, the
from ddcalc.ask.solve import Derivation, Result, Results, singles
from ddcalc.boundary.nodes import texts_by_name
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.numbers.amounts import Amount, AskedUnit, amount, count_text, like_stated, together
from ddcalc.numbers.display import ABOUT, MINUS, equal, fraction_text, rounded
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.numbers.number import split
from ddcalc.numbers.units import COUNT, DATA, TIME, UNITS, Measured, Unit, base_unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived
from ddcalc.problem.said.explanation import put_in
from ddcalc.problem.said.sentences import Premise, capital, series
from ddcalc.problem.said.speaker import Checked, Filled
from ddcalc.problem.said.steps import STATED, Compare, Define, State, Step, Table, Value
from ddcalc.problem.stated_formulas import AS_STATED, NAMED, dotted, is_plain
from ddcalc.render.notation import shown
from ddcalc.render.sides import ShownFormula, Sides, comparison, letter, value_side

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.files.solved import Solved

IN_BYTES = (DATA, DATA / TIME)  # what may be stated in bits, or in powers of two

_PLAIN = re.compile(r"[+-]?[0-9._]+(?:[eE][+-]?[0-9]+)?")
MOST = 10**9  # percent, beyond which a difference says nothing
NAMES = ("", AS_STATED)  # why a step does no more than name something
MANY = 15  # steps, of which none shows what the terms of its sum come to
SEVERAL = 3  # givens of one source, from which on it is told once
LEAST = Fraction(1, 1000)  # percent, below which it is about none


@dataclass(slots=True)
class Numbered:
    """A step under its number, with the comparisons that prove it."""

    number: int
    step: Step
    proof: tuple[Compare | Table, ...]


Otherwise = tuple[str, str | Expr, str]
"""What another reading says, its answer, and how far that is from the answer (or empty)."""


def numbered(steps: Iterable[Step]) -> list[Numbered]:
    """The steps after the statements; comparisons belong to the step that defines one side, tables
    that prove to the one before them."""
    listed: list[Numbered] = []
    for step in steps:
        if isinstance(step, Compare) and listed:
            its = [x for x in listed if getattr(x.step, "symbol", "") == step.symbol]
            at = next((one for one in [*its, *listed] if _defines(one.step, step)), listed[-1])
            at.proof = (*at.proof, step)
        elif isinstance(step, Table) and step.proves and listed:
            listed[-1].proof = (*listed[-1].proof, step)
        elif not isinstance(step, State):
            listed.append(Numbered(len(listed) + 1, step, ()))
    return listed


def joined(listed: Iterable[Numbered]) -> Iterator[Numbered]:
    """What is *listed*, numbered anew. What only names what an earlier step comes to stands with
    that, which has both letters, and the later title unless the question states it so."""
    kept = dict[str, Numbered]()
    for one in listed:
        match one.step:
            case Define(applied=Sym(of), argument=()) as name if (
                isinstance(step := kept[of].step if of in kept else None, Define)
                and name.why in NAMES
                and (not isinstance(name.unit, AskedUnit) or name.unit == step.unit)
            ):
                proof = (*kept[of].proof, *one.proof)
                if not name.why:
                    step = replace(step, title=name.title, name=name.name)
                step = replace(step, also=(*step.also, name.symbol))
                kept[of] = Numbered(0, step, proof)
            case Define(symbol=symbol) if symbol not in kept:
                kept[symbol] = one
            case _:
                kept[str(one.number)] = one
    for number, one in enumerate(kept.values(), 1):
        if len(kept) > MANY and isinstance(step := one.step, Define):
            one = replace(one, step=replace(step, parts=None))
        yield replace(one, number=number)


def _defines(step: Step, compared: Compare) -> bool:
    """Whether *step* defines, in numbers, what is *compared*, or at what."""
    if not isinstance(step, Define) or step.open:
        return False
    left, symbol = compared.relation.left, Sym(step.symbol)
    return step.symbol == compared.symbol or left in (symbol, step.applied)


def idea(step: Step, problem: type[Problem]) -> str:
    """Why a step is taken, without what it comes to: clauses with numbers are left out."""
    quantity = problem.quantities.get(getattr(step, "name", ""))
    declared = quantity.why if isinstance(quantity, Derived) else ""
    return (_without_numbers(step.why) or _without_numbers(declared)).strip()


def _without_numbers(why: str) -> str:
    clauses = why.split("; ")
    return "; ".join(clause for clause in clauses if not re.search(r"[0-9{]", clause))


def given_text(step: State, whole: bool = False) -> str:
    """What the question states, arithmetic with its value: ``15 ms``, ``8*25600 = 204 800``; of a
    long list the first members and the last one, or the *whole*."""
    if step.written is None:
        return step.word
    if is_result(step):
        return ", ".join(amount(one.value, step.unit).marked for one in step.written)
    members = step.written if whole else shown(step.written)
    return ", ".join("…" if one is None else _measured_text(one) for one in members)


def is_result(step: State) -> bool:
    """Whether it is what an earlier part comes to."""
    return step.preset.startswith("from (")


def note(step: State) -> str:
    """A remark on a given: where it is from if not from the question, and its value in decimal
    bytes where it is stated in bits or powers of two; often empty."""
    return "; ".join(filter(None, ("" if step.why == STATED else step.why, in_bytes(step))))


def unsourced(steps: Iterable[State]) -> tuple[list[State], list[tuple[str, list[str]]]]:
    """*steps* without the sources of the presets that state them, and without words that are but
    their letter; and what several of them are from, with their letters."""
    short, origins = list[State](), defaultdict[str, list[str]](list)
    for step in steps:
        title = "" if is_named(step) and step.symbol == step.name else step.title
        short.append(replace(step, title=title, preset=step.preset.partition("; ")[0]))
        if not (is_result(step) or step.unused or step.written is None) and step.why != STATED:
            origins[short[-1].preset or step.why].append(step.symbol)
    several = [(one, letters) for one, letters in origins.items() if len(letters) >= SEVERAL]
    told = {letter for _, letters in several for letter in letters}
    plain = [replace(x, preset="", said=True) if x.symbol in told else x for x in short]
    return plain, several


def is_named(step: State | Define) -> bool:
    """Whether its words say no more than its name."""
    name = step.name.replace("_", " ").lower()
    title = step.title.lower().removeprefix("value of ")
    return title == name and (isinstance(step, State) or not step.why)


def in_bytes(step: State) -> str:
    """A single amount of data, or a rate, that is not stated in decimal bytes."""
    if step.written is None or len(step.written) != 1:
        return ""
    (stated,) = step.written
    worth = stated.unit.worth
    is_decimal = worth.denominator == 1 and str(worth.numerator).rstrip("0") == "1"
    if stated.unit.dimension not in IN_BYTES or is_decimal or stated.unit == UNITS["bit"]:
        return ""
    return amount(stated.value, base_unit(stated.unit.dimension)).marked


def value_text(value: Value, unit: Unit, fitting: bool = True) -> str:
    """A value in one piece: ``595.5 s``, ``≈ 66.67``, ``4ηΔ``, ``no value``."""
    what = value_side(value, unit, fitting).what
    return what.marked if isinstance(what, Amount) else str(what)


def full_values_text(results: Results, unit: Unit | None = None) -> str:
    """The values of *results*, in *unit* itself instead of their own if one is given."""
    return ", ".join(value_text(one.value, unit or one.unit, False) for one in singles(results))


def shown_unit(solved: Derivation, result: Result) -> Unit:
    """The unit of which a fitting multiple shows *result*: bits a second if rates are stated so."""
    return like_stated(result.unit, solved.stated_units.values())


def otherwise(solved: Derivation, unit: Unit | None = None) -> list[Otherwise]:
    """The answers under other readings."""
    readings = solved.readings
    mine, base = solved.answer, solved.answer.value
    values = [base, *(reading.answer.value for reading in readings)]
    numbers = [value for value in values if isinstance(value, Number)]
    amounts = iter(together(numbers, shown_unit(solved, mine)))
    beside = [next(amounts) if isinstance(value, Number) else None for value in values]

    rows: list[Otherwise] = []
    for reading, near in zip(readings, beside[1:], strict=True):
        result, answer = reading.answer, reading.answer.value
        if unit is None and near is not None and result.unit == mine.unit:
            text = near.marked
        else:
            text = value_text(answer, unit or shown_unit(solved, result), unit is None)
        words = answer if isinstance(answer, Expr) else text
        rows.append((reading.says, words, difference(answer, base)))
    return rows


def difference(value: Value, base: Value) -> str:
    """How far *value* is from *base* in percent, ``+7.1 %``; empty where that says nothing."""
    if not isinstance(value, Number) or not isinstance(base, Number) or not base:
        return ""
    percent = 100 * (Fraction(value) - Fraction(base)) / abs(Fraction(base))
    size = abs(percent)
    if size > MOST:
        return ""
    if 0 < size < LEAST:
        return f"{ABOUT}0 %"
    shown = count_text(rounded(size, max(2, len(str(int(size))))))
    return f"{MINUS if percent < 0 else '+'}{shown} %"


def checked(check: Checked, solved: Derivation) -> Sides:
    """The left side of a check in numbers and its value; the right one as well if that differs."""
    beside, relation = solved.commentary(), check.relation
    known = {k: v for k, v in beside.known.items() if not isinstance(v, Expr)}
    units = beside.speaker.units
    numbers = put_in(relation, known, units, beside.speaker.stated)
    shown_in = beside.speaker.unit_of(relation.left)
    if isinstance(relation.right, Sym):
        shown_in = units[relation.right.name]
    left, right = (evaluate(side, known) for side in relation.parts())
    right = left if relation.op == "==" else right  # irrational numbers differ in their last digits
    step = Compare(
        "", relation, symbol="", at=0, numbers=numbers, left=left, right=right, unit=shown_in,
        holds=True,
    )  # fmt: skip
    sides = comparison(step)
    return sides if relation.op != "==" else sides[:2]


def says(solved: Derivation, unit: Unit | None = None) -> str:
    """The answer in a sentence."""
    return spoken(conclusion(solved, unit))


def conclusion(solved: Derivation, unit: Unit | None = None) -> Filled:
    """The answer in a sentence, with formulas where its numbers are open."""
    if isinstance(solved, Inversion):
        return solved.sentence(unit)
    return solved.commentary(unit).conclusion


def text_of(done: Solved) -> str:
    """The words of the author of a question, or a part, with what is given for the ``{names}`` in
    them, there or in parts: as it is stated; where that is a formula, what it comes to."""
    told = dict[str, str]()
    for one in (done, *done.parts) if "{" in done.question.text else ():
        its = one.question.made | one.question.told | one.question.sought | one.question.given
        cases = one.cases or [case for part in one.parts for case in part.cases]
        for name, given in texts_by_name(its).items():
            texts = [given] if isinstance(given, str) else given
            if not all(map(is_plain, texts)):
                found = (case.quantities[name] for case in cases if name in case.quantities)
                texts = [str(x) for results in found for x in singles(results)] or texts
            else:
                texts = [*map(_grouped, texts)]
            each = {f"{{{name}[{i}]}}": text for i, text in enumerate(texts, 1)}
            told = {f"{{{name}}}": series([*dict.fromkeys(texts)])} | each | told
    return NAMED.sub(lambda name: told.get(name[0], name[0]), done.question.text)


def _grouped(text: str) -> str:
    """A number with its unit as stated, its digits in groups: ``1 150 000 B``."""
    number = split(text)[0]
    worth = amount(Fraction(number), COUNT, stated=True).marked if _PLAIN.fullmatch(number) else ""
    return text.replace(number, worth or number, 1)


def met(limit: Check, problem: type[Problem]) -> str:
    """How a *limit* is met, or not: ``The total is at most 10 min: 9.925 min, 0.75 % below.``"""
    one, quantity = limit.compared, problem.quantities[limit.name]
    if limit.title or one.op is None:
        return f"{capital(limit.says)}."
    return f"{capital(the(quantity))} is {RELATED[one.op]} {one.bound}: {one.value}{one.far}."


def spoken(filled: Filled) -> str:
    """A sentence as plain text."""
    return "".join(x if isinstance(x, str) else str(ShownFormula(x)) for x in filled)


def premise(one: Premise, problem: type[Problem]) -> str:
    """What is taken for granted, and what to state to do without."""
    if not one.lifts:
        return one.says
    named = {**problem.givens, **problem.choices}.get(one.lifts)
    return f"{one.says} ({f'--{named.flag}' if named else f'ddcalc {one.lifts}'})"


def exactly(solved: Derivation, unit: Unit | None = None) -> Iterator[str]:
    """The exact value of each quantity that is rounded where it is shown, in its own unit."""
    for one in solved.quantities.values():
        for result in singles(one):
            value = result.value
            if value is None or isinstance(value, Expr) or type(value) is Approximate:
                continue
            shown_in = unit if unit and result.name == solved.answer.name else result.unit
            if not amount(value, shown_in).exact:
                exact = f"{fraction_text(ratio(value, shown_in.worth))} {shown_in.name}".rstrip()
                yield f"{letter(result.symbol)} = {exact}"


def _measured_text(measured: Measured) -> str:
    value = amount(measured.value, measured.unit, stated=True).marked
    if _PLAIN.fullmatch(split(measured.text)[0]) or dotted(measured.text) == [measured.text]:
        return value
    return equal(measured.text, value)
