"""Computing, speed-ups, numbers that are best, and what is in the weights, counted one by one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import count, takewhile
from math import ceil, gcd, lcm
from typing import Any

import rules_witness as rules
from asking import Answers, Question, known, rows, witness
from rules_witness import Gradient, worth
from witness_schemes import Setting, played

MOST = 3000  # of what is tried one by one
Vector = Sequence[Fraction]


# Operations


def each(q: Question) -> Fraction:
    """The operations of one token: of a forward pass two for each product that is added up, and 6
    operations for each parameter are three passes."""
    products = Fraction(q.parameters)
    if q.sequence is not None:
        wide = q.width or q.heads * q.head_size
        seen = Fraction(q.sequence, 2 if q.scores == "causal" else 1)  # by a token
        products += q.layers * (wide * seen + wide * seen)  # for scores, for sums
    return 2 * products * Fraction(q.operations) / 2


def pace(q: Question) -> Fraction | None:
    """Tokens a second of all devices, if that or the time of tokens is stated."""
    if q.rate or q.device_rate:
        return Fraction(q.rate or q.device_rate * q.devices)
    if q.step_time:
        return Fraction(q.batch) / q.step_time
    return Fraction(q.tokens) * q.devices / q.device_time if q.device_time and q.tokens else None


@witness
def training_time(q: Question, recomputed: Any = 0, overlapped: Any = 0) -> Answers:
    """All operations are worked off by devices that each manage so many a second."""
    made = 1 + Fraction(recomputed) / q.operations  # for one that counts towards the model
    again = q.recomputed is not None
    speed = q.achieved if q.utilization is None else q.peak * q.utilization
    if q.tokens is None and speed is None and q.device_time is None:  # in one second
        useful = pace(q) * each(q)
        reached = useful / (q.devices * q.peak)
        hardware = reached * made if again else ...
        return known(reached=reached, speed=useful / q.devices, hardware=hardware)
    useful, answers = q.compute, {}
    if useful is None and q.parameters and q.tokens is not None:
        useful = q.tokens * each(q)
    talks = speed is not None and q.communication is not None
    if speed is not None:
        time = useful * (made if q.counts == "hardware" else 1) / Fraction(speed) / q.devices
        if talks:  # every step waits for what is not hidden, the last one as long as all others
            waits, steps = q.communication * (1 - Fraction(overlapped)), ceil(q.tokens / q.batch)
            if steps < MOST:
                steps = next(n for n in count() if n * q.batch >= q.tokens)
            step = time * q.batch / q.tokens + waits
            answers = {"computing": time, "steps": steps, "step": step}
            time += steps * waits
    else:
        time = q.tokens / pace(q) if pace(q) else Fraction(q.device_time) / q.devices
    if q.device_time is None:
        answers["device_hours"] = time * q.devices
    if q.price is not None:
        answers["cost"] = time * q.devices * q.price
    if q.peak is not None and useful is not None:
        model = useful / time / q.devices / q.peak
        shares = {"reached": model} | ({"hardware": model * made} if again else {})
        if q.utilization is not None and not talks:  # one of them is stated
            del shares["hardware" if again and q.counts == "hardware" else "reached"]
        answers |= shares
    return answers | {"time": time}


KILOWATT_HOUR = 1000 * 3600  # joules


@witness
def energy(q: Question, usage: Any = 1, host: Any = 0) -> Answers:
    """One device's meter turns for its hours; then as many devices, and the building."""
    hours = Fraction(q.duration if q.device_time is None else q.device_time) / 3600
    hours *= q.devices if q.device_time is None else 1
    meter = hours * (Fraction(q.power) * usage + host) / 1000
    building = meter + (Fraction(q.pue) - 1) * meter
    answers = {"it_energy": meter * KILOWATT_HOUR, "energy": building * KILOWATT_HOUR}
    answers["carbon"] = building * (q.intensity * KILOWATT_HOUR)
    if q.making is not None:  # each hour of its life has as much of what making it emitted
        answers["embodied"] = hours * q.making / (Fraction(q.life) / 3600)
        answers["footprint"] = answers["carbon"] + answers["embodied"]
    bill = Fraction(0)
    if q.tariff is not None:
        answers["cost"] = bill = building * (q.tariff * KILOWATT_HOUR)
    if q.price is not None:
        answers["hire"] = hours * (q.price * 3600)
        bill += answers["hire"]
    if q.tariff is not None and q.price is not None:
        answers["bill"] = bill
    return answers | ({} if q.exchange is None else {"euros": bill / q.exchange})


