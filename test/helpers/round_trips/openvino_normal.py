"""The normal form of an OpenVINO model: the changes of export, as
include/quant-float/OpenVINO/Export/Export.h lists them."""

import math
import pathlib
from xml.etree import ElementTree

ALIGNMENT = 64
# The bits of an element in the file. For other types, the number in the name.
BITS = {"boolean": 8, "nf4": 4, "bf16": 16, "f8e4m3": 8, "f8e5m2": 8, "f8e8m0": 8, "f4e2m1": 4}
BITS |= {"fp16": 16, "fp32": 32, "fp64": 64, "bool": 8}


def count_bytes(data, given):
    """The bytes of a constant's elements. Files may contain more."""
    kind = data.get("element_type").lower()
    count = math.prod(int(size) for size in data.get("shape").split(",") if size.strip())
    if kind == "string":
        return given if count else 0
    return (count * (BITS.get(kind) or int(kind[1:])) + 7) // 8


def read_layers(net, weights):
    """(layer element, the port elements by id, bytes of its constant) by id, in the file's
    order."""
    layers = {}
    for layer in net.find("layers"):
        ports = {
            port.get("id"): (kind, number)
            for kind in ("input", "output")
            for number, port in enumerate(layer.findall(f"{kind}/port"))
        }
        payload = None
        if layer.get("type") == "Const":
            data = layer.find("data")
            start, size = int(data.get("offset")), int(data.get("size"))
            payload = weights[start : start + count_bytes(data, size)]
        layers[layer.get("id")] = (layer, ports, payload)
    return layers


def sort_layers(layers, sources):
    """Parameters, layers after the layers that they depend on, Results."""
    kinds = {name: layer.get("type").lower() for name, (layer, _, _) in layers.items()}
    needed, pending = set(), [n for n, k in kinds.items() if k in ("result", "assign")]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += sources[name]
    first = [n for n, k in kinds.items() if k == "parameter"]
    last = [n for n, k in kinds.items() if k == "result"]
    between = [n for n in layers if n in needed and kinds[n] not in ("parameter", "result")]
    done = set(first)
    while between:
        ready = next(n for n in between if sources[n] <= done)
        between.remove(ready)
        done.add(ready)
        first.append(ready)
    return first + last


def describe(element, skipped=()):
    """An element as nested tuples, without whitespace."""
    return (
        element.tag,
        tuple((k, v) for k, v in element.attrib.items() if k not in skipped),
        (element.text or "").strip(),
        tuple(describe(child) for child in element),
    )


# The port maps and bodies that are exported, by the layer's type.
PREFIXES = {"If": ("then_", "else_"), "Loop": ("",), "TensorIterator": ("",)}
CUT = {"start": "0", "end": "-1", "stride": "1", "part_size": "1"}


def describe_port_map(layer, prefix, ports, numbers):
    """The port map of a body, with exported layer and port numbers. The order does not matter."""
    entries = []
    for entry in layer.iterfind(f"{prefix}port_map/*"):
        external = entry.get("external_port_id", "-1")
        place = ports[external] if external in ports else None
        cut = {k: entry.get(k, v) for k, v in CUT.items()} if entry.get("axis") else {}
        purpose = entry.get("purpose", "")
        inner = numbers[entry.get("internal_layer_id")]
        entries.append((entry.tag, str(place), inner, entry.get("axis", ""), str(cut), purpose))
    edges = [] if prefix else layer.iterfind("back_edges/edge")
    entries += [("edge", numbers[e.get("from-layer")], numbers[e.get("to-layer")]) for e in edges]
    return tuple(sorted(map(str, entries)))


