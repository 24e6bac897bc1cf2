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
 * library. Its entry points are the model's public functions, in the order of
 * the model. The rules of EntryPoint.h for memory, elements, sizes and errors
 * of tensors apply: all tensors are owned by the caller and are row-major, at
 * any alignment, and outputs do not overlap other tensors. Kernels for GPUs
 * take memory of the first GPU; quantFloatKernelRunOnHost takes host memory.
 *
 * Support.h describes handles, errors and threads. Any number of threads may
 * run one kernel at the same time. A run takes no lock. It does not allocate
 * memory, unless it fails, has strings, or the model is a network.
 */
#ifndef QUANT_FLOAT_C_RUNTIME_H
#define QUANT_FLOAT_C_RUNTIME_H

#include "quant-float-c/EntryPoint.h"
#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element types ------------------------------------------------------------ */

/** Returns the size of one element in memory in bytes; 0 for a number that is
 * not a qf_dtype, for strings, whose bytes are in a qf_strings, and for packed
 * elements (QF_PACKED), for which quantFloatDtypeCountBytes returns the size.
 */
QUANT_FLOAT_EXPORTED size_t quantFloatDtypeGetBytes(int32_t dtype);

/** Returns the size in bytes of a tensor of `count` elements, packed or not; 0
 * for a number that is not a qf_dtype, and if the size overflows size_t. */
QUANT_FLOAT_EXPORTED size_t quantFloatDtypeCountBytes(int32_t dtype,
                                                      size_t count);

/** Returns ONNX's name, e.g. "float8e4m3fn"; null for a number that is not a
 * qf_dtype. The string is valid for the lifetime of the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatDtypeGetOnnxName(int32_t dtype);

/** Returns MLIR's spelling, e.g. "f8E4M3FN"; null for a number that is not a
 * qf_dtype. The string is valid for the lifetime of the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatDtypeGetMlirName(int32_t dtype);

/** Returns the qf_dtype with this ONNX or MLIR name; 0 if there is none. */
QUANT_FLOAT_EXPORTED int32_t quantFloatDtypeFromName(const char *name);

/* Random bits -------------------------------------------------------------- */

/** Fills `count` elements with the random bits that quant_float.philox
 * generates from `seed` and `offset` (S3). The generator is Philox 4x32-10 with
 * four elements per block; the bits are the same on every CPU and GPU. `dtype`
 * is QF_UINT2, QF_UINT4, QF_UINT8, QF_UINT16 or QF_UINT32; sub-byte elements
 * take one byte each. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatMakeRandomBits(int32_t dtype, uint64_t seed, uint64_t offset,
                         void *elements, size_t count, QuantFloatError *error);

/* Entry points ------------------------------------------------------------- */

/** An input or output as the model declares it. */
typedef struct QuantFloatArgument {
  /** The name in the source model; may be empty. */
  const char *name;
  /** `rank` numbers; -1 is a dynamic size. */
  const int64_t *sizes;
  /** -1 if the rank is unknown, which does not occur in kernels. */
  int32_t rank;
  /** A qf_dtype; 0 for types that tensors in memory cannot have, which do not
   * occur in kernels. */
  int32_t dtype;
} QuantFloatArgument;

/** An entry point of a kernel, or a function of a model that becomes one. */
typedef struct QuantFloatEntry {
  /** The function's symbol, a C identifier in compiled code. */
  const char *name;
  /** The name of the graph in the source model; may be empty. */
  const char *graphName;
  const QuantFloatArgument *inputs;
  size_t numInputs;
  const QuantFloatArgument *outputs;
  size_t numOutputs;
} QuantFloatEntry;

/** Loads a shared library that quant-float-compile, quantFloatModelEmitToFile
 * or quantFloatModelCompileToFile wrote. The file must not change during the
 * lifetime of the kernel. Loading a library executes its code; only its version
 * is checked, so the library must be trusted. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelLoad(
    const char *path, QuantFloatKernel *kernel, QuantFloatError *error);

/** Returns the QuantFloatTarget (Compiler.h) that the kernel was compiled for
 * and whose memory it takes; -1 for a handle that is not of a kernel. */
QUANT_FLOAT_EXPORTED int32_t quantFloatKernelGetTarget(QuantFloatKernel kernel);

/** Returns the number of entry points; 0 for a handle that is not of a kernel.
 */
QUANT_FLOAT_EXPORTED size_t
quantFloatKernelGetNumEntries(QuantFloatKernel kernel);

/** Returns an entry point, which is valid for the lifetime of the kernel; null
 * if the index is out of range. */
QUANT_FLOAT_EXPORTED const QuantFloatEntry *
quantFloatKernelGetEntry(QuantFloatKernel kernel, size_t entry);

/** Finds the entry point with this symbol or graph name and writes its index to
 * `entry`. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatKernelFindEntry(QuantFloatKernel kernel, const char *name,
                          size_t *entry, QuantFloatError *error);

/** Returns the entry point's C functions (see EntryPoint.h) for direct calls.
 * They are valid for the lifetime of the kernel and do not check the number of
 * tensors. Either address may be null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelGetFunctions(
    QuantFloatKernel kernel, size_t entry,
    int (**run)(const qf_tensor *inputs, qf_tensor *outputs, char *error,
                size_t errorSize),
    int (**outputSizes)(const qf_tensor *inputs, int64_t *const *outputSizes,
                        char *error, size_t errorSize),
    QuantFloatError *error);

/* Runs --------------------------------------------------------------------- */

