// Ops on blocks as text, in generic form and as bytecode.
// RUN: quant-float-opt %s | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --mlir-print-op-generic | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --emit-bytecode | quant-float-opt | FileCheck %s

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<4x70xf32>, %d: tensor<?x?xbf16>, %a: tensor<f32>, %r: tensor<4x70xui8>) {
  // CHECK: block_quantize %{{.+}} block [1, 32] rule {{.*}}rceil : tensor<4x70xf32> to tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU>
  %q:2 = quant_float.block_quantize %x block [1, 32] rule rceil : tensor<4x70xf32> to tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU>
  // CHECK: block_quantize %{{.+}} block [-1, -1] rule {{.*}}absmax : tensor<?x?xbf16> to tensor<?x?xi8>, tensor<1x1xf32>
  %t:2 = quant_float.block_quantize %d block [-1, -1] rule absmax : tensor<?x?xbf16> to tensor<?x?xi8>, tensor<1x1xf32>
  // CHECK: block_quantize %{{.+}} block [1, 16] rule {{.*}}torchao : tensor<4x70xf32> to tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>, tensor<f32>
  %n:3 = quant_float.block_quantize %x block [1, 16] rule torchao : tensor<4x70xf32> to tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>, tensor<f32>
  // CHECK: block_quantize %{{.+}} tensor_amax(%{{.+}} : tensor<f32>) block [1, 16] rule {{.*}}transformer_engine :
  %m:3 = quant_float.block_quantize %x tensor_amax(%a : tensor<f32>) block [1, 16] rule transformer_engine : tensor<4x70xf32> to tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>, tensor<f32>
  // CHECK: block_quantize %{{.+}} tensor_scale(%{{.+}} : tensor<f32>) block [1, 16] rule {{.*}}model_optimizer :
  %g:2 = quant_float.block_quantize %x tensor_scale(%a : tensor<f32>) block [1, 16] rule model_optimizer : tensor<4x70xf32> to tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>
  // CHECK: block_quantize %{{.+}} block [1, 32] rule {{.*}}floor round_mode {{.*}}stochastic random(%{{.+}} : tensor<4x70xui8>) :
  %s:2 = quant_float.block_quantize %x block [1, 32] rule floor round_mode stochastic random(%r : tensor<4x70xui8>) : tensor<4x70xf32> to tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>
  return
}

// CHECK-LABEL: @dequantize
func.func @dequantize(%q: tensor<4x70xf8E4M3FN>, %s: tensor<4x3xf8E8M0FNU>, %n: tensor<4x64xf4E2M1FN>, %e: tensor<4x4xf8E4M3FN>, %t: tensor<1xf32>,
                      %v: vector<8xf6E2M3FN>, %w: vector<8xf8E8M0FNU>) {
  // CHECK: block_dequantize %{{.+}}, %{{.+}} block [1, 32] : tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU> to tensor<4x70xf16>
  %0 = quant_float.block_dequantize %q, %s block [1, 32] : tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU> to tensor<4x70xf16>
  // CHECK: block_dequantize %{{.+}}, %{{.+}} tensor_scale(%{{.+}} : tensor<1xf32>) block [1, 16] order {{.*}}tensor_first :
  %1 = quant_float.block_dequantize %n, %e tensor_scale(%t : tensor<1xf32>) block [1, 16] order tensor_first : tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN> to tensor<4x64xf32>
  // CHECK: block_dequantize %{{.+}}, %{{.+}} : vector<8xf6E2M3FN>, vector<8xf8E8M0FNU> to vector<8xf32>
  %2 = quant_float.block_dequantize %v, %w : vector<8xf6E2M3FN>, vector<8xf8E8M0FNU> to vector<8xf32>
  return
}

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<4x64xf32>, %m: tensor<f32>, %a: f32, %v: vector<8xf32>, %s: f8E8M0FNU) {
  // CHECK: %[[A:.+]] = quant_float.block_amax %{{.+}} block [1, 16] : tensor<4x64xf32> to tensor<4x4xf32>
  %0 = quant_float.block_amax %x block [1, 16] : tensor<4x64xf32> to tensor<4x4xf32>
  // CHECK: quant_float.block_amax %{{.+}} block [1, 16] finite : tensor<4x64xf32> to tensor<4x4xf32>
  %finite = quant_float.block_amax %x block [1, 16] finite : tensor<4x64xf32> to tensor<4x4xf32>
  // CHECK: quant_float.tensor_scale %{{.+}} : tensor<f32>
  %1 = quant_float.tensor_scale %m : tensor<f32>
  // CHECK: %[[S:.+]] = quant_float.block_scale %[[A]] tensor_amax(%{{.+}} : tensor<f32>) rule {{.*}}compressed_tensors element f4E2M1FN : tensor<4x4xf32> to tensor<4x4xf8E4M3FN>
  %2 = quant_float.block_scale %0 tensor_amax(%m : tensor<f32>) rule compressed_tensors element f4E2M1FN : tensor<4x4xf32> to tensor<4x4xf8E4M3FN>
  // CHECK: quant_float.block_quantize_elements %{{.+}}, %[[S]] tensor_scale(%{{.+}} : tensor<f32>) block [1, 16] rule {{.*}}compressed_tensors :
  %3 = quant_float.block_quantize_elements %x, %2 tensor_scale(%1 : tensor<f32>) block [1, 16] rule compressed_tensors : tensor<4x64xf32>, tensor<4x4xf8E4M3FN> to tensor<4x64xf4E2M1FN>
  // CHECK: quant_float.block_scale %{{.+}} rule {{.*}}even element f6E3M2FN : f32 to f8E8M0FNU
  %4 = quant_float.block_scale %a rule even element f6E3M2FN : f32 to f8E8M0FNU
  // CHECK: quant_float.block_quantize_elements %{{.+}}, %{{.+}} rule {{.*}}even : f32, f8E8M0FNU to f6E3M2FN
  %5 = quant_float.block_quantize_elements %a, %s rule even : f32, f8E8M0FNU to f6E3M2FN
  return
}

// CHECK-LABEL: @layouts
func.func @layouts(%s: tensor<2x130x5xf8E8M0FNU>, %d: tensor<?x?xf32>) {
  // CHECK: %[[P:.+]] = quant_float.pack_scales %{{.+}} layout {{.*}}tile_128x4 : tensor<2x130x5xf8E8M0FNU> to tensor<2x2048xf8E8M0FNU>
  %0 = quant_float.pack_scales %s layout tile_128x4 : tensor<2x130x5xf8E8M0FNU> to tensor<2x2048xf8E8M0FNU>
  // CHECK: quant_float.unpack_scales %[[P]] layout {{.*}}tile_128x4 : tensor<2x2048xf8E8M0FNU> to tensor<2x130x5xf8E8M0FNU>
  %1 = quant_float.unpack_scales %0 layout tile_128x4 : tensor<2x2048xf8E8M0FNU> to tensor<2x130x5xf8E8M0FNU>
  // CHECK: quant_float.pack_scales %{{.+}} layout {{.*}}deepgemm_f32 : tensor<?x?xf32> to tensor<?xf32>
  %2 = quant_float.pack_scales %d layout deepgemm_f32 : tensor<?x?xf32> to tensor<?xf32>
  return
}
