//===- BinaryType.cpp - Formats of IEEE P3109 -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/BinaryType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::quant_float;

MLIR_DEFINE_EXPLICIT_TYPE_ID(mlir::quant_float::BinaryType)

/// The formats that are builtin types.
static constexpr BinaryParameters kE4M3FNUZ = {8, 4, true, false};
static constexpr BinaryParameters kE5M2FNUZ = {8, 3, true, false};

std::string BinaryParameters::getName() const {
  return "binary" + std::to_string(width) + "p" + std::to_string(precision) +
         (isSigned ? "s" : "u") + (isExtended ? "e" : "f");
}

LogicalResult
BinaryType::verifyInvariants(function_ref<InFlightDiagnostic()> emitError,
                             const BinaryParameters &parameters) {
  auto [width, precision, isSigned, isExtended] = parameters;
  if (width < 3 || width > 8)
    return emitError() << "expected a format of 3 to 8 bits, but got "
                       << parameters.getName();
  // A sign takes one bit, and a signed format has at least one bit of exponent.
  unsigned max = isSigned ? width - 1 : width;
  if (precision < 1 || precision > max)
    return emitError() << "expected a precision between 1 and " << max
                       << ", but got " << parameters.getName();
  // getBinaryType returns the builtin types of these.
  return success(!(parameters == kE4M3FNUZ) && !(parameters == kE5M2FNUZ));
}

Type quant_float::getBinaryType(function_ref<InFlightDiagnostic()> emitError,
                                MLIRContext *context,
                                const BinaryParameters &parameters) {
  if (parameters == kE4M3FNUZ)
    return Float8E4M3FNUZType::get(context);
  if (parameters == kE5M2FNUZ)
    return Float8E5M2FNUZType::get(context);
  return BinaryType::getChecked(emitError, context, parameters);
}

std::optional<BinaryParameters> quant_float::getBinaryParameters(Type type) {
  if (auto binary = dyn_cast<BinaryType>(type))
    return binary.getParameters();
  if (isa<Float8E4M3FNUZType>(type))
    return kE4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return kE5M2FNUZ;
  return std::nullopt;
}

std::optional<BinaryParameters> quant_float::parseBinaryName(StringRef name) {
  BinaryParameters parameters;
  if (!name.consume_front("binary") && !name.consume_front("Binary"))
    return std::nullopt;
  if (name.starts_with("0") || name.consumeInteger(10, parameters.width) ||
      !name.consume_front("p") || name.starts_with("0") ||
      name.consumeInteger(10, parameters.precision) || name.size() != 2 ||
      !StringRef("su").contains(name[0]) || !StringRef("ef").contains(name[1]))
    return std::nullopt;
  parameters.isSigned = name[0] == 's';
  parameters.isExtended = name[1] == 'e';
  return parameters;
}
