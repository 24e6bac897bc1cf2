# The steps of `scripts/test.sh --full`: each reports its result, one that cannot run is skipped
# with the reason, a failure determines the exit code, and the record keeps the results of other
# steps.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %src_root/scripts %t | FileCheck %s
# RUN: not %python %src_root/scripts/full_tests.py asan,nosuch 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: not %src_root/scripts/test.sh --no-setup --full=asan --filter=x 2>&1 | FileCheck %s --check-prefix=LIT
import json
import pathlib
import sys

scripts, work = sys.argv[1:]
sys.path.insert(0, scripts)
import full_tests  # noqa: E402
from full_tests import Outcome, Step  # noqa: E402

# Every kind of file that lit runs.
longer = full_tests.find_longer()
assert {"CAPI/cycles.c", "Python/memory.py", "Conformance/strings/full.test"} <= {*longer}, longer


def broken(log):
    raise OSError("no disk")


def run(names):
    sys.argv[1:] = [names, "--record", work]
    code = full_tests.main()
    print("exit code", code)
    (record,) = pathlib.Path(work).glob("*.json")
    return json.loads(record.read_text())


full_tests.LOGS = pathlib.Path(work, "logs")
full_tests.STEPS = [
    Step("good", "three tests", lambda log: Outcome(2, 0, 1, "all of them", {"more": 7})),
    Step("absent", "cannot run", broken, ("no-such-program", "libnosuch.so")),
    Step("broken", "raises", broken),
]
# CHECK: good: three tests
# CHECK-NEXT: good: 2 passed, 0 failed, 1 skipped: all of them
# CHECK-NEXT: absent: cannot run
# CHECK-NEXT: absent: 0 passed, 0 failed, 1 skipped: needs no-such-program, libnosuch.so
# CHECK-NEXT: recorded in
# CHECK-NEXT: 2 passed, 0 failed, 2 skipped
# CHECK-NEXT: exit code 0
run("good,absent")
# CHECK-NEXT: broken: raises
# CHECK-NEXT: broken: 0 passed, 1 failed: no disk
# CHECK-NEXT: recorded in
# CHECK-NEXT: 0 passed, 1 failed
# CHECK-NEXT: exit code 1
record = run("broken")
assert list(record) == ["good", "absent", "broken"], record
assert record["good"]["more"] == 7 and record["good"]["cpu"], record
assert "commit" in record["good"] and record["absent"]["skipped"] == 1, record
# CHECK: exit code 0
full_tests.STEPS[0] = Step("good", "cannot run now", broken, ("no-such-program",))
assert run("good")["good"] == record["good"]

# UNKNOWN: error: no step nosuch; there are suite, exhaustive, certificates, emulated, avx2, wheel,
# LIT: test.sh: --full takes no arguments of lit: --filter=x
