"""Questions of parts: each part is the question that it would be alone with the numbers put in; of
cases the best one is told, beside Python's own arithmetic on drawn numbers;
and students with drawn slips in versions of an exam of parts get what the rules say, worked out by
who knows which slip was put where."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, factorial, floor, log10
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ddcalc

from ddcalc.ask.solve import solve
from ddcalc.boundary.source import Source
from ddcalc.errors import DdcalcError
from ddcalc.files.batch import Solved, solved
from ddcalc.problem.known.catalog import problem_named

TIMES = ("{r}", "{k}*{r} + {k} ms", "max({r}, {s})/{c}", "({r} - {s})/2", "{c}*{k} ms",
         "0.1 s*{k} - 20 ms")  # fmt: skip
COUNTS = ("{c}", "ceil({c}/{k})", "{c} + {k}", "{c}/{k}", "ceil({r}/(10 ms))")
KINDS = {  # counts, times, and results of both kinds
    "epoch-time": ("samples batch epochs workers", "download compute upload aggregate",
                   "full_rounds workers", "total full_round compute"),
    "federated": ("samples devices batch local_epochs rounds", "download compute upload",
                  "updates rounds", "total local_time"),
    "breakeven": ("", "download compute upload aggregate", "workers", "compute"),
    "sync-step": ("", "finish aggregate update", "straggler", "total slowest"),
    "timeline": ("workers nth_update", "periods download upload", "updates", "nth_time"),
}  # fmt: skip
DRAWN = int(os.environ.get("DDCALC_PARTS", "60"))
LASTING = {name for kind in KINDS.values() for names in kind[1::2] for name in names.split()}
MOST = {"samples": 4000, "nth_update": 40}


class Numbers(dict[str, Any]):
    """Numbers by name, those of formulas by Python's arithmetic; RecursionError in a circle."""

    def __init__(self, known: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        super().__init__(known)
        self.texts = texts

    def __missing__(self, name: str) -> Fraction:
        words = re.sub(r"(?<![\w.])(?!ceil|max|m?s\b)[a-z][\w.]*", r"at['\g<0>']", self.texts[name])
        words = re.sub(r"([\d.]+) (m?)s", r"(Fraction('\1')/(1000 if '\2' else 1))", words)
        return Fraction(eval(words, {"at": self, "ceil": ceil, "Fraction": Fraction}))


def read_sheet(folder: Path, content: str) -> list[Solved]:
    """Everything in a file with *content*."""
    (file := folder / "sheet.yaml").write_text(content, encoding="utf-8")
    return list(solved(Source(str(file))))


def parts(*lines: str) -> str:
    return "problems:\n- id: q\n  parts:\n" + "".join(f"  - {{{line}}}\n" for line in lines)


class Drawn:
    """A random file with a question of parts; *alone* is each part by itself, as a derivation and
    the value of its own step; None where it has no answer."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.alone: dict[str, Any] = {}
        self.kinds: dict[str, tuple[str, dict[str, str]]] = {}
        self.known: dict[str, Any] = {}  # results so far
        outer, near, inner, upload = (self.literal("", True) for _ in range(4))
        parts = [self.part(f"p{i}", {"download": inner, "upload": upload}) for i in range(4)]
        has_download = any("download" in KINDS[kind][1] for kind, _ in self.kinds.values())
        given = f"download: {inner}" if has_download else ""
        self.text = (
            f"shared: {{download: {outer}, upload: {upload}}}\n"
            f"defaults: {{federated: {{download: {near}}}}}\n"
            f"problems:\n- id: q\n  given: {{{given}}}\n  parts:\n{''.join(parts)}"
        )

    def part(self, name: str, above: dict[str, str]) -> str:
        model = self.random.choice(["", "", *self.kinds])
        kind, stated = self.kinds.get(model, (self.random.choice([*KINDS]), {}))
        drawn = self.terms(kind, above).items()
        own = {n: text for n, text in drawn if not model or self.random.random() < 0.4}
        says = f"like: {model}" if model else f"type: {kind}"
        if not model and "total" in KINDS[kind][3]:
            says += f", steps: {{extra = 3*total - {KINDS[kind][1].split()[-1]}/2: }}"
        self.kinds[name] = kind, {**stated, **own}
        self.alone[name] = self.asked_alone(name, {**above, **stated, **own})
        flow = ", ".join(f"{n}: '{text}'" for n, text in own.items())
        return f"  - {{id: {name}, {says}, given: {{{flow}}}}}\n"

    def terms(self, kind: str, above: Mapping[str, str]) -> dict[str, str]:
        counts, times, *_ = (names.split() for names in KINDS[kind])
        is_played, made = kind == "timeline", dict[str, str]()
        local = self.random.random() < 0.5 and not is_played
        results = {n for n, x in self.known.items() if not is_played or x <= 20}
        for name in (*counts, *times):
            usable = results | ({*counts, *times} - {name, "finish"} if local else set())
            r = sorted(n for n in usable if n.rpartition(".")[2] in LASTING)
            if r and (c := sorted(usable - {*r})) and self.random.random() < 0.5:
                ways = TIMES if name in times else COUNTS
                words = self.random.choice(ways[: 4 if is_played else 6])
                first, second = self.random.choices(r, k=2)
                more = {"c": self.random.choice(c), "k": self.random.randint(2, 5)}
                made[name] = words.format(r=first, s=second, **more)
            elif name not in above or self.random.random() < 0.5:
                made[name] = self.literal(name, name in times)
        return made

    def literal(self, name: str, is_time: bool) -> str:
        number = self.random.randint(1, 2000 if is_time else MOST.get(name, 20))
        return f"{number} ms" if is_time else str(number)

    def asked_alone(self, name: str, stated: dict[str, str]) -> Any:
        kind = self.kinds[name][0]
        counts, times, whole, lasting = (names.split() for names in KINDS[kind])
        at = Numbers(self.known, stated)
        try:
            put = {n: f"{at[n]} s" if n in times else str(at[n]) for n in (*counts, *times)}
            done = solve(problem_named(kind), put)
        except (DdcalcError, ArithmeticError, RecursionError):
            return None
        values = {n: done.values[n] for n in {*whole, *lasting} & done.values.keys()}
        small = {n: x for n, x in values.items() if x and max(x.as_integer_ratio()) < 10**12}
        self.known |= {f"{name}.{n}": Fraction(x) for n, x in small.items()}
        return done, 3 * values["total"] - at[times[-1]] / 2 if "total" in lasting else None


def unlike(drawn: Drawn, folder: Path) -> list[object]:
    """Where a part is something else than alone."""
    (done,), wrong = read_sheet(folder, drawn.text), list[object]()
    for part, (name, alone) in zip(done.parts, drawn.alone.items(), strict=True):
        if alone is None or part.derivation is None:
            wrong += [] if (alone is None) == bool(part.errors) else [(name, part.errors)]
            continue
        found, values = part.derivation.values, {**alone[0].values, "extra": alone[1]}
        wrong += [(name, n) for n, value in values.items() if found.get(n) != value]
    return wrong


@given(st.integers(0, 10**9))
@settings(max_examples=DRAWN, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_part_is_the_question_alone(tmp_path, seed):
    assert unlike(Drawn(Random(seed)), tmp_path) == []


STEP = "type: sync-step, given: {finish: [0.5 s, 1 s], aggregate: 0.3 s, update: 0.25 s}"
WRONG = (Path(__file__).parent / "wrong_parts.tsv").read_text("utf-8").replace("STEP", STEP)


@pytest.mark.parametrize("line", WRONG.splitlines(), ids=range(WRONG.count("\n")))
def test_what_is_wrong_costs_its_part_and_those_on_it(tmp_path, line):
    """At the mark, with that message."""
    part, said = line.split("\t")
    text = parts(f"id: a, {STEP}", part, "id: c, formula: 2*a.total", "id: d, formula: b.value")
    (done,) = read_sheet(tmp_path, text.replace("‸", ""))
    first, last = done.errors
    assert said in str(first)
    place = (5, text.splitlines()[4].index("‸") + 1)
    assert (first.place.line, first.place.column) == place
    assert last.problem == "q.d"
    answers = [one.derivation and str(one.derivation.answer.value) for one in done.parts]
    assert (answers[0], *answers[2:]) == ("31/20", "31/10", None)


CASES = (Path(__file__).parent / "cases.tsv").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", CASES)
def test_several_cases_are_a_list_to_later_parts(tmp_path, line):
    """What a formula makes of them beside what Python does, of *t* and *n*."""
    said, meant = line.split("\t")
    given = "samples: 600, batch: 1, epochs: 1, download: 1, compute: 4, upload: 1, aggregate: 0.01"
    known: dict[str, Any] = {"t": [], "n": [7, 50, 13], "Fraction": Fraction}
    text = parts(f"id: b, type: epoch-time, given: {{workers: [7, 50, 13], {given}}}", said)
    (done,) = read_sheet(tmp_path, text)
    known["t"] += (case.answer.value for case in done.parts[0].cases)
    assert done.parts[1].cases[0].answer.value == eval(meant, known), done.errors


def test_a_chain_is_solved_in_linear_time(tmp_path):
    """Counted in calls of functions: no part is solved twice, nor any formula read for all."""

    def calls(count: int) -> int:
        names = [f"p{count}_{i}" for i in range(count)]
        links = (f"id: {x}, formula: {y}.value + a.total" for y, x in pairwise(names))
        first = f"id: a, {STEP}", f"id: {names[0]}, formula: a.total"
        text, made = parts(*first, *links), Counter[str]()
        sys.setprofile(lambda _, event, __: made.update([event]))
        try:
            (done,) = read_sheet(tmp_path, text)
        finally:
            sys.setprofile(None)
        assert str(done.parts[-1].cases[0].answer.value) == str(Fraction(31, 20) * count)
        return made["call"]

    calls(10)  # what is read but once
    assert calls(100) < 4.4 * calls(25)


@pytest.mark.parametrize(
    ("count", "said"), [(501, "has more than 500 parts"), (10_000, "20000 YAML")]
)
def test_too_many_parts(tmp_path, count, said):
    text = parts("id: a, formula: 1 + 1 s/(1 s)", *["formula: a.value/2"] * (count - 1))
    (done,) = read_sheet(tmp_path, text)
    (error,) = done.errors
    assert said in str(error)
    assert len([part for part in done.parts if part.answered]) in (500, 0)


# Drawn slips


STUDENTS, VERSIONS = map(int, os.environ.get("DDCALC_CLASS", "12,2").split(","))
FOLLOWS, SLIP = Fraction(3, 4), Fraction(1, 4)
PARTS = {"a": "", "b": "", "c": "ab", "d": "ac", "e": "bc"}  # and the parts that each stands on
SLIPS = {"a": ("last", "epochs"), "b": ("last", "epochs"), "c": ("turned",), "d": ("local",)}
EXAM = (Path(__file__).parent / "versions.yaml").read_text("utf-8")
Values = dict[str, Any]


def numbers_of(random: Random) -> Values:
    """The numbers of a version."""
    few, batch = random.randint(3, 9), random.choice([128, 256])
    return {
        "N": batch * random.randint(20, 90), "B": batch, "E": random.randint(3, 9), "a": few,
        "b": 2 * few + 1, "c": Fraction(random.randrange(201, 999, 2), 100),
        "g": random.randint(11, 59), "D": random.randint(2000, 90000), "L": random.randint(2, 9),
    }  # fmt: skip


def epochs(v: Values, workers: int, slip: str = "") -> Fraction:
    batches = v["N"] // v["B"] * (1 if slip == "epochs" else v["E"])
    rounds, left = divmod(batches, workers)
    last = 3 + v["c"] + left * Fraction(v["g"], 1000) if left and slip != "last" else 0
    return rounds * (3 + v["c"] + workers * Fraction(v["g"], 1000)) + last


def comes_to(v: Values, part: str, own: Values, slip: str = "") -> Any:
    """What a *part* comes to by a student's *own* results, with a *slip*."""
    if part in "ab":
        return epochs(v, v[part], slip)
    if part == "c":
        return own["b"] / own["a"] if slip else own["a"] / own["b"]
    if part == "d":
        steps = ceil(Fraction(ceil(Fraction(v["D"], 7)), 32)) * (1 if slip else v["L"])
        return own["a"] / 100 + own["c"] + steps * v["c"] + 7
    bound = own["b"] * own["c"] / 4
    return next((m for m in range(1, 4000) if epochs(v, m) <= bound), None)


def six(number: Fraction) -> Fraction:
    """*number* to six digits, half up."""
    last = Fraction(10) ** (floor(log10(number)) - 5)
    return floor(number / last + Fraction(1, 2)) * last


def answered(random: Random, v: Values) -> tuple[dict[str, str], dict[str, Fraction]]:
    """The answers of a student, and what each is credited."""
    right, own, made = dict[str, Any](), dict[str, Any](), dict[str, bool]()
    answers, credit, rounds = dict[str, str](), dict[str, Fraction](), random.random() < 0.5
    for part, behind in PARTS.items():
        right[part] = comes_to(v, part, right)
        slip = random.choice(SLIPS[part]) if part in SLIPS and random.random() < 0.3 else ""
        meant, value = comes_to(v, part, own), comes_to(v, part, own, slip)
        if random.random() < 0.1 or value is None:  # guessed
            meant, value, slip = None, right[part] * random.randint(1001, 9999) / 3331, ""
            value = six(value) if part != "e" else floor(value) + 1
            ways = (own, *(own | {one: right[one]} for one in behind))
            while part == "e" and value in [comes_to(v, part, way) for way in ways]:
                value += 1  # it would follow from some of the student's results
        written = value if part == "e" else six(value)
        alone = any(own[one] != right[one] for one in behind)
        alone = not alone or written == six(comes_to(v, part, right, slip))
        if written == (right[part] if part == "e" else six(right[part])):
            credit[part] = Fraction(1)
        elif value == meant:
            credit[part] = Fraction(1) if all(credit[x] == 1 for x in behind) else FOLLOWS
            ways = [own | {one: own[one] * k} for one in behind for k in (2, Fraction(1, 2))]
            if value == 1 or {comes_to(v, part, way) for way in ways} == {value}:
                credit[part] = Fraction(0)  # trivial
        elif slip:
            tells = len(str(written * 10**9).rstrip("0")) > 3  # zeros at the end do not
            again = slip in made and (tells or made[slip])
            credit[part] = FOLLOWS if again else SLIP * tells * (1 if alone else FOLLOWS)
            made.setdefault(slip, tells)
        else:
            credit[part] = Fraction(0)
        own[part] = written if rounds or meant is None else value
        digits = 0 if part == "e" else max(0, 5 - floor(log10(written)))
        answers[part] = f"{float(written):.{digits}f}{'' if part in 'ce' else ' s'}"
    says, *ways = (one["b"] <= one["a"] / 2 for one in (
        right, own, own | {"a": right["a"]}, own | {"b": right["b"]}))  # fmt: skip
    met = random.choice([*ways, not says])
    credit["f"] = Fraction(1) if met == says else FOLLOWS * (met in ways)
    return answers | {"f": "yes" if met else "no"}, credit


def test_drawn_slips_are_credited_as_the_rules_say(tmp_path):
    random = Random(3)
    versions = [numbers_of(random) for _ in range(VERSIONS)]
    exam, table = tmp_path / "exam.yaml", tmp_path / "answers.csv"
    exam.write_text("problems:\n" + "".join(EXAM.format(i, **v) for i, v in enumerate(versions, 1)))
    wanted: dict[tuple[str, str], Fraction] = {}
    lines = ["student,version,a,b,c,d,e,f"]
    for student in range(STUDENTS):
        version = random.randrange(VERSIONS)
        answers, credit = answered(random, versions[version])
        lines.append(f"{student},{version + 1},{','.join(answers.values())}")
        wanted |= {(str(student), f"q-{version + 1}.{n}"): x for n, x in credit.items()}
    table.write_text("\n".join(lines))
    every = json.loads(ddcalc("check", exam, table, "--format", "json").out)["students"]
    marks = ((one["student"], mark) for one in every for mark in one["marks"])
    assert {(who, x["problem"]): Fraction(str(x["credit"])) for who, x in marks} == wanted


# Cases


QUESTION = (Path(__file__).parent / "ways.yaml").read_text("utf-8")
WAYS = [(w, z, n) for w in ("server", "ring") for z in ("no", "yes") for n in range(2, 7)]


def lasts(way: str, zipped: str, n: int, size: Fraction | int, link: int, one: int) -> Fraction:
    times = n if way == "server" and n > 3 else 2
    return 100 * (one + times * Fraction(size, 4 if zipped == "yes" else 1) / link)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_some_ways(tmp_path, seed):
    draw = Random(seed)
    size, link, one, most = (draw.randint(1, 99) for _ in range(4))
    places = draw.sample(WAYS, 4)
    ways, zips, workers = (", ".join(map(str, column)) for column in zip(*places, strict=True))
    file = tmp_path / "q.yaml"
    most *= 100
    file.write_text(QUESTION.format(**locals()), encoding="utf-8")
    a, b, c = json.loads(ddcalc("solve", file, "--format", "json").out)["problems"][0]["parts"]
    times = [lasts(*place, size, link, one) for place in places]
    costs = [time * n * 3 / 3600 for time, (_, _, n) in zip(times, places, strict=True)]
    for case, time, cost in zip(a["cases"], times, costs, strict=True):
        exact = [Fraction(case["quantities"][name]["exact"]) for name in ("time", "cost")]
        assert exact == [time / 60, cost]
        assert case["limits"][0]["agrees"] == (time <= most)
    met = [i for i, time in enumerate(times) if time <= most]
    says = " ".join(ddcalc("solve", file).out.split())
    assert (", but not with " in says, " in no case" in says) == (0 < len(met) < 4, not met)
    assert "Training · nothing of it overlaps" in says
    among = sorted(met or range(4), key=costs.__getitem__)
    if len(among) > 1 and costs[among[0]] < costs[among[1]]:
        way, zipped, n = places[among[0]]
        told = re.search(r"Cost: [^.]*\(([^()]+)[;,] least( [a-z ]+)?\)", says.replace(".", ""))
        known = {way, "zip" if zipped == "yes" else "no zip", f"{n} workers"}
        assert {*told[1].split(", ")} <= known
        assert bool(told[2]) == (costs[among[0]] > min(costs))
    assert Fraction(b["answer"]["exact"]) == min(costs)
    time = lasts("ring", "no", 4, min(costs), link, one)
    assert Fraction(c["quantities"]["time"]["exact"]) == time / 60


def test_sums_and_counts_are_searched_as_by_loops(tmp_path):
    random, lines, wanted = Random(26), list[str](), list[int]()
    for i in range(5):  # a Poisson tail that is long enough; the best of counts from 0 on
        m, t, a, k = (random.randint(1, x) for x in (40, 97, 60, 7))
        tail = f"given: {{s: 0}}, formula: exp(-{m}/4)*sum(({m}/4)^x/x! for x from 0 to s)"
        lines.append(f"id: p{i}, {tail}, find: s, where: [value >= {t} %, s is least]")
        cost = f"given: {{s: 0, n: {a} - {k}*s}}, formula: {m}*n - {t}*s + {k}*s*s"
        lines.append(f"id: n{i}, {cost}, find: s, where: value is least")
        terms = [exp(-m / 4) * (m / 4) ** x / factorial(x) for x in range(60)]
        wanted.append(next(s for s in range(60) if sum(terms[: s + 1]) >= t / 100))
        wanted.append(min(range(a // k + 1), key=lambda s: m * (a - k * s) - t * s + k * s * s))
    made = (part.derivation.answer for part in read_sheet(tmp_path, parts(*lines))[0].parts)
    assert [one.value for one in made] == wanted
