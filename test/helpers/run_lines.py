"""A lit format that records for each test how many of its RUN lines ran, and what the others
require.

lit silently drops a line whose condition (`%if FEATURE %{ ... %}`) does not hold. Here such lines
become metrics of the test's result, which lit writes to its JSON and summarize_tests.py adds up.
"""

import re

import lit.formats
import lit.Test
import lit.TestRunner

CONDITION = re.compile(r"%if ([^%]+)%{")
EMULATOR = re.compile(r"%run_(\w+)")
# The other emulators are for instructions that these do not support.
QEMU = ("aarch64", "riscv64", "x86_64")


def script_of(path):
    """The RUN lines of a test, continued ones joined."""
    lines, continues = [], False
    for _, _, line in lit.TestRunner.parseIntegratedTestScriptCommands(path, ["RUN:"]):
        line = line.strip()
        if continues:
            lines[-1] = lines[-1][:-1] + line
        else:
            lines.append(line)
        continues = line.endswith("\\")
    return lines


def count(lines, features):
    """The number of lines that ran, their emulators, and the conditions of the lines that did not
    run completely."""
    ran, emulated, dropped, shortened = 0, [], [], []
    conditions = dict.fromkeys(features, True)
    for line in lines:
        failed = [
            condition.strip()
            for condition in CONDITION.findall(line)
            if not lit.TestRunner.BooleanExpression.evaluate(condition, conditions)
        ]
        directive = lit.TestRunner.CommandDirective(0, 0, "RUN:", line)
        left = lit.TestRunner.applySubstitutions([directive], [], conditions)[0]
        (shortened if left else dropped).extend(failed)
        if left:
            ran += 1
            emulated += {
                f"qemu-{name}" if name in QEMU else f"emulator-{name}"
                for name in EMULATOR.findall(left)
            }
    return {"ran": ran, "emulated": emulated, "dropped": dropped, "shortened": shortened}


class ShTest(lit.formats.ShTest):
    def execute(self, test, lit_config):
        result = super().execute(test, lit_config)
        lines = script_of(test.getSourcePath())
        if result.code == lit.Test.UNSUPPORTED:
            why = test.getMissingRequiredFeatures()
            why += [f"not {feature}" for feature in test.getUnsupportedFeatures()]
            found = count([], [])
            found["dropped"] = [" && ".join(why)] * len(lines)
        else:
            found = count(lines, test.config.available_features)
        result.addMetric("run_lines", lit.Test.JSONMetricValue(found))
        return result
