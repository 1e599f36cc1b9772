"""Who takes part: workers, perhaps in nodes, perhaps with servers."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.algebra import Sym, same
from ddcalc.collectives.algorithms import Setting
from ddcalc.collectives.cost import Ranks
from ddcalc.collectives.message import Message
from ddcalc.problem import Condition
from ddcalc.quantity import choice, count, derived, duration, rate


class Places(Message):
    """Workers that reduce a message, with links of one kind, or of another kind inside nodes."""

    workers = count("p", "workers", optional=True, example="16")
    nodes = count("q", "nodes, for two levels", optional=True)
    workers_per_node = count("k", "workers in each node", optional=True)
    inner_latency = duration("alpha_in", "latency inside a node", optional=True, group="latency")
    inner_bandwidth = rate(
        "B_in", "bandwidth inside a node", optional=True, group="transfer inside nodes"
    )
    servers = count("s", "servers that share the parameters", optional=True)

    factor = choice(
        "what a ring sends",
        exact="a ring sends 2(p − 1)/p of the data",
        two="a ring's factor 2(p − 1)/p is taken to be 2",
    )
    levels = choice(
        "two levels",
        shares="each worker takes its share of the data between the nodes",
        leaders="one leader for each node takes all data between the nodes",
    )
    uplink = choice(
        "the way out of a node",
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
        one_each="the server has a link for each worker",
    )
    ways = choice(
        "what the server sends",
        both="the server gathers the data and sends the sum back",
        gather="sending the sum back is left out",
    )

    all_workers = derived("p_all", "Workers in all", "every node has as many")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield from super().needs()
        if self.states("nodes"):
            yield ("workers_per_node",)
        yield "workers", "nodes"

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        if self.states("workers") and self.states("nodes"):
            yield Condition(
                same(self.workers, self.nodes * self.workers_per_node),
                "workers",
                "is not {nodes} times {workers_per_node}, as many as the nodes have",
            )
        if self.states("servers") and self.server == "worker" and self.states("workers"):
            yield Condition(
                self.servers <= self.workers, "servers", "is more than the {workers worker}"
            )

    @property
    def ranks(self) -> Sym:
        """The letter of the number of workers."""
        found: Sym = self.workers if self.states("workers") else self.all_workers
        return found

    def setting(self, ranks: Ranks) -> Setting:
        """Who takes part, for the algorithms."""
        several = self.states("nodes")
        return Setting(
            ranks,
            nodes=self.nodes if several else None,
            each=self.workers_per_node if several else None,
            servers=self.servers if self.states("servers") else None,
            exact=self.factor == "exact",
            leaders=self.levels == "leaders",
            shared_uplink=self.uplink == "shared",
            own_server=self.server == "apart",
            shared_link=self.server_link == "shared",
            back=self.ways == "both",
        )
