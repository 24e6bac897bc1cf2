# Build rules of the libraries and tools of this project.

option(QUANT_FLOAT_WARNINGS_AS_ERRORS "Stop at warnings; for those who work on this project" OFF)
option(QUANT_FLOAT_PRECOMPILE_HEADERS "Compile the headers of MLIR that most files include once" ON)
# The shared libraries if LLVM was built with them, as Debian's is. Never both: a static MLIR in
# addition to the shared one would register every dialect and command-line option twice.
set(static_default ON)
if(TARGET MLIR)
  set(static_default OFF)
endif()
option(QUANT_FLOAT_LINK_STATIC "Link MLIR's static libraries, not libMLIR.so" ${static_default})

# A build that contains this one may have fewer libraries (examples/iree).
if(NOT DEFINED QUANT_FLOAT_MLIR_LIBS)
  set(QUANT_FLOAT_MLIR_LIBS MLIR)
  if(QUANT_FLOAT_LINK_STATIC)
    get_property(QUANT_FLOAT_MLIR_LIBS GLOBAL PROPERTY MLIR_ALL_LIBS)
    # Everything that a tool can register, except for tests, the C API and the main programs.
    list(FILTER QUANT_FLOAT_MLIR_LIBS EXCLUDE REGEX
      "Test|^MLIR$|^MLIRCAPI|^mlir_|ExecutionEngine|Runtime$|Tbl[Gg]en|TableGen|PDLL|Reduce|Query|MlirOptMain|JitRunner")
  endif()
endif()
if(LLVM_LINK_LLVM_DYLIB)
  set(QUANT_FLOAT_LLVM_LIBS LLVM)
else()
  llvm_map_components_to_libnames(QUANT_FLOAT_LLVM_LIBS
    AllTargetsAsmParsers AllTargetsCodeGens AllTargetsDescs AllTargetsInfos BitReader BitWriter Core IRReader
    Linker MC OrcJIT Passes Support Target TargetParser)
endif()
list(APPEND QUANT_FLOAT_MLIR_LIBS ${QUANT_FLOAT_LLVM_LIBS})
option(QUANT_FLOAT_PYTHON_SELF_CONTAINED "Link the archives of LLVM, MLIR and lld into the extension of the Python package" OFF)
if(QUANT_FLOAT_PYTHON_SELF_CONTAINED)
  # All other targets link the shared libraries as before.
  foreach(libraries IN ITEMS QUANT_FLOAT_MLIR_LIBS QUANT_FLOAT_LLVM_LIBS)
    list(TRANSFORM ${libraries}
      REPLACE ".+" "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:QUANT_FLOAT_LINKS_ARCHIVES>>>:\\0>")
  endforeach()
endif()

set(QUANT_FLOAT_WARNINGS -Wall -Wextra)
if(QUANT_FLOAT_WARNINGS_AS_ERRORS)
  list(APPEND QUANT_FLOAT_WARNINGS -Werror)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # The C++ library requests loop unrolling, which clang 23 cannot always perform.
    list(APPEND QUANT_FLOAT_WARNINGS -Wno-error=pass-failed)
  endif()
endif()
# No exceptions and no RTTI, whatever LLVM was built with.
set(QUANT_FLOAT_COMPILE_OPTIONS
  ${QUANT_FLOAT_WARNINGS} -Wno-unused-parameter -fno-exceptions -fno-rtti -fvisibility-inlines-hidden)
set(QUANT_FLOAT_LINK_OPTIONS)
set(QUANT_FLOAT_SANITIZER_OPTIONS)
foreach(sanitizer IN LISTS QUANT_FLOAT_SANITIZERS)
  string(TOLOWER "${sanitizer}" sanitizer)
  list(APPEND QUANT_FLOAT_SANITIZER_OPTIONS
    -fsanitize=${sanitizer} -fno-sanitize-recover=${sanitizer} -fno-omit-frame-pointer)
  list(APPEND QUANT_FLOAT_LINK_OPTIONS -fsanitize=${sanitizer})
endforeach()
# The LLVM packages are built without -fsanitize=vptr type information. Compiled models have no
# function types before their functions, where -fsanitize=function reads them.
if("Undefined" IN_LIST QUANT_FLOAT_SANITIZERS)
  list(APPEND QUANT_FLOAT_SANITIZER_OPTIONS -fno-sanitize=vptr,function)
endif()
list(APPEND QUANT_FLOAT_COMPILE_OPTIONS ${QUANT_FLOAT_SANITIZER_OPTIONS})

function(_quant_float_target_settings target)
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_include_directories(${target} SYSTEM PRIVATE ${QUANT_FLOAT_COMPAT_INCLUDE_DIR})
  target_compile_options(${target} PRIVATE ${QUANT_FLOAT_COMPILE_OPTIONS})
  # Passes have statistics, whose size depends on whether LLVM was built with assertions.
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:--include=${PROJECT_SOURCE_DIR}/cmake/LLVMStatistic.h>")
  if(LLVM_ENABLE_ASSERTIONS)
    target_compile_definitions(${target} PRIVATE QUANT_FLOAT_LLVM_HAS_ASSERTIONS)
  endif()
  target_link_options(${target} PUBLIC ${QUANT_FLOAT_LINK_OPTIONS})
  # Sources for libraries and sources for programs share a precompiled header.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  if(QUANT_FLOAT_PRECOMPILE_HEADERS AND NOT target STREQUAL "QuantFloatPrecompiled")
    target_precompile_headers(${target} REUSE_FROM QuantFloatPrecompiled)
  endif()
