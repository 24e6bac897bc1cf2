"""Computations of a few elements, as MLIR."""

import re
from dataclasses import dataclass

WIDE = ("f32", "f16", "bf16", "f64")
NARROW = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN")  # fmt: skip
BELOW_A_BYTE = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "i4", "ui4", "i2", "ui2")
OWN = ("f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "!quant_float.f8UE5M3")


@dataclass(frozen=True)
class Operand:
    """A scalar without a shape."""

    element: str
    shape: tuple = (4,)

    @property
    def count(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def memory(self):
        """The element type in memory: the smallest whole number of bytes."""
        if self.element in BELOW_A_BYTE or self.element.startswith("!"):
            return "i8"
        return {"bf16": "i16"}.get(self.element, self.element.removeprefix("u"))

    def type(self, element=None, shape=None):
        shape = self.shape if shape is None else shape
        element = element or self.element
        return f"vector<{''.join(f'{size}x' for size in shape)}{element}>" if shape else element


@dataclass(frozen=True)
class Computation:
    """`text` is the op, with {0}, {1}, ... for its operands."""

    name: str
    text: str
    operands: tuple
    result: Operand


def identifier(text):
    return re.sub(r"\W+", "_", text)


def cast(source, to, options="", shape=(4,)):
    x, y = Operand(source, shape), Operand(to, shape)
    opset = "" if "opset" in options else " opset 28"
    sizes = "" if shape == (4,) else " of " + "x".join(map(str, shape))
    return Computation(
        identifier(f"{source} to {to}{options}{sizes}"),
        f"quant_float.cast {{0}}{opset}{options} : {x.type()} to {y.type()}",
        (x,),
        y,
    )


def operation(name, options, operands, to, label=""):
    """An op of this project whose result has the shape of its first operand."""
    result = Operand(to, operands[0].shape)
    uses = ", ".join(f"{{{i}}}" for i in range(len(operands)))
    types = ", ".join(operand.type() for operand in operands)
    described = " ".join(
        [name, *(f"{o.element} {'x'.join(map(str, o.shape))}" for o in operands), options, to]
    )
    return Computation(
        identifier(label or described),
        f"quant_float.{name} {uses} {options} : {types} to {result.type()}",
        tuple(operands),
        result,
    )


def _move(result, value, operand, source, to):
    before, after = operand.type(source), operand.type(to)
    if source == to:
        return f"{result} = arith.bitcast {value} : {before} to {after}"
    return f"{result} = quant_float.storage_cast {value} : {before} to {after}"


def _load(index, operand, place):
    memory, flat = operand.memory, (operand.count,)
    name = f"%a{index}"
    if not operand.shape:
        yield f"{name} = memref.load %m{index}[{place}] : memref<?x{memory}>"
    else:
        loaded = f"%l{index}" if len(operand.shape) > 1 else name
        # In the generic form, which all versions of MLIR read.
        yield (
            f'{loaded} = "vector.load"(%m{index}, {place}) <{{alignment = 16 : i64}}> : '
            f"(memref<?x{memory}>, index) -> {operand.type(memory, flat)}"
        )
        if loaded != name:
            yield f"{name} = vector.shape_cast {loaded} : {operand.type(memory, flat)} to {operand.type(memory)}"
    yield _move(f"%x{index}", name, operand, memory, operand.element)


def _store(operand, place):
    memory, flat = operand.memory, (operand.count,)
    yield _move("%b", "%y", operand, operand.element, memory)
    if not operand.shape:
        yield f"memref.store %b, %out[{place}] : memref<?x{memory}>"
        return
    stored = "%b"
    if len(operand.shape) > 1:
        stored = "%s"
        yield f"%s = vector.shape_cast %b : {operand.type(memory)} to {operand.type(memory, flat)}"
    yield (
        f'"vector.store"({stored}, %out, {place}) <{{alignment = 16 : i64}}> : '
        f"({operand.type(memory, flat)}, memref<?x{memory}>, index) -> ()"
    )


def _arguments(computation):
    operands = enumerate(computation.operands)
    memories = [f"%m{i}: memref<?x{operand.memory}>" for i, operand in operands]
    return ", ".join([*memories, f"%out: memref<?x{computation.result.memory}>"])


def _lines(computation, places):
    for index, operand in enumerate(computation.operands):
        yield from _load(index, operand, places[index])
    values = [f"%x{index}" for index in range(len(computation.operands))]
    yield f"%y = {computation.text.format(*values)}"
    yield from _store(computation.result, places[-1])


def kernel(computation):
    """A kernel that computes once."""
    places = ["%c0"] * (len(computation.operands) + 1)
    return "\n".join(
        [
            f"gpu.func @{computation.name}({_arguments(computation)}) kernel {{",
            "%c0 = arith.constant 0 : index",
            *_lines(computation, places),
            "gpu.return",
            "}",
        ]
    )


def loop(computation):
    """A function that computes %n times, with consecutive operands in memory."""
    counts = [operand.count for operand in (*computation.operands, computation.result)]
    steps = [
        line
        for index, count in enumerate(counts)
        for line in (
            f"%s{index} = arith.constant {count} : index",
            f"%p{index} = arith.muli %i, %s{index} : index",
        )
    ]
    return "\n".join(
        [
            f"func.func @{computation.name}({_arguments(computation)}, %n: index) {{",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "scf.for %i = %c0 to %n step %c1 {",
            *steps,
            *_lines(computation, [f"%p{index}" for index in range(len(counts))]),
            "}",
            "return",
            "}",
        ]
    ).replace("<{alignment = 16 : i64}> ", "")
