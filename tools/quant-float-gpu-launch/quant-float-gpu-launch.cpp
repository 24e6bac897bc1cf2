//===- quant-float-gpu-launch.cpp - Run kernels without a compiler --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Digests.h"
#include "Options.h"
#include "Report.h"
#include "Runners.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace launch;

namespace {

/// An entry with its inputs.
struct Job {
  const Entry *entry = nullptr;
  std::vector<Array> inputs;
  Plan plan;
  std::vector<Array> outputs;
};

/// Everything between the command line and the exit code.
class Session {
public:
  Session(const Options &options, Error &error)
      : options(options), error(error) {}
  bool run();

private:
  bool fail(const std::string &what, int exitCode = kWrongInput) {
    return error.fail("error: " + what, exitCode);
  }
  bool wantsDigests() const {
    return !options.writeDigests.empty() || !options.checkDigests.empty();
  }
  bool selectEntries();
  bool checkShapeNames();
  bool gatherInput(const Argument &argument, size_t index, Array &array);
  bool gatherInputs(Job &job);
  bool openRunner();
  void addDigests(const Entry &entry, uint64_t first,
                  std::vector<Array> &outputs);
  bool runJob(Job &job);
  bool sweep();
  bool sweepChunk(uint64_t first, uint64_t count);
  bool writeOutputs(const Job &job);

  const Options &options;
  Error &error;
  Description description;
  std::vector<const Entry *> entries;
  Gpu gpu;
  std::unique_ptr<GpuRunner> gpuRunner;
  std::unique_ptr<HostRunner> hostRunner;
  Runner *runner = nullptr;
  Report report;
  Digests digests;
  /// The outputs of each entry, whose memory the next chunk takes again.
  std::vector<std::vector<Array>> sweepOutputs;
};

} // namespace

/// As --shapes names an input: one without a name by its position.
static std::string getName(const Argument &argument, size_t index) {
  return argument.name.empty() ? std::to_string(index) : argument.name;
}

bool Session::selectEntries() {
  std::string names;
  for (const Entry &entry : description.entries) {
    names += (names.empty() ? "'" : ", '") + entry.name + "'";
    if (options.entry.empty() || options.entry == entry.name)
      entries.push_back(&entry);
  }
  if (names.empty())
    return error.fail(options.description +
                      ": error: there is no function to run");
  if (entries.empty())
    return fail("--entry: no function is called '" + options.entry +
                    "', there are " + names,
                kWrongUsage);
  if (entries.size() > 1 &&
      (!options.inputs.empty() || !options.outputs.empty()))
    return fail("expected --entry to choose one of the functions " + names,
                kWrongUsage);
  return true;
}

bool Session::checkShapeNames() {
  for (const auto &[name, sizes] : options.shapes) {
    bool isKnown = false;
    for (const Entry *entry : entries)
      for (size_t i = 0; i < entry->inputs.size(); ++i)
        isKnown |= getName(entry->inputs[i], i) == name;
    if (!isKnown)
      return fail("--shapes: no input is called '" + name + "'", kWrongUsage);
  }
  return true;
}

