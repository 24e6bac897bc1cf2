//===- MutateOps.h - Mutations of ops for fuzzers ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutations of bytes rarely give text that parses. These change a module that
// was parsed, in a context that knows no dialect: every op may then have any
// operands, types, attributes and regions.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_FUZZ_MUTATEOPS_H
#define QUANT_FLOAT_TEST_FUZZ_MUTATEOPS_H

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include <random>

namespace mlir::quant_float::test {

class OpMutator {
  unsigned below(unsigned end) { return random() % end; }
  template <typename Range> auto choose(const Range &range) {
    return *(std::begin(range) + below(std::size(range)));
  }

public:
  OpMutator(ModuleOp module, unsigned seed)
      : module(module), b(module.getContext()), random(seed) {
    module.walk([&](Operation *op) {
      if (op == module)
        return;
      ops.push_back(op);
      for (Type type : op->getResultTypes())
        types.insert(type);
      for (NamedAttribute attribute : getAttributes(op))
        attributes.insert(attribute.getValue());
    });
  }

  /// Applies one mutation.
  void mutate() {
    if (ops.empty())
      return;
    Operation *op = choose(ops);
    switch (below(8)) {
    case 0:
    case 1:
      return changeAttribute(op);
    case 2:
      return replaceEverywhere();
    case 3:
      return changeType(op);
    case 4:
    case 5:
      return changeOperands(op);
    case 6:
      return changeRegions(op);
    default:
      return changeOp(op);
    }
  }

private:
  /// An op of an unknown dialect keeps the attributes in `<{...}>` as its
  /// properties.
  static DictionaryAttr getProperties(Operation *op) {
    return dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  }
  static void setProperties(Operation *op, Attribute properties) {
    (void)op->setPropertiesFromAttribute(properties,
                                         [op] { return op->emitError(); });
  }
  static SmallVector<NamedAttribute> getAttributes(Operation *op) {
    SmallVector<NamedAttribute> all(op->getDiscardableAttrs());
    if (DictionaryAttr properties = getProperties(op))
      llvm::append_range(all, properties);
    return all;
  }
  /// Sets the attribute, or removes it if `value` is null.
  static void setAttribute(Operation *op, StringAttr name, Attribute value) {
    DictionaryAttr properties = getProperties(op);
    if (!properties || !properties.contains(name)) {
      value ? op->setDiscardableAttr(name, value)
            : (void)op->removeDiscardableAttr(name);
      return;
    }
    NamedAttrList list(properties);
    value ? (void)list.set(name, value) : (void)list.erase(name);
    setProperties(op, list.getDictionary(op->getContext()));
  }

  int64_t makeInteger(int64_t old) {
    constexpr int64_t kValues[] = {
        -1,      0,         1,         2,         3,
        4,       7,         8,         127,       255,
        1 << 16, INT32_MAX, INT64_MAX, INT64_MIN, ShapedType::kDynamic};
    switch (below(3)) {
    case 0:
      return int64_t(uint64_t(old) + below(3) - 1);
    case 1:
      return int64_t(-uint64_t(old));
    default:
      return choose(kValues);
    }
  }

  Type makeElementType() {
    Type choices[] = {b.getF32Type(),
                      b.getF16Type(),
                      b.getBF16Type(),
                      b.getF64Type(),
                      b.getI1Type(),
                      b.getIntegerType(4),
                      b.getIntegerType(8),
                      b.getIntegerType(8, false),
                      b.getIntegerType(8, true),
                      b.getI32Type(),
                      b.getI64Type(),
                      b.getIntegerType(128),
                      b.getIndexType(),
                      ComplexType::get(b.getF32Type()),
                      b.getType<Float8E4M3FNType>(),
                      b.getType<Float8E5M2FNUZType>(),
                      b.getType<Float8E8M0FNUType>(),
                      b.getType<Float4E2M1FNType>()};
    return choose(choices);
  }

