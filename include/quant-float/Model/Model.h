//===- Model.h - Models -----------------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Session session;
//   llvm::Expected<Model> model = Model::load(session, "model.onnx");
//   llvm::Expected<CompiledModel> compiled = model->compile();
//   llvm::Expected<std::vector<Tensor>> outputs = compiled->run(0, inputs);
//
// Every error is a ModelError.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_MODEL_H
#define QUANT_FLOAT_MODEL_MODEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/Driver/Check.h"
#include "quant-float/Model/CompareModes.h"
#include "quant-float/Model/CompiledModel.h"
#include <functional>
#include <optional>

namespace mlir::quant_float {

/// An op of another compiler that quantizes, as a model in MLIR contains it.
struct ExplainedOp {
  FileLocation location;
  std::string op;
  /// What the op computes, in terms of the rules.
  std::string rule;
  /// Where other frameworks differ; may be empty.
  std::string difference;
};

struct LoadOptions {
  /// Whether to verify the operations.
  bool verify = true;
  /// Whether a mismatch between a value's declared and inferred type is an
  /// error, now and during compilation. Otherwise it is a warning.
  bool strict = false;
  /// Overrides the mode of all fakeconverts. By default it is the model's mode,
  /// which is OpenVINO's for OpenVINO models.
  std::optional<FakeConvertMode> fakeConvertMode;
  /// Called for each file of external data that an ONNX model refers to, with
  /// the name from the model.
  std::function<void(StringRef)> onExternalFile;
  /// Called for each op of another compiler that quantizes, before the ops of a
  /// model in MLIR are converted.
  std::function<void(const ExplainedOp &)> onExplainedOp;
};

/// The formats of models in memory.
enum class ModelFormat {
  /// MLIR text or bytecode.
  MLIR,
  /// A serialized ONNX ModelProto.
  ONNX,
  /// The XML of OpenVINO's IR.
  OpenVINO
};

struct ParseOptions : LoadOptions {
  /// The file name for diagnostics.
  std::string name = "<memory>";
  /// For ONNX: the folder of external data. If it is empty, external data is an
  /// error.
  std::string externalDataFolder;
  /// For OpenVINO: the .bin file. If it is empty, constants are an error.
  std::string weightsPath;
};

struct BuildOptions : CompileOptions {
  /// Overrides the mode of all fakeconverts in the compiled code. By default it
  /// is the model's mode.
  std::optional<FakeConvertMode> fakeConvertMode;
  /// The symbol or graph name of the only entry to compile. Empty selects all.
  std::string entry;
};

struct CheckedModel;
class ReferenceModel;

/// A model in memory. The session must outlive it.
class Model {
public:
  /// Reads a file: .onnx, OpenVINO's .xml with its .bin sidecar file, .mlir or
  /// .mlirbc. "-" reads MLIR from standard input. Large constants are mapped
  /// from the file, which must not change during the lifetime of the model and
  /// of the code that is compiled from it.
  static llvm::Expected<Model> load(Session &session, StringRef path,
                                    const LoadOptions &options = {});
  /// Reads a model from memory, which may be freed afterward.
  static llvm::Expected<Model> parse(Session &session, ModelFormat format,
                                     StringRef bytes,
                                     const ParseOptions &options = {});
  /// Takes a module that belongs to the session's context.
  Model(Session &session, OwningOpRef<ModuleOp> module, bool isVerified = false)
      : session(&session), module(std::move(module)), isVerified(isVerified) {}

  ModuleOp getModule() const { return *module; }
  /// Must be called after changing the module from outside.
  void setUnverified() { isVerified = false; }
  Model clone() const;

  /// Returns the functions that become entry points, in the order of the
  /// module. Accepts modules that are not verified. In getEntries(), an
  /// unranked value has the single size kUnranked, and a type without a dtype
  /// has the dtype 0.
  static constexpr int64_t kUnranked = -2;
  SmallVector<func::FuncOp> getEntryFunctions() const;
  std::vector<EntryPointInfo> getEntries() const;
  /// Returns the index of the entry with this symbol or graph name. The empty
  /// name selects the only entry; if there are several, the error says that
  /// `chooser` selects one.
  llvm::Expected<size_t> findEntry(StringRef name,
                                   StringRef chooser = "a name") const;

