//===- OutputFile.h - Files that are written whole or not -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs POSIX and the standard library alone, for programs without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_OUTPUTFILE_H
#define QUANT_FLOAT_SUPPORT_OUTPUTFILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <system_error>

namespace mlir::quant_float {

/// A file to be written. What is written goes aside, and takes the place of the
/// file that is there when all of it is: whatever fails before, the file stays
/// as it was and nothing else is left.
///
/// - A symbolic link stays one: the file that it leads to is replaced.
/// - A file keeps its mode and, where that is allowed, its owner; a new one has
///   the mode that the umask leaves. One that may not be written is not
///   replaced.
/// - Pipes and devices, descriptors such as /dev/stdout and /dev/fd/3, and "-"
///   for standard output are streams: what is written goes there at once.
/// - A limit on the size of files and a closed pipe are errors, not signals.
///
/// The first error stays, and everything after it fails.
class OutputFile {
public:
  explicit OutputFile(std::string path);
  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  /// Drops what has not been committed.
  ~OutputFile();

  const std::string &getPath() const { return path; }
  std::error_code getError() const { return error; }
  /// Whether nothing can be taken back, and nothing can lie beside it.
  bool isStream() const { return stream; }

  /// Appends bytes.
  bool write(std::string_view bytes);
  /// Writes over bytes that have been written; not of a stream.
  bool overwrite(std::string_view bytes, uint64_t offset);
  /// The file while it is being written, which may be read as well if it is no
  /// stream; -1 after an error.
  int getDescriptor();

  /// The name of an empty file for another program to write, or to replace; ""
  /// after an error. Not to be mixed with write().
  const std::string &getName();

  /// Does all but putting the file in its place, and keeps no descriptor of it,
  /// for those who write many before they commit one. Until then a file has a
  /// name, which a program that is killed leaves.
  bool finish();

  /// Puts the file in its place.
  bool commit() { return !commitAll(this, 1); }

  /// Puts all files in their places, or none of them. Returns one that could
  /// not be written, null if there is none.
  static OutputFile *commitAll(OutputFile *files, size_t count);

private:
  bool fail(int code);
  bool open(bool isNamed);
  bool nameAside(const std::string &folder);
  bool copyAside();
  bool replace(bool keepsOld);
  void undo();

  std::string path;
  std::error_code error;
  /// Where the links end.
  std::string target;
  /// What is being written, and what the target was, until both are settled.
  std::string aside, old;
  int descriptor = -1;
  bool stream = false, exists = false, finished = false, replaced = false;
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_OUTPUTFILE_H
