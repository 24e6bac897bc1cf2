/*===-- quant-float-c/Compiler.h - Reading and compiling models --*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * A session holds an MLIR context. Models are read into it, checked, changed by
 * passes and compiled:
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
 * Support.h says what holds for handles, ownership, errors and threads,
 * Runtime.h what a kernel can do. A session needs some 150 kilobytes, a kernel
 * 100; many models may be read into one, but what MLIR keeps of types and
 * attributes is freed with the session only, so long-running programs make a
 * new one now and then.
 */
#ifndef QUANT_FLOAT_C_COMPILER_H
#define QUANT_FLOAT_C_COMPILER_H

#include "quant-float-c/Runtime.h"
#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sessions ----------------------------------------------------------------- */

/** How far a long call has come. The strings last for one call of the callback.
 */
typedef struct QuantFloatProgress {
  /** "read", "lower" or "generate". */
  const char *stage;
  /** What begins now, e.g. the flag of a pass; may be empty. */
  const char *detail;
  /** How many steps of the stage are done. */
  uint64_t done;
} QuantFloatProgress;

/** Is told of progress; false asks for an end as soon as possible, and the call
 * then fails with QUANT_FLOAT_ERROR_CANCELLED. */
typedef bool (*QuantFloatProgressCallback)(const QuantFloatProgress *progress,
                                           void *userData);

/** Is told of every diagnostic as it is emitted, those of calls that succeed
 * included. */
typedef void (*QuantFloatDiagnosticCallback)(
    const QuantFloatDiagnostic *diagnostic, void *userData);

/** Fields may be added at the end; quantFloatSessionOptionsInit gives defaults.
 */
typedef struct QuantFloatSessionOptions {
  /** sizeof(QuantFloatSessionOptions), as ...Init was told. */
  size_t size;
  /** Null: none. */
  QuantFloatDiagnosticCallback onDiagnostic;
  void *diagnosticUserData;
  /** Null: none. */
  QuantFloatProgressCallback onProgress;
  void *progressUserData;
} QuantFloatSessionOptions;

/** Writes the defaults, no callbacks, to `size` bytes:
 * sizeof(QuantFloatSessionOptions). Null is left alone. */
QUANT_FLOAT_EXPORTED void
quantFloatSessionOptionsInit(QuantFloatSessionOptions *options, size_t size);

/** Creates a session. `options` may be null and is copied. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatSessionCreate(const QuantFloatSessionOptions *options,
                        QuantFloatSession *session, QuantFloatError *error);

/** Destroys the session. Its models stay valid. Fails for handles of destroyed
 * sessions. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatSessionDestroy(QuantFloatSession session);

/* Reading models ----------------------------------------------------------- */

/** Whose arithmetic a fakeconvert follows. */
typedef enum QuantFloatFakeConvertMode {
  /** What the model says; OpenVINO's for models of OpenVINO. */
  QUANT_FLOAT_FAKE_CONVERT_OF_MODEL = -1,
  QUANT_FLOAT_FAKE_CONVERT_EXACT = 0,
  QUANT_FLOAT_FAKE_CONVERT_OPENVINO = 1,
  QUANT_FLOAT_FAKE_CONVERT_OPENVINO_REFERENCE = 2
} QuantFloatFakeConvertMode;

/** Fields may be added at the end; quantFloatLoadOptionsInit gives defaults. */
typedef struct QuantFloatLoadOptions {
  /** sizeof(QuantFloatLoadOptions), as ...Init was told. */
  size_t size;
  /** Off, the ops are left unverified, for quantFloatModelCheck. */
  bool verify;
  /** A QuantFloatFakeConvertMode. */
  int32_t fakeConvertMode;
  /** The file's name in diagnostics of models read from memory; null:
   * "<memory>".
   */
  const char *name;
  /** ONNX from memory: the folder of external data; null: it is refused. */
  const char *externalDataFolder;
  /** OpenVINO from memory: the .bin file; null: constants are refused. */
  const char *weightsPath;
} QuantFloatLoadOptions;

/** Writes the defaults, verify and the mode of the model, to `size` bytes:
 * sizeof(QuantFloatLoadOptions). Null is left alone. */
