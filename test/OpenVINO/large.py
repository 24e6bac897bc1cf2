# Time and memory are linear in the contents of a file: many inputs and outputs, and many attributes
# of one layer.
# RUN: rm -rf %t && mkdir %t && %python %s quant-float-translate %t
import pathlib
import subprocess
import sys

from limits import bounded

translate, work = sys.argv[1], pathlib.Path(sys.argv[2])
NUMBER = 30_000
PORT = '<port id="0" precision="FP32"><dim>2</dim></port>'


def layer(number, type, content):
    return f'<layer id="{number}" name="l{number}" type="{type}" version="opset1">{content}</layer>'


def edge(source, destination):
    return f'<edge from-layer="{source}" from-port="0" to-layer="{destination}" to-port="0"/>'


def translated(name, layers, edges):
    """The bounds are ten times what is needed, and a tenth of quadratic costs."""
    path = work / f"{name}.xml"
    text = f"<layers>{''.join(layers)}</layers><edges>{''.join(edges)}</edges>"
    path.write_text(f'<net name="m" version="11">{text}</net>')
    command = [*bounded(2**31, seconds=40), translate, "--import-openvino", path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (name, done.returncode, done.stderr[-300:])
    return done.stdout


PARAMETER = f'<data shape="2" element_type="f32"/><output>{PORT}</output>'
RESULT = f"<input>{PORT}</input>"
layers = [layer(i, "Parameter", PARAMETER) for i in range(NUMBER)]
layers += [layer(NUMBER + i, "Result", RESULT) for i in range(NUMBER)]
text = translated("interface", layers, [edge(i, NUMBER + i) for i in range(NUMBER)])
assert text.count("quant_float.name") == 2 * NUMBER

attributes = " ".join(f'a{i}="{i}"' for i in range(5 * NUMBER))
unheard = f'<data {attributes}/><input><port id="1"/></input><output>{PORT}</output>'
layers = [
    layer(0, "Parameter", PARAMETER),
    layer(1, "Unheard", unheard),
    layer(2, "Result", RESULT),
]
text = translated(
    "attributes", layers, [edge(0, 1).replace('to-port="0"', 'to-port="1"'), edge(1, 2)]
)
assert text.count(' = "') >= 5 * NUMBER, text[-300:]
print("ok")
