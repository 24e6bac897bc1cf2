//===- QuantFloatToLinalg.cpp - Lowering of tensors to linalg -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlocksToLinalg.h"
#include "ElementwiseGeneric.h"
#include "PhiloxBody.h"
#include "StorageTypesOfLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/ElementBodies.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTOLINALGPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

void quant_float::populateStorageTypeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](TensorType type) -> std::optional<Type> {
    if (!isNumber(type.getElementType()) &&
        !isa<StringType>(type.getElementType()))
      return type;
    return getStorageType(type);
  });
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs,
                        Location loc) -> Value {
    if (inputs.size() != 1)
      return {};
    return StorageCastOp::create(builder, loc, type, inputs.front());
  };
  converter.addSourceMaterialization(materialize);
  converter.addTargetMaterialization(materialize);
}

namespace {
/// Converts casts from or to strings:
///
/// %r = cast %x : tensor<?xA> to tensor<?xB>
/// ->
/// %r = cast_strings %x to %empty from A to B
///        : tensor<?xSA>, tensor<?xSB> -> tensor<?xSB>
struct StringCastConversion final : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getInput());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getInput().getType()))
      return failure();
    Type to = type.getElementType();
    if (!isa<StringType>(from) && !isa<StringType>(to))
      return failure();
    Location loc = op.getLoc();
    Value result = adaptor.getInput();
    // A cast from strings to strings is the identity (V7).
    if (from != to) {
      Value empty = tensor::EmptyOp::create(
          rewriter, loc, tensor::getMixedSizes(rewriter, loc, result),
          getStorageElementType(to));
      CastSemantics semantics = op.getSemantics();
      result =
          CastStringsOp::create(rewriter, loc, empty.getType(), result, empty,
                                from, to, semantics.saturate,
                                semantics.infinityIsNaN, semantics.roundMode)
              .getResult(0);
    }
    Type converted = getTypeConverter()->convertType(type);
    if (result.getType() != converted)
      result = tensor::CastOp::create(rewriter, loc, converted, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Converts a constant of strings to two constants, the concatenated bytes and
/// the offsets of the strings, and a load_strings.
struct StringConstantConversion final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<DenseStringElementsAttr>(op.getValue());
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!value || !type)
      return failure();
    SmallVector<int64_t> offsets = {0};
    SmallVector<char> bytes;
    for (StringRef string : value.getValues<StringRef>()) {
      llvm::append_range(bytes, string);
      offsets.push_back(bytes.size());
    }
    // The buffer of bytes must not be empty, because it needs an address.
    if (bytes.empty())
      bytes.push_back('\0');
    Location loc = op.getLoc();
    auto make = [&](auto &elements, unsigned width) -> Value {
      auto type = RankedTensorType::get({static_cast<int64_t>(elements.size())},
                                        rewriter.getIntegerType(width));
      return arith::ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::getFromRawBuffer(
              type, ArrayRef(reinterpret_cast<const char *>(elements.data()),
                             elements.size() * width / 8)));
    };
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    rewriter.replaceOpWithNewOp<LoadStringsOp>(op, type, make(offsets, 64),
                                               make(bytes, 8), empty);
    return success();
  }
};

struct CastOpConversion final : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto inputType = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || !inputType || !isNumber(type.getElementType()) ||
        !isNumber(inputType.getElementType()))
      return failure();
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<ElementwiseInput> inputs{
        {adaptor.getInput(), map, inputType.getElementType()}};
    if (Value random = op.getRandom())
      inputs.push_back(
          {adaptor.getRandom(), map, getElementTypeOrSelf(random)});
    replaceByGeneric(
        rewriter, *getTypeConverter(), op, inputs,
        [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
          if (op.getMode() == CastMode::OpenVINO)
            return buildOpenVinoCast(builder, loc, args[0],
                                     type.getElementType());
          return CastOp::create(builder, loc, type.getElementType(), args[0],
                                args.size() > 1 ? args[1] : Value(),
                                op.getOpsetAttr(), op.getLikeAttr(),
                                op.getSaturateAttr(), op.getRoundModeAttr(),
                                op.getModeAttr(), op.getProjectionAttr());
        });
    return success();
  }
};

