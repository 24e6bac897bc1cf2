# Conversions of Cast, CastLike, QuantizeLinear and DequantizeLinear between all opsets, as the
# schemas of all versions allow these ops: every type of input, scale and result, with and without a
# zero point and with a nonzero one, constants and runtime values, every granularity, and precision
# and saturate with per-tensor and per-column scales. Quantized values without other users:
# quantized and dequantized, cast twice, and both, also through Transpose. Dynamic sizes for every
# granularity. Target runtimes may lack types. The results of quant-float-convert pass the checker
# and compute the same values according to the rules' definition (Inputs/definition.py). A sample is
# executed by our compiled code and by ONNX Runtime if its kernels agree on the unconverted case.
# The only errors are inputs or outputs of a type that the opset lacks, and 64-bit integers that are
# cast to bfloat16 and float8e8m0 through double, which would round twice. The last argument is the
# size of the sample, or 0 for all cases.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/Inputs %python %s %tools_dir %t 3 | FileCheck %s
# CHECK: from 10 to 28: {{[1-9]}}
# CHECK: {{^}}0 wrong{{$}}
import collections
import itertools
import json
import pathlib
import random
import subprocess
import sys
import warnings

import definition
import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from definition import FLOAT8, INTEGERS
from onnx import TensorProto as T
from onnx import helper

warnings.simplefilter("ignore")
np.seterr(all="ignore")
onnxruntime.set_default_logger_severity(4)
tools, work, limit = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
draw = random.Random(40)
FIRST_OPSET_WITH_CAST_LIKE = 15
# Each of these opsets has another version of one of the ops.
OPSETS = (10, 13, 19, 21, 23, 24, 25, 28)
# Also 18, the last one without float8, and 12, the last one without bfloat16.
TARGETS = (10, 12, 13, 18, 19, 21, 23, 24, 25, 28)
WITHOUT = ("float16", "bfloat16", "float8e8m0", "float8e4m3fn", "float8e5m2fnuz", "float4e2m1", "int4", "uint4", "int2", "int16", "uint16")  # fmt: skip
KINDS = [T.DataType.Value(name) for name in T.DataType.keys() if name not in ("UNDEFINED", "STRING", "COMPLEX64", "COMPLEX128")]  # fmt: skip
SIZE = (8, 64)
BATCH = 2000
# The shape of the scale, axis and block size. Blocks of 24 leave a partial one.
GRANULARITIES = {
    "tensor": ((), {}),
    "rows": ((8,), {"axis": 0}),
    "columns": ((64,), {"axis": 1}),
    "blocks": ((8, 3), {"axis": -1, "block_size": 24}),
    "row_blocks": ((2, 64), {"axis": 0, "block_size": 4}),
}
# Types that a version may lack. Values that are only cast to these types and back can be converted
# without them.
NARROW = (T.FLOAT16, T.BFLOAT16, *FLOAT8, T.FLOAT8E8M0, T.FLOAT4E2M1, T.FLOAT6E2M3, T.FLOAT6E3M2, T.INT4, T.UINT4, T.INT2, T.UINT2, T.INT16, T.UINT16)  # fmt: skip
# `inexact` is a type without which the case has no exact equivalent.
Cell = collections.namedtuple(
    "Cell", "name node inputs result constants inexact is_dynamic", defaults=(None, False)
)


def get_name(kind):
    return T.DataType.Name(kind).lower()


def make_input(kind):
    """All encodings of up to 8 bits, and for wider types a sample with the ends of the range and
    the values of narrow types."""
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    generator = np.random.default_rng(kind)
    count = SIZE[0] * SIZE[1]
    bits, is_signed = INTEGERS.get(kind, (0, False))
    if kind == T.BOOL:
        return (np.arange(count) % 2).astype(bool).reshape(SIZE)
    if bits:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        if bits <= 8:
            return np.resize(np.arange(low, high + 1), SIZE).astype(dtype)
        ends = [low, low + 1, high - 1, high] if bits <= 32 else []
        some = [16777217, -16777217, 33554435, 65537] if kind == T.INT32 else []
        numbers = np.concatenate([np.arange(256), ends, some, generator.integers(0, 60000, count)])
        return numbers[:count].astype(dtype).reshape(SIZE)
    if dtype.itemsize == 1:
        width = {T.FLOAT4E2M1: 4, T.FLOAT6E2M3: 6, T.FLOAT6E3M2: 6}.get(kind, 8)
        return np.resize(np.arange(1 << width, dtype=np.uint8).view(dtype), SIZE)
    numbers = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float64)
    spread = generator.normal(0, 1, count - 256) * np.exp2(generator.integers(-20, 18, count - 256))
    spread[:8] = np.inf, -np.inf, 0.5, -0.5, 1e30, -1e30, 1e-40, -1e-44
    return np.concatenate([numbers, spread]).astype(dtype).reshape(SIZE)


