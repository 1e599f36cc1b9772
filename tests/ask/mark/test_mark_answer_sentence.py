"""Each number in the answer sentence, typed back for its quantity, is right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from questions import TYPES, Kind, answered

from ddcalc.boundary.nodes import Scalar
from ddcalc.files.answer_key import key
from ddcalc.formula.expression import Expr, Fun, Number, Sym
from ddcalc.numbers.units import UNITS
from ddcalc.problem.quantity import Derived, Quantity
from ddcalc.problem.sentences import Said, plural
from ddcalc.problem.speaker import Speaker

ILLIONS = {"million": "e6", "billion": "e9", "trillion": "e12"}
QUESTIONS = 4


def shown(speaker: Speaker, said: Said) -> Iterator[tuple[Quantity, str]]:
    """The derived quantities in what is *said*, each with the text that stands for its value."""
    sentence = speaker.spoken(said)
    for what, how in sentence.blanks if sentence else ():
        if how.startswith("|") or not isinstance(what, Expr):
            continue
        of = what.args[0] if isinstance(what, Fun) and what.name in ("floor", "ceiling") else what
        if isinstance(of, Sym) and of.name in speaker.problem.origin:
            (quantity, index), value = speaker.problem.origin[of.name], speaker.value(what)
            if isinstance(quantity, Derived) and index is None and isinstance(value, Number):
                noun = how.strip()
                text = str(speaker._amount(what, noun, value))
                if noun and not measures(noun, quantity):
                    text = text.removesuffix(plural(noun)).removesuffix(noun)
                yield quantity, text


def measures(noun: str, quantity: Quantity) -> bool:
    """Whether a *noun* behind a number of *quantity* is its unit."""
    unit = UNITS.get(noun)
    return noun == "%" or (unit is not None and unit.dimension == quantity.unit.dimension)


def typed(text: str) -> str:
    """A number of a sentence as a student types it: ``about 2.5 million samples (…)``."""
    text = text.removeprefix("about ").partition(" (")[0]
    for word, power in ILLIONS.items():
        text = text.replace(f" {word}", power)
    return text


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_what_the_answer_says_is_right(problem: Kind) -> None:
    for solved in answered(problem, "sentences", QUESTIONS):
        answers, says = key(solved, {}), solved.commentary()
        for sentence in says.declared("conclusion"):
            for quantity, text in shown(says.speaker, sentence):
                answer = answers.answer(quantity.name, Scalar(typed(text)))
                [mark] = answers.marks({quantity.name: answer})
                assert mark.verdict in ("right", "rounded"), (quantity, text, mark)
