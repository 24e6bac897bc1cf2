//===- Driver.h - The compiler as a library ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_DRIVER_H
#define QUANT_FLOAT_COMPILER_DRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::quant_float {

/// Exit codes of the tools.
enum ToolExitCode {
  kToolDone = 0,
  /// The input is wrong or cannot be compiled.
  kToolWrongInput = 1,
  /// Wrong usage or an unreadable file.
  kToolWrongUsage = 2,
};

/// What the stages below make, in the order of the way.
enum class EmitKind {
  MLIR,
  LLVMDialect,
  LLVMIR,
  Assembly,
  Object,
  Shared,
  Header,
  /// With Target::NVVM, as are LLVMIR and Assembly then: the device code of all
  /// kernels.
  Ptx,
  Cubin
};

/// What entry points run on.
enum class Target { CPU, NVVM };

struct CompileOptions {
  Target target = Target::CPU;
  /// With Target::NVVM: the NVIDIA chip to compile kernels for, "sm_90", and
  /// the version of PTX, "+ptx80"; without one, the least that has all of the
  /// chip's instructions.
  std::string chip;
  std::string features;
  /// Of the host's code. Empty: this machine's.
  std::string triple;
  /// A name LLVM knows; "host" is this machine's with all its features.
  std::string cpu = "host";
  /// 0 to 3, as of the LLVM optimization pipeline.
  unsigned optimizationLevel = 2;
  /// 1: no threads; 0: as many as OpenMP gives; else so many.
  unsigned threads = 1;
  /// Whether the code stays in this process and is for its CPU: JitModule gives
  /// it the process's own entry runtime, which saves most of the time.
  bool inProcess = false;
  /// Compile what surrounds quantization ops, each group an entry point of its
  /// own, where nodes have no lowering.
  bool islands = false;
};

struct LoadOptions {
  /// Off, the ops are left unverified.
  bool verify = true;
  /// Whether a value that the model declares with another type than it has is
  /// an error, here or when the model is compiled; else it is a warning.
  bool strict = false;
  /// Whose arithmetic every fakeconvert follows; without one, what the model
  /// says, and of an OpenVINO model OpenVINO's.
  std::optional<FakeConvertMode> fakeConvertMode;
};

/// The forms that a model in memory may have.
enum class ModelFormat {
  /// MLIR as text or bytecode.
  MLIR,
  /// A serialized ONNX ModelProto.
  ONNX,
  /// The XML of OpenVINO's IR.
  OpenVINO
};

struct ParseOptions : LoadOptions {
  /// The file's name in diagnostics.
  std::string name = "<memory>";
  /// Of ONNX: the folder of external data; empty: it is refused.
  std::string externalDataFolder;
  /// Of OpenVINO: the .bin file; empty: constants are refused.
  std::string weightsPath;
};

/// How deep the types, attributes, regions and locations of MLIR may be nested.
/// Text and bytecode that go deeper are refused before anything walks them.
constexpr unsigned kMaxNesting = 256;

/// Reads a model: .onnx and OpenVINO's .xml are imported, .mlir and .mlirbc are
/// parsed, "-" is MLIR on standard input. Returns null after an error on the
/// diagnostic engine; `exitCode` then says which of the tools' codes fits.
OwningOpRef<ModuleOp> loadModel(StringRef path, MLIRContext &context,
                                int &exitCode, const LoadOptions &options = {});

/// Reads a model from memory. Returns null after an error on the diagnostic
/// engine. Upstream's reader of bytecode does not stand damage, so that a
/// process of its own reads that first.
OwningOpRef<ModuleOp> parseModel(ModelFormat format, StringRef bytes,
                                 MLIRContext &context,
                                 const ParseOptions &options = {});

/// Lowers to the LLVM dialect in place, entry points and their wrappers
/// included; kernels for a GPU are a `gpu.binary` of PTX then. Errors go to the
/// diagnostic engine.
LogicalResult lowerToLLVMDialect(ModuleOp module,
                                 const CompileOptions &options);

/// Lowers, translates, links the entry runtime and optimizes: the host's code,
/// which for kernels on a GPU needs the functions of QuantFloatCudaRuntime.
FailureOr<std::unique_ptr<llvm::Module>>
compileToLLVM(ModuleOp module, const CompileOptions &options,
              llvm::LLVMContext &llvmContext);

/// The suffix of the file that goes beside an output of this kind: the C header
/// of an object or library; empty if there is none.
StringRef getSuffixBeside(EmitKind kind);

/// Compiles and writes one kind of output; `baseName` is that of the output
/// file, for the header's include guard. `beside` gets the text of the file
/// that goes beside it, if there is one. `Shared` gives the object for
/// linkShared, which holds the library's description besides.
LogicalResult compileTo(ModuleOp module, EmitKind kind,
                        const CompileOptions &options, StringRef baseName,
                        llvm::raw_pwrite_stream &os,
                        std::string *beside = nullptr);

/// Links an object into the shared library `output`. The linker is lld, or the
/// one that the environment variable LLD names.
llvm::Error linkShared(StringRef object, StringRef output,
                       const CompileOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_DRIVER_H
