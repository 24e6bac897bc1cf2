//===- StripAttributes.cpp - Strip the dialect's attributes ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATSTRIPATTRIBUTESPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the attributes of other dialects.
static DictionaryAttr strip(DictionaryAttr attributes) {
  SmallVector<NamedAttribute> kept(
      llvm::make_filter_range(attributes, [](NamedAttribute attribute) {
        auto [dialect, name] = attribute.getName().strref().split('.');
        return name.empty() ||
               dialect != QuantFloatDialect::getDialectNamespace();
      }));
  return DictionaryAttr::get(attributes.getContext(), kept);
}

namespace {
struct StripAttributesPass final
    : quant_float::impl::QuantFloatStripAttributesPassBase<
          StripAttributesPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    getOperation()->walk([](Operation *op) {
      op->setDiscardableAttrs(strip(op->getDiscardableAttrDictionary()));
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function)
        return;
      if (function.getAllArgAttrs())
        for (unsigned i = 0, count = function.getNumArguments(); i < count; ++i)
          function.setArgAttrs(i, strip(function.getArgAttrDict(i)));
      if (function.getAllResultAttrs())
        for (unsigned i = 0, count = function.getNumResults(); i < count; ++i)
          function.setResultAttrs(i, strip(function.getResultAttrDict(i)));
    });
  }
};
} // namespace
