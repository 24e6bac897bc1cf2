/*===-- quant-float-c/Compiler.h - Reading and compiling models --*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * A session holds an MLIR context. Models are loaded into it, checked,
 * transformed by passes and compiled:
 *
 *   QuantFloatSession session = {0};
 *   QuantFloatModel model = {0};
 *   QuantFloatKernel kernel = {0};
 *   QuantFloatError error = {0};
 *   if (quantFloatSessionCreate(NULL, &session, &error) != QUANT_FLOAT_OK ||
 *       quantFloatModelLoad(session, "model.onnx", NULL, &model, &error) !=
 *           QUANT_FLOAT_OK ||
 *       quantFloatModelCompile(model, NULL, &kernel, &error) !=
 *           QUANT_FLOAT_OK) {
 *     fprintf(stderr, "%s\n", quantFloatErrorGetMessage(error));
 *     quantFloatErrorDestroy(error);
 *   }
 *
 * Support.h describes handles, ownership, errors and threads; Runtime.h
 * describes kernels. A session takes about 150 kilobytes, a kernel about 100.
 * Any number of models may be loaded into a session, but MLIR's types and
 * attributes are only freed with the session. Long-running programs should
 * create a new session from time to time.
 */
#ifndef QUANT_FLOAT_C_COMPILER_H
#define QUANT_FLOAT_C_COMPILER_H

#include "quant-float-c/Runtime.h"
#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sessions ----------------------------------------------------------------- */

/** The progress of a long call. The strings are valid for one call of the
 * callback. */
typedef struct QuantFloatProgress {
  /** "read", "lower" or "generate". */
  const char *stage;
  /** What starts now, e.g. the command-line flag of a pass; may be empty. */
  const char *detail;
  /** The number of steps of the stage that are done. */
  uint64_t done;
} QuantFloatProgress;

/** Reports progress. Returning false cancels the call as soon as possible,
 * which then fails with QUANT_FLOAT_ERROR_CANCELLED. */
typedef bool (*QuantFloatProgressCallback)(const QuantFloatProgress *progress,
                                           void *userData);

/** Reports every diagnostic when it is emitted, including those of calls that
 * succeed. */
typedef void (*QuantFloatDiagnosticCallback)(
    const QuantFloatDiagnostic *diagnostic, void *userData);

/** Options of a session. Fields may be added at the end;
 * quantFloatSessionOptionsInit sets the defaults. */
typedef struct QuantFloatSessionOptions {
  /** The size that was passed to ...Init: sizeof(QuantFloatSessionOptions). */
  size_t size;
  /** Null: none. */
  QuantFloatDiagnosticCallback onDiagnostic;
  void *diagnosticUserData;
  /** Null: none. */
  QuantFloatProgressCallback onProgress;
  void *progressUserData;
} QuantFloatSessionOptions;

/** Initializes `size` bytes, sizeof(QuantFloatSessionOptions), to the defaults:
 * no callbacks. Does nothing for null. */
QUANT_FLOAT_EXPORTED void
quantFloatSessionOptionsInit(QuantFloatSessionOptions *options, size_t size);

/** Creates a session. `options` is copied and may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatSessionCreate(const QuantFloatSessionOptions *options,
                        QuantFloatSession *session, QuantFloatError *error);

/** Destroys the session. Its models stay valid. Fails for handles of destroyed
 * sessions. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatSessionDestroy(QuantFloatSession session);

/* Reading models ----------------------------------------------------------- */

/** The implementation whose rounding a fakeconvert reproduces. */
typedef enum QuantFloatFakeConvertMode {
  /** The mode of the model; that of OpenVINO's CPU plugin for OpenVINO models.
   */
  QUANT_FLOAT_FAKE_CONVERT_OF_MODEL = -1,
  QUANT_FLOAT_FAKE_CONVERT_EXACT = 0,
  QUANT_FLOAT_FAKE_CONVERT_OPENVINO = 1,
  QUANT_FLOAT_FAKE_CONVERT_OPENVINO_REFERENCE = 2
} QuantFloatFakeConvertMode;

