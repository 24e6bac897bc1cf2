//===- QuantFloatAttributes.cpp - Attributes of passes --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/QuantFloatAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult
TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   TargetKind kind, StringRef processor, StringRef triple,
                   StringRef features) {
  if (kind == TargetKind::CPU) {
    auto cpu = TargetCpu::get(triple, processor, features);
    return cpu ? success() : emitError() << llvm::toString(cpu.takeError());
  }
  if (!triple.empty())
    return emitError() << "expected no triple for a chip, but got '" << triple
                       << "'";
  auto chip = NvidiaChip::get(processor, features);
  return chip ? success() : emitError() << llvm::toString(chip.takeError());
}

//===----------------------------------------------------------------------===//
// ReductionScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ReductionScheduleAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, int64_t lanes,
    int64_t terms, bool consecutive, unsigned xBits) {
  // The product is the size of a chunk.
  constexpr int64_t kMax = 1 << 20;
  if (lanes < 1 || lanes > kMax || terms < 1 || terms > kMax)
    return emitError() << "expected lanes and terms from 1 to " << kMax
                       << ", but got " << lanes << " and " << terms;
  if (xBits != 0 && xBits != 8 && xBits != 16)
    return emitError() << "expected x_bits to be 8 or 16, but got " << xBits;
  return success();
}

void ReductionScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<lanes = " << getLanes() << ", terms = " << getTerms();
  if (getConsecutive())
    printer << ", consecutive";
  if (getXBits())
    printer << ", x_bits = " << getXBits();
  printer << ">";
}

Attribute ReductionScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t lanes = 0, terms = 0;
  unsigned xBits = 0;
  bool consecutive = false;
  if (parser.parseLess() || parser.parseKeyword("lanes") ||
      parser.parseEqual() || parser.parseInteger(lanes) ||
      parser.parseComma() || parser.parseKeyword("terms") ||
      parser.parseEqual() || parser.parseInteger(terms))
    return {};
  bool hasMore = succeeded(parser.parseOptionalComma());
  if (hasMore && succeeded(parser.parseOptionalKeyword("consecutive"))) {
    consecutive = true;
    hasMore = succeeded(parser.parseOptionalComma());
  }
  if (hasMore && (parser.parseKeyword("x_bits") || parser.parseEqual() ||
                  parser.parseInteger(xBits)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ReductionScheduleAttr>(
      loc, parser.getContext(), lanes, terms, consecutive, xBits);
}

//===----------------------------------------------------------------------===//
// LoweringConfigAttr
//===----------------------------------------------------------------------===//

namespace {
/// Whether a config has a part.
enum class Presence { None, Optional, Required };

/// A row of LoweringStrategies.def.
struct StrategyRules {
  LoweringStrategy strategy;
  size_t numSizes, maxTiles;
  Presence instruction, otherwise;
};
} // namespace

static constexpr size_t kAnyNumber = ~size_t(0);
static constexpr StrategyRules kStrategies[] = {
#define QUANT_FLOAT_LOWERING_STRATEGY(Strategy, Sizes, MaxTiles, Instruction,  \
                                      Otherwise)                               \
  {LoweringStrategy::Strategy, Sizes, MaxTiles, Presence::Instruction,         \
   Presence::Otherwise},
#include "LoweringStrategies.def"
};

LogicalResult
LoweringConfigAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                           LoweringStrategy strategy, StringRef instruction,
                           ArrayRef<DenseI64ArrayAttr> tiles,
                           LoweringConfigAttr otherwise) {
  static_assert(std::size(kStrategies) ==
                getMaxEnumValForLoweringStrategy() + 1);
  const StrategyRules &rules = kStrategies[size_t(strategy)];
  assert(rules.strategy == strategy && "expected the order of the enum");
  StringRef name = stringifyLoweringStrategy(strategy);
  auto checkPresence = [&](Presence presence, bool isPresent,
                           StringRef part) -> LogicalResult {
    if (presence == Presence::Optional ||
        isPresent == (presence == Presence::Required))
      return success();
    return emitError() << "expected " << (isPresent ? "no " : "") << part
                       << " for the strategy '" << name << "'";
  };
  if (failed(checkPresence(rules.instruction, !instruction.empty(),
                           "instruction")) ||
      failed(checkPresence(rules.otherwise, bool(otherwise), "'otherwise'")))
    return failure();
  size_t minTiles = rules.maxTiles ? 1 : 0;
  if (tiles.size() < minTiles || tiles.size() > rules.maxTiles)
    return emitError() << "expected " << minTiles << " to " << rules.maxTiles
                       << " tiles for the strategy '" << name << "', but got "
                       << tiles.size();
  // Products of a few sizes do not overflow.
  constexpr int64_t kMaxSize = 1 << 20;
  for (DenseI64ArrayAttr tile : tiles) {
    if (rules.numSizes != kAnyNumber && size_t(tile.size()) != rules.numSizes)
      return emitError() << "expected " << rules.numSizes
                         << " sizes of a tile for the strategy '" << name
                         << "', but got " << tile.size();
    for (int64_t size : tile.asArrayRef())
      if (size < 1 || size > kMaxSize)
        return emitError() << "expected tile sizes from 1 to " << kMaxSize
                           << ", but got " << size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

static bool isPackedOperands(Attribute value) {
  auto types = dyn_cast<ArrayAttr>(value);
  return types && types.size() == 2 &&
         llvm::all_of(types, [](Attribute element) {
           auto type = dyn_cast<TypeAttr>(element);
           auto integer =
               type ? dyn_cast<IntegerType>(type.getValue()) : IntegerType();
           return integer &&
                  (integer.getWidth() == 8 || integer.getWidth() == 16);
         });
}

template <typename Kind> static bool isValue(Attribute value) {
  return isa<Kind>(value);
}

template <typename Kind> static bool isOp(Operation *op) {
  return isa<Kind>(op);
}

/// The attributes that CodegenAttributes.h documents.
static const struct {
  StringLiteral name, expected;
  bool (*isValue)(Attribute value);
  bool (*isOp)(Operation *op);
} kRules[] = {
    {kTargetAttrName, "#quant_float.target on a module", isValue<TargetAttr>,
     [](Operation *op) { return op->hasTrait<OpTrait::SymbolTable>(); }},
    {kReductionScheduleAttrName,
     "#quant_float.reduction_schedule on an op with a body",
     isValue<ReductionScheduleAttr>,
     [](Operation *op) { return op->getNumRegions() == 1; }},
    {kLoweringConfigAttrName,
     "#quant_float.lowering_config on an op with a body",
     isValue<LoweringConfigAttr>,
     [](Operation *op) { return op->getNumRegions() == 1; }},
    {kPackedOperandsAttrName,
     "two integer types of 8 or 16 bits on an op with a body", isPackedOperands,
     [](Operation *op) { return op->getNumRegions() == 1; }},
    {kTileLoopAttrName, "a unit on a loop", isValue<UnitAttr>,
     isOp<LoopLikeOpInterface>},
    {kNoAliasAttrName, "a unit on a function", isValue<UnitAttr>,
     isOp<FunctionOpInterface>},
    {kFlushesSubnormalsAttrName, "a unit on a function", isValue<UnitAttr>,
     isOp<FunctionOpInterface>},
};

LogicalResult
QuantFloatDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  for (const auto &rule : kRules)
    if (rule.name == attribute.getName() &&
        !(rule.isValue(attribute.getValue()) && rule.isOp(op)))
      return op->emitError("attribute '")
             << rule.name << "': expected " << rule.expected << ", but got "
             << attribute.getValue();
  return success();
}