# The names of the types for ONNX Runtime.
TAME = {}
INPUTS = {kind: make_input(kind) for kind in KINDS}


def get_types(op, opset):
    """The types that the schema accepts for inputs and outputs, by index, and the names of those
    with a common type variable."""
    schema = onnx.defs.get_schema(op, opset, "")
    allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    kinds = {f"tensor({get_name(kind)})".replace("float64", "double"): kind for kind in KINDS}
    values = [*schema.inputs, *schema.outputs]
    names = [value.type_str for value in values]
    return [[kinds[t] for t in allowed.get(n, (n,)) if t in kinds] for n in names], names, schema


def has_type(kind, opset):
    return kind in get_types("Cast", opset)[0][0]


def make_values(kind, sizes, generator):
    if kind == T.INT32:
        return generator.integers(1, 100000, sizes).astype(np.int32)
    values = generator.random(sizes) * 2 + 0.25
    return np.asarray(values, np.float64).astype(helper.tensor_dtype_to_np_dtype(kind))


def make_zero_points(kind, sizes, is_zero, generator):
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    if is_zero:
        return np.zeros(sizes, dtype)
    if kind in INTEGERS:
        bits, is_signed = INTEGERS[kind]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        points = generator.integers(low, high, sizes, endpoint=True)
        points = np.asarray(points)
        # The ends of the range as well, and never zeros only.
        if points.size > 2:
            points.flat[:3] = low, high, 1
        else:
            points = np.where(points == 0, high, points)
        return points.astype(dtype)
    return np.asarray(generator.choice([0.5, -1.0, 1.5, 6.0], sizes)).astype(dtype)


def make_case(op, opset, kinds, granularity, point, at_run_time, **attributes):
    """`point` is none, zero or other. The names in `at_run_time` (x, s) are inputs. Otherwise x is
    a constant."""
    x, s, y = kinds
    quantizes = op == "QuantizeLinear"
    encodings = y if quantizes else x
    sizes, more = GRANULARITIES[granularity]
    attributes |= more
    name = "_".join(
        [op[0].lower(), *map(get_name, kinds), granularity, point, at_run_time or "none"]
    )
    name += "".join(f"_{k}{v}" for k, v in attributes.items() if k in ("precision", "saturate"))
    generator = np.random.default_rng(abs(hash(kinds)) % 1000 + len(granularity))
    names, constants, inputs = [], [], []

    def add(what, kind, array, comes_in):
        names.append(f"{name}_{what}")
        if comes_in:
            inputs.append((names[-1], kind, array))
        else:
            constants.append(
                T(
                    name=names[-1],
                    data_type=kind,
                    dims=array.shape,
                    raw_data=definition.pack(array, kind),
                )
            )

    if "x" in at_run_time:
        names.append(f"x{x}")
        inputs.append((names[0], x, INPUTS[x]))
    else:
        add("x", x, INPUTS[x], False)
    add("s", s, make_values(s, sizes, generator), "s" in at_run_time)
    if point != "none":
        add(
            "z",
            encodings,
            make_zero_points(encodings, sizes, point == "zero", generator),
            "s" in at_run_time,
        )
    schema = onnx.defs.get_schema(op, opset, "")
    default = T.UINT8 if quantizes else s
    if (
        (y != default or s == T.FLOAT8E8M0)
        and (point == "none" or not quantizes)
        and "output_dtype" in schema.attributes
    ):
        attributes["output_dtype"] = y
    node = helper.make_node(op, names, [name], name, **attributes)
    return Cell(name, node, inputs, y, constants)


