// If, Loop and Scan: errors in a node or in its bodies.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @ifs(%c: tensor<i1>, %two: tensor<2xi1>, %x: tensor<2xf32>, %m: tensor<2x2xf32>) {
  // expected-error @+1 {{'If': the number of elements of a condition must be 1, but got 2}}
  %0 = quant_float.node "If"(%two) opset 17 : (tensor<2xi1>) -> tensor<2xf32> bodies ["else_branch", "then_branch"] {
    quant_float.yield %x : tensor<2xf32>
  }, {
    quant_float.yield %x : tensor<2xf32>
  }
  // expected-error @+1 {{'If': body 'then_branch' is missing}}
  %1 = quant_float.node "If"(%c) opset 17 : (tensor<i1>) -> tensor<2xf32> bodies ["else_branch"] {
    quant_float.yield %x : tensor<2xf32>
  }
  // expected-error @+1 {{'If': the bodies return different types, 'tensor<2xf32>' and 'tensor<2x2xf32>'}}
  %2 = quant_float.node "If"(%c) opset 17 : (tensor<i1>) -> tensor<*xf32> bodies ["else_branch", "then_branch"] {
    quant_float.yield %m : tensor<2x2xf32>
  }, {
    quant_float.yield %x : tensor<2xf32>
  }
  // expected-error @+1 {{'If': a body must have 1 outputs, but got 2}}
  %3 = quant_float.node "If"(%c) opset 17 : (tensor<i1>) -> tensor<*xf32> bodies ["else_branch", "then_branch"] {
    quant_float.yield %m : tensor<2x2xf32>
  }, {
    quant_float.yield %x, %x : tensor<2xf32>, tensor<2xf32>
  }
  %4 = quant_float.node "If"(%c) opset 17 : (tensor<i1>) -> tensor<*xf32> bodies ["else_branch", "then_branch"] {
    // expected-error @+1 {{no lowering of the op 'Bar' of the domain 'ai.onnx'}}
    %5 = quant_float.node "Bar"(%m) opset 17 : (tensor<2x2xf32>) -> tensor<f32>
    quant_float.yield %5 : tensor<f32>
  }, {
    quant_float.yield %x : tensor<2xf32>
  }
  return
}

// -----

func.func @loops(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>, %i: tensor<2xi32>, %s: tensor<2x!quant_float.string>) {
  // expected-error @+1 {{'Loop': the loop does not terminate}}
  %0 = quant_float.node "Loop"(%c, %x) opset 17 absent [0] : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    quant_float.yield %b, %v : tensor<i1>, tensor<2xf32>
  }
  // expected-error @+1 {{'Loop': body 'body' must have 3 inputs, but got 2}}
  %1 = quant_float.node "Loop"(%n, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>):
    quant_float.yield %b, %x : tensor<i1>, tensor<2xf32>
  }
  // expected-error @+1 {{'Loop': body 'body': expected an argument of type 'tensor<2xf32>', but got 'tensor<2xi32>'}}
  %2 = quant_float.node "Loop"(%n, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xi32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xi32>):
    quant_float.yield %b, %v : tensor<i1>, tensor<2xi32>
  }
  // expected-error @+1 {{'Loop': value 0 has the type 'tensor<2xf32>', but an iteration changes it to 'tensor<2xi32>'}}
  %3 = quant_float.node "Loop"(%n, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xi32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    quant_float.yield %b, %i : tensor<i1>, tensor<2xi32>
  }
  // expected-error @+1 {{'Loop': the size of axis 0 of value 0 must be 2, but got 3}}
  %4 = quant_float.node "Loop"(%n, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    quant_float.yield %b, %y : tensor<i1>, tensor<3xf32>
  }
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  // expected-error @+1 {{'Loop': output 1 collects results of unknown sizes}}
  %5:2 = quant_float.node "Loop"(%n, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<*xf32>, tensor<*xi64>) bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    %r = quant_float.node "Range"(%zero, %k, %one) opset 17 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
    quant_float.yield %b, %v, %r : tensor<i1>, tensor<2xf32>, tensor<?xi64>
  }
  // expected-error @+1 {{'Loop': output 1 collects the results of an unknown number of iterations}}
  %6:2 = quant_float.node "Loop"(%c, %x) opset 17 absent [0] : (tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<*xf32>) bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    quant_float.yield %c, %v, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  %most = arith.constant dense<9223372036854775807> : tensor<i64>
  // expected-error @+1 {{'Loop': output 1 collects the results of too many iterations}}
  %10:2 = quant_float.node "Loop"(%most, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<*xf32>) bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    quant_float.yield %c, %v, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  // expected-error @+1 {{'Loop': expected 2 outputs or more, but got 1}}
  %7 = quant_float.node "Loop"(%n, %c, %x, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>, %w: tensor<2xf32>):
    quant_float.yield %b, %v : tensor<i1>, tensor<2xf32>
  }
  // expected-error @+1 {{'Loop': a loop-carried value is absent}}
  %8:2 = quant_float.node "Loop"(%n, %c, %x) opset 17 absent [2] : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>, %w: tensor<2xf32>):
    quant_float.yield %b, %v, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  // expected-error @+1 {{'Loop': unsupported body output 'tensor<2x!quant_float.string>'}}
  %9 = quant_float.node "Loop"(%n, %c, %x) opset 17 : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    quant_float.yield %b, %s : tensor<i1>, tensor<2x!quant_float.string>
  }
  return
}

// -----

func.func @scans(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'Scan': batches of sequences before opset 9}}
  %before = quant_float.node "Scan"(%x) opset 8 attributes {num_scan_inputs = 1 : i64} absent [0] : (tensor<2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Scan': attribute 'num_scan_inputs' does not match the numbers of inputs and outputs, but got 2}}
  %0 = quant_float.node "Scan"(%x) opset 17 attributes {num_scan_inputs = 2 : i64} : (tensor<2xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%v: tensor<f32>):
    quant_float.yield %v : tensor<f32>
  }
  // expected-error @+1 {{'Scan': the number of iterations of input 1 must be 2, but got 3}}
  %1 = quant_float.node "Scan"(%x, %y) opset 17 attributes {num_scan_inputs = 2 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%v: tensor<f32>, %w: tensor<f32>):
    quant_float.yield %v : tensor<f32>
  }
  // expected-error @+1 {{'Scan': attribute 'scan_input_axes' must have 1 values, but got 2}}
  %2 = quant_float.node "Scan"(%x) opset 17 attributes {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 0, 0>} : (tensor<2xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%v: tensor<f32>):
    quant_float.yield %v : tensor<f32>
  }
  return
}
