//===- Check.cpp - Checks quantization nodes against opsets ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Driver/Check.h"

#include "mlir/IR/Verifier.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/ONNX/Import/ExpandNode.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kOpsetAttrName = "opset";

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// The status, verdict and warnings of an operation.
struct Outcome {
  NodeStatus status;
  Verdict verdict;
  std::vector<std::string> warnings = {};
};
} // namespace

/// Runs `verify` and collects its diagnostics.
static Outcome gather(Operation *op,
                      llvm::function_ref<LogicalResult()> verify) {
  Outcome outcome;
  Verdict &verdict = outcome.verdict;
  // Remove the name of the operation, which the report contains already.
  std::string prefix = ("'" + op->getName().getStringRef() + "' op ").str();
  MLIRContext *context = op->getContext();
  bool printsOp = context->shouldPrintOpOnDiagnostic();
  context->printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    StringRef message = text;
    message.consume_front(prefix);
    if (diagnostic.getSeverity() == DiagnosticSeverity::Warning) {
      outcome.warnings.push_back(message.str());
      return success();
    }
    verdict.reason += (verdict.reason.empty() ? "" : "; ") + message.str();
    for (const Diagnostic &note : diagnostic.getNotes())
      verdict.notes.push_back(note.str());
    return success();
  });
  verdict.accepted = succeeded(verify());
  outcome.status = verdict.accepted ? NodeStatus::Valid : NodeStatus::Invalid;
  context->printOpOnDiagnostic(printsOp);
  return outcome;
}

/// Returns the zero point of a quantization operation, which may be invalid, or
/// null.
static Value getZeroPoint(Operation *op) {
  auto quantization = dyn_cast<QuantizationOpInterface>(op);
  return quantization ? quantization.getZeroPointValue() : Value();
}

static Outcome judgeOp(Operation *op) {
  return gather(op, [&]() -> LogicalResult {
    if (failed(verify(op, /*verifyRecursively=*/false)))
      return failure();
    // This check depends on other operations, so the verifier does not do it
    // (Q7).
    Value zeroPoint = getZeroPoint(op);
    std::optional<std::string> error =
        zeroPoint ? findZeroPointError(zeroPoint) : std::nullopt;
    return error ? op->emitOpError() << *error : success();
  });
}

/// Judges a node that is not an operation of the dialect, because types are
/// missing, it was not converted yet, or no operation can represent it. Calls
/// `inspect` with the operation that the node would become.
static Outcome judgeNode(NodeOp node,
                         llvm::function_ref<void(Operation *)> inspect) {
  OpBuilder builder(node);
  FailureOr<NodeResolution> resolution = failure();
  bool isStrict = node->getParentOfType<ModuleOp>()->hasAttr(kStrictAttrName);
  Outcome outcome = gather(node, [&]() -> LogicalResult {
    auto emitError = [&] { return mlir::emitError(node.getLoc()); };
    resolution = resolveNode(builder, node, emitError);
    if (failed(resolution))
      return failure();
    return verifyDeclaredTypes(node, *resolution, isStrict,
                               [&](DiagnosticSeverity severity) {
                                 return severity == DiagnosticSeverity::Warning
                                            ? mlir::emitWarning(node.getLoc())
                                            : mlir::emitError(node.getLoc());
                               });
  });
  if (failed(resolution))
    return outcome;
  if (Operation *op = resolution->op) {
    if (outcome.verdict.accepted) {
      std::vector<std::string> warnings = std::move(outcome.warnings);
      outcome = judgeOp(op);
      outcome.warnings = std::move(warnings);
    }
    inspect(op);
    op->erase();
    return outcome;
  }
  if (resolution->isVerified || !outcome.verdict.accepted)
    return outcome;
  outcome.status = NodeStatus::NotVerified;
  outcome.verdict.reason = resolution->describeMissing();
  return outcome;
}

/// Returns the inputs of the source node; null for absent ones.
static SmallVector<Value> getSourceInputs(NodeOp node) {
  SmallVector<Value> inputs;
  for (Value input : node.getInputs()) {
    while (llvm::is_contained(node.getAbsentInputs(), int64_t(inputs.size())))
      inputs.push_back(Value());
    inputs.push_back(input);
  }
  return inputs;
}

/// Whether the node is a quantization node of TensorRT or Quark. A function of
/// ONNX's operators defines each of them (V10).
static bool isVendorQuantization(NodeOp node) {
  constexpr StringLiteral kDomains[] = {"trt", "com.amd.quark",
                                        "com.vai.quantize"};
  // Unverified IR may lack the attributes.
  return node.getOpTypeAttr() && node.getOpsetAttr() &&
         llvm::is_contained(kDomains, node.getDomain()) &&
         isDefinedByFunction(node);
}

