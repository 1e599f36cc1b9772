"""What holds for every problem type, whatever it is about; there is no list of names here."""

import html
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
import sympy
from questions import (
    TYPES,
    Kind,
    command,
    example,
    most_lines,
    of_equations,
    of_types,
    shapes,
    single,
    solved_pairs,
    solved_variant,
    solved_variants,
    units_like,
    variant_labels,
    variants,
)
from running import ddcalc

from ddcalc.ask.solve import Derivation, solve
from ddcalc.files.schema import schema
from ddcalc.formula.expression import Expr, nodes, symbols
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.known.catalog import catalog, problem_named
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import RESERVED, Shape
from ddcalc.problem.quantity import Choice, Quantity
from ddcalc.problem.said import steps as kinds
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.render import story


def _some(problem: Kind) -> list[str]:
    """The example, and a variant from the middle of the list."""
    example, *others = variant_labels(problem)
    return [example, *others[len(others) // 2 :][:1]]


VARIANTS = [(problem, label, i and i + place) for place, problem in enumerate(TYPES)
            for i, label in enumerate(_some(problem))]  # fmt: skip
IDS = [f"{problem.slug}-{label}" for problem, label, _ in VARIANTS]
REFUSED = {
    "critical-batch": {"batches*1", "step_counts*1"},  # one run shows no critical batch
    "layer-split": {"times*1"},  # each stage needs a layer
    "layout": {"devices=specimen"},  # there is one number of devices beside all ways to share
}
SAME = {  # options that are the same by definition: each gathers, or hands out, p − 1 parts
    "bus-bandwidth": {("gather", "scatter"), ("reduce_scatter", "all_gather")},
    "collective": {("all_gather", "gather"), ("all_gather", "scatter"), ("gather", "scatter")},
}
PAGES = ("text", "markdown", "latex", "html")
KEYS = ["problem", "id", "file", "status", "answer", "quantities"]
KEYS += ["assumptions", "readings", "unused", "checks"]
LISTED = " ".join(ddcalc("list").out.split())
SCHEMA = json.dumps(schema())
LOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")
RESULT = ["name", "symbol", "value", "exact", "unit", "text"]
ASSUMED = ["choice", "value", "says"]
STEP = {"kind", "name", "title", "why", "formula", "numbers", "text"}


# Declarations


def _declared(problem: Kind) -> list[Quantity | Choice]:
    choices = problem.choices.keys() - problem.sheet.inner
    return [*problem.quantities.values(), *map(problem.choices.__getitem__, choices)]


@of_types
def test_it_asks_a_short_question_and_everything_has_a_sentence(problem):
    """What ``ddcalc check`` finds in sheets is not asked again."""
    assert problem.question().endswith("?")
    assert len(problem.question()) <= 72
    assert problem.manual()
    assert problem.source
    entry = catalog()[problem.slug]
    assert entry.load() is problem
    assert entry.summary() == problem.question()
    assert f" {problem.slug} {problem.question()}" in LISTED
    for declared in _declared(problem):
        assert declared.title.strip() == declared.title != ""
        assert not declared.title.endswith("."), declared.name
        assert re.fullmatch(r"([a-z]+\.)*[a-z][a-z0-9_]*", declared.name)
    for given in problem.givens.values():
        assert (given.many == "one") == (not given.of), given.name  # lists say of what
    for quantity in problem.quantities.values():
        assert re.fullmatch("[A-Za-z]+(_[A-Za-z0-9]+)*", quantity.letter)
    for choice in problem.choices.values():
        assert len(set(choice.options.values())) == len(choice.options)


@of_types
def test_the_example_and_every_option_solve(problem):
    assert solve(problem, example(problem)).answer.value is not None
    assert set(example(problem)) >= {n for n, given in problem.givens.items() if given.required}
    labels = {label for label, _, _ in solved_variants(problem)}
    assert labels | REFUSED.get(problem.slug, set()) == {label for label, _ in variants(problem)}


@of_types
def test_every_derived_quantity_is_derived(problem):
    """In a variant; else in some shape, or in a pair of options."""
    derived = {name for name in problem.quantities if "." not in name} - set(problem.givens)
    reached = {name for _, _, solved in solved_variants(problem) for name in solved.values}
    if problem.symbolic:
        plans = (EquationPlan(problem(shape)) for shape in shapes(problem))
        more = ({line.quantity.name for line in plan.lines} for plan in plans)
    else:
        more = ({*solved.values} for solved in solved_pairs(problem))
    while not reached >= derived and (names := next(more, None)) is not None:
        reached |= names
    assert {name for name in reached if "." not in name} == derived  # not of what it uses
    assert problem.answer in derived


@of_equations
def test_every_choice_matters(problem):
    """Any two of its options differ in a shape: in a formula, a reason, what is needed or refused.
    Where some shapes are played an option may matter to these alone, which their own tests see."""
    if issubclass(problem, ModelledProblem):
        return
    for name, choice in problem.choices.items():
        alike = {*combinations(choice.options, 2)} - SAME.get(problem.slug, set())
        for shape in shapes(problem):
            if not alike:
                break
            told = {x: _demanded(problem, shape.with_choice(name, x)) for x in choice.options}
            alike = {pair for pair in alike if told[pair[0]] == told[pair[1]]}
        assert not alike, name


def _demanded(problem: Kind, shape: Shape) -> object:
    """What a question of that *shape* comes to, whatever its numbers are."""
    if problem.is_played(shape):
        return "played"
    free = {name for name, given in problem.givens.items() if given.optional or given.free}
    needs = [*problem(shape).needs()]
    if not all({*shape.stated, *(problem.givens.keys() - free)} & {*group} for group in needs):
        return needs
    plan = EquationPlan(problem(shape))
    return [(line.symbol, line.formula, line.why) for line in plan.lines], [*plan.conditions]


# Explanations


def _texts(solved: Derivation) -> Iterator[str]:
    """Every text that an explanation owes its reader."""
    yield solved.commentary().problem.heading()
    for given in solved.givens:
        yield from (given.title, story.note(given))
    for numbered in story.numbered(solved.steps):
        for step in (numbered.step, *numbered.proof):
            yield from (step.title, step.why)
            yield from (row.why for row in getattr(step, "rows", ()) if hasattr(row, "why"))
            yield from (link.reason for link in getattr(step, "links", ()))
    yield from (remark.says for remark in (*solved.assumptions, *solved.unused))


def _letters(text: str) -> str:
    """The ASCII letters and digits of *text*, small: no wrapping, escapes, glyphs or capitals."""
    return re.sub("[^a-z0-9]", "", text.translate(LOW).lower())


def _reading(form: str, printed: str) -> str:
    """What a reader of the output *printed* in *form* reads, spaces and glyphs left out."""
    if form in ("latex", "markdown"):
        printed = re.sub(r"\\(?!min|max)[A-Za-z]+", "", printed)
    elif form == "html":
        printed = html.unescape(re.sub("<[^>]*>", "", printed))
    elif form == "json":
        printed = " ".join(_strings(json.loads(printed)))
    return _letters(printed)


def _strings(data: Any) -> Iterator[str]:
    """All texts in *data*, but for names."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from _strings(inner)


@pytest.mark.parametrize(("problem", "label", "turn"), VARIANTS, ids=IDS)
def test_every_output_keeps_the_contract(problem, label, turn, tmp_path):
    """One solution of each variant, and each output of it once: an example as every kind of page,
    the others as one kind each, which take turns."""
    solution = solved_variant(problem, label)
    assert solution
    texts, solved = solution
    call = command(problem, texts)
    for step in solved.steps:
        assert step.title
        assert "{" not in step.title + step.why
        assert not step.why.endswith("."), step.why
    for form in PAGES if turn == 0 else [PAGES[turn % 4]]:
        _page_shows_everything(solved, form, _printed(*call, "--all", "--format", form))
    _page_is_short_and_says_all(solved, _printed(*call))
    if turn % 4 == 0:
        _short_outputs_show_the_answer(solved, call)
    document = _printed(*call, "--format", "json")
    _page_shows_everything(solved, "json", document)
    data = json.loads(document)
    _json_holds_the_solution(solved, data)
    if turn % 4 == 1:
        line = _line(*call, "--format", "ndjson", "--steps", "none")
        assert list(line) == KEYS
        assert line == {key: data[key] for key in KEYS}
    file = tmp_path / "problem.yaml"
    file.write_text(_printed(*call, "--as-yaml"), encoding="utf-8")
    line = _line("solve", file, "--format", "ndjson", "--steps", "full")
    assert {**line, "id": None, "file": None} == data


def _line(*call: str | Path) -> dict[str, Any]:
    """The one line of ndjson, in ASCII, that a call prints."""
    line = _printed(*call)
    assert (line.isascii(), line.count("\n")) == (True, 1)
    return dict(json.loads(line))


def _printed(*call: str | Path) -> str:
    """What a call prints that must go well; a note is on standard error if nothing is explained."""
    ran = ddcalc(*call)
    assert ran.code == 0, ran.err
    notes = bool({*call} & {"none", "brief", "--as-yaml"})
    assert all(notes and line.startswith("note: ") for line in ran.err.splitlines())
    return ran.out


def _page_shows_everything(solved: Derivation, form: str, page: str) -> None:
    printed = _reading(form, page)
    for text in filter(None, _texts(solved)):
        if form != "json" or text != solved.commentary().problem.heading():
            assert _letters(text) in printed, text
    for reading in solved.readings:
        words = [reading.option] if form == "json" else reading.says.split()
        assert all(_letters(word) in printed for word in words), reading.says
    if form == "text":
        _fits_a_screen(page)
    if form in ("markdown", "latex", "html"):
        assert not {*"\a\b\v\f"} & {*page}  # what a backslash too few makes of a command
    if form == "html":
        for section in re.findall("(?s)<section>.*</section>", page):
            ElementTree.fromstring(section.replace("<wbr>", "<wbr/>"))
    if form == "markdown":
        assert page.count("$$") % 2 == 0


def _fits_a_screen(page: str) -> None:
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    for line in page.splitlines():
        assert len(line) <= 80, line
        assert line == line.rstrip(), line
    assert "\x1b" not in page
    assert "\n\n\n" not in page


def _short_outputs_show_the_answer(solved: Derivation, call: list[str]) -> None:
    answer = story.says(solved)
    alone, brief = (_printed(*call, "--steps", how) for how in ("none", "brief"))
    assert alone.split() == answer.split()
    assert _letters(answer) in _letters(brief)
    _fits_a_screen(alone)
    _fits_a_screen(brief)
    marked = _printed(*call, "--steps", "brief", "--format", "markdown")
    assert _letters(answer) in _reading("markdown", marked)


def _json_holds_the_solution(solved: Derivation, data: dict[str, Any]) -> None:
    problem = solved.problem
    said = ["mechanism", "checks_made", "insights", "shares", "premises"]
    assert list(data) == [*KEYS, *said, "steps"]
    assert sum(Fraction(one["exact"]) for one in data["shares"]) in (0, 100)
    assert (data["problem"], data["id"], data["file"]) == (problem.slug, None, None)
    assert (data["status"], data["checks"]) == ("solved", [])
    answer = {**data["quantities"][solved.answer.name], "says": story.says(solved)}
    assert data["answer"] == answer
    assert list(data["quantities"]) == list(solved.quantities)
    for name, mine in solved.quantities.items():
        theirs = data["quantities"][name]
        pairs = zip(mine, theirs, strict=True) if isinstance(mine, tuple) else [(mine, theirs)]
        for result, written in pairs:
            assert list(written) == RESULT
            assert (written["name"], written["symbol"]) == (result.name, result.symbol)
            assert written["unit"] == result.unit.name
            _same_value(result.value, written, result.unit)
    assumed = [(one.choice, one.option, one.says) for one in solved.assumptions]
    assert data["assumptions"] == [dict(zip(ASSUMED, one, strict=True)) for one in assumed]
    assert len(data["readings"]) == len(solved.readings)
    assert all([*one] == ["choice", "value", "answer"] for one in data["readings"])
    assert data["unused"] == [{"name": one.name, "says": one.says} for one in solved.unused]
    assert all(set(step) >= STEP for step in data["steps"])


def _same_value(value: Any, data: dict[str, Any], unit: Unit) -> None:
    if isinstance(value, Expr):
        assert data["value"] is None
        assert sympy.sympify(data["exact"]) is not None
    elif value is None:
        assert (data["value"], data["exact"]) == (None, None)
    else:
        rounded = isinstance(value, Approximate)
        scaled = Fraction(value) / unit.worth
        assert data["text"].startswith("≈") if rounded else Fraction(data["exact"]) == scaled
        assert (data["exact"] is None) == rounded
        assert data["value"] == float(scaled)


@of_types
def test_hints_are_the_first_steps(problem):
    steps = story.numbered(solve(problem, example(problem)).shown_steps())
    for wanted in (1, 2, len(steps) + 5):
        ran = ddcalc(*command(problem), "--hint", *[str(wanted)] * (wanted > 1))
        assert ran.code == 0
        assert all(len(line) <= 80 for line in ran.out.splitlines())
        printed = _letters(ran.out)
        for i, numbered in enumerate(steps, 1):
            title = _letters(f"{numbered.number}{numbered.step.title}")
            assert (title in printed) == (i <= wanted)


# Answers in words

MEMBERS = 200  # of lists in the questions here, at most
SLIPPED = re.compile(r"[{}]|  |about about|None| 1 [a-z]+s (are|have|take|wait)\b")


def _page_is_short_and_says_all(solved: Derivation, page: str) -> None:
    """It is no longer than a tutor's, and answers in a sentence that begins and ends as one."""
    assert len(page.splitlines()) <= most_lines(solved) + 12
    beside = solved.commentary()
    assert 0 < len(beside.mechanism.split()) <= 70
    assert beside.premises
    said = (beside.conclusion, *beside.insights)
    for pieces in said:
        sentence = "".join(x if isinstance(x, str) else "x" for x in pieces)
        assert sentence[0].isupper() or not sentence[0].isalpha(), sentence
        assert sentence.endswith((".", "!")), sentence
        assert not SLIPPED.search(sentence), sentence


@of_types
def test_letters_are_defined_before_they_are_used(problem):
    """In Given, or in a step above; an index, or what a sum runs over, is defined in its place."""
    found = [solved for label, _, solved in solved_variants(problem) if label[-2:] != "*1"]
    for solved in found[:: 1 + len(found) // 12]:
        defined = set()
        for row in single(solved.shown_steps()):
            if isinstance(row, kinds.State):
                members = range(MEMBERS if row.many else 0)
                defined |= {row.symbol, *(f"{row.symbol}_{i}" for i in members)}
            elif isinstance(row, kinds.Table):
                defined |= row.letters
            elif isinstance(row, kinds.Define):
                sums = (x for x in nodes(row.applied) if getattr(x, "name", "") == "sum")
                indices = {letter for one in sums for letter in symbols(one.args[1])}
                unknown = {*symbols(row.applied)} - defined - indices
                assert not unknown, (row.title, unknown)
                defined |= {row.symbol}


# Names, files and units


def test_the_reserved_names_are_those_of_the_command():
    shown = ddcalc("sync-step", "--help-all").out
    options = {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", shown)}
    stated = {*problem_named("sync-step").givens, *problem_named("sync-step").choices}
    # own-step is for types with a given step
    assert options - stated == {*RESERVED} - {"own_step"} | {"step"}


@of_types
def test_help_manual_and_schema_know_every_name(problem):
    called = {"help": [problem.slug, "--help-all"], "manual": ["show", problem.slug]}
    called["marked"] = [*called["manual"], "--format", "markdown"]
    ran = {form: ddcalc(*call) for form, call in called.items()}
    assert [(one.code, one.err) for one in ran.values()] == [(0, "")] * 3
    _fits_a_screen(ran["manual"].out)
    words, choices = ran["help"].out, [x for x in _declared(problem) if isinstance(x, Choice)]
    printed = {form: _letters(one.out) for form, one in ran.items()}
    assert max(map(len, words.splitlines())) <= 80
    assert {"--as-yaml", "--unit"} <= {*words.split()}
    assert _letters(problem.question()) in printed["help"]
    assert all(_letters(problem.about) in printed[form] for form in ("manual", "marked"))
    assert all(f"--{one.flag} " in words for one in (*problem.givens.values(), *choices))
    for given in problem.givens.values():
        assert _letters(f"{given.letter}: {given.title}") in printed["help"]
        assert given.required == (_letters(f"{given.title} (required)") in printed["help"])
    for choice in choices:
        assert _letters(choice.title) in printed["help"]
        assert all(option.replace("_", "-") in words for option in choice.options)
    for text in (text for one in _declared(problem) for text in (one.title, one.name)):
        assert all(_letters(text) in printed[form] for form in ("manual", "marked")), text
    names = [problem.slug, *problem.givens, *problem.choices]
    assert [name for name in names if f'"{name}"' not in SCHEMA] == []


@of_types
def test_a_new_file_solves_as_it_expects(problem, tmp_path):
    file = tmp_path / "new.yaml"
    file.write_text(ddcalc("new", problem.slug).out, encoding="utf-8")
    ran = ddcalc("solve", file, "--format", "ndjson")
    assert (ran.code, ran.err) == (0, "")
    data = json.loads(ran.out)
    assert data["checks"]
    assert all(check["agrees"] and check["ours"] for check in data["checks"])
    result = solve(problem, example(problem)).answer
    _same_value(result.value, data["answer"], result.unit)
    if isinstance(result.value, int | Fraction):
        shown = quantity_text(Fraction(result.value) / result.unit.worth, None)
        assert data["answer"]["text"] == f"{shown} {result.unit.name}".rstrip()


@of_types
def test_another_unit_of_an_input_changes_nothing(problem):
    """In three others for each, not the same for each type."""
    base, random = solve(problem, example(problem)), Random(problem.slug)
    for name, measured in base.stated.measured.items():
        units = units_like(problem.givens[name].unit)
        for unit in random.sample(units, min(len(units), 3)):
            if problem.givens[name].unit == COUNT:
                continue
            texts = [f"{Fraction(one.value) / unit.worth} {unit.name}" for one in measured]
            restated = {name: texts if name in base.stated.lists else texts[0]}
            again = solve(problem, example(problem) | restated)
            assert again.values == base.values, restated
            readings = ([one.answer.value for one in of.readings] for of in (again, base))
            assert next(readings) == next(readings)
