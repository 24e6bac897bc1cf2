"""The conversion instructions of each chip."""

import re

# Chips, and the first version of PTX with all instructions of a chip.
CHIPS = {
    "sm_75": 63, "sm_80": 70, "sm_86": 71, "sm_89": 81, "sm_90": 78, "sm_90a": 80, "sm_100a": 86, "sm_100f": 88, "sm_103a": 88,
    "sm_120a": 87, "sm_121a": 88,
}  # fmt: skip
MORE_CHIPS = {
    "sm_87": 74, "sm_88": 90, "sm_100": 86, "sm_103": 88, "sm_103f": 88, "sm_110": 90, "sm_110a": 90, "sm_110f": 90, "sm_120": 87,
    "sm_120f": 88, "sm_121": 88, "sm_121f": 88,
}  # fmt: skip
# The PTX name of each narrow float.
INSTRUCTION_TYPES = {
    "f8E4M3FN": "e4m3x2",
    "f8E5M2": "e5m2x2",
    "f8E8M0FNU": "ue8m0x2",
    "f4E2M1FN": "e2m1x2",
    "f6E2M3FN": "e2m3x2",
    "f6E3M2FN": "e3m2x2",
}
# The types whose instructions implement the FNUZ types.
COUNTERPARTS = {"f8E4M3FNUZ": "f8E4M3FN", "f8E5M2FNUZ": "f8E5M2"}


def number(chip):
    """90 for sm_90a."""
    return int(re.fullmatch(r"sm_(\d+)\w?", chip)[1])


def has(chip, name):
    """Whether the chip has instructions for this narrow float."""
    if name in ("f8E4M3FN", "f8E5M2"):
        return number(chip) >= 89
    return name in INSTRUCTION_TYPES and number(chip) >= 100 and not chip[-1].isdigit()
