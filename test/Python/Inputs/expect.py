"""Checks of results for the package's tests."""

import sys

import numpy as np

failures = []
count = 0

ENCODINGS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def encodings(array):
    """The bits of the elements."""
    return np.ascontiguousarray(array).view(ENCODINGS[array.dtype.itemsize])


def same(what, got, wanted):
    """Records arrays that differ in type, shape or a bit. Any two NaNs are equal."""
    global count
    count += 1
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        failures.append(
            f"{what}: expected {wanted.dtype}{wanted.shape}, but got {got.dtype}{got.shape}"
        )
        return
    with np.errstate(all="ignore"):
        if got.dtype.name in ("int4", "int2"):
            # The unused bits of the byte do not matter.
            unlike = got != wanted
        else:
            unlike = encodings(got) != encodings(wanted)
        if np.issubdtype(got.dtype, np.floating) or got.dtype.name.startswith(("bf", "float")):
            unlike &= ~(np.isnan(got.astype(np.float64)) & np.isnan(wanted.astype(np.float64)))
    if unlike.any():
        place = tuple(int(i) for i in np.argwhere(unlike)[0])
        failures.append(
            f"{what}: {int(unlike.sum())} of {unlike.size} differ, first at {place}: expected "
            f"{wanted[place]!r}, but got {got[place]!r}"
        )


def true(what, condition):
    """Records a condition that does not hold."""
    global count
    count += 1
    if not condition:
        failures.append(what)


def raises(what, kind, words, function):
    """Records a call that does not raise this exception, or has another message."""
    global count
    count += 1
    try:
        result = function()
    except Exception as error:
        if type(error) is not kind and not (kind is OSError and isinstance(error, OSError)):
            failures.append(f"{what}: expected {kind.__name__}, but got {error!r}")
        elif words not in str(error):
            failures.append(f"{what}: expected '{words}', but got '{error}'")
        return error
    failures.append(f"{what}: expected {kind.__name__}, but got {result!r}")
    return None


def finish():
    """Ends the test."""
    print(f"{count} expectations, {len(failures)} failures")
    sys.exit("\n".join(failures[:30]) if failures else 0)
