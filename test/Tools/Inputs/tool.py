"""Runs a tool in a folder, and records deviations from the expectations."""

import pathlib
import subprocess
import sys


class Tool:
    def __init__(self, program, work, *options):
        self.work = pathlib.Path(work)
        self.failures = []
        self._command = [program, *options]

    def run(self, code, *arguments, stderr="", stdout="", stdin="", environment=None):
        """Expects the exit code and the strings in the output. Returns the standard output."""
        command = [*self._command, *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.work, input=stdin, env=environment
        )
        what = " ".join(command[1:])
        if done.returncode != code:
            self.failures.append(f"{what}: exit code {done.returncode}: {done.stderr[-300:]}")
        for text, stream in ((stderr, done.stderr), (stdout, done.stdout)):
            if text not in stream:
                self.failures.append(f"{what}: expected '{text}', but got '{stream[-300:]}'")
        return done.stdout

    def finish(self):
        print("\n".join(self.failures) or "ok")
        sys.exit(bool(self.failures))
