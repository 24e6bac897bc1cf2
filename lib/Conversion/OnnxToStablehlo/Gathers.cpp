//===- Gathers.cpp - Gathers, scatters and sorts as StableHLO -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices must be in bounds, as ONNX requires: StableHLO clamps those of
// gathers, and ignores updates that are out of bounds.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_forms;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Returns indices as i64 in which negative ones count from the end. `sizes`
/// are those of the axes, along the last axis of the indices, or one size.
static FailureOr<Value> normalizeIndices(Form &form, size_t index,
                                         ArrayRef<int64_t> sizes) {
  Value value = form.inputs[index];
  Type type = StablehloBuilder::elementOf(value);
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return form.unsupported("indices of type " + showType(type));
  Type i64 = form.b.getI64Type();
  value = form.convert(value, i64);
  Value count = form.integer(i64, sizes.empty() ? 0 : sizes.front());
  if (sizes.size() > 1)
    count = form.constant(DenseElementsAttr::get(
        RankedTensorType::get(sizes.size(), i64), sizes));
  Value isNegative = form.compare("LT", value, form.integer(i64, 0));
  return form.select(isNegative, form.elementwise("add", {count, value}),
                     value);
}

/// Prints a list of axes of the dimension numbers of a gather or scatter.
static std::string printAxes(StringRef name, ArrayRef<int64_t> axes) {
  std::string text = (name + " = [").str();
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(axes, os);
  return text + "], ";
}

/// Gathers slices of these sizes at `indices`, which are along the last axis of
/// a tensor of rank `indexRank + 1`, or elements of one of rank `indexRank`.
/// The indexed axes are dropped.
static Value gather(Form &form, Value indices, ArrayRef<int64_t> axes,
                    ArrayRef<int64_t> offsets, int64_t vectorAxis,
                    ArrayRef<int64_t> shape) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  SmallVector<int64_t> sizes(type.getShape());
  for (int64_t axis : axes)
    sizes[axis] = 1;
  NamedAttribute attributes[] = {
      form.attribute("dimension_numbers",
                     "#stablehlo.gather<" + printAxes("offset_dims", offsets) +
                         printAxes("collapsed_slice_dims", axes) +
                         printAxes("start_index_map", axes) +
                         "index_vector_dim = " + Twine(vectorAxis) + ">"),
      form.b.getNamedAttr("indices_are_sorted", form.b.getBoolAttr(false)),
      form.ints("slice_sizes", sizes)};
  return form
      .create("gather", type.clone(shape), {form.inputs[0], indices},
              attributes)
      ->getResult(0);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

FailureOr<Value> onnx_forms::convertGather(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  int64_t rank = type.getRank();
  FailureOr<int64_t> axis = form.requireAxis(form.getInt("axis", 0), rank);
  if (failed(axis))
    return failure();
  FailureOr<Value> indices = normalizeIndices(form, 1, type.getDimSize(*axis));
  if (failed(indices))
    return failure();
  ArrayRef<int64_t> batch = StablehloBuilder::typeOf(*indices).getShape();
  int64_t count = batch.size();
  SmallVector<int64_t> shape(type.getShape().take_front(*axis)), offsets;
  llvm::append_range(shape, batch);
  llvm::append_range(shape, type.getShape().drop_front(*axis + 1));
  for (int64_t place : llvm::seq(rank - 1))
    offsets.push_back(place < *axis ? place : place + count);
  return gather(form, *indices, *axis, offsets, count, shape);
}

