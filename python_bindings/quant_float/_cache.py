"""A cache of kernels that the functions of arrays compile."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

from ._kernels import Kernel

__all__ = ["CacheInfo", "KernelCache", "kernel_cache"]


class CacheInfo(NamedTuple):
    """The contents of a cache, and its hits and misses since it was cleared."""

    hits: int
    misses: int
    size: int
    max_size: int


class _Slot:
    """A kernel, or a placeholder for one that a thread is compiling."""

    __slots__ = ("kernel", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kernel: Kernel | None = None


class KernelCache:
    """Kernels by key. The least recently used kernels are removed first.

    If several threads request the same kernel at the same time, it is compiled once. A forked
    process keeps the kernels, regardless of other threads.
    """

    def __init__(self, max_size: int = 256) -> None:
        _caches.add(self)
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot] = OrderedDict()
        self._max_size = max_size
        self._hits = self._misses = 0

    def get(self, key: Hashable, make: Callable[[], Kernel]) -> Kernel:
        """Returns the kernel for this key; ``make`` compiles it if there is none."""
        with self._lock:
            slot = self._slots.get(key)
            if slot is None:
                slot = self._slots[key] = _Slot()
                while len(self._slots) > self._max_size:
                    self._slots.popitem(last=False)
            else:
                self._slots.move_to_end(key)
            kernel = slot.kernel
            if kernel is not None:
                self._hits += 1
                return kernel
            self._misses += 1
        with slot.lock:
            if slot.kernel is None:
                try:
                    slot.kernel = make()
                except BaseException:
                    with self._lock:
                        if self._slots.get(key) is slot:
                            del self._slots[key]
                    raise
            return slot.kernel

    def clear(self) -> None:
        """Removes all kernels."""
        with self._lock:
            self._slots.clear()
            self._hits = self._misses = 0

    def resize(self, max_size: int) -> None:
        """Sets the maximum number of kernels."""
        if isinstance(max_size, bool) or not isinstance(max_size, int):
            raise TypeError(f"max_size must be an integer, but got {max_size!r}")
        if max_size < 1:
            raise ValueError(f"max_size must be 1 or more, but got {max_size}")
        with self._lock:
            self._max_size = max_size
            while len(self._slots) > max_size:
                self._slots.popitem(last=False)

    def info(self) -> CacheInfo:
        """Returns the statistics of the cache."""
        with self._lock:
            return CacheInfo(self._hits, self._misses, len(self._slots), self._max_size)

    def _start_in_child(self) -> None:
        """Drops locks and compilations of threads that do not exist after a fork."""
        self._lock = threading.Lock()
        for key, slot in list(self._slots.items()):
            slot.lock = threading.Lock()
            if slot.kernel is None:
                del self._slots[key]


# After a fork, a lock that another thread holds is never released.
_caches: weakref.WeakSet[KernelCache] = weakref.WeakSet()


def _start_in_child() -> None:
    for cache in _caches:
        cache._start_in_child()


os.register_at_fork(after_in_child=_start_in_child)

#: The cache of :func:`quant_float.cast` and the other functions of arrays.
kernel_cache = KernelCache()
