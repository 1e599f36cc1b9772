"""What does it save to send a gradient with fewer bits?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, Rel, ceiling, ceiling_log2, same, smallest, sqrt
from ddcalc.formula.expression import Pow
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens
from ddcalc.problem.problem import Condition, Equations, Shape
from ddcalc.problem.quantity import LESS, choice, count, derived, facts
from ddcalc.problem.sentences import (
    Argument,
    First,
    Premise,
    Rewritten,
    Said,
    Sentence,
)
from ddcalc.types.compression import _errors as errors
from ddcalc.types.compression import _paying as paying
from ddcalc.types.compression.quantize.account import QuantizeAccount
from ddcalc.types.compression.quantize.model import quantized
from ddcalc.types.compression.quantize.question import quantizing

LEMMA = "Alistarh et al. 2017, Lemma 3.1"


class Quantize(errors.OnVector):
    """What does it save to send a gradient with fewer bits?

    Every value is rounded to one of a few levels of a common scale. Only the level's number travels
    for each value, and the scale once for all that share it. The message is shorter, but encoding
    and decoding take time of their own, and rounding adds an error.

    QSGD rounds at random between s levels of the vector's length, so that the mean is right; its
    authors take the largest value as the scale in practice. TernGrad keeps -1, 0 or 1 times that
    value. The sign alone times the mean size, and 1-bit SGD (the mean of all values of a sign), are
    not right on average: they need error feedback, which adds what was lost to the next gradient.

    One message saves time if encoding, sending and decoding it together are faster than sending the
    gradient as it was. Between workers there is a second price: rounded values with scales of their
    own cannot be added on the way, so every worker gathers the messages of all others, where a ring
    all-reduce of whole gradients moves less than two of them however many workers there are. With
    `--workers` bytes, times and the break-even are those of this exchange. (Some systems add part
    by part, round the sums again and gather those, which is another error and is not counted here.)

    The bound says how large the square of the error is expected to be at most, over the square of
    the vector itself.

    With a vector, stated or drawn at random, it is worked on these values, with the error of one
    drawing and the exact mean over all beside the bound. The seed decides what is drawn.
    """

    answer = "ratio"
    keywords = (
        "fp16 or bf16 gradients; half precision; low-bit gradients; QSGD, TernGrad (ternary"
        " gradients), signSGD, 1-bit SGD; int8 compression"
    )
    terms = ("quantization", "mixed precision", "error feedback")
    source = (
        "QSGD: Alistarh et al., NIPS 2017, arXiv:1610.02132, Lemma 3.1 for the bound, section 4 for"
        " buckets and for the largest value as the scale; TernGrad: Wen et al., NIPS 2017,"
        " arXiv:1705.07878; scaled sign: Karimireddy et al., ICML 2019, arXiv:1901.09847; 1-bit"
        " SGD: Seide et al., Interspeech 2014; ring all-reduce: Patarasuk and Yuan, Journal of"
        " Parallel and Distributed Computing 69(2), 2009"
    )

    values = count(
        "d", "values of the gradient", optional=True, example="25M",
        filled_by=facts("model.parameters", unless=["vector", "dimension"]),
    )  # fmt: skip
    bits = count("b", "bits of a value as sent", most=32, optional=True, example="4")
    levels = count("L", "levels besides zero, for qsgd", optional=True)
    bucket = count("g", "values that share a scale (a bucket), else all do", optional=True)
    full = paying.full()
    scale_bits = count("c", "bits of a scale", default="32")
    workers = paying.workers()
    bandwidth, encode, decode = paying.link()
    vector, dimension, seed = errors.givens()

    scheme = choice(
        "how a value is rounded",
        qsgd="QSGD: random rounding to levels of the length",
        qsgd_max="QSGD: random rounding to levels of the largest value",
        terngrad="TernGrad: random rounding to 0 or the largest value",
        sign="scaled sign: every value becomes ± the mean size",
        one_bit="1-bit SGD: every value becomes the mean of its sign",
        also="1_bit one_bit",
    )
    bit_count = choice(
        "what the bits of a value hold, for qsgd",
        with_sign="the sign is one of the bits: s = 2^(b−1) − 1",
        sign_apart="s = 2^b, and the sign is one more bit",
    )

    aggregation = choice(paying.AGGREGATION, gathered=paying.GATHERED, server=paying.SERVER)

    grid = derived("s", "Levels besides zero", "")
    width = derived("w", "Bits of a value as sent", "")
    scales = derived(
        "q", "Scales that are sent", "one for each bucket, also for one that is not full"
    )
    shared = derived("D", "Values that share a scale", "")
    dense = paying.dense()
    sent = derived("S_c", "Bytes sent", "", BYTE)
    ratio, reduced, gathered = paying.received()
    saved, dense_time, sent_time, saved_time = paying.savings()
    break_even, most_workers = paying.limits()
    bound = derived(
        "omega", "Bound on the error", "square of the error over the gradient's",
        **LESS,
    )  # fmt: skip

    drawn, square = errors.lengths()
    vector_bound = derived("omega_v", "Bound on the error for this vector", "")
    quantized = derived("Q", "The vector as it arrives", "every value at its level")
    allowed, memory, expected_error, error = errors.errors()

    @property
    def levelled(self) -> bool:
        """Whether the bits or levels of a value are of choice."""
        return self.scheme in errors.LEVELLED

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "values", "vector", "dimension"
        if self.levelled:
            yield "bits", "levels"

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """Other readings; where bits of choice are stated, no scheme that leaves no choice."""
        levelled = dict(shape.reading)["scheme"] in errors.LEVELLED and "bits" in shape.stated
        for name, option, other in super().neighbours(shape):
            if name != "scheme" or not levelled or option in errors.LEVELLED:
                yield name, option, other

    def conditions(self) -> Iterator[Condition]:
        if self.states("bits"):
            yield from self._enough_bits()
        yield from super().conditions()

    def _enough_bits(self) -> Iterator[Condition]:
        if not self.levelled or self.states("levels"):
            enough = Num(2) ** self._bits() >= self._different()
            assert isinstance(enough, Rel)
            yield Condition(enough, "bits", "cannot tell that many levels and their signs apart")
        elif self.bit_count == "with_sign":
            yield Condition(self.bits >= 2, "bits", "holds a sign and no level; 2 are needed")

    def mechanism(self) -> str:
        how = {
            "qsgd": "Every value is rounded at random to a level of the vector's length, right on"
            " average.",
            "qsgd_max": "Every value is rounded at random to a level of the largest value, right on"
            " average.",
            "terngrad": "Every value becomes 0 or as large as the largest one, with its sign, at"
            " random so that the mean is right.",
            "sign": "Of every value only the sign travels, and once the mean size of all, which"
            " stands for each.",
            "one_bit": "Of every value only the sign travels, and once the mean of the positive"
            " values and that of the negative ones.",
        }[self.scheme]
        scale = "Only the level's number travels for each, and the scale once."
        levelled = self.levelled or self.scheme == "terngrad"
        if paying.way(self) == "server":
            return f"{how} {scale}" if levelled else how
        return f"Rounded messages cannot be added on the way: {paying.GATHERING.strip()}"

    def conclusion(self) -> Iterator[Said]:
        yield from paying.conclusion(self)

    def insights(self) -> Iterator[Said]:
        if self.states("values") and not self.states("bandwidth"):
            yield from self._price()
        yield from paying.insights(self)
        if self.states("bucket") and not self.states("bandwidth"):
            yield Sentence(
                "Scales take {scaling %} of the message: with {bits bit} a value it cannot shrink"
                " by more than a factor of {most}, however large the buckets.",
                self.scales * self._scale_bits * 10 > self._values() * self.value_bits,
                scaling=paying.in_bytes(self.scales * self._scale_bits) / self.sent,
                bits=self.value_bits,
                most=self.full / self.value_bits,
            )

    def _price(self) -> Iterator[Said]:
        """What is lost for it."""
        size = self._values()
        if self.states("bucket"):
            size = smallest(self.bucket, size)
        limit = errors.quantized_bound(self.scheme, size, self._steps_up())
        exact = Sentence("Each value has a scale alone, so nothing is lost.", same(limit, 0))
        if self.scheme in ("sign", "one_bit"):
            yield First(exact, *errors.missing("", limit))
            return
        noise = "What arrives is right on average, but with noise: for the worst gradient"
        square = "of the square of the gradient's length"
        yield First(
            exact,
            Sentence(
                f"{noise} the squared error is at most {{off %}} {square} on average.",
                limit <= 1,
                off=ceiling(1000 * limit) / 1000,  # what is at most that is not less
            ),
            Sentence(
                f"{noise} the error is up to {{off}} times as long as the gradient itself (root"
                " mean square).",
                off=sqrt(limit),
            ),
        )
        if self.scheme == "qsgd" and not self.states("bandwidth"):
            yield Sentence(
                "With a scale for every {few value} (a bucket) it would be no longer than that.",
                (limit > 1, self._steps_up() > 1),
                few=Pow(self._steps_up(), Num(2)),
            )

    @property
    def shared_values(self) -> Expr:
        """How many values share a scale."""
        return self.shared if self.states("bucket") else self._values()

    @property
    def value_bits(self) -> Expr:
        """The bits of a value as sent, as the question states them if it does."""
        plainly = self.states("bits") and not (self.levelled and self.bit_count == "sign_apart")
        return self.bits if plainly else self.width

    @property
    def _scale_bits(self) -> Expr:
        """The bits of the scale, or scales, that go with one bucket."""
        return 2 * self.scale_bits if self.scheme == "one_bit" else self.scale_bits

    def premises(self) -> Iterator[Premise]:
        yield from paying.premises(self)

    def arguments(self) -> Iterator[Argument]:
        yield from paying.arguments(self)
        yield from self._bounding(self.bound, self.shared_values)

    def _bounding(self, bound: Expr, size: Expr) -> Iterator[Argument]:
        """Why the error is no larger."""
        levels = self._steps_up()
        if self.scheme == "qsgd":
            one = "each is off by less than one level, 1/s of the length"
            yield Rewritten(bound, ((size * Pow(1 / levels, Num(2)), one),), LEMMA)
            up = (
                "off by one level, 1/s, with the chance s·|v| at most; all |v| add up to √ of their"
                " number at most (Cauchy-Schwarz)"
            )
            yield Rewritten(bound, ((Pow(1 / levels, Num(2)) * (levels * sqrt(size)), up),), LEMMA)
        elif self.scheme == "terngrad":
            at = 1 / (1 + sqrt(size))
            worst = "the worst vector: one value is the scale, the others this small a part of it"
            part = (size - 1) * at * (1 - at) / (1 + (size - 1) * Pow(at, Num(2)))
            yield Rewritten(bound, ((part, worst),))

    def laws(self) -> Iterator[Law]:
        yield from paying.laws(self)
        yield Rises("sent", "bits", "more bits are more bytes")
        yield Falls("bound", "bits", "more bits tell more levels apart")

    def equations(self) -> Equations:
        if self.levelled:
            yield from self._grid()
        yield from self._width()
        values = self._values()
        if self.states("bucket"):
            yield self.scales, ceiling(values / self.bucket)
            yield self.shared, smallest(self.bucket, values)
        else:
            yield self.scales, Num(1), "all values share one"
            yield self.shared, values
        yield self.dense, paying.in_bytes(values * self.full)
        scale = self._scale_bits
        if self.states("bucket"):
            scale = self.scales * scale
        yield self.sent, paying.in_bytes(values * self.value_bits + scale)
        yield from paying.cost(self)
        levels = self._steps_up()
        yield self.bound, errors.quantized_bound(self.scheme, self.shared_values, levels)

    def play(self, given: PlayedGivens) -> Outcome:
        """Quantize the vector."""
        work = quantized(quantizing(given, self.scheme))
        return QuantizeAccount(work, self.declared()).outcome(self)

    def _grid(self) -> Equations:
        if self.states("levels"):
            yield self.grid, self.levels
        elif self.bit_count == "with_sign":
            yield self.grid, Num(2) ** (self.bits - 1) - 1, "one of the bits is the sign"
        else:
            yield self.grid, Num(2) ** self.bits, "the sign is sent besides"

    def _steps_up(self) -> Expr:
        """How many levels there are besides zero, as stated if they are."""
        if not self.levelled:
            return Num(1)
        return self.levels if self.states("levels") else self.grid

    def _width(self) -> Equations:
        if not self.states("bits"):
            yield self.width, self._bits(), "enough to tell all levels and their signs apart"
        elif self.levelled and self.bit_count == "sign_apart":
            yield self.width, self._bits(), "as stated, and the sign"
        else:
            yield self.width, self._bits()

    def _different(self) -> Expr:
        """How many different values can be sent: both signs of every level, and zero."""
        if self.levelled:
            return 2 * self.levels + 1
        return Num(3) if self.scheme == "terngrad" else Num(2)

    def _bits(self) -> Expr:
        """The bits of a value as sent."""
        if not self.states("bits"):
            return ceiling_log2(self._different())
        apart = self.levelled and self.bit_count == "sign_apart"
        return self.bits + 1 if apart else self.bits
