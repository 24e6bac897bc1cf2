//===- NvidiaChip.cpp - NVIDIA chips and PTX versions ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TargetInfo/NvidiaChip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct ChipRow {
  StringLiteral name;
  unsigned ptx;
  /// The lowest PTX version of each NvidiaFeature.
  unsigned features[8];
};
} // namespace

static constexpr ChipRow kChips[] = {
#define QUANT_FLOAT_NVIDIA_CHIP(Name, Ptx, Minimum, Float8, NarrowFloat, Mma,  \
                                WideMma, Float8Mma, AsyncCopies, Wgmma)        \
  {Name,                                                                       \
   Ptx,                                                                        \
   {Minimum, Float8, NarrowFloat, Mma, WideMma, Float8Mma, AsyncCopies,        \
    Wgmma}},
#include "quant-float/TargetInfo/NvidiaChips.def"
};

/// The PTX versions that LLVM supports for these chips. LLVM only warns about
/// others.
static constexpr unsigned kPtxVersions[] = {63, 64, 65, 70, 71, 72, 73, 74,
                                            75, 76, 77, 78, 80, 81, 82, 83,
                                            84, 85, 86, 87, 88, 90};

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static const ChipRow *lookup(StringRef name) {
  return llvm::find_if(kChips,
                       [&](const ChipRow &row) { return row.name == name; });
}

std::string quant_float::getPtxName(unsigned ptx) {
  return (Twine(ptx / 10) + "." + Twine(ptx % 10)).str();
}

llvm::Expected<NvidiaChip> NvidiaChip::get(StringRef chip, StringRef ptx) {
  const ChipRow *row = lookup(chip);
  if (row == std::end(kChips)) {
    SmallVector<StringRef> names;
    for (const ChipRow &known : kChips)
      names.push_back(known.name);
    return makeError("chip must be one of " + llvm::join(names, ", ") +
                     ", but got '" + chip + "'");
  }
  NvidiaChip result;
  result.name = chip;
  result.ptx = std::max(row->ptx, *llvm::max_element(row->features));
  if (ptx.empty())
    return result;

  StringRef digits = ptx;
  digits.consume_front("+");
  digits.consume_front("ptx");
  if (digits.getAsInteger(10, result.ptx) ||
      !llvm::is_contained(kPtxVersions, result.ptx)) {
    SmallVector<std::string> versions;
    for (unsigned known : kPtxVersions)
      versions.push_back(llvm::utostr(known));
    return makeError("ptx must be one of " + llvm::join(versions, ", ") +
                     ", but got '" + ptx + "'");
  }
  if (result.ptx < row->ptx)
    return makeError("chip '" + chip + "' needs PTX " + getPtxName(row->ptx) +
                     " or later, but got " + getPtxName(result.ptx));
  return result;
}

unsigned NvidiaChip::getLeastPtx(NvidiaFeature feature) const {
  const ChipRow *row = lookup(name);
  if (row == std::end(kChips))
    return 0;
  return row->features[size_t(feature)];
}

unsigned NvidiaChip::getLeastPtx() const {
  const ChipRow *row = lookup(name);
  return row == std::end(kChips) ? 0 : row->ptx;
}

bool NvidiaChip::has(NvidiaFeature feature) const {
  unsigned min = getLeastPtx(feature);
  return min != 0 && ptx >= min;
}

std::string NvidiaChip::getMissing(NvidiaFeature feature) const {
  unsigned min = getLeastPtx(feature);
  if (min == 0)
    return "is not available on " + name;
  return ptx >= min
             ? std::string()
             : "needs PTX " + getPtxName(min) + ", but got " + getPtxName(ptx);
}

std::string NvidiaChip::getFeatures() const {
  return ("+ptx" + Twine(ptx)).str();
}
