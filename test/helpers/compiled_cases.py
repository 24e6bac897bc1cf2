"""Compiles functions of a model and calls them from C, with the driver EntryPoint/Inputs/cases.c:
the outputs are compared with the expected ones, on this CPU or under an emulator. Without a C
library, the driver is Conformance/emulated/Inputs/cases.c."""

import re
import subprocess
from typing import NamedTuple

import sharding


class Argument(NamedTuple):
    """A tensor of the driver: a qf_dtype, sizes and bytes."""

    number: int
    shape: tuple
    data: bytes


class Case(NamedTuple):
    """A function, its name in messages, and its arguments."""

    symbol: str
    description: str
    inputs: list
    outputs: list


def split_commands(words):
    """Splits the options at `--`: those of quant-float-compile, the C compiler of the driver and,
    optionally, the emulator."""
    groups = [[]]
    for word in words:
        if word == "--":
            groups.append([])
        else:
            groups[-1].append(word)
    return (*groups, [])[:3]


def run(tools, src_root, work, commands, text, cases):
    """Compiles the model, calls all its functions and prints the mismatches. Returns the driver's
    exit code."""
    options, compiler, emulator = commands
    left_out = {case.symbol for case in cases}
    cases = sharding.take(cases, work.name)
    left_out -= {case.symbol for case in cases}
    functions = re.split(r"^(?=func\.func @)", text, flags=re.MULTILINE)
    text = "".join(
        each for each in functions if re.match(r"func\.func @(\w+)|", each)[1] not in left_out
    )
    (work / "model.mlir").write_text(text)
    lines, data = [], bytearray()
    for case in cases:
        tensors = []
        for argument in (*case.inputs, *case.outputs):
            sizes = ", ".join(map(str, [*argument.shape, 0, 0, 0, 0][:4]))
            tensors.append(f"{{{argument.number}, {len(argument.shape)}, {{{sizes}}}, {len(data)}, {len(argument.data)}}}")  # fmt: skip
            data += argument.data
        lines.append(f'{{"{case.symbol}", {case.symbol}, {len(case.inputs)}, {len(case.outputs)}, {{{", ".join(tensors)}}}}},\n')  # fmt: skip
    (work / "cases.inc").write_text("".join(lines))
    (work / "data.bin").write_bytes(data)
    subprocess.run(
        [f"{tools}/quant-float-compile", work / "model.mlir", "-o", work / "model.o", *options],
        check=True,
    )
    is_bare = "-ffreestanding" in compiler
    inputs = f"{src_root}/test/{'Conformance/emulated' if is_bare else 'EntryPoint'}/Inputs"
    subprocess.run(
        [*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-D_GNU_SOURCE", "-O1", "-include", work / "model.h", f"-I{src_root}/include",
         f"-I{work}", f"{inputs}/cases.c", work / "model.o", *([] if is_bare else ["-lm"]), "-o", work / "driver"],
        check=True,
    )  # fmt: skip
    with open(work / "data.bin", "rb") as file:
        ran = subprocess.run([*emulator, work / "driver", *([] if is_bare else [work / "data.bin"])], stdin=file, stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
    descriptions = {case.symbol: case.description for case in cases}
    for line in ran.stdout.splitlines()[:-1]:
        print(line, "\n    ", descriptions[line.split(":")[0]])
    print(ran.stdout.splitlines()[-1:])
    return ran.returncode
