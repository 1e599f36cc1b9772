"""Every scheme by its definition: a clock ticks, and at each tick everybody does what is due.

It shares no code with ddcalc, and keeps no times of what will come: each worker and each job of the
server only counts down the ticks that are left of what it is at.
"""

from dataclasses import dataclass, field

ROUNDS = {"sync", "local_sgd", "drop", "reuse", "cancel"}

Record = tuple[object, ...]


@dataclass(frozen=True)
class Setting:
    """A scheme, its *number* (s of ssp, H of local_sgd, k of k-of-n), and everything's ticks.
    Worker i computes for the times of ``times[i]``, again from the first one after the last."""

    scheme: str
    number: int | None
    starts: list[int]
    times: list[list[int]]
    down: int = 0
    up: int = 0
    aggregate: int = 0
    update: int = 0
    serial: bool = True
    order: str = "in_turn"
    read: str = "start"

    @property
    def wait_for(self) -> int:
        k_of_n = self.scheme in ("drop", "reuse", "cancel")
        return self.number if k_of_n and self.number else len(self.starts)

    @property
    def steps(self) -> int:
        return self.number if self.scheme == "local_sgd" and self.number else 1


@dataclass
class Cell:
    """One worker: *stage* is what it is at, *left* the ticks until that is over."""

    number: int
    times: list[int]
    stage: str = "before the read"
    left: int = 0
    to_do: int = 0
    finished: int = 0
    data: int = 0
    requested: int = 0
    released: int = 0
    hold: tuple[int, int, int] | None = None
    start: int | None = None
    ends: list[int] = field(default_factory=list)
    arrived: int = 0
    seen: int = 0
    ahead: int = 0

    def record(self, steps: int, arrived: int) -> Record:
        start = arrived if self.start is None else self.start
        end = self.ends[-1] if self.to_do == 0 and self.ends else arrived
        ends = tuple(self.ends) if steps > 1 else ()
        read = (self.data, self.requested, self.released, self.hold)
        sent = (start, ends, end, arrived, self.seen, self.ahead)
        return (self.number, self.finished + steps, *read, *sent)


@dataclass
class Job:
    """Something for the server; when it is done, worker *number* has something written."""

    number: int
    left: int
    round: int = 0
    writes: bool = True


