# Every faulty lowering is detected and reported with an input that shows it.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../Tools/Inputs %python %s %tools_dir/quant-float-certify %t
import json
import sys

from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2], "--mutants")
printed = tool.run(0, "-o", "mutants.json").splitlines()
mutants = json.loads((tool.work / "mutants.json").read_text())
assert len(mutants) >= 50, len(mutants)
assert printed[-1] == f"{len(mutants)} of {len(mutants)} mutants caught", printed[-1]
for line, mutant in zip(printed[:-1], mutants, strict=True):
    assert line.split()[0] == mutant["mutant"], line
    assert mutant["caught"] and mutant["changes"] and mutant["inputs"], mutant
    assert mutant["expected"] != mutant["made"], mutant
    assert f"{mutant['input']}" in line and mutant["mistake"] in line, line
assert len({mutant["mistake"] + mutant["conversion"] for mutant in mutants}) == len(mutants)

# An input that can be checked by hand: 0x1400 is 2^-10, half of the smallest subnormal.
tie = tool.run(0, "--only", "^e4m3_tie$", stdout="1 of 1 mutants caught")
assert (
    "input         5121 of cast_f16_to_f8E4M3FN_saturate1: 0x1400 gives 0x1, expected 0x0" in tie
), tie
tool.run(2, "--only", "^nothing$", stderr="--only: no mutant name matches '^nothing$'")
tool.run(2, "--only", "^e4m3_tie$", "-o", "none/m.json", stderr="none/m.json: cannot be written")
tool.finish()
