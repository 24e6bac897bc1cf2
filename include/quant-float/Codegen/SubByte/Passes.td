//===- Passes.td - Elements of less than a byte ------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_SUBBYTE_PASSES_TD
#define QUANT_FLOAT_CODEGEN_SUBBYTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatLowerPackedElementsPass
    : Pass<"quant-float-lower-packed-elements", "mlir::ModuleOp"> {
  let summary = "Lower packed elements to byte accesses";
  let description = [{
    Matches buffers of i2, i4 and i6, whose elements are packed (P1), as the
    caller of an entry point or the model provides them: element n starts at bit
    n times its width. The pass converts such a buffer to one of bytes, whose
    sizes, strides and offset still count elements, so that the descriptor does
    not change. It converts every access to accesses of the bytes that contain
    the element:

    - loads shift and mask; stores merge the element into the existing byte;
    - vectors along the last dimension are loaded and stored as a whole, shifted
      by the bit offset of their first element within a byte, and unpacked to
      one element per byte;
    - the alignment of a `vector.store` states that it begins on a byte
      boundary.

    With `permutes`, elementwise ops on a vector of encodings of up to 4 bits,
    possibly with operands that are uniform over the vector, become a table
    lookup directly from the packed bits: the table holds the result for each
    encoding. If `register-bytes` is the size of an AVX2 register, this is only
    done if the table is constant.

    Constants become arrays of their packed bytes. The bits after the last
    element of a result are zero. Each byte is accessed by one thread only:
    passes that distribute work among threads split results on byte boundaries.
    With `in-order`, as in GPU kernels, a thread writes the elements of a byte
    in order from the first, and each store clears the bits after its element.

    ```mlir
    %0 = memref.load %m[%i] : memref<?xi4>
    // becomes, where %half is %i / 2, and %shift is 4 if %i is odd, else 0
    %1 = memref.load %bytes[%half] : memref<?xi8>
    %2 = arith.shrui %1, %shift : i8
    %3 = arith.trunci %2 : i8 to i4
    ```

    Runs on memrefs and vector transfers, after linalg ops are lowered, and
    before `quant-float-lower-vector-transfers`.
  }];
  let options = [
    Option<"permutes", "permutes", "bool", /*default=*/"false",
           "the target has AVX-512 VBMI permutes">,
    Option<"registerBytes", "register-bytes", "int64_t", /*default=*/"0",
           "size in bytes of a register of AVX2 or AVX-512, if the target has one of "
           "these">,
    Option<"inOrder", "in-order", "bool", /*default=*/"false",
           "one thread writes the elements of a byte in order">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

#endif // QUANT_FLOAT_CODEGEN_SUBBYTE_PASSES_TD
