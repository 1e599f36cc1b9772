"""The JSON Schema of problem files, made from the declarations, for editors and checkers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddcalc.files.answers import PARTS, SETTINGS
from ddcalc.files.defaults import DECIMALS
from ddcalc.files.problem_keys import KEYS
from ddcalc.problem.known.catalog import catalog, other_names
from ddcalc.problem.known.presets import SLOTS, presets
from ddcalc.problem.problem import Problem

Schema = dict[str, Any]


def _object(properties: Schema, **more: Any) -> Schema:
    """An object with these *properties* and no others."""
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


_SCALAR: Schema = {"type": ["string", "number"]}
_LIST: Schema = {"type": "array", "items": _SCALAR, "minItems": 1}
_ROWS: Schema = {"type": "array", "items": {"anyOf": [_SCALAR, _LIST]}, "minItems": 1}
_OPEN: Schema = {"type": "object", "additionalProperties": {"anyOf": [_SCALAR, _ROWS]}}
_DIGITS: Schema = {"type": "integer", "minimum": 1}
_CREDIT: Schema = _object(
    {name: _SCALAR | {"description": says, "default": usual}
     for name, (says, usual) in PARTS.items()}
)  # fmt: skip
_SHAPES: Schema = {"digits": _DIGITS, "unit": {"type": "string"}, "credit": _CREDIT}
_SETTINGS: Schema = {
    name: {**_SHAPES.get(name, _SCALAR), "description": says} for name, says in SETTINGS.items()
}
_VALUE: Schema = {"anyOf": [{"type": ["string", "number", "null"]}, _LIST]}
_ROUNDED: Schema = _object(
    {"value": _VALUE, "within": _SETTINGS["within"], "digits": _DIGITS}, required=["value"]
)
_MARKING: Schema = {
    "type": "object",
    "description": KEYS["marking"][1],
    "properties": {name: _SETTINGS[name] for name in _SETTINGS if name != "unit"},
    "additionalProperties": _object(_SETTINGS),
}
_MANY: Schema = {  # one value, a list, either of them, or rows of values as well
    "one": _SCALAR,
    "list": _LIST,
    "either": {"anyOf": [_SCALAR, _LIST]},
    "rows": {"anyOf": [_SCALAR, _ROWS]},
}


def schema() -> Schema:
    """The schema of a whole problem file."""
    types = {slug: entry.load() for slug, entry in {**catalog(), **other_names()}.items()}
    defaults = _spelt({slug: givens(problem) for slug, problem in types.items()})
    answer = {"$ref": "#/$defs/answer"}
    problems = {"type": "array", "items": {"$ref": "#/$defs/problem"}, "minItems": 1}
    sheet = {
        "problems": problems | {"description": "questions to solve or to mark, one after another"},
        "defaults": defaults | {"description": "givens by type, for all problems of the file"},
        "shared": _OPEN | {"description": "givens for all problems that have such a one"},
        "title": {"type": "string", "description": "the heading of the whole"},
        "decimal": {"enum": [*DECIMALS], "description": "how numbers are written on an exam"},
        "words": {"type": "string", "description": "an exam's language, or a file of its words"},
        "names": _OPEN | {"additionalProperties": _DIGITS, "description": "who has which version"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ddcalc problem file",
        "anyOf": [{"$ref": "#/$defs/sheet"}, {"$ref": "#/$defs/problem"}],
        "$defs": {
            "answer": {"anyOf": [*_VALUE["anyOf"], _ROUNDED]},
            "answers": {"anyOf": [answer, {"type": "array", "items": answer}]},
            "sheet": _object(sheet, required=["problems"]),
            "problem": _problem(types, "parts"),
            "part": _problem(types, "like"),
            **_MANY,
        },
    }


def _problem(types: Mapping[str, type[Problem]], otherwise: str) -> Schema:
    """One problem, or part: of one of the *types*, whose names are offered with their questions and
    may be spelt with ``_`` too, or a formula, or *otherwise*; its givens are those of its type."""
    lower = "|".join(slug.replace("-", "_") for slug in types if "-" in slug)
    offered = [{"const": slug, "description": one.question()} for slug, one in types.items()]
    is_part = otherwise == "like"
    spelt = {} if is_part else {"pattern": f"^({lower})$"}  # a part may be of a sheet beside
    kinds = {"anyOf": [*offered, {"type": "string", **spelt}]}
    answers: Schema = {"type": "object", "additionalProperties": {"$ref": "#/$defs/answers"}}
    parts = {"type": "array", "items": {"$ref": "#/$defs/part"}, "minItems": 1}
    shapes: Schema = {"type": kinds, "expect": answers, "claimed": answers, "parts": parts}
    left_out = "parts" if is_part else "like"
    properties = {
        name: {**shapes.get(name, shape.schema), "description": says}
        for name, (shape, says) in KEYS.items() if name != left_out
    }  # fmt: skip
    besides, of_type = [{"required": [name]} for name in ("find", "ask")], []
    for slug, problem in types.items():
        either = {"type": "string", "pattern": f"^{slug.replace('-', '[-_]')}$"}
        # what adds steps has other givens of which these speak
        has_steps = {"required": ["steps"]}
        named = {"properties": {"type": either}, "required": ["type"], "not": has_steps}
        stated = {"properties": {"given": givens(problem, is_part)}}
        of_type.append({"if": named, "then": stated})
    return _object(
        properties | {"marking": _MARKING},
        anyOf=[{"required": [name]} for name in ("type", "formula", "steps", otherwise)],
        dependentRequired={"find": ["where"], "where": ["find"]},
        allOf=of_type,
        **{"not": {"required": ["quantity"], "anyOf": besides}},
    )


def _spelt(properties: Schema) -> Schema:
    """Exactly these *properties*; a ``-`` for each ``_`` is as good, or the other way round, but
    not offered."""
    other = {True: ("_", "-"), False: ("-", "_")}
    spelt = {name.replace(*other["_" in name]): kind for name, kind in properties.items()}
    patterns = {f"^{name}$": kind for name, kind in spelt.items() if name not in properties}
    return _object(properties, patternProperties=patterns)


def givens(problem: type[Problem], sides: bool = False) -> Schema:
    """What is given in a *problem*; values may be lists of several *sides*, in columns."""
    words: Schema = {}
    for name, choice in problem.choices.items():
        names = {*choice.options, *choice.also}
        spellings = sorted({*names, *(name.replace("_", "-") for name in names)})
        enum = [*spellings, *(int(one) for one in spellings if one.isdigit())]
        words[name] = {"enum": enum, "description": choice.title, "default": choice.default}
    words |= {
        slot: {
            "anyOf": [{"enum": [one.name for one in presets()[SLOTS[slot]].values()]}, _SCALAR],
            "description": f"preset for what is left out: {', '.join(fills)}",
        }
        for slot, fills in problem.slots.items()
    }
    if sides:
        words = {n: {"anyOf": [one, {"type": "array", "items": one}]} for n, one in words.items()}
    numbers: Schema = {}
    for name, given in problem.givens.items():
        unit = f", in {given.unit.name}" if given.unit.name else ""
        kind = "rows" if given.rows else "either" if sides and given.many == "one" else given.many
        described = {"description": f"{given.title} ({given.letter}{unit})"}
        usual = {} if given.default is None else {"default": given.default}
        numbers[name] = {"$ref": f"#/$defs/{kind}", **described, **usual}
    return _spelt({**numbers, **words})
