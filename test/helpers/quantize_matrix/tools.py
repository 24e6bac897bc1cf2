"""The results of this project's tools for cases: quant-float-check, and quant-float-run with
compiled code and the Reference."""

import collections
import itertools
import json
import pathlib
import shutil
import subprocess

import numpy as np
from conformance.formats import FORMATS

from quantize_matrix import cases, models, qdq, semantics
from quantize_matrix import data as inputs
from quantize_matrix.compare import describe, places
from quantize_matrix.rejects import model as make_rejects

NODES_PER_MODEL = 64
TARGETS = ("cpu", "reference")
_SHOWN = 3
_NATIVE = ("f32", "f16", "f64")


def save(path, name, encodings):
    """Saves as .npy: floats that NumPy lacks as their encodings, in whole bytes."""
    form = FORMATS[name]
    slots = form.slots(encodings.ravel()).reshape(encodings.shape)
    if name in _NATIVE:
        slots = slots.view(form.dtype)
    elif form.kind == "integer" and form.signed:
        slots = slots.view(f"i{form.slot.itemsize}")
    np.save(path, slots)


def load(path, name):
    """The encodings in a .npy, whose type must be the one that save writes."""
    form, array = FORMATS[name], np.load(path)
    if name in _NATIVE:
        expected = form.dtype
    else:
        signed = form.kind == "integer" and form.signed
        expected = np.dtype(f"{'i' if signed else 'u'}{form.slot.itemsize}")
    if array.dtype != expected:
        raise TypeError(f"{path}: expected {expected}, but got {array.dtype}")
    slots = array.view(form.slot)
    if (form.slots(form.encodings(slots)) != slots).any():
        raise ValueError(f"{path}: bits outside the elements")
    return form.encodings(slots)


def batches(chosen, size=NODES_PER_MODEL):
    """Batches of the cases of each opset, up to the size of a model."""
    ordered = sorted(chosen, key=lambda c: c.opset)
    for _, group in itertools.groupby(ordered, key=lambda c: c.opset):
        group = list(group)
        for start in range(0, len(group), size):
            yield group[start : start + size]


def has_unusual_scale(case, data):
    """Whether a constant float scale has an element that is not a positive normal number."""
    if case.constants == "none" or case.scale == "i32":
        return False
    scale = inputs.values_of(case.scale, data.scale)
    least = {"f16": 2.0**-14, "f8E8M0FNU": 2.0**-127}.get(case.scale, 2.0**-126)
    return not np.all((scale >= least) & np.isfinite(scale))


