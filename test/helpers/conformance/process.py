"""A program that casts buffers on request, one line per request (test/Conformance/reference/quant-float-reference-cast.cpp)."""

import os
import subprocess
import tempfile

import numpy as np

from conformance.formats import FORMATS


class CastProcess:
    def __init__(self, program):
        self._folder = tempfile.TemporaryDirectory()
        self._input = os.path.join(self._folder.name, "input")
        self._output = os.path.join(self._folder.name, "output")
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()

    def cast(self, source, to, codes, opset=28, saturate=True, round_mode="up"):
        """The codes of `to`, or None where the program answers that it has no such cast."""
        FORMATS[source].slots(codes).tofile(self._input)
        fields = [source, to, opset, int(saturate), round_mode, self._input, self._output]
        self._process.stdin.write("\t".join(map(str, fields)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if answer == "unsupported":
            return None
        if answer != "ok":
            raise RuntimeError(f"{source} to {to}: the cast program ended with {answer!r}")
        return FORMATS[to].codes(np.fromfile(self._output, FORMATS[to].slot))
