// RUN: quant-float-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a format of 3 to 8 bits, but got binary9p4se}}
func.func private @too_wide(!quant_float.binary9p4se)

// -----

// expected-error @+1 {{expected a format of 3 to 8 bits, but got binary2p1se}}
func.func private @too_narrow(!quant_float.binary2p1se)

// -----

// expected-error @+1 {{expected a precision between 1 and 7, but got binary8p8se}}
func.func private @no_exponent(!quant_float.binary8p8se)

// -----

// expected-error @+1 {{expected a precision between 1 and 4, but got binary4p5uf}}
func.func private @too_precise(!quant_float.binary4p5uf)

// -----

// expected-error @+1 {{expected a format of IEEE P3109, such as binary8p4se, but got 'binary8p0se'}}
func.func private @no_precision(!quant_float.binary8p0se)

// -----

// expected-error @+1 {{expected a format of IEEE P3109, such as binary8p4se, but got 'binary8p4'}}
func.func private @no_domain(!quant_float.binary8p4)

// -----

// expected-error @+1 {{expected a format of IEEE P3109, such as binary8p4se, but got 'binary8p99999999999se'}}
func.func private @overflow(!quant_float.binary8p99999999999se)

// -----

// expected-error @+1 {{expected a type of quant_float, such as f8UE5M3, but got 'bin'}}
func.func private @unknown(!quant_float.bin)

// -----

func.func @draft(%x: f32) {
  // expected-error @+2 {{expected one of D1, but got 'v4'}}
  // expected-error @+1 {{failed to parse}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <v4, NearestTiesToEven, SatNone> : f32 to f16
  return
}

// -----

func.func @rounding(%x: f32) {
  // expected-error @+2 {{expected one of NearestTiesToEven, NearestTiesToAway, TowardPositive, TowardNegative, TowardZero, ToOdd, StochasticA, StochasticB, StochasticC, but got 'Nearest'}}
  // expected-error @+1 {{failed to parse}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, Nearest, SatNone> : f32 to f16
  return
}

// -----

func.func @saturation(%x: f32) {
  // expected-error @+2 {{expected one of SatFinite, SatPropagate, SatNone, but got 'OvfInf'}}
  // expected-error @+1 {{failed to parse}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, OvfInf> : f32 to f16
  return
}

// -----

func.func @no_projection(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op with mode p3109 requires a projection, such as <D1, NearestTiesToEven, SatNone>}}
  %0 = quant_float.cast %x mode p3109 opset 1 : f32 to f16
  return
}

// -----

func.func @no_mode(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op projection requires mode p3109}}
  %0 = quant_float.cast %x opset 28 projection <D1, ToOdd, SatNone> : f32 to f16
  return
}

// -----

func.func @other_mode(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op '!quant_float.binary8p4se' requires mode p3109}}
  %0 = quant_float.cast %x mode quant_float opset 1 : f32 to !quant_float.binary8p4se
  return
}

// -----

func.func @opset(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op opset must be 1 with mode p3109, but got 28}}
  %0 = quant_float.cast %x mode p3109 opset 28 projection <D1, ToOdd, SatNone> : f32 to f16
  return
}

// -----

func.func @saturate(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op with mode p3109 must not have the attribute 'saturate'}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> saturate true : f32 to f16
  return
}

// -----

func.func @types(%x: i32) {
  // expected-error @+1 {{'quant_float.cast' op with mode p3109 supports f64, f32, f16, bf16 and the formats of IEEE P3109, but got 'i32'}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> : i32 to f16
  return
}

// -----

func.func @ocp(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op with mode p3109 supports f64, f32, f16, bf16 and the formats of IEEE P3109, but got 'f8E4M3FN'}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> : f32 to f8E4M3FN
  return
}

// -----

func.func @no_random(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op StochasticA requires random bits}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, StochasticA, SatNone> : f32 to f16
  return
}

// -----

