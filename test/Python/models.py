# Modules and kernels: reading every format, queries, checks, passes, every kind of output,
# evaluation, progress, diagnostics in exceptions.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %src_root %t
import os
import pathlib
import pickle
import re
import signal
import sys
import threading
import time
from functools import partial

import expect
import ml_dtypes
import numpy as np
import onnx
import quant_float as qf
import safetensors.numpy
from onnx import TensorProto, helper
from quant_float import _native

root, work = map(pathlib.Path, sys.argv[1:])

TWO = """
func.func @first(%x: tensor<?xf32> {quant_float.name = "in"}) -> tensor<?xf8E5M2> {
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?xf8E5M2>
  return %0 : tensor<?xf8E5M2>
}
func.func @second(%x: tensor<2x?xi8>, %s: tensor<f32>) -> (tensor<2x?xf32>, tensor<2x?xi8>) {
  %0 = quant_float.dequantize %x, %s opset 28 : tensor<2x?xi8>, tensor<f32> to tensor<2x?xf32>
  return %0, %x : tensor<2x?xf32>, tensor<2x?xi8>
}
"""


def make_onnx(opset=21, to=TensorProto.FLOAT8E4M3FN, name="to8"):
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], name, to=to)],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", to, ["n", 4])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def check_formats():
    x = np.linspace(-500, 500, 8, dtype=np.float32).reshape(2, 4)
    wanted = qf.cast(x, "f8e4m3")
    model = make_onnx()
    path = work / "cast.onnx"
    onnx.save(model, path)
    other = work / "cast.bytes"
    other.write_bytes(model.SerializeToString())
    module = qf.load(path)
    (work / "cast.mlir").write_text(module.text)
    (work / "cast.mlirbc").write_bytes(module.bytecode)
    for what, read in [
        ("load", module),
        ("a string", qf.load(str(path))),
        ("import_onnx of a path", qf.import_onnx(path)),
        ("import_onnx of another name", qf.import_onnx(other)),
        ("import_onnx of bytes", qf.import_onnx(model.SerializeToString())),
        ("import_onnx of a model", qf.import_onnx(model)),
        ("text", qf.parse(str(module))),
        ("bytecode", qf.parse(module.bytecode)),
        ("text in a file", qf.load(work / "cast.mlir")),
        ("bytecode in a file", qf.load(work / "cast.mlirbc")),
    ]:
        (function,) = read.functions
        expect.true(f"{what}: {function}", function.inputs[0].name == "x")
        expect.true(f"{what}: {function}", function.inputs[0].shape == (None, 4))
        expect.true(f"{what}: {function}", function.outputs[0].dtype is qf.dtype("f8e4m3"))
        expect.true(f"{what}: {function}", function.graph_name == "graph")
        expect.same(f"{what}: run", read.compile()(x), wanted)
        expect.same(f"{what}: evaluate", read.evaluate(x), wanted)
    for what, given in [("a path", path), ("a model", model), ("a module", qf.load(path))]:
        expect.same(f"compile {what}", qf.compile(given)(x), wanted)
        expect.true(f"check {what}", [r.valid for r in qf.check(given)] == [True])
    expect.same("by its graph's name", qf.compile(path, "graph")(x), wanted)


def check_openvino():
    sys.path += [str(root / "test" / name / "Inputs") for name in ("OpenVINO", "ONNX")]
    from pairs import MODEL

    path = work / "pairs.xml"
    path.write_text(MODEL if isinstance(MODEL, str) else MODEL.decode())
    (work / "pairs.bin").write_bytes(np.float32([1, 2, 4]).tobytes())
    text = qf.import_openvino(path).text
    expect.true("OpenVINO's mode", re.search(r"mode +openvino\b", text))
    expect.true(
        "from memory",
        "fakeconvert" in qf.import_openvino(path.read_bytes(), work / "pairs.bin").text,
    )
    module = qf.import_openvino(path, fakeconvert_mode="exact")
    expect.true("another mode", "openvino opset" not in module.text)


