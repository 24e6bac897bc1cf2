# quantize, dequantize, qdq and fakeconvert for GPUs, executed on the CPU with NVIDIA's host
# functions: the bits of the Reference (for fakeconvert, of its rules), except for NaNs and zeros
# that arithmetic creates (D8).
# RUN: %python %s %tools_dir/quant-float-opt %llvm_bin/mlir-translate %clangxx %cuda_include %tools_dir/quant-float-reference-quantize %t %if full %{ full %}
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import fakeconvert.semantics as fakeconvert
import numpy as np
from conformance.formats import FLOAT4_AND_6, FLOAT8, FORMATS
from conformance.inputs import boundaries
from conformance.process import QuantizeProcess
from fakeconvert.semantics import Origin
from nvvm import host
from nvvm.kernels import Computation, Operand, operation
from quantize_matrix import semantics
from quantize_matrix.data import to_encodings, values_of

CHIPS = ("sm_100a", "sm_90", "sm_80")
INTEGERS = ("ui8", "i8", "i16", "i4", "ui2")
# Elements that share a scale: those of a vector, each row of a matrix, one scalar.
SHAPES = {4: ((4,), (), ""), 2: ((2, 2), (2,), " axis 0"), 1: ((), (), "")}
# x, scale, and a precision other than their types.
TYPES = (
    ("f32", "f32", None), ("f16", "f16", None), ("bf16", "bf16", None), ("f32", "f32", "f64"), ("f16", "f8E8M0FNU", None),
    ("f32", "f16", "f32"),
)  # fmt: skip
ROWS, COLUMNS = 120, 160


@dataclass(frozen=True)
class Case:
    op: str
    x: str
    scale: str
    y: str  # for qdq and fakeconvert the intermediate type
    shared: int
    precision: str | None = None
    saturate: bool = True
    has_zero_point: bool = False  # or a shift
    mode: str = ""

    @property
    def division(self):
        """Rule D2."""
        return self.precision or (self.scale if self.scale != "f8E8M0FNU" else "f32")

    def computation(self) -> Computation:
        shape, scale_shape, options = SHAPES[self.shared]
        operands = [Operand(self.x, shape), Operand(self.scale, scale_shape)]
        quantized = self.x if self.op == "dequantize" else self.y
        if self.has_zero_point:
            kind = self.x if self.op == "fakeconvert" else quantized
            operands.append(Operand(kind, scale_shape))
        result = self.x if self.op in ("qdq", "fakeconvert") else self.y
        if self.op == "fakeconvert":
            # OpenVINO's precision with a shift that is not constant.
            rounded = self.mode == "openvino" and self.has_zero_point and self.x == "bf16"
            options = (
                f"to {self.y} mode {self.mode}{' reciprocal nearest' if rounded else ''} opset 13"
            )
            label = f"fakeconvert {self.x} {self.y} {self.mode} {self.has_zero_point} {self.shared}"
            return operation(self.op, options, operands, result, label)
        if self.op == "qdq":
            options += f" storage {self.y}"
        options += " opset 28"
        if not self.saturate:
            options += " saturate false"
        if self.precision:
            options += f" precision {self.precision}"
        return operation(self.op, options, operands, result)


def cases(is_full):
    turn = itertools.cycle(SHAPES)

    def shares():
        return SHAPES if is_full else (next(turn),)

    for (x, scale, precision), y in itertools.product(TYPES, (*FLOAT8, *FLOAT4_AND_6, *INTEGERS)):
        for option in (True, False):
            choice = {"saturate": option} if y in FLOAT8 else {"has_zero_point": option}
            for shared in shares():
                yield Case("quantize", x, scale, y, shared, precision, **choice)
    for y, x in itertools.product(("f32", "f16", "bf16"), (*FLOAT8, *FLOAT4_AND_6, *INTEGERS)):
        for scale, shared in itertools.product((y, "f8E8M0FNU"), shares()):
            yield Case("dequantize", x, scale, y, shared, has_zero_point=x not in FLOAT8)
    for x, y in itertools.product(("f32", "f16"), (*FLOAT8, *FLOAT4_AND_6, "ui8", "i4")):
        for shared in shares():
            yield Case("qdq", x, x, y, shared, has_zero_point=y not in FLOAT8 and x == "f32")
    for x, y, mode in itertools.product(
        ("f32", "f16", "bf16"),
        ("f8E4M3FN", "f8E5M2"),
        ("exact", "openvino", "openvino_reference"),
    ):
        for has_shift in (False, True):
            yield Case("fakeconvert", x, x, y, 4, has_zero_point=has_shift, mode=mode)
            yield Case("fakeconvert", x, x, y, 1, has_zero_point=has_shift, mode=mode)


def make_scales(name, rng):
    """Half of them ordinary values, then random bits, and special values."""
    if name == "f8E8M0FNU":
        return np.concatenate([rng.integers(110, 145, ROWS - 6), [0, 1, 127, 253, 254, 255]]).astype(np.uint8)  # fmt: skip
    form = FORMATS[name]
    usual = rng.uniform(1, 2, ROWS // 2) * np.exp2(rng.integers(-5, 6, ROWS // 2))
    special = to_encodings(
        name, np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -3.0, 6e-8, 2.0**61])
    )
    random = rng.integers(0, 1 << form.width, ROWS, dtype=np.uint64).astype(form.slot)
    encodings = np.concatenate([special, to_encodings(name, usual), random])[:ROWS]
    sign = form.slot.type(1 << (form.width - 1))
    return np.where(rng.random(ROWS) < 0.2, encodings ^ sign, encodings)


