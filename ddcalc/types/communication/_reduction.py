"""What a question about an all-reduce states, what its options are, and what follows from it."""

from __future__ import annotations

from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.quantity import choice, count, derived, duration, facts, rate
from ddcalc.types.communication._algorithms import ALGORITHMS, ALSO
from ddcalc.types.communication._all_reduce_words import ONE_BY_ONE
from ddcalc.types.communication._message import Message


class Reduction(Message):
    """Vectors of as many workers, to be added up: over which links, by which algorithm."""

    workers = count("p", "workers", optional=True, example="16")
    nodes = count("q", "nodes of workers", optional=True)
    workers_per_node = count("k", "workers in each node", optional=True)
    inner_latency = duration(
        "alpha_in", "latency inside a node", optional=True, group="latency",
        filled_by=facts("inner_link.latency"),
    )  # fmt: skip
    inner_bandwidth = rate(
        "B_in", "bandwidth inside a node", optional=True, group="transfer inside nodes",
        filled_by=facts("inner_link.bandwidth"),
    )  # fmt: skip
    servers = count("s", "servers that share the parameters", optional=True)
    reduce = rate("g", "how fast a worker adds up", optional=True, group="adding up")
    calls = count("c", "calls, one after the other", optional=True)

    factor = choice(
        "what a ring sends",
        exact="a ring sends 2(p − 1)/p of the data",
        two="a ring sends the data twice, as for large p",
    )
    partners = choice(
        "the order of partners in halving-doubling",
        near="halving-doubling starts with partners inside the node",
        far="halving-doubling starts with partners in other nodes",
    )
    levels = choice(
        "two levels",
        shares="each worker takes its share of the data between the nodes",
        leaders="a tree brings all data of a node to a leader; only leaders send between nodes",
    )
    uplink = choice(
        "links out of a node",
        own="each worker has its own link out of the node",
        shared="the workers of a node share one link out",
    )
    server = choice(
        "where the server runs",
        apart="the server is a machine of its own",
        worker="the server is one of the workers",
    )
    server_link = choice(
        "the server's links",
        shared="all workers share the server's link",
        one_each="the server has a link for each worker, who has one link for all servers",
    )
    ways = choice(
        "what the server sends",
        both="the server gathers the data and sends the sum back",
        gather="sending the sum back is left out",
    )
    algorithm = choice(
        "the algorithm",
        **ALGORITHMS,
        all="every algorithm, the fastest one counts",
        also=ALSO,
    )
    versus = choice(
        "an algorithm to compare with",
        none="compared with no other one",
        **{name: f"to compare with: {says}" for name, says in ALGORITHMS.items()},
        also=ALSO,
    )
    reduction = choice(
        "adding up", counted="adding up takes time, as stated", left_out="adding up takes no time"
    )
    all_workers = derived("p_all", "Workers in all", "every node has as many")
    depth = derived("h", "Doublings that reach all workers", "rounded up")
    doublings = derived("d", "Doublings within the workers", "below h if p is not a power of two")
    core = derived("m", "The largest power of two within p", "the workers beyond it go first")
    inner_depth = derived("h_in", "Doublings that reach all workers of a node", "rounded up")
    inner_doublings = derived(
        "d_in",
        "Doublings within the workers of a node",
        "below h_in if k is not a power of two",
    )
    inner_core = derived(
        "m_in", "The largest power of two within k", "a node's workers beyond it go first"
    )
    outer_depth = derived("h_out", "Doublings that reach all nodes", "rounded up")
    outer_doublings = derived(
        "d_out",
        "Doublings within the number of nodes",
        "below h_out if q is not a power of two",
    )
    outer_core = derived(
        "m_out", "The largest power of two within q", "the nodes beyond it go first"
    )
    slowest_latency = derived(
        "alpha_w", "Latency that a round waits for", "of the slowest message", SECOND
    )
    slowest_bandwidth = derived(
        "B_w", "Bandwidth that a round waits for", "of the slowest message", BYTE_PER_SECOND
    )
    inner_rounds = derived("R_in", "Rounds inside a node", "before and after those between nodes")
    inner_moved = derived("D_in", "Bytes inside a node", ONE_BY_ONE, BYTE)
    rounds = derived("R", "Rounds", "")
    chunk = derived("C", "One message", "", BYTE)
    round_time = derived(
        "t_1", "One round", "the message starts, then its bytes pass the link", SECOND
    )
    moved = derived("D", "Bytes in these rounds", ONE_BY_ONE, BYTE)
    latency_time = derived("t_lat", "Latency", "each round waits for it once", SECOND)
    transfer_time = derived("t_move", "Transfer", "the bytes pass the link", SECOND)
    added = derived("A", "Bytes added up", "one after the other", BYTE)
    reduction_time = derived("t_add", "Adding up", "", SECOND)
    ring = derived("t_ring", "Ring", "reduce-scatter, then all-gather", SECOND)
    tree = derived("t_tree", "Tree", "reduce to a root, then broadcast", SECOND)
    recursive_doubling = derived("t_rd", "Recursive doubling", "pairs exchange all data", SECOND)
    halving_doubling = derived("t_hd", "Halving-doubling", "halves, and back", SECOND)
    two_level = derived("t_two", "Two levels", "inside each node, then between them", SECOND)
    parameter_server = derived("t_ps", "Parameter server", "all data in, the sum back", SECOND)
    naive = derived("t_naive", "Everyone to everyone", "all data to all others", SECOND)
    call = derived("t_call", "One call", "nothing of it overlaps", SECOND)
    time = derived("T", "Time", "nothing of it overlaps", SECOND, better="less")
    sent = derived("V", "Bytes that a worker sends", "the busiest one", BYTE, better="less")
    algorithm_bandwidth = derived(
        "b_alg", "Algorithm bandwidth", "size by time", BYTE_PER_SECOND, better="more"
    )
    bus_bandwidth = derived(
        "b_bus", "Bus bandwidth", "a rank's part of 2(p − 1) transfers, by time", BYTE_PER_SECOND,
        better="more",
    )  # fmt: skip
    other = derived("T_x", "The other algorithm", "", SECOND)
    start = derived("a", "Its time without any data", "", SECOND)
    slope = derived("b", "Its time for each byte", "", SECOND.per(BYTE))
    other_start = derived("a_x", "The other's without any data", "", SECOND)
    other_slope = derived("b_x", "The other's for each byte", "", SECOND.per(BYTE))
    crossover = derived(
        "S_eq", "Both take as long", "at a size where the two lines meet", BYTE,
        noun="size at which both take as long",
    )  # fmt: skip
