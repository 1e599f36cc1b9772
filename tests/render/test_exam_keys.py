"""The answers at the head of an exam's key: read back, they are what the question comes to."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest
from questions import solved_variants

from ddcalc.ask.solve import Derivation, Result, first, singles
from ddcalc.ask.variants.search import Variants
from ddcalc.ask.variants.versions import ExamItem, ExamQuestion
from ddcalc.formula.expression import Expr
from ddcalc.formula.letters import letter
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import shown_in
from ddcalc.problem.catalog import catalog, problem_named
from ddcalc.render import exam
from ddcalc.render.blocks import Pieces
from ddcalc.render.story import ShownFormula


def item(solved: Derivation, *sought: str) -> ExamItem:
    """The question of *solved* as one of an exam that asks for some results besides."""
    question = ExamQuestion("q", Variants(solved.stated), sought=sought)
    return ExamItem(question, 1, solved.stated)


def plain(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else "".join(str(side.what) for side in piece)
        for piece in pieces
    )


def row(asked_for: ExamItem) -> Iterator[tuple[str, str, str]]:
    """The letter, the sign and the values of each result in the key."""
    [answers] = exam.answer_rows((asked_for,))
    text = plain(answers.answer)
    if len(asked_for.results) == 1:
        text = f"{letter(first(asked_for.results[0]).symbol)} = {text}".replace("= ≈", "≈")
    for part in text.split("; "):
        which, sign, values = part.split(" ", 2)
        yield which, sign, values


def reads(text: str, result: Result, sign: str) -> bool:
    """Whether *text* states what *result* is, as near as its digits say."""
    value = result.value
    if value is None or isinstance(value, Expr):
        return text == ("no value" if value is None else str(ShownFormula(value)))
    stated = shown_in(result.unit, text)
    if sign == "=":
        return not isinstance(value, Approximate) and stated.value == value
    number = Fraction(stated.value) / stated.unit.worth
    near = Decimal(number.numerator) / number.denominator
    return abs(number - Fraction(value) / stated.unit.worth) <= abs(
        Fraction(Decimal(1).scaleb(near.adjusted() - 5))
    )


@pytest.mark.parametrize("name", catalog())
def test_a_key_read_back_is_what_solve_gives(name: str) -> None:
    """Of each result that can be asked, alone with the answer and with all others."""
    for label, _, solved in solved_variants(problem_named(name)):
        results = [*solved.values]
        for sought in ([], results, *([one] for one in results)):
            wanted = {*sought, solved.answer.name}
            read = [*row(item(solved, *sought))]
            names = [one for one in solved.values if one in wanted]
            letters = [letter(solved.problem.quantities[one].letter) for one in names]
            assert [which for which, _, _ in read] == letters, label
            for one, (_, sign, values) in zip(names, read, strict=True):
                members = singles(solved.quantities[one])
                parts = values.split(", ") if len(members) > 1 else [values]
                assert len(parts) == len(members), (label, one)
                pairs = zip(parts, members, strict=True)
                assert all(reads(text, member, sign) for text, member in pairs), (label, one)
