//===- LaunchDescription.cpp - What launches a program's kernels ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchDescription.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::quant_float;
namespace json = llvm::json;

/// A number, ["size", input, dimension], or [operator, left, right].
using Expression = json::Value;

static Expression makeBinary(StringRef name, Expression left,
                             Expression right) {
  std::optional<int64_t> a = left.getAsInteger(), b = right.getAsInteger();
  if (a && b && name == "mul")
    return *a * *b;
  if (name == "mul" && (a == 1 || b == 1))
    return a == 1 ? right : left;
  return json::Array{name, std::move(left), std::move(right)};
}

/// The operator that an op of arith is.
static StringRef getOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::SubIOp>([](auto) { return "sub"; })
      .Case<arith::MulIOp>([](auto) { return "mul"; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return "ceildiv"; })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [](auto) { return "floordiv"; })
      .Case<arith::RemUIOp>([](auto) { return "mod"; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](auto) { return "min"; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](auto) { return "max"; })
      .Default(StringRef());
}

static StringRef getOperator(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Add:
    return "add";
  case AffineExprKind::Mul:
    return "mul";
  case AffineExprKind::Mod:
    return "mod";
  case AffineExprKind::FloorDiv:
    return "floordiv";
  case AffineExprKind::CeilDiv:
    return "ceildiv";
  default:
    return {};
  }
}

namespace {
/// A buffer of a host function: whose it is, and its sizes.
struct Buffer {
  StringRef kind;
  int64_t number = 0;
  SmallVector<Expression> sizes;
};

/// Describes one entry point.
class EntryDescriber {
public:
  EntryDescriber(func::FuncOp kernel, func::FuncOp sizes,
                 const EntryPointInfo &info)
      : kernel(kernel), sizes(sizes), info(info) {}

  FailureOr<json::Object> describe();

private:
  /// What is wrong where no value is given.
  LogicalResult fail(Value value, const Twine &what);
  /// Of control flow around launches.
  LogicalResult fail(Operation &op);
  FailureOr<Expression> evaluate(Value value);
  FailureOr<Expression> evaluate(AffineExpr expression, ValueRange operands,
                                 unsigned dims);
  FailureOr<Expression> evaluate(OpFoldResult value);
  FailureOr<Buffer> getBuffer(Value value);

  LogicalResult describeSizes();
  json::Array describeArguments(ArrayRef<EntryPointArgument> arguments,
                                ArrayRef<SmallVector<Expression>> shapes);
  LogicalResult describeAlloc(gpu::AllocOp alloc);
  LogicalResult describeLaunch(gpu::LaunchFuncOp launch);
  LogicalResult addParameters(Value operand, json::Array &parameters);

  /// Values that are used twice are written twice.
  static constexpr int64_t kMostSteps = 100000;
  /// Less than the launcher reads.
  static constexpr int64_t kMostLevels = 900;

  func::FuncOp kernel, sizes;
  const EntryPointInfo &info;
  int64_t steps = 0, depth = 0;
  SmallVector<SmallVector<Expression>> inputShapes, outputShapes;
  llvm::DenseMap<Value, int64_t> temporaries;
  json::Array checks, allocations, launches;
};
} // namespace

LogicalResult EntryDescriber::fail(Value value, const Twine &what) {
  return emitError(value.getLoc())
         << "entry point '" << info.symbol << "': expected " << what
         << " that follows from the sizes of inputs, but got " << value;
}

LogicalResult EntryDescriber::fail(Operation &op) {
  return op.emitError("entry point '")
         << info.symbol
         << "': expected kernels that are launched once each, but got '"
         << op.getName() << "' around them";
}

/// Whether the block is how a kernel leaves that reports failure.
static bool isExit(Block *block) {
  auto leave = dyn_cast<func::ReturnOp>(block->getTerminator());
  return leave && leave.getNumOperands() == 1 &&
         getConstantIntValue(getAsOpFoldResult(leave.getOperand(0)))
                 .value_or(kKernelDone) != kKernelDone &&
         block->getOps<gpu::LaunchFuncOp>().empty();
}

