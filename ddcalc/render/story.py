"""What every output says of a derivation: its order, equations as sides, values, percentages.

Nothing here has a look. Texts are Unicode and, where they quote a question, neither cleaned nor
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, Result, Results, singles, told_apart
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Num, Number, Rel, Sized, Sym, letters, nodes, symbols
from ddcalc.formula.letters import SIGNS
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import (
    Amount,
    amount,
    apart,
    count_text,
    in_unit,
    like_stated,
    together,
)
from ddcalc.numbers.display import ABOUT, MINUS, fraction_text, rounded
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.numbers.number import split
from ddcalc.numbers.units import DATA, TIME, Measured, Unit, base_unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.putting import put_in
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Premise, capital
from ddcalc.problem.speaker import Checked, Filled
from ddcalc.problem.steps import (
    Bound,
    Compare,
    Define,
    DefineEach,
    PutIn,
    Solve,
    State,
    Step,
    Value,
    is_number,
)
from ddcalc.render.notation import Notation, shown, unbroken
from ddcalc.render.notation.plain import text

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.files.batch import Solved

IN_BYTES = (DATA, DATA / TIME)  # what may be stated in bits, or in powers of two


@dataclass(slots=True)  # these are not frozen: a page makes very many, and that takes half as long
class ShownFormula:
    """An expression with *numbers* put in for some of its letters."""

    expr: Expr
    numbers: Mapping[str, PutIn] = field(default_factory=dict)
    _marked: str = field(default="", init=False, repr=False, compare=False)

    def __str__(self) -> str:
        return unbroken(self.marked)

    @property
    def marked(self) -> str:
        """The text, with marks where a line may break."""
        if not self._marked:
            self._marked = text(self.expr, self.numbers)
        return self._marked


@remembered
def letter(name: str) -> ShownFormula:
    """A quantity's letter alone."""
    return ShownFormula(Sym(name))


NO_VALUE = Amount(Notation.nothing, "", True, 0, 0)


@dataclass(slots=True)
class Side:
    """A side of an equation or chain, and the sign before it (none before the first one)."""

    sign: str
    what: ShownFormula | Amount
    reason: str = ""


Sides = tuple[Side, ...]


def equation(step: Define) -> Sides:
    """``symbol = formula = numbers = terms = value``, without repeated sides; a formula that was
    just derived is not repeated either."""
    sides = [Side("", letter(step.symbol))]
    if not isinstance(step.applied, Num):
        if not _is_derived(step):
            sides.append(Side("=", ShownFormula(step.applied)))
        sides.append(_in_numbers(step.applied, step.numbers))
        if step.parts is not None:
            sides.append(_in_numbers(step.parts, step.terms))
    put = step.numbers.values()
    bare = bool(put) and not any(isinstance(one, Amount) and one.unit for one in put)
    bare = bare and step.unit.dimension != DATA  # a count of bits, over 8
    bare = bare and not any(isinstance(part, Sized) for part in nodes(step.applied))
    unit = base_unit(step.unit.dimension) if bare and step.unit.name else step.unit
    return _without_repeats([*sides, value_side(step.value, unit, not bare)])


def _is_derived(step: Define) -> bool:
    """Whether the last line of the argument is the formula itself."""
    if not step.argument or not step.numbers:
        return False
    last = step.argument[-1].formula
    return last in (step.applied, Rel("==", Sym(step.symbol), step.applied))


def solution(step: Solve) -> Sides:
    """``unknown > symbol = formula = numbers = value``; empty where the relation has none."""
    if step.op is None:
        return ()
    sides = [Side("", letter(step.unknown))]
    sign = SIGNS[step.op]
    if step.symbol != step.unknown:
        sides.append(Side(sign, letter(step.symbol)))
        sign = "="
    numbers = _in_numbers(step.formula, step.numbers)
    fixed = {name: put for name, put in step.numbers.items() if is_number(name)}
    sides += [Side(sign, ShownFormula(step.formula, fixed)), numbers]
    return _without_repeats([*sides, value_side(step.value, step.unit)])


def again(step: Define) -> Sides:
    """An equation whose formula stands elsewhere: ``symbol = numbers = value``."""
    first, *sides = equation(step)
    if len(sides) > 1 and str(sides[0].what) == str(ShownFormula(step.applied)):
        del sides[0]
    return (first, *sides)


def unworked(step: Define, others: Iterable[Step]) -> Sides:
    """``symbol = formula``, and with the numbers that the same step has in all *others*."""
    alike = dict(step.numbers)
    for other in others:
        if isinstance(other, Define) and other.name == step.name:
            alike = {k: put for k, put in alike.items() if other.numbers.get(k) == put}
    sides = [Side("", letter(step.symbol)), Side("=", ShownFormula(step.applied))]
    return tuple([*sides, _in_numbers(step.applied, alike)] if alike else sides)


