"""Where a verb with a chart writes, and in which format: one that draws, or puts a row a line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ddcalc.boundary import files
from ddcalc.cli.present import Steps
from ddcalc.cli.session import Session
from ddcalc.cli.sweep_format import SUFFIXES, SweepFormat
from ddcalc.errors import BadTarget, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Charted:
    """The options of such a verb."""

    chart: bool
    steps: Steps
    format: SweepFormat | None
    output: str | None
    force: bool

    @property
    def form(self) -> SweepFormat:
        """The format asked for, else that of the file, else text."""
        return self.format or SUFFIXES.get(self._suffix, SweepFormat.text)

    def check(self, inputs: Sequence[str]) -> None:
        """Refuse now what could not be written after the work; *inputs* are files that stay."""
        if self.chart and self.form is not SweepFormat.text:
            raise BadTarget("--chart goes with text; .svg and .html have one").about("--chart")
        if self.output is None:
            if self.force:
                raise BadTarget("--force goes with --output FILE").about("--force")
            return
        where = Place(files.shown(self.output))
        if self._suffix not in SUFFIXES:
            known = ", ".join(dict.fromkeys(SUFFIXES))
            raise BadTarget(f"its suffix says no format; {known} do", where).about("--output")
        if self.format not in (None, SUFFIXES[self._suffix]):
            told = f"{self._suffix} and --format {self.format} contradict each other"
            raise BadTarget(told, where).about("--output")
        files.check(self.output, force=self.force, inputs=inputs)

    def deliver(self, told: str, session: Session, inputs: Sequence[str]) -> None:
        """Write *told* into the file, or to standard output where there is none."""
        if self.output is None:
            session.out.write(told)
        else:
            files.write(self.output, told, force=self.force, inputs=inputs)
            session.tell(f"wrote {files.shown(self.output)}\n")

    @property
    def _suffix(self) -> str:
        return os.path.splitext(self.output or "")[1].lower()
