# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main loops of all rows on all kinds of machines, and the plan of each."""

import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import loops
from .formats import FORMATS
from .modules import OPERATIONS


@dataclass(frozen=True)
class Machine:
    """A target, and the CPUs of its kind that llvm-mca supports."""

    name: str
    triple: str
    cpu: str
    models: tuple[str, ...] = ()


X86, ARM, RISCV = (f"{machine}-linux-gnu" for machine in ("x86_64", "aarch64", "riscv64"))
MACHINES = (
    Machine("SSE2", X86, "x86-64"),
    Machine("AVX2", X86, "x86-64-v3", ("znver3", "alderlake")),
    Machine("AVX-512", X86, "znver4", ("znver4", "icelake-server")),
    Machine("AVX512-FP16", X86, "sapphirerapids", ("sapphirerapids",)),
    Machine("AVX10.2", X86, "diamondrapids"),
    Machine("NEON", ARM, "generic"),
    Machine("SVE2", ARM, "neoverse-v2"),
    Machine("Arm FP8", ARM, "fujitsu-monaka"),
    Machine("RVV", RISCV, "rv64gcv"),
)


def survey_row(row: dict, machine: Machine, tool: Path, mca: str, folder: Path) -> dict:
    module = folder / f"{row['name']}-{machine.cpu}.mlir"
    assembly = module.with_suffix(".s")
    module.write_text(OPERATIONS[row["op"]](row))
    command = [tool, module, "--triple", machine.triple, "--cpu", machine.cpu]
    done = subprocess.run([*command, "-o", assembly], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"unsupported": done.stderr.strip().splitlines()[0]}
    explained = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=True)
    plan = [re.sub(r"^\S+?:\d+:\d+: ", "", line) for line in explained.stdout.splitlines()]
    size = FORMATS[row["to"]].size / (2 if row.get("packed") == "result" else 1)
    loop = loops.find_main(assembly.read_text(), row["name"] + ".invoke", size)
    if not loop:
        return {"plan": plan, "unsupported": "no loop found"}
    return {
        "plan": plan,
        "instructions": len(loop.code),
        "elements": loop.elements,
        "models": {model: loops.analyze(loop, model, mca) for model in machine.models},
    }


def survey(rows: list[dict], tool: Path, mca: str = "llvm-mca-22") -> dict:
    """Keyed by row and machine."""
    rows = [row for row in rows if not row.get("nans") and not row.get("data")]
    pairs = [(row, machine) for row in rows for machine in MACHINES]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        found = pool.map(lambda pair: survey_row(*pair, tool, mca, Path(folder)), pairs)
        by_row: dict = {row["name"]: {} for row in rows}
        for (row, machine), outcome in zip(pairs, found, strict=True):
            by_row[row["name"]][machine.name] = outcome
    return by_row
