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
#include "CacheSize.h"
#include "CpuFeatures.h"
#include "FloatEnvironment.h"
#include "Message.h"
#include "Table.h"
#include "Texts.h"
#include "quant-float-c/EntryPoint.h"

typedef const char *DeviceErrorFunction(void);

/* Everything the checks need to know about one call. */
typedef struct Call {
  const Table *table;
  const char *names;
  const qf_tensor *inputs;
  const qf_tensor *outputs;
  /* Says what went wrong on the device since it was last asked; null where data
   * is the host's. */
  DeviceErrorFunction *takeDeviceError;
  Message message;
} Call;

/* Inputs, then outputs. */
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

/* Without the flag of packed elements. */
static RARE const char *getTypeName(int64_t dtype) {
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

/* "cast: expected ..." */
static RARE int fail(Call *call, int status, const char *format,
                const Value *values) {
  PUT(&call->message, "%s: ", TEXT(call->names));
  putFormatted(&call->message, format, values);
  return status;
}
#define FAIL(call, status, format, ...)                                        \
  fail(call, status, format, (const Value[]){__VA_ARGS__})

/* "cast: input 0 'x': expected ..." */
static RARE int failAt(Call *call, int64_t index, int status, const char *format,
                  const Value *values) {
  int64_t output = index - call->table->numInputs;
  const char *name = call->names + getArgument(call, index)->name;
  PUT(&call->message,
      *name ? "%s: %s %d '%s': " : "%s: %s %d: ", TEXT(call->names),
      TEXT(output < 0 ? "input" : "output"),
      NUMBER(output < 0 ? index : output), TEXT(name));
  putFormatted(&call->message, format, values);
  return status;
}
#define FAIL_AT(call, index, status, format, ...)                              \
  failAt(call, index, status, format, (const Value[]){__VA_ARGS__})

/*
 * Bytes of the tensor, or -1 when they do not fit the address space. A zero
 * anywhere makes it empty, however large the other sizes are.
 */
static int64_t countBytes(const Call *call, int64_t index) {
  const Argument *argument = getArgument(call, index);
  const int64_t *sizes = getTensor(call, index)->sizes;
  /* Fewer bits than a byte are packed: whole groups of 8 elements first. */
  int isPacked = argument->bits < 8;
  int64_t count = isPacked ? 1 : argument->bits / 8;
  int overflow = 0;
  for (int64_t i = 0; i < argument->rank; ++i) {
    if (sizes[i] == 0)
      return 0;
    overflow |= __builtin_mul_overflow(count, sizes[i], &count);
  }
  if (isPacked)
    count = count / 8 * argument->bits + (count % 8 * argument->bits + 7) / 8;
  return overflow ? -1 : count;
}

/*
 * Element type, rank and sizes of one argument. `expected` are, for outputs,
 * the sizes that follow from the inputs, and the model's own otherwise.
 */
static int checkShape(Call *call, int64_t index, const int64_t *expected) {
  const Argument *argument = getArgument(call, index);
  const qf_tensor *tensor = getTensor(call, index);
  if (tensor->dtype != argument->dtype)
    return FAIL_AT(call, index, QF_ERROR_ELEMENT_TYPE,
                   "expected element type %s%s (%d), but got %s%s (%d)",
                   TEXT(getForm(argument->dtype)),
                   TEXT(getTypeName(argument->dtype)), NUMBER(argument->dtype),
                   TEXT(getForm(tensor->dtype)),
                   TEXT(getTypeName(tensor->dtype)), NUMBER(tensor->dtype));
  if (tensor->rank != argument->rank)
    return FAIL_AT(call, index, QF_ERROR_RANK, "expected rank %d, but got %d",
                   NUMBER(argument->rank), NUMBER(tensor->rank));
  if (argument->rank && !tensor->sizes)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", TEXT("sizes"));
  for (int64_t i = 0; i < argument->rank; ++i) {
    int64_t size = tensor->sizes[i];
    if (size < 0 && expected[i] < 0)
      return FAIL_AT(call, index, QF_ERROR_SIZE,
                     "dimension %d: expected a size of 0 or more, but got %d",
                     NUMBER(i), NUMBER(size));
    if (expected[i] >= 0 && size != expected[i])
      return FAIL_AT(call, index, QF_ERROR_SIZE,
                     "dimension %d: expected size %d, but got %d", NUMBER(i),
                     NUMBER(expected[i]), NUMBER(size));
  }
  if (countBytes(call, index) < 0)
    return FAIL_AT(call, index, QF_ERROR_SIZE,
                   "expected at most %d bytes, but the sizes give more",
                   NUMBER(INT64_MAX));
  return QF_OK;
}

/*
 * Where a string tensor is. Without elements it may be nowhere; an output may
 * not write what it has no room for, an input's texts are all there.
 */
static int checkStrings(Call *call, int64_t index) {
  const qf_strings *strings = getTensor(call, index)->data;
  int64_t count =
      countBytes(call, index) / (getArgument(call, index)->bits / 8);
  if (!strings->offsets)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", TEXT("offsets"));
  if (strings->capacity < 0)
    return FAIL_AT(call, index, QF_ERROR_SIZE,
                   "expected a capacity of 0 or more, but got %d",
                   NUMBER(strings->capacity));
  if (strings->capacity && !strings->bytes)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", TEXT("bytes"));
  if (index >= call->table->numInputs)
    return QF_OK;
  int64_t least = 0;
  for (int64_t i = 0; i <= count; ++i) {
    int64_t offset = strings->offsets[i];
    if (offset < least || offset > strings->capacity)
      return FAIL_AT(call, index, QF_ERROR_SIZE,
                     "offset %d: expected %d to %d, but got %d", NUMBER(i),
                     NUMBER(least), NUMBER(strings->capacity), NUMBER(offset));
    least = offset;
  }
  return QF_OK;
}

static int checkData(Call *call, int64_t index) {
  if (!countBytes(call, index))
    return QF_OK;
  const void *data = getTensor(call, index)->data;
  int64_t bits = getArgument(call, index)->bits;
  int64_t bytes = bits < 8 ? 1 : bits / 8;
  if (!data)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", TEXT("data"));
  if (getArgument(call, index)->dtype == QF_STRING)
    return checkStrings(call, index);
  int64_t rest = (int64_t)((uintptr_t)data % (uintptr_t)bytes);
  if (!call->takeDeviceError || !rest)
    return QF_OK;
  return FAIL_AT(call, index, QF_ERROR_ALIGNMENT,
                 "expected an address on the device that is a multiple of %d, "
                 "but got one that is %d more",
                 NUMBER(bytes), NUMBER(rest));
}

static int checkInputShapes(Call *call) {
  if (call->table->numInputs && !call->inputs)
    return FAIL(call, QF_ERROR_NULL, "%s is null", TEXT("inputs"));
  int status = QF_OK;
  for (int64_t i = 0; !status && i < call->table->numInputs; ++i)
    status = checkShape(
        call, i, (const int64_t *)call->table + getArgument(call, i)->sizes);
  return status;
}

typedef struct Range {
  uintptr_t start;
  uint64_t size;
} Range;

static int isShared(Range one, Range other) {
  return one.start < other.start ? other.start - one.start < one.size
                                 : one.start - other.start < other.size;
}

/* The memory of a tensor, and how many pieces it is; of strings there are 3. */
enum { QF_MOST_RANGES = 3 };

static int getRanges(const Call *call, int64_t index,
                     Range ranges[QF_MOST_RANGES]) {
  const qf_tensor *tensor = getTensor(call, index);
  uint64_t size = (uint64_t)countBytes(call, index);
  if (!size)
    return 0;
  ranges[0] = (Range){(uintptr_t)tensor->data, size};
  if (getArgument(call, index)->dtype != QF_STRING)
    return 1;
  const qf_strings *strings = tensor->data;
  ranges[0].size = sizeof *strings;
  ranges[1] =
      (Range){(uintptr_t)strings->offsets, size + sizeof *strings->offsets};
  ranges[2] = (Range){(uintptr_t)strings->bytes, (uint64_t)strings->capacity};
  return strings->capacity ? 3 : 2;
}

static int sharesBytes(const Call *call, const Range *ranges, int count,
                       int64_t other) {
  Range others[QF_MOST_RANGES];
  int otherCount = getRanges(call, other, others);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < otherCount; ++j)
      if (isShared(ranges[i], others[j]))
        return 1;
  return 0;
}

