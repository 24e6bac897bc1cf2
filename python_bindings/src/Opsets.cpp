//===- Opsets.cpp - Types and attributes that op versions accept ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Opsets.h"
#include "Native.h"
#include <nanobind/stl/string.h>

using namespace quant_float_python;

static nb::list getOpNames() {
  nb::list names;
  for (size_t i = 0, count = quantFloatGetNumOps(); i < count; ++i)
    names.append(quantFloatGetOpName(i));
  return names;
}

static nb::list getVersions(const char *op) {
  nb::list versions;
  for (size_t i = 0, count = quantFloatOpGetNumVersions(op); i < count; ++i)
    versions.append(quantFloatOpGetVersion(op, i));
  return versions;
}

void quant_float_python::defineOpsets(nb::module_ &module) {
  module.def("get_newest_opset", &quantFloatGetNewestOpset);
  module.def("get_op_names", &getOpNames);
  module.def("get_versions", &getVersions, nb::arg("op"));
  module.def("resolve_version", &quantFloatOpResolveVersion, nb::arg("op"),
             nb::arg("opset"));
  module.def("accepts_type", &quantFloatOpAcceptsType, nb::arg("op"),
             nb::arg("opset"), nb::arg("role"), nb::arg("dtype"));
  module.def("first_opset_of_type", &quantFloatOpGetFirstOpsetOfType,
             nb::arg("op"), nb::arg("role"), nb::arg("dtype"));
  module.def("has_attribute", &quantFloatOpHasAttribute, nb::arg("op"),
             nb::arg("opset"), nb::arg("attribute"));
  module.def("first_opset_of_attribute", &quantFloatOpGetFirstOpsetOfAttribute,
             nb::arg("op"), nb::arg("attribute"));
  module.def("scale_has_input_type", &quantFloatOpScaleHasInputType,
             nb::arg("op"), nb::arg("opset"));
}
