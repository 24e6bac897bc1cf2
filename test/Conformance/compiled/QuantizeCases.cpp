//===- QuantizeCases.cpp - Quantization cases -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizeCases.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

static constexpr int64_t kAny = ShapedType::kDynamic;

static const char *const kQuantizedTypes[] = {
    "i8",     "ui8",        "i16",      "ui16",     "i4",
    "ui4",    "i2",         "ui2",      "f8E4M3FN", "f8E4M3FNUZ",
    "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN"};

/// The first layout is used to test types other than f32.
static const Layout kLayouts[] = {
    {"rows",
     {kAny, kAny},
     {0, std::nullopt},
     {{30, 131}, {5, 1}, {2, 64}, {0, 4}}},
    {"tensor", {kAny}, {}, {{200}, {65}, {1}, {0}, {130}, {64}, {33}, {257}}},
    {"one", {kAny, 3}, {}, {{50, 3}}},
    {"scalar", {}, {}, {{}}},
    {"columns", {kAny, kAny}, {-1, std::nullopt}, {{7, 31}, {3, 64}, {2, 150}}},
    {"middle", {3, 5, 37}, {1, std::nullopt}, {{3, 5, 37}}},
    {"channels",
     {kAny, kAny, kAny, kAny},
     {1, std::nullopt},
     {{2, 30, 5, 7}, {1, 3, 1, 1}}},
    {"blocks32", {kAny, kAny}, {1, 32}, {{30, 109}, {2, 64}, {3, 7}, {2, 0}}},
    {"blocks5", {kAny, 7}, {0, 5}, {{33, 7}, {4, 7}, {10, 7}}},
    {"blocks3", {kAny, kAny}, {-1, 3}, {{9, 20}}},
    {"blocks64", {4, 128}, {-1, 64}, {{4, 128}}},
    {"line32", {kAny}, {0, 32}, {{1000}, {96}, {5}}},
    {"deep", {2, kAny, 40}, {1, 16}, {{2, 35, 40}}},
    {"empty", {0, 3}, {1, std::nullopt}, {{0, 3}}},
};

static const char *spell(QuantizeKind kind) {
  switch (kind) {
  case QuantizeKind::Quantize:
    return "quantize";
  case QuantizeKind::Dequantize:
    return "dequantize";
  case QuantizeKind::Qdq:
    return "qdq";
  }
  return "";
}

Type QuantizeCase::getInputType() const {
  return kind == QuantizeKind::Dequantize ? quantized : expressed;
}

Type QuantizeCase::getResultType() const {
  return kind == QuantizeKind::Quantize ? quantized : expressed;
}

Type QuantizeCase::getPrecision() const {
  if (precision)
    return precision;
  if (scale.isF32() || scale.isF16() || scale.isBF16())
    return scale;
  if (scale.isInteger(32) || expressed.isInteger(32))
    return Float64Type::get(scale.getContext());
  return Float32Type::get(scale.getContext());
}

std::string QuantizeCase::getName() const {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << spell(kind) << "_" << getInputType() << "_by_" << scale << "_to_"
     << (kind == QuantizeKind::Qdq ? quantized : getResultType());
  if (precision)
    os << "_in_" << precision;
  if (hasZeroPoint)
    os << "_zp";
  if (!saturate)
    os << "_saturate0";
  os << "_" << layout->name;
  return name;
}

/// Returns the shape of the scales for an input of this shape.
static SmallVector<int64_t> getScaleShape(const Layout &layout,
                                          ArrayRef<int64_t> shape) {
  const reference::Granularity &granularity = layout.granularity;
  if (!granularity.axis)
    return {};
  int64_t axis = *granularity.axis;
  if (axis < 0)
    axis += shape.size();
  if (!granularity.blockSize)
    return {shape[axis]};
  SmallVector<int64_t> result(shape);
  int64_t size = *granularity.blockSize;
  if (!ShapedType::isDynamic(result[axis]))
    result[axis] = (result[axis] + size - 1) / size;
  return result;
}

