"""What people write at every door: options, files, searches, sweeps, Python; in rows or some."""

import json
from fractions import Fraction
from random import Random

import pytest
from questions import EXAM, Kind, Texts, command, example, of_types, options, specimen
from running import ddcalc
from tables import rows

import ddcalc as python
from ddcalc.errors import UnknownName
from ddcalc.formula.expression import letter
from ddcalc.problem.known.catalog import catalog, problem_named
from ddcalc.problem.quantity import Given, named
from ddcalc.problem.stated import read


@pytest.mark.parametrize(("name", "text"), rows("input_read.tsv"))
def test_one_reader_for_options_files_and_python(name, text, tmp_path):
    wanted = read(problem_named("epoch-time"), EXAM).numbers()
    given = EXAM | {name: text}
    assert read(problem_named("epoch-time"), given).numbers() == wanted
    assert python.solve("epoch-time", **given).answer.value == Fraction(1191, 2)
    assert ddcalc("epoch-time", *options(given), "--quantity", "total").out == "595.5 s\n"
    file = tmp_path / "sheet.yaml"
    file.write_text(ddcalc("epoch-time", *options(given), "--as-yaml").out, encoding="utf-8")
    solved = json.loads(ddcalc("solve", file, "--format", "ndjson").out)
    assert solved["answer"]["exact"] == "1191/2"


# Names


@pytest.mark.parametrize(("slug", "name", "option", "spellings"), rows("options_named.tsv"))
def test_other_names_of_options(slug, name, option, spellings):
    choice = problem_named(slug).choices[name]
    for spelling in spellings.split():
        assert choice.read(spelling) in choice.options
        assert option in ("-", choice.read(spelling))
    with pytest.raises(UnknownName):
        choice.read("")


def test_names_of_options_mean_one_option():
    for slug in catalog():
        for choice in problem_named(slug).choices.values():
            joined = [name.replace("_", "") for name in (*choice.options, *choice.also)]
            assert len({*joined}) == len(joined)
            assert {*choice.also.values()} <= {*choice.options}
            assert [choice.read(name) for name in choice.options] == [*choice.options]


def test_letters_name_what_they_stand_for():
    for slug in catalog():
        quantities = problem_named(slug).quantities
        for quantity in quantities.values():
            for text in (quantity.name, quantity.letter, letter(quantity.letter)):
                assert named(text, quantities) in (quantity.name, text)


DRAWN = 5  # subsets of each type
PAGES = ((), (), ("--all",), ("--format", "json"))


def _subset(problem: Kind, random: Random) -> Texts:
    """Some givens: often the example with some left out and others beside."""
    base = example(problem)
    texts = dict(base) if random.random() < 0.6 else {}
    much = random.random() ** 2
    for name, given in problem.givens.items():
        if random.random() < much and texts.pop(name, None) is None:
            texts[name] = _stated(given, base.get(name), random)
    for name, choice in problem.choices.items():
        if random.random() < 0.2:
            texts[name] = random.choice([*choice.options])
    return texts


def _stated(given: Given, usual: str | list[str] | None, random: Random) -> str | list[str]:
    if usual is not None and random.random() < 0.5:
        return usual
    if given.words and random.random() < 0.3:
        return random.choice([*given.words])
    if given.many == "one" or (given.many == "either" and random.random() < 0.5):
        return specimen(given, random.choice([0, 0, 1]))
    return [specimen(given, i) for i in range(random.randint(1, 3))]


@of_types
def test_any_givens_are_answered_or_refused(problem):
    random = Random(problem.slug)
    for _ in range(DRAWN):
        ran = ddcalc(*command(problem, _subset(problem, random)), *random.choice(PAGES))
        assert ran.code in (0, 2), ran.err
