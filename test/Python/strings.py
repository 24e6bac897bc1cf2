# Strings in Python: arrays of objects, StringDType and str_, single strings and lists, outputs, and
# errors.
# RUN: %python %s
import expect
import numpy as np
import quant_float as qf

FROM = """
func.func @f(%x: tensor<?x2x!quant_float.string>)
    -> (tensor<?x2xf16>, tensor<?x2x!quant_float.string>) {
  %0 = quant_float.cast %x opset 24 : tensor<?x2x!quant_float.string> to tensor<?x2xf16>
  return %0, %x : tensor<?x2xf16>, tensor<?x2x!quant_float.string>
}
"""
words = [["1", " 2.5 "], ["-inf", "1e-3"], ["0.1", "65520"]]
numbers = np.array([[1, 2.5], [-np.inf, 1e-3], [0.1, np.inf]], np.float16)
STRINGS = getattr(np.dtypes, "StringDType", None)

module = qf.parse(FROM)
kernel = module.compile()
expect.true("an argument", str(kernel.inputs[0]) == "_: string[?, 2]")
for kind in (object, "U", *([STRINGS()] if STRINGS else [])):
    floats, moved = kernel(np.array(words, kind))
    expect.same(f"numbers of {kind}", floats, numbers)
    expect.true(f"strings of {kind}", moved.tolist() == words and moved.dtype == object)
expect.same("lists", kernel(words)[0], numbers)
floats, moved = module.evaluate(words)
expect.same("evaluated", floats, numbers)
expect.true("evaluated strings", moved.tolist() == words)

for target in ("cpu", "reference"):
    x = np.array([0.1, 1e10, -0.0, np.nan, np.inf, 16777216], np.float32)
    strings = qf.cast(x, "string", target=target)
    wanted = ["0.1", "10000000000", "-0", "NaN", "INF", "16777216"]
    expect.true(f"to strings, {target}: {strings}", strings.tolist() == wanted)
    expect.true(f"to str, {target}", qf.cast(x, str, target=target).tolist() == wanted)
    expect.same(f"back, {target}", qf.cast(strings, "float", target=target), x)
    expect.true(f"one, {target}", int(qf.cast("3e0", "i4", target=target)) == 3)
    # Longer than the initial capacity.
    long = qf.cast(np.full(1000, 5e-324), "string", target=target)
    expect.true(f"long ones, {target}", set(long.tolist()) == {"0." + "0" * 323 + "5"})
    empty = qf.cast(np.empty((2, 0), np.float32), "string", target=target)
    expect.true(f"none, {target}", empty.shape == (2, 0))
    expect.raises(
        f"no number, {target}",
        qf.RunError,
        "element 1: expected a number, but got 'x\\00y'",
        lambda target=target: qf.cast(["1", "x\0y"], "float", target=target),
    )

# Outputs that the caller provides.
out = np.empty(2, object)
x = np.array([1, 2], np.float32)
expect.true("out", qf.cast(x, "string", out=out) is out and out.tolist() == ["1", "2"])
if STRINGS:
    out = np.empty((2, 2), STRINGS())[:, ::-1]
    qf.cast(x.repeat(2).reshape(2, 2), "string", out=out)
    expect.true("StringDType", out.tolist() == [["1", "1"], ["2", "2"]])
for what, kind, words_, out in (
    ("fixed width", TypeError, "out must be an array of objects or StringDType", np.empty(2, "U3")),
    ("shape", ValueError, "out must have shape", np.empty(3, object)),
    ("numbers", TypeError, "out must have type string, but got float", np.empty(2, np.float32)),
):
    expect.raises(what, kind, words_, lambda out=out: qf.cast(x, "string", out=out))

# Values other than strings.
for what, kind, words_, function in (
    (
        "an object",
        TypeError,
        "x must contain strings, but got 1 in element 1",
        lambda: qf.cast(np.array(["1", 1], object), "float"),
    ),
    (
        "a surrogate",
        UnicodeEncodeError,
        "surrogates not allowed",
        lambda: qf.cast("\ud800", "float"),
    ),
    (
        "numbers for strings",
        TypeError,
        "input 0 must have type string, but got float",
        lambda: kernel(np.zeros((1, 2), np.float32)),
    ),
):
    expect.raises(what, kind, words_, function)
for given in (str, np.dtype(object), "string", "!quant_float.string", 8, np.dtype("U3")):
    expect.true(f"{given}", qf.dtype(given) is qf.STRING)
expect.finish()