QUANT_FLOAT_EXPORTED void
quantFloatLoadOptionsInit(QuantFloatLoadOptions *options, size_t size);

/** The forms that a model in memory may have. */
typedef enum QuantFloatFormat {
  /** MLIR as text or bytecode. */
  QUANT_FLOAT_FORMAT_MLIR = 0,
  /** A serialized ONNX ModelProto. */
  QUANT_FLOAT_FORMAT_ONNX = 1,
  /** The XML of OpenVINO's IR. */
  QUANT_FLOAT_FORMAT_OPENVINO = 2
} QuantFloatFormat;

/** Reads a model from a file: .onnx, OpenVINO's .xml with its .bin beside it,
 * .mlir or .mlirbc. The file must not change while the model lives, because
 * large constants stay in it. `options` may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelLoad(QuantFloatSession session, const char *path,
                    const QuantFloatLoadOptions *options,
                    QuantFloatModel *model, QuantFloatError *error);

/** Reads a model from memory, which may be freed afterwards. `format` is a
 * QuantFloatFormat, `options` may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelParse(
    QuantFloatSession session, int32_t format, const void *data, size_t size,
    const QuantFloatLoadOptions *options, QuantFloatModel *model,
    QuantFloatError *error);

/** Destroys the model. Fails for handles of destroyed models. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelDestroy(QuantFloatModel model);

/* Looking at and changing models ------------------------------------------- */

/** The number of public functions, which become entry points; 0 for a handle
 * that is no model's. */
QUANT_FLOAT_EXPORTED size_t quantFloatModelGetNumEntries(QuantFloatModel model);

/** A function as the model declares it; null if there is no such one. Lives as
 * long as the model, and goes on saying what it said when passes have changed
 * the function. */
QUANT_FLOAT_EXPORTED const QuantFloatEntry *
quantFloatModelGetEntry(QuantFloatModel model, size_t entry);

/** Finds the function with this symbol or graph name and writes its number to
 * `entry`. The empty name is that of the only function. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelFindEntry(QuantFloatModel model, const char *name, size_t *entry,
                         QuantFloatError *error);

/** Verifies the model: every op against the rules of its opset. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelVerify(QuantFloatModel model, QuantFloatError *error);

/** Runs a pipeline in MLIR's textual form on the model, e.g.
 * "builtin.module(quant-float-fuse-qdq,canonicalize)": this project's passes
 * and pipelines, and upstream's canonicalize, cse, inline, symbol-dce and
 * others of mlir-c/Transforms.h. After a failure the model is in an unspecified
 * state; it can only be destroyed, printed or looked at. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelRunPasses(
    QuantFloatModel model, const char *pipeline, QuantFloatError *error);

/** Gives every fakeconvert the mode, a QuantFloatFakeConvertMode. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelSetFakeConvertMode(
    QuantFloatModel model, int32_t mode, QuantFloatError *error);

/** Makes the input of this name, of each function that has one, a constant: the
 * tensor, which is copied, has its element type, in either form, and its sizes.
 * Sizes of outputs that an input tells, and axes, are known then. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelBindInput(QuantFloatModel model, const char *name,
                         const qf_tensor *tensor, QuantFloatError *error);

/** Writes the model as MLIR, as text, or as bytecode if it is valid. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelWrite(QuantFloatModel model, bool asBytecode,
                     QuantFloatBuffer *buffer, QuantFloatError *error);

/* Checking ----------------------------------------------------------------- */

/** Opsets to check against, besides numbers of ONNX's opsets. */
enum {
  /** Each node's own. */
  QUANT_FLOAT_OPSET_OWN = 0,
  /** Each node's own, and what every known one says. */
  QUANT_FLOAT_OPSET_ALL = -1
};

/** What became of a node. */
typedef enum QuantFloatNodeStatus {
  QUANT_FLOAT_NODE_VALID = 0,
  QUANT_FLOAT_NODE_INVALID = 1,
  /** Its types are not known. */
  QUANT_FLOAT_NODE_NOT_VERIFIED = 2
} QuantFloatNodeStatus;

/** What the opsets `first` to `last` say alike. */
typedef struct QuantFloatOpsetVerdict {
  int64_t first;
  int64_t last;
  bool accepted;
  /** Why not; empty where accepted. */
  const char *reason;
} QuantFloatOpsetVerdict;

