# The package's description of itself: element types against numpy, ml_dtypes and onnx; opset
# queries against onnx's schemas; stubs and docstrings against the module.
# RUN: %python %s %src_root
import ast
import inspect
import os
import pathlib
import re
import sys
import tomllib
import typing

import expect
import ml_dtypes
import numpy as np
import onnx
import quant_float as qf
from quant_float import _native, opsets

root = pathlib.Path(sys.argv[1])
package = root / "python_bindings" / "quant_float"


def check_types():
    names = {v: k for k, v in onnx.TensorProto.DataType.items()}
    expect.true("every type that ONNX has", set(names) - set(qf.DTYPES) == {0, 8, 14, 15})
    own = {number: entry for number, entry in qf.DTYPES.items() if not entry.is_onnx}
    expect.true("those that it lacks", set(own) == set(range(64, 68)))
    for number, entry in own.items():
        spellings = [entry, entry.name, entry.mlir, entry.name.upper(), entry.numpy, number]
        for spelling in spellings:
            expect.true(f"{entry}: {spelling!r}", qf.dtype(spelling) is entry)
        expect.true(f"{entry} is a float", entry.is_float and entry.itemsize == 1)
    # OpenVINO's name in lower case is older.
    expect.true("f8e4m3", qf.dtype("f8e4m3").name == "float8e4m3fn")
    for number, entry in qf.DTYPES.items():
        if number in own:
            continue
        kind = "double" if entry.name == "double" else entry.name
        expect.true(f"{entry}: {names[number]}", names[number].lower() == kind)
        array_type = onnx.helper.tensor_dtype_to_np_dtype(number)
        expect.true(f"{entry}: {array_type}", array_type == entry.numpy)
        spellings = [entry, entry.name, entry.mlir, entry.mlir.lower(), entry.numpy, number]
        spellings += [entry.numpy.type, entry.numpy.name, np.int32(number)]
        for spelling in spellings:
            expect.true(f"{entry}: {spelling!r}", qf.dtype(spelling) is entry)
    for spelling, name in [(float, "double"), (int, "int64"), (bool, "bool"), ("half", "float16")]:
        expect.true(f"{spelling}", qf.dtype(spelling).name == name)

    class Torch:
        def __str__(self):
            return "torch.float8_e4m3fn"

    expect.true("torch's", qf.dtype(Torch()).numpy == ml_dtypes.float8_e4m3fn)
    expect.true("str", str(qf.dtype("f16")) == "float16")


def check_names():
    """The annotations allow exactly the existing names."""
    from quant_float import _types
    from quant_float import typing as names

    spelled = [
        s for t in qf.DTYPES.values() for s in (t.name, t.mlir, t.mlir.lower(), t.numpy.name)
    ]
    allowed = typing.get_args(names.DTypeName)
    expect.true("names are unique", len(set(allowed)) == len(allowed))
    missing = set(spelled) - set(allowed)
    expect.true(f"names of types that are missing: {missing}", not missing)
    binaries = set(typing.get_args(names.BinaryName))
    expect.true("formats of IEEE P3109", binaries == _types.BINARIES.keys())
    unlike = {name.lower() for name in allowed} ^ _types._BY_NAME.keys()
    expect.true(f"names of types: {unlike}", not unlike)
    expect.true("ops", typing.get_args(names.OpName) == tuple(_native.get_op_names()))


def check_opsets():
    expect.true("the newest", opsets.NEWEST == 28)
    attributes = ("saturate", "round_mode", "axis", "block_size", "output_dtype", "precision")
    for op in ("Cast", "CastLike", "QuantizeLinear", "DequantizeLinear"):
        first = opsets.versions(op)[0]
        for opset in range(first, opsets.NEWEST + 1):
            schema = onnx.defs.get_schema(op, opset)
            expect.true(f"{op} {opset}", opsets.resolve_version(op, opset) == schema.since_version)
            types = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
            roles = {"input": schema.inputs[0], "result": schema.outputs[0]}
            if "Quantize" in op or "Dequantize" in op:
                roles["scale"] = schema.inputs[1]
            for role, value in roles.items():
                wanted = types.get(value.type_str, {value.type_str})
                wanted = {re.sub(r"tensor\((\w+)\)", r"\1", t) for t in wanted} - {"string"}
                got = {t.name for t in opsets.accepted_types(op, opset, role)}
                expect.true(f"{op} {opset} {role}: {got ^ wanted}", got == wanted)
            for attribute in attributes:
                has = opsets.accepts_attribute(op, opset, attribute)
                expect.true(f"{op} {opset} {attribute}", has == (attribute in schema.attributes))
        expect.true(op, opsets.resolve_version(op, first - 1) is None)
    expect.true("first", opsets.first_opset_of_type("Cast", "result", "f8E4M3FN") == 19)
    expect.true("none", opsets.first_opset_of_type("QuantizeLinear", "result", "f64") is None)
    expect.true("strings", opsets.accepts_type("Cast", 9, "input", "string"))
    expect.true("first", opsets.first_opset_of_attribute("Cast", "round_mode") == 24)
    expect.true("none", opsets.first_opset_of_attribute("Cast", "axis") is None)
    expect.true("Q6", opsets.scale_has_input_type("QuantizeLinear", 19))
    expect.true("Q6", not opsets.scale_has_input_type("QuantizeLinear", 23))
    expect.true("Microsoft's", opsets.versions("com.microsoft.QuantizeLinear") == (1,))


