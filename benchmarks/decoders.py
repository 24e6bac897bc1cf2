#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures decoders with the weights of a GGUF file, against llama.cpp, ONNX Runtime and OpenVINO.

    benchmarks/decoders.py [--types Q4_0,Q8_0,Q4_K,MXFP4] [--widths 1024,2048] [--threads 1,2]
                           [--cpus host,x86-64-v3] [--repeat N] [--output FILE.json | --record]

The decoder has two layers of llama.cpp's architecture `llama` and random weights
(test/helpers/networks/gguf_decoders.py). Ours is an ONNX graph to which the GGUF file is bound, and
llama.cpp reads the same file. ONNX Runtime and OpenVINO have no GGUF and get the quantized values
and scales of Q4_0 and Q8_0 as DequantizeLinear with blocks of 32. A prompt has 64 tokens, after
which 64 tokens are decoded one by one; of a prompt, only the last logits are computed. All take
turns, and the minimum counts: CPU time for one thread, which excludes other processes, and elapsed
time for more, for which only the first CPU is measured. Ours writes the caches of keys and values to
buffers that the benchmark allocates once; the others allocate theirs. `error` is the largest difference of the logits after the prompt from results in f64,
relative to the largest logit. llama.cpp always rounds activations to 8 bits, ONNX Runtime does so
for Q4_0 and Q8_0 unless it is `exact`, and ours do so if the name says so.
"""

import argparse
import importlib.util
import math
import os
import pathlib
import sys
import tempfile
import time

from harness.environment import BUILD, ROOT, use_build_environment

use_build_environment()
sys.path[:0] = [str(BUILD / "python_packages"), str(ROOT / "test" / "helpers")]

import gguf  # noqa: E402
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import openvino  # noqa: E402
import quant_float as qf  # noqa: E402
from harness.records import add_output, choose_output, write_rows  # noqa: E402
from networks.gguf_decoders import (  # noqa: E402
    VOCABULARY,
    Kind,
    Size,
    compute_logits,
    make_gguf_decoder,
    read_weights,
    write_gguf,
)
from onnx import TensorProto, helper  # noqa: E402

#: By width.
SIZES = {
    size.width: size
    for size in (Size(256, 4, 512, 2), Size(1024, 16, 2816, 2), Size(2048, 32, 5632, 2))
}
TOKENS = 64
ONNX_TYPES = {Kind.Q4_0: TensorProto.INT4, Kind.Q8_0: TensorProto.INT8}


class Decoder:
    """A decoder that has been loaded: `prefill` returns the logits after a prompt, and `decode`
    computes one token after another."""

    def __init__(self, size):
        self.size = size


class OnnxDecoder(Decoder):
    """One that runs the graphs of make_gguf_decoder; `run` of a graph takes and returns arrays."""

    def prefill(self, tokens):
        positions = np.arange(len(tokens))[None]
        return np.asarray(self.run_prompt(np.array([tokens]), positions)[0]).reshape(-1)

    def decode(self, tokens):
        shape = (1, self.size.heads, 0, self.size.width // self.size.heads)
        past = [np.zeros(shape, np.float32)] * (2 * self.size.layers)
        for position, token in enumerate(tokens):
            _, *past = self.run_token(np.array([[token]]), np.array([[position]]), *past)


class QuantFloat(OnnxDecoder):
    def __init__(self, path, kind, size, threads, cpu, activations):
        super().__init__(size)
        kernels = []
        for prompt in (True, False):
            module = qf.import_onnx(make_gguf_decoder(self.size, prompt))
            module.bind_weights(path)
            kernels.append(module.compile(cpu=cpu, activations=activations, threads=threads))
        prefill, self.run_token = kernels
        self.run_prompt = lambda *inputs: [prefill(*inputs)]
        # Caches alternate between two buffers, because a call reads one and writes the other.
        shape = (2, 2 * size.layers, size.width * (TOKENS + 1))
        self.caches = np.zeros(shape, np.float32)
        self.logits = np.zeros((1, 1, VOCABULARY), np.float32)

    def decode(self, tokens):
        def get_caches(length):
            shape = (1, self.size.heads, length, self.size.width // self.size.heads)
            return [cache[: math.prod(shape)].reshape(shape) for cache in self.caches[length % 2]]

        for position, token in enumerate(tokens):
            self.run_token(
                np.array([[token]]),
                np.array([[position]]),
                *get_caches(position),
                out=[self.logits, *get_caches(position + 1)],
            )


class BlockedWeights(OnnxDecoder):
    """The base of peers without GGUF."""

    def make(self, path, kind):
        if kind not in ONNX_TYPES:
            raise ValueError(f"the peer has no operator for {kind.name}")
        tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
        floats = {
            name: gguf.dequantize(tensor.data, tensor.tensor_type)
            for name, tensor in tensors.items()
            if tensor.tensor_type == Kind.F32
        }

        def make_weight(b, name, shape):
            rows, columns = shape
            blocks = tensors[name].data.reshape(rows, columns // 32, -1)
            scales = blocks[..., :2].copy().view(np.float16)[..., 0].astype(np.float32)
            values = blocks[..., 2:]
            if kind == Kind.Q4_0:  # The low halves of the bytes are the first 16 elements.
                values = np.concatenate([values & 15, values >> 4], -1).astype(np.int8) - 8
            values = values.view(np.int8).reshape(rows, columns).T
            if kind == Kind.Q4_0:
                pairs = values.reshape(columns, -1, 2).view(np.uint8) & 15
                values = pairs[..., 0] | pairs[..., 1] << 4
            tensor = helper.make_tensor(
                name, ONNX_TYPES[kind], [columns, rows], values.tobytes(), raw=True
            )
            b.initializers.append(tensor)
            scale = b.constant(np.ascontiguousarray(scales.T))
            return b.add("DequantizeLinear", name, scale, axis=0, block_size=32)

        models = []
        for prompt in (True, False):
            model = make_gguf_decoder(self.size, prompt, make_weight)
            for entry in list(model.graph.input):
                if entry.name in floats:
                    model.graph.input.remove(entry)
                    model.graph.initializer.append(
                        onnx_tensor(floats[entry.name], tensors[entry.name])
                    )
            models.append(model.SerializeToString())
        return models


def onnx_tensor(array, tensor):
    return helper.make_tensor(
        tensor.name, TensorProto.FLOAT, tensor.shape[::-1].tolist(), array.tobytes(), raw=True
    )


class OnnxRuntime(BlockedWeights):
    def __init__(self, path, kind, size, threads, accuracy):
        super().__init__(size)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        if accuracy is not None:
            options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", accuracy)
        self.run_prompt, self.run_token = (
            self.wrap(onnxruntime.InferenceSession(model, options))
            for model in self.make(path, kind)
        )

    @staticmethod
    def wrap(session):
        names = [entry.name for entry in session.get_inputs()]
        return lambda *inputs: session.run(None, dict(zip(names, inputs, strict=True)))


class OpenVino(BlockedWeights):
    def __init__(self, path, kind, size, threads):
        super().__init__(size)
        core = openvino.Core()
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
        self.run_prompt, self.run_token = (
            self.wrap(core.compile_model(core.read_model(model), "CPU", settings))
            for model in self.make(path, kind)
        )

    @staticmethod
    def wrap(compiled):
        request = compiled.create_infer_request()

        def run(*inputs):
            results = request.infer(list(inputs))
            return [np.array(results[port]) for port in request.model_outputs]

        return run


class LlamaCpp(Decoder):
    """By the bindings of llama-cpp-python, whose llama.cpp is compiled for this machine."""

    def __init__(self, path, kind, size, threads):
        super().__init__(size)
        import llama_cpp

        self.api = llama_cpp
        llama_cpp.llama_log_set(ignore_log, None)
        llama_cpp.llama_backend_init()
        parameters = llama_cpp.llama_model_default_params()
        self.model = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
        settings = llama_cpp.llama_context_default_params()
        settings.n_threads = settings.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, settings)
        if not self.context:
            raise RuntimeError("llama.cpp does not load the file")

    def run(self, tokens):
        array = (self.api.llama_token * len(tokens))(*tokens)
        batch = self.api.llama_batch_get_one(array, len(tokens))
        if self.api.llama_decode(self.context, batch):
            raise RuntimeError("llama_decode fails")
        # Waits for the results.
        return self.api.llama_get_logits_ith(self.context, -1)

    def clear(self):
        self.api.llama_memory_clear(self.api.llama_get_memory(self.context), True)

    def prefill(self, tokens):
        self.clear()
        count = self.api.llama_vocab_n_tokens(self.api.llama_model_get_vocab(self.model))
        return np.ctypeslib.as_array(self.run(tokens), (count,)).copy()

    def decode(self, tokens):
        self.clear()
        for token in tokens:
            self.run([token])


if importlib.util.find_spec("llama_cpp"):
    import llama_cpp

    @llama_cpp.llama_log_callback
    def ignore_log(level, text, data):
        """llama.cpp prints its messages to the standard error by default."""


def list_contenders(cpus, threads):
    contenders = {}
    for cpu in cpus if threads == 1 else cpus[:1]:
        for activations in ("float", "int8"):
            rounded = "" if activations == "float" else f", {activations}"
            contenders[f"quant-float ({cpu}{rounded})"] = (
                lambda *file, cpu=cpu, activations=activations: QuantFloat(*file, cpu, activations)
            )
    contenders["llama.cpp"] = LlamaCpp
    contenders["ONNX Runtime"] = lambda *file: OnnxRuntime(*file, None)
    contenders["ONNX Runtime (exact)"] = lambda *file: OnnxRuntime(*file, "1")
    contenders["OpenVINO"] = OpenVino
    return contenders


def measure(path, kind, size, threads, arguments):
    tokens = np.random.default_rng(5).integers(3, 500, TOKENS).tolist()
    expected = compute_logits(read_weights(path), tokens, size)[-1]
    now = time.process_time if threads == 1 else time.perf_counter
    decoders, rows = {}, {}
    for name, make in list_contenders(arguments.cpus.split(","), threads).items():
        try:
            decoders[name] = make(path, kind, size, threads)
            logits = decoders[name].prefill(tokens)
            error = np.abs(logits - expected).max() / np.abs(expected).max()
            decoders[name].decode(tokens[:4])
            rows[name] = {"error": float(f"{error:.2g}"), "ms": np.inf, "prompt_ms": np.inf}
        except Exception as error:  # The libraries raise any exception.
            decoders.pop(name, None)
            rows[name] = {"refused": str(error).splitlines()[0][:200]}
    for _ in range(arguments.repeat):
        for name, decoder in decoders.items():
            for key, run, count in (
                ("ms", decoder.decode, TOKENS),
                ("prompt_ms", decoder.prefill, 1),
            ):
                start = now()
                run(tokens)
                milliseconds = 1000 * (now() - start) / count
                rows[name][key] = min(rows[name][key], round(milliseconds, 3))
    for name, row in rows.items():
        told = row.get("refused") or (
            f"{row['ms']} ms a token, {row['prompt_ms']} ms a prompt, error {row['error']}"
        )
        print(f"{kind.name}, {size.width} wide, {threads} threads: {name}: {told}", flush=True)
    return {
        "type": kind.name,
        "width": size.width,
        "threads": threads,
        "tokens": TOKENS,
        "contenders": rows,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--types", default="Q4_0,Q8_0,Q4_K,MXFP4")
    parser.add_argument("--widths", default="1024,2048")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--cpus", default="host,x86-64-v3")
    parser.add_argument("--repeat", type=int, default=5)
    add_output(parser)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in (SIZES[int(width)] for width in arguments.widths.split(",")):
            for kind in (Kind[name] for name in arguments.types.split(",")):
                path = pathlib.Path(folder, f"{kind.name}.{size.width}.gguf")
                write_gguf(path, kind, size)
                for threads in map(int, arguments.threads.split(",")):
                    rows.append(measure(path, kind, size, threads, arguments))
                path.unlink()
    if output := choose_output(arguments, "decoders"):
        write_rows(output, rows)


if __name__ == "__main__":
    main()
