# Each call of malloc fails in turn: the entry point reports it, and nothing leaks or is freed
# twice. The code size for that is linear in the number of buffers.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %llvm_bin %t %clang
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

tools, llvm, work = map(pathlib.Path, sys.argv[1:4])
compiler = sys.argv[4:]
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node, info = helper.make_node, helper.make_tensor_value_info
# The number of rows and columns of the matrices, large enough for heap allocations.
SIDE = 20

# Calls the function once for each malloc call that fails, and prints the number of calls. The
# object uses these malloc and free.
CALL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { side = 20, most = 100000 };
static void *alive[most];
static int numAlive, calls, failing, errors;
void *test_malloc(size_t size) {
  void *buffer = ++calls == failing ? 0 : malloc(size);
  if (buffer && numAlive < most)
    alive[numAlive++] = buffer;
  return buffer;
}
void test_free(void *buffer) {
  if (!buffer)
    return;
  for (int i = numAlive; i-- > 0;)
    if (alive[i] == buffer) {
      alive[i] = alive[--numAlive];
      free(buffer);
      return;
    }
  ++errors;
}
static float x[side * side], y[side * side], expected[side * side];
static int64_t count = 5;
static int call(float *result) {
  int64_t sizes[] = {side, side};
  qf_tensor inputs[] = {{x, sizes, 2, QF_FLOAT32}, {&count, 0, 0, QF_INT64}};
  qf_tensor outputs[] = {{result, sizes, 2, QF_FLOAT32}};
  char error[200];
  calls = 0;
  return f(inputs, outputs, error, sizeof error);
}
int main(void) {
  for (int i = 0; i < side * side; ++i)
    x[i] = (float)(i % 7) / 8;
  if (call(expected) || numAlive || errors)
    return 1;
  int all = calls;
  for (failing = 1; failing <= all; ++failing) {
    int status = call(y);
    if (status != QF_ERROR_MEMORY || numAlive || errors || calls != failing) {
      printf("malloc %d of %d: status %d, %d calls, %d buffers left, %d freed twice\n", failing, all, status, calls, numAlive, errors);
      return 2;
    }
  }
  failing = 0;
  if (call(y) || numAlive || errors || memcmp(y, expected, sizeof y))
    return 3;
  printf("%d\n", all);
  return 0;
}
"""


def compile_and_run(name, nodes, initializers=(), options=()):
    """The number of calls of malloc."""
    square = ["n", "n"]
    inputs = [info("x", FLOAT, square), info("count", INT64, [])]
    graph = helper.make_graph(nodes, "f", inputs, [info("y", FLOAT, square)], list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    folder = work / name
    folder.mkdir()
    onnx.save(model, folder / "f.onnx")
    command = [tools / "quant-float-compile", "f.onnx", "-o", "f.o", *options]
    subprocess.run(command, check=True, cwd=folder)
    names = [f"--redefine-sym={name}=test_{name}" for name in ("malloc", "free")]
    subprocess.run([llvm / "llvm-objcopy", *names, "f.o"], check=True, cwd=folder)
    (folder / "call.c").write_text(CALL)
    openmp = ["-fopenmp"] if "--threads" in options else []
    command = [
        *compiler,
        "-std=c11",
        "-Wall",
        "-Werror",
        *openmp,
        "-include",
        "f.h",
        "call.c",
        "f.o",
    ]
    subprocess.run([*command, "-lm", "-o", "call"], check=True, cwd=folder)
    result = subprocess.run(["./call"], capture_output=True, check=False, cwd=folder, text=True)
    assert result.returncode == 0, (name, result)
    print(name, "mallocs:", result.stdout.strip())
    return int(result.stdout)


def make_chain(steps):
    """Results are needed again much later, the first ones first, so that the set of live buffers
    changes from step to step."""
    nodes, late, last = [], [], "x"
    for i in range(steps):
        nodes.append(node("Softmax", [last], [f"s{i}"], axis=i % 2))
        nodes.append(node("MatMul", [f"s{i}", "x"], [f"m{i}"]))
        last = f"m{i}"
        late.append(f"s{i}")
    for i, value in enumerate(late):
        nodes.append(node("MatMul", [last, value], [f"l{i}"]))
        nodes.append(node("Softmax", [f"l{i}"], [f"r{i}"]))
        last = f"r{i}"
    return [*nodes, node("Identity", [last], ["y"])]


assert compile_and_run("chain", make_chain(36)) >= 100


def count_lines(buffers):
    """The number of lines of the LLVM dialect for this number of buffers, half of which are live at
    the same time."""
    head = 'func.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = []}} {'
    allocs = [f"%{i} = memref.alloc() : memref<400xf32>" for i in range(buffers)]
    frees = [f"memref.dealloc %{i} : memref<400xf32>" for i in range(buffers)]
    half = buffers // 2
    both = [line for pair in zip(allocs[half:], frees, strict=False) for line in pair]
    module = "\n".join([head, *allocs[:half], *both, *frees[half:], "return", "}"])
    passes = ["convert-asserts-to-status", "convert-to-llvm", "free-on-failure"]
    command = [tools / "quant-float-opt", *(f"--quant-float-{name}" for name in passes)]
    result = subprocess.run(command, input=module, capture_output=True, check=True, text=True)
    return len(result.stdout.splitlines())


lines = [count_lines(buffers) for buffers in (20, 40, 100)]
print("lines:", lines)
assert lines[2] - lines[1] <= 3 * (lines[1] - lines[0]), lines

# A loop passes its buffer from iteration to iteration, and a branch selects one at run time.
body = helper.make_graph(
    [
        node("Softmax", ["a"], ["s"]),
        node("MatMul", ["s", "x"], ["m"]),
        node("Mod", ["i", "two"], ["rest"]),
        node("Cast", ["rest"], ["odd"], to=BOOL),
        node(
            "If",
            ["odd"],
            ["next"],
            then_branch=helper.make_graph(
                [node("MatMul", ["m", "s"], ["p"]), node("Softmax", ["p"], ["then"], axis=0)],
                "then",
                [],
                [info("then", FLOAT, ["n", "n"])],
            ),
            else_branch=helper.make_graph(
                [node("Identity", ["m"], ["else"])], "else", [], [info("else", FLOAT, ["n", "n"])]
            ),
        ),
        node("Identity", ["go"], ["goes"]),
    ],
    "body",
    [info("i", INT64, []), info("go", BOOL, []), info("a", FLOAT, ["n", "n"])],
    [info("goes", BOOL, []), info("next", FLOAT, ["n", "n"])],
)
loop = [node("Loop", ["count", "", "x"], ["last"], body=body), *make_chain(3)[:-1]]
loop += [node("MatMul", ["last", loop[-1].output[0]], ["y"])]
two = numpy_helper.from_array(np.array(2), "two")
for name, options in (("loop", []), ("loop-threads", ["--threads", "2"])):
    compile_and_run(name, loop, [two], options)
compile_and_run("chain-threads", make_chain(6), options=["--threads", "2"])
