"""Comparison of the Reference with an oracle: a difference that no waiver explains fails, and so
does a waiver without a difference."""

import numpy as np

from conformance import waivers
from conformance.waivers import Case

_SHOWN = 5


class Comparison:
    def __init__(self, oracle, reference, waiver_file):
        self._oracle = oracle
        self._reference = reference
        self._waivers = waivers.load(waiver_file, oracle)
        self.casts = self.elements = self.waived = self.unexplained = 0

    def check(self, source, to, encodings, found, opset=28, saturate=True, round_mode="up"):
        """Compares the encodings of an oracle with those of the Reference."""
        options = {"opset": opset, "saturate": saturate, "round_mode": round_mode}
        expected = self._reference.cast(source, to, encodings, **options)
        self.casts += 1
        self.elements += encodings.size
        different = np.flatnonzero(expected != found)
        if not different.size:
            return

        def cast(source, to, encodings):
            return self._reference.cast(source, to, encodings, **options)

        case = Case(
            source, to, opset, saturate, round_mode,
            encodings[different], expected[different], found[different], cast,
        )  # fmt: skip
        explained = np.zeros(different.size, bool)
        for waiver in self._waivers:
            if waiver.covers(case):
                hits = waiver.predicate(case)
                waiver.hits += np.count_nonzero(hits)
                explained |= hits
        self.waived += np.count_nonzero(explained)
        if not explained.all():
            self._report(case, ~explained)

    def _report(self, case, mask):
        count = np.count_nonzero(mask)
        self.unexplained += count
        print(
            f"{self._oracle}: {case.source} to {case.to}, opset {case.opset}, saturate {int(case.saturate)}, "
            f"{case.round_mode}: {count} unexplained differences of {case.encodings.size}, among them"
        )
        for i in np.flatnonzero(mask)[:: max(1, count // _SHOWN)][:_SHOWN]:
            print(
                f"  {int(case.encodings[i]):#x} ({case.values[i]!s}): the Reference gives {int(case.expected[i]):#x}, "
                f"the oracle {int(case.found[i]):#x}"
            )

    def finish(self):
        """Prints the outcome and returns the exit status."""
        unused = [waiver for waiver in self._waivers if not waiver.hits]
        for waiver in self._waivers:
            print(f"{waiver.hits:10} waived by {waiver}")
        for waiver in unused:
            print(f"this waiver matches no difference: {waiver}")
        print(
            f"{self._oracle}: {self.casts} casts, {self.elements} elements, {self.waived} differences waived, "
            f"{self.unexplained} unexplained, {len(unused)} unused waivers"
        )
        return 1 if self.unexplained or unused or not self.casts else 0
