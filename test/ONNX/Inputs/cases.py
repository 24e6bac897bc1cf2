"""Runs the importer on files that it rejects or warns about."""

import concurrent.futures
import os
import pathlib
import re
import subprocess


def read_diagnostics(file, after=""):
    """The entries of Diagnostics.def, one for each line: {id: (severity, pattern of its text)}."""
    entries = {}
    for severity, name, strings in re.findall(
        r'^(ERROR|WARNING)\((\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)',
        file.read_text().partition(after)[2] if after else file.read_text(),
        re.M,
    ):
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings))
        pattern = re.sub(r"\\\{\d+\\\}", "(.*)", re.escape(text))
        entries[name] = (severity.lower(), re.compile(pattern, re.S))
    assert entries, f"no diagnostics in {file}"
    return entries


class Table:
    """Cases, each with the exact message of the importer."""

    option, suffix = "--import-onnx", ".onnx"

    def __init__(self, folder, translate, diagnostics):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.translate = translate
        self.diagnostics = read_diagnostics(pathlib.Path(diagnostics))
        self.cases = []
        self.covered = set()

    def add(self, diagnostic, content, message, *, piped=False, more=(), severity="error"):
        """A file, the diagnostic that it covers (None for a verifier's), the message after `error:
        `, and further messages."""
        data = content if isinstance(content, bytes) else content.SerializeToString()
        if diagnostic:
            severity, pattern = self.diagnostics[diagnostic]
            assert pattern.search(message), f"{message!r} is not {diagnostic}"
            self.covered.add(diagnostic)
        self.cases.append((diagnostic, data, severity, message, piped, more))

    def run_case(self, index):
        _, data, severity, message, piped, more = self.cases[index]
        path = self.folder / f"{index}{self.suffix}"
        output = self.folder / f"{index}.mlir"
        if data is not None and not piped:
            path.write_bytes(data)
        done = subprocess.run(
            [self.translate, self.option, "-" if piped else path, "-o", output],
            input=data if piped else b"",
            capture_output=True,
        )
        name = "<stdin>" if piped else str(path)
        lines = [f"{severity}: {message}", *more]
        expected = "".join(f"{name}:0:0: {line}\n" for line in lines)
        return self.judge(index, done, expected, done.stderr.decode(errors="replace"))

    def judge(self, index, done, expected, found):
        """The failure of a run of the importer, some of whose messages were expected."""
        diagnostic, _, severity, *_ = self.cases[index]
        status = 0 if severity == "warning" else 1
        problems = []
        if done.returncode != status:
            problems.append(f"exit status {done.returncode} instead of {status}")
        if found != expected:
            problems.append(f"expected {expected!r}\n       got {found!r}")
        if done.stdout or (self.folder / f"{index}.mlir").exists() != (status == 0):
            problems.append("something was written")
        return [f"case {index} ({diagnostic}): {problem}" for problem in problems]

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(self.run_case, range(len(self.cases))))
        return [problem for problems in found for problem in problems]
