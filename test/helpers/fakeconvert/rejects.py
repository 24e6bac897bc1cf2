"""FakeConvert nodes of every kind of shape and type, as IR files, in OpenVINO and
quant-float-check."""

import collections
import itertools
import pathlib
import re
import subprocess
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

import openvino

_TYPES = ("f32", "f16", "bf16")


@dataclass(frozen=True)
class Probe:
    """One node. The operands are (element type, shape as in a Parameter)."""

    what: str
    operands: tuple
    destination: str | None = "f8e4m3"
    version: str = "opset13"

    def __str__(self):
        operands = ", ".join(f"{name}[{shape}]" for name, shape in self.operands)
        return f"{self.what}: {operands} to {self.destination}"


def _shaped(what, *shapes, name="f32"):
    return Probe(what, tuple((name, shape) for shape in shapes))


def _broadcasts():
    """Scales of every shape that broadcasts to a few data shapes, and of some that do not."""
    for data, scale in itertools.product(
        ("", "4", "2,4", "3,1", "2,3,4", "0,4"),
        ("", "1", "4", "3", "1,1", "2,1", "2,4", "1,3", "1,1,1", "2,3,1", "0"),
    ):
        yield _shaped("broadcast", data, scale)


def _dynamic():
    """Dynamic sizes and intervals on either side, and dynamic ranks."""
    for data, scale in [
        *(("?,4", "2,1"), ("?,4", "2,4"), ("?,?", "3,1"), ("?", "?"), ("4", "?"), ("1", "?"), ("2,4", "?,1")),
        *(("2,4", "?,?"), ("2,4", "?,3"), ("?,4", "?,4"), ("?,4", "1,3"), ("?", "2,3"), ("?,1", "1,4")),
        *(("4,2..5,6", "4,3,1"), ("2..5", "3"), ("2..5", "7"), ("2..5", "1"), ("2..5", "4..9"), ("2..5", "6..9")),
        *(("2..5", "1..2"), ("2..5", "0..3"), ("3", "2..5"), ("3", "4..5"), ("3", "1..2"), ("1", "2..5"), ("1", "1..5")),
        *(("?", "2..5"), ("2..5", "?"), ("2..", "3"), ("..5", "3"), ("..5", "7"), ("...", "3"), ("...", "..."), ("...", "")),
        *(("3", "..."), ("", "..."), ("2,3", "..."), ("...", "2,3"), ("?,?,?", "2,3"), ("?,2..5,?", "2,3,4")),
    ]:  # fmt: skip
        yield _shaped("dynamic", data, scale)


def _shifts():
    for scale, shift in [
        *(("", ""), ("1", "1"), ("", "1"), ("1", ""), ("4", "4"), ("4", "1"), ("1", "4"), ("3,1", "3,1")),
        *(("3,1", "3,4"), ("3,1", "1,4"), ("4", "1,4"), ("?", "4"), ("4", "?"), ("?", "?"), ("?,1", "3,1")),
        *(("3,?", "3,4"), ("2..5,1", "3,1"), ("2..5,1", "7,1"), ("...", "4"), ("4", "..."), ("...", "...")),
        *(("2,3,4", "2,3,4"), ("1,2,3,4", "1,2,3,4"), ("5", "5"), ("?,3", "2,?")),
    ]:  # fmt: skip
        yield _shaped("shift", "2,3,4", scale, shift)
    for data in ("...", "?,?,?", "?,3,4", ""):
        for pair in (("3,1", "3,1"), ("1", "1"), ("", ""), ("?", "4"), ("...", "4")):
            yield _shaped("shift", data, *pair)


