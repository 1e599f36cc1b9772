"""Ids are unique, in any number: the same answers in memory and in a temporary file."""

from __future__ import annotations

import random
import resource

import pytest

from ddcalc.errors import Place
from ddcalc.files import ids
from ddcalc.files.ids import Ids


@pytest.mark.parametrize("at_hand", [0, 1, 7, 200, 10_000])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_place_of_each(monkeypatch: pytest.MonkeyPatch, at_hand: int, seed: int) -> None:
    """Beside a dictionary, with ids that come again at any distance, in any case."""
    monkeypatch.setattr(ids, "AT_HAND", at_hand)
    chance = random.Random(seed)
    kept, places = Ids("x.yaml"), dict[str, Place]()
    for line in range(1, 1000):
        name = f"{chance.choice('aAbB')}{chance.randrange(400):x}"
        column = chance.randrange(9)
        place = places.setdefault(name.lower(), Place("x.yaml", line, column))
        assert kept.first(name, line, column) == (None if place.line == line else place)
    assert not kept.remark


def test_the_disk_is_full() -> None:
    """What was compared stays right; from then on nothing is, and that is said once."""
    kept = Ids("x.yaml")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, usual[1]))
    try:
        for number in range(1_000_000):
            assert kept.first(f"{'long' * 14}{number}", number, 1) is None
            if kept.remark:
                break
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert "ids are not checked to be unique from here on; temporary file: " in kept.remark
    assert number > ids.AT_HAND
    assert kept.first("a", 1, 1) is None
    assert kept.first("a", 2, 1) is None
