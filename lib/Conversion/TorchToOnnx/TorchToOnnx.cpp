//===- TorchToOnnx.cpp - torch to ONNX nodes -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/OpImport/TorchTypes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTTORCHTOONNXPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

static constexpr StringLiteral kDialect = "torch";

static const OpRow *findRow(UnregisteredOp op) {
  static const llvm::StringMap<OpRow> table = [] {
    llvm::StringMap<OpRow> result;
#define QUANT_FLOAT_TORCH(Name, MinOperands, MaxOperands, Results, Conversion) \
  result[Name] = {MinOperands, MaxOperands, Results, Conversion, ""};
#define QUANT_FLOAT_TORCH_NODE(Name, Operands, Conversion, OnnxType)           \
  result[Name] = {Operands, Operands, /*results=*/1, Conversion, #OnnxType};
#define QUANT_FLOAT_TORCH_ARGUMENT(Name)                                       \
  result[Name] = {0, -1, /*results=*/1, nullptr, ""};
#include "quant-float/Conversion/TorchToOnnx/TorchOps.def"
    return result;
  }();
  if (op->getNumRegions() != 0)
    return nullptr;
  auto found = table.find(op.getName());
  return found == table.end() ? nullptr : &found->second;
}

static bool isTorchOp(Operation *op) {
  return op->getName().getDialectNamespace() == kDialect;
}

/// Returns the version as major * 1000 + minor, or none.
static std::optional<unsigned> readVersion(StringRef text) {
  auto [major, minor] = text.split('.');
  unsigned majorNumber, minorNumber = 0;
  if (major.getAsInteger(10, majorNumber) || majorNumber > 999 ||
      (text.contains('.') &&
       minor.split('.').first.getAsInteger(10, minorNumber)) ||
      minorNumber > 999)
    return std::nullopt;
  return majorNumber * 1000 + minorNumber;
}

/// Replaces a torch.operator by the op of its name, or by an ONNX node.
static LogicalResult expandOperator(UnregisteredOp op) {
  auto name = dyn_cast_or_null<StringAttr>(op.getAttribute("name"));
  if (!name)
    return op->emitError() << "no conversion of 'torch.operator': expected a "
                              "string as 'name'";
  StringRef text = name.getValue();
  if (text.starts_with("onnx."))
    return importOnnxOperator(op);
  bool isName = text.starts_with("torch.") && text != "torch.operator" &&
                llvm::all_of(text, [](char c) {
                  return llvm::isAlnum(c) || c == '_' || c == '.';
                });
  if (!isName || op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
    return op->emitError() << "no conversion of 'torch.operator': the operator "
                              "'"
                           << printable(text) << "' is not known";
  OperationState state(op->getLoc(), text);
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  OpBuilder builder(op.getOperation());
  Operation *expanded = builder.create(state);
  op.getOperation()->replaceAllUsesWith(expanded);
  op.getOperation()->erase();
  return success();
}

static bool isTorchModule(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool hasTensors = llvm::any_of(op->getResultTypes(), isTorchTensor);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            hasTensors |= llvm::any_of(block.getArgumentTypes(), isTorchTensor);
        return hasTensors || isTorchOp(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Erases ops that only produce arguments of ops that were converted. Emits an
/// error if other ops are left.
static LogicalResult eraseArguments(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isTorchOp(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops)) {
    if (!op->use_empty())
      return op->emitError() << "no conversion of '" << op->getName()
                             << "': its result is used by '"
                             << (*op->user_begin())->getName() << "'";
    op->erase();
  }
  return success();
}

namespace {
struct ConvertTorchToOnnx final
    : quant_float::impl::ConvertTorchToOnnxPassBase<ConvertTorchToOnnx> {
  using ConvertTorchToOnnxPassBase::ConvertTorchToOnnxPassBase;

  void runOnOperation() override;
};
} // namespace

void ConvertTorchToOnnx::runOnOperation() {
  ModuleOp module = getOperation();
  std::optional<unsigned> version = readVersion(torchVersion);
  if (!version) {
    module.emitError() << "expected a version such as '2.12' as the option "
                          "'torch-version', but got '"
                       << printable(torchVersion.getValue()) << "'";
    return signalPassFailure();
  }
  if (!isTorchModule(module))
    return;
  convertValueTypes(module, [](Type type) -> Type {
    if (!isTorchTensor(type))
      return type;
    TensorType tensor = getTensorOfTorch(type);
    return tensor ? Type(tensor) : UnknownType::get(type.getContext());
  });
  SmallVector<Operation *> operators;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "torch.operator")
      operators.push_back(op);
  });
  bool isExpanded = true;
  for (Operation *op : operators)
    isExpanded &= succeeded(expandOperator(UnregisteredOp(op)));
  ImportOptions options;
  options.saturateE4M3FN = *version >= 2012;
  if (!isExpanded || failed(importOps(module, kDialect, findRow, options)) ||
      failed(eraseArguments(module)))
    return signalPassFailure();
}
