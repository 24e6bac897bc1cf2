//===- Tensors.cpp - Device memory and comparison of tensors --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

using namespace quant_float_python;

/// Fills an array with random bits.
static void makeRandomBits(uint64_t seed, uint64_t offset, nb::tuple to) {
  nb::list items;
  items.append(to);
  TensorArguments place(nb::borrow<nb::sequence>(items), /*writable=*/true);
  const qf_tensor &tensor = *place.data();
  invoke("kernel", {}, [&](QuantFloatError *error) {
    size_t count = place.countBytes(0) / quantFloatDtypeGetBytes(tensor.dtype);
    return quantFloatMakeRandomBits(tensor.dtype, seed, offset, tensor.data,
                                    count, error);
  });
}

namespace {

/// Owns tensors of the library.
class Tensors {
public:
  explicit Tensors(QuantFloatTensors tensors) : tensors(tensors) {}
  ~Tensors() {
    nb::gil_scoped_release release;
    (void)quantFloatTensorsDestroy(tensors);
  }
  Tensors(const Tensors &) = delete;
  Tensors &operator=(const Tensors &) = delete;

  size_t getCount() const { return quantFloatTensorsGetCount(tensors); }

  /// Returns (address, dtype, sizes).
  nb::tuple describe(size_t index) const {
    const qf_tensor &tensor = get(index);
    nb::list sizes;
    for (int32_t i = 0; i < tensor.rank; ++i)
      sizes.append(tensor.sizes[i]);
    return nb::make_tuple(reinterpret_cast<uintptr_t>(tensor.data),
                          tensor.dtype, nb::tuple(sizes));
  }

  /// Copies the elements to an array.
  void read(size_t index, nb::tuple to) const {
    nb::list items;
    items.append(to);
    TensorArguments place(nb::borrow<nb::sequence>(items), /*writable=*/true);
    invoke("kernel", {}, [&](QuantFloatError *error) {
      return quantFloatTensorsRead(tensors, index, place.data()->data,
                                   place.countBytes(0), error);
    });
  }

  /// Returns a DLPack capsule for memory of the first GPU with this element
  /// type. The capsule keeps `owner` alive.
  nb::object makeCapsule(size_t index, uint8_t code, uint8_t bits,
                         nb::object owner) const {
    const qf_tensor &tensor = get(index);
    std::vector<size_t> sizes(tensor.sizes, tensor.sizes + tensor.rank);
    return nb::cast(nb::ndarray<>(
        tensor.data, sizes.size(), sizes.data(), owner, nullptr,
        nb::dlpack::dtype{code, bits, 1}, nb::device::cuda::value, 0));
  }

private:
  const qf_tensor &get(size_t index) const {
    const qf_tensor *tensor = quantFloatTensorsGet(tensors, index);
    if (!tensor)
      throw nb::index_error("the tensor index is out of range");
    return *tensor;
  }

  QuantFloatTensors tensors;
};

} // namespace

/// Copies arrays to the memory of the first GPU.
static nb::object copyToDevice(nb::sequence arrays) {
  TensorArguments given(arrays, /*writable=*/false);
  QuantFloatTensors tensors = {};
  invoke("kernel", {}, [&](QuantFloatError *error) {
    return quantFloatTensorsCreate(QUANT_FLOAT_TARGET_NVVM, given.data(),
                                   given.size(), &tensors, error);
  });
  return wrapTensors(tensors);
}

/// Returns (elements, differing, first, largest).
static nb::tuple compareTensors(nb::tuple one, nb::tuple other) {
  nb::list items;
  items.append(one);
  items.append(other);
  TensorArguments tensors(nb::borrow<nb::sequence>(items), /*writable=*/false);
  QuantFloatTensorDifference found = {};
  invoke("kernel", {}, [&](QuantFloatError *error) {
    return quantFloatCompareTensors(tensors.data(), tensors.data() + 1, &found,
                                    error);
  });
  return nb::make_tuple(found.numElements, found.numDiffering, found.first,
                        found.largest);
}

static nb::object getDeviceChip() {
  QuantFloatBuffer buffer = {};
  invoke("kernel", {}, [&](QuantFloatError *error) {
    return quantFloatDeviceGetChip(&buffer, error);
  });
  nb::object chip = decode(quantFloatBufferGetData(buffer));
  (void)quantFloatBufferDestroy(buffer);
  return chip;
}

nb::object quant_float_python::wrapTensors(QuantFloatTensors tensors) {
  return nb::cast(new Tensors(tensors), nb::rv_policy::take_ownership);
}

void quant_float_python::defineTensors(nb::module_ &module) {
  nb::class_<Tensors>(module, "Tensors", "Memory of the first GPU.")
      .def_prop_ro("count", &Tensors::getCount)
      .def("describe", &Tensors::describe, nb::arg("index"))
      .def("read", &Tensors::read, nb::arg("index"), nb::arg("to"))
      .def("make_capsule", &Tensors::makeCapsule, nb::arg("index"),
           nb::arg("code"), nb::arg("bits"), nb::arg("owner"));
  module.def("make_random_bits", &makeRandomBits, nb::arg("seed"),
             nb::arg("offset"), nb::arg("to"));
  module.def("copy_to_device", &copyToDevice, nb::arg("arrays"));
  module.def("compare_tensors", &compareTensors, nb::arg("one"),
             nb::arg("other"));
  module.def("get_device_chip", &getDeviceChip);
}
