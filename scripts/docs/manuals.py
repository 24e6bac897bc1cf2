"""Writes a tool's manual page, and its completion for bash, zsh and fish, from its own --help.

usage: manuals.py VERSION PROGRAM FOLDER TOOL...    the names of all tools, which the pages refer to
"""

import datetime
import gzip
import os
import pathlib
import re
import sys
import textwrap

import tool_help

FILE = re.compile(r"FILE|OUT|CODE|LIBRARY|filename")
FOLDER = re.compile(r"DIR\b")


# Manual pages in man(7), which both groff and mandoc support.


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    lines = textwrap.wrap(text, 78, break_on_hyphens=False, break_long_words=False)
    # A line that begins with one of these characters is a macro.
    return "\n".join(f"\\&{line}" if line[0] in ".'" else line for line in lines)


def describe_list(items):
    return "".join(f".TP\n{term}\n{text}\n" for term, text in items)


def describe_option(option):
    term = f"\\fB{roff(option.name)}\\fR"
    if option.value:
        term += f"{'=' if option.joined else ' '}\\fI{roff(option.shown_value)}\\fR"
    text = roff(option.text) or "\\&"
    meanings = {choice: meaning for choice, meaning in option.choices.items() if meaning}
    parts = [(f"\\fB{roff(choice)}\\fR", roff(meaning)) for choice, meaning in meanings.items()]
    for inner in option.inner:
        parts.append(describe_option(inner))
    if parts:
        text += f"\n.RS\n{describe_list(parts).rstrip()}\n.RE"
    return term, text


def write_manual(tool, version, date, tools):
    name, strings = tool.name, tool.strings
    others = sorted(set(tools) - {name})
    page = f'.TH {name.upper()} 1 {date} "quant\\-float {version}" "User Commands"\n.nh\n.ad l\n'
    page += f".SH NAME\n{roff(name)} \\- {roff(tool.summary)}\n"
    usage = roff(tool.synopsis.removeprefix(name).strip())
    page += f".SH SYNOPSIS\n.B {roff(name)}\n{usage}\n"
    paragraphs = strings["description"].strip().split("\n\n")
    page += ".SH DESCRIPTION\n" + "\n.PP\n".join(map(roff, paragraphs)) + "\n.SH OPTIONS\n"
    groups = {}
    for option in tool.shown:
        groups.setdefault(tool.title_of(option), []).append(describe_option(option))
    for title, options in groups.items():
        page += (f".SS {roff(title)}\n" if len(groups) > 1 else "") + describe_list(options)
    page += ".SH EXIT STATUS\n" + describe_list(
        (number, roff(text)) for number, text in tool.exit_codes.items()
    )
    for title, key in (("FILES", "written"), ("ENVIRONMENT", "environment")):
        if key in strings:
            items = [(f"\\fI{roff(term)}\\fR", roff(text)) for term, text in strings[key]]
            page += f".SH {title}\n{describe_list(items)}"
    if "examples" in strings:
        items = [(f"\\fB{roff(command)}\\fR", roff(text)) for command, text in strings["examples"]]
        page += f".SH EXAMPLES\n{describe_list(items)}"
    pages = " ,\n".join(f".BR {roff(other)} (1)" for other in others)
    return f"{page}.SH SEE ALSO\n{pages}\n"


# Completion.


def list_values(option):
    """Returns the values of an option, "files", "folders", or None if they cannot be listed."""
    if option.choices:
        return list(option.choices)
    if FOLDER.search(option.value):
        return "folders"
    return "files" if FILE.search(option.value) else None


def shell_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def write_bash(tool):
    function = "_" + tool.name.replace("-", "_")
    suffixes = tool.strings["files"]
    cases, free = "", []
    for option in tool.options:
        values = list_values(option)
        if option.value and values is None:
            free.append(option.name)
        elif option.value and values in ("files", "folders"):
            cases += f"    {option.name}) compopt -o filenames; "
            kind = "d" if values == "folders" else "f"
            cases += f'mapfile -t COMPREPLY < <(compgen -{kind} -- "$cur"); return ;;\n'
        elif option.value:
            cases += f'    {option.name}) mapfile -t COMPREPLY < <(compgen -W {shell_quote(" ".join(values))} -- "$cur"); return ;;\n'
    if free:
        cases += f"    {'|'.join(free)}) return ;;\n"
    words = "\n".join(
        option.name + ("=" if option.value and option.joined else "") for option in tool.options
    )
    files = "".join(f"compgen -f -X '!*.{suffix}' -- \"$cur\"; " for suffix in suffixes)
    take_files = ""
    if suffixes:
        take_files = "    compopt -o filenames -o plusdirs\n"
        take_files += f"    mapfile -t COMPREPLY < <({files.strip()})\n"
    return f"""# {tool.name}: completion in bash, written from its --help
{function}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  # What `=` separates are words.
  [[ $prev == = ]] && prev=${{COMP_WORDS[COMP_CWORD - 2]}}
  [[ $cur == = ]] && cur=
  COMPREPLY=()
  case $prev in
{cases}  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {shell_quote(words)} -- "$cur")
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  else
{take_files or "    :" + chr(10)}  fi
}}
complete -F {function} {tool.name}
"""


def write_zsh(tool):
    def escape(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    specs = []
    for option in tool.options:
        spec = (
            f"{option.name}{'=' if option.value and option.joined else ''}[{escape(option.text)}]"
        )
        values = list_values(option)
        if option.value:
            actions = {"files": "_files", "folders": "_files -/", None: " "}
            action = f"({' '.join(values)})" if isinstance(values, list) else actions[values]
            spec += f":{escape(option.value)}:{action}"
        # The option may be repeated.
        specs.append(shell_quote(f"*{spec}" if "several" in option.text else spec))
    suffixes = "|".join(tool.strings["files"])
    # zsh treats a final group without alternatives as glob qualifiers.
    pattern = f"*.({suffixes})" if "|" in suffixes else f"*.{suffixes}"
    if suffixes:
        specs.append(shell_quote(f'*:file:_files -g "{pattern}"'))
    return (
        f"#compdef {tool.name}\n# Written from its --help.\n_arguments : \\\n  "
        + " \\\n  ".join(specs)
        + "\n"
    )


def write_fish(tool):
    lines = [f"# {tool.name}: completion in fish, written from its --help"]
    for option in tool.options:
        values = list_values(option)
        line = f"complete -c {tool.name} "
        line += f"-l {option.name[2:]}" if option.name.startswith("--") else f"-s {option.name[1:]}"
        if option.value:
            # The option has a value: a file, one of a list, or any other.
            line += " -r -F" if values in ("files", "folders") else " -x"
        if isinstance(values, list):
            line += f" -a {shell_quote(' '.join(values))}"
        text = option.text.split(";")[0]
        lines.append(line + (f" -d {fish_quote(text)}" if text else ""))
    return "\n".join(lines) + "\n"


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def main():
    version, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    tool = tool_help.read(program)
    # Builds of the same sources are reproducible.
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    today = datetime.datetime.now(datetime.UTC)
    date = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC) if seconds else today
    manual = write_manual(tool, version, date.strftime("%Y-%m-%d"), sys.argv[4:])
    files = {
        f"man/man1/{tool.name}.1.gz": gzip.compress(manual.encode(), mtime=0),
        f"bash-completion/completions/{tool.name}": write_bash(tool).encode(),
        f"zsh/site-functions/_{tool.name}": write_zsh(tool).encode(),
        f"fish/vendor_completions.d/{tool.name}.fish": write_fish(tool).encode(),
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
