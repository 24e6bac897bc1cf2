//===- QuantizeBlocks.cpp - Fast quantization of buffers ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient is computed by the host's f32 arithmetic, whose operations round
// once, as the rules specify. Rounding to a scale or an element is a step
// function of an f32, whose steps are found by bisection of the Reference.
//
//===----------------------------------------------------------------------===//

#include "quant-float/Transforms/QuantizeBlocks.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;
using llvm::APInt;
using reference::BlockScaleRule;

static constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7F800000;

static APFloat fromBits(uint32_t bits) {
  return APFloat(llvm::bit_cast<float>(bits));
}

static uint32_t toBits(const APFloat &value) {
  return uint32_t(value.bitcastToAPInt().getZExtValue());
}

//===----------------------------------------------------------------------===//
// Step functions
//===----------------------------------------------------------------------===//

void StepFunction::add(uint32_t start, uint32_t value) {
  if (!values.empty() && values.back() == value)
    return;
  starts.push_back(start);
  values.push_back(value);
}

void StepFunction::addSteps(uint32_t first, uint32_t firstValue, uint32_t last,
                            uint32_t lastValue,
                            llvm::function_ref<uint32_t(uint32_t)> function) {
  if (firstValue == lastValue)
    return add(first, firstValue);
  if (first + 1 == last) {
    add(first, firstValue);
    return add(last, lastValue);
  }
  uint32_t middle = first + (last - first) / 2;
  uint32_t value = function(middle);
  addSteps(first, firstValue, middle, value, function);
  addSteps(middle, value, last, lastValue, function);
}

