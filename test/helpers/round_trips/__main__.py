"""Exports models: python -m round_trips TOOLS FOLDER PART PARTS [RESULT.json] [MODEL...].

By default, every PARTS-th of ONNX's node tests, and the models in the packages: onnx's backend
tests, and onnxruntime's data sets. Other files may be named.
"""

import json
import pathlib
import sys

import onnx
import onnxruntime
from conformance.node_tests import collect

from round_trips.check import RoundTrips, make_inputs, read_inputs


def package_models():
    """(name, path) of every .onnx file in the packages."""
    for package in (onnx, onnxruntime):
        root = pathlib.Path(package.__file__).parent
        for path in sorted(root.rglob("*.onnx")):
            yield str(path.relative_to(root.parent)), path


def main():
    tools, folder, part, parts = (
        sys.argv[1],
        pathlib.Path(sys.argv[2]),
        int(sys.argv[3]),
        int(sys.argv[4]),
    )
    rest = sys.argv[5:]
    results = rest.pop(0) if rest and rest[0].endswith(".json") else None
    trips = RoundTrips(tools, folder)
    cases = collect()
    for case in cases[part::parts]:
        path = folder / "in.onnx"
        path.write_bytes(case.model.SerializeToString())
        trips.check(case.name, path, lambda _, case=case: read_inputs(case.data_sets[0]))
    shipped = sorted(package_models())
    for name, path in shipped[part::parts]:
        trips.check(name, path, make_inputs)
    for path in map(pathlib.Path, rest):
        trips.check(str(path), path, make_inputs)
    if results:
        pathlib.Path(results).write_text(
            json.dumps({"export-onnx": dict(trips.counts)}, indent=1) + "\n"
        )
    return trips.report()


sys.exit(main())