/** Options for loading a model. Fields may be added at the end;
 * quantFloatLoadOptionsInit sets the defaults. */
typedef struct QuantFloatLoadOptions {
  /** The size that was passed to ...Init: sizeof(QuantFloatLoadOptions). */
  size_t size;
  /** If false, the ops are not verified, for quantFloatModelCheck. */
  bool verify;
  /** A QuantFloatFakeConvertMode. */
  int32_t fakeConvertMode;
  /** The file name in diagnostics of models loaded from memory; null means
   * "<memory>". */
  const char *name;
  /** ONNX from memory: the directory of external data; null makes external data
   * an error. */
  const char *externalDataFolder;
  /** OpenVINO from memory: the .bin file; null makes constants an error. */
  const char *weightsPath;
} QuantFloatLoadOptions;

/** Initializes `size` bytes, sizeof(QuantFloatLoadOptions), to the defaults:
 * verify, and the mode of the model. Does nothing for null. */
QUANT_FLOAT_EXPORTED void
quantFloatLoadOptionsInit(QuantFloatLoadOptions *options, size_t size);

/** The formats of a model in memory. */
typedef enum QuantFloatFormat {
  /** MLIR, textual or bytecode. */
  QUANT_FLOAT_FORMAT_MLIR = 0,
  /** A serialized ONNX ModelProto. */
  QUANT_FLOAT_FORMAT_ONNX = 1,
  /** The XML of OpenVINO's IR. */
  QUANT_FLOAT_FORMAT_OPENVINO = 2
} QuantFloatFormat;

/** Loads a model from a file: .onnx, OpenVINO's .xml with its .bin in the same
 * directory, .mlir or .mlirbc. The file must not change during the lifetime of
 * the model, because large constants are mapped from it. `options` may be null.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelLoad(QuantFloatSession session, const char *path,
                    const QuantFloatLoadOptions *options,
                    QuantFloatModel *model, QuantFloatError *error);

/** Loads a model from memory, which may be freed afterward. `format` is a
 * QuantFloatFormat, `options` may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelParse(
    QuantFloatSession session, int32_t format, const void *data, size_t size,
    const QuantFloatLoadOptions *options, QuantFloatModel *model,
    QuantFloatError *error);

/** Destroys the model. Fails for handles of destroyed models. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelDestroy(QuantFloatModel model);

/* Looking at and changing models ------------------------------------------- */

/** Returns the number of public functions, which become entry points; 0 for a
 * handle that is not of a model. */
QUANT_FLOAT_EXPORTED size_t quantFloatModelGetNumEntries(QuantFloatModel model);

/** Returns a function as the model declares it; null if the index is out of
 * range. It is valid for the lifetime of the model, and does not change if
 * passes change the function later. */
QUANT_FLOAT_EXPORTED const QuantFloatEntry *
quantFloatModelGetEntry(QuantFloatModel model, size_t entry);

