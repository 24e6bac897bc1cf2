//===- MakeEntryPoints.cpp - Convert functions to kernels -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/Entry/EntryPointTable.h"
#include "SizeChecks.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float-c/EntryPoint.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/EqualFunctions.h"
#include "quant-float/IR/LoopShapes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/ElementTypes.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATMAKEENTRYPOINTSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether `name` is a keyword of C or C++, or a name of the C library or of a
/// runtime. An entry point of such a name would not compile, or would replace
/// the library's function.
static bool isReservedName(StringRef name) {
  static const llvm::StringSet<> reserved = {
      "alignas",   "alignof", "and",       "asm",      "auto",     "bool",
      "break",     "case",    "catch",     "char",     "class",    "compl",
      "concept",   "const",   "constexpr", "continue", "decltype", "default",
      "delete",    "do",      "double",    "else",     "enum",     "explicit",
      "export",    "extern",  "false",     "float",    "for",      "friend",
      "goto",      "if",      "inline",    "int",      "long",     "mutable",
      "namespace", "new",     "noexcept",  "not",      "nullptr",  "operator",
      "or",        "private", "protected", "public",   "register", "requires",
      "restrict",  "return",  "short",     "signed",   "sizeof",   "static",
      "struct",    "switch",  "template",  "this",     "throw",    "true",
      "try",       "typedef", "typeid",    "typename", "typeof",   "union",
      "unsigned",  "using",   "virtual",   "void",     "volatile", "while",
      "xor",
#include "CLibraryNames.inc"
  };
  for (StringRef prefix :
       {"__", "qf_", "QF_", "mgpu", "quantFloat", "omp_", "kmp_"})
    if (name.starts_with(prefix))
      return true;
  // Importers add an underscore to names that start with a digit.
  if (name.size() > 1 && name[0] == '_' && llvm::isAlpha(name[1]))
    return true;
  return reserved.contains(name);
}

static bool isCIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Whether the type has tensors, buffers or opaque values. Other functions are
/// not part of a model and are left unchanged.
static bool isOfModel(FunctionType type) {
  // Sequences are opaque. Functions with them are converted, too, so that
  // `describe` reports the error.
  auto isOfModels = [](Type t) {
    return isa<TensorType, BaseMemRefType, quant_float::OpaqueType>(t);
  };
  return llvm::any_of(type.getInputs(), isOfModels) ||
         llvm::any_of(type.getResults(), isOfModels);
}

/// Sets the description of one argument or result from its type and attributes.
static LogicalResult
describe(Type type, DictionaryAttr attributes, EntryPointArgument &argument,
         llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << "expected a ranked tensor, but got " << type;
  Type elementType = tensor.getElementType();
  if (attributes) {
    if (auto original = attributes.getAs<TypeAttr>(kElementTypeAttrName))
      elementType = original.getValue();
    if (auto name = attributes.getAs<StringAttr>(kNameAttrName))
      argument.name = name.str();
  }
  std::optional<int32_t> dtype = getDataType(elementType);
  if (dtype && attributes && attributes.contains(kPackedAttrName))
    *dtype |= kPackedFlag;
  if (!dtype || !getElementBits(*dtype))
    return emitError() << "expected an element type with a representation in "
                          "memory, but got "
                       << elementType;
  // Kernels only take signless integers and floats of the storage width, which
  // is a multiple of a byte unless the caller's elements are packed. Report
  // other types here, because later passes do not support them.
  Type stored = tensor.getElementType();
  if (!stored.isSignlessIntOrFloat() ||
      stored.getIntOrFloatBitWidth() != getElementBits(*dtype))
    return emitError() << "expected the storage type of " << elementType
                       << ", but got " << stored;
  argument.dtype = *dtype;
  for (int64_t size : tensor.getShape())
    argument.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return success();
}

