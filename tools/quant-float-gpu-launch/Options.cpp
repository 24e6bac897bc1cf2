//===- Options.cpp - The command line -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include <cstdio>
#include <cstring>

using namespace launch;

static const char kHelp[] =
    R"(quant-float-gpu-launch CODE [DESCRIPTION] [options]

Runs the kernels that quant-float-compile has written. CODE is a .cubin or .ptx
file, DESCRIPTION the .json file that was written beside it (found by itself).

  --entry NAME             the function to run; without it all of them
  --inputs FILE...         .npy files, in the function's order
  --random SEED            random inputs, those of quant-float-run
  --shapes NAME=1x3...     sizes that the function leaves open
  --fill-range FIRST COUNT runs on all elements whose bits are FIRST,
                           FIRST + 1, ..., for functions on f32[?] and the like
  --chunk N                so many elements at a time (default: 67108864)
  --outputs DIR            writes output_<i>.npy there
  --digests FILE           writes 64 bits for each output (of each chunk)
  --check-digests FILE     expects those of a file that --digests wrote
  --merge-nans             digests take all NaNs for one: what arithmetic
                           makes of a NaN has no specified sign
  --host LIBRARY           runs the functions of a library for the CPU in place
                           of kernels; CODE is left out
  --time                   prints best and median seconds by events, bytes per
                           second, and those of a copy on the device
  --repeat N               launches that --time measures (default: 10)
  --json FILE              writes what was found
  --device N               (default: 0)
  --offset-bytes N         moves all buffers so far from alignment
  --dry-run                prints the launches without a driver
  --show-device            prints the device's chip, its name and the driver's
                           version, and ends
  --help, --version
)";

namespace {

class Parser {
public:
  Parser(int argc, char **argv, Options &options, Error &error)
      : next(argv + (argc > 0)), end(argv + argc), options(options),
        error(error) {}
  bool parse(bool &isDone);

private:
  bool fail(const std::string &what) {
    return error.fail("error: " + what, kWrongUsage);
  }
  bool isValue() const { return next != end && (**next != '-' || !(*next)[1]); }
  bool take(const std::string &option, std::string &value);
  bool takeNumber(const std::string &option, uint64_t most, uint64_t &value);
  bool takeShape(const std::string &text);
  bool parseOption(const std::string &option);
  bool finish();

  char **next, **end;
  Options &options;
  Error &error;
  std::vector<std::string> files;
};

} // namespace

/// Decimal, or hexadecimal after 0x.
static bool parseNumber(const std::string &text, uint64_t &value) {
  bool isHex = text.rfind("0x", 0) == 0;
  size_t at = isHex ? 2 : 0;
  value = 0;
  if (at == text.size())
    return false;
  for (; at < text.size(); ++at) {
    static constexpr char kDigits[] = "0123456789abcdef";
    const char *found = std::strchr(kDigits, text[at]);
    if (!found || !*found || (!isHex && found - kDigits > 9) ||
        __builtin_mul_overflow(value, isHex ? 16u : 10u, &value) ||
        __builtin_add_overflow(value, found - kDigits, &value))
      return false;
  }
  return true;
}

bool Parser::take(const std::string &option, std::string &value) {
  if (!isValue())
    return fail(option + ": a value is missing");
  value = *next++;
  return true;
}

bool Parser::takeNumber(const std::string &option, uint64_t most,
                        uint64_t &value) {
  std::string text;
  if (!take(option, text))
    return false;
  if (!parseNumber(text, value) || value > most)
    return fail(option + ": expected a number up to " + std::to_string(most) +
                ", but got '" + text + "'");
  return true;
}

