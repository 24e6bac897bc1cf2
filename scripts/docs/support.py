"""The page of supported features: op by version by type by target.

Versions and types are the opset rules', as `quant-float-opset-rules` prints them; targets are tried
(probe.py).
"""

import itertools
import json
import subprocess

import elements
import nodes
import probe

# MLIR's names of ONNX's types.
MLIR = {element["Onnx"]: element["Mlir"] for element in elements.read()}
NARROW = ("f8", "f6E", "f4")
OPS = {
    "Cast": "quant_float.cast",
    "CastLike": "quant_float.cast, with `like`",
    "QuantizeLinear": "quant_float.quantize",
    "DequantizeLinear": "quant_float.dequantize",
    "DynamicQuantizeLinear": "quant_float.node, lowered with the network",
    "BitCast": "quant_float.node, lowered with the network",
    "ConvInteger": "quant_float.node, lowered with the network",
    "MatMulInteger": "quant_float.node, lowered with the network",
    "QLinearConv": "quant_float.node, lowered with the network",
    "QLinearMatMul": "quant_float.node, lowered with the network",
    "com.microsoft.QuantizeLinear": "quant_float.quantize",
    "com.microsoft.DequantizeLinear": "quant_float.dequantize",
    "com.microsoft.QGemm": "quant_float.node, lowered with the network",
    "quant_float.Cast": "quant_float.cast",
    "quant_float.QuantizeLinear": "quant_float.quantize",
    "quant_float.DequantizeLinear": "quant_float.dequantize",
}
FAKECONVERT_TYPES = ["f32", "f16", "bf16", "f64"]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def code(name):
    return f"`{MLIR.get(name, name)}`"


def chips(first):
    return (
        f"{first}, and others that end in a or f" if first.endswith("a") else f"{first} and later"
    )


def describe(found, name):
    """Describes the narrow type `name` on NVIDIA GPUs by the instructions that were found."""
    return f"`{found[name][1]}` on {chips(found[name][0])}" if name in found else "arithmetic"