static FailureOr<EntryPointInfo> describe(func::FuncOp function) {
  auto emitError = [&] {
    return function.emitError("function '") << function.getSymName() << "': ";
  };
  EntryPointInfo info;
  info.symbol = function.getSymName().str();
  if (!isCIdentifier(info.symbol))
    return emitError() << "expected a name that is a C identifier";
  // The generated header documents both names.
  if (isReservedName(info.symbol))
    info.symbol = "graph_" + info.symbol;
  if (auto name = function->getAttrOfType<StringAttr>(kGraphNameAttrName))
    info.graphName = name.str();
  auto describeAll = [&](TypeRange types, ArrayAttr attributes, StringRef kind,
                         auto &arguments) {
    for (auto [index, type] : llvm::enumerate(types))
      if (failed(describe(type,
                          attributes ? cast<DictionaryAttr>(attributes[index])
                                     : nullptr,
                          arguments.emplace_back(), [&, index = index] {
                            return emitError() << kind << " " << index << ": ";
                          })))
        return failure();
    return success();
  };
  if (failed(describeAll(function.getArgumentTypes(),
                         function.getArgAttrsAttr(), "argument",
                         info.inputs)) ||
      failed(describeAll(function.getResultTypes(), function.getResAttrsAttr(),
                         "result", info.outputs)))
    return failure();
  auto isString = [](const EntryPointArgument &argument) {
    return argument.dtype == QF_STRING;
  };
  info.hasStrings = llvm::any_of(info.inputs, isString) ||
                    llvm::any_of(info.outputs, isString) ||
                    function
                        .walk([](Operation *op) {
                          return isa<CastStringsOp, LoadStringsOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  return info;
}

/// Removes the attributes that the kernel's description now contains. The types
/// that they belong to are about to change.
static void dropAttributes(func::FuncOp function) {
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function->removeAttr(kGraphNameAttrName);
  function->removeAttr(kEntryPointAttrName);
}

/// Converts (tensors) -> (tensors) to (tensors, buffers) -> ().
static LogicalResult makeKernel(func::FuncOp kernel,
                                const EntryPointInfo &info) {
  dropAttributes(kernel);
  MLIRContext *context = kernel.getContext();
  unsigned numInputs = kernel.getNumArguments();
  SmallVector<Type> resultTypes(kernel.getResultTypes());
  for (unsigned i = 0; i < numInputs; ++i)
    kernel.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName,
                      BoolAttr::get(context, false));
  for (Type type : resultTypes) {
    auto tensor = cast<RankedTensorType>(type);
    auto buffer = MemRefType::get(tensor.getShape(), tensor.getElementType());
    if (failed(kernel.insertArgument(kernel.getNumArguments(), buffer, {},
                                     kernel.getLoc())))
      return failure();
  }
  kernel.walk([&](func::ReturnOp returnOp) {
    OpBuilder builder(returnOp);
    for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
      // The caller guarantees that no output overlaps another tensor
      // (restrict).
      auto store = bufferization::MaterializeInDestinationOp::create(
          builder, returnOp.getLoc(), /*result=*/Type(), value,
          kernel.getArgument(numInputs + index));
      store.setRestrict(true);
      store.setWritable(true);
    }
    returnOp.getOperandsMutable().clear();
  });
  Type i64 = IntegerType::get(context, 64);
  SmallVector<Type> last;
  if (info.hasStrings)
    last = {i64};
  if (info.hasDataDependentSizes)
    last = {MemRefType::get(info.getNumDynamicSizes(), i64), i64};
  for (Type type : last)
    if (failed(kernel.insertArgument(kernel.getNumArguments(), type, {},
                                     kernel.getLoc())))
      return failure();
  kernel.setFunctionType(
      FunctionType::get(context, kernel.getArgumentTypes(), {}));
  kernel->setAttr(kEntryPointAttrName, info.toAttribute(context));
  return success();
}

/// Asserts the checks that depend on tensor data in the kernel.
/// Erases the assertions of the other checks, which the entry point makes
/// before it calls the kernel.
static void assertDataDependentChecks(func::FuncOp kernel,
                                      const llvm::BitVector &isDataDependent) {
  for (auto [index, check] : llvm::enumerate(collectChecks(kernel))) {
    if (check.assertion) {
      if (!isDataDependent[index])
        check.assertion.erase();
      continue;
    }
    if (!isDataDependent[index])
      continue;
    OpBuilder builder(check.op);
    Location loc = check.op->getLoc();
    Value isEqual = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, check.expected, check.actual);
    cf::AssertOp::create(builder, loc, isEqual,
                         check.description +
                             ": sizes of its inputs do not match");
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Adds all ops of the block that the ops in `needed` depend on.
static void addDependences(Block &block, SetVector<Operation *> &needed) {
  for (unsigned i = 0; i < needed.size(); ++i)
    needed[i]->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (Operation *top = block.findAncestorOpInBlock(*definition))
            needed.insert(top);
    });
}

