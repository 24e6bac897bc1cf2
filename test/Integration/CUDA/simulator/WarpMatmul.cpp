//===- WarpMatmul.cpp - mma.sync ------------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Follows the tables "Matrix fragments for mma" of the PTX ISA, which define
// the position of element i of a thread's fragment for each shape. `group` and
// `inGroup` are called groupID and threadID_in_group there.
//
// The rounding of float accumulation is not specified. The environment variable
// QUANT_FLOAT_SIMULATOR_SUMS selects it:
//   - exact: C and all products are added exactly, and rounded once;
//   - cut: all terms are truncated to a number of bits below the largest one,
//     the fewest that have been observed on a chip, and the sum is truncated
//     to f32.
//
//===----------------------------------------------------------------------===//

#include "WarpMatmul.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace simulator;

namespace {

constexpr int kLanes = 32;

struct FragmentIndex {
  int row, column;
};

/// The extents of the instruction, and the bits of an element of A and B.
struct Shape {
  int m, n, k, bits;
  bool operator==(const Shape &other) const {
    return m == other.m && n == other.n && k == other.k && bits == other.bits;
  }
};

struct Layout {
  Shape shape;
  int elementsOfA, elementsOfB, elementsOfC;
  FragmentIndex (*a)(int group, int inGroup, int i);
  /// The row is along K.
  FragmentIndex (*b)(int group, int inGroup, int i);
  FragmentIndex (*c)(int group, int inGroup, int i);
};

FragmentIndex getWideCIndex(int group, int inGroup, int i) {
  return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
}

const Layout kLayouts[] = {
    // "Matrix Fragments for mma.m8n8k16", .s8 and .u8.
    {{8, 8, 16, 8},
     4,
     4,
     2,
     [](int group, int inGroup, int i) -> FragmentIndex {
       return {group, inGroup * 4 + i};
     },
     [](int group, int inGroup, int i) -> FragmentIndex {
       return {inGroup * 4 + i, group};
     },
     [](int group, int inGroup, int i) -> FragmentIndex {
       return {group, inGroup * 2 + i};
     }},
    // "Matrix Fragments for mma.m16n8k8", .f16 and .bf16.
    {{16, 8, 8, 16},
     4,
     2,
     4,
     [](int group, int inGroup, int i) -> FragmentIndex {
       return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
     },
     [](int group, int inGroup, int i) -> FragmentIndex {
       return {inGroup * 2 + i, group};
     },
     getWideCIndex},
    // "Matrix Fragments for mma.m16n8k16 with floating point type".
    {{16, 8, 16, 16},
     8,
     4,
     4,
     [](int group, int inGroup, int i) -> FragmentIndex {
       bool isUpper = (0 <= i && i < 2) || (4 <= i && i < 6);
       int column = inGroup * 2 + (i & 1);
       return {isUpper ? group : group + 8, i < 4 ? column : column + 8};
     },
     [](int group, int inGroup, int i) -> FragmentIndex {
       int row = inGroup * 2 + (i & 1);
       return {i < 2 ? row : row + 8, group};
     },
     getWideCIndex},
    // "Matrix Fragments for mma.m16n8k32", 8-bit types.
    {{16, 8, 32, 8},
     16,
     8,
     4,
     [](int group, int inGroup, int i) -> FragmentIndex {
       bool isUpper = (0 <= i && i < 4) || (8 <= i && i < 12);
       int column = inGroup * 4 + (i & 3);
       return {isUpper ? group : group + 8, i < 8 ? column : column + 16};
     },
     [](int group, int inGroup, int i) -> FragmentIndex {
       int row = inGroup * 4 + (i & 3);
       return {i < 4 ? row : row + 16, group};
     },
     getWideCIndex},
};

/// The types of an instruction, and the minimum number of bits that float
/// accumulation keeps.
struct Types {
  const char *suffix, *a, *b;
  int bits, kept;
};

constexpr Types kTypes[] = {
    {"s8", "s8", "s8", 8, 0},
    {"u8", "u8", "u8", 8, 0},
    {"s8.u8", "s8", "u8", 8, 0},
    {"u8.s8", "u8", "s8", 8, 0},
    {"f32.f32", "f16", "f16", 16, 23},
    {"bf16", "bf16", "bf16", 16, 23},
    {"f32.e4m3.e4m3.f32", "e4m3", "e4m3", 8, 13},
    {"f32.e4m3.e5m2.f32", "e4m3", "e5m2", 8, 13},
    {"f32.e5m2.e4m3.f32", "e5m2", "e4m3", 8, 13},
    {"f32.e5m2.e5m2.f32", "e5m2", "e5m2", 8, 13},
};

float asFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Decodes a float with this number of exponent and fraction bits.
double decodeFloat(uint32_t encoding, int exponentBits, int fractionBits,
                   bool hasInf) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = encoding >> fractionBits & ((1 << exponentBits) - 1);
  int fraction = encoding & ((1 << fractionBits) - 1);
  double sign = encoding >> (exponentBits + fractionBits) & 1 ? -1 : 1;
  bool isLast = exponent == (1 << exponentBits) - 1;
  if (isLast && hasInf)
    return sign * (fraction ? NAN : INFINITY);
  if (isLast && fraction == (1 << fractionBits) - 1)
    return NAN;
  if (!exponent)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp(fraction + (1 << fractionBits),
                           exponent - bias - fractionBits);
}

} // namespace

