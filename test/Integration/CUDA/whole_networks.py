# Networks on a GPU, in the simulator of a driver, and on a GPU if there is one: transformers,
# LSTMs, and loops with data-dependent conditions compute ONNX Runtime's results with the bits of
# CPU code, and can be compiled to cubins. Errors are those of a CPU, and a failure of the device in
# a loop ends it.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
import onnxruntime
from networks.transformers import (
    HEAD,
    HEADS,
    LAYERS,
    VOCABULARY,
    WIDTH,
    make_decoder,
    make_encoder,
    make_loop,
    make_lstm,
)
from nvvm.ptx import PTXAS
from onnx import TensorProto as T
from onnx import helper, numpy_helper

rng = np.random.default_rng(5)
value = helper.make_tensor_value_info


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def make_model(nodes, inputs, outputs, **constants):
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def make_search():
    """Iterations until a sum is large enough. Each takes one of two branches, and the scan outputs
    have as many rows as there were iterations."""
    body = helper.make_graph(
        [
            node("ReduceSum", "a", "t", keepdims=0),
            node("Less", "t zero", "is_less"),
            node(
                "If",
                "is_less",
                "b",
                then_branch=helper.make_graph(
                    [node("Identity", "start", "s")], "then", [], [value("s", T.FLOAT, [2, 3])]
                ),
                else_branch=helper.make_graph(
                    [node("MatMul", "a m", "p"), node("Add", "p a", "q")],
                    "else",
                    [],
                    [value("q", T.FLOAT, [2, 3])],
                ),
            ),
            node("ReduceSum", "b", "u", keepdims=0),
            node("Less", "u limit", "goes"),
        ],
        "body",
        [value("i", T.INT64, []), value("go", T.BOOL, []), value("a", T.FLOAT, [2, 3])],
        [value("goes", T.BOOL, []), value("b", T.FLOAT, [2, 3]), value("u", T.FLOAT, [])],
    )
    return make_model(
        [node("Loop", "most go x", "last sums", body=body)],
        [value("most", T.INT64, []), value("x", T.FLOAT, [2, 3])],
        [value("last", T.FLOAT, [2, 3]), value("sums", T.FLOAT, ["steps"])],
        go=np.array(True),
        m=np.abs(floats(3, 3)),
        zero=np.float32(0),
        limit=np.float32(1e4),
        start=np.float32([[1, 2, 3], [4, 5, 6]]),
    )


def make_sequence():
    """The kept tokens, those that are not kept, and the number of occurrences of each."""
    return make_model(
        [
            node("NonZero", "x", "places"),
            node("Transpose", "places", "pairs", perm=[1, 0]),
            node("GatherND", "x pairs", "kept"),
            node("Unique", "kept", "values first inverse counts", sorted=1),
            node("Shape", "values", "size"),
            node("ConstantOfShape", "size", "zeros"),
            node("ScatterElements", "zeros inverse kept", "written", axis=0),
        ],
        [value("x", T.FLOAT, ["n", "k"])],
        [value("values", T.FLOAT, ["u"]), value("counts", T.INT64, ["u"])]
        + [value("written", T.FLOAT, ["u"])],
    )


def make_quantized_convolution():
    """A QDQ convolution with per-channel scales: integer matrix instructions between two
    quantizations."""
    weights = rng.integers(-127, 128, (16, 8, 3, 3)).astype(np.int8)
    return make_model(
        [
            node("QuantizeLinear", "x xs xz", "q"),
            node("DequantizeLinear", "q xs xz", "a"),
            node("DequantizeLinear", "w ws wz", "b", axis=0),
            node("Conv", "a b bias", "c", pads=[1, 1, 1, 1]),
            node("Relu", "c", "r"),
            node("QuantizeLinear", "r ys yz", "y"),
        ],
        [value("x", T.FLOAT, [2, 8, 6, 6])],
        [value("y", T.UINT8, [2, 16, 6, 6])],
        xs=np.float32(0.02),
        xz=np.uint8(117),
        w=weights,
        ws=rng.uniform(0.001, 0.01, 16).astype(np.float32),
        wz=np.zeros(16, np.int8),
        bias=floats(16),
        ys=np.float32(0.05),
        yz=np.uint8(3),
    )


