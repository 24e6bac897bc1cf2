//===- File.cpp - Safetensors files ---------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// https://github.com/huggingface/safetensors: 8 bytes are the size of the
// header in little endian; then follow the header, which is JSON, and the data.
//
//===----------------------------------------------------------------------===//

#include "File.h"
#include "../../Interchange/Shapes.h"
#include "Json.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Support/Printable.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

/// In the order of DType.
static constexpr StringLiteral kNames[] = {
    "BOOL",        "F4",      "U8",  "I8",  "F8_E5M2", "F8_E4M3", "F8_E5M2FNUZ",
    "F8_E4M3FNUZ", "F8_E8M0", "I16", "U16", "F16",     "BF16",    "I32",
    "U32",         "F32",     "C64", "F64", "I64",     "U64"};

StringRef safetensors_import::getName(DType dtype) {
  return kNames[static_cast<size_t>(dtype)];
}

Type safetensors_import::getType(DType dtype, MLIRContext *context) {
  Builder b(context);
  auto getUnsigned = [&](unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  };
  switch (dtype) {
  case DType::BOOL:
    return b.getI1Type();
  case DType::F4:
    return b.getType<Float4E2M1FNType>();
  case DType::U8:
    return getUnsigned(8);
  case DType::I8:
    return b.getI8Type();
  case DType::F8_E5M2:
    return b.getType<Float8E5M2Type>();
  case DType::F8_E4M3:
    return b.getType<Float8E4M3FNType>();
  case DType::F8_E5M2FNUZ:
    return b.getType<Float8E5M2FNUZType>();
  case DType::F8_E4M3FNUZ:
    return b.getType<Float8E4M3FNUZType>();
  case DType::F8_E8M0:
    return b.getType<Float8E8M0FNUType>();
  case DType::I16:
    return b.getI16Type();
  case DType::U16:
    return getUnsigned(16);
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::I32:
    return b.getI32Type();
  case DType::U32:
    return getUnsigned(32);
  case DType::F32:
    return b.getF32Type();
  case DType::C64:
    return ComplexType::get(b.getF32Type());
  case DType::F64:
    return b.getF64Type();
  case DType::I64:
    return b.getI64Type();
  case DType::U64:
    return getUnsigned(64);
  }
  llvm_unreachable("a type");
}

std::optional<DType> safetensors_import::getDType(Type elementType) {
  for (size_t i = 0; i != std::size(kNames); ++i)
    if (getType(static_cast<DType>(i), elementType.getContext()) == elementType)
      return static_cast<DType>(i);
  return std::nullopt;
}

static LogicalResult parseTensor(const llvm::json::Value &value, Tensor &tensor,
                                 StringRef data,
                                 std::shared_ptr<llvm::MemoryBuffer> owner) {
  const Subject &subject = tensor.subject;
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return diagnose(subject, Diag::BadEntry, "entry", "an object",
                    spell(&value));
  const llvm::json::Value *dtype = object->get("dtype");
  std::optional<StringRef> name = dtype ? dtype->getAsString() : std::nullopt;
  if (!name)
    return diagnose(subject, Diag::BadEntry, "dtype", "a string", spell(dtype));
  const auto *known = llvm::find(kNames, *name);
  if (known == std::end(kNames))
    return diagnose(subject, Diag::UnknownType, printable(*name));
  tensor.dtype = static_cast<DType>(known - kNames);

  const llvm::json::Value *shape = object->get("shape");
  std::optional<SmallVector<int64_t>> dims = getSizes(shape);
  if (!dims)
    return diagnose(subject, Diag::BadEntry, "shape", "nonnegative sizes",
                    spell(shape));
  tensor.dims = std::move(*dims);
  FailureOr<int64_t> count = checkShape<Diag>(tensor.dims, subject);
  if (failed(count))
    return failure();
  tensor.count = *count;

  const llvm::json::Value *dataOffsets = object->get("data_offsets");
  std::optional<SmallVector<int64_t>> offsets = getSizes(dataOffsets);
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return diagnose(subject, Diag::BadEntry, "data_offsets",
                    "a begin offset and an end offset that is not less",
                    spell(dataOffsets));
  tensor.begin = (*offsets)[0];
  uint64_t size = (*offsets)[1] - (*offsets)[0];
  Type type = getType(tensor.dtype, subject.loc.getContext());
  if (getPackedBits(type) * (tensor.count % 8) % 8)
    return diagnose(subject, Diag::HalfByte, tensor.count, *known);
  uint64_t needed = getPackedSize(getPackedBits(type), tensor.count);
  if (needed != size)
    return diagnose(subject, Diag::WrongSize, spellShape(tensor.dims), *known,
                    needed, size);
  if (uint64_t((*offsets)[1]) > data.size())
    return diagnose(subject, Diag::OutOfBounds, tensor.begin, (*offsets)[1],
                    data.size());
  StringRef bytes = data.substr(tensor.begin, size);
  bool mapped = owner && isMapped(*owner);
  tensor.bytes = {ArrayRef(bytes.data(), bytes.size()), std::move(owner),
                  mapped};
  return success();
}

