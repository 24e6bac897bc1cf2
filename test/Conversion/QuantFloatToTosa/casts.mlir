// Since LLVM 24, attributes of tosa ops have names of their own instead of a dictionary.
// RUN: quant-float-opt %s --convert-quant-float-to-tosa -o %t
// RUN: sed -E 's/min_val\((.*)\) max_val\((.*)\) :/{max_val = \2, min_val = \1} :/; s/tosa.const +values\((.*)\) :/"tosa.const"() <{values = \1}> :/; s/ input_unsigned\(false\)//' %t | FileCheck %s

// CHECK-LABEL: @floats
// CHECK: %[[C:.+]] = tosa.clamp %arg0 {max_val = 4.480000e+02 : f32, min_val = -4.480000e+02 : f32} : (tensor<?xf32>) -> tensor<?xf32>
// CHECK: tosa.cast %[[C]] : (tensor<?xf32>) -> tensor<?xf8E4M3FN>
// CHECK: %[[N:.+]] = tosa.cast %arg0 : (tensor<?xf32>) -> tensor<?xf8E5M2>
// CHECK: tosa.cast %[[N]] : (tensor<?xf8E5M2>) -> tensor<?xbf16>
func.func @floats(%x: tensor<?xf32>) -> (tensor<?xf8E4M3FN>, tensor<?xf8E5M2>, tensor<?xbf16>) {
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?xf8E4M3FN>
  %1 = quant_float.cast %x opset 28 saturate false : tensor<?xf32> to tensor<?xf8E5M2>
  %2 = quant_float.cast %1 opset 28 : tensor<?xf8E5M2> to tensor<?xbf16>
  return %0, %1, %2 : tensor<?xf8E4M3FN>, tensor<?xf8E5M2>, tensor<?xbf16>
}

// CHECK-LABEL: @same_width
// CHECK: %[[F:.+]] = tosa.cast %arg0 : (tensor<4xf16>) -> tensor<4xf32>
// CHECK: tosa.cast %[[F]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK: tensor.cast %{{.+}} : tensor<4xbf16> to tensor<?xbf16>
func.func @same_width(%x: tensor<4xf16>) -> tensor<?xbf16> {
  %0 = quant_float.cast %x opset 28 : tensor<4xf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// CHECK-LABEL: @integers
// CHECK: tosa.cast %arg0 : (tensor<4xi8>) -> tensor<4xf32>
// CHECK: tosa.cast %arg0 : (tensor<4xi8>) -> tensor<4xi32>
// CHECK: %[[Z:.+]] = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}>
// CHECK: %[[E:.+]] = tosa.equal %arg1, %[[Z]]
// CHECK: tosa.logical_not %[[E]]
func.func @integers(%x: tensor<4xi8>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>) {
  %0 = quant_float.cast %x opset 28 : tensor<4xi8> to tensor<4xf32>
  %1 = quant_float.cast %x opset 28 : tensor<4xi8> to tensor<4xi32>
  %2 = quant_float.cast %y opset 28 : tensor<4xf32> to tensor<4xi1>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>
}

// CHECK-LABEL: @quantize
// CHECK: %[[R:.+]] = "tosa.const"() <{values = dense<{{\[\[}}4.000000e+00, 5.000000e-01]]> : tensor<1x2xf32>}>
// CHECK: %[[P:.+]] = tosa.mul %arg0, %[[R]], %{{.+}} : (tensor<?x2xf32>, tensor<1x2xf32>, tensor<1xi8>) -> tensor<?x2xf32>
// CHECK: %[[Z:.+]] = "tosa.const"() <{values = dense<{{\[\[}}3, -1]]> : tensor<1x2xi32>}>
// CHECK: %[[N:.+]] = tosa.equal %[[P]], %[[P]]
// CHECK: %[[S:.+]] = tosa.select %[[N]], %[[P]], %{{.+}}
// CHECK: %[[C:.+]] = tosa.clamp %[[S]] {max_val = 0x49800000 : f32, min_val = 0xC9800000 : f32}
// CHECK: %[[I:.+]] = tosa.cast %[[C]] : (tensor<?x2xf32>) -> tensor<?x2xi32>
// CHECK: %[[A:.+]] = tosa.add %[[I]], %[[Z]]
// CHECK: %[[L:.+]] = tosa.clamp %[[A]] {max_val = 127 : i32, min_val = -128 : i32}
// CHECK: tosa.cast %[[L]] : (tensor<?x2xi32>) -> tensor<?x2xi8>
func.func @quantize(%x: tensor<?x2xf32>) -> tensor<?x2xi8> {
  %s = arith.constant dense<[0.25, 2.0]> : tensor<2xf32>
  %z = arith.constant dense<[3, -1]> : tensor<2xi8>
  %0 = quant_float.quantize %x, %s, %z axis 1 opset 28 : tensor<?x2xf32>, tensor<2xf32>, tensor<2xi8> to tensor<?x2xi8>
  return %0 : tensor<?x2xi8>
}

// CHECK-LABEL: @blocks
// CHECK: %[[X:.+]] = tosa.reshape %arg0, %{{.+}} : (tensor<2x8xi8>, !tosa.shape<3>) -> tensor<2x2x4xi8>
// CHECK: %[[I:.+]] = tosa.cast %[[X]] : (tensor<2x2x4xi8>) -> tensor<2x2x4xi32>
// CHECK: %[[Z:.+]] = tosa.cast %arg2 : (tensor<2x2xi8>) -> tensor<2x2xi32>
// CHECK: %[[W:.+]] = tosa.reshape %[[Z]], %{{.+}} : (tensor<2x2xi32>, !tosa.shape<3>) -> tensor<2x2x1xi32>
// CHECK: %[[D:.+]] = tosa.sub %[[I]], %[[W]]
// CHECK: %[[F:.+]] = tosa.cast %[[D]] : (tensor<2x2x4xi32>) -> tensor<2x2x4xf32>
// CHECK: %[[T:.+]] = tosa.cast %arg1 : (tensor<2x2xf16>) -> tensor<2x2xf32>
// CHECK: %[[S:.+]] = tosa.reshape %[[T]], %{{.+}} : (tensor<2x2xf32>, !tosa.shape<3>) -> tensor<2x2x1xf32>
// CHECK: %[[P:.+]] = tosa.mul %[[F]], %[[S]], %{{.+}}
// CHECK: %[[H:.+]] = tosa.cast %[[P]] : (tensor<2x2x4xf32>) -> tensor<2x2x4xf16>
// CHECK: tosa.reshape %[[H]], %{{.+}} : (tensor<2x2x4xf16>, !tosa.shape<2>) -> tensor<2x8xf16>
func.func @blocks(%q: tensor<2x8xi8>, %s: tensor<2x2xf16>, %z: tensor<2x2xi8>) -> tensor<2x8xf16> {
  %0 = quant_float.dequantize %q, %s, %z axis 1 block_size 4 opset 28 : tensor<2x8xi8>, tensor<2x2xf16>, tensor<2x2xi8> to tensor<2x8xf16>
  return %0 : tensor<2x8xf16>
}
