//===- QuantFloatTypes.td - Types and type constraints -----*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_TYPES_TD
#define QUANT_FLOAT_IR_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "quant-float/IR/QuantFloatDialect.td"

class QuantFloat_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<QuantFloat_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def QuantFloat_StringType : QuantFloat_Type<"String", "string",
    [DeclareTypeInterfaceMethods<VectorElementTypeInterface>]> {
  let summary = "a UTF-8 string, ONNX's tensor(string) element";
  let description = [{
    The element type of ONNX `tensor(string)`. Tensors of strings are cast from
    and to numbers (C14) and moved; no op computes on single strings.
  }];
}

def QuantFloat_Float8UE5M3Type : QuantFloat_Type<"Float8UE5M3", "f8UE5M3",
    [DeclareTypeInterfaceMethods<VectorElementTypeInterface>]> {
  let summary = "an 8-bit float without a sign: 5 bits of exponent, 3 of mantissa";
  let description = [{
    A type of block scales, which the matrix instructions of AMD's gfx1250
    accept. The exponent bias is 15. The encoding 0x00 is 0, 0x01 to 0x07 are
    subnormal (the smallest is 2^-17), 0xFE is 114688, the largest value, and
    0xFF is NaN. There is no infinity.

    MLIR 24 has a builtin type of this format, `f8E5M3FNU`, which
    `quant-float-legalize-arith` converts to this type. This type does not
    implement MLIR's FloatTypeInterface, because LLVM 22 and 23 have no
    fltSemantics for it. Constants are integers that a
    `quant_float.storage_cast` reinterprets.
  }];
}

/// The formats of IEEE P3109 with at most 8 bits, `!quant_float.binary8p4se`.
/// The class is in Support/BinaryType.h.
def QuantFloat_BinaryType : Type<
    CPred<"::llvm::isa<::mlir::quant_float::BinaryType>($_self)">,
    "a format of IEEE P3109", "::mlir::quant_float::BinaryType">;

def QuantFloat_UnknownType : QuantFloat_Type<"Unknown", "unknown"> {
  let summary = "a value whose type is not specified in the model file";
}

def QuantFloat_OpaqueType : QuantFloat_Type<"Opaque", "opaque"> {
  let summary = "a value of a type that has no MLIR counterpart";
  let description = [{
    Holds the type as the source format spells it, e.g.
    `!quant_float.opaque<"seq(tensor(float))">`.
  }];
  let parameters = (ins StringRefParameter<"the source format's spelling">:$spelling);
  let assemblyFormat = "`<` $spelling `>`";
}

//===----------------------------------------------------------------------===//
// Type constraints (docs/rules.md, T)
//===----------------------------------------------------------------------===//

def QuantFloat_Float : AnyTypeOf<[
  F16, BF16, F32, F64, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU,
  F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ,
  QuantFloat_Float8UE5M3Type, QuantFloat_BinaryType],
  "a floating-point type of ONNX or quant_float">;

def QuantFloat_Integer : AnyTypeOf<[
  SignlessIntOfWidths<[1, 2, 4, 8, 16, 32, 64]>,
  UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>], "an integer type of ONNX">;

def QuantFloat_Element : AnyTypeOf<[
  QuantFloat_Float, QuantFloat_Integer, QuantFloat_StringType],
  "an element type of ONNX or quant_float">;

// A scalar, a vector or a tensor (ranked or unranked, static or dynamic) of
// these element types.
def QuantFloat_Value : AnyTypeOf<[
  QuantFloat_Element, VectorOfAnyRankOf<[QuantFloat_Element]>,
  TensorOf<[QuantFloat_Element]>],
  "a scalar, vector or tensor of an ONNX or quant_float element type">;

#endif // QUANT_FLOAT_IR_TYPES_TD
