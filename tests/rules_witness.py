"""Training schemes by their definitions: every order of events explored. Nothing of ddcalc's engine
or rules is used here."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple

Gradient = tuple[int, int]  # worker and clock, both from 1
Models = Sequence[Mapping[Gradient, Fraction]]  # of the workers, by how much of each is in them
Reads = dict[Gradient, set[frozenset[Gradient]]]  # by who reads before which clock: what is in


def subsets(workers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(workers) + 1):
        yield from combinations(workers, size)


def ssp_reads(workers: int, clocks: int, staleness: int | None, most: int) -> Reads:
    """All that can be in the weights at any read up to *clocks*, by every order of events.

    All start together. Any computations that run may end next, one or several at one instant. Then
    every idle worker that may start its clock c does so at once and reads: it may if the slowest
    has finished at least c - 1 - *staleness* clocks. Nobody is followed beyond clock *most*.
    """
    reads: Reads = {}
    start = (0,) * workers
    todo = [(start, (True,) * workers)]
    seen = set(todo)
    for j in range(1, workers + 1):
        reads[j, 1] = {frozenset()}
    while todo:
        finished, running = todo.pop()
        ready = [j for j in range(workers) if running[j] and finished[j] < most]
        for ending in subsets(ready):
            done = tuple(f + (j in ending) for j, f in enumerate(finished))
            inside = frozenset((j, k) for j, last in enumerate(done, 1) for k in range(1, last + 1))
            goes = [running[j] and j not in ending for j in range(workers)]
            slowest = min(done)
            for j in range(workers):
                if not goes[j] and (staleness is None or done[j] - slowest <= staleness):
                    goes[j] = True
                    if done[j] < clocks:
                        reads.setdefault((j + 1, done[j] + 1), set()).add(inside)
            state = (done, tuple(goes))
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return reads


class Server(NamedTuple):
    """A server that makes an update of *wait_for* timely gradients, and its workers.

    *at* is the version of the weights that each worker computes on (None: it waits), *clock* which
    of its computations that is.
    """

    version: int
    inside: frozenset[Gradient]
    timely: frozenset[Gradient]
    kept: frozenset[Gradient]
    at: tuple[int | None, ...]
    clock: tuple[int, ...]


def k_of_n_reads(workers: int, wait_for: int, late: str, versions: int) -> Reads:
    """All that can be in the weights at any read before update number *versions* is made."""
    none: frozenset[Gradient] = frozenset()
    first = Server(0, none, none, none, (0,) * workers, (1,) * workers)
    reads: Reads = {(j, 1): {none} for j in range(1, workers + 1)}
    todo, seen = [first], {first}
    while todo:
        state = todo.pop()
        for j in range(workers):
            late_now = state.at[j] is not None and state.at[j] != state.version
            if late_now or (state.at[j] is not None and state.version < versions):
                after = _arrives(state, j, wait_for, late)
                for i in range(workers):
                    if after.at[i] is not None and after.clock[i] != state.clock[i]:
                        reads.setdefault((i + 1, after.clock[i]), set()).add(after.inside)
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    return reads


def _arrives(state: Server, j: int, wait_for: int, late: str) -> Server:
    at, clock = list(state.at), list(state.clock)
    gradient = frozenset({(j + 1, clock[j])})
    if at[j] != state.version:  # late: it reads again at once
        at[j], clock[j] = state.version, clock[j] + 1
        kept = state.kept | gradient if late == "reuse" else state.kept
        return state._replace(kept=kept, at=tuple(at), clock=tuple(clock))
    timely, at[j] = state.timely | gradient, None
    if len(timely) < wait_for:
        return state._replace(timely=timely, at=tuple(at))
    version = state.version + 1
    for i, place in enumerate(at):
        if place is None or late == "cancel":
            at[i], clock[i] = version, clock[i] + 1
    inside, none = state.inside | timely | state.kept, frozenset[Gradient]()
    return Server(version, inside, none, none, tuple(at), tuple(clock))


def local_sgd(workers: int, local_steps: int, clocks: int, printed: bool = False) -> list[Models]:
    """The models before each clock from 1 to *clocks*, as how much of each gradient is in them;
    with the average as some sheets have it *printed*: of gradients, not of models.

    Every gradient is a unit vector of its own, the first weights are 0 and the step size is -1.
    """
    models: Models = [{} for _ in range(workers)]
    runs = []
    for clock in range(1, clocks + 1):
        runs.append(models)
        own = [{**model, (j, clock): Fraction(1)} for j, model in enumerate(models, 1)]
        if clock % local_steps:
            models = own
        elif printed:
            share = {(j, clock): Fraction(1, workers) for j in range(1, workers + 1)}
            models = [{**model, **share} for model in models]
        else:
            mean: dict[Gradient, Fraction] = {}
            for gradient, times in (item for model in own for item in model.items()):
                mean[gradient] = mean.get(gradient, Fraction(0)) + times / workers
            models = [mean] * workers
    return runs


# What a formula says

MAYBE: Gradient = (0, 0)  # stands for all gradients that may be in


def worth(formula: Any, known: Mapping[str, Any] | None = None) -> Any:
    """How much of each gradient is in *formula*, for w_0 = 0 and eta = -1, or its number; read by
    the names of its pieces. *known* has values of further letters, and of w by worker and clock.
    """
    return _worth(formula, {"eta": Fraction(-1), "w_0": {}, **(known or {})})


def _worth(part: Any, known: Mapping[str, Any]) -> Any:
    kind = type(part).__name__
    if kind == "Num":
        return Fraction(part.value)
    if kind == "Sym":
        return known[part.name]
    if kind == "Fun":
        return _of_gradients(part.name, part.args, known)
    pieces = [_worth(piece, known) for piece in part.parts()]
    if kind == "Add":
        return _plus(pieces)
    if kind == "Div":
        pieces = [1 / pieces[1], pieces[0]]
    assert kind in ("Neg", "Mul", "Div"), part
    return reduce(_times, pieces, Fraction(-1 if kind == "Neg" else 1))


def _of_gradients(name: str, args: Sequence[Any], known: Mapping[str, Any]) -> Any:
    if name == "indexed":
        place = tuple(int(_worth(item, known)) for item in args[1:])
        return known["w"][place] if args[0].name == "w" else {place: Fraction(1)}
    if name == "sum_over":
        return {MAYBE: Fraction(1)}
    assert name == "sum", name
    body, index, first, last = args
    places = range(int(_worth(first, known)), int(_worth(last, known)) + 1)
    return _plus([{}, *(_worth(body, {**known, index.name: Fraction(at)}) for at in places)])


def _times(left: Any, right: Any) -> Any:
    if isinstance(left, dict):
        left, right = right, left
    if isinstance(right, dict):
        return {gradient: left * much for gradient, much in right.items()}
    return left * right


def _plus(parts: Sequence[Any]) -> Any:
    if not isinstance(parts[0], dict):
        return sum(parts)
    answers: dict[Gradient, Fraction] = {}
    for gradient, much in (item for part in parts for item in part.items()):
        answers[gradient] = answers.get(gradient, Fraction(0)) + much
    return {gradient: much for gradient, much in answers.items() if much}
