# B9: pack_scales and unpack_scales, compiled, by the Reference and folded, against the reshapes and offsets of the libraries that read
# the layouts. Every scale is in the layout once, the padding is zero, and unpacking does not depend on the padding.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../../helpers %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np
from conformance.blocks import LAYOUTS, pack_scales

random = np.random.default_rng(9)


def run(tool, source, inputs, out, target):
    command = [tool, source, "--inputs", *inputs, "--outputs", out, "--target", target]
    subprocess.run(command, check=True)
    return np.load(out / "output_0.npy")


def main(tools, work):
    tools, work = Path(tools), Path(work)
    failures = 0

    def same(what, found, expected):
        nonlocal failures
        if found.shape != expected.shape or (found != expected).any():
            failures += 1
            print(f"{what}: expected {expected}, got {found}")

    for layout, (rows, columns) in LAYOUTS.items():
        is_f32 = layout == "deepgemm_f32"
        element, dtype = ("f32", np.float32) if is_f32 else ("f8E8M0FNU", np.uint8)
        shapes = [
            (1, 1),
            (130, 5),
            (130, 17),
            (rows, columns),
            (rows + 1, 2 * columns + 1),
            (3, 0),
            (2, 300, 9),
        ]
        for shape in shapes:
            for is_dynamic in (False, True):
                s = random.integers(1, 255, shape).astype(dtype)
                flat = s.reshape(int(np.prod(shape[:-2])), *shape[-2:])
                expected = np.array([pack_scales(layout, matrix) for matrix in flat])
                expected = expected.reshape(*shape[:-2], expected.shape[-1])
                sizes = ["?"] * len(shape) if is_dynamic else list(shape)
                packed_sizes = ["?"] * (len(shape) - 1) if is_dynamic else list(expected.shape)
                plain = f"tensor<{'x'.join(map(str, sizes))}x{element}>"
                packed = f"tensor<{'x'.join(map(str, packed_sizes))}x{element}>"
                result = f"tensor<{'x'.join(map(str, [*sizes[:-2], *shape[-2:]]))}x{element}>"
                (work / "pack.mlir").write_text(f"""
func.func @main(%s: {plain}) -> {packed} {{
  %p = quant_float.pack_scales %s layout {layout} : {plain} to {packed}
  return %p : {packed}
}}""")
                (work / "unpack.mlir").write_text(f"""
func.func @main(%p: {packed}) -> {result} {{
  %s = quant_float.unpack_scales %p layout {layout} : {packed} to {result}
  return %s : {result}
}}""")
                np.save(work / "s.npy", s)
                # Different padding.
                garbage = np.full(expected.shape, 77, dtype)
                mask = np.array([pack_scales(layout, np.ones_like(matrix)) for matrix in flat])
                filled = np.where(mask.reshape(expected.shape) == 1, expected, garbage)
                np.save(work / "p.npy", filled)
                for target in ("cpu", "reference"):
                    what = f"{target}: {layout} of {shape}{' dynamic' if is_dynamic else ''}"
                    found = run(
                        tools / "quant-float-run",
                        work / "pack.mlir",
                        [work / "s.npy"],
                        work / "out",
                        target,
                    )
                    same(what, found, expected)
                    found = run(
                        tools / "quant-float-run",
                        work / "unpack.mlir",
                        [work / "p.npy"],
                        work / "out",
                        target,
                    )
                    same(f"{what}, unpacked", found, s)
        # A permutation of whole tiles.
        whole = np.arange(4 * rows * 3 * columns).reshape(4 * rows, 3 * columns)
        assert (np.sort(pack_scales(layout, whole)) == np.arange(whole.size)).all()
        print(f"{layout}: {len(shapes)} shapes")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
