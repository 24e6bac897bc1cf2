# The bits of the Reference against ml_dtypes and NumPy. f64 sources only to NumPy's own types:
# ml_dtypes rounds them twice.
# RUN: %python %s %tools_dir/quant-float-reference-cast %src_root/test/Conformance/waivers.toml

import sys

import numpy as np
from conformance import inputs
from conformance.compare import Comparison
from conformance.formats import FLOAT4_AND_6, FLOAT8, FNUZ, FORMATS
from conformance.process import CastProcess

NUMPY = [name for name, form in FORMATS.items() if form.dtype.isbuiltin == 1]


def astype(source, to, encodings):
    array = FORMATS[source].array(encodings)
    with np.errstate(all="ignore"):
        try:
            result = array.astype(FORMATS[to].dtype)
        except TypeError:
            # Some pairs of ml_dtypes' own types have no cast. All are narrow, so the step through f32 is exact.
            assert FORMATS[source].width <= 8
            result = array.astype(np.float32).astype(FORMATS[to].dtype)
    return FORMATS[to].from_array(result)


def saturated(source, to, encodings, found, opset):
    """ml_dtypes never saturates: overflowed results are replaced by the largest value, except the
    infinities of C4's older tables."""
    values = FORMATS[source].values(encodings)
    overflowed = ~np.isfinite(FORMATS[to].values(found)) & ~np.isnan(values)
    if opset < 24 and to in FNUZ:
        overflowed &= ~np.isinf(values)
    largest = FORMATS[to].from_array(np.array([FORMATS[to].max_value], FORMATS[to].dtype))[0]
    sign = np.where(np.signbit(values), 0x80, 0).astype(np.uint8)
    return np.where(overflowed, largest | sign, found)


def compare(comparison, source, to):
    encodings = inputs.encodings(source, to)
    found = astype(source, to, encodings)
    if to in FLOAT8:
        comparison.check(source, to, encodings, found, saturate=False)
        for opset in (23, 28) if to in FNUZ else (28,):
            comparison.check(
                source, to, encodings, saturated(source, to, encodings, found, opset), opset=opset
            )
    elif to in FLOAT4_AND_6:
        for saturate in (False, True):
            comparison.check(source, to, encodings, found, saturate=saturate)
    elif to == "f8E8M0FNU":
        # ml_dtypes has this mode only, and it never saturates.
        comparison.check(source, to, encodings, found, saturate=False, round_mode="nearest")
    else:
        comparison.check(source, to, encodings, found)


def main(program, waiver_file):
    with CastProcess(program) as reference:
        comparison = Comparison("ml_dtypes", reference, waiver_file)
        for source in FORMATS:
            for to in FORMATS:
                if source != to and (source != "f64" or to in NUMPY):
                    compare(comparison, source, to)
        return comparison.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
