"""Computing, speed-ups, steps and what is in the weights, counted one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import count, takewhile
from math import gcd, lcm
from typing import Any

from asking import Question, witness
from rules_witness import MAYBE, Gradient, k_of_n_reads, local_sgd, ssp_reads, worth
from witness_schemes import Setting, World

MOST = 3000  # of what is tried one by one

# Operations


def forward(question: Question) -> Fraction:
    """The operations of one token's forward pass, two for each product that is added up."""
    products = Fraction(question["parameters"])
    if "sequence" in question:
        wide = question.get("width") or question["heads"] * question["head_size"]
        seen = Fraction(question["sequence"])  # the tokens that a token attends to
        if question["scores"] == "causal":
            seen /= 2
        for_scores = for_sums = wide * seen
        products += question["layers"] * (for_scores + for_sums)
    return 2 * products


def passes(operations: Fraction) -> Fraction:
    """How many forward passes as many operations a parameter are: 6 are three of them."""
    return Fraction(operations) / 2


def pace(question: Question) -> Fraction | None:
    """Tokens a second of all devices, if that or the time of tokens is stated."""
    devices = question["devices"]
    if "rate" in question:
        return Fraction(question["rate"])
    if "device_rate" in question:
        return Fraction(question["device_rate"]) * devices
    if "step_time" in question:
        return Fraction(question["batch"]) / question["step_time"]
    if "device_time" in question and "tokens" in question:
        return Fraction(question["tokens"]) * devices / question["device_time"]
    return None


@witness("training-time")
def training_time(question: Question) -> dict[str, Any]:
    """All operations are worked off by devices that each manage so many a second."""
    devices, tokens = question["devices"], question.get("tokens")
    useful = question.get("compute")
    if useful is None and "parameters" in question and tokens is not None:
        useful = tokens * passes(question["operations"]) * forward(question)
    # of one operation that counts towards the model, so many are made
    made = 1 + Fraction(question.get("recomputed", 0)) / question["operations"]
    counted = made if question["counts"] == "hardware" else Fraction(1)
    speed = question.get("achieved")
    if "utilization" in question:
        speed = question["peak"] * question["utilization"]
    if tokens is None and speed is None and "device_time" not in question:
        return _in_a_second(question, made)
    talks = speed is not None and "communication" in question
    answers: dict[str, Any] = {}
    if speed is not None:
        time = useful * counted / speed / devices
        if talks:  # every step waits for what is not hidden, the last one as long as all others
            waits = question["communication"] * (1 - Fraction(question.get("overlapped", 0)))
            steps = _steps(tokens, question["batch"])
            part_of_all = Fraction(question["batch"]) / tokens
            answers |= {"computing": time, "steps": steps, "step": time * part_of_all + waits}
            time += steps * waits
    elif pace(question):
        time = tokens / pace(question)
    else:
        time = Fraction(question["device_time"]) / devices
    answers["time"] = time
    if "device_time" not in question:
        answers["device_hours"] = time * devices
    if "price" in question:
        answers["cost"] = time * devices * question["price"]
    if "peak" in question and useful is not None:
        model = useful / time / devices / question["peak"]
        if "recomputed" in question:
            stated = {"model": "reached", "hardware": "hardware"}[question["counts"]]
            shares = {"reached": model, "hardware": model * made}
            answers |= {
                n: s
                for n, s in shares.items()
                if talks or "utilization" not in question or n != stated
            }
        elif talks or "utilization" not in question:
            answers["reached"] = model
    return answers


