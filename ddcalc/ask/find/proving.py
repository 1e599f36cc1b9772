"""A search by equations: the answer, proved, with its steps and what other readings come to.

The steps are what does not hang on the unknown; how a relation is solved for it, by SymPy; what
follows at the answer; both sides there and just beside it; all ranges where there are several.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor

from ddcalc.ask.find.answer import (
    Inversion,
    InvertedReading,
    SearchOutcome,
    SearchVerdict,
    Side,
    Sought,
    comparison,
    extreme,
    ranges,
)
from ddcalc.ask.find.branching import MOST, SECONDS, Known, SearchModel, model, search
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.solving import Way
from ddcalc.ask.find.solving import solved as by_hand
from ddcalc.ask.find.wording import Facts, Neighbour, is_counted
from ddcalc.ask.solve import Derivation, Reading, Result
from ddcalc.ask.working import equations
from ddcalc.errors import BadValue, NoAnswer, OverLimit
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import (
    Cases,
    Expr,
    Fun,
    Num,
    Number,
    Operator,
    Rel,
    Sym,
    nodes,
    substitute,
    symbols,
)
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.irrational import OutOfReach
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.putting import put_in
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import restated
from ddcalc.problem.steps import BOUND, Compare, Define, PutIn, Solve, Step

ASIDE = 2_000  # pieces that are looked at for what stands beside the answer
ONE_SECOND = 1.0  # that this may take
POWERS = 21  # of two, that are tried where there is no solution
_ROUNDED = ("floor", "ceiling")  # begin the names of what rounds
CLOSE = 2**40  # parts of a distance, one of which is close to an end
_WHY = {
    "none": "the least that there can be, for example",
    "always": "the least that there can be",
    "only": "the only one that does it: all others were ruled out, interval by interval",
    "least": "the least that does it: all below were ruled out, interval by interval",
    "greatest": "the greatest that does it: all above were ruled out, interval by interval",
}


def by_equations(question: InverseQuestion, plan: EquationPlan) -> Inversion:
    """The values of a given for which the relations hold, proved.

    Raises OverLimit where the search is given up before the answer is known.
    """
    searched, verdict = _verdict(question, plan, MOST, SECONDS)
    value = verdict.answer.value
    steps = _Steps(question, plan, searched, verdict)
    outcome = SearchOutcome(
        value=value,
        says=verdict.says,
        proof=verdict.proof(),
        steps=steps.steps,
        facts=steps.facts,
        solutions=verdict.sought.solutions,
        kind=verdict.answer.kind,
        end=verdict.answer.end,
        complete=verdict.sought.complete,
        others=lambda: _others(question, plan, verdict.sought),
    )
    at = None
    if value is not None:
        try:
            at = Derivation(restated(question.stated, {question.unknown.name: value}))
        except NoAnswer:  # something else is out of reach there
            at = None
    return Inversion(question, outcome, at)


def quick_solutions(question: InverseQuestion) -> Sought | None:
    """All solutions, as far as they are proved within a second; None where there are no equations.

    Raises a DdcalcError as the search does.
    """
    plan = equations(question.stated)
    return None if plan is None else search(model(question, plan), ASIDE, ONE_SECOND)


def _verdict(
    question: InverseQuestion, plan: EquationPlan, most: int, seconds: float
) -> tuple[SearchModel, SearchVerdict]:
    """What is searched, and what comes of it; OverLimit where the answer is not known."""
    searched = model(question, plan)
    sought = search(searched, most, seconds)
    admitted: tuple[Piece, ...] = (searched.domain,)
    if searched.conditions:  # as far as it is soon known what they admit
        free = search(replace(searched, goals=(), lines=()), ASIDE, ONE_SECOND)
        admitted = free.solutions if free.complete and free.solutions else admitted
    answer = extreme(sought, admitted)
    verdict = SearchVerdict(question.given, admitted, sought, answer, searched.idle)
    if not _is_known(sought):
        raise OverLimit(verdict.given_up()).about("where")
    return searched, verdict


def _is_known(sought: Sought) -> bool:
    """Whether nothing is left open before the first solution."""
    if not sought.open:
        return True
    if not sought.solutions:
        return False
    first, left = sought.solutions[0].low, sought.open[0].low
    return left is not None and (first is None or first < left)


def _others(
    question: InverseQuestion, plan: EquationPlan, sought: Sought
) -> Iterator[InvertedReading]:
    """The answers with one choice changed, where the solutions differ."""
    unknown = question.given
    letters = {relation.letter for relation in question.relations}
    for name, option, other in plan.neighbours:
        if not letters <= {*other.givens, *(line.symbol for line in other.lines)}:
            continue  # what is compared is not part of this reading
        stated = replace(question.stated, shape=other.problem.shape)
        try:
            _, verdict = _verdict(replace(question, stated=stated), other, ASIDE, ONE_SECOND)
        except (BadValue, NoAnswer, OverLimit):
            continue  # this reading does not admit the question
        if verdict.sought.solutions != sought.solutions:
            says = stated.problem.choices[name].options[option]
            result = Result(unknown.name, unknown.letter, unknown.unit, verdict.answer.value)
            yield InvertedReading(Reading(name, option, says, result), verdict.in_short)


@dataclass(frozen=True)
class _Steps:
    """Makes the steps of a *question*, from its *plan*, what was *searched* and the *verdict*."""

    question: InverseQuestion
    plan: EquationPlan
    searched: SearchModel
    verdict: SearchVerdict

    def steps(self) -> Iterator[Step]:
        """Every step, each with its reason."""
        letters = [relation.letter for relation in self.question.relations]
        needed = [line for letter in letters for line in self.plan.needed(letter)]
        names = {line.quantity.name for line in needed}
        live = {line.quantity.name for line in needed if line.symbol in self.searched.live}
        yield from Explanation(self.plan, self.searched.known).steps(names - live)
        at = self._shown()
        known = None if at is None else self._known(at)
        ways = [*self._ways(at)]
        for relation, way in ways:
            yield self._by_hand(relation, way)
            if way.impossible:
                return
        solved = [] if ways else [*self._solved()]
        yield from solved
        if at is not None and known is not None:
            if not ways and not solved:
                yield self._put_in(at)
            if ways:
                yield from self._comparisons(
                    at, known, {relation.written: way for relation, way in ways}
                )
            yield from Explanation(self.plan, known).steps(live)
            if not ways:
                yield from self._comparisons(at, known, {})
        if len(self.verdict.sought.solutions) > 1:
            yield ranges(self.verdict.sought.solutions, self.verdict.given)

    def facts(self) -> Facts:
        """What a sentence says of the answer."""
        at = self._shown()
        ways = self._ways(at) if self.verdict.answer.kind == "none" else ()
        way = next((way.impossible for _, way in ways), "")
        return Facts(
            admitted=self.verdict.admitted,
            here=None if at is None else self._neighbour(at),
            beside=None if self.beside is None else self._neighbour(self.beside),
            idle=self.verdict.idle,
            why=way,
        )

    def _neighbour(self, at: Number) -> Neighbour | None:
        """What is compared where the unknown is worth *at*."""
        known = self._known(at)
        if known is None:
            return None
        return Neighbour(at, {one.name: known.get(one.letter) for one in self.question.relations})

    def _shown(self) -> Number | None:
        """The value at which the relations are shown, whether they hold there or not."""
        if self.verdict.answer.kind != "none":
            return _rational(self.verdict.answer.end)
        first = self.verdict.admitted[0]
        least = _rational(first.low) if first.low_in else None
        return next(iter(self._nearest), least) if self.verdict.given.whole else least

    @cached_property
    def _nearest(self) -> tuple[Number, ...]:
        """Where there is no solution: of the powers of two the one that comes nearest to the first
        bound, or two neighbours between which that is passed, the nearer one first."""
        gaps = {
            2**power: gap for power in range(POWERS) if (gap := self._gap(2**power)) is not None
        }
        for low, high in pairwise(gaps):
            if (gaps[low] < 0) != (gaps[high] < 0) and (passed := self._passed(low, high)):
                return passed
        return tuple(sorted(gaps, key=self._far)[:1])

    def _passed(self, low: int, high: int) -> tuple[Number, ...]:
        """Two neighbours from *low* to *high* between which the first bound is passed."""
        below = (self._gap(low) or 0) < 0
        while high - low > 1:
            middle = (low + high) // 2
            if (gap := self._gap(middle)) is None:
                return ()
            low, high = (middle, high) if (gap < 0) == below else (low, middle)
        return tuple(sorted((low, high), key=self._far))

    def _far(self, number: int) -> Fraction:
        return abs(Fraction(self._gap(number) or 0))

    def _gap(self, number: int) -> Number | None:
        """By how much the first relation's left side is above its bound at *number*."""
        relation = self.question.relations[0]
        known = self._known(number) if number in self.verdict.admitted[0] else None
        value = None if known is None else known.get(relation.letter)
        return None if value is None else value - relation.bound.value

    def _known(self, at: Number) -> Known | None:
        """All values by letter where the unknown is worth *at*; None where something has none."""
        try:
            values = self.searched.at(at)
        except OutOfReach:
            return None
        return None if values is None else {**self.searched.known, **values}

    def _put_in(self, at: Number) -> Define:
        given = self.verdict.given
        number = Num(at)
        return Define(
            name=given.name,
            symbol=given.letter,
            title=given.title[:1].upper() + given.title[1:],
            why=self._why(),
            unit=given.unit,
            formula=number,
            applied=number,
            numbers={},
            value=at,
        )

    def _why(self) -> str:
        answer = self.verdict.answer
        if answer.kind == "none" and self.verdict.given.whole and self._nearest:
            if len(self._nearest) > 1:
                return "none satisfies it: what is wanted lies between this one and its neighbour"
            return (
                f"none satisfies it; of 1, 2, 4, 8, … up to 2^{POWERS - 1} this one comes nearest"
            )
        if answer.kind in ("least", "greatest") and not answer.reached:
            return "where the solutions end, which just does not do it itself"
        roundings = "roundings forbid solving for it; " if self._is_rounded else ""
        return f"{roundings}{_WHY[answer.kind]}"

    @cached_property
    def _is_rounded(self) -> bool:
        """Whether the unknown stands in something that is rounded, which forbids solving."""
        at = _rational(self.verdict.answer.end)
        near = None if at is None or self.verdict.answer.kind == "always" else self._known(at)
        if near is None:
            return False
        solver = _Solver(self.plan, self.verdict.given, self.searched.live, near)
        return any(solver.rounds(relation.letter) for relation in self.question.relations)

    def _solved(self) -> Iterator[Solve]:
        """The ends of the range that the answer is in, each where a relation solved gives it."""
        answer, solutions = self.verdict.answer, self.verdict.sought.solutions
        if self.verdict.given.whole or not solutions:
            return
        piece = solutions[-1 if answer.kind == "greatest" else 0]
        limits = [end for part in self.verdict.admitted for end in (part.low, part.high)]
        for end, op in _ends(piece):
            near = self._known(_beside(piece, end))
            if near is None or (end in limits and op in ("<", ">")):  # no relation ends it there
                continue
            solver = _Solver(self.plan, self.verdict.given, self.searched.live, near)
            steps = (solver.solved(relation, op, end) for relation in self.question.relations)
            yield from [step for step in steps if step is not None][:1]

    def _ways(self, at: Number | None) -> Iterator[tuple[Relation, Way]]:
        """How relations are solved by hand for the ends of the range that the answer is in."""
        if self.verdict.answer.kind == "none" and at is not None:
            for relation in self.question.relations:
                way = self._way(relation, at, None)
                if way is not None and way.impossible:
                    yield relation, way
                    return
        for end, op in self._bounds():
            beside = self._past(end, op)
            for relation in self.question.relations:
                way = self._way(relation, end, beside)
                if way is not None and not way.impossible and self._leads(way, end, op):
                    yield relation, way
                    break

    def _bounds(self) -> Iterator[tuple[Number, Operator]]:
        """The ends of the answer's range that relations set, not the type."""
        answer, solutions = self.verdict.answer, self.verdict.sought.solutions
        if not solutions or answer.kind in ("none", "always"):
            return
        piece = solutions[-1 if answer.kind == "greatest" else 0]
        limits = [end for part in self.verdict.admitted for end in (part.low, part.high)]
        for end, op in _ends(piece):
            if end not in limits or op == "==":
                yield end, op

    def _past(self, end: Number, op: Operator) -> Known | None:
        """What is known just outside of the range that ends there."""
        if not self.verdict.given.whole or op == "==":
            return None
        beside = end + (1 if "<" in op else -1)
        return self._known(beside) if beside in self.searched.domain else None

    def _way(self, relation: Relation, at: Number, beside: Known | None) -> Way | None:
        """How *relation* is solved by hand, if it fails *beside* what it is solved for."""
        if beside is not None and relation.holds(beside.get(relation.letter)):
            return None
        near = self._known(at)
        if near is None or relation.name == self.verdict.given.name:
            return None
        solver = _Solver(self.plan, self.verdict.given, self.searched.live, near)
        written = solver.written(relation.letter)
        if written is None:
            return None
        quantity = self.plan.problem.quantities[relation.name]
        return by_hand(
            written, near, relation, (quantity.called, quantity.unit), self.verdict.given, at
        )

    def _leads(self, way: Way, end: Number, op: Operator) -> bool:
        """Whether the *way* comes to that *end* of the range."""
        if not self.verdict.given.whole:
            return way.value == end and way.op == op
        if way.op == "==" or op == "==":
            return way.value == end
        if way.op[0] != op[0]:
            return False
        if ">" in op:
            return end == (floor(way.value) + 1 if way.op == ">" else ceil(way.value))
        return end == (ceil(way.value) - 1 if way.op == "<" else floor(way.value))

    def _by_hand(self, relation: Relation, way: Way) -> Solve:
        """The step that solves *relation*."""
        given = self.verdict.given
        bound = amount_of(relation.bound.value, self.plan.problem.quantities[relation.name].unit)
        return Solve(
            name=given.name,
            symbol=given.letter,
            title=f"Solved for {letter_of(given.letter)}",
            why=way.impossible,
            unit=given.unit,
            relation=Rel(relation.op, way.compared, Sym(BOUND)),
            unknown=given.letter,
            op=None if way.impossible else way.op,
            formula=way.formula,
            numbers={**way.numbers, BOUND: bound},
            value=None if way.impossible else way.value,
            argument=way.lines,
        )

    def _comparisons(self, at: Number, known: Known, ways: Mapping[str, Way]) -> Iterator[Compare]:
        """Both sides at the answer, and those that fail just beside it."""
        for step in self._compared(at, known, ways):
            yield replace(step, why=self._first(step, at, ways))
        beside = self.beside
        other = None if beside is None else self._known(beside)
        if beside is not None and other is not None:
            for step in self._compared(beside, other, ways):
                if not step.holds:
                    yield replace(step, why=self._misses(beside, at))

    def _first(self, step: Compare, at: Number, ways: Mapping[str, Way]) -> str:
        """Whether *step* holds, and that it does so first, or last, where a way leads there."""
        rounds = [way for way in ways.values() if way.value != at and way.op != "=="]
        if not step.holds or not rounds or not self.verdict.given.whole or len(ways) > 1:
            return step.why
        place = "first" if ">" in rounds[0].op else "last"
        return f"holds: the {place} whole number"

    def _misses(self, beside: Number, at: Number) -> str:
        """What is wrong with the number *beside* the answer."""
        if self.verdict.answer.kind in ("none", "always") or not is_counted(self.verdict.given):
            return "does not hold"
        return "too few" if beside < at else "too many"

    @cached_property
    def beside(self) -> Number | None:
        """The whole number next to the one that is shown, if there is one."""
        at, given = self._shown(), self.verdict.given
        if at is None or not given.whole:
            return None
        beside: Number | None = at + (1 if self.verdict.answer.kind == "greatest" else -1)
        if self.verdict.answer.kind == "none":
            beside = self._nearest[1] if len(self._nearest) > 1 else None
        return beside if beside is not None and beside in self.searched.domain else None

    def _compared(self, at: Number, known: Known, ways: Mapping[str, Way]) -> Iterator[Compare]:
        explanation, given = Explanation(self.plan, known), self.verdict.given
        for relation in self.question.relations:
            left = known.get(relation.letter)
            if relation.name == given.name or left is None:
                continue
            side, way = _side(relation, explanation), ways.get(relation.written)
            if way is not None:
                numbers = {**way.numbers, given.letter: amount_of(at, given.unit)}
                values = {name: _worth(put) for name, put in numbers.items()}
                if evaluate(way.compared, values) == left:
                    side = way.compared, numbers, side[2]
            yield comparison(relation, given, at, left, side)


