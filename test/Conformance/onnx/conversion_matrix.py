# Cast, QuantizeLinear and DequantizeLinear of all types, from every version to every other one: what quant-float-convert says in
# the other opset gives the same bits, by the reference of ONNX or by ONNX Runtime, and passes the checker; what it refuses ONNX's own
# version converter does not say right either. With a table of what was done. With a last argument 1 all pairs of versions, else
# neighbours, and the ends.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir/quant-float-convert %t 0 | FileCheck %s
# CHECK: from 10 to 28: {{[1-9]}}
# CHECK: 0 wrong
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

warnings.simplefilter("ignore")
np.seterr(all="ignore")
onnxruntime.set_default_logger_severity(4)
tool, work, is_full = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3] == "1"
# Each has another version of one of them.
OPSETS = (10, 13, 19, 21, 23, 24, 25, 28)
DTYPES = {
    kind: helper.tensor_dtype_to_np_dtype(kind)
    for kind in (T.FLOAT, T.FLOAT16, T.BFLOAT16, T.DOUBLE, T.INT8, T.UINT8, T.INT16, T.UINT16, T.INT32, T.UINT32, T.INT64,
                 T.UINT64, T.BOOL, T.FLOAT8E4M3FN, T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2, T.FLOAT8E5M2FNUZ, T.INT4, T.UINT4, T.FLOAT4E2M1,
                 T.FLOAT8E8M0, T.INT2, T.UINT2)
}  # fmt: skip
SIZE = (8, 64)
Cell = collections.namedtuple("Cell", "name node inputs result constants")


def get_name(kind):
    return T.DataType.Name(kind).lower()


def make_input(kind):
    """All codes of 8 bits and less; of others a sample with the ends and the numbers that narrow types have."""
    dtype = np.dtype(DTYPES[kind])
    random = np.random.default_rng(kind)
    count = SIZE[0] * SIZE[1]
    if kind == T.BOOL:
        return (np.arange(count) % 2).astype(bool).reshape(SIZE)
    if dtype.itemsize == 1:
        codes = np.arange(count, dtype=np.uint16).astype(np.uint8)
        if kind in (T.INT4, T.INT2):
            bits = 4 if kind == T.INT4 else 2
            codes &= (1 << bits) - 1
            codes = np.where(codes >> (bits - 1), codes | (0xFF << bits) & 0xFF, codes).astype(np.uint8)  # fmt: skip
        if kind in (T.UINT4, T.UINT2, T.FLOAT4E2M1):
            codes &= 3 if kind == T.UINT2 else 15
        return codes.view(dtype).reshape(SIZE)
    numbers = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    if dtype.kind in "iu":
        return np.concatenate([np.arange(256), random.integers(0, 60000, count - 256)]).astype(dtype).reshape(SIZE)  # fmt: skip
    spread = random.normal(0, 1, count - 256) * np.exp2(random.integers(-20, 18, count - 256))
    spread[:2] = np.inf, -np.inf
    return np.concatenate([numbers, spread]).astype(dtype).reshape(SIZE)


def allows(op, opset, **types):
    """Whether ONNX's schema has the operator with these types."""
    schema = onnx.defs.get_schema(op, opset, "")
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    return all(f"tensor({get_name(kind)})".replace("float64", "double") in constraints.get(name, ()) for name, kind in types.items())  # fmt: skip


def get_parameter(op, opset, which):
    schema = onnx.defs.get_schema(op, opset, "")
    values = {"x": schema.inputs[0], "y": schema.outputs[0]}
    if len(schema.inputs) > 1:
        values["s"] = schema.inputs[1]
    return values[which].type_str


def fits(op, opset, **kinds):
    types = collections.defaultdict(set)
    for which, kind in kinds.items():
        types[get_parameter(op, opset, which)].add(kind)
    return all(len(k) == 1 for k in types.values()) and allows(
        op, opset, **{name: next(iter(k)) for name, k in types.items()}
    )