/// Erases all ops of the block that its terminator does not depend on. Side
/// effects do not count, because only sizes are needed.
static void eraseUnneeded(Block &block) {
  SetVector<Operation *> needed;
  needed.insert(block.getTerminator());
  addDependences(block, needed);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!needed.contains(&op))
      op.erase();
}

/// Moves `first`, which are adjacent ops in front of the terminator, in front
/// of all ops that they do not depend on. Keeps the assertions before the ops
/// that read tensor elements, because the reads rely on them.
static void moveUp(Block &block, ArrayRef<Operation *> first) {
  SetVector<Operation *> needed(first.begin(), first.end());
  addDependences(block, needed);
  bool isBeforeRead = false;
  auto before = llvm::make_range(
      std::next(first.front()->getIterator().getReverse()), block.rend());
  for (Operation &op : before) {
    if (isBeforeRead && isa<cf::AssertOp>(op))
      needed.insert(&op);
    isBeforeRead |=
        needed.contains(&op) && !isa<tensor::DimOp, memref::DimOp>(op) &&
        !isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
            op.getDialect());
  }
  addDependences(block, needed);
  for (Operation &op : llvm::make_early_inc_range(before))
    if (!needed.contains(&op))
      op.moveAfter(first.back());
}

/// Returns patterns that express sizes of results by sizes of arguments.
static FrozenRewritePatternSet getSizePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  populateLoopShapePatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa_and_nonnull<tensor::TensorDialect, arith::ArithDialect>(
            &op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  return patterns;
}

namespace {
/// Records which ops are erased.
struct ErasedOps final : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { erased.insert(op); }

  llvm::DenseSet<Operation *> erased;
};
} // namespace

/// Expresses the sizes of values by the sizes of the function's arguments.
/// Resolves one `tensor.dim` for each size of an op's result at a time, from
/// the last op to the first, so that each size is computed once. The greedy
/// driver alone would compute it again for every use, which takes cubic time in
/// chains of ops with dynamic sizes.
static LogicalResult resolveSizes(func::FuncOp function,
                                  const FrozenRewritePatternSet &patterns) {
  ErasedOps listener;
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  config.setListener(&listener);
  IRRewriter rewriter(function.getContext(), &listener);
  auto ops = llvm::to_vector(
      llvm::make_pointer_range(function.getBody().front().getOperations()));
  for (Operation *op : llvm::reverse(ops)) {
    // A new op may have the address of an erased op, but new ops are resolved
    // when they are created.
    if (listener.erased.contains(op))
      continue;
    SmallVector<Operation *> dims;
    for (Value result : op->getResults()) {
      llvm::SmallDenseMap<int64_t, Value> sizes;
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        auto dim = dyn_cast<tensor::DimOp>(user);
        std::optional<int64_t> index;
        if (dim && dim.getSource() == result)
          index = dim.getConstantIndex();
        if (!index)
          continue;
        Value &size = sizes[*index];
        if (!size) {
          rewriter.setInsertionPointAfter(op);
          size = tensor::DimOp::create(rewriter, dim.getLoc(), result, *index);
          dims.push_back(size.getDefiningOp());
        }
        rewriter.replaceOp(dim, size);
      }
    }
    if (!dims.empty() &&
        failed(applyOpPatternsGreedily(dims, patterns, config)))
      return failure();
  }
  return applyPatternsGreedily(function, patterns);
}

namespace {

/// Builds the shape function @f.sizes.
class SizesBuilder {
public:
  /// If `mayDependOnData`, sizes may depend on tensor elements, and the kernel
  /// computes them.
  SizesBuilder(func::FuncOp sizes, EntryPointInfo &info, bool mayDependOnData)
      : sizes(sizes), info(info), mayDependOnData(mayDependOnData),
        indexType(IndexType::get(sizes.getContext())) {}

  /// Converts (tensors) -> (tensors) to (all their sizes) -> (the dynamic sizes
  /// of the results, two numbers for each check). Adds the checks to the
  /// description.
  LogicalResult build(const FrozenRewritePatternSet &patterns);

