//===- CheckLoops.cpp - Inspection of assembly ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts must not use a scalar loop, libm or the compiler's runtime. The main
// loop of a function is the innermost loop that advances by a vector of
// elements. The remainder loop may be scalar.
//
//===----------------------------------------------------------------------===//

#include "CastActions.h"
#include "Loops.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// A loop with a smaller step is not a vector loop.
static constexpr int64_t kLeastStep = 16;

namespace {
struct Loop {
  size_t begin, end;
};

/// The instructions of a function.
struct Function {
  std::vector<StringRef> lines;
  std::vector<Loop> loops;
};
} // namespace

/// Returns the assembly from a label on; empty if the label does not exist.
static StringRef findLabel(StringRef assembly, const Twine &label) {
  size_t begin = assembly.find(("\n" + label + ":").str());
  if (begin == StringRef::npos)
    return {};
  return assembly.slice(begin, assembly.find(".Lfunc_end", begin));
}

/// Returns the function that the kernel was inlined into, or the kernel. Equal
/// functions are merged, so entry points may refer to another symbol.
static StringRef findFunction(StringRef assembly, StringRef name) {
  static const llvm::Regex address("[ \t,]([^ \t,]+)\\.invoke\\(%rip\\)");
  SmallVector<StringRef, 2> parts;
  if (address.match(findLabel(assembly, name), &parts))
    name = parts[1];
  for (StringRef part : {".invoke", ".kernel"}) {
    StringRef found = findLabel(assembly, name + part);
    if (!found.empty())
      return found;
  }
  return {};
}

/// Returns whether the instructions from `begin` on reach the last one before
/// `end` without leaving the range. If not, the jump at the end leaves a loop
/// for a block that precedes it in the assembly.
static bool reachesEnd(const Function &function,
                       const llvm::StringMap<size_t> &labels, size_t begin,
                       size_t end) {
  std::vector<bool> seen(end - begin);
  SmallVector<size_t> next = {begin};
  while (!next.empty()) {
    size_t index = next.pop_back_val();
    if (index < begin || index >= end || seen[index - begin])
      continue;
    seen[index - begin] = true;
    auto [mnemonic, target] = function.lines[index].split('\t');
    auto label = labels.find(target.trim());
    if (mnemonic.starts_with("j") && label != labels.end())
      next.push_back(label->second);
    if (mnemonic != "jmp" && !mnemonic.starts_with("ret"))
      next.push_back(index + 1);
  }
  return seen.back();
}

static Function parseFunction(StringRef text) {
  Function function;
  llvm::StringMap<size_t> labels;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split('#').first.trim();
    if (line.ends_with(":"))
      labels[line.drop_back()] = function.lines.size();
    else if (!line.empty() && !line.starts_with("."))
      function.lines.push_back(line);
  }
  for (auto [index, line] : llvm::enumerate(function.lines)) {
    auto [mnemonic, target] = line.split('\t');
    auto label = labels.find(target.trim());
    if (mnemonic.starts_with("j") && label != labels.end() &&
        label->second <= index &&
        reachesEnd(function, labels, label->second, index + 1))
      function.loops.push_back({label->second, index + 1});
  }
  return function;
}

/// Returns the largest step of a counter of the loop. If the next value of a
/// counter is needed early, it is computed in another register by lea.
static int64_t getStep(ArrayRef<StringRef> body) {
  static const llvm::Regex advance("^(add|sub)q\t\\$(-?[0-9]+), %r[a-z0-9]+$");
  static const llvm::Regex next(
      "^(lea)q\t([0-9]+)\\(%r[a-z0-9]+\\), %r[a-z0-9]+$");
  int64_t step = 0;
  for (StringRef line : body) {
    SmallVector<StringRef, 3> parts;
    int64_t number;
    if (advance.match(line, &parts) && !parts[2].getAsInteger(10, number))
      step = std::max(step, std::abs(number));
    // Other constants are used for rounding up.
    if (next.match(line, &parts) && !parts[2].getAsInteger(10, number) &&
        number % kLeastStep == 0)
      step = std::max(step, number);
  }
  return step;
}

/// Returns whether the instruction stores a vector.
static bool storesVector(StringRef line) {
  static const llvm::Regex store(
      "^v[a-z0-9]+\t.*%[xyz]mm[0-9]+(, |,)[^,]*\\(.*\\)( \\{.*\\})?$");
  return store.match(line);
}

/// Returns whether the instruction corrects a quotient that was computed with a
/// reciprocal.
static bool correctsQuotient(StringRef line) {
  static const llvm::Regex correction("^vfnmadd[0-9]+ps\t.*%[yz]mm");
  return correction.match(line);
}

/// Returns the first innermost vector loop that contains a store and, if the
/// function corrects quotients, such a correction. A branch that divides by
/// exceptional scales can have its own loop, and an earlier loop may only
/// inspect scales.
static std::optional<Loop> findMainLoop(const Function &function) {
  std::optional<Loop> found;
  bool corrects = llvm::any_of(function.lines, correctsQuotient);
  for (Loop loop : function.loops) {
    bool isInnermost = llvm::none_of(function.loops, [&](Loop other) {
      return loop.begin <= other.begin && other.end < loop.end;
    });
    auto body =
        ArrayRef(function.lines).slice(loop.begin, loop.end - loop.begin);
    if (!isInnermost || getStep(body) < kLeastStep)
      continue;
    if (llvm::any_of(body, storesVector) &&
        (!corrects || llvm::any_of(body, correctsQuotient)))
      return loop;
    if (!found)
      found = loop;
  }
  return found;
}

