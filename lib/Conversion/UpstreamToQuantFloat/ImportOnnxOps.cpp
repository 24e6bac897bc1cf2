//===- ImportOnnxOps.cpp - Import ops of onnx-mlir and torch-mlir ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/Conversion/OpImport/TorchTypes.h"
#include "quant-float/Conversion/OpImport/UnregisteredOp.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpsetVerifier.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATIMPORTONNXOPSPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
constexpr StringLiteral kOnnxPrefix = "onnx.";
constexpr StringLiteral kTorchOperator = "torch.operator";
constexpr StringLiteral kTorchPrefix = "torch.onnx.";
constexpr StringLiteral kOpsetAttr = "torch.onnx_meta.opset_version";
constexpr StringLiteral kNodeNameAttr = "onnx_node_name";

/// An op of onnx-mlir or torch-mlir.
struct ForeignOp {
  Operation *op;
  /// ONNX's op type, such as "Cast"; empty for all other ops.
  StringRef opType;
  bool isTorch = false;
};

struct ImportOnnxOps final
    : quant_float::impl::QuantFloatImportOnnxOpsPassBase<ImportOnnxOps> {
  using QuantFloatImportOnnxOpsPassBase::QuantFloatImportOnnxOpsPassBase;

  void runOnOperation() override;

private:
  FailureOr<int64_t> getOpset(Operation *op);
  LogicalResult import(ForeignOp foreign);
  FailureOr<NodeOp> createNode(ForeignOp foreign, int64_t opset);
  FailureOr<DictionaryAttr> readAttributes(ForeignOp foreign, OpKind kind,
                                           int64_t opset);
  /// Returns the value as a builtin tensor, which is created after its
  /// definition.
  Value getTensor(Value value);
  Value createConstant(Operation *op);
  void replace(ForeignOp foreign, Value result);
  void convertReturns();
  void convertSignature(func::FuncOp func);

  /// The builtin tensors of torch values and of constants of both dialects.
  DenseMap<Value, Value> tensors;
  /// The ops that may have become dead, in the order of their creation.
  SetVector<Operation *> maybeDead;
};
} // namespace

//===----------------------------------------------------------------------===//
// Foreign ops
//===----------------------------------------------------------------------===//

static ForeignOp readForeignOp(Operation *op) {
  StringRef name = op->getName().getStringRef();
  ForeignOp foreign{op, {}};
  if (name == kTorchOperator) {
    auto operation =
        dyn_cast_or_null<StringAttr>(UnregisteredOp(op).getAttribute("name"));
    name = operation ? operation.getValue() : StringRef();
    foreign.isTorch = true;
  }
  if (name.consume_front(kOnnxPrefix))
    foreign.opType = name;
  return foreign;
}

/// Returns the kind of an op that is converted to an op of the dialect.
static std::optional<OpKind> getKind(StringRef opType) {
  std::optional<OpKind> kind = findOpKind(/*domain=*/"", opType);
  bool isOp = kind == OpKind::Cast || kind == OpKind::CastLike ||
              kind == OpKind::QuantizeLinear ||
              kind == OpKind::DequantizeLinear;
  return isOp ? kind : std::nullopt;
}

/// Whether a value represents an absent optional input.
static bool isAbsent(Value value) {
  if (isa<NoneType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == "torch.constant.none";
}

/// Whether the op has neither regions nor successors, which its name alone does
/// not guarantee for an unregistered op.
static bool isPlain(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumSuccessors() == 0;
}

/// Whether the op only produces an absent value.
static bool isNoValue(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return isPlain(op) &&
         (name == "onnx.NoValue" || name == "torch.constant.none");
}

FailureOr<int64_t> ImportOnnxOps::getOpset(Operation *op) {
  if (opset != 0)
    return int64_t(opset);
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    Attribute value = parent->getAttr(kOpsetAttr);
    if (!value)
      continue;
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer || integer.getValue().getSignificantBits() > 64)
      return parent->emitError() << "attribute '" << kOpsetAttr
                                 << "': expected an integer, but got " << value;
    return integer.getValue().getSExtValue();
  }
  return kNewestOpset;
}

