"""What every update rule tells: its formula, what is in the weights, and how many gradients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.formula.expression import Expr, Number
from ddcalc.problem.steps import Step, Table
from ddcalc.schedule.scheme import Scheme
from ddcalc.types.schedules.update_rule.letters import W_0

WRITTEN = 7  # gradients up to which the answer names each; with more it has sums


@dataclass(frozen=True, slots=True)
class Read:
    """A read by *worker* of *workers*, just before it computes its *clock*. All count from 1."""

    workers: int
    worker: int
    clock: int

    @property
    def before(self) -> int:
        """The clocks that the worker has finished."""
        return self.clock - 1


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of gradients or clocks: its *formula*, the *numbers* in it, and *why*.

    The *value* None is a number without bound.
    """

    value: int | None
    formula: Expr
    numbers: Mapping[str, Number]
    why: str


class Rule(ABC):
    """What the weights are under one scheme, for one *read*."""

    def __init__(self, read: Read) -> None:
        self.read = read

    choices: tuple[str, ...] = ()  # the readings that shape it, beside the scheme

    @property
    @abstractmethod
    def name(self) -> str:
        """What the scheme is called."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The rule in words."""

    @abstractmethod
    def formula(self) -> Expr:
        """The weights in letters."""

    @abstractmethod
    def update(self) -> Iterator[Step]:
        """The rule one step at a time, where it has such a form."""

    @abstractmethod
    def common(self) -> Counted:
        """The clock up to which everybody's gradients are in."""

    @abstractmethod
    def own(self) -> Counted:
        """The worker's own gradients that are in."""

    @abstractmethod
    def guaranteed(self) -> Counted:
        """The gradients that are in whatever the order of events."""

    @abstractmethod
    def possible(self) -> Counted:
        """The further gradients that may be in."""

    @abstractmethod
    def table(self) -> Table:
        """Which gradients are in the weights, and how certainly."""

    @abstractmethod
    def sums(self) -> Expr:
        """The weights as sums, with numbers."""

    def written_out(self) -> Expr:
        """The weights with as many gradients by name as there is room for."""
        return self.sums()

    def weights(self) -> Expr:
        """The weights as the answer tells them."""
        if self.read.clock == 1:
            return W_0
        count = self.guaranteed().value
        assert count is not None
        return self.written_out() if count <= WRITTEN else self.sums()

    def scheme(self) -> Scheme | None:
        """What decides who is in on a schedule; None where the schedule changes nothing."""
        return None

    def slip(self) -> Iterator[Step]:
        """Where a printed form of the rule goes wrong."""
        return iter(())
