"""Schedules, asynchronous runs, rings and stragglers, played or added up from their definitions."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import comb, erfc, exp, expm1, lcm, pi, prod, sqrt
from operator import add, mul
from typing import Any

from asking import Answers, Question, known, rows, witness
from witness_divergence import Witness, same_operations, same_time
from witness_schemes import Setting, World

# Timelines, tick by tick

TICKS = 6_000  # times workers
SCHEMES = ("sync", "ssp", "async", "local_sgd", "k_of_n")
IN_VAIN = (0, -1)  # instead of an update: dropped, interrupted


@witness
def timeline(q: Question, download: Any = 0, upload: Any = 0, aggregation: Any = 0,
             update_time: Any = 0) -> Answers:  # fmt: skip
    """A clock ticks, and at each tick everybody does what is due."""
    if q.distribution != "constant":
        return {}
    times = _times(q)
    starts, lengths = q.starts or (0,) * len(times), (download, upload, aggregation, update_time)
    stated = [*starts, *lengths, q.horizon or 0, *(time for row in times for time in row)]
    unit = lcm(*(Fraction(time).denominator for time in stated))
    longest = q.horizon or sum(lengths) + max(map(max, times)) * 2 * (q.nth_update or 1)
    if longest * unit * len(times) > TICKS:
        return {}

    def ticks(several: Sequence[Any]) -> list[int]:
        return [int(time * unit) for time in several]

    def run(name: str) -> Answers:
        scheme, number = _scheme(name, q, len(times))
        rows, server = [*map(ticks, times)], (q.server == "serial", q.order, q.read)
        made = Setting(scheme, number, ticks(starts), rows, *ticks(lengths), *server)
        return _ran(q, made, unit)

    if q.scheme != "all":
        return run(q.scheme)
    runs = [run(name) for name in SCHEMES]
    told = {"gradients": "gradients", "updates": "updates", "mean_staleness": "staleness"}
    told |= {"nth_time": "nth_time", "sample_rate": "sample_rate"}
    answers = {f"{short}_by_scheme": tuple(one[name] for one in runs)
               for name, short in told.items() if name in runs[0]}  # fmt: skip
    return answers | {"gradients": max(answers["gradients_by_scheme"])}


def _ran(q: Question, setting: Setting, unit: int) -> Answers:
    """What a run comes to until its horizon, or until its update that is asked for."""
    world, nth = World(setting), q.nth_update
    end = int((q.horizon or 0) * unit)
    records: list[Any] = world.play(end)
    while q.horizon is None and all(record[13] != nth for record in records):
        end = end * 2 + 1
        records = world.play(end)
    made = next((record[12] for record in records if record[13] == nth), None)
    if q.horizon is None:
        end = made
        records = [record for record in records if record[12] <= end and record[13] <= nth]
    vain = sum(record[13] in IN_VAIN for record in records)
    ages = [record[13] - 1 - record[10] for record in records if record[13] not in IN_VAIN]
    used, updates = len(ages) * setting.steps, max([0, *(record[13] for record in records)])
    ended = Fraction(end, unit)
    answers: Answers = known(
        gradients=used, updates=updates, unused=vain * setting.steps, ended=ended,
        update_rate=updates / ended, gradient_rate=used / ended,
        mean_staleness=Fraction(sum(ages), len(ages)) if ages else None,
        max_staleness=max(ages, default=None),
    )  # fmt: skip
    if q.horizon is not None:
        answers["ahead"] = world.most_ahead
        if q.model_size is not None and setting.scheme != "cancel":
            answers["sent"] = world.sent * q.model_size
    if nth is not None:
        answers["nth_time"] = None if made is None else Fraction(made, unit)
    return answers | ({"sample_rate": used * q.batch / ended} if q.batch else {})


def _scheme(name: str, q: Question, workers: int) -> tuple[str, int | None]:
    """The scheme's name and number; side by side some numbers need not be stated."""
    if name == "k_of_n":
        return q.late, q.wait_for or max(workers - 1, 1)
    bound = 1 if q.staleness is None else q.staleness
    numbers = {"ssp": None if bound == "infinity" else bound, "local_sgd": q.local_steps or 2}
    return name, numbers.get(name)


