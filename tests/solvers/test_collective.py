"""collective against blocks that are handed on hop by hop, and published numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from stating import readings, readings_by_hand, refusals, results

TYPE = "collective"
SIZE, ALPHA, PACE, SPEED = 720720, Fraction(3, 10**6), Fraction(7 * 10**9), Fraction(11 * 10**9)
LINKS: dict[str, Any] = {"latency": "3 us", "bandwidth": "7 GB/s", "size": f"{SIZE} B"}
LINKS |= {"reduce": "11 GB/s"}
Links = list[tuple[tuple[int, ...], Fraction]]  # in one round: from and to, and how much


def played(carried: list[Links], added: list[Fraction]) -> dict[str, Fraction]:
    """What rounds come to: each lasts as long as its busiest link."""
    loads = []
    for links in carried:
        load: Counter[tuple[int, ...]] = Counter()
        for link, amount in links:
            load[link] += amount  # type: ignore[assignment]
        loads.append(max(load.values(), default=Fraction(0)))
    moved, all_added = sum(loads, Fraction(0)), sum(added, Fraction(0))
    time = len(carried) * ALPHA + moved / PACE + all_added / SPEED
    return {"rounds": Fraction(len(carried)), "moved": moved, "time": time, "added": all_added}


def route(p: int, way: str, a: int, b: int) -> list[tuple[list[int], Fraction]]:
    """The workers on the way from *a* to *b*, and the part that goes so."""
    ahead, back = (b - a) % p, (a - b) % p
    forth = [(a + i) % p for i in range(ahead + 1)]
    if way == "ring":
        return [(forth, Fraction(1))]
    if way == "line":
        return [(list(range(a, b + 1)) if a < b else list(range(a, b - 1, -1)), Fraction(1))]
    round_back = [(a - i) % p for i in range(back + 1)]
    if ahead == back:
        return [(forth, Fraction(1, 2)), (round_back, Fraction(1, 2))]
    return [(forth if ahead < back else round_back, Fraction(1))]


def handed_on(p: int, way: str, blocks: list[tuple[int, int]], size: Fraction) -> list[Links]:
    """Every block goes one hop in each round until it is there."""
    routes = [
        (path, part * size, back)
        for a, b in blocks
        if a != b
        for back, (path, part) in enumerate(route(p, way, a, b))
    ]
    longest = max((len(path) - 1 for path, _, _ in routes), default=0)
    return [
        [
            ((path[i], path[i + 1], (path[1] - path[0]) % p == 1 and not back), amount)
            for path, amount, back in routes
            if i < len(path) - 1
        ]
        for i in range(longest)
    ]


RINGS = ["ring", "bidirectional", "line"]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16]


def named(way: str) -> str:
    """The option for a way of sending; a line takes as long as one way round a ring."""
    return "ring" if way == "line" else way


def check(found: dict[str, Any], wanted: dict[str, Fraction]) -> None:
    for name, value in wanted.items():
        assert found.get(name, 0) == value, name


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("way", RINGS)
def test_all_to_all_on_rings(way: str, p: int) -> None:
    blocks = [(a, b) for a in range(p) for b in range(p)]
    carried = handed_on(p, way, blocks, Fraction(SIZE, p))
    found = results(TYPE, **LINKS, workers=p, operation="all_to_all", algorithm=named(way))
    check(found, played(carried, []))


def _gathered(p: int, way: str) -> list[Links]:
    """All-gather on rings: in round i each worker passes on the part from i hops behind."""
    part = Fraction(SIZE, p)
    if way == "ring":
        return [[((w, (w + 1) % p), part) for w in range(p)] for _ in range(p - 1)]
    if way == "line":
        return [
            [((w, w + 1), part) for w in range(i, p - 1)]
            + [((w, w - 1), part) for w in range(1, p - i)]
            for i in range(p - 1)
        ]
    rounds: list[Links] = []
    for i in range(p // 2):
        last = p % 2 == 0 and i == p // 2 - 1
        size = part / 2 if last else part
        both = [((w, (w + 1) % p, 1), size) for w in range(p)]
        both += [((w, (w - 1) % p, -1), size) for w in range(p)]
        rounds.append(both)  # type: ignore[arg-type]
    return rounds


def _arrived(p: int, way: str) -> list[set[Any]]:
    """Who holds which parts (or halves of parts) after those rounds."""
    held: list[set[Any]] = [{(w, h) for h in (0, 1)} for w in range(p)]
    steps = {"ring": [1], "line": [1, -1], "bidirectional": [1, -1]}[way]
    for i in range(len(_gathered(p, way))):
        last = way == "bidirectional" and p % 2 == 0 and i == p // 2 - 1
        new: list[set[Any]] = [set() for _ in range(p)]
        for step in steps:
            for w in range(p):
                origin, to = w - step * i, w + step
                if way == "line" and not (0 <= origin < p and 0 <= to < p):
                    continue
                halves = (0,) if last and step == 1 else (1,) if last else (0, 1)
                assert {(origin % p, h) for h in halves} <= held[w]
                new[to % p] |= {(origin % p, h) for h in halves}
        held = [a | b for a, b in zip(held, new, strict=True)]
    return held


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("way", RINGS)
def test_all_gather_and_its_opposite_on_rings(way: str, p: int) -> None:
    everything = {(w, h) for w in range(p) for h in (0, 1)}
    assert all(held == everything for held in _arrived(p, way))
    wanted = played(_gathered(p, way), [])
    check(results(TYPE, **LINKS, workers=p, algorithm=named(way)), wanted)
    added = Fraction(SIZE * (p - 1), p)
    found = results(TYPE, **LINKS, workers=p, algorithm=named(way), operation="reduce_scatter")
    assert (found["moved"], found["added"]) == (wanted["moved"], added)
    assert found["time"] == wanted["time"] + added / SPEED


def _spread(p: int, way: str) -> tuple[int, list[int]]:
    """Rounds until the array of worker 0 is everywhere; who got it in which round."""
    when = {0: 0}
    round_ = 0
    while len(when) < p:
        round_ += 1
        for w in [w for w, r in when.items() if r < round_]:
            if way == "tree":
                targets = [w + 2 ** (round_ - 1)] if w < 2 ** (round_ - 1) else []
            elif way == "pairs":
                targets = [round_] if w == 0 else []
            elif way == "bidirectional":
                targets = [(w + 1) % p, (w - 1) % p]
            else:
                targets = [w + 1]
            for target in targets:
                if target < p:
                    when.setdefault(target, round_)
    return round_, [when[w] for w in range(p)]


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("way", [*RINGS, "tree", "pairs"])
def test_broadcast_and_reduce(way: str, p: int) -> None:
    rounds, when = _spread(p, way)
    wanted = {"rounds": Fraction(rounds), "moved": Fraction(rounds * SIZE)}
    wanted["time"] = rounds * ALPHA + wanted["moved"] / PACE
    check(
        results(TYPE, **LINKS, workers=p, algorithm=named(way), operation="broadcast"),
        wanted,
    )
    # backwards it is a reduce: in each round a worker adds what comes in from behind
    parents: Callable[[int], int] = {
        "tree": lambda w: w - 2 ** (when[w] - 1),
        "pairs": lambda w: 0,
        "bidirectional": lambda w: (w - 1) % p if w <= p // 2 else (w + 1) % p,
    }.get(way, lambda w: w - 1)
    added = 0
    if way == "bidirectional":  # the shorter side does not wait
        sides = (
            [w for w in range(1, p) if parents(w) == w - 1],
            [w for w in range(1, p) if parents(w) != w - 1],
        )
        for side in sides:
            early = rounds - len(side)
            for w in side:
                when[w] += early
    for round_ in range(rounds, 0, -1):
        coming = Counter(parents(w) for w in range(1, p) if when[w] == round_)
        added += max(coming.values())
    found = results(TYPE, **LINKS, workers=p, algorithm=named(way), operation="reduce")
    assert found["added"] == added * SIZE
    assert found["time"] == wanted["time"] + added * SIZE / SPEED


@pytest.mark.parametrize("p", SIZES)
def test_bruck_gathers_for_any_number(p: int) -> None:
    held = [[w] for w in range(p)]
    carried: list[Links] = []
    distance = 1
    while distance < p:
        take = min(distance, p - distance)
        sent = [held[(w + distance) % p][:take] for w in range(p)]
        held = [mine + more for mine, more in zip(held, sent, strict=True)]
        carried.append([(((w + distance) % p, w), take * Fraction(SIZE, p)) for w in range(p)])
        distance *= 2
    assert all(sorted(each) == list(range(p)) for each in held)
    check(results(TYPE, **LINKS, workers=p, algorithm="tree"), played(carried, []))


@pytest.mark.parametrize("p", [1, 2, 4, 8, 16, 32])
def test_powers_of_two_along_a_tree(p: int) -> None:
    """Halves in a reduce-scatter, and the blocks with a bit set in Bruck's all-to-all."""
    rounds = p.bit_length() - 1
    halves = [Fraction(SIZE, 2 ** (i + 1)) for i in range(rounds)]
    found = results(TYPE, **LINKS, workers=p, algorithm="tree", operation="reduce_scatter")
    carried: list[Links] = [[((0, 1), half)] for half in halves]
    check(found, played(carried, halves))
    bits = [sum(1 for block in range(p) if block >> i & 1) for i in range(rounds)]
    carried = [[((0, 1), count * Fraction(SIZE, p))] for count in bits]
    found = results(TYPE, **LINKS, workers=p, algorithm="tree", operation="all_to_all")
    check(found, played(carried, []))


