//===- TestMatrix.cpp - The test matrix of ONNX's conversions -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/TestMatrix.h"

#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Conversion::Kind;

/// The opset whose semantics com.microsoft's operators have (V9).
static constexpr int64_t kMicrosoftOpset = 21;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Returns the type in which a quantization divides, P in D2.
static const Format *resolvePrecision(const Format &from, const Format &scale,
                                      const Format *precision, int64_t opset) {
  bool isInteger = from.isInteger();
  const Format *wide = findFormat(isInteger ? "f64" : "f32");
  if (opset < 23)
    return isInteger ? wide : &from;
  if (precision)
    return precision;
  // A float8 scale does not determine the precision, like f8E8M0FNU (F1).
  if (scale.isFloat() && scale.bits > 8)
    return &scale;
  return scale.isInteger() ? findFormat("f64") : wide;
}

/// Whether a zero point affects the result. float8 ignores it (D3, D5).
static bool hasZeroPointFor(const Format &codes, bool isPresent) {
  return isPresent && !(codes.isFloat() && codes.overflow == Overflow::AsAsked);
}

static Conversion makeCast(const Format &from, const Format &to, int64_t opset,
                           bool saturate, ScaleRounding rounding) {
  Conversion one;
  one.from = &from;
  one.to = &to;
  if (one.hasSaturate())
    one.rules.saturate = saturate;
  if (one.hasRoundMode())
    one.rules.scaleRounding = rounding;
  // Before opset 24, FNUZ types map infinity differently (C4).
  if (one.hasSaturate() && saturate && opset < 24 &&
      to.specials == Specials::NegativeZero)
    one.rules.opset = 23;
  return one;
}

static Conversion makeQuantize(const Format &from, const Format &scale,
                               const Format &to, int64_t opset, bool saturate,
                               const Format *precision, bool hasZeroPoint) {
  Conversion one;
  one.kind = Kind::Quantize;
  one.from = &from;
  one.to = &to;
  one.scale = &scale;
  one.precision = resolvePrecision(from, scale, precision, opset);
  one.hasZeroPoint = hasZeroPointFor(to, hasZeroPoint);
  if (one.hasSaturate())
    one.rules.saturate = saturate;
  return one;
}

static Conversion makeDequantize(const Format &from, const Format &scale,
                                 const Format &to, bool hasZeroPoint) {
  Conversion one;
  one.kind = Kind::Dequantize;
  one.from = &from;
  one.to = &to;
  one.scale = &scale;
  one.hasZeroPoint = hasZeroPointFor(from, hasZeroPoint);
  return one;
}

//===----------------------------------------------------------------------===//
// The opset rules
//===----------------------------------------------------------------------===//

namespace {
/// Adds the cells of one version of an operator.
class VersionCells {
public:
  VersionCells(const OpVersion &version, std::vector<Cell> &cells)
      : version(version), cells(cells),
        opset(version.op == OpKind::MicrosoftQuantizeLinear ||
                      version.op == OpKind::MicrosoftDequantizeLinear
                  ? kMicrosoftOpset
                  : version.since) {}

  void addCasts();
  void addQuantizations();
  void addDequantizations();

private:
  void add(const Conversion &conversion) {
    cells.push_back({version.op, version.since, conversion});
  }
  std::vector<const Format *> list(OpRole role) const;
  std::vector<bool> listSaturate() const {
    return version.has(OpAttribute::Saturate) ? std::vector{true, false}
                                              : std::vector{true};
  }

  const OpVersion &version;
  std::vector<Cell> &cells;
  int64_t opset;
};
} // namespace

std::vector<const Format *> VersionCells::list(OpRole role) const {
  std::vector<const Format *> formats;
  for (const ElementInfo &element : kElements)
    if (version.accepts(role, element.number))
      if (const Format *format = findFormat(element.mlir))
        formats.push_back(format);
  return formats;
}

void VersionCells::addCasts() {
  std::vector<ScaleRounding> roundings = {ScaleRounding::Up};
  if (version.has(OpAttribute::RoundMode))
    roundings = {ScaleRounding::Up, ScaleRounding::Down,
                 ScaleRounding::Nearest};
  for (const Format *from : list(OpRole::First))
    for (const Format *to : list(OpRole::Second))
      for (bool saturate : listSaturate())
        for (ScaleRounding rounding : roundings)
          add(makeCast(*from, *to, opset, saturate, rounding));
}

void VersionCells::addQuantizations() {
  std::vector<const Format *> precisions = {nullptr};
  if (version.has(OpAttribute::Precision))
    for (const char *name : {"f32", "f16", "bf16", "f64"})
      precisions.push_back(findFormat(name));
  for (const Format *from : list(OpRole::First))
    for (const Format *scale : list(OpRole::Second)) {
      if (version.has(OpRelation::ScaleHasInputType) && scale != from)
        continue;
      for (const Format *to : list(OpRole::Third))
        for (bool saturate : listSaturate())
          for (const Format *precision : precisions)
            for (bool hasZeroPoint : {false, true}) {
              // Without a zero point or output_dtype the result is ui8 (Q5).
              bool canBe = hasZeroPoint || to->name == "ui8" ||
                           version.has(OpAttribute::OutputDtype);
              if (canBe)
                add(makeQuantize(*from, *scale, *to, opset, saturate, precision,
                                 hasZeroPoint));
            }
    }
}

