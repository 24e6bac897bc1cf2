"""Runs the importer on pairs of .xml and .bin that it rejects or warns about."""

import re
import subprocess

from cases import Table

# One layer of each kind that the importer handles itself, and one other layer.
MODEL = """<?xml version="1.0"?>
<net name="m" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="s" type="Const" version="opset1"><data element_type="f32" shape="1, 3" offset="0" size="12"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim></port></output></layer>
<layer id="2" name="r" type="ReLU" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="3" name="fc" type="FakeConvert" version="opset13"><data destination_type="f8e4m3"/>
<input><port id="0" precision="FP32"/><port id="1" precision="FP32"/></input>
<output><port id="2" precision="FP32" names="y"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="4" name="y" type="Result" version="opset1" output_names="y"><input><port id="0" precision="FP32"/></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>
</edges>
<rt_info/>
</net>
"""
WEIGHTS = bytes.fromhex("0000803f0000004000008040")

# The descriptions of the layers in messages.
X, S, R, FC, Y = (
    "layer 'x' (Parameter, id 0)",
    "layer 's' (Const, id 1)",
    "layer 'r' (ReLU, id 2)",
    "layer 'fc' (FakeConvert, id 3)",
    "layer 'y' (Result, id 4)",
)


def edited(*changes, text=MODEL):
    """The model with strings replaced, each of which must occur."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def location_of(text, needle):
    """The line and column that a message about the element starting there has."""
    at = (text if isinstance(text, bytes) else text.encode()).index(needle.encode())
    before = text[:at] if isinstance(text, bytes) else text.encode()[:at]
    # An element's location is that of its name.
    column = at - before.rfind(b"\n") + (1 if needle.startswith("<") else 0)
    return f"{before.count(10) + 1}:{column}"


class PairTable(Table):
    """Cases of a Table that are pairs of files."""

    def add(
        self, diagnostic, xml, message, *, place, weights=WEIGHTS, memory=None, piped=False, more=()
    ):
        """A model, the diagnostic that it covers (None for a verifier's), the message after `error:
        ` and its location: an element of the model or "line:column". Weights: the bytes of the
        .bin, None for no file, or a function that creates the file. Memory: the number of bytes
        that the importer may map."""
        data = xml if isinstance(xml, bytes) else xml.encode()
        if not re.fullmatch(r"\d+:\d+", place):
            place = location_of(data, place)
        super().add(diagnostic, data, message, piped=piped, more=more)
        self.cases[-1] += (place, weights, memory)

    def run_case(self, index):
        _, data, severity, message, piped, more, place, weights, memory = self.cases[index]
        path = self.folder / f"{index}.xml"
        binary = path.with_suffix(".bin")
        output = self.folder / f"{index}.mlir"
        path.write_bytes(data)
        if callable(weights):
            weights(binary)
        elif weights is not None:
            binary.write_bytes(weights)
        command = [self.translate, "--import-openvino", "-" if piped else path, "-o", output]
        if memory:
            command = ["prlimit", f"--as={memory}", *command]
        done = subprocess.run(
            command,
            input=data if piped else b"",
            capture_output=True,
            timeout=60,
        )
        name = "<stdin>" if piped else str(path)
        message = message.replace("{bin}", str(binary))
        expected = [f"{name}:{place}: {severity}: {message}", *more]
        # The tool prints the line of the file as well, and a caret.
        found = [
            line
            for line in done.stderr.decode(errors="replace").split("\n")
            if re.match(re.escape(name) + r":\d+:\d+: (error|warning|note): ", line)
        ]
        return self.judge(index, done, expected, found)
