"""Every file in ``problems/``: solved without errors, as expected, and valid by its own schema."""

import re
from functools import cache
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from questions import most_lines
from running import ROOT
from tables import rows

from ddcalc.boundary.source import Source
from ddcalc.files.batch import Solved, solved
from ddcalc.files.schema import schema
from ddcalc.problem.known.catalog import catalog, other_names
from ddcalc.render.parts.question import problem as shown
from ddcalc.render.terminal import screen
from ddcalc.render.whole import Look

PROBLEMS = ROOT / "problems"
FILES = sorted(PROBLEMS.glob("*.yaml"))
VALIDATOR = Draft202012Validator(schema())
MODELINE = "# yaml-language-server: $schema=.ddcalc.schema.json"

# What others print and ddcalc marks as wrong, beside the claim: `# wrong NAME`, and perhaps why.
WRONG = re.compile(r" # wrong (\w+)")
PUBLISHED = re.compile(r"[a-z]{2}-\d\d")  # how the ids of published cases begin


@cache
def stated() -> list[dict[str, Any]]:
    """All problems of all files as they are written."""
    return [one for file in FILES for one in loaded(file.read_text())["problems"]]


def with_parts(one: dict[str, Any]) -> list[dict[str, Any]]:
    return [one, *one.get("parts", ())]


of_files = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


class Core(yaml.CSafeLoader):
    """YAML as editors read it: of plain scalars only null, numbers, true and false are special."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    ("float", r"[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), first)


def loaded(text: str) -> Any:
    return yaml.load(text, Loader=Core)


@of_files
def test_complete_solved_as_expected_and_short(file):
    """Up to three parts: 60 lines, more: 25 each; of more than twelve cases each has a row."""
    text, alone = file.read_text(), list[Solved]()
    assert text.splitlines()[0] == MODELINE
    for done in solved(Source(str(file))):
        question, parts = done.question, sum(not part.question.goes_on for part in done.parts)
        alone += done.parts or [done]
        assert question.id
        assert question.title, question.id
        assert question.source, question.id
        assert [str(error) for error in done.errors] == [], question.id
        used = " ".join(x.question.formula.text for x in done.parts if x.question.formula)
        for part in done.parts or [done]:  # what a formula has is checked by that
            assert part.question.expect or part.limits or f"{part.question.id}." in used
        assert not done.differs, question.id
        most = sum(len(part.cases) for part in done.parts if len(part.cases) > 12)
        most += 60 if parts <= 3 else min(25 * parts, 140)
        page = screen.page(shown(done), Look()).splitlines()
        assert len(page) <= (most if parts else most_lines(done.derivation)), question.id
    # exactly the claims that are said to be wrong are marked wrong
    lines = enumerate(text.splitlines(), 1)
    said = [(number, found[1]) for number, line in lines if (found := WRONG.search(line))]
    checks = [(done, check) for done in alone for check in done.checks]
    wrong = [(done, one.name) for done, one in checks if not one.ours and not one.agrees]
    assert said == [(done.question.claimed[name][0].line, name) for done, name in wrong]


def test_every_type_and_published_case_is_there_and_ids_are_unique_in_all_files():
    assert len({one["id"] for one in stated()}) == len(stated())
    kinds = {part["type"] for one in stated() for part in with_parts(one) if "type" in part}
    sheets = {sheet.stem for sheet in PROBLEMS.glob("sheets/*.sheet")}
    assert kinds == {*catalog(), *other_names(), *sheets}
    claimed: dict[str, bool] = {}
    for one in stated():
        if case := PUBLISHED.match(one["id"]):
            claims = any("claimed" in part for part in with_parts(one))
            claimed[case[0]] = claimed.get(case[0], False) or claims
    assert len(claimed) > 70
    assert [case for case, claims in claimed.items() if not claims] == []


def test_the_schema_is_one():
    Draft202012Validator.check_schema(schema())


@of_files
def test_valid_by_the_schema(file):
    errors = VALIDATOR.iter_errors(loaded(file.read_text()))
    assert [(error.json_path, error.message) for error in errors] == []


@pytest.mark.parametrize(("accepted", "text"), rows("schema.tsv"))
def test_what_the_schema_accepts(accepted, text):
    assert (list(VALIDATOR.iter_errors(loaded(text))) == []) == (accepted == "yes")
