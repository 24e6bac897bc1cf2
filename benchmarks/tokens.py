#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures tokens of a decoder with int4 weights in one thread, against ONNX Runtime and OpenVINO.

    benchmarks/tokens.py [--cpus host,x86-64-v3] [--repeat N] [--output FILE.json | --record]

All run the same ONNX model of four layers (test/helpers/networks/transformers.py) and decode the
same tokens with a growing cache. They take turns, and the minimum counts, in CPU time for one
token, which excludes other processes, and includes the calls from Python (tens of microseconds, for
all of them). `memory_mib` is the peak growth of a process from the model's bytes to the last token,
measured in a separate process that has loaded the library. Ours is a shared library that was
compiled before, as it would be deployed. By default, ONNX Runtime rounds the activations of int4
weights to int8 (`exact` disables this). Ours do so if the name says so.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from harness.environment import BUILD, ROOT, use_build_environment

use_build_environment()
sys.path[:0] = [str(BUILD / "python_packages"), str(ROOT / "test" / "helpers")]

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import openvino  # noqa: E402
import quant_float as qf  # noqa: E402
from harness.records import add_output, choose_output, write_rows  # noqa: E402
from networks.transformers import TOKENS, decode, make_decoder  # noqa: E402

#: The arguments of make_decoder for a width.
SIZES = {256: (256, 4, 512), 1024: (1024, 16, 2752)}


def use_quant_float(model, cpu, activations):
    return qf.compile(model, cpu=cpu, activations=activations)


def use_library(model, cpu, activations):
    """The library that the process before has compiled."""
    path = pathlib.Path(os.environ["TOKENS_FOLDER"], f"{cpu}.{activations}.so")
    if not path.exists():
        qf.import_onnx(model).emit("shared", path, cpu=cpu, activations=activations)
    return qf.load_kernel(path)


def use_onnxruntime(model, accuracy):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if accuracy is not None:
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", accuracy)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    names = [entry.name for entry in session.get_inputs()]
    return lambda *inputs: session.run(None, dict(zip(names, inputs, strict=True)))


def use_openvino(model):
    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    core = openvino.Core()
    request = core.compile_model(
        core.read_model(model.SerializeToString()), "CPU", settings
    ).create_infer_request()

    def step(*inputs):
        results = request.infer(list(inputs))
        return [np.array(results[port]) for port in request.model_outputs]

    return step


def list_contenders(cpus, use_quant_float=use_quant_float):
    contenders = {}
    for cpu in cpus:
        for activations in ("float", "int16", "int8"):
            rounded = "" if activations == "float" else f", {activations}"
            contenders[f"quant-float ({cpu}{rounded})"] = (
                lambda model, cpu=cpu, activations=activations: use_quant_float(
                    model, cpu, activations
                )
            )
    contenders["ONNX Runtime"] = lambda model: use_onnxruntime(model, None)
    contenders["ONNX Runtime (exact)"] = lambda model: use_onnxruntime(model, "1")
    contenders["OpenVINO"] = use_openvino
    return contenders


def read_memory(which):
    """The resident memory of the process in MiB: the current one (RSS), or the peak (HWM)."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split(f"Vm{which}:")[1].split()[0]) / 1024


def measure_memory(arguments):
    """Measured in a separate process. The first run of ours compiles, and the second counts."""
    model = make_decoder(*SIZES[arguments.width])
    make = list_contenders(arguments.cpus.split(","), use_library)[arguments.memory_of]
    model.SerializeToString()
    # Resets the peak.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = read_memory("RSS")
    decode(make(model), *SIZES[arguments.width][:2])
    print(read_memory("HWM") - before)


def measure(width, arguments):
    model = make_decoder(*SIZES[width])
    rows, steps = {}, {}
    for name, make in list_contenders(arguments.cpus.split(",")).items():
        try:
            steps[name] = make(model)
            rows[name] = {"tokens": decode(steps[name], *SIZES[width][:2]), "ms": float("inf")}
        except Exception as error:  # The libraries raise any exception.
            rows[name] = {"refused": str(error).splitlines()[0][:200]}
            steps.pop(name, None)
    for _ in range(arguments.repeat):
        for name, step in steps.items():
            start = time.process_time()
            decode(step, *SIZES[width][:2])
            seconds = (time.process_time() - start) / TOKENS
            rows[name]["ms"] = min(rows[name]["ms"], round(1000 * seconds, 3))
    reference = next(iter(rows.values()))
    for name, row in rows.items():
        if "refused" in row:
            print(f"{width}: {name}: {row['refused']}", flush=True)
            continue
        row["over"] = round(row["ms"] / reference["ms"], 2)
        tokens = row.pop("tokens") if row is not reference else row["tokens"]
        row["same_tokens"] = sum(map(int.__eq__, tokens, reference["tokens"]))
        command = [sys.executable, __file__, "--cpus", arguments.cpus, "--memory-of", name]
        command += ["--width", str(width)]
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"TOKENS_FOLDER": folder}
            for _ in range(2):
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, env=environment
                )
        row["memory_mib"] = round(float(done.stdout.split()[-1]), 1)
        print(
            f"{width}: {name}: {row['ms']} ms a token ({row['over']}), {row['memory_mib']} MiB, "
            f"{row['same_tokens']} of {TOKENS} tokens the same",
            flush=True,
        )
    del reference["tokens"]
    return {"width": width, "tokens": TOKENS, "contenders": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpus", default="host,x86-64-v3")
    parser.add_argument("--widths", default="256,1024")
    parser.add_argument("--repeat", type=int, default=10)
    add_output(parser)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--width", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    if arguments.memory_of:
        measure_memory(arguments)
        return
    rows = [measure(int(width), arguments) for width in arguments.widths.split(",")]
    if output := choose_output(arguments, "tokens"):
        write_rows(output, rows)


if __name__ == "__main__":
    main()
