"""The ops as functions of JAX on the CPU, also under ``jax.jit`` and ``jax.vmap``.

    >>> import jax, jax.numpy as jnp, quant_float.jax as qj
    >>> jax.jit(lambda x: qj.cast(x, jnp.float8_e4m3fn))(jnp.array([0.1, -2.0, 500.0]))
    Array([0.101562, -2, 448], dtype=float8_e4m3fn)

The functions are those of :mod:`quant_float` with the same names. A call is a custom call of XLA, whose
handler runs the compiled code on XLA's buffers. The handler is compiled with the C compiler of the
machine and the headers of the installed jaxlib at the first use, and cached. Shapes must be static.

:func:`qdq` and :func:`fakeconvert` pass gradients to ``x`` unchanged (straight-through estimator).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

try:
    import jax  # type: ignore[import-not-found, unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise ImportError(f"quant_float.jax requires JAX: {error}") from error

from . import _functions
from ._arrays import PACKED, Tensor, take
from ._canonical import Call, View
from ._disk import get_private_folder
from ._errors import Error
from ._types import DType
from ._types import dtype as _as_dtype
from .typing import BlockRule, DTypeLike, FakeConvertMode, RoundMode, ScaleOrder

__all__ = [
    "block_dequantize",
    "block_quantize",
    "cast",
    "dequantize",
    "fakeconvert",
    "qdq",
    "quantize",
]

#: An array or a tracer; for scales and zero points also a number or a list of numbers.
JaxArray: TypeAlias = Any

_TARGET = "quant_float"
_SOURCE = pathlib.Path(__file__).with_name("_jax_handler.c")
_lock = threading.Lock()
_library: ctypes.CDLL | None = None
# Keeps the code alive: XLA may call it as long as the process runs.
_kernels: dict[int, Any] = {}


def _find_compiler() -> list[str]:
    given = os.environ.get("CC")
    if given:
        return shlex.split(given)
    for name in ("cc", "gcc", "clang", "clang-22"):
        if path := shutil.which(name):
            return [path]
    raise Error("quant_float.jax requires a C compiler: set CC, or install gcc or clang")


def _build_library() -> pathlib.Path:
    """Compiles the handler, unless an earlier process has."""
    compiler = _find_compiler()
    include = jax.ffi.include_dir()
    flags = ["-O2", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden"]
    header = pathlib.Path(include) / "xla" / "ffi" / "api" / "c_api.h"
    contents = _SOURCE.read_bytes() + header.read_bytes() + " ".join(compiler + flags).encode()
    folder = get_private_folder("jax")
    path = folder / f"{hashlib.sha256(contents).hexdigest()}.so"
    if path.exists():
        return path
    handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    os.close(handle)
    try:
        command = [*compiler, *flags, f"-I{include}", str(_SOURCE), "-o", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Error(f"the handler for JAX cannot be compiled: {done.stderr.strip()[:1000]}")
        os.replace(name, path)
    finally:
        pathlib.Path(name).unlink(missing_ok=True)
    return path


def _load() -> ctypes.CDLL:
    global _library
    if _library is None:
        try:
            library = ctypes.CDLL(str(_build_library()))
        except OSError as error:
            raise Error(f"the handler for JAX cannot be loaded: {error}") from None
        library.quantFloatJaxRegister.argtypes = [
            ctypes.c_int64,
            ctypes.c_void_p,
            ctypes.c_int32,
            ctypes.c_int32,
            ctypes.POINTER(ctypes.c_int32),
            ctypes.POINTER(ctypes.c_int32),
        ]
        capsule = jax.ffi.pycapsule(library.quantFloatJaxHandler)
        jax.ffi.register_ffi_target(_TARGET, capsule, platform="cpu")
        _library = library
    return _library


def _register(call: Call) -> int:
    """The number of the kernel of a call, which is the same in all processes."""
    digest = hashlib.sha256(call.key.encode()).digest()
    number = int.from_bytes(digest[:8], "little", signed=True)
    with _lock:
        library = _load()
        if number not in _kernels:
            views = [*call.inputs, *call.results]
            numbers = (ctypes.c_int32 * len(views))(*(view.tensor.number for view in views))
            ranks = (ctypes.c_int32 * len(views))(*(len(view.sizes) for view in views))
            function = call.kernel._native.get_function(0)
            counts = len(call.inputs), len(call.results)
            if library.quantFloatJaxRegister(number, function, *counts, numbers, ranks):
                raise MemoryError("the kernel cannot be registered")
            _kernels[number] = call.kernel
    return number


def _take(value: JaxArray, element: DType | None = None) -> Tensor:
    """An operand without memory: the array is known when the function runs."""
    if not isinstance(value, (jax.Array, np.ndarray, np.generic)):
        if element is None:
            raise TypeError(f"expected an array of JAX, but got {type(value).__name__}")
        value = np.asarray(take(value, "a number", element=element).array)
    array = jnp.asarray(value)
    return _describe(_as_dtype(np.dtype(array.dtype)), array.shape, array)


def _describe(element: DType, shape: Sequence[int], array: Any = None) -> Tensor:
    # XLA packs elements of 2 and 4 bits.
    packed = element.bits in (2, 4)
    return Tensor(None, element, tuple(shape), array, packed=packed)


def _make_output(element: DType, shape: Sequence[int]) -> Any:
    return _describe(element, shape)


def _take_optional(value: JaxArray | None, element: DType | None = None) -> Tensor | None:
    return None if value is None else _take(value, element)


def _as_result(dtype: DTypeLike) -> DType:
    """A type of results, which JAX must have."""
    element = _as_dtype(dtype)
    if not element.numpy.metadata and element.bits != 6 and element.name != "string":
        if jax.dtypes.canonicalize_dtype(element.numpy) == element.numpy:
            return element
        raise TypeError(f"{element} requires jax_enable_x64")
    raise TypeError(f"expected a type of JAX, but got {element}")


def _make_call() -> Any:
    return Call()


def _call(call: Call, name: str, vmap_method: str = "sequential") -> list[Any]:
    """Calls a kernel on views of the operands, which cost nothing."""
    operands = [jnp.reshape(view.tensor.array, view.sizes) for view in call.inputs]
    types = [_get_type(view) for view in call.results]
    function = jax.ffi.ffi_call(_TARGET, types, vmap_method=vmap_method)
    kernel = np.int64(_register(call))
    run = jax.custom_jvp(lambda *operands: tuple(function(*operands, kernel=kernel)))

    @run.defjvp  # type: ignore[untyped-decorator, unused-ignore]
    def refuse(*_: Any) -> Any:
        raise TypeError(
            f"quant_float.jax.{name} has no gradient; qdq and fakeconvert pass it to their input, "
            "and jax.lax.stop_gradient(x) stops it"
        )

    made = run(*operands)
    return [
        jnp.reshape(array, view.tensor.shape)
        for array, view in zip(made, call.results, strict=True)
    ]


def _get_type(view: View) -> Any:
    return jax.ShapeDtypeStruct(view.sizes, view.tensor.dtype.numpy)


def _pass_gradient(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Calls a function whose derivative is that of the identity."""
    call = jax.custom_jvp(function)
    call.defjvp(lambda primals, tangents: (call(*primals), tangents[0]))
    return call(x, *others)


