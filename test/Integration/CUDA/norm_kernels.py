# Normalizations and the quantization of their results, which are one kernel that reads every
# element once, executed in the simulator of a driver, against NumPy. Sums of floats are in order,
# or, with --accumulation reassociate, within a tolerance.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance import block_cases as cases
from conformance import blocks

F32 = np.float32
EPSILON = F32(1e-5)
LEVEL = F32(0.0078125)
# Node, block, rule, element type, scale type.
CHAINS = (
    ("RMSNormalization", (1, 32), "rceil", "f8E4M3FN", "f8E8M0FNU"),
    ("RMSNormalization", (1, -1), "absmax", "i8", "f32"),
    ("LayerNormalization", (1, -1), "absmax", "f8E4M3FN", "f32"),
    ("LayerNormalization", (1, 16), "torchao", "f4E2M1FN", "f8E4M3FN"),
    ("Add", (1, 32), "floor", "f4E2M1FN", "f8E8M0FNU"),
)
# Rows, columns, chip, and whether the number of rows is dynamic.
SIZES = (
    (7, 96, "sm_90", True),
    (5, 1024, "sm_100a", False),
    (5, 4096, "sm_80", True),
    (9, 100, "sm_90", True),
    (0, 96, "sm_90", True),
)


def write_model(rows, columns):
    x, w = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}xf32>"
    arguments, lines, values, types = [], [], [], []
    for i, (node, block, rule, element, scale) in enumerate(CHAINS):
        arguments += [f"%x{i}: {x}", f"%w{i}: {w}"]
        if node == "Add":
            # A residual that is a result as well.
            lines.append(f'  %r{i} = quant_float.node "Add"(%x{i}, %w{i}) opset 14 : ({x}, {w}) -> {x}')  # fmt: skip
            lines.append(f'  %y{i} = quant_float.node "RMSNormalization"(%r{i}, %w{i}) opset 23 : ({x}, {w}) -> {x}')  # fmt: skip
            values.append(f"%r{i}")
            types.append(x)
        else:
            opset = 23 if node == "RMSNormalization" else 17
            lines.append(f'  %y{i} = quant_float.node "{node}"(%x{i}, %w{i}) opset {opset} : ({x}, {w}) -> {x}')  # fmt: skip
        count = 1 if block[1] == -1 else -(-columns // block[1])
        q, s = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{count}x{scale}>"
        given = ""
        if rule in blocks.TWO_LEVELS:
            arguments.append(f"%t{i}: tensor<f32>")
            given = f"tensor_scale(%t{i} : tensor<f32>) "
        lines.append(f"  %q{i}, %s{i} = quant_float.block_quantize %y{i} {given}block [{block[0]}, {block[1]}] rule {rule} : {x} to {q}, {s}")  # fmt: skip
        values += [f"%q{i}", f"%s{i}"]
        types += [q, s]
    joined = ", ".join(types)
    lines.append(f"  return {', '.join(values)} : {joined}")
    return f"func.func @main({', '.join(arguments)}) -> ({joined}) {{\n" + "\n".join(lines) + "\n}\n"  # fmt: skip


def mean(x):
    """Statistics of each row, with additions of f32 in order."""
    zero = np.zeros((x.shape[0], 1), F32)
    total = np.add.accumulate(np.hstack([zero, x]), axis=1, dtype=F32)[:, -1:]
    return total / F32(x.shape[1])


def normalize(node, x, w):
    if node == "Add":
        x = x + w
    if node != "LayerNormalization":
        return x / np.sqrt(mean(x * x) + EPSILON) * w
    center = mean(x)
    return (x - center) / np.sqrt(mean(x * x) - center * center + EPSILON) * w


def check(name, chain, x, w, q, s, is_exact):
    node, block, rule, element, scale = chain
    y = normalize(node, x, w)
    level = blocks.Level(scale=LEVEL) if rule in blocks.TWO_LEVELS else None
    if is_exact:
        return cases.check(name, (rule, element, scale), y, block, [q, s], level)
    # The maximum magnitude may be on the other side of a threshold.
    expected = blocks.scales(rule, element, scale, cases.amaxes(y, block), level)
    found = s if scale == "f32" else s.view(np.uint8)
    far = np.abs(blocks.decode_scale(found, scale) / blocks.decode_scale(expected, scale) - 1)
    if (far > (1e-5 if scale == "f32" else 1.01)).any() or np.mean(far > 1e-5) > 0.02:
        print(f"{name}: scales differ by {far.max()}")
        return 1
    return 0


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    failures = 0
    random = np.random.default_rng(1)
    for rows, columns, chip, is_dynamic in SIZES:
        model = folder / "model.mlir"
        model.write_text(write_model("?" if is_dynamic else rows, columns))
        data = []
        for _ in CHAINS:
            x = random.standard_normal((rows, columns)).astype(F32)
            x[rows // 2 :] *= F32(100)
            if rows > 2:
                x[0] = 0
                x[1, 7] = np.nan
                x[2, 9] = np.inf
            data.append((x, random.standard_normal(columns).astype(F32)))
        inputs = []
        for i, (chain, values) in enumerate(zip(CHAINS, data, strict=True)):
            for letter, value in zip("xwt", (*values, LEVEL), strict=True):
                if letter != "t" or chain[2] in blocks.TWO_LEVELS:
                    np.save(folder / f"{letter}{i}.npy", value)
                    inputs.append(folder / f"{letter}{i}.npy")
        for mode in ("ordered", "reassociate"):
            name = f"{chip}: {rows} x {columns}, {mode}"
            on = ["--target", "nvvm", "--accumulation", mode]
            subprocess.run([tools / "quant-float-compile", model, "-o", folder / "model.ll", *on, "--chip", chip, "--emit", "llvm-ir"], check=True)  # fmt: skip
            code = (folder / "model.ll").read_text()
            cuda.build_kernels(code, folder / "model.so", compiler, cuda_include)
            accesses = folder / "accesses"
            accesses.unlink(missing_ok=True)
            environment = cuda.simulator_environment(
                obj_root, [folder / "model.so"], chip=chip[3:].rstrip("a"), accesses=accesses
            )
            out = folder / "out"
            subprocess.run([tools / "quant-float-run", model, "--inputs", *inputs, "--outputs", out, *on], env=environment, check=True, stdout=subprocess.DEVNULL)  # fmt: skip
            lines = accesses.read_text().splitlines()
            if len(lines) != len(CHAINS):
                print(f"{name}: expected {len(CHAINS)} kernels, but got {lines}")
                failures += 1
            index = 0
            for chain, (x, w) in zip(CHAINS, data, strict=True):
                count = 3 if chain[0] == "Add" else 2
                *r, q, s = (np.load(out / f"output_{index + i}.npy") for i in range(count))
                index += count
                if r and not np.array_equal(r[0], x + w, equal_nan=True):
                    print(f"{name}: another sum")
                    failures += 1
                if rows == 0:
                    failures += q.shape != (0, columns)
                    continue
                is_exact = mode == "ordered"
                # Rows with NaN have the same NaN in any order.
                keep = slice(None) if is_exact else slice(3, None)
                with np.errstate(all="ignore"):
                    failures += check(f"{name}: {' '.join(map(str, chain))}", chain, x[keep], w, q[keep], s[keep], is_exact)  # fmt: skip
                # Each row loads x and w once, and each thread loads the scale.
                stored = q.nbytes + s.nbytes + sum(each.nbytes for each in r)
                found = [line.split() for line in lines]
                loaded = 2 * x.nbytes
                if not any(int(line[4]) == stored and (int(line[2]) == loaded or chain[2] in blocks.TWO_LEVELS) for line in found):  # fmt: skip
                    print(f"{name}: {chain}: no kernel loads {loaded} bytes and stores {stored}, but: {lines}")  # fmt: skip
                    failures += 1
        print(f"{chip}: {rows} x {columns}", flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
