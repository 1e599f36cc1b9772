"""A model laid out over devices that have numbers, nodes and pods: who sends how much to whom."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from asking import Question, crossing, witness
from operations_witness import layers_dealt, model_memory, played, rounds, transformer

MOST = 6000  # devices that are numbered
Ring = tuple[Any, Any]  # the bytes that each member sends, and how long it takes


def groups(sizes: dict[str, int], shared: Sequence[str]) -> list[list[int]]:
    """The devices that differ in the axes *shared* alone; *sizes* has the axes from the inside."""
    found: dict[tuple[int, ...], list[int]] = {}
    for number, place in enumerate(product(*map(range, [*sizes.values()][::-1]))):
        at = dict(zip([*sizes][::-1], place, strict=True))
        found.setdefault(tuple(at[axis] for axis in sizes if axis not in shared), []).append(number)
    return [*found.values()]


class Links:
    """The links between numbered devices."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def slowest(self, together: list[list[int]]) -> tuple[Any, Any]:
        """The bandwidth and the latency of the slowest link that some group uses."""
        question = self.question
        node, pod = question["node"], question.get("pod")
        far = any(len({one // node for one in group}) > 1 for group in together)
        leaves = pod and any(len({one // pod for one in group}) > 1 for group in together)
        out = Fraction(question["bandwidth"]) / (question["oversubscribed"] if leaves else 1)
        pace = out if far else question.get("inner_bandwidth", out)
        lag = question.get("latency", 0)
        return pace, lag if far else question.get("inner_latency", lag)

    def ring(self, together: list[list[int]], size: Any, hands: int = 1) -> Ring:
        """So many times round a ring, of which each member passes on a part in each round."""
        members, (pace, lag) = len(together[0]), self.slowest(together)
        sent = time = Fraction(0)
        for _ in range(members - 1):
            sent += Fraction(size) / members
            time += lag + Fraction(size) / members / pace
        return sent * hands, time * hands


def of_layers(
    question: Question, links: Links, sizes: dict[str, int], rows: Any
) -> dict[str, Ring]:
    """What a layer sends for a micro-batch of so many *rows* (tokens)."""
    hands = 2 + (question["recompute"] == "full")  # forward, backward, and forward again
    value, width = question["value"], question["width"]
    array = rows * width * value
    answers = {"tensor": links.ring(groups(sizes, ["tensor"]), array, hands * 2 * 2)}
    size = question.get("head_size", Fraction(width, question["heads"]))
    narrow = question.get("kv_heads", question["heads"]) * size * value
    both = rows * sizes["context"] * (narrow + narrow) / sizes["tensor"]
    answers["context"] = links.ring(groups(sizes, ["context"]), both, hands + 1)
    if "expert" in question:
        split = sizes["tensor"] if question["sequence_parallel"] == "split" else 1
        tokens = question["active_experts"] * array / split
        inside = {"inside": sizes["tensor"] * sizes["context"], "expert": question["expert"]}
        rest = prod(sizes.values()) // prod(inside.values())
        pace, lag = links.slowest(groups(inside | {"rest": rest}, ["inside", "expert"]))
        others = range(1, question["expert"])
        sent = sum((tokens / question["expert"] for _ in others), Fraction(0))
        once = sum((lag + tokens / question["expert"] / pace for _ in others), Fraction(0))
        answers["expert"] = sent * hands * 2, once * hands * 2
    return answers


def between_stages(question: Question, links: Links, sizes: dict[str, int], rows: Any) -> Ring:
    """What passes on of so many *rows*, whole or in parts, and how long that takes."""
    parts = question["stage_sends"] == "parts" or question["sequence_parallel"] == "split"
    sent = rows * question["width"] * question["value"] / (sizes["tensor"] if parts else 1)
    axes = [*sizes]
    pace, lag = links.slowest(groups(sizes, axes[: axes.index("pipeline") + 1]))
    return sent, sent / pace + lag


def held(
    question: Question, sizes: dict[str, int], resting: Any, total: Any
) -> list[tuple[Any, int]]:
    """The parameters on a device, of how many copies: experts that rest, and all others."""
    full = Fraction(question["layers"], layers_dealt(question["layers"], sizes["pipeline"])[0])
    slices, copies = sizes["tensor"] * full, sizes["data"] * sizes["context"]
    copies = question.get("shards", copies) if question["zero"] != "none" else copies
    others = Fraction(total - resting) / slices, copies
    if not resting:
        return [others]
    few = question["expert"]
    return [others, (Fraction(resting) / slices / few, copies // few)]


def between_copies(
    question: Question, links: Links, sizes: dict[str, int], kept: Sequence[tuple[Any, int]]
) -> Ring:
    """Gradients and weights of the parameters *kept* in a step; of shares in the time alone."""
    weight, recipe, zero = question["weight"], question["recipe"], question["zero"]
    gradient = {"own": question.get("gradient"), "adam_18": 2 * weight, "adam_32": 2 * weight}
    summed, few = gradient.get(recipe, weight), kept[0][1]
    gathers = {"none": [summed], "stage_3": [weight, weight]}.get(zero, [weight])
    times = question["often"]
    alike = groups(sizes, ["context", "data"])
    near = [all_[i : i + few] for all_ in alike for i in range(0, len(all_), few)]
    pace, lag = links.slowest(near)
    sent = time = Fraction(0)
    for parameters, copies in kept:
        for each in [summed, *gathers]:
            for _ in range(copies - 1):
                sent += Fraction(parameters) * each / copies * times
    for _ in [summed, *gathers]:
        time += (few - 1) * lag * times
    far = [all_[i::few] for all_ in alike for i in range(few)]  # those with the same share
    return sent, time + sent / pace + links.ring(far, kept[0][0] * summed / few, 2)[1]


def memory(question: Question, copies: int, slices: Any, resting: Any, total: Any) -> Any:
    """What a device holds: experts that rest with a part of the copies, all else, activations."""
    asked = {"shards": copies, **question, "split": slices, "workers": copies}
    asked |= {"parameters": total - resting, "capacity": Fraction(1)}
    outside = question["tables"] * question["vocabulary"] + question.get("positions", 0)
    here = total - resting + Fraction(resting, question.get("expert", 1))  # not others' experts
    asked.setdefault("gathered", (here - outside * question["width"]) / question["layers"])
    whole = model_memory(asked)
    if "needed" not in whole:
        return None
    if not resting:
        return whole["needed"]
    few = copies // question["expert"]
    asked |= {"parameters": resting / question["expert"], "shards": few, "workers": few}
    experts = model_memory(asked)
    return whole["needed"] + experts["device"]


def resting_experts(question: Question, total: Any) -> Any:
    """The parameters of experts that are shared out: without those that every token passes."""
    if "expert" not in question:
        return 0
    one = question["matrices"] * question["width"]
    one *= question.get("expert_inner", question.get("inner", 4 * question["width"]))
    return one * question["experts"] * (question["layers"] - question.get("dense_layers", 0))


@witness("layout")
def layout(question: Question) -> dict[str, Any]:
    """Every device by its number; a pipeline that is played; bytes added up message by message."""
    tensor, stages, context = (question.get(k, 1) for k in ("tensor", "pipeline", "context"))
    data = question.get("data") or question["devices"] // (tensor * stages * context)
    data *= question.get("expert", 1) if question.get("experts_among") == "factor" else 1
    batches = question["batch"] // (data * question["micro_batch"])
    if tensor * stages * context * data > MOST or stages * batches > MOST:
        return {}
    counted = transformer({**question, "counts": "parts"})
    if "per_token" not in counted:
        return {}
    asked = {**question, "tensor": tensor, "pipeline": stages, "micro_batches": batches}
    often = question["zero"] == "stage_3" and question["gathers"] == "each"
    asked["often"] = batches if often else 1
    outer = {"data": data, "pipeline": stages}
    if question["order"] == "data_last":
        outer = {"pipeline": stages, "data": data}
    sizes = {"tensor": tensor, "context": context, **outer}
    links = Links(asked)
    rows = Fraction(question["micro_batch"] * question["sequence"], context)
    sends = of_layers(asked, links, sizes, rows)
    made, devices = counted.get("made", counted["per_token"]), prod(sizes.values())
    if question["kernel"] == "flash" and question["recompute"] != "selective":
        made += Fraction(counted["scoring"], 2)  # of two products the first
    computing = made * rows / tensor / (question["peak"] * question["utilization"])
    parts = [Fraction(n, question["layers"]) for n in layers_dealt(question["layers"], stages)]
    answers: dict[str, Any] = {f"{name}_sent": sent for name, (sent, _) in sends.items()}
    answers |= {"copies": data * context, "micro_batches": batches}
    answers |= {"fullest": parts[0] * question["layers"], "pass_time": computing * parts[0]}
    if "context" not in question:
        del answers["context_sent"]
    layers = dict.fromkeys(sends, question["layers"])
    layers["expert"] = question["layers"] - question.get("dense_layers", 0)
    traffic = sum(time * layers[name] for name, (_, time) in sends.items())
    answers["hop_sent"], hop = between_stages(asked, links, sizes, rows)
    busy = [(computing + (1 - question.get("overlapped", 0)) * traffic) * part for part in parts]
    resting = resting_experts(question, counted["total"])
    own = held(asked, sizes, resting, counted["total"])
    sent, exchange = between_copies(asked, links, sizes, own)
    kept = memory(asked, data * context, tensor / parts[0], resting, counted["total"])
    answers |= {"data_sent": sent} | ({} if kept is None else {"memory": kept})
    clock = played_time(asked, busy, batches, hop)
    if clock is None:
        return answers
    if question["gradients"] == "along":
        exchange = max(0, exchange - answers["pass_time"] * asked["often"])
    answers["shown"] = exchange
    answers["time"] = clock + exchange + question.get("update", 0)
    tokens = question["batch"] * question["sequence"]
    peak = devices * question["peak"]
    return answers | {"reached": counted["per_token"] * tokens / (peak * answers["time"])}


def played_time(question: Question, busy: Sequence[Any], batches: int, hop: Any) -> Any:
    """When a pipeline is through whose stages are so *busy* with a micro-batch.

    Where stages do not wait for sends, all micro-batches go forward first, so that sends show
    while the first one passes; that cannot be played with several chunks.
    """
    chunks, stages = question.get("chunks", 1), len(busy)
    if stages * batches * chunks > MOST:
        return None
    sizes = rounds(stages, batches, chunks)
    if question["hops"] == "waiting":
        each = [Fraction(one) / chunks + (2 * hop if stages > 1 else 0) for one in busy]
        times = {"f": [Fraction(0)] * stages, "b": each}
        return played(stages, sizes, chunks, times, "one_f_one_b")[0]
    if chunks > 1 and stages > 1:
        return None
    times = {"f": [Fraction(one) / 3 for one in busy], "b": [Fraction(one) * 2 / 3 for one in busy]}
    return played(stages, [batches], 1, times, "gpipe", hop)[0]


@witness("fsdp-tensor")
def fsdp_tensor(question: Question) -> dict[str, Any]:
    """Two products of matrices of some width, forward; splits are tried."""
    width, inner, value = 64, question["inner"], question["value"]
    links = question["bandwidth"] * question["data_axes"]
    others = question.get("inner_bandwidth", question["bandwidth"]) * question["tensor_axes"]

    def computing(tokens: Any) -> Any:
        return sum(tokens * width * inner * question["product"] for _ in "io") / question["peak"]

    def matrices(parts: Any, pace: Any = links) -> Any:
        return sum(width * inner * value for _ in "io") / parts / pace

    def rows(tokens: Any) -> Any:
        return sum(tokens * width * value for _ in ("gather", "scatter")) / others

    def both(one: Any, two: Any) -> Any:
        return one + two if question["together"] == "added" else max(one, two)

    def best(tokens: float) -> tuple[float, float]:
        """The best tensor-parallel devices if each has so many tokens, and the ratio with them."""
        own = computing(tokens)  # of a device, as it computes with one of the parts
        parts = crossing(lambda y: float(rows(tokens * y)) / float(matrices(y)))
        return parts, float(both(matrices(parts), rows(tokens * parts))) / float(own)

    axes = question["data_axes"] + question["tensor_axes"]
    alone = links if "inner_bandwidth" in question else question["bandwidth"] * axes
    answers: dict[str, Any] = {
        "alone": crossing(lambda x: float(computing(x)) / float(matrices(1, alone))),
        "most": 1 / crossing(lambda y: float(computing(Fraction(1))) * y / float(rows(1))),
        "least": crossing(lambda x: 1 / best(x)[1]),
    }
    if "devices" not in question:
        return answers
    tokens = Fraction(question["batch"]) / question["devices"]
    answers["best_tensor"], answers["best_ratio"] = best(float(tokens))
    if "tensor" in question:
        cut = question["tensor"]
        answers["ratio"] = both(matrices(cut), rows(tokens * cut)) / computing(tokens)
    return answers
