"""The JSON Schema of problem files, made from the declarations, for editors and checkers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ddcalc.errors import BrokenType
from ddcalc.problem.catalog import catalog
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given
from ddcalc.sheet.question import ID, LONGEST_ID

Schema = dict[str, Any]

_SCALAR: Schema = {"type": ["string", "number"]}
_LIST: Schema = {"type": "array", "items": _SCALAR, "minItems": 1}
_ANSWER: Schema = {
    "anyOf": [
        {"type": ["string", "number", "null"]},
        _LIST,
        {
            "type": "object",
            "properties": {
                "value": {"anyOf": [{"type": ["string", "number", "null"]}, _LIST]},
                "within": {**_SCALAR, "description": "an amount such as 0.5 s, or a part: 1 %"},
                "digits": {"type": "integer", "minimum": 1, "description": "significant digits"},
            },
            "required": ["value"],
            "additionalProperties": False,
        },
    ]
}
_ASKED: Schema = {
    "digits": {"type": "integer", "minimum": 1, "description": "significant digits, at least"},
    "within": {**_SCALAR, "description": "an amount such as 0.5 s, or a part: 1 %"},
    "unit": {"type": "string", "description": "of a number without a unit"},
    "points": {**_SCALAR, "description": "what a right answer is worth; 1 where nothing is said"},
    "credit": {
        "type": "object",
        "description": "the parts of the points for what is not all right",
        "properties": {
            "unit": {**_SCALAR, "description": "right value, wrong unit", "default": "1/2"},
            "follows": {**_SCALAR, "description": "right from an earlier slip", "default": 1},
            "slip": {
                **_SCALAR,
                "description": "one slip surely leads there; by-steps: the share of right steps",
                "default": 0,
            },
        },
        "additionalProperties": False,
    },
}
_MARKING: Schema = {
    "type": "object",
    "description": "what is asked of answers that are marked: of all, or of one by name",
    "properties": {name: _ASKED[name] for name in _ASKED if name != "unit"},
    "additionalProperties": {
        "type": "object",
        "properties": _ASKED,
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
                            spelling: _givens(problem)
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
    return {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": f"^(?:{ID.pattern})$", "maxLength": LONGEST_ID},
            "type": {"enum": spellings},
            "title": {"type": "string"},
            "source": {"type": "string", "description": "where the question comes from"},
            "find": {"type": "string", "description": "the given to find, left out below"},
            "where": {
                "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"type": "string"}, "minItems": 1},
                ],
                "description": "what must hold for it, for example total <= 300 s",
            },
            "given": {"type": "object"},
            "expect": {**answers, "description": "our answers; a difference is a failure"},
            "claimed": {**answers, "description": "somebody else's answers, to be marked"},
            "marking": _MARKING,
        },
        "required": ["type"],
        "dependentRequired": {"find": ["where"], "where": ["find"]},
        "additionalProperties": False,
    }


def _of_type(problem: type[Problem]) -> Schema:
    spellings = [problem.slug, problem.slug.replace("-", "_")]
    return {
        "if": {"properties": {"type": {"enum": spellings}}},
        "then": {"properties": {"given": _givens(problem)}},
    }


def _givens(problem: type[Problem]) -> Schema:
    properties: Schema = {}
    for name, told in [
        *((name, _given(given)) for name, given in problem.givens.items()),
        *((name, _choice(choice)) for name, choice in problem.choices.items()),
    ]:
        properties[name] = told
        properties.setdefault(name.replace("_", "-"), told)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _given(given: Given) -> Schema:
    kind = {"one": _SCALAR, "list": _LIST, "either": {"anyOf": [_SCALAR, _LIST]}}[given.many]
    unit = f", in {given.unit.name}" if given.unit.name else ""
    if given.rows:
        kind = {"anyOf": [_SCALAR, _LIST, {"type": "array", "items": _LIST, "minItems": 1}]}
    told = {**kind, "description": f"{given.title} ({given.letter}{unit})"}
    return told if given.default is None else {**told, "default": given.default}


def _choice(choice: Choice) -> Schema:
    spellings = sorted({*choice.options, *(o.replace("_", "-") for o in choice.options)})
    return {"enum": spellings, "description": choice.title, "default": choice.default}
