"""Write docs/operators.md: the operators of ONNX, their versions, and the targets that support them.

usage: operators.py TOOLS_DIR WORK_DIR PAGE [--check]

A target supports an operator if quant-float-check --target reports no problem for one of ONNX's node tests of it.
"""

import argparse
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import nodes
import onnx
from conformance.node_tests import as_tensor, collect, make_constant
from onnxruntime.capi.onnxruntime_pybind11_state import (
    get_all_operator_schema as get_runtime_schemas,
)

ROOT = pathlib.Path(__file__).parents[2]
TARGETS = ("cpu", "nvvm")
# The operator of a function's row, without the prefix for its domain.
KIND = r"NodeKind::(?:MachineLearning|Microsoft|Qonnx|Quark|TensorRt)?(\w+)"
# The node tests of one operator that are tried.
TRIED = 4
HEAD = """# Operators

This page lists the operators of ONNX that compile for each target. `scripts/docs/operators.py` generates it. A target
supports an operator if `quant-float-check --target` reports no problem for one of ONNX's node tests of the operator,
with the inputs that specify axes as constants. If it reports problems for all tests that are tried, the last column
shows the diagnostic of the first test. *Versions* are the [opsets](glossary.md#opset) that changed the operator. In
the column *by*, *op* is an operation of the dialect, *lowering* is a row of
[OnnxNodes.def](../include/quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def), and *function* means that ONNX itself defines the
operator by other operators.

"""


SIGNALS = """
DFT and STFT of static lengths up to 2^20 use mixed-radix transforms with constant tables, each entry rounded once, and
Bluestein's algorithm for prime factors above 64. For length 400 and inputs between 0 and 1 the error is below 1e-5;
the error of ONNX Runtime is 2e-3. Dynamic lengths use the quadratic definition. An empty signal is an error.

A Gather of a table that is dequantized, by DequantizeLinear or by Cast, Sub and Mul, reads the nearest row for an
index that is out of bounds, which ONNX does not define. MaxPool returns NaN for a window that contains NaN.
AveragePool without `count_include_pad` returns NaN, the mean of no elements, for a window that contains only padding,
as ONNX's reference implementation and OpenVINO do; ONNX Runtime returns 0. com.microsoft's Unique treats NaNs as
equal, as ONNX's Unique does; ONNX Runtime's kernel does not.
"""


MICROSOFT_HEAD = """
## com.microsoft

This table lists the supported operators of ONNX Runtime, with the supported inputs, outputs and attributes. A node
with any other attribute is rejected with an error that names the attribute, and a node with more inputs or outputs
with an error that states their number. If an attribute is followed by a value in parentheses, any other value is
rejected. An output marked *not computed* is rejected if the node has it. The error of a node states any other
restriction. *lowering* is a row of OnnxNodes.def, and *function* is a function body of ONNX operators
([MicrosoftFunctions.cpp](../lib/ONNX/Schemas/MicrosoftFunctions.cpp)), whose inputs and outputs are named. ImageScaler
was an operator of ONNX's own domain.

| operator | by | inputs | outputs | attributes |
| --- | --- | --- | --- | --- |
"""


OTHERS_HEAD = """
## Other domains

These operators of other [domains](glossary.md#domain) are also function bodies of ONNX operators. All of their inputs
and attributes are supported, except for those that an error names.

"""


def find_tests():
    """Returns the node tests of each operator, which contain only this operator."""
    tests = {}
    for case in collect():
        graph = case.model.graph
        if len(graph.node) == 1 and graph.node[0].domain in ("", "ai.onnx") and case.data_sets:
            tests.setdefault(graph.node[0].op_type, []).append(case)
    return {op: sorted(cases, key=lambda case: case.name) for op, cases in tests.items()}


def is_known(value):
    return value.type.tensor_type.elem_type in (onnx.TensorProto.INT64, onnx.TensorProto.INT32)


