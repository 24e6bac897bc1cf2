//===- CastCases.cpp - Cast cases -----------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastCases.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using namespace mlir::quant_float::test;

static const char *const kElementTypes[] = {
    "f32",        "f16",      "bf16",       "f64",       "f8E4M3FN",
    "f8E4M3FNUZ", "f8E5M2",   "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN",
    "f6E2M3FN",   "f6E3M2FN", "i8",         "i16",       "i32",
    "i64",        "ui8",      "ui16",       "ui32",      "ui64",
    "i4",         "ui4",      "i2",         "ui2",       "i1"};

static StringRef spell(ScaleRounding mode) {
  switch (mode) {
  case ScaleRounding::Up:
    return "up";
  case ScaleRounding::Down:
    return "down";
  case ScaleRounding::Nearest:
    return "nearest";
  }
  return "";
}

size_t test::getSlotSize(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

std::string CastCase::getName() const {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << from << "_to_" << to;
  if (saturate)
    os << "_saturate" << *saturate;
  if (roundMode)
    os << "_" << spell(*roundMode);
  if (opset != 28)
    os << "_opset" << opset;
  if (shape != ArrayRef<int64_t>{ShapedType::kDynamic}) {
    os << "_shape";
    for (int64_t size : shape)
      if (ShapedType::isDynamic(size))
        os << "_any";
      else
        os << "_" << size;
  }
  return name;
}

CastOptions CastCase::getReferenceOptions() const {
  CastOptions options;
  options.opset = opset;
  options.saturate = saturate.value_or(true);
  options.scaleRounding = roundMode.value_or(ScaleRounding::Up);
  return options;
}

std::string CastCase::print() const {
  auto input = RankedTensorType::get(shape, from);
  auto result = RankedTensorType::get(shape, to);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @" << getName() << "(%x: " << input << ") -> " << result
     << " {\n  %0 = quant_float.cast %x opset " << opset;
  if (saturate)
    os << " saturate " << (*saturate ? "true" : "false");
  if (roundMode)
    os << " round_mode " << spell(*roundMode);
  os << " : " << input << " to " << result << "\n  return %0 : " << result
     << "\n}\n";
  return text;
}

static bool isScale(Type type) { return isa<Float8E8M0FNUType>(type); }
static bool isFNUZ(Type type) {
  return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}
static bool isFloat8(Type type) {
  return isFNUZ(type) || isa<Float8E4M3FNType, Float8E5M2Type>(type);
}
/// Returns whether Cast accepted the type at opset 23, the last one with C4's
/// exception.
static bool isInOpset23(Type type) {
  return !isScale(type) && !type.isInteger(2) &&
         !isa<Float6E2M3FNType, Float6E3M2FNType>(type);
}

static void addVariants(Type from, Type to, std::vector<CastCase> &cases) {
  CastCase plain;
  plain.from = from;
  plain.to = to;
  bool hasSaturate = from != to && (isFloat8(to) || isScale(to));
  if (!hasSaturate)
    return cases.push_back(plain);
  for (bool saturate : {true, false}) {
    CastCase variant = plain;
    variant.saturate = saturate;
    if (!isScale(to)) {
      cases.push_back(variant);
      continue;
    }
    for (ScaleRounding mode :
         {ScaleRounding::Up, ScaleRounding::Down, ScaleRounding::Nearest}) {
      variant.roundMode = mode;
      cases.push_back(variant);
    }
  }
  if (isFNUZ(to) && isInOpset23(from)) {
    CastCase variant = plain;
    variant.saturate = true;
    variant.opset = 23;
    cases.push_back(variant);
  }
}

static std::vector<Type> getElementTypes(MLIRContext &context) {
  std::vector<Type> types;
  for (const char *name : kElementTypes)
    types.push_back(parseType(name, &context));
  return types;
}

std::vector<CastCase> test::makeAllPairs(MLIRContext &context) {
  std::vector<CastCase> cases;
  std::vector<Type> types = getElementTypes(context);
  for (Type from : types)
    for (Type to : types)
      addVariants(from, to, cases);
  return cases;
}

std::vector<CastCase> test::makeShapes(MLIRContext &context) {
  constexpr int64_t any = ShapedType::kDynamic;
  static const SmallVector<int64_t> shapes[] = {
      {},          {0},       {1},    {13},     {32},
      {64},        {65},      {130},  {5, 13},  {any, any},
      {3, any, 7}, {any, 64}, {2, 0}, {1, any}, {any, 1}};
  std::vector<CastCase> cases;
  std::vector<Type> types = getElementTypes(context);
  for (auto [index, shape] : llvm::enumerate(shapes))
    for (unsigned step : {1, 4, 9}) {
      CastCase one;
      one.from = types[(index * 2) % types.size()];
      one.to = types[(index * 2 + step) % types.size()];
      one.shape = shape;
      cases.push_back(one);
    }
  return cases;
}

OwningOpRef<ModuleOp> test::makeModule(ArrayRef<CastCase> cases,
                                       MLIRContext &context) {
  std::string text;
  for (const CastCase &one : cases)
    text += one.print();
  return parseSourceString<ModuleOp>(text, &context);
}
