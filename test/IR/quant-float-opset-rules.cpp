//===- quant-float-opset-rules.cpp - The opset rules as JSON --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Prints the types and attributes that every opset accepts for every op with
// opset rules, for the test that compares them with ONNX's own schemas.

#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

static void printVersion(llvm::json::OStream &json, const OpVersion &version,
                         int64_t opset) {
  json.attribute("op", getOpName(version.op));
  json.attribute("opset", opset);
  json.attribute("since", version.since);
  json.attributeObject("types", [&] {
    for (OpRole role : {OpRole::First, OpRole::Second, OpRole::Third}) {
      StringRef name = getRoleName(version.op, role);
      if (name.empty())
        continue;
      json.attributeArray(name, [&] {
        for (const ElementInfo &element : kElements)
          if (version.accepts(role, element.number))
            json.value(element.onnx);
      });
    }
  });
  json.attributeArray("attributes", [&] {
    for (OpAttribute attribute : getOpAttributes())
      if (version.has(attribute))
        json.value(getAttributeName(attribute));
  });
}

int main() {
  llvm::json::OStream json(llvm::outs());
  static constexpr OpKind kinds[] = {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third) OpKind::Op,
#include "quant-float/IR/OpsetRules.def"
  };
  json.array([&] {
    for (OpKind kind : kinds)
      for (int64_t opset = 0; opset <= kNewestOpset + 1; ++opset)
        if (const OpVersion *version = getOpVersion(kind, opset))
          json.object([&] { printVersion(json, *version, opset); });
  });
  json.flush();
  llvm::outs() << "\n";
  return 0;
}
