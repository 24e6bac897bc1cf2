# Pairs of files with one error each, with the exact message and its location. Every diagnostic of
# the importer has a case here or is listed at the end with the reason. A file that the result would
# replace is not changed.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs:%S/../ONNX/Inputs:%S/../helpers %python %s %t quant-float-translate %src_root/lib/OpenVINO/Common/Diagnostics.def quant-float-compile
import os
import pathlib
import subprocess
import sys

from cases import read_diagnostics
from limits import SANITIZED
from pairs import FC, MODEL, WEIGHTS, PairTable, R, S, X, Y, edited, location_of

table = PairTable(*sys.argv[1:4])
LAYERS = {X: 0, S: 1, R: 2, FC: 3, Y: 4}
# A whole layer, given by its beginning.
CONST_DATA = '<data element_type="f32" shape="1, 3" offset="0" size="12"/>'
PARAMETER_DATA = '<data shape="2,3" element_type="f32"/>'
EDGE = '<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>'


def refuse(diagnostic, changes, subject, message, *, place=None, **more):
    """The model with one change or a list of them."""
    changes = [changes] if isinstance(changes[0], str) else changes
    place = place or f'<layer id="{LAYERS[subject]}"'
    text = f"{subject}: {message}" if subject else message
    table.add(diagnostic, edited(*changes), text, place=place, **more)


def without(element):
    return (element, "")


def last_of(data):
    """The location of the end of the text."""
    data = data if isinstance(data, bytes) else data.encode()
    return f"{data.count(10) + 1}:{len(data) - data.rfind(10)}"


# --- The file -------------------------------------------------------------------------------------

for content, place in ((b"", "1:1"), (b" \n\t\n", "1:1"), (b"<!-- nothing -->", "1:1")):
    table.add(
        "NoRoot",
        content,
        "not an OpenVINO model: expected the element 'net', but got nothing",
        place=place,
    )
for content, got, place in (
    ("hello", "text", "1:1"),
    ("<Net/>", "'Net'", "<Net"),
    ('<?xml version="1.0"?>\n<model/>', "'model'", "<model"),
    ("\ufeff<html><body>404</body></html>", "'html'", "1:5"),
    ('{"net": []}', "text", "1:1"),
    ("PK\x03\x04", "text", "1:1"),
):
    table.add(
        "NoRoot",
        content,
        f"not an OpenVINO model: expected the element 'net', but got {got}",
        place=place,
    )
for tail, got in (("<net/>", "'net'"), ("<more a='1'/>", "'more'")):
    table.add(
        "TrailingContent",
        MODEL + tail,
        f"expected nothing after the element 'net', but got {got}",
        place=last_of(MODEL + "<"),
    )
message = "expected nothing after the element 'net', but got text"
table.add("TrailingContent", MODEL + "text", message, place=last_of(MODEL[:-1]))
# With any nesting depth of elements.
deep = "<layers>" * 100_000
table.add(
    "NoRoot",
    deep + deep.replace("<", "</"),
    "not an OpenVINO model: expected the element 'net', but got 'layers'",
    place="1:2",
)
message = "not XML: start-end tags mismatch"
table.add("Malformed", "<net>" + deep, message, place=f"1:{len(deep) + 5}")
whole = f'<net name="m" version="11">{deep}{deep.replace("<", "</")}</net>'
message = "expected the element 'layer', but got 'layers'"
table.add("UnknownElement", whole, message, place="1:37")
for entities in (
    '<!DOCTYPE net SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE net [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + "]>",
):
    changed = MODEL.replace("<net", entities + "\n<net").replace('name="m"', 'name="&j;"')
    table.add(
        "DocumentType", changed, "document types and their entities are not supported", place="2:11"
    )
nul = MODEL.encode().replace(b'name="x"', b'name="x\0y"', 1)
table.add("NulByte", nul, "not XML: contains a null byte", place=location_of(nul, "\0"))
table.add("NulByte", MODEL.encode() + b"\0", "not XML: contains a null byte", place=last_of(MODEL))
table.add("NulByte", MODEL.encode("utf-16-le"), "not XML: contains a null byte", place="1:2")
table.add("NulByte", bytes(100), "not XML: contains a null byte", place="1:1")
for version in ("9", "12", "0", "4294967307"):
    message = f"attribute 'version': expected 10 or 11, but got '{version}'"
    refuse("BadVersion", ('version="11"', f'version="{version}"'), "", message, place="<net")
