// RUN: quant-float-opt %s --quant-float-strip-attributes | FileCheck %s --implicit-check-not=quant_float

// CHECK: module attributes {gpu.container_module}
module attributes {gpu.container_module, quant_float.producer = "a",
                   quant_float.target = #quant_float.target<cpu "x86-64" triple = "x86_64-linux-gnu">} {
  // CHECK: func.func @main(%{{.*}}: tensor<8xi8> {bufferization.writable = false}, %{{.*}}: index) -> tensor<8xi8> attributes {no_inline} {
  func.func @main(%x: tensor<8xi8> {bufferization.writable = false, quant_float.element_type = ui8}, %i: index)
      -> (tensor<8xi8> {quant_float.name = "y"}) attributes {no_inline, quant_float.graph_name = "main"} {
    // CHECK: scf.for
    scf.for %j = %i to %i step %i {
    // CHECK-NEXT: } {kept}
    } {kept, quant_float.tile_loop}
    return %x : tensor<8xi8>
  }
  // CHECK: func.func private @declared(f32)
  func.func private @declared(f32 {quant_float.name = "z"})
}
