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
#include "quant-float/Compiler/Check.h"
#include "quant-float/Model/CompareModes.h"
#include "quant-float/Model/CompiledModel.h"
#include <functional>
#include <optional>

namespace mlir::quant_float {

struct LoadOptions {
  /// Off, the ops are left unverified.
  bool verify = true;
  /// Whether a value that the model declares with another type than it has is
  /// an error, here or when the model is compiled; else it is a warning.
  bool strict = false;
  /// Whose arithmetic every fakeconvert follows; without one, what the model
  /// says, and of an OpenVINO model OpenVINO's.
  std::optional<FakeConvertMode> fakeConvertMode;
  /// Is told of each file of external data that an ONNX model has, by its name
  /// in the model.
  std::function<void(StringRef)> onExternalFile;
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

struct BuildOptions : CompileOptions {
  /// Whose arithmetic every fakeconvert follows in what is made; without one,
  /// what the model says.
  std::optional<FakeConvertMode> fakeConvertMode;
  /// By symbol or graph name the only entry to compile; empty: all of them.
  std::string entry;
};

struct CheckedModel;
class ReferenceModel;

/// A model that was read, in a session that outlives it.
class Model {
public:
  /// Reads a file: .onnx, OpenVINO's .xml with its .bin beside it, .mlir or
  /// .mlirbc; "-" is MLIR on standard input. The file must not change while
  /// the model, or what was compiled of it, lives: large constants stay in it.
  static llvm::Expected<Model> load(Session &session, StringRef path,
                                    const LoadOptions &options = {});
  /// Reads a model from memory, which may go afterwards.
  static llvm::Expected<Model> parse(Session &session, ModelFormat format,
                                     StringRef bytes,
                                     const ParseOptions &options = {});
  /// Takes a module that was made in the session's context.
  Model(Session &session, OwningOpRef<ModuleOp> module, bool isVerified = false)
      : session(&session), module(std::move(module)), isVerified(isVerified) {}

  ModuleOp getModule() const { return *module; }
  /// To be called by whoever has changed the module.
  void setUnverified() { isVerified = false; }
  Model clone() const;

  /// The functions that become entry points, in the order of the module; ops
  /// need not be verified. A value without a rank has the one size kUnranked, a
  /// type that tensors in memory cannot have the dtype 0.
  static constexpr int64_t kUnranked = -2;
  SmallVector<func::FuncOp> getEntryFunctions() const;
  std::vector<EntryPointInfo> getEntries() const;
  /// By symbol or graph name; the empty name is that of an only entry, or an
  /// error that tells what `chooser` could say.
  llvm::Expected<size_t> findEntry(StringRef name,
                                   StringRef chooser = "a name") const;

  /// Verifies every op against the rules of its opset. Whatever needs a valid
  /// model below does so by itself, once.
  llvm::Error verify();
  /// Writes the model as MLIR, as text, or as bytecode if it is valid.
  llvm::Error write(llvm::raw_ostream &os, bool asBytecode = false);
  /// What is to be said about each quantization node, in a copy.
  CheckedModel check(const CheckOptions &options = {}) const;
  /// Runs a pipeline in MLIR's textual form, such as
  /// "builtin.module(canonicalize)". After a failure the model can be looked at
  /// and nothing else.
  llvm::Error runPasses(StringRef pipeline);
  llvm::Error setFakeConvertMode(FakeConvertMode mode);
  /// Makes the input of this name, of each entry that has one, the constant
  /// that a file holds: .npy, .pb, or the bytes of a .bin.
  llvm::Error bindInput(StringRef name, StringRef path);
  /// The same with a tensor of the host, which is copied.
  llvm::Error bindInput(StringRef name, const qf_tensor &tensor);
  /// Lets all inputs and outputs of elements of 2, 4 and 6 bits be packed
  /// (EntryPoint.h). Without it large constants are, as the file has them, and
  /// what the attribute quant_float.packed is on.
  llvm::Error packArguments();
  /// Lets nothing be packed.
  llvm::Error unpackAll();

  /// Compiles and writes one kind of output; the model stays as it is.
  /// `baseName` is for the include guard of headers, `beside` gets the file
  /// that goes beside it. Shared libraries only go to files.
  llvm::Error emit(EmitKind kind, const BuildOptions &options,
                   StringRef baseName, llvm::raw_pwrite_stream &os,
                   std::string *beside = nullptr);
  /// The same to a file, and what goes beside it, both or none.
  llvm::Error emitToFile(EmitKind kind, StringRef path,
                         const BuildOptions &options = {});

  /// Compiles into this process; the model stays as it is. Without a chip NVVM
  /// is for the first GPU. Where every node has its meaning, constants of 64
  /// KiB and more stay where they are, on a GPU they are copied there once.
  llvm::Expected<CompiledModel> compile(const BuildOptions &options = {});
  /// Compiles to a shared library for this process and loads it.
  llvm::Expected<CompiledModel> compileToFile(StringRef path,
                                              const BuildOptions &options = {});

  /// Without compiling: an entry of casts, quantizations and constants, by the
  /// Reference.
  llvm::Expected<ReferenceModel> prepareReference(size_t entry);
  llvm::Expected<std::vector<Tensor>> evaluate(size_t entry,
                                               ArrayRef<qf_tensor> inputs);

  /// Every fakeconvert of an entry in every mode. What they convert is computed
  /// by compiled code, as the model says, or without options by the Reference.
  llvm::Expected<std::vector<FakeConvertReport>>
  compareModes(size_t entry, ArrayRef<qf_tensor> inputs,
               const BuildOptions *options);

private:
  using ReadInput = llvm::function_ref<llvm::Expected<TensorBuffer>(
      const ElementInfo &, ArrayRef<int64_t>)>;

  llvm::Error bindInput(StringRef name, ReadInput read);
  llvm::Error build(EmitKind kind, const BuildOptions &options,
                    StringRef baseName, llvm::raw_pwrite_stream &os,
                    std::string *beside, ReadBack readBack = nullptr);
  llvm::Error buildToFile(EmitKind kind, const BuildOptions &options,
                          StringRef baseName, OutputFile &file,
                          std::string *beside);
  /// A copy to be lowered.
  llvm::Expected<Model> copyToBuild(SessionCall &call,
                                    const BuildOptions &options);
  llvm::Error requireValid(SessionCall &call);
  llvm::Error setPacked(bool unpack);
  /// A copy for the Reference, and the entry's function in it: OpenVINO's
  /// layers have become casts there.
  llvm::Expected<std::pair<Model, func::FuncOp>>
  copyForReference(SessionCall &call, size_t entry);

  Session *session;
  OwningOpRef<ModuleOp> module;
  bool isVerified;
  /// A pipeline failed half way.
  bool isBroken = false;
};

/// The nodes of a model as the opsets see them.
struct CheckedModel {
  /// Holds the nodes' operations, left at the opset that was asked for.
  Model model;
  std::vector<NodeReport> nodes;

  size_t countInvalid() const;
};

/// An entry for the Reference.
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
