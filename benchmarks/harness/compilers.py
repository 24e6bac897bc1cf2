# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax and IREE: compilers, which get a row as arithmetic on arrays of static shapes.

Both keep inputs in their own memory and allocate a result for each call. The time of this, and of a
call from Python, is included. Both use one thread.
"""

import importlib.util
import time

import numpy as np

from .contenders import Contender, Unsupported
from .formats import FORMATS, Format


class _Compiled(Contender):
    """A compiler that allocates its result, which is copied once for the comparison."""

    package = ""

    def prepare(self) -> None:
        if importlib.util.find_spec(self.package.split(".")[0]) is None:
            raise Unsupported("not installed: benchmarks/setup")
        if self.row.get("packed"):
            raise Unsupported("has a byte for each element")
        self.storage = FORMATS[self.row.get("storage", "f32")]
        if self.row["op"] in ("quantize", "dequantize"):
            self.storage = self.target if self.row["op"] == "quantize" else self.source
        try:
            self.compile()
            result = self.call_once()
        except Unsupported:
            raise
        except Exception as error:  # the exceptions have no common base
            raise Unsupported(_first_error(error)) from error
        self.result.reshape(-1).view(np.uint8)[:] = result.reshape(-1).view(np.uint8)

    def compile(self) -> None:
        raise NotImplementedError

    def call_once(self) -> np.ndarray:
        raise NotImplementedError


def _first_error(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    chosen = next((line for line in lines if "error:" in line), lines[0] if lines else repr(error))
    return chosen.split("error:")[-1].strip()[:160]


def _spread_shapes(row: dict, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The inputs, in shapes that broadcast: blocks are a separate dimension."""
    if row["op"] in ("cast", "fakeconvert") or row["granularity"] == "tensor":
        return inputs
    if row["granularity"] == "axis":
        return [inputs[0], *(parameter[:, None] for parameter in inputs[1:])]
    rows, blocks = inputs[1].shape
    return [inputs[0].reshape(rows, blocks, -1), *(p[:, :, None] for p in inputs[1:])]


class Jax(_Compiled):
    """A jitted function of arrays on its device."""

    name = "jax"
    package = "jax"

    def compile(self) -> None:
        import jax

        arrays = [jax.device_put(array) for array in _spread_shapes(self.row, self.inputs)]
        function = jax.jit(self._function())
        self.call = lambda: function(*arrays)

    def _function(self):
        import jax.numpy as jnp

        form, row = self.storage, self.row
        kind, limit = form.numpy, form.largest
        if row["op"] == "cast":
            return lambda x: x.astype(self.target.numpy)

        def quantize(x, s, z):
            if form.name.startswith("i"):
                q = jnp.round(x / s) + z.astype(jnp.float32)
                return jnp.clip(q, -limit - 1, limit).astype(kind)
            return jnp.clip(x / s, -limit, limit).astype(kind)

        def dequantize(q, s, z):
            if form.name.startswith("i"):
                q = q.astype(jnp.int32) - z.astype(jnp.int32)
            return q.astype(jnp.float32) * s

        def fakeconvert(x, s, t=None):
            y = x * s if t is None else x * s - t
            y = jnp.clip(y, -limit, limit)
            if row["mode"] == "openvino":
                y = y.astype(jnp.float16)
            y = y.astype(kind).astype(jnp.float32)
            y = y if t is None else y + t
            return y * (1 / s) if row["mode"] == "openvino" else y / s

        return {
            "quantize": quantize,
            "dequantize": dequantize,
            "qdq": lambda x, s, z: dequantize(quantize(x, s, z), s, z),
            "fakeconvert": fakeconvert,
        }[row["op"]]

    def call_once(self) -> np.ndarray:
        return np.asarray(self.call())

    def time(self, calls: int) -> float:
        call = self.call
        start = time.perf_counter()
        for _ in range(calls):
            call().block_until_ready()
        return time.perf_counter() - start


