//===- WriteJson.cpp - The accuracy report as JSON ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Report/Report.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
namespace json = llvm::json;

/// The version of the format. Additional fields increase it.
static constexpr int64_t kVersion = 1;

/// JSON has no infinities and no NaN, so these are the strings "inf", "-inf"
/// and "nan".
static json::Value toJson(double number) {
  if (std::isfinite(number))
    return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

/// Names may contain any bytes, so replace invalid UTF-8.
static json::Value toJson(StringRef text) { return json::fixUTF8(text); }

static void write(json::OStream &os, const NumberDifference &difference) {
  os.attribute("sqnr_db", toJson(difference.sqnr));
  os.attribute("max_absolute", toJson(difference.maxAbsolute));
  os.attribute("max_relative", toJson(difference.maxRelative));
}

static void write(json::OStream &os, StringRef name,
                  const std::optional<NumberDifference> &difference) {
  if (difference)
    os.attributeObject(name, [&] { write(os, *difference); });
}

static void write(json::OStream &os, const QuantizationReport &report) {
  os.attribute("name", toJson(report.name));
  os.attribute("operation", report.operation);
  os.attribute("tensor", report.tensor);
  os.attribute("storage", report.storage);
  os.attribute("granularity", report.granularity);
  os.attribute("constant", report.isConstant);
  os.attribute("elements", report.numElements);
  os.attribute("least", toJson(report.min));
  os.attribute("greatest", toJson(report.max));
  os.attribute("nan", report.numNaN);
  os.attribute("infinite", report.numInfinite);
  os.attribute("zero", report.numZero);
  if (report.hasOriginal) {
    os.attribute("saturated", report.numSaturated);
    os.attribute("flushed", report.numFlushed);
    os.attribute("lost", report.numLost);
    write(os, report.difference);
    os.attributeArray("worst", [&] {
      for (const WorstElement &worst : report.worst)
        os.object([&] {
          os.attribute("index", json::Array(worst.index));
          os.attribute("before", toJson(worst.before));
          os.attribute("after", toJson(worst.after));
        });
    });
  }
  os.attributeArray("histogram", [&] {
    for (const HistogramBin &bin : report.histogram)
      os.array([&] {
        os.value(toJson(bin.value));
        os.value(bin.count);
      });
  });
  os.attributeObject("scales", [&] {
    os.attribute("count", report.numScales);
    os.attribute("least", toJson(report.leastScale));
    os.attribute("median", toJson(report.medianScale));
    os.attribute("greatest", toJson(report.greatestScale));
    os.attributeArray("outliers", [&] {
      for (const ScaleOutlier &outlier : report.outliers)
        os.object([&] {
          os.attribute("index", outlier.index);
          os.attribute("scale", toJson(outlier.scale));
          os.attribute("ratio", toJson(outlier.ratio));
        });
    });
  });
  os.attributeArray("alternatives", [&] {
    for (const Alternative &alternative : report.alternatives)
      os.object([&] {
        os.attribute("type", alternative.type);
        os.attribute("granularity", alternative.granularity);
        os.attribute("sqnr_db", toJson(alternative.sqnr));
      });
  });
  os.attributeArray("block_formats", [&] {
    for (const BlockAlternative &alternative : report.blockAlternatives)
      os.object([&] {
        os.attribute("format", alternative.format);
        os.attribute("rule", alternative.rule);
        os.attributeArray("block", [&] {
          os.value(alternative.rows);
          os.value(alternative.columns);
        });
        os.attribute("sqnr_db", toJson(alternative.sqnr));
      });
  });
  write(os, "network", report.network);
  write(os, "alone", report.alone);
}

void quant_float::writeReportJson(llvm::raw_ostream &stream,
                                  const AccuracyReport &report) {
  json::OStream os(stream);
  os.object([&] {
    os.attribute("version", kVersion);
    os.attribute("model", toJson(report.model));
    os.attribute("function", toJson(report.function));
    os.attribute("inputs", toJson(report.inputs));
    os.attribute("skipped", report.numSkipped);
    os.attributeArray("quantizations", [&] {
      for (const QuantizationReport &one : report.quantizations)
        os.object([&] { write(os, one); });
    });
    os.attributeArray("outputs", [&] {
      for (const OutputReport &output : report.outputs)
        os.object([&] {
          os.attribute("name", toJson(output.name));
          os.attribute("tensor", output.tensor);
          write(os, output.difference);
        });
    });
  });
  stream << "\n";
}
