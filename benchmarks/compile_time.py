"""How long the MLIR part of the compiler takes for modules of many small functions.

    benchmarks/compile_time.py [--counts 500,1000,2000] [--cpu host] [--output FILE.json]

Every function is one cast on tensor<?xf32>. Times are those that quant-float-opt's --mlir-timing
reports for the pipeline quant-float-lower-to-cpu, without parsing and printing, as parts of the
process's CPU time: what else the machine does counts little.
"""

import argparse
import json
import pathlib
import re
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f4E2M1FN", "f16", "bf16", "i8"]


def make_module(count):
    functions = []
    for index in range(count):
        to = RESULTS[index % len(RESULTS)]
        functions.append(
            f"func.func @cast_{index}(%x: tensor<?xf32>) -> tensor<?x{to}> {{\n"
            f"  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?x{to}>\n"
            f"  return %0 : tensor<?x{to}>\n"
            "}\n"
        )
    return "".join(functions)


def measure(tool, count, cpu):
    """CPU seconds of the pipeline, on one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "casts.mlir"
        path.write_text(make_module(count))
        result = subprocess.run(
            [
                tool,
                path,
                f"--pass-pipeline=builtin.module(quant-float-lower-to-cpu{{cpu={cpu}}})",
                "--mlir-disable-threading",
                "--mlir-timing",
                "--mlir-timing-display=list",
                "-o=/dev/null",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    seconds = {
        name.strip(): float(time)
        for time, name in re.findall(
            r"^\s*([0-9.]+)\s+\(\s*[0-9.]+%\)\s+(.+)$", result.stderr, re.MULTILINE
        )
    }
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outside = sum(seconds.get(name, 0) for name in ("Parser", "Output", "Rest"))
    process = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process * (1 - outside / seconds["root"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", default="500,1000,2000")
    parser.add_argument("--cpu", default="host")
    parser.add_argument("--tool", default=ROOT / "build/bin/quant-float-opt")
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()

    rows = []
    for count in map(int, arguments.counts.split(",")):
        seconds = measure(arguments.tool, count, arguments.cpu)
        rows.append({"functions": count, "seconds": round(seconds, 3)})
        print(f"{count} functions: {seconds:.2f} s, {1000 * seconds / count:.2f} ms each")
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
