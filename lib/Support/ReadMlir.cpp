//===- ReadMlir.cpp - Robust MLIR parsing ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/ReadMlir.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::quant_float;

// The code below that measures nesting must not recurse.

static LogicalResult fail(Location loc) {
  return emitError(loc) << "is nested too deeply: expected at most "
                        << kMaxNesting
                        << " nested regions, attributes, types and locations";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Measures the nesting of brackets in MLIR text, including those in the
/// aliases that are used. Other constructs that make a parser recurse, such as
/// the operators of an affine expression, are bounded by the number of tokens
/// in one list item.
class TextScanner {
public:
  explicit TextScanner(StringRef text) : text(text) {}

  /// Returns the offset of the first token that is nested too deeply, if any.
  std::optional<size_t> findTooDeep();

private:
  /// The maximum number of tokens in a list item and the items that contain it.
  static constexpr unsigned kMaxWords = 8 * kMaxNesting;

  struct Bracket {
    char kind;
    unsigned words = 0;
  };

  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  }
  bool skipBlank();
  void skipString();
  void close(char open);
  void readAlias();
  /// Counts one token. Returns false if a limit is exceeded.
  bool count();

  StringRef text;
  size_t at = 0;
  bool isNewLine = true;
  SmallVector<Bracket> brackets;
  unsigned words = 0;
  unsigned depth = 0;
  /// Whether the top level continues on the next line.
  bool isOpenEnded = false;
  llvm::StringMap<unsigned> aliases;
  StringRef defined;
  unsigned definedDepth = 0;
};
} // namespace

/// Skips whitespace and comments. Returns false at the end.
bool TextScanner::skipBlank() {
  for (; at < text.size(); ++at) {
    if (peek() == '/' && peek(1) == '/')
      at = std::min(text.find('\n', at), text.size() - 1);
    if (!isspace(static_cast<unsigned char>(peek())))
      return true;
    isNewLine |= peek() == '\n';
  }
  return false;
}

void TextScanner::skipString() {
  for (++at; at < text.size() && peek() != '"' && peek() != '\n'; ++at)
    at += peek() == '\\';
  ++at;
}

/// Pops a bracket. Angle brackets may stay open, because they are also used as
/// operators.
void TextScanner::close(char open) {
  while (open != '<' && !brackets.empty() && brackets.back().kind == '<')
    words -= brackets.pop_back_val().words;
  if (!brackets.empty() && brackets.back().kind == open)
    words -= brackets.pop_back_val().words;
}

/// Reads `#name` or `!name`, which uses an alias or, at the beginning of a line
/// at top level and followed by `=`, defines one.
void TextScanner::readAlias() {
  size_t begin = at++;
  while (isWord(peek()) || peek() == '-')
    ++at;
  StringRef name = text.slice(begin, at);
  if (brackets.empty() && isNewLine && !isOpenEnded) {
    size_t next = text.find_first_not_of(" \t\r\n", at);
    if (next != StringRef::npos && text[next] == '=') {
      defined = name;
      definedDepth = 0;
      return;
    }
  }
  depth = brackets.size() + aliases.lookup(name);
}

bool TextScanner::count() {
  definedDepth = std::max(definedDepth, depth);
  if (!brackets.empty() && brackets.back().kind != '{') {
    ++brackets.back().words;
    ++words;
  }
  return depth <= kMaxNesting && words <= kMaxWords;
}