NUMBER = "expected a number of 64 bits, but got"
for version in ("", "x", "-11", "11.0", " 11", "0x0B", "99999999999999999999"):
    message = f"attribute 'version': {NUMBER} '{version}'"
    refuse("AttributeValue", ('version="11"', f'version="{version}"'), "", message, place="<net")
refuse(
    "NoAttribute",
    ('<net name="m" version="11">', "<net>"),
    "",
    "attribute 'version' is missing",
    place="<net",
)
refuse(
    "NoElement",
    [("<layers>", "<Layers>"), ("</layers>", "</Layers>")],
    "",
    "the element 'layers' is missing",
    place="<net",
)
refuse(
    "DuplicateElement",
    ("<layers>", "<layers/><layers>"),
    "",
    "the element 'layers' is given more than once",
    place="<net",
)
refuse(
    "DuplicateElement",
    ("<edges>", "<edges/><edges>"),
    "",
    "the element 'edges' is given more than once",
    place="<net",
)
refuse(
    "UnknownElement",
    ("<layers>", "<layers><node/>"),
    "",
    "expected the element 'layer', but got 'node'",
    place="<node",
)
refuse(
    "UnknownElement",
    ("<layers>", "<layers>text"),
    "",
    "expected the element 'layer', but got ''",
    place="3:9",
)
refuse(
    "UnknownElement",
    ("<edges>", "<edges><Edge/>"),
    "",
    "expected the element 'edge', but got 'Edge'",
    place="<Edge",
)
refuse(
    "UnknownElement",
    ('<port id="0" precision="FP32"/><port id="1"', '<dim/><port id="1"'),
    FC,
    "expected the element 'port', but got 'dim'",
    place="<dim/>",
)

TAG, ATTRIBUTE, MISMATCH = (
    "error parsing start element tag",
    "error parsing element attribute",
    "start-end tags mismatch",
)
UNKNOWN = "could not determine tag type"
for content, description, place in (
    (MODEL[:40], ATTRIBUTE, "2:19"),
    (MODEL[:700], ATTRIBUTE, "11:30"),
    (MODEL[:-8], MISMATCH, "22:10"),
    (MODEL.replace("</layers>", "", 1), MISMATCH, "23:3"),
    (MODEL.replace("</edges>", "</edge>", 1), MISMATCH, "21:3"),
    ("<net", TAG, "1:4"),
    ("<net>", MISMATCH, "1:5"),
    ("<net><layers></net>", MISMATCH, "1:16"),
    ("</net>", MISMATCH, "1:3"),
    ("<net/></net>", MISMATCH, "1:9"),
    ("<net a=b/>", ATTRIBUTE, "1:8"),
    ("<net a='b/>", ATTRIBUTE, "1:9"),
    ("<net a='1' b/>", ATTRIBUTE, "1:14"),
    ("<?xml", "error parsing document declaration/processing instruction", "1:5"),
    ("<!-- ", "error parsing comment", "1:5"),
    ("<net><![CDATA[</net>", "error parsing cdata section", "1:15"),
    ("<!DOCTYPE net [", "error parsing document type declaration", "1:15"),
    ("<1/>", UNKNOWN, "1:2"),
    ("<" * 1000, UNKNOWN, "1:2"),
    ("<a>" * 100000, MISMATCH, "1:300000"),
    (b"<\xff", TAG, "1:2"),
):
    table.add("Malformed", content, f"not XML: {description}", place=place)

# --- Layers ---------------------------------------------------------------------------------------

BEGIN = '<layer id="2" name="r" type="ReLU" version="opset1">'
for name, subject in (
    ("id", "layer 'r'"),
    ("name", "layer ''"),
    ("type", "layer 'r'"),
    ("version", R),
):
    value = {"id": "2", "name": "r", "type": "ReLU", "version": "opset1"}[name]
    changed = BEGIN.replace(f' {name}="{value}"', "")
    message = f"{subject}: attribute '{name}' is missing"
    refuse("NoAttribute", (BEGIN, changed), "", message, place=changed)
