//===- quant-float-certify.cpp - Certify compiled code --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../StandardOutput.h"
#include "../ToolErrors.h"
#include "quant-float/Certify/Audit.h"
#include "quant-float/Certify/Certify.h"
#include "quant-float/Certify/Mutants.h"
#include "quant-float/Certify/TestMatrix.h"
#include "quant-float/Certify/Vectors.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/OutputFile.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <chrono>
#include <set>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;
namespace cl = llvm::cl;

namespace {
/// The command-line options, which are registered while this object lives.
struct Options {
  cl::OptionCategory category{"quant-float-certify"};
  cl::opt<std::string> only{
      "only", cl::value_desc("REGEX"),
      cl::desc("certify the conversions whose names match, such as "
               "^cast_f32_to_f8 (default: all)"),
      cl::cat(category)};
  cl::opt<bool> list{"list",
                     cl::desc("print the names of the conversions and exit"),
                     cl::cat(category)};
  cl::opt<bool> mlir{"mlir",
                     cl::desc("print the conversions as MLIR, each as a "
                              "function of that name, and exit"),
                     cl::cat(category)};
  cl::opt<bool> cells{
      "cells",
      cl::desc("print the number of combinations of types and attributes that "
               "each version of ONNX's ops and each rule of blocks allow, and "
               "how many of them the conversions cover"),
      cl::cat(category)};
  cl::opt<bool> p3109{
      "p3109",
      cl::desc("use the casts of IEEE P3109 instead of those of ONNX and the "
               "operations on blocks"),
      cl::cat(category)};
  cl::list<std::string> cpus{
      "cpu", cl::CommaSeparated, cl::value_desc("CPU,..."),
      cl::desc("CPUs to compile for (default: every x86-64 level that this "
               "machine supports, and host, this machine with all of its "
               "features; for other machines see docs/certificates.md)"),
      cl::cat(category)};
  cl::opt<std::string> machine{
      "machine", cl::value_desc("NAME"),
      cl::desc("machine that runs the code: nvidia, the first GPU; or aarch64, "
               "riscv64 or x86_64, emulated by QEMU, with a sample of the "
               "inputs unless --all is given (default: this machine)"),
      cl::cat(category)};
  cl::opt<bool> all{
      "all",
      cl::desc("test all inputs; of 64-bit inputs and scales, those of "
               "docs/certificates.md (the default, except on emulated "
               "machines)"),
      cl::cat(category)};
  cl::opt<bool> sample{
      "sample",
      cl::desc(
          "test one 256th of the 32-bit inputs and one sixth of the scales"),
      cl::cat(category)};
  cl::opt<unsigned> threads{"j", cl::init(0), cl::value_desc("N"),
                            cl::desc("number of conversions to run in parallel "
                                     "(default: number of cores)"),
                            cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::value_desc("FILE"),
      cl::desc("write the certificates as JSON; until all are done, they are "
               "in FILE.partial, from which the same command resumes after an "
               "interruption"),
      cl::cat(category)};
  cl::opt<std::string> check{
      "check", cl::value_desc("FILE"),
      cl::desc("reproduce the certificates of this file and compare"),
      cl::cat(category)};
  cl::opt<bool> mutants{
      "mutants",
      cl::desc("run mutation tests: introduce each listed error in the "
               "lowerings, and show the input that detects it; --only selects "
               "mutants, -o writes JSON"),
      cl::cat(category)};
  cl::opt<std::string> vectors{
      "vectors", cl::value_desc("DIR"),
      cl::desc("write tables of inputs and correct outputs, to test other "
               "libraries, to a directory"),
      cl::cat(category)};
  cl::opt<std::string> audit{
      "audit", cl::value_desc("MODEL"),
      cl::desc("print a report on the conversions of a model: the certificates "
               "that cover their code for this machine, and the results of "
               "running the others (.onnx, .xml, .mlir, .mlirbc)"),
      cl::cat(category)};
  cl::list<std::string> certificates{
      "certificates", cl::value_desc("FILE,..."), cl::CommaSeparated,
      cl::desc("certificate files for --audit"), cl::cat(category)};
  cl::opt<bool> quiet{"quiet",
                      cl::desc("do not print progress to standard error"),
                      cl::cat(category)};
};

struct Arguments {
  /// The names of the conversions.
  std::vector<std::string> names;
  /// --only, which selects mutants with --mutants.
  std::string only;
  CertifyOptions certify;
  std::string machine, output, check, vectors, audit;
  std::vector<std::string> certificates;
  bool list = false, mlir = false, cells = false, mutants = false,
       quiet = false;
};
} // namespace

