"""Epochs, federated rounds and parameter servers played: batches handed out round by round,
messages dealt out to links."""

from fractions import Fraction
from typing import Any, NamedTuple

from asking import Answers, Question, first_that, known, witness

MOST = 3000  # workers that are counted


class Served(NamedTuple):
    """What a server has seen: the time, the workers of each round that ran, its batches; the
    samples that were left for a last round, and the most that one worker got of them."""

    clock: Fraction
    rounds: list[int]
    batches: int = 0
    left: int = 0
    part: int = 0


def served(q: Question) -> Served:
    """A server that cuts the data into batches and hands them out until none is left."""
    if q.last_batch == "deal":
        return _dealt_out(q)
    epoch, rounds = len(cut(q)), list[int]()
    queues = [epoch] * q.epochs if q.queue == "per_epoch" else [epoch * q.epochs]
    clock = Fraction(0)
    for waiting in queues:
        while waiting:  # of a batch for all every worker takes a part
            busy = q.workers if q.batch_for == "all_workers" else min(q.workers, waiting)
            waiting -= 1 if q.batch_for == "all_workers" else busy
            if busy < q.workers and q.last_round == "drop":
                break
            clock += one_round(q.workers if q.last_round == "pad" else busy, q)
            rounds.append(busy)
    return Served(clock, rounds, sum(queues))


def _dealt_out(q: Question) -> Served:
    """A server that makes full rounds of single samples, then deals out the rest like cards."""
    barrier, shared = q.queue == "per_epoch", q.batch_for == "all_workers"
    takes = q.batch if shared else q.batch * q.workers
    hand = len(range(0, q.batch, q.workers)) if shared else q.batch  # that of the first worker
    full, clock, rounds, left, part = one_round(q.workers, q), Fraction(0), list[int](), 0, 0
    for _ in range(q.epochs if barrier else 1):
        left = q.samples * (1 if barrier else q.epochs)
        while left >= takes:
            left -= takes
            clock += full
            rounds.append(q.workers)
        part = len(range(0, left, q.workers))
        if left:
            clock += one_round(q.workers, q.but(compute=q.compute * Fraction(part, hand)))
            rounds.append(q.workers)
    return Served(clock, rounds, left=left, part=part)


def cut(q: Question) -> list[int]:
    """The batches of an epoch."""
    sizes = [min(q.batch, q.samples - at) for at in range(0, q.samples, q.batch)]
    return [size for size in sizes if size == q.batch or q.last_batch == "keep"]


def one_round(present: int, q: Question) -> Fraction:
    """How long a round takes in which this many workers are *present*."""
    links = 1 if q.server_link == "shared" else present
    busiest = len(range(0, present, links))  # the messages are dealt out to the links
    adding = sum((q.aggregate for _ in range(present)), Fraction(0))
    return busiest * q.download + q.compute + busiest * q.upload + adding


@witness
def sync_step(q: Question) -> Answers:
    """The server waits until nobody is missing, adds up, and updates."""
    *_, (clock, straggler) = sorted((time, -i) for i, time in enumerate(q.finish, 1))
    idle = tuple(clock - ready for ready in q.finish)
    total = clock + q.aggregate + q.update
    return {"slowest": clock, "straggler": -straggler, "idle": idle, "total": total}


@witness
def epoch_time(q: Question) -> Answers:
    """A server hands out one batch after the other, and every message is dealt out to a link."""
    if q.samples // q.batch * q.epochs > 20_000:
        return {}
    workers, barrier = q.workers, q.queue == "per_epoch"
    dealt, over = q.last_batch == "deal", q.epochs if barrier else 1
    if dealt and workers > MOST:
        return {}
    server, answers = served(q), {}
    if dealt:
        full = Fraction(len(server.rounds) - (over if server.left else 0), over)
        answers = {"left_samples": server.left, "last_part": server.part}
    else:
        full = Fraction(server.rounds.count(workers), over)
        usual = served(q.but(last_round="partial"))
        left = next((busy for busy in usual.rounds if busy < workers), 0)
        answers = {"batches": server.batches, "last_workers": left}
        answers["batches_per_epoch"] = len(cut(q))
        if q.price is not None and workers < 1000:
            paid = sum((server.clock for _ in range(workers)), Fraction(0))
            answers |= {"worker_hours": paid, "cost": paid * q.price}
    if workers <= 10_000:
        answers["full_round"] = one_round(workers, q)
        answers["last_round"] = server.clock / over - int(full) * answers["full_round"]
    if barrier and (not dealt or over > 1):
        answers["epoch"] = server.clock / over
    return answers | {"full_rounds": full, "total": server.clock}


