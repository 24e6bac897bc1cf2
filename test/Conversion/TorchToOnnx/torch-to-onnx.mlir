// RUN: quant-float-opt --allow-unregistered-dialect --convert-torch-to-onnx %s | FileCheck %s
// RUN: quant-float-opt --allow-unregistered-dialect --convert-torch-to-onnx=torch-version=2.11 %s | FileCheck %s --check-prefix=OLD
// RUN: not quant-float-opt --convert-torch-to-onnx=torch-version=two %s --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=VERSION

// VERSION: error: expected a version such as '2.12' as the option 'torch-version', but got 'two'

// CHECK-LABEL: func.func @signature(
// CHECK-SAME: %[[X:.*]]: tensor<2x?xi8>, %[[Y:.*]]: tensor<ui8>) -> (tensor<2x?xi8>, tensor<ui8>)
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @signature(%x: !torch.vtensor<[2,?],si8>, %y: !torch.vtensor<[],ui8>) -> (!torch.vtensor<[2,?],si8>, !torch.vtensor<[],ui8>) {
  return %x, %y : !torch.vtensor<[2,?],si8>, !torch.vtensor<[],ui8>
}

// CHECK-LABEL: @literal
// CHECK: %[[A:.*]] = arith.constant dense<[1, -2]> : tensor<2xi8>
// CHECK: %[[B:.*]] = arith.constant dense<[5.000000e-01, -5.000000e-01]> : tensor<2xf32>
// CHECK: return %[[A]], %[[B]]
func.func @literal() -> (!torch.vtensor<[2],si8>, !torch.vtensor<[2],f32>) {
  %0 = "torch.vtensor.literal"() <{value = dense<[1, -2]> : tensor<2xsi8>}> : () -> !torch.vtensor<[2],si8>
  %1 = "torch.vtensor.literal"() <{value = dense_resource<halves> : tensor<2xf32>}> : () -> !torch.vtensor<[2],f32>
  return %0, %1 : !torch.vtensor<[2],si8>, !torch.vtensor<[2],f32>
}

// CHECK-LABEL: @casts(
// CHECK: "Cast"(%{{.*}}) opset 28 attributes {saturate = 1 : i64, to = 17 : i64} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
// CHECK: quant_float.cast %{{.*}} opset 28 saturate false : tensor<4xf32> to tensor<4xf8E5M2>
// OLD-LABEL: @casts(
// OLD: quant_float.cast %{{.*}} opset 28 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
func.func @casts(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f8E4M3FN>, !torch.vtensor<[4],f8E5M2>) {
  %0 = "torch.constant.int"() <{value = 24 : i64}> : () -> !torch.int
  %1 = "torch.prims.convert_element_type"(%x, %0) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f8E4M3FN>
  %2 = "torch.constant.int"() <{value = 23 : i64}> : () -> !torch.int
  %3 = "torch.operator"(%x, %2) <{name = "torch.prims.convert_element_type"}> : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f8E5M2>
  return %1, %3 : !torch.vtensor<[4],f8E4M3FN>, !torch.vtensor<[4],f8E5M2>
}

// Values out of range yield the smallest 32-bit integer.
// CHECK-LABEL: @to_int(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]] = quant_float.node "Less"(%[[X]],
// CHECK: %[[LOW:.*]] = arith.constant dense<-2147483648> : tensor<i32>
// CHECK: %[[I:.*]] = quant_float.cast %[[X]] opset 28 : tensor<4xf32> to tensor<4xi32>
// CHECK: %[[W:.*]] = quant_float.node "Where"(%[[C]], %[[I]], %[[LOW]])
// CHECK: quant_float.cast %[[W]] opset 28 : tensor<4xi32> to tensor<4xi8>
func.func @to_int(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],si8> {
  %0 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %1 = "torch.prims.convert_element_type"(%x, %0) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],si8>
  return %1 : !torch.vtensor<[4],si8>
}