/** Finds the function with this symbol or graph name and writes its index to
 * `entry`. The empty name denotes the only function. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelFindEntry(QuantFloatModel model, const char *name, size_t *entry,
                         QuantFloatError *error);

/** Verifies the model: every op against the rules of its opset. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelVerify(QuantFloatModel model, QuantFloatError *error);

/** Runs a textual pass pipeline on the model, e.g.
 * "builtin.module(quant-float-fuse-qdq,canonicalize)". Available are this
 * project's passes and pipelines, and upstream's canonicalize, cse, inline,
 * symbol-dce and others of mlir-c/Transforms.h. After a failure the model is in
 * an unspecified state and can only be destroyed, printed or inspected. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelRunPasses(
    QuantFloatModel model, const char *pipeline, QuantFloatError *error);

/** Sets the mode, a QuantFloatFakeConvertMode, of every fakeconvert. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelSetFakeConvertMode(
    QuantFloatModel model, int32_t mode, QuantFloatError *error);

/** Replaces the input of this name, in each function that has one, by a
 * constant. The tensor, which is copied, must have the input's element type,
 * packed or unpacked, and sizes. Output sizes and axes that depend on the input
 * become static. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelBindInput(QuantFloatModel model, const char *name,
                         const qf_tensor *tensor, QuantFloatError *error);

/** Replaces the inputs, in each function, that have the names of weights in a
 * file by these weights: .safetensors, .safetensors.index.json or .gguf.
 * Quantized weights stay quantized. The file must not change during the
 * lifetime of the model and of the code that is compiled from it. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelBindWeights(
    QuantFloatModel model, const char *path, QuantFloatError *error);

/** Writes the model as MLIR, textual or as bytecode. Bytecode requires a valid
 * model. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelWrite(QuantFloatModel model, bool asBytecode,
                     QuantFloatBuffer *buffer, QuantFloatError *error);

/* Checking ----------------------------------------------------------------- */

/** Special values for the opset to check against, which otherwise is an ONNX
 * opset. */
enum {
  /** The opset of each node. */
  QUANT_FLOAT_OPSET_OWN = 0,
  /** The opset of each node, and additionally every known opset. */
  QUANT_FLOAT_OPSET_ALL = -1
};

/** The result of checking a node. */
typedef enum QuantFloatNodeStatus {
  QUANT_FLOAT_NODE_VALID = 0,
  QUANT_FLOAT_NODE_INVALID = 1,
  /** The node's types are unknown. */
  QUANT_FLOAT_NODE_NOT_VERIFIED = 2
} QuantFloatNodeStatus;

/** The common result for the opsets `first` to `last`. */
typedef struct QuantFloatOpsetVerdict {
  int64_t first;
  int64_t last;
  bool accepted;
  /** Why the node is not accepted; empty if it is. */
  const char *reason;
} QuantFloatOpsetVerdict;

/** One quantization node of a model. */
typedef struct QuantFloatNodeReport {
  /** The name of the node in the model; empty if it has none. */
  const char *name;
  /** The name of the op in the source standard, e.g. "CastLike". */
  const char *opName;
  /** Null if the file is unknown. */
  const char *file;
  /** Starts at 1; 0 if the location has no line. */
  int32_t line;
  int32_t column;
  /** The opset of the node; 0 if unknown. */
  int64_t opset;
  /** A QuantFloatNodeStatus for the requested opset. */
  int32_t status;
  /** Why the node is invalid or not verified; empty for a valid node. */
  const char *reason;
  const char *const *notes;
  size_t numNotes;
  /** With QUANT_FLOAT_OPSET_ALL. */
  const QuantFloatOpsetVerdict *opsets;
  size_t numOpsets;
  /** Warnings about the node. */
  const char *const *warnings;
  size_t numWarnings;
} QuantFloatNodeReport;

/** Verifies every quantization node of the model against an ONNX opset,
 * QUANT_FLOAT_OPSET_OWN or QUANT_FLOAT_OPSET_ALL. Invalid nodes are listed in
 * the report and do not make the call fail. The model may be unverified and is
 * not changed. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelCheck(QuantFloatModel model, int64_t opset,
                     QuantFloatReport *report, QuantFloatError *error);

/** Returns the number of nodes; 0 for a handle that is not of a report. */
QUANT_FLOAT_EXPORTED size_t
quantFloatReportGetNumNodes(QuantFloatReport report);

/** Returns a node, which is valid for the lifetime of the report; null if the
 * index is out of range. */
QUANT_FLOAT_EXPORTED const QuantFloatNodeReport *
quantFloatReportGetNode(QuantFloatReport report, size_t node);

/** Returns the number of invalid nodes; 0 for a handle that is not of a report.
 */