/// Whether onnx-mlir always writes this value as the default of the attribute.
static bool isDefault(OpAttribute attribute, Attribute value) {
  if (attribute == OpAttribute::RoundMode) {
    auto string = dyn_cast<StringAttr>(value);
    return string && string.getValue() == "up";
  }
  auto integer = dyn_cast<IntegerAttr>(value);
  bool isOne =
      attribute == OpAttribute::Saturate || attribute == OpAttribute::Axis;
  return integer && integer.getValue() == uint64_t(isOne);
}

/// Returns the attributes in the representation of `quant_float.node`: ints
/// have 64 bits, and types are ONNX's numbers.
FailureOr<DictionaryAttr>
ImportOnnxOps::readAttributes(ForeignOp foreign, OpKind kind, int64_t opset) {
  Builder builder(&getContext());
  const OpVersion *version = getOpVersion(kind, opset);
  NamedAttrList result;
  UnregisteredOp op(foreign.op);
  for (NamedAttribute attribute : op.getAttributes()) {
    StringRef name = attribute.getName();
    // Other attributes are annotations of the producer.
    if (foreign.isTorch ? !name.consume_front(kTorchPrefix)
                        : name.contains('.') || name == kNodeNameAttr)
      continue;
    Attribute value = attribute.getValue();
    if (auto type = dyn_cast<TypeAttr>(value)) {
      std::optional<int32_t> number = getOnnxDataType(type.getValue());
      if (!number)
        return foreign.op->emitError()
               << "attribute '" << name
               << "': expected an ONNX element type, but got "
               << type.getValue();
      value = builder.getI64IntegerAttr(*number);
    } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
      if (integer.getValue().getSignificantBits() > 64)
        return foreign.op->emitError()
               << "attribute '" << name
               << "': expected an int of at most 64 bits, but got " << value;
      value =
          builder.getI64IntegerAttr(integer.getType().isUnsignedInteger()
                                        ? integer.getValue().getZExtValue()
                                        : integer.getValue().getSExtValue());
    }
    auto isDropped = [&](OpAttribute known) {
      return getAttributeName(known) == name && version &&
             !version->has(known) && isDefault(known, value);
    };
    if (foreign.isTorch || llvm::none_of(getOpAttributes(), isDropped))
      result.append(name, value);
  }
  return result.getDictionary(&getContext());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Converts onnx.Constant of either dialect to arith.constant. Returns null for
/// other ops and for kinds of values that are not elements attributes.
Value ImportOnnxOps::createConstant(Operation *op) {
  ForeignOp foreign = readForeignOp(op);
  if (findNodeKind(/*domain=*/"", foreign.opType) != NodeKind::Constant ||
      !isPlain(op))
    return {};
  StringRef name = foreign.isTorch ? "torch.onnx.value" : "value";
  Attribute value = UnregisteredOp(op).getAttribute(name);
  auto shaped = dyn_cast_or_null<ElementsAttr>(value);
  if (!shaped)
    return {};
  // si8 corresponds to i8.
  auto type = RankedTensorType::get(shaped.getShapedType().getShape(),
                                    shaped.getElementType());
  if (auto integer = dyn_cast<IntegerType>(type.getElementType());
      integer && integer.isSigned())
    type = type.clone(IntegerType::get(&getContext(), integer.getWidth()));
  TypedAttr typed;
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    typed = dense.getElementType() == type.getElementType()
                ? dense
                : dense.bitcast(type.getElementType());
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    typed = DenseResourceElementsAttr::get(type, resource.getRawHandle());
  if (!typed)
    return {};
  OpBuilder builder(op);
  maybeDead.insert(op);
  return quant_float::createConstant(builder, op->getLoc(), typed);
}

