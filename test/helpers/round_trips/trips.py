"""Models that are imported and exported again."""

import subprocess
from collections import Counter


class Trips:
    """Counts the outcomes of models, and collects the failures."""

    def __init__(self, tools, folder):
        self.translate = f"{tools}/quant-float-translate"
        self.folder = folder
        self.counts = Counter()
        self.wrong = []

    def call(self, *arguments):
        return subprocess.run(
            [self.translate, *map(str, arguments)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def report(self):
        for what, count in self.counts.items():
            print(f"{what}: {count}")
        for line in self.wrong:
            print(line)
        return bool(self.wrong)