def check_several():
    module = qf.parse(TWO, name="two.mlir")
    expect.true("names", [f.name for f in module.functions] == ["first", "second"])
    expect.true("repr", repr(module) == "<quant_float.Module first, second>")
    with module.compile("second") as kernel:
        x = np.arange(6, dtype=np.int8).reshape(2, 3)
        y, same = kernel(x, 0.5)
        expect.same("the first output", y, x.astype(np.float32) / 2)
        expect.same("the second output", same, x)
        out = np.empty((2, 3), np.float32)
        results = kernel(x, np.float32(2), out=(out, None))
        expect.true("one of two outputs is given", results[0] is out)
        expect.same("it is written", out, x.astype(np.float32) * 2)
        shape = "second(_: int8[2, ?], _: float[]) -> (_: float[2, ?], _: int8[2, ?])"
        expect.true(repr(kernel), repr(kernel) == f"<quant_float.Kernel {shape}>")
        expect.true("open", not kernel.closed)
    expect.true("closed", kernel.closed)
    y, same = module.evaluate(x, 0.5, function="second")
    expect.same("evaluate", y, x.astype(np.float32) / 2)
    kernel = module.compile("first")
    module.close()
    expect.true("a closed module", module.closed and repr(module) == "<quant_float.Module closed>")
    expect.same(
        "its kernel stays", kernel(np.ones(3, np.float32)), np.ones(3, qf.dtype("f8e5m2").numpy)
    )


def check_dynamic_types():
    """Functions with types that no array or kernel supports."""
    module = qf.parse("""
      func.func @f(%x: tensor<*xf32>, %y: tensor<2xcomplex<f32>>) -> tensor<*xf16> {
        %0 = quant_float.cast %x opset 28 : tensor<*xf32> to tensor<*xf16>
        return %0 : tensor<*xf16>
      }""")
    x, y = module.functions[0].inputs
    expect.true(f"{x}", (x.dtype.name, x.shape, str(x)) == ("float", None, "_: float[*]"))
    expect.true(f"{y}", (y.dtype, y.shape, str(y)) == (None, (2,), "_: ?[2]"))
    array = np.zeros(2, np.float32)
    for call in (module.compile, lambda: module.evaluate(array, array)):
        expect.raises("it has no code", qf.CompileError, "", call)


def check_reports():
    model = make_onnx(opset=13)
    path = work / "old.onnx"
    onnx.save(model, path)
    (report,) = qf.check(path)
    expect.true(f"{report}", not report.valid and report.node == "to8" and report.op == "Cast")
    expect.true(f"{report}", report.opset == 13 and report.file.endswith("old.onnx"))
    expect.true(f"{report}", "is not accepted by Cast-13" in report.reason)
    expect.true(f"{report}", report.notes == ("Cast accepts this type from opset 19 on",))
    (report,) = qf.check(path, opset=19)
    expect.true(f"{report}", report.valid)
    (report,) = qf.check(path, opset="all")
    expect.true(
        f"{report}", [(v.first, v.accepted) for v in report.opsets] == [(1, False), (19, True)]
    )
    error = expect.raises(
        "load", qf.ModelError, "is not accepted by Cast-13", lambda: qf.load(path)
    )
    (first, *_) = [d for d in error.diagnostics if d.severity == "error"]
    expect.true(f"{first!r}", first.file.endswith("old.onnx") and first.node == "to8")
    expect.true(f"{first!r}", "accepts this type from opset 19 on" in first.notes[0].message)
    expect.true("pickled", pickle.loads(pickle.dumps(error)).diagnostics == error.diagnostics)
    bad = TWO.replace("quant_float.cast %x opset 28", "quant_float.cast %x opset 3")
    error = expect.raises("text", qf.ModelError, "opset 3", lambda: qf.parse(bad, name="bad.mlir"))
    place = error.diagnostics[0]
    expect.true(f"{place!r}", (place.file, place.line, place.column) == ("bad.mlir", 3, 8))
    expect.true(f"{place}", str(place).startswith("bad.mlir:3:8: error: "))
    module = qf.parse(bad, verify=False)
    expect.raises("verify", qf.ModelError, "opset 3", module.verify)
    reports = module.check()
    expect.true(f"{reports}", [r.valid for r in reports] == [False, True])
    text = (
        "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {{\n {}\n return %0 : tensor<?xf32>\n}}"
    )
    node = '%0 = quant_float.node "Strange"(%x) opset 21 : (tensor<?xf32>) -> tensor<?xf32>'
    module = qf.parse(text.format(node))
    error = expect.raises("compile", qf.CompileError, "Strange", module.compile)
    expect.true(f"{error.diagnostics}", error.diagnostics)
    expect.true("an error is a ValueError", isinstance(error, (qf.Error, ValueError)))


