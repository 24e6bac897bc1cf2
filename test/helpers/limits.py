"""Bounds of what a command may use."""

import os

# AddressSanitizer maps terabytes of which it uses little, and takes several times as long.
SANITIZED = bool(os.environ.get("QUANT_FLOAT_SANITIZERS"))


def bounded(memory, seconds=None):
    """What to put before a command: bytes that it may map and seconds of the CPU."""
    limits = [] if SANITIZED else [f"--as={memory}"]
    if seconds:
        limits.append(f"--cpu={seconds * (10 if SANITIZED else 1)}")
    return ["prlimit", *limits] if limits else []
