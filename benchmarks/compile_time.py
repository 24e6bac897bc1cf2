#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the compiler takes, beside the shortest way that upstream's passes go.

    benchmarks/compile_time.py [--counts 10,100,1000,10000] [--repeat N] [--cpu host]
                               [--mlir-opt PROGRAM] [--output FILE.json]

All times are of CPUs, the best of the repetitions: what else the machine does counts little.

- The MLIR part is what quant-float-lower-to-cpu takes for modules of functions of one cast each, on
  one thread, without reading and writing the module: the parts that --mlir-timing tells of the time
  beyond the start of the process, as are those below. Upstream's is that of as many functions of one
  negation that mlir-opt bufferizes and makes loops of, by its default, which verifies after each pass.
- Models of one node, from file to file, are beyond the start of the process (--version).
- Running code is what Python's cast takes to compile, after one that has loaded what all need.
"""

import argparse
import itertools
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f4E2M1FN", "f16", "bf16", "i8"]
UPSTREAM = """builtin.module(one-shot-bufferize{bufferize-function-boundaries},
    func.func(convert-linalg-to-loops), canonicalize, cse, convert-scf-to-cf, expand-strided-metadata,
    lower-affine, convert-arith-to-llvm, finalize-memref-to-llvm, convert-func-to-llvm, convert-cf-to-llvm,
    reconcile-unrealized-casts)"""
FIRST_CALLS = """
import sys, time
sys.path.insert(0, sys.argv[1])
import numpy, quant_float
x = numpy.ones(64, numpy.float32)
quant_float.cast(x, "f16")
start = time.process_time()
quant_float.cast(x, "f8e4m3")
print(time.process_time() - start)
"""


def make_casts(count):
    return "".join(
        f"func.func @cast_{index}(%x: tensor<?xf32>) -> tensor<?x{to}> {{\n"
        f"  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?x{to}>\n"
        f"  return %0 : tensor<?x{to}>\n"
        "}\n"
        for index, to in enumerate(itertools.islice(itertools.cycle(RESULTS), count))
    )


def make_negations(count):
    return "".join(
        f"func.func @negate_{index}(%x: tensor<?xf32>) -> tensor<?xf32> {{\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %size = tensor.dim %x, %c0 : tensor<?xf32>\n"
        "  %empty = tensor.empty(%size) : tensor<?xf32>\n"
        "  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],\n"
        '      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {\n'
        "  ^bb0(%in: f32, %out: f32):\n"
        "    %1 = arith.negf %in : f32\n"
        "    linalg.yield %1 : f32\n"
        "  } -> tensor<?xf32>\n"
        "  return %0 : tensor<?xf32>\n"
        "}\n"
        for index in range(count)
    )


def make_concat(count, size):
    """MLIR of a node with so many inputs: the importer's share is small."""
    names = ", ".join(f"%x{index}: tensor<{size}x4xf32>" for index in range(count))
    total = "?" if size == "?" else size * count
    types = ", ".join([f"tensor<{size}x4xf32>"] * count)
    values = ", ".join(f"%x{index}" for index in range(count))
    return (
        "module attributes {quant_float.opset_imports = {ai.onnx = 23 : i64}} {\n"
        f"func.func @concat({names}) -> tensor<{total}x4xf32> {{\n"
        f'  %0 = quant_float.node "Concat"({values}) opset 23 attributes {{axis = 0 : i64}} '
        f": ({types}) -> tensor<{total}x4xf32>\n"
        f"  return %0 : tensor<{total}x4xf32>\n}}\n}}\n"
    )


