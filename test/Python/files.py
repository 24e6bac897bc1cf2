# Files that cannot be read or written raise the exceptions of Python's own functions, with errno
# and the name.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
import contextlib
import errno
import os
import pathlib
import pickle
import resource
import signal
import sys

import expect
import quant_float as qf

work = pathlib.Path(sys.argv[1])
MODEL = "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"
module = qf.parse(MODEL)


@contextlib.contextmanager
def ordinary_user():
    """A user who is not root."""
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)
        yield
    finally:
        os.seteuid(user)


def check(what, number, path, function):
    try:
        function()
    except OSError as error:
        told = (error.errno, error.filename and os.fspath(error.filename))
        expect.true(f"{what}: {error!r} {error.filename}", told == (number, str(path)))
        expect.true(f"{what}: {error}", os.strerror(number) in str(error))
        # Python's subclass of OSError for it, such as FileNotFoundError.
        expect.true(f"{what}: {type(error)}", type(error) is type(OSError(number, "")))
        expect.true(f"{what}: pickled", pickle.loads(pickle.dumps(error)).errno == number)
        return
    expect.true(f"{what}: no OSError", False)


for suffix in (".onnx", ".xml", ".mlir", ".mlirbc"):
    path = work / f"none{suffix}"
    check(f"no {suffix}", errno.ENOENT, path, lambda path=path: qf.load(path))
    check(f"no {suffix} to check", errno.ENOENT, path, lambda path=path: qf.check(str(path)))
    folder = work / f"folder{suffix}"
    folder.mkdir()
    check(f"a folder {suffix}", errno.EISDIR, folder, lambda path=folder: qf.load(path))
    locked = work / f"locked{suffix}"
    locked.write_text(MODEL)
    locked.chmod(0)
    with ordinary_user():
        check(f"unreadable {suffix}", errno.EACCES, locked, lambda path=locked: qf.load(path))

# Writing a shared library does not change the program's signal handlers.
seen = []
signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
module.emit("shared", work / "f.so")
os.kill(os.getpid(), signal.SIGUSR1)
expect.true("SIGUSR1", seen == [signal.SIGUSR1])

path = work / "none" / "a.o"
check("no folder", errno.ENOENT, path, lambda: module.emit("obj", path))
check("a folder", errno.EISDIR, folder, lambda: module.emit("obj", folder))
check("no room", errno.ENOSPC, "/dev/full", lambda: module.emit("asm", "/dev/full"))
locked = work / "locked"
locked.mkdir(mode=0o555)
with ordinary_user():
    check(
        "an unwritable folder",
        errno.EACCES,
        locked / "a.s",
        lambda: module.emit("asm", locked / "a.s"),
    )
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
check("too large", errno.EFBIG, work / "a.s", lambda: module.emit("asm", work / "a.s"))
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
path = work / "none" / "a.so"
check("a library that cannot be saved", errno.ENOENT, path, lambda: module.compile(path=path))
check("no library", errno.ENOENT, work / "none.so", lambda: qf.load_kernel(work / "none.so"))
check("a folder for a library", errno.EISDIR, folder, lambda: qf.load_kernel(folder))
left = sorted(path.name for path in work.iterdir() if path.name.startswith(("a.", "tmp")))
expect.true(f"no files remain: {left}", not left)
# An errno without a subclass raises OSError itself.
(work / "a.txt").write_text(MODEL)
error = expect.raises(
    "no model's name", OSError, "expected a model in", lambda: qf.load(work / "a.txt")
)
expect.true(f"{error!r}", type(error) is OSError and error.errno is None)
expect.finish()
