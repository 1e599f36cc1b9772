"""Compressed gradients: messages passed one by one, every rounding and every choice of values."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, floor, isqrt, prod, sqrt

from asking import Answers, Question, known, lowest, rows, witness

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
    return sum((message for _ in range(1, workers)), Fraction(0))


def paying(q: Question, dense: Fraction, messages: Sequence[Fraction]) -> Answers:
    """Bytes, times and break-evens of *messages* (added one after the other) instead of one."""
    sent = sum(messages, start=Fraction(0))
    values: Answers = {"dense": dense, "sent": sent, "ratio": dense / sent}
    before, after = dense, sent
    if q.workers and q.aggregation != "server":
        before = values["reduced"] = ring(q.workers, dense)
        if q.aggregation == "gathered":
            after = values["gathered"] = gather(q.workers, sent)
            values["most_workers"] = max(2 * dense / sent, 1)  # p messages are two gradients
        else:
            parts = (ring(q.workers, item) for item in messages)
            after = values["added"] = sum(parts, start=Fraction(0))
    code, saved = q.encode + q.decode, before - after
    if q.bandwidth is not None:
        values |= {"dense_time": before / q.bandwidth, "sent_time": code + after / q.bandwidth}
        values["saved_time"] = values["dense_time"] - values["sent_time"]
    # where the line of the time that is lost by the seconds a byte takes passes 0
    even = Fraction(0) if saved <= 0 else None if code == 0 else saved / Fraction(code)
    return values | {"saved": saved, "break_even": even}


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


def size_of(q: Question) -> int:
    """How many values the gradient has, else the vector."""
    return int(q.values or (len(q.vector) if q.vector else q.dimension))


def grid(q: Question) -> tuple[int, int]:
    """Levels besides zero, and the bits of a value, found by counting."""
    apart = q.scheme in ("qsgd", "qsgd_max") and q.bit_count == "sign_apart"
    levels = 1
    if q.scheme in ("qsgd", "qsgd_max"):
        levels = q.levels or len(range(1, 2 ** (q.bits if apart else q.bits - 1) + apart))
    if q.bits:
        return levels, q.bits + apart
    zero = q.scheme not in ("sign", "one_bit")
    return levels, len(f"{2 * levels + zero - 1:b}")  # the largest of so many numbers from 0


def worst(scheme: str, size: int, levels: int) -> Fraction | float:
    """The most that the expected square of the error may be of that of a vector."""
    if scheme in ("sign", "one_bit"):
        return 1 - Fraction(1, size)
    if scheme == "qsgd":  # Lemma 3.1 of QSGD
        return Fraction(size, levels**2) if size <= levels**2 else sqrt(size) / levels
    if size == 1:
        return 0

    def lost(t: float) -> float:
        """If one value is the largest and all others are t of a level."""
        return (size - 1) * t * (1 - t) / (levels**2 + (size - 1) * t * t)

    return lost(lowest(lambda t: -lost(t), 0.0, 1.0))


@witness
def quantize(q: Question) -> Answers:
    """Bits are counted value by value, roundings tried one by one."""
    size, scheme = size_of(q), q.scheme
    bucket = min(q.bucket or size, size)
    scales = len(range(0, size, bucket))
    levels, width = grid(q)
    average = width if q.average is None else q.average
    bits = size * average + scales * q.scale_bits * (2 if scheme == "one_bit" else 1)
    sent = Fraction(bits, 8) if q.measured is None else q.measured
    values = paying(q, Fraction(size * q.full, 8), [sent])
    values |= {"scales": scales, "shared": bucket, "bound": worst(scheme, bucket, levels)}
    told = q.average is not None or q.measured is not None
    values |= {"apiece": Fraction(sent) * 8 / size} if told else {"width": width}
    values |= {"grid": levels} if scheme in ("qsgd", "qsgd_max") else {}
    return values | (worked(q, levels) if q.vector else {})


def worked(q: Question, levels: int) -> Answers:
    """A stated vector: what is expected of it, and what arrives where nothing is drawn."""
    size = min(q.bucket or len(q.vector), len(q.vector))
    buckets = rows(q.vector, size)
    values: Answers = {"square": square(q.vector), "vector_bound": worst(q.scheme, size, levels)}
    if q.scheme in ("sign", "one_bit"):
        sent = [value for bucket in buckets for value in rebuilt(bucket, q.scheme)]
        memory = [v - arrived for v, arrived in zip(q.vector, sent, strict=True)]
        values |= {"quantized": tuple(sent), "memory": tuple(memory)}
        return values | dict.fromkeys(("error", "expected_error"), square(memory))
    if size > ROUNDED:
        return values
    return values | {"expected_error": sum(expected(one, q.scheme, levels) for one in buckets)}


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
    every = combinations(range(len(vector)), kept)
    left = ([v - factor * v * (i in some) for i, v in enumerate(vector)] for some in every)
    return [*map(square, left)]


@witness
def sparsify(q: Question) -> Answers:
    """Bits are counted value by value, and every choice of values is tried."""
    size, unbiased = size_of(q), q.method == "unbiased"
    kept = ceil(q.share * size) if q.kept is None else q.kept
    alike = q.workers is not None and q.aggregation == "added"
    places = size if q.index == "bitmap" else kept * index(q, size)
    places = 0 if alike else places
    message = kept * q.full + places
    if q.bits is not None:
        message += q.scale_bits - kept * (q.full - q.bits)
    sent = Fraction(message, 8) if q.measured is None else q.measured
    values = paying(q, Fraction(size * q.full, 8), [sent])
    values |= known(
        message_bits=message, index_share=... if alike else Fraction(places, message),
        index_width=... if alike or q.index == "bitmap" else index(q, size),
        chosen=kept if q.kept is None else ..., bound=sparse_bound(size, kept, unbiased),
    )  # fmt: skip
    if "gathered" in values:
        values |= most_kept(q, size)
    return values | (sparse(q, Fraction(kept, size)) if q.vector else {})


def sparse_bound(size: int, kept: int, unbiased: bool) -> Fraction:
    return Fraction(size, kept) - 1 if unbiased else 1 - Fraction(kept, size)


def index(q: Question, size: int) -> int:
    """The bits of an index."""
    return (q.index_bits or 32) if q.index == "stated" else (size - 1).bit_length()


def most_kept(q: Question, size: int) -> Answers:
    """How many values, and which part, p workers may send in the bits of two gradients."""
    if q.workers == 1:
        return {"most_kept": None, "density": None}
    room, item = Fraction(2 * size * q.full, q.workers), q.full
    if q.bits is not None:
        room, item = room - q.scale_bits, q.bits
    if q.index == "bitmap":
        room -= size
    else:
        item += index(q, size)
    room = max(room, Fraction(0))
    return {"most_kept": room / item, "density": room / item / size}


def sparse(q: Question, share: Fraction) -> Answers:
    """A stated vector, of which as large a part is sent."""
    size, unbiased = len(q.vector), q.method == "unbiased"
    part = ceil(share * size)
    values: Answers = {"kept_values": part, "square": square(q.vector)}
    values["vector_bound"] = sparse_bound(size, part, unbiased)
    if comb(size, part) > CHOSEN:
        return values
    if q.method == "top_k":
        return values | dict.fromkeys(("error", "expected_error"), min(errors(q.vector, part)))
    every = errors(q.vector, part, Fraction(size, part) if unbiased else 1)
    return values | dict.fromkeys(("expected_error", "allowed"), sum(every) / len(every))


# Low rank, whole steps, and error feedback


@witness
def low_rank(q: Question) -> Answers:
    """The factors are counted value by value, and reduced one after the other."""
    sides, value = (int(q.rows), int(q.columns)), Fraction(q.full, 8)
    values = paying(q, prod(sides) * value, [int(q.rank) * side * value for side in sides])
    most = Fraction(prod(sides), sum(sides))  # a rank more is a row and a column more
    return values | known(most_rank=most, wanted_rank=... if q.wanted is None else most / q.wanted)


def sent_of(values: Sequence[Fraction | int], method: str, kept: int) -> list[Fraction]:
    """What arrives of one step."""
    if method != "top_k":
        return rebuilt(values, method)
    chosen = sorted(range(len(values)), key=lambda i: (-abs(values[i]), i))[:kept]
    return [Fraction(v) if i in chosen else Fraction(0) for i, v in enumerate(values)]


@witness
def error_feedback(q: Question, kept: int = 0) -> Answers:
    """Step after step, what is lost goes into the next message."""
    vector, size = q.vector, len(q.vector)
    memory = arrived = [Fraction(0)] * size
    largest = Fraction(0)
    for _ in range(q.rounds):
        wanted = [m + v for m, v in zip(memory, vector, strict=True)]
        sent = sent_of(wanted, q.method, kept)
        memory = [w - one for w, one in zip(wanted, sent, strict=True)]
        arrived = [a + one for a, one in zip(arrived, sent, strict=True)]
        largest = max(largest, square(memory))
    missing = [q.rounds * v - a for v, a in zip(vector, arrived, strict=True)]
    once = [v - one for v, one in zip(vector, sent_of(vector, q.method, kept), strict=True)]
    delta = Fraction(kept if q.method == "top_k" else 1, size)
    bound = 4 * (1 - delta) / delta**2 * square(vector)  # Karimireddy et al., 2019
    return known(
        arrived=tuple(arrived), memory=tuple(missing), missing=square(missing), largest=largest,
        share=delta, square=square(vector), bound=bound, without=q.rounds**2 * square(once),
    )  # fmt: skip
