"""Exports OpenVINO models: python -m round_trips.openvino_models TOOLS FOLDER PART PARTS
[RESULT.json] [MODEL.xml...].

By default, every PARTS-th of ONNX's node tests, as OpenVINO converts and saves them. Other files
may be named.
"""

import json
import pathlib
import sys

import openvino
from conformance.node_tests import collect

from round_trips.openvino_check import RoundTrips


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
    for case in collect()[part::parts]:
        source, path = folder / "in.onnx", folder / "in.xml"
        source.write_bytes(case.model.SerializeToString())
        try:
            model = openvino.convert_model(source)
            openvino.save_model(model, path, compress_to_fp16=False)
        except Exception:  # noqa: BLE001
            trips.counts["not converted by OpenVINO"] += 1
            continue
        trips.check(case.name, path)
    for path in map(pathlib.Path, rest):
        trips.check(str(path), path)
    if results:
        pathlib.Path(results).write_text(
            json.dumps({"export-openvino": dict(trips.counts)}, indent=1) + "\n"
        )
    return trips.report()


sys.exit(main())
