//===- Machine.cpp - Machines that run compiled code ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Machine.h"

#include "quant-float/Certify/Certify.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

llvm::Expected<std::unique_ptr<Code>> Machine::compile(Model &model,
                                                       StringRef cpu) const {
  llvm::SmallString<64> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("quant-float-certify", "so", path))
    return makeFileError("a temporary file", error.message(), error);
  llvm::SmallString<64> header = path;
  llvm::sys::path::replace_extension(header, "h");
  llvm::scope_exit remove([&] {
    (void)llvm::sys::fs::remove(path);
    (void)llvm::sys::fs::remove(header);
  });
  llvm::Expected<std::unique_ptr<Code>> code = compileToFile(model, path, cpu);
  if (!code)
    return code;
  auto bytes = llvm::MemoryBuffer::getFile(path);
  if (!bytes)
    return makeFileError(path, bytes.getError().message(), bytes.getError());
  (*code)->hash = hashBytes((*bytes)->getBuffer());
  return code;
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

namespace {
class LoadedCode : public Code {
public:
  explicit LoadedCode(const CompiledModel &model) : model(model) {}
  explicit LoadedCode(CompiledModel &&owned)
      : owned(std::move(owned)), model(*this->owned) {}

  llvm::Expected<size_t> find(StringRef name) override {
    return model.findEntry(name);
  }
  llvm::Error run(size_t function, ArrayRef<qf_tensor> inputs,
                  qf_tensor output) override {
    return model.runOnHost(function, inputs, output);
  }

private:
  std::optional<CompiledModel> owned;
  const CompiledModel &model;
};

/// The host, with or without its GPU.
class HostMachine : public Machine {
public:
  explicit HostMachine(Target target) : target(target) {}

protected:
  llvm::Expected<std::unique_ptr<Code>>
  compileToFile(Model &model, StringRef path, StringRef cpu) const override {
    BuildOptions options;
    options.target = target;
    (target == Target::NVVM ? options.chip : options.cpu) = cpu;
    llvm::Expected<CompiledModel> compiled = model.compileToFile(path, options);
    if (!compiled)
      return compiled.takeError();
    return std::make_unique<LoadedCode>(std::move(*compiled));
  }

private:
  Target target;
};
} // namespace

std::unique_ptr<Code> certify::viewCode(const CompiledModel &model) {
  return std::make_unique<LoadedCode>(model);
}

//===----------------------------------------------------------------------===//
// Emulated machines
//===----------------------------------------------------------------------===//

/// The source of the program that the emulator runs. It calls functions of a
/// library on tensors that it receives and sends on its standard streams.
static constexpr char kRunner[] =
#include "EmulatedRunner.c.inc"
    ;

namespace {
/// The messages, with the same layout as in EmulatedRunner.c.inc.
struct Request {
  char name[256];
  int64_t numInputs;
};
struct Operand {
  int64_t size, bytes;
  int32_t rank, dtype;
};
struct Reply {
  int64_t status;
  char message[248];
};

struct Architecture {
  const char *name;
  std::vector<StringRef> emulatorOptions, compilerOptions;
  std::vector<std::string> cpus;
};

/// A process in the emulator.
class EmulatedCode : public Code {
public:
  EmulatedCode(pid_t process, int socket) : process(process), socket(socket) {}
  ~EmulatedCode() override {
    ::close(socket);
    ::waitpid(process, nullptr, 0);
  }

  llvm::Error start() { return readReply(); }
  llvm::Expected<size_t> find(StringRef name) override {
    names.push_back(name.str());
    return names.size() - 1;
  }
  llvm::Error run(size_t function, ArrayRef<qf_tensor> inputs,
                  qf_tensor output) override;

private:
  llvm::Error fail() {
    return makeError(ErrorKind::Device,
                     "the emulated program terminated unexpectedly");
  }
  bool send(const void *data, size_t size);
  bool receive(void *data, size_t size);
  llvm::Error readReply();

  pid_t process;
  int socket;
  std::vector<std::string> names;
};

class EmulatedMachine : public Machine {
public:
  EmulatedMachine(const Architecture &architecture, bool isHostArchitecture);
  ~EmulatedMachine() override { (void)llvm::sys::fs::remove(runner); }
  llvm::Error prepare();

protected:
  llvm::Expected<std::unique_ptr<Code>>
  compileToFile(Model &model, StringRef path, StringRef cpu) const override;

private:
  const Architecture &architecture;
  std::string triple, root, emulator;
  llvm::SmallString<64> runner;
};
} // namespace

