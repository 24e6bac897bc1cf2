//===- Trial.cpp - Conversions on emulated CPUs ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "mlir/AsmParser/AsmParser.h"
#include "quant-float/Certify/Certify.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;
using namespace mlir::quant_float::test;

namespace {
/// The binary format that Inputs/program.c reads.
struct Request {
  uint32_t conversion, count, inputBytes, outputBytes;
  uint64_t scale, zeroPoint;
};
} // namespace

/// The number of guard bytes after outputs, and their value.
static constexpr size_t kGuard = 64;
static constexpr char kUntouched = char(0xee);
static constexpr size_t kSpread = size_t(1) << 20;
static constexpr size_t kCallsOfARun = 16;
static constexpr size_t kMaxPrinted = 5;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static void shuffle(std::vector<uint64_t> &encodings) {
  Random random(encodings.size());
  for (size_t i = encodings.size(); i > 1; --i)
    std::swap(encodings[i - 1], encodings[random() % i]);
}

/// Returns the values of `to`, the midpoints of two of them, and the limits of
/// all exponents, each with two neighbors on both sides.
static std::vector<uint64_t> makeEdges(const Format &from, const Format &to) {
  std::vector<uint64_t> encodings;
  auto addNear = [&](uint64_t encoding) {
    for (uint64_t near = encoding - 2; near != encoding + 3; ++near) {
      encodings.push_back(near & from.getMask());
      encodings.push_back((near ^ from.getSignBit()) & from.getMask());
    }
  };
  auto addValue = [&](double value) { addNear(fromDouble(from, value)); };
  if (from.isFloat())
    for (uint64_t power = 0; power < from.getSignBit();
         power += uint64_t(1) << from.mantissaBits)
      for (unsigned bit = 0; bit <= from.mantissaBits; ++bit)
        addNear(power | uint64_t(1) << bit >> 1);
  if (!to.isFloat() || to.bits > 16)
    return encodings;
  double last = 0, step = 0;
  for (uint64_t encoding = 0; encoding < to.getSignBit(); ++encoding) {
    double value = toDouble(to, encoding);
    if (!std::isfinite(value))
      break;
    step = value - last;
    addValue(value - step / 2);
    addValue(value);
    last = value;
  }
  // Add the midpoint and the value that would follow the maximum.
  addValue(last + step / 2);
  addValue(last + step);
  return encodings;
}

Trial::Trial(const Conversion &conversion, bool isComplete,
             std::optional<uint64_t> scale, MLIRContext &context)
    : conversion(conversion) {
  const Format &from = *conversion.from;
  if (conversion.kind != Conversion::Kind::Cast || from.bits > 32) {
    others.emplace(conversion, /*isSampled=*/!isComplete, scale);
    return;
  }
  this->from = parseType(StringRef(from.name), &context);
  to = parseType(StringRef(conversion.to->name), &context);
  if (from.bits == 32) {
    encodings = makeEdges(from, *conversion.to);
    numSpread = isComplete ? (uint64_t(1) << 32) / kSpread : 1;
  } else {
    // Repeat the encodings so that each lane sees many of them.
    uint64_t count = uint64_t(1) << from.bits;
    for (uint64_t encoding = 0; encoding < std::max<uint64_t>(count, 8192);
         ++encoding)
      encodings.push_back(encoding & from.getMask());
  }
  shuffle(encodings);
}

size_t Trial::getNumCalls() const {
  return others ? others->getNumCalls() : 1 + numSpread;
}

Call Trial::getCall(size_t number) const {
  Call call;
  if (others) {
    call = others->getCall(number);
    for (size_t i = call.encodings.size(); i < call.count; ++i)
      call.encodings.push_back(call.getEncoding(i));
    shuffle(call.encodings);
  } else if (number == 0) {
    call.encodings = encodings;
  } else {
    // Multiplication by an odd number is a permutation of the 32-bit integers,
    // so every encoding occurs once.
    for (size_t i = 0; i < kSpread; ++i)
      call.encodings.push_back(
          uint32_t(((number - 1) * kSpread + i) * 0x9E3779B1));
  }
  call.isRange = false;
  call.count = call.encodings.size();
  return call;
}