FailureOr<Value> onnx_forms::convertGatherElements(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  RankedTensorType indexType = StablehloBuilder::typeOf(form.inputs[1]);
  int64_t rank = type.getRank();
  FailureOr<int64_t> axis = form.requireAxis(form.getInt("axis", 0), rank);
  if (failed(axis))
    return failure();
  if (indexType.getRank() != rank)
    return form.unsupported("indices of type " + showType(indexType) +
                            " for a tensor of rank " + Twine(rank));
  FailureOr<Value> indices = normalizeIndices(form, 1, type.getDimSize(*axis));
  if (failed(indices))
    return failure();
  // The position of each index, with the index along the axis.
  ImplicitLocOpBuilder &b = form.b;
  SmallVector<int64_t> part(indexType.getShape()), all(part);
  part.push_back(1);
  all.push_back(rank);
  SmallVector<Value> parts;
  for (int64_t i : llvm::seq(rank)) {
    Value position = *indices;
    if (i != *axis)
      position =
          form.create("iota", indexType.clone(b.getI64Type()), {},
                      b.getNamedAttr("iota_dimension", b.getI64IntegerAttr(i)))
              ->getResult(0);
    parts.push_back(form.reshape(position, part));
  }
  Value positions =
      form.create("concatenate", RankedTensorType::get(all, b.getI64Type()),
                  parts, b.getNamedAttr("dimension", b.getI64IntegerAttr(rank)))
          ->getResult(0);
  return gather(form, positions, llvm::to_vector(llvm::seq(rank)), {}, rank,
                indexType.getShape());
}

/// Returns the number of axes that the index vectors of input 1 have. Fails if
/// that is more than the rank.
static FailureOr<int64_t> requireIndexSize(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  RankedTensorType indexType = StablehloBuilder::typeOf(form.inputs[1]);
  int64_t last = indexType.getRank() - 1;
  if (last < 0 || indexType.getDimSize(last) > type.getRank() ||
      indexType.getDimSize(last) == 0)
    return form.unsupported("indices of type " + showType(indexType) +
                            " for a tensor of rank " + Twine(type.getRank()));
  return indexType.getDimSize(last);
}