def make_quantizations(opset):
    for op in ("QuantizeLinear", "DequantizeLinear"):
        (allowed, names, schema), quantizes = get_types(op, opset), op == "QuantizeLinear"
        for x, s, y in itertools.product(allowed[0], allowed[1], allowed[-1]):
            chosen = collections.defaultdict(set)
            for name, kind in ((names[0], x), (names[1], s), (names[-1], y)):
                chosen[name].add(kind)
            if any(len(kinds) > 1 for kinds in chosen.values()):
                continue
            encodings = y if quantizes else x
            has_output_dtype = "output_dtype" in schema.attributes
            for granularity, (_, attributes) in GRANULARITIES.items():
                if not attributes.keys() <= schema.attributes.keys():
                    continue
                for point in ("none", "zero", "other"):
                    if point == "none" and quantizes and y != T.UINT8 and not has_output_dtype:
                        continue
                    if point == "other" and encodings in FLOAT8:
                        continue
                    for at_run_time in ("x",) if quantizes else ("x", ""):
                        yield make_case(op, opset, (x, s, y), granularity, point, at_run_time)
                    if granularity != "tensor" and granularity != "columns":
                        continue
                    if point != "none":
                        yield make_case(op, opset, (x, s, y), granularity, point, "xs")
                    if "precision" in schema.attributes and quantizes:
                        for precision in (T.FLOAT, T.FLOAT16, T.BFLOAT16):
                            yield make_case(op, opset, (x, s, y), granularity, point, "x", precision=precision)  # fmt: skip
                    if "saturate" in schema.attributes and quantizes and y in FLOAT8:
                        yield make_case(op, opset, (x, s, y), granularity, point, "x", saturate=0)


def make_casts(opset):
    (sources, targets), _, schema = get_types("Cast", opset)
    for source, target in itertools.product(sources, targets):
        variants = [{}]
        if "saturate" in schema.attributes and (target in FLOAT8 or target == T.FLOAT8E8M0):
            variants.append({"saturate": 0})
        if "round_mode" in schema.attributes and target == T.FLOAT8E8M0:
            variants += [{"round_mode": "down"}, {"round_mode": "nearest"}]
        for attributes, is_constant in itertools.product(variants, (False, True)):
            name = f"cast_{get_name(source)}_{get_name(target)}" + "".join(
                f"_{v}" for v in attributes.values()
            )
            name += "_constant" if is_constant else ""
            array = INPUTS[source]
            constants = [T(name=f"{name}_x", data_type=source, dims=SIZE, raw_data=definition.pack(array, source))]  # fmt: skip
            inputs = [] if is_constant else [(f"x{source}", source, array)]
            node = helper.make_node("Cast", [f"{name}_x" if is_constant else f"x{source}"], [name], name, to=target, **attributes)  # fmt: skip
            yield Cell(name, node, inputs, target, constants if is_constant else [])
            if is_constant or opset < FIRST_OPSET_WITH_CAST_LIKE:
                continue
            allowed = get_types("CastLike", opset)[0]
            if source in allowed[0] and target in allowed[1]:
                # Only the type of the second input matters.
                name, like = f"like{name}", f"like{name}_type"
                array = np.ones(1).astype(helper.tensor_dtype_to_np_dtype(target))
                constants = [T(name=like, data_type=target, dims=[1], raw_data=definition.pack(array, target))]  # fmt: skip
                node = helper.make_node("CastLike", [f"x{source}", like], [name], name, **attributes)  # fmt: skip
                yield Cell(name, node, inputs, target, constants)