std::optional<size_t> TextScanner::findTooDeep() {
  while (skipBlank()) {
    char c = peek();
    size_t begin = at;
    if (brackets.empty() && isNewLine && !isOpenEnded && !defined.empty() &&
        (isWord(c) || c == '"' || c == '%' || c == '#' || c == '!')) {
      aliases[defined] = definedDepth;
      defined = {};
    }
    depth = brackets.size();
    bool opensEnd = false;
    if (c == '"') {
      skipString();
    } else if ((c == '#' || c == '!') && isWord(peek(1))) {
      readAlias();
    } else if (isWord(c)) {
      while (isWord(peek()))
        ++at;
    } else {
      ++at;
      if (c == '-' && peek() == '>') {
        ++at;
        opensEnd = true;
      } else if (c == '>' && peek() == '=') {
        ++at;
      } else if (c == '(' || c == '[' || c == '{' || c == '<') {
        brackets.push_back({c});
        ++depth;
      } else if (c == ')' || c == ']' || c == '}' || c == '>') {
        close(c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<');
      } else if (c == ',' && !brackets.empty()) {
        words -= std::exchange(brackets.back().words, 0);
      }
      opensEnd |= c == ':' || c == '=' || c == ',';
    }
    if (!count())
      return begin;
    isNewLine = false;
    isOpenEnded = opensEnd;
  }
  return std::nullopt;
}

static LogicalResult checkNesting(llvm::MemoryBufferRef buffer,
                                  MLIRContext &context) {
  StringRef text = buffer.getBuffer();
  std::optional<size_t> offset = TextScanner(text).findTooDeep();
  if (!offset)
    return success();
  StringRef before = text.take_front(*offset);
  size_t line = before.rfind('\n');
  unsigned column = line == StringRef::npos ? *offset : *offset - line - 1;
  return fail(FileLineColLoc::get(&context, buffer.getBufferIdentifier(),
                                  before.count('\n') + 1, column + 1));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// Measures the nesting of attributes (which include locations) and types.
class DepthMeter {
public:
  bool isTooDeep(Attribute attribute) {
    return attribute && measure({attribute.getAsOpaquePointer(), false});
  }
  bool isTooDeep(Type type) {
    return type && measure({type.getAsOpaquePointer(), true});
  }

private:
  using Element = std::pair<const void *, bool>;

  bool measure(Element root);
  static SmallVector<Element> getChildren(Element element);

  /// The depth of each element. 0 while its children are being measured.
  llvm::DenseMap<const void *, unsigned> depths;
};
} // namespace

SmallVector<DepthMeter::Element> DepthMeter::getChildren(Element element) {
  SmallVector<Element> children;
  auto addAttribute = [&](Attribute attribute) {
    if (attribute)
      children.push_back({attribute.getAsOpaquePointer(), false});
  };
  auto addType = [&](Type type) {
    if (type)
      children.push_back({type.getAsOpaquePointer(), true});
  };
  if (element.second)
    Type::getFromOpaquePointer(element.first)
        .walkImmediateSubElements(addAttribute, addType);
  else
    Attribute::getFromOpaquePointer(element.first)
        .walkImmediateSubElements(addAttribute, addType);
  return children;
}

bool DepthMeter::measure(Element root) {
  SmallVector<Element> stack = {root};
  while (!stack.empty()) {
    Element element = stack.back();
    auto [entry, isNew] = depths.try_emplace(element.first, 0);
    if (!isNew && entry->second) {
      stack.pop_back();
      continue;
    }
    SmallVector<Element> children = getChildren(element);
    if (isNew) {
      for (Element child : children)
        if (!depths.contains(child.first))
          stack.push_back(child);
      continue;
    }
    unsigned depth = 0;
    for (Element child : children)
      depth = std::max(depth, depths.lookup(child.first));
    if (depth >= kMaxNesting)
      return true;
    depths[element.first] = depth + 1;
    stack.pop_back();
  }
  return false;
}

static LogicalResult checkNesting(ModuleOp module) {
  DepthMeter meter;
  SmallVector<std::pair<Operation *, unsigned>> stack = {{module, 1}};
  while (!stack.empty()) {
    auto [op, depth] = stack.pop_back_val();
    auto isTooDeep = [&](auto element) { return meter.isTooDeep(element); };
    bool found = depth > kMaxNesting || isTooDeep(Attribute(op->getLoc())) ||
                 isTooDeep(Attribute(op->getAttrDictionary())) ||
                 llvm::any_of(op->getResultTypes(), isTooDeep);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          found |= isTooDeep(argument.getType()) ||
                   isTooDeep(Attribute(argument.getLoc()));
        for (Operation &inner : block)
          stack.push_back({&inner, depth + 1});
      }
    if (found)
      return fail(module.getLoc());
  }
  return success();
}

/// Limits the rank of all shaped types of values, in attributes and in other
/// types, because the rank determines the nesting of loops.
static LogicalResult checkDimensions(ModuleOp module) {
  ShapedType found;
  // Visits each type and attribute of the module once.
  AttrTypeWalker walker;
  auto look = [&](ShapedType type) {
    if (!type.hasRank() || type.getRank() <= kMaxDimensions)
      return WalkResult::advance();
    found = type;
    return WalkResult::interrupt();
  };
  walker.addWalk(look);
  // The walker does not visit the types of elements attributes.
  walker.addWalk(
      [&](ElementsAttr elements) { return look(elements.getShapedType()); });
  auto hasTooMany = [&](auto element) {
    return walker.walk(element).wasInterrupted();
  };
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    bool isWrong = llvm::any_of(op->getResultTypes(), hasTooMany) ||
                   hasTooMany(op->getAttrDictionary());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        isWrong |= llvm::any_of(block.getArgumentTypes(), hasTooMany);
    if (!isWrong)
      return WalkResult::advance();
    return op->emitError() << "expected at most " << kMaxDimensions
                           << " dimensions, but got " << found.getRank();
  });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Newer syntax
//===----------------------------------------------------------------------===//

namespace {
/// The name of an op or a type in MLIR text, its dialect, and the first version
/// of LLVM that has it. The dialect of builtin types is empty. If `argument` is
/// not empty, the version is that of types whose arguments start with it.
struct NewerName {
  StringLiteral name, dialect;
  unsigned version;
  StringLiteral argument = "";
};
} // namespace