bool Parser::takeShape(const std::string &text) {
  size_t equals = text.rfind('=');
  if (equals == text.npos)
    return fail("--shapes: expected NAME=SIZES, but got '" + text + "'");
  std::vector<int64_t> &sizes = options.shapes[text.substr(0, equals)];
  sizes.clear();
  std::string rest = text.substr(equals + 1);
  while (!rest.empty()) {
    size_t end = rest.find('x');
    uint64_t size;
    if (!parseNumber(rest.substr(0, end), size) || size > INT64_MAX)
      return fail("--shapes: expected sizes like 1x3, but got '" +
                  text.substr(equals + 1) + "'");
    sizes.push_back(static_cast<int64_t>(size));
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  return true;
}

bool Parser::parseOption(const std::string &option) {
  uint64_t number = 0;
  auto takeFlag = [](bool &flag) { return flag = true; };
  if (option == "--entry")
    return take(option, options.entry);
  if (option == "--outputs")
    return take(option, options.outputs);
  if (option == "--digests")
    return take(option, options.writeDigests);
  if (option == "--check-digests")
    return take(option, options.checkDigests);
  if (option == "--host")
    return take(option, options.host);
  if (option == "--json")
    return take(option, options.json);
  if (option == "--time")
    return takeFlag(options.isTimed);
  if (option == "--dry-run")
    return takeFlag(options.isDryRun);
  if (option == "--merge-nans")
    return takeFlag(options.mergesNaNs);
  if (option == "--show-device")
    return takeFlag(options.showsDevice);
  if (option == "--random")
    return takeFlag(options.isRandom) &&
           takeNumber(option, UINT64_MAX, options.seed);
  if (option == "--chunk")
    return takeNumber(option, uint64_t(1) << 32, options.chunk) &&
           (options.chunk || fail("--chunk: expected 1 or more, but got 0"));
  if (option == "--fill-range")
    return takeFlag(options.isRange) &&
           takeNumber(option, UINT64_MAX, options.first) &&
           takeNumber(option, uint64_t(1) << 40, options.count);
  if (option == "--repeat") {
    if (!takeNumber(option, 1000000, number))
      return false;
    options.repeat = static_cast<unsigned>(number);
    return number || fail("--repeat: expected 1 or more, but got 0");
  }
  if (option == "--device") {
    if (!takeNumber(option, 1023, number))
      return false;
    options.device = static_cast<int>(number);
    return true;
  }
  if (option == "--offset-bytes") {
    if (!takeNumber(option, 4096, number))
      return false;
    options.offsetBytes = number;
    return true;
  }
  if (option == "--inputs" || option == "--shapes") {
    std::string value;
    if (!take(option, value))
      return false;
    while (true) {
      if (option == "--inputs")
        options.inputs.push_back(value);
      else if (!takeShape(value))
        return false;
      if (!isValue())
        return true;
      value = *next++;
    }
  }
  return fail("unknown option '" + option + "'");
}

bool Parser::finish() {
  size_t most = options.host.empty() ? 2 : 1;
  if (options.showsDevice)
    return files.empty() || fail("--show-device: expected no files");
  if (files.empty())
    return fail("expected a file, --help tells more");
  if (files.size() > most)
    return fail("unexpected '" + files[most] + "'");
  if (options.host.empty()) {
    options.code = files[0];
    size_t suffix = options.code.rfind('.');
    options.description =
        files.size() == 2 ? files[1] : options.code.substr(0, suffix) + ".json";
  } else {
    options.description = files[0];
    if (options.isTimed || options.offsetBytes || options.isDryRun)
      return fail("--host: expected none of --time, --offset-bytes, --dry-run");
  }
  if (options.mergesNaNs && !options.outputs.empty())
    return fail("--merge-nans: expected no --outputs");
  if (options.isRange && (options.isRandom || !options.inputs.empty() ||
                          !options.outputs.empty() || options.isTimed))
    return fail("--fill-range: expected none of --random, --inputs, --outputs, "
                "--time");
  return true;
}

bool Parser::parse(bool &isDone) {
  while (next != end) {
    std::string word = *next++;
    if (word == "--help" || word == "-h") {
      isDone = true;
      std::fputs(kHelp, stdout);
      return true;
    }
    if (word == "--version") {
      isDone = true;
      std::puts(
          "quant-float-gpu-launch, part of quant-float " QUANT_FLOAT_VERSION);
      return true;
    }
    // --option=value as --option value.
    size_t equals = word.find('=');
    std::string value;
    if (word.rfind("--", 0) == 0 && equals != word.npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
      char **place = --next;
      *place = value.data();
      if (!parseOption(word))
        return false;
      if (next == place)
        return fail(word + ": unexpected value '" + value + "'");
    } else if (word.size() > 1 && word[0] == '-') {
      if (!parseOption(word))
        return false;
    } else {
      files.push_back(word);
    }
  }
  return finish();
}

bool launch::parseOptions(int argc, char **argv, Options &options,
                          Error &error) {
  bool isDone = false;
  return Parser(argc, argv, options, error).parse(isDone) && !isDone;
}
