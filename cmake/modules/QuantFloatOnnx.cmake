# ONNX's own C++ library: the target QuantFloat::QuantFloatOnnxLibrary. Unless QUANT_FLOAT_ONNX_ROOT
# is set, it is built once for each machine.
set(QUANT_FLOAT_ONNX_ROOT "" CACHE PATH "Where cmake/onnx/build.sh has installed ONNX's library")
set(onnx_root ${QUANT_FLOAT_ONNX_ROOT})
if(NOT onnx_root)
  set(python ${PROJECT_SOURCE_DIR}/build/venv/bin/python)
  if(NOT EXISTS ${python})
    set(python python3)
  endif()
  # Fuzzers instrument it.
  set(flags)
  if(QUANT_FLOAT_BUILD_FUZZERS)
    set(flags "-fsanitize=address -fsanitize=fuzzer-no-link -gline-tables-only")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env CXXFLAGS=${flags} ${PROJECT_SOURCE_DIR}/cmake/onnx/build.sh ${python}
    OUTPUT_VARIABLE onnx_root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
# Ignores the cached location of an earlier version.
set(QuantFloatOnnx_DIR ${onnx_root}/lib/cmake/QuantFloatOnnx)
find_package(QuantFloatOnnx REQUIRED CONFIG)
target_include_directories(QuantFloat::QuantFloatOnnxLibrary SYSTEM INTERFACE ${onnx_root}/include)

# Dependents of this project's static libraries link it, too.
install(DIRECTORY ${onnx_root}/lib/ DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