def product_of_matrices(q: Question) -> Answers:
    """Tile by tile of the result: rows of one matrix and columns of the other come in for each."""
    peak, bandwidth = Fraction(q.peak), Fraction(q.bandwidth)

    def lasts(height: Fraction) -> tuple[Fraction, Fraction]:
        """Computing, and what passes, for so many rows."""
        across = ceil(q.columns / (q.tile_columns or q.columns))
        down = ceil(height / (q.tile_rows or height))
        read = across * height * q.inner + down * q.columns * q.inner
        result = height * q.columns * (2 if q.result == "added" else 1)
        made = height * q.columns * q.inner * Fraction(q.operations)
        return made / peak, (read + result) * Fraction(q.value)

    def waits(height: int) -> Fraction:
        """By how much what passes outlasts computing: linear in the rows."""
        computing, passed = lasts(Fraction(height))
        return passed / bandwidth - computing

    answers: Answers = {"ridge": peak / bandwidth}
    if q.tile_rows is None:
        falls = waits(1) - waits(2)
        answers["critical"] = 1 + waits(1) / falls if falls > 0 else None
    if q.size is not None:
        computing, passed = lasts(Fraction(q.size))
        answers["traffic"], answers["time"] = passed, max(computing, passed / bandwidth)
        answers["attained"] = computing * peak / answers["time"]
        answers["own"] = computing * peak / passed
    return answers


@witness
def roofline(q: Question, inside: int = 0) -> Answers:
    """A part computes and receives at the same time; the longer of the two lasts."""
    if q.inner is not None:
        return product_of_matrices(q)
    peak, bandwidth = Fraction(q.peak), Fraction(q.bandwidth)
    critical = 1 / bandwidth / (q.intensity / peak)
    answers = {"ridge": peak / bandwidth, "critical": critical, "whole": ceil(critical)}
    if q.size is None:
        return answers

    def lasts(parts: int) -> tuple[Fraction, Fraction]:
        """Computing, and receiving, of each of so many parts."""
        received = Fraction(parts - inside, parts)
        return q.intensity * Fraction(q.size, parts) / peak, received / bandwidth

    def enough(parts: int) -> bool:
        computing, receiving = lasts(parts)
        return computing >= receiving

    if q.parts or q.inside is None:
        parts = q.parts or 1
        computing, receiving = lasts(parts)
        longer = max(computing, receiving)
        answers |= {"own": computing * peak / receiving / bandwidth, "used": computing / longer}
        answers["attained"] = computing * peak / longer
        if q.parts:  # a larger whole computes longer
            needed = q.size * receiving / computing
            answers |= {"share": Fraction(q.size, parts), "needed": needed}
    if not enough(MOST):
        first = max(inside, 1)
        answers["most_whole"] = max([inside, *takewhile(enough, range(first, MOST))])
    return answers


# Speed-ups


@witness
def scaling(q: Question) -> Answers:
    """Each run and the base are two equations for the serial and the shared time of one."""
    grows, base = q.work == "grows", 1 if q.speedups else q.processors[0]
    if q.times and not q.speedups and not q.rates:
        runs = zip(q.processors, q.times, strict=True)
        rates = [Fraction(run if grows else 1) / time for run, time in runs]
    else:
        rates = [*map(Fraction, q.speedups or q.rates)]
    start = Fraction(1) if q.speedups else rates[0]
    fractions: list[Fraction | None] = []
    for run, rate in zip(q.processors, rates, strict=True):
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
        fractions.append(serial / (serial + shared) if serial + shared > 0 else None)
        if q.ahead and serial >= 0 and shared >= 0:
            then = serial + (shared * q.ahead if grows else shared / q.ahead)
            predicted = then / start if grows else 1 / start / then
    runs = zip(q.processors, rates, strict=True)
    gains = [rate / start * base / run for run, rate in runs]
    answers = {"efficiencies": tuple(gains), "efficiency": gains[-1]}
    answers |= {"fractions": tuple(fractions), "fraction": fractions[-1]}
    return answers | ({"predicted": predicted} if q.ahead else {})


