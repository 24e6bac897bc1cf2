//===- Handles.h - Numbers that stand for objects ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is a place in a table, the kind of the object there, and how many
// objects have been at the place before: no two objects ever have the same, so
// that handles of destroyed objects are known as such. Looking one up takes no
// lock and keeps the object alive until it is given back.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_HANDLES_H
#define QUANT_FLOAT_LIB_CAPI_HANDLES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace mlir::quant_float::capi {

enum class HandleKind : uint8_t {
  Error = 1,
  Buffer,
  Session,
  Model,
  Report,
  Kernel,
  Tensors,
  ModeReport
};

/// Whatever a handle may stand for.
class Object {
public:
  virtual ~Object();
};

/// The handle of a new object; 0 when the table is full.
uint64_t addObject(HandleKind kind, std::unique_ptr<Object> object);

/// The object, kept alive until releaseObject; null if the handle is not that
/// of a living object of the kind.
Object *acquireObject(HandleKind kind, uint64_t id);
void releaseObject(uint64_t id);

/// Ends the handle, and the object once nobody holds it any more. False if the
/// handle is not that of a living object of the kind.
bool destroyObject(HandleKind kind, uint64_t id);

size_t countLiveObjects();

/// What is wrong with a handle that acquireObject refuses, e.g. "expected the
/// handle of a model, but got that of a destroyed one".
std::string describeBadHandle(HandleKind kind, uint64_t id);

/// An object that is held. `T` has a `kKind`.
template <typename T> class Ref {
public:
  explicit Ref(uint64_t id)
      : object(static_cast<T *>(acquireObject(T::kKind, id))), id(id) {}
  ~Ref() {
    if (object)
      releaseObject(id);
  }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;

  explicit operator bool() const { return object; }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }

private:
  T *object;
  uint64_t id;
};

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_HANDLES_H
