//===- quant-float-round-trip.cpp - Dequantize and quantize ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dequantizes every 8-bit value and quantizes it again with the same scale, in
// compiled encoding. With f32 and f16 scales no value may change. With bf16
// some values change, which shows that the program detects changes. Without
// overflow, the result only depends on the mantissa of the scale, so the
// program tries mantissas, for f32 at three exponents.
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/Driver/Driver.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/InitAll.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kEncodings = 256;
/// The number of scales of one call; outputs stay in the cache.
static constexpr int64_t kRows = 256;

/// {0} is the quantized type, {1} that of the scale.
static constexpr StringLiteral kFunction = R"mlir(
func.func @round_trip_{0}_{1}(%q: tensor<?x256x{0}>, %s: tensor<?x{1}>, %z: tensor<?x{0}>) -> tensor<?x256x{0}> {{
  %x = quant_float.dequantize %q, %s, %z axis 0 opset 21
      : tensor<?x256x{0}>, tensor<?x{1}>, tensor<?x{0}> to tensor<?x256x{1}>
  %y = quant_float.quantize %x, %s, %z axis 0 opset 21
      : tensor<?x256x{1}>, tensor<?x{1}>, tensor<?x{0}> to tensor<?x256x{0}>
  return %y : tensor<?x256x{0}>
}
)mlir";

namespace {
struct Run {
  StringRef type, scaleType;
  /// Quantized values minus the zero point are 0 to 255, their negatives, or
  /// -128 to 127.
  uint8_t zeroPoint;
  /// The exponent field of the scales.
  uint32_t exponent;
  StringRef exponentName;
  /// The known number of values that change, over all mantissas.
  uint64_t lost = 0;

  std::string getName() const {
    return ("round_trip_" + type + "_" + scaleType).str();
  }
};
} // namespace

static constexpr Run kRuns[] = {
    {"i8", "f32", 0, 127, "ordinary"},
    {"i8", "f32", 0x80, 127, "ordinary"},
    {"ui8", "f32", 0, 127, "ordinary"},
    {"ui8", "f32", 0xFF, 127, "ordinary"},
    {"i8", "f32", 0, 0, "subnormal"},
    {"ui8", "f32", 0, 245, "large"},
    {"ui8", "f16", 0, 15, "ordinary"},
    {"i8", "f16", 0, 15, "ordinary"},
    {"ui8", "bf16", 0, 127, "ordinary", 2338},
    {"i8", "bf16", 0, 127, "ordinary", 927},
};

/// Counts the values that change with every `stride`-th mantissa. Prints at
/// most `shown` of them.
static llvm::Expected<uint64_t> countLost(const Run &run, uint32_t stride,
                                          unsigned shown, MLIRContext &context,
                                          JitModule::EntryFunction entry) {
  Type type = parseType(run.type, &context);
  auto scaleType = cast<FloatType>(parseType(run.scaleType, &context));
  uint32_t mantissaBits = scaleType.getFPMantissaWidth() - 1;
  size_t scaleBytes = scaleType.getWidth() / 8;
  std::vector<uint8_t> encodings(kRows * kEncodings), back(kRows * kEncodings);
  for (auto [index, encoding] : llvm::enumerate(encodings))
    encoding = uint8_t(index);
  std::vector<uint8_t> zeroPoints(kRows, run.zeroPoint);
  std::vector<uint32_t> scales(kRows);
  std::vector<char> scaleSlots(kRows * scaleBytes);

  uint64_t lost = 0;
  // A subnormal scale with mantissa 0 is zero.
  uint32_t mantissa = run.exponent == 0 ? stride : 0;
  while (mantissa >> mantissaBits == 0) {
    int64_t rows = 0;
    for (; rows < kRows && mantissa >> mantissaBits == 0; mantissa += stride) {
      scales[rows] = run.exponent << mantissaBits | mantissa;
      // Scales are little-endian.
      memcpy(&scaleSlots[rows * scaleBytes], &scales[rows], scaleBytes);
      ++rows;
    }
    int64_t sizes[] = {rows, kEncodings};
    qf_tensor inputs[] = {
        {encodings.data(), sizes, 2, *getOnnxDataType(type)},
        {scaleSlots.data(), sizes, 1, *getOnnxDataType(scaleType)},
        {zeroPoints.data(), sizes, 1, *getOnnxDataType(type)}};
    qf_tensor output = {back.data(), sizes, 2, *getOnnxDataType(type)};
    char message[256];
    if (entry(inputs, &output, message, sizeof message))
      return llvm::createStringError(message);
    if (memcmp(back.data(), encodings.data(), rows * kEncodings) == 0)
      continue;
    for (int64_t i = 0; i < rows * kEncodings; ++i)
      if (back[i] != encodings[i] && lost++ < shown)
        llvm::outs() << llvm::formatv(
            "{0}, scale {1} {2:x}, zero point {3:x}: {4:x} comes back as "
            "{5:x}\n",
            run.type, run.scaleType, scales[i / kEncodings], run.zeroPoint,
            encodings[i], back[i]);
  }
  return lost;
}

