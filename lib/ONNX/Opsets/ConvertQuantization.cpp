//===- ConvertQuantization.cpp - Quantization in another opset ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts casts, quantizes and dequantizes to the attributes of another opset.
// The op is modified in place. Then its verifier determines whether the opset
// has it, and its semantics whether the meaning is unchanged.
//
//===----------------------------------------------------------------------===//

#include "../Common/Types.h"
#include "OpsetConverter.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

bool OpsetConverter::isValid(Operation *op) {
  std::string reason;
  bool isValid;
  {
    ScopedDiagnosticHandler handler(op->getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      if (reason.empty())
                                        reason = diagnostic.str();
                                      return success();
                                    });
    isValid = succeeded(verify(op, /*verifyRecursively=*/false));
  }
  if (!isValid)
    refuse(op, reason.substr(reason.find("op ") == std::string::npos
                                 ? 0
                                 : reason.find("op ") + 3));
  return isValid;
}

/// Whether `saturate` affects conversions to the type.
static bool overflows(Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  return type && type.getWidth() == 8;
}

bool onnx_import::dropIgnored(QuantizationOpInterface op,
                              const OpVersion &version) {
  auto ignored = op->getAttrOfType<ArrayAttr>("ignored_attributes");
  if (!ignored)
    return false;
  SmallVector<Attribute> remaining;
  for (Attribute name : ignored) {
    bool isKnown = llvm::any_of(getOpAttributes(), [&](OpAttribute attribute) {
      return getAttributeName(attribute) == cast<StringAttr>(name).getValue() &&
             version.has(attribute);
    });
    if (isKnown)
      remaining.push_back(name);
  }
  if (remaining.size() == ignored.size())
    return false;
  if (remaining.empty())
    op->removeAttr("ignored_attributes");
  else
    op->setAttr("ignored_attributes",
                ArrayAttr::get(op->getContext(), remaining));
  return true;
}

/// Converts a quantize or a dequantize to the operator of ONNX in the
/// opset, or to that of another domain.
static void restate(QuantizationOpInterface op, StringRef domain,
                    int64_t opset) {
  bool quantizes = isa<QuantizeOp>(op.getOperation());
  OpKind kind =
      domain.empty()
          ? (quantizes ? OpKind::QuantizeLinear : OpKind::DequantizeLinear)
          : (quantizes ? OpKind::MicrosoftQuantizeLinear
                       : OpKind::MicrosoftDequantizeLinear);
  Builder builder(op->getContext());
  op->setAttr("opset", builder.getI64IntegerAttr(opset));
  if (!domain.empty())
    op->setAttr("domain", builder.getStringAttr(domain));
  const OpVersion &version = *getOpVersion(kind, opset);
  (void)dropIgnored(op, version);
  auto quantize = dyn_cast<QuantizeOp>(op.getOperation());
  if (!quantize)
    return;
  // The callers compare the semantics to detect whether the attributes had an
  // effect.
  if (!version.has(OpAttribute::Saturate))
    quantize.removeSaturateAttr();
  if (!version.has(OpAttribute::Precision))
    quantize.removePrecisionAttr();
}

bool OpsetConverter::isExpressible(QuantizationOpInterface op,
                                   StringRef domain) {
  // The schemas of com.microsoft have no blocks, although the
  // kernels of ONNX Runtime do.
  if (!domain.empty() && op.getBlockSizeAttribute().value_or(0) != 0)
    return false;
  auto lacks = [&](Type type) {
    return !hasElementType(options, getElementTypeOrSelf(type));
  };
  if (llvm::any_of(op->getOperandTypes(), lacks) ||
      llvm::any_of(op->getResultTypes(), lacks))
    return false;
  ScopedDiagnosticHandler silent(op->getContext(),
                                 [](Diagnostic &) { return success(); });
  Operation *copy = op->clone();
  restate(cast<QuantizationOpInterface>(copy), domain,
          domain.empty() ? options.opset
                         : getNewestOpset(OpKind::MicrosoftQuantizeLinear));
  bool isSame = succeeded(verify(copy, /*verifyRecursively=*/false));
  if (auto quantize = dyn_cast<QuantizeOp>(op.getOperation());
      quantize && isSame)
    isSame = quantize.getSemantics().precision ==
             cast<QuantizeOp>(copy).getSemantics().precision;
  copy->destroy();
  return isSame;
}

bool OpsetConverter::sayByMicrosoft(QuantizationOpInterface op) {
  if (!options.usesMicrosoft || isExpressible(op, "") ||
      !isExpressible(op, kMicrosoftDomain))
    return false;
  restate(op, kMicrosoftDomain,
          getNewestOpset(OpKind::MicrosoftQuantizeLinear));
  note(op, ConversionKind::Restated, "as an operator of com.microsoft");
  return true;
}

static ConversionKind getKind(const OpVersion *old, const OpVersion *version,
                              StringRef detail) {
  return old == version && detail.empty() ? ConversionKind::Unchanged
                                          : ConversionKind::Restated;
}

static void say(std::string &detail, const Twine &message) {
  detail += ((detail.empty() ? "" : ", ") + message).str();
}

/// Returns an integer for which rounding to f64 before the cast to `type`
/// changes the result: it is next to a power of two or to a tie, and f64 rounds
/// it to that.
static int64_t getIntegerRoundedTwice(Type type, RoundMode mode) {
  constexpr int64_t kPower = int64_t(1) << 62;
  if (!isa<Float8E8M0FNUType>(type))
    return kPower + (kPower >> (FloatFormat(type).mantissaBits + 1)) + 1;
  if (mode == RoundMode::Up)
    return kPower + 1;
  return mode == RoundMode::Down ? kPower + (kPower - 1)
                                 : kPower + (kPower >> 1) - 1;
}

