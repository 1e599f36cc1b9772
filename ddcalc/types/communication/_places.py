"""Who takes part: workers, perhaps in nodes, perhaps with servers."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, same
from ddcalc.problem.problem import Condition
from ddcalc.problem.quantity import choice, count, derived, duration, rate
from ddcalc.types.communication._algorithms import Setting
from ddcalc.types.communication._cost import Ranks
from ddcalc.types.communication._message import Message


class Places(Message):
    """Workers that reduce a message, with links of one kind, or of another kind inside nodes."""

    workers = count("p", "workers", optional=True, example="16")
    nodes = count("q", "nodes of workers", optional=True)
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
    partners = choice(
        "the order of partners in halving-doubling",
        near="halving-doubling starts with partners inside the node",
        far="halving-doubling starts with partners in other nodes",
    )
    levels = choice(
        "two levels",
        shares="each worker takes its share of the data between the nodes",
        leaders="one leader for each node takes all data between the nodes",
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
        if self.states("servers") and self.server == "worker":
            every = self.workers
            if not self.states("workers"):
                every = self.nodes * self.workers_per_node
            yield Condition(
                self.servers <= every, "servers", "is more than there are workers to run on"
            )

    @property
    def ranks(self) -> Expr:
        """The letter of the number of workers."""
        return self.workers if self.states("workers") else self.all_workers

    def setting(self, ranks: Ranks, inner: Ranks | None, outer: Ranks | None) -> Setting:
        """Who takes part, for the algorithms; *inner* and *outer* where there are nodes."""
        return Setting(
            ranks,
            inner,
            outer,
            servers=self.servers if self.states("servers") else None,
            exact=self.factor == "exact",
            near=self.partners == "near",
            leaders=self.levels == "leaders",
            shared_uplink=self.uplink == "shared" and outer is not None,
            own_server=self.server == "apart",
            shared_link=self.server_link == "shared",
            back=self.ways == "both",
        )

    @property
    def inner_links(self) -> bool:
        """Whether links inside of nodes are of another kind."""
        return self.states("nodes") and (
            self.states("inner_latency") or self.states("inner_bandwidth")
        )
