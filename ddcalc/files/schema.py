"""The JSON Schema of problem files, made from the declarations, for editors and checkers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ddcalc.errors import BrokenType
from ddcalc.files.filed_problem import KEYS
from ddcalc.files.marking import PARTS, SETTINGS
from ddcalc.numbers.units import TIME, UNITS
from ddcalc.problem.catalog import catalog, other_names
from ddcalc.problem.presets import presets
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.slots import SLOTS

Schema = dict[str, Any]

_SCALAR: Schema = {"type": ["string", "number"]}
_LIST: Schema = {"type": "array", "items": _SCALAR, "minItems": 1}
_CREDIT: Schema = {
    "type": "object",
    "description": "the parts of the points for what is not all right",
    "properties": {
        name: {**_SCALAR, "description": says, "default": usual}
        for name, (says, usual) in PARTS.items()
    },
    "additionalProperties": False,
}
_DIGITS: Schema = {"type": "integer", "minimum": 1}
_SHAPES: Schema = {"digits": _DIGITS, "unit": {"type": "string"}, "credit": _CREDIT}
_SETTINGS: Schema = {
    name: {**_SHAPES.get(name, _SCALAR), "description": says} for name, says in SETTINGS.items()
}
_ANSWER: Schema = {
    "anyOf": [
        {"type": ["string", "number", "null"]},
        _LIST,
        {
            "type": "object",
            "properties": {
                "value": {"anyOf": [{"type": ["string", "number", "null"]}, _LIST]},
                "within": _SETTINGS["within"],
                "digits": {**_DIGITS, "description": "significant digits"},
            },
            "required": ["value"],
            "additionalProperties": False,
        },
    ]
}
_MARKING: Schema = {
    "type": "object",
    "description": "what is asked of answers that are marked: of all, or of one by name",
    "properties": {name: _SETTINGS[name] for name in _SETTINGS if name != "unit"},
    "additionalProperties": {
        "type": "object",
        "properties": _SETTINGS,
        "additionalProperties": False,
    },
}


def _values() -> Iterator[tuple[str, Schema]]:
    """The shapes of what is given: one value, a list, either of them, or rows; a time ends in a
    unit of time, or has none."""
    units = "|".join(sorted(name for name, unit in UNITS.items() if unit.dimension == TIME))
    letters = r"A-Za-z\u00b5\u03bc"
    time = rf"^[^{letters}]*$|[^{letters}]({units})\)?\s*$"
    says = "not a time: write a unit such as s, ms, min or h"
    for name, one in (
        ("value", _SCALAR),
        ("time", _SCALAR | {"pattern": time, "patternErrorMessage": says}),
    ):
        single, several = {"$ref": f"#/$defs/{name}"}, {"$ref": f"#/$defs/list-{name}"}
        rows = {"type": "array", "items": several, "minItems": 1}
        yield name, one
        yield f"list-{name}", _LIST | {"items": single}
        yield f"either-{name}", {"anyOf": [single, several]}
        yield f"rows-{name}", {"anyOf": [single, several, rows]}


_VALUES: Schema = dict(_values())


def schema() -> Schema:
    """The schema of a whole problem file."""
    types = dict(_loaded())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ddcalc problem file",
        "anyOf": [{"$ref": "#/$defs/sheet"}, {"$ref": "#/$defs/problem"}],
        "$defs": {
            "answer": _ANSWER,
            "sheet": {
                "type": "object",
                "properties": {
                    "problems": {
                        "type": "array",
                        "description": "questions to solve or to mark, one below the other",
                        "items": {"$ref": "#/$defs/problem"},
                        "minItems": 1,
                    },
                    "defaults": {
                        "type": "object",
                        "description": "givens by type, for all problems of the file",
                        **_spelt({slug: givens(problem) for slug, problem in types.items()}),
                    },
                },
                "required": ["problems"],
                "additionalProperties": False,
                "if": {"not": {"required": ["defaults"]}},
                "then": {"properties": {"problems": {"items": {"$ref": "#/$defs/complete"}}}},
            },
            "problem": _problem(types) | {"allOf": [_of_type(p) for p in types.values()]},
            **{f"answers-{slug}": _answers(problem) for slug, problem in types.items()},
            **_VALUES,
            "complete": {"allOf": [_complete(p) for p in types.values()]},
        },
    }


def _loaded() -> Iterator[tuple[str, type[Problem]]]:
    for slug, entry in {**catalog(), **other_names()}.items():
        with suppress(BrokenType):
            yield slug, entry.load()


def _problem(types: dict[str, type[Problem]]) -> Schema:
    answers = {"type": "object"}
    shapes: Schema = {"type": _any_of(types), "expect": answers, "claimed": answers}
    properties = {name: {**shapes.get(name, {}), **said} for name, said in KEYS.items()}
    return {
        "type": "object",
        "properties": properties | {"marking": _MARKING},
        "required": ["type"],
        "dependentRequired": {"find": ["where"], "where": ["find"]},
        "not": {"required": ["find", "quantity"]},
        "additionalProperties": False,
    }


def _any_of(types: dict[str, type[Problem]]) -> Schema:
    """The names of *types* with their questions, as editors show them; spelt with ``_`` too."""
    lower = "|".join(slug.replace("-", "_") for slug in types if "-" in slug)
    named = [{"const": slug, "description": one.question()} for slug, one in types.items()]
    return {"anyOf": [*named, {"type": "string", "pattern": f"^({lower})$"}]}


def _spelt(properties: Schema) -> Schema:
    """Exactly these *properties*; a ``-`` for each ``_`` is as good, or the other way round, but
    not offered."""
    others = {
        name.replace("_", "-") if "_" in name else name.replace("-", "_"): kind
        for name, kind in properties.items()
    }
    patterns = {f"^{name}$": kind for name, kind in others.items() if name not in properties}
    return {"properties": properties, "patternProperties": patterns, "additionalProperties": False}


def _is(problem: type[Problem]) -> Schema:
    """The condition that a problem is of that type."""
    either = problem.slug.replace("-", "[-_]")
    spelt = {"type": "string", "pattern": f"^{either}$"}
    return {"properties": {"type": spelt}, "required": ["type"]}


def _of_type(problem: type[Problem]) -> Schema:
    answers = {"$ref": f"#/$defs/answers-{problem.slug}"}
    question = {"description": problem.question()}
    properties = {
        "type": question, "given": givens(problem), "expect": answers, "claimed": answers,
    }  # fmt: skip
    return {"if": _is(problem), "then": {"properties": properties}}


def _answers(problem: type[Problem]) -> Schema:
    """Stated answers by the names of quantities; a given can be one, where it is to be found."""
    named = {
        name: {"$ref": "#/$defs/answer", "description": quantity.title}
        for name, quantity in problem.quantities.items()
    }
    return {"type": "object", **_spelt(named)}


def _complete(problem: type[Problem]) -> Schema:
    """What a problem of that type must state by itself, unless it states some in another way: as
    what is to be found, or asks for less."""
    known = {*problem.givens, *problem.choices}
    names = {spelling for name in known for spelling in (name, name.replace("_", "-"))}
    needed = [given.name for given in problem.givens.values() if given.required]
    by_itself = {
        "not": {"anyOf": [{"required": ["find"]}, {"required": ["quantity"]}]},
        "properties": {"given": {"propertyNames": {"enum": sorted(names)}}},
    }
    stated = [
        {"required": [name]}
        if "_" not in name
        else {"anyOf": [{"required": [name]}, {"required": [name.replace("_", "-")]}]}
        for name in needed
    ]
    then = {"required": ["given"], "properties": {"given": {"allOf": stated}}} if stated else {}
    return {"if": {"allOf": [_is(problem), by_itself]}, "then": then}


def givens(problem: type[Problem]) -> Schema:
    """The schema of what is given in a *problem*."""
    properties: Schema = {}
    for name, kind in [
        *((name, _given(given)) for name, given in problem.givens.items()),
        *((name, _choice(choice)) for name, choice in problem.choices.items()),
        *((slot, _slot(slot, fills)) for slot, fills in problem.slots.items()),
    ]:
        properties[name] = kind
    return {"type": "object", **_spelt(properties)}


def _given(given: Given) -> Schema:
    value = "time" if given.unit.dimension == TIME and not given.words else "value"
    many = "rows" if given.rows else given.many
    kind = {"$ref": f"#/$defs/{value if many == 'one' else f'{many}-{value}'}"}
    unit = f", in {given.unit.name}" if given.unit.name else ""
    described = {**kind, "description": f"{given.title} ({given.letter}{unit})"}
    return described if given.default is None else {**described, "default": given.default}


def _slot(slot: str, fills: list[str]) -> Schema:
    """The name of a preset: ours are offered, and the user's own are as good."""
    names = [preset.name for preset in presets()[SLOTS[slot]].values()]
    says = f"preset for what is left out: {', '.join(fills)}"
    return {"anyOf": [{"enum": names}, {"type": "string"}], "description": says}


def _choice(choice: Choice) -> Schema:
    names = {*choice.options, *choice.also}
    spellings = sorted({*names, *(name.replace("_", "-") for name in names)})
    numbers = [int(name) for name in spellings if name.isdigit()]
    return {"enum": [*spellings, *numbers], "description": choice.title, "default": choice.default}
