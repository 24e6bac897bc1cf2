//===- Audit.cpp - Certificates for a model -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Audit.h"

#include "quant-float/Certify/TestMatrix.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

bool AuditReport::passes() const {
  return uncovered.empty() && llvm::none_of(rows, [](const AuditRow &row) {
           return row.certificate.countMismatches();
         });
}

/// Whether a node of this name quantizes or converts internally.
static bool quantizes(StringRef name) {
  static const llvm::Regex kNames(
      "Quantiz|QLinear|QGemm|QAttention|Integer|NBits|^Cast|^BitCast|"
      "^(Fake)?Convert|^FakeQuantize");
  return kNames.match(name);
}

namespace {
/// The conversions of a model.
struct ModelConversions {
  /// By name.
  std::map<std::string, Conversion> conversions;
  /// The number of nodes of each conversion.
  std::map<std::string, size_t> nodes;
  /// The number of nodes of each uncovered kind, by UncoveredNodes::name and
  /// UncoveredNodes::instead.
  std::map<std::pair<std::string, std::string>, size_t> uncovered;
};
} // namespace

/// Returns the name and the tests of a cast that no certificate covers.
static std::pair<std::string, std::string> describe(CastOp cast) {
  if (cast.getMode() == CastMode::OpenVINO)
    return {"Convert of OpenVINO", "the suite's comparison with OpenVINO"};
  if (cast.getRandom())
    return {"stochastic Cast", "the suite's tests of random bits"};
  return {"Cast of another kind", "nothing"};
}

static ModelConversions findAll(ModuleOp module) {
  ModelConversions found;
  module.walk([&](Operation *op) {
    SmallVector<Conversion> conversions = findConversions(op);
    for (const Conversion &conversion : conversions) {
      ++found.nodes[conversion.getName()];
      found.conversions.emplace(conversion.getName(), conversion);
    }
    if (!conversions.empty())
      return;
    auto node = dyn_cast<NodeOp>(op);
    if (auto cast = dyn_cast<CastOp>(op))
      ++found.uncovered[describe(cast)];
    else if (isa<QuantizeOp, QdqOp, BlockQuantizeOp, BlockQuantizeElementsOp,
                 ConvertToBlockOp, ConvertFromBlockOp>(op))
      ++found.uncovered[{"stochastic quantization",
                         "the suite's tests of random bits"}];
    else if (node && quantizes(node.getOpType()))
      ++found.uncovered[{node.getOpType().str(),
                         "the suite's tests of this operator"}];
  });
  return found;
}

llvm::Expected<AuditReport>
certify::auditModel(Model &model, ArrayRef<NamedCertificates> certificates,
                    const CertifyOptions &requested) {
  ModelConversions conversions = findAll(model.getModule());
  CertifyOptions options = requested;
  options.cpus = {"host"};
  options.standard = Standard::All;
  for (const std::vector<Conversion> &group : listGroups(Standard::All))
    for (const Conversion &conversion : group)
      conversions.conversions.erase(conversion.getName());
  for (const auto &[name, conversion] : conversions.conversions)
    options.others.push_back(conversion);
  AuditReport report;
  report.origin = getOrigin(options);
  for (const auto &[what, nodes] : conversions.uncovered)
    report.uncovered.push_back({what.first, what.second, nodes});
  options.filter = [&](StringRef name) {
    return conversions.nodes.count(name.str()) != 0;
  };
  llvm::Expected<llvm::StringMap<std::string>> code = hashCode(options);
  if (!code)
    return code.takeError();

  llvm::MapVector<StringRef, AuditRow> rows;
  for (const auto &[name, nodes] : conversions.nodes) {
    AuditRow &row = rows[name];
    row.conversion = name;
    row.nodes = nodes;
    std::string hash = code->lookup(name);
    for (const NamedCertificates &named : certificates)
      for (const Certificate &certificate : named.file.certificates) {
        // A certificate for all inputs is preferred to one for a sample.
        bool isBetter =
            row.file.empty() || (row.isSampled && !named.file.origin.isSampled);
        if (certificate.name == name && isBetter &&
            llvm::is_contained(certificate.code, hash)) {
          row.file = named.name;
          row.certificate = certificate;
          row.isSampled = named.file.origin.isSampled;
        }
      }
  }
  options.filter = [&](StringRef name) {
    auto *found = rows.find(name);
    return found != rows.end() && found->second.file.empty();
  };
  options.onCertificate = [&](const Certificate &certificate) {
    AuditRow &row = rows.find(certificate.name)->second;
    row.certificate = certificate;
    row.isSampled = options.isSampled;
    return !requested.onCertificate || requested.onCertificate(certificate);
  };
  if (llvm::Error error = certifyAll(options))
    return std::move(error);
  for (auto &[name, row] : rows)
    report.rows.push_back(std::move(row));
  return report;
}

std::string
certify::printAudit(const AuditReport &report, StringRef model,
                    ArrayRef<std::pair<std::string, std::string>> files) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const Origin &origin = report.origin;
  os << "# Audit of " << printable(model) << "\n\n| | |\n|---|---|\n";
  for (const auto &[name, hash] : files)
    os << "| SHA-256 of " << printable(name) << " | `" << hash << "` |\n";
  os << "| compiler | " << origin.producer << ", LLVM " << origin.llvm
     << " |\n| SHA-256 of the compiler | `" << origin.program
     << "` |\n| machine | " << origin.machine << " |\n| date | " << origin.date
     << " |\n\n";
  size_t nodes = 0;
  if (!report.rows.empty() || !report.uncovered.empty())
    os << "| conversion | nodes | certificate | inputs | wrong | code's "
          "SHA-256 |\n|---|---|---|---|---|---|\n";
  for (const AuditRow &row : report.rows) {
    const Certificate &certificate = row.certificate;
    nodes += row.nodes;
    os << llvm::formatv(
        "| `{0}` | {1} | {2} | {3}{4} | {5} | `{6}` |\n", row.conversion,
        row.nodes,
        row.file.empty() ? std::string("run now") : printable(row.file),
        certificate.inputs,
        certificate.isComplete ? ", all"
        : row.isSampled        ? ", a sample"
                               : "",
        certificate.countMismatches(), certificate.code.front());
  }
  for (const UncoveredNodes &nodes : report.uncovered)
    os << llvm::formatv("| {0} | {1} | none: covered by {2} | - | - | - |\n",
                        printable(nodes.name), nodes.nodes, nodes.instead);
  os << llvm::formatv(
      "\n{0} conversions of {1} nodes, {2} kinds of nodes not covered: {3}.\n",
      report.rows.size(), nodes, report.uncovered.size(),
      report.passes() ? "right" : "NOT TO BE RELEASED");
  os << "\nSigned: ______________________  Date: ______________\n";
  return text;
}
