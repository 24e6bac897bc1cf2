//===- Certify.cpp - Compares compiled code with the oracle ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Certify.h"

#include "Expectation.h"
#include "mlir/AsmParser/AsmParser.h"
#include "quant-float/Certify/Inputs.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/FakeConvert.h"
#include "quant-float/Reference/Quantize.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Reference/String.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
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

/// The number of elements of a call that are compared with the Reference, which
/// is slow, if not all are.
static constexpr size_t kReferenceSamples = 16;

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

namespace {
/// Computes a SHA-256.
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
// The Reference
//===----------------------------------------------------------------------===//

namespace {
/// Computes single elements with the Reference.
class ReferenceElement {
public:
  ReferenceElement(const Conversion &conversion, MLIRContext &context)
      : conversion(conversion), context(context),
        from(getType(conversion.from)), to(getType(conversion.to)),
        scale(getType(conversion.scale)),
        precision(getType(conversion.precision)),
        destination(getType(conversion.destination)) {}

  uint64_t get(uint64_t encoding, const Call &call) const {
    llvm::APInt bits = makeBits(*conversion.from, encoding), scaleBits;
    std::optional<llvm::APInt> zeroPoint;
    if (scale)
      scaleBits = makeBits(*conversion.scale, call.scale);
    if (conversion.hasZeroPoint)
      zeroPoint = makeBits(conversion.getZeroPointFormat(), call.zeroPoint);
    std::optional<llvm::APInt> random;
    if (conversion.random)
      random = makeBits(*conversion.random, call.random);
    const CastRules &rules = conversion.rules;
    llvm::APInt actual;
    switch (conversion.kind) {
    case Conversion::Kind::Cast: {
      reference::CastOptions options = getCastOptions();
      actual = random ? reference::castElementByRandomBits(from, to, bits,
                                                           *random, options)
                      : reference::castElement(from, to, bits, options);
      break;
    }
    case Conversion::Kind::Quantize: {
      reference::QuantizeOptions options;
      options.saturate = rules.saturate;
      options.precision = precision;
      actual = reference::quantizeElement(from, scale, to, bits, scaleBits,
                                          zeroPoint, options, random);
      break;
    }
    case Conversion::Kind::Dequantize:
      actual = reference::dequantizeElement(from, scale, to, bits, scaleBits,
                                            zeroPoint);
      break;
    case Conversion::Kind::Qdq: {
      reference::QuantizeOptions options;
      options.saturate = rules.saturate;
      options.precision = precision;
      llvm::APInt stored =
          reference::quantizeElement(from, scale, destination, bits, scaleBits,
                                     zeroPoint, options, random);
      actual = reference::dequantizeElement(destination, scale, to, stored,
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
      actual = reference::fakeConvertElement(from, destination, bits, scaleBits,
                                             zeroPoint, options);
      break;
    }
    case Conversion::Kind::TensorScale:
      actual = reference::getTensorScale(makeFloat(encoding)).bitcastToAPInt();
      break;
    case Conversion::Kind::BlockScale:
      // Extending the largest magnitude to f32 is exact.
      actual = reference::getBlockScale(
          getRule(), destination, to,
          makeFloat(cast(*conversion.from, *findFormat("f32"), encoding, {})),
          getTensorLevel(call));
      break;
    case Conversion::Kind::BlockElements:
      actual = reference::quantizeBlockElement(getRule(), from, scale, to, bits,
                                               scaleBits, getTensorLevel(call),
                                               random);
      break;
    case Conversion::Kind::BlockDequantize:
      actual = reference::dequantizeBlockElement(
          from, scale, to, bits, scaleBits, getTensorLevel(call).scale,
          conversion.isTensorFirst);
      break;
    case Conversion::Kind::ConvertToBlock:
    case Conversion::Kind::ConvertFromBlock:
      actual = reference::convertBlockElement(
          conversion.kind == Conversion::Kind::ConvertToBlock
              ? reference::BlockConversion::ToBlock
              : reference::BlockConversion::FromBlock,
          from, scale, to, bits, scaleBits, getProjection(), random);
      break;
    case Conversion::Kind::Philox:
      return reference::philoxElement(conversion.to->bits, call.scale,
                                      call.zeroPoint, encoding);
    }
    return actual.getZExtValue();
  }

  std::string print(uint64_t encoding) const {
    return reference::printString(from, makeBits(*conversion.from, encoding));
  }
  uint64_t parse(StringRef string) const {
    return reference::parseString(to, string, getCastOptions())
        .value_or(llvm::APInt(64, 0))
        .getZExtValue();
  }

private:
  reference::CastOptions getCastOptions() const {
    const CastRules &rules = conversion.rules;
    reference::CastOptions options;
    options.opset = rules.opset;
    options.saturate = rules.saturate;
    options.scaleRounding =
        static_cast<reference::ScaleRounding>(rules.scaleRounding);
    if (rules.projection)
      options.projection = getProjection();
    return options;
  }
  reference::Projection getProjection() const {
    const DraftProjection &projection = *conversion.rules.projection;
    return {
        static_cast<reference::ProjectionRounding>(projection.rounding),
        static_cast<reference::ProjectionSaturation>(projection.saturation)};
  }
  reference::BlockScaleRule getRule() const {
    return static_cast<reference::BlockScaleRule>(conversion.blockRule);
  }
  static llvm::APFloat makeFloat(uint64_t encoding) {
    return llvm::APFloat(llvm::APFloat::IEEEsingle(),
                         llvm::APInt(32, encoding));
  }
  reference::TensorLevel getTensorLevel(const Call &call) const {
    reference::TensorLevel level;
    if (conversion.hasZeroPoint)
      (conversion.isTensorAmax ? level.amax : level.scale) =
          makeFloat(call.zeroPoint);
    return level;
  }
  Type getType(const Format *format) const {
    return format ? parseType(StringRef(format->name), &context) : Type();
  }
  static llvm::APInt makeBits(const Format &format, uint64_t encoding) {
    return llvm::APInt(format.bits, encoding & format.getMask());
  }

  const Conversion &conversion;
  MLIRContext &context;
  Type from, to, scale, precision, destination;
};
} // namespace

//===----------------------------------------------------------------------===//
// Compiled code
//===----------------------------------------------------------------------===//

/// Compiles conversions for one CPU to a shared library, as users do.
static llvm::Expected<std::unique_ptr<Code>> compile(ArrayRef<Conversion> group,
                                                     const Machine &machine,
                                                     StringRef cpu,
                                                     Session &session) {
  std::string source;
  for (const Conversion &conversion : group)
    source += conversion.print();
  ParseOptions parseOptions;
  parseOptions.name = group.front().getName();
  llvm::Expected<Model> model =
      Model::parse(session, ModelFormat::MLIR, source, parseOptions);
  return model ? machine.compile(*model, cpu) : model.takeError();
}

//===----------------------------------------------------------------------===//
// One conversion
//===----------------------------------------------------------------------===//

namespace {
/// Runs one conversion on its inputs.
class ConversionRun {
public:
  ConversionRun(const Conversion &conversion, ArrayRef<Code *> code,
                Session &session, Expectation &expectation, bool isSampled);
  /// Runs on all inputs.
  llvm::Error run();
  /// Runs a cast from or to strings on all inputs.
  llvm::Error runStrings();
  /// Runs the first code until a result is wrong.
  llvm::Expected<Finding> search();

