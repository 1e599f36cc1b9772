"""What is looked up: types by phrases, the words of the field, presets, topics, the front page."""

import re
import shlex
import xml.etree.ElementTree as ET
from html import unescape
from math import pi, sin
from textwrap import dedent

import pytest
from questions import FOLDERS, TYPES, command, of_types
from running import ddcalc
from tables import rows

from ddcalc.boundary.cleaning import html as html_escaped
from ddcalc.boundary.cleaning import markdown as markdown_escaped
from ddcalc.cli.app import VERBS
from ddcalc.errors import BadValue, UnknownName
from ddcalc.problem.known.catalog import GROUPS, types_with
from ddcalc.problem.known.explained import Fenced, Term, term_named, terms, topics
from ddcalc.problem.known.index import matches
from ddcalc.problem.known.presets import SLOTS, preset_named, presets
from ddcalc.render.manual import command_line, manual
from ddcalc.render.markup.latex import words as latex_escaped
from ddcalc.render.markup.markdown import part

# The set of a phrase, the phrase, and the types one of which it is about. The sets: those of a
# review by newcomers; those at hand while the index was made; those held back until it was done,
# in two rounds, of which the second was harder and led to five more keywords.
PHRASES = rows("phrases.tsv")


@pytest.mark.parametrize(
    ("group", "first"), [("review", 40), ("tuned", 56), ("held", 18), ("fresh", 18), ("sheets", 7)]
)
def test_phrases_find_their_types(group, first):
    """A right type for each, and for so many at the first place."""
    asked = [(matches(phrase), types.split("|")) for of, phrase, types in PHRASES if of == group]
    right = [[match.entry.slug in types for match in found] for found, types in asked]
    assert all(map(any, right))
    assert sum(places[0] for places in right) >= first


def test_the_table_of_phrases():
    assert len({phrase for _, phrase, _ in PHRASES}) == len(PHRASES)
    named = {slug for _, _, slugs in PHRASES for slug in slugs.split("|")}
    assert named == {problem.slug for problem in TYPES}


# The front page


@pytest.mark.parametrize("call", [[], ["-h"], ["--help"], ["help"], ["--debug"]])
def test_the_front_page_is_a_screen(call):
    ran = ddcalc(*call)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out.splitlines()) <= 24
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "..." not in ran.out
    for name in (*VERBS, *VERBS.values(), *GROUPS.values()):
        assert name in " ".join(ran.out.split())


# The list


def test_types_are_listed_under_the_subject_of_their_folder():
    """Each once, and the subjects in their order."""
    subject, listed = "", list[tuple[str, str]]()
    for line in ddcalc("list").out.splitlines():
        if re.fullmatch(r"[A-Z][a-z ]+", line):
            subject = line
        elif found := re.match(r"([a-z][a-z-]+)  +\S", line):
            listed.append((found[1], subject))
    wanted = {problem.slug: GROUPS[FOLDERS[problem.slug]].capitalize() for problem in TYPES}
    assert sorted(listed) == sorted(wanted.items())
    subjects = [*dict.fromkeys(subject for _, subject in listed)]
    assert subjects == [name.capitalize() for name in GROUPS.values()]


# Terms


TERMS = terms()
ASKED = """
    data parallelism · synchronous · stale-synchronous · asynchronous · local SGD · straggler
    · backup worker · staleness · ring all-reduce · quantization · sparsification · batch size
    · CROSSBOW · federated averaging
"""  # the review questions of the courses
COMMANDS = sorted({trial.command for term in TERMS.values() for trial in term.trials})

each_term = pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)


def _said(term: Term) -> list[str]:
    """All that a page must say of *term*."""
    words = [term.words, term.helps, term.hurts, term.letters, term.source, *term.formula]
    return [*words, *(trial.shows for trial in term.trials), *term.see, *term.aliases]


ESCAPED = {"markdown": markdown_escaped, "html": html_escaped, "latex": latex_escaped}
ESCAPED["text"] = lambda said: " ".join(said.split())


def test_all_review_questions_have_a_term():
    wanted = {" ".join(name.split()) for name in ASKED.split("·")}
    assert wanted <= set(TERMS)


@each_term
def test_a_term_is_short_and_complete(term):
    sentences = re.findall(r"\.(?=\s|$)", f"{term.words} {term.helps} {term.hurts}")
    assert 3 <= len(sentences) <= 8
    assert all(_said(term))
    assert all(sentence.endswith(".") for sentence in (term.words, term.helps, term.hurts))
    assert len(term.summary) < 60
    assert re.search(r"\d{4}|course", term.source)
    assert term.trials
    assert not any(":" in trial.shows for trial in term.trials)
    assert set(term.see) <= set(TERMS) - {term.name}
    assert len(term.see) == len(set(term.see)) > 1
    for written in (term.name, *term.aliases, term.slug, f"{term.name}s"):
        assert term_named(written) is term