/// Converts quantize, dequantize and qdq. The indexing maps express the
/// granularity of the parameters, (d0 floordiv B, d1) for blocks:
///
/// %y = quantize %x, %s axis 0 : tensor<?x?xf32>, tensor<?xf32> to ...
/// ->
/// %y = linalg.generic ins(%x, %s) outs(%empty)
///        maps (d0, d1) -> (d0, d1), (d0) {
///   ^bb0(%a: f32, %b: f32, %out: i8):
///     %0 = quantize_elements %a, %b : f32, f32 to i8
///     linalg.yield %0
/// }
struct QuantizationOpConversion final
    : OpInterfaceConversionPattern<QuantizationOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(QuantizationOpInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto inputType = dyn_cast<RankedTensorType>(op.getInputValue().getType());
    if (!inputType || !isa<RankedTensorType>(op->getResult(0).getType()))
      return failure();
    SmallVector<ElementwiseInput> inputs;
    for (auto [operand, value] : llvm::zip_equal(op->getOperands(), operands)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !isNumber(type.getElementType()))
        return failure();
      // The input and the random bits have one element for each element of the
      // result.
      AffineMap map =
          inputs.empty() || operand == op.getRandomValue()
              ? rewriter.getMultiDimIdentityMap(type.getRank())
              : op.getGranularity().getMap(op->getContext(), type.getShape(),
                                           inputType.getShape());
      inputs.push_back(
          {value, map, cast<TensorType>(operand.getType()).getElementType()});
    }
    replaceByGeneric(rewriter, *getTypeConverter(), op, inputs,
                     [&](OpBuilder &builder, Location loc, ValueRange args) {
                       return buildElementBody(builder, loc, op,
                                               getElementOperands(op, args));
                     });
    return success();
  }
};

/// Converts philox to a linalg.generic over the elements of the result, with
/// the linear index of each in row-major order.
struct PhiloxOpConversion final : OpConversionPattern<PhiloxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PhiloxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getLike().getType()))
      return failure();
    Location loc = op.getLoc();
    unsigned width = getNumberWidth(type.getElementType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, adaptor.getLike());
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, sizes, getStorageElementType(type.getElementType()));
    AffineMap scalar =
        AffineMap::get(type.getRank(), 0, ArrayRef<AffineExpr>(), getContext());
    SmallVector<AffineMap> maps{
        scalar, scalar, rewriter.getMultiDimIdentityMap(type.getRank())};
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(),
        ValueRange{adaptor.getSeed(), adaptor.getOffset()}, empty, maps,
        iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          Value index = arith::ConstantIndexOp::create(b, loc, 0);
          for (auto [dim, size] : llvm::enumerate(sizes)) {
            Value count = getValueOrCreateConstantIndexOp(b, loc, size);
            index = arith::AddIOp::create(
                b, loc, arith::MulIOp::create(b, loc, index, count),
                linalg::IndexOp::create(b, loc, dim));
          }
          index = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
          linalg::YieldOp::create(
              b, loc, buildPhilox(b, loc, args[0], args[1], index, width));
        });
    Value result = generic.getResult(0);
    Type converted = getTypeConverter()->convertType(type);
    if (result.getType() != converted)
      result = tensor::CastOp::create(rewriter, loc, converted, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

/// Returns the same elements in the storage type. Dense elements of i2 and i4
/// are sign-extended, other sub-byte elements are zero-extended.
static ElementsAttr convertElements(ElementsAttr value,
                                    RankedTensorType storageType) {
  Type from = value.getElementType();
  // The blob already has one value in an integral number of bytes for each
  // element.
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(storageType, resource.getRawHandle());
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || isa<DenseStringElementsAttr>(value))
    return {};
  auto attrType = cast<ShapedType>(storageType);
  unsigned width = storageType.getElementTypeBitWidth();
  bool isSigned = from.isSignlessInteger() && !from.isInteger(1);
  auto resize = [&](const APInt &bits) {
    return isSigned ? bits.sextOrTrunc(width) : bits.zextOrTrunc(width);
  };
  SmallVector<APInt> bits;
  if (isa<FloatType>(from)) {
    if (dense.isSplat())
      bits.push_back(resize(dense.getSplatValue<APFloat>().bitcastToAPInt()));
    else
      for (APFloat number : dense.getValues<APFloat>())
        bits.push_back(resize(number.bitcastToAPInt()));
  } else {
    if (dense.isSplat())
      bits.push_back(resize(dense.getSplatValue<APInt>()));
    else
      for (const APInt &number : dense.getValues<APInt>())
        bits.push_back(resize(number));
  }
  return DenseElementsAttr::get(attrType, bits);
}

