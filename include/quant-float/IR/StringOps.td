//===- StringOps.td - Operations on strings in memory --------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_STRINGOPS_TD
#define QUANT_FLOAT_IR_STRINGOPS_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "quant-float/IR/QuantFloatBase.td"

// The storage type of a string is i64, the address of the string, so that ops
// that move elements also move strings. The ops are destination-style: on
// tensors of storage types they have a result, on memrefs they write to `init`.
class QuantFloat_StringOp<string opMnemonic, list<Trait> traits = []>
    : QuantFloat_Op<opMnemonic, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  code initsDeclaration = [{
    MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
  let extraClassDeclaration = initsDeclaration;
  let hasVerifier = 1;
}

def QuantFloat_CastStringsOp : QuantFloat_StringOp<"cast_strings", [
    QuantFloat_HasDefaultAttributes]> {
  let summary = "Converts numbers to strings or strings to numbers";
  let description = [{
    Applies `quant_float.cast` from `from` to `to` to each element of `input`;
    one of both types is `!quant_float.string` (C14). The operands have the
    storage types. `convert-quant-float-to-linalg` creates this op, and
    `quant-float-lower-strings` lowers it to a call of the entry runtime.

    Constraints:
    - `input` and `init` are both tensors, and the op has a result of `init`'s
      type, or both are memrefs, and the op has no result;
    - they have the same rank, and their static sizes are equal;
    - their element types are the storage types of `from` and `to`.

    Example:

    ```mlir
    %1 = quant_float.cast_strings %0 to %init from f32 to !quant_float.string
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
    (`saturate` $saturate^)? (`infinity_is_nan` $infinity_is_nan^)?
    (`round_mode` $round_mode^)?
    attr-dict `:` type($input) `,` type($init) (`->` type($results)^)?
  }];
}

def QuantFloat_LoadStringsOp : QuantFloat_StringOp<"load_strings"> {
  let summary = "Creates strings from their bytes";
  let description = [{
    Element i, in row-major order, is the string of the bytes from `offsets[i]`
    (inclusive) to `offsets[i + 1]` (exclusive) of `bytes`, as in a
    `qf_strings`. The strings refer to `bytes`, which must stay valid. Constants
    of strings are lowered to constants of `offsets` and `bytes`.

    Constraints:
    - all operands are tensors, and the op has a result of `init`'s type, or all
      are memrefs, and the op has no result;
    - `offsets` has one more element than `init`, whose shape is static.

    Example:

    ```mlir
    %1 = quant_float.load_strings %offsets, %bytes to %init
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

#endif // QUANT_FLOAT_IR_STRINGOPS_TD
