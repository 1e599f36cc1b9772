"""A class marked by several workers: every byte as one process writes it, whoever answers what."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from inline import Inline, worked_here
from running import Ran, ddcalc

from ddcalc.ask.mark.grading import Mark
from ddcalc.cli.verbs import check_command
from ddcalc.files.answer_key import Key, StatedAnswers

FORMS = (
    "text", "csv", "csv --rows answers", "json", "ndjson", "html", "latex", "markdown",
)  # fmt: skip
SHEET = """
problems:
  - id: ps
    type: epoch-time
    given: {samples: 76800, batch: 1536, epochs: 10, workers: 6,
            download: 1.5 s, compute: 4 s, upload: 1.5 s, aggregate: 15 ms}
    marking: {points: 3, credit: {slip: by-steps}}
  - id: step
    type: sync-step
    given: {finish: [0.15 s, 0.2 s, 0.5 s], aggregate: 0.3 s, update: 0.25 s}
  - id: runs
    type: divergence
    given: {starts: [0.15 s, 0.2 s, 0.25 s, 0.5 s], update: 0.2 s, horizon: 0.6 s}
  - {id: up, type: speedup, given: {serial: 0.25, processors: 9}, expect: {speedup: 4}}
  - {id: lost, type: sppedup, given: {serial: 0.25, processors: 9}}
"""
EXAM = "problems:\n" + "".join(
    f"  - {{id: q-{n}, type: speedup, given: {{serial: 0.25, processors: {n + 5}}}}}\n"
    f"  - {{id: r-{n}, type: sync-step, given: {{finish: [0.15 s, 0.{n} s], aggregate: 0.3 s}}}}\n"
    for n in (1, 2, 3)
)
ANSWERS = (
    "595.5 s", "588.47 s", "637.5", "9.925 min", "1.05 s", "1050 ms", "3", "4.5", "84", "", "-",
    "about", "1 sek", "588,47 s", "none", "4 eta Delta", "5*eta*Delta", "part 1: 3; part 2: 4",
)  # fmt: skip
CHANCE = random.Random(11)
# names grow, so that columns do
STUDENTS = [f"s{'o' * (number // 16)}-{number}" for number in range(160)]


def answer() -> str:
    return CHANCE.choice(ANSWERS)


def wide(names: list[str], *columns: str) -> str:
    """A row a student, with answers to the questions that *columns* name."""
    lists = ("0.35 s, 0.3 s, 0 s", "0.35 s; 0.3 s; 1 s", "1 s", "")
    rows = ["|".join(["student", *columns])]
    for name in names:
        cells = [CHANCE.choice(lists) if "idle" in one else answer() for one in columns]
        rows.append("|".join([name, *cells]))
    return "".join("\t".join(row.split("|")) + "\n" for row in rows)


QUESTIONS = ("ps", "ps.full_rounds", "step", "step.idle", "runs", "up", "unknown", "lost")
WIDE = wide(STUDENTS, *QUESTIONS)
TREE = {
    name: {"ps": {"total": answer(), "full_rounds": {"value": "83"}}, "up": answer(),
           "step.idle": ["0.35 s", "0.3 s", {"x": "0 s"} if name.endswith("7") else "0 s"]}
    for name in STUDENTS
}  # fmt: skip
HANDED = {
    "wide.tsv": WIDE,
    "twice.tsv": WIDE + "s-3\t1\n\t\t1\n\"s\nq\"\t1\t2\n",
    "one.tsv": wide(["ann"], *QUESTIONS),
    "long.csv": "student,problem,quantity,answer\n" + "".join(
        f'{name},{problem},{quantity},"{answer()}"\n'
        for problem, quantity in
        (("ps", "total"), ("up", ""), ("psx", ""), ("ps", ""), ("step", "total"))
        for name in STUDENTS
    ),
    "numbered.tsv": wide(STUDENTS, "Q1", "Q2"),
    "open.csv": WIDE.replace("\t", ";") + 's;"\n' + ";\n" * 150,
    "ends.tsv": WIDE + "x\x07\n",
    "early.tsv": "student\tps\nann\t1\nbob\t\x07\n",
    "nothing.csv": "",
    "header.csv": "student,ps\n",
    "tree.json": json.dumps({"students": TREE}),
    "lines.ndjson": "".join(
        json.dumps({"student": name, ("answer" if name.endswith("9") else "answers"): told}) + "\n"
        for name, told in TREE.items()
    ) + '{"student"\n',
    "shape.yaml": "ann: {ps: 1}\n",
}  # fmt: skip
VERSIONS = {
    "version.tsv": "".join(
        f"{line}\t{version}\n"
        for line, version in zip(
            wide(STUDENTS, "q", "r", "q-3").splitlines(),
            ["version", *(CHANCE.choice(["1", "2", "version 3", "9", ""]) for _ in STUDENTS)],
            strict=True,
        )
    ),
    "numbers.tsv": wide(STUDENTS, "Response 1", "Response 2"),
}


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Small pieces, worked on in this process where there are jobs."""
    monkeypatch.setattr(check_command, "ANSWERS", 40)
    return worked_here(monkeypatch)


