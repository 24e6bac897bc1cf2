# A manual page and shell completions of each tool, which a script generates from its --help, and
# the changelog. They are below share/ in the build tree as in the install tree.

find_package(Python3 COMPONENTS Interpreter)
if(CMAKE_CROSSCOMPILING OR NOT Python3_FOUND OR Python3_VERSION VERSION_LESS 3.11)
  message(STATUS "no manual pages: the tools cannot be asked, or there is no Python 3.11")
  return()
endif()

set(manuals ${PROJECT_BINARY_DIR}/share)
set(scripts ${PROJECT_SOURCE_DIR}/scripts/docs)
get_property(tools GLOBAL PROPERTY QUANT_FLOAT_TOOLS)
list(FILTER tools INCLUDE REGEX "^quant-float-")
set(pages)
set(zsh_files)
foreach(tool IN LISTS tools)
  add_custom_command(OUTPUT ${manuals}/man/man1/${tool}.1.gz
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${Python3_EXECUTABLE}
      ${scripts}/manuals.py ${PROJECT_VERSION} $<TARGET_FILE:${tool}> ${manuals} ${tools}
    DEPENDS ${tool} ${scripts}/manuals.py ${scripts}/tool_help.py ${scripts}/tools.toml
    VERBATIM)
  list(APPEND pages ${manuals}/man/man1/${tool}.1.gz)
  install(FILES ${manuals}/man/man1/${tool}.1.gz
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  install(FILES ${manuals}/bash-completion/completions/${tool}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
  install(FILES ${manuals}/fish/vendor_completions.d/${tool}.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
  string(APPEND zsh_files " \"${manuals}/zsh/site-functions/_${tool}\"")
endforeach()
# Debian's conventions.
add_custom_command(OUTPUT ${manuals}/changelog.gz
  COMMAND ${Python3_EXECUTABLE} -c
    "import gzip, sys; sys.stdout.buffer.write(gzip.compress(open(sys.argv[1], 'rb').read(), mtime=0))"
    ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${manuals}/changelog.gz
  DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${pages}
  VERBATIM)
foreach(component IN LISTS components)
  install(FILES ${manuals}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${${component}_package} COMPONENT ${component})
endforeach()
add_custom_target(quant-float-manuals ALL DEPENDS ${pages} ${manuals}/changelog.gz)

# Debian's zsh searches completions of packages in a separate folder.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder vendor-completions)
  endif()
  file(INSTALL${zsh_files}
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")"
  COMPONENT runtime)
