"""Differences from OpenVINO and from the formula: those that the machine explains have names and
are counted. Any other difference is an error."""

import collections

import numpy as np

from fakeconvert import semantics

_SHOWN = 3


def _spread(part, shape):
    return None if part is None else np.broadcast_to(part, shape)


def _describe(case, data, place, expected, found):
    x, scale, shift = (
        None if part is None else semantics.to_single(case.type, np.array([part[place]]))[0]
        for part in (data.x, _spread(data.scale, data.x.shape), _spread(data.shift, data.x.shape))
    )
    both = [
        f"{int(encodings[place]):#x} ({semantics.to_single(case.type, np.array([encodings[place]]))[0]})"
        for encodings in (expected, found)
    ]
    return (
        f"  {place}: x {int(data.x[place]):#x} ({x}), scale {scale}, shift {shift}: "
        f"expected {both[0]}, but got {both[1]}"
    )


class Comparison:
    def __init__(self, quirks):
        self._quirks = quirks  # of a mode and a case
        self.elements = collections.Counter()
        self.differing = collections.Counter()
        self.named = collections.Counter()
        self.nodes = collections.Counter()

    def _explained(self, mode, case, data, expected, found):
        """The elements that equal the rules' results with or without the machine-dependent
        deviations."""
        operands = (case.type, case.destination, data.x, data.scale, data.shift, case.origin)
        quirks = self._quirks(mode, case)
        rules = semantics.evaluate(case.arithmetic(mode), *operands)
        machine = semantics.evaluate(case.arithmetic(mode), *operands, quirks)
        explained = semantics.same(case.type, machine, expected)
        explained &= semantics.same(case.type, rules, found)
        explained &= ~semantics.same(case.type, expected, found)
        left = explained.copy()
        for quirk in semantics.QUIRKS:
            if quirk in quirks:
                alone = semantics.evaluate(case.arithmetic(mode), *operands, {quirk})
                hit = left & ~semantics.same(case.type, alone, rules)
                self.named[quirk] += np.count_nonzero(hit)
                left &= ~hit
        self.named["several of these at once"] += np.count_nonzero(left)
        return explained

    def check(self, what, mode, case, data, expected, found):
        """Whether the result equals that of OpenVINO (or of the formula)."""
        key = (what, mode, case.type)
        self.nodes[key] += 1
        self.elements[key] += expected.size
        if found.shape != expected.shape:
            self.differing[key] += expected.size
            print(f"{what}, {mode}: {case}: expected the shape {expected.shape}, got {found.shape}")
            return False
        wrong = ~semantics.same(case.type, expected, found)
        if wrong.any() and mode != "exact":
            wrong &= ~self._explained(mode, case, data, expected, found)
        if not wrong.any():
            return True
        places = [tuple(map(int, place)) for place in np.argwhere(wrong)]
        self.differing[key] += len(places)
        print(f"{what}, {mode}: {case}: {len(places)} of {expected.size} elements differ")
        for place in places[:: max(1, len(places) // _SHOWN)][:_SHOWN]:
            print(_describe(case, data, place, expected, found))
        return False

    def finish(self):
        for name, count in self.named.items():
            if count:
                print(f"{count:12} elements differ by the machine: {name}")
        for key, count in self.elements.items():
            what, mode, name = key
            print(
                f"{what:10} {mode:18} {name:4} {self.nodes[key]:5} nodes {count:12} elements "
                f"{self.differing[key]:8} differing"
            )
        return 1 if any(self.differing.values()) or not self.elements else 0
