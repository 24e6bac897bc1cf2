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

func.func @types(%x: f64) {
  // expected-error @+1 {{'quant_float.cast' op with mode p3109 supports f32, f16, bf16 and the formats of IEEE P3109, but got 'f64'}}
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> : f64 to f16
  return
}

// -----

func.func @ocp(%x: f32) {
  // expected-error @+1 {{'quant_float.cast' op with mode p3109 supports f32, f16, bf16 and the formats of IEEE P3109, but got 'f8E4M3FN'}}
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
  // expected-note @+1 {{IEEE P3109 rounds the exact quotient or product of a scale once, and zeros have no sign; quant_float.cast with mode p3109 converts numbers without a scale}}
  %0 = quant_float.quantize %x, %s opset 1 domain "quant_float" : tensor<4xf32>, tensor<f32> to tensor<4x!quant_float.binary8p4se>
  return
}
