"""Kinds and properties of what a sheet declares: how each is written, and what it sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, Final, NamedTuple

from ddcalc.errors import DdcalcError
from ddcalc.numbers.units import COUNT, SECOND, SHARE, SQUARE_SECOND, Unit, unit_named
from ddcalc.problem.quantity import GIVENS, Derived, FilledBy, Given
from ddcalc.problem.sheet.formulas import unknown
from ddcalc.problem.sheet.text import Text

STEPS: Final[Mapping[str, tuple[Unit, Mapping[str, Any]]]] = {
    "time": (SECOND, {"least": 0}),
    "share": (SHARE, {"least": 0, "most": 1}),
    "part": (SHARE, {}),
}
"""The kinds of steps that are more than a unit, and what holds of each."""


class Property(NamedTuple):
    """How a property is *written*; what stands behind its word is of that *form*; what it sets."""

    written: str
    form: str
    sets: Callable[[str], dict[str, Any]]


def _text(name: str) -> Property:
    return Property(f"{name} …", ".+", lambda text: {name: text.strip('"')})


def _is(word: str, name: str) -> Property:
    return Property(word, "", lambda _: {name: True})


def _bound(sign: str, name: str) -> Property:
    def sets(text: str) -> dict[str, Any]:
        limit = Fraction(text)
        return {name: int(limit) if limit.denominator == 1 else limit}

    return Property(f"{sign} 0", r"-?\d{1,20}(/\d{1,20}|\.\d{1,20})?", sets)


def _filled_by(text: str) -> dict[str, Any]:
    before, _, beside = text.partition(" beside ")
    facts, _, unless = before.partition(" unless ")
    return {"filled_by": FilledBy(*(tuple(one.split()) for one in (facts, unless, beside)))}


PROPERTIES: Final[Mapping[str, Property]] = {
    **{name: _text(name) for name in ("example", "default", "group", "noun", "rows")},
    **{name: _is(name, name) for name in ("optional", "bare", "counted")},
    "open": _is("open", "free"),
    "best": Property("best greatest", "least|greatest", lambda end: {"best": end}),
    "first": Property("first 0", r"\d{1,9}", lambda text: {"first": int(text)}),
    ">=": _bound(">=", "least"),
    ">": _bound(">", "above"),
    "<=": _bound("<=", "most"),
    "list": Property("list hop", ".*", lambda of: {"many": "list", "of": of}),
    "either": Property("either hop", ".*", lambda of: {"many": "either", "of": of}),
    "or": Property("or all", ".+", lambda word: {"words": (word,)}),
    "from": Property("from link.bandwidth unless time", ".+", _filled_by),
    "each": Property("each hops", ".+", lambda of: {"many": tuple(of.split(" and "))}),
}


def declared(flags: list[Text], of: type[Given | Derived]) -> tuple[Unit, dict[str, Any]]:
    """The unit that the first of *flags* names, itself or by a kind, and what all of them set."""
    named = GIVENS if of is Given else STEPS
    unit, usual = GIVENS["number"] if of is Given else (COUNT, {})
    sets, more = {one.name for one in fields(of)}, dict[str, Any]()
    for i, flag in enumerate(flags):
        word, _, rest = flag.words.partition(" ")
        row = PROPERTIES.get(word)
        if i == 0 and flag.words in named:
            unit, usual = named[flag.words]
        elif i == 0 and not row and (other := _unit(flag.words)):
            unit, usual = other, {}
        elif not row and word in GIVENS:
            reason = f"is no unit; there are units, {', '.join(STEPS)}, or none"
            raise flag.wrong(reason, 0, len(word))
        elif not row:
            raise flag.wrong(unknown(word, (*PROPERTIES, *named)), 0, len(word))
        elif not re.fullmatch(row.form, rest):
            raise flag.wrong(f"is written {row.written}")
        else:
            made = row.sets(rest)
            if not made.keys() <= sets or (word == "each") > (of is Derived):
                raise flag.wrong(f"is no property of a {'given' if of is Given else 'step'}")
            more |= {n: (*more.get(n, ()), *x) if n == "words" else x for n, x in made.items()}
    return unit, {**usual, **more}


def _unit(name: str) -> Unit | None:
    try:
        square = SQUARE_SECOND.name  # which nobody states
        return SQUARE_SECOND if name == square else unit_named(name.removeprefix("1"))
    except DdcalcError:
        return None
