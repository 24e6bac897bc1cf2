//===- Description.cpp - What the compiler says of kernels ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// JSON that is wrong must not end the program: whatever is asked of a value is
// asked after its type.
#define JSON_NOEXCEPTION
#include "Description.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace launch;
using nlohmann::json;

namespace {

/// Reads values, and knows where it is.
class Reader {
public:
  Reader(Error &error, std::string path)
      : error(error), path(std::move(path)) {}

  bool read(const json &value, Description &description);

private:
  bool fail(const std::string &what);
  /// "expected a string, but got 3"
  bool failType(const char *expected, const json &given);

  /// `read` for a member of an object, which is there.
  template <typename Function>
  bool member(const json &value, const char *name, Function read);
  /// For all elements of an array that is a member.
  template <typename T, typename Function>
  bool members(const json &value, const char *name, std::vector<T> &list,
               Function read, bool isOptional = false);

  bool readString(const json &value, std::string &text);
  bool readIndex(const json &value, size_t count, size_t &index);
  bool readExpression(const json &value, Expression &expression, int depth = 0);
  bool readArgument(const json &value, Argument &argument, bool isInput);
  bool readParameter(const json &value, Parameter &parameter);
  bool readLaunch(const json &value, Launch &launch);
  bool readEntry(const json &value, Entry &entry);

  Error &error;
  /// The file and, as in "entries[0].name", the place in it.
  std::string path, place;
  Entry *current = nullptr;
};

} // namespace

bool Reader::fail(const std::string &what) {
  return error.fail(path + ": error: " + (place.empty() ? "" : place + ": ") +
                    what);
}

bool Reader::failType(const char *expected, const json &given) {
  // What is nested may be so deeply that printing it ends the program.
  bool isFlat = std::none_of(given.begin(), given.end(), [](const json &value) {
    return value.is_structured();
  });
  std::string text =
      isFlat ? given.dump(-1, ' ', true, json::error_handler_t::replace)
             : given.type_name();
  if (text.size() > 60)
    text = text.substr(0, 60) + "...";
  return fail(std::string("expected ") + expected + ", but got " + text);
}

template <typename Function>
bool Reader::member(const json &value, const char *name, Function read) {
  if (!value.is_object())
    return failType("an object", value);
  auto found = value.find(name);
  if (found == value.end())
    return fail(std::string("'") + name + "' is missing");
  size_t length = place.size();
  place += (place.empty() ? "" : ".") + std::string(name);
  if (!read(*found))
    return false;
  place.resize(length);
  return true;
}

template <typename T, typename Function>
bool Reader::members(const json &value, const char *name, std::vector<T> &list,
                     Function read, bool isOptional) {
  if (isOptional && value.is_object() && !value.contains(name))
    return true;
  return member(value, name, [&](const json &array) {
    if (!array.is_array())
      return failType("an array", array);
    size_t length = place.size();
    for (size_t i = 0; i < array.size(); ++i) {
      place += "[" + std::to_string(i) + "]";
      list.emplace_back();
      if (!read(array[i], list.back()))
        return false;
      place.resize(length);
    }
    return true;
  });
}

bool Reader::readString(const json &value, std::string &text) {
  if (!value.is_string())
    return failType("a string", value);
  text = value.get_ref<const std::string &>();
  return text.find('\0') == text.npos ||
         fail("expected a string without zero bytes");
}

bool Reader::readIndex(const json &value, size_t count, size_t &index) {
  if (!value.is_number_unsigned())
    return failType("a number of 0 or more", value);
  index = value.get<uint64_t>();
  return index < count ||
         fail("expected a number below " + std::to_string(count) +
              ", but got " + std::to_string(index));
}