  Type makeType(Type type) {
    if (!types.empty() && !below(3))
      return choose(types);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return below(2) ? makeElementType()
                      : RankedTensorType::get({2, 3}, makeElementType());
    SmallVector<int64_t> shape(tensor.getShape());
    Type element = tensor.getElementType();
    switch (below(6)) {
    case 0:
      element = makeElementType();
      break;
    case 1:
      shape.insert(shape.begin() + below(shape.size() + 1), 1);
      break;
    case 2:
      if (!shape.empty())
        shape.erase(shape.begin() + below(shape.size()));
      break;
    case 3:
      return UnrankedTensorType::get(element);
    default:
      if (shape.empty())
        break;
      int64_t &size = shape[below(shape.size())];
      size = below(2) ? ShapedType::kDynamic : makeInteger(size);
      if (size < 0 && size != ShapedType::kDynamic)
        size = ShapedType::kDynamic;
    }
    return RankedTensorType::get(shape, element);
  }

  Attribute makeDense(DenseElementsAttr dense) {
    auto type = dyn_cast<RankedTensorType>(dense.getType());
    if (!type || !type.getElementType().isIntOrIndex() ||
        dense.getNumElements() > 64)
      return {};
    auto values = llvm::to_vector(dense.getValues<APInt>());
    SmallVector<int64_t> shape(type.getShape());
    switch (below(3)) {
    case 0:
      if (values.empty() || values[0].getBitWidth() > 64)
        return {};
      {
        APInt &value = values[below(values.size())];
        value = APInt(64, makeInteger(value.getSExtValue()))
                    .trunc(std::min(64u, value.getBitWidth()));
      }
      break;
    case 1:
      if (values.empty())
        return {};
      values.resize(below(2) ? values.size() - 1 : values.size() + 1,
                    values.back());
      shape = {int64_t(values.size())};
      break;
    default:
      shape = below(2) ? SmallVector<int64_t>{}
                       : SmallVector<int64_t>{1, dense.getNumElements()};
      if (shape.empty() && values.size() != 1)
        return {};
    }
    return DenseElementsAttr::get(
        RankedTensorType::get(shape, type.getElementType()), values);
  }

  template <typename Array> Attribute makeArray(Array array) {
    auto values = llvm::to_vector(array.asArrayRef());
    switch (values.empty() ? 2 : below(3)) {
    case 0: {
      auto &value = values[below(values.size())];
      value = makeInteger(value);
      break;
    }
    case 1:
      values.erase(values.begin() + below(values.size()));
      break;
    default:
      values.push_back(makeInteger(0));
    }
    return Array::get(b.getContext(), values);
  }

  Attribute makeAttribute(Attribute old, unsigned depth = 0) {
    if (!below(6))
      return choose(attributes);
    if (auto integer = dyn_cast<IntegerAttr>(old);
        integer && integer.getValue().getBitWidth() <= 64) {
      unsigned width = integer.getValue().getBitWidth();
      APInt value(64, makeInteger(integer.getValue().getSExtValue()));
      return IntegerAttr::get(integer.getType(), value.trunc(width));
    }
    if (auto number = dyn_cast<FloatAttr>(old)) {
      constexpr double kValues[] = {0, -1, 0.5, 1e38, 1e-45, HUGE_VAL, NAN};
      return FloatAttr::get(number.getType(), choose(kValues));
    }
    if (auto type = dyn_cast<TypeAttr>(old))
      return TypeAttr::get(makeType(type.getValue()));
    if (auto array = dyn_cast<DenseI64ArrayAttr>(old))
      return makeArray(array);
    if (auto array = dyn_cast<DenseI32ArrayAttr>(old))
      return makeArray(array);
    if (auto dense = dyn_cast<DenseElementsAttr>(old))
      return makeDense(dense);
    if (auto array = dyn_cast<ArrayAttr>(old);
        array && !array.empty() && depth < 4) {
      auto values = llvm::to_vector(array);
      unsigned index = below(values.size());
      switch (below(4)) {
      case 0:
        values.erase(values.begin() + index);
        break;
      case 1:
        values.push_back(values[index]);
        break;
      default:
        if (Attribute changed = makeAttribute(values[index], depth + 1))
          values[index] = changed;
      }
      return b.getArrayAttr(values);
    }
    if (isa<StringAttr>(old) && !below(4))
      return b.getStringAttr("");
    return {};
  }

  void changeAttribute(Operation *op) {
    SmallVector<NamedAttribute> present = getAttributes(op);
    if (present.empty())
      return changeOperands(op);
    NamedAttribute attribute = choose(present);
    if (!below(6))
      return setAttribute(op, attribute.getName(), nullptr);
    if (Attribute changed = makeAttribute(attribute.getValue()))
      setAttribute(op, attribute.getName(), changed);
  }

