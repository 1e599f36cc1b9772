"""A search in words: what is to be found, which values of the unknown there are, and what is
compared at the answer and beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, repeat
from math import isinf
from typing import Any, Final

from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import Outcome, edge_text, ranges
from ddcalc.formula.expression import Number, Operator, letter
from ddcalc.numbers.amounts import amount, apart
from ddcalc.numbers.units import ONE, PERCENT, Unit, is_suffix
from ddcalc.problem.quantity import Choice, Derived, Quantity, StatedBound
from ddcalc.problem.said.sentences import capital, series
from ddcalc.problem.said.speaker import hedged

_AGREES = re.compile(r"(?<=^ that )(?:are|share|exchange|split)\b")  # with several
_ENDS: Final = re.compile(
    r" (?:of|that|on|in|until|with|per|for|at|by|to|from|after|before|between|than|over|up|besides|"
    r"against|within|under|among|during|since|through|via|"
    r"without|which|whose|if|as|below|above|inside|wanted|left|sent|read|written|a second|"
    r"used|wasted|lost|dropped|needed|allowed|reached|counted|made|saved|finished)"
    r"\b|[,;:(]"
)
_BARE: Final = re.compile(
    r"(?:a|all|an|any|each|every|how|its|one|the|two|what|where|whether|which|who|with|adding|"
    r"computing|decoding|encoding|exchanging|processing|reading|sending|waiting|writing)\b(?!-)|[^a-z]"
)
_CLAUSE: Final = re.compile(
    r"^(?:when|what|where|whether|which|who|how|with|if)\b|[,;]|(?<! that)(?<! which) is "
)
MANY: Final = 3  # options that are told with what they mean
RELATED: Final[Mapping[Operator, str]] = {
    "<": "less than", "<=": "at most", "==": "", ">=": "at least", ">": "more than",
}  # fmt: skip


def title(question: InverseQuestion) -> str:
    """What is to be found: ``Find the number of workers, m, for which the total is at most 300 s``;
    of a choice which option to take."""
    parts: list[str] = []
    for place, relation in enumerate(question.relations):
        quantity = question.stated.problem.quantities[relation.name]
        known = _compared(relation, question)
        if quantity is question.unknown:
            known = f"{letter(relation.letter) if place else 'it'} is {known}"
        elif relation.name not in [one.name for one in question.relations[:place]]:
            known = _claim(relation, question)
        parts.append(known)
    relations, unknown = " and ".join(parts), question.unknown
    if isinstance(unknown, Choice):
        asks = re.match(r"(?:what|how|where|whether|which|who|when|whose)\b", unknown.title)
        taken = f"which {unknown.name.replace('_', '-')} to take ({unknown.title})"
        return f"Find out {unknown.title if asks else taken}, so that {relations}"
    name, sign = the(unknown), letter(unknown.letter)
    is_told = name.removeprefix("the ") == sign or name.startswith(f"{sign} (")
    return f"Find {name if is_told else f'{name}, {sign},'} for which {relations}"


def _compared(relation: Relation, question: InverseQuestion) -> str:
    """``at most 300 s``, ``equal to the time to send``, ``least``."""
    if relation.extreme:
        return relation.extreme
    if (other := relation.other) is not None:
        name = other.made if isinstance(other, StatedBound) else the(other)
        for result in (x for n, x in question.stated.problem.givens.items() if "." in n):
            sign = letter(result.letter)
            name = {sign: the(result), f"{sign}/2": f"half of {the(result)}"}.get(name, name)
        return f"{RELATED[relation.op] or 'equal to'} {name}"
    bound = amount(relation.bound.value, relation.bound.unit, stated=True)
    return f"{RELATED[relation.op]} {bound}".strip()


def _claim(relation: Relation, question: InverseQuestion, verb: str = "is ") -> str:
    """``the total is at most 300 s``."""
    return f"{the(question.compared[relation.name])} {verb}{_compared(relation, question)}"


def sentence(question: InverseQuestion, outcome: Outcome, unit: Unit) -> str:
    """Which values of the unknown there are, amounts of it in *unit*; what is compared there, or
    comes nearest where there is none."""
    said = _Telling(question, outcome, unit)
    return said.of_options() if isinstance(question.unknown, Choice) else said.of_numbers()


@dataclass(frozen=True, slots=True)
class _Telling:
    question: InverseQuestion
    outcome: Outcome
    unit: Unit

    def of_numbers(self) -> str:
        """Which numbers there are, and what follows at the answer."""
        outcome, pieces, value = self.outcome, self.outcome.solutions, self.outcome.value
        span, extreme = outcome.tried, self.question.extreme
        if outcome.kind == "none":
            return f"{self._none()}."
        if extreme is not None and value is not None:
            shown = " or ".join(map(self.bounds, pieces)).replace("exactly ", "")
            where = f"where {self._subject} is {shown}"
            if self._counts or self._subject == self._sign:
                alone = f"{self._sign} {'= ' * shown.lstrip('−')[:1].isdecimal()}{shown}"
                where = f"with {self._counted(shown) if self._counts else alone}"
            return self._extreme(extreme, value, where)
        is_any = outcome.kind == "always" and outcome.admitted == outcome.possible
        if is_any or (not self.question.end and [(x.low, x.high) for x in pieces] == [span]):
            return f"Any {self._name} will do."
        if self.question.end and value is not None:
            return f"{self._end(self.question.end, value)}."
        then, known = self._then(value), "" if outcome.complete else " so far"
        values = outcome.listed
        if len(pieces) > 1:
            every = ranges(pieces, self.question.given, self.unit)
            if value is None:
                return f"{capital(self._subject)} can be {every}{known}."
            listed = f" (solutions{known}: {every})" * (not values)
            return f"{self._end(outcome.kind, value)}{listed}{then}."
        piece, bounds = pieces[0], self.bounds(pieces[0])
        words = self._counted(bounds) if self._counts else f"{self._subject} must be {bounds}"
        if values and piece.is_point and value is not None:
            words = f"Only {self._sign} = {edge_text(value, self.unit)} will do"
        if span:
            known = f" (tried {outcome.span(self.unit)})" if piece.whole else " (not proved)"
        elif known and outcome.last is not None:
            upto = "known up to" if piece.high == outcome.last else "not decided beyond"
            known = f" ({upto} {edge_text(outcome.last, self.unit)})"
        limit = piece.high if "at most" in words else piece.low
        if value is not None and not piece.is_point and (value != limit or "from " in words):
            then = then.replace(": then ", f"; with {self._number(value)}, ", 1)
        words = words if self._subject == self._sign else capital(words)
        return f"{words}{known}{then}."

    def _claims(self, relations: Iterable[Relation], first: str = "is ", then: str = "is ") -> str:
        """``the total is at most 300 s and the cost is at most 5 USD``; other verbs if so said."""
        verbs = chain([first], repeat(then))
        return " and ".join(map(_claim, relations, repeat(self.question), verbs))

    def _end(self, sense: str, value: Number) -> str:
        """``The largest number of workers for which the time is at most 3 s is 93``."""
        which = "largest" if sense == "greatest" else "least"
        name = self._subject.removeprefix("the ")
        others = (x for x in self.question.bounds if x.name != self.question.unknown.name)
        if self.question.end and (claims := self._claims(others)):
            name += f" for which {claims}"
        return f"The {which} {name} is {edge_text(value, self.unit)}"

    def _extreme(self, relation: Relation, at: Any, where: str) -> str:
        """``With 6 local epochs the total is least: 1 500 s``."""
        what = self.question.compared[relation.name]
        spare = self.outcome.spare
        needed = [one for one in self.question.bounds if one not in spare]
        besides = f" if {self._claims(needed, 'is to be ', '')}" * bool(needed)
        besides += f", whether or not {self._claims(spare, then='')}" * bool(spare)
        worth = self.outcome.compared(at).get(relation.name)
        told = "" if worth is None else f": {hedged(amount(worth, what.unit))}"
        claim = _claim(relation, self.question) + ", as far as it is positive" * self.outcome.is_cut
        where += "," * (where[-1:].isdigit() and claim[:4] != "the ")  # m = 7, T/m is least
        return f"{capital(where)} {claim}{besides}{told}."

    def _none(self) -> str:
        """There is no solution, and what comes nearest."""
        near, what = self.outcome.nearest, f"No {self._name} will do"
        is_limit = near is not None and not near.is_reached
        extreme = self.question.extreme if is_limit else None
        bounds = [extreme] if extreme else self.question.bounds
        if all(one.name != self.question.unknown.name for one in bounds):
            what = f"No {self._name} makes {self._claims(bounds, '', '')}"
        if not near:
            return what
        relation, quantity = near.relation, self.question.compared[near.relation.name]
        others = self._claims(x for x in self.question.bounds if x.name != relation.name)
        among = f"where {others}, " * bool(others)
        unit, sign = relation.told_in(self.question.stated) or quantity.unit, self._sign
        subject = "it" if is_limit and len(bounds) == 1 and not among else the(quantity)
        smooth = f"without rounding {near.rounding}, " * bool(near.rounding)
        said = f"{what}: {among}{smooth}{subject}"
        if is_limit:
            place = f"the larger {sign} is"
            if near.end is not None:
                place = f"the nearer {sign} comes to {amount(near.end, self.unit)}"
            if isinf(near.value):
                return f"{said} {'grows' if near.value > 0 else 'falls'} without end, {place}"
            return f"{said} comes ever nearer to {hedged(amount(near.value, unit))}, {place}"
        value = hedged(apart(near.value, relation.bound.value, unit)[0])
        example = f"for example with {self._number(near.at)}"
        return f"{said} is at {near.sense.replace('greatest', 'most')} {value}, {example}"

    @property
    def _sign(self) -> str:
        return letter(self.question.given.letter)

    @property
    def _counts(self) -> bool:
        return is_counted(self.question.given)

    @property
    def _name(self) -> str:
        """What there is none of, or any; and how far it was tried."""
        name = f"value of {self._sign}"
        name = self._subject.removeprefix("the ") if self._counts else name
        tried = f" that was tried ({self.outcome.span(self.unit)})" if self.outcome.tried else ""
        by = max((one.whole for one in self.outcome.admitted), default=0)
        return f"{name}{f' that is a multiple of {by}' if by > 1 else tried}"

    @property
    def _subject(self) -> str:
        is_long = not self._counts and is_clause(self.question.given)
        return f"the value of {self._sign}" if is_long else the(self.question.given)

    def _counted(self, bounds: str) -> str:
        """``at least 6 workers``."""
        name, (end, *by) = named(self.question.given.called), bounds.split(", in ")
        one = re.search(r"(?:^|(?<![0-9.,]) )1$", end)
        return ", in ".join([f"{end} {singular(name) if one else name}", *by])

    def bounds(self, piece: Piece) -> str:
        """``at least 6``, ``from 2 to 5``; ends that the type itself sets are left out."""
        low, high = piece.low, piece.high
        if piece.is_point and low is not None:
            return f"exactly {edge_text(low, self.unit)}".replace("exactly about", "about")
        limits = [end for part in self.outcome.possible for end in (part.low, part.high)]
        limits += self.outcome.tried or ()
        limits += [self.outcome.last]
        if low in limits and high is not None and high not in limits:
            low = None
        elif low is not None and high in limits:
            high = None
        ends = [] if low is None else ["at least" if piece.low_in else "more than"]
        ends += [] if high is None else ["at most" if piece.high_in else "less than"]
        amounts = [edge_text(end, self.unit) for end in (low, high) if end is not None]
        by = f", in multiples of {piece.whole}" * (piece.whole > 1)
        if ends == ["at least", "at most"]:
            return f"from {amounts[0]} to {amounts[1]}{by}"
        return (" and ".join(map(" ".join, zip(ends, amounts, strict=True))) or "of any size") + by

    def _then(self, value: Number | None) -> str:
        """What is compared at the answer; of two quantities that they are so, wherever it holds."""
        every = (x for x in self.question.bounds if x.name != self.question.unknown.name)
        bounds = [one for one in every if one.op != "==" or one.other is not None]
        if value is None or not bounds:
            return ""
        if any(isinstance(one.other, Derived) and one.op != "==" for one in bounds):
            return f", so that {self._claims(bounds)}"
        values, said = self.outcome.compared(value), dict[str, str]()
        for relation in bounds:
            quantity, (left, right) = self.question.compared[relation.name], relation.sides(values)
            if left is not None and right is not None:
                unit = relation.told_in(self.question.stated) or quantity.unit
                shown, stated = apart(left, right, unit)[0], amount(right, unit, stated=True)
                is_bound = left == right or self.outcome.is_about(left, right)
                worth = replace(stated, exact=left == right) if is_bound and stated.exact else shown
                said.setdefault(relation.name, f"{the(quantity)} is {hedged(worth)}")
        beside = self.outcome.derived[1] if [one.op for one in bounds] == ["=="] else ""
        return f": then {' and '.join(said.values())}{beside and f'; {beside}'}" if said else ""

    def _number(self, at: Number) -> str:
        shown = amount(at, self.question.given.unit)
        return hedged(shown) if self._counts else f"{letter(self.question.given.letter)} = {shown}"

    def of_options(self) -> str:
        """Which options there are."""
        choice, right = self.question.unknown, self.outcome.options
        assert isinstance(choice, Choice)
        count = len(choice.options)
        if not right:
            return f"None of the {count} options will do."
        called = {name: f"{choice.written(name)} ({choice.options[name]})" for name in right}
        if (extreme := self.question.extreme) is not None:
            return self._extreme(extreme, right[0], f"with {' or '.join(called.values())}")
        if len(right) == 1:
            return f"Only {called[right[0]]} will do."
        many = "Every option" if len(right) == count else f"{len(right)} of the {count} options"
        names = [*map(choice.written, right)]
        return f"{many} will do: {series(names if len(right) > MANY else [*called.values()])}."


# What quantities are called inside of sentences: the number of workers, the total time


def named(name: str) -> str:
    """*name* without what is said behind a comma or in brackets, but plan of (b)."""
    return re.split(r"[,;:]|(?<! in) \((?!\w{1,2}\))", name, maxsplit=1)[0].strip()


def is_several(name: str) -> bool:
    """Whether *name* is of several things: workers, samples per second."""
    head = _ENDS.split(name, maxsplit=1)[0]
    is_word = " and " not in head and (len(head) > len("MiB") or not is_suffix(head))
    return head.endswith("s") and not head.endswith(("ss", "us", "is")) and is_word


def singular(name: str) -> str:
    """One of several: worker, mini-batch that is left."""
    head = _ENDS.split(name, maxsplit=1)[0]
    one = re.sub(r"(?<=ch|sh|ss)es$|(?<=x)es$|s$", "", re.sub(r"ies$", "ys", head))
    return one + _AGREES.sub(lambda x: "is" if x[0] == "are" else f"{x[0]}s", name[len(head) :])


def is_counted(quantity: Quantity) -> bool:
    """Whether it is how many of something there are."""
    plain = not re.match(r"(?:how|what|when|where|whether|which)\b", quantity.called)
    plain = bool(plain) and quantity.unit.dimension == ONE and quantity.unit != PERCENT
    name = named(quantity.called)
    return plain and is_several(name) and not name.endswith(("odds", "savings"))


def is_clause(quantity: Quantity) -> bool:
    """Whether its name is more of a sentence than of a noun."""
    return bool(_CLAUSE.search(quantity.called))


def the(quantity: Quantity) -> str:
    """What *quantity* is called in a sentence: the number of workers, the total time; its letter
    first where its name is more of a clause, or of several, so that one verb goes with all."""
    name, made = named(quantity.called), getattr(quantity, "made", "")
    if is_counted(quantity):
        return f"the number of {name}"
    if name == quantity.letter and (is_several(name) or not re.fullmatch("[a-z]{4,}", name)):
        return letter(quantity.letter)
    if made and made == quantity.title:
        return made
    if is_clause(quantity) or is_several(name):
        return f"{made or letter(quantity.letter)} ({quantity.called})"
    return name if _BARE.match(name) else f"the {name}"
