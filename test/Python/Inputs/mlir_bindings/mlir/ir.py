import ctypes

from ._mlir_libs import _mlir

C = ctypes.CDLL(_mlir.__file__)
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


class Handle(ctypes.Structure):
    _fields_ = (("ptr", ctypes.c_void_p),)


class StringRef(ctypes.Structure):
    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))


CALLBACK = ctypes.CFUNCTYPE(None, StringRef, ctypes.c_void_p)


def call(name, *arguments, returns=Handle):
    function = C[name]
    function.restype = returns
    return function(*arguments)


def string(text):
    data = text.encode()
    return StringRef(data, len(data))


class DialectRegistry:
    def __init__(self):
        self.handle = call("mlirDialectRegistryCreate")

    @property
    def _CAPIPtr(self):
        return _new_capsule(self.handle.ptr, b"mlir.ir.DialectRegistry._CAPIPtr", None)


class Context:
    current = None

    def __init__(self):
        self.handle = call("mlirContextCreate")
        upstream = DialectRegistry()
        call("mlirRegisterAllDialects", upstream.handle, returns=None)
        self.append_dialect_registry(upstream)

    def __enter__(self):
        Context.current = self
        return self

    def __exit__(self, *_):
        Context.current = None

    def append_dialect_registry(self, registry):
        call("mlirContextAppendDialectRegistry", self.handle, registry.handle, returns=None)


class Operation:
    def __init__(self, handle):
        self.handle = handle

    def verify(self):
        return call("mlirOperationVerify", self.handle, returns=ctypes.c_bool)


class Module:
    def __init__(self, handle):
        self.operation = Operation(call("mlirModuleGetOperation", handle))

    @classmethod
    def parse(cls, text):
        handle = call("mlirModuleCreateParse", Context.current.handle, string(text))
        if not handle.ptr:
            raise ValueError("cannot parse")
        return cls(handle)

    def __str__(self):
        parts = []
        write = CALLBACK(lambda part, _: parts.append(ctypes.string_at(part.data, part.length)))
        call("mlirOperationPrint", self.operation.handle, write, None, returns=None)
        return b"".join(parts).decode()
