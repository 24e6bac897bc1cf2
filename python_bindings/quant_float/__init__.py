"""Low-precision floats and quantization: ops of ONNX and OpenVINO on numpy arrays, and models.

    >>> import numpy as np, quant_float as qf
    >>> print(qf.cast(np.array([1.0, 1.1, 1e6], np.float32), "float8e4m3fn"))
    [1 1.125 448]

:func:`cast`, :func:`quantize`, :func:`dequantize`, :func:`qdq`, :func:`fakeconvert`,
:func:`block_quantize` and :func:`block_dequantize` operate on numpy arrays, also with the types of
ml_dtypes, and on DLPack arrays. Their code is compiled on the first use. :func:`philox` generates the random bits for stochastic rounding.
:func:`load`, :func:`parse`, :func:`import_onnx` and :func:`import_openvino` read models,
:func:`check` verifies them against every opset, and :func:`compile` compiles them to kernels.
:mod:`quant_float.opsets` describes what the versions of the ops accept.
"""

try:
    from . import _native as _native
except ImportError as error:
    from ._platform import explain

    raise ImportError(explain(error)) from error

from . import opsets, typing
from ._arrays import PackedArray, pack
from ._cache import CacheInfo, KernelCache, kernel_cache
from ._device import DeviceArray, to_device
from ._disk import DiskCache, DiskCacheInfo, disk_cache
from ._dlpack import DLPackArray, as_dlpack
from ._errors import CompileError, Diagnostic, Error, ModelError, RunError
from ._functions import (
    block_dequantize,
    block_quantize,
    cast,
    dequantize,
    fakeconvert,
    philox,
    qdq,
    quantize,
)
from ._kernels import Argument, Kernel, load_kernel
from ._models import (
    Function,
    Module,
    check,
    compile,
    import_onnx,
    import_openvino,
    load,
    parse,
)
from ._native import get_llvm_version, get_version
from ._reports import (
    Difference,
    FakeConvertReport,
    ModeComparison,
    NodeReport,
    OpsetVerdict,
    compare,
)
from ._types import DTYPES, STRING, DType, dtype
from .typing import DTypeLike

__version__: str = get_version()

__all__ = [
    "DTYPES",
    "STRING",
    "Argument",
    "CacheInfo",
    "CompileError",
    "DLPackArray",
    "DType",
    "DTypeLike",
    "DeviceArray",
    "Diagnostic",
    "Difference",
    "DiskCache",
    "DiskCacheInfo",
    "Error",
    "FakeConvertReport",
    "Function",
    "Kernel",
    "KernelCache",
    "ModeComparison",
    "ModelError",
    "Module",
    "NodeReport",
    "OpsetVerdict",
    "PackedArray",
    "RunError",
    "__version__",
    "as_dlpack",
    "block_dequantize",
    "block_quantize",
    "cast",
    "check",
    "compare",
    "compile",
    "dequantize",
    "disk_cache",
    "dtype",
    "fakeconvert",
    "get_llvm_version",
    "get_version",
    "import_onnx",
    "import_openvino",
    "kernel_cache",
    "load",
    "load_kernel",
    "opsets",
    "pack",
    "parse",
    "philox",
    "qdq",
    "quantize",
    "to_device",
    "typing",
]
