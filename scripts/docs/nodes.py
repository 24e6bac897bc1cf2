"""Tables of the ordinary nodes that have a lowering, from OnnxNodes.def and OpenVinoLayers.def."""

import pathlib
import re
from dataclasses import dataclass

FOLDER = pathlib.Path(__file__).parents[2] / "include/quant-float"
ONNX_TABLE = "Conversion/NodeToQuantFloat/OnnxNodes.def"
OPENVINO_TABLE = "OpenVINO/Common/OpenVinoLayers.def"
ROW = r"^{}\((\w+), (\d+), (\d+), (-?\d+), (.+), \((.*)\), (?:\([^()]*\)|[\w:<>]+)\)$"
ATTRIBUTE = r'(?:since\((\d+), )?(?:before\((\d+), )?(required\()?(\w+)\("([\w-]+)"(?:, ([^)]+))?\)'
# Larger than any opset of ONNX.
MANY = 2**31 - 1


@dataclass
class Attribute:
    # The first opset with the attribute, and the first later opset without it.
    since: int
    before: int
    is_required: bool
    kind: str
    name: str
    # The expression in the table; empty if there is no default.
    default: str


@dataclass
class Row:
    op: str
    since: int
    min_inputs: int
    # -1 means any number.
    max_inputs: int
    # The columns between the numbers of inputs and the attributes.
    columns: list[str]
    attributes: list[Attribute]


def read_text(file):
    return (FOLDER / file).read_text()


def read(file, macro):
    """Returns the rows of a table; lists of attributes that several rows share are expanded."""
    text = read_text(file)
    lists = dict(re.findall(r"^#define (QUANT_FLOAT_\w+) (.+)$", text, re.MULTILINE))
    rows = []
    for op, since, min_inputs, max_inputs, columns, attributes in re.findall(
        ROW.format(macro), text, re.MULTILINE
    ):
        attributes = re.sub(r"QUANT_FLOAT_\w+", lambda name: lists[name[0]], attributes)
        found = [
            Attribute(int(since or 0), int(before or MANY), bool(required), *rest)
            for since, before, required, *rest in re.findall(ATTRIBUTE, attributes)
        ]
        rows.append(
            Row(op, int(since), int(min_inputs), int(max_inputs), columns.split(", "), found)
        )
    assert len(rows) == len(re.findall(rf"^{macro}\(\w+, \d", text, re.MULTILINE)), file
    return rows


def read_onnx():
    return read(ONNX_TABLE, "QUANT_FLOAT_(?:NODE|ELEMENTWISE|REDUCTION)")


def read_microsoft():
    return read(ONNX_TABLE, "QUANT_FLOAT_MICROSOFT_NODE")


def read_openvino():
    return read(OPENVINO_TABLE, "QUANT_FLOAT_(?:NODE_)?LAYER")


def describe(rows):
    """Returns each op with the opsets that add a row, and the attributes that affect its result."""
    ops = {}
    for row in rows:
        since, names = ops.setdefault(row.op, ([], []))
        since.append(str(row.since))
        names += [f"`{a.name}`" for a in row.attributes if a.kind != "anything"]
    text = "| op | from opset | attributes |\n| --- | --- | --- |\n"
    for op, (since, names) in sorted(ops.items()):
        text += f"| {op} | {', '.join(since)} | {', '.join(dict.fromkeys(names)) or '-'} |\n"
    return text + "\n"


def write_section():
    return (
        "## Other nodes\n\n`convert-onnx-nodes-to-linalg` lowers these nodes. Several opsets are versions that are "
        "lowered differently.\n\n"
        + describe(read_onnx())
        + "Nodes of com.microsoft:\n\n"
        + describe(read_microsoft())
        + "OpenVINO layers, which `convert-openvino-nodes-to-onnx` converts to such nodes:\n\n"
        + describe(read_openvino())
    )
