//===- Certify.cpp - Compiled code against the oracle ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Certify.h"

#include "mlir/AsmParser/AsmParser.h"
#include "quant-float/Certify/Inputs.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/FakeConvert.h"
#include "quant-float/Reference/Quantize.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <openssl/evp.h>
#include <thread>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

/// How often the Reference, which takes its time, is asked in a call that it
/// is not asked about as a whole.
static constexpr size_t kReferenceQuestions = 16;

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

namespace {
/// SHA-256.
class Hash {
public:
  Hash() : context(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  }
  void add(const void *bytes, size_t size) {
    EVP_DigestUpdate(context.get(), bytes, size);
  }
  std::string finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context.get(), digest, &size);
    return llvm::toHex(ArrayRef(digest, size), /*LowerCase=*/true);
  }

private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX *)> context;
};
} // namespace

std::string certify::hashBytes(StringRef bytes) {
  Hash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.finish();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Elements in memory.
using Slots = std::vector<uint8_t>;

/// Signed integers of less than a byte fill theirs.
static uint64_t extend(const Format &format, uint64_t code) {
  bool isNegative =
      format.kind == Format::Kind::Signed && (code & format.getSignBit());
  return isNegative ? code | ~format.getMask() : code;
}

static void write(const Format &format, Slots &slots, size_t index,
                  uint64_t code) {
  size_t size = format.getSlotSize();
  code = extend(format, code);
  memcpy(slots.data() + index * size, &code, size);
}

static uint64_t read(const Format &format, const Slots &slots, size_t index) {
  uint64_t code = 0;
  size_t size = format.getSlotSize();
  memcpy(&code, slots.data() + index * size, size);
  return code;
}

//===----------------------------------------------------------------------===//
// The Reference
//===----------------------------------------------------------------------===//

namespace {
/// Asks the Reference for single codes.
class ReferenceElement {
public:
  ReferenceElement(const Conversion &conversion, MLIRContext &context)
      : conversion(conversion), context(context),
        from(getType(conversion.from)), to(getType(conversion.to)),
        scale(getType(conversion.scale)),
        precision(getType(conversion.precision)),
        destination(getType(conversion.destination)) {}

  uint64_t get(uint64_t code, const Call &call) const {
    llvm::APInt bits = makeBits(*conversion.from, code), scaleBits;
    std::optional<llvm::APInt> zeroPoint;
    if (scale)
      scaleBits = makeBits(*conversion.scale, call.scale);
    if (conversion.hasZeroPoint)
      zeroPoint = makeBits(conversion.getZeroPointFormat(), call.zeroPoint);
    const CastRules &rules = conversion.rules;
    llvm::APInt made;
    switch (conversion.kind) {
    case Conversion::Kind::Cast: {
      reference::CastOptions options;
      options.opset = rules.opset;
      options.saturate = rules.saturate;
      options.scaleRounding =
          static_cast<reference::ScaleRounding>(rules.scaleRounding);
      made = reference::castElement(from, to, bits, options);
      break;
    }
    case Conversion::Kind::Quantize: {
      reference::QuantizeOptions options;
      options.saturate = rules.saturate;
      options.precision = precision;
      made = reference::quantizeElement(from, scale, to, bits, scaleBits,
                                        zeroPoint, options);
      break;
    }
    case Conversion::Kind::Dequantize:
      made = reference::dequantizeElement(from, scale, to, bits, scaleBits,
                                          zeroPoint);
      break;
    case Conversion::Kind::Qdq: {
      reference::QuantizeOptions options;
      options.saturate = rules.saturate;
      options.precision = precision;
      llvm::APInt stored = reference::quantizeElement(
          from, scale, destination, bits, scaleBits, zeroPoint, options);
      made = reference::dequantizeElement(destination, scale, to, stored,
                                          scaleBits, zeroPoint);
      break;
    }
    case Conversion::Kind::FakeConvert: {
      const FakeConvertRules &fake = conversion.fakeConvertRules;
      reference::FakeConvertOptions options;
      options.mode = static_cast<reference::FakeConvertMode>(fake.mode);
      options.reciprocal =
          static_cast<reference::FakeConvertReciprocal>(fake.reciprocal);
      options.positiveZero = fake.positiveZero;
      options.neutralShift = fake.neutralShift;
      made = reference::fakeConvertElement(from, destination, bits, scaleBits,
                                           zeroPoint, options);
      break;
    }
    }
    return made.getZExtValue();
  }

private:
  Type getType(const Format *format) const {
    return format ? parseType(StringRef(format->name), &context) : Type();
  }
  static llvm::APInt makeBits(const Format &format, uint64_t code) {
    return llvm::APInt(format.bits, code & format.getMask());
  }

  const Conversion &conversion;
  MLIRContext &context;
  Type from, to, scale, precision, destination;
};
} // namespace

//===----------------------------------------------------------------------===//
// Compiled code
//===----------------------------------------------------------------------===//

namespace {
/// Conversions compiled for one CPU.
struct CompiledGroup {
  CompiledModel model;
  std::string hash;
};
} // namespace

/// Through a shared library, which is what its users get, too.
static llvm::Expected<CompiledGroup> compile(ArrayRef<Conversion> group,
                                             StringRef cpu, Session &session) {
  std::string text;
  for (const Conversion &one : group)
    text += one.print();
  ParseOptions parseOptions;
  parseOptions.name = group.front().getName();
  llvm::Expected<Model> model =
      Model::parse(session, ModelFormat::MLIR, text, parseOptions);
  if (!model)
    return model.takeError();
  llvm::SmallString<64> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("quant-float-certify", "so", path))
    return makeFileError("a temporary file", error.message(), error);
  llvm::SmallString<64> header = path;
  llvm::sys::path::replace_extension(header, "h");
  llvm::scope_exit remove([&] {
    (void)llvm::sys::fs::remove(path);
    (void)llvm::sys::fs::remove(header);
  });
  BuildOptions options;
  options.cpu = cpu;
  llvm::Expected<CompiledModel> compiled = model->compileToFile(path, options);
  if (!compiled)
    return compiled.takeError();
  auto bytes = llvm::MemoryBuffer::getFile(path);
  if (!bytes)
    return makeFileError(path, bytes.getError().message(), bytes.getError());
  return CompiledGroup{std::move(*compiled), hashBytes((*bytes)->getBuffer())};
}

