"""Parses a tool's --help in LLVM's format.

The additional text of manual pages is in tools.toml.
"""

import dataclasses
import pathlib
import re
import subprocess
import tomllib

# `  --opset=<N|all> - text`, followed by `    =value - text`, and by continuation lines.
LLVM_OPTION = re.compile(r"( +)(--?[\w.-]+)(?:[= ]<(.*?)>)? +- ?(.*)$")
LLVM_CHOICE = re.compile(r" {4}=(\S+) +- +(.*)$")
# A value name that lists the values: `cpu|nvvm`, `sm_80|sm_90|...`.
LISTED = re.compile(r"[a-z0-9][\w.-]*$")
CHOICE = re.compile(r"[\w.,+-]+$")
# The options that this project adds to upstream's tools, and a few of theirs that all users need.
OURS = re.compile(
    r"-o$|--(quant-float|convert-(iree|onnx|openvino|quant-float|stablehlo|torch)-?|import-o|fakeconvert-mode"
    r"|mlir-to-llvmir|mlir-to-portable|pass-pipeline|split-input-file|verify-diagnostics|load-(dialect|pass)-plugin|help$|version$"
    r"|mlir-print-ir-(before|after)-all|show-dialects|log$|pretty$|lit-test$)"
)
COMMON = ("Color Options", "Generic Options")
TEXTS = tomllib.loads(pathlib.Path(__file__).with_name("tools.toml").read_text())


@dataclasses.dataclass
class Option:
    name: str
    value: str
    text: str
    group: str
    # The values of an enumeration, and their descriptions.
    choices: dict[str, str] = dataclasses.field(default_factory=dict)
    # Options of a pass or a pipeline, which are part of its value.
    inner: list["Option"] = dataclasses.field(default_factory=list)

    @property
    def joined(self):
        """Whether the value is written after `=`, not as a separate argument."""
        return len(self.name) > 2

    @property
    def spelling(self):
        if not self.value:
            return self.name
        return f"{self.name}{'=' if self.joined else ' '}{self.shown_value}"

    @property
    def shown_value(self):
        """Shows the choices instead of the word "value"."""
        is_listed = self.value == "value" and self.choices
        return "|".join(self.choices) if is_listed else self.value


@dataclasses.dataclass
class Tool:
    name: str
    summary: str
    synopsis: str
    options: list[Option]
    strings: dict

    @property
    def shown(self):
        """Of upstream's hundreds of options, those that matter for this project."""
        if len(self.options) < 60:
            return self.options
        return [option for option in self.options if OURS.match(option.name)]

    @property
    def exit_codes(self):
        codes = TEXTS["exit"] | self.strings.get("exit", {})
        return {"0": codes["0"], "1": "an error"} if self.strings.get("upstream") else codes

    def title_of(self, option):
        """The group in which to show an option."""
        if option.group == "Pass Pipelines" and not option.name.startswith("--quant-float"):
            return "General"
        titles = {"Passes": "Passes", "Pass Pipelines": "Pipelines"}
        return titles.get(option.group, "General")


def add_option(options, match, group):
    indent, name, value, text = (part or "" for part in match.groups())
    inside = len(indent) >= 8 and options and group.startswith("Pass")
    option = Option(name.lstrip("-") if inside else name, value, text.strip(), group)
    if "|" in value:
        option.choices = {word: "" for word in value.split("|") if LISTED.match(word)}
    (options[-1].inner if inside else options).append(option)


def parse(name, text):
    lines = text.rstrip().split("\n")
    options, group = [], "Options"
    for line in lines:
        choice, option = LLVM_CHOICE.match(line), LLVM_OPTION.match(line)
        last = options and (options[-1].inner or options)[-1]
        if choice and last:
            # `<empty>` is not a value.
            if CHOICE.match(choice[1]):
                last.choices[choice[1]] = choice[2].strip()
        elif option:
            add_option(options, option, group)
        elif title := re.match(r" *(\S.*):$", line):
            group = title[1]
        elif line.startswith(" " * 12) and last and line.strip():
            last.text = f"{last.text} {line.strip()}"
    summary = lines[0].removeprefix("OVERVIEW: ")
    usage = next(line for line in lines if line.startswith("USAGE: "))
    synopsis = re.sub(r" \(.*", "", usage.removeprefix("USAGE: "))
    strings = TEXTS[name]
    # An option with an optional value is printed twice, the second time with it.
    found = {option.name: option for option in reversed(options)}
    # A tool's own options precede those of all tools.
    options = sorted(reversed(found.values()), key=lambda option: option.group in COMMON)
    return Tool(name, strings.get("summary", summary).rstrip("."), synopsis, options, strings)


def read(program):
    name = pathlib.Path(program).name
    if name not in TEXTS:
        raise RuntimeError(f"scripts/docs/tools.toml has no text for {name}")
    answer = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
    return parse(name, answer.stdout)
