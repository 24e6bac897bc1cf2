//===- Description.h - What the compiler says of kernels --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_DESCRIPTION_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_DESCRIPTION_H

#include "Elements.h"
#include <string>
#include <vector>

namespace launch {

/// A number that follows from the sizes of the inputs.
struct Expression {
  enum Kind { Constant, Size, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
  Kind kind = Constant;
  int64_t value = 0;
  unsigned input = 0, dimension = 0;
  std::vector<Expression> operands;
};

using Sizes = std::vector<std::vector<int64_t>>;

/// Fails where the number is none of 64 bits.
bool evaluate(const Expression &expression, const Sizes &inputs, int64_t &value,
              Error &error);

struct Argument {
  std::string name;
  const ElementType *type = nullptr;
  /// Of inputs constants, -1 where any size will do.
  std::vector<Expression> shape;

  /// Of an input: -1 for what is open.
  std::vector<int64_t> getSizes() const;
};

/// What must hold of the sizes.
struct Check {
  Expression left, right;
  std::string message;
};

struct Parameter {
  enum Kind { Input, Output, Temporary, I64, I32, F32, F64 };
  Kind kind = Input;
  size_t index = 0;
  Expression value;
  double number = 0;
};

struct Launch {
  std::string kernel;
  Expression grid[3], block[3];
  unsigned shared = 0;
  std::vector<Parameter> parameters;
};

struct Entry {
  std::string name;
  std::vector<Argument> inputs, outputs;
  std::vector<Check> checks;
  std::vector<Expression> temporaries;
  std::vector<Launch> launches;
};

struct Description {
  std::string chip;
  std::vector<Entry> entries;
};

/// Reads the file that quant-float-compile writes beside .ptx and .cubin files.
bool readDescription(const std::string &path, Description &description,
                     Error &error);

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_DESCRIPTION_H
