# The quantization comparisons fail for an unexplained difference, and for a waiver without a
# difference.
# RUN: %python %s %t.toml | FileCheck %s
# CHECK: explained: 0
# CHECK: QuantizeLinear{{.*}}: 1 unexplained differences, among them
# CHECK-NEXT: (0,): x 2.0 (0x40000000), scale 1.0, zero point 0.0: expected 0x2, but got 0x7
# CHECK: unexplained: 1
# CHECK: this waiver matches no difference: fake: QuantizeLinear nan_is_lowest (D1)
# CHECK: unused: 1
# CHECK: other version: 1
# CHECK: not the result of the deviation: 1
# CHECK: the other zero for a NaN: 0
# CHECK: a zero for an encoding next to a NaN: 1
# CHECK: unknown field: waiver {{.*}}: missing ['rule'], unknown ['rules']

import sys

import numpy as np
from quantize_matrix.cases import Case
from quantize_matrix.compare import Comparison
from quantize_matrix.data import Data

WAIVER = """
[[quantize_matrix]]
oracle = "fake"
op = "QuantizeLinear"
deviation = "nan_is_lowest"
rule = "D1"
reason = "made up"
"""
CASE = Case("QuantizeLinear", 21, "f32", "f32", "i8", (2,), (), ())
# 2.0 and NaN.
DATA = Data(
    np.array([0x40000000, 0x7FC00000], np.uint32),
    np.array(0x3F800000, np.uint32),
    np.array(0, np.uint8),
)


FLOAT4 = Case("QuantizeLinear", 28, "f32", "f32", "f4E2M1FN", (2,), (), None)
FLOAT4_DATA = Data(DATA.x, DATA.scale, None)


class Fake:
    name = "fake"


def compare(table, found, text=WAIVER):
    with open(table, "w") as file:
        file.write(text)
    comparison = Comparison(Fake(), table)
    comparison.check(CASE, DATA, np.array(found, np.uint8))
    return comparison.finish()


def compare_zeros(table, expected):
    """An expected result of a NaN, and the negative zero that was found."""
    answer = np.array([4, expected], np.uint8), np.array([False, True])
    comparison = Comparison(Fake(), table, expected=lambda case, data: answer)
    comparison.check(FLOAT4, FLOAT4_DATA, np.array([4, 8], np.uint8))
    return comparison.finish(uses_every_waiver=False)


def main(table):
    print("explained:", compare(table, [2, 0x80]))
    print("unexplained:", compare(table, [7, 0x80]))
    print("unused:", compare(table, [2, 0]))
    print("other version:", compare(table, [2, 0x80], WAIVER + "min_opset = 23"))
    print("not the result of the deviation:", compare(table, [2, 0x81]))
    print("the other zero for a NaN:", compare_zeros(table, 0))
    print("a zero for an encoding next to a NaN:", compare_zeros(table, 4))
    try:
        compare(table, [2, 0x80], WAIVER.replace("rule", "rules"))
    except ValueError as error:
        print("unknown field:", error)


if __name__ == "__main__":
    main(*sys.argv[1:])
