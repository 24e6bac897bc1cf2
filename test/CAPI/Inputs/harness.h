/*===-- harness.h - What the tests of the C API share ------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_TEST_CAPI_HARNESS_H
#define QUANT_FLOAT_TEST_CAPI_HARNESS_H

#include "quant-float-c/Compiler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the test with the error's text unless the call succeeds. */
#define MUST(call) must((call), #call, __LINE__)

static _Thread_local QuantFloatError lastError;

static inline void must(QuantFloatStatus status, const char *call, int line) {
  if (status == QUANT_FLOAT_OK)
    return;
  printf("line %d: %s: %s: %s\n", line, call, quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(lastError));
  exit(1);
}

static inline void require(int condition, const char *what, int line) {
  if (condition)
    return;
  printf("line %d: %s\n", line, what);
  exit(1);
}
#define REQUIRE(condition) require(!!(condition), #condition, __LINE__)

/* A single cast with a dynamic number of elements. */
static const char castText[] =
    "func.func @cast(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {\n"
    "  %0 = quant_float.cast %x opset 19\n"
    "      : tensor<?xf32> to tensor<?xf8E4M3FN>\n"
    "  return %0 : tensor<?xf8E4M3FN>\n"
    "}\n";

static inline QuantFloatModel parse(QuantFloatSession session,
                                    const char *text) {
  QuantFloatModel model;
  MUST(quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR, text,
                            strlen(text), NULL, &model, &lastError));
  return model;
}

/* Compiles a kernel from a module's text. Everything but the kernel is
   destroyed. */
static inline QuantFloatKernel
compileText(const char *text, const QuantFloatCompileOptions *options) {
  QuantFloatSession session;
  QuantFloatKernel kernel;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  QuantFloatModel model = parse(session, text);
  MUST(quantFloatModelCompile(model, options, &kernel, &lastError));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(session));
  return kernel;
}

#endif /* QUANT_FLOAT_TEST_CAPI_HARNESS_H */