static int complain(const Twine &message) {
  llvm::errs() << "quant-float-certify: error: " << message << "\n";
  return kToolWrongUsage;
}

static std::vector<std::string> listNames(Standard standard) {
  std::vector<std::string> names;
  for (const std::vector<Conversion> &group : listGroups(standard))
    for (const Conversion &one : group)
      names.push_back(one.getName());
  return names;
}

static void printMlir(ArrayRef<std::string> names, Standard standard) {
  llvm::StringSet<> selected;
  selected.insert(names.begin(), names.end());
  for (const std::vector<Conversion> &group : listGroups(standard))
    for (const Conversion &one : group)
      if (selected.contains(one.getName()))
        llvm::outs() << one.print();
}

/// Parses the command line. Returns none on failure and after --help or
/// --version, with the exit code in `exitCode`.
static std::optional<Arguments> parseArguments(int argc, char **argv,
                                               int &exitCode) {
  exitCode = kToolWrongUsage;
  // Remove LLVM's own options.
  cl::ResetCommandLineParser();
  Options options;
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "quant-float-certify, part of quant-float " QUANT_FLOAT_VERSION
          ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "runs compiled conversions on all inputs and compares the results "
          "with an exact oracle\n",
          &llvm::errs()))
    return std::nullopt;
  Arguments arguments;
  Standard standard = options.p3109 ? Standard::P3109 : Standard::OnnxAndBlocks;
  arguments.certify.standard = standard;
  arguments.names = listNames(standard);
  if (!options.only.empty()) {
    llvm::Regex regex(options.only);
    std::string error;
    if (!regex.isValid(error)) {
      complain("--only: " + error + ": '" + options.only + "'");
      return std::nullopt;
    }
    llvm::erase_if(arguments.names,
                   [&](StringRef name) { return !regex.match(name); });
    if (arguments.names.empty() && !options.mutants) {
      complain("--only: no conversion name matches '" + options.only +
               "'; --list prints them");
      return std::nullopt;
    }
  }
  if (!options.check.empty() && !options.output.empty()) {
    complain("--check does not write a file: expected no -o");
    return std::nullopt;
  }
  if (!options.check.empty() && (!options.cpus.empty() || options.sample ||
                                 options.all || !options.machine.empty())) {
    complain(
        "--check uses the options of the certificates: expected no --cpu, no "
        "--machine, no --sample and no --all");
    return std::nullopt;
  }
  if (options.sample && options.all) {
    complain("expected one of --sample and --all");
    return std::nullopt;
  }
  if (!options.machine.empty() &&
      !llvm::is_contained(Machine::getNames(), options.machine)) {
    complain("--machine: expected one of " +
             llvm::join(Machine::getNames(), ", ") + ", but got '" +
             options.machine + "'");
    return std::nullopt;
  }
  if (options.output == "-") {
    complain("-o: expected a file, but got '-'");
    return std::nullopt;
  }
  if (options.threads > 1024) {
    complain("-j: expected at most 1024, but got " + Twine(options.threads));
    return std::nullopt;
  }
  CertifyOptions &certify = arguments.certify;
  certify.cpus = options.cpus;
  bool isEmulated = !options.machine.empty() && options.machine != "nvidia";
  certify.isSampled = options.sample || (isEmulated && !options.all);
  arguments.machine = options.machine;
  certify.threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  arguments.output = options.output;
  arguments.check = options.check;
  arguments.list = options.list;
  arguments.mlir = options.mlir;
  arguments.cells = options.cells;
  arguments.mutants = options.mutants;
  arguments.only = options.only;
  arguments.vectors = options.vectors;
  arguments.audit = options.audit;
  arguments.certificates = options.certificates;
  const std::pair<StringRef, bool> tasks[] = {
      {"--list", options.list},
      {"--mlir", options.mlir},
      {"--cells", options.cells},
      {"--audit", !options.audit.empty()},
      {"--check", !options.check.empty()},
      {"--mutants", options.mutants},
      {"--vectors", !options.vectors.empty()}};
  std::string chosen;
  for (auto [name, isChosen] : tasks)
    if (isChosen)
      chosen += (chosen.empty() ? "" : ", ") + name.str();
  if (StringRef(chosen).contains(',')) {
    complain("expected one task, but got " + Twine(chosen));
    return std::nullopt;
  }
  if (!options.machine.empty() && !chosen.empty()) {
    complain("--machine is only for certificates: expected no " +
             Twine(chosen));
    return std::nullopt;
  }
  if (arguments.audit.empty() && !arguments.certificates.empty()) {
    complain("--certificates requires --audit with a model");
    return std::nullopt;
  }
  arguments.quiet = options.quiet;
  exitCode = kToolDone;
  return arguments;
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