//===----------------------------------------------------------------------===//
// One conversion
//===----------------------------------------------------------------------===//

namespace {
/// Runs one conversion on its inputs.
class Trial {
public:
  Trial(const Conversion &conversion, ArrayRef<const CompiledModel *> models,
        Session &session, bool isSampled);
  /// On all inputs.
  llvm::Error run();
  /// By one model, until a result is wrong.
  llvm::Expected<Finding> search();

  Certificate certificate;

private:
  void fillInputs(const Call &call);
  void fillExpected(const Call &call);
  void askReference(const Call &call, uint64_t index);
  llvm::Error runCode(const Call &call, const CompiledModel &model);
  /// Where the first wrong result is, or their number.
  size_t compare(const Call &call, Mismatches &wrong);

  const Conversion &conversion;
  bool isSampled;
  ReferenceElement reference;
  ArrayRef<const CompiledModel *> models;
  Slots inputs, expected, made;
};
} // namespace

Trial::Trial(const Conversion &conversion,
             ArrayRef<const CompiledModel *> models, Session &session,
             bool isSampled)
    : conversion(conversion), isSampled(isSampled),
      reference(conversion, session.getContext()), models(models) {
  certificate.name = conversion.getName();
  certificate.mismatches.resize(models.size());
}

void Trial::fillInputs(const Call &call) {
  const Format &from = *conversion.from;
  inputs.resize(call.count * from.getSlotSize());
  if (call.isRange && from.bits == 32) {
    auto *codes = reinterpret_cast<uint32_t *>(inputs.data());
    for (size_t i = 0; i < call.count; ++i)
      codes[i] = uint32_t(call.first + i);
    return;
  }
  for (size_t i = 0; i < call.count; ++i)
    write(from, inputs, i, call.getCode(i));
}

