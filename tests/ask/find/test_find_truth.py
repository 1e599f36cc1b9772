"""Searches against trying: random formulas, every given of every equation type, lines of
derivations; what is least, beside all numbers there are, and its formula without rounding."""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, inf
from operator import eq, ge, gt, le, lt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import Kind, of_equations, solved_variants

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.branching import PIECE, Search, SearchModel, model
from ddcalc.ask.find.finding import find
from ddcalc.ask.find.inverse import InverseQuestion, inverse_question
from ddcalc.ask.find.number_line import Piece, Unsettled
from ddcalc.ask.solve import Result
from ddcalc.boundary.source import Source
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.files.batch import solved
from ddcalc.formula import expression
from ddcalc.formula.algebra import FUNCTIONS, cases, ceiling, exp, floor, log, sqrt
from ddcalc.formula.algebraic import Root
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Div, Expr, Mul, Neg, Num, Number, Operator, Pow, Rel, Sym
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.irrational import Approximate, OutOfReach
from ddcalc.problem.asking import asked
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.plan import plan
from ddcalc.problem.said.steps import Reasoned
from ddcalc.problem.stated import restated

NEAR = Fraction(1, 10**12)
HOLDS = {"<": lt, "<=": le, "==": eq, ">=": ge, ">": gt}


def holds(question: InverseQuestion, x: Number) -> bool | None:
    """Whether all relations hold where the unknown is *x*; None where a number
    is rounded, or too large, to tell."""
    stated = question.stated
    made = plan(stated.problem, stated.shape)
    try:
        put_in = restated(stated, {question.unknown.name: x})
        values = made.values(put_in, put_in.numbers())
    except (BadValue, NoAnswer) as error:
        out_of_reach = "of more than" in str(error) or "to be sure of" in str(error)
        return None if out_of_reach else False
    for relation in question.relations:
        value: Any = values.get(relation.name, put_in.values.get(relation.name))
        if value is None:
            return False
        difference = Fraction(value) - relation.bound.value
        if isinstance(value, Approximate) and abs(difference) <= abs(Fraction(value)) * NEAR:
            return None
        if not HOLDS[relation.op](difference, 0):
            return False
    return True


def inside(pieces: Sequence[Piece], x: Number) -> bool:
    """Whether *x* is in one of *pieces*, by its ends alone."""
    return any(
        (one.low is None or one.low < x or (one.low_in and one.low == x))
        and (one.high is None or one.high > x or (one.high_in and one.high == x))
        for one in pieces
    )


def tried(pieces: Sequence[Piece], whole: bool) -> Iterator[Number]:
    """Every end of *pieces* and its nearest neighbours."""
    step = 1 if whole else NEAR
    for end in (end for piece in pieces for end in (piece.low, piece.high) if end is not None):
        if isinstance(end, Root):
            while end.high - end.low > NEAR:
                end.refine()
            yield from (end.low, end.high)
        else:
            yield from (end - step, end, end + step)


UP_TO = 40  # whole numbers that are tried one by one
TRIES, QUESTIONS = 25, 8  # of each type
ROOTS = {"checkpoint-interval"}  # nearly every given stands under a root there
SEEDS = {"sparsify": 1, "layout": 2, "transformer": 1}  # where the first questions have no answer


def _questions(problem: Kind, random: Random) -> Iterator[InverseQuestion]:
    """Questions about any given, so that what is compared is what it was, or nearly."""
    variants = solved_variants(problem)
    for _ in range(TRIES):
        _, texts, solved = random.choice(variants)
        if solved.stated.is_played:  # an example beside the equations is tried point by point
            continue
        if single := [name for name in solved.stated.measured if solved.stated.alone(name)]:
            results = [one for one in solved.quantities.values() if isinstance(one, Result)]
            numbers = [one for one in results if isinstance(one.value, int | Fraction)]
            unknown, result = random.choice(single), random.choice(numbers)
            factor = random.choice([Fraction(1), Fraction(1), Fraction(9, 10), Fraction(3, 2)])
            sign = random.choice(["<", "<=", "=", ">=", ">"])
            bound = (Fraction(result.value) * factor / result.unit.worth).limit_denominator(10**9)
            unit = "" if result.unit.name == "/s" else result.unit.name  # that is not written
            others = {name: text for name, text in texts.items() if name != unknown}
            where = f"{result.name} {sign} {bound} {unit}".strip()
            yield inverse_question(problem, unknown, [where], others)


def _agrees(inverse: InverseQuestion, sought: Search, x: Number) -> bool:
    """Whether the search says of *x* what trying it does, where both are sure."""
    truth = holds(inverse, x)
    return truth is None or inside(sought.open, x) or truth == inside(sought.solutions, x)


