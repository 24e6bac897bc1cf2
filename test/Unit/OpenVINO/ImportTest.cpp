//===- ImportTest.cpp - The OpenVINO importer's API -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/OpenVINO/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

static std::string getError(StringRef path) {
  MLIRContext context;
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str();
    return success();
  });
  EXPECT_FALSE(importOpenVino(path, &context));
  return diagnostics;
}

TEST(OpenVinoImportTest, no_regular_file) {
  SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("import-test", path));
  EXPECT_EQ(getError((path + "/none.xml").str()),
            "cannot open the file: No such file or directory");
  EXPECT_EQ(getError(path), "cannot open the file: it is not a regular file");
  EXPECT_FALSE(llvm::sys::fs::remove(path));
}

TEST(OpenVinoImportTest, device) {
  EXPECT_EQ(getError("/dev/zero"),
            "cannot open the file: it is not a regular file");
}
