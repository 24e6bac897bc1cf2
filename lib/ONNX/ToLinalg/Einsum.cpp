//===- Einsum.cpp - Einsum ------------------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// The names of a tensor's axes. An axis is named by its letter, and an axis of
/// an ellipsis by a number below kLetters.
using Term = SmallVector<unsigned>;
/// All letters are at least this number.
constexpr unsigned kLetters = 'A';

/// A parsed equation, and the size of each named axis.
struct Equation {
  explicit Equation(NodeContext &context) : context(context) {}

  LogicalResult parse(StringRef letters);
  LogicalResult findSizes();

  NodeContext &context;
  SmallVector<Term> terms;
  Term result;
  llvm::DenseMap<unsigned, OpFoldResult> sizes;

private:
  FailureOr<Term> parseTerm(StringRef letters, size_t ellipsis);
  LogicalResult requireSize(OpFoldResult expected, OpFoldResult actual,
                            size_t input, size_t axis) {
    return context.requireEqual(expected, actual,
                                "the size of axis " + Twine(axis) +
                                    " of input " + Twine(input));
  }
};

/// A tensor and the names of its axes.
struct NamedTensor {
  Value tensor;
  Term term;
};
} // namespace

/// Numbers the ellipsis axes from the end, so that they are aligned at the last
/// one in all terms.
FailureOr<Term> Equation::parseTerm(StringRef letters, size_t ellipsis) {
  Term term;
  bool hasEllipsis = false;
  while (!letters.empty()) {
    if (letters.consume_front("...")) {
      if (hasEllipsis)
        return context.unsupported("a term has more than one ellipsis");
      hasEllipsis = true;
      for (size_t i = ellipsis; i-- > 0;)
        term.push_back(i);
      continue;
    }
    if (!llvm::isAlpha(letters.front()))
      return context.unsupported("expected letters and '...' in terms of the "
                                 "equation, but got '" +
                                 letters.take_front(1) + "'");
    term.push_back(letters.front());
    letters = letters.drop_front();
  }
  return term;
}

LogicalResult Equation::parse(StringRef letters) {
  std::string compact;
  for (char c : letters)
    if (c != ' ')
      compact.push_back(c);
  auto [left, right] = StringRef(compact).split("->");
  bool isExplicit = left.size() != compact.size();
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != context.inputs.size())
    return context.unsupported("the equation has " + Twine(parts.size()) +
                               " terms, but there are " +
                               Twine(context.inputs.size()) + " inputs");
  size_t max = 0;
  for (auto [index, part] : llvm::enumerate(parts)) {
    size_t rank = context.type(index).getRank();
    bool hasEllipsis = part.contains("...");
    size_t named = part.size() - (hasEllipsis ? 3 : 0);
    if (hasEllipsis ? named > rank : named != rank)
      return context.unsupported("term " + Twine(index) + " names " +
                                 Twine(named) + " axes of an input of rank " +
                                 Twine(rank));
    size_t others = hasEllipsis ? rank - named : 0;
    FailureOr<Term> term = parseTerm(part, others);
    if (failed(term))
      return failure();
    terms.push_back(*term);
    max = std::max(max, others);
  }
  if (isExplicit) {
    FailureOr<Term> term = parseTerm(right, max);
    if (failed(term))
      return failure();
    result = *term;
    return success();
  }
  // An implicit result has the ellipsis axes, followed by the letters that
  // occur once, in order.
  llvm::DenseMap<unsigned, size_t> counts;
  for (const Term &term : terms)
    for (unsigned name : term)
      ++counts[name];
  for (size_t i = max; i-- > 0;)
    result.push_back(i);
  for (unsigned name = kLetters; name <= 'z'; ++name)
    if (counts.lookup(name) == 1)
      result.push_back(name);
  return success();
}

