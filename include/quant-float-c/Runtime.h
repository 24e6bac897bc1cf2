/*===-- quant-float-c/Runtime.h - Running compiled models --------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * A kernel is a model that quantFloatModelCompile (Compiler.h) has compiled
 * into this process, or that quantFloatKernelLoad has loaded from a shared
 * library. Its entry points are the model's public functions, in the
 * order of the model. What is said about memory, elements, sizes and errors of
 * tensors in EntryPoint.h holds here: all tensors are the caller's, row-major,
 * at any alignment, and outputs overlap nothing. Kernels for GPUs take memory
 * of the first GPU; quantFloatKernelRunOnHost takes the host's.
 *
 * Support.h says what holds for handles, errors and threads. Any number of
 * threads may run one kernel at the same time. A run takes no lock and, unless
 * it fails, has strings or the model is a network, allocates nothing.
 */
#ifndef QUANT_FLOAT_C_RUNTIME_H
#define QUANT_FLOAT_C_RUNTIME_H

#include "quant-float-c/EntryPoint.h"
#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element types ------------------------------------------------------------ */

/** The bytes of one element in memory; 0 for a number that is no qf_dtype, for
 * strings, whose bytes are in a qf_strings, and for packed elements
 * (QF_PACKED), which quantFloatDtypeCountBytes counts. */
QUANT_FLOAT_EXPORTED size_t quantFloatDtypeGetBytes(int32_t dtype);

/** The bytes of a tensor of so many elements, packed or not; 0 for a number
 * that is no qf_dtype, and where no size_t holds as many. */
QUANT_FLOAT_EXPORTED size_t quantFloatDtypeCountBytes(int32_t dtype,
                                                      size_t count);

/** ONNX's name, e.g. "float8e4m3fn"; null for a number that is no qf_dtype.
 * Lives as long as the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatDtypeGetOnnxName(int32_t dtype);

/** MLIR's spelling, e.g. "f8E4M3FN"; null for a number that is no qf_dtype.
 * Lives as long as the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatDtypeGetMlirName(int32_t dtype);

/** The qf_dtype that ONNX or MLIR calls so; 0 if there is none. */
QUANT_FLOAT_EXPORTED int32_t quantFloatDtypeFromName(const char *name);

/* Random bits -------------------------------------------------------------- */

/** Fills `count` elements with random bits, those that quant_float.philox makes
 * of `seed` and `offset` (S3): of Philox 4x32-10, four elements of a block, the
 * same ones on every CPU and GPU. `dtype` is QF_UINT2, QF_UINT4, QF_UINT8,
 * QF_UINT16 or QF_UINT32; elements of less than a byte have a byte each. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatMakeRandomBits(int32_t dtype, uint64_t seed, uint64_t offset,
                         void *elements, size_t count, QuantFloatError *error);

/* Entry points ------------------------------------------------------------- */

/** An input or output as the model declares it. */
typedef struct QuantFloatArgument {
  /** The source model's name of it; may be empty. */
  const char *name;
  /** `rank` numbers, -1 where the model leaves the size open. */
  const int64_t *sizes;
  /** -1 where the rank is not known, which no kernel has. */
  int32_t rank;
  /** A qf_dtype; 0 for types that tensors in memory cannot have, which no
   * kernel has. */
  int32_t dtype;
} QuantFloatArgument;

/** An entry point of a kernel, or a function of a model that would become one.
 */
typedef struct QuantFloatEntry {
  /** The function's symbol, a C identifier in compiled code. */
  const char *name;
  /** The graph's name in the source model; may be empty. */
  const char *graphName;
  const QuantFloatArgument *inputs;
  size_t numInputs;
  const QuantFloatArgument *outputs;
  size_t numOutputs;
} QuantFloatEntry;

/** Loads a shared library that quant-float-compile, quantFloatModelEmitToFile
 * or quantFloatModelCompileToFile wrote; the file must stay as it is while the
 * kernel lives. A library of another maker is code of a stranger: it is not
 * looked at but for its version. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelLoad(
    const char *path, QuantFloatKernel *kernel, QuantFloatError *error);

/** The QuantFloatTarget (Compiler.h) that the kernel was compiled for, whose
 * memory it takes; -1 for a handle that is no kernel's. */
QUANT_FLOAT_EXPORTED int32_t quantFloatKernelGetTarget(QuantFloatKernel kernel);

/** The number of entry points; 0 for a handle that is no kernel's. */
QUANT_FLOAT_EXPORTED size_t
quantFloatKernelGetNumEntries(QuantFloatKernel kernel);

/** An entry point, as long as the kernel lives; null if there is no such one.
 */
QUANT_FLOAT_EXPORTED const QuantFloatEntry *
quantFloatKernelGetEntry(QuantFloatKernel kernel, size_t entry);