  Certificate certificate;

private:
  void fillInputs(const Call &call);
  void checkReference(const Call &call, uint64_t index);
  llvm::Error findFunctions();
  llvm::Error runCode(const Call &call, size_t codeIndex);
  /// Returns the index of the first wrong result, or the number of results.
  size_t compare(const Call &call, Mismatches &mismatches);

  const Conversion &conversion;
  bool isSampled;
  Expectation &expectation;
  ReferenceElement reference;
  ArrayRef<Code *> code;
  /// The index of the function in each code.
  std::vector<size_t> functions;
  Slots inputs, expected, actual;
};
} // namespace

ConversionRun::ConversionRun(const Conversion &conversion,
                             ArrayRef<Code *> code, Session &session,
                             Expectation &expectation, bool isSampled)
    : conversion(conversion), isSampled(isSampled), expectation(expectation),
      reference(conversion, session.getContext()), code(code) {
  certificate.name = conversion.getName();
  certificate.mismatches.resize(code.size());
}

void ConversionRun::fillInputs(const Call &call) {
  const Format &from = *conversion.from;
  inputs.resize(call.count * from.getSlotSize());
  if (call.isRange && from.bits == 32) {
    auto *encodings = reinterpret_cast<uint32_t *>(inputs.data());
    for (size_t i = 0; i < call.count; ++i)
      encodings[i] = uint32_t(call.first + i);
    return;
  }
  for (size_t i = 0; i < call.count; ++i)
    write(from, inputs, i, call.getEncoding(i));
}

void ConversionRun::checkReference(const Call &call, uint64_t index) {
  const Format &from = *conversion.from, &to = *conversion.to;
  bool isSmall = (conversion.kind == Conversion::Kind::Cast ||
                  conversion.kind == Conversion::Kind::BlockScale) &&
                 from.bits <= 16;
  if (conversion.random)
    isSmall = false;
  size_t stride =
      isSmall ? 1 : std::max<size_t>(call.count / kReferenceSamples, 1);
  // Use different positions in each call.
  for (size_t i = index * 7919 % stride; i < call.count; i += stride) {
    uint64_t encoding = call.getEncoding(i);
    uint64_t expectedEncoding = read(to, expected, i) & to.getMask();
    uint64_t actualEncoding = reference.get(encoding, call);
    ++certificate.referenceInputs;
    certificate.referenceMismatches +=
        !conversion.agrees(encoding, call, expectedEncoding, actualEncoding);
  }
}

llvm::Error ConversionRun::findFunctions() {
  for (Code *version : code) {
    llvm::Expected<size_t> function = version->find(certificate.name);
    if (!function)
      return function.takeError();
    functions.push_back(*function);
  }
  return llvm::Error::success();
}

static qf_tensor describe(const Format &format, void *data,
                          const int64_t *sizes, int32_t rank) {
  for (const ElementInfo &element : kElements)
    if (format.name == element.mlir)
      return qf_tensor{data, sizes, rank, element.number};
  for (const ElementInfo &element : kBinaryElements.elements)
    if (format.name == element.mlir)
      return qf_tensor{data, sizes, rank, element.number};
  llvm_unreachable("the formats are among the element types");
}

llvm::Error ConversionRun::runCode(const Call &call, size_t codeIndex) {
  actual.resize(expected.size());
  // Elements that this code does not write must not keep the results of other
  // code.
  llvm::transform(expected, actual.begin(), [](uint8_t byte) { return ~byte; });
  int64_t count = call.count;
  qf_tensor operands[4] = {
      describe(*conversion.from, inputs.data(), &count, 1)};
  size_t numOperands = 1;
  uint64_t scale = call.scale, zeroPoint = call.zeroPoint;
  if (conversion.scale)
    scale = extend(*conversion.scale, scale);
  if (conversion.hasZeroPoint)
    zeroPoint = extend(conversion.getZeroPointFormat(), zeroPoint);
  int64_t scaleSize = 1;
  if (conversion.scale)
    operands[numOperands++] =
        describe(*conversion.scale, &scale, &scaleSize, conversion.isBlock());
  if (conversion.hasZeroPoint)
    operands[numOperands++] =
        describe(conversion.getZeroPointFormat(), &zeroPoint, nullptr, 0);
  // Random bits have at most 8 bits.
  Slots random;
  if (conversion.random) {
    random.assign(call.count, uint8_t(call.random));
    operands[numOperands++] =
        describe(*conversion.random, random.data(), &count, 1);
  }
  qf_tensor output = describe(*conversion.to, actual.data(), &count, 1);
  return code[codeIndex]->run(functions[codeIndex],
                              ArrayRef(operands, numOperands), output);
}

size_t ConversionRun::compare(const Call &call, Mismatches &mismatches) {
  size_t firstIndex = call.count;
  if (actual == expected)
    return firstIndex;
  const Format &to = *conversion.to;
  for (size_t i = 0; i < call.count; ++i) {
    uint64_t expectedEncoding = read(to, expected, i),
             actualEncoding = read(to, actual, i);
    uint64_t padding = (expectedEncoding ^ actualEncoding) & ~to.getMask();
    if (expectedEncoding == actualEncoding ||
        (!padding && conversion.agrees(call.getEncoding(i), call,
                                       expectedEncoding & to.getMask(),
                                       actualEncoding & to.getMask())))
      continue;
    firstIndex = std::min(firstIndex, i);
    if (!mismatches.count++)
      mismatches.first = {call.getEncoding(i), call.scale,
                          call.zeroPoint,      call.random,
                          expectedEncoding,    actualEncoding};
  }
  return firstIndex;
}

/// The SHA-256 of the 2^32 encodings of 32 bits in order, whose computation
/// takes longer than all else of a cast.
static constexpr StringLiteral kAllEncodingsHash =
    "1e2ba2146ddd69bcb06ede6c03578e7060de163d7a0b54cc4367eec762db3df9";

llvm::Error ConversionRun::run() {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = findFunctions())
    return error;
  Inputs space(conversion, isSampled);
  certificate.isComplete = space.isComplete();
  Hash inputHash, outputHash;
  bool hasAllEncodings = conversion.from->bits == 32 && space.isComplete();
  certificate.coverage = space.describe();
  for (uint64_t index = 0; index < space.getNumCalls(); ++index) {
    Call call = space.getCall(index);
    fillInputs(call);
    expectation.fill(conversion, call, expected);
    certificate.inputs += call.count;
    if (conversion.scale)
      inputHash.add(&call.scale, sizeof call.scale);
    if (conversion.hasZeroPoint)
      inputHash.add(&call.zeroPoint, sizeof call.zeroPoint);
    if (conversion.random)
      inputHash.add(&call.random, sizeof call.random);
    if (!hasAllEncodings)
      inputHash.add(inputs.data(), inputs.size());
    outputHash.add(expected.data(), expected.size());
    checkReference(call, index);
    for (auto [codeIndex, mismatches] :
         llvm::enumerate(certificate.mismatches)) {
      if (llvm::Error error = runCode(call, codeIndex))
        return error;
      compare(call, mismatches);
    }
  }
  certificate.inputHash =
      hasAllEncodings ? kAllEncodingsHash.str() : inputHash.finish();
  certificate.outputHash = outputHash.finish();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  certificate.seconds = seconds.count();
  return llvm::Error::success();
}

namespace {
/// A tensor of strings.
class Strings {
public:
  explicit Strings(ArrayRef<std::string> strings) : offsets{0} {
    for (const std::string &string : strings) {
      bytes += string;
      offsets.push_back(int64_t(bytes.size()));
    }
  }
  /// The result of a call with `count` strings.
  explicit Strings(size_t count) : offsets(count + 1), bytes(count * 1200, 0) {}

