"""Creates networks, compiles them and compares them with ONNX Runtime.

    python -m model_zoo.run [--named] [--only NAME[.VARIANT];...] [--times SECONDS]
                            [--cpus host,...] [--models FOLDER] [--output FILE.json]

in the environment of the tests, build/venv. The networks are created in a separate environment,
build/networks/venv, which the first run creates. FOLDER keeps the networks. The last line counts
the networks that agree, those that differ or are rejected, and those that torch or ONNX Runtime's
quantizer could not create.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HELPERS = pathlib.Path(__file__).resolve().parent.parent
ROOT = HELPERS.parent.parent
BUILD = ROOT / "build"
sys.path[:0] = [str(BUILD / "python_packages"), str(HELPERS)]

from model_zoo import environment, trial  # noqa: E402
from model_zoo.table import NETWORKS  # noqa: E402

#: The exit code if the environment cannot be created.
NO_PACKAGES = 3


def describe_cpu():
    fields = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()
    return {key: fields.get(key, "") for key in ("vendor_id", "model name", "cpu family", "model")}


def list_names(options):
    """The selected names of each network: its own and those of its variants."""
    only = set(options.only.split(";")) if options.only else None
    known = {f"{name}.{form}" for name, network in NETWORKS.items() for form in network.forms}
    unknown = (only or set()) - known - set(NETWORKS)
    if unknown:
        raise SystemExit(f"no network {', '.join(sorted(unknown))}")
    for name, network in NETWORKS.items():
        names = [name, *(f"{name}.{form}" for form in network.forms)]
        if only is not None:
            names = [full for full in names if full in only]
        elif options.named and not network.named:
            continue
        if names:
            yield names


def count(records):
    made = [record for record in records.values() if "skipped" not in record]
    passed = sum(record["agrees"] for record in made)
    return passed, len(made) - passed, len(records) - len(made)


def tell(name, record):
    if "skipped" in record:
        return f"{name}: skipped: {record['skipped']}"
    if "refused" in record:
        return f"{name}: refused: {record['refused']}"
    text = f"{name}: compiled in {record['compile_s']} s, {record['peak_mib']} MiB"
    if "off" in record:
        text += f"; {record['off']:.1e} off, {record['allowed']:.1e} allowed"
    if "over" in record:
        text += "; " + ", ".join(
            f"{cpu} {over} of ONNX Runtime's time" for cpu, over in record["over"].items()
        )
    return text if record["agrees"] else f"{text}; DIFFERS: {record.get('told', '')}"


def run_networks(options, python, folder):
    # One thread: the number of a network's buffers must not depend on the number of threads.
    variables = {**os.environ, "PYTHONPATH": str(HELPERS), "OMP_NUM_THREADS": "1"}
    records = {}
    for names in list_names(options):
        subprocess.run([python, "-m", "model_zoo.build", folder, *names], env=variables, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
        base = names[0].partition(".")[0]
        for name in names:
            file, reason = folder / f"{name}.onnx", folder / f"{name}.txt"
            if file.exists():
                cpus = options.cpus.split(",")
                record = trial.run(
                    BUILD / "bin" / "quant-float-compile",
                    file,
                    folder / f"{base}.npz",
                    cpus,
                    options.times,
                )
                record["model_mib"] = file.stat().st_size >> 20
            else:
                record = {"skipped": reason.read_text().strip() if reason.exists() else "the builder crashed"}  # fmt: skip
            records[name] = record
            print(tell(name, record), flush=True)
            if options.output:
                write(options.output, records, options)
        if not options.models:
            for file in folder.glob(f"{base}*"):
                file.unlink()
    return records


def write(path, records, options):
    requirements = (ROOT / "scripts" / "requirements-networks.txt").read_text().splitlines()
    versions = dict(line.split("==") for line in requirements if "==" in line)
    kept = ("torch", "torchvision", "timm", "transformers", "onnx", "onnxruntime")
    entry = {
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        "cpu": describe_cpu(),
        "versions": {name: versions[name] for name in kept},
        "networks": records,
    }
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", help="these alone, separated by semicolons")
    parser.add_argument("--named", action="store_true", help="the networks whose speed is tracked")
    parser.add_argument(
        "--times", type=float, default=0, help="seconds to measure each network; 0: no measurements"
    )
    parser.add_argument("--cpus", default="host", help="the target CPUs")
    parser.add_argument("--models", type=pathlib.Path, help="where networks stay")
    parser.add_argument("--output", help="a JSON file")
    options = parser.parse_args(arguments)
    try:
        python = environment.make(ROOT, BUILD / "networks" / "venv")
    except subprocess.CalledProcessError as error:
        print(f"the packages that create networks are not available: {error}")
        return NO_PACKAGES
    with tempfile.TemporaryDirectory() as folder:
        if options.models:
            options.models.mkdir(parents=True, exist_ok=True)
        records = run_networks(options, python, options.models or pathlib.Path(folder))
    passed, failed, skipped = count(records)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