double simulator::decode(uint32_t encoding, const std::string &type) {
  if (type == "s8")
    return int8_t(encoding);
  if (type == "u8")
    return uint8_t(encoding);
  if (type == "f16")
    return decodeFloat(encoding, 5, 10, true);
  if (type == "bf16")
    return decodeFloat(encoding, 8, 7, true);
  if (type == "e4m3")
    return decodeFloat(encoding, 4, 3, false);
  return decodeFloat(encoding, 5, 2, true);
}

namespace {

uint32_t getElement(const uint32_t *registers, int i, int bits) {
  int each = 32 / bits;
  uint32_t all = registers[i / each];
  return all >> (i % each * bits) & ((1u << bits) - 1);
}

/// Truncates toward zero to a multiple of 2^exponent.
__float128 cut(__float128 value, int exponent) {
  auto scaled = double(value * __float128(std::ldexp(1.0, -exponent / 2)) *
                       __float128(std::ldexp(1.0, -exponent + exponent / 2)));
  return __float128(std::trunc(scaled)) *
         __float128(std::ldexp(1.0, exponent / 2)) *
         __float128(std::ldexp(1.0, exponent - exponent / 2));
}

} // namespace

uint32_t simulator::add(const double *terms, int count, float start, int kept) {
  double simple = start;
  double largest = std::fabs(double(start));
  for (int i = 0; i < count; ++i) {
    simple += terms[i];
    largest = std::max(largest, std::fabs(terms[i]));
  }
  uint32_t bits;
  float result;
  const char *mode = getenv("QUANT_FLOAT_SIMULATOR_SUMS");
  bool isCut = mode && !strcmp(mode, "cut");
  if (std::isnan(simple))
    return 0x7fffffff;
  if (std::isinf(simple) || !largest) {
    result = float(simple);
  } else {
    int unit = std::ilogb(largest) - kept;
    __float128 sum = isCut ? cut(start, unit) : __float128(start);
    for (int i = 0; i < count; ++i)
      sum += isCut ? cut(terms[i], unit) : __float128(terms[i]);
    result = float(sum);
    if (isCut && __float128(std::fabs(result)) > (sum < 0 ? -sum : sum))
      result = std::nextafterf(result, 0.0f);
  }
  memcpy(&bits, &result, sizeof bits);
  return bits;
}

/// `ldmatrix.sync.aligned.m8n8.xCOUNT[.trans].b16`: eight threads have the
/// addresses of the rows of each matrix. A thread gets two neighbors of a row,
/// or of a column.
static const char *loadMatrices(WarpMatmul *const (&lanes)[32]) {
  int count = 0, read = 0;
  std::string name = lanes[0]->name;
  if (sscanf(name.c_str(), "ldmatrix.sync.aligned.m8n8.x%d.%n", &count,
             &read) != 1 ||
      !read || (count != 1 && count != 2 && count != 4))
    return "unknown ldmatrix";
  bool isTransposed = name.compare(read, 6, "trans.") == 0;
  if (name.compare(read + 6 * isTransposed, 3, "b16") != 0)
    return "ldmatrix requires 16-bit elements";
  auto get = [&](int row, int column) {
    const std::vector<uint32_t> &address = lanes[row]->operands;
    uint16_t element;
    memcpy(&element,
           reinterpret_cast<const char *>(uint64_t(address[1]) << 32 |
                                          address[0]) +
               2 * column,
           sizeof element);
    return uint32_t(element);
  };
  for (int lane = 0; lane < kLanes; ++lane)
    for (int matrix = 0; matrix < count; ++matrix) {
      int row = lane / 4, column = lane % 4 * 2, first = 8 * matrix;
      uint32_t low =
          isTransposed ? get(first + column, row) : get(first + row, column);
      uint32_t high = isTransposed ? get(first + column + 1, row)
                                   : get(first + row, column + 1);
      lanes[lane]->results[matrix] = high << 16 | low;
    }
  return nullptr;
}

