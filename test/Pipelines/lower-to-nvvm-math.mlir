// Functions with a PTX instruction use it instead of calls into libdevice, which is not linked.
// This holds for every order of upstream's patterns, which depends on the environment of the
// process.
// RUN: quant-float-compile %s --target nvvm --chip sm_80 --emit ptx -o - | FileCheck %s --implicit-check-not=__nv_
// RUN: env A=1 B=2 C=3 quant-float-compile %s --target nvvm --chip sm_80 --emit ptx -o - | FileCheck %s --implicit-check-not=__nv_
// RUN: env A=abcdefghijklmnopqrstuvwxyz quant-float-compile %s --target nvvm --chip sm_80 --emit ptx -o - | FileCheck %s --implicit-check-not=__nv_
// RUN: env -i PATH=%tools_dir quant-float-compile %s --target nvvm --chip sm_80 --emit ptx -o - | FileCheck %s --implicit-check-not=__nv_

// CHECK-LABEL: .entry magnitude
// CHECK: abs.f32
func.func @magnitude(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = quant_float.node "Abs"(%x) opset 23 : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: .entry up
// CHECK: cvt.rpi.f32.f32
func.func @up(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = quant_float.node "Ceil"(%x) opset 23 : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: .entry down
// CHECK: cvt.rmi.f32.f32
func.func @down(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = quant_float.node "Floor"(%x) opset 23 : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: .entry nearest
// CHECK: cvt.rni.f32.f32
func.func @nearest(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = quant_float.node "Round"(%x) opset 23 : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
