"""The cases of a part, beside each other: of a given with several values, or of results of earlier
parts that have several; and the words of its author, with what these come to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Final

from ddcalc.ask.solve import Derivation, Result, singles, solve, texts_of, told_apart
from ddcalc.boundary.nodes import Node
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadValue, DdcalcError, NoAnswer, UnknownName
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.parts import units_of
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.numbers.amounts import ROUNDED, together
from ddcalc.numbers.display import counted, in_full
from ddcalc.numbers.units import COUNT
from ddcalc.problem import stated_formulas
from ddcalc.problem.asking import asked
from ddcalc.problem.earlier import Earlier, Results
from ddcalc.problem.quantity import Given
from ddcalc.problem.said.sentences import series
from ddcalc.problem.sheet.functions import LISTS
from ddcalc.problem.stated import Texts
from ddcalc.problem.stated_formulas import NAME, NAMED, OwnStep, dotted, told_in, without_sizes

STRICT: Final = ", as the end of what does it is no solution itself: write <= or >= there"
CASES: Final = 100  # values side by side
SINGLE: Final = re.compile(r"(?<![\w.])[^\W\d]\w*\.[^\W\d]\w*(?![\w.]|\s*\[)")  # a.total
_LISTED: Final = re.compile(rf"\b(?:{'|'.join(LISTS)})\([^()]*\)")  # max(b.total)
_ALONE: Final = re.compile(r"(?!(?:max|min|sum|product)\([^()]*,)" + _LISTED.pattern)
_SHORT: Final = re.compile(r"(?:\w+ = )?([^\W\d_]{1,4}|\d{1,4})")  # A, n = 4
_ABOUT: Final = re.compile(r"(= )?\0")  # of a rounded value
_ROUNDED: Final = re.compile(r"(?<=^≈ )[\d.]+(?!\S| \d)")
_ONE: Final = Given("", "", "", COUNT)


def several_in(part: FiledProblem) -> dict[str, Sequence[str]]:
    """The texts of *part* that are several values, of which each makes a case, by name; none of a
    call, which asks one question."""
    kind, several = part.problem, dict[str, Sequence[str]]()
    assert kind is not None
    lists = ((n, text) for n, text in part.texts.items() if part.file and isinstance(text, list))
    for name, text in lists:  # of few problems there are any
        given, alone = kind.givens.get(name), {*kind.choices, *kind.slots, *part.made}
        one = given.many == "one" if given is not None else name in alone
        if one and (len(text) > 1 or name in part.made):
            several[name] = text
    return {} if part.find is not None and part.find.text in several else several


def cases_of(part: FiledProblem) -> list[Texts]:
    """The texts of each case: of a given that takes one value, and is stated with several, one
    after the other. Raises BadValue where two givens have unlike numbers of values."""
    if not (several := several_in(part)):
        return [part.texts]
    name, values = next(iter(several.items()))
    for other, members in several.items():
        if len(members) != len(values):
            reason = f"has {len(members)} values, but {name} has {len(values)}"
            raise BadValue(", ".join(members), reason).about(other)
    if len(values) > CASES:
        raise BadValue(f"{len(values)} values", f"are more than {CASES}").about(name)
    rows = zip(*several.values(), strict=True)
    return [part.texts | dict(zip(several, row, strict=True)) for row in rows]


def worked_cases(
    part: FiledProblem,
    steps: Sequence[OwnStep],
    relations: Mapping[str, list[str]],
    results: Results | None,
) -> list[Derivation]:
    """The cases of *part*, worked out. One of its *steps* that has no value in one of them has none
    if nothing that is asked, told or compared speaks of it; else NoAnswer is raised."""
    cases = list[Derivation]()
    assert part.problem is not None
    for texts, its in each_with(part, steps, results):
        left = {n: x for n, x in texts.items() if n not in part.made}
        every = [*((n, str(texts[n]), n.replace("_", " ")) for n in part.made), *steps]
        kind, stated = asked(part.problem, left, every, its, [*units_of(part)])
        try:
            if part.find is None:
                cases.append(solve(kind, stated, part.wanted))
                continue
            from ddcalc.ask.find.finding import find

            cases.append(find(kind, part.find.text, relations["where"], stated, part.wanted))
        except NoAnswer as error:
            others = [one for one in steps if one[0] != error.name]
            said = [x for _, words, says in others for x in (words, *told_in(says))]
            said += chain(part.wanted, *relations.values(), part.expect, part.claimed)
            if not part.wanted or others == steps or error.name in NAME.findall("; ".join(said)):
                case = ", ".join(f"{name} = {texts[name]}" for name in several_in(part))
                error.reason += f", with {case}" * bool(case)
                raise
            without = [(n, "nothing" if n == error.name else x, says) for n, x, says in steps]
            return worked_cases(part, without, relations, results)
    return cases


def of_case(node: Node, name: str, cases: Sequence[Derivation], number: int) -> Node:
    """What *node*, which may be a list with a value for each of the *cases*, says of the result
    called *name* in the one of that *number*."""
    result = cases[number].quantities.get(name.replace("-", "_"))
    if isinstance(node, Listed) and 1 < len(node.items) == len(cases):
        return node if isinstance(result, tuple) else node.items[number]
    return node


def each_with(
    part: FiledProblem, steps: Sequence[tuple[str, str, str]], results: Results | None
) -> Iterator[tuple[Texts, Results | None]]:
    """Each case of *part*, and the *results* of which its *steps* and givens speak, if there are
    parts before it: one of several values, of which these speak as of one, stands in the case that
    states the same; or makes a case with each of them, or stands in one after the other. Raises
    BadValue where there are not as many, or it is spoken of as of a list, too."""
    cases = cases_of(part)
    if results is None:
        yield from ((texts, None) for texts in cases)
        return
    spoken = _spoken(part, steps, results)
    single = {name: every for name, (_, every) in spoken.items()}
    same = {n: [_same(every, texts) for texts in cases] for n, every in single.items()}
    left = {n: every for n, every in single.items() if None in same[n]}
    sought = part.find.text if part.find is not None else ""
    for name, every in left.items():
        if sought in {told for one in every for told, _ in one.told}:
            reason = f"has a value for each {sought}, which is found here; {name}[1] is the first"
            raise BadValue(name, reason).about(spoken[name][0])
    count = max(map(len, left.values()), default=1)
    sizes = {len(every): f"{n} has {len(every)} values" for n, every in left.items()}
    if sizes and len(cases) > 1:
        sizes.setdefault(len(cases), f"this part has {len(cases)} cases")
    if len(sizes) > 1:
        name, reason = next(iter(left)), " and ".join([*sizes.values()][:2])
        raise BadValue(name, f"goes case by case, but {reason}").about(spoken[name][0])

    def in_case(name: str, number: int) -> Sequence[Earlier]:
        """The *results* of that name, of those that are single the one of that case alone."""
        if name not in single:
            return results(name)
        one = left[name][number] if name in left else same[name][number % len(cases)]
        assert one is not None
        symbol = one.letter.rpartition(f"_{one.part}_")[0]
        return [replace(one, letter=f"{symbol}_{one.part}", plain=one.plain and symbol)]

    for number, texts in enumerate([*cases] * (count if len(cases) == 1 else 1)):
        yield texts, partial(in_case, number=number)


def _spoken(
    part: FiledProblem, steps: Sequence[tuple[str, str, str]], results: Results
) -> dict[str, tuple[str, Sequence[Earlier]]]:
    """The *results* of several values of which *steps* and givens of *part* speak as of one, by
    name, each with what speaks of it. Raises BadValue for one that is spoken of as of a list, too.
    """
    assert part.problem is not None
    said, listed = [(name, words) for name, words, _ in steps], list[str]()
    for name, text in (both for texts in cases_of(part) for both in texts.items()):
        if isinstance(text, str) and part.problem.givens.get(name, _ONE).many == "one":
            said.append((name, text))
        else:
            listed += dotted(text if isinstance(text, str) else "; ".join(text))
    spoken = dict[str, tuple[str, Sequence[Earlier]]]()
    for name, words in said:
        of_cases, of_lists = (_outside(pattern, words) for pattern in (_ALONE, _LISTED))
        listed += Counter(dotted(words)) - Counter(of_cases)
        for one in of_cases:
            with suppress(DdcalcError):  # which is told where it is put in
                every = results(one)
                is_list = every[0].name.startswith(f"{every[0].part}.")  # of one case
                if not is_list or one in of_lists:
                    spoken[one] = name, every
    spoken = {one: both for one, both in spoken.items() if len(both[1]) > 1}
    for one in spoken.keys() & {*listed}:
        reason = f"is a list of {len(spoken[one][1])} and one value here; {one}[1] is its first"
        raise BadValue(one, reason).about(spoken[one][0])
    return spoken


def _outside(pattern: re.Pattern[str], words: str) -> list[str]:
    """The results of which *words* speak as of one: outside of what *pattern* matches."""
    bare, found = without_sizes(words), 1
    while found:  # one list in another
        bare, found = pattern.subn("", bare)
    return SINGLE.findall(bare)


def _same(results: Sequence[Earlier], texts: Texts) -> Earlier | None:
    """That of the *results* of several cases for which all is stated as *texts* say, if one is."""
    stated = {name.replace("-", "_"): text for name, text in texts.items()}
    known = [{n: text for n, text in one.told if n in stated} for one in results]
    same = [i for i, told in enumerate(known) if told and told.items() <= stated.items()]
    return results[same[0]] if len(same) == 1 else None


def _plainly(symbol: str, place: str, part: str, letters: Set[tuple[str, str]]) -> str:
    """The letter of what *part* comes to, and its *place*, without the name of that; where other
    parts have it among their *letters* none, unless all go on with one of them: K_1, K_2."""
    every = {one for one, letter in letters if letter == symbol} | {part}
    heads = {one.rstrip("0123456789") for one in every}
    if every == {part}:
        return symbol + place
    if place or len(heads) > 1 or not heads <= {one for one, _ in letters}:
        return ""
    return f"{symbol}_{sorted(every, key=lambda one: (len(one), one)).index(part) + 1}"


def result_of(name: str, parts: dict[str, Sequence[Derivation]]) -> list[Earlier]:
    """The result of one of the earlier *parts* that is called *name* (``a.total``), in each of its
    cases; a DdcalcError where there is none."""
    part, _, quantity = name.partition(".")
    if part not in parts:
        raise UnknownName("earlier part", part, parts)
    if not (solved := parts[part]):
        raise BadValue(name, f"is a result of ({part}), which is not solved")
    found, kinds = [], {key: x[0].problem.quantities for key, x in parts.items() if x}
    letters = {(k, x.letter) for k, one in kinds.items() for n, x in one.items() if "." not in n}
    words = [*told_apart(solved)]
    short = [_SHORT.fullmatch(one) for one in words]
    texts = [texts_of(case.stated) for case in solved]
    varied = [n for n, one in texts[0].items() if any(x.get(n) != one for x in texts)]
    for number, (case, apart) in enumerate(zip(solved, words, strict=True), 1):
        if quantity not in case.quantities:
            raise _no_result(name, case)
        members = singles(case.quantities[quantity])
        if len(members) > 1 and len(solved) > 1:
            raise BadValue(name, "is a list in each of several cases")
        for place, result in enumerate(members, 1):
            if isinstance(value := result.value, Expr | None):
                none = "has no value" + STRICT * (case.answer != getattr(case, "end", case.answer))
                raise BadValue(name, none if value is None else "is a formula, not a number")
            suffix = f"_{number}" if len(solved) > 1 else ""
            alone = f"_{one[1]}" if all(short) and (one := short[number - 1]) else suffix
            called, ending = f"{part}{suffix}", f"_{place}" if len(members) > 1 else ""
            if suffix and called in parts:
                raise BadValue(name, f"has a case {number}, which part {called} is called like")
            title = f"{case.problem.quantities[result.name].called} in ({part}"
            title += f", {apart or number})" if suffix else ")"
            found.append(Earlier(
                f"{called}.{quantity}{ending}", f"{result.symbol}_{called}", title,
                result.unit, value, part, cases=name if suffix or ending else "",
                plain=_plainly(result.symbol, alone + ending, part, letters),
                told=tuple((n, str(texts[number - 1].get(n))) for n in varied),
            ))  # fmt: skip
    return found


def _no_result(name: str, case: Derivation) -> DdcalcError:
    """Why a *case* of a part has no result called *name* (``a.total``)."""
    part, _, quantity = name.partition(".")
    if quantity in case.problem.choices:
        its = dict(case.stated.shape.reading)[quantity]
        return BadValue(name, f"is a word: state {quantity}: {its} here; ask {quantity} is {its}")
    if quantity in case.problem.quantities:
        return BadValue(name, f"has no value, as ({part}) finds none")
    return UnknownName("result", quantity, (one for one in case.quantities if "." not in one))


def put_in(words: str, cases: Sequence[Derivation]) -> str:
    """The *words* with what each of the ``{names}`` stands for, of several values that differ all;
    nothing where one has none. Raises BadValue as :func:`named_in` does."""
    for name in NAMED.finditer(words):
        results = named_in(cases, name)
        if all(one.value is None for one in results):
            return ""
        texts = [*map(str, results)]
        values = [x.value for x in results if isinstance(x.value, Number)]
        if len({*texts}) > 1 and len(values) == len(results):
            texts = [one.marked for one in together(values, results[0].unit)]
        texts = [_ROUNDED.sub(lambda x: in_full(x[0], ROUNDED), one) for one in texts]
        texts = [one.replace("≈ ", "\0") for one in texts]
        words = words.replace(name[0], series(texts if len({*texts}) > 1 else texts[:1]))
    return _ABOUT.sub(lambda sign: "≈ " * bool(sign[1]), words)


def named_in(cases: Sequence[Derivation], name: re.Match[str]) -> Sequence[Result]:
    """What *name* stands for in a conclusion of the question that has these *cases*: ``{total}``
    for its value in each of them, ``{total[2]}`` in the second; so of results of earlier parts. It
    is in the unit that is named, or in which it is stated. BadValue where there are not so many."""
    whole, place = name[1], int(name[2] or 0)
    given = cases[0].problem.givens.items()
    members = [n for n, one in given if getattr(one, "cases", "") == whole] or [whole]
    every = (one.told.get(n) or Result(n, n, COUNT, _word(one, n))
             for one in cases[: None if "." not in whole else 1] for n in members)  # fmt: skip
    found = [x for results in every for x in singles(results)]
    if place > len(found):
        raise BadValue(name[0], f"has only {counted(len(found), 'value')}")
    found = found[place - 1 : place] if place else found
    is_own = whole not in cases[0].problem.taken and "." not in whole
    stated = cases[0].stated.alone(whole) if is_own else None
    its = stated.unit.name if stated and not stated.bare else ""
    _, meant = stated_formulas.asked_in(" in ".join(filter(None, (whole, name[3] or its))))
    if meant and meant.dimension != found[0].unit.dimension:
        raise BadValue(name[0], f"measures {found[0].unit.dimension}, not {meant.dimension}")
    return [replace(one, unit=meant) for one in found] if meant else found


def _word(case: Derivation, name: str) -> Sym | None:
    """The word that a *case* states for the choice called *name*; None where that is none."""
    option = dict(case.stated.shape.reading).get(name)
    return Sym(case.problem.choices[name].called(option)) if option else None
