"""A search in words: what is to be found, and which values of the unknown there are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Known, Number, Operator
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import Amount, amount, apart, count_text, in_unit
from ddcalc.numbers.units import COUNT, ONE, Unit
from ddcalc.problem.quantity import Choice, Given, Quantity
from ddcalc.problem.speaker import hedged

DIGITS: Final = 20  # of an irrational end, more than a text has
RANGES: Final = 3  # that are named in a sentence

Sense = Literal["least", "greatest"]

_WORDS: Final[Mapping[Operator, str]] = {
    "<": "less than", "<=": "at most", "==": "", ">=": "at least", ">": "more than",
}  # fmt: skip
_ENDS: Final = re.compile(
    r" (?:of|that|on|in|until|with|per|for|at|by|to|from|after|before|between|than|over|up|besides|"
    r"without|which|whose|if|as|below|above|inside|since|wanted|left|sent|read|written|a second|"
    r"used|wasted|lost|dropped|needed|allowed|reached|counted|made|saved|finished)"
    r"\b|[,;:(]"
)
_BARE: Final = (
    "a", "all", "an", "any", "each", "every", "how", "its", "one", "the", "two", "what", "where",
    "whether", "which", "who", "with",
)  # fmt: skip
_DOING: Final = (
    "adding", "computing", "decoding", "encoding", "exchanging", "processing", "reading",
    "sending", "waiting", "writing",
)  # fmt: skip
_CLAUSE: Final = re.compile(
    r"^(?:when|what|where|whether|which|who|how|with|if)\b|[,;]|(?<! that)(?<! which) is "
)
_LIKE_ONE: Final = ("ss", "us", "is")  # words that end so are not several


# Nouns


def _head(name: str) -> str:
    """The words before the first of those that only say which one."""
    return _ENDS.split(name, maxsplit=1)[0]


def _named(name: str) -> str:
    """*name* without what is said behind a comma or in brackets."""
    return re.split(r"[,;:(]", name, maxsplit=1)[0].strip()


def is_several(name: str) -> bool:
    """Whether *name* is of several things: workers, samples per second."""
    head = _head(name)
    return head.endswith("s") and not head.endswith(_LIKE_ONE) and " and " not in head


def singular(name: str) -> str:
    """One of several: worker, mini-batch that is left."""
    head = _head(name)
    rest = name[len(head) :]
    if head.endswith("ies"):
        return f"{head[:-3]}y{rest}"
    if head.endswith(("ches", "shes", "sses", "xes")):
        return f"{head[:-2]}{rest}"
    return f"{head[:-1]}{rest}"


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
    first = name.partition(" ")[0]
    bare = first in (*_BARE, *_DOING) or not first[:1].islower()
    return name if bare else f"the {name}"


def _is(quantity: Quantity) -> str:
    clause = _CLAUSE.search(quantity.called)
    several = is_several(quantity.called) and not is_counted(quantity) and not clause
    return "are" if several else "is"


# The question


def title(question: InverseQuestion) -> str:
    """What is to be found, as a sentence."""
    relations = " and ".join(
        _relation(question, relation, i) for i, relation in enumerate(question.relations)
    )
    unknown = question.unknown
    if isinstance(unknown, Choice):
        return f"Find out {_indirectly(unknown)}, so that {relations}"
    name, sign = the(unknown), letter(unknown.letter)
    called = name if name.startswith(sign) else f"{name}, {sign},"
    return f"Find {called} for which {relations}"


def _indirectly(choice: Choice) -> str:
    """What a choice is about, as an indirect question."""
    words = choice.title
    first = words.partition(" ")[0]
    asks = first in ("what", "how", "where", "whether", "which", "who", "when", "whose")
    return words if asks else f"which {choice.name.replace('_', '-')} to take ({words})"


def _relation(question: InverseQuestion, relation: Relation, place: int) -> str:
    quantity = question.stated.problem.quantities[relation.name]
    known = _compared(relation, quantity)
    if quantity is question.unknown:
        return f"{'it' if place == 0 else letter(relation.letter)} is {known}"
    same = [one.name for one in question.relations[:place]]
    return known if relation.name in same else f"{the(quantity)} {_is(quantity)} {known}"


def _compared(relation: Relation, quantity: Quantity) -> str:
    """``at most 300 s``, ``equal to the time to send``."""
    if relation.other is not None:
        return f"{_WORDS[relation.op] or 'equal to'} {the(relation.other)}"
    bound = _bare(amount(relation.bound.value, relation.bound.unit, stated=True), quantity)
    return f"{_WORDS[relation.op]} {bound}".strip()


# The answer


@dataclass(frozen=True, slots=True)
class Nearest:
    """The *least* or *greatest* *value* that quantity *name* takes, *where*, and *at* which number
    (or option) for example; if it is not *reached*, its limit towards that number, or without
    end."""

    name: str
    sense: Sense
    value: Number
    where: Sequence[Piece]
    at: Number | str | None
    reached: bool = True


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A number next to the answer, with what is compared there, by name."""

    at: Number
    values: Known