@of_equations
def test_no_solution_is_missed(problem):
    random = Random(f"{problem.slug}{SEEDS.get(problem.slug, '')}")
    solved, refused = 0, []
    questions = list(islice(_questions(problem, random), QUESTIONS))
    for inverse in questions:
        whole = inverse.unknown.whole  # type: ignore[union-attr]
        try:
            made = plan(inverse.stated.problem, inverse.stated.shape)
            sought = Search(model(inverse, made)).run(500 * PIECE)
        except (BadValue, NoAnswer, Unsettled) as error:
            refused.append((whole, str(error)))
            continue
        solved += bool(sought.solutions)
        numbers = list(tried([*sought.solutions, *sought.open], whole))
        numbers += range(UP_TO) if whole else (Fraction(i, 13) ** 3 for i in range(UP_TO))
        numbers += [random.randrange(10**6) for _ in range(10)]
        wrong = [x for x in numbers if not _agrees(inverse, sought, x)]
        assert not wrong, (inverse.unknown.name, inverse.relations, sought, wrong[:5])
    assert solved > len(questions) // 4 or problem.slug in ROOTS
    assert len(refused) < len(questions) // 2 or problem.slug in ROOTS
    assert all(not whole or "to forty digits" in reason for whole, reason in refused), refused


def argued(step):
    return getattr(step, "argument", ())


def worth(line, unknown, x):
    """What a line, or its right side, comes to where the *unknown* in it, which is all, is *x*."""
    known = {name: put.value for name, put in line.numbers.items() if isinstance(put, Amount)}
    known, formula = {**known, unknown: x}, line.formula
    if isinstance(formula, Rel) and getattr(formula.left, "name", unknown) not in known:
        formula = formula.right
    return evaluate(formula, known) if {*expression.symbols(formula)} <= {*known} else None


U = Sym("u")
PIECES = 600 * PIECE  # that are looked at
SURE = Fraction(1, 10**40)  # of a rounded value
NUMBERS = (0, 1, 2, 3, 7, -1, Fraction(1, 2), Fraction(7, 3))
SIGNS: tuple[Operator, ...] = ("<", "<=", "==", ">=", ">")

numbers = st.sampled_from(NUMBERS)
signs = st.sampled_from(SIGNS)