bool Reader::readExpression(const json &value, Expression &expression,
                            int depth) {
  static constexpr struct {
    const char *name;
    Expression::Kind kind;
  } kOperations[] = {
      {"add", Expression::Add},         {"sub", Expression::Sub},
      {"mul", Expression::Mul},         {"floordiv", Expression::FloorDiv},
      {"ceildiv", Expression::CeilDiv}, {"mod", Expression::Mod},
      {"min", Expression::Min},         {"max", Expression::Max},
  };
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX)
      return failType("a number of 64 bits", value);
    expression.value = value.get<int64_t>();
    return true;
  }
  if (depth > 1000)
    return fail("expected expressions of at most 1000 levels");
  if (!value.is_array() || value.size() != 3 || !value[0].is_string())
    return failType("a number or an expression", value);
  const std::string &name = value[0].get_ref<const std::string &>();
  if (name == "size") {
    size_t input, dimension;
    if (!readIndex(value[1], current->inputs.size(), input) ||
        !readIndex(value[2], current->inputs[input].shape.size(), dimension))
      return false;
    expression.kind = Expression::Size;
    expression.input = static_cast<unsigned>(input);
    expression.dimension = static_cast<unsigned>(dimension);
    return true;
  }
  for (const auto &operation : kOperations)
    if (name == operation.name) {
      expression.kind = operation.kind;
      expression.operands.resize(2);
      return readExpression(value[1], expression.operands[0], depth + 1) &&
             readExpression(value[2], expression.operands[1], depth + 1);
    }
  return failType("an expression", value);
}

bool Reader::readArgument(const json &value, Argument &argument, bool isInput) {
  std::string type;
  auto readSize = [&](const json &size, Expression &expression) {
    if (!readExpression(size, expression))
      return false;
    bool isSize =
        expression.kind == Expression::Constant && expression.value >= -1;
    return !isInput || isSize || failType("a size or -1", size);
  };
  return member(value, "name",
                [&](const json &v) { return readString(v, argument.name); }) &&
         member(value, "type",
                [&](const json &v) {
                  if (!readString(v, type))
                    return false;
                  argument.type = findElementType(type);
                  return argument.type || failType("an element type", v);
                }) &&
         members(value, "shape", argument.shape, readSize);
}

bool Reader::readParameter(const json &value, Parameter &parameter) {
  static constexpr struct {
    const char *name;
    Parameter::Kind kind;
  } kKinds[] = {
      {"input", Parameter::Input},
      {"output", Parameter::Output},
      {"temporary", Parameter::Temporary},
      {"i64", Parameter::I64},
      {"i32", Parameter::I32},
      {"f32", Parameter::F32},
      {"f64", Parameter::F64},
  };
  if (!value.is_object() || value.size() != 1)
    return failType("an object of one member", value);
  for (const auto &kind : kKinds) {
    if (!value.contains(kind.name))
      continue;
    parameter.kind = kind.kind;
    const json &given = value.begin().value();
    switch (kind.kind) {
    case Parameter::Input:
      return readIndex(given, current->inputs.size(), parameter.index);
    case Parameter::Output:
      return readIndex(given, current->outputs.size(), parameter.index);
    case Parameter::Temporary:
      return readIndex(given, current->temporaries.size(), parameter.index);
    case Parameter::I64:
    case Parameter::I32:
      return readExpression(given, parameter.value);
    case Parameter::F32:
    case Parameter::F64:
      if (!given.is_number())
        return failType("a number", given);
      parameter.number = given.get<double>();
      return true;
    }
  }
  return failType("a parameter of a kernel", value);
}

bool Reader::readLaunch(const json &value, Launch &launch) {
  auto readThree = [&](const char *name, Expression *three) {
    std::vector<Expression> list;
    if (!members(value, name, list, [&](const json &v, Expression &e) {
          return readExpression(v, e);
        }))
      return false;
    if (list.size() != 3)
      return fail(std::string("'") + name + "': expected 3 numbers, but got " +
                  std::to_string(list.size()));
    std::move(list.begin(), list.end(), three);
    return true;
  };
  auto readShared = [&](const json &v) {
    size_t bytes;
    if (!readIndex(v, size_t(1) << 20, bytes))
      return false;
    launch.shared = static_cast<unsigned>(bytes);
    return true;
  };
  return member(value, "kernel",
                [&](const json &v) { return readString(v, launch.kernel); }) &&
         readThree("grid", launch.grid) && readThree("block", launch.block) &&
         (!value.contains("shared") || member(value, "shared", readShared)) &&
         members(
             value, "parameters", launch.parameters,
             [&](const json &v, Parameter &p) { return readParameter(v, p); });
}