Value ImportOnnxOps::getTensor(Value value) {
  Value &tensor = tensors[value];
  if (tensor)
    return tensor;
  if (Operation *op = value.getDefiningOp())
    if (Value constant = createConstant(op))
      return tensor = constant;
  if (!isTorchTensor(value.getType()) || !getTensorOfTorch(value.getType()))
    return tensor = value;
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(value);
  tensor = createToBuiltinTensor(builder, value.getLoc(), value);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

FailureOr<NodeOp> ImportOnnxOps::createNode(ForeignOp foreign, int64_t opset) {
  Operation *op = foreign.op;
  if (!isPlain(op))
    return op->emitError() << "expected an op without regions or successors";
  if (Attribute properties = UnregisteredOp(op).getUnreadableProperties())
    return op->emitError() << "expected a dictionary of properties, but got "
                           << properties;
  FailureOr<DictionaryAttr> attributes =
      readAttributes(foreign, *getKind(foreign.opType), opset);
  if (failed(attributes))
    return failure();
  SmallVector<Value> inputs;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (!isAbsent(operand)) {
      inputs.push_back(getTensor(operand));
      continue;
    }
    absent.push_back(index);
    if (Operation *none = operand.getDefiningOp(); none && isNoValue(none))
      maybeDead.insert(none);
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    Type tensor = isTorchTensor(type) ? getTensorOfTorch(type) : type;
    types.push_back(tensor ? tensor : UnknownType::get(&getContext()));
  }
  OpBuilder builder(op);
  auto name = op->getAttrOfType<StringAttr>(kNodeNameAttr);
  return NodeOp::create(
      builder, op->getLoc(), types, builder.getStringAttr(foreign.opType),
      inputs, builder.getStringAttr(""), builder.getI64IntegerAttr(opset), name,
      *attributes, builder.getDenseI64ArrayAttr(absent),
      builder.getStrArrayAttr({}), /*bodiesCount=*/0);
}

LogicalResult ImportOnnxOps::import(ForeignOp foreign) {
  FailureOr<int64_t> opset = getOpset(foreign.op);
  if (failed(opset))
    return failure();
  FailureOr<NodeOp> made = createNode(foreign, *opset);
  if (failed(made))
    return failure();
  NodeOp node = *made;
  OpBuilder builder(node);
  auto emitError = [&] { return emitNodeError(node); };
  // V4 first, because the opset determines the other rules.
  if (failed(OpsetVerifier::get(emitError, *getKind(foreign.opType), *opset))) {
    node.erase();
    return failure();
  }
  FailureOr<NodeResolution> resolution = resolveNode(builder, node, emitError);
  LogicalResult result = success(succeeded(resolution));
  Operation *op = succeeded(resolution) ? resolution->op : nullptr;
  // All inputs are tensors, so only the rank of a scale can be missing.
  if (succeeded(resolution) && !op)
    result = emitError()
             << "input " << resolution->missingInput
             << ": expected a tensor of known rank, but got "
             << foreign.op->getOperand(resolution->missingInput).getType();
  if (op && (failed(verifyDeclaredTypes(
                 node, *resolution, /*strict=*/true,
                 [&](DiagnosticSeverity) { return emitError(); })) ||
             failed(verifyResolvedNode(op, emitError)))) {
    op->erase();
    result = failure();
  }
  node.erase();
  if (succeeded(result))
    replace(foreign, op->getResult(0));
  return result;
}

