// Casts that no version of the op accepts: attributes, shapes, types, structure.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --verify-roundtrip=false

// V6: the attribute has no such value.

func.func @cast_v6_round_mode(%x: tensor<2xf32>) {
  // expected-error @+2 {{custom op 'quant_float.cast' expected one of up, down, nearest, stochastic, but got 'sideways'}}
  // expected-error @+1 {{custom op 'quant_float.cast' failed to parse QuantFloat_RoundModeAttr parameter 'value' which is to be a `::mlir::quant_float::RoundMode`}}
  %0 = quant_float.cast %x opset 24 round_mode sideways : tensor<2xf32> to tensor<2xf8E8M0FNU>
  return
}

// -----

func.func @cast_v6_round_mode_generic(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op attribute 'round_mode' failed to satisfy constraint: rounding mode of a cast: to f8E8M0FNU (round_mode of ONNX Cast-24) or stochastic}}
  %0 = "quant_float.cast"(%x) {opset = 24, round_mode = "up"} : (tensor<2xf32>) -> tensor<2xf8E8M0FNU>
  return
}

// -----

func.func @cast_v6_round_mode_attribute(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected one of up, down, nearest, stochastic, but got 'even'}}
  // expected-error @+1 {{failed to parse QuantFloat_RoundModeAttr parameter 'value' which is to be a `::mlir::quant_float::RoundMode`}}
  %0 = "quant_float.cast"(%x) {opset = 24, round_mode = #quant_float<round_mode even>} : (tensor<2xf32>) -> tensor<2xf8E8M0FNU>
  return
}

// -----

func.func @cast_v6_saturate(%x: tensor<2xf32>) {
  // expected-error @+1 {{integer constant out of range for attribute}}
  %0 = quant_float.cast %x opset 24 saturate 2 : tensor<2xf32> to tensor<2xf8E5M2>
  return
}

// -----

func.func @cast_v6_saturate_generic(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op attribute 'saturate' failed to satisfy constraint: bool attribute}}
  %0 = "quant_float.cast"(%x) {opset = 24, saturate = 1} : (tensor<2xf32>) -> tensor<2xf8E5M2>
  return
}

// -----

func.func @cast_c15_like_generic(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op attribute 'like' failed to satisfy constraint: unit attribute}}
  %0 = "quant_float.cast"(%x) {like = true, opset = 24} : (tensor<2xf32>) -> tensor<2xf8E5M2>
  return
}

// -----

func.func @cast_v6_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected ':'}}
  %0 = quant_float.cast %x opset 24 round_mode up saturate true : tensor<2xf32> to tensor<2xf8E8M0FNU>
  return
}

// -----

// V8: the shapes differ.

func.func @cast_v8_sizes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : tensor<2x3xf32> to tensor<2x4xf16>
  return
}

// -----

func.func @cast_v8_rank(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : tensor<2x3xf32> to tensor<6xf16>
  return
}

// -----

func.func @cast_v8_rank_0(%x: tensor<f32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : tensor<f32> to tensor<1xf16>
  return
}

// -----

func.func @cast_v8_zero_sized(%x: tensor<0xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : tensor<0xf32> to tensor<1xf16>
  return
}

// -----

func.func @cast_v8_vector_sizes(%x: vector<4xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : vector<4xf32> to vector<8xf16>
  return
}

// -----

func.func @cast_v8_scalable(%x: vector<[4]xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : vector<[4]xf32> to vector<4xf16>
  return
}

// -----

func.func @cast_v8_vector_to_tensor(%x: vector<4xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : vector<4xf32> to tensor<4xf16>
  return
}

// -----

func.func @cast_v8_tensor_to_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{'quant_float.cast' op if an operand is non-scalar, then there must be at least one non-scalar result}}
  %0 = quant_float.cast %x opset 13 : tensor<f32> to f16
  return
}

// -----

func.func @cast_v8_scalar_to_vector(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = quant_float.cast %x opset 13 : f32 to vector<f16>
  return
}

// -----

func.func @cast_v8_unranked_to_scalar(%x: tensor<*xf32>) {
  // expected-error @+1 {{'quant_float.cast' op if an operand is non-scalar, then there must be at least one non-scalar result}}
  %0 = quant_float.cast %x opset 13 : tensor<*xf32> to f16
  return
}

// -----

func.func @cast_v8_vector_to_unranked(%x: vector<4xf32>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x opset 13 : vector<4xf32> to tensor<*xf16>
  return
}

// -----

// Upstream's conversion of elementwise ops assumes that the result has the rank of the input.

func.func @cast_v8_forgets_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'quant_float.cast' op result must be ranked if the input is ranked, but got 'tensor<4xf32>' and 'tensor<*xf16>'}}
  %0 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<*xf16>
  return
}

// -----

// T: no element type of ONNX.

func.func @cast_t_input_index(%x: index) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'index'}}
  %0 = quant_float.cast %x opset 13 : index to f32
  return
}

// -----

func.func @cast_t_input_signed(%x: si8) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'si8'}}
  %0 = quant_float.cast %x opset 13 : si8 to f32
  return
}

// -----

