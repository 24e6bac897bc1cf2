//===- quant-float-translate.cpp - Importers and exporters ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FakeConvertModeOption.h"
#include "../UpstreamDriver.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/PortableBytecode.h"
#include "quant-float/InitAll.h"
#include "quant-float/Model/ReadMlirModel.h"
#include "quant-float/ONNX/Export/Export.h"
#include "quant-float/ONNX/Import/Import.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "quant-float/OpenVINO/Export/Export.h"
#include "quant-float/OpenVINO/FromONNX/OnnxToOpenVino.h"
#include "quant-float/OpenVINO/Import/Import.h"
#include "quant-float/OpenVINO/ToONNX/Passes.h"
#include "quant-float/Support/OpsetImports.h"
#include "quant-float/Transforms/Passes.h"
#include "quant-float/Weights/GGUF/Export.h"
#include "quant-float/Weights/GGUF/Import.h"
#include "quant-float/Weights/Safetensors/Export.h"
#include "quant-float/Weights/Safetensors/Import.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <unistd.h>

namespace fs = llvm::sys::fs;

/// Returns the argument that contains the name of the output, and the part of
/// it before the name in `before`. Returns null if there is none.
static char **findOutput(llvm::MutableArrayRef<char *> arguments,
                         llvm::StringRef &before) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i], name = argument.ltrim('-');
    if (argument == "--")
      break;
    if (name.size() == argument.size() || !name.consume_front("o"))
      continue;
    if (name.empty() && i + 1 < arguments.size())
      return &arguments[i + 1];
    if (name.consume_front("=")) {
      before = argument.drop_back(name.size());
      return &arguments[i];
    }
  }
  return nullptr;
}

/// Whether the path is a device. Upstream's driver reads all of the input
/// before it calls an importer, and a device such as /dev/zero has no end.
static bool isDevice(llvm::StringRef path) {
  fs::file_status status;
  return !fs::status(path, status) &&
         (status.type() == fs::file_type::character_file ||
          status.type() == fs::file_type::block_file);
}

/// Reads standard input, with a limit on its size, and replaces it by a
/// temporary file with the same contents. Returns null after an error.
static std::unique_ptr<llvm::MemoryBuffer> readStandardInput() {
  auto buffer = mlir::quant_float::openText("-");
  if (!buffer) {
    llvm::errs() << "<stdin>: error: " << llvm::toString(buffer.takeError())
                 << "\n";
    return nullptr;
  }
  llvm::StringRef bytes = (*buffer)->getBuffer();
  std::FILE *file = std::tmpfile();
  if (!file ||
      std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() ||
      std::fflush(file) || lseek(fileno(file), 0, SEEK_SET) ||
      dup2(fileno(file), STDIN_FILENO) < 0) {
    llvm::errs() << "<stdin>: error: cannot create a temporary file: "
                 << llvm::sys::StrError() << "\n";
    return nullptr;
  }
  return std::move(*buffer);
}

/// Whether the name is that of a weights file.
static bool isWeights(llvm::StringRef path) {
  return path.ends_with(".gguf") || path.ends_with(".safetensors") ||
         path.ends_with(".safetensors.index.json");
}