def file(folder: Path, name: str, content: str) -> Path:
    made = folder / name
    made.write_text(content, encoding="utf-8")
    return made


def same(*call: str | Path, jobs: str = "2") -> Ran:
    """What a call writes, which is the same by several workers."""
    alone = ddcalc("check", *call)
    together = ddcalc("check", *call, "--jobs", jobs)
    assert (together.code, together.out, together.err) == (alone.code, alone.out, alone.err)
    return together


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["wide.tsv", "long.csv", "tree.json"])
def test_every_byte_is_the_same_in_every_format(
    inline: Inline, tmp_path: Path, name: str, form: str
) -> None:
    sheet, handed = file(tmp_path, "sheet.yaml", SHEET), file(tmp_path, name, HANDED[name])
    ran = same(sheet, handed, "--format", *form.split())
    assert ran.code == 2
    assert "unknown problem type" in ran.err
    assert "ooooooooo-159" in ran.out.replace("{-}", "-")
    assert inline.pieces > 8


@pytest.mark.parametrize("form", ["text", "csv", "json"])
@pytest.mark.parametrize("name", HANDED)
def test_whatever_is_handed_in(inline: Inline, tmp_path: Path, name: str, form: str) -> None:
    sheet, handed = file(tmp_path, "sheet.yaml", SHEET), file(tmp_path, name, HANDED[name])
    same(sheet, handed, "--format", form)


@pytest.mark.parametrize("which", ["sheet", "answers"])
def test_standard_input(
    inline: Inline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    sheet, handed = file(tmp_path, "sheet.yaml", SHEET), file(tmp_path, "a.tsv", HANDED["wide.tsv"])
    text = SHEET if which == "sheet" else HANDED["wide.tsv"]
    call = ("-", handed) if which == "sheet" else (sheet, "-")
    made = []
    for jobs in ("1", "2"):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode()), "utf-8"))
        made.append(ddcalc("check", *call, "--jobs", jobs))
    assert made[0] == made[1]
    assert STUDENTS[-1] in made[0].out
    assert inline.pieces > 8


@pytest.mark.parametrize("options", ["", "--format csv", "--variant 2", "--variant 9"])
@pytest.mark.parametrize("name", VERSIONS)
def test_an_exam_in_versions(inline: Inline, tmp_path: Path, name: str, options: str) -> None:
    sheet, handed = file(tmp_path, "exam.yaml", EXAM), file(tmp_path, name, VERSIONS[name])
    ran = same(sheet, handed, *options.split())
    assert ("note: question 1 is" in ran.err) == (name == "numbers.tsv" and "--v" not in options)


def test_pieces_of_any_size(
    inline: Inline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = file(tmp_path, "sheet.yaml", SHEET)
    handed = file(tmp_path, "wide.tsv", HANDED["wide.tsv"])
    counts = []
    for size in (1, 7, 100, 500, 10_000):
        inline.pieces = 0
        monkeypatch.setattr(check_command, "ANSWERS", size)
        same(sheet, handed, "--decimal-comma")
        counts.append(inline.pieces)
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-1]) == (len(STUDENTS) + 1, 0)  # and the header, which is wrong


