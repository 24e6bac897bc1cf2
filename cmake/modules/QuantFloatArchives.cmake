# The target QuantFloatArchives: LLVM, MLIR and lld as archives, for a library that does not require
# their shared libraries at run time. No other dependency of such a library may link the shared
# libraries, see QUANT_FLOAT_MLIR_LIBS.

if(NOT UNIX OR APPLE)
  message(FATAL_ERROR "QUANT_FLOAT_PYTHON_SELF_CONTAINED: expected an ELF platform")
endif()
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
# Libraries of programs only, and second copies of objects in other libraries.
list(FILTER archives EXCLUDE REGEX "/lib(MLIR|LLVM)[^/]*(Test|TableGen|TblGen|PDLL|Reduce|Query|MlirOptMain|JitRunner)[^/]*$|/libMLIR\\.a$")
foreach(name IN ITEMS lldELF lldCommon zstd z)
  find_library(QUANT_FLOAT_${name}_ARCHIVE NAMES lib${name}.a HINTS ${LLVM_LIBRARY_DIR} REQUIRED
    DOC "The archive of ${name}, for a self-contained Python package")
  list(APPEND archives ${QUANT_FLOAT_${name}_ARCHIVE})
endforeach()

# lld registers all targets of LLVM. These functions exclude the targets that the compiler does not
# support.
set(functions "/* What lld and the compiler call for parts of LLVM that this library does not contain. */\n")
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target MATCHES "^(AArch64|NVPTX|RISCV|X86)$")
    foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter AsmParser)
      string(APPEND functions "void LLVMInitialize${target}${part}(void) {}\n")
    endforeach()
  endif()
endforeach()
# Extensions of LLVM's passes, which lld runs on bitcode. The compiler links objects only.
file(STRINGS ${LLVM_MAIN_INCLUDE_DIR}/llvm/Support/Extension.def extensions REGEX "^HANDLE_EXTENSION")
foreach(extension IN LISTS extensions)
  string(REGEX REPLACE ".*\\((.*)\\).*" "get\\1PluginInfo" name "${extension}")
  string(LENGTH ${name} length)
  string(APPEND functions "void _Z${length}${name}v(void) { __builtin_trap(); }\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/OtherTargets.c CONTENT "${functions}" @ONLY)
add_library(QuantFloatOtherTargets OBJECT ${PROJECT_BINARY_DIR}/OtherTargets.c)

add_library(QuantFloatArchives INTERFACE)
target_link_libraries(QuantFloatArchives INTERFACE
  QuantFloatOtherTargets $<TARGET_OBJECTS:QuantFloatOtherTargets> ${archives} ${CMAKE_DL_LIBS})