namespace {
/// Converts arith.constant, and quant_float.constant with unsigned elements.
template <typename OpTy>
struct ConstantOpConversion final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto storageType = dyn_cast_or_null<RankedTensorType>(
        this->getTypeConverter()->convertType(op.getType()));
    auto value = dyn_cast<ElementsAttr>(op.getValue());
    if (!storageType || !value)
      return failure();
    ElementsAttr converted = convertElements(value, storageType);
    if (!converted)
      return rewriter.notifyMatchFailure(
          op, "the constant has no supported representation");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                   cast<TypedAttr>(converted));
    return success();
  }
};

/// Converts upstream ops that only move elements by changing their types. The
/// types of scalars (of tensor.extract, tensor.insert and tensor.from_elements)
/// remain unchanged outside of the op.
struct StructuralOpConversion final : ConversionPattern {
  StructuralOpConversion(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) ||
        op->getNumRegions())
      return failure();
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : operands)
      state.addOperands(rewriter.createOrFold<StorageCastOp>(
          op->getLoc(), getStorageType(operand.getType()), operand));
    state.addAttributes(op->getAttrs());
    for (Type type : op->getResultTypes())
      state.addTypes(getStorageType(type));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *converted = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [result, type] :
         llvm::zip_equal(converted->getResults(), op->getResultTypes()))
      results.push_back(isa<TensorType>(type)
                            ? result
                            : rewriter.createOrFold<StorageCastOp>(
                                  op->getLoc(), type, result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct ConvertQuantFloatToLinalg final
    : quant_float::impl::ConvertQuantFloatToLinalgPassBase<
          ConvertQuantFloatToLinalg> {
  void runOnOperation() override;
  /// Emits errors for all ops that have no lowering, before the conversion
  /// starts.
  LogicalResult checkInput();
  void recordElementTypes();
};
} // namespace

static bool isOnTensors(Operation *op) {
  return isa<CastOp, QuantizationOpInterface, FakeConvertOp, PhiloxOp>(op);
}

/// Returns the shape of the result that follows from the operands, or none if
/// it is unranked.
static std::optional<ShapedTypeComponents> inferShape(Operation *op) {
  SmallVector<ShapedTypeComponents> inferred;
  if (failed(cast<InferShapedTypeOpInterface>(op).inferReturnTypeComponents(
          op->getContext(), op->getLoc(), ValueShapeRange(op->getOperands()),
          op->getAttrDictionary(), op->getPropertiesStorage(), op->getRegions(),
          inferred)) ||
      !inferred.front().hasRank())
    return std::nullopt;
  return inferred.front();
}

/// Refines the result types of ops of the dialect, because only ranked types
/// have a lowering:
///
/// %a = dequantize %x, %s : tensor<4xA>, tensor<B> to tensor<*xB>
/// %b = cast %a : tensor<*xB> to tensor<4xC>
/// %c = other_op %a : tensor<*xB>
/// ->
/// %a = dequantize %x, %s : tensor<4xA>, tensor<B> to tensor<4xB>
/// %b = cast %a : tensor<4xB> to tensor<4xC>
/// %0 = tensor.cast %a : tensor<4xB> to tensor<*xB>
/// %c = other_op %0 : tensor<*xB>
///
/// Emits an error and fails if shapes do not match.
static LogicalResult restoreRanks(ModuleOp module) {
  bool isChanged = false;
  WalkResult walked = module.walk([&](Operation *op) {
    if (!isOnTensors(op))
      return WalkResult::advance();
    for (OpOperand &operand : op->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<tensor::CastOp>();
      if (!cast || !isa<UnrankedTensorType>(cast.getType()) ||
          !isa<RankedTensorType>(cast.getSource().getType()))
        continue;
      operand.set(cast.getSource());
      if (cast.use_empty())
        cast.erase();
      isChanged = true;
    }
    Value result = op->getResult(0);
    auto type = dyn_cast<UnrankedTensorType>(result.getType());
    std::optional<ShapedTypeComponents> shape;
    if (type)
      shape = inferShape(op);
    if (shape) {
      result.setType(
          RankedTensorType::get(shape->getDims(), type.getElementType()));
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      auto cast = tensor::CastOp::create(builder, op->getLoc(), type, result);
      result.replaceUsesWithIf(cast, [&](OpOperand &use) {
        return use.getOwner() != cast && !isOnTensors(use.getOwner()) &&
               !isa<func::ReturnOp>(use.getOwner());
      });
      if (cast.use_empty())
        cast.erase();
      isChanged = true;
    }
    return WalkResult(isChanged ? verify(op, /*verifyRecursively=*/false)
                                : success());
  });
  if (walked.wasInterrupted())
    return failure();
  if (isChanged)
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(updateFunctionType(function)))
        return failure();
  return success();
}

