# The install rules of `cmake --install`, the CMake package of the build and the install tree, and
# CPack's packages: "runtime" to run the tools and compiled models, "dev" to build on the libraries,
# "vectors" to test other libraries.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/QuantFloat)
set(build_config_dir ${PROJECT_BINARY_DIR}/lib/cmake/QuantFloat)

# Static libraries with their dependencies, as QuantFloat::<target>: a targets file for each
# component of the libraries, and one for C programs.
set(target_sets)
foreach(component IN LISTS QUANT_FLOAT_COMPONENTS)
  get_property(libraries GLOBAL PROPERTY QUANT_FLOAT_LIBRARIES_${component})
  install(TARGETS ${libraries} EXPORT QuantFloatTargets-${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  list(APPEND target_sets ${component})
endforeach()

# Tools, the plugin, libraries for C programs. The loader does not search the folder of Debian's
# libMLIR.so.
get_property(tools GLOBAL PROPERTY QUANT_FLOAT_TOOLS)
get_property(c_libraries GLOBAL PROPERTY QUANT_FLOAT_C_LIBRARIES)
foreach(tool IN LISTS tools c_libraries)
  get_target_property(type ${tool} TYPE)
  get_target_property(links ${tool} LINK_LIBRARIES)
  if("LLVM" IN_LIST links)
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})
  endif()
  if(type MATCHES "^(SHARED|STATIC)_LIBRARY$")
    # quant-float-compile links an archive of these into libraries.
    install(TARGETS ${tool} EXPORT QuantFloatTargets-C
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
  else()
    install(TARGETS ${tool}
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
  endif()
endforeach()

# Headers, including generated ones, and TableGen files.
foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  install(DIRECTORY ${root}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
    FILES_MATCHING PATTERN *.h PATTERN *.def PATTERN *.td PATTERN *.h.inc
    PATTERN CMakeFiles EXCLUDE)
endforeach()

# find_package(QuantFloat CONFIG): from the build tree and from the install tree.
set(QUANT_FLOAT_CONFIG_MLIR_DIR ${MLIR_DIR})
set(QUANT_FLOAT_CONFIG_ONNX_DIR ${QuantFloatOnnx_DIR})
set(QUANT_FLOAT_CONFIG_MLIR_VERSION ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR})
function(_quant_float_write_config destination install_dir)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/modules/QuantFloatConfig.cmake.in ${destination}/QuantFloatConfig.cmake
    INSTALL_DESTINATION ${install_dir} ${ARGN}
    PATH_VARS QUANT_FLOAT_INCLUDE_DIRS QUANT_FLOAT_TOOLS_DIR QUANT_FLOAT_LIBRARY_DIR
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
endfunction()

set(QUANT_FLOAT_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
set(QUANT_FLOAT_TOOLS_DIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(QUANT_FLOAT_LIBRARY_DIR ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
_quant_float_write_config(${build_config_dir} ${build_config_dir} INSTALL_PREFIX ${PROJECT_BINARY_DIR})
if(c_libraries)
  list(APPEND target_sets C)
endif()
foreach(set IN LISTS target_sets)
  export(EXPORT QuantFloatTargets-${set} NAMESPACE QuantFloat::
    FILE ${build_config_dir}/QuantFloatTargets-${set}.cmake)
  install(EXPORT QuantFloatTargets-${set} NAMESPACE QuantFloat:: DESTINATION ${config_dir} COMPONENT dev)
endforeach()

set(QUANT_FLOAT_INCLUDE_DIRS ${CMAKE_INSTALL_INCLUDEDIR})
set(QUANT_FLOAT_TOOLS_DIR ${CMAKE_INSTALL_BINDIR})
set(QUANT_FLOAT_LIBRARY_DIR ${CMAKE_INSTALL_LIBDIR})
_quant_float_write_config(${PROJECT_BINARY_DIR}/cmake/install ${config_dir})

# Before 1.0, a minor version may break dependents of the libraries.
write_basic_package_version_file(${build_config_dir}/QuantFloatConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/cmake/install/QuantFloatConfig.cmake
        ${build_config_dir}/QuantFloatConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT dev)

# The license, in Debian's folder for it.
set(runtime_package quant-float)
set(dev_package libquant-float-dev)
set(vectors_package quant-float-vectors)
set(components runtime dev)
if(NOT CMAKE_CROSSCOMPILING AND TARGET quant-float-certify)
  list(APPEND components vectors)
endif()
foreach(component IN LISTS components)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${${component}_package} COMPONENT ${component})
endforeach()

if("networks" IN_LIST QUANT_FLOAT_COMPONENTS)
  include(QuantFloatManuals)
  include(QuantFloatVectors)
endif()

set(CPACK_PACKAGE_NAME ${runtime_package})
set(CPACK_PACKAGE_VENDOR "The quant-float project")
set(CPACK_PACKAGE_CONTACT "The quant-float maintainers <maintainers@quant-float.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/modules/QuantFloatCPackOptions.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime_package})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Tools that check, compile and run the quantization of ONNX and OpenVINO
models: casts to float8, float6 and float4, QuantizeLinear, DequantizeLinear,
FakeConvert. The dialect comes as a plugin of mlir-opt, too, and in a server
for editors.")
# dpkg-shlibdeps finds the linked libraries, except for libLLVM, which also has a link in a -dev
# package.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS libllvm${LLVM_VERSION_MAJOR})
# Called or loaded at run time: the linker of shared libraries, the threads of kernels.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS
  "lld-${LLVM_VERSION_MAJOR}, libomp-${LLVM_VERSION_MAJOR}-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${dev_package})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION "Static libraries, headers, TableGen files and the CMake package QuantFloat, to
build the quant_float dialect, its lowerings and its driver into a compiler.")
string(JOIN ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "${runtime_package} (= ${PROJECT_VERSION})" libmlir-${LLVM_VERSION_MAJOR}-dev
  mlir-${LLVM_VERSION_MAJOR}-tools llvm-${LLVM_VERSION_MAJOR}-dev libprotobuf-dev libpugixml-dev libssl-dev)
set(CPACK_DEBIAN_VECTORS_PACKAGE_NAME ${vectors_package})
set(CPACK_DEBIAN_VECTORS_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_VECTORS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_VECTORS_DESCRIPTION "Conformance vectors for conversions of low-precision floats
Tables of inputs and correct outputs of ONNX's Cast, QuantizeLinear and
DequantizeLinear, OCP's FP8 and MX formats and OpenVINO's FakeConvert, and a
Python module that tests a library with them.")
set(CPACK_DEBIAN_VECTORS_PACKAGE_SUGGESTS python3-numpy)
include(CPack)
