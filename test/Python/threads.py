# Two threads run two kernels at the same time while Python runs a third thread. Compilation
# releases the GIL as well. A kernel that many threads request at once is compiled once. One thread
# can query a model while another one verifies it.
# RUN: %python %s
import sys
import threading
import time

import expect
import numpy as np
import quant_float as qf
from quant_float._plain import PlainCalls

# The position of a thread: the method that enters the extension.
RUN = PlainCalls.run.__code__


def is_inside(thread, code):
    frame = sys._current_frames().get(thread.ident)
    return frame is not None and frame.f_code is code


def check_at_once():
    """Samples the positions of two threads. If the GIL were held, nothing could be sampled while a
    kernel runs, and two kernels could never be seen in many samples of one run."""
    # A run takes longer than a thread waits for the GIL, also on a busy machine.
    x = np.linspace(-1000, 1000, 1 << 25, dtype=np.float32)
    jobs = [
        (qf.parse(MODULE.format(to=to)).compile(), np.empty(x.shape, qf.dtype(to).numpy))
        for to in ("f8E4M3FN", "f8E5M2")
    ]
    stop = time.monotonic() + 60
    best = 0
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    while best < 20 and time.monotonic() < stop:
        running = threading.Event()

        def work(kernel, y, running=running):
            running.wait()
            kernel(x, out=y)

        threads = [threading.Thread(target=work, args=job) for job in jobs]
        for thread in threads:
            thread.start()
        running.set()
        both = 0
        while any(thread.is_alive() for thread in threads):
            both += all(is_inside(thread, RUN) for thread in threads)
        best = max(best, both)
    sys.setswitchinterval(interval)
    expect.true(f"two kernels at once in {best} samples of one run", best >= 20)
    for kernel, y in jobs:
        expect.same("its values", y, kernel(x))


MODULE = """
func.func @cast(%x: tensor<?xf32>) -> tensor<?x{to}> {{
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?x{to}>
  return %0 : tensor<?x{to}>
}}
"""


def check_compiling():
    """Python counts while a module is compiled."""
    done = []
    module = qf.parse(MODULE.format(to="bf16"))
    thread = threading.Thread(target=lambda: done.append(module.compile()))
    count = 0
    thread.start()
    while not done:
        count += 1
    thread.join()
    expect.true(f"counted to {count}", count > 1000)


def check_one_kernel():
    x = np.linspace(-9, 9, 4096, dtype=np.float32)
    qf.kernel_cache.clear()
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(qf.qdq(x, 0.5, storage="i8")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    live = {id(result) for result in results}
    expect.true("a result each", len(live) == 8)
    for result in results:
        expect.same(
            "its values", result, np.clip(np.rint(x / 0.5) + 0.0, -128, 127) * np.float32(0.5)
        )
    expect.true(f"{qf.kernel_cache.info()}", qf.kernel_cache.info().size == 1)


def check_looking_while_verifying():
    """A description of a model's functions stays valid while another thread verifies the model."""
    text = "\n".join(
        MODULE.format(to="f16").replace("@cast", f"@f{number}") for number in range(50)
    )
    module = qf.parse(text)
    wanted = module.functions
    stop = time.monotonic() + 2
    failures = []

    def verify():
        while time.monotonic() < stop and not failures:
            module.verify()

    def look():
        while time.monotonic() < stop and not failures:
            if module.functions != wanted:
                failures.append("other functions")

    threads = [threading.Thread(target=target) for target in (verify, look, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect.true(f"functions: {failures}", not failures)


check_at_once()
check_compiling()
check_one_kernel()
check_looking_while_verifying()
expect.finish()