def describe_layer(layer, ports, payload, weights):
    parts = [("layer", describe(ElementTree.Element("layer", layer.attrib), ("id",)))]
    prefixes = PREFIXES.get(layer.get("type"), ())
    skipped = {f"{p}{name}" for p in prefixes for name in ("body", "port_map")} | {"back_edges"}
    for child in layer:
        if prefixes and child.tag in skipped:
            continue
        if child.tag == "data":
            skipped = ("offset", "size") if payload is not None else ()
            parts.append(describe(child, skipped))
        elif child.tag in ("input", "output"):
            parts.append((child.tag, tuple(describe(port, ("id",)) for port in child)))
        else:
            parts.append(describe(child))
    # Empty elements are not written.
    parts = [part for part in parts if part not in (("input", ()), ("output", ()))]
    for prefix in prefixes:
        body = layer.find(f"{prefix}body")
        if body is not None:
            described, numbers = normalize_net(body, weights)
            parts.append((prefix, describe_port_map(layer, prefix, ports, numbers)))
            parts.append((prefix, tuple(described.items())))
    return tuple(parts), payload


def normalize_net(net, weights):
    """A model or a body, and the numbers of its layers."""
    layers = read_layers(net, weights)
    sources = {name: set() for name in layers}
    edges = [tuple(edge.attrib[k] for k in EDGE) for edge in net.iterfind("edges/edge")]
    for source, _, target, _ in edges:
        sources[target].add(source)
    order = sort_layers(layers, sources)
    numbers = {name: number for number, name in enumerate(order)}
    placed = sorted(
        (numbers[a], layers[a][1][p], numbers[b], layers[b][1][q])
        for a, p, b, q in edges
        if a in numbers and b in numbers
    )
    rest = tuple(describe(child) for child in net if child.tag not in ("layers", "edges"))
    described = {
        "net": tuple(net.attrib.items()),
        "layers": [describe_layer(*layers[name], weights) for name in order],
        "edges": placed,
        "rest": rest,
    }
    return described, numbers


def normalize(path):
    """The contents of the model, in the order and with the numbers of export."""
    path = pathlib.Path(path)
    net = ElementTree.parse(path).getroot()
    net.set("version", "11")
    file = path.with_suffix(".bin")
    return normalize_net(net, file.read_bytes() if file.exists() else b"")[0]


EDGE = ("from-layer", "from-port", "to-layer", "to-port")


def find_numbers(path):
    """The first deviation from the numbering and order of the normal form, or None."""
    net = ElementTree.parse(path).getroot()
    bodies = [body for body in net.iter() if body.tag.endswith("body")]
    return next(filter(None, map(find_numbers_of, [net, *bodies])), None)


def find_numbers_of(net):
    for number, layer in enumerate(net.find("layers")):
        ports = [
            port.get("id")
            for kind in ("input", "output")
            for port in layer.iterfind(f"{kind}/port")
        ]
        if layer.get("id") != str(number) or ports != [str(i) for i in range(len(ports))]:
            return f"layer {number} has the id {layer.get('id')} and ports {ports}"
        if layer.get("type") == "Const" and int(layer.find("data").get("offset")) % ALIGNMENT:
            return f"layer {number} is not aligned"
    edges = [tuple(int(edge.get(k)) for k in EDGE) for edge in net.iterfind("edges/edge")]
    return None if edges == sorted(edges) else "the edges have no order"


def describe_difference(before, after):
    """The first difference of two normal forms, or None if they are equal."""
    for part in ("net", "rest", "edges"):
        if before[part] != after[part]:
            return f"{part}: {str(before[part])[:300]} became {str(after[part])[:300]}"
    if len(before["layers"]) != len(after["layers"]):
        return f"{len(before['layers'])} layers became {len(after['layers'])}"
    for number, (one, other) in enumerate(zip(before["layers"], after["layers"], strict=True)):
        if one[0] != other[0]:
            parts = [(a, b) for a, b in zip(one[0], other[0], strict=False) if a != b]
            shown = parts[0] if parts else (one[0], other[0])
            return f"layer {number}: {str(shown[0])[:300]} became {str(shown[1])[:300]}"
        if one[1] != other[1]:
            return f"layer {number}: other bytes"
    return None
