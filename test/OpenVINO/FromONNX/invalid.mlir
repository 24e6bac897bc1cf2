// ONNX nodes without an equivalent in OpenVINO: all are listed, each with the reason.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-openvino -split-input-file -verify-diagnostics

func.func @all_listed(%x: tensor<4xf32>, %s: tensor<4x!quant_float.string>, %u: !quant_float.unknown) {
  // expected-error @+1 {{node 'd' (Det): no equivalent in OpenVINO}}
  %0 = quant_float.node "Det"(%x) opset 21 name "d" : (tensor<4xf32>) -> tensor<f32>
  // expected-error @+1 {{no equivalent in OpenVINO}}
  %1 = quant_float.node "FusedMatMul"(%x, %x) opset 1 domain "com.microsoft" : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // expected-error @+1 {{no equivalent in OpenVINO: it has opset 13, not 21}}
  %2 = quant_float.node "Relu"(%x) opset 13 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: its inputs or outputs do not match opset 21}}
  %3 = quant_float.node "Relu"(%x, %x) opset 21 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 0 has the type 'tensor<4x!quant_float.string>'}}
  %4 = quant_float.node "Equal"(%s, %s) opset 21 : (tensor<4x!quant_float.string>, tensor<4x!quant_float.string>) -> tensor<4xi1>
  // expected-error @+1 {{no equivalent in OpenVINO: input 0 has the type '!quant_float.unknown'}}
  %5 = quant_float.node "Relu"(%u) opset 21 : (!quant_float.unknown) -> tensor<4xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: attribute 'alpha': expected a float, but got an int}}
  %6 = quant_float.node "Elu"(%x) opset 21 attributes {alpha = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @elementwise(%x: tensor<4xf32>, %i: tensor<4xi32>, %t: tensor<i1>) {
  // expected-error @+1 {{no equivalent in OpenVINO: training_mode must be the constant false}}
  %0 = quant_float.node "Dropout"(%x, %x, %t) opset 21 : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: elements of type 'i32'}}
  %1 = quant_float.node "LeakyRelu"(%i) opset 21 : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @reductions(%x: tensor<*xf32>, %m: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{no equivalent in OpenVINO: input 0 has the type 'tensor<*xf32>', whose rank is not known}}
  %0 = quant_float.node "ReduceMax"(%x) opset 21 : (tensor<*xf32>) -> tensor<*xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: axis 2 of rank 2}}
  %1 = quant_float.node "ArgMax"(%m) opset 21 attributes {axis = 2 : i64} : (tensor<2x4xf32>) -> tensor<2xi64>
  // expected-error @+1 {{no equivalent in OpenVINO: training}}
  %2 = quant_float.node "BatchNormalization"(%m, %c, %c, %c, %c) opset 21 attributes {training_mode = 1 : i64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @movement(%x: tensor<*xf32>, %m: tensor<2x4xf32>, %o: tensor<?x?x?xf32>, %l: tensor<?xi64>, %p: tensor<4xi64>) {
  // expected-error @+1 {{no equivalent in OpenVINO: an input of type 'tensor<2x4xf32>' and axis 3}}
  %0 = quant_float.node "Flatten"(%m) opset 21 attributes {axis = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: the sizes of 'tensor<?x?x?xf32>'}}
  %1 = quant_float.node "Flatten"(%o) opset 21 attributes {axis = 2 : i64} : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: a value of 2 elements}}
  %2 = quant_float.node "ConstantOfShape"(%l) opset 21 attributes {value = dense<0.0> : tensor<2xf32>} : (tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: the size of axis 0 is not known}}
  %3:2 = quant_float.node "Split"(%o) opset 21 attributes {num_outputs = 2 : i64} : (tensor<?x?x?xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{no equivalent in OpenVINO: more outputs than elements}}
  %4:4 = quant_float.node "Split"(%m) opset 21 attributes {num_outputs = 4 : i64} : (tensor<2x4xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{no equivalent in OpenVINO: the number of axes is not known}}
  %5 = quant_float.node "Slice"(%m, %l, %l) opset 21 : (tensor<2x4xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: mode wrap}}
  %6 = quant_float.node "Pad"(%m, %p) opset 21 attributes {mode = "wrap"} : (tensor<2x4xf32>, tensor<4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gathers(%m: tensor<2x4xf32>, %i: tensor<3x?xi64>) {
  // expected-error @+1 {{no equivalent in OpenVINO: the size of the last axis of the indices is not known}}
  %0 = quant_float.node "GatherND"(%m, %i) opset 21 : (tensor<2x4xf32>, tensor<3x?xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @windows(%x: tensor<1x4x5x5xf32>, %w: tensor<4x4x3x3xf32>, %v: tensor<4x4xf32>, %d: tensor<?x2x3x3xf32>, %g: tensor<1x2x2x2xf32>, %y: tensor<1x4x5x5x5xf32>) {
  // expected-error @+1 {{no equivalent in OpenVINO: filters of rank 2}}
  %0 = quant_float.node "Conv"(%x, %v) opset 21 : (tensor<1x4x5x5xf32>, tensor<4x4xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: windows of a rank other than 2}}
  %1 = quant_float.node "Conv"(%x, %w) opset 21 attributes {strides = array<i64: 1>} : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: 2 groups of filters of type 'tensor<?x2x3x3xf32>'}}
  %2 = quant_float.node "Conv"(%x, %d) opset 21 attributes {group = 2 : i64} : (tensor<1x4x5x5xf32>, tensor<?x2x3x3xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: pads that are computed from the output}}
  %3 = quant_float.node "ConvTranspose"(%x, %w) opset 21 attributes {auto_pad = "SAME_UPPER"} : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: dilations must be 1 to 2147483647, but got 0}}
  %4 = quant_float.node "MaxPool"(%x) opset 21 attributes {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 0, 1>} : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: storage_order}}
  %5:2 = quant_float.node "MaxPool"(%x) opset 21 attributes {kernel_shape = array<i64: 3, 3>, storage_order = 1 : i64} : (tensor<1x4x5x5xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x4x5x5xi64>)
  // expected-error @+1 {{no equivalent in OpenVINO: dilations}}
  %6 = quant_float.node "AveragePool"(%x) opset 21 attributes {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 1>} : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: an input of type 'tensor<1x4x5x5x5xf32>'}}
  %7 = quant_float.node "GridSample"(%y, %y) opset 21 : (tensor<1x4x5x5x5xf32>, tensor<1x4x5x5x5xf32>) -> tensor<1x4x5x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: keep_aspect_ratio_policy, exclude_outside, antialias or coordinate_transformation_mode half_pixel_symmetric}}
  %8 = quant_float.node "Resize"(%x) opset 21 attributes {coordinate_transformation_mode = "half_pixel_symmetric"} : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: neither sizes nor scales}}
  %9 = quant_float.node "Resize"(%x) opset 21 : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @resize(%x: tensor<1x4x5x5xf32>) {
  %s = arith.constant dense<[1.0, 1.0, 0.5, 0.5]> : tensor<4xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: align_corners with scales that give fractional sizes}}
  %0 = quant_float.node "Resize"(%x, %s) opset 21 attributes {coordinate_transformation_mode = "align_corners", mode = "linear"} absent [1] : (tensor<1x4x5x5xf32>, tensor<4xf32>) -> tensor<1x4x2x2xf32>
  return
}

