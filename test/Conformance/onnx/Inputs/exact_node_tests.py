"""ONNX's node tests of some ops, including those that expand the op to its function body:
quant-float-check accepts the model, and the outputs of quant-float-run, with compiled code and the
Reference, have the bits of the test data, NaN payloads included.

Usage: exact_node_tests.py TOOLS_DIR WORK_DIR OP=COUNT...
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from conformance.node_tests import Runner, collect


def main(tools_dir, work, *expected):
    runner = Runner(tools_dir, work)
    cases, failures = [], []
    for op, _, count in (argument.partition("=") for argument in expected):
        found = [case for case in collect() if case.name.split("_")[1] == op]
        cases += found
        if len(found) != int(count):
            failures.append(f"expected {count} node tests of {op}, but got {len(found)}")

    def check_case(case, level):
        targets = ("cpu", "reference")
        return runner.run(case, targets=targets, exact=True, check=True, level=level)

    # No optimization level changes a bit, and the lowest one compiles fastest.
    levels = [0 if index % 4 else 2 for index in range(len(cases))]
    with ThreadPoolExecutor(max_workers=2) as pool:
        for found in pool.map(check_case, cases, levels):
            failures += found
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
