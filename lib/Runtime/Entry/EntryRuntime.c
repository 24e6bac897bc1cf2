/*===-- EntryRuntime.c - Run-time functions of entry points -------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Compiled to LLVM bitcode when quant-float is built, and linked into the code
 * of every model. Freestanding: no C library, no floating point, and only the
 * architecture's baseline instructions.
 */
#include "Buffers.h"
#include "CpuFeatures.h"
#include "FloatEnvironment.h"
#include "Message.h"
#include "NontemporalThreshold.h"
#include "EntryPointTable.h"
#include "Strings.h"
#include "quant-float-c/EntryPoint.h"

/* Functions that run in every call. */
#define HOT inline __attribute__((always_inline))

typedef const char *DeviceErrorFunction(void);

/* The data of one call. */
typedef struct Call {
  const Table *table;
  const char *names;
  const qf_tensor *inputs;
  const qf_tensor *outputs;
  /* Returns the device error since the last query, or null. The pointer is null
   * if data is in host memory. */
  DeviceErrorFunction *takeDeviceError;
  /* The size in bytes of each argument, valid after checkShape. */
  int64_t *bytes;
  Message message;
} Call;

/* Arguments are numbered inputs first, then outputs. */
static int64_t countArguments(const Call *call) {
  return call->table->numInputs + call->table->numOutputs;
}

static const Argument *getArgument(const Call *call, int64_t index) {
  return (const Argument *)(call->table + 1) + index;
}

static const qf_tensor *getTensor(const Call *call, int64_t index) {
  int64_t output = index - call->table->numInputs;
  return output < 0 ? &call->inputs[index] : &call->outputs[output];
}

static const Check *getChecks(const Call *call) {
  return (const Check *)getArgument(call, countArguments(call));
}

/* Ignores the flag of packed elements. */
static COLD const char *getTypeName(int64_t dtype) {
  switch (dtype & ~(int64_t)QF_PACKED) {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, ...)                           \
  case Number:                                                                 \
    return Onnx;
#include "quant-float/Support/ElementTypes.def"
  default:
    return "an unknown type";
  }
}

static const char *getForm(int64_t dtype) {
  return dtype & QF_PACKED ? "packed " : "";
}

/* Writes a message such as "cast: expected ...". */
static COLD int fail(Call *call, int status, const char *format,
                     const Value *values) {
  PUT(&call->message, "%s: ", STRING(call->names));
  putFormatted(&call->message, format, values);
  return status;
}
#define FAIL(call, status, format, ...)                                        \
  fail(call, status, format, (const Value[]){__VA_ARGS__})

/* Writes a message such as "cast: input 0 'x': expected ...". */
static COLD int failAt(Call *call, int64_t index, int status,
                       const char *format, const Value *values) {
  int64_t output = index - call->table->numInputs;
  const char *name = call->names + getArgument(call, index)->name;
  PUT(&call->message,
      *name ? "%s: %s %d '%s': " : "%s: %s %d: ", STRING(call->names),
      STRING(output < 0 ? "input" : "output"),
      NUMBER(output < 0 ? index : output), STRING(name));
  putFormatted(&call->message, format, values);
  return status;
}
#define FAIL_AT(call, index, status, format, ...)                              \
  failAt(call, index, status, format, (const Value[]){__VA_ARGS__})

static COLD int failType(Call *call, int64_t index) {
  const Argument *argument = getArgument(call, index);
  const qf_tensor *tensor = getTensor(call, index);
  if (tensor->dtype != argument->dtype)
    return FAIL_AT(call, index, QF_ERROR_ELEMENT_TYPE,
                   "expected element type %s%s (%d), but got %s%s (%d)",
                   STRING(getForm(argument->dtype)),
                   STRING(getTypeName(argument->dtype)),
                   NUMBER(argument->dtype), STRING(getForm(tensor->dtype)),
                   STRING(getTypeName(tensor->dtype)), NUMBER(tensor->dtype));
  if (tensor->rank != argument->rank)
    return FAIL_AT(call, index, QF_ERROR_RANK, "expected rank %d, but got %d",
                   NUMBER(argument->rank), NUMBER(tensor->rank));
  return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", STRING("sizes"));
}