static constexpr NewerName kNewerNames[] = {
    {"!quant.quantile", "quant", 23},
    {"!quant.uniform", "quant", 23, "<f4"},
    {"!quant.uniform", "quant", 23, "<f6"},
    {"!quant.uniform", "quant", 23, "<f8"},
    {"!tosa.block_scaled", "tosa", 23},
    {"tosa.conv2d_block_scaled", "tosa", 23},
    {"tosa.reshape_block_scaled", "tosa", 23},
    {"tosa.row_gather_block_scaled", "tosa", 23},
    {"f8E5M3FNU", "", 24},
    {"linalg.scaled_contract", "linalg", 24},
};

/// Calls `visit` with the offset of each token of MLIR text that may be the
/// name of an op or a type: not with comments, strings, symbols, values and
/// attributes. The element type of a shape is a separate token.
static void
forEachName(StringRef text,
            llvm::function_ref<void(size_t offset, StringRef name)> visit) {
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  auto getEnd = [&](size_t from) {
    return std::min(text.find_if_not(isWord, from), text.size());
  };
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    bool isSymbol = c == '@' && text.substr(at + 1).starts_with("\"");
    if (c == '/' && text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || isSymbol) {
      size_t end = at + isSymbol + 1;
      while (end < text.size() && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      // The name of an op in the generic form.
      if (!isSymbol && text.substr(end + 1).starts_with("("))
        visit(at + 1, text.slice(at + 1, end));
      at = end + 1;
    } else if (c == '@' || c == '%' || c == '^' || c == '#') {
      at = getEnd(at + 1);
    } else if (c == '!' || isWord(c)) {
      size_t end = getEnd(at + 1);
      StringRef name = text.slice(at, end);
      // A shape is read as one word with the element type.
      size_t shape = name.find_first_not_of("0123456789x");
      if (shape != StringRef::npos && shape > 0 && name[shape - 1] == 'x')
        name = name.drop_front(shape);
      visit(end - name.size(), name);
      at = end;
    } else {
      ++at;
    }
  }
}

void quant_float::reportNewerSyntax(llvm::MemoryBufferRef buffer,
                                    MLIRContext &context) {
  if (isBytecode(buffer))
    return;
  StringRef text = buffer.getBuffer();
  std::vector<StringRef> dialects = context.getAvailableDialects();
  llvm::StringSet<> reported;
  forEachName(text, [&](size_t offset, StringRef name) {
    const NewerName *newer = llvm::find_if(kNewerNames, [&](auto &newer) {
      return newer.name == name &&
             text.substr(offset + name.size()).starts_with(newer.argument);
    });
    // Names of unregistered dialects are no names of MLIR.
    if (newer == std::end(kNewerNames) ||
        newer->version <= LLVM_VERSION_MAJOR ||
        (!newer->dialect.empty() &&
         !llvm::is_contained(dialects, newer->dialect)) ||
        !reported.insert(name).second)
      return;
    StringRef before = text.take_front(offset);
    size_t line = before.count('\n') + 1;
    size_t column = offset - before.rfind('\n');
    emitError(FileLineColLoc::get(&context, buffer.getBufferIdentifier(), line,
                                  column))
        << name << (newer->argument.empty() ? "" : " of floats")
        << " requires LLVM " << newer->version << ", but this build uses LLVM "
        << LLVM_VERSION_MAJOR;
  });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Parses MLIR and checks the nesting before any other walk.
static OwningOpRef<ModuleOp> read(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                  MLIRContext &context, bool verify) {
  bool isText = !isBytecode(buffer->getMemBufferRef());
  if (isText && failed(checkNesting(buffer->getMemBufferRef(), context)))
    return nullptr;
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/isText && verify);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceMgr, config);
  if (!module)
    reportNewerSyntax(*sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID()),
                      context);
  if (!module ||
      (!isText && (failed(checkNesting(*module)) ||
                   (verify && failed(mlir::verify(*module))))) ||
      failed(checkDimensions(*module)))
    return nullptr;
  return module;
}

/// Whether malformed input may crash MLIR's readers: bytecode, and operations
/// of linalg, whose parsers store null attributes for lists that they fail to
/// parse.
static bool mayCrashReader(llvm::MemoryBufferRef bytes) {
  return isBytecode(bytes) || bytes.getBuffer().contains("linalg.");
}

namespace {
/// The result of parsing in a child process.
enum class Trial { Survived, Died, NotMade };
} // namespace

/// Resets the signal handlers, which would delete files of the parent process,
/// and LLVM's handler of fatal errors.
static void leaveProgram() {
  for (int number = 1; number < NSIG; ++number)
    signal(number, SIG_DFL);
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(
      [](void *, const char *, bool) { _exit(EXIT_FAILURE); });
}