  qf_tensor describe(const int64_t *size) {
    data = {offsets.data(), bytes.data(), int64_t(bytes.size()), 0};
    return {&data, size, 1, QF_STRING};
  }
  StringRef operator[](size_t i) const {
    return StringRef(bytes).slice(offsets[i], offsets[i + 1]);
  }

private:
  std::vector<int64_t> offsets;
  std::string bytes;
  qf_strings data;
};
} // namespace

llvm::Error ConversionRun::runStrings() {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = findFunctions())
    return error;
  const Format &from = *conversion.from, &to = *conversion.to;
  bool isRead = from.kind == Format::Kind::String;
  std::vector<std::string> strings;
  std::vector<uint64_t> encodings;
  Hash inputHash, outputHash;
  if (isRead) {
    strings = Inputs::makeStrings(to);
    certificate.coverage = "selected strings";
    for (const std::string &string : strings) {
      encodings.push_back(
          encode(to, parseNumber(string, to.isInteger()), conversion.rules));
      inputHash.add(string.data(), string.size() + 1);
    }
  } else {
    encodings = Inputs::makeStringEncodings(from);
    certificate.isComplete = from.bits <= 16;
    certificate.coverage =
        certificate.isComplete ? "every encoding" : "selected encodings";
    for (uint64_t encoding : encodings) {
      strings.push_back(toString(from, encoding));
      outputHash.add(strings.back().data(), strings.back().size() + 1);
    }
  }
  // The elements of the other type.
  const Format &numbers = isRead ? to : from;
  Slots slots(encodings.size() * numbers.getSlotSize());
  for (auto [i, encoding] : llvm::enumerate(encodings))
    write(numbers, slots, i, encoding);
  (isRead ? outputHash : inputHash).add(slots.data(), slots.size());
  certificate.inputs = encodings.size();

