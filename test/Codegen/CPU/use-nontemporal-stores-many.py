# A function with too many loops gets no second version of them. A function with fewer loops does.
# RUN: %python %s 64 > %t.few.mlir
# RUN: quant-float-opt %t.few.mlir --quant-float-use-nontemporal-stores | FileCheck %s --check-prefix=FEW
# RUN: %python %s 65 > %t.many.mlir
# RUN: quant-float-opt %t.many.mlir --quant-float-use-nontemporal-stores | FileCheck %s --check-prefix=MANY
# FEW-COUNT-64: nontemporal = true
# FEW-NOT: nontemporal
# MANY-NOT: nontemporal
import sys

LOOP = """
  scf.for %i = %c0 to %n step %c64 {
    %in = memref.subview %x[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<64xf32, strided<[1], offset: ?>>, vector<64xf32>
    vector.transfer_write %0, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, strided<[1], offset: ?>>
  }"""
print(
    "func.func @join.kernel(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quant_float.entry_point = {}} {",
    "  %c0 = arith.constant 0 : index",
    "  %c64 = arith.constant 64 : index",
    "  %p = ub.poison : f32",
    LOOP * int(sys.argv[1]),
    "  return",
    "}",
    sep="\n",
)
