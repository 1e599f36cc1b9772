"""How often chance is mistaken for a slip."""

from __future__ import annotations

import pytest
from chance_hits import explained, questions

MOST = {3: 10.0, 4: 1.5}  # percent, by digits
LONGEST = {"layout": 2}  # so many times as often where a hundred formulas can be got wrong


@pytest.mark.parametrize("digits", MOST)
def test_chance_is_rarely_mistaken_for_a_slip(digits: int) -> None:
    """``results.md`` has the rates that ``chance_hits.py`` measures."""
    for slug, question in [*questions()][digits % 2 :: 2]:
        explained_by_chance = 100 * explained(question, digits, 200)
        most = MOST[digits] * LONGEST.get(slug, 1)
        assert explained_by_chance <= most, (slug, explained_by_chance)
