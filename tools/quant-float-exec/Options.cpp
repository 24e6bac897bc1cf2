//===- Options.cpp - The command line of quant-float-exec -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <climits>
#include <cstdio>
#include <string_view>

using namespace quant_float_exec;

static const char kHelp[] =
    R"(usage: quant-float-exec MODEL.so [options]

Runs a shared library that quant-float-compile has written. Needs neither a
compiler nor this project's libraries, and for kernels a driver. Options mean
what they mean to quant-float-run.

Options:
  --inputs FILE...      tensors for the inputs (.npy, raw .bin), in the graph's
                        order or as NAME=FILE
  --random SEED         random values for the inputs that --inputs does not give
  --shapes NAME=1x3...  sizes that the model leaves open
  --outputs DIR         writes output_<i>.npy there; the folder is made if need
                        be
  --entry NAME          the function to run, by symbol or graph name, where
                        there are several
  --all                 runs all functions one after the other
  --list                prints what the library holds, and runs nothing
  --time                prints best and median seconds and elements per second
                        of the call; on a GPU those of its kernels by the
                        device's clock, and of a copy of as many bytes
  --repeat N            calls that --time measures (default: 10)
  --digest              prints 64 bits for each output
  --merge-nans          digests take all NaNs for one: what arithmetic makes of
                        a NaN has no specified sign
  --sweep FIRST COUNT   runs functions of one input of one open size on all
                        elements whose bits are FIRST, FIRST + 1, ...; with
                        --digest
  --chunk N             elements of --sweep at a time (default: 67108864)
  --device N            the GPU (default: 0)
  --offset-bytes N      moves all tensors so far from alignment
  --show-device         prints a GPU's chip, its name and the version of CUDA
                        that the driver knows; without MODEL.so
  --help                prints this
  --version             prints the version
)";

namespace {

class Parser {
public:
  Parser(int argc, char **argv, Options &options, Error &error)
      : options(options), error(error) {
    for (int i = 1; i < argc; ++i)
      words.push_back(argv[i]);
  }
  bool parse();
  bool isDone = false;

private:
  bool isValue() const {
    return next != words.size() &&
           (words[next][0] != '-' || words[next].size() == 1);
  }
  bool take(std::string &value);
  bool takeNumber(uint64_t least, uint64_t most, uint64_t &value);
  /// The values up to the next option, but for the library, which may stand
  /// behind them.
  bool takeList(std::vector<std::string> &values);
  bool parseOption();
  bool finish();

  std::vector<std::string> words;
  size_t next = 0;
  std::string option;
  Options &options;
  Error &error;
};

} // namespace

/// Decimal, octal after 0, or hexadecimal after 0x.
static bool parseNumber(std::string_view text, uint64_t &value) {
  unsigned base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  value = 0;
  for (char c : text) {
    unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10
                     : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                            : base;
    if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value))
      return false;
  }
  return !text.empty();
}

bool Parser::take(std::string &value) {
  if (!isValue())
    return error.failUsage(option + ": a value is missing");
  value = words[next++];
  return true;
}

bool Parser::takeNumber(uint64_t least, uint64_t most, uint64_t &value) {
  std::string text;
  if (!take(text))
    return false;
  if (!parseNumber(text, value))
    return error.failUsage(option + ": expected a number, but got '" + text +
                           "'");
  return (value >= least && value <= most) ||
         error.failUsage(option + ": expected " + std::to_string(least) +
                         " to " + std::to_string(most) + ", but got " + text);
}

bool Parser::takeList(std::vector<std::string> &values) {
  std::string value;
  if (!take(value))
    return false;
  values.push_back(value);
  for (; isValue(); ++next) {
    const std::string &word = words[next];
    bool isLibrary = word.size() > 3 && word.find('=') == word.npos &&
                     word.compare(word.size() - 3, 3, ".so") == 0;
    if (isLibrary)
      break;
    values.push_back(word);
  }
  return true;
}

