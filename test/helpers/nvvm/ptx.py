"""Kernels in PTX: compiled, assembled, counted."""

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from nvvm.kernels import kernel

PTXAS = Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13" / "bin" / "ptxas"
PASSES = (
    "convert-gpu-to-nvvm,convert-vector-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts"
)
CONVERSION = re.compile(r"cvt\.\S*\b(e4m3x2|e5m2x2|ue8m0x2|e2m1x2|e2m3x2|e3m2x2)\b")
# Instructions that only move values in and out.
_TRANSPORT = re.compile(r"^(\.|//|[{}()]|mov|ld|st|ret|cvta|\$)")

_MACHINE_TRANSPORT = re.compile(
    r"(@!?\w+ )?(LDC|ULDC|LDCU|LDG|STG|MOV|IMAD\.MOV|UMOV|CS2R|S2R|EXIT|BRA|NOP|RET)\b"
)


def get_assembly(text):
    """The PTX of a gpu.binary."""
    escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text)[1]
    return re.sub(r"\\([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), escaped).rstrip("\0")


def module(computations):
    return "\n".join(["gpu.module @kernels {", *map(kernel, computations), "}", ""])


def compile_kernels(program, chip, ptx, computations):
    """PTX, compiled by running upstream's passes one by one."""
    pipeline = (
        f"builtin.module(gpu.module(convert-quant-float-to-nvvm{{chip={chip} ptx={ptx}}},canonicalize,cse),"
        f"nvvm-attach-target{{chip={chip} features=+ptx{ptx} O=3}},gpu.module({PASSES}),gpu-module-to-binary{{format=isa}})"
    )
    done = subprocess.run(
        [program, f"--pass-pipeline={pipeline}", "-"],
        input=module(computations),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{chip}: {done.stderr[:2000]}")
    return get_assembly(done.stdout)


def assemble(path, chip, output, optimization="-O0"):
    """The errors of ptxas, or an empty string."""
    done = subprocess.run(
        [PTXAS, f"-arch={chip}", optimization, path, "-o", output], capture_output=True, text=True
    )
    return done.stderr[:2000] if done.returncode else ""


def instructions(assembly):
    """The instructions of each kernel other than those that move values in and out."""
    bodies = dict(re.findall(r"\.entry (\w+)\((.*?)\n\}", assembly, re.DOTALL))
    return {
        name: [line for line in map(str.strip, body.splitlines()) if line and not _TRANSPORT.match(line)]
        for name, body in bodies.items()
    }  # fmt: skip


def conversions(lines):
    """The narrow types, in PTX syntax, that a kernel converts from or to with instructions."""
    return sorted(match[1] for line in lines if (match := CONVERSION.match(line)))


def is_conversion(line):
    """Whether an instruction converts between floats."""
    return line.startswith("cvt.") and not re.match(r"cvt\.[su]\d+\.[su]\d+\s", line)


def _find_disassembler():
    """Python packages may contain a disassembler, too."""
    found = shutil.which("nvdisasm")
    package = Path(sysconfig.get_path("purelib")) / "triton/backends/nvidia/bin/nvdisasm"
    return found or (str(package) if package.exists() else None)


def disassemble(path):
    """Like `instructions`, for machine code. None without a disassembler."""
    program = _find_disassembler()
    if not program:
        return {}
    text = subprocess.run(
        [program, "-c", path], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    parts = re.split(r"^\.text\.(\w+):$", text, flags=re.MULTILINE)
    return {
        name: [
            line
            for line in re.findall(r"/\*[0-9a-f]{4}\*/\s+(.*?);", body)
            if not _MACHINE_TRANSPORT.match(line)
        ]
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