@dataclass(frozen=True, slots=True)
class Facts:
    """What the answer of a search says beside the solutions.

    Other values than those *admitted* are no question of the type; *here* are the values of what is
    compared at the answer, or at the value that comes nearest to one; at those *beside* it
    something fails. An *idle* unknown changes nothing. *why* there is no solution may be known, or
    the value of what is compared that is *nearest* to its bound; of the *span* that was tried,
    which has *ends*, nothing beyond is known.
    """

    admitted: Sequence[Piece] = ()
    here: Neighbour | None = None
    beside: Sequence[Neighbour] = ()
    idle: bool = False
    why: str = ""
    nearest: Nearest | None = None
    span: str = ""
    ends: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class Telling:
    """Says which values of the unknown of a *question* there are, amounts of it in *unit*."""

    question: InverseQuestion
    unit: Unit
    facts: Facts

    @property
    def _unknown(self) -> Given:
        return self.question.given

    # Ways in which a search ends

    def none(self) -> str:
        """There is no solution."""
        what = f"No {self._name}{self._tried} {self._makes()}"
        if self.facts.idle:
            return f"{what}: {self._unchanged()}."
        if self.facts.why:
            return f"{what}: {self.facts.why}."
        if self.facts.nearest is not None:
            return f"{what}: {self.outermost(self.facts.nearest)}."
        nearest = [one for one in (self.facts.here, *self.facts.beside) if one is not None]
        parts = [text for one in nearest if (text := self._at(one, fails=True))]
        return f"{what}: {', and '.join(parts)}." if parts else f"{what}."

    def outermost(self, nearest: Nearest) -> str:
        """What comes nearest: ``the least total is 14.5 s, with at least 500 workers``."""
        others = [one for one in self.question.relations if one.name != nearest.name]
        among = f"where {' and '.join(map(self._said, others))}, " if others else ""
        quantity, value = self._of(nearest)
        if not nearest.reached:
            comes = "come" if _is(quantity) == "are" else "comes"
            closer = f"{comes} ever closer to it {self._towards(nearest)}"
            return f"{among}{self._beyond(nearest)}, and {closer}"
        name = the(quantity).removeprefix("the ")
        clause = name.startswith(letter(quantity.letter)) or is_counted(quantity)
        sense = f"{nearest.sense} value of" if clause else nearest.sense
        return f"{among}the {sense} {name} is {value}, with {self._where(nearest)}"

    def bounded(self, nearest: Nearest) -> str:
        """What is compared on a side of the answer: ``the total is at least 301.5 s``."""
        quantity, value = self._of(nearest)
        if not nearest.reached:
            return self._beyond(nearest)
        how = f"{_is(quantity)} at {'least' if nearest.sense == 'least' else 'most'}"
        where = f" ({self._where(nearest)})" if self._counts else ""
        return f"{the(quantity)} {how} {value}{where}"

    def _beyond(self, nearest: Nearest) -> str:
        """``the time is always more than 70 µs``."""
        quantity, value = self._of(nearest)
        how = "more" if nearest.sense == "least" else "less"
        return f"{the(quantity)} {_is(quantity)} always {how} than {value}"

    def _towards(self, nearest: Nearest) -> str:
        """``as B grows``, ``as n approaches 6``."""
        name = self._subject() if self._counts else letter(self._unknown.letter)
        if nearest.at is None:
            return f"as {name} grows"
        assert not isinstance(nearest.at, str)
        return f"as {name} approaches {self._amount(nearest.at)}"

    def _of(self, nearest: Nearest) -> tuple[Quantity, str]:
        """The quantity, and its value in words."""
        quantity = self.question.stated.problem.quantities[nearest.name]
        sides = [amount(nearest.value, quantity.unit)]
        for relation in self.question.relations:
            if relation.name == nearest.name:
                sides = [*apart(nearest.value, relation.bound.value, quantity.unit)]
        return quantity, hedged(_bare(sides[0], quantity))

    def _said(self, relation: Relation) -> str:
        """``the total is at most 300 s``."""
        quantity = self.question.stated.problem.quantities[relation.name]
        about = quantity is self.question.unknown
        named = letter(relation.letter) if about else the(quantity)
        return f"{named} {'is' if about else _is(quantity)} {_compared(relation, quantity)}"

    def _where(self, nearest: Nearest) -> str:
        """Where that is: ``6 workers``, ``at least 500 workers``, ``n = 6``."""
        if isinstance(nearest.at, str):
            return _spelt(nearest.at)
        assert nearest.at is not None
        if len(nearest.where) > 1 or (not self._counts and not nearest.where[0].is_point):
            return f"{self._number(nearest.at)}{' for example' if len(nearest.where) > 1 else ''}"
        if not self._counts:
            return self._number(nearest.at)
        return self._range(nearest.where[0]).removeprefix("exactly ")

    def _makes(self) -> str:
        """What no value does: ``makes the total less than 10 s``."""
        if len(self._about_others()) < len(self.question.relations):
            return "will do"
        quantities = self.question.stated.problem.quantities
        parts = (
            f"{the(quantities[one.name])} {_compared(one, quantities[one.name])}"
            for one in self.question.relations
        )
        return f"makes {' and '.join(parts)}"

    def always(self) -> str:
        """Everything that the type admits is a solution."""
        what = f"Any {self._name}{self._tried} will do"
        return f"{what}: {self._unchanged()}." if self.facts.idle else f"{what}."

    def one(self, piece: Piece, value: Number | None) -> str:
        """The solutions are one range, or one value."""
        ends = self.facts.ends
        if ends and piece.low in (None, ends[0]) and piece.high in (None, ends[-1]):
            return self.always()
        words, then = self._range(piece), self._then(value)
        known = f" (tried {self.facts.span})" if self.facts.span else ""
        limit = piece.high if "at most" in words else piece.low
        if value is not None and not piece.is_point and value != limit:
            then = then.replace(": then ", f"; with {self._number(value)}, ", 1)
        return f"{self._capital(words)}{known}{then}."

    def several(
        self, pieces: Sequence[Piece], kind: str, value: Number | None, *, complete: bool
    ) -> str:
        """There are several ranges; the answer is the least or the greatest value."""
        shown = pieces if len(pieces) <= RANGES else pieces[: RANGES - 1]
        texts = [self._bounds(piece).removeprefix("exactly ") for piece in shown]
        if len(shown) < len(pieces):
            listed = f"{', '.join(texts)} and so on, in {count_text(len(pieces))} ranges"
        else:
            listed = " or ".join(texts)
        known = "" if complete else " so far"
        if value is None:
            return f"{self._capital(self._subject())} can be {listed}{known}."
        which = "largest" if kind == "greatest" else "least"
        chosen = self._amount(value)
        which = f"The {which} number is {chosen}" if self._counts else f"The {which} is {chosen}"
        return f"{which} (solutions{known}: {listed}){self._then(value)}."

    # Parts of sentences

    @property
    def _counts(self) -> bool:
        return is_counted(self._unknown)

    @property
    def _name(self) -> str:
        """What there is none of, or any."""
        if self._counts:
            return self._subject().removeprefix("the ")
        return f"value of {letter(self._unknown.letter)}"

    @property
    def _tried(self) -> str:
        return f" that was tried ({self.facts.span})" if self.facts.span else ""

    def _subject(self) -> str:
        clause = not self._counts and _CLAUSE.search(self._unknown.called)
        return f"the value of {letter(self._unknown.letter)}" if clause else the(self._unknown)

    def _capital(self, words: str) -> str:
        return f"{words[:1].upper()}{words[1:]}"

    def _range(self, piece: Piece) -> str:
        """``at least 6 workers``; ``the size must be at least 150 kB``."""
        if not self._counts:
            return f"{self._subject()} must be {self._bounds(piece)}"
        bounds = self._bounds(piece)
        return f"{bounds} {self._things(piece)}"

    def _things(self, piece: Piece) -> str:
        name = _named(self._unknown.called)
        last = self._last(piece)
        return (
            singular(name)
            if last == 1 and (piece.is_point or piece.low in self._limits or piece.high is None)
            else name
        )

    def _last(self, piece: Piece) -> Edge | None:
        """The end that is told last."""
        untold = piece.high is None or (piece.low is not None and piece.high in self._limits)
        return piece.low if untold else piece.high

    @property
    def _limits(self) -> list[Edge | None]:
        ends = [end for part in self.facts.admitted for end in (part.low, part.high)]
        return [*ends, *self.facts.ends]

    def _bounds(self, piece: Piece) -> str:
        """``at least 6``, ``between 2 and 5``; ends that the type itself sets are left out."""
        low, high = piece.low, piece.high
        if piece.is_point and low is not None:
            return f"exactly {self._amount(low)}".replace("exactly about", "about")
        limits = self._limits
        counts_none = self._counts and low == 0  # which "at most" would leave open
        if low in limits and high is not None and high not in limits and not counts_none:
            low = None
        elif high in limits and low is not None:
            high = None
        if low is None and high is None:
            return "of any size"
        above = "" if high is None else f"{'at most' if piece.high_in else 'less than'} "
        below = "" if low is None else f"{'at least' if piece.low_in else 'more than'} "
        if high is None and low is not None:
            return f"{below}{self._amount(low)}"
        if low is None and high is not None:
            return f"{above}{self._amount(high)}"
        assert low is not None
        assert high is not None
        if piece.low_in and piece.high_in:
            return f"from {self._amount(low)} to {self._amount(high)}"
        return f"{below}{self._amount(low)} and {above}{self._amount(high)}"

    def _amount(self, x: Edge) -> str:
        made = in_unit(close_to(x, DIGITS), self.unit, exact=15)
        if made.exact and not isinstance(x, Root):
            return str(made)
        return f"about {in_unit(close_to(x, DIGITS), self.unit)}"

    def _then(self, value: Number | None) -> str:
        """What is compared at the answer, and beside it."""
        facts = self.facts
        if value is None or facts.here is None or facts.here.at != value:
            return ""
        here = self._at(facts.here, fails=False)
        beside = ", and ".join(filter(None, (self._at(one, fails=True) for one in facts.beside)))
        if not here:
            return f"; {beside}" if beside else ""
        return f": then {here}" + (f"; {beside}" if beside else "")

    def _at(self, one: Neighbour, *, fails: bool) -> str:
        """What is compared at a number; where it *fails* the relations alone that do."""
        parts: list[str] = []
        names: set[str] = set()
        for relation in self._about_others():
            sides = relation.sides(one.values)
            if None in sides or (fails and relation.holds_among(one.values)):
                continue
            if names.issuperset(relation.names) or self._is_plain(relation, fails=fails):
                continue
            names.update(relation.names)
            parts.append(self._value(relation, one, fails=fails))
        if not parts:
            return ""
        if not fails:
            return " and ".join(parts)
        comma = "" if parts[0].startswith(("it ", "they ")) else ","
        return f"with {self._number(one.at)}{comma} {' and '.join(parts)}"

    def _is_plain(self, relation: Relation, *, fails: bool) -> bool:
        """Whether the question itself says what a quantity is where *relation* holds."""
        return not fails and relation.op == "==" and relation.other is None

    def _value(self, relation: Relation, one: Neighbour, *, fails: bool) -> str:
        quantity = self.question.compared[relation.name]
        left, right = relation.sides(one.values)
        assert left is not None
        assert right is not None
        mine, bound = (_bare(side, quantity) for side in apart(left, right, quantity.unit))
        if relation.other is not None:
            names, be = [the(quantity), the(relation.other)], "are"
            if fails:  # what a letter stands for was said before
                names, be = [name.partition(" (")[0] for name in names], "would be"
            if left == right:
                return f"{' and '.join(names)} {be} both {hedged(mine)}"
            be = be if fails else _is(quantity)
            return f"{names[0]} {be} {hedged(mine)} and {names[1]} {hedged(bound)}"
        if not fails:
            return f"{the(quantity)} {_is(quantity)} {hedged(mine)}"
        named = the(quantity)
        single = len({one.name for one in self._about_others()}) == 1 and self.facts.here is not one
        if single and self.facts.here is not None and self._said_before(relation):
            named = "they" if _is(quantity) == "are" else "it"
        if left == relation.bound.value:
            return f"{named} would be {hedged(mine)}, not {_WORDS[relation.op]} that"
        how = "more" if left > relation.bound.value else "less"
        return f"{named} would be {hedged(mine)}, {how} than {_shown(relation, quantity, bound)}"

    def _said_before(self, relation: Relation) -> bool:
        """Whether the value at the answer was just told."""
        here = self.facts.here
        known = here is not None and here.values.get(relation.name) is not None
        return known and (
            relation.op != "==" or here is None or not relation.holds_among(here.values)
        )

    def _about_others(self) -> list[Relation]:
        return [one for one in self.question.relations if one.name != self._unknown.name]

    def _number(self, at: Number) -> str:
        shown = amount(at, self._unknown.unit)
        if self._counts:
            return hedged(shown)
        return f"{letter(self._unknown.letter)} = {shown}"

    def _unchanged(self) -> str:
        """An idle unknown leaves everything as it is."""
        parts: list[str] = []
        values = {} if self.facts.here is None else self.facts.here.values
        for name, quantity in self.question.compared.items():
            if quantity is self._unknown:
                continue
            left = values.get(name)
            if left is None and name in values:
                parts.append(f"{the(quantity)} {_is(quantity)} undefined here")
                continue
            value = (
                ""
                if left is None
                else f" and {_is(quantity)} {hedged(amount(left, quantity.unit))}"
            )
            verb = "do" if _is(quantity) == "are" else "does"
            parts.append(f"{the(quantity)} {verb} not depend on it{value}")
        return " and ".join(dict.fromkeys(parts))