def make_cells(opset):
    for source, target in itertools.product(DTYPES, DTYPES):
        if fits("Cast", opset, x=source, y=target):
            for saturate in (1, 0) if opset >= 19 and DTYPES[target].itemsize == 1 and "FLOAT8E4" in T.DataType.Name(target) else (None,):  # fmt: skip
                name = f"cast_{get_name(source)}_{get_name(target)}" + ("_wraps" if saturate == 0 else "")  # fmt: skip
                attributes = {} if saturate is None else {"saturate": saturate}
                node = helper.make_node("Cast", [f"x{source}"], [name], name, to=target, **attributes)  # fmt: skip
                yield Cell(name, node, source, target, [])
    for codes, scale in itertools.product(DTYPES, (T.FLOAT, T.FLOAT16, T.BFLOAT16)):
        for granularity in ("tensor", "axis", "block"):
            if (granularity == "axis" and opset < 13) or (granularity == "block" and opset < 21):
                continue
            each = {"tensor": (), "axis": (SIZE[1],), "block": (SIZE[0], 2)}[granularity]
            attributes = {"tensor": {}, "axis": {"axis": 1}, "block": {"axis": 1, "block_size": 32}}[granularity]  # fmt: skip
            random = np.random.default_rng(1)
            values = (random.random(each) * 2 + 0.25).astype(DTYPES[scale])
            zeros = np.zeros(each, np.uint8) if DTYPES[codes].itemsize == 1 else np.zeros(each, DTYPES[codes])  # fmt: skip
            zeros = zeros.view(DTYPES[codes]) if zeros.dtype != DTYPES[codes] else zeros
            suffix = f"{get_name(codes)}_{get_name(scale)}_{granularity}"
            for op, x, y in (("QuantizeLinear", scale, codes), ("DequantizeLinear", codes, scale)):
                if not fits(op, opset, x=x, s=scale, y=y):
                    continue
                name = f"{op[0].lower()}_{suffix}"
                constants = [
                    numpy_helper.from_array(values, f"{name}_s"),
                    numpy_helper.from_array(zeros, f"{name}_z"),
                ]
                node = helper.make_node(op, [f"x{x}", f"{name}_s", f"{name}_z"], [name], name, **attributes)  # fmt: skip
                yield Cell(name, node, x, y, constants)


def make_model(cells, opset):
    kinds = sorted({cell.inputs for cell in cells})
    graph = helper.make_graph(
        [cell.node for cell in cells],
        "cells",
        [helper.make_tensor_value_info(f"x{kind}", kind, SIZE) for kind in kinds],
        [helper.make_tensor_value_info(cell.name, cell.result, SIZE) for cell in cells],
        [constant for cell in cells for constant in cell.constants],
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=max(helper.find_min_ir_version_for(imports), 8))  # fmt: skip


INPUTS = {f"x{kind}": make_input(kind) for kind in DTYPES}


def get_bits(value):
    value = np.asarray(value)
    unsigned = np.dtype(f"u{value.dtype.itemsize}")
    bits = value.view(unsigned).astype(np.uint64)
    if value.dtype.kind in "fV" or value.dtype.num >= 24:
        isNan = np.isnan(value.astype(np.float64)) if value.dtype.kind != "b" else False
        bits = np.where(isNan, np.uint64(1 << 40), bits)
    return bits


def evaluate(model, names):
    """The bits of each output by the first who can compute it: the reference, which does so one by one where it cannot all."""
    feeds = {i.name: INPUTS[i.name] for i in model.graph.input}
    try:
        return dict(zip(names, map(get_bits, ReferenceEvaluator(model).run(None, feeds)), strict=True))  # fmt: skip
    except Exception:
        pass
    if len(names) == 1:
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])  # fmt: skip
            return {names[0]: get_bits(session.run(None, feeds)[0])}
        except Exception:
            return {names[0]: None}
    found = {}
    half = len(names) // 2
    for part in (names[:half], names[half:]):
        found |= evaluate(extract(model, part), part)
    return found


