"""``--format`` and ``--output FILE``: every verb in every format that it has, and in a file whose
suffix says the format what standard output would say."""

import json
import os
import shlex
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from running import ROOT, ddcalc
from tables import rows

from ddcalc.cli.app import FILES as VERB_FILES
from ddcalc.cli.app import VERBS
from ddcalc.cli.documents import PAGES, PICTURES, Format
from ddcalc.render.writers import WRITERS

FILES = str(ROOT / "tests" / "golden" / "files")
TABLE = rows("formats.tsv")
CALLS = {verb: shlex.split(call.replace("{files}", FILES)) for verb, call, _ in TABLE}
FORMATS = {verb: [*map(Format, forms.split())] for verb, _, forms in TABLE}
# All formats of those that have most of them; of the others the first and two more, in turns.
ALL = {"divergence", "sweep", "variants"}
EVERYTHING = [
    (verb, form)
    for i, (verb, forms) in enumerate(FORMATS.items())
    for form in (forms if verb in ALL else dict.fromkeys((forms[0], *(PAGES * 2)[i % 6 :][:2])))
]


pytestmark = pytest.mark.usefixtures("folder")


def written(*arguments: str, name: str, **surroundings: str | int) -> str:
    """What a call writes into the file *name*, and nowhere else."""
    ran = ddcalc(*arguments, "--output", name, **surroundings)  # type: ignore[arg-type]
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith(f"wrote {name}")
    assert os.listdir() == [name]
    return Path(name).read_bytes().decode()


def test_every_verb_is_tried():
    """``new`` and ``schema`` print files of one format; ``experiment`` has tests of its own."""
    assert {*VERBS} - {*CALLS} == {"new", "schema", "experiment"}
    for verb in {*VERBS} & {*CALLS}:
        module = import_module(f"ddcalc.cli.verbs.{VERB_FILES.get(verb, verb)}_command")
        named = [getattr(module, name, None) for name in ("FORMATS", "PLOTTED", "DRAWN")]
        forms = next(filter(None, named), PAGES)
        assert {*FORMATS[verb]} == {*forms} - {Format.key}


@pytest.mark.parametrize(("verb", "form"), EVERYTHING)
def test_every_verb_in_every_format(verb, form):
    """On standard output and in a file of each of the format's suffixes, the same."""
    if form in PICTURES:
        pytest.importorskip("matplotlib")
    if form in (Format.png, Format.pdf):
        ran = ddcalc(*CALLS[verb], "--output", f"a.{form}")
        assert (ran.code, ran.out) == (0, "")
        assert Path(f"a.{form}").stat().st_size > 1000
        return
    printed = ddcalc(*CALLS[verb], "--format", form)
    assert printed.code == 0, printed.err
    begins = {Format.html: "<!DOCTYPE html>"}.get(form, "")
    ends = {Format.html: "</html>\n", Format.latex: "\\end{document}\n"}.get(form, "\n")
    assert printed.out.startswith(begins)
    assert printed.out.endswith(ends)
    if form in (Format.json, Format.ndjson):
        lines = printed.out.splitlines() if form == Format.ndjson else [printed.out]
        assert all(map(json.loads, lines))
    if form == Format.svg:
        assert ElementTree.fromstring(printed.out).tag == "{http://www.w3.org/2000/svg}svg"
    for suffix in WRITERS[form].endings:
        assert written(*CALLS[verb], name=f"a{suffix}") == printed.out
        os.unlink(f"a{suffix}")
