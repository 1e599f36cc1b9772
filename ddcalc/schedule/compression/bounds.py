"""How large the square error of a compressed vector may be expected to be, over its own square."""

from __future__ import annotations

from typing import Literal

from ddcalc.algebra import Expr, Num, cases, sqrt

Scheme = Literal["qsgd", "terngrad", "sign", "one_bit"]
Method = Literal["top_k", "random_k", "unbiased"]


def quantized(scheme: Scheme, size: Expr, levels: Expr) -> Expr:
    """The bound for *size* values with one scale and *levels* above 0 (of QSGD).

    That of QSGD is Lemma 3.1 of Alistarh et al., NIPS 2017, arXiv:1610.02132. TernGrad's expected
    error is max|v|·Σ|v| − Σv²; over Σv² that is largest where one value is 1 + √d times as large as
    all others. A scaled sign leaves Σv² − (Σ|v|)²/d, and (Σ|v|)² is at least Σv²; two means leave
    no more than it does.
    """
    if scheme == "qsgd":
        few = "so many levels that the rounding of each value counts: ω = D/s²"
        many = "fewer levels than √D: ω = √D/s"
        return cases(
            (size / levels**2, size <= levels**2, few), otherwise=sqrt(size) / levels, why=many
        )
    if scheme == "terngrad":
        return (sqrt(size) - 1) / 2
    return 1 - Num(1) / size


def sparsified(method: Method, size: Expr, kept: Expr) -> Expr:
    """The bound where *kept* of *size* values are sent.

    Stich et al., Sparsified SGD with Memory, NeurIPS 2018, arXiv:1809.07599: definition 2.1 for
    what is sent as it is, section 2.2 for random values times size/kept (whose second moment they
    bound by size/kept; the variance is less than that by the square itself).
    """
    if method == "unbiased":
        return size / kept - 1
    return 1 - kept / size
