# The matrix comparison fails for a difference that no deviation explains, and for a deviation
# without a difference.
# RUN: %python %s %t.toml | FileCheck %s
# CHECK: fake: QuantizeLinear-21 {{.*}} unexplained differences, among them
# CHECK: unexplained: 1
# CHECK: explained: 0
# CHECK: this waiver matches no difference: fake: QuantizeLinear y=i8 nan_is_lowest (D1)
# CHECK: unused: 1
# CHECK: other types: 1
# CHECK: together: 0
# CHECK: unknown field: waiver {{.*}}: missing ['rule'], unknown ['rules']

import sys

import numpy as np
from quantize_matrix import cases, data, waivers
from quantize_matrix.compare import Comparison

WAIVER = """
[[quantize_matrix]]
oracle = "fake"
op = "QuantizeLinear"
y = ["i8"]
deviation = "DEVIATION"
rule = "D1"
reason = "made up"
"""
LOWEST = WAIVER.replace("DEVIATION", "nan_is_lowest")
# A NaN, and an f16 value whose quotient is a tie only after rounding to f16.
CASE = cases.Case("QuantizeLinear", 21, "f16", "f16", "i8", (2,), (), None)
DATA = data.Data(np.array([0x7E00, 0x3C9D], np.uint16), np.array(0x3761, np.uint16), None)


class Fake:
    name = "fake"

    def __init__(self, *deviations):
        steps = waivers.Steps(CASE, DATA)
        for deviation in deviations:
            waivers.DEVIATIONS[deviation](steps)
        self.found = steps.run()

    def run(self, chosen, _):
        yield CASE, DATA, self.found


def compare(table, oracle, text):
    with open(table, "w") as file:
        file.write(text)
    comparison = Comparison(oracle, table)
    comparison.run([CASE])
    return comparison.finish()


def main(table):
    lowest = Fake("nan_is_lowest")
    both = Fake("nan_is_lowest", "f32_division")
    print("unexplained:", compare(table, lowest, WAIVER.replace("DEVIATION", "f32_division")))
    print("explained:", compare(table, lowest, LOWEST))
    print("unused:", compare(table, Fake(), LOWEST))
    print("other types:", compare(table, lowest, LOWEST.replace("i8", "ui8")))
    print("together:", compare(table, both, LOWEST + WAIVER.replace("DEVIATION", "f32_division")))
    try:
        compare(table, lowest, LOWEST.replace("rule", "rules"))
    except ValueError as error:
        print("unknown field:", error)


if __name__ == "__main__":
    main(*sys.argv[1:])
