"""Parses and verifies the MLIR of the documentation: functions and fragments."""

import re
import subprocess

# The documentation of a pass shows its input and its output.
BECOMES = re.compile(r"^ *// (?:becomes|or)\b.*$", re.M)
UNDECLARED = re.compile(r"<stdin>:(\d+):(\d+): error: use of undeclared SSA value name")
OTHER_TYPE = re.compile(
    r"<stdin>:(\d+):\d+: error: use of value '(%[\w$.-]+)' expects different type than prior uses: '(.+?)' vs '(.+?)'$",
    re.M,
)
VALUE = re.compile(r"%[\w$.-]+")


def run_opt(opt, text, *passes):
    command = [opt, "--allow-unregistered-dialect", *passes]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def strip_module(text):
    """The module's body, as the documentation omits the module."""
    inner = re.fullmatch(r"((?:#.*\n)*)module \{\n(.*)^\}\n", text.strip() + "\n", re.M | re.S)
    return inner[1] + re.sub("^  ", "", inner[2], flags=re.M) if inner else text.strip() + "\n"


def _check_fragment(opt, text):
    """Undefined values of a fragment get the types that their uses require."""
    types = {}
    while True:
        declared = "".join(f'  {name} = "doc.value"() : () -> {types[name]}\n' for name in types)
        whole = f'"doc.region"() ({{\n{declared}{text}\n  "doc.end"() : () -> ()\n}}) : () -> ()\n'
        answer = run_opt(opt, whole)
        if answer.returncode == 0:
            return ""
        other = OTHER_TYPE.search(answer.stderr)
        if other and types.get(other[2], "none") == "none":
            types[other[2]] = other[3] if other[2] in types else other[4]
            continue
        if other:
            # The next example may define the name again.
            lines = text.split("\n")
            first = int(other[1]) - 2 - len(types)
            rest = re.sub(
                re.escape(other[2]) + r"(?![\w$.-])", f"%n.{other[2][1:]}", "\n".join(lines[first:])
            )
            text = "\n".join([*lines[:first], rest])
            continue
        position = UNDECLARED.search(answer.stderr)
        if not position:
            return answer.stderr
        line, column = int(position[1]) - 1, int(position[2]) - 1
        name = VALUE.match(whole.split("\n")[line], column)
        if not name or name[0] in types:
            return answer.stderr
        types[name[0]] = "none"


def check(opt, text):
    """The error in the text, or None."""
    for part in BECOMES.split(text):
        if re.search(r"^\s*(\w+\.)?(func|module)\b|^#", part, re.M):
            answer = run_opt(opt, part)
            wrong = answer.stderr if answer.returncode else ""
        else:
            wrong = _check_fragment(opt, part)
        if wrong:
            return wrong
    return ""
