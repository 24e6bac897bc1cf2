// Conversions between float8 qdq and fakeconvert. fakeconvert_qdq.py compares
// the bits.
// RUN: quant-float-opt %s --quant-float-convert-qdq-to-fakeconvert | FileCheck %s --check-prefix=TO
// RUN: quant-float-opt %s --quant-float-convert-qdq-to-fakeconvert --quant-float-convert-fakeconvert-to-qdq | FileCheck %s --check-prefix=BACK

// TO-LABEL: func.func @per_tensor
// TO-SAME: (%[[X:.+]]: tensor<?x8xf32>)
// TO: %[[R:.+]] = arith.constant dense<4.000000e+00> : tensor<f32>
// TO: %[[Y:.+]] = quant_float.fakeconvert %[[X]], %[[R]] to f8E4M3FN opset 13 : tensor<?x8xf32>, tensor<f32> to tensor<?x8xf32>
// TO: return %[[Y]]
// BACK-LABEL: func.func @per_tensor
// BACK-SAME: (%[[X:.+]]: tensor<?x8xf32>)
// BACK: %[[S:.+]] = arith.constant dense<2.500000e-01> : tensor<f32>
// BACK: %[[Y:.+]] = quant_float.qdq %[[X]], %[[S]] storage f8E4M3FN opset 23 : tensor<?x8xf32>, tensor<f32> to tensor<?x8xf32>
// BACK: return %[[Y]]
func.func @per_tensor(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = arith.constant dense<0.25> : tensor<1xf32>
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 21 : tensor<?x8xf32>, tensor<1xf32> to tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// TO-LABEL: func.func @per_axis
// TO: %[[R:.+]] = arith.constant dense<{{\[\[\[\[}}2.000000e+00]], {{\[\[}}-2.500000e-01]], {{\[\[}}8.000000e+00]]]]> : tensor<1x3x1x1xf32>
// TO: quant_float.fakeconvert %{{.+}}, %[[R]] to f8E5M2 opset 13 : tensor<2x?x4x5xf32>, tensor<1x3x1x1xf32> to tensor<2x?x4x5xf32>
// BACK-LABEL: func.func @per_axis
// BACK: %[[R:.+]] = arith.constant dense<{{\[\[\[\[}}2.000000e+00]]
// BACK: %[[S:.+]] = arith.constant dense<[5.000000e-01, -4.000000e+00, 1.250000e-01]> : tensor<3xf32>
// BACK: quant_float.qdq %{{.+}}, %[[S]] axis 1 storage f8E5M2 opset 23 : tensor<2x?x4x5xf32>, tensor<3xf32> to tensor<2x?x4x5xf32>
func.func @per_axis(%x: tensor<2x?x4x5xf32>) -> tensor<2x?x4x5xf32> {
  %s = arith.constant dense<[0.5, -4.0, 0.125]> : tensor<3xf32>
  %0 = quant_float.qdq %x, %s axis -3 storage f8E5M2 opset 21 : tensor<2x?x4x5xf32>, tensor<3xf32> to tensor<2x?x4x5xf32>
  return %0 : tensor<2x?x4x5xf32>
}

// The zero point of a float8 has no effect, whatever it is.
// TO-LABEL: func.func @pair
// TO-NOT: quant_float.quantize
// TO: quant_float.fakeconvert %{{.+}}, %{{.+}} to f8E4M3FN opset 13 : tensor<4xbf16>, tensor<bf16> to tensor<4xbf16>
// BACK-LABEL: func.func @pair
// BACK: quant_float.qdq %{{.+}}, %{{.+}} storage f8E4M3FN opset 23 : tensor<4xbf16>, tensor<bf16> to tensor<4xbf16>
func.func @pair(%x: tensor<4xbf16>, %z: tensor<f8E4M3FN>) -> tensor<4xbf16> {
  %s = arith.constant dense<2.0> : tensor<bf16>
  %0 = quant_float.quantize %x, %s, %z opset 19 saturate true : tensor<4xbf16>, tensor<bf16>, tensor<f8E4M3FN> to tensor<4xf8E4M3FN>
  %1 = quant_float.dequantize %0, %s, %z opset 19 : tensor<4xf8E4M3FN>, tensor<bf16>, tensor<f8E4M3FN> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// The scale may have another type, and the division another precision.
// TO-LABEL: func.func @types
// TO: %[[R0:.+]] = arith.constant dense<5.000000e-01> : tensor<f16>
// TO: quant_float.fakeconvert %{{.+}}, %[[R0]] to f8E5M2 opset 13 : tensor<4xf16>
// TO: %[[R1:.+]] = arith.constant dense<1.70141183E+38> : tensor<f32>
// TO: quant_float.fakeconvert %{{.+}}, %[[R1]] to f8E4M3FN opset 13 : tensor<4xf32>
// TO: %[[R2:.+]] = arith.constant dense<3.276800e+04> : tensor<f16>
// TO: quant_float.fakeconvert %{{.+}}, %[[R2]] to f8E4M3FN opset 13 : tensor<4xf16>
// TO: %[[R3:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// TO: quant_float.fakeconvert %{{.+}}, %[[R3]] to f8E5M2 opset 13 : tensor<4xf32>
// BACK-LABEL: func.func @types
// BACK: quant_float.qdq %{{.+}}, %{{.+}} storage f8E5M2 opset 23 precision f32 : tensor<4xf16>, tensor<f16> to tensor<4xf16>
func.func @types(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>) {
  %s0 = arith.constant dense<2.0> : tensor<f32>
  %0 = quant_float.qdq %x, %s0 storage f8E5M2 opset 23 : tensor<4xf16>, tensor<f32> to tensor<4xf16>
  // 2^-127, whose reciprocal is normal in f32.
  %s1 = arith.constant dense<5.877471754111438e-39> : tensor<f8E8M0FNU>
  %1 = quant_float.qdq %y, %s1 storage f8E4M3FN opset 24 : tensor<4xf32>, tensor<f8E8M0FNU> to tensor<4xf32>
  // A subnormal scale.
  %s2 = arith.constant dense<3.0517578125e-05> : tensor<f16>
  %2 = quant_float.qdq %x, %s2 storage f8E4M3FN opset 21 : tensor<4xf16>, tensor<f16> to tensor<4xf16>
  %s3 = arith.constant dense<2.0> : tensor<f32>
  %3 = quant_float.qdq %y, %s3 storage f8E5M2 opset 23 precision f64 : tensor<4xf32>, tensor<f32> to tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>
}

// TO-LABEL: func.func @other_forms
// TO: %[[R:.+]] = arith.constant 2.000000e+00 : f32
// TO: quant_float.fakeconvert %{{.+}}, %[[R]] to f8E4M3FN opset 13 : f32, f32 to f32
// TO: %[[V:.+]] = arith.constant 2.000000e+00 : f32
// TO: quant_float.fakeconvert %{{.+}}, %[[V]] to f8E4M3FN opset 13 : vector<4x2xf32>, f32 to vector<4x2xf32>
// TO: %[[A:.+]] = arith.constant dense<{{\[\[}}2.000000e+00, 1.000000e+00]]> : vector<1x2xf32>
// TO: quant_float.fakeconvert %{{.+}}, %[[A]] to f8E4M3FN opset 13 : vector<4x2xf32>, vector<1x2xf32> to vector<4x2xf32>
// TO: %[[U:.+]] = arith.constant dense<2.000000e+00> : tensor<f32>
// TO: quant_float.fakeconvert %{{.+}}, %[[U]] to f8E4M3FN opset 13 : tensor<*xf32>, tensor<f32> to tensor<*xf32>
// BACK-LABEL: func.func @other_forms
// BACK: quant_float.qdq %{{.+}}, %{{.+}} storage f8E4M3FN opset 23 : f32, f32 to f32
// BACK: quant_float.qdq %{{.+}}, %{{.+}} storage f8E4M3FN opset 23 : vector<4x2xf32>, f32 to vector<4x2xf32>
// BACK: quant_float.qdq %{{.+}}, %{{.+}} axis 1 storage f8E4M3FN opset 23 : vector<4x2xf32>, vector<2xf32> to vector<4x2xf32>
// BACK: quant_float.qdq %{{.+}}, %{{.+}} storage f8E4M3FN opset 23 : tensor<*xf32>, tensor<f32> to tensor<*xf32>
func.func @other_forms(%x: f32, %v: vector<4x2xf32>, %u: tensor<*xf32>) -> (f32, vector<4x2xf32>, vector<4x2xf32>, tensor<*xf32>) {
  %s0 = arith.constant 0.5 : f32
  %0 = quant_float.qdq %x, %s0 storage f8E4M3FN opset 23 : f32, f32 to f32
  %1 = quant_float.qdq %v, %s0 storage f8E4M3FN opset 23 : vector<4x2xf32>, f32 to vector<4x2xf32>
  %s2 = arith.constant dense<[0.5, 1.0]> : vector<2xf32>
  %2 = quant_float.qdq %v, %s2 axis 1 storage f8E4M3FN opset 23 : vector<4x2xf32>, vector<2xf32> to vector<4x2xf32>
  %s3 = arith.constant dense<0.5> : tensor<f32>
  %3 = quant_float.qdq %u, %s3 storage f8E4M3FN opset 23 : tensor<*xf32>, tensor<f32> to tensor<*xf32>
  return %0, %1, %2, %3 : f32, vector<4x2xf32>, vector<4x2xf32>, tensor<*xf32>
}

// A scale that is large enough for a resource.
// TO-LABEL: func.func @resource
// TO: arith.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
func.func @resource(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = arith.constant dense_resource<scale> : tensor<2xf32>
  %0 = quant_float.qdq %x, %s axis 0 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<2xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Types other than float8: these passes do not match, without a remark.
// TO-LABEL: func.func @integers
// TO: quant_float.qdq
func.func @integers(%x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xf32> {
  %0 = quant_float.qdq %x, %s storage i8 opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      scale: "0x040000000000003F0000803E"
    }
  }
#-}