class Iree(_Compiled):
    """A function for the host's CPU, run in this thread, on buffers of its device."""

    name = "IREE"
    package = "iree.compiler"

    def compile(self) -> None:
        import iree.compiler
        import iree.runtime as rt

        if "f4e2m1" in (self.source.name, self.target.name):
            raise Unsupported("takes no f4E2M1 of a byte each")
        arrays = _spread_shapes(self.row, self.inputs)
        flags = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]
        code = iree.compiler.compile_str(
            self._module(arrays), target_backends=["llvm-cpu"], extra_args=flags
        )
        config = _iree_config()
        module = rt.VmModule.copy_buffer(config.vm_instance, code)
        runtime = rt.create_hal_module(config.vm_instance, config.device)
        self.context = rt.VmContext(config.vm_instance, modules=[runtime, module])
        self.device, self.function = config.device, module.lookup_function("main")
        self.arguments = rt.VmVariantList(len(arrays))
        for array in arrays:
            self.arguments.push_ref(rt.asdevicearray(self.device, _bits(array))._buffer_view)

    def call(self):
        import iree.runtime as rt

        results = rt.VmVariantList(1)
        self.context.invoke(self.function, self.arguments, results)
        return results

    def call_once(self) -> np.ndarray:
        import iree.runtime as rt

        view = self.call().get_as_object(0, rt.HalBufferView)
        return np.array(rt.DeviceArray(self.device, view).to_host())

    def time(self, calls: int) -> float:
        import iree.runtime as rt

        invoke, function, arguments = self.context.invoke, self.function, self.arguments
        start = time.perf_counter()
        for _ in range(calls):
            invoke(function, arguments, rt.VmVariantList(1))
        return time.perf_counter() - start

    def _module(self, arrays: list[np.ndarray]) -> str:
        """One linalg.generic. 8-bit floats are passed as integers, which the runtimes support."""
        count = arrays[0].ndim
        dims = ", ".join(f"d{i}" for i in range(count))
        maps, types, arguments, casts, elements = [], [], [], [], []
        forms = [self.source]
        if len(arrays) > 1:
            forms += (
                [FORMATS["f32"]] * 2
                if self.row["op"] == "fakeconvert"
                else [FORMATS["f32"], self.storage]
            )
        for i, (array, form) in enumerate(zip(arrays, forms, strict=False)):
            sizes = "".join(f"{size}x" for size in array.shape)
            places = [f"d{j}" if size > 1 else "0" for j, size in enumerate(array.shape)]
            if array.ndim < count:
                places = ["0"] * array.ndim
            maps.append(f"affine_map<({dims}) -> ({', '.join(places)})>")
            plain, real = f"tensor<{sizes}{_carrier(form)}>", f"tensor<{sizes}{_mlir(form)}>"
            arguments.append(f"%a{i}: {plain}")
            value = f"%a{i}"
            if plain != real:
                casts.append(f"%b{i} = arith.bitcast {value} : {plain} to {real}")
                value = f"%b{i}"
            types.append((value, real))
            elements.append(f"%e{i}: {_mlir(form)}")
        maps.append(f"affine_map<({dims}) -> ({dims})>")
        sizes = "".join(f"{size}x" for size in arrays[0].shape)
        result = f"tensor<{sizes}{_mlir(self.target)}>"
        carried = f"tensor<{sizes}{_carrier(self.target)}>"
        body, value = _body(self.row, self.source, self.target, self.storage, len(arrays))
        last = "return %y : " + result
        if result != carried:
            last = f"%r = arith.bitcast %y : {result} to {carried}\n  return %r : {carried}"
        iterators = ", ".join(['"parallel"'] * count)
        lines = "\n    ".join(body)
        return (
            f"func.func @main({', '.join(arguments)}) -> {carried} {{\n  "
            + "\n  ".join(casts)
            + f"\n  %o = tensor.empty() : {result}\n"
            f"  %y = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}}\n"
            f"    ins({', '.join(v for v, _ in types)} : {', '.join(t for _, t in types)}) outs(%o : {result}) {{\n"
            f"  ^bb0({', '.join(elements)}, %out: {_mlir(self.target)}):\n    {lines}\n"
            f"    linalg.yield {value} : {_mlir(self.target)}\n  }} -> {result}\n  {last}\n}}\n"
        )


