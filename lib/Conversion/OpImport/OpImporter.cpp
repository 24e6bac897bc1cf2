//===- OpImporter.cpp - Conversion of ops to ONNX nodes -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/OpImport/OpImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/OpsetImports.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;

OpImporter::OpImporter(Operation *op, ImplicitLocOpBuilder &b,
                       const ImportOptions &options)
    : OnnxNodeBuilder(b, kNewestOpset), op(op), options(options),
      inputs(op->getOperands()) {}

//===----------------------------------------------------------------------===//
// Operands, results and attributes
//===----------------------------------------------------------------------===//

Type OpImporter::elementType(size_t index) const {
  return getElementTypeOrSelf(inputs[index]);
}

RankedTensorType OpImporter::getRanked(size_t index) const {
  return dyn_cast<RankedTensorType>(inputs[index].getType());
}

Type OpImporter::resultType(size_t index) const {
  return op->getResult(index).getType();
}

Type OpImporter::resultElementType(size_t index) const {
  return getElementTypeOrSelf(resultType(index));
}

FailureOr<RankedTensorType> OpImporter::requireRanked(size_t index) {
  if (RankedTensorType type = getRanked(index))
    return type;
  return unsupported("operand " + Twine(index) + " has the type " +
                     showType(inputs[index].getType()) +
                     ", but must be a ranked tensor");
}

FailureOr<RankedTensorType> OpImporter::requireRankedResult(size_t index) {
  if (auto type = dyn_cast<RankedTensorType>(resultType(index)))
    return type;
  return unsupported("result " + Twine(index) + " has the type " +
                     showType(resultType(index)) +
                     ", but must be a ranked tensor");
}

LogicalResult OpImporter::unsupportedAttribute(StringRef attribute,
                                               const Twine &expected) {
  Attribute value = op.getAttribute(attribute);
  std::string got = value ? printAttribute(value) : "none";
  constexpr size_t kMaxShown = 80;
  if (got.size() > kMaxShown)
    got.replace(kMaxShown, std::string::npos, "...");
  return unsupported("attribute '" + attribute + "': expected " + expected +
                     ", but got " + got);
}

FailureOr<int64_t> OpImporter::requireInt(StringRef attribute) {
  if (std::optional<int64_t> value = op.getInt(attribute))
    return *value;
  return unsupportedAttribute(attribute, "an integer");
}

FailureOr<SmallVector<int64_t>> OpImporter::requireInts(StringRef attribute) {
  if (std::optional<SmallVector<int64_t>> value = op.getInts(attribute))
    return *value;
  return unsupportedAttribute(attribute, "a list of integers");
}

FailureOr<std::string> OpImporter::requireKeyword(StringRef attribute) {
  if (std::optional<std::string> value = op.getKeyword(attribute))
    return *value;
  return unsupportedAttribute(attribute, "a keyword");
}

LogicalResult OpImporter::requireAxes(StringRef what, ArrayRef<int64_t> axes,
                                      int64_t rank) {
  SmallVector<bool> isUsed(rank);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank || isUsed[axis])
      return unsupported(what + ": expected distinct axes from 0 to " +
                         Twine(rank - 1) + ", but got " + Twine(axis));
    isUsed[axis] = true;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Construction of nodes
//===----------------------------------------------------------------------===//

Value OpImporter::getSize(Value tensor, int64_t axis) {
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return makeInts(type.getDimSize(axis));
  Type i64 = b.getI64Type();
  Value shape =
      buildNode("Shape", tensor, RankedTensorType::get(type.getRank(), i64));
  return buildNode("Gather", {shape, makeInts(axis)},
                   RankedTensorType::get(1, i64), intAttr("axis", 0));
}

Value OpImporter::reshapeTo(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  auto from = dyn_cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes;
  bool hasComputed = false;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    bool isKept = ShapedType::isDynamic(size) && hasComputed && from &&
                  static_cast<int64_t>(axis) < from.getRank();
    hasComputed |= ShapedType::isDynamic(size);
    sizes.push_back(isKept ? 0 : ShapedType::isDynamic(size) ? -1 : size);
  }
  // Without a size that is computed, a size of 0 is a size.
  return buildNode("Reshape", {value, makeInts(sizes)}, type,
                   intAttr("allowzero", hasComputed ? 0 : 1));
}