  /// Returns which checks depend on tensor elements, by the order in which
  /// `collectChecks` returns them.
  const llvm::BitVector &getDataDependentChecks() const {
    return dataDependentChecks;
  }
  /// Returns which dynamic sizes of the results depend on tensor elements.
  /// @f.sizes returns QF_UNKNOWN_SIZE for them.
  const llvm::BitVector &getDataDependentSizes() const {
    return dataDependentSizes;
  }

private:
  func::ReturnOp getReturn();
  void setResults(ArrayRef<Value> values);
  void returnSizes();
  void selectChecks();
  void selectDataDependentSizes();
  LogicalResult replaceArguments();
  void describeChecks();

  func::FuncOp sizes;
  EntryPointInfo &info;
  bool mayDependOnData;
  IndexType indexType;
  unsigned numDynamic = 0;
  /// In the order of the returned values. Their `expected` and `actual` are
  /// stale after patterns are applied.
  SmallVector<PendingCheck> checks;
  llvm::BitVector dataDependentChecks, dataDependentSizes;
  /// The argument and dimension whose size is passed as this argument of the
  /// finished function.
  SmallVector<std::pair<unsigned, unsigned>> sizePositions;
};

} // namespace

func::ReturnOp SizesBuilder::getReturn() {
  return cast<func::ReturnOp>(sizes.getBody().front().getTerminator());
}

void SizesBuilder::setResults(ArrayRef<Value> values) {
  getReturn().getOperandsMutable().assign(values);
  sizes.setFunctionType(
      FunctionType::get(sizes.getContext(), sizes.getArgumentTypes(),
                        SmallVector<Type>(values.size(), indexType)));
}

/// Returns the dynamic sizes of the returned tensors.
static SmallVector<Value> makeDynamicSizes(OpBuilder &builder,
                                           func::ReturnOp returnOp) {
  SmallVector<Value> values;
  for (Value value : returnOp.getOperands()) {
    auto tensor = cast<RankedTensorType>(value.getType());
    for (int64_t i = 0, e = tensor.getRank(); i < e; ++i)
      if (tensor.isDynamicDim(i))
        values.push_back(
            tensor::DimOp::create(builder, returnOp.getLoc(), value, i));
  }
  return values;
}

void SizesBuilder::returnSizes() {
  OpBuilder builder(getReturn());
  SmallVector<Value> values = makeDynamicSizes(builder, getReturn());
  numDynamic = values.size();
  checks = collectChecks(sizes);
  for (const PendingCheck &check : checks)
    values.append({check.expected, check.actual});
  setResults(values);
}

/// Keeps the checks that only depend on sizes and may fail.
void SizesBuilder::selectChecks() {
  func::ReturnOp returnOp = getReturn();
  SmallVector<Value> values(returnOp.getOperands().take_front(numDynamic));
  SmallVector<PendingCheck> selected;
  llvm::DenseSet<std::pair<Value, Value>> known;
  SizeDependence dependence;
  dataDependentChecks.resize(checks.size());
  for (auto [index, check] : llvm::enumerate(checks)) {
    Value expected = returnOp.getOperand(numDynamic + 2 * index);
    Value actual = returnOp.getOperand(numDynamic + 2 * index + 1);
    bool isDataDependent = !dependence.isOnlyOnSizes(expected) ||
                           !dependence.isOnlyOnSizes(actual);
    if (isDataDependent)
      dataDependentChecks.set(index);
    std::optional<int64_t> left = getConstantIntValue(expected);
    if (isDataDependent || expected == actual ||
        (left && left == getConstantIntValue(actual)))
      continue;
    if (!known.insert({expected, actual}).second)
      continue;
    values.append({expected, actual});
    selected.push_back(check);
  }
  checks = std::move(selected);
  setResults(values);
}