void Trial::fillExpected(const Call &call) {
  const Format &to = *conversion.to;
  expected.resize(call.count * to.getSlotSize());
  bool isCast = conversion.kind == Conversion::Kind::Cast;
  // Codes of small signed types are not in their slots yet.
  if (isCast && call.isRange &&
      (to.bits >= 8 || to.kind != Format::Kind::Signed))
    return castRange(*conversion.from, to, call.first, call.count,
                     expected.data(), conversion.rules);
  for (size_t i = 0; i < call.count; ++i)
    write(to, expected, i,
          conversion.getExpected(call.getCode(i), call.scale, call.zeroPoint));
}

void Trial::askReference(const Call &call, uint64_t index) {
  const Format &from = *conversion.from, &to = *conversion.to;
  bool isSmall = conversion.kind == Conversion::Kind::Cast && from.bits <= 16;
  size_t stride =
      isSmall ? 1 : std::max<size_t>(call.count / kReferenceQuestions, 1);
  // In each call at other places.
  for (size_t i = index * 7919 % stride; i < call.count; i += stride) {
    uint64_t code = call.getCode(i);
    uint64_t wanted = read(to, expected, i) & to.getMask();
    uint64_t found = reference.get(code, call);
    ++certificate.referenceInputs;
    certificate.referenceMismatches +=
        !conversion.agrees(code, call.scale, call.zeroPoint, wanted, found);
  }
}

llvm::Error Trial::runCode(const Call &call, const CompiledModel &model) {
  made.resize(expected.size());
  // What code leaves out must not look like what other code has written.
  llvm::transform(expected, made.begin(), [](uint8_t byte) { return ~byte; });
  auto describe = [](const Format &format, void *data, const int64_t *sizes,
                     int32_t rank) {
    for (const ElementInfo &element : kElements)
      if (format.name == element.mlir)
        return qf_tensor{data, sizes, rank, element.number};
    llvm_unreachable("the formats are among the element types");
  };
  int64_t count = call.count;
  qf_tensor operands[3] = {
      describe(*conversion.from, inputs.data(), &count, 1)};
  size_t numOperands = 1;
  uint64_t scale = call.scale, zeroPoint = call.zeroPoint;
  if (conversion.scale)
    scale = extend(*conversion.scale, scale);
  if (conversion.hasZeroPoint)
    zeroPoint = extend(conversion.getZeroPointFormat(), zeroPoint);
  if (conversion.scale)
    operands[numOperands++] = describe(*conversion.scale, &scale, nullptr, 0);
  if (conversion.hasZeroPoint)
    operands[numOperands++] =
        describe(conversion.getZeroPointFormat(), &zeroPoint, nullptr, 0);
  qf_tensor output = describe(*conversion.to, made.data(), &count, 1);
  llvm::Expected<size_t> entry = model.findEntry(certificate.name);
  if (!entry)
    return entry.takeError();
  return model.run(*entry, ArrayRef(operands, numOperands), output);
}

size_t Trial::compare(const Call &call, Mismatches &wrong) {
  size_t firstIndex = call.count;
  if (made == expected)
    return firstIndex;
  const Format &to = *conversion.to;
  for (size_t i = 0; i < call.count; ++i) {
    uint64_t wanted = read(to, expected, i), found = read(to, made, i);
    uint64_t beside = (wanted ^ found) & ~to.getMask();
    if (wanted == found ||
        (!beside &&
         conversion.agrees(call.getCode(i), call.scale, call.zeroPoint,
                           wanted & to.getMask(), found & to.getMask())))
      continue;
    firstIndex = std::min(firstIndex, i);
    if (!wrong.count++)
      wrong.first = {call.getCode(i), call.scale, call.zeroPoint, wanted,
                     found};
  }
  return firstIndex;
}