// CHECK-LABEL: @arithmetic(
// CHECK: %[[D:.*]] = arith.constant dense<1.000000e-01> : tensor<f32>
// CHECK: %[[Q:.*]] = quant_float.node "Div"(%{{.*}}, %[[D]]) {{.*}} -> tensor<4xf32>
// CHECK: quant_float.cast %[[Q]] opset 28 : tensor<4xf32> to tensor<4xbf16>
// CHECK: %[[S:.*]] = arith.constant dense<0.100097656> : tensor<f32>
// CHECK: %[[A:.*]] = quant_float.node "Add"(%{{.*}}, %[[S]]) {{.*}} -> tensor<4xf32>
// CHECK: quant_float.cast %[[A]] opset 28 : tensor<4xf32> to tensor<4xbf16>
// bf16: a scalar divisor is not rounded, a scalar addend is.
func.func @arithmetic(%x: !torch.vtensor<[4],bf16>) -> !torch.vtensor<[4],bf16> {
  %0 = "torch.constant.float"() <{value = 1.000000e-01 : f64}> : () -> !torch.float
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %2 = "torch.aten.div.Scalar"(%x, %0) : (!torch.vtensor<[4],bf16>, !torch.float) -> !torch.vtensor<[4],bf16>
  %3 = "torch.aten.add.Scalar"(%2, %0, %1) : (!torch.vtensor<[4],bf16>, !torch.float, !torch.int) -> !torch.vtensor<[4],bf16>
  return %3 : !torch.vtensor<[4],bf16>
}

// CHECK-LABEL: @quantize(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[R:.*]] = arith.constant dense<1.000000e+01> : tensor<f32>
// CHECK: %[[M:.*]] = quant_float.node "Mul"(%[[X]], %[[R]])
// CHECK: %[[Z:.*]] = arith.constant dense<3> : tensor<i8>
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[Q:.*]] = quant_float.node "QuantizeLinear"(%[[M]], %[[ONE]], %[[Z]])
// CHECK: %[[L:.*]] = quant_float.node "Max"(%[[Q]],
// CHECK: %[[N:.*]] = quant_float.node "IsNaN"(%[[M]])
// CHECK: %[[W:.*]] = quant_float.node "Where"(%[[N]], %{{.*}}, %[[L]])
// CHECK: quant_float.node "DequantizeLinear"(%[[W]],
func.func @quantize(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %s = "torch.constant.float"() <{value = 1.000000e-01 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -8 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %type = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %none = "torch.constant.none"() : () -> !torch.none
  %q = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %low, %high, %type) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  %d = "torch.quantized_decomposed.dequantize_per_tensor"(%q, %s, %z, %low, %high, %type, %none) : (!torch.vtensor<[4],si8>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int, !torch.none) -> !torch.vtensor<[4],f32>
  return %d : !torch.vtensor<[4],f32>
}

