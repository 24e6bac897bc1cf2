# Two casts that become one, or none, yield the same bits for all encodings of 16-bit types, and for
# values near rounding boundaries of wider ones. Casts that are left have the input that their
# remark names.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t | FileCheck %s
# CHECK: collapsed: {{[1-9]}}
# CHECK: refused: {{[1-9]}}
# CHECK: 0 differences
import pathlib
import re
import sys

import numpy as np
from rewrites import DTYPES, ENCODING, WIDTHS, Rewrites, all_encodings

rewrites = Rewrites(sys.argv[1], pathlib.Path(sys.argv[2]))
TYPES = [
    "i4",
    "ui8",
    "i8",
    "i16",
    "i32",
    "i64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E4M3FNUZ",
    "f16",
    "bf16",
    "f32",
    "f64",
]
DTYPES["i64"], WIDTHS["i64"] = np.int64, 64
UNSIGNED = {name: f"u{max(width, 8) // 8}" for name, width in WIDTHS.items()}
OPSET = 25
WITHOUT_RULE = "via 'f8E4M3FN' gives the same 'f8E4M3FNUZ'"


def make_inputs(name, more):
    """All encodings, or values of all kinds and the given ones."""
    if WIDTHS[name] <= 16:
        return all_encodings(name)[0]
    random = np.random.default_rng(0).integers(0, 1 << WIDTHS[name], 20000, np.uint64)
    bits = np.concatenate([random, random % 4096, np.array(more, "u8")]).astype(UNSIGNED[name])
    return bits.view(DTYPES[name])


def write(name, source, chains, size, isDirect=False):
    """A function of all chains of one type."""
    lines, results = [], []
    for i, (via, to) in enumerate(chains):
        if isDirect:
            lines.append(
                f"%y{i} = quant_float.cast %x opset {OPSET} : tensor<{size}x{source}> to tensor<{size}x{to}>"
            )
        else:
            lines.append(
                f"%v{i} = quant_float.cast %x opset {OPSET} : tensor<{size}x{source}> to tensor<{size}x{via}>"
            )
            lines.append(
                f'%y{i} = quant_float.cast %v{i} opset {OPSET} : tensor<{size}x{via}> to tensor<{size}x{to}> loc("chain{i}_x")'
            )
        results.append((f"%y{i}", f"tensor<{size}x{to}>"))
    names, types = (", ".join(column) for column in zip(*results, strict=True))
    body = "\n".join(lines)
    file = rewrites.folder / f"{name}.mlir"
    file.write_text(
        f"func.func @f(%x: tensor<{size}x{source}>) -> ({types}) {{\n{body}\nreturn {names} : {types}\n}}\n"
    )
    return file


def run(file, inputs, source, chains):
    values = inputs
    if values.dtype.num >= 24:
        values = values.view(("i" if source == "i4" else "u") + str(values.dtype.itemsize))
    np.save(rewrites.folder / "x.npy", values)
    rewrites.call(
        "quant-float-run",
        file,
        "--target",
        "reference",
        "--inputs",
        rewrites.folder / "x.npy",
        "--outputs",
        rewrites.folder,
    )
    found = []
    for i, (_, to) in enumerate(chains):
        encodings = np.load(rewrites.folder / f"output_{i}.npy")
        found.append(
            encodings.view(UNSIGNED[to]) & np.dtype(UNSIGNED[to]).type((1 << WIDTHS[to]) - 1)
        )
    return found


for source in TYPES:
    chains = [(via, to) for via in TYPES for to in TYPES if via not in (source, to)]
    before = write("before", source, chains, "?")
    said = rewrites.call(
        "quant-float-opt",
        "--quant-float-collapse-casts",
        before,
        "-o",
        rewrites.folder / "after.mlir",
    )
    pattern = rf"node 'chain(\d+)_x': not collapsed: {ENCODING} of \S+ becomes {ENCODING} via \S+, but {ENCODING} directly"
    remarks = {
        int(i): [int(c, 16) for c in encodings] for i, *encodings in re.findall(pattern, said)
    }
    # The same values within the range of the last type, and no rule for it.
    rewrites.counts["without a rule"] += said.count(WITHOUT_RULE)
    if len(remarks) + said.count(WITHOUT_RULE) != said.count("remark: "):
        rewrites.fail(
            f"{source}: without an example: {set(re.findall(r'remark: .*', said)) - set(re.findall(r'remark: .*directly', said))}"
        )
    inputs = make_inputs(source, [encoding for encoding, _, _ in remarks.values()])
    bits = inputs.view(UNSIGNED[source]) & np.dtype(UNSIGNED[source]).type(
        (1 << WIDTHS[source]) - 1
    )
    one = run(before, inputs, source, chains)
    other = run(rewrites.folder / "after.mlir", inputs, source, chains)
    direct = run(write("direct", source, chains, "?", isDirect=True), inputs, source, chains)
    rewrites.counts["chains"] += len(chains)
    rewrites.counts["refused"] += len(remarks)
    for i, chain in enumerate(chains):
        rewrites.counts["inputs"] += inputs.size
        if not np.array_equal(one[i], other[i]):
            rewrites.fail(f"{source} {chain}: {(one[i] != other[i]).sum()} differ")
        if i not in remarks:
            rewrites.counts["collapsed"] += f"chain{i}_x'" not in said
            continue
        encoding, with_it, without = remarks[i]
        at = np.flatnonzero(bits == encoding)[0]
        rewrites.counts["replayed"] += 1
        if with_it == without or one[i][at] != with_it or direct[i][at] != without:
            rewrites.fail(
                f"{source} {chain}: not so: {remarks[i]}, but {one[i][at]:#x} and {direct[i][at]:#x}"
            )
rewrites.finish()
