# RUN: %python %s > %t.mlir
# RUN: quant-float-opt %t.mlir --pass-pipeline="builtin.module(func.func(quant-float-fuse-elementwise))" | FileCheck %s

# Large ops are fused in pairs, in several rounds. One op remains, and the
# operations of its body are in the order of the chain.
# CHECK: linalg.generic
# CHECK: %[[R:.*]] = arith.addf %{{.*}}, %[[C:.*]] : f32
# CHECK-NEXT: arith.mulf %[[R]], %[[C]] : f32
# CHECK-COUNT-998: arith.{{addf|mulf}}
# CHECK-NEXT: linalg.yield
# CHECK-NOT: linalg.generic

LENGTH = 1000

print(
    """#map = affine_map<(d0) -> (d0)>
func.func @chain(%x0: tensor<8xf32>, %c: f32) -> tensor<8xf32> {
  %init = tensor.empty() : tensor<8xf32>"""
)
for index in range(LENGTH):
    op = ["addf", "mulf"][index % 2]
    print(
        f"""  %x{index + 1} = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}}
      ins(%x{index} : tensor<8xf32>) outs(%init : tensor<8xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %r = arith.{op} %in, %c : f32
    linalg.yield %r : f32
  }} -> tensor<8xf32>"""
    )
print(f"  return %x{LENGTH} : tensor<8xf32>\n}}")
