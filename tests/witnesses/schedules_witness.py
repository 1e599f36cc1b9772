"""Schedules, asynchronous runs, rings and stragglers, played or added up from their definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import comb, erfc, exp, expm1, lcm, pi, prod, sqrt
from typing import Any

from asking import Question, witness
from witness_divergence import Witness, same_operations, same_time
from witness_schemes import Setting, World

# Timelines, tick by tick

TICKS = 6_000  # times workers
SCHEMES = ("sync", "ssp", "async", "local_sgd", "k_of_n")
IN_VAIN = (0, -1)  # instead of an update: dropped, interrupted


@witness("timeline")
def timeline(question: Question) -> dict[str, Any]:
    """A clock ticks, and at each tick everybody does what is due."""
    if question["distribution"] != "constant":
        return {}
    rows = _rows(question)
    starts = question.get("starts") or (0,) * len(rows)
    names = ("download", "upload", "aggregation", "update_time")
    lengths = [question.get(name, 0) for name in names]
    horizon, nth = question.get("horizon"), question.get("nth_update")
    times = [*starts, *lengths, horizon or 0, *(time for row in rows for time in row)]
    unit = lcm(*(Fraction(time).denominator for time in times))
    longest = horizon or sum(lengths) + max(map(max, rows)) * 2 * (nth or 1)
    if longest * unit * len(rows) > TICKS:
        return {}

    def ticks(several: Sequence[Any]) -> list[int]:
        return [int(time * unit) for time in several]

    def run(scheme: str, number: int | None) -> Run:
        setting = Setting(
            scheme, number, ticks(starts), [ticks(row) for row in rows], *ticks(lengths),
            question["server"] == "serial", question["order"], question["read"],
        )  # fmt: skip
        return Run(setting, None if horizon is None else int(horizon * unit), nth, unit)

    if question["scheme"] == "all":
        runs = [run(*_scheme(name, question, len(rows))) for name in SCHEMES]
        return _side_by_side(runs, question)
    return run(*_scheme(question["scheme"], question, len(rows))).values(question)


class Run:
    """The records of *setting* until the *horizon*, or until update *nth*, in ticks."""

    def __init__(self, setting: Setting, horizon: int | None, nth: int | None, unit: int) -> None:
        world, end = World(setting), horizon or 0
        self.world, self.has_horizon = world, horizon is not None
        self.steps, self.unit = setting.steps, unit
        self.records = world.play(end)
        while horizon is None and all(update != nth for *_, update in self.records):
            end = end * 2 + 1
            self.records = world.play(end)
        made = [record[12] for record in self.records if record[13] == nth]
        self.nth = Fraction(int(str(made[0])), unit) if made else None
        if horizon is None:
            end = int(self.nth * unit) if self.nth is not None else 0
            self.records = [item for item in self.records if int(str(item[12])) <= end]
            later = (i for i, item in enumerate(self.records) if int(str(item[13])) > (nth or 0))
            self.records = self.records[: next(later, None)]
        self.end = Fraction(end, unit)
        self.ages = [
            int(str(update)) - 1 - int(str(seen))
            for *_, seen, _, _, update in self.records
            if update not in IN_VAIN
        ]

    @property
    def used(self) -> int:
        return len(self.ages) * self.steps

    @property
    def mean(self) -> Fraction | None:
        return Fraction(sum(self.ages), len(self.ages)) if self.ages else None

    @property
    def updates(self) -> int:
        return max((int(str(record[13])) for record in self.records), default=0) if self.ages else 0

    def rate(self, count: int) -> Fraction:
        return count / self.end

    def values(self, question: Question) -> dict[str, Any]:
        """What the run comes to."""
        vain = sum(record[13] in IN_VAIN for record in self.records)
        values: dict[str, Any] = {
            "gradients": self.used,
            "updates": self.updates,
            "unused": vain * self.steps,
            "ended": self.end,
            "update_rate": self.rate(self.updates),
            "gradient_rate": self.rate(self.used),
            "mean_staleness": self.mean,
            "max_staleness": max(self.ages, default=None),
        }
        if self.has_horizon:
            values["ahead"] = self.world.most_ahead
            if "model_size" in question and self.world.setting.scheme != "cancel":
                values["sent"] = self.world.sent * question["model_size"]
        if "nth_update" in question:
            values["nth_time"] = self.nth
        if "batch" in question:
            values["sample_rate"] = self.rate(self.used * question["batch"])
        return values


def _side_by_side(runs: Sequence[Run], question: Question) -> dict[str, Any]:
    values: dict[str, Any] = {
        "gradients": max(run.used for run in runs),
        "gradients_by_scheme": tuple(run.used for run in runs),
        "updates_by_scheme": tuple(run.updates for run in runs),
        "staleness_by_scheme": tuple(run.mean for run in runs),
    }
    if "nth_update" in question:
        values["nth_time_by_scheme"] = tuple(run.nth for run in runs)
    if "batch" in question:
        rates = (run.rate(run.used * question["batch"]) for run in runs)
        values["sample_rate_by_scheme"] = tuple(rates)
    return values


def _scheme(name: str, question: Question, workers: int) -> tuple[str, int | None]:
    """The scheme's name and number; side by side some numbers need not be stated."""
    match name:
        case "ssp":
            bound = question.get("staleness", 1)
            return name, None if bound == "infinity" else bound
        case "local_sgd":
            return name, question.get("local_steps", 2)
        case "k_of_n":
            return question["late"], question.get("wait_for", max(workers - 1, 1))
    return name, None


