"""Epochs, federated rounds and parameter servers played: batches handed out round by round,
messages dealt out to links. Times are exact numbers of seconds, choices are written as in
files."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from asking import Question, witness

MOST = 3000  # workers that are counted


@dataclass
class Server:
    """What a server has seen: the time, the workers of each round that ran, its batches; the
    samples that were left for a last round, and the most that one worker got of them."""

    clock: Fraction = Fraction(0)
    rounds: tuple[int, ...] = ()
    batches: int = 0
    left: int = 0
    part: int = 0


def served(stated: Mapping[str, Any]) -> Server:
    """A server that cuts the data into batches and hands them out until none is left."""
    if stated["last_batch"] == "deal":
        return _dealt_out(stated)
    epochs = [cut(stated) for _ in range(stated["epochs"])]
    barrier = stated["queue"].replace("_", "-") == "per-epoch"
    queues = epochs if barrier else [[b for e in epochs for b in e]]
    server = Server()
    for batches in queues:
        server.batches += len(batches)
        _work(server, deque(batches), stated)
    return server


def _dealt_out(stated: Mapping[str, Any]) -> Server:
    """A server that makes full rounds of single samples, then deals out the rest like cards."""
    server, workers, batch = Server(), stated["workers"], stated["batch"]
    shared = stated["batch_for"].replace("_", "-") == "all-workers"
    takes = batch if shared else batch * workers
    hand = len(range(0, batch, workers)) if shared else batch  # that of the first worker
    barrier = stated["queue"].replace("_", "-") == "per-epoch"
    full = one_round(workers, stated)
    for _ in range(stated["epochs"] if barrier else 1):
        server.left = stated["samples"] * (1 if barrier else stated["epochs"])
        while server.left >= takes:
            server.left -= takes
            server.clock += full
            server.rounds += (workers,)
        server.part = len(range(0, server.left, workers))
        if server.left:
            shorter = stated["compute"] * Fraction(server.part, hand)
            server.clock += one_round(workers, {**stated, "compute": shorter})
            server.rounds += (workers,)
    return server


def cut(stated: Mapping[str, Any]) -> list[int]:
    """The batches of an epoch."""
    batches, left = [], stated["samples"]
    while left > 0:
        size = min(left, stated["batch"])
        if size == stated["batch"] or stated["last_batch"] == "keep":
            batches.append(size)
        left -= size
    return batches


def _work(server: Server, waiting: deque[int], stated: Mapping[str, Any]) -> None:
    if stated.get("batch_for", "worker").replace("_", "-") == "all-workers":
        while waiting:  # one batch a round, of which every worker takes a part
            waiting.popleft()
            server.clock += one_round(stated["workers"], stated)
            server.rounds += (stated["workers"],)
    while waiting:
        busy = [waiting.popleft() for _ in range(stated["workers"]) if waiting]
        present = len(busy)
        if present < stated["workers"] and stated["last_round"] == "drop":
            return
        if stated["last_round"] == "pad":
            present = stated["workers"]
        server.clock += one_round(present, stated)
        server.rounds += (len(busy),)


def one_round(present: int, stated: Mapping[str, Any]) -> Fraction:
    """How long a round takes in which this many workers are *present*."""
    links = 1 if stated["server_link"] == "shared" else present
    down, up = (_sent(present, links, stated[way]) for way in ("download", "upload"))
    adding = sum((stated["aggregate"] for _ in range(present)), Fraction(0))
    return down + stated["compute"] + up + adding  # type: ignore[no-any-return]


def _sent(messages: int, links: int, length: Fraction) -> Fraction:
    """How long the *links* take for messages of this *length* that are dealt out to them."""
    busy = [Fraction(0)] * links
    for i in range(messages):
        busy[i % links] += length
    return max(busy)


def counted(stated: Mapping[str, Any]) -> int | None:
    """The first number of workers whose communication overtakes computation, up to ``MOST``."""
    down, up = Fraction(stated["download"]), Fraction(stated["upload"])
    adding = Fraction(0)
    for workers in range(1, MOST + 1):
        if stated["server_link"] == "shared" and workers > 1:
            down, up = down + stated["download"], up + stated["upload"]
        adding += stated["aggregate"]
        ahead = down + up + adding - stated["compute"]
        if ahead > 0 or (ahead == 0 and stated["relation"] == "reaches"):
            return workers
    return None


@witness("sync-step")
def sync_step(question: Question) -> dict[str, Any]:
    """The server waits until nobody is missing, adds up, and updates."""
    missing = set(range(len(question["finish"])))
    clock, last = 0, 0
    for ready, worker in sorted((time, -i) for i, time in enumerate(question["finish"])):
        missing.remove(-worker)
        clock, last = ready, -worker
    assert not missing
    return {
        "slowest": clock,
        "straggler": last + 1,
        "idle": tuple(clock - ready for ready in question["finish"]),
        "total": clock + question["aggregate"] + question["update"],
    }


@witness("epoch-time")
def epoch_time(question: Question) -> dict[str, Any]:
    """A server hands out one batch after the other, and every message is dealt out to a link."""
    if question["samples"] // question["batch"] * question["epochs"] > 20_000:
        return {}
    workers, barrier = question["workers"], question["queue"] == "per_epoch"
    if question["last_batch"] == "deal":
        return _dealt(question) if workers <= MOST else {}
    server = served(question)
    usual = served({**question, "last_round": "partial"})
    full = [busy for busy in server.rounds if busy == workers]
    over = question["epochs"] if barrier else 1
    left = next((busy for busy in usual.rounds if busy < workers), 0)
    answers: dict[str, Any] = {
        "batches_per_epoch": len(cut(question)),
        "batches": server.batches,
        "full_rounds": Fraction(len(full), over),
        "last_workers": left,
        "total": server.clock,
    }
    if workers <= 10_000:
        answers["full_round"] = one_round(workers, question)
        answers["last_round"] = server.clock / over - len(full) // over * answers["full_round"]
    if barrier:
        answers["epoch"] = server.clock / over
    if "price" in question:
        paid = sum((server.clock for _ in range(min(workers, 1000))), Fraction(0))
        answers |= (
            {"worker_hours": paid, "cost": paid * question["price"]} if workers < 1000 else {}
        )
    return answers


def _dealt(question: Question) -> dict[str, Any]:
    """The same where a last round deals out the samples that are left."""
    server = served(question)
    over = question["epochs"] if question["queue"] == "per_epoch" else 1
    usual = one_round(question["workers"], question)
    full = len(server.rounds) - (over if server.left else 0)
    answers = {"full_rounds": Fraction(full, over), "full_round": usual, "total": server.clock}
    answers |= {"left_samples": server.left, "last_part": server.part}
    answers["last_round"] = (server.clock - full * usual) / over
    return answers | ({"epoch": server.clock / over} if over > 1 else {})


@witness("breakeven")
def breakeven(question: Question) -> dict[str, Any]:
    """Workers are counted upward until communication lasts longer."""
    one, two = (one_round(workers, {**question, "compute": 0}) for workers in (1, 2))
    if one == two:
        return {"workers": counted(question), "balance": None}
    balance = 1 + Fraction(question["compute"] - one) / (two - one)  # it grows by equal amounts
    workers = counted(question)
    return {"balance": balance} | ({} if workers is None else {"workers": workers})


@witness("federated")
def federated(question: Question) -> dict[str, Any]:
    """Devices are dealt their samples and train batch by batch; the clock is read at the end. Every
    message is entered in a ledger."""
    answers = _worked(question) if "samples" in question or "shares" in question else {}
    model = question.get("model")
    if model is None and "parameters" in question:
        model = question["parameters"] * question["bytes_per_parameter"]
    back = None
    if model is not None:
        back = Fraction(question.get("update", model)) / question.get("compression", 1)
    answers |= _timed(question, answers.pop("busy", question.get("local_work")), model, back)
    there = question.get("devices")
    if there is None:
        there = len(question.get("shares") or question.get("compute") or ())
    some = there
    if "participation" in question:
        some = answers["participants"] = _some(there, question["participation"])
    if model is not None and some <= 5000:
        ledger: list[Any] = []
        for _ in range(some):
            ledger += [back] if question["ways"] == "uploads" else [model, back]
        rounds, sent = question["rounds"], sum(ledger)
        answers |= {"round_sent": sent, "sent": rounds * sent}
        if "other_rounds" in question:
            answers["spared"] = question["other_rounds"] * sent - rounds * sent
    return answers


def _worked(question: Question) -> dict[str, Any]:
    """The updates of the devices, and how long the last one is *busy*."""
    listed, speeds = question.get("shares"), question["compute"]
    shares, devices = _shares(question)
    updates = [_trained(share, question) for share in shares]
    paces = [_pace(speeds, i) for i in range(devices)]
    work = [made * pace for made, pace in zip(updates, paces, strict=True)]
    single = listed is None
    several = not single or isinstance(speeds, tuple)
    answers = {
        "samples_per_device": shares[0] if single else tuple(shares),
        "updates": updates[0] if single else tuple(updates),
        "local_time": tuple(work) if several else work[0],
        "busy": max(work),
    }
    return answers | ({"slowest": max(work)} if several else {})


def _timed(question: Question, busy: Any, model: Any, back: Any) -> dict[str, Any]:
    """The clock after all rounds, as far as something is said to take time."""
    lasts = [] if busy is None else [busy]
    for time, link, size in (("download", "downlink", model), ("upload", "uplink", back)):
        if time in question:
            lasts.append(question[time])
        elif link in question:
            lasts.append(Fraction(size) / question[link])
    if not lasts:
        return {}
    once = sum(lasts) + sum(lasts) * question.get("allowance", 0)
    once += question.get("averaging", 0)  # the server is not one of the slow devices
    clock = Fraction(0)
    for _ in range(min(question["rounds"], 1000)):
        clock += once
    return {"round_time": once} | ({"total": clock} if question["rounds"] <= 1000 else {})


def _shares(question: Question) -> tuple[list[Any], int]:
    """The samples of each device; where they are dealt out, all count with the largest hand."""
    if "shares" in question:
        return list(question["shares"]), len(question["shares"])
    speeds = question["compute"]
    devices = question.get("devices") or len(speeds)
    whole, rest = divmod(question["samples"], devices)
    hands = [whole + (device < rest) for device in range(min(devices, 1000))]
    counts = Fraction(question["samples"], devices) if question["updates"] == "mean" else max(hands)
    devices = devices if isinstance(speeds, tuple) else 1
    return [counts] * devices, devices


def _trained(share: Any, question: Question) -> Any:
    """The updates of a device in a round."""
    epochs, batch = question["local_epochs"], question["batch"]
    if batch == "all":
        return epochs
    if question["updates"] == "mean":
        return epochs * Fraction(share) / batch
    return epochs * len(range(0, share, batch))


def _pace(speeds: Any, device: int) -> Any:
    return speeds[device] if isinstance(speeds, tuple) else speeds


def _some(devices: int, part: Any) -> int:
    """How many whole devices a part of them is, at least one."""
    most = max((n for n in range(devices + 1) if n <= devices * part), default=0)
    return max(most, 1)
