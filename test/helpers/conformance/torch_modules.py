"""Functions in torch-mlir's raw form, which are compiled and compared with NumPy."""

import subprocess

import numpy as np

NAMES = {
    "float32": ("f32", 6),
    "float64": ("f64", 7),
    "float16": ("f16", 5),
    "bfloat16": ("bf16", 15),
    "int8": ("si8", 1),
    "uint8": ("ui8", 0),
    "int16": ("si16", 2),
    "int32": ("si32", 3),
    "int64": ("si64", 4),
    "bool": ("i1", 11),
    "float8_e4m3fn": ("f8E4M3FN", 24),
    "float8_e5m2": ("f8E5M2", 23),
    "float8_e4m3fnuz": ("f8E4M3FNUZ", 26),
    "float8_e5m2fnuz": ("f8E5M2FNUZ", 25),
    "float8_e8m0fnu": ("f8E8M0FNU", 44),
}

f64 = np.float64
checked = 0


def name(dtype):
    return np.dtype(dtype).name


class Module:
    """A function in torch-mlir's raw form, with the arrays of its arguments."""

    # The folder of the tools and the folder of the files.
    tools = work = None

    def __init__(self, *arrays):
        self.arrays, self.lines, self.types, self.results = arrays, [], {}, []
        for index, array in enumerate(arrays):
            self.types[f"%arg{index}"] = self.type(array.shape, array.dtype)

    @staticmethod
    def type(shape, dtype):
        return f"!torch.vtensor<[{','.join(map(str, shape))}],{NAMES[name(dtype)][0]}>"

    def define(self, text, type):
        value = f"%{len(self.lines)}"
        self.lines.append(f"    {value} = {text} : {type}")
        return value

    def argument(self, value):
        """A value, or the op that makes a constant."""
        if isinstance(value, str) and value.startswith("%"):
            return value
        if value is None:
            text, type = '"torch.constant.none"()', "!torch.none"
        elif isinstance(value, str):
            text, type = f'"torch.constant.str"() <{{value = "{value}"}}>', "!torch.str"
        elif isinstance(value, bool):
            text, type = (
                f'"torch.constant.bool"() <{{value = {str(value).lower()}}}>',
                "!torch.bool",
            )
        elif isinstance(value, int):
            text, type = f'"torch.constant.int"() <{{value = {value} : i64}}>', "!torch.int"
        elif isinstance(value, float):
            bits = np.float64(value).view(np.uint64)
            text, type = (
                f'"torch.constant.float"() <{{value = 0x{bits:016X} : f64}}>',
                "!torch.float",
            )
        elif isinstance(value, (np.ndarray, np.generic)):
            kind = NAMES[name(value.dtype)][0]
            shape = "".join(f"{size}x" for size in value.shape)
            text = f'"torch.vtensor.literal"() <{{value = dense<"0x{value.tobytes().hex()}"> : tensor<{shape}{kind}>}}>'
            type = self.type(value.shape, value.dtype)
        elif isinstance(value, list):
            values = [self.argument(v) for v in value]
            types = ", ".join(self.types[v] for v in values)
            text, type = f'"torch.prim.ListConstruct"({", ".join(values)})', "!torch.list<int>"
            if any("vtensor" in self.types[v] for v in values):
                type = "!torch.list<vtensor>"
            made = self.define(text, f"({types}) -> {type}")
            self.types[made] = type
            return made
        made = self.define(text, f"() -> {type}")
        self.types[made] = type
        return made

    def call(self, op, *arguments, results, operator=False):
        """The values of the results, given as pairs of shape and type."""
        values = [self.argument(v) for v in arguments]
        types = [self.type(*result) for result in results]
        written, note = (f'"torch.operator"({", ".join(values)})', f' <{{name = "torch.{op}"}}>')
        if not operator:
            written, note = f'"torch.{op}"({", ".join(values)})', ""
        value = f"%{len(self.lines)}"
        count = f":{len(types)}" if len(types) > 1 else ""
        inputs = ", ".join(self.types[v] for v in values)
        self.lines.append(
            f"    {value}{count} = {written}{note} : ({inputs}) -> ({', '.join(types)})"
        )
        made = [value] if len(types) == 1 else [f"{value}#{i}" for i in range(len(types))]
        self.types.update(zip(made, types, strict=True))
        return made

    def give(self, what, value, expected, tolerance=0):
        self.results.append((what, value, np.asarray(expected), tolerance))

    def check(self, stem):
        arguments = [f"%arg{i}" for i in range(len(self.arrays))]
        values = [value for _, value, _, _ in self.results]
        types = [self.types[value] for value in values]
        signature = f"({', '.join(self.types[a] for a in arguments)}) -> ({', '.join(types)})"
        block = ", ".join(f"{a}: {self.types[a]}" for a in arguments)
        lines = [
            '"builtin.module"() ({',
            f'  "func.func"() <{{function_type = {signature}, sym_name = "main"}}> ({{',
            f"  ^bb0({block}):",
            *self.lines,
            f'    "func.return"({", ".join(values)}) : ({", ".join(types)}) -> ()',
            "  }) : () -> ()",
            "}) : () -> ()",
        ]
        source, files = self.work / f"{stem}.mlir", []
        source.write_text("\n".join(lines) + "\n")
        for index, array in enumerate(self.arrays):
            files.append(self.work / f"{stem}.{index}.npy")
            np.save(files[-1], array)
        out = self.work / stem
        command = [self.tools / "quant-float-run", source, "--outputs", out, "--inputs", *files]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{stem}:\n{done.stderr}"
        for index, (what, _, expected, tolerance) in enumerate(self.results):
            got = np.load(out / f"output_{index}.npy")
            got = got.view(expected.dtype).reshape(expected.shape)
            same(f"{stem}: {what}", got, expected, tolerance)


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def same(what, got, expected, tolerance=0):
    """All bits but those of NaNs are equal, or values within a tolerance."""
    global checked
    wrong = bits(got) != bits(expected)
    if expected.dtype.kind not in "iub":
        wide, wanted = got.astype(f64), expected.astype(f64)
        wrong &= ~(np.isnan(wide) & np.isnan(wanted))
        if tolerance:
            with np.errstate(invalid="ignore"):
                wrong &= ~(np.abs(wide - wanted) <= tolerance * np.maximum(np.abs(wanted), 0.1))
    where = np.argwhere(wrong)[:4]
    shown = [(got[tuple(i)], expected[tuple(i)]) for i in where]
    assert not wrong.any(), f"{what}: {wrong.sum()} of {got.size} differ: {shown}"
    checked += got.size
