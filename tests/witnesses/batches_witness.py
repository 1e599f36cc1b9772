"""Batches: trainings played update by update, learners as objects, and plans tried one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from math import sqrt
from typing import Any

from asking import Question, first_that, witness

MANY = 20_000  # updates, steps or plans that are gone through


# A batch that grows


def due(question: Question) -> list[tuple[Fraction, int]]:
    """Until how many samples which batch is due."""
    batches = question["batches"]
    if "parts" in question:
        whole = sum(question["parts"])
        ends = [Fraction(part * question["samples"]) / whole for part in question["parts"]]
        return list(zip(accumulate(ends), batches, strict=True))
    first, last = batches
    sizes = range(first, last, question["increment"])
    ends = [Fraction(question["ramp_samples"] * i, len(sizes)) for i in range(1, len(sizes) + 1)]
    return [*zip(ends, sizes, strict=True), (Fraction(question["samples"]), last)]


def trained(question: Question) -> list[int]:
    """The batch that is due at each update of the training."""
    answers, consumed = [], Fraction(0)
    for end, batch in due(question):
        end = min(end, Fraction(question["samples"]))
        while consumed < end:
            answers.append(batch)
            cut = question["ending"] == "cut"
            consumed = min(consumed + batch, end) if cut else consumed + batch
    return answers


def ramp_is_short(question: Question) -> bool:
    increments = 0
    if "increment" in question:
        first, last = question["batches"]
        increments = (last - first) // question["increment"]
    least = min(*question["batches"], question.get("constant", question["batches"][0]))
    return bool(max(increments, question["samples"] // least) < MANY)


@witness("batch-ramp")
def batch_ramp(question: Question) -> dict[str, Any]:
    """One update after the other, each with the batch that is due."""
    if not ramp_is_short(question):
        return {}
    batches = question["batches"]
    constant = len(range(0, question["samples"], question.get("constant", batches[0])))
    answers: dict[str, Any] = {"constant_updates": constant}
    if question["part_of"] == "updates" and "increment" not in question:
        whole, reached, updates = sum(question["parts"]), Fraction(0), 0
        while reached < question["samples"]:  # an update is of every stage, by its part
            updates += 1
            pairs = zip(question["parts"], batches, strict=True)
            reached += sum(Fraction(part * batch) / whole for part, batch in pairs)
    else:
        made = trained(question)
        updates = len(made)
        if "increment" in question:
            answers["stage_updates"] = (sum(b < batches[-1] for b in made), made.count(batches[-1]))
        elif len({*batches}) == len(batches):
            answers["stage_updates"] = tuple(map(made.count, batches))
    return answers | {"updates": updates, "saved": Fraction(constant - updates, constant)}


# Lines through measurements


def line(xs: tuple[Any, ...], ys: tuple[Any, ...]) -> tuple[Fraction, Fraction]:
    """Slope and beginning of the line of least squares, from the slopes of all pairs of points."""
    points = zip(xs, ys, strict=True)
    pairs = [(Fraction(u - x), v - y) for (x, y), (u, v) in combinations(points, 2)]
    slope = Fraction(sum(x * y for x, y in pairs)) / sum(x * x for x, _ in pairs)
    missed = [y - slope * x for x, y in zip(xs, ys, strict=True)]
    return slope, Fraction(sum(missed)) / len(missed)


def lowest(cost: Callable[[Fraction], Any]) -> Fraction:
    """Where a parabola has its minimum, from three of its values."""
    left, middle, right = (Fraction(cost(Fraction(x))) for x in (-1, 0, 1))
    return (left - right) / (2 * (left + right - 2 * middle))


def batch_time(question: Question) -> tuple[Any, Any, dict[str, Any]]:
    """Fixed time, time of a sample, and what is told of the fit."""
    fixed: Any = question.get("overhead")
    item: Any = question.get("per_sample")
    if "batches" not in question:
        return fixed, item, {}
    xs, ys = question["batches"], question["times"]
    points, message = list(zip(xs, ys, strict=True)), {}

    def missed(a: Any, b: Any) -> Any:
        return sum((y - a - b * x) ** 2 for x, y in points)

    if fixed is None and item is None:
        item, fixed = line(xs, ys) if len(points) > 1 else (Fraction(ys[0]) / xs[0], 0)
        message = {"fitted_per_sample": item, "fitted_overhead": fixed}
    elif fixed is None:
        fixed = message["fitted_overhead"] = lowest(lambda a: missed(a, item))
    elif item is None:
        item = message["fitted_per_sample"] = lowest(lambda b: missed(fixed, b))
    return fixed, item, message | {"residuals": tuple(y - fixed - item * x for x, y in points)}


@witness("critical-batch")
def critical_batch(question: Question) -> dict[str, Any]:
    """The line of least squares by pairs, and the runs in the order of their batches."""
    batches, steps = question["batches"], question["step_counts"]
    samples = tuple(x * y for x, y in zip(batches, steps, strict=True))
    if question["fit"] == "samples":
        least_steps, least_samples = line(batches, samples)
    else:
        least_samples, least_steps = line(tuple(Fraction(1, x) for x in batches), steps)
    runs = sorted(zip(batches, range(len(steps)), steps, strict=True))
    small = runs[0]
    large = next(run for run in runs if run[0] == runs[-1][0])
    fewer, more = Fraction(small[2], large[2]), Fraction(large[0], small[0])
    answers = {
        "samples": samples,
        "least_steps": least_steps,
        "least_samples": least_samples,
        "critical": least_samples / least_steps,
        "ratio": more,
        "speed": fewer,
        "efficiency": fewer / more,
    }
    if "batch" in question:  # E = E_min + S_min·B, in whole steps
        batch: Any = question["batch"]
        posed = -(-(least_samples + least_steps * batch) // batch)
        answers |= {"predicted_samples": batch * posed, "predicted": posed}
    return answers


# The learning rate


@witness("learning-rate")
def learning_rate(question: Question) -> dict[str, Any]:
    """Rates by the rule, and a warm-up step by step."""
    old, rate = question["batch"], Fraction(question["rate"])
    new: Any = question.get("new_batch")
    if "new_workers" in question:
        new = Fraction(question["new_workers"] * old, question["workers"])
    usual = {"sgd": "linear", "adam": "square_root"}[question["optimizer"]]
    rule = usual if question["rule"] == "usual" else question["rule"]
    reached: Any = rate / old * new  # the same for each sample
    if rule == "square_root":
        reached = float(rate) * sqrt(new) / sqrt(old)
    elif rule == "saturating":  # of one largest rate
        largest = rate * (1 + Fraction(question["critical_batch"]) / old)
        reached = largest * new / (new + Fraction(question["critical_batch"]))
    answers = {"ratio": Fraction(new) / old, "new_rate": reached}
    if question.get("warmup_steps", MANY) < MANY:
        begun = rate if question["warmup"] == "old" else 0
        rise = (reached - begun) / question["warmup_steps"]
        answers["rise"] = rise
        if "step" in question:
            now: Any = begun
            for _ in range(min(question["step"], question["warmup_steps"])):
                now += rise
            answers["step_rate"] = now
    return answers


# The best batch


def first_no_dearer(cost: Callable[[int], Any], most: int | None) -> int:
    """The first of 1, 2, … after which the convex *cost* does not fall, at most *most*."""
    return first_that(lambda n: n >= (most or n + 1) or cost(n) <= cost(n + 1))


@witness("batch-size")
def batch_size(question: Question) -> dict[str, Any]:
    """The time with every batch on the way to the one after which it falls no more."""
    if "least_steps" not in question:
        return throughput(question)
    fixed, item, answers = batch_time(question)
    workers = question["workers"]

    def steps(batch: int) -> Any:
        samples = Fraction(question["least_steps"]) * (workers * batch + question["critical_batch"])
        return samples / (workers * batch)

    def step_time(batch: int) -> Any:
        return fixed + item * batch + question["communication"]

    def time(batch: int) -> Any:
        return steps(batch) * step_time(batch)

    unlimited = first_no_dearer(time, None)
    best = min(unlimited, question.get("largest_batch", unlimited))
    if "largest_batch" in question:
        answers["unlimited"] = unlimited
    if "price" in question:
        answers["cost"] = question["price"] * workers * time(best)
    if "batch" in question:
        taken = time(question["batch"])
        answers |= {"batch_steps": steps(question["batch"]), "batch_time_to_target": taken}
        answers["excess"] = taken - time(best)
    ratio = (fixed + question["communication"]) * question["critical_batch"] / item / workers
    return answers | {
        "optimum": sqrt(ratio),
        "best": best,
        "global_batch": best * workers,
        "steps": steps(best),
        "step_time": step_time(best),
        "time": time(best),
        "samples": steps(best) * best * workers,
    }


def throughput(question: Question) -> dict[str, Any]:
    """The line or the table, walked along."""
    batch, workers, besides = question["batch"], question["workers"], question["communication"]
    if question["model"] == "table":
        answers: dict[str, Any] = {}
        points = list(zip(question["batches"], question["times"], strict=True))
        (x, y), (u, v) = next(
            (pair for pair in pairwise(points) if batch <= pair[1][0]),
            (points[-1], points[-1]),
        )
        time = y if x == u else (y * (u - batch) + v * (batch - x)) / Fraction(u - x)
        time += besides
    else:
        fixed, item, answers = batch_time(question)
        fixed += besides
        time = fixed + item * batch
        answers |= {"peak": workers / Fraction(item), "half": fixed / Fraction(item)}
        answers["of_peak"] = Fraction(item) * batch / time
        part = question.get("share")
        if part is not None and (part < 1 or not fixed):
            answers["wanted"] = first_that(lambda n: item * n >= part * (fixed + item * n))
        elif part is not None:
            answers["wanted"] = None
    if "batches" in question:
        pairs = zip(question["batches"], question["times"], strict=True)
        rates = tuple(Fraction(x) / y for x, y in pairs)
        answers |= {"measured_rates": rates, "best_measured": rates.index(max(rates)) + 1}
    return answers | {"batch_time": time, "rate": workers * batch / Fraction(time)}


@witness("batch-workers")
def batch_workers(question: Question) -> dict[str, Any]:
    """Every number of workers, each with its best batch."""
    if question["most_workers"] > 60:
        return {}
    price, waiting = question.get("price", 0), question.get("waiting", 0)

    def made(workers: int) -> tuple[Any, Any, int]:
        def step(batch: int) -> Any:
            parts = question["overhead"], question["per_sample"] * batch
            return sum(parts) + question["per_worker"] * workers

        def time(batch: int) -> Any:
            every = workers * batch
            samples = Fraction(question["least_steps"]) * (every + question["critical_batch"])
            return samples / every * step(batch)

        batch = first_no_dearer(time, question.get("largest_batch"))
        return time(batch), (price * workers + waiting) * time(batch), batch

    plans = [(*made(workers), workers) for workers in range(1, question["most_workers"] + 1)]
    longest = question.get("deadline")
    soon = [plan for plan in plans if longest is None or plan[0] <= longest]
    rank = 0 if question["goal"] == "time" else 1
    if not soon:
        return {"best_workers": None}
    best = min(soon, key=lambda plan: (plan[rank], plan[-1]))
    answers = {"best_workers": best[-1], "batch": best[2], "time": best[0]}
    answers["speedup"] = Fraction(plans[0][0]) / best[0]
    return answers | ({"cost": best[1]} if price or waiting else {})


# Learners and their average


def learners(question: Question) -> dict[str, Any]:
    """So many rounds for the samples of all epochs, with each number of learners."""
    ends, busy = [], []
    pairs = zip(question["round_times"], question["epochs"], strict=True)
    for count, (seconds, epochs) in enumerate(pairs, 1):
        in_round = sum(question["batch"] for _ in range(count))
        rounds = Fraction(epochs * question["samples"]) / in_round
        ends.append(rounds * seconds)
        busy.append(in_round / Fraction(seconds))
    return {
        "throughputs": tuple(busy),
        "times": tuple(ends),
        "speedups": tuple(ends[0] / end for end in ends),
        "busiest": busy.index(max(busy)) + 1,
        "best": ends.index(min(ends)) + 1,
        "best_time": min(ends),
    }


@dataclass
class Centre:
    """The central average model, its model one step earlier, and what learners give up."""

    z: list[Any]
    earlier: list[Any]
    given_up: list[Any]

    def move(self, momentum: Any) -> None:
        parts = zip(self.z, self.earlier, self.given_up, strict=True)
        moved = [now + momentum * (now - before) + gain for now, before, gain in parts]
        self.earlier, self.z = self.z, moved


@dataclass
class Learner:
    """One learner with its model."""

    w: list[Any]

    def descend(self, gradient: tuple[Any, ...], eta: Any) -> None:
        for i, slope in enumerate(gradient):
            self.w[i] -= eta * slope

    def hand_over(self, centre: Centre, seen: list[Any], alpha: Any) -> None:
        for i, value in enumerate(seen):
            part = alpha * (value - centre.z[i])
            self.w[i] -= part
            centre.given_up[i] += part


def rows(flat: tuple[Any, ...], width: int) -> Iterator[tuple[Any, ...]]:
    return (flat[i : i + width] for i in range(0, len(flat), width))


@witness("crossbow")
def crossbow(question: Question) -> dict[str, Any]:
    """Each learner in turn, with what it sees of the average; then the average moves."""
    if "epochs" in question:
        return learners(question)
    width = len(question["average"])
    crew = [Learner(list(row)) for row in rows(question["models"], width)]
    alpha = question.get("alpha", Fraction(1, len(crew)))
    start = list(question["average"])
    centre = Centre(start, list(question.get("previous", start)), [Fraction(0)] * width)
    before = max(abs(w - z) for item in crew for w, z in zip(item.w, start, strict=True))
    for learner, gradient in zip(crew, rows(question["gradients"], width), strict=True):
        seen = list(learner.w)
        learner.descend(gradient, question["eta"])
        if question["correct"] == "after":
            seen = list(learner.w)
        learner.hand_over(centre, seen, alpha)
    pull = tuple(centre.given_up)
    centre.move(question["momentum"])
    gaps = (abs(w - z) for item in crew for w, z in zip(item.w, centre.z, strict=True))
    return {
        "learners": len(crew),
        "new_models": tuple(w for item in crew for w in item.w),
        "pull": pull,
        "new_average": tuple(centre.z),
        "old_distance": before,
        "distance": max(gaps),
    }


# Noise


@witness("noise-scale")
def noise_scale(question: Question) -> dict[str, Any]:
    """Mean squares |G|² + V/B lie on a line over 1/B: |G|² is where it begins, V its slope."""
    answers: dict[str, Any] = {}
    if "small" in question:
        inverses = Fraction(1, question["small"]), Fraction(1, question["large"])
        squares = question["small_square"], question["large_square"]
        noise, square = line(inverses, squares)
        answers = {"noise": noise, "true_square": square, "scale": noise / square}
    elif "variance" in question:
        answers["scale"] = Fraction(question["variance"]) / question["square"]
    else:
        answers["scale"] = question["noise_scale"]
    if "batch" in question:
        batch, scale = question["batch"], Fraction(answers["scale"])
        samples = batch + scale  # for each of the fewest steps
        answers |= {"steps_factor": samples / batch, "samples_factor": samples / scale}
        if "least_steps" in question:
            fewest = question["least_steps"]
            steps = -(-fewest * samples // batch)
            answers |= {"samples": batch * steps, "steps": steps}
            answers["least_samples"] = fewest * scale
    return answers
