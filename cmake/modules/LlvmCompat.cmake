# Differences of LLVM versions in the build. The comment of each condition states the last version that needs it, as in
# include/quant-float/Support/LlvmCompat.h.

if(LLVM_VERSION_MAJOR LESS 22)
  message(FATAL_ERROR "expected MLIR 22.1 or later, but got ${LLVM_PACKAGE_VERSION}")
endif()

# Further dependencies of MLIR's execution engine in its C API, in addition to libMLIR.so.
if(LLVM_VERSION_MAJOR LESS 23) # 22.
  set(QUANT_FLOAT_MLIR_ENGINE_LIBS)
else()
  set(QUANT_FLOAT_MLIR_ENGINE_LIBS
    ${LLVM_LIBRARY_DIR}/libMLIRExecutionEngine.a
    ${LLVM_LIBRARY_DIR}/libMLIRExecutionEngineUtils.a)
endif()

# The headers that have moved, with their newest names.
set(QUANT_FLOAT_COMPAT_INCLUDE_DIR ${PROJECT_BINARY_DIR}/llvm-compat)
file(MAKE_DIRECTORY ${QUANT_FLOAT_COMPAT_INCLUDE_DIR})
if(LLVM_VERSION_MAJOR LESS 24) # 23.
  file(CONFIGURE OUTPUT ${QUANT_FLOAT_COMPAT_INCLUDE_DIR}/mlir/Dialect/GPU/Transforms/NVVM/Passes.h
    CONTENT "#include \"mlir/Dialect/GPU/Transforms/Passes.h\"\n")
endif()
