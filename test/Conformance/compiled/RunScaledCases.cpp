//===- RunScaledCases.cpp - Comparison with the Reference -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastCases.h"
#include "Programs.h"
#include "ScaledCases.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// The number of guard bytes after an output, and their value.
static constexpr size_t kGuard = 64;
static constexpr char kUntouched = char(0xEE);

/// Applies `action` to modules of up to `batchSize` cases.
static LogicalResult forEachBatch(
    ArrayRef<ScaledCase> cases, size_t batchSize, MLIRContext &context,
    llvm::function_ref<LogicalResult(ModuleOp, ArrayRef<ScaledCase>, size_t)>
        action) {
  for (size_t number = 0; !cases.empty(); ++number) {
    ArrayRef<ScaledCase> batch = cases.take_front(batchSize);
    cases = cases.drop_front(batch.size());
    std::string text;
    for (const ScaledCase &one : batch)
      text += one.text;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module || failed(action(*module, batch, number)))
      return failure();
  }
  return success();
}

static bool fail(const ScaledCase &one, const Twine &message) {
  llvm::outs() << one.name << ": " << message << "\n";
  return false;
}

static uint64_t readEncoding(ArrayRef<char> bytes, size_t index, size_t size) {
  uint64_t encoding = 0;
  std::copy_n(bytes.data() + index * size, size,
              reinterpret_cast<char *>(&encoding));
  return encoding;
}

static llvm::APInt getBits(Type type, uint64_t encoding) {
  unsigned width = type.getIntOrFloatBitWidth();
  return llvm::APInt(64, encoding).trunc(width);
}

bool test::isNaNEncoding(Type type, uint64_t encoding) {
  auto number = dyn_cast<FloatType>(type);
  return number &&
         llvm::APFloat(number.getFloatSemantics(), getBits(type, encoding))
             .isNaN();
}

bool test::isZeroEncoding(Type type, uint64_t encoding) {
  auto number = dyn_cast<FloatType>(type);
  llvm::APInt bits = getBits(type, encoding);
  return number ? llvm::APFloat(number.getFloatSemantics(), bits).isZero()
                : bits.isZero();
}

static bool isRight(Type type, uint64_t got, uint64_t want, char freedom) {
  return got == want || (freedom == 1 && isNaNEncoding(type, got)) ||
         (freedom == 2 && isZeroEncoding(type, got) &&
          isZeroEncoding(type, want));
}

static bool runOnce(const ScaledCase &one, JitModule::EntryFunction entry,
                    size_t number) {
  ScaledRun run = one.makeRun(number);
  size_t count = 1;
  for (int64_t size : run.expected.sizes)
    count *= size;
  Type type = run.expected.type;
  size_t slot = getSlotSize(type);
  if (run.expected.bytes.size() != count * slot || run.freedom.size() != count)
    return fail(one, "the Reference has nothing for this");
  // Misalign all buffers.
  size_t off = 1 + number % 3;
  auto makeTensor = [&](std::vector<char> &bytes, const ScaledTensor &tensor) {
    return qf_tensor{bytes.data() + off, tensor.sizes.data(),
                     int32_t(tensor.sizes.size()),
                     *getOnnxDataType(tensor.type)};
  };
  std::vector<char> moved[3];
  qf_tensor inputs[3];
  for (auto [tensor, bytes, input] :
       llvm::zip_equal(run.operands, moved, inputs)) {
    bytes.resize(off + tensor.bytes.size());
    llvm::copy(tensor.bytes, bytes.begin() + off);
    input = makeTensor(bytes, tensor);
  }
  std::vector<char> made(off + count * slot + kGuard, kUntouched);
  qf_tensor output = makeTensor(made, run.expected);
  char message[256];
  if (entry(inputs, &output, message, sizeof message))
    return fail(one, message);
  if (llvm::any_of(ArrayRef(made).take_back(kGuard),
                   [](char byte) { return byte != kUntouched; }))
    return fail(one, "writes behind the end of " + Twine(count) + " elements");

  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t got = readEncoding(ArrayRef(made).drop_front(off), i, slot);
    uint64_t want = readEncoding(run.expected.bytes, i, slot);
    if (isRight(type, got, want, run.freedom[i]))
      continue;
    const ScaledTensor &input = run.operands[0];
    if (++wrong < 4)
      fail(one,
           llvm::formatv("run {0}, element {1}: {2:x} gives {3:x}, "
                         "expected {4:x}",
                         number, i,
                         readEncoding(input.bytes, i, getSlotSize(input.type)),
                         got, want)
               .str());
  }
  return wrong == 0 ||
         fail(one, Twine(wrong) + " of " + Twine(count) + " elements differ");
}

