//===- CompiledLibrary.cpp - Compiled libraries ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/CompiledLibrary.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::quant_float;

static bool isComplete(const qf_argument &argument) {
  if (!argument.name || argument.rank < 0 || (argument.rank && !argument.sizes))
    return false;
  return llvm::all_of(llvm::ArrayRef(argument.sizes, size_t(argument.rank)),
                      [](int64_t size) { return size >= -1; });
}

static bool isComplete(const qf_argument *arguments, int32_t count) {
  return count >= 0 && (arguments || !count) &&
         llvm::all_of(llvm::ArrayRef(arguments, size_t(count)),
                      [](const qf_argument &each) { return isComplete(each); });
}

static bool isComplete(const qf_entry &entry) {
  return entry.symbol && entry.graph_name && entry.run && entry.output_sizes &&
         isComplete(entry.inputs, entry.num_inputs) &&
         isComplete(entry.outputs, entry.num_outputs);
}

/// Whether all fields that EntryPoint.h requires are valid.
static bool isComplete(const qf_library &library) {
  if (library.version < 1 || library.size < sizeof(qf_library) ||
      !library.producer || !library.target || !library.triple || !library.cpu ||
      !library.chip || library.num_entries < 0 ||
      (library.num_entries && !library.entries))
    return false;
  bool isForGpu = llvm::StringRef(library.target) == "nvvm";
  if (isForGpu && (!library.start_timing || !library.stop_timing))
    return false;
  return llvm::all_of(
      llvm::ArrayRef(library.entries, size_t(library.num_entries)),
      [](const qf_entry &entry) { return isComplete(entry); });
}

llvm::Expected<const qf_library *>
quant_float::getLibraryDescription(void *handle) {
  using Get = const qf_library *();
  auto *get = reinterpret_cast<Get *>(dlsym(handle, "qf_get_library"));
  if (!get)
    return llvm::createStringError(
        "expected a shared library of quant-float-compile, but it has no "
        "symbol qf_get_library");
  const qf_library *library = get();
  if (!library)
    return llvm::createStringError("qf_get_library returned null");
  if (library->version > QF_LIBRARY_VERSION)
    return llvm::createStringError(
        std::make_error_code(std::errc::not_supported),
        "expected a description of version " +
            llvm::Twine(uint32_t(QF_LIBRARY_VERSION)) + " or older, but got " +
            llvm::Twine(library->version) +
            ": the library is from a newer quant-float");
  if (!isComplete(*library))
    return llvm::createStringError(
        "the description of its functions is invalid");
  return library;
}