def _bare(shown: Amount, quantity: Quantity) -> Amount:
    """Without ``/s`` behind a number of things per second."""
    per_second = "per second" in quantity.called or "a second" in quantity.called
    return replace(shown, unit="") if per_second and shown.unit == "/s" else shown


def _shown(relation: Relation, quantity: Quantity, bound: Amount) -> str:
    stated = _bare(amount(relation.bound.value, relation.bound.unit, stated=True), quantity)
    return str(stated if stated.exact else bound)


# Choices


def of_options(
    question: InverseQuestion,
    choice: Choice,
    right: Mapping[str, str],
    count: int,
    nearest: Nearest | None = None,
) -> str:
    """Which options there are; *right* are those that do, each with what is compared. Where there
    are none one comes *nearest*."""
    if not right:
        none = f"None of the {count} options will do"
        telling = Telling(question, COUNT, Facts())
        return f"{none}: {telling.outermost(nearest)}." if nearest else f"{none}."
    parts = [_option(choice, name, values) for name, values in right.items()]
    if len(parts) == 1:
        [(name, values)] = right.items()
        return f"Only {_option(choice, name, '')} will do{f': then {values}' if values else ''}."
    if len(parts) > RANGES:
        parts = [_spelt(name) for name in right]
    listed = f"{', '.join(parts[:-1])}, and {parts[-1]}"
    if len(right) == count:
        return f"Every option will do: {listed}."
    return f"{count_text(len(right))} of the {count} options will do: {listed}."


def _option(choice: Choice, name: str, values: str) -> str:
    where = f", with which {values}" if values else ""
    return f"{_spelt(name)} ({choice.options[name]}){where}"


def _spelt(name: str) -> str:
    return name.replace("_", "-")


def value_in_words(quantity: Quantity, value: Number | None) -> str:
    """What is compared, with its name: the total is 300 s."""
    if value is None:
        return f"{the(quantity)} has no value"
    return f"{the(quantity)} {_is(quantity)} {hedged(amount(value, quantity.unit))}"


def numbers_in(words: str) -> Iterator[str]:
    """The numbers in a text, to see what was said already."""
    yield from re.findall(r"[0-9][0-9.\u2009\u00a0\u202f ]*", words)
