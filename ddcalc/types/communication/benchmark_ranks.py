"""How many ranks took part in a benchmark of a collective?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, floor, same
from ddcalc.numbers.units import BYTE_PER_SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import choice, derived, rate
from ddcalc.types.communication._factors import FACTORS, WHOLE, factor, ranks


class BenchmarkRanks(Problem):
    """How many ranks took part in a benchmark of a collective?

    nccl-tests tells an algorithm bandwidth and a bus bandwidth; the second is the first times a
    factor that depends on the number of ranks, so both together tell the number. Logs are rounded:
    it comes out about whole, and the nearest whole number is the answer. The more ranks there are,
    the less certain it is: the factor hardly changes.

    nccl-tests does not know how NCCL sums up: the bus bandwidth in its logs is always that of
    2(n − 1)/n for an all-reduce. ``in-network`` is for a bus bandwidth that was told otherwise.
    """

    answer = "workers"
    terms = ("ring all-reduce",)
    source = (
        "NVIDIA nccl-tests, doc/PERFORMANCE.md; src/gather.cu, scatter.cu; sums in the switch:"
        " comment of 2024-09-02 in its pull request 239"
    )

    algorithm_bandwidth = rate("a", "algorithm bandwidth", example="20.93 GB/s")
    bus_bandwidth = rate("b", "bus bandwidth", example="20.92 GB/s")

    operation = choice(
        "the collective that was measured",
        name="collective",
        **{name: says for name, says in FACTORS.items() if name not in WHOLE},
    )

    quotient = derived("f", "Factor", "one bandwidth by the other")
    solved = derived("n", "Ranks, in parts", "the factor, solved for their number")
    workers = derived("N", "Ranks", "the nearest whole number")
    check = derived("b_N", "Bus bandwidth of so many", "to compare with the log", BYTE_PER_SECOND)
    miss = derived(
        "d",
        "What the log says more",
        "if that is beyond its last digits, it was another collective",
        BYTE_PER_SECOND,
    )

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """None: which collective was measured is no matter of reading."""
        return iter(())

    def conditions(self) -> Iterator[Condition]:
        one, bus = self.algorithm_bandwidth, self.bus_bandwidth
        if self.operation == "in_network":
            any_number = "is not more than the algorithm bandwidth, as with any number of ranks"
            yield Condition(bus > one, "bus_bandwidth", any_number)
            single = "is more than twice the algorithm bandwidth, which is that of a single rank"
            yield Condition(bus <= 2 * one, "bus_bandwidth", single)
            return
        times, many = (2, "twice") if self.operation == "all_reduce" else (1, "once")
        below = f"is not less than {many} the algorithm bandwidth, as with any number of ranks"
        yield Condition(bus < times * one, "bus_bandwidth", below)

    def laws(self) -> Iterator[Law]:
        yield Holds(self.workers >= 1, "somebody took part")
        found = factor(self.operation, self.solved) * self.algorithm_bandwidth
        yield Holds(same(found, self.bus_bandwidth), "so many ranks have this bus bandwidth")
        grows = Falls if self.operation == "in_network" else Rises
        yield grows("solved", "bus_bandwidth", "the factor goes one way with the ranks")

    def equations(self) -> Equations:
        yield self.quotient, self.bus_bandwidth / self.algorithm_bandwidth
        found: Expr = ranks(self.operation, self.algorithm_bandwidth, self.bus_bandwidth)
        yield self.solved, found, f"{FACTORS[self.operation]}, solved for n"
        yield self.workers, floor(self.solved + Num(1) / 2)
        yield self.check, factor(self.operation, self.workers) * self.algorithm_bandwidth
        yield self.miss, self.bus_bandwidth - self.check
