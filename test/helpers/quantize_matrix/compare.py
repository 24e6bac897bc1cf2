"""The rules against an oracle over many cases."""

import itertools

import numpy as np

from quantize_matrix import data as inputs
from quantize_matrix import semantics, waivers

_SHOWN = 3


def describe(case, data, place, expected, found):
    """Describes one element of a case with its operands."""
    x = inputs.values_of(case.x, data.x)[place]
    scale = inputs.spread(case, inputs.values_of(case.scale, data.scale))[place]
    zero_point = "none"
    if data.zero_point is not None:
        zero_point = inputs.spread(case, inputs.values_of(case.quantized, data.zero_point))[place]
    return (
        f"  {tuple(map(int, place))}: x {x} ({int(data.x[place]):#x}), scale {scale}, zero point {zero_point}: "
        f"expected {int(expected[place]):#x}, but got {int(found[place]):#x}"
    )


def places(mask):
    return [tuple(place) for place in np.argwhere(mask)]


class Comparison:
    """`expected` returns the same as data.expected."""

    def __init__(self, oracle, waiver_file, expected=inputs.expected):
        self.oracle = oracle
        self.expected = expected
        self.waivers = waivers.load(waiver_file, oracle.name)
        self.cases = self.elements = self.waived = self.unexplained = 0

    def check(self, case, data, found):
        expected, loose = self.expected(case, data)
        self.cases += 1
        self.elements += expected.size
        if found.shape != expected.shape:
            self.unexplained += 1
            print(f"{case}: the shape {found.shape}")
            return
        wrong = ~semantics.same(case.y, expected, found, loose)
        if not wrong.any():
            return
        explained = waivers.explain(self.waivers, case, data, found, loose, wrong)
        self.waived += np.count_nonzero(explained)
        left = places(wrong & ~explained)
        if left:
            self.unexplained += len(left)
            print(f"{self.oracle.name}: {case}: {len(left)} unexplained differences, among them")
            for place in left[:: max(1, len(left) // _SHOWN)][:_SHOWN]:
                print(describe(case, data, place, expected, found))

    def run(self, cases):
        groups = itertools.groupby(cases, key=lambda c: (c.op, c.opset, c.domain))
        for _, group in groups:
            group = list(group)
            for case, data, found in self.oracle.run(group, [inputs.make(c) for c in group]):
                self.check(case, data, found)

    def finish(self, uses_every_waiver=True):
        unused = [w for w in self.waivers if not w.hits] if uses_every_waiver else []
        for waiver in self.waivers:
            print(f"{waiver.hits:10} waived by {waiver}")
        for waiver in unused:
            print(f"this waiver matches no difference: {waiver}")
        print(
            f"{self.oracle.name}: {self.cases} nodes, {self.elements} elements, {self.waived} differences waived, "
            f"{self.unexplained} unexplained, {len(unused)} unused waivers"
        )
        return 1 if self.unexplained or unused or not self.cases else 0
