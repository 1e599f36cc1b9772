"""A way to train that takes part: a scheme, its workers, and what they send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from ddcalc.errors import BadNumber, BadValue, UnknownName
from ddcalc.experiment.compression import Compression
from ddcalc.numbers.number import Number, parse
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.times import Times

TAKES = {"drop": "k", "reuse": "k", "cancel": "k", "ssp": "s", "local": "H"}
KNOWN = ("sync", "drop:K", "reuse:K", "cancel:K", "async", "ssp:S", "local:H")
SENT = ("quantize:BITS", "top:SHARE")
ALONE = "one worker"
BITS, STEPS, BOUND = 16, 10_000, 1_000_000  # at most


@dataclass(frozen=True, slots=True)
class Contender:
    """A *scheme* of *workers* that send their gradients with some *compression*, and make steps of
    a size of their own."""

    kind: str  # "one" for one worker, else the word that is written for the scheme
    number: int
    scheme: Scheme
    workers: int
    compression: Compression | None = None
    sends: str = ""
    step: Number | None = None  # its own step size

    @property
    def name(self) -> str:
        """What it is called in tables."""
        told = (
            ALONE if self.kind == "one" else self.scheme.label.replace(" n,", f" {self.workers},")
        )
        return f"{told} + {self.sends}" if self.sends else told

    @property
    def key(self) -> str:
        """What it is called in files; also what is written for it."""
        told = f"{self.kind}:{self.number}" if self.kind in TAKES else self.kind
        return f"{told}+{self.sends.replace(' ', ':')}" if self.sends else told


def alone() -> Contender:
    """One worker that computes the whole batch."""
    return Contender("one", 0, sync(1), 1)


def contender(text: str, workers: int) -> Contender:
    """What *text* stands for: ``sync``, ``reuse:6``, ``async+top:1%``; raises a DdcalcError."""
    written, plus, sends = (part.strip() for part in text.partition("+"))
    kind, colon, number = (part.strip() for part in written.partition(":"))
    if kind not in {each.partition(":")[0] for each in KNOWN}:
        raise UnknownName("scheme", written, KNOWN).about("schemes")
    if bool(colon) != (kind in TAKES):
        takes = f"needs its {TAKES[kind]}, as in {kind}:2" if kind in TAKES else "takes no number"
        raise BadValue(written, takes).about("schemes")
    value = _whole(written, number) if colon else 0
    compression, sends = _compression(sends) if plus else (None, "")
    return Contender(
        kind, value, _scheme(kind, value, workers, written), workers, compression, sends
    )


def _scheme(kind: str, value: int, workers: int, text: str) -> Scheme:
    match kind:
        case "sync":
            return sync(workers)
        case "async":
            return asynchronous()
        case "ssp":
            _within(text, value, 0, BOUND)
            return ssp(value)
        case "local":
            _within(text, value, 1, STEPS)
            return local_sgd(workers, value)
        case "drop" | "reuse" | "cancel":
            late: Late = kind
            if value > workers:
                told = f"waits for more than the {workers} workers there are"
                raise BadValue(text, told).about("schemes")
            _within(text, value, 1, workers)
            return k_of_n(value, late)
    raise AssertionError(kind)


def _compression(text: str) -> tuple[Compression, str]:
    kind, _, number = (part.strip() for part in text.partition(":"))
    match kind:
        case "quantize":
            bits = _whole(text, number)
            _within(text, bits, 1, BITS)
            return Compression("quantize", bits=bits), f"quantize {bits}"
        case "top":
            whole = 100 if number.endswith("%") else 1
            share = Fraction(_number(text, number.removesuffix("%").strip()), whole)
            if not 0 < share <= 1:
                raise BadValue(text, "must be more than 0 % and at most 100 %").about("schemes")
            return Compression("top", share=share), f"top {number.replace(' ', '')}"
    raise UnknownName("way to send", text, SENT).about("schemes")


def _whole(text: str, number: str) -> int:
    value = _number(text, number)
    if value.denominator != 1:
        raise BadValue(text, "has no whole number behind the colon").about("schemes")
    return int(value)


def _number(text: str, number: str) -> Number:
    try:
        return parse(number)
    except BadNumber:
        raise BadValue(text, "has no number behind the colon").about("schemes") from None


def _within(text: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadValue(text, f"must be from {least} to {most}").about("schemes")


@dataclass(frozen=True, slots=True)
class Together(Times):
    """The first worker's times when it computes so many *shares* in a row instead of one."""

    of: Times
    shares: int

    @property
    def workers(self) -> int:
        return 1

    @property
    def unit(self) -> int:
        return self.of.unit

    @property
    def means(self) -> Sequence[Number]:
        return [self.of.means[0] * self.shares]

    def exact(self, unit: int) -> list[Iterator[int]]:
        return [self._sums(self.of.exact(unit)[0])]

    def _sums(self, times: Iterator[int]) -> Iterator[int]:
        while True:
            yield sum(islice(times, self.shares))
