# Processes that are forked while other threads use the cache, compile and run: the child can run
# kernels from before the fork and new ones, in one thread and in several.
# RUN: %python %s
import multiprocessing
import os
import signal
import threading
import time

import expect
import numpy as np
import quant_float as qf
from quant_float import _cache

x = np.linspace(-9, 9, 4096, dtype=np.float32)


def compute():
    """The work of a child: an existing kernel, a new one, and one with two threads."""
    same = (qf.cast(x, "f16") == x.astype(np.float16)).all()
    new = qf.quantize(x, 0.5, dtype="i16", saturate=None, axis=None)
    same &= (new == np.rint(x / np.float32(0.5))).all()
    return bool(same and (qf.cast(x, "f16", threads=2) == x.astype(np.float16)).all())


def run_in_child(function):
    """Whether `function` returns true in a child, within a minute."""
    child = os.fork()
    if not child:
        signal.alarm(60)
        try:
            os._exit(0 if function() else 1)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1]


def check_held_locks():
    """Other threads hold locks during the fork: the lock of the cache, and that of a kernel which
    is being compiled."""
    cache = _cache.KernelCache()
    kernel = qf.parse(MODULE).compile()
    cache.get("old", lambda: kernel)
    inside, leave = threading.Event(), threading.Event()

    def make():
        inside.set()
        leave.wait()
        return kernel

    thread = threading.Thread(target=cache.get, args=("new", make))
    thread.start()
    inside.wait()
    with cache._lock:
        status = run_in_child(
            lambda: (
                cache.get("old", None) is kernel
                and cache.get("new", lambda: kernel) is kernel
                and cache.info().size == 2
            )
        )
    expect.true(f"a child with held locks: {status}", status == 0)
    leave.set()
    thread.join()
    expect.true("the parent continues", cache.get("new", None) is kernel)


def check_busy_threads():
    """Forks at arbitrary points of compilation and runs in other threads."""
    stop = threading.Event()
    failures = []

    def use(number):
        count = 0
        while not stop.is_set():
            if number:
                qf.cast(x, "f16")
            else:
                qf.kernel_cache.resize(1 + count % 8)
                qf.qdq(x, 0.5, storage="i8", opset=21 + count % 5)
            count += 1

    def guard(number):
        try:
            use(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guard, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 10
    statuses = []
    while len(statuses) < 25 and time.monotonic() < end:
        statuses.append(run_in_child(compute))
    stop.set()
    for thread in threads:
        thread.join()
    expect.true(f"children: {statuses}", statuses and not any(statuses))
    expect.true(f"threads: {failures}", not failures)


def check_multiprocessing():
    kernel = qf.parse(MODULE).compile()
    stop = threading.Event()

    def run():
        while not stop.is_set():
            kernel(x)

    thread = threading.Thread(target=run)
    thread.start()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.starmap_async(compute, [()] * 4).get(60)
    stop.set()
    thread.join()
    expect.true(f"a pool: {results}", all(results))


MODULE = """
func.func @cast(%x: tensor<?xf32>) -> tensor<?xf16> {
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?xf16>
  return %0 : tensor<?xf16>
}
"""

check_held_locks()
# OpenMP threads start before the fork, so that children must start them again.
qf.cast(x, "f16", threads=2)
check_busy_threads()
check_multiprocessing()
expect.finish()
