"""Running a large training: pipelines, memory, checkpoints, steps, and what machines cost."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, count, pairwise, takewhile
from math import ceil, comb, floor, prod
from typing import Any

from asking import Answers, Question, crossing, known, lowest, witness
from mpmath import mp, mpf

# forward, backward or the gradient of the weights; the micro-batch, the chunk
Pass = tuple[str, int, int]


def rounds(stages: int, batches: int, chunks: int) -> list[int]:
    """How many micro-batches pass all chunks together: of as many as the stages, or a few more."""
    number = max(1, batches // stages) if chunks > 1 else 1
    return dealt(batches, number)


def dealt(items: int, hands: int) -> list[int]:
    """How many each gets if they are dealt out one by one."""
    return [len(range(hand, items, hands)) for hand in range(hands)]


def passes(stage: int, stages: int, sizes: list[int], chunks: int, how: str) -> list[Pass]:
    """The passes of a stage, in the order of GPipe, of 1F1B, or of Megatron-LM with chunks.

    Zero-bubble schedules put off the gradients of weights, the later stages by more: all stages
    keep as much, at most a micro-batch for each stage, or about two.
    """
    forward = [(sum(sizes[:k]) + i, chunk) for k, size in enumerate(sizes)
               for chunk in range(chunks) for i in range(size)]  # fmt: skip
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


def played(
    stages: int, sizes: list[int], chunks: int, times: dict[str, list[Any]], how: str, send: Any = 0
) -> tuple[Any, int]:
    """When the last pass ends, and how many chunk passes' activations the first stage keeps; with
    ZB-H2, whose batches overlap, how long each of the last ones of several takes."""
    number, often = sum(sizes), 6 if how == "zb_h2" else 1
    left = [[(kind, batch + turn * number, chunk) for turn in range(often)
             for kind, batch, chunk in passes(stage, stages, sizes, chunks, how)][::-1]
            for stage in range(stages)]  # fmt: skip
    kept = most = 0
    for kind, _, _ in left[0][::-1]:
        kept += {"f": 1, "b": 0 if how.startswith("zb") else -1, "w": -1}[kind]
        most = max(most, kept)
    ends, free = dict[tuple[Pass, int], Any](), [0] * stages
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
    if how == "zb_h2":
        return Fraction(free[0] - ends[("w", 3 * number - 1, 0), 0]) / 3, most
    return max(free), most


@witness
def pipeline(q: Question, chunks: int = 1, send: Any = 0) -> Answers:
    """Stages that are played pass by pass; several times of a way are those of the stages."""
    ways = [Fraction(1) if q.forward is None else q.forward, q.backward]
    if q.backward is None:
        ways[1] = Fraction(2 if q.forward is None else 0)
    listed = [len(way) for way in ways if isinstance(way, tuple)]
    stages, batches, how = listed[0] if listed else q.stages, q.micro_batches, q.schedule
    if stages * batches * chunks > 3000:
        return {}
    ways = [way if isinstance(way, tuple) else (way,) * stages for way in ways]
    again = int(q.recompute == "full" and q.backward is not None)
    pairs = [(Fraction(f), b + f * again) for f, b in zip(*ways, strict=True)]
    weight = (Fraction(1) if q.weight is None else q.weight) if how.startswith("zb") else 0
    times = {"f": [f / chunks for f, _ in pairs], "w": [weight] * stages}
    times["b"] = [Fraction(b - weight, chunks) for _, b in pairs]
    sizes = rounds(stages, batches, 1 if how == "gpipe" else chunks)
    end, most = played(stages, sizes, chunks, times, how, send)
    each = [f + b for f, b in pairs]
    one = sum(each) / stages
    working = batches * one
    bubble = (end - working) / (end if q.part_of == "whole" else working)
    answers = known(idle=(end - working) / one, bubble=bubble, efficiency=Fraction(working) / end)
    if q.forward is not None:
        answers |= {"pass_time": one, "ideal_time": working, "batch_time": end}
        answers["waiting"] = end - working
        if q.samples is not None:
            answers["throughput"] = batches * q.samples / end
    if listed:
        waits = tuple(end - batches * busy for busy in each)
        answers |= {"stage_times": tuple(each), "stage_waits": waits}
    if q.activations is not None:
        kept = Fraction(most, chunks)
        answers |= {"memory": kept * q.activations, "kept": kept}
    return answers


@witness
def layer_split(q: Question) -> Answers:
    """Every way to cut the layers; of the best ones that with the most in the first stages."""
    if comb(len(q.times) - 1, q.stages - 1) > 3000:
        return {}
    cuts = combinations(range(1, len(q.times)), q.stages - 1)
    ways = [[q.times[a:b] for a, b in pairwise((0, *cut, len(q.times)))] for cut in cuts]
    least = min(max(map(sum, way)) for way in ways)
    best = [way for way in ways if max(map(sum, way)) == least]
    first = max(best, key=lambda way: [*map(len, way)])
    mean = Fraction(sum(q.times), q.stages)
    answers = {"sizes": tuple(map(len, first)), "stage_times": tuple(map(sum, first))}
    return answers | {"largest": least, "mean": mean, "balance": mean / least}


# Transformers, tensor by tensor: by kind a list of how many numbers each holds


def projections(q: Question) -> list[Any]:
    """How many numbers queries, keys, values and what the output reads have for a token."""
    size = q.head_size or Fraction(q.width, q.heads)
    narrow = (q.kv_heads or q.heads) * size
    return [q.heads * size, narrow, narrow, q.heads * size]


def layer_tensors(q: Question, layer: int) -> dict[str, list[Any]]:
    """Whatever a layer holds, by kind; its experts that rest are apart."""
    width, inner, outs = q.width, q.inner or 4 * q.width, projections(q)
    norms = 2 if q.norms is None else q.norms
    held = {"attention": [width * out for out in outs]}
    if q.attention_parameters is not None:
        held["attention"] = [q.attention_parameters]
    held["vectors"] = [norms * width] * (1 if q.norm_vectors is None else q.norm_vectors)
    if q.biases:
        held["vectors"] += outs[:3] + [width] * (q.biases == 2)
    if q.experts and layer >= (q.dense_layers or 0):
        one = [(q.expert_inner or inner) * width] * q.matrices  # into it (and its gate), out of it
        held["routers"] = [width * q.experts]
        held["passed"] = one * (q.active_experts + (q.shared_experts or 0))
        held["resting"] = one * (q.experts - q.active_experts)
        return held
    held["feed_forward"] = [inner * width] * q.matrices
    if q.biases == 2:
        held["vectors"] += [inner] * (q.matrices - 1) + [width]
    return held


@witness
def transformer(q: Question, last_norms: int = 1, norm_vectors: int = 1, extra: Any = 0) -> Answers:
    """Every tensor of every layer, held and passed by a token."""
    if q.layers is None:
        return {"total": q.parameters}
    if q.layers > 200 or (q.experts or 0) > 300:
        return {}
    sums: dict[str, Any] = {}
    for layer in range(q.layers):
        for kind, tensors in layer_tensors(q, layer).items():
            sums[kind] = sums.get(kind, 0) + sum(tensors)
    tables = q.vocabulary * q.width * q.tables + (q.positions or 0) * q.width
    total = sum(sums.values()) + tables + q.width * last_norms * norm_vectors + extra
    active = total - sums.get("resting", 0)
    answers = {"total": total, "embeddings": tables, "attention": sums["attention"]}
    answers |= {"active": active} if q.experts else {}
    if q.sequence is None or q.counts == "none":
        return answers
    if q.counts != "parts":
        counted = active - (tables if q.counts == "six_inside" else 0)
        return answers | {"per_token": (2 * counted + 4 * counted) * q.product / 2}
    seen = Fraction(q.sequence, 2 if q.scores == "causal" else 1)
    of_head = 2 * seen * (q.head_size or Fraction(q.width, q.heads))  # a score each, then the sum
    scores = of_head * q.heads * q.layers
    matrices = sum(sums.get(kind, 0) for kind in ("attention", "feed_forward", "passed", "routers"))
    forward = q.product * (matrices + scores + q.vocabulary * q.width)
    backward = forward + forward  # of the input, of the matrix
    again = {"none": ..., "selective": scores, "full": matrices + scores}[q.recompute]
    if q.kernel == "flash" and q.recompute != "selective":
        again = scores / 2 + (0 if again is ... else again)  # of two products the first
    made = again if again is ... else forward + backward + q.product * again
    return answers | known(forward=forward, backward=backward, per_token=forward + backward,
                           scoring=q.product * scores, made=made)  # fmt: skip


Kept = tuple[Any, bool]  # the bytes of what is kept, and whether it lies between the cut matrices


def kept_of_layer(q: Question, tokens: Any) -> Iterator[Kept]:
    """All that one layer keeps of so many *tokens*, but for the scores of attention."""
    for _ in ("attention", "feed-forward"):
        # what the block reads, and the norm before it
        yield (2 if q.around_norms == "both" else 1) * tokens * q.width * q.value, False
        if q.dropout == "masks":
            yield tokens * q.width * q.mask, False
    inner = [q.inner or 4 * q.width]
    if q.active_experts:
        inner = [q.expert_inner or inner[0]] * (q.active_experts + (q.shared_experts or 0))
    for out in projections(q) + inner * q.matrices:
        yield tokens * out * q.value, True


@witness
def activations(q: Question, tensor: int = 1, context: int = 1) -> Answers:
    """What is kept of each layer, of all layers and micro-batches, and before and behind them."""
    if (q.active_experts or 0) + (q.shared_experts or 0) > 3000:
        return {}
    both, plain, again = q.sequence_parallel == "split", q.kernel == "plain", q.recompute
    tokens, masks = Fraction(q.micro_batch * q.sequence, context), q.dropout == "masks"
    inside = Fraction(0)
    for much, between in kept_of_layer(q, tokens):
        inside += much / tensor if between or both else much
    # a number for each head and pair of tokens: after the softmax, after dropout, and its mask
    each = q.value * 2 + q.mask if masks else q.value
    scores = q.heads * tokens * q.sequence * each / tensor
    of_rows = q.heads * tokens * 2 * q.value / tensor
    layer = inside + ((scores if plain else of_rows) if again == "none" else 0)
    if again == "full":
        layer = tokens * q.width * q.value / (tensor if both else 1)
    stages, flight = q.pipeline or 1, Fraction(q.pipeline or 1)
    if q.chunks:  # passes of chunks that the first stage makes before the first comes back
        ahead = 2 * (stages - 1) + (q.chunks - 1) * stages + 1
        flight = Fraction(min(ahead, (q.micro_batches or ahead) * q.chunks), q.chunks)
    elif q.pipeline and q.micro_batches:
        flight = Fraction(min(stages, q.micro_batches))
    total = flight * layer * dealt(q.layers, stages)[0]
    answers = {"inside": inside, "layer": layer, "all_layers": total}
    answers |= {"in_flight": flight} if q.pipeline else {}
    if masks and (q.pipeline or q.vocabulary):
        total += flight * tokens * q.width * q.mask / (tensor if both else 1)
    if q.vocabulary and stages == 1:
        norms = 2 if q.around_norms == "both" else 1
        total += tokens * (norms * q.width + 2 * q.vocabulary) * q.value / tensor
    if q.counted == "peak" and again != "none":
        read = layer if q.around_norms == "both" else 0  # it is among the rest
        total += (scores if plain else 0) + (inside - read if again == "full" else 0)
    return answers | {"activations": total}


# of a weight, its gradient and its optimizer states, in halves of 32 bits
BYTES = {"adam_18": (1, 2, 6), "adam_20": (1, 1 + 2, 6)}
BYTES |= {"adam_32": (2, 2, 4), "adam_8bit": (1, 1, 2 + 1)}


def of_each(q: Question) -> list[tuple[str, Any, int]]:
    """What is kept for a parameter, its bytes, and the stage from which it is shared out."""
    sizes = [q.weight, q.gradient, q.optimizer]
    if q.recipe != "own":
        estimated = (1, 2, 6) if q.zero == "stage_3" else (1, 1, 8)
        sizes = [q.weight * n for n in BYTES.get(q.recipe, estimated)]
    late = 3 if q.recipe == "deepspeed" else 2
    return [*zip(("weights", "gradients", "adaptive"), sizes, (3, late, 1), strict=True)]


@witness
def model_memory(q: Question, tensor: int = 1, pipeline: int = 1) -> Answers:
    """The bytes of as many parameters as there are workers, dealt out to them."""
    workers, zero = q.shards or q.workers, 0 if q.zero == "none" else int(q.zero[-1])
    counted = transformer(q.but(counts="none", sequence=None)) if q.layers else {}
    parameters = counted.get("total") if q.parameters is None else q.parameters
    if workers > 100 or parameters is None:
        return {}
    each = dict[str, Fraction]()
    for name, size, shared_from in of_each(q):
        devices = [Fraction(0)] * workers
        for parameter in range(workers):
            for device in [parameter] if zero >= shared_from else range(workers):
                devices[device] += size
        assert len({*devices}) == 1
        each[name] = devices[0]
    layers = q.layers or pipeline
    parts = tensor * Fraction(layers, dealt(layers, pipeline)[0])
    times = Fraction(parameters) / (q.split or parts) / workers
    if q.embedding == "first" and pipeline > 1:  # of the last stage are the logits
        logits = (q.tables - 1) * q.vocabulary * q.width
        times = (parameters - counted["embeddings"]) / parts / workers
        times += Fraction(counted["embeddings"] - logits, tensor) / workers
    away = {"none": (), "optimizer": ("gradients", "adaptive")}.get(q.offload, (*each,))
    answers: Answers = {name: 0 if name in away else one * times for name, one in each.items()}
    answers["device"] = device = sum(answers.values())
    answers["total"] = parameters * sum(size for _, size, _ in of_each(q))
    rest = [one for one in (q.other, q.buffers) if one is not None]
    if q.sequence is not None:
        kept = activations(q)
        if "activations" not in kept:
            return answers
        rest.append(kept["activations"])
    if zero == 3 and (counted or q.gathered is not None):
        layer = q.gathered or Fraction(counted["total"] - counted["embeddings"], q.layers)
        rest.append(layer * {"one": 2, "ahead": 3}[q.gather] * q.weight / tensor)
    answers["needed"] = device + sum(rest)
    if q.offload != "none":
        visits = q.micro_batches or 1
        back = Fraction(1, workers if zero in (1, 2) else 1)  # of the weights, which each makes
        back = visits * (2 + (q.recompute == "full")) if q.offload == "all" else back
        answers["host"] = sum(each[name] for name in away) * times
        answers |= {"crossed": (visits * each["gradients"] + back * each["weights"]) * times}
        if q.host_bandwidth:
            disk = each["adaptive"] * times * 2 / q.disk_bandwidth if q.disk_bandwidth else 0
            answers["offload_time"] = answers["crossed"] / q.host_bandwidth + disk
    if q.capacity is not None:
        room = q.capacity - sum(rest)
        answers["spare"] = room - device
        if q.offload != "all":
            answers["largest"] = max(0, floor(room * parameters / device))
    return answers


# Checkpoints


def needed(length: Any, apart: Any, again: Any) -> Any:
    """The mean time until nothing failed for *length*, when a failure costs *again* each time.
    Failures come at a steady rate, one in the time *apart* on average."""
    good = mp.exp(-length / apart)
    cut_short = apart - (length + apart) * good  # the integral of t·e^(−t/apart)/apart
    return (good * length + cut_short + (1 - good) * again) / good


def failing(q: Question) -> Answers:
    """The time between failures, and what it is made of."""
    if q.failures is not None:
        return {"between": q.failures}
    if q.observed is not None:  # each device fails once in its own mean life
        life = q.span * (q.seen_on or 1) / Fraction(q.observed)
        return {"seen": life / (q.devices or 1), "between": life / (q.devices or 1)}
    rates = tuple(Fraction(n) / m for n, m in zip(q.components, q.lifetimes, strict=True))
    blamed = tuple(rate / sum(rates) for rate in rates)
    return known(rates=rates, failure_rate=sum(rates), between=1 / sum(rates), blamed=blamed)


@witness
def checkpoint_interval(
    q: Question, restart: Any = 0, background: Any = 0, slowdown: Any = 1
) -> Answers:
    """The mean time until an interval and its checkpoint are through, from what may happen."""
    answers = failing(q)
    apart = answers["between"]
    if q.failures is not None or q.observed is not None:
        del answers["between"]
    stop = q.write
    if stop is None:
        answers["writing"] = stop = Fraction(q.size, q.bandwidth)
    if stop > 30 * apart:
        return answers
    if q.compared is not None:
        answers["writes"] = Fraction(stop, q.compared)
    with mp.workdps(60):
        real = [mpf(x.numerator) / x.denominator for x in (stop, apart, restart, background)]
        return answers | {name: value if isinstance(value, Fraction) else float(value)
                          for name, value in _checkpoints(q, *real, slowdown)}  # fmt: skip


def _checkpoints(
    q: Question, write: Any, mean: Any, restart: Any, behind: Any, slow: Any
) -> Iterator[tuple[str, Any]]:
    restarted = needed(restart, mean, 0)  # one that fails just begins anew

    def wall(work: Any) -> Any:
        """From one checkpoint that is written to the next, per work; what is not yet is lost."""
        done, good = work + write, mp.exp(-(work + write) / mean)
        cut_short = mean - (done + mean) * good
        anew = restarted + needed(behind + done, mean, restarted)
        return (good * done + cut_short + (1 - good) * anew) / work

    if q.formula == "young":
        width = mp.sqrt(write * mean) * 100
        interval = lowest(lambda t: write / t + t / mean / 2, width / 10**6, width)
        interval = max(interval, behind - write)
    elif q.formula == "daly":  # as SCR has it
        half = write / (2 * mean)
        series = 1 + mp.sqrt(half) / 3 + half / 9
        interval = mp.sqrt(write * 2 * mean) * series - write if half < 1 else mean
    else:
        interval = lowest(wall, mean / 10**9, mean * 2)
    best = wall(interval)
    yield from (("interval", interval), ("stretch", best), ("loss", 1 - 1 / best))
    if q.observed is not None or q.background is not None or q.slowdown is not None:
        yield "goodput", 1 / (best * slow)
    if q.work is not None:
        yield from (("total", q.work * slow * best), ("expected", q.work * slow * best / mean))
    if q.compared is not None:
        at = wall(mpf(q.compared.numerator) / q.compared.denominator)
        yield from (("compared_stretch", at), ("compared_loss", 1 - 1 / at))
        if q.work is not None:
            yield "compared_total", q.work * slow * at
            yield "saved", q.work * slow * (at - best)


# What machines cost


@witness
def spot(q: Question) -> Answers:
    """Bills for the hours from one loss to the next, against the bill on demand."""
    hour = q.spot + q.spot * q.overhead

    def bills(apart: Fraction) -> tuple[Fraction, Fraction]:
        """What the time between two losses costs, and what its work costs on demand."""
        if q.strikes == "always":
            return hour * apart, q.on_demand * (apart - q.lost)
        return hour * (apart + q.lost), q.on_demand * apart

    first, then = (mine - theirs for mine, theirs in map(bills, (Fraction(0), Fraction(1))))
    answers: Answers = {"undisturbed": hour, "rate": 0 if first == then else None, "between": None}
    if first > then:  # the bills grow evenly, so they meet
        meet = first / (first - then)
        assert len({*bills(meet)}) == 1
        answers |= {"rate": q.span / meet, "between": meet}
    if q.apart is not None:
        mine, theirs = bills(q.apart)
        answers |= {"effective": mine / theirs * q.on_demand, "saved": (theirs - mine) / theirs}
    return answers


@witness
def cost_breakeven(q: Question) -> Answers:
    """Two bills that are written for some use and compared."""

    def bills(use: Any) -> tuple[Fraction, Fraction]:
        uses = Fraction(use) / q.per
        return q.first_once + uses * q.first_use, q.second_once + uses * q.second_use

    def saved(use: Any) -> Fraction:
        first, second = bills(use)
        return first - second

    at_once, item = saved(0), saved(1) - saved(0)
    meet = None if item == 0 or -at_once / item < 0 else -at_once / item
    assert meet is None or saved(meet) == 0
    later = saved((meet or 0) + 1)
    answers: Answers = {"dearer": -at_once, "saves": item, "balance": meet}
    answers["beyond"] = None if later == 0 else 2 if later > 0 else 1
    if q.use is not None:
        answers |= zip(("first_cost", "second_cost"), bills(q.use), strict=True)
        answers["saved"] = saved(q.use)
    return answers


# Steps, and tokens for a model


def loaded(samples: int, batch: int, how: str) -> Iterator[int]:
    """The sizes of the batches that a loader deals out, epoch after epoch."""
    left = 0
    while True:
        left += samples
        while left >= batch:
            yield batch
            left -= batch
        if how == "keep" and left:
            yield left
        left = left if how == "joined" else 0


@witness
def training_steps(q: Question) -> Answers:
    """A loader that deals out batches until the training is over."""
    samples, how, batch, answers = q.samples, q.last_batch, q.batch, {}
    if batch is None:
        answers["step_batch"] = batch = sum(q.small_batch for _ in range(q.workers)) * q.passes
    if q.epochs * (samples / batch + 1) > 40_000:
        return answers
    item = Fraction(samples, batch)  # steps that make an epoch
    if how != "joined":
        loader, left, item = loaded(samples, batch, how), samples, Fraction(0)
        while left >= (batch if how == "drop" else 1):
            left -= next(loader)
            item += 1

    def until(part: Any) -> int:
        return len([*takewhile(lambda steps: steps < part, count())])

    steps, loader = until(q.epochs * item), loaded(samples, batch, how)
    seen = sum(next(loader) for _ in range(steps))
    if how == "joined":  # the last epoch has no next one
        seen = min(seen, samples * ceil(q.epochs))
    answers |= {"steps_per_epoch": item, "steps": steps, "seen": seen}
    if q.warmup_epochs is not None:
        answers["warmup_steps"] = until(q.warmup_epochs * item)
    elif q.warmup_part is not None:
        answers["warmup_steps"] = until(q.warmup_part * steps)
    if q.step_time is not None:
        time = sum(q.step_time for _ in range(steps))
        answers |= {"time": time, "rate": Fraction(seen) / time}
    return answers


@witness
def compute_optimal(q: Question) -> Answers:
    """Models that grow with their tokens until the compute is spent."""
    compute, stated, answers = q.compute, (q.parameters, q.tokens), {}

    def spent(parameters: Any) -> Any:
        return q.operations * parameters * (parameters * q.ratio)

    if compute is None:
        compute = spent(Fraction(q.tokens) / q.ratio)
        if q.parameters is not None:
            answers["used"] = compute = prod((q.operations, *stated))
    elif q.parameters is not None and q.tokens is None:
        answers["affordable_tokens"] = Fraction(compute) / (q.operations * q.parameters)
    elif q.tokens is not None and q.parameters is None:
        answers["affordable_parameters"] = Fraction(compute) / (q.operations * q.tokens)
    best = crossing(lambda parameters: float(spent(Fraction(parameters)) / compute))
    answers |= {"best_parameters": best, "best_tokens": best * float(q.ratio)}
    if q.parameters is not None:
        answers["oversize"] = float(q.parameters) / best
    return answers | {"best_compute": float(compute)}
