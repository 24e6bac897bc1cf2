//===- WriteVectors.cpp - Writes the tables of test vectors ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Vectors.h"
#include "quant-float/Support/ElementTypes.h"
#include "quant-float/Support/OutputFile.h"
#include "quant-float/TensorData/TensorBuffer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;
namespace json = llvm::json;

using Kind = Conversion::Kind;

namespace {
/// A rule or a standard: its label, a description, and its source.
struct Source {
  StringLiteral label, text, from;
};
} // namespace

static constexpr Source kStandards[] = {
    {"ONNX Cast",
     "ONNX's operator Cast at opset 28, or at the opset of the table",
     "https://onnx.ai/onnx/operators/onnx__Cast.html"},
    {"ONNX QuantizeLinear", "ONNX's operator QuantizeLinear at opset 28",
     "https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html"},
    {"ONNX DequantizeLinear", "ONNX's operator DequantizeLinear at opset 28",
     "https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html"},
    {"OCP FP8",
     "OCP 8-bit Floating Point Specification (OFP8) 1.0: conversions to E4M3 "
     "and E5M2, saturating and not",
     "https://www.opencompute.org/documents/"
     "ocp-8-bit-floating-point-specification-ofp8-revision-1-0-2023-12-01-pdf-"
     "1"},
    {"OCP MX",
     "OCP Microscaling Formats (MX) 1.0: the element formats, nearest even and "
     "saturating, and the scale E8M0; NaN in formats without NaN is "
     "unspecified",
     "https://www.opencompute.org/documents/"
     "ocp-microscaling-formats-mx-v1-0-spec-final-pdf"},
    {"OpenVINO FakeConvert",
     "OpenVINO's operation FakeConvert-13; mode exact is its formula, openvino "
     "is the CPU plugin, openvino_reference is the reference implementation",
     "https://docs.openvino.ai/2026/documentation/openvino-ir-format/"
     "operation-sets/operation-specs/type/fake-convert-13.html"},
    {"quant-float",
     "rules for the scales of blocks that are exact or those of this project",
     "docs/rules.md"},
    {"torchao",
     "torchao's scaling modes FLOOR, CEIL, EVEN and RCEIL of MX formats, and "
     "its NVFP4 with a scale of the tensor",
     "https://github.com/pytorch/ao"},
    {"TransformerEngine", "TransformerEngine's MXFP8 and NVFP4",
     "https://github.com/NVIDIA/TransformerEngine"},
    {"TOSA", "the block scales of TOSA's cast_to_block_scaled",
     "https://www.mlplatform.org/tosa/"},
    {"DeepGEMM", "DeepGEMM's scales of float8 blocks, and their layouts",
     "https://github.com/deepseek-ai/DeepGEMM"},
    {"ggml", "GGUF's MXFP4 and NVFP4, as ggml quantizes to them",
     "https://github.com/ggml-org/llama.cpp"},
    {"Model-Optimizer", "NVIDIA Model Optimizer's NVFP4",
     "https://github.com/NVIDIA/Model-Optimizer"},
    {"compressed-tensors", "NVFP4 of compressed-tensors",
     "https://github.com/vllm-project/compressed-tensors"},
    {"cuBLAS", "the layout of scales in cuBLAS, CUTLASS and tcgen05.mma",
     "https://docs.nvidia.com/cuda/cublas/"},
    {"TensorRT-LLM",
     "the layout of scales for few rows in TensorRT-LLM and FlashInfer",
     "https://github.com/NVIDIA/TensorRT-LLM"},
    {"aiter", "the layouts of scales for AMD's gfx950 and gfx1250",
     "https://github.com/ROCm/aiter"},
    {"IEEE P3109/D1",
     "the operation Convert of the unapproved draft IEEE P3109/D1, which may "
     "change; drafts are not to be used for conformance",
     "https://github.com/P3109/Public"},
};