/// Calls `transfer` with the number of bytes that are done, until all are.
static bool transferAll(size_t size,
                        llvm::function_ref<ssize_t(size_t)> transfer) {
  for (size_t done = 0; done < size;) {
    ssize_t count = transfer(done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += size_t(count);
  }
  return true;
}

bool EmulatedCode::send(const void *data, size_t size) {
  // Report a process that has ended as an error instead of by SIGPIPE.
  return transferAll(size, [&](size_t done) {
    return ::send(socket, static_cast<const char *>(data) + done, size - done,
                  MSG_NOSIGNAL);
  });
}

bool EmulatedCode::receive(void *data, size_t size) {
  return transferAll(size, [&](size_t done) {
    return ::recv(socket, static_cast<char *>(data) + done, size - done, 0);
  });
}

llvm::Error EmulatedCode::readReply() {
  Reply reply;
  if (!receive(&reply, sizeof reply))
    return fail();
  reply.message[sizeof reply.message - 1] = 0;
  return reply.status
             ? makeError(ErrorKind::Device,
                         Twine("the emulated program: ") + reply.message)
             : llvm::Error::success();
}

llvm::Error EmulatedCode::run(size_t function, ArrayRef<qf_tensor> inputs,
                              qf_tensor output) {
  Request request = {};
  StringRef name = names[function];
  memcpy(request.name, name.data(),
         std::min(name.size(), sizeof request.name - 1));
  request.numInputs = int64_t(inputs.size());
  auto describe = [](const qf_tensor &tensor) {
    int64_t size = tensor.rank ? tensor.sizes[0] : 1;
    int64_t bytes = size * findSlotElement(tensor.dtype)->getSlotBytes();
    return Operand{size, bytes, tensor.rank, tensor.dtype};
  };
  bool isSent = send(&request, sizeof request);
  for (const qf_tensor &input : inputs) {
    Operand operand = describe(input);
    isSent = isSent && send(&operand, sizeof operand) &&
             send(input.data, size_t(operand.bytes));
  }
  // Send the output too, so that elements that the code does not write are
  // detected as on the host.
  Operand operand = describe(output);
  isSent = isSent && send(&operand, sizeof operand) &&
           send(output.data, size_t(operand.bytes));
  if (!isSent)
    return fail();
  if (llvm::Error error = readReply())
    return error;
  return receive(output.data, size_t(operand.bytes)) ? llvm::Error::success()
                                                     : fail();
}

EmulatedMachine::EmulatedMachine(const Architecture &architecture,
                                 bool isHostArchitecture)
    : architecture(architecture) {
  name = architecture.name;
  cpus = architecture.cpus;
  triple = name + "-linux-gnu";
  root = isHostArchitecture ? "/" : "/usr/" + triple;
}

static llvm::Expected<std::string> findProgram(ArrayRef<std::string> names) {
  for (const std::string &name : names)
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  return makeError(ErrorKind::Unsupported,
                   "expected " + llvm::join(names, " or ") + " in PATH");
}

/// Runs a program and returns its output.
static llvm::Expected<std::string> capture(ArrayRef<StringRef> command) {
  llvm::SmallString<64> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("quant-float-certify", "", path))
    return makeFileError("a temporary file", error.message(), error);
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove(path); });
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(path),
                                          StringRef(path)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(command.front(), command, std::nullopt,
                                       redirects, 0, 0, &message);
  auto file = llvm::MemoryBuffer::getFile(path);
  std::string printed =
      file ? (*file)->getBuffer().trim().str() : std::string();
  if (code)
    return makeError(ErrorKind::Unsupported,
                     "'" + command.front() +
                         "' failed: " + (message.empty() ? printed : message));
  return printed;
}

