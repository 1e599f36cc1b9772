"""What a question takes for granted, as far as its author leaves that open: nothing is assumed that
the question says itself, or says to be otherwise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, zip_longest
from typing import Final

from ddcalc.ask.solve import Derivation
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.stated_formulas import AS_STATED
from ddcalc.render import story
from ddcalc.render.blocks import Paragraph, Remark

LONGEST: Final = 200  # characters of what is assumed, unless all is wanted
BESIDE: Final = 135  # the same, beside a text of the author, or a long working
LONG: Final = 15  # givens and steps that it has at most, else
_SMALL: Final = "then|that|this|with|while|which|where|when|each|every"  # words that say little
_WORD: Final = re.compile(rf"\b(?!(?:{_SMALL})\b)[^\W\d_]{{4,}}")
SENTENCE: Final = re.compile(r"(?<=[.?!])\s+")
_CLAUSE: Final = re.compile(r"(?<=[.?!;:])\s+")
_STEM: Final = 4  # letters by which words are compared


def remark(
    cases: Iterable[Derivation], everything: bool = False, text: str = "", told: str = ""
) -> Iterator[Remark]:
    """What is assumed in *cases* that no *text* has *told*; or *everything*, and how to lift it."""
    cases, each, chosen = [*cases], list[list[str]](), set[str]()
    asked = {case.problem.slug for case in cases}
    options = {(case.problem.slug, *one) for case in cases for one in case.stated.shape.reading}
    ways = Counter((slug, name) for slug, name, _ in options)  # in which a type reads a choice
    varied = {name for (_, name), count in ways.items() if count > 1}
    for case in cases:
        text = ". ".join((text, *(says for _, _, says in case.problem.own_steps)))
        left = case.stated.said | varied
        read = [one.remark for one in case.assumptions if one.choice not in left]
        read = [one for one in read if not _is_said(one, f"{text}. {told}")]
        physical = [*_premises(case, asked, everything, f"{text}. {told}")]
        by_turns = filter(None, chain(*zip_longest(read, physical)))
        each.append([*([*read, *physical] if text.strip(" .") else by_turns)])
        chosen |= {*read}
    said = distinct(one for row in zip_longest(*each) for one in row if one)
    said = [one for one in said if not any(_stems(other) < _stems(one) for other in said)]
    if said:  # but for what parts assume that do not state what others do
        most = BESIDE if text.strip(" .") or len([*cases[0].shown_steps()]) > LONG else LONGEST
        ends = zip(said, accumulate(map(len, said)), strict=True)
        shown = [one for one, end in ends if everything or end <= most] or said[:1]
        in_order = sorted(shown, key=lambda one: one not in chosen)
        yield Remark("Assumes", (Paragraph((" · ".join(in_order),)),))


def distinct(assumed: Iterable[str]) -> list[str]:
    """What is *assumed*, but for what says no more, or no less, than something before it."""
    said: list[str] = []
    for words in assumed:
        if not any(words.startswith(one) or one.startswith(words) for one in said):
            said.append(words)
    return said


def mechanism(case: Derivation, everything: bool = False) -> Sequence[str]:
    """What happens physically in a sentence, or all of them; nothing where it speaks of what the
    question itself states by a formula."""
    says = [*filter(None, SENTENCE.split(case.commentary().mechanism))]
    if everything:
        return says
    own = {stem for one in _restated(case) for stem in _stems(one.title)}
    return [one for one in says[:1] if not own & _stems(one)]


def _premises(
    case: Derivation, asked: Collection[str], everything: bool, text: str
) -> Iterator[str]:
    """What the type of *case* takes for granted, if no type that is *asked* is about just that."""
    at = case.at
    if at is None:
        return
    own = [_stems(one.title) for one in _restated(at)]
    for premise in at.commentary().premises:
        stems = _stems(premise.says)
        is_lifted = premise.lifts in asked or _is_said(premise.says, text)
        if not (is_lifted or any(one <= stems for one in own)):
            yield story.premise(premise, at.problem) if everything else premise.says


def _is_said(words: str, text: str) -> bool:
    """Whether a clause of *text* has all that *words* have."""
    stems = _stems(words)
    return any(stems <= _stems(clause) for clause in _CLAUSE.split(text))


def _restated(case: Derivation) -> Sequence[Quantity]:
    """The givens that the question states by formulas of its own."""
    stated = (step for step in case.steps if getattr(step, "why", "") == AS_STATED)
    named = (getattr(step, "name", "") for step in stated)
    return [case.problem.quantities[name] for name in named if name in case.problem.quantities]


def _stems(words: str) -> set[str]:
    return {word[:_STEM].lower() for word in _WORD.findall(words)}