def one(op, *inputs, output=(T.FLOAT, None), **attributes):
    names = [f"x{i}" for i in range(len(inputs))]
    outputs = [value("y", output[0], output[1])]
    given = [value(name, kind, shape) for name, (kind, shape) in zip(names, inputs, strict=True)]
    return make_model([helper.make_node(op, names, ["y"], **attributes)], given, outputs)


CACHE = [np.zeros((1, HEADS, 2, HEAD), np.float32)] * (2 * LAYERS)
MASK = np.tril(np.ones((3, 3), bool))
SEARCH = (np.array(100), floats(2, 3))
NETWORKS = {
    "decoder": (make_decoder(), [np.array([[1]]), np.array([[2]]), *CACHE]),
    "encoder": (make_encoder(), [floats(2, 3, WIDTH), MASK]),
    "lstm": (make_lstm(), [rng.integers(0, VOCABULARY, (5, 3))]),
    "loop": (make_loop(), [floats(4, 32)]),
    "search": (make_search(), [*SEARCH]),
    "sequence": (make_sequence(), [np.float32(rng.integers(0, 4, (5, 7)))]),
    "convolution": (make_quantized_convolution(), [floats(2, 8, 6, 6)]),
}
# Runtime errors: a function, and inputs, each of which is an error on a CPU.
INDICES, SIZES = (T.INT64, ["n"]), (T.INT64, [2])
IMPOSSIBLE = {
    "constant_of_shape": (
        one("ConstantOfShape", SIZES, output=(T.FLOAT, ["a", "b"])),
        [[np.array([-1, 3])], [np.array([1 << 40, 1 << 22])], [np.array([1 << 62, 1 << 62])]],
    ),
    "range": (
        one("Range", *[(T.INT64, [])] * 3, output=(T.INT64, ["n"])),
        [[np.array(0), np.array(2**63 - 1), np.array(1)]],
    ),
    "expand": (
        one("Expand", (T.FLOAT, [1, 3]), SIZES, output=(T.FLOAT, ["a", "b"])),
        [[floats(1, 3), np.array([2, 5])], [floats(1, 3), np.array([-7, 3])]],
    ),
    "search": (
        NETWORKS["search"][0],
        [[np.array(2**63 - 1), SEARCH[1]], [np.array(2**40), SEARCH[1]]],
    ),
}
# Out-of-bounds indices have no defined result, but the run ends, equals that of a CPU, and accesses
# nothing else.
ODD_INDICES = {
    "scatter": (
        one("ScatterElements", (T.FLOAT, [5]), INDICES, (T.FLOAT, ["n"]), output=(T.FLOAT, [5])),
        [floats(5), np.array([1, 1, -1, 3, 1]), floats(5)],
        [floats(5), np.array([7, -9, 2**62, -(2**63), 2**63 - 1]), floats(5)],
    ),
    "scatter_nd": (
        one("ScatterND", (T.FLOAT, [5]), (T.INT64, ["n", 1]), (T.FLOAT, ["n"]), output=(T.FLOAT, [5])),
        [floats(5), np.array([[4], [-2], [0], [4]]), floats(4)],
        [floats(5), np.array([[5], [-6], [2**63 - 1]]), floats(3)],
    ),
}  # fmt: skip


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    failures = []

    def run(tool, *arguments, **environment):
        command = [tools / f"quant-float-{tool}", *map(str, arguments)]
        return subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=300
        )  # fmt: skip

    def compile_both(name, model):
        """The libraries, and the environment of the second one."""
        path = folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        on = ("--target", "nvvm", "--chip", "sm_90")
        assembler = f"{PTXAS.parent}:{os.environ['PATH']}"
        for suffix, options in (
            ("so", ()),
            ("gpu.so", on),
            ("ll", (*on, "--emit", "llvm-ir")),
            ("cubin", on),
        ):
            result = run(
                "compile", path, "-o", folder / f"{name}.{suffix}", *options, PATH=assembler
            )
            if result.returncode != 0:
                sys.exit(f"{name}.{suffix}: {result.stderr}")
        kernels = folder / f"{name}.kernels.so"
        cuda.build_kernels((folder / f"{name}.ll").read_text(), kernels, compiler, cuda_include)
        return folder / f"{name}.so", folder / f"{name}.gpu.so", [kernels]

    def call(library, name, inputs, where, kernels=None, **settings):
        files = []
        for i, array in enumerate(inputs):
            files.append(folder / f"{name}.{i}.npy")
            np.save(files[-1], array)
        environment = (
            cuda.simulator_environment(obj_root, kernels, chip=90, **settings) if kernels else {}
        )
        out = folder / f"{name}.{where}"
        return run("exec", library, "--inputs", *files, "--outputs", out, **environment), out

    def compare(name, libraries, inputs):
        cpu, gpu, kernels = libraries
        result, one = call(cpu, name, inputs, "cpu")
        other_result, other = call(gpu, name, inputs, "gpu", kernels)
        if result.returncode or other_result.returncode:
            failures.append(f"{name}: {result.stderr}{other_result.stderr}")
            return None
        outputs = sorted(path.name for path in one.iterdir())
        places = [other]
        if cuda.has_device("sm_90"):
            result, place = call(gpu, name, inputs, "device")
            failures.extend([f"{name}: {result.stderr}"] if result.returncode else [])
            places.append(place)
        for path in outputs:
            for place in places:
                if (one / path).read_bytes() != (place / path).read_bytes():
                    failures.append(f"{name}: {path}: different bits from the CPU's")
        return [np.load(other / f"output_{i}.npy") for i in range(len(outputs))]

    for name, (model, inputs) in NETWORKS.items():
        libraries = compile_both(name, model)
        options = onnxruntime.SessionOptions()
        # Rewritten graphs round differently.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        names = [entry.name for entry in session.get_inputs()]
        wanted = session.run(None, dict(zip(names, inputs, strict=True)))
        found = compare(name, libraries, inputs) or wanted
        for i, (got, expected) in enumerate(zip(found, wanted, strict=True)):
            # Other orders of additions may change a float8 result by a step of 1/16.
            tolerance = 0.5 if name == "encoder" else 1e-3
            got, expected = (
                array.astype(np.float64) if array.dtype == np.uint8 else array
                for array in (got, expected)
            )
            # A sum with another rounding may change the result by one step of the quantization.
            tolerance = 1 if name == "convolution" else tolerance
            if got.shape != expected.shape or not np.allclose(got, expected, tolerance, tolerance):
                failures.append(f"{name}: output {i}: expected {expected}, but got {got}")
        if name == "convolution" and "nvvm.mma" not in (folder / "convolution.ll").read_text():
            failures.append("convolution: no matrix instruction")
        if name == "search":
            # In the first iteration and in a later one.
            for count in (1, 4):
                result, _ = call(
                    libraries[1],
                    name,
                    inputs,
                    "none",
                    libraries[2],
                    fail=f"cuMemcpyAsync:{count}:700",
                )
                if (
                    result.returncode != 1
                    or "cuMemcpyAsync failed: CUDA_ERROR" not in result.stderr
                ):
                    failures.append(f"{name}: {count}: {result.returncode}: {result.stderr}")

    for name, (model, *given) in ODD_INDICES.items():
        libraries = compile_both(name, model)
        for inputs in given:
            compare(name, libraries, inputs)

    for name, (model, given) in IMPOSSIBLE.items():
        cpu, gpu, kernels = compile_both(f"{name}_impossible", model)
        for inputs in given:
            expected, _ = call(cpu, name, inputs, "none")
            result, _ = call(gpu, name, inputs, "none", kernels)
            # The device itself reports that it is out of memory.
            said = expected.stderr.strip().removeprefix(f"{cpu}: error: ")
            is_memory = "memory" in said
            if (
                expected.returncode != 1
                or result.returncode != 1
                or (said not in result.stderr and not (is_memory and "emory" in result.stderr))
            ):
                failures.append(
                    f"{name}: {inputs}: expected {expected.returncode} {expected.stderr}, but got {result.returncode} {result.stderr}"
                )
    print(f"{len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
