# Random bits and stochastically rounded results are the same on every machine and with threads.
# They equal those of the generator as its paper defines it, and of exact arithmetic.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root %t host --cpu host -- %clang
# RUN: %python %s %tools_dir %src_root %t threads --cpu host --threads 4 -- %clang -fopenmp
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline --cpu x86-64 -- %clang %}
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t v3 --cpu x86-64-v3 -- %clang %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64 --triple aarch64-linux-gnu --cpu generic -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %src_root %t riscv64 --triple riscv64-linux-gnu --cpu rv64gcv -- %clang_riscv64 -static -- %run_riscv64 %}
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from compiled_cases import split_commands
from conformance.stochastic import (
    INPUT_ELEMENTS,
    OUTPUT_ELEMENTS,
    expect_outputs,
    make_inputs,
    write_model,
)

tools, src_root, work, name, *rest = sys.argv[1:]
options, compiler, emulator = split_commands(rest)
work = Path(work) / name
work.mkdir()
inputs = make_inputs()
expected = expect_outputs(inputs)
(work / "model.mlir").write_text(write_model())
code = work / "model.o"
command = [f"{tools}/quant-float-compile", work / "model.mlir", *options, "-o"]
subprocess.run([*command, code], check=True)
if "riscv64-linux-gnu" in options:
    # qemu 7.2 crashes in conversions with a static rounding mode (see
    # Conformance/compiled/riscv64.test).
    code = work / "model.s"
    subprocess.run([*command, code, "--emit", "asm"], check=True)
    text = re.sub(r"(?m)^\t\.option\tarch.*\n", "", code.read_text())
    text = re.sub(r"(?m)^(?=\tvfn?cvt\.rtz)", "\t.p2align 3\n\tfcvt.w.s zero, ft0, dyn\n", text)
    code.write_text(text)


# ONNX's type numbers, and this project's of f8UE5M3.
NUMBERS = {
    "i64": 7, "f32": 1, "i8": 3, "i16": 5, "ui2": 25, "ui4": 21, "ui8": 2, "ui16": 4, "ui32": 12, "f8E4M3FN": 17, "bf16": 16,
    "!quant_float.f8UE5M3": 67, "f16": 10, "f4E2M1FN": 23, "f8E5M2": 19, "f6E2M3FN": 27,
}  # fmt: skip


def describe(prefix, elements, arrays):
    """The memory of tensors in C, and an array of their descriptors."""
    memory, tensors = [], []
    for i, (element, array) in enumerate(zip(elements, arrays, strict=True)):
        sizes = ", ".join(map(str, array.shape)) or "0"
        memory.append(f"static const int64_t {prefix}_sizes{i}[] = {{{sizes}}};\n")
        memory.append(f"_Alignas(64) static char {prefix}{i}[{array.nbytes}];\n")
        place = f"{prefix}{i}, {prefix}_sizes{i}, {array.ndim}, {NUMBERS[element]}"
        tensors.append(f"{{{place}}}")
    return f"{''.join(memory)}static qf_tensor {prefix}[] = {{{', '.join(tensors)}}};\n"


def move(function, prefix, arrays):
    return "".join(
        f"  {function}({prefix}{i}, 1, sizeof {prefix}{i}, file);\n" for i in range(len(arrays))
    )


(work / "driver.c").write_text(f"""
#include "model.h"
#include <stdio.h>
{describe("in", INPUT_ELEMENTS, inputs)}{describe("out", OUTPUT_ELEMENTS, expected)}
int main(int argc, char **argv) {{
  FILE *file = fopen(argv[1], "rb");
  if (!file)
    return 2;
{move("(void)!fread", "in", inputs)}  fclose(file);
  char error[500];
  if (stochastic(in, out, error, sizeof error)) {{
    puts(error);
    return 1;
  }}
  file = fopen(argv[2], "wb");
  if (!file)
    return 2;
{move("fwrite", "out", expected)}  return fclose(file) != 0;
}}
""")
subprocess.run(
    [*compiler, "-std=c11", "-O1", f"-I{src_root}/include", work / "driver.c", code, "-lm", "-o", work / "driver"],
    check=True,
)  # fmt: skip
(work / "in.bin").write_bytes(b"".join(array.tobytes() for array in inputs))
subprocess.run([*emulator, work / "driver", work / "in.bin", work / "out.bin"], check=True)
found = (work / "out.bin").read_bytes()
for element, wanted in zip(OUTPUT_ELEMENTS, expected, strict=True):
    mine, found = np.frombuffer(found[: wanted.nbytes], wanted.dtype), found[wanted.nbytes :]
    different = np.flatnonzero(mine != wanted.ravel())
    assert not different.size, (
        f"{element}: {different.size} of {wanted.size} differ, the first {different[0]}: "
        f"expected {wanted.ravel()[different[0]]:#x}, but got {mine[different[0]]:#x}"
    )
