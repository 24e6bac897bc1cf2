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
    Conversions between number formats as ONNX defines them: float8 in four
    encodings, float6, float4, the e8m0 scale format, 2- and 4-bit integers and
    the usual floats and integers.

    Every op carries the `opset` whose rules it follows, because those rules
    changed over time: the types a version accepts, the attributes it has and
    the value it gives to infinities. The verifier is the only place that asks
    about versions; later stages ask the op for its resolved semantics.

    Element types are MLIR's builtin ones. `iN` stands for ONNX's intN, `uiN`
    for uintN, `i1` for bool, and `!quant_float.string` for string.

    Ops and values of a model that are none of this dialect's business are kept
    as `quant_float.node`, so that a whole model survives a round trip.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

#endif // QUANT_FLOAT_IR_DIALECT_TD