/** Finds the entry point with this symbol or graph name and writes its number
 * to `entry`. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatKernelFindEntry(QuantFloatKernel kernel, const char *name,
                          size_t *entry, QuantFloatError *error);

/** The entry point's C functions as EntryPoint.h describes them, for callers
 * that want to call them directly. They live as long as the kernel; nobody
 * checks the number of tensors. Either address may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelGetFunctions(
    QuantFloatKernel kernel, size_t entry,
    int (**run)(const qf_tensor *inputs, qf_tensor *outputs, char *error,
                size_t errorSize),
    int (**outputSizes)(const qf_tensor *inputs, int64_t *const *outputSizes,
                        char *error, size_t errorSize),
    QuantFloatError *error);

/* Runs --------------------------------------------------------------------- */

/** Writes the sizes that the outputs have for these inputs: as many numbers as
 * output i has dimensions to `outputSizes[i]`. Looks at `rank`, `dtype` and
 * `sizes` of the inputs, and at `data` only where sizes depend on what tensors
 * hold. `outputSizes` has `numOutputs` pointers; those of scalars may be null.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelGetOutputSizes(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, int64_t *const *outputSizes, size_t numOutputs,
    QuantFloatError *error);

/** The same for inputs in memory of the host, whatever the kernel runs on: for
 * a GPU they are copied there, where their elements count. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelGetOutputSizesOnHost(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, int64_t *const *outputSizes, size_t numOutputs,
    QuantFloatError *error);

/** Runs an entry point on the caller's buffers. Reads `inputs`, writes what
 * `outputs[i].data` points to, keeps no pointer. With an error of the arguments
 * nothing has been written. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelRun(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, qf_tensor *outputs, size_t numOutputs,
    QuantFloatError *error);

/** The same on memory of the host, whatever the kernel runs on: for a GPU
 * inputs are copied there and outputs back. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelRunOnHost(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, qf_tensor *outputs, size_t numOutputs,
    QuantFloatError *error);

/** New tensors for the outputs that these inputs give, not initialized, in the
 * memory that the kernel takes. Looks at `rank`, `dtype` and `sizes` of the
 * inputs, and at `data` only where sizes depend on what tensors hold. Strings
 * get room for short ones, see quantFloatTensorsMakeRoom.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelAllocateOutputs(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, QuantFloatTensors *outputs, QuantFloatError *error);

/** Destroys the kernel and its code once no thread runs it any more; returns at
 * once. Fails for handles of destroyed kernels. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatKernelDestroy(QuantFloatKernel kernel);

/* Tensors of the library --------------------------------------------------- */

/** Copies tensors from the host's memory to that of a QuantFloatTarget
 * (Compiler.h). */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsCreate(int32_t target, const qf_tensor *tensors, size_t count,
                        QuantFloatTensors *result, QuantFloatError *error);

/** After a run on these outputs that has failed with
 * QUANT_FLOAT_ERROR_CAPACITY, gives string tensors the room that they need: the
 * same run then succeeds. Strings that they held are gone. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsMakeRoom(QuantFloatTensors tensors, QuantFloatError *error);

/** The QuantFloatTarget whose memory the tensors are in; -1 for a handle that
 * is not of tensors. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatTensorsGetTarget(QuantFloatTensors tensors);

/** Copies the elements of a tensor to memory of the host, `size` bytes, which
 * must be as many as it has. Not of strings: those are the host's. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsRead(QuantFloatTensors tensors, size_t index, void *data,
                      size_t size, QuantFloatError *error);

/** The number of tensors; 0 for a handle that is not of tensors. */
QUANT_FLOAT_EXPORTED size_t
quantFloatTensorsGetCount(QuantFloatTensors tensors);

/** A tensor, as long as `tensors` lives; the caller may write its elements,
 * with the means of the device where they are a device's. Null if there is no
 * such one. */
QUANT_FLOAT_EXPORTED const qf_tensor *
quantFloatTensorsGet(QuantFloatTensors tensors, size_t index);

/** Destroys the tensors and their memory. Fails for handles of destroyed ones.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsDestroy(QuantFloatTensors tensors);

/* Comparing runs ----------------------------------------------------------- */

/** How two tensors of one type and shape differ. */
typedef struct QuantFloatTensorDifference {
  int64_t numElements;
  /** Elements with other bits, or strings with other bytes; NaNs are all alike.
   */
  int64_t numDiffering;
  /** The first of them; -1 where there is none. */
  int64_t first;
  /** The largest difference of two numbers; NaN where one is none, 0 of
   * strings. */
  double largest;
} QuantFloatTensorDifference;

/** Compares two tensors in the host's memory, such as the results of two runs.
 * Fails with QUANT_FLOAT_ERROR_SIZE where types or sizes differ. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatCompareTensors(
    const qf_tensor *one, const qf_tensor *other,
    QuantFloatTensorDifference *difference, QuantFloatError *error);

/** The name of the first GPU's chip, as the compiler knows it, e.g. "sm_90".
 * Fails with QUANT_FLOAT_ERROR_DEVICE where there is no GPU or no driver. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatDeviceGetChip(QuantFloatBuffer *chip, QuantFloatError *error);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_RUNTIME_H */
