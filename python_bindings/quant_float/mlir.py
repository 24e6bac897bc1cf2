"""The dialect in MLIR's own Python bindings, the package ``mlir``.

    from mlir.ir import Context, Module
    from mlir.passmanager import PassManager
    import quant_float.mlir

    with Context() as context:
        quant_float.mlir.register_dialects(context)
        module = Module.parse("...")
        PassManager.parse("builtin.module(convert-quant-float-to-linalg)").run(module.operation)

The bindings and this package share one MLIR. So the bindings must use the shared library of MLIR, of
the version of LLVM that :func:`quant_float.get_llvm_version` returns. LLVM builds such bindings with
``MLIR_ENABLE_BINDINGS_PYTHON`` and ``MLIR_LINK_MLIR_DYLIB``. Importing this module raises an
ImportError for other bindings.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from collections.abc import Callable

from . import _native

__all__ = ["register_dialects"]

_VERSION = ".".join(_native.get_llvm_version().split(".")[:2])
_REQUIRED = (
    f"quant_float.mlir requires the Python bindings of MLIR {_VERSION}, built with the shared "
    f"library libMLIR.so.{_VERSION}"
)

try:
    from mlir import ir  # type: ignore[import-not-found]
    from mlir._mlir_libs import _mlir  # type: ignore[import-not-found]
except ImportError as error:
    raise ImportError(f"{_REQUIRED}, but the package mlir cannot be imported: {error}") from error


class _Plugin(ctypes.Structure):
    """DialectPluginLibraryInfo of mlir/Tools/Plugins/DialectPlugin.h."""

    _fields_ = (
        ("api_version", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("register", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


def _check_bindings() -> None:
    """Raises an ImportError unless the bindings and this package would share one MLIR."""
    found = f"the bindings in {pathlib.Path(_mlir.__file__).parent}"
    try:
        library = ctypes.CDLL(f"libMLIR.so.{_VERSION}", os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        raise ImportError(f"{_REQUIRED}, but {found} do not use this library") from None
    # A type's ID is the address of a variable, of which each copy of MLIR has its own.
    get_id = ctypes.CDLL(_mlir.__file__).mlirIndexTypeGetTypeID
    get_id.restype = ctypes.c_void_p
    symbol = "_ZN4mlir6detail14TypeIDResolverINS_9IndexTypeEvE2idE"
    if get_id() != ctypes.addressof(ctypes.c_char.in_dll(library, symbol)):
        raise ImportError(f"{_REQUIRED}, but {found} contain another copy of MLIR")


def _load_registration() -> Callable[[int], None]:
    """Returns a function that registers the dialects, and registers the passes."""
    native = ctypes.CDLL(_native.__file__)
    if hasattr(native, "quantFloatRegisterAllDialects"):
        native.quantFloatRegisterAllPasses()
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        return prototype(("quantFloatRegisterAllDialects", native))
    # The extension contains a copy of MLIR, so the plugin registers its own copy of the dialect. Its implementation
    # is called directly, because the bindings have been checked above.
    path = pathlib.Path(__file__).with_name("libQuantFloatCorePluginImpl.so")
    try:
        get_plugin = ctypes.CDLL(str(path)).quantFloatGetDialectPluginInfo
    except OSError as error:
        raise ImportError(f"{_REQUIRED}, but the library differs: {error}") from error
    get_plugin.restype = _Plugin
    register: Callable[[int], None] = get_plugin().register
    return register


_check_bindings()
_register = _load_registration()


_get_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def register_dialects(target: ir.Context | ir.DialectRegistry) -> None:
    """Registers the dialect ``quant_float``, and the dialects and interfaces that its lowerings use.

    Args:
        target: a context, or a registry that is appended to contexts later.
    """
    if not isinstance(target, (ir.Context, ir.DialectRegistry)):
        raise TypeError(f"target must be a Context or a DialectRegistry, but got {target!r}")
    registry = target if isinstance(target, ir.DialectRegistry) else ir.DialectRegistry()
    capsule = registry._CAPIPtr
    _register(_get_pointer(capsule, _get_name(capsule)))
    if isinstance(target, ir.Context):
        target.append_dialect_registry(registry)
