"""Answers marked as they are read: those of students, or what a sheet claims itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ddcalc.ask.mark.grading import StudentMarks
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.session import Session
from ddcalc.cli.subject import tell_differing
from ddcalc.errors import Bug, DdcalcError
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import solved
from ddcalc.files.keys import Keys, Paper, keys_of
from ddcalc.files.submissions import papers


@dataclass
class Marking:
    """*answers* to a *sheet* to be marked, or what it claims; what is wrong is refused at once."""

    session: Session
    sheet: str
    answers: str | None
    names: list[str] = field(default_factory=list)  # of the problems that are solved

    def students(self) -> Iterator[StudentMarks]:
        """What comes of each student's answers, or of what each problem claims."""
        known = dict[str, tuple[Key, ...]]()
        for source in self._sources(self.sheet):
            for done in solved(source):
                # what is claimed is refused later, unless that is marked
                later = [e for x in (done, *done.parts) for e in x.of_claims]
                wrong = [e for e in done.errors if self.answers or e not in later]
                self.session.refuse(wrong, source.line_text)
                tell_differing(done, self.session)
                keys = keys_of(done)
                if self.answers is None:
                    of_one = Keys(keys, source.name)
                    yield self._marked(of_one, of_one.claims(), source)
                known |= keys
        for source in self._sources(self.answers) if self.answers is not None else ():
            of_sheet = Keys(known, source.name)
            self.names = of_sheet.names
            for paper in papers(source, of_sheet):
                yield self._marked(of_sheet, paper, source)

    def _marked(self, keys: Keys, paper: Paper, source: Source) -> StudentMarks:
        """The marks of what a *paper* states; what could not be read is refused."""
        try:
            handed, wrong = keys.marked(paper)
            self.session.refuse(wrong, source.line_text)
            return handed
        except Exception as error:  # whatever we did not foresee costs these only
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])
            return StudentMarks(paper.student, [])

    def _sources(self, name: str) -> Iterator[Source]:
        """The files that *name* means; what cannot be opened is refused."""
        for source in inputs([name]):
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])