static COLD int failNull(Call *call, const char *what) {
  return FAIL(call, QF_ERROR_NULL, "%s is null", STRING(what));
}

/* A size of 0 makes a tensor empty, even if the product of the others
 * overflows. */
static COLD int checkEmpty(Call *call, int64_t index) {
  const qf_tensor *tensor = getTensor(call, index);
  for (int64_t i = 0; i < tensor->rank; ++i)
    if (tensor->sizes[i] == 0)
      return call->bytes[index] = 0;
  return FAIL_AT(call, index, QF_ERROR_SIZE,
                 "expected at most %d bytes, but the sizes require more",
                 NUMBER(INT64_MAX));
}

static COLD int failSize(Call *call, int64_t index, int64_t dimension,
                         int64_t expected) {
  int64_t size = getTensor(call, index)->sizes[dimension];
  if (expected < 0)
    return FAIL_AT(call, index, QF_ERROR_SIZE,
                   "dimension %d: expected a size of 0 or more, but got %d",
                   NUMBER(dimension), NUMBER(size));
  return FAIL_AT(call, index, QF_ERROR_SIZE,
                 "dimension %d: expected size %d, but got %d",
                 NUMBER(dimension), NUMBER(expected), NUMBER(size));
}

/*
 * Checks element type, rank and sizes of one argument, and computes its size in
 * bytes. For outputs, `expected` are the sizes that follow from the inputs,
 * otherwise those of the model. Negative expected sizes match any size.
 */
static HOT int checkShape(Call *call, int64_t index, const Argument *argument,
                          const qf_tensor *tensor, const int64_t *expected) {
  if (tensor->dtype != argument->dtype || tensor->rank != argument->rank ||
      (argument->rank && !tensor->sizes))
    return failType(call, index);
  int isTooLarge = 0;
  int64_t count = 1;
  for (int64_t i = 0; i < argument->rank; ++i) {
    int64_t size = tensor->sizes[i];
    if (expected[i] < 0 ? size < 0 : size != expected[i])
      return failSize(call, index, i, expected[i]);
    isTooLarge |= __builtin_mul_overflow(count, size, &count);
  }
  /* Elements of less than 8 bits are packed. Groups of 8 elements first, so
   * that the product does not overflow. */
  if (argument->bits < 8)
    count = count / 8 * argument->bits + (count % 8 * argument->bits + 7) / 8;
  else
    isTooLarge |= __builtin_mul_overflow(count, argument->bits / 8, &count);
  call->bytes[index] = count;
  return isTooLarge ? checkEmpty(call, index) : QF_OK;
}

/*
 * Checks a nonempty string tensor. An output only needs memory for offsets and
 * bytes, because its strings are not known yet. All offsets of an input must be
 * valid.
 */
static int checkStrings(Call *call, int64_t index) {
  const qf_strings *strings = getTensor(call, index)->data;
  int64_t count = call->bytes[index] / (getArgument(call, index)->bits / 8);
  if (!strings->offsets)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", STRING("offsets"));
  if (strings->capacity < 0)
    return FAIL_AT(call, index, QF_ERROR_SIZE,
                   "expected a capacity of 0 or more, but got %d",
                   NUMBER(strings->capacity));
  if (strings->capacity && !strings->bytes)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", STRING("bytes"));
  if (index >= call->table->numInputs)
    return QF_OK;
  int64_t min = 0;
  for (int64_t i = 0; i <= count; ++i) {
    int64_t offset = strings->offsets[i];
    if (offset < min || offset > strings->capacity)
      return FAIL_AT(call, index, QF_ERROR_SIZE,
                     "offset %d: expected %d to %d, but got %d", NUMBER(i),
                     NUMBER(min), NUMBER(strings->capacity), NUMBER(offset));
    min = offset;
  }
  return QF_OK;
}

