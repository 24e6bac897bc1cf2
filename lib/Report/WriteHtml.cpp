//===- WriteHtml.cpp - The accuracy report as HTML ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is self-contained: it includes its style and SVG pictures, and has
// no script.
//
//===----------------------------------------------------------------------===//

#include "quant-float/Report/Report.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Accuracy report</title>
<style>
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6575; --page: #ffffff; --card: #f5f7fa;
  --line: #d9dee6; --bar: #2f6fb7; --bad: #b3441e; --good: #2d7d46; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa4b5; --page: #14171d;
  --card: #1d222b; --line: #343b48; --bar: #6aa8ec; --bad: #f08a5d; --good: #6cc58a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  margin: 0 auto; max-width: 70rem; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: .95rem; margin: 1rem 0 .3rem; }
p, dd { color: var(--soft); } p { margin: .3rem 0; max-width: 60rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .3rem 0; }
th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; color: var(--soft); } th:first-child, td:first-child { text-align: left; }
td.name { white-space: normal; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
details { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: .4rem .9rem; }
summary { cursor: pointer; overflow-wrap: anywhere; } summary b { font-weight: 600; } summary span { color: var(--soft); }
.best { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.parts { display: flex; flex-wrap: wrap; gap: 0 2.5rem; }
a { color: inherit; text-decoration-color: var(--line); }
svg { display: block; width: 100%; max-width: 46rem; height: auto; }
svg rect { fill: var(--bar); } svg text { fill: var(--soft); font-size: 11px; } svg line { stroke: var(--line); }
</style>
</head>
<body>
)";

namespace {
class Page {
public:
  Page(llvm::raw_ostream &os, const AccuracyReport &report)
      : os(os), report(report) {}

  void write();

private:
  void writeText(StringRef text);
  void writeLink(size_t index);
  void writeNumber(double number);
  void writeDecibels(double sqnr);
  void writeShare(int64_t count, int64_t of);
  void writeCell(llvm::function_ref<void()> content, StringRef kind = "");
  void writeHeaders(ArrayRef<StringRef> titles);
  void writeOutputs();
  void writeRanking();
  void writeOverview();
  void writeQuantization(size_t index, const QuantizationReport &one);
  void writeHistogram(const QuantizationReport &one);
  void writeWorst(const QuantizationReport &one);
  void writeScales(const QuantizationReport &one);
  void writeAlternatives(const QuantizationReport &one);
  void writeBlockAlternatives(const QuantizationReport &one);

  llvm::raw_ostream &os;
  const AccuracyReport &report;
};
} // namespace

/// Escapes text from the model for HTML, and replaces control characters.
void Page::writeText(StringRef text) {
  std::string escaped = llvm::json::fixUTF8(text);
  for (char &c : escaped)
    if (static_cast<unsigned char>(c) < ' ' || c == 127)
      c = ' ';
  llvm::printHTMLEscaped(escaped, os);
}

/// Links to the details of a quantization.
void Page::writeLink(size_t index) {
  os << "<a href=\"#q" << index << "\">";
  writeText(report.quantizations[index].name);
  os << "</a>";
}

void Page::writeNumber(double number) {
  if (std::isinf(number))
    os << (number < 0 ? "−∞" : "∞");
  else if (std::isnan(number))
    os << "NaN";
  else
    os << llvm::format("%.4g", number);
}

void Page::writeDecibels(double sqnr) {
  if (std::isinf(sqnr) && sqnr > 0)
    os << "exact";
  else if (std::isfinite(sqnr))
    os << llvm::format("%.1f", sqnr);
  else
    writeNumber(sqnr);
}

void Page::writeShare(int64_t count, int64_t of) {
  if (count == 0)
    os << "0";
  else
    os << llvm::format("%.3g %%", 100.0 * double(count) / double(of));
}

void Page::writeCell(llvm::function_ref<void()> content, StringRef kind) {
  os << (kind.empty() ? "<td>" : ("<td class=\"" + kind + "\">").str());
  content();
  os << "</td>";
}

void Page::writeHeaders(ArrayRef<StringRef> titles) {
  os << "<tr>";
  for (StringRef title : titles)
    os << "<th>" << title << "</th>";
  os << "</tr>\n";
}

void Page::writeOutputs() {
  if (report.outputs.empty())
    return;
  os << "<h2>The network</h2>\n<p>Outputs with all quantizations of this "
        "report, compared with the same network without them. Weights that the "
        "model contains only in quantized form are not changed.</p>\n<div "
        "class=\"wide\"><table>\n";
  writeHeaders({"Output", "Tensor", "SQNR in dB", "Largest error"});
  for (const OutputReport &output : report.outputs) {
    os << "<tr>";
    writeCell([&] { writeText(output.name); }, "name");
    writeCell([&] { writeText(output.tensor); });
    writeCell([&] { writeDecibels(output.difference.sqnr); });
    writeCell([&] { writeNumber(output.difference.maxAbsolute); });
    os << "</tr>\n";
  }
  os << "</table></div>\n";
}

/// Ranks the quantizations by the error that each of them causes alone.
void Page::writeRanking() {
  SmallVector<const QuantizationReport *> ranked;
  for (const QuantizationReport &one : report.quantizations)
    if (one.alone && std::isfinite(one.alone->sqnr))
      ranked.push_back(&one);
  if (ranked.empty())
    return;
  llvm::sort(ranked, [](const auto *a, const auto *b) {
    return std::pair(a->alone->sqnr, a) < std::pair(b->alone->sqnr, b);
  });
  constexpr size_t kMaxRows = 20;
  os << "<h2>Largest contributions</h2>\n<p>The outputs with only one "
        "quantization enabled, compared with none: the lower the SQNR, the "
        "larger the error that this quantization causes."
        "</p>\n<div class=\"wide\"><table>\n";
  writeHeaders({"Quantization", "Type", "Outputs, enabled alone, in dB",
                "Its input, all enabled, in dB"});
  for (const QuantizationReport *one : ArrayRef(ranked).take_front(kMaxRows)) {
    os << "<tr>";
    writeCell([&] { writeLink(one - report.quantizations.data()); }, "name");
    writeCell([&] { writeText(one->storage); });
    writeCell([&] { writeDecibels(one->alone->sqnr); });
    writeCell([&] {
      if (one->network)
        writeDecibels(one->network->sqnr);
    });
    os << "</tr>\n";
  }
  os << "</table></div>\n";
  if (ranked.size() > kMaxRows)
    os << "<p>" << ranked.size() - kMaxRows
       << " more are in the JSON file.</p>\n";
}

void Page::writeOverview() {
  os << "<h2>Quantizations</h2>\n<div class=\"wide\"><table>\n";
  writeHeaders({"Name", "Tensor", "Type", "Scales", "SQNR in dB", "Saturated",
                "Flushed to 0", "0"});
  for (size_t index = 0; index < report.quantizations.size(); ++index) {
    const QuantizationReport &one = report.quantizations[index];
    os << "<tr>";
    writeCell([&] { writeLink(index); }, "name");
    writeCell([&] { writeText(one.tensor); });
    writeCell([&] { writeText(one.storage); });
    writeCell([&] { writeText(one.granularity); });
    auto writeOriginal = [&](auto content, StringRef kind = "") {
      writeCell([&] { one.hasOriginal ? content() : void(os << "–"); }, kind);
    };
    writeOriginal([&] { writeDecibels(one.difference.sqnr); });
    writeOriginal([&] { writeShare(one.numSaturated, one.numElements); },
                  one.numSaturated ? "bad" : "");
    writeOriginal([&] { writeShare(one.numFlushed, one.numElements); });
    writeCell([&] { writeShare(one.numZero, one.numElements); });
    os << "</tr>\n";
  }
  os << "</table></div>\n";
}

/// Draws one bar for each bin of the histogram.
void Page::writeHistogram(const QuantizationReport &one) {
  if (one.histogram.empty())
    return;
  constexpr double kWidth = 720, kHeight = 120;
  int64_t max = 1;
  for (const HistogramBin &bin : one.histogram)
    max = std::max(max, bin.count);
  double width = kWidth / double(one.histogram.size());
  os << "<h3>Histogram</h3>\n<svg viewBox=\"0 0 720 140\" role=\"img\" "
        "aria-label=\"Number of elements with each quantized value\">\n";
  for (auto [index, bin] : llvm::enumerate(one.histogram)) {
    double height = kHeight * double(bin.count) / double(max);
    os << llvm::format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                       "height=\"%.2f\"><title>",
                       double(index) * width, kHeight - height,
                       std::max(width * 0.9, 0.5), height);
    writeNumber(bin.value);
    os << ": " << bin.count << "</title></rect>\n";
  }
  os << "<line x1=\"0\" y1=\"120\" x2=\"720\" y2=\"120\"/>\n<text x=\"0\" "
        "y=\"136\">";
  writeNumber(one.histogram.front().value);
  os << "</text><text x=\"720\" y=\"136\" text-anchor=\"end\">";
  writeNumber(one.histogram.back().value);
  os << "</text>\n</svg>\n";
}

