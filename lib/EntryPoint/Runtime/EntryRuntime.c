/*===-- EntryRuntime.c - What every compiled entry point shares --*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Compiled to LLVM bitcode when quant-float is built and linked into the code
 * of every model. Freestanding: no C library, no floating point, only the
 * architecture's baseline instructions.
 */
#include "CpuFeatures.h"
#include "FloatEnvironment.h"
#include "Message.h"
#include "Table.h"
#include "quant-float-c/EntryPoint.h"

/* Everything the checks need to know about one call. */
typedef struct Call {
  const int64_t *table;
  const char *names;
  const qf_tensor *inputs;
  const qf_tensor *outputs;
  /* Whether data is in the memory of a device. */
  int isOnDevice;
  Message message;
} Call;

static const int64_t *nextArgument(const int64_t *argument) {
  return argument + QF_ARGUMENT_SIZES + argument[QF_ARGUMENT_RANK];
}

static const char *getTypeName(int64_t dtype) {
  switch (dtype) {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, ...)                           \
  case Number:                                                                 \
    return Onnx;
#include "quant-float/Support/ElementTypes.def"
  default:
    return "an unknown type";
  }
}

static void putTypeMismatch(Message *message, int64_t expected, int64_t given) {
  putText(message, "expected element type ");
  putText(message, getTypeName(expected));
  putText(message, " (");
  putNumber(message, expected);
  putText(message, "), but got ");
  putText(message, getTypeName(given));
  putText(message, " (");
  putNumber(message, given);
  putText(message, ")");
}

static int failWithNull(Call *call, const char *kind, int64_t index,
                        const char *name, const char *what) {
  putArgument(&call->message, call->names, kind, index, name);
  putText(&call->message, what);
  putText(&call->message, " is null");
  return QF_ERROR_NULL;
}

static int failWithNullArray(Call *call, const char *what) {
  putText(&call->message, call->names);
  putText(&call->message, ": ");
  putText(&call->message, what);
  putText(&call->message, " is null");
  return QF_ERROR_NULL;
}

/*
 * Bytes of the tensor, or -1 when they do not fit the address space. A zero
 * anywhere makes it empty, however large the other sizes are.
 */
static int64_t countBytes(const qf_tensor *tensor, int64_t rank,
                          int64_t elementBytes) {
  int64_t bytes = elementBytes;
  int overflow = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (tensor->sizes[i] == 0)
      return 0;
    overflow |= __builtin_mul_overflow(bytes, tensor->sizes[i], &bytes);
  }
  return overflow ? -1 : bytes;
}

/*
 * Element type, rank and sizes of one argument. `implied`, for outputs, are the
 * sizes that follow from the inputs; the model's own otherwise.
 */
static int checkShape(Call *call, const char *kind, int64_t index,
                      const int64_t *argument, const qf_tensor *tensor,
                      const int64_t *implied) {
  const char *name = call->names + argument[QF_ARGUMENT_NAME];
  int64_t rank = argument[QF_ARGUMENT_RANK];
  const int64_t *sizes = implied ? implied : argument + QF_ARGUMENT_SIZES;
  Message *message = &call->message;
  if (tensor->dtype != argument[QF_ARGUMENT_DTYPE]) {
    putArgument(message, call->names, kind, index, name);
    putTypeMismatch(message, argument[QF_ARGUMENT_DTYPE], tensor->dtype);
    return QF_ERROR_ELEMENT_TYPE;
  }
  if (tensor->rank != rank) {
    putArgument(message, call->names, kind, index, name);
    putExpected(message, "rank", rank, tensor->rank);
    return QF_ERROR_RANK;
  }
  if (rank && !tensor->sizes)
    return failWithNull(call, kind, index, name, "sizes");
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = tensor->sizes[i];
    if (size >= 0 && (sizes[i] < 0 || sizes[i] == size))
      continue;
    putArgument(message, call->names, kind, index, name);
    putText(message, "dimension ");
    putNumber(message, i);
    putText(message, ": ");
    if (sizes[i] < 0) {
      putText(message, "expected a size of 0 or more, but got ");
      putNumber(message, size);
    } else {
      putExpected(message, "size", sizes[i], size);
    }
    return QF_ERROR_SIZE;
  }
  if (countBytes(tensor, rank, argument[QF_ARGUMENT_BYTES]) < 0) {
    putArgument(message, call->names, kind, index, name);
    putText(message,
            "expected at most 9223372036854775807 bytes, but the sizes "
            "give more");
    return QF_ERROR_SIZE;
  }
  return QF_OK;
}