llvm::Error EmulatedMachine::prepare() {
  if (llvm::Error error =
          findProgram({"qemu-" + name, "qemu-" + name + "-static"})
              .moveInto(emulator))
    return error;
  if (!llvm::sys::fs::is_directory(root + "/lib"))
    return makeError(ErrorKind::Unsupported,
                     "expected the C library of " + name + " in " + root);
  llvm::Expected<std::string> compiler =
      findProgram({"clang-" + std::to_string(LLVM_VERSION_MAJOR), "clang"});
  if (!compiler)
    return compiler.takeError();
  llvm::Expected<std::string> version = capture({emulator, "--version"});
  if (!version)
    return version.takeError();
  description = StringRef(*version).split('\n').first.str();

  llvm::SmallString<64> source;
  for (auto [suffix, path] : {std::pair("c", &source), std::pair("", &runner)})
    if (std::error_code error = llvm::sys::fs::createTemporaryFile(
            "quant-float-certify", suffix, *path))
      return makeFileError("a temporary file", error.message(), error);
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove(source); });
  std::error_code error;
  llvm::raw_fd_ostream os(source, error);
  os << kRunner;
  os.close();
  if (os.has_error()) {
    error = os.error();
    os.clear_error();
    return makeFileError(source, error.message(), error);
  }
  std::string target = "--target=" + triple;
  std::vector<StringRef> command = {*compiler, target};
  llvm::append_range(command, architecture.compilerOptions);
  llvm::append_range(command, ArrayRef<StringRef>{"-O1", "-fuse-ld=lld", source,
                                                  "-o", runner, "-ldl"});
  return capture(command).takeError();
}

llvm::Expected<std::unique_ptr<Code>>
EmulatedMachine::compileToFile(Model &model, StringRef path,
                               StringRef cpu) const {
  BuildOptions options;
  options.triple = triple;
  options.cpu = cpu;
  if (llvm::Error error = model.emitToFile(EmitKind::Shared, path, options))
    return std::move(error);

  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
    return makeFileError("a socket", std::strerror(errno),
                         llvm::errnoAsErrorCode());
  std::vector<std::string> command = {emulator, "-L", root};
  for (StringRef option : architecture.emulatorOptions)
    command.push_back(option.str());
  command.push_back(runner.str().str());
  command.push_back(path.str());
  std::vector<char *> arguments;
  for (std::string &one : command)
    arguments.push_back(one.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream : {0, 1})
    posix_spawn_file_actions_adddup2(&actions, sockets[1], stream);
  pid_t process = 0;
  int failed = posix_spawn(&process, emulator.c_str(), &actions, nullptr,
                           arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(sockets[1]);
  if (failed) {
    ::close(sockets[0]);
    return makeFileError(emulator, std::strerror(failed),
                         std::error_code(failed, std::generic_category()));
  }
  auto code = std::make_unique<EmulatedCode>(process, sockets[0]);
  // The caller may delete the file after the process has loaded it.
  if (llvm::Error error = code->start())
    return std::move(error);
  return code;
}

//===----------------------------------------------------------------------===//
// All machines
//===----------------------------------------------------------------------===//

static ArrayRef<Architecture> getArchitectures() {
  static const Architecture kAll[] = {
      {"aarch64", {"-cpu", "max"}, {}, {"generic", "neoverse-v1"}},
      {"riscv64",
       {"-cpu", "rv64,v=true,vext_spec=v1.0,vlen=128,elen=64"},
       {"-march=rv64gcv", "-mabi=lp64d"},
       {"rv64gcv"}},
      // qemu lacks AVX-512, so x86-64-v4 is omitted.
      {"x86_64", {"-cpu", "max"}, {}, {"x86-64", "x86-64-v2", "x86-64-v3"}}};
  return kAll;
}

std::vector<std::string> Machine::getNames() {
  std::vector<std::string> names = {"nvidia"};
  for (const Architecture &one : getArchitectures())
    names.push_back(one.name);
  return names;
}

llvm::Expected<std::shared_ptr<const Machine>> Machine::find(StringRef name) {
  if (name.empty() || name == "nvidia") {
    auto machine = std::make_shared<HostMachine>(name.empty() ? Target::CPU
                                                              : Target::NVVM);
    machine->name = name;
    machine->description = llvm::sys::getHostCPUName();
    machine->cpus = listCpus();
    if (name.empty())
      return machine;
    llvm::Expected<std::string> chip = getDeviceChip();
    if (!chip)
      return chip.takeError();
    machine->description = *chip;
    machine->cpus = {*chip};
    return machine;
  }
  for (const Architecture &one : getArchitectures()) {
    if (name != one.name)
      continue;
    bool isHostArchitecture =
        llvm::Triple(llvm::sys::getProcessTriple()).getArchName() == name;
    auto machine = std::make_shared<EmulatedMachine>(one, isHostArchitecture);
    if (llvm::Error error = machine->prepare())
      return std::move(error);
    return machine;
  }
  return makeError(ErrorKind::Argument, "expected one of " +
                                            llvm::join(getNames(), ", ") +
                                            ", but got '" + name + "'");
}