bool Session::gatherInput(const Argument &argument, size_t index,
                          Array &array) {
  std::string name = getName(argument, index);
  std::string what = "input " + std::to_string(index) +
                     (argument.name.empty() ? "" : " '" + name + "'") + ": ";
  std::vector<int64_t> open = argument.getSizes();
  auto fits = [&](const std::vector<int64_t> &sizes) {
    bool isFitting = sizes.size() == open.size();
    for (size_t i = 0; isFitting && i < open.size(); ++i)
      isFitting = open[i] < 0 || open[i] == sizes[i];
    return isFitting;
  };
  if (index < options.inputs.size()) {
    if (!readNpy(options.inputs[index], *argument.type, array, error))
      return false;
    return fits(array.sizes) ||
           error.fail(options.inputs[index] + ": error: expected " +
                      spell(*argument.type, open) + ", but got " +
                      spell(*argument.type, array.sizes));
  }
  if (!options.isRandom)
    return fail(what + "expected a file for it in --inputs, or --random SEED",
                kWrongUsage);
  array.type = argument.type;
  array.sizes = open;
  auto found = options.shapes.find(name);
  if (found != options.shapes.end()) {
    if (!fits(found->second))
      return fail(what + "expected sizes of " + spell(*argument.type, open) +
                      ", but got " + spell(*argument.type, found->second),
                  kWrongUsage);
    array.sizes = found->second;
  }
  for (int64_t size : array.sizes)
    if (size < 0)
      return fail(what + "the sizes of " + spell(*argument.type, open) +
                      " are open, --shapes " + name + "=... gives them",
                  kWrongUsage);
  if (!allocate(array, error))
    return fail(what + error.text);
  if (!options.isDryRun)
    fillRandom(array, options.seed, index);
  return true;
}

bool Session::gatherInputs(Job &job) {
  size_t count = job.entry->inputs.size();
  if (options.inputs.size() > count)
    return fail("--inputs: expected " + std::to_string(count) +
                    " files or fewer, but got " +
                    std::to_string(options.inputs.size()),
                kWrongUsage);
  Sizes sizes;
  for (size_t i = 0; i < count; ++i) {
    if (!gatherInput(job.entry->inputs[i], i, job.inputs.emplace_back()))
      return false;
    sizes.push_back(job.inputs.back().sizes);
  }
  return makePlan(*job.entry, sizes, job.plan, error);
}

bool Session::openRunner() {
  if (!options.host.empty()) {
    hostRunner = std::make_unique<HostRunner>();
    runner = hostRunner.get();
    return hostRunner->open(options.host, error);
  }
  if (!gpu.open(options.device, error) || !gpu.loadModule(options.code, error))
    return false;
  report.setDevice(gpu.chip, gpu.name, gpu.driverVersion);
  gpuRunner = std::make_unique<GpuRunner>(gpu, options.offsetBytes);
  runner = gpuRunner.get();
  return true;
}

void Session::addDigests(const Entry &entry, uint64_t first,
                         std::vector<Array> &outputs) {
  if (!wantsDigests())
    return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (options.mergesNaNs)
      mergeNaNs(outputs[i]);
    digests.add(entry.name, i, first, outputs[i]);
  }
}

bool Session::runJob(Job &job) {
  std::vector<Placed> placed(job.inputs.size());
  std::vector<Placed *> inputs;
  for (size_t i = 0; i < placed.size(); ++i) {
    if (!runner->place(job.inputs[i], placed[i], error))
      return false;
    inputs.push_back(&placed[i]);
  }
  if (!runner->run(job.plan, inputs, job.outputs, error))
    return false;
  Timing timing;
  if (options.isTimed) {
    if (!gpuRunner->time(job.plan, inputs, options.repeat, timing, error))
      return false;
    report.addTiming(*job.entry, job.plan, timing, options.repeat);
  } else if (options.outputs.empty() && !wantsDigests()) {
    for (size_t i = 0; i < job.outputs.size(); ++i)
      std::printf("%s: output_%zu: %s\n", job.entry->name.c_str(), i,
                  spell(*job.outputs[i].type, job.outputs[i].sizes).c_str());
  }
  addDigests(*job.entry, 0, job.outputs);
  return true;
}

bool Session::sweepChunk(uint64_t first, uint64_t count) {
  // One array for each element type, however many entries take it.
  std::map<const ElementType *, std::pair<Array, Placed>> arrays;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Argument &input = entries[i]->inputs[0];
    auto [found, isNew] = arrays.try_emplace(input.type);
    auto &[array, placed] = found->second;
    if (isNew) {
      array.type = input.type;
      array.sizes = {static_cast<int64_t>(count)};
      if (!allocate(array, error))
        return fail(error.text);
      fillRange(array, first);
      if (!runner->place(array, placed, error))
        return false;
    }
    Plan plan;
    if (!makePlan(*entries[i], {array.sizes}, plan, error) ||
        !runner->run(plan, {&placed}, sweepOutputs[i], error))
      return false;
    addDigests(*entries[i], first, sweepOutputs[i]);
  }
  return true;
}

