"""What happens in a collective operation, by how it is sent, in words."""

NOUNS = {
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "all_to_all": "all-to-all",
    "gather": "gather",
    "scatter": "scatter",
}

WANTED = {
    "all_gather": "Every worker has one part of an array, and all of them need the whole array.",
    "reduce_scatter": "Every worker has an array, and each of them needs one part of their sum.",
    "broadcast": "One worker has an array that all others need.",
    "reduce": "Every worker has an array, and one of them needs the sum.",
    "all_to_all": "Every worker has one part of its data for every other worker.",
    "gather": "Every worker has one part of an array that one of them, the root, needs whole.",
    "scatter": "One worker, the root, has an array of which every other one needs its part.",
}

_SWITCH = "Through a switch everyone reaches everyone: in each round every worker sends one part to"
SENT = {
    "ring": {
        "all_gather": (
            "In each round every worker passes a part on to its neighbour, all at the same time:"
            " first its own, then the one that has just come in."
        ),
        "reduce_scatter": (
            "In each round every worker passes a part on to its neighbour, who adds its own, all at"
            " the same time, until every part has collected all arrays."
        ),
        "broadcast": (
            "It is handed on whole from worker to worker round the ring; nobody sends it on before"
            " all of it has come in."
        ),
        "reduce": (
            "The sum so far is handed on whole from worker to worker round the ring; each adds its"
            " own array before it sends."
        ),
        "all_to_all": (
            "Parts for workers further away pass through those between. So all parts that have not"
            " arrived move on by one worker in each round, one part fewer each time."
        ),
        "gather": (
            "The parts are handed on from worker to worker; one of them comes in at the root in"
            " each round, over the same link."
        ),
        "scatter": (
            "In each round the root sends one part, for the worker furthest away first; the others"
            " hand on what is not for them at the same time."
        ),
    },
    "bidirectional": {
        "all_gather": (
            "Parts are handed on both ways round at once, over a link each way. Nothing goes"
            " further than half way round, and each link carries half of the bytes."
        ),
        "reduce_scatter": (
            "Parts are handed on and added up both ways round at once, over a link each way."
            " Nothing goes further than half way round, and each link carries half of the bytes."
        ),
        "broadcast": (
            "It is handed on whole from worker to worker, both ways round at once, so that it has"
            " to go half way round only."
        ),
        "reduce": (
            "Sums are handed on whole from worker to worker, from both sides at once, so that they"
            " have to go half way round only."
        ),
        "all_to_all": (
            "Every part takes the shorter way round, handed on by the workers between; both"
            " directions are used at once."
        ),
        "gather": (
            "The parts come to the root from both sides at once, over a link each, which carries"
            " half of the bytes."
        ),
        "scatter": (
            "The root sends the parts to both sides at once, over a link each, which carries half"
            " of the bytes."
        ),
    },
    "pairs": {
        "all_gather": f"{_SWITCH} another one, all at the same time, until all have all parts.",
        "reduce_scatter": (
            f"{_SWITCH} the one who needs its sum, all at the same time, until everyone has sent to"
            " all."
        ),
        "broadcast": "The root sends it through the switch to one worker after the other.",
        "reduce": "One worker after the other sends its array through the switch to the root.",
        "all_to_all": f"{_SWITCH} the one it is for, all at the same time.",
        "gather": "One worker after the other sends its part through the switch to the root.",
        "scatter": "The root sends the parts through the switch, one after the other.",
    },
    "tree": {
        "all_gather": (
            "In each round every worker sends the parts it has to another one, twice as far away as"
            " before. So what everyone has doubles, and few rounds do."
        ),
        "reduce_scatter": (
            "In each round pairs exchange the half of their data that the other one's side needs,"
            " and add it up. So messages halve, and few rounds do."
        ),
        "broadcast": (
            "In each round everyone who has it sends it to one who does not. So twice as many have"
            " it, and few rounds do."
        ),
        "reduce": (
            "In each round workers send their sums to a partner, who adds its own. So about half as"
            " many sums are left, and few rounds do."
        ),
        "all_to_all": (
            "In each round every worker sends half of its data to another one, twice as far away as"
            " before; parts reach their worker by way of others (Bruck). So few rounds do, but"
            " parts are sent several times."
        ),
        "gather": (
            "In each round workers send all the parts they have to a partner nearer to the root. So"
            " messages double, and few rounds do."
        ),
        "scatter": (
            "In each round workers hand the parts that a partner and those behind it need on to"
            " that partner. So messages halve, and few rounds do."
        ),
    },
}

ROUNDS = {
    "ring": "one for every other worker",
    "bidirectional": "half way round",
    "pairs": "one for every other worker",
    "tree": "each reaches twice as many workers",
}