std::string QuantizeCase::print() const {
  SmallVector<int64_t> scaleShape = getScaleShape(*layout, layout->shape);
  // A tensor with one element is equivalent to rank 0.
  if (StringRef(layout->name) == "one")
    scaleShape = {1};
  auto input = RankedTensorType::get(layout->shape, getInputType());
  auto scales = RankedTensorType::get(scaleShape, scale);
  auto zeroPoints = RankedTensorType::get(scaleShape, quantized);
  auto result = RankedTensorType::get(layout->shape, getResultType());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @" << getName() << "(%x: " << input << ", %s: " << scales;
  if (hasZeroPoint)
    os << ", %z: " << zeroPoints;
  os << ") -> " << result << " {\n  %0 = quant_float." << spell(kind)
     << " %x, %s" << (hasZeroPoint ? ", %z" : "");
  if (layout->granularity.axis)
    os << " axis " << *layout->granularity.axis;
  if (layout->granularity.blockSize)
    os << " block_size " << *layout->granularity.blockSize;
  if (kind == QuantizeKind::Qdq)
    os << " storage " << quantized;
  os << " opset 28";
  if (!saturate)
    os << " saturate false";
  if (precision)
    os << " precision " << precision;
  os << " : " << input << ", " << scales;
  if (hasZeroPoint)
    os << ", " << zeroPoints;
  os << " to " << result << "\n  return %0 : " << result << "\n}\n";
  return text;
}

std::vector<QuantizeCase> test::makeQuantizeCases(MLIRContext &context) {
  auto parse = [&](const char *name) { return parseType(name, &context); };
  Type f32 = parse("f32");
  std::vector<QuantizeCase> cases;
  llvm::StringSet<> names;
  auto add = [&](QuantizeCase one) {
    bool isFloat8 = isa<FloatType>(one.quantized) &&
                    one.quantized.getIntOrFloatBitWidth() == 8;
    for (bool hasZeroPoint : {false, true}) {
      one.hasZeroPoint = hasZeroPoint;
      one.saturate = true;
      // Test `saturate` instead, because float8 zero points have no effect.
      if (isFloat8 && hasZeroPoint && one.kind != QuantizeKind::Dequantize) {
        one.saturate = false;
        one.hasZeroPoint = false;
      }
      // The last table contains some cases of the first one.
      if (names.insert(one.getName()).second)
        cases.push_back(one);
    }
  };
  for (const char *name : kQuantizedTypes)
    for (const Layout &layout : kLayouts)
      for (QuantizeKind kind : {QuantizeKind::Quantize,
                                QuantizeKind::Dequantize, QuantizeKind::Qdq})
        add({kind, f32, f32, parse(name), {}, false, true, &layout});

  // Only test a subset of the thousands of combinations.
  unsigned number = 0;
  static const char *const expressedTypes[] = {"f32", "f16", "bf16", "i32"};
  static const char *const scaleTypes[] = {"f32", "f16", "bf16", "f8E8M0FNU",
                                           "i32"};
  static const char *const precisions[] = {"", "f32", "f16", "bf16", "f64"};
  for (const char *expressed : expressedTypes)
    for (const char *scale : scaleTypes)
      for (const char *quantized : kQuantizedTypes) {
        for (const char *precision : precisions)
          if (number++ % 4 == 0)
            add({QuantizeKind::Quantize, parse(expressed), parse(scale),
                 parse(quantized), *precision ? parse(precision) : Type(),
                 false, true, &kLayouts[0]});
        if (StringRef(expressed) == "i32" || StringRef(scale) == "i32")
          continue;
        add({QuantizeKind::Dequantize,
             parse(expressed),
             parse(scale),
             parse(quantized),
             {},
             false,
             true,
             &kLayouts[0]});
      }
  for (const char *expressed : {"f32", "f16", "bf16"})
    add({QuantizeKind::Dequantize,
         parse(expressed),
         f32,
         parse("i32"),
         {},
         false,
         true,
         &kLayouts[0]});
  return cases;
}
