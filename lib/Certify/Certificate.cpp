//===- Certificate.cpp - Certificate files --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Certificate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;
namespace json = llvm::json;

/// The version of the file format.
static constexpr int64_t kVersion = 2;

uint64_t Certificate::countMismatches() const {
  uint64_t count = referenceMismatches;
  for (const Mismatches &entry : mismatches)
    count += entry.count;
  return count;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string toHex(uint64_t encoding) {
  return "0x" + llvm::utohexstr(encoding, /*LowerCase=*/true);
}

static json::Value toJSON(const Mismatches &mismatches) {
  const Difference &first = mismatches.first;
  json::Object object{{"count", int64_t(mismatches.count)},
                      {"input", toHex(first.input)},
                      {"scale", toHex(first.scale)},
                      {"zero_point", toHex(first.zeroPoint)},
                      {"expected", toHex(first.expected)},
                      {"made", toHex(first.actual)}};
  if (first.random)
    object["random"] = toHex(first.random);
  return object;
}

json::Value certify::toJSON(const Certificate &certificate) {
  json::Object object{
      {"conversion", certificate.name},
      {"inputs", int64_t(certificate.inputs)},
      {"complete", certificate.isComplete},
      {"input_sha256", certificate.inputHash},
      {"output_sha256", certificate.outputHash},
      {"code", certificate.code},
      {"reference_inputs", int64_t(certificate.referenceInputs)},
      {"reference_mismatches", int64_t(certificate.referenceMismatches)},
      {"seconds", llvm::formatv("{0:f2}", certificate.seconds).str()},
      {"coverage", certificate.coverage}};
  // Omitted if no result is wrong.
  if (llvm::any_of(certificate.mismatches,
                   [](const Mismatches &entry) { return entry.count; })) {
    json::Array all;
    for (const Mismatches &entry : certificate.mismatches)
      all.push_back(::toJSON(entry));
    object["mismatches"] = std::move(all);
  }
  return object;
}

json::Value certify::toJSON(const Origin &origin) {
  json::Object object{
      {"certificates", kVersion},  {"producer", origin.producer},
      {"llvm", origin.llvm},       {"machine", origin.machine},
      {"program", origin.program}, {"date", origin.date},
      {"cpus", origin.cpus},       {"sampled", origin.isSampled}};
  if (!origin.runOn.empty())
    object["run_on"] = origin.runOn;
  return object;
}

/// The columns of a row, which are the keys that toJSON writes. Files of
/// earlier versions lack the last one.
static constexpr StringLiteral kColumns[] = {
    "conversion",    "inputs",  "complete",         "input_sha256",
    "output_sha256", "code",    "reference_inputs", "reference_mismatches",
    "seconds",       "coverage"};

/// Whether a column contains hashes. Rows share many hashes, so a row contains
/// indices into the file's list of hashes.
static bool hasHashes(StringRef column) {
  return column.ends_with("_sha256") || column == "code";
}

std::string certify::printCertificates(const CertificateFile &file) {
  llvm::StringMap<int64_t> numbers;
  json::Array hashes;
  auto number = [&](const json::Value &hash) {
    auto [entry, isNew] =
        numbers.try_emplace(*hash.getAsString(), int64_t(hashes.size()));
    if (isNew)
      hashes.push_back(hash);
    return entry->second;
  };
  std::vector<json::Value> rows;
  for (const Certificate &certificate : file.certificates) {
    json::Value value = toJSON(certificate);
    json::Object &object = *value.getAsObject();
    json::Array row;
    for (StringRef column : kColumns) {
      json::Value cell = *object.get(column);
      if (json::Array *all = cell.getAsArray())
        llvm::transform(*all, all->begin(), number);
      else if (hasHashes(column))
        cell = number(cell);
      row.push_back(std::move(cell));
    }
    if (const json::Value *mismatches = object.get("mismatches"))
      row.push_back(*mismatches);
    rows.push_back(std::move(row));
  }

  // One line per conversion keeps diffs readable.
  std::string text = "{\"origin\": ";
  llvm::raw_string_ostream os(text);
  os << toJSON(file.origin)
     << ",\n \"columns\": " << json::Value(json::Array(ArrayRef(kColumns)))
     << ",\n \"conversions\": [";
  auto printLines = [&](ArrayRef<json::Value> lines) {
    StringRef separator = "\n  ";
    for (const json::Value &line : lines) {
      os << separator << line;
      separator = ",\n  ";
    }
    os << "\n ]";
  };
  printLines(rows);
  os << ",\n \"hashes\": [";
  printLines(std::vector<json::Value>(hashes.begin(), hashes.end()));
  os << "}\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool mapCount(json::ObjectMapper &mapper, StringLiteral key,
                     uint64_t &count, json::Path path) {
  int64_t number;
  if (!mapper.map(key, number))
    return false;
  if (number < 0)
    path.field(key).report("expected a nonnegative number");
  count = uint64_t(number);
  return number >= 0;
}

static bool isHash(StringRef text, json::Path path) {
  bool isOne = text.size() == 64 && llvm::all_of(text, llvm::isHexDigit);
  if (!isOne)
    path.report("expected a SHA-256 of 64 hexadecimal digits");
  return isOne;
}

static bool fromJSON(const json::Value &value, Mismatches &mismatches,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapCount(mapper, "count", mismatches.count, path))
    return false;
  Difference &first = mismatches.first;
  std::pair<StringLiteral, uint64_t *> fields[] = {
      {"input", &first.input},          {"scale", &first.scale},
      {"zero_point", &first.zeroPoint}, {"random", &first.random},
      {"expected", &first.expected},    {"made", &first.actual}};
  for (auto [key, code] : fields) {
    // Only mismatches of stochastic roundings have random bits.
    std::string text = "0x0";
    if (code == &first.random ? !mapper.mapOptional(key, text)
                              : !mapper.map(key, text))
      return false;
    StringRef digits = text;
    if (!digits.consume_front("0x") || digits.getAsInteger(16, *code)) {
      path.field(key).report("expected a hexadecimal number in a string");
      return false;
    }
  }
  return true;
}

