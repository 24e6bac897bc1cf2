//===- ConvertOnnxMlir.cpp - onnx-mlir's dialect to ONNX nodes ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/OpImport/NodeAttributes.h"
#include "quant-float/Conversion/OpImport/OpImporter.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/NodeKind.h"
#include "quant-float/Support/Printable.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTONNXMLIRTOONNXPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kDialect = "onnx";
static constexpr StringLiteral kMachineLearning = "ai.onnx.ml";

namespace {
/// The operator that an op of onnx-mlir is.
struct OnnxOperator {
  std::string domain, opType;
  int64_t opset;
};

/// An op of onnx-mlir whose name is not that of an ONNX operator.
struct RenamedOp {
  StringLiteral name, opType;
  /// 0 for the opset of the pass.
  int64_t opset;
};
} // namespace

static constexpr RenamedOp kRenamedOps[] = {
    {"BatchNormalizationInferenceMode", "BatchNormalization", 0},
    {"MaxPoolSingleOut", "MaxPool", 0},
    // Operators that newer opsets lack.
    {"Scatter", "Scatter", 10},
    {"Upsample", "Upsample", 9},
};

static StringRef getOnnxName(Operation *op) {
  return op->getName().stripDialect();
}

static bool isNamed(Operation *op, StringRef name) {
  return op && op->getName().getDialectNamespace() == kDialect &&
         getOnnxName(op) == name;
}

/// Whether a value is an input that is absent.
static bool isAbsent(Value value) {
  return isa<NoneType>(value.getType()) ||
         isNamed(value.getDefiningOp(), "NoValue");
}

/// Returns the domain of a standard operator, or none.
static std::optional<StringRef> findDomain(StringRef opType) {
  for (StringRef domain : {StringRef(), StringRef(kMachineLearning)})
    if (findOpKind(domain, opType) || findNodeKind(domain, opType))
      return domain;
  return std::nullopt;
}

/// Returns the operator of an op, or none if it is not known. Ops of older
/// versions have these as suffixes: SplitV11.
static std::optional<OnnxOperator> findOperator(UnregisteredOp op,
                                                int64_t opset) {
  StringRef name = op.getName();
  if (name == "Custom") {
    auto function =
        dyn_cast_or_null<StringAttr>(op.getAttribute("function_name"));
    auto domain = dyn_cast_or_null<StringAttr>(op.getAttribute("domain_name"));
    if (!function || function.getValue().empty())
      return std::nullopt;
    StringRef where = domain ? domain.getValue() : StringRef();
    return OnnxOperator{where.str(), function.getValue().str(),
                        where.empty() ? opset : 1};
  }
  for (const RenamedOp &renamed : kRenamedOps)
    if (renamed.name == name)
      return OnnxOperator{"", renamed.opType.str(),
                          renamed.opset ? renamed.opset : opset};
  if (std::optional<StringRef> domain = findDomain(name)) {
    // The newest versions of ai.onnx.ml; the other operators of version 5 are
    // deprecated.
    bool isStandard = domain->empty();
    int64_t version = isStandard ? opset : name == "TreeEnsemble" ? 5 : 3;
    return OnnxOperator{domain->str(), name.str(), version};
  }
  size_t suffix = name.rfind('V');
  int64_t version;
  if (suffix == StringRef::npos || suffix == 0 ||
      name.drop_front(suffix + 1).getAsInteger(10, version) || version < 1 ||
      version > kNewestOpset)
    return std::nullopt;
  StringRef base = name.take_front(suffix);
  std::optional<StringRef> domain = findDomain(base);
  if (!domain)
    return std::nullopt;
  return OnnxOperator{domain->str(), base.str(), version};
}

/// Returns the names of the regions of an op.
static ArrayRef<StringRef> getBodyNames(StringRef opType) {
  static constexpr StringRef kBranches[] = {"then_branch", "else_branch"};
  static constexpr StringRef kBody[] = {"body"};
  if (opType == "If")
    return kBranches;
  if (opType == "Loop" || opType == "Scan")
    return kBody;
  return {};
}