namespace {
/// Prints the progress and the estimated remaining time.
class ProgressLine {
public:
  ProgressLine(size_t total, ArrayRef<std::string> cpus, bool isQuiet)
      : total(total), cpus(cpus), isQuiet(isQuiet),
        start(std::chrono::steady_clock::now()), lastPrinted(start) {}

  /// Adds a certificate of an earlier run.
  void resume(const Certificate &certificate) {
    count(certificate);
    ++resumed;
  }

  void add(const Certificate &certificate) {
    count(certificate);
    auto now = std::chrono::steady_clock::now();
    if (isQuiet || now - lastPrinted < std::chrono::seconds(10))
      return;
    lastPrinted = now;
    double passed = std::chrono::duration<double>(now - start).count();
    llvm::errs() << llvm::formatv(
        "{0} of {1} conversions, {2:e2} inputs, {3} mismatches, {4:f0} s, "
        "about {5:f0} s left\n",
        done, total, double(inputs), mismatches, passed,
        passed / double(done - resumed) * double(total - done));
  }

  std::string describe(const Certificate &certificate) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    StringRef separator;
    for (auto [cpu, wrong] : llvm::zip(cpus, certificate.mismatches)) {
      if (!wrong.count)
        continue;
      const Difference &first = wrong.first;
      os << separator
         << llvm::formatv(
                "{0} of {1} wrong for {2}, the first input {3:x} gives {4:x}, "
                "expected {5:x} (scale {6:x}, zero point {7:x}, random bits "
                "{8:x})",
                wrong.count, certificate.inputs, cpu, first.input, first.actual,
                first.expected, first.scale, first.zeroPoint, first.random);
      separator = "; ";
    }
    if (certificate.referenceMismatches)
      os << separator << certificate.referenceMismatches << " of "
         << certificate.referenceInputs << " wrong in the Reference";
    return text;
  }

  size_t done = 0;
  uint64_t inputs = 0, mismatches = 0;

private:
  void count(const Certificate &certificate) {
    ++done;
    inputs += certificate.inputs;
    mismatches += certificate.countMismatches();
    if (certificate.countMismatches())
      llvm::errs() << certificate.name << ": " << describe(certificate) << "\n";
  }