  /// Replaces a type in the whole module, which often stays valid.
  void replaceEverywhere() {
    if (types.empty())
      return;
    Type from = choose(types), to = makeType(from);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](Type type) -> std::optional<Type> {
      return type == from ? std::optional<Type>(to) : std::nullopt;
    });
    // Constants keep their types, which their storage depends on.
    replacer.addReplacement(
        [](Attribute attribute)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          if (!isa<TypedAttr, DenseArrayAttr>(attribute))
            return std::nullopt;
          return std::make_pair(attribute, WalkResult::skip());
        });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    // Properties are no attributes of the op.
    for (Operation *op : ops)
      if (DictionaryAttr properties = getProperties(op))
        setProperties(op, replacer.replace(properties));
  }

  void changeType(Operation *op) {
    if (op->getNumResults()) {
      Value result = op->getResult(below(op->getNumResults()));
      result.setType(makeType(result.getType()));
    }
  }

  Value chooseValue(Operation *user) {
    SmallVector<Value> values(user->getBlock()->getArguments());
    for (Operation &op : *user->getBlock()) {
      if (&op == user)
        break;
      llvm::append_range(values, op.getResults());
    }
    return values.empty() ? Value() : choose(values);
  }

  void changeOperands(Operation *op) {
    SmallVector<Value> operands(op->getOperands());
    Value value = chooseValue(op);
    unsigned index = operands.empty() ? 0 : below(operands.size());
    switch (operands.empty() ? 0 : below(4)) {
    case 0:
      if (value)
        operands.insert(operands.begin() + index, value);
      break;
    case 1:
      operands.erase(operands.begin() + index);
      break;
    case 2:
      std::swap(operands[index], operands[below(operands.size())]);
      break;
    default:
      if (value)
        operands[index] = value;
    }
    // Ops with successors have operands of these, which stay.
    if (!op->getNumSuccessors())
      op->setOperands(operands);
  }

  void changeRegions(Operation *op) {
    if (!op->getNumRegions())
      return changeOp(op);
    Region &region = op->getRegion(below(op->getNumRegions()));
    if (region.empty()) {
      region.emplaceBlock();
      return;
    }
    Block &block = region.front();
    switch (below(3)) {
    case 0:
      block.addArgument(makeType(b.getF32Type()), op->getLoc());
      break;
    case 1:
      for (BlockArgument argument : block.getArguments())
        argument.setType(makeType(argument.getType()));
      break;
    default:
      if (block.getNumArguments() && block.getArguments().back().use_empty())
        block.eraseArgument(block.getNumArguments() - 1);
    }
  }

  /// Removes or copies the op, or gives it the name of another one.
  void changeOp(Operation *op) {
    if (below(2)) {
      OperationState state(op->getLoc(), choose(ops)->getName());
      state.addOperands(op->getOperands());
      state.addTypes(op->getResultTypes());
      state.addAttributes(op->getDiscardableAttrDictionary().getValue());
      state.propertiesAttr = op->getPropertiesAsAttribute();
      state.addSuccessors(op->getSuccessors());
      for (Region &region : op->getRegions())
        state.addRegion()->takeBody(region);
      b.setInsertionPoint(op);
      Operation *renamed = b.create(state);
      op->replaceAllUsesWith(renamed->getResults());
      return remove(op);
    }
    if (below(2)) {
      b.setInsertionPoint(op);
      b.clone(*op);
      return;
    }
    for (Value result : op->getResults())
      if (!result.use_empty()) {
        Value other = chooseValue(op);
        if (!other)
          return;
        result.replaceAllUsesWith(other);
      }
    for (Region &region : op->getRegions())
      region.walk([](Operation *inner) { inner->dropAllUses(); });
    ops.clear();
    op->erase();
  }

  void remove(Operation *op) {
    llvm::erase(ops, op);
    op->erase();
  }

  ModuleOp module;
  OpBuilder b;
  std::mt19937 random;
  SmallVector<Operation *> ops;
  llvm::SetVector<Type> types;
  llvm::SetVector<Attribute> attributes;
};

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_FUZZ_MUTATEOPS_H
