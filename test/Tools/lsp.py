# An editor's requests to the language server, over standard input and output.
# RUN: %python %s %tools_dir/quant-float-lsp-server
import json
import subprocess
import sys

server = subprocess.Popen(
    [sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
)
URI = "file:///model.mlir"
FUNCTION = """func.func @f(%x: tensor<4xf32>, %scale: tensor<f32>) {{
  {}
  return
}}
"""
# The index of the line of interest.
LINE = 1
sent = 0


def send(method, params, **fields):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **fields}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    server.stdin.flush()


def receive():
    size = 0
    while header := server.stdout.readline().strip():
        name, value = header.split(b": ")
        if name == b"Content-Length":
            size = int(value)
    assert size, f"the server is gone: {server.stderr.read().decode()}"
    return json.loads(server.stdout.read(size))


def ask(method, params):
    global sent
    sent += 1
    send(method, params, id=sent)
    answer = receive()
    assert answer["id"] == sent and "result" in answer, answer
    return answer["result"]


def show(text):
    """Opens a document or replaces its text. Returns the diagnostics."""
    global version
    version += 1
    if version == 1:
        document = {"uri": URI, "languageId": "mlir", "version": version, "text": text}
        send("textDocument/didOpen", {"textDocument": document})
    else:
        document = {"uri": URI, "version": version}
        changes = [{"text": text}]
        send("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
    answer = receive()
    assert answer["method"] == "textDocument/publishDiagnostics", answer
    return answer["params"]["diagnostics"]


def at(line, character):
    return {
        "textDocument": {"uri": URI},
        "position": {"line": line, "character": character},
    }


def complete(op):
    """The completion labels at the | in an incomplete op."""
    show(FUNCTION.format(op.replace("|", "")))
    items = ask("textDocument/completion", at(LINE, 2 + op.index("|")))["items"]
    return {item["label"] for item in items}


version = 0
abilities = ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
abilities = abilities["capabilities"]
assert abilities["hoverProvider"] and abilities["definitionProvider"], abilities
assert "." in abilities["completionProvider"]["triggerCharacters"], abilities
send("initialized", {})

# An error at the op that causes it, with a note that names an alternative.
[problem] = show(
    FUNCTION.format("%0 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<4xf8E4M3FN>")
)
assert problem["range"]["start"] == {"line": LINE, "character": 7}, problem
assert problem["severity"] == 1, problem
words = "result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 13)"
assert words in problem["message"], problem
notes = [note["message"] for note in problem["relatedInformation"]]
assert "Cast accepts this type from opset 19 on" in notes, notes

# After the correction, there is no error, and the op has hover text.
cast = "%0 = quant_float.cast %x opset 19 : tensor<4xf32> to tensor<4xf8E4M3FN>"
assert show(FUNCTION.format(cast)) == []
hover = ask("textDocument/hover", at(LINE, 12))
assert hover["range"]["start"]["character"] == 7, hover
generic = '"quant_float.cast"(%arg0) <{opset = 19 : i64}> : (tensor<4xf32>) -> tensor<4xf8E4M3FN>'
assert generic in hover["contents"]["value"], hover
# The type of a result, the definition and the uses of a value.
assert "tensor<4xf8E4M3FN>" in ask("textDocument/hover", at(LINE, 3))["contents"]["value"]
operand = at(LINE, 2 + cast.index("%x"))
[definition] = ask("textDocument/definition", operand)
start = FUNCTION.index("%x")
assert definition["uri"] == URI, definition
assert definition["range"]["start"] == {"line": 0, "character": start}, definition
references = ask("textDocument/references", {**operand, "context": {"includeDeclaration": True}})
assert len(references) == 2, references

# Ops, their operands and keywords, the keywords' values, types of the dialect.
OFFERED = {
    "%0 = quant_float.|": {"cast", "quantize", "dequantize", "qdq", "fakeconvert", "node"},
    "%0 = quant_float.cast |": {"%x", "%scale"},
    "%0 = quant_float.cast %x |": {"opset", "like"},
    "%0 = quant_float.cast %x opset 24 |": {"saturate", "round_mode"},
    "%0 = quant_float.cast %x opset 24 round_mode |": {"up", "down", "nearest"},
    "%0 = quant_float.cast %x opset 24 : tensor<4xf32> |": {"to"},
    "%0 = quant_float.cast %x opset 24 : |": {"tensor", "vector", "f32", "!quant_float"},
    "%0 = quant_float.cast %x opset 24 : f32 to !quant_float.|": {"string", "unknown", "opaque"},
    "%0 = quant_float.quantize %x, %scale |": {"axis", "block_size", "opset"},
    "%0 = quant_float.qdq %x, %scale axis 0 |": {"block_size", "storage"},
    "%0 = quant_float.fakeconvert %x, %scale to f8E5M2 |": {"mode", "reciprocal", "opset"},
    "%0 = quant_float.fakeconvert %x, %scale to f8E5M2 mode |": {
        "exact",
        "openvino",
        "openvino_reference",
    },
    "%0 = quant_float.fakeconvert %x, %scale to f8E5M2 mode openvino reciprocal |": {
        "single",
        "nearest",
        "openvino",
    },
}
for op, wanted in OFFERED.items():
    offered = complete(op)
    assert wanted <= offered, f"{op}: expected {wanted}, but got {offered}"
# Attributes that the op does not have are not offered.
assert "storage" not in complete("%0 = quant_float.cast %x |")

assert ask("shutdown", None) is None
send("exit", None)
assert server.wait(10) == 0, server.returncode
