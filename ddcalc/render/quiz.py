"""Versions of an exam as quizzes that learning platforms import: Moodle XML, and GIFT.

A question is called what `check` calls it (``ps-epochs-1``), a number is right as `check` has it,
and the general feedback is the worked solution. A wrong option says which slip leads to it.

Written for Moodle's importers (github.com/moodle/moodle): ``question/format/xml/format.php``,
``question/format/gift/format.php`` and, for blanks, ``question/type/multianswer/questiontype.php``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import lcm
from typing import Final
from unicodedata import normalize

from ddcalc.ask.mark.written import ENDING, accepted
from ddcalc.ask.solve import Result, Results, first, singles
from ddcalc.ask.variants.versions import ExamItem, Version
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.errors import BadNumber
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.formula.stated_terms import is_rule, states
from ddcalc.numbers.display import nearest
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.units import COUNT, ONE, PERCENT, UNITS, Unit
from ddcalc.render import exam, pages
from ddcalc.render.blocks import Heading, Paragraph
from ddcalc.render.marks import text
from ddcalc.render.markup import html
from ddcalc.render.notation.plain import code
from ddcalc.render.story import ShownFormula

CATEGORY: Final = "$course$/top/ddcalc"
LEVEL: Final = 4  # of a heading inside of a question
TYPED: Final = "Type a formula such as {}."
EXAMPLES: Final = {False: "3*alpha*B", True: "w_0 - eta*G(1,1)"}  # a product, a rule
LETTERS: Final = 3  # of a product that is read in any order
NOTHING: Final = "none"  # what is to be answered where there is no value
DIGITS: Final = 17  # of what a unit is worth in another one, as a float has them
_GIFT: Final = str.maketrans({"\\": "\\\\", "\n": "\\n"} | {sign: f"\\{sign}" for sign in "#=~{}:"})
_CLOZE: Final = str.maketrans({"{": "&#123;", "}": "&#125;"})  # begin and end a blank


@dataclass(frozen=True, slots=True)
class Field:
    """A place for one answer: *numbers* that are right, each with how far off it may be, or, where
    no number is wanted, *texts*; the *unit* is that of the numbers."""

    numbers: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    unit: Unit = COUNT


def fields(results: Results, item: ExamItem) -> Iterator[Field]:
    """The places for *results*: one, or one for each member of a list."""
    for result in singles(results):
        yield _field(result, item)


def _field(result: Result, item: ExamItem) -> Field:
    value = result.value
    if value is None:
        return Field(texts=(NOTHING,))
    if isinstance(value, Expr):
        return Field(texts=tuple(filter(_read_as(value), dict.fromkeys(_spellings(value)))))
    unit = item.unit(result)
    right = accepted(value, unit, item.allowed(result))
    if unit == PERCENT:  # or as a plain number, as in marking
        right += [one for one in accepted(value, COUNT, item.allowed(result)) if one not in right]
    numbers = ((_plain(number), _plain(off)) for number, off in right)
    return Field(tuple(numbers), unit=unit)


def _spellings(value: Expr) -> Iterator[str]:
    """The ways to type a formula: of a short product, with its letters in any order."""
    yield code(value)
    yield str(ShownFormula(value))
    number, letters = code(value).split("*"), []
    while number and number[-1].isidentifier():
        letters.append(number.pop())
    if len(number) > 1 or not 0 < len(letters) <= LETTERS:
        return
    for order in permutations(letters):
        for names in (order, tuple(str(ShownFormula(Sym(name))) for name in order)):
            yield from (joint.join((*number, *names)) for joint in ("*", " * ", " ", ""))


def _read_as(value: Expr) -> Callable[[str], bool]:
    """Whether a text is read in marking, as *value*."""

    def is_read(text: str) -> bool:
        try:
            return states(text, value)
        except BadNumber:
            return False

    return is_read


def _plain(number: Number) -> str:
    """A decimal without an exponent."""
    return f"{nearest(number, ENDING)[0]:f}"


def _solution(item: ExamItem) -> str:
    """The worked solution."""
    shown = pages.derivation(item.solved)
    return html.part(replace(x, level=LEVEL) if isinstance(x, Heading) else x for x in shown)


def _body(item: ExamItem) -> str:
    """The question and what is given."""
    return html.part([*exam.head(item, LEVEL), *exam.question(item)])


def _find(results: Results, item: ExamItem) -> str:
    """What is asked for; of a formula, how it is typed."""
    value = first(results).value
    form = []
    if isinstance(value, Expr) and not item.options:
        form = [Paragraph((TYPED.format(EXAMPLES[is_rule(value)]),))]
    return html.part([Paragraph(exam.wanted(results, item), "Find"), *form])


def _slip(deed: str) -> str:
    return f"This comes of {escaped(deed)}." if deed else "Right."


# Moodle XML


OPENING: Final = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
CLOSING: Final = "</quiz>\n"


def moodle(version: Version, seed: int) -> str:
    """A *version*, which was drawn by *seed*, as a category of a question bank."""
    name = _element("text", _category(version, seed))
    category = f'<question type="category">\n<category>{name}</category>\n</question>\n'
    return category + "".join(map(_moodle_question, version))


def _category(version: Version, seed: int) -> str:
    return f"{CATEGORY}, seed {seed}/Version {version[0].version}"


def _moodle_question(item: ExamItem) -> str:
    places = [list(fields(results, item)) for results in item.results]
    if item.options:
        kind, words, answers = "multichoice", _alone(item), _ticked(item)
    elif len(places) > 1 or len(places[0]) > 1:
        kind, words, answers = "cloze", _cloze(item, places), ""
    else:
        [[place]] = places
        kind = "numerical" if place.numbers else "shortanswer"
        words, answers = _alone(item), _typed(place)
    points = item.points
    grade = "" if points is None else f"<defaultgrade>{_plain(points)}</defaultgrade>\n"
    return (
        f'<question type="{kind}">\n<name>{_element("text", item.id)}</name>\n'
        f"{_formatted('questiontext', words)}{_formatted('generalfeedback', _solution(item))}"
        f"{grade}<idnumber>{escaped(item.id)}</idnumber>\n{answers}</question>\n"
    )


def _alone(item: ExamItem) -> str:
    rounded = html.part([Paragraph((exam.ROUNDED,))]) if exam.is_rounded(item) else ""
    return _body(item) + "".join(_find(results, item) for results in item.results) + rounded


def _ticked(item: ExamItem) -> str:
    """The options, the wrong ones with their slips."""
    answers = (
        _answer(
            html.part([Paragraph(exam.option_pieces(option))]),
            option.right,
            _slip(text(option.deed)),
        )
        for option in item.options
    )
    return (
        "<single>true</single>\n<shuffleanswers>true</shuffleanswers>\n"
        f"<answernumbering>ABCD</answernumbering>\n{''.join(answers)}"
    )


def _typed(place: Field) -> str:
    """What is right where a number or a formula is typed."""
    if not place.numbers:
        answers = (
            _answer(words.replace("*", r"\*"), True, form="plain_text") for words in place.texts
        )
        return f"<usecase>0</usecase>\n{''.join(answers)}"
    answers = (
        _answer(number, True, more=_element("tolerance", off) + "\n", form="plain_text")
        for number, off in place.numbers
    )
    return "".join(answers) + _units(place.unit)


def _units(unit: Unit) -> str:
    """The units in which an answer may be given, *unit* first; without any it is in *unit*."""
    if not unit.name or "^" in unit.name:
        return "<showunits>3</showunits>\n"
    over, slash, under = unit.name.partition("/")
    top = UNITS.get(over, COUNT)
    alike = [(over, top), *UNITS.items()] if top.dimension != ONE else [(over, top)]
    different: dict[str, tuple[str, Number]] = {}  # as databases compare; the first one counts
    for name, other in alike:
        if other.dimension == top.dimension:
            key = normalize("NFKC", name).casefold()
            different.setdefault(key, (f"{name}{slash}{under}", ratio(top.worth, other.worth)))
    listed = "".join(
        f"<unit>\n<multiplier>{float(times):.{DIGITS}g}</multiplier>\n"
        f"{_element('unit_name', name)}\n</unit>\n"
        for name, times in different.values()
    )
    return (
        f"<units>\n{listed}</units>\n<unitgradingtype>0</unitgradingtype>\n"
        "<showunits>0</showunits>\n<unitsleft>0</unitsleft>\n"
    )


def _cloze(item: ExamItem, places: Sequence[Sequence[Field]]) -> str:
    """The question with a blank for each place."""
    lines = [_body(item).translate(_CLOZE)]
    shares = [
        Fraction(item.worth(x), len(row)) for x, row in zip(item.results, places, strict=True)
    ]
    whole = lcm(*(share.denominator for share in shares))
    for results, row, share in zip(item.results, places, shares, strict=True):
        find = _find(results, item).translate(_CLOZE)
        lines.append(
            f"{find}<p>{' '.join(_blank(place, int(share * whole)) for place in row)}</p>\n"
        )
    return "".join(lines)


def _blank(place: Field, weight: int) -> str:
    """A blank that counts so many times."""
    if place.numbers:
        return f"{{{weight}:NUMERICAL:" + "~".join(f"={x}:{off}" for x, off in place.numbers) + "}"
    texts = (escaped(words).replace("*", r"\*") for words in place.texts)
    return f"{{{weight}:SHORTANSWER:" + "~".join(f"={words}" for words in texts) + "}"


def _answer(content: str, right: bool, says: str = "", more: str = "", form: str = "html") -> str:
    feedback = _formatted("feedback", says) if says else ""
    return (
        f'<answer fraction="{100 if right else 0}" format="{form}">\n'
        f"{_element('text', content)}\n{more}{feedback}</answer>\n"
    )


def _formatted(name: str, content: str) -> str:
    return f'<{name} format="html">\n{_element("text", content)}\n</{name}>\n'


def _element(name: str, content: str) -> str:
    """An element of XML that holds *content* as it is."""
    if not set(content) & set("<>&"):
        return f"<{name}>{content}</{name}>"
    return f"<{name}><![CDATA[{content.replace(']]>', ']]]]><![CDATA[>')}]]></{name}>"


# GIFT


def gift(version: Version, seed: int) -> str:
    """The same in GIFT, which has no blanks: a question for each result."""
    parts = [f"$CATEGORY: {_category(version, seed)}\n"]
    for item in version:
        parts += (_gift_question(item, results) for results in item.results)
    return "\n".join(parts)


def _gift_question(item: ExamItem, results: Results) -> str:
    name = item.id if len(item.results) == 1 else f"{item.id}.{first(results).name}"
    words = _alone(item) if item.options else _body(item) + _find(results, item)
    answers = " ".join(_gift_answers(item, results))
    feedback = _solution(item).translate(_GIFT)
    title = name.translate(_GIFT)
    return f"::{title}::[html]{words.translate(_GIFT)}{{{answers} ####{feedback}}}\n"


def _gift_answers(item: ExamItem, results: Results) -> Iterator[str]:
    if item.options:
        for option in item.options:
            words = html.part([Paragraph(exam.option_pieces(option))]).translate(_GIFT)
            slip = _slip(text(option.deed)).translate(_GIFT)
            yield f"{'=' if option.right else '~'}{words}#{slip}"
        return
    places = list(fields(results, item))
    if len(places) > 1:
        shown = [place.numbers[0][0] if place.numbers else place.texts[0] for place in places]
        texts = tuple(joint.join(shown) for joint in (", ", ",", " "))
    else:
        [place] = places
        if place.numbers:
            yield "#" + " ".join(f"={x}:{off}" for x, off in place.numbers)
            return
        texts = place.texts
    for words in texts:
        wild = words.replace("*", r"\*")
        yield f"={wild.translate(_GIFT)}"