  size_t total, resumed = 0;
  ArrayRef<std::string> cpus;
  bool isQuiet;
  std::chrono::steady_clock::time_point start, lastPrinted;
};
} // namespace

//===----------------------------------------------------------------------===//
// Certificates
//===----------------------------------------------------------------------===//

/// Finds the machine that runs the code. Prints an error and returns false if
/// it is not available.
static bool findMachine(CertifyOptions &options, StringRef name) {
  auto machine = Machine::find(name);
  if (!machine) {
    std::string message = llvm::toString(machine.takeError());
    if (!name.empty())
      message = "machine '" + printable(name) + "': " + message;
    complain(message);
    return false;
  }
  options.machine = *machine;
  if (options.cpus.empty())
    options.cpus = (*machine)->cpus;
  return true;
}

/// Whether the run `mine` may continue with certificates of `other`.
static bool continues(const Origin &mine, const Origin &other) {
  return mine.program == other.program && mine.machine == other.machine &&
         mine.runOn == other.runOn && mine.cpus == other.cpus &&
         mine.isSampled == other.isSampled;
}

namespace {
/// The contents of the partial file of an interrupted run: one line with the
/// origin, then one per certificate. The last line may be incomplete.
struct Leftover {
  std::optional<Origin> origin;
  std::vector<Certificate> certificates;
  /// The size of the complete lines in bytes.
  size_t size = 0;
};
} // namespace

static Leftover readPartial(StringRef path) {
  Leftover left;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return left;
  StringRef text = (*buffer)->getBuffer();
  while (text.contains('\n')) {
    auto [line, rest] = text.split('\n');
    llvm::Expected<llvm::json::Value> value = parseCertificates(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      break;
    }
    llvm::json::Path::Root root;
    if (!left.origin) {
      Origin origin;
      if (!fromJSON(*value, origin, root))
        break;
      left.origin = std::move(origin);
    } else {
      Certificate certificate;
      if (!fromJSON(*value, certificate, root))
        break;
      left.certificates.push_back(std::move(certificate));
    }
    left.size += line.size() + 1;
    text = rest;
  }
  return left;
}

namespace {
/// The partial file, which contains the certificates until all are done.
class Journal {
public:
  /// Truncates the file to `size` bytes and appends to it. Does nothing if
  /// `path` is empty.
  Journal(const std::string &path, size_t size) {
    if (path.empty())
      return;
    file = std::make_unique<llvm::raw_fd_ostream>(path, error,
                                                  llvm::sys::fs::OF_Append);
    if (!error && ::truncate(path.c_str(), off_t(size)))
      error = llvm::errnoAsErrorCode();
  }
  ~Journal() {
    // raw_fd_ostream aborts if it is destroyed with an unhandled error.
    if (file)
      file->clear_error();
  }

  void add(llvm::json::Value line) {
    if (!file || error)
      return;
    *file << line << "\n";
    file->flush();
    error = file->error();
  }

  std::error_code error;

private:
  std::unique_ptr<llvm::raw_fd_ostream> file;
};
} // namespace