/// Finds the results' sizes that depend on tensor elements, and returns
/// QF_UNKNOWN_SIZE for them.
void SizesBuilder::selectDataDependentSizes() {
  dataDependentSizes.resize(numDynamic);
  if (!mayDependOnData)
    return;
  func::ReturnOp returnOp = getReturn();
  OpBuilder builder(returnOp);
  SizeDependence dependence;
  for (unsigned i = 0; i < numDynamic; ++i)
    if (!dependence.isOnlyOnSizes(returnOp.getOperand(i)))
      dataDependentSizes.set(i);
  if (dataDependentSizes.none())
    return;
  Location loc = returnOp.getLoc();
  Value unknown = arith::ConstantIndexOp::create(builder, loc, QF_UNKNOWN_SIZE);
  // Computed sizes may overflow to any number, including QF_UNKNOWN_SIZE.
  Value min = arith::ConstantIndexOp::create(builder, loc, QF_UNKNOWN_SIZE + 1);
  for (unsigned i = 0; i < numDynamic; ++i)
    returnOp.setOperand(i, dataDependentSizes[i]
                               ? unknown
                               : arith::MaxSIOp::create(builder, loc,
                                                        returnOp.getOperand(i),
                                                        min));
}

LogicalResult SizesBuilder::replaceArguments() {
  Block &body = sizes.getBody().front();
  unsigned numInputs = body.getNumArguments();
  SmallVector<SmallVector<unsigned>> position(numInputs);
  for (unsigned i = 0; i < numInputs; ++i) {
    auto tensor = cast<RankedTensorType>(body.getArgument(i).getType());
    for (int64_t j = 0, e = tensor.getRank(); j < e; ++j) {
      position[i].push_back(body.getNumArguments());
      sizePositions.push_back({i, static_cast<unsigned>(j)});
      body.addArgument(indexType, sizes.getLoc());
    }
  }
  for (unsigned i = 0; i < numInputs; ++i) {
    for (Operation *user :
         llvm::make_early_inc_range(body.getArgument(i).getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      std::optional<int64_t> index =
          dim ? dim.getConstantIndex() : std::nullopt;
      if (!index || *index < 0 ||
          *index >= static_cast<int64_t>(position[i].size())) {
        InFlightDiagnostic error = user->emitError("function '");
        error << info.symbol
              << "': expected result sizes that depend on argument sizes only, "
                 "but ";
        // Names the model's node if the op comes from one.
        StringRef node = getNodeName(user->getLoc());
        if (!node.empty())
          error << "node '" << printable(node) << "' computes them from";
        else
          error << "they depend on";
        error << " the values of input " << i;
        if (!info.inputs[i].name.empty())
          error << " '" << printable(info.inputs[i].name) << "'";
        return failure();
      }
      dim.replaceAllUsesWith(body.getArgument(position[i][*index]));
      dim.erase();
    }
  }
  body.eraseArguments(0, numInputs);
  sizes.setFunctionType(FunctionType::get(
      sizes.getContext(), body.getArgumentTypes(), sizes.getResultTypes()));
  return success();
}

/// Sets the input that each check is about. If both numbers are sizes of
/// inputs, it is the later input: a scale rather than the tensor that it
/// scales.
void SizesBuilder::describeChecks() {
  func::ReturnOp returnOp = getReturn();
  for (auto [index, check] : llvm::enumerate(checks)) {
    unsigned position = numDynamic + 2 * index;
    auto expected = dyn_cast<BlockArgument>(returnOp.getOperand(position));
    auto actual = dyn_cast<BlockArgument>(returnOp.getOperand(position + 1));
    if (expected &&
        (!actual || expected.getArgNumber() > actual.getArgNumber())) {
      Value other = returnOp.getOperand(position + 1);
      returnOp.setOperand(position, other);
      returnOp.setOperand(position + 1, expected);
      actual = expected;
    }
    EntryPointCheck description;
    description.message = check.description;
    description.isAssertion = !check.isEquality;
    // The message of an assertion is more specific than the input and size.
    if (actual && !check.assertion) {
      description.input = sizePositions[actual.getArgNumber()].first;
      description.dimension = sizePositions[actual.getArgNumber()].second;
    }
    info.checks.push_back(std::move(description));
  }
}

LogicalResult SizesBuilder::build(const FrozenRewritePatternSet &patterns) {
  dropAttributes(sizes);
  returnSizes();
  // The ops that compute tensor elements are dead once the sizes are expressed
  // by those of the arguments.
  if (failed(resolveSizes(sizes, patterns)))
    return failure();
  IRRewriter rewriter(sizes.getContext());
  DominanceInfo dominance(sizes);
  eliminateCommonSubExpressions(rewriter, dominance, sizes);
  selectChecks();
  selectDataDependentSizes();
  eraseUnneeded(sizes.getBody().front());
  if (failed(replaceArguments()))
    return failure();
  describeChecks();
  return success();
}

/// Returns the ops that write the results to the kernel's buffers. The function
/// takes tensors only, so these buffers are its only memrefs. Other ops may
/// write to tensors and to memrefs that the function allocates.
static SmallVector<bufferization::MaterializeInDestinationOp>
getResultStores(func::FuncOp kernel) {
  SmallVector<bufferization::MaterializeInDestinationOp> stores;
  for (auto store : kernel.getBody()
                        .front()
                        .getOps<bufferization::MaterializeInDestinationOp>())
    if (isa<MemRefType>(store.getDest().getType()) &&
        isa<BlockArgument>(store.getDest()))
      stores.push_back(store);
  return stores;
}

/// Writes all dynamic sizes of the results to the buffer that the kernel takes
/// for them, and returns from a kernel that computes only the sizes, before all
/// ops that the sizes do not depend on. Then asserts that the result buffers
/// have the data-dependent sizes, because elements may have changed since the
/// caller computed them.
static LogicalResult
computeSizesFirst(func::FuncOp kernel, unsigned numInputs,
                  const llvm::BitVector &dataDependentSizes,
                  const FrozenRewritePatternSet &patterns) {
  Block &body = kernel.getBody().front();
  SmallVector<bufferization::MaterializeInDestinationOp> stores =
      getResultStores(kernel);
  Value sizes = body.getArgument(body.getNumArguments() - 2);
  OpBuilder builder(stores.front());
  SmallVector<Operation *> first, assertions;
  for (bufferization::MaterializeInDestinationOp store : stores) {
    auto buffer = cast<BlockArgument>(store.getDest());
    auto type = cast<MemRefType>(buffer.getType());
    unsigned output = buffer.getArgNumber() - numInputs;
    Location loc = store.getLoc();
    for (int64_t i = 0, e = type.getRank(); i < e; ++i) {
      if (!type.isDynamicDim(i))
        continue;
      unsigned index = first.size();
      builder.setInsertionPoint(stores.front());
      Value computed =
          tensor::DimOp::create(builder, loc, store.getSource(), i);
      Value number = arith::IndexCastOp::create(builder, loc,
                                                builder.getI64Type(), computed);
      Value at = arith::ConstantIndexOp::create(builder, loc, index);
      first.push_back(memref::StoreOp::create(builder, loc, number, sizes, at));
      if (!dataDependentSizes[index])
        continue;
      Value actual = memref::DimOp::create(builder, loc, buffer, i);
      Value isEqual = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, computed, actual);
      assertions.push_back(cf::AssertOp::create(
          builder, loc, isEqual,
          ("output " + Twine(output) + ": the size of dimension " + Twine(i) +
           " differs from the result of the shape function")
              .str()));
    }
  }
  builder.setInsertionPoint(stores.front());
  Location loc = kernel.getLoc();
  Value isRun = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, body.getArguments().back(),
      arith::ConstantIntOp::create(builder, loc, 0, 64));
  first.push_back(cf::AssertOp::create(builder, loc, isRun, kSizesOnlyMessage));
  first.append(assertions);
  if (failed(resolveSizes(kernel, patterns)))
    return failure();
  for (Operation *op : first)
    op->moveBefore(stores.front());
  moveUp(body, first);
  return success();
}

