//===- QuantFloatDialect.td - The quant_float dialect ------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_DIALECT_TD
#define QUANT_FLOAT_IR_DIALECT_TD

include "mlir/IR/OpBase.td"

def QuantFloat_Dialect : Dialect {
  let name = "quant_float";
  let cppNamespace = "::mlir::quant_float";
  let summary = "Conversions to and from low-precision floats, by opset";
  let description = [{
    Conversions between number formats as ONNX, OpenVINO and the draft of IEEE
    P3109 define them, and quantization to the block formats MX and NVFP4.
    Formats are float8, float6, float4, the e8m0 scale format, 2- and 4-bit
    integers and the usual floats and integers.

    Ops that implement a versioned operator have an `opset` attribute. It
    selects the rules, because they changed over time: the types that a version
    accepts, its attributes and the result of an infinity. Only the verifier
    checks versions; later stages query the op for its resolved semantics.

    Element types are MLIR's builtin types. `iN` represents ONNX's intN, `uiN`
    represents uintN, `i1` represents bool, and `!quant_float.string` represents
    string.

    Nodes of a model that have no op in this dialect are represented by
    `quant_float.node`, so that the whole model is preserved in a round trip.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 0;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Types of IEEE P3109 are spelled by their names, which contain their
    /// parameters: `!quant_float.binary8p4se`. `binary8p4sf` and `binary8p3sf`
    /// are also accepted, and are f8E4M3FNUZ and f8E5M2FNUZ.
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

#endif // QUANT_FLOAT_IR_DIALECT_TD
