//===- Bitsandbytes.cpp - Weights of bitsandbytes -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element is a 4-bit index into a table of 16 values. The first element of a
// byte is in its high nibble. Blocks of consecutive elements, which may extend
// across rows, have a scale, the largest magnitude of the block. The scales may
// themselves be 8-bit indices with a table, blocks and an offset. The
// properties that are not tensors are JSON, stored in a tensor of bytes.
//
// No ONNX operator dequantizes by such tables, so the values become f32
// constants.
//
// Source: QuantState of bitsandbytes/functional.py and dequantize_4bit of
// bitsandbytes/backends/default/ops.py, of
// https://github.com/bitsandbytes-foundation/bitsandbytes.
//
//===----------------------------------------------------------------------===//

#include "../../Interchange/Nf4.h"
#include "../Common/QuantizedWeight.h"
#include "Json.h"
#include "WeightImporter.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;
using llvm::divideCeil;
using llvm::support::endian::read32le;

namespace json = llvm::json;

/// The values of FP4, by encoding.
static constexpr float kFp4[16] = {
    0.0f,       0.0625f / 12, 8.0f / 12,  1.0f,          4.0f / 12,  6.0f / 12,
    2.0f / 12,  3.0f / 12,    -0.0f,      -0.0625f / 12, -8.0f / 12, -1.0f,
    -4.0f / 12, -6.0f / 12,   -2.0f / 12, -3.0f / 12};

/// Much less than the difference of two values of a table.
static constexpr float kTolerance = 1e-6f;

static float getFloat(const Tensor &tensor, int64_t i) {
  return llvm::bit_cast<float>(read32le(tensor.bytes.data.data() + 4 * i));
}

/// Returns the integer of a key. Emits an error unless it is between `min`
/// and `max`.
static FailureOr<int64_t> readInteger(const json::Object &state, StringRef key,
                                      int64_t min, int64_t max,
                                      const Subject &subject) {
  const json::Value *value = state.get(key);
  std::optional<int64_t> found = value ? value->getAsInteger() : std::nullopt;
  if (found && *found >= min && *found <= max)
    return *found;
  return diagnose(subject, Diag::BadState, key,
                  std::to_string(min) + " to " + std::to_string(max),
                  spell(value));
}

static LogicalResult readKeyword(const json::Object &state, StringRef key,
                                 ArrayRef<StringRef> possible,
                                 const Subject &subject) {
  const json::Value *value = state.get(key);
  std::optional<StringRef> found = value ? value->getAsString() : std::nullopt;
  if (found && llvm::is_contained(possible, *found))
    return success();
  return diagnose(subject, Diag::BadState, key, llvm::join(possible, " or "),
                  spell(value));
}

/// bitsandbytes asserts the same.
static LogicalResult checkKeys(const json::Object &state,
                               const Subject &subject) {
  static constexpr StringRef kKeys[] = {
      "quant_type",       "blocksize",    "dtype",        "shape",
      "nested_blocksize", "nested_dtype", "nested_offset"};
  SmallVector<StringRef> unknown;
  for (const auto &entry : state)
    if (!llvm::is_contained(kKeys, StringRef(entry.first)))
      unknown.push_back(entry.first);
  if (unknown.empty())
    return success();
  // The iteration order of LLVM's object is unspecified.
  llvm::sort(unknown);
  return diagnose(subject, Diag::UnknownKey, printable(unknown.front()));
}

static LogicalResult checkCount(const Tensor &tensor, int64_t count,
                                const Tensor &other) {
  if (tensor.count == count)
    return success();
  return diagnose(tensor.subject, Diag::PartShape, spellShape({count}),
                  printable(other.name), spellShape(other.dims),
                  spellShape(tensor.dims));
}

FailureOr<SmallVector<float>>
WeightImporter::getBlockScales(const Parts &parts, const json::Object &state,
                               int64_t count) {
  const Tensor &absmax = *parts.others[0], *nested = parts.others[2],
               *table = parts.others[3];
  if (failed(checkCount(absmax, count, *parts.quantized)))
    return failure();
  SmallVector<float> scales(count);
  if (absmax.dtype == DType::F32) {
    if (nested || table)
      return diagnose(absmax.subject, Diag::NestedType,
                      printable((nested ? nested : table)->name));
    for (auto [i, scale] : llvm::enumerate(scales))
      scale = getFloat(absmax, i);
    return scales;
  }
  for (auto [part, suffix] : {std::pair(nested, ".nested_absmax"),
                              std::pair(table, ".nested_quant_map")})
    if (!part)
      return diagnose(absmax.subject, Diag::NoPart,
                      printable(parts.quantized->name + suffix), "F32",
                      "nothing");
  const Subject &subject =
      (parts.others[4] ? parts.others[4] : parts.others[5])->subject;
  const json::Value *offsetValue = state.get("nested_offset");
  std::optional<double> offset =
      offsetValue ? offsetValue->getAsNumber() : std::nullopt;
  if (!offset || std::abs(*offset) > std::numeric_limits<float>::max())
    return diagnose(subject, Diag::BadState, "nested_offset", "a float",
                    spell(offsetValue));
  FailureOr<int64_t> block =
      readInteger(state, "nested_blocksize", 1, 1 << 20, subject);
  if (failed(block) ||
      failed(readKeyword(state, "nested_dtype", {"float32"}, subject)) ||
      failed(checkCount(*nested, divideCeil(count, *block), absmax)) ||
      failed(checkCount(*table, 256, absmax)))
    return failure();
  for (auto [i, scale] : llvm::enumerate(scales)) {
    // The product and the sum are rounded separately.
    float product = getFloat(*table, uint8_t(absmax.bytes.data[i]));
    product *= getFloat(*nested, i / *block);
    scale = product + float(*offset);
  }
  return scales;
}