static int checkAlignment(Call *call, int64_t index) {
  int64_t bits = getArgument(call, index)->bits;
  int64_t bytes = bits < 8 ? 1 : bits / 8;
  int64_t rest =
      (int64_t)((uintptr_t)getTensor(call, index)->data % (uintptr_t)bytes);
  if (!rest)
    return QF_OK;
  return FAIL_AT(call, index, QF_ERROR_ALIGNMENT,
                 "expected a device address that is a multiple of %d, but the "
                 "remainder is %d",
                 NUMBER(bytes), NUMBER(rest));
}

/* Whether checkData is necessary. Numbers in host memory only need an
 * address. */
static HOT int needsDataChecked(const Call *call, const qf_tensor *tensor,
                                int64_t bytes) {
  return (bytes && !tensor->data) || call->takeDeviceError ||
         call->table->hasStrings;
}

static COLD int checkData(Call *call, int64_t index) {
  if (!call->bytes[index])
    return QF_OK;
  const qf_tensor *tensor = getTensor(call, index);
  if (!tensor->data)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", STRING("data"));
  if (tensor->dtype == QF_STRING)
    return checkStrings(call, index);
  return call->takeDeviceError ? checkAlignment(call, index) : QF_OK;
}

static inline int checkInputShapes(Call *call) {
  const Argument *argument = getArgument(call, 0);
  const qf_tensor *tensor = call->inputs;
  if (call->table->numInputs && !tensor)
    return failNull(call, "inputs");
  for (int64_t i = 0; i < call->table->numInputs; ++i, ++argument, ++tensor) {
    int status = checkShape(call, i, argument, tensor,
                            (const int64_t *)call->table + argument->sizes);
    if (status)
      return status;
  }
  return QF_OK;
}

typedef struct Range {
  uintptr_t start;
  uint64_t size;
} Range;

/* The memory of a tensor, without the contents of strings. */
static inline Range getRange(const qf_tensor *tensor, int64_t bytes) {
  return (Range){(uintptr_t)tensor->data, (uint64_t)bytes};
}

static inline int isShared(Range one, Range other) {
  return one.size && other.size &&
         (other.start - one.start < one.size ||
          one.start - other.start < other.size);
}

/* Stores the memory ranges of a tensor and returns their number: three for a
 * string tensor, one for others. */
static int getPieces(const Call *call, int64_t index, Range pieces[3]) {
  const qf_tensor *tensor = getTensor(call, index);
  pieces[0] = getRange(tensor, call->bytes[index]);
  if (tensor->dtype != QF_STRING || !pieces[0].size)
    return 1;
  const qf_strings *strings = tensor->data;
  pieces[1] = (Range){(uintptr_t)strings->offsets,
                      pieces[0].size + sizeof *strings->offsets};
  pieces[2] = (Range){(uintptr_t)strings->bytes, (uint64_t)strings->capacity};
  pieces[0].size = sizeof *strings;
  return 3;
}

static COLD int sharesPieces(const Call *call, int64_t index, int64_t other) {
  Range ones[3], others[3];
  int count = getPieces(call, index, ones);
  int otherCount = getPieces(call, other, others);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < otherCount; ++j)
      if (isShared(ones[i], others[j]))
        return 1;
  return 0;
}

static COLD int failOverlap(Call *call, int64_t index, int64_t other) {
  int64_t output = other - call->table->numInputs;
  return FAIL_AT(call, index, QF_ERROR_OVERLAP, "overlaps %s %d",
                 STRING(output < 0 ? "input" : "output"),
                 NUMBER(output < 0 ? other : output));
}

