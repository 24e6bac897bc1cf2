"""Fused multiply-adds of f32 in NumPy, as rule R7 accumulates products."""

import numpy as np


def fma(a, b, c):
    """Returns a * b + c, rounded once to f32. The arguments are f32 and are broadcast.

    The product is exact in f64. Their sum is rounded to odd, so that the conversion to f32 rounds the exact sum: the sum's last
    bit is set if the sum is inexact and was rounded to an even number.
    """
    a, b, c = (np.asarray(value, np.float32).astype(np.float64) for value in (a, b, c))
    with np.errstate(all="ignore"):
        product = a * b
        total = product + c
        of_c = total - product
        error = (product - (total - of_c)) + (c - of_c)
        bits = np.atleast_1d(np.array(total)).view(np.int64)
        grows = np.sign(error) == np.sign(total)
        adjusts = (
            np.isfinite(error) & (error != 0) & (np.atleast_1d(bits) & 1 == 0).reshape(total.shape)
        )
        bits = bits + np.where(adjusts, np.where(grows, 1, -1), 0).reshape(bits.shape)
        return bits.view(np.float64).reshape(total.shape).astype(np.float32)


def accumulate(terms, start=None):
    """Adds the products (a, b) of a list in order. Without an initial value, the first product is
    rounded."""
    total = start
    for a, b in terms:
        total = np.asarray(a * b, np.float32) if total is None else fma(a, b, total)
    return total
