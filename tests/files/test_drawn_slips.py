"""Students with drawn slips in versions of an exam of five parts get what the rules say, worked out
here by who knows which slip was put where; it shares no code with what marks them."""

from __future__ import annotations

import csv
from fractions import Fraction
from math import ceil, floor, log10
from pathlib import Path
from random import Random
from typing import Any

from running import ddcalc

STUDENTS, VERSIONS = 60, 6
FOLLOWS, SLIP = Fraction(3, 4), Fraction(1, 4)
PARTS = {"a": "", "b": "", "c": "ab", "d": "ac", "e": "bc"}  # and the parts that each stands on
SLIPS = {"a": ("last", "epochs"), "b": ("last", "epochs"), "c": ("turned",), "d": ("local",)}
EXAM = """
  - id: q-{0}
    given: {{samples: {N}, batch: {B}, epochs: {E}, compute: "{c} s", aggregate: {g} ms,
             download: 1.5 s, upload: 1.5 s}}
    marking: {{credit: {{follows: 3/4, slip: 1/4}}}}
    parts:
      - {{id: a, type: epoch-time, given: {{workers: {a}}}}}
      - {{id: b, like: a, given: {{workers: {b}}}}}
      - {{id: c, formula: a.total/b.total, name: gain}}
      - {{id: d, type: federated, given: {{samples: {D}, devices: 7, batch: 32, upload: 7 s,
          local_epochs: {L}, download: a.total/100 + c.gain*1 s}}}}
      - {{id: e, like: a, find: workers, where: total <= b.total*c.gain/4}}
"""
Numbers = dict[str, Any]


def drawn(random: Random) -> Numbers:
    """The numbers of a version."""
    few, batch = random.randint(3, 9), random.choice([128, 256])
    return {
        "N": batch * random.randint(20, 90), "B": batch, "E": random.randint(3, 9), "a": few,
        "b": 2 * few + 1, "c": Fraction(random.randrange(201, 999, 2), 100),
        "g": random.randint(11, 59), "D": random.randint(2000, 90000), "L": random.randint(2, 9),
    }  # fmt: skip


def epochs(v: Numbers, workers: int, slip: str = "") -> Fraction:
    batches = v["N"] // v["B"] * (1 if slip == "epochs" else v["E"])
    rounds, left = divmod(batches, workers)
    last = 3 + v["c"] + left * Fraction(v["g"], 1000) if left and slip != "last" else 0
    return rounds * (3 + v["c"] + workers * Fraction(v["g"], 1000)) + last


def worked(v: Numbers, part: str, own: Numbers, slip: str = "") -> Any:
    """What a *part* comes to by a student's *own* results, with a *slip*."""
    match part:
        case "a" | "b":
            return epochs(v, v[part], slip)
        case "c":
            return own["b"] / own["a"] if slip else own["a"] / own["b"]
        case "d":
            steps = ceil(Fraction(ceil(Fraction(v["D"], 7)), 32)) * (1 if slip else v["L"])
            return own["a"] / 100 + own["c"] + steps * v["c"] + 7
    bound = own["b"] * own["c"] / 4
    return next((m for m in range(1, 4000) if epochs(v, m) <= bound), None)


def six(number: Fraction) -> Fraction:
    """*number* to six digits, half up."""
    last = Fraction(10) ** (floor(log10(number)) - 5)
    return floor(number / last + Fraction(1, 2)) * last


def answered(random: Random, v: Numbers) -> tuple[dict[str, str], dict[str, Fraction]]:
    """The answers of a student, and what each is credited."""
    right, own, made = dict[str, Any](), dict[str, Any](), set[str]()
    answers, credit, rounds = dict[str, str](), dict[str, Fraction](), random.random() < 0.5
    for part, behind in PARTS.items():
        right[part] = worked(v, part, right)
        slip = random.choice(SLIPS[part]) if part in SLIPS and random.random() < 0.3 else ""
        meant, value = worked(v, part, own), worked(v, part, own, slip)
        if random.random() < 0.1 or value is None:  # guessed
            meant, value, slip = None, right[part] * random.randint(1001, 9999) / 3331, ""
            value = six(value) if part != "e" else floor(value) + 1
        written = value if part == "e" else six(value)
        alone = any(own[one] != right[one] for one in behind)
        alone = not alone or written == six(worked(v, part, right, slip))
        if written == (right[part] if part == "e" else six(right[part])):
            credit[part] = Fraction(1)
        elif value == meant:
            credit[part] = FOLLOWS
            ways = [own | {one: own[one] * k} for one in behind for k in (2, Fraction(1, 2))]
            if value == 1 or {worked(v, part, way) for way in ways} == {value}:
                credit[part] = Fraction(0)  # trivial
        elif slip:
            credit[part] = FOLLOWS if slip in made else SLIP * (1 if alone else FOLLOWS)
            made.add(slip)
        else:
            credit[part] = Fraction(0)
        own[part] = written if rounds or meant is None else value
        digits = 0 if part == "e" else max(0, 5 - floor(log10(written)))
        answers[part] = f"{float(written):.{digits}f}{'' if part in 'ce' else ' s'}"
    return answers, credit


def test_drawn_slips_are_credited_as_the_rules_say(tmp_path: Path) -> None:
    random = Random(3)
    versions = [drawn(random) for _ in range(VERSIONS)]
    exam, table = tmp_path / "exam.yaml", tmp_path / "answers.csv"
    exam.write_text("problems:" + "".join(EXAM.format(i, **v) for i, v in enumerate(versions, 1)))
    wanted: dict[tuple[str, str], Fraction] = {}
    lines = ["student,version,a,b,c,d,e"]
    for student in range(STUDENTS):
        version = random.randrange(VERSIONS)
        answers, credit = answered(random, versions[version])
        lines.append(f"{student},{version + 1},{','.join(answers.values())}")
        wanted |= {(str(student), f"q-{version + 1}.{n}"): x for n, x in credit.items()}
    table.write_text("\n".join(lines))
    ran = ddcalc("check", exam, table, "--format", "csv", "--rows", "answers")
    rows = csv.DictReader(ran.out.splitlines())
    assert {(row["student"], row["problem"]): Fraction(row["credit"]) for row in rows} == wanted