/// Checks the input that upstream's driver will read, as far as the arguments
/// determine it. Returns false after an error. `parsed` is the input if the
/// driver parses it as MLIR.
static bool checkInput(llvm::ArrayRef<char *> arguments,
                       std::unique_ptr<llvm::MemoryBuffer> &parsed) {
  llvm::StringRef input = "-";
  llvm::StringRef marker;
  bool isMlir = false, extracts = false;
  llvm::StringRef exported;
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i], name = argument.ltrim('-');
    if (llvm::StringRef(arguments[i - 1]).ltrim('-') == "o")
      continue;
    if (isDevice(argument)) {
      llvm::errs() << argument
                   << ": error: expected a file or a pipe, but got a device\n";
      return false;
    }
    if (name.size() == argument.size())
      input = argument;
    else if (name.starts_with("help") || name == "version")
      return true;
    else if (name.consume_front("split-input-file"))
      marker = name.consume_front("=") ? name : mlir::kDefaultSplitMarker;
    isMlir |= name.starts_with("mlir-to-") || name == "serialize-spirv";
    extracts |= name == "extract-weights";
    if (name.starts_with("export-"))
      exported = name.drop_front(strlen("export-"));
  }
  bool isModel = input.ends_with(".onnx") || input.ends_with(".xml");
  if (exported == "onnx" && input.ends_with(".xml") && !extracts) {
    llvm::errs() << input
                 << ": error: expected a model in .onnx, .mlir or .mlirbc; "
                    "--extract-weights extracts the weights of other models\n";
    return false;
  }
  isMlir |= !exported.empty() && !isModel && !isWeights(input);
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (input == "-") {
    if (llvm::sys::Process::StandardInIsUserInput())
      return true;
    buffer = readStandardInput();
    if (!buffer)
      return false;
  }
  if (!isMlir)
    return true;
  mlir::DialectRegistry registry;
  mlir::quant_float::registerAllDialects(registry);
  if (buffer) {
    if (failed(mlir::quant_float::checkForUpstream(*buffer, marker, registry)))
      return false;
  } else if (fs::is_regular_file(input)) {
    buffer = mlir::quant_float::readForUpstream(input, marker, registry);
    if (!buffer)
      return false;
  }
  // The driver reports other names.
  if (exported.empty())
    parsed = std::move(buffer);
  return true;
}

/// Imports an OpenVINO model as ONNX nodes, with dequantize for low-bit
/// weights.
static mlir::OwningOpRef<mlir::ModuleOp>
readOpenVinoWeights(llvm::StringRef path, mlir::MLIRContext *context) {
  auto module = mlir::quant_float::importOpenVino(path, context);
  mlir::PassManager manager(context);
  mlir::quant_float::ConvertOpenVinoNodesToOnnxPassOptions options;
  options.allowUnsupported = true;
  manager.addPass(mlir::quant_float::createQuantFloatRecoverDequantizePass());
  manager.addPass(
      mlir::quant_float::createConvertOpenVinoNodesToOnnxPass(options));
  if (!module || failed(manager.run(*module)))
    return nullptr;
  return module;
}

static bool isOpenVino(const llvm::SourceMgr &sources) {
  return sources.getMemoryBuffer(sources.getMainFileID())
      ->getBufferIdentifier()
      .ends_with(".xml");
}

/// Converts the nodes that replace layers, which have several opsets, to a
/// single one, as ONNX models require.
static mlir::LogicalResult restateForOnnx(mlir::ModuleOp module) {
  mlir::quant_float::OpsetOptions options;
  options.opset = mlir::quant_float::kNewestOpset;
  mlir::quant_float::setOnnxOpset(module, options.opset);
  mlir::quant_float::OpsetConversion conversion;
  return convertOpset(module, options, conversion);
}

/// Reads a model in MLIR. `isConverted` is set if it has ops of other
/// compilers.
static mlir::OwningOpRef<mlir::ModuleOp>
readGraph(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
          bool &isConverted) {
  return mlir::quant_float::readMlirGraph(
      llvm::MemoryBuffer::getMemBuffer(
          sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef(),
          /*RequiresNullTerminator=*/false),
      *context, isConverted);
}