/* An output must not share bytes with an input or with an output before it. */
static inline int checkOverlap(Call *call, int64_t index,
                               const qf_tensor *output) {
  Range range = getRange(output, call->bytes[index]);
  const qf_tensor *other = call->inputs;
  for (int64_t i = 0; i < index; ++i, ++other) {
    other = i == call->table->numInputs ? call->outputs : other;
    if (call->table->hasStrings
            ? sharesPieces(call, index, i)
            : isShared(range, getRange(other, call->bytes[i])))
      return failOverlap(call, index, i);
  }
  return QF_OK;
}

static inline int checkInputData(Call *call) {
  const qf_tensor *tensor = call->inputs;
  for (int64_t i = 0; i < call->table->numInputs; ++i, ++tensor)
    if (needsDataChecked(call, tensor, call->bytes[i])) {
      int status = checkData(call, i);
      if (status)
        return status;
    }
  return QF_OK;
}

/* `implied` are the sizes of all outputs, concatenated. */
static inline int checkOutputs(Call *call, const int64_t *implied) {
  int64_t first = call->table->numInputs, end = countArguments(call);
  const Argument *argument = getArgument(call, first);
  const qf_tensor *tensor = call->outputs;
  if (first != end && !tensor)
    return failNull(call, "outputs");
  for (int64_t i = first; i < end; ++i, ++argument, ++tensor) {
    int status = checkShape(call, i, argument, tensor, implied);
    if (!status && needsDataChecked(call, tensor, call->bytes[i]))
      status = checkData(call, i);
    if (status)
      return status;
    implied += argument->rank;
  }
  tensor = call->outputs;
  for (int64_t i = first; i < end; ++i, ++tensor) {
    int status = checkOverlap(call, i, tensor);
    if (status)
      return status;
  }
  return QF_OK;
}

static COLD int failCpu(Call *call, int64_t level) {
  return FAIL(call, QF_ERROR_CPU,
              "expected a CPU with %s, but this machine's CPU lacks it",
              STRING(getCpuFeatureName((unsigned)~level)));
}

static int checkCpu(Call *call) {
  int64_t level = findCpuLevel();
  return level < 0 ? failCpu(call, level) : QF_OK;
}

/* Reports the unequal numbers of a check. */
static COLD int failPair(Call *call, const Check *check, const int64_t *pair) {
  const char *message = call->names + check->message;
  switch (check->kind) {
  case QF_CHECK_OF_INPUT:
    return FAIL_AT(call, check->input, QF_ERROR_SIZE,
                   "dimension %d: expected size %d, but got %d",
                   NUMBER(check->dimension), NUMBER(pair[0]), NUMBER(pair[1]));
  case QF_CHECK_OF_SIZES:
    return FAIL(call, QF_ERROR_SIZE, "%s: expected size %d, but got %d",
                STRING(message), NUMBER(pair[0]), NUMBER(pair[1]));
  default:
    return FAIL(call, QF_ERROR_SIZE, "%s", STRING(message));
  }
}

/*
 * Checks the requirements on the sizes of inputs. `computed` are the sizes of
 * all outputs, followed by two numbers for each check.
 */
static inline int checkPairs(Call *call, const int64_t *computed) {
  const int64_t *pairs = computed + call->table->numSizes;
  for (int64_t i = 0; i < call->table->numChecks; ++i, pairs += 2)
    if (pairs[0] != pairs[1])
      return failPair(call, getChecks(call) + i, pairs);
  return QF_OK;
}

/*
 * Reports computed sizes that are negative. If sizes that depend on elements
 * are not known yet, replaces them by -1, which matches any size.
 */
static COLD int checkComputed(Call *call, int64_t *computed, int isComplete) {
  for (int64_t i = call->table->numInputs; i < countArguments(call); ++i)
    for (int64_t j = 0; j < getArgument(call, i)->rank; ++j, ++computed)
      if (!isComplete && *computed == QF_UNKNOWN_SIZE)
        *computed = -1;
      else if (*computed < 0)
        return FAIL_AT(call, i, QF_ERROR_SIZE,
                       "dimension %d: expected a size of 0 or more, but the "
                       "inputs give %d",
                       NUMBER(j), NUMBER(*computed));
  return QF_OK;
}

