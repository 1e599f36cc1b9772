"""Versions of an exam as a quiz that Moodle imports, in its XML.

A question is called what `check` calls it (``ps-epochs-1``) and has a blank for each answer: a
number is right as `check` has it. The general feedback is the worked solution.

Written for Moodle's importers (github.com/moodle/moodle): ``question/format/xml/format.php`` and,
for blanks, ``question/type/multianswer/questiontype.php``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ddcalc.ask.mark.exercise import MET
from ddcalc.ask.mark.written import FINE, accepted
from ddcalc.ask.solve import Result, Results, first, singles
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.errors import BadNumber
from ddcalc.files.answer_key import VERDICTS, Key
from ddcalc.files.keys import ExamItem, Version
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import nearest
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, PERCENT
from ddcalc.problem.stated_terms import is_rule, states
from ddcalc.render.blocks import Heading, Paragraph
from ddcalc.render.markup import html
from ddcalc.render.notation.plain import code
from ddcalc.render.papers import exam
from ddcalc.render.papers.exam import Wording
from ddcalc.render.sides import ShownFormula

CATEGORY: Final = "$course$/top/ddcalc, seed {}/Version {}"
LEVEL: Final = 4  # of a heading inside of a question
TYPED: Final = "Type a formula such as {}."
EXAMPLES: Final = {False: "3*alpha*B", True: "w_0 - eta*G(1,1)"}  # a product, a rule
ENDING: Final = 15  # significant digits of a number that is written in full
_BRACES: Final = str.maketrans({"{": "&#123;", "}": "&#125;"})  # begin and end a blank


class Field(NamedTuple):
    """A place for one answer of a *kind*, and what is right there (behind a sign) or chosen among:
    a number with how far off it may be, or a text."""

    kind: str
    answers: Sequence[str]


def field(result: Result, key: Key, paper: Wording) -> Field:
    """The place for one *result*."""
    value, unit = result.value, key.unit(result)
    if result.name == MET:
        texts = [f"{'=' * (one == str(result))}{escaped(paper.word(one))}" for one in VERDICTS]
        return Field("MULTICHOICE", texts)
    if value is None or isinstance(value, Expr):
        spelt = [] if value is None else dict.fromkeys((code(value), str(ShownFormula(value))))
        typed = [one for one in spelt if value is not None and _is_read(one, value)] or ["none"]
        plain = (clean(one).replace("*", r"\*") for one in typed)  # a star would be any text
        return Field("SHORTANSWER", [f"={escaped(one)}" for one in plain])
    right: dict[str, Number] = {}
    for one in (unit, COUNT) if unit == PERCENT else (unit,):  # or as a plain number, as in marking
        exact = in_units(value, one.worth)
        for number, off in (*accepted(exact, one, key.allowed(result)), (exact, 0)):
            right[_plain(number)] = max(off, right.get(_plain(number), 0))
    return Field("NUMERICAL", [f"={number}:{_plain(off)}" for number, off in right.items()])


def frame(_title: str) -> tuple[str, str]:
    """What stands before and behind all versions."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n', "</quiz>\n"


def moodle(version: Version, seed: int, paper: Wording) -> str:
    """A *version*, which was drawn by *seed*, as a category of a question bank."""
    category = Element("question", type="category")
    name = SubElement(category, "category")
    SubElement(name, "text").text = CATEGORY.format(seed, version[0].version)
    made = [category, *(_question(item, paper) for item in version)]
    for element in made:
        indent(element, "")
    return "".join(f"{tostring(element, 'unicode').strip()}\n" for element in made)


def _question(item: ExamItem, paper: Wording) -> Element:
    words = html.part([Heading(exam.heading(item), LEVEL), *exam.question(item, paper)])
    words = words.translate(_BRACES) + "".join(_cloze(item, paper))
    made = Element("question", type="cloze")
    SubElement(SubElement(made, "name"), "text").text = item.id
    _formatted(made, "questiontext", words)
    shown = exam.solution(item)
    solution = (replace(x, level=LEVEL) if isinstance(x, Heading) else x for x in shown)
    _formatted(made, "generalfeedback", html.part(solution))
    if item.points is not None:
        SubElement(made, "defaultgrade").text = _plain(item.points)
    SubElement(made, "idnumber").text = item.id
    return made


def _find(results: Results, key: Key, paper: Wording) -> Iterator[Paragraph]:
    """What is asked for; of a formula, how it is typed."""
    yield paper.labelled("Find", exam.wanted(results, key, paper))
    value = first(results).value
    if isinstance(value, Expr) and first(results).name != MET:
        yield Paragraph((TYPED.format(EXAMPLES[is_rule(value)]),))


def _is_read(typed: str, value: Expr) -> bool:
    """Whether marking reads what is *typed*, as *value*."""
    try:
        return states(typed, value)
    except BadNumber:
        return False


def _cloze(item: ExamItem, paper: Wording) -> Iterator[str]:
    """What is to be found, in the order of the sheet, with a blank for each number, which counts by
    what it is worth; of parts, each below its words."""
    asked = [(number, key, results) for number, keys in enumerate(item.parts)
             for key in keys for results in key.asked]  # fmt: skip
    worth = [
        Fraction(key.allowed(results).credit.points) / len(singles(results)) / len(key.part.cases)
        for _, key, results in asked
    ]
    whole, before = lcm(*(one.denominator for one in worth)), -1
    for (number, key, results), one in zip(asked, worth, strict=True):
        if number != before and key.head:
            yield html.part(exam.part(item, number, paper)).translate(_BRACES)
        before, typed = number, []
        for place in (field(result, key, paper) for result in singles(results)):
            typed.append(f"{{{int(one * whole)}:{place.kind}:{'~'.join(place.answers)}}}")
        find = html.part(_find(results, key, paper)).translate(_BRACES)
        yield f"{find}<p>{' '.join(typed)}</p>\n"


def _formatted(made: Element, name: str, page: str) -> None:
    SubElement(SubElement(made, name, format="html"), "text").text = page


def _plain(number: Number) -> str:
    """A decimal without an exponent, rounded where it does not end soon."""
    near, ends = nearest(number, ENDING)
    return f"{near if ends else nearest(number, FINE)[0]:f}"
