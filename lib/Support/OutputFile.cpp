//===- OutputFile.cpp - Atomic output files -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/OutputFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mlir::quant_float;

namespace {
/// Blocks SIGXFSZ and SIGPIPE in this thread. A write beyond the file size
/// limit, or to a closed pipe, raises these signals, which terminate the
/// program by default. The destructor consumes the signal, so that only the
/// error code of the write remains.
class BlockedSignals {
public:
  BlockedSignals() {
    sigemptyset(&signals);
    sigset_t pending;
    sigpending(&pending);
    for (int signal : {SIGXFSZ, SIGPIPE})
      if (!sigismember(&pending, signal))
        sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~BlockedSignals() {
    int code = errno;
    if (code == EFBIG || code == EPIPE) {
      timespec noTime = {};
      sigtimedwait(&signals, nullptr, &noTime);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = code;
  }

private:
  sigset_t signals, before;
};
} // namespace

/// Writes all bytes, at the current position or from `offset` on. Sets errno on
/// failure.
static bool writeBytes(int descriptor, std::string_view bytes,
                       std::optional<uint64_t> offset = std::nullopt) {
  BlockedSignals blocked;
  while (!bytes.empty()) {
    size_t max = std::min<size_t>(bytes.size(), 1 << 30);
    ssize_t count = offset
                        ? pwrite(descriptor, bytes.data(), max, off_t(*offset))
                        : ::write(descriptor, bytes.data(), max);
    if (count >= 0) {
      bytes.remove_prefix(count);
      if (offset)
        *offset += count;
    } else if (errno == EAGAIN) {
      pollfd ready = {descriptor, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  errno = 0;
  return true;
}

static std::string getRealPath(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  std::string result = real ? real : "";
  free(real);
  return result;
}

static std::string getFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Returns the descriptor of this process that a path such as /dev/fd/3 refers
/// to.
static std::optional<int> findDescriptor(const std::string &folder,
                                         const std::string &name) {
  if (name.empty() || name.size() > 9 ||
      name.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  for (const char *descriptors : {"/proc/self/fd", "/proc/thread-self/fd"})
    if (folder == getRealPath(descriptors))
      return static_cast<int>(strtol(name.c_str(), nullptr, 10));
  return std::nullopt;
}

OutputFile::OutputFile(std::string path) : path(std::move(path)) {
  target = this->path;
  std::optional<int> existing;
  if (target == "-")
    existing = STDOUT_FILENO;
  struct stat status;
  for (int links = 0; !existing; ++links) {
    std::string folder = getRealPath(getFolder(target));
    if (target.empty() || folder.empty()) {
      fail(target.empty() ? ENOENT : errno);
      return;
    }
    existing = findDescriptor(folder, target.substr(target.rfind('/') + 1));
    // Do not follow the link of a descriptor: writes start at the descriptor's
    // offset.
    if (existing || lstat(target.c_str(), &status) || !S_ISLNK(status.st_mode))
      break;
    char linkTarget[PATH_MAX];
    ssize_t size = readlink(target.c_str(), linkTarget, sizeof(linkTarget));
    if (size < 0 || size == sizeof(linkTarget) || links == 40) {
      fail(size < 0 ? errno : links == 40 ? ELOOP : ENAMETOOLONG);
      return;
    }
    std::string next(linkTarget, size);
    target = next[0] == '/' ? next : folder.append("/").append(next);
  }

  if (existing) {
    stream = true;
    // The copy shares the file offset of the original descriptor.
    descriptor = fcntl(*existing, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0)
      fail(errno);
    return;
  }
  if (stat(target.c_str(), &status)) {
    // A name that ends in a slash can only refer to a folder.
    if (errno != ENOENT || target.back() == '/')
      fail(errno == ENOENT ? EISDIR : errno);
    return;
  }
  if (S_ISDIR(status.st_mode)) {
    fail(EISDIR);
  } else if (!S_ISREG(status.st_mode)) {
    stream = true;
  } else if (faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS)) {
    fail(errno);
  } else {
    exists = true;
    mode = status.st_mode & 07777;
    owner = status.st_uid;
    group = status.st_gid;
  }
}

OutputFile::OutputFile(OutputFile &&other)
    : path(std::move(other.path)), error(other.error),
      target(std::move(other.target)),
      aside(std::exchange(other.aside, std::string())),
      old(std::exchange(other.old, std::string())),
      descriptor(std::exchange(other.descriptor, -1)), stream(other.stream),
      exists(other.exists), finished(other.finished), replaced(other.replaced),
      mode(other.mode), owner(other.owner), group(other.group) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (!aside.empty())
    unlink(aside.c_str());
}

bool OutputFile::fail(int code) {
  if (!error)
    error = std::error_code(code, std::generic_category());
  return false;
}

/// Calls `make` with unused names until it succeeds. Returns the name, or "" on
/// failure.
template <typename Make>
static std::string makeUnique(const std::string &folder, Make make) {
  static std::atomic<unsigned> count;
  for (int turn = 0; turn < 100; ++turn) {
    auto time = std::chrono::steady_clock::now().time_since_epoch().count();
    char name[64];
    snprintf(name, sizeof(name), "/.quant-float-%x-%x-%llx", unsigned(getpid()),
             count++, static_cast<unsigned long long>(time));
    if (make((folder + name).c_str()))
      return folder + name;
    if (errno != EEXIST)
      break;
  }
  return "";
}

/// Creates the temporary file, with a name in `folder`.
bool OutputFile::nameAside(const std::string &folder) {
  aside = makeUnique(folder, [&](const char *name) {
    descriptor = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                        exists || stream ? 0600 : 0666);
    return descriptor >= 0;
  });
  return !aside.empty() || fail(errno);
}

bool OutputFile::open(bool isNamed) {
  if (error || descriptor >= 0)
    return !error;
  if (stream && isNamed) {
    const char *folder = getenv("TMPDIR");
    return nameAside(folder && *folder ? folder : "/tmp");
  }
  if (stream) {
    do
      descriptor = ::open(target.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor >= 0 || fail(errno);
  }
  std::string folder = getFolder(target);
#ifdef O_TMPFILE
  // A file without a name disappears even if this program is killed.
  if (!isNamed)
    descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC,
                        exists ? 0600 : 0666);
  // The file gets a name through /proc, which may not be mounted.
  if (descriptor >= 0 &&
      access(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), F_OK)) {
    close(descriptor);
    descriptor = -1;
  }
#endif
  return descriptor >= 0 || nameAside(folder);
}

bool OutputFile::write(std::string_view bytes) {
  return open(/*isNamed=*/false) &&
         (writeBytes(descriptor, bytes) || fail(errno));
}

bool OutputFile::overwrite(std::string_view bytes, uint64_t offset) {
  return open(/*isNamed=*/false) &&
         (writeBytes(descriptor, bytes, offset) || fail(errno));
}

int OutputFile::getDescriptor() {
  return open(/*isNamed=*/false) ? descriptor : -1;
}

const std::string &OutputFile::getName() {
  // Keep the descriptor of a stream, to which the file is copied later.
  int saved = stream ? std::exchange(descriptor, -1) : -1;
  if (aside.empty() && open(/*isNamed=*/true)) {
    close(descriptor);
    descriptor = -1;
  }
  if (saved >= 0)
    descriptor = saved;
  return aside;
}

/// Copies the temporary file to the stream, and deletes it.
bool OutputFile::copyAside() {
  int from = ::open(aside.c_str(), O_RDONLY | O_CLOEXEC);
  bool isGood = (from >= 0 || fail(errno)) && open(/*isNamed=*/false);
  std::string buffer(1 << 16, '\0');
  for (ssize_t size = 1; isGood && size;) {
    size = read(from, buffer.data(), buffer.size());
    if (size >= 0)
      isGood = write({buffer.data(), static_cast<size_t>(size)});
    else if (errno != EINTR)
      isGood = fail(errno);
  }
  if (from >= 0)
    close(from);
  unlink(aside.c_str());
  aside.clear();
  return isGood;
}

bool OutputFile::finish() {
  if (error || finished)
    return !error;
  if (stream && !aside.empty() && !copyAside())
    return false;
  // Another program may have written the named file. If nothing has been
  // written, create an empty file.
  if (aside.empty() && !open(/*isNamed=*/false))
    return false;
  if (!stream && aside.empty()) {
    std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    aside = makeUnique(getFolder(target), [&](const char *name) {
      return !linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    });
    if (aside.empty())
      return fail(errno);
  }
  if (exists) {
    bool isOwned = !chown(aside.c_str(), owner, group);
    bool hasGroup = isOwned || !chown(aside.c_str(), uid_t(-1), group);
    // If the owner cannot be kept, the file loses the set-user-ID and
    // set-group-ID bits. If the group cannot be kept, it loses the group
    // permissions, too.
    mode_t allowed = hasGroup ? 0777 : 0707;
    if (chmod(aside.c_str(), isOwned ? mode : mode & allowed))
      return fail(errno);
  }
  // Some file systems only report a full disk when the file is closed.
  if (descriptor >= 0 && close(std::exchange(descriptor, -1)))
    return fail(errno);
  return finished = !error;
}

bool OutputFile::replace(bool keepsOld) {
  if (stream)
    return true;
  if (keepsOld && exists) {
    // Without hard links, the target does not exist for a moment.
    old = makeUnique(getFolder(target), [&](const char *name) {
      return !link(target.c_str(), name) ||
             (errno != EEXIST && !rename(target.c_str(), name));
    });
    if (old.empty())
      return fail(errno);
  }
  if (rename(aside.c_str(), target.c_str()))
    return fail(errno);
  aside.clear();
  replaced = true;
  return true;
}

void OutputFile::undo() {
  if (!old.empty())
    rename(old.c_str(), target.c_str());
  else if (replaced && !exists)
    unlink(target.c_str());
  // If both names are links to one file, the rename above does nothing.
  if (!old.empty())
    unlink(old.c_str());
  old.clear();
}

OutputFile *OutputFile::commitAll(OutputFile *files, size_t count) {
  OutputFile *failed = nullptr;
  for (size_t i = 0; i < count && !failed; ++i)
    failed = files[i].finish() ? nullptr : &files[i];
  for (size_t i = 0; i < count && !failed; ++i)
    failed = files[i].replace(/*keepsOld=*/count > 1) ? nullptr : &files[i];
  for (size_t i = 0; i < count; ++i) {
    OutputFile &file = files[i];
    if (failed)
      file.undo();
    else if (!file.old.empty())
      unlink(file.old.c_str());
    file.old.clear();
  }
  return failed;
}
