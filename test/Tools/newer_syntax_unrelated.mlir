// Names of newer versions of MLIR are not reported in comments and strings, and as parts of other names.
// RUN: not quant-float-opt %s --quant-float-set-target=cpu=none 2>&1 | FileCheck %s --implicit-check-not=requires
// CHECK: error: unknown cpu 'none'
module {
  // linalg.scaled_contract
  func.func @to_f8E5M3FNU(%f8E5M3FNU: f32) -> f32 attributes {url = "http://x", note = "see \"linalg.scaled_contract\" (", f8E5M3FNU_tag} {
    return %f8E5M3FNU : f32
  }
  func.func private @f8E5M3FNU()
  func.func private @"linalg.scaled_contract"()
  func.func @call() {
    call @f8E5M3FNU() : () -> ()
    call @"linalg.scaled_contract"() : () -> ()
    return
  }
}
