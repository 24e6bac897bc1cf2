//===- haswell.cpp - LLVM's answers on a machine with AVX2 alone ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preloaded before libLLVM.so into a program of this project, so that "host" is
// an Intel Haswell: AVX2, no AVX-512.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <dlfcn.h>

using namespace llvm;

StringRef sys::getHostCPUName() { return "haswell"; }

StringMap<bool> sys::getHostCPUFeatures() {
  // The features of a Haswell, of all those that LLVM detects.
  auto *real = reinterpret_cast<StringMap<bool> (*)()>(
      dlsym(RTLD_NEXT, "_ZN4llvm3sys18getHostCPUFeaturesEv"));
  StringMap<bool> features = real ? real() : StringMap<bool>();
  for (auto &feature : features)
    feature.second = false;
  // The CPU's name implies these.
  SmallVector<StringRef> has = {"64bit", "sse2"};
  X86::getFeaturesForCPU("haswell", has, /*NeedPlus=*/false);
  for (StringRef feature : has)
    features[feature] = true;
  return features;
}