/// Judges a node by the quantization nodes of the function that defines its
/// operator.
static Outcome judgeFunction(NodeOp node,
                             llvm::function_ref<void(Operation *)> inspect) {
  for (auto [index, input] : llvm::enumerate(getSourceInputs(node)))
    if (input && isa<UnknownType>(input.getType())) {
      NodeResolution resolution;
      resolution.missingInput = index;
      return {NodeStatus::NotVerified,
              {/*accepted=*/true, resolution.describeMissing(), {}}};
    }
  OpBuilder builder(node);
  Operation *before = node->getPrevNode();
  NodeExpansion expansion;
  Outcome outcome = gather(node, [&]() -> LogicalResult {
    expansion = expandNode(builder, node);
    if (!expansion.problem.empty())
      return mlir::emitError(node.getLoc()) << expansion.problem;
    return success(!expansion.results.empty());
  });
  Verdict &verdict = outcome.verdict;
  if (expansion.isUnknown)
    outcome.status = NodeStatus::NotVerified;
  else if (!verdict.accepted && verdict.reason.empty())
    verdict.reason = "no function defines the operator for this node";

  // The last op first.
  SmallVector<Operation *> body;
  for (Operation *op = node->getPrevNode(); op != before;
       op = op->getPrevNode())
    body.push_back(op);
  for (Operation *op : llvm::reverse(body)) {
    auto inner = dyn_cast<NodeOp>(op);
    if (outcome.status != NodeStatus::Valid || !inner ||
        !isQuantizationNode(inner))
      continue;
    Outcome found = judgeNode(inner, inspect);
    llvm::append_range(outcome.warnings, found.warnings);
    outcome.status = found.status;
    verdict = std::move(found.verdict);
    if (!verdict.reason.empty())
      verdict.reason = "in its function body, " + verdict.reason;
  }
  for (Operation *op : body)
    op->erase();
  return outcome;
}

static Outcome judge(Operation *op,
                     llvm::function_ref<void(Operation *)> inspect) {
  if (auto node = dyn_cast<NodeOp>(op))
    return isVendorQuantization(node) ? judgeFunction(node, inspect)
                                      : judgeNode(node, inspect);
  inspect(op);
  return judgeOp(op);
}

static void setOpset(Operation *op, int64_t opset) {
  op->setAttr(kOpsetAttrName,
              Builder(op->getContext()).getI64IntegerAttr(opset));
}

/// Whether two verdicts are equal. The reasons contain the numbers of a version
/// and an opset, so digits are ignored.
static bool isAlike(const Verdict &a, const Verdict &b) {
  auto withoutDigits = [](StringRef text) {
    std::string result;
    llvm::copy_if(text, std::back_inserter(result),
                  [](char c) { return !llvm::isDigit(c); });
    return result;
  };
  return a.accepted == b.accepted && a.notes == b.notes &&
         withoutDigits(a.reason) == withoutDigits(b.reason);
}