// CHECK-LABEL: @groups(
// CHECK: "DequantizeLinear"(%{{.*}}, %{{.*}}) opset 28 attributes {axis = 1 : i64, block_size = 32 : i64}
func.func @groups(%q: !torch.vtensor<[8,64],si8>, %s: !torch.vtensor<[8,2],f32>) -> !torch.vtensor<[8,64],f32> {
  %low = "torch.constant.int"() <{value = -8 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %type = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %size = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %out = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %none = "torch.constant.none"() : () -> !torch.none
  %d = "torch.quantized_decomposed.dequantize_per_channel_group"(%q, %s, %none, %low, %high, %type, %size, %out) : (!torch.vtensor<[8,64],si8>, !torch.vtensor<[8,2],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[8,64],f32>
  return %d : !torch.vtensor<[8,64],f32>
}

// CHECK-LABEL: @int_mm(
// CHECK: "MatMulInteger"(%{{.*}}, %{{.*}}) opset 28 : (tensor<2x4xui8>, tensor<4x3xi8>) -> tensor<2x3xi32>
func.func @int_mm(%x: !torch.vtensor<[2,4],ui8>, %y: !torch.vtensor<[4,3],si8>) -> !torch.vtensor<[2,3],si32> {
  %0 = "torch.aten._int_mm"(%x, %y) : (!torch.vtensor<[2,4],ui8>, !torch.vtensor<[4,3],si8>) -> !torch.vtensor<[2,3],si32>
  return %0 : !torch.vtensor<[2,3],si32>
}

// CHECK-LABEL: @sizes(
// CHECK: %[[SHAPE:.*]] = quant_float.node "Shape"
// CHECK: %[[SIZE:.*]] = quant_float.node "Gather"(%[[SHAPE]],
// CHECK: %[[SIZES:.*]] = quant_float.node "Concat"(%[[SIZE]],
// CHECK: quant_float.node "Reshape"(%{{.*}}, %[[SIZES]])
func.func @sizes(%x: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,2,4],f32> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.aten.size.int"(%x, %0) : (!torch.vtensor<[?,8],f32>, !torch.int) -> !torch.int
  %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %4 = "torch.prim.ListConstruct"(%1, %2, %3) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %5 = "torch.aten.view"(%x, %4) : (!torch.vtensor<[?,8],f32>, !torch.list<int>) -> !torch.vtensor<[?,2,4],f32>
  return %5 : !torch.vtensor<[?,2,4],f32>
}

// The updates are broadcast to the shape of the elements at the indices.
// CHECK-LABEL: @index_put(
// CHECK-SAME: %[[X:.*]]: tensor<5x3xf32>, %[[I:.*]]: tensor<2xi64>, %[[U:.*]]: tensor<3xf32>
// CHECK: %[[SHAPE:.*]] = arith.constant dense<[2, 3]> : tensor<2xi64>
// CHECK: %[[E:.*]] = quant_float.node "Expand"(%[[U]], %[[SHAPE]]) {{.*}} -> tensor<2x3xf32>
// CHECK: %[[V:.*]] = quant_float.node "Unsqueeze"(%[[I]], %{{.*}}) {{.*}} -> tensor<2x1xi64>
// CHECK: quant_float.node "ScatterND"(%[[X]], %[[V]], %[[E]]) opset 28 attributes {reduction = "none"}
func.func @index_put(%x: !torch.vtensor<[5,3],f32>, %i: !torch.vtensor<[2],si64>, %u: !torch.vtensor<[3],f32>) -> !torch.vtensor<[5,3],f32> {
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %0 = "torch.prim.ListConstruct"(%i) : (!torch.vtensor<[2],si64>) -> !torch.list<vtensor>
  %1 = "torch.aten.index_put"(%x, %0, %u, %false) : (!torch.vtensor<[5,3],f32>, !torch.list<vtensor>, !torch.vtensor<[3],f32>, !torch.bool) -> !torch.vtensor<[5,3],f32>
  return %1 : !torch.vtensor<[5,3],f32>
}

// CHECK-LABEL: @checked(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @checked(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %none = "torch.constant.none"() : () -> !torch.none
  %0 = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  "torch.aten._assert_tensor_metadata"(%x, %none, %none, %0) : (!torch.vtensor<[4],f32>, !torch.none, !torch.none, !torch.int) -> ()
  %1 = "torch.aten.detach"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %1 : !torch.vtensor<[4],f32>
}

// CHECK-LABEL: @onnx(
// CHECK: %[[Y:.*]] = quant_float.node "Conv"(%{{.*}}, %{{.*}}) opset 17 attributes {pads = array<i64: 1, 1>} absent [2] {{.*}} -> !quant_float.unknown
// CHECK: %[[C:.*]] = arith.constant dense<1.500000e+00> : tensor<f32>
// CHECK: quant_float.node "Mul"(%[[Y]], %[[C]]) opset 17
func.func @onnx(%x: !torch.vtensor<[1,1,4],f32>, %w: !torch.vtensor<[1,1,3],f32>) -> !torch.vtensor<[1,1,4],f32> attributes {torch.onnx_meta.opset_version = 17 : si64} {
  %none = "torch.constant.none"() : () -> !torch.none
  %0 = "torch.operator"(%x, %w, %none) <{name = "onnx.Conv"}> {torch.onnx.pads = [1 : si64, 1 : si64]} : (!torch.vtensor<[1,1,4],f32>, !torch.vtensor<[1,1,3],f32>, !torch.none) -> !torch.vtensor
  %1 = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value_float = 1.500000e+00 : f32} : () -> !torch.vtensor<[],f32>
  %2 = "torch.operator"(%0, %1) <{name = "onnx.Mul"}> : (!torch.vtensor, !torch.vtensor<[],f32>) -> !torch.vtensor<[1,1,4],f32>
  return %2 : !torch.vtensor<[1,1,4],f32>
}

// CHECK-LABEL: @microsoft(
// CHECK: "QuickGelu"(%{{.*}}) opset 1 domain "com.microsoft" attributes {alpha = 1.000000e+00 : f32}
func.func @microsoft(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {torch.onnx_meta.opset_version = 21 : si64, torch.onnx_meta.opset_versions = {com.microsoft = 1 : si64}} {
  %0 = "torch.operator"(%x) <{name = "onnx.QuickGelu"}> {torch.onnx.alpha = 1.000000e+00 : f32} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

{-#
  dialect_resources: {
    builtin: {
      halves: "0x040000000000003F000000BF"
    }
  }
#-}
