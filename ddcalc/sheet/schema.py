"""The JSON Schema of problem files, made from the declarations, for editors and checkers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ddcalc.errors import BrokenType
from ddcalc.problem.catalog import catalog
from ddcalc.problem.presets import SLOTS, published
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given
from ddcalc.sheet.answer_key import PARTS, SETTINGS
from ddcalc.sheet.sheet_problem import KEYS

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


def schema() -> Schema:
    """The schema of a whole problem file."""
    types = dict(_loaded())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ddcalc problem file",
        "anyOf": [{"$ref": "#/$defs/sheet"}, {"$ref": "#/$defs/problem"}],
        "$defs": {
            "sheet": {
                "type": "object",
                "properties": {
                    "problems": {
                        "type": "array",
                        "items": {"$ref": "#/$defs/problem"},
                        "minItems": 1,
                    },
                    "defaults": {
                        "type": "object",
                        "description": "givens by type, for all problems of the file",
                        "properties": {
                            spelling: givens(problem)
                            for slug, problem in types.items()
                            for spelling in (slug, slug.replace("-", "_"))
                        },
                        "additionalProperties": False,
                    },
                },
                "required": ["problems"],
                "additionalProperties": False,
            },
            "problem": _problem(list(types)) | {"allOf": [_of_type(p) for p in types.values()]},
        },
    }


def _loaded() -> Iterator[tuple[str, type[Problem]]]:
    for slug, entry in catalog().items():
        with suppress(BrokenType):
            yield slug, entry.load()


def _problem(types: list[str]) -> Schema:
    answers = {"type": "object", "additionalProperties": _ANSWER}
    spellings = sorted({*types, *(slug.replace("-", "_") for slug in types)})
    shapes: Schema = {"type": {"enum": spellings}, "expect": answers, "claimed": answers}
    properties = {name: {**shapes.get(name, {}), **said} for name, said in KEYS.items()}
    return {
        "type": "object",
        "properties": properties | {"marking": _MARKING},
        "required": ["type"],
        "dependentRequired": {"find": ["where"], "where": ["find"]},
        "not": {"required": ["find", "quantity"]},
        "additionalProperties": False,
    }


def _of_type(problem: type[Problem]) -> Schema:
    spellings = [problem.slug, problem.slug.replace("-", "_")]
    return {
        "if": {"properties": {"type": {"enum": spellings}}},
        "then": {"properties": {"given": givens(problem)}},
    }


def givens(problem: type[Problem]) -> Schema:
    """The schema of what is given in a *problem*."""
    properties: Schema = {}
    for name, kind in [
        *((name, _given(given)) for name, given in problem.givens.items()),
        *((name, _choice(choice)) for name, choice in problem.choices.items()),
        *((slot, _slot(slot, fills)) for slot, fills in problem.slots.items()),
    ]:
        properties.setdefault(name, kind)
        properties.setdefault(name.replace("_", "-"), kind)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _given(given: Given) -> Schema:
    kind = {"one": _SCALAR, "list": _LIST, "either": {"anyOf": [_SCALAR, _LIST]}}[given.many]
    unit = f", in {given.unit.name}" if given.unit.name else ""
    if given.rows:
        kind = {"anyOf": [_SCALAR, _LIST, {"type": "array", "items": _LIST, "minItems": 1}]}
    described = {**kind, "description": f"{given.title} ({given.letter}{unit})"}
    return described if given.default is None else {**described, "default": given.default}


def _slot(slot: str, fills: list[str]) -> Schema:
    """The name of a preset: ours are offered, and the user's own are as good."""
    names = [preset.name for preset in published()[SLOTS[slot]].values()]
    says = f"preset for what is left out: {', '.join(fills)}"
    return {"anyOf": [{"enum": names}, {"type": "string"}], "description": says}


def _choice(choice: Choice) -> Schema:
    names = {*choice.options, *choice.also}
    spellings = sorted({*names, *(name.replace("_", "-") for name in names)})
    numbers = [int(name) for name in spellings if name.isdigit()]
    return {"enum": [*spellings, *numbers], "description": choice.title, "default": choice.default}