// -----

func.func @recurrent(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>, %l: tensor<1xi32>, %h: tensor<1x1x3xf32>, %p: tensor<1x9xf32>, %o: tensor<*xf32>) {
  // expected-error @+1 {{no equivalent in OpenVINO: weights of type 'tensor<*xf32>'}}
  %0 = quant_float.node "LSTM"(%x, %o, %r) opset 21 attributes {hidden_size = 3 : i64} : (tensor<5x1x2xf32>, tensor<*xf32>, tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: peepholes}}
  %1 = quant_float.node "LSTM"(%x, %w, %r, %b, %l, %h, %h, %p) opset 21 attributes {hidden_size = 3 : i64} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>, tensor<1xi32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x9xf32>) -> tensor<5x1x1x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: activations that differ between the directions}}
  %2 = quant_float.node "LSTM"(%x, %w, %r) opset 21 attributes {hidden_size = 3 : i64, activations = ["Sigmoid"]} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: activation elu}}
  %3 = quant_float.node "LSTM"(%x, %w, %r) opset 21 attributes {hidden_size = 3 : i64, activations = ["Elu", "Tanh", "Tanh"]} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: parameters of activations}}
  %4 = quant_float.node "LSTM"(%x, %w, %r) opset 21 attributes {hidden_size = 3 : i64, activation_alpha = array<f32: 1.0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: layout or input_forget}}
  %5 = quant_float.node "LSTM"(%x, %w, %r) opset 21 attributes {hidden_size = 3 : i64, layout = 1 : i64} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32>
  return
}