def make_cast_trips(opset):
    """Quantized values without other users, cast to f32, to their source type, and to each other
    type from some type."""
    (sources, targets), _, schema = get_types("Cast", opset)
    for source, narrow in itertools.product(sources, NARROW):
        if narrow not in targets or source == narrow:
            continue
        variants = [{}]
        if "saturate" in schema.attributes and narrow in (*FLOAT8, T.FLOAT8E8M0):
            variants.append({"saturate": 0})
        if "round_mode" in schema.attributes and narrow == T.FLOAT8E8M0:
            variants += [{"round_mode": "down"}, {"round_mode": "nearest"}]
        wide = {T.FLOAT, source, targets[(source * 7 + narrow) % len(targets)]} - {narrow}
        is_inexact = source in (T.INT64, T.UINT64) and narrow in (T.BFLOAT16, T.FLOAT8E8M0)
        for attributes, to in itertools.product(variants, sorted(wide)):
            name = f"trip_{get_name(source)}_{get_name(narrow)}_{get_name(to)}" + "".join(f"_{v}" for v in attributes.values())  # fmt: skip
            nodes = [
                helper.make_node("Cast", [f"x{source}"], [f"{name}_quantized"], f"{name}_quantized", to=narrow, **attributes),
                helper.make_node("Cast", [f"{name}_quantized"], [name], name, to=to),
            ]  # fmt: skip
            yield Cell(name, nodes, [(f"x{source}", source, INPUTS[source])], to, [], narrow if is_inexact else None)  # fmt: skip


def make_mixed(opset):
    """Quantized values that are both dequantized and cast, possibly after an op that moves
    elements."""
    kinds = get_types("QuantizeLinear", opset)[0][-1]
    for first, kind, is_moved in itertools.product(("QuantizeLinear", "Cast"), kinds, (False, True)):  # fmt: skip
        if kind not in NARROW:
            continue
        name = f"mixed_{first[0].lower()}_{get_name(kind)}" + ("_moved" if is_moved else "")
        scale, point, encodings = (f"{name}_{what}" for what in ("s", "z", "quantized"))
        constants = [
            T(name=scale, data_type=T.FLOAT, raw_data=np.float32(0.75).tobytes()),
            T(name=point, data_type=kind, raw_data=b"\0" * (2 if kind in (T.INT16, T.UINT16) else 1)),
        ]  # fmt: skip
        nodes = [
            helper.make_node("Cast", [f"x{T.FLOAT}"], [encodings], encodings, to=kind)
            if first == "Cast"
            else helper.make_node(first, [f"x{T.FLOAT}", scale, point], [encodings], encodings)
        ]
        if is_moved:
            nodes.append(helper.make_node("Transpose", [encodings], [f"{name}_moved"], f"{name}_moved", perm=[1, 0]))  # fmt: skip
            encodings = f"{name}_moved"
        total = f"{name}_sum" if is_moved else name
        nodes += [
            helper.make_node(
                "DequantizeLinear", [encodings, scale, point], [f"{name}_d"], f"{name}_d"
            ),
            helper.make_node("Cast", [encodings], [f"{name}_c"], f"{name}_c", to=T.FLOAT),
            helper.make_node("Add", [f"{name}_d", f"{name}_c"], [total], total),
        ]
        if is_moved:
            nodes.append(helper.make_node("Transpose", [total], [name], name, perm=[1, 0]))
        yield Cell(name, nodes, [(f"x{T.FLOAT}", T.FLOAT, INPUTS[T.FLOAT])], T.FLOAT, constants)


def make_dynamic(opset):
    """Dynamic sizes."""
    quantize, dequantize = (get_types(op, opset) for op in ("QuantizeLinear", "DequantizeLinear"))
    attributes = dequantize[2].attributes.keys()
    for granularity, (_, needed) in GRANULARITIES.items():
        if not needed.keys() <= attributes:
            continue
        for kind, at_run_time in itertools.product((T.UINT8, T.INT8, T.INT16, T.INT4), ("x", "xs")):
            cells = []
            if kind in quantize[0][-1]:
                kinds = (T.FLOAT, T.FLOAT, kind)
                cells.append(make_case("QuantizeLinear", opset, kinds, granularity, "other", at_run_time))  # fmt: skip
                cells.extend(make_qdq([make_case("QuantizeLinear", opset, kinds, granularity, "other", "x")]))  # fmt: skip
            if kind in dequantize[0][0]:
                kinds = (kind, T.FLOAT, T.FLOAT)
                cells.append(make_case("DequantizeLinear", opset, kinds, granularity, "other", at_run_time))  # fmt: skip
            for cell in cells:
                name = f"open_{cell.name}_{at_run_time}"
                renamed = {i: f"open_{i}" for i, _, _ in cell.inputs} | {cell.name: name}
                renamed |= {c.name: f"{name}_{c.name}" for c in cell.constants}
                renamed |= {n.name: f"{name}_{n.name}" for n in get_nodes(cell)[:-1]}
                for node in get_nodes(cell):
                    node.name = node.output[0] = renamed[node.name]
                    node.input[:] = [renamed.get(i, i) for i in node.input]
                for constant in cell.constants:
                    constant.name = renamed[constant.name]
                inputs = [(renamed[i], kind, array) for i, kind, array in cell.inputs]
                yield Cell(name, cell.node, inputs, cell.result, cell.constants, None, True)