/// Reads the input of the exporters of weights.
static mlir::OwningOpRef<mlir::ModuleOp>
readWeights(const mlir::DialectRegistry &dialects,
            const std::shared_ptr<llvm::SourceMgr> &sources,
            mlir::MLIRContext *context, bool &isConverted) {
  context->appendDialectRegistry(dialects);
  llvm::StringRef path =
      sources->getMemoryBuffer(sources->getMainFileID())->getBufferIdentifier();
  if (path.ends_with(".gguf"))
    return mlir::quant_float::importGguf(path, context);
  if (path.ends_with(".onnx"))
    return mlir::quant_float::importOnnx(path, context);
  if (path.ends_with(".xml"))
    return readOpenVinoWeights(path, context);
  if (isWeights(path))
    return mlir::quant_float::importSafetensors(path, context);
  auto module = readGraph(*sources, context, isConverted);
  // Files have no ops on blocks.
  mlir::PassManager manager(context);
  manager.addPass(
      mlir::quant_float::createQuantFloatConvertBlockDequantizePass());
  manager.addPass(
      mlir::quant_float::createQuantFloatConvertBlockQuantizePass());
  if (!module || failed(manager.run(*module)))
    return nullptr;
  return module;
}

/// Reads the input of --export-openvino: a model or a weights file.
static mlir::OwningOpRef<mlir::ModuleOp>
readForOpenVino(const mlir::DialectRegistry &dialects,
                const std::shared_ptr<llvm::SourceMgr> &sources,
                mlir::MLIRContext *context,
                const mlir::quant_float::OnnxImportOptions &options) {
  llvm::StringRef path =
      sources->getMemoryBuffer(sources->getMainFileID())->getBufferIdentifier();
  if (path.ends_with(".onnx"))
    return mlir::quant_float::importOnnxAsOpenVino(path, context, options);
  bool isConverted = isWeights(path);
  auto module = isConverted
                    ? readWeights(dialects, sources, context, isConverted)
                    : readGraph(*sources, context, isConverted);
  if (!module || (isConverted &&
                  failed(mlir::quant_float::convertOnnxToOpenVino(*module))))
    return nullptr;
  return module;
}

/// Removes everything but the weights, and unpacks packed ones to the
/// representation of dequantize.
static mlir::LogicalResult extractWeights(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  manager.addPass(mlir::quant_float::createQuantFloatUnpackWeightsPass());
  manager.addPass(mlir::quant_float::createQuantFloatExtractWeightsPass());
  return manager.run(module);
}

/// Quantizes the weights of a module. `format` is that of --quantize-weights.
static mlir::LogicalResult quantizeWeights(mlir::ModuleOp module,
                                           llvm::StringRef format,
                                           llvm::StringRef excluded) {
  mlir::quant_float::QuantFloatQuantizeWeightsPassOptions options;
  auto [name, rule] = format.split(':');
  if (rule.empty()) {
    llvm::errs() << "--quantize-weights: expected FORMAT:RULE, such as "
                    "mxfp4:rceil, but got '"
                 << format << "'\n";
    return mlir::failure();
  }
  options.format = name.str();
  options.rule = rule.str();
  options.exclude = excluded.str();
  mlir::PassManager manager(module.getContext());
  manager.addPass(
      mlir::quant_float::createQuantFloatQuantizeWeightsPass(options));
  return manager.run(module);
}

