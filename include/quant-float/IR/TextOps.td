//===- TextOps.td - Operations on strings in memory --------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_TEXTOPS_TD
#define QUANT_FLOAT_IR_TEXTOPS_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "quant-float/IR/QuantFloatBase.td"

// Below tensors of strings an element is the address of a text, an i64: what
// moves elements moves strings. The ops are on tensors of storage types, with a
// result, and on buffers, where they write to `init`.
class QuantFloat_TextOp<string opMnemonic> : QuantFloat_Op<opMnemonic, [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  code extraTextDeclaration = [{
    MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
  let extraClassDeclaration = extraTextDeclaration;
  let hasVerifier = 1;
}

def QuantFloat_CastTextsOp : QuantFloat_TextOp<"cast_texts"> {
  let summary = "converts numbers to strings, or strings to numbers, in memory";
  let description = [{
    What `quant_float.cast` between `from` and `to` does to each element of
    `input`, of which one is `!quant_float.string` (C14). The operands have the
    storage types; `quant-float-lower-texts` makes a call of it.

    Constraints:
    - `input` and `init` are both tensors, and then the op has a result of
      `init`'s type, or both buffers, and then it has none;
    - they have the same rank, sizes that are known of both are equal;
    - their elements are of the storage types of `from` and `to`.

    Example:

    ```mlir
    %1 = quant_float.cast_texts %0 to %init from f32 to !quant_float.string
           : tensor<?xf32>, tensor<?xi64> -> tensor<?xi64>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$input,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$init,
    TypeAttr:$from,
    TypeAttr:$to,
    DefaultValuedAttr<BoolAttr, "true">:$saturate,
    DefaultValuedAttr<BoolAttr, "false">:$infinity_is_nan,
    DefaultValuedAttr<QuantFloat_RoundModeAttr, "RoundMode::Up">:$round_mode);
  let assemblyFormat = [{
    $input `to` $init `from` $from `to` $to
    attr-dict `:` type($input) `,` type($init) (`->` type($results)^)?
  }];
}

def QuantFloat_LoadTextsOp : QuantFloat_TextOp<"load_texts"> {
  let summary = "makes strings of their bytes";
  let description = [{
    Element i, in row-major order, is the string from byte `offsets[i]` up to
    `offsets[i + 1]` of `bytes`, as in a `qf_strings`. The bytes have to stay
    where they are; constants of strings become constants of both.

    Constraints:
    - all operands are tensors, and then the op has a result of `init`'s type,
      or buffers, and then it has none;
    - `offsets` has one element more than `init`, whose sizes are known.

    Example:

    ```mlir
    %1 = quant_float.load_texts %offsets, %bytes to %init
           : tensor<3xi64>, tensor<7xi8>, tensor<2xi64> -> tensor<2xi64>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[1DTensorOf<[I64]>, MemRefRankOf<[I64], [1]>]>:$offsets,
    AnyTypeOf<[1DTensorOf<[I8]>, MemRefRankOf<[I8], [1]>]>:$bytes,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$init);
  let assemblyFormat = [{
    $offsets `,` $bytes `to` $init
    attr-dict `:` type($offsets) `,` type($bytes) `,` type($init)
    (`->` type($results)^)?
  }];
}

#endif // QUANT_FLOAT_IR_TEXTOPS_TD