def write_models(folder, op, cases):
    """Writes each model, and a variant in which integer inputs other than the first are constants."""
    paths = []
    for index, case in enumerate(cases[:TRIED]):
        tensors = [as_tensor(value) for value in case.data_sets[0][0]]
        positions = [i for i, v in enumerate(case.model.graph.input) if i and is_known(v)]
        models = [case.model]
        if positions and None not in tensors:
            models.append(make_constant(case.model, positions, tensors)[0])
        for kind, model in enumerate(models):
            paths.append(folder / f"{op}_{index}_{kind}.onnx")
            paths[-1].write_bytes(model.SerializeToString())
    return paths


def find_obstacle(tool, paths, target):
    """Returns the error of the first model; empty if a model compiles."""
    found = ""
    for path in paths:
        command = [tool, path, "--target", target]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return ""
        message = re.search(r"error: (.*)", result.stderr)[1]
        message = re.sub(r"^node (of '[^']*'|without a name) \(\w+\): ", "", message)
        found = found or message.replace("|", "\\|")
    return found


def describe(op, schemas, rows, quantization):
    """Returns how the operator is implemented, and its versions that are supported."""
    versions = [s.since_version for s in schemas if not s.deprecated]
    if op in quantization:
        return "op", versions
    if op in rows:
        return "lowering", [v for v in versions if v >= rows[op]]
    functions = {
        s.since_version for s in schemas if s.has_function or s.has_context_dependent_function
    }
    # A version without a body is an older one with other types.
    first = min(functions, default=None)
    return ("function", [v for v in versions if v >= first]) if functions else ("", [])


def write_page(tools, folder):
    schemas = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            schemas.setdefault(schema.name, []).append(schema)
    rows = {}
    for row in nodes.read_onnx():
        rows[row.op] = min(row.since, rows.get(row.op, row.since))
    quantization = {"BitCast", "Cast", "CastLike", "QuantizeLinear", "DequantizeLinear"}
    # The nodes that the importer converts without a table.
    quantization |= {"Constant"}
    tests = find_tests()

    def try_targets(op):
        paths = write_models(folder, op, tests.get(op, []))
        tool = tools / "quant-float-check"
        return [find_obstacle(tool, paths, target) for target in TARGETS]

    ops = sorted(schemas)
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = dict(zip(ops, pool.map(try_targets, ops), strict=True))
    text = HEAD + f"| operator | versions | by | {' | '.join(TARGETS)} | first diagnostic |\n"
    text += "| --- | --- | --- | --- | --- | --- |\n"
    without, untested = [], []
    for op in ops:
        kind, versions = describe(
            op, sorted(schemas[op], key=lambda s: s.since_version), rows, quantization
        )
        if not kind:
            without.append(op)
            continue
        listed = ", ".join(map(str, versions))
        if op not in tests:
            untested.append(op)
            marks, obstacles = ["" for _ in TARGETS], []
        else:
            marks = ["no" if obstacle else "yes" for obstacle in results[op]]
            obstacles = dict.fromkeys(filter(None, results[op]))
        text += f"| {op} | {listed} | {kind} | {' | '.join(marks)} | {'; '.join(obstacles)} |\n"
    text += "\nONNX has no node test of these operators: " + ", ".join(untested) + ".\n"
    text += "\nThese operators are not supported, and an error names them: "
    text += ", ".join(without) + ".\n" + SIGNALS
    return text + write_microsoft() + write_others()


def write_others():
    """The names of operators of other domains."""
    text = OTHERS_HEAD
    for domains, name in (
        (
            "QONNX, domains `qonnx.custom_op.general`, `onnx.brevitas` and `finn.custom_op.general`",
            "QonnxFunctions.cpp",
        ),
        ("Domain `ai.onnx.ml`", "MachineLearningFunctions.cpp"),
        (
            "TensorRT's, domain `trt`, and Quark's, domains `com.amd.quark` and `com.vai.quantize`",
            "VendorFunctions.cpp",
        ),
    ):
        source = (ROOT / "lib/ONNX/Schemas" / name).read_text()
        table = source[source.index("Rows() {") :]
        ops = sorted(re.findall(rf"^      \{{{KIND},", table, re.MULTILINE))
        text += f"- {domains} ([{name}](../lib/ONNX/Schemas/{name})): {', '.join(ops)}.\n"
    return text