@witness
def speedup(q: Question, one: Any = 1, communication: Any = 0) -> Answers:
    """One processor does the serial part, then all share the rest, then they talk."""
    gustafson, serial = q.law == "gustafson", q.serial
    if serial is None:  # it follows from what was measured
        runs = {"processors": (q.measured_on,), "speedups": (q.measured,)}
        serial = scaling(q.but(**runs, work="grows" if gustafson else "same"))["fraction"]
    grown = one * (q.processors if gustafson else 1)

    def talking(workers: int) -> Fraction:
        rounds = {"each": workers, "tree": (workers - 1).bit_length()}.get(q.growth, 1)
        return Fraction(communication) * rounds if workers > 1 else Fraction(0)

    def time(workers: int) -> Fraction:
        return serial * Fraction(one) + (1 - serial) * Fraction(grown) / workers + talking(workers)

    gain = (serial * Fraction(one) + (1 - serial) * grown) / time(q.processors)
    answers = {"speedup": gain, "efficiency": gain / q.processors}
    if q.one is not None:
        answers["time"] = time(q.processors)
    if communication and q.growth == "each" and q.law == "amdahl":
        lasting = [time(workers) for workers in range(1, 200)]
        if (first := lasting.index(min(lasting))) < 150:
            answers |= {"best": Fraction(first + 1), "soonest": min(lasting)}
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


@witness
def sync_interval(q: Question) -> Answers:
    """Every interval is tried: one average, and each step pays for the drift of the interval."""

    def cost(steps: int) -> Fraction:
        return Fraction(q.communication + q.weight * q.drift * steps * steps) / steps

    best = first_best(cost)
    if best is None:
        return {}
    stated = ... if q.interval is None else cost(q.interval)
    excess = stated if stated is ... else stated - cost(best)
    return known(steps=best, cost=cost(best), interval_cost=stated, excess=excess)


@witness
def split_batch(q: Question) -> Answers:
    """Every number of workers is tried: side by side, then one after the other."""

    def time(workers: int) -> Fraction:
        return Fraction(q.compute) / workers + workers * q.aggregate + q.rest

    best = first_best(time)
    if best is None:
        return {}
    stated = ... if q.compared is None else time(q.compared)
    return known(
        workers=best, time=time(best), more=time(best + 1), single=time(1),
        fewer=time(best - 1) if best > 1 else None, speedup=time(1) / time(best),
        compared_time=stated, excess=stated if stated is ... else stated - time(best),
    )  # fmt: skip


@witness
def accumulation(q: Question) -> Answers:
    """Pass after pass, until there are enough samples; exchanged after each, or at the end."""
    gathered, done, computed, sent = 0, 0, Fraction(0), Fraction(0)
    while done < q.passes if q.passes else gathered < q.target:
        gathered += sum(q.small_batch for _ in range(q.workers)) if q.workers < MOST else 0
        done, computed = done + 1, computed + q.pass_time
        sent += q.exchange if q.exchanged == "each" else 0
        if done > MOST or not gathered:
            return {}
    sent += q.exchange if q.exchanged == "last" else 0
    time = computed + sent
    answers = {"batch": gathered, "computing": computed, "sending": sent, "step_time": time}
    answers |= {"rate": gathered / time, "share": sent / time}
    return answers if q.passes else answers | {"needed": done}


# Gradients: a loss is a parabola in each weight, whose slope is exactly the difference over one
# step to either side.


def slopes(loss: Callable[[Vector], Fraction], at: Vector) -> list[Fraction]:
    def moved(k: int, by: int) -> list[Fraction]:
        return [w + by * (i == k) for i, w in enumerate(at)]

    return [(loss(moved(k, 1)) - loss(moved(k, -1))) / 2 for k in range(len(at))]


@witness
def data_parallel(q: Question) -> Answers:
    """The slope of each worker's own loss, of their average's, and of the loss of all rows."""
    width, targets = len(q.inputs) // len(q.targets), q.targets
    inputs = rows(q.inputs, width)
    start = [Fraction(w) for w in q.weights or [0] * width]
    sizes = q.shards or [len(range(worker, len(targets), q.workers)) for worker in range(q.workers)]
    owners = [worker for worker, size in enumerate(sizes) for _ in range(size)]

    def missed(weights: Vector) -> list[Fraction]:
        pairs = zip(inputs, targets, strict=True)
        return [sum((w * x for w, x in zip(weights, row, strict=True)), -y) for row, y in pairs]

    def slope(counts: Vector) -> list[Fraction]:
        """That of the loss in which each row counts so much."""
        half = Fraction(1, 1 if q.loss == "mean" else 2)

        def loss(weights: Vector) -> Fraction:
            pairs = zip(counts, missed(weights), strict=True)
            return half * sum((times * off**2 for times, off in pairs), Fraction(0))

        return slopes(loss, start)

    local = [slope([Fraction(one == worker, sizes[worker]) for one in owners])
             for worker in range(len(sizes))]  # fmt: skip
    alone = average = slope([Fraction(1, len(targets))] * len(targets))
    if q.average == "plain":
        average = slope([Fraction(1, len(sizes) * sizes[mine]) for mine in owners])
    new, single = ([w - q.eta * g for w, g in zip(start, gradient, strict=True)]
                   for gradient in (average, alone))  # fmt: skip
    return known(
        rows_per_worker=tuple(sizes), residuals=tuple(missed(start)),
        local_gradients=tuple(item for gradient in local for item in gradient),
        gradient=tuple(average), new_weights=tuple(new), single_gradient=tuple(alone),
        single_weights=tuple(single), gap=max(abs(a - b) for a, b in zip(new, single, strict=True)),
    )  # fmt: skip


