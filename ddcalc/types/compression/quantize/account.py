"""What becomes of a vector that is quantized, as values and as steps."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.formula.algebra import Num
from ddcalc.formula.expression import Add, Pow
from ddcalc.problem.play import brief, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Table
from ddcalc.types.compression._errors import WRITTEN, VectorAccount, quantized_bound
from ddcalc.types.compression.quantize.model import Quantized

SCALES = {
    "qsgd": "the vector's length",
    "qsgd_max": "the largest value",
    "terngrad": "the largest value",
    "sign": "the mean size",
    "one_bit": "the mean of each sign",
}


class QuantizeAccount(VectorAccount[Quantized]):
    """The values and steps of a quantized vector."""

    arrives = "quantized"

    def __init__(self, work: Quantized, declared: Mapping[str, Derived]) -> None:
        question = work.question
        bound = quantized_bound(question.scheme, Num(question.bucket), Num(question.levels))
        super().__init__(work, declared, bound, {})

    def table(self) -> Table:
        return self._random_table() if self.work.rounded else self._plain_table()

    def _random_table(self) -> Table:
        buckets, question = self.work.rounded, self.work.question
        rows = [(bucket.scale, value) for bucket in buckets for value in bucket.rounded]
        many = len(buckets) > 1

        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * len(header)
            scale, at = rows[i - 1]
            cells = (brief(at.value), brief(at.scaled), brief(at.above), brief(at.draw))
            mark = (brief(scale),) if many else ()
            return Num(i), *mark, *cells, Num(at.level), brief(at.sent), brief(at.lost)

        marks = ("scale",) if many else ()
        rest = ("levels up", "chance", "draw", "level", "arrives", "lost m_i")
        header = ("i", *marks, f"{self.letter}_i", *rest)
        why = f"{self.source}the scale is {SCALES[question.scheme]}"
        if not many:
            why += f", {brief(rows[0][0])}"
        if not all(scale for scale, _ in rows):
            why += "; where it is 0, so are all values, and they arrive as 0"
        why += (
            f"; s = {question.levels}, so a value lies s·|v|/scale levels from 0; it is rounded up"
            f" where the draw (of seed {self.sample.seed}) is less than what lies above a whole"
            " level"
        )
        return Table("Rounded at random", why, header, tuple(map(row, outlined(len(rows)))))

    def _plain_table(self) -> Table:
        work = self.work

        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * 4
            cells = (vector[i - 1] for vector in (work.vector, work.sent, work.memory))
            return Num(i), *map(brief, cells)

        scale = SCALES[work.question.scheme]
        why = f"{self.source}in place of every value stands {scale}, with its sign"
        if len(work.buckets) > 1:
            why += f"; buckets of {work.question.bucket} values"
        rows = tuple(map(row, outlined(len(work.vector))))
        return Table(
            "Rounded to the sign", why, ("i", f"{self.letter}_i", "arrives", "lost m_i"), rows
        )

    def expected(self) -> Define:
        quantity, work = self.declared["expected_error"], self.work
        why = (
            "rounded up with the chance p, a value is off by a level's width times p or 1 − p; the"
            " square of that is p·(1 − p) on average"
        )
        if len(work.rounded) > 1 or len(work.vector) > WRITTEN:
            return defined(quantity, work.expected_error, why=why)
        up = [Num(value.above) for value in work.rounded[0].rounded]
        formula = Pow(Num(work.rounded[0].step), Num(2)) * Add(tuple(p * (1 - p) for p in up))
        return defined(quantity, work.expected_error, formula, {}, why)