/// The one block that is next unless something fails; null at the end, or where
/// there are several.
static Block *getNext(Block &block) {
  Operation *last = block.getTerminator();
  if (auto branch = dyn_cast<cf::BranchOp>(last))
    return branch.getDest();
  auto branch = dyn_cast<cf::CondBranchOp>(last);
  return branch && isExit(branch.getFalseDest()) ? branch.getTrueDest()
                                                 : nullptr;
}

FailureOr<Expression> EntryDescriber::evaluate(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Expression(*constant);
  return evaluate(cast<Value>(value));
}

FailureOr<Expression> EntryDescriber::evaluate(AffineExpr expression,
                                               ValueRange operands,
                                               unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return Expression(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return evaluate(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return evaluate(operands[dims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expression);
  FailureOr<Expression> left = evaluate(binary.getLHS(), operands, dims);
  if (failed(left))
    return failure();
  FailureOr<Expression> right = evaluate(binary.getRHS(), operands, dims);
  if (failed(right))
    return failure();
  return makeBinary(getOperator(binary.getKind()), *left, *right);
}

FailureOr<Expression> EntryDescriber::evaluate(Value value) {
  if (++steps > kMostSteps)
    return fail(value, "a number of at most " + Twine(kMostSteps) + " steps");
  if (depth == kMostLevels)
    return fail(value, "a number of at most " + Twine(kMostLevels) + " levels");
  llvm::SaveAndRestore<int64_t> level(depth, depth + 1);
  if (std::optional<int64_t> constant =
          getConstantIntValue(getAsOpFoldResult(value)))
    return Expression(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // Of @f.sizes, the sizes of all inputs.
    unsigned number = argument.getArgNumber();
    bool isSize = argument.getOwner()->getParentOp() == sizes;
    for (size_t i = 0; isSize && i < info.inputs.size(); ++i) {
      size_t rank = info.inputs[i].sizes.size();
      if (number < rank)
        return inputShapes[i][number];
      number -= rank;
    }
    return fail(value, "a number");
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    FailureOr<Buffer> buffer = getBuffer(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (failed(buffer))
      return failure();
    if (!index || *index < 0 ||
        *index >= static_cast<int64_t>(buffer->sizes.size()))
      return fail(value, "a size");
    return buffer->sizes[*index];
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return evaluate(apply.getAffineMap().getResult(0), apply.getOperands(),
                    apply.getAffineMap().getNumDims());
  StringRef name = getOperator(op);
  if (name.empty())
    return fail(value, "a number");
  FailureOr<Expression> left = evaluate(op->getOperand(0));
  if (failed(left))
    return failure();
  FailureOr<Expression> right = evaluate(op->getOperand(1));
  if (failed(right))
    return failure();
  return makeBinary(name, *left, *right);
}

FailureOr<Buffer> EntryDescriber::getBuffer(Value value) {
  int64_t numInputs = info.inputs.size();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    int64_t number = argument.getArgNumber();
    if (argument.getOwner()->getParentOp() != kernel ||
        !argument.getOwner()->isEntryBlock())
      return fail(value, "a buffer");
    if (number < numInputs)
      return Buffer{"input", number, inputShapes[number]};
    return Buffer{"output", number - numInputs,
                  outputShapes[number - numInputs]};
  }
  Operation *op = value.getDefiningOp();
  if (auto found = temporaries.find(value); found != temporaries.end()) {
    Buffer buffer{"temporary", found->second, {}};
    auto alloc = cast<gpu::AllocOp>(op);
    for (OpFoldResult size :
         getMixedValues(alloc.getType().getShape(), alloc.getDynamicSizes(),
                        op->getContext())) {
      FailureOr<Expression> extent = evaluate(size);
      if (failed(extent))
        return failure();
      buffer.sizes.push_back(*extent);
    }
    return buffer;
  }
  if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
    return fail(value, "a buffer");
  FailureOr<Buffer> source = getBuffer(op->getOperand(0));
  if (failed(source))
    return failure();
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    SmallVector<Expression> extents;
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      Expression extent = 1;
      for (int64_t dimension : group)
        extent = makeBinary("mul", extent, source->sizes[dimension]);
      extents.push_back(extent);
    }
    source->sizes = std::move(extents);
  } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    source->sizes.clear();
    for (OpFoldResult size : expand.getMixedOutputShape()) {
      FailureOr<Expression> extent = evaluate(size);
      if (failed(extent))
        return failure();
      source->sizes.push_back(*extent);
    }
  }
  return source;
}

/// Shapes and checks, from what @f.sizes returns.
LogicalResult EntryDescriber::describeSizes() {
  for (auto [i, input] : llvm::enumerate(info.inputs)) {
    inputShapes.emplace_back();
    for (auto [j, size] : llvm::enumerate(input.sizes))
      inputShapes.back().push_back(
          size >= 0 ? Expression(size)
                    : Expression(json::Array{"size", static_cast<int64_t>(i),
                                             static_cast<int64_t>(j)}));
  }
  auto values = sizes.getBody().front().getTerminator()->getOperands();
  size_t next = 0;
  for (const EntryPointArgument &output : info.outputs) {
    outputShapes.emplace_back();
    for (int64_t size : output.sizes) {
      FailureOr<Expression> extent = Expression(size);
      if (size < 0)
        extent = evaluate(values[next++]);
      if (failed(extent))
        return failure();
      outputShapes.back().push_back(*extent);
    }
  }
  for (const EntryPointCheck &check : info.checks) {
    FailureOr<Expression> left = evaluate(values[next++]);
    FailureOr<Expression> right = evaluate(values[next++]);
    if (failed(left) || failed(right))
      return failure();
    std::string message = check.text;
    if (check.input >= 0)
      message = ("input " + Twine(check.input) + ": dimension " +
                 Twine(check.dimension))
                    .str();
    checks.push_back(
        json::Object{{"left", *left}, {"right", *right}, {"message", message}});
  }
  return success();
}

json::Array
EntryDescriber::describeArguments(ArrayRef<EntryPointArgument> arguments,
                                  ArrayRef<SmallVector<Expression>> shapes) {
  json::Array result;
  for (auto [argument, shape] : llvm::zip_equal(arguments, shapes)) {
    std::string type;
    llvm::raw_string_ostream(type)
        << getTypeFromOnnxDataType(kernel.getContext(), argument.dtype);
    json::Array sizes;
    for (auto [size, expression] : llvm::zip_equal(argument.sizes, shape)) {
      bool isOpenInput = size < 0 && arguments.data() == info.inputs.data();
      sizes.push_back(isOpenInput ? Expression(-1) : expression);
    }
    result.push_back(json::Object{
        {"name", argument.name}, {"type", type}, {"shape", std::move(sizes)}});
  }
  return result;
}

LogicalResult EntryDescriber::describeAlloc(gpu::AllocOp alloc) {
  int64_t number = temporaries.size();
  temporaries[alloc.getMemref()] = number;
  FailureOr<Buffer> buffer = getBuffer(alloc.getMemref());
  if (failed(buffer))
    return failure();
  Expression bytes = getStrideBytes(alloc.getType().getElementType());
  for (const Expression &size : buffer->sizes)
    bytes = makeBinary("mul", bytes, size);
  allocations.push_back(json::Object{{"bytes", bytes}});
  return success();
}

LogicalResult EntryDescriber::addParameters(Value operand,
                                            json::Array &parameters) {
  auto add = [&](Expression value) {
    parameters.push_back(json::Object{{"i64", std::move(value)}});
  };
  if (operand.getType().isIndex() || operand.getType().isInteger(64)) {
    FailureOr<Expression> value = evaluate(operand);
    if (failed(value))
      return failure();
    add(*value);
    return success();
  }
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type || !type.getLayout().isIdentity())
    return fail(operand, "a number or a contiguous buffer");
  FailureOr<Buffer> buffer = getBuffer(operand);
  if (failed(buffer))
    return failure();
  // The fields of a descriptor: two pointers, the offset, sizes, strides.
  for (int i = 0; i < 2; ++i)
    parameters.push_back(json::Object{{buffer->kind, buffer->number}});
  add(0);
  for (const Expression &size : buffer->sizes)
    add(size);
  size_t rank = buffer->sizes.size();
  SmallVector<Expression> strides(rank, 1);
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = makeBinary("mul", strides[i], buffer->sizes[i]);
  for (const Expression &stride : strides)
    add(stride);
  return success();
}

