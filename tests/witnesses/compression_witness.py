"""Compressed gradients: messages passed one by one, every rounding and every choice of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, floor, isqrt, sqrt
from typing import Any

from asking import Question, lowest, witness

Vector = Sequence[Fraction | int]

PLAYED = 40  # workers whose messages are passed one by one
ROUNDED, CHOSEN = 6, 5000  # values that are rounded in every way, choices of values that are tried


# An exchange between workers


def ring(workers: int, size: Fraction) -> Fraction:
    """What worker 0 receives in a ring all-reduce of a vector that is cut into a part for each."""
    return 2 * size - 2 * size / workers  # all parts twice, but for its own


def gather(workers: int, message: Fraction) -> Fraction:
    """What worker 0 receives if the messages of all go round a ring until everybody has them."""
    if workers > PLAYED:
        return workers * message - message
    has, passing, received = {0}, workers - 1, Fraction(0)
    while len(has) < workers:
        has.add(passing)
        passing -= 1
        received += message
    return received


def paying(question: Question, dense: Fraction, messages: Sequence[Fraction]) -> dict[str, Any]:
    """Bytes, times and break-evens of *messages* (added one after the other) instead of one."""
    sent, text = sum(messages, start=Fraction(0)), question["aggregation"]
    values: dict[str, Any] = {"dense": dense, "sent": sent, "ratio": dense / sent}
    before, after = dense, sent
    if "workers" in question and text != "server":
        before = values["reduced"] = ring(question["workers"], dense)
        if text == "gathered":
            after = values["gathered"] = gather(question["workers"], sent)
            even = 2 * dense / sent  # p messages are two gradients
            values["most_workers"] = even if even > 1 else 1
        else:
            parts = [ring(question["workers"], item) for item in messages]
            after = values["added"] = sum(parts, start=Fraction(0))
    values["saved"] = before - after
    code = question["encode"] + question["decode"]
    if "bandwidth" in question:
        link = question["bandwidth"]
        values |= {"dense_time": before / link, "sent_time": code + after / link}
        values["saved_time"] = values["dense_time"] - values["sent_time"]
    values["break_even"] = break_even(code, before, after)
    return values


def break_even(code: Fraction, before: Fraction, after: Fraction) -> Fraction | None:
    """Where the line of the time that is lost by the seconds a byte takes passes 0."""
    at_none, at_one = code, code + after - before
    if at_one >= at_none:
        return Fraction(0)  # no bytes are saved
    return None if at_none == 0 else 1 / (Fraction(at_none) / (at_none - at_one))


# Quantization


def outcomes(
    vector: Vector, scale: Fraction, levels: int
) -> Iterator[tuple[Fraction, list[Fraction]]]:
    """Every way in which the values may be rounded, with its chance."""
    for ups in product([False, True], repeat=len(vector)):
        chance, sent = Fraction(1), []
        for value, up in zip(vector, ups, strict=True):
            at = Fraction(abs(value)) * levels / scale
            above = at - floor(at)
            chance *= above if up else 1 - above
            sent.append((-1 if value < 0 else 1) * scale * (floor(at) + up) / levels)
        yield chance, sent


def mean_and_error(vector: Vector, scale: Fraction, levels: int) -> tuple[list[Fraction], Fraction]:
    """What arrives on average over all roundings, and the mean square of the error."""
    mean, error = [Fraction(0)] * len(vector), Fraction(0)
    for chance, sent in outcomes(vector, scale, levels):
        mean = [m + chance * q for m, q in zip(mean, sent, strict=True)]
        error += chance * square([q - v for q, v in zip(sent, vector, strict=True)])
    return mean, error


def rebuilt(values: Sequence[Fraction | int], scheme: str) -> list[Fraction]:
    """What arrives of *values* as signs with a mean size, or with the mean of each sign."""
    if scheme == "sign":
        size = Fraction(sum(map(abs, values))) / len(values)
        return [-size if v < 0 else size for v in values]
    up, down = [v for v in values if v >= 0], [v for v in values if v < 0]
    means = [Fraction(sum(item)) / max(len(item), 1) for item in (up, down)]
    return [means[v < 0] for v in values]


def square(values: Sequence[Fraction | int]) -> Fraction:
    """The sum of the squares."""
    return sum((Fraction(v) ** 2 for v in values), start=Fraction(0))


def size_of(question: Question) -> int:
    """How many values the gradient has, else the vector."""
    if "values" in question:
        return int(question["values"])
    return len(question["vector"]) if "vector" in question else int(question["dimension"])


def grid(question: Question) -> tuple[int, int]:
    """Levels besides zero, and the bits of a value, found by counting."""
    levelled = question["scheme"] in ("qsgd", "qsgd_max")
    apart = levelled and question["bit_count"] == "sign_apart"
    if not levelled:
        levels = 1
    elif "levels" in question:
        levels = int(question["levels"])
    else:
        levels = len(range(1, 2 ** (question["bits"] if apart else question["bits"] - 1) + apart))
    if "bits" in question:
        return levels, question["bits"] + apart
    zero = question["scheme"] not in ("sign", "one_bit")
    return levels, len(f"{2 * levels + zero - 1:b}")  # the largest of so many numbers from 0


def worst(scheme: str, size: int, levels: int) -> Fraction | float:
    """The most that the expected square of the error may be of that of a vector."""
    if scheme in ("sign", "one_bit"):
        return 1 - Fraction(1, size)
    if scheme == "qsgd":  # Lemma 3.1 of QSGD
        dense, sparse = Fraction(size, levels**2), sqrt(size) / levels
        return dense if size <= levels**2 else sparse
    if size == 1:
        return 0
    # one value is the largest, the others are t of a level: the worst t
    return lost(lowest(lambda t: -lost(t, size, levels), 0.0, 1.0), size, levels)


def lost(t: float, size: int, levels: int) -> float:
    """The expected error over the square if all values but one are t of a level."""
    return (size - 1) * t * (1 - t) / (levels**2 + (size - 1) * t * t)


@witness("quantize")
def quantize(question: Question) -> dict[str, Any]:
    """Bits are counted value by value, roundings tried one by one."""
    size, scheme = size_of(question), question["scheme"]
    bucket = min(question.get("bucket", size), size)
    scales = len(range(0, size, bucket))
    levels, width = grid(question)
    item = question["scale_bits"] * (2 if scheme == "one_bit" else 1)
    average = question.get("average", width)
    sent = question.get("measured", Fraction(size * average + scales * item, 8))
    values = paying(question, Fraction(size * question["full"], 8), [sent])
    values |= {"scales": scales, "shared": bucket}
    if question.keys() & {"average", "measured"}:
        values["apiece"] = Fraction(sent) * 8 / size
    else:
        values["width"] = width
    values["bound"] = worst(scheme, bucket, levels)
    if scheme in ("qsgd", "qsgd_max"):
        values["grid"] = levels
    return values | (worked(question, levels) if "vector" in question else {})


def worked(question: Question, levels: int) -> dict[str, Any]:
    """A stated vector: what is expected of it, and what arrives where nothing is drawn."""
    vector, scheme = question["vector"], question["scheme"]
    size = min(question.get("bucket", len(vector)), len(vector))
    buckets = [vector[i : i + size] for i in range(0, len(vector), size)]
    values: dict[str, Any] = {"square": square(vector), "vector_bound": worst(scheme, size, levels)}
    if scheme in ("sign", "one_bit"):
        sent = [value for bucket in buckets for value in rebuilt(bucket, scheme)]
        memory = [v - q for v, q in zip(vector, sent, strict=True)]
        error = square(memory)
        values |= {"quantized": tuple(sent), "memory": tuple(memory)}
        return values | {"error": error, "expected_error": error}
    if size > ROUNDED:
        return values
    errors = [expected(bucket, scheme, levels) for bucket in buckets]
    return values | {"expected_error": sum(errors)}


def expected(bucket: Vector, scheme: str, levels: int) -> Fraction | float:
    """The mean square of the error over all roundings; rounded where the length is."""
    if not any(bucket):
        return 0
    if scheme != "qsgd":
        return mean_and_error(bucket, Fraction(max(map(abs, bucket))), levels)[1]
    long = square(bucket)
    root = Fraction(isqrt(long.numerator), isqrt(long.denominator))
    if root**2 == long:
        return mean_and_error(bucket, root, levels)[1]
    near = Fraction(isqrt(long.numerator * 10**80 // long.denominator), 10**40)
    return float(mean_and_error(bucket, near, levels)[1])


# Sparsification


def errors(vector: Vector, kept: int, factor: Fraction | int = 1) -> list[Fraction]:
    """The square of the error for every set of so many values."""
    return [
        sum((Fraction(v) - factor * v * (i in chosen)) ** 2 for i, v in enumerate(vector))
        for chosen in combinations(range(len(vector)), kept)
    ]


@witness("sparsify")
def sparsify(question: Question) -> dict[str, Any]:
    """Bits are counted value by value, and every choice of values is tried."""
    size, full = size_of(question), question["full"]
    kept = question["kept"] if "kept" in question else ceil(question["share"] * size)
    alike = "workers" in question and question["aggregation"] == "added"
    places = 0 if alike else size if question["index"] == "bitmap" else kept * index(question, size)
    message = kept * full + places
    if "bits" in question:
        message += question["scale_bits"] - kept * (full - question["bits"])
    values = paying(
        question, Fraction(size * full, 8), [question.get("measured", Fraction(message, 8))]
    )
    values["message_bits"] = message
    if not alike:
        values["index_share"] = Fraction(places, message)
    if not alike and question["index"] != "bitmap":
        values["index_width"] = index(question, size)
    if "kept" not in question:
        values["chosen"] = kept
    values["bound"] = Fraction(size, kept) - 1
    if question["method"] != "unbiased":
        values["bound"] = 1 - Fraction(kept, size)
    if "gathered" in values:
        values |= most_kept(question, size)
    return values | (sparse(question, size, kept) if "vector" in question else {})


def index(question: Question, size: int) -> int:
    """The bits of an index."""
    if question["index"] == "stated":
        return int(question.get("index_bits", 32))
    return (size - 1).bit_length()


def most_kept(question: Question, size: int) -> dict[str, Any]:
    """How many values, and which part, p workers may send in the bits of two gradients."""
    if question["workers"] == 1:
        return {"most_kept": None, "density": None}
    room, item = Fraction(2 * size * question["full"], question["workers"]), question["full"]
    if "bits" in question:
        room, item = room - question["scale_bits"], question["bits"]
    if question["index"] == "bitmap":
        room -= size
    else:
        item += index(question, size)
    room = max(room, Fraction(0))
    return {"most_kept": room / item, "density": room / item / size}


def sparse(question: Question, size: int, kept: int) -> dict[str, Any]:
    """A stated vector, of which as large a part is sent."""
    vector = question["vector"]
    part = ceil(Fraction(kept, size) * len(vector))
    values: dict[str, Any] = {"kept_values": part, "square": square(vector)}
    values["vector_bound"] = Fraction(len(vector), part) - 1
    if question["method"] != "unbiased":
        values["vector_bound"] = 1 - Fraction(part, len(vector))
    if comb(len(vector), part) > CHOSEN:
        return values
    if question["method"] == "top_k":
        least = min(errors(vector, part))
        return values | {"error": least, "expected_error": least}
    factor = Fraction(len(vector), part) if question["method"] == "unbiased" else 1
    every = errors(vector, part, factor)
    mean = sum(every) / len(every)
    return values | {"expected_error": mean, "allowed": mean}


# Low rank, whole steps, and error feedback


@witness("low-rank")
def low_rank(question: Question) -> dict[str, Any]:
    """The factors are counted value by value, and reduced one after the other."""
    rows, columns, rank = (int(question[name]) for name in ("rows", "columns", "rank"))
    value = Fraction(question["full"], 8)
    left, right = ((rank * side) * value for side in (rows, columns))
    values = paying(question, rows * columns * value, [left, right])
    item = Fraction(rows * columns, rows + columns)  # a rank more is a row and a column more
    values["most_rank"] = item
    return values | ({"wanted_rank": item / question["wanted"]} if "wanted" in question else {})


def sent_of(values: Sequence[Fraction | int], method: str, kept: int) -> list[Fraction]:
    """What arrives of one step."""
    if method != "top_k":
        return rebuilt(values, method)
    order = sorted(enumerate(values), key=lambda pair: (-abs(pair[1]), pair[0]))
    chosen = {i for i, _ in order[:kept]}
    return [Fraction(v) if i in chosen else Fraction(0) for i, v in enumerate(values)]


@witness("error-feedback")
def error_feedback(question: Mapping[str, Any]) -> dict[str, Any]:
    """Step after step, what is lost goes into the next message."""
    vector, method, rounds = question["vector"], question["method"], question["rounds"]
    kept = question.get("kept", 0)
    memory = arrived = [Fraction(0)] * len(vector)
    largest = Fraction(0)
    for _ in range(rounds):
        wanted = [m + v for m, v in zip(memory, vector, strict=True)]
        sent = sent_of(wanted, method, kept)
        memory = [w - q for w, q in zip(wanted, sent, strict=True)]
        arrived = [a + q for a, q in zip(arrived, sent, strict=True)]
        largest = max(largest, square(memory))
    missing = [rounds * v - a for v, a in zip(vector, arrived, strict=True)]
    once = square([v - q for v, q in zip(vector, sent_of(vector, method, kept), strict=True)])
    delta = Fraction(kept if method == "top_k" else 1, len(vector))
    return {
        "arrived": tuple(arrived),
        "memory": tuple(missing),
        "missing": square(missing),
        "largest": largest,
        "share": delta,
        "square": square(vector),
        "bound": 4 * (1 - delta) / delta**2 * square(vector),  # Karimireddy et al., 2019
        "without": rounds**2 * once,
    }
