//===- TestMatrix.cpp - The test matrix of ONNX's conversions -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/TestMatrix.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

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
static bool hasZeroPointFor(const Format &quantized, bool isPresent) {
  return isPresent && !(quantized.isFloat() &&
                        quantized.overflow == Overflow::BySaturateAttribute);
}

static Conversion makeCast(const Format &from, const Format &to, int64_t opset,
                           bool saturate, ScaleRounding rounding) {
  Conversion conversion(Kind::Cast, &from, &to);
  if (conversion.hasSaturate())
    conversion.rules.saturate = saturate;
  if (conversion.hasRoundMode())
    conversion.rules.scaleRounding = rounding;
  // Before opset 24, FNUZ types map infinity differently (C4).
  if (conversion.hasSaturate() && saturate && opset < 24 &&
      to.specials == Specials::NegativeZero)
    conversion.rules.opset = 23;
  return conversion;
}

static Conversion makeQuantize(const Format &from, const Format &scale,
                               const Format &to, int64_t opset, bool saturate,
                               const Format *precision, bool hasZeroPoint) {
  Conversion conversion(Kind::Quantize, &from, &to, &scale);
  conversion.precision = resolvePrecision(from, scale, precision, opset);
  conversion.hasZeroPoint = hasZeroPointFor(to, hasZeroPoint);
  if (conversion.hasSaturate())
    conversion.rules.saturate = saturate;
  return conversion;
}

static Conversion makeDequantize(const Format &from, const Format &scale,
                                 const Format &to, bool hasZeroPoint) {
  Conversion conversion(Kind::Dequantize, &from, &to, &scale);
  conversion.hasZeroPoint = hasZeroPointFor(from, hasZeroPoint);
  return conversion;
}

namespace {
/// The operand of the tensor of an operation on blocks.
enum class Level { None, Amax, Scale };
} // namespace

static void setLevel(Conversion &conversion, Level level) {
  conversion.hasZeroPoint = level != Level::None;
  conversion.isTensorAmax = level == Level::Amax;
}

static Conversion makeBlockScale(BlockRule rule, const Format &from,
                                 const Format &element, const Format &scale,
                                 Level level) {
  Conversion conversion(Kind::BlockScale, &from, &scale);
  conversion.destination = &element;
  conversion.blockRule = rule;
  setLevel(conversion, level);
  return conversion;
}

static Conversion makeBlockElements(BlockRule rule, const Format &from,
                                    const Format &scale, const Format &element,
                                    Level level) {
  Conversion conversion(Kind::BlockElements, &from, &element, &scale);
  conversion.blockRule = rule;
  setLevel(conversion, level);
  return conversion;
}

static Conversion makeBlockDequantize(const Format &element,
                                      const Format &scale, const Format &to,
                                      Level level, bool isTensorFirst) {
  Conversion conversion(Kind::BlockDequantize, &element, &to, &scale);
  conversion.isTensorFirst = isTensorFirst;
  setLevel(conversion, level);
  return conversion;
}

