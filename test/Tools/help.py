# Every tool's --help lists the options of --help-list: its own ones, not only those of all tools.
# RUN: %python %s %tools_dir %src_root/tools | FileCheck %s
import pathlib
import re
import subprocess
import sys

tools, sources = map(pathlib.Path, sys.argv[1:3])
COMMON = {"color", "help", "help-list", "version"}


def list_options(tool, option):
    done = subprocess.run([tool, option], capture_output=True, text=True, check=False)
    return set(re.findall(r"^ +--?([\w-]+)[ =]", done.stdout, re.MULTILINE)), done.returncode


for folder in sorted(sources.iterdir()):
    tool = tools / folder.name
    # These are upstream's drivers, and a server without options of its own.
    if not tool.exists() or folder.name in ("quant-float-opt", "quant-float-lsp-server"):
        continue
    shown, code = list_options(tool, "--help")
    known, _ = list_options(tool, "--help-list")
    if code == 0 and known - COMMON:
        missing = known - shown
        print(
            folder.name,
            "lists",
            sorted(missing) or "all",
            "of its options" if not missing else "not",
        )
# CHECK-NOT: not
# CHECK: quant-float-check lists all of its options
# CHECK-NOT: not
# CHECK: quant-float-report lists all of its options
# CHECK-NOT: not
# CHECK: quant-float-run lists all of its options
# CHECK-NOT: not
