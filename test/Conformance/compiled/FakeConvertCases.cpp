//===- FakeConvertCases.cpp - fakeconvert cases ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeConvertCases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;
using reference::FakeConvertMode;
using reference::FakeConvertOptions;
using reference::FakeConvertReciprocal;

static constexpr int64_t kAny = ShapedType::kDynamic;

/// The first layout has space for all encodings of 16 bits.
static const BroadcastLayout kLayouts[] = {
    {"tensor",
     {kAny},
     {},
     {{{65536}, {}},
      {{4099}, {}},
      {{4096}, {}},
      {{65}, {}},
      {{1}, {}},
      {{0}, {}},
      {{130}, {}},
      {{257}, {}}}},
    {"one", {kAny, 3}, {1}, {{{50, 3}, {1}}}},
    {"scalar", {}, {}, {{{}, {}}}},
    {"rows",
     {kAny, kAny},
     {kAny, 1},
     {{{30, 131}, {30, 1}}, {{5, 1}, {5, 1}}, {{0, 4}, {0, 1}}}},
    {"columns",
     {kAny, kAny},
     {kAny},
     {{{7, 31}, {31}}, {{3, 64}, {64}}, {{20, 150}, {150}}}},
    {"channels",
     {kAny, 30, kAny, kAny},
     {1, 30, 1, 1},
     {{{2, 30, 5, 7}, {1, 30, 1, 1}}, {{1, 30, 1, 1}, {1, 30, 1, 1}}}},
    {"middle", {3, 5, 37}, {5, 1}, {{{3, 5, 37}, {5, 1}}}},
    {"known", {kAny, kAny}, {1, 40}, {{{9, 40}, {1, 40}}}},
    {"full", {kAny, kAny}, {kAny, kAny}, {{{31, 67}, {31, 67}}}},
    {"empty", {0, 3}, {3}, {{{0, 3}, {3}}}},
};

static const char *spell(FakeConvertMode mode) {
  switch (mode) {
  case FakeConvertMode::Exact:
    return "exact";
  case FakeConvertMode::OpenVINO:
    return "openvino";
  case FakeConvertMode::OpenVINOReference:
    return "openvino_reference";
  }
  return "";
}

static const char *spell(FakeConvertReciprocal reciprocal) {
  switch (reciprocal) {
  case FakeConvertReciprocal::Single:
    return "single";
  case FakeConvertReciprocal::Nearest:
    return "nearest";
  case FakeConvertReciprocal::OpenVINO:
    return "openvino";
  }
  return "";
}

std::string FakeConvertCase::getName() const {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << "fakeconvert_" << type << "_to_" << destination << "_"
     << spell(options.mode);
  if (options.reciprocal != FakeConvertReciprocal::Single)
    os << "_" << spell(options.reciprocal);
  if (options.positiveZero)
    os << "_positive";
  if (options.neutralShift)
    os << "_neutral";
  if (hasShift)
    os << "_shift";
  os << "_" << layout->name;
  return name;
}

std::string FakeConvertCase::print() const {
  auto input = RankedTensorType::get(layout->shape, type);
  auto scale = RankedTensorType::get(layout->scaleShape, type);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @" << getName() << "(%x: " << input << ", %s: " << scale;
  if (hasShift)
    os << ", %t: " << scale;
  os << ") -> " << input << " {\n  %0 = quant_float.fakeconvert %x, %s"
     << (hasShift ? ", %t" : "") << " to " << destination << " mode "
     << spell(options.mode);
  if (options.reciprocal != FakeConvertReciprocal::Single)
    os << " reciprocal " << spell(options.reciprocal);
  if (options.positiveZero)
    os << " positive_zero";
  if (options.neutralShift)
    os << " neutral_shift";
  os << " opset 13 : " << input << ", " << scale;
  if (hasShift)
    os << ", " << scale;
  os << " to " << input << "\n  return %0 : " << input << "\n}\n";
  return text;
}

/// Returns the modes, and the variants of OpenVINO's attributes.
static std::vector<FakeConvertOptions> makeOptions(Type type, bool hasShift) {
  FakeConvertOptions plugin;
  plugin.mode = FakeConvertMode::OpenVINO;
  std::vector<FakeConvertOptions> all(4, plugin);
  all[0].mode = FakeConvertMode::Exact;
  all[1].mode = FakeConvertMode::OpenVINOReference;
  all[3].positiveZero = true;
  if (!type.isF32())
    all[3].reciprocal = type.isBF16() ? FakeConvertReciprocal::OpenVINO
                                      : FakeConvertReciprocal::Nearest;
  if (hasShift) {
    all.push_back(plugin);
    all.back().neutralShift = true;
  }
  return all;
}

std::vector<FakeConvertCase> test::makeFakeConvertCases(MLIRContext &context) {
  std::vector<FakeConvertCase> cases;
  for (Type type :
       {Type(Float32Type::get(&context)), Type(Float16Type::get(&context)),
        Type(BFloat16Type::get(&context))})
    for (Type destination : {Type(Float8E4M3FNType::get(&context)),
                             Type(Float8E5M2Type::get(&context))})
      for (bool hasShift : {false, true})
        for (const FakeConvertOptions &options : makeOptions(type, hasShift))
          for (const BroadcastLayout &layout : kLayouts)
            cases.push_back({type, destination, options, hasShift, &layout});
  return cases;
}