static std::vector<OpsetVerdict> verifyEveryOpset(Operation *op,
                                                  int64_t newest) {
  std::vector<OpsetVerdict> verdicts;
  for (int64_t opset = 1; opset <= newest; ++opset) {
    setOpset(op, opset);
    Outcome outcome = judge(op, [](Operation *) {});
    // The missing types do not depend on the opset.
    if (outcome.status == NodeStatus::NotVerified)
      return {};
    Verdict &verdict = outcome.verdict;
    if (verdicts.empty() || !isAlike(verdicts.back().verdict, verdict)) {
      verdicts.push_back({opset, opset, std::move(verdict)});
    } else {
      verdicts.back().last = opset;
      verdicts.back().verdict = std::move(verdict);
    }
  }
  return verdicts;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Returns the domain of the operation's opset: "" for ONNX's own.
static StringRef getDomain(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  if (isa<FakeConvertOp>(op) || (cast && cast.getMode() == CastMode::OpenVINO))
    return kOpenVinoDomain;
  if (cast && cast.getMode())
    return kOwnDomain;
  auto domain = op->getAttrOfType<StringAttr>("domain");
  return domain && domain != "ai.onnx" ? domain.getValue() : StringRef();
}

/// Returns the name of the operator in the source standard, with its domain
/// unless it is ONNX's own.
static std::string getSourceName(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    return cast.getMode() == CastMode::OpenVINO
               ? (kOpenVinoDomain + ".Convert").str()
               : getOpName(getOpKind(cast)).str();
  std::string domain = getDomain(op).str();
  std::string prefix = domain.empty() ? "" : domain + ".";
  if (auto node = dyn_cast<NodeOp>(op))
    return prefix + node.getOpType().str();
  if (isa<QuantizeOp>(op))
    return prefix + getOpName(OpKind::QuantizeLinear).str();
  if (isa<DequantizeOp>(op))
    return prefix + getOpName(OpKind::DequantizeLinear).str();
  if (isa<FakeConvertOp>(op))
    return prefix + "FakeConvert";
  return op->getName().getStringRef().str();
}

/// Returns the scales of a quantization operation, or of a QLinear or QGemm
/// node.
static SmallVector<Value> getScales(Operation *op) {
  if (auto quantization = dyn_cast<QuantizationOpInterface>(op))
    return {quantization.getScaleValue()};
  auto node = dyn_cast<NodeOp>(op);
  if (!node)
    return {};
  std::optional<NodeKind> kind =
      findNodeKind(getDomain(node), node.getOpType());
  bool isQGemm = kind == NodeKind::MicrosoftQGemm;
  if (!isQGemm && kind != NodeKind::QLinearConv &&
      kind != NodeKind::QLinearMatMul)
    return {};
  SmallVector<Value> inputs = getSourceInputs(node), scales;
  // QGemm has a bias before the scale of the result.
  for (unsigned index : {1, 4, isQGemm ? 7 : 6})
    if (index < inputs.size() && inputs[index])
      scales.push_back(inputs[index]);
  return scales;
}

/// Returns the newest known opset of a domain.
static int64_t getNewestOpset(StringRef domain) {
  if (domain.empty())
    return kNewestOpset;
  if (domain == kOpenVinoDomain)
    return kNewestFakeConvertOpset;
  return domain == kOwnDomain ? kOwnOpset
                              : getNewestOpset(OpKind::MicrosoftQuantizeLinear);
}

static NodeReport checkOp(Operation *op, const CheckOptions &options) {
  auto node = dyn_cast<NodeOp>(op);
  StringRef name = node ? node.getNodeName().value_or("") : "";
  NodeReport report{op,
                    FileLocation(op->getLoc()),
                    (name.empty() ? getNodeName(op->getLoc()) : name).str(),
                    getSourceName(op),
                    {},
                    NodeStatus::Valid,
                    {},
                    {},
                    {}};
  // In invalid IR the attribute may be missing or have another type.
  auto own = op->getAttrOfType<IntegerAttr>(kOpsetAttrName);
  if (own && own.getType().isInteger(64)) {
    report.opset = own.getInt();
    // The requested opset is one of ONNX.
    bool isOnnx = getDomain(op).empty();
    if (options.everyOpset)
      report.opsets = verifyEveryOpset(op, getNewestOpset(getDomain(op)));
    setOpset(op,
             isOnnx ? options.opset.value_or(*report.opset) : *report.opset);
  }
  Outcome outcome = judge(op, [&](Operation *resolved) {
    Value zeroPoint = getZeroPoint(resolved);
    std::optional<std::string> warning =
        zeroPoint ? findZeroPointWarning(zeroPoint) : std::nullopt;
    if (warning)
      report.warnings.push_back(*warning);
    for (Value scale : getScales(resolved))
      if (std::optional<std::string> warning = findScaleWarning(scale))
        report.warnings.push_back(*warning);
  });
  if (node && report.warnings.empty())
    for (Value scale : getScales(node))
      if (std::optional<std::string> warning = findScaleWarning(scale))
        report.warnings.push_back(*warning);
  report.status = outcome.status;
  report.verdict = std::move(outcome.verdict);
  llvm::append_range(report.warnings, outcome.warnings);
  return report;
}

/// Whether the op is an operation of the dialect with an opset, or a node that
/// could become one or that consists of such operations.
static bool isChecked(Operation *op) {
  if (auto node = dyn_cast<NodeOp>(op))
    return isQuantizationNode(node) || isVendorQuantization(node);
  std::optional<RegisteredOperationName> name = op->getRegisteredInfo();
  return name && isa<QuantFloatDialect>(op->getDialect()) &&
         llvm::is_contained(name->getAttributeNames(), kOpsetAttrName);
}

std::vector<NodeReport> quant_float::checkModel(ModuleOp module,
                                                const CheckOptions &options) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isChecked(op))
      ops.push_back(op);
  });
  std::vector<NodeReport> reports;
  for (Operation *op : ops)
    reports.push_back(checkOp(op, options));
  return reports;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static StringRef getStatusName(NodeStatus status) {
  // In the order of NodeStatus.
  static constexpr StringLiteral kNames[] = {"ok", "invalid", "not verified"};
  return kNames[static_cast<unsigned>(status)];
}

