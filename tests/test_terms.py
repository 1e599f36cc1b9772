"""The words of the field: complete, consistent, true, and leading to commands that work."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from html import unescape
from math import pi, sin
from textwrap import dedent

import pytest
from running import ddcalc

from ddcalc.boundary.cleaning import html as html_escaped
from ddcalc.boundary.cleaning import markdown as markdown_escaped
from ddcalc.errors import UnknownName
from ddcalc.problem.catalog import catalog, types_with
from ddcalc.problem.terms import Term, slug, term_named, terms
from ddcalc.problem.topics import Fenced, Topic, topics
from ddcalc.render.manual import manual
from ddcalc.render.markup.latex import words as latex_escaped
from ddcalc.render.markup.markdown import part

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


def test_all_review_questions_have_a_term() -> None:
    wanted = {" ".join(name.split()) for name in ASKED.split("·")}
    assert wanted <= set(TERMS)


@each_term
def test_a_term_is_short_and_complete(term: Term) -> None:
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


def test_no_word_stands_for_two_terms() -> None:
    for term in TERMS.values():
        for written in (term.name, *term.aliases, term.slug, f"{term.name}s"):
            assert term_named(written) is term


def test_an_unknown_term_is_told_with_what_was_meant() -> None:
    with pytest.raises(UnknownName, match="did you mean 'staleness'"):
        term_named("stalness")
    with pytest.raises(UnknownName, match="did you mean 'Hogwild'"):
        term_named("hogwilt")
    with pytest.raises(UnknownName) as caught:
        term_named("zzz")
    assert str(caught.value).count(", ") == len(TERMS) + len(topics()) - 1


@pytest.mark.parametrize("topic", topics().values(), ids=lambda topic: topic.slug)
def test_blocks_of_code_are_printed_as_they_are(topic: Topic) -> None:
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
            rest = [
                line for line in commands if not re.match(r"   (\$ )?(ddcalc|split) [^#]*$", line)
            ]
            assert [line for line in rest if line not in printed.split("\n")] == []
            assert [line for line in commands if line not in joined.split("\n")] == []
            assert "".join(f"    {line}\n" for line in block.split("\n")) in f"{marked}\n"
            if block.startswith('"""'):
                code = "\n".join(lines)
                assert code in printed
                compile(dedent(code), topic.slug, "exec")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_to_try_work(command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "ddcalc"
    ran = ddcalc(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


@each_term
def test_a_page_tells_all(term: Term) -> None:
    call = ["explain", *term.name.split(), "--format"]
    markdown = ddcalc(*call, "markdown").out
    missing = [one for one in _said(term) if markdown_escaped(one) not in markdown]
    assert set(missing) <= {*term.formula}  # code, which needs no escapes
    assert all(line in markdown for line in term.formula)
    html = re.sub(r'<span class="solid">([^<]*)</span>', r"\1", ddcalc(*call, "html").out)
    assert [one for one in _said(term) if html_escaped(one) not in html] == []
    ET.fromstring(html[html.index("<section>") : html.index("</body>")])
    latex = ddcalc(*call, "latex").out.replace("~", " ")
    assert [one for one in _said(term) if latex_escaped(one) not in latex] == []
    assert "?" not in latex  # the mark for what the fonts do not have
    text = " ".join(ddcalc(*call, "text").out.split())
    assert [one for one in _said(term) if " ".join(one.split()) not in text] == []


@pytest.mark.parametrize("name", catalog())
def test_types_and_terms_lead_to_each_other(name: str) -> None:
    problem = catalog()[name].load()
    assert problem.terms
    said = part(manual(problem))
    for term in problem.terms:
        assert term in TERMS
        assert f"    ddcalc explain {slug(term)}\n" in said
        assert name in types_with(term)
        assert re.search(rf"Problem types: [^(]*\b{name}\b", ddcalc("explain", term).out)


# What the terms claim, seen by other means.


@pytest.mark.parametrize("delay", [0, 1, 2, 5, 20])
def test_where_delayed_gradients_diverge(delay: int) -> None:
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