/// `shfl.sync.bfly`: each thread gets the value of the thread whose number
/// differs in the given bits.
static const char *exchange(WarpMatmul *const (&lanes)[32]) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::vector<uint32_t> &operands = lanes[lane]->operands;
    if (operands[0] != ~0u || operands[3] != kLanes - 1 ||
        operands[2] >= kLanes)
      return "a shuffle beyond the threads of a warp";
    lanes[lane]->results[0] = lanes[lane ^ operands[2]]->operands[1];
  }
  return nullptr;
}

const char *simulator::multiplyMatrices(WarpMatmul *const (&lanes)[32]) {
  std::string name = lanes[0]->name;
  if (name == "shfl.sync.bfly")
    return exchange(lanes);
  if (name.rfind("ldmatrix", 0) == 0)
    return loadMatrices(lanes);
  Shape shape{};
  int read = 0;
  if (sscanf(name.c_str(), "m%dn%dk%d.row.col.%n", &shape.m, &shape.n, &shape.k,
             &read) != 3 ||
      !read)
    return "unknown matmul";
  const Types *types = nullptr;
  for (const Types &row : kTypes)
    if (name.substr(read) == row.suffix)
      types = &row;
  if (!types)
    return "a matmul of unknown types";
  shape.bits = types->bits;
  const Layout *layout = nullptr;
  for (const Layout &row : kLayouts)
    if (row.shape == shape)
      layout = &row;
  if (!layout)
    return "a matmul of unknown shape";

  int each = 32 / types->bits;
  int registersOfA = layout->elementsOfA / each;
  int registersOfB = layout->elementsOfB / each;
  std::vector<double> a(shape.m * shape.k), b(shape.k * shape.n);
  std::vector<uint32_t> c(shape.m * shape.n);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::vector<uint32_t> &operands = lanes[lane]->operands;
    if (lanes[lane]->name != lanes[0]->name ||
        operands.size() !=
            size_t(registersOfA + registersOfB + layout->elementsOfC))
      return "the registers of a matmul do not match its shape";
    int group = lane >> 2, inGroup = lane % 4;
    for (int i = 0; i < layout->elementsOfA; ++i) {
      FragmentIndex index = layout->a(group, inGroup, i);
      a[index.row * shape.k + index.column] =
          decode(getElement(operands.data(), i, types->bits), types->a);
    }
    for (int i = 0; i < layout->elementsOfB; ++i) {
      FragmentIndex index = layout->b(group, inGroup, i);
      b[index.row * shape.n + index.column] = decode(
          getElement(operands.data() + registersOfA, i, types->bits), types->b);
    }
    for (int i = 0; i < layout->elementsOfC; ++i) {
      FragmentIndex index = layout->c(group, inGroup, i);
      c[index.row * shape.n + index.column] =
          operands[registersOfA + registersOfB + i];
    }
  }
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < shape.n; ++column) {
      uint32_t &sum = c[row * shape.n + column];
      double terms[32];
      for (int k = 0; k < shape.k; ++k) {
        terms[k] = a[row * shape.k + k] * b[k * shape.n + column];
        // Integers wrap.
        if (!types->kept)
          sum += uint32_t(int32_t(terms[k]));
      }
      if (types->kept)
        sum = add(terms, shape.k, asFloat(sum), types->kept);
    }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < layout->elementsOfC; ++i) {
      FragmentIndex index = layout->c(lane >> 2, lane % 4, i);
      lanes[lane]->results[i] = c[index.row * shape.n + index.column];
    }
  return nullptr;
}
