"""The results of this project's tools for the models, compared with OpenVINO and with the
formula."""

import pathlib
import shutil
import subprocess

import numpy as np

from fakeconvert import compare, data, models, semantics

TARGETS = ("cpu", "reference")


def _save(path, name, encodings):
    """Saves an array as .npy, bf16 as its encodings."""
    np.save(path, encodings if name == "bf16" else encodings.view(f"f{encodings.itemsize}"))


class Tools:
    """Runs models in one mode after the other, in compiled code and the Reference."""

    def __init__(self, openvino, tools_dir, work):
        self._openvino = openvino
        self._tools_dir, self._work = pathlib.Path(tools_dir), pathlib.Path(work)
        self._models = self._failures = 0
        self.comparison = compare.Comparison(openvino.quirks)

    def _results(self, target, mode, model, inputs, count):
        """The encodings that quant-float-run writes, or None if it fails."""
        out = model.parent / f"{target}_{mode}"
        command = [self._tools_dir / "quant-float-run", model, "--target", target, "--outputs", out]
        # The importer's default mode is tested, too.
        if mode != "openvino":
            command += ["--fakeconvert-mode", mode]
        if target == "cpu" and self._models % 3:
            # No optimization level changes a bit, and this one halves the time.
            command += ["-O0"]
        result = subprocess.run(
            [*map(str, command), "--inputs", *map(str, inputs)],
            capture_output=True, text=True, check=False, errors="replace",
        )  # fmt: skip
        if result.returncode != 0:
            self._failures += 1
            print(f"{target}, {mode}: {model}: exit code {result.returncode}: {result.stderr}")
            return None
        arrays = [np.load(out / f"output_{index}.npy") for index in range(count)]
        shutil.rmtree(out)
        return [array.view(f"u{array.itemsize}") for array in arrays]

    def _expected(self, mode, model, group, inputs, datas):
        if mode == "openvino":
            return self._openvino.run(model, group, inputs)
        if mode == "openvino_reference":
            return self._openvino.evaluate(model, group, inputs, datas)
        return [
            semantics.evaluate(mode, c.type, c.destination, d.x, d.scale, d.shift, c.origin)
            for c, d in zip(group, datas, strict=True)
        ]

    def run(self, group, mode, targets):
        """One model of several cases."""
        self._models += 1
        folder = self._work / f"model_{self._models}"
        folder.mkdir(parents=True)
        datas = [data.make(case) for case in group]
        built, inputs = models.build(group, datas)
        model = folder / "model.xml"
        models.save(built, model)
        files = [folder / f"{name}.npy" for name, _ in inputs]
        for file, (_, encodings) in zip(files, inputs, strict=True):
            _save(file, group[0].type, encodings)
        expected = self._expected(mode, built, group, inputs, datas)
        right = True
        for target in targets:
            found = self._results(target, mode, model, files, len(group))
            right &= found is not None
            for row in zip(group, datas, expected, found or [], strict=found is not None):
                right &= self.comparison.check(target, mode, *row)
        if right:
            shutil.rmtree(folder)

    def finish(self):
        if self._failures:
            print(f"{self._failures} runs of quant-float-run failed")
        return self.comparison.finish() | bool(self._failures)