QUANT_FLOAT_EXPORTED size_t
quantFloatReportGetNumInvalid(QuantFloatReport report);

/** Returns the report as lines of text, valid for the lifetime of the report;
 * null for a handle that is not of a report. */
QUANT_FLOAT_EXPORTED const char *
quantFloatReportGetText(QuantFloatReport report);

/** Returns the report as a JSON array of objects, as quant-float-check --json
 * prints it, valid for the lifetime of the report; null for a handle that is
 * not of a report. */
QUANT_FLOAT_EXPORTED const char *
quantFloatReportGetJson(QuantFloatReport report);

/** Destroys the report. Fails for handles of destroyed reports. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatReportDestroy(QuantFloatReport report);

/* Compiling ---------------------------------------------------------------- */

/** The target of compilation. */
typedef enum QuantFloatTarget {
  QUANT_FLOAT_TARGET_CPU = 0,
  /** NVIDIA GPUs. Kernels in this process run on the first GPU. */
  QUANT_FLOAT_TARGET_NVVM = 1
} QuantFloatTarget;

/** The accumulation order and rounding of floating-point reductions. */
typedef enum QuantFloatAccumulation {
  /** A fused multiply-add for each product, in a specified order: the bits are
   * the same on every CPU and GPU. */
  QUANT_FLOAT_ACCUMULATION_ORDERED = 0,
  /** Other orders are allowed. GPUs use them for matrix instructions; on CPUs
   * the bits are those of QUANT_FLOAT_ACCUMULATION_ORDERED. */
  QUANT_FLOAT_ACCUMULATION_REASSOCIATE = 1
} QuantFloatAccumulation;

/** The type of the activations in matmuls with 8-, 4- or 2-bit weights, in
 * code for CPUs. */
typedef enum QuantFloatActivations {
  /** The activations keep their type. */
  QUANT_FLOAT_ACTIVATIONS_FLOAT = 0,
  /** Activations are quantized dynamically to 16- or 8-bit integers, with one
   * scale for every 32 elements, or for every 16 if the weights' block size is
   * not a multiple of 32. The bits are the same on every CPU, and docs/rules.md
   * (R8) bounds the error. */
  QUANT_FLOAT_ACTIVATIONS_INT16 = 1,
  QUANT_FLOAT_ACTIVATIONS_INT8 = 2
} QuantFloatActivations;

/** Options of the compiler. Fields may be added at the end;
 * quantFloatCompileOptionsInit sets the defaults. */
typedef struct QuantFloatCompileOptions {
  /** The size that was passed to ...Init: sizeof(QuantFloatCompileOptions). */
  size_t size;
  /** A QuantFloatTarget. */
  int32_t target;
  /** 0 to 3; the default is 2. Levels 1 and 2 run the LLVM passes that kernels
   * benefit from, level 3 runs LLVM's full pipeline. */
  uint32_t optimizationLevel;
  /** The number of threads; 1, the default, disables threading, and 0 means
   * OpenMP's default. */
  uint32_t threads;
  /** A QuantFloatFakeConvertMode that only applies to the compiled code. */
  int32_t fakeConvertMode;
  /** The name of a CPU as in LLVM. Null or "host" means the host CPU with all
   * of its features, or the baseline of `triple` if that is set. Code for
   * another CPU than the host's checks the CPU at run time (QF_ERROR_CPU). With
   * several names, such as "x86-64-v3,x86-64-v4", the code for the best one
   * that the machine supports is selected at run time. */
  const char *cpu;
  /** Null means the host's triple, the only one that is supported for kernels
   * in this process. */
  const char *triple;
  /** QUANT_FLOAT_TARGET_NVVM: the chip, e.g. "sm_90". For kernels in this
   * process, whether saved or not, null means the first GPU's. */
  const char *chip;
  /** QUANT_FLOAT_TARGET_NVVM: the PTX version, e.g. "+ptx80"; null means the
   * lowest that supports all of the chip's instructions. */
  const char *features;
  /** If nodes have no lowering, compile the subgraphs around quantization ops,
   * each as a separate entry point. */
  bool partition;
  /** Kernels in this process: check before each run that the tensors' memory is
   * readable and writable, and fail with QUANT_FLOAT_ERROR_ADDRESS if it is
   * not. This costs about 0.1 ms per run and is meant for debugging. Linux
   * only; device memory is not checked. */
  bool checkMemory;
  /** The symbol or graph name of the only function to compile; null or empty
   * means all functions. */
  const char *entry;
  /** A QuantFloatAccumulation. */
  int32_t accumulation;
  /** A QuantFloatActivations. */
  int32_t activations;
} QuantFloatCompileOptions;

