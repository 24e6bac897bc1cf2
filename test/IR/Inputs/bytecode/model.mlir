module {
  func.func @cast(%arg0: tensor<4xf32>, %arg1: vector<16xui4>, %arg2: tensor<*xf32>, %arg3: f32) {
    %0 = quant_float.cast %arg0 opset 13 : tensor<4xf32> to tensor<4xf16>
    %1 = quant_float.cast %arg0 opset 19 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
    %2 = quant_float.cast %arg0 like opset 24 saturate true round_mode nearest {note = "kept"} : tensor<4xf32> to tensor<4xf8E8M0FNU>
    %3 = quant_float.cast %arg1 opset 21 : vector<16xui4> to vector<16xbf16>
    %4 = quant_float.cast %arg2 opset 24 : tensor<*xf32> to tensor<*x!quant_float.string>
    %5 = quant_float.cast %arg3 opset 25 round_mode up : f32 to f8E8M0FNU
    %6 = quant_float.cast %arg3 opset 28 round_mode down : f32 to f8E8M0FNU
    %7 = quant_float.storage_cast %arg1 : vector<16xui4> to vector<16xi8>
    return
  }
  func.func @constant() -> (ui8, tensor<2xui4>) {
    %cst = quant_float.constant 255 : ui8
    %cst_0 = quant_float.constant dense<[1, 2]> : tensor<2xui4>
    return %cst, %cst_0 : ui8, tensor<2xui4>
  }
  func.func @node(%arg0: tensor<?x64xf32>, %arg1: tensor<i1>) {
    %0 = quant_float.node "Clip"(%arg0, %arg0) opset 1 domain "com.microsoft" attributes {alpha = 5.000000e-01 : f32} absent [1] name "act/clip" : (tensor<?x64xf32>, tensor<?x64xf32>) -> !quant_float.unknown
    %1 = quant_float.node "If"(%arg1) opset 21 : (tensor<i1>) -> !quant_float.opaque<"seq(tensor(float))"> bodies ["then_branch", "else_branch"] {
      quant_float.yield %0 : !quant_float.unknown
    }, {
      quant_float.yield %arg0 : tensor<?x64xf32>
    }
    return
  }
  func.func @quantize(%arg0: tensor<64x128xf32>, %arg1: tensor<64x4xf32>, %arg2: tensor<64x4xui4>, %arg3: tensor<f16>, %arg4: tensor<f32>) {
    %0 = quant_float.quantize %arg0, %arg1, %arg2 axis 1 block_size 32 opset 21 : tensor<64x128xf32>, tensor<64x4xf32>, tensor<64x4xui4> to tensor<64x128xui4>
    %1 = quant_float.dequantize %0, %arg1, %arg2 axis 1 block_size 32 opset 21 : tensor<64x128xui4>, tensor<64x4xf32>, tensor<64x4xui4> to tensor<64x128xf32>
    %2 = quant_float.quantize %arg0, %arg3 opset 23 saturate false precision f32 : tensor<64x128xf32>, tensor<f16> to tensor<64x128xf8E5M2>
    %3 = quant_float.quantize %arg0, %arg4 opset 1 domain "com.microsoft" : tensor<64x128xf32>, tensor<f32> to tensor<64x128xui8>
    %4 = quant_float.qdq %arg0, %arg4 storage f8E4M3FN opset 23 : tensor<64x128xf32>, tensor<f32> to tensor<64x128xf32>
    return
  }
  func.func @fakeconvert(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x3xbf16>, %arg3: tensor<bf16>) {
    %0 = quant_float.fakeconvert %arg0, %arg1 to f8E4M3FN opset 13 : tensor<2x3xf32>, tensor<3xf32> to tensor<2x3xf32>
    %1 = quant_float.fakeconvert %arg0, %arg1 to f8E5M2 mode openvino_reference opset 14 : tensor<2x3xf32>, tensor<3xf32> to tensor<2x3xf32>
    %2 = quant_float.fakeconvert %arg0, %arg1, %arg1 to f8E5M2 mode exact opset 15 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32> to tensor<2x3xf32>
    %3 = quant_float.fakeconvert %arg2, %arg3, %arg3 to f8E5M2 mode openvino reciprocal openvino positive_zero neutral_shift opset 13 : tensor<2x3xbf16>, tensor<bf16>, tensor<bf16> to tensor<2x3xbf16>
    %4 = quant_float.fakeconvert %arg2, %arg3 to f8E5M2 mode openvino reciprocal nearest opset 13 : tensor<2x3xbf16>, tensor<bf16> to tensor<2x3xbf16>
    %5 = quant_float.fakeconvert %arg0, %arg1 to f8E5M2 mode openvino reciprocal single opset 13 : tensor<2x3xf32>, tensor<3xf32> to tensor<2x3xf32>
    return
  }
  func.func @elements(%arg0: f32, %arg1: ui8, %arg2: vector<16xf16>) {
    %0 = quant_float.quantize_elements %arg0, %arg0, %arg1 : f32, f32, ui8 to ui8
    %1 = quant_float.quantize_elements %arg2, %arg2 saturate false : vector<16xf16>, vector<16xf16> to vector<16xf8E4M3FN>
    return
  }
}