FailureOr<size_t> test::runCases(ArrayRef<ScaledCase> cases,
                                 const CompileOptions &options,
                                 size_t batchSize, MLIRContext &context) {
  size_t failures = 0;
  auto run = [&](ModuleOp module, ArrayRef<ScaledCase> batch,
                 size_t) -> LogicalResult {
    FailureOr<std::unique_ptr<JitModule>> jit = load(module, options);
    if (failed(jit))
      return failure();
    for (const ScaledCase &one : batch) {
      JitModule::EntryFunction entry = findEntry(**jit, one.name);
      if (!entry)
        return failure();
      bool isGood = true;
      for (size_t i = 0; isGood && i < one.runs; ++i)
        isGood = runOnce(one, entry, i);
      failures += !isGood;
    }
    return success();
  };
  if (failed(forEachBatch(cases, batchSize, context, run)))
    return failure();
  return failures;
}

FailureOr<size_t> test::checkLoops(ArrayRef<ScaledCase> cases,
                                   const CompileOptions &options,
                                   size_t batchSize, MLIRContext &context) {
  size_t failures = 0;
  auto check = [&](ModuleOp module, ArrayRef<ScaledCase> batch,
                   size_t) -> LogicalResult {
    SmallString<0> text;
    llvm::raw_svector_ostream os(text);
    if (failed(compileTo(module, EmitKind::Assembly, options, "quantizations",
                         os)))
      return failure();
    for (const ScaledCase &one : batch) {
      std::string complaint = judgeMainLoop(text, one.name, *one.rules);
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
// Other processors
//===----------------------------------------------------------------------===//

/// Prints one line CALL(name, {inputs}, output). A tensor consists of its type,
/// the size of an element, the rank, the sizes, and the position of its data.
/// The position of the freedom follows.
static void printCall(llvm::raw_ostream &os, llvm::raw_fd_ostream &data,
                      StringRef name, const ScaledRun &run) {
  auto print = [&](const ScaledTensor &tensor) {
    std::string sizes = llvm::join(
        llvm::map_range(tensor.sizes,
                        [](int64_t size) { return Twine(size).str(); }),
        ", ");
    os << llvm::formatv("({0}, {1}, {2}, ({3}), {4}, {5}), ",
                        *getOnnxDataType(tensor.type), getSlotSize(tensor.type),
                        tensor.sizes.size(), sizes.empty() ? "1" : sizes,
                        tensor.bytes.size(), data.tell());
    data.write(tensor.bytes.data(), tensor.bytes.size());
  };
  os << "CALL(" << name << ", ";
  for (const ScaledTensor &tensor : run.operands)
    print(tensor);
  print(run.expected);
  os << data.tell() << ")\n";
  data.write(run.freedom.data(), run.freedom.size());
}

LogicalResult test::emitCases(ArrayRef<ScaledCase> cases,
                              const CompileOptions &options, size_t batchSize,
                              StringRef folder, MLIRContext &context) {
  auto emit = [&](ModuleOp module, ArrayRef<ScaledCase>, size_t number) {
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
    for (const ScaledCase &one : cases) {
      lines << "FUNCTION(" << one.name << ")\n";
      for (size_t i = 0; i < one.runs; ++i)
        printCall(lines, data, one.name, one.makeRun(i));
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