func.func @cast_t_input_i7(%x: tensor<2xi7>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xi7>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xi7> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_ui1(%x: tensor<2xui1>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xui1>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xui1> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_i128(%x: tensor<2xi128>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xi128>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xi128> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_f80(%x: tensor<2xf80>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xf80>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf80> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_tf32(%x: vector<2xtf32>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'vector<2xtf32>'}}
  %0 = quant_float.cast %x opset 13 : vector<2xtf32> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_f8e4m3(%x: tensor<2xf8E4M3>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E4M3' is not accepted by Cast-13 (opset 13)}}
  // expected-note @+1 {{no version of Cast accepts this type}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf8E4M3> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_f8e3m4(%x: tensor<2xf8E3M4>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E3M4' is not accepted by Cast-13 (opset 13)}}
  // expected-note @+1 {{no version of Cast accepts this type}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf8E3M4> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xcomplex<f32>>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xcomplex<f32>> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_memref(%x: memref<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'memref<2xf32>'}}
  %0 = quant_float.cast %x opset 13 : memref<2xf32> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_unknown(%x: !quant_float.unknown) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got '!quant_float.unknown'}}
  %0 = quant_float.cast %x opset 13 : !quant_float.unknown to tensor<2xf32>
  return
}

// -----

func.func @cast_t_input_opaque(%x: !quant_float.opaque<"seq(tensor(float))">) {
  // expected-error @+1 {{'quant_float.cast' op operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got '!quant_float.opaque<"seq(tensor(float))">'}}
  %0 = quant_float.cast %x opset 13 : !quant_float.opaque<"seq(tensor(float))"> to tensor<2xf32>
  return
}

// -----

func.func @cast_t_result_f8e4m3b11(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E4M3B11FNUZ' is not accepted by Cast-13 (opset 13)}}
  // expected-note @+1 {{no version of Cast accepts this type}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to tensor<2xf8E4M3B11FNUZ>
  return
}

// -----

func.func @cast_t_result_signed(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xsi32>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to tensor<2xsi32>
  return
}

// -----

func.func @cast_t_result_complex(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'tensor<2xcomplex<f64>>'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to tensor<2xcomplex<f64>>
  return
}

// -----

func.func @cast_t_result_unknown(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got '!quant_float.unknown'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to !quant_float.unknown
  return
}

// -----

func.func @cast_t_result_none(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got 'none'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to none
  return
}

// -----

func.func @cast_t_result_function(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op result #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got '() -> ()'}}
  %0 = quant_float.cast %x opset 13 : tensor<2xf32> to () -> ()
  return
}

// -----

func.func @cast_operands(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op random bits require round_mode stochastic}}
  %0 = "quant_float.cast"(%x, %x) {opset = 13} : (f32, f32) -> f16
  return
}

// -----

func.func @cast_no_operand() {
  // expected-error @+1 {{'quant_float.cast' op expected 1 or more operands, but found 0}}
  %0 = "quant_float.cast"() {opset = 13} : () -> f16
  return
}

// -----

func.func @cast_results(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op requires one result}}
  %0:2 = "quant_float.cast"(%x) {opset = 13} : (f32) -> (f16, f16)
  return
}

// -----

func.func @cast_no_result(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op requires one result}}
  "quant_float.cast"(%x) {opset = 13} : (f32) -> ()
  return
}

// -----

func.func @cast_region(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op requires zero regions}}
  %0 = "quant_float.cast"(%x) ({}) {opset = 13} : (f32) -> f16
  return
}

// -----

func.func @openvino_attribute(%x: tensor<4xf32>) {
  // expected-error @+1 {{with mode openvino must not have the attribute 'saturate'}}
  %0 = quant_float.cast %x mode openvino opset 1 saturate false : tensor<4xf32> to tensor<4xi8>
  return
}

// -----

func.func @openvino_like(%x: tensor<4xf32>) {
  // expected-error @+1 {{with mode openvino must not have the attribute 'like'}}
  %0 = quant_float.cast %x like mode openvino opset 1 : tensor<4xf32> to tensor<4xi8>
  return
}

// -----

func.func @v4_openvino_opset(%x: tensor<4xf32>) {
  // expected-error @+1 {{opset must be between 1 and 15 with mode openvino, but got 16}}
  %0 = quant_float.cast %x mode openvino opset 16 : tensor<4xf32> to tensor<4xi8>
  return
}

// -----

func.func @openvino_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{is not a conversion that OpenVINO supports: from 'f32' to 'f6E2M3FN'}}
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xf32> to tensor<4xf6E2M3FN>
  return
}

// -----

func.func @openvino_pair(%x: tensor<4xf8E8M0FNU>) {
  // expected-error @+1 {{is not a conversion that OpenVINO supports: from 'f8E8M0FNU' to 'i8'}}
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xf8E8M0FNU> to tensor<4xi8>
  return
}

// -----

func.func @openvino_mode(%x: tensor<4xf32>) {
  // expected-error @+2 {{custom op 'quant_float.cast' expected one of openvino, quant_float, p3109, but got 'onnx'}}
  // expected-error @+1 {{custom op 'quant_float.cast' failed to parse QuantFloat_CastModeAttr parameter 'value' which is to be a `::mlir::quant_float::CastMode`}}
  %0 = quant_float.cast %x mode onnx opset 1 : tensor<4xf32> to tensor<4xi8>
  return
}