/// Moves the writes of outputs to the end of the kernel, so that nothing is
/// written if an assertion about their sizes fails.
static void writeLast(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  for (bufferization::MaterializeInDestinationOp store :
       getResultStores(kernel)) {
    OpBuilder builder(body.getTerminator());
    auto type = cast<RankedTensorType>(store.getSource().getType());
    Value computed = bufferization::ToBufferOp::create(
        builder, store.getLoc(),
        bufferization::getMemRefTypeWithFullyDynamicLayout(type),
        store.getSource(), /*read_only=*/true);
    memref::CopyOp::create(builder, store.getLoc(), computed, store.getDest());
    store.erase();
  }
}

/// Creates the kernel and the shape functions of an entry point next to
/// `function`, and adds its checks to `info`.
static LogicalResult makeEntryPoint(func::FuncOp function, EntryPointInfo &info,
                                    SymbolTable &symbols,
                                    const FrozenRewritePatternSet &patterns) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("function '")
           << function.getSymName() << "': expected one block, but got "
           << function.getBody().getBlocks().size();
  Operation *terminator = function.getBody().front().getTerminator();
  if (!isa<func::ReturnOp>(terminator))
    return function.emitError("function '")
           << function.getSymName()
           << "': expected the terminator 'func.return', but got '"
           << terminator->getName() << "'";

  auto clone = [&](StringRef suffix) {
    func::FuncOp copy = function.clone();
    copy.setSymName(info.symbol + suffix.str());
    symbols.insert(copy, function->getIterator());
    return copy;
  };
  // Names of entry points have no dots, so these names are unique.
  func::FuncOp kernel = clone(".kernel");
  func::FuncOp sizes = clone(".sizes");
  // Strings can only be read in a run.
  SizesBuilder sizesBuilder(sizes, info, !info.hasStrings);
  if (failed(sizesBuilder.build(patterns)))
    return failure();
  assertDataDependentChecks(kernel, sizesBuilder.getDataDependentChecks());
  const llvm::BitVector &dataDependentSizes =
      sizesBuilder.getDataDependentSizes();
  info.hasDataDependentSizes = dataDependentSizes.any();
  // The status of this assertion is not an index of a message.
  auto isReserved = [](cf::AssertOp op) {
    return op.getMsg() == kSizesOnlyMessage
               ? WalkResult(op.emitOpError("message is reserved: '")
                            << op.getMsg() << "'")
               : WalkResult::advance();
  };
  if (info.hasDataDependentSizes && function.walk(isReserved).wasInterrupted())
    return failure();
  if (failed(makeKernel(kernel, info)))
    return failure();
  if (!info.hasDataDependentSizes)
    return success();
  if (failed(computeSizesFirst(kernel, info.inputs.size(), dataDependentSizes,
                               patterns)))
    return failure();
  writeLast(kernel);
  return success();
}

