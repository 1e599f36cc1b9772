"""From both runs written out to the bound on their distance, one reason a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Num, Sym, wrap
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.problem.play import WRITTEN, outline
from ddcalc.problem.steps import Bound, Link
from ddcalc.types.schedules.divergence.bound import DELTA, ETA, Sizes, coefficient, plain
from ddcalc.types.schedules.divergence.costs import costs_of
from ddcalc.types.schedules.divergence.pairs import scaled
from ddcalc.types.schedules.divergence.reading import GAP, taken, taken_alone
from ddcalc.types.schedules.divergence.runs import Runs

DISTANCE = Fun("norm", (Sym("x_async") - Sym("x_seq"),))


def written_out(runs: Runs) -> Iterator[Bound]:
    """Where each run ends, as x_0 and all its steps."""
    if runs.asynchronous:
        terms = [taken(runs, i) if i else None for i in outline(1, len(runs.asynchronous))]
        why = "one step down each of its gradients, from where x began"
        yield _sum_of_steps("x_async", "The asynchronous run ends at", why, terms)
    if runs.sequential:
        terms = [taken_alone(i) if i else None for i in outline(1, len(runs.sequential))]
        why = "one core takes each gradient at the newest x"
        yield _sum_of_steps("x_seq", "The sequential run ends at", why, terms)


def _sum_of_steps(symbol: str, title: str, why: str, gradients: Sequence[Expr | None]) -> Bound:
    steps = [Neg(GAP if each is None else Mul((ETA, each))) for each in gradients]
    value = Add((Sym("x_0"), *steps))
    link = Link("=", value, "gradients as in the table")
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
        return [_norm(each) for each in (self.plus, self.minus) if each is not None]

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
        limit = WRITTEN // 2 if self.pairs else WRITTEN
        self.data = outline(runs.shared + 1, runs.longest, limit)

    def bound(self, name: str, symbol: str, title: str) -> Bound:
        """The step that ends in the quantity *name*."""
        why = "subtract, cancel what is in both, and bound what is left"
        if self.tight:
            text = f"{plain(self.runs)}ηΔ" if plain(self.runs) != 1 else "ηΔ"
            why += f"; without L it would be {text}"
        value = self.sizes.value(self.coefficient)
        links = (*self._chain(), *self._numbers())
        return Bound(name, symbol, title, why, DISTANCE, links, value)

    def _chain(self) -> Iterator[Link]:
        if self.runs.longest == self.runs.shared:
            yield Link("=", Num(0), self._nothing_left())
            return
        rests = [self._rest(data) if data else None for data in self.data]
        terms = _each(rests, Rest.difference)
        yield Link("=", _norm(total(terms)), self._cancelled())
        reason = "triangle inequality" if len(terms) > 1 else "η is positive"
        op = "≤" if len(terms) > 1 else "="
        yield Link(op, total(_each(rests, Rest.length)), reason)
        yield from self._by_pairs() if self.tight else self._by_gradients(rests)

    def _by_gradients(self, rests: Sequence[Rest | None]) -> Iterator[Link]:
        lengths = [each for rest in rests for each in (rest.lengths() if rest else [GAP])]
        if self.pairs:
            yield Link("≤", Mul((ETA, total(lengths))), _triangles(self.pairs))
        limits = [GAP if each is GAP else DELTA for each in lengths]
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


def _each(rests: Sequence[Rest | None], part: Callable[[Rest], Expr]) -> list[Expr]:
    return [part(rest) if rest else GAP for rest in rests]


def _norm(inside: Expr) -> Expr:
    return Fun("norm", (inside,))


def _triangles(pairs: int) -> str:
    times = {1: "", 2: ", twice"}.get(pairs, f", once for each of {pairs} pairs")
    return f"triangle inequality{times}"
