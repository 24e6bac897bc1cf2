# Runs IREE's affine quantization: the values of numpy with the steps of IREE's decomposition.
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
SHAPE = (6, 4, 8)
EDGES = [
    0,
    -0.0,
    np.nan,
    np.inf,
    -np.inf,
    1e30,
    -1e30,
    0.5,
    1.5,
    2.5,
    -0.5,
    -1.5,
    126.5,
    127.5,
    255.5,
]


def run(name, text, *arrays):
    source = work / f"{name}.mlir"
    source.write_text(text)
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    command = [tools / "quant-float-run", source, "--outputs", work / name, "--inputs", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}:\n{done.stderr}\n{text}"
    outputs = sorted((work / name).glob("*.npy"))
    return [np.load(path) for path in outputs]


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def check(name, got, expected):
    assert got.dtype.itemsize == expected.dtype.itemsize, (name, got.dtype, expected.dtype)
    wrong = bits(got) != bits(expected)
    if expected.dtype.kind == "f" or expected.dtype == ml_dtypes.bfloat16:
        both = np.isnan(expected.astype(np.float64)) & np.isnan(
            got.view(expected.dtype).astype(np.float64)
        )
        wrong &= ~both
    assert not wrong.any(), (
        f"{name}: {int(wrong.sum())} of {got.size}: {got[wrong][:4]} {expected[wrong][:4]}"
    )
    print(f"{name}: {got.size} equal")


def tensor(shape, element):
    return "x".join(map(str, shape)) + ("x" if len(shape) else "") + element


def flags(*names):
    return "".join(f", {name}" for name in names if name)


def store(values, width, unsigned):
    """Sub-byte values are one byte each."""
    values = values.astype(np.int64)
    return (
        values.astype(np.uint8 if width <= 8 else np.uint16).astype(np.int64)
        if unsigned
        else values
    )


DIMS = "(d0, d1, d2)"
GRANULARITIES = {
    # The map of the scale, and its shape.
    "scalar": ("()", ()),
    "axis": ("(d1)", (4,)),
    "elements": ("(d0, d1, d2)", SHAPE),
    "last": ("(d0, d1)", (6, 4)),
    "middle": ("(d0, d2)", (6, 8)),
    "permuted": ("(d2, d0)", (8, 6)),
}


def spread(values, granularity):
    """The parameters of each element."""
    if granularity == "permuted":
        return np.broadcast_to(values.T[:, None, :], SHAPE)
    axes = {"scalar": (0, 1, 2), "axis": (0, 2), "last": (2,), "middle": (1,), "elements": ()}[
        granularity
    ]
    return np.broadcast_to(np.expand_dims(values, axes), SHAPE)


def constant(values, element):
    values = np.asarray(values)
    if element.startswith("i"):
        text = np.array2string(values, separator=", ", threshold=10**6)
    else:
        text = np.array2string(
            values.astype(np.float64), separator=", ", threshold=10**6, floatmode="unique"
        )
        text = text.replace("e-", "E-")
    return f"arith.constant dense<{text}> : tensor<{tensor(values.shape, element)}>"