/// Returns the lengths to process at a time: some with remainders, then all
/// remaining elements.
static std::vector<size_t> splitCall(size_t count) {
  std::vector<size_t> pieces;
  for (size_t piece : {0, 1, 7, 15, 17, 33, 63, 65})
    if (piece <= count) {
      pieces.push_back(piece);
      count -= piece;
    }
  pieces.push_back(count);
  return pieces;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Sign-extends signed sub-byte integers to a byte.
static uint64_t toSlot(const Format &format, uint64_t encoding) {
  bool isNegative =
      format.kind == Format::Kind::Signed && (encoding & format.getSignBit());
  return isNegative ? encoding | ~format.getMask() : encoding;
}

bool Trial::isDisputed(uint64_t encoding, uint64_t expected) const {
  reference::CastOptions options;
  options.opset = conversion.rules.opset;
  options.saturate = conversion.rules.saturate;
  options.scaleRounding =
      static_cast<reference::ScaleRounding>(conversion.rules.scaleRounding);
  llvm::APInt bits(conversion.from->bits, encoding);
  return reference::castElement(from, to, bits, options) != expected;
}

size_t Trial::compare(const Call &call, ArrayRef<char> made) const {
  const Format &format = *conversion.to;
  size_t size = format.getSlotSize(), mismatches = 0;
  uint64_t slotMask = ~uint64_t(0) >> (64 - 8 * size);
  // The Reference is slow, so only compare a subset with it.
  size_t stride = call.count != kSpread ? 1 : numSpread == 1 ? 16 : 256;
  for (size_t i = 0; i < call.count; ++i) {
    uint64_t encoding = call.encodings[i], found = 0;
    memcpy(&found, made.data() + i * size, size);
    uint64_t expected =
        conversion.getExpected(encoding, {call.scale, call.zeroPoint});
    uint64_t slot = toSlot(format, expected) & slotMask;
    bool isRight = found == slot ||
                   (((found ^ slot) & ~format.getMask()) == 0 &&
                    conversion.agrees(encoding, {call.scale, call.zeroPoint},
                                      expected, found & format.getMask()));
    if (isRight && !others && i % stride == 0)
      isRight = !isDisputed(encoding, expected);
    if (isRight)
      continue;
    if (mismatches++ < kMaxPrinted)
      llvm::errs() << conversion.getName() << ": 0x"
                   << llvm::utohexstr(encoding) << " gives 0x"
                   << llvm::utohexstr(found) << ", expected 0x"
                   << llvm::utohexstr(slot) << " (scale 0x"
                   << llvm::utohexstr(call.scale) << ", zero point 0x"
                   << llvm::utohexstr(call.zeroPoint) << ")\n";
  }
  return mismatches;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<TrialResult> Trial::runCalls(ArrayRef<std::string> command,
                                            size_t index, size_t first,
                                            size_t last) const {
  SmallString<64> inputPath, outputPath;
  int file;
  if (llvm::sys::fs::createTemporaryFile("emulated", "in", file, inputPath) ||
      llvm::sys::fs::createTemporaryFile("emulated", "out", outputPath))
    return makeError("no temporary files");
  llvm::scope_exit remove([&] {
    (void)llvm::sys::fs::remove(inputPath);
    (void)llvm::sys::fs::remove(outputPath);
  });
  const Format &fromFormat = *conversion.from;
  size_t fromSize = fromFormat.getSlotSize();
  size_t toSize = conversion.to->getSlotSize();
  {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    for (size_t number = first; number < last; ++number) {
      Call call = getCall(number);
      Request request = {uint32_t(index), 0, 0, 0, call.scale, call.zeroPoint};
      if (conversion.scale)
        request.scale = toSlot(*conversion.scale, call.scale);
      if (conversion.hasZeroPoint)
        request.zeroPoint =
            toSlot(conversion.getZeroPointFormat(), call.zeroPoint);
      size_t start = 0;
      for (size_t piece : splitCall(call.count)) {
        request.count = piece;
        request.inputBytes = piece * fromSize;
        request.outputBytes = piece * toSize;
        os.write(reinterpret_cast<const char *>(&request), sizeof request);
        for (size_t i = start; i < start + piece; ++i) {
          uint64_t slot = toSlot(fromFormat, call.encodings[i]);
          os.write(reinterpret_cast<const char *>(&slot), fromSize);
        }
        start += piece;
      }
    }
  }

  SmallVector<StringRef> arguments(command.begin(), command.end());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(
      arguments.front(), arguments, /*Env=*/std::nullopt,
      {StringRef(inputPath), StringRef(outputPath), std::nullopt},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (code)
    return makeError(conversion.getName() + ": '" + llvm::join(command, " ") +
                     "' exits with " + Twine(code) +
                     (message.empty() ? "" : ": " + message));
  auto output = llvm::MemoryBuffer::getFile(outputPath, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!output)
    return makeError("no output of the emulator");

  StringRef left = (*output)->getBuffer();
  TrialResult result;
  std::string bytes;
  for (size_t number = first; number < last; ++number) {
    Call call = getCall(number);
    std::vector<char> made;
    for (size_t piece : splitCall(call.count)) {
      size_t size = piece * toSize;
      uint32_t status = 0;
      if (left.size() < sizeof status + size + kGuard)
        return makeError(conversion.getName() + ": the program ended early");
      memcpy(&status, left.data(), sizeof status);
      left = left.drop_front(sizeof status);
      StringRef behind = left.substr(size, kGuard);
      if (status)
        return makeError(conversion.getName() + ": status " + Twine(status) +
                         ": " +
                         left.take_front(size + kGuard).split('\0').first);
      if (behind.find_first_not_of(kUntouched) != StringRef::npos)
        return makeError(conversion.getName() + " writes behind the end of " +
                         Twine(piece) + " elements");
      made.insert(made.end(), left.begin(), left.begin() + size);
      left = left.drop_front(size + kGuard);
    }
    result.inputs += call.count;
    result.mismatches += compare(call, made);
    bytes.append(made.begin(), made.end());
  }
  result.digest = hashBytes(bytes);
  return result;
}

llvm::Expected<TrialResult> Trial::run(ArrayRef<std::string> command,
                                       size_t index, unsigned threads) const {
  size_t numCalls = getNumCalls();
  size_t numRuns = (numCalls + kCallsOfARun - 1) / kCallsOfARun;
  std::vector<TrialResult> results(numRuns);
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  llvm::Error error = llvm::Error::success();
  auto work = [&] {
    for (size_t run; (run = next++) < numRuns;) {
      size_t first = run * kCallsOfARun;
      llvm::Expected<TrialResult> result = runCalls(
          command, index, first, std::min(first + kCallsOfARun, numCalls));
      std::lock_guard lock(mutex);
      if (result) {
        results[run] = std::move(*result);
        continue;
      }
      error = llvm::joinErrors(std::move(error), result.takeError());
      next = numRuns;
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < std::min<size_t>(threads, numRuns); ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  if (error)
    return std::move(error);

  TrialResult all;
  std::string digests;
  for (const TrialResult &result : results) {
    all.inputs += result.inputs;
    all.mismatches += result.mismatches;
    digests += result.digest;
  }
  all.digest = numRuns == 1 ? digests : hashBytes(digests);
  return all;
}
