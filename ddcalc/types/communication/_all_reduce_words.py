"""What happens in an all-reduce by each algorithm, in words."""

NOUNS = {
    "ring": "a ring",
    "bidirectional": "a ring both ways round",
    "tree": "a binomial tree",
    "double_tree": "the double tree",
    "recursive_doubling": "recursive doubling",
    "halving_doubling": "halving-doubling",
    "two_level": "the two-level algorithm",
    "parameter_server": "a parameter server",
    "naive": "sending everything to everyone",
}

HAPPENS = {
    "ring": (
        "A ring sends many small messages. Each vector is cut into a chunk per worker, and in a"
        " round all workers send a chunk to their neighbours: first to sum the chunks up"
        " (reduce-scatter), then to hand the sums round (all-gather)."
    ),
    "bidirectional": (
        "The ring is used both ways round at once, over a link each way: every chunk is summed up"
        " from both sides, and the sum is handed out to both sides. Nothing goes further than half"
        " way round, so a link carries half of what it does in a ring one way round."
    ),
    "tree": (
        "In each round workers send all their data to a partner, who adds it to its own, until the"
        " root of the tree has the sum; the sum goes back the same way. The messages of one round"
        " pass at the same time, so only the depth of the tree counts."
    ),
    "double_tree": (
        "Two binary trees span the workers; half of the data goes up and down each of them, in many"
        " small blocks that follow each other closely. So the latency of the way up and down counts"
        " only for the first block. But for one at most, a worker passes data on in one tree only."
    ),
    "recursive_doubling": (
        "Recursive doubling sends few large messages. In each round the workers form pairs and"
        " exchange all their data, so that every sum covers twice as many workers as before."
    ),
    "halving_doubling": (
        "Pairs of workers exchange halves of their data and add them up, then other pairs quarters,"
        " and so on, until each worker has the sum of one part. Then the parts are exchanged back,"
        " twice as much in each round."
    ),
    "naive": (
        "Every worker sends all its data to every other one, one message after the other, and adds"
        " up what comes in. Nothing has to be handed round afterwards, but each link carries the"
        " whole data once for every other worker."
    ),
    "all": (
        "Every algorithm pays the latency in each round, and the bandwidth for its messages. Trees"
        " and pairs need few rounds but send all data in many of them; a ring sends little, in many"
        " rounds. So the size of the data decides which one is fastest."
    ),
}
IN_TURN = " All nodes do the inner rounds at the same time; the rounds between nodes come in turn."
WAITING = " In every round some message leaves its node, and the others wait for it."

TWO_LEVEL = {
    "shares": (
        "Inside every node a ring adds up shares of the data, one for each worker; rings between"
        " the nodes add up the same shares of all nodes; then a ring inside hands them round. The"
        " levels take turns, all nodes work at the same time."
    ),
    "leaders": (
        "Inside every node a tree brings all data to one leader. The leaders add up in a ring"
        " between the nodes, and the sum goes back down the trees. The levels take turns, all nodes"
        " work at the same time."
    ),
}

# Reasons of steps

WHY = {
    "ring": "p − 1 to sum the chunks up, p − 1 to hand the sums round",
    "bidirectional": "half way round to add up, half way round to hand out; two rings,"
    " each with half of the data, would take 2(p − 1)",
    "tree": "as deep as the tree, to the root and back",
    "double_tree": "the first block's way to both roots and back; the others follow closely",
    "recursive_doubling": "",
    "halving_doubling": "",
    "two_level": "a ring between the nodes",
    "parameter_server": "messages that the busiest link carries one after the other",
    "naive": "one for every other worker",
}
BETWEEN = WHY | {
    "tree": "between the nodes, as deep as a tree over them, to the root and back",
    "recursive_doubling": "between the nodes",
    "halving_doubling": "between the nodes",
    "naive": "one to every worker of another node",
}
INSIDE = {
    "tree": "to one worker of the node, and back after the rounds between nodes",
    "recursive_doubling": "all nodes at the same time",
    "halving_doubling": "all nodes at the same time",
    "naive": "one to every other worker of the node",
}
OPPOSITE = "where p is even, what goes to or comes from the worker opposite goes half each way"
ONE_BY_ONE = "on one link, message after message"
MOVED = {
    "double_tree": "all data twice: to two children half each, half to each of two parents; less"
    " for fewer than four workers"
}
ONE_LINK = {"ring", "tree", "recursive_doubling", "halving_doubling", "naive"}
MEET = "where both need the same time"
ONE_KIND = (
    "is of no use to the double tree, modelled over links of one kind; leave out the nodes, or what"
    " is said of their links"
)
LEAVING = "in every round some message goes from node to node, and the others wait for it"
UNRANKED = (
    "not ranked: a ring both ways (twice the links), the double tree (blocks without latency)"
)
UNCLEAR = "a round that waits for both kinds of links is then not modelled"


def served(several: bool, apart: bool, back: bool, shared: bool) -> str:
    """What happens with a parameter server: *several* share the data, on machines *apart* from the
    workers or not; the sum goes *back* or not; a server's link is *shared* by all workers."""
    where = "" if apart else ", which run on workers," if several else ", which is one of them,"
    if several:
        sent = f"The data is divided among the servers{where} and every worker sends each its part."
    else:
        sent = f"Every worker sends all its data to the server{where or ''}".rstrip(",") + "."
    sums = " The sums are sent back" if back else " Sending sums back is not counted"
    if shared:
        busy = "a link takes one message after the other, and the busiest one decides"
    else:
        busy = "the messages of different workers pass at the same time, those of one in turn"
    return f"{sent}{sums}; {busy}."