class Support:
    def __init__(self, bin_folder, full):
        self.opt, self.full = bin_folder / "quant-float-opt", full
        command = [bin_folder / "quant-float-opset-rules"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True)
        self.versions = {}
        for rule in json.loads(printed.stdout):
            self.versions.setdefault(rule["op"], {}).setdefault(rule["since"], rule)
        self.newest = max(rule["opset"] for rule in json.loads(printed.stdout))

    def types(self, op, role):
        return [t for t in list(self.versions[op].values())[-1]["types"][role] if t != "string"]

    def try_casts(self):
        names = self.types("Cast", "input"), self.types("Cast", "result")
        cases = [
            ((a, b), (f"cast %0 opset {self.newest}", MLIR[a], [], MLIR[b]))
            for a, b in itertools.product(*names)
        ]
        return probe.find_instructions(self.opt, cases, self.full)

    def try_quantize(self):
        cases = [
            (name, (f"quantize %0, %1 opset {self.newest}", "f32", ["f32"], MLIR[name]))
            for name in self.types("QuantizeLinear", "result")
        ]
        return probe.find_instructions(self.opt, cases, self.full)

    def try_dequantize(self):
        cases = [
            (name, (f"dequantize %0, %1 opset {self.newest}", MLIR[name], ["f32"], "f32"))
            for name in self.types("DequantizeLinear", "input")
        ]
        return probe.find_instructions(self.opt, cases, self.full)

    def describe_op(self, op):
        """Describes the types by version, and the version that added each attribute."""
        versions = self.versions[op]
        newest = list(versions.values())[-1]
        roles = list(newest["types"])
        rows = []
        for name in MLIR:
            taken = [[r for r in roles if name in v["types"][r]] for v in versions.values()]
            if any(taken):
                cells = ["yes" if t == roles else ", ".join(t) or "-" for t in taken]
                rows.append([code(name), *cells])
        text = f"### {op}\n\n`{OPS[op]}`\n\n".replace(", with `like``", "` with `like`")
        text = text.replace(", lowered with the network`", "`, lowered with the network around it")
        text += table(["type", *(f"from {since}" for since in versions)], rows)
        added = {}
        for since, version in versions.items():
            for attribute in version["attributes"]:
                added.setdefault(attribute, since)
        names = [f"`{name}` from {since}" for name, since in added.items()]
        # The attributes of ordinary nodes are in another table.
        rows = [row for row in nodes.read_onnx() if row.op == op]
        rows += [row for row in nodes.read_microsoft() if f"com.microsoft.{row.op}" == op]
        names += dict.fromkeys(f"`{a.name}`" for row in rows for a in row.attributes)
        return text + (f"Attributes: {', '.join(names)}.\n\n" if names else "No attributes.\n\n")

    def describe_fakeconvert(self):
        op = "fakeconvert %0, %1 to {} opset 13"
        taken = [
            kind
            for kind in FAKECONVERT_TYPES
            if probe.is_accepted(self.opt, op.format("f8E5M2"), [kind, kind], kind)
        ]
        tensors = [
            (op.format(to), [f"tensor<?x{kind}>", f"tensor<1x{kind}>"], f"tensor<?x{kind}>")
            for kind in taken
            for to in ("f8E4M3FN", "f8E5M2")
        ]
        probe.run_on_functions(self.opt, tensors, *probe.TO_CPU)
        rows = [[code(kind), "yes" if kind in taken else "-"] for kind in FAKECONVERT_TYPES]
        text = "### FakeConvert (OpenVINO)\n\n`quant_float.fakeconvert`\n\n"
        text += table(["type", "from 13"], rows)
        return text + "The destination is f8E4M3FN or f8E5M2. Opsets 14 and 15 have version 13.\n\n"

    def describe_targets(self):
        casts, quantize, dequantize = self.try_casts(), self.try_quantize(), self.try_dequantize()
        all_types = self.types("Cast", "input")
        text = (
            f"Casts of {len(all_types)} types to {len(all_types)} ({', '.join(map(code, all_types))}), "
            f"quantize to {len(self.types('QuantizeLinear', 'result'))} types and dequantize of "
            f"{len(self.types('DequantizeLinear', 'input'))} lower for every CPU and for NVIDIA GPUs "
            "from sm_75 on; casts to and from strings only for CPUs. If a GPU has no instruction, the "
            "conversion is expanded to arithmetic with the same bits:\n\n"
        )
        rows = []
        for name in (t for t in all_types if MLIR[t].startswith(NARROW)):
            encode, decode = casts.get(("float", name)), casts.get((name, "float"))
            rows.append(
                [
                    code(name),
                    describe({name: encode} if encode else {}, name),
                    describe({name: decode} if decode else {}, name),
                    describe(quantize, name)
                    if name in self.types("QuantizeLinear", "result")
                    else "-",
                    describe(dequantize, name)
                    if name in self.types("DequantizeLinear", "input")
                    else "-",
                ]
            )
        head = ["type", "cast from `f32`", "cast to `f32`", "quantize `f32`", "dequantize to `f32`"]
        text += table(head, rows)
        text += "Casts from the type of the row to the type of the column: the first chip with an "
        text += "instruction, `-` if there is none:\n\n"
        rows = [
            [code(a), *(casts.get((a, b), ("-",))[0].removeprefix("sm_") for b in all_types)]
            for a in all_types
        ]
        return text + table(["", *map(code, all_types)], rows)


def write_page(bin_folder, full):
    support = Support(bin_folder, full)
    text = "# What is supported\n\nThe build generates this page from the opset rules, the tables of nodes, and runs of the "
    text += "lowerings.\n\n## Versions and types\n\n"
    text += "A cell lists the operands that may have the type from that opset on; `yes` means all of them.\n\n"
    text += "".join(support.describe_op(op) for op in support.versions)
    text += support.describe_fakeconvert()
    text += nodes.write_section()
    return text + "## Targets\n\n" + support.describe_targets()
