//===- MatrixProducts.cpp - mma.sync --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// By the tables of "Matrix fragments for mma" of the PTX ISA, which say for
// each shape where the element i of a thread's fragment is. `group` and
// `inGroup` are the text's groupID and threadID_in_group.
//
// The text leaves open how sums of floats are rounded. Here they are, as the
// environment has it in QUANT_FLOAT_SIMULATOR_SUMS,
//   - exact: C and all products are added exactly, and rounded once;
//   - cut: all are cut to as many bits below the largest of them as are the
//     fewest that somebody has seen a chip keep, and the sum is cut to f32.
//
//===----------------------------------------------------------------------===//

#include "MatrixProducts.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace simulator;

namespace {

constexpr int kLanes = 32;

struct Place {
  int row, column;
};

/// One of m, n, k.
struct Shape {
  int m, n, k, bits;
  bool operator==(const Shape &other) const {
    return m == other.m && n == other.n && k == other.k && bits == other.bits;
  }
};

struct Layout {
  Shape shape;
  int elementsOfA, elementsOfB, elementsOfC;
  Place (*a)(int group, int inGroup, int i);
  /// The row is along the sum.
  Place (*b)(int group, int inGroup, int i);
  Place (*c)(int group, int inGroup, int i);
};

Place placeOfWideC(int group, int inGroup, int i) {
  return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
}

const Layout kLayouts[] = {
    // "Matrix Fragments for mma.m8n8k16", .s8 and .u8.
    {{8, 8, 16, 8},
     4,
     4,
     2,
     [](int group, int inGroup, int i) -> Place {
       return {group, inGroup * 4 + i};
     },
     [](int group, int inGroup, int i) -> Place {
       return {inGroup * 4 + i, group};
     },
     [](int group, int inGroup, int i) -> Place {
       return {group, inGroup * 2 + i};
     }},
    // "Matrix Fragments for mma.m16n8k8", .f16 and .bf16.
    {{16, 8, 8, 16},
     4,
     2,
     4,
     [](int group, int inGroup, int i) -> Place {
       return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
     },
     [](int group, int inGroup, int i) -> Place {
       return {inGroup * 2 + i, group};
     },
     placeOfWideC},
    // "Matrix Fragments for mma.m16n8k16 with floating point type".
    {{16, 8, 16, 16},
     8,
     4,
     4,
     [](int group, int inGroup, int i) -> Place {
       bool isUpper = (0 <= i && i < 2) || (4 <= i && i < 6);
       int column = inGroup * 2 + (i & 1);
       return {isUpper ? group : group + 8, i < 4 ? column : column + 8};
     },
     [](int group, int inGroup, int i) -> Place {
       int row = inGroup * 2 + (i & 1);
       return {i < 2 ? row : row + 8, group};
     },
     placeOfWideC},
    // "Matrix Fragments for mma.m16n8k32", of 8 bits.
    {{16, 8, 32, 8},
     16,
     8,
     4,
     [](int group, int inGroup, int i) -> Place {
       bool isUpper = (0 <= i && i < 4) || (8 <= i && i < 12);
       int column = inGroup * 4 + (i & 3);
       return {isUpper ? group : group + 8, i < 8 ? column : column + 16};
     },
     [](int group, int inGroup, int i) -> Place {
       int row = inGroup * 4 + (i & 3);
       return {i < 4 ? row : row + 16, group};
     },
     placeOfWideC},
};

/// The types of an instruction, and the bits that sums of floats keep at least.
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

/// A float of so many bits of exponent and fraction.
double decodeFloat(uint32_t code, int exponentBits, int fractionBits,
                   bool hasInf) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = code >> fractionBits & ((1 << exponentBits) - 1);
  int fraction = code & ((1 << fractionBits) - 1);
  double sign = code >> (exponentBits + fractionBits) & 1 ? -1 : 1;
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

double simulator::decode(uint32_t code, const std::string &type) {
  if (type == "s8")
    return int8_t(code);
  if (type == "u8")
    return uint8_t(code);
  if (type == "f16")
    return decodeFloat(code, 5, 10, true);
  if (type == "bf16")
    return decodeFloat(code, 8, 7, true);
  if (type == "e4m3")
    return decodeFloat(code, 4, 3, false);
  return decodeFloat(code, 5, 2, true);
}

namespace {

uint32_t getElement(const uint32_t *registers, int i, int bits) {
  int each = 32 / bits;
  uint32_t all = registers[i / each];
  return all >> (i % each * bits) & ((1u << bits) - 1);
}

/// Toward zero, to a multiple of 2^exponent.
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

/// `ldmatrix.sync.aligned.m8n8.xCOUNT[.trans].b16`: of each matrix eight
/// threads have the addresses of the rows; a thread gets two neighbours of a
/// row, or of a column.
static const char *loadMatrices(MatrixProduct *const (&lanes)[32]) {
  int count = 0, read = 0;
  std::string name = lanes[0]->name;
  if (sscanf(name.c_str(), "ldmatrix.sync.aligned.m8n8.x%d.%n", &count,
             &read) != 1 ||
      !read || (count != 1 && count != 2 && count != 4))
    return "an unknown load of matrices";
  bool isTransposed = name.compare(read, 6, "trans.") == 0;
  if (name.compare(read + 6 * isTransposed, 3, "b16") != 0)
    return "a load of matrices of other bits than 16";
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

/// `shfl.sync.bfly`: each thread gets the value of another one, of which it
/// knows in which bits the number differs.
static const char *exchange(MatrixProduct *const (&lanes)[32]) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::vector<uint32_t> &operands = lanes[lane]->operands;
    if (operands[0] != ~0u || operands[3] != kLanes - 1 ||
        operands[2] >= kLanes)
      return "a shuffle of other threads than those of a warp";
    lanes[lane]->results[0] = lanes[lane ^ operands[2]]->operands[1];
  }
  return nullptr;
}

const char *simulator::multiplyMatrices(MatrixProduct *const (&lanes)[32]) {
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
    return "an unknown product of matrices";
  const Types *types = nullptr;
  for (const Types &row : kTypes)
    if (name.substr(read) == row.suffix)
      types = &row;
  if (!types)
    return "a product of unknown types";
  shape.bits = types->bits;
  const Layout *layout = nullptr;
  for (const Layout &row : kLayouts)
    if (row.shape == shape)
      layout = &row;
  if (!layout)
    return "a product of unknown shape";

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
      return "a product of other registers than its shape has";
    int group = lane >> 2, inGroup = lane % 4;
    for (int i = 0; i < layout->elementsOfA; ++i) {
      Place place = layout->a(group, inGroup, i);
      a[place.row * shape.k + place.column] =
          decode(getElement(operands.data(), i, types->bits), types->a);
    }
    for (int i = 0; i < layout->elementsOfB; ++i) {
      Place place = layout->b(group, inGroup, i);
      b[place.row * shape.n + place.column] = decode(
          getElement(operands.data() + registersOfA, i, types->bits), types->b);
    }
    for (int i = 0; i < layout->elementsOfC; ++i) {
      Place place = layout->c(group, inGroup, i);
      c[place.row * shape.n + place.column] =
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
      Place place = layout->c(lane >> 2, lane % 4, i);
      lanes[lane]->results[i] = c[place.row * shape.n + place.column];
    }
  return nullptr;
}