def _types():
    names = (*_TYPES, "f64", "i32", "u8", "f8e4m3", "boolean")
    for name in (*names, "dynamic"):
        yield Probe("type", ((name, "4"), (name, "1")))
        yield Probe("type", ((name, "4"), (name, "1"), (name, "1")))
    for data, scale, shift in itertools.product(_TYPES, repeat=3):
        if len({data, scale, shift}) > 1:
            yield Probe("types", ((data, "4"), (scale, "1"), (shift, "1")))
    for data, scale in itertools.product(names, repeat=2):
        if data != scale and (data in _TYPES or scale in _TYPES):
            yield Probe("types", ((data, "2,3"), (scale, "")))
    for names in (
        ("f32", "dynamic"),
        ("dynamic", "f16"),
        ("bf16", "bf16", "dynamic"),
        ("dynamic", "f32", "f16"),
    ):
        yield Probe("types", tuple((name, "1") for name in names))


def _destinations():
    spelled = ("f8e4m3", "F8E4M3", "f8E5m2", "F8E5M2", None, "", "f8e8m0", "f4e2m1", "f16", "f32", "nf4", "u8", "f8", "f8e4m3fn", "float8", "e4m3", " f8e4m3")  # fmt: skip
    for destination in spelled:
        yield Probe("destination", (("f32", "4"), ("f32", "")), destination)
    # Several errors at once.
    yield Probe("destination", (("i32", "4"), ("f32", "3")), "u8")


def _counts():
    for count in (1, 2, 3, 4):
        yield Probe(f"{count} inputs", (("f32", "4"),) * count)
    for version in ("opset1", "opset12", "opset13", "opset14", "opset15", "opset16", "opset17", ""):
        yield Probe(f"version '{version}'", (("f32", "4"), ("f32", "1")), version=version)


def every():
    for make in (_broadcasts, _dynamic, _shifts, _types, _destinations, _counts):
        yield from make()


def _port(index, name, shape):
    sizes = [] if "..." in shape or not shape else shape.split(",")
    dims = "".join(f"<dim>{size if size.isdigit() else -1}</dim>" for size in sizes)
    return f'<port id="{index}" precision="{_PRECISIONS.get(name, name.upper())}">{dims}</port>'


_PRECISIONS = {"f32": "FP32", "f16": "FP16", "f64": "FP64", "boolean": "BOOL", "dynamic": "UNSPECIFIED"}  # fmt: skip


def text(probe):
    """The IR."""
    layers, edges = [], []
    for index, (name, shape) in enumerate(probe.operands):
        layers.append(
            f'<layer id="{index}" name="p{index}" type="Parameter" version="opset1">'
            f'<data shape="{shape}" element_type="{name}"/>'
            f"<output>{_port(0, name, shape)}</output></layer>"
        )
        edges.append(f'<edge from-layer="{index}" from-port="0" to-layer="10" to-port="{index}"/>')
    count = len(probe.operands)
    attribute = ""
    if probe.destination is not None:
        attribute = f"<data destination_type={quoteattr(probe.destination)}/>"
    inputs = "".join(_port(i, *operand) for i, operand in enumerate(probe.operands))
    layers.append(
        f'<layer id="10" name="fc" type="FakeConvert" version="{probe.version}">{attribute}'
        f"<input>{inputs}</input><output>{_port(count, *probe.operands[0])}</output></layer>"
    )
    layers.append(
        '<layer id="11" name="r" type="Result" version="opset1">'
        f"<input>{_port(0, *probe.operands[0])}</input></layer>"
    )
    edges.append(f'<edge from-layer="10" from-port="{count}" to-layer="11" to-port="0"/>')
    return (
        f'<?xml version="1.0"?>\n<net name="probe" version="11"><layers>{"".join(layers)}</layers>'
        f"<edges>{''.join(edges)}</edges></net>\n"
    )


def _sizes(shape):
    """The result's sizes from OpenVINO. None is a dynamic size or rank."""
    if shape.rank.is_dynamic:
        return None
    return [size.get_length() if size.is_static else None for size in shape]


def _spelled(sizes, name):
    if sizes is None:
        return f"tensor<*x{name}>"
    return f"tensor<{'x'.join(['?' if size is None else str(size) for size in sizes] + [name])}>"