void VersionCells::addDequantizations() {
  for (const Format *from : list(OpRole::First))
    for (const Format *scale : list(OpRole::Second))
      for (const Format *to : list(OpRole::Third))
        for (bool hasZeroPoint : {false, true})
          // Without output_dtype the result has the type of the scale (Q5).
          if (to == scale || version.has(OpAttribute::OutputDtype))
            add(makeDequantize(*from, *scale, *to, hasZeroPoint));
}

std::vector<Cell> certify::listCells() {
  static constexpr std::pair<OpKind, void (VersionCells::*)()> kOps[] = {
      {OpKind::Cast, &VersionCells::addCasts},
      {OpKind::CastLike, &VersionCells::addCasts},
      {OpKind::QuantizeLinear, &VersionCells::addQuantizations},
      {OpKind::MicrosoftQuantizeLinear, &VersionCells::addQuantizations},
      {OpKind::DequantizeLinear, &VersionCells::addDequantizations},
      {OpKind::MicrosoftDequantizeLinear, &VersionCells::addDequantizations}};
  std::vector<Cell> cells;
  for (auto [op, add] : kOps)
    for (const OpVersion &version : getOpVersions(op))
      (VersionCells(version, cells).*add)();
  return cells;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Returns null for strings and for types without a data type number.
static const Format *getFormat(Type type) {
  std::optional<int32_t> number = getDataType(getElementTypeOrSelf(type));
  return number ? findFormat(findElement(*number)->mlir) : nullptr;
}

static int64_t getOpset(int64_t opset, std::optional<StringRef> domain) {
  if (domain == kOwnDomain)
    return kNewestOpset;
  return domain == kMicrosoftDomain ? kMicrosoftOpset : opset;
}

static const Format *getPrecision(std::optional<Type> type) {
  return type ? getFormat(*type) : nullptr;
}

static std::optional<Conversion> find(CastOp op) {
  const Format *from = getFormat(op.getInput().getType());
  const Format *to = getFormat(op.getType());
  if (!from || !to || op.getRandom() || op.getMode() == CastMode::OpenVINO)
    return std::nullopt;
  ScaleRounding rounding = ScaleRounding::Up;
  switch (op.getRoundMode().value_or(RoundMode::Up)) {
  case RoundMode::Up:
    break;
  case RoundMode::Down:
    rounding = ScaleRounding::Down;
    break;
  case RoundMode::Nearest:
    rounding = ScaleRounding::Nearest;
    break;
  case RoundMode::Stochastic:
    return std::nullopt;
  }
  return makeCast(*from, *to, op.getMode() ? kNewestOpset : op.getOpset(),
                  op.getSaturate().value_or(true), rounding);
}

static std::optional<Conversion> find(QuantizeOp op) {
  if (op.getRandom())
    return std::nullopt;
  return makeQuantize(
      *getFormat(op.getInput().getType()), *getFormat(op.getScale().getType()),
      *getFormat(op.getType()), getOpset(op.getOpset(), op.getDomain()),
      op.getSaturate().value_or(true), getPrecision(op.getPrecision()),
      !!op.getZeroPoint());
}

static std::optional<Conversion> find(DequantizeOp op) {
  return makeDequantize(*getFormat(op.getInput().getType()),
                        *getFormat(op.getScale().getType()),
                        *getFormat(op.getType()), !!op.getZeroPoint());
}

static std::optional<Conversion> find(QdqOp op) {
  if (op.getRandom())
    return std::nullopt;
  Conversion one = makeQuantize(
      *getFormat(op.getInput().getType()), *getFormat(op.getScale().getType()),
      *getFormat(op.getStorage()), getOpset(op.getOpset(), op.getDomain()),
      op.getSaturate().value_or(true), getPrecision(op.getPrecision()),
      !!op.getZeroPoint());
  one.kind = Kind::Qdq;
  one.destination = one.to;
  one.to = one.from;
  return one;
}

static std::optional<Conversion> find(FakeConvertOp op) {
  Conversion one;
  one.kind = Kind::FakeConvert;
  one.from = one.to = one.scale = getFormat(op.getType());
  one.destination = getFormat(op.getDestination());
  one.hasZeroPoint = !!op.getShift();
  reference::FakeConvertOptions options = op.getReferenceOptions();
  FakeConvertRules &rules = one.fakeConvertRules;
  rules.mode = static_cast<certify::FakeConvertMode>(options.mode);
  rules.positiveZero = options.positiveZero;
  rules.neutralShift = options.neutralShift;
  // f32 has no rounding of the reciprocal.
  if (one.from->bits < 32)
    rules.reciprocal = static_cast<Reciprocal>(options.reciprocal);
  return one;
}

std::optional<Conversion> certify::findConversion(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Conversion>>(op)
      .Case<CastOp, QuantizeOp, DequantizeOp, QdqOp, FakeConvertOp>(
          [](auto op) { return find(op); })
      .Default(std::nullopt);
}