namespace {
struct ConvertOnnxMlirToOnnx final
    : quant_float::impl::ConvertOnnxMlirToOnnxPassBase<ConvertOnnxMlirToOnnx> {
  using ConvertOnnxMlirToOnnxPassBase::ConvertOnnxMlirToOnnxPassBase;

  void runOnOperation() override;

private:
  LogicalResult convert(UnregisteredOp op);
  LogicalResult convertNode(UnregisteredOp op);
  LogicalResult convertConstant(UnregisteredOp op);
  LogicalResult convertReturn(Operation *op);
  int64_t getOpset() const { return opset == 0 ? kNewestOpset : opset; }
};
} // namespace

static InFlightDiagnostic emitProblem(Operation *op) {
  return op->emitError() << "no conversion of '"
                         << printable(op->getName().getStringRef()) << "': ";
}

LogicalResult ConvertOnnxMlirToOnnx::convertReturn(Operation *op) {
  auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  if (!function || op->getNumRegions() != 0 || op->getNumResults() != 0 ||
      op->getNumOperands() != function.getNumResults())
    return emitProblem(op) << "expected an operand for each result of the "
                              "function";
  OpBuilder builder(op);
  SmallVector<Value> values;
  // The types of the function may have fewer known sizes.
  for (auto [value, type] :
       llvm::zip_equal(op->getOperands(), function.getResultTypes())) {
    if (value.getType() == type) {
      values.push_back(value);
      continue;
    }
    if (!areCompatible(type, value.getType()))
      return emitProblem(op) << "expected a value of type " << type
                             << ", but got " << value.getType();
    values.push_back(
        tensor::CastOp::create(builder, op->getLoc(), type, value));
  }
  func::ReturnOp::create(builder, op->getLoc(), values);
  op->erase();
  return success();
}

/// Returns the attributes of the ONNX operator.
static FailureOr<NamedAttrList> readAttributes(UnregisteredOp op) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : op.getAttributes()) {
    StringRef name = attribute.getName();
    // Names with a dialect are annotations.
    bool isAnnotation = name.contains('.') || name == "onnx_node_name";
    bool isOfCustom =
        op.getName() == "Custom" &&
        llvm::is_contained({"function_name", "domain_name", "inputs_for_infer",
                            "output_element_type", "shape_infer_pattern"},
                           name);
    if (isAnnotation || isOfCustom)
      continue;
    Attribute value = importNodeAttribute(attribute.getValue());
    if (!value)
      return emitProblem(op.getOperation())
             << "the attribute '" << printable(name)
             << "' is of an unknown kind, or its data is missing";
    attributes.append(name, value);
  }
  return attributes;
}

LogicalResult ConvertOnnxMlirToOnnx::convertConstant(UnregisteredOp op) {
  FailureOr<NamedAttrList> attributes = readAttributes(op);
  if (failed(attributes))
    return failure();
  OpBuilder builder(op.getOperation());
  TypedAttr constant = importConstantNode(builder, attributes->getAttrs());
  auto type = op->getNumResults() == 1
                  ? dyn_cast<TensorType>(op->getResult(0).getType())
                  : TensorType();
  if (!constant || !type || op->getNumOperands() != 0 ||
      op->getNumRegions() != 0 || !areCompatible(type, constant.getType()))
    return emitProblem(op.getOperation())
           << "expected a constant of the type of the result";
  Value result = createConstant(builder, op->getLoc(), constant);
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, op->getLoc(), type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op.getOperation()->erase();
  return success();
}