/// Prints a range such as "19-28".
static void printRange(llvm::raw_ostream &os, const OpsetVerdict &range) {
  os << range.first;
  if (range.last != range.first)
    os << "-" << range.last;
}

/// Returns a prefix that names the standard if the opsets are not ONNX's.
static StringRef getOpsetOwner(const NodeReport &report) {
  return getDomain(report.op) == kOpenVinoDomain ? "OpenVINO " : "";
}

static void printAccepting(llvm::raw_ostream &os, const NodeReport &report) {
  ArrayRef<OpsetVerdict> opsets = report.opsets;
  auto accepting = llvm::make_filter_range(
      opsets, [](const OpsetVerdict &range) { return range.verdict.accepted; });
  if (accepting.empty()) {
    os << ", accepted by no " << getOpsetOwner(report) << "opset";
    return;
  }
  os << ", accepted by " << getOpsetOwner(report) << "opsets ";
  llvm::interleaveComma(
      accepting, os, [&](const OpsetVerdict &range) { printRange(os, range); });
}

void quant_float::printReports(llvm::raw_ostream &os,
                               ArrayRef<NodeReport> reports) {
  for (const NodeReport &report : reports) {
    os << report.location;
    if (!report.name.empty()) {
      os << "node '";
      os.write_escaped(report.name) << "': ";
    }
    os << report.opName;
    if (report.opset)
      os << ", opset " << *report.opset;
    os << ", ";
    llvm::interleaveComma(report.op->getOperandTypes(), os);
    os << " to ";
    llvm::interleaveComma(report.op->getResultTypes(), os);
    os << ": " << getStatusName(report.status);
    if (!report.verdict.reason.empty())
      os << ": " << report.verdict.reason;
    if (!report.opsets.empty())
      printAccepting(os, report);
    os << "\n";
    for (const std::string &warning : report.warnings)
      os << "  warning: " << warning << "\n";
    for (const OpsetVerdict &range : report.opsets) {
      if (range.verdict.accepted)
        continue;
      os << "  " << getOpsetOwner(report) << "opsets ";
      printRange(os, range);
      os << ": " << range.verdict.reason << "\n";
    }
  }
}

static void printStrings(llvm::json::OStream &json, StringRef key,
                         ArrayRef<std::string> strings) {
  json.attributeArray(key, [&] {
    for (const std::string &text : strings)
      json.value(llvm::json::fixUTF8(text));
  });
}

static void printVerdict(llvm::json::OStream &json, const Verdict &verdict) {
  if (!verdict.reason.empty())
    json.attribute("reason", llvm::json::fixUTF8(verdict.reason));
  if (!verdict.notes.empty())
    printStrings(json, "notes", verdict.notes);
}

static void printTypes(llvm::json::OStream &json, StringRef key,
                       TypeRange types) {
  std::vector<std::string> strings(types.size());
  for (auto [type, text] : llvm::zip_equal(types, strings))
    llvm::raw_string_ostream(text) << type;
  printStrings(json, key, strings);
}

static void printReportAsJson(llvm::json::OStream &json,
                              const NodeReport &report) {
  if (!report.location.file.empty())
    json.attribute("file", llvm::json::fixUTF8(report.location.file));
  if (report.location.line) {
    json.attribute("line", report.location.line);
    json.attribute("column", report.location.column);
  }
  if (!report.name.empty())
    json.attribute("node", llvm::json::fixUTF8(report.name));
  json.attribute("op", llvm::json::fixUTF8(report.opName));
  if (report.opset)
    json.attribute("opset", *report.opset);
  printTypes(json, "inputs", report.op->getOperandTypes());
  printTypes(json, "results", report.op->getResultTypes());
  json.attribute("status", getStatusName(report.status));
  printVerdict(json, report.verdict);
  if (!report.warnings.empty())
    printStrings(json, "warnings", report.warnings);
  if (report.opsets.empty())
    return;
  json.attributeArray("opsets", [&] {
    for (const OpsetVerdict &range : report.opsets)
      json.object([&] {
        json.attribute("first", range.first);
        json.attribute("last", range.last);
        json.attribute("accepted", range.verdict.accepted);
        printVerdict(json, range.verdict);
      });
  });
}

void quant_float::printReportsAsJson(llvm::raw_ostream &os,
                                     ArrayRef<NodeReport> reports) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.array([&] {
    for (const NodeReport &report : reports)
      json.object([&] { printReportAsJson(json, report); });
  });
  json.flush();
  os << "\n";
}
