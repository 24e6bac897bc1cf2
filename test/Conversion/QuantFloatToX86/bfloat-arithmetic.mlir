// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=znver4" | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=generic" | FileCheck %s --check-prefix=OTHER

// x86's conversion to bf16 treats subnormals as zero, so results of bf16 are rounded by integer arithmetic. Other
// machines round subnormals, too.

// CHECK-LABEL: func.func @truncate(
// CHECK-NOT:     arith.truncf
// CHECK:         arith.cmpf uno
// CHECK-NOT:     arith.truncf
// CHECK:         return
// OTHER-LABEL: func.func @truncate(
// OTHER:         arith.truncf %{{.+}} : f32 to bf16
func.func @truncate(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @truncate_vector(
// CHECK-NOT:     arith.truncf
// CHECK:         return
func.func @truncate_vector(%x: vector<2x16xf32>) -> vector<2x16xbf16> {
  %y = arith.truncf %x to_nearest_even : vector<2x16xf32> to vector<2x16xbf16>
  return %y : vector<2x16xbf16>
}

// f64 is rounded to odd first, so that it is rounded once.
// CHECK-LABEL: func.func @wide(
// CHECK:         arith.truncf %{{.+}} : f64 to f32
// CHECK-NOT:     arith.truncf %{{.+}} : f64 to {{bf16|f16}}
// CHECK:         return
func.func @wide(%x: f64) -> (bf16, f16) {
  %y = arith.truncf %x : f64 to bf16
  %z = arith.truncf %x : f64 to f16
  return %y, %z : bf16, f16
}

// Other rounding modes are left unchanged.
// CHECK-LABEL: func.func @toward_zero(
// CHECK:         arith.truncf %{{.+}} toward_zero : f32 to bf16
func.func @toward_zero(%x: f32) -> bf16 {
  %y = arith.truncf %x toward_zero : f32 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @arithmetic(
// CHECK-SAME:    %[[X:.+]]: bf16, %[[Y:.+]]: bf16
// CHECK:         %[[A:.+]] = arith.extf %[[X]] : bf16 to f32
// CHECK:         %[[B:.+]] = arith.extf %[[Y]] : bf16 to f32
// CHECK:         arith.mulf %[[A]], %[[B]] fastmath<contract> : f32
// CHECK:         math.sqrt %{{.+}} : f32
// CHECK:         arith.negf %{{.+}} : bf16
// CHECK:         arith.select %{{.+}} : bf16
// OTHER-LABEL: func.func @arithmetic(
// OTHER:         arith.mulf %{{.+}} : bf16
func.func @arithmetic(%x: bf16, %y: bf16) -> bf16 {
  %product = arith.mulf %x, %y fastmath<contract> : bf16
  %root = math.sqrt %product : bf16
  %negative = arith.negf %root : bf16
  %is_less = arith.cmpf olt, %x, %y : bf16
  %result = arith.select %is_less, %negative, %x : bf16
  return %result : bf16
}

// Integers are not rounded to f32 first. f32 represents all 16-bit integers.
// CHECK-LABEL: func.func @integers(
// CHECK-NOT:     arith.sitofp %{{.+}} : i32 to bf16
// CHECK-NOT:     arith.uitofp %{{.+}} : vector<16xi64> to vector<16xbf16>
// CHECK:         arith.sitofp %{{.+}} : i16 to bf16
// OTHER-LABEL: func.func @integers(
// OTHER:         arith.sitofp %{{.+}} : i32 to bf16
func.func @integers(%x: i32, %y: vector<16xi64>, %z: i16) -> (bf16, vector<16xbf16>, bf16) {
  %a = arith.sitofp %x : i32 to bf16
  %b = arith.uitofp %y : vector<16xi64> to vector<16xbf16>
  %c = arith.sitofp %z : i16 to bf16
  return %a, %b, %c : bf16, vector<16xbf16>, bf16
}
