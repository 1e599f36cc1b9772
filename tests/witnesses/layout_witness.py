"""A model laid out over devices that have numbers, nodes and pods: who sends how much to whom."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from asking import Answers, Question, crossing, witness
from operations_witness import dealt, model_memory, played, rounds, transformer

MOST = 6000  # devices that are numbered
Sizes = dict[str, int]  # of the axes, from the inside
Ring = tuple[Any, Any]  # the bytes that each member sends, and how long it takes


def groups(sizes: Sizes, shared: Sequence[str]) -> list[list[int]]:
    """The devices that differ in the axes *shared* alone."""
    found: dict[tuple[int, ...], list[int]] = {}
    for number, place in enumerate(product(*map(range, [*sizes.values()][::-1]))):
        at = dict(zip([*sizes][::-1], place, strict=True))
        found.setdefault(tuple(at[axis] for axis in sizes if axis not in shared), []).append(number)
    return [*found.values()]


def slowest(q: Question, together: list[list[int]]) -> tuple[Any, Any]:
    """The bandwidth and the latency of the slowest link between numbered devices of some group."""

    def leaves(size: int) -> bool:
        return any(len({one // size for one in group}) > 1 for group in together)

    out = Fraction(q.bandwidth) / (q.oversubscribed if q.pod and leaves(q.pod) else 1)
    lag, inner = q.latency or 0, q.inner_bandwidth
    if leaves(q.node):
        return out, lag
    return (out if inner is None else inner), (lag if q.inner_latency is None else q.inner_latency)


def ring(q: Question, together: list[list[int]], size: Any, hands: int = 1) -> Ring:
    """So many times round a ring, of which each member passes on a part in each round."""
    members, (pace, lag) = len(together[0]), slowest(q, together)
    sent = time = Fraction(0)
    for _ in range(members - 1):
        sent += Fraction(size) / members
        time += lag + Fraction(size) / members / pace
    return sent * hands, time * hands


def of_layers(q: Question, sizes: Sizes, tokens: Any) -> dict[str, tuple[Ring, int]]:
    """What a layer sends for so many *tokens* forward, and how many times as much in all."""
    hands = 2 + (q.recompute == "full")  # forward, backward, and forward again
    array = tokens * q.width * q.value
    narrow = (q.kv_heads or q.heads) * (q.head_size or Fraction(q.width, q.heads)) * q.value
    both = tokens * sizes["context"] * (narrow + narrow) / sizes["tensor"]
    answers = {"tensor": (ring(q, groups(sizes, ["tensor"]), array, 2 * 2), hands)}
    if q.context is not None:
        answers["context"] = ring(q, groups(sizes, ["context"]), both), hands + 1
    if q.expert:
        split = sizes["tensor"] if q.sequence_parallel == "split" else 1
        inside = {"inside": sizes["tensor"] * sizes["context"], "expert": q.expert}
        inside["rest"] = prod(sizes.values()) // prod(inside.values())
        members = groups(inside, ["expert"])
        answers["expert"] = ring(q, members, q.active_experts * array / split, 2), hands
    return answers


def between_stages(q: Question, sizes: Sizes, tokens: Any) -> Ring:
    """What passes on of so many *tokens*, whole or in parts, and how long that takes."""
    cut = sizes["tensor"] if "parts" in q.stage_sends or q.sequence_parallel == "split" else 1
    sent = tokens * q.width * q.value / cut
    pace, lag = slowest(q, groups(sizes, [*sizes][: [*sizes].index("pipeline") + 1]))
    return sent, sent / pace + lag


def held(q: Question, sizes: Sizes, resting: Any, total: Any) -> list[tuple[Any, int]]:
    """The parameters on a device, of how many copies: experts that rest, and all others."""
    slices = sizes["tensor"] * Fraction(q.layers, dealt(q.layers, sizes["pipeline"])[0])
    copies = (q.zero != "none" and q.shards) or sizes["data"] * sizes["context"]
    few = q.expert or 1
    experts = Fraction(resting) / slices / few, copies // few
    return [(Fraction(total - resting) / slices, copies), *([experts] if resting else [])]


def between_copies(q: Question, sizes: Sizes, kept: Sequence[tuple[Any, int]]) -> Ring:
    """Gradients and weights of the parameters *kept* in a step; of shares in the time alone."""
    gradient = {"own": q.gradient, "adam_18": 2 * q.weight, "adam_32": 2 * q.weight}
    summed, few = gradient.get(q.recipe, q.weight), kept[0][1]
    gathers = {"none": [summed], "stage_3": [q.weight, q.weight]}.get(q.zero, [q.weight])
    alike = groups(sizes, ["context", "data"])
    near = [all_[i : i + few] for all_ in alike for i in range(0, len(all_), few)]
    pace, lag = slowest(q, near)
    sent = time = Fraction(0)
    for each in [summed, *gathers]:
        time += (few - 1) * lag * q.often
        for parameters, copies in kept:
            sent += (copies - 1) * Fraction(parameters) * each / copies * q.often
    far = [all_[i::few] for all_ in alike for i in range(few)]  # those with the same share
    share = sum(parameters * summed / copies for parameters, copies in kept)
    return sent, time + sent / pace + ring(q, far, share, 2)[1]


def memory(q: Question, copies: int, slices: Any, resting: Any, total: Any) -> tuple[Any, Any]:
    """What a device holds: experts that rest with a part of the copies, all else, activations."""
    alike = total - resting
    asked = q.but(shards=q.shards or copies, parameters=alike, workers=copies, split=slices)
    if q.gathered is None:
        outside = (q.tables * q.vocabulary + (q.positions or 0)) * q.width
        here = alike + Fraction(resting, q.expert or 1)  # not others' experts
        asked.gathered = (here - outside) / q.layers
    whole = model_memory(asked)
    if "needed" not in whole or not resting:
        return whole.get("needed"), whole.get("offload_time", 0)
    few, among = copies // q.expert, (q.shards or copies) // q.expert
    experts = model_memory(asked.but(parameters=resting / q.expert, shards=among, workers=few))
    moving = (one.get("offload_time", 0) for one in (whole, experts))
    return whole["needed"] + experts["device"], sum(moving)


@witness
def layout(q: Question, tensor: int = 1, pipeline: int = 1, context: int = 1) -> Answers:
    """Every device by its number; a pipeline that is played; bytes added up message by message."""
    data = q.data or q.devices // (tensor * pipeline * context)
    data *= (q.expert or 1) if q.experts_among == "factor" else 1
    batches = q.batch // (data * q.micro_batch)
    counted = transformer(q.but(counts="parts"))
    if max(tensor * context * data, batches) * pipeline > MOST or "per_token" not in counted:
        return {}
    often = batches if q.zero == "stage_3" and q.gathers == "each" else 1
    asked = q.but(tensor=tensor, pipeline=pipeline, micro_batches=batches, often=often)
    sizes = {"tensor": tensor, "context": context, "pipeline": pipeline, "data": data}
    if q.order != "data_last":
        sizes["pipeline"] = sizes.pop("pipeline")
    tokens = Fraction(q.micro_batch * q.sequence, context)
    sends = of_layers(asked, sizes, tokens)
    made = counted.get("made", counted["per_token"])
    computing = made * tokens / tensor / (q.peak * q.utilization)
    parts = [Fraction(n, q.layers) for n in dealt(q.layers, pipeline)]
    answers: Answers = {"copies": data * context, "micro_batches": batches}
    answers |= {"fullest": parts[0] * q.layers, "pass_time": computing * parts[0]}
    layers = dict.fromkeys(sends, q.layers) | {"expert": q.layers - (q.dense_layers or 0)}
    answers["hop_sent"], hop = between_stages(asked, sizes, tokens)
    ahead = Fraction(counted["forward"]) / made * computing
    ways = [ahead, computing - ahead]
    for name, ((sent, time), hands) in sends.items():
        answers[f"{name}_sent"] = sent * hands
        answers[f"{name}_total"] = sent * hands * batches * parts[0] * layers[name]
        shows = (1 - (q.overlapped or 0)) * time * layers[name]
        ways = [ways[0] + shows, ways[1] + shows * (hands - 1)]
    inner = q.expert_inner or q.inner or 4 * q.width  # of experts that are shared out:
    resting = q.matrices * q.width * inner * q.experts * layers["expert"] if q.expert else 0
    sent, exchange = between_copies(asked, sizes, held(asked, sizes, resting, counted["total"]))
    kept, moving = memory(asked, data * context, tensor / parts[0], resting, counted["total"])
    answers |= {"data_sent": sent} | ({} if kept is None else {"memory": kept})
    passed = [*range(pipeline)] * (q.chunks or 1)  # each sends it on, but for the last, and back
    sends_on = Counter(passed[:-1] + passed[1:]) if pipeline > 1 else {0: 0}
    answers["hop_total"] = max(sends_on.values()) * batches * answers["hop_sent"]
    ways = [[way * part for part in parts] for way in ways]
    if (clock := played_time(asked, ways, batches, hop)) is None:
        return answers
    if q.gradients == "along":
        exchange = max(0, exchange - answers["pass_time"] * often)
    moving = max(0, moving - answers["pass_time"] * batches) if q.moves == "along" else moving
    time = clock + exchange + moving + (q.update or 0)
    reached = counted["per_token"] * q.batch * q.sequence / (prod(sizes.values()) * q.peak * time)
    return answers | {"shown": exchange, "time": time, "reached": reached}


def played_time(q: Question, ways: Sequence[Sequence[Any]], batches: int, hop: Any) -> Any:
    """When a pipeline is through whose stages take so long for a micro-batch, each way. Unlike
    ones, and those that hide sends without chunks, begin with all micro-batches forward."""
    chunks, stages, waits = q.chunks or 1, len(ways[0]), q.hops == "waiting"
    if stages * batches * chunks > MOST:
        return None
    own, sent = (hop if stages > 1 else 0, 0) if waits else (0, hop)
    times = dict(zip("fb", ([one / chunks + own for one in way] for way in ways), strict=True))
    if len({*ways[0]}) > 1 or (chunks == 1 and not waits):
        return played(stages, [batches], chunks, times, "gpipe", sent)[0]
    sizes = rounds(stages, batches, chunks)
    return played(stages, sizes, chunks, times, "one_f_one_b", sent)[0]


@witness
def fsdp_tensor(q: Question) -> Answers:
    """Two products of matrices of some width, forward; splits are tried."""
    width, inner, value = 64, q.inner, q.value
    links = q.bandwidth * q.data_axes
    apart = q.inner_bandwidth is not None
    others = (q.inner_bandwidth if apart else q.bandwidth) * q.tensor_axes

    def computing(tokens: Any) -> Any:
        return sum(tokens * width * inner * q.product for _ in "io") / q.peak

    def matrices(parts: Any, pace: Any = links) -> Any:
        return sum(width * inner * value for _ in "io") / parts / pace

    def rows(tokens: Any) -> Any:
        return sum(tokens * width * value for _ in ("gather", "scatter")) / others

    def ratio(tokens: Any, parts: Any) -> Any:
        """Of sending to computing (of a device, as it computes with one of the parts)."""
        sent = matrices(parts), rows(tokens * parts)
        return (sum(sent) if q.together == "added" else max(sent)) / computing(tokens)

    def best(tokens: float) -> tuple[float, float]:
        """The best tensor-parallel devices if each has so many tokens, and the ratio with them."""
        parts = crossing(lambda y: float(rows(tokens * y)) / float(matrices(y)))
        return parts, float(ratio(tokens, parts))

    alone = links if apart else q.bandwidth * (q.data_axes + q.tensor_axes)
    answers = {"alone": crossing(lambda x: float(computing(x)) / float(matrices(1, alone)))}
    answers["most"] = 1 / crossing(lambda y: float(computing(Fraction(1))) * y / float(rows(1)))
    answers["least"] = crossing(lambda x: 1 / best(x)[1])
    if q.devices:
        tokens = Fraction(q.batch) / q.devices
        answers["best_tensor"], answers["best_ratio"] = best(float(tokens))
        if q.tensor:
            answers["ratio"] = ratio(tokens, q.tensor)
    return answers