void Page::writeWorst(const QuantizationReport &one) {
  if (one.worst.empty())
    return;
  os << "<div><h3>Largest errors</h3>\n<table>\n";
  writeHeaders({"Element", "Before", "After"});
  for (const WorstElement &worst : one.worst) {
    os << "<tr><td>[";
    llvm::interleaveComma(worst.index, os);
    os << "]</td>";
    writeCell([&] { writeNumber(worst.before); });
    writeCell([&] { writeNumber(worst.after); });
    os << "</tr>\n";
  }
  os << "</table></div>\n";
}

void Page::writeScales(const QuantizationReport &one) {
  if (one.numScales < 2)
    return;
  os << "<div><h3>Scales</h3>\n<p>" << one.numScales << " from ";
  writeNumber(one.leastScale);
  os << " to ";
  writeNumber(one.greatestScale);
  os << ", the median is ";
  writeNumber(one.medianScale);
  os << ".</p>\n";
  if (!one.outliers.empty()) {
    os << "<table>\n";
    writeHeaders({"Outlier", "Scale", "Ratio to the median"});
    for (const ScaleOutlier &outlier : one.outliers) {
      os << "<tr>";
      writeCell([&] { os << outlier.index; });
      writeCell([&] { writeNumber(outlier.scale); });
      writeCell([&] { writeNumber(outlier.ratio); });
      os << "</tr>\n";
    }
    os << "</table>\n";
  }
  os << "</div>\n";
}

