"""Batches: trainings gone through step by step, lines by pairs of points, plans tried singly."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from math import sqrt
from typing import Any

from asking import Answers, Question, first_that, known, rows, witness

MANY = 20_000  # updates, steps or plans that are gone through


# A batch that grows


def due(q: Question) -> Iterator[tuple[Fraction, int]]:
    """Until how many samples which batch is due."""
    if q.parts:
        ends = accumulate(Fraction(part * q.samples, sum(q.parts)) for part in q.parts)
        yield from zip(ends, q.batches, strict=True)
        return
    sizes = range(*q.batches, q.increment)
    for i, size in enumerate(sizes, 1):
        yield min(Fraction(q.ramp_samples * i, len(sizes)), Fraction(q.samples)), size
    yield Fraction(q.samples), q.batches[-1]


def trained(q: Question) -> Iterator[int]:
    """The batch that is due at each update of the training."""
    consumed = Fraction(0)
    for end, batch in due(q):
        while consumed < end:
            yield batch
            consumed = min(consumed + batch, end) if q.ending == "cut" else consumed + batch


@witness
def batch_ramp(q: Question) -> Answers:
    """One update after the other, each with the batch that is due."""
    first, last, growing = q.batches[0], q.batches[-1], q.increment is not None
    constant = len(range(0, q.samples, q.constant or first))
    steps = (last - first) // q.increment if growing else 0
    if max(steps, q.samples // min(q.batches), constant) > MANY:
        return {}
    stages: Any = ...
    if q.part_of == "updates" and not growing:  # an update is of every stage, by its part
        pairs = zip(q.parts, q.batches, strict=True)
        each = Fraction(sum(part * batch for part, batch in pairs), sum(q.parts))
        updates = first_that(lambda count: count * each >= q.samples)
    else:
        made = [*trained(q)]
        updates = len(made)
        if growing:
            stages = updates - made.count(last), made.count(last)
        elif len({*q.batches}) == len(q.batches):
            stages = tuple(map(made.count, q.batches))
    saved = Fraction(constant - updates, constant)
    return known(constant_updates=constant, updates=updates, saved=saved, stage_updates=stages)


# Lines through measurements


def line(xs: Sequence[Any], ys: Sequence[Any]) -> tuple[Fraction, Fraction]:
    """Slope and beginning of the line of least squares, from the slopes of all pairs of points."""
    points = zip(xs, ys, strict=True)
    pairs = [(Fraction(u - x), v - y) for (x, y), (u, v) in combinations(points, 2)]
    slope = Fraction(sum(x * y for x, y in pairs)) / sum(x * x for x, _ in pairs)
    missed = [y - slope * x for x, y in zip(xs, ys, strict=True)]
    return slope, Fraction(sum(missed)) / len(missed)


def bottom(cost: Callable[[Fraction], Any]) -> Fraction:
    """Where a parabola has its minimum, from three of its values."""
    left, middle, right = (Fraction(cost(Fraction(x))) for x in (-1, 0, 1))
    return (left - right) / (2 * (left + right - 2 * middle))


def batch_time(q: Question) -> tuple[Any, Any, Answers]:
    """Fixed time, time of a sample, and what is told of the fit."""
    fixed, item = q.overhead, q.per_sample
    if q.batches is None:
        return fixed, item, {}
    points, told = [*zip(q.batches, q.times, strict=True)], {}

    def missed(a: Any, b: Any) -> Any:
        return sum((y - a - b * x) ** 2 for x, y in points)

    if fixed is None and item is None:
        item, fixed = Fraction(q.times[0]) / q.batches[0], 0
        if len(points) > 1:
            item, fixed = line(q.batches, q.times)
        told = {"fitted_per_sample": item, "fitted_overhead": fixed}
    elif fixed is None:
        fixed = told["fitted_overhead"] = bottom(lambda a: missed(a, item))
    elif item is None:
        item = told["fitted_per_sample"] = bottom(lambda b: missed(fixed, b))
    return fixed, item, told | {"residuals": tuple(y - fixed - item * x for x, y in points)}


@witness
def critical_batch(q: Question) -> Answers:
    """The line of least squares by pairs, and the runs in the order of their batches."""
    samples = tuple(x * y for x, y in zip(q.batches, q.step_counts, strict=True))
    if q.fit == "samples":
        steps, least = line(q.batches, samples)
    else:
        least, steps = line([Fraction(1, x) for x in q.batches], q.step_counts)
    runs = [*zip(q.batches, q.step_counts, strict=True)]  # of the same batch the first counts
    (small, slow), (large, quick) = (best(runs, key=lambda run: run[0]) for best in (min, max))
    speed, ratio = Fraction(slow, quick), Fraction(large, small)
    answers = known(
        samples=samples, least_steps=steps, least_samples=least, critical=least / steps,
        ratio=ratio, speed=speed, efficiency=speed / ratio,
    )  # fmt: skip
    if q.batch:  # E = E_min + S_min·B, in whole steps
        whole = -(-(least + steps * q.batch) // q.batch)
        answers |= {"predicted_samples": q.batch * whole, "predicted": whole}
    return answers


@witness
def learning_rate(q: Question) -> Answers:
    """Rates by the rule, and a warm-up step by step."""
    old, rate, new = q.batch, Fraction(q.rate), q.new_batch
    if q.new_workers:
        new = Fraction(q.new_workers * old, q.workers)
    rule = {"sgd": "linear", "adam": "square_root"}[q.optimizer] if q.rule == "usual" else q.rule
    reached: Any = rate / old * new  # the same for each sample
    if rule == "square_root":
        reached = float(rate) * sqrt(new) / sqrt(old)
    elif rule == "saturating":  # of one largest rate
        largest = rate * (1 + Fraction(q.critical_batch) / old)
        reached = largest * new / (new + Fraction(q.critical_batch))
    rise: Any = ...
    now: Any = ...
    if q.warmup_steps and q.warmup_steps < MANY:
        now = rate if q.warmup == "old" else 0
        rise = (reached - now) / q.warmup_steps
        for _ in range(min(q.step or 0, q.warmup_steps)):
            now += rise
    now = ... if q.step is None else now
    return known(ratio=Fraction(new) / old, new_rate=reached, rise=rise, step_rate=now)


# The best batch


def first_no_dearer(cost: Callable[[int], Any], most: int | None) -> int:
    """The first of 1, 2, … after which the convex *cost* does not fall, at most *most*."""
    return first_that(lambda n: n >= (most or n + 1) or cost(n) <= cost(n + 1))


@witness
def batch_size(q: Question) -> Answers:
    """The time with every batch on the way to the one after which it falls no more."""
    if q.least_steps is None:
        return throughput(q)
    fixed, item, answers = batch_time(q)

    def steps(batch: int) -> Any:
        every = q.workers * batch
        return Fraction(q.least_steps) * (every + q.critical_batch) / every

    def step_time(batch: int) -> Any:
        return fixed + item * batch + q.communication

    def time(batch: int) -> Any:
        return steps(batch) * step_time(batch)

    best = first_no_dearer(time, None)
    if q.largest_batch:
        answers["unlimited"] = best
        best = min(best, q.largest_batch)
    if q.price is not None:
        answers["cost"] = q.price * q.workers * time(best)
    if q.batch:
        answers |= {"batch_steps": steps(q.batch), "batch_time_to_target": time(q.batch)}
        answers["excess"] = time(q.batch) - time(best)
    every = best * q.workers
    optimum = sqrt((fixed + q.communication) * q.critical_batch / item / q.workers)
    return answers | known(
        optimum=optimum, best=best, global_batch=every, steps=steps(best),
        step_time=step_time(best), time=time(best), samples=steps(best) * every,
    )  # fmt: skip


def throughput(q: Question) -> Answers:
    """The line or the table, walked along."""
    answers: Answers = {}
    if q.model == "table":
        points = [*zip(q.batches, q.times, strict=True)]
        beside = (pair for pair in pairwise(points) if q.batch <= pair[1][0])
        (x, y), (u, v) = next(beside, (points[-1], points[-1]))
        time = y if x == u else (y * (u - q.batch) + v * (q.batch - x)) / Fraction(u - x)
        time += q.communication
    else:
        fixed, item, answers = batch_time(q)
        fixed += q.communication
        time = fixed + item * q.batch
        answers |= {"peak": q.workers / Fraction(item), "half": fixed / Fraction(item)}
        answers["of_peak"] = Fraction(item) * q.batch / time
        if q.share is not None:
            enough = first_that(lambda n: n > MANY**3 or item * n >= q.share * (fixed + item * n))
            answers["wanted"] = enough if q.share < 1 or not fixed else None
    if q.batches:
        rates = tuple(Fraction(x) / y for x, y in zip(q.batches, q.times, strict=True))
        answers |= {"measured_rates": rates, "best_measured": rates.index(max(rates)) + 1}
    return answers | {"batch_time": time, "rate": q.workers * q.batch / Fraction(time)}


@witness
def batch_workers(q: Question, price: Any = 0, waiting: Any = 0) -> Answers:
    """Every number of workers, each with its best batch."""
    if q.most_workers > 60:
        return {}

    def made(workers: int) -> tuple[Any, Any, int, int]:
        def time(batch: int) -> Any:
            every = workers * batch
            step = q.overhead + q.per_sample * batch + q.per_worker * workers
            return Fraction(q.least_steps) * (every + q.critical_batch) / every * step

        batch = first_no_dearer(time, q.largest_batch)
        return time(batch), (price * workers + waiting) * time(batch), batch, workers

    plans = [made(workers) for workers in range(1, q.most_workers + 1)]
    soon = [plan for plan in plans if q.deadline is None or plan[0] <= q.deadline]
    if not soon:
        return {"best_workers": None}
    goal = ["time", "cost"].index(q.goal)
    time, cost, batch, workers = min(soon, key=lambda plan: (plan[goal], plan[-1]))
    speedup = Fraction(plans[0][0]) / time
    cost = cost if price or waiting else ...
    return known(best_workers=workers, batch=batch, time=time, speedup=speedup, cost=cost)


# Learners and their average


def learners(q: Question) -> Answers:
    """So many rounds for the samples of all epochs, with each number of learners."""
    rounds = [Fraction(n * q.samples, q.batch * k) for k, n in enumerate(q.epochs, 1)]
    busy = tuple(q.batch * k / Fraction(one) for k, one in enumerate(q.round_times, 1))
    times = tuple(n * one for n, one in zip(rounds, q.round_times, strict=True))
    speedups = tuple(times[0] / one for one in times)
    busiest, best = busy.index(max(busy)) + 1, times.index(min(times)) + 1
    return known(throughputs=busy, times=times, speedups=speedups, busiest=busiest, best=best,
                 best_time=min(times))  # fmt: skip


@witness
def crossbow(q: Question) -> Answers:
    """Each learner in turn descends, and gives up a part of what it sees of its way from the
    average; then the average moves, by its momentum too."""
    if q.epochs:
        return learners(q)
    start, width = q.average, len(q.average)
    crew, slopes = rows(q.models, width), rows(q.gradients, width)
    alpha = q.alpha if q.alpha is not None else Fraction(1, len(crew))
    pull, models = [Fraction(0)] * width, []
    for before, gradient in zip(crew, slopes, strict=True):
        after = [w - q.eta * g for w, g in zip(before, gradient, strict=True)]
        seen = after if q.correct == "after" else before
        parts = [alpha * (w - z) for w, z in zip(seen, start, strict=True)]
        pull = [sum(pair) for pair in zip(pull, parts, strict=True)]
        models.append([w - part for w, part in zip(after, parts, strict=True)])
    moved = zip(start, q.previous or start, pull, strict=True)
    average = [now + q.momentum * (now - earlier) + gain for now, earlier, gain in moved]

    def farthest(models: Sequence[Sequence[Any]], z: Sequence[Any]) -> Any:
        return max(abs(w - at) for model in models for w, at in zip(model, z, strict=True))

    new_models = tuple(w for model in models for w in model)
    return known(
        learners=len(crew), new_models=new_models, pull=tuple(pull), new_average=tuple(average),
        old_distance=farthest(crew, start), distance=farthest(models, average),
    )  # fmt: skip


@witness
def noise_scale(q: Question) -> Answers:
    """Mean squares |G|² + V/B lie on a line over 1/B: |G|² is where it begins, V its slope."""
    answers: Answers = {}
    scale = q.noise_scale
    if q.small:
        sizes = Fraction(1, q.small), Fraction(1, q.large)
        noise, square = line(sizes, (q.small_square, q.large_square))
        answers, scale = {"noise": noise, "true_square": square}, noise / square
    elif q.variance is not None:
        scale = Fraction(q.variance) / q.square
    if q.batch:
        samples = q.batch + Fraction(scale)  # for each of the fewest steps
        answers |= {"steps_factor": samples / q.batch, "samples_factor": samples / scale}
        if q.least_steps is not None:
            steps = -(-q.least_steps * samples // q.batch)
            answers |= {"samples": q.batch * steps, "steps": steps}
            answers["least_samples"] = q.least_steps * scale
    return answers | {"scale": scale}