/** One quantization node of a model. */
typedef struct QuantFloatNodeReport {
  /** The model's name of the node; empty where it has none. */
  const char *name;
  /** The source standard's name of the op, e.g. "CastLike". */
  const char *opName;
  /** Null where no file is known. */
  const char *file;
  /** From 1; 0 where the place is in no line. */
  int32_t line;
  int32_t column;
  /** The node's own opset; 0 where it is not known. */
  int64_t opset;
  /** A QuantFloatNodeStatus, of the opset that was asked for. */
  int32_t status;
  /** Why not; empty for a valid node. */
  const char *reason;
  const char *const *notes;
  size_t numNotes;
  /** With QUANT_FLOAT_OPSET_ALL. */
  const QuantFloatOpsetVerdict *opsets;
  size_t numOpsets;
  /** What is doubtful, but no error. */
  const char *const *warnings;
  size_t numWarnings;
} QuantFloatNodeReport;

/** Verifies every quantization node of the model against an opset of ONNX,
 * QUANT_FLOAT_OPSET_OWN or QUANT_FLOAT_OPSET_ALL. That nodes are invalid is no
 * error but in the report. The model, which may be unverified, is not changed.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelCheck(QuantFloatModel model, int64_t opset,
                     QuantFloatReport *report, QuantFloatError *error);

/** The number of nodes; 0 for a handle that is no report's. */
QUANT_FLOAT_EXPORTED size_t
quantFloatReportGetNumNodes(QuantFloatReport report);

/** A node, as long as the report lives; null if there is no such one. */
QUANT_FLOAT_EXPORTED const QuantFloatNodeReport *
quantFloatReportGetNode(QuantFloatReport report, size_t node);

/** The number of nodes that are invalid; 0 for a handle that is no report's. */
QUANT_FLOAT_EXPORTED size_t
quantFloatReportGetNumInvalid(QuantFloatReport report);

/** The report as lines of text, as long as it lives; null for a handle that is
 * no report's. */
QUANT_FLOAT_EXPORTED const char *
quantFloatReportGetText(QuantFloatReport report);

/** The report as a JSON array of objects, as quant-float-check --json prints
 * it, as long as it lives; null for a handle that is no report's. */
QUANT_FLOAT_EXPORTED const char *
quantFloatReportGetJson(QuantFloatReport report);

/** Destroys the report. Fails for handles of destroyed reports. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatReportDestroy(QuantFloatReport report);

/* Compiling ---------------------------------------------------------------- */

/** What entry points run on. */
typedef enum QuantFloatTarget {
  QUANT_FLOAT_TARGET_CPU = 0,
  /** NVIDIA GPUs. Kernels in this process are for the first one. */
  QUANT_FLOAT_TARGET_NVVM = 1
} QuantFloatTarget;

/** How sums of products are rounded. */
typedef enum QuantFloatSums {
  /** Each product and each sum on its own, in a stated order: the same bits on
   * every CPU. */
  QUANT_FLOAT_SUMS_STATED = 0,
  /** In that order, by fused multiply-adds where the CPU has them; on GPUs also
   * in others, by instructions for products of matrices. */
  QUANT_FLOAT_SUMS_FAST = 1
} QuantFloatSums;

/** What vectors are multiplied with weights of 8, 4 or 2 bits as, in code for
 * CPUs. */
typedef enum QuantFloatActivations {
  /** As they are. */
  QUANT_FLOAT_ACTIVATIONS_FLOAT = 0,
  /** Rounded to integers of 16 or 8 bits, with a scale for each 32 elements:
   * the same bits on every CPU, with an error that docs/rules.md (R8) states.
   */
  QUANT_FLOAT_ACTIVATIONS_INT16 = 1,
  QUANT_FLOAT_ACTIVATIONS_INT8 = 2
} QuantFloatActivations;

/** Fields may be added at the end; quantFloatCompileOptionsInit gives defaults.
 */
