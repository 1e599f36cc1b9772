"""What a part of a question states and comes to, in few words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.wording import RELATED
from ddcalc.ask.solve import Derivation, case_of, givens, plainly, telling
from ddcalc.files.answers import asks_whether
from ddcalc.formula.expression import Expr, Operator, Sym, letter
from ddcalc.formula.expression import letters as letters_in
from ddcalc.numbers.amounts import STATED, in_unit
from ddcalc.numbers.display import equal
from ddcalc.numbers.units import COUNT, is_suffix
from ddcalc.problem.own import FORMULA
from ddcalc.problem.quantity import Derived, Quantity
from ddcalc.problem.said.sentences import capital, inside, joined, listed, series
from ddcalc.problem.said.speaker import Filled
from ddcalc.problem.said.steps import Define, State, Step
from ddcalc.problem.stated_formulas import is_side, told_later
from ddcalc.render import story
from ddcalc.render.parts import by_hand, cases
from ddcalc.render.sides import Piece, Pieces, sentence, symbol

if TYPE_CHECKING:
    from ddcalc.files.solved import Solved

_CASE = re.compile(r"(?:_[0-9]+)?\..*")  # of an earlier part, and its result
_LETTER = re.compile(r"\b[^\W\d](?:_?\w\b|\w*_\w+|\b)")  # among words
_VALUE = re.compile(r"\{[^{}]*\}")  # of a result, the same
_WORKED = re.compile(r".+ (?:= |(?=≈ ))")  # 3^2/2 = 4.5


def headings(part: Solved) -> list[str]:
    """What is different in each case of *part*: ``12 workers``, ``S = 4 MB``, ``ring``."""
    told = telling(apart(part)).values()
    rows = (", ".join(filter(None, row)) for row in zip(*told, strict=True))
    return [*rows] or [""] * len(part.cases)


def apart(part: Solved) -> dict[str, list[str]]:
    """What is different in the cases of *part*, by its name, words before numbers."""
    every = (givens(case.stated) for case in part.cases)
    stated = [{x.symbol if "." in x.name else x.name: x for x in its} for its in every]
    first = part.cases[0]
    texts = [{n: case_of(x) or story.given_text(x) for n, x in m.items()} for m in stated]
    varied = [n for n in stated[0] if len({text.get(n) for text in texts}) > 1]
    lettered = any(len(worth(one[n])) > 1 for one in stated for n in varied if n in one)
    varied = [n for n in varied if n != first.answer.name]
    rest = first.problem.following()
    varied = [n for n in varied if n not in rest] or varied
    used = [n for n in varied if n in {state.name for state in first.givens}]
    columns: dict[str, list[str]] = {}
    for name, choice in first.problem.choices.items():
        columns[name] = [choice.called(dict(x.stated.shape.reading)[name]) for x in part.cases]
    has_word = any(len({*column}) > 1 for column in columns.values())
    known = (*columns.values(), *([text.get(n) for text in texts] for n in used))
    for name in used if len({*zip(*known, strict=True)}) == len(texts) else varied:
        alone = has_word and stated[0][name].unit.name  # beside a word, an amount needs no letter
        alone = alone or case_of(stated[0][name])
        words = [_words(worth(x[name], lettered)) if name in x else "" for x in stated]
        columns[name] = [text.get(name, "") for text in texts] if alone else words
    made = [case.problem.formulas() for case in part.cases]
    for name in {name: 0 for one in made for name in one}:
        both = zip(made, texts, strict=True)
        column = [one.get(name, text.get(name, "")) for one, text in both]
        if (plain := plainly(name, column, part.cases)) != column:
            sign = symbol(first.problem.quantities[name].letter)
            plain = [_words((*sign, equal("", text))) for text in plain]
        columns[name] = plain
    told = {name: column for name, column in columns.items() if len({*column}) > 1}
    return dict(sorted(told.items(), key=lambda one: not all(one[1])))  # of all cases first


def answers(
    part: Solved, everything: bool = False, later: Collection[str] = ()
) -> Iterator[Pieces]:
    """First whether what was to be met is, behind what was found; then, if more is asked than told
    *later* or *everything* is wanted, the answer of *part*, or that of each of its cases unless all
    say the same, and in which of them is least what costs; at last what its author concludes."""
    if not part.cases or part.question.errors:
        return
    then = " ".join(cases.concluded(part.cases))
    every = of_cases(part) if len(part.cases) > 1 else None
    said = [one for one in every or [alone(part, everything, later, then)] if any(one)]
    states = [one for one in part.cases[0].givens if one.name in part.question.instead]
    found = series([_words(worth(one, True)) for one in states] * (len(part.cases) == 1))
    if said and found:
        said[0] = _with(found, said[0])
    every = [(*said[0], f" {then}" * bool(then))] if len(said) == 1 else [*said, (then,)]
    yield from filter(any, every)


def _with(head: str, said: Pieces) -> Pieces:
    """What is *said*, of the case that its *head* tells."""
    first, *others = joined(said)
    called, colon, worth = (words := str(first).strip()).partition(": ")
    if colon and ". " not in called and not called.startswith(("The ", "With ")):
        return f"{called} with {head}: {worth}", *others
    both = " and" * words.startswith("With ") + "," * words[:1].isdigit()
    return f"With {head}{both} {inside(words.removeprefix('With '))}", *others


def alone(part: Solved, everything: bool, later: Collection[str], then: str) -> Pieces:
    """The answer of the first case of *part*, but for what its author tells *later*, or *then*."""
    case, limits = part.cases[0], part.of_case(0, part.limits)
    met = " ".join(story.met(one, case.problem) for one in limits)
    if part.question.is_silent or (asks_whether(case, limits) and not everything):
        return (met,)
    told = [*(limit.name for limit in part.limits), *later]
    if isinstance(case, Inversion):
        filled = None if everything else beside_found(case, told, then, later)
        if filled is None:
            is_short = not (met or everything or case.stated.shape.wanted)
            filled = (case.says(),) if is_short else case.sentence(told=told)
        return *sentence(filled), " " * bool(met and filled), met
    filled = case.commentary().concluded(told)
    return met, " " * bool(met and filled), *sentence(filled)


def beside_found(
    case: Derivation, told: Collection[str], then: str, later: Collection[str] = ()
) -> Filled | None:
    """What is asked and not *told* beside what is found, where the author tells that *later*, or
    *then*; None where he does not."""
    said = {*later, *(told_later(case.problem.own_steps) if then else ())}
    if case.answer.name not in said or not isinstance(case, Inversion) or case.end.value is None:
        return None
    at = case.at if case.stated.shape.wanted else None
    return at.commentary().concluded(told) if at else ()


def of_cases(part: Solved) -> Sequence[Pieces] | None:
    """The answers of the cases of *part*; None where all are the same, and nothing is to be met."""
    heads, first = headings(part), part.cases[0]
    is_few, said_so = len(heads) <= cases.FEW, told_later(first.problem.own_steps, len(heads))
    asked = not (asks_whether(first, part.limits) or part.question.is_silent)
    asked &= not (isinstance(first, Inversion) and first.answer.name in said_so)
    named = [case.named(()) if asked and case.at is case else {} for case in part.cases]
    said = [_said(case, one) if asked else () for case, one in zip(part.cases, named, strict=True)]
    if len({*map(repr, said)}) < 2 and not part.limits:
        return None
    told = [{name: story.spoken(x) * all(isinstance(piece, str) for piece in x)
             for name, x in one.items()} for one in named]  # fmt: skip
    called = {name: capital(one.called) for name, one in first.problem.quantities.items()}
    later = {called[name] for name in said_so if name in called}
    verdict = " ".join(cases.verdicts(part, heads, later.union(told[0] if is_few else ())))
    least = {name: x for name, x in cases.least(part).items() if name in {*told[0]} - later}
    if told[0] and all(x.keys() == told[0].keys() and all(x.values()) for x in told):
        every = cases.others(part, heads, told, least, later)
        return [(" ".join(filter(None, (verdict, *every))),)]
    best = (cases.best(n, x, heads, [one.get(n, "") for one in told]) for n, x in least.items())
    each = [(f"{head}: ", *one) for head, one in zip(heads, said, strict=True) if one]
    return [(verdict,), *each, (" ".join(best),)]


def _said(case: Derivation, named: Mapping[str, Filled]) -> Pieces:
    """What *case* comes to, as it is *named*; what is found in a sentence where nothing is."""
    if isinstance(case, Inversion):
        return sentence(case.sentence() if case.stated.shape.wanted else (case.says(),))
    every = (piece for name, worth in named.items() for piece in (f" {name}: ", *worth, "."))
    first, *others = joined(every) or [""]
    return sentence((str(first).lstrip(), *others))


def says(done: Solved) -> Iterator[str]:
    """All that a problem of a file answers: every part under its id."""
    for part in done.parts:
        said = re.sub(" +", " ", " ".join(map(_words, answers(part)))).strip(" ")
        yield f"({part.question.id}) {said or 'Not solved.'}"
    if not done.parts and done.answered:
        is_all = len(done.cases) == 1 and not any(cases.concluded(done.cases))
        yield from map(_words, answers(done, everything=is_all))


def question_of(part: Solved) -> str:
    """What a part asks, in its own words if it has any."""
    if words := " ".join(story.text_of(part).split()):
        return words
    if not part.cases:
        return ""
    case = part.cases[0]
    if asks_whether(case, part.limits):
        limits = ((*left, f" {RELATED[op]} ", *right) for left, op, right in to_be_met(part, 0))
        return f"Is {' and '.join(map(_words, limits))}?".replace("  ", " ")
    if part.question.kind == FORMULA.slug and not isinstance(case, Inversion):
        return case.problem.quantities[case.answer.name].title
    return case.title


def to_be_met(part: Solved, number: int) -> Iterator[tuple[Pieces, Operator, Pieces]]:
    """Both sides of each limit of *part* as they are stated in the case *number*, and the sign."""
    case = part.cases[number]
    formulas = {x.name: x.formula for x in case.steps if isinstance(x, Define) and is_side(x.name)}

    def side(quantity: Quantity) -> Pieces:
        if quantity.name in formulas:
            return sentence((formulas[quantity.name],))
        called = f" ({quantity.called})" if quantity.called != quantity.letter else ""
        return (*symbol(quantity.letter), called)

    for one in (x.relation for x in part.of_case(number, part.limits) if x.relation):
        bound = in_unit(one.bound.value, one.bound.unit, exact=STATED).marked
        left = side(case.problem.quantities[one.name])
        yield left, one.op, side(one.other) if one.other else (bound,)


def asked(part: Solved) -> set[str]:
    """The names of what *part* asks for, and of what is to be met."""
    found = (case.at for case in part.cases if case.at)
    names = {name for case in found for name in case.stated.shape.wanted or (case.answer.name,)}
    return names | {limit.name for limit in part.limits}


def firsts(done: Solved) -> dict[str, Derivation]:
    """By part the first question of each type that is more than a limit and has no cases."""
    firsts: dict[str, tuple[str, Derivation]] = {}
    single = (x for x in done.each if len(x.cases) == 1 and not (x.limits or x.question.errors))
    for part in single:
        if (at := part.cases[0].at) and at.problem.slug != FORMULA.slug:
            firsts.setdefault(at.problem.slug, (part.question.id or "", at))
    return dict(firsts.values())


def is_own(part: Solved) -> bool:
    """Whether *part* asks in words of its author for steps of its own, in which its type is but a
    piece, and may be meant otherwise."""
    steps = (step for case in part.cases[:1] for step in case.problem.own_steps)
    own = {name for name, _, _ in steps if not is_side(name)}
    return bool(part.question.text and own & asked(part))


def letters(steps: Iterable[Step]) -> set[str]:
    """The letters whose numbers are put in."""
    rows = (row for step in steps for row in getattr(step, "rows", ()) or (step,))
    return {x for y in rows if not getattr(y, "told", False) for x in getattr(y, "numbers", ())}


def letters_of(done: Solved, titled: bool) -> set[str]:
    """The letters that the page of *done* needs: of all that is not worked by hand under a title,
    or stands in several parts, or is to be met, or of which its author speaks."""
    needed, count = {*_spoken(done)} - {"a", "A", "I"}, Counter[tuple[str, Expr]]()
    for part in (one for one in done.each if one.cases):
        needed |= {part.cases[0].problem.quantities[one.name].letter for one in part.limits}
        every = (x for one in part.cases for x in one.steps if isinstance(x, Define))
        shown = [by_hand.worked(one, part) for one in every]
        for step in (one for one in shown if not (titled and one.told)):
            needed |= {step.symbol, *letters_in(step.applied)}
        count.update({(x.symbol, x.applied) for x in shown})
        used = (x for one in part.cases for x in one.givens if x.symbol in needed)
        needed |= {x.name.partition(".")[2] for x in used if story.is_result(x)}
    return needed.union(one for (one, _), times in count.items() if times > 1)


def _spoken(done: Solved) -> Iterator[str]:
    """The letters in the words of the author of a question and its parts."""
    for one in (done, *done.parts):
        notes = (note.text for note in one.question.notes.values())
        steps = (x for case in one.cases[:1] for _, _, x in case.problem.own_steps)
        for words in (one.question.title, one.question.text, *notes, *steps):
            yield from _LETTER.findall(_VALUE.sub("", words or ""))


def results(
    part: Solved, of: Mapping[str, str], known: set[str], on: Mapping[str, str]
) -> Iterator[Pieces]:
    """What formulas take over from earlier parts that is not *known*, or last *of* that part, and
    known from here on; *on* says with which part one goes on."""
    steps = [step for case in part.cases for step in by_hand.steps_of(case, part)]
    if len(part.cases) > 1:  # in whose table other names for it are values
        made = {x.name for x in steps if isinstance(x, Define) and not isinstance(x.applied, Sym)}
        steps = [x for x in steps if not isinstance(x, Define) or x.name in made]
    every = [one for case in part.cases for one in case.givens if "." in one.name]
    parts = (one for case in part.cases for one in case.problem.quantities.values())
    sides = " ".join(one.made for one in parts if isinstance(one, Derived))
    used = letters(steps).union(x.symbol for x in every if letter(x.symbol) in sides) - known
    states = [x for x in every if x.symbol in used and of.get(x.symbol) != _CASE.sub("", x.name)]
    origins = dict.fromkeys(on.get(one.preset, one.preset) for one in states)
    for origin in (x for x in origins if x != f"from ({part.question.goes_on})"):
        worth = defaultdict[str, set[str]](set)
        for one in (x for x in states if on.get(x.preset, x.preset) == origin):
            worth[one.symbol].add(equal("", story.given_text(one)))
        is_told = len({x.symbol for x in states}) <= 2
        told = ((*symbol(x), *(of if is_told and len(of) == 1 else ())) for x, of in worth.items())
        yield (*series_of([*told]), f" {origin}")
    known |= used


def explained(state: State, worked: bool = False, known: State | None = None) -> Pieces:
    """A given with its value, and what it is; first the formula where it was *worked* out; of one
    that is *known* by another letter only that."""
    if known and story.given_text(known) == story.given_text(state):
        return (*symbol(state.symbol), " = ", *symbol(known.symbol))
    shown = worth(state)
    if worked and state.preset:
        shown = (*symbol(state.symbol), equal(f" = {state.preset}", story.given_text(state)))
    is_plain = len(shown) == 1 or story.is_named(state)
    return shown if is_plain else (*shown, f" ({state.title.partition(' (')[0]})")


def worked(part: Solved) -> Iterator[tuple[Pieces, ...]]:
    """The givens of *part* with a value for each case, which no head has, as rows of a table."""
    rest = part.cases[0].problem.following()
    told = telling(apart(part))
    for state in {one.name: one for case in part.cases for one in case.givens}.values():
        stated = (one for case in part.cases for one in givens(case.stated))
        every = [one for one in stated if one.name == state.name]
        is_shown = state.name not in told and (state.preset or state.name not in rest)
        if is_shown and len(every) == len(part.cases) and varies(state, part):
            words = "" if state.title == state.symbol else re.split(r" \(| that ", state.title)[0]
            texts = [story.given_text(x) for x in every]
            is_made = any(map(_WORKED.match, texts))
            values = [x.written[0].value for x in every if x.written and is_made]
            shown = cases.cells(values, state.unit) if values else ((text,) for text in texts)
            yield symbol(state.symbol), (", ".join(filter(None, (words, state.preset))),), *shown


def series_of(parts: Sequence[Pieces]) -> Iterator[Piece]:
    """Some things in words: a, b and c."""
    for part in listed(parts):
        yield from (part,) if isinstance(part, str) else part


def varies(state: State, part: Solved) -> bool:
    """Whether the cases of *part* state it with several values."""
    every = (one for case in part.cases for one in givens(case.stated) if one.name == state.name)
    made = (case.problem.stated_so.get(state.name) for case in part.cases)
    return len({*map(story.given_text, every)}) > 1 or any(made)


def worth(state: State, lettered: bool = False) -> Pieces:
    """A given with its value, by what is counted, or by its letter."""
    value, title = story.given_text(state), state.title.partition(" (")[0]
    noun = re.split(" in |,", title)[0]
    is_noun = noun.endswith("s") and " of " not in noun and not (lettered or is_suffix(noun))
    if state.unit == COUNT and is_noun and value != "1" and noun[-3:].isalpha():
        return (f"{value} {noun}",)
    return (*symbol(state.symbol), equal("", value))


def _words(pieces: Pieces) -> str:
    said = (x if isinstance(x, str) else "".join(str(side.what) for side in x) for x in pieces)
    return "".join(said)
