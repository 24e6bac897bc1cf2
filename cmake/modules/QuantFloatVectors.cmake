# The conformance vectors, which the build's own quant-float-certify writes: a separate package, and
# a source distribution and a wheel for Python.

if(CMAKE_CROSSCOMPILING OR NOT TARGET quant-float-certify)
  message(STATUS "no conformance vectors: quant-float-certify cannot be run")
  return()
endif()

set(vectors ${PROJECT_BINARY_DIR}/share/quant-float-vectors)
add_custom_command(OUTPUT ${vectors}/data/vectors.json
  # Removes the files of another version.
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${vectors}/data
  COMMAND quant-float-certify --vectors ${vectors}/data
  DEPENDS quant-float-certify
  VERBATIM)
add_custom_target(quant-float-vectors ALL DEPENDS ${vectors}/data/vectors.json)

set(vectors_package quant-float-vectors)
install(DIRECTORY ${vectors}/data
  DESTINATION ${CMAKE_INSTALL_DATADIR}/quant-float-vectors/quant_float_vectors COMPONENT vectors)
install(FILES ${PROJECT_SOURCE_DIR}/vectors/quant_float_vectors/__init__.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/quant-float-vectors/quant_float_vectors COMPONENT vectors)
install(FILES ${PROJECT_SOURCE_DIR}/vectors/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/quant-float-vectors COMPONENT vectors)

if(Python3_FOUND AND Python3_VERSION VERSION_GREATER_EQUAL 3.11)
  add_custom_target(quant-float-vectors-wheel
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_vectors_package.py
      ${PROJECT_SOURCE_DIR} ${vectors}/data ${PROJECT_BINARY_DIR}/packages
    DEPENDS quant-float-vectors
    VERBATIM)
endif()