def make_round_trips(opset):
    """Quantized values without other users."""
    return make_qdq(make_quantizations(opset))


def make_qdq(cells):
    for cell in cells:
        if cell.node.op_type != "QuantizeLinear" or len(cell.inputs) > 1 or "_none_" in cell.name:
            continue
        if cell.constants[0].data_type not in (T.FLOAT, T.FLOAT16, T.BFLOAT16):
            continue
        # The node itself may be part of another case.
        name = f"{cell.name}_qdq"
        for constant in cell.constants:
            constant.name = name + constant.name.removeprefix(cell.name)
        scale, point = (constant.name for constant in cell.constants)
        cell.node.input[1:] = scale, point
        cell.node.name = cell.node.output[0] = f"{name}_quantized"
        attributes = {a.name: helper.get_attribute_value(a) for a in cell.node.attribute if a.name in ("axis", "block_size")}  # fmt: skip
        node = helper.make_node(
            "DequantizeLinear", [cell.node.name, scale, point], [name], name, **attributes
        )
        yield Cell(
            name, [cell.node, node], cell.inputs, cell.constants[0].data_type, cell.constants
        )


def is_cast_to(cell, kind):
    return any(a.name == "to" and a.i == kind for node in get_nodes(cell) for a in node.attribute)


def get_nodes(cell):
    return cell.node if isinstance(cell.node, list) else [cell.node]


def make_model(cells, opset):
    inputs = {name: (kind, array) for cell in cells for name, kind, array in cell.inputs}
    for name, (_, array) in inputs.items():
        if name not in TAME:
            is_tame = np.isfinite(array.astype(np.float64))
            TAME[name] = np.where(is_tame, array, np.ones((), array.dtype))
    opened = {name for cell in cells if cell.is_dynamic for name, _, _ in cell.inputs}
    graph = helper.make_graph(
        [node for cell in cells for node in get_nodes(cell)],
        "cells",
        [
            helper.make_tensor_value_info(
                n, kind, [None] * array.ndim if n in opened else array.shape
            )
            for n, (kind, array) in inputs.items()
        ],
        [
            helper.make_tensor_value_info(
                cell.name, cell.result, [None] * 2 if cell.is_dynamic else SIZE
            )
            for cell in cells
        ],
        [constant for cell in cells for constant in cell.constants],
    )
    imports = [helper.make_opsetid("", opset)]
    feeds = {name: array for name, (_, array) in inputs.items()}
    return helper.make_model(graph, opset_imports=imports, ir_version=max(helper.find_min_ir_version_for(imports), 8)), feeds  # fmt: skip


def has_no_equivalent(cell, lacks):
    return (
        lacks(cell.result)
        or any(lacks(kind) for _, kind, _ in cell.inputs)
        or (cell.inexact is not None and lacks(cell.inexact))
    )


def convert(cells, old, options):
    path, out, report = work / "in.onnx", work / "out.onnx", work / "report.json"
    model, feeds = make_model(cells, old)
    onnx.save(model, path)
    for made in (out, report):
        made.unlink(missing_ok=True)
    done = subprocess.run(
        [tools / "quant-float-convert", path, *options, "-o", out, f"--report={report}"],
        capture_output=True,
        text=True,
    )
    nodes = json.loads(report.read_text())["nodes"] if report.exists() else []
    return done, {entry["name"] for entry in nodes if entry["kind"] == "refused"}, feeds