/// Writes a table with a row per type and a column per granularity, and
/// highlights the best cell of each row.
void Page::writeAlternatives(const QuantizationReport &one) {
  if (one.alternatives.empty())
    return;
  SmallVector<StringRef> titles{"SQNR in dB"};
  StringRef first = one.alternatives.front().type;
  for (const Alternative &alternative : one.alternatives)
    if (alternative.type == first)
      titles.push_back(alternative.granularity);
  os << "<h3>Alternatives</h3>\n<p>"
     << (one.hasOriginal
             ? "The values before quantization"
             : "The dequantized values, because the model contains no others,")
     << " in other formats; a scale is the largest magnitude divided by the "
        "format's largest value.</p>\n<div class=\"wide\"><table>\n";
  writeHeaders(titles);
  size_t columns = titles.size() - 1;
  for (ArrayRef<Alternative> rest = one.alternatives; !rest.empty();
       rest = rest.drop_front(columns)) {
    ArrayRef<Alternative> row = rest.take_front(columns);
    double best = llvm::max_element(row, [](const auto &a, const auto &b) {
                    return a.sqnr < b.sqnr;
                  })->sqnr;
    os << "<tr><td>" << row.front().type << "</td>";
    for (const Alternative &alternative : row)
      writeCell([&] { writeDecibels(alternative.sqnr); },
                alternative.sqnr == best ? "best" : "");
    os << "</tr>\n";
  }
  os << "</table></div>\n";
}

