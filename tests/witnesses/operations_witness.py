"""Running a large training: pipelines, memory, checkpoints, steps, and what machines cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil, comb, floor, prod
from typing import Any

from asking import Question, crossing, lowest, witness
from mpmath import mp, mpf

# forward, backward or the gradient of the weights; the micro-batch, the chunk
Pass = tuple[str, int, int]


def rounds(stages: int, batches: int, chunks: int) -> list[int]:
    """How many micro-batches pass all chunks together: of as many as the stages, or a few more."""
    if chunks == 1:
        return [batches]
    number = max(1, batches // stages)
    return [batches // number + (i < batches % number) for i in range(number)]


def passes(stage: int, stages: int, sizes: list[int], chunks: int, how: str) -> list[Pass]:
    """The passes of a stage, in the order of GPipe, of 1F1B, or of Megatron-LM with chunks.

    Zero-bubble schedules put off the gradients of weights, the later stages by more: all stages
    keep as much, at most a micro-batch for each stage, or about two.
    """
    forward: list[tuple[int, int]] = []
    first = 0
    for size in sizes:
        forward += [(first + i, chunk) for chunk in range(chunks) for i in range(size)]
        first += size
    after, late = stages - stage - 1, stage * {"zb_h1": 1, "zb_h2": 2}.get(how, 0)
    after *= 2 if how == "zb_h2" else 1
    ahead = after if chunks == 1 else 2 * after + (chunks - 1) * max(sizes)
    ahead = len(forward) if how == "gpipe" else min(ahead, len(forward))
    answers: list[Pass] = [("f", *item) for item in forward[:ahead]]
    for k, (batch, chunk) in enumerate(forward):
        answers += [("f", *item) for item in forward[ahead + k : ahead + k + 1]]
        answers.append(("b", batch, chunks - 1 - chunk))
        answers += [("w", batch - late, 0)] if how.startswith("zb") and batch >= late else []
    due = range(max(0, len(forward) - late), len(forward)) if how.startswith("zb") else ()
    return answers + [("w", batch, 0) for batch in due]


def before(item: Pass, stage: int, stages: int, chunks: int) -> Iterator[tuple[Pass, int]]:
    """What has to be done before this pass, and on which stage."""
    kind, batch, chunk = item
    if kind == "w":
        yield ("b", batch, chunk), stage
    elif kind == "b":
        yield ("f", batch, chunk), stage
        if stage < stages - 1:
            yield ("b", batch, chunk), stage + 1
        elif chunk < chunks - 1:
            yield ("b", batch, chunk + 1), 0
    elif stage:
        yield ("f", batch, chunk), stage - 1
    elif chunk:
        yield ("f", batch, chunk - 1), stages - 1


def layers_dealt(layers: int, stages: int) -> list[int]:
    """How many layers each stage gets if they are dealt out one by one."""
    return [len(range(stage, layers, stages)) for stage in range(stages)]


def played(
    stages: int, sizes: list[int], chunks: int, times: dict[str, list[Any]], how: str, send: Any = 0
) -> tuple[Any, int]:
    """When the last pass ends, and how many chunk passes' activations the first stage keeps; with
    ZB-H2 the time from the first to the last pass of a stage, as no stage waits in between."""
    left = [passes(stage, stages, sizes, chunks, how)[::-1] for stage in range(stages)]
    kept = most = 0
    for kind, _, _ in left[0][::-1]:
        kept += {"f": 1, "b": 0 if how.startswith("zb") else -1, "w": -1}[kind]
        most = max(most, kept)
    ends: dict[tuple[Pass, int], Any] = {}
    free = [0] * stages
    while any(left):
        for stage, waiting in enumerate(left):
            while waiting:
                needs = [*before(waiting[-1], stage, stages, chunks)]
                if not all(need in ends for need in needs):
                    break
                item = waiting.pop()
                sent = (ends[one, at] + (send if at != stage else 0) for one, at in needs)
                start = max([free[stage], *sent])
                ends[item, stage] = free[stage] = start + times[item[0]][stage]
    if how != "zb_h2":
        return max(free), most
    first = [min(ends[item] for item in ends if item[1] == at) for at in range(stages)]
    return max(end - one for end, one in zip(free, first, strict=True)) + times["f"][0], most


@witness("pipeline")
def pipeline(question: Question) -> dict[str, Any]:
    """Stages that are played pass by pass; several times of a way are those of the stages."""
    forward, batches = question.get("forward", Fraction(1)), question["micro_batches"]
    backward = question.get("backward", Fraction(0 if "forward" in question else 2))
    listed = [way for way in (forward, backward) if isinstance(way, tuple)]
    stages = len(listed[0]) if listed else question["stages"]
    chunks, how, send = question.get("chunks", 1), question["schedule"], question.get("send", 0)
    if stages * batches * chunks > 3000:
        return {}
    ways = (way if isinstance(way, tuple) else (way,) * stages for way in (forward, backward))
    again = question["recompute"] == "full" and "backward" in question
    pairs = [(Fraction(f), b + f if again else b) for f, b in zip(*ways, strict=True)]
    weight = question.get("weight", Fraction(1)) if how.startswith("zb") else 0
    times = {"f": [f / chunks for f, _ in pairs], "w": [weight] * stages}
    times["b"] = [Fraction(b - weight, chunks) for _, b in pairs]
    end, most = played(stages, rounds(stages, batches, chunks), chunks, times, how, send)
    each = [f + b for f, b in pairs]
    one = sum(each) / stages
    working = batches * one
    answers: dict[str, Any] = {
        "idle": (end - working) / one,
        "bubble": (end - working) / (end if question["part_of"] == "whole" else working),
        "efficiency": Fraction(working) / end,
    }
    if "forward" in question:
        answers |= {"pass_time": one, "ideal_time": working, "batch_time": end}
        answers["waiting"] = end - working
        if "samples" in question:
            answers["throughput"] = batches * question["samples"] / end
    if listed:
        answers["stage_times"] = tuple(each)
        answers["stage_waits"] = tuple(end - batches * busy for busy in each)
    if "activations" in question:
        answers["memory"] = most * question["activations"] / chunks
        answers["kept"] = Fraction(most, chunks)
    return answers


@witness("layer-split")
def layer_split(question: Question) -> dict[str, Any]:
    """Every way to cut the layers; of the best ones that with the most in the first stages."""
    times, stages = question["times"], question["stages"]
    if comb(len(times) - 1, stages - 1) > 3000:
        return {}
    cuts = combinations(range(1, len(times)), stages - 1)
    ways = [[times[a:b] for a, b in pairwise((0, *cut, len(times)))] for cut in cuts]
    least = min(max(map(sum, way)) for way in ways)
    best = [way for way in ways if max(map(sum, way)) == least]
    first = max(best, key=lambda way: [*map(len, way)])
    mean = Fraction(sum(times), stages)
    answers = {"sizes": tuple(map(len, first)), "stage_times": tuple(map(sum, first))}
    return answers | {"largest": least, "mean": mean, "balance": mean / least}


Tensor = tuple[Any, ...]  # its shape


def attention_tensors(question: Question) -> Iterator[Tensor]:
    """The matrices of attention of one layer."""
    width, heads = question["width"], question["heads"]
    size = question.get("head_size", Fraction(width, heads))
    for of in (heads, *(2 * [question.get("kv_heads", heads)]), heads):
        yield width, of * size


def fed_forward(question: Question, inner: Any) -> Iterator[Tensor]:
    """The matrices of one feed-forward part: into it (and its gate), and out of it."""
    for _ in range(question["matrices"]):
        yield inner, question["width"]


def layer_tensors(question: Question, layer: int) -> dict[str, list[Tensor]]:
    """Whatever a layer holds, by kind; its experts that rest are apart."""
    width, inner = question["width"], question.get("inner", 4 * question["width"])
    held: dict[str, list[Tensor]] = {"attention": [*attention_tensors(question)]}
    if "attention_parameters" in question:
        held["attention"] = [(question["attention_parameters"],)]
    held["vectors"] = [(question.get("norms", 2), width)] * question.get("norm_vectors", 1)
    if "biases" in question:
        projections = [*attention_tensors(question)]
        held["vectors"] += [(out,) for _, out in projections[:3]]
        held["vectors"] += [(width,)] if question["biases"] == 2 else []
    if "experts" in question and layer >= question.get("dense_layers", 0):
        one = [*fed_forward(question, question.get("expert_inner", inner))]
        held["routers"] = [(width, question["experts"])]
        held["passed"] = one * (question["active_experts"] + question.get("shared_experts", 0))
        held["resting"] = one * (question["experts"] - question["active_experts"])
        return held
    held["feed_forward"] = [*fed_forward(question, inner)]
    if question.get("biases") == 2:
        held["vectors"] += [(inner,)] * (question["matrices"] - 1) + [(width,)]
    return held


def entries(tensors: Iterable[Tensor]) -> Any:
    """How many numbers they hold."""
    return sum(prod(one) for one in tensors)


@witness("transformer")
def transformer(question: Question) -> dict[str, Any]:
    """Every tensor of every layer, held and passed by a token."""
    if "layers" not in question:
        return {"total": question["parameters"]}
    if question["layers"] > 200 or question.get("experts", 0) > 300:
        return {}
    width, vocabulary = question["width"], question["vocabulary"]
    sums: dict[str, Any] = {}
    for layer in range(question["layers"]):
        for kind, tensors in layer_tensors(question, layer).items():
            sums[kind] = sums.get(kind, 0) + entries(tensors)
    tables = [(vocabulary, width)] * question["tables"]
    tables += [(question["positions"], width)] if "positions" in question else []
    outside = [(width,)] * question.get("last_norms", 1) * question.get("norm_vectors", 1)
    total = sum(sums.values()) + entries(tables + outside) + question.get("extra", 0)
    active = total - sums.get("resting", 0)
    answers = {"total": total, "embeddings": entries(tables), "attention": sums["attention"]}
    if "experts" in question:
        answers["active"] = active
    if "sequence" not in question or question["counts"] == "none":
        return answers
    if question["counts"] != "parts":
        counted = active - (entries(tables) if question["counts"] == "six_inside" else 0)
        each = 2 * counted + 4 * counted
        return answers | {"per_token": each * question["product"] / 2}
    size = question.get("head_size", Fraction(width, question["heads"]))
    seen = Fraction(question["sequence"], 2 if question["scores"] == "causal" else 1)
    of_head = seen * size + seen * size  # a score for each token, then the sum of values
    scores = of_head * question["heads"] * question["layers"]
    matrices = sum(sums.get(kind, 0) for kind in ("attention", "feed_forward", "passed", "routers"))
    forward = question["product"] * (matrices + scores + vocabulary * width)
    backward = forward + forward  # of the input, of the matrix
    answers |= {"forward": forward, "backward": backward, "per_token": forward + backward}
    answers["scoring"] = question["product"] * scores
    again = {"none": None, "selective": scores, "full": matrices + scores}[question["recompute"]]
    if again is not None:
        answers["made"] = forward + backward + question["product"] * again
    return answers


Kept = tuple[Any, bool]  # the bytes of what is kept, and whether it lies between the cut matrices


def kept_of_layer(question: Question, rows: Any) -> Iterator[Kept]:
    """All that one layer keeps of so many *rows* (tokens), but for the scores of attention."""
    value, width, heads = question["value"], question["width"], question["heads"]
    size = question.get("head_size", Fraction(width, heads))
    for _ in ("attention", "feed-forward"):
        if question["around_norms"] == "both":
            yield rows * width * value, False  # what the norm reads
        yield rows * width * value, False  # what the block reads
        if question["dropout"] == "masks":
            yield rows * width * question["mask"], False
    for of in (heads, *(2 * [question.get("kv_heads", heads)]), heads):
        yield rows * of * size * value, True  # queries, keys, values, and what the output reads
    inner = question.get("inner", 4 * width)
    parts = [inner]
    if "active_experts" in question:
        chosen = question["active_experts"] + question.get("shared_experts", 0)
        parts = [question.get("expert_inner", inner)] * chosen
    for part in parts:
        for _ in range(question["matrices"]):
            yield rows * part * value, True


def kept_scores(question: Question, rows: Any) -> Any:
    """A number for each head and pair of tokens: after the softmax, after dropout, and its mask."""
    each = [question["value"]]
    if question["dropout"] == "masks":
        each += [question["value"], question["mask"]]
    return sum(question["heads"] * rows * question["sequence"] * one for one in each)


@witness("activations")
def kept_activations(question: Question) -> dict[str, Any]:
    """What is kept of each layer, of all layers and micro-batches, and before and behind them."""
    if question.get("active_experts", 0) + question.get("shared_experts", 0) > 3000:
        return {}
    tensor, both = question.get("tensor", 1), question["sequence_parallel"] == "split"
    rows = Fraction(question["micro_batch"] * question["sequence"], question.get("context", 1))
    value, width, again = question["value"], question["width"], question["recompute"]
    inside = Fraction(0)
    for much, between in kept_of_layer(question, rows):
        inside += much / tensor if between or both else much
    scores = kept_scores(question, rows) / tensor
    of_rows = question["heads"] * rows * 2 * value / tensor
    written = scores if question["kernel"] == "plain" else of_rows
    layer = inside + (written if again == "none" else 0)
    if again == "full":
        layer = rows * width * value / (tensor if both else 1)
    stages = question.get("pipeline", 1)
    flight = Fraction(stages)
    if "chunks" in question:  # a pass of a chunk more for each stage behind the first
        flight += Fraction(stages - 1, question["chunks"])
    elif "pipeline" in question and "micro_batches" in question:
        flight = Fraction(min(stages, question["micro_batches"]))
    total = flight * layer * layers_dealt(question["layers"], stages)[0]
    answers = {"inside": inside, "layer": layer, "in_flight": flight, "all_layers": total}
    if "pipeline" not in question:
        del answers["in_flight"]
    mask = rows * width * question["mask"] if question["dropout"] == "masks" else 0
    mask = mask / tensor if both else mask
    total += flight * mask if "pipeline" in question or "vocabulary" in question else 0
    if "vocabulary" in question and stages == 1:
        last = [rows * width * value, rows * question["vocabulary"] * 2 * value]
        last += last[:1] if question["around_norms"] == "both" else []
        total += sum(last) / tensor
    if question["counted"] == "peak" and again != "none":
        scores = scores if question["kernel"] == "plain" else 0
        read = layer if question["around_norms"] == "both" else 0  # it is among the rest
        total += scores + (inside - read if again == "full" else 0)
    return answers | {"activations": total}


BYTES = {  # of a weight, its gradient and its optimizer states, in halves of 32 bits
    "adam_18": (1, 2, 6),
    "adam_20": (1, 1 + 2, 6),
    "adam_32": (2, 2, 4),
    "adam_8bit": (1, 1, 2 + 1),
}


def of_each(question: Question) -> list[tuple[str, Any, int]]:
    """What is kept for a parameter, its bytes, and the stage from which it is shared out."""
    recipe, stage = question["recipe"], question["zero"]
    if recipe == "own":
        sizes = [question[part] for part in ("weight", "gradient", "optimizer")]
    else:
        estimated = (1, 2, 6) if stage == "stage_3" else (1, 1, 8)
        sizes = [question["weight"] * n for n in BYTES.get(recipe, estimated)]
    late = 3 if recipe == "deepspeed" else 2
    return [*zip(("weights", "gradients", "adaptive"), sizes, (3, late, 1), strict=True)]


@witness("model-memory")
def model_memory(question: Question) -> dict[str, Any]:
    """The bytes of as many parameters as there are workers, dealt out to them."""
    workers = question.get("shards", question["workers"])
    shape = {"counts": "none", **question}
    shape.pop("sequence", None)
    counted = transformer(shape) if "layers" in question else {}
    parameters = question.get("parameters", counted.get("total"))
    if workers > 100 or parameters is None:
        return {}
    stage = 0 if question["zero"] == "none" else int(question["zero"][-1])
    waits = {"none": (), "optimizer": ("gradients", "adaptive")}
    held, gone = {}, {}
    for name, size, shared_from in of_each(question):
        devices = [Fraction(0)] * workers
        for parameter in range(workers):
            for device in [parameter] if stage >= shared_from else range(workers):
                devices[device] += size
        assert len({*devices}) == 1
        away = name in waits.get(question["offload"], (name,))
        held[name], gone[name] = (Fraction(0), devices[0]) if away else (devices[0], Fraction(0))
    stages = question.get("pipeline", 1)
    layers = question.get("layers", stages)
    tensor = question.get("tensor", 1)
    parts = tensor * Fraction(layers, layers_dealt(layers, stages)[0])
    times = Fraction(parameters) / question.get("split", parts) / workers
    if question.get("embedding") == "first" and stages > 1:  # of the last stage are the logits
        inside = parameters - counted["embeddings"]
        logits = (question["tables"] - 1) * question["vocabulary"] * question["width"]
        times = (inside / parts + Fraction(counted["embeddings"] - logits, tensor)) / workers
    answers: dict[str, Any] = {name: item * times for name, item in held.items()}
    answers["device"] = device = sum(answers.values())
    answers["total"] = parameters * sum(size for _, size, _ in of_each(question))
    rest = [question[name] for name in ("other", "buffers") if name in question]
    if "sequence" in question:
        kept = kept_activations(question)
        if "activations" not in kept:
            return answers
        rest.append(kept["activations"])
    if stage == 3 and (counted or "gathered" in question):
        if not counted and "layers" in question:
            return answers
        inside = counted["total"] - counted["embeddings"] if counted else 0
        layer = question.get("gathered", inside and Fraction(inside, question["layers"]))
        copies = {"one": 2, "ahead": 3}[question["gather"]]
        rest.append(layer * copies * question["weight"] / tensor)
    if rest:
        answers["needed"] = device + sum(rest)
    if question["offload"] != "none":
        answers["host"] = sum(gone.values()) * times
    if "capacity" in question:
        room = question["capacity"] - sum(rest)
        answers["spare"] = room - device
        if question["offload"] != "all":
            answers["largest"] = max(0, floor(room * parameters / device))
    return answers


def needed(length: Any, apart: Any, again: Any) -> Any:
    """The mean time until nothing failed for *length*, when a failure costs *again* each time.

    Failures come at a steady rate, one in the time *apart* on average.
    """
    good = mp.exp(-length / apart)
    cut_short = apart - (length + apart) * good  # the integral of t·e^(−t/apart)/apart
    return (good * length + cut_short + (1 - good) * again) / good


@witness("checkpoint-interval")
def checkpoint_interval(question: Question) -> dict[str, Any]:
    """The mean time until an interval and its checkpoint are through, from what may happen."""
    with mp.workdps(60):
        return _checkpoints(question)


def _checkpoints(question: Question) -> dict[str, Any]:
    def real(x: Any) -> Any:
        return mpf(x.numerator) / x.denominator

    answers: dict[str, Any] = {}
    if "write" in question:
        stop = question["write"]
    else:
        answers["writing"] = stop = Fraction(question["size"], question["bandwidth"])
    if "failures" in question:
        apart = question["failures"]
    elif "observed" in question:  # each device fails once in its own mean life
        life = question["span"] * question.get("seen_on", 1) / Fraction(question["observed"])
        answers["seen"] = apart = life / question.get("devices", 1)
    else:
        kinds = zip(question["components"], question["lifetimes"], strict=True)
        answers["rates"] = rates = tuple(sum(Fraction(1, m) for _ in range(n)) for n, m in kinds)
        answers["failure_rate"] = sum(rates)
        answers["between"] = apart = 1 / answers["failure_rate"]
        answers["blamed"] = tuple(rate * apart for rate in rates)
    if stop > 30 * apart:
        return answers
    write, mean, restart = real(stop), real(apart), real(question.get("restart", Fraction(0)))
    restarted = needed(restart, mean, 0)  # one that fails just begins anew
    behind, slow = question.get("background", Fraction(0)), question.get("slowdown", Fraction(1))

    def wall(work: Any) -> Any:
        """From one checkpoint that is written to the next, per work; what is not yet is lost."""
        done, good = work + write, mp.exp(-(work + write) / mean)
        cut_short = mean - (done + mean) * good
        anew = restarted + needed(real(behind) + done, mean, restarted)
        return (good * done + cut_short + (1 - good) * anew) / work

    match question["formula"]:
        case "young":
            width = mp.sqrt(write * mean) * 100
            interval = lowest(lambda t: write / t + t / mean / 2, width / 10**6, width)
            interval = max(interval, real(behind) - write)
        case "daly":  # as SCR has it
            half = write / (2 * mean)
            series = 1 + mp.sqrt(half) / 3 + half / 9
            interval = mp.sqrt(write * 2 * mean) * series - write if half < 1 else mean
        case _:
            interval = lowest(wall, mean / 10**9, mean * 2)
    answers["interval"] = float(interval)
    answers |= {"stretch": float(wall(interval)), "loss": float(1 - 1 / wall(interval))}
    if "compared" in question:
        at = wall(real(question["compared"]))
        answers["writes"] = Fraction(stop, question["compared"])
        answers |= {"compared_stretch": float(at), "compared_loss": float(1 - 1 / at)}
        if "work" in question:
            answers["compared_total"] = float(question["work"] * slow * at)
            answers["saved"] = float(question["work"] * slow * (at - wall(interval)))
    if question.keys() & {"observed", "background", "slowdown"}:
        answers["goodput"] = float(1 / (wall(interval) * real(slow)))
    if "work" in question:
        answers["total"] = float(question["work"] * slow * wall(interval))
        answers["expected"] = answers["total"] / float(mean)
    return answers


@witness("spot")
def spot(question: Question) -> dict[str, Any]:
    """Bills for the hours from one loss to the next, against the bill on demand."""
    lost, on_demand = question["lost"], question["on_demand"]
    hour = question["spot"] + question["spot"] * question["overhead"]

    def bills(apart: Fraction) -> tuple[Fraction, Fraction]:
        """What the time between two losses costs, and what its work costs on demand."""
        if question["strikes"] == "always":
            return hour * apart, on_demand * (apart - lost)
        return hour * (apart + lost), on_demand * apart

    def dearer(apart: Fraction) -> Fraction:
        mine, theirs = bills(apart)
        return mine - theirs

    answers: dict[str, Any] = {"undisturbed": hour}
    first, then = dearer(Fraction(0)), dearer(Fraction(1))
    if first > then:  # the bills grow evenly, so they meet
        meet = first / (first - then)
        assert dearer(meet) == 0
        answers |= {"rate": question["span"] / meet, "between": meet}
    else:
        answers |= {"rate": 0 if first == then else None, "between": None}
    if "apart" in question:
        mine, theirs = bills(question["apart"])
        answers |= {"effective": mine / theirs * on_demand, "saved": (theirs - mine) / theirs}
    return answers


@witness("cost-breakeven")
def cost_breakeven(question: Question) -> dict[str, Any]:
    """Two bills that are written for some use and compared."""

    def bill(offer: str, use: Fraction) -> Fraction:
        once, item = question[f"{offer}_once"], question[f"{offer}_use"]
        return once + use / question["per"] * item  # type: ignore[no-any-return]

    def saved(use: Fraction) -> Fraction:
        return bill("first", use) - bill("second", use)

    at_once, item = saved(Fraction(0)), saved(Fraction(1)) - saved(Fraction(0))
    meet = None if item == 0 or -at_once / item < 0 else -at_once / item
    assert meet is None or saved(meet) == 0
    later = saved((meet or 0) + Fraction(1))
    answers: dict[str, Any] = {"dearer": -at_once, "saves": item, "balance": meet}
    answers["beyond"] = None if later == 0 else 2 if later > 0 else 1
    if "use" in question:
        use = Fraction(question["use"])
        answers |= {"first_cost": bill("first", use), "second_cost": bill("second", use)}
        answers["saved"] = saved(use)
    return answers


def dealt(samples: int, batch: int, how: str) -> Iterator[int]:
    """The sizes of the batches that a loader deals out, epoch after epoch."""
    left = 0
    while True:
        left += samples
        while left >= batch:
            yield batch
            left -= batch
        if how == "keep" and left:
            yield left
        if how != "joined":
            left = 0


@witness("training-steps")
def training_steps(question: Question) -> dict[str, Any]:
    """A loader that deals out batches until the training is over."""
    samples, epochs, how = question["samples"], question["epochs"], question["last_batch"]
    answers: dict[str, Any] = {}
    batch = question.get("batch")
    if batch is None:
        batch = sum(question["small_batch"] for _ in range(question["workers"]))
        answers["step_batch"] = batch = batch * question["passes"]
    if epochs * (samples / batch + 1) > 40_000:
        return answers
    item = Fraction(samples, batch)  # steps that make an epoch
    if how != "joined":
        item = Fraction(0)
        loader, left = dealt(samples, batch, how), samples
        while left >= (batch if how == "drop" else 1):
            left -= next(loader)
            item += 1

    def until(part: Fraction, of: Fraction) -> int:
        steps = 0
        while steps < part * of:
            steps += 1
        return steps

    steps = until(epochs, item)
    loader = dealt(samples, batch, how)
    seen = sum(next(loader) for _ in range(steps))
    if how == "joined":  # the last epoch has no next one
        seen = min(seen, sum(samples for _ in range(ceil(epochs))))
    answers |= {"steps_per_epoch": item, "steps": steps, "seen": seen}
    if "warmup_epochs" in question:
        answers["warmup_steps"] = until(question["warmup_epochs"], item)
    elif "warmup_part" in question:
        answers["warmup_steps"] = until(question["warmup_part"], Fraction(steps))
    if "step_time" in question:
        answers["time"] = sum(question["step_time"] for _ in range(steps))
        answers["rate"] = Fraction(seen) / answers["time"]
    return answers


@witness("compute-optimal")
def compute_optimal(question: Question) -> dict[str, Any]:
    """Models that grow with their tokens until the compute is spent."""
    ratio, operations = question["ratio"], question["operations"]
    stated = question.get("parameters"), question.get("tokens")
    answers: dict[str, Any] = {}

    def spent(parameters: Fraction) -> Fraction:
        return operations * parameters * (parameters * ratio)  # type: ignore[no-any-return]

    if "compute" in question:
        compute = question["compute"]
        if None not in stated:
            pass
        elif stated[0] is not None:
            answers["affordable_tokens"] = Fraction(compute) / (operations * stated[0])
        elif stated[1] is not None:
            answers["affordable_parameters"] = Fraction(compute) / (operations * stated[1])
    elif stated[0] is not None:
        answers["used"] = compute = operations * stated[0] * stated[1]
    else:
        compute = spent(Fraction(stated[1]) / ratio)
    best = crossing(lambda parameters: float(spent(Fraction(parameters)) / compute))
    answers |= {"best_parameters": best, "best_tokens": best * float(ratio)}
    answers["best_compute"] = float(compute)
    if stated[0] is not None:
        answers["oversize"] = float(stated[0]) / best
    return answers
