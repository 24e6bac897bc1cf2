# How every library and tool of this project is built.
#
# Everything links the shared targets `MLIR` and `LLVM`: a static MLIR library beside the shared one
# would register every dialect and command-line option twice.

set(QUANT_FLOAT_COMPILE_OPTIONS
  -Wall -Wextra -Werror -Wno-unused-parameter -fno-exceptions -fvisibility-inlines-hidden)
set(QUANT_FLOAT_LINK_OPTIONS)
set(QUANT_FLOAT_SANITIZER_OPTIONS)
foreach(sanitizer IN LISTS QUANT_FLOAT_SANITIZERS)
  string(TOLOWER "${sanitizer}" sanitizer)
  list(APPEND QUANT_FLOAT_SANITIZER_OPTIONS
    -fsanitize=${sanitizer} -fno-sanitize-recover=${sanitizer} -fno-omit-frame-pointer)
  list(APPEND QUANT_FLOAT_LINK_OPTIONS -fsanitize=${sanitizer})
endforeach()
# The LLVM packages are built without -fsanitize=vptr type information.
if("Undefined" IN_LIST QUANT_FLOAT_SANITIZERS)
  list(APPEND QUANT_FLOAT_SANITIZER_OPTIONS -fno-sanitize=vptr)
endif()
list(APPEND QUANT_FLOAT_COMPILE_OPTIONS ${QUANT_FLOAT_SANITIZER_OPTIONS})

function(_quant_float_target_settings target)
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_options(${target} PRIVATE ${QUANT_FLOAT_COMPILE_OPTIONS})
  target_link_options(${target} PUBLIC ${QUANT_FLOAT_LINK_OPTIONS})
endfunction()

# add_quant_float_library(QuantFloatX a.cpp b.cpp LINK_LIBS QuantFloatY DEPENDS GeneratedIncGen)
function(add_quant_float_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(QuantFloat::${name} ALIAS ${name})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_LIBRARIES ${name})
endfunction()

# add_quant_float_tool(quant-float-x x.cpp LINK_LIBS ...)
function(add_quant_float_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_TOOLS ${name})
endfunction()

# add_quant_float_plugin(QuantFloatX x.cpp LINK_LIBS ... EXPORTS x.map): a module that exports what the
# linker's version script x.map names.
function(add_quant_float_plugin name)
  cmake_parse_arguments(ARG "" "EXPORTS" "LINK_LIBS" ${ARGN})
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  # What importers stand on is left out where nothing of it is used.
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${ARG_EXPORTS}" LINKER:--as-needed)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${ARG_EXPORTS})
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_TOOLS ${name})
endfunction()

# add_quant_float_test_program(quant-float-x y.cpp LINK_LIBS ...): of quant-float-x.cpp and y.cpp, built
# before the lit tests run.
function(add_quant_float_test_program name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${name}.cpp ${ARG_UNPARSED_ARGUMENTS})
  _quant_float_target_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  set_property(GLOBAL APPEND PROPERTY QUANT_FLOAT_TEST_PROGRAMS ${name})
endfunction()
