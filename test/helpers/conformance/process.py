"""Programs that cast or quantize buffers on request, one line for each request (those of
test/Conformance/reference)."""

import os
import subprocess
import tempfile

import numpy as np

from conformance.formats import FORMATS


class Program:
    """A program that answers requests, and a folder for the files that they name."""

    def __init__(self, program):
        self._folder = tempfile.TemporaryDirectory()
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

    def path(self, name):
        return os.path.join(self._folder.name, name)

    def write(self, name, type_name, encodings):
        """Writes a file of encodings and returns its path."""
        FORMATS[type_name].slots(encodings).tofile(self.path(name))
        return self.path(name)

    def read(self, name, type_name):
        return FORMATS[type_name].encodings(np.fromfile(self.path(name), FORMATS[type_name].slot))

    def ask(self, *fields):
        """Returns whether the program succeeded, or False if it does not support the request."""
        self._process.stdin.write("\t".join(map(str, fields)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if answer not in ("ok", "unsupported"):
            raise RuntimeError(f"{fields}: the program ended with {answer!r}")
        return answer == "ok"


class CastProcess(Program):
    def cast(self, source, to, encodings, opset=28, saturate=True, round_mode="up"):
        """The encodings of `to`, or None if the program does not support the cast."""
        given = self.write("input", source, encodings)
        if self.ask(source, to, opset, int(saturate), round_mode, given, self.path("output")):
            return self.read("output", to)
        return None


class QuantizeProcess(Program):
    """Arrays contain encodings, in the shapes of the tensors. Without an axis, per tensor. With a
    block size, blocked."""

    def _ask(self, name, types, precision, saturate, x, scale, zero_point, axis, block):
        quantized = types[2] if name == "quantize" else types[0]
        files = [self.write("x", types[0], x), self.write("scale", types[1], scale)]
        files.append("-" if zero_point is None else self.write("zp", quantized, zero_point))
        optional = ["-" if value is None else value for value in (axis, block)]
        sizes = "x".join(map(str, x.shape)) or "-"
        options = [precision or "-", int(saturate), sizes, *optional]
        self.ask(name, *types, *options, *files, self.path("y"))
        return self.read("y", types[2]).reshape(x.shape)

    def quantize(
        self, types, x, scale, zero_point, precision, saturate=True, axis=None, block=None
    ):
        """`types` are those of x, scale and y."""
        return self._ask("quantize", types, precision, saturate, x, scale, zero_point, axis, block)

    def dequantize(self, types, x, scale, zero_point, axis=None, block=None):
        return self._ask("dequantize", types, None, True, x, scale, zero_point, axis, block)

    def dynamic(self, x):
        """The encodings of y, scale and zero point."""
        results = [("y", "ui8"), ("scale", "f32"), ("zp", "ui8")]
        self.ask("dynamic", self.write("x", "f32", x), *(self.path(name) for name, _ in results))
        return [self.read(*result) for result in results]