/// The hash of all codes of 32 bits is asked for by dozens.
static std::string hashAllCodes(const Inputs &space) {
  static std::mutex mutex;
  static std::string known;
  std::lock_guard lock(mutex);
  if (!known.empty())
    return known;
  Hash hash;
  std::vector<uint32_t> codes;
  for (uint64_t index = 0; index < space.getNumCalls(); ++index) {
    Call call = space.getCall(index);
    codes.resize(call.count);
    for (size_t i = 0; i < call.count; ++i)
      codes[i] = uint32_t(call.first + i);
    hash.add(codes.data(), codes.size() * sizeof(uint32_t));
  }
  return known = hash.finish();
}

llvm::Error Trial::run() {
  auto start = std::chrono::steady_clock::now();
  Inputs space(conversion, isSampled);
  certificate.isComplete = space.isComplete();
  Hash inputHash, outputHash;
  bool isAllCodes = conversion.kind == Conversion::Kind::Cast &&
                    conversion.from->bits == 32 && space.isComplete();
  for (uint64_t index = 0; index < space.getNumCalls(); ++index) {
    Call call = space.getCall(index);
    fillInputs(call);
    fillExpected(call);
    certificate.inputs += call.count;
    if (conversion.scale)
      inputHash.add(&call.scale, sizeof call.scale);
    if (conversion.hasZeroPoint)
      inputHash.add(&call.zeroPoint, sizeof call.zeroPoint);
    if (!isAllCodes)
      inputHash.add(inputs.data(), inputs.size());
    outputHash.add(expected.data(), expected.size());
    askReference(call, index);
    for (auto [model, wrong] : llvm::zip(models, certificate.mismatches)) {
      if (llvm::Error error = runCode(call, *model))
        return error;
      compare(call, wrong);
    }
  }
  certificate.inputHash = isAllCodes ? hashAllCodes(space) : inputHash.finish();
  certificate.outputHash = outputHash.finish();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  certificate.seconds = seconds.count();
  return llvm::Error::success();
}

llvm::Expected<Finding> Trial::search() {
  auto start = std::chrono::steady_clock::now();
  Inputs space(conversion, isSampled);
  Finding finding;
  Mismatches wrong;
  for (uint64_t i = 0; i < space.getNumCalls() && !wrong.count; ++i) {
    Call call = space.getCall(i);
    fillInputs(call);
    fillExpected(call);
    if (llvm::Error error = runCode(call, *models.front()))
      return std::move(error);
    size_t index = compare(call, wrong);
    finding.inputs += wrong.count ? index + 1 : call.count;
  }
  if (wrong.count)
    finding.first = wrong.first;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  finding.seconds = seconds.count();
  return finding;
}

