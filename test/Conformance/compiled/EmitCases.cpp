//===- EmitCases.cpp - Files for other processors -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastActions.h"
#include "CastInputs.h"
#include "Programs.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

LogicalResult test::emitCases(ArrayRef<CastCase> cases,
                              const Settings &settings, StringRef folder,
                              MLIRContext &context) {
  for (size_t i = 0; i * settings.batchSize < cases.size(); ++i) {
    ArrayRef<CastCase> batch =
        cases.drop_front(i * settings.batchSize).take_front(settings.batchSize);
    OwningOpRef<ModuleOp> module = makeModule(batch, context);
    auto compile = [&](llvm::raw_fd_ostream &os) {
      return compileTo(*module, EmitKind::Assembly, settings.compile, "casts",
                       os);
    };
    if (!module ||
        failed(writeFile(folder, llvm::formatv("casts{0}.s", i), compile)))
      return failure();
  }

  // One line per case: CAST(name, from, size of from, to, size of to, rank,
  // sizes, position of the inputs, position of the results).
  std::string table;
  llvm::raw_string_ostream lines(table);
  return failure(
      failed(writeFile(
          folder, "casts.bin",
          [&](llvm::raw_fd_ostream &data) {
            Type from, to;
            std::vector<char> inputs;
            uint64_t inputsAt = 0;
            for (const CastCase &one : cases) {
              if (one.from != from || one.to != to) {
                from = one.from;
                to = one.to;
                inputs = makeCastInputs(from, to, settings.randomCount);
                inputsAt = data.tell();
                data.write(inputs.data(), inputs.size());
              }
              SmallVector<int64_t> sizes = one.shape;
              int64_t count = 1, open = 5;
              if (sizes == ArrayRef<int64_t>{ShapedType::kDynamic})
                open = inputs.size() / getSlotSize(from);
              for (int64_t &size : sizes) {
                if (ShapedType::isDynamic(size))
                  size = open++;
                count *= size;
              }
              std::vector<char> results = computeExpected(
                  one, ArrayRef(inputs).take_front(count * getSlotSize(from)));
              lines << llvm::formatv(
                  "CAST({0}, {1}, {2}, {3}, {4}, {5}, ({6}), {7}, {8})\n",
                  one.getName(), *getOnnxDataType(from), getSlotSize(from),
                  *getOnnxDataType(to), getSlotSize(to), sizes.size(),
                  llvm::join(
                      llvm::map_range(sizes,
                                      [](int64_t s) { return Twine(s).str(); }),
                      ", "),
                  inputsAt, data.tell());
              data.write(results.data(), results.size());
            }
            return success();
          })) ||
      failed(writeFile(folder, "casts.inc", [&](llvm::raw_fd_ostream &os) {
        os << table;
        return success();
      })));
}
