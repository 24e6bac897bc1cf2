//===- ProcessRuntime.cpp - The entry runtime of this process -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source that linkEntryRuntime has as bitcode, compiled for this machine:
// thousands of instructions that need not be optimized anew for every kernel.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Table.h"
#include "quant-float/EntryPoint/Link.h"

extern "C" {
// What is compiled in the process has been checked by then. Of the runtime as
// well.
extern const uint64_t __qf_required_cpu_features[QF_CPU_FEATURE_WORDS];
const uint64_t __qf_required_cpu_features[QF_CPU_FEATURE_WORDS] = {};
void __qf_run_entry_point();
void __qf_compute_output_sizes();
const char *__qf_find_missing_cpu_feature(uint64_t required);
}

llvm::StringRef
mlir::quant_float::findMissingProcessFeature(uint64_t required) {
  const char *missing =
      required ? __qf_find_missing_cpu_feature(required) : nullptr;
  return missing ? missing : llvm::StringRef();
}

llvm::ArrayRef<mlir::quant_float::EntryRuntimeFunction>
mlir::quant_float::getProcessEntryRuntime() {
  static const EntryRuntimeFunction functions[] = {
      {"__qf_run_entry_point", reinterpret_cast<void *>(&__qf_run_entry_point)},
      {"__qf_compute_output_sizes",
       reinterpret_cast<void *>(&__qf_compute_output_sizes)}};
  return functions;
}
