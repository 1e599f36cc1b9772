"""A search in words: what is to be found, which values of the unknown there are, and what is
compared at the answer and beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import Nearest, SearchOutcome, amount
from ddcalc.formula.expression import Known, Number, Operator
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.amounts import apart
from ddcalc.numbers.units import ONE, Measured, Unit, is_suffix
from ddcalc.problem.quantity import Choice, Given, Quantity, StatedBound
from ddcalc.problem.sentences import capital, series
from ddcalc.problem.speaker import hedged

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
RANGES, POINTS = 3, 12  # options that are named in a sentence, and solutions that are listed
FAR: Final = 1_000  # times the least whole number, from where on the greatest is but mentioned
NEVER: Final = 10**5  # times the smaller end, beyond which nobody asks for the larger one
_WORDS: Final[Mapping[Operator, str]] = {
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
        name = other.title if isinstance(other, StatedBound) else the(other)
        if isinstance(known := question.stated.measured.get(other.title), Measured):
            unit = relation.told_in(question.stated) or other.unit  # of an earlier part
            name = hedged(amount_of(known.value, unit))
        return f"{_WORDS[relation.op] or 'equal to'} {name}"
    bound = amount_of(relation.bound.value, relation.bound.unit, stated=True)
    return f"{_WORDS[relation.op]} {bound}".strip()


def _claim(relation: Relation, question: InverseQuestion) -> str:
    """``the total is at most 300 s``."""
    quantity = question.compared[relation.name]
    return f"{the(quantity)} {are(quantity)} {_compared(relation, question)}"


def sentence(question: InverseQuestion, outcome: SearchOutcome, unit: Unit) -> str:
    """Which values of the unknown there are, amounts of it in *unit*; what is compared there, and
    what fails beside it, or comes nearest where there is none."""
    said = _Telling(question, outcome, unit)
    return said.of_options() if isinstance(question.unknown, Choice) else said.of_numbers()


def in_short(question: InverseQuestion, outcome: SearchOutcome, unit: Unit) -> tuple[str, str]:
    """The one range, or number, that there is, under its name: ``Number of workers``, ``at least
    6``; ``H with the least total time``, ``39``. It is one of a number."""
    bounds = _Telling(question, outcome, unit).bounds(outcome.solutions[0])
    name, extreme = the(question.given).removeprefix("the "), question.extreme
    if extreme is not None:
        best = the(question.compared[extreme.name]).removeprefix("the ")
        name += f" with the {extreme.extreme} {best}"
    return capital(name), bounds.removeprefix("exactly ")


@dataclass(frozen=True, slots=True)
class _Telling:
    question: InverseQuestion
    outcome: SearchOutcome
    unit: Unit

    def of_numbers(self) -> str:
        """Which numbers there are, and what follows at the answer."""
        outcome, pieces, value = self.outcome, self.outcome.solutions, self.outcome.value
        if outcome.kind == "none":
            return f"{self._none()}."
        span, extreme = outcome.tried, self.question.extreme
        if extreme is not None and value is not None:
            return self._extreme(extreme, value, self._best)
        tried_all = span and len(pieces) == 1 and (pieces[0].low, pieces[0].high) == span
        if outcome.kind == "always" or (tried_all and not self.question.end):
            about = (x for x in self.question.bounds if x.name == self.question.unknown.name)
            allowed = " and ".join(_compared(one, self.question) for one in about)
            return f"Any {self._name}{allowed and f' that is {allowed}'} will do."
        if len(pieces) > 1:
            return f"{self._several(value)}."
        words, then = self._range(pieces[0]), self._then(value)
        known = f" (tried {outcome.span(self.unit)})" if span else ""
        if known and not self.question.given.whole:
            known = " (not proved)"
        if not (span or outcome.complete) and pieces[0].high is not None:
            known = f" (known up to {amount(pieces[0].high, self.unit)})"
        limit = pieces[0].high if "at most" in words else pieces[0].low
        if value is not None and not pieces[0].is_point and (value != limit or "from " in words):
            then = then.replace(": then ", f"; with {self._number(value)}, ", 1)
        return f"{words if self._is_letter else capital(words)}{known}{then}."

    def _extreme(self, relation: Relation, at: Any, where: str) -> str:
        """``With 6 local epochs the total is least: 1 500 s``."""
        what = self.question.compared[relation.name]
        worth = self.outcome.compared(at).get(relation.name)
        amount = "" if worth is None else f": {hedged(amount_of(worth, what.unit))}"
        among = self._among(relation.name)
        said = f"{where} {_claim(relation, self.question)}{among and f', {among}'}"
        return f"{capital(said)}{amount}."

    @property
    def _best(self) -> str:
        """``with 6 local epochs``."""
        shown = " or ".join(map(self.bounds, self.outcome.solutions)).replace("exactly ", "")
        if self._is_letter:
            return f"with {self._subject} {'= ' * shown[:1].isdecimal()}{shown}"
        if not self._counts:
            return f"where {self._subject} is {shown}"
        name = named(self.question.given.called)
        return f"with {shown} {singular(name) if shown == '1' else name}"

    def _none(self) -> str:
        """There is no solution: what comes nearest, or fails beside what would be."""
        outcome, what = self.outcome, f"No {self._name} will do"
        if all(one.name != self.question.unknown.name for one in self.question.bounds):
            wanted = (
                f"{the(self.question.compared[one.name])} {_compared(one, self.question)}"
                for one in self.question.bounds
            )
            what = f"No {self._name} makes {' and '.join(wanted)}"
        if near := outcome.nearest():
            return f"{what}: {self._nearest(near)}"
        return what

    def _nearest(self, near: Nearest) -> str:
        """What comes nearest: ``the least total is 14.5 s, with 500 workers for example``."""
        quantity = self.question.compared[near.name]
        relation = next(one for one in self.question.relations if one.name == near.name)
        unit = relation.told_in(self.question.stated) or quantity.unit
        value = hedged(apart(near.value, relation.bound.value, unit)[0])
        plain = not (is_counted(quantity) or is_clause(quantity))
        sense = near.sense if plain else f"{near.sense} value of"
        what = the(quantity).removeprefix("the ")
        among = self._among(near.name)
        said = f"the {sense} {what} is {value}, for example with {self._number(near.at)}"
        return f"{among}, {said}" if among else said

    def _among(self, name: str) -> str:
        """``where the cost is at most 2 USD``: what must hold besides what is said of *name*."""
        others = (one for one in self.question.bounds if one.name != name)
        said = " and ".join(_claim(one, self.question) for one in others)
        return f"where {said}" if said else ""

    def _several(self, value: Number | None) -> str:
        """There are several ranges; the answer is the least or the greatest value."""
        listed, pieces = self.outcome.ranges(self.unit), self.outcome.solutions
        if len(pieces) <= POINTS and all(piece.is_point for piece in pieces):
            listed = series([str(amount(piece.low or 0, self.unit)) for piece in pieces])
        known = "" if self.outcome.complete else " so far"
        if value is None:
            return f"{capital(self._subject)} can be {listed}{known}"
        which = "largest" if self.outcome.kind == "greatest" else "least"
        what = self._subject.removeprefix("the ")
        chosen = f"The {which} {what} is {amount(value, self.unit)}"
        return f"{chosen} (solutions{known}: {listed}){self._then(value)}"

    # Parts of sentences

    @property
    def _is_letter(self) -> bool:
        """Whether the question calls its unknown by its letter alone."""
        return self._subject == letter(self.question.given.letter)

    @property
    def _counts(self) -> bool:
        return is_counted(self.question.given)

    @property
    def _name(self) -> str:
        """What there is none of, or any; and how far it was tried."""
        name = f"value of {letter(self.question.given.letter)}"
        name = self._subject.removeprefix("the ") if self._counts else name
        tried = f" that was tried ({self.outcome.span(self.unit)})" if self.outcome.tried else ""
        return f"{name}{tried}"

    @property
    def _subject(self) -> str:
        unknown = self.question.given
        clause = not self._counts and is_clause(unknown)
        return f"the value of {letter(unknown.letter)}" if clause else the(unknown)

    def _range(self, piece: Piece) -> str:
        """``at least 6 workers``; ``the size must be at least 150 kB``."""
        bounds = self.bounds(piece)
        if not self._counts:
            return f"{self._subject} must be {bounds}"
        name = named(self.question.given.called)
        return f"{bounds} {singular(name) if re.search(r'(?<![0-9.,]) 1$', bounds) else name}"

    def bounds(self, piece: Piece) -> str:
        """``at least 6``, ``from 2 to 5``; ends that the type itself sets are left out."""
        low, high = piece.low, piece.high
        if piece.is_point and low is not None:
            return f"exactly {amount(low, self.unit)}".replace("exactly about", "about")
        limits = [end for part in self.outcome.admitted for end in (part.low, part.high)]
        limits += self.outcome.tried or ()
        limits += [piece.high] * (not (self.outcome.complete or self.outcome.tried))
        counts_none = self._counts and low == 0  # which "at most" would leave open
        if low in limits and high is not None and high not in limits and not counts_none:
            low = None
        elif low is not None and high in limits:
            high = None
        ends = [] if low is None else ["at least" if piece.low_in else "more than"]
        ends += [] if high is None else ["at most" if piece.high_in else "less than"]
        amounts = [amount(end, self.unit) for end in (low, high) if end is not None]
        if ends == ["at least", "at most"]:
            if isinstance(low, int) and isinstance(high, int) and high > FAR * low > 0:
                most = f" (and at most {amounts[1]})" if high < NEVER * low else ""
                return f"at least {amounts[0]}{most}"
            return f"from {amounts[0]} to {amounts[1]}"
        return " and ".join(map(" ".join, zip(ends, amounts, strict=True))) or "of any size"

    def _then(self, value: Number | None) -> str:
        """What is compared at the answer, and beside it."""
        if value is None:
            return ""
        fails = filter(None, (self._at(at, fails=True) for at in self.outcome.beside))
        beside, here = ", and ".join(fails), self._at(value, fails=False)
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
        unit = relation.told_in(self.question.stated) or quantity.unit
        mine, bound = apart(left, right, unit)
        called, be = the(quantity), "would be" if fails else are(quantity)
        if not isinstance(relation.other, StatedBound | Given | None):
            other = the(relation.other)
            if left == right:
                both = "would both be" if fails else "are both"
                return f"{called} and {other} {both} {hedged(mine)}"
            return f"{called} {be} {hedged(mine)} and {other} {hedged(bound)}"
        if not fails:
            bound = amount_of(right, unit, stated=True)
            return f"{called} {be} {hedged(bound if left == right and bound.exact else mine)}"
        others = {one.name for one in self.question.relations} - {self.question.unknown.name}
        if len(others) == 1 and self.outcome.kind != "none" and relation.op != "==":
            called = "they" if are(quantity) == "are" else "it"
        if left == right:
            return f"{called} {be} {hedged(mine)}, not {_WORDS[relation.op]} that"
        stated = amount_of(right, unit, stated=True)
        how = "more" if left > right else "less"
        return f"{called} {be} {hedged(mine)}, {how} than {stated if stated.exact else bound}"

    def _number(self, at: Number) -> str:
        shown = amount_of(at, self.question.given.unit)
        return hedged(shown) if self._counts else f"{letter(self.question.given.letter)} = {shown}"

    # Choices

    def of_options(self) -> str:
        """Which options there are, each with what is compared."""
        choice, right = self.question.unknown, self.outcome.options
        assert isinstance(choice, Choice)
        count = len(choice.options)
        if not right:
            return f"None of the {count} options will do."
        says = {name: ", ".join(self._said(self.outcome.compared(name))) for name in right}
        called = {name: f"{name.replace('_', '-')} ({choice.options[name]})" for name in right}
        if (extreme := self.question.extreme) is not None:
            return self._extreme(extreme, right[0], f"with {' or '.join(called.values())}")
        if len(right) == 1:
            [(name, values)] = says.items()
            return f"Only {called[name]} will do{f': then {values}' if values else ''}."
        parts: Sequence[str] = [name.replace("_", "-") for name in right]
        if len(right) <= RANGES:
            parts = [f"{called[name]}, with which {values}" for name, values in says.items()]
        listed = f"{', '.join(parts[:-1])}, and {parts[-1]}"
        many = "Every option" if len(right) == count else f"{len(right)} of the {count} options"
        return f"{many} will do: {listed}."

    def _said(self, known: Known) -> Iterator[str]:
        """What is compared, with its name: the total is 300 s."""
        for name, quantity in self.question.compared.items():
            value = known.get(name)
            shown = None if value is None else hedged(amount_of(value, quantity.unit))
            yield f"{the(quantity)} {f'{are(quantity)} {shown}' if shown else 'has no value'}"


# What quantities are called inside of sentences: the number of workers, the total time


def named(name: str) -> str:
    """*name* without what is said behind a comma or in brackets, but plan of (b)."""
    return re.split(r"[,;:]|(?<! in) \((?!\w{1,2}\))", name, maxsplit=1)[0].strip()


def is_several(name: str) -> bool:
    """Whether *name* is of several things: workers, samples per second."""
    head = _ENDS.split(name, maxsplit=1)[0]
    is_word = " and " not in head and not is_suffix(head)  # but s, of which 3 s would be a time
    return head.endswith("s") and not head.endswith(_LIKE_ONE) and is_word


def singular(name: str) -> str:
    """One of several: worker, mini-batch that is left."""
    head = _ENDS.split(name, maxsplit=1)[0]
    one = re.sub(r"(?<=ch|sh|ss)es$|(?<=x)es$|s$", "", re.sub(r"ies$", "ys", head))
    return one + name[len(head) :]


def is_counted(quantity: Quantity) -> bool:
    """Whether it is how many of something there are."""
    plain = not re.match(r"(?:how|what|when|where|whether|which)\b", quantity.called)
    return plain and quantity.unit.dimension == ONE and is_several(quantity.called)


def is_clause(quantity: Quantity) -> bool:
    """Whether its name is more of a sentence than of a noun."""
    return bool(_CLAUSE.search(quantity.called))


def the(quantity: Quantity) -> str:
    """What *quantity* is called in a sentence: the number of workers, the total time; its letter
    first where its name is more of a clause."""
    name = named(quantity.called)
    if quantity.called == quantity.letter:
        return letter(quantity.letter)
    if is_counted(quantity):
        return f"the number of {name}"
    if is_clause(quantity):
        return f"{letter(quantity.letter)} ({quantity.called})"
    return name if _BARE.match(name) else f"the {name}"


def are(quantity: Quantity) -> str:
    """The verb behind that: is, or are."""
    several = is_several(quantity.called) and not is_counted(quantity) and not is_clause(quantity)
    return "are" if several else "is"