/// Certifies the conversions that no earlier run has certified, and writes the
/// certificates.
static int makeCertificates(Arguments &arguments) {
  if (!findMachine(arguments.certify, arguments.machine))
    return kToolWrongInput;
  CertificateFile file;
  file.origin = getOrigin(arguments.certify);
  std::string partial;
  size_t size = 0;
  ProgressLine progress(arguments.names.size(), arguments.certify.cpus,
                        arguments.quiet);
  llvm::StringSet<> left;
  left.insert(arguments.names.begin(), arguments.names.end());
  if (!arguments.output.empty()) {
    partial = arguments.output + ".partial";
    Leftover leftover = readPartial(partial);
    if (leftover.origin && !continues(file.origin, *leftover.origin))
      return complain(
          partial +
          ": is from a run of another program, on another machine, for other "
          "CPUs or with other inputs: remove it, or write to another file");
    size = leftover.size;
    for (Certificate &certificate : leftover.certificates) {
      if (certificate.code.size() != file.origin.cpus.size() ||
          !left.erase(certificate.name))
        continue;
      progress.resume(certificate);
      file.certificates.push_back(std::move(certificate));
    }
  }
  Journal journal(partial, size);
  if (!size)
    journal.add(toJSON(file.origin));

  arguments.certify.filter = [&](StringRef name) {
    return left.contains(name);
  };
  arguments.certify.onCertificate = [&](const Certificate &certificate) {
    progress.add(certificate);
    file.certificates.push_back(certificate);
    journal.add(toJSON(certificate));
    return !journal.error;
  };
  if (!journal.error)
    if (llvm::Error error = certifyAll(arguments.certify)) {
      complain(llvm::toString(std::move(error)));
      return kToolWrongInput;
    }
  if (journal.error)
    return complain(partial +
                    ": cannot be written: " + journal.error.message());

  llvm::outs() << llvm::formatv(
      "{0} conversions for {1}: {2} inputs, {3} mismatches\n",
      file.certificates.size(), llvm::join(arguments.certify.cpus, ", "),
      progress.inputs, progress.mismatches);
  if (!arguments.output.empty()) {
    llvm::sort(file.certificates,
               [](const Certificate &a, const Certificate &b) {
                 return a.name < b.name;
               });
    OutputFile output(arguments.output);
    if (!output.write(printCertificates(file)) || !output.commit())
      return complain(arguments.output +
                      ": cannot be written: " + output.getError().message());
    (void)llvm::sys::fs::remove(partial);
  }
  return progress.mismatches ? kToolWrongInput : kToolDone;
}

/// Describes the difference between two certificates. Empty if they agree.
static std::string compare(const Certificate &one, const Certificate &other) {
  if (one.inputs != other.inputs || one.inputHash != other.inputHash)
    return "other inputs";
  if (one.isComplete != other.isComplete)
    return "not the same completeness";
  if (one.referenceInputs != other.referenceInputs ||
      one.referenceMismatches != other.referenceMismatches)
    return "the Reference computes other outputs";
  if (one.outputHash != other.outputHash)
    return "the oracle computes other outputs";
  for (auto [mine, theirs] : llvm::zip(one.mismatches, other.mismatches))
    if (mine.count != theirs.count)
      return llvm::formatv("{0} mismatches, expected {1}", mine.count,
                           theirs.count);
  return "";
}

static int checkCertificates(Arguments &arguments) {
  llvm::Expected<CertificateFile> file = readCertificates(arguments.check);
  if (!file)
    return complain(llvm::toString(file.takeError()));
  llvm::StringSet<> known;
  known.insert(arguments.names.begin(), arguments.names.end());
  bool isEverything = arguments.names == listNames(arguments.certify.standard);
  size_t failures = 0, unknown = 0, otherCode = 0;
  llvm::StringMap<const Certificate *> selected;
  for (const Certificate &certificate : file->certificates) {
    if (known.contains(certificate.name)) {
      selected[certificate.name] = &certificate;
    } else if (isEverything) {
      llvm::errs() << arguments.check << ": error: no conversion is named '"
                   << printable(certificate.name) << "'\n";
      ++unknown;
    }
  }
  CertifyOptions &options = arguments.certify;
  options.cpus = file->origin.cpus;
  if (!findMachine(options, file->origin.runOn))
    return kToolWrongInput;
  options.isSampled = file->origin.isSampled;
  options.filter = [&](StringRef name) { return selected.contains(name); };
  ProgressLine progress(selected.size(), options.cpus, arguments.quiet);
  options.onCertificate = [&](const Certificate &certificate) {
    progress.add(certificate);
    const Certificate &theirs = *selected.lookup(certificate.name);
    std::string difference = compare(certificate, theirs);
    if (!difference.empty()) {
      llvm::errs() << arguments.check << ": error: " << certificate.name << ": "
                   << difference << "\n";
      ++failures;
    }
    otherCode += certificate.code != theirs.code;
    return true;
  };
  if (llvm::Error error = certifyAll(options)) {
    complain(llvm::toString(std::move(error)));
    return kToolWrongInput;
  }
  llvm::outs() << llvm::formatv(
      "{0} of {1} conversions have a certificate of {2}: {3} reproduced, {4} "
      "not; {5} with other code than before\n",
      progress.done, arguments.names.size(), printable(file->origin.date),
      progress.done - failures, failures, otherCode);
  bool passes = !failures && !unknown && !progress.mismatches;
  return passes ? kToolDone : kToolWrongInput;
}