/// Runs in the child process of `tryReading`.
[[noreturn]] static void readInChild(ArrayRef<llvm::MemoryBufferRef> strings,
                                     MLIRContext &context, bool verify,
                                     unsigned seconds, int answer) {
  int null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  leaveProgram();
  // The limit exceeds the time of any model of this size. The alarm ends a
  // child that waits for a lock that was held during the fork.
  rlimit time = {seconds, seconds}, core = {0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_CORE, &core);
  alarm(10 * seconds);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (llvm::MemoryBufferRef bytes : strings) {
    MLIRContext own(context.getDialectRegistry(),
                    MLIRContext::Threading::DISABLED);
    own.allowUnregisteredDialects(context.allowsUnregisteredDialects());
    ScopedDiagnosticHandler quiet(&own, [](Diagnostic &) { return success(); });
    read(llvm::MemoryBuffer::getMemBuffer(bytes, false), own, verify);
  }
  _exit(write(answer, "", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Parses MLIR in a child process to find out whether it crashes. The child
/// only takes locks of this process that protect MLIR's tables, which other
/// threads hold briefly; if one was held during the fork, the time limit ends
/// the child. The child is not killed by its process id, because the id may be
/// reused after another thread has waited for it.
static Trial tryReading(ArrayRef<llvm::MemoryBufferRef> strings,
                        MLIRContext &context, bool verify) {
  size_t bytes = 0;
  for (llvm::MemoryBufferRef text : strings)
    bytes += text.getBufferSize();
  auto seconds = static_cast<unsigned>(5 + (bytes >> 20));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return Trial::NotMade;
  // Block signals, so that the child does not run handlers of this program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0)
    readInChild(strings, context, verify, seconds, ends[1]);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    errno = error;
    return Trial::NotMade;
  }
  // Another thread may wait for the child and take its status, so the child
  // sends a byte on success. Otherwise the pipe ends, or the time limit expires
  // if a process that another thread forked has inherited the pipe.
  auto end = std::chrono::steady_clock::now() +
             std::chrono::seconds(10 * uint64_t(seconds) + 5);
  pollfd answer = {ends[0], POLLIN, 0};
  int ready;
  do {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    ready =
        poll(&answer, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
  } while (ready < 0 && errno == EINTR);
  char byte;
  bool survived = ready > 0 && ::read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  while (waitpid(child, nullptr, ready > 0 ? 0 : WNOHANG) < 0 && errno == EINTR)
    ;
  return survived ? Trial::Survived : Trial::Died;
}

/// Emits an error if MLIR's readers crash on the strings, or if this cannot be
/// determined. The strings are parts of one input.
static LogicalResult checkReaders(ArrayRef<llvm::MemoryBufferRef> strings,
                                  MLIRContext &context, bool verify) {
  if (llvm::none_of(strings, mayCrashReader))
    return success();
  Trial trial = tryReading(strings, context, verify);
  if (trial == Trial::Survived)
    return success();
  int reason = errno;
  InFlightDiagnostic error = emitError(FileLineColLoc::get(
      &context, strings.front().getBufferIdentifier(), 0, 0));
  if (trial == Trial::NotMade)
    return error << "cannot be parsed in a separate process: "
                 << llvm::sys::StrError(reason);
  return error << "is invalid: MLIR's reader crashes on it";
}

OwningOpRef<ModuleOp>
quant_float::readMlir(std::unique_ptr<llvm::MemoryBuffer> buffer,
                      MLIRContext &context, bool verify) {
  if (buffer->getBufferSize() == 0) {
    emitError(
        FileLineColLoc::get(&context, buffer->getBufferIdentifier(), 1, 1))
        << "expected MLIR, but the input is empty";
    return nullptr;
  }
  if (failed(checkReaders(buffer->getMemBufferRef(), context, verify)))
    return nullptr;
  return read(std::move(buffer), context, verify);
}

LogicalResult quant_float::checkMlir(llvm::MemoryBufferRef buffer,
                                     StringRef marker, MLIRContext &context) {
  if (isBytecode(buffer)) {
    OwningOpRef<ModuleOp> module =
        readMlir(llvm::MemoryBuffer::getMemBuffer(buffer, false), context,
                 /*verify=*/false);
    return success(static_cast<bool>(module));
  }
  if (failed(checkNesting(buffer, context)))
    return failure();
  SmallVector<StringRef> parts = {buffer.getBuffer()};
  if (!marker.empty()) {
    parts.clear();
    buffer.getBuffer().split(parts, marker);
  }
  auto strings = llvm::map_to_vector(parts, [&](StringRef part) {
    return llvm::MemoryBufferRef(part, buffer.getBufferIdentifier());
  });
  return checkReaders(strings, context, /*verify=*/true);
}
