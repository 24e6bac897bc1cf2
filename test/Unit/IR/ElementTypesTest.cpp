//===- ElementTypesTest.cpp - The table of element types as MLIR's --------===//
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
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

TEST(ElementTypesTest, everyRowIsATypeOfMlir) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<QuantFloatDialect>();
  for (const ElementInfo &element : kElements) {
    Type type = getTypeFromOnnxDataType(&context, element.number);
    ASSERT_TRUE(type) << element.onnx;
    std::string name;
    llvm::raw_string_ostream(name) << type;
    EXPECT_EQ(name, element.mlir);
    EXPECT_EQ(getOnnxDataType(type), element.number);
    EXPECT_EQ(getOnnxTypeName(type), element.onnx);
    EXPECT_EQ(type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0,
              element.bits);
    EXPECT_EQ(isa<FloatType>(type),
              element.elementClass == ElementClass::Float);
    EXPECT_EQ(type.isUnsignedInteger(),
              element.elementClass == ElementClass::Unsigned);
    if (element.bits)
      EXPECT_EQ(getStorageElementType(type).getIntOrFloatBitWidth(),
                8 * element.getSlotBytes());
  }
  EXPECT_FALSE(findElement(0) || findElement(14) || findElement(29));
}

TEST(ElementTypesTest, areThereWithoutTheDialect) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  EXPECT_EQ(getOnnxDataType(Float32Type::get(&context)), 1);
  EXPECT_EQ(getOnnxDataType(IndexType::get(&context)), std::nullopt);
}
