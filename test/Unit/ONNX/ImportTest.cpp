//===- ImportTest.cpp - The importer's API --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ONNX/Import/Import.h"
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

constexpr int32_t kFloat8E4M3FN = 17;
constexpr int64_t kElements = 1000;

namespace {
/// Provides a temporary folder and collects all diagnostics.
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
} // namespace

/// Creates a model with a Cast of the initializer "w", kElements floats, to
/// float8.
static ::onnx::ModelProto makeModel() {
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

static CastOp findCast(ModuleOp module) {
  CastOp found;
  module.walk([&](CastOp cast) { found = cast; });
  return found;
}

static ArrayRef<char> getBytes(CastOp cast) {
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
  EXPECT_EQ(diagnostics, "cannot open the file: it is not a regular file\n");
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

  // A model that is imported from bytes without a folder has no sidecar files.
  EXPECT_FALSE(importOnnxBytes(model.SerializeAsString(), "m", "", &context));
  EXPECT_EQ(diagnostics, "initializer 'w': external data: a model that is not "
                         "a file has no folder of external data\n");
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

// Large weights stay in the mapped file, whatever their alignment and even if
// packed elements must be unpacked. The module is the same as without mapping.
TEST_F(ImportTest, large_payloads_are_mapped) {
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  graph.mutable_initializer()->Clear();
  constexpr int64_t kBytes = 100000;
  std::string bytes(kBytes, 0);
  for (auto [index, byte] : llvm::enumerate(bytes))
    byte = char(index * 31);
  const std::pair<int32_t, int64_t> types[] = {
      {::onnx::TensorProto::FLOAT, kBytes / 4},
      {::onnx::TensorProto::UINT8, kBytes},
      {::onnx::TensorProto::BOOL, kBytes},
      {22, kBytes * 2},     // int4
      {27, kBytes / 3 * 4}, // float6e2m3, one byte too many
  };
  for (auto [type, count] : ArrayRef(types).drop_back())
    // The longer name shifts the following data by one byte.
    for (StringRef suffix : {"", "longer"}) {
      ::onnx::TensorProto &weight = *graph.add_initializer();
      weight.set_name((graph.initializer_size() == 1
                           ? Twine("w")
                           : "w" + Twine(type) + suffix)
                          .str());
      weight.set_data_type(type);
      weight.add_dims(count);
      weight.set_raw_data(bytes);
    }
  write("m.onnx", model.SerializeAsString());
  OwningOpRef<ModuleOp> mapped = importOnnx(getPath("m.onnx"), &context);
  ASSERT_TRUE(mapped) << diagnostics;
  MLIRContext other;
  OwningOpRef<ModuleOp> copied =
      importOnnxBytes(model.SerializeAsString(), "m", "", &other);
  ASSERT_TRUE(copied);
  EXPECT_TRUE(print(*mapped) == print(*copied));

  ::onnx::TensorProto &last = *graph.add_initializer();
  last.set_name("last");
  last.set_data_type(std::end(types)[-1].first);
  last.add_dims(std::end(types)[-1].second);
  last.set_raw_data(bytes);
  write("m.onnx", model.SerializeAsString());
  EXPECT_FALSE(importOnnx(getPath("m.onnx"), &context));
  EXPECT_EQ(diagnostics, "initializer 'last': expected 99999 bytes for "
                         "tensor<133332xf6E2M3FN>, but got 100000\n");
  last.add_float_data(1);
  write("m.onnx", model.SerializeAsString());
  diagnostics.clear();
  EXPECT_FALSE(importOnnx(getPath("m.onnx"), &context));
  EXPECT_EQ(diagnostics, "initializer 'last': expected one payload, but got "
                         "raw_data and float_data\n");
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