/// Axes of size 1 are broadcast. The axes of a diagonal must have equal sizes.
LogicalResult Equation::findSizes() {
  for (auto [index, term] : llvm::enumerate(terms)) {
    SmallVector<OpFoldResult> actual = context.getSizes(context.input(index));
    for (auto [axis, name] : llvm::enumerate(term)) {
      size_t first = llvm::find(term, name) - term.begin();
      if (first < axis) {
        if (failed(requireSize(actual[first], actual[axis], index, axis)))
          return failure();
        continue;
      }
      OpFoldResult &size = sizes[name];
      if (!size || isConstantIntValue(size, 1))
        size = actual[axis];
      else if (!isConstantIntValue(actual[axis], 1) &&
               failed(requireSize(size, actual[axis], index, axis)))
        return failure();
    }
  }
  llvm::SmallSet<unsigned, 8> seen;
  for (unsigned name : result) {
    if (!sizes.contains(name))
      return context.unsupported(
          "the result of the equation has axes that no input has");
    if (!seen.insert(name).second)
      return context.unsupported(
          "the result of the equation has an axis twice");
  }
  return success();
}

/// Multiplies one or two tensors elementwise and reduces over all axes that
/// `result` does not name.
static NamedTensor contract(const Equation &equation,
                            ArrayRef<NamedTensor> factors, const Term &result) {
  ImplicitLocOpBuilder &b = equation.context.b;
  Term loops = result;
  for (const NamedTensor &factor : factors)
    for (unsigned name : factor.term)
      if (!llvm::is_contained(loops, name))
        loops.push_back(name);
  auto getSizes = [&](const Term &term) {
    return llvm::map_to_vector(
        term, [&](unsigned name) { return equation.sizes.find(name)->second; });
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const NamedTensor &factor : factors) {
    SmallVector<OpFoldResult> sizes = equation.context.getSizes(factor.tensor);
    SmallVector<AffineExpr> exprs;
    for (auto [axis, name] : llvm::enumerate(factor.term)) {
      // Read a broadcast axis of size 1 at index 0. Other axes define the
      // bounds of their loops.
      bool isRepeated =
          isConstantIntValue(sizes[axis], 1) &&
          !isConstantIntValue(equation.sizes.find(name)->second, 1);
      exprs.push_back(isRepeated ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(llvm::find(loops, name) -
                                                      loops.begin()));
    }
    inputs.push_back(factor.tensor);
    maps.push_back(AffineMap::get(loops.size(), 0, exprs, b.getContext()));
  }
  Type type = getComputeType(equation.context.elementType(0));
  AffineMap resultMap = AffineMap::get(
      loops.size(), 0, b.getMultiDimIdentityMap(result.size()).getResults(),
      b.getContext());
  Value contraction =
      buildReduction(b, inputs, maps,
                     buildFilled(b, getSizes(result), makeNumber(b, type, 0)),
                     resultMap,
                     [](ImplicitLocOpBuilder &b, ValueRange elements,
                        ValueRange accumulators) -> SmallVector<Value> {
                       if (elements.size() == 2)
                         return multiplyAndAdd(b, elements, accumulators);
                       return {buildCombine(b, Combine::Sum, accumulators[0],
                                            toCompute(b, elements[0]),
                                            /*isUnsigned=*/false)};
                     })
          .front();
  return {contraction, result};
}

/// Contracts the operands from left to right, two at a time.
NodeResults onnx_nodes::convertEinsum(NodeContext &context) {
  Equation equation(context);
  if (failed(context.requireSameType()) ||
      failed(equation.parse(
          cast<StringAttr>(context.getAttribute("equation")).getValue())) ||
      failed(equation.findSizes()))
    return failure();
  NamedTensor contraction = {context.input(0), equation.terms[0]};
  size_t count = equation.terms.size();
  if (count == 1)
    contraction = contract(equation, contraction, equation.result);
  for (size_t i = 1; i < count; ++i) {
    NamedTensor next = {context.input(i), equation.terms[i]};
    Term remaining = equation.result;
    // Keep the axes that later operands have: they are reduced later.
    if (i + 1 < count) {
      remaining.clear();
      auto isNeeded = [&](unsigned name) {
        return llvm::is_contained(equation.result, name) ||
               llvm::any_of(ArrayRef(equation.terms).drop_front(i + 1),
                            [&](const Term &term) {
                              return llvm::is_contained(term, name);
                            });
      };
      for (const Term *term : {&contraction.term, &next.term})
        for (unsigned name : *term)
          if (isNeeded(name) && !llvm::is_contained(remaining, name))
            remaining.push_back(name);
    }
    contraction = contract(equation, {contraction, next}, remaining);
  }
  return SmallVector<Value>{
      convertFromCompute(context, contraction.tensor, context.elementType(0))};
}
