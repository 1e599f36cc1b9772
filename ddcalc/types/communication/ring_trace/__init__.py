"""What does a ring all-reduce do, step by step?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.quantity import LESS, choice, count, data, derived, number
from ddcalc.types.communication.ring_trace.account import Account, words
from ddcalc.types.communication.ring_trace.question import question

ASIDES = (
    "aside",
    "reduced", "reduce_steps", "share_steps", "sent", "sent_mean", "sent_most", "waited", "size",
    "bytes_mean", "bytes_most", "bytes_waited", "steps",
)  # fmt: skip


class RingTrace(PlayedProblem):
    """What does a ring all-reduce do, step by step?

    Every process has a vector and wants the sum (maximum, …) of all vectors, element by element.
    The processes stand in a ring and send chunks to the next one only, all at the same time: first
    to be reduced on their way, then to hand the complete chunks round.

    Reduce-scatter (share-reduce): in p − 1 steps chunks go round and are reduced, until each
    process has a complete chunk. All-gather (share-only): in p − 1 steps the complete chunks go
    round.

    The vectors are written in rows, "1 5 2; 3 1 9" (in files [[1, 5, 2], [3, 1, 9]]), or as one
    list, process after process, with the number of processes beside it. Where p does not divide the
    length, chunks differ, and some are empty where there are fewer values than processes. An empty
    chunk is not sent.

    However the chunks are cut, a process sends 2(p − 1)/p of its vector on average, exactly. Some
    send more where p does not divide the length, and a step takes as long as its longest message.
    Without chunks there are as many steps or fewer, but more values wait for each other.

    For more than 4 processes the first and the last step of each phase are shown, with `--all` also
    those between; for more than 8 only the second one of these. All are played.
    """

    answer = "steps"
    keywords = (
        "ring all-reduce step by step; reduce-scatter and all-gather by hand; chunks of each"
        " process; maximum of all elements by a ring"
    )
    terms = ("ring all-reduce",)
    source = (
        "review questions on data-parallel learning, question 4; Patarasuk and Yuan, Bandwidth"
        " Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69(2), 2009; order of"
        " the chunks: baidu-research/baidu-allreduce (collectives.cu, RingAllreduce) and"
        " NVIDIA/nccl (src/device/all_reduce.h, runRing); whole vectors: Writing Distributed"
        " Applications with PyTorch"
    )

    vectors = number(
        "v",
        "values of the vectors, process after process",
        many="list",
        of="value of each vector",
        rows="processes",
        example="1, 5, 2, 8, 3, 1, 9, 4, 7, 6, 2, 3, 4, 8, 5, 1",
    )
    processes = count("p", "processes in the ring", most=100, optional=True, example="4")
    element = data("e", "size of one value, for counts in bytes", above=0, optional=True)

    op = choice(
        "how values are reduced",
        sum="vectors are added",
        max="the largest of each element is kept",
        min="the smallest of each element is kept",
        prod="vectors are multiplied, element by element",
        mean="vectors are added, and divided by their number at the end",
        also="maximum max minimum min product prod avg mean average mean",
    )
    way = choice(
        "what goes round",
        chunks="chunks go round, as many as there are processes",
        whole="whole vectors go round, and everybody reduces them all",
        relay="one whole vector goes round, first to be reduced, then to be shared",
    )
    first = choice(
        "which chunk a process sends first",
        own="a process begins with the chunk of its own number (Baidu, Open MPI)",
        before="a process begins with the chunk before its own number (NCCL)",
    )
    uneven = choice(
        "chunks of a length that p does not divide",
        one_more="the first chunks have one value more (Baidu)",
        rounded_up="chunks are rounded up, the last have the rest (NCCL)",
    )

    length = derived("n", "Values of a vector", "the list divided among the processes", least=1)
    lengths = derived("m", "Values of each chunk", "the vector cut into chunks", least=0)
    reduced = derived("r", "Reduced vector", "what every process holds in the end")
    reduce_steps = derived(
        "K_r", "Steps that reduce (reduce-scatter)", "until something is complete", least=0
    )
    share_steps = derived(
        "K_s", "Steps that share (all-gather)", "until everybody has everything", least=0
    )
    sent = derived("V", "Values that each process sends", "counted message by message", **LESS)
    sent_mean = derived(
        "V_mean", "Values that a process sends on average", "of all processes", **LESS
    )
    sent_most = derived(
        "V_max", "Values that a process sends at most", "the largest of them", **LESS
    )
    waited = derived(
        "V_wait", "Values to wait for", "the longest message of each step, added up", **LESS
    )
    size = derived("S", "Size of a vector", "its values, each of the stated size", BYTE, least=0)
    bytes_mean = derived(
        "B", "Data that a process sends on average", "the same in bytes", BYTE, **LESS
    )
    bytes_most = derived(
        "B_max", "Data that a process sends at most", "the same in bytes", BYTE, **LESS
    )
    bytes_waited = derived("B_wait", "Data to wait for", "the same in bytes", BYTE, **LESS)
    steps = derived("K", "Steps", "both phases together", **LESS)

    def needs(self) -> Iterator[tuple[str, ...]]:
        """The list is cut into as many vectors as there are processes."""
        yield ("processes",)

    def laws(self) -> Iterator[Law]:
        others = self.processes - 1
        yield Holds(self.steps >= others, "what the last one in the ring has goes all the way")
        least = 2 * others * self.length <= self.processes * self.sent_mean
        yield Holds(least, "each value is sent p − 1 times to be reduced, and p − 1 times whole")
        yield Holds(self.sent_most >= self.sent_mean, "the largest is at least the average")
        yield Holds(self.waited >= self.sent_mean, "a message takes as long as it is long")

    def play(self, given: PlayedGivens) -> Outcome:
        """Send every message, and count."""
        stated = question(given, dict(self.shape.reading))
        account = Account(stated, self.declared())
        chunks = stated.route.way == "chunks"
        matters = {
            "op": True,
            "way": True,
            "first": chunks and stated.route.processes > 1,
            "uneven": chunks and bool(stated.length % stated.route.processes),
        }
        return Outcome(
            {**account.values},
            account.steps,
            named=[name for name, does in matters.items() if does],
            idle=[name for name, does in matters.items() if not does],
            says=lambda: words(stated, account.reduced),
            asides=ASIDES,
        )
