"""Resource limits of a command."""

import os

# AddressSanitizer reserves terabytes of address space, and is several times as slow.
SANITIZED = bool(os.environ.get("QUANT_FLOAT_SANITIZERS"))


def bounded(memory, seconds=None):
    """A command prefix that limits the address space in bytes and the CPU time in seconds."""
    limits = [] if SANITIZED else [f"--as={memory}"]
    if seconds:
        limits.append(f"--cpu={seconds * (10 if SANITIZED else 1)}")
    return ["prlimit", *limits] if limits else []