for name, subject in (("type", "layer 'r'"), ("version", R)):
    value = {"type": "ReLU", "version": "opset1"}[name]
    changed = BEGIN.replace(f'{name}="{value}"', f'{name}=""')
    refuse(
        "EmptyAttribute",
        (BEGIN, changed),
        "",
        f"{subject}: attribute '{name}' is empty",
        place=changed,
    )
for id in ("", "two", "-1", "2.0", "+2", " 2", "18446744073709551616"):
    changed = BEGIN.replace('id="2"', f'id="{id}"')
    refuse(
        "AttributeValue",
        (BEGIN, changed),
        "",
        f"layer 'r': attribute 'id': {NUMBER} '{id}'",
        place=changed,
    )
for id in ("4294967296", "18446744073709551615"):
    changed = BEGIN.replace('id="2"', f'id="{id}"')
    message = f"layer 'r': attribute 'id': expected a number of 32 bits, but got '{id}'"
    refuse("AttributeValue", (BEGIN, changed), "", message, place=changed)
changed = BEGIN.replace('id="2"', 'id="1"')
refuse(
    "DuplicateLayer",
    (BEGIN, changed),
    "",
    f"layer 'r' (ReLU, id 1): its id is also the id of {S}",
    place=changed,
)
for element in ("input", "output", "data"):
    message = f"the element '{element}' is given more than once"
    refuse("DuplicateElement", (BEGIN, BEGIN + f"<{element}/><{element}/>"), R, message)
refuse(
    "DuplicateElement",
    (PARAMETER_DATA, PARAMETER_DATA * 2),
    X,
    "the element 'data' is given more than once",
)
refuse(
    "DuplicateElement",
    (CONST_DATA, CONST_DATA * 2),
    S,
    "the element 'data' is given more than once",
)
PORTS = '<input><port id="0" precision="FP32"/><port id="1" precision="FP32"/></input>'
for ports, id, place in (
    ('<port id="0"/><port id="0" />', 0, '<port id="0" />'),
    ('<port id="0"/><port id="2"/>', 2, '<port id="2" precision="FP32" names="y">'),
):
    message = f"the port {id} is given more than once"
    refuse("DuplicatePort", (PORTS, f"<input>{ports}</input>"), FC, message, place=place)
refuse(
    "NoAttribute",
    (PORTS, "<input><port /></input>"),
    FC,
    "attribute 'id' is missing",
    place="<port />",
)
for id in ("", "a", "-1", "1e3"):
    message = f"attribute 'id': {NUMBER} '{id}'"
    refuse(
        "AttributeValue",
        (PORTS, f'<input><port id="{id}"/></input>'),
        FC,
        message,
        place=f'<port id="{id}"/>',
    )
message = "attribute 'id': expected a number of 32 bits, but got '4294967296'"
refuse(
    "AttributeValue",
    (PORTS, '<input><port id="4294967296"/></input>'),
    FC,
    message,
    place='<port id="4294967296"',
)

# --- Parameters and Results -----------------------------------------------------------------------

refuse("NoElement", without(PARAMETER_DATA), X, "the element 'data' is missing")
refuse(
    "NoAttribute",
    (PARAMETER_DATA, '<data element_type="f32"/>'),
    X,
    "attribute 'shape' is missing",
)
refuse(
    "NoAttribute",
    (PARAMETER_DATA, '<data shape="2,3"/>'),
    X,
    "attribute 'element_type' is missing",
)
for type in ("", "float", "f32 ", "f8", "i128", "F8E4M3FN", "fp32x"):
    message = f"attribute 'element_type': unknown element type '{type}'"
    refuse(
        "UnknownElementType",
        (PARAMETER_DATA, f'<data shape="2,3" element_type="{type}"/>'),
        X,
        message,
    )
for type in ("u3", "u6", "nf4"):
    message = f"attribute 'element_type': the element type {type} is not supported"
    refuse(
        "UnsupportedElementType",
        (PARAMETER_DATA, f'<data shape="2,3" element_type="{type}"/>'),
        X,
        message,
    )
