//===- Handles.h - Handles of objects ---------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle consists of an index into a table, the kind of the object, and a
// generation: the number of objects that have used the index. Handles of
// destroyed objects are therefore recognized (until the generation wraps around
// after 2^32 objects). A lookup takes no lock and keeps the object alive until
// it is released.
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

/// The base class of objects that have handles.
class Object {
public:
  virtual ~Object();
};

/// Returns the handle of a new object, or 0 if the table is full.
uint64_t addObject(HandleKind kind, std::unique_ptr<Object> object);

/// Returns the object and keeps it alive until releaseObject. Returns null if
/// the handle does not refer to a live object of this kind.
Object *acquireObject(HandleKind kind, uint64_t id);
void releaseObject(uint64_t id);

/// Ends the handle, and deletes the object after its last reference is
/// released. Returns false if the handle does not refer to a live object of
/// this kind.
bool destroyObject(HandleKind kind, uint64_t id);

size_t countLiveObjects();

/// Describes why acquireObject rejects a handle, e.g. "expected a handle of a
/// model, but got a handle of a destroyed object".
std::string describeBadHandle(HandleKind kind, uint64_t id);

/// A reference that keeps an object alive. `T` has a `kKind`.
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