  /// Verifies every operation against the rules of its opset. Functions below
  /// that require a valid model call it once.
  llvm::Error verify();
  /// Writes the model as MLIR text or, if it is valid, as bytecode.
  llvm::Error write(llvm::raw_ostream &os, bool asBytecode = false);
  /// Returns a report for each quantization node, in a copy of the model.
  CheckedModel check(const CheckOptions &options = {}) const;
  /// Runs a pass pipeline in MLIR's textual syntax, such as
  /// "builtin.module(canonicalize)". If it fails, the model can only be
  /// inspected.
  llvm::Error runPasses(StringRef pipeline);
  llvm::Error setFakeConvertMode(FakeConvertMode mode);
  /// Replaces the input of this name, in all entries that have one, by the
  /// constant in a file: .npy, .pb, or the raw bytes of a .bin.
  llvm::Error bindInput(StringRef name, StringRef path);
  /// Same, for a tensor in host memory, which is copied.
  llvm::Error bindInput(StringRef name, const qf_tensor &tensor);
  /// Replaces the inputs, in all entries, that have the names of weights in a
  /// file by these weights: .safetensors, .safetensors.index.json or .gguf.
  /// Quantized weights become `dequantize` of constants. Large constants are
  /// mapped from the file, as by load().
  llvm::Error bindWeights(StringRef path);
  /// Marks all inputs and outputs of 2-, 4- and 6-bit types as packed (see
  /// EntryPoint.h). By default only large constants that the file stores
  /// packed, and values with the attribute quant_float.packed, are.
  llvm::Error packArguments();
  /// Marks nothing as packed.
  llvm::Error unpackAll();

  /// Compiles a copy of the model and writes one kind of output. `baseName`
  /// determines the include guard of headers. `sidecar` receives the contents
  /// of the sidecar file. Fails for shared libraries, which need emitToFile.
  llvm::Error emit(EmitKind kind, const BuildOptions &options,
                   StringRef baseName, llvm::raw_pwrite_stream &os,
                   std::string *sidecar = nullptr);
  /// Same, to a file. Writes the file and its sidecar file, or neither.
  llvm::Error emitToFile(EmitKind kind, StringRef path,
                         const BuildOptions &options = {});

  /// Compiles a copy of the model into this process. If no chip is specified,
  /// NVVM selects the first GPU's. Code for a CPU refers to constants of 16 KiB
  /// and more in the mapped file, without a copy. For a GPU, constants of 64
  /// KiB and more are copied to the GPU once, and become hidden inputs of their
  /// entry point, unless other functions call it.
  llvm::Expected<CompiledModel> compile(const BuildOptions &options = {});
  /// Compiles to a shared library for this process and loads it.
  llvm::Expected<CompiledModel> compileToFile(StringRef path,
                                              const BuildOptions &options = {});

  /// Evaluates an entry with the Reference, without compiling. Fails if the
  /// entry contains anything but casts, quantizations and constants.
  llvm::Expected<ReferenceModel> prepareReference(size_t entry);
  llvm::Expected<std::vector<Tensor>> evaluate(size_t entry,
                                               ArrayRef<qf_tensor> inputs);

  /// Evaluates every fakeconvert of an entry in every mode. Their operands are
  /// computed by code that is compiled with `options`, or by the Reference if
  /// `options` is null.
  llvm::Expected<std::vector<FakeConvertReport>>
  compareModes(size_t entry, ArrayRef<qf_tensor> inputs,
               const BuildOptions *options);

private:
  using ReadInput = llvm::function_ref<llvm::Expected<TensorBuffer>(
      const ElementInfo &, ArrayRef<int64_t>)>;

  llvm::Error bindInput(StringRef name, ReadInput read);
  /// Calls `bind` for each argument of an entry that has a name in
  /// `isBound`, and removes the argument. Returns the number of arguments.
  llvm::Expected<size_t>
  bindArguments(SessionCall &call, llvm::function_ref<bool(StringRef)> isBound,
                llvm::function_ref<llvm::Error(BlockArgument, StringRef)> bind);
  llvm::Error build(EmitKind kind, const BuildOptions &options,
                    StringRef baseName, llvm::raw_pwrite_stream &os,
                    std::string *sidecar, ReadBack readBack = nullptr);
  llvm::Error buildToFile(EmitKind kind, const BuildOptions &options,
                          StringRef baseName, OutputFile &file,
                          std::string *sidecar);
  /// Returns a copy to be lowered.
  llvm::Expected<Model> copyToBuild(SessionCall &call,
                                    const BuildOptions &options);
  llvm::Error requireValid(SessionCall &call);
  llvm::Error setPacked(bool unpack);
  /// Returns a copy in which OpenVINO's layers are converted to casts that the
  /// Reference supports, and the entry's function in it.
  llvm::Expected<std::pair<Model, func::FuncOp>>
  copyForReference(SessionCall &call, size_t entry);

  Session *session;
  OwningOpRef<ModuleOp> module;
  bool isVerified;
  /// Whether a pipeline failed and left the module in an intermediate state.
  bool isBroken = false;
};

/// The nodes of a model and their verdicts by the opset rules.
struct CheckedModel {
  /// Owns the operations of `nodes`, which have the requested opset.
  Model model;
  std::vector<NodeReport> nodes;

  size_t countInvalid() const;
};

/// An entry that the Reference evaluates.
class ReferenceModel {
public:
  llvm::Expected<std::vector<Tensor>> run(ArrayRef<qf_tensor> inputs) const;

private:
  friend class Model;
  ReferenceModel(Model model, func::FuncOp function)
      : model(std::move(model)), function(function) {}

  Model model;
  func::FuncOp function;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_MODEL_H
