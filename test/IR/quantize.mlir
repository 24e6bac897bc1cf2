// Every form of quantize, dequantize and qdq, in pretty and generic form, and through bytecode.
// RUN: quant-float-opt %s | FileCheck %s
// RUN: quant-float-opt %s --mlir-print-op-generic | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --emit-bytecode | quant-float-opt | FileCheck %s

// CHECK-LABEL: func.func @granularities
func.func @granularities(%x: tensor<4x?xf32>, %s: tensor<f32>, %o: tensor<1xf32>, %a: tensor<4xf32>,
                         %b: tensor<4x?xf32>, %z: tensor<1xi8>, %az: tensor<4xi8>, %bz: tensor<?x?xi8>) {
  // CHECK-NEXT: quant_float.quantize %{{.+}}, %{{.+}} opset 10 : tensor<4x?xf32>, tensor<f32> to tensor<4x?xui8>
  %0 = quant_float.quantize %x, %s opset 10 : tensor<4x?xf32>, tensor<f32> to tensor<4x?xui8>
  // A scalar and a tensor of one element are equivalent (Q2).
  // CHECK-NEXT: quant_float.quantize %{{.+}}, %{{.+}}, %{{.+}} opset 10 : tensor<4x?xf32>, tensor<f32>, tensor<1xi8> to tensor<4x?xi8>
  %1 = quant_float.quantize %x, %s, %z opset 10 : tensor<4x?xf32>, tensor<f32>, tensor<1xi8> to tensor<4x?xi8>
  // CHECK-NEXT: quant_float.dequantize %{{.+}}, %{{.+}}, %{{.+}} opset 10 : tensor<4x?xi8>, tensor<1xf32>, tensor<1xi8> to tensor<4x?xf32>
  %2 = quant_float.dequantize %1, %o, %z opset 10 : tensor<4x?xi8>, tensor<1xf32>, tensor<1xi8> to tensor<4x?xf32>
  // CHECK-NEXT: quant_float.quantize %{{.+}}, %{{.+}}, %{{.+}} axis 0 opset 13 : tensor<4x?xf32>, tensor<4xf32>, tensor<4xi8> to tensor<4x?xi8>
  %3 = quant_float.quantize %x, %a, %az axis 0 opset 13 : tensor<4x?xf32>, tensor<4xf32>, tensor<4xi8> to tensor<4x?xi8>
  // CHECK-NEXT: quant_float.dequantize %{{.+}}, %{{.+}}, %{{.+}} axis -2 opset 13 : tensor<4x?xi8>, tensor<4xf32>, tensor<4xi8> to tensor<4x?xf32>
  %4 = quant_float.dequantize %3, %a, %az axis -2 opset 13 : tensor<4x?xi8>, tensor<4xf32>, tensor<4xi8> to tensor<4x?xf32>
  // CHECK-NEXT: quant_float.quantize %{{.+}}, %{{.+}}, %{{.+}} axis -1 block_size 32 opset 21 saturate true : tensor<4x?xf32>, tensor<4x?xf32>, tensor<?x?xi8> to tensor<4x?xi8>
  %5 = quant_float.quantize %x, %b, %bz axis -1 block_size 32 opset 21 saturate true : tensor<4x?xf32>, tensor<4x?xf32>, tensor<?x?xi8> to tensor<4x?xi8>
  // CHECK-NEXT: quant_float.qdq %{{.+}}, %{{.+}} axis 1 block_size 16 storage f4E2M1FN opset 23 precision f16 : tensor<4x?xf32>, tensor<4x?xf32> to tensor<4x?xf32>
  %6 = quant_float.qdq %x, %b axis 1 block_size 16 storage f4E2M1FN opset 23 precision f16 : tensor<4x?xf32>, tensor<4x?xf32> to tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @types
func.func @types(%i: tensor<8xi32>, %h: tensor<8xf16>, %is: tensor<i32>, %hs: tensor<f16>, %bs: tensor<bf16>,
                 %es: tensor<f8E8M0FNU>, %q: tensor<8xi32>, %f: tensor<8xf6E3M2FN>) {
  // CHECK: opset 19 : tensor<8xi32>, tensor<i32> to tensor<8xui8>
  %0 = quant_float.quantize %i, %is opset 19 : tensor<8xi32>, tensor<i32> to tensor<8xui8>
  // CHECK: opset 25 : tensor<8xi32>, tensor<bf16> to tensor<8xui2>
  %1 = quant_float.quantize %i, %bs opset 25 : tensor<8xi32>, tensor<bf16> to tensor<8xui2>
  // CHECK: opset 24 saturate false precision bf16 : tensor<8xf16>, tensor<f8E8M0FNU> to tensor<8xf8E5M2FNUZ>
  %2 = quant_float.quantize %h, %es opset 24 saturate false precision bf16 : tensor<8xf16>, tensor<f8E8M0FNU> to tensor<8xf8E5M2FNUZ>
  // CHECK: opset 28 : tensor<8xf6E3M2FN>, tensor<f8E8M0FNU> to tensor<8xbf16>
  %3 = quant_float.dequantize %f, %es opset 28 : tensor<8xf6E3M2FN>, tensor<f8E8M0FNU> to tensor<8xbf16>
  // CHECK: opset 21 : tensor<8xi32>, tensor<f16> to tensor<8xf16>
  %4 = quant_float.dequantize %q, %hs opset 21 : tensor<8xi32>, tensor<f16> to tensor<8xf16>
  // CHECK: opset 1 domain "com.microsoft" : tensor<8xf16>, tensor<f16> to tensor<8xui8>
  %5 = quant_float.quantize %h, %hs opset 1 domain "com.microsoft" : tensor<8xf16>, tensor<f16> to tensor<8xui8>
  // CHECK: opset 21 ignored_attributes ["axis", "block_size", "output_dtype"] : tensor<8xf16>, tensor<f16> to tensor<8xui8>
  %6 = quant_float.quantize %h, %hs opset 21 ignored_attributes ["axis", "block_size", "output_dtype"] : tensor<8xf16>, tensor<f16> to tensor<8xui8>
  return
}

// CHECK-LABEL: func.func @scalars_and_vectors
func.func @scalars_and_vectors(%x: f32, %v: vector<4x8xf32>, %s: f32, %a: vector<8xf32>, %z: ui4) {
  // CHECK-NEXT: quant_float.quantize %{{.+}}, %{{.+}}, %{{.+}} opset 21 : f32, f32, ui4 to ui4
  %0 = quant_float.quantize %x, %s, %z opset 21 : f32, f32, ui4 to ui4
  // CHECK-NEXT: quant_float.quantize %{{.+}}, %{{.+}} axis 1 opset 21 : vector<4x8xf32>, vector<8xf32> to vector<4x8xf8E4M3FN>
  %1 = quant_float.quantize %v, %a axis 1 opset 21 : vector<4x8xf32>, vector<8xf32> to vector<4x8xf8E4M3FN>
  // CHECK-NEXT: quant_float.dequantize %{{.+}}, %{{.+}} opset 21 : vector<4x8xf8E4M3FN>, f32 to vector<4x8xf32>
  %2 = quant_float.dequantize %1, %s opset 21 : vector<4x8xf8E4M3FN>, f32 to vector<4x8xf32>
  return
}

// Q2: a scalar zero point beside a scale that is known to be one element.
// CHECK-LABEL: func.func @one_element
func.func @one_element(%x: tensor<?xf32>, %v: vector<1x8xf32>, %s: tensor<1xf32>, %z: tensor<i8>, %t: tensor<?xf32>,
                       %w: tensor<?xi8>, %a: vector<1xf32>, %b: i8, %c: vector<i8>, %e: vector<[4]xf32>, %f: f32) {
  // CHECK-NEXT: axis 0 opset 13 : tensor<?xf32>, tensor<1xf32>, tensor<i8> to tensor<?xi8>
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : tensor<?xf32>, tensor<1xf32>, tensor<i8> to tensor<?xi8>
  // CHECK-NEXT: axis 0 block_size 64 opset 21 : tensor<?xf32>, tensor<1xf32>, tensor<i8> to tensor<?xi8>
  %1 = quant_float.quantize %x, %s, %z axis 0 block_size 64 opset 21 : tensor<?xf32>, tensor<1xf32>, tensor<i8> to tensor<?xi8>
  // CHECK-NEXT: opset 13 : tensor<?xf32>, tensor<?xf32>, tensor<i8> to tensor<?xi8>
  %2 = quant_float.quantize %x, %t, %z opset 13 : tensor<?xf32>, tensor<?xf32>, tensor<i8> to tensor<?xi8>
  // CHECK-NEXT: opset 13 : tensor<?xf32>, tensor<1xf32>, tensor<?xi8> to tensor<?xi8>
  %3 = quant_float.quantize %x, %s, %w opset 13 : tensor<?xf32>, tensor<1xf32>, tensor<?xi8> to tensor<?xi8>
  // CHECK-NEXT: axis 0 opset 13 : vector<1x8xf32>, vector<1xf32>, i8 to vector<1x8xi8>
  %4 = quant_float.quantize %v, %a, %b axis 0 opset 13 : vector<1x8xf32>, vector<1xf32>, i8 to vector<1x8xi8>
  // CHECK-NEXT: axis 0 opset 13 : vector<1x8xf32>, vector<1xf32>, vector<i8> to vector<1x8xi8>
  %5 = quant_float.quantize %v, %a, %c axis 0 opset 13 : vector<1x8xf32>, vector<1xf32>, vector<i8> to vector<1x8xi8>
  // CHECK-NEXT: opset 13 : vector<[4]xf32>, f32 to vector<[4]xui8>
  %6 = quant_float.quantize %e, %f opset 13 : vector<[4]xf32>, f32 to vector<[4]xui8>
  return
}

// V8: what has no rank is compatible with everything, and sizes of zero are sizes.
// CHECK-LABEL: func.func @shapes
func.func @shapes(%u: tensor<*xf32>, %x: tensor<?x4xf32>, %us: tensor<*xf32>, %s: tensor<?xf32>, %e: tensor<0x4xf32>, %es: tensor<0x4xf32>) {
  // CHECK-COUNT-5: quant_float.quantize
  %0 = quant_float.quantize %u, %us axis 7 block_size 2 opset 21 : tensor<*xf32>, tensor<*xf32> to tensor<*xi8>
  %1 = quant_float.quantize %x, %us opset 21 : tensor<?x4xf32>, tensor<*xf32> to tensor<*xui8>
  %2 = quant_float.quantize %x, %s opset 21 : tensor<?x4xf32>, tensor<?xf32> to tensor<2x?xui8>
  %3 = quant_float.quantize %u, %s axis 3 opset 21 : tensor<*xf32>, tensor<?xf32> to tensor<*xui8>
  %4 = quant_float.quantize %e, %es axis 0 block_size 8 opset 21 : tensor<0x4xf32>, tensor<0x4xf32> to tensor<0x4xui8>
  return
}