/// The rules of docs/rules.md.
static constexpr Source kRules[] = {
    {"C2",
     "to f16, bf16, f32, f64: one rounding to nearest even, overflow to "
     "infinity, NaN quiet with its sign",
     "IEEE 754; ONNX Cast"},
    {"C3",
     "to float8: nearest even; values that round above the largest number "
     "become that number, or NaN or infinity without saturate",
     "ONNX Cast's tables; OFP8"},
    {"C4",
     "to float8: infinity is handled as overflow; NaN of FNUZ types before "
     "opset "
     "24",
     "ONNX Cast's tables; OFP8"},
    {"C5", "to float8: NaN stays NaN, with its sign if the type has one",
     "ONNX Cast's tables; the sign is this project's choice"},
    {"C6", "to float8: a result of zero keeps its sign if the type has one",
     "ONNX Cast; OFP8"},
    {"C7", "from float8, exactly", "ONNX Cast; OFP8"},
    {"C8",
     "to float6 and float4: nearest even, saturating; NaN becomes the zero of "
     "the opposite sign",
     "ONNX Cast's node tests; OCP MX but for NaN"},
    {"C9", "to f8E8M0FNU: up, down or to the nearest power of two",
     "ONNX Cast; negative values are this project's choice"},
    {"C10", "from f8E8M0FNU: 2^(encoding - 127), exact if representable",
     "ONNX Cast; OCP MX"},
    {"C11",
     "float to integer: toward zero; saturated to 32 or 64 bits, of which the "
     "low bits are the result; NaN is 0",
     "ONNX Cast where specified; out-of-range values are this project's "
     "choice"},
    {"C12", "between integers: the low bits; to floats: one rounding",
     "ONNX Cast"},
    {"C13", "to bool: true unless zero", "ONNX Cast"},
    {"D1", "round(x / scale) to nearest even, plus the zero point, saturated",
     "ONNX QuantizeLinear; NaN is this project's choice"},
    {"D3", "x / scale, rounded to the float", "ONNX QuantizeLinear"},
    {"D4", "division by a scale of zero follows IEEE 754", "IEEE 754"},
    {"D5", "(x - zero point) * scale in f32, then rounded to the result's type",
     "ONNX DequantizeLinear"},
    {"D8",
     "a number that results from a NaN of arithmetic, whose sign is "
     "unspecified: either sign is correct",
     "IEEE 754"},
    {"B3", "the scale of a block as a power of two, clamped to [-127, 127]",
     "the implementation that the table names"},
    {"B4", "the largest magnitude divided by the largest element; 0 becomes 1",
     "this project's choice"},
    {"B5", "the scale of a block, as DeepGEMM and ggml derive it",
     "the implementation that the table names"},
    {"B6",
     "the scale of a tensor, and of a block relative to it, in f32 in the "
     "implementation's order of operations",
     "the implementation that the table names; a tensor of zeros is this "
     "project's choice"},
    {"B7",
     "an element divided by the scale of its block, to nearest even, "
     "saturating; ggml takes the nearest product, the smaller of two",
     "the implementation that the table names; blocks with a NaN are this "
     "project's choice"},
    {"B8", "an element times the scales, each product rounded to f32",
     "the implementation that the table names"},
    {"B9", "the offset of a scale in a layout",
     "the implementation that the table names"},
    {"K", "FakeConvert, in the mode that the table names",
     "OpenVINO FakeConvert-13"},
    {"I2", "from a format of IEEE P3109, exactly", "IEEE P3109/D1"},
    {"I3", "one rounding in the mode of the table", "IEEE P3109/D1"},
    {"I4", "one rounding by the random bits of the row", "IEEE P3109/D1"},
    {"I5",
     "numbers beyond the finite range, and infinities, by the saturation "
     "mode of the table",
     "IEEE P3109/D1"},
    {"I6", "zero and NaN without a sign",
     "IEEE P3109/D1; in f32, f16 and bf16, which NaN is this project's choice"},
};

static json::Array describe(ArrayRef<Source> sources) {
  json::Array all;
  for (const Source &source : sources)
    all.push_back(json::Object{{"label", source.label},
                               {"text", source.text},
                               {"source", source.from}});
  return all;
}

static const ElementInfo &getElement(const Format &format) {
  auto hasName = [&](const ElementInfo &element) {
    return format.name == element.mlir;
  };
  const ElementInfo *found = llvm::find_if(kElements, hasName);
  return found != std::end(kElements)
             ? *found
             : *llvm::find_if(kBinaryElements.elements, hasName);
}

namespace {
/// Writes a folder of test vectors.
class VectorWriter {
public:
  explicit VectorWriter(StringRef folder) : folder(folder) {}

  llvm::Error write(const VectorTable &table);
  llvm::Error write(const LayoutTable &table);
  llvm::Error writeIndex();
  size_t numTables() const { return tables.size(); }
  size_t numRows = 0;

private:
  llvm::Error writeFile(const llvm::Twine &name,
                        llvm::function_ref<bool(OutputFile &)> write);
  /// Writes `count` encodings to the .npy file `name`, unless an earlier file
  /// is equal, and returns the name of the file that has them.
  llvm::Expected<std::string>
  writeEncodings(size_t count, const std::string &name,
                 const ElementInfo &element,
                 llvm::function_ref<uint64_t(size_t)> get);
  /// Returns the index of a list of named rows, which tables share.
  int64_t addCases(ArrayRef<VectorRow> rows);

  StringRef folder;
  json::Array tables, cases;
  /// The files by their contents, and the lists of named rows by their text.
  llvm::StringMap<std::string> files;
  llvm::StringMap<int64_t> caseLists;
};
} // namespace

