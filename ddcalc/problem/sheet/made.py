"""The problem type made of what a sheet declares."""

from __future__ import annotations

import ast
from inspect import get_annotations
from typing import Any, TypeVar

from ddcalc.errors import BadFile, raise_all
from ddcalc.problem.sheet.declared import SheetProblem, listed
from ddcalc.problem.sheet.reading import Sheet

Kind = TypeVar("Kind", bound=SheetProblem)


def declared_as(sheet: Sheet, kind: type[Kind], **more: Any) -> type[Kind]:
    """The problem type of that *kind* that the *sheet* declares, with *more* attributes; raises all
    that is wrong with it."""
    raise_all(sheet.wrong)
    last = next(reversed(sheet.steps or dict.fromkeys(sheet.results)), "")
    tree = sheet.answer.tree if sheet.answer else None
    while isinstance(tree, ast.IfExp):
        tree = tree.body
    last = tree.id if isinstance(tree, ast.Name) else last
    if last not in sheet.quantities:
        raise BadFile(f"{sheet.slug} has no step that answers its question")
    heads = {name: text.words for name, text in sheet.heads.items()}
    taken = {*dir(kind), *(name for base in kind.__mro__ for name in get_annotations(base))}
    members = dict[str, Any]()
    for name, declaration in (*sheet.quantities.items(), *sheet.choices.items()):
        members[f"{name}_" if name in {*taken, *members} else name] = declaration
    attributes = {
        **more,
        **{name: heads.get(name, "") for name in ("keywords", "source", "group")},
        "__doc__": sheet.about,
        "__module__": SheetProblem.__module__,
        "sheet": sheet,
        "answers": {},
        "answer": last,
        "sequential": "breakdown" not in heads,
        "terms": listed(heads.get("terms", "")),
        "table": listed(heads.get("data", "")),
        **members,
    }
    made: type[Kind] = type(
        "".join(map(str.capitalize, sheet.slug.split("-"))), (kind,), attributes
    )
    made.slug = made.reference = sheet.slug
    return made