static int checkData(Call *call, const char *kind, int64_t index,
                     const int64_t *argument, const qf_tensor *tensor) {
  const char *name = call->names + argument[QF_ARGUMENT_NAME];
  int64_t bytes = argument[QF_ARGUMENT_BYTES];
  if (!countBytes(tensor, argument[QF_ARGUMENT_RANK], bytes))
    return QF_OK;
  if (!tensor->data)
    return failWithNull(call, kind, index, name, "data");
  int64_t rest = (int64_t)((uintptr_t)tensor->data % (uintptr_t)bytes);
  if (!call->isOnDevice || !rest)
    return QF_OK;
  putArgument(&call->message, call->names, kind, index, name);
  putText(&call->message,
          "expected an address on the device that is a multiple of ");
  putNumber(&call->message, bytes);
  putText(&call->message, ", but got one that is ");
  putNumber(&call->message, rest);
  putText(&call->message, " more");
  return QF_ERROR_ALIGNMENT;
}

static int checkInputShapes(Call *call) {
  const int64_t *argument = call->table + QF_TABLE_ARGUMENTS;
  int64_t count = call->table[QF_TABLE_NUM_INPUTS];
  if (count && !call->inputs)
    return failWithNullArray(call, "inputs");
  for (int64_t i = 0; i < count; ++i, argument = nextArgument(argument)) {
    int status = checkShape(call, "input", i, argument, &call->inputs[i], 0);
    if (status)
      return status;
  }
  return QF_OK;
}

static int sharesBytes(const qf_tensor *a, const int64_t *argumentA,
                       const qf_tensor *b, const int64_t *argumentB) {
  uint64_t sizeA = (uint64_t)countBytes(a, argumentA[QF_ARGUMENT_RANK],
                                        argumentA[QF_ARGUMENT_BYTES]);
  uint64_t sizeB = (uint64_t)countBytes(b, argumentB[QF_ARGUMENT_RANK],
                                        argumentB[QF_ARGUMENT_BYTES]);
  uintptr_t startA = (uintptr_t)a->data, startB = (uintptr_t)b->data;
  if (!sizeA || !sizeB)
    return 0;
  return startA < startB ? startB - startA < sizeA : startA - startB < sizeB;
}

/* No output may share bytes with an input or with an output before it. */
static int checkOverlap(Call *call) {
  int64_t inputs = call->table[QF_TABLE_NUM_INPUTS];
  int64_t outputs = call->table[QF_TABLE_NUM_OUTPUTS];
  const int64_t *output = call->table + QF_TABLE_ARGUMENTS;
  for (int64_t i = 0; i < inputs; ++i)
    output = nextArgument(output);
  for (int64_t i = 0; i < outputs; ++i, output = nextArgument(output)) {
    const int64_t *other = call->table + QF_TABLE_ARGUMENTS;
    for (int64_t j = 0; j < inputs + i; ++j, other = nextArgument(other)) {
      int isInput = j < inputs;
      const qf_tensor *tensor =
          isInput ? &call->inputs[j] : &call->outputs[j - inputs];
      if (!sharesBytes(&call->outputs[i], output, tensor, other))
        continue;
      Message *message = &call->message;
      putArgument(message, call->names, "output", i,
                  call->names + output[QF_ARGUMENT_NAME]);
      putText(message, isInput ? "overlaps input " : "overlaps output ");
      putNumber(message, isInput ? j : j - inputs);
      return QF_ERROR_OVERLAP;
    }
  }
  return QF_OK;
}