// -----

func.func @quantization(%x: tensor<4xf32>, %h: tensor<4xf16>, %s: tensor<f32>, %t: tensor<f16>, %u: tensor<*xf32>, %v: tensor<4xf32>, %z: tensor<4xf8E4M3FNUZ>, %o: tensor<8x?xi8>, %b: tensor<8x?xf32>) {
  // expected-error @+1 {{node without a name (Cast): no equivalent in OpenVINO: OpenVINO does not convert 'f32' to 'f8E4M3FN' as ONNX does}}
  %0 = quant_float.cast %x opset 21 : tensor<4xf32> to tensor<4xf8E4M3FN>
  // expected-error @+1 {{node without a name (QuantizeLinear): no equivalent in OpenVINO: OpenVINO rounds differently to 'f8E4M3FN'; `quant-float-convert --without` expands it to f32 arithmetic}}
  %1 = quant_float.quantize %x, %s opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xf8E4M3FN>
  // expected-error @+1 {{a division of elements of type 'f16', not f32}}
  %2 = quant_float.quantize %h, %t opset 21 : tensor<4xf16>, tensor<f16> to tensor<4xui8>
  // expected-error @+1 {{node without a name (DequantizeLinear): no equivalent in OpenVINO: OpenVINO has no type 'f8E4M3FNUZ'}}
  %3 = quant_float.dequantize %z, %s opset 21 : tensor<4xf8E4M3FNUZ>, tensor<f32> to tensor<4xf32>
  // expected-error @+1 {{blocks along an axis of dynamic size}}
  %4 = quant_float.dequantize %o, %b axis 1 block_size 4 opset 21 : tensor<8x?xi8>, tensor<8x?xf32> to tensor<8x?xf32>
  // expected-error @+1 {{the rank of the input or its scale is not known}}
  %5 = quant_float.quantize %u, %v axis 0 opset 21 : tensor<*xf32>, tensor<4xf32> to tensor<*xui8>
  return
}

// -----

