//===- NodeKindTest.cpp - Lookup of operators -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/NodeKind.h"
#include "gtest/gtest.h"

using namespace mlir::quant_float;

namespace {

TEST(NodeKindTest, EveryOperatorHasOneKind) {
#define QUANT_FLOAT_NODE_KIND(Kind, Domain, OpType)                            \
  EXPECT_EQ(findNodeKind(Domain, OpType), NodeKind::Kind);                     \
  EXPECT_EQ(getNodeKindName(NodeKind::Kind), OpType);
#include "quant-float/Support/NodeKinds.def"
}

TEST(NodeKindTest, DomainsAreSeparate) {
  EXPECT_EQ(findNodeKind("", "Convert"), std::nullopt);
  EXPECT_EQ(findNodeKind("com.microsoft", "Conv"), std::nullopt);
  EXPECT_EQ(findNodeKind("com.example", "Conv"), std::nullopt);
}

TEST(NodeKindTest, NamesAreCaseSensitive) {
  EXPECT_EQ(findNodeKind("openvino", "ReLU"), std::nullopt);
}

} // namespace