bool Session::sweep() {
  for (const Entry *entry : entries)
    if (entry->inputs.size() != 1 || entry->inputs[0].shape.size() != 1 ||
        entry->inputs[0].shape[0].value >= 0)
      return fail("'" + entry->name +
                  "': expected one input of one open size for --fill-range");
  sweepOutputs.resize(entries.size());
  for (uint64_t done = 0; done < options.count; done += options.chunk)
    if (!sweepChunk(options.first + done,
                    std::min(options.chunk, options.count - done)))
      return false;
  return true;
}

bool Session::writeOutputs(const Job &job) {
  // With all folders above it.
  for (size_t end = 1; end <= options.outputs.size(); ++end) {
    if (end != options.outputs.size() && options.outputs[end] != '/')
      continue;
    if (mkdir(options.outputs.substr(0, end).c_str(), 0777) && errno != EEXIST)
      return error.fail(options.outputs +
                            ": error: cannot be made: " + std::strerror(errno),
                        kWrongUsage);
  }
  for (size_t i = 0; i < job.outputs.size(); ++i)
    if (!writeNpy(options.outputs + "/output_" + std::to_string(i) + ".npy",
                  job.outputs[i], error))
      return false;
  return true;
}

bool Session::run() {
  if (options.showsDevice) {
    if (!gpu.open(options.device, error))
      return false;
    std::printf("%s\n%s\n%s\n", gpu.chip.c_str(), gpu.name.c_str(),
                gpu.driverVersion.c_str());
    return true;
  }
  if (!readDescription(options.description, description, error) ||
      !selectEntries() || !checkShapeNames())
    return false;
  report.setCode(options.code, description.chip);
  if (options.isRange) {
    if (!openRunner() || !sweep())
      return false;
  }
  std::vector<Job> jobs(options.isRange ? 0 : entries.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].entry = entries[i];
    if (!gatherInputs(jobs[i]))
      return false;
    if (options.isDryRun)
      jobs[i].plan.print();
    else if ((!runner && !openRunner()) || !runJob(jobs[i]))
      return false;
    // Else all of them would be in memory.
    jobs[i].inputs.clear();
    if (options.outputs.empty())
      jobs[i].outputs.clear();
  }
  if (options.isDryRun)
    return true;
  report.print();
  if (wantsDigests())
    std::printf("%zu functions, %zu digests\n", entries.size(), digests.size());
  for (const Job &job : jobs)
    if (!options.outputs.empty() && !writeOutputs(job))
      return false;
  if (!options.writeDigests.empty() &&
      !digests.write(options.writeDigests, error))
    return false;
  bool isEqual =
      options.checkDigests.empty() ||
      digests.compare(options.checkDigests, options.entry.empty(), error);
  if (!options.checkDigests.empty())
    report.setChecked(digests.size(), isEqual ? "" : error.text);
  Error reportError;
  if (!options.json.empty() && !report.write(options.json, reportError)) {
    if (isEqual)
      error = reportError;
    return false;
  }
  return isEqual;
}

int main(int argc, char **argv) {
  Options options;
  Error error;
  if (parseOptions(argc, argv, options, error))
    Session(options, error).run();
  if (error.exitCode == kDone)
    return kDone;
  // A message names a file, or the tool.
  bool isOwn = error.text.rfind("error: ", 0) == 0;
  std::fprintf(stderr, "%s%s\n", isOwn ? "quant-float-gpu-launch: " : "",
               error.text.c_str());
  return error.exitCode;
}
