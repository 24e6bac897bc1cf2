//===- Arrays.cpp - Converts arrays to tensors ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"
#include "quant-float/Support/ElementTypes.h"
#include <memory>
#include <nanobind/ndarray.h>

using namespace quant_float_python;

TensorArguments::TensorArguments(nb::sequence items, bool writable) {
  // The destructor does not run if a constructor throws.
  try {
    for (nb::handle item : items)
      add(nb::cast<nb::tuple>(item), writable);
  } catch (...) {
    release();
    throw;
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    tensors[i].sizes = sizes[i].data();
}

TensorArguments::~TensorArguments() { release(); }

void TensorArguments::release() {
  for (Py_buffer &buffer : buffers)
    PyBuffer_Release(&buffer);
  buffers.clear();
}

void TensorArguments::Strings::setMemory() {
  strings.offsets = offsets.data();
  strings.bytes = bytes.data();
  strings.capacity = static_cast<int64_t>(bytes.size());
}

void *TensorArguments::addStrings(nb::handle list, size_t count,
                                  bool writable) {
  strings.push_back(std::make_unique<Strings>());
  Strings &memory = *strings.back();
  memory.count = count;
  memory.offsets.push_back(0);
  if (writable) {
    // Most strings of numbers fit.
    constexpr size_t kUsualBytes = 16;
    memory.list = nb::cast<nb::list>(list);
    memory.offsets.resize(count + 1);
    memory.bytes.resize(count * kUsualBytes);
  } else {
    for (nb::handle text : nb::cast<nb::list>(list)) {
      Py_ssize_t size = 0;
      const char *bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (!bytes)
        throw nb::python_error();
      memory.bytes.insert(memory.bytes.end(), bytes, bytes + size);
      memory.offsets.push_back(static_cast<int64_t>(memory.bytes.size()));
    }
    if (memory.offsets.size() != count + 1)
      throw nb::value_error(
          "the number of strings in a list does not match its tensor");
  }
  memory.setMemory();
  return &memory.strings;
}

void TensorArguments::makeRoom() {
  for (std::unique_ptr<Strings> &memory : strings) {
    auto needed = static_cast<size_t>(memory->strings.needed);
    if (needed > memory->bytes.size())
      memory->bytes.resize(needed);
    memory->setMemory();
  }
}

void TensorArguments::fillLists() {
  for (const std::unique_ptr<Strings> &memory : strings)
    appendStrings(memory->list, memory->strings, memory->count);
}

void quant_float_python::appendStrings(nb::list list, const qf_strings &strings,
                                       size_t count) {
  for (size_t i = 0; i < count; ++i) {
    PyObject *text = PyUnicode_DecodeUTF8(
        strings.bytes + strings.offsets[i],
        static_cast<Py_ssize_t>(strings.offsets[i + 1] - strings.offsets[i]),
        nullptr);
    if (!text)
      throw nb::python_error();
    list.append(nb::steal(text));
  }
}

void TensorArguments::add(nb::tuple item, bool writable) {
  if (item.size() != 3)
    throw nb::value_error("a tensor must be (data, dtype, sizes)");
  qf_tensor tensor = {};
  tensor.dtype = nb::cast<int32_t>(item[1]);
  nb::tuple shape = nb::cast<nb::tuple>(item[2]);
  tensor.rank = static_cast<int32_t>(shape.size());
  std::vector<int64_t> numbers;
  int64_t count = 1, bytes = 0;
  bool isPossible = true;
  for (nb::handle size : shape) {
    numbers.push_back(nb::cast<int64_t>(size));
    isPossible &= numbers.back() >= 0 &&
                  !__builtin_mul_overflow(count, numbers.back(), &count);
  }
  // Packed elements do not have a whole number of bytes each.
  const auto *element = mlir::quant_float::findElement(tensor.dtype);
  if (element && element->isPacked())
    bytes = static_cast<int64_t>(element->getBytes(count));
  else
    isPossible &= !__builtin_mul_overflow(
        count, static_cast<int64_t>(quantFloatDtypeGetBytes(tensor.dtype)),
        &bytes);
  if (!isPossible)
    throw nb::value_error("the sizes of a tensor are invalid");
  if (tensor.dtype == QF_STRING && !item[0].is_none()) {
    tensor.data = addStrings(item[0], static_cast<size_t>(count), writable);
  } else if (nb::isinstance<nb::int_>(item[0])) {
    tensor.data = reinterpret_cast<void *>(nb::cast<uintptr_t>(item[0]));
  } else if (!item[0].is_none()) {
    Py_buffer buffer;
    int flags = PyBUF_SIMPLE | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(nb::handle(item[0]).ptr(), &buffer, flags))
      throw nb::python_error();
    buffers.push_back(buffer);
    if (buffer.len != bytes)
      throw nb::value_error(
          "the size of an array in bytes does not match its tensor");
    tensor.data = buffer.buf;
  }
  tensors.push_back(tensor);
  sizes.push_back(std::move(numbers));
  this->bytes.push_back(static_cast<size_t>(bytes));
}

/// Whether two elements share a byte.
static bool isPacked(nb::dlpack::dtype type) {
  return type.bits == 4 && type.lanes == 2;
}

