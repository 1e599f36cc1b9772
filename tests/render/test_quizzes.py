"""Quizzes: Moodle XML as its importer reads it."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.ask.solve import singles, solve
from ddcalc.ask.variants.search import VariantsWanted
from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.source import Source
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import solved as sheet_solved
from ddcalc.files.versions import ExamPart, first, of_stated, versions
from ddcalc.problem.catalog import catalog
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import example_texts, read
from ddcalc.render import exam, quiz
from ddcalc.render.problem_file import OPENING

EXAM = Path(__file__).parents[2] / "problems" / "exam.yaml"
IDS = ["ps-epochs", "ps-breakeven", "fl-local-epochs"]
IDS += ["async-same-operations", "async-same-time", "sync-step"]
HOSTILE = """
id: x-1
type: transfer
title: "]]> <b> {1:NUMERICAL:=1} ~ = # :: $CATEGORY:"
given: {size: 1 GB, bandwidth: 3 GB/s, latency: 1 ms}
expect: {time: {value: 334 ms, digits: 3}}
marking: {time: {unit: ms}, points: 3}
"""

# What Moodle's importer reads of a question, by kind (question/format/xml/format.php).
READ = {
    "multichoice": {"answer", "single", "shuffleanswers", "answernumbering"},
    "cloze": set(),
}
HEADERS = {"name", "questiontext", "generalfeedback", "defaultgrade", "idnumber"}
BLANK = re.compile(r"\{([0-9]*):(NUMERICAL|SHORTANSWER):((?:=|%)[^}]+?)(?<!\\)\}")


RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def bank(*arguments: str | Path) -> list[ElementTree.Element]:
    ran = ddcalc("variants", *arguments, "--format", "moodle")
    assert ran.code == 0, ran.err
    root = ElementTree.fromstring(ran.out)
    assert root.tag == "quiz"
    return list(root)


def named(root: list[ElementTree.Element]) -> dict[str, ElementTree.Element]:
    """The questions by name, each with nothing that an importer would not read."""
    listed = {}
    for question in root:
        kind = question.get("type", "")
        if kind == "category":
            assert question.findtext("category/text", "").startswith("$course$/top/")
            continue
        assert {child.tag for child in question} <= HEADERS | READ[kind]
        for text in ("questiontext", "generalfeedback"):
            assert question.find(text).get("format") == "html"  # type: ignore[union-attr]
        assert "Answer" in question.findtext("generalfeedback/text", "")
        assert question.findtext("name/text") == question.findtext("idnumber")
        rights = [answer.get("fraction") for answer in question.iter("answer")]
        assert kind == "cloze" or "100" in rights
        listed[question.findtext("name/text", "")] = question
    return listed


def keys(*arguments: str | Path) -> dict[str, dict[str, object]]:
    ran = ddcalc("variants", *arguments, "--format", "json")
    versions = json.loads(ran.out)["versions"]
    return {item["id"]: item for version in versions for item in version["questions"]}


def test_a_question_a_variant_in_a_category_a_version() -> None:
    root = bank(EXAM, "--count", "2")
    questions, key = named(root), keys(EXAM, "--count", "2")
    assert [*questions] == [f"{name}-{i}" for i in (1, 2) for name in IDS]
    assert [one.get("type") for one in root].count("category") == 2
    for name, question in questions.items():
        answer, asked = key[name]["answer"], question.findtext("questiontext/text", "")
        [(_, kind, rights)] = BLANK.findall(asked)
        right = html.unescape(rights.split("~")[0].removeprefix("="))
        if kind == "NUMERICAL":
            number, off = map(float, right.split(":"))
            assert abs(number - float(answer["value"])) <= off  # type: ignore[index]
            assert not answer["unit"] or f"in {answer['unit']}" in asked  # type: ignore[index]
        else:
            assert right.replace(r"\*", "*") == answer["exact"]  # type: ignore[index]


def test_what_the_sheet_requires_counts(tmp_path: Path) -> None:
    """Digits, unit and points; and what stands in a title breaks nothing."""
    sheet = tmp_path / "x.yaml"
    sheet.write_text(HOSTILE)
    [question] = named(bank(sheet, "--count", "1")).values()
    assert float(question.findtext("defaultgrade", "")) == 3
    assert "in ms" in question.findtext("questiontext/text", "")
    [(_, _, rights)] = BLANK.findall(question.findtext("questiontext/text", ""))
    digits = [right.removeprefix("=").partition(":")[0] for right in rights.split("~")]
    assert min(len(text.replace(".", "").strip("0")) for text in digits) >= 3


def read_back(problem: type[Problem], asked: str) -> dict[str, str | list[str]]:
    """The givens and choices that the text of a question states."""
    page = html.unescape(re.sub(r"<(/?)(span|section)[^>]*>", "", asked))
    texts: dict[str, str | list[str]] = {}
    titles = {given.title.lower(): given for given in problem.givens.values()}
    for title, stated in re.findall(r"<li>([^<]*), <math>.*?</math>(?:: (.*))?</li>", page):
        given = titles[title.lower()]
        if not stated:
            continue  # a letter left open
        plain = re.sub(r"(?<=[0-9]) (?=[0-9]{3}(?![0-9]))", "", stated.replace("−", "-"))
        plain = plain.partition(" = ")[0].translate(RAISED).replace("×10", "e")
        many = given.many != "one" and ("," in plain or given.many == "list")
        texts[given.name] = plain.split(", ") if many and ";" not in plain else plain
    [said] = re.findall(r"<strong>Assume that</strong> · (.*?)</p>", page) or [""]
    for choice in problem.choices.values():
        for option, says in choice.options.items():
            if f"; {says};" in f"; {said};":
                texts[choice.name] = option
    return texts


@pytest.mark.parametrize("slug", sorted(catalog()))
def test_every_question_can_be_solved_from_its_text(slug: str, tmp_path: Path) -> None:
    """What a question of each type says leads to the number that is right in it."""
    problem = catalog()[slug].load()
    base = read(problem, example_texts(problem))
    [version] = versions([of_stated(slug, base).drawn(VariantsWanted(count=1))])
    [part] = version[0].parts
    moodle = quiz.moodle(version, 0, exam.Wording()).join(quiz.frame(""))
    [question] = named(list(ElementTree.fromstring(moodle))).values()
    asked = question.findtext("questiontext/text", "")
    assert "…" not in asked
    solved = solve(problem, read_back(problem, asked))
    places = fields(part)
    assert places == fields(replace(part, done=replace(part.done, cases=[solved])))
    assert places[-1].numbers or places[-1].texts
    blanks = BLANK.findall(asked)
    assert len(blanks) == len(places)
    sheet = tmp_path / "variants.yaml"
    sheet.write_text(OPENING + exam.problems(version, 0), encoding="utf-8")
    assert_right_in_marking(part, sheet)


def fields(part: ExamPart) -> list[quiz.Field]:
    return [quiz.field(one, part) for results in part.results for one in singles(results)]


def assert_right_in_marking(part: ExamPart, sheet: Path) -> None:
    """What a quiz takes for right, typed as it is asked for, is right by the file of variants."""
    [question] = sheet_solved(Source(str(sheet)))
    assert question.derivation is not None
    key = Key(question.question, question.derivation)
    for results in part.results:
        name = first(results).name
        rights = [
            [*place.texts, *(number for number, _ in place.numbers)]
            for place in (quiz.field(one, part) for one in singles(results))
        ]
        typed = rights[0] if len(rights) == 1 else [", ".join(right[0] for right in rights)]
        for text in typed:
            [mark] = key.marks({name: key.answer(name, Scalar(text))})
            assert mark.verdict in ("right", "rounded"), (text, mark)