/** Computes the sizes of the outputs for these inputs, and writes one number
 * for each dimension of output i to `outputSizes[i]`. Reads `rank`, `dtype` and
 * `sizes` of the inputs, and `data` only if sizes depend on the contents of
 * tensors. `outputSizes` has `numOutputs` pointers; those of scalars may be
 * null. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelGetOutputSizes(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, int64_t *const *outputSizes, size_t numOutputs,
    QuantFloatError *error);

/** Like quantFloatKernelGetOutputSizes, with inputs in host memory, whatever
 * the target of the kernel. For a GPU, inputs are copied to the device if sizes
 * depend on their elements. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelGetOutputSizesOnHost(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, int64_t *const *outputSizes, size_t numOutputs,
    QuantFloatError *error);

/** Runs an entry point on the caller's buffers. Reads `inputs`, writes to
 * `outputs[i].data` and keeps no pointer. If the arguments are invalid, nothing
 * is written. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelRun(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, qf_tensor *outputs, size_t numOutputs,
    QuantFloatError *error);

/** Like quantFloatKernelRun, with tensors in host memory, whatever the target
 * of the kernel. For a GPU, inputs are copied to the device and outputs are
 * copied back. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelRunOnHost(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, qf_tensor *outputs, size_t numOutputs,
    QuantFloatError *error);

/** Allocates uninitialized tensors for the outputs of these inputs, in the
 * memory that the kernel takes. Reads `rank`, `dtype` and `sizes` of the
 * inputs, and `data` only if sizes depend on the contents of tensors. String
 * tensors get capacity for short strings; see quantFloatTensorsMakeRoom. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatKernelAllocateOutputs(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, QuantFloatTensors *outputs, QuantFloatError *error);

/** Destroys the kernel. Returns immediately; the code is freed when no thread
 * runs it anymore. Fails for handles of destroyed kernels. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatKernelDestroy(QuantFloatKernel kernel);

/* Tensors of the library --------------------------------------------------- */

/** Copies tensors from host memory to the memory of a QuantFloatTarget
 * (Compiler.h). */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsCreate(int32_t target, const qf_tensor *tensors, size_t count,
                        QuantFloatTensors *result, QuantFloatError *error);

/** Grows the capacity of string tensors as required, after a run with these
 * outputs that failed with QUANT_FLOAT_ERROR_CAPACITY; the same run then
 * succeeds. Discards the strings that they held. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsMakeRoom(QuantFloatTensors tensors, QuantFloatError *error);

/** Returns the QuantFloatTarget whose memory holds the tensors; -1 for a handle
 * that is not of tensors. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatTensorsGetTarget(QuantFloatTensors tensors);

/** Copies the elements of a tensor to host memory. `size` must be the size of
 * the tensor in bytes. Not for strings, which are always in host memory. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsRead(QuantFloatTensors tensors, size_t index, void *data,
                      size_t size, QuantFloatError *error);

/** Returns the number of tensors; 0 for a handle that is not of tensors. */
QUANT_FLOAT_EXPORTED size_t
quantFloatTensorsGetCount(QuantFloatTensors tensors);

/** Returns a tensor, which is valid for the lifetime of `tensors`; null if the
 * index is out of range. The caller may write the elements; those in device
 * memory are only accessible through the device's API. */
QUANT_FLOAT_EXPORTED const qf_tensor *
quantFloatTensorsGet(QuantFloatTensors tensors, size_t index);

/** Destroys the tensors and frees their memory. Fails for handles of destroyed
 * tensors. */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatTensorsDestroy(QuantFloatTensors tensors);

/* Comparing runs ----------------------------------------------------------- */

/** The differences between two tensors of the same type and shape. */
typedef struct QuantFloatTensorDifference {
  int64_t numElements;
  /** The number of elements with different bits, or of strings with different
   * bytes; all NaNs are equal. */
  int64_t numDiffering;
  /** The index of the first differing element; -1 if there is none. */
  int64_t first;
  /** The largest absolute difference of two elements; NaN if one of them is
   * NaN, 0 for strings. */
  double largest;
} QuantFloatTensorDifference;

/** Compares two tensors in host memory, such as the results of two runs. Fails
 * with QUANT_FLOAT_ERROR_SIZE if types or sizes differ. */
QUANT_FLOAT_EXPORTED QuantFloatStatus quantFloatCompareTensors(
    const qf_tensor *one, const qf_tensor *other,
    QuantFloatTensorDifference *difference, QuantFloatError *error);

/** Returns the name of the first GPU's chip in the compiler's spelling, e.g.
 * "sm_90". Fails with QUANT_FLOAT_ERROR_DEVICE if there is no GPU or no driver.
 */
QUANT_FLOAT_EXPORTED QuantFloatStatus
quantFloatDeviceGetChip(QuantFloatBuffer *chip, QuantFloatError *error);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_RUNTIME_H */
