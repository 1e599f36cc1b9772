"""Cases of a question: what is worked out in each, in which a limit is met, and which costs least;
and words that tell ways apart, beside Python's own arithmetic on drawn numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from running import ddcalc

QUESTION = """
problems:
  - id: q
    given: {{size: {size} MB, link: {link} MB/s, work: {one} s, price: 3 USD/h}}
    parts:
      - id: a
        given: {{way: [{ways}], zip: [{zips}], workers: [{workers}]}}
        steps:
          sent = size/(4 if zip is yes else 1): what is sent
          exchange = workers*sent/link if way == server and workers > 3 else 2*sent/link: exchange
          time = 100*(work + exchange): training -- {{nothing}} of it overlaps
          cost = time*workers*price: cost
        ask: [time in min, cost]
        limit: time <= {most} s
      - {{id: b, formula: min(a.cost), name: cheapest}}
      - {{id: c, like: a, given: {{way: ring, zip: no, workers: 4, size: b.cheapest/(1 USD)*1 MB}}}}
"""


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_some_ways(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    size, link, one, most = (draw.randint(1, 99) for _ in range(4))
    places = draw.sample([(w, z, n) for w in WAYS for z in ZIPS for n in range(2, 7)], 4)
    ways, zips, workers = (", ".join(map(str, column)) for column in zip(*places, strict=True))
    file = tmp_path / "q.yaml"
    most *= 100
    file.write_text(QUESTION.format(**locals()), encoding="utf-8")
    a, b, c = json.loads(ddcalc("solve", file, "--format", "json").out)["problems"][0]["parts"]
    times = [*_times(places, size, link, one)]
    costs = [time * n * 3 / 3600 for time, (_, _, n) in zip(times, places, strict=True)]
    for case, time, cost in zip(a["cases"], times, costs, strict=True):
        exact = [Fraction(case["quantities"][name]["exact"]) for name in ("time", "cost")]
        assert exact == [time / 60, cost]
        assert case["limits"][0]["agrees"] == (time <= most)
    met = [i for i, time in enumerate(times) if time <= most]
    says = " ".join(ddcalc("solve", file).out.split())
    assert ("Met with" in says, "Not met in any case" in says) == (0 < len(met) < 4, not met)
    assert "Training · nothing of it overlaps" in says
    among = sorted(met or range(4), key=costs.__getitem__)
    if len(among) > 1 and costs[among[0]] < costs[among[1]]:
        way, zipped, n = places[among[0]]
        _, _, told = says.partition("Least cost with ")
        head = {*told.partition(":")[0].split(", ")}
        known = {way, "zip" if zipped == "yes" else "no zip", f"{n} workers"}
        assert head <= known
    assert Fraction(b["answer"]["exact"]) == min(costs)
    (time,) = _times([("ring", "no", 4)], min(costs), link, one)
    assert Fraction(c["quantities"]["time"]["exact"]) == time / 60


WAYS, ZIPS = ("server", "ring"), ("no", "yes")


def _times(
    places: list[tuple[str, str, int]], size: Fraction | int, link: int, one: int
) -> Iterator[Fraction]:
    for way, zipped, n in places:
        sent = Fraction(size, 4 if zipped == "yes" else 1)
        times = n if way == "server" and n > 3 else 2
        yield 100 * (one + times * sent / link)
