// RUN: quant-float-compile %s --explain --triple x86_64-linux-gnu --cpu cascadelake | FileCheck %s
// RUN: quant-float-compile %s --explain --triple x86_64-linux-gnu --cpu sapphirerapids | FileCheck %s --check-prefix=AMX

// The config of each contraction, and the better instructions with what they need.

// CHECK:      explain-contractions.mlir:[[#@LINE+5]]:8: contraction by #quant_float.lowering_config<panels instruction "llvm.x86.avx512.vpdpbusd.512" tiles = {{.+}}>: llvm.x86.tdpbusd needs amx-int8 and amx-tile{{$}}
// CHECK-NEXT: explain-contractions.mlir:[[#@LINE+5]]:8: contraction by #quant_float.lowering_config<vectors tiles = {{\[\[}}6, 64]]>{{$}}
// AMX:        contraction by #quant_float.lowering_config<matrix_tiles instruction "llvm.x86.tdpbusd" tiles = {{[^:]+$}}
func.func @f(%a: tensor<36x280xui8>, %b: tensor<280x64xi8>, %c: tensor<8x36xf32>, %d: tensor<36x64xf32>)
    -> (tensor<36x64xi32>, tensor<8x64xf32>) {
  %0 = quant_float.node "MatMulInteger"(%a, %b) opset 21 : (tensor<36x280xui8>, tensor<280x64xi8>) -> tensor<36x64xi32>
  %1 = quant_float.node "MatMul"(%c, %d) opset 21 : (tensor<8x36xf32>, tensor<36x64xf32>) -> tensor<8x64xf32>
  return %0, %1 : tensor<36x64xi32>, tensor<8x64xf32>
}