FailureOr<Value> onnx_forms::convertGatherND(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  FailureOr<int64_t> count = requireIndexSize(form);
  if (failed(count))
    return failure();
  if (form.getInt("batch_dims", 0) != 0)
    return form.unsupported("attribute 'batch_dims'");
  FailureOr<Value> indices =
      normalizeIndices(form, 1, type.getShape().take_front(*count));
  if (failed(indices))
    return failure();
  SmallVector<int64_t> shape(
      StablehloBuilder::typeOf(*indices).getShape().drop_back());
  int64_t batch = shape.size();
  llvm::append_range(shape, type.getShape().drop_front(*count));
  return gather(form, *indices, llvm::to_vector(llvm::seq(*count)),
                llvm::to_vector(llvm::seq<int64_t>(batch, shape.size())), batch,
                shape);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

FailureOr<Value> onnx_forms::convertScatterND(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  Type element = type.getElementType();
  FailureOr<int64_t> count = requireIndexSize(form);
  if (failed(count))
    return failure();
  FailureOr<Value> indices =
      normalizeIndices(form, 1, type.getShape().take_front(*count));
  if (failed(indices))
    return failure();
  SmallVector<int64_t> shape(
      StablehloBuilder::typeOf(*indices).getShape().drop_back());
  int64_t batch = shape.size();
  llvm::append_range(shape, type.getShape().drop_front(*count));
  if (form.inputs[2].getType() != type.clone(shape))
    return form.unsupported(
        "updates of type " + showType(form.inputs[2].getType()) +
        ", which must have the type " + showType(type.clone(shape)));
  auto given =
      form.getNode().getNodeAttributes().getAs<StringAttr>("reduction");
  StringRef reduction = given ? given.getValue() : "none";
  StringRef name = reduction == "add"   ? "add"
                   : reduction == "mul" ? "multiply"
                   : reduction == "max" ? "maximum"
                   : reduction == "min" ? "minimum"
                                        : "";
  if (reduction != "none" &&
      (name.empty() || element.isInteger(1) ||
       (!isStandardFloat(element) && !isa<IntegerType>(element))))
    return form.unsupported("the reduction '" + reduction +
                            "' of elements of type " + showType(element));
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(*count));
  ImplicitLocOpBuilder &b = form.b;
  NamedAttribute attributes[] = {
      b.getNamedAttr("indices_are_sorted", b.getBoolAttr(false)),
      form.attribute("scatter_dimension_numbers",
                     "#stablehlo.scatter<" +
                         printAxes("update_window_dims",
                                   llvm::to_vector(llvm::seq<int64_t>(
                                       batch, shape.size()))) +
                         printAxes("inserted_window_dims", axes) +
                         printAxes("scatter_dims_to_operand_dims", axes) +
                         "index_vector_dim = " + Twine(batch) + ">"),
      b.getNamedAttr("unique_indices", b.getBoolAttr(false))};
  Operation *scatter =
      form.create("scatter", type, {form.inputs[0], *indices, form.inputs[2]},
                  attributes, /*regions=*/1);
  OpBuilder::InsertionGuard guard(b);
  auto scalar = RankedTensorType::get({}, element);
  Block *block = b.createBlock(&scatter->getRegion(0), {}, {scalar, scalar},
                               {b.getLoc(), b.getLoc()});
  Value updated = block->getArgument(1);
  if (!name.empty())
    updated = form.create(name, scalar, block->getArguments())->getResult(0);
  form.create("return", {}, updated);
  return scatter->getResult(0);
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// Returns the value as JAX compares floats: with one NaN and one zero.
static Value canonicalize(Form &form, Value value) {
  Type type = StablehloBuilder::elementOf(value);
  Value nan = form.number(type, APFloat::getNaN(APFloat::IEEEdouble()));
  Value zero = form.number(type, APFloat(0.0));
  Value isZero = form.compare("EQ", value, zero);
  Value isNaN = form.compare("NE", value, value);
  return form.select(isNaN, nan, form.select(isZero, zero, value));
}

/// Sorts a tensor and its indices. NaN is larger than any number, and equal
/// elements keep their order.
FailureOr<SmallVector<Value>> onnx_forms::convertTopK(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  Type element = type.getElementType();
  FailureOr<int64_t> axis =
      form.requireAxis(form.getInt("axis", -1), type.getRank());
  FailureOr<SmallVector<int64_t>> count = form.requireInts(1);
  if (failed(axis) || failed(count))
    return failure();
  bool isFloat = isStandardFloat(element);
  if ((!isFloat && !isa<IntegerType>(element)) || element.isInteger(1))
    return form.unsupported("elements of type " + showType(element));
  int64_t size = type.getDimSize(*axis);
  if (count->size() != 1 || count->front() < 0 || count->front() > size ||
      size > std::numeric_limits<int32_t>::max())
    return form.unsupported("expected a count from 0 to the size of the axis");
  ImplicitLocOpBuilder &b = form.b;
  RankedTensorType indexType = type.clone(b.getI32Type());
  Value indices =
      form.create("iota", indexType, {},
                  b.getNamedAttr("iota_dimension", b.getI64IntegerAttr(*axis)))
          ->getResult(0);
  Operation *sort =
      form.create("sort", {type, indexType}, {form.inputs[0], indices},
                  {b.getNamedAttr("dimension", b.getI64IntegerAttr(*axis)),
                   b.getNamedAttr("is_stable", b.getBoolAttr(true))},
                  /*regions=*/1);
  {
    OpBuilder::InsertionGuard guard(b);
    auto scalar = RankedTensorType::get({}, element);
    auto index = RankedTensorType::get({}, b.getI32Type());
    SmallVector<Location> locations(4, b.getLoc());
    Block *block = b.createBlock(&sort->getRegion(0), {},
                                 {scalar, scalar, index, index}, locations);
    Value lhs = block->getArgument(0), rhs = block->getArgument(1);
    if (isFloat) {
      lhs = canonicalize(form, lhs);
      rhs = canonicalize(form, rhs);
    }
    StringRef direction = form.getInt("largest", 1) != 0 ? "GT" : "LT";
    form.create("return", {},
                form.compare(direction, lhs, rhs, /*isTotal=*/isFloat));
  }
  b.setInsertionPointAfter(sort);
  SmallVector<int64_t> first(type.getRank(), 0), limit(type.getShape());
  limit[*axis] = count->front();
  SmallVector<Value> results;
  for (Value result : sort->getResults())
    results.push_back(
        form.create(
                "slice", StablehloBuilder::typeOf(result).clone(limit), result,
                {form.ints("start_indices", first),
                 form.ints("limit_indices", limit),
                 form.ints("strides", SmallVector<int64_t>(type.getRank(), 1))})
            ->getResult(0));
  results[1] = form.convert(results[1], b.getI64Type());
  return results;
}
