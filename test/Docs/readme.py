# The README's IR is what the tools print.
# RUN: %python %s %src_root/README.md %tools_dir/quant-float-opt
#
# After a change of the lowering, rewrite the second block with
#   build/venv/bin/python test/Docs/readme.py README.md build/bin/quant-float-opt --update
import pathlib
import re
import subprocess
import sys

readme, opt, *flags = sys.argv[1:]
text = pathlib.Path(readme).read_text()
blocks = [match.group(1) for match in re.finditer(r"^```mlir\n(.*?)^```$", text, re.M | re.S)]
if len(blocks) != 2:
    sys.exit(f"{readme}: expected two blocks of MLIR, but got {len(blocks)}")
before, after = blocks


def run(ir, *passes):
    answer = subprocess.run([opt, *passes], input=ir, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(f"{readme}: {' '.join([opt, *passes])} failed on\n{ir}\n{answer.stderr}")
    # Without the module around it, which nobody writes.
    lines = answer.stdout.rstrip().removeprefix("module {\n").removesuffix("\n}").split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines) + "\n"


# The pass works on vectors, the model has a tensor.
vector = before.replace("tensor<?x", "vector<16x")
shown = run(vector, "--convert-quant-float-to-arith", "--canonicalize")
if "--update" in flags:
    pathlib.Path(readme).write_text(text.replace(after, shown))
elif shown != after:
    sys.exit(f"{readme}: the lowered IR is not what the tools print:\n{shown}")
# What the importer prints has names of its own; it must verify and print as it is written here.
if run(before).replace("%arg0", "%x") != before:
    sys.exit(f"{readme}: the cast is not as the tools print it:\n{run(before)}")
