"""A search by equations: the answer, proved, with its steps and what other readings come to.

The steps are what does not hang on the unknown; how a relation is solved for it, by SymPy; what
follows at the answer; both sides there and just beside it; all ranges where there are several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from ddcalc.ask.find.branching import SearchModel, model, search
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.nearest import nearest
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.solving import CLOSE, LetterSolver, Way
from ddcalc.ask.find.solving import solved as by_hand
from ddcalc.ask.find.wording import Facts, Nearest, Neighbour, Telling, is_counted
from ddcalc.ask.solve import Derivation, Reading, Result
from ddcalc.ask.working import equations
from ddcalc.errors import UNANSWERED, NoAnswer, OverLimit
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Known,
    Num,
    Number,
    Operator,
    Rel,
    Sym,
)
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.irrational import OutOfReach
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.stated import restated
from ddcalc.problem.steps import BOUND, Compare, Define, PutIn, Solve, Step

ASIDE = 2_000  # pieces that are looked at for what stands beside the answer
ASIDE_WORK = 200_000  # that this may take
POWERS = 21  # of two, that are tried where there is no solution
_WHY = {
    "none": "the least that there can be, for example",
    "always": "the least that there can be",
    "only": "the only one",
    "least": "the least",
    "greatest": "the greatest",
}


def by_equations(question: InverseQuestion, plan: EquationPlan) -> Inversion:
    """The values of a given for which the relations hold, proved.

    Raises OverLimit where the search is given up before the answer is known.
    """
    searched, verdict = _verdict(question, plan)
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
    """All solutions, as far as they are soon proved; None where there are no equations.

    Raises a DdcalcError as the search does.
    """
    plan = equations(question.stated)
    return None if plan is None else search(model(question, plan), ASIDE, ASIDE_WORK)


def _verdict(
    question: InverseQuestion, plan: EquationPlan, *limits: int
) -> tuple[SearchModel, SearchVerdict]:
    """What is searched, and what comes of it within the *limits*; OverLimit where the answer
    is not known."""
    searched = model(question, plan)
    sought = search(searched, *limits)
    admitted: tuple[Piece, ...] = (searched.domain,)
    if searched.conditions:  # as far as it is soon known what they admit
        free = search(replace(searched, goals=(), lines=()), ASIDE, ASIDE_WORK)
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
    letters = {quantity.letter for quantity in question.compared.values()}
    for name, option, other in plan.neighbours:
        if not letters <= {*other.givens, *(line.symbol for line in other.lines)}:
            continue  # what is compared is not part of this reading
        stated = replace(question.stated, shape=other.problem.shape)
        try:
            _, verdict = _verdict(replace(question, stated=stated), other, ASIDE, ASIDE_WORK)
        except UNANSWERED:
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
        letters = [quantity.letter for quantity in self.question.compared.values()]
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
            beside=[one for at in self.beside if (one := self._neighbour(at)) is not None],
            idle=self.verdict.idle,
            why=way,
            nearest=None if way else self.nearest,
        )

    def _neighbour(self, at: Number) -> Neighbour | None:
        """What is compared where the unknown is worth *at*."""
        known = self._known(at)
        if known is None:
            return None
        return Neighbour(at, self._compared_among(known))

    def _compared_among(self, known: Known) -> Known:
        """What is compared, by name, of what is *known* by letter."""
        return {name: known.get(one.letter) for name, one in self.question.compared.items()}

    def _shown(self) -> Number | None:
        """The value at which the relations are shown, whether they hold there or not."""
        if self.verdict.answer.kind != "none":
            return _rational(self.verdict.answer.end)
        if self.nearest is not None and self.nearest.reached:
            assert isinstance(self.nearest.at, Number)
            return self.nearest.at
        first = self.verdict.admitted[0]
        least = _rational(first.low) if first.low_in else None
        return next(iter(self._tried), least) if self.verdict.given.whole else least

    @cached_property
    def nearest(self) -> Nearest | None:
        """What comes nearest where there is no solution, if that is known."""
        if self.verdict.answer.kind != "none" or not self.verdict.sought.complete:
            return None
        return nearest(self.searched, self.question.relations)

    @cached_property
    def _tried(self) -> tuple[Number, ...]:
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
        return None if known is None else relation.gap(self._compared_among(known))

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
        if self.nearest is not None and self.nearest.reached:
            return "none satisfies it; this one comes nearest"
        if answer.kind == "none" and self.verdict.given.whole and self._tried:
            if len(self._tried) > 1:
                return "none satisfies it: what is wanted lies between this one and its neighbour"
            return (
                f"none satisfies it; of 1, 2, 4, 8, … up to 2^{POWERS - 1} this one comes nearest"
            )
        if answer.kind in ("least", "greatest") and not answer.reached:
            return "where the solutions end, which just does not do it itself"
        roundings = "roundings forbid solving for it; " if self._is_rounded else ""
        others = self._others() if answer.kind in ("only", "least", "greatest") else ""
        return f"{roundings}{_WHY[answer.kind]}{': ' if others else ''}{others}"

    def _others(self) -> str:
        """Why no number below the answer does it, or none above it."""
        kind, given, at = self.verdict.answer.kind, self.verdict.given, self._shown()
        if at is None:
            return ""
        fewer, more = (f"with a {size} {letter_of(given.letter)}" for size in ("smaller", "larger"))
        if is_counted(given):
            fewer, more = "with fewer", "with more"
        says = []
        below, above = _sides(self.searched.domain, at)
        if below is not None and kind != "greatest":
            says.append(self._miss(below, fewer))
        if above is not None and kind != "least":
            says.append(self._miss(above, more))
        return "; ".join(says)

    def _miss(self, side: Piece, words: str) -> str:
        """Why no number on that *side* of the answer does it."""
        there = replace(self.searched, domain=side)
        known = nearest(there, self.question.relations, together=False)
        if known is None:
            return f"{words}, all were checked and fail"
        telling = Telling(self.question, self.verdict.given.unit, Facts())
        return f"{words}, {telling.bounded(known)}"

    @cached_property
    def _is_rounded(self) -> bool:
        """Whether the unknown stands in something that is rounded, which forbids solving."""
        at = _rational(self.verdict.answer.end)
        near = None if at is None or self.verdict.answer.kind == "always" else self._known(at)
        if near is None:
            return False
        solver = LetterSolver(self.plan, self.verdict.given, self.searched.live, near)
        return any(solver.rounds(one.letter) for one in self.question.compared.values())

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
            solver = LetterSolver(self.plan, self.verdict.given, self.searched.live, near)
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
            if op == "==" and self.verdict.given.whole and self._are_bounds:
                yield from ((end, side) for side in (">=", "<=") if self._past(end, side))
            elif end not in limits or op == "==":
                yield end, op

    @property
    def _are_bounds(self) -> bool:
        """Whether the relations leave a range, into which one whole number may fall."""
        return all(relation.op != "==" for relation in self.question.relations)

    def _past(self, end: Number, op: Operator) -> Known | None:
        """What is known just outside of the range that ends there."""
        if not self.verdict.given.whole or op == "==":
            return None
        beside = end + (1 if "<" in op else -1)
        return self._known(beside) if beside in self.searched.domain else None

    def _way(self, relation: Relation, at: Number, beside: Known | None) -> Way | None:
        """How *relation* is solved by hand, if it fails *beside* what it is solved for."""
        if beside is not None and relation.holds_among(self._compared_among(beside)):
            return None
        near = self._known(at)
        if near is None or relation.name == self.verdict.given.name:
            return None
        solver = LetterSolver(self.plan, self.verdict.given, self.searched.live, near)
        written = solver.written(relation.letter)
        if written is None:
            return None
        quantity, called = self.question.compared[relation.name], ""
        if relation.other is not None:
            right = solver.written(relation.other.letter)
            if right is None:
                return None
            written, called = written - right, f" less {relation.other.called}"
        compared = f"{quantity.called}{called}", quantity.unit
        return by_hand(written, near, relation, compared, self.verdict.given, at)

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
        for beside in self.beside:
            other = self._known(beside)
            for step in () if other is None else self._compared(beside, other, ways):
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
    def beside(self) -> tuple[Number, ...]:
        """The whole numbers next to the one that is shown, where something fails."""
        at, given = self._shown(), self.verdict.given
        if at is None or not given.whole:
            return ()
        kind = self.verdict.answer.kind
        if kind == "none":
            return () if self.nearest is not None else self._tried[1:]
        wanted = {"only": (at - 1, at + 1), "greatest": (at + 1,)}.get(kind, (at - 1,))
        return tuple(beside for beside in wanted if beside in self.searched.domain)

    def _compared(self, at: Number, known: Known, ways: Mapping[str, Way]) -> Iterator[Compare]:
        explanation, given = Explanation(self.plan, known), self.verdict.given
        for relation in self.question.relations:
            left, right = relation.sides(self._compared_among(known))
            if relation.name == given.name or left is None or right is None:
                continue
            side, way = _side(relation, explanation), ways.get(relation.written)
            if way is not None and relation.other is None:
                numbers = {**way.numbers, given.letter: amount_of(at, given.unit)}
                values = {name: _worth(put) for name, put in numbers.items()}
                if evaluate(way.compared, values) == left:
                    side = way.compared, numbers, side[2]
            yield comparison(relation, given, at, (left, right), side)


def _side(relation: Relation, explanation: Explanation) -> Side:
    for step in explanation.steps({relation.name}):
        if isinstance(step, Define):
            return step.applied, step.numbers, step.unit
        if isinstance(step, Solve):
            return step.formula, step.numbers, step.unit
    return Sym(relation.letter), {}, explanation.units[relation.letter]


def _worth(put: PutIn) -> Number:
    return put.value if isinstance(put, Amount) else put


def _rational(x: Edge | None) -> Number | None:
    return None if isinstance(x, Root) else x


def _beside(piece: Piece, end: Number) -> Number:
    """A number in *piece* so close to its *end* that what applies there applies here."""
    if piece.is_point:
        return end
    inside = Fraction(piece.sample())
    return end + (inside - end) / CLOSE


def _sides(piece: Piece, at: Number) -> tuple[Piece | None, Piece | None]:
    """The numbers of *piece* below *at*, and those above it."""
    parts = [*piece.split([at])]
    below = [one for one in parts if one.low is None or one.low < at]
    above = [one for one in parts if one.high is None or one.high > at]
    return next(iter(below), None), next(iter(above), None)


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