/// Returns one group for each function, by index.
static SmallVector<SmallVector<size_t>> makeSingletons(size_t count) {
  SmallVector<SmallVector<size_t>> groups;
  for (size_t functionIndex = 0; functionIndex < count; ++functionIndex)
    groups.push_back({functionIndex});
  return groups;
}

/// Describes the entry point of a group's first function, and the names of the
/// others, which share its kernel.
static FailureOr<EntryPointInfo>
describeGroup(ArrayRef<size_t> group, ArrayRef<func::FuncOp> functions) {
  FailureOr<EntryPointInfo> first;
  for (size_t functionIndex : group) {
    FailureOr<EntryPointInfo> info = describe(functions[functionIndex]);
    if (failed(info))
      return failure();
    info->position = functionIndex;
    if (failed(first))
      first = std::move(info);
    else
      first->sharing.push_back(info->getNames());
  }
  return first;
}

namespace {
struct QuantFloatMakeEntryPointsPass
    : quant_float::impl::QuantFloatMakeEntryPointsPassBase<
          QuantFloatMakeEntryPointsPass> {
  using QuantFloatMakeEntryPointsPassBase::QuantFloatMakeEntryPointsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    // Collect all uses at once: a query for each function walks the entire
    // module.
    llvm::StringSet<> used;
    if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    FrozenRewritePatternSet patterns = getSizePatterns(&getContext());
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          !function->hasAttr(kEntryPointAttrName) &&
          isOfModel(function.getFunctionType()))
        functions.push_back(function);
    SmallVector<SmallVector<size_t>> groups =
        share ? groupEqualFunctions(functions)
              : makeSingletons(functions.size());
    for (ArrayRef<size_t> group : groups) {
      FailureOr<EntryPointInfo> info = describeGroup(group, functions);
      if (failed(info))
        return signalPassFailure();
      // Without shared kernels, entry points are in the order of the module.
      if (groups.size() == functions.size())
        info->position = 0;
      if (failed(makeEntryPoint(functions[group.front()], *info, symbols,
                                patterns)))
        return signalPassFailure();
      for (size_t functionIndex : group)
        // Other functions of the module still call the function on tensors.
        if (used.contains(functions[functionIndex].getSymName()))
          functions[functionIndex].setPrivate();
        else
          symbols.erase(functions[functionIndex]);
    }
  }
};
} // namespace