/* No output may share bytes with an input or with an output before it. */
static int checkOverlap(Call *call) {
  int64_t inputs = call->table->numInputs;
  for (int64_t i = inputs; i < countArguments(call); ++i) {
    Range ranges[QF_MOST_RANGES];
    int count = getRanges(call, i, ranges);
    for (int64_t j = 0; j < i; ++j)
      if (sharesBytes(call, ranges, count, j))
        return FAIL_AT(call, i, QF_ERROR_OVERLAP, "overlaps %s %d",
                       TEXT(j < inputs ? "input" : "output"),
                       NUMBER(j < inputs ? j : j - inputs));
  }
  return QF_OK;
}

static int checkInputData(Call *call) {
  int status = QF_OK;
  for (int64_t i = 0; !status && i < call->table->numInputs; ++i)
    status = checkData(call, i);
  return status;
}

/* `implied` holds the sizes of all outputs, one after the other. */
static int checkOutputs(Call *call, const int64_t *implied) {
  if (call->table->numOutputs && !call->outputs)
    return FAIL(call, QF_ERROR_NULL, "%s is null", TEXT("outputs"));
  int status = QF_OK;
  for (int64_t i = call->table->numInputs; !status && i < countArguments(call);
       ++i) {
    status = checkShape(call, i, implied);
    if (!status)
      status = checkData(call, i);
    implied += getArgument(call, i)->rank;
  }
  return status ? status : checkOverlap(call);
}

