"""How far apart both runs end, from the schedule to the bound, one reason a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ddcalc.formula.algebra import floor, total
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Num, Rel, Sym, wrap
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted, decimal_or_fraction
from ddcalc.numbers.number import Number, product, quotient
from ddcalc.problem.plan import Values
from ddcalc.problem.play import WRITTEN, Says, defined, outline
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Bound, Cells, Link, Step, Table, Timeline
from ddcalc.types.schedules._lanes import rows, side_by_side
from ddcalc.types.schedules._workload import Operation
from ddcalc.types.schedules.divergence.model import (
    DELTA,
    ETA,
    OpenPair,
    Pair,
    Runs,
    Sizes,
    coefficient,
    cost_name,
    open_pairs,
    pairs,
    plain,
    scaled,
)
from ddcalc.types.schedules.divergence.question import Comparison
from ddcalc.types.schedules.divergence.words import Words

SHOWN = 6  # updates that are written out; the rest is … and the last one
LISTED = 6  # cores whose updates are written as a sum
Counted = tuple[Expr, dict[str, Number], str]  # a formula, the values of its letters, the reason


class DivergenceAccount:
    """The values of *question*, both its *runs* being played, and the steps to them, which define
    what is *declared*."""

    def __init__(self, question: Comparison, runs: Runs, declared: Mapping[str, Derived]) -> None:
        self.question, self.runs, self.declared = question, runs, declared

    def values(self) -> Values:
        """The derived quantities by name."""
        sizes = self.question.sizes
        return {
            "async_updates": len(self.runs.asynchronous),
            "sequential_updates": len(self.runs.sequential),
            "shared": self.runs.shared,
            "bound": sizes.value(coefficient(self.runs, sizes)),
        }

    def says(self) -> Says:
        """The answer in words, what it means, and what it rests on."""
        return Words(self.question, self.runs).says()

    def steps(self) -> Iterator[Step]:
        """From the schedule to the bound."""
        runs, declared, sizes = self.runs, self.declared, self.question.sizes
        schedules = Schedules(self.question, runs)
        yield schedules.timeline()
        counts = (
            (declared["sequential_updates"], len(runs.sequential), schedules.sequential()),
            (declared["async_updates"], len(runs.asynchronous), schedules.asynchronous()),
        )
        # what is compared is counted by the run that sets the number
        for quantity, number, how in counts if self.question.equal_counts else reversed(counts):
            yield defined(quantity, number, *how)
        if runs.longest:
            yield reads(runs)
        yield defined(declared["shared"], runs.shared)
        if between := points(runs):
            yield between
        yield from written_out(runs)
        if costs := cost_table(runs, sizes):
            yield costs
        yield Proof(runs, sizes).bound(declared["bound"])


class Schedules:
    """The runs of a question as a picture and as counts."""

    def __init__(self, question: Comparison, runs: Runs) -> None:
        self.question, self.runs = question, runs
        ends = [run[-1].end for run in (runs.asynchronous, runs.sequential) if run]
        self.end = max(ends, default=question.horizon)  # of the last update that counts

    def timeline(self) -> Timeline:
        """All cores, and below them the one that works alone."""
        names = [f"core {i}" for i in range(1, len(self.question.starts) + 1)]
        runs, update = self.runs, self.question.update
        cores = rows(
            self.question.starts, update, runs.asynchronous, names, lambda op: taken(runs, op.data)
        )
        alone = rows([0], update, runs.sequential, ["alone"], lambda op: taken_alone(op.data))
        reading = "a core reads x at the start, writes at the end and starts again at once"
        why = f"{reading}; {self._stop()}"
        return side_by_side(cores, alone[0], *self._until(), "Schedule", why)

    def _until(self) -> tuple[Number, str]:
        """How far the schedule is shown, and what that time is called."""
        horizon = self.question.horizon
        if self.question.count is None and self.end <= horizon:
            return horizon, "horizon"
        return self.end, "end"

    def _stop(self) -> str:
        horizon = f"{count_text(self.question.horizon)} s"
        if not self.question.equal_counts:
            return f"an update that ends exactly at the horizon of {horizon} counts"
        count = len(self.runs.sequential)
        counts = f"only {counted(count, 'update')} of each run count{'s' if count == 1 else ''}"
        if self.question.count is not None:
            return f"{counts}, as asked, whatever the horizon"
        why = f"{counts}, as many as a core alone ends by {horizon}"
        if self.end > self.question.horizon:
            end = f"{count_text(self.end)} s"
            why += f"; the asynchronous run needs until {end} for them, longer than the horizon"
        return why

    def asynchronous(self) -> Counted:
        """How the updates of the asynchronous run are counted."""
        if self.question.equal_counts:
            return Sym("n_s"), {"n_s": len(self.runs.sequential)}, "as many are compared"
        starts, horizon = self.question.starts, self.question.horizon
        timely = [i for i, start in enumerate(starts, 1) if start <= horizon]
        late = len(starts) - len(timely)
        why = "each core's whole updates until the horizon, added up"
        if late:
            why += f"; {counted(late, 'core')} would start after it"
        if not 0 < len(timely) <= LISTED:
            return Num(len(self.runs.asynchronous)), {}, why
        H, u = Sym("H"), Sym("u")
        formula = total(floor((H - Sym(f"s_{i}")) / u) for i in timely)
        numbers = {f"s_{i}": starts[i - 1] for i in timely}
        return formula, {"H": horizon, "u": self.question.update, **numbers}, why

    def sequential(self) -> Counted:
        """How the updates of the sequential run are counted."""
        if self.question.count is not None:
            return Sym("n"), {"n": self.question.count}, "as many as were asked for"
        numbers = {"H": self.question.horizon, "u": self.question.update}
        return floor(Sym("H") / Sym("u")), numbers, "one core, from time 0 without gaps"


GAP = Sym("…")


def gradient(data: int, point: Expr) -> Expr:
    """∇f_data at *point*."""
    return Fun("grad", (Num(data), point))


def taken(runs: Runs, data: int) -> Expr:
    """The asynchronous gradient on *data*."""
    return gradient(data, runs.point(runs.asynchronous[data - 1].seen))


def taken_alone(data: int) -> Expr:
    """The sequential gradient on *data*."""
    return gradient(data, Sym(f"x_{data - 1}"))


def reads(runs: Runs) -> Table:
    """The point of each gradient in both runs."""
    why = "at the x that the updates before have left; x_k is the sequential x after k updates"
    if runs.asynchronous and runs.asynchronous[-1].seen > runs.shared:
        why += ", y_k the asynchronous one, where that differs"
    header = ("data", "core", "from–to", "taken at", "alone from–to", "taken at", "gradients")
    rows = [_read(runs, data) for data in outline(1, runs.longest, SHOWN)]
    return Table("Where each gradient is taken (times in s)", why, header, tuple(rows))


def _read(runs: Runs, data: int | None) -> Cells:
    if data is None:
        return ("…",) * 7
    ours: Cells = ("–", "–", "–")
    theirs: Cells = ("–", "–")
    if data <= len(runs.asynchronous):
        op = runs.asynchronous[data - 1]
        ours = (Num(op.worker), _interval(op), runs.point(op.seen))
    if data <= len(runs.sequential):
        op = runs.sequential[data - 1]
        theirs = (_interval(op), Sym(f"x_{op.seen}"))
    return (Num(data), *ours, *theirs, _verdict(runs, data))


def _verdict(runs: Runs, data: int) -> str:
    if data <= runs.shared:
        return "the same"
    return "differ" if data <= runs.matched else "only one"


def _interval(operation: Operation) -> str:
    return f"{decimal_or_fraction(operation.start)}–{decimal_or_fraction(operation.end)}"


POINTS = "The points in between"


def points(runs: Runs) -> Table | None:
    """How the points other than x_0 come about; None if there are none."""
    seen = runs.asynchronous[-1].seen if runs.asynchronous else 0
    rows = tuple(
        _point(Sym(f"x_{k}"), Sym(f"x_{k - 1}"), taken_alone(k)) if k else ("…", "…")
        for k in outline(1, max(len(runs.sequential) - 1, min(seen, runs.shared)))
    ) + tuple(
        _point(runs.point(k), runs.point(k - 1), taken(runs, k)) if k else ("…", "…")
        for k in outline(runs.shared + 1, seen)
    )
    if not rows:
        return None
    why = "each update goes one step down its gradient from where x was before"
    return Table(POINTS, why, ("point", "is"), rows)


def _point(point: Expr, before: Expr, gradient: Expr) -> Cells:
    return point, Add((before, Neg(Mul((ETA, gradient)))))


TITLE = "What each pair costs"
HEADER = ("data", "asynchronous", "alone", "d", "η·L·d", "what binds", "cost")
WHY = (
    "two gradients on the same data differ by at most 2Δ, and by at most L times the distance of"
    " their points, η·Δ·d; d counts the updates that only one of the points has, and adds what"
    " earlier pairs in both cost; in units of Δ the cost is the smaller of 2 and η·L·d"
)


def costs_of(runs: Runs, sizes: Sizes) -> Mapping[int, Number | Sym]:
    """The cost of each pair that differs, in units of Δ, by data number; a letter if η is open."""
    if sizes.slope is None:
        return {data: cost_name(data) for data in range(runs.shared + 1, runs.matched + 1)}
    return {pair.data: pair.cost for pair in pairs(runs, sizes.slope)}


def cost_table(runs: Runs, sizes: Sizes) -> Table | None:
    """Each pair that differs, and which of its limits binds; None if there are none or no L."""
    if sizes.lipschitz is None or runs.matched == runs.shared:
        return None
    if sizes.slope is None:
        open_ones = open_pairs(runs, sizes.lipschitz)
        rows = tuple(_open_row(runs, pair, sizes.lipschitz) for pair in open_ones)
        return Table(TITLE, f"{WHY}; p_i is the cost of the pair on data i", HEADER, rows)
    differing = list(pairs(runs, sizes.slope))
    why = WHY
    if any(pair.rounded for pair in differing):
        why += "; long numbers are rounded up, so the bound still holds"
    rows = tuple(
        ("…",) * len(HEADER) if place is None else _row(runs, differing[place])
        for place in outline(0, len(differing) - 1)
    )
    return Table(TITLE, why, HEADER, rows)


def _row(runs: Runs, pair: Pair) -> Cells:
    points = _points(runs, pair.data)
    numbers = (Num(pair.distance), Num(pair.lipschitz))
    return (Num(pair.data), *points, *numbers, _binding(pair.lipschitz), Num(pair.cost))


def _open_row(runs: Runs, pair: OpenPair, lipschitz: Number) -> Cells:
    points = _points(runs, pair.data)
    binds = "depends on η"
    if isinstance(pair.distance, Num):
        least = product(lipschitz, pair.distance.value)
        turn = quotient(2 * least.denominator, least.numerator)
        binds = f"Lipschitz up to η = {decimal_or_fraction(turn)}"
    cost = Rel("==", cost_name(pair.data), Fun("min", (Num(2), pair.limit)))
    return (Num(pair.data), *points, pair.distance, pair.limit, binds, cost)


def _points(runs: Runs, data: int) -> tuple[Expr, Expr]:
    return runs.point(runs.asynchronous[data - 1].seen), Sym(f"x_{data - 1}")


def _binding(lipschitz: Number) -> str:
    if lipschitz == 2:
        return "both alike"
    return "Lipschitz" if lipschitz < 2 else "2Δ"


DISTANCE = Fun("norm", (Sym("x_async") - Sym("x_seq"),))


def written_out(runs: Runs) -> Iterator[Bound]:
    """Where each run ends, as x_0 and all its steps."""
    if runs.asynchronous:
        terms = [taken(runs, i) if i else None for i in outline(1, len(runs.asynchronous), SHOWN)]
        why = "one step down each of its gradients"
        yield _sum_of_steps("x_async", "The asynchronous run ends at", why, terms)
    if runs.sequential:
        terms = [taken_alone(i) if i else None for i in outline(1, len(runs.sequential), SHOWN)]
        why = "one core takes each gradient at the newest x"
        yield _sum_of_steps("x_seq", "The sequential run ends at", why, terms)


def _sum_of_steps(symbol: str, title: str, why: str, gradients: Sequence[Expr | None]) -> Bound:
    steps = [Neg(GAP if taken is None else Mul((ETA, taken))) for taken in gradients]
    value = Add((Sym("x_0"), *steps))
    link = Link("=", value, "as in the table")
    return Bound(symbol, symbol, title, why, Sym(symbol), (link,), value)


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of one data number: the sequential gradient minus the asynchronous one."""

    plus: Expr | None
    minus: Expr | None

    def difference(self) -> Expr:
        """The term of x_async − x_seq."""
        if self.plus is None:
            return Neg(Mul((ETA, self._inside())))
        return Mul((ETA, self._inside()))

    def length(self) -> Expr:
        """The length of that term."""
        return Mul((ETA, _norm(self._inside())))

    def lengths(self) -> list[Expr]:
        """The lengths of its gradients."""
        return [_norm(part) for part in (self.plus, self.minus) if part is not None]

    def _inside(self) -> Expr:
        if self.plus is not None and self.minus is not None:
            return Add((self.plus, Neg(self.minus)))
        inside = self.minus if self.plus is None else self.plus
        assert inside is not None
        return inside


