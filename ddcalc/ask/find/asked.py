"""What is asked: which given is the unknown, what must hold, and what else is stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ddcalc.ask.find.relation import Relation, refuse_letter, relations
from ddcalc.errors import BadValue, DdcalcError, Missing, Several, UnknownName
from ddcalc.numbers.matrix import in_rows
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.stated import Stated, Texts, read


@dataclass(frozen=True, slots=True)
class Asked:
    """For which values of the *unknown* do all *relations* hold?

    In *stated* something stands in for the unknown, which is not stated.
    """

    stated: Stated
    unknown: Given | Choice
    relations: tuple[Relation, ...]

    @property
    def is_choice(self) -> bool:
        """Whether the unknown is a choice, not a number."""
        return isinstance(self.unknown, Choice)


def asked(problem: type[Problem], unknown: str, where: Sequence[str], texts: Texts) -> Asked:
    """The question for *unknown*, so that what *where* says holds, with *texts* for the others.

    Raises a DdcalcError, Several where more than one thing is wrong.
    """
    found = _unknown(problem, unknown)
    if stated := [key for key in texts if key.replace("-", "_") == found.name]:
        told = texts[stated[0]]
        text = told if isinstance(told, str) else ", ".join(told)
        reason = "is stated, but it is what is to be found; leave one of the two away"
        raise BadValue(text, reason).about(stated[0])
    _refuse_rows(problem, found.name, texts)
    stand_in = _stand_in(found) if isinstance(found, Given) else found.default
    errors: list[DdcalcError] = [] if where else [Missing(["where"])]
    wanted: tuple[Relation, ...] = ()
    try:
        wanted = relations(where, problem.quantities)
    except DdcalcError as error:
        errors.append(error)
    try:
        question = read(problem, {**texts, found.name: stand_in})
    except DdcalcError as error:
        errors.append(error)
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    if isinstance(found, Given):  # with another choice other things may be part of it
        _check(wanted, question)
    return Asked(question, found, wanted)


def _refuse_rows(problem: type[Problem], name: str, texts: Texts) -> None:
    """A count of rows is no unknown where the rows are written down."""
    for key, text in texts.items():
        given = problem.givens.get(key.replace("-", "_"))
        if given is not None and given.rows == name and in_rows(text):
            reason = f"is stated by the rows of {given.name}; write all values as one list instead"
            raise BadValue(name, reason).about("find")


def _unknown(problem: type[Problem], name: str) -> Given | Choice:
    known: Mapping[str, Given | Choice] = {**problem.givens, **problem.choices}
    spelling = name.replace("-", "_")
    if spelling not in known:
        base = spelling.partition("[")[0]
        if base in known:
            reason = "is one value of a list; only a given with one value is found"
            raise BadValue(name, reason).about("find")
        if spelling in problem.quantities:
            reason = "follows from the givens; leave --find away to work it out"
            raise BadValue(name, reason).about("find")
        try:
            refuse_letter(name, problem.givens.values())
        except BadValue as error:
            raise error.about("find") from None
        raise UnknownName("given", name, known).about("find")
    found = known[spelling]
    if isinstance(found, Given) and found.many == "list":
        raise BadValue(name, "is a list; only a given with one value is found").about("find")
    return found


def _stand_in(given: Given) -> str:
    """A text that *given* admits."""
    limits = [limit for limit in (given.least, given.above) if limit is not None]
    value = Fraction(max(limits, default=0) + given.unit.worth)
    if given.most is not None and value > given.most:
        value = Fraction(max(limits, default=given.most) + given.most) / 2
    told = Fraction(ceil(value)) if given.whole else value / given.unit.worth
    return f"{told} {given.unit.name}".rstrip()


def _check(wanted: Sequence[Relation], stated: Stated) -> None:
    """Raise BadValue unless all that *wanted* is about is one value each in this question."""
    one = {name for name, told in stated.measured.items() if not isinstance(told, tuple)}
    lists = {*stated.measured} - one
    if not stated.is_played:
        for name, _, behind in plan(stated.problem, stated.shape).layout:
            (one if behind is None else lists).add(name)
    else:
        one |= {*stated.problem.quantities} - {*stated.problem.givens}
    for relation in wanted:
        if relation.name in lists:
            reason = "is a list here; something that is one value can be compared"
            raise BadValue(relation.name, reason).about("where")
        if relation.name not in one:
            reason = "is not part of this question; known: " + ", ".join(sorted(one))
            raise BadValue(relation.name, reason).about("where")