/// Writes a table with a row per format and a column per rule, and highlights
/// the best cell of each row.
void Page::writeBlockAlternatives(const QuantizationReport &one) {
  if (one.blockAlternatives.empty())
    return;
  SmallVector<StringRef> titles{"SQNR in dB", "block"};
  llvm::SetVector<StringRef> rules;
  for (const BlockAlternative &alternative : one.blockAlternatives)
    rules.insert(alternative.rule);
  llvm::append_range(titles, rules);
  os << "<h3>Block formats</h3>\n<p>Blocks along the last axis, with the rules "
        "that derive their scales.</p>\n<div class=\"wide\"><table>\n";
  writeHeaders(titles);
  for (ArrayRef<BlockAlternative> rest = one.blockAlternatives;
       !rest.empty();) {
    const BlockAlternative &first = rest.front();
    ArrayRef<BlockAlternative> row =
        rest.take_while([&](const BlockAlternative &alternative) {
          return alternative.format == first.format;
        });
    double best = llvm::max_element(row, [](const auto &a, const auto &b) {
                    return a.sqnr < b.sqnr;
                  })->sqnr;
    os << "<tr><td>" << first.format << "</td>";
    writeCell([&] {
      if (first.columns < 0)
        os << "row";
      else
        os << first.rows << "x" << first.columns;
    });
    for (StringRef rule : rules) {
      const auto *found =
          llvm::find_if(row, [&](const BlockAlternative &alternative) {
            return alternative.rule == rule;
          });
      bool isDefined = found != row.end();
      writeCell(
          [&] { isDefined ? writeDecibels(found->sqnr) : void(os << "–"); },
          isDefined && found->sqnr == best ? "best" : "");
    }
    os << "</tr>\n";
    rest = rest.drop_front(row.size());
  }
  os << "</table></div>\n";
}

void Page::writeQuantization(size_t index, const QuantizationReport &one) {
  os << "<details id=\"q" << index << "\"><summary><b>";
  writeText(one.name);
  os << "</b> <span>" << one.operation << ", ";
  writeText(one.tensor);
  os << " as ";
  writeText(one.storage);
  os << (one.isConstant ? ", constant" : "") << "</span></summary>\n<p>From ";
  writeNumber(one.min);
  os << " to ";
  writeNumber(one.max);
  os << (one.hasOriginal ? "" : " dequantized");
  if (one.numNaN || one.numInfinite)
    os << ", with " << one.numNaN << " NaN and " << one.numInfinite
       << " infinite";
  if (one.hasOriginal) {
    os << "; the largest absolute error is ";
    writeNumber(one.difference.maxAbsolute);
    os << ", the largest relative error is ";
    writeNumber(one.difference.maxRelative);
    if (one.numLost)
      os << "; " << one.numLost << " values became NaN";
  }
  os << ".</p>\n";
  writeHistogram(one);
  os << "<div class=\"parts\">\n";
  writeWorst(one);
  writeScales(one);
  os << "</div>\n";
  writeAlternatives(one);
  writeBlockAlternatives(one);
  os << "</details>\n";
}

void Page::write() {
  os << kHead << "<h1>Accuracy report</h1>\n<p>";
  writeText(report.model);
  os << ", function ";
  writeText(report.function);
  os << "; inputs: ";
  writeText(report.inputs);
  os << ". SQNR is the signal-to-quantization-noise ratio, 10 log<sub>10</sub>("
        "Σ x² / Σ (x − y)²).</p>\n";
  if (report.numSkipped)
    os << "<p>" << report.numSkipped
       << " quantizations in bodies of other nodes, or of unranked tensors, "
          "are not analyzed.</p>\n";
  if (report.quantizations.empty())
    os << "<p>The model has no quantization to report.</p>\n";
  writeOutputs();
  writeRanking();
  if (!report.quantizations.empty())
    writeOverview();
  os << "<h2>Details</h2>\n";
  for (auto [index, one] : llvm::enumerate(report.quantizations))
    writeQuantization(index, one);
  os << "</body>\n</html>\n";
}

void quant_float::writeReportHtml(llvm::raw_ostream &os,
                                  const AccuracyReport &report) {
  Page(os, report).write();
}