def _in_numbers(formula: Expr, numbers: Mapping[str, PutIn]) -> Side:
    """The side with the numbers put in, about equal where one of them is rounded."""
    used = [numbers[name] for name in letters(formula) if name in numbers]
    return Side("≈" if any(map(_is_about, used)) else "=", ShownFormula(formula, numbers))


def _is_about(put: PutIn) -> bool:
    return not put.exact if isinstance(put, Amount) else type(put) is Approximate


def comparison(step: Compare) -> Sides:
    """``left in numbers = left value < right value = right in numbers``, as it is true."""
    amounts = apart(step.left, step.right, step.unit)
    values = [Side("=" if one.exact else "≈", one) for one in amounts]
    left, right = (_in_numbers(side, step.numbers) for side in step.relation.parts())
    sides = [replace(left, sign="")]
    if isinstance(step.relation.left, Sym | Num) or str(left.what) == str(values[0].what):
        sides = [replace(values[0], sign="")]
    else:
        sides.append(values[0])
    sides.append(Side(_true_sign(step), values[1].what))
    if not (isinstance(step.relation.right, Sym | Num) or str(right.what) == str(values[1].what)):
        sides.append(right if values[1].sign == "=" else replace(right, sign="≈"))
    return tuple(sides)


def comparisons(steps: Iterable[Compare]) -> Iterator[Sides]:
    """Each comparison; a right side is not put in twice for neighbours that share it."""
    before: Compare | None = None
    for step in steps:
        sides = comparison(step)
        right = step.relation.right
        is_shared = before is not None and before.relation == step.relation
        if is_shared and step.symbol not in symbols(right) and sides[-1].sign in ("=", "≈"):
            sides = sides[:-1] if len(sides) > 2 else sides
        yield sides
        before = step


def _true_sign(step: Compare) -> str:
    """How the two sides of a comparison really are to each other."""
    if step.holds:
        return SIGNS[step.relation.op]
    if step.left == step.right:
        return "="
    return "<" if step.left < step.right else ">"


def chain(step: Bound) -> Sides:
    """The subject and its links, each with its reason."""
    links = (Side(link.op, ShownFormula(link.expr), link.reason) for link in step.links)
    return (Side("", ShownFormula(step.subject)), *links)


def value_side(value: Value, unit: Unit, fitting: bool = True) -> Side:
    """What a value is equal to, in the unit that is *fitting*, else in *unit* itself."""
    if isinstance(value, Expr):
        return Side("=", ShownFormula(value))
    if value is None:
        return Side("=", NO_VALUE)
    shown = amount(value, unit) if fitting else in_unit(value, unit)
    return Side("=" if shown.exact else "≈", shown)


def _without_repeats(sides: Sequence[Side]) -> Sides:
    """*sides* without those that show what the next one shows, which may have a unit."""
    kept, shown = [sides[0]], ""
    for side in sides[1:]:
        before, shown = shown, str(side.what)
        if len(kept) > 1 and before == shown:
            sign = kept.pop().sign
            side = Side(side.sign if sign == "=" else sign, side.what, side.reason)
        kept.append(side)
    return tuple(kept)


# A derivation

_PLAIN = re.compile(r"[+-]?[0-9._]+(?:[eE][+-]?[0-9]+)?")
DECIMALS = 3  # of a percentage, at most
MOST = 10**9  # percent, beyond which a difference says nothing
LEAST = Fraction(1, 1000)  # percent, below which it is about none


@dataclass(slots=True)
class Numbered:
    """A step under its number, with the comparisons that prove it."""

    number: int
    step: Step
    proof: tuple[Compare, ...]


Otherwise = tuple[str, str | Expr, str]
"""What another reading says, its answer, and how far that is from the answer (or empty)."""


def numbered(steps: Iterable[Step]) -> list[Numbered]:
    """The steps after the statements; comparisons belong to the step before them."""
    listed: list[Numbered] = []
    for step in steps:
        if isinstance(step, Compare) and listed:
            last = listed[-1]
            listed[-1] = Numbered(last.number, last.step, (*last.proof, step))
        elif not isinstance(step, State):
            listed.append(Numbered(len(listed) + 1, step, ()))
    return listed


def hint(step: Step, problem: type[Problem]) -> str:
    """What a step does and why, without what it comes to: clauses with numbers are left out."""
    quantity = problem.quantities.get(getattr(step, "name", ""))
    declared = quantity.why if isinstance(quantity, Derived) else ""
    why = (_without_numbers(step.why) or _without_numbers(declared)).strip()
    return f"{step.title} · {why}" if why else step.title


