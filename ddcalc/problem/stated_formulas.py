"""Formulas that a question states: for a given, for a step of its own, on a side of a relation;
their numbers may have units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Final, Literal

from ddcalc.errors import BadNumber, BadValue, blaming, suggestion
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.expression import SIGNS, Expr, Num, Operator, Sized
from ddcalc.numbers import units
from ddcalc.numbers.amounts import LOW, AskedUnit, BoundUnit, like_stated
from ddcalc.numbers.number import split
from ddcalc.numbers.units import COUNT, DATA, ONE, PERCENT, TIME, WORK, Unit, measure, unit_named
from ddcalc.problem.quantity import Given
from ddcalc.problem.sheet.formulas import DIGITS, Formula
from ddcalc.problem.sheet.functions import LISTS
from ddcalc.problem.sheet.text import Text

OwnStep = tuple[str, str, str]  # the name of a step that a question adds, its formula, its words
LONGEST: Final = 400  # characters of a formula
_TYPESET: Final = {  # of formulas among words
    r"(?<=[\w)])\*(?=[\w(])": "·", r"(?:(?<=\b\w)|(?<=[0-9)])) - (?=\w\b|[0-9(])": " − ",
    "<=": "≤", ">=": "≥", r"\bsqrt(?=\()": "√",
}  # fmt: skip
AS_STATED: Final = "as the question states it"  # why a given is what its formula says
_ROOTED = re.compile(r"[-+*/^()\d. ]*\^ *[-+]?\([-+\d ]*/[-+*/^()\d. ]*")  # no number
COMPARED, BOUND = "compared_side", "bound_side"  # steps that sides of relations become
NOTED: Final = {  # steps that the words of an author become
    one: f"{BOUND}_{one}" for one in ("then", "check", "means", "assumes", "idea", "limit")
}
ASIDE: Final = {*NOTED.values()} - {NOTED["then"]}  # no part of the answer
_POWER: Final = re.compile(r"\s*\*\*(?!factorial)")  # min^10
_HYPHENED: Final = re.compile(r"-[^\W\d_]+")  # 3 GPU-hours
LADDERED: Final = (ONE, TIME, DATA, WORK, DATA / TIME, WORK / TIME)  # shown in units that fit
_SIGNS: Final = {
    "−": "-", "×": "*", "·": "*", "÷": "/", "≤": "<=", "≥": ">=", "^": "**", "!=": "!=",
    "!": "**factorial", "ceil(": "ceiling(", "ln(": "log(", "\u00a0": " ", "\u202f": " ",
}  # fmt: skip
_SIGN: Final = re.compile(  # 70×10⁹ is one number
    rf"(?<=\d)×10([⁻⁰¹²³⁴-⁹]+)|[⁻⁰¹²³⁴-⁹]+|{'|'.join(map(re.escape, _SIGNS))}"
)
GROUPS: Final = r"(?<![\w.])[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?![\d_])(?:\.\d+)?"
_NUMBER: Final = rf"{GROUPS}|(?<![\w.])(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?"
_FACTOR: Final = r"[^\W\d_]+(?:(?:\^|\*\*)[2-9])?"  # of a unit: min^2
SIZED: Final = re.compile(
    rf"({_NUMBER}) ?"
    r"(%(?! *[\w.(])|PF-days?\b|"
    rf"(?:(?!(?:if|else|and|or|is|in|for|from|to)\b){_FACTOR}(?:/{_FACTOR})?|(?<= )/{_FACTOR})"
    r"(?![\w.(]))"
)
_SCALED: Final = re.compile(  # 2*3 ms/4, 1/(40 h)
    r"[^\W\d]\s*[*/]\s*[\d.(]|/\s*\([\d._ ]+[^\W\d_]+(?:/[^\W\d_]+)?\)"
)
NAME: Final = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)*")
WORD: Final = re.compile(  # which states one of several ways: ring, 1F1B, 2 racks; no formula
    r"(?!.* (?:if|in|is|and|or|for) )(?:\d+[ -])?\d*[^\W\d][\w-]*(?: \w[\w-]*)*"
)
_WORDED: Final = re.compile(r"(?<=\bis )(?:not )?\w*[^\W\d]\w*(?:-\w+)+")
_FROM_DIGIT: Final = re.compile(r"(?<= is )\d(?=\d*[^\W\d])|(?<= is not )\d(?=\d*[^\W\d])")
NAMED: Final = re.compile(  # {total[2]}, {total in h}, in words; no {a, b}, \sqrt{x}, x_{y}
    r"(?<![\\\w^}])\{([^\W\d][^{},;:|…]*?)(?:\[([1-9][0-9]*)\])?(?: in ([^{}]+))?\}"
)
_EXTREME: Final = re.compile(
    r" *(.+?) +is +(?:the +)?(?:(least|smallest|minimal)|greatest|largest|maximal) *"
)
_COMPARES: Final = r"!=|(?<= )!(?= )|[<>=~≤≥≠]+"  # once in n! <= 120
_RELATION: Final = re.compile(rf" *(.+?) *({_COMPARES}) *(.*)", re.DOTALL)
_SAYS: Final = re.compile(rf"{_COMPARES}|\bis\b")  # what makes a relation, each time
_OPERATORS: Mapping[str, Operator] = {"=": "==", "≤": "<=", "≥": ">=", **{x: x for x in SIGNS}}
TURNED: Mapping[Operator, Operator] = {"<": ">", "<=": ">=", "==": "==", ">=": "<=", ">": "<"}
Sense = Literal["least", "greatest"]
_NO_SUM: Final = re.compile(r",|(?<! )-|-(?! )")  # a list, a range, a negative number
_NO_FORMULA: Final = re.compile(  # 1.5 s, most of all; 2.45M tokens/s, 3 million h
    r"[0-9._]+ ?(?:[^\W\d_]*|(?:[kMBT]|thousand|[mbtr]+illion) [^\W\d_]+(?:/[^\W\d_]+)?)|.*[\"'].*",
    re.DOTALL,
)
_STEP: Final = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*(.+?)\s*", re.DOTALL)


def worded(words: str) -> str:
    """The formula *words* with _ for - in the words that it asks for: ``zero is ZeRO-1``."""
    return _WORDED.sub(lambda word: word[0].replace("-", "_"), words)


def formula_of(words: str) -> Formula:
    """The formula that a question states, which may have numbers with units (``2*compute + 5 ms``);
    BadFile, whose place counts from its first character, where that is none."""
    at, spelt, end, meant = list[int](), "", 0, worded(words)
    for sign in _SIGN.finditer(meant):
        power = ("e" if sign[1] else "**") + (sign[1] or sign[0]).translate(LOW)
        said = _SIGNS.get(sign[0], power)
        spelt += meant[end : sign.start()] + said
        at += [*range(end, sign.start()), *[sign.start()] * len(said)]
        end = sign.end()
    at += range(end, len(words) + 1)
    spelt = re.sub(GROUPS, lambda number: number[0].replace(" ", "_"), spelt + meant[end:])
    made = Formula(Text(spelt, at, words, ""))
    if len(words) > LONGEST:
        raise made.text.wrong(f"is longer than {LONGEST} characters")
    sizes: dict[str, Expr] = {}

    def sized(match: re.Match[str]) -> str:
        number, rest = sized_in(match)
        behind = _HYPHENED.match(made.words, match.end())
        more = behind[0] if behind else ""
        if number is None or (rest and more):
            _refuse_unit(match[2] + more, match[0] + more)
        if number is None:
            return match[0]
        if not rest and isinstance(number, Sized) and _POWER.match(made.words, match.end()):
            reason = "has a unit and a power: put brackets round the one that has it, (3 s)^n"
            raise made.text.wrong(reason, match.start(), len(match[0]))
        name = chr(0x4E00 + len(sizes))  # a name that nobody writes, as long as what it stands for
        name = name.ljust(len(match[0]) - len(rest), "_")
        sizes[name] = number
        return name + rest

    made.as_written = True
    made.no_units = "has no unit that there is; write one as in 5 ms, 25 Gbit/s"
    spelt = _FROM_DIGIT.sub(lambda digit: chr(DIGITS + int(digit[0])), made.words)
    made.words, made.sizes = SIZED.sub(sized, spelt), sizes
    return made


def sized_in(match: re.Match[str]) -> tuple[Expr | None, str]:
    """The number with a unit at *match*, if it is one, and what is left of it: of ``10 ms/workers``
    the end, where no unit is called so."""
    name = match[2]
    for unit in dict.fromkeys((name, name.partition("/")[0])):
        rest = name[len(unit) :]
        text = match[0][: len(match[0]) - len(rest)].replace("**", "^")
        unit = unit.replace("**", "^")
        with suppress(BadNumber):
            found = PERCENT if unit == "%" else unit_named(unit, text)
            value = measure(text, found.dimension, bare_unit=None).value
            return Sized(value, found.dimension, found), rest
        with suppress(BadNumber):
            if unit != units.BYTE.name:
                return Num(measure(text, ONE, bare_unit=None, suffixes=True).value), rest
    return None, ""


def is_plain(text: str) -> bool:
    """Whether *text* speaks of nothing: a number, arithmetic, or what is meant to be one."""
    return not NAME.search(without_sizes(split(text)[0]))


def number_in(text: str) -> tuple[Unit, bool, bool]:
    """The unit of the number that *text* states, if it has one; whether there may be such a number
    below 0, as there is one here; and whether it counts, so that parts of one do not."""
    size = text.strip().lstrip("-−")
    (number, name), is_below = split(size), size != text.strip()
    with suppress(BadNumber):
        if (found := unit_named(name or "-", size)).dimension != ONE:
            base = found if is_kept(found) else units.base_unit(found.dimension)
            return like_stated(base, [found]), is_below, False
    with suppress(BadNumber):  # a count, which may have k, M, B or T behind it
        value = measure(size, ONE, bare_unit=COUNT, suffixes=True).value
        is_part = value.denominator != 1 or ("." in number and not name)
        return COUNT, is_below, not (is_below or is_part)
    _refuse_unit(name or "s", size)
    return PERCENT if name == "%" else COUNT, is_below, False


def is_kept(unit: Unit) -> bool:
    """Whether what is stated in *unit* stays in it: on no ladder, and from the minute on."""
    is_long = unit.dimension == TIME and unit.worth >= units.UNITS["min"].worth
    return is_long or unit.dimension not in LADDERED


def _refuse_unit(name: str, text: str) -> None:
    """Raise what is wrong with the unit in *text* that people write, and nobody reads: hz; others
    may be what is counted."""
    with suppress(units.UnknownUnit):
        unit_named(name, text)


def units_in(words: str) -> list[Unit]:
    """The units of the numbers in the formula *words*."""
    numbers = (sized_in(match)[0] for match in SIZED.finditer(words))
    return [one.unit for one in numbers if isinstance(one, Sized) and one.unit]


def alike(words: str) -> Iterator[tuple[str, str, re.Match[str]]]:
    """Where names could be meant by units in *words*: what stands above each, and itself, as in
    ``20 s/g``; not in rates, so much a second or an hour."""
    for size in SIZED.finditer(words):
        (number, rest), (top, _, name) = sized_in(size), size[0].rpartition("/")
        if isinstance(number, Sized) and top and not rest:
            is_rate = name in (units.SECOND.name, units.HOUR.name) and number.dimension != ONE
            yield from () if is_rate else [(top.strip(), name, size)]


def refuse_alike(text: Text, known: Collection[str]) -> None:
    """Raise what is wrong with a unit in *text* that is called as something *known*."""
    for top, name, size in alike(text.words):
        if name in known:
            part = f"({top})" if top[-1].isalpha() else top
            either = f"write {part}/{name}, or {top}/(1 {name}) for the unit"
            reason = f"ends in {name}, a unit and a name here: {either}"
            raise text.wrong(reason, size.start(), len(size[0]))


def without_sizes(words: str) -> str:
    """The formula *words* with blanks for its numbers with units."""
    return SIZED.sub(lambda match: sized_in(match)[1].rjust(len(match[0])), words)


def is_made(text: str, known: Collection[str], of: Given | None = None) -> bool:
    """Whether *text* makes a number of others, *of* a given one but itself: by a formula over
    *known* names, or meant ones, over an earlier part, or over several numbers with units."""
    if len(text) > LONGEST or _NO_FORMULA.fullmatch(text):
        return False
    if of is not None and text in of.words:
        return False
    known = {*known} - {of.name if of else ""}
    if " if " in text or ("/" in text and any(name in known for _, name, _ in alike(text))):
        return True
    bare, found = without_sizes(text), False
    for match in NAME.finditer(bare):
        name, behind = match[0], bare[match.end() :].lstrip()
        if bare[: match.start()].rstrip()[-1:].isdigit():
            continue  # a unit, or what is meant as one
        if name in known or ("." in name and not name.endswith(".")):
            return True
        is_formula = re.search(r"[-+*/(^]", text) and not units.is_suffix(name)
        is_meant = is_formula and suggestion(name, known)
        if is_meant or (behind.startswith("(") and name in {*FUNCTIONS, *LISTS}):
            return True
        found = True
    sizes = [size[2] for size in SIZED.finditer(text)]
    if found or not (_SCALED.search(text) or len(sizes) > 1 or PERCENT.name in sizes):
        return False
    return bool(re.search("[-+*/]", bare)) and not _NO_SUM.search(bare)


def asked_in(words: str) -> tuple[str, Unit | None]:
    """What *words* ask for, and the unit that they ask it in, if any: ``time in h``."""
    what, _, name = words.rpartition(" in ")
    if not what or "(" in name:  # for x in range(3)
        return words, None
    unit = PERCENT if name.strip() == "%" else unit_named(name.strip())
    if unit.dimension in LADDERED[1:]:
        unit = AskedUnit(unit.name, unit.worth, unit.dimension, unit.title)
    return what.strip(), unit


def step_in(text: str, says: str = "") -> OwnStep:
    """The name, the formula and the words of a step as it is written: ``paid = workers*wait``, or
    ``paid = workers*wait: worker-seconds of a step``."""
    match = _STEP.fullmatch(text)
    if match is None or match[2][0] in "\"'":
        reason = "quotes stand round all of name = formula" if match else "write name = formula"
        raise BadNumber(text, f"is no step; {reason}, for example paid = workers*wait")
    formula, _, words = match[2].partition(":")
    says = says or words.strip() or match[1].replace("_", " ")
    return match[1], formula.strip(), says


def said_in(says: str) -> tuple[str, str, str]:
    """What a step is, why it is that, and what follows from it: ``title -- why => then``."""
    says, _, then = says.partition(" => ")
    title, _, why = says.partition(" -- ")
    return title, why, then


def typeset(words: str) -> str:
    """The *words* of an author with the signs of formulas as written: ``R·s ≤ 72 − s``."""
    for pattern, sign in _TYPESET.items():
        words = re.sub(pattern, sign, words)
    return words


def conclusions(steps: Iterable[OwnStep]) -> Iterator[tuple[str, str, list[re.Match[str]]]]:
    """What the question concludes from its own *steps*: the name of the step, the sentence, and
    where that says values of names, in one case ``{total[2]}``, or in a unit ``{total in h}``."""
    for name, _, says in steps:
        *_, then = said_in(says)
        if then := " ".join(then.split()):
            yield name, then.removesuffix("."), [*NAMED.finditer(then)]


def told_later(steps: Iterable[OwnStep], cases: int = 1) -> dict[str, None]:
    """The names whose values, those of all of so many *cases*, the question tells in what it
    concludes from its own *steps*."""
    said = (names for step, _, names in conclusions(steps) if step not in ASIDE)
    told = dict.fromkeys(one.group(1, 2) for names in said for one in names)
    places = Counter(name for name, _ in told)
    return dict.fromkeys(name for name, at in told if not at or places[name] >= cases)


def told_in(words: str) -> list[str]:
    """The ``{names}`` in the words of an author."""
    return [told[1] for told in NAMED.finditer(words)]


def relations_in(
    texts: Sequence[str], option: str, known: Iterable[str], steps: list[OwnStep]
) -> list[str]:
    """The relations that the *texts* of an *option* state, with names for sides that are formulas
    over *known* quantities or *steps*, to which these are added; raises a DdcalcError about it."""
    found = []
    for i, text in enumerate(texts, 1):
        names = {*known, *(name for name, _, _ in steps)}
        with blaming(f"{option}[{i}]" if len(texts) > 1 else option):
            words, *title = text.partition(": ")  # what it means that a limit holds
            relation, more = _related(words, names, len(steps) + 1)
        found.append(relation + "".join(title))
        steps += more
    return found


def sides_of(text: str) -> tuple[str, Operator | Sense, str]:
    """What the relation *text* compares, around how: of ``total is least`` nothing stands behind
    that. BadValue where it is none."""
    if len(text) > LONGEST:
        raise BadValue(text, f"is longer than {LONGEST} characters")
    if extreme := _EXTREME.fullmatch(text):
        return extreme[1], "least" if extreme[2] else "greatest", ""
    if (parts := _RELATION.fullmatch(text)) is None:
        write = "write a name, a sign and a quantity, for example total <= 300 s"
        raise BadValue(text, f"is not a relation; {write}")
    left, sign, right = parts.groups()
    if (op := _OPERATORS.get(sign)) is None:
        turned = sign[::-1] in _OPERATORS  # =<
        meant = f"write {sign[::-1]}" if turned else "the signs are < <= = >= >"
        raise BadValue(text, f"has the sign {sign}; {meant}")
    return left, op, right


def bound_units(texts: Iterable[str]) -> Iterator[tuple[str, Unit]]:
    """The units of the bounds that *texts* of relations state for names."""
    for text in texts:
        with suppress(BadValue):
            name, _, bound = sides_of(text.partition(": ")[0])
            for unit in units_in(bound)[:1]:
                if unit.dimension in LADDERED[1:] and NAME.fullmatch(name):
                    yield name, BoundUnit(unit.name, unit.worth, unit.dimension, unit.title)


def is_side(name: str) -> bool:
    """Whether a step that a question adds is a side of one of its relations, by its *name*."""
    return re.fullmatch(rf"(?:{COMPARED}|{BOUND})(?:_\w+)?", name) is not None


def _related(text: str, names: Collection[str], number: int) -> tuple[str, list[OwnStep]]:
    """The relation *text* between a name and a number or another name; a side of it that is a
    formula over *names* becomes a step, with a name by its *number*. BadValue where it says more
    than one thing."""
    try:
        left, how, right = sides_of(text)
    except BadValue:  # told with all else that is wrong
        return text, []
    if (said := len(_SAYS.findall(text))) > 1 and " if " not in text:
        raise BadValue(text, f"is {said} relations in one; state each by itself")
    if how == "least" or how == "greatest":
        name = left if NAME.fullmatch(left) else _free(COMPARED, number, names)
        return f"{name} is {how}", [(name, left, left)] * (name != left)
    if re.search(r"[<>≤≥]", right):
        return text, []
    if split(left)[0] and is_plain(left) and not is_plain(right):  # 5.5 <= k
        left, how, right = right.strip(), TURNED[how], left
        text = f"{left} {how} {right}"
    steps, sides = list[OwnStep](), [left, right]
    for i, name in enumerate((COMPARED, BOUND)):
        used = {*NAME.findall(without_sizes(sides[i]))}
        is_alone = sides[i].strip() in used and ("." not in sides[i] or sides[i].strip() in names)
        if not is_alone and (is_made(sides[i], names) or _ROOTED.fullmatch(sides[i])):
            words, sides[i] = sides[i].strip(), _free(name, number, names)
            steps.append((sides[i], words, words))
    return f"{sides[0]} {how} {sides[1]}" if steps else text, steps


def _free(name: str, number: int, names: Collection[str]) -> str:
    """*name*, with that *number* or the next one that is no name yet."""
    spelt = (f"{name}_{n}" if n > 1 else name for n in count(number))
    return next(one for one in spelt if one not in names)


def renamed(words: str, names: Mapping[str, str], pattern: re.Pattern[str] = NAME) -> str:
    """*words* with other *names* for those that *pattern* finds; units stay."""
    for one in reversed([*pattern.finditer(without_sizes(words))]):
        words = words[: one.start()] + names.get(one[0], one[0]) + words[one.end() :]
    return words


def dotted(words: str) -> list[str]:
    """The names of earlier results in a formula."""
    return [name for name in NAME.findall(without_sizes(words)) if "." in name]