/// Checks that every byte of the data belongs to exactly one tensor.
static LogicalResult checkOffsets(ArrayRef<Tensor> tensors, uint64_t size,
                                  const Subject &file) {
  uint64_t end = 0;
  const Tensor *before = nullptr;
  for (const Tensor &tensor : tensors) {
    if (tensor.bytes.data.empty())
      continue;
    if (tensor.begin < end)
      return diagnose(tensor.subject, Diag::Overlap, printable(before->name));
    if (tensor.begin > end)
      return diagnose(file, Diag::Hole, end, tensor.begin);
    end = tensor.begin + tensor.bytes.data.size();
    before = &tensor;
  }
  if (end != size)
    return diagnose(file, Diag::Hole, end, size);
  return success();
}

static LogicalResult readMetadata(const llvm::json::Value &value,
                                  const Subject &file, Metadata &metadata) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object || llvm::any_of(*object, [](const auto &entry) {
        return !entry.second.getAsString();
      }))
    return diagnose(file, Diag::BadMetadata, spell(&value));
  // torchao writes this key if it splits tensors into parts, which could be
  // mistaken for tensors.
  if (object->get("tensor_names"))
    return diagnose(file, Diag::TorchAo);
  if (const llvm::json::Value *found = object->get(kConfigKey))
    metadata.config = found->getAsString()->str();
  if (const llvm::json::Value *found = object->get("_quantization_metadata"))
    metadata.layers = found->getAsString()->str();
  return success();
}

LogicalResult safetensors_import::parseFile(
    StringRef bytes, std::shared_ptr<llvm::MemoryBuffer> owner, Location loc,
    std::vector<Tensor> &tensors, Metadata &metadata) {
  Subject file{loc, ""};
  if (bytes.size() < 8)
    return diagnose(file, Diag::NoHeader, bytes.size());
  uint64_t headerSize = llvm::support::endian::read64le(bytes.data());
  if (headerSize > kLargestHeader)
    return diagnose(file, Diag::HugeHeader, headerSize, kLargestHeader);
  if (headerSize > bytes.size() - 8)
    return diagnose(file, Diag::Truncated, headerSize + 8, bytes.size());
  StringRef data = bytes.drop_front(8 + headerSize);
  FailureOr<llvm::json::Object> header =
      parseJson(bytes.substr(8, headerSize), file / "header");
  if (failed(header))
    return failure();
  std::vector<Tensor> found;
  // Sort the entries, because messages must not depend on the unspecified
  // iteration order of LLVM's object.
  std::vector<const llvm::json::Object::value_type *> entries;
  for (const auto &entry : *header)
    entries.push_back(&entry);
  llvm::sort(entries, [](const auto *a, const auto *b) {
    return StringRef(a->first) < StringRef(b->first);
  });
  for (const auto *entry : entries) {
    StringRef name = entry->first;
    if (name == "__metadata__") {
      if (failed(readMetadata(entry->second, file, metadata)))
        return failure();
      continue;
    }
    Subject subject{NameLoc::get(StringAttr::get(loc.getContext(), name), loc),
                    "tensor '" + printable(name) + "'"};
    Tensor &tensor = found.emplace_back(
        Tensor{subject, name.str(), DType::U8, {}, 0, 0, {}});
    if (failed(parseTensor(entry->second, tensor, data, owner)))
      return failure();
  }
  llvm::sort(found, [](const Tensor &a, const Tensor &b) {
    return std::tie(a.begin, a.name) < std::tie(b.begin, b.name);
  });
  if (failed(checkOffsets(found, data.size(), file)))
    return failure();
  llvm::move(found, std::back_inserter(tensors));
  return success();
}