def read_stub():
    """Names, with the parameters of functions: {"Model.load": ("path", ...)}."""
    found = {}

    def visit(body, prefix):
        for node in body:
            if isinstance(node, ast.FunctionDef):
                names = tuple(a.arg for a in node.args.args if a.arg != "self")
                found[prefix + node.name] = names
            elif isinstance(node, ast.AnnAssign):
                found[prefix + node.target.id] = None
            elif isinstance(node, ast.ClassDef):
                found[prefix + node.name] = None
                visit(node.body, prefix + node.name + ".")

    visit(ast.parse((package / "_native.pyi").read_text()).body, "")
    return found


def check_stub():
    stub = read_stub()
    there = {}
    for name, value in vars(_native).items():
        if name.startswith("__"):
            continue
        there[name] = value
        if inspect.isclass(value):
            there |= {f"{name}.{k}": getattr(value, k) for k in vars(value) if k[:2] != "__"}
    # Private names are for annotations only.
    stub = {k: v for k, v in stub.items() if k[0] != "_" and not k.endswith(".__init__")}
    expect.true(f"stub: {sorted(there.keys() ^ stub.keys())}", there.keys() == stub.keys())
    for name, value in there.items():
        signature = getattr(value, "__nb_signature__", None)
        if signature and stub.get(name) is not None:
            text = re.sub(r"\[[^\]]*\]", "", signature[0][0])
            parameters = re.search(r"\((.*)\)", text)[1]
            names = tuple(re.findall(r"(?:^|, )(\w+)(?=:|,|$)", parameters.replace("/", "")))
            names = tuple(n for n in names if n != "self")
            expect.true(f"{name}{names}: {stub[name]}", names == stub[name] or "arg" in names)
    expect.true("py.typed", (package / "py.typed").exists())


def check_documentation():
    for name in qf.__all__:
        value = getattr(qf, name)
        if not callable(value) or name == "DTypeLike":
            continue
        expect.true(f"{name} has a docstring", bool(inspect.getdoc(value)))
        for member, function in vars(value).items() if inspect.isclass(value) else ():
            if inspect.isfunction(function) and member[0] != "_":
                expect.true(f"{name}.{member} has a docstring", bool(function.__doc__))
    for name in ("cast", "quantize", "dequantize", "qdq", "fakeconvert"):
        function = getattr(qf, name)
        for word in ("Args:", "Returns:", "Raises:", "Source: "):
            expect.true(f"{name} says {word}", word in function.__doc__)
        for parameter in inspect.signature(function).parameters:
            expect.true(
                f"{name} says {parameter}", re.search(rf"\b{parameter}\b", function.__doc__)
            )
    versions = {"cast": "Cast", "quantize": "QuantizeLinear", "dequantize": "DequantizeLinear"}
    for name, op in versions.items():
        told = [int(n) for n in re.findall(r"\d+", getattr(qf, name).__doc__.split("Source: ")[1])]
        expect.true(f"{name}: {told}", tuple(told) == opsets.versions(op))


def check_version():
    project = tomllib.loads((package.parent / "pyproject.toml").read_text())["project"]
    (number,) = re.findall(
        r"project\(QuantFloat VERSION (\S+)", (root / "CMakeLists.txt").read_text()
    )
    expect.true(f"{number}", project["version"] == number == qf.__version__ == qf.get_version())
    expect.true("LLVM's", qf.get_llvm_version().startswith(f"{os.environ['QF_LLVM']}."))
    build = tomllib.loads((package.parent / "pyproject.toml").read_text())["build-system"][
        "requires"
    ]
    pinned = (root / "scripts" / "requirements.txt").read_text().splitlines()
    expect.true(f"{build} are pinned", set(build) <= set(pinned))


check_types()
check_names()
check_opsets()
check_stub()
check_documentation()
check_version()
expect.finish()