Value OpImporter::transpose(Value value, ArrayRef<int64_t> order) {
  if (isIdentityPermutation(order))
    return value;
  auto type = llvm::cast<RankedTensorType>(value.getType());
  return buildNode("Transpose", value,
                   type.clone(applyPermutation(type.getShape(), order)),
                   intsAttr("perm", order));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Checks the new value of a result against its type, which becomes the type of
/// the value.
static FailureOr<Value> adoptType(OpImporter &importer, unsigned index,
                                  Value value) {
  Type declared = importer.resultType(index);
  Type type = value.getType();
  if (type == declared)
    return value;
  if (!areCompatible(declared, type))
    return importer.unsupported("result " + Twine(index) + " has the type " +
                                showType(declared) + ", but must have " +
                                showType(type));
  if (value.use_empty() && value.getDefiningOp<NodeOp>()) {
    value.setType(llvm::cast<TensorType>(declared));
    return value;
  }
  return tensor::CastOp::create(importer.b, declared, value).getResult();
}

static LogicalResult checkOp(OpImporter &importer, const OpRow &row) {
  int count = importer.inputs.size(), results = importer.op->getNumResults();
  auto show = [](int minOperands, int maxOperands) {
    return maxOperands < 0 ? "at least " + std::to_string(minOperands)
           : maxOperands == minOperands ? std::to_string(minOperands)
                                        : std::to_string(minOperands) + " to " +
                                              std::to_string(maxOperands);
  };
  if (count < row.minOperands ||
      (row.maxOperands >= 0 && count > row.maxOperands))
    return importer.unsupported("expected " +
                                show(row.minOperands, row.maxOperands) +
                                " operands, but got " + Twine(count));
  if (row.results >= 0 && results != row.results)
    return importer.unsupported("expected " + Twine(row.results) +
                                " results, but got " + Twine(results));
  if (importer.op->getNumSuccessors() != 0)
    return importer.unsupported("expected no successors");
  // Without them, attributes that are present would have their defaults.
  if (Attribute properties = importer.op.getUnreadableProperties())
    return importer.unsupported(
        "expected a dictionary of properties, but got " +
        printAttribute(properties));
  for (auto [index, type] : llvm::enumerate(importer.op->getResultTypes()))
    if (!isa<TensorType>(type))
      return importer.unsupported("result " + Twine(index) + " has the type " +
                                  showType(type));
  importer.onnxType = row.onnxType;
  return success();
}

/// Creates the ops that replace the op, and replaces its results.
static LogicalResult importOp(OpImporter &importer, const OpRow *row) {
  if (!row)
    return failure();
  if (failed(checkOp(importer, *row)))
    return failure();
  NodeResults values = row->conversion(importer);
  if (failed(values) || !importer.getProblem().empty())
    return failure();
  assert(values->size() == importer.op->getNumResults() &&
         "a conversion returns all results");
  SmallVector<Value> adopted;
  for (auto [index, value] : llvm::enumerate(*values)) {
    FailureOr<Value> result = adoptType(importer, index, value);
    if (failed(result))
      return failure();
    adopted.push_back(*result);
  }
  importer.op->replaceAllUsesWith(adopted);
  return success();
}

void quant_float::declareOpset(ModuleOp module) {
  if (getOnnxOpset(module))
    return;
  std::optional<int64_t> opset;
  WalkResult walked = module.walk([&](NodeOp node) {
    if (!node.getDomain().empty())
      return WalkResult::advance();
    if (opset && *opset != static_cast<int64_t>(node.getOpset()))
      return WalkResult::interrupt();
    opset = node.getOpset();
    return WalkResult::advance();
  });
  if (!walked.wasInterrupted())
    setOnnxOpset(module, opset.value_or(kNewestOpset));
}

LogicalResult quant_float::importOps(
    ModuleOp module, ArrayRef<StringRef> dialects,
    llvm::function_ref<const OpRow *(UnregisteredOp)> findRow,
    const ImportOptions &options) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!llvm::is_contained(dialects, op->getName().getDialectNamespace()))
      return WalkResult::advance();
    ops.push_back(op);
    return WalkResult::skip();
  });
  bool isConverted = true;
  for (Operation *op : ops) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    OpImporter importer(op, builder, options);
    const OpRow *row = findRow(importer.op);
    if (row && !row->conversion)
      continue;
    Operation *before = op->getPrevNode();
    if (succeeded(importOp(importer, row))) {
      op->erase();
      continue;
    }
    eraseNewOps(op, before);
    isConverted = false;
    InFlightDiagnostic error =
        op->emitError() << "no conversion of '"
                        << printable(op->getName().getStringRef()) << "'";
    if (!importer.getProblem().empty())
      error << ": " << importer.getProblem();
  }
  if (isConverted && !ops.empty())
    declareOpset(module);
  return success(isConverted);
}

void quant_float::convertValueTypes(ModuleOp module,
                                    llvm::function_ref<Type(Type)> convert) {
  auto convertAll = [&](auto values) {
    for (Value value : values)
      value.setType(convert(value.getType()));
  };
  module.walk([&](Operation *op) {
    convertAll(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        convertAll(block.getArguments());
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      FunctionType type = function.getFunctionType();
      function.setType(FunctionType::get(
          op->getContext(), llvm::map_to_vector(type.getInputs(), convert),
          llvm::map_to_vector(type.getResults(), convert)));
    }
  });
}