@pytest.mark.parametrize("operation", ["all_gather", "reduce_scatter", "all_to_all"])
@pytest.mark.parametrize("p", SIZES)
def test_in_pairs(p: int, operation: str) -> None:
    part = Fraction(SIZE, p)
    carried: list[Links] = [[((w, (w + i) % p), part) for w in range(p)] for i in range(1, p)]
    sums = [part] * (p - 1) if operation == "reduce_scatter" else []
    found = results(TYPE, **LINKS, workers=p, algorithm="pairs", operation=operation)
    check(found, played(carried, sums))


def _to_the_first(p: int, way: str) -> list[Links]:
    """Every worker's part is handed on to worker 0."""
    part = Fraction(SIZE, p)
    if way != "tree":
        return handed_on(p, way, [(w, 0) for w in range(1, p)], part)
    held, carried, distance = [1] * p, [], 1
    while distance < p:
        senders = range(distance, p, 2 * distance)
        carried.append([((w, w - distance), held[w] * part) for w in senders])
        for w in senders:
            held[w - distance] += held[w]
        distance *= 2
    assert held[0] == p
    return carried


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("way", [*RINGS, "tree"])
def test_gather_and_scatter(p: int, way: str) -> None:
    carried = _to_the_first(p, way)
    back = [[(link[::-1], amount) for link, amount in links] for links in reversed(carried)]
    stated: dict[str, Any] = LINKS | {"workers": p, "algorithm": named(way)}
    check(results(TYPE, **stated, operation="gather"), played(carried, []))
    check(results(TYPE, **stated, operation="scatter"), played(back, []))
    pairs: list[Links] = [[((w, 0), Fraction(SIZE, p))] for w in range(1, p)]
    stated["algorithm"] = "pairs"
    check(results(TYPE, **stated, operation="gather"), played(pairs, []))