static OwningOpRef<ModuleOp> makeModule(MLIRContext &context) {
  llvm::StringMap<std::string> functions;
  for (const Run &run : kRuns)
    functions[run.getName()] =
        llvm::formatv(kFunction.data(), run.type, run.scaleType).str();
  std::string text;
  for (const auto &function : functions)
    text += function.second;
  return parseSourceString<ModuleOp>(text, &context);
}

static llvm::Error runAll(StringRef cpu, uint32_t stride,
                          llvm::json::Array &results, unsigned &wrong) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = makeModule(context);
  CompileOptions options;
  options.cpu = cpu.str();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  FailureOr<CpuLevel> compiled = failure();
  if (module)
    compiled = compileToLLVM(*module, options, *llvmContext);
  if (failed(compiled))
    return llvm::createStringError("the functions do not compile");
  llvm::Expected<std::unique_ptr<JitModule>> jit =
      JitModule::create(std::move(compiled->module), std::move(llvmContext),
                        std::move(compiled->machine));
  if (!jit)
    return jit.takeError();

  for (const Run &run : kRuns) {
    llvm::Expected<JitModule::EntryFunction> entry =
        (*jit)->getEntry(run.getName());
    if (!entry)
      return entry.takeError();
    // For 16-bit types, try all mantissas.
    uint32_t step = run.scaleType == "f32" ? stride : 1;
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<uint64_t> lost =
        countLost(run, step, run.lost == 0 ? 8 : 0, context, *entry);
    if (!lost)
      return lost.takeError();
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    wrong += *lost != run.lost;
    results.push_back(llvm::json::Object{
        {"codes", run.type},
        {"scales", run.scaleType},
        {"zero_point", run.zeroPoint},
        {"exponent", run.exponentName},
        {"every_mantissa", step == 1},
        {"codes_that_do_not_come_back", int64_t(*lost)},
        {"codes_known_not_to_come_back", int64_t(run.lost)},
        {"seconds", llvm::formatv("{0:f1}", seconds.count()).str()}});
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  uint32_t stride = 0;
  if ((argc != 3 && argc != 4) || StringRef(argv[2]).getAsInteger(10, stride) ||
      stride == 0) {
    llvm::errs() << "usage: quant-float-round-trip CPU STRIDE [OUTPUT.json]\n"
                    "tries every STRIDE-th mantissa\n";
    return 2;
  }
  llvm::json::Array results;
  unsigned wrong = 0;
  if (llvm::Error error = runAll(argv[1], stride, results, wrong)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  llvm::outs() << results.size() << " round trips of all encodings with every "
               << stride << ". mantissa for " << argv[1] << ": " << wrong
               << " wrong\n";
  if (argc == 4) {
    std::error_code error;
    llvm::raw_fd_ostream file(argv[3], error);
    if (error) {
      llvm::errs() << argv[3] << ": error: " << error.message() << "\n";
      return 1;
    }
    file << llvm::formatv(
        "{0:2}\n",
        llvm::json::Value(llvm::json::Object{
            {"test", "8-bit encodings dequantized and quantized with the same "
                     "scale, compiled encoding"},
            {"compiled_for", argv[1]},
            {"round_trips", std::move(results)}}));
  }
  return wrong != 0;
}
