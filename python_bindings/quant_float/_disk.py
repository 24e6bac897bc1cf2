"""A cache of compiled code on disk, shared by processes."""

from __future__ import annotations

import hashlib
import os
import pathlib
import platform
import re
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from . import _native
from ._errors import CompileError, Error

__all__ = ["DiskCache", "DiskCacheInfo", "disk_cache"]

_VARIABLE = "QUANT_FLOAT_CACHE"
_WORDS = {"": False, "0": False, "off": False, "1": True, "on": True}
_SUFFIX = ".so"
# The folder may contain other files. The cache manages only files with these names.
_NAME = re.compile(r"[0-9a-f]{64}\.so")
_ASIDE = ".quant-float-"
# Temporary files older than this, in seconds, are left by killed processes.
_ABANDONED = 24 * 3600


class DiskCacheInfo(NamedTuple):
    """The contents of the cache, for all processes, and the hits and misses of this process."""

    hits: int
    misses: int
    files: int
    bytes: int


class DiskCache:
    """Shared libraries in a folder. The key of a library is the model, the options, the CPU or GPU,
    and the library that compiled it.

    The cache is disabled until :meth:`enable` is called, unless the environment variable
    ``QUANT_FLOAT_CACHE`` is ``1`` or names a folder. Any number of processes may share a folder:
    files are written atomically. The code in the folder runs in this process, so nobody else may
    have write access to it.

    If the cache is enabled, :func:`quant_float.compile` and the functions of arrays link what they
    compile, which requires lld, and later load it instead of compiling it again. Without lld, the
    cache has no effect. Multithreaded kernels are not cached, because their OpenMP runtime depends
    on the process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folder: pathlib.Path | None = None
        self._max_bytes = 1 << 30
        self._hits = self._misses = 0

    @property
    def folder(self) -> pathlib.Path | None:
        """The folder; None if the cache is disabled."""
        return self._folder

    def enable(
        self, folder: str | os.PathLike[str] | None = None, *, max_bytes: int = 1 << 30
    ) -> None:
        """Enables the cache.

        Args:
            folder: the folder, which is created if it does not exist; by default ``quant-float`` in
                ``$XDG_CACHE_HOME`` or ``~/.cache``.
            max_bytes: the maximum size of the cache; the least recently used files are removed
                first.

        Raises:
            OSError: the folder cannot be created.
            PermissionError: other users have write access to the folder.
        """
        if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
            raise TypeError(f"max_bytes must be an integer, but got {max_bytes!r}")
        if max_bytes < 0:
            raise ValueError(f"max_bytes must be 0 or more, but got {max_bytes}")
        path = _default_folder() if folder is None else pathlib.Path(folder).absolute()
        _require_private(path)
        self._folder, self._max_bytes = path, max_bytes

    def disable(self) -> None:
        """Disables the cache. Files stay."""
        self._folder = None

    def clear(self) -> None:
        """Removes the files. Processes that use them are not affected."""
        self._hits = self._misses = 0
        for path, _ in self._list():
            path.unlink(missing_ok=True)

    def info(self) -> DiskCacheInfo:
        """Returns the statistics of the cache."""
        files = self._list()
        total = sum(status.st_size for _, status in files)
        return DiskCacheInfo(self._hits, self._misses, len(files), total)

    def get(
        self,
        source: Callable[[], bytes],
        options: _native.Options,
        save: Callable[[bytes], _native.Kernel],
        make: Callable[[], _native.Kernel],
    ) -> _native.Kernel:
        """Returns the kernel for a source and options.

        Args:
            source: returns the source to compile.
            save: compiles it to a file and loads the file.
            make: compiles it in this process.
        """
        folder = self._folder
        # A multithreaded library links an OpenMP runtime, and a second runtime aborts the process.
        if folder is None or options.threads != 1:
            return make()
        path = folder / (_hash(source(), options) + _SUFFIX)
        try:
            kernel = _native.Kernel.load(os.fsencode(path))
        except (OSError, Error):
            kernel = None
        with self._lock:
            self._hits += kernel is not None
            self._misses += kernel is None
        try:
            if kernel is None:
                return self._save(folder, path, save)
            os.utime(path)
        except (OSError, CompileError):
            # The disk is full, there is no linker, or the model is invalid; in the last case, `make`
            # reports the error.
            return make() if kernel is None else kernel
        return kernel

    def _save(
        self, folder: pathlib.Path, path: pathlib.Path, save: Callable[[bytes], _native.Kernel]
    ) -> _native.Kernel:
        with tempfile.TemporaryDirectory(
            prefix=_ASIDE, dir=folder, ignore_cleanup_errors=True
        ) as aside:
            library = pathlib.Path(aside) / path.name
            kernel = save(os.fsencode(library))
            os.replace(library, path)
        self._evict(keep=path)
        return kernel

    def _list(self) -> list[tuple[pathlib.Path, os.stat_result]]:
        folder = self._folder
        found = []
        for path in folder.glob("*" + _SUFFIX) if folder else ():
            if not _NAME.fullmatch(path.name):
                continue
            try:
                found.append((path, path.stat()))
            except FileNotFoundError:
                continue  # Another process removed the file.
        return found

    def _evict(self, keep: pathlib.Path) -> None:
        files = sorted(self._list(), key=lambda file: file[1].st_mtime_ns)
        total = sum(status.st_size for _, status in files)
        for path, status in files:
            if total <= self._max_bytes:
                break
            if path != keep:
                path.unlink(missing_ok=True)
                total -= status.st_size
        for path in keep.parent.glob(_ASIDE + "*"):
            try:
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(path, ignore_errors=True)
            except FileNotFoundError:
                continue


def _require_private(path: pathlib.Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(f"{path}: others may write to this folder")


def get_private_folder(name: str) -> pathlib.Path:
    """Returns a folder for code that this process may load, in the folder of the caches."""
    path = _default_folder() / name
    _require_private(path)
    return path


def _default_folder() -> pathlib.Path:
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG standard requires that relative paths are ignored.
    base = pathlib.Path(home) if os.path.isabs(home) else pathlib.Path.home() / ".cache"
    return base / "quant-float"


@cache
def _identify_compiler() -> str:
    """Returns the versions, and the sizes and times of the libraries, which identify the build."""
    paths = {_native.__file__}
    try:
        maps = pathlib.Path("/proc/self/maps").read_text(errors="replace").splitlines()
    except OSError:
        maps = []
    paths |= {line.split(maxsplit=5)[5] for line in maps if "/libQuantFloatC.so" in line}
    parts = [_native.get_version(), _native.get_llvm_version()]
    for path in sorted(paths):
        status = os.stat(path)
        parts.append(f"{status.st_size} {status.st_mtime_ns}")
    return "\n".join(parts)


@cache
def _identify_cpu() -> str:
    """Returns the properties of this machine's CPU on which its code may depend."""
    keys = ("vendor_id", "cpu family", "model", "flags", "CPU ", "Features", "isa", "uarch")
    parts = [platform.machine()]
    try:
        first = pathlib.Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0]
    except OSError:
        return "\n".join([*parts, platform.processor()])
    return "\n".join([*parts, *(line for line in first.splitlines() if line.startswith(keys))])


def _hash(source: bytes, options: _native.Options) -> str:
    machine = _identify_cpu() if "host" in options.cpu.split(",") else ""
    parts = (
        _identify_compiler(), machine, options.cpu, options.triple, options.chip, options.threads,
        options.level, options.mode, options.accumulation, options.activations, options.partition, options.nvvm, options.entry,
    )  # fmt: skip
    return hashlib.sha256(repr(parts).encode() + b"\0" + source).hexdigest()


#: The cache on disk of :func:`quant_float.compile` and the functions of arrays.
disk_cache = DiskCache()


def _start_in_child() -> None:
    disk_cache._lock = threading.Lock()


os.register_at_fork(after_in_child=_start_in_child)


def _read_environment() -> None:
    value = os.environ.get(_VARIABLE, "")
    wanted = _WORDS.get(value.lower(), value)
    try:
        if wanted:
            disk_cache.enable(None if wanted is True else str(wanted))
    except (OSError, RuntimeError) as error:
        warnings.warn(f"{_VARIABLE}={value}: {error}", RuntimeWarning, stacklevel=2)


_read_environment()