V5E: dict[str, Any] = {"workers": 4, "bandwidth": "45 GB/s"}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        # How to Scale Your Model, sharding.md, Pop Quiz 2 and Question 3
        (V5E | {"size": "33554432 B", "algorithm": "bidirectional", "factor": "whole"},
         Fraction(33554432, 90 * 10**9)),
        (V5E | {"size": "33554432 B", "algorithm": "ring"}, Fraction(3 * 8388608, 45 * 10**9)),
        (V5E | {"size": "131072 B", "algorithm": "ring", "latency": "1 us", "together": "larger"},
         Fraction(3, 10**6)),
        (V5E | {"size": "256 B", "algorithm": "bidirectional", "latency": "1 us",
                "together": "larger"}, Fraction(2, 10**6)),
        # the same, gpus.md, Pop Quiz 1 and Quiz 2
        ({"workers": 8, "bandwidth": "450 GB/s", "size": "33554432 B", "factor": "whole"},
         Fraction(33554432, 450 * 10**9)),
        ({"workers": 8, "bandwidth": "450 GB/s", "size": "33554432 B"},
         Fraction(33554432 * 7, 8 * 450 * 10**9)),
        # The Algebra of Distributed Training, chapter 13, exercise 1
        ({"workers": 16, "bandwidth": "100 GB/s", "size": "100 MB", "latency": "10 us"},
         Fraction("0.0010875")),
    ],
)  # fmt: skip
def test_published(question: dict[str, Any], value: Fraction) -> None:
    assert results(TYPE, **question)["time"] == value


def test_both_bandwidths() -> None:
    found: dict[str, Any] = results(TYPE, workers=8, size="1 GB", bandwidth="50 GB/s", calls=3)
    assert found["bus_bandwidth"] == 50 * 10**9
    assert found["algorithm_bandwidth"] * Fraction(7, 8) == 50 * 10**9
    assert found["volume"] == 3 * found["moved"]
    alone = results(TYPE, **LINKS, workers=1)
    assert (alone["time"], alone["bus_bandwidth"]) == (0, None)


@pytest.mark.parametrize("operation", ["all_gather", "reduce", "all_to_all"])
def test_readings_are_the_questions_read_otherwise(operation: str) -> None:
    question = LINKS | {"workers": 6, "operation": operation}
    by_hand = readings_by_hand(TYPE, **question)
    told = {key: value for key, value in by_hand.items() if key[0] != "operation"}
    assert readings(TYPE, **question) == told


@pytest.mark.parametrize(
    ("more", "parameter", "message"),
    [
        ({"workers": 0}, "workers", "at least 1"),
        ({"workers": 6, "algorithm": "tree", "operation": "reduce_scatter"}, "workers", "power"),
        ({"workers": 6, "bandwidth": "-1 GB/s"}, "bandwidth", "more than 0"),
        ({"workers": 6, "size": "5 s"}, "size", "an amount of data is wanted"),
    ],
)
def test_refusals(more: dict[str, Any], parameter: str, message: str) -> None:
    ((about, told),) = refusals(TYPE, **LINKS | more)
    assert about == parameter
    assert message in told