namespace {
/// A tensor reshaped to one dimension, and its original sizes.
struct FlatTensor {
  Value elements, sizes;
};
} // namespace

static RankedTensorType getFlatType(Type type) {
  return RankedTensorType::get(ShapedType::kDynamic,
                               getElementTypeOrSelf(type));
}

static FlatTensor flatten(ImplicitLocOpBuilder &b, Value tensor) {
  RankedTensorType type = getFlatType(tensor.getType());
  // Reuse the result of another flattened cast.
  if (auto reshape = tensor.getDefiningOp<tensor::ReshapeOp>();
      reshape && reshape.getSource().getType() == type)
    return {reshape.getSource(), reshape.getShape()};
  Value rank = tensor::RankOp::create(b, tensor);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value empty = tensor::EmptyOp::create(b, ArrayRef<OpFoldResult>(rank),
                                        b.getIndexType());
  auto loop = scf::ForOp::create(
      b, zero, rank, one, ValueRange{empty, one},
      [&](OpBuilder &builder, Location loc, Value dim, ValueRange carried) {
        Value size = tensor::DimOp::create(builder, loc, tensor, dim);
        Value sizes =
            tensor::InsertOp::create(builder, loc, size, carried[0], dim);
        Value count = arith::MulIOp::create(builder, loc, carried[1], size);
        scf::YieldOp::create(builder, loc, ValueRange{sizes, count});
      });
  Value count = tensor::FromElementsOp::create(b, loop.getResult(1));
  return {tensor::ReshapeOp::create(b, type, tensor, count), loop.getResult(0)};
}

