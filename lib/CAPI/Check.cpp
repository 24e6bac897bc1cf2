//===- Check.cpp - Reports on a model's nodes, for C ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/Check.h"

#include "Session.h"
#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

namespace {
/// What C sees of the lists of a node.
struct NodeLists {
  std::vector<const char *> notes;
  std::vector<const char *> warnings;
  std::vector<QuantFloatOpsetVerdict> opsets;
};

struct ReportObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Report;

  explicit ReportObject(std::vector<NodeReport> given);

  std::vector<NodeReport> reports;
  std::vector<std::string> files;
  std::vector<NodeLists> lists;
  std::vector<QuantFloatNodeReport> nodes;
  size_t numInvalid = 0;
  std::string text;
  std::string json;
};
} // namespace

static std::vector<const char *>
getViews(const std::vector<std::string> &list) {
  std::vector<const char *> views;
  for (const std::string &text : list)
    views.push_back(text.c_str());
  return views;
}

static QuantFloatNodeReport getView(const NodeReport &report,
                                    const NodeLists &lists, std::string &file) {
  QuantFloatNodeReport node = {};
  node.name = report.name.c_str();
  node.opName = report.opName.c_str();
  if (auto place = report.op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    node.line = place.getLine();
    node.column = node.line ? place.getColumn() : 0;
  }
  node.file = file.empty() ? nullptr : file.c_str();
  node.opset = report.opset.value_or(0);
  node.status = static_cast<int32_t>(report.status);
  node.reason = report.verdict.reason.c_str();
  node.notes = lists.notes.data();
  node.numNotes = lists.notes.size();
  node.opsets = lists.opsets.data();
  node.numOpsets = lists.opsets.size();
  node.warnings = lists.warnings.data();
  node.numWarnings = lists.warnings.size();
  return node;
}

ReportObject::ReportObject(std::vector<NodeReport> given)
    : reports(std::move(given)), files(reports.size()), lists(reports.size()) {
  for (auto [report, file, list] : llvm::zip_equal(reports, files, lists)) {
    list.notes = getViews(report.verdict.notes);
    list.warnings = getViews(report.warnings);
    for (const OpsetVerdict &opset : report.opsets)
      list.opsets.push_back({opset.first, opset.last, opset.verdict.accepted,
                             opset.verdict.reason.c_str()});
    nodes.push_back(getView(report, list, file));
    numInvalid += report.status == NodeStatus::Invalid;
  }
  llvm::raw_string_ostream textStream(text), jsonStream(json);
  printReports(textStream, reports);
  printReportsAsJson(jsonStream, reports);
  // The ops end with the call.
  for (NodeReport &report : reports)
    report.op = nullptr;
}

QuantFloatStatus quantFloatModelCheck(QuantFloatModel model, int64_t opset,
                                      QuantFloatReport *report,
                                      QuantFloatError *error) {
  return runFor(report, "report", error, [&]() -> llvm::Error {
    if (opset < QUANT_FLOAT_OPSET_ALL || opset > kNewestOpset)
      return fail(QUANT_FLOAT_ERROR_ARGUMENT, "opset must be -1 to " +
                                                  Twine(kNewestOpset) +
                                                  ", but got " + Twine(opset));
    return withModel(model, [&](ModelObject &object) {
      CheckOptions options;
      options.everyOpset = opset == QUANT_FLOAT_OPSET_ALL;
      if (opset > 0)
        options.opset = opset;
      CheckedModel checked = object.model->check(options);
      return give(report,
                  std::make_unique<ReportObject>(std::move(checked.nodes)));
    });
  });
}

size_t quantFloatReportGetNumNodes(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->nodes.size() : 0;
}

const QuantFloatNodeReport *quantFloatReportGetNode(QuantFloatReport report,
                                                    size_t node) {
  Ref<ReportObject> object(report.id);
  return object && node < object->nodes.size() ? &object->nodes[node] : nullptr;
}

size_t quantFloatReportGetNumInvalid(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->numInvalid : 0;
}

const char *quantFloatReportGetText(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->text.c_str() : nullptr;
}

const char *quantFloatReportGetJson(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->json.c_str() : nullptr;
}

QuantFloatStatus quantFloatReportDestroy(QuantFloatReport report) {
  return destroyHandle(HandleKind::Report, report.id);
}
