# Mathematical functions in compiled code: exp, log and tanh are accurate to two units in the last
# place (one for subnormal results), and have the same bits on every CPU. Special values follow IEEE
# 754.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
rng = np.random.default_rng(7)
special = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    88.72,
    88.73,
    -87.5,
    -100.0,
    -103.9,
    -104.5,
    1e-30,
    -1e-42,
]
x = np.concatenate(
    [
        rng.uniform(-104, 89, 100000),
        rng.uniform(-2, 2, 100000),
        rng.uniform(-1e-3, 1e-3, 1000),
        rng.uniform(-1e-38, 1e-38, 4000),
        np.exp(rng.uniform(-87, 88, 100000)),
        1 + rng.uniform(-1e-3, 1e-3, 1000),
        special,
    ]
).astype(np.float32)
np.save(work / "x.npy", x)


def run(function, cpu):
    (work / "f.mlir").write_text(f"""
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {{
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %0 = linalg.map {{ math.{function} }} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>)
      return %0 : tensor<?xf32>
    }}""")
    command = [
        tools_dir / "quant-float-run",
        "f.mlir",
        "--inputs",
        "x.npy",
        "--outputs",
        "out",
        "--cpu",
        cpu,
    ]
    subprocess.run(command, check=True, cwd=work)
    return np.load(work / "out/output_0.npy")


for function in ("exp", "log", "tanh"):
    with np.errstate(all="ignore"):
        exact = getattr(np, function)(x.astype(np.float64))
        expected = exact.astype(np.float32)
    y = run(function, "host")
    for cpu in ("x86-64", "x86-64-v3"):
        assert run(function, cpu).tobytes() == y.tobytes(), (function, cpu)
    finite = np.isfinite(expected)
    assert (np.isnan(y) == np.isnan(expected)).all(), function
    assert (y[np.isinf(expected)] == expected[np.isinf(expected)]).all(), function
    exact = np.where(finite, exact, 0)
    units = np.abs(y.astype(np.float64) - exact)[finite] / np.spacing(
        np.abs(expected[finite])
    ).astype(np.float64)
    is_subnormal = (np.abs(expected) < np.finfo(np.float32).tiny)[finite]
    for some, most in ((units[is_subnormal], 1), (units[~is_subnormal], 2)):
        # No logarithm is subnormal.
        assert some.size > (0 if function == "log" else 1000) or most == 1, (function, some.size)
        assert some.max(initial=0) <= most, (function, some.max())
    assert (np.signbit(y) == np.signbit(expected))[~np.isnan(expected)].all(), function
    print(f"{function}: {units.max():.2f} units in the last place")