SIZES = "attribute 'shape': expected comma-separated sizes, but got"
for shape in (
    "2,-3",
    "-2",
    "2,,3",
    "2 3",
    "2;3",
    "a",
    "2,3.0",
    "...,2",
    "5..2",
    "-1..2",
    "2..x",
    "2,",
    "9223372036854775808",
):
    refuse(
        "BadShape",
        (PARAMETER_DATA, f'<data shape="{shape}" element_type="f32"/>'),
        X,
        f"{SIZES} '{shape}'",
    )
HUGE = "expected at most 2^63 - 1 elements, but got the shape"
for shape in (
    "4294967296, 2147483648",
    "9223372036854775807, 2",
    "0, 9223372036854775807, 9223372036854775807",
):
    refuse(
        "HugeShape",
        (PARAMETER_DATA, f'<data shape="{shape}" element_type="f32"/>'),
        X,
        f"{HUGE} [{shape}]",
    )
RANK = "expected at most 64 dimensions, but got 65"
ones = ",".join(["1"] * 65)
changed = f'<data shape="{ones}" element_type="f32"/>'
refuse("HighRank", (PARAMETER_DATA, changed), X, RANK)
changed = PARAMETER_DATA + '<input><port id="7"/></input>'
refuse("NoEdge", (PARAMETER_DATA, changed), X, "input port 7 has no edge")
fed = EDGE.replace("0", "1", 1).replace('to-layer="2" to-port="0"', 'to-layer="0" to-port="7"')
refuse(
    "InputCount",
    [(PARAMETER_DATA, changed), (EDGE, EDGE + fed)],
    X,
    "expected 0 input(s), but got 1",
)
OUTPUT = '<output><port id="0" precision="FP32" names="x"><dim>2</dim><dim>3</dim></port></output>'
INPUT = '<input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>'
refuse("OutputCount", [(OUTPUT, ""), (EDGE, ""), (INPUT, "")], X, "expected 1 output(s), but got 0")
refuse(
    "OutputCount",
    (OUTPUT, OUTPUT.replace("<output>", '<output><port id="9"/>')),
    X,
    "expected 1 output(s), but got 2",
)
RESULT_INPUT = '<input><port id="0" precision="FP32"/></input></layer>\n</layers>'
LAST_EDGE = '<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>'
refuse(
    "InputCount",
    [(RESULT_INPUT, "</layer>\n</layers>"), (LAST_EDGE, "")],
    Y,
    "expected 1 input(s), but got 0",
)
refuse("NoEdge", without(LAST_EDGE), Y, "input port 0 has no edge")
refuse(
    "OutputCount",
    (RESULT_INPUT, '<output><port id="1"/></output>' + RESULT_INPUT),
    Y,
    "expected 0 output(s), but got 1",
)
refuse("NoResult", ('type="Result"', 'type="Results"'), "", "the model has no Result", place="<net")
table.add(
    "NoResult",
    '<net name="m" version="11"><layers/><edges/></net>',
    "the model has no Result",
    place="<net",
)
table.add("NoResult", '<net version="10"><layers/></net>', "the model has no Result", place="<net")

# --- Edges ----------------------------------------------------------------------------------------

for name in ("from-layer", "from-port", "to-layer", "to-port"):
    value = {"from-layer": 0, "from-port": 0, "to-layer": 2, "to-port": 0}[name]
    changed = EDGE.replace(f' {name}="{value}"', "")
    refuse("NoAttribute", (EDGE, changed), "edge", f"attribute '{name}' is missing", place=changed)
    for number in ("", "x", "-1"):
        changed = EDGE.replace(f'{name}="{value}"', f'{name}="{number}"')
        message = f"attribute '{name}': {NUMBER} '{number}'"
        refuse("AttributeValue", (EDGE, changed), "edge", message, place=changed)
for ends, message in (
    ((99, 0, 2, 0), "there is no layer with the id 99"),
    ((0, 0, 98, 0), "there is no layer with the id 98"),
    ((2**64 - 1, 0, 2, 0), f"there is no layer with the id {2**64 - 1}"),
    ((2**64 - 2, 0, 2, 0), f"there is no layer with the id {2**64 - 2}"),
    ((0, 5, 2, 0), f"{X} has no output port 5"),
    ((0, 0, 2, 1), f"{R} has no input port 1"),
    ((0, 0, 2, 2**64 - 1), f"{R} has no input port {2**64 - 1}"),
    # Ports of the wrong direction.
    ((2, 0, 3, 0), f"{R} has no output port 0"),
    ((0, 0, 3, 2), f"{FC} has no input port 2"),
):
    changed = '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'.format(*ends)
    which = "UnknownLayer" if "there is no" in message else "UnknownPort"
    refuse(which, (EDGE, changed), "edge from {}:{} to {}:{}".format(*ends), message, place=changed)