def _formulas(more: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    two: list[Callable[[Expr, Expr], Expr]] = [
        lambda x, y: x + y, lambda x, y: x - y, lambda x, y: Mul((x, y)), Div,
        lambda x, y: x - floor(x / y) * y, *map(FUNCTIONS.get, ("max", "min", "argmax")),
    ]  # fmt: skip
    one: list[Callable[[Expr], Expr]] = [Neg, lambda x: floor(sqrt(x)), lambda x: ceiling(sqrt(x))]
    one += [lambda x: Pow(x, Num(2)), lambda x: Pow(x, Num(-1))]
    one += map(FUNCTIONS.get, ("floor", "ceiling", "floor_log2", "ceiling_log2"))
    return st.one_of(
        st.builds(lambda make, x, y: make(x, y), st.sampled_from(two), more, more),
        st.builds(lambda make, x: make(x), st.sampled_from(one), more),
        st.builds(
            lambda x, op, left, right, y: cases((x, Rel(op, left, right)), otherwise=y),
            more, signs, more, more, more,
        ),
    )  # fmt: skip


formulas = st.recursive(st.one_of(st.just(U), numbers.map(Num)), _formulas, max_leaves=7)
smooth = st.recursive(
    st.one_of(st.just(U), numbers.map(Num)),
    lambda more: st.one_of(
        st.builds(lambda f, x: f(x), st.sampled_from([sqrt, exp, log]), more),
        st.builds(lambda x, y: x + y, more, more),
        st.builds(lambda x, y: Mul((x, y)), more, more),
        st.builds(Pow, more, st.sampled_from([Fraction(1, 2), Fraction(-3, 2), 3]).map(Num)),
    ),
    max_leaves=5,
)
whole_limits = st.tuples(st.sampled_from([0, 1, -20, None]), st.sampled_from([None, 60, 25]))


def _model(formula: Expr, then: Expr, op: Operator, bound: Number, piece: Piece) -> SearchModel:
    goal = Rel(op, Sym("y"), Num(bound))
    return SearchModel("unknown", "u", piece, {"x": formula, "y": then}, (goal,), (), {})


def _truth(model: SearchModel, x: Number) -> bool | None:
    """Whether the goal holds at *x*; None where a number is too large or rounded to tell."""
    known: dict[str, Number | None] = {"u": x}
    try:
        for letter, rule in model.rules.items():
            known[letter] = evaluate(rule, known)
        value, bound = (evaluate(side, known) for side in model.goals[0].parts())
        if isinstance(value, Approximate) and abs(value - bound) <= abs(value) * SURE:
            return None
        return bool(evaluate(model.goals[0], known))
    except OutOfReach:
        return None
    except ArithmeticError:
        return False


def _check(model: SearchModel, sought: Search, numbers: list[Number]) -> None:
    whole = model.domain.whole
    ends = tried([*sought.solutions, *sought.open], whole)
    for x in [*numbers, *ends]:
        if x in model.domain and not inside(sought.open, x):
            truth = _truth(model, x)
            assert truth is None or truth == inside(sought.solutions, x), (x, sought)


@settings(max_examples=60)
@given(formula=formulas, then=formulas, op=signs, bound=numbers, limits=whole_limits)
def test_whole_numbers(formula, then, op, bound, limits):
    model = _model(formula, then + Sym("x"), op, bound, Piece(*limits, whole=True))
    _check(model, Search(model).run(PIECES), [*range(-80, 120), 10**4, 10**6 + 1])


@settings(max_examples=60)
@given(
    formula=formulas, then=formulas, op=signs, bound=numbers,
    low=st.sampled_from([0, None, Fraction(1, 3)]), ends=st.tuples(st.booleans(), st.booleans()),
)  # fmt: skip
def test_all_numbers(formula, then, op, bound, low, ends):
    model = _model(formula, Mul((then, Sym("x"))), op, bound, Piece(low, 30, *ends))
    _check(model, Search(model).run(PIECES), [Fraction(i, 12) for i in range(-60, 380)])


@settings(max_examples=30)
@given(formula=smooth, then=smooth, op=signs, bound=numbers)
def test_roots_and_exponentials_of_whole_numbers(formula, then, op, bound):
    model = _model(formula, then + Sym("x"), op, bound, Piece(0, 60, whole=True))
    try:
        sought = Search(model).run(PIECES)
    except (BadValue, Unsettled):  # what is compared agrees with a rounded number to forty digits
        return
    _check(model, sought, list(range(61)))


RANDOM, ENDS = Random(7), ((5, 80), (20, 600), (0, 6), (1, 12), (1, 3))
EPOCHS = {"samples": "10", "devices": "1", "batch": "10", "compute": "1 s", "upload": "0 s"}
DRAWN = [tuple(RANDOM.randint(*ends) for ends in ENDS) for _ in range(12)]


def _found(drawn: tuple[int, ...], *where: str) -> tuple[Inversion, list[Fraction]]:
    """The best number of local epochs of rounds that first fall and then rise, rounded up; and
    what each number of them costs, by hand."""
    fixed, more, rising, paid, power = drawn
    rounds = f"ceil({fixed} + {more}/local_epochs^{power} + {rising}*local_epochs)"
    texts = {**EPOCHS, "download": f"{paid} s", "rounds": rounds}
    kind, left = asked(problem_named("federated"), texts)
    made = (ceil(fixed + Fraction(more, e**power) + rising * e) for e in range(1, 400))
    costs = [Fraction(0), *(r * (paid + e) for e, r in enumerate(made, 1))]
    return find(kind, "local_epochs", where or ["total is least"], left), costs


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_best_is_that_of_all_and_what_is_better_does_not_fit(drawn):
    found, costs = _found(drawn)
    assert costs[int(found.answer.value)] == min(costs[1:])  # type: ignore[call-overload]
    found, costs = _found(drawn, "total is least", "local_time <= 3 s")
    at = int(found.answer.value)  # type: ignore[call-overload]
    assert costs[at] == min(costs[1:4])


@pytest.mark.parametrize("drawn", DRAWN[::2])
def test_the_derivation_is_true_of_every_number(drawn):
    """First what is compared, then that without rounding, which is less, and least where flat."""
    fixed, more, rising, paid, power = drawn

    def smooth(x):
        return (fixed + Fraction(more) / x**power + rising * x) * (paid + x)

    found, costs = _found(drawn)
    step = next(one for one in found.steps if argued(one) and one.name == "local_epochs")
    rounded, unrounded, *slope = argued(step)
    for x in (1, 2, 5, 30, 399):
        assert worth(rounded, "E", x) == costs[x]
        assert worth(unrounded, "E", x) == smooth(x) <= costs[x]
    place = Fraction(re.findall(r"[\d.]+", slope[-1].reason)[-1])
    assert smooth(place) <= min(smooth(place * 101 / 100), smooth(place * 99 / 100))


def _searched(given: str, steps: str, asked_for: str, file: Any) -> Any:
    file.write_text(f"problems: [{{given: {{{given}}}, steps: {{{steps}}}, {asked_for}}}]")
    [done] = solved(Source(str(file)))
    return done.derivation


@pytest.mark.parametrize("seed", range(24))
def test_sums_and_the_slope_are_true_of_every_number(seed, tmp_path):
    """What is least by hand; and where its slope is 0, as a root too."""
    draw = Random(seed)
    a, b, c, d, w = (draw.randint(1, 400) for _ in range(5))
    power, unit = draw.choice([1, 1, 2, 3]), draw.choice(["", " s", " J", " USD"])
    f = draw.choice(["1", *["[0.5, 1, 1.5, 2, 4, 8]"] * 2])
    energy, time = f"{a}{unit}*w/f + {b}{unit}*f^{power}*w", f"w*({c}{unit} + {d}{unit}/f)"
    steps = f"E = {energy}: energy, T = {time}: time, C = E + 2*T: cost"
    found = _searched(f"f: {f}, w: {w}", steps, "find: f, where: C is least", tmp_path / "q.yaml")
    made = {f: w * (a / f + b * f**power + 2 * (c + d / f)) for f in (Fraction(1, 3), Fraction(7))}
    line, slope, root = next(filter(None, map(argued, found.steps)))
    assert {x: worth(line, "f", x) for x in made} == made
    assert slope.reason == "its slope: C falls, then rises"
    at = float(evaluate(root.formula.right, {x: put.value for x, put in root.numbers.items()}))
    assert at == pytest.approx(float(root.reason.split()[1]), rel=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_where_branches_meet_each_side_holds_on_its_own(seed, tmp_path):
    a, b, c, d = (Random(seed + i).randint(1, 60) for i in range(4))
    formula, x = f"max({a}/x + {c}, {b}*x + {d}/x^2) + {c}*x", ("1", "1.0")[seed % 2]
    found = _searched(
        f"x: {x}", f'"T = {formula}": t', "find: x, where: T is least", tmp_path / "q"
    )
    lines, said = found.outcome.derived
    for i, side in enumerate(lines[0].formula.parts() if "meet" in said else ()):
        x = Fraction(said.split()[-1]) * (99 + 2 * i) / 100
        made = worth(Reasoned(side, "", lines[0].numbers), "x", x)
        assert made == max(a / x + c, b * x + d / x**2) + c * x


@pytest.mark.parametrize("seed", range(3))
def test_where_it_is_flat_or_equal_is_solved(seed, tmp_path):
    """In letters, in numbers, by its root; a line of both sides holds where they are equal."""
    a, b, c = numbers = [Random(seed).randint(*ends) for ends in ((2000, 9000), (1, 4), (1, 4))]
    of = f"x: 3.0, A: {a}, B: {b}, C: {c}", "T = (A + B*x)*(1 + C/x): cost"
    known = dict(zip("ABC", numbers, strict=True))

    def made(x):
        return (a + b * x) * (1 + c / x)

    for where in ("is least", f"<= {ceil(made(999))}"):
        found = _searched(*of, f"find: x, where: T {where}", tmp_path / "q.yaml")
        at = float(found.answer.value)
        for step in filter(argued, found.steps):
            put = known | {name: x.value for name, x in step.numbers.items()}
            assert float(evaluate(step.applied, put)) == pytest.approx(at)
            for line in argued(step):
                put = {name: x.value for name, x in line.numbers.items()}
                put |= {"x": Fraction(at), "T": Fraction(made(at))}
                over, under = (float(evaluate(side, put)) for side in line.formula.parts())
                assert over == pytest.approx(under, abs=made(at) * (1 + at) / 1e5)
        if where == "is least":
            assert made(at) <= min(made(at * 1.01), made(at * 0.99))


@pytest.mark.parametrize("seed", range(30))
def test_what_is_said_of_roundings_on_both_sides_is_true_of_every_number(seed):
    chance, steps, sides, numbers = Random(seed), [], [], range(1, 61)
    ways = chance.choices([("ceil", ceil), ("floor", int)], k=2)
    for name, (word, way) in zip("GR", ways, strict=True):
        a, b, c, d, power = (chance.randint(*ends) for ends in [(1, 9)] * 3 + [(0, 40), (1, 2)])
        inner = f"{b}*local_epochs^{power}/{c} + {d}/local_epochs"
        steps.append((name, f"{a}*{word}({inner}) + {d}", f"side {name}"))
        sides.append([a * way(Fraction(b * e**power, c) + Fraction(d, e)) + d for e in numbers])
    texts = {**EPOCHS, "download": "1 s", "rounds": "3"}
    kind, left = asked(problem_named("federated"), texts, steps)
    found = find(kind, "local_epochs", ["G < R"], left)
    truth, pieces = [x < y for x, y in zip(*sides, strict=True)], found.outcome.solutions
    assert found.outcome.complete
    assert [inside(pieces, e) for e in numbers] == truth
    for said in re.findall("^(?!Any|No).*?(?=[:,.])", found.says()) if len(pieces) == 1 else ():
        low, *high = map(int, re.findall(r"\d+", said.lower().replace("at most", "from 1 to")))
        most = inf if "least" in said else [low, *high][-1]
        assert [low <= e <= most for e in numbers] == truth