bool Parser::parseOption() {
  struct Flag {
    const char *name;
    bool *place;
  };
  for (Flag flag :
       {Flag{"--all", &options.isAll}, Flag{"--list", &options.lists},
        Flag{"--time", &options.isTimed},
        Flag{"--digest", &options.printsDigests},
        Flag{"--merge-nans", &options.mergesNaNs},
        Flag{"--show-device", &options.showsDevice}})
    if (option == flag.name)
      return *flag.place = true;
  uint64_t number = 0;
  if (option == "--entry")
    return take(options.entry);
  if (option == "--outputs")
    return take(options.outputs);
  if (option == "--inputs")
    return takeList(options.inputs);
  if (option == "--shapes") {
    std::vector<std::string> texts;
    if (!takeList(texts))
      return false;
    for (const std::string &text : texts) {
      std::string what;
      if (!mlir::quant_float::InputShape::parse(
              text, options.shapes.emplace_back(), what))
        return error.failUsage(what);
    }
    return true;
  }
  if (option == "--random")
    return takeNumber(0, UINT64_MAX, options.seed.emplace());
  if (option == "--sweep")
    return (options.isSweep = true) &&
           takeNumber(0, UINT64_MAX, options.first) &&
           takeNumber(0, uint64_t(1) << 40, options.count);
  if (option == "--chunk")
    return takeNumber(1, uint64_t(1) << 32, options.chunk);
  bool isKnown = true;
  if (option == "--repeat" && takeNumber(1, 1000000, number))
    options.repeat = static_cast<unsigned>(number);
  else if (option == "--device" && takeNumber(0, 1023, number))
    options.device = static_cast<int>(number);
  else if (option == "--offset-bytes" && takeNumber(0, 4096, number))
    options.offsetBytes = number;
  else
    isKnown = option == "--repeat" || option == "--device" ||
              option == "--offset-bytes";
  return isKnown ? error.exitCode == kDone
                 : error.failUsage("unknown option '" + option + "'");
}

bool Parser::finish() {
  if (options.showsDevice)
    return options.path.empty() ||
           error.failUsage("--show-device: expected no library");
  if (options.path.empty())
    return error.failUsage("expected a shared library, --help tells more");
  if (options.isAll && (!options.entry.empty() || !options.inputs.empty() ||
                        !options.outputs.empty()))
    return error.failUsage(
        "--all: expected none of --entry, --inputs, --outputs");
  if (options.mergesNaNs && !options.printsDigests)
    return error.failUsage("--merge-nans: expected --digest");
  if (options.isSweep &&
      (options.seed || !options.inputs.empty() || !options.shapes.empty() ||
       !options.outputs.empty() || options.isTimed))
    return error.failUsage("--sweep: expected none of --random, --inputs, "
                           "--shapes, --outputs, --time");
  return true;
}

bool Parser::parse() {
  while (next != words.size()) {
    std::string word = words[next++];
    if (word == "--help" || word == "-h" || word == "--version") {
      isDone = true;
      std::fputs(
          word == "--version"
              ? "quant-float-exec, part of quant-float " QUANT_FLOAT_VERSION
                "\n"
              : kHelp,
          stdout);
      return true;
    }
    if (word[0] != '-' || word.size() == 1) {
      if (!options.path.empty())
        return error.failUsage("unexpected '" + word + "'");
      options.path = word;
      continue;
    }
    // --option=value as --option value, -option as --option.
    size_t equals = word.find('=');
    if (word.compare(0, 2, "--") != 0)
      word.insert(0, "-"), equals += equals != word.npos;
    option = word.substr(0, equals);
    size_t before = next;
    if (equals != word.npos)
      words.insert(words.begin() + next, word.substr(equals + 1));
    if (!parseOption())
      return false;
    if (equals != word.npos && next == before)
      return error.failUsage(option + ": unexpected value '" + words[next] +
                             "'");
  }
  return finish();
}

bool quant_float_exec::parseOptions(int argc, char **argv, Options &options,
                                    Error &error) {
  Parser parser(argc, argv, options, error);
  return parser.parse() && !parser.isDone;
}