# What is in the weights


class Weights:
    """Weights in which there is so much of each gradient: equal to a formula that says so, with
    w_0 = 0 and eta = -1 put in."""

    def __init__(self, model: Mapping[Gradient, Fraction], maybe: bool = False) -> None:
        self.model = {**model, **({rules.MAYBE: Fraction(1)} if maybe else {})}

    def __eq__(self, formula: object) -> bool:
        return worth(formula) == self.model

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Weights({self.model})"


orders, updates = cache(rules.ssp_reads), cache(rules.k_of_n_reads)


@witness
def update_rule(q: Question, worker: int = 1) -> Answers:
    """What every order of events leaves in the weights, and what one schedule does."""
    workers = q.workers or len(q.periods or ())
    read = (worker, q.clock)
    if workers * q.clock > 60:
        return {}
    answers = dict(_by_rule(q, workers, read))
    if q.periods is None or not answers:
        return answers
    model = answers.pop("weights", None)
    model = model.model if q.scheme in ("sync", "local_sgd") else _played(q, workers, read)
    return answers | ({} if model is None else {"actual": len(model), "weights": Weights(model)})


def _by_rule(q: Question, workers: int, read: Gradient) -> Iterator[tuple[str, Any]]:
    worker, clock = read
    if q.scheme in ("sync", "local_sgd"):
        steps = q.local_steps if q.scheme == "local_sgd" else 1
        model = rules.local_sgd(workers, steps, clock)[clock - 1][worker - 1]
        yield from _counts(frozenset(model), workers, worker)
        yield "possible", 0
        yield "weights", Weights(dict.fromkeys(model, Fraction(1)) if q.scheme == "sync" else model)
    elif q.scheme == "k_of_n":  # which of the first gradients an update waits for is open
        if workers > 3 or clock > 4 - (workers == 3):
            return
        seen = updates(workers, q.wait_for, q.late, clock)[read]
        yield "own", sum(j == worker for j, _ in frozenset.intersection(*seen))
        yield "guaranteed", min(map(len, seen))
    else:
        bound = q.staleness if q.scheme == "ssp" and q.staleness != "infinity" else None
        far = clock + (2 if bound is None else bound + 1)
        if (2 * far) ** workers > 6000:
            return
        seen = orders(workers, clock, bound, far)[read]
        certain, union = frozenset.intersection(*seen), frozenset.union(*seen)
        yield from _counts(certain, workers, worker)
        nearer = union
        if bound is None:
            nearer = frozenset.union(*orders(workers, clock, bound, far - 1)[read])
        yield "possible", len(union - certain) if union == nearer else None
        yield "weights", Weights(dict.fromkeys(certain, Fraction(1)), maybe=union != certain)


def _counts(certain: frozenset[Gradient], workers: int, worker: int) -> Iterator[tuple[str, Any]]:
    everyone = range(1, workers + 1)
    common = takewhile(lambda k: all((j, k) in certain for j in everyone), count(1))
    yield "common", len([*common])
    yield "own", sum(j == worker for j, _ in certain)
    yield "guaranteed", len(certain)


def _played(q: Question, workers: int, read: Gradient) -> Mapping[Gradient, Fraction] | None:
    """What is in at this *read* as the schedule goes, tick by tick."""
    scale = lcm(*(Fraction(period).denominator for period in q.periods))
    times = [int(period * scale) for period in q.periods]
    late, bound = q.scheme == "k_of_n", None if q.staleness == "infinity" else q.staleness
    number = {"ssp": bound, "k_of_n": q.wait_for}.get(q.scheme)
    ticks = [[time // gcd(*times)] for time in times]
    setting = Setting(q.late if late else q.scheme, number, [0] * workers, ticks, order=q.order)
    horizon = 16
    while horizon * workers < 2 * MOST:
        records = played(setting, horizon)
        for record in records:
            if record[:2] == read:
                done = [one[:2] for one in records if 0 < one[13] <= record[10]]  # type: ignore[operator]
                return dict.fromkeys(done, Fraction(1))  # type: ignore[arg-type]
        horizon *= 2
    return None