static Conversion makeTensorScale() {
  const Format *f32 = findFormat("f32");
  return Conversion(Kind::TensorScale, f32, f32);
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
    std::string name =
        llvm::formatv("{0}-{1}", getOpName(version.op), version.since);
    cells.push_back({std::move(name), conversion});
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
              bool isAllowed = hasZeroPoint || to->name == "ui8" ||
                               version.has(OpAttribute::OutputDtype);
              if (isAllowed)
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

/// Adds the cells of the ops on blocks for elements and scales of these types.
static void addBlockCells(const Format &element, const Format &scale,
                          MLIRContext &context, std::vector<Cell> &cells) {
  Type elementType = parseType(StringRef(element.name), &context);
  Type scaleType = parseType(StringRef(scale.name), &context);
  if (!reference::isBlockElement(elementType) ||
      !reference::isBlockScale(scaleType))
    return;
  for (const char *name : {"f32", "f16", "bf16"}) {
    const Format &wide = *findFormat(name);
#define QUANT_FLOAT_BLOCK_SCALE_RULE(Name, Keyword, ...)                       \
  if (reference::isSupported(reference::BlockScaleRule::Name, elementType,     \
                             scaleType))                                       \
    for (Level level : {Level::None, Level::Amax, Level::Scale}) {             \
      BlockRule rule = BlockRule::Name;                                        \
      bool isTwoLevel = level != Level::None;                                  \
      if (isTwoLevel !=                                                        \
          reference::isTwoLevel(reference::BlockScaleRule::Name))              \
        continue;                                                              \
      cells.push_back({"block_scale " Keyword,                                 \
                       makeBlockScale(rule, wide, element, scale, level)});    \
      cells.push_back({"block_quantize_elements " Keyword,                     \
                       makeBlockElements(rule, wide, scale, element, level)}); \
    }
#include "quant-float/Reference/BlockScaleRules.def"
    for (auto [level, isTensorFirst] :
         {std::pair(Level::None, false), std::pair(Level::Scale, false),
          std::pair(Level::Scale, true)})
      cells.push_back(
          {"block_dequantize",
           makeBlockDequantize(element, scale, wide, level, isTensorFirst)});
  }
}

std::vector<Cell> certify::listCells(MLIRContext &context) {
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
  size_t count, numVersions = cells.size();
  const Format *formats = getFormats(count);
  for (const Format *element = formats; element != formats + count; ++element)
    for (const Format *scale = formats; scale != formats + count; ++scale)
      addBlockCells(*element, *scale, context, cells);
  cells.push_back({"tensor_scale", makeTensorScale()});
  // Bring the cells of each rule together.
  llvm::sort(
      cells.begin() + numVersions, cells.end(),
      [](const Cell &a, const Cell &b) { return a.version < b.version; });
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

/// Sets the type of the random bits. Returns false if these have 16 bits, which
/// are too many to try.
static bool setRandom(Conversion &conversion, mlir::Value random) {
  conversion.random = random ? getFormat(random.getType()) : nullptr;
  return !conversion.random || conversion.random->bits <= 8;
}

/// Sets the projection of an operation of IEEE P3109, and its random bits.
static SmallVector<Conversion>
findProjected(Conversion conversion, ProjectionAttr attr, mlir::Value random) {
  if (!setRandom(conversion, random))
    return {};
  reference::Projection projection = getReferenceProjection(attr);
  conversion.rules.projection = {
      static_cast<DraftRounding>(projection.rounding),
      static_cast<DraftSaturation>(projection.saturation),
      conversion.random ? conversion.random->bits : 0};
  return {conversion};
}

static SmallVector<Conversion> find(CastOp op) {
  auto getAny = [](Type type) {
    return isa<StringType>(getElementTypeOrSelf(type)) ? &getStringFormat()
                                                       : getFormat(type);
  };
  const Format *from = getAny(op.getInput().getType());
  const Format *to = getAny(op.getType());
  if (op.getProjection())
    return findProjected(Conversion(Kind::Cast, from, to), *op.getProjection(),
                         op.getRandom());
  if (!from || !to || !op.hasOnnxRules() ||
      (from == to && from == &getStringFormat()))
    return {};
  if (op.getRandom()) {
    Conversion conversion =
        makeCast(*from, *to, kNewestOpset, op.getSaturate().value_or(true),
                 ScaleRounding::Up);
    // A cast to the same type keeps all bits (V7).
    if (!setRandom(conversion, op.getRandom()) || from == to)
      return {};
    return {conversion};
  }
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
    return {};
  }
  return {makeCast(*from, *to, op.getMode() ? kNewestOpset : op.getOpset(),
                   op.getSaturate().value_or(true), rounding)};
}

static SmallVector<Conversion> find(QuantizeOp op) {
  Conversion conversion = makeQuantize(
      *getFormat(op.getInput().getType()), *getFormat(op.getScale().getType()),
      *getFormat(op.getType()), getOpset(op.getOpset(), op.getDomain()),
      op.getSaturate().value_or(true), getPrecision(op.getPrecision()),
      !!op.getZeroPoint());
  if (!setRandom(conversion, op.getRandom()))
    return {};
  return {conversion};
}

static SmallVector<Conversion> find(DequantizeOp op) {
  return {makeDequantize(*getFormat(op.getInput().getType()),
                         *getFormat(op.getScale().getType()),
                         *getFormat(op.getType()), !!op.getZeroPoint())};
}

static SmallVector<Conversion> find(QdqOp op) {
  Conversion conversion = makeQuantize(
      *getFormat(op.getInput().getType()), *getFormat(op.getScale().getType()),
      *getFormat(op.getStorage()), getOpset(op.getOpset(), op.getDomain()),
      op.getSaturate().value_or(true), getPrecision(op.getPrecision()),
      !!op.getZeroPoint());
  conversion.kind = Kind::Qdq;
  conversion.destination = conversion.to;
  conversion.to = conversion.from;
  if (!setRandom(conversion, op.getRandom()))
    return {};
  return {conversion};
}

static SmallVector<Conversion> find(FakeConvertOp op) {
  const Format *format = getFormat(op.getType());
  Conversion conversion(Kind::FakeConvert, format, format, format);
  conversion.destination = getFormat(op.getDestination());
  conversion.hasZeroPoint = !!op.getShift();
  reference::FakeConvertOptions options = op.getReferenceOptions();
  FakeConvertRules &rules = conversion.fakeConvertRules;
  rules.mode = static_cast<certify::FakeConvertMode>(options.mode);
  rules.positiveZero = options.positiveZero;
  rules.neutralShift = options.neutralShift;
  // f32 has no rounding of the reciprocal.
  if (format->bits < 32)
    rules.reciprocal = static_cast<Reciprocal>(options.reciprocal);
  return {conversion};
}

//===----------------------------------------------------------------------===//
// Operations on blocks
//===----------------------------------------------------------------------===//

static BlockRule getRule(BlockScaleRule rule) {
  return static_cast<BlockRule>(getReferenceRule(rule));
}

static Level getLevel(mlir::Value amax, mlir::Value scale) {
  return amax ? Level::Amax : scale ? Level::Scale : Level::None;
}

static SmallVector<Conversion> find(TensorScaleOp op) {
  return {makeTensorScale()};
}

static SmallVector<Conversion> find(BlockScaleOp op) {
  return {makeBlockScale(getRule(op.getRule()),
                         *getFormat(op.getAmax().getType()),
                         *getFormat(op.getElement()), *getFormat(op.getType()),
                         getLevel(op.getTensorAmax(), op.getTensorScale()))};
}

static SmallVector<Conversion> find(BlockQuantizeElementsOp op) {
  Conversion conversion = makeBlockElements(
      getRule(op.getRule()), *getFormat(op.getInput().getType()),
      *getFormat(op.getScale().getType()), *getFormat(op.getType()),
      getLevel(op.getTensorAmax(), op.getTensorScale()));
  if (!setRandom(conversion, op.getRandom()))
    return {};
  return {conversion};
}

static SmallVector<Conversion> find(BlockDequantizeOp op) {
  return {makeBlockDequantize(
      *getFormat(op.getInput().getType()), *getFormat(op.getScale().getType()),
      *getFormat(op.getType()), getLevel({}, op.getTensorScale()),
      op.getOrder() == ScaleOrder::TensorFirst)};
}

/// The largest magnitudes are exact, so they add no conversion.
static SmallVector<Conversion> find(BlockQuantizeOp op) {
  const Format &from = *getFormat(op.getInput().getType());
  const Format &element = *getFormat(op.getValues().getType());
  const Format &scale = *getFormat(op.getScales().getType());
  BlockRule rule = getRule(op.getRule());
  bool isAmax = op.getTensorAmax() || op.getComputedTensorScale();
  Level level = isAmax                ? Level::Amax
                : op.getTensorScale() ? Level::Scale
                                      : Level::None;
  SmallVector<Conversion> all = {
      makeBlockScale(rule, from, element, scale, level),
      makeBlockElements(rule, from, scale, element, level)};
  if (!setRandom(all.back(), op.getRandom()))
    return {};
  if (op.getComputedTensorScale())
    all.push_back(makeTensorScale());
  return all;
}

template <typename OpTy>
static SmallVector<Conversion> findBlockConversion(OpTy op, Kind kind) {
  Conversion conversion(kind, getFormat(op.getInput().getType()),
                        getFormat(op.getType()),
                        getFormat(op.getScale().getType()));
  return findProjected(conversion, op.getProjection(), op.getRandom());
}

static SmallVector<Conversion> find(ConvertToBlockOp op) {
  return findBlockConversion(op, Kind::ConvertToBlock);
}

static SmallVector<Conversion> find(ConvertFromBlockOp op) {
  return findBlockConversion(op, Kind::ConvertFromBlock);
}

static SmallVector<Conversion> find(PhiloxOp op) {
  for (const Conversion &conversion : listPhilox())
    if (conversion.to == getFormat(op.getType()))
      return {conversion};
  return {};
}

SmallVector<Conversion> certify::findConversions(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Conversion>>(op)
      .Case<CastOp, QuantizeOp, DequantizeOp, QdqOp, FakeConvertOp,
            TensorScaleOp, BlockScaleOp, BlockQuantizeOp,
            BlockQuantizeElementsOp, BlockDequantizeOp, ConvertToBlockOp,
            ConvertFromBlockOp, PhiloxOp>([](auto op) { return find(op); })
      .Default(SmallVector<Conversion>());
}
