# Certificates of IEEE P3109's conversions, and the declaration of conformance that is generated
# from them.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../Tools/Inputs %python %s %tools_dir/quant-float-certify %t %src_root/scripts/p3109_declaration.py
import json
import re
import subprocess
import sys

from tool import Tool

tool, script = Tool(sys.argv[1], sys.argv[2]), sys.argv[3]
names = tool.run(0, "--p3109", "--list").split()
assert len(names) == len(set(names)), "names are unique"
# Seven types, six roundings and three saturations. For sources of at most 16 bits also three
# stochastic roundings with three widths of random bits.
main = "(f32|f16|bf16|binary8p4se|binary8p3se|binary4p2sf|binary8p1uf)"
pairs = [name for name in names if re.match(rf"project_{main}_to_{main}_", name)]
assert len([name for name in pairs if "Stochastic" not in name]) == 7 * 7 * 6 * 3, len(pairs)
assert len([name for name in pairs if "Stochastic" in name]) == 6 * 7 * 3 * 3 * 3, len(pairs)
# All 120 formats.
targets = {re.match(r"project_f32_to_(\w+?)_", name) for name in names}
assert len({match[1] for match in targets if match}) == 118 + 2 + 3, targets

# From and to f64, and with scales: three types of scales, four other types, nine roundings.
assert len([name for name in names if "f64" in name]) == 2 * 4 * 6 * 3
for op in ("convert_to_block", "convert_from_block"):
    assert len([name for name in names if name.startswith(op)]) == 3 * 4 * 4 * 9 * 3
blocks = "^convert_to_block_f16_by_binary8p1uf_to_binary8p4se_(ToOdd|StochasticB)_SatNone"
printed = tool.run(0, "--quiet", "--p3109", "--cpu", "host", "--sample", "--only", blocks, "-o", "b.json")  # fmt: skip
assert re.match(r"2 conversions for host: \d+ inputs, 0 mismatches\n", printed), printed
coverage = {row[0]: row[-1] for row in json.loads((tool.work / "b.json").read_text())["conversions"]}  # fmt: skip
assert coverage["convert_to_block_f16_by_binary8p1uf_to_binary8p4se_StochasticB_SatNone_by_ui4"] == "every encoding with 43 scales and a random number each", coverage  # fmt: skip

# The conversions of one or two groups, which are compiled as a whole.
only = (
    r"^project_f16_to_(binary8p4se|binary8p3se)_(NearestTiesToEven|StochasticB)_SatNone(_by_ui2)?$"
)
selected = [name for name in names if re.match(only, name)]
assert len(selected) == 4, selected
printed = tool.run(0, "--quiet", "--p3109", "--cpu", "host", "--only", only, "-o", "c.json")
inputs = 2 * 65536 * (1 + 4)
assert printed == f"4 conversions for host: {inputs} inputs, 0 mismatches\n", printed

command = [sys.executable, script, tool.work / "c.json"]
text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
assert (
    "convert_f16_binary8p4se_NearestTiesToEven_SatNone: Convert<binary16, Binary8p4se, (NearestTiesToEven, SatNone)>\n"
    in text
), text
assert "Convert<binary16, Binary8p3se, (StochasticB(2), SatNone)>" in text, text
assert text.count("Convert<") == 4
# Several files together.
twice = [*command, tool.work / "c.json"]
assert subprocess.run(twice, check=True, capture_output=True, text=True).stdout == text
# A draft must not be used for claims of conformance.
assert not re.search("conform|compl(y|iant)", text, re.I), text

# Incomplete certificates are not declared.
file = json.loads((tool.work / "c.json").read_text())
file["conversions"][0][file["columns"].index("complete")] = False
(tool.work / "c.json").write_text(json.dumps(file))
done = subprocess.run(command, check=False, capture_output=True, text=True)
assert done.returncode == 1 and done.stdout.count("Convert<") == 3, done
assert done.stderr == "1 conversions are not attested for all operand values\n", done
tool.finish()
