"""What is varied, from text: ``workers=1..128``, ``compute=1s..5s:0.5s``, ``batch=256,512``.

A range may go on by a step or, with ``x2`` for a step, by a factor. Lists may hold ranges, and
choices and words are varied by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ddcalc.ask.sweep.axes import Axis, Listed, Named, Numeric, Steps
from ddcalc.errors import BadNumber, BadValue, DdcalcError, OverLimit, UnknownName
from ddcalc.expression import Number
from ddcalc.number import parse, product, split
from ddcalc.problem import Problem
from ddcalc.quantity import Choice, Given

TO = ".."
LISTED = 100_000  # values that are no even steps
WORDS = 1000  # values told apart by name
BITS = 400  # of a value that factors lead to, as of every value that is written


def axis(problem: type[Problem], name: str, values: str | range | Sequence[str]) -> Axis:
    """The axis of the given or choice called *name*; *values* are written as for ``--vary``.

    Raises a DdcalcError that says what is wrong with them.
    """
    known: dict[str, Given | Choice] = {**problem.givens, **problem.choices}
    declared = known.get(name.replace("-", "_"))
    if declared is None:
        raise UnknownName("parameter", name, known).about("vary")
    try:
        return _axis(declared, values)
    except DdcalcError as error:
        raise error.about(f"vary {declared.name}") from None


def written(text: str) -> tuple[str, str]:
    """The name and the values in ``NAME=VALUES``."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        reason = "is not written as NAME=VALUES, for example workers=1..128"
        raise BadValue(text, reason).about("vary")
    return name.strip(), values.strip()


def _axis(declared: Given | Choice, values: str | range | Sequence[str]) -> Axis:
    if isinstance(values, range):
        values = _text_of(values)
    members = [part.strip() for part in values.split(",")] if isinstance(values, str) else values
    if isinstance(declared, Choice):
        return _named(declared, [declared.read(member) for member in members])
    if declared.many == "list":
        reason = f"is for {declared.name}, which takes a list; only single values can vary"
        raise BadValue(", ".join(members), reason)
    if any(member in declared.words for member in members):
        return _named(declared, [text for member in members for text in _texts(declared, member)])
    return _numeric(declared, members)


def _numeric(given: Given, members: Sequence[str]) -> Numeric:
    read = _Reading(given, members)
    return Numeric(given, read.numbers(), read.told.unit, read.told.bare)


def _texts(given: Given, member: str) -> Sequence[str]:
    """A member of a list with words, or the texts of a range."""
    if TO not in member:
        return [member]
    numeric = _numeric(given, [member])
    if numeric.size > WORDS:
        raise OverLimit(f"{numeric.size} values beside words; at most {WORDS} are possible")
    return [numeric.stated(i).text for i in range(numeric.size)]


def _text_of(values: range) -> str:
    if not values:
        raise BadValue(str(values), "has no values")
    if values.step < 0:
        raise BadValue(str(values), "goes down; write it upwards")
    return f"{values[0]}{TO}{values[-1]}:{values.step}"


def _named(declared: Given | Choice, texts: Sequence[str]) -> Named:
    if len(texts) > WORDS:
        raise OverLimit(f"{len(texts)} values beside words; at most {WORDS} are possible")
    return Named(declared, tuple(texts))


class _Reading:
    """The values of one given; *told* is the first one, whose unit tells all of them."""

    def __init__(self, given: Given, members: Sequence[str]) -> None:
        self.given, self.members = given, members
        self.told = self.given.measured(self._parts(members[0])[0])

    def numbers(self) -> Steps | Listed:
        self._check_units()
        if len(self.members) == 1 and TO in self.members[0]:
            return self._range(self.members[0])
        values: list[Number] = []
        for member in self.members:
            more = (
                self._range(member) if TO in member else Listed([self.given.measured(member).value])
            )
            if len(values) + more.size > LISTED:
                raise OverLimit(f"a list of more than {LISTED} values; a range may be longer")
            values += (more[i] for i in range(more.size))
        return Listed(tuple(values))

    def _range(self, text: str) -> Steps | Listed:
        first, last, step = self._parts(text)
        low, high = self.given.measured(first).value, self.given.measured(last).value
        if high < low:
            raise BadValue(text, "ends before it begins")
        if step.startswith("x"):
            return Listed(tuple(self._powers(text, low, high, step[1:])))
        if not step and not self.given.whole:
            raise BadValue(text, f"needs a step, for example {text}:1{split(last)[1]}")
        by = self.given.measured(step).value if step else 1
        if by <= 0:
            raise BadValue(text, "has a step that leads nowhere")
        return Steps(low, by, int((high - low) // by) + 1)

    def _powers(self, text: str, low: Number, high: Number, factor: str) -> Iterator[Number]:
        by = parse(factor)
        if by <= 1 or low <= 0:
            raise BadValue(text, "needs a factor above 1 and a beginning above 0")
        value = low
        for _ in range(LISTED):
            yield value
            value = product(value, by)
            if value > high:
                return
            if Fraction(value).denominator.bit_length() > BITS:
                raise BadValue(text, f"has values of more than {BITS} bits")
        raise OverLimit(f"a range of more than {LISTED} values by a factor")

    def _parts(self, text: str) -> tuple[str, str, str]:
        """The ends and the step of a range, or one value; BadValue where one is left out."""
        first, to, rest = text.partition(TO)
        last, colon, step = rest.partition(":")
        told = first.strip(), last.strip(), step.strip()
        if (to and not (told[0] and told[1])) or (colon and not told[2]):
            raise BadValue(text, "is not written as FIRST..LAST or FIRST..LAST:STEP")
        return told

    def _check_units(self) -> None:
        """No unit counts for the numbers beside it; all have one, or none."""
        if not self.given.unit.name:
            return
        texts = [part for member in self.members for part in self._parts(member)]
        texts = [text for text in texts if text and not text.startswith("x")]
        bare = [text for text in texts if not _has_unit(text)]
        if bare and len(bare) < len(texts):
            raise BadValue(bare[0], "has no unit, though others have; write a unit behind each")


def _has_unit(text: str) -> bool:
    try:
        return bool(split(text)[1])
    except BadNumber:
        return False