/// Flattens casts of unranked tensors. A cast is elementwise, so its result
/// does not depend on the rank at run time:
///
/// %y = cast %x : tensor<*xA> to tensor<*xB>
/// ->
/// %sizes, %count = <the size of each dimension, and their product>
/// %0 = tensor.reshape %x(%count) : tensor<*xA> to tensor<?xA>
/// %1 = cast %0 : tensor<?xA> to tensor<?xB>
/// %y = tensor.reshape %1(%sizes) : tensor<?xB> to tensor<*xB>
static void flattenUnrankedCasts(ModuleOp module) {
  SmallVector<CastOp> casts;
  module.walk([&](CastOp op) {
    auto isUnranked = [](Type type) {
      return isa<UnrankedTensorType>(type) &&
             getElementTypeOrSelf(type).isIntOrFloat();
    };
    if (isUnranked(op.getInput().getType()) && isUnranked(op.getType()))
      casts.push_back(op);
  });
  for (CastOp op : casts) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    FlatTensor flat = flatten(b, op.getInput());
    Operation *cast = b.clone(*op);
    cast->setOperand(0, flat.elements);
    cast->getResult(0).setType(getFlatType(op.getType()));
    Value result = tensor::ReshapeOp::create(b, op.getType(),
                                             cast->getResult(0), flat.sizes);
    op.replaceAllUsesWith(result);
    op.erase();
  }
}

/// Emits an error and fails if a type of an op of the dialect has no lowering.
static LogicalResult checkTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (isa<UnrankedTensorType>(type))
      return op->emitOpError()
             << "has no lowering for the unranked type " << type;
    if (!isa<TensorType>(type) && isa<StringType>(getElementTypeOrSelf(type)))
      return op->emitOpError()
             << "has no lowering for strings outside of tensors, but got "
             << type;
  }
  // No check at run time would verify that the dynamic sizes equal the static
  // ones (V8, K6).
  auto from = dyn_cast<RankedTensorType>(types.front());
  auto to = dyn_cast<RankedTensorType>(types.back());
  std::optional<ShapedTypeComponents> inferred = inferShape(op);
  if (from && to && inferred &&
      llvm::any_of(llvm::zip_equal(inferred->getDims(), to.getShape()),
                   [](auto sizes) {
                     auto [fromSize, toSize] = sizes;
                     return ShapedType::isDynamic(fromSize) &&
                            !ShapedType::isDynamic(toSize);
                   }))
    return op->emitOpError() << "has no lowering for a static result size for "
                                "a dynamic input size, but got "
                             << from << " and " << to;
  return success();
}

/// Emits an error and fails if a result of an op on blocks has a static size
/// that does not follow from the sizes of the input. No check at run time would
/// verify it.
static LogicalResult checkBlockTypes(Operation *op) {
  ArrayRef<int64_t> block;
  if (auto quantize = dyn_cast<BlockQuantizeOp>(op))
    block = quantize.getBlock();
  else if (auto amax = dyn_cast<BlockAmaxOp>(op))
    block = amax.getBlock();
  else if (!isa<BlockQuantizeElementsOp, BlockDequantizeOp, BlockScaleOp,
                TensorScaleOp, ConvertToBlockOp, ConvertFromBlockOp>(op))
    return success();
  auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!input)
    return success();
  SmallVector<int64_t> blocks =
      reference::Granularity::getBlocks(block).getParameterSizes(
          input.getShape());
  for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
    auto result = cast<RankedTensorType>(type);
    // The scale of the tensor.
    if (index == 2)
      continue;
    bool isOfBlocks = isa<BlockAmaxOp>(op) || index == 1;
    for (auto [known, size] :
         llvm::zip_equal(isOfBlocks ? ArrayRef(blocks) : input.getShape(),
                         result.getShape()))
      if (ShapedType::isDynamic(known) && !ShapedType::isDynamic(size))
        return op->emitOpError()
               << "has no lowering for a static result size for a dynamic "
                  "input size, but got "
               << input << " and " << result;
  }
  return success();
}

LogicalResult ConvertQuantFloatToLinalg::checkInput() {
  bool isInvalid = false;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto node = dyn_cast<NodeOp>(op)) {
      emitNodeError(node) << "no lowering of " << describeOp(node);
      isInvalid = true;
      return WalkResult::skip();
    }
    if ((isOnTensors(op) && failed(checkTypes(op))) ||
        failed(checkBlockTypes(op)))
      isInvalid = true;
    return WalkResult::advance();
  });
  return failure(isInvalid);
}