/* Returns a message of the model. */
static const char *getMessage(const Call *call, int64_t index) {
  const int64_t *messages =
      (const int64_t *)(getChecks(call) + call->table->numChecks);
  return call->names + messages[index];
}

/* Reports the first output whose strings exceed its capacity. */
static COLD int reportNoRoom(Call *call) {
  int64_t index = call->table->numInputs;
  const qf_strings *strings = 0;
  for (; index < countArguments(call); ++index) {
    strings = getTensor(call, index)->data;
    if (getArgument(call, index)->dtype == QF_STRING && strings &&
        strings->offsets && strings->needed > strings->capacity)
      break;
  }
  return FAIL_AT(
      call, index, QF_ERROR_CAPACITY,
      "expected a capacity of at least %d bytes for strings, but got %d",
      NUMBER(strings->needed), NUMBER(strings->capacity));
}

/* Discards errors that occurred before this call. */
static void enterDevice(const Call *call) {
  if (call->takeDeviceError)
    call->takeDeviceError();
}

/* Reports the failure of a kernel. */
static COLD int failKernel(Call *call, int64_t status,
                           const StringFailure *failure) {
  switch (status) {
  case QF_KERNEL_OUT_OF_MEMORY:
    return FAIL(call, QF_ERROR_MEMORY, "%s", STRING("out of memory"));
  case QF_KERNEL_NO_NUMBER:
    return FAIL(call, QF_ERROR_VALUE,
                "%selement %d: expected a number, but got '%s'",
                STRING(getMessage(call, failure->message)),
                NUMBER(failure->element), STRING(failure->string));
  case QF_KERNEL_NO_ROOM:
    return reportNoRoom(call);
  default:
    return FAIL(call, QF_ERROR_VALUE, "%s",
                STRING(getMessage(call, status - QF_KERNEL_MESSAGES)));
  }
}

/* Reports a device error, or otherwise the failure of a kernel. */
static int report(Call *call, int64_t status, const StringFailure *failure) {
  const char *error = call->takeDeviceError ? call->takeDeviceError() : 0;
  if (error)
    return FAIL(call, QF_ERROR_DEVICE, "%s", STRING(error));
  return status ? failKernel(call, status, failure) : QF_OK;
}

typedef void SizesFunction(const qf_tensor *inputs, int64_t *sizes);
/* Writes the sizes of outputs, including those that depend on elements. Returns
 * a kernel's status. */
typedef int64_t DataSizesFunction(const qf_tensor *inputs, int64_t *sizes);

/* Copies sizes that are constants or sizes of inputs. */
static inline void copySizes(const Call *call, int64_t *sizes) {
  const Table *table = call->table;
  const int64_t *impliedSizes = (const int64_t *)table + table->implied;
  int64_t count = table->numSizes + 2 * table->numChecks;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t reference = ~(uint64_t)impliedSizes[i];
    sizes[i] = impliedSizes[i] >= 0
                   ? impliedSizes[i]
                   : call->inputs[reference >> 32].sizes[(uint32_t)reference];
  }
}

static COLD int runDataSizes(Call *call, DataSizesFunction *computeDataSizes,
                           int64_t *scratch) {
  int status = checkInputData(call);
  if (status)
    return status;
  enterDevice(call);
  FloatEnvironment saved =
      enterDefaultFloatEnvironment((int)call->table->flushesSubnormals);
  int64_t result = computeDataSizes(call->inputs, scratch);
  leaveFloatEnvironment(saved);
  return report(call, result, 0);
}

/*
 * Computes the sizes of all outputs to `scratch`, and makes the checks of input
 * sizes. `computeSizes` is null if the table describes the sizes, `computeDataSizes` is
 * null if no size depends on elements, and `computesNow` is whether to call
 * it.
 */