/** Initializes `size` bytes, sizeof(QuantFloatCompileOptions), to the defaults.
 * Does nothing for null. */
QUANT_FLOAT_EXPORTED void
quantFloatCompileOptionsInit(QuantFloatCompileOptions *options, size_t size);

/** Compiles the model into this process. The model is not changed, and neither
 * the model nor the session needs to outlive the kernel. Large constants, of
 * 16 KiB and more on CPUs, are not copied but mapped from the model's file,
 * which must not change before the kernel is destroyed, unless `partition` is
 * set; for a GPU they are copied to the device once. `options` may be null.
 * Fails with QUANT_FLOAT_ERROR_DEVICE for NVVM if there is no GPU. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelCompile(
    QuantFloatModel model, const QuantFloatCompileOptions *options,
    QuantFloatKernel *kernel, QuantFloatError *error);

/** Compiles the model to a shared library and loads it; requires the linker
 * lld. quantFloatKernelLoad (Runtime.h) loads the library again, in any
 * process, without compilation. The library contains all constants. If the
 * machine has another CPU than `options` names, the library can be loaded, but
 * runs fail with QUANT_FLOAT_ERROR_CPU. The C header is written to the same
 * directory. A library that this process cannot load, such as code for another
 * architecture, is an error before anything is written, unless `kernel` is
 * null: then the library is written and not loaded. `options` may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelCompileToFile(
    QuantFloatModel model, const QuantFloatCompileOptions *options,
    const char *path, QuantFloatKernel *kernel, QuantFloatError *error);

/** The kinds of output of the compiler. */
typedef enum QuantFloatEmitKind {
  QUANT_FLOAT_EMIT_MLIR = 0,
  QUANT_FLOAT_EMIT_LLVM_DIALECT = 1,
  QUANT_FLOAT_EMIT_LLVM_IR = 2,
  QUANT_FLOAT_EMIT_ASSEMBLY = 3,
  QUANT_FLOAT_EMIT_OBJECT = 4,
  /** A shared library; only to files. Requires the linker lld. */
  QUANT_FLOAT_EMIT_SHARED = 5,
  /** The C header of the entry points. */
  QUANT_FLOAT_EMIT_HEADER = 6,
  /** QUANT_FLOAT_TARGET_NVVM. */
  QUANT_FLOAT_EMIT_PTX = 7,
  QUANT_FLOAT_EMIT_CUBIN = 8
} QuantFloatEmitKind;

/** Compiles the model and writes one kind of output to memory. `baseName` is
 * used for the include guard of headers; `baseName` and `options` may be null.
 * The model is not changed. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelEmit(
    QuantFloatModel model, int32_t kind,
    const QuantFloatCompileOptions *options, const char *baseName,
    QuantFloatBuffer *buffer, QuantFloatError *error);

/** Like quantFloatModelEmit, but writes to a file, which is replaced at the
 * end; on failure, an existing file stays. For objects and shared libraries,
 * the header is also written, to `path` with the suffix .h. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelEmitToFile(QuantFloatModel model, int32_t kind,
                          const QuantFloatCompileOptions *options,
                          const char *path, QuantFloatError *error);

/* Evaluating without compiling --------------------------------------------- */