def extract(model, names):
    """The part of a model that makes some outputs."""
    makers = {output: node for node in model.graph.node for output in node.output}
    needed, todo = set(), list(names)
    while todo:
        node = makers.get(todo.pop())
        if node is not None and id(node) not in needed:
            needed.add(id(node))
            todo.extend(node.input)
    nodes = [node for node in model.graph.node if id(node) in needed]
    used = {value for node in nodes for value in node.input}
    graph = helper.make_graph(
        nodes,
        "part",
        [i for i in model.graph.input if i.name in used],
        [o for o in model.graph.output if o.name in names],
        [t for t in model.graph.initializer if t.name in used],
    )
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def differs_in_infinities(cell, old, new):
    """From 24 on an infinity becomes the largest number of FNUZ; the reference does not know."""
    has_infinity = np.isinf(np.float32(np.inf).astype(DTYPES[cell.inputs]).astype(np.float32))
    return cell.node.op_type == "Cast" and "FNUZ" in T.DataType.Name(cell.result) and has_infinity and (old < 24) != (new < 24)  # fmt: skip


def convert(cells, old, new):
    path, out, report = work / "in.onnx", work / "out.onnx", work / "report.json"
    onnx.save(make_model(cells, old), path)
    done = subprocess.run(
        [tool, path, "--opset", str(new), "-o", out, f"--report={report}"],
        capture_output=True,
        text=True,
    )
    kinds = {entry["name"]: entry["kind"] for entry in json.loads(report.read_text())["nodes"]}
    return done, kinds


counts, wrong = collections.Counter(), []
for old in OPSETS:
    cells = list(make_cells(old))
    before = evaluate(make_model(cells, old), [cell.name for cell in cells])
    for new in OPSETS:
        distance = abs(OPSETS.index(old) - OPSETS.index(new))
        if distance == 0 or not (is_full or distance in (1, len(OPSETS) - 1)):
            continue
        done, kinds = convert(cells, old, new)
        # An input of a type that the opset lacks is in the way of all others.
        kept = [cell for cell in cells if kinds.get(f"x{cell.inputs}") != "refused"]
        if len(kept) < len(cells):
            done, kinds = convert(kept, old, new)
        refused = [cell for cell in cells if cell not in kept or kinds[cell.name] == "refused" or any(kinds.get(c.name) == "refused" for c in cell.constants)]  # fmt: skip
        said = [cell for cell in cells if cell not in refused]
        if refused and said:
            done, kinds = convert(said, old, new)
        if said and done.returncode:
            wrong.append(f"{old} to {new}: {done.stderr}")
            continue
        after = {}
        if said:
            model = onnx.load(work / "out.onnx")
            onnx.checker.check_model(model, full_check=True)
            after = evaluate(model, [cell.name for cell in said])
        unknown = 0
        for cell in said:
            if before[cell.name] is None or after[cell.name] is None:
                unknown += 1
            elif not np.array_equal(before[cell.name], after[cell.name]):
                wrong.append(f"{old} to {new}: {cell.name}: other bits")
        for cell in refused:
            try:
                model = onnx.version_converter.convert_version(make_model([cell], old), new)
                onnx.checker.check_model(model, full_check=True)
                bits = evaluate(model, [cell.name])[cell.name]
            except Exception:
                continue
            if bits is not None and np.array_equal(bits, before[cell.name]) and not differs_in_infinities(cell, old, new):  # fmt: skip
                wrong.append(f"{old} to {new}: {cell.name}: refused, which ONNX's converter says")
        counts.update(cells=len(cells), said=len(said), refused=len(refused), unknown=unknown)
        print(f"from {old} to {new}: {len(said)} the same, {len(refused)} refused, {unknown} of the first nobody computes")  # fmt: skip
print(dict(counts))
if counts["unknown"] > counts["said"] // 100:
    wrong.append(f"{counts['unknown']} cells that nobody computes")
print(*wrong[:40], sep="\n")
print(f"{len(wrong)} wrong")
sys.exit(bool(wrong))