bool Reader::readEntry(const json &value, Entry &entry) {
  current = &entry;
  auto readExpr = [&](const json &v, Expression &e) {
    return readExpression(v, e);
  };
  auto readCheck = [&](const json &v, Check &check) {
    return member(v, "left",
                  [&](const json &e) { return readExpr(e, check.left); }) &&
           member(v, "right",
                  [&](const json &e) { return readExpr(e, check.right); }) &&
           member(v, "message",
                  [&](const json &e) { return readString(e, check.message); });
  };
  auto readTemporary = [&](const json &v, Expression &bytes) {
    return member(v, "bytes",
                  [&](const json &e) { return readExpr(e, bytes); });
  };
  return member(value, "name",
                [&](const json &v) { return readString(v, entry.name); }) &&
         members(value, "inputs", entry.inputs,
                 [&](const json &v, Argument &a) {
                   return readArgument(v, a, /*isInput=*/true);
                 }) &&
         members(value, "outputs", entry.outputs,
                 [&](const json &v, Argument &a) {
                   return readArgument(v, a, /*isInput=*/false);
                 }) &&
         members(value, "checks", entry.checks, readCheck, true) &&
         members(value, "temporaries", entry.temporaries, readTemporary,
                 true) &&
         members(value, "launches", entry.launches,
                 [&](const json &v, Launch &l) { return readLaunch(v, l); });
}

bool Reader::read(const json &value, Description &description) {
  return member(value, "version",
                [&](const json &v) {
                  return v == 1 || failType("version 1", v);
                }) &&
         member(
             value, "chip",
             [&](const json &v) { return readString(v, description.chip); }) &&
         members(value, "entries", description.entries,
                 [&](const json &v, Entry &e) { return readEntry(v, e); });
}

bool launch::readDescription(const std::string &path, Description &description,
                             Error &error) {
  std::string text;
  if (!readFile(path, text, error))
    return false;
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded())
    return error.fail(path + ": error: expected JSON");
  return Reader(error, path).read(value, description);
}

std::vector<int64_t> Argument::getSizes() const {
  std::vector<int64_t> sizes;
  for (const Expression &size : shape)
    sizes.push_back(size.value);
  return sizes;
}

bool launch::evaluate(const Expression &expression, const Sizes &inputs,
                      int64_t &value, Error &error) {
  if (expression.kind == Expression::Constant) {
    value = expression.value;
    return true;
  }
  if (expression.kind == Expression::Size) {
    value = inputs[expression.input][expression.dimension];
    return true;
  }
  int64_t left, right;
  if (!evaluate(expression.operands[0], inputs, left, error) ||
      !evaluate(expression.operands[1], inputs, right, error))
    return false;
  bool isWrong = false;
  switch (expression.kind) {
  case Expression::Add:
    isWrong = __builtin_add_overflow(left, right, &value);
    break;
  case Expression::Sub:
    isWrong = __builtin_sub_overflow(left, right, &value);
    break;
  case Expression::Mul:
    isWrong = __builtin_mul_overflow(left, right, &value);
    break;
  case Expression::Min:
    value = std::min(left, right);
    break;
  case Expression::Max:
    value = std::max(left, right);
    break;
  default:
    if (right == 0 || (left == INT64_MIN && right == -1))
      return error.fail("expected sizes that can be divided, but got " +
                        std::to_string(left) + " by " + std::to_string(right));
    value = left / right;
    bool isExact = left % right == 0, isBelow = (left < 0) != (right < 0);
    if (expression.kind == Expression::CeilDiv)
      value += !isExact && !isBelow;
    else
      value -= !isExact && isBelow;
    if (expression.kind == Expression::Mod)
      value = left - value * right;
  }
  return !isWrong || error.fail("expected sizes whose products fit 64 bits");
}