def case(granularity, real, width, unsigned, zero, low, high, constants=True, wide=None):
    """Quantizes and dequantizes. `zero` is the type of the zero point or None, `wide` that of the
    scale."""
    wide = wide or real
    name = f"{granularity}_{real}_{wide}_{'u' if unsigned else 'i'}{width}_{zero}_{low}_{high}_{constants}"
    kind, scale_kind = FLOATS[real], FLOATS[wide]
    scale_map, scale_shape = GRANULARITIES[granularity]
    scale = (random.random(scale_shape) * 0.9 + 0.1).astype(scale_kind)
    x = (random.standard_normal(SHAPE) * 60).astype(np.float32)
    x.flat[: len(EDGES)] = EDGES
    x = x.astype(kind)
    with np.errstate(all="ignore"):
        ties = random.integers(-200, 200, SHAPE) + 0.5
        x[3:] = (ties[3:] * spread(scale, granularity)[3:].astype(np.float64)).astype(kind)
    zero_low, zero_high = (
        (0, 15) if width == 4 and unsigned else (-8, 7) if width == 4 else (-100, 100)
    )
    if unsigned and width == 8:
        zero_low, zero_high = 0, 120
    z = random.integers(zero_low, zero_high + 1, scale_shape)
    body, arguments, arrays, operand = [], [f"%x: tensor<{tensor(SHAPE, real)}>"], [x], ""
    types = [f"tensor<{tensor(SHAPE, real)}>"]
    for symbol, values, element in (("%s", scale, wide), ("%z", z, zero)):
        if element is None:
            continue
        type_ = f"tensor<{tensor(scale_shape, element)}>"
        if constants:
            body.append(f"  {symbol} = {constant(values, element)}")
        else:
            arguments.append(f"{symbol}: {type_}")
            arrays.append(values if symbol == "%s" else values.astype(f"i{int(element[1:]) // 8}"))
        types.append(type_)
        operand += f", {symbol}"
    maps = ["(d0, d1, d2)", scale_map, *([scale_map] if zero else []), "(d0, d1, d2)"]
    maps = ", ".join(f"affine_map<{DIMS} -> {m}>" for m in maps)
    encodings, reals = f"tensor<{tensor(SHAPE, f'i{width}')}>", f"tensor<{tensor(SHAPE, real)}>"
    qtypes, dtypes = ", ".join([*types, encodings]), ", ".join([encodings, *types[1:], reals])
    extra = flags("storage_unsigned" if unsigned else "")
    body += [
        f"  %qe = tensor.empty() : {encodings}",
        f'  %q = "iree_linalg_ext.quantize_affine"(%x{operand}, %qe) <{{indexing_maps = [{maps}],'
        f" quant_min = {low} : i64, quant_max = {high} : i64{extra}}}> : ({qtypes}) -> {encodings}",
        f"  %de = tensor.empty() : {reals}",
        f'  %d = "iree_linalg_ext.dequantize_affine"(%q{operand}, %de) <{{indexing_maps = [{maps}]'
        f"{flags('input_unsigned' if unsigned else '')}}}> : ({dtypes}) -> {reals}",
        f"  return %q, %d : {encodings}, {reals}",
    ]
    lines = [f"func.func @main({', '.join(arguments)}) -> ({encodings}, {reals}) {{", *body, "}"]
    got = run(name, "\n".join(lines) + "\n", *arrays)
    s, offset = spread(scale, granularity), spread(z if zero else np.zeros_like(z), granularity)
    with np.errstate(all="ignore"):
        q = np.rint(x.astype(scale_kind) / s).astype(scale_kind)
        if zero:
            q = (q + offset.astype(scale_kind)).astype(scale_kind)
        q = np.minimum(np.where(np.isnan(q), low, np.maximum(q, np.array(low, scale_kind))), high)
        expected = q.astype(np.float64).astype(np.int64)
        value = ((expected - offset).astype(scale_kind) * s).astype(scale_kind).astype(kind)
    stored = expected.astype(np.int8 if width <= 8 else np.int16)
    mask = np.uint8((1 << width) - 1) if width < 8 else None
    first = got[0] if mask is None else bits(got[0]) & mask
    check(f"{name} quantized values", first, stored if mask is None else bits(stored) & mask)
    # bf16 is passed as its encodings.
    check(f"{name} values", got[1].view(kind) if got[1].dtype.kind == "V" else got[1], value)


for granularity in GRANULARITIES:
    case(granularity, "f32", 8, False, "i64", -128, 127)
    case(granularity, "f32", 8, True, "i64", 0, 255)
    case(granularity, "f32", 8, False, None, -127, 127, constants=False)
case("scalar", "f32", 8, True, "i8", 10, 200, constants=False)
case("axis", "f32", 8, False, "i32", -128, 127, constants=False)
case("axis", "f32", 16, False, "i16", -32768, 32767)
case("axis", "f32", 4, False, "i8", -8, 7)
case("axis", "f32", 4, True, "i64", 0, 15)
case("last", "f32", 4, False, None, -7, 7)
case("axis", "f16", 8, False, "i8", -128, 127)
case("axis", "f16", 8, False, "i8", -128, 127, wide="f32")
case("axis", "bf16", 8, False, "i8", -128, 127, wide="f32")
case("scalar", "bf16", 8, True, "i64", 0, 255)
case("scalar", "f64", 8, False, "i8", -128, 127)