bool certify::fromJSON(const json::Value &value, Certificate &certificate,
                       json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::string seconds;
  if (!mapper || !mapper.map("conversion", certificate.name) ||
      !mapCount(mapper, "inputs", certificate.inputs, path) ||
      !mapper.map("complete", certificate.isComplete) ||
      !mapper.map("input_sha256", certificate.inputHash) ||
      !isHash(certificate.inputHash, path.field("input_sha256")) ||
      !mapper.map("output_sha256", certificate.outputHash) ||
      !isHash(certificate.outputHash, path.field("output_sha256")) ||
      !mapper.map("code", certificate.code) ||
      !mapCount(mapper, "reference_inputs", certificate.referenceInputs,
                path) ||
      !mapCount(mapper, "reference_mismatches", certificate.referenceMismatches,
                path) ||
      !mapper.map("seconds", seconds) ||
      !mapper.mapOptional("coverage", certificate.coverage))
    return false;
  if (StringRef(seconds).getAsDouble(certificate.seconds)) {
    path.field("seconds").report("expected a number in a string");
    return false;
  }
  for (auto [index, hash] : llvm::enumerate(certificate.code))
    if (!isHash(hash, path.field("code").index(index)))
      return false;
  certificate.mismatches.resize(certificate.code.size());
  const json::Value *mismatches = value.getAsObject()->get("mismatches");
  if (!mismatches)
    return true;
  const json::Array *all = mismatches->getAsArray();
  if (!all || all->size() != certificate.code.size()) {
    path.field("mismatches").report("expected one per entry of 'code'");
    return false;
  }
  for (auto [index, one] : llvm::enumerate(*all))
    if (!::fromJSON(one, certificate.mismatches[index],
                    path.field("mismatches").index(index)))
      return false;
  return true;
}

bool certify::fromJSON(const json::Value &value, Origin &origin,
                       json::Path path) {
  json::ObjectMapper mapper(value, path);
  int64_t version;
  if (!mapper || !mapper.map("certificates", version))
    return false;
  if (version != kVersion) {
    path.field("certificates").report("expected version 2");
    return false;
  }
  return mapper.map("producer", origin.producer) &&
         mapper.map("llvm", origin.llvm) &&
         mapper.map("program", origin.program) &&
         mapper.map("machine", origin.machine) &&
         mapper.map("date", origin.date) && mapper.map("cpus", origin.cpus) &&
         mapper.map("sampled", origin.isSampled) &&
         mapper.mapOptional("run_on", origin.runOn);
}

/// Whether the nesting exceeds a limit. LLVM's parser recurses once per level,
/// so that deep nesting would overflow the stack.
static bool isDeep(StringRef text) {
  constexpr int kMaxDepth = 16;
  int depth = 0;
  for (size_t i = 0; i < text.size() && depth <= kMaxDepth; ++i) {
    if (text[i] == '"')
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
    else if (text[i] == '[' || text[i] == '{')
      ++depth;
    else if (text[i] == ']' || text[i] == '}')
      --depth;
  }
  return depth > kMaxDepth;
}