class Proof:
    """The bound of two runs, derived line by line."""

    def __init__(self, runs: Runs, sizes: Sizes) -> None:
        self.runs, self.sizes = runs, sizes
        self.pairs = runs.matched - runs.shared
        self.tight = self.pairs > 0 and sizes.lipschitz is not None
        self.coefficient = coefficient(runs, sizes)
        limit = SHOWN // 2 if self.pairs else WRITTEN
        self.data = outline(runs.shared + 1, runs.longest, limit)

    def bound(self, quantity: Derived) -> Bound:
        """The step that ends in *quantity*."""
        why = "subtract, cancel, and bound what is left"
        if self.tight:
            text = f"{plain(self.runs)}ηΔ" if plain(self.runs) != 1 else "ηΔ"
            why += f"; without L it would be {text}"
        value = self.sizes.value(self.coefficient)
        links = (*self._chain(), *self._numbers())
        name, letter = quantity.name, quantity.letter
        return Bound(name, letter, quantity.title, why, DISTANCE, links, value)

    def _chain(self) -> Iterator[Link]:
        if self.runs.longest == self.runs.shared:
            yield Link("=", Num(0), self._nothing_left())
            return
        rests = [self._rest(data) if data else None for data in self.data]
        terms = _terms(rests, Rest.difference)
        yield Link("=", _norm(total(terms)), self._cancelled())
        reason = "triangle inequality" if len(terms) > 1 else "η is positive"
        op = "≤" if len(terms) > 1 else "="
        yield Link(op, total(_terms(rests, Rest.length)), reason)
        yield from self._by_pairs() if self.tight else self._by_gradients(rests)

    def _by_gradients(self, rests: Sequence[Rest | None]) -> Iterator[Link]:
        lengths = [part for rest in rests for part in (rest.lengths() if rest else [GAP])]
        if self.pairs:
            yield Link("≤", Mul((ETA, total(lengths))), _triangles(self.pairs))
        limits = [GAP if part is GAP else DELTA for part in lengths]
        many = f" ({plain(self.runs)} of them)" if None in rests else ""
        yield Link("≤", Mul((ETA, total(limits))), f"every gradient is at most Δ{many}")
        c = Sym("c")
        beyond = Add((Sym("n_a"), Sym("n_s"), Neg(Mul((Num(2), c)))))
        yield Link("=", Mul((ETA, DELTA, beyond)), "what each run does beyond the shared gradients")
        yield Link("=", self._in_letters(), self._counts())

    def _by_pairs(self) -> Iterator[Link]:
        costs = costs_of(self.runs, self.sizes)
        limits = [
            GAP if data is None else wrap(scaled(1, costs.get(data, 1), DELTA))
            for data in self.data
        ]
        reason = "each pair costs what the table says"
        if self.runs.unmatched:
            reason += "; a gradient without a partner is at most Δ"
        yield Link("≤", Mul((ETA, total(limits))), reason)
        yield Link("=", self._in_letters(), "the costs added up")

    def _in_letters(self) -> Expr:
        return wrap(scaled(self.coefficient, ETA, DELTA))

    def _numbers(self) -> Iterator[Link]:
        """The stated step size and limit put in, if any are stated and count."""
        stated = {"η": self.sizes.eta, "Δ": self.sizes.delta}
        said = [
            f"{k} = {decimal_or_fraction(v)}" for k, v in stated.items() if not isinstance(v, Sym)
        ]
        if said and self.coefficient != 0:
            yield Link("=", wrap(self.sizes.value(self.coefficient)), " and ".join(said))

    def _rest(self, data: int) -> Rest:
        theirs = taken_alone(data) if data <= len(self.runs.sequential) else None
        ours = taken(self.runs, data) if data <= len(self.runs.asynchronous) else None
        return Rest(theirs, ours)

    def _nothing_left(self) -> str:
        if self.runs.longest == 0:
            return "no update is done: both runs are still at x₀"
        return "every gradient is in both runs and cancels"

    def _cancelled(self) -> str:
        if self.runs.shared == 0:
            return "one run has done nothing, so nothing cancels"
        if self.runs.shared == 1:
            return "∇f₁(x₀) is in both and cancels"
        return f"the gradients on data 1 to {self.runs.shared} are in both and cancel"

    def _counts(self) -> str:
        ours, theirs = len(self.runs.asynchronous), len(self.runs.sequential)
        return f"n_a = {ours}, n_s = {theirs}, c = {self.runs.shared}"


def _terms(rests: Sequence[Rest | None], part: Callable[[Rest], Expr]) -> list[Expr]:
    return [part(rest) if rest else GAP for rest in rests]


def _norm(inside: Expr) -> Expr:
    return Fun("norm", (inside,))


def _triangles(pairs: int) -> str:
    times = {1: "", 2: ", twice"}.get(pairs, f", once for each of {pairs} pairs")
    return f"triangle inequality{times}"
