"""A right answer is never called wrong, however it is spelt or taken from the page; every single
change of every equation is named."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from questions import (
    TYPES,
    answered,
    of_equations,
    of_types,
    solved_variant,
    solved_variants,
    variant_labels,
)

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.following import Following
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.slips import in_own_units
from ddcalc.ask.mark.written import COUNTED, Allowed, written
from ddcalc.ask.solve import singles
from ddcalc.boundary.nodes import Scalar
from ddcalc.files.keys import keys_to
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Number, Rel, Sym
from ddcalc.memory import remembered
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, SHARE, UNITS, Unit
from ddcalc.problem.plan import EquationPlan, plan
from ddcalc.problem.quantity import Derived, Quantity
from ddcalc.problem.said.arguments import look_alike
from ddcalc.problem.said.sentences import Said, plural
from ddcalc.problem.said.speaker import Speaker


def mark(question: Exercise, answer: str) -> Mark:
    """The mark of one answer, to the quantity asked for."""
    asked = question.solved.answer
    [only] = Following().marks(question, {asked.name: (written(answer, asked.unit), Allowed())})
    return only


def decimal(value: Number, digits: int, unit: Unit) -> str:
    """*value* in *unit*, half up to so many significant *digits*, all of them plainly spelt."""
    exact = Fraction(value) / unit.worth
    with localcontext(Context(prec=digits, rounding=ROUND_HALF_UP, Emax=10**6, Emin=-(10**6))):
        number = Decimal(exact.numerator) / exact.denominator
        if exact:
            number = number.quantize(Decimal(1).scaleb(number.adjusted() - digits + 1))
    power = max(0, int(number.as_tuple().exponent))
    figures = f"{number.scaleb(-power):f}" + f"e{power}" * bool(power)
    return f"{figures} {unit.name}".strip()


@dataclass(frozen=True)
class Numbers:
    """A quantity that a question derives: its numbers (base units), several of a list."""

    question: Exercise
    name: str
    values: tuple[Number, ...]
    is_list: bool

    @property
    def unit(self) -> Unit:
        return self.question.problem.quantities[self.name].unit

    def judged(self, texts: list[str]) -> Mark:
        """The mark of those answers."""
        stated = tuple(written(one, self.unit) for one in texts)
        answer = stated if self.is_list else stated[0]
        [one] = Following().marks(self.question, {self.name: (answer, Allowed())})
        return one


@remembered
def derived() -> list[Numbers]:
    """Every number that every type derives, in its example and with one thing in four changed."""
    known: list[Numbers] = []
    for problem in TYPES:
        made = [solved_variant(problem, label) for label in variant_labels(problem)[::4]]
        for _, solved in filter(None, made):
            question = Exercise(solved)
            for name, results in solved.quantities.items():
                values = tuple(result.value for result in singles(results))
                if isinstance(problem.quantities[name], Derived) and all(map(_is_usual, values)):
                    known.append(Numbers(question, name, values, isinstance(results, tuple)))
    return known


def _is_usual(value: object) -> bool:
    size = abs(Fraction(value)) if isinstance(value, Number) else None
    return size is not None and (not size or Fraction(1, 10**25) < size < 10**25)


WAYS = ("plain", "exact", "tight", "sign", "scientific", "plain zeros", "plain zeros")


def spelt(value: Number, unit: Unit, digits: int, way: str) -> str:
    """*value* to so many digits, or exactly, in *unit*, spelt in this *way*."""
    exact, text = Fraction(in_units(value, unit.worth)), decimal(value, digits, unit)
    number = Fraction(text.split()[0])
    if way == "exact":
        return f"{exact} {unit.name}".strip()
    if way == "scientific" and exact:
        power = len(str(int(abs(number)))) - 1
        figures = decimal(Fraction(number, 10**power), digits, COUNT)
        return f"{figures}e{power} {unit.name}".strip()
    if way == "plain zeros" and number.denominator == 1:
        return f"{number} {unit.name}".strip()
    if way == "tight":
        return text.replace(" ", "")
    return f"+{text}" if way == "sign" and exact >= 0 else text


@settings(max_examples=50)
@given(st.data())
def test_whatever_the_unit_and_however_rounded(data):
    one = data.draw(st.sampled_from(derived()))
    units = [unit for unit in UNITS.values() if unit.dimension == one.unit.dimension]
    units = [one.unit, *units] if one.unit.name in UNITS else [one.unit]
    unit, digits = data.draw(st.sampled_from(units)), data.draw(st.integers(3, 15))
    way = data.draw(st.sampled_from(WAYS))
    texts = []
    for value in one.values:
        counted = isinstance(value, int) and one.unit == COUNT and abs(value) < COUNTED
        texts.append(spelt(value, unit, digits, "exact" if counted else way))
    assume(all(len(text) <= 60 for text in texts))
    made = one.judged(texts)
    assert made.verdict in ("right", "rounded"), (one.name, texts, made)
    assert made.credit == 1
    assert not made.slips


@settings(max_examples=50)
@given(st.data())
def test_another_number_is_never_right(data):
    """However it is spelt: it is off by more than half of the last digit that is no zero."""
    one = data.draw(st.sampled_from([one for one in derived() if not one.is_list]))
    right = Fraction(in_units(one.values[0], one.unit.worth))
    figures = data.draw(st.integers(11, 99_999).filter(lambda n: n % 10))
    size = len(str(int(abs(right)))) - len(str(figures))
    place = data.draw(st.integers(size - 1, size + 1)) if abs(right) >= 1 else -len(str(figures))
    stated = figures * Fraction(10) ** place
    assume(abs(stated - right) > Fraction(10) ** place / 2)
    text = decimal(stated, len(str(figures)), COUNT)
    if place > 0 and data.draw(st.booleans()):
        text = str(stated)
    assume(len(text) <= 60)
    made = one.judged([f"{text} {one.unit.name}".strip()])
    assert made.verdict not in ("right", "rounded"), (one.name, text, made)
    assert made.credit < 1


ILLIONS = {" million": "e6", " billion": "e9", " trillion": "e12"}
QUESTIONS = 4


def shown(speaker: Speaker, said: Said) -> Iterator[tuple[Quantity, str]]:
    """The derived quantities in what is *said*, each with the text that stands for its value."""
    sentence, origin = speaker.spoken(said), speaker.problem.origin
    for what, how in sentence.blanks if sentence else ():
        of = what.args[0] if isinstance(what, Fun) and what.name in ("floor", "ceiling") else what
        if how.startswith("|") or not isinstance(of, Sym) or of.name not in origin:
            continue
        (quantity, index), value, noun = origin[of.name], speaker.value(what), how.strip()
        if isinstance(quantity, Derived) and index is None and isinstance(value, Number):
            text, unit = str(speaker._amount(what, noun, value)), UNITS.get(noun)
            alike = unit is not None and unit.dimension == quantity.unit.dimension
            if noun and noun != "%" and not alike:  # it is no unit
                text = text.removesuffix(plural(noun)).removesuffix(noun)
            yield quantity, text


def typed(text: str) -> str:
    """A number of a sentence as a student types it: ``about 2.5 million samples (…)``."""
    text = text.removeprefix("about ").partition(" (")[0]
    for word, power in ILLIONS.items():
        text = text.replace(word, power)
    return text


@of_types
def test_what_the_answer_says_is_right(problem):
    for solved in answered(problem, "sentences", QUESTIONS):
        [answers], says = keys_to(solved, {}).keys, solved.commentary()
        for sentence in says.declared("conclusion"):
            for quantity, text in shown(says.speaker, sentence):
                answer = answers.answer(quantity.name, Scalar(typed(text)))
                [mark] = answers.marks({quantity.name: answer})
                assert mark.verdict in ("right", "rounded"), (quantity, text, mark)


DIGITS = 9  # of the student's answer
SMALL = Fraction(1, 10**25)
VARIANTS = 2  # of each type
MOST = 40  # changes of each variant
Known = dict[str, Number | None]


def changed(expr: Expr) -> Iterator[Expr]:
    """*expr* with one thing dropped or exchanged, anywhere but in the test of a distinction."""
    match expr:
        case Add(args) | Mul(args):
            for i in range(len(args)):
                rest = [*args[:i], *args[i + 1 :]]
                yield rest[0] if len(rest) == 1 else type(expr)(tuple(rest))
        case Div(top, _):
            yield top
        case Fun("floor" | "ceiling" as name, args):
            yield from (Fun("ceiling" if name == "floor" else "floor", args), args[0])
    for i, part in enumerate(expr.parts()):
        if not isinstance(part, Rel):
            for other in changed(part):
                yield expr.rebuilt((*expr.parts()[:i], other, *expr.parts()[i + 1 :]))


def worked(equations: EquationPlan, known: Known, symbol: str, formula: Expr) -> Known | None:
    """All values, if any, where *formula*, of numbers in their units, defines *symbol* instead."""
    values: Known = {letter: known[letter] for letter in equations.givens}
    worth = {letter: one.unit.worth for letter, (one, _) in equations.problem.origin.items()}
    for line in equations.lines:
        try:
            if line.symbol == symbol:
                numbers = {k: v if v is None else v / Fraction(worth[k]) for k, v in values.items()}
                values[symbol] = evaluate(formula, numbers) * worth[symbol]
            else:
                values[line.symbol] = evaluate(line.formula, values)
        except (ArithmeticError, TypeError):
            return None
    return values


@of_equations
def test_every_change_is_named(problem):
    examples = [solved for _, _, solved in solved_variants(problem) if not solved.stated.is_played]
    for example in examples[:VARIANTS]:
        equations, question = plan(problem, example.stated.shape), Exercise(example)
        wrong = [
            (line.symbol, formula)
            for line in equations.lines
            if line.index is None
            and look_alike(line.formula, in_own_units(equations, line, line.formula))
            for formula in changed(line.formula)
        ]
        for symbol, formula in wrong[:: len(wrong) // MOST + 1]:
            _is_named(question, equations, symbol, formula)


def _is_named(question: Exercise, equations: EquationPlan, symbol: str, formula: Expr) -> None:
    """Where there is a wrong answer to name, it is named, and leads to that very number."""
    right, known = question.solved.answer, question.known
    values = worked(equations, dict(known), symbol, formula)
    value = None if values is None else values[right.symbol]
    if right.value is None or values is None or value is None or value in (0, right.value):
        return
    before, step = known[symbol], values[symbol]
    if symbol != right.symbol and step is not None and before is not None and step < 0 <= before:
        return  # a step that nobody would believe
    most = 1 if right.unit == SHARE else 1 / SMALL  # more is read in per cent
    if not SMALL <= abs(Fraction(value) / right.unit.worth) <= most:
        return  # no student writes that
    answer = decimal(value, DIGITS, right.unit)
    made = mark(question, answer)
    if made.verdict != "wrong" or [slip.kind for slip in made.slips] == ["cut"]:
        return  # it rounds to the right one, is that cut off, or would be right in another unit
    stated = written(answer, right.unit)
    assert made.slips, (symbol, formula, answer)
    assert made.sure or stated.telling < 4
    assert all(stated.fits(slip.value, right.unit.worth) for slip in made.slips)
    true, others = Fraction(value), [Fraction(slip.value) for slip in made.slips]
    near = abs(true) / 10 ** (DIGITS - 1)  # slips that so many digits do not tell apart
    assert any(abs(other - true) <= near for other in others), (symbol, formula, answer)
