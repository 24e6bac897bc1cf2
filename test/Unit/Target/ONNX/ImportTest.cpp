//===- ImportTest.cpp - The importer's API --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Target/ONNX/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fstream>
#include <onnx/onnx_pb.h>

using namespace mlir;
using namespace mlir::quant_float;

namespace {

constexpr int32_t kFloat8E4M3FN = 17;
constexpr int64_t kElements = 1000;

/// A folder that goes away with the test, and the text of all diagnostics.
class ImportTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("import-test", folder));
  }
  void TearDown() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
  }

  std::string getPath(StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  void write(StringRef name, const std::string &bytes) {
    std::ofstream(getPath(name), std::ios::binary) << bytes;
  }

  MLIRContext context;
  std::string diagnostics;
  ScopedDiagnosticHandler handler{&context, [&](Diagnostic &diagnostic) {
                                    diagnostics += diagnostic.str() + "\n";
                                    return success();
                                  }};
  SmallString<128> folder;
};

/// A Cast of the initializer "w", which is kElements floats, to float8.
::onnx::ModelProto makeModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(9);
  model.add_opset_import()->set_version(19);
  ::onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("g");
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("Cast");
  node.add_input("w");
  node.add_output("y");
  ::onnx::AttributeProto &to = *node.add_attribute();
  to.set_name("to");
  to.set_type(::onnx::AttributeProto::INT);
  to.set_i(kFloat8E4M3FN);
  graph.add_output()->set_name("y");
  ::onnx::TensorProto &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(::onnx::TensorProto::FLOAT);
  weight.add_dims(kElements);
  return model;
}

CastOp findCast(ModuleOp module) {
  CastOp found;
  module.walk([&](CastOp cast) { found = cast; });
  return found;
}

ArrayRef<char> getBytes(CastOp cast) {
  DenseResourceElementsAttr value;
  if (!cast || !matchPattern(cast.getInput(), m_Constant(&value)))
    return {};
  return value.getRawHandle().getBlob()->getData();
}

TEST_F(ImportTest, missing_file) {
  EXPECT_FALSE(importOnnx(getPath("none.onnx"), &context));
  EXPECT_EQ(diagnostics, "cannot open the file: No such file or directory\n");
}

TEST_F(ImportTest, folder_instead_of_a_file) {
  EXPECT_FALSE(importOnnx(folder, &context));
  EXPECT_EQ(diagnostics, "cannot open the file: Is a directory\n");
}

TEST_F(ImportTest, constants_do_not_refer_to_the_bytes) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->mutable_initializer(0)->set_raw_data(
      std::string(4 * kElements, 'q'));
  std::string bytes = model.SerializeAsString();
  OwningOpRef<ModuleOp> module = importOnnxBytes(bytes, "m", "", &context);
  bytes.assign(bytes.size(), 0);
  ASSERT_TRUE(module) << diagnostics;
  ArrayRef<char> data = getBytes(findCast(*module));
  EXPECT_EQ(StringRef(data.data(), data.size()),
            std::string(4 * kElements, 'q'));
}

TEST_F(ImportTest, external_data_outlives_the_import) {
  ::onnx::ModelProto model = makeModel();
  auto &weight = *model.mutable_graph()->mutable_initializer(0);
  weight.set_data_location(::onnx::TensorProto::EXTERNAL);
  ::onnx::StringStringEntryProto &location = *weight.add_external_data();
  location.set_key("location");
  location.set_value("w.bin");
  write("w.bin", std::string(4 * kElements, 'e'));
  write("m.onnx", model.SerializeAsString());
  OwningOpRef<ModuleOp> module = importOnnx(getPath("m.onnx"), &context);
  ASSERT_TRUE(module) << diagnostics;
  EXPECT_EQ(getBytes(findCast(*module)).size(), size_t(4 * kElements));
  EXPECT_EQ(getBytes(findCast(*module)).front(), 'e');

  // Bytes without a folder have no files beside them.
  EXPECT_FALSE(importOnnxBytes(model.SerializeAsString(), "m", "", &context));
  EXPECT_EQ(diagnostics,
            "initializer 'w': external data: a model that is not a file has no "
            "folder to look in\n");
}

TEST_F(ImportTest, another_opset) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->mutable_initializer(0)->set_raw_data(
      std::string(4 * kElements, 0));
  std::string bytes = model.SerializeAsString();
  OnnxImportOptions options;
  options.opset = 28;
  OwningOpRef<ModuleOp> newer =
      importOnnxBytes(bytes, "m", "", &context, options);
  ASSERT_TRUE(newer) << diagnostics;
  EXPECT_EQ(int64_t(findCast(*newer).getOpset()), 28);

  options.opset = 13;
  EXPECT_FALSE(importOnnxBytes(bytes, "m", "", &context, options));
  EXPECT_NE(diagnostics.find("node of 'y' (Cast): "), std::string::npos);
}

TEST_F(ImportTest, invalid_module_on_request) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->mutable_initializer(0)->set_raw_data(
      std::string(4 * kElements, 0));
  model.mutable_opset_import(0)->set_version(13);
  OnnxImportOptions options;
  options.verify = false;
  OwningOpRef<ModuleOp> module =
      importOnnxBytes(model.SerializeAsString(), "m", "", &context, options);
  ASSERT_TRUE(module) << diagnostics;
  EXPECT_EQ(int64_t(findCast(*module).getOpset()), 13);
  EXPECT_EQ(diagnostics, "");
}

} // namespace