llvm::Expected<Finding> certify::findMismatch(const Conversion &conversion,
                                              const CompiledModel &model,
                                              Session &session,
                                              bool isSampled) {
  const CompiledModel *models[] = {&model};
  return Trial(conversion, models, session, isSampled).search();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

std::vector<std::string> certify::listCpus() {
  static const std::pair<const char *, std::vector<const char *>> kLevels[] = {
      {"x86-64", {}},
      {"x86-64-v2", {"sse4.2", "ssse3", "popcnt", "cx16", "sahf"}},
      {"x86-64-v3", {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
      {"x86-64-v4",
       {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}};
  std::vector<std::string> cpus;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (llvm::Triple(llvm::sys::getProcessTriple()).getArch() ==
      llvm::Triple::x86_64)
    for (const auto &[name, needed] : kLevels) {
      if (!llvm::all_of(needed, [&](const char *feature) {
            return features.lookup(feature);
          }))
        break;
      cpus.push_back(name);
    }
  cpus.push_back("host");
  return cpus;
}

Origin certify::getOrigin(const CertifyOptions &options) {
  Origin origin;
  origin.producer = "quant-float " QUANT_FLOAT_VERSION;
  origin.llvm = LLVM_VERSION_STRING;
  origin.machine = llvm::sys::getHostCPUName();
  // What certificates are about is all in this program.
  if (auto program = llvm::MemoryBuffer::getFile("/proc/self/exe")) {
    Hash hash;
    hash.add((*program)->getBufferStart(), (*program)->getBufferSize());
    origin.program = hash.finish();
  }
  std::time_t now = std::time(nullptr);
  char date[sizeof "2026-01-01"];
  (void)std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  origin.date = date;
  origin.cpus = options.cpus;
  origin.isSampled = options.isSampled;
  return origin;
}

/// Certifies those of a group that are wanted.
static llvm::Error
certifyGroup(ArrayRef<Conversion> group, Session &session,
             const CertifyOptions &options,
             llvm::function_ref<bool(const Certificate &)> onCertificate) {
  std::vector<CompiledGroup> code;
  for (const std::string &cpu : options.cpus) {
    llvm::Expected<CompiledGroup> compiled = compile(group, cpu, session);
    if (!compiled)
      return compiled.takeError();
    code.push_back(std::move(*compiled));
  }
  auto models = llvm::map_to_vector(
      code, [](const CompiledGroup &one) { return &std::as_const(one.model); });
  for (const Conversion &one : group) {
    if (options.isWanted && !options.isWanted(one.getName()))
      continue;
    Trial trial(one, models, session, options.isSampled);
    for (const CompiledGroup &compiled : code)
      trial.certificate.code.push_back(compiled.hash);
    if (llvm::Error error = trial.run())
      return error;
    if (!onCertificate(trial.certificate))
      break;
  }
  return llvm::Error::success();
}

/// Those groups of which something is wanted.
static std::vector<std::vector<Conversion>>
listWanted(const CertifyOptions &options) {
  std::vector<std::vector<Conversion>> groups = listGroups();
  llvm::erase_if(groups, [&](ArrayRef<Conversion> group) {
    return options.isWanted && llvm::none_of(group, [&](const Conversion &one) {
             return options.isWanted(one.getName());
           });
  });
  return groups;
}

llvm::Expected<llvm::StringMap<std::string>>
certify::hashCode(const CertifyOptions &options) {
  llvm::StringMap<std::string> hashes;
  Session session;
  for (ArrayRef<Conversion> group : listWanted(options)) {
    llvm::Expected<CompiledGroup> compiled =
        compile(group, options.cpus.front(), session);
    if (!compiled)
      return compiled.takeError();
    for (const Conversion &one : group)
      hashes[one.getName()] = compiled->hash;
  }
  return hashes;
}

llvm::Error certify::certifyAll(const CertifyOptions &options) {
  std::vector<std::vector<Conversion>> groups = listWanted(options);
  // What takes longest comes first, so that the threads end together.
  llvm::sort(groups, [](ArrayRef<Conversion> a, ArrayRef<Conversion> b) {
    return a.size() < b.size();
  });

  std::atomic<size_t> next = 0;
  std::atomic<bool> isOver = false;
  std::mutex mutex;
  llvm::Error failure = llvm::Error::success();
  auto work = [&] {
    Session session;
    for (size_t i; !isOver && (i = next++) < groups.size();) {
      llvm::Error error = certifyGroup(
          groups[i], session, options, [&](const Certificate &certificate) {
            std::lock_guard lock(mutex);
            if (options.onCertificate && !options.onCertificate(certificate))
              isOver = true;
            return !isOver;
          });
      std::lock_guard lock(mutex);
      if (error) {
        isOver = true;
        failure = llvm::joinErrors(std::move(failure), std::move(error));
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(options.threads, groups.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return failure;
}
