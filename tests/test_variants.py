"""Variants differ from their base in numbers alone; exams, quizzes as Moodle reads them, and keys
read back are what the question comes to."""

import html
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from questions import EXAM, example, of_types, solved_variants
from running import ROOT, ddcalc

from ddcalc.ask.solve import Derivation, Result, first, singles, solve, texts_of
from ddcalc.ask.working import working
from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.source import Source
from ddcalc.errors import BadTarget
from ddcalc.files import batch
from ddcalc.files.answer_key import Key
from ddcalc.files.drawn import EXHAUSTED, DrawnQuestion, VariantsWanted, of_stated
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.keys import ExamItem, versions
from ddcalc.formula.expression import Expr
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import shown_in
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import example_texts, read
from ddcalc.render.papers import exam, quiz
from ddcalc.render.papers.problem_file import opening
from ddcalc.render.parts.few_words import _words as plain
from ddcalc.render.sides import ShownFormula

ASKED = read(problem_named("epoch-time"), EXAM)


def variants(base, wanted):
    drawn = DrawnQuestion(base.problem.slug, of_stated(base), wanted).drawn()
    return [drawn.version(place).cases[0].stated for place in range(len(drawn))], drawn.why


@of_types
def test_variants_of_every_type(problem):
    """They differ, are what their texts state, solve by the same steps, keep unit and size."""
    first = read(problem, example(problem))
    made, why = variants(first, VariantsWanted(1, 7))
    assert len({tuple(question.numbers()) for question in (first, *made)}) == 1 + len(made) == 2
    right, changed = working(first), []
    for variant in made:
        assert variant == read(problem, texts_of(variant))
        solved = Derivation(variant)
        changed.append(str(solved.values[right.answer]) != str(right.values[right.answer]))
        if problem.symbolic:
            titles = [[type(step) for step in side.steps] for side in (solved, Derivation(first))]
            assert titles[0] == titles[1]
        for name, before in first.measured.items():
            if name not in first.lists:
                (was,), (after,) = before, variant.measured[name]
                assert (after.unit, after.bare) == (was.unit, was.bare)
                assert was.value <= 4 * after.value <= 16 * was.value
    assert any(changed) != why.startswith("none of the numbers tried")


