"""Which cases of a long test run: all of them with `scripts/test.sh --full`, and by hand; otherwise every third."""

import os
import zlib

#: lit.cfg.py sets it.
SHARE = int(os.environ.get("QUANT_FLOAT_TEST_SHARE", "1"))


def take(cases, name=""):
    """Returns every SHARE-th case. Where the first one is depends on `name`, so that tests of several targets run different
    cases."""
    cases = list(cases)
    return cases[zlib.crc32(name.encode()) % SHARE :: SHARE] if len(cases) > SHARE else cases