/// Returns a view of the memory of a DLPack array as unsigned integers, and its
/// type: (data, type code, bits). The data is None if elements are not whole
/// bytes, and the bytes of packed elements of 4 bits.
static nb::tuple viewDLPack(nb::object array, bool writable) {
  nb::ndarray<> tensor;
  nb::ndarray<nb::ro> readOnly;
  // Importing a read-only array as writable fails.
  bool isWritten = writable && nb::try_cast(array, tensor, /*convert=*/false);
  if (!isWritten && !nb::try_cast(array, readOnly, /*convert=*/false))
    throw nb::value_error("its __dlpack__ does not return an array");
  if (writable && !isWritten)
    throw nb::value_error("it is read-only");
  auto view = [&](auto &source) {
    nb::dlpack::dtype type = source.dtype();
    if (type.lanes != 1 && !isPacked(type))
      throw nb::value_error("elements with several lanes are not supported");
    auto bits = static_cast<uint8_t>(isPacked(type) ? 8 : type.bits);
    std::vector<size_t> sizes(source.ndim());
    std::vector<int64_t> strides(source.ndim());
    for (size_t i = 0; i < source.ndim(); ++i) {
      sizes[i] = source.shape(i);
      strides[i] = source.stride(i);
    }
    nb::object data = nb::none();
    if (bits % 8 == 0 && bits <= 64) {
      nb::dlpack::dtype unsignedType = {
          static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), bits, 1};
      auto make = [&](auto *memory) {
        using Array = std::conditional_t<
            std::is_const_v<std::remove_pointer_t<decltype(memory)>>,
            nb::ndarray<nb::numpy, nb::ro>, nb::ndarray<nb::numpy>>;
        return nb::cast(Array(memory, sizes.size(), sizes.data(),
                              nb::cast(source), strides.data(), unsignedType));
      };
      data = make(source.data());
    }
    return nb::make_tuple(data, static_cast<int>(type.code),
                          static_cast<int>(type.bits));
  };
  return writable ? view(tensor) : view(readOnly);
}

/// Returns an object with __dlpack__ for an array of encodings, whose elements
/// have another type. The object keeps the array alive.
static nb::object exportDLPack(nb::object encodings, uint8_t code, uint8_t bits,
                               uint16_t lanes) {
  nb::ndarray<nb::ro> source;
  nb::ndarray<> written;
  bool isWritable = nb::try_cast(encodings, written, /*convert=*/false);
  if (!isWritable && !nb::try_cast(encodings, source, /*convert=*/false))
    throw nb::value_error("expected an array of encodings");
  auto make = [&](auto &view, auto *data) {
    using Array = std::conditional_t<
        std::is_const_v<std::remove_pointer_t<decltype(data)>>,
        nb::ndarray<nb::array_api, nb::ro>, nb::ndarray<nb::array_api>>;
    std::vector<size_t> sizes(view.ndim());
    for (size_t i = 0; i < view.ndim(); ++i)
      sizes[i] = view.shape(i);
    return nb::cast(Array(data, sizes.size(), sizes.data(), encodings, nullptr,
                          nb::dlpack::dtype{code, bits, lanes},
                          nb::device::cpu::value, 0));
  };
  return isWritable ? make(written, written.data())
                    : make(source, source.data());
}

/// Returns the rows of ElementTypes.def, then the formats of IEEE P3109.
static nb::list getElements() {
  nb::list elements;
  auto append = [&](const mlir::quant_float::ElementInfo &info) {
    nb::dict element;
    element["number"] = info.number;
    element["onnx"] = info.onnx;
    element["mlir"] = info.mlir;
    element["bits"] = info.bits;
    element["numpy"] = info.numpy;
    element["dlpack_code"] = info.dlpackCode;
    element["dlpack_bits"] = info.getDlpackBits();
    element["openvino"] = info.openVino;
    elements.append(element);
  };
  for (const auto &info : mlir::quant_float::kElements)
    append(info);
  for (const auto &info : mlir::quant_float::kBinaryElements.elements)
    append(info);
  return elements;
}

/// Returns the memory of a DLPack array on a device: (address, type code, bits,
/// sizes, contiguous, owner).
static nb::tuple viewDeviceDLPack(nb::object array, bool writable) {
  using View = nb::ndarray<nb::ro>;
  auto view = std::make_unique<View>();
  nb::ndarray<> written;
  if (writable && !nb::try_cast(array, written, /*convert=*/false))
    throw nb::value_error("it is read-only");
  if (!nb::try_cast(array, *view, /*convert=*/false))
    throw nb::value_error("its __dlpack__ does not return an array");
  nb::dlpack::dtype type = view->dtype();
  if (type.lanes != 1)
    throw nb::value_error("elements with several lanes are not supported");
  nb::list sizes;
  bool isContiguous = true;
  int64_t stride = 1;
  for (size_t i = view->ndim(); i-- > 0;) {
    sizes.insert(0, view->shape(i));
    isContiguous &= view->shape(i) == 1 || view->stride(i) == stride;
    stride *= static_cast<int64_t>(view->shape(i));
  }
  auto address = reinterpret_cast<uintptr_t>(view->data());
  nb::capsule owner(view.release(), [](void *view) noexcept {
    delete static_cast<View *>(view);
  });
  return nb::make_tuple(address, static_cast<int>(type.code),
                        static_cast<int>(type.bits), nb::tuple(sizes),
                        isContiguous || !stride, owner);
}

void quant_float_python::defineArrays(nb::module_ &module) {
  module.def("get_elements", &getElements,
             "The element types of ONNX's tensors.");
  module.def("view_dlpack", &viewDLPack, nb::arg("array"), nb::arg("writable"),
             "The memory of a DLPack array as encodings.");
  module.def("export_dlpack", &exportDLPack, nb::arg("encodings"),
             nb::arg("code"), nb::arg("bits"), nb::arg("lanes"),
             "An object with __dlpack__ for encodings.");
  module.def("view_device_dlpack", &viewDeviceDLPack, nb::arg("array"),
             nb::arg("writable"), "The address of a DLPack array.");
}
