//===- Formats.cpp - ggml's block formats ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are specified by ggml's ggml-common.h, and the order of the
// elements by dequantize_row_* in ggml-quants.c.
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::gguf_import;
using llvm::support::endian::read16le;
using llvm::support::endian::read32le;
using llvm::support::endian::write16le;
using llvm::support::endian::write32le;

/// The values that the encodings of IQ4_NL and IQ4_XS represent.
static constexpr int8_t kNonLinear[16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// Returns a 4-bit encoding. The low nibble of byte `i` is element `i`, and its
/// high nibble is element `i + elements / 2`.
static unsigned getNibble(const uint8_t *bytes, unsigned element,
                          unsigned elements) {
  unsigned half = elements / 2;
  return bytes[element % half] >> (element < half ? 0 : 4) & 15;
}

/// Decodes 4-bit encodings. If `hasHighBits`, bit `element` of `high` is the
/// fifth bit.
template <unsigned header, bool hasHighBits, bool hasMinimum, int offset>
static void decodeNibbles(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = read16le(bytes);
  if (hasMinimum)
    block.minimum = read16le(bytes + 2);
  uint32_t high = hasHighBits ? read32le(bytes + header - 4) : 0;
  for (unsigned i = 0; i != 32; ++i)
    block.quantized[i] =
        int(getNibble(bytes + header, i, 32) | (high >> i & 1) << 4) - offset;
}

static void decodeQ8(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = read16le(bytes);
  for (unsigned i = 0; i != 32; ++i)
    block.quantized[i] = int8_t(bytes[2 + i]);
}

static void decodeNonLinear(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = read16le(bytes);
  for (unsigned i = 0; i != 32; ++i)
    block.quantized[i] = kNonLinear[getNibble(bytes + 2, i, 32)];
}

static void decodeMxfp4(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = bytes[0];
  for (unsigned i = 0; i != 32; ++i)
    block.quantized[i] = getNibble(bytes + 1, i, 32);
}

/// Each group has 8 bytes. Of the scales, ggml ignores the sign, and it reads
/// the encoding of NaN as 0.
static void decodeNvfp4(const uint8_t *bytes, DecodedBlock &block) {
  constexpr uint8_t kNan = 0x7F;
  block.scale = 0;
  for (unsigned i = 0; i != 4; ++i)
    block.scales[i] = bytes[i] == kNan ? 0 : bytes[i] & kNan;
  for (unsigned i = 0; i != 64; ++i)
    block.quantized[i] = getNibble(bytes + 4 + i / 16 * 8, i % 16, 16);
}

/// Returns a 2-bit encoding of a block of 256 elements. The block consists of
/// two halves. Byte `i` of a half has element `i` of each quarter of the half.
static unsigned getPair(const uint8_t *bytes, unsigned element) {
  unsigned half = element / 128, quarter = element % 128 / 32;
  return bytes[half * 32 + element % 32] >> 2 * quarter & 3;
}

static void decodeQ2K(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = read16le(bytes + 80);
  block.minimum = read16le(bytes + 82);
  for (unsigned i = 0; i != 16; ++i) {
    block.scales[i] = bytes[i] & 15;
    block.minimums[i] = bytes[i] >> 4;
  }
  for (unsigned i = 0; i != 256; ++i)
    block.quantized[i] = getPair(bytes + 16, i);
}

static void decodeQ3K(const uint8_t *bytes, DecodedBlock &block) {
  const uint8_t *high = bytes, *low = bytes + 32, *scales = bytes + 96;
  block.scale = read16le(bytes + 108);
  for (unsigned i = 0; i != 16; ++i)
    block.scales[i] = int(getNibble(scales, i, 16) |
                          (scales[8 + i % 4] >> 2 * (i / 4) & 3) << 4) -
                      32;
  for (unsigned i = 0; i != 256; ++i)
    block.quantized[i] =
        int(getPair(low, i) | (high[i % 32] >> i / 32 & 1) << 2) - 4;
}

/// Decodes the 6-bit scales and minimums of Q4_K and Q5_K. The two high bits of
/// the last four are above those of the first four.
static void decodeScales(const uint8_t *bytes, DecodedBlock &block) {
  for (unsigned i = 0; i != 4; ++i) {
    block.scales[i] = bytes[i] & 63;
    block.minimums[i] = bytes[i + 4] & 63;
    block.scales[i + 4] = (bytes[i + 8] & 15) | bytes[i] >> 6 << 4;
    block.minimums[i + 4] = bytes[i + 8] >> 4 | bytes[i + 4] >> 6 << 4;
  }
}

template <bool hasHighBits>
static void decodeQ45K(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = read16le(bytes);
  block.minimum = read16le(bytes + 2);
  decodeScales(bytes + 4, block);
  const uint8_t *high = bytes + 16, *low = high + (hasHighBits ? 32 : 0);
  for (unsigned i = 0; i != 256; ++i) {
    unsigned bit = hasHighBits ? high[i % 32] >> i / 32 & 1 : 0;
    block.quantized[i] = getNibble(low + i / 64 * 32, i % 64, 64) | bit << 4;
  }
}

static void decodeQ6K(const uint8_t *bytes, DecodedBlock &block) {
  const uint8_t *low = bytes, *high = bytes + 128, *scales = bytes + 192;
  block.scale = read16le(bytes + 208);
  for (unsigned i = 0; i != 16; ++i)
    block.scales[i] = int8_t(scales[i]);
  for (unsigned i = 0; i != 256; ++i)
    block.quantized[i] = int(getNibble(low + i / 128 * 64, i % 128, 128) |
                             getPair(high, i) << 4) -
                         32;
}

static void decodeIQ4XS(const uint8_t *bytes, DecodedBlock &block) {
  block.scale = read16le(bytes);
  unsigned high = read16le(bytes + 2);
  for (unsigned i = 0; i != 8; ++i)
    block.scales[i] =
        int((bytes[4 + i / 2] >> i % 2 * 4 & 15) | (high >> 2 * i & 3) << 4) -
        32;
  for (unsigned i = 0; i != 256; ++i)
    block.quantized[i] =
        kNonLinear[getNibble(bytes + 8 + i / 32 * 16, i % 32, 32)];
}

//===----------------------------------------------------------------------===//
// Encoders. They drop everything that a format cannot represent. The caller
// decodes the block again and compares.
//===----------------------------------------------------------------------===//

static void setNibble(uint8_t *bytes, unsigned element, unsigned elements,
                      unsigned value) {
  unsigned half = elements / 2;
  bytes[element % half] |= (value & 15) << (element < half ? 0 : 4);
}

static void setPair(uint8_t *bytes, unsigned element, unsigned value) {
  unsigned half = element / 128, quarter = element % 128 / 32;
  bytes[half * 32 + element % 32] |= (value & 3) << 2 * quarter;
}

/// Returns the encoding of a value of kNonLinear, or 16 for other values.
static unsigned getNonLinear(int8_t value) {
  return llvm::find(kNonLinear, value) - std::begin(kNonLinear);
}

template <unsigned header, bool hasHighBits, bool hasMinimum, int offset>
static void encodeNibbles(const DecodedBlock &block, uint8_t *bytes) {
  write16le(bytes, block.scale);
  if (hasMinimum)
    write16le(bytes + 2, block.minimum);
  uint32_t high = 0;
  for (unsigned i = 0; i != 32; ++i) {
    unsigned value = block.quantized[i] + offset;
    setNibble(bytes + header, i, 32, value);
    high |= (value >> 4 & 1) << i;
  }
  if (hasHighBits)
    write32le(bytes + header - 4, high);
}

static void encodeQ8(const DecodedBlock &block, uint8_t *bytes) {
  write16le(bytes, block.scale);
  for (unsigned i = 0; i != 32; ++i)
    bytes[2 + i] = block.quantized[i];
}

static void encodeNonLinear(const DecodedBlock &block, uint8_t *bytes) {
  write16le(bytes, block.scale);
  for (unsigned i = 0; i != 32; ++i)
    setNibble(bytes + 2, i, 32, getNonLinear(block.quantized[i]));
}

static void encodeMxfp4(const DecodedBlock &block, uint8_t *bytes) {
  bytes[0] = block.scale;
  for (unsigned i = 0; i != 32; ++i)
    setNibble(bytes + 1, i, 32, block.quantized[i]);
}

static void encodeNvfp4(const DecodedBlock &block, uint8_t *bytes) {
  for (unsigned i = 0; i != 4; ++i)
    bytes[i] = block.scales[i];
  for (unsigned i = 0; i != 64; ++i)
    setNibble(bytes + 4 + i / 16 * 8, i % 16, 16, block.quantized[i]);
}

static void encodeQ2K(const DecodedBlock &block, uint8_t *bytes) {
  write16le(bytes + 80, block.scale);
  write16le(bytes + 82, block.minimum);
  for (unsigned i = 0; i != 16; ++i)
    bytes[i] = (block.scales[i] & 15) | (block.minimums[i] & 15) << 4;
  for (unsigned i = 0; i != 256; ++i)
    setPair(bytes + 16, i, block.quantized[i]);
}

static void encodeQ3K(const DecodedBlock &block, uint8_t *bytes) {
  uint8_t *high = bytes, *low = bytes + 32, *scales = bytes + 96;
  write16le(bytes + 108, block.scale);
  for (unsigned i = 0; i != 16; ++i) {
    unsigned scale = block.scales[i] + 32;
    setNibble(scales, i, 16, scale);
    scales[8 + i % 4] |= (scale >> 4 & 3) << 2 * (i / 4);
  }
  for (unsigned i = 0; i != 256; ++i) {
    unsigned value = block.quantized[i] + 4;
    setPair(low, i, value);
    high[i % 32] |= (value >> 2 & 1) << i / 32;
  }
}

static void encodeScales(const DecodedBlock &block, uint8_t *bytes) {
  auto join = [](int8_t low, int8_t high) {
    return (low & 63) | (high >> 4 & 3) << 6;
  };
  for (unsigned i = 0; i != 4; ++i) {
    bytes[i] = join(block.scales[i], block.scales[i + 4]);
    bytes[i + 4] = join(block.minimums[i], block.minimums[i + 4]);
    bytes[i + 8] = (block.scales[i + 4] & 15) | (block.minimums[i + 4] & 15)
                                                    << 4;
  }
}

template <bool hasHighBits>
static void encodeQ45K(const DecodedBlock &block, uint8_t *bytes) {
  write16le(bytes, block.scale);
  write16le(bytes + 2, block.minimum);
  encodeScales(block, bytes + 4);
  uint8_t *high = bytes + 16, *low = high + (hasHighBits ? 32 : 0);
  for (unsigned i = 0; i != 256; ++i) {
    setNibble(low + i / 64 * 32, i % 64, 64, block.quantized[i]);
    if (hasHighBits)
      high[i % 32] |= (block.quantized[i] >> 4 & 1) << i / 32;
  }
}

static void encodeQ6K(const DecodedBlock &block, uint8_t *bytes) {
  uint8_t *low = bytes, *high = bytes + 128, *scales = bytes + 192;
  write16le(bytes + 208, block.scale);
  for (unsigned i = 0; i != 16; ++i)
    scales[i] = block.scales[i];
  for (unsigned i = 0; i != 256; ++i) {
    unsigned value = block.quantized[i] + 32;
    setNibble(low + i / 128 * 64, i % 128, 128, value);
    setPair(high, i, value >> 4);
  }
}

static void encodeIQ4XS(const DecodedBlock &block, uint8_t *bytes) {
  write16le(bytes, block.scale);
  unsigned high = 0;
  for (unsigned i = 0; i != 8; ++i) {
    unsigned scale = block.scales[i] + 32;
    bytes[4 + i / 2] |= (scale & 15) << i % 2 * 4;
    high |= (scale >> 4 & 3) << 2 * i;
  }
  write16le(bytes + 2, high);
  for (unsigned i = 0; i != 256; ++i)
    setNibble(bytes + 8 + i / 32 * 16, i % 32, 32,
              getNonLinear(block.quantized[i]));
}

static constexpr BlockFormat kFormats[] = {
    {2,
     "Q4_0",
     32,
     18,
     32,
     Storage::I4,
     {},
     Minimum::None,
     decodeNibbles<2, false, false, 8>,
     encodeNibbles<2, false, false, 8>},
    {3,
     "Q4_1",
     32,
     20,
     32,
     Storage::U4,
     {},
     Minimum::Added,
     decodeNibbles<4, false, true, 0>,
     encodeNibbles<4, false, true, 0>},
    {6,
     "Q5_0",
     32,
     22,
     32,
     Storage::I8,
     {},
     Minimum::None,
     decodeNibbles<6, true, false, 16>,
     encodeNibbles<6, true, false, 16>},
    {7,
     "Q5_1",
     32,
     24,
     32,
     Storage::U8,
     {},
     Minimum::Added,
     decodeNibbles<8, true, true, 0>,
     encodeNibbles<8, true, true, 0>},
    {8, "Q8_0", 32, 34, 32, Storage::I8, {}, Minimum::None, decodeQ8, encodeQ8},
    {10, "Q2_K", 256, 84, 16, Storage::U2, Storage::U8, Minimum::Subtracted,
     decodeQ2K, encodeQ2K},
    {11, "Q3_K", 256, 110, 16, Storage::I4, Storage::I8, Minimum::None,
     decodeQ3K, encodeQ3K},
    {12, "Q4_K", 256, 144, 32, Storage::U4, Storage::U8, Minimum::Subtracted,
     decodeQ45K<false>, encodeQ45K<false>},
    {13, "Q5_K", 256, 176, 32, Storage::U8, Storage::U8, Minimum::Subtracted,
     decodeQ45K<true>, encodeQ45K<true>},
    {14, "Q6_K", 256, 210, 16, Storage::I8, Storage::I8, Minimum::None,
     decodeQ6K, encodeQ6K},
    {20,
     "IQ4_NL",
     32,
     18,
     32,
     Storage::I8,
     {},
     Minimum::None,
     decodeNonLinear,
     encodeNonLinear},
    {23, "IQ4_XS", 256, 136, 32, Storage::I8, Storage::I8, Minimum::None,
     decodeIQ4XS, encodeIQ4XS},
    {39,
     "MXFP4",
     32,
     17,
     32,
     Storage::F4,
     {},
     Minimum::None,
     decodeMxfp4,
     encodeMxfp4},
    {40, "NVFP4", 64, 36, 16, Storage::F4, Storage::F8, Minimum::None,
     decodeNvfp4, encodeNvfp4},
};

/// The names of ggml_type in ggml.h, by number, including those of formats that
/// ggml removed.
static constexpr StringRef kNames[] = {
    "F32",        "F16",        "Q4_0",       "Q4_1",     "Q4_2",    "Q4_3",
    "Q5_0",       "Q5_1",       "Q8_0",       "Q8_1",     "Q2_K",    "Q3_K",
    "Q4_K",       "Q5_K",       "Q6_K",       "Q8_K",     "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS",    "IQ1_S",      "IQ4_NL",     "IQ3_S",    "IQ2_S",   "IQ4_XS",
    "I8",         "I16",        "I32",        "I64",      "F64",     "IQ1_M",
    "BF16",       "Q4_0_4_4",   "Q4_0_4_8",   "Q4_0_8_8", "TQ1_0",   "TQ2_0",
    "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4",    "NVFP4",   "Q1_0"};

std::string gguf_import::spellFormat(unsigned number) {
  std::string spelled = std::to_string(number);
  if (number >= std::size(kNames))
    return spelled;
  return kNames[number].str() + " (" + spelled + ")";
}

ArrayRef<BlockFormat> gguf_import::getBlockFormats() { return kFormats; }

const BlockFormat *gguf_import::getBlockFormat(unsigned number) {
  const auto *format = llvm::find_if(
      kFormats, [&](const BlockFormat &row) { return row.number == number; });
  return format == std::end(kFormats) ? nullptr : format;
}

Type gguf_import::getStorageType(Storage storage, MLIRContext *context) {
  auto getUnsigned = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (storage) {
  case Storage::I4:
    return IntegerType::get(context, 4);
  case Storage::U4:
    return getUnsigned(4);
  case Storage::U2:
    return getUnsigned(2);
  case Storage::I8:
    return IntegerType::get(context, 8);
  case Storage::U8:
    return getUnsigned(8);
  case Storage::F4:
    return Float4E2M1FNType::get(context);
  case Storage::F8:
    return Float8E4M3FNType::get(context);
  }
  llvm_unreachable("invalid type of quantized values");
}

Type gguf_import::getScaleType(const BlockFormat &format,
                               MLIRContext *context) {
  if (format.storage == Storage::F4)
    return Float8E8M0FNUType::get(context);
  return Float16Type::get(context);
}

int64_t gguf_import::getMinOpset(const BlockFormat &format) {
  switch (format.storage) {
  case Storage::U2:
    return 25;
  case Storage::F4: // MXFP4 also has f8E8M0FNU.
    return format.hasTensorScale() ? 23 : 24;
  default: // An f32 result with an f16 scale.
    return 23;
  }
}

std::optional<unsigned> gguf_import::getNumber(Type elementType) {
  for (unsigned number : {0, 1, 24, 25, 26, 27, 28, 30})
    if (getElementType(number, elementType.getContext()) == elementType)
      return number;
  return std::nullopt;
}

Type gguf_import::getElementType(unsigned number, MLIRContext *context) {
  switch (number) {
  case 0:
    return Float32Type::get(context);
  case 1:
    return Float16Type::get(context);
  case 24:
    return IntegerType::get(context, 8);
  case 25:
    return IntegerType::get(context, 16);
  case 26:
    return IntegerType::get(context, 32);
  case 27:
    return IntegerType::get(context, 64);
  case 28:
    return Float64Type::get(context);
  case 30:
    return BFloat16Type::get(context);
  default:
    return {};
  }
}
