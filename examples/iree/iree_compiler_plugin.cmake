# IREE's build includes this file if -DIREE_CMAKE_PLUGIN_PATHS has this folder. It adds the component core, built with IREE's LLVM,
# and the plugin.

# IREE's MLIR has no shared library. These are the libraries that the component core uses.
set(QUANT_FLOAT_COMPONENTS core CACHE STRING "" FORCE)
set(QUANT_FLOAT_LINK_STATIC ON CACHE BOOL "" FORCE)
set(QUANT_FLOAT_PRECOMPILE_HEADERS OFF CACHE BOOL "" FORCE)
set(QUANT_FLOAT_MLIR_LIBS
  MLIRArithDialect
  MLIRArithUtils
  MLIRBytecodeReader
  MLIRFuncDialect
  MLIRFuncTransforms
  MLIRGPUDialect
  MLIRIR
  MLIRLinalgDialect
  MLIRLinalgTransforms
  MLIRLLVMDialect
  MLIRMathDialect
  MLIRMemRefDialect
  MLIRNVVMDialect
  MLIRParser
  MLIRPass
  MLIRQuantDialect
  MLIRSCFDialect
  MLIRTensorDialect
  MLIRTosaDialect
  MLIRTransforms
  MLIRUBDialect
  MLIRVectorDialect
  MLIRVectorTransforms)

# The CMake package that MLIR writes into the build folder. Its targets are those of IREE's build.
set(MLIR_DIR ${MLIR_CMAKE_DIR})
add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/../.. quant-float EXCLUDE_FROM_ALL)
add_subdirectory(${CMAKE_CURRENT_LIST_DIR} quant-float-plugin)