def hinted(step: Step, numbers: bool) -> str:
    """The formula of a step; with its *numbers* and what they come to, if these are wanted."""
    if isinstance(step, DefineEach):
        step = step.rows[step.worked or 0]
    if not isinstance(step, Define | Solve):
        return ""
    if numbers:
        sides = equation(step) if isinstance(step, Define) else solution(step)
        return " ".join(f"{side.sign} {side.what}".strip() for side in sides)
    if isinstance(step, Solve):
        return str(ShownFormula(step.relation))
    if isinstance(step.applied, Num):
        return ""
    return f"{letter(step.symbol)} = {ShownFormula(step.applied)}"


def _without_numbers(why: str) -> str:
    clauses = why.split("; ")
    return "; ".join(clause for clause in clauses if not re.search(r"[0-9{]", clause))


def given_text(step: State) -> str:
    """What the question states, arithmetic with its value: ``15 ms``, ``8*25600 = 204 800``."""
    if step.written is None:
        return step.word
    texts = ("…" if one is None else _measured_text(one) for one in shown(step.written))
    return ", ".join(texts)


def whole_given_text(step: State) -> str:
    """What the question states, a long list with all its members."""
    return step.word if step.written is None else ", ".join(map(_measured_text, step.written))


def note(step: State) -> str:
    """A remark on a given: where it is from if not from the question, and its value in decimal
    bytes where it is stated in bits or powers of two; often empty."""
    return "; ".join(filter(None, ("" if step.is_plain else step.why, in_bytes(step))))


def unsourced(step: State) -> State:
    """*step* without the source of the preset that states it."""
    return replace(step, preset=step.preset.partition("; ")[0])


def in_bytes(step: State) -> str:
    """A single amount of data, or a rate, that is not stated in decimal bytes."""
    if step.written is None or len(step.written) != 1:
        return ""
    (stated,) = step.written
    worth = stated.unit.worth
    is_decimal = worth.denominator == 1 and str(worth.numerator).rstrip("0") == "1"
    if stated.unit.dimension not in IN_BYTES or is_decimal:
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


def answer_text(solved: Derivation, unit: Unit | None = None) -> str:
    """The answer's value alone."""
    return value_text(solved.answer.value, unit or shown_unit(solved, solved.answer), unit is None)


def readings(solved: Derivation, stated: bool) -> list[str]:
    """How the question is read where it says so itself (*stated*), or where it does not."""
    said = solved.stated.said
    return [one.remark for one in solved.assumptions if (one.choice in said) is stated]


def otherwise(
    solved: Derivation, unit: Unit | None = None, everything: bool = True
) -> list[Otherwise]:
    """The answers under other readings, those that the question leaves open unless *everything* is
    wanted."""
    said = () if everything else solved.stated.said
    readings = [reading for reading in solved.readings if reading.choice not in said]
    if not readings:
        return []
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
    if value is None or base is None or isinstance(value, Expr) or isinstance(base, Expr):
        return ""
    if base == 0:
        return ""
    percent = 100 * (Fraction(value) - Fraction(base)) / abs(Fraction(base))
    size = abs(percent)
    if size > MOST:
        return ""
    if 0 < size < LEAST:
        return f"{ABOUT}0 %"
    shown = count_text(rounded(size, max(2, len(str(int(size))))))
    return f"{MINUS if percent < 0 else '+'}{shown} %"


