/*===-- run-model.c - A model from a file, compiled and run ------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/* run-model MODEL [SIZE]: compiles MODEL (.onnx, .xml, .mlir), runs it and
   prints the outputs. Inputs of uint8 are 0, 1, 2, ..., those of f32 are
   multiples of 1/16, and others are zero. Dynamic sizes are set to SIZE (4). */
#include "quant-float-c/Compiler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static QuantFloatError error;

/* Prints an error with the notes of its diagnostics. */
static int fail(void) {
  fprintf(stderr, "%s\n", quantFloatErrorGetMessage(error));
  for (size_t i = 0; i < quantFloatErrorGetNumDiagnostics(error); ++i) {
    const QuantFloatDiagnostic *given = quantFloatErrorGetDiagnostic(error, i);
    for (size_t n = 0; n < given->numNotes; ++n)
      fprintf(stderr, "  note: %s\n", given->notes[n].message);
  }
  quantFloatErrorDestroy(error);
  return EXIT_FAILURE;
}

/* Creates a tensor of an argument's type, with `sizes` for its sizes. */
static qf_tensor allocate(const QuantFloatArgument *argument, int64_t *sizes) {
  size_t bytes = quantFloatDtypeGetBytes(argument->dtype);
  for (int32_t d = 0; d < argument->rank; ++d)
    bytes *= (size_t)sizes[d];
  qf_tensor tensor = {calloc(bytes + 1, 1), sizes, argument->rank,
                      argument->dtype};
  for (size_t i = 0; argument->dtype == QF_UINT8 && i < bytes; ++i)
    ((uint8_t *)tensor.data)[i] = (uint8_t)i;
  for (size_t i = 0; argument->dtype == QF_FLOAT32 && i < bytes / 4; ++i)
    ((float *)tensor.data)[i] = (float)(i % 17) / 16;
  return tensor;
}

static void print(const QuantFloatArgument *argument, const qf_tensor *tensor) {
  size_t bytes = quantFloatDtypeGetBytes(argument->dtype);
  printf("%s: %s", argument->name, quantFloatDtypeGetOnnxName(argument->dtype));
  for (int32_t d = 0; d < tensor->rank; ++d) {
    printf("%s%lld", d ? "x" : " ", (long long)tensor->sizes[d]);
    bytes *= (size_t)tensor->sizes[d];
  }
  printf(":");
  for (size_t i = 0; i < bytes && i < 40; ++i)
    if (tensor->dtype != QF_FLOAT32)
      printf(" %02x", ((uint8_t *)tensor->data)[i]);
    else if (i % 4 == 0)
      printf(" %g", ((float *)tensor->data)[i / 4]);
  printf("\n");
}

static int run(QuantFloatKernel kernel, int64_t openSize) {
  enum { kMaxTensors = 8, kMaxRank = 8 };
  int64_t inputSizes[kMaxTensors][kMaxRank], outputSizes[kMaxTensors][kMaxRank];
  int64_t *indices[kMaxTensors];
  qf_tensor inputs[kMaxTensors], outputs[kMaxTensors];
  const QuantFloatEntry *entry = quantFloatKernelGetEntry(kernel, 0);
  int isTooLarge = !entry || entry->numInputs > kMaxTensors ||
                   entry->numOutputs > kMaxTensors;
  for (size_t i = 0; !isTooLarge && i < entry->numInputs; ++i)
    isTooLarge = entry->inputs[i].rank > kMaxRank;
  for (size_t i = 0; !isTooLarge && i < entry->numOutputs; ++i)
    isTooLarge = entry->outputs[i].rank > kMaxRank;
  if (isTooLarge) {
    fprintf(stderr,
            "expected at most 8 inputs and outputs of at most 8 dimensions\n");
    return EXIT_FAILURE;
  }
  for (size_t i = 0; i < entry->numInputs; ++i) {
    for (int32_t d = 0; d < entry->inputs[i].rank; ++d)
      inputSizes[i][d] =
          entry->inputs[i].sizes[d] < 0 ? openSize : entry->inputs[i].sizes[d];
    inputs[i] = allocate(&entry->inputs[i], inputSizes[i]);
  }
  for (size_t i = 0; i < entry->numOutputs; ++i)
    indices[i] = outputSizes[i];
  if (quantFloatKernelGetOutputSizes(kernel, 0, inputs, entry->numInputs,
                                     indices, entry->numOutputs, &error))
    return fail();
  for (size_t i = 0; i < entry->numOutputs; ++i)
    outputs[i] = allocate(&entry->outputs[i], outputSizes[i]);
  if (quantFloatKernelRun(kernel, 0, inputs, entry->numInputs, outputs,
                          entry->numOutputs, &error))
    return fail();
  for (size_t i = 0; i < entry->numOutputs; ++i) {
    print(&entry->outputs[i], &outputs[i]);
    free(outputs[i].data);
  }
  for (size_t i = 0; i < entry->numInputs; ++i)
    free(inputs[i].data);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  if (argc < 2 ||
      quantFloatGetAbiVersion() >> 16 != QUANT_FLOAT_ABI_VERSION >> 16) {
    fprintf(stderr, "usage: run-model MODEL [SIZE]\n");
    return EXIT_FAILURE;
  }
  QuantFloatSession session;
  QuantFloatModel model;
  QuantFloatKernel kernel;
  if (quantFloatSessionCreate(NULL, &session, &error))
    return fail();
  if (quantFloatModelLoad(session, argv[1], NULL, &model, &error))
    return fail();
  if (quantFloatModelCompile(model, NULL, &kernel, &error))
    return fail();
  /* The kernel does not need the model or the session. */
  quantFloatModelDestroy(model);
  quantFloatSessionDestroy(session);
  int status = run(kernel, argc > 2 ? atoll(argv[2]) : 4);
  quantFloatKernelDestroy(kernel);
  return status;
}