func.func @random(%x: f32, %r: ui8) {
  // expected-error @+1 {{'quant_float.cast' op TowardZero has no random bits}}
  %0 = quant_float.cast %x, %r mode p3109 opset 1 projection <D1, TowardZero, SatNone> : f32, ui8 to f16
  return
}

// -----

func.func @random_type(%x: f32, %r: ui32) {
  // expected-error @+1 {{'quant_float.cast' op random bits must have elements of ui2, ui4, ui8 or ui16, but got 'ui32'}}
  %0 = quant_float.cast %x, %r mode p3109 opset 1 projection <D1, StochasticB, SatNone> : f32, ui32 to f16
  return
}

// -----

func.func @random_shape(%x: tensor<*xf32>, %r: tensor<3xui8>) {
  // expected-error @+1 {{'quant_float.cast' op random bits must have the result's shape, but got 'tensor<3xui8>' and 'tensor<4xf16>'}}
  %0 = quant_float.cast %x, %r mode p3109 opset 1 projection <D1, StochasticB, SatNone> : tensor<*xf32>, tensor<3xui8> to tensor<4xf16>
  return
}

// -----

func.func @quantize(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+3 {{'quant_float.quantize' op result element type '!quant_float.binary8p4se' is not accepted by}}
  // expected-note @+2 {{no version of}}
  // expected-note @+1 {{IEEE P3109 rounds the exact quotient or product of a scale once, and zeros have no sign; quant_float.convert_to_block and quant_float.convert_from_block do so with scales, quant_float.cast with mode p3109 without}}
  %0 = quant_float.quantize %x, %s opset 1 domain "quant_float" : tensor<4xf32>, tensor<f32> to tensor<4x!quant_float.binary8p4se>
  return
}

// -----

func.func @block_quantize(%x: tensor<4x32xf32>) {
  // expected-error @+2 {{'quant_float.block_quantize' op elements must be f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN, f4E2M1FN, i8 or i4, but got '!quant_float.binary8p4se'}}
  // expected-note @+1 {{IEEE P3109 rounds the exact quotient or product of a scale once}}
  %0, %1 = quant_float.block_quantize %x block [1, 32] rule absmax : tensor<4x32xf32> to tensor<4x32x!quant_float.binary8p4se>, tensor<4x1xf32>
  return
}

// -----

func.func @block_dequantize(%x: tensor<4x32x!quant_float.binary8p4se>, %s: tensor<4x1xf32>) {
  // expected-error @+2 {{'quant_float.block_dequantize' op elements must be f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN, f4E2M1FN, i8 or i4, but got '!quant_float.binary8p4se'}}
  // expected-note @+1 {{IEEE P3109 rounds the exact quotient or product of a scale once}}
  %0 = quant_float.block_dequantize %x, %s block [1, 32] : tensor<4x32x!quant_float.binary8p4se>, tensor<4x1xf32> to tensor<4x32xf32>
  return
}

// -----

func.func @to_standard(%x: f32, %s: f32) {
  // expected-error @+1 {{'quant_float.convert_to_block' op result must have elements of a format of IEEE P3109, but got 'f16'}}
  %0 = quant_float.convert_to_block %x, %s projection <D1, ToOdd, SatNone> : f32, f32 to f16
  return
}

// -----

func.func @from_ocp(%x: f32, %s: f32) {
  // expected-error @+1 {{'quant_float.convert_from_block' op result must have elements of f64, f32, f16, bf16 or a format of IEEE P3109, but got 'f8E4M3FN'}}
  %0 = quant_float.convert_from_block %x, %s projection <D1, ToOdd, SatNone> : f32, f32 to f8E4M3FN
  return
}

// -----

func.func @wide_scale(%x: f32, %s: f64) {
  // expected-error @+1 {{'quant_float.convert_to_block' op input and scale must have elements of f32, f16, bf16 or a format of IEEE P3109, but got 'f64'}}
  %0 = quant_float.convert_to_block %x, %s projection <D1, ToOdd, SatNone> : f32, f64 to !quant_float.binary8p4se
  return
}