def _steps(tokens: Any, batch: Any) -> int:
    """The steps until no token is left, which are made one by one if they are few."""
    if tokens > MOST * batch:
        return int(-(-tokens // batch))
    steps, left = 0, tokens
    while left > 0:
        steps, left = steps + 1, left - batch
    return steps


def _in_a_second(question: Question, made: Fraction) -> dict[str, Any]:
    """In one second, what the devices made of what they could have made."""
    tokens, devices = pace(question), question["devices"]
    assert tokens is not None
    useful = tokens * passes(question["operations"]) * forward(question)
    reached = useful / (devices * question["peak"])
    answers = {"reached": reached, "speed": useful / devices}
    return answers | ({"hardware": reached * made} if "recomputed" in question else {})


KILOWATT_HOUR = 1000 * 3600  # joules


@witness("energy")
def energy(question: Question) -> dict[str, Any]:
    """One device's meter turns for its hours; then as many devices, and the building."""
    if "device_time" in question:
        hours, devices = Fraction(question["device_time"]) / 3600, 1
    else:
        hours, devices = Fraction(question["duration"]) / 3600, question["devices"]
    drawn = Fraction(question["power"]) * question.get("usage", 1) + question.get("host", 0)
    meter = devices * drawn / 1000 * hours
    building = meter + (Fraction(question["pue"]) - 1) * meter
    emitted = building * (question["intensity"] * KILOWATT_HOUR)
    answers = {"it_energy": meter * KILOWATT_HOUR, "energy": building * KILOWATT_HOUR}
    answers["carbon"] = emitted
    if "making" in question:  # each hour of its life has as much of what making it emitted
        hourly = question["making"] / (Fraction(question["life"]) / 3600)
        answers |= {"embodied": hours * devices * hourly}
        answers["footprint"] = emitted + answers["embodied"]
    bill = Fraction(0)
    if "tariff" in question:
        answers["cost"] = bill = building * (question["tariff"] * KILOWATT_HOUR)
    if "price" in question:
        answers["hire"] = hours * devices * (question["price"] * 3600)
        bill += answers["hire"]
    if "tariff" in question and "price" in question:
        answers["bill"] = bill
    return answers | ({"euros": bill / question["exchange"]} if "exchange" in question else {})


def tiles(length: Fraction, tile: Fraction) -> int:
    """The tiles that cover a *length*, laid one after the other."""
    return int(-(-length // tile))


def product_of_matrices(question: Question) -> dict[str, Any]:
    """Tile by tile of the result: rows of one matrix and columns of the other come in for each."""
    peak, bandwidth = Fraction(question["peak"]), Fraction(question["bandwidth"])
    inner, columns = question["inner"], question["columns"]

    def lasts(rows: Fraction) -> tuple[Fraction, Fraction]:
        """Computing, and what passes."""
        across = tiles(columns, question.get("tile_columns", columns))
        down = tiles(rows, question.get("tile_rows", rows))
        read = across * rows * inner + down * columns * inner
        again = rows * columns if question["result"] == "added" else 0
        passed = (read + again + rows * columns) * Fraction(question["value"])
        return rows * columns * inner * Fraction(question["operations"]) / peak, passed

    answers: dict[str, Any] = {"ridge": peak / bandwidth}
    if "tile_rows" not in question:

        def waits(rows: Fraction) -> Fraction:
            """By how much what passes outlasts computing: linear in the rows."""
            computing, passed = lasts(rows)
            return passed / bandwidth - computing

        first, falls = waits(Fraction(1)), waits(Fraction(1)) - waits(Fraction(2))
        answers["critical"] = 1 + first / falls if falls > 0 else None
    if "size" in question:
        computing, passed = lasts(Fraction(question["size"]))
        answers["traffic"], answers["time"] = passed, max(computing, passed / bandwidth)
        answers["attained"] = computing * peak / answers["time"]
        answers["own"] = computing * peak / passed
    return answers


@witness("roofline")
def roofline(question: Question) -> dict[str, Any]:
    """A part computes and receives at the same time; the longer of the two lasts."""
    if "inner" in question:
        return product_of_matrices(question)
    peak, bandwidth = Fraction(question["peak"]), Fraction(question["bandwidth"])
    mine = question.get("inside", 0)

    def lasts(size: Fraction, outside: Fraction = Fraction(1)) -> tuple[Fraction, Fraction]:
        """Computing, and receiving, for each byte that is exchanged of which so much passes."""
        return question["intensity"] * size / peak, outside / bandwidth

    one, byte = lasts(Fraction(1))
    answers: dict[str, Any] = {"ridge": peak / bandwidth, "critical": byte / one}
    answers["whole"] = -(-answers["critical"] // 1)
    if "size" not in question:
        return answers
    size = Fraction(question["size"])

    def enough(parts: int) -> bool:
        computing, receiving = lasts(size / parts, Fraction(parts - mine, parts))
        return computing >= receiving

    if "parts" in question or "inside" not in question:
        parts = question.get("parts", 1)
        outside = Fraction(parts - mine, parts)
        computing, receiving = lasts(size / parts, outside)
        made = question["intensity"] * size / parts
        answers |= {"own": made / outside, "attained": made / max(computing, receiving)}
        answers["used"] = computing / max(computing, receiving)
    if "parts" in question:
        needed = size * receiving / computing  # a larger whole computes longer
        answers |= {"share": size / parts, "needed": needed}
    tried = range(max(mine, 1), MOST)
    if not enough(MOST):
        answers["most_whole"] = max([mine, *takewhile(enough, tried)]) if enough(tried[0]) else mine
    return answers


# Speed-ups


def series(question: Question) -> tuple[list[Fraction], int]:
    """The rate of each run at the work of one processor, and the processors of the base."""
    if "speedups" in question:
        return [Fraction(item) for item in question["speedups"]], 1
    first = question["processors"][0]
    if "rates" in question:
        return [Fraction(item) for item in question["rates"]], first
    grows = question["work"] == "grows"
    runs = zip(question["processors"], question["times"], strict=True)
    return [Fraction(run if grows else 1) / time for run, time in runs], first


@witness("scaling")
def scaling(question: Question) -> dict[str, Any]:
    """Each run and the base are two equations for the serial and the shared time of one."""
    rates, base = series(question)
    start = Fraction(1) if "speedups" in question else rates[0]
    grows, ahead = question["work"] == "grows", question.get("ahead")
    fractions: list[Fraction | None] = []
    predicted = None
    for run, rate in zip(question["processors"], rates, strict=True):
        predicted = None
        if run == base:
            fractions.append(None)
            continue
        if grows:  # rate = serial + shared·run
            shared = (rate - start) / (run - base)
            serial = start - shared * base
        else:  # 1/rate = serial + shared/run
            shared = (1 / rate - 1 / start) / (Fraction(1, run) - Fraction(1, base))
            serial = 1 / start - shared / base
        alone = serial + shared
        fractions.append(serial / alone if alone > 0 else None)
        if ahead and serial >= 0 and shared >= 0:
            then = serial + (shared * ahead if grows else shared / ahead)
            predicted = then / start if grows else 1 / start / then
    gains = [
        rate / start * base / run for run, rate in zip(question["processors"], rates, strict=True)
    ]
    answers = {"efficiencies": tuple(gains), "efficiency": gains[-1]}
    answers |= {"fractions": tuple(fractions), "fraction": fractions[-1]}
    return answers | ({"predicted": predicted} if ahead else {})


def talking(question: Question, processors: int) -> Fraction:
    """What *processors* talk, all in all."""
    one = Fraction(question.get("communication", 0))
    if processors == 1:
        return Fraction(0)
    if question["growth"] == "each":
        return (
            sum((one for _ in range(processors)), Fraction(0))
            if processors < MOST
            else one * processors
        )
    if question["growth"] == "tree":
        return one * sum(1 for _ in takewhile(lambda level: 2**level < processors, count()))
    return one


def fraction_of(question: Question) -> Fraction:
    """The serial part: as stated, or as two equations for what was measured tell it."""
    if "serial" in question:
        return Fraction(question["serial"])
    runs = {"processors": (question["measured_on"],), "speedups": (question["measured"],)}
    work = "grows" if question["law"] == "gustafson" else "same"
    return scaling(runs | {"work": work})["fraction"]  # type: ignore[no-any-return]


@witness("speedup")
def speedup(question: Question) -> dict[str, Any]:
    """One processor does the serial part, then all share the rest, then they talk."""
    processors, serial = question["processors"], fraction_of(question)
    one = Fraction(question.get("one", 1))
    grown = processors if question["law"] == "gustafson" else 1

    def time(workers: int) -> Fraction:
        shared = (1 - serial) * one * grown
        return serial * one + shared / workers + talking(question, workers)

    alone = serial * one + (1 - serial) * one * grown
    answers = {"speedup": alone / time(processors)}
    answers["efficiency"] = answers["speedup"] / processors
    if "one" in question:
        answers["time"] = time(processors)
    best = "communication" in question and question["growth"] == "each" and grown == 1
    if best and question["law"] == "amdahl" and question["communication"]:
        lasting = [time(workers) for workers in range(1, 200)]
        soonest = min(lasting)
        if lasting.index(soonest) < 150:
            answers |= {"best": Fraction(lasting.index(soonest) + 1), "soonest": soonest}
    return answers


# Numbers that are best


def first_best(cost: Callable[[int], Fraction]) -> int | None:
    """The smallest of the best whole numbers for a *cost* that falls and then rises."""
    best = 1
    for tried in range(2, MOST):
        if cost(tried) < cost(best):
            best = tried
        elif tried > 2 * best + 2:
            return best
    return None


@witness("sync-interval")
def sync_interval(question: Question) -> dict[str, Any]:
    """Every interval is tried: one average, and each step pays for the drift of the interval."""

    def cost(steps: int) -> Fraction:
        drifted = question["weight"] * question["drift"] * steps * steps
        return Fraction(question["communication"] + drifted) / steps

    best = first_best(cost)
    if best is None:
        return {}
    answers: dict[str, Any] = {"steps": best, "cost": cost(best)}
    if "interval" in question:
        stated = cost(question["interval"])
        answers |= {"interval_cost": stated, "excess": stated - cost(best)}
    return answers


@witness("split-batch")
def split_batch(question: Question) -> dict[str, Any]:
    """Every number of workers is tried: side by side, then one after the other."""

    def time(workers: int) -> Fraction:
        ready = Fraction(question["compute"]) / workers
        return ready + workers * question["aggregate"] + question["rest"]

    best = first_best(time)
    if best is None:
        return {}
    answers: dict[str, Any] = {"workers": best, "time": time(best), "more": time(best + 1)}
    answers |= {"fewer": time(best - 1) if best > 1 else None, "single": time(1)}
    answers["speedup"] = time(1) / time(best)
    if "compared" in question:
        stated = time(question["compared"])
        answers |= {"compared_time": stated, "excess": stated - time(best)}
    return answers


@witness("accumulation")
def accumulation(question: Question) -> dict[str, Any]:
    """Pass after pass, until there are enough samples; exchanged after each, or at the end."""
    wanted, passes = question.get("target"), question.get("passes")
    gathered, done, computed, sent = 0, 0, Fraction(0), Fraction(0)
    while done < passes if passes else gathered < wanted:
        for _ in range(question["workers"]) if question["workers"] < MOST else ():
            gathered += question["small_batch"]
        done, computed = done + 1, computed + question["pass_time"]
        if question["exchanged"] == "each":
            sent += question["exchange"]
        if done > MOST or not gathered:
            return {}
    sent += question["exchange"] if question["exchanged"] == "last" else 0
    answers = {"batch": gathered, "computing": computed, "sending": sent}
    answers |= {
        "step_time": computed + sent,
        "rate": gathered / (computed + sent),
        "share": sent / (computed + sent),
    }
    return answers if passes else answers | {"needed": done}


# Gradients: a loss is a parabola in each weight, whose slope is exactly the difference over one
# step to either side.

Row = tuple[Sequence[Fraction], Fraction]


def loss(rows: Sequence[Row], counts: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    """Each row's squared error, so many times."""
    answers = Fraction(0)
    for (inputs, target), times in zip(rows, counts, strict=True):
        predicted = Fraction(0)
        for weight, value in zip(weights, inputs, strict=True):
            predicted += weight * value
        answers += times * (predicted - target) ** 2
    return answers


def slopes(
    function: Callable[[Sequence[Fraction]], Fraction], weights: Sequence[Fraction]
) -> list[Fraction]:
    answers = []
    for k in range(len(weights)):
        above, below = list(weights), list(weights)
        above[k] += 1
        below[k] -= 1
        answers.append((function(above) - function(below)) / 2)
    return answers


@witness("data-parallel")
def data_parallel(question: Question) -> dict[str, Any]:
    """The slope of each worker's own loss, of their average's, and of the loss of all rows."""
    queue, targets = [Fraction(item) for item in question["inputs"]], question["targets"]
    width = len(queue) // len(targets)
    rows = [([queue.pop(0) for _ in range(width)], Fraction(target)) for target in targets]
    start = [Fraction(item) for item in question.get("weights", [0] * width)]
    half = Fraction(1) if question["loss"] == "mean" else Fraction(1, 2)
    sizes = question.get("shards")
    if sizes is None:
        sizes = [0] * question["workers"]
        for row in range(len(rows)):
            sizes[row % len(sizes)] += 1
    owners = [worker for worker, size in enumerate(sizes) for _ in range(size)]

    def slope(counts: Sequence[Fraction]) -> list[Fraction]:
        return slopes(lambda weights: half * loss(rows, counts, weights), start)

    local = [
        slope([Fraction(mine == worker, size) for mine in owners])
        for worker, size in enumerate(sizes)
    ]
    alone = slope([Fraction(1, len(rows))] * len(rows))
    plain = slope([Fraction(1, len(sizes) * sizes[mine]) for mine in owners])
    average = plain if question["average"] == "plain" else alone
    new = [w - question["eta"] * g for w, g in zip(start, average, strict=True)]
    single = [w - question["eta"] * g for w, g in zip(start, alone, strict=True)]
    gaps = [abs(a - b) for a, b in zip(new, single, strict=True)]
    return {
        "rows_per_worker": tuple(sizes),
        "residuals": tuple(
            sum((w * x for w, x in zip(start, inputs, strict=True)), -target)
            for inputs, target in rows
        ),
        "local_gradients": tuple(item for gradient in local for item in gradient),
        "gradient": tuple(average),
        "new_weights": tuple(new),
        "single_gradient": tuple(alone),
        "single_weights": tuple(single),
        "gap": max(gaps),
    }


# What is in the weights

Model = Mapping[Gradient, Fraction]


class Weights:
    """Weights in which there is so much of each gradient: equal to a formula that says so.

    The formula has w_0 = 0 and eta = -1 put in.
    """

    def __init__(self, model: Model, maybe: bool = False) -> None:
        self.model = {**model, MAYBE: Fraction(1)} if maybe else dict(model)

    def __eq__(self, formula: object) -> bool:
        return worth(formula) == self.model

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Weights({self.model})"


orders, updates = cache(ssp_reads), cache(k_of_n_reads)


@witness("update-rule")
def update_rule(question: Question) -> dict[str, Any]:
    """What every order of events leaves in the weights, and what one schedule does."""
    periods = question.get("periods")
    workers = question.get("workers") or len(periods or ())
    read = (question.get("worker", 1), question["clock"])
    if workers * read[1] > 60:
        return {}
    answers = dict(_by_rule(question, workers, read))
    if periods is None or not answers:
        return answers
    answers.pop("weights", None)
    if (played := _played(question, workers, read)) is not None:
        answers |= {"actual": len(played), "weights": Weights(played)}
    return answers


def _by_rule(question: Question, workers: int, read: Gradient) -> Iterator[tuple[str, Any]]:
    worker, clock = read
    scheme = question["scheme"]
    if scheme in ("sync", "local_sgd"):
        steps = question["local_steps"] if scheme == "local_sgd" else 1
        model = local_sgd(workers, steps, clock)[clock - 1][worker - 1]
        much = {gradient: Fraction(1) for gradient in model} if scheme == "sync" else model
        yield from _counts(frozenset(model), workers, worker)
        yield "possible", 0
        yield "weights", Weights(much)
        return
    if scheme == "k_of_n":
        yield from _of_first(question, workers, read)
        return
    bound = question["staleness"] if scheme == "ssp" else None
    bound = None if bound == "infinity" else bound
    far = clock + (2 if bound is None else bound + 1)
    if (2 * far) ** workers > 6000:
        return
    seen = orders(workers, clock, bound, far)[read]
    certain, union = frozenset.intersection(*seen), frozenset.union(*seen)
    yield from _counts(certain, workers, worker)
    endless = bound is None and union != frozenset.union(
        *orders(workers, clock, bound, far - 1)[read]
    )
    yield "possible", None if endless else len(union - certain)
    yield "weights", Weights(dict.fromkeys(certain, Fraction(1)), maybe=union != certain)


def _counts(certain: frozenset[Gradient], workers: int, worker: int) -> Iterator[tuple[str, Any]]:
    whole = takewhile(lambda k: all((j, k) in certain for j in range(1, workers + 1)), count(1))
    yield "common", len(list(whole))
    yield "own", sum(j == worker for j, _ in certain)
    yield "guaranteed", len(certain)


def _of_first(question: Question, workers: int, read: Gradient) -> Iterator[tuple[str, Any]]:
    """How many are in, where an update waits for the first gradients; which ones is open."""
    clock = read[1]
    if workers > 3 or clock > 4 - (workers == 3):
        return
    seen = updates(workers, question["wait_for"], question["late"], clock)[read]
    certain = frozenset.intersection(*seen)
    yield "own", sum(j == read[0] for j, _ in certain)
    yield "guaranteed", min(map(len, seen))


def _played(question: Question, workers: int, read: Gradient) -> Model | None:
    """What is in at this *read* as the schedule goes, tick by tick."""
    periods = [Fraction(item) for item in question["periods"]]
    scheme = question["scheme"]
    if scheme in ("sync", "local_sgd"):
        return dict(_by_rule(question, workers, read))["weights"].model  # type: ignore[no-any-return]
    number = {"ssp": question.get("staleness"), "k_of_n": question.get("wait_for")}.get(scheme)
    scale = lcm(*(item.denominator for item in periods))
    times = [int(item * scale) for item in periods]
    world = World(
        Setting(
            question["late"] if scheme == "k_of_n" else scheme,
            None if number == "infinity" else number,
            [0] * workers,
            [[time // gcd(*times)] for time in times],
            order=question["order"],
        )
    )
    horizon = 16
    while horizon * workers < 2 * MOST:
        records = world.play(horizon)
        for record in records:
            if record[:2] == read:
                seen = record[10]
                done = [one[:2] for one in records if 0 < one[13] <= seen]  # type: ignore[operator]
                return dict.fromkeys(done, Fraction(1))  # type: ignore[arg-type]
        horizon *= 2
    return None
