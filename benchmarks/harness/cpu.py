# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU of a measurement, which every record names."""

import platform
from pathlib import Path

# Keyed by `vendor_id` of /proc/cpuinfo on x86, and by `CPU implementer` on AArch64.
VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}
IMPLEMENTERS = {
    "0x41": "Arm",
    "0x46": "Fujitsu",
    "0x4e": "NVIDIA",
    "0x61": "Apple",
    "0xc0": "Ampere",
}


def read_fields() -> dict:
    """For the first processor in /proc/cpuinfo, or empty without that file."""
    path, fields = Path("/proc/cpuinfo"), {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    return fields


def name_kind() -> str:
    """The vendor, and "AVX2" for an x86 CPU without AVX-512: records of both kinds are kept."""
    is_x86 = "vendor_id" in read_fields()
    lacks_avx512 = is_x86 and "avx512vl" not in read_fields().get("flags", "").split()
    return describe_cpu()["vendor"] + (" AVX2" if lacks_avx512 else "")


def describe_cpu() -> dict:
    fields = read_fields()
    vendor = fields.get("vendor_id") or IMPLEMENTERS.get(fields.get("CPU implementer", ""))
    return {
        "vendor": VENDORS.get(vendor, vendor) or platform.machine(),
        "model": fields.get("model name", platform.processor()),
        "family": fields.get("cpu family"),
        "model_number": fields.get("model"),
    }
