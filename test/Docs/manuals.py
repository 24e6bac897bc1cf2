# Every tool has a manual page that mandoc and groff accept. The completions of bash, zsh and fish
# contain every option that --help prints, and the values of options that list them.
# RUN: %python %s %tools_dir %obj_root/share %t
import gzip
import os
import pathlib
import re
import subprocess
import sys

tools, share, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]
# Asks a shell on a pseudo-terminal for its completions.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=99999
compadd() { local -a found; builtin compadd -A found \"\$@\"; print -l OFFER:\${^found}; builtin compadd \"\$@\" }
print REA''DY"
zpty -r shell line '*READY*'
zpty -w -n shell "$2"$'\t\x05; print DO\'\'NE\n'
while zpty -r shell line; do print -r -- "$line"; [[ $line != *DONE* ]] || break; done
"""


def run(*command, **options):
    answer = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=300, **options
    )
    assert answer.returncode == 0, (
        f"{command}: exit {answer.returncode}\n{answer.stdout}{answer.stderr}"
    )
    return answer.stdout + answer.stderr


def complete_bash(tool, *words):
    script = f"""
source {share}/bash-completion/completions/{tool}
compopt() {{ :; }}
COMP_WORDS=({tool} {" ".join(f"'{word}'" for word in words)}) COMP_CWORD={len(words)}
_{tool.replace("-", "_")}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return {word.rstrip("=") for word in run("bash", "-c", script, cwd=folder).split()}


def complete_fish(tool, *words):
    source = share / f"fish/vendor_completions.d/{tool}.fish"
    script = f"source {source}; complete -C '{tool} {' '.join(words)}'"
    lines = run("fish", "--no-config", "-c", script, cwd=folder).splitlines()
    return {line.split("\t")[0].rstrip("=") for line in lines}


def has_terminals():
    """Whether there are pseudo-terminals, which zsh's line editor needs. A chroot may have none."""
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def complete_zsh(tool, *words):
    if not has_terminals():
        # The names in the file.
        text = (share / f"zsh/site-functions/_{tool}").read_text()
        return set(re.findall(r"(?<![\w-])--?\w[\w.-]*", text))
    line = " ".join((tool, *words))
    shown = run("zsh", "-f", "-c", ZSH, "zsh", share / "zsh/site-functions", line, cwd=folder)
    return set(re.findall(r"OFFER:(\S+)", shown))


def check_manual(tool):
    page = gzip.decompress((share / f"man/man1/{tool}.1.gz").read_bytes()).decode()
    file = folder / f"{tool}.1"
    file.write_text(page)
    assert not (warnings := run("mandoc", "-T", "lint", "-W", "warning", file)), warnings
    sections = re.findall(r"^\.SH (.+)$", page, re.M)
    assert [title for title in SECTIONS if title not in sections] == [], sections
    for other in re.findall(r"^\.BR (\S+) \(1\)", page, re.M):
        assert other.replace("\\-", "-") in pages, f"{tool}: no {other}"
    shown = run("mandoc", "-T", "utf8", file)
    return re.sub(".\b", "", shown)


pages = {path.name.split(".")[0] for path in (share / "man/man1").iterdir()}
# Files of an older build are ignored.
pages &= {path.name for path in tools.iterdir()}
assert len(pages) >= 6, pages
for tool in sorted(pages):
    manual = check_manual(tool)
    printed = run(tools / tool, "--help")
    options = set(re.findall(r"^ {2,6}(--?[\w.-]+)(?=[ =]|$)", printed, re.M))
    # --help prints upstream's options.
    shown = options if len(options) < 60 else {o for o in options if "quant-float" in o}
    assert all(re.search(rf"{option}\b", manual) for option in shown), (tool, shown)
    for complete in (complete_bash, complete_fish, complete_zsh):
        # Some shells list one-letter options separately.
        offered = complete(tool, "--") | complete(tool, "-")
        missing = {option for option in options if option not in offered}
        assert not missing, f"{complete.__name__} {tool}: {missing}"

shells = (complete_bash, complete_fish, *((complete_zsh,) if has_terminals() else ()))
for complete in shells:
    name = complete.__name__
    equals = ("--emit", "=", "sh") if complete == complete_bash else ("--emit=sh",)
    for words in (("--emit", "sh"), equals):
        found = complete("quant-float-compile", *words)
        assert {word.removeprefix("--emit=") for word in found} == {"shared"}, (name, words, found)
    (folder / "a.onnx").touch()
    (folder / "a.txt").touch()
    found = complete("quant-float-check", "a.")
    assert "a.onnx" in found, (name, found)