changed = '<edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>'
for again in (EDGE.replace("/>", " />"), changed):
    source = 1 if again == changed else 0
    message = f"input port 0 of {R} already has an edge"
    refuse(
        "DuplicateEdge", (EDGE, EDGE + again), f"edge from {source}:0 to 2:0", message, place=again
    )
refuse("NoEdge", without(EDGE), R, "input port 0 has no edge")
refuse(
    "NoEdge",
    without('<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>'),
    FC,
    "input port 1 has no edge",
)
changed = EDGE.replace('from-layer="0" from-port="0"', 'from-layer="2" from-port="1"')
refuse("Cycle", (EDGE, changed), "", f"the layers depend on each other: {R} <- {R}", place="<net")
changed = EDGE.replace('from-layer="0" from-port="0"', 'from-layer="3" from-port="2"')
refuse(
    "Cycle",
    (EDGE, changed),
    "",
    f"the layers depend on each other: {R} <- {FC} <- {R}",
    place="<net",
)
# A Result with an output.
going_on = '<layer id="9" name="z" type="Result" version="opset1"><input><port id="0"/></input><output><port id="1"/></output></layer>'
refuse(
    "OutputCount",
    [
        ("</layers>", going_on + "</layers>"),
        (EDGE, EDGE.replace('"2"', '"9"') + EDGE.replace('"0" from-port="0"', '"9" from-port="1"')),
    ],
    "layer 'z' (Result, id 9)",
    "expected 0 output(s), but got 1",
    place=going_on,
)
ring = "".join(
    f'<layer id="{i}" name="n{i}" type="Abs" version="opset1"><input><port id="0"/></input><output><port id="1"/></output></layer>'
    for i in range(10, 30)
)
ring_edges = "".join(
    f'<edge from-layer="{i}" from-port="1" to-layer="{10 + (i - 9) % 20}" to-port="0"/>'
    for i in range(10, 30)
)
chain = " <- ".join(f"layer 'n{10 + i % 20}' (Abs, id {10 + i % 20})" for i in range(20, 12, -1))
from_ring = EDGE.replace('from-layer="0" from-port="0"', 'from-layer="10" from-port="1"')
table.add(
    "Cycle",
    edited(("</layers>", ring + "</layers>"), (EDGE, ring_edges + from_ring)),
    f"the layers depend on each other: {chain} <- ... <- layer 'n10' (Abs, id 10)",
    place="<net",
)

# --- Constants ------------------------------------------------------------------------------------


def constant(type="f32", shape="1, 3", offset="0", size="12"):
    return (
        CONST_DATA,
        f'<data element_type="{type}" shape="{shape}" offset="{offset}" size="{size}"/>',
    )


refuse("NoElement", without(CONST_DATA), S, "the element 'data' is missing")
for name in ("element_type", "shape", "offset", "size"):
    value = {"element_type": "f32", "shape": "1, 3", "offset": "0", "size": "12"}[name]
    changed = CONST_DATA.replace(f' {name}="{value}"', "")
    refuse("NoAttribute", (CONST_DATA, changed), S, f"attribute '{name}' is missing")
for name in ("offset", "size"):
    for number in ("", "-4", "0x10", "1e3", "18446744073709551616"):
        refuse(
            "AttributeValue",
            constant(**{name: number}),
            S,
            f"attribute '{name}': {NUMBER} '{number}'",
        )
for type in ("", "float32", "f8e4m3fn"):
    refuse(
        "UnknownElementType",
        constant(type),
        S,
        f"attribute 'element_type': unknown element type '{type}'",
    )
for type in ("u3", "u6", "dynamic", "undefined"):
    message = f"attribute 'element_type': the element type {type} is not supported"
    refuse("UnsupportedElementType", constant(type), S, message)
for shape in ("1,?", "-1", "...", "1..3", "1,-3", "x"):
    refuse("BadShape", constant(shape=shape), S, f"{SIZES} '{shape}'")