llvm::Error
VectorWriter::writeFile(const llvm::Twine &name,
                        llvm::function_ref<bool(OutputFile &)> write) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  OutputFile file(path.str().str());
  if (!write(file) || !file.commit())
    return llvm::createFileError(path, file.getError());
  return llvm::Error::success();
}

llvm::Expected<std::string>
VectorWriter::writeEncodings(size_t count, const std::string &name,
                             const ElementInfo &element,
                             llvm::function_ref<uint64_t(size_t)> get) {
  llvm::Expected<TensorBuffer> buffer =
      TensorBuffer::allocate(element, {int64_t(count)});
  if (!buffer)
    return buffer.takeError();
  size_t size = element.getSlotBytes();
  bool isSigned = element.elementClass == ElementClass::Signed;
  char *data = buffer->getMutableBytes().data();
  for (size_t i = 0; i < count; ++i) {
    uint64_t encoding = get(i);
    // Elements of less than 8 bits are sign-extended to a byte.
    if (isSigned && element.bits < 64)
      encoding = uint64_t(llvm::SignExtend64(encoding, element.bits));
    memcpy(data, &encoding, size);
    data += size;
  }
  std::string contents = element.mlir;
  ArrayRef<char> bytes = buffer->getBytes();
  contents.append(bytes.begin(), bytes.end());
  auto [known, isNew] = files.try_emplace(contents, name);
  if (!isNew)
    return known->second;
  if (llvm::Error error = writeFile(
          name, [&](OutputFile &file) { return writeNpy(file, *buffer); }))
    return std::move(error);
  return name;
}

int64_t VectorWriter::addCases(ArrayRef<VectorRow> rows) {
  json::Array list;
  for (auto [index, row] : llvm::enumerate(rows))
    if (!row.name.empty())
      list.push_back(json::Array{int64_t(index), row.name});
  std::string text = llvm::formatv("{0}", json::Value(json::Array(list)));
  auto [known, isNew] = caseLists.try_emplace(text, int64_t(cases.size()));
  if (isNew)
    cases.push_back(std::move(list));
  return known->second;
}

llvm::Error VectorWriter::write(const VectorTable &table) {
  const Conversion &conversion = table.conversion;
  std::string name = conversion.getName();
  json::Object columns,
      object{{"name", name},
             {"operation", StringRef(conversion.rules.projection
                                         ? "project"
                                         : conversion.getOperation())},
             {"from", StringRef(conversion.from->name)},
             {"to", StringRef(conversion.to->name)},
             {"complete", table.isComplete},
             {"rows", int64_t(table.rows.size())}};
  object["standards"] = json::Array(ArrayRef(table.standards));
  json::Object attributes;
  if (conversion.rules.projection) {
    attributes["draft"] = "D1";
    attributes["rounding"] = spell(conversion.rules.projection->rounding);
    attributes["saturation"] = spell(conversion.rules.projection->saturation);
    if (conversion.random)
      attributes["random_bits"] = int64_t(conversion.random->bits);
  } else if (conversion.kind == Kind::Cast) {
    attributes["opset"] = conversion.rules.opset;
  }
  if (conversion.hasSaturate())
    attributes["saturate"] = conversion.rules.saturate;
  if (conversion.hasRoundMode())
    attributes["round_mode"] = spell(conversion.rules.scaleRounding);
  if (conversion.precision)
    attributes["precision"] = StringRef(conversion.precision->name);
  if (conversion.kind == Kind::FakeConvert) {
    attributes["destination_type"] = StringRef(conversion.destination->name);
    attributes["mode"] = spell(conversion.fakeConvertRules.mode);
  }
  if (conversion.kind == Kind::BlockScale)
    attributes["element"] = StringRef(conversion.destination->name);
  if (conversion.kind == Kind::BlockScale ||
      conversion.kind == Kind::BlockElements)
    attributes["rule"] = spell(conversion.blockRule);
  if (conversion.kind == Kind::BlockDequantize && conversion.hasZeroPoint)
    attributes["order"] =
        conversion.isTensorFirst ? "tensor_first" : "block_first";
  object["attributes"] = std::move(attributes);
  // NaNs that arithmetic produces have no specified sign or payload (D8).
  // Every quiet NaN of an IEEE type is correct for IEEE P3109.
  object["nan"] = conversion.kind == Kind::Cast && !conversion.rules.projection
                      ? "exact"
                      : "any";

  auto writeEncodingsOf =
      [&](StringRef role, const Format &format,
          llvm::function_ref<uint64_t(size_t)> get) -> llvm::Error {
    llvm::Expected<std::string> file =
        writeEncodings(table.rows.size(), name + "." + role.str() + ".npy",
                       getElement(format), get);
    if (!file)
      return file.takeError();
    columns[role] = *file;
    return llvm::Error::success();
  };
  auto writeColumn = [&](StringRef role, const Format &format,
                         uint64_t VectorRow::*encoding) {
    return writeEncodingsOf(role, format, [&, encoding](size_t row) {
      return table.rows[row].*encoding;
    });
  };
  if (llvm::Error error =
          writeColumn("input", *conversion.from, &VectorRow::input))
    return error;
  if (llvm::Error error =
          writeColumn("output", *conversion.to, &VectorRow::output))
    return error;
  if (conversion.scale) {
    object["scale"] = StringRef(conversion.scale->name);
    if (llvm::Error error =
            writeColumn("scale", *conversion.scale, &VectorRow::scale))
      return error;
  }
  if (conversion.random) {
    object["random"] = StringRef(conversion.random->name);
    if (llvm::Error error =
            writeColumn("random", *conversion.random, &VectorRow::random))
      return error;
  }
  if (conversion.hasZeroPoint) {
    StringRef role = !conversion.isBlock()     ? "zero_point"
                     : conversion.isTensorAmax ? "tensor_amax"
                                               : "tensor_scale";
    object[role] = StringRef(conversion.getZeroPointFormat().name);
    if (llvm::Error error = writeColumn(role, conversion.getZeroPointFormat(),
                                        &VectorRow::zeroPoint))
      return error;
  }

  // The rule of each row is stored as an index into the list of rules.
  llvm::SmallMapVector<StringRef, uint64_t, 8> rules;
  for (const VectorRow &row : table.rows)
    rules.insert({row.rule, rules.size()});
  if (llvm::Error error =
          writeEncodingsOf("rule", *findFormat("ui8"), [&](size_t row) {
            return rules.lookup(table.rows[row].rule);
          }))
    return error;
  json::Array labels;
  for (const auto &rule : rules)
    labels.push_back(rule.first);
  object["rules"] = std::move(labels);
  object["cases"] = addCases(table.rows);
  object["files"] = std::move(columns);
  tables.push_back(std::move(object));
  numRows += table.rows.size();
  return llvm::Error::success();
}