static HOT int findSizes(Call *call, SizesFunction *computeSizes,
                         DataSizesFunction *computeDataSizes, int computesNow,
                         int64_t *scratch) {
  if (!computeSizes) {
    copySizes(call, scratch);
    return checkPairs(call, scratch);
  }
  computeSizes(call->inputs, scratch);
  int status = checkPairs(call, scratch);
  if (!status && computeDataSizes && computesNow)
    status = runDataSizes(call, computeDataSizes, scratch);
  return status ? status
                : checkComputed(call, scratch, !computeDataSizes || computesNow);
}

/*
 * Called if a kernel has refused its arguments, and written nothing. Reports an
 * error if the sizes of outputs are the reason.
 */
static COLD int checkDataSizes(Call *call, DataSizesFunction *computeDataSizes,
                              int64_t *scratch) {
  int status = runDataSizes(call, computeDataSizes, scratch);
  if (!status)
    status = checkComputed(call, scratch, 1);
  return status ? status : checkOutputs(call, scratch);
}

/*
 * Implements <name>. `scratch` has space for a number for each argument, the
 * sizes of all outputs, and two numbers for each check. `takeDeviceError`,
 * which returns the device error since the last query, is null for code on the
 * host. `runStrings` is null for kernels without strings.
 */
int __qf_run_entry_point(const Table *table, const char *names,
                         SizesFunction *computeSizes, DataSizesFunction *computeDataSizes,
                         KernelFunction *kernel,
                         DeviceErrorFunction *takeDeviceError,
                         RunStringsFunction *runStrings, int64_t *scratch,
                         const qf_tensor *inputs, qf_tensor *outputs,
                         char *error, size_t errorSize) {
  Call call = {table,
               names,
               inputs,
               outputs,
               takeDeviceError,
               scratch,
               startMessage(error, errorSize)};
  scratch += countArguments(&call);
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  /* On the host, the kernel checks sizes that depend on elements. */
  int computesFirst = takeDeviceError != 0;
  status = findSizes(&call, computeSizes, computeDataSizes, computesFirst, scratch);
  if (!status)
    status = checkInputData(&call);
  if (!status)
    status = checkOutputs(&call, scratch);
  if (status)
    return status;
  enterDevice(&call);
  FloatEnvironment saved =
      enterDefaultFloatEnvironment((int)table->flushesSubnormals);
  StringFailure failure;
  int64_t result = runStrings
                       ? runStrings(table, kernel, inputs, outputs, &failure)
                       : kernel(inputs, outputs, 0);
  leaveFloatEnvironment(saved);
  if (computeDataSizes && !computesFirst && result >= QF_KERNEL_MESSAGES) {
    status = checkDataSizes(&call, computeDataSizes, scratch);
    if (status)
      return status;
  }
  return report(&call, result, &failure);
}

/* Implements <name>_output_sizes. */
int __qf_compute_output_sizes(const Table *table, const char *names,
                              SizesFunction *computeSizes,
                              DataSizesFunction *computeDataSizes,
                              DeviceErrorFunction *takeDeviceError,
                              int64_t *scratch, const qf_tensor *inputs,
                              int64_t *const *outputSizes, char *error,
                              size_t errorSize) {
  Call call = {table,
               names,
               inputs,
               0,
               takeDeviceError,
               scratch,
               startMessage(error, errorSize)};
  scratch += countArguments(&call);
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  if (table->numOutputs && !outputSizes)
    return failNull(&call, "output_sizes");
  const Argument *outputs = getArgument(&call, table->numInputs);
  for (int64_t i = 0; i < table->numOutputs; ++i)
    if (outputs[i].rank && !outputSizes[i])
      return FAIL_AT(&call, table->numInputs + i, QF_ERROR_NULL, "%s is null",
                     STRING("the buffer for its sizes"));
  status = findSizes(&call, computeSizes, computeDataSizes, 1, scratch);
  for (int64_t i = 0; !status && i < table->numOutputs; ++i)
    for (int64_t j = 0; j < outputs[i].rank; ++j)
      outputSizes[i][j] = *scratch++;
  return status;
}