for shape in (
    "4294967296, 4294967296",
    "0, 9223372036854775807, 3",
    "9223372036854775807, 9223372036854775807",
):
    refuse("HugeShape", constant(shape=shape), S, f"{HUGE} [{shape}]")
refuse("HighRank", constant(shape=ones), S, RANK)
for type, shape, size, needed in (
    ("f32", "1, 3", 11, 12),
    ("f32", "1, 3", 0, 12),
    ("f32", "4611686018427387904", 12, 2**64 - 1),
    ("f64", "2", 12, 16),
    ("u4", "5", 2, 3),
    ("i4", "25", 12, 13),
    ("nf4", "1, 3", 1, 2),
    ("f4e2m1", "7", 3, 4),
    ("u1", "17", 2, 3),
    ("u2", "1, 49", 12, 13),
    ("boolean", "13", 12, 13),
    ("bf16", "7", 12, 14),
):
    message = f"expected at least {needed} bytes for {type} of shape [{shape}], but got {size}"
    refuse("ConstantSize", constant(type, shape, size=str(size)), S, message)
# For two strings: their number, the begin of the first one and the end of each one, and the bytes.
for words, size, id, message in (
    (
        (2, 0, 1, 2),
        15,
        "ConstantSize",
        "expected at least 16 bytes for string of shape [2], but got 15",
    ),
    ((3, 0, 1, 2), 18, "ConstantCount", "expected 2 strings, but got 3"),
    ((2, 1, 0, 2), 18, "ConstantOffset", "expected string 0 to end at byte 1 to 2, but got 0"),
    ((2, 0, 1, 3), 18, "ConstantOffset", "expected string 1 to end at byte 1 to 2, but got 3"),
    (
        (2, 2**32 - 1, 0, 0),
        18,
        "ConstantOffset",
        "expected string 0 to end at byte 4294967295 to 2, but got 0",
    ),
):
    stored = b"".join(word.to_bytes(4, "little") for word in words) + b"ab"
    refuse(id, constant("string", "2", size=str(size)), S, message, weights=stored)
for offset, size, file_size in (
    (1, 12, 12),
    (12, 12, 12),
    (2**64 - 1, 12, 12),
    (2**64 - 12, 12, 12),
    (2**63, 12, 12),
    (0, 13, 12),
    (0, 2**64 - 1, 12),
    (0, 12, 11),
    (0, 12, 0),
):
    end = min(offset + size, 2**64 - 1)
    message = f"bytes {offset} to {end} are outside of '{{bin}}', which has {file_size}"
    changed = constant(offset=str(offset), size=str(size))
    refuse("WeightsBounds", changed, S, message, weights=(WEIGHTS + WEIGHTS)[:file_size])
missing = "cannot open '{bin}' with the constants: "
refuse("WeightsOpen", ("ReLU", "ReLU"), S, missing + "No such file or directory", weights=None)
refuse(
    "WeightsOpen",
    ("ReLU", "ReLU"),
    S,
    missing + "No such file or directory",
    weights=lambda path: path.symlink_to("gone"),
)
refuse(
    "WeightsOpen",
    ("ReLU", "ReLU"),
    S,
    missing + "Too many levels of symbolic links",
    weights=lambda path: path.symlink_to(path),
)
for make in (
    os.mkdir,
    os.mkfifo,
    lambda path: path.symlink_to("/dev/zero"),
    lambda path: path.symlink_to("/"),
):
    refuse("WeightsOpen", ("ReLU", "ReLU"), S, missing + "it is not a regular file", weights=make)
refuse(
    "NoWeights",
    ("ReLU", "ReLU"),
    S,
    "a model that is not a file has no .bin file of constants",
    piped=True,
)

# --- Other layers ---------------------------------------------------------------------------------

PORT = '<output><port id="1" precision="FP32"><dim>2</dim>'
for type in ("", "FP64x", "FLOAT"):
    message = f"port 1: attribute 'precision': unknown element type '{type}'"
    refuse("UnknownElementType", (PORT, PORT.replace("FP32", type)), R, message)
for dim in ("", "-2", "x", "2.0", "9223372036854775808"):
    message = f"port 1: dimension 0: expected -1, 0 or more, but got '{dim}'"
    refuse("BadDim", (PORT, PORT.replace("<dim>2", f"<dim>{dim}")), R, message)
