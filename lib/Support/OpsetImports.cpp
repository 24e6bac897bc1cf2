//===- OpsetImports.cpp - Opset imports of a module -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/OpsetImports.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Both names of ONNX's default domain. Textual IR may use the second one.
static constexpr StringLiteral kNames[] = {"ai.onnx", ""};

std::optional<int64_t> quant_float::getOnnxOpset(ModuleOp module) {
  auto imports = module->getAttrOfType<DictionaryAttr>(kOpsetImportsAttrName);
  if (imports)
    for (StringRef name : kNames)
      if (auto opset = imports.getAs<IntegerAttr>(name);
          opset && opset.getType().isInteger(64))
        return opset.getInt();
  return std::nullopt;
}

void quant_float::setOnnxOpset(ModuleOp module, int64_t opset) {
  Builder b(module.getContext());
  module->setAttr(kOpsetImportsAttrName,
                  b.getDictionaryAttr(
                      b.getNamedAttr(kNames[0], b.getI64IntegerAttr(opset))));
}