int main(int argc, char **argv) {
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  mlir::quant_float::reportShortenedFiles();
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  std::unique_ptr<llvm::MemoryBuffer> parsed;
  if (!checkInput(arguments, parsed))
    return 1;
  mlir::registerAllTranslations();
  mlir::TranslateFromMLIRRegistration toBytecode(
      "mlir-to-portable-bytecode",
      "write bytecode that all supported versions of LLVM read",
      mlir::quant_float::writePortableBytecode,
      mlir::quant_float::registerAllDialects);
  mlir::quant_float::StrictOption strict;
  llvm::cl::opt<bool> keepsSource(
      "keep-source",
      llvm::cl::desc(
          "with --import-onnx and --import-openvino, keep the information that "
          "is required to export the same model in attributes"));
  auto getImportOptions = [&] {
    mlir::quant_float::OnnxImportOptions options;
    options.strict = strict;
    options.keepsSource = keepsSource;
    return options;
  };
  mlir::quant_float::registerFromOnnxTranslation(getImportOptions);
  mlir::quant_float::registerFromGgufTranslation();
  mlir::quant_float::registerFromSafetensorsTranslation();
  mlir::quant_float::FakeConvertModeOption fakeConvertMode;
  auto getOpenVinoOptions = [&] {
    mlir::quant_float::OpenVinoImportOptions options;
    options.fakeConvertMode =
        fakeConvertMode.get().value_or(options.fakeConvertMode);
    options.strict = strict;
    options.keepsSource = keepsSource;
    return options;
  };
  mlir::quant_float::registerFromOpenVinoTranslation(getOpenVinoOptions);
  arguments.push_back(nullptr);
  llvm::StringRef before;
  char **output =
      findOutput(llvm::MutableArrayRef(arguments).drop_back(), before);
  std::string path =
      output ? llvm::StringRef(*output).drop_front(before.size()).str() : "-";
  // The sidecar file of the model.
  std::optional<mlir::quant_float::OutputFile> sidecar;
  auto writeSidecar = [&](llvm::StringRef bytes) {
    return sidecar->write({bytes.data(), bytes.size()});
  };
  llvm::cl::opt<bool> usesExternalData(
      "external-data", llvm::cl::desc("write the initializers of 1 KiB and "
                                      "more of an exported model to OUT.data"));
  mlir::DialectRegistry dialects;
  mlir::quant_float::registerAllDialects(dialects);
  llvm::cl::opt<bool> extractsWeights(
      "extract-weights", llvm::cl::desc("export only the weights of a model"));
  llvm::cl::opt<std::string> weightFormat(
      "quantize-weights", llvm::cl::value_desc("FORMAT:RULE"),
      llvm::cl::desc("quantize the float weights of matmuls of the exported "
                     "model or checkpoint, for example mxfp4:rceil"));
  llvm::cl::opt<std::string> excludedWeights(
      "exclude-weights", llvm::cl::value_desc("REGEX"),
      llvm::cl::desc("names of weights that --quantize-weights leaves as they "
                     "are, as a regular expression"));
  bool isQuantized = false;
  auto quantize = [&](mlir::ModuleOp module) -> mlir::LogicalResult {
    isQuantized = true;
    if (!weightFormat.getNumOccurrences())
      return mlir::success();
    return quantizeWeights(module, weightFormat, excludedWeights);
  };
  auto read = [&](const std::shared_ptr<llvm::SourceMgr> &sources,
                  mlir::MLIRContext *context) {
    bool isConverted = false;
    auto module = readWeights(dialects, sources, context, isConverted);
    if (module && failed(quantize(*module)))
      module = nullptr;
    if (module && extractsWeights && failed(extractWeights(*module)))
      module = nullptr;
    if (module && (isConverted || isOpenVino(*sources)) &&
        failed(restateForOnnx(*module)))
      module = nullptr;
    return module;
  };
  mlir::quant_float::registerToGgufTranslation(read);
  using mlir::quant_float::SafetensorsLayout;
  llvm::cl::opt<SafetensorsLayout> layout(
      "safetensors-layout", llvm::cl::init(SafetensorsLayout::Auto),
      llvm::cl::desc("layout of quantized weights for --export-safetensors"),
      llvm::cl::values(
          clEnumValN(SafetensorsLayout::Auto, "auto",
                     "compressed-tensors or ModelOpt, depending on the "
                     "types of weights and scales (the default)"),
          clEnumValN(SafetensorsLayout::Gptq, "gptq", "GPTQ"),
          clEnumValN(SafetensorsLayout::Awq, "awq", "AutoAWQ")));
  mlir::quant_float::registerToSafetensorsTranslation(
      read, [&] { return layout.getValue(); });
  llvm::cl::opt<int64_t> opset(
      "opset", llvm::cl::value_desc("N"),
      llvm::cl::desc("with --export-onnx, convert the model to this opset, at "
                     "least 10, as quant-float-convert does"));
  auto getExportedOptions =
      [&]() -> llvm::FailureOr<mlir::quant_float::OnnxImportOptions> {
    mlir::quant_float::OnnxImportOptions options = getImportOptions();
    using mlir::quant_float::kNewestOpset;
    // Dequantization of the weights is of the newest opset.
    if (weightFormat.getNumOccurrences())
      options.targetOpset = kNewestOpset;
    if (!opset.getNumOccurrences())
      return options;
    using mlir::quant_float::kOldestTargetOpset;
    if (opset < kOldestTargetOpset || opset > kNewestOpset) {
      llvm::errs() << "--opset: expected " << kOldestTargetOpset << " to "
                   << kNewestOpset << ", but got " << opset << "\n";
      return mlir::failure();
    }
    options.targetOpset = opset;
    return options;
  };
  auto getExportOptions =
      [&]() -> llvm::FailureOr<mlir::quant_float::OnnxExportOptions> {
    mlir::quant_float::OnnxExportOptions options;
    if (!usesExternalData)
      return options;
    if (path == "-") {
      llvm::errs()
          << "--external-data: expected -o OUT, next to which it is written\n";
      return mlir::failure();
    }
    sidecar.emplace(path + ".data");
    options.externalData = llvm::sys::path::filename(path).str() + ".data";
    options.writeExternal = writeSidecar;
    return options;
  };
  mlir::quant_float::registerToOnnxTranslation(
      dialects, getExportedOptions, getExportOptions, read, quantize);
  mlir::quant_float::registerToOpenVinoTranslation(
      dialects, getOpenVinoOptions,
      [&] {
        mlir::quant_float::OpenVinoExportOptions options;
        llvm::SmallString<256> weights(path);
        if (!llvm::StringRef(path).ends_with(".xml"))
          return options;
        llvm::sys::path::replace_extension(weights, "bin");
        sidecar.emplace(weights.str().str());
        options.writeWeights = writeSidecar;
        // A model without constants has an empty weights file.
        (void)sidecar->write("");
        return options;
      },
      [&](const std::shared_ptr<llvm::SourceMgr> &sources,
          mlir::MLIRContext *context) {
        if (weightFormat.getNumOccurrences()) {
          llvm::errs() << "--quantize-weights: expected --export-onnx, "
                          "--export-gguf or --export-safetensors; "
                          "--export-openvino accepts their output\n";
          return mlir::OwningOpRef<mlir::ModuleOp>();
        }
        return readForOpenVino(dialects, sources, context, getImportOptions());
      });
  auto translate = [&]() -> mlir::LogicalResult {
    if (failed(mlir::mlirTranslateMain(argc, arguments.data(),
                                       "quant-float translation driver\n"))) {
      if (parsed)
        mlir::quant_float::reportNewerSyntax(*parsed, dialects);
      return mlir::failure();
    }
    if (excludedWeights.getNumOccurrences() &&
        !weightFormat.getNumOccurrences()) {
      llvm::errs() << "--exclude-weights: expected --quantize-weights\n";
      return mlir::failure();
    }
    if (weightFormat.getNumOccurrences() && !isQuantized) {
      llvm::errs() << "--quantize-weights: expected --export-onnx, "
                      "--export-gguf or --export-safetensors\n";
      return mlir::failure();
    }
    return mlir::success();
  };
  if (!output)
    return failed(translate());
  return failed(
      mlir::quant_float::writeThrough(path, [&](llvm::StringRef name) {
        std::string replaced = (before + name).str();
        *output = replaced.data();
        if (failed(translate()))
          return mlir::failure();
        if (!sidecar || sidecar->commit())
          return mlir::success();
        llvm::errs() << sidecar->getPath() << ": error: cannot be written: "
                     << sidecar->getError().message() << "\n";
        return mlir::failure();
      }));
}
