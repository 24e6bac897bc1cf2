"""Functions of every kind for GPUs, as MLIR: casts, and each quantization with each granularity.
Inputs of one name have shapes of one kind."""

NARROW = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN")  # fmt: skip
WITH_SATURATE = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU")


def function(name, inputs, op, result, sizes, element):
    """A function of one op; `inputs` are (name, sizes, element type)."""
    arguments = ", ".join(
        f'%{key}: tensor<{shape}{kind}> {{quant_float.name = "{key}"}}'
        for key, shape, kind in inputs
    )
    types = ", ".join(f"tensor<{shape}{kind}>" for _, shape, kind in inputs)
    operands = ", ".join(f"%{key}" for key, _, _ in inputs)
    result_type = f"tensor<{sizes}{element}>"
    return (
        f"func.func @{name}({arguments}) -> {result_type} {{\n"
        f"  %0 = quant_float.{op.format(operands)} : {types} to {result_type}\n"
        f"  return %0 : {result_type}\n}}\n"
    )


def cast(source, to, saturate=True, mode="", size="?x"):
    name = f"cast_{source}_{to}{'' if saturate else '_unsaturated'}{mode and '_' + mode}"
    options = ("" if saturate else " saturate false") + (mode and f" round_mode {mode}")
    return function(
        name, [("x", size, source)], "cast {} opset 28" + options, source, size, to
    )  # fmt: skip


def sweep_casts(source="f32"):
    """From every encoding of a type to every narrow float, saturating and not, in every rounding
    mode."""
    text = ""
    for to in NARROW:
        modes = ("up", "down", "nearest") if to == "f8E8M0FNU" else ("",)
        for mode in modes:
            text += cast(source, to, True, mode)
            if to in WITH_SATURATE:
                text += cast(source, to, False, mode)
    return text


# The sizes of a tensor of rows, and those of the scales for each granularity.
GRANULARITIES = {
    "tensor": ("", ""),
    "axis": (" axis 1", "{columns}x"),
    "block": (" axis 1 block_size 32", "{rows}x{blocks}x"),
}


