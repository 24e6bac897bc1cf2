//===- ExternalData.cpp - External data of tensors ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
/// The key-value pairs that the standard defines. Other keys are ignored,
/// because writers add private ones.
struct Reference {
  std::optional<StringRef> location, offset, length, checksum;
};
} // namespace

static FailureOr<Reference> parseKeys(const ::onnx::TensorProto &tensor,
                                      const Subject &subject) {
  Reference reference;
  for (const auto &entry : tensor.external_data()) {
    StringRef key = entry.key();
    std::optional<StringRef> *slot = key == "location"   ? &reference.location
                                     : key == "offset"   ? &reference.offset
                                     : key == "length"   ? &reference.length
                                     : key == "checksum" ? &reference.checksum
                                                         : nullptr;
    if (!slot)
      continue;
    if (*slot)
      return diagnose(subject, Diag::ExternalKeyTwice, key);
    *slot = entry.value();
  }
  if (!reference.location || reference.location->empty())
    return diagnose(subject, Diag::NoExternalLocation);
  return reference;
}

static LogicalResult parseNumber(StringRef key,
                                 std::optional<StringRef> spelling,
                                 uint64_t &value, const Subject &subject) {
  if (!spelling)
    return success();
  if (spelling->empty() || !llvm::all_of(*spelling, llvm::isDigit) ||
      spelling->getAsInteger(10, value))
    return diagnose(subject, Diag::ExternalNumber, key, printable(*spelling));
  return success();
}

FailureOr<std::shared_ptr<llvm::MemoryBuffer>>
ExternalData::open(StringRef location, const Subject &subject) {
  if (folder.empty())
    return diagnose(subject, Diag::NoFolder);
  std::string shown = printable(location);
  // The operating system ends a path at a NUL, so it would not open the path
  // that is checked here.
  bool inside = !location.contains('\0') && !path::is_absolute(location) &&
                llvm::none_of(llvm::make_range(path::begin(location),
                                               path::end(location)),
                              [](StringRef part) { return part == ".."; });
  if (!inside)
    return diagnose(subject, Diag::ExternalPath, shown);

  auto [cached, isNew] = files.try_emplace(location);
  if (!isNew && cached->second)
    return cached->second;

  SmallString<256> fullPath(folder), realFolder, realPath;
  path::append(fullPath, location);
  // Opening a named pipe blocks until it has a writer, so check the file type
  // before opening.
  fs::file_status status;
  std::error_code error = fs::status(fullPath, status);
  if (!error)
    error = fs::real_path(folder, realFolder);
  if (error)
    return diagnose(subject, Diag::ExternalOpen, shown, error.message());
  if (!fs::is_regular_file(status))
    return diagnose(subject, Diag::ExternalNotFile, shown);

  // If the path is a symbolic link, check the path of the file that was opened.
  llvm::Expected<fs::file_t> file =
      fs::openNativeFileForRead(fullPath, fs::OF_None, &realPath);
  if (!file)
    return diagnose(subject, Diag::ExternalOpen, shown,
                    llvm::toString(file.takeError()));
  llvm::scope_exit close([&] { (void)fs::closeFile(*file); });
  if (!realFolder.ends_with("/"))
    realFolder += '/';
  if (!realPath.starts_with(realFolder))
    return diagnose(subject, Diag::ExternalEscape, shown);
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      *file, fullPath, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return diagnose(subject, Diag::ExternalOpen, shown,
                    buffer.getError().message());
  if (onFile)
    onFile(location);
  if (StringRef content = (*buffer)->getBuffer();
      onMapped && isMapped(**buffer))
    onMapped(ArrayRef(content.data(), content.size()));
  return cached->second = std::move(*buffer);
}

FailureOr<SharedBytes> ExternalData::read(const ::onnx::TensorProto &tensor,
                                          const Subject &subject) {
  FailureOr<Reference> reference = parseKeys(tensor, subject);
  if (failed(reference))
    return failure();
  uint64_t offset = 0, length = 0;
  if (failed(parseNumber("offset", reference->offset, offset, subject)) ||
      failed(parseNumber("length", reference->length, length, subject)))
    return failure();

  StringRef location = *reference->location;
  FailureOr<std::shared_ptr<llvm::MemoryBuffer>> file = open(location, subject);
  if (failed(file))
    return failure();
  StringRef content = (*file)->getBuffer();
  // Without a length, the payload ends at the end of the file.
  if (!reference->length && offset <= content.size())
    length = content.size() - offset;
  if (offset > content.size() || length > content.size() - offset)
    return diagnose(subject, Diag::ExternalBounds, offset,
                    llvm::SaturatingAdd(offset, length), printable(location),
                    content.size());

  if (reference->checksum) {
    // The checksum is that of the entire file. Tensors can share a file, so the
    // digest is cached.
    std::string &digest = digests[location];
    if (digest.empty())
      digest = llvm::toHex(
          llvm::SHA1::hash(llvm::arrayRefFromStringRef(content)), true);
    if (!reference->checksum->equals_insensitive(digest))
      return diagnose(subject, Diag::ExternalChecksum, printable(location),
                      printable(*reference->checksum), digest);
  }
  StringRef part = content.substr(offset, length);
  return SharedBytes{ArrayRef(part.data(), part.size()), *file,
                     isMapped(**file)};
}