  for (size_t i = 0; i < encodings.size(); ++i) {
    ++certificate.referenceInputs;
    certificate.referenceMismatches +=
        isRead ? reference.parse(strings[i]) != encodings[i]
               : reference.print(encodings[i]) != strings[i];
  }
  constexpr size_t kCount = 1024;
  for (size_t first = 0; first < encodings.size(); first += kCount) {
    int64_t count = std::min(kCount, encodings.size() - first);
    size_t bytes = numbers.getSlotSize();
    Slots part(slots.begin() + first * bytes,
               slots.begin() + (first + count) * bytes);
    for (auto [codeIndex, mismatches] :
         llvm::enumerate(certificate.mismatches)) {
      if (isRead)
        llvm::transform(part, part.begin(), [](uint8_t byte) { return ~byte; });
      Strings texts = isRead ? Strings(ArrayRef(strings).slice(first, count))
                             : Strings(size_t(count));
      qf_tensor text = texts.describe(&count);
      qf_tensor number = describe(numbers, part.data(), &count, 1);
      if (llvm::Error error =
              code[codeIndex]->run(functions[codeIndex], isRead ? text : number,
                                   isRead ? number : text))
        return error;
      for (int64_t i = 0; i < count; ++i) {
        uint64_t expectedEncoding = encodings[first + i];
        // The padding bits of an element of a byte extend its sign.
        uint64_t actual = isRead ? read(to, part, i) : 0;
        bool isEqual = isRead ? actual == read(to, slots, first + i)
                              : texts[i] == strings[first + i];
        if (isEqual)
          continue;
        if (!mismatches.count++)
          mismatches.first = {
              isRead ? first + i : expectedEncoding, 0,     0, 0,
              isRead ? expectedEncoding : 0,         actual};
      }
    }
  }
  certificate.inputHash = inputHash.finish();
  certificate.outputHash = outputHash.finish();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  certificate.seconds = seconds.count();
  return llvm::Error::success();
}