@pytest.mark.parametrize("topic", topics().values(), ids=lambda topic: topic.slug)
def test_blocks_of_code_are_printed_as_they_are(topic):
    """In every format, at every width; a shell command goes on behind a backslash."""
    blocks = [part.text.rstrip() for part in topic.parts if isinstance(part, Fenced)]
    marked = ddcalc("explain", topic.slug, "--format", "markdown").out
    tex = ddcalc("explain", topic.slug, "--format", "latex").out.splitlines()
    html = ddcalc("explain", topic.slug, "--format", "html").out
    pre = re.findall("<pre>(.*?)</pre>", html, re.DOTALL)
    assert [unescape(text) for text in pre] == blocks
    assert not [line for line in tex if line.startswith(r"\texttt") and " " in line]
    for columns in (40, 80):
        printed = ddcalc("explain", topic.slug, columns=columns).out
        joined = re.sub(r" \\\n +", " ", printed)
        for block in blocks:
            lines = [f"   {line}".rstrip() for line in block.split("\n")]
            commands = re.sub(r" \\\n +", " ", "\n".join(lines)).split("\n")
            missing = [line for line in commands if line not in printed.split("\n")]
            assert all(re.match(r"   (\$ )?(ddcalc|split) [^#]*$", line) for line in missing)
            assert [line for line in commands if line not in joined.split("\n")] == []
            assert "".join(f"    {line}\n" for line in block.split("\n")) in f"{marked}\n"
            if block.startswith('"""'):
                code = "\n".join(lines)
                assert code in printed
                compile(dedent(code), topic.slug, "exec")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_to_try_work(command):
    program, *arguments = shlex.split(command)
    assert program == "ddcalc"
    ran = ddcalc(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


@each_term
def test_a_page_tells_all(term):
    pages = {form: ddcalc("explain", *term.name.split(), "--format", form).out for form in ESCAPED}
    html, code = pages["html"], {*term.formula}  # which needs no escapes
    pages["html"] = re.sub(r'<span class="solid">([^<]*)</span>', r"\1", html)
    pages["latex"] = pages["latex"].replace("~", " ")
    pages["text"] = " ".join(pages["text"].split())
    for form, escaped in ESCAPED.items():
        missing = {one for one in _said(term) if escaped(one) not in pages[form]}
        assert missing <= (code if form == "markdown" else set()), form
    assert all(line in pages["markdown"] for line in term.formula)
    ET.fromstring(html[html.index("<section>") : html.index("</body>")])
    assert "?" not in pages["latex"]  # the mark for what the fonts do not have


@of_types
def test_a_manual_has_the_call_of_the_example_and_leads_to_terms_and_back(problem):
    call = [word.replace(" ", "") for word in command(problem)]
    assert shlex.split(command_line(problem).replace("\\\n", "")) == ["ddcalc", *call]
    assert problem.terms
    said = part(manual(problem))
    for term in problem.terms:
        assert f"    ddcalc explain {TERMS[term].slug}\n" in said
        assert problem.slug in types_with(term)
        leads = rf"Problem types: [^(]*\b{problem.slug}\b"
        assert re.search(leads, ddcalc("explain", term).out)


# What the terms claim, seen by other means.


@pytest.mark.parametrize("delay", [0, 1, 2, 5, 20])
def test_where_delayed_gradients_diverge(delay):
    """As the page on asynchronous training says: steps of 1 % less shrink, of 1 % more swing up."""
    for word in ("hogwild", "divergence"):
        assert "η·h > 2·sin(π/(4τ + 2))" in " ".join(ddcalc("explain", word).out.split())
    for factor, shrinks in ((0.99, True), (1.01, False)):
        places = [1.0] * (delay + 1)
        for _ in range(40_000):
            step = factor * 2 * sin(pi / (4 * delay + 2))
            places = [*places[-delay:], places[-1] - step * places[0]][-delay - 1 :]
            if max(map(abs, places)) > 1e9:
                break
        assert (max(map(abs, places)) < 1e-2) == shrinks


# Presets


ALL = [preset for kind in presets().values() for preset in kind.values()]
GIVENS = [given for problem in TYPES for given in problem.givens.values()]
FILLED = {fact.partition(".")[::2] for given in GIVENS for fact in given.filled_by.facts}


@pytest.mark.parametrize("preset", ALL, ids=lambda preset: preset.name)
def test_a_preset_fills_something_and_says_where_it_stands(preset):
    assert any(SLOTS[slot] == preset.kind and preset.fact(fact) for slot, fact in FILLED)
    assert preset.title
    for (_, number_format), fact in preset.facts.items():
        assert re.search(r"\b20[12][0-9]\b", fact.source), fact
        assert number_format in ("", "bf16", "fp16", "tf32", "fp32", "fp64", "fp8", "fp4")


@pytest.mark.parametrize(("slot", "text", "says"), rows("no_presets.tsv"))
def test_wrong_names(slot, text, says):
    with pytest.raises((BadValue, UnknownName)) as caught:
        preset_named(slot, text)
    assert says in str(caught.value)
