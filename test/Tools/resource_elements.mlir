// An element of a resource: MLIR's folder of tensor.extract reads dense constants only.
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.float32([1, 2]))"
// RUN: quant-float-run %s --inputs %t.npy --outputs %t.out
// RUN: %python -c "import numpy; print(numpy.load('%t.out/output_0.npy'))" | FileCheck %s
// CHECK: [3. 4.]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense_resource<scalar> : tensor<f32>
  %v = tensor.extract %c[] : tensor<f32>
  %s = tensor.splat %v : tensor<2xf32>
  %0 = arith.addf %x, %s : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      scalar: "0x0400000000000040"
    }
  }
#-}
