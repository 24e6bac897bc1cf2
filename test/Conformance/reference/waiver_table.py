# The comparisons fail for an unexplained difference, and for a waiver without a difference.
# RUN: %python %s %t.toml | FileCheck %s
# CHECK: explained: 0
# CHECK: f32 to i32, opset 28, saturate 1, up: 1 unexplained differences of 1
# CHECK-NEXT: 0x40000000 (2.0): the Reference gives 0x0, the oracle 0x7
# CHECK: unexplained: 1
# CHECK: this waiver matches no difference: fake: f32 -> i32 when nan (C11)
# CHECK: unused: 1
# CHECK: other options: 1
# CHECK: unknown field: waiver {{.*}}: missing ['rule'], unknown ['rules']

import sys

import numpy as np
from conformance.compare import Comparison

WAIVER = """
[[waiver]]
oracle = "fake"
from = ["f32"]
to = ["i32"]
saturate = true
when = "nan"
rule = "C11"
reason = "made up"
"""


class Zeros:
    """A reference that casts every value to 0."""

    def cast(self, source, to, encodings, **options):
        return np.zeros(encodings.shape, np.uint32)


def compare(table, found, text=WAIVER, **options):
    with open(table, "w") as file:
        file.write(text)
    comparison = Comparison("fake", Zeros(), table)
    encodings = np.array([0x40000000, 0x7FC00000], np.uint32)  # 2.0 and NaN
    comparison.check("f32", "i32", encodings, np.array(found, np.uint32), **options)
    return comparison.finish()


def main(table):
    print("explained:", compare(table, [0, 7]))
    print("unexplained:", compare(table, [7, 0]))
    print("unused:", compare(table, [0, 0]))
    print("other options:", compare(table, [0, 7], saturate=False))
    try:
        compare(table, [0, 0], WAIVER.replace("rule", "rules"))
    except ValueError as error:
        print("unknown field:", error)


if __name__ == "__main__":
    main(*sys.argv[1:])
