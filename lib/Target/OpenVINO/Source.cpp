//===- Source.cpp - What the dialect has no place for ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

namespace {
/// Has pugixml write to a string.
struct StringWriter final : pugi::xml_writer {
  void write(const void *data, size_t size) override {
    text.append(static_cast<const char *>(data), size);
  }

  std::string text;
};
} // namespace

StringAttr openvino_import::makeSource(MLIRContext *context,
                                       pugi::xml_node node) {
  StringWriter writer;
  // Layers are most of a file, and they keep themselves.
  if (StringRef(node.name()) == "net") {
    pugi::xml_document rest;
    pugi::xml_node root = rest.append_child(node.name());
    for (pugi::xml_attribute attribute : node.attributes())
      root.append_copy(attribute);
    for (pugi::xml_node child : node.children())
      if (StringRef name = child.name(); name != "layers" && name != "edges")
        root.append_copy(child);
    root.print(writer, "", pugi::format_raw, pugi::encoding_utf8);
  } else {
    node.print(writer, "", pugi::format_raw, pugi::encoding_utf8);
  }
  return StringAttr::get(context, writer.text);
}

FailureOr<pugi::xml_node>
openvino_import::appendSource(pugi::xml_node parent, const char *element,
                              Attribute source, StringRef name,
                              const Subject &subject) {
  if (!source)
    return parent.append_child(element);
  pugi::xml_document document;
  auto text = dyn_cast<StringAttr>(source);
  if (!text || text.getValue().contains('\0') ||
      !document.load_buffer(text.data(), text.size(), pugi::parse_default,
                            pugi::encoding_utf8) ||
      StringRef(document.first_child().name()) != element ||
      document.first_child().next_sibling())
    return diagnose(subject, Diag::BadSource, name);
  return parent.append_copy(document.first_child());
}