# All 8-bit values, dequantized.
for unsigned in (False, True):
    encodings = np.arange(256).astype(np.int8)
    text = f"""
func.func @main(%q: tensor<256xi8>) -> tensor<256xf32> {{
  %s = arith.constant 0.1 : f32
  %z = arith.constant 200 : i64
  %e = tensor.empty() : tensor<256xf32>
  %d = "iree_linalg_ext.dequantize_affine"(%q, %s, %z, %e) <{{indexing_maps = [affine_map<(d0) -> (d0)>,
    affine_map<(d0) -> ()>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]{
        flags("input_unsigned" if unsigned else "")
    }}}>
    : (tensor<256xi8>, f32, i64, tensor<256xf32>) -> tensor<256xf32>
  return %d : tensor<256xf32>
}}
"""
    values = encodings.view(np.uint8).astype(np.int64) if unsigned else encodings.astype(np.int64)
    expected = (values - 200).astype(np.float32) * np.float32(0.1)
    check(
        f"all values, unsigned {unsigned}", run(f"values{unsigned}", text, encodings)[0], expected
    )

# The interface of a compiled function, with dynamic sizes, a global, and a call.
ABI = """
"builtin.module"() ({
  "util.global"() <{initial_value = dense<[1.0, -2.0, 4.0]> : tensor<3xf32>, sym_name = "w", sym_visibility = "private", type = tensor<3xf32>}> : () -> ()
  "util.func"() <{function_type = (tensor<?x3xf32>) -> tensor<?x3xf32>, sym_name = "scale", sym_visibility = "private", tied_operands = [-1 : index]}> ({
  ^bb0(%x: tensor<?x3xf32>):
    %w = "util.global.load"() <{global = @w, is_immutable}> : () -> tensor<3xf32>
    %y = "linalg.generic"(%w, %x) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      %c = "arith.mulf"(%a, %b) : (f32, f32) -> f32
      "linalg.yield"(%c) : (f32) -> ()
    }) : (tensor<3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "util.return"(%y) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
  "util.func"() <{function_type = (!hal.buffer_view, !hal.fence, !hal.fence) -> (!hal.buffer_view, !hal.buffer_view), sym_name = "net$async", sym_visibility = "public", tied_operands = [-1 : index, -1 : index]}> ({
  ^bb0(%b: !hal.buffer_view, %wait: !hal.fence, %signal: !hal.fence):
    %n = "hal.buffer_view.dim"(%b) <{index = 0 : index}> : (!hal.buffer_view) -> index
    %x = "hal.tensor.import"(%b, %n, %wait) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, target_encoding = tensor<?x3xf32>}> : (!hal.buffer_view, index, !hal.fence) -> tensor<?x3xf32>
    %y = "util.call"(%x) <{callee = @scale, tied_operands = [-1 : index]}> : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %r:2 = "hal.tensor.barrier"(%y, %x, %signal) : (tensor<?x3xf32>, tensor<?x3xf32>, !hal.fence) -> (tensor<?x3xf32>, tensor<?x3xf32>)
    %e0 = "hal.tensor.export"(%r#0, %n) <{source_encoding = tensor<?x3xf32>}> : (tensor<?x3xf32>, index) -> !hal.buffer_view
    %e1 = "hal.tensor.export"(%r#1, %n) <{source_encoding = tensor<?x3xf32>}> : (tensor<?x3xf32>, index) -> !hal.buffer_view
    "util.return"(%e0, %e1) : (!hal.buffer_view, !hal.buffer_view) -> ()
  }) {iree.abi.model = "coarse-fences", iree.abi.stub} : () -> ()
  "util.func"() <{function_type = (!hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view), sym_name = "net", sym_visibility = "public", tied_operands = [-1 : index, -1 : index]}> ({
  ^bb0(%b: !hal.buffer_view):
    %null = "util.null"() : () -> !hal.fence
    %c0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %forever = "arith.constant"() <{value = -1 : i32}> : () -> i32
    %device = "hal.devices.get"(%c0) : (index) -> !hal.device
    %fence = "hal.fence.create"(%device) <{flags = 0 : i64}> : (!hal.device) -> !hal.fence
    %r:2 = "util.call"(%b, %null, %fence) <{callee = @net$async, tied_operands = [-1 : index, -1 : index]}> : (!hal.buffer_view, !hal.fence, !hal.fence) -> (!hal.buffer_view, !hal.buffer_view)
    %status = "hal.fence.await"(%forever, %fence) <{flags = 0 : i64}> : (i32, !hal.fence) -> i32
    "util.return"(%r#0, %r#1) : (!hal.buffer_view, !hal.buffer_view) -> ()
  }) {iree.abi.stub} : () -> ()
}) : () -> ()
"""
x = random.standard_normal((5, 3)).astype(np.float32)
first, second = run("abi", ABI, x)
check("interface, first result", first, x * np.float32([1, -2, 4]))
check("interface, second result", second, x)