llvm::Expected<json::Value> certify::parseCertificates(StringRef text) {
  if (isDeep(text))
    return llvm::createStringError("nested too deeply for certificates");
  return json::parse(text);
}

/// Replaces the index of a hash by the hash.
static bool resolveHash(json::Value &cell, const json::Array &hashes,
                        json::Path path) {
  std::optional<int64_t> number = cell.getAsInteger();
  bool isOne = number && *number >= 0 && *number < int64_t(hashes.size());
  if (!isOne)
    path.report("expected the index of one of the 'hashes'");
  else
    cell = hashes[size_t(*number)];
  return isOne;
}

/// Converts a row to the object that toJSON returns.
static bool readRow(const json::Value &value, ArrayRef<StringLiteral> columns,
                    const json::Array &hashes, json::Object &object,
                    json::Path path) {
  const json::Array *row = value.getAsArray();
  size_t count = columns.size();
  if (!row || (row->size() != count && row->size() != count + 1)) {
    path.report("expected an array with one element per column");
    return false;
  }
  for (auto [column, cell] : llvm::zip_first(columns, *row)) {
    json::Value resolved = cell;
    json::Path jsonPath = path.field(column);
    json::Array *all = resolved.getAsArray();
    if (all) {
      for (auto [index, one] : llvm::enumerate(*all))
        if (!resolveHash(one, hashes, jsonPath.index(index)))
          return false;
    } else if (hasHashes(column) && !resolveHash(resolved, hashes, jsonPath)) {
      return false;
    }
    object[column] = std::move(resolved);
  }
  if (row->size() > count)
    object["mismatches"] = row->back();
  return true;
}

/// Returns the columns of a file, or nothing if they are not those of a
/// version, in order.
static ArrayRef<StringLiteral> findColumns(const json::Array &columns) {
  for (ArrayRef<StringLiteral> known :
       {ArrayRef(kColumns), ArrayRef(kColumns).drop_back()})
    if (llvm::equal(columns, known,
                    [](const json::Value &cell, StringRef name) {
                      return cell.getAsString() == name;
                    }))
      return known;
  return {};
}

static bool readFile(const json::Value &value, CertificateFile &file,
                     json::Path jsonPath) {
  const json::Object *object = value.getAsObject();
  const json::Value *origin = object ? object->get("origin") : nullptr;
  if (!origin) {
    jsonPath.report("expected an object with 'origin'");
    return false;
  }
  json::Path ofOrigin = jsonPath.field("origin");
  if (!fromJSON(*origin, file.origin, ofOrigin))
    return false;
  if (file.origin.cpus.empty()) {
    ofOrigin.field("cpus").report("expected at least one");
    return false;
  }
  const json::Array *columns = object->getArray("columns");
  const json::Array *conversions = object->getArray("conversions");
  const json::Array *hashes = object->getArray("hashes");
  ArrayRef<StringLiteral> known;
  if (columns)
    known = findColumns(*columns);
  if (!conversions || !hashes || known.empty()) {
    jsonPath.report("expected the 'columns' of version 2, 'conversions' and "
                    "'hashes'");
    return false;
  }
  llvm::StringSet<> names;
  // A json::Path refers to its parent by a pointer, so the parent needs a
  // variable.
  json::Path all = jsonPath.field("conversions");
  for (auto [index, row] : llvm::enumerate(*conversions)) {
    json::Path where = all.index(index);
    Certificate &certificate = file.certificates.emplace_back();
    json::Object one;
    if (!readRow(row, known, *hashes, one, where) ||
        !fromJSON(json::Value(std::move(one)), certificate, where))
      return false;
    if (certificate.code.size() != file.origin.cpus.size()) {
      where.field("code").report(
          "expected one per entry of 'cpus' of the origin");
      return false;
    }
    if (!names.insert(certificate.name).second) {
      where.field("conversion").report("expected each conversion at most once");
      return false;
    }
  }
  return true;
}

llvm::Expected<CertificateFile> certify::readCertificates(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  llvm::Expected<json::Value> value = parseCertificates((*buffer)->getBuffer());
  if (!value)
    return llvm::createFileError(path, value.takeError());
  json::Path::Root root("certificates");
  CertificateFile file;
  if (!readFile(*value, file, json::Path(root)))
    return llvm::createFileError(path, root.getError());
  return file;
}
