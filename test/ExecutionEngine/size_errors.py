# Q1 at run time: the length of scales and zero points per axis, in blocks and per tensor, and K4 to
# K6. The entry point reports the wrong input, and both sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
(work / "q.mlir").write_text("""
func.func @axis(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?xf32> {quant_float.name = "s"},
                %z: tensor<?xi8> {quant_float.name = "z"}) -> tensor<?x?xi8> {
  %q = quant_float.quantize %x, %s, %z axis 1 opset 21 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi8> to tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}
func.func @decode(%x: tensor<?x?xi8> {quant_float.name = "x"}, %s: tensor<?xf32> {quant_float.name = "s"},
                  %z: tensor<?xi8> {quant_float.name = "z"}) -> tensor<?x?xf32> {
  %q = quant_float.dequantize %x, %s, %z axis -1 opset 21 : tensor<?x?xi8>, tensor<?xf32>, tensor<?xi8> to tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}
func.func @both(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?xf32> {quant_float.name = "s"},
                %z: tensor<?xi8> {quant_float.name = "z"}) -> tensor<?x?xf32> {
  %q = quant_float.qdq %x, %s, %z axis 1 storage i8 opset 21 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi8> to tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}
func.func @float8(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?xf32> {quant_float.name = "s"},
                  %z: tensor<?xf8E4M3FN> {quant_float.name = "z"}) -> tensor<?x?xf8E4M3FN> {
  %q = quant_float.quantize %x, %s, %z axis 1 opset 21 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf8E4M3FN> to tensor<?x?xf8E4M3FN>
  return %q : tensor<?x?xf8E4M3FN>
}
func.func @blocked(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?x?xf32> {quant_float.name = "s"},
                   %z: tensor<?x?xi8> {quant_float.name = "z"}) -> tensor<?x?xi8> {
  %q = quant_float.quantize %x, %s, %z axis 1 block_size 4 opset 21
      : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi8> to tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}
func.func @block(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?x1xf32> {quant_float.name = "s"},
                 %z: tensor<?x1xi8> {quant_float.name = "z"}) -> tensor<?x?xi8> {
  %q = quant_float.quantize %x, %s, %z axis 1 block_size 4 opset 21
      : tensor<?x?xf32>, tensor<?x1xf32>, tensor<?x1xi8> to tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}
func.func @tensor(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?xf32> {quant_float.name = "s"},
                  %z: tensor<?xi8> {quant_float.name = "z"}) -> tensor<?x?xi8> {
  %q = quant_float.quantize %x, %s, %z opset 21 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi8> to tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}
func.func @convert(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<1x?xf32> {quant_float.name = "s"},
                   %z: tensor<?x?xf32> {quant_float.name = "z"}) -> tensor<?x?xf32> {
  %q = quant_float.fakeconvert %x, %s, %z to f8E4M3FN opset 13
      : tensor<?x?xf32>, tensor<1x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}
func.func @known(%x: tensor<?x?xf32> {quant_float.name = "x"}, %s: tensor<?xf32> {quant_float.name = "s"},
                 %z: tensor<6xf32> {quant_float.name = "z"}) -> tensor<?x6xf32> {
  %q = quant_float.fakeconvert %x, %s, %z to f8E5M2 opset 13 : tensor<?x?xf32>, tensor<?xf32>, tensor<6xf32> to tensor<?x6xf32>
  return %q : tensor<?x6xf32>
}
""")


def run(entry, scale, zero, error=None, shape="3x5"):
    shapes = [f"x={shape}", f"s={scale}", f"z={zero}"]
    command = [
        tools_dir / "quant-float-run",
        "q.mlir",
        "--entry",
        entry,
        "--random",
        "1",
        "--shapes",
        *shapes,
    ]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, text=True)
    if error is None:
        assert result.returncode == 0, (entry, shapes, result)
    else:
        assert result.returncode == 1 and f"error: {entry}: {error}" in result.stderr, (
            entry,
            shapes,
            result,
        )


for entry in ("axis", "decode", "both", "float8"):
    run(entry, "5", "5")
    run(entry, "4", "5", "input 1 's': dimension 0: expected size 5, but got 4")
    run(entry, "1", "1", "input 1 's': dimension 0: expected size 5, but got 1")
    run(entry, "5", "6", "input 2 'z': dimension 0: expected size 5, but got 6")
# 5 elements are two blocks of 4, the last one partial.
run("blocked", "3x2", "3x2")
run("blocked", "3x1", "3x1", "input 1 's': dimension 1: expected size 2, but got 1")
run("blocked", "2x2", "3x2", "input 1 's': dimension 0: expected size 3, but got 2")
run("blocked", "3x2", "3x3", "input 2 'z': dimension 1: expected size 2, but got 3")
# A static single block is not enough for two.
run("block", "3x1", "3x1", "linalg.generic: expected size 2, but got 1")
run("block", "3x1", "3x1", shape="3x4")
run("tensor", "1", "1")
run("tensor", "2", "1", "input 1 's': dimension 0: expected size 1, but got 2")
run("tensor", "1", "0", "input 2 'z': dimension 0: expected size 1, but got 0")
# K4, K5: scale and shift have equal sizes, 1 where a static size is 1, and otherwise that of the
# input.
run("convert", "1x5", "1x5")
run("convert", "1x4", "1x5", "input 1 's': dimension 1: expected size 5, but got 4")
run("convert", "1x5", "1x6", "input 2 'z': dimension 1: expected size 5, but got 6")
run("convert", "1x5", "3x5", "input 2 'z': dimension 0: expected size 1, but got 3")
run("known", "6", "6", shape="3x6")
run("known", "6", "6", "input 0 'x': dimension 1: expected size 6, but got 5")
run("known", "1", "6", "input 1 's': dimension 0: expected size 6, but got 1", shape="3x6")
print("OK")
