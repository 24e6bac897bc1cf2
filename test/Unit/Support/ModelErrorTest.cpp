//===- ModelErrorTest.cpp - Conversion of errors to ModelError ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/ModelError.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {

struct Told {
  ErrorKind kind;
  std::string file, message;
};

Told tell(llvm::Error error) {
  Told told{};
  llvm::handleAllErrors(std::move(error), [&](const ModelError &error) {
    told = {error.kind, error.file, error.message};
  });
  return told;
}

TEST(ModelErrorTest, OtherErrorsGetTheKind) {
  Told told =
      tell(makeError(ErrorKind::Size, llvm::createStringError("too large")));
  EXPECT_EQ(told.kind, ErrorKind::Size);
  EXPECT_EQ(told.message, "too large");
}

TEST(ModelErrorTest, ErrorsOfModelsKeepTheirs) {
  Told told =
      tell(makeError(ErrorKind::Size, makeFileError("a.onnx", "is not there")));
  EXPECT_EQ(told.kind, ErrorKind::File);
  EXPECT_EQ(told.file, "a.onnx");
  EXPECT_EQ(told.message, "is not there");
}

TEST(ModelErrorTest, ListsKeepThatOfTheModel) {
  auto makeList = [] {
    return llvm::joinErrors(
        llvm::createStringError("first"),
        llvm::joinErrors(makeFileError("b.bin", "second"),
                         makeError(ErrorKind::Memory, "third")));
  };
  Told told = tell(makeError(ErrorKind::Size, makeList()));
  EXPECT_EQ(told.kind, ErrorKind::File);
  EXPECT_EQ(told.file, "b.bin");
  EXPECT_EQ(told.message, "first\nsecond\nthird");
}

} // namespace
