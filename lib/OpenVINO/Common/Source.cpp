//===- Source.cpp - XML attributes of the dialect -------------------------===//
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
/// Makes pugixml write to a string.
struct StringWriter final : pugi::xml_writer {
  void write(const void *data, size_t size) override {
    contents.append(static_cast<const char *>(data), size);
  }

  std::string contents;
};
} // namespace

StringAttr openvino_import::makeSource(MLIRContext *context,
                                       pugi::xml_node node,
                                       ArrayRef<StringRef> leftOut) {
  StringWriter writer;
  auto print = [&](pugi::xml_node printed) {
    printed.print(writer, "", pugi::format_raw, pugi::encoding_utf8);
  };
  if (leftOut.empty()) {
    print(node);
    return StringAttr::get(context, writer.contents);
  }
  // Copy the remaining children, because the excluded ones are the largest.
  pugi::xml_document rest;
  pugi::xml_node root = rest.append_child(node.name());
  for (pugi::xml_attribute attribute : node.attributes())
    root.append_copy(attribute);
  for (pugi::xml_node child : node.children())
    if (!llvm::is_contained(leftOut, StringRef(child.name())))
      root.append_copy(child);
  print(root);
  return StringAttr::get(context, writer.contents);
}

Attribute openvino_import::makeBodySource(MLIRContext *context,
                                          pugi::xml_node node,
                                          ArrayRef<DictionaryAttr> arguments,
                                          ArrayRef<DictionaryAttr> results) {
  Builder builder(context);
  auto makeList = [&](ArrayRef<DictionaryAttr> list) {
    return builder.getArrayAttr(
        SmallVector<Attribute>(list.begin(), list.end()));
  };
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(kBodyAttrName, makeSource(context, node, kGraph)),
       builder.getNamedAttr(kArgumentsAttrName, makeList(arguments)),
       builder.getNamedAttr(kResultsAttrName, makeList(results))});
}

FailureOr<pugi::xml_node>
openvino_import::appendSource(pugi::xml_node parent, const char *element,
                              Attribute source, StringRef name,
                              const Subject &subject) {
  if (!source)
    return parent.append_child(element);
  pugi::xml_document document;
  auto xml = dyn_cast<StringAttr>(source);
  if (!xml || xml.getValue().contains('\0') ||
      !document.load_buffer(xml.data(), xml.size(), pugi::parse_default,
                            pugi::encoding_utf8) ||
      StringRef(document.first_child().name()) != element ||
      document.first_child().next_sibling())
    return diagnose(subject, Diag::BadSource, name);
  return parent.append_copy(document.first_child());
}