def shares(solved: Derivation) -> list[tuple[str, str]]:
    """Where the answer goes, in percent; the texts add up to 100."""
    smallest = min((share.part for share in solved.shares), default=Fraction(1))
    decimals = next((d for d in range(1, DECIMALS) if smallest * 100 * 10**d >= 1), DECIMALS)
    one = 10**decimals
    units = [share.part * 100 * one for share in solved.shares]
    whole = [int(part // 1) for part in units]
    by_rest = sorted(range(len(whole)), key=lambda i: whole[i] - units[i])
    for i in by_rest[: 100 * one - sum(whole)] if whole else []:
        whole[i] += 1
    return [
        (share.group, f"{unit // one}.{unit % one:0{decimals}} %")
        for share, unit in zip(solved.shares, whole, strict=True)
    ]


def closed_form(solved: Derivation) -> tuple[Sides, list[Side]] | None:
    """The answer in its givens, and the cases in which that holds, each with the steps that its
    letters are from as its reason."""
    form = solved.closed_form
    if form is None:
        return None
    sides = (Side("", letter(form.symbol)), Side("=", ShownFormula(form.formula)))
    numbers = {
        symbol: one.number for one in numbered(solved.steps) for symbol in _defined(one.step)
    }
    return sides, [_case(case, numbers) for case in form.cases]


def checked(check: Checked, solved: Derivation) -> Sides:
    """The left side of a check with its numbers and what it comes to; the right side as well where
    the two are not equal."""
    beside, relation = solved.commentary(), check.relation
    known = {k: v for k, v in beside.known.items() if not isinstance(v, Expr)}
    units = beside.speaker.units
    numbers = put_in(relation, known, units, beside.speaker.stated)
    shown_in = beside.speaker.like_stated(beside.speaker.unit_of(relation.left))
    if isinstance(relation.right, Sym):
        shown_in = units[relation.right.name]
    left, right = (evaluate(side, known) for side in relation.parts())
    right = left if relation.op == "==" else right  # irrational numbers differ in their last digits
    step = Compare(
        "", "", relation, symbol="", at=0, numbers=numbers, left=left, right=right,
        unit=shown_in, holds=True,
    )  # fmt: skip
    sides = comparison(step)
    if relation.op != "==":
        return sides
    return sides[:2]


def check_text(check: Checked, solved: Derivation) -> str:
    """A check in a line."""
    sides = " ".join(f"{side.sign} {side.what}" for side in checked(check, solved))
    return f"{spoken(check.words)}: {sides.strip()}"


def says(solved: Derivation, unit: Unit | None = None) -> str:
    """The answer in a sentence."""
    return spoken(conclusion(solved, unit))


def conclusion(solved: Derivation, unit: Unit | None = None) -> Filled:
    """The answer in a sentence, with formulas where its numbers are open."""
    if isinstance(solved, Inversion):
        return solved.sentence(unit)
    return solved.commentary(unit).conclusion


def headline(solved: Derivation) -> Filled:
    """The first sentence of the answer; all of it where quantities are asked for."""
    if isinstance(solved, Inversion):
        return conclusion(solved) if solved.stated.shape.wanted else (solved.found(),)
    if solved.stated.shape.wanted:
        return conclusion(solved)
    first = re.match(r".+?\.(?= [A-Z])", spoken(conclusion(solved)))
    return (first[0],) if first else conclusion(solved)


_ASKS_WHETHER = re.compile(
    r"(?:^|[.?!] |, and |[,;:] )(?:is|are|was|does|do|did|can|will|would|has|have)\b[^.?!,]*\?$",
    re.IGNORECASE,
)


def asks_whether(text: str) -> bool:
    """Whether the words of a question end by asking for a yes or a no."""
    return bool(_ASKS_WHETHER.search(" ".join(text.split())))


def met(limit: Check, text: str = "") -> str:
    """Whether what was to be met is, as a sentence: ``Met: 595.5 s ≤ 10 min, 0.75 % below.``, or an
    answer to the *text* of a question: ``Yes: …``."""
    verdict, _, says = limit.says.partition(": ")
    if asks_whether(text) and says:
        verdict = "yes" if limit.agrees else "no"
    return f"{capital(verdict)}: {says}." if says else f"{capital(verdict)}."


def answers(done: Solved) -> Iterator[str]:
    """All that a problem of a file answers: every part under its id, and every case under what it
    is stated for."""
    if done.parts or not done.answered:
        for part in done.parts:
            yield f"({part.question.id}) {' '.join(answers(part)) or 'Not solved.'}"
        return
    for i, (case, head) in enumerate(zip(done.cases, told_apart(done.cases), strict=True)):
        limits = map(met, done.of_case(i, done.limits))
        yield ": ".join(filter(None, (head, " ".join((says(case), *limits)))))


def spoken(filled: Filled) -> str:
    """A sentence as plain text."""
    return "".join(
        piece if isinstance(piece, str) else str(ShownFormula(piece)) for piece in filled
    )


def premise(one: Premise, problem: type[Problem]) -> str:
    """What is taken for granted, and what to state to do without."""
    if not one.lifts:
        return one.says
    declared = {**problem.givens, **problem.choices}
    named = declared.get(one.lifts)
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


def _defined(step: Step) -> list[str]:
    rows = step.rows if isinstance(step, DefineEach) else (step,)
    return [row.symbol for row in rows if isinstance(row, Define | Solve)]


def _case(case: Rel, numbers: Mapping[str, int]) -> Side:
    used = sorted({numbers[name] for name in symbols(case) if name in numbers})
    steps = f"step{'s' if len(used) > 1 else ''} {' and '.join(map(str, used))}"
    return Side("", ShownFormula(case), steps if used else "")


def _measured_text(measured: Measured) -> str:
    value = amount(measured.value, measured.unit, stated=True).marked
    if _PLAIN.fullmatch(split(measured.text)[0]):
        return value
    return f"{measured.text} {value}" if value.startswith(ABOUT) else f"{measured.text} = {value}"