@witness
def breakeven(q: Question) -> Answers:
    """Workers are counted upward until communication lasts longer."""

    def ahead(workers: int) -> Fraction:
        links = workers if q.server_link == "shared" else 1
        sent = links * (q.download + q.upload) + workers * q.aggregate
        return Fraction(sent - q.compute)

    def passes(workers: int) -> bool:
        return ahead(workers) > 0 or (ahead(workers) == 0 and q.relation == "reaches")

    one, two = ahead(1), ahead(2)
    balance = 1 - one / (two - one) if two != one else None  # it grows by equal amounts
    if passes(MOST):
        return {"balance": balance, "workers": first_that(passes)}
    return {"balance": balance} | ({"workers": None} if balance is None else {})


@witness
def federated(q: Question, compression: Any = 1) -> Answers:
    """Devices are dealt their samples and train batch by batch; the clock is read at the end. Every
    message is entered in a ledger."""
    answers = _worked(q) if q.samples is not None or q.shares else {}
    model, back = q.model, None
    if model is None and q.parameters is not None:
        model = q.parameters * q.bytes_per_parameter
    if model is not None:
        back = Fraction(model if q.update is None else q.update) / compression
    answers |= _timed(q, answers.pop("busy", q.local_work), model, back)
    some = q.devices or len(q.shares or q.compute or ())
    if q.participation is not None:  # whole devices, at least one
        some = max([1, *(n for n in range(some + 1) if n <= some * q.participation)])
        answers["participants"] = some
    if model is not None and some <= 5000:
        ledger = ([back] if q.ways == "uploads" else [model, back]) * some
        answers |= {"round_sent": sum(ledger), "sent": q.rounds * sum(ledger)}
        if q.other_rounds is not None:
            answers["spared"] = q.other_rounds * sum(ledger) - answers["sent"]
    return answers


def _worked(q: Question) -> Answers:
    """The updates of the devices, and how long the last one is *busy*."""
    single, unlike = q.shares is None, isinstance(q.compute, tuple)
    shares = q.shares
    if single:  # dealt out, where all count with the largest hand, or the mean
        devices = q.devices or len(q.compute)
        hand = len(range(0, q.samples, devices))
        hand = Fraction(q.samples, devices) if q.updates == "mean" else hand
        shares = [hand] * (len(q.compute) if unlike else 1)

    def trained(share: Any) -> Any:
        """The updates of a device in a round."""
        if q.batch == "all":
            return q.local_epochs
        whole = Fraction(share) / q.batch if q.updates == "mean" else len(range(0, share, q.batch))
        return q.local_epochs * whole

    updates = [*map(trained, shares)]
    paces = q.compute if unlike else [q.compute] * len(shares)
    work = [made * pace for made, pace in zip(updates, paces, strict=True)]
    several = not single or unlike
    return known(
        samples_per_device=shares[0] if single else tuple(shares), busy=max(work),
        updates=updates[0] if single else tuple(updates),
        local_time=tuple(work) if several else work[0], slowest=max(work) if several else ...,
    )  # fmt: skip


def _timed(q: Question, busy: Any, model: Any, back: Any) -> Answers:
    """The clock after all rounds, as far as something is said to take time."""
    lasts = [] if busy is None else [busy]
    for time, link, size in ((q.download, q.downlink, model), (q.upload, q.uplink, back)):
        if time is not None or link is not None:
            lasts.append(Fraction(size) / link if time is None else time)
    if not lasts:
        return {}
    once = sum(lasts) + sum(lasts) * (q.allowance or 0)
    once += q.averaging or 0  # the server is not one of the slow devices
    clock = sum(once for _ in range(min(q.rounds, 1000)))
    return {"round_time": once} | ({"total": clock} if q.rounds <= 1000 else {})
