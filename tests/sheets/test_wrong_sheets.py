"""What is said of a sheet in which one thing is wrong: the sheet to start from, with one line
changed, and where the mark stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.cli.sheets import first

PICTURE = """picture
  Reads: read -- in turn
    number: readers
    lane disk: time / 2, time"""
WRONG = [  # a line, what it becomes, the mistake, and what is marked
    ("answer: time", "answer: tiem", "nothing is called tiem; did you mean time?", "tiem"),
    ("source: where", "suorce: where", "nothing is called suorce; did you mean source?", "suorce"),
    ("choose", "choices", "nothing is called choices; did you mean choose?", "choices"),
    ("[data, example", "[dat, example", "nothing is called dat; did you mean data?", "dat"),
    ("default 4]", "defualt 4]", "nothing is called defualt; did you mean default?", "defualt"),
    ("size s [", "size s ", "is declared as name letter [kind, property, …]: what it is", "size s"),
    ("  size s [", "  samples s [", "'samples' is declared twice, first in line 12", "samples"),
    ("warm: half", "warm, half", "is written name: what the option says", "warm, half"),
    ("    warm: half", "#", "has fewer than two options", "cache: where"),
    ("read = samples", "read samples", "is written name = formula", "read samples"),
    ("cache is warm", "cache is worm", "cache is never worm; did you mean warm?", "cache is worm"),
    ("limit is stated", "readers is stated", "readers is always stated, as it", "readers is"),
    ("cache is warm", "cash is warm", "nothing is called cash; did you mean cache?", "cash is"),
    ("= read * size", "= read * sise", "nothing is called sise; did you mean size?", "sise"),
    ("= read * size", "= read * * size", "is no formula: invalid syntax", "*"),
    ("= read * size", "= 30 h * size", "'30 h' has a unit, as no number in a formula has", "30 h"),
    ("volume S [B]", "volume S [count]", "is no unit; there are units, time, share, or", "count"),
    ("takes {time},", "takes {time / 2},", "'/ 2' is no noun, unit or %; a formula", "/ 2"),
    ("default 4]", 'list reader, default "4, 5"]', "has no list for its default: it is", "readers"),
    ("= read * size", "= read % size", "is not part of formulas", "read % size"),
    ("= read * size", "= read.size", "nothing is called read.size", "read.size"),
    ("= read * size", "= [size for x in size]", "ListComp is not part of", "[size for x in size]"),
    ("= read * size", "= (lambda: 1)()", "only functions are called", "(lambda: 1)()"),
    ("= read * size", "= size(1)(2)", "only functions are called", "size(1)(2)"),
    ("= read * size", "= raed(size)", "nothing is called raed; did you mean read?", "raed"),
    ("= read * size", "= volume_of(size) + volume", "is made from itself", "volume_of"),
    ("= read * size", "= read + size", "mixes a plain number and data", "volume S [B]"),
    (
        "    = read * size",
        "#",
        "has no rule; a line below it begins with =, if or else",
        "volume S",
    ),
    ("else: readers", "if readers > 4: readers", "is the last rule, so it has no condition", "if"),
    ("takes {time},", "takes {time,", "'{' is a bracket that nothing closes", "{"),
    ("takes {time},", "takes {tmie},", "nothing is called tmie; did you mean time?", "tmie"),
    ("takes {time},", "takes {},", "a slot begins with a name, or with a formula in", ""),
    ("[if limit is stated: , or", "[if limit is stated , or", "[if condition: words]", "limit is"),
    ("  else: With", "  elsewhere With", "", ""),
    (
        "time falls with readers,",
        "time falls readers,",
        "is written always relation -- why, or",
        "time falls",
    ),
    ("time falls with", "tiem falls with", "nothing is called tiem; did you mean time?", "tiem"),
    ("readers = 4;", "readers 4;", "is written name = value; name = value", "readers 4"),
    ("readers = 4;", "readers = 4.5;", "'4.5' is not a whole number", "4.5"),
    ("warm: half", "warm [alos hot]: half", "is no property of a choice; there are", "alos hot"),
    ("cache: where", "cache [also hot]: where", "is no property of a choice; there", "also hot"),
    ("readers = 4;", "raeders = 4;", "unknown parameter 'raeders'; did you mean 'readers'?", ""),
    ("time = 100 s", "time = 99 s", "time is 100 s, not 99 s", "99 s"),
    (
        "expect: volume",
        "expct: volume",
        "is written given: name = value; …, or expect",
        "expct: volume",
    ),
    ("given: samples", "\tgiven: samples", "is indented with a tab", ""),
    ("answer: time", "breakdown: some\nanswer: time", "is no breakdown: it is none where", "some"),
    ("answer: time", "answer: time if readers > 1 else pace", "depends on numbers, but", "readers"),
    (
        "assume",
        "mechanism\n  It reads [if readers > 1: at once | alone].\n\nassume",
        "depends on numbers, which nothing said here can",
        "It reads",
    ),
    ("assume", f"{PICTURE}\n\nassume", "", ""),
    (
        "assume",
        f"{PICTURE.replace('readers', 'reader')}\n\nassume",
        "nothing is called reader",
        "reader",
    ),
    ("assume", f"{PICTURE.replace('time', 'size')}\n\nassume", "is no time", "size / 2"),
    (
        "assume",
        f"{PICTURE.replace('lane', 'line')}\n\nassume",
        "is written number: formula, or before: formula, or lane",
        "line disk",
    ),
    (
        "assume",
        f"{PICTURE.replace(' -- in', ', in')}\n\nassume",
        "title: what passes -- why",
        "Reads: read, in",
    ),
    ("assume", f"{PICTURE[:53]}\n\nassume", "has no line lane word: formula", "Reads"),
    ("= read * size", "= turned(size)", "only rows are turned", "turned(size)"),
    ("= read * size", "=", "is no formula: invalid syntax", ""),
    ("= read * size", "= size * floor()", "floor does not take 0 values", "floor()"),
    ("= read * size", "= size * min()", "min does not take 0 values", "min()"),
    ("= read * size", "= size * (1 / 0)", "'1 / 0' has no value: its parts do not fit", "1 / 0"),
    ("= read * size", "= solve(size)", "has no value: its parts do not fit", "solve(size)"),
    ("= read * size", "= (size, size)", "has 2 values; which list is it one of", "= (size"),
    ("= read * size", "= cache", "is no number", "= cache"),
    ("data, example 110 kB", "data, noun x", "'noun x' is no property of a given", "noun x"),
    ("data, example 110 kB", "data, each readers", "is no property of a given", "each readers"),
    ("B/s, more", "B/s, default 3", "'default 3' is no property of a step", "default 3"),
    ("data, example 110 kB", "data, >= x", "'>= x' is written >= 0", ">= x"),
    ("time = 100 s", "time = 100 s within x %", "is written value, or value within 5 %", "100 s"),
    ("if limit is stated and", "if limit and", "is no condition: it compares nothing", "limit and"),
    ("means", "means\n  else: Well.", "'else' comes without a line before it", "else"),
    ("takes {time},", "takes [read],", "is no text", "samples / 2"),
    (
        "assume",
        "ranking\n  Ways: size\n    a: time\n\nassume",
        "'Ways: size' has no line at: text",
        "Ways",
    ),
    ("choose\n", "choose:\n", "is a section, which has no colon", "choose:"),
    ("  else: With", "  else With", "is written else: …, or else if condition: …", "else"),
    ("= read * size", "= time * pace", "goes round in a circle: volume needs", ""),
    ("takes {time},", "takes {(time + volume)},", "mixes time and data", ""),
    ("takes {time},", "takes {after(time, raeders=2)},", "after changes givens and", "after(time"),
    ("default 4]", "default 4 s]", "'4 s'", "readers"),
]


@pytest.mark.parametrize(("line", "changed", "mistake", "marked"), WRONG)
def test_one_mistake(tmp_path: Path, line: str, changed: str, mistake: str, marked: str) -> None:
    sheet = first("mine")
    extra = "let\n  volume_of(x) = volume_of(x) + 1\n" if "volume_of" in changed else "let\n"
    assert line in sheet
    path = tmp_path / "mine.sheet"
    path.write_text(sheet.replace(line, changed, 1).replace("let\n", extra), "utf-8")
    ran = ddcalc("check", path)
    if not mistake:
        assert ran.code == 0
        return
    assert ran.code == 2
    assert mistake in ran.err, ran.err
    source, caret = next(
        pair for pair in zip(ran.err.split("\n"), ran.err.split("\n")[1:], strict=False)
        if "^" in pair[1]
    )  # fmt: skip
    at = caret.index("^")
    assert source[at:].startswith(marked), ran.err


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    sheet = first("mine")
    for line, changed, *_ in (WRONG[3], WRONG[4], WRONG[12], WRONG[25]):
        sheet = sheet.replace(line, changed, 1)
    (tmp_path / "mine.sheet").write_text(sheet, "utf-8")
    ran = ddcalc("check", tmp_path / "mine.sheet")
    assert ran.err.count("error:") == 4


@pytest.mark.parametrize(("derived", "mistake"), [
    ("time least volume / (pace * time) + time * pace / volume -- a sum", ""),
    ("time least volume / (pace * time) + 2 * time * pace / volume -- a sum",
     "no algebra leads from here to time"),
    ("time from time * pace == volume -- what is read", ""),
    ("time from time * pace == volume / 2 -- what is read", "no algebra leads to"),
])  # fmt: skip
def test_sympy_comes_to_what_is_derived(tmp_path: Path, derived: str, mistake: str) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine").replace("laws\n", f"derive\n  {derived}\n\nlaws\n"), "utf-8")
    ran = ddcalc("check", path)
    assert ran.code == (2 if mistake else 0), ran.err
    assert mistake in ran.err


DOUBLED = "\n".join(f"  x{i} = x{i - 1} + x{i - 1}" for i in range(1, 40))
BOUNDS = [
    ("let\n", f"let\n  x0 = samples\n{DOUBLED}\n", "has more than 20000 parts"),
    ("= read * size", f"= {'(' * 60}size{')' * 60} * read", ""),
    ("= read * size", f"= {'-' * 60}size * read", "goes deeper than 50 levels"),
    ("= read * size", "= size * 10**100000", "is too large a power"),
    ("= read * size", f"= size * {'9' * 50}", "is too long a number"),
    ("given\n", "given\n" + "".join(f"  g{i} [count, default 1]: g\n" for i in range(200)),
     "is one more than the 200"),
    ("takes {time},", "".join(f"[if readers > {i}: a{i}]" for i in range(7)) + " {time},",
     "can be said in more than 64 ways"),
    ("answer: time", "include: ../other.sheet\nanswer: time", "is not included"),
    ("answer: time", "include: mine.sheet\nanswer: time", "is not included"),
    ("answer: time", "include: nothere.sheet\nanswer: time", "cannot open the file"),
    ("answer: time", "also: x\nanswer: time", "is for the program's own sheets: others"),
    ("answer: time", "model: os.system\nanswer: time", "is for the program's own sheets"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "changed", "mistake"), BOUNDS)
def test_bounds(tmp_path: Path, line: str, changed: str, mistake: str) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine").replace(line, changed, 1), "utf-8")
    ran = ddcalc("check", path)
    assert ran.code == (2 if mistake else 0), ran.err
    assert mistake in ran.err


def test_a_long_sheet_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine") + "#" * 262_144, "utf-8")
    assert "at most 262144 characters" in ddcalc("check", path).err
