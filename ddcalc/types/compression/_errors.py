"""How far a compressed vector is from itself, beside the bound: quantities, values and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from ddcalc.formula.algebra import Expr, Num, Sym, cases, ceiling, same, sqrt, total
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import Cases, Pow, symbols
from ddcalc.numbers.number import Number
from ddcalc.problem.plan import Values
from ddcalc.problem.play import Outcome, PartlyPlayed, Says, defined
from ddcalc.problem.problem import Condition, Shape
from ddcalc.problem.quantity import Derived, ListGiven, OneDerived, OneGiven, count, derived, number
from ddcalc.problem.sentences import Crosscheck, First, Said, Sentence
from ddcalc.problem.steps import Define, DefineEach, Step, Table
from ddcalc.types.compression._vectors import LONG, MOST, SEED, Compressed, Vector, squared

LEVELLED = ("qsgd", "qsgd_max")  # schemes with levels of choice
Work = TypeVar("Work", bound=Compressed)

WRITTEN = 6  # values up to which a sum over them is written out


def givens() -> tuple[ListGiven, OneGiven, OneGiven]:
    """What an example is worked on: a vector, or how many values to draw, and a seed."""
    return (
        number("v", "values to work it on", many="list", of="value", optional=True),
        count("n", "values to draw and work it on", most=MOST, optional=True),
        count("z", f"seed of what is drawn, else {SEED}", least=0, optional=True),
    )


def lengths() -> tuple[OneDerived, OneDerived]:
    """The vector, if it is drawn, and its square."""
    return (
        derived("x", "The random vector", "standard normal, rounded to hundredths"),
        derived("N", "Squared length of the vector", ""),
    )


def errors() -> tuple[OneDerived, OneDerived, OneDerived, OneDerived]:
    """The largest error that may be expected, what is lost, and its square."""
    return (
        derived("E_max", "Largest expected squared error", ""),
        derived("m", "What is lost", "the vector, less what arrives"),
        derived("E", "Expected squared error", "over all that may be drawn"),
        derived("e", "Squared error", ""),
    )


def quantized_bound(scheme: str, size: Expr, levels: Expr) -> Expr:
    """The largest square error, over the vector's own square, that may be expected of quantizing
    *size* values with one scale and *levels* besides zero (of QSGD).

    With the vector's length as the scale it is Lemma 3.1 of Alistarh et al., NIPS 2017,
    arXiv:1610.02132. With the largest value as the scale, s levels and values of y levels, the
    error over the square is Σp(1 − p)/Σy² with p the fraction of y. One y is s. For the others less
    than 1 is worst, and y = t for all, where (D − 1)(t − t²)/(s² + (D − 1)t²) has its maximum
    (D − 1)/(2s(√(s² + D − 1) + s)). TernGrad has s = 1, so that this is (√D − 1)/2. A scaled sign
    leaves Σv² − (Σ|v|)²/D, and (Σ|v|)² is at least Σv²; two means leave no more than it does.
    """
    if scheme == "qsgd":
        few = "as many levels as the root of the number of values, or more"
        many = "fewer levels than the root of the number of values"
        return cases(
            (size / levels**2, size <= levels**2, few), otherwise=sqrt(size) / levels, why=many
        )
    if scheme == "qsgd_max":
        others = size - 1
        return others / (2 * levels * (sqrt(levels**2 + others) + levels))
    if scheme == "terngrad":
        return (sqrt(size) - 1) / 2
    return 1 - Num(1) / size


def sparse_bound(method: str, size: Expr, kept: Expr) -> Expr:
    """The same where *kept* of *size* values are sent.

    Stich et al., Sparsified SGD with Memory, NeurIPS 2018, arXiv:1809.07599: definition 2.1 for
    what is sent as it is, section 2.2 for random values times size/kept (whose second moment they
    bound by size/kept; the variance is less than that by the square itself).
    """
    if method == "unbiased":
        return size / kept - 1
    return 1 - kept / size


def missing(before: str, part: Expr, mean: bool = False, **slots: Any) -> Iterator[Sentence]:
    """So large a *part* of a gradient's square is missing at most, or on average if that is its
    *mean*; the sentences begin with *before*."""
    later = "error feedback sends it later."
    how, verb = ("on average ", "is") if mean else ("", "may be")
    almost = f"{before}{how}almost all of the gradient's squared length {verb} missing; {later}"
    how = "on average" if mean else "up to"
    exactly = f"{before}{how} {{off %}} of the gradient's squared length is missing; {later}"
    rest = part > Num(999) / 1000
    yield Sentence(almost[0].upper() + almost[1:], rest, **slots)
    off = part if mean else ceiling(1000 * part) / 1000  # what is up to that is not less
    yield Sentence(exactly[0].upper() + exactly[1:], off=off, **slots)


class OnVector(PartlyPlayed):
    """A way to compress that is worked on a vector, if one is stated or drawn (see ``givens``)."""

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        """Whether there is a vector."""
        return bool({"vector", "dimension"} & {*shape.stated})

    def conditions(self: Any) -> Iterator[Condition]:
        if self.states("vector") and self.states("dimension"):
            fits = same(self.dimension, Num(len(self.vector)))
            yield Condition(fits, "dimension", "does not fit the vector")

    def _values(self: Any) -> Expr:
        """How many values the gradient has, else the vector."""
        stated: Expr = self.values if self.states("values") else self.dimension
        by_vector = self.states("vector") and not self.states("values")
        return Num(len(self.vector)) if by_vector else stated


class VectorAccount(Generic[Work]):
    """The values and steps of a vector that is compressed: *work*; they define what is *declared*.

    The quantity called *arrives* is what arrives of it; *counts* come before. The *bound* is in
    letters, with these *numbers*.
    """

    arrives: ClassVar[str]
    counts: Mapping[str, Number] = {}

    def __init__(
        self, work: Work, declared: Mapping[str, Derived], bound: Expr, numbers: dict[str, Number]
    ) -> None:
        self.work, self.sample, self.declared = work, work.sample, declared
        self.bound, self.numbers, self.limit = bound, numbers, evaluate(bound, numbers)
        self.letter = "x" if work.sample.drawn else "v"  # of the vector's values

    def table(self) -> Table:
        """What becomes of each value."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """Where the values come from, if they are drawn."""
        if not self.sample.drawn:
            return ""
        return f"values of a standard normal distribution, drawn with seed {self.sample.seed}; "

    def expected(self) -> Define:
        """What the error is on average, where it is random."""
        raise NotImplementedError

    def outcome(self, problem: OnVector) -> Outcome:
        """What the example of *problem* comes to: the error, if it asks for nothing else."""
        long, answer = len(self.work.vector) > LONG, "" if problem.states("values") else "error"
        asides = ["drawn", self.arrives, "memory"]  # they stand in the table
        if not self.work.random:
            asides.append("expected_error")
        return Outcome(
            self.values(), self.steps, long, (), answer, says=lambda: self._says(problem),
            asides=asides,
        )  # fmt: skip

    def _says(self, problem: Any) -> Says:
        """What is saved by the equations of *problem*, and at which error on this vector."""
        return Says(
            conclusion=(*problem.conclusion(), self._off()),
            insights=(*self._meaning(), *problem.insights()),
            crosschecks=(*self._squares(), *problem.crosschecks()),
        )

    def _off(self) -> Said:
        """The error beside the vector's own square, its mean and its bound."""
        work = self.work
        part, square, mean = Num(work.error), Num(work.square), Num(work.expected_error)
        limit = Num(self.limit * work.square)
        nothing = Sentence("The vector is 0 and arrives as it is.", same(square, 0))
        off = "For this vector the squared error is {error}"
        if not work.random:
            return First(
                nothing,
                Sentence("This vector arrives as it is, without an error.", same(part, 0)),
                Sentence(
                    f"{off}, {{part %}} of its squared length {{square}}; the bound is"
                    " {allowed}.",
                    part=part / square,
                ),
            )
        drawn = (
            f"{off} as drawn here, {{part %}} of its squared length {{square}}; over all drawings"
        )
        return First(
            nothing,
            Sentence("This vector arrives as it is, whatever is drawn.", same(mean, 0)),
            Sentence(
                "As drawn here this vector arrives as it is; over all drawings the squared error"
                " is {expected_error} on average, and the bound is {allowed}.",
                same(part, 0),
            ),
            Sentence(
                f"{drawn} it is {{expected_error}} on average, just the bound.",
                same(mean, limit),
                part=part / square,
            ),
            Sentence(
                f"{drawn} it is {{expected_error}} on average, and the bound is {{allowed}}.",
                part=part / square,
            ),
        )

    def _meaning(self) -> Iterator[Said]:
        """How much of its bound the error takes up on average."""
        mean, limit = Num(self.work.expected_error), Num(self.limit * self.work.square)
        whose = "the expected squared error" if self.work.random else "its squared error"
        yield Sentence(
            f"This vector is far from the worst case: {whose} is {{part %}} of what the bound"
            " allows.",
            (mean * 2 < limit, mean > 0),
            part=mean / limit,
        )

    def _squares(self) -> Iterator[Crosscheck]:
        """What arrives and what is lost stand at right angles, unless more than that arrives."""
        work = self.work
        if not work.unbiased:
            parts = Num(squared(work.sent)) + Num(work.error)
            text = (
                "what arrives and what is lost are at right angles, so that their squares add up"
                " to the vector's"
            )
            yield Crosscheck(text, same(parts, Num(work.square)))

    def values(self) -> Values:
        """All that is derived."""
        work = self.work
        return {
            **({"drawn": work.vector} if self.sample.drawn else {}),
            **self.counts,
            self.arrives: work.sent,
            "memory": work.memory,
            "square": work.square,
            "vector_bound": self.limit,
            "allowed": self.limit * work.square,
            "expected_error": work.expected_error,
            "error": work.error,
        }

    def steps(self) -> Iterator[Step]:
        """From the vector to its error beside the bound."""
        work, declared = self.work, self.declared
        if self.sample.drawn:
            drawn = declared["drawn"]
            yield listed(drawn, work.vector, f"{drawn.why}; seed {self.sample.seed}")
        for name, value in self.counts.items():
            yield defined(declared[name], value)
        yield sum_of_squares(declared["square"], work.square, work.vector)
        yield self.table()
        yield listed(declared[self.arrives], work.sent)
        yield self._lost()
        yield sum_of_squares(declared["error"], work.error, work.memory)
        yield self.expected() if work.random else self._certain()
        yield self._bounded()
        yield self._within_bound()

    def _lost(self) -> DefineEach:
        """What is lost, and whether error feedback is for it.

        It converges where compression leaves a part less than 1 of the square of any vector
        (Karimireddy et al., ICML 2019, arXiv:1901.09847), which an unbiased scheme does if ω < 1.
        Random values times d/k lose ω times the square on average, so that from ω = 1 on the square
        of what is kept grows for ever.
        """
        quantity, small = self.declared["memory"], self.limit < 1
        feedback = "error feedback adds it to the next gradient"
        if self.work.unbiased:
            may = "could add it to the next gradient" if small else "is not safe"
            feedback = f"0 on average; as ω_v {'<' if small else '≥'} 1, error feedback {may}"
        return listed(quantity, self.work.memory, f"{quantity.why}; {feedback}")

    def _certain(self) -> Define:
        quantity, error = self.declared["expected_error"], self.work.error
        why = "nothing is drawn, so it is this error"
        return defined(quantity, error, Sym("e"), {"e": error}, why)

    def _bounded(self) -> Define:
        """The bound by the branch of its formula that the numbers decide."""
        quantity, formula, why = self.declared["vector_bound"], self.bound, ""
        while isinstance(formula, Cases):
            formula, why = applying(formula, self.numbers)
        numbers = {letter: self.numbers[letter] for letter in symbols(formula)}
        why = "; ".join(filter(None, (quantity.why, why)))
        return defined(quantity, self.limit, formula, numbers, why)

    def _within_bound(self) -> Define:
        """The largest error that may be expected, and how the errors compare with it."""
        quantity, work = self.declared["allowed"], self.work
        allowed = self.limit * work.square
        why = f"{'E' if work.random else 'e'} keeps to it, as it has to"
        if work.random and work.error <= allowed:
            why += ", and so does e here"
        elif work.random:
            why += "; e, which is one draw, is larger"
        numbers = {"omega_v": self.limit, "N": work.square}
        return defined(quantity, allowed, Sym("omega_v") * Sym("N"), numbers, why)


def listed(quantity: Derived, values: Vector, why: str = "") -> DefineEach:
    """*quantity*, a list of these *values*, for the reason *why*, else its own."""
    rows = tuple(
        defined(quantity, value, symbol=f"{quantity.letter}_{i}")
        for i, value in enumerate(values, 1)
    )
    return DefineEach(quantity.name, quantity.title, why or quantity.why, rows)


def sum_of_squares(quantity: Derived, value: Number, values: Vector) -> Define:
    """*quantity* as the sum of the squares of *values*; of many as a number."""
    if len(values) > WRITTEN:
        return defined(quantity, value)
    return defined(quantity, value, total(Pow(Num(part), Num(2)) for part in values))