// -----

func.func @conversion_random(%x: f32, %s: f32, %r: ui8) {
  // expected-error @+1 {{'quant_float.convert_to_block' op ToOdd has no random bits}}
  %0 = quant_float.convert_to_block %x, %s, %r projection <D1, ToOdd, SatNone> : f32, f32, ui8 to !quant_float.binary8p4se
  return
}

// -----

func.func @conversion_no_random(%x: f32, %s: f32) {
  // expected-error @+1 {{'quant_float.convert_from_block' op StochasticA requires random bits}}
  %0 = quant_float.convert_from_block %x, %s projection <D1, StochasticA, SatNone> : f32, f32 to bf16
  return
}

// -----

func.func @conversion_random_type(%x: f32, %s: f32, %r: ui32) {
  // expected-error @+1 {{'quant_float.convert_from_block' op random bits must have elements of ui2, ui4, ui8 or ui16, but got 'ui32'}}
  %0 = quant_float.convert_from_block %x, %s, %r projection <D1, StochasticA, SatNone> : f32, f32, ui32 to bf16
  return
}

// -----

func.func @conversion_random_shape(%x: vector<4xf32>, %s: vector<4xf32>, %r: vector<3xui8>) {
  // expected-error @+1 {{'quant_float.convert_from_block' op input and random bits must have the same shape, but got 'vector<4xf32>' and 'vector<3xui8>'}}
  %0 = quant_float.convert_from_block %x, %s, %r projection <D1, StochasticA, SatNone> : vector<4xf32>, vector<4xf32>, vector<3xui8> to vector<4xbf16>
  return
}

// -----

func.func @conversion_result_shape(%x: tensor<4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{'quant_float.convert_to_block' op input and result must have the same shape, but got 'tensor<4x8xf32>' and 'tensor<4x9x!quant_float.binary8p4se>'}}
  %0 = quant_float.convert_to_block %x, %s block [1, 8] projection <D1, ToOdd, SatNone> : tensor<4x8xf32>, tensor<4x1xf32> to tensor<4x9x!quant_float.binary8p4se>
  return
}

// -----

func.func @conversion_scales(%x: tensor<4x8xf32>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{'quant_float.convert_to_block' op scale must have the shape of the blocks, the shape [4, 2], but got the shape [4, 3]}}
  %0 = quant_float.convert_to_block %x, %s block [1, 4] projection <D1, ToOdd, SatNone> : tensor<4x8xf32>, tensor<4x3xf32> to tensor<4x8x!quant_float.binary8p4se>
  return
}

// -----

func.func @conversion_no_block(%x: tensor<4x8xf32>, %s: tensor<4x8xf32>) {
  // expected-error @+1 {{'quant_float.convert_to_block' op block must have one size for each of the 2 dimensions of the input, but has 0}}
  %0 = quant_float.convert_to_block %x, %s projection <D1, ToOdd, SatNone> : tensor<4x8xf32>, tensor<4x8xf32> to tensor<4x8x!quant_float.binary8p4se>
  return
}

// -----

func.func @conversion_of_vectors(%x: vector<4xf32>, %s: vector<4xf32>) {
  // expected-error @+1 {{'quant_float.convert_to_block' op blocks require ranked tensors, but got 'vector<4xf32>'}}
  %0 = quant_float.convert_to_block %x, %s block [4] projection <D1, ToOdd, SatNone> : vector<4xf32>, vector<4xf32> to vector<4x!quant_float.binary8p4se>
  return
}

// -----

func.func @conversion_of_unranked(%x: tensor<*xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'quant_float.convert_to_block' op expected scalars, vectors or ranked tensors, but got 'tensor<*xf32>'}}
  %0 = quant_float.convert_to_block %x, %s block [4] projection <D1, ToOdd, SatNone> : tensor<*xf32>, tensor<4xf32> to tensor<*x!quant_float.binary8p4se>
  return
}
