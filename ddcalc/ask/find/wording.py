"""A search in words: what is to be found, and which values of the unknown there are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.nearest import Nearest
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import SearchOutcome, amount
from ddcalc.formula.expression import Known, Number, Operator
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import Amount, apart, count_text
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.units import COUNT, ONE, Unit
from ddcalc.problem.quantity import Choice, Quantity
from ddcalc.problem.speaker import hedged

RANGES: Final = 3  # that are named in a sentence

_WORDS: Final[Mapping[Operator, str]] = {
    "<": "less than", "<=": "at most", "==": "", ">=": "at least", ">": "more than",
}  # fmt: skip
_ENDS: Final = re.compile(
    r" (?:of|that|on|in|until|with|per|for|at|by|to|from|after|before|between|than|over|up|besides|"
    r"without|which|whose|if|as|below|above|inside|since|wanted|left|sent|read|written|a second|"
    r"used|wasted|lost|dropped|needed|allowed|reached|counted|made|saved|finished)"
    r"\b|[,;:(]"
)
_BARE: Final = re.compile(
    r"(?:a|all|an|any|each|every|how|its|one|the|two|what|where|whether|which|who|with|adding|"
    r"computing|decoding|encoding|exchanging|processing|reading|sending|waiting|writing)\b|[^a-z]"
)
_CLAUSE: Final = re.compile(
    r"^(?:when|what|where|whether|which|who|how|with|if)\b|[,;]|(?<! that)(?<! which) is "
)
_LIKE_ONE: Final = ("ss", "us", "is")  # words that end so are not several


# Nouns


def _named(name: str) -> str:
    """*name* without what is said behind a comma or in brackets."""
    return re.split(r"[,;:(]", name, maxsplit=1)[0].strip()


def is_several(name: str) -> bool:
    """Whether *name* is of several things: workers, samples per second."""
    head = _ENDS.split(name, maxsplit=1)[0]
    return head.endswith("s") and not head.endswith(_LIKE_ONE) and " and " not in head


def singular(name: str) -> str:
    """One of several: worker, mini-batch that is left."""
    head = _ENDS.split(name, maxsplit=1)[0]
    one = re.sub(r"(?<=ch|sh|ss)es$|(?<=x)es$|s$", "", re.sub(r"ies$", "ys", head))
    return one + name[len(head) :]


def is_counted(quantity: Quantity) -> bool:
    """Whether it is how many of something there are."""
    plain = not re.match(r"(?:how|what|when|where|whether|which)\b", quantity.called)
    return plain and quantity.unit.dimension == ONE and is_several(quantity.called)


def the(quantity: Quantity) -> str:
    """What *quantity* is called in a sentence: the number of workers, the total time; its letter
    first where its name is more of a clause."""
    name = _named(quantity.called)
    if is_counted(quantity):
        return f"the number of {name}"
    if _CLAUSE.search(quantity.called):
        return f"{letter(quantity.letter)} ({quantity.called})"
    return name if _BARE.match(name) else f"the {name}"


def _is(quantity: Quantity) -> str:
    clause = _CLAUSE.search(quantity.called)
    several = is_several(quantity.called) and not is_counted(quantity) and not clause
    return "are" if several else "is"


# The question


def title(question: InverseQuestion) -> str:
    """What is to be found, as a sentence."""
    parts: list[str] = []
    for place, relation in enumerate(question.relations):
        quantity = question.stated.problem.quantities[relation.name]
        known = _compared(relation, quantity)
        if quantity is question.unknown:
            known = f"{letter(relation.letter) if place else 'it'} is {known}"
        elif relation.name not in [one.name for one in question.relations[:place]]:
            known = f"{the(quantity)} {_is(quantity)} {known}"
        parts.append(known)
    relations, unknown = " and ".join(parts), question.unknown
    if isinstance(unknown, Choice):
        asks = re.match(r"(?:what|how|where|whether|which|who|when|whose)\b", unknown.title)
        taken = f"which {unknown.name.replace('_', '-')} to take ({unknown.title})"
        return f"Find out {unknown.title if asks else taken}, so that {relations}"
    name, sign = the(unknown), letter(unknown.letter)
    return f"Find {name if name.startswith(sign) else f'{name}, {sign},'} for which {relations}"


def _compared(relation: Relation, quantity: Quantity) -> str:
    """``at most 300 s``, ``equal to the time to send``."""
    if relation.other is not None:
        return f"{_WORDS[relation.op] or 'equal to'} {the(relation.other)}"
    bound = _bare(amount_of(relation.bound.value, relation.bound.unit, stated=True), quantity)
    return f"{_WORDS[relation.op]} {bound}".strip()


# The answer


@dataclass(frozen=True, slots=True)
class Telling:
    """Says which values of the unknown of a *question* there are, amounts of it in *unit*."""

    question: InverseQuestion
    unit: Unit
    outcome: SearchOutcome

    def answer(self, value: Number | None) -> str:
        """Which values there are, and what follows at the answer's *value*."""
        outcome, pieces = self.outcome, self.outcome.solutions
        if outcome.kind == "none":
            return self._none()
        span = outcome.tried
        if outcome.kind == "always" or (
            span and len(pieces) == 1 and (pieces[0].low, pieces[0].high) == span
        ):
            return f"Any {self._name} will do{self._unchanged()}."
        if len(pieces) == 1 and (outcome.complete or span):
            return self._one(pieces[0], value)
        return self._several(value)

    def _none(self) -> str:
        """There is no solution: what comes nearest, or fails beside what would be."""
        outcome = self.outcome
        if any(one.name == self.question.unknown.name for one in self.question.relations):
            what = f"No {self._name} will do"
        else:
            quantities = self.question.stated.problem.quantities
            compared = (
                f"{the(quantities[one.name])} {_compared(one, quantities[one.name])}"
                for one in self.question.relations
            )
            what = f"No {self._name} makes {' and '.join(compared)}"
        if outcome.idle:
            return f"{what}{self._unchanged()}."
        if near := outcome.nearest():
            return f"{what}: {self.outermost(near)}."
        parts = [text for at in outcome.beside if (text := self._at(at, fails=True))]
        return f"{what}: {', and '.join(parts)}." if parts else f"{what}."

    def outermost(self, nearest: Nearest) -> str:
        """What comes nearest: ``the least total is 14.5 s, with at least 500 workers``."""
        quantities = self.question.stated.problem.quantities
        others = [one for one in self.question.relations if one.name != nearest.name]
        said = [
            f"{the(quantities[one.name])} is {_compared(one, quantities[one.name])}"
            for one in others
        ]
        among = f"where {' and '.join(said)}, " if others else ""
        quantity = quantities[nearest.name]
        bounds = [one.bound.value for one in self.question.relations if one.name == nearest.name]
        mine = apart(nearest.value, bounds[0], quantity.unit)[0]
        value, called = hedged(_bare(mine, quantity)), the(quantity)
        if not nearest.reached:
            how, be = "more" if nearest.sense == "least" else "less", _is(quantity)
            come = "come" if be == "are" else "comes"
            name = self._subject if self._counts else letter(self.question.given.letter)
            goes = f"as {name} grows"
            if nearest.at is not None:
                assert not isinstance(nearest.at, str)
                goes = f"as {name} approaches {amount(nearest.at, self.unit)}"
            return (
                f"{among}{called} {be} always {how} than {value}, and {come} ever closer to it "
                f"{goes}"
            )
        name = called.removeprefix("the ")
        clause = name.startswith(letter(quantity.letter)) or is_counted(quantity)
        sense = f"{nearest.sense} value of" if clause else nearest.sense
        return f"{among}the {sense} {name} is {value}, with {self._where(nearest)}"

    def _where(self, nearest: Nearest) -> str:
        """Where that is: ``6 workers``, ``at least 500 workers``, ``n = 6``."""
        if isinstance(nearest.at, str):
            return nearest.at.replace("_", "-")
        assert nearest.at is not None
        if self._counts and len(nearest.where) == 1:
            return self._range(nearest.where[0]).removeprefix("exactly ")
        example = len(nearest.where) > 1 or not nearest.where[0].is_point
        return f"{self._number(nearest.at)}{' for example' if example else ''}"

    def _one(self, piece: Piece, value: Number | None) -> str:
        """The solutions are one range, or one value."""
        words, then = self._range(piece), self._then(value)
        known = f" (tried {self.outcome.span(self.unit)})" if self.outcome.tried else ""
        limit = piece.high if "at most" in words else piece.low
        if value is not None and not piece.is_point and value != limit:
            then = then.replace(": then ", f"; with {self._number(value)}, ", 1)
        return f"{words[:1].upper()}{words[1:]}{known}{then}."

    def _several(self, value: Number | None) -> str:
        """There are several ranges; the answer is the least or the greatest value."""
        pieces = self.outcome.solutions
        shown = pieces if len(pieces) <= RANGES else pieces[: RANGES - 1]
        listed = " or ".join(self._bounds(piece).removeprefix("exactly ") for piece in shown)
        if len(shown) < len(pieces):
            listed = (
                f"{listed.replace(' or ', ', ')} and so on, in {count_text(len(pieces))} ranges"
            )
        known = "" if self.outcome.complete else " so far"
        subject = self._subject
        if value is None:
            return f"{subject[:1].upper()}{subject[1:]} can be {listed}{known}."
        which = "largest" if self.outcome.kind == "greatest" else "least"
        chosen = f"The {which}{' number' if self._counts else ''} is {amount(value, self.unit)}"
        return f"{chosen} (solutions{known}: {listed}){self._then(value)}."

    # Parts of sentences

    @property
    def _counts(self) -> bool:
        return is_counted(self.question.given)

    @property
    def _name(self) -> str:
        """What there is none of, or any; and how far it was tried."""
        name = f"value of {letter(self.question.given.letter)}"
        if self._counts:
            name = self._subject.removeprefix("the ")
        tried = f" that was tried ({self.outcome.span(self.unit)})" if self.outcome.tried else ""
        return f"{name}{tried}"

    @property
    def _subject(self) -> str:
        unknown = self.question.given
        clause = not self._counts and _CLAUSE.search(unknown.called)
        return f"the value of {letter(unknown.letter)}" if clause else the(unknown)

    def _range(self, piece: Piece) -> str:
        """``at least 6 workers``; ``the size must be at least 150 kB``."""
        bounds = self._bounds(piece)
        if not self._counts:
            return f"{self._subject} must be {bounds}"
        name = _named(self.question.given.called)
        return f"{bounds} {singular(name) if re.search(r'(?<![0-9.,]) 1$', bounds) else name}"

    def _bounds(self, piece: Piece) -> str:
        """``at least 6``, ``from 2 to 5``; ends that the type itself sets are left out."""
        low, high = piece.low, piece.high
        if piece.is_point and low is not None:
            return f"exactly {amount(low, self.unit)}".replace("exactly about", "about")
        admitted = self.outcome.admitted
        limits = [*(end for part in admitted for end in (part.low, part.high))]
        limits += self.outcome.tried or ()
        counts_none = self._counts and low == 0  # which "at most" would leave open
        if low in limits and high is not None and high not in limits and not counts_none:
            low = None
        elif high in limits and low is not None:
            high = None
        ends = [] if low is None else ["at least" if piece.low_in else "more than"]
        ends += [] if high is None else ["at most" if piece.high_in else "less than"]
        amounts = [amount(end, self.unit) for end in (low, high) if end is not None]
        if ends == ["at least", "at most"]:
            return f"from {amounts[0]} to {amounts[1]}"
        return " and ".join(map(" ".join, zip(ends, amounts, strict=True))) or "of any size"

    def _then(self, value: Number | None) -> str:
        """What is compared at the answer, and beside it."""
        if value is None:
            return ""
        beside = ", and ".join(
            filter(None, (self._at(at, fails=True) for at in self.outcome.beside))
        )
        here = self._at(value, fails=False)
        return (f": then {here}" if here else "") + (f"; {beside}" if beside else "")

    def _at(self, at: Number, *, fails: bool) -> str:
        """What is compared at a number; where it *fails* the relations alone that do."""
        values = self.outcome.compared(at)
        parts: list[str] = []
        names: set[str] = set()
        for relation in self.question.relations:
            about = relation.name == self.question.unknown.name
            if about or None in relation.sides(values) or names.issuperset(relation.names):
                continue
            plain = relation.op == "==" and relation.other is None
            if relation.holds_among(values) if fails else plain:
                continue
            names.update(relation.names)
            parts.append(self._value(relation, values, fails=fails))
        if not parts or not fails:
            return " and ".join(parts)
        comma = "" if parts[0].startswith(("it ", "they ")) else ","
        return f"with {self._number(at)}{comma} {' and '.join(parts)}"

    def _value(self, relation: Relation, values: Known, *, fails: bool) -> str:
        quantity = self.question.compared[relation.name]
        left, right = relation.sides(values)
        assert left is not None
        assert right is not None
        mine, bound = (_bare(side, quantity) for side in apart(left, right, quantity.unit))
        named, be = the(quantity), "would be" if fails else _is(quantity)
        if relation.other is not None:
            other = the(relation.other)
            if left == right:
                return (
                    f"{named} and {other} {'would both be' if fails else 'are both'} {hedged(mine)}"
                )
            return f"{named} {be} {hedged(mine)} and {other} {hedged(bound)}"
        if not fails:
            return f"{named} {be} {hedged(mine)}"
        others = {one.name for one in self.question.relations} - {self.question.unknown.name}
        if len(others) == 1 and self.outcome.kind != "none" and relation.op != "==":
            named = "they" if _is(quantity) == "are" else "it"
        if left == relation.bound.value:
            return f"{named} {be} {hedged(mine)}, not {_WORDS[relation.op]} that"
        stated = _bare(amount_of(right, relation.bound.unit, stated=True), quantity)
        how = "more" if left > right else "less"
        return f"{named} {be} {hedged(mine)}, {how} than {stated if stated.exact else bound}"

    def _number(self, at: Number) -> str:
        shown = amount_of(at, self.question.given.unit)
        return hedged(shown) if self._counts else f"{letter(self.question.given.letter)} = {shown}"

    def _unchanged(self) -> str:
        """That an idle unknown leaves everything as it is; nothing of another one."""
        parts: list[str] = []
        for quantity in self.question.compared.values() if self.outcome.idle else ():
            if quantity is not self.question.unknown:
                verb = "do" if _is(quantity) == "are" else "does"
                parts.append(f"{the(quantity)} {verb} not depend on it")
        return f": {' and '.join(dict.fromkeys(parts))}" if parts else ""


