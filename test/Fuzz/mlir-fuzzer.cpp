//===- mlir-fuzzer.cpp - Fuzzer of the C API ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text must give a model or an error with a message. A model can be
// verified, checked against all opsets and written, and the written model can
// be parsed.
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Compiler.h"
#include <cstdlib>
#include <initializer_list>

/// Returns whether the call succeeded. Aborts if an error has no message.
static bool succeeds(QuantFloatStatus status, const QuantFloatError &error) {
  bool good = status == QUANT_FLOAT_OK;
  if (good != !error.id)
    std::abort();
  if (good)
    return true;
  if (!*quantFloatErrorGetMessage(error))
    std::abort();
  quantFloatErrorDestroy(error);
  return false;
}

static bool parse(QuantFloatSession session, const void *data, size_t size,
                  bool verify, QuantFloatModel *model) {
  QuantFloatLoadOptions options;
  quantFloatLoadOptionsInit(&options, sizeof options);
  options.verify = verify;
  QuantFloatError error;
  QuantFloatStatus status = quantFloatModelParse(
      session, QUANT_FLOAT_FORMAT_MLIR, data, size, &options, model, &error);
  return succeeds(status, error);
}

static void look(QuantFloatSession session, QuantFloatModel model) {
  QuantFloatError error;
  QuantFloatReport report;
  if (succeeds(
          quantFloatModelCheck(model, QUANT_FLOAT_OPSET_ALL, &report, &error),
          error)) {
    if (!quantFloatReportGetText(report) || !quantFloatReportGetJson(report))
      std::abort();
    quantFloatReportDestroy(report);
  }
  for (size_t i = 0; i < quantFloatModelGetNumEntries(model); ++i)
    if (!quantFloatModelGetEntry(model, i))
      std::abort();
  bool valid = succeeds(quantFloatModelVerify(model, &error), error);
  for (bool asBytecode : {false, true}) {
    QuantFloatBuffer buffer;
    if (!succeeds(quantFloatModelWrite(model, asBytecode, &buffer, &error),
                  error))
      continue;
    QuantFloatModel again;
    if (valid) {
      if (!parse(session, quantFloatBufferGetData(buffer),
                 quantFloatBufferGetSize(buffer), /*verify=*/true, &again))
        std::abort();
      quantFloatModelDestroy(again);
    }
    quantFloatBufferDestroy(buffer);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  QuantFloatSession session;
  QuantFloatError error;
  if (!succeeds(quantFloatSessionCreate(nullptr, &session, &error), error))
    std::abort();
  for (bool verify : {true, false}) {
    QuantFloatModel model;
    if (!parse(session, data, size, verify, &model))
      continue;
    look(session, model);
    quantFloatModelDestroy(model);
    // The unverified model only differs from the verified one if the latter
    // does not exist.
    break;
  }
  quantFloatSessionDestroy(session);
  if (quantFloatGetNumLiveObjects())
    std::abort();
  return 0;
}
