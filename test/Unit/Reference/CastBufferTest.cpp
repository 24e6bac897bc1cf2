//===- CastBufferTest.cpp - Element types and buffers ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastTest.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

namespace {

class CastBufferTest : public CastTest {};

const StringRef types[] = {
    "f32",        "f16",      "bf16",         "f64",       "f8E4M3FN",
    "f8E4M3FNUZ", "f8E5M2",   "f8E5M2FNUZ",   "f8E8M0FNU", "f4E2M1FN",
    "f6E2M3FN",   "f6E3M2FN", "i8",           "i16",       "i32",
    "i64",        "ui8",      "ui16",         "ui32",      "ui64",
    "i4",         "ui4",      "i2",           "ui2",       "i1",
    "f8E3M4",     "f8E4M3",   "f8E4M3B11FNUZ"};

TEST_F(CastBufferTest, supported_types) {
  for (StringRef type : types)
    EXPECT_TRUE(isSupported(parse(type))) << type.str();
  for (StringRef type : {"si8", "ui1", "si1", "i128", "i3", "i24", "index",
                         "tf32", "f80", "f128", "tensor<4xf32>", "none"})
    EXPECT_FALSE(isSupported(parse(type))) << type.str();
}

/// Every pair of types is supported.
TEST_F(CastBufferTest, C1_all_pairs_cast_one) {
  for (StringRef from : types)
    for (StringRef to : types) {
      SCOPED_TRACE((from + " to " + to).str());
      EXPECT_EQ(cast(to, "f64", cast(from, to, cast("i8", from, 1))),
                0x3FF0000000000000u)
          << "i2 and the like hold 1 too";
    }
}

TEST_F(CastBufferTest, slots) {
  char values[] = {char(0x07), char(0xF8), char(0x01), char(0xF9)};
  char out[8];
  MutableArrayRef<char> bytes(out, 4);
  // Signed values are sign-extended to a byte; encodings are not.
  ASSERT_TRUE(succeeded(
      castBuffer(parse("i8"), parse("i4"), values, bytes, saturating)));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x07\xF8\x01\xF9", 4));
  ASSERT_TRUE(succeeded(
      castBuffer(parse("i8"), parse("ui4"), values, bytes, saturating)));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x07\x08\x01\x09", 4));
  ASSERT_TRUE(succeeded(
      castBuffer(parse("i8"), parse("f4E2M1FN"), values, bytes, saturating)));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x07\x0F\x02\x0F", 4));
  ASSERT_TRUE(succeeded(
      castBuffer(parse("i8"), parse("i1"), values, bytes, saturating)));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x01\x01\x01\x01", 4));
  // Bits beyond the element's width are ignored.
  ASSERT_TRUE(succeeded(
      castBuffer(parse("ui4"), parse("ui8"), values, bytes, saturating)));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x07\x08\x01\x09", 4));
  ASSERT_TRUE(succeeded(
      castBuffer(parse("i4"), parse("i4"), values, bytes, saturating)));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x07\xF8\x01\xF9", 4));
  // Inputs and outputs are little-endian.
  ASSERT_TRUE(succeeded(castBuffer(parse("f16"), parse("f32"),
                                   ArrayRef<char>("\x00\x3C\x00\xC0", 4), out,
                                   saturating)));
  EXPECT_EQ(StringRef(out, 8), StringRef("\0\0\x80\x3F\0\0\0\xC0", 8));
}

/// Long buffers are cast with a table of all encodings. The results must agree
/// with those of single elements.
TEST_F(CastBufferTest, long_buffers_agree_with_elements) {
  std::vector<char> in, out;
  for (unsigned i = 0; i < 70000; ++i) {
    in.push_back(char(i));
    in.push_back(char(i >> 8));
  }
  out.resize(in.size() / 2);
  for (StringRef from : {"f16", "bf16", "i16"}) {
    ASSERT_TRUE(succeeded(
        castBuffer(parse(from), parse("f8E5M2"), in, out, overflowing)));
    for (unsigned i = 0; i < 70000; i += 7)
      ASSERT_EQ(uint8_t(out[i]), cast(from, "f8E5M2", i & 0xFFFF, overflowing));
  }
}

TEST_F(CastBufferTest, failures_leave_the_output) {
  char in[6] = {}, out[6] = {1, 2, 3, 4, 5, 6};
  auto run = [&](StringRef from, StringRef to, size_t inSize, size_t outSize) {
    return castBuffer(parse(from), parse(to), ArrayRef<char>(in, inSize),
                      MutableArrayRef<char>(out, outSize), saturating);
  };
  EXPECT_TRUE(failed(run("f16", "i8", 5, 2)));
  EXPECT_TRUE(failed(run("f16", "i8", 6, 2)));
  EXPECT_TRUE(failed(run("i8", "f16", 2, 6)));
  EXPECT_TRUE(failed(run("si8", "i8", 2, 2)));
  EXPECT_TRUE(failed(run("i8", "index", 2, 2)));
  EXPECT_EQ(StringRef(out, 6), StringRef("\1\2\3\4\5\6"));
  EXPECT_TRUE(succeeded(run("i8", "i16", 0, 0)));
}

} // namespace
