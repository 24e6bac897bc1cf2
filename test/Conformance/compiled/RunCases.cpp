//===- RunCases.cpp - Comparison with the Reference -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastActions.h"
#include "CastInputs.h"
#include "Programs.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// The initial value of all bytes of outputs.
static constexpr char kUntouched = char(0xEE);
/// The number of guard bytes after an output.
static constexpr size_t kGuard = 64;

std::vector<char> test::computeExpected(const CastCase &one,
                                        ArrayRef<char> inputs) {
  std::vector<char> expected(inputs.size() / getSlotSize(one.from) *
                             getSlotSize(one.to));
  if (failed(reference::castBuffer(one.from, one.to, inputs, expected,
                                   one.getReferenceOptions())))
    expected.clear();
  return expected;
}

namespace {
/// Sets the calling thread's floating-point environment during the lifetime of
/// the object (E1). `number` has two bits for the rounding mode and one each
/// for flush-to-zero and denormals-are-zero.
class Environment {
public:
  static constexpr unsigned kCount = 16;

#if defined(__x86_64__)
  explicit Environment(unsigned number)
      : usual(_mm_getcsr()), set(usual | (number & 3) << 13 |
                                 (number >> 2 & 1) << 15 | (number >> 3) << 6) {
    _mm_setcsr(set);
  }
  ~Environment() { _mm_setcsr(usual); }
  bool isUnchanged() const { return _mm_getcsr() == set; }

private:
  unsigned usual, set;
#else
  // Other architectures only test the default environment, number 0.
  explicit Environment(unsigned number) {}
  bool isUnchanged() const { return true; }
#endif
};
} // namespace

static uint64_t readEncoding(const char *bytes, size_t size) {
  uint64_t encoding = 0;
  std::copy_n(bytes, size, reinterpret_cast<char *>(&encoding));
  return encoding;
}

namespace {
/// A case with its inputs and expected results.
class CaseRun {
public:
  CaseRun(const CastCase &one, JitModule::EntryFunction entry,
          ArrayRef<char> inputs)
      : one(one), entry(entry), inputs(inputs),
        expected(computeExpected(one, inputs)), fromSize(getSlotSize(one.from)),
        toSize(getSlotSize(one.to)), count(inputs.size() / fromSize) {}

  bool run();
  /// Runs the case in every floating-point environment.
  bool runInEnvironments();

private:
  /// Runs the elements from index `start` on as a tensor of these sizes. The
  /// addresses are misaligned by `misalignment` bytes.
  bool runPart(size_t start, ArrayRef<int64_t> sizes, unsigned misalignment,
               unsigned environment = 0);
  bool fail(const Twine &message) {
    llvm::outs() << one.getName() << ": " << message << "\n";
    return false;
  }

  const CastCase &one;
  JitModule::EntryFunction entry;
  ArrayRef<char> inputs;
  std::vector<char> expected;
  size_t fromSize, toSize, count;
};
} // namespace

bool CaseRun::runPart(size_t start, ArrayRef<int64_t> sizes,
                      unsigned misalignment, unsigned environment) {
  size_t length = 1;
  for (int64_t size : sizes)
    length *= size;
  // The tensors end at the end of their allocations, so that ASan detects reads
  // past the end.
  std::vector<char> given(misalignment + length * fromSize);
  std::copy_n(inputs.begin() + start * fromSize, length * fromSize,
              given.begin() + misalignment);
  std::vector<char> made(misalignment + length * toSize + kGuard, kUntouched);
  int32_t rank = sizes.size();
  qf_tensor input = {given.data() + misalignment, sizes.data(), rank,
                     *getOnnxDataType(one.from)};
  qf_tensor output = {made.data() + misalignment, sizes.data(), rank,
                      *getOnnxDataType(one.to)};
  char message[256];
  int status;
  bool isUnchanged;
  {
    Environment inside(environment);
    status = entry(&input, &output, message, sizeof message);
    isUnchanged = inside.isUnchanged();
  }
  if (status)
    return fail(message);
  if (!isUnchanged)
    return fail("changes floating-point environment " + Twine(environment));

  const char *result = made.data() + misalignment;
  const char *wanted = expected.data() + start * toSize;
  if (llvm::any_of(ArrayRef(made).take_back(kGuard),
                   [](char byte) { return byte != kUntouched; }))
    return fail("writes behind the end of " + Twine(length) + " elements");
  if (!memcmp(result, wanted, length * toSize))
    return true;
  unsigned shown = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < length; ++i) {
    uint64_t got = readEncoding(result + i * toSize, toSize);
    uint64_t want = readEncoding(wanted + i * toSize, toSize);
    if (got == want)
      continue;
    ++wrong;
    if (shown++ < 4)
      fail(llvm::formatv(
               "{0:x} gives {1:x}, expected {2:x}",
               readEncoding(inputs.data() + (start + i) * fromSize, fromSize),
               got, want)
               .str());
  }
  return fail(Twine(wrong) + " of " + Twine(length) + " elements differ");
}

bool CaseRun::run() {
  if (expected.empty())
    return fail("the Reference has no such cast");
  if (one.shape != ArrayRef<int64_t>{ShapedType::kDynamic}) {
    bool good = true;
    for (int64_t open : {0, 1, 5, 77}) {
      SmallVector<int64_t> sizes = one.shape;
      for (int64_t &size : sizes)
        if (ShapedType::isDynamic(size))
          size = open++;
      good = good && runPart(3, sizes, 0) && runPart(11, sizes, 1);
    }
    return good;
  }
  if (!runPart(0, {int64_t(count)}, 0))
    return false;
  // Lengths around those of vectors, at different positions.
  size_t start = 0;
  for (int64_t length : {0, 1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 130}) {
    start = (start + 10007) % (count - length);
    if (!runPart(start, {length}, 1 + start % 3))
      return false;
  }
  return true;
}

bool CaseRun::runInEnvironments() {
  for (unsigned number = 0; number < Environment::kCount; ++number)
    if (!runPart(0, {int64_t(count)}, 0, number))
      return fail("in floating-point environment " + Twine(number));
  return true;
}

FailureOr<size_t> test::runCases(ArrayRef<CastCase> cases,
                                 const Settings &settings,
                                 MLIRContext &context) {
  size_t failures = 0;
  std::vector<char> inputs;
  Type inputsFrom, inputsTo;
  while (!cases.empty()) {
    ArrayRef<CastCase> batch = cases.take_front(settings.batchSize);
    cases = cases.drop_front(batch.size());
    OwningOpRef<ModuleOp> module = makeModule(batch, context);
    if (!module)
      return failure();
    FailureOr<std::unique_ptr<JitModule>> jit = load(*module, settings.compile);
    if (failed(jit))
      return failure();
    for (const CastCase &one : batch) {
      JitModule::EntryFunction entry = findEntry(**jit, one.getName());
      if (!entry)
        return failure();
      if (one.from != inputsFrom || one.to != inputsTo) {
        inputs = makeCastInputs(one.from, one.to, settings.randomCount);
        inputsFrom = one.from;
        inputsTo = one.to;
      }
      CaseRun run(one, entry, inputs);
      failures +=
          !(settings.environments ? run.runInEnvironments() : run.run());
    }
  }
  return failures;
}
