//===- SparseTensor.cpp - Sparse tensors to attributes --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "Types.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// A few bytes of a file may claim a tensor of any size; a dense one has at
/// least as many bytes in the file. This is for all of a model together.
constexpr int64_t kLargestSparseBytes = int64_t(1) << 28;
} // namespace

/// The position in the flattened tensor that the `entry`-th index names: a
/// position itself, or one coordinate per dim. None when outside.
static std::optional<int64_t> getPosition(const DecodedTensor &indices,
                                          int64_t entry, ArrayRef<int64_t> dims,
                                          int64_t count) {
  auto read = [&](int64_t i) {
    return int64_t(
        llvm::support::endian::read64le(indices.slots.data.data() + 8 * i));
  };
  if (indices.dims.size() == 1) {
    int64_t position = read(entry);
    return position >= 0 && position < count ? std::optional(position)
                                             : std::nullopt;
  }
  int64_t position = 0;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    int64_t coordinate = read(entry * int64_t(dims.size()) + int64_t(axis));
    if (coordinate < 0 || coordinate >= dim)
      return std::nullopt;
    position = position * dim + coordinate;
  }
  return position;
}

FailureOr<ElementsAttr>
TensorDecoder::decodeSparse(::onnx::SparseTensorProto &tensor, StringRef name,
                            const Subject &subject) {
  DecodedTensor dense;
  for (auto [index, dim] : llvm::enumerate(tensor.dims())) {
    if (dim < 0)
      return diagnose(subject, Diag::StoredDim, index, dim);
    dense.dims.push_back(dim);
  }
  FailureOr<int64_t> count = checkShape(dense.dims, subject);
  if (failed(count))
    return failure();
  dense.count = *count;

  FailureOr<DecodedTensor> values =
      decodeElements(*tensor.mutable_values(), subject / "values", false);
  if (failed(values))
    return failure();
  FailureOr<DecodedTensor> indices =
      decodeElements(*tensor.mutable_indices(), subject / "indices", false);
  if (failed(indices))
    return failure();

  dense.elementType = values->elementType;
  int64_t slotBytes = getSlotBytes(dense.elementType);
  // There is no default for strings, and no zero in the e8m0 format.
  if (slotBytes == 0 || isa<Float8E8M0FNUType>(dense.elementType))
    return diagnose(subject, Diag::SparseType,
                    spellTensor(dense.elementType, {}));
  int64_t bytes;
  if (llvm::MulOverflow(dense.count, slotBytes, bytes) ||
      llvm::AddOverflow(sparseBytes, bytes, sparseBytes))
    sparseBytes = std::numeric_limits<int64_t>::max();
  if (sparseBytes > kLargestSparseBytes)
    return diagnose(subject, Diag::SparseSize, kLargestSparseBytes,
                    sparseBytes);
  if (values->dims.size() != 1)
    return diagnose(subject, Diag::SparseValues,
                    spellTensor(values->elementType, values->dims));
  SmallVector<int64_t> flat = {values->count};
  SmallVector<int64_t> coordinates = {values->count,
                                      int64_t(dense.dims.size())};
  if (!indices->elementType.isSignlessInteger(64) ||
      (indices->dims != flat && indices->dims != coordinates))
    return diagnose(subject, Diag::SparseIndices, spellShape(flat),
                    spellShape(coordinates),
                    spellTensor(indices->elementType, indices->dims));

  // All zeros need one.
  Builder builder(subject.loc.getContext());
  TypedAttr zero = builder.getZeroAttr(dense.elementType);
  if (values->count == 0 && dense.count != 0 && zero)
    return ElementsAttr(DenseElementsAttr::get(
        RankedTensorType::get(dense.dims, dense.elementType), Attribute(zero)));

  auto [slots, destination] = allocateBytes(bytes);
  if (!destination)
    return diagnose(subject, Diag::NoMemory,
                    spellTensor(dense.elementType, dense.dims));
  std::fill_n(destination, bytes, 0);
  int64_t previous = -1;
  for (int64_t entry = 0; entry != values->count; ++entry) {
    std::optional<int64_t> position =
        getPosition(*indices, entry, dense.dims, dense.count);
    if (!position)
      return diagnose(subject, Diag::SparseIndexRange, entry,
                      spellShape(dense.dims));
    if (*position <= previous)
      return diagnose(subject, Diag::SparseOrder, *position, previous);
    previous = *position;
    std::copy_n(values->slots.data.data() + entry * slotBytes, slotBytes,
                destination + *position * slotBytes);
  }
  dense.slots = std::move(slots);
  return makeElementsAttr(std::move(dense), name);
}