def _side(relation: Relation, explanation: Explanation) -> Side:
    for step in explanation.steps({relation.name}):
        if isinstance(step, Define):
            return step.applied, step.numbers, step.unit
        if isinstance(step, Solve):
            return step.formula, step.numbers, step.unit
    return Sym(relation.letter), {}, explanation.units[relation.letter]


@dataclass(frozen=True)
class _Solver:
    """Solves relations for the *unknown* in letters, by SymPy, where it allows that.

    *near* are the values of all letters just inside the end that is solved for: they decide
    distinctions and maxima.
    """

    plan: EquationPlan
    unknown: Given
    live: Collection[str]
    near: Known

    def solved(self, relation: Relation, op: Operator, at: Number) -> Solve | None:
        """How *relation* comes to ``unknown op at``; None where no formula in letters says so."""
        from ddcalc.formula.cas import has_form, solution_of

        written = self.written(relation.letter)
        if written is None or not has_form(written):
            return None
        letter = self.unknown.letter
        amounts = {name for name, size in self.plan.dimensions.items() if size.time}
        formula = solution_of(letter, written, Sym(BOUND), self.plan.rank, amounts)
        known = {**self.near, BOUND: relation.bound.value}
        if formula is None or letter in symbols(formula) or _value(formula, known) != at:
            return None
        if not self._says(Rel(relation.op, written, Num(relation.bound.value)), op, at):
            return None
        compared_in = self.plan.problem.quantities[relation.name].unit
        unit = self.unknown.unit
        units = {name: quantity.unit for name, (quantity, _) in self.plan.problem.origin.items()}
        numbers = put_in(formula, known, {**units, BOUND: compared_in})
        end = {"<": "_max", "<=": "_max", ">": "_min", ">=": "_min", "==": ""}[op]
        return Solve(
            name=self.unknown.name,
            symbol=letter + end if letter + end not in self.plan.problem.origin else letter,
            title=f"Solved for {letter_of(letter)}",
            why="all else is known",
            unit=unit,
            relation=Rel(relation.op, written, Sym(BOUND)),
            unknown=letter,
            op=op,
            formula=formula,
            numbers=numbers,
            value=at,
        )

    def _says(self, relation: Rel, op: Operator, at: Number) -> bool:
        """Whether close to *at* the *relation* holds where ``unknown op at``, and only there."""
        if relation.op == "==":
            return True
        step = abs(Fraction(at)) / CLOSE or Fraction(1, CLOSE)
        letter = self.unknown.letter
        sides = (_value(relation, {**self.near, letter: x}) for x in (at - step, at + step))
        return tuple(map(bool, sides)) == ("<" in op, ">" in op)

    def written(self, letter: str) -> Expr | None:
        """What *letter* is in the unknown; None where that stands in something rounded."""
        written = self._written_out(letter)
        return None if self._rounds(written) else written

    def rounds(self, letter: str) -> bool:
        """Whether the unknown stands in something rounded in what *letter* is."""
        parts = nodes(self._written_out(letter))
        rounded = (one for one in parts if isinstance(one, Fun) and one.name.startswith(_ROUNDED))
        return any(map(self._is_live, rounded))

    def _written_out(self, letter: str) -> Expr:
        """The formula of *letter* in the unknown and in letters that do not rest on it."""
        written: Expr = Sym(letter)
        for line in reversed(self.plan.lines):
            if line.symbol in self.live:
                formula = rewritten(line.formula, self._decided)
                written = substitute(written, {line.symbol: formula})
        return written

    def _decided(self, part: Expr) -> Expr | None:
        """The branch of a distinction, and the member of a maximum, that applies."""
        match part:
            case Cases():
                return rewritten(applying(part, self.near)[0], self._decided)
            case Fun("max" | "min" as name, args) if self._is_live(part):
                extreme_of = max if name == "max" else min
                best = extreme_of(args, key=lambda arg: evaluate(arg, self.near))
                return rewritten(best, self._decided)
        return None

    def _is_live(self, part: Expr) -> bool:
        return any(letter in self.live for letter in symbols(part))

    def _rounds(self, expr: Expr) -> bool:
        """Whether the unknown stands in something that is rounded."""
        if isinstance(expr, Fun) and self._is_live(expr):
            return True
        return any(map(self._rounds, expr.parts()))


def _worth(put: PutIn) -> Number:
    return put.value if isinstance(put, Amount) else put


def _value(formula: Expr, known: Known) -> Number | None:
    try:
        value: Number | None = evaluate(formula, known)
    except ArithmeticError:
        return None
    return value


def _rational(x: Edge | None) -> Number | None:
    return None if isinstance(x, Root) else x


def _beside(piece: Piece, end: Number) -> Number:
    """A number in *piece* so close to its *end* that what applies there applies here."""
    if piece.is_point:
        return end
    inside = Fraction(piece.sample())
    return end + (inside - end) / CLOSE


def _ends(piece: Piece) -> Iterator[tuple[Number, Operator]]:
    """The rational ends of *piece*, each with what it means for the unknown."""
    low, high = _rational(piece.low), _rational(piece.high)
    if piece.is_point and low is not None:
        yield low, "=="
        return
    if low is not None:
        yield low, ">=" if piece.low_in else ">"
    if high is not None:
        yield high, "<=" if piece.high_in else "<"