llvm::Error VectorWriter::write(const LayoutTable &table) {
  std::string name = llvm::formatv("pack_scales_{0}_{1}x{2}", table.layout,
                                   table.rows, table.columns);
  const ElementInfo &index = getElement(*findFormat("ui32"));
  size_t count = table.offsets.size();
  json::Object columns;
  auto writeColumn =
      [&](StringRef role, const ElementInfo &element,
          llvm::function_ref<uint64_t(size_t)> get) -> llvm::Error {
    llvm::Expected<std::string> file =
        writeEncodings(count, name + "." + role.str() + ".npy", element, get);
    if (!file)
      return file.takeError();
    columns[role] = *file;
    return llvm::Error::success();
  };
  if (llvm::Error error =
          writeColumn("input", index, [](size_t row) { return row; }))
    return error;
  if (llvm::Error error = writeColumn(
          "output", index, [&](size_t row) { return table.offsets[row]; }))
    return error;
  if (llvm::Error error = writeColumn("rule", getElement(*findFormat("ui8")),
                                      [](size_t) { return 0; }))
    return error;
  tables.push_back(json::Object{
      {"name", name},
      {"operation", "pack_scales"},
      {"from", "ui32"},
      {"to", "ui32"},
      {"complete", false},
      {"rows", int64_t(count)},
      {"standards", json::Array{table.standard}},
      {"attributes", json::Object{{"layout", table.layout},
                                  {"rows", table.rows},
                                  {"columns", table.columns},
                                  {"padded_rows", table.paddedRows},
                                  {"padded_columns", table.paddedColumns}}},
      {"nan", "exact"},
      {"rules", json::Array{"B9"}},
      {"cases", addCases({})},
      {"files", std::move(columns)}});
  numRows += count;
  return llvm::Error::success();
}

llvm::Error VectorWriter::writeIndex() {
  json::Object index{{"vectors", 2},
                     {"producer", "quant-float " QUANT_FLOAT_VERSION},
                     {"standards", describe(kStandards)},
                     {"rules", describe(kRules)},
                     {"cases", std::move(cases)},
                     {"tables", std::move(tables)}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(index)) << "\n";
  return writeFile("vectors.json",
                   [&](OutputFile &file) { return file.write(text); });
}

llvm::Expected<std::pair<size_t, size_t>>
certify::writeVectors(StringRef folder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createFileError(folder, code);
  VectorWriter writer(folder);
  for (const VectorTable &table : makeVectors())
    if (llvm::Error error = writer.write(table))
      return std::move(error);
  for (const LayoutTable &table : makeLayoutVectors())
    if (llvm::Error error = writer.write(table))
      return std::move(error);
  size_t numTables = writer.numTables();
  if (llvm::Error error = writer.writeIndex())
    return std::move(error);
  return std::pair(numTables, writer.numRows);
}
