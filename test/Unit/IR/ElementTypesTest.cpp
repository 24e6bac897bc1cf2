//===- ElementTypesTest.cpp - Table of element types ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

TEST(ElementTypesTest, everyRowIsATypeOfMlir) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<QuantFloatDialect>();
  for (const ElementInfo &element : kElements) {
    Type type = getTypeFromDataType(&context, element.number);
    ASSERT_TRUE(type) << element.onnx;
    bool isOnnx = element.number < kFirstOwnNumber;
    EXPECT_EQ(getTypeFromOnnxDataType(&context, element.number),
              isOnnx ? type : Type());
    EXPECT_EQ(getOnnxDataType(type),
              isOnnx ? std::optional(element.number) : std::nullopt);
    std::string name;
    llvm::raw_string_ostream(name) << type;
    EXPECT_EQ(name, element.mlir);
    EXPECT_EQ(getDataType(type), element.number);
    EXPECT_EQ(getOnnxTypeName(type), element.onnx);
    EXPECT_EQ(isNumber(type) ? getNumberWidth(type) : 0, element.bits);
    EXPECT_EQ(isFloat(type), element.elementClass == ElementClass::Float);
    EXPECT_EQ(type.isUnsignedInteger(),
              element.elementClass == ElementClass::Unsigned);
    if (element.bits)
      EXPECT_EQ(getStorageElementType(type).getIntOrFloatBitWidth(),
                8 * element.getSlotBytes());
  }
  EXPECT_FALSE(findElement(0) || findElement(14) || findElement(29) ||
               findElement(63) || findElement(68));
}

TEST(ElementTypesTest, areThereWithoutTheDialect) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  EXPECT_EQ(getOnnxDataType(Float32Type::get(&context)), 1);
  EXPECT_EQ(getOnnxDataType(IndexType::get(&context)), std::nullopt);
  EXPECT_EQ(getTypeFromDataType(&context, 64), Float8E3M4Type::get(&context));
  EXPECT_FALSE(getTypeFromDataType(&context, 67));
  EXPECT_FALSE(getTypeFromDataType(&context, 8));
}

TEST(ElementTypesTest, builtinTypesOfNewerVersions) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<QuantFloatDialect>();
  Type type = getTypeFromDataType(&context, 67);
  Type builtin = getBuiltinFloatType(type);
  EXPECT_EQ(static_cast<bool>(builtin), LLVM_VERSION_MAJOR >= 24);
  if (builtin)
    EXPECT_EQ(getDialectFloatType(builtin), type);
  EXPECT_FALSE(getBuiltinFloatType(Float8E4M3Type::get(&context)));
  EXPECT_FALSE(getDialectFloatType(Float8E4M3Type::get(&context)));
}
