"""How large the square error of a compressed vector may be expected to be, over its own square."""

from __future__ import annotations

from typing import Literal

from ddcalc.formula.algebra import Expr, Num, cases, sqrt

Scheme = Literal["qsgd", "qsgd_max", "terngrad", "sign", "one_bit"]
LEVELLED = ("qsgd", "qsgd_max")  # schemes with levels of choice
Method = Literal["top_k", "random_k", "unbiased"]


def quantized(scheme: Scheme, size: Expr, levels: Expr) -> Expr:
    """The bound for *size* values with one scale and *levels* besides zero (of QSGD).

    With the vector's length as the scale it is Lemma 3.1 of Alistarh et al., NIPS 2017,
    arXiv:1610.02132. With the largest value as the scale, s levels and values of y levels, the
    error over the square is Σp(1 − p)/Σy² with p the fraction of y. One y is s. For the others less
    than 1 is worst, and y = t for all, where (D − 1)(t − t²)/(s² + (D − 1)t²) has its maximum
    (D − 1)/(2s(√(s² + D − 1) + s)). TernGrad has s = 1, so that this is (√D − 1)/2. A scaled sign
    leaves Σv² − (Σ|v|)²/D, and (Σ|v|)² is at least Σv²; two means leave no more than it does.
    """
    if scheme == "qsgd":
        few = "as many levels as the root of the number of values, or more"
        many = "fewer levels than the root of the number of values"
        return cases(
            (size / levels**2, size <= levels**2, few), otherwise=sqrt(size) / levels, why=many
        )
    if scheme == "qsgd_max":
        others = size - 1
        return others / (2 * levels * (sqrt(levels**2 + others) + levels))
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
