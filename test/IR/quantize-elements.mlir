// RUN: quant-float-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @quantize_elements
func.func @quantize_elements(%x: f32, %z: ui8, %v: vector<4xf16>, %s: f16) -> (ui8, vector<4xf8E5M2>) {
  // CHECK: quant_float.quantize_elements %{{.+}}, %{{.+}}, %{{.+}} : f32, f32, ui8 to ui8
  %0 = quant_float.quantize_elements %x, %x, %z : f32, f32, ui8 to ui8
  // CHECK: quant_float.quantize_elements %{{.+}}, %{{.+}} saturate false : vector<4xf16>, f16 to vector<4xf8E5M2>
  %1 = quant_float.quantize_elements %v, %s saturate false : vector<4xf16>, f16 to vector<4xf8E5M2>
  return %0, %1 : ui8, vector<4xf8E5M2>
}

// -----

func.func @precision(%x: i32) -> i8 {
  // expected-error @+1 {{input must have elements of f32, f16, bf16 or f64, but got 'i32'}}
  %0 = quant_float.quantize_elements %x, %x : i32, i32 to i8
  return %0 : i8
}

// -----

func.func @one_type(%x: f32, %s: f16) -> i8 {
  // expected-error @+1 {{scale must have the input's element type 'f32', but got 'f16'}}
  %0 = quant_float.quantize_elements %x, %s : f32, f16 to i8
  return %0 : i8
}

// -----

func.func @result(%x: f32) -> i32 {
  // expected-error @+1 {{result must have elements of 2- to 16-bit integers, float8, float6 or float4, but got 'i32'}}
  %0 = quant_float.quantize_elements %x, %x : f32, f32 to i32
  return %0 : i32
}

// -----

func.func @result_bool(%x: f32) -> i1 {
  // expected-error @+1 {{result must have elements of 2- to 16-bit integers, float8, float6 or float4, but got 'i1'}}
  %0 = quant_float.quantize_elements %x, %x : f32, f32 to i1
  return %0 : i1
}

// -----

func.func @result_scale(%x: f32) -> f8E8M0FNU {
  // expected-error @+1 {{result must have elements of 2- to 16-bit integers, float8, float6 or float4, but got 'f8E8M0FNU'}}
  %0 = quant_float.quantize_elements %x, %x : f32, f32 to f8E8M0FNU
  return %0 : f8E8M0FNU
}

// -----

func.func @q2_zero_point(%x: f32, %z: i8) -> ui8 {
  // expected-error @+1 {{zero point must have the result's element type 'ui8', but got 'i8'}}
  %0 = quant_float.quantize_elements %x, %x, %z : f32, f32, i8 to ui8
  return %0 : ui8
}
