"""What stands beside the expected time: the chance of a long iteration, and drawn rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

from ddcalc.formula.expression import Expr, Num, Pow, Sym
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Define, DefineEach, Step
from ddcalc.types.stragglers.backup_workers.laws import Chances
from ddcalc.types.stragglers.backup_workers.simulation import Simulated

WRITTEN = 3  # terms of a sum that are written out

DONE, LEFT = Sym("F"), Sym("G")

Line = tuple[Number, Expr | None, Mapping[str, Number]]  # a value, its formula with numbers


SIDES = ("done_chances", "left_chances")


@dataclass(frozen=True, slots=True)
class Known:
    """A worker's *chances* of being done and of not being done; that on *side* by a *formula*."""

    chances: Chances
    side: int = 0
    formula: Expr | None = None
    numbers: Mapping[str, Number] = field(default_factory=dict)


def lateness(
    each: Sequence[Known],
    late: Number,
    k: int,
    workers: int,
    declared: Mapping[str, Derived],
) -> Iterator[Step]:
    """The steps to the chance *late* that fewer than *k* of the *workers* are done in time.

    *each* is known of the workers: once where they are alike, not at all where their times are not
    independent.
    """
    if each:
        side = each[0].side
        first, second = declared[SIDES[side]], declared[SIDES[1 - side]]
        yield _sides(first, [_told(known) for known in each], first.why)
        letters = [_letter(first, i, len(each)) for i in range(1, len(each) + 1)]
        rest = [_rest(known, letter) for known, letter in zip(each, letters, strict=True)]
        yield _sides(second, rest, "what the other chance leaves of 1")
    formula = _fewer(k, workers) if len(each) == 1 else None
    numbers = {} if formula is None else dict(zip("FG", each[0].chances, strict=True))
    why = f"fewer than {k} of {workers} are done by then" if workers > 1 else "it is not done"
    yield defined(declared["late_chance"], late, formula, numbers, why)


def _told(known: Known) -> Line:
    return known.chances[known.side], known.formula, known.numbers


def _rest(known: Known, other: str) -> Line:
    """What the side of the letter *other* leaves of 1."""
    numbers = {other: known.chances[known.side]}
    return known.chances[1 - known.side], 1 - Sym(other), numbers


def _sides(quantity: Derived, lines: Sequence[Line], why: str) -> Step:
    """The chances of each worker, by number where they are unlike."""
    rows = tuple(
        defined(quantity, value, formula, numbers, why, _letter(quantity, i, len(lines)))
        for i, (value, formula, numbers) in enumerate(lines, 1)
    )
    if len(rows) == 1:
        return rows[0]
    return DefineEach(quantity.name, quantity.title, why, rows)


def _letter(quantity: Derived, i: int, of: int) -> str:
    return f"{quantity.letter}_{i}" if of > 1 else quantity.letter


def _fewer(k: int, n: int) -> Expr | None:
    """The chance of fewer than *k* done among *n*; None where it is a long sum."""
    if k == n > 1:
        return 1 - Pow(DONE, Num(n))
    if k > WRITTEN:
        return None
    found = _term(0, n)
    for i in range(1, k):
        found = found + _term(i, n)
    return found


def _term(i: int, n: int) -> Expr:
    left = Pow(LEFT, Num(n - i)) if n - i > 1 else LEFT
    if not i:
        return left
    done = Pow(DONE, Num(i)) if i > 1 else DONE
    return Num(comb(n, i)) * done * left


def drawing(
    drawn: Simulated, expected: Number, declared: Mapping[str, Derived]
) -> Iterator[Define]:
    """The steps that tell what *drawn* rounds came to beside what is *expected*."""
    why = f"{number_text(drawn.runs)[0]} rounds drawn with seed {drawn.seed}"
    yield defined(declared["simulated"], drawn.mean, why=why)
    yield defined(declared["standard_error"], drawn.error)
    distance = drawn.distance(expected)
    if distance is not None:
        symbols = [declared[name].letter for name in ("simulated", "wait", "standard_error")]
        mean, wait, error = map(Sym, symbols)
        values = (drawn.mean, expected, drawn.error)
        numbers = dict(zip(symbols, values, strict=True))
        yield defined(declared["distance"], distance, (mean - wait) / error, numbers)
