//===- quant-float-translate.cpp - Importers and exporters ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FakeConvertModeOption.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/OpenVINO/Import.h"

int main(int argc, char **argv) {
  mlir::registerAllTranslations();
  mlir::quant_float::registerFromOnnxTranslation();
  mlir::quant_float::FakeConvertModeOption fakeConvertMode;
  mlir::quant_float::registerFromOpenVinoTranslation([&] {
    mlir::quant_float::OpenVinoImportOptions options;
    options.fakeConvertMode =
        fakeConvertMode.get().value_or(options.fakeConvertMode);
    return options;
  });
  return failed(
      mlir::mlirTranslateMain(argc, argv, "quant-float translation driver\n"));
}
