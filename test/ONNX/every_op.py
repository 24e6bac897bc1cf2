# The first node test of every op of the standard is imported without a message, and the imported
# module can be parsed again and prints the same.
# RUN: rm -rf %t && mkdir %t && %python %s %t quant-float-translate quant-float-opt
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import warnings

with warnings.catch_warnings():
    # Some reference values overflow on purpose.
    warnings.simplefilter("ignore")
    from onnx.backend.test.loader import load_model_tests

    tests = load_model_tests(kind="node")

folder, translate = pathlib.Path(sys.argv[1]), sys.argv[2]
opt = sys.argv[3:]
models = {}
for test in sorted(tests, key=lambda one: one.name):
    if test.model is not None:
        models.setdefault(tuple(sorted({n.op_type for n in test.model.graph.node})), test)
assert len(models) > 200, len(models)


def check(test):
    path = folder / f"{test.name}.onnx"
    path.write_bytes(test.model.SerializeToString())
    imported = subprocess.run([translate, "--import-onnx", path], capture_output=True, text=True)
    if imported.returncode or imported.stderr:
        return f"{test.name}: {imported.returncode} {imported.stderr}"
    again = subprocess.run([*opt, "-"], input=imported.stdout, capture_output=True, text=True)
    if again.returncode or again.stdout.rstrip() != imported.stdout.rstrip():
        return f"{test.name}: reads back differently: {again.stderr}"
    return None


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = list(filter(None, pool.map(check, models.values())))
sys.exit("\n".join(problems) if problems else 0)