void StepFunction::tabulate(uint32_t first, uint32_t last,
                            llvm::function_ref<uint32_t(uint32_t)> function) {
  starts.clear();
  values.clear();
  constexpr unsigned kMantissaBits = 23;
  for (uint32_t start = first; start <= last;) {
    // Up to the next power of two.
    unsigned unit =
        std::min(llvm::Log2_32(std::max<uint32_t>(start, 1)), kMantissaBits);
    uint32_t next = start == 0 ? 1 : ((start >> unit) + 1) << unit;
    uint32_t end = std::min(next - 1, last), value = function(start);
    addSteps(start, value, end, end == start ? value : function(end), function);
    start = end + 1;
  }
  firstSteps.assign((last >> kIndexShift) + 1, 0);
  size_t step = 0;
  for (size_t index = first >> kIndexShift; index < firstSteps.size();
       ++index) {
    while (step + 1 < starts.size() && starts[step + 1] <= uint64_t(index)
                                                               << kIndexShift)
      ++step;
    firstSteps[index] = step;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static unsigned getBytes(Type type) {
  return llvm::divideCeil(getNumberWidth(type), 8);
}

static uint32_t load(const char *from, unsigned bytes) {
  uint32_t bits = 0;
  memcpy(&bits, from, bytes);
  return bits;
}

static uint32_t decodeHalf(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
  // A subnormal is a multiple of 2^-24.
  if (magnitude < 0x400)
    return sign | llvm::bit_cast<uint32_t>(float(magnitude) * 0x1p-24f);
  constexpr uint32_t kBias = (127 - 15) << 23;
  return sign | ((magnitude << 13) + kBias);
}

TabulatedQuantizer::TabulatedQuantizer(BlockScaleRule rule, Type x, Type scale,
                                       Type element)
    : rule(rule), x(x), scale(scale), element(element), xBytes(getBytes(x)),
      scaleBytes(getBytes(scale)) {
  elements.tabulate(0, kInfinity, [&](uint32_t bits) {
    return computeElement(bits) | computeElement(bits | kSign) << 8;
  });
}

/// Rounds a quotient, which is the element of a block whose scale is 1.
uint8_t TabulatedQuantizer::computeElement(uint32_t bits) const {
  Type f32 = Float32Type::get(x.getContext());
  bool isPowerOfTwo = isa<Float8E8M0FNUType>(scale);
  constexpr uint8_t kPowerOfTwoOne = 127;
  uint32_t one = isPowerOfTwo ? kPowerOfTwoOne : toBits(APFloat(1.0f));
  char in[sizeof(bits)], scales[sizeof(one)], out = 0;
  memcpy(in, &bits, sizeof(bits));
  memcpy(scales, &one, sizeof(one));
  LogicalResult done = reference::blockQuantizeElementsBuffer(
      isPowerOfTwo ? BlockScaleRule::Floor : BlockScaleRule::AbsMax, f32,
      isPowerOfTwo ? scale : f32, element, /*sizes=*/{}, /*blockShape=*/{}, in,
      ArrayRef(scales).take_front(isPowerOfTwo ? 1 : sizeof(one)), tensor,
      /*random=*/std::nullopt, MutableArrayRef(&out, 1));
  (void)done;
  assert(succeeded(done) && "the types must be supported");
  return uint8_t(out);
}

uint32_t TabulatedQuantizer::computeScale(uint32_t amax) const {
  return uint32_t(
      reference::getBlockScale(rule, element, scale, fromBits(amax), tensor)
          .getZExtValue());
}

uint32_t TabulatedQuantizer::getScale(uint32_t amax) const {
  return scales && amax >= firstAmax && amax <= lastAmax ? scales->get(amax)
                                                         : computeScale(amax);
}

TabulatedQuantizer::Factor
TabulatedQuantizer::computeFactor(uint32_t bits) const {
  auto [value, isDivisor] = reference::getBlockFactor(
      rule, scale, APInt(getNumberWidth(scale), bits), tensor);
  return {value.convertToFloat(), isDivisor};
}

void TabulatedQuantizer::loadRow(const char *from,
                                 MutableArrayRef<float> row) const {
  if (xBytes == sizeof(float)) {
    memcpy(row.data(), from, row.size() * sizeof(float));
    return;
  }
  bool isHalf = x.isF16();
  for (auto [i, value] : llvm::enumerate(row)) {
    uint32_t bits = load(from + i * xBytes, xBytes);
    value = llvm::bit_cast<float>(isHalf ? decodeHalf(bits) : bits << 16);
  }
}

/// Returns the encoding of the larger magnitude.
static uint32_t getLarger(uint32_t amax, float value) {
  return std::max(amax, llvm::bit_cast<uint32_t>(value) & ~kSign);
}

APFloat TabulatedQuantizer::getAmax(ArrayRef<char> in) const {
  constexpr size_t kChunk = 1024;
  float row[kChunk];
  uint32_t amax = 0;
  for (size_t i = 0, e = in.size() / xBytes; i < e; i += kChunk) {
    MutableArrayRef<float> chunk(row, std::min(kChunk, e - i));
    loadRow(in.data() + i * xBytes, chunk);
    for (float value : chunk)
      amax = getLarger(amax, value);
  }
  return fromBits(amax);
}

void TabulatedQuantizer::prepare(const reference::TensorLevel &level,
                                 const APFloat &amax, int64_t numBlocks) {
  tensor = level;
  scales.reset();
  factors.clear();
  if (scaleBytes != 1)
    return;
  for (unsigned encoding = 0; encoding < 256; ++encoding)
    factors.push_back(computeFactor(encoding));
  // Fewer blocks have fewer scales than there are evaluations of the table.
  constexpr int64_t kMinBlocks = 4096;
  if (numBlocks < kMinBlocks)
    return;
  // Magnitudes below 2^-24 times the largest one are rare.
  lastAmax = toBits(amax);
  firstAmax = std::max<int64_t>(1, int64_t(lastAmax) - (int64_t(24) << 23));
  if (lastAmax >= kInfinity || firstAmax > lastAmax)
    return;
  scales.emplace();
  scales->tabulate(firstAmax, lastAmax,
                   [&](uint32_t bits) { return computeScale(bits); });
}

/// Returns the element whose product with the scale is nearest, like the
/// Reference (B7).
static uint8_t quantizeByDistance(float x, ArrayRef<float> products) {
  float magnitude = std::fabs(x);
  unsigned nearest = 0;
  float smallest = std::fabs(products[0] - magnitude);
  for (unsigned encoding = 1; encoding < products.size(); ++encoding) {
    float distance = std::fabs(products[encoding] - magnitude);
    if (distance < smallest) {
      smallest = distance;
      nearest = encoding;
    }
  }
  return nearest | (nearest && std::signbit(x) ? 8 : 0);
}

void TabulatedQuantizer::quantizeElements(ArrayRef<float> x, uint32_t scaleBits,
                                          char *out) const {
  Factor factor =
      factors.empty() ? computeFactor(scaleBits) : factors[scaleBits];
  if (rule == BlockScaleRule::Ggml) {
    float products[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (float &product : products)
      product *= factor.value;
    bool isNaN = std::isnan(factor.value);
    for (float value : x)
      *out++ = isNaN ? 0 : char(quantizeByDistance(value, products));
    return;
  }
  for (float value : x) {
    float quotient =
        factor.isDivisor ? value / factor.value : value * factor.value;
    uint32_t bits = llvm::bit_cast<uint32_t>(quotient);
    uint32_t magnitude = bits & ~kSign;
    *out++ = magnitude > kInfinity
                 ? char(computeElement(bits))
                 : char(elements.get(magnitude) >> (bits & kSign ? 8 : 0));
  }
}

void TabulatedQuantizer::quantize(const MatrixBuffers &matrix,
                                  ArrayRef<int64_t> block) const {
  auto getSize = [](int64_t blockSize, int64_t size) {
    return blockSize == reference::Granularity::kWholeDim ? size : blockSize;
  };
  int64_t height = getSize(block[0], matrix.rows);
  int64_t width = getSize(block[1], matrix.columns);
  if (matrix.rows == 0 || matrix.columns == 0)
    return;
  int64_t perRow = llvm::divideCeil(matrix.columns, width);
  SmallVector<float, 0> row(matrix.columns);
  SmallVector<uint32_t, 0> blocks(perRow);
  for (int64_t first = 0; first < matrix.rows; first += height) {
    int64_t last = std::min(first + height, matrix.rows);
    auto forBlocks = [&](int64_t i, auto body) {
      loadRow(matrix.in.data() + i * matrix.columns * xBytes, row);
      for (int64_t j = 0; j < perRow; ++j) {
        int64_t start = j * width;
        int64_t size = std::min(width, matrix.columns - start);
        body(blocks[j], ArrayRef(row).slice(start, size), start);
      }
    };
    llvm::fill(blocks, 0);
    for (int64_t i = first; i < last; ++i)
      forBlocks(i, [](uint32_t &amax, ArrayRef<float> x, int64_t) {
        for (float value : x)
          amax = getLarger(amax, value);
      });
    char *scaleOut =
        matrix.scales.data() + first / height * perRow * scaleBytes;
    for (uint32_t &bits : blocks) {
      bits = getScale(bits);
      memcpy(scaleOut, &bits, scaleBytes);
      scaleOut += scaleBytes;
    }
    for (int64_t i = first; i < last; ++i)
      forBlocks(i, [&](uint32_t scaleBits, ArrayRef<float> x, int64_t start) {
        quantizeElements(x, scaleBits,
                         matrix.values.data() + i * matrix.columns + start);
      });
  }
}