static RARE int failCpu(Call *call, int64_t level) {
  return FAIL(call, QF_ERROR_CPU,
              "expected a CPU with %s, but this machine's CPU lacks it",
              TEXT(getCpuFeatureName((unsigned)~level)));
}

static int checkCpu(Call *call) {
  int64_t level = findCpuLevel();
  return level < 0 ? failCpu(call, level) : QF_OK;
}

/* Two numbers that the sizes of inputs give, and that are not equal. */
static RARE int failPair(Call *call, const Check *check, const int64_t *pair) {
  const char *text = call->names + check->text;
  switch (check->kind) {
  case QF_CHECK_OF_INPUT:
    return FAIL_AT(call, check->input, QF_ERROR_SIZE,
                   "dimension %d: expected size %d, but got %d",
                   NUMBER(check->dimension), NUMBER(pair[0]), NUMBER(pair[1]));
  case QF_CHECK_OF_SIZES:
    return FAIL(call, QF_ERROR_SIZE, "%s: expected size %d, but got %d",
                TEXT(text), NUMBER(pair[0]), NUMBER(pair[1]));
  default:
    return FAIL(call, QF_ERROR_SIZE, "%s", TEXT(text));
  }
}

/*
 * What has to hold between the sizes of inputs. `computed` has the sizes of all
 * outputs, then two numbers for each check.
 */
static int checkPairs(Call *call, const int64_t *computed) {
  const int64_t *pairs = computed;
  int status = QF_OK;
  for (int64_t i = call->table->numInputs; i < countArguments(call); ++i)
    pairs += getArgument(call, i)->rank;
  for (int64_t i = 0; !status && i < call->table->numChecks; ++i, pairs += 2)
    if (pairs[0] != pairs[1])
      status = failPair(call, getChecks(call) + i, pairs);
  return status;
}

/* Sizes that networks compute may come out negative. */
static int checkComputed(Call *call, const int64_t *computed) {
  for (int64_t i = call->table->numInputs; i < countArguments(call); ++i)
    for (int64_t j = 0; j < getArgument(call, i)->rank; ++j, ++computed)
      if (*computed < 0)
        return FAIL_AT(call, i, QF_ERROR_SIZE,
                       "dimension %d: expected a size of 0 or more, but the "
                       "inputs give %d",
                       NUMBER(j), NUMBER(*computed));
  return QF_OK;
}

/* A message that the model brings. */
static const char *getMessage(const Call *call, int64_t index) {
  const int64_t *messages =
      (const int64_t *)(getChecks(call) + call->table->numChecks);
  return call->names + messages[index];
}

/* The first output whose texts need more room than there is. */
static RARE int reportNoRoom(Call *call) {
  int64_t index = call->table->numInputs;
  const qf_strings *strings = 0;
  for (; index < countArguments(call); ++index) {
    strings = getTensor(call, index)->data;
    if (getArgument(call, index)->dtype == QF_STRING && strings &&
        strings->offsets && strings->needed > strings->capacity)
      break;
  }
  return FAIL_AT(call, index, QF_ERROR_CAPACITY,
                 "expected room for %d bytes of texts, but the capacity is %d",
                 NUMBER(strings->needed), NUMBER(strings->capacity));
}

/* What others left behind is not this call's. */
static void enterDevice(const Call *call) {
  if (call->takeDeviceError)
    call->takeDeviceError();
}