void ImportOnnxOps::replace(ForeignOp foreign, Value result) {
  Operation *op = foreign.op;
  OpBuilder builder(op);
  Value old = op->getResult(0);
  if (isTorchTensor(old.getType())) {
    Value torch =
        createFromBuiltinTensor(builder, op->getLoc(), old.getType(), result);
    tensors[torch] = result;
    for (Operation *made = torch.getDefiningOp();
         made && made != result.getDefiningOp();
         made = made->getOperand(0).getDefiningOp())
      maybeDead.insert(made);
    result = torch;
  } else if (result.getType() != old.getType()) {
    result =
        tensor::CastOp::create(builder, op->getLoc(), old.getType(), result);
  }
  tensors.erase(old);
  old.replaceAllUsesWith(result);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void ImportOnnxOps::convertReturns() {
  getOperation().walk([](Operation *op) {
    auto func = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
    if (op->getName().getStringRef() != "onnx.Return" || !func ||
        !llvm::equal(op->getOperandTypes(), func.getResultTypes()))
      return;
    OpBuilder builder(op);
    func::ReturnOp::create(builder, op->getLoc(), op->getOperands());
    op->erase();
  });
}

/// Changes torch tensors of the signature to builtin tensors, if arguments are
/// only converted to builtin tensors, and returned values are converted from
/// them.
void ImportOnnxOps::convertSignature(func::FuncOp func) {
  if (func.isDeclaration() ||
      !SymbolTable::symbolKnownUseEmpty(func, getOperation()))
    return;
  auto isTorch = [](Type type) { return isTorchTensor(type); };
  SmallVector<BlockArgument> arguments;
  for (BlockArgument argument : func.getArguments()) {
    if (!isTorch(argument.getType()))
      continue;
    if (!getTensorOfTorch(argument.getType()) ||
        !(argument.use_empty() ||
          (argument.hasOneUse() && tensors.contains(argument))))
      return;
    arguments.push_back(argument);
  }
  // Function types may contain result types that no return uses.
  if (llvm::any_of(func.getResultTypes(), [&](Type type) {
        return isTorch(type) && !getTensorOfTorch(type);
      }))
    return;
  SmallVector<OpOperand *> returned;
  for (Block &block : func.getBody()) {
    Operation *terminator = block.getTerminator();
    // It is unknown how other terminators return values.
    if (!isa<func::ReturnOp>(terminator)) {
      if (terminator->getNumSuccessors() == 0)
        return;
      continue;
    }
    for (OpOperand &operand : terminator->getOpOperands()) {
      if (!isTorch(operand.get().getType()))
        continue;
      if (!tensors.contains(operand.get()) || isa<BlockArgument>(operand.get()))
        return;
      returned.push_back(&operand);
    }
  }

  for (BlockArgument argument : arguments) {
    TensorType type = getTensorOfTorch(argument.getType());
    Value tensor = tensors.lookup(argument);
    argument.setType(type);
    if (!tensor)
      continue;
    for (Operation *op = tensor.getDefiningOp(); op;
         op = op->getOperand(0).getDefiningOp())
      maybeDead.insert(op);
    tensor.replaceAllUsesWith(argument);
  }
  for (OpOperand *operand : returned) {
    TensorType type = getTensorOfTorch(operand->get().getType());
    Value tensor = tensors.lookup(operand->get());
    // An argument that replaces the tensor may have a different type.
    if (tensor.getType() != type) {
      OpBuilder builder(operand->getOwner());
      tensor = tensor::CastOp::create(builder, tensor.getLoc(), type, tensor);
    }
    operand->set(tensor);
  }
  auto convert = [&](ArrayRef<Type> types) {
    return llvm::map_to_vector(types, [&](Type type) -> Type {
      return isTorch(type) ? getTensorOfTorch(type) : type;
    });
  };
  func.setType(FunctionType::get(&getContext(),
                                 convert(func.getArgumentTypes()),
                                 convert(func.getResultTypes())));
}

void ImportOnnxOps::runOnOperation() {
  SmallVector<ForeignOp> found;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ForeignOp foreign = readForeignOp(op);
    if (!getKind(foreign.opType))
      return WalkResult::advance();
    found.push_back(foreign);
    return WalkResult::skip();
  });
  tensors.clear();
  maybeDead.clear();
  bool isInvalid = false;
  for (ForeignOp foreign : found)
    isInvalid |= failed(import(foreign));
  if (isInvalid)
    return signalPassFailure();

  convertReturns();
  getOperation().walk([&](func::FuncOp func) { convertSignature(func); });
  // Reverse order erases most users before the values that they use. Repeat for
  // the ops that were inserted in another order.
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> ops(maybeDead.takeVector());
    for (Operation *op : llvm::reverse(ops)) {
      if (op->use_empty()) {
        op->erase();
        changed = true;
      } else {
        maybeDead.insert(op);
      }
    }
  }
}
