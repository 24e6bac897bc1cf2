//===- QuantFloatOps.td - Operations -----------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_OPS_TD
#define QUANT_FLOAT_IR_OPS_TD

include "quant-float/IR/QuantFloatBase.td"
include "quant-float/IR/QuantizationOps.td"
include "quant-float/IR/TextOps.td"

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

def QuantFloat_CastOp : QuantFloat_Op<"cast", [
    Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>
    ] # ElementwiseMappable.traits> {
  let summary = "converts every element to another type";
  let description = [{
    Converts each element of `input` to the element type of the result, as
    ONNX Cast does at `opset`; with `like`, as ONNX CastLike does (C15).

    ```
    result[i] = round_once(input[i])          // nearest, ties to even (C1)
    ```

    *Rounding and overflow.* The exact source value is rounded once (C1).
    - to f16, bf16, f32, f64: overflow gives an infinity, underflow is gradual (C2);
    - to float8: a rounded magnitude above the maximum becomes the maximum, or,
      with `saturate false`, NaN (f8E4M3FN and the FNUZ types) or an infinity
      (f8E5M2) (C3). An infinity counts as overflow, except that opsets 19 to 23
      turn it into NaN for the saturating FNUZ types (C4);
    - to float6 and float4: always saturating; a NaN becomes a zero of the
      opposite sign (C8);
    - to f8E8M0FNU: `round_mode` up (default), down or nearest, ties up (C9);
    - to an integer: toward zero, then the low bits of the value saturated to 32
      bits, or to 64 where the result has 64 bits or is ui32; NaN gives 0 (C11);
    - integer to integer: the low bits (C12); to `i1`: true unless zero (C13).

    NaN keeps its sign and becomes quiet and canonical (C2, C5, C7). A cast to
    the element type it starts from is the identity, bit for bit (V7).

    *As OpenVINO has it.* With `mode openvino` it is OpenVINO's Convert, and
    `opset` one of OpenVINO's. Between most types that is one cast of ONNX or
    several, which the canonical form spells out: f64 goes through f32, everything
    to float8 through f16, not saturating. Otherwise:
    - from floats to integers it cuts to an integer of 32 bits (of 64 for those of
      64 bits and ui32), the lowest where there is none (NaN, too large), of which
      it takes the low bits; to `i1` it asks for a number other than 0, which NaN
      is not;
    - to f8E8M0FNU: to nearest, ties to the even code; what is not above 0 gives
      code 0, also a NaN with a sign, and an infinity 254;
    - to f4E2M1FN: a NaN gives 6 with its sign;
    - from f64 and integers of more than 8 bits to bf16, by way of f32: half a unit
      is added where the last bit kept is 1, else the rest is cut off.

    *Stochastic rounding.* With `round_mode stochastic` the second operand,
    `random`, decides (S2). Between two neighbours a number is rounded to the one
    away from zero if the fraction of the way that it has come, cut off to the k
    bits that an element of `random` has, and the random bits add up to 1 or more:

    ```
    up = floor(fraction * 2^k) + random[i] >= 2^k
    ```

    so of the 2^k values of random bits exactly floor(fraction * 2^k) round up:
    with bits that are alike in likelihood that is the probability of it, in units
    of 2^-k. What rounding makes of the number then over- or underflows as above.

    *Types that ONNX does not have.* With `mode quant_float`, at `opset` 1, it is
    ONNX's Cast-28 with four types more (F1): f8E3M4 and f8E4M3, which are as
    f8E5M2 is, f8E4M3B11FNUZ, as the FNUZ types are (F2), and
    !quant_float.f8UE5M3: a number that is rounded to one below zero becomes 0, or
    with `saturate false` NaN (F3).

    Constraints:
    - (V1) the input's element type is one that the op version accepts;
    - (V2) so is the result's;
    - (V3) no attribute is given that the op version lacks, not even with the
      value that later became its default: `saturate` from 19, `round_mode` from 24;
    - (V4) `opset` is between the op's first version (1; CastLike 15) and 28; with
      `mode openvino` between 1 and 15, with `mode quant_float` 1;
    - with `mode quant_float` there is no `like`;
    - (S1) `random` comes with `round_mode stochastic`, and the two with `mode
      quant_float`; it has the input's shape and elements of ui2, ui4, ui8 or ui16;
      the input is of f32, f16 or bf16, the result of f16, bf16, float8 with a
      mantissa, float6 or float4;
    - with `mode openvino` there is no `like`, `saturate` or `round_mode`, and the
      types are a pair that OpenVINO converts: none of FNUZ, float6, string and i2;
      f8E8M0FNU to floats and from f16, bf16 and f32; f4E2M1FN these and to
      integers of 4 and 8 bits;
    - (V8) input and result have compatible shapes; a tensor with a rank becomes
      one with a rank (`tensor.cast` forgets it).

    Example:

    ```mlir
    %1 = quant_float.cast %0 opset 19 saturate false
           : tensor<4x?xf32> to tensor<4x?xf8E4M3FN>
    %2 = quant_float.cast %s opset 24 round_mode nearest : f32 to f8E8M0FNU
    %3 = quant_float.cast %v like opset 21 : vector<16xui4> to vector<16xbf16>
    %4 = quant_float.cast %0 mode openvino opset 1 : tensor<4x?xf32> to tensor<4x?xi8>
    %5 = quant_float.cast %0 mode quant_float opset 1
           : tensor<4x?xf32> to tensor<4x?x!quant_float.f8UE5M3>
    %6 = quant_float.cast %0, %r mode quant_float opset 1 round_mode stochastic
           : tensor<4x?xf32>, tensor<4x?xui16> to tensor<4x?xbf16>
    ```

    Source: ONNX Cast 1, 6, 9, 13, 19, 21, 23, 24, 25, 28; CastLike 15, 19, 21,
    23, 24, 25. OpenVINO Convert-1, whose text leaves open what does not fit: what
    its CPU plugin gives with the precision hint f32, or Model.evaluate where the
    plugin lacks a type or a width.
  }];

  let arguments = (ins
    QuantFloat_Value:$input,
    Optional<QuantFloat_Value>:$random,
    I64Attr:$opset,
    UnitAttr:$like,
    OptionalAttr<BoolAttr>:$saturate,
    OptionalAttr<QuantFloat_RoundModeAttr>:$round_mode,
    OptionalAttr<QuantFloat_CastModeAttr>:$mode);
  let results = (outs QuantFloat_Value:$result);
  // What files of 0.1 hold, and the mode.
  let useCustomPropertiesEncoding = 1;
  let assemblyFormat = [{
    $input (`,` $random^)? (`like` $like^)? (`mode` $mode^)? `opset` $opset
    (`saturate` $saturate^)? (`round_mode` $round_mode^)?
    attr-dict `:` type($input) (`,` type($random)^)? `to` type($result)
  }];

  let builders = [
    // The result has the input's shape; `opset` defaults to the newest known.
    OpBuilder<(ins "Value":$input, "Type":$elementType,
                   CArg<"int64_t", "kNewestOpset">:$opset)>
  ];
  let extraClassDeclaration = [{
    /// What a cast of ONNX computes, with the versions resolved.
    CastSemantics getSemantics();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// PhiloxOp
//===----------------------------------------------------------------------===//

def QuantFloat_PhiloxOp : QuantFloat_Op<"philox", [
    Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>]> {
  let summary = "random bits for each element, by a counter";
  let description = [{
    Gives each element of the result random bits that follow from `seed`, `offset`
    and its place alone, so that they are the same on every CPU and GPU (S3). The
    generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy
    as 1, 2, 3", 2011), which makes four words of 32 bits of a key of 64 bits and a
    counter of 128. Elements are counted row by row; four have a block:

    ```
    words     = philox4x32_10(key = seed, counter = offset + i / 4)
    result[i] = words[i % 4] >> (32 - k)        // of k bits
    ```

    Key and counter have their lowest word first; the counter's upper half is 0,
    and the sum wraps around. A call that begins where the last one ended has an
    `offset` larger by ceil(elements / 4).

    Constraints:
    - (S3) `seed` and `offset` are tensors of rank 0 of i64, the bits of which are
      taken; the result has elements of ui2, ui4, ui8, ui16 or ui32;
    - (V8) the result has the shape of `like`, of which nothing else is read.

    Example:

    ```mlir
    %1 = quant_float.philox %seed, %offset like %x
           : tensor<i64>, tensor<i64>, tensor<4x?xf32> to tensor<4x?xui16>
    ```
  }];
  let arguments = (ins
    QuantFloat_Value:$seed,
    QuantFloat_Value:$offset,
    QuantFloat_Value:$like);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $seed `,` $offset `like` $like attr-dict
    `:` type($seed) `,` type($offset) `,` type($like) `to` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// StorageCastOp
//===----------------------------------------------------------------------===//

def QuantFloat_StorageCastOp : QuantFloat_Op<"storage_cast",
    [Pure] # ElementwiseMappable.traits> {
  let summary = "moves elements into their storage type, or back";
  let description = [{
    Reinterprets elements between a type and the signless integer that stores
    one element of it: `uiN` and `iN`; `f4E2M1FN`, `f6E2M3FN`, `f6E3M2FN`, `i4`,
    `ui4`, `i2`, `ui2`, `i1`, `!quant_float.f8UE5M3` and `i8`. No value is
    rounded.

    Below tensors nothing is unsigned or narrower than a byte: arith is signless,
    and a vector store of a sub-byte type writes packed bytes where the address
    arithmetic expects one byte per element. Codes are zero-extended into the
    byte, i4 and i2 sign-extended, and a byte holds nothing else (P3).

    Example:

    ```mlir
    %1 = quant_float.storage_cast %0 : vector<16xi8> to vector<16xf4E2M1FN>
    %2 = quant_float.storage_cast %s : ui32 to i32
    ```
  }];
  let arguments = (ins QuantFloat_Value:$input);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

def QuantFloat_ConstantOp : QuantFloat_Op<"constant", [
    Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant of a type that arith.constant does not take";
  let description = [{
    A constant of an unsigned scalar type; folders make it where
    `arith.constant`, which is signless, refuses.

    Example:

    ```mlir
    %0 = quant_float.constant 3 : ui8
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// NodeOp, YieldOp
//===----------------------------------------------------------------------===//

def QuantFloat_NodeOp : QuantFloat_Op<"node"> {
  let summary = "a node of the source model, kept as it is";
  let description = [{
    A node that this dialect gives no meaning: domain, op type, the opset of the
    domain, name and attributes as the model has them. Graph attributes (the
    bodies of If, Loop, Scan) are the regions, named by `body_names`; they may
    use values from outside. `absent_inputs` lists, in increasing order, the
    positions of optional inputs that the node leaves out, counted among the
    source node's inputs.

    Constraints:
    - (N1) `op_type` is not empty, and there is one name per body;
    - (N2) `absent_inputs` is increasing and below the number of source inputs;
    - (N3) every body is one block ended by `quant_float.yield`.

    Example:

    ```mlir
    %1 = quant_float.node "Relu"(%0) opset 21 {node_name = "act/relu"}
           : (tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins
    StrAttr:$op_type,
    Variadic<AnyType>:$inputs,
    DefaultValuedStrAttr<StrAttr, "">:$domain,
    I64Attr:$opset,
    OptionalAttr<StrAttr>:$node_name,
    DefaultValuedAttr<DictionaryAttr, "{}">:$node_attributes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$absent_inputs,
    DefaultValuedAttr<StrArrayAttr, "{}">:$body_names);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = [{
    $op_type `(` $inputs `)` `opset` $opset
    (`domain` $domain^)? (`attributes` $node_attributes^)? (`absent` $absent_inputs^)?
    attr-dict `:` functional-type($inputs, $results) (`bodies` $body_names^ $bodies)?
  }];
  let hasVerifier = 1;
}

def QuantFloat_YieldOp : QuantFloat_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"NodeOp">]> {
  let summary = "ends a body of a node";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to yield */ }]>];
}

#endif // QUANT_FLOAT_IR_OPS_TD