def _bare(shown: Amount, quantity: Quantity) -> Amount:
    """Without ``/s`` behind a number of things per second."""
    per_second = "per second" in quantity.called or "a second" in quantity.called
    return replace(shown, unit="") if per_second and shown.unit == "/s" else shown


# Choices


def of_options(
    question: InverseQuestion, right: Mapping[str, Known], count: int, outcome: SearchOutcome
) -> str:
    """Which options there are; *right* are those that do, each with what is compared, of so many;
    where there are none, which one comes nearest."""
    choice, near = question.unknown, outcome.nearest()
    assert isinstance(choice, Choice)
    if not right:
        none = f"None of the {count} options will do"
        return (
            f"{none}: {Telling(question, COUNT, outcome).outermost(near)}." if near else f"{none}."
        )
    says = {name: ", ".join(_said(question, known)) for name, known in right.items()}
    called = {name: f"{name.replace('_', '-')} ({choice.options[name]})" for name in right}
    if len(right) == 1:
        [(name, values)] = says.items()
        return f"Only {called[name]} will do{f': then {values}' if values else ''}."
    parts = [name.replace("_", "-") for name in right]
    if len(right) <= RANGES:
        parts = [f"{called[name]}, with which {values}" for name, values in says.items()]
    listed = f"{', '.join(parts[:-1])}, and {parts[-1]}"
    if len(right) == count:
        return f"Every option will do: {listed}."
    return f"{count_text(len(right))} of the {count} options will do: {listed}."


def _said(question: InverseQuestion, known: Known) -> Iterator[str]:
    """What is compared, with its name: the total is 300 s."""
    for name, quantity in question.compared.items():
        value = known.get(name)
        if value is None:
            yield f"{the(quantity)} has no value"
        else:
            yield f"{the(quantity)} {_is(quantity)} {hedged(amount_of(value, quantity.unit))}"


def numbers_in(words: str) -> Sequence[str]:
    """The numbers in a text, to see what was said already."""
    return re.findall(r"[0-9][0-9.\u2009\u00a0\u202f ]*", words)
