//===- cuda-headers-cast.cpp - NVIDIA's host conversions ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the requests of quant-float-reference-cast with the functions of
// cuda_fp8.h, cuda_fp6.h and cuda_fp4.h, compiled as host C++. Answers
// "unsupported" for conversions that the headers lack.
//
//===----------------------------------------------------------------------===//

#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Options {
  __nv_saturation_t saturate;
  cudaRoundMode rounding;
};

using Bytes = std::vector<char>;
using Cast = std::function<Bytes(const Bytes &, Options)>;

/// Creates a cast of buffers from a function of one element.
template <typename From, typename Function>
Cast elementwise(Function function) {
  return [function](const Bytes &in, Options options) {
    using To = decltype(function(From(), options));
    size_t count = in.size() / sizeof(From);
    Bytes out(count * sizeof(To));
    for (size_t i = 0; i < count; ++i) {
      From element;
      std::memcpy(&element, in.data() + i * sizeof(From), sizeof(From));
      To result = function(element, options);
      std::memcpy(out.data() + i * sizeof(To), &result, sizeof(To));
    }
    return out;
  };
}

std::map<std::pair<std::string, std::string>, Cast> makeCasts() {
  std::map<std::pair<std::string, std::string>, Cast> casts;

  for (auto [name, format] :
       {std::pair("f8E4M3FN", __NV_E4M3), std::pair("f8E5M2", __NV_E5M2)}) {
    auto f8 = format;
    casts[{"f64", name}] = elementwise<double>([f8](double x, Options o) {
      return __nv_cvt_double_to_fp8(x, o.saturate, f8);
    });
    casts[{"f32", name}] = elementwise<float>([f8](float x, Options o) {
      return __nv_cvt_float_to_fp8(x, o.saturate, f8);
    });
    casts[{"f16", name}] =
        elementwise<__half_raw>([f8](__half_raw x, Options o) {
          return __nv_cvt_halfraw_to_fp8(x, o.saturate, f8);
        });
    casts[{"bf16", name}] =
        elementwise<__nv_bfloat16_raw>([f8](__nv_bfloat16_raw x, Options o) {
          return __nv_cvt_bfloat16raw_to_fp8(x, o.saturate, f8);
        });
    casts[{name, "f16"}] = elementwise<uint8_t>(
        [f8](uint8_t x, Options) { return __nv_cvt_fp8_to_halfraw(x, f8); });
    casts[{name, "bf16"}] = elementwise<uint8_t>(
        [f8](uint8_t x, Options) { return __nv_cvt_fp8_to_bf16raw(x, f8); });
  }

  casts[{"f64", "f8E8M0FNU"}] = elementwise<double>([](double x, Options o) {
    return __nv_cvt_double_to_e8m0(x, o.saturate, o.rounding);
  });
  casts[{"f32", "f8E8M0FNU"}] = elementwise<float>([](float x, Options o) {
    return __nv_cvt_float_to_e8m0(x, o.saturate, o.rounding);
  });
  casts[{"bf16", "f8E8M0FNU"}] =
      elementwise<__nv_bfloat16_raw>([](__nv_bfloat16_raw x, Options o) {
        return __nv_cvt_bfloat16raw_to_e8m0(x, o.saturate, o.rounding);
      });
  casts[{"f8E8M0FNU", "bf16"}] = elementwise<uint8_t>(
      [](uint8_t x, Options) { return __nv_cvt_e8m0_to_bf16raw(x); });

  for (auto [name, format] :
       {std::pair("f6E2M3FN", __NV_E2M3), std::pair("f6E3M2FN", __NV_E3M2)}) {
    auto f6 = format;
    casts[{"f64", name}] = elementwise<double>([f6](double x, Options) {
      return __nv_cvt_double_to_fp6(x, f6, cudaRoundNearest);
    });
    casts[{"f32", name}] = elementwise<float>([f6](float x, Options) {
      return __nv_cvt_float_to_fp6(x, f6, cudaRoundNearest);
    });
    casts[{"f16", name}] = elementwise<__half_raw>([f6](__half_raw x, Options) {
      return __nv_cvt_halfraw_to_fp6(x, f6, cudaRoundNearest);
    });
    casts[{"bf16", name}] =
        elementwise<__nv_bfloat16_raw>([f6](__nv_bfloat16_raw x, Options) {
          return __nv_cvt_bfloat16raw_to_fp6(x, f6, cudaRoundNearest);
        });
    casts[{name, "f16"}] = elementwise<uint8_t>(
        [f6](uint8_t x, Options) { return __nv_cvt_fp6_to_halfraw(x, f6); });
    casts[{name, "bf16"}] = elementwise<uint8_t>(
        [f6](uint8_t x, Options) { return __nv_cvt_fp6_to_bf16raw(x, f6); });
  }

  const char *name = "f4E2M1FN";
  casts[{"f64", name}] = elementwise<double>([](double x, Options) {
    return __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  });
  casts[{"f32", name}] = elementwise<float>([](float x, Options) {
    return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  });
  casts[{"f16", name}] = elementwise<__half_raw>([](__half_raw x, Options) {
    return __nv_cvt_halfraw_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  });
  casts[{"bf16", name}] =
      elementwise<__nv_bfloat16_raw>([](__nv_bfloat16_raw x, Options) {
        return __nv_cvt_bfloat16raw_to_fp4(x, __NV_E2M1, cudaRoundNearest);
      });
  casts[{name, "f16"}] = elementwise<uint8_t>(
      [](uint8_t x, Options) { return __nv_cvt_fp4_to_halfraw(x, __NV_E2M1); });
  casts[{name, "bf16"}] = elementwise<uint8_t>(
      [](uint8_t x, Options) { return __nv_cvt_fp4_to_bf16raw(x, __NV_E2M1); });
  return casts;
}

cudaRoundMode parseRounding(const std::string &mode) {
  if (mode == "up")
    return cudaRoundPosInf;
  return mode == "down" ? cudaRoundZero : cudaRoundNearest;
}

} // namespace

int main() {
  const auto casts = makeCasts();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream request(line);
    std::string from, to, opset, saturate, mode, input, output;
    request >> from >> to >> opset >> saturate >> mode >> input >> output;
    auto cast = casts.find({from, to});
    if (cast == casts.end()) {
      std::cout << "unsupported" << std::endl;
      continue;
    }
    std::ifstream in(input, std::ios::binary);
    Bytes bytes((std::istreambuf_iterator<char>(in)),
                std::istreambuf_iterator<char>());
    Options options{saturate == "1" ? __NV_SATFINITE : __NV_NOSAT,
                    parseRounding(mode)};
    Bytes result = cast->second(bytes, options);
    std::ofstream(output, std::ios::binary)
        .write(result.data(), std::streamsize(result.size()));
    std::cout << "ok" << std::endl;
  }
  return 0;
}
