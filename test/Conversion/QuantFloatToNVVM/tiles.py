# Every matmul tile configuration, and convolutions with these tiles, fits into the registers on
# each kind of chip: the assembler reports spills. A few bytes of spills are allowed, as it may
# prefer them for higher occupancy.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import re
import subprocess
import sys
from pathlib import Path

import gpu_tiles
from gpu_convolutions import CONVOLUTIONS
from nvvm import ptx

MAX_SPILLED = 32
MAX_SHARED = 48 * 1024


def main(tools, folder):
    folder, failures, kernels = Path(folder), [], 0
    model = folder / "model.mlir"
    products = [product for product, _, _ in gpu_tiles.cases()] + [
        each for each in CONVOLUTIONS if not each.open
    ]
    model.write_text("".join(product.text() for product in products))
    for chip in ("sm_75", "sm_80", "sm_90", "sm_120"):
        for sums in ("ordered", "reassociate"):
            code = folder / f"{chip}.{sums}.ptx"
            subprocess.run([Path(tools) / "quant-float-compile", model, "-o", code, "--target", "nvvm", "--chip", chip, "--accumulation", sums], check=True)  # fmt: skip
            said = subprocess.run([ptx.PTXAS, f"-arch={chip}", "-v", code, "-o", folder / "code.cubin"], capture_output=True, text=True, check=True).stderr  # fmt: skip
            for name, text in re.findall(
                r"Compiling entry function '(\w+)'(.*?Used \d+ registers[^\n]*)", said, re.DOTALL
            ):
                kernels += 1
                spilled = int(re.search(r"(\d+) bytes spill stores", text)[1])
                shared = int((re.search(r"(\d+) bytes smem", text) or [0, 0])[1])
                if spilled > MAX_SPILLED or shared > MAX_SHARED:
                    failures.append(
                        f"{chip} {sums}: {name}: {spilled} bytes spilled, {shared} bytes shared"
                    )
    print(f"{kernels} kernels, {len(failures)} failures")
    return "\n".join(failures) if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