def _times(q: Question) -> list[tuple[Any, ...]]:
    """Each worker's times, which it computes for over and over."""
    starts = len(q.starts or ())
    if q.periods:
        several = max(q.workers or 1, starts) if len(q.periods) == 1 else 1
        return [(period,) for period in q.periods * several]
    workers = q.workers or starts or 1
    every = q.step_times_for == "every_worker"
    return [q.step_times] * workers if every else rows(q.step_times, len(q.step_times) // workers)


# Asynchronous against sequential SGD

UPDATES = 40  # of a run


class Letters:
    """A value that rests on η and Δ, at least one of which is open."""

    def __init__(self, value: Callable[[Mapping[str, Fraction]], Fraction]) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        """Whether the formula *other* has the same value for some numbers."""
        numbers = ((1, 2), (Fraction(1, 40), 1), (9, Fraction(99, 7)))
        known = [{"eta": Fraction(a), "Delta": Fraction(b)} for a, b in numbers]
        return all(eval(repr(other), WORDS | one) == self.value(one) for one in known)

    __hash__ = None  # type: ignore[assignment]


# of a formula as Python writes it
WORDS: dict[str, Any] = {"Add": lambda *parts: sum(parts), "Mul": lambda *parts: prod(parts)}
WORDS["Div"] = lambda above, below: Fraction(above) / below


@witness
def divergence(q: Question, operations: int = 0) -> Answers:
    """Who has seen what, from all times; then runs that end as far apart as may be."""
    if len(q.starts) * q.horizon / q.update > UPDATES * 5 or operations > UPDATES:
        return {}
    if q.compare == "same_time":
        both = same_time(q.starts, q.update, q.horizon)
    else:
        both = same_operations(q.starts, q.update, operations or int(q.horizon // q.update))

    def bound(known: Mapping[str, Fraction]) -> Fraction:
        eta = known["eta"] if q.eta is None else q.eta
        delta = known["Delta"] if q.delta is None else q.delta
        smooth = q.lipschitz is not None
        return eta * delta * (_smooth(both, eta * q.lipschitz) if smooth else _attained(both))

    open_one = q.eta is None or q.delta is None
    number = Letters(bound) if open_one else bound({"eta": Fraction(1), "Delta": Fraction(1)})
    return known(async_updates=len(both.seen), sequential_updates=both.alone,
                 shared=both.shared, bound=number)  # fmt: skip


def _attained(both: Witness) -> Fraction:
    """How far apart runs end whose unit gradients are opposite wherever the points differ."""
    origin, one = (Fraction(0),), Fraction(1)
    function: dict[tuple[int, Any], Any] = {}

    def asynchronous(data: int, point: Any) -> Any:
        sign = -1 if data <= both.shared else 1
        return function.setdefault((data, point), (Fraction(sign),))

    def sequential(data: int, point: Any) -> Any:
        return function.get((data, point), (Fraction(-1),))

    [end] = both.asynchronous_end(one, asynchronous, origin)
    return abs(end - both.sequential_end(one, sequential, origin)[0])


def _smooth(both: Witness, slope: Fraction) -> Fraction:
    """The most that pairs of gradients on the same data can differ, one after the other."""
    costs: dict[int, Fraction] = {}
    for data in range(1, both.alone + 1):
        if data in both.seen:
            seen = both.seen[data]
            apart = len({*range(1, data)} - seen) + sum(costs[item] for item in seen)
            costs[data] = min(Fraction(2), slope * apart)
    single = len(both.seen) + both.alone - 2 * len(costs)
    return single + sum(costs.values(), Fraction(0))


# A ring

OPERATIONS: dict[str, Any] = {"sum": add, "mean": add, "max": max, "min": min, "prod": mul}


@witness
def ring_trace(q: Question) -> Answers:
    """Processes with a mailbox each; what is sent is weighed, what arrives is reduced."""
    size, length = q.processes, len(q.vectors) // q.processes
    if size * len(q.vectors) > 20_000:
        return {}
    lengths = [length]
    if q.way == "chunks" and q.uneven == "one_more":  # dealt out value by value
        lengths = [len(range(chunk, length, size)) for chunk in range(size)]
    elif q.way == "chunks":
        full = -(-length // size)
        lengths = [len(range(length)[chunk * full : (chunk + 1) * full]) for chunk in range(size)]
    ring = Ring([*map(list, rows(q.vectors, length))], lengths, OPERATIONS[q.op])
    reduce, share = ring.played(q.way, 0 if q.first == "own" else -1)
    held = [[value for chunk in chunks for value in chunk] for chunks in ring.chunks]
    assert all(item == held[0] for item in held)
    divisor, mean = size if q.op == "mean" else 1, Fraction(sum(ring.sent), size)
    answer = known(
        length=length, lengths=tuple(lengths), waited=ring.waited, sent=tuple(ring.sent),
        reduced=tuple(Fraction(value) / divisor for value in held[0]), sent_mean=mean,
        sent_most=max(ring.sent), reduce_steps=reduce, share_steps=share, steps=reduce + share,
    )  # fmt: skip
    if q.element is not None:
        weighed = {"size": length, "bytes_mean": mean, "bytes_most": max(ring.sent)}
        weighed["bytes_waited"] = ring.waited
        answer |= {name: values * q.element for name, values in weighed.items()}
    return answer


class Ring:
    """Processes in a ring, their *chunks*, the values *sent* by each, and those *waited* for."""

    def __init__(self, vectors: list[list[Any]], lengths: list[int], op: Any) -> None:
        self.size, self.op = len(vectors), op
        self.chunks = [[[vector.pop(0) for _ in range(n)] for n in lengths] for vector in vectors]
        self.sent, self.waited = [0] * self.size, 0

    def step(self, messages: list[tuple[int, int, list[Any]]], adds: bool) -> None:
        """Each (sender, chunk, values) goes to the next process, all at the same time."""
        for sender, chunk, values in messages:
            mine = self.chunks[(sender + 1) % self.size]
            mine[chunk] = [*map(self.op, values, mine[chunk])] if adds else values
            self.sent[sender] += len(values)
        self.waited += max(len(values) for _, _, values in messages)

    def played(self, way: str, first: int) -> tuple[int, int]:
        """The steps in which is reduced, and those in which is shared."""
        size, ranks = self.size, range(self.size)
        if way == "whole":
            outgoing = [list(mine[0]) for mine in self.chunks]
            for _step in range(size - 1):
                self.step([(rank, 0, outgoing[rank]) for rank in ranks], adds=True)
                outgoing = [outgoing[rank - 1] for rank in ranks]
            return size - 1, 0
        for adds in (True, False):
            for step in range(size - 1):
                if way == "relay":
                    pairs = [((step if adds else size - 1 + step) % size, 0)]
                else:
                    pairs = [(r, (r + first - step + (not adds)) % size) for r in ranks]
                self.step([(r, c, list(self.chunks[r][c])) for r, c in pairs], adds)
        return size - 1, size - 1


# Stragglers

SETS = 8  # unlike workers of whom every order of finishing is tried
LIKE = 60  # like workers


@witness
def backup_workers(q: Question, fixed: Any = 0) -> Answers:
    """Expected finishes from every order, or from the shortest of 1, 2, … times."""
    stated = q.times or q.means
    means = stated if isinstance(stated, tuple) else (stated,)
    n = q.workers or len(means)
    waits = _waits(q, means, n)
    if waits is None:
        return {}
    k = q.wait_for or n
    rates = [done / (wait + fixed) for done, wait in enumerate(waits, 1)]
    rounded, gaps, late = any(isinstance(rate, float) for rate in rates), ..., ...
    if not q.times and q.distribution == "exponential":
        gaps = tuple(b - a for a, b in zip([0, *waits], waits, strict=False))
    if q.longer_than is not None:
        late = _late(q, means, n, k, q.longer_than - fixed)
    return known(
        waits=tuple(waits), first=waits[0], wait=waits[k - 1], last=waits[-1], gaps=gaps,
        round_time=waits[k - 1] + fixed, gradient_rate=rates[k - 1], gradient_rates=tuple(rates),
        best_wait_for=... if rounded else rates.index(max(rates)) + 1, late_chance=late,
    )  # fmt: skip


def _waits(q: Question, means: Sequence[Any], n: int) -> list[Any] | None:
    """The expected time of each finish; None where that takes too long."""
    if not q.times and len({*means}) > 1:
        return _by_orders(means) if n <= SETS else None
    if n > LIKE:
        return None
    if q.distribution == "normal" and not q.times:
        return _normal(n, float(means[0]), float(q.spread))
    shortest = [Fraction(0), *(_shortest(q, means[0], j) for j in range(1, n + 1))]

    def finish(k: int) -> Any:
        many = range(n - k + 1, n + 1)
        signs = ((-1) ** (j - n + k - 1) * comb(j - 1, n - k) * comb(n, j) for j in many)
        return sum(sign * shortest[j] for sign, j in zip(signs, many, strict=True))

    return [finish(k) for k in range(1, n + 1)]


def _shortest(q: Question, mean: Any, j: int) -> Any:
    """The expected shortest of j times."""
    if q.times:
        n = len(q.times)
        above = [Fraction(n - i, n) ** j if q.sampling == "with"
                 else Fraction(comb(n - i, j), comb(n, j)) for i in range(n + 1)]  # fmt: skip
        return sum(t * (above[i] - above[i + 1]) for i, t in enumerate(sorted(q.times)))
    match q.distribution:
        case "shifted_exponential":
            return q.shift + Fraction(mean - q.shift) / j
        case "uniform":
            return mean - q.spread + 2 * q.spread / Fraction(j + 1)
        case "pareto":
            tail = Fraction(q.tail)
            return mean * (tail - 1) / tail * (j * tail) / (j * tail - 1)
    return Fraction(mean) / j


def _by_orders(means: Sequence[Any]) -> list[Fraction]:
    """The expected time of each finish, over every order in which workers may finish."""
    values = [Fraction(0)] * len(means)
    kinds: dict[tuple[Fraction, ...], int] = {}
    for order in permutations(1 / Fraction(mean) for mean in means):
        kinds[order] = kinds.get(order, 0) + 1
    for order, count in kinds.items():
        together = [sum(order[done:]) for done in range(len(order))]
        chance = count * prod(rate / all_ for rate, all_ in zip(order, together, strict=True))
        for done in range(len(order)):
            values[done] += chance * sum(1 / all_ for all_ in together[: done + 1])
    return values


def _normal(n: int, mean: float, spread: float) -> list[float]:
    """The same of normal times, by Simpson's rule."""
    points = [i / 100 for i in range(-1000, 1001)]
    weights = [1, *(4 if i % 2 else 2 for i in range(1, 2000)), 1]
    below = [erfc(-x / sqrt(2)) / 2 for x in points]
    above = [erfc(x / sqrt(2)) / 2 for x in points]
    density = [exp(-x * x / 2) / sqrt(2 * pi) for x in points]
    values = []
    for k in range(1, n + 1):
        pairs = zip(weights, points, density, above, below, strict=True)
        parts = (w * x * d * b ** (k - 1) * a ** (n - k) for w, x, d, a, b in pairs)
        values.append(mean + spread * k * comb(n, k) * sum(parts) / 300)
    return values


def _late(q: Question, means: Sequence[Any], n: int, k: int, time: Any) -> Any:
    """The chance that fewer than k of n are done by *time*."""
    if time < 0:
        return 1
    if q.times:
        some, done = len(q.times), sum(item <= time for item in q.times)
        if q.sampling == "without":
            ways = (comb(done, i) * comb(some - done, n - i) for i in range(k))
            return Fraction(sum(ways), comb(some, n))
        chances = [(Fraction(done, some), Fraction(some - done, some))] * n
    else:
        each = means if len(means) == n else means * n
        chances = [_done(q, mean, time) for mean in each]
    counts: list[Any] = [1]  # the chances that so many of those before are done
    for true, false in chances:
        pairs = zip([0, *counts], [*counts, 0], strict=True)
        counts = [one * true + other * false for one, other in pairs]
    return sum(counts[:k])


def _done(q: Question, mean: Any, time: Any) -> tuple[Any, Any]:
    """The chances that a worker is done by *time*, and that it is not."""
    match q.distribution:
        case "uniform":
            part = Fraction(time - mean + q.spread) / (2 * q.spread)
            part = min(max(part, Fraction(0)), Fraction(1))
            return part, 1 - part
        case "normal":
            x = float(time - mean) / float(q.spread) / sqrt(2)
            return erfc(-x) / 2, erfc(x) / 2
        case "pareto":
            tail = Fraction(q.tail)
            least = mean * (tail - 1) / tail
            left = (float(least) / float(time)) ** float(tail) if time > least else 1.0
            return 1 - left, left
        case "shifted_exponential":
            mean, time = mean - q.shift, time - q.shift
            if time < 0 or not mean:
                return (0, 1) if time < 0 else (1, 0)
    return -expm1(-float(time) / float(mean)), exp(-float(time) / float(mean))