def _rows(question: Question) -> list[tuple[Any, ...]]:
    """Each worker's times, which it computes for over and over."""
    starts = len(question.get("starts", ()))
    if "periods" in question:
        periods = question["periods"]
        several = max(question.get("workers", 1), starts) if len(periods) == 1 else 1
        return [(period,) for period in periods * several]
    listed, workers = question["step_times"], question.get("workers") or starts or 1
    if question["step_times_for"] == "every_worker":
        return [listed] * workers
    length = len(listed) // workers
    return [listed[i * length : (i + 1) * length] for i in range(workers)]


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
        return all(_worth(repr(other), item) == self.value(item) for item in known)

    __hash__ = None  # type: ignore[assignment]


def _worth(text: str, known: Mapping[str, Fraction]) -> Any:
    """The value of a formula as Python writes it."""
    words = {
        **known,
        "Add": lambda *parts: sum(parts),
        "Mul": lambda *parts: prod(parts),
        "Div": lambda above, below: Fraction(above) / below,
    }
    return eval(text, words)


@witness("divergence")
def divergence(question: Question) -> dict[str, Any]:
    """Who has seen what, from all times; then runs that end as far apart as may be."""
    starts, update, horizon = question["starts"], question["update"], question["horizon"]
    if len(starts) * horizon / update > UPDATES * 5 or question.get("operations", 0) > UPDATES:
        return {}
    if question["compare"] == "same_time":
        both = same_time(starts, update, horizon)
    else:
        both = same_operations(starts, update, question.get("operations", int(horizon // update)))
    slope = question.get("lipschitz")

    def bound(known: Mapping[str, Fraction]) -> Fraction:
        eta, delta = question.get("eta", known["eta"]), question.get("delta", known["Delta"])
        if slope is None:
            return eta * delta * _attained(both)
        return eta * delta * _with_slope(both, eta * slope)

    ready = {"eta", "delta"} <= question.keys()
    return {
        "async_updates": len(both.seen),
        "sequential_updates": both.alone,
        "shared": both.shared,
        "bound": bound({"eta": Fraction(1), "Delta": Fraction(1)}) if ready else Letters(bound),
    }


def _attained(both: Witness) -> Fraction:
    """How far apart runs end whose unit gradients are opposite wherever the points differ."""
    origin, one = (Fraction(0),), Fraction(1)
    function: dict[tuple[int, Any], Any] = {}

    def asynchronous(data: int, point: Any) -> Any:
        sign = -1 if data <= both.shared else 1
        return function.setdefault((data, point), (Fraction(sign),))

    def sequential(data: int, point: Any) -> Any:
        return function.get((data, point), (Fraction(-1),))

    ends = (
        both.asynchronous_end(one, asynchronous, origin),
        both.sequential_end(one, sequential, origin),
    )
    return abs(ends[0][0] - ends[1][0])


def _with_slope(both: Witness, slope: Fraction) -> Fraction:
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

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "mean": lambda a, b: a + b,
    "max": max,
    "min": min,
    "prod": lambda a, b: a * b,
}


@witness("ring-trace")
def ring_trace(question: Question) -> dict[str, Any]:
    """Processes with a mailbox each; what is sent is weighed, what arrives is reduced."""
    values, size = question["vectors"], question["processes"]
    length = len(values) // size
    if size * len(values) > 20_000:
        return {}
    vectors = [list(values[i * length : (i + 1) * length]) for i in range(size)]
    lengths = _lengths(length, size, question) if question["way"] == "chunks" else [length]
    ring = Ring(vectors, lengths, OPERATIONS[question["op"]])
    first = 0 if question["first"] == "own" else -1
    ways = {"whole": ring.whole, "relay": ring.relay, "chunks": lambda: ring.in_chunks(first)}
    reduce, share = ways[question["way"]]()
    held = [[value for chunk in chunks for value in chunk] for chunks in ring.chunks]
    assert all(item == held[0] for item in held)
    divisor = size if question["op"] == "mean" else 1
    answer = {
        "length": length,
        "lengths": tuple(lengths),
        "reduced": tuple(Fraction(value) / divisor for value in held[0]),
        "reduce_steps": reduce,
        "share_steps": share,
        "steps": reduce + share,
        "sent": tuple(ring.sent),
        "sent_mean": Fraction(sum(ring.sent), size),
        "sent_most": max(ring.sent),
        "waited": ring.waited,
    }
    if "element" in question:
        names = {"size": "length", "bytes_mean": "sent_mean", "bytes_most": "sent_most"}
        names["bytes_waited"] = "waited"
        answer |= {name: answer[of] * question["element"] for name, of in names.items()}
    return answer


def _lengths(length: int, size: int, question: Question) -> list[int]:
    """The lengths of the chunks, dealt out value by value."""
    if question["uneven"] == "one_more":
        return [len(range(chunk, length, size)) for chunk in range(size)]
    full = -(-length // size)
    return [len(range(length)[chunk * full : (chunk + 1) * full]) for chunk in range(size)]


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

    def in_chunks(self, first: int) -> tuple[int, int]:
        for adds in (True, False):
            for step in range(self.size - 1):
                shift = first - step + (not adds)
                pairs = [(rank, (rank + shift) % self.size) for rank in range(self.size)]
                self.step([(r, c, list(self.chunks[r][c])) for r, c in pairs], adds)
        return self.size - 1, self.size - 1

    def whole(self) -> tuple[int, int]:
        outgoing = [list(mine[0]) for mine in self.chunks]
        for _step in range(self.size - 1):
            self.step([(rank, 0, outgoing[rank]) for rank in range(self.size)], adds=True)
            outgoing = [outgoing[rank - 1] for rank in range(self.size)]
        return self.size - 1, 0

    def relay(self) -> tuple[int, int]:
        for step in range(self.size - 1):
            self.step([(step, 0, list(self.chunks[step][0]))], adds=True)
        for step in range(self.size - 1):
            sender = (self.size - 1 + step) % self.size
            self.step([(sender, 0, list(self.chunks[sender][0]))], adds=False)
        return self.size - 1, self.size - 1


# Stragglers

SETS = 8  # unlike workers of whom every order of finishing is tried
LIKE = 60  # like workers


@witness("backup-workers")
def backup_workers(question: Question) -> dict[str, Any]:
    """Expected finishes from every order, or from the shortest of 1, 2, … times."""
    times = question.get("times")
    waits = _waits(question)
    if waits is None:
        return {}
    n = len(waits)
    k, fixed = question.get("wait_for", n), question.get("fixed", 0)
    rates = [done / (wait + fixed) for done, wait in enumerate(waits, 1)]
    values: dict[str, Any] = {
        "waits": tuple(waits),
        "first": waits[0],
        "wait": waits[k - 1],
        "last": waits[-1],
        "round_time": waits[k - 1] + fixed,
        "gradient_rate": rates[k - 1],
        "gradient_rates": tuple(rates),
    }
    if not any(isinstance(rate, float) for rate in rates):
        values["best_wait_for"] = rates.index(max(rates)) + 1
    if times is None and question["distribution"] == "exponential":
        before = [0, *waits]
        values["gaps"] = tuple(b - a for a, b in zip(before, waits, strict=False))
    if "longer_than" in question:
        late = _late(question, n, k, question["longer_than"] - fixed)
        values |= {} if late is None else {"late_chance": late}
    return values


def _waits(question: Question) -> list[Any] | None:
    """The expected time of each finish; None where that takes too long."""
    if "times" in question:
        n = question.get("workers", len(question["times"]))
    else:
        means = question["means"] if isinstance(question["means"], tuple) else (question["means"],)
        n = question.get("workers", len(means))
        if len(set(means)) > 1:
            return _by_orders(means) if n <= SETS else None
    if n > LIKE:
        return None
    if question["distribution"] == "normal" and "times" not in question:
        return _normal(n, float(means[0]), float(question["spread"]))
    shortest = [Fraction(0), *(_shortest(question, j) for j in range(1, n + 1))]
    return [
        sum(
            (-1) ** (j - n + k - 1) * comb(j - 1, n - k) * comb(n, j) * shortest[j]
            for j in range(n - k + 1, n + 1)
        )
        for k in range(1, n + 1)
    ]


def _shortest(question: Question, j: int) -> Any:
    """The expected shortest of j times."""
    if "times" in question:
        ordered = sorted(question["times"])
        n = len(ordered)
        if question["sampling"] == "with":
            above = [Fraction(n - i, n) ** j for i in range(n + 1)]
        else:
            above = [Fraction(comb(n - i, j), comb(n, j)) for i in range(n + 1)]
        return sum(t * (above[i] - above[i + 1]) for i, t in enumerate(ordered))
    stated = question["means"]
    mean = Fraction(stated[0] if isinstance(stated, tuple) else stated)
    match question["distribution"]:
        case "shifted_exponential":
            return question["shift"] + (mean - question["shift"]) / j
        case "uniform":
            return mean - question["spread"] + 2 * question["spread"] / Fraction(j + 1)
        case "pareto":
            tail = Fraction(question["tail"])
            return mean * (tail - 1) / tail * (j * tail) / (j * tail - 1)
    return mean / j


def _by_orders(means: Sequence[Any]) -> list[Fraction]:
    """The expected time of each finish, over every order in which workers may finish."""
    values = [Fraction(0)] * len(means)
    kinds: dict[tuple[Fraction, ...], int] = {}
    for order in permutations(1 / Fraction(mean) for mean in means):
        kinds[order] = kinds.get(order, 0) + 1
    for order, count in kinds.items():
        chance, passed = Fraction(count), Fraction(0)
        for done, rate in enumerate(order):
            together = sum(order[done:])
            chance *= rate / together
        for done in range(len(order)):
            passed += 1 / sum(order[done:])
            values[done] += chance * passed
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
        parts = (
            w * x * d * b ** (k - 1) * a ** (n - k)
            for w, x, d, a, b in zip(weights, points, density, above, below, strict=True)
        )
        values.append(mean + spread * k * comb(n, k) * sum(parts) / 300)
    return values


def _late(question: Question, n: int, k: int, time: Any) -> Any:
    """The chance that fewer than k of n are done by *time*."""
    if time < 0:
        return 1
    if "times" in question:
        some, done = len(question["times"]), sum(item <= time for item in question["times"])
        if question["sampling"] == "without":
            ways = (comb(done, i) * comb(some - done, n - i) for i in range(k))
            return Fraction(sum(ways), comb(some, n))
        return _fewer([(Fraction(done, some), Fraction(some - done, some))] * n, k)
    stated = question["means"]
    means = stated if isinstance(stated, tuple) else (stated,)
    means = means if len(means) == n else means * n
    return _fewer([_done(question, mean, time) for mean in means], k)


def _fewer(chances: Sequence[tuple[Any, Any]], k: int) -> Any:
    """The chance that fewer than k of these come true."""
    counts: list[Any] = [1]
    for true, false in chances:
        with_one = [0, *(item * true for item in counts)]
        without = [*(item * false for item in counts), 0]
        counts = [a + b for a, b in zip(with_one, without, strict=True)]
    return sum(counts[:k])


def _done(question: Question, mean: Any, time: Any) -> tuple[Any, Any]:
    """The chances that a worker is done by *time*, and that it is not."""
    match question["distribution"]:
        case "uniform":
            low, width = mean - question["spread"], 2 * question["spread"]
            part = min(max(Fraction(time - low) / width, Fraction(0)), Fraction(1))
            return part, 1 - part
        case "normal":
            x = float(time - mean) / float(question["spread"]) / sqrt(2)
            return erfc(-x) / 2, erfc(x) / 2
        case "pareto":
            tail = Fraction(question["tail"])
            least = mean * (tail - 1) / tail
            left = (float(least) / float(time)) ** float(tail) if time > least else 1.0
            return 1 - left, left
        case "shifted_exponential":
            rest = mean - question["shift"]
            time = time - question["shift"]
            if time < 0 or not rest:
                return (0, 1) if time < 0 else (1, 0)
            mean = rest
    return -expm1(-float(time) / float(mean)), exp(-float(time) / float(mean))