def run(command):
    """CPU seconds of the process, and what it says."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode:
        sys.exit(f"{command[0]}: {result.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def best(command, repeat):
    return min(run(command)[0] for _ in range(repeat))


def measure_passes(tool, path, pipeline, options, repeat):
    """CPU seconds of the passes, and the share that each has."""
    start = best([tool, "--version"], 3 * repeat)
    times = []
    for _ in range(repeat):
        seconds, result = run(
            [tool, path, f"--pass-pipeline={pipeline}", "--mlir-disable-threading", "--mlir-timing"]
            + ["--mlir-timing-display=list", "-o=/dev/null", *options]
        )
        parts = {
            name.strip(): float(time)
            for time, name in re.findall(
                r"^\s*([0-9.]+)\s+\(\s*[0-9.]+%\)\s+(.+)$", result.stderr, re.MULTILINE
            )
        }
        outside = sum(parts.get(name, 0) for name in ("Parser", "Output"))
        times.append(((seconds - start) * (1 - outside / parts["root"]), parts))
    seconds, parts = min(times, key=lambda time: time[0])
    passes = {
        name: time
        for name, time in parts.items()
        if "ipeline" not in name and name not in ("root", "Parser", "Output", "Rest", "Total")
    }
    whole = sum(passes.values())
    return seconds, {name: time / whole for name, time in passes.items()}


def measure_modules(arguments, folder):
    rows = []
    for count in map(int, arguments.counts.split(",")):
        repeat = arguments.repeat if count < 5000 else 1
        casts = folder / "casts.mlir"
        casts.write_text(make_casts(count))
        negations = folder / "negations.mlir"
        negations.write_text(make_negations(count))
        pipeline = f"builtin.module(quant-float-lower-to-cpu{{cpu={arguments.cpu}}})"
        ours, passes = measure_passes(
            arguments.tools / "quant-float-opt", casts, pipeline, ["--verify-each=0"], repeat
        )
        upstream, _ = measure_passes(arguments.mlir_opt, negations, UPSTREAM, [], repeat)
        row = {
            "functions": count,
            "ms_each": round(1000 * ours / count, 3),
            "upstream_ms_each": round(1000 * upstream / count, 3),
            "ratio": round(ours / upstream, 1),
            "passes": {
                name: round(share, 3)
                for name, share in sorted(passes.items(), key=lambda item: -item[1])
                if share >= 0.02
            },
        }
        rows.append(row)
        print(
            f"{count} functions: {row['ms_each']:.2f} ms each, upstream {row['upstream_ms_each']:.2f}, "
            f"ratio {row['ratio']}",
            flush=True,
        )
    return rows


def measure_models(arguments, folder, unit):
    """Of files, in milliseconds and in upstream's of one function."""
    compiler = arguments.tools / "quant-float-compile"
    start = best([compiler, "--version"], 3 * arguments.repeat)
    cast = folder / "cast.mlir"
    cast.write_text(make_casts(1))
    rows = {"start_ms": round(1000 * start, 1)}

    def add(name, seconds):
        rows[name] = {"ms": round(1000 * seconds, 1), "units": round(1000 * seconds / unit, 1)}
        print(f"{name}: {rows[name]['ms']} ms, {rows[name]['units']} units", flush=True)

    for kind in ("llvm-dialect", "llvm-ir", "obj", "shared"):
        command = [compiler, cast, "--emit", kind, "--cpu", arguments.cpu, "-o", folder / "out"]
        add(f"cast to {kind}", best(command, arguments.repeat) - start)
    package = arguments.tools.parent / "python_packages"
    if package.exists():
        calls = [
            run([arguments.python, "-c", FIRST_CALLS, package]) for _ in range(arguments.repeat)
        ]
        add("cast to running code", min(float(result.stdout) for _, result in calls))
    for count, size in ((250, 3), (60, "?")):
        concat = folder / "concat.mlir"
        concat.write_text(make_concat(count, size))
        command = [compiler, concat, "--emit", "obj", "--cpu", arguments.cpu, "-o", folder / "out"]
        add(f"Concat of {count} x {size} rows to obj", best(command, 1) - start)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", default="10,100,1000,10000")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cpu", default="host")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--python", default=sys.executable, help="one that has numpy")
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        modules = measure_modules(arguments, folder)
        # Neither what a process does once nor what memory costs.
        unit = min(row["upstream_ms_each"] for row in modules)
        models = measure_models(arguments, folder, unit)
    if arguments.output:
        record = {"cpu": arguments.cpu, "modules": modules, "models": models}
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