LogicalResult ConvertOnnxMlirToOnnx::convertNode(UnregisteredOp op) {
  std::optional<OnnxOperator> known = findOperator(op, getOpset());
  if (!known)
    return emitProblem(op.getOperation()) << "the operator is not known";
  ArrayRef<StringRef> bodies = known->domain.empty()
                                   ? getBodyNames(known->opType)
                                   : ArrayRef<StringRef>();
  if (op->getNumRegions() != bodies.size() || op->getNumSuccessors() != 0)
    return emitProblem(op.getOperation())
           << "expected " << bodies.size() << " regions and no successors";
  if (Attribute properties = op.getUnreadableProperties())
    return emitProblem(op.getOperation())
           << "expected a dictionary of properties, but got " << properties;
  for (auto [name, region] : llvm::zip_equal(bodies, op->getRegions()))
    if (!region.hasOneBlock() || region.front().empty() ||
        !isa<YieldOp>(region.front().back()))
      return emitProblem(op.getOperation())
             << "the region '" << name
             << "': expected a block that ends in 'onnx.Yield'";
  FailureOr<NamedAttrList> attributes = readAttributes(op);
  if (failed(attributes))
    return failure();
  SmallVector<Value> inputs;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (isAbsent(operand)) {
      absent.push_back(index);
      continue;
    }
    if (!isa<TensorType, UnknownType>(operand.getType()))
      return emitProblem(op.getOperation())
             << "operand " << index << " has the type " << operand.getType();
    inputs.push_back(operand);
  }
  // Absent results have the type none.
  SmallVector<Type> types;
  size_t count = op->getNumResults();
  while (count > 0 && isa<NoneType>(op->getResult(count - 1).getType()))
    --count;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    bool isNone = isa<NoneType>(result.getType());
    if (isNone ? !result.use_empty()
               : !isa<TensorType, UnknownType>(result.getType()))
      return emitProblem(op.getOperation())
             << "result " << index << " has the type " << result.getType();
    if (index < count)
      types.push_back(isNone ? UnknownType::get(&getContext())
                             : result.getType());
  }
  OpBuilder builder(op.getOperation());
  auto nodeName =
      dyn_cast_or_null<StringAttr>(op.getAttribute("onnx_node_name"));
  auto node = NodeOp::create(builder, op->getLoc(), types,
                             builder.getStringAttr(known->opType), inputs,
                             builder.getStringAttr(known->domain),
                             builder.getI64IntegerAttr(known->opset), nodeName,
                             attributes->getDictionary(&getContext()),
                             builder.getDenseI64ArrayAttr(absent),
                             builder.getStrArrayAttr(bodies), bodies.size());
  for (auto [body, region] :
       llvm::zip_equal(node.getBodies(), op->getRegions()))
    body.takeBody(region);
  for (auto [result, replaced] :
       llvm::zip_first(node->getResults(), op->getResults()))
    if (replaced.getType() == result.getType())
      replaced.replaceAllUsesWith(result);
  op.getOperation()->erase();
  return success();
}

LogicalResult ConvertOnnxMlirToOnnx::convert(UnregisteredOp op) {
  StringRef name = op.getName();
  Operation *operation = op.getOperation();
  if (name == "Constant")
    return convertConstant(op);
  if (name == "Return")
    return convertReturn(operation);
  if (name == "Yield") {
    if (operation->getNumRegions() != 0 || operation->getNumResults() != 0)
      return emitProblem(operation) << "expected no regions and no results";
    OpBuilder builder(operation);
    YieldOp::create(builder, op->getLoc(), operation->getOperands());
    operation->erase();
    return success();
  }
  if (name == "EntryPoint") {
    if (operation->getNumRegions() != 0 || operation->getNumResults() != 0)
      return emitProblem(operation) << "expected no regions and no results";
    operation->erase();
    return success();
  }
  return convertNode(op);
}

void ConvertOnnxMlirToOnnx::runOnOperation() {
  ModuleOp module = getOperation();
  if (getOpset() < 1 || getOpset() > kNewestOpset) {
    module.emitError() << "expected an opset from 1 to " << kNewestOpset
                       << " as the option 'opset', but got " << getOpset();
    return signalPassFailure();
  }
  SmallVector<Operation *> ops, absent;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == kDialect)
      (getOnnxName(op) == "NoValue" ? absent : ops).push_back(op);
  });
  if (ops.empty() && absent.empty())
    return;
  // Sequences have types of the dialect.
  convertValueTypes(module, [](Type type) -> Type {
    auto opaque = dyn_cast<mlir::OpaqueType>(type);
    return opaque && opaque.getDialectNamespace() == kDialect
               ? Type(UnknownType::get(type.getContext()))
               : type;
  });
  bool isConverted = true;
  for (Operation *op : ops)
    isConverted &= succeeded(convert(UnregisteredOp(op)));
  if (!isConverted)
    return signalPassFailure();
  for (Operation *op : absent) {
    if (op->getNumRegions() != 0 || !op->use_empty()) {
      emitProblem(op) << "expected uses as an absent input only";
      return signalPassFailure();
    }
    op->erase();
  }
  declareOpset(module);
}