llvm::Expected<Finding> ConversionRun::search() {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = findFunctions())
    return std::move(error);
  Inputs space(conversion, isSampled);
  Finding finding;
  Mismatches mismatches;
  for (uint64_t i = 0; i < space.getNumCalls() && !mismatches.count; ++i) {
    Call call = space.getCall(i);
    fillInputs(call);
    expectation.fill(conversion, call, expected);
    if (llvm::Error error = runCode(call, 0))
      return std::move(error);
    size_t index = compare(call, mismatches);
    finding.inputs += mismatches.count ? index + 1 : call.count;
  }
  if (mismatches.count)
    finding.first = mismatches.first;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  finding.seconds = seconds.count();
  return finding;
}

llvm::Expected<Finding> certify::findMismatch(const Conversion &conversion,
                                              Code &code, Session &session,
                                              bool isSampled) {
  Code *all[] = {&code};
  Expectation expectation;
  return ConversionRun(conversion, all, session, expectation, isSampled)
      .search();
}

//===----------------------------------------------------------------------===//
// All conversions
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
  if (options.machine) {
    origin.machine = options.machine->description;
    origin.runOn = options.machine->name;
  }
  // The program contains the compiler, so its hash identifies the compiler.
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

/// Certifies the selected conversions of a group.
static llvm::Error
certifyGroup(ArrayRef<Conversion> group, const Machine &machine,
             Session &session, const CertifyOptions &options,
             llvm::function_ref<bool(const Certificate &)> onCertificate) {
  std::vector<std::unique_ptr<Code>> owned;
  for (const std::string &cpu : options.cpus) {
    llvm::Expected<std::unique_ptr<Code>> compiled =
        compile(group, machine, cpu, session);
    if (!compiled)
      return compiled.takeError();
    owned.push_back(std::move(*compiled));
  }
  auto code =
      llvm::map_to_vector(owned, [](const std::unique_ptr<Code> &version) {
        return version.get();
      });
  Expectation expectation;
  for (const Conversion &conversion : group) {
    if (options.filter && !options.filter(conversion.getName()))
      continue;
    ConversionRun conversionRun(conversion, code, session, expectation,
                                options.isSampled);
    for (const Code *compiled : code)
      conversionRun.certificate.code.push_back(compiled->hash);
    if (llvm::Error error = conversion.hasStrings() ? conversionRun.runStrings()
                                                    : conversionRun.run())
      return error;
    if (!onCertificate(conversionRun.certificate))
      break;
  }
  return llvm::Error::success();
}