/* `implied` holds the sizes of all outputs, one after the other. */
static int checkMemory(Call *call, const int64_t *implied) {
  const int64_t *argument = call->table + QF_TABLE_ARGUMENTS;
  int64_t inputs = call->table[QF_TABLE_NUM_INPUTS];
  int64_t outputs = call->table[QF_TABLE_NUM_OUTPUTS];
  int status = QF_OK;
  for (int64_t i = 0; i < inputs; ++i, argument = nextArgument(argument)) {
    status = checkData(call, "input", i, argument, &call->inputs[i]);
    if (status)
      return status;
  }
  if (outputs && !call->outputs)
    return failWithNullArray(call, "outputs");
  for (int64_t i = 0; i < outputs; ++i, argument = nextArgument(argument)) {
    const qf_tensor *tensor = &call->outputs[i];
    status = checkShape(call, "output", i, argument, tensor, implied);
    if (!status)
      status = checkData(call, "output", i, argument, tensor);
    if (status)
      return status;
    implied += argument[QF_ARGUMENT_RANK];
  }
  return checkOverlap(call);
}

static int checkCpu(Call *call) {
  const char *missing = findMissingCpuFeature();
  if (!missing)
    return QF_OK;
  putText(&call->message, call->names);
  putText(&call->message, ": expected a CPU with ");
  putText(&call->message, missing);
  putText(&call->message, ", but this machine's CPU lacks it");
  return QF_ERROR_CPU;
}

/* The checks' part of the table. */
static const int64_t *getChecks(const Call *call) {
  const int64_t *argument = call->table + QF_TABLE_ARGUMENTS;
  int64_t count =
      call->table[QF_TABLE_NUM_INPUTS] + call->table[QF_TABLE_NUM_OUTPUTS];
  for (int64_t i = 0; i < count; ++i)
    argument = nextArgument(argument);
  return argument;
}

/*
 * What has to hold between the sizes of inputs. `computed` has the sizes of all
 * outputs, then two numbers for each check.
 */
static int checkSizes(Call *call, const int64_t *computed) {
  const int64_t *argument = call->table + QF_TABLE_ARGUMENTS;
  int64_t inputs = call->table[QF_TABLE_NUM_INPUTS];
  int64_t outputs = call->table[QF_TABLE_NUM_OUTPUTS];
  const int64_t *pair = computed;
  Message *message = &call->message;
  for (int64_t i = 0; i < inputs + outputs; ++i) {
    if (i >= inputs)
      pair += argument[QF_ARGUMENT_RANK];
    argument = nextArgument(argument);
  }
  const int64_t *check = argument;
  for (int64_t i = 0; i < call->table[QF_TABLE_NUM_CHECKS];
       ++i, check += QF_CHECK_WORDS, pair += 2) {
    const char *text = call->names + check[QF_CHECK_TEXT];
    if (pair[0] == pair[1])
      continue;
    if (check[QF_CHECK_KIND] == QF_CHECK_OF_INPUT) {
      const int64_t *input = call->table + QF_TABLE_ARGUMENTS;
      for (int64_t j = 0; j < check[QF_CHECK_INPUT]; ++j)
        input = nextArgument(input);
      putArgument(message, call->names, "input", check[QF_CHECK_INPUT],
                  call->names + input[QF_ARGUMENT_NAME]);
      putText(message, "dimension ");
      putNumber(message, check[QF_CHECK_DIMENSION]);
      putText(message, ": ");
    } else {
      putText(message, call->names);
      putText(message, ": ");
      putText(message, text);
      if (check[QF_CHECK_KIND] == QF_CHECK_ASSERTION)
        return QF_ERROR_SIZE;
      putText(message, ": ");
    }
    putExpected(message, "size", pair[0], pair[1]);
    return QF_ERROR_SIZE;
  }

  /* Sizes that networks compute may come out negative. */
  argument = call->table + QF_TABLE_ARGUMENTS;
  for (int64_t i = 0; i < inputs; ++i)
    argument = nextArgument(argument);
  for (int64_t i = 0; i < outputs; ++i, argument = nextArgument(argument))
    for (int64_t j = 0; j < argument[QF_ARGUMENT_RANK]; ++j, ++computed) {
      if (*computed >= 0)
        continue;
      putArgument(message, call->names, "output", i,
                  call->names + argument[QF_ARGUMENT_NAME]);
      putText(message, "dimension ");
      putNumber(message, j);
      putText(message, ": expected a size of 0 or more, but the inputs give ");
      putNumber(message, *computed);
      return QF_ERROR_SIZE;
    }
  return QF_OK;
}