LogicalResult EntryDescriber::describeLaunch(gpu::LaunchFuncOp launch) {
  json::Array grid, block, parameters;
  auto addDimensions = [&](gpu::KernelDim3 dimensions, json::Array &to) {
    for (Value value : {dimensions.x, dimensions.y, dimensions.z}) {
      FailureOr<Expression> number = evaluate(value);
      if (failed(number))
        return failure();
      to.push_back(*number);
    }
    return success();
  };
  if (failed(addDimensions(launch.getGridSizeOperandValues(), grid)) ||
      failed(addDimensions(launch.getBlockSizeOperandValues(), block)))
    return failure();
  for (Value operand : launch.getKernelOperands())
    if (failed(addParameters(operand, parameters)))
      return failure();
  launches.push_back(json::Object{{"kernel", launch.getKernelName().getValue()},
                                  {"grid", std::move(grid)},
                                  {"block", std::move(block)},
                                  {"shared", 0},
                                  {"parameters", std::move(parameters)}});
  return success();
}

FailureOr<json::Object> EntryDescriber::describe() {
  if (failed(describeSizes()))
    return failure();
  llvm::SmallPtrSet<Block *, 8> seen;
  for (Block *block = &kernel.getBody().front(); block;
       block = getNext(*block)) {
    if (!seen.insert(block).second)
      return fail(*block->getTerminator());
    for (Operation &op : *block) {
      LogicalResult status = success();
      if (auto alloc = dyn_cast<gpu::AllocOp>(op))
        status = describeAlloc(alloc);
      else if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        status = describeLaunch(launch);
      else if (op.walk([](gpu::LaunchFuncOp) {
                   return WalkResult::interrupt();
                 }).wasInterrupted())
        status = fail(op);
      if (failed(status))
        return failure();
    }
    if (!isa<func::ReturnOp>(block->getTerminator()) && !getNext(*block))
      return fail(*block->getTerminator());
  }
  return json::Object{
      {"name", info.symbol},
      {"inputs", describeArguments(info.inputs, inputShapes)},
      {"outputs", describeArguments(info.outputs, outputShapes)},
      {"checks", std::move(checks)},
      {"temporaries", std::move(allocations)},
      {"launches", std::move(launches)}};
}

FailureOr<std::string> quant_float::describeLaunches(ModuleOp module,
                                                     StringRef chip) {
  FailureOr<std::vector<EntryPointInfo>> entryPoints = getEntryPoints(module);
  if (failed(entryPoints))
    return failure();
  json::Array entries;
  SymbolTable symbols(module);
  for (const EntryPointInfo &info : *entryPoints) {
    // quant-float-make-entry-points has made both.
    auto kernel = symbols.lookup<func::FuncOp>(info.symbol + ".kernel");
    auto sizes = symbols.lookup<func::FuncOp>(info.symbol + ".sizes");
    FailureOr<json::Object> entry =
        EntryDescriber(kernel, sizes, info).describe();
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  json::Object description{
      {"version", 1}, {"chip", chip}, {"entries", std::move(entries)}};
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0}\n", json::Value(std::move(description)));
  return text;
}