typedef struct QuantFloatCompileOptions {
  /** sizeof(QuantFloatCompileOptions), as ...Init was told. */
  size_t size;
  /** A QuantFloatTarget. */
  int32_t target;
  /** 0 to 3: what kernels gain from is level 1 and 2, the whole of LLVM's
   * pipeline 3; 2 by default. */
  uint32_t optimizationLevel;
  /** 1, the default: no threads; 0: as many as OpenMP gives; else so many. */
  uint32_t threads;
  /** A QuantFloatFakeConvertMode for the compiled code alone. */
  int32_t fakeConvertMode;
  /** A name LLVM knows; null or "host" is this machine's with all its features,
   * or the baseline of `triple` where that is given. Code for another CPU than
   * the host's checks the CPU when it runs (QF_ERROR_CPU). Of several,
   * "x86-64-v3,x86-64-v4", it takes the best that the machine is. */
  const char *cpu;
  /** Null: this machine's. Kernels in this process can have no other. */
  const char *triple;
  /** QUANT_FLOAT_TARGET_NVVM: the chip, e.g. "sm_90". Null is, for kernels in
   * this process, saved or not, the first GPU's. */
  const char *chip;
  /** QUANT_FLOAT_TARGET_NVVM: the version of PTX, e.g. "+ptx80"; null: the
   * least that has all of the chip's instructions. */
  const char *features;
  /** Compile what surrounds quantization ops, each group an entry point of its
   * own, where nodes have no lowering. */
  bool islands;
  /** Kernels in this process: look before each run whether the tensors' memory
   * may be read and written, and fail with QUANT_FLOAT_ERROR_ADDRESS where not.
   * Costs some 0.1 ms a run, to find mistakes with; Linux only. Not for memory
   * of a device. */
  bool checkMemory;
  /** The symbol or graph name of the only function to compile; null or empty:
   * all of them. */
  const char *entry;
  /** A QuantFloatSums. */
  int32_t sums;
  /** A QuantFloatActivations. */
  int32_t activations;
} QuantFloatCompileOptions;

/** Writes the defaults to `size` bytes: sizeof(QuantFloatCompileOptions). Null
 * is left alone. */
QUANT_FLOAT_EXPORTED void
quantFloatCompileOptionsInit(QuantFloatCompileOptions *options, size_t size);

/** Compiles the model into this process. Neither the model, which is not
 * changed, nor the session need to live as long as the kernel. Constants of 64
 * KiB and more stay where the model has them, mapped from its file, which must
 * not change before the kernel is destroyed, unless `islands` is set; for a GPU
 * they are copied there once. `options` may be null. Fails with
 * QUANT_FLOAT_ERROR_DEVICE for NVVM where there is no GPU. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelCompile(
    QuantFloatModel model, const QuantFloatCompileOptions *options,
    QuantFloatKernel *kernel, QuantFloatError *error);

/** Compiles the model to a shared library, which needs a linker, lld, and loads
 * it: quantFloatKernelLoad (Runtime.h) loads it again, in any process, without
 * compiling. The library holds all constants, and the machine may have another
 * CPU than `options` names; runs fail with QUANT_FLOAT_ERROR_CPU then. The C
 * header goes beside it. What this process cannot load, such as code for
 * another architecture, is refused before anything is written, unless `kernel`
 * is null: then the library is written and not loaded. `options` may be null.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelCompileToFile(
    QuantFloatModel model, const QuantFloatCompileOptions *options,
    const char *path, QuantFloatKernel *kernel, QuantFloatError *error);

/** What the compiler can write. */
typedef enum QuantFloatEmitKind {
  QUANT_FLOAT_EMIT_MLIR = 0,
  QUANT_FLOAT_EMIT_LLVM_DIALECT = 1,
  QUANT_FLOAT_EMIT_LLVM_IR = 2,
  QUANT_FLOAT_EMIT_ASSEMBLY = 3,
  QUANT_FLOAT_EMIT_OBJECT = 4,
  /** A shared library; only to files. Needs a linker, lld. */
  QUANT_FLOAT_EMIT_SHARED = 5,
  /** The C header of the entry points. */
  QUANT_FLOAT_EMIT_HEADER = 6,
  /** QUANT_FLOAT_TARGET_NVVM. */
  QUANT_FLOAT_EMIT_PTX = 7,
  QUANT_FLOAT_EMIT_CUBIN = 8
} QuantFloatEmitKind;

