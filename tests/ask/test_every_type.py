"""What the verbs say of every type: readings, comparisons, sensitivities, shares, what does not
count, and quantities that are asked for."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from questions import SYMBOLIC, Kind, Texts, example, of_types, solved_variants, specimen, variants

from ddcalc.ask.compare import Comparison
from ddcalc.ask.compare import report as compared_report
from ddcalc.ask.sensitivity import Lever, report, sensitivity
from ddcalc.ask.solve import Derivation, solve, texts_of
from ddcalc.ask.working import working
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.files.batch import worked
from ddcalc.files.filed_problem import stated_here
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import signed
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import TIME
from ddcalc.problem.problem import Problem
from ddcalc.problem.sheet.formulas import CONSTANTS
from ddcalc.problem.sheet.functions import LISTS
from ddcalc.problem.stated import read
from ddcalc.render import pages, story
from ddcalc.render.json import derivation

READ = 4  # variants of each type


@of_types
def test_a_reading_is_the_answer_to_the_question_so_read(problem):
    some = problem.sheet.matters if issubclass(problem, Problem) else "neighbours" in vars(problem)
    every = problem.symbolic and not some  # unless a type says of choices when they matter
    variants = solved_variants(problem)
    for _, texts, solved in variants[:: 1 + len(variants) // READ]:
        listed = {(r.choice, r.option): r.answer.value for r in solved.readings}
        reading = dict(solved.stated.shape.reading)
        tried = {(name, option) for name, option, _ in problem.neighbours(solved.stated.shape)}
        for name, choice in problem.choices.items():
            for option in choice.options:
                try:
                    other = solve(problem, texts | {name: option}).answer.value
                except DdcalcError:
                    assert (name, option) not in listed
                    continue
                differs = (name, option) in tried and other != solved.answer.value
                assert (name, option) in tried or not every or option == reading[name]
                assert listed.get((name, option), "none") == (other if differs else "none")
        shaping = {name for name, _ in listed} | {name for name in texts if name in problem.choices}
        assumed = {each.choice for each in solved.assumptions}
        assert assumed == shaping if problem.symbolic else assumed >= shaping
        for each in solved.assumptions:
            assert each.says == problem.choices[each.choice].options[each.option]


COMPARED = 5  # variants of each type


@of_types
def test_differences_are_those_of_the_answers(problem):
    """From the example to some of its variants, and from each of these to the next."""
    variants = solved_variants(problem)
    last = variants[0][2]
    for _, texts, other in variants[1 :: 1 + len(variants) // COMPARED]:
        assert read(problem, texts_of(other.stated)) == read(problem, texts)
        for first in (variants[0][2], last):
            if first.answer.unit.dimension != other.answer.unit.dimension:
                continue
            comparison = Comparison(first, other, ("first", "second"))
            made = compared_report([comparison])
            assert made.answer
            differs = any("differently" in step.title for step in made.steps)
            assert differs == bool(comparison.changes)
            assert bool(made.remarks) == (not differs)
            for pair in (comparison.answer, *comparison.rows):
                before, after = pair.first.value, pair.second.value
                if isinstance(before, Number) and isinstance(after, Number):
                    assert pair.difference == plain(after) - plain(before)
                    assert pair.ratio is None or plain(before) * pair.ratio == pytest.approx(after)
                else:
                    assert pair.difference is None
            if comparison.terms:
                moved = sum(float(pair.difference or 0) for pair in comparison.terms.values())
                assert moved == pytest.approx(float(comparison.answer.difference or 0))
        last = other


LITTLE = Fraction(1, 10**7)  # of a given, by which it is moved
ROUGH = Fraction(1, 2000)  # the same, where a play may round its answer


def _solved(problem: Kind, texts: Texts, lever: Lever, value: Number) -> Number | None:
    """The answer with one number written anew and everything solved again."""
    name, _, index = lever.name.partition("[")
    text = f"{Fraction(value) / lever.given.unit.worth} {lever.given.unit.name}".strip()
    members = texts.get(name, [])
    changed: str | list[str] = text
    if index:
        place = int(index[:-1]) - 1
        changed = [text if i == place else member for i, member in enumerate(members)]
    solved = _tried(problem, {**texts, name: changed})
    answer = solved.answer.value if isinstance(solved, Derivation) else None
    return None if answer is None or isinstance(answer, Expr) else Fraction(answer)


@of_types
def test_swings_are_those_of_questions_solved_anew(problem):
    texts = example(problem)
    try:
        moves = sensitivity(problem, texts)
    except BadValue:
        return
    page, value = report(moves), Fraction(moves.value)
    assert page.answer
    for row, swing in zip(page.steps[-1].rows if moves.swings else (), moves.swings, strict=False):
        for end, change in ((swing.below, row[3]), (swing.above, row[5])):
            told = "no answer" if end is None else signed(end - moves.value, moves.unit)
            assert change == told
    spans = [swing.span(value) for swing in moves.swings]
    assert spans == sorted(spans, reverse=True)
    assert all(spans)
    for swing in moves.swings:
        for at, end in ((swing.low, swing.below), (swing.high, swing.above)):
            assert end == _solved(problem, texts, swing.lever, at), swing.lever.name


WITHOUT_PARTS = {"checkpoint-interval", "training-time"}  # answers that are no sum of times
TIMED = [p for p in SYMBOLIC if p.quantities[p.answer].unit.dimension == TIME and p.sequential]
TIMED = [p for p in TIMED if p.slug not in WITHOUT_PARTS]


@pytest.mark.parametrize("problem", TIMED, ids=lambda problem: problem.slug)
def test_shares_sum_to_one(problem):
    for quantity in problem.givens.values():
        if quantity.unit.dimension == TIME:
            assert quantity.group, quantity.name
    for _, _, solved in solved_variants(problem):
        assert not solved.shares or sum(share.part for share in solved.shares) == 1


STATED = 12  # questions of each type


def _tried(problem: Kind, texts: Texts, *wanted: str) -> Derivation | DdcalcError:
    try:
        return solve(problem, texts, wanted)
    except DdcalcError as error:
        return error


def _stated(problem: Kind) -> Iterator[Texts]:
    """The example with a given more than it needs each, in one reading and another."""
    others = [given for name, given in problem.givens.items() if name not in example(problem)]
    extra = {given.name: specimen(given, 1) for given in others if given.many == "one"}
    options = [(name, one) for name, choice in problem.choices.items() for one in choice.options]
    yield example(problem) | extra
    pairs = [*product(extra.items(), options)]
    for pair in pairs[:: 1 + len(pairs) // STATED]:
        yield example(problem) | dict(pair)


@of_types
def test_another_value_of_what_does_not_count_changes_nothing(problem):
    for texts in _stated(problem):
        base = _tried(problem, texts)
        for unused in base.unused if isinstance(base, Derivation) else ():
            assert unused.name in texts
            assert unused.says == "not used here"
            for other in _others(problem, unused.name):
                changed = _tried(problem, texts | {unused.name: other})
                if isinstance(changed, DdcalcError):
                    assert not unused.noted or unused.name in problem.givens
                else:
                    assert changed.values == base.values, (texts, unused, other)


def _others(problem: Kind, name: str) -> list[str]:
    if name in problem.choices:
        return list(problem.choices[name].options)
    given = problem.givens[name]
    return [] if given.many == "list" else [specimen(given, nudge) for nudge in (0, 2, 5)]


@of_types
def test_explaining_a_play_needs_no_more_than_playing(problem):
    """Otherwise what only the explanation shows would be said not to count."""
    for _, texts in variants(problem):
        try:
            stated = read(problem, texts)
            play = working(stated) if stated.is_played else None
        except DdcalcError:
            continue
        if play is not None:
            before = {*(play.read or ())}
            assert [*play.steps()]
            assert {*(play.read or ())} == before


ASKED = 8  # quantities of each type


def _some(solved: Derivation) -> list[str]:
    """Some of the derived quantities that are one value."""
    names = [name for name, value in solved.values.items() if not isinstance(value, tuple)]
    return names[:: 1 + len(names) // ASKED]


@of_types
def test_each_quantity_of_each_type(problem):
    """Its value is the one that it has anyway; the page names it, and rests on nothing else."""
    texts = example(problem)
    whole = solve(problem, texts)
    for name in _some(whole):
        solved = solve(problem, texts, [problem.quantities[name].letter])
        assert solved.answer.name == name
        assert solved.answer.value == whole.values[name]
        title = problem.quantities[name].called
        said, own = story.says(solved), story.says(whole)  # where a sentence of the type says it
        assert said.startswith(title[:1].upper()) or said[:20] in own
        assert list(pages.derivation(solved))
        assert list(derivation(solved, True)["quantities"]) == [name]


@of_types
def test_what_does_not_matter_is_not_needed(problem):
    """Without one of the givens a quantity is what it was, or that given is missing."""
    texts = example(problem)
    whole = solve(problem, texts)
    for left in [name for name in texts if problem.givens[name].required]:
        fewer = {name: text for name, text in texts.items() if name != left}
        for name in _some(whole):
            solved = _tried(problem, fewer, name)
            if isinstance(solved, DdcalcError):
                assert left in str(solved), (name, left)
            else:
                assert solved.answer.value == whole.values[name]
                assert list(pages.derivation(solved))


@of_types
def test_an_own_step_is_what_it_says_whatever_letters_there_are(problem):
    """Also one that is called like a letter of the tables of a play."""
    texts, shown = example(problem), getattr(problem, "over", problem)
    letters = {one.letter for one in shown.quantities.values() if one.letter.isidentifier()}
    for name in sorted(letters - {*shown.quantities, *problem.choices, *CONSTANTS, *LISTS})[:READ]:
        asked = stated_here(problem, texts, [f"{name} = 3 + 4: seven"], quantity=[name])
        [solved] = worked(asked).cases
        assert (solved.answer.value, story.says(solved)) == (7, "Seven: 7.")