class World:
    """All workers and the server at one tick of the clock, *now*."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.now, self.updates, self.begun = setting, 0, 0, 0
        self.before = setting.down if setting.read == "start" else 0
        self.after = setting.down - self.before
        self.jobs: list[Job] = []
        self.written: list[int] = []  # the workers whose job has just been done
        self.batch: list[Record] = []
        self.closing: tuple[list[Record], int, int] | None = None  # what, when, by whom
        self.timely = 0
        self.sent = self.most_ahead = 0  # transfers that have arrived, gradients at a read
        self.records: list[Record] = []
        self.cells = [Cell(i, times) for i, times in enumerate(setting.times, 1)]
        for cell, start in zip(self.cells, setting.starts, strict=True):
            cell.left = start + self.before
            cell.requested = cell.released = start

    def play(self, horizon: int) -> list[Record]:
        """What is written or dropped until the *horizon*, in this order."""
        while self.now <= horizon:
            self._settle()
            while (cell := self._next()) is not None:
                self._act(cell)
                self._settle()
            self._tick()
        return self.records

    def _tick(self) -> None:
        self.now += 1
        for cell in self.cells:
            cell.left -= 1
        for job in self._worked_on():
            job.left -= 1

    def _worked_on(self) -> list[Job]:
        """The jobs that the server is at: the first one, or all that need not wait for others."""
        if self.setting.serial:
            return self.jobs[:1]
        parts = {job.round for job in self.jobs if not job.writes}
        return [job for job in self.jobs if not job.writes or job.round not in parts]

    def _settle(self) -> None:
        """Let all that concerns nobody else go as far as it is."""
        for cell in self.cells:
            self._move(cell)
        while done := [job for job in self._worked_on() if job.left == 0]:
            self.jobs = [job for job in self.jobs if job not in done]
            self.written += [job.number for job in done if job.writes]

    def _move(self, cell: Cell) -> None:
        if cell.left == 0 and cell.stage == "before computing":
            cell.stage, cell.start = "computes", self.now
            self.sent += 1
            cell.left = self._length(cell)
        while cell.left == 0 and cell.stage == "computes":
            cell.ends.append(self.now)
            cell.to_do -= 1
            cell.left = self._length(cell) if cell.to_do else self.setting.up
            cell.stage = "computes" if cell.to_do else "sends"

    def _length(self, cell: Cell) -> int:
        """How long the computation takes that begins now; its clock says which one it is."""
        return cell.times[(cell.finished + len(cell.ends)) % len(cell.times)]

    def _next(self) -> Cell | None:
        """Whose turn it is."""
        writers = [c for c in self.cells if c.number in self.written or self._is_due(c, "sends")]
        readers = [c for c in self.cells if self._is_due(c, "before the read")]
        if self.setting.order == "writes_first":
            return next(iter(writers or readers), None)
        return min(writers + readers, key=lambda cell: cell.number, default=None)

    def _is_due(self, cell: Cell, stage: str) -> bool:
        return cell.left == 0 and cell.stage == stage

    def _act(self, cell: Cell) -> None:
        in_rounds = self.setting.scheme in ROUNDS
        if cell.number in self.written:
            self.written.remove(cell.number)
            (self._update_round if in_rounds else self._update_alone)(cell)
        elif cell.stage == "sends":
            cell.stage, cell.arrived = "at the server", self.now
            self.sent += 1
            (self._hand_in if in_rounds else self._send)(cell)
        else:
            self._read(cell)

    def _read(self, cell: Cell) -> None:
        self.begun += 1
        cell.data, cell.seen = self.begun, self.updates
        cell.ahead = cell.finished - min(cell.finished for cell in self.cells)
        self.most_ahead = max(self.most_ahead, cell.ahead)
        cell.start, cell.ends, cell.to_do = None, [], self.setting.steps
        cell.stage, cell.left = "before computing", self.after

    def _release(self, cell: Cell, hold: tuple[int, int, int] | None) -> None:
        cell.requested, cell.released, cell.hold = cell.arrived, self.now, hold
        cell.stage, cell.left = "before the read", self.before

    def _send(self, cell: Cell) -> None:
        self.jobs.append(Job(cell.number, self.setting.aggregate + self.setting.update))

    def _update_alone(self, cell: Cell) -> None:
        self.updates += 1
        self.records.append((*cell.record(1, cell.arrived), self.now, self.updates))
        cell.finished += 1
        cell.stage, cell.left = "asks", 0  # from now on it counts below 0
        bound = self.setting.number if self.setting.scheme == "ssp" else None
        slowest = min(cell.finished for cell in self.cells)
        for waiting in self.cells:
            if waiting.stage == "asks" and (bound is None or waiting.finished - slowest <= bound):
                since = self.now + waiting.left
                hold = (since, self.now, cell.number) if since < self.now else None
                self._release(waiting, hold)

    def _hand_in(self, cell: Cell) -> None:
        steps, late = self.setting.steps, self.closing is not None or cell.seen != self.updates
        record = cell.record(steps, self.now)
        cell.finished += steps
        if late and self.setting.scheme != "reuse":
            self.records.append((*record, self.now, 0))
        else:
            self.batch.append(record)
            self.jobs.append(Job(cell.number, self.setting.aggregate, self._round(), False))
        if late and self.closing is None:
            self._release(cell, None)
        if late:
            return
        self.timely += 1
        if self.timely == self.setting.wait_for:
            self.jobs.append(Job(cell.number, self.setting.update, self._round()))
            self.closing = (self.batch, self.now, cell.number)
            self.batch, self.timely = [], 0

    def _round(self) -> int:
        """The number of the update that what arrives now is for."""
        return self.updates + 1 + (self.closing is not None)

    def _update_round(self, cell: Cell) -> None:
        assert self.closing is not None
        made, since, by = self.closing
        self.closing = None
        self.updates += 1
        self.records += [(*record, self.now, self.updates) for record in made]
        if self.setting.scheme == "cancel":
            self._interrupt()
        for cell in self.cells:
            if cell.stage == "at the server":
                waited = cell.arrived < since
                self._release(cell, (cell.arrived, since, by) if waited else None)

    def _interrupt(self) -> None:
        for cell in self.cells:
            if cell.stage in ("before computing", "computes", "sends"):
                self.records.append((*cell.record(1, self.now), self.now, -1))
                cell.finished += 1
                cell.stage, cell.arrived = "at the server", self.now


def played(setting: Setting, horizon: int) -> list[Record]:
    """The gradients written or dropped until the *horizon*, with the fields of ours."""
    return World(setting).play(horizon)
