# The libraries, the command, and what is installed with them.

# libpliant.a and libpliant.so from the objects of every layer
function(pl_library)
  get_property(layers GLOBAL PROPERTY PL_LAYERS)
  set(objects "")
  foreach(l ${layers})
    list(APPEND objects $<TARGET_OBJECTS:layer_${l}>)
  endforeach()
  get_property(link GLOBAL PROPERTY PL_LINK)
  list(REMOVE_DUPLICATES link)
  pl_system_libraries(names)

  add_library(pliant_lib STATIC ${objects})
  set_target_properties(pliant_lib PROPERTIES OUTPUT_NAME pliant EXPORT_NAME static)
  # programs elsewhere find these by name, wherever they are there
  target_link_libraries(pliant_lib INTERFACE "$<BUILD_INTERFACE:${link}>" "$<INSTALL_INTERFACE:${names}>"
                        Threads::Threads m)

  # the number in the soname is PL_ABI of version.h, where it says when it grows
  set(map ${CMAKE_BINARY_DIR}/pliant.map)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/pliant.map.in ${map} @ONLY)
  add_library(pliant_shared SHARED ${objects})
  set_target_properties(pliant_shared PROPERTIES OUTPUT_NAME pliant EXPORT_NAME pliant VERSION ${abi}
                        SOVERSION ${abi} LINK_DEPENDS ${map})
  target_link_libraries(pliant_shared PRIVATE ${link} Threads::Threads m)
  target_link_options(pliant_shared PRIVATE LINKER:--version-script=${map} LINKER:-Bsymbolic-functions
                      LINKER:--as-needed)
  if(NOT PLIANT_SANITIZE)
    target_link_options(pliant_shared PRIVATE LINKER:-z,defs)
  endif()
  foreach(target pliant_lib pliant_shared)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()

  install(TARGETS pliant_lib pliant_shared EXPORT pliant-targets)
  # no interface: what sources are built with, and what benches measure with
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          PATTERN copies.h EXCLUDE PATTERN tally.h EXCLUDE)
  pl_package_files("${names}")
endfunction()

# the libraries of other projects as names for the linker: `umfpack cholmod ...`
function(pl_system_libraries out)
  get_target_property(solvers Pliant::solvers INTERFACE_LINK_LIBRARIES)
  set(names "")
  foreach(path ${solvers} ${LBFGSB} ${NLOPT} ${FYAML_LINK_LIBRARIES} ${JANSSON_LINK_LIBRARIES} ${ZLIB_LIBRARIES})
    get_filename_component(name ${path} NAME_WE)
    string(REGEX REPLACE "^lib" "" name ${name})
    list(APPEND names ${name})
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# pliant.pc, and find_package(pliant) with its targets pliant::pliant and pliant::static
function(pl_package_files names)
  # what is not asked of pkg-config itself
  list(REMOVE_ITEM names fyaml jansson z)
  list(TRANSFORM names PREPEND "-l" OUTPUT_VARIABLE flags)
  list(JOIN flags " " flags)
  file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" up "${up}")
  configure_file(${CMAKE_SOURCE_DIR}/cmake/pliant.pc.in ${CMAKE_BINARY_DIR}/pliant.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/pliant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

  include(CMakePackageConfigHelpers)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/pliant-config.cmake.in ${CMAKE_BINARY_DIR}/pliant-config.cmake
                                INSTALL_DESTINATION ${folder})
  # before 1.0 a minor version may change what programs are written against
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/pliant-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/pliant-config.cmake ${CMAKE_BINARY_DIR}/pliant-config-version.cmake
          DESTINATION ${folder})
  install(EXPORT pliant-targets NAMESPACE pliant:: DESTINATION ${folder})
endfunction()

# the pliant command, and its manual page and completions, which it prints itself
function(pl_command)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/*.c)
  add_executable(pliant ${sources})
  target_link_libraries(pliant PRIVATE pliant_lib)
  target_compile_definitions(pliant PRIVATE PL_GALLERY="${PLIANT_GALLERY}")
  if(TARGET layer_studio)
    target_compile_definitions(pliant PRIVATE PL_STUDIO=1)
  endif()
  install(TARGETS pliant RUNTIME)
  if(EXISTS ${CMAKE_SOURCE_DIR}/gallery)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/gallery DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant)
  endif()

  if(NOT CMAKE_CROSSCOMPILING)
    pl_texts()
  endif()
endfunction()

function(pl_texts)
  set(texts ${CMAKE_BINARY_DIR}/texts)
  file(MAKE_DIRECTORY ${texts})
  set(files ${texts}/pliant.1 ${texts}/pliant.bash ${texts}/pliant.zsh ${texts}/pliant.fish)
  add_custom_command(OUTPUT ${files} DEPENDS pliant
    COMMAND pliant man > ${texts}/pliant.1
    COMMAND pliant completion bash > ${texts}/pliant.bash
    COMMAND pliant completion zsh > ${texts}/pliant.zsh
    COMMAND pliant completion fish > ${texts}/pliant.fish
    COMMENT "Printing the manual page and completions" VERBATIM)
  add_custom_target(texts ALL DEPENDS ${files})
  install(FILES ${texts}/pliant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${texts}/pliant.bash DESTINATION ${share}/bash-completion/completions RENAME pliant)
  install(FILES ${texts}/pliant.zsh DESTINATION ${share}/zsh/site-functions RENAME _pliant)
  install(FILES ${texts}/pliant.fish DESTINATION ${share}/fish/vendor_completions.d)
endfunction()
