# Public bugs of libraries (vectors/bugs.toml): the vectors fail the buggy rule in the listed rows,
# and pass the rule without the bug.
# RUN: rm -rf %t && %tools_dir/quant-float-certify --vectors %t > %t.log
# RUN: env PYTHONPATH=%src_root/vectors:%S/../helpers %python %s %t %src_root
import inspect
import pathlib
import sys
import tomllib

import numpy as np
import quant_float_vectors as vectors
from conformance import bugs

folder, source = map(pathlib.Path, sys.argv[1:3])
tables = {table.name: table for table in vectors.load(folder)}
listed = tomllib.loads((source / "vectors/bugs.toml").read_text())["bug"]
failures, used = [], set()
for bug in listed:
    rule, table = getattr(bugs, bug["rule"]), tables[bug["table"]]
    used.add(bug["rule"])
    label = f"{bug['where']}, {bug['rule']}, {table.name}"
    expected = bugs.get_expected(rule, table)

    def find_wrong(faulty, rule=rule, table=table, expected=expected):
        with np.errstate(all="ignore"):
            made = rule(table, faulty)
        if expected is not None:
            return np.flatnonzero(made != expected)
        return vectors.compare(table, np.asarray(made, made.dtype))

    wrong = find_wrong(False)
    if wrong.size:
        row = wrong[0]
        failures.append(
            f"{label}: the correct rule differs in {wrong.size} rows: {table.input[row]!r}"
        )
    wrong = find_wrong(True)
    if wrong.size != bug["rows"] or not wrong.size:
        failures.append(f"{label}: {wrong.size} rows differ, not {bug['rows']}")
    if expected is None:
        encodings = set(vectors.get_encodings(table.input)[wrong].tolist())
        missing = [hex(code) for code in bug["inputs"] if code not in encodings]
        if missing:
            failures.append(f"{label}: the inputs {missing} do not detect it")
assert len(listed) >= 35, len(listed)
# Each rule has a bug.
rules = {
    name
    for name, value in inspect.getmembers(bugs, inspect.isfunction)
    if list(inspect.signature(value).parameters) == ["table", "faulty"]
}
assert rules == used, rules ^ used
sys.exit("\n".join(failures) or 0)