message = f"port 1: {HUGE} [9223372036854775807, 3]"
refuse("HugeShape", (PORT, PORT.replace("<dim>2", "<dim>9223372036854775807")), R, message)
changed = PORT.replace("<dim>2", "<dim>1</dim>" * 64 + "<dim>2")
refuse("HighRank", (PORT, changed), R, f"port 1: {RANK.replace('65', '66')}")
for type, name, value, expected in (
    ("Concat", "axis", "x", "an integer"),
    ("Clamp", "min", "low", "a number"),
    ("MatMul", "transpose_a", "yes", "true or false"),
    ("Reshape", "special_zero", "2", "true or false"),
    ("FakeQuantize", "levels", "256.5", "an integer"),
    ("Convolution", "strides", "1,x", "comma-separated integers"),
    ("RNNCell", "activations_alpha", "1,x", "comma-separated numbers"),
):
    changed = BEGIN.replace("ReLU", type) + f'<data {name}="{value}"/>'
    message = (
        f"layer 'r' ({type}, id 2): attribute '{name}': expected {expected}, but got '{value}'"
    )
    refuse("AttributeValue", (BEGIN, changed), "", message, place='<layer id="2"')
changed = BEGIN.replace("ReLU", "Convert") + '<data destination_type="f33"/>'
message = "layer 'r' (Convert, id 2): attribute 'destination_type': unknown element type 'f33'"
refuse("UnknownElementType", (BEGIN, changed), "", message, place='<layer id="2"')

body = "<body><layers/><edges/></body>"
table.add(
    "BodyIgnored",
    edited((BEGIN, BEGIN.replace("ReLU", "ReadValue") + body)),
    "layer 'r' (ReadValue, id 2): the body in the element 'body' is not imported",
    place='<layer id="2"',
)

# Bodies that return a parameter, and the limit of their nesting.
LOOP = "layer 'r' (TensorIterator, id 2)"
PORT = '<port id="{}" precision="FP32"/>'
GIVEN = (
    '<layer id="5" name="p" type="Parameter" version="opset1"><data element_type="f32" shape=""/>'
    f"<output>{PORT.format(0)}</output></layer>"
)
TAKEN = (
    f'<layer id="7" name="q" type="Result" version="opset1"><input>{PORT.format(0)}</input></layer>'
)
EDGE = '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'
IN = '<input external_port_id="0" internal_layer_id="5"/>'
OUT = '<output external_port_id="1" internal_layer_id="7"/>'


def iterate(ports, more="", inside="", edge=None):
    edge = edge or EDGE.format(5, 0, 7, 0)
    body = f"<body><layers>{GIVEN}{inside}{TAKEN}</layers><edges>{edge}</edges></body>"
    return f"<port_map>{ports}</port_map>{more}{body}"


for diagnostic, ports, more, message in (
    ("BodyLayer", IN.replace('"5"', '"6"') + OUT, "", "its body has no Parameter with the id 6"),
    ("BodyLayer", IN + OUT.replace('"7"', '"5"'), "", "its body has no Result with the id 5"),
    ("BodyLayer", IN + OUT, '<back_edges><edge from-layer="5" to-layer="5"/></back_edges>',
     "its body has no Result with the id 5"),
    ("BodyPort", IN.replace('"0"', '"9"') + OUT, "", "there is no input port 9"),
    ("BodyPort", IN.replace('"0"', '"-1"') + OUT, "", "there is no input port -1"),
    ("BodyPort", IN + OUT.replace('"1"', '"0"'), "", "there is no output port 0"),
    ("BodyValue", OUT, "", "its body's Parameter 0 has no value"),
    ("BodyOutput", IN, "", "output port 1 gets no value from its body"),
    ("AttributeValue", IN.replace("/>", ' axis="x"/>') + OUT, "",
     "attribute 'axis': expected an integer of 64 bits, but got 'x'"),
    ("UnknownElement", IN + OUT + "<both/>", "", "expected the element 'input', but got 'both'"),
):  # fmt: skip
    changed = BEGIN.replace("ReLU", "TensorIterator") + iterate(ports, more)
    table.add(diagnostic, edited((BEGIN, changed)), f"{LOOP}: {message}", place='<layer id="2"')