void OpsetConverter::convertCast(CastOp op) {
  if (op.getMode())
    return refuse(op, "it does not have ONNX semantics");
  OpKind kind = op.getLike() ? OpKind::CastLike : OpKind::Cast;
  const OpVersion *old = getOpVersion(kind, op.getOpset());
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getType());
  CastSemantics before = op.getSemantics();
  std::string detail;
  if (op.getLike() && !getOpVersion(kind, options.opset)) {
    op.setLike(false);
    kind = OpKind::Cast;
    say(detail, "as Cast");
  }
  op.setOpset(options.opset);
  const OpVersion *version = getOpVersion(kind, options.opset);
  if (op.getSaturate() && version && !version->has(OpAttribute::Saturate) &&
      (before.saturate || !overflows(to))) {
    op.removeSaturateAttr();
    say(detail, "without saturate");
  }
  bool isScale = isa<Float8E8M0FNUType>(to);
  if (op.getRoundMode() && version && !version->has(OpAttribute::RoundMode) &&
      (before.roundMode == RoundMode::Up || !isScale)) {
    op.removeRoundModeAttr();
    say(detail, "without round_mode");
  }
  // f64 represents all integers of up to 32 bits. Casts of 64-bit integers
  // would be rounded twice.
  if (!hasElementType(options, to) && isFloat(to) && getNumberWidth(to) < 32 &&
      isa<IntegerType>(from) && areDecoded(op.getResult()) &&
      !getArithmeticType(from, cast<FloatType>(to)))
    return refuse(
        op, describeUnsupportedType(to) +
                ", and arithmetic in double would round integers such as " +
                Twine(getIntegerRoundedTwice(to, before.roundMode)) + " twice");
  if (!isValid(op) || !hasResultTypes(op))
    return;
  CastSemantics after = op.getSemantics();
  bool isFnuz = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(to);
  auto hasInfinity = [](Type type) {
    auto floats = dyn_cast<FloatType>(type);
    return floats && llvm::APFloat::semanticsHasInf(floats.getFloatSemantics());
  };
  // A string can be "inf".
  bool canBeInfinite = hasInfinity(from) || !from.isIntOrFloat();
  if (isFnuz && from != to && canBeInfinite && before.saturate &&
      before.infinityIsNaN != after.infinityIsNaN)
    return refuse(
        op, (from.isIntOrFloat() ? "an infinity becomes " : "'inf' becomes ") +
                Twine(before.infinityIsNaN ? "NaN" : "the maximum") +
                " only in opsets " +
                (before.infinityIsNaN ? "below 24" : "from 24 on"));
  if ((overflows(to) && before.saturate != after.saturate) ||
      (isScale && before.roundMode != after.roundMode))
    return refuse(op, "its default attributes differ");
  note(op, getKind(old, version, detail), detail);
}

void OpsetConverter::convertQuantize(QuantizeOp op) {
  if (op.getDomain()) {
    if (hasResultTypes(op))
      note(op, ConversionKind::Unchanged);
    return;
  }
  if (sayByMicrosoft(op))
    return;
  const OpVersion *old = getOpVersion(OpKind::QuantizeLinear, op.getOpset());
  const OpVersion *version =
      getOpVersion(OpKind::QuantizeLinear, options.opset);
  QuantizeSemantics before = op.getSemantics();
  Type result = op.getQuantizedElementType();
  std::string detail;
  op.setOpset(options.opset);
  if (dropIgnored(op, *version))
    say(detail, "without attributes that have no effect");
  if (op.getSaturate() && !version->has(OpAttribute::Saturate) &&
      (before.saturate || !overflows(result))) {
    op.removeSaturateAttr();
    say(detail, "without saturate");
  }
  // The default precision differs between versions; the semantics are compared
  // below.
  if (op.getPrecision() && !version->has(OpAttribute::Precision)) {
    op.removePrecisionAttr();
    say(detail, "without precision");
  }
  if (!isValid(op) || !hasResultTypes(op))
    return;
  if (op.getSemantics().precision != before.precision &&
      version->has(OpAttribute::Precision)) {
    op.setPrecisionAttr(TypeAttr::get(before.precision));
    say(detail, "with precision " + getOnnxTypeName(before.precision));
    if (!isValid(op))
      return;
  }
  QuantizeSemantics after = op.getSemantics();
  if (after.precision != before.precision)
    return refuse(op, "it divides in " + getOnnxTypeName(before.precision) +
                          ", but would divide in " +
                          getOnnxTypeName(after.precision));
  if (overflows(result) && after.saturate != before.saturate)
    return refuse(op, "it would saturate");
  note(op, getKind(old, version, detail), detail);
}

void OpsetConverter::convertDequantize(DequantizeOp op) {
  if (isKept(op)) {
    if (hasResultTypes(op))
      note(op, ConversionKind::Unchanged);
    return;
  }
  if (sayByMicrosoft(op))
    return;
  const OpVersion *old = getOpVersion(OpKind::DequantizeLinear, op.getOpset());
  const OpVersion *version =
      getOpVersion(OpKind::DequantizeLinear, options.opset);
  std::string detail;
  op.setOpset(options.opset);
  if (dropIgnored(op, *version))
    say(detail, "without attributes that have no effect");
  if (isValid(op) && hasResultTypes(op))
    note(op, getKind(old, version, detail), detail);
}
