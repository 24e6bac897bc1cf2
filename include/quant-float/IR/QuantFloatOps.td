//===- QuantFloatOps.td - Operations -----------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_OPS_TD
#define QUANT_FLOAT_IR_OPS_TD

include "quant-float/IR/BlockOps.td"
include "quant-float/IR/QuantFloatBase.td"
include "quant-float/IR/QuantizationOps.td"
include "quant-float/IR/StringOps.td"

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

def QuantFloat_CastOp : QuantFloat_Op<"cast", [
    Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>
    ] # ElementwiseMappable.traits> {
  let summary = "Converts each element to another type";
  let description = [{
    Converts each element of `input` to the element type of the result, with the
    semantics of ONNX Cast at `opset`, or of ONNX CastLike if `like` is set
    (C15).

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
    - to an integer: the value is rounded toward zero and saturated to 32 bits
      (to 64 bits if the result has 64 bits or is ui32), and its low bits are
      the result; NaN gives 0 (C11);
    - integer to integer: the low bits (C12); to `i1`: true unless zero (C13).

    A NaN keeps its sign and becomes quiet and canonical (C2, C5, C7). A cast to
    the input's element type is the identity, bit for bit (V7).

    *OpenVINO's semantics.* With `mode openvino` the op is OpenVINO's Convert,
    and `opset` is an OpenVINO opset. For most pairs of types, this is
    equivalent to one or several ONNX casts, which the canonicalizer makes
    explicit: casts from and to f64 go through f32, casts to float8 go through
    f16 and do not saturate. Otherwise:
    - from floats to integers, the value is truncated to a 32-bit integer
      (64-bit for 64-bit results and ui32), which is the lowest integer if the
      value is NaN or out of range; the low bits of this integer are the result.
      To `i1`, the result is true for numbers other than 0, and false for NaN;
    - to f8E8M0FNU: to nearest, ties to the even encoding; zero, negative values
      and NaN with the sign bit set give the encoding 0, and infinity gives 254;
    - to f4E2M1FN: a NaN gives 6 with the sign of the NaN;
    - from f64 and integers of more than 8 bits to bf16, through f32: if the
      last bit that is kept is 1, half a unit in the last place is added; then
      the value is truncated.

    *Stochastic rounding.* With `round_mode stochastic` the second operand,
    `random`, determines the direction of rounding (S2). Let `fraction` be the
    fractional distance of the input from its neighbor nearer to zero, and k the
    width of the elements of `random`. The input is rounded away from zero if
    the fraction, truncated to k bits, and the random bits add up to at least 1:

    ```
    up = floor(fraction * 2^k) + random[i] >= 2^k
    ```

    Exactly floor(fraction * 2^k) of the 2^k values of the random bits round up.
    For uniformly distributed bits, this is the probability of rounding up in
    units of 2^-k. The rounded value then overflows or underflows as above.

    *Types that ONNX lacks.* With `mode quant_float`, at `opset` 1, the op is
    ONNX's Cast-28 with four more types (F1): f8E3M4 and f8E4M3, which follow
    the rules of f8E5M2; f8E4M3B11FNUZ, which follows those of the FNUZ types
    (F2); and !quant_float.f8UE5M3, for which a value that rounds to a number
    below zero becomes 0, or NaN with `saturate false` (F3).

    *IEEE P3109.* With `mode p3109`, at `opset` 1, the op is the operation
    Convert of the draft that `projection` names (I1 to I6). The types are f64,
    f32, f16, bf16 and the formats of the draft with 3 to 8 bits, such as
    `!quant_float.binary8p4se`; `f8E4M3FNUZ` and `f8E5M2FNUZ` are Binary8p4sf and
    Binary8p3sf. Zero has no sign, also in f32. The number is rounded to the
    precision of the result as if exponents had no upper bound:

    ```
    Q = max(floor(log2|x|), 1 - B) - P + 1, S = |x| * 2^-Q, v = S - floor(S)
    rounded = sign(x) * (floor(S) + away) * 2^Q
    ```

    | rounding | away |
    |---|---|
    | NearestTiesToEven | v > 1/2, or v = 1/2 and the encoding below is odd |
    | NearestTiesToAway | v >= 1/2 |
    | TowardPositive, TowardNegative | v > 0, and x > 0 or x < 0 |
    | TowardZero | never |
    | ToOdd | v > 0 and the encoding below is even |
    | StochasticA | floor(v * 2^N) + R >= 2^N |
    | StochasticB | floor(v * 2^(N+1)) + 2R + 1 >= 2^(N+1) |
    | StochasticC | v * 2^N rounded to nearest, ties to even, + R >= 2^N |

    R is the N bits of `random`. A rounded number beyond the finite range, and an
    infinity, then saturate:
    - SatFinite: the end of the range;
    - SatPropagate: an infinity remains if the result's type has it; otherwise as
      SatFinite;
    - SatNone: a finite number that a directed rounding keeps from infinity (above
      with TowardZero or TowardNegative, below with TowardZero or TowardPositive)
      becomes the end of the range; all others become an infinity if the type has
      it, or else NaN.

    Constraints:
    - (V1) the input's element type is one that the op version accepts;
    - (V2) so is the result's;
    - (V3) an attribute that the op version lacks is absent; a value that later
      became the default is an error, too. `saturate` exists from 19,
      `round_mode` from 24;
    - (V4) `opset` is between the op's first version (1; CastLike 15) and 28; with
      `mode openvino` between 1 and 15, with `mode quant_float` and `mode p3109` 1;
    - `mode quant_float` excludes `like`;
    - (I1) `mode p3109` requires `projection` and vice versa, excludes `like`,
      `saturate` and `round_mode`, and has the types above, which no other mode
      has; stochastic roundings require `random`, with the input's shape and
      elements of ui2, ui4, ui8 or ui16, and the others exclude it;
    - (S1) `random` requires `round_mode stochastic` and vice versa, and both
      require `mode quant_float`; `random` has the input's shape and elements of
      ui2, ui4, ui8 or ui16; the input's elements are f32, f16 or bf16, the
      result's are f16, bf16, float8 with a mantissa, float6 or float4;
    - `mode openvino` excludes `like`, `saturate` and `round_mode`, and the
      types are a pair that OpenVINO converts: no FNUZ types, float6, string or
      i2; f8E8M0FNU only to floats and from f16, bf16 and f32; f4E2M1FN
      likewise, and to integers of 4 and 8 bits;
    - (V8) input and result have compatible shapes; the result of a ranked
      tensor is ranked (`tensor.cast` drops the rank).

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
    %7 = quant_float.cast %0 mode p3109 opset 1
           projection <D1, NearestTiesToEven, SatNone>
           : tensor<4x?xf32> to tensor<4x?x!quant_float.binary8p4se>
    ```

    Source: ONNX Cast 1, 6, 9, 13, 19, 21, 23, 24, 25, 28; CastLike 15, 19, 21,
    23, 24, 25. OpenVINO Convert-1, whose specification does not define the
    results of values that are out of range: they are those of the CPU plugin
    with the precision hint f32, or of Model.evaluate for types and widths that
    the plugin lacks.
  }];

  let arguments = (ins
    QuantFloat_Value:$input,
    Optional<QuantFloat_Value>:$random,
    I64Attr:$opset,
    UnitAttr:$like,
    OptionalAttr<BoolAttr>:$saturate,
    OptionalAttr<QuantFloat_RoundModeAttr>:$round_mode,
    OptionalAttr<QuantFloat_CastModeAttr>:$mode,
    OptionalAttr<QuantFloat_ProjectionAttr>:$projection);
  let results = (outs QuantFloat_Value:$result);
  // The encoding of version 0.1, followed by the mode and, in mode p3109, by
  // the projection.
  let useCustomPropertiesEncoding = 1;
  let assemblyFormat = [{
    $input (`,` $random^)? (`like` $like^)? (`mode` $mode^)? `opset` $opset
    (`projection` $projection^)?
    (`saturate` $saturate^)? (`round_mode` $round_mode^)?
    attr-dict `:` type($input) (`,` type($random)^)? `to` type($result)
  }];

  let builders = [
    // The result has the input's shape; `opset` defaults to the newest known.
    OpBuilder<(ins "Value":$input, "Type":$elementType,
                   CArg<"int64_t", "kNewestOpset">:$opset)>
  ];
  let extraClassDeclaration = [{
    /// Returns the semantics of an ONNX cast, resolved from the opset.
    CastSemantics getSemantics();
    /// Whether the mode has the rules of ONNX's Cast: C1 to C15, F1 to F3.
    bool hasOnnxRules() {
      return !getMode() || *getMode() == CastMode::QuantFloat;
    }
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
  let summary = "Generates random bits for each element with a counter-based generator";
  let description = [{
    Generates random bits for each element of the result. The bits depend only
    on `seed`, `offset` and the element's linear index, so they are the same on
    every CPU and GPU (S3). The generator is Philox 4x32-10 (Salmon et al.,
    "Parallel random numbers: as easy as 1, 2, 3", 2011), which maps a 64-bit
    key and a 128-bit counter to four 32-bit words. Elements are numbered in
    row-major order; each block of four shares a counter:

    ```
    words     = philox4x32_10(key = seed, counter = offset + i / 4)
    result[i] = words[i % 4] >> (32 - k)        // of k bits
    ```

    Key and counter are stored with the least significant word first. The
    counter's upper half is 0, and `offset + i / 4` wraps. A call that continues
    the sequence of another one has an `offset` that is larger by ceil(elements
    / 4).

    Constraints:
    - (S3) `seed` and `offset` are rank-0 tensors of i64, interpreted as bits;
      the result has elements of ui2, ui4, ui8, ui16 or ui32;
    - (V8) the result has the shape of `like`, whose elements are not read.

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
  let summary = "Reinterprets elements as their storage type, or back";
  let description = [{
    Reinterprets elements between a type and the signless integer type that
    stores one element of it: between `uiN` and `iN`, and between `f4E2M1FN`,
    `f6E2M3FN`, `f6E3M2FN`, `i4`, `ui4`, `i2`, `ui2`, `i1`,
    `!quant_float.f8UE5M3` or a format of IEEE P3109 and `i8`. No value is rounded.

    After the conversion of tensors to storage types, no type is unsigned or
    narrower than a byte: arith is signless, and a vector store of a sub-byte
    type writes packed bytes where the address arithmetic expects one byte per
    element. Encodings are zero-extended to a byte, i4 and i2 are sign-extended,
    and a byte holds nothing else (P3).

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
    Pure, ConstantLike, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Creates a constant of a type that arith.constant does not support";
  let description = [{
    A constant scalar or tensor of unsigned integers. Importers, folders and
    passes create it for types that `arith.constant`, which is signless, does
    not support.

    Example:

    ```mlir
    %0 = quant_float.constant 3 : ui8
    %1 = quant_float.constant dense<[0, 255]> : tensor<2xui8>
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

def QuantFloat_NodeOp : QuantFloat_Op<"node", [
    QuantFloat_HasDefaultAttributes]> {
  let summary = "Represents a node of the source model that has no quant_float op";
  let description = [{
    A node without semantics in this dialect. It keeps the domain, op type,
    opset of the domain, name and attributes of the model. Graph attributes (the
    bodies of If, Loop and Scan) are regions, named by `body_names`; they may
    use values defined outside. `absent_inputs` lists, in increasing order, the
    positions of omitted optional inputs among the source node's inputs.

    Constraints:
    - (N1) `op_type` is not empty, and `body_names` has one name per region;
    - (N2) `absent_inputs` is strictly increasing and less than the number of
      source inputs;
    - (N3) every region is a single block terminated by `quant_float.yield`.

    Example:

    ```mlir
    %1 = quant_float.node "Relu"(%0) opset 21 name "act/relu"
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
    (`name` $node_name^)? attr-dict `:` functional-type($inputs, $results) (`bodies` $body_names^ $bodies)?
  }];
  let hasVerifier = 1;
}

def QuantFloat_YieldOp : QuantFloat_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"NodeOp">]> {
  let summary = "Terminates a region of a node";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to yield */ }]>];
}

#endif // QUANT_FLOAT_IR_OPS_TD