static llvm::Expected<std::shared_ptr<const Machine>>
getMachine(const CertifyOptions &options) {
  if (options.machine)
    return options.machine;
  return Machine::find("");
}

/// Returns the groups that contain a selected conversion.
static std::vector<std::vector<Conversion>>
listFiltered(const CertifyOptions &options) {
  std::vector<std::vector<Conversion>> groups = listGroups(options.standard);
  for (const Conversion &conversion : options.others)
    groups.push_back({conversion});
  llvm::erase_if(groups, [&](ArrayRef<Conversion> group) {
    // Strings are not sent to other machines.
    if (group.front().hasStrings() && options.machine &&
        !options.machine->name.empty())
      return true;
    return options.filter &&
           llvm::none_of(group, [&](const Conversion &conversion) {
             return options.filter(conversion.getName());
           });
  });
  return groups;
}

llvm::Expected<llvm::StringMap<std::string>>
certify::hashCode(const CertifyOptions &options) {
  auto machine = getMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::StringMap<std::string> hashes;
  Session session;
  for (ArrayRef<Conversion> group : listFiltered(options)) {
    llvm::Expected<std::unique_ptr<Code>> compiled =
        compile(group, **machine, options.cpus.front(), session);
    if (!compiled)
      return compiled.takeError();
    for (const Conversion &conversion : group)
      hashes[conversion.getName()] = (*compiled)->hash;
  }
  return hashes;
}

llvm::Error certify::certifyAll(const CertifyOptions &options) {
  auto machine = getMachine(options);
  if (!machine)
    return machine.takeError();
  std::vector<std::vector<Conversion>> groups = listFiltered(options);
  // Start with the smallest groups, whose 32-bit inputs take longest, so that
  // all threads finish at about the same time.
  llvm::sort(groups, [](ArrayRef<Conversion> a, ArrayRef<Conversion> b) {
    return a.size() < b.size();
  });

  std::atomic<size_t> next = 0;
  std::atomic<bool> isStopped = false;
  std::mutex mutex;
  llvm::Error failure = llvm::Error::success();
  auto work = [&] {
    Session session;
    for (size_t i; !isStopped && (i = next++) < groups.size();) {
      llvm::Error error = certifyGroup(
          groups[i], **machine, session, options,
          [&](const Certificate &certificate) {
            std::lock_guard lock(mutex);
            if (options.onCertificate && !options.onCertificate(certificate))
              isStopped = true;
            return !isStopped;
          });
      std::lock_guard lock(mutex);
      if (error) {
        isStopped = true;
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
