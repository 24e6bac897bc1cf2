//===- OutputFile.h - Atomic output files -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only requires POSIX and the standard library, for programs without LLVM.
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

/// An output file that is replaced atomically. Data is written to a temporary
/// file, which replaces the target when it is complete. If anything fails
/// before, the target stays unchanged and no temporary file is left.
///
/// - Symbolic links are preserved: the file that they refer to is replaced.
/// - An existing file keeps its mode and, if permitted, its owner; a new file
///   has the default mode according to the umask. A file without write
///   permission is not replaced.
/// - Pipes, devices, descriptors such as /dev/stdout and /dev/fd/3, and "-" for
///   standard output are streams, which are written directly.
/// - An exceeded file size limit and a closed pipe are errors, not signals.
///
/// The first error is kept, and all later operations fail.
class OutputFile {
public:
  explicit OutputFile(std::string path);
  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  /// Discards data that has not been committed.
  ~OutputFile();

  const std::string &getPath() const { return path; }
  std::error_code getError() const { return error; }
  /// Returns whether the output is a stream, which cannot be rolled back or
  /// have sidecar files.
  bool isStream() const { return stream; }

  /// Appends bytes.
  bool write(std::string_view bytes);
  /// Overwrites bytes that have been written; not for streams.
  bool overwrite(std::string_view bytes, uint64_t offset);
  /// Returns the descriptor of the file that is being written, which is also
  /// readable unless it is a stream; -1 after an error.
  int getDescriptor();

  /// Returns the name of an empty file for another program to write or replace;
  /// "" after an error. Must not be mixed with write().
  const std::string &getName();

  /// Completes the file without replacing the target, and closes its
  /// descriptor, for callers that write many files before they commit. Until
  /// the commit, the temporary file has a name and is left over if the program
  /// is killed.
  bool finish();

  /// Replaces the target by the file.
  bool commit() { return !commitAll(this, 1); }

  /// Replaces all targets, or none of them. Returns a file that could not be
  /// written, or null on success.
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
  /// The target that symbolic links resolve to.
  std::string target;
  /// The names of the temporary file and of the backup of the target until the
  /// commit is complete.
  std::string aside, old;
  int descriptor = -1;
  bool stream = false, exists = false, finished = false, replaced = false;
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_OUTPUTFILE_H
