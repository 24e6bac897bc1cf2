"""Selects the cases of a long test: all of them with `scripts/test.sh --full` or by hand, otherwise
every third."""

import os
import zlib

#: Set by lit.cfg.py.
SHARE = int(os.environ.get("QUANT_FLOAT_TEST_SHARE", "1"))


def take(cases, name=""):
    """Returns every SHARE-th case. The first one depends on `name`, so that tests of several
    targets run different cases."""
    cases = list(cases)
    return cases[zlib.crc32(name.encode()) % SHARE :: SHARE] if len(cases) > SHARE else cases