def read_functions():
    """The rows of MicrosoftFunctions.cpp: each op, the names of its inputs, outputs and attributes,
    and its body, which may be in AttentionFunctions.cpp."""
    folder = ROOT / "lib/ONNX/Schemas"
    source = (folder / "MicrosoftFunctions.cpp").read_text()
    bodies = source + (folder / "AttentionFunctions.cpp").read_text()
    table = source[source.index("getMicrosoftRows() {") :]
    names = r"\{([^{}]*)\}"
    row = rf"^      \{{{KIND},\s*\{{{names},\s*{names},\s*{names},\s*(\w+)(?:,\s*/\*like=\*/\d+)?\}}\}},"
    found = re.findall(row, table, re.MULTILINE)
    assert len(found) == len(re.findall(rf"^      \{{{KIND},", table, re.MULTILINE))
    for op, *lists, function in found:
        inputs, outputs, attributes = (re.findall(r'"(\w+)"', names) for names in lists)
        body = bodies[re.search(rf"void (onnx_import::)?{function}\(", bodies).start() :]
        # A body of one line ends on this line.
        end = "}\n" if body.partition("\n")[0].endswith("}") else "\n}"
        yield op, inputs, outputs, attributes, body[: body.index(end)]


def write_microsoft():
    """Writes the supported inputs, outputs and attributes of each operator of ONNX Runtime."""
    text = MICROSOFT_HEAD
    rows = {}
    outputs_of = {
        s.name: s.max_output for s in get_runtime_schemas() if s.domain == "com.microsoft"
    }
    for row in nodes.read_microsoft():
        max_inputs = "any" if row.max_inputs < 0 else row.max_inputs
        count = (
            row.min_inputs if row.min_inputs == max_inputs else f"{row.min_inputs} to {max_inputs}"
        )
        attributes = ", ".join(f"`{a.name}`" for a in row.attributes) or "-"
        rows[row.op] = f"lowering | {count} | {outputs_of[row.op]} | {attributes}"
    for op, inputs, outputs, attributes, body in read_functions():
        only = dict(re.findall(r'expectInt\("(\w+)", (-?\d+)\)', body))
        for names, value in re.findall(r": \{([^{}]+)\}\)\s+d\.expectInt\(name, (-?\d+)\)", body):
            only |= dict.fromkeys(re.findall(r'"(\w+)"', names), value)
        refused = set(map(int, re.findall(r"refuseOutput\((\d+)\)", body)))
        shown = [f"`{a}`" + (f" ({only[a]})" if a in only else "") for a in attributes]
        marked = [f"{o} (*not computed*)" if i in refused else o for i, o in enumerate(outputs)]
        columns = (", ".join(inputs), ", ".join(marked), ", ".join(shown) or "-")
        rows[op] = "function | " + " | ".join(columns)
    return text + "".join(f"| {op} | {row} |\n" for op, row in sorted(rows.items()))


def wrap(text):
    """Wraps paragraphs at 120 columns, but not tables."""
    lines = []
    for line in text.split("\n"):
        while len(line) > 120 and not line.startswith("|"):
            end = line.rindex(" ", 0, 120)
            lines.append(line[:end])
            line = line[end + 1 :]
        lines.append(line)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("tools", "work", "page"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = wrap(write_page(arguments.tools, arguments.work))
    if not arguments.check:
        arguments.page.write_text(text)
    elif arguments.page.read_text() != text:
        new = arguments.work / "operators.md"
        new.write_text(text)
        subprocess.run(["diff", arguments.page, new], check=False)
        sys.exit(f"{arguments.page} is not current: scripts/docs/operators.py writes it")


if __name__ == "__main__":
    main()