void ConvertQuantFloatToLinalg::recordElementTypes() {
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (!func.isPublic())
      continue;
    auto getElement = [](Type type) -> Attribute {
      auto tensor = dyn_cast<TensorType>(type);
      return tensor ? TypeAttr::get(tensor.getElementType()) : Attribute();
    };
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
      if (Attribute element = getElement(type))
        func.setArgAttr(index, kElementTypeAttrName, element);
    for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
      if (Attribute element = getElement(type))
        func.setResultAttr(index, kElementTypeAttrName, element);
  }
}

/// Converts arith and math ops on tensors to linalg.generic, because they
/// cannot be bufferized otherwise.
static void convertElementwiseOps(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
               op->getDialect()) ||
           !OpTrait::hasElementwiseMappableTraits(op) ||
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  });
  // Ops with an unranked tensor remain. The main conversion reports them.
  (void)applyPartialConversion(module, target, std::move(patterns));
}

void quant_float::populateQuantFloatToLinalgConversionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CastOpConversion, StringCastConversion, StringConstantConversion,
               QuantizationOpConversion, PhiloxOpConversion,
               ConstantOpConversion<arith::ConstantOp>,
               ConstantOpConversion<ConstantOp>, StructuralOpConversion>(
      converter, patterns.getContext());
  populateBlocksToLinalgPatterns(converter, patterns);
  populateScaleLayoutsToLinalgPatterns(converter, patterns);
  populateDecomposeBlockQuantizePatterns(patterns);
  populateDecomposeFakeConvertPatterns(patterns);
  populateStorageTypesOfLinalgPatterns(converter, patterns);
}

void ConvertQuantFloatToLinalg::runOnOperation() {
  if (failed(restoreRanks(getOperation())))
    return signalPassFailure();
  flattenUnrankedCasts(getOperation());
  if (failed(checkInput()))
    return signalPassFailure();
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (failed(checkPackedArguments(function)))
      return signalPassFailure();
    separatePackedConstants(function);
  }
  convertElementwiseOps(getOperation());
  generalizeLinalgOps(getOperation());
  recordElementTypes();

  MLIRContext *context = &getContext();
  TypeConverter converter;
  populateStorageTypeConversions(converter);
  RewritePatternSet patterns(context);
  populateQuantFloatToLinalgConversionPatterns(converter, patterns);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);

  ConversionTarget target(*context);
  target.addDynamicallyLegalOp<
      CastOp, QuantizeOp, DequantizeOp, QdqOp, FakeConvertOp, PhiloxOp,
      TensorScaleOp, BlockScaleOp, BlockQuantizeElementsOp, BlockDequantizeOp,
      ConvertToBlockOp, ConvertFromBlockOp>([](Operation *op) {
    return !isa<TensorType>(op->getResult(0).getType());
  });
  target.addIllegalOp<BlockQuantizeOp, BlockAmaxOp, PackScalesOp,
                      UnpackScalesOp>();
  target.addLegalOp<QuantizeElementsOp, StorageCastOp, CastStringsOp,
                    LoadStringsOp>();
  // arith.constant supports the storage types of all tensors.
  target.addDynamicallyLegalOp<ConstantOp>(
      [](ConstantOp op) { return !isa<TensorType>(op.getType()); });
  target.addDynamicallyLegalOp<arith::ConstantOp>([&](Operation *op) {
    return isOfPackedConstant(op) || converter.isLegal(op);
  });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType()) &&
           converter.isLegal(&op.getBody());
  });
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegal(op); });
  target.addDynamicallyLegalDialect<linalg::LinalgDialect>([](Operation *op) {
    return !isa<linalg::LinalgOp>(op) || isOfStorageTypes(op) ||
           isOfPackedConstant(op);
  });
  if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
    return signalPassFailure();
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    normalizeResults(function);
    if (function.getBody().hasOneBlock())
      usePackedTensors(function);
  }
}