def run_own(model, feeds):
    """Compiles and runs the model. Returns the outputs."""
    path, out = work / "own.onnx", work / "own"
    onnx.save(model, path)
    given = []
    for i in model.graph.input:
        array = feeds[i.name]
        kind = i.type.tensor_type.elem_type
        name = work / f"{i.name}.npy"
        if kind in definition.WORDS[:3]:
            np.save(name, array)
        elif kind in INTEGERS and INTEGERS[kind][0] >= 8 or kind == T.BOOL:
            np.save(name, array)
        elif kind in INTEGERS:
            np.save(name, array.view(np.int8 if INTEGERS[kind][1] else np.uint8))
        else:
            np.save(name, array.view(np.uint16 if kind == T.BFLOAT16 else np.uint8))
        given.append(f"--inputs={i.name}={name}")
    done = subprocess.run([tools / "quant-float-run", path, *given, "--outputs", out], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return done.stderr.strip()[-300:]
    results = {}
    for index, output in enumerate(model.graph.output):
        kind = output.type.tensor_type.elem_type
        array = np.load(out / f"output_{index}.npy")
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
        array = array if array.dtype == dtype else array.view(dtype)
        results[output.name] = definition.to_numbers(array, kind)
    return results


def run_onnxruntime(model):
    """None if there is no kernel."""
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])  # fmt: skip
        kind = model.graph.output[0].type.tensor_type.elem_type
        return definition.to_numbers(np.asarray(session.run(None, {i.name: TAME[i.name] for i in model.graph.input})[0]), kind)  # fmt: skip
    except Exception:
        return None


def extract(model, name):
    """Extracts the part of a model that computes an output."""
    makers = {output: node for node in model.graph.node for output in node.output}
    needed, todo = set(), [name]
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
        [o for o in model.graph.output if o.name == name],
        [t for t in model.graph.initializer if t.name in used],
    )
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


counts, wrong, own_sample = collections.Counter(), [], []
# The number of failures that are printed, and of characters of each.
MAX_PRINTED, WIDTH = 20, 240


def fail(label, *reason):
    """Prints the failure at once, on stderr, as FileCheck would show a part only."""
    text = " ".join(": ".join((label, *reason)).split())
    wrong.append(text)
    if len(wrong) <= MAX_PRINTED:
        short = text if len(text) <= WIDTH else f"{text[: WIDTH // 2]} ... {text[-WIDTH // 2 :]}"
        print(short, file=sys.stderr, flush=True)


def try_cases(cells, old, options, lacks, label):
    """Converts and compares the cases, with several cases in a model."""
    for start in range(0, len(cells), BATCH):
        try_batch(cells[start : start + BATCH], old, options, lacks, label)


def try_batch(cells, old, options, lacks, label):
    seen = [cell for cell in cells if has_no_equivalent(cell, lacks)]
    rest = [cell for cell in cells if not has_no_equivalent(cell, lacks)]
    counts.update(cells=len(cells), refused=len(seen))
    # Each case alone must be an error, too. A few are tried.
    for cell in draw.sample(seen, min(len(seen), 3)):
        done, _, _ = convert([cell], old, options)
        if done.returncode != 1 or "no exact equivalent" not in done.stderr:
            fail(label, cell.name, "not refused", done.stderr)
    if not rest:
        return
    done, refused, feeds = convert(rest, old, options)
    if done.returncode:
        bad = [cell for cell in rest if any(node.name in refused for node in get_nodes(cell)) or any(c.name in refused for c in cell.constants)]  # fmt: skip
        for cell in bad:
            fail(label, cell.name, "refused", done.stderr)
        counts.update(refused=len(bad), missed=len(bad))
        rest = [cell for cell in rest if cell not in bad]
        if not bad or not rest:
            fail(label, done.stderr)
            return
        done, refused, feeds = convert(rest, old, options)
        if done.returncode:
            fail(label, done.stderr)
            return
    model = onnx.load(work / "out.onnx")
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:
        fail(label, str(error))
    counts.update(said=len(rest))
    source, _ = make_model(rest, old)
    before, after = definition.evaluate(source, feeds), definition.evaluate(model, feeds)
    for cell in rest:
        if not definition.same(before[cell.name][1], after[cell.name][1]):
            fail(label, cell.name, "other bits")
    for cell in draw.sample(rest, min(len(rest), 6)):
        own_sample.append((label, extract(model, cell.name), feeds, before[cell.name]))
    for cell in draw.sample(rest, min(len(rest), 12)):
        # ONNX Runtime converts NaN and infinities to other integers, and negative values to other
        # unsigned ones.
        if cell.name.startswith(("cast", "like", "trip")) and cell.result in INTEGERS:
            continue
        part = extract(source, cell.name)
        expected = definition.evaluate(part, TAME)[cell.name][1]
        old_bits = run_onnxruntime(part)
        if old_bits is not None and not definition.same(old_bits, expected):
            counts.update(ort_differs_before=1)
            continue
        bits = run_onnxruntime(extract(model, cell.name))
        if bits is None:
            counts.update(ort_lacks=1)
        elif definition.same(bits, expected):
            counts.update(ort_same=1)
        elif old_bits is None:
            counts.update(ort_differs_alone=1)
        else:
            fail(label, cell.name, "other bits in ONNX Runtime")