/* What a kernel returned that is not done. */
static RARE int failKernel(Call *call, int64_t status,
                           const TextFailure *failure) {
  switch (status) {
  case QF_KERNEL_OUT_OF_MEMORY:
    return FAIL(call, QF_ERROR_MEMORY, "%s", TEXT("out of memory"));
  case QF_KERNEL_NO_NUMBER:
    return FAIL(call, QF_ERROR_VALUE,
                "%selement %d: expected the text of a number, but got '%s'",
                TEXT(getMessage(call, failure->message)),
                NUMBER(failure->element), TEXT(failure->text));
  case QF_KERNEL_NO_ROOM:
    return reportNoRoom(call);
  default:
    return FAIL(call, QF_ERROR_VALUE, "%s",
                TEXT(getMessage(call, status - QF_KERNEL_MESSAGES)));
  }
}

/* What a kernel returned, or went wrong on the device before it did. */
static int report(Call *call, int64_t status, const TextFailure *failure) {
  const char *error = call->takeDeviceError ? call->takeDeviceError() : 0;
  if (error)
    return FAIL(call, QF_ERROR_DEVICE, "%s", TEXT(error));
  return status ? failKernel(call, status, failure) : QF_OK;
}

typedef void SizesFunction(const qf_tensor *inputs, int64_t *sizes);
/* Writes the sizes of outputs that depend on elements; a kernel's status. */
typedef int64_t MeasureFunction(const qf_tensor *inputs, int64_t *sizes);
/*
 * Computes the sizes of all outputs into `scratch`, and what the inputs have to
 * be for that. `measure` is null where sizes follow from sizes.
 */
static int findSizes(Call *call, SizesFunction *computeSizes,
                     MeasureFunction *measure, int64_t *scratch) {
  computeSizes(call->inputs, scratch);
  int status = checkPairs(call, scratch);
  if (!status && measure) {
    status = checkInputData(call);
    if (!status) {
      enterDevice(call);
      FloatEnvironment saved = enterDefaultFloatEnvironment();
      int64_t result = measure(call->inputs, scratch);
      leaveFloatEnvironment(saved);
      status = report(call, result, 0);
    }
  }
  return status ? status : checkComputed(call, scratch);
}

/*
 * The body of <name>. `scratch` has room for the sizes of all outputs and two
 * numbers for each check. What runs on a device gives `takeDeviceError`, which
 * says what went wrong there since it was last asked, what has strings
 * `runTexts`; they are null otherwise.
 */
int __qf_run_entry_point(const Table *table, const char *names,
                         SizesFunction *computeSizes, MeasureFunction *measure,
                         KernelFunction *kernel,
                         DeviceErrorFunction *takeDeviceError,
                         RunTextsFunction *runTexts, int64_t *scratch,
                         const qf_tensor *inputs, qf_tensor *outputs,
                         char *error, size_t errorSize) {
  Call call = {table,
               names,
               inputs,
               outputs,
               takeDeviceError,
               startMessage(error, errorSize)};
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  status = findSizes(&call, computeSizes, measure, scratch);
  if (!status)
    status = checkInputData(&call);
  if (!status)
    status = checkOutputs(&call, scratch);
  if (status)
    return status;
  enterDevice(&call);
  FloatEnvironment saved = enterDefaultFloatEnvironment();
  TextFailure failure;
  int64_t result = runTexts ? runTexts(table, kernel, inputs, outputs, &failure)
                            : kernel(inputs, outputs, 0);
  leaveFloatEnvironment(saved);
  return report(&call, result, &failure);
}

/* The body of <name>_output_sizes. */
int __qf_compute_output_sizes(const Table *table, const char *names,
                              SizesFunction *computeSizes,
                              MeasureFunction *measure,
                              DeviceErrorFunction *takeDeviceError,
                              int64_t *scratch, const qf_tensor *inputs,
                              int64_t *const *outputSizes, char *error,
                              size_t errorSize) {
  Call call = {table,
               names,
               inputs,
               0,
               takeDeviceError,
               startMessage(error, errorSize)};
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  if (table->numOutputs && !outputSizes)
    return FAIL(&call, QF_ERROR_NULL, "%s is null", TEXT("output_sizes"));
  const Argument *outputs = getArgument(&call, table->numInputs);
  for (int64_t i = 0; i < table->numOutputs; ++i)
    if (outputs[i].rank && !outputSizes[i])
      return FAIL_AT(&call, table->numInputs + i, QF_ERROR_NULL, "%s is null",
                     TEXT("the place for its sizes"));
  status = findSizes(&call, computeSizes, measure, scratch);
  for (int64_t i = 0; !status && i < table->numOutputs; ++i)
    for (int64_t j = 0; j < outputs[i].rank; ++j)
      outputSizes[i][j] = *scratch++;
  return status;
}
