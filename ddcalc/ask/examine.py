"""A sheet examined: what is wrong with its text, its readings and its examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from ddcalc.ask.solve import Derivation, singles, solve
from ddcalc.errors import BadEquation, BadFile, DdcalcError, Place
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.expression import Expr, Rel, symbols
from ddcalc.numbers.display import rounded
from ddcalc.problem.known.catalog import catalog, other_names
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Given
from ddcalc.problem.said.arguments import proved
from ddcalc.problem.said.sentences import After
from ddcalc.problem.sheet.loading import sheet_at, type_of, unknown_names
from ddcalc.problem.sheet.reading import Sheet, Statement, from_outside
from ddcalc.problem.sheet.text import Text
from ddcalc.problem.stated import Texts, example_texts

SHAPES, TRIED = 80, 1000  # shapes that are made, of so many that may lack a given
_COMMAS: Final = re.compile(r",\s*")
_ALLOWED: Final = re.compile(r"(?: within (\d{1,9}(?:\.\d{1,9})?) ?%| to (\d{1,2}) digits)?")
_SAID: Final = (
    "conditions", "needs", "heading", "mechanism", "conclusion", "insights", "crosschecks",
    "premises", "arguments", "equations", "tables",
)  # fmt: skip


def examined(path: Path, text_of: Callable[[Path], str] = from_outside) -> list[DdcalcError]:
    """All that is wrong with the sheet at *path*, each with its place."""
    wrong: list[DdcalcError] = []
    try:
        sheet = sheet_at(path, text_of)
        wrong = [*sheet.wrong, *unknown_names(sheet), *_of_givens(sheet)]
        if text_of is from_outside and sheet.slug in {*catalog(), *other_names()}:
            reason = f"{sheet.slug} is a type of ddcalc; rename the file"
            wrong.append(BadFile(reason, Place(str(path), 1, 1)))
        wrong = wrong or _of_type(type_of(sheet, path))
    except BadEquation as error:
        wrong = [BadFile(str(error), Place(str(path), 1, 1))]
    except DdcalcError as error:
        wrong = [*error.singles()]
    once = {(str(error.place), str(error)): error for error in wrong}
    return sorted(once.values(), key=lambda error: error.place.line if error.place else 0)


def _of_type(problem: type[Problem]) -> list[DdcalcError]:
    wrong = list(_of_shapes(problem)) if problem.symbolic else []
    if wrong:
        return wrong
    solved: list[Derivation] = []
    with suppress(DdcalcError):
        solved.append(solve(problem, example_texts(problem)))
    for example in problem.sheet.said.get("examples", ()):
        given = stated_in(example, "given")
        try:
            done = solve(problem, _texts(problem, given))
            wrong += _of_example(example, done)
            solved.append(done)
        except DdcalcError as error:
            name = (error.parameter or "").partition("[")[0]
            wrong.append(_at(error, given.get(name, example.text)))
    return wrong or list(_of_derivations(solved))


def _of_givens(sheet: Sheet) -> Iterator[DdcalcError]:
    """The defaults and examples that their givens do not take."""
    for name, given in sheet.quantities.items():
        for text in (given.default, given.example) if isinstance(given, Given) else ():
            parts = _COMMAS.split(text) if text and given.many != "one" else [text]
            try:
                for part in filter(None, parts):
                    given.measured(part)
            except DdcalcError as error:
                yield _at(BadFile(str(error)), sheet.places[name])


def _of_units(made: Problem) -> Iterator[DdcalcError]:
    """The sentences, and laws, that add or compare unlike things."""
    measures = {letter: one.unit.dimension for letter, (one, _) in made.origin.items()}
    for section in ("conclude", "means", "check", "laws"):
        for line, when in made.lines(section):
            compared: list[Expr] = [*when, *(made.related(line) or ())]
            for one in made.alternatives(line.words, when) if line.words else ():
                shown = [blank.what for blank in one.blanks]
                compared += [*one.when, *(x for x in shown if isinstance(x, Expr))]
                compared += [x.quantity for x in shown if isinstance(x, After)]
            try:
                for expr in compared:
                    sides = expr.parts() if isinstance(expr, Rel) else ()
                    if all({*symbols(side)} for side in sides):  # else it is a number of base units
                        dimension_of(expr, measures)
            except BadEquation as error:
                yield line.text.wrong(error.reason)


def _of_shapes(problem: type[Problem]) -> Iterator[DdcalcError]:
    """What is wrong with the formulas of the readings: units that do not fit, for example."""
    met = (shape for shape in _shapes(problem) if not problem.unmet(shape))
    for shape in islice((one for one in met if not problem.is_played(one)), SHAPES):
        made = problem(shape)
        try:
            for what in _SAID:
                list(getattr(made, what)())
            plan(problem, shape)
            yield from _of_units(made)
        except BadEquation as error:
            of = made.origin.get(error.parameter or error.name, [None])[0]
            name = of.name if of else ""
            yield _at(BadFile(f"{name} {error.reason}".strip()), problem.sheet.places.get(name))
        except DdcalcError as error:
            yield from error.singles()


def _shapes(problem: type[Problem]) -> Iterator[Shape]:
    """Shapes drawn at random, each once: what an example states, all or nothing, but for one given;
    any options, and lists of one length."""
    random, drawn = Random(problem.slug), set[Shape]()  # noqa: S311
    optional = [name for name, given in problem.givens.items() if given.optional]
    lists = [name for name, given in problem.givens.items() if given.many == "list"]
    examples = [stated_in(one, "given") for one in problem.sheet.said.get("examples", ())]
    usual = [name for name in optional if problem.givens[name].example]
    for _ in range(TRIED):
        names = {*random.choice([*examples, usual, optional, ()])} & {*optional}
        names ^= {random.choice(optional)} if optional else set()
        length, choices = random.choice((3, 1)), problem.choices.items()
        reading = tuple((name, random.choice([*choice.options])) for name, choice in choices)
        present = (name for name in lists if name in names or name not in optional)
        stated = tuple(name for name in optional if name in names)
        shape = Shape(reading, tuple((name, length) for name in present), stated)
        if shape not in drawn:
            drawn.add(shape)
            yield shape


def stated_in(example: Statement, what: str) -> Mapping[str, Text]:
    """What an *example* has in its lines ``given``, or ``expect``."""
    lines = (row["name = value; …"] for row in example.more if row.form == what)
    return {name: text for line in lines for name, text in line.items()}


def _texts(problem: type[Problem], values: Mapping[str, Text]) -> Texts:
    texts: dict[str, str | list[str]] = {}
    for name, text in values.items():
        given = problem.givens.get(name)
        is_list = given is not None and given.many != "one" and "," in text.words
        texts[name] = _COMMAS.split(text.words) if is_list else text.words
    return texts


def _of_example(example: Statement, solved: Derivation) -> Iterator[DdcalcError]:
    """The results that are not what the *example* expects."""
    for name, text in stated_in(example, "expect").items():
        results = solved.quantities.get(name, ())
        if not results:
            yield text.wrong(f"{name} does not follow from what is given here")
            continue
        value = re.split(" within | to ", text.words)[0]
        if (room := _ALLOWED.fullmatch(text.words, len(value))) is None:
            yield text.wrong("is written value, or value within 5 % or to 3 digits")
            continue
        for wanted, result in zip(_COMMAS.split(value), singles(results), strict=False):
            if not isinstance(result.value, int | Fraction):
                yield text.wrong(f"{name} has no value here")
                continue
            stated, worth = solved.problem.quantities[name].measured(wanted), Fraction(result.value)
            unit = Fraction(stated.unit.worth)
            worth = rounded(worth / unit, int(room[2])) * unit if room[2] else worth
            right = Fraction(stated.value)
            if abs(worth - right) > abs(right) * Fraction(room[1] or 0) / 100:
                yield text.wrong(f"{name} is {result}, not {wanted}")


def _of_derivations(solved: Sequence[Derivation]) -> Iterator[DdcalcError]:
    """What is derived, and SymPy does not come to."""
    for done in solved:
        made, equations = done.working.problem, done.working.plan
        assert isinstance(made, Problem)
        if equations is None or not [*done.steps]:
            continue
        for formula, argument in equations.arguments.derivations.items():
            if not proved(argument, formula):
                derived = made.lines("derive")
                line = next(line for line, _ in derived if made.value(line["name"]) == argument.of)
                yield line.text.wrong(f"no algebra leads from here to {line['name']}")


def _at(error: DdcalcError, text: Text | None) -> DdcalcError:
    error.place = error.place or (text.place(0, len(text.words)) if text else None)
    return error
