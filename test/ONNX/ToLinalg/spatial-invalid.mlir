// Spatial ops on images and signals: nodes without a lowering.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @col2im(%x: tensor<2x18x24xf32>, %y: tensor<2x18xf32>) {
  %image = arith.constant dense<[7, 6]> : tensor<2xi64>
  %block = arith.constant dense<[2, 3]> : tensor<2xi64>
  %other = arith.constant dense<[2, 2]> : tensor<2xi64>
  %large = arith.constant dense<[8, 3]> : tensor<2xi64>
  %none = arith.constant dense<[2, 0]> : tensor<2xi64>
  // expected-error @+1 {{'Col2Im': the input must have rank 3, and image and block the same 1 to 4 sizes, but got 2, 2 and 2}}
  %0 = quant_float.node "Col2Im"(%y, %image, %block) opset 18 : (tensor<2x18xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Col2Im': the number of channels must be 16, but got 18}}
  %1 = quant_float.node "Col2Im"(%x, %image, %other) opset 18 : (tensor<2x18x24xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Col2Im': the image size minus the block size must be at least 0, but got -1}}
  %2 = quant_float.node "Col2Im"(%x, %image, %large) opset 18 : (tensor<2x18x24xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Col2Im': a size of the block must be at least 1, but got 0}}
  %3 = quant_float.node "Col2Im"(%x, %image, %none) opset 18 : (tensor<2x18x24xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Col2Im': the number of blocks must be 12, but got 24}}
  %4 = quant_float.node "Col2Im"(%x, %image, %block) opset 18 attributes {strides = array<i64: 2, 1>} : (tensor<2x18x24xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Col2Im': attribute 'pads' must have 4 values, but got 2}}
  %5 = quant_float.node "Col2Im"(%x, %image, %block) opset 18 attributes {pads = array<i64: 1, 1>} : (tensor<2x18x24xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @max_unpool(%x: tensor<1x1x2x2xf32>, %i: tensor<1x1x2x2xi64>, %j: tensor<2x2xi64>, %k: tensor<1x1x2x3xi64>) {
  // expected-error @+1 {{'MaxUnpool': attribute 'kernel_shape' must have 2 values, but got 1}}
  %0 = quant_float.node "MaxUnpool"(%x, %i) opset 11 attributes {kernel_shape = array<i64: 2>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxUnpool': indices must have rank 4, but got 2}}
  %1 = quant_float.node "MaxUnpool"(%x, %j) opset 11 attributes {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>, tensor<2x2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxUnpool': the size of axis 3 of the indices must be 2, but got 3}}
  %2 = quant_float.node "MaxUnpool"(%x, %k) opset 11 attributes {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxUnpool': a size before pooling must be at least 0, but got -1}}
  %3 = quant_float.node "MaxUnpool"(%x, %i) opset 11 attributes {kernel_shape = array<i64: 2, 2>, pads = array<i64: 2, 0, 2, 0>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<*xf32>
  %small = arith.constant dense<[1, 1, 2, 3]> : tensor<4xi64>
  // expected-error @+1 {{'MaxUnpool': the padding of axis 2 must be at least 0, but got -1}}
  %4 = quant_float.node "MaxUnpool"(%x, %i, %small) opset 11 attributes {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>, tensor<4xi64>) -> tensor<*xf32>
  %short = arith.constant dense<[4, 4]> : tensor<2xi64>
  // expected-error @+1 {{'MaxUnpool': the shape must have 4 sizes, but got 2}}
  %5 = quant_float.node "MaxUnpool"(%x, %i, %short) opset 11 attributes {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @deform_conv(%x: tensor<1x4x3x3xf32>, %w: tensor<2x4x2x2xf32>, %o: tensor<1x8x2x2xf32>, %flat: tensor<4x9xf32>) {
  // expected-error @+1 {{'DeformConv': the input must have rank 3 to 5, but got 2}}
  %0 = quant_float.node "DeformConv"(%flat, %w, %o) opset 19 : (tensor<4x9xf32>, tensor<2x4x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DeformConv': input 2 must have rank 4, but got 2}}
  %1 = quant_float.node "DeformConv"(%x, %w, %flat) opset 19 : (tensor<1x4x3x3xf32>, tensor<2x4x2x2xf32>, tensor<4x9xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DeformConv': the number of channels must be 3, but got 4}}
  %2 = quant_float.node "DeformConv"(%x, %w, %o) opset 19 attributes {offset_group = 3 : i64} : (tensor<1x4x3x3xf32>, tensor<2x4x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DeformConv': the number of channels of the weights must be 2, but got 4}}
  %3 = quant_float.node "DeformConv"(%x, %w, %o) opset 19 attributes {group = 2 : i64} : (tensor<1x4x3x3xf32>, tensor<2x4x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DeformConv': the size of axis 1 of the offsets must be 16, but got 8}}
  %4 = quant_float.node "DeformConv"(%x, %w, %o) opset 19 attributes {offset_group = 2 : i64} : (tensor<1x4x3x3xf32>, tensor<2x4x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DeformConv': the size of axis 2 of the weights must be 3, but got 2}}
  %5 = quant_float.node "DeformConv"(%x, %w, %o) opset 19 attributes {kernel_shape = array<i64: 3, 2>} : (tensor<1x4x3x3xf32>, tensor<2x4x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DeformConv': the bias must have rank 1, but got 2}}
  %6 = quant_float.node "DeformConv"(%x, %w, %o, %flat) opset 19 : (tensor<1x4x3x3xf32>, tensor<2x4x2x2xf32>, tensor<1x8x2x2xf32>, tensor<4x9xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @detection(%boxes: tensor<1x5x4xf32>, %flat: tensor<5x4xf32>, %scores: tensor<1x2x6xf32>, %image: tensor<1x2x4x4xf32>, %batch: tensor<5xi64>, %fewer: tensor<4xi64>) {
  // expected-error @+1 {{'NonMaxSuppression': boxes and scores must have rank 3, but got 2 and 3}}
  %0 = quant_float.node "NonMaxSuppression"(%flat, %scores) opset 11 : (tensor<5x4xf32>, tensor<1x2x6xf32>) -> tensor<*xi64>
  // expected-error @+1 {{'NonMaxSuppression': the number of boxes must be 5, but got 6}}
  %1 = quant_float.node "NonMaxSuppression"(%boxes, %scores) opset 11 : (tensor<1x5x4xf32>, tensor<1x2x6xf32>) -> tensor<*xi64>
  // expected-error @+1 {{'RoiAlign': the inputs must have rank 4, 2 and 1, but got 3, 2 and 1}}
  %2 = quant_float.node "RoiAlign"(%boxes, %flat, %batch) opset 16 : (tensor<1x5x4xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'RoiAlign': the number of regions must be 5, but got 4}}
  %3 = quant_float.node "RoiAlign"(%image, %flat, %fewer) opset 16 : (tensor<1x2x4x4xf32>, tensor<5x4xf32>, tensor<4xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'RoiAlign': values of attribute 'output_width' must be between 0 and 2147483647, but got -1}}
  %4 = quant_float.node "RoiAlign"(%image, %flat, %batch) opset 16 attributes {output_width = -1 : i64} : (tensor<1x2x4x4xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @signals(%x: tensor<2x8x1xf32>, %v: tensor<8xf32>, %open: tensor<2x8x?xf32>, %axis: tensor<2xi64>, %step: tensor<i64>) {
  // expected-error @+1 {{'DFT': the input must have rank 2 or more, but got 1}}
  %0 = quant_float.node "DFT"(%v) opset 17 : (tensor<8xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DFT': the size of the last axis must be known to be 1 or 2}}
  %1 = quant_float.node "DFT"(%open) opset 17 : (tensor<2x8x?xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DFT': the axis, excluding the last one, must be at most 1, but got 2}}
  %2 = quant_float.node "DFT"(%x) opset 17 attributes {axis = 2 : i64} : (tensor<2x8x1xf32>) -> tensor<*xf32>
  %length = arith.constant dense<4> : tensor<i64>
  // expected-error @+1 {{'DFT': the number of elements of input 2 must be 1, but got 2}}
  %3 = quant_float.node "DFT"(%x, %length, %axis) opset 20 : (tensor<2x8x1xf32>, tensor<i64>, tensor<2xi64>) -> tensor<*xf32>
  %none = arith.constant dense<0> : tensor<i64>
  // expected-error @+1 {{'DFT': the length of the signal must be at least 1, but got 0}}
  %4 = quant_float.node "DFT"(%x, %none) opset 17 : (tensor<2x8x1xf32>, tensor<i64>) -> tensor<*xf32>
  // expected-error @+1 {{'STFT': the signal must have rank 2 or 3, but got 1}}
  %5 = quant_float.node "STFT"(%v, %step, %v) opset 17 : (tensor<8xf32>, tensor<i64>, tensor<8xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'STFT': the window must have rank 1, but got 3}}
  %6 = quant_float.node "STFT"(%x, %step, %x) opset 17 : (tensor<2x8x1xf32>, tensor<i64>, tensor<2x8x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'STFT': the frame length must be 8, but got 4}}
  %7 = quant_float.node "STFT"(%x, %step, %v, %length) opset 17 : (tensor<2x8x1xf32>, tensor<i64>, tensor<8xf32>, tensor<i64>) -> tensor<*xf32>
  // expected-error @+1 {{'STFT': the frame step must be at least 1, but got 0}}
  %8 = quant_float.node "STFT"(%x, %none, %v) opset 17 : (tensor<2x8x1xf32>, tensor<i64>, tensor<8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @others(%x: tensor<2x3x4xf32>, %v: tensor<4xf32>, %long: tensor<2x5x4xf32>, %begins: tensor<3xi64>) {
  // expected-error @+1 {{'Det': the input must have rank 2 or more, but got 1}}
  %0 = quant_float.node "Det"(%v) opset 11 : (tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Det': the number of columns must be 3, but got 4}}
  %1 = quant_float.node "Det"(%x) opset 11 : (tensor<2x3x4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'TensorScatter': axis 0 is the batch axis}}
  %2 = quant_float.node "TensorScatter"(%x, %x) opset 24 attributes {axis = 0 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'TensorScatter': the update must have rank 3, but got 1}}
  %3 = quant_float.node "TensorScatter"(%x, %v) opset 24 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'TensorScatter': the size of axis 1 of the update must be at most 3, but got 5}}
  %4 = quant_float.node "TensorScatter"(%x, %long) opset 24 : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'TensorScatter': the number of lengths must be 2, but got 3}}
  %5 = quant_float.node "TensorScatter"(%x, %x, %begins) opset 24 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Unique': axis must be between -3 and 2, but got 3}}
  %6 = quant_float.node "Unique"(%x) opset 11 attributes {axis = 3 : i64} : (tensor<2x3x4xf32>) -> tensor<*xf32>
  return
}