static int reportKernel(Call *call, int64_t status) {
  if (status == QF_KERNEL_DONE)
    return QF_OK;
  putText(&call->message, call->names);
  putText(&call->message, ": ");
  if (status == QF_KERNEL_OUT_OF_MEMORY) {
    putText(&call->message, "out of memory");
    return QF_ERROR_MEMORY;
  }
  const int64_t *messages =
      getChecks(call) + QF_CHECK_WORDS * call->table[QF_TABLE_NUM_CHECKS];
  putText(&call->message, call->names + messages[status - QF_KERNEL_MESSAGES]);
  return QF_ERROR_VALUE;
}

typedef int64_t KernelFunction(const qf_tensor *inputs,
                               const qf_tensor *outputs);
typedef void SizesFunction(const qf_tensor *inputs, int64_t *sizes);
typedef const char *DeviceErrorFunction(void);

/*
 * The body of <name>. `scratch` has room for the sizes of all outputs and two
 * numbers for each check. What runs on a device gives `takeDeviceError`, which
 * says what went wrong there since it was last asked, or null.
 */
int __qf_run_entry_point(const int64_t *table, const char *names,
                         SizesFunction *computeSizes, KernelFunction *kernel,
                         DeviceErrorFunction *takeDeviceError, int64_t *scratch,
                         const qf_tensor *inputs, qf_tensor *outputs,
                         char *error, size_t errorSize) {
  Call call = {table,
               names,
               inputs,
               outputs,
               takeDeviceError != 0,
               startMessage(error, errorSize)};
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  computeSizes(inputs, scratch);
  status = checkSizes(&call, scratch);
  if (!status)
    status = checkMemory(&call, scratch);
  if (status)
    return status;
  /* What others left behind is not this call's. */
  if (takeDeviceError)
    takeDeviceError();
  FloatEnvironment saved = enterDefaultFloatEnvironment();
  int64_t result = kernel(inputs, outputs);
  leaveFloatEnvironment(saved);
  const char *deviceError = takeDeviceError ? takeDeviceError() : 0;
  if (deviceError) {
    putText(&call.message, call.names);
    putText(&call.message, ": ");
    putText(&call.message, deviceError);
    return QF_ERROR_DEVICE;
  }
  return reportKernel(&call, result);
}

/* The body of <name>_output_sizes. */
int __qf_compute_output_sizes(const int64_t *table, const char *names,
                              SizesFunction *computeSizes, int64_t *scratch,
                              const qf_tensor *inputs,
                              int64_t *const *outputSizes, char *error,
                              size_t errorSize) {
  Call call = {table, names, inputs, 0, 0, startMessage(error, errorSize)};
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  int64_t numInputs = table[QF_TABLE_NUM_INPUTS];
  int64_t numOutputs = table[QF_TABLE_NUM_OUTPUTS];
  const int64_t *firstOutput = table + QF_TABLE_ARGUMENTS;
  for (int64_t i = 0; i < numInputs; ++i)
    firstOutput = nextArgument(firstOutput);

  if (numOutputs && !outputSizes)
    return failWithNullArray(&call, "output_sizes");
  const int64_t *argument = firstOutput;
  for (int64_t i = 0; i < numOutputs; ++i, argument = nextArgument(argument))
    if (argument[QF_ARGUMENT_RANK] && !outputSizes[i])
      return failWithNull(&call, "output", i,
                          names + argument[QF_ARGUMENT_NAME],
                          "the place for its sizes");

  computeSizes(inputs, scratch);
  status = checkSizes(&call, scratch);
  if (status)
    return status;
  argument = firstOutput;
  for (int64_t i = 0; i < numOutputs; ++i, argument = nextArgument(argument))
    for (int64_t j = 0; j < argument[QF_ARGUMENT_RANK]; ++j)
      outputSizes[i][j] = *scratch++;
  return QF_OK;
}