def choose(cells, count):
    cells = list(cells)
    return cells if not limit else draw.sample(cells, min(len(cells), count))


# The sample has so many of ten cases for each pair of versions.
SHARES = (2, 4.5, 1.5, 1, 0.5, 0.5)
for old in OPSETS:
    makers = (
        make_casts,
        make_quantizations,
        make_round_trips,
        make_cast_trips,
        make_mixed,
        make_dynamic,
    )
    pools = [list(make(old)) for make in makers]
    for new in TARGETS:
        if new == old:
            continue
        cells = [
            cell
            for pool, share in zip(pools, SHARES, strict=True)
            for cell in choose(pool, round(limit * share))
        ]
        label, first = f"{old} to {new}", dict(counts)
        try_cases(
            cells, old, ["--opset", str(new)], lambda kind, new=new: not has_type(kind, new), label
        )
        said, refused = (counts[k] - first.get(k, 0) for k in ("said", "refused"))
        print(
            f"from {old} to {new}: {said} the same, {refused} refused, {len(wrong)} wrong up to here",
            flush=True,
        )
    for name in WITHOUT if old in (23, 28) else ():
        if name.upper() not in T.DataType.keys() or not has_type(
            T.DataType.Value(name.upper()), old
        ):
            continue
        lacked = T.DataType.Value(name.upper())
        cells = [cell for pool in pools for cell in pool if any(c.data_type == lacked for c in cell.constants) or f"precision{lacked}" in cell.name or is_cast_to(cell, lacked)]  # fmt: skip
        cells = choose(cells, limit * 10)
        try_cases(
            cells,
            old,
            ["--without", name],
            lambda kind, lacked=lacked: kind == lacked,
            f"{old} without {name}",
        )


def unspecified_signs(numbers, model, feeds):
    """The sign of a zero that replaces NaN is not specified (D8)."""
    lost = np.zeros(SIZE, bool)
    for i in model.graph.input:
        if feeds[i.name].shape == SIZE:
            lost |= np.isnan(feeds[i.name].astype(np.float64))
    return np.where(lost & (numbers == 0), np.zeros((), numbers.dtype), numbers)


# Several cases at a time.
own_sample = draw.sample(own_sample, min(len(own_sample), 60 if limit else 600))
for label, model, feeds, (_, expected) in own_sample:
    got = run_own(model, feeds)
    name = model.graph.output[0].name
    if isinstance(got, str):
        fail(label, name, "own code", got)
    elif not definition.same(
        unspecified_signs(got[name], model, feeds), unspecified_signs(expected, model, feeds)
    ):
        fail(label, name, "other bits in our compiled code")
    else:
        counts.update(own_same=1)
print(dict(counts))
print(f"{len(wrong)} wrong")
sys.exit(
    f"{len(wrong)} wrong, of which the first {min(len(wrong), MAX_PRINTED)} are above"
    if wrong
    else 0
)