def cast(
    x: JaxArray,
    dtype: DTypeLike,
    *,
    saturate: bool | None = None,
    round_mode: RoundMode | None = None,
    random: JaxArray | None = None,
    opset: int | None = None,
    threads: int = 1,
) -> JaxArray:
    """Converts every element with one rounding: :func:`quant_float.cast`.

    In contrast to ``x.astype(dtype)``, overflow of a float8 type gives the largest value unless
    ``saturate`` is False.
    """
    source, call = _take(x), _make_call()
    _functions.cast(
        source, dtype, saturate=saturate, round_mode=round_mode, random=_take_optional(random),
        opset=opset, out=_make_output(_as_result(dtype), source.shape), target=call, threads=threads,
    )  # fmt: skip
    # A batch of vectors is one vector, unless random bits would be repeated for it.
    return _call(
        call, "cast", "broadcast_all" if random is None and not _is_packed(call) else "sequential"
    )[0]


def _is_packed(call: Call) -> bool:
    return any(view.tensor.number & PACKED for view in (*call.inputs, *call.results))


def quantize(
    x: JaxArray,
    scale: JaxArray,
    zero_point: JaxArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    axis: int | None = None,
    block_size: int | None = None,
    saturate: bool | None = None,
    precision: DTypeLike | None = None,
    random: JaxArray | None = None,
    opset: int | None = None,
    threads: int = 1,
) -> JaxArray:
    """Divides by a scale, rounds to nearest even, adds a zero point, and saturates:
    :func:`quant_float.quantize`."""
    source, call = _take(x), _make_call()
    element = None if dtype is None else _as_result(dtype)
    zeros = _take_optional(zero_point, element or _as_dtype("uint8"))
    element = element or (zeros.dtype if zeros else _as_dtype("uint8"))
    _functions.quantize(
        source, _take(scale, _get_scale_type(source)), zeros, dtype=element, axis=axis,
        block_size=block_size, saturate=saturate, precision=precision,
        random=_take_optional(random), opset=opset, out=_make_output(element, source.shape),
        target=call, threads=threads,
    )  # fmt: skip
    return _call(call, "quantize")[0]


def _get_scale_type(x: Tensor) -> DType:
    return x.dtype if x.dtype.is_float else _as_dtype("float")


def dequantize(
    x: JaxArray,
    scale: JaxArray,
    zero_point: JaxArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    axis: int | None = None,
    block_size: int | None = None,
    opset: int | None = None,
    threads: int = 1,
) -> JaxArray:
    """Subtracts a zero point and multiplies by a scale: :func:`quant_float.dequantize`."""
    source, call = _take(x), _make_call()
    element = None if dtype is None else _as_result(dtype)
    scales = _take(scale, element or _as_dtype("float"))
    element = element or _as_result(scales.dtype)
    _functions.dequantize(
        source, scales, _take_optional(zero_point, source.dtype), dtype=element, axis=axis,
        block_size=block_size, opset=opset, out=_make_output(element, source.shape), target=call,
        threads=threads,
    )  # fmt: skip
    return _call(call, "dequantize")[0]