def _iree_config():
    import iree.runtime as rt

    if not hasattr(_iree_config, "kept"):
        _iree_config.kept = rt.Config("local-sync")
    return _iree_config.kept


def _carrier(form: Format) -> str:
    return "f32" if form.name == "f32" else f"i{8 * form.size}"


def _mlir(form: Format) -> str:
    """i4 elements are bytes here, too."""
    return "i8" if form.name == "i4" else form.mlir


def _bits(array: np.ndarray) -> np.ndarray:
    if array.dtype == FORMATS["i4"].numpy:
        return array.astype(np.int8)
    signed = {1: np.int8, 2: np.int16}.get(array.itemsize)
    return array.view(signed) if signed and array.dtype != np.int8 else array


def _body(row: dict, source: Format, target: Format, form: Format, inputs: int):
    """Lines on %e0 and parameters, and the resulting value."""
    lines: list[str] = []

    def add(text: str) -> str:
        lines.append(f"%v{len(lines)} = {text}")
        return f"%v{len(lines) - 1}"

    def cast(value: str, start: Format, end: Format) -> str:
        if start.size == end.size:
            return value
        if 4 not in (start.size, end.size):
            # The exact mode, if IREE can lower it.
            return cast(cast(value, start, FORMATS["f32"]), FORMATS["f32"], end)
        word = "extf" if end.size > start.size else "truncf"
        return add(f"arith.{word} {value} : {_mlir(start)} to {_mlir(end)}")

    def clamp(value: str, low: float, high: float) -> str:
        for word, limit in (("maximumf", low), ("minimumf", high)):
            constant = add(f"arith.constant {limit:.6e} : f32")
            value = add(f"arith.{word} {value}, {constant} : f32")
        return value

    f32 = FORMATS["f32"]
    is_integer = form.name.startswith("i")

    def quantize(value: str) -> str:
        value = add(f"arith.divf {value}, %e1 : f32")
        if not is_integer:
            return cast(clamp(value, -form.largest, form.largest), f32, form)
        value = add(f"math.roundeven {value} : f32")
        zero = add(f"arith.sitofp %e2 : {_mlir(form)} to f32")
        value = add(f"arith.addf {value}, {zero} : f32")
        value = clamp(value, -form.largest - 1, form.largest)
        return add(f"arith.fptosi {value} : f32 to {_mlir(form)}")

    def dequantize(value: str) -> str:
        if is_integer:
            wide = [add(f"arith.extsi {v} : {_mlir(form)} to i32") for v in (value, "%e2")]
            value = add(f"arith.subi {wide[0]}, {wide[1]} : i32")
            value = add(f"arith.sitofp {value} : i32 to f32")
        else:
            value = cast(value, form, f32)
        return add(f"arith.mulf {value}, %e1 : f32")

    def fakeconvert(value: str) -> str:
        value = add(f"arith.mulf {value}, %e1 : f32")
        if inputs > 2:
            value = add(f"arith.subf {value}, %e2 : f32")
        value = clamp(value, -form.largest, form.largest)
        steps = [f32, FORMATS["f16"], form] if row["mode"] == "openvino" else [f32, form]
        for start, end in zip(steps, steps[1:], strict=False):
            value = cast(value, start, end)
        value = cast(value, form, f32)
        if inputs > 2:
            value = add(f"arith.addf {value}, %e2 : f32")
        if row["mode"] == "exact":
            return add(f"arith.divf {value}, %e1 : f32")
        one = add("arith.constant 1.0 : f32")
        reciprocal = add(f"arith.divf {one}, %e1 : f32")
        return add(f"arith.mulf {value}, {reciprocal} : f32")

    made = {
        "cast": lambda value: cast(value, source, target),
        "quantize": quantize,
        "dequantize": dequantize,
        "qdq": lambda value: dequantize(quantize(value)),
        "fakeconvert": fakeconvert,
    }[row["op"]]("%e0")
    return lines, made
