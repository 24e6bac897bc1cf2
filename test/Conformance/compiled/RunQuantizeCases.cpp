//===- RunQuantizeCases.cpp - Compiled code against the Reference ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastCases.h"
#include "Loops.h"
#include "Programs.h"
#include "QuantizeActions.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// Bytes behind an output that must stay untouched, and what they hold.
static constexpr size_t kGuard = 64;
static constexpr char kUntouched = char(0xEE);

/// Applies `action` to modules of some cases each.
static LogicalResult forEachBatch(
    ArrayRef<QuantizeCase> cases, size_t batchSize, MLIRContext &context,
    llvm::function_ref<LogicalResult(ModuleOp, ArrayRef<QuantizeCase>, size_t)>
        action) {
  for (size_t number = 0; !cases.empty(); ++number) {
    ArrayRef<QuantizeCase> batch = cases.take_front(batchSize);
    cases = cases.drop_front(batch.size());
    std::string text;
    for (const QuantizeCase &one : batch)
      text += one.print();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module || failed(action(*module, batch, number)))
      return failure();
  }
  return success();
}

static bool fail(const QuantizeCase &one, const Twine &message) {
  llvm::outs() << one.getName() << ": " << message << "\n";
  return false;
}

static uint64_t readCode(const char *bytes, size_t size) {
  uint64_t code = 0;
  std::copy_n(bytes, size, reinterpret_cast<char *>(&code));
  return code;
}

static bool isRight(Type type, uint64_t got, uint64_t want, char freedom) {
  return got == want || (freedom == 1 && isNaNCode(type, got)) ||
         (freedom == 2 && isZeroCode(type, got) && isZeroCode(type, want));
}

static bool runOnce(const QuantizeCase &one, JitModule::EntryFunction entry,
                    size_t number) {
  QuantizeRun run = makeQuantizeRun(one, number);
  size_t count = run.freedom.size();
  if (run.expected.size() != count * getSlotSize(one.getResultType()))
    return fail(one, "the Reference has no such quantization");
  // Nothing is where vectors would like it.
  size_t off = 1 + number % 3;
  auto misalign = [&](ArrayRef<char> bytes) {
    std::vector<char> moved(off + bytes.size());
    llvm::copy(bytes, moved.begin() + off);
    return moved;
  };
  std::vector<char> input = misalign(run.input), scales = misalign(run.scales),
                    zeroPoints = misalign(run.zeroPoints);
  std::vector<char> made(off + run.expected.size() + kGuard, kUntouched);
  auto tensor = [&](std::vector<char> &bytes, ArrayRef<int64_t> sizes,
                    Type type) {
    return qf_tensor{bytes.data() + off, sizes.data(), int32_t(sizes.size()),
                     *getOnnxDataType(type)};
  };
  qf_tensor inputs[] = {tensor(input, run.sizes, one.getInputType()),
                        tensor(scales, run.scaleSizes, one.scale),
                        tensor(zeroPoints, run.scaleSizes, one.quantized)};
  qf_tensor output = tensor(made, run.sizes, one.getResultType());
  char message[256];
  if (entry(inputs, &output, message, sizeof message))
    return fail(one, message);
  if (llvm::any_of(ArrayRef(made).take_back(kGuard),
                   [](char byte) { return byte != kUntouched; }))
    return fail(one, "writes behind the end of " + Twine(count) + " elements");

  Type type = one.getResultType();
  size_t slot = getSlotSize(type), wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t got = readCode(made.data() + off + i * slot, slot);
    uint64_t want = readCode(run.expected.data() + i * slot, slot);
    if (isRight(type, got, want, run.freedom[i]))
      continue;
    size_t inputSlot = getSlotSize(one.getInputType());
    if (++wrong < 4)
      fail(one,
           llvm::formatv("run {0}, element {1}: {2:x} gives {3:x}, "
                         "expected {4:x}",
                         number, i,
                         readCode(run.input.data() + i * inputSlot, inputSlot),
                         got, want)
               .str());
  }
  return wrong == 0 ||
         fail(one, Twine(wrong) + " of " + Twine(count) + " elements differ");
}

FailureOr<size_t> test::runCases(ArrayRef<QuantizeCase> cases,
                                 const CompileOptions &options,
                                 size_t batchSize, MLIRContext &context) {
  size_t failures = 0;
  auto run = [&](ModuleOp module, ArrayRef<QuantizeCase> batch,
                 size_t) -> LogicalResult {
    FailureOr<std::unique_ptr<JitModule>> jit = load(module, options);
    if (failed(jit))
      return failure();
    for (const QuantizeCase &one : batch) {
      JitModule::EntryFunction entry = findEntry(**jit, one.getName());
      if (!entry)
        return failure();
      bool isGood = true;
      for (size_t i = 0; isGood && i < one.layout->runs.size(); ++i)
        isGood = runOnce(one, entry, i);
      failures += !isGood;
    }
    return success();
  };
  if (failed(forEachBatch(cases, batchSize, context, run)))
    return failure();
  return failures;
}