/** Compiles the model and writes one kind of output to memory. `baseName` is
 * for the include guard of headers; it and `options` may be null. The model is
 * not changed. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelEmit(
    QuantFloatModel model, int32_t kind,
    const QuantFloatCompileOptions *options, const char *baseName,
    QuantFloatBuffer *buffer, QuantFloatError *error);

/** The same to a file, which is replaced when all is done; on failure an
 * existing one stays as it was. Beside objects and shared libraries goes their
 * header, `path` with .h. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModelEmitToFile(QuantFloatModel model, int32_t kind,
                          const QuantFloatCompileOptions *options,
                          const char *path, QuantFloatError *error);

/* Evaluating without compiling --------------------------------------------- */

/** Computes a function with the Reference, element by element and slowly:
 * casts, quantizations and constants in one block. `entry` counts as
 * quantFloatModelGetEntry does. The results are new tensors. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelEvaluate(
    QuantFloatModel model, size_t entry, const qf_tensor *inputs,
    size_t numInputs, QuantFloatTensors *results, QuantFloatError *error);

/* Comparing the modes of fakeconvert --------------------------------------- */

/** Why two modes give an element other values: the first step at which they
 * part, where it alone brings about another result. */
typedef enum QuantFloatModeDifference {
  /** What is to be rounded is no number. */
  QUANT_FLOAT_DIFFERENCE_NAN = 0,
  /** Both results are zeros. */
  QUANT_FLOAT_DIFFERENCE_SIGN_OF_ZERO = 1,
  /** A rounding before that to float8, or before that of the result. */
  QUANT_FLOAT_DIFFERENCE_DOUBLE_ROUNDING = 2,
  /** OpenVINO's reference rounds subnormals its own way. */
  QUANT_FLOAT_DIFFERENCE_SUBNORMALS = 3,
  /** And so bf16. */
  QUANT_FLOAT_DIFFERENCE_BFLOAT16_ROUNDING = 4,
  /** A multiplication by the reciprocal in place of a division. */
  QUANT_FLOAT_DIFFERENCE_RECIPROCAL = 5
} QuantFloatModeDifference;

/** Elements that two modes differ in. */
typedef struct QuantFloatModeComparison {
  /** QuantFloatFakeConvertModes. */
  int32_t first, second;
  int64_t numDiffering;
  /** Those by their QuantFloatModeDifference. */
  int64_t causes[6];
} QuantFloatModeComparison;

/** One fakeconvert. */
typedef struct QuantFloatFakeConvertReport {
  /** The model's name of the node; empty where it has none. */
  const char *name;
  /** MLIR's spelling of the float8 type that it rounds to. */
  const char *destination;
  int64_t numElements;
  /** Whether it converts a constant, which OpenVINO folds as its reference. */
  bool isConstant;
  /** Every pair of modes. */
  QuantFloatModeComparison comparisons[3];
} QuantFloatFakeConvertReport;

/** Converts what the fakeconverts of an entry convert in every mode. What they
 * are given for these inputs, which are in the host's memory, is computed by
 * the model compiled with `options`, or where these are null by the Reference.
 * `entry` counts as quantFloatModelGetEntry does. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatModelCompareModes(
    QuantFloatModel model, size_t entry, const qf_tensor *inputs,
    size_t numInputs, const QuantFloatCompileOptions *options,
    QuantFloatModeReport *report, QuantFloatError *error);

/** The number of fakeconverts; 0 for a handle that is no such report's. */
QUANT_FLOAT_EXPORTED size_t
quantFloatModeReportGetCount(QuantFloatModeReport report);

/** A fakeconvert, as long as the report lives; null if there is no such one. */
QUANT_FLOAT_EXPORTED const QuantFloatFakeConvertReport *
quantFloatModeReportGet(QuantFloatModeReport report, size_t index);

/** The report as quant-float-run --compare-modes prints it, as long as it
 * lives; null for a handle that is no such report's. */
QUANT_FLOAT_EXPORTED const char *
quantFloatModeReportGetText(QuantFloatModeReport report);

/** Destroys the report. Fails for handles of destroyed reports. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatModeReportDestroy(QuantFloatModeReport report);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_COMPILER_H */