class Tools:
    """All models are checked and run by the Reference. Without `full`, every second one of an
    opset, starting with the first, is compiled as well."""

    def __init__(self, tools_dir, work, cpu=None, full=False):
        self.tools_dir, self.work, self.cpu = pathlib.Path(tools_dir), pathlib.Path(work), cpu
        self.full, self.turns = full, collections.Counter()
        self.nodes = self.elements = self.failures = self.models = 0

    def fail(self, text):
        self.failures += 1
        print(text, flush=True)

    def call(self, tool, *arguments):
        command = [self.tools_dir / tool, *arguments]
        return subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False, errors="replace"
        )

    def check(self, model, chosen, datas):
        """Every node of the model is accepted, by exactly the opsets whose rules it follows."""
        result = self.call("quant-float-check", "--json", "--opset", "all", model)
        if result.returncode != 0:
            self.fail(f"quant-float-check {model}: exit code {result.returncode}: {result.stderr}")
            return
        reports = json.loads(result.stdout)
        if len(reports) != len(chosen):
            self.fail(f"quant-float-check {model}: {len(reports)} of {len(chosen)} nodes")
        for case, data, report in zip(chosen, datas, reports, strict=False):
            if report["status"] != "ok":
                self.fail(f"quant-float-check: {case}: {report['status']}: {report.get('reason')}")
            # Rule Q7.
            doubtful = case.quantized == "i32" and data.zero_point is not None
            doubtful = doubtful and (case.constants == "none" or data.zero_point.any())
            warnings = int(bool(doubtful)) + has_unusual_scale(case, data)
            if len(report.get("warnings") or ()) != warnings:
                self.fail(f"quant-float-check: {case}: the warnings {report.get('warnings')}")
            if case.domain:
                continue
            accepting = {
                opset
                for spell in report["opsets"]
                if spell["accepted"]
                for opset in range(spell["first"], spell["last"] + 1)
            }
            for version in cases.VERSIONS:
                if (version in accepting) != cases.is_accepted_by(case, version):
                    self.fail(f"quant-float-check: {case}: accepted by opsets {sorted(accepting)}")
                    break

    def write_model(self, folder, chosen, datas):
        """The model's file, and the (name, type, encodings) of its inputs."""
        path = folder / "model.onnx"
        # The other opsets of a version in rotation: the same node, and the same values.
        opsets = cases.opsets_of(chosen[0].opset)
        made = models.model(chosen, datas, opset=opsets[self.models % len(opsets)])
        path.write_bytes(made.SerializeToString())
        return path, models.graph_inputs(chosen, datas)

    def judge(self, case, data):
        """The result's type, its encodings, the alternative encodings, and where NaNs may
        differ."""
        expected, loose = inputs.expected(case, data)
        return case.y, expected, expected, loose

    def compare(self, target, case, data, path):
        type_name, expected, other, loose = self.judge(case, data)
        try:
            found = load(path, type_name)
        except (OSError, TypeError, ValueError) as error:
            self.fail(f"{target}: {case}: {error}")
            return
        if found.shape != expected.shape:
            self.fail(f"{target}: {case}: expected the shape {expected.shape}, got {found.shape}")
            return
        right = semantics.same(type_name, expected, found, loose) | (found == other)
        wrong = places(~right)
        if wrong:
            self.fail(f"{target}: {case}: {len(wrong)} of {expected.size} elements differ")
            for place in wrong[:: max(1, len(wrong) // _SHOWN)][:_SHOWN]:
                print(describe(case, data, place, expected, found))

    def run(self, chosen):
        """One model of several cases."""
        self.models += 1
        folder = self.work / f"model_{self.models}"
        folder.mkdir(parents=True)
        datas = [inputs.make(case) for case in chosen]
        model, graph_inputs = self.write_model(folder, chosen, datas)
        arguments = []
        for name, type_name, encodings in graph_inputs:
            save(folder / f"{name}.npy", type_name, encodings)
            arguments.append(folder / f"{name}.npy")
        failures = self.failures
        if not self.cpu:
            self.check(model, chosen, datas)
        turn = self.turns[chosen[0].opset]
        self.turns[chosen[0].opset] += 1
        targets = TARGETS if self.full or turn % 2 == 0 else ("reference",)
        for target in ("cpu",) if self.cpu else targets:
            options = ["--target", target, "--outputs", folder / target]
            if self.cpu:
                options += ["--cpu", self.cpu]
            elif target == "cpu" and turn % 8:
                # No optimization level changes a bit, and this one halves the time.
                options += ["-O0"]
            if arguments:
                options += ["--inputs", *arguments]
            result = self.call("quant-float-run", model, *options)
            if result.returncode != 0:
                self.fail(f"{target}: {model}: exit code {result.returncode}: {result.stderr}")
                continue
            for index, (case, data) in enumerate(zip(chosen, datas, strict=True)):
                self.compare(target, case, data, folder / target / f"output_{index}.npy")
        self.nodes += len(chosen)
        self.elements += sum(data.x.size for data in datas)
        if self.failures == failures:
            shutil.rmtree(folder)

    def finish(self):
        print(
            f"{self.models} models, {self.nodes} nodes, {self.elements} elements: {self.failures} failures"
        )
        return 1 if self.failures or not self.nodes else 0


class QdqTools(Tools):
    """quant_float.qdq."""

    def check(self, model, chosen, datas):
        result = self.call("quant-float-check", model)
        if result.returncode != 0:
            self.fail(f"quant-float-check {model}: exit code {result.returncode}: {result.stderr}")

    def write_model(self, folder, chosen, datas):
        path = folder / "model.mlir"
        path.write_text(qdq.text(chosen))
        return path, models.graph_inputs(chosen, datas)

    def judge(self, case, data):
        expected, loose, other = qdq.expected(case, data)
        return case.x, expected, other, loose


class SizesTools(Tools):
    """Dynamic sizes (Q1, Q2)."""

    def run(self, chosen):
        for case, data in chosen:
            self.models += 1
            self.nodes += 1
            folder = self.work / f"sizes_{self.models}"
            folder.mkdir(parents=True)
            model, graph_inputs = self.write_model(folder, [case], [data])
            arguments = []
            for name, type_name, encodings in graph_inputs:
                save(folder / f"{name}.npy", type_name, encodings)
                arguments.append(folder / f"{name}.npy")
            for target, phrase in (("cpu", "expected size"), ("reference", "must be")):
                out = folder / target
                result = self.call(
                    "quant-float-run",
                    model,
                    "--target",
                    target,
                    "--outputs",
                    out,
                    "--inputs",
                    *arguments,
                )
                if result.returncode != 1 or phrase not in result.stderr or out.exists():
                    self.fail(f"{target}: {case}: exit code {result.returncode}: {result.stderr}")


class RejectTools(Tools):
    """quant-float-check on nodes that a rule forbids."""

    def run(self, rejects):
        self.models += 1
        self.work.mkdir(parents=True, exist_ok=True)
        path = self.work / f"rejects_{self.models}.onnx"
        path.write_bytes(make_rejects(rejects).SerializeToString())
        self.nodes += len(rejects)
        if rejects[0].y:
            self.check_declared(path, rejects[0])
            return
        result = self.call("quant-float-check", "--json", path)
        failures = self.failures
        if result.returncode != 1:
            self.fail(f"{path}: expected the exit code 1, but got {result.returncode}")
        try:
            reports = {report["node"]: report for report in json.loads(result.stdout)}
        except (ValueError, KeyError):
            self.fail(f"{path}: no reports: {result.stdout[-300:]}{result.stderr[-300:]}")
            return
        for index, one in enumerate(rejects):
            self.judge(one, reports.get(f"n{index}"))
        self.check_import(path, rejects)
        if self.failures == failures:
            path.unlink()

    def check_declared(self, path, one):
        """An error of the model outside of its nodes ends the import."""
        result = self.call("quant-float-check", path)
        if result.returncode != 1 or one.phrase not in result.stderr or "'n0'" not in result.stderr:
            self.fail(f"{one}: exit code {result.returncode}: {result.stderr}")

    def check_import(self, path, rejects):
        """The importer rejects the model and reports every node."""
        result = self.call("quant-float-translate", "--import-onnx", path)
        if result.returncode == 0 or result.stdout:
            self.fail(f"{path}: imported with exit code {result.returncode}")
        told = {}
        for line in result.stderr.splitlines():
            name = line.split("node '")[-1].split("'")[0]
            told[name] = told.get(name, "") + line + "\n"
        for index, one in enumerate(rejects):
            lines = told.get(f"n{index}", "")
            if "error: " not in lines or one.phrase not in lines:
                self.fail(f"{one}: the importer: expected '{one.phrase}', but got '{lines}'")

    def judge(self, one, report):
        if report is None:
            self.fail(f"{one}: no report")
        elif report["status"] != "invalid":
            self.fail(f"{one}: {report['status']}: {report.get('reason')}")
        elif one.phrase not in report.get("reason", ""):
            self.fail(f"{one}: expected '{one.phrase}', but got '{report.get('reason')}'")
        elif one.note and one.note not in report.get("notes", []):
            self.fail(f"{one}: expected the note '{one.note}', but got {report.get('notes')}")
