//===- TargetCpu.cpp - Target CPUs ----------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TargetInfo/TargetCpu.h"

#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/RISCVISAInfo.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <atomic>
#include <mutex>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::quant_float;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Whether pointers have 64 bits and bytes are in little-endian order. The
/// sequences of vector instructions and the entry runtime assume both.
static bool isLittleEndian64(const llvm::Triple &triple) {
  return triple.isArch64Bit() && triple.isLittleEndian() && !triple.isX32() &&
         triple.getEnvironment() != llvm::Triple::GNUILP32;
}

static llvm::Expected<const llvm::Target *> lookupTarget(StringRef triple) {
  initializeTargets();
  std::string message;
  llvm::Triple parsed(triple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(parsed, message);
  if (!target)
    return makeError("unknown target triple '" + triple + "'");
  return target;
}

/// Whether the system permits this process to use AMX tiles. Linux grants the
/// permission on request.
static bool mayUseTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr int requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

static std::string getHostFeatures() {
  llvm::SubtargetFeatures features;
  llvm::StringMap<bool> all = llvm::sys::getHostCPUFeatures();
  bool hasTiles = all.lookup("amx-tile") && mayUseTiles();
  for (const auto &[name, isOn] : all)
    features.AddFeature(name, isOn && (hasTiles || !name.starts_with("amx-")));
  return features.getString();
}

/// Returns the CPU whose features all machines of the architecture have.
static std::string getBaselineCpu(const llvm::Triple &triple) {
  return triple.isX86()       ? "x86-64"
         : triple.isRISCV64() ? "generic-rv64"
                              : "generic";
}

static bool isKnownCpu(StringRef triple, StringRef cpu) {
  std::string message;
  llvm::Triple parsed(triple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(parsed, message);
  // Created without a CPU, because LLVM prints a warning for unknown CPUs.
  std::unique_ptr<llvm::MCSubtargetInfo> baseline(
      target ? target->createMCSubtargetInfo(parsed, "", "") : nullptr);
  return baseline && baseline->isCPUStringValid(cpu);
}

/// Returns the triple of the host, or that of another architecture if only that
/// one has the CPU.
static std::string getDefaultTriple(StringRef cpu) {
  std::string host = llvm::sys::getDefaultTargetTriple();
  if (cpu.empty() || cpu == "host" || isKnownCpu(host, cpu))
    return host;
  if (cpu.starts_with("apple-"))
    return "arm64-apple-macosx";
  if (cpu.starts_with("rv64"))
    return "riscv64-unknown-linux-gnu";
  for (StringRef other :
       {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu",
        "riscv64-unknown-linux-gnu"})
    if (isKnownCpu(other, cpu))
      return other.str();
  return host;
}

// Code must not use features that it cannot check: a machine without them would
// raise an illegal instruction instead of an error.
ArrayRef<StringRef>
quant_float::getVerifiableFeatures(const llvm::Triple &triple) {
  static const StringRef x86[] = {
#define QF_CPU_FEATURE(name, source, bit, state) name,
#include "X86Features.def"
  };
  static const StringRef aarch64[] = {
#define QF_CPU_FEATURE(name, word, bit) name,
#include "AArch64Features.def"
  };
  static const StringRef riscv[] = {
#define QF_CPU_FEATURE(name, word, bit) name,
#include "RISCVFeatures.def"
  };
  // The runtime only requests AMX tiles from Linux.
  constexpr size_t tiles = 0
#define QF_CPU_FEATURE(name, source, bit, state) +(#state[0] == 'T')
#include "X86Features.def"
      ;
  if (triple.isX86())
    return triple.isOSLinux() ? ArrayRef(x86) : ArrayRef(x86).drop_back(tiles);
  return triple.isAArch64() ? ArrayRef(aarch64) : ArrayRef(riscv);
}

/// Whether a feature adds instructions. Most other features are tuning flags.
static bool isOfInstructions(const llvm::Triple &triple, StringRef feature) {
  static const llvm::StringSet<> x86 = {
#define X86_FEATURE(id, name) name,
#include "llvm/TargetParser/X86TargetParser.def"
  };
  if (triple.isX86())
    return x86.contains(feature);
  if (triple.isRISCV64())
    return llvm::RISCVISAInfo::isSupportedExtensionFeature(feature);
  return llvm::AArch64::targetFeatureToExtension(("+" + feature).str())
      .has_value();
}

/// Returns the features of `subtarget` that are neither in the baseline nor can
/// be checked at run time, disabled: "-a,-b".
static std::string
getUnverifiableFeatures(const llvm::Target &target, const llvm::Triple &triple,
                        const llvm::MCSubtargetInfo &subtarget) {
  llvm::SubtargetFeatures verifiable;
  for (StringRef feature : getVerifiableFeatures(triple))
    verifiable.AddFeature(feature);
  // Includes all features that these imply.
  std::unique_ptr<llvm::MCSubtargetInfo> known(target.createMCSubtargetInfo(
      triple, getBaselineCpu(triple), verifiable.getString()));
  llvm::SubtargetFeatures result;
  for (const auto &feature : subtarget.getEnabledProcessorFeatures()) {
    StringRef name = getFeatureName(feature);
    if (isOfInstructions(triple, name) &&
        !known->checkFeatures(("+" + name).str()))
      result.AddFeature(name, /*Enable=*/false);
  }
  return result.getString();
}

llvm::Expected<TargetCpu> TargetCpu::get(StringRef triple, StringRef cpu,
                                         StringRef features) {
  // LLVM takes longer to look up a CPU than to compile a small model. The list
  // only grows, so it needs no lock, which a fork could leave locked forever.
  struct CachedCpu {
    std::string key;
    TargetCpu cpu;
    CachedCpu *next;
  };
  static std::atomic<CachedCpu *> first = nullptr;
  std::string key = llvm::join_items('|', triple, cpu, features);
  for (const CachedCpu *entry = first; entry; entry = entry->next)
    if (entry->key == key)
      return entry->cpu;
  llvm::Expected<TargetCpu> result = lookup(triple, cpu, features);
  if (!result)
    return result;
  auto add = [](std::string key, TargetCpu cpu) {
    auto *entry = new CachedCpu{std::move(key), std::move(cpu), first};
    while (!first.compare_exchange_weak(entry->next, entry))
      ;
  };
  add(std::move(key), *result);
  // Passes get the resolved names as options.
  TargetCpu resolved = *result;
  resolved.name = resolved.cpu;
  add(llvm::join_items('|', resolved.triple, resolved.cpu, resolved.features),
      std::move(resolved));
  return result;
}

llvm::Expected<TargetCpu> TargetCpu::lookup(StringRef triple, StringRef cpu,
                                            StringRef features) {
  initializeTargets();
  TargetCpu result;
  result.triple =
      triple.empty() ? getDefaultTriple(cpu) : llvm::Triple::normalize(triple);
  llvm::Expected<const llvm::Target *> target = lookupTarget(result.triple);
  if (!target)
    return target.takeError();

  llvm::Triple parsed(result.triple);
  if (!parsed.isX86() && !parsed.isAArch64() && !parsed.isRISCV64())
    return makeError(
        "expected an x86-64, aarch64 or riscv64 triple, but got '" +
        result.triple + "'");
  if (!isLittleEndian64(parsed))
    return makeError("expected a little-endian triple with 64-bit pointers, "
                     "but got '" +
                     result.triple + "'");
  if (cpu == "host") {
    llvm::Triple host(llvm::sys::getProcessTriple());
    if (host.getArch() != parsed.getArch())
      return makeError("cpu 'host' does not match the triple '" +
                       result.triple + "'");
    result.cpu = llvm::sys::getHostCPUName();
    result.features = getHostFeatures();
  } else {
    result.cpu = cpu.empty() ? getBaselineCpu(parsed) : cpu.str();
    if (parsed.isRISCV64())
      result.features = "+m,+a,+f,+d,+c";
    // A RISC-V CPU may be a set of extensions, "rv64gcv", which may include
    // experimental ones.
    if (parsed.isRISCV64() && cpu.starts_with("rv64")) {
      auto isa = llvm::RISCVISAInfo::parseArchString(
          cpu, /*EnableExperimentalExtension=*/true,
          /*ExperimentalExtensionVersionCheck=*/false);
      if (!isa)
        return makeError("unknown cpu '" + cpu +
                         "': " + llvm::toString(isa.takeError()));
      result.cpu = getBaselineCpu(parsed);
      result.features += "," + llvm::join((*isa)->toFeatures(), ",");
    }
  }

  if (!features.empty())
    result.features = features;

  if (!isKnownCpu(result.triple, result.cpu))
    return makeError("unknown cpu '" + result.cpu + "' for the triple '" +
                     result.triple + "'");
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      (*target)->createMCSubtargetInfo(parsed, result.cpu, result.features));
  std::string unverifiable =
      getUnverifiableFeatures(**target, parsed, *subtarget);
  if (!unverifiable.empty()) {
    result.features += (result.features.empty() ? "" : ",") + unverifiable;
    subtarget.reset(
        (*target)->createMCSubtargetInfo(parsed, result.cpu, result.features));
  }
  result.name = cpu.empty() ? result.cpu : cpu.str();
  result.subtarget = std::move(subtarget);
  // LLVM aborts on CPUs without 64-bit mode.
  if (!parsed.isAArch64() && !result.has("64bit"))
    return makeError("cpu '" + result.cpu + "' has no 64-bit mode");
  return result;
}

llvm::Expected<std::vector<TargetCpu>> TargetCpu::getLevels(StringRef triple,
                                                            StringRef cpus) {
  SmallVector<StringRef> names;
  cpus.split(names, ',');
  std::vector<TargetCpu> levels;
  for (StringRef name : names) {
    if (name.empty() && names.size() > 1)
      return makeError("expected CPU names separated by commas, but got '" +
                       cpus + "'");
    llvm::Expected<TargetCpu> cpu = get(triple, name);
    if (!cpu)
      return cpu.takeError();
    if (!levels.empty() && cpu->triple != levels.front().triple)
      return makeError("expected CPUs of the same triple, but '" +
                       levels.front().name + "' is of '" +
                       levels.front().triple + "' and '" + name + "' of '" +
                       cpu->triple + "'");
    levels.push_back(std::move(*cpu));
  }
  // No set precedes a superset of it.
  auto getRank = [](const TargetCpu &cpu) {
    uint64_t required = cpu.getRequiredFeatures();
    return std::tuple(llvm::popcount(required), required, cpu.name);
  };
  llvm::sort(levels, [&](const TargetCpu &left, const TargetCpu &right) {
    return getRank(left) > getRank(right);
  });
  for (const auto &[more, less] : llvm::zip(levels, llvm::drop_begin(levels)))
    if (more.getRequiredFeatures() == less.getRequiredFeatures())
      return makeError("expected CPUs with different features, but "
                       "'" +
                       more.name + "' and '" + less.name +
                       "' require the same features");
  return levels;
}

uint64_t TargetCpu::getRequiredFeatures() const {
  // On AArch64 and RISC-V only Linux reports features; CPUID works on all
  // systems.
  llvm::Triple parsed(triple);
  if (!parsed.isX86() && !parsed.isOSLinux())
    return 0;
  uint64_t required = 0;
  for (auto [bit, feature] : llvm::enumerate(getVerifiableFeatures(parsed)))
    required |= uint64_t(has(feature)) << bit;
  return required;
}

bool TargetCpu::has(StringRef feature) const {
  return subtarget && subtarget->checkFeatures(("+" + feature).str());
}

std::string TargetCpu::getMissing(StringRef features) const {
  SmallVector<StringRef> names;
  features.split(names, ',');
  llvm::erase_if(names, [&](StringRef name) { return has(name); });
  return names.empty() ? std::string() : "needs " + llvm::join(names, " and ");
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
TargetCpu::createMachine(unsigned optLevel) const {
  llvm::Expected<const llvm::Target *> target = lookupTarget(triple);
  if (!target)
    return target.takeError();
  llvm::TargetOptions options;
  // Constructors load kernels, and current loaders ignore .ctors.
  options.UseInitArray = true;
  std::optional<llvm::CodeGenOptLevel> level =
      llvm::CodeGenOpt::getLevel(optLevel);
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      llvm::Triple(triple), cpu, features, options, llvm::Reloc::PIC_,
      std::nullopt, level.value_or(llvm::CodeGenOptLevel::Default)));
  if (!machine)
    return makeError("no code generator for the triple '" + triple + "'");
  return machine;
}
