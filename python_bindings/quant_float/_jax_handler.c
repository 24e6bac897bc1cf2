//===- _jax_handler.c - Calls compiled functions from XLA -------*- C -*---===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler of XLA's foreign function interface (FFI). quant_float.jax compiles
// this file at the first use, with the headers of the installed jaxlib. The
// attribute `kernel` of a call is the number of a registered entry point.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/c_api.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As in quant-float-c/EntryPoint.h, which a wheel does not contain.
typedef struct qf_tensor {
  void *data;
  const int64_t *sizes;
  int32_t rank;
  int32_t dtype;
} qf_tensor;

typedef int (*RunFunction)(const qf_tensor *inputs, qf_tensor *outputs,
                           char *error, size_t errorSize);

enum { MaxTensors = 16, NumBuckets = 256, MessageSize = 512 };

/// An entry point. Entries are never removed, so readers need no lock.
typedef struct Entry {
  int64_t number;
  RunFunction run;
  int32_t numInputs, numOutputs;
  /// Of the inputs, then of the outputs.
  int32_t dtypes[MaxTensors], ranks[MaxTensors];
  struct Entry *next;
} Entry;

static _Atomic(Entry *) buckets[NumBuckets];

/// Registers an entry point. Returns 0, or 1 if it has too many tensors or there
/// is no memory.
__attribute__((visibility("default"))) int
quantFloatJaxRegister(int64_t number, RunFunction run, int32_t numInputs,
                      int32_t numOutputs, const int32_t *dtypes,
                      const int32_t *ranks) {
  if (numInputs + numOutputs > MaxTensors)
    return 1;
  Entry *entry = calloc(1, sizeof(Entry));
  if (!entry)
    return 1;
  entry->number = number;
  entry->run = run;
  entry->numInputs = numInputs;
  entry->numOutputs = numOutputs;
  size_t count = (size_t)(numInputs + numOutputs);
  memcpy(entry->dtypes, dtypes, count * sizeof(int32_t));
  memcpy(entry->ranks, ranks, count * sizeof(int32_t));
  _Atomic(Entry *) *bucket = &buckets[(uint64_t)number % NumBuckets];
  entry->next = atomic_load(bucket);
  while (!atomic_compare_exchange_weak(bucket, &entry->next, entry))
    ;
  return 0;
}

static const Entry *findEntry(int64_t number) {
  const Entry *entry = atomic_load(&buckets[(uint64_t)number % NumBuckets]);
  while (entry && entry->number != number)
    entry = entry->next;
  return entry;
}

static XLA_FFI_Error *makeError(const XLA_FFI_CallFrame *frame,
                                XLA_FFI_Error_Code code, const char *message) {
  XLA_FFI_Error_Create_Args args = {0};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = code;
  return frame->api->XLA_FFI_Error_Create(&args);
}

/// Describes a buffer. Batches of vectors are one vector. Returns 0 if the rank
/// is not the expected one.
static int describe(const XLA_FFI_Buffer *buffer, int32_t dtype, int32_t rank,
                    int64_t *size, qf_tensor *tensor) {
  tensor->data = buffer->data;
  tensor->dtype = dtype;
  tensor->rank = rank;
  tensor->sizes = buffer->dims;
  if (buffer->rank == rank)
    return 1;
  if (rank != 1)
    return 0;
  *size = 1;
  for (int64_t i = 0; i < buffer->rank; ++i)
    *size *= buffer->dims[i];
  tensor->sizes = size;
  return 1;
}

__attribute__((visibility("default"))) XLA_FFI_Error *
quantFloatJaxHandler(XLA_FFI_CallFrame *frame) {
  for (XLA_FFI_Extension_Base *extension = frame->extension_start; extension;
       extension = extension->next) {
    if (extension->type != XLA_FFI_Extension_Metadata)
      continue;
    XLA_FFI_Metadata *metadata =
        ((XLA_FFI_Metadata_Extension *)extension)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    metadata->traits = 0;
    return NULL;
  }
  const Entry *entry = NULL;
  if (frame->attrs.size == 1 &&
      frame->attrs.types[0] == XLA_FFI_AttrType_SCALAR) {
    const XLA_FFI_Scalar *scalar = frame->attrs.attrs[0];
    if (scalar->dtype == XLA_FFI_DataType_S64)
      entry = findEntry(*(const int64_t *)scalar->value);
  }
  if (!entry)
    return makeError(frame, XLA_FFI_Error_Code_NOT_FOUND,
                     "quant_float: the kernel of this call is not compiled in "
                     "this process: trace the function again");
  if (frame->args.size != entry->numInputs ||
      frame->rets.size != entry->numOutputs)
    return makeError(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                     "quant_float: the number of tensors is not the kernel's");
  qf_tensor tensors[MaxTensors];
  int64_t sizes[MaxTensors];
  for (int32_t i = 0; i < entry->numInputs + entry->numOutputs; ++i) {
    const XLA_FFI_Buffer *buffer = i < entry->numInputs
                                       ? frame->args.args[i]
                                       : frame->rets.rets[i - entry->numInputs];
    if (!describe(buffer, entry->dtypes[i], entry->ranks[i], &sizes[i],
                  &tensors[i]))
      return makeError(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                       "quant_float: the rank of a tensor is not the kernel's");
  }
  char message[MessageSize] = "";
  if (entry->run(tensors, tensors + entry->numInputs, message, MessageSize))
    return makeError(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, message);
  return NULL;
}