def make_zero_points(name, rng):
    form = FORMATS[name]
    if form.kind == "float" and form.width > 8:
        return to_encodings(name, rng.uniform(-300, 300, ROWS) * np.exp2(rng.integers(-8, 1, ROWS)))
    encodings = form.encodings(rng.integers(0, 1 << form.width, ROWS).astype(form.slot))
    # One for each special scale, too.
    encodings[:12] = 0
    return encodings


def make_x(case, scales, rng):
    """For each scale, values next to where the result changes, and random bits."""
    form = FORMATS[case.x]
    encodings = rng.integers(0, 1 << form.width, (ROWS, COLUMNS), dtype=np.uint64).astype(form.slot)
    if case.op == "dequantize":
        return encodings
    near = COLUMNS * 3 // 4
    if case.y in INTEGERS:
        low, high = semantics.integer_range(case.y)
        edges = np.rint(rng.uniform(low - 3, high + 3, (ROWS, near))) + 0.5
    else:
        all_edges = boundaries(FORMATS[case.y], rng)
        edges = rng.choice(np.concatenate([all_edges, -all_edges]), (ROWS, near))
    with np.errstate(all="ignore"):
        factor = values_of(case.scale, scales)[:, None]
        factor = np.where(np.isfinite(factor) & (factor != 0), factor, 1.0)
        wanted = edges / factor if case.op == "fakeconvert" else edges * factor
        chosen = to_encodings(case.x, wanted).astype(np.int64)
    encodings[:, :near] = form.encodings(
        (chosen + rng.integers(-1, 2, chosen.shape)).astype(form.slot)
    )
    specials = to_encodings(case.x, np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1e-20]))
    encodings[:, -specials.size :] = specials
    return encodings


def expect(case, reference, x, scale, zero_point):
    """The result, an alternative result (D8), and whether all NaNs are equivalent."""
    if case.op == "fakeconvert":
        wide = [None if part is None else np.repeat(part[:, None], case.shared, 1) for part in (scale, zero_point)]  # fmt: skip
        result = fakeconvert.evaluate(case.mode, case.x, case.y, x, *wide, Origin(False, False))
        return result, result
    if case.op == "dequantize":
        types = (case.x, case.scale, case.y)
        result = reference.dequantize(types, x, scale, zero_point, axis=0)
        return result, result
    types = (case.x, case.scale, case.y)
    encodings = reference.quantize(
        types, x, scale, zero_point, case.division, case.saturate, axis=0
    )
    other = encodings
    if case.y in FLOAT4_AND_6:
        with np.errstate(all="ignore"):
            quotient = semantics.divide(
                values_of(case.x, x), values_of(case.scale, scale)[:, None], case.division
            )
        negative = np.uint8(1 << (FORMATS[case.y].width - 1))
        other = np.where(np.isnan(quotient), encodings ^ negative, encodings)
    if case.op == "quantize":
        return encodings, other
    back = (case.y, case.scale, case.x)
    return tuple(
        reference.dequantize(back, c, scale, zero_point, axis=0) for c in (encodings, other)
    )


def differences(case, found, expected, other):
    equal = (found == expected) | (found == other)
    result = case.computation().result.element
    if FORMATS[result].kind == "float" and result not in FLOAT4_AND_6:
        # Rule D8.
        nan = np.isnan(FORMATS[result].values(found).reshape(found.shape))
        equal |= nan & np.isnan(FORMATS[result].values(expected).reshape(found.shape))
    return np.argwhere(~equal)


def main(program, translate, compiler, cuda_include, reference_program, folder, full=""):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tools = host.Tools(program, translate, compiler, cuda_include)
    all_cases = list(cases(bool(full)))
    computations = [case.computation() for case in all_cases]
    libraries = {chip: host.build(tools, folder, chip, computations)[0] for chip in CHIPS}
    elements, failures = 0, []
    with QuantizeProcess(reference_program) as reference:
        for number, (case, computation) in enumerate(zip(all_cases, computations, strict=True)):
            rng = np.random.default_rng(number)
            scales = make_scales(case.scale, rng)
            zero_points = None
            if case.has_zero_point:
                zero_points = make_zero_points(computation.operands[2].element, rng)
            # Neighbors have different scales.
            x = make_x(case, scales, rng).reshape(ROWS, -1, case.shared)
            x = np.ascontiguousarray(x.swapaxes(0, 1)).reshape(-1, case.shared)
            parameters = [None if part is None else np.tile(part, COLUMNS // case.shared) for part in (scales, zero_points)]  # fmt: skip
            expected, other = expect(case, reference, x, *parameters)
            for chip, library in libraries.items():
                operands = [x, *(part for part in parameters if part is not None)]
                found = host.run(library, computation, *operands).reshape(x.shape)
                elements += x.size
                different = differences(case, found, expected, other)
                if different.size:
                    i = tuple(different[0])
                    given = [hex(int(x[i])), *(hex(int(p[i[0]])) for p in operands[1:])]
                    failures.append(
                        f"{chip}: {computation.name}: {len(different)} of {x.size} differ, {given}: "
                        f"expected {int(expected[i]):#x}, but got {int(found[i]):#x}"
                    )
    print(
        f"{len(all_cases)} computations for {len(CHIPS)} chips, {elements} elements, {len(failures)} failures"
    )
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
