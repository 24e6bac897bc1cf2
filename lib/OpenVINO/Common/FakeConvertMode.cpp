//===- FakeConvertMode.cpp - Selection of FakeConvert's mode --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/OpenVINO/Common/FakeConvertMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The values that do not depend on an argument.
using Constants = llvm::DenseSet<Value>;
} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Whether the results are constant if the operands are. False for ops with a
/// body, which are not analyzed, and for layers whose results vary.
static bool keepsConstants(Operation *op) {
  if (op->getNumRegions() != 0 &&
      llvm::any_of(op->getRegions(),
                   [](Region &region) { return !region.empty(); }))
    return false;
  auto node = dyn_cast<NodeOp>(op);
  return !node ||
         !llvm::is_contained(
             {NodeKind::OpenVinoRandomUniform, NodeKind::OpenVinoReadValue,
              NodeKind::RandomNormal, NodeKind::RandomNormalLike,
              NodeKind::RandomUniform, NodeKind::RandomUniformLike},
             getNodeKind(node));
}

/// Visits ops in their order, so that operands are visited before their users.
static Constants findConstants(ModuleOp module) {
  Constants constants;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isConstant = keepsConstants(op) &&
                      llvm::all_of(op->getOperands(), [&](Value operand) {
                        return constants.contains(operand);
                      });
    if (isConstant)
      constants.insert(op->result_begin(), op->result_end());
  });
  return constants;
}

/// Whether the elements of the result are elements of the first operand.
static bool isMovement(NodeOp node) {
  enum class Elements { Moved, New };
  static const DenseMap<NodeKind, Elements> table = {
#define QUANT_FLOAT_KEPT_LAYER(LayerType, HeldElements, Attributes)            \
  {NodeKind::OpenVino##LayerType, Elements::HeldElements},
#define QUANT_FLOAT_LAYER(LayerType, Since, MinInputs, MaxInputs,              \
                          HeldElements, Attributes, Conversion)                \
  QUANT_FLOAT_KEPT_LAYER(LayerType, HeldElements, Attributes)
#include "quant-float/OpenVINO/Common/OpenVinoLayers.def"
  };
  std::optional<NodeKind> kind = getNodeKind(node);
  auto found = kind ? table.find(*kind) : table.end();
  return found != table.end() && found->second == Elements::Moved;
}

/// Returns the elements of a constant, looking through casts and movement.
/// Returns null if another op computes the value.
static ElementsAttr findElements(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<AnyConstantOp>(op))
      return dyn_cast<ElementsAttr>(constant.getValue());
    auto node = dyn_cast<NodeOp>(op);
    bool isLookedThrough = isa<CastOp>(op) || (node && isMovement(node));
    if (!isLookedThrough || op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return {};
}

/// Returns the value that all elements have, or nullopt if they differ.
static std::optional<double> getCommonNumber(ElementsAttr elements) {
  // Attributes with equal elements are splats.
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble();
  if (isa<IntegerType>(dense.getElementType()))
    return dense.getSplatValue<APInt>().roundToDouble();
  return std::nullopt;
}

/// Whether all elements are the same zero, +0 or -0. Such a shift has no
/// effect.
static bool isZero(ElementsAttr elements) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (!resource)
    return getCommonNumber(elements) == 0;
  Type type = elements.getElementType();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || !isStandardFloat(type))
    return false;
  ArrayRef<char> data = blob->getData();
  size_t size = type.getIntOrFloatBitWidth() / 8;
  if (data.size() < size)
    return data.empty();
  // The sign is the highest bit of the last byte.
  ArrayRef<char> first = data.take_front(size);
  return llvm::all_of(first.drop_back(), [](char byte) { return byte == 0; }) &&
         (first.back() & 0x7F) == 0 &&
         data.drop_front(size) == data.drop_back(size);
}

static bool hasOneElement(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return !type ||
         (type.hasRank() && llvm::all_of(type.getShape(), [](int64_t size) {
            return size == 1;
          }));
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// Sets the attributes that reproduce how OpenVINO's CPU plugin transforms the
/// operands when it compiles a model.
static void freeze(FakeConvertOp op, const Constants &constants) {
  Type type = getElementTypeOrSelf(op.getInput());
  Value scale = op.getScale(), shift = op.getShift();
  bool isScaleConstant = constants.contains(scale);
  bool hadShift = bool(shift);
  MLIRContext *context = op.getContext();
  if (shift && constants.contains(shift)) {
    ElementsAttr elements = findElements(shift);
    // For bf16, OpenVINO adds a tensor of zeros nevertheless.
    if (elements && isZero(elements) &&
        (!type.isBF16() || hasOneElement(shift)))
      op.getShiftMutable().clear();
  } else if (shift) {
    op.setNeutralShift(true);
  }

  auto reciprocal = FakeConvertReciprocal::Single;
  if (isScaleConstant && type.isF16())
    reciprocal = FakeConvertReciprocal::Nearest;
  else if (isScaleConstant && type.isBF16())
    reciprocal = FakeConvertReciprocal::OpenVINO;
  else if (type.isBF16() && hadShift)
    // The reciprocal is a separate tensor although the scale is not constant.
    reciprocal = FakeConvertReciprocal::Nearest;
  if (reciprocal != FakeConvertReciprocal::Single)
    op.setReciprocalAttr(FakeConvertReciprocalAttr::get(context, reciprocal));

  if (isScaleConstant && hasOneElement(scale)) {
    ElementsAttr elements = findElements(scale);
    op.setPositiveZero(!elements || getCommonNumber(elements) != 1);
  }
}

static void setMode(FakeConvertOp op, FakeConvertMode mode,
                    const Constants &constants) {
  if (mode == FakeConvertMode::OpenVINO &&
      llvm::all_of(op->getOperands(),
                   [&](Value operand) { return constants.contains(operand); }))
    mode = FakeConvertMode::OpenVINOReference;
  if (op.getMode().value_or(FakeConvertMode::Exact) == mode)
    return;
  op.removeReciprocalAttr();
  op.setPositiveZero(false);
  op.setNeutralShift(false);
  op.removeModeAttr();
  if (mode != FakeConvertMode::Exact)
    op.setModeAttr(FakeConvertModeAttr::get(op.getContext(), mode));
  if (mode == FakeConvertMode::OpenVINO)
    freeze(op, constants);
}

void quant_float::setFakeConvertModes(ModuleOp module, FakeConvertMode mode) {
  Constants constants = findConstants(module);
  module.walk([&](FakeConvertOp op) { setMode(op, mode, constants); });
}