/** Evaluates a function with the Reference, element by element, which is slow.
 * The function may contain casts, quantization ops and constants in one block.
 * `entry` is an index as in quantFloatModelGetEntry. The results are new
 * tensors. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelEvaluate(
    QuantFloatModel model, size_t entry, const qf_tensor *inputs,
    size_t numInputs, QuantFloatTensors *results, QuantFloatError *error);

/* Comparing the modes of fakeconvert --------------------------------------- */

/** The reason why the results of two modes differ for an element: the first
 * step at which they diverge, if that step alone leads to a different result.
 */
typedef enum QuantFloatModeDifference {
  /** The value to round is NaN. */
  QUANT_FLOAT_DIFFERENCE_NAN = 0,
  /** Both results are zeros. */
  QUANT_FLOAT_DIFFERENCE_SIGN_OF_ZERO = 1,
  /** An additional rounding before the rounding to float8, or before the
   * rounding of the result. */
  QUANT_FLOAT_DIFFERENCE_DOUBLE_ROUNDING = 2,
  /** OpenVINO's reference implementation rounds subnormals differently. */
  QUANT_FLOAT_DIFFERENCE_SUBNORMALS = 3,
  /** OpenVINO's reference implementation rounds bf16 differently. */
  QUANT_FLOAT_DIFFERENCE_BFLOAT16_ROUNDING = 4,
  /** A multiplication by the reciprocal instead of a division. */
  QUANT_FLOAT_DIFFERENCE_RECIPROCAL = 5
} QuantFloatModeDifference;

/** The number of elements for which two modes differ. */
typedef struct QuantFloatModeComparison {
  /** QuantFloatFakeConvertModes. */
  int32_t first, second;
  int64_t numDiffering;
  /** The number of differing elements for each QuantFloatModeDifference. */
  int64_t causes[6];
} QuantFloatModeComparison;

/** The differences of one fakeconvert. */
typedef struct QuantFloatFakeConvertReport {
  /** The name of the node in the model; empty if it has none. */
  const char *name;
  /** The float8 type that it rounds to, as MLIR spells it. */
  const char *destination;
  int64_t numElements;
  /** Whether it converts a constant, which OpenVINO folds with its reference
   * implementation. */
  bool isConstant;
  /** One comparison for each pair of modes. */
  QuantFloatModeComparison comparisons[3];
} QuantFloatFakeConvertReport;

/** Evaluates the fakeconverts of an entry in every mode, and compares the
 * results. The operands of the fakeconverts are computed from the inputs, which
 * are in host memory, by the model compiled with `options`, or by the Reference
 * if `options` is null. `entry` is an index as in quantFloatModelGetEntry. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelCompareModes(
    QuantFloatModel model, size_t entry, const qf_tensor *inputs,
    size_t numInputs, const QuantFloatCompileOptions *options,
    QuantFloatModeReport *report, QuantFloatError *error);

/** Returns the number of fakeconverts; 0 for a handle that is not of a mode
 * report. */
QUANT_FLOAT_EXPORTED size_t
quantFloatModeReportGetCount(QuantFloatModeReport report);

/** Returns a fakeconvert, which is valid for the lifetime of the report; null
 * if the index is out of range. */
QUANT_FLOAT_EXPORTED const QuantFloatFakeConvertReport *
quantFloatModeReportGet(QuantFloatModeReport report, size_t index);

/** Returns the report as quant-float-run --compare-modes prints it, valid for
 * the lifetime of the report; null for a handle that is not of a mode report.
 */
QUANT_FLOAT_EXPORTED const char *
quantFloatModeReportGetText(QuantFloatModeReport report);

/** Destroys the report. Fails for handles of destroyed reports. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModeReportDestroy(QuantFloatModeReport report);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_COMPILER_H */
