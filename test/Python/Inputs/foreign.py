"""An array of another library: DLPack over memory that numpy owns, without torch or jax."""

import ctypes


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("type", _Type),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# Keyed by address: the arrays that consumers have not released.
alive = {}


@_Deleter
def _delete(managed):
    alive.pop(ctypes.addressof(managed.contents))


class Foreign:
    """Elements of `array` (unsigned encodings) with a DLPack type.

    `code` and `bits` are the type's. `device` and `strides` (in elements) are passed on.
    """

    def __init__(self, array, code, bits, device=1, strides=None, lanes=1, sizes=None):
        self.array, self.type, self.device = array, (code, bits, lanes), device
        self.strides, self.sizes = strides, array.shape if sizes is None else sizes

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **_):
        rank = len(self.sizes)
        sizes = (ctypes.c_int64 * max(rank, 1))(*self.sizes)
        strides = None
        if self.strides is not None:
            strides = (ctypes.c_int64 * max(rank, 1))(*self.strides)
        tensor = _Tensor(
            self.array.ctypes.data,
            _Device(self.device, 0),
            rank,
            _Type(*self.type),
            ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64)),
            ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
            0,
        )
        managed = _Managed(tensor, None, _delete)
        alive[ctypes.addressof(managed)] = (managed, sizes, strides, self.array)
        return _new_capsule(ctypes.addressof(managed), b"dltensor", None)