class Judge:
    """If both disagree, an exception with a name must explain it."""

    def __init__(self, tools_dir, work):
        self._core = openvino.Core()
        self._tools_dir, self._work = pathlib.Path(tools_dir), pathlib.Path(work)
        self.accepted = self.refused = self.failures = 0
        self.named = collections.Counter()

    def _call(self, tool, *arguments):
        command = [self._tools_dir / tool, *arguments]
        return subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False, errors="replace"
        )

    def _fail(self, probe, text):
        self.failures += 1
        print(f"{probe}: {text}")

    def _write(self, probe):
        path = self._work / "probe.xml"
        path.write_text(text(probe))
        path.with_suffix(".bin").write_bytes(b"")
        return path

    def _read(self, probe):
        """The result's type in MLIR's syntax or None, and OpenVINO's message."""
        try:
            model = self._core.read_model(self._write(probe))
        except RuntimeError as error:
            return None, str(error).strip().splitlines()[-1:]
        result, data = model.outputs[0], model.inputs[0]
        sizes, known = _sizes(result.partial_shape), _sizes(data.partial_shape)
        if known is not None and sizes != known:
            # The result has the shape of the data. OpenVINO loses some sizes if those of the scale
            # are dynamic.
            merged = [b if a is None else a for a, b in zip(sizes or known, known, strict=True)]
            self.named["sizes of the data are kept"] += merged != sizes
            sizes = merged
        return _spelled(sizes, result.element_type.to_string()), None

    def _is_interval(self, probe):
        """Whether only the bounds of intervals, which MLIR's types cannot express, make OpenVINO
        reject it."""
        opened = tuple(
            (name, re.sub(r"\d*\.\.(?!\.)\d*", "?", shape))
            for name, shape in probe.operands
            if shape != "..."
        )
        return (
            len(opened) == len(probe.operands)
            and opened != probe.operands
            and self._read(replace(probe, operands=opened))[0]
        )

    def judge(self, probe):
        self._work.mkdir(parents=True, exist_ok=True)
        expected, why = self._read(probe)
        path = self._write(probe)
        check = self._call("quant-float-check", path)
        told = check.stderr + check.stdout
        if check.returncode not in (0, 1) or (check.returncode == 1 and "error: " not in told):
            self._fail(probe, f"exit code {check.returncode}: {told}")
        elif any(name == "dynamic" for name, _ in probe.operands):
            # MLIR has no such type, and OpenVINO's inference after it is known does not matter
            # here.
            self.named["an element type is dynamic: the layer is kept, with a warning"] += 1
            if check.returncode != 0 or "is not known, so the layer is kept unchanged" not in told:
                self._fail(
                    probe, f"expected a warning, but got exit code {check.returncode}: {told}"
                )
        elif expected is None:
            self.refused += 1
            if check.returncode == 1:
                return
            if self._is_interval(probe):
                self.named["only the bounds of an interval are wrong: accepted"] += 1
            else:
                self._fail(probe, f"accepted, but OpenVINO says {why}")
        elif probe.version == "opset16" and "must be between 13 and 15" in told:
            # K1 has a partial table only.
            self.named["OpenVINO accepts the version 'opset16', too"] += 1
        else:
            self.accepted += 1
            self._compare(probe, path, expected, check)

    def _compare(self, probe, path, expected, check):
        if check.returncode != 0:
            self._fail(probe, f"OpenVINO makes {expected} of it, but: {check.stderr}{check.stdout}")
            return
        made = self._call("quant-float-translate", "--import-openvino", path)
        found = re.search(r"return %\S+ : (\S+)", made.stdout)
        if not found or found.group(1) != expected:
            told = found.group(1) if found else made.stderr
            self._fail(probe, f"expected {expected}, but got {told}")

    def finish(self):
        for name, count in self.named.items():
            print(f"{count:4} exceptions: {name}")
        print(
            f"{self.accepted} accepted and {self.refused} refused by OpenVINO, {self.failures} disagreements"
        )
        return 1 if self.failures or min(self.accepted, self.refused) < 60 else 0