def quantization(op, granularity, storage, expressed="f32", rows="?", columns=128, zero_point=False):  # fmt: skip
    place, scale = GRANULARITIES[granularity]
    sizes = f"{rows}x{columns}x"
    scale = scale.format(rows=rows, columns=columns, blocks=-(-columns // 32))
    given, taken = (storage, expressed) if op == "dequantize" else (expressed, storage)
    inputs = [("x", sizes, given), (f"s_{granularity}", scale, expressed)]
    if zero_point:
        inputs.append((f"z_{granularity}", scale, storage))
    form = f"{op} {{}}{place}"
    if op == "qdq":
        form += f" storage {storage}"
        taken = expressed
    opset = 21 if storage in ("i8", "ui8", "i4", "ui4", "f8E4M3FN", "f8E5M2") else 25
    name = f"{op}_{granularity}_{expressed}_{storage}{'_zero' if zero_point else ''}"
    return function(name, inputs, f"{form} opset {opset}", given, sizes, taken)


def fakeconvert(to, mode, rows="?", columns=128, element="f32", shift=False):
    inputs = [("x", f"{rows}x{columns}x", element), ("s", f"{columns}x", element)]
    if shift:
        inputs.append(("t", f"{columns}x", element))
    name = f"fakeconvert_{mode}_{to}{'_shift' if shift else ''}"
    return function(
        name, inputs, f"fakeconvert {{}} to {to} mode {mode} opset 13", element, f"{rows}x{columns}x", element
    )  # fmt: skip


# Block, rule, element type, type of the scales, and whether there is a scale of the tensor.
BLOCKS = {
    "mxfp8_rows": ((1, 32), "rceil", "f8E4M3FN", "f8E8M0FNU", False),
    "mxfp8_columns": ((32, 1), "rceil", "f8E4M3FN", "f8E8M0FNU", False),
    "nvfp4_rows": ((1, 16), "torchao", "f4E2M1FN", "f8E4M3FN", True),
    "nvfp4_columns": ((16, 1), "torchao", "f4E2M1FN", "f8E4M3FN", True),
    "f8_tiles": ((128, 128), "absmax", "f8E4M3FN", "f32", False),
    "f8_tokens": ((1, -1), "absmax", "f8E4M3FN", "f32", False),
}


def block_quantization(kind, rows="?", columns=128, expressed="f32", norm=""):
    """The quantization of blocks, optionally after a normalization."""
    block, rule, element, scale, has_level = BLOCKS[kind]
    sizes = (rows, columns)
    count = [
        1 if size == -1 else "?" if extent == "?" else -(-extent // size)
        for extent, size in zip(sizes, block, strict=True)
    ]
    x = f"tensor<{rows}x{columns}x{expressed}>"
    q = f"tensor<{rows}x{columns}x{element}>"
    s = f"tensor<{count[0]}x{count[1]}x{scale}>"
    arguments, lines, value, given = [f'%x: {x} {{quant_float.name = "x"}}'], [], "%x", ""
    if norm:
        w = f"tensor<{columns}x{expressed}>"
        opset = 23 if norm == "RMSNormalization" else 17
        arguments.append(f'%w: {w} {{quant_float.name = "w"}}')
        lines.append(f'  %y = quant_float.node "{norm}"(%x, %w) opset {opset} : ({x}, {w}) -> {x}')
        value = "%y"
    if has_level:
        arguments.append('%t: tensor<f32> {quant_float.name = "t"}')
        given = "tensor_scale(%t : tensor<f32>) "
    name = f"{norm.lower() + '_' if norm else 'quantize_'}{kind}_{expressed}"
    lines.append(
        f"  %q, %s = quant_float.block_quantize {value} {given}block [{block[0]}, {block[1]}] rule {rule} : {x} to {q}, {s}"
    )
    return (
        f"func.func @{name}({', '.join(arguments)}) -> ({q}, {s}) {{\n"
        + "\n".join(lines)
        + f"\n  return %q, %s : {q}, {s}\n}}\n"
    )


def block_quantizations(**sizes):
    """For f32 and bf16, and two after normalizations."""
    text = "".join(block_quantization(kind, **sizes) for kind in BLOCKS)
    text += block_quantization("mxfp8_rows", expressed="bf16", **sizes)
    text += block_quantization("nvfp4_rows", expressed="bf16", **sizes)
    text += block_quantization("mxfp8_rows", norm="RMSNormalization", **sizes)
    text += block_quantization("f8_tokens", norm="LayerNormalization", **sizes)
    return text


def dense():
    """One function of every kind."""
    text = ""
    for storage in ("f8E4M3FN", "f8E5M2", "i8", "ui8", "i4"):
        for granularity in GRANULARITIES:
            for op in ("quantize", "dequantize", "qdq"):
                text += quantization(op, granularity, storage, zero_point=storage in ("i8", "ui8"))
    for expressed in ("f16", "bf16"):
        text += quantization("quantize", "tensor", "f8E4M3FN", expressed)
        text += quantization("dequantize", "axis", "f8E4M3FN", expressed)
    for to in ("f8E4M3FN", "f8E5M2"):
        for mode in ("exact", "openvino", "openvino_reference"):
            text += fakeconvert(to, mode)
    text += fakeconvert("f8E4M3FN", "exact", shift=True)
    return text


def casts():
    text = "".join(cast("f32", to) for to in NARROW if to != "f8E8M0FNU")
    text += "".join(cast(source, "f32") for source in NARROW)
    text += cast("f32", "f8E8M0FNU", True, "up") + cast("f32", "f8E5M2", False)
    text += cast("f8E4M3FN", "f16") + cast("f16", "f8E4M3FN") + cast("bf16", "f8E5M2")
    text += cast("f64", "f8E4M3FN") + cast("i32", "f8E4M3FN") + cast("f8E5M2", "f64")
    return text
