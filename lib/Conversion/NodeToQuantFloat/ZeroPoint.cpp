//===- ZeroPoint.cpp - Constant zero points and scales --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the bytes of a constant with byte-sized elements (one element for a
/// splat). Returns none if the value is not a constant or its data is not
/// available.
static std::optional<ArrayRef<char>> getBytes(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseTypedElementsAttr>(constant))
    return elements.getRawData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return std::nullopt;
}

std::optional<std::string> quant_float::findZeroPointError(Value zeroPoint) {
  Type type = getElementTypeOrSelf(zeroPoint);
  if (!isFloat8(type))
    return std::nullopt;
  std::optional<ArrayRef<char>> bytes = getBytes(zeroPoint);
  if (!bytes)
    return std::nullopt;
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  // A zero may have several encodings.
  const char *found = llvm::find_if(*bytes, [&](char byte) {
    return !APFloat(format, APInt(8, static_cast<uint8_t>(byte))).isZero();
  });
  if (found == bytes->end())
    return std::nullopt;
  std::string description;
  llvm::raw_string_ostream(description)
      << "a constant zero point of '" << type << "' must be 0, but element "
      << found - bytes->begin() << " is 0x"
      << llvm::utohexstr(static_cast<uint8_t>(*found), /*LowerCase=*/false,
                         /*Width=*/2);
  return description;
}

std::optional<std::string> quant_float::findZeroPointWarning(Value zeroPoint) {
  if (!getElementTypeOrSelf(zeroPoint).isSignlessInteger(32))
    return std::nullopt;
  constexpr StringRef kExpected = "expected an int32 zero point of 0, ";
  std::optional<ArrayRef<char>> bytes = getBytes(zeroPoint);
  if (!bytes)
    return (kExpected + "but got a value that is not a constant").str();
  for (size_t at = 0; at + sizeof(int32_t) <= bytes->size();
       at += sizeof(int32_t)) {
    // The data is in the byte order of the host.
    int32_t value = llvm::support::endian::read<int32_t>(
        bytes->data() + at, llvm::endianness::native);
    if (value != 0)
      return (kExpected + "but element " + Twine(at / sizeof(int32_t)) +
              " is " + Twine(value))
          .str();
  }
  return std::nullopt;
}

std::optional<std::string> quant_float::findScaleWarning(Value scale) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(scale));
  std::optional<ArrayRef<char>> bytes = type ? getBytes(scale) : std::nullopt;
  size_t size = type ? type.getWidth() / CHAR_BIT : 0;
  if (!bytes || size == 0)
    return std::nullopt;
  for (size_t at = 0; at + size <= bytes->size(); at += size) {
    APInt bits(type.getWidth(), 0);
    llvm::LoadIntFromMemory(
        bits, reinterpret_cast<const uint8_t *>(bytes->data() + at), size);
    APFloat value(type.getFloatSemantics(), bits);
    StringRef what = value.isNaN()        ? "NaN"
                     : value.isZero()     ? "0"
                     : value.isInfinity() ? "infinite"
                     : value.isNegative() ? "negative"
                     : value.isDenormal() ? "subnormal"
                                          : "";
    if (what.empty())
      continue;
    SmallString<16> digits;
    value.toString(digits);
    std::string description =
        ("expected a positive normal number as a scale, but element " +
         Twine(at / size) + " is " + what)
            .str();
    if (what != "NaN" && what != "0")
      description += (" (" + digits + ")").str();
    return description;
  }
  return std::nullopt;
}