/// Returns a description of the problem of a main loop; empty if there is none.
static std::string judge(ArrayRef<StringRef> body, LoopRules rules) {
  static const llvm::Regex scalar(
      // Arithmetic and conversions of single elements ...
      "^v?(add|sub|mul|div|min|max|ucomi|comi|fn?m(add|sub)[0-9]+)s[sd]\t|"
      "^v?cvtt?(s[sdih]2|[a-z]+2(s[sdih]|usi)(l|q)?\t)|"
      // ... and moves of single elements.
      "^v?pextr[bwdq]\t|^v?pinsr[bwdq]\t|^v?movs[sd]\t|^v?mov[dq]\t.*%[re]|"
      "^mov[bw]\t|^movz[bw]l\t|^movs[bw]l\t|^set[a-z]+\t|^cmov");
  static const llvm::Regex vectorDivision("^vdivp[sd]\t");
  // Indices are copied between general-purpose registers, and the addresses of
  // prefetches are loaded from the stack if there are many tensors.
  static const llvm::Regex index("^movq\t%r[a-z0-9]+, %r[a-z0-9]+$");
  static const llvm::Regex address("^movq\t[0-9]*\\(%rsp\\), %r");
  bool prefetches = llvm::any_of(
      body, [](StringRef line) { return line.starts_with("prefetch"); });
  bool stores = false, isWide = false;
  // A branch divides by scales without a usable reciprocal, which takes one
  // division per correction. AVX2 code also divides half of the other
  // quotients, so it has three divisions per correction.
  int64_t divisions = 0;
  for (StringRef line : body)
    if (correctsQuotient(line))
      divisions += line.contains("%ymm") ? 3 : 1;
  for (StringRef line : body) {
    if (line.starts_with("call"))
      return ("calls: " + line).str();
    if (index.match(line) || (prefetches && address.match(line)))
      continue;
    // Constants and spilled registers are not elements.
    if (line.starts_with("vmov") &&
        (line.contains("LCPI") || line.contains("(%rsp), ")))
      continue;
    if (!rules.mayPrepare && scalar.match(line))
      return ("works on single elements: " + line).str();
    if (line.contains("gather"))
      return ("gathers: " + line).str();
    if (vectorDivision.match(line) && !rules.mayDivide && divisions-- <= 0)
      return ("divides: " + line).str();
    stores |= storesVector(line);
    isWide |= line.contains("%ymm") || line.contains("%zmm");
  }
  if (!stores)
    return "stores no vector";
  if (!isWide)
    return "does not use the wide registers";
  return "";
}

static std::string judgeMainLoop(const Function &function, LoopRules rules) {
  std::optional<Loop> loop = findMainLoop(function);
  if (!loop)
    return "has no vector loop";
  return judge(
      ArrayRef(function.lines).slice(loop->begin, loop->end - loop->begin),
      rules);
}

std::string test::judgeMainLoop(StringRef assembly, StringRef name,
                                LoopRules rules) {
  return ::judgeMainLoop(parseFunction(findFunction(assembly, name)), rules);
}

/// Returns whether the cast is a copy or a fill. Both may call the C library,
/// whose functions are vectorized.
static bool isCopyOrFill(const CastCase &one) {
  auto from = dyn_cast<IntegerType>(one.from);
  auto to = dyn_cast<IntegerType>(one.to);
  if (one.from == one.to)
    return true;
  if (from && to)
    return (from.getWidth() >= 8 && from.getWidth() == to.getWidth()) ||
           (from.getWidth() == 1 && to.getWidth() <= 8);
  return isa<Float8E8M0FNUType>(one.from) && one.to.isInteger(1);
}

static bool callsLibrary(const Function &function) {
  return llvm::any_of(function.lines, [](StringRef line) {
    return line.contains("memcpy") || line.contains("memset");
  });
}

FailureOr<size_t> test::checkLoops(ArrayRef<CastCase> cases,
                                   const Settings &settings,
                                   MLIRContext &context) {
  size_t failures = 0;
  while (!cases.empty()) {
    ArrayRef<CastCase> batch = cases.take_front(settings.batchSize);
    cases = cases.drop_front(batch.size());
    OwningOpRef<ModuleOp> module = makeModule(batch, context);
    SmallString<0> text;
    llvm::raw_svector_ostream os(text);
    if (!module || failed(compileTo(*module, EmitKind::Assembly,
                                    settings.compile, "casts", os)))
      return failure();
    for (const CastCase &one : batch) {
      Function function = parseFunction(findFunction(text, one.getName()));
      if (isCopyOrFill(one) && callsLibrary(function))
        continue;
      std::string complaint = ::judgeMainLoop(function, {});
      if (complaint.empty())
        continue;
      ++failures;
      llvm::outs() << one.getName() << ": " << complaint << "\n";
    }
  }
  return failures;
}