endfunction()

# MLIR's headers dominate the compile time of a file. Precompiling them, with the templates that
# they instantiate, saves two thirds of it.
if(QUANT_FLOAT_PRECOMPILE_HEADERS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/QuantFloatPrecompiled.cpp CONTENT "")
  add_library(QuantFloatPrecompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/QuantFloatPrecompiled.cpp)
  _quant_float_target_settings(QuantFloatPrecompiled)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # With a timestamp in it, ccache would never hit.
    list(APPEND QUANT_FLOAT_COMPILE_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
    target_compile_options(QuantFloatPrecompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  set(headers
    llvm/ADT/TypeSwitch.h
    mlir/Dialect/Affine/IR/AffineOps.h
    mlir/Dialect/Arith/IR/Arith.h
    mlir/Dialect/Arith/Utils/Utils.h
    mlir/Dialect/Func/IR/FuncOps.h
    mlir/Dialect/LLVMIR/LLVMDialect.h
    mlir/Dialect/Linalg/IR/Linalg.h
    mlir/Dialect/Math/IR/Math.h
    mlir/Dialect/MemRef/IR/MemRef.h
    mlir/Dialect/SCF/IR/SCF.h
    mlir/Dialect/Tensor/IR/Tensor.h
    mlir/Dialect/Vector/IR/VectorOps.h
    mlir/IR/BuiltinOps.h
    mlir/IR/PatternMatch.h
    mlir/Pass/PassManager.h
    mlir/Transforms/DialectConversion.h)
  foreach(header IN LISTS headers)
    target_precompile_headers(QuantFloatPrecompiled PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}>>")
  endforeach()
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()

# add_quant_float_library(QuantFloatX a.cpp b.cpp LINK_LIBS QuantFloatY DEPENDS GeneratedIncGen)
#
# WITHOUT_MLIR: needs LLVM's Support library alone, shared or static as the program that is linked with both has it.
function(add_quant_float_library name)
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(QuantFloat::${name} ALIAS ${name})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(ARG_WITHOUT_MLIR)
    set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  else()
    target_link_libraries(${name} PUBLIC ${QUANT_FLOAT_MLIR_LIBS})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_LIBRARIES_${QUANT_FLOAT_COMPONENT} ${name})
endfunction()

# add_quant_float_tool(quant-float-x x.cpp LINK_LIBS ...)
function(add_quant_float_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${QUANT_FLOAT_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_TOOLS ${name})
endfunction()

# add_quant_float_plugin(QuantFloatX LINK_LIBS ... DEFINITIONS ...): a plugin of mlir-opt. The entry
# points are in a separate module without MLIR and LLVM, which loads QuantFloatXImpl if the host has
# the MLIR that this links.
function(add_quant_float_plugin name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;DEFINITIONS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/tools/quant-float-plugin)
  add_library(${name}Impl MODULE ${folder}/Implementation.cpp)
  _quant_float_target_settings(${name}Impl)
  target_link_libraries(${name}Impl PRIVATE ${ARG_LINK_LIBS} ${QUANT_FLOAT_MLIR_LIBS})
  target_compile_definitions(${name}Impl PRIVATE QUANT_FLOAT_PLUGIN="$<TARGET_FILE_NAME:${name}>")

  add_library(${name} MODULE ${folder}/quant-float-plugin.cpp)
  # Upstream's declarations, without our own compile options.
  target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE ${QUANT_FLOAT_COMPILE_OPTIONS})
  target_link_options(${name} PRIVATE ${QUANT_FLOAT_LINK_OPTIONS})
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(${name} ${name}Impl)
  target_compile_definitions(${name} PRIVATE
    QUANT_FLOAT_IMPLEMENTATION="$<TARGET_FILE_NAME:${name}Impl>"
    QUANT_FLOAT_LLVM_LIBRARY="$<TARGET_SONAME_FILE_NAME:LLVM>"
    QUANT_FLOAT_LLVM_VERSION="${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}"
    QUANT_FLOAT_MLIR_LIBRARY="$<TARGET_SONAME_FILE_NAME:MLIR>")

  set(targets ${name} ${name}Impl)
  set(exports plugin implementation)
  foreach(target export IN ZIP_LISTS targets exports)
    # Libraries that only importers need are not linked if they are unused.
    target_link_options(${target} PRIVATE "LINKER:--version-script=${folder}/${export}.map" LINKER:--as-needed)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${folder}/${export}.map)
    target_compile_definitions(${target} PRIVATE QUANT_FLOAT_VERSION="${PROJECT_VERSION}" ${ARG_DEFINITIONS})
    set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_TOOLS ${target})
  endforeach()
endfunction()

# add_quant_float_test_program(quant-float-x y.cpp LINK_LIBS ...): built from quant-float-x.cpp and
# y.cpp before the lit tests run.
function(add_quant_float_test_program name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${name}.cpp ${ARG_UNPARSED_ARGUMENTS})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${QUANT_FLOAT_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_TEST_PROGRAMS ${name})
endfunction()