def check_passes():
    module = qf.parse(TWO)
    module.run_passes("builtin.module(canonicalize,convert-quant-float-to-linalg)")
    expect.true("passes", "linalg.generic" in module.text and "quant_float.cast" in module.text)
    expect.true("functions afterward", len(module.functions) == 2)
    expect.raises(
        "an unknown pass",
        ValueError,
        "no-such-pass",
        lambda: module.run_passes("builtin.module(no-such-pass)"),
    )


def check_bound():
    text = """
func.func @f(%x: tensor<?x3xf32> {quant_float.name = "x"}, %c: tensor<?xi4> {quant_float.name = "quantized"})
    -> (tensor<?x3xf32>, tensor<?xf32>) {
  %0 = quant_float.cast %c opset 21 : tensor<?xi4> to tensor<?xf32>
  return %x, %0 : tensor<?x3xf32>, tensor<?xf32>
}"""
    encodings = np.array([-8, 3, 7], ml_dtypes.int4)
    x = np.ones((2, 3), np.float32)
    module = qf.parse(text)
    values = encodings.copy()
    module.bind_input("quantized", values)
    values[:] = 0
    expect.true("inputs left", [one.name for one in module.functions[0].inputs] == ["x"])
    expect.true("bound", list(module.compile()(x)[1]) == [-8, 3, 7])
    expect.true("evaluated", list(module.evaluate(x)[1]) == [-8, 3, 7])
    # Packed elements are unpacked.
    module = qf.parse(text)
    module.run_passes("builtin.module(quant-float-pack-arguments)")
    module.bind_input("quantized", qf.pack(encodings))
    expect.true("bound packed", list(module.compile()(x)[1]) == [-8, 3, 7])
    # The extension reports errors that the Python code does not check.
    for name, value, message in (
        ("x", np.ones((2, 4), np.float32), "x must have shape (?, 3), but got (2, 4)"),
        ("quantized", np.ones((2, 3), ml_dtypes.int4), "quantized must have"),
    ):
        module = qf.parse(text)
        expect.raises(
            f"binding {name}", ValueError, message, partial(module.bind_input, name, value)
        )
        expect.true("nothing is bound", len(module.functions[0].inputs) == 2)


def check_weights():
    """Quantized weights of a checkpoint, in several functions."""
    text = """
func.func @f(%x: tensor<?x32xf32>, %w: tensor<2x32xf32> {quant_float.name = "a.weight"}) -> tensor<?x2xf32> {
  %0 = quant_float.node "Gemm"(%x, %w) opset 21 attributes {transB = 1 : i64} : (tensor<?x32xf32>, tensor<2x32xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
func.func @g(%w: tensor<2x32xf32> {quant_float.name = "a.weight"}) -> tensor<2x32xf32> {
  return %w : tensor<2x32xf32>
}"""
    encodings = np.arange(64, dtype=np.uint8).reshape(2, 32).view(ml_dtypes.float8_e4m3fn)
    scales = np.uint8([[127], [128]])
    path = work / "a.safetensors"
    safetensors.numpy.save_file({"a.weight": encodings, "a.weight_scale": scales}, path)
    module = qf.parse(text)
    module.bind_weights(path)
    expect.true("weights left", [len(each.inputs) for each in module.functions] == [1, 0])
    wanted = encodings.astype(np.float32) * np.float32([[1], [2]])
    expect.same("weights", module.compile("g")(), wanted)
    x = np.ones((1, 32), np.float32)
    expect.same("bound weights", module.compile("f")(x), x @ wanted.T)
    expect.true("weights stay quantized", "tensor<2x32xf8E4M3FN>" in module.text)
    expect.raises("bound twice", ValueError, "no weight has the name of an input", partial(module.bind_weights, path))  # fmt: skip
    module = qf.parse(text)
    missing = partial(module.bind_weights, work / "none.safetensors")
    expect.raises("no file", FileNotFoundError, "No such file", missing)
    expect.raises("no path", TypeError, "path must be a string or a path", partial(module.bind_weights, 1))  # fmt: skip


def check_outputs():
    module = qf.parse(TWO)
    for kind, words in [
        ("mlir", b"linalg"), ("llvm-dialect", b"llvm.func"), ("llvm-ir", b"define"),
        ("asm", b".globl"), ("obj", b"ELF"), ("header", b"int first("),
    ]:  # fmt: skip
        written = module.emit(kind)
        expect.true(f"{kind}: {written[:60]!r}", kind == "mlir" or words in written)
    module.emit("obj", work / "two.o", cpu="x86-64-v3", triple="x86_64-linux-gnu")
    expect.true("an object", (work / "two.o").read_bytes()[:4] == b"\x7fELF")
    expect.true("its header", "first(" in (work / "two.h").read_text())
    expect.true(
        "a triple", b"aarch64" in module.emit("llvm-ir", triple="aarch64-linux-gnu", cpu="apple-m1")
    )
    ptx = module.emit("ptx", target="nvvm", chip="sm_90")
    expect.true(f"PTX: {ptx[:80]!r}", b".target sm_90" in ptx)