def test_a_sheet_in_several_files_that_end_early(inline: Inline, tmp_path: Path) -> None:
    """Workers read of it what was read here: a problem that is cut off is none."""
    sheets = tmp_path / "sheets"
    sheets.mkdir()
    file(sheets, "a.yaml", SHEET)
    law = "- {id: law, type: speedup, given: {serial: 0.5, processors: 1"
    file(sheets, "b.yaml", f"problems:\n{law}}}}}\n{law.replace('law', 'up')}\x07}}}}\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    file(folder, "a.json", HANDED["tree.json"])
    file(folder, "b.yaml", "students: {a: [\n")
    file(folder, "c.ndjson", HANDED["lines.ndjson"])
    assert "U+0007" in same(sheets, folder).err
    assert inline.pieces > 10


def test_a_deadly_paper_costs_no_other(inline: Inline, tmp_path: Path) -> None:
    """Its piece is tried again, then each paper in it by itself; that student is an error."""
    sheet = file(tmp_path, "sheet.yaml", SHEET)
    names = [name if name != STUDENTS[70] else "poison" for name in STUDENTS]
    rows = "".join(f'{name},ps,"{answer()}"\n{name},step,1 s\n' for name in names)
    handed = file(tmp_path, "class.csv", f"student,problem,answer\n{rows}poison,psx,1\n")
    call = ("check", sheet, handed, "--format", "ndjson")
    got, wanted = ddcalc(*call, "--jobs", "2"), ddcalc(*call)
    [lost] = [line for line in wanted.out.splitlines() if '"poison"' in line]
    *others, whole = wanted.out.splitlines()
    *left, rest = got.out.splitlines()
    assert left == [line for line in others if line != lost]
    students = [json.loads(line)["class"]["students"] for line in (whole, rest)]
    assert students[1] == students[0] - 1 == len(left)
    assert got.code == 2
    assert "not marked: the process that worked on it ended without an answer" in got.err
    assert "class.csv:142  poison" in got.err
    assert "unknown problem 'psx'" in got.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bug_costs_its_student_only(
    inline: Inline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """What was marked before stays, and workers say the same of it."""
    marks = Key.marks

    def broken(key: Key, stated: StatedAnswers) -> Iterator[Mark]:
        yield from marks(key, stated)
        if any(getattr(one, "text", "") == "84" for one, _ in stated.values()):
            raise ZeroDivisionError

    monkeypatch.setattr(Key, "marks", broken)
    sheet = file(tmp_path, "sheet.yaml", SHEET)
    ran = same(sheet, file(tmp_path, "wide.tsv", HANDED["wide.tsv"]), "--format", form)
    assert ran.code == 70
    assert "a bug in ddcalc, please report it: ZeroDivisionError" in ran.err


def test_claims_are_marked_here(inline: Inline, tmp_path: Path) -> None:
    claimed = "    claimed: {ps: 3, total: 588.47 s}\n"
    sheet = file(
        tmp_path, "sheet.yaml", SHEET.replace("  - id: step\n", claimed + "  - id: step\n")
    )
    same(sheet)
    assert inline.pieces == 0


@pytest.mark.parametrize(
    "options", ["--jobs 0", "--jobs x", "--jobs 257", "--address tcp://a", "--engine slurm"]
)
def test_options_are_checked(tmp_path: Path, options: str) -> None:
    sheet, handed = file(tmp_path, "a.yaml", SHEET), file(tmp_path, "b.csv", "student,ps\nann,1\n")
    ran = ddcalc("check", sheet, handed, *options.split(), "--format", "csv")
    assert (ran.code, ran.out) == (2, "")
    assert options.split()[0] in ran.err


def test_real_processes(tmp_path: Path) -> None:
    sheet = file(tmp_path, "sheet.yaml", SHEET)
    handed = file(tmp_path, "wide.tsv", HANDED["wide.tsv"])
    for jobs in ("2", "3"):
        same(sheet, handed, jobs=jobs)
