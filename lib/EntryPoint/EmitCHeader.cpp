//===- EmitCHeader.cpp - Emit a C header for entry points -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/EntryPoint/Link.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::quant_float;
using llvm::ArrayRef;
using llvm::StringRef;

/// The contents of quant-float-c/EntryPoint.h with its include guard, so that a
/// program can include several generated headers.
static const unsigned char publicHeader[] = {
#include "EntryPointHeader.inc"
};

static StringRef getTypeConstant(int32_t dtype) {
  const ElementInfo *element = findElement(dtype);
  return element ? element->c : "0";
}

/// Quotes a name of the model for a comment. Characters that could end the
/// comment or the line become question marks.
static std::string quoteName(StringRef name) {
  std::string text = "'";
  for (char c : name)
    text.push_back(
        c == '*' || c == '/' || c == '\\' || c == '\'' ||
                (static_cast<unsigned char>(c) < 0x80 && !llvm::isPrint(c))
            ? '?'
            : c);
  return text + "'";
}

static void emitArguments(llvm::raw_ostream &os, StringRef kind,
                          ArrayRef<EntryPointArgument> arguments) {
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    os << " *   " << kind << "[" << index
       << "]: " << getTypeConstant(argument.dtype);
    os << ", ";
    if (argument.sizes.empty())
      os << "a scalar (rank 0)";
    else
      os << "rank " << argument.sizes.size() << ", sizes ";
    llvm::interleave(
        argument.sizes, os,
        [&](int64_t size) {
          if (size < 0)
            os << "any";
          else
            os << size;
        },
        " x ");
    if (!argument.name.empty())
      os << ", " << quoteName(argument.name);
    os << "\n";
  }
}

static void emitEntryPoint(llvm::raw_ostream &os, const EntryPointInfo &info) {
  os << "\n/*\n * " << info.symbol;
  if (!info.graphName.empty())
    os << ": the graph " << quoteName(info.graphName);
  os << "\n *\n";
  emitArguments(os, "inputs", info.inputs);
  emitArguments(os, "outputs", info.outputs);
  os << " */\n"
     << "int " << info.symbol
     << "(const qf_tensor *inputs, qf_tensor *outputs,\n"
     << "    char *error, size_t error_size);\n"
     << "int " << info.symbol << "_output_sizes(const qf_tensor *inputs,\n"
     << "    int64_t *const *output_sizes, char *error, size_t error_size);\n";
}

std::string mlir::quant_float::emitCHeader(ArrayRef<EntryPointInfo> entryPoints,
                                           StringRef baseName) {
  std::string guard = "QUANT_FLOAT_COMPILED_";
  for (char c : baseName)
    guard.push_back(llvm::isAlnum(c) ? llvm::toUpper(c) : '_');
  guard += "_H";

  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/* Written by quant-float-compile. How to call the functions at the "
        "end is\n * described below. */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << StringRef(reinterpret_cast<const char *>(publicHeader),
                  sizeof publicHeader)
     << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const EntryPointInfo &info : entryPoints)
    emitEntryPoint(os, info);
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}