FailureOr<Value> WeightImporter::importTable4(const Parts &parts) {
  const Tensor &quantized = *parts.quantized, &table = *parts.others[1];
  const Tensor *nf4 = parts.others[4], *fp4 = parts.others[5];
  if (!nf4 == !fp4)
    return diagnose(
        quantized.subject, Diag::StateCount,
        printable(quantized.name + ".quant_state.bitsandbytes__nf4"),
        printable(quantized.name + ".quant_state.bitsandbytes__fp4"),
        nf4 ? "both" : "none");
  const Tensor &stateTensor = nf4 ? *nf4 : *fp4;
  const Subject &subject = stateTensor.subject;
  ArrayRef<char> bytes = stateTensor.bytes.data;
  FailureOr<json::Object> state =
      parseJson(StringRef(bytes.data(), bytes.size()), subject);
  if (failed(state) || failed(checkKeys(*state, subject)) ||
      failed(
          readKeyword(*state, "quant_type", {nf4 ? "nf4" : "fp4"}, subject)) ||
      failed(readKeyword(*state, "dtype", {"float32", "float16", "bfloat16"},
                         subject)))
    return failure();
  FailureOr<int64_t> block =
      readInteger(*state, "blocksize", 1, 1 << 20, subject);
  if (failed(block))
    return failure();
  const json::Value *shape = state->get("shape");
  std::optional<SmallVector<int64_t>> dims = getSizes(shape);
  std::optional<int64_t> count = dims ? countElements(*dims) : std::nullopt;
  // A byte has room for two elements, of which an odd count leaves one unused.
  // Wider storage types may leave more unused.
  ArrayRef<char> data = quantized.bytes.data;
  uint64_t room = 2 * uint64_t(data.size());
  uint64_t slack = 2 * data.size() / quantized.count;
  if (!count || *count == 0 || dims->size() > 64 || uint64_t(*count) > room ||
      room - *count >= slack)
    return diagnose(subject, Diag::BadState, "shape",
                    "sizes of " + std::to_string(room) + " elements or up to " +
                        std::to_string(slack - 1) + " less",
                    spell(shape));
  if (failed(checkCount(table, 16, quantized)))
    return failure();
  // bitsandbytes's kernels contain these tables and ignore the stored one.
  std::array<float, 16> values;
  for (auto [i, known] : llvm::enumerate(nf4 ? target::kNf4Values : kFp4)) {
    values[i] = getFloat(table, i);
    if (!(std::abs(values[i] - known) <= kTolerance))
      return diagnose(table.subject, Diag::TableValue, i, target::spell(known),
                      nf4 ? "nf4" : "fp4", target::spell(values[i]));
  }
  FailureOr<SmallVector<float>> scales =
      getBlockScales(parts, *state, divideCeil(*count, *block));
  if (failed(scales))
    return failure();
  uint64_t size = uint64_t(*count) * 4;
  auto [result, rest] = allocateBytes(size);
  if (!rest)
    return diagnose(quantized.subject, Diag::NoMemory, size);
  for (int64_t i = 0; i != *count; ++i) {
    unsigned encoding = uint8_t(data[i / 2]) >> (i % 2 ? 0 : 4) & 15;
    float value = values[encoding] * (*scales)[i / *block];
    llvm::support::endian::write32le(rest + 4 * i,
                                     llvm::bit_cast<uint32_t>(value));
  }
  return makeConstant(quantized, b.getF32Type(), *dims, result);
}

/// LLM.int8: rows of i8, whose largest magnitudes correspond to 127.
FailureOr<Value> WeightImporter::importLlmInt8(const Parts &parts) {
  const Tensor &quantized = *parts.quantized, &largest = *parts.others[0];
  const Tensor *format = parts.others[1];
  if (format && (format->count != 1 || format->bytes.data[0] != 0))
    return diagnose(format->subject, Diag::RowFormat, spellShape(format->dims),
                    int(uint8_t(format->bytes.data[0])));
  if (quantized.dims.empty())
    return diagnose(largest.subject, Diag::ScaleShape, spellShape(largest.dims),
                    spellShape(quantized.dims));
  if (failed(checkShape(largest, {quantized.dims[0]}, quantized)))
    return failure();
  FailureOr<Value> quantizedValue = importPlain(quantized);
  FailureOr<Value> value =
      makeConstant(largest, b.getF32Type(), largest.dims, largest.bytes);
  if (failed(quantizedValue) || failed(value))
    return failure();
  float max = 127;
  SharedBytes bytes{ArrayRef(reinterpret_cast<const char *>(&max), sizeof(max)),
                    nullptr};
  FailureOr<Value> divisor =
      makeConstant(largest, b.getF32Type(), {}, copyBytes(bytes));
  if (failed(divisor))
    return failure();
  Value scale = module.makeNode("Div", {*value, *divisor}, largest.dims);
  return module.dequantize(*quantizedValue, scale, /*zeroPoint=*/{}, /*axis=*/0,
                           /*blockSize=*/0);
}
