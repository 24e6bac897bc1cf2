# Matmuls, convolutions and skinny matmuls for each chip: NVIDIA's assembler accepts the PTX. It
# contains tensor core instructions if the chip has them and the accumulation mode allows them,
# otherwise fused multiply-adds, and --explain agrees. Chips that differ from these in name only are
# tested with reassociation, and are not assembled. Ordered accumulation and --explain are tested
# for one chip of each kind.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import re
import subprocess
import sys
from pathlib import Path

import gpu_matmuls
import sharding
from gpu_convolutions import CONVOLUTIONS
from gpu_skinny_matmuls import VECTORS
from nvvm import ptx
from nvvm.chips import CHIPS, MORE_CHIPS, number

# The matmuls that use wgmma on sm_90a, if TMA can load the operands, and the instruction's name in
# --explain.
WGMMA = {
    gpu_matmuls.transposed("f16", "f16"): "m64nNk16.f32.f16.f16",
    gpu_matmuls.transposed("f8E4M3FN", "f8E4M3FN", scales=True): "m64nNk32.f32.e4m3.e4m3",
    gpu_matmuls.transposed("i8", "ui8"): "m64nNk32.s32.s8.u8",
}
PRODUCTS = (
    *WGMMA,
    gpu_matmuls.matmul("f32"),
    gpu_matmuls.matmul("f64"),
    gpu_matmuls.matmul("f32", gpu_matmuls.SKINNY[0]),
    gpu_matmuls.matmul("f16"),
    gpu_matmuls.matmul("bf16"),
    gpu_matmuls.dequantized("f8E4M3FN"),
    gpu_matmuls.dequantized("f8E5M2"),
    gpu_matmuls.integer("i8", "ui8"),
    gpu_matmuls.integer("ui8", "ui8", "one", "all"),
    *(each for each in VECTORS if each.name in ("bytes", "nibbles_blocks", "float4", "float8_blocks", "columns_nibbles")),
    *(each for each in CONVOLUTIONS if each.name in ("padded", "f16", "zero_points", "f8", "f8_padded")),
)  # fmt: skip


OF_EACH_KIND = ("sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a")


def instruction(product, chip, sums):
    """The shape and the operand types of the instruction, from this test's own table of the PTX
    ISA, or None."""
    if product in VECTORS:
        return None
    kind, other = product.factors()
    if kind in ("i8", "ui8"):
        # The channels of a convolution are the rows.
        given = (other, kind) if product in CONVOLUTIONS else (kind, other)
        types = ".".join({"i8": "s8", "ui8": "u8"}[each] for each in given)
        return f"{'m16n8k32' if number(chip) >= 80 else 'm8n8k16'}.row.col.s32.{types}.s32"
    if sums != "reassociate":
        return None
    if kind == "f16":
        return f"m16n8k{16 if number(chip) >= 80 else 8}.row.col.f32.f16.f16.f32"
    if kind == "bf16" and number(chip) >= 80:
        return "m16n8k16.row.col.f32.bf16.bf16.f32"
    if kind.startswith("f8") and number(chip) >= 89:
        name = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}[kind]
        return f"m16n8k32.row.col.f32.{name}.{name}.f32"
    return None


def main(tools, folder):
    tools, folder, failures = Path(tools), Path(folder), []
    model = folder / "model.mlir"
    model.write_text("".join(product.text() for product in PRODUCTS))
    for chip in (
        (*CHIPS, *MORE_CHIPS) if sharding.SHARE == 1 else ("sm_75", "sm_90", "sm_90a", "sm_100a")
    ):
        for sums in ("ordered", "reassociate") if chip in OF_EACH_KIND else ("reassociate",):
            code = folder / f"{chip}.{sums}.ptx"
            command = [tools / "quant-float-compile", model, "--target", "nvvm", "--chip", chip, "--accumulation", sums]  # fmt: skip
            subprocess.run([*command, "-o", code], check=True)
            if chip in CHIPS and (message := ptx.assemble(code, chip, folder / "code.cubin")):
                failures.append(f"{chip} {sums}: {message}")
            kernels = re.findall(r"\.entry (\w+)\((.*?)\n\n\}", code.read_text(), re.DOTALL)
            for product in PRODUCTS:
                found, warpgroups = set(), set()
                fused = False
                for name, body in kernels:
                    if name.startswith(product.name + "_kernel"):
                        found |= set(re.findall(r"mma\.sync\.aligned\.(\S+)", body))
                        warpgroups |= set(
                            re.findall(r"wgmma\.mma_async\.sync\.aligned\.(\S+)", body)
                        )
                        fused |= "fma.rn" in body
                wanted = instruction(product, chip, sums)
                if found != ({wanted} if wanted else set()):
                    failures.append(f"{chip} {sums}: {product.name}: {found} for {wanted}")
                by_warpgroups = wanted and chip == "sm_90a" and WGMMA.get(product)
                if {re.sub(r"n\d+", "nN", each) for each in warpgroups} != (
                    {by_warpgroups} if by_warpgroups else set()
                ):
                    failures.append(f"{chip} {sums}: {product.name}: {warpgroups}")
                if not wanted and not fused:
                    failures.append(f"{chip} {sums}: {product.name}: no fused multiply-adds")
            if chip not in OF_EACH_KIND or (sums == "ordered" and chip != "sm_90"):
                continue
            said = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=True).stdout  # fmt: skip
            lines = [line for line in said.splitlines() if re.search(r": mat(mul|vec) ", line)]
            by_instructions = sum(
                ": matmul of" in line and " by mma.sync." in line for line in lines
            )
            expected = sum(instruction(product, chip, sums) is not None for product in PRODUCTS)
            is_said = all(f"wgmma.mma_async.{name} if TMA" in said for name in WGMMA.values())
            if chip == "sm_90a" and sums == "reassociate" and not is_said:
                failures.append(f"{chip} {sums}: --explain says\n" + "\n".join(lines))
            if len(lines) != len(PRODUCTS) or by_instructions != expected:
                failures.append(f"{chip} {sums}: --explain says\n" + "\n".join(lines))
    print(f"{len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