@pytest.mark.parametrize("digits", [None, 0, 2])
def test_answers_are_as_clean_as_wanted_and_cases_come_up_again(digits):
    """By arithmetic of its own: whole batches, and a last round that is not full."""
    made = variants(ASKED, VariantsWanted(8, 7, digits))[0]
    assert len(made) == 8
    for variant in made:
        samples, batch, epochs, workers, down, compute, up, aggregate = variant.numbers()
        assert samples % batch == 0
        rounds, last = divmod(epochs * samples // batch, workers)
        assert last
        trip = down + compute + up
        total = (rounds + 1) * trip + (rounds * workers + last) * aggregate
        assert total == working(variant).values["total"]
        assert (total * 10 ** (1 if digits is None else digits)).denominator == 1
        for one in (trip + workers * aggregate, trip + last * aggregate):
            assert (one * 10 ** max(2, digits or 0)).denominator == 1


def test_the_numbers_of_a_seed_stay_and_fewer_than_wanted_are_said():
    four, two = (variants(ASKED, VariantsWanted(count, 3))[0] for count in (4, 2))
    assert (four[:2], four[0].numbers()[:4]) == (two, [76800, 2560, 10, 16])
    made, why = variants(ASKED, VariantsWanted(1000, vary=("batch",)))
    assert (0 < len(made) < 1000, why) == (True, EXHAUSTED)


PROBLEMS = ROOT / "problems"
FILE = PROBLEMS / "exam.yaml"
FILES = [(name,) for name in ("data-parallel", "divergence", "exam", "update-rules")]
FILES += [("exercises", id) for id in ("two-backups", "few-values-or-few-bits")]


@pytest.mark.parametrize("file", FILES)
def test_files_of_variants_solve_and_agree(file, tmp_path):
    target, (name, *ids) = tmp_path / "variants.yaml", file
    ran = ddcalc("variants", PROBLEMS / f"{name}.yaml", *ids, "--count", "2", "--output", target)
    assert ran.code == 0, ran.err
    solved = ddcalc("solve", target, "--format", "json")
    assert solved.code == 0, solved.err
    problems = json.loads(solved.out)["problems"]
    asked = [part for problem in problems for part in problem.get("parts") or [problem]]
    answers = [part["answer"]["exact"] for part in asked]
    assert answers[: len(asked) // 2] != answers[len(asked) // 2 :]
    assert all(part["checks"] and all(x["agrees"] for x in part["checks"]) for part in asked)


def test_neither_exam_nor_key_is_replaced_where_the_key_fails(tmp_path, monkeypatch):
    def failing(_item: object, _number: int) -> None:
        raise BadTarget("is away")

    files = [tmp_path / "exam.md", tmp_path / "key.md"]
    for file in files:
        file.write_text("old")
    monkeypatch.setattr(exam, "working", failing)
    names = ("--output", files[0], "--key", files[1], "--force")
    ran = ddcalc("variants", FILE, "sync-step", "--count", "2", *names)
    assert (ran.code, ran.err.count("wrote ")) == (2, 0)
    assert [file.read_text() for file in files] == ["old", "old"]
    assert len([*tmp_path.iterdir()]) == 2


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
READ: dict[str, set[str]] = {"cloze": set()}
HEADERS = {"name", "questiontext", "generalfeedback", "defaultgrade", "idnumber"}
RIGHT = re.compile(r"^=|:.*|\\(?=\*)")  # what stands around a right answer
BLANK = re.compile(r"\{([0-9]*):(NUMERICAL|SHORTANSWER):((?:=|%)[^}]+?)(?<!\\)\}")


RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def named(quiz: str) -> dict[str, ElementTree.Element]:
    """The questions by name, each with nothing that an importer would not read."""
    root, listed = ElementTree.fromstring(quiz), {}
    assert root.tag == "quiz"
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
        listed[question.findtext("name/text", "")] = question
    return listed


def test_a_question_a_variant_in_a_category_a_version():
    call = ("variants", FILE, "--count", "2", "--format")
    quiz, versions = ddcalc(*call, "moodle").out, json.loads(ddcalc(*call, "json").out)["versions"]
    questions = named(quiz)
    key = {item["id"]: item["answer"] for version in versions for item in version["questions"]}
    assert [*questions] == [f"{name}-{i}" for i in (1, 2) for name in IDS]
    assert quiz.count('type="category"') == 2
    for name, question in questions.items():
        answer, asked = key[name], question.findtext("questiontext/text", "")
        [(_, kind, rights)] = BLANK.findall(asked)
        right = html.unescape(rights.split("~")[0].removeprefix("="))
        if kind == "NUMERICAL":
            number, off = map(float, right.split(":"))
            assert abs(number - float(answer["value"])) <= off
            assert not answer["unit"] or f"in {answer['unit']}" in asked
        else:
            assert right.replace(r"\*", "*") == answer["exact"]


def test_what_the_sheet_requires_counts(tmp_path):
    """Digits, unit and points; and what stands in a title breaks nothing."""
    sheet = tmp_path / "x.yaml"
    sheet.write_text(HOSTILE)
    [question] = named(ddcalc("variants", sheet, "--count", "1", "--format", "moodle").out).values()
    assert float(question.findtext("defaultgrade", "")) == 3
    assert "in ms" in question.findtext("questiontext/text", "")
    [(_, _, rights)] = BLANK.findall(question.findtext("questiontext/text", ""))
    digits = [right.removeprefix("=").partition(":")[0] for right in rights.split("~")]
    assert min(len(text.replace(".", "").strip("0")) for text in digits) >= 3


def read_back(problem: type[Problem], asked: str) -> dict[str, str | list[str]]:
    """The givens and choices that the text of a question states."""
    page = html.unescape(re.sub(r"<(/?)(span|section)[^>]*>", "", asked))
    texts: dict[str, str | list[str]] = {}
    titles = {given.bare_title.lower(): given for given in problem.givens.values()}
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


@of_types
def test_every_question_can_be_solved_from_its_text(problem, tmp_path):
    """What a question of each type says leads to the number that is right in it."""
    base = read(problem, example_texts(problem))
    [version] = versions([DrawnQuestion("q", of_stated(base), VariantsWanted(count=1)).drawn()])
    [[key]] = version[0].parts
    moodle = quiz.moodle(version, 0, exam.Wording()).join(quiz.frame(""))
    [question] = named(moodle).values()
    asked = question.findtext("questiontext/text", "")
    assert "…" not in asked
    solved = solve(problem, read_back(problem, asked))
    places = fields(key)
    assert places == fields(replace(key, part=replace(key.part, cases=[solved])))
    blanks = BLANK.findall(asked)
    assert len(blanks) == len(places)
    sheet = tmp_path / "variants.yaml"
    sheet.write_text(opening({}, {}) + exam.problems(version, 0), encoding="utf-8")
    assert_right_in_marking(key, sheet)


def fields(key: Key) -> list[quiz.Field]:
    paper = exam.Wording()
    return [quiz.field(one, key, paper) for results in key.asked for one in singles(results)]


def assert_right_in_marking(asked: Key, sheet: Path) -> None:
    """What a quiz takes for right, typed as it is asked for, is right by the file of variants."""
    [question] = batch.solved(Source(str(sheet)))
    key = Key(question)
    for results in asked.asked:
        name, paper = first(results).name, exam.Wording()
        places = [quiz.field(one, asked, paper) for one in singles(results)]
        rights = [[RIGHT.sub("", html.unescape(x)) for x in one.answers] for one in places]
        typed = rights[0] if len(rights) == 1 else [", ".join(right[0] for right in rights)]
        for text in typed:
            [mark] = key.marks({name: key.answer(name, Scalar(text))})
            assert mark.verdict in ("right", "rounded"), (text, mark)


def item(solved: Derivation) -> ExamItem:
    """The question of *solved* as one of an exam that asks for all its results."""
    shape = solved.stated.shape._replace(wanted=tuple(solved.values))
    asked = Derivation(replace(solved.stated, shape=shape), solved.working)
    done = batch.Solved(FiledProblem("", 0, problem=solved.problem), asked, [asked])
    return ExamItem(DrawnQuestion("q", done, VariantsWanted()), 1, done)


def reads(text: str, result: Result) -> bool:
    """Whether *text* states what *result* is, as near as its digits say."""
    value = result.value
    if value is None or isinstance(value, Expr):
        return text == ("no value" if value is None else str(ShownFormula(value)))
    about = text.removeprefix("≈ ")
    stated = shown_in(result.unit, about)
    if about == text:
        return not isinstance(value, Approximate) and stated.value == value
    number = Fraction(stated.value) / stated.unit.worth
    size = (Decimal(number.numerator) / number.denominator).adjusted()
    return abs(number - Fraction(value) / stated.unit.worth) <= Fraction(10) ** (size - 5)


@of_types
def test_a_key_read_back_is_what_solve_gives(problem):
    for label, _, solved in solved_variants(problem):
        asked = item(solved)
        rows = [*exam.answer_rows((asked,), exam.Wording())]
        assert [first(one).name for one in asked.parts[0][0].asked] == [*solved.values], label
        for result, (*_, answer) in zip(asked.parts[0][0].asked, rows, strict=True):
            members = singles(result)
            parts = plain(answer).split(", ") if len(members) > 1 else [plain(answer)]
            pairs = zip(parts, members, strict=True)
            assert all(reads(text, one) for text, one in pairs), (label, first(result).name)