def check_saved():
    """Kernels that are saved to files."""
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    wanted = qf.parse(TWO).compile("second")(x, 0.5)
    path = work / "second.so"
    kernel = qf.compile(qf.parse(TWO), "second", path=path)
    header = (work / "second.h").read_text()
    expect.true("its header", "second(" in header and "first(" not in header)
    for what, given in [
        ("compiled", kernel),
        ("loaded", qf.load_kernel(path)),
        ("loaded by name", qf.load_kernel(str(path), "second")),
    ]:
        expect.true(f"{what}: {given!r}", repr(given) == repr(kernel) and given.target == "cpu")
        for result, value in zip(given(x, 0.5), wanted, strict=True):
            expect.same(what, result, value)
    qf.parse(TWO).emit("shared", work / "both.so")
    expect.raises(
        "one of two",
        ValueError,
        "function must be one of first, second, but got None",
        lambda: qf.load_kernel(work / "both.so"),
    )
    y = qf.load_kernel(work / "both.so", "second")(x, 0.5)
    expect.same("one of them", y[0], wanted[0])
    (work / "text.so").write_text("no library")
    (work / "cut.so").write_bytes(path.read_bytes()[:2000])
    for name in ("text.so", "cut.so"):
        error = expect.raises(
            name,
            OSError,
            "expected a shared library",
            lambda name=name: qf.load_kernel(work / name),
        )
        expect.true(f"{error}", name in str(error))
    with qf.load_kernel(path) as closed:
        pass
    expect.raises("closed", ValueError, "the kernel is closed", lambda: closed(x, 0.5))


def check_replaced():
    """A file is overwritten while a kernel loaded from the old one exists."""
    text = """
      func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {{
        %s = arith.constant dense<{}> : tensor<f32>
        %0 = quant_float.qdq %x, %s storage i8 opset 28 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
        return %0 : tensor<?xf32>
      }}"""
    x = np.linspace(-3, 3, 50, dtype=np.float32)
    path = work / "replaced.so"
    kernels = []
    for _ in range(2):
        for scale in (0.5, 1.0, 0.25):
            kernels.append((scale, qf.parse(text.format(scale)).compile(path=path)))
            kernels.append((scale, qf.load_kernel(path)))
    for scale, kernel in kernels:
        expect.same(f"scale {scale}", kernel(x), qf.qdq(x, scale, storage="i8"))
    kernels.clear()
    expect.same("the last one", qf.load_kernel(path)(x), qf.qdq(x, 0.25, storage="i8"))


def check_comparisons():
    text = """
      func.func @f(%x: tensor<?xf32> {quant_float.name = "x"}, %s: tensor<f32>) -> tensor<?xf32> {
        %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode exact opset 13
          : tensor<?xf32>, tensor<f32> to tensor<?xf32>
        return %0 : tensor<?xf32>
      }"""
    module = qf.parse(text)
    x = np.linspace(-500, 500, 4001, dtype=np.float32)
    for target in ("cpu", "reference"):
        (report,) = module.compare_modes(x, 0.3, target=target)
        told = (report.dtype.name, report.elements, report.is_constant)
        expect.true(f"{told}", told == ("float8e4m3fn", 4001, False))
        results = {
            mode: qf.fakeconvert(x, 0.3, mode=mode)
            for mode in ("exact", "openvino", "openvino_reference")
        }
        expect.true("pairs", len(report.comparisons) == 3)
        for pair in report.comparisons:
            found = qf.compare(results[pair.first], results[pair.second])
            expect.true(f"{pair}: {found}", found.differing == pair.differing)
            expect.true(f"{pair}: causes", sum(pair.causes.values()) == pair.differing)
        expect.true(f"{report}", any(pair.differing for pair in report.comparisons))
    expect.raises("no inputs", TypeError, "f takes 2 inputs", module.compare_modes)
    one = np.float32([1, 2, float("nan"), -0.0])
    other = np.float32([1, 2.5, float("nan"), 0.0])
    expect.true(f"{qf.compare(one, other)}", qf.compare(one, other) == (4, 2, 1, 0.5))
    expect.true("alike", qf.compare(one, one.copy()) == (4, 0, None, 0.0))
    expect.raises(
        "types", TypeError, "other must have type", lambda: qf.compare(one, other[:2].astype(int))
    )
    expect.raises(
        "shapes", ValueError, "other must have shape (4,)", lambda: qf.compare(one, other[:3])
    )