func.func @packed(%x: tensor<3x16xf32>, %b: tensor<2x1x8xui8>, %v: tensor<2x3xf32>, %g: tensor<2xi32>) {
  %c = quant_float.constant dense<33> : tensor<2x1x8xui8>
  %s = arith.constant dense<0.5> : tensor<2x1xf32>
  %h = arith.constant dense<0.5> : tensor<2x1xf16>
  // expected-error @+1 {{no equivalent in OpenVINO: input 1, packed quantized values, is not a constant}}
  %0 = quant_float.node "MatMulNBits"(%x, %b, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 1 has the type 'tensor<2x1x8xui8>', not 3 rows of 8 bytes}}
  %1 = quant_float.node "MatMulNBits"(%x, %c, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 3 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: attribute 'bits' must be 2, 4 or 8, but got 3}}
  %2 = quant_float.node "MatMulNBits"(%x, %c, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, bits = 3 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: attribute 'block_size' must be a power of two from 16 on, but got 24}}
  %3 = quant_float.node "MatMulNBits"(%x, %c, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 24 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 2 has the type 'tensor<2x1xf16>'}}
  %4 = quant_float.node "MatMulNBits"(%x, %c, %h) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf16>) -> tensor<3x2xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 4 has the type 'tensor<2xi32>', not 16 elements}}
  %6 = quant_float.node "MatMulNBits"(%x, %c, %s, %g) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 16 : i64} absent [3] : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  %r = quant_float.constant dense_resource<elsewhere> : tensor<2x1x8xui8>
  // expected-error @+1 {{no equivalent in OpenVINO: the data of input 1 is not available}}
  %7 = quant_float.node "MatMulNBits"(%x, %r, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 2 has the type 'tensor<2x3xf32>', not one element for each of 1 blocks of 2 rows}}
  %5 = quant_float.node "MatMulNBits"(%x, %c, %v) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gather_blocks(%d: tensor<4x8xui8>, %i: tensor<3xi64>, %s: tensor<4x1xf32>, %t: tensor<4x2xf32>, %o: tensor<?x8xui8>, %e: tensor<4x16xui8>, %z: tensor<4x1xi8>, %w: tensor<4x2xui8>) {
  // expected-error @+1 {{no equivalent in OpenVINO: input 3 has the type 'tensor<4x1xi8>'}}
  %5 = quant_float.node "GatherBlockQuantized"(%e, %i, %s, %z) opset 1 domain "com.microsoft" attributes {bits = 8 : i64, block_size = 16 : i64} : (tensor<4x16xui8>, tensor<3xi64>, tensor<4x1xf32>, tensor<4x1xi8>) -> tensor<3x16xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 3 has the type 'tensor<4x2xui8>', not one element for each block}}
  %6 = quant_float.node "GatherBlockQuantized"(%e, %i, %s, %w) opset 1 domain "com.microsoft" attributes {bits = 8 : i64, block_size = 16 : i64} : (tensor<4x16xui8>, tensor<3xi64>, tensor<4x1xf32>, tensor<4x2xui8>) -> tensor<3x16xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 0, packed quantized values, is not a constant}}
  %0 = quant_float.node "GatherBlockQuantized"(%d, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 16 : i64} : (tensor<4x8xui8>, tensor<3xi64>, tensor<4x1xf32>) -> tensor<3x16xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: input 2 has the type 'tensor<4x2xf32>', not one element for each block}}
  %1 = quant_float.node "GatherBlockQuantized"(%d, %i, %t) opset 1 domain "com.microsoft" attributes {block_size = 16 : i64} : (tensor<4x8xui8>, tensor<3xi64>, tensor<4x2xf32>) -> tensor<3x16xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: packed quantized values must be gathered along axis 0 and quantized along another axis}}
  %2 = quant_float.node "GatherBlockQuantized"(%d, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 16 : i64, gather_axis = 1 : i64} : (tensor<4x8xui8>, tensor<3xi64>, tensor<4x1xf32>) -> tensor<4x3xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: axis 2 of rank 2}}
  %3 = quant_float.node "GatherBlockQuantized"(%d, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 16 : i64, quantize_axis = 2 : i64} : (tensor<4x8xui8>, tensor<3xi64>, tensor<4x1xf32>) -> tensor<3x16xf32>
  // expected-error @+1 {{no equivalent in OpenVINO: data of type 'tensor<?x8xui8>' with scales of type 'tensor<4x1xf32>'}}
  %4 = quant_float.node "GatherBlockQuantized"(%o, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 16 : i64} : (tensor<?x8xui8>, tensor<3xi64>, tensor<4x1xf32>) -> tensor<3x16xf32>
  return
}

// -----

func.func @integers(%x: tensor<2x70000xui8>, %y: tensor<70000x3xui8>, %o: tensor<2x?xui8>, %p: tensor<?x3xui8>) {
  // expected-error @+1 {{no equivalent in OpenVINO: accumulation of 70000 products}}
  %0 = quant_float.node "MatMulInteger"(%x, %y) opset 21 : (tensor<2x70000xui8>, tensor<70000x3xui8>) -> tensor<2x3xi32>
  %c = quant_float.constant dense<1> : tensor<ui8>
  // expected-error @+1 {{no equivalent in OpenVINO: an operand of rank 0}}
  %2 = quant_float.node "MatMulInteger"(%x, %c) opset 21 : (tensor<2x70000xui8>, tensor<ui8>) -> tensor<2xi32>
  // expected-error @+1 {{no equivalent in OpenVINO: the size of the reduction axis is not known}}
  %1 = quant_float.node "MatMulInteger"(%o, %p) opset 21 : (tensor<2x?xui8>, tensor<?x3xui8>) -> tensor<2x3xi32>
  return
}