changed = BEGIN.replace("ReLU", "TensorIterator")
message = f"{LOOP}: the element 'body' is missing"
table.add("NoElement", edited((BEGIN, changed)), message, place='<layer id="2"')
nested = iterate(IN + OUT)
for _ in range(64):
    inner = (
        '<layer id="6" name="r" type="TensorIterator" version="opset1">' + nested
        + f"<input>{PORT.format(0)}</input><output>{PORT.format(1)}</output></layer>"
    )  # fmt: skip
    nested = iterate(IN + OUT, inside=inner, edge=EDGE.format(5, 0, 6, 0) + EDGE.format(6, 1, 7, 0))
nested = edited((BEGIN, BEGIN.replace("ReLU", "TensorIterator") + nested))
innermost = nested.rindex("<body")
table.add(
    "DeepBodies",
    nested,
    "bodies are nested more than 64 deep",
    place=f"{nested.count(chr(10), 0, innermost) + 1}:{innermost - nested.rfind(chr(10), 0, innermost) + 1}",
)

# --- Memory ---------------------------------------------------------------------------------------

# Data that does not fit into memory after unpacking or aligning, in a file that is not read.
SIZE = 2**30


def sparse(path):
    with path.open("wb") as file:
        file.truncate(SIZE + 4)


for type, count, needed in (
    ("u1", 8 * SIZE, 8 * SIZE),
    ("nf4", 2 * SIZE, 8 * SIZE),
    ("f32", SIZE // 4, SIZE),
):
    if SANITIZED:
        break
    data = f'<data element_type="{type}" shape="{count}" offset="1" size="{SIZE}"/>'
    table.add(
        "NoMemory",
        edited((CONST_DATA, data)),
        f"{S}: no memory for {needed} bytes",
        place='<layer id="1"',
        weights=sparse,
        memory=2 * SIZE,
    )

# --- The table itself -----------------------------------------------------------------------------

# Errors that a tool which opens the file itself detects before the importer.
ELSEWHERE = {"CannotOpen": "the unit test of importOpenVino"}
ELSEWHERE |= dict.fromkeys(
    read_diagnostics(pathlib.Path(sys.argv[3]), after="// Export."), "export_broken.py"
)
if SANITIZED:
    ELSEWHERE["NoMemory"] = "no limit of memory"

# Types that only occur after others.
unknown = [
    ('type="ReLU" version="opset1"', 'type="Mystery" version="extension"'),
    (
        '<output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port>',
        '<output><port id="1"/>',
    ),
]
message = "the type of input 0 is not known, so the layer is kept unchanged"
refuse("UntypedInput", unknown, FC, message)
# Errors of FakeConvert's rules. test/Tools/check_openvino.py has all of them.
FAKE_CONVERT = '<data destination_type="f8e4m3"/>'
message = "attribute 'destination_type': expected 'f8e4m3' or 'f8e5m2', but got 'f16'"
refuse(None, (FAKE_CONVERT, FAKE_CONVERT.replace("f8e4m3", "f16")), FC, message)
message = "scale must have the input's element type 'f32', but got 'f64'"
port = ('precision="FP32"><dim>1</dim>', 'precision="FP64"><dim>1</dim>')
refuse(None, [constant("f64", "1, 3", size="24"), port], FC, message, weights=bytes(24))

problems = table.run()
# An existing output of a compiler is not changed.
survived = 0
for index in range(0, len(table.cases), 8):
    path = table.folder / f"{index}.xml"
    output = table.folder / f"{index}.o"
    output.write_text("before")
    done = subprocess.run([sys.argv[4], path, "-o", output], capture_output=True)
    if done.returncode != 1 or output.read_text() != "before" or done.stdout:
        problems.append(f"case {index}: compiled: {done.returncode} {done.stderr[-200:]}")
    survived += 1
assert survived > 20, survived

absent = set(table.diagnostics) - table.covered - set(ELSEWHERE)
problems += [f"no case for the diagnostic {name}" for name in sorted(absent)]
refused = len([case for case in table.cases if case[2] == "error"])
assert refused >= 80, refused
print(f"{len(table.cases)} cases")
sys.exit("\n".join(problems) if problems else 0)