def check_interrupt():
    """Ctrl-C ends a compilation without a callback."""
    text = "".join(
        TWO.replace("@first", f"@first{i}").replace("@second", f"@second{i}") for i in range(1000)
    )
    module = qf.parse(text)
    # The test runner may ignore the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        module.emit("obj")
        expect.true("it was not interrupted", False)
    except KeyboardInterrupt:
        pass
    taken = time.monotonic() - start
    timer.join()
    limit = 200 if "QUANT_FLOAT_SANITIZERS" in os.environ else 20
    expect.true(f"interrupted after {taken:.1f} s", taken < limit)
    expect.true("the module stays", len(module.functions) == 2000)


def check_progress():
    calls = []
    path = work / "two.mlir"
    path.write_text(TWO)
    module = qf.load(path, progress=lambda *told: calls.append(told))
    expect.true(f"read: {calls}", {stage for stage, _, _ in calls} <= {"read"})
    calls.clear()
    module.compile("first", progress=lambda *told: calls.append(told))
    stages = list(dict.fromkeys(stage for stage, _, _ in calls))
    expect.true(f"stages: {stages}", stages == ["lower", "generate"])
    for stage in stages:
        done = [number for name, _, number in calls if name == stage]
        expect.true(f"{stage}: {done}", done == sorted(done))
    error = expect.raises(
        "False ends it",
        qf.Error,
        "",
        lambda: module.compile("first", progress=lambda stage, *_: stage != "lower"),
    )
    expect.true(f"{error}", "cancel" in str(error) or "end" in str(error))

    def complain(stage, detail, done):
        raise KeyError(stage)

    expect.raises(
        "what it raises", KeyError, "lower", lambda: module.compile("first", progress=complain)
    )
    told = []

    def reenter(stage, detail, done):
        if not told:
            told.append(None)
            told.append(expect.raises("the same module", RuntimeError, "", lambda: module.text))
        return True

    module.compile("first", progress=reenter)
    expect.true("another module in a callback", len(told) == 2)
    count = _native.get_num_live_objects()
    for _ in range(3):
        with qf.parse(TWO) as closed:
            expect.raises(
                "closed by itself",
                RuntimeError,
                "a callback must not close the module that calls it",
                lambda closed=closed: closed.compile("first", progress=lambda *_: closed.close()),
            )
            expect.true("it stays open", not closed.closed and closed.text)
    expect.true("everything is freed", _native.get_num_live_objects() == count)
    inside = []
    module.compile(
        "first", progress=lambda *_: bool(inside or inside.append(qf.parse(TWO).text) or True)
    )
    expect.true("another module in a callback", len(inside) == 1)


def check_bytes():
    """Names in ONNX's models may contain any bytes."""
    data = (root / "examples" / "digits" / "digits-f8.onnx").read_bytes()
    data = data.replace(b"\x05image", b"\x05\xffmage").replace(b"\x06digits", b"\x06\xfeigits")
    told = []
    module = qf.import_onnx(data)
    function = module.functions[0]
    names = function.inputs[0].name, function.graph_name
    expect.true(f"{names}", names == ("\\xffmage", "\\xfeigits"))
    x = np.zeros((1, 64), np.float32)
    kernel = module.compile(progress=lambda *stage: told.append(stage))
    expect.true("a kernel's", kernel.inputs[0].name == names[0] and kernel.graph_name == names[1])
    expect.true("computes", kernel(x).shape == (1, 10) and told)
    expect.true("by its name", qf.compile(module, names[1])(x).shape == (1, 10))
    expect.true("in text and reports", module.text and len(module.check()) == 9)
    expect.raises("in errors", TypeError, "input 0 '\\xffmage'", lambda: kernel(None))


check_bytes()
check_formats()
check_openvino()
check_several()
check_dynamic_types()
check_reports()
check_passes()
check_bound()
check_weights()
check_outputs()
check_progress()
check_saved()
check_replaced()
check_comparisons()
check_interrupt()
expect.finish()