def qdq(
    x: JaxArray,
    scale: JaxArray,
    zero_point: JaxArray | None = None,
    *,
    storage: DTypeLike,
    axis: int | None = None,
    block_size: int | None = None,
    saturate: bool | None = None,
    precision: DTypeLike | None = None,
    random: JaxArray | None = None,
    opset: int | None = None,
    threads: int = 1,
) -> JaxArray:
    """Quantizes ``x`` to ``storage`` and dequantizes it: :func:`quant_float.qdq`.

    The gradient of ``x`` is that of the result; ``scale`` and ``zero_point`` have none.
    """
    element = _as_dtype(storage)

    def call_kernel(x: Any, scale: Any, zero_point: Any, random: Any) -> Any:
        source, call = _take(x), _make_call()
        _functions.qdq(
            source, _take(scale), _take_optional(zero_point), storage=element, axis=axis,
            block_size=block_size, saturate=saturate, precision=precision,
            random=_take_optional(random), opset=opset,
            out=_make_output(source.dtype, source.shape), target=call, threads=threads,
        )  # fmt: skip
        return _call(call, "qdq")[0]

    source = _take(x)
    zeros = _take_optional(zero_point, element)
    return _pass_gradient(
        call_kernel,
        source.array,
        _take(scale, _get_scale_type(source)).array,
        None if zeros is None else zeros.array,
        random,
    )


def fakeconvert(
    x: JaxArray,
    scale: JaxArray,
    shift: JaxArray | None = None,
    *,
    dtype: DTypeLike = "float8e4m3fn",
    mode: FakeConvertMode = "exact",
    threads: int = 1,
) -> JaxArray:
    """Rounds ``x * scale - shift`` to float8 and reverts both: :func:`quant_float.fakeconvert`.

    The gradient of ``x`` is that of the result; ``scale`` and ``shift`` have none.
    """

    def call_kernel(x: Any, scale: Any, shift: Any) -> Any:
        source, call = _take(x), _make_call()
        _functions.fakeconvert(
            source, _take(scale), _take_optional(shift), dtype=dtype, mode=mode,
            out=_make_output(source.dtype, source.shape), target=call, threads=threads,
        )  # fmt: skip
        return _call(call, "fakeconvert")[0]

    source = _take(x)
    scales = _take(scale, source.dtype).array
    shifts = None if shift is None else _take(shift, source.dtype).array
    if shifts is not None and not shifts.shape:
        shifts = jnp.broadcast_to(shifts, scales.shape)
    return _pass_gradient(call_kernel, source.array, scales, shifts)


def block_quantize(
    x: JaxArray,
    dtype: DTypeLike,
    scale_dtype: DTypeLike,
    block: int | tuple[int, ...],
    rule: BlockRule,
    *,
    tensor_amax: JaxArray | None = None,
    tensor_scale: JaxArray | None = None,
    random: JaxArray | None = None,
    threads: int = 1,
) -> tuple[JaxArray, ...]:
    """Derives a scale for each block of ``x`` from its largest magnitude, and quantizes with it:
    :func:`quant_float.block_quantize`."""
    source, call, number = _take(x), _make_call(), _as_dtype("float")
    blocks = _functions.take_block(block, source.shape)
    counts = [
        1 if each == -1 else -(-size // each)
        for size, each in zip(source.shape, blocks, strict=True)
    ]
    out = [
        _make_output(_as_result(dtype), source.shape),
        _make_output(_as_result(scale_dtype), counts),
    ]
    if rule in _functions.TWO_LEVELS and tensor_scale is None:
        out.append(_make_output(number, ()))
    _functions.block_quantize(
        source, dtype, scale_dtype, block, rule, random=_take_optional(random),
        tensor_amax=_take_optional(tensor_amax, number),
        tensor_scale=_take_optional(tensor_scale, number),
        out=tuple(out), target=call, threads=threads,
    )  # fmt: skip
    return tuple(_call(call, "block_quantize"))


def block_dequantize(
    x: JaxArray,
    scale: JaxArray,
    block: int | tuple[int, ...],
    *,
    dtype: DTypeLike = "float",
    tensor_scale: JaxArray | None = None,
    order: ScaleOrder | None = None,
    threads: int = 1,
) -> JaxArray:
    """Multiplies the elements of blocks by their scales: :func:`quant_float.block_dequantize`."""
    source, call = _take(x), _make_call()
    _functions.block_dequantize(
        source, _take(scale), block, dtype=dtype, order=order,
        tensor_scale=_take_optional(tensor_scale, _as_dtype("float")),
        out=_make_output(_as_result(dtype), source.shape), target=call, threads=threads,
    )  # fmt: skip
    return _call(call, "block_dequantize")[0]