bool test::hasLoopToCheck(const QuantizeCase &one) {
  static const StringRef layouts[] = {"rows", "tensor", "columns", "channels",
                                      "blocks32"};
  return llvm::is_contained(layouts, one.layout->name);
}

FailureOr<size_t> test::checkLoops(ArrayRef<QuantizeCase> cases,
                                   const CompileOptions &options,
                                   size_t batchSize, MLIRContext &context) {
  size_t failures = 0;
  auto check = [&](ModuleOp module, ArrayRef<QuantizeCase> batch,
                   size_t) -> LogicalResult {
    SmallString<0> text;
    llvm::raw_svector_ostream os(text);
    if (failed(compileTo(module, EmitKind::Assembly, options, "quantizations",
                         os)))
      return failure();
    for (const QuantizeCase &one : batch) {
      StringRef layout = one.layout->name;
      LoopRules rules;
      // A round prepares the scales of its blocks.
      rules.mayPrepare = layout == "blocks32";
      rules.mayDivide =
          rules.mayPrepare || layout == "columns" || one.getPrecision().isF64();
      std::string complaint = judgeMainLoop(text, one.getName(), rules);
      if (!complaint.empty())
        failures += !fail(one, complaint);
    }
    return success();
  };
  if (failed(forEachBatch(cases, batchSize, context, check)))
    return failure();
  return failures;
}

//===----------------------------------------------------------------------===//
// For another processor
//===----------------------------------------------------------------------===//

/// One line: CALL(name, {inputs}, output), where a tensor is its type, the size
/// of an element, the rank, the sizes and where its elements are; and where it
/// says what is free.
static void printCall(llvm::raw_ostream &os, llvm::raw_fd_ostream &data,
                      const QuantizeCase &one, const QuantizeRun &run) {
  auto tensor = [&](ArrayRef<char> bytes, ArrayRef<int64_t> sizes, Type type) {
    std::string text = llvm::formatv(
        "({0}, {1}, {2}, ({3}), {4}, {5})", *getOnnxDataType(type),
        getSlotSize(type), sizes.size(),
        sizes.empty() ? "1"
                      : llvm::join(llvm::map_range(sizes,
                                                   [](int64_t size) {
                                                     return Twine(size).str();
                                                   }),
                                   ", "),
        bytes.size(), data.tell());
    data.write(bytes.data(), bytes.size());
    return text;
  };
  os << "CALL(" << one.getName() << ", "
     << tensor(run.input, run.sizes, one.getInputType()) << ", "
     << tensor(run.scales, run.scaleSizes, one.scale) << ", "
     << tensor(run.zeroPoints, run.scaleSizes, one.quantized) << ", "
     << tensor(run.expected, run.sizes, one.getResultType());
  os << ", " << data.tell() << ")\n";
  data.write(run.freedom.data(), run.freedom.size());
}

LogicalResult test::emitCases(ArrayRef<QuantizeCase> cases,
                              const CompileOptions &options, size_t batchSize,
                              StringRef folder, MLIRContext &context) {
  auto emit = [&](ModuleOp module, ArrayRef<QuantizeCase>, size_t number) {
    return writeFile(folder, llvm::formatv("quantizations{0}.s", number),
                     [&](llvm::raw_fd_ostream &os) {
                       return compileTo(module, EmitKind::Assembly, options,
                                        "quantizations", os);
                     });
  };
  if (failed(forEachBatch(cases, batchSize, context, emit)))
    return failure();
  std::string table;
  llvm::raw_string_ostream lines(table);
  auto writeData = [&](llvm::raw_fd_ostream &data) {
    for (const QuantizeCase &one : cases) {
      lines << "FUNCTION(" << one.getName() << ")\n";
      for (size_t i = 0; i < one.layout->runs.size(); ++i)
        printCall(lines, data, one, makeQuantizeRun(one, i));
    }
    return success();
  };
  auto writeTable = [&](llvm::raw_fd_ostream &os) {
    os << table;
    return success();
  };
  return failure(failed(writeFile(folder, "quantizations.bin", writeData)) ||
                 failed(writeFile(folder, "quantizations.inc", writeTable)));
}
