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
#include "Buffers.h"
#include "CpuFeatures.h"
#include "FloatEnvironment.h"
#include "Message.h"
#include "NontemporalThreshold.h"
#include "Table.h"
#include "Texts.h"
#include "quant-float-c/EntryPoint.h"

/* What every call comes to. */
#define HOT inline __attribute__((always_inline))

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
  /* Of each argument, once its sizes are known to be right. */
  int64_t *bytes;
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
static RARE int failAt(Call *call, int64_t index, int status,
                       const char *format, const Value *values) {
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

static RARE int failType(Call *call, int64_t index) {
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
  return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", TEXT("sizes"));
}

static RARE int failNull(Call *call, const char *what) {
  return FAIL(call, QF_ERROR_NULL, "%s is null", TEXT(what));
}

/* A zero anywhere makes a tensor empty, however large the other sizes are. */
static RARE int checkEmpty(Call *call, int64_t index) {
  const qf_tensor *tensor = getTensor(call, index);
  for (int64_t i = 0; i < tensor->rank; ++i)
    if (tensor->sizes[i] == 0)
      return call->bytes[index] = 0;
  return FAIL_AT(call, index, QF_ERROR_SIZE,
                 "expected at most %d bytes, but the sizes give more",
                 NUMBER(INT64_MAX));
}

static RARE int failSize(Call *call, int64_t index, int64_t dimension,
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
 * Element type, rank and sizes of one argument, and how many bytes it is then.
 * `expected` are, for outputs, the sizes that follow from the inputs, and the
 * model's own otherwise.
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
  /* Fewer bits than a byte are packed: whole groups of 8 elements first. */
  if (argument->bits < 8)
    count = count / 8 * argument->bits + (count % 8 * argument->bits + 7) / 8;
  else
    isTooLarge |= __builtin_mul_overflow(count, argument->bits / 8, &count);
  call->bytes[index] = count;
  return isTooLarge ? checkEmpty(call, index) : QF_OK;
}

/*
 * Where a string tensor is. Without elements it may be nowhere; an output may
 * not write what it has no room for, an input's texts are all there.
 */
static int checkStrings(Call *call, int64_t index) {
  const qf_strings *strings = getTensor(call, index)->data;
  int64_t count = call->bytes[index] / (getArgument(call, index)->bits / 8);
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

static int checkAlignment(Call *call, int64_t index) {
  int64_t bits = getArgument(call, index)->bits;
  int64_t bytes = bits < 8 ? 1 : bits / 8;
  int64_t rest =
      (int64_t)((uintptr_t)getTensor(call, index)->data % (uintptr_t)bytes);
  if (!rest)
    return QF_OK;
  return FAIL_AT(call, index, QF_ERROR_ALIGNMENT,
                 "expected an address on the device that is a multiple of %d, "
                 "but got one that is %d more",
                 NUMBER(bytes), NUMBER(rest));
}

/* Of numbers on the host nothing but that they are somewhere. */
static HOT int needsDataChecked(const Call *call, const qf_tensor *tensor,
                                int64_t bytes) {
  return (bytes && !tensor->data) || call->takeDeviceError ||
         call->table->hasTexts;
}

static RARE int checkData(Call *call, int64_t index) {
  if (!call->bytes[index])
    return QF_OK;
  const qf_tensor *tensor = getTensor(call, index);
  if (!tensor->data)
    return FAIL_AT(call, index, QF_ERROR_NULL, "%s is null", TEXT("data"));
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

/* The memory of a tensor, but for strings. */
static inline Range getRange(const qf_tensor *tensor, int64_t bytes) {
  return (Range){(uintptr_t)tensor->data, (uint64_t)bytes};
}

static inline int isShared(Range one, Range other) {
  return one.size && other.size &&
         (other.start - one.start < one.size ||
          one.start - other.start < other.size);
}

/* A string tensor is three pieces, all others are one. */
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

static RARE int sharesPieces(const Call *call, int64_t index, int64_t other) {
  Range ones[3], others[3];
  int count = getPieces(call, index, ones);
  int otherCount = getPieces(call, other, others);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < otherCount; ++j)
      if (isShared(ones[i], others[j]))
        return 1;
  return 0;
}

static RARE int failOverlap(Call *call, int64_t index, int64_t other) {
  int64_t output = other - call->table->numInputs;
  return FAIL_AT(call, index, QF_ERROR_OVERLAP, "overlaps %s %d",
                 TEXT(output < 0 ? "input" : "output"),
                 NUMBER(output < 0 ? other : output));
}

/* No output may share bytes with an input or with an output before it. */
static inline int checkOverlap(Call *call, int64_t index,
                               const qf_tensor *output) {
  Range range = getRange(output, call->bytes[index]);
  const qf_tensor *other = call->inputs;
  for (int64_t i = 0; i < index; ++i, ++other) {
    other = i == call->table->numInputs ? call->outputs : other;
    if (call->table->hasTexts
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

/* `implied` holds the sizes of all outputs, one after the other. */
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
static inline int checkPairs(Call *call, const int64_t *computed) {
  const int64_t *pairs = computed + call->table->numSizes;
  for (int64_t i = 0; i < call->table->numChecks; ++i, pairs += 2)
    if (pairs[0] != pairs[1])
      return failPair(call, getChecks(call) + i, pairs);
  return QF_OK;
}

/*
 * Sizes that networks compute may come out negative. Those that depend on
 * elements, and are not known yet, become what any size agrees with.
 */
static RARE int checkComputed(Call *call, int64_t *computed, int isMeasured) {
  for (int64_t i = call->table->numInputs; i < countArguments(call); ++i)
    for (int64_t j = 0; j < getArgument(call, i)->rank; ++j, ++computed)
      if (!isMeasured && *computed == QF_UNMEASURED)
        *computed = -1;
      else if (*computed < 0)
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

/* Sizes that are the inputs' or the model's own. */
static inline void copySizes(const Call *call, int64_t *sizes) {
  const Table *table = call->table;
  const int64_t *words = (const int64_t *)table + table->implied;
  int64_t count = table->numSizes + 2 * table->numChecks;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t place = ~(uint64_t)words[i];
    sizes[i] = words[i] >= 0 ? words[i]
                             : call->inputs[place >> 32].sizes[(uint32_t)place];
  }
}

static RARE int runMeasure(Call *call, MeasureFunction *measure,
                           int64_t *scratch) {
  int status = checkInputData(call);
  if (status)
    return status;
  enterDevice(call);
  FloatEnvironment saved = enterDefaultFloatEnvironment(0);
  int64_t result = measure(call->inputs, scratch);
  leaveFloatEnvironment(saved);
  return report(call, result, 0);
}

/*
 * Computes the sizes of all outputs into `scratch`, and what the inputs have to
 * be for that. `computeSizes` is null where the table says them, `measure`
 * where sizes follow from sizes; `measuresNow` says whether to call it.
 */
static HOT int findSizes(Call *call, SizesFunction *computeSizes,
                         MeasureFunction *measure, int measuresNow,
                         int64_t *scratch) {
  if (!computeSizes) {
    copySizes(call, scratch);
    return checkPairs(call, scratch);
  }
  computeSizes(call->inputs, scratch);
  int status = checkPairs(call, scratch);
  if (!status && measure && measuresNow)
    status = runMeasure(call, measure, scratch);
  return status ? status
                : checkComputed(call, scratch, !measure || measuresNow);
}

/*
 * Says of a call whose kernel has refused its arguments, and written nothing,
 * whether that is for the sizes of outputs.
 */
static RARE int checkMeasured(Call *call, MeasureFunction *measure,
                              int64_t *scratch) {
  int status = runMeasure(call, measure, scratch);
  if (!status)
    status = checkComputed(call, scratch, 1);
  return status ? status : checkOutputs(call, scratch);
}

/*
 * The body of <name>. `scratch` has room for a number of each argument, the
 * sizes of all outputs and two numbers for each check. What runs on a device
 * gives `takeDeviceError`, which says what went wrong there since it was last
 * asked, what has strings `runTexts`; they are null otherwise.
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
               scratch,
               startMessage(error, errorSize)};
  scratch += countArguments(&call);
  int status = checkCpu(&call);
  if (!status)
    status = checkInputShapes(&call);
  if (status)
    return status;
  /* On the host sizes that depend on elements are the kernel's to compare. */
  int measuresFirst = takeDeviceError != 0;
  status = findSizes(&call, computeSizes, measure, measuresFirst, scratch);
  if (!status)
    status = checkInputData(&call);
  if (!status)
    status = checkOutputs(&call, scratch);
  if (status)
    return status;
  enterDevice(&call);
  FloatEnvironment saved =
      enterDefaultFloatEnvironment((int)table->flushesSubnormals);
  TextFailure failure;
  int64_t result = runTexts ? runTexts(table, kernel, inputs, outputs, &failure)
                            : kernel(inputs, outputs, 0);
  leaveFloatEnvironment(saved);
  if (measure && !measuresFirst && result >= QF_KERNEL_MESSAGES) {
    status = checkMeasured(&call, measure, scratch);
    if (status)
      return status;
  }
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
                     TEXT("the place for its sizes"));
  status = findSizes(&call, computeSizes, measure, 1, scratch);
  for (int64_t i = 0; !status && i < table->numOutputs; ++i)
    for (int64_t j = 0; j < outputs[i].rank; ++j)
      outputSizes[i][j] = *scratch++;
  return status;
}