/// Prints how many of the combinations that the standards allow are certified.
static int printCells(ArrayRef<std::string> names) {
  llvm::StringSet<> known;
  known.insert(names.begin(), names.end());
  Session session;
  std::vector<Cell> cells = listCells(session.getContext());
  size_t covered = 0;
  for (ArrayRef<Cell> rest = cells; !rest.empty();) {
    const Cell &first = rest.front();
    ArrayRef<Cell> version = rest.take_while(
        [&](const Cell &cell) { return cell.version == first.version; });
    size_t here = 0;
    for (const Cell &cell : version) {
      bool isKnown = known.contains(cell.conversion.getName());
      here += isKnown;
      if (!isKnown)
        llvm::errs() << "no conversion is named '" << cell.conversion.getName()
                     << "'\n";
    }
    llvm::outs() << llvm::formatv("{0}: {1} cells, {2} certified\n",
                                  first.version, version.size(), here);
    covered += here;
    rest = rest.drop_front(version.size());
  }
  llvm::outs() << llvm::formatv("all: {0} cells, {1} certified\n", cells.size(),
                                covered);
  return covered == cells.size() ? kToolDone : kToolWrongInput;
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

static int tryMutants(const Arguments &arguments) {
  llvm::Regex regex(arguments.only);
  size_t total = 0, caught = 0;
  llvm::json::Array reports;
  llvm::Error error = runMutants(
      [&](StringRef name) {
        return arguments.only.empty() || regex.match(name);
      },
      [&](const MutantReport &report) {
        ++total;
        caught += report.isCaught;
        llvm::outs() << llvm::formatv("{0,-22} {1,-52} ", report.name,
                                      report.mistake);
        const Difference &first = report.first;
        if (report.isCaught)
          llvm::outs() << llvm::formatv("input {0,12} of {1}: {2:x}",
                                        report.inputs, report.conversion,
                                        first.input);
        else
          llvm::outs() << (report.changes ? "SURVIVES" : "CHANGES NOTHING");
        if (report.isCaught && (first.scale || first.zeroPoint))
          llvm::outs() << llvm::formatv(" by {0:x}, {1:x}", first.scale,
                                        first.zeroPoint);
        if (report.isCaught && first.random)
          llvm::outs() << llvm::formatv(" with {0:x}", first.random);
        if (report.isCaught)
          llvm::outs() << llvm::formatv(
              " gives {0:x}, expected {1:x}, {2:f2} s", first.actual,
              first.expected, report.seconds);
        llvm::outs() << "\n";
        reports.push_back(toJSON(report));
      });
  if (error) {
    complain(llvm::toString(std::move(error)));
    return kToolWrongInput;
  }
  if (!total)
    return complain("--only: no mutant name matches '" + arguments.only + "'");
  llvm::outs() << llvm::formatv("{0} of {1} mutants caught\n", caught, total);
  if (!arguments.output.empty()) {
    std::string text =
        llvm::formatv("{0:2}\n", llvm::json::Value(std::move(reports)));
    OutputFile output(arguments.output);
    if (!output.write(text) || !output.commit())
      return complain(arguments.output +
                      ": cannot be written: " + output.getError().message());
  }
  return caught == total ? kToolDone : kToolWrongInput;
}

static int printVectors(StringRef folder) {
  auto written = writeVectors(folder);
  if (!written)
    return complain(llvm::toString(written.takeError()));
  llvm::outs() << llvm::formatv("{0} tables of {1} rows\n", written->first,
                                written->second);
  return kToolDone;
}

//===----------------------------------------------------------------------===//
// Audits
//===----------------------------------------------------------------------===//

/// Returns the names of the model's files and their SHA-256. `external` are
/// files of external data in the same folder.
static llvm::Expected<std::vector<std::pair<std::string, std::string>>>
hashFiles(StringRef model, const std::set<std::string> &external) {
  std::vector<std::string> names = {llvm::sys::path::filename(model).str()};
  llvm::append_range(names, external);
  StringRef folder = llvm::sys::path::parent_path(model);
  llvm::SmallString<128> weights(names.front());
  llvm::sys::path::replace_extension(weights, "bin");
  std::vector<std::pair<std::string, std::string>> files;
  auto getPath = [&](StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path;
  };
  if (model.ends_with(".xml") && llvm::sys::fs::exists(getPath(weights)))
    names.push_back(weights.str().str());
  for (const std::string &name : names) {
    auto buffer = llvm::MemoryBuffer::getFile(getPath(name));
    if (!buffer)
      return llvm::createFileError(getPath(name), buffer.getError());
    files.emplace_back(name, hashBytes((*buffer)->getBuffer()));
  }
  return files;
}

static int audit(const Arguments &arguments) {
  std::vector<NamedCertificates> certificates;
  for (const std::string &path : arguments.certificates) {
    llvm::Expected<CertificateFile> file = readCertificates(path);
    if (!file)
      return complain(llvm::toString(file.takeError()));
    certificates.push_back(
        {llvm::sys::path::filename(path).str(), std::move(*file)});
  }
  auto fail = [](llvm::Error error) {
    complain(llvm::toString(std::move(error)));
    return kToolWrongInput;
  };
  Session session;
  LoadOptions loadOptions;
  std::set<std::string> external;
  loadOptions.onExternalFile = [&](StringRef name) {
    external.insert(name.str());
  };
  llvm::Expected<Model> model =
      Model::load(session, arguments.audit, loadOptions);
  if (!model)
    return fail(model.takeError());
  auto files = hashFiles(arguments.audit, external);
  if (!files)
    return fail(files.takeError());
  llvm::Expected<AuditReport> report =
      auditModel(*model, certificates, arguments.certify);
  if (!report)
    return fail(report.takeError());
  std::string page =
      printAudit(*report, llvm::sys::path::filename(arguments.audit), *files);
  OutputFile output(arguments.output.empty() ? "-" : arguments.output);
  if (!output.write(page) || !output.commit())
    return complain(arguments.output +
                    ": cannot be written: " + output.getError().message());
  return report->passes() ? kToolDone : kToolWrongInput;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  int exitCode = kToolDone;
  std::optional<Arguments> arguments = parseArguments(argc, argv, exitCode);
  if (!arguments)
    return exitCode;
  if (arguments->list)
    for (const std::string &name : arguments->names)
      llvm::outs() << name << "\n";
  else if (arguments->mlir)
    printMlir(arguments->names, arguments->certify.standard);
  else if (arguments->cells)
    exitCode = printCells(arguments->names);
  else if (!arguments->audit.empty())
    exitCode = audit(*arguments);
  else if (!arguments->vectors.empty())
    exitCode = printVectors(arguments->vectors);
  else if (arguments->mutants)
    exitCode = tryMutants(*arguments);
  else
    exitCode = arguments->check.empty() ? makeCertificates(*arguments)
                                        : checkCertificates(*arguments);
  return finishStandardOutput() ? exitCode : int(kToolWrongUsage);
}
